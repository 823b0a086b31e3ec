//! Asks the user at the terminal for the approvals that an answer needs, before it is carried out.
//!
//! The questions come from a plan, or from a dry run of the resumed operation; the answers are the ids that
//! were approved. Without a terminal, nothing is planned and nothing approved: the report then explains how
//! to approve.

use clada_protocol::method::{Execute, Plan};
use clada_protocol::{
    Approval, ApprovalKind, Approve, ExecuteParams, ExecutionResult, Method, PlanParams, PlanResult,
    approval_text, visible_line,
};

use super::{style, typed};
use crate::Process;
use crate::args::{Apply, Detail};
use crate::connect::{Connector, KeptLink, OnInterrupt};
use crate::exit::Failure;
use crate::settings::Settings;
use crate::terminal::{Reply, Terminal, User};

/// The user's answer about one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Once,
    Always,
    No,
    NoneOfAll,
}

/// The user's answers at the terminal.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The approvals for good.
    pub(super) always: Vec<Approval>,
    /// The ids of declined approvals.
    pub(super) declined: Vec<String>,
}

/// Returns `params` with the approvals that the user gave at the terminal, and the other answers.
pub(super) fn asked(
    process: &mut Process,
    settings: &Settings,
    args: &Apply,
    params: ExecuteParams,
    kept: &mut KeptLink,
) -> Result<(ExecuteParams, Said), Failure> {
    let mut said = Said::default();
    let decided = params.dry_run || matches!(params.approve, Some(Approve::All));
    if decided || settings.json || process.terminal().is_none() {
        return Ok((params, said));
    }
    // The failure of a plan is reported when the answer is carried out.
    let Ok(approvals) = needed(process, settings, &params, kept) else {
        return Ok((params, said));
    };
    let mut given = match &params.approve {
        Some(Approve::Ids(ids)) => ids.clone(),
        _ => Vec::new(),
    };
    let mut seen: Vec<&str> = Vec::new();
    for approval in approvals.iter().filter(|approval| approval.kind != ApprovalKind::Root) {
        if given.contains(&approval.id) || seen.contains(&approval.id.as_str()) {
            continue;
        }
        seen.push(&approval.id);
        match ask(process, settings, args, &params, approval)? {
            Word::Once => given.push(approval.id.clone()),
            Word::Always => {
                given.push(approval.id.clone());
                said.always.push(approval.clone());
            }
            Word::No => said.declined.push(approval.id.clone()),
            Word::NoneOfAll => break,
        }
    }
    let approve = if given.is_empty() { params.approve.clone() } else { Some(Approve::Ids(given)) };
    Ok((ExecuteParams { approve, ..params }, said))
}

/// Records the user's approvals for good. Comes last, since the answer may create the folder of a command.
pub(super) fn remember(process: &mut Process, settings: &Settings, root: &str, always: &[Approval]) {
    for approval in always {
        if let Err(failure) = super::approve::always(process, settings, root, approval) {
            let command = approval.command.as_ref().map_or("", |command| command.command.as_str());
            process.complain(&format!(
                "warning: '{}' is not approved for good: {}\n",
                visible_line(command),
                visible_line(&failure.message)
            ));
        }
    }
}

/// Returns the approvals that the answer, or the resumed operation, needs.
fn needed(
    process: &mut Process,
    settings: &Settings,
    params: &ExecuteParams,
    kept: &mut KeptLink,
) -> Result<Vec<Approval>, Failure> {
    let Some(text) = &params.text else {
        let params = ExecuteParams { dry_run: true, stream: false, ..params.clone() };
        let result = Connector::new(process, settings)?.keeping(kept).call(
            Execute::NAME,
            &params,
            OnInterrupt::End,
        )?;
        return typed::<ExecutionResult>(Execute::NAME, &result).map(|result| result.approvals);
    };
    let params = plan_params(params, text);
    let result =
        Connector::new(process, settings)?.keeping(kept).call(Plan::NAME, &params, OnInterrupt::End)?;
    typed::<PlanResult>(Plan::NAME, &result).map(|plan| plan.approvals)
}

/// Returns the parameters of a plan of `text`, from `params`.
pub(super) fn plan_params(params: &ExecuteParams, text: &str) -> PlanParams {
    PlanParams {
        text: text.into(),
        root: params.root.clone(),
        session: params.session.clone(),
        dialects: params.dialects.clone(),
        match_level: params.match_level,
        atomic: params.atomic,
        overlays: Vec::new(),
        literal: params.literal,
        again: params.again,
        allow_escape: params.allow_escape,
        include_secrets: params.include_secrets,
        env: params.env.clone(),
        timeout_ms: params.timeout_ms,
    }
}

fn ask(
    process: &Process,
    settings: &Settings,
    args: &Apply,
    params: &ExecuteParams,
    approval: &Approval,
) -> Result<Word, Failure> {
    let gone = |error: std::io::Error| {
        Failure::new(crate::exit::Status::Failed, format!("the terminal cannot be used any more: {error}"))
            .hint("Nothing was carried out.")
    };
    let mut terminal = Terminal::open(process).ok_or_else(|| gone(std::io::ErrorKind::NotFound.into()))?;
    let detail: Detail = args.error_detail;
    terminal.show(&approval_text(approval, &style(settings, &params.root, detail))).map_err(gone)?;
    let command = approval.command.as_ref();
    // Code differs each time, so that there is nothing to approve for good.
    let may_always = command.is_some_and(|command| command.code.is_none());
    let verb = if command.is_some() { "Run it" } else { "Do it" };
    let choices =
        if may_always { "[y]es once, [a]lways, [n]o, [q]uit asking" } else { "[y]es, [n]o, [q]uit asking" };
    loop {
        let asked = terminal.ask(&format!("{verb}? {choices}: ")).map_err(gone)?;
        let Reply::Line(answer) = asked else { return Ok(Word::NoneOfAll) };
        match answer.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Word::Once),
            "a" | "always" if may_always => return Ok(Word::Always),
            "n" | "no" => return Ok(Word::No),
            "q" | "quit" => return Ok(Word::NoneOfAll),
            _ => {}
        }
    }
}
