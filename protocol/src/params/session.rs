//! Sessions: a working directory and a context that outlive a request.

use crate::wire_type::{wire_params, wire_type};
use macro_rules_attribute::apply;

/// Parameters of `session.open`.
#[apply(wire_params)]
pub struct SessionOpenParams {
    /// Absolute path of the project.
    pub root: String,
    /// A name for it; an open session of that name is returned as it is. Absent: a new one with a new name.
    pub session: Option<String>,
}

/// Parameters of `session.get`.
#[apply(wire_params)]
pub struct SessionGetParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; absent: `default`, which every project has.
    pub session: Option<String>,
}

/// Parameters of `session.set_cwd`.
#[apply(wire_params)]
pub struct SessionSetCwdParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; absent: `default`.
    pub session: Option<String>,
    /// An existing folder within the project, absolute or relative to its root.
    pub cwd: String,
}

/// Parameters of `session.list`.
#[apply(wire_params)]
pub struct SessionListParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `session.list`.
#[apply(wire_type)]
pub struct SessionListResult {
    /// The sessions, by name.
    pub sessions: Vec<SessionInfo>,
}

/// Parameters of `session.close`.
#[apply(wire_params)]
pub struct SessionCloseParams {
    /// Absolute path of the project.
    pub root: String,
    /// Its name; closing `default` resets it.
    pub session: String,
}

/// A session.
#[apply(wire_type)]
pub struct SessionInfo {
    /// Its name.
    pub session: String,
    /// Absolute path of the project.
    pub root: String,
    /// Absolute path of its working directory.
    pub cwd: String,
    /// Absolute paths of its context.
    pub context: Vec<String>,
}

/// Result of `session.close`.
#[apply(wire_type)]
pub struct SessionCloseResult {
    /// The session that was closed.
    pub closed: String,
}
