//! Undoes what copying does to code, where the file says so, and names it where nothing does.
//!
//! ````text
//! answer                file              becomes
//! 4 | x = 2             x = 1             x = 2, without the number
//! all:                  all:              a tab before `cc`
//!     cc a.c            ⇥cc b.c
//! x = “a”               x = 'b'           a notice: no language has such quotes
//! ````
//!
//! Pure.

use std::collections::HashSet;
use std::path::Path;

use crate::plan::guard::{extension, is_makefile};

/// Languages of fences whose lines may begin with numbers or signs.
const DATA: &[&str] = &["", "text", "txt", "markdown", "md", "csv", "tsv", "diff", "patch"];
/// Extensions of files for readers, or of data, in which any sign may stand anywhere.
const PROSE: &[&str] = &[
    "md", "mdx", "markdown", "rst", "txt", "adoc", "tex", "csv", "tsv", "log", "po", "srt", "diff", "patch",
];
/// Extensions of files that mix text with code.
const MARKUP: &[&str] = &[
    "html", "htm", "xhtml", "vue", "svelte", "astro", "xml", "svg", "hbs", "jinja", "jinja2", "j2", "njk",
    "twig", "liquid", "jsx", "tsx", "erb", "php", "ejs",
];
/// Signs between a line's number and the line.
const SEPARATORS: &[&str] =
    &["  ", "\t", "→", " | ", "| ", " |", "|", "│ ", " │ ", ": ", ":", ". ", ") ", " "];

/// Returns `content`, which is for the file at `path`, as it was before it was copied: without numbers or signs before
/// all of its lines, with the tabs of the file. `language` is that of its fence, `old` the text of the file if it
/// exists, `words` those above it.
pub(super) fn restored(
    content: String,
    path: &str,
    language: &str,
    old: Option<&str>,
    words: &str,
) -> String {
    let content = match old {
        Some(old) if !is_prose(path) => with_signs_of(old, content),
        _ => content,
    };
    let content = without_margin(language, content, old);
    let content = if is_of_patterns(path) { without_remarks(&content) } else { content };
    let is_about_blanks = ["space", "tab", "indent"].iter().any(|word| words.to_lowercase().contains(word));
    if is_about_blanks { content } else { with_tabs(&content, path, old).unwrap_or(content) }
}

// Returns true if any sign may stand anywhere in the file at `path`, which is for readers, or data.
pub(super) fn is_prose(path: &str) -> bool {
    PROSE.contains(&&*extension(Path::new(path)))
}

// Returns true if lines of the file at `path` may begin with a dash.
pub(super) fn has_dashes(path: &str) -> bool {
    is_prose(path) || matches!(&*extension(Path::new(path)), "yml" | "yaml")
}

// Returns true if the file at `path` has a pattern in each line, and remarks in lines of their own alone.
fn is_of_patterns(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with('.') && name.ends_with("ignore")
}

// Returns `patterns` without the remarks behind them, with which none of them would match.
fn without_remarks(patterns: &str) -> String {
    let line = |line: &str| {
        let end =
            [" #", "\t#"].iter().filter_map(|sign| line.find(sign)).min().filter(|_| !line.starts_with('#'));
        format!("{}\n", end.map_or(line, |end| line[..end].trim_end()))
    };
    patterns.lines().map(line).collect()
}

// Returns `text` with the signs of code in the place of those that mail, a chat or a page put there, if the file `old` shows
// that it is code: it has none of the others, and in quotes and escapes all of `text` was changed alike.
fn with_signs_of(old: &str, mut text: String) -> String {
    const ESCAPES: [(&str, &str); 6] =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    // Fast path: what is typed has none of them.
    if text.is_ascii() && !text.contains('&') {
        return text;
    }
    let own: HashSet<&str> = old.lines().map(str::trim).collect();
    let escaped = ESCAPES.iter().any(|(escape, _)| text.contains(escape));
    if escaped && !text.contains(['<', '>']) {
        let plain = ESCAPES.iter().fold(text.clone(), |text, (escape, sign)| text.replace(escape, sign));
        let proves = |(line, plain): (&str, &str)| line != plain && own.contains(plain.trim());
        if text.lines().zip(plain.lines()).any(proves) {
            text = plain;
        }
    }
    let curly = ['“', '”', '‘', '’'];
    if text.contains(curly)
        && !old.contains(curly)
        && !text.contains(['"', '\''])
        && !quoted_lines(&text, false).is_empty()
    {
        text = text.replace(['“', '”'], "\"").replace(['‘', '’'], "'");
    }
    text
}

