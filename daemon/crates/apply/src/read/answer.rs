//! An answer as it was understood: numbered steps, and what is wrong with the rest of it.
//!
//! Only data. How a text becomes an answer is `interpret`'s business, what its steps would do is `plan`'s.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use clada_dialects::plain::Plain;
use clada_dialects::{Candidate, Choice, Doubt, Policy};
use clada_fs::RootedPath;
use clada_protocol::{
    ActionMetadata, BlockInfo, EditedPlace, ErrorKind, NotRead, OperationWarning, Parameter, Parameters,
    ParseIssue, ParseResult, ParseSummary, ParsedAction, SharedText,
};
use clada_schema::{Action, FileAppend, FileWrite, Hunk, Terms};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::read::proposal::Offered;

/// An action of an answer with its place and number.
#[derive(Debug, Clone)]
pub struct Step {
    /// 1-based, in document order, counting the steps of the answer.
    pub seq: usize,
    /// The number in `[task-N]`: counts operations of the answer, valid or not.
    pub task: String,
    /// The steps that it shares its fate with.
    pub group: Group,
    /// Its place in the answer.
    pub metadata: ActionMetadata,
    /// The canonical name of the action; as written, if there is none of that name.
    pub name: String,
    /// The action. A member of a group that is no valid action is here as the failure that it is.
    pub action: Result<Action, Box<Failure>>,
    /// The terms of its dialect besides parameters.
    pub terms: Terms,
    /// The lines that a file that is deleted must consist of, if the dialect names them.
    pub deleted: Vec<Hunk>,
    /// The parameters that results show.
    pub shown: Shown,
    /// What is accepted of its change, if others of its hunks were declined, or if it makes a proposal that was
    /// shown.
    pub(crate) accepted: Option<AcceptedHunks>,
    pub(crate) edited: Vec<EditedLines>,
    /// True if it was not accepted before: it is done only if it is accepted now.
    pub(crate) left_out: bool,
    /// True if it makes a proposal: the user was shown exactly that.
    pub(crate) is_proposal: bool,
}

/// What an action was going to change, by hashes.
#[derive(Debug, Clone)]
pub(crate) struct ChangeHashes {
    /// Of the content before and after: equal only if exactly that happens again.
    pub(crate) exact: blake3::Hash,
    /// Of the lines that go and come, wherever they stand: equal if earlier changes were left out. `None`:
    /// elsewhere they are others.
    pub(crate) lines: Option<blake3::Hash>,
    /// The lines of each hunk, by which they are found in another change of the same file; empty: they are not.
    pub(crate) each: Vec<HunkLines>,
}

/// What the user accepted of a change that they were shown.
#[derive(Debug, Clone)]
pub(crate) struct AcceptedHunks {
    pub(crate) change: ChangeHashes,
    /// Its accepted hunks; `None`: all of it.
    pub(crate) hunks: Option<HashSet<usize>>,
}

impl AcceptedHunks {
    pub(crate) fn bytes(&self) -> usize {
        let hunks = self.hunks.as_ref().map_or(0, HashSet::len);
        size_of::<AcceptedHunks>() + size_of_val(&*self.change.each) + hunks * 16
    }

    /// Returns those of them that are accepted of the change that they make, whose hunks are these and have
    /// these lines.
    pub(crate) fn narrowed(&self, hunks: &HashSet<usize>, each: &[HunkLines]) -> Option<AcceptedHunks> {
        let mut before: Vec<usize> = self.hunks.as_ref()?.iter().copied().collect();
        before.sort_unstable();
        let lines = before.iter().map(|index| self.change.each.get(*index));
        if before.len() != each.len() || !lines.eq(each.iter().map(Some)) {
            return None;
        }
        let hunks = hunks.iter().filter_map(|index| before.get(*index).copied()).collect();
        Some(AcceptedHunks { hunks: Some(hunks), ..self.clone() })
    }
}

/// A hash of the lines that go and come by a hunk, wherever they stand.
pub(crate) type HunkLines = [u8; 16];

/// Lines that a user put in the place of those that an action would have written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedLines {
    /// The line, from 0, at which the plan showed them.
    pub(crate) start: usize,
    /// The lines that go, those that the action would have written, and those that come instead.
    pub(crate) removed: Vec<String>,
    pub(crate) added: Vec<String>,
    pub(crate) lines: Vec<String>,
}

impl EditedLines {
    pub(crate) fn from_place(place: &EditedPlace) -> Option<(EditedPart, EditedLines)> {
        let id = place.part.split_once(".h").map_or(place.part.as_str(), |(id, _)| id);
        let number = id.get(1..)?.parse().ok()?;
        let part = match id.as_bytes()[0] {
            b'a' => EditedPart::Action(number),
            b'p' => EditedPart::Proposal(number),
            _ => return None,
        };
        let EditedPlace { start, removed, added, lines, text, .. } = place.clone();
        let lines =
            text.map_or(lines, |text| ending_as(if added.is_empty() { &removed } else { &added }, &text));
        Some((part, EditedLines { start, removed, added, lines }))
    }

