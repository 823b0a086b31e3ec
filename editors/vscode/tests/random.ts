/** Random documents with answers that change them, the same in every run: for the mock of the editor, and the real one. */

/** Random numbers that are the same in every run. */
export function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

/** A block of the dialect SHAM. */
export function block(id: string, values: Record<string, string>): string {
  const quoted = Object.entries(values).map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`);
  return `#!SHAM [@three-char-SHA-256: ${id}]\n${quoted.join('')}#!END_SHAM_${id}\n`;
}

/** 20 documents and an answer for most of them: line ends, marks, no final newline, astral characters, tabs. */
export function documents(number: (below: number) => number): { files: Record<string, string>; answer: string } {
  const files: Record<string, string> = {};
  const blocks: string[] = [];
  for (let index = 0; index < 20; index += 1) {
    const ends = [['\n'], ['\r\n'], ['\n', '\r\n'], ['\r'], ['\n', '\r', '\r\n']][number(8)] ?? ['\n'];
    const words = ['x', 'é', '😀', '\tt', 'long line', ''];
    const text = Array.from({ length: 2 + number(12) }, (_, at) => `${at} ${words[number(words.length)]}${ends[number(ends.length)]}`).join('');
    const path = `f${index}.txt`;
    files[path] = (number(5) ? '' : '\ufeff') + text + (number(3) ? '' : 'last');
    const line = text.split(/\r\n|\r|\n/)[number(4)];
    if (line?.trim()) {
      const next = ['new', '😀 astral\nand\tmore', `${line}\nafter`, ''][number(4)]!;
      blocks.push(block(`a${String(index).padStart(2, '0')}`, { action: 'file_replace_text', path, old_text: line, new_text: next }));
    }
  }
  return { files, answer: blocks.join('') };
}
