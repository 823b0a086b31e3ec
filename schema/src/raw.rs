//! The output of a dialect before any check: names and texts, with their places.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// A place in an answer, as an editor needs it to underline text.
///
/// Lines are 1-based over the whole answer, after a leading BOM is dropped. Columns are 1-based and lengths
/// are counts, both in UTF-16 code units. A length of 0 marks a place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Span {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in UTF-16 code units.
    pub column: u32,
    /// Length in UTF-16 code units.
    pub length: u32,
}

/// A named text, as a dialect found it: nothing converted, nothing checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawField<'a> {
    /// The parameter's name as written (a dialect that has no names uses the schema's).
    pub name: Cow<'a, str>,
    /// The text, with the dialect's escapes and line joining already undone.
    pub value: Cow<'a, str>,
    /// The place where the value begins.
    pub span: Span,
}

/// One action of an answer before validation. `crate::validate` makes an [`crate::Action`] of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RawAction<'a> {
    /// The action's name as written, or `None` if the block names none.
    pub name: Option<Cow<'a, str>>,
    /// Its parameters in the order of the answer; no name occurs twice.
    pub fields: Vec<RawField<'a>>,
    /// The hunks of a `file_patch`, which only dialects that carry diffs produce; of a `file_delete`, the
    /// lines that the file must consist of.
    pub hunks: Vec<RawHunk<'a>>,
    /// The replacements of a `file_replace_texts`, which only calls of tools produce.
    pub edits: Vec<RawEdit<'a>>,
    /// The dialect's statements besides parameters.
    pub terms: Terms,
}

impl RawAction<'_> {
    /// Returns the text of the field `name`, if it is there.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|field| field.name == name).map(|field| field.value.as_ref())
    }
}

/// One replacement of a `file_replace_texts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEdit<'a> {
    /// The text to look for.
    pub old_text: Cow<'a, str>,
    /// The text that replaces it.
    pub new_text: Cow<'a, str>,
    /// The number of times that the old text must stand in the file; at least 1.
    pub count: u64,
}

/// The statements of a dialect about an action besides its parameters: conditions, and the way it is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// The condition on the target of a write or move. Of a `file_patch` whose hunks only add lines, `Fail`
    /// means that it makes a file: an existing file that is not empty is an error.
    pub if_exists: IfExists,
    /// The extent that a `file_replace_text` with an empty new text deletes.
    pub deletes: Deletes,
    /// True if the file is to be executable afterwards (a diff's modes); `None` leaves it as it is.
    pub executable: Option<bool>,
    /// True if the syntax cannot say whether the last line of a text that is written or appended has an end:
    /// a heredoc, lines between markers (spec: answers, section 5).
    pub open_end: bool,
}

/// The extent that goes when nothing replaces a text (spec: dialects, "replacer").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Deletes {
    /// The text, and nothing around it.
    #[default]
    Text,
    /// The text and, if it is whole lines, the line end after it.
    Lines,
}

/// The condition on the target of a write or a move (spec: actions, "Two more").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum IfExists {
    /// An existing target is replaced; none needs to exist.
    #[default]
    Replace,
    /// An existing target is an error.
    Fail,
    /// A missing target is an error.
    MustExist,
}

/// A hunk as a dialect read it. Its lines borrow from the answer where the answer holds them as they are.
pub type RawHunk<'a> = Hunk<Cow<'a, str>>;

/// One hunk of a `file_patch`: lines in order, and the dialect's statements about their place. `T` holds the
/// text of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Hunk")]
pub struct Hunk<T = String> {
    /// Context, removed and added lines, without their line ends, in order.
    pub lines: Vec<HunkLine<T>>,
    /// Lines that name the scope of the hunk, outermost first (`@@ class A`, a diff's section text).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The 1-based line of the old file at which the hunk says it begins. A hint, never an authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_hint: Option<u32>,
    /// The 1-based line of the file after which the lines, all of them new, are inserted; 0 is before the
    /// first. Unlike the hint it decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_line: Option<u32>,
    /// True if the hunk says that it is at the end of the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_end_of_file: bool,
    /// True if the last line of the new text has a line end. Present if a hunk that reaches the last line
    /// says so (`\ No newline at end of file`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_newline: Option<bool>,
    /// True if the counts in its header (`@@ -1,3 +1,4 @@`) are those of its lines, so that its author has
    /// counted. Not serialized: only the process that read the hunk knows it.
    #[serde(skip)]
    pub is_counted: bool,
}

impl Hunk {
    /// Returns the lines that it looks for: those that stay and those that go.
    #[must_use]
    pub fn old_lines(&self) -> Vec<&str> {
        let old = self.lines.iter().filter(|line| !matches!(line, HunkLine::Added(_)));
        old.map(|line| line.text().as_str()).collect()
    }
}

impl RawHunk<'_> {
    /// Returns the same hunk with lines that it owns.
    #[must_use]
    pub fn into_owned<T: From<String>>(self) -> Hunk<T> {
        Hunk {
            lines: self.lines.into_iter().map(|line| line.map(|text| text.into_owned().into())).collect(),
            scopes: self.scopes,
            line_hint: self.line_hint,
            after_line: self.after_line,
            at_end_of_file: self.at_end_of_file,
            final_newline: self.final_newline,
            is_counted: self.is_counted,
        }
    }
}

/// A line of a [`Hunk`], without its line end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HunkLine")]
pub enum HunkLine<T = String> {
    /// A line that stays as it is.
    Context(T),
    /// A line that goes.
    Removed(T),
    /// A line that comes.
    Added(T),
}

impl<T> HunkLine<T> {
    /// Returns its text, whatever its kind.
    pub fn text(&self) -> &T {
        let (HunkLine::Context(text) | HunkLine::Removed(text) | HunkLine::Added(text)) = self;
        text
    }

    /// Returns the same line with `change` applied to its text.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> HunkLine<U> {
        match self {
            HunkLine::Context(text) => HunkLine::Context(change(text)),
            HunkLine::Removed(text) => HunkLine::Removed(change(text)),
            HunkLine::Added(text) => HunkLine::Added(change(text)),
        }
    }
}
