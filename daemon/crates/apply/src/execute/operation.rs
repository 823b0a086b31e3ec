//! An operation as data: what it works with, and how far it goes.

use std::collections::HashMap;

use clada_fs::Roots;
use clada_journal::Applied;
use clada_protocol::ExecuteEvent;

use crate::execute::journal_writer::JournalWriter;
use crate::plan::approve::Approvals;
use crate::rules::Rules;
use crate::stop::Stop;

/// The inputs of an operation.
pub struct Operation<'a> {
    /// Its id.
    pub id: String,
    /// The folders that it may work in.
    pub roots: &'a Roots,
    /// The rules that it keeps there.
    pub rules: &'a Rules,
    /// The approvals that the user has given.
    pub approvals: &'a Approvals,
    /// The writer that records it.
    pub journal_writer: &'a JournalWriter,
    /// The actions of the answer that are applied already, by their numbers, and are left out.
    pub applied: &'a HashMap<usize, Applied>,
    /// Asked between actions whether to stop.
    pub stop: &'a dyn Fn() -> Option<Stop>,
    /// Told what commands do while they run.
    pub notify: &'a dyn Fn(&ExecuteEvent),
    /// Told which action is next.
    pub acting: &'a dyn Fn(&Acting<'_>),
}

/// An action that is about to be carried out.
#[derive(Debug, Clone, Copy)]
pub struct Acting<'a> {
    /// The actions before it.
    pub done: usize,
    /// Those that are planned by now, with those before it.
    pub planned: usize,
    /// Its number in `[task-N]`.
    pub task: &'a str,
    /// Its canonical name.
    pub action: &'a str,
    /// The first path that it is about, as it is written.
    pub path: Option<&'a str>,
}

/// The end of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunUntil {
    /// The files are changed.
    Done,
    /// The changes are known.
    Planned,
}
