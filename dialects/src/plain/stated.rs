//! Replacements that a sentence states in full, in answers that show no code: "In `p`, change `a` to `b`".
//!
//! ````text
//! 1. In `deploy.yaml`, change `replicas: 2` to `replicas: 3`.
//! | `deploy.yaml` | `replicas: 2` | `replicas: 3` |
//! ````

use std::collections::VecDeque;

use super::placed::{Span, is_text};
use super::{Candidate, Form, Group, Place, naming, words};
use crate::cursor::Line;

/// The most sentences that count.
const MOST: usize = 100;
/// Lines after which a file that was named is no longer meant.
const NEAR: u32 = 6;
/// The most bytes of a sentence.
const SENTENCE: usize = 600;
/// The most bytes of the words between the two texts.
const BETWEEN: usize = 40;

/// The sentences so far that state a replacement.
#[derive(Debug, Default)]
pub(super) struct Stated<'a> {
    found: Vec<Candidate>,
    /// The last lines with code in them, the nearest last: one may name the file.
    near: VecDeque<Line<'a>>,
    // Lines that name a file and ask for a change that they do not give in full, with the file.
    words: Vec<(u32, String)>,
}

impl<'a> Stated<'a> {
    /// Reads a line of prose with code in it, with its code spans if it may state something.
    pub(super) fn line(&mut self, line: Line<'a>, spans: Option<&[Span<'_>]>) {
        if self.found.len() >= MOST || line.text.len() > SENTENCE {
            return;
        }
        self.near.push_back(line);
        while self.near.front().is_some_and(|other| other.number + NEAR < line.number) {
            self.near.pop_front();
        }
        let Some(spans) = spans else { return };
        let Some((form, new)) = statement(line.text, spans) else { return self.asks_in_words(line) };
        let Some(group) = self.near.iter().rev().find_map(named) else { return };
        self.found.push(Candidate {
            content: new,
            words: super::reader::cut(line.text.trim()).to_owned(),
            ..Candidate::of(line.number..line.number.saturating_add(1), form, group)
        });
    }

    // A line that removes, adds or replaces something of a file that it names.
    fn asks_in_words(&mut self, line: Line<'a>) {
        if self.words.len() < MOST
            && !words::is_doubtful(line.text)
            && words::asks_for_change(line.text)
            && let Some(group) = named(&line)
            && let Some(path) = group.sure_path()
        {
            self.words.push((line.number, path.to_owned()));
        }
    }

    /// What is stated in full, and the lines that ask for a change in words alone, in document order.
    pub(super) fn finish(self) -> (Vec<Candidate>, Vec<(u32, String)>) {
        (self.found, self.words)
    }
}

fn named(line: &Line<'_>) -> Option<Group> {
    naming::group(line, Place::Label, "", false).filter(|group| group.sure_path().is_some())
}

// What `line` asks for in full, with the new text.
fn statement(line: &str, spans: &[Span<'_>]) -> Option<(Form, String)> {
    if let Some((old, new)) = replacement(line, spans) {
        return Some((Form::Replacement { old: old.to_owned() }, new.to_owned()));
    }
    if let Some(old) = removal(spans) {
        return Some((Form::Replacement { old: format!("{old}\n") }, String::new()));
    }
    let (text, anchor, after) = insertion(spans)?;
    Some((Form::Beside { anchor: anchor.to_owned(), after }, format!("{text}\n")))
}

// The text that `line` asks to remove: all of a line of the file.
fn removal<'t>(spans: &[Span<'t>]) -> Option<&'t str> {
    let [(before, old, _)] = *spans else { return None };
    (is_text(old) && words::removes_text(before) && !words::is_doubtful(before)).then_some(old)
}

// The text that `line` asks to add, the text that it goes beside, and whether it goes after that.
fn insertion<'t>(spans: &[Span<'t>]) -> Option<(&'t str, &'t str, bool)> {
    let [(before, text, _), (up_to, anchor, behind)] = *spans else { return None };
    let asks = words::adds(before) && !words::is_doubtful(before) && is_text(text) && is_text(anchor);
    let between =
        up_to.get(before.len() + text.len() + 2..).filter(|between| asks && between.len() <= BETWEEN)?;
    Some((text, anchor, words::beside(between, behind)?))
}

