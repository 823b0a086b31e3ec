//! The report of `plan` made for a model: what an answer would do, before anything is done.
//!
//! As [`super::model`], whose parts it is made of, but for the diff, which comes last: whoever cuts it keeps
//! what has to be corrected.

use super::model::{
    NO_EDITS, Sorted, approval_line, dialect, failure, fenced_report, issues, not_read_at_all,
};
use super::page::{Page, ReportPaths};
use super::plan::{failed_line, planned_line};
use super::words::{message_in_words_of, operation};
use super::{ReportStyle, Unapproved, Verbosity, count_of, execution::warnings};
use crate::{ActionResult, ExecutionResult, PlanResult};

const NOTHING_CHANGED: &str = "Nothing was changed: this is a preview of what the answer would do, made from the files as they are now.";

/// Returns the report of `plan` for a model. `result` is the plan as the result of a dry run, which says more
/// of each action. Between fences made of `nonce`, as [`super::execution_for_model`] has them.
#[must_use]
pub fn plan_for_model(
    plan: &PlanResult,
    result: &ExecutionResult,
    style: &ReportStyle<'_>,
    nonce: u64,
) -> String {
    fenced_report(&body(plan, result, style), nonce)
}

fn body(plan: &PlanResult, result: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let paths = ReportPaths::new(style.root);
    let sorted = Sorted::new(result);
    let mut page = Page::default();
    page.line(NOTHING_CHANGED);
    // `result` is the plan in the form of a result: one step for each action.
    for (action, step) in plan.actions.iter().zip(&result.results) {
        let dialect = dialect(result, step);
        let name = operation(dialect, step);
        let line = match &action.unplannable {
            Some(failure) => failed_line(action, failure, &name, paths),
            None => planned_line(plan, action, &name, paths),
        };
        page.line(message_in_words_of(dialect, line));
    }
    for step in result.results.iter().filter(|step| !step.success && !sorted.waits(step)) {
        failure(&mut page, result, step, style);
    }
    issues(&mut page, result, style);
    if let Some(fatal) = &result.fatal_error {
        page.line(format_args!("FATAL: {}", paths.in_message(fatal)));
    }
    if style.verbosity > Verbosity::Quiet {
        warnings(&mut page, &result.warnings, style, paths);
    }
    if !plan.approvals.is_empty() {
        page.gap();
        page.line("This is left out until the user approves it. There is nothing to correct in it:");
        for approval in &plan.approvals {
            page.line(format_args!("  {}", approval_line(approval, paths)));
        }
    }
    not_read_at_all(&mut page, result, style);
    super::proposals::proposals_for_model(&mut page, &plan.proposals);
    page.gap();
    page.line(summary(plan, result, &sorted, style));
    next(&mut page, result, &sorted, style);
    if !plan.diff.is_empty() {
        page.gap();
        page.line("What would change:");
        page.fenced(&plan.diff);
    }
    page.into_text()
}

/// A chat has sent the answer already; an agent has not.
fn next(page: &mut Page, result: &ExecutionResult, sorted: &Sorted<'_>, style: &ReportStyle<'_>) {
    if style.unapproved == Unapproved::OfUser {
        sorted.again(result).into_iter().for_each(|again| page.line(again));
        return;
    }
    if let Some(wrong) = sorted.wrong(result) {
        page.line(format_args!("Correct {wrong} before you apply this."));
    }
    if !result.not_read.is_empty() {
        page.line("What was not read would be left out: write it in that form.");
    }
}

fn summary(
    plan: &PlanResult,
    result: &ExecutionResult,
    sorted: &Sorted<'_>,
    style: &ReportStyle<'_>,
) -> String {
    if result.results.is_empty() {
        let is_told = style.unapproved == Unapproved::OfUser
            || !(result.not_read.is_empty() && result.parse_errors.is_empty() && plan.proposals.is_empty());
        return match is_told {
            true => "There is nothing to apply.".to_owned(),
            false => format!("There is nothing to apply. {NO_EDITS}"),
        };
    }
    let needs_approval = |step: &&ActionResult| {
        plan.approvals.iter().any(|approval| approval.task.as_ref() == Some(&step.task))
    };
    let planned = || result.results.iter().filter(|step| step.success);
    let waiting = planned().filter(needs_approval).count();
    let done = planned().count() - waiting;
    let mut line = format!("{}: {done} would be done", count_of(result.results.len(), "task"));
    for (number, word) in sorted.undone() {
        // The words are those of an execution; nothing was done yet.
        let word = match word {
            "failed" => "would fail",
            "not attempted" => "would not be attempted",
            word => word,
        };
        line.push_str(&format!(", {number} {word}"));
    }
    if waiting > 0 {
        line.push_str(&format!(", {waiting} would wait for the user"));
    }
    line.push('.');
    if sorted.asks {
        line.push(' ');
        line.push_str(super::model::ask(style));
    }
    line
}