/// Returns `new`, all of a file, with the line end at its end that `old` has or has not: a fence cannot show it.
pub(super) fn with_end_of(old: &str, mut new: String) -> String {
    let has_end = |text: &str| text.ends_with(['\n', '\r']);
    if !old.is_empty() && !has_end(old) {
        new.truncate(new.trim_end_matches(['\n', '\r']).len());
    } else if has_end(old) && !new.is_empty() && !has_end(&new) {
        new.push('\n');
    }
    new
}

fn without_margin(language: &str, text: String, old: Option<&str>) -> String {
    if DATA.contains(&language) {
        return text;
    }
    let own: Option<HashSet<&str>> = old.map(|old| old.lines().map(str::trim).collect());
    let is_own = |line: &str| own.as_ref().is_some_and(|own| own.contains(line.trim()));
    if text.lines().any(|line| !line.trim().is_empty() && is_own(line)) {
        return text;
    }
    if let Some(plain) = without_numbers(&text, old.is_none())
        && (old.is_none() || plain.lines().any(|line| line.trim().len() > 3 && is_own(line)))
    {
        return plain;
    }
    let signed = |line: &str| line.strip_prefix('+').map(|line| format!("{line}\n"));
    let unsigned = || text.lines().map(signed).collect::<Option<String>>();
    let plain = if old.is_none() && text.lines().count() > 1 { unsigned() } else { None };
    plain.unwrap_or(text)
}

/// Returns `text` without the numbers that count its lines, from 1 on if it `begins_at_one`.
fn without_numbers(text: &str, begins_at_one: bool) -> Option<String> {
    let number = |line: &str| -> Option<usize> {
        let line = line.trim_start();
        line[..line.bytes().take_while(u8::is_ascii_digit).count()].parse().ok()
    };
    let first = number(text.lines().find(|line| !line.trim().is_empty())?)?;
    if begins_at_one && first != 1 || text.lines().count() < 2 {
        return None;
    }
    let of_separator = |separator: &&str| {
        let mut next = first;
        let line = |line: &str| {
            if line.trim().is_empty() {
                // The blank line may have been counted or not.
                next += 1;
                return Some("\n".to_owned());
            }
            let shown = number(line).filter(|shown| (next.saturating_sub(1)..=next).contains(shown))?;
            next = shown + 1;
            let rest = line.trim_start().strip_prefix(&*shown.to_string())?;
            match rest.strip_prefix(*separator) {
                Some(rest) => Some(format!("{rest}\n")),
                None => {
                    rest.trim_matches([' ', '|', '│', ':', '→', '.', ')']).is_empty().then(|| "\n".to_owned())
                }
            }
        };
        text.lines().map(line).collect::<Option<String>>()
    };
    SEPARATORS.iter().find_map(of_separator).filter(|text| !text.trim().is_empty())
}

/// Returns `content` with tabs, if spaces took the place of those of the file.
fn with_tabs(content: &str, path: &str, old: Option<&str>) -> Option<String> {
    let indented = |text: &str, sign: &str| text.lines().any(|line| line.starts_with(sign));
    if indented(content, "\t") || !indented(content, "  ") {
        return None;
    }
    let is_make = is_makefile(Path::new(path));
    let has_tabs = old.is_some_and(|old| indented(old, "\t") && (is_make || !indented(old, "  ")));
    if !(has_tabs || is_make && old.is_none()) || content.contains(".RECIPEPREFIX") {
        return None;
    }
    let width = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let least = content.lines().map(width).filter(|width| *width > 1).min();
    let step = least.filter(|step| matches!(step, 2 | 4 | 8)).unwrap_or(4);
    let (mut in_rule, mut is_recipe, mut continues) = (false, false, false);
    let line = |line: &str| {
        let text = line.trim_start_matches(' ');
        let spaces = width(line);
        if is_make && spaces == 0 && !continues && !text.trim().is_empty() {
            in_rule = is_rule(text) || in_rule && text.starts_with('#');
        }
        // What continues a line is of its kind.
        is_recipe = if continues { is_recipe } else { in_rule && spaces > 1 };
        continues = text.ends_with('\\');
        match is_make {
            _ if text.trim().is_empty() => format!("{line}\n"),
            true if is_recipe => format!("\t{}{text}\n", " ".repeat(spaces.saturating_sub(step))),
            true => format!("{line}\n"),
            false => format!("{}{}{text}\n", "\t".repeat(spaces / step), " ".repeat(spaces % step)),
        }
    };
    Some(content.lines().map(line).collect())
}

/// Returns true if `line`, of a makefile, names targets and what they need.
fn is_rule(line: &str) -> bool {
    let head = line.split('#').next().unwrap_or_default();
    head.find(':')
        .is_some_and(|at| !head[..at].contains('=') && !head[at..].trim_start_matches(':').starts_with('='))
}

