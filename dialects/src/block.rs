//! The result of a parse: blocks of raw actions, in document order.

use std::ops::Range;

use clada_schema::{RawAction, Span};
use serde::{Deserialize, Serialize};

use crate::dialect::Dialect;
use crate::plain::Plain;
use crate::{Candidate, Diagnostic};

/// The effect of a failed action on the rest of its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    /// Each action is independent; the others go on.
    Each,
    /// The actions run in order, and the first that fails skips the rest.
    InOrder,
    /// Nothing of it runs unless every action was planned and can be done; once it runs, the first failure
    /// skips the rest (spec: dialects, "TASKS is atomic at validation").
    Atomic,
}

impl Policy {
    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Policy::Each => "each",
            Policy::InOrder => "inOrder",
            Policy::Atomic => "atomic",
        }
    }
}

/// The place and the validity of one action in a block that groups several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// 1-based line at which it opens.
    pub start_line: u32,
    /// 1-based line at which it ends.
    pub end_line: u32,
    /// True if it is a valid action. One that is not makes an atomic block unsound; in a block whose actions
    /// run in order it takes the place of an action that fails.
    pub valid: bool,
}

/// The place of an action's name in a block that gives it as a parameter (SHAM's `action = "…"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedAt {
    /// The number of the action's fields before it.
    pub index: usize,
    /// The place of the name as a value.
    pub span: Span,
}

/// A piece of the answer that one dialect claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// The dialect that claimed it.
    pub dialect: Dialect,
    /// Its id, if the dialect has ids.
    pub id: Option<&'a str>,
    /// 1-based line at which it opens.
    pub start_line: u32,
    /// 1-based line at which it ends, or `None` if its end is missing.
    pub end_line: Option<u32>,
    /// The block as written: a byte range of the text that was parsed, a BOM counted, without the last line's
    /// end.
    pub source: Range<usize>,
    /// The effect of a failure inside it on the rest of it.
    pub policy: Policy,
    /// Its actions in order. Invalid ones of an unsound block are listed too, as far as they could be read.
    pub actions: Vec<RawAction<'a>>,
    /// One for each of its actions if the policy is [`Policy::Atomic`] or [`Policy::InOrder`]; otherwise
    /// none.
    pub members: Vec<Member>,
    /// The place of its action's name, in dialects that write the name as one parameter among others.
    pub named_at: Option<NamedAt>,
    /// True if its syntax is sound and its dialect finds all its actions valid. A block that is not sound is
    /// never executed.
    pub sound: bool,
}

impl Block<'_> {
    /// The number in `[task-N]` of its action `index` (0-based), where `number` (1-based) is the first number
    /// that the block takes: `N`, or `N.M` in a block that is one operation.
    #[must_use]
    pub fn task(&self, number: usize, index: usize) -> String {
        match self.policy {
            Policy::Each | Policy::InOrder => (number + index).to_string(),
            Policy::Atomic => format!("{number}.{}", index + 1),
        }
    }

    /// The count of operation numbers that it takes.
    #[must_use]
    pub fn numbers(&self) -> usize {
        match self.policy {
            Policy::Each | Policy::InOrder => self.actions.len().max(1),
            Policy::Atomic => 1,
        }
    }
}

/// The result of [`crate::parse`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parse<'a> {
    /// The blocks in document order; they never overlap.
    pub blocks: Vec<Block<'a>>,
    /// The diagnostics in document order. Those of severity error and a block id make that block
    /// unexecutable.
    pub diagnostics: Vec<Diagnostic>,
    /// Texts that may be an edit and were not read, in document order. Empty for an answer of which nothing
    /// may run.
    pub candidates: Vec<Candidate>,
    /// What it shows without a dialect, in document order. Empty for an answer of which nothing may run.
    pub plain: Plain,
    /// Blocks whose file name is a word that may be prose, in document order.
    pub doubts: Vec<Doubt>,
}

/// A block whose file name is a word that may be prose: a file, if there is one of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The index of the block.
    pub block: usize,
    /// The file of the block before, which is meant if there is no file called as the word.
    pub instead: String,
}
