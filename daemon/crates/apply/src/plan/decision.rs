//! A decision about a saved plan: all of its answer, or what is accepted of what was shown.
//!
//! ```text
//! shown    a1 a.txt (a1.h1, a1.h2)   a2 b.txt   g1 = a1.h1   g2 = a1.h2 and a2   p1 a proposal
//! accept   nothing named   the answer as its text would be: a1 and a2, without p1
//!          a1.h1           a1 without its other hunk; a2 and p1 are declined
//!          g2              a1.h2 and a2
//!          g2, p1          a1.h2, a2 and p1
//!          g2, a1          refused: a1 begins g1
//!          a9              refused: the plan has no a9
//! ```
//!
//! Pure. Knows ids and what goes together, not what an action does. Which approvals were given or declined is
//! part of the operation (`Approvals`), since an answer needs them without a plan, too. What a user edits makes
//! another plan (`Resumable::with_edited`), so that it is checked and shown like any. The progress of a plan is what of
//! it was accepted and done so far; what was handed to an editor counts as done.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use clada_dialects::Policy;
use clada_protocol::{DECLINED, ExecutionResult, HunkCount, NOT_ACCEPTED};

use crate::failure::Failure;
use crate::plan::part::{AcceptedPart, action_id, hunk_id, hunk_of};
use crate::plan::programs::runs;
use crate::plan::promise::Promise;
use crate::plan::resume::Resumable;
use crate::plan::saved_plan::{SavedPlan, SavedStep};
use crate::read::answer::{AcceptedHunks, Answer, Atomicity, Step};
use crate::read::proposal::Offered;
use crate::rules::Rules;
use crate::view::View;

/// What is to be done of a saved plan.
#[derive(Debug, Clone)]
pub struct Decision<'a> {
    /// The accepted ids; `None`: everything but the proposals, and what was not accepted before.
    ids: Option<&'a [String]>,
    /// By action: the hunks that are accepted of it, or `None` for all of it.
    parts: HashMap<Cow<'a, str>, Option<HashSet<usize>>>,
    has_groups: bool,
    /// It is applied as its text would be: what is not approved, and what depends on it, fails.
    is_answer: bool,
    by_user: bool,
}

impl<'a> Decision<'a> {
    fn from_ids(ids: Option<&'a [String]>) -> Decision<'a> {
        let mut parts: HashMap<Cow<'_, str>, Option<HashSet<usize>>> = HashMap::new();
        for id in ids.unwrap_or_default() {
            match hunk_of(id) {
                None => drop(parts.insert(Cow::Borrowed(id.as_str()), None)),
                Some((action, index)) => {
                    if let Some(hunks) =
                        parts.entry(Cow::Borrowed(action)).or_insert_with(|| Some(HashSet::new()))
                    {
                        hunks.insert(index);
                    }
                }
            }
        }
        Decision { ids, parts, has_groups: false, is_answer: ids.is_none(), by_user: false }
    }

    /// The same of a user: what they do not accept is reported as declined by them.
    #[must_use]
    pub fn by_user(self, by_user: bool) -> Decision<'a> {
        Decision { by_user, ..self }
    }

    pub(super) fn not_accepted(&self, failure: Failure) -> Failure {
        let message = if self.by_user { DECLINED } else { NOT_ACCEPTED }.to_owned();
        Failure { message, declined: self.by_user, hint: None, place: None, ..failure }
    }

    /// The same; all of the answer means all of what was shown of it.
    pub(crate) fn as_shown(&self) -> Decision<'a> {
        Decision { is_answer: false, ..self.clone() }
    }

    pub(crate) fn is_answer(&self) -> bool {
        self.is_answer
    }

    pub(crate) fn ids(&self) -> Option<&'a [String]> {
        self.ids
    }

    /// Returns true if groups are accepted: then all of it is what the groups show.
    pub(crate) fn has_groups(&self) -> bool {
        self.has_groups
    }

    pub(crate) fn part(&self, step: &Step) -> AcceptedPart {
        if self.ids.is_none() {
            return if step.left_out { AcceptedPart::Nothing } else { AcceptedPart::All };
        }
        match self.parts.get(action_id(step).as_str()) {
            None => AcceptedPart::Nothing,
            Some(None) => AcceptedPart::All,
            Some(Some(hunks)) => AcceptedPart::Hunks(hunks.clone()),
        }
    }
}