/// Returns what no program means in a line that `new` has and `old` has not: words without a full stop.
pub(super) fn foreign_sign(old: &str, new: &str, path: &str) -> Option<String> {
    if is_prose(path) {
        return None;
    }
    let extension = extension(Path::new(path));
    let own: HashSet<&str> = old.lines().map(str::trim).collect();
    let added = |line: &str| !own.contains(line.trim());
    // There a number before a colon or a bar may be meant.
    let is_data = matches!(&*extension, "yml" | "yaml" | "s" | "asm" | "bas");
    if !is_data
        && !old.lines().any(is_numbered)
        && let Some(line) = new.lines().find(|line| is_numbered(line) && added(line))
    {
        return Some(format!("the code has line numbers: `{}`", shown(line)));
    }
    if let Some(line) = sign_left(old, new, path) {
        return Some(format!("the code has the signs of a diff: `{}`", shown(line)));
    }
    let escapes = ["=&gt;", "-&gt;", "&amp;&amp;", "(&quot;", "=&quot;"];
    let is_escaped = |line: &&str| {
        let at = escapes.iter().filter_map(|escape| line.find(escape)).min();
        at.is_some_and(|at| !line[..at].contains(['"', '\'', '`'])) && added(line)
    };
    if !escapes.iter().any(|escape| old.contains(escape))
        && let Some(line) = new.lines().find(is_escaped)
    {
        return Some(format!("the code has the escapes of a page: `{}`", shown(line)));
    }
    if old.contains(['“', '”', '‘']) || !new.contains(['“', '”', '‘', '’']) {
        return None;
    }
    let is_markup = MARKUP.contains(&&*extension);
    let line = quoted_lines(new, is_markup).into_iter().find(|line| added(line))?;
    Some(format!("the code has typographic quotes: `{}`", shown(line)))
}

// Returns the first line of `new`, for the file at `path`, that is a sign and what it shows, if `old` has no such lines.
fn sign_left<'n>(old: &str, new: &'n str, path: &str) -> Option<&'n str> {
    let has_dashes = has_dashes(path);
    let is_left = |line: &&str| {
        let goes = |rest: &str| rest.starts_with("  ") || rest.starts_with('\t');
        line.strip_prefix('+').is_some_and(|rest| rest.starts_with([' ', '\t']))
            || !has_dashes && line.strip_prefix('-').is_some_and(goes)
    };
    if is_makefile(Path::new(path)) || old.lines().any(|line| is_left(&line)) {
        return None;
    }
    new.lines().find(is_left)
}

fn shown(line: &str) -> String {
    line.trim().chars().take(60).collect()
}

/// Returns true if `line` begins with a number and a sign that no language has there.
fn is_numbered(line: &str) -> bool {
    let text = line.trim_start();
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let separates = rest.starts_with('│')
        || rest.starts_with('→')
        || rest == "|"
        || rest.starts_with("| ")
        || rest.starts_with(" | ") && !rest.contains("=>") && !rest.contains("->")
        || rest.starts_with('\t')
        || rest.starts_with(": ") && line.len() == text.len();
    rest.len() < text.len() && separates
}

