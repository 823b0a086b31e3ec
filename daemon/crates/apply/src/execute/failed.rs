//! Failures in an operation, and the actions after them that are not done for that.

use clada_dialects::Policy;
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;

use crate::execute::executor::Executor;
use crate::failure::Failure;
use crate::read::answer::{Atomicity, Step};

impl Executor<'_> {
    fn fate(&self, step: &Step) -> Option<usize> {
        match (self.atomicity, step.group.policy) {
            (Atomicity::AllOrNothing, _) => Some(usize::MAX),
            (Atomicity::Blocks, Policy::Each) => None,
            (Atomicity::Blocks, Policy::InOrder | Policy::Atomic) => Some(step.group.block),
        }
    }

    pub(super) fn unbroken(&self, step: &Step) -> Result<(), Failure> {
        let failed = self.fate(step).and_then(|fate| self.broken.get(&fate));
        failed.map_or(Ok(()), |task| {
            let message = format!("Not done: task {task} before it failed (SKIPPED)");
            Err(Failure::with_message(ErrorKind::Skipped, message))
        })
    }

    pub(super) fn note_broken(&mut self, step: &Step) {
        if let Some(fate) = self.fate(step) {
            self.broken.entry(fate).or_insert_with(|| step.task.clone());
        }
    }

    /// Remembers that an action about these paths failed, and the path at which it found another file than was
    /// planned for. What was not even planned fails for other reasons, too, such as a change that was not accepted:
    /// its file has changed only if the check of the plan says so.
    pub(super) fn note_failure<T>(
        &mut self,
        about: &[RootedPath],
        was_planned: bool,
        outcome: &Result<T, Failure>,
    ) {
        let Err(failure) = outcome else { return };
        let has_changed = |path: &String| {
            was_planned || self.roots.resolve(path).is_ok_and(|path| self.changed.contains(&path))
        };
        if failure.kind == ErrorKind::Conflict
            && let Some(path) = failure.path.as_ref().filter(|path| has_changed(path))
            && !about.iter().any(|path| self.failed.contains(path))
        {
            self.done.external_changes.push(path.clone());
        }
        self.failed.extend(about.iter().cloned());
    }
}
