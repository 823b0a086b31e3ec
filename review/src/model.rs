//! A plan as it is decided about: the units into which the daemon divides it, and the user's word on each.
//!
//! Knows the result of `plan`, no screen and no key. Must not work out what goes together: the plan says so.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clada_client::review::PlanSelection;
use clada_protocol::{
    ActionData, ActionResult, Approval, ApprovalKind, ErrorKind, ExecutionResult, PlanResult, PlannedAction,
    Review, ReviewUnit, shown_id,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Once,
    Network,
    Always,
    No,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct DecisionUnit {
    pub(crate) review: ReviewUnit,
    pub(crate) accepted: bool,
    /// True if the user has said so of this very unit.
    decided: bool,
    pub(crate) size: usize,
    /// The operation in which its command ran: it is not what is left.
    pub(crate) ran: Option<String>,
    pub(crate) is_new: bool,
    seqs: BTreeSet<usize>,
}

impl DecisionUnit {
    fn new(review: ReviewUnit) -> DecisionUnit {
        // What needs approval is asked about before it is applied.
        let accepted = review.accepted || (review.proposal.is_none() && !review.approvals.is_empty());
        DecisionUnit { review, accepted, size: 1, ..DecisionUnit::default() }
    }

    fn is_decided_alone(&self) -> bool {
        self.review.proposal.is_some() || !self.review.approvals.is_empty()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) plan: PlanResult,
    pub(crate) units: Vec<DecisionUnit>,
    pub(crate) of_hunk: Vec<Vec<Option<usize>>>,
    pub(crate) of_file: Vec<Option<usize>>,
    /// The actions that no file shows, by their place in the plan, with their unit.
    pub(crate) rest: Vec<(usize, usize)>,
    pub(crate) done: usize,
    pub(crate) consents: BTreeMap<String, Consent>,
    pub(crate) is_touched: bool,
    always: Vec<String>,
}

fn stands(action: &PlannedAction) -> bool {
    action.unchanged
        || action.unplannable.as_ref().is_some_and(|why| why.kind == ErrorKind::AnswerAlreadyApplied)
}

impl Model {
    /// Returns the model of a plan: all of it is accepted but proposals, and what needs approval has none yet.
    pub(crate) fn new(mut plan: PlanResult) -> Model {
        let Review { units, always, .. } = plan.review.take().unwrap_or_default();
        let by_id: HashMap<String, usize> =
            units.iter().enumerate().map(|(at, unit)| (unit.id.clone(), at)).collect();
        let mut units: Vec<DecisionUnit> = units.into_iter().map(DecisionUnit::new).collect();
        let seqs: HashMap<&str, usize> =
            plan.actions.iter().map(|action| (action.id.as_str(), action.seq)).collect();
        let unit_of = |id: &String| by_id.get(id).copied();
        let mut cover = |unit: usize, parts: &[String]| {
            let actions =
                parts.iter().map(|id| id.split_once(".h").map_or(id.as_str(), |(action, _)| action));
            units[unit].seqs.extend(actions.filter_map(|action| seqs.get(action)));
        };
        let (mut of_hunk, mut of_file): (Vec<Vec<Option<usize>>>, _) = (Vec::new(), Vec::new());
        for file in &plan.files {
            let whole = file.group.as_ref().and_then(unit_of);
            let hunks = file.hunks.iter().map(|hunk| (unit_of(&hunk.group), &hunk.parts));
            hunks.clone().chain([(whole, &file.parts)]).for_each(|(unit, parts)| {
                unit.into_iter().for_each(|unit| cover(unit, parts));
            });
            of_hunk.push(hunks.map(|(unit, _)| unit).collect());
            of_file.push(whole);
        }
        let is_own =
            |action: &PlannedAction| !stands(action) && action.unplannable.is_none() && !action.looks;
        let own = plan.actions.iter().enumerate().filter(|(_, action)| is_own(action));
        let rest = own.filter_map(|(at, action)| {
            let unit = unit_of(action.group.as_ref().unwrap_or(&action.id))?;
            units[unit].review.title.as_ref()?;
            units[unit].seqs.insert(action.seq);
            Some((at, unit))
        });
        let rest = rest.collect();
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        of_hunk.iter().flatten().flatten().for_each(|unit| *sizes.entry(*unit).or_default() += 1);
        sizes.into_iter().for_each(|(unit, size)| units[unit].size = size);
        let done = plan.actions.iter().filter(|action| stands(action)).count();
        let consents = BTreeMap::new();
        Model { plan, units, of_hunk, of_file, rest, done, consents, is_touched: false, always }
    }

    pub(crate) fn approvals(&self, unit: usize) -> impl Iterator<Item = &Approval> {
        let ids = self.units[unit].review.approvals.iter();
        ids.filter_map(|id| self.plan.approvals.iter().find(|approval| approval.id == *id))
    }

    pub(crate) fn unanswered(&self, units: &[usize]) -> Option<(usize, &Approval)> {
        let accepted = units.iter().filter(|unit| self.units[**unit].accepted);
        let mut needed =
            accepted.flat_map(|unit| self.approvals(*unit).map(move |approval| (*unit, approval)));
        needed.find(|(_, approval)| {
            approval.kind != ApprovalKind::Root && !self.consents.contains_key(&approval.id)
        })
    }

    pub(crate) fn is_wanted(&self, unit: usize) -> bool {
        self.units[unit].accepted
            && self.approvals(unit).all(|approval| {
                self.consents.get(&approval.id).is_some_and(|consent| *consent != Consent::No)
            })
    }

    pub(crate) fn count(&self) -> (usize, usize) {
        let selected = self.units.iter().enumerate().filter(|(at, _)| self.is_wanted(*at));
        let size = selected.map(|(_, unit)| unit.size).sum();
        (size, self.units.iter().map(|unit| unit.size).sum())
    }

    pub(crate) fn tasks(&self, units: impl Iterator<Item = usize>) -> String {
        let seqs: BTreeSet<usize> = units.flat_map(|unit| &self.units[unit].seqs).copied().collect();
        let actions = self.plan.actions.iter().filter(|action| seqs.contains(&action.seq));
        let tasks: Vec<&str> = actions.map(|action| action.task.as_str()).collect();
        match tasks[..] {
            [one] => format!("task {one}"),
            [first, .., last] if tasks.len() > 3 => format!("tasks {first} … {last}"),
            _ => format!("tasks {}", tasks.join(", ")),
        }
    }

    pub(crate) fn failures(&self) -> impl Iterator<Item = &PlannedAction> {
        self.plan.actions.iter().filter(|action| action.unplannable.is_some() && !stands(action))
    }

    pub(crate) fn set(&mut self, unit: usize, accepted: bool) {
        self.is_touched = true;
        (self.units[unit].accepted, self.units[unit].decided) = (accepted, true);
        let excludes = self.units[unit].review.excludes.clone();
        let others = self.units.iter_mut().filter(|other| accepted && excludes.contains(&other.review.id));
        others.for_each(|other| other.accepted = false);
        let ids: Vec<String> = self.approvals(unit).map(|approval| approval.id.clone()).collect();
        for id in ids {
            match (accepted, self.consents.get(&id)) {
                // It is asked about again.
                (true, Some(Consent::No)) => drop(self.consents.remove(&id)),
                (false, _) => drop(self.consents.insert(id, Consent::No)),
                _ => {}
            }
        }
    }

    /// What needs an approval, and what is proposed, is not accepted with others.
    pub(crate) fn set_rest(&mut self, units: &[usize], accepted: bool) {
        self.is_touched = true;
        for unit in units {
            let unit = &mut self.units[*unit];
            if !unit.decided {
                unit.accepted = accepted && (unit.accepted || !unit.is_decided_alone());
            }
        }
    }

    pub(crate) fn consent(&mut self, id: &str, consent: Consent) {
        self.is_touched = true;
        self.consents.insert(id.to_owned(), consent);
    }

    /// Returns true if a user who has seen the one has seen the other.
    pub(crate) fn carry(&mut self, earlier: &Model) -> bool {
        let mut known: HashMap<&str, Vec<&DecisionUnit>> = HashMap::new();
        for unit in &earlier.units {
            known.entry(&unit.review.key).or_default().push(unit);
        }
        let mut now: HashMap<String, usize> = HashMap::new();
        self.units.iter().for_each(|unit| *now.entry(unit.review.key.clone()).or_default() += 1);
        let mut seen: HashMap<String, usize> = HashMap::new();
        for unit in &mut self.units {
            let Some(before) = known.get(unit.review.key.as_str()) else {
                unit.is_new = true;
                continue;
            };
            let nth = seen.entry(unit.review.key.clone()).or_default();
            let same = before.get(*nth).filter(|_| before.len() == now[&unit.review.key]);
            // Where it is not sure which is which, what was left out once is left out.
            unit.accepted = same.map_or(before.iter().all(|unit| unit.accepted), |same| same.accepted);
            unit.decided = same.map_or(!unit.accepted, |same| same.decided);
            unit.ran = before.iter().find_map(|unit| unit.ran.clone());
            *nth += 1;
        }
        // The id of an approval is of its content.
        self.consents.clone_from(&earlier.consents);
        self.is_touched = earlier.is_touched;
        let keys = |model: &Model| model.units.iter().map(|unit| unit.review.key.clone()).collect::<Vec<_>>();
        let failed = |model: &Model| {
            let actions = model.plan.actions.iter().filter(|action| action.unplannable.is_some());
            actions.map(|action| (action.seq, action.unplannable.clone())).collect::<Vec<_>>()
        };
        fn beside(model: &Model) -> impl Iterator<Item = (&[String], &[String])> {
            let hunks = model.plan.files.iter().flat_map(|file| &file.hunks);
            hunks.map(|hunk| (&hunk.before[..], &hunk.after[..]))
        }
        keys(self) == keys(earlier)
            && beside(self).eq(beside(earlier))
            && failed(self) == failed(earlier)
            && self.plan.approvals == earlier.plan.approvals
            && self.plan.warnings == earlier.plan.warnings
            && self.plan.parse_errors == earlier.plan.parse_errors
    }

    pub(crate) fn selection(&self) -> PlanSelection {
        let selected = (0..self.units.len()).filter(|unit| self.is_wanted(*unit));
        let mut accept: Vec<String> = selected.map(|unit| self.units[unit].review.id.clone()).collect();
        accept.extend_from_slice(&self.always);
        let declined = self.units.iter().filter(|unit| unit.decided && !unit.accepted);
        let declined = declined.filter(|unit| unit.review.proposal.is_some());
        let decline = declined.map(|unit| unit.review.id.clone()).collect();
        let mut approve = Vec::new();
        for approval in &self.plan.approvals {
            let consent = self.consents.get(&approval.id).copied().unwrap_or(Consent::No);
            let network = approval.command.as_ref().and_then(|command| command.with_network.as_ref());
            match consent {
                Consent::No => {}
                Consent::Once | Consent::Always => approve.push(approval.id.clone()),
                Consent::Network => {
                    approve.extend([Some(&approval.id), network].into_iter().flatten().cloned())
                }
            }
        }
        PlanSelection { plan_id: self.plan.plan_id.clone(), accept, approve, decline, git: None }
    }

    // Ends what was approved for this once, and notes what ran: neither is applied again unasked.
    pub(crate) fn was_carried_out(&mut self, result: &ExecutionResult) {
        self.consents.retain(|_, consent| matches!(consent, Consent::Always | Consent::No));
        let ran = |action: &&ActionResult| action.data.as_ref().and_then(ActionData::command).is_some();
        for action in result.results.iter().filter(ran) {
            for unit in self.units.iter_mut().filter(|unit| unit.seqs.contains(&action.seq)) {
                (unit.accepted, unit.decided) = (false, true);
                unit.ran = Some(shown_id(&result.short_ids, &result.operation_id).to_owned());
            }
        }
    }

    pub(crate) fn always(&self) -> Vec<Approval> {
        let is_always = |approval: &&Approval| self.consents.get(&approval.id) == Some(&Consent::Always);
        self.plan.approvals.iter().filter(is_always).cloned().collect()
    }
}
