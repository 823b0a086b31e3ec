//! Typed actions: the input of the planner.
//!
//! Only [`crate::validate`] makes them. Each struct mirrors its entry in `actions.yaml`; a test derives the
//! JSON Schema of both and compares them.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::convert::path_lines;
use crate::count::Count;
use crate::raw::{Hunk, RawAction};
use crate::text_slice::TextSlice;

/// Calls `$callback!` with each action of `actions.yaml`: its name and the type of its parameters.
#[doc(hidden)]
#[macro_export]
macro_rules! each_action {
    ($callback:ident) => {
        $callback! {
            file_write: FileWrite,
            file_append: FileAppend,
            file_replace_text: FileReplaceText,
            file_replace_all_text: FileReplaceAllText,
            files_replace_all_text: FilesReplaceAllText,
            file_replace_text_range: FileReplaceTextRange,
            file_replace_lines: FileReplaceLines,
            file_delete: FileDelete,
            file_move: FileMove,
            file_read: FileRead,
            file_read_numbered: FileReadNumbered,
            files_read: FilesRead,
            dir_create: DirCreate,
            dir_delete: DirDelete,
            ls: Ls,
            grep: Grep,
            glob: Glob,
            exec: Exec,
            run: Run,
            context_add: ContextAdd,
            context_remove: ContextRemove,
            context_list: ContextList,
            context_prune: ContextPrune,
            context_clear: ContextClear,
            git_squash: GitSquash,
            undo: Undo,
            redo: Redo,
            git_step_back: GitStepBack,
            git_step_forward: GitStepForward
        }
    };
}

macro_rules! actions {
    ($($name:ident: $type:ident),*) => {
        /// An action that is sound: its parameters are there and of their types. Other code decides if it can be
        /// applied.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "action", content = "parameters", rename_all = "snake_case")]
        #[allow(missing_docs)]
        pub enum Action {
            $($type($type),)*
            /// Produced only by dialects that carry diffs; not in `actions.yaml`.
            FilePatch(FilePatch),
            /// Produced only by calls of tools; not in `actions.yaml`.
            FileReplaceTexts(FileReplaceTexts),
        }

        impl Action {
            /// Returns the canonical name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self {
                    $(Action::$type(_) => stringify!($name),)*
                    Action::FilePatch(_) => "file_patch",
                    Action::FileReplaceTexts(_) => "file_replace_texts",
                }
            }
        }
    };
}

each_action!(actions);

impl Action {
    /// Returns the parameters that are called `names`, in that order, with their values.
    ///
    /// They are made again with each call: an answer's texts are large, and most are never shown.
    #[must_use]
    pub fn parameters(&self, names: &[&str]) -> Map<String, Value> {
        let mut tagged = serde_json::to_value(self).unwrap_or_default();
        let Some(Value::Object(all)) = tagged.get_mut("parameters") else { return Map::new() };
        let value = |name: &&str| Some(((*name).to_owned(), all.get_mut(*name)?.take()));
        names.iter().filter_map(value).collect()
    }

    /// Lets the text that it writes be a part of `whole`, if `raw`, its origin, borrows it from there.
    pub fn share(&mut self, raw: &RawAction<'_>, whole: &Arc<str>) {
        if let Action::FileWrite(FileWrite { content, .. }) | Action::FileAppend(FileAppend { content, .. }) =
            self
            && let Some(text) = raw.field("content")
        {
            *content = TextSlice::new(whole, text);
        }
    }

    /// Fails only for parameters that [`crate::validate`] has not checked.
    pub(crate) fn from_parameters(name: &str, parameters: Map<String, Value>) -> serde_json::Result<Action> {
        let mut tagged = Map::new();
        tagged.insert("action".to_owned(), name.into());
        tagged.insert("parameters".to_owned(), parameters.into());
        serde_json::from_value(tagged.into())
    }
}

/// Returns the paths of a `multiline_absolute_paths` parameter: one a line, blank lines ignored.
pub fn paths(text: &str) -> impl Iterator<Item = &str> {
    path_lines(text)
}

/// `file_write`: create or replace a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileWrite {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// The text, exactly as the file is to hold it
    pub content: TextSlice,
}

/// `file_append`: append to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileAppend {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// The text, exactly as the file is to hold it.
    pub content: TextSlice,
}

/// `file_replace_text`: replace a text that occurs exactly once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceText {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// The text to look for.
    pub old_text: String,
    /// The text that replaces it.
    pub new_text: String,
}

/// `file_replace_all_text`: replace every occurrence of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceAllText {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// The text to look for.
    pub old_text: String,
    /// The text that replaces it.
    pub new_text: String,
    /// The number of matches that there must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// `files_replace_all_text`: replace every occurrence of a text in several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesReplaceAllText {
    /// The files, one a line.
    #[schemars(extend("format" = "multiline_absolute_paths"))]
    pub paths: String,
    /// The text to look for.
    pub old_text: String,
    /// The text that replaces it.
    pub new_text: String,
}

