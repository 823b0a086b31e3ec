//! A hunk as two lists of lines, and what differs between them.
//!
//! It must not know the text that the hunk is for. Lines that a hunk calls context are the same line on both
//! sides; within a run of removed and added lines, what both sides have in common is context too.

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::{Hunk, HunkLine};

use super::key::{LineKey, is_blank};
use crate::changes::{Change, changes};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HunkSides<'h> {
    pub(super) old: Vec<Cow<'h, str>>,
    pub(super) new: Vec<Cow<'h, str>>,
    /// Removed and added lines; what is between them is context.
    runs: Vec<Change>,
    pub(super) has_context: bool,
}

impl<'h> HunkSides<'h> {
    pub(super) fn new(hunk: &'h Hunk) -> HunkSides<'h> {
        let mut sides = HunkSides { old: Vec::new(), new: Vec::new(), runs: Vec::new(), has_context: false };
        let mut run = Change { old: 0..0, new: 0..0 };
        for line in &hunk.lines {
            match line {
                HunkLine::Context(line) => {
                    sides.close(&mut run);
                    sides.old.push(Cow::Borrowed(line));
                    sides.new.push(Cow::Borrowed(line));
                    run = Change { old: sides.old.len()..0, new: sides.new.len()..0 };
                    sides.has_context = true;
                }
                HunkLine::Removed(line) => sides.old.push(Cow::Borrowed(line)),
                HunkLine::Added(line) => sides.new.push(Cow::Borrowed(line)),
            }
        }
        sides.close(&mut run);
        sides
    }

    fn close(&mut self, run: &mut Change) {
        run.old.end = self.old.len();
        run.new.end = self.new.len();
        if !(run.old.is_empty() && run.new.is_empty()) {
            self.runs.push(run.clone());
        }
    }

    pub(super) fn changes(&self, key: LineKey) -> Vec<Change> {
        let mut all = Vec::new();
        for run in &self.runs {
            let old: Vec<_> = self.old[run.old.clone()].iter().map(|line| key.normalize(line)).collect();
            let new: Vec<_> = self.new[run.new.clone()].iter().map(|line| key.normalize(line)).collect();
            all.extend(changes(&old, &new).into_iter().map(|change| Change {
                old: run.old.start + change.old.start..run.old.start + change.old.end,
                new: run.new.start + change.new.start..run.new.start + change.new.end,
            }));
        }
        all
    }

    pub(super) fn pairs<'c>(&self, changes: &'c [Change]) -> impl Iterator<Item = (usize, usize)> + use<'c> {
        let ends = [(self.old.len(), self.new.len())];
        let starts = changes.iter().map(|change| (change.old.start, change.new.start)).chain(ends);
        let after = changes.iter().map(|change| (change.old.end, change.new.end));
        let from = std::iter::once((0, 0)).chain(after);
        from.zip(starts).flat_map(|((old, new), (stop, _))| (old..stop).zip(new..))
    }

    /// Returns the request without the blank lines around it, if there are some, and if it is clear what to
    /// do with them.
    pub(super) fn trimmed(&self) -> Option<Trimmed<'h>> {
        let lead = |lines: &[Cow<'_, str>]| lines.iter().take_while(|line| is_blank(line)).count();
        let tail = |lines: &[Cow<'_, str>]| lines.iter().rev().take_while(|line| is_blank(line)).count();
        let (above, below) = (lead(&self.old), tail(&self.old));
        let (new_above, new_below) = (lead(&self.new), tail(&self.new));
        if above == self.old.len() || above + below == 0 {
            return None;
        }
        // A replacement by nothing, or by blank lines only, is not trimmed: what to keep of them is not
        // clear.
        if new_above == self.new.len() || new_above > above || new_below > below {
            return None;
        }
        let old = above..self.old.len() - below;
        let sides = self.part(old, new_above..self.new.len() - new_below)?;
        let (drops_above, drops_below) = (new_above < above, new_below < below);
        Some(Trimmed { sides, above, below, drops_above, drops_below })
    }

    /// Returns the part of it with these lines, if the context in it is the same on both sides.
    pub(super) fn part(&self, old: Range<usize>, new: Range<usize>) -> Option<HunkSides<'h>> {
        let clip = |range: &Range<usize>, within: &Range<usize>| {
            let inside = |at: usize| at.clamp(within.start, within.end) - within.start;
            inside(range.start)..inside(range.end)
        };
        let runs =
            self.runs.iter().map(|run| Change { old: clip(&run.old, &old), new: clip(&run.new, &new) });
        let runs = runs.filter(|run| !(run.old.is_empty() && run.new.is_empty())).collect();
        let (old, new) = (self.old[old].to_vec(), self.new[new].to_vec());
        let part = HunkSides { old, new, runs, has_context: self.has_context };
        part.is_consistent().then_some(part)
    }

    fn is_consistent(&self) -> bool {
        let (mut old, mut new) = (0, 0);
        for run in self.runs.iter().chain([&Change { old: self.old.len()..0, new: self.new.len()..0 }]) {
            if self.old.get(old..run.old.start) != self.new.get(new..run.new.start) {
                return false;
            }
            (old, new) = (run.old.end, run.new.end);
        }
        true
    }

    pub(super) fn map(
        &self,
        old: impl Fn(&str) -> Option<String>,
        new: impl Fn(&str) -> Option<String>,
    ) -> Option<HunkSides<'h>> {
        let mapped = HunkSides {
            old: self.old.iter().map(|line| old(line).map(Cow::Owned)).collect::<Option<_>>()?,
            new: self.new.iter().map(|line| new(line).map(Cow::Owned)).collect::<Option<_>>()?,
            ..self.clone()
        };
        mapped.is_consistent().then_some(mapped)
    }

    pub(super) fn is_diff_of_nothing(&self) -> bool {
        self.has_context && !self.runs.is_empty() && self.old == self.new
    }

    /// True if it is a diff that removes and adds a blank line at the same end of a run of changes.
    pub(super) fn is_diff_of_blanks(&self) -> bool {
        let blank = |line: Option<&Cow<'_, str>>| line.is_some_and(|line| is_blank(line));
        self.has_context
            && self.runs.iter().any(|run| {
                let (old, new) = (&self.old[run.old.clone()], &self.new[run.new.clone()]);
                blank(old.first()) && blank(new.first()) || blank(old.last()) && blank(new.last())
            })
    }

    pub(super) fn is_distinctive(&self) -> bool {
        self.old.iter().any(|line| !is_blank(line))
    }
}

pub(super) fn final_newline(hunk: &Hunk) -> Option<bool> {
    hunk.final_newline.filter(|_| !matches!(hunk.lines.last(), None | Some(HunkLine::Context(_))))
}

pub(super) struct Trimmed<'h> {
    pub(super) sides: HunkSides<'h>,
    pub(super) above: usize,
    pub(super) below: usize,
    /// True if it would have dropped blank lines above, which must therefore not be there.
    pub(super) drops_above: bool,
    /// True if it would have dropped blank lines below, which must therefore not be there.
    pub(super) drops_below: bool,
}
