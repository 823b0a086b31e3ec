//! New text that says "the rest is as before" where the rest goes.

use std::collections::HashSet;
use std::path::Path;

use clada_dialects::{Elision, NamedLines, elision, may_be_elision, named_lines};
use clada_edit::changes;

use super::stripped::Stripped;
use super::{PROSE, extension};

/// Endings of languages in which dots alone on a line are never code.
const NEVER_DOTS: [&str; 24] = [
    "rs", "go", "java", "js", "jsx", "mjs", "cjs", "ts", "tsx", "cs", "kt", "kts", "swift", "php", "scala",
    "css", "scss", "less", "html", "vue", "svelte", "dart", "zig", "sql",
];

/// A line of a new text that stands for lines left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Elided {
    /// Its line in the new text, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
    /// The number of lines of the old text that go where it is.
    pub(crate) lost: usize,
    /// Nothing else can be meant; otherwise it only looks like it.
    pub(crate) is_certain: bool,
    /// It is words alone, about which a person can be asked.
    pub(crate) is_words: bool,
}

/// The first line that `new`, which takes the place of all of `old` in the file at `path`, elides: a certain
/// one, if there is one.
pub(crate) fn elided(old: &str, new: &str, path: &Path) -> Option<Elided> {
    let part = Stripped::new(old, new);
    let may_be = |line: &str| may_be_elision(line) || named_lines(line).is_some();
    if !part.new.iter().any(|line| elision(line).is_some() || may_be(line)) {
        return None;
    }
    let lines: Vec<&str> = new.lines().collect();
    let above = |at: usize| lines.get(..part.above + at).unwrap_or_default();
    let had: HashSet<&str> = old.lines().map(str::trim).collect();
    let stays: HashSet<&str> = part.new.iter().map(|line| line.trim()).collect();
    let ending = extension(path);
    let mut suspect = None;
    for change in changes(&part.old, &part.new) {
        let removed = &part.old[change.old.clone()];
        let lost = removed.iter().filter(|line| says_something(line) && !stays.contains(line.trim())).count();
        let reworded = removed.iter().all(|line| line.trim().is_empty() || is_comment(line));
        for at in change.new.clone() {
            let text = part.new[at].trim();
            let Some(kind) = elision(text) else {
                // A comment explains the code below it; this one has none of its own, where code goes.
                let explains = change.new.contains(&(at + 1)) && says_something(part.new[at + 1]);
                let explains = explains
                    && match named_lines(text) {
                        Some(NamedLines::Existing) => clada_dialects::explains(text, part.new[at + 1]),
                        Some(NamedLines::Unchanged) => !text.contains("()"),
                        None => true,
                    };
                let is_new = lost > 1 && !reworded && !explains && !had.contains(text);
                if is_new && may_be(text) && suspect.as_ref().is_none_or(|elided: &Elided| !elided.is_certain)
                {
                    let (line, text) = (part.above + at + 1, text.to_owned());
                    suspect = Some(Elided { line, text, lost, is_certain: true, is_words: true });
                }
                continue;
            };
            let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten();
            let mut beside = beside.map(|at| part.new.get(at).map_or("", |line| line.trim()));
            let is_certain = match kind {
                // A sample of a README leaves lines out.
                _ if PROSE.contains(&&*ending) && is_in_fence(above(at)) => false,
                Elision::Marked if PROSE.contains(&&*ending) => lost > 0 && !had.contains(text),
                Elision::Marked => !had.contains(text),
                Elision::Enclosed if PROSE.contains(&&*ending) && stands_between_dots(text) => {
                    !had.contains(text)
                }
                Elision::Phrase | Elision::Enclosed | Elision::CommentedDots => {
                    lost > 0 && !reworded && !had.contains(text)
                }
                Elision::Dots if NEVER_DOTS.contains(&&*ending) => !had.contains(text),
                // The body of a stub, unless the head is the old one and its body goes.
                Elision::Dots
                    if let Some(head) = head_above(above(at))
                        && ["py", "pyi"].contains(&&*ending) =>
                {
                    lost > 1 && had.contains(head) && !is_stub(above(at))
                }
                Elision::Dots if ending == "py" => lost > 0 && !had.contains(text),
                // In other languages they may be a statement.
                Elision::Dots => {
                    lost > 0
                        && !had.contains(text)
                        && beside.any(|line| line.is_empty() || had.contains(line))
                }
            };
            let is_words = kind == Elision::Phrase;
            let elided =
                Elided { line: part.above + at + 1, text: text.to_owned(), lost, is_certain, is_words };
            if is_certain {
                return Some(elided);
            }
            if kind == Elision::Phrase && !had.contains(text) && !points(text) {
                suspect = suspect.or(Some(elided));
            }
        }
    }
    suspect
}

/// The first comment that takes the place of two lines of code or more in `new`, all of the file at `path`, whatever it says.
pub(crate) fn comment_for_code(old: &str, new: &str, path: &Path) -> Option<String> {
    // Where a sign that begins a comment elsewhere begins code.
    const NUMBER_SIGNS: [&str; 10] = ["c", "h", "cc", "cpp", "hpp", "m", "cs", "css", "scss", "less"];
    let ending = extension(path);
    if PROSE.contains(&&*ending) {
        return None;
    }
    let is_remark = |line: &str| {
        let is_code = line.trim_start().starts_with('#') && NUMBER_SIGNS.contains(&&*ending);
        is_comment(line) && !is_code
    };
    let had: HashSet<&str> = old.lines().map(str::trim).collect();
    if !new.lines().any(|line| is_remark(line) && !had.contains(line.trim())) {
        return None;
    }
    let part = Stripped::new(old, new);
    let stays: HashSet<&str> = new.lines().map(str::trim).collect();
    changes(&part.old, &part.new).into_iter().find_map(|change| {
        let goes = |line: &&&str| says_something(line) && !is_remark(line) && !stays.contains(line.trim());
        let lost = part.old[change.old.clone()].iter().filter(goes).count();
        let mut lines =
            part.new[change.new.clone()].iter().map(|line| line.trim()).filter(|line| !line.is_empty());
        let first = lines.next().filter(|line| lost > 1 && is_remark(line) && !had.contains(line))?;
        lines.all(is_remark).then(|| first.to_owned())
    })
}

