//! Carries out a plan: the state that is kept from one action to the next.
//!
//! Each change checks first that what it was planned for is still there. A change that fails leaves its file
//! as it is, and the next ones go on. `parts` goes through the actions; `batch`, `writing`, `paths`,
//! `read_only` and `commands` make them happen; `failed` knows what is not done for it.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use clada_command_changes::Spared;
use clada_fs::{DirtyFolders, Identity, RootedPath, Roots};
use clada_protocol::{ActionResult, ExecuteEvent};

use crate::execute::change_set::Ledger;
use crate::execute::journal_writer::Recorder;
use crate::execute::operation::Operation;
use crate::execute::post_images::Left;
use crate::read::answer::Whole;
use crate::readonly::action::{LOOK_BYTES, Seen};
use crate::results::outcome::Executed;
use crate::results::report::Budget;
use crate::rules::Rules;
use crate::stop::Stop;

/// Carries out plans beneath some roots.
pub(crate) struct Executor<'a> {
    pub(super) roots: &'a Roots,
    pub(super) rules: &'a Rules,
    pub(super) recorder: &'a Recorder,
    pub(super) stop: &'a dyn Fn() -> Option<Stop>,
    pub(super) tell: &'a dyn Fn(&ExecuteEvent),
    pub(super) ledger: Ledger,
    pub(super) left: Left,
    /// The number of the action that is carried out.
    pub(super) seq: usize,
    pub(super) dirty: DirtyFolders,
    /// Files too large to be compared by content that this operation has moved: what they were planned as,
    /// and what they are since.
    pub(super) moved: HashMap<RootedPath, (Identity, Identity)>,
    /// Paths at which an action failed: what comes later there meets no change by others, but one that is
    /// missing.
    pub(super) failed: HashSet<RootedPath>,
    /// Set if a program runs in the operation.
    pub(crate) runs_programs: bool,
    /// The paths that surveys look at although git ignores them by now.
    pub(super) spared: Spared,
    /// Whether the answer is all or nothing.
    pub(super) whole: Whole,
    /// The blocks in which an action failed, the rest of which is not done, with the number of that action.
    pub(super) broken: HashMap<usize, String>,
    pub(super) budget: Budget,
    /// Bytes of files that looks may still read.
    pub(super) unread: Cell<u64>,
    pub(super) done: Executed,
}

impl<'a> Executor<'a> {
    /// An executor for what `operation` works with.
    pub(crate) fn new(operation: &Operation<'a>, whole: Whole) -> Executor<'a> {
        let Operation { roots, rules, recorder, stop, tell, .. } = *operation;
        Executor {
            roots,
            rules,
            recorder,
            stop,
            tell,
            ledger: Ledger::of(&[], roots, 0),
            left: Left::default(),
            seq: 0,
            dirty: DirtyFolders::new(),
            moved: HashMap::new(),
            failed: HashSet::new(),
            runs_programs: false,
            spared: Spared::default(),
            whole,
            broken: HashMap::new(),
            budget: Budget::new(rules.result_bytes),
            unread: Cell::new(LOOK_BYTES),
            done: Executed::default(),
        }
    }

    /// What came of the actions so far.
    pub(crate) fn results(&self) -> &[ActionResult] {
        &self.done.results
    }

    /// Everything is done: what came of it.
    pub(crate) fn finish(mut self) -> Executed {
        self.recorder.conclude();
        self.done.truncated = self.budget.was_cut();
        self.done
    }
}

/// How a change went.
pub(super) enum Done {
    Changed,
    Unchanged,
    /// What was found.
    Seen(Seen),
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
