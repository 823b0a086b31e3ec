//! The parts of a saved plan that are accepted: actions, hunks of them, and groups of hunks.
//!
//! Pure. Knows ids and what goes together, not what an action does.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use clada_dialects::Policy;
use clada_protocol::{ExecutionResult, HunkCount};

use super::saved_plan::SavedPlan;
use crate::read::answer::{Atomicity, Step};

/// The accepted parts of a plan.
#[derive(Clone)]
pub(crate) struct Accepted<'a> {
    /// By action: the hunks that are wanted of it, or `None` for all of it.
    parts: Option<HashMap<Cow<'a, str>, Option<HashSet<usize>>>>,
    has_groups: bool,
}

/// The accepted part of an action.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    All,
    Nothing,
    Hunks(HashSet<usize>),
}

impl<'a> Accepted<'a> {
    pub(crate) fn from_ids(accept: Option<&'a [String]>) -> Accepted<'a> {
        let has_groups = false;
        let Some(ids) = accept else { return Accepted { parts: None, has_groups } };
        let mut parts: HashMap<Cow<'_, str>, Option<HashSet<usize>>> = HashMap::new();
        for id in ids {
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
        Accepted { parts: Some(parts), has_groups }
    }

    /// Returns true if groups are accepted: then all of it is what the groups show.
    pub(crate) fn has_groups(&self) -> bool {
        self.has_groups
    }

    pub(crate) fn part(&self, step: &Step) -> Part {
        let Some(parts) = &self.parts else { return Part::All };
        match parts.get(action_id(step).as_str()) {
            None => Part::Nothing,
            Some(None) => Part::All,
            Some(Some(hunks)) => Part::Hunks(hunks.clone()),
        }
    }
}

pub(super) fn action_id(step: &Step) -> String {
    format!("a{}", step.seq)
}

pub(super) fn hunk_id(action: &str, number: usize) -> String {
    format!("{action}.h{number}")
}

/// The action and the index of the hunk that `id` is of, if it is a hunk's.
fn hunk_of(id: &str) -> Option<(&str, usize)> {
    let (action, number) = id.split_once(".h")?;
    let number: usize = number.parse().ok()?;
    (hunk_id(action, number) == id).then_some((action, number.checked_sub(1)?))
}

impl SavedPlan {
    /// Notes in the results of what was carried out of it which actions were accepted in part only.
    #[must_use]
    pub fn told_in_part(&self, mut result: ExecutionResult, accept: Option<&[String]>) -> ExecutionResult {
        let accepted = self.accepted(accept);
        for (step, hunks) in self.steps.iter().zip(&self.hunks) {
            let Part::Hunks(wanted) = accepted.part(step) else { continue };
            let count = HunkCount { done: wanted.len(), of: hunks.all };
            let of_step = result.results.iter_mut().filter(|result| result.seq == step.seq);
            of_step.for_each(|result| result.hunks = (count.done < count.of).then_some(count));
        }
        result
    }

    /// Why what is accepted of the plan cannot be done without the rest, if that is so.
    #[must_use]
    pub fn torn(&self, accept: &[String]) -> Option<String> {
        let accepted = self.accepted(Some(accept));
        if accepted.has_groups()
            && let Some(message) = self.torn_group(&accepted)
        {
            return Some(message);
        }
        let whole = |steps: &[Step]| {
            let mut parts = steps.iter().map(|step| accepted.part(step));
            parts.clone().all(|part| matches!(part, Part::All))
                || parts.all(|part| matches!(part, Part::Nothing))
        };
        if self.answer.atomicity == Atomicity::AllOrNothing {
            let message = "accept: the plan is all or nothing; accept every action of it, or none";
            return (!whole(&self.steps)).then(|| message.to_owned());
        }
        let blocks = self.steps.chunk_by(|one, next| one.group.binds(next.group));
        let torn =
            blocks.filter(|block| block[0].group.policy == Policy::Atomic).find(|block| !whole(block))?;
        let ids: Vec<String> = torn.iter().map(action_id).collect();
        Some(format!(
            "accept: {} are one block that is all or nothing; accept all of them, or none",
            ids.join(", ")
        ))
    }

    /// Returns the reason for refusing, if something is accepted that goes together with what is not.
    fn torn_group(&self, accepted: &Accepted<'_>) -> Option<String> {
        let id = |(step, hunk): &(usize, Option<usize>)| {
            let action = action_id(&self.steps[*step]);
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

    /// Returns what `accept` accepts; a group is all of its parts.
    pub(crate) fn accepted<'a>(&'a self, accept: Option<&'a [String]>) -> Accepted<'a> {
        let mut accepted = Accepted::from_ids(accept);
        let Some(parts) = &mut accepted.parts else { return accepted };
        for group in accept.into_iter().flatten().filter_map(|id| self.groups.with_id(id)) {
            accepted.has_groups = true;
            for (step, hunk) in self.groups.parts(group) {
                let action = Cow::Owned(action_id(&self.steps[*step]));
                let some = parts.entry(action).or_insert_with(|| Some(HashSet::new()));
                match hunk {
                    None => *some = None,
                    Some(hunk) => drop(some.as_mut().map(|hunks| hunks.insert(*hunk))),
                }
            }
        }
        if accepted.has_groups {
            for (step, hunks) in self.steps.iter().zip(&self.hunks) {
                let some = parts.get_mut(action_id(step).as_str());
                if let Some(some) = some
                    && some.as_ref().is_some_and(|wanted| wanted.len() == hunks.all)
                {
                    *some = None;
                }
            }
        }
        accepted
    }

    /// Returns true if all of the group with this index is accepted.
    pub(super) fn has_all(&self, accepted: &Accepted<'_>, group: usize) -> bool {
        self.groups.parts(group).iter().all(|part| self.has(accepted, *part))
    }

    fn has(&self, accepted: &Accepted<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        match (accepted.part(&self.steps[step]), hunk) {
            (Part::All, _) => true,
            (Part::Hunks(wanted), Some(hunk)) => wanted.contains(&hunk),
            _ => false,
        }
    }

    /// Returns true if the part, or a part of it, is accepted.
    fn has_some(&self, accepted: &Accepted<'_>, (step, hunk): (usize, Option<usize>)) -> bool {
        let in_part = hunk.is_none() && matches!(accepted.part(&self.steps[step]), Part::Hunks(_));
        in_part || self.has(accepted, (step, hunk))
    }
}

/// The ids in `accept` that no action or hunk of `plan` has.
#[must_use]
pub fn unknown_ids<'i>(plan: &SavedPlan, accept: &'i [String]) -> Vec<&'i str> {
    let ids = plan.steps.iter().map(action_id);
    let shown = plan.hunks.iter().map(|hunks| hunks.shown);
    let actions: HashMap<String, usize> = ids.zip(shown).collect();
    let known = |id: &str| match hunk_of(id) {
        Some((action, index)) => actions.get(action).is_some_and(|hunks| index < *hunks),
        None => actions.contains_key(id) || plan.groups.with_id(id).is_some(),
    };
    accept.iter().map(String::as_str).filter(|id| !known(id)).collect()
}
