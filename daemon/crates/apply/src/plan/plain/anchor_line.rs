//! The line of a file that words mean: "after `load`", "below `.card`", "before `app.listen(...)`".
//!
//! Pure. A text that the file has twice is none, unless the words name the definition around it.

use super::heads::lines_defining;
use super::plain_edit::indent_of;
use super::words::code_spans;

// Returns true if `content` shows the line of `anchor` itself: then its own lines say where the others go.
pub(super) fn shows_anchor(content: &str, anchor: &str) -> bool {
    let anchor = anchor.trim_end_matches("()");
    let is_text = !anchor.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_text && content.lines().any(|line| line.contains(anchor.trim()))
        || content
            .lines()
            .any(|line| sets(line, anchor) || !lines_defining(line.trim(), "x", anchor).is_empty())
}

// The line of a file that an anchor means.
pub(super) struct AnchorLine {
    pub(super) at: usize,
    // False if it alone defines the anchor, or has its text.
    pub(super) is_guess: bool,
}

// Returns the one line of `file` that `anchor` means: what defines it, or is it, or sets it, or has it. `words` may name the
// definition around it. Else the reason.
pub(super) fn line_of(file: &str, path: &str, anchor: &str, words: &str) -> Result<AnchorLine, String> {
    let anchor = anchor.trim();
    let lines: Vec<&str> = file.lines().collect();
    let name = anchor.trim_end_matches("()");
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let (begin, end) = anchor.split_once("...").or_else(|| anchor.split_once('…')).unwrap_or((anchor, ""));
    let is_cut = begin.len() + end.len() < anchor.len();
    let has = |line: &str| match is_cut {
        true => !begin.trim().is_empty() && line.trim_start().starts_with(begin.trim_end()),
        false => has_word(line, anchor),
    };
    let is_it = |line: &str| line.trim().trim_end_matches(['{', ':', ';', ',', '(']).trim_end() == anchor;
    let all = |is_of: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..lines.len()).filter(|at| is_of(lines[*at])).collect()
    };
    let defining = if is_name { lines_defining(file, path, name) } else { Vec::new() };
    let readings = match (is_name, defining.is_empty()) {
        (true, false) => vec![(defining, false)],
        (true, true) => {
            vec![(all(&|line| sets(line, name)), true), (all(&|line| has_word(line, name)), true)]
        }
        _ => vec![(all(&is_it), false), (all(&has), is_cut)],
    };
    // The nearest reading first: what it is, and not what only has it.
    let mut count = 0;
    for (places, is_guess) in readings {
        if let [at] = places[..] {
            return Ok(AnchorLine { at, is_guess });
        }
        let within: Vec<usize> =
            places.iter().copied().filter(|at| is_within_named(file, path, *at, name, words)).collect();
        if let [at] = within[..] {
            return Ok(AnchorLine { at, is_guess: true });
        }
        count = count.max(places.len());
    }
    Err(match count {
        0 => format!("`{anchor}` is not in the file"),
        count => format!("`{anchor}` is in {count} lines of the file"),
    })
}

// Returns true if `line` has `text`, and not as a part of a longer word.
pub(super) fn has_word(line: &str, text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    line.match_indices(text).any(|(at, _)| {
        let goes_on = |inside: Option<char>, outside: Option<char>| {
            inside.is_some_and(is_word) && outside.is_some_and(is_word)
        };
        let (before, behind) = (line[..at].chars().next_back(), line[at + text.len()..].chars().next());
        !goes_on(text.chars().next(), before) && !goes_on(text.chars().next_back(), behind)
    })
}

// Returns true if `line` says something of `name` first: `name: int`, `hits INTEGER,`, `"name": 1`, `$table->string('name')`.
pub(super) fn sets(line: &str, name: &str) -> bool {
    let text = line.trim_start().trim_start_matches(['"', '\'', '`', '-', ' ', '$', '@', ':']);
    let rest = text.strip_prefix(name);
    let is_first = rest.is_some_and(|rest| {
        rest.trim_start_matches(['"', '\'', '`', '?', '!']).starts_with([' ', ':', '=', '(', ','])
    });
    let quoted = line.split(['"', '\'']).nth(1).is_some_and(|first| first == name);
    let is_comment = ["//", "#", "--", "*"].iter().any(|sign| line.trim_start().starts_with(sign));
    !is_comment && (is_first || quoted || field_name(line) == Some(name))
}

