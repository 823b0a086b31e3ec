//! What an operation left undone, to be taken up again: its answer, how that was read, and what is settled of it.
//!
//! The answer is read again as it was read then, whatever the configuration says now, so that its tasks keep their
//! numbers. Knows neither files nor where operations are kept.

use std::collections::HashSet;
use std::sync::Arc;

use clada_protocol::{ExecutionResult, MatchLevel, OperationWarning};

use super::answer::{Answer, Whole};
use super::interpret::Reading;

/// An answer, and which of its tasks need not be done any more.
#[derive(Debug, Clone)]
pub struct Resumable {
    text: Arc<str>,
    reading: Reading,
    /// Whether the answer was to be done whole.
    pub whole: Whole,
    /// How its edits were matched.
    pub match_level: Option<MatchLevel>,
    settled: HashSet<String>,
}

impl Resumable {
    /// An answer of which nothing is done yet.
    #[must_use]
    pub fn new(text: &str, reading: Reading, whole: Whole, match_level: Option<MatchLevel>) -> Resumable {
        Resumable { text: Arc::from(text), reading, whole, match_level, settled: HashSet::new() }
    }

    /// The same, taken up again in this way.
    #[must_use]
    pub fn again(&self, whole: Whole, match_level: Option<MatchLevel>) -> Resumable {
        Resumable { whole, match_level, ..self.clone() }
    }

    /// The same after an operation that ended with `result`, where a person has `declined` some tasks.
    #[must_use]
    pub fn after(mut self, result: &ExecutionResult, declined: Vec<String>) -> Resumable {
        let done = result.results.iter().filter(|result| result.success);
        self.settled.extend(done.map(|result| result.task.clone()));
        self.settled.extend(declined);
        self
    }

    /// The answer without what is settled.
    ///
    /// What did not parse then does not parse now: unless the answer is to be done whole, that is only noted, since
    /// it was told as an error before and nothing that is taken up here depends on it.
    #[must_use]
    pub fn rest(&self, whole: Whole) -> Answer {
        let mut answer = Answer { whole, ..self.reading.read(&self.text) };
        answer.warnings.clear();
        answer.notes.retain(|note| note.task.as_ref().is_none_or(|task| !self.settled.contains(task)));
        answer.steps.retain(|step| !self.settled.contains(&step.task));
        let mut note = |message: String| answer.notes.push(OperationWarning { task: None, message });
        if whole == Whole::Blocks && !answer.errors.iter().any(|error| error.fatal) {
            match std::mem::take(&mut answer.errors).len() {
                0 => {}
                count => note(format!(
                    "{count} parse error(s) of that operation stand: what did not parse has to be sent again"
                )),
            }
        }
        if answer.steps.is_empty() {
            note(
                "There is nothing to resume: everything in that operation that could be done is done"
                    .to_owned(),
            );
        }
        answer
    }

    /// About how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.text.len() + self.settled.iter().map(|task| task.len() + 64).sum::<usize>()
    }
}
