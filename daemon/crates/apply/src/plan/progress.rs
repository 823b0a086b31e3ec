//! The progress of a saved plan: what was accepted of it so far, and what of that was done.
//!
//! Pure. Knows the results of the executions of a plan, not the files: what was handed to an editor counts as
//! done.

use std::collections::{HashMap, HashSet};

use clada_protocol::ExecutionResult;

use super::decision::AcceptedPart;
use super::saved_plan::SavedPlan;

/// The parts of a plan that were accepted and done, by the numbers of its steps.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// `None`: it was not carried out yet, and nothing is declined.
    accepted: Option<HashMap<usize, AcceptedPart>>,
    done: HashMap<usize, AcceptedPart>,
}

impl Progress {
    /// Adds an execution of what `accept` names of `plan`, which ended with `result`.
    pub fn add(&mut self, plan: &SavedPlan, accept: Option<&[String]>, result: &ExecutionResult) {
        let (now, of_now) = (plan.decision(accept), &result.results);
        let done: HashSet<usize> = of_now.iter().filter(|one| one.success).map(|one| one.seq).collect();
        let accepted = self.accepted.get_or_insert_default();
        for step in plan.steps() {
            if done.contains(&step.seq) {
                join(&mut self.done, step.seq, now.part(step));
            }
            join(accepted, step.seq, now.part(step));
        }
    }

    pub(super) fn remaining(&self, seq: usize, hunks: usize) -> AcceptedPart {
        let accepted = match &self.accepted {
            None => AcceptedPart::All,
            Some(accepted) => accepted.get(&seq).cloned().unwrap_or(AcceptedPart::Nothing),
        };
        let Some(done) = self.done.get(&seq) else { return accepted };
        let remaining: HashSet<usize> = match (accepted, done) {
            (_, AcceptedPart::All) | (AcceptedPart::Nothing, _) => return AcceptedPart::Nothing,
            (accepted, AcceptedPart::Nothing) => return accepted,
            (AcceptedPart::All, AcceptedPart::Hunks(done)) => {
                (0..hunks).filter(|hunk| !done.contains(hunk)).collect()
            }
            (AcceptedPart::Hunks(accepted), AcceptedPart::Hunks(done)) => {
                accepted.difference(done).copied().collect()
            }
        };
        if remaining.is_empty() { AcceptedPart::Nothing } else { AcceptedPart::Hunks(remaining) }
    }
}

fn join(parts: &mut HashMap<usize, AcceptedPart>, seq: usize, part: AcceptedPart) {
    match (parts.get_mut(&seq), part) {
        (_, AcceptedPart::Nothing) | (Some(AcceptedPart::All), _) => {}
        (Some(AcceptedPart::Hunks(before)), AcceptedPart::Hunks(more)) => before.extend(more),
        (_, part) => drop(parts.insert(seq, part)),
    }
}
