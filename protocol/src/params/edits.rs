//! Changes for an editor, in the Language Server Protocol's shape of a `WorkspaceEdit`.
//!
//! File operations come first, in the order in which they are to be made; then the edits of each document, in
//! one entry, under the name that it has by then.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::is_false;
use crate::wire_type::wire_type;

/// Changes in the order in which they are to be made.
#[apply(wire_type)]
pub struct WorkspaceEdit {
    /// Text edits and file operations.
    pub document_changes: Vec<DocumentChange>,
}

/// One change of a [`WorkspaceEdit`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum DocumentChange {
    /// Edits of a document's text, one entry a document: ranges are of the text before, ascending, and do not
    /// overlap. The text of a document that is created is one edit, whole, with its byte order mark.
    Text {
        /// The document.
        text_document: TextDocument,
        /// Its edits.
        edits: Vec<TextEdit>,
    },
    /// A file is renamed.
    Rename {
        /// Always `rename`.
        kind: ResourceKind,
        /// The old path.
        old_uri: String,
        /// The new path.
        new_uri: String,
        /// The rule for an existing target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<ResourceOptions>,
    },
    /// A file or folder is created or deleted.
    Resource {
        /// `create` or `delete`.
        kind: ResourceKind,
        /// The URI of the file or folder.
        uri: String,
        /// The rule for an existing target.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        options: Option<ResourceOptions>,
    },
}

/// The document of a text edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TextDocument {
    /// `file://` URI.
    pub uri: String,
    /// The version of the overlay that was planned over; null if there was none.
    pub version: Option<i32>,
}

/// A replacement of a range of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// The range that is replaced.
    pub range: Range,
    /// The text that replaces it.
    pub new_text: String,
}

/// A half-open range of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Range {
    /// The start, inclusive.
    pub start: Position,
    /// The end, exclusive.
    pub end: Position,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Position {
    /// The 0-based line.
    pub line: u32,
    /// The 0-based UTF-16 code unit within the line.
    pub character: u32,
}

/// The kind of a file operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ResourceKind {
    /// Create a file.
    Create,
    /// Rename a file.
    Rename,
    /// Delete a file.
    Delete,
}

/// Options of a file operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ResourceOptions {
    /// True to replace an existing target.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overwrite: bool,
}

/// The line ends that an editor counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum LineEnds {
    /// LF, CRLF and a lone CR, as the Language Server Protocol and VS Code count.
    #[default]
    Lsp,
    /// LF alone, as Neovim and Emacs count.
    Lf,
}

impl LineEnds {
    pub(crate) fn is_lsp(&self) -> bool {
        *self == LineEnds::Lsp
    }
}
