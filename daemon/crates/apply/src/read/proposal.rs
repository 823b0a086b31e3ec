//! A change that an answer shows without a dialect, tied to one path of the project: a step that waits for a
//! decision of the user.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use clada_protocol::{Approval, Attention, NamedBy, NotRead, Proposal as Shown, ProposalForm};

use crate::read::step::Step;

/// A proposal of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The number in its id: that of its candidate, from 1, or the next free one of a further choice.
    pub number: usize,
    /// The file, from the project's root.
    pub path: String,
    /// What it does with the file.
    pub form: ProposalForm,
    /// What it makes.
    pub change: Change,
    /// What names the file.
    pub(crate) named_by: NamedBy,
    /// 1-based lines of the answer from its first to its last.
    pub lines: Range<u32>,
    /// The words above it in the answer.
    pub words: String,
    /// The reasons to show it first, as far as they are known before it is planned.
    pub attention: Vec<Attention>,
    /// Remarks for the user.
    pub notes: Vec<String>,
    /// The numbers of those of which one alone can be accepted; empty if it is not a choice.
    pub alternatives: Vec<usize>,
    /// The number of the part that this takes as the whole file.
    pub(crate) whole_of: Option<usize>,
    /// True if a note says what it loses, or changes in a secret: the user decides.
    pub(crate) is_doubtful: bool,
}

/// What a proposal makes of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The file has this text.
    Write(Arc<str>),
    /// The file goes.
    Delete,
    /// The file moves to this path, from the project's root.
    Move(String),
}

impl Proposal {
    #[must_use]
    pub(crate) fn id(&self) -> String {
        id(self.number)
    }

    /// Returns the last line of the answer that it is made of.
    #[must_use]
    pub(crate) fn last_line(&self) -> u32 {
        self.lines.end.saturating_sub(1).max(self.lines.start)
    }

    /// Returns the notice that it cannot be applied; `hint` says why.
    #[must_use]
    pub(crate) fn refused(&self, hint: String) -> NotRead {
        NotRead {
            line: self.lines.start,
            end_line: Some(self.last_line()),
            kind: "refused".to_owned(),
            path: Some(self.path.clone()),
            hint,
        }
    }

    /// Returns true if it is applied without a question, if a call says so.
    #[must_use]
    pub(crate) fn is_sure(&self) -> bool {
        let is_asked = |reason: &Attention| {
            matches!(
                reason,
                Attention::Guessed
                    | Attention::Remapped
                    | Attention::Part
                    | Attention::Inferred
                    | Attention::Shrinks
                    | Attention::Choice
                    | Attention::Conditional
            )
        };
        // A part taken as the whole file drops what it does not show.
        self.whole_of.is_none() && !self.is_doubtful && !self.attention.iter().any(is_asked)
    }
}

/// A proposal with its step, which is not among the answer's until it is accepted.
#[derive(Debug, Clone)]
pub struct Offered {
    /// What it would do.
    pub proposal: Proposal,
    /// Its step, which holds what was planned: it does that or nothing.
    pub step: Step,
    /// What callers are shown.
    pub shown: Shown,
    /// Of each id of a part of it, from `p1.h1` on: the hunks of its change. Empty if it is whole or not at all.
    pub(crate) parts: Vec<HashSet<usize>>,
    /// The approval that it needs.
    pub approval: Option<Approval>,
}

impl Offered {
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        let written = match &self.proposal.change {
            Change::Write(text) => text.len(),
            Change::Delete | Change::Move(_) => 0,
        };
        // Its text is there as content of the step too.
        let hunks = self.shown.file.iter().flat_map(|file| &file.hunks);
        let lines: usize =
            hunks.flat_map(|hunk| hunk.removed.iter().chain(&hunk.added)).map(String::len).sum();
        written * 2 + self.shown.diff.len() + lines + size_of::<Offered>()
    }
}

pub(crate) fn id(number: usize) -> String {
    format!("p{number}")
}
