//! The data of actions: what each yields, a variant for each shape (spec: actions, "data on success").
//!
//! Knows the names and the order of fields on the wire, and which action has which shape. Must not know how
//! the data is shown or came about. Input is a result as another process sent it: data of no known shape
//! stays as it is.

use macro_rules_attribute::apply;
use serde::de::DeserializeOwned;
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use serde_with::skip_serializing_none;

use super::{ContextEntry, WirePath, is_false};
use crate::ErrorKind;
use crate::wire_type::wire_type;

macro_rules! action_data {
    ($($(#[$doc:meta])+ $variant:ident($type:ty) of [$($action:literal),*] $(at $path:ident)?;)*) => {
        /// The data of an action.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum ActionData {
            $($(#[$doc])+ $variant($type),)*
            /// The action was applied before, whatever it is.
            AppliedBefore(AppliedBefore),
            /// Data of another version, or of an action that is not known here.
            Other(Value),
        }

        impl ActionData {
            /// Reads the data of `action`, which failed with `kind` if it failed.
            #[must_use]
            pub fn read(action: &str, kind: Option<ErrorKind>, data: Value) -> ActionData {
                fn shaped<T: DeserializeOwned>(data: Value, shape: fn(T) -> ActionData) -> ActionData {
                    T::deserialize(&data).map_or_else(|_| ActionData::Other(data), shape)
                }
                if kind == Some(ErrorKind::AnswerAlreadyApplied) {
                    return shaped(data, ActionData::AppliedBefore);
                }
                match action {
                    $($($action)|* => shaped(data, ActionData::$variant),)*
                    _ => ActionData::Other(data),
                }
            }

            /// Returns the path that it is about, if that is one path: of a move, the old one.
            #[must_use]
            pub fn path(&self) -> Option<&str> {
                match self {
                    $($(ActionData::$variant(data) => Some(&data.$path),)?)*
                    ActionData::Other(data) => data.get("path")?.as_str(),
                    _ => None,
                }
            }
        }

        impl Serialize for ActionData {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(ActionData::$variant(data) => data.serialize(serializer),)*
                    ActionData::AppliedBefore(data) => data.serialize(serializer),
                    ActionData::Other(data) => data.serialize(serializer),
                }
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for ActionData {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                "ActionData".into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                // `Other` is what another version sent: this one sends none.
                schemars::json_schema!({
                    "description": "The data of an action: which of these it is depends on `action`, and on `kind`.",
                    "anyOf": [
                        $(generator.subschema_for::<$type>(),)*
                        generator.subschema_for::<AppliedBefore>(),
                    ],
                })
            }
        }
    };
}

// Each shape: its variant and its type, the actions that yield it, and the field with its path, if it is about one.
action_data! {
    /// A file was written.
    Written(Written) of ["file_write", "unstage"] at path;
    /// A text was appended.
    Appended(Appended) of ["file_append"] at path;
    /// A text was replaced in a file.
    Replaced(Replaced) of [
        "file_replace_text", "file_replace_texts", "file_replace_all_text", "file_replace_text_range"
    ] at path;
    /// A text was replaced in several files.
    ReplacedInFiles(ReplacedInFiles) of ["files_replace_all_text"];
    /// Lines were replaced.
    ReplacedLines(ReplacedLines) of ["file_replace_lines"] at path;
    /// A patch was applied.
    Patched(Patched) of ["file_patch"] at path;
    /// A file was moved.
    Moved(Moved) of ["file_move"];
    /// Something was done to a path.
    AtPath(AtPath) of ["file_delete", "dir_delete", "restore"] at path;
    /// A folder is there.
    Folder(Folder) of ["dir_create"] at path;
    /// A file was read.
    Read(ReadFile) of ["file_read", "file_read_numbered"] at path;
    /// Several files were read.
    ReadFiles(ReadFiles) of ["files_read"];
    /// The entries of a folder.
    Listing(Vec<ListedEntry>) of ["ls"];
    /// Lines that match.
    Lines(Vec<FoundLine>) of ["grep"];
    /// Paths that match.
    Paths(Vec<String>) of ["glob"];
    /// A command has ended.
    Command(Box<CommandData>) of ["run", "exec"];
    /// A path was added to the context, or removed.
    ContextChanged(ContextChanged) of ["context_add", "context_remove"] at path;
    /// The paths of the context.
    Context(Vec<ContextEntry>) of ["context_list"];
    /// Paths were removed from the context.
    ContextRemoved(ContextRemoved) of ["context_prune", "context_clear"];
}

impl ActionData {
    /// Returns the data of a command, if it is of one.
    #[must_use]
    pub fn command(&self) -> Option<&CommandData> {
        match self {
            ActionData::Command(command) => Some(command),
            _ => None,
        }
    }
}

/// The end that a write gave the last line of a file, if it had none (spec: answers, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum FinalNewline {
    /// A newline was added.
    Added,
    /// An end that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// The data of `file_write`.
#[apply(wire_type)]
pub struct Written {
    /// The file, as it was named.
    pub path: String,
    /// Its size.
    pub bytes_written: usize,
    /// True if there was no file.
    pub created: bool,
    /// The end that the last line got, if it had none.
    pub final_newline: Option<FinalNewline>,
    /// Of an edit that the answer shows without a dialect, as a part of the file say: the lines that it changed.
    pub lines: Option<EditedLines>,
}

/// The lines that an edit changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EditedLines {
    /// Lines that came.
    pub added: usize,
    /// Lines that went.
    pub removed: usize,
}

/// The data of `file_append`.
#[apply(wire_type)]
pub struct Appended {
    /// The file, as it was named.
    pub path: String,
    /// The bytes that were added.
    pub bytes_written: usize,
    /// The end that the last line got, if it had none.
    pub final_newline: Option<FinalNewline>,
}

/// The data of an action that replaces a text in one file.
#[apply(wire_type)]
pub struct Replaced {
    /// The file, as it was named.
    pub path: String,
    /// The number of places.
    pub replacements: usize,
    /// Of one range: its first line.
    pub first_line: Option<usize>,
    /// Of one range: its last line.
    pub last_line: Option<usize>,
}

/// The data of `files_replace_all_text`.
#[apply(wire_type)]
pub struct ReplacedInFiles {
    /// An entry a file.
    pub results: Vec<ReplacedInFile>,
}

/// One file of `files_replace_all_text`.
#[apply(wire_type)]
pub struct ReplacedInFile {
    /// The file, as it was named.
    pub path: String,
    /// The number of places.
    pub replacements: usize,
    /// The reason why it was not changed.
    pub error: Option<String>,
}

/// The data of `file_replace_lines`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReplacedLines {
    /// The file, as it was named.
    pub path: String,
    /// The number of lines that are gone.
    pub lines_replaced: usize,
}

