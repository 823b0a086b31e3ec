//! `history.forget`: what is kept of projects is deleted.

use macro_rules_attribute::apply;

use super::is_false;
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `history.forget`: of one project, or of all.
#[apply(wire_params)]
pub struct HistoryForgetParams {
    /// Absolute path of the project, whose folder need not be there any more.
    pub root: Option<String>,
    /// True for all projects, in place of `root`.
    pub all: bool,
    /// True to delete it. Without it, nothing is deleted, and the result says what would be.
    pub confirm: bool,
}

/// Result of `history.forget`.
#[apply(wire_type)]
pub struct HistoryForgetResult {
    /// What is kept of each project, or was.
    pub projects: Vec<ProjectRecord>,
    /// The bytes of all of it.
    pub bytes: u64,
    /// Commands that the user has approved there for good, and configurations that are trusted.
    pub approvals: usize,
    /// True if it was deleted.
    pub forgotten: bool,
    /// Sentences about what stays, and how it is removed.
    pub left: Vec<String>,
}

/// What is kept of a project: operations with the contents of files before them, and the state of `stage`.
#[apply(wire_type)]
pub struct ProjectRecord {
    /// Absolute path of the project, as far as it is known.
    pub root: Option<String>,
    /// Absolute path of the folder of the record.
    pub folder: String,
    /// The bytes of its files.
    pub bytes: u64,
    /// True if the project's folder is not there any more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub gone: bool,
}