impl SavedPlan {
    pub(crate) fn with_hunk_counts(
        &self,
        mut result: ExecutionResult,
        decision: &Decision<'_>,
    ) -> ExecutionResult {
        let mut note = |part: AcceptedPart, seq: usize, of: usize| {
            let AcceptedPart::Hunks(hunks) = part else { return };
            let count = HunkCount { done: hunks.len(), of };
            let of_step = result.results.iter_mut().filter(|result| result.seq == seq);
            of_step.for_each(|result| result.hunks = (count.done < count.of).then_some(count));
        };
        for SavedStep { step, hunks, .. } in &self.steps {
            note(decision.part(step), step.seq, hunks.all);
        }
        for offered in &self.answer.proposals {
            note(offered.part(decision.ids.unwrap_or_default()), offered.step.seq, offered.all_hunks());
        }
        result
    }

    /// Returns the decision to do what `accept` names, or all of the answer.
    ///
    /// # Errors
    /// The reason: the plan has no such part, or it cannot be done without the rest.
    pub fn decide<'a>(&'a self, accept: Option<&'a [String]>) -> Result<Decision<'a>, String> {
        let decision = self.decision(accept);
        let Some(ids) = accept else { return Ok(decision) };
        let unknown = unknown_ids(self, ids);
        if !unknown.is_empty() {
            return Err(format!("accept: the plan has no {}", unknown.join(", ")));
        }
        self.torn(ids, &decision).map_or(Ok(decision), Err)
    }

    fn torn(&self, accept: &[String], accepted: &Decision<'_>) -> Option<String> {
        let chosen = || {
            let is_chosen = |offered: &&Offered| !matches!(offered.part(accept), AcceptedPart::Nothing);
            self.answer.proposals.iter().filter(is_chosen)
        };
        for offered in chosen() {
            let excluded =
                |id: &&String| **id != offered.shown.id && chosen().any(|other| other.shown.id == **id);
            if let Some(other) = offered.shown.alternatives.iter().find(excluded) {
                return Some(format!(
                    "accept: {} and {other} exclude each other; accept one of them",
                    offered.shown.id
                ));
            }
        }
        if accepted.has_groups()
            && let Some(message) = self.torn_group(accepted)
        {
            return Some(message);
        }
        let whole = |steps: &[SavedStep]| {
            let mut parts = steps.iter().map(|saved| accepted.part(&saved.step));
            parts.clone().all(|part| matches!(part, AcceptedPart::All))
                || parts.all(|part| matches!(part, AcceptedPart::Nothing))
        };
        // A step of which only some hunks are accepted is neither done nor left out: it tears what it belongs
        // to.
        if self.answer.atomicity == Atomicity::AllOrNothing {
            let message = "accept: the plan is all or nothing; accept every action of it, or none";
            return (!whole(&self.steps)).then(|| message.to_owned());
        }
        let blocks = self.steps.chunk_by(|one, next| one.step.group.binds(next.step.group));
        let mut all_or_nothing = blocks.filter(|block| block[0].step.group.policy == Policy::Atomic);
        let torn = all_or_nothing.find(|block| !whole(block))?;
        let ids: Vec<String> = torn.iter().map(|saved| action_id(&saved.step)).collect();
        Some(format!(
            "accept: {} are one block that is all or nothing; accept all of them, or none",
            ids.join(", ")
        ))
    }

    fn torn_group(&self, accepted: &Decision<'_>) -> Option<String> {
        let id = |(step, hunk): &(usize, Option<usize>)| {
            let action = action_id(&self.steps[*step].step);
            hunk.map_or(action.clone(), |hunk| hunk_id(&action, hunk + 1))
        };
        (0..self.groups.len()).find_map(|group| {
            let parts = self.groups.parts(group);
            let begun = parts.iter().find(|part| self.has_some(accepted, **part))?;
            let lacks = parts.iter().find(|part| !self.has(accepted, **part))?;
            let whole =
                self.groups.id(group).map_or_else(|| "both".to_owned(), |id| format!("all of it ({id})"));
            Some(format!("accept: {} goes together with {}; accept {whole}, or none", id(begun), id(lacks)))
        })
    }

