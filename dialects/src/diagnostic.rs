//! The faults of an answer, described so that an editor can underline them and a model can mend them.

use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;

/// The stage that found the fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorType {
    /// The text does not follow the dialect's grammar.
    Syntax,
    /// An action or parameter is missing or unknown.
    Validation,
    /// A parameter's text is not of its type.
    Type,
}

/// The effect of a diagnostic on its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The block it names is not executed.
    Error,
    /// Reported, without further effect.
    Warning,
}

/// The stable name of a fault (spec: dialects: "sham", the table of errors; "csl"; "cml"; "replacer"; the
/// last ones are ours).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs)]
pub enum Code {
    MalformedHeader,
    InvalidBlockId,
    UnclosedBlock,
    MismatchedEnd,
    MalformedAssignment,
    EmptyKey,
    InvalidKey,
    DuplicateKey,
    InvalidAssignmentOperator,
    InvalidValue,
    UnclosedQuote,
    TrailingContent,
    InvalidHeredocDelimiter,
    UnclosedHeredoc,
    MalformedMarker,
    UnknownOperation,
    MisplacedMarker,
    EndWithoutOperation,
    EndWithAttributes,
    ContentOnMarkerLine,
    UnquotedAttribute,
    UnterminatedValue,
    MissingEquals,
    MissingAttributeValue,
    InvalidAttribute,
    DuplicateAttribute,
    NestedTasks,
    UnterminatedOperation,
    MissingAttribute,
    InvalidCount,
    InvalidAppend,
    EmptyCommand,
    EmptySearch,
    EmptyTo,
    MissingFile,
    MissingReplace,
    UnclosedEdit,
    UnexpectedMarker,
    MalformedXml,
    UnknownVersion,
    UnknownElement,
    UnknownAttribute,
    MisplacedElement,
    MissingSearch,
    EmptyReplace,
    /// Warning: text that is not in CDATA holds characters that XML wants escaped; it was taken verbatim.
    RawText,
    /// Warning: text between tasks is not read.
    IgnoredText,
    /// Warning: an element was passed over although it begins as a task does.
    SkippedElement,
    /// Warning: the element is still read, but has been replaced by another.
    DeprecatedElement,
    /// A diff or patch does not name its file.
    MissingPath,
    /// The answer ends before a diff or patch does.
    TruncatedPatch,
    /// A diff or patch names a file and changes nothing.
    EmptyPatch,
    /// A line that is not allowed at its place in a diff or patch.
    UnexpectedLine,
    /// A change that diffs can express and clada does not make: binary content, copies, links, submodules.
    UnsupportedPatch,
    /// A block without the line that separates the search text from its replacement.
    MissingDivider,
    /// A block or listing whose markers can be read in more than one way.
    AmbiguousBlock,
    /// Warning: the bracket's label is not the canonical `three-char-SHA-256`.
    UnusualLabel,
    /// Warning: a quotation, a report or thinking was passed over although it holds what looks like a block.
    SkippedRegion,
    /// Warning: a quotation, a report or thinking was passed over although it holds text that resembles a
    /// block.
    IndentedBlock,
    /// More keys in one block, or attributes in one marker, than `Bounds::fields`.
    TooManyFields,
    /// More blocks than `Bounds::blocks`.
    TooManyBlocks,
    /// More diagnostics than `Bounds::diagnostics`: the rest is not listed.
    TooManyDiagnostics,
    /// The text is longer than `Bounds::input`.
    InputTooLarge,
}

/// A fault in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The stage that found it.
    pub error_type: ErrorType,
    /// Its stable name.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence for the user or model.
    pub message: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column in UTF-16 code units.
    pub column: u32,
    /// Length in UTF-16 code units; 0 marks a place.
    pub length: u32,
    /// The block it belongs to; `None` for one whose header gives no usable id.
    pub block_id: Option<String>,
    /// The line itself, cut at [`crate::Bounds::excerpt_line`] bytes.
    pub content: String,
    /// Five lines around it, LF-joined, each cut likewise: two before and two after the line, more of the one
    /// side where the other has fewer; the last five where the fault lies past the end of the text.
    pub context: String,
    /// True if nothing of the whole answer may run.
    pub fatal: bool,
    /// The dialect whose grammar it is about; `None` if it concerns all of them. Not written out.
    #[serde(skip)]
    pub dialect: Option<Dialect>,
}