/// The old and the new text, if `line` asks to replace the one with the other.
fn replacement<'t>(line: &str, spans: &[Span<'t>]) -> Option<(&'t str, &'t str)> {
    if line.trim_start().starts_with('|') {
        let [(_, old, _), (_, new, _)] = *spans else { return None };
        return Some((old, new));
    }
    spans.windows(2).find_map(|pair| {
        let [(before, old, _), (up_to, new, after)] = pair else { return None };
        let between = up_to.get(before.len() + old.len() + 2..).filter(|between| between.len() <= BETWEEN)?;
        let asks = words::replaces(before, between)
            || words::replaces_it(between)
            || words::replaces_east(before, between, after);
        (asks && !words::is_doubtful(before)).then_some((*old, *new))
    })
}

#[cfg(test)]
mod tests {
    use super::{insertion, removal, replacement};
    use crate::plain::placed::spans;

    #[test]
    fn sentences_that_state_a_replacement() {
        for (line, expected) in [
            ("In `a.yaml`, change `port: 80` to `port: 81`.", Some(("port: 80", "port: 81"))),
            ("- Replace `a()` with `b()` in `x.js`", Some(("a()", "b()"))),
            ("| `a.yaml` | `x: 1` | `x: 2` |", Some(("x: 1", "x: 2"))),
            ("将 `a.yaml` 中的 `x: 1` 改为 `x: 2`", Some(("x: 1", "x: 2"))),
            ("把 `x: 1` 改成 `x: 2` 即可。", Some(("x: 1", "x: 2"))),
            ("2. 将注释 `x: 1` 替换为 `x: 2`", Some(("x: 1", "x: 2"))),
            ("`a.yaml` の `x: 1` を `x: 2` に変更します。", Some(("x: 1", "x: 2"))),
            ("`a.yaml`의 `x: 1`를 `x: 2`로 변경하세요.", Some(("x: 1", "x: 2"))),
            ("不要把 `x: 1` 改成 `x: 2`。", None),
            ("`x: 1` 和 `x: 2` 不一样。", None),
            ("I changed `x: 1` to `x: 2` in `a.yaml`", None),
            ("Don't change `x: 1` to `x: 2` in `a.yaml`", None),
            ("If you want, change `x: 1` to `x: 2` in `a.yaml`", None),
            ("You could change `x: 1` to `x: 2` in `a.yaml`", None),
            ("Change `x` to `y`", Some(("x", "y"))),
            ("`a` goes to `b`", None),
            ("Find `a b` and replace it with `c d`.", Some(("a b", "c d"))),
        ] {
            assert_eq!(replacement(line, &spans(line)), expected, "{line}");
        }
    }

    #[test]
    fn sentences_that_remove_or_add_a_line() {
        for (line, expected) in [
            ("Remove the line `x = load()` from `a.py`.", Some("x = load()")),
            ("Delete `x = load()` in `a.py`", Some("x = load()")),
            ("Lösche die Zeile `x = load()`.", Some("x = load()")),
            ("I removed `x = load()` from `a.py`", None),
            ("Don't remove `x = load()`", None),
            ("If it fails, remove `x = load()`", None),
            ("Remove `load` from `a.py`", None),
            ("Remove `x = load()` and `y = load()`", None),
        ] {
            assert_eq!(removal(&spans(line)), expected, "{line}");
        }
        for (line, expected) in [
            ("In `a.py`, add `x = 1` right after `y = 2`.", Some(("x = 1", "y = 2", true))),
            ("Insert `x = 1` above `y = 2`", Some(("x = 1", "y = 2", false))),
            ("Add `x = 1` to `a.py`", None),
            ("You could add `x = 1` after `y = 2`", None),
            ("`x = 1` comes after `y = 2`", None),
        ] {
            assert_eq!(insertion(&spans(line)), expected, "{line}");
        }
    }
}
