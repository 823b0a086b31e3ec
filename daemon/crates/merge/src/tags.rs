//! Tags of markup and of templates that stay open.
//!
//! ````text
//! <ul><li>{% if a %}</ul>      li: 1, {if: 1
//! ````
//!
//! Knows no grammar: scripts, styles and comments are skipped, and elements that are never closed.

use std::collections::BTreeMap;

/// The most characters of a tag.
const LONGEST: usize = 1_000;
/// Elements without an end tag.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements whose end tag may be left out.
const OPTIONAL: &[&str] =
    &["li", "p", "dt", "dd", "option", "tr", "td", "th", "thead", "tbody", "tfoot", "colgroup"];
/// Elements whose text holds no tags.
const RAW: &[&str] = &["script", "style"];
/// Tags of Jinja and its like that have an end tag.
const BLOCKS: &[&str] = &[
    "if",
    "for",
    "block",
    "macro",
    "call",
    "filter",
    "with",
    "autoescape",
    "raw",
    "trans",
    "blocktrans",
    "blocktranslate",
    "spaceless",
    "comment",
    "verbatim",
    "cache",
    "unless",
    "case",
    "capture",
    "form",
    "paginate",
    "ifchanged",
];

/// Returns how many tags of each name are open at the end of `text`, without those that balance. A negative number: more
/// are closed than opened.
#[must_use]
pub fn open_tags(text: &str) -> BTreeMap<String, i64> {
    let mut open = tags(text);
    open.retain(|name, count| *count != 0 && !may_stay_open(name));
    open
}

/// Counts the tags that open less those that close, by name.
pub(crate) fn tags(text: &str) -> BTreeMap<String, i64> {
    let mut open: BTreeMap<String, i64> = BTreeMap::new();
    let mut rest = text;
    // Raw elements without an end: what ends one is sought once.
    let mut endless: Vec<&str> = Vec::new();
    while let Some(at) = rest.find(['<', '{']) {
        let (before, tail) = rest.split_at(at);
        rest = match tag(tail, before) {
            Some(ReadTag { name, step, length }) => {
                let raw = if step > 0 { RAW.iter().find(|raw| **raw == name) } else { None };
                let behind = &tail[length..];
                if step != 0 {
                    *open.entry(name).or_default() += step;
                }
                match raw.filter(|raw| !endless.contains(raw)) {
                    Some(raw) => match behind.find(&format!("</{raw}")) {
                        Some(end) => &behind[end..],
                        None => {
                            endless.push(raw);
                            behind
                        }
                    },
                    None => behind,
                }
            }
            None => &tail[1..],
        };
    }
    open
}

/// Returns true if the end tag of the element may be left out.
pub(crate) fn may_stay_open(name: &str) -> bool {
    OPTIONAL.iter().any(|optional| optional.eq_ignore_ascii_case(name))
}

/// A tag: its name, 1 if it opens and -1 if it closes something, and its length in bytes.
struct ReadTag {
    name: String,
    step: i64,
    length: usize,
}

fn tag(text: &str, before: &str) -> Option<ReadTag> {
    if let Some(inner) = text.strip_prefix("<!--") {
        let end = inner.find("-->").map_or(inner.len(), |end| end + 3);
        return Some(ReadTag { name: String::new(), step: 0, length: 4 + end });
    }
    if text.starts_with('<') {
        return element(text);
    }
    template(text, before)
}

fn element(text: &str) -> Option<ReadTag> {
    let closes = text.starts_with("</");
    let start = if closes { 2 } else { 1 };
    let inner = &text[start..];
    if !inner.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let name = &inner[..inner.find(|c: char| !is_name(c)).unwrap_or(inner.len())];
    // The end is outside of quotes and of expressions.
    let (mut quote, mut depth, mut last) = (None, 0_usize, ' ');
    let end = inner.char_indices().skip(name.len()).take(LONGEST).find_map(|(at, c)| {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None => match c {
                '"' | '\'' if last == '=' || depth > 0 => quote = Some(c),
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                '>' if depth == 0 => return Some(Some((at, last))),
                // The next tag begins: this one is none.
                '<' if depth == 0 => return Some(None),
                _ => {}
            },
        }
        last = c;
        None
    });
    let (end, last) = end.flatten()?;
    let step = match (closes, last == '/') {
        (true, _) => -1,
        (false, true) => 0,
        (false, false) => 1,
    };
    let is_void = VOID.iter().any(|void| void.eq_ignore_ascii_case(name));
    Some(ReadTag { name: name.to_owned(), step: if is_void { 0 } else { step }, length: start + end + 1 })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.')
}

/// Reads a tag of a template: `{% if a %}`, `{{#if a}}`, `{#if a}`.
fn template(text: &str, before: &str) -> Option<ReadTag> {
    let word = |text: &str| -> String {
        text.trim_start_matches(['-', '+', ' ']).chars().take_while(|c| c.is_ascii_alphanumeric()).collect()
    };
    let tag = |name: &str, step: i64, end: &str| {
        // The end is looked for nearby alone, so that unclosed tags do not make reading quadratic.
        let near = text.char_indices().nth(LONGEST).map_or(text, |(at, _)| &text[..at]);
        let length = near.find(end).map_or(1, |at| at + end.len());
        Some(ReadTag { name: format!("{{{name}"), step, length })
    };
    if let Some(inner) = text.strip_prefix("{%") {
        let name = word(inner);
        if let Some(name) = name.strip_prefix("end").filter(|name| BLOCKS.contains(name)) {
            return tag(name, -1, "%}");
        }
        let step = i64::from(BLOCKS.contains(&name.as_str()));
        return tag(&name, step, "%}");
    }
    let marks = if text.starts_with("{{") { "{{" } else { "{" };
    let inner = &text[marks.len()..];
    let end = if marks == "{{" { "}}" } else { "}" };
    let step = match inner.bytes().next()? {
        b'#' => 1,
        b'/' if !inner.starts_with("//") && !inner.starts_with("/*") => -1,
        _ => return None,
    };
    let name = word(&inner[1..]);
    if name.is_empty() || marks == "{" && before.ends_with('$') {
        return None;
    }
    tag(&name, step, end)
}

#[cfg(test)]
mod tests {
    use super::open_tags;

    #[test]
    fn tags_that_stay_open() {
        for (text, expected) in [
            ("<div><p>a<br></div>", ""),
            ("<div class=\"a > b\" :x='1'><Tag/><a-b v-on:click=\"() => f()\" /></div>", ""),
            ("<div>\n<span>\n</div>\n", "span 1"),
            ("</div>", "div -1"),
            ("<script>if (a < b) x('<div>')</script><style>a > b {}</style>", ""),
            ("<!-- <div> --><b>it's</b>", ""),
            ("{% if a %}{% else %}{% endif %}{% for b in c %}", "{for 1"),
            ("{% set a = 1 %}{%- block x -%}{%- endblock -%}", ""),
            ("{#if a}{:else}{/if}{#each b as c}", "{each 1"),
            ("{{#if a}}{{/if}}{{/each}} {{ a }}", "{each -1"),
            ("<button on:click={() => a > b}>x</button>", ""),
            ("a < b and {c}", ""),
        ] {
            let open: Vec<String> =
                open_tags(text).iter().map(|(name, count)| format!("{name} {count}")).collect();
            assert_eq!(open.join(", "), expected, "{text}");
        }
    }

    #[test]
    fn what_never_ends_is_read_once() {
        for open in ["<a", "<script>", "{#if ", "{% if ", "<!--", "<a b='"] {
            assert!(open_tags(&open.repeat(3_000)).len() <= 1, "{open}");
        }
    }
}
