//! Which of several places a hunk means, where something certain says so.
//!
//! It must not know how the places were found. In doubt it is an error: there is no first match here.

use super::PatchFailure;
use super::climb::Climb;
use super::key::is_blank;
use super::rung::Rung;
use super::scope;

/// Places that an error lists.
const LISTED: usize = 20;
/// Places among which a scope may decide.
const RIVALS: usize = 50;

impl Climb<'_, '_, '_> {
    /// The one of the places `found`, each `count` lines long, that is meant; `None` if there are none.
    pub(super) fn select(
        &self,
        found: &[usize],
        count: usize,
        rung: Rung,
    ) -> Result<Option<usize>, PatchFailure> {
        let Some(&first) = found.first() else { return Ok(None) };
        let from = scope::first_line(self.index, &self.hunk.scopes);
        let in_place = |at: &usize| {
            let rest = self.index.lines().get(*at + count..).unwrap_or_default();
            let ends = !self.hunk.at_end_of_file || rest.iter().all(|line| is_blank(line.body));
            ends && from.is_none_or(|from| *at + count > from)
        };
        let left: Vec<usize> = found.iter().copied().filter(in_place).collect();
        let after: Vec<usize> = left.iter().copied().filter(|at| *at >= self.after).collect();
        let choice = if after.is_empty() { &left } else { &after };
        if choice.is_empty() {
            return Err(PatchFailure::OutOfPlace { lines: (first + 1, first + count) });
        }
        let hinted = self.hinted(&left, rung);
        let chosen = match choice[..] {
            [only] => Some(only),
            _ => self.enclosed(choice).or(hinted),
        };
        match chosen {
            Some(at)
                if choice.len() == left.len() && left.len() == 1 || hinted.is_none_or(|hint| hint == at) =>
            {
                Ok(Some(at))
            }
            _ => Err(ambiguous(&left, count, rung)),
        }
    }

    /// The place at which the hunk says that it begins, if it is exactly there.
    fn hinted(&self, left: &[usize], rung: Rung) -> Option<usize> {
        let line = usize::try_from(self.hunk.line_hint?).ok()?.checked_sub(1)?;
        (rung == Rung::Exact && left.contains(&line)).then_some(line)
    }

    /// The only place that is inside of the scopes.
    fn enclosed(&self, choice: &[usize]) -> Option<usize> {
        if self.hunk.scopes.is_empty() || choice.len() > RIVALS {
            return None;
        }
        let mut inside = choice.iter().filter(|at| scope::encloses(self.index, &self.hunk.scopes, **at));
        inside.next().copied().filter(|_| inside.next().is_none())
    }
}

pub(super) fn ambiguous(left: &[usize], count: usize, rung: Rung) -> PatchFailure {
    let lines = left.iter().take(LISTED).map(|at| (at + 1, at + count)).collect();
    PatchFailure::Ambiguous { rung, found: left.len(), lines }
}