pub(crate) fn elided_in_new(new: &str, path: &Path) -> Option<Elided> {
    first_elided(new, path, |kind, _, _| kind == Elision::Marked)
}

/// The first line of `new`, what a chat shows of a new file at `path`, that stands for others. Dots alone count, unless
/// they are a statement: who explains code leaves out what is beside the point.
pub(crate) fn elided_in_listing(new: &str, path: &Path) -> Option<Elided> {
    if PROSE.contains(&&*extension(path)) {
        let lines: Vec<&str> = new.lines().collect();
        let is_elided = |line: &str| stands_between_dots(line) && elision(line) == Some(Elision::Enclosed);
        // A sample of a README leaves lines out.
        let at = (0..lines.len()).find(|at| is_elided(lines[*at]) && !is_in_fence(&lines[..*at]))?;
        let text = lines[at].trim().to_owned();
        return Some(Elided { line: at + 1, text, lost: 0, is_certain: false, is_words: false });
    }
    first_elided(new, path, |kind, line, ending| match kind {
        Elision::Marked | Elision::Enclosed | Elision::CommentedDots => true,
        // At the margin they end a document of YAML.
        Elision::Dots if ["yml", "yaml"].contains(&ending) => line.starts_with(' '),
        Elision::Dots => NEVER_DOTS.contains(&ending),
        Elision::Phrase => false,
    })
}

fn first_elided(new: &str, path: &Path, counts: impl Fn(Elision, &str, &str) -> bool) -> Option<Elided> {
    let ending = extension(path);
    if PROSE.contains(&&*ending) {
        return None;
    }
    let is_elided = |line: &str| {
        follows_dots(line)
            || elision(line).is_some_and(|kind| counts(kind, line, &ending))
            || body_comment(line)
                .and_then(elision)
                .is_some_and(|kind| kind != Elision::Phrase && counts(kind, line, &ending))
    };
    let (at, text) = new.lines().enumerate().find(|(_, line)| is_elided(line))?;
    Some(Elided { line: at + 1, text: text.trim().to_owned(), lost: 0, is_certain: false, is_words: false })
}

// Returns true if `line` is words between dots, with no sign of a comment: `...existing code...`.
fn stands_between_dots(line: &str) -> bool {
    const DOTS: [&str; 2] = ["...", "…"];
    let text = line.trim();
    let (begins, ends) =
        (DOTS.iter().any(|dots| text.starts_with(dots)), DOTS.iter().any(|dots| text.ends_with(dots)));
    begins && ends && says_something(text)
}

// Returns true if `line` is a comment that begins with dots, whatever words follow in whatever language: `// ... los demás`.
fn follows_dots(line: &str) -> bool {
    let text = line.trim_start();
    // `{...props}` spreads an object; `{...rest of the form}` leaves lines out.
    let spread = text
        .strip_prefix("{...")
        .filter(|rest| rest.contains('}'))
        .and_then(|rest| rest.split(['}', '(']).next());
    if spread.is_some_and(|name| name.starts_with(char::is_alphabetic) && !name.contains(char::is_whitespace))
    {
        return false;
    }
    let remark = text.trim_start_matches(['/', '#', '*', '-', '<', '!', ';', '%', '{']).trim_start();
    remark.len() < text.len() && (remark.starts_with("...") || remark.starts_with('…'))
}

/// The comment that is all of the body in a line: `load() { /* ... */ }`.
fn body_comment(line: &str) -> Option<&str> {
    let (_, inner) = line.rsplit_once("{ /*").map(|(head, _)| line.split_at(head.len() + 2))?;
    inner.trim_end_matches([';', ',']).trim_end().strip_suffix('}').map(str::trim)
}

/// The line right above that opens a body, as Python has it, if it is one.
fn head_above<'t>(above: &[&'t str]) -> Option<&'t str> {
    let head = above.last()?.trim();
    head.split('#').next()?.trim_end().ends_with(':').then_some(head)
}

/// Returns true if the definition at the end of these lines is one without a body: abstract, or an overload.
fn is_stub(above: &[&str]) -> bool {
    let decorators = above.iter().rev().skip(1).take_while(|line| line.trim_start().starts_with('@'));
    decorators.into_iter().any(|line| line.contains("abstract") || line.contains("overload"))
}

/// Returns true if these lines of prose end within a fence.
fn is_in_fence(above: &[&str]) -> bool {
    let fences = above
        .iter()
        .filter(|line| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~"));
    fences.count() % 2 == 1
}

fn says_something(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    ["//", "#", "/*", "--", "<!--", ";", "%", "*"].iter().any(|sign| line.starts_with(sign))
}

/// Returns true if a phrase points to another place of the text, as `same as above` does in a table of cases.
fn points(text: &str) -> bool {
    text.to_ascii_lowercase().contains("same as")
}
