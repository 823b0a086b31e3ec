//! Replacements that a sentence states in full, in answers that show no code: "In `p`, change `a` to `b`".
//!
//! ````text
//! 1. In `deploy.yaml`, change `replicas: 2` to `replicas: 3`.
//! | `deploy.yaml` | `replicas: 2` | `replicas: 3` |
//! ````

use std::collections::VecDeque;

use super::placed::spans;
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
}

impl<'a> Stated<'a> {
    /// Reads a line of prose with code in it, which may state something (`states`).
    pub(super) fn line(&mut self, line: Line<'a>, states: bool) {
        if self.found.len() >= MOST || line.text.len() > SENTENCE {
            return;
        }
        self.near.push_back(line);
        while self.near.front().is_some_and(|other| other.number + NEAR < line.number) {
            self.near.pop_front();
        }
        if !states {
            return;
        }
        let Some((old, new)) = replacement(line.text) else { return };
        let Some(group) = self.near.iter().rev().find_map(named) else { return };
        let form = Form::Replacement { old: old.to_owned() };
        self.found.push(Candidate {
            content: new.to_owned(),
            words: super::reader::cut(line.text.trim()).to_owned(),
            ..Candidate::of(line.number..line.number.saturating_add(1), form, group)
        });
    }

    /// The replacements, in document order.
    pub(super) fn finish(self) -> Vec<Candidate> {
        self.found
    }
}

/// The file that `line` names.
fn named(line: &Line<'_>) -> Option<Group> {
    naming::group(line, Place::Label, "", false).filter(|group| group.sure_path().is_some())
}

/// The old and the new text, if `line` asks to replace the one with the other.
fn replacement(line: &str) -> Option<(&str, &str)> {
    let spans = spans(line);
    if line.trim_start().starts_with('|') {
        let [(_, old, _), (_, new, _)] = spans[..] else { return None };
        return Some((old, new));
    }
    spans.windows(2).find_map(|pair| {
        let [(before, old, _), (up_to, new, _)] = pair else { return None };
        let between = up_to.get(before.len() + old.len() + 2..).filter(|between| between.len() <= BETWEEN)?;
        let asks = words::replaces(before, between) || words::replaces_it(between);
        (asks && !words::is_doubtful(before)).then_some((*old, *new))
    })
}

#[cfg(test)]
mod tests {
    use super::replacement;

    #[test]
    fn sentences_that_state_a_replacement() {
        for (line, expected) in [
            ("In `a.yaml`, change `port: 80` to `port: 81`.", Some(("port: 80", "port: 81"))),
            ("- Replace `a()` with `b()` in `x.js`", Some(("a()", "b()"))),
            ("| `a.yaml` | `x: 1` | `x: 2` |", Some(("x: 1", "x: 2"))),
            ("将 `a.yaml` 中的 `x: 1` 改为 `x: 2`", None),
            ("I changed `x: 1` to `x: 2` in `a.yaml`", None),
            ("Don't change `x: 1` to `x: 2` in `a.yaml`", None),
            ("If you want, change `x: 1` to `x: 2` in `a.yaml`", None),
            ("You could change `x: 1` to `x: 2` in `a.yaml`", None),
            ("Change `x` to `y`", Some(("x", "y"))),
            ("`a` goes to `b`", None),
            ("Find `a b` and replace it with `c d`.", Some(("a b", "c d"))),
        ] {
            assert_eq!(replacement(line), expected, "{line}");
        }
    }
}
