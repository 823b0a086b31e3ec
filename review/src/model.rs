//! A plan as it is decided about: units that are carried out or left out as one, and the user's word on each.
//!
//! Knows the result of `plan`, no screen and no key. A unit is a group of hunks, or an action that has none.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clada_client::review::PlanSelection;
use clada_protocol::{
    ActionData, ActionResult, Approval, ApprovalKind, ErrorKind, ExecutionResult, PlanResult, PlannedAction,
    shown_id,
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
    pub(crate) id: String,
    pub(crate) accepted: bool,
    /// True if the user has said so of this very unit.
    decided: bool,
    pub(crate) size: usize,
    /// The operation in which its command ran: it is not what is left.
    pub(crate) ran: Option<String>,
    pub(crate) is_new: bool,
    pub(crate) approvals: Vec<usize>,
    seqs: Vec<usize>,
    key: String,
}

#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) plan: PlanResult,
    pub(crate) units: Vec<DecisionUnit>,
    pub(crate) of_hunk: Vec<Vec<usize>>,
    pub(crate) of_file: Vec<Option<usize>>,
    /// The actions that no file shows, by their place in the plan, with their unit.
    pub(crate) rest: Vec<(usize, usize)>,
    pub(crate) done: usize,
    pub(crate) consents: BTreeMap<String, Consent>,
    pub(crate) is_touched: bool,
}

fn stands(action: &PlannedAction) -> bool {
    action.unchanged
        || action.unplannable.as_ref().is_some_and(|why| why.kind == ErrorKind::AnswerAlreadyApplied)
}

#[derive(Default)]
struct Units {
    all: Vec<DecisionUnit>,
    by_id: HashMap<String, usize>,
}

impl Units {
    fn add(&mut self, id: &str, content: &[&str]) -> usize {
        let unit = *self.by_id.entry(id.to_owned()).or_insert_with(|| {
            self.all.push(DecisionUnit {
                id: id.to_owned(),
                accepted: true,
                size: 1,
                ..DecisionUnit::default()
            });
            self.all.len() - 1
        });
        for part in content {
            self.all[unit].key.push_str(part);
            self.all[unit].key.push('\0');
        }
        unit
    }

    fn cover(&mut self, unit: usize, action: &PlannedAction, plan: &PlanResult) {
        let unit = &mut self.all[unit];
        if !unit.seqs.contains(&action.seq) {
            unit.seqs.push(action.seq);
        }
        let needed =
            plan.approvals.iter().position(|approval| Some(&approval.id) == action.needs_approval.as_ref());
        unit.approvals.extend(needed.filter(|needed| !unit.approvals.contains(needed)));
    }
}

impl Model {
    /// Returns the model of a plan: all of it is accepted, but what needs approval has none yet.
    pub(crate) fn new(plan: PlanResult) -> Model {
        let mut owners: HashMap<&str, usize> = HashMap::new();
        for (at, action) in plan.actions.iter().enumerate() {
            owners.insert(&action.id, at);
            owners.extend(action.hunks.iter().map(|hunk| (hunk.id.as_str(), at)));
        }
        let owner = |part: &String| owners.get(part.as_str()).copied();
        let mut units = Units::default();
        let mut covered = vec![false; plan.actions.len()];
        let (mut of_hunk, mut of_file) = (Vec::new(), Vec::new());
        let mut sizes: HashMap<usize, usize> = HashMap::new();
        for file in &plan.files {
            let mut of_file_hunks = Vec::new();
            for hunk in &file.hunks {
                let lines = [hunk.removed.concat(), hunk.added.concat()];
                let unit = units.add(&hunk.group, &[&file.path, &lines[0], &lines[1]]);
                for at in hunk.parts.iter().filter_map(owner) {
                    units.cover(unit, &plan.actions[at], &plan);
                    covered[at] = true;
                }
                *sizes.entry(unit).or_default() += 1;
                of_file_hunks.push(unit);
            }
            let whole = file.group.as_ref().map(|group| {
                let kind = format!("{:?}", file.kind);
                let content: &[&str] = &[&kind, &file.path, file.old_path.as_deref().unwrap_or_default()];
                let unit = units.add(group, content);
                for at in file.parts.iter().filter_map(owner) {
                    units.cover(unit, &plan.actions[at], &plan);
                    covered[at] = true;
                }
                unit
            });
            of_hunk.push(of_file_hunks);
            of_file.push(whole);
        }
        let mut rest = Vec::new();
        let is_own = |at: &usize| {
            let action = &plan.actions[*at];
            !stands(action) && action.unplannable.is_none() && !action.looks
        };
        for at in (0..plan.actions.len()).filter(is_own).filter(|at| !covered[*at]) {
            let action = &plan.actions[at];
            let texts = [&action.path, &action.new_path, &action.command, &action.diff];
            let texts: Vec<&str> =
                texts.into_iter().map(|text| text.as_deref().unwrap_or_default()).collect();
            let unit = units.add(&action.id, &[&[action.action.as_str()], &texts[..]].concat());
            units.cover(unit, action, &plan);
            rest.push((at, unit));
        }
        let done = plan.actions.iter().filter(|action| stands(action)).count();
        let mut units = units.all;
        sizes.into_iter().for_each(|(unit, size)| units[unit].size = size);
        let consents = BTreeMap::new();
        Model { plan, units, of_hunk, of_file, rest, done, consents, is_touched: false }
    }