/// Returns the lines of `text` in which a typographic quote begins a string, outside of strings and comments. In
/// markup only values of attributes are strings.
fn quoted_lines(text: &str, is_markup: bool) -> Vec<&str> {
    const COMMENTS: [&str; 5] = ["//", "# ", "-- ", "/*", "<!--"];
    const WORDS: [&str; 8] = ["return", "print", "echo", "case", "import", "from", "throw", "raise"];
    let (mut long, mut quoted) = (None::<&str>, Vec::new());
    for line in text.lines() {
        let (mut quote, mut at) = (None, 0);
        // A quotation mark in a comment is prose: only one that takes the place of a string's is a copying fault.
        if long.is_none() && line.trim_start().starts_with(['*', '#', ';', '%']) {
            continue;
        }
        while let Some(c) = line[at..].chars().next() {
            let rest = &line[at..];
            let mark = ["\"\"\"", "'''", "`"].into_iter().find(|mark| rest.starts_with(mark));
            match (long, quote) {
                (Some(open), _) => {
                    if rest.starts_with(open) {
                        long = None;
                        at += open.len();
                        continue;
                    }
                }
                (None, Some(open)) => {
                    if c == '\\' {
                        at += c.len_utf8();
                        at += line[at..].chars().next().map_or(0, char::len_utf8);
                        continue;
                    }
                    if c == open {
                        quote = None;
                    }
                }
                (None, None) if mark.is_some() => {
                    long = mark;
                    at += mark.map_or(1, str::len);
                    continue;
                }
                (None, None) if COMMENTS.iter().any(|sign| rest.starts_with(sign)) => break,
                (None, None) if matches!(c, '"' | '\'') && !is_markup => quote = Some(c),
                (None, None) if matches!(c, '“' | '”' | '‘' | '’') => {
                    let before = if is_markup { &line[..at] } else { line[..at].trim_end() };
                    let opens: &[char] = if is_markup {
                        &['=']
                    } else {
                        &['=', '(', '[', '{', ',', ':', '+', '?', '&', '|', '!']
                    };
                    let is_word = !is_markup && WORDS.iter().any(|word| before.trim_start() == *word);
                    if before.ends_with(opens) || is_word || !is_markup && before.is_empty() {
                        quoted.push(line);
                        break;
                    }
                }
                (None, None) => {}
            }
            at += c.len_utf8();
        }
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_copying_does_is_undone() {
        let js = "const a = 1;\n\nfunction go() {\n  return a;\n}\n";
        for (content, expected) in [
            ("1: const a = 2;\n2: \n3: function go() {\n", "const a = 2;\n\nfunction go() {\n"),
            (" 3 | function go() {\n 4 |   return b;\n", "function go() {\n  return b;\n"),
            ("3\tfunction go() {\n4\t  return b;\n", "function go() {\n  return b;\n"),
            ("3 function go() {\n4   return b;\n", "function go() {\n  return b;\n"),
            // A chat, mail or page changed its signs.
            ("function go() {\n  return b[“c”] + ‘d’;\n", "function go() {\n  return b[\"c\"] + 'd';\n"),
            ("function go() {\n  return b[“c”] + 'd';\n", "function go() {\n  return b[“c”] + 'd';\n"),
            (
                "const a = 1;\n\nfunction go() {\n  return a &lt; 2 &amp;&amp; 1;\n",
                "const a = 1;\n\nfunction go() {\n  return a &lt; 2 &amp;&amp; 1;\n",
            ),
            // Nothing of it is in the file.
            ("1: 'one',\n2: 'two',\n", "1: 'one',\n2: 'two',\n"),
            ("3: function go() {\n9:   return b;\n", "3: function go() {\n9:   return b;\n"),
        ] {
            assert_eq!(restored(content.to_owned(), "a.js", "js", Some(js), ""), expected, "{content}");
        }
        let tsx = "f(a => a);\ng();\n";
        let copied = "f(a =&gt; a);\nreturn a &lt; 2 &amp;&amp; &quot;x&quot;;\n".to_owned();
        let plain = "f(a => a);\nreturn a < 2 && \"x\";\n";
        assert_eq!(restored(copied, "a.tsx", "tsx", Some(tsx), ""), plain);
        let make = "CC = gcc\n\nall: a.c \\\n    b.c\n\tcc a.c\n";
        let copied = "CC = gcc\nFLAGS = a \\\n    b\n\nall: a.c \\\n    b.c\n    cc -O a.c \\\n      b.c\n\nx:\n    y\n";
        let expected =
            "CC = gcc\nFLAGS = a \\\n    b\n\nall: a.c \\\n    b.c\n\tcc -O a.c \\\n\t  b.c\n\nx:\n\ty\n";
        for old in [Some(make), None] {
            assert_eq!(restored(copied.to_owned(), "Makefile", "makefile", old, ""), expected, "{old:?}");
        }
        let go = "func a() {\n\tb()\n}\n";
        let copied = "func a() {\n    if c {\n        b()\n    }\n}\n";
        let tabbed = "func a() {\n\tif c {\n\t\tb()\n\t}\n}\n";
        assert_eq!(restored(copied.to_owned(), "a.go", "go", Some(go), "Here it is:"), tabbed);
        assert_eq!(restored(copied.to_owned(), "a.go", "go", Some(go), "With 4 spaces:"), copied);
        assert_eq!(restored(copied.to_owned(), "a.go", "go", None, ""), copied);
    }

    #[test]
    fn what_no_language_has_is_named() {
        for (path, line, expected) in [
            ("a.py", "x = “a”", true),
            ("a.py", "print(‘a’)", true),
            ("a.py", "return “a”", true),
            ("a.py", "x = 'say “a”'", false),
            ("a.py", "# x = “a”", false),
            ("a.py", "x = \"\"\"\nsay: “a”\n\"\"\"", false),
            ("a.md", "x = “a”", false),
            ("a.tsx", "<p>Say: “a”</p>", false),
            ("a.html", "<p class=“a”>", true),
            ("a.json", "{“a”: 1}", true),
            ("a.js", "x(a =&gt; a)", true),
            ("a.js", "x('=&gt;')", false),
            ("a.js", "4 | x()", true),
            ("a.js", "4: x()", true),
            ("a.js", "  4: 'x',", false),
            ("a.rs", "    0 | 1 => x,", false),
            ("a.yml", "4: x", false),
        ] {
            assert_eq!(foreign_sign("b\n", &format!("{line}\n"), path).is_some(), expected, "{path} {line}");
        }
        assert_eq!(foreign_sign("y = “b”\n", "x = “a”\n", "a.py"), None);
    }
}
