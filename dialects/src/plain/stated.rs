//! Replacements that a sentence states in full, in answers that show no code: "In `p`, change `a` to `b`".
//!
//! ````text
//! 1. In `deploy.yaml`, change `replicas: 2` to `replicas: 3`.
//! | `deploy.yaml` | `replicas: 2` | `replicas: 3` |
//! ````

use std::collections::VecDeque;

use super::lead::{self, Lead};
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
pub(super) struct Stated {
    found: Vec<(Candidate, Lead)>,
    /// The files that the last lines name, with their lines, the nearest first.
    named: VecDeque<Group>,
}

impl Stated {
    /// Returns the replacements that a line of prose states, each with its place in the line.
    pub(super) fn line(&mut self, line: &Line<'_>) -> Vec<(Candidate, usize)> {
        if self.found.len() >= MOST || line.text.len() > SENTENCE {
            return Vec::new();
        }
        let own = naming::group(line, Place::Label, "", false).filter(|group| group.sure_path().is_some());
        self.named.extend(own.clone());
        while self.named.front().is_some_and(|group| group.line + NEAR < line.number) {
            self.named.pop_front();
        }
        let group = own.or_else(|| self.named.back().cloned());
        let Some(group) = group else { return Vec::new() };
        // A row of a table may compare.
        let conditional = line.text.trim_start().starts_with('|');
        let candidate = |(old, new, at): (&str, &str, usize)| {
            let form = Form::Replacement { old: old.to_owned() };
            let candidate = Candidate {
                content: new.to_owned(),
                words: super::reader::cut(line.text.trim()).to_owned(),
                conditional,
                ..Candidate::of(line.number..line.number.saturating_add(1), form, group.clone())
            };
            (candidate, at)
        };
        replacements(line.text).into_iter().map(candidate).collect()
    }

    /// Adds a replacement, of which the words say `lead`.
    pub(super) fn add(&mut self, candidate: Candidate, lead: Lead) {
        self.found.push((candidate, lead));
    }

    /// The replacements with what the words say of them, in document order.
    pub(super) fn finish(self) -> Vec<(Candidate, Lead)> {
        self.found
    }
}

/// The old and the new texts, if `line` asks to replace the one with the other, with their places in it.
fn replacements(line: &str) -> Vec<(&str, &str, usize)> {
    let spans = spans(line);
    if line.trim_start().starts_with('|') {
        let [(before, old, _), (_, new, _)] = spans[..] else { return Vec::new() };
        return vec![(old, new, before.len())];
    }
    let mut found: Vec<(&str, &str, usize)> = Vec::new();
    let mut end = None;
    for pair in spans.windows(2) {
        let [(before, old, _), (up_to, new, _)] = pair else { continue };
        let between = up_to.get(before.len() + old.len() + 2..).filter(|between| between.len() <= BETWEEN);
        let Some(between) = between else { continue };
        // "Replace `a` with `b` and `c` with `d`": the verb is said once.
        let joins = end.and_then(|end| before.get(end..)).is_some_and(|joint| {
            matches!(joint.trim_matches(['`', ' ', ',', ';']), "" | "and" | "und" | "et" | "y" | "e" | "и")
                && joint.len() > 1
        });
        let asks = words::replaces(before, between)
            || words::replaces_it(between)
            || joins && words::is_to_or_with(between);
        if asks && !words::is_doubtful(lead::sentence(before, before.len())) {
            end = Some(up_to.len() + new.len() + 1);
            found.push((old, new, before.len()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::replacements;

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
            let found: Vec<_> = replacements(line).into_iter().map(|(old, new, _)| (old, new)).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{line}");
        }
    }
}
