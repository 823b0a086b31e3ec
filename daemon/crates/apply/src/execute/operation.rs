//! An operation as data: what it works with, how far it goes, and what came of effects that no answer asked
//! for.

use std::collections::HashMap;

use clada_fs::Roots;
use clada_journal::Applied;
use clada_protocol::{ActionResult, ExecuteEvent};

use crate::execute::journal_writer::JournalWriter;
use crate::plan::approve::Approvals;
use crate::rules::Rules;
use crate::stop::Stop;

/// What an operation works with.
pub struct Operation<'a> {
    /// Its id.
    pub id: String,
    /// The folders that it may work in.
    pub roots: &'a Roots,
    /// What it may do there.
    pub rules: &'a Rules,
    /// What a person has approved.
    pub approvals: &'a Approvals,
    /// Where it is put down.
    pub journal_writer: &'a JournalWriter,
    /// What of the answer is applied already, by the numbers of its actions, and is left out.
    pub applied: &'a HashMap<usize, Applied>,
    /// Asked between actions whether to stop.
    pub stop: &'a dyn Fn() -> Option<Stop>,
    /// Told what commands do while they run.
    pub notify: &'a dyn Fn(&ExecuteEvent),
}

/// How far an operation goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunUntil {
    /// The files are changed.
    Done,
    /// The changes are known.
    Planned,
}

/// What came of effects that no answer asked for.
#[derive(Debug, Default)]
pub struct CarriedOut {
    /// One entry an effect, in their order: its number is `seq`, its path the parameter `path`.
    pub results: Vec<ActionResult>,
    /// What a person should know although everything is done.
    pub warnings: Vec<String>,
    /// Paths that somebody else changed between plan and execution.
    pub external_changes: Vec<String>,
}
