//! Proposals: changes that an answer shows without a dialect, and that wait for a decision of the user.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use super::{PlannedFile, SharedText, is_false};
use crate::wire_type::wire_type;

/// What to do with the proposals of an answer that nobody has decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PlainMode {
    /// Apply those that are sure: not a part of a file, a guessed or remapped path, an open choice, a new file
    /// that the answer does not say to create and that may be an excerpt, or a write that removes more than half
    /// of a file.
    Apply,
    /// Apply none.
    Refuse,
}

/// A change that an answer shows without a dialect, tied to one path of the project.
#[apply(wire_type)]
pub struct Proposal {
    /// The id to give to `execute` in `accept` or `decline`: `p1`, `p2`, …
    pub id: String,
    /// The file, from the root; of a move the old path.
    pub path: String,
    /// Of a move: the new path, from the root.
    pub new_path: Option<String>,
    /// What it does with the file.
    pub form: ProposalForm,
    /// What names the file.
    pub named_by: NamedBy,
    /// What it does and what names the file, in words: `whole file, named above`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Why it is shown first, in words, then `notes`; visible characters only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// 1-based line of the answer at which it begins.
    pub line: u32,
    /// 1-based line of the answer at which it ends.
    pub end_line: u32,
    /// The words above it in the answer, on one line; empty if there are none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
    /// The reasons to show it before others, always with its diff. Empty for an ordinary change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attention: Vec<Attention>,
    /// Remarks on it for the user, one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Lines that come.
    pub added: usize,
    /// Lines that go.
    pub removed: usize,
    /// The change as a git-style unified diff. Of a secret file the lines of the answer alone.
    pub diff: SharedText,
    /// Of a result of `plan`: the same change, to be reviewed by hunk. The groups of its hunks are ids to give to
    /// `accept`: that of the proposal for all of it, or those of a part like `p1.h2`.
    pub file: Option<PlannedFile>,
    /// The ids of the proposals of which at most one can be accepted, this one among them. Empty if it is not
    /// an open choice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alternatives: Vec<String>,
    /// The id of the part whose code this takes as the whole file. It is offered in the place of that part and
    /// of nothing else.
    pub whole_of: Option<String>,
    /// The id of the approval that it needs besides.
    pub needs_approval: Option<String>,
    /// True if `plain: "apply"` applies it without a question.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sure: bool,
    /// True if the user declined it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub declined: bool,
}

/// What a proposal does with its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ProposalForm {
    /// Creates the file.
    #[default]
    New,
    /// Replaces the whole file.
    Whole,
    /// Merges a part into the file.
    Part,
    /// Replaces one text of the file.
    Replacement,
    /// Adds text to the file.
    Insertion,
    /// Deletes the file.
    Delete,
    /// Moves the file.
    Move,
    /// Anything that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// What names the file of a proposal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum NamedBy {
    /// The edit block that it is, which the words around it hold back.
    Block,
    /// The info string of its fence, or its element.
    Info,
    /// The label or heading above it.
    #[default]
    Label,
    /// A comment in its first line.
    Comment,
    /// A key of JSON.
    Json,
    /// A sentence above it.
    Sentence,
    /// The sentence below it.
    Below,
    /// Nothing: its lines are in this file alone.
    Content,
    /// The request (`to`).
    Request,
    /// A shell command.
    Command,
    /// Anything that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

/// A reason to show a proposal before others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Attention {
    /// A file is deleted.
    Deletion,
    /// A file moves.
    Move,
    /// More than half of the file's lines go.
    Shrinks,
    /// Only a part of the file is shown.
    Part,
    /// Names, indentation or words give the place, and not lines of the file.
    Inferred,
    /// The path is guessed: the answer names no file.
    Guessed,
    /// The path is another one than the answer names.
    Remapped,
    /// A file or folder whose name begins with a dot.
    Dotfile,
    /// The file runs by itself, or configures what runs.
    Runs,
    /// It is one of several versions, files or folders.
    Choice,
    /// The answer has it done only under a condition, or later.
    Conditional,
    /// A reason that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

impl Proposal {
    /// Returns true if it is one of the changes that an answer shows, and not only another way to take one.
    #[must_use]
    pub const fn is_listed(&self) -> bool {
        self.whole_of.is_none()
    }
}

impl ProposalForm {
    /// Returns the words for it in a list.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            ProposalForm::New => "new file",
            ProposalForm::Whole => "whole file",
            ProposalForm::Part => "part",
            ProposalForm::Replacement => "replacement",
            ProposalForm::Insertion => "insertion",
            ProposalForm::Delete => "deletes",
            ProposalForm::Move => "moves",
            ProposalForm::Unknown => "another change",
        }
    }
}

impl NamedBy {
    /// Returns the words that say so in a list.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            NamedBy::Block => "an edit block",
            NamedBy::Info => "named in its fence",
            NamedBy::Label => "named above",
            NamedBy::Comment => "named in its first line",
            NamedBy::Json => "named by a key",
            NamedBy::Sentence => "named in a sentence above",
            NamedBy::Below => "named below",
            NamedBy::Content => "not named: guessed by its content",
            NamedBy::Request => "named by --to",
            NamedBy::Command => "named by a command",
            NamedBy::Unknown => "named otherwise",
        }
    }
}

impl Attention {
    /// Returns the words that say so to the user.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Attention::Deletion => "deletes a file",
            Attention::Move => "moves a file",
            Attention::Shrinks => "removes more than half of the file",
            Attention::Part => "only a part of the file is shown",
            Attention::Conditional => "the answer does not plainly ask for it",
            Attention::Inferred => "its place is inferred from names and indentation",
            Attention::Guessed => "the file is guessed",
            Attention::Remapped => "the answer writes another path",
            Attention::Dotfile => "a hidden file",
            Attention::Runs => "runs by itself or configures what runs",
            Attention::Choice => "one of several versions or places",
            Attention::Unknown => "a reason that this version of clada does not know",
        }
    }
}
