//! What a user was shown of an answer that waits for them.

use std::sync::Arc;

use clada_apply::SavedPlan;
use clada_protocol::{Approval, SharedText};

use crate::project::ReadScope;

/// The effect that an `execute` would have, as a user is shown it.
#[derive(Debug)]
pub(crate) struct Preview {
    pub(crate) approvals: Vec<Approval>,
    pub(crate) diff: SharedText,
    pub(super) actions: Vec<(usize, String)>,
    pub(super) is_whole: bool,
    pub(super) ended: u64,
    pub(super) plan: SavedPlan,
    /// What it depends on: an operation that changes nothing of it leaves it as it is.
    pub(super) reach: ReadScope,
}

/// A preview that a user has approved, and what to call when its plan begins to be applied.
pub(crate) struct ApprovedPreview {
    pub(super) preview: Arc<Preview>,
    pub(super) begins: Box<dyn Fn() + Send + Sync>,
}
