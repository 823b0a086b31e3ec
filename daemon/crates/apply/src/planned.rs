//! An action with what it would do: what the planner hands on.

use clada_protocol::Approval;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;

/// An action and what it would do, or why it cannot.
#[derive(Debug, Clone)]
pub struct Planned {
    /// The action.
    pub step: Step,
    /// Its effect, or why it has none.
    pub outcome: Result<Effect, Failure>,
    /// The approval that the user has to give, or has given, for it.
    pub approval: Option<Approval>,
}
