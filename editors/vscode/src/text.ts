/** Texts: how they are shown without harm, and their lines. Knows neither plans nor the editor. */

// Controls but for tab and newline, soft hyphen, zero width, directions, odd line ends, tags.
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Returns a text of others for a place that renders markup: hidden characters are written out, links
 * (`[x](command:…)`) and icons (`$(x)`) are none any more.
 */
export function harmless(text: string): string {
  return visible(text).replaceAll('](', '] (').replaceAll('$(', '$ (');
}

/** Returns a text with hidden characters written out, for places that show text as it is. */
export function visible(text: string): string {
  return text.toWellFormed().replace(/\r\n/g, '\n')
    .replace(HIDDEN, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}

/** Returns a text on one line, cut. */
export function short(text: string, most = 100): string {
  const line = harmless(text.slice(0, most * 4)).replace(/\s+/g, ' ').trim();
  return line.length > most ? `${[...line].slice(0, most).join('')}…` : line;
}

/** Returns the lines of a text with their ends, as VS Code counts them: LF, CRLF and a lone CR end one. */
export function lines(text: string): string[] {
  return text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
}

/** Returns a text with other lines in it: from a line to the one behind the last, ascending and apart. */
export function spliced(text: string, changes: [from: number, to: number, text: string][]): string {
  const end = /\r\n|\r|\n/g;
  let line = 0;
  // Returns where a line begins; lines have to be asked for in order.
  const begin = (wanted: number): number => {
    while (line < wanted) {
      line = end.test(text) ? line + 1 : Infinity;
    }
    return line === Infinity ? text.length : end.lastIndex;
  };
  let at = 0;
  const parts = changes.flatMap(([from, to, now]) => {
    const same = text.slice(at, begin(from));
    at = begin(to);
    return [same, now];
  });
  return [...parts, text.slice(at)].join('');
}

export function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
