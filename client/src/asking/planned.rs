//! An answer's plan, which the daemon keeps: made from the text, and carried out without sending the text
//! again.
//!
//! Knows neither questions nor reports. A plan can be gone when it is wanted: it expired, others made room
//! for themselves, or the daemon ended. Then nothing of it was carried out.

use std::sync::Arc;

use clada_protocol::handshake::PLAN_AS_TEXT;
use clada_protocol::method::Plan;
use clada_protocol::{
    EditedPlace, ErrorKind, ExecuteParams, Method, PlanParams, PlanResult, PlannedAction, STALE_APPROVALS,
};

use crate::Process;
use crate::commands::typed;
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::Failure;
use crate::settings::Settings;

pub(crate) fn plan(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    text: &str,
    link: &mut KeptLink,
) -> Result<PlanResult, Failure> {
    let params = plan_params(params, Some(text.into()));
    let result =
        Connector::new(process, settings)?.keeping(link).call(Plan::NAME, &params, OnInterrupt::End)?;
    typed(Plan::NAME, &result)
}

pub(crate) fn plan_edited(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    (id, accept, edited): (&str, &[String], &[EditedPlace]),
    link: &mut KeptLink,
) -> Result<PlanResult, Failure> {
    let params = PlanParams {
        plan_id: Some(id.to_owned()),
        only: Some(accept.to_vec()),
        edited: edited.to_vec(),
        dialects: None,
        match_level: None,
        atomic: false,
        ..plan_params(params, None)
    };
    let result =
        Connector::new(process, settings)?.keeping(link).call(Plan::NAME, &params, OnInterrupt::End)?;
    typed(Plan::NAME, &result)
}

pub(crate) fn plan_params(params: &ExecuteParams, text: Option<Arc<str>>) -> PlanParams {
    PlanParams {
        text,
        plan_id: None,
        only: None,
        edited: Vec::new(),
        root: params.root.clone(),
        session: params.session.clone(),
        dialects: params.dialects.clone(),
        match_level: params.match_level,
        atomic: params.atomic,
        to: params.to.clone(),
        overlays: Vec::new(),
        lines: clada_protocol::LineEnds::default(),
        context: 0,
        literal: params.literal,
        again: params.again,
        allow_escape: params.allow_escape,
        include_secrets: params.include_secrets,
        env: params.env.clone(),
        timeout_ms: params.timeout_ms,
        reports: Vec::new(),
        omit: Vec::new(),
        review: false,
    }
}

pub(crate) fn by_plan(params: &ExecuteParams, id: &str) -> ExecuteParams {
    let plan_id = Some(id.to_owned());
    ExecuteParams {
        text: None,
        plan_id,
        dialects: None,
        match_level: None,
        atomic: false,
        to: None,
        ..params.clone()
    }
}

/// Returns true if the daemon that was greeted last does by a plan what it does by the plan's text. An older
/// one applies what was applied before once more, and is sent the text.
pub(crate) fn is_as_text(link: &KeptLink) -> bool {
    link.has_feature(PLAN_AS_TEXT)
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
/// alone.
pub(crate) fn is_same(one: &PlanResult, other: &PlanResult) -> bool {
    let is_known = |action: &PlannedAction| {
        let has_content = action.pre_hash.is_some() || action.post_hash.is_some();
        let is_asked_program = action.command.is_some() && action.needs_approval.is_some();
        action.looks || action.unplannable.is_some() || has_content || is_asked_program
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
