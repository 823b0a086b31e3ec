//! An action with what it would do: what the planner hands on.

use clada_protocol::Approval;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::view::View;
use crate::write::Write;

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

impl Planned {
    /// Fails if what it changes is held back as a secret: an edit for an editor holds parts of the old text.
    pub(crate) fn refuse_to_show_secrets(&mut self, view: &View<'_>) {
        let secret = |write: &&Write| write.old.is_some() && view.is_secret(&write.path);
        let effects = self.outcome.iter().flat_map(Effect::each);
        let found = effects.flat_map(Effect::writes).find(secret);
        if let Some(write) = found {
            self.outcome = Err(Failure::secret(&write.path));
        }
    }
}
