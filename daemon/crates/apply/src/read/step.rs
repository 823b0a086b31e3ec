//! An action of an answer with its place and number, and what is accepted of its change.
//!
//! Only data: what a step would do is `plan`'s business.

use std::collections::HashSet;

use clada_dialects::Policy;
use clada_fs::RootedPath;
use clada_protocol::{ActionMetadata, EditedPlace, ErrorKind, Parameter, Parameters, SharedText};
use clada_schema::{Action, FileAppend, FileWrite, Hunk, Terms};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

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
    /// The action. A member of a group that is not a valid action is here as the failure that it is.
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EditedPart {
    Action(usize),
    Proposal(usize),
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

/// The parameters of a step that results show.
#[derive(Debug, Clone)]
pub enum Shown {
    /// Those of its action that have these names.
    OfAction(Vec<&'static str>),
    /// These, of a step that no answer asked for.
    Explicit(Parameters),
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