/// `file_replace_text_range`: replace from a beginning through an end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceTextRange {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// The text at which the range begins.
    pub old_text_beginning: String,
    /// The text at which the range ends.
    pub old_text_end: String,
    /// The text that replaces it.
    pub new_text: String,
    /// The number of matches that there must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
}

/// `file_replace_lines`: replace a range of lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceLines {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// `"4"` or `"23-43"`, 1-based, both ends included.
    pub lines: String,
    /// The lines that replace them.
    pub new_content: String,
}

/// `file_delete`: delete a file or symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileDelete {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `file_move`: move a file or symbolic link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileMove {
    /// From here.
    #[schemars(extend("format" = "absolute_path"))]
    pub old_path: String,
    /// To there.
    #[schemars(extend("format" = "absolute_path"))]
    pub new_path: String,
}

/// `file_read`: read a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileRead {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `file_read_numbered`: read a file with line numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileReadNumbered {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// `"4"` or `"23-43"`, 1-based, both ends included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    /// The text between the number and the line.
    #[serde(default = "numbered_delimiter")]
    pub delimiter: String,
}

/// `files_read`: read several files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesRead {
    /// The files, one a line.
    #[schemars(extend("format" = "multiline_absolute_paths"))]
    pub paths: String,
}

/// `dir_create`: create a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirCreate {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `dir_delete`: delete an empty folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirDelete {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `ls`: list a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ls {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `grep`: find lines that contain a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Grep {
    /// The text to look for.
    pub pattern: String,
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
    /// A glob for file names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub include: Option<String>,
}

/// `glob`: find files by a glob.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Glob {
    /// The text to look for.
    pub pattern: String,
    /// The folder that the glob is relative to.
    #[schemars(extend("format" = "absolute_path"))]
    pub base_path: String,
}

/// `exec`: run code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exec {
    /// The code.
    pub code: String,
    /// Its language.
    pub lang: Language,
    /// The interpreter's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The folder that it runs in.
    #[schemars(extend("format" = "absolute_path"))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Milliseconds that it may take.
    #[schemars(extend("minimum" = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u64>,
}

/// `run`: run a command without a shell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// The command line.
    pub command: String,
    /// The folder that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
}

/// `context_add`: add to the session's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextAdd {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `context_remove`: remove from the session's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextRemove {
    /// The file or folder.
    #[schemars(extend("format" = "absolute_path"))]
    pub path: String,
}

/// `context_list`: list the session's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextList {}

/// `context_prune`: drop what is gone or unused from the context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextPrune {}

/// `context_clear`: empty the session's context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextClear {}

/// `git_squash`: squash commits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitSquash {
    /// The commits that it takes.
    pub mode: SquashMode,
    /// The message of the new commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// For `hours`: the number of hours to go back.
    #[schemars(extend("minimum" = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hours: Option<u64>,
    /// For `days`: the number of days to go back.
    #[schemars(extend("minimum" = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u64>,
    /// For `msg_contains`: the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) msg_target: Option<String>,
}

/// `undo`: undo the last operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {}

/// `redo`: redo what was undone last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Redo {}

/// `git_step_back`: move to the previous commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitStepBack {}

/// `git_step_forward`: move to the next commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GitStepForward {}

fn numbered_delimiter() -> String {
    crate::load::default_of("file_read_numbered", "delimiter").unwrap_or(": ").to_owned()
}

/// `file_patch`: hunks to locate in a file, and the file's new path if the patch also moves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FilePatch {
    /// The file.
    pub path: String,
    /// The hunks, in the order of the file.
    pub hunks: Vec<Hunk>,
    /// The path that the file moves to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_path: Option<String>,
}

/// `file_replace_texts`: several replacements in one file, each looked for in the file as it was before all
/// of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileReplaceTexts {
    /// The file.
    pub path: String,
    /// The replacements; no two of them may change the same text.
    pub edits: Vec<TextEdit>,
}

/// A replacement of a [`FileReplaceTexts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TextEdit {
    /// The text to look for.
    pub old_text: String,
    /// The text that replaces it.
    pub new_text: String,
    /// The number of times that the old text must stand in the file; at least 1.
    pub count: u64,
}

/// A language that `exec` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum Language {
    Python,
    Javascript,
    Bash,
    Ruby,
}

impl Language {
    /// Returns its name, as an answer writes it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Javascript => "javascript",
            Language::Bash => "bash",
            Language::Ruby => "ruby",
        }
    }
}

/// The commits that `git_squash` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[allow(missing_docs)]
pub enum SquashMode {
    AutoAi,
    AiMessages,
    Hours,
    Days,
    MsgContains,
}
