//! Decides whether a step runs a program, or has to see on the disk what comes before it.
//!
//! Goes by the words of a command alone.

use clada_exec::words::{self, BuiltIn, Command};
use clada_schema::Action;

use crate::read::answer::Step;

/// Returns true if `step` runs a program, so that nothing after it can be planned before it has run.
pub(crate) fn runs(step: &Step) -> bool {
    divided(step, |_| false)
}

// Returns true if an answer has to be applied by segments for `step`: it runs a program, or has to see
// what comes before it on the disk.
pub(crate) fn divides(step: &Step) -> bool {
    divided(step, goes_deep)
}

/// Returns true if what `step` asks for runs a program; for a command that needs none, `built_in` decides.
fn divided(step: &Step, built_in: impl Fn(&BuiltIn) -> bool) -> bool {
    match &step.action {
        Ok(Action::Exec(_)) => true,
        Ok(Action::Run(run)) => match words::command(run.command.trim()) {
            Ok(Command::BuiltIn(command)) => built_in(&command),
            Ok(_) => true,
            Err(_) => false,
        },
        _ => false,
    }
}

/// Returns true if it goes through whole folders, as they are on the disk: what comes before it has to be
/// done first.
fn goes_deep(command: &BuiltIn) -> bool {
    match command {
        BuiltIn::Mv(_) => true,
        BuiltIn::Cp { recursive, .. } | BuiltIn::Rm { recursive, .. } => *recursive,
        _ => false,
    }
}
