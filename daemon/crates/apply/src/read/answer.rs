//! An answer as it was understood: numbered steps, and what is wrong with the rest of it.
//!
//! Only data. How a text becomes an answer is `interpret`'s business, what its steps would do is `plan`'s.

use std::collections::BTreeMap;
use std::sync::Arc;

use clada_dialects::plain::Plain;
use clada_dialects::{Candidate, Choice, Doubt};
use clada_protocol::{
    BlockInfo, NotRead, OperationWarning, ParseIssue, ParseResult, ParseSummary, ParsedAction, Proposal,
};
use serde_json::{Map, Value};

use crate::read::proposal::Offered;
pub(crate) use crate::read::step::{
    AcceptedHunks, ChangeHashes, EditedLines, EditedPart, Group, HunkLines, Shown, Step,
};

/// The dependence of an answer's blocks on each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Atomicity {
    /// Each block by its own policy.
    #[default]
    Blocks,
    /// All of the answer is done or nothing, which is decided when it is planned.
    AllOrNothing,
}

/// How many steps and operation numbers the blocks of an answer have, settled ones included.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    /// Steps.
    pub steps: usize,
    /// Operation numbers, also of blocks without a step.
    pub tasks: usize,
}

/// An answer as it was understood.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The valid actions in document order, with those invalid ones on which the rest of their block depends.
    pub steps: Vec<Step>,
    /// The dependence of its blocks on each other.
    pub atomicity: Atomicity,
    /// The blocks in document order.
    pub blocks: Vec<BlockInfo>,
    /// Errors, in document order.
    pub errors: Vec<ParseIssue>,
    /// Warnings about the text itself.
    pub warnings: Vec<ParseIssue>,
    /// Notes about an action.
    pub notes: Vec<OperationWarning>,
    /// Texts that may be an edit and were not read.
    pub candidates: Vec<Candidate>,
    /// Blocks whose file is named by a word that may be prose.
    pub doubts: Vec<Doubt>,
    /// The text that `candidates` and `plain` refer to; empty if they have none.
    pub shown: Arc<str>,
    /// Candidates that are edits, once that has been decided.
    pub not_read: Vec<NotRead>,
    /// The dialects that were looked for.
    pub choice: Choice,
    /// What it shows without a dialect, until that is held against the project.
    pub plain: Plain,
    /// True if the dialects that were named include `whole_file`, the name of what is shown without a dialect.
    pub plain_alone: bool,
    /// The changes that it shows without a dialect, and that nobody has accepted.
    pub proposals: Vec<Offered>,
    /// What the user edited of those, by their numbers.
    pub edited_proposals: BTreeMap<usize, Vec<EditedLines>>,
    /// Files, from the root, that already are as it shows them.
    pub already: Vec<String>,
    /// True if it has code that names no file, and was not tied to one.
    pub has_unnamed: bool,
    /// How many steps and operation numbers its blocks have.
    pub counted: Counts,
    /// The syntax tree by dialect, if it was asked for.
    pub tree: Option<Map<String, Value>>,
}

impl Answer {
    pub(crate) fn shown_proposals(&self) -> Vec<Proposal> {
        self.proposals.iter().map(|offered| offered.shown.clone()).collect()
    }

    /// Returns true if a command, or code, is in it.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.steps.iter().any(Step::is_command)
    }

    #[must_use]
    pub(crate) fn fatal(&self) -> Option<&str> {
        self.errors.iter().find(|issue| issue.fatal).map(|issue| issue.message.as_str())
    }

    /// The answer in the shape of the method `parse`.
    #[must_use]
    pub fn into_parse_result(self) -> ParseResult {
        let proposals = self.shown_proposals();
        let actions: Vec<ParsedAction> = self
            .steps
            .into_iter()
            .filter(|step| step.action.is_ok())
            .map(|step| ParsedAction {
                parameters: step.parameters(),
                task: step.task,
                action: step.name,
                metadata: step.metadata,
            })
            .collect();
        let summary = ParseSummary {
            total_blocks: self.blocks.len(),
            success_count: actions.len(),
            error_count: self.errors.len(),
        };
        // A parse result has no notes: they are warnings of validation there.
        let notes = self.notes.into_iter().map(|note| ParseIssue {
            error_type: "validation".to_owned(),
            message: note.message,
            ..ParseIssue::default()
        });
        let warnings = self.warnings.into_iter().chain(notes).collect();
        ParseResult {
            actions,
            errors: self.errors,
            warnings,
            blocks: self.blocks,
            not_read: self.not_read,
            proposals,
            summary,
            tree: self.tree,
            ..ParseResult::default()
        }
    }
}
