//! Projects: everything that this process keeps of one, in one value; all of them in one map, with one rule
//! of eviction.
//!
//! Operations of a project run one after the other; what only reads does not wait for them. Must not know
//! what an operation does, who calls, or how a request is answered. Time is passed in.

mod agents;
mod ended;
mod events;
mod eviction;
mod handed_texts;
mod operations;
mod plans;
mod projects;
mod queue;
mod root;
mod sessions;
mod shown_approvals;
mod state;

pub use ended::{EndedOperations, OwnOperations, ReadScope, Touched};
pub use events::{EventBus, MAX_EVENT_BYTES, MAX_EVENTS, SubscriberQueue};
pub use plans::{LIFETIME as PLAN_LIFETIME, MAX_ALL as MAX_ALL_PLANS, MAX_PLANS, Maker};
pub use projects::Projects;
pub use root::ResolvedRoot;
pub use shown_approvals::ShownAt;
pub(crate) use state::locked;
pub use state::{AtWork, Project, TrackedHidden};
