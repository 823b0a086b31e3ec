//! Selects the one of several places that a hunk means, if something certain says so.
//!
//! It must not know how the places were found. In doubt it is an error: there is no first match here.

use super::climb::Climb;
use super::error::{PatchFailure, ambiguous};
use super::key::{LineKey, is_blank};
use super::rung::Rung;
use super::scope;
use super::sides::HunkSides;
use super::turn::Choice;

const AHEAD: usize = 10;
const RIVALS: usize = 50;

impl Climb<'_, '_, '_> {
    pub(super) fn select(
        &self,
        places: &[usize],
        count: usize,
        rung: Rung,
    ) -> Result<Option<usize>, PatchFailure> {
        let Some(&first) = places.first() else { return Ok(None) };
        let from = scope::first_line(self.index, &self.hunk.scopes);
        let in_place = |at: &usize| {
            let rest = self.index.lines().get(*at + count..).unwrap_or_default();
            let ends = !self.hunk.at_end_of_file || rest.iter().all(|line| is_blank(line.body));
            ends && from.is_none_or(|from| *at + count > from)
        };
        let remaining: Vec<usize> = places.iter().copied().filter(in_place).collect();
        let after: Vec<usize> = remaining.iter().copied().filter(|at| *at >= self.after).collect();
        let choice = if after.is_empty() { &remaining } else { &after };
        if choice.is_empty() {
            return Err(PatchFailure::OutOfPlace { lines: (first + 1, first + count) });
        }
        let Ok(hinted) = self.hinted(&remaining, choice, rung) else {
            return Err(ambiguous(&remaining, count, rung));
        };
        let certain = match choice[..] {
            [only] => Some(only),
            _ => self.enclosed(choice),
        };
        let turn = self.turn.among(&remaining, count).filter(|_| rung <= Rung::Indentation);
        // A number is believed against the order only if its author has counted.
        let at_odds = hinted.is_some() && turn.is_some() && hinted != turn && !self.hunk.is_counted;
        match certain.or(hinted).or(turn) {
            Some(at) if remaining.len() == 1 || hinted.is_none_or(|hint| hint == at) && !at_odds => {
                self.chosen_by.set(if certain.is_some() { None } else { self.choice(at, hinted) });
                Ok(Some(at))
            }
            _ => Err(ambiguous(&remaining, count, rung)),
        }
    }

    /// Returns the reason for line `at`, if it is to be reported: a diff with right counts whose line number
    /// is exact has none.
    fn choice(&self, at: usize, hinted: Option<usize>) -> Option<Choice> {
        let as_written = self.hunk.line_hint.is_some_and(|line| u64::from(line) == at as u64 + 1);
        match hinted {
            Some(_) if self.hunk.is_counted && as_written => None,
            Some(_) => Some(Choice::Number),
            None => Some(Choice::Turn),
        }
    }

    /// Returns the place at which the hunk says that it begins: exactly there, or as far behind it as the
    /// hunks before are off. `Err` if that is not one place alone.
    fn hinted(&self, remaining: &[usize], choice: &[usize], rung: Rung) -> Result<Option<usize>, ()> {
        let line = self.hunk.line_hint.and_then(|line| usize::try_from(line).ok()?.checked_sub(1));
        let Some(line) = line.filter(|_| rung == Rung::Exact) else { return Ok(None) };
        let exact = remaining.contains(&line).then_some(line);
        if exact.is_some() && self.hunk.is_counted {
            // The hunks before may have proven that the numbers are those of another text.
            let Some(shift) = self.drift.shift().filter(|_| remaining.len() > 1) else { return Ok(exact) };
            let shifted = line.checked_add_signed(shift).filter(|line| choice.contains(line));
            return if self.shift_behind() == Some(shift) && shifted.is_some() {
                Ok(shifted)
            } else {
                Err(())
            };
        }
        let drifted = self.drift.meant_by(line).filter(|line| choice.contains(line));
        let mut all = exact.into_iter().chain(drifted);
        let first = all.next();
        if all.all(|other| Some(other) == first) { Ok(first) } else { Err(()) }
    }

    fn shift_behind(&self) -> Option<isize> {
        self.behind.iter().take(AHEAD).find_map(|hunk| {
            let line = isize::try_from(hunk.line_hint?).ok()?;
            match self.index.find(LineKey::Exact, &HunkSides::new(hunk).old)[..] {
                [only] => Some(isize::try_from(only).ok()? + 1 - line),
                _ => None,
            }
        })
    }

    fn enclosed(&self, choice: &[usize]) -> Option<usize> {
        if self.hunk.scopes.is_empty() || choice.len() > RIVALS {
            return None;
        }
        let mut inside = choice.iter().filter(|at| scope::encloses(self.index, &self.hunk.scopes, **at));
        inside.next().copied().filter(|_| inside.next().is_none())
    }
}
