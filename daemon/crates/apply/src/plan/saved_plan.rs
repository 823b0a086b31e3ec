//! A saved plan, to be executed later: whole or in part, exactly as it was planned or not at all.
//!
//! A plan is a pure function of the answer and the files, so what is kept is the answer and what each action
//! was going to do; executing plans again and compares. What differs is a conflict, and nothing of it is
//! written. `making` makes it, `decision` decides on it, `revalidate` plans it again.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use clada_edit::Match;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{ExecutionResult, PlanResult};

use crate::plan::plan_check::PlanCheck;
use crate::plan::planner::Planner;
use crate::plan::promise::Promise;
use crate::plan::resume::Resumable;
use crate::plan::review::Groups;
use crate::read::answer::{Answer, Step};
use crate::reads::Reads;
use crate::results::report::{self, Budget, Executed};
use crate::results::weight::weight;
use crate::view::{Content, View};

const STEP_WEIGHT: usize = 128;

/// The approximate bytes that a plan keeps of a hunk: its lines, and whether it was accepted and done.
const HUNK_WEIGHT: usize = 64;

/// A plan that is saved to be executed later.
#[derive(Debug)]
pub struct SavedPlan {
    pub(super) answer: Answer,
    pub(super) steps: Vec<SavedStep>,
    pub(super) buffers: Vec<(RootedPath, Content)>,
    pub(super) groups: Groups,
    pub(super) bytes: usize,
    /// The answer that it was made from.
    pub(super) source: Resumable,
    pub(crate) matching: Option<Match>,
    pub(super) applied: HashSet<usize>,
    /// The steps of proposals that its own steps need, which are planned first.
    pub(super) needed: Vec<Step>,
    /// True if it was made to apply its answer once more, whatever was applied before.
    pub(super) once_more: bool,
    pub(super) versions: HashMap<RootedPath, i32>,
    /// True if nothing of what a user has to see was cut from its result.
    pub(super) shows_all: bool,
    pub(super) reads: Reads,
    pub(super) terms: blake3::Hash,
    /// The check when it was made: what it does as long as nothing has changed.
    pub(super) first_check: Mutex<Option<Arc<PlanCheck>>>,
}

/// A step of a saved plan, and what it was going to do.
#[derive(Debug)]
pub(super) struct SavedStep {
    pub(super) step: Step,
    pub(super) promise: Promise,
    /// Its effect before anything was rolled back.
    pub(super) effect: Option<blake3::Hash>,
    pub(super) hunks: ShownHunks,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct ShownHunks {
    /// Those that were shown, and can be accepted alone.
    pub(super) shown: usize,
    pub(super) all: usize,
}

impl SavedPlan {
    /// Returns whether the result that was made with it shows every change and every approval whole, but for
    /// what is held back as a secret.
    #[must_use]
    pub fn shows_all(&self) -> bool {
        self.shows_all
    }

    /// Returns the numbers of the steps that are not going to do exactly what those of `other` are, however much of
    /// it the results had room for.
    #[must_use]
    pub fn changed_steps(&self, other: &SavedPlan) -> HashSet<usize> {
        let is_same = |saved: &&SavedStep| {
            let before = other.saved_step(saved.step.seq);
            before
                .is_some_and(|before| before.step.name == saved.step.name && before.promise == saved.promise)
        };
        self.steps.iter().filter(|saved| !is_same(saved)).map(|saved| saved.step.seq).collect()
    }

    /// Returns the same plan; `once_more` is true if it is to apply its answer again, whatever was applied
    /// before.
    #[must_use]
    pub fn once_more(self, once_more: bool) -> SavedPlan {
        SavedPlan { once_more, ..self }
    }

    /// Returns true if what was applied before is no matter.
    #[must_use]
    pub fn is_once_more(&self) -> bool {
        self.once_more
    }

    pub(super) fn saved_step(&self, seq: usize) -> Option<&SavedStep> {
        self.steps.iter().find(|saved| saved.step.seq == seq)
    }

    /// Returns the answer that it was made from.
    #[must_use]
    pub fn source(&self) -> &Resumable {
        &self.source
    }

    /// Returns true if there are commands in it.
    #[must_use]
    pub fn has_commands(&self) -> bool {
        self.steps().any(Step::is_command)
    }

    /// Returns about how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes + self.reads.bytes() + self.source.bytes()
    }

    /// The answer that it was made from, without its steps.
    #[must_use]
    pub fn answer(&self) -> &Answer {
        &self.answer
    }

    pub(crate) fn view<'r>(&self, roots: &'r Roots) -> View<'r> {
        view_with(roots, &self.buffers)
    }

    /// Returns the documents that it was planned over, each with the hash of its text in the editor.
    #[must_use]
    pub fn buffers(&self) -> HashMap<RootedPath, blake3::Hash> {
        self.buffers.iter().map(|(path, text)| (path.clone(), blake3::hash(&text.bytes))).collect()
    }

    /// Returns the files whose text in the editor is another one than on disk, as it was when it was planned.
    pub(crate) fn unsaved(&self, roots: &Roots) -> HashSet<RootedPath> {
        let is_saved = |(path, text): &&(RootedPath, Content)| {
            let limit = text.bytes.len() as u64;
            roots.read(path, limit).is_ok_and(|content| content.bytes[..] == text.bytes[..])
        };
        self.buffers.iter().filter(|buffer| !is_saved(buffer)).map(|(path, _)| path.clone()).collect()
    }

    pub(crate) fn versions(&self) -> &HashMap<RootedPath, i32> {
        &self.versions
    }

    /// Plans the proposals that its steps need with `planner`, as when it was made.
    pub(super) fn lay_needed(&self, planner: &mut Planner<'_>) {
        planner.lay_all(&self.needed);
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().map(|saved| &saved.step)
    }
}

impl SavedStep {
    pub(super) fn bytes(&self) -> usize {
        let texts: usize = self.step.parameters().iter().map(|(_, value)| weight(value)).sum();
        let hunks = match &self.promise {
            Promise::Change(change) => change.each.len(),
            Promise::Failure(_) => 0,
        };
        texts + STEP_WEIGHT + hunks * HUNK_WEIGHT
    }
}

pub(super) fn view_with<'r>(roots: &'r Roots, buffers: &[(RootedPath, Content)]) -> View<'r> {
    let mut view = View::new(roots);
    for (path, text) in buffers {
        view.lay_buffer(path.clone(), text.clone());
    }
    view
}

impl SavedPlan {
    /// Returns the plan, which its caller sees as `result`, as the result of a dry run, in about
    /// `room` bytes.
    #[must_use]
    pub fn as_result(&self, result: &PlanResult, room: usize) -> ExecutionResult {
        let mut budget = Budget::new(room);
        let results = self.steps.iter().map(|SavedStep { step, promise, .. }| {
            let outcome = match promise {
                Promise::Change(_) => Ok(report::ActionOutput::default()),
                Promise::Failure(failure) => Err((**failure).clone()),
            };
            report::result(step.clone(), outcome, 0, &mut budget)
        });
        let executed = Executed { results: results.collect(), ..Executed::default() };
        let answer = self.answer().clone();
        let fatal_error = answer.fatal().map(str::to_owned);
        let result = executed.into_result(answer, result.approvals.clone(), None, "");
        ExecutionResult { fatal_error, warnings: result.warnings.clone(), ..result }
    }
}
