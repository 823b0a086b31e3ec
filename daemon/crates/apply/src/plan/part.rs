//! The parts of a plan that can be accepted: their ids, and what is accepted of a step or a proposal. Pure.

use std::collections::HashSet;

use crate::read::answer::Step;
use crate::read::proposal::Offered;

// What is accepted of a step or a proposal of one plan, where its hunks have numbers. In another plan they are found
// by their lines (`AcceptedHunks`).
#[derive(Debug, Clone)]
pub(crate) enum AcceptedPart {
    All,
    Nothing,
    Hunks(HashSet<usize>),
}

pub(super) fn action_id(step: &Step) -> String {
    format!("a{}", step.seq)
}

pub(super) fn hunk_id(action: &str, number: usize) -> String {
    format!("{action}.h{number}")
}

pub(super) fn hunk_of(id: &str) -> Option<(&str, usize)> {
    let (action, number) = id.split_once(".h")?;
    let number: usize = number.parse().ok()?;
    (hunk_id(action, number) == id).then_some((action, number.checked_sub(1)?))
}

impl Offered {
    pub(crate) fn part(&self, accept: &[String]) -> AcceptedPart {
        if accept.contains(&self.shown.id) {
            return AcceptedPart::All;
        }
        let of_it = accept.iter().filter_map(|id| hunk_of(id)).filter(|(id, _)| *id == self.shown.id);
        let parts: HashSet<usize> = of_it.map(|(_, index)| index).collect();
        match parts.len() {
            0 => AcceptedPart::Nothing,
            all if all == self.parts.len() => AcceptedPart::All,
            _ => AcceptedPart::Hunks(
                parts.iter().filter_map(|index| self.parts.get(*index)).flatten().copied().collect(),
            ),
        }
    }

    pub(crate) fn with_hunks(mut self, hunks: HashSet<usize>) -> Offered {
        if let Some(accepted) = &mut self.step.accepted {
            accepted.hunks = Some(hunks);
        }
        self
    }

    pub(super) fn all_hunks(&self) -> usize {
        self.parts.iter().flatten().collect::<HashSet<_>>().len()
    }
}
