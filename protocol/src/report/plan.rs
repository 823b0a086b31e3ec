//! The report of `plan`: what would be done, as a line an action and a diff.

use super::execution::{Changes, already, approvals, warnings};
use super::issues::{not_read, parse_issue};
use super::page::{Page, ReportPaths};
use super::proposals::{left_proposals, proposals_diff};
use super::words::{PERSON, in_words_of};
use super::{ErrorDetail, ReportStyle, Verbosity, count_of};
use crate::{ActionStatus, Approval, ErrorKind, PlanResult, PlannedAction, Unplannable};

/// The report of `result`: a line an action, the diff, what cannot be done and why, and a summary.
#[must_use]
pub fn plan_text(result: &PlanResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    for action in &result.actions {
        if style.verbosity > Verbosity::Quiet || action.unplannable.is_some() {
            page.line(action_line(result, action, paths));
        }
    }
    // Each gap ends a part; one after an empty part adds nothing.
    page.gap();
    page.diff(&result.diff);
    page.gap();
    for action in &result.actions {
        unplannable(&mut page, action, style);
    }
    page.gap();
    for issue in &result.parse_errors {
        parse_issue(&mut page, issue, "ERROR", style);
    }
    not_read(&mut page, &result.not_read, style);
    if !result.proposals.is_empty() {
        let listed: Vec<_> = result.proposals.iter().filter(|proposal| proposal.is_listed()).collect();
        page.diff(&proposals_diff(&listed));
        left_proposals(&mut page, &result.proposals, style);
    }
    already(&mut page, &result.already);
    if style.verbosity > Verbosity::Quiet {
        warnings(&mut page, &result.warnings, style, paths);
    }
    approvals(&mut page, &result.approvals, style, paths, Changes::Omitted);
    if style.verbosity > Verbosity::Quiet {
        page.gap();
        page.line(summary(result));
    }
    page.into_text()
}

/// Returns what of `result` cannot be applied or is odd, and why: what a user has to know before
/// accepting anything. Empty if all is well.
#[must_use]
pub fn problems_text(result: &PlanResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    for action in result.actions.iter().filter(|action| action.unplannable.is_some()) {
        page.line(action_line(result, action, paths));
        unplannable(&mut page, action, style);
    }
    for issue in &result.parse_errors {
        parse_issue(&mut page, issue, "ERROR", style);
    }
    not_read(&mut page, &result.not_read, style);
    if style.verbosity > Verbosity::Quiet {
        warnings(&mut page, &result.warnings, style, paths);
    }
    page.into_text()
}

fn action_line(result: &PlanResult, action: &PlannedAction, paths: ReportPaths<'_>) -> String {
    match &action.unplannable {
        Some(failure) => failed_line(action, failure, &action.action, paths),
        None => planned_line(result, action, &action.action, paths),
    }
}

pub(super) fn failed_line(
    action: &PlannedAction,
    failure: &Unplannable,
    name: &str,
    paths: ReportPaths<'_>,
) -> String {
    let own = failure.error.strip_prefix(action.action.as_str()).and_then(|rest| rest.strip_prefix(": "));
    let error = paths.in_message(own.unwrap_or(&failure.error));
    let status = match failure.kind {
        ErrorKind::AnswerAlreadyApplied | ErrorKind::Skipped => ActionStatus::Skip,
        _ => ActionStatus::Error,
    };
    format!("[task-{}] {}: {name} - {error}", action.task, status.word())
}

pub(super) fn planned_line(
    result: &PlanResult,
    action: &PlannedAction,
    name: &str,
    paths: ReportPaths<'_>,
) -> String {
    let mut line = format!("[task-{}] PLANNED: {name}", action.task);
    if let Some(path) = action.path.as_ref().filter(|_| action.command.is_none()) {
        line.push_str(&format!(" - {}", paths.show(path)));
    }
    if let Some(command) = &action.command {
        line.push_str(&format!(" - {}", command.trim_end()));
    }
    if let Some(path) = &action.new_path {
        line.push_str(&format!(" to {}", paths.show(path)));
    }
    if let Some(rung) = action.matched_by.as_ref().filter(|_| !action.unchanged) {
        line.push_str(&format!(" (matched by {rung})"));
    }
    if action.unchanged {
        line.push_str(" (already in place)");
    }
    // An agent is told of no approval's id, but that there is one.
    let asks = |approval: &Approval| approval.task.as_ref() == Some(&action.task);
    if action.needs_approval.is_some() || result.approvals.iter().any(asks) {
        line.push_str(" (needs approval)");
    }
    line
}

fn unplannable(page: &mut Page, action: &PlannedAction, style: &ReportStyle<'_>) {
    let Some(failure) = &action.unplannable else { return };
    if failure.hint.is_none() && style.error_detail < ErrorDetail::Debug {
        return;
    }
    let kind = if style.error_detail == ErrorDetail::Debug {
        format!(", kind {}", failure.kind)
    } else {
        String::new()
    };
    page.line(format_args!("task {}, {}{kind}:", action.task, action.action));
    if let Some(hint) = &failure.hint {
        page.block("  ", &in_words_of(PERSON, hint));
    }
}

fn summary(result: &PlanResult) -> String {
    let failed = result.actions.iter().filter(|action| action.unplannable.is_some()).count();
    let planned = result.actions.len() - failed;
    let mut line = format!("{} planned", count_of(planned, "action"));
    if failed > 0 {
        line.push_str(&format!(", {failed} cannot be applied"));
    }
    if !result.parse_errors.is_empty() {
        line.push_str(&format!("; {}", count_of(result.parse_errors.len(), "parse error")));
    }
    format!("{line}. Nothing was changed. Plan {}.", result.plan_id)
}
