//! A plan as the result of a dry run: what reports for a model are made of.
//!
//! Pure. What an action would yield is not in it: the plan itself says what it does.

use clada_protocol::{ExecutionResult, PlanResult};

use super::promise::Promise;
use super::saved_plan::{SavedPlan, SavedStep};
use crate::results::outcome::Executed;
use crate::results::report::{self, Budget};

impl SavedPlan {
    /// Returns the plan, which its caller sees as `result`, as the result of a dry run, in about
    /// `room` bytes.
    #[must_use]
    pub fn as_result(&self, result: &PlanResult, room: usize) -> ExecutionResult {
        let mut budget = Budget::new(room);
        let results = self.steps.iter().map(|SavedStep { step, promise, .. }| {
            let outcome = match promise {
                Promise::Change { .. } => Ok(report::ActionOutput::default()),
                Promise::Failure(failure) => Err((**failure).clone()),
            };
            report::result(step.clone(), outcome, 0, &mut budget)
        });
        let executed = Executed { results: results.collect(), ..Executed::default() };
        let answer = self.answer().clone();
        let fatal_error = answer.fatal().map(str::to_owned);
        let result = executed.into_result(answer, result.approvals.clone(), None, "");
        ExecutionResult { fatal_error, warnings: result.warnings.clone(), ..result }
    }
}