// Returns the name of the variable that `line` declares behind its type: `private LocalDate until;`.
pub(super) fn field_name(line: &str) -> Option<&str> {
    const STATEMENTS: [&str; 7] = ["return", "throw", "new", "delete", "await", "yield", "goto"];
    let text = line.trim().strip_suffix(';')?;
    let before = text.split('=').next().unwrap_or_default();
    let mut words = before.split_whitespace();
    let is_statement = words.next().is_none_or(|first| STATEMENTS.contains(&first));
    words.next_back().filter(|_| !is_statement && !before.contains(['(', '.', '\n']))
}

// Returns true if the line `at` of `file` is inside a definition other than `name` that `words` name in code.
pub(super) fn is_within_named(file: &str, path: &str, at: usize, name: &str, words: &str) -> bool {
    let lines: Vec<&str> = file.lines().collect();
    let spans = code_spans(words).map(|span| span.trim_end_matches("()"));
    spans.filter(|span| *span != name).any(|span| {
        lines_defining(file, path, span).into_iter().any(|head| (head..block_end(&lines, head)).contains(&at))
    })
}

// Returns true if `line` declares a function, called `name` if one is given, without a body: `Task Save(int id);`.
pub(super) fn is_prototype(line: &str, name: Option<&str>) -> bool {
    let text = line.trim();
    let Some((before, _)) = text.split_once('(') else { return false };
    let words: Vec<&str> = before.split_whitespace().collect();
    let own = words.last().map(|word| word.trim_start_matches(['*', '&']));
    let is_type = |word: &&str| word.chars().all(|c| c.is_alphanumeric() || "_<>[]?,*&:".contains(c));
    let is_statement = words
        .first()
        .is_some_and(|first| ["return", "await", "throw", "new", "yield", "else"].contains(first));
    text.ends_with(';')
        && !text.contains('\n')
        && words.len() > 1
        && words.iter().all(is_type)
        && !is_statement
        && name.is_none_or(|name| own == Some(name.trim_end_matches("()")))
}

// Returns the first of the comments, decorators and attributes right above the line `at`, or `at`.
pub(super) fn first_attached(lines: &[&str], at: usize) -> usize {
    const SIGNS: [&str; 8] = ["//", "#", "--", "/*", "*", "@", "[", "\"\"\""];
    let is_attached = |line: &&&str| SIGNS.iter().any(|sign| line.trim_start().starts_with(sign));
    at - lines[..at].iter().rev().take_while(is_attached).count()
}

// Returns true if `line` of code, as deep as the head of its block, goes on with it: the brace `next` to the head, `) -> int:`,
// `} else {`, `rescue`.
pub(super) fn goes_on(line: &str, is_next: bool) -> bool {
    const CLAUSES: [&str; 8] = ["else", "elif", "elsif", "except", "finally", "rescue", "ensure", "catch"];
    let first = line.trim_start_matches(['}', ' ']);
    let word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    is_next && line == "{"
        || line.starts_with([')', ']']) && line.ends_with(['{', ':'])
        || CLAUSES.contains(&word)
}

// Returns the line behind the block that the line `at` begins: what is deeper, and what closes it.
pub(super) fn block_end(lines: &[&str], at: usize) -> usize {
    let width = |line: &str| indent_of(line).len();
    let own = width(lines[at]);
    let mut end = at + 1;
    for (index, line) in lines.iter().enumerate().skip(at + 1) {
        if line.trim().is_empty() {
            continue;
        }
        if width(line) == own && goes_on(line.trim(), index == at + 1) {
            end = index + 1;
            continue;
        }
        let closes = width(line) == own && line.trim_start().starts_with(['}', ')', ']']) || {
            let text = line.trim();
            width(line) == own && (text == "end" || text.starts_with("</"))
        };
        if width(line) > own || closes && end > at + 1 || closes && index == at + 1 {
            end = index + 1;
            if closes {
                break;
            }
        } else {
            break;
        }
    }
    end
}
