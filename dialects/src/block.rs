//! What a parse yields: blocks of raw actions, in document order.

use std::ops::Range;

use clada_schema::{RawAction, Span};
use serde::{Deserialize, Serialize};

use crate::glance::Dialects;
use crate::{Candidate, Diagnostic};

/// A way in which models write edits and commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// `#!SHAM …` and its later name `#!NESL …`.
    Sham,
    /// Clada Syntax Language: `<---WRITE file="…"--->` and its siblings.
    Csl,
    /// The XML protocol: `<write path="…">` and its siblings.
    Cml,
    /// `<<<FILE>>>`, `<<<SEARCH>>>`, `<<<REPLACE>>>`, `<<<END>>>`.
    Replacer,
    /// `*** Begin Patch` … `*** End Patch`.
    ApplyPatch,
    /// SEARCH/REPLACE blocks, of aider and its kin.
    Aider,
    /// Unified diffs, plain and git's.
    UnifiedDiff,
    /// Calls of editing tools as text, in JSON or as elements.
    ToolCall,
    /// A file name, then the whole file in a fence.
    WholeFile,
}

impl Dialect {
    /// Every dialect that this version reads, in the order in which they are asked whether a block opens.
    pub const ALL: &'static [Dialect] = &[
        Dialect::Sham,
        Dialect::Csl,
        Dialect::Cml,
        Dialect::Replacer,
        Dialect::ApplyPatch,
        Dialect::Aider,
        Dialect::UnifiedDiff,
        Dialect::ToolCall,
        Dialect::WholeFile,
    ];

    /// Those that are looked for when nobody names any. Not `whole_file`: with it, any sample listing in an answer
    /// would overwrite a file.
    pub const AUTO: &'static [Dialect] = &[
        Dialect::Sham,
        Dialect::Csl,
        Dialect::Cml,
        Dialect::Replacer,
        Dialect::ApplyPatch,
        Dialect::Aider,
        Dialect::UnifiedDiff,
        Dialect::ToolCall,
    ];

    /// The name used in parameters, results and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Sham => "sham",
            Dialect::Csl => "csl",
            Dialect::Cml => "cml",
            Dialect::Replacer => "replacer",
            Dialect::ApplyPatch => "apply_patch",
            Dialect::Aider => "aider",
            Dialect::UnifiedDiff => "unified_diff",
            Dialect::ToolCall => "tool_call",
            Dialect::WholeFile => "whole_file",
        }
    }

    /// The dialect called `name`. `nesl` is accepted for `sham`, being the same one.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Dialect> {
        match name {
            "nesl" => Some(Dialect::Sham),
            _ => Dialect::ALL.iter().copied().find(|dialect| dialect.name() == name),
        }
    }
}

/// Which dialects are looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Choice {
    /// All of [`Dialect::AUTO`].
    #[default]
    Auto,
    /// Of [`Dialect::AUTO`] and others, those that a configuration leaves enabled. Read as in `Auto`: text that merely
    /// resembles a dialect is text.
    Enabled(Vec<Dialect>),
    /// Only these, and the answer is meant to be written in them.
    Named(Vec<Dialect>),
}

impl Choice {
    /// The dialects of which blocks are looked for.
    pub(crate) fn dialects(&self) -> Dialects {
        match self {
            Choice::Auto => Dialects::of(Dialect::AUTO),
            Choice::Enabled(named) | Choice::Named(named) => Dialects::of(named),
        }
    }

    /// Whether blocks of `dialect` are looked for.
    #[must_use]
    pub fn includes(&self, dialect: Dialect) -> bool {
        self.dialects().contains(dialect)
    }
}

/// What happens to the rest of a block when one of its actions fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Policy {
    /// Each action stands alone; the others go on.
    Each,
    /// The actions run in order, and the first that fails skips the rest.
    InOrder,
    /// Nothing of it runs unless every action was planned and can be done; once it runs, the first failure skips
    /// the rest (spec: dialects, "TASKS is atomic at validation").
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

/// Where one action of a block that groups several stands, and whether it is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// 1-based line at which it opens.
    pub start_line: u32,
    /// 1-based line at which it ends.
    pub end_line: u32,
    /// It is a valid action. One that is not makes an atomic block unsound; in a block whose actions run in order it
    /// stands for an action that fails.
    pub valid: bool,
}

/// Where a block names its action, if that is done by a parameter (SHAM's `action = "…"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NamedAt {
    /// How many of the action's fields stand before it.
    pub index: usize,
    /// Where the name stands as a value.
    pub span: Span,
}

/// A piece of the answer that one dialect claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block<'a> {
    /// Who claimed it.
    pub dialect: Dialect,
    /// Its id, if the dialect has ids.
    pub id: Option<&'a str>,
    /// 1-based line at which it opens.
    pub start_line: u32,
    /// 1-based line at which it ends, or `None` if its end is missing.
    pub end_line: Option<u32>,
    /// The block as written: a byte range of the text that was parsed, a BOM counted, without the last line's end.
    pub source: Range<usize>,
    /// What a failure inside it means for the rest of it.
    pub policy: Policy,
    /// Its actions in order. Invalid ones of an unsound block are listed too, as far as they could be read.
    pub actions: Vec<RawAction<'a>>,
    /// Of a block with the policy [`Policy::Atomic`] or [`Policy::InOrder`], one for each of its actions; else none.
    pub members: Vec<Member>,
    /// Where it names its action, in dialects that write the name as one parameter among others.
    pub named_at: Option<NamedAt>,
    /// Its syntax is sound and its dialect finds all its actions valid. A block that is not sound is never executed.
    pub sound: bool,
}

impl Block<'_> {
    /// The number in `[task-N]` of its action `index` (0-based), where `number` (1-based) is the first number that
    /// the block takes: `N`, or `N.M` in a block that is one operation.
    #[must_use]
    pub fn task(&self, number: usize, index: usize) -> String {
        match self.policy {
            Policy::Each | Policy::InOrder => (number + index).to_string(),
            Policy::Atomic => format!("{number}.{}", index + 1),
        }
    }

    /// How many numbers of operations it takes.
    #[must_use]
    pub fn numbers(&self) -> usize {
        match self.policy {
            Policy::Each | Policy::InOrder => self.actions.len().max(1),
            Policy::Atomic => 1,
        }
    }
}

/// What [`crate::parse`] found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parse<'a> {
    /// In document order; they never overlap.
    pub blocks: Vec<Block<'a>>,
    /// In document order. Those of severity error and a block id make that block unexecutable.
    pub diagnostics: Vec<Diagnostic>,
    /// In document order, what may be an edit and was not read. None of an answer of which nothing may run.
    pub candidates: Vec<Candidate>,
    /// Blocks whose file is named by a word that may be prose, in document order.
    pub doubts: Vec<Doubt>,
}

/// A block whose file is named by a word that may be prose: a file, if there is one of that name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// The index of the block.
    pub block: usize,
    /// The file of the block before, which is meant if there is no file called as the word.
    pub instead: String,
}
