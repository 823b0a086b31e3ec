//! The report of `execute`: a line an action, with its hints under it, then the files, then a summary.

use super::changed::changed_lines;
use super::details::{command_lines, details, output, partial_failures};
use super::git::git_lines;
use super::issues::{not_read, parse_issue};
use super::page::{MARK, Page, ReportPaths};
use super::proposals::left_proposals;
use super::words::{PERSON, in_words_of};
use super::{CommandOutput, ErrorDetail, ReportStyle, Verbosity, count_of, shown_id};
use crate::{
    ActionData, ActionResult, ActionStatus, Approval, ApprovalKind, CommandData, ErrorKind, ExecutionResult,
    HunkCount, OperationWarning, visible_line,
};

/// Returns the report of `result` for a user: lines that begin with `[task-N]`, under each what to do if it
/// failed, then the files that were changed.
#[must_use]
pub fn execution_text(result: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let mut page = Page::default();
    for action in &result.results {
        command_output(&mut page, action, style);
        if style.verbosity > Verbosity::Quiet || !action.success {
            let line = action_line(action, &action.action, style, paths);
            page.line(match action {
                action if waits(result, action) => line.replacen(action.status.word(), WAITS, 1),
                ActionResult { declined: true, task, status, action, .. } => {
                    format!("[task-{task}] {}: {action} - declined by you", status.word())
                }
                _ => line,
            });
            line_of_part(&mut page, action);
        }
        if style.verbosity == Verbosity::Verbose
            // `command_output` has shown the output of commands.
            && !matches!(action.action.as_str(), "run" | "exec")
            && let Some(text) = output(action, paths)
        {
            page.block(MARK, &text);
        }
        if !action.success {
            failed_action(&mut page, action, style, paths);
        }
    }
    if style.verbosity > Verbosity::Quiet && !result.changed.is_empty() {
        page.gap();
        changed_lines(&mut page, &result.changed, result.changed_more);
    }
    let diff = result.dry_run.as_ref().map(|dry_run| &dry_run.diff).or(result.diff.as_ref());
    if let Some(diff) = diff {
        page.gap();
        page.diff(diff);
    }
    closing(&mut page, result, style, paths);
    page.into_text()
}

const WAITS: &str = "WAITS";

fn waits(result: &ExecutionResult, action: &ActionResult) -> bool {
    let asks = |approval: &Approval| approval.task.as_ref() == Some(&action.task);
    let is_asked = matches!(action.kind, Some(ErrorKind::ApprovalRequired | ErrorKind::CommandNotAllowed));
    result.dry_run.is_some() && is_asked && result.approvals.iter().any(asks)
}

pub(super) fn action_line(
    action: &ActionResult,
    name: &str,
    style: &ReportStyle<'_>,
    paths: ReportPaths<'_>,
) -> String {
    let described = if action.success { details(action, paths) } else { message(action, paths) };
    let mut line = format!("[task-{}] {}: {name}", action.task, action.status.word());
    if !described.is_empty() {
        line.push_str(" - ");
        line.push_str(&described);
    }
    if let Some(part) = part_done(action) {
        line.push_str(&format!(" ({part})"));
    }
    if style.verbosity == Verbosity::Verbose {
        line.push_str(&format!(" [{} ms]", action.duration_ms));
    }
    line
}

