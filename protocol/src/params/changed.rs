//! The files that an operation changed or a plan would change, with the lines that come and go.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{SharedText, is_false};
use crate::wire_type::wire_type;

/// The most files that `changed` of a result lists.
pub const CHANGED_FILES: usize = 500;

/// The part of the changes that the result of an `execute` shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ShowChanges {
    /// The files and the numbers of their lines.
    Stat,
    /// Also the diff.
    Diff,
}

/// A file that an operation changed: from before it to after it.
#[apply(wire_type)]
pub struct ChangedFile {
    /// The path, relative to the root; absolute outside of it.
    pub path: String,
    /// Of a file that was moved: the path that it had.
    pub old_path: Option<String>,
    /// `created`, `changed`, `deleted` or `moved`.
    pub kind: ChangeKind,
    /// The lines that came. Absent, as `removed`: of a secret, of what is no text, and of what is too large
    /// to be compared.
    pub added: Option<usize>,
    /// The lines that went.
    pub removed: Option<usize>,
}

/// The change done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ChangeKind {
    /// A file or link was created.
    Created,
    /// A file's content or mode, or a link's target, is another one.
    #[default]
    Changed,
    /// A file or link was deleted.
    Deleted,
    /// A file or link was moved here.
    Moved,
    /// A folder was created.
    FolderCreated,
    /// A folder was deleted.
    FolderDeleted,
    /// A change that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

impl ChangeKind {
    /// Returns the word used in reports.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            ChangeKind::Created => "created",
            ChangeKind::Changed => "changed",
            ChangeKind::Deleted => "deleted",
            ChangeKind::Moved => "moved",
            ChangeKind::FolderCreated => "created the folder",
            ChangeKind::FolderDeleted => "deleted the folder",
            ChangeKind::Unknown => "changed otherwise",
        }
    }
}

/// The effect of a plan on one document, from its text now (an overlay's text, if there is one).
#[apply(wire_type)]
pub struct PlannedFile {
    /// The file, from the root; after the plan, of a move the new path.
    pub path: String,
    /// The same as a `file` URI.
    pub uri: String,
    /// The kind of its change.
    pub kind: PlannedFileKind,
    /// Of a move: the path before, from the root.
    pub old_path: Option<String>,
    /// The version of its overlay.
    pub version: Option<i32>,
    /// The changes of its lines, from the first to the last. Empty if no text changes, or if it is not shown:
    /// what is no text, too large to be read, or a secret.
    pub hunks: Vec<FileHunk>,
    /// Of a document that is done or not done as a whole (any `kind` but `change`, one whose text is not
    /// shown, one that `truncated` marks): the ids of what does it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Of such a document: the id of its group, which all its hunks have.
    pub group: Option<String>,
    /// True if its hunks had no room in the result; the plan does more to it than is shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// With `review`: its title, as `change a.txt` or `move a.txt → b.txt`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// With `review`: the ids of its units, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<String>,
    /// With `review`: the id of the proposal that changes it.
    pub proposal: Option<String>,
    /// With `review`, of a proposal: lines to show below the title; one that begins with `! ` is a reason to look closely.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub about: Vec<String>,
    /// With `review`, of a proposal without hunks: its change as a unified diff.
    pub diff: Option<SharedText>,
    /// With `review`: true if all lines of its hunks end with CRLF, so that it need not be shown.
    #[serde(default, skip_serializing_if = "is_false")]
    pub crlf: bool,
}

/// The kind of a document's change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlannedFileKind {
    /// It is created.
    Create,
    /// Its text changes.
    #[default]
    Change,
    /// It is moved; its text may change as well.
    Move,
    /// It is deleted.
    Delete,
    /// A kind that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// Lines of a document that a plan replaces.
#[apply(wire_type)]
pub struct FileHunk {
    /// Its id, unique in the plan.
    pub id: String,
    /// The 0-based line of the document as it is now at which `removed` begins, or `added` is inserted. A
    /// byte order mark that stays is in no line.
    pub start: usize,
    /// The lines that go, with their line ends.
    pub removed: Vec<String>,
    /// The lines that come in their place, with their line ends.
    pub added: Vec<String>,
    /// As far as `context` asks for it and there is room: the lines before it that stay. Those between two
    /// hunks are with one of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// The lines after it that stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
    /// The ids of the actions' hunks that it is made of, or of an action that has none.
    pub parts: Vec<String>,
    /// The id of its group, to give to `execute` in `accept`: hunks of one group go together.
    pub group: String,
    /// True if the user edited its new lines.
    #[serde(default, skip_serializing_if = "is_false")]
    pub edited: bool,
    /// With `review`: its line in a diff, `@@ -1,2 +1,3 @@`, with the lines around it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub header: String,
    /// With `review`: the reason why its new lines cannot be edited.
    pub not_editable: Option<String>,
}
