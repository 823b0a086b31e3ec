//! `embed`: files and folders as one document for a prompt.

use std::borrow::Cow;

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::{Overlay, is_false};
use crate::wire_type::{wire_params, wire_type};
use crate::{ErrorKind, Id};

/// The notification that carries a document in pieces, and its progress: [`EmbedEvent`].
pub const EMBED_EVENT: &str = "embed.event";

/// Parameters of `embed`.
#[apply(wire_params)]
pub struct EmbedParams {
    /// Absolute path of the project.
    pub root: String,
    /// Files and folders, absolute or relative to the root. An agent's paths lie in an allowed root; a user's
    /// may lie anywhere. `path:10-42` is lines 10 to 42 of a file, and `path:10` is one line, unless a file has
    /// that name.
    #[serde(default)]
    pub paths: Vec<String>,
    /// Texts that stand in for files: an editor's unsaved buffers. One of a file that is not there counts if
    /// that file is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<Overlay>,
    /// Levels of folders below a given one; 0: only the files in it. Absent: all.
    pub recurse_depth: Option<usize>,
    /// Globs: of the files in folders, only those that match one are taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Globs: a path in a folder that matches one is left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exclude: Vec<String>,
    /// True to take hidden files and folders too.
    pub hidden: bool,
    /// The reaction to something that cannot be embedded; absent: as configured.
    pub error_mode: Option<EmbedErrorMode>,
    /// In the flexible mode: true if the user has seen the errors and goes on.
    pub approved: bool,
    /// The format of the document.
    #[serde(default, skip_serializing_if = "EmbedFormat::is_markdown")]
    pub format: EmbedFormat,
    /// The length of the document's description of itself before its files.
    #[serde(default, skip_serializing_if = "EmbedPreamble::is_brief")]
    pub preamble: EmbedPreamble,
    /// True to begin every line with its number.
    pub line_numbers: bool,
    /// True to count tokens.
    pub tokens: bool,
    /// The most tokens that the document may have; less important files are left out.
    pub max_tokens: Option<u64>,
    /// True for a document without contents, only the tree of what it would hold.
    pub tree_only: bool,
    /// True to append the difference between the last commit and the working tree.
    pub diff: bool,
    /// True to embed also the project's files that have changed since the session's last document with
    /// `changed`, as if found in the root; the first time all. With a budget they come before unchanged
    /// files.
    pub changed: bool,
    /// The clock of an earlier result or of `project.changes`, to embed the files changed since then as
    /// `changed` does. The session does not count.
    pub since: Option<String>,
    /// True to embed the context of the session too.
    pub session_context: bool,
    /// The session; absent: `default`.
    pub session: Option<String>,
    /// Larger files are left out, in kB of 1024 bytes; absent: as configured.
    pub max_file_size_kb: Option<u64>,
    /// Files of one folder at most; absent: as configured.
    pub max_files_per_directory: Option<u64>,
    /// A file, absolute or relative to the root, that gets the document. Only a user may give it.
    pub output: Option<String>,
    /// Device and inode of the file that the caller writes the document to: it is left out, as `output` is.
    pub sink: Option<[u64; 2]>,
    /// The caller's umask, which a new `output` file gets; absent: the daemon's own.
    pub umask: Option<u32>,
    /// A text that comes before the document, with a blank line between them.
    pub prompt: Option<String>,
    /// True to send the document in notifications before the result.
    pub stream: bool,
    /// True to embed files held back as secrets. Only a user may give it.
    pub include_secrets: bool,
}

/// The reaction to something that cannot be embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EmbedErrorMode {
    /// There is no document.
    Strict,
    /// There is a document once the request says `approved`.
    Flexible,
    /// There is a document without it.
    Ignore,
}

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EmbedFormat {
    /// CommonMark, for people and models.
    #[default]
    Markdown,
    /// XML 1.0.
    Xml,
    /// One JSON object.
    Json,
}

impl EmbedFormat {
    pub(crate) fn is_markdown(&self) -> bool {
        *self == EmbedFormat::Markdown
    }
}

/// The length of a document's description of itself before its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum EmbedPreamble {
    /// The text that a model needs to read the headings, in at most 120 tokens, and the tree of two files or
    /// more.
    #[default]
    Brief,
    /// Purpose, format, guidelines and limits, as in the reference, and the tree.
    Full,
}

impl EmbedPreamble {
    pub(crate) fn is_brief(&self) -> bool {
        *self == EmbedPreamble::Brief
    }
}

/// Result of `embed`.
#[apply(wire_type)]
pub struct EmbedResult {
    /// The document, if it is neither withheld, nor streamed, nor written to `output`.
    pub document: Option<String>,
    /// The files in it, in its order.
    pub files: Vec<EmbeddedFile>,
    /// The paths that were found and are not in it, in the order of paths.
    pub omitted: Vec<OmittedPath>,
    /// The limits and choices behind the document, in the order of a full preamble; empty if it is withheld.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<EmbedNote>,
    /// The failures to embed something.
    pub errors: Vec<EmbedIssue>,
    /// The warnings for the user.
    pub warnings: Vec<EmbedIssue>,
    /// True if there are errors, and the document is withheld until the request says `approved`.
    #[serde(default, skip_serializing_if = "is_false")]
    pub needs_approval: bool,
    /// The document's size in bytes, the prompt's included; 0 if it is withheld.
    #[serde(default)]
    pub bytes: u64,
    /// With `tokens` or `maxTokens`: the document's tokens, without the prompt's.
    pub tokens: Option<u64>,
    /// The file that got the document, absolute.
    pub output: Option<String>,
    /// With `changed` or `since`: the clock up to which changes are in the document.
    pub clock: Option<String>,
}

/// A file that is in the document.
#[apply(wire_type)]
pub struct EmbeddedFile {
    /// Relative to the root; absolute outside of it.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// Bytes of the file; of lines of it, their bytes in UTF-8.
    pub size: u64,
    /// Tokens of its content, if they are counted.
    pub tokens: Option<u64>,
}

/// A path that is not in the document.
#[apply(wire_type)]
pub struct OmittedPath {
    /// As of a file; a folder ends with `/`.
    pub path: String,
    /// The path's bytes as base64, if they are not UTF-8.
    pub path_bytes: Option<String>,
    /// The reason.
    pub reason: String,
}

/// A limit or choice that a document was made with, for people to read.
#[apply(wire_type)]
pub struct EmbedNote {
    /// Its name, such as `Maximum file size`.
    pub name: String,
    /// Its value, such as `1024 KB`.
    pub value: String,
}

/// Something that is wrong, or odd.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmbedIssue {
    /// The path that it is about.
    pub path: String,
    /// Of an error: its kind.
    pub kind: Option<ErrorKind>,
    /// A name for all paths with such an issue, to count them: `binary files`. Empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// In words, with the path.
    pub message: String,
}

/// The content of `embed.event`.
#[apply(wire_type)]
pub struct EmbedEvent<'a> {
    /// The id of the request.
    pub request: Option<Id>,
    /// The number of the event, from 0 on.
    pub seq: u64,
    /// The kind of the event.
    pub kind: EmbedEventKind,
    /// Of `progress`: the number of files read so far.
    pub done: Option<u64>,
    /// Of `progress`: the number of files in all.
    pub total: Option<u64>,
    /// Of `text`: the next piece of the document.
    pub text: Option<Cow<'a, str>>,
}

/// The kind of an event of an `embed`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum EmbedEventKind {
    /// More files have been read.
    Progress,
    /// There is more of the document.
    #[default]
    Text,
    /// A kind that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}
