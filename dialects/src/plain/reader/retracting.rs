//! Lines that take back what stands above them: which candidates they mean.

use super::Reader;
use crate::cursor::Line;
use crate::plain::retraction::{self, Change, Retraction, Target};
use crate::plain::{Candidate, Group, NoteKind};

impl<'a> Reader<'a> {
    // Leaves out, or doubts, the candidates that `line` takes back by name.
    pub(super) fn retract(&mut self, line: &Line<'a>) {
        let may_retract =
            !self.plain.candidates.is_empty() && retraction::may_retract(line.text) && self.attempt();
        if may_retract && let Some(retraction) = retraction::read(line.text) {
            self.take_back(&retraction);
        }
        self.steps.read(line);
    }

    fn take_back(&mut self, retraction: &Retraction) {
        let mut paths: Vec<&str> = self.plain.candidates.iter().filter_map(path_of).collect();
        paths.dedup();
        let nth = match &retraction.target {
            Target::Nth(at) if paths.len() > 1 => {
                paths.get((*at).min(paths.len() - 1)).map(|path| (*path).to_owned())
            }
            _ => None,
        };
        let is_meant = |one: &Candidate| {
            let is_deed = super::is_operation(one);
            let names = |target: &str| path_of(one).is_some_and(|path| retraction::is_file(target, path));
            let is_target = match &retraction.target {
                Target::File(target) => names(target),
                Target::Steps(numbers) => {
                    numbers.iter().any(|number| self.steps.is_within(one.lines.start, *number))
                }
                Target::Nth(_) => nth.as_deref().is_some_and(names),
            };
            let of = retraction.of;
            is_target && (of == Change::Any || is_deed == (of == Change::Deed))
        };
        if !retraction.is_certain {
            let meant: Vec<bool> = self.plain.candidates.iter().map(is_meant).collect();
            for (one, is_meant) in self.plain.candidates.iter_mut().zip(meant) {
                one.conditional |= is_meant;
            }
            return;
        }
        let (meant, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.plain.candidates).into_iter().partition(is_meant);
        self.plain.candidates = rest;
        if !meant.is_empty() {
            // It is no first half of what follows.
            self.last = None;
        }
        for one in meant {
            let path = path_of(&one).map(str::to_owned);
            self.note(one.lines, NoteKind::NotMeant, path);
        }
    }
}

fn path_of(candidate: &Candidate) -> Option<&str> {
    candidate.groups.iter().find_map(Group::sure_path)
}
