//! `review`: what an editor shows of a plan, and of what became of it, so that each editor need not work it out.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{FailurePlace, is_false};
use crate::wire_type::wire_type;

/// A plan as a user decides on it. Its files are those of the result: with it, the files of proposals come first.
#[apply(wire_type)]
pub struct Review {
    /// The parts of the plan that are accepted or left out as one, in the order in which they are shown.
    pub units: Vec<ReviewUnit>,
    /// The ids to give to `execute` in `accept` besides those of accepted units: nobody decides on them.
    pub always: Vec<String>,
    /// What cannot be decided on: failures, then what already holds, what only reads, and remarks.
    pub notes: Vec<ReviewNote>,
    /// The number of notes that are failures.
    pub failed: usize,
    /// The reason why nothing can be decided on, if that is so.
    pub nothing: Option<String>,
}

/// A group of hunks, a file that is done as a whole, or an action without a file.
#[apply(wire_type)]
pub struct ReviewUnit {
    /// The id to give to `execute` in `accept`, or in `decline` if it is of a proposal. Hunks have it as `group`.
    pub id: String,
    /// A hash of its change. A unit of another plan with this key makes the same change: decisions can be kept.
    pub key: String,
    /// True if it is accepted at first: it needs no approval, and is not proposed or was edited by the user.
    pub accepted: bool,
    /// The ids to give to `execute` in `approve` if it is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<String>,
    /// These approvals in words to be shown as they are: several lines, no markup, visible characters only.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub approval_text: String,
    /// True if what is approved holds control, bidi or invisible characters.
    #[serde(default, skip_serializing_if = "is_false")]
    pub suspicious: bool,
    /// The id of the proposal that it is of.
    pub proposal: Option<String>,
    /// The ids of units that are left out if it is accepted: other versions or places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excludes: Vec<String>,
    /// Of an action without a file: its words, on one line unless a command has several.
    pub title: Option<String>,
    /// Of such an action: its change as a unified diff.
    pub diff: Option<String>,
    /// True if a command runs, which does not see what an editor holds.
    #[serde(default, skip_serializing_if = "is_false")]
    pub command: bool,
}

/// A line about a plan or its outcome that an editor shows, at a place if it has one.
#[apply(wire_type)]
pub struct ReviewNote {
    /// Its weight.
    pub severity: ReviewSeverity,
    /// The line.
    pub text: String,
    /// What to do about it, or more of it, in one or more lines.
    pub hint: Option<String>,
    /// The place in a file of the project.
    pub place: Option<FailurePlace>,
    /// The 1-based line of the answer that it is about.
    pub line: Option<u32>,
    /// The id of the action that failed, for `only` of `plan`.
    pub action: Option<String>,
}

/// The weight of a note.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReviewSeverity {
    /// Something failed.
    Error,
    /// A part of the answer was not applied.
    Warning,
    /// A remark.
    #[default]
    Note,
    /// A weight that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// The outcome of an execution as an editor shows it.
#[apply(wire_type)]
pub struct Outcome {
    /// The counts on one line: `5 done, 1 failed, 2 left out`.
    pub line: String,
    /// True if all of the answer is applied but what the user left out.
    pub complete: bool,
    /// What was not applied, without what the user left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<ReviewNote>,
}