/// The data of `file_patch`.
#[apply(wire_type)]
pub struct Patched {
    /// The file, as it was named.
    pub path: String,
    /// The path that it has moved to.
    pub new_path: Option<String>,
    /// The number of hunks.
    pub hunks: usize,
    /// True if there was no file.
    #[serde(default, skip_serializing_if = "is_false")]
    pub created: bool,
}

/// The data of `file_move`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moved {
    /// The path that it had.
    pub old_path: String,
    /// The path that it has.
    pub new_path: String,
    /// True if something was there, and is replaced.
    #[serde(default, skip_serializing_if = "is_false")]
    pub overwrote: bool,
}

/// The data of an action that yields no more than its path.
#[apply(wire_type)]
pub struct AtPath {
    /// The path, as it was named.
    pub path: String,
}

/// The data of `dir_create`.
#[apply(wire_type)]
pub struct Folder {
    /// The folder, as it was named.
    pub path: String,
    /// True if it was not there.
    pub created: bool,
}

/// The data of `file_read` and `file_read_numbered`.
#[apply(wire_type)]
pub struct ReadFile {
    /// The file, as it was named.
    pub path: String,
    /// Its text; absent if the result has no room for it.
    pub content: Option<String>,
    /// The number of lines in words, if more were asked for than there are.
    pub past_end: Option<String>,
}

/// The data of `files_read`.
#[apply(wire_type)]
pub struct ReadFiles {
    /// The files that were read; absent if none was tried.
    pub paths: Option<Vec<String>>,
    /// Their texts, each behind a line with its path.
    pub content: Option<String>,
    /// Of a failure: true if the result has no room for all of them.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// The files that could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Unread>,
}

/// A file that could not be read.
#[apply(wire_type)]
pub struct Unread {
    /// The file, as it was named.
    pub path: String,
    /// The reason.
    pub error: String,
}

