//! A plan as the result of a dry run: what reports for a model are made of.
//!
//! Pure. What an action would yield is not in it: the plan itself says what it does.

use clada_protocol::{ExecutionResult, PlanResult};

use super::saved_plan::{Promise, SavedPlan};
use crate::results::outcome::Executed;
use crate::results::report::{self, Budget};

impl SavedPlan {
    /// Returns the plan, of which `told` is what its caller is told, as the result of a dry run, in about
    /// `room` bytes.
    #[must_use]
    pub fn as_result(&self, told: &PlanResult, room: usize) -> ExecutionResult {
        let mut budget = Budget::new(room);
        let results = self.steps.iter().zip(&self.promised).map(|(step, promise)| {
            let outcome = match promise {
                Promise::Change { .. } => Ok(report::ActionOutput::default()),
                Promise::Failure(failure) => Err((**failure).clone()),
            };
            report::result(step.clone(), outcome, 0, &mut budget)
        });
        let executed = Executed { results: results.collect(), ..Executed::default() };
        let answer = self.answer().clone();
        let fatal_error = answer.fatal().map(str::to_owned);
        let result = executed.into_result(answer, told.approvals.clone(), None, "");
        ExecutionResult { fatal_error, warnings: told.warnings.clone(), ..result }
    }
}