    /// Returns the decision that `accept` names; a group is all of its parts.
    pub(crate) fn decision<'a>(&'a self, accept: Option<&'a [String]>) -> Decision<'a> {
        let mut decision = Decision::from_ids(accept);
        // Its text would do what was not accepted before.
        decision.is_answer &= !self.steps().any(|step| step.left_out);
        for group in accept.into_iter().flatten().filter_map(|id| self.groups.with_id(id)) {
            decision.has_groups = true;
            for (step, hunk) in self.groups.parts(group) {
                let action = Cow::Owned(action_id(&self.steps[*step].step));
                let some = decision.parts.entry(action).or_insert_with(|| Some(HashSet::new()));
                match hunk {
                    None => *some = None,
                    Some(hunk) => drop(some.as_mut().map(|hunks| hunks.insert(*hunk))),
                }
            }
        }
        if decision.has_groups {
            for SavedStep { step, hunks, .. } in &self.steps {
                let some = decision.parts.get_mut(action_id(step).as_str());
                if let Some(some) = some
                    && some.as_ref().is_some_and(|accepted| accepted.len() == hunks.all)
                {
                    *some = None;
                }
            }
        }
        decision
    }

    /// Returns what `decision` wants of its answer.
    #[must_use]
    pub fn accepted(&self, decision: &Decision<'_>) -> Resumable {
        let (source, declined) = self.in_part(|saved| decision.part(&saved.step));
        source.leaving_out(declined)
    }

    /// Returns what is left to do of its answer after `progress`, or what `only` names of it, whatever was
    /// done or declined of that.
    #[must_use]
    pub fn remaining(&self, progress: &Progress, only: Option<&[String]>) -> Resumable {
        if only.is_some() {
            let decision = self.decision(only);
            return self.in_part(|saved| decision.part(&saved.step)).0;
        }
        let remaining = self.in_part(|saved| match self.applied.contains(&saved.step.seq) {
            true => AcceptedPart::Nothing,
            false => progress.remaining(saved.step.seq, saved.hunks.all),
        });
        remaining.0
    }

    // Also the tasks that are not to be done.
    fn in_part(&self, part: impl Fn(&SavedStep) -> AcceptedPart) -> (Resumable, Vec<String>) {
        let (mut declined, mut accepted, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for saved in &self.steps {
            let step = &saved.step;
            match (part(saved), &saved.promise) {
                // What cannot be done is not offered: whoever does not accept it has not declined it.
                (AcceptedPart::Nothing, Promise::Failure(_)) if !step.left_out => {
                    failed.push(step.task.clone())
                }
                (AcceptedPart::Nothing, _) => declined.push(step.task.clone()),
                (AcceptedPart::Hunks(hunks), Promise::Change(change)) if hunks.len() < saved.hunks.all => {
                    let before = step.accepted.as_ref();
                    let narrowed = before.and_then(|before| before.narrowed(&hunks, &change.each));
                    let of_this = || AcceptedHunks { change: change.clone(), hunks: Some(hunks) };
                    accepted.push((step.seq, narrowed.unwrap_or_else(of_this)));
                }
                (AcceptedPart::Hunks(_) | AcceptedPart::All, _) => {}
            }
        }
        // The actions of a block belong together.
        let block = |task: &str| task.split_once('.').map(|(block, _)| block.to_owned());
        let left_out: HashSet<String> = declined.iter().filter_map(|task| block(task)).collect();
        declined
            .extend(failed.into_iter().filter(|task| block(task).is_some_and(|it| left_out.contains(&it))));
        (self.source.clone().without(declined.clone()).with_only(accepted), declined)
    }

    // Returns the accepted steps that were planned and are no program.
    pub(crate) fn expected(&self, decision: &Decision<'_>) -> HashSet<usize> {
        let expected = self.steps.iter().filter(|SavedStep { step, promise, .. }| {
            matches!(promise, Promise::Change(_))
                && !runs(step)
                && !matches!(decision.part(step), AcceptedPart::Nothing)
        });
        expected.map(|saved| saved.step.seq).collect()
    }

    // Returns its answer, and the steps of it that `decision` wants: those of blocks, and of the accepted
    // proposals.
    pub(crate) fn decided(
        &self,
        decision: &Decision<'_>,
        rules: &Rules,
        view: &View<'_>,
    ) -> (Answer, Vec<Step>) {
        let mut answer = self.answer.clone();
        let steps = answer.decided(self.steps().cloned().collect(), decision.ids(), rules, view);
        (answer, steps)
    }

    pub(super) fn has_all(&self, accepted: &Decision<'_>, group: usize) -> bool {
        self.groups.parts(group).iter().all(|part| self.has(accepted, *part))
    }

    fn has(&self, accepted: &Decision<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        match (accepted.part(&self.steps[step].step), hunk) {
            (AcceptedPart::All, _) => true,
            (AcceptedPart::Hunks(hunks), Some(hunk)) => hunks.contains(&hunk),
            _ => false,
        }
    }

    fn has_some(&self, accepted: &Decision<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        let part = accepted.part(&self.steps[step].step);
        let in_part = hunk.is_none() && matches!(part, AcceptedPart::Hunks(_));
        in_part || self.has(accepted, (step, hunk))
    }
}

/// The ids in `accept` that no action or hunk of `plan` has.
#[must_use]
pub fn unknown_ids<'i>(plan: &SavedPlan, accept: &'i [String]) -> Vec<&'i str> {
    let shown = plan.steps.iter().map(|saved| (action_id(&saved.step), saved.hunks.shown));
    let actions: HashMap<String, usize> = shown.collect();
    let offered = |id: &str| plan.answer.proposals.iter().find(|offered| offered.shown.id == id);
    let known = |id: &str| match hunk_of(id) {
        Some((action, index)) => {
            let parts = actions.get(action).copied().or_else(|| Some(offered(action)?.parts.len()));
            parts.is_some_and(|parts| index < parts)
        }
        None => actions.contains_key(id) || plan.groups.with_id(id).is_some() || offered(id).is_some(),
    };
    accept.iter().map(String::as_str).filter(|id| !known(id)).collect()
}

