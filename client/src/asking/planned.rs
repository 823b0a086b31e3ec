//! An answer's plan, which the daemon keeps: made from the text or an operation to resume, decided about, and applied
//! without sending the text again.
//!
//! Knows neither questions nor reports. A plan can be gone when it is wanted: it expired, others made room
//! for themselves, or the daemon ended. Then nothing of it was applied.

use std::sync::Arc;

use clada_protocol::method::Plan;
use clada_protocol::{
    Approval, Approve, EditedPlace, ErrorKind, ExecuteParams, PlanParams, PlanResult, PlannedAction,
    PlannedHunk, STALE_APPROVALS,
};

use crate::Process;
use crate::connect::KeptLink;
use crate::exit::Failure;
use crate::request::fetch_over;
use crate::settings::Settings;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decision {
    /// All of the answer is accepted, as its text would be applied: no proposal, and nothing left out before.
    pub(crate) is_answer: bool,
    pub(crate) accept: Vec<String>,
    pub(crate) approve: Vec<String>,
    /// Approvals and proposals that were declined.
    pub(crate) decline: Vec<String>,
    pub(crate) always: Vec<Approval>,
    /// The hunks that the user edited; they are accepted, too.
    pub(crate) edited: Vec<EditedPlace>,
    pub(crate) accepted: usize,
    pub(crate) has_declined: bool,
    /// True if the user left in the middle: nothing is applied.
    pub(crate) is_left: bool,
}

impl Decision {
    /// Returns the request that applies this of `plan`, which was planned with `params`.
    pub(crate) fn request(&self, params: &ExecuteParams, plan: &PlanResult) -> ExecuteParams {
        ExecuteParams {
            accept: (!self.is_answer).then(|| self.accept.clone()),
            approve: match &params.approve {
                Some(Approve::Ids(ids)) => Some(Approve::Ids([ids.as_slice(), &self.approve].concat())),
                None | Some(Approve::Listed) if !self.approve.is_empty() => {
                    Some(Approve::Ids(self.approve.clone()))
                }
                approve => approve.clone(),
            },
            decline: [params.decline.as_slice(), &self.decline].concat(),
            // A user who was asked has decided about proposals.
            plain: params.plain.filter(|_| self.is_answer),
            ..by_plan(params, &plan.plan_id)
        }
    }

    pub(super) fn take(&mut self, unit: &[&PlannedAction]) {
        self.accept.extend(unit.iter().map(|action| action.id.clone()));
    }
}

pub(crate) fn plan(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    link: &mut KeptLink,
) -> Result<PlanResult, Failure> {
    let params = PlanParams { resume: params.resume.clone(), ..plan_params(params, params.text.clone()) };
    fetch_over::<Plan>(process, settings, &params, link)
}

/// Plans again with what the user edited of `plan`. Of an action that is accepted in part, only that is left.
pub(crate) fn plan_edited(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    (plan, decision): (&PlanResult, &Decision),
    link: &mut KeptLink,
) -> Result<PlanResult, Failure> {
    let parts = plan.actions.iter().flat_map(|action| {
        let hunks = action.hunks.iter().filter(|hunk| decision.accept.contains(&hunk.id));
        let hunks: Vec<String> = hunks.map(|hunk| hunk.id.clone()).collect();
        if hunks.is_empty() { vec![action.id.clone()] } else { hunks }
    });
    let params = PlanParams {
        plan_id: Some(plan.plan_id.clone()),
        only: Some(parts.collect()),
        edited: decision.edited.clone(),
        dialects: None,
        match_level: None,
        atomic: false,
        ..plan_params(params, None)
    };
    fetch_over::<Plan>(process, settings, &params, link)
}

pub(crate) fn plan_params(params: &ExecuteParams, text: Option<Arc<str>>) -> PlanParams {
    PlanParams {
        text,
        root: params.root.clone(),
        session: params.session.clone(),
        dialects: params.dialects.clone(),
        match_level: params.match_level,
        atomic: params.atomic,
        to: params.to.clone(),
        literal: params.literal,
        again: params.again,
        allow_escape: params.allow_escape,
        include_secrets: params.include_secrets,
        env: params.env.clone(),
        timeout_ms: params.timeout_ms,
        ..PlanParams::default()
    }
}

pub(crate) fn is_gone(failure: &Failure) -> bool {
    failure.error.as_ref().and_then(|error| error.kind()) == Some(ErrorKind::PlanNotFound)
}