    pub(crate) fn makes(&self, removed: &[String], added: &[String]) -> bool {
        self.removed == removed && self.lines == added
    }

    pub(crate) fn bytes(&self) -> usize {
        let all = [&self.removed, &self.added, &self.lines].into_iter().flatten();
        all.map(|line| line.len() + size_of::<String>()).sum::<usize>() + size_of::<EditedLines>()
    }
}

fn ending_as(known: &[String], text: &str) -> Vec<String> {
    let end = if known.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let mut lines: Vec<String> =
        text.lines().map(|line| format!("{}{end}", line.trim_end_matches('\r'))).collect();
    if known.last().is_some_and(|line| !line.ends_with('\n'))
        && let Some(last) = lines.last_mut()
    {
        last.truncate(last.len() - end.len());
    }
    lines
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditedPart {
    Action(usize),
    Proposal(usize),
}

/// The parameters of a step that results show.
#[derive(Debug, Clone)]
pub enum Shown {
    /// Those of its action that have these names.
    OfAction(Vec<&'static str>),
    /// These, of a step that no answer asked for.
    Explicit(Parameters),
}

impl Step {
    #[must_use]
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.action, Ok(Action::Run(_) | Action::Exec(_)))
    }

    /// Returns true if it names lines by their numbers, which mean other lines when some come or go above.
    pub(crate) fn is_by_number(&self) -> bool {
        matches!(self.action, Ok(Action::FileReplaceLines(_)))
    }

    #[must_use]
    pub(crate) fn parameters(&self) -> Parameters {
        match (&self.shown, &self.action) {
            (Shown::Explicit(parameters), _) => parameters.clone(),
            (Shown::OfAction(names), Ok(action)) => parameters(action, names),
            (Shown::OfAction(_), Err(_)) => Parameters::default(),
        }
    }

    #[must_use]
    pub(crate) fn of_returned(seq: usize, name: &str, path: &RootedPath) -> Step {
        let written = path.written().to_owned();
        let parameters = [("path", &written), ("name", &name.to_owned())];
        let write = FileWrite { path: written.clone(), content: "".into() };
        Step {
            group: Group { block: 0, policy: Policy::Each },
            name: "unstage".to_owned(),
            action: Ok(Action::FileWrite(write)),
            shown: Shown::Explicit(
                parameters
                    .map(|(key, value)| (key.to_owned(), Parameter::Text(value.as_str().into())))
                    .into_iter()
                    .collect(),
            ),
            ..Step::of_no_answer(seq, None)
        }
    }

    #[must_use]
    pub(crate) fn of_no_answer(seq: usize, path: Option<&str>) -> Step {
        let message = "No action asked for it (SKIPPED)".to_owned();
        let parameters = path.map(|path| ("path".to_owned(), Parameter::Text(path.into())));
        Step {
            seq,
            task: seq.to_string(),
            group: Group { block: 0, policy: Policy::InOrder },
            metadata: ActionMetadata {
                block_id: None,
                start_line: 0,
                end_line: None,
                dialect: String::new(),
            },
            name: "restore".to_owned(),
            action: Err(Box::new(Failure::with_message(ErrorKind::Skipped, message))),
            terms: Terms::default(),
            deleted: Vec::new(),
            shown: Shown::Explicit(parameters.into_iter().collect()),
            accepted: None,
            edited: Vec::new(),
            left_out: false,
            is_proposal: false,
        }
    }
}

/// Returns the parameters of `action` with these names. What it writes stays a part of the answer's text.
fn parameters(action: &Action, names: &[&str]) -> Parameters {
    let (Action::FileWrite(FileWrite { path, content }) | Action::FileAppend(FileAppend { path, content })) =
        action
    else {
        return action.parameters(names).into();
    };
    let value = |name: &&str| match *name {
        "path" => Some(("path".to_owned(), Parameter::Text(path.as_str().into()))),
        "content" => {
            let (whole, part) = content.place();
            Some(("content".to_owned(), Parameter::Text(SharedText::new(whole, part))))
        }
        _ => None,
    };
    names.iter().filter_map(value).collect()
}

/// The block that a step belongs to, and what a failure in it means for the others of the block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// The block's index in the answer. The steps of a group follow one another.
    pub block: usize,
    /// The consequence of a failure.
    pub policy: Policy,
}

impl Group {
    /// Returns true if a failure of this group keeps a step of `other` from being done.
    #[must_use]
    pub(crate) fn binds(self, other: Group) -> bool {
        self == other && self.policy != Policy::Each
    }
}

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