/// The parts of a plan that were accepted and done, by the numbers of its steps. Several calls may execute one plan,
/// and what an editor took is in no journal.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    /// `None`: it was not carried out yet, and nothing is declined.
    accepted: Option<HashMap<usize, AcceptedPart>>,
    done: HashMap<usize, AcceptedPart>,
}

impl Progress {
    /// Adds an execution of what `accept` names of `plan`, which ended with `result`.
    pub fn add(&mut self, plan: &SavedPlan, accept: Option<&[String]>, result: &ExecutionResult) {
        let (now, of_now) = (plan.decision(accept), &result.results);
        let done: HashSet<usize> = of_now.iter().filter(|one| one.success).map(|one| one.seq).collect();
        let accepted = self.accepted.get_or_insert_default();
        for step in plan.steps() {
            if done.contains(&step.seq) {
                join(&mut self.done, step.seq, now.part(step));
            }
            join(accepted, step.seq, now.part(step));
        }
    }

    pub(super) fn remaining(&self, seq: usize, hunks: usize) -> AcceptedPart {
        let accepted = match &self.accepted {
            None => AcceptedPart::All,
            Some(accepted) => accepted.get(&seq).cloned().unwrap_or(AcceptedPart::Nothing),
        };
        let Some(done) = self.done.get(&seq) else { return accepted };
        let remaining: HashSet<usize> = match (accepted, done) {
            (_, AcceptedPart::All) | (AcceptedPart::Nothing, _) => return AcceptedPart::Nothing,
            (accepted, AcceptedPart::Nothing) => return accepted,
            (AcceptedPart::All, AcceptedPart::Hunks(done)) => {
                (0..hunks).filter(|hunk| !done.contains(hunk)).collect()
            }
            (AcceptedPart::Hunks(accepted), AcceptedPart::Hunks(done)) => {
                accepted.difference(done).copied().collect()
            }
        };
        if remaining.is_empty() { AcceptedPart::Nothing } else { AcceptedPart::Hunks(remaining) }
    }
}

fn join(parts: &mut HashMap<usize, AcceptedPart>, seq: usize, part: AcceptedPart) {
    match (parts.get_mut(&seq), part) {
        (_, AcceptedPart::Nothing) | (Some(AcceptedPart::All), _) => {}
        (Some(AcceptedPart::Hunks(before)), AcceptedPart::Hunks(more)) => before.extend(more),
        (_, part) => drop(parts.insert(seq, part)),
    }
}