pub(crate) fn is_stale(failure: &Failure) -> bool {
    let flag = failure.error.as_ref().and_then(|error| error.data.get(STALE_APPROVALS));
    flag.and_then(serde_json::Value::as_bool) == Some(true)
}

/// Returns true if a user who has seen the one plan has seen the other: changes, approvals and faults are the
/// same, and each change is known by its content. Of a copy or a folder that goes, a plan names the paths
/// alone; of a program it does not know the files that it reads.
pub(crate) fn is_same(one: &PlanResult, other: &PlanResult) -> bool {
    let is_known = |action: &PlannedAction| {
        let has_content = action.pre_hash.is_some() || action.post_hash.is_some();
        action.looks || action.unplannable.is_some() || has_content
    };
    one.actions.iter().all(is_known)
        && one.approvals == other.approvals
        && one.warnings == other.warnings
        && one.not_read == other.not_read
        && one.proposals == other.proposals
        && one.diff == other.diff
        && one.actions == other.actions
        && one.parse_errors == other.parse_errors
}

/// Returns what `decision` accepts of `plan`, which was made with what the user edited of `before`; `None` if an
/// accepted change, but for what was edited of it, is no longer what was shown.
///
/// ```text
/// before   a1 f: -a +A   a2 g: -b +B (hunks 1 and 2)   a3 f: -c +C        accept a1, a2.h2, a3   edited a1
/// plan     a1 f: -a +E   a2 g: -b +B (hunk 2 alone)    a3 f: -c +C        a1, a2, a3
/// plan     a1 f: -a +E   a2 g: -x +B (hunk 2 alone)    another program changed g: `None`
/// ```
pub(crate) fn accepted_as_edited(
    plan: &PlanResult,
    before: &PlanResult,
    decision: &Decision,
    approve: Option<&Approve>,
) -> Option<Vec<String>> {
    let is_of = |id: &str, action: &PlannedAction| id.split(".h").next() == Some(action.id.as_str());
    let is_edited = |id: &str| decision.edited.iter().any(|place| place.part == id);
    let is_accepted = |id: &String| decision.accept.contains(id);
    let mut accepted = Vec::new();
    for proposal in before.proposals.iter().filter(|proposal| is_accepted(&proposal.id)) {
        if !plan.proposals.contains(proposal) {
            return None;
        }
        accepted.push(proposal.id.clone());
    }
    if plan.actions.len() != before.actions.len() {
        return None;
    }
    // The texts that later changes of these paths find are not those that were shown.
    let mut touched: Vec<&String> = Vec::new();
    for (now, was) in plan.actions.iter().zip(&before.actions) {
        if !decision.accept.iter().any(|id| is_of(id, was)) {
            continue;
        }
        let paths = || [&was.path, &was.new_path].into_iter().flatten();
        let follows = paths().any(|path| touched.contains(&path));
        let without_hunks = |action: &PlannedAction| PlannedAction {
            pre_hash: action.pre_hash.clone().filter(|_| !follows),
            post_hash: None,
            hunks: Vec::new(),
            needs_approval: action.needs_approval.clone().filter(|_| approve != Some(&Approve::All)),
            lines: None,
            unchanged: false,
            ..action.clone()
        };
        let is_whole = is_accepted(&was.id);
        let has_edit = was.hunks.iter().any(|hunk| is_edited(&hunk.id));
        let accepted_hunks = was.hunks.iter().filter(|hunk| is_whole || is_accepted(&hunk.id));
        let unedited: Vec<&str> =
            accepted_hunks.filter(|hunk| !is_edited(&hunk.id)).map(without_place).collect();
        let hunks: Vec<&str> = now.hunks.iter().map(without_place).collect();
        let is_as_shown = match has_edit {
            true => unedited.iter().all(|hunk| hunks.contains(hunk)),
            false => hunks == unedited && (follows || !is_whole || now.post_hash == was.post_hash),
        };
        if !is_as_shown || without_hunks(now) != without_hunks(was) {
            return None;
        }
        if has_edit || !is_whole || follows {
            touched.extend(paths());
        }
        accepted.push(now.id.clone());
    }
    Some(accepted)
}

fn without_place(hunk: &PlannedHunk) -> &str {
    hunk.diff.split_once('\n').map_or("", |(_, lines)| lines)
}

pub(crate) fn by_plan(params: &ExecuteParams, id: &str) -> ExecuteParams {
    let plan_id = Some(id.to_owned());
    ExecuteParams {
        text: None,
        plan_id,
        resume: None,
        dialects: None,
        match_level: None,
        atomic: false,
        to: None,
        ..params.clone()
    }
}