/// An entry of `ls`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "EntryFields")]
pub struct ListedEntry {
    /// Its name; on the wire `name`, and `nameBytes` if it is no UTF-8.
    pub name: WirePath,
    /// Its kind: `file`, `directory`, `symlink` or `special`.
    pub kind: String,
    /// Its size in bytes.
    pub size: u64,
    /// The time of its last change, as RFC 3339 has it.
    pub modified: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EntryFields {
    name: String,
    r#type: String,
    size: u64,
    modified: String,
    name_bytes: Option<String>,
}

impl From<EntryFields> for ListedEntry {
    fn from(fields: EntryFields) -> ListedEntry {
        let EntryFields { name, r#type, size, modified, name_bytes } = fields;
        ListedEntry { name: WirePath::sent(name, name_bytes), kind: r#type, size, modified }
    }
}

impl Serialize for ListedEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("name", self.name.text())?;
        map.serialize_entry("type", &self.kind)?;
        map.serialize_entry("size", &self.size)?;
        map.serialize_entry("modified", &self.modified)?;
        if let Some(bytes) = self.name.encoded() {
            map.serialize_entry("nameBytes", &bytes)?;
        }
        map.end()
    }
}

/// A line that `grep` found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "LineFields")]
pub struct FoundLine {
    /// The file, absolute; on the wire `file`, and `pathBytes` if it is no UTF-8.
    pub file: WirePath,
    /// The line's number, from 1.
    pub line_number: u64,
    /// The line without its end.
    pub line: String,
    /// True if the line is longer than what is shown of it.
    pub truncated: bool,
}

#[derive(Deserialize)]
struct LineFields {
    file: String,
    line_number: u64,
    line: String,
    #[serde(default)]
    truncated: bool,
    #[serde(rename = "pathBytes")]
    path_bytes: Option<String>,
}

impl From<LineFields> for FoundLine {
    fn from(fields: LineFields) -> FoundLine {
        let LineFields { file, line_number, line, truncated, path_bytes } = fields;
        FoundLine { file: WirePath::sent(file, path_bytes), line_number, line, truncated }
    }
}

impl Serialize for FoundLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("file", self.file.text())?;
        map.serialize_entry("line_number", &self.line_number)?;
        map.serialize_entry("line", &self.line)?;
        if self.truncated {
            map.serialize_entry("truncated", &true)?;
        }
        if let Some(bytes) = self.file.encoded() {
            map.serialize_entry("pathBytes", &bytes)?;
        }
        map.end()
    }
}

/// The data of a command: `run` and `exec`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandData {
    /// The text that it wrote to its standard output.
    #[serde(default)]
    pub stdout: String,
    /// The text that it wrote to its standard error.
    #[serde(default)]
    pub stderr: String,
    /// Its exit status; of one that a signal ended 128 and the signal. `null` if it has none.
    #[serde(default)]
    #[serialize_always]
    pub exit_code: Option<i32>,
    /// The sandbox that its program ran in; absent if there was no program.
    pub sandbox: Option<String>,
    /// Of a command that changes what it names: those paths.
    pub paths: Option<Vec<String>>,
    /// True if `stdout` or `stderr` was cut.
    #[serde(default, skip_serializing_if = "is_false")]
    pub truncated: bool,
    /// Of a program whose `stdout` was cut: the bytes that it wrote there.
    #[serde(rename = "stdoutBytes")]
    pub stdout_bytes: Option<u64>,
    /// Of a program whose `stderr` was cut: the bytes that it wrote there.
    #[serde(rename = "stderrBytes")]
    pub stderr_bytes: Option<u64>,
    /// True if it wrote what is no UTF-8; the texts have U+FFFD there.
    #[serde(default, skip_serializing_if = "is_false")]
    pub lossy: bool,
    /// The first of the files that it changed and by which other programs run something.
    pub touched: Option<Vec<String>>,
    /// The number of them.
    pub touched_count: Option<usize>,
    /// True if not all such files could be looked at.
    #[serde(default, skip_serializing_if = "is_false")]
    pub touched_incomplete: bool,
    /// The reason in a sentence why it could not have sockets with names, if so.
    pub no_sockets: Option<String>,
    /// The processes that it left behind, which were ended; absent if there were none.
    pub left: Option<usize>,
    /// The paths that it may have changed and that no undo restores; absent if there are none.
    pub not_undoable: Option<NotUndoable>,
    /// The repositories that it made; absent if there are none.
    pub repositories: Option<NewRepositories>,
}

impl CommandData {
    /// Returns the streams that it wrote to, by name.
    #[must_use]
    pub fn streams(&self) -> [(&'static str, &str); 2] {
        [("stdout", &self.stdout), ("stderr", &self.stderr)]
    }
}

/// The repositories that a command made.
#[apply(wire_type)]
pub struct NewRepositories {
    /// The first of their folders, from the root.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
}

/// The data of `context_add` and `context_remove`.
#[apply(wire_type)]
pub struct ContextChanged {
    /// The path, as it was named.
    pub path: String,
    /// The number of paths in the context.
    pub size: usize,
}

/// The data of `context_prune` and `context_clear`.
#[apply(wire_type)]
pub struct ContextRemoved {
    /// The paths that were removed.
    pub removed: Vec<String>,
}

/// The operation that applied an action before.
#[apply(wire_type)]
pub struct AppliedBefore {
    /// Its id.
    pub operation_id: String,
    /// The time, as RFC 3339 has it, with milliseconds.
    pub applied_at: String,
}

/// Paths that no undo restores: ignored by git, or different from git's copy and too large to be kept.
#[apply(wire_type)]
pub struct NotUndoable {
    /// The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
    /// True if the project is too large to be read as a whole: there may be more.
    #[serde(default, skip_serializing_if = "is_false")]
    pub incomplete: bool,
}
