//! Carries out a plan: the state that is kept from one action to the next.
//!
//! ```text
//! planned    1 a.txt "one" -> "two"    2 a.txt "two" -> "two three"    3 b.txt: conflict
//! recorded   a.txt: "one" before, "two three" after; then nothing is changed that is not in the journal
//! 1          a.txt holds "one", as planned: replaced
//! 2          another program has written a.txt since 1: a conflict, and a.txt stays as it is
//! result     1 done                    2 conflict                      3 conflict
//! ```
//!
//! Each change checks first that what it was planned for is still there. A change that fails leaves its file
//! as it is, and the next ones go on. `parts` goes through the actions; `batch`, `writing`, `paths`,
//! `read_only` and `commands` make them happen; `failed` knows what is not done for it.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

use blake3::Hash;
use clada_command_changes::Spared;
use clada_fs::{DirtyFolders, Identity, RootedPath, Roots};
use clada_protocol::{ActionResult, ExecuteEvent};

use crate::execute::change_set::ChangeSet;
use crate::execute::journal_writer::JournalWriter;
use crate::execute::operation::{Acting, Operation};
use crate::execute::post_images::PostImages;
use crate::read::answer::Atomicity;
use crate::readonly::action::{ReadOnlyOutput, WHOLE_FILE_BYTES};
use crate::results::handing::Delivered;
use crate::results::outcome::Executed;
use crate::results::report::Budget;
use crate::rules::Rules;
use crate::stop::Stop;

pub(crate) struct Executor<'a> {
    pub(super) roots: &'a Roots,
    pub(super) rules: &'a Rules,
    pub(super) journal_writer: &'a JournalWriter,
    pub(super) stop: &'a dyn Fn() -> Option<Stop>,
    pub(super) notify: &'a dyn Fn(&ExecuteEvent),
    pub(super) acting: &'a dyn Fn(&Acting<'_>),
    pub(super) change_set: ChangeSet,
    pub(super) post_images: PostImages,
    pub(super) seq: usize,
    pub(super) dirty: DirtyFolders,
    /// Files too large to be compared by content that this operation has moved: what they were planned as,
    /// and what they are since.
    pub(super) moved: HashMap<RootedPath, (Identity, Identity)>,
    /// Files with several names that were replaced under one of them, by device, number and new content: that name.
    pub(super) rewritten: HashMap<(u64, u64, Hash), RootedPath>,
    /// Paths at which an action failed: what comes later there meets no change by others, but one that is
    /// missing.
    pub(super) failed: HashSet<RootedPath>,
    /// The paths that the check of the plan found changed.
    pub(super) changed: HashSet<RootedPath>,
    pub(crate) runs_programs: bool,
    /// The paths that surveys look at although git ignores them by now.
    pub(super) spared: Spared,
    pub(super) atomicity: Atomicity,
    /// The blocks in which an action failed, the rest of which is not done, with the number of that action.
    pub(super) broken: HashMap<usize, String>,
    /// The part that goes to an editor, and is not made here.
    pub(super) delivered: Delivered,
    pub(super) budget: Budget,
    pub(super) unread: Cell<u64>,
    pub(super) done: Executed,
}

impl<'a> Executor<'a> {
    pub(crate) fn new(operation: &Operation<'a>, atomicity: Atomicity) -> Executor<'a> {
        let Operation { roots, rules, journal_writer, stop, notify, acting, .. } = *operation;
        Executor {
            roots,
            rules,
            journal_writer,
            stop,
            notify,
            acting,
            change_set: ChangeSet::from_plan(&[], roots, 0),
            post_images: PostImages::default(),
            seq: 0,
            dirty: DirtyFolders::new(),
            moved: HashMap::new(),
            rewritten: HashMap::new(),
            failed: HashSet::new(),
            changed: HashSet::new(),
            runs_programs: false,
            spared: Spared::default(),
            atomicity,
            broken: HashMap::new(),
            delivered: Delivered::Nothing,
            budget: Budget::new(rules.result_bytes),
            unread: Cell::new(WHOLE_FILE_BYTES),
            done: Executed::default(),
        }
    }

    /// The same for a saved plan since which these paths have changed.
    pub(crate) fn since_changed(self, changed: HashSet<RootedPath>) -> Executor<'a> {
        Executor { changed, ..self }
    }

    /// The same without what goes to an editor: that is reported as done, and the caller hands it out.
    pub(crate) fn without(self, delivered: Delivered) -> Executor<'a> {
        Executor { delivered, ..self }
    }

    pub(crate) fn results(&self) -> &[ActionResult] {
        &self.done.results
    }

    pub(crate) fn finish(mut self) -> Executed {
        self.journal_writer.conclude();
        self.done.truncated = self.budget.was_cut();
        self.done
    }
}

pub(super) enum Done {
    Changed,
    Unchanged,
    Output(ReadOnlyOutput),
}

pub(super) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