    pub(crate) fn approvals(&self, unit: usize) -> impl Iterator<Item = &Approval> {
        self.units[unit].approvals.iter().map(|at| &self.plan.approvals[*at])
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

    /// What needs an approval is not accepted with others.
    pub(crate) fn set_rest(&mut self, units: &[usize], accepted: bool) {
        self.is_touched = true;
        for unit in units {
            let unit = &mut self.units[*unit];
            if !unit.decided {
                unit.accepted = accepted && (unit.accepted || unit.approvals.is_empty());
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
            known.entry(&unit.key).or_default().push(unit);
        }
        let mut now: HashMap<String, usize> = HashMap::new();
        self.units.iter().for_each(|unit| *now.entry(unit.key.clone()).or_default() += 1);
        let mut seen: HashMap<String, usize> = HashMap::new();
        for unit in &mut self.units {
            let Some(before) = known.get(unit.key.as_str()) else {
                unit.is_new = true;
                continue;
            };
            let nth = seen.entry(unit.key.clone()).or_default();
            let same = before.get(*nth).filter(|_| before.len() == now[&unit.key]);
            // Where it is not sure which is which, what was left out once is left out.
            unit.accepted = same.map_or(before.iter().all(|unit| unit.accepted), |same| same.accepted);
            unit.decided = same.map_or(!unit.accepted, |same| same.decided);
            unit.ran = before.iter().find_map(|unit| unit.ran.clone());
            *nth += 1;
        }
        // The id of an approval is of its content.
        self.consents.clone_from(&earlier.consents);
        self.is_touched = earlier.is_touched;
        let keys = |model: &Model| model.units.iter().map(|unit| unit.key.clone()).collect::<Vec<_>>();
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

    /// What only reads, or could not be planned, goes along.
    pub(crate) fn selection(&self) -> PlanSelection {
        let selected = (0..self.units.len()).filter(|unit| self.is_wanted(*unit));
        let mut accept: Vec<String> = selected.map(|unit| self.units[unit].id.clone()).collect();
        let others = self.plan.actions.iter();
        let others = others.filter(|action| action.looks || action.unchanged || action.unplannable.is_some());
        accept.extend(others.map(|action| action.id.clone()));
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
        PlanSelection { plan_id: self.plan.plan_id.clone(), accept, approve, git: None }
    }

    /// Ends what was approved for this once, and notes what ran: neither is carried out again unasked.
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

    pub(crate) fn declined(&self) -> Vec<usize> {
        let mut declined: BTreeMap<usize, bool> = BTreeMap::new();
        for (at, unit) in self.units.iter().enumerate() {
            for seq in &unit.seqs {
                *declined.entry(*seq).or_insert(true) &= !self.is_wanted(at);
            }
        }
        declined.into_iter().filter_map(|(seq, is_declined)| is_declined.then_some(seq)).collect()
    }
}