pub(super) fn part_done(action: &ActionResult) -> Option<String> {
    let hunks = action.hunks.filter(|_| action.success);
    let part =
        hunks.map(|HunkCount { done, of }| format!("{done} of {of} hunks; the user left out the rest"));
    let edited = (action.success && action.edited > 0).then(|| {
        let places = crate::count_of(action.edited, "place");
        format!("the user edited {places} of it: the file has the user's lines there")
    });
    let parts: Vec<String> = part.into_iter().chain(edited).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

pub(super) fn line_of_part(page: &mut Page, action: &ActionResult) {
    if let Some(part) = &action.within_line {
        page.block(&format!("  line {} is now: ", part.line), &part.text);
    }
}

pub(super) fn message(action: &ActionResult, paths: ReportPaths<'_>) -> String {
    let error = action.error.as_deref().unwrap_or(match action.status {
        ActionStatus::Skip => "not attempted",
        _ => "no reason was given",
    });
    let own = error.strip_prefix(action.action.as_str()).and_then(|rest| rest.strip_prefix(": "));
    paths.in_message(own.unwrap_or(error))
}

fn failed_action(page: &mut Page, action: &ActionResult, style: &ReportStyle<'_>, paths: ReportPaths<'_>) {
    let failures = partial_failures(action, paths);
    if let Some(place) = failed_place(action, style) {
        page.line(format_args!("  {place}"));
    }
    for failure in failures {
        page.line(format_args!("  {failure}"));
    }
    if let Some(hint) = &action.hint {
        page.block("  ", &in_words_of(PERSON, hint));
    }
    parameters(page, action, style);
}

fn failed_place(action: &ActionResult, style: &ReportStyle<'_>) -> Option<String> {
    let block = action.block_id.as_ref().filter(|_| style.error_detail >= ErrorDetail::Full);
    let kind = action.kind.filter(|_| style.error_detail == ErrorDetail::Debug);
    let parts = [block.map(|block| format!("block {block}")), kind.map(|kind| format!("kind {kind}"))];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

pub(super) fn parameters(page: &mut Page, action: &ActionResult, style: &ReportStyle<'_>) {
    if style.error_detail == ErrorDetail::Minimal {
        return;
    }
    for (name, value) in action.params.iter() {
        match value.as_str() {
            Some(text) if text.contains('\n') => {
                page.line(format_args!("  {name}:"));
                page.block(MARK, text);
            }
            Some(text) => page.line(format_args!("  {name}: {text}")),
            None => page.line(format_args!("  {name}: {value}")),
        }
    }
}

fn closing(page: &mut Page, result: &ExecutionResult, style: &ReportStyle<'_>, paths: ReportPaths<'_>) {
    page.gap();
    if !style.seen_problems {
        for issue in &result.parse_errors {
            parse_issue(page, issue, "ERROR", style);
        }
        not_read(page, &result.not_read, style);
    }
    left_proposals(page, &result.proposals, style);
    already(page, &result.already);
    if let Some(fatal) = &result.fatal_error {
        page.line(format_args!("FATAL: {}", paths.in_message(fatal)));
    }
    if style.verbosity > Verbosity::Quiet {
        warnings(page, &result.warnings, style, paths);
        if !result.external_changes.is_empty() {
            let changed: Vec<_> = result.external_changes.iter().map(|path| paths.show(path)).collect();
            page.line(format_args!("Changed by another program meanwhile: {}", changed.join(", ")));
        }
    } else {
        // Files that run by themselves from now on are reported at every verbosity.
        let is_unapplied = |action: &&ActionResult| {
            let command = action.data.as_ref().and_then(ActionData::command);
            command.is_some_and(|command| command.touched.is_some() || command.repositories.is_some())
        };
        let tasks: Vec<&str> =
            result.results.iter().filter(is_unapplied).map(|action| action.task.as_str()).collect();
        let begins = |warning: &&OperationWarning| {
            tasks.iter().any(|task| warning.message.starts_with(&format!("Task {task} ")))
        };
        let reported: Vec<_> = result.warnings.iter().filter(begins).cloned().collect();
        warnings(page, &reported, style, paths);
    }
    approvals(page, &result.approvals, style, paths, Changes::Shown);
    if let Some(git) = &result.git
        && style.verbosity > Verbosity::Quiet
    {
        git_lines(page, git, paths);
    }
    if style.verbosity > Verbosity::Quiet {
        page.gap();
        page.line(summary(result));
    }
}

pub(super) fn already(page: &mut Page, paths: &[String]) {
    if !paths.is_empty() {
        let shown: Vec<_> = paths.iter().map(|path| visible_line(path)).collect();
        page.line(format_args!("Already in place: {}", shown.join(", ")));
    }
}

/// The number of warnings that a report lists unless it is to be verbose: the same slip in each of many
/// actions is one slip.
const WARNINGS: usize = 5;

const RELATIVE: &str = "Relative path: ";

pub(super) fn warnings(
    page: &mut Page,
    warnings: &[OperationWarning],
    style: &ReportStyle<'_>,
    paths: ReportPaths<'_>,
) {
    let is_verbose = style.verbosity == Verbosity::Verbose;
    let warnings: Vec<&OperationWarning> =
        warnings.iter().filter(|warning| is_verbose || !warning.message.starts_with(RELATIVE)).collect();
    let listed = if is_verbose { warnings.len() } else { WARNINGS.min(warnings.len()) };
    for warning in &warnings[..listed] {
        let task = warning.task.as_ref().map(|task| format!(" (task {task})")).unwrap_or_default();
        page.line(format_args!("WARNING{task}: {}", paths.in_message(&warning.message)));
    }
    if listed < warnings.len() {
        page.line(format_args!("WARNING: and {} more (-v lists all)", warnings.len() - listed));
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    Shown,
    /// They are not shown: they are elsewhere in it, or its reader has written them.
    Omitted,
}

pub(super) fn approvals(
    page: &mut Page,
    approvals: &[Approval],
    style: &ReportStyle<'_>,
    paths: ReportPaths<'_>,
    changes: Changes,
) {
    if approvals.is_empty() {
        return;
    }
    page.gap();
    page.line("This needs your approval:");
    for approval in approvals {
        approval_lines(page, approval, paths);
        let shown = approval.change.as_deref().filter(|_| changes == Changes::Shown).unwrap_or_default();
        match shown.match_indices('\n').nth(CHANGE_LINES) {
            None => page.diff(shown),
            Some((end, _)) => {
                page.diff(&shown[..end]);
                let more = shown[end + 1..].lines().count();
                page.line(format_args!(" (and {more} more lines; `apply -i` shows all of them)"));
            }
        }
    }
    if !style.how_to_approve.is_empty() {
        page.line(style.how_to_approve);
    }
}

const CHANGE_LINES: usize = 40;

/// Returns one approval that a user is asked for, whole, with paths from `root`.
#[must_use]
pub fn approval_text(approval: &Approval, root: &str) -> String {
    let mut page = Page::default();
    page.gap();
    page.line("This answer needs your approval:");
    approval_lines(&mut page, approval, ReportPaths::new(root));
    page.diff(approval.change.as_deref().unwrap_or_default());
    page.into_text()
}

/// Returns what one approval of a plan is about, without its id and the change that it shows.
#[must_use]
pub fn planned_approval_text(approval: &Approval, root: &str) -> String {
    let mut page = Page::default();
    approval_lines(
        &mut page,
        &Approval { id: String::new(), change: None, ..approval.clone() },
        ReportPaths::new(root),
    );
    page.into_text()
}

fn approval_lines(page: &mut Page, approval: &Approval, paths: ReportPaths<'_>) {
    {
        let task = approval.task.as_ref().map(|task| format!("task {task}, ")).unwrap_or_default();
        let what = match approval.kind {
            ApprovalKind::File => format!("a change of {}", paths.show(&approval.path)),
            ApprovalKind::Command => match paths.show(&approval.path) {
                path if path == "." => "a command".to_owned(),
                path => format!("a command in {path}"),
            },
            ApprovalKind::Root => format!("working in {}", crate::visible_path(&approval.path)),
            ApprovalKind::Unknown => format!("something in {}", paths.show(&approval.path)),
        };
        let warning =
            if approval.suspicious { " It contains invisible characters; look closely." } else { "" };
        // An agent is not told the id.
        let id = if approval.id.is_empty() { String::new() } else { format!(" [{}]", approval.id) };
        let reason = approval.reason.trim_end_matches('.');
        page.line(format_args!("  {task}{what}: {reason}.{warning}{id}"));
        if let Some(command) = &approval.command {
            command_lines(page, command);
        }
    }
}

fn command_output(page: &mut Page, action: &ActionResult, style: &ReportStyle<'_>) {
    // The output of a command that was streamed is left out: the subscriber has shown it.
    let is_quiet = style.verbosity == Verbosity::Quiet && action.success;
    if style.commands == CommandOutput::Omitted || is_quiet {
        return;
    }
    let mark = format!("[task-{}:exec] ", action.task);
    let command = action.data.as_ref().and_then(ActionData::command);
    for (_, text) in command.into_iter().flat_map(CommandData::streams) {
        page.block(&mark, text);
    }
}

fn summary(result: &ExecutionResult) -> String {
    let count = |status| result.results.iter().filter(|action| action.status == status).count();
    let waiting = result.results.iter().filter(|action| waits(result, action)).count();
    let declined = result.results.iter().filter(|action| action.declined).count();
    // By its status, an action that waits has failed, and a declined one was skipped.
    let (succeeded, skipped) = (count(ActionStatus::Success), count(ActionStatus::Skip));
    let failed = (result.results.len() - succeeded - skipped).saturating_sub(waiting);
    let mut parts = vec![format!("{succeeded} succeeded")];
    let waits = if waiting == 1 { "waits for approval" } else { "wait for approval" };
    let skipped = skipped.saturating_sub(declined);
    for (number, word) in
        [(failed, "failed"), (waiting, waits), (declined, "declined"), (skipped, "not attempted")]
    {
        if number > 0 {
            parts.push(format!("{number} {word}"));
        }
    }
    let mut line = format!("{}: {}", count_of(result.results.len(), "action"), parts.join(", "));
    if result.results.is_empty() {
        line = "Nothing to apply".to_owned();
    }
    if !result.parse_errors.is_empty() {
        line.push_str(&format!("; {}", count_of(result.parse_errors.len(), "parse error")));
    }
    line.push('.');
    if result.truncated {
        line.push_str(" The result was cut at its size limit.");
    }
    if result.dry_run.is_some() {
        line.push_str(" Dry run: nothing was changed.");
    } else if !result.results.is_empty() && !result.operation_id.is_empty() {
        let id = shown_id(&result.short_ids, &result.operation_id);
        line.push_str(&format!(" Operation {id}."));
    }
    line
}
