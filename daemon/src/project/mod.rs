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

pub(crate) use ended::{OwnOperations, ReadScope, Touched};
pub(crate) use events::{MAX_EVENT_BYTES, MAX_EVENTS, SubscriberQueue};
pub(crate) use plans::{LIFETIME as PLAN_LIFETIME, MAX_ALL as MAX_ALL_PLANS, MAX_PLANS, Maker};
pub(crate) use projects::Projects;
pub(crate) use root::ResolvedRoot;
pub(crate) use shown_approvals::ShownAt;
pub(crate) use state::locked;
pub(crate) use state::{AtWork, Project, TrackedHidden};
