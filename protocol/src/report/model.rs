//! The report of `execute` made to be pasted back to a model.
//!
//! It stands between `clada-report NONCE` and `end NONCE`, a region that no dialect looks into (spec: safety,
//! "Text that is not ours"), so that pasting it back into `execute` runs nothing of what it quotes.

use super::details::{output, partial_failures};
use super::execution::{Changes, action_line, closing, failed_heading, line_of_part, parameters};
use super::page::{Page, Paths};
use super::{ReportStyle, Verbosity};
use crate::ExecutionResult;

/// The report of `result` for a model: the lines of [`super::execution_text`], what reading actions read, the
/// hints of what failed, and the summary; between fences made of `nonce`, 16 hexadecimal digits from the
/// caller's randomness. A nonce that occurs in the report is replaced by the next one that does not.
#[must_use]
pub fn execution_for_model(result: &ExecutionResult, style: &ReportStyle<'_>, nonce: u64) -> String {
    let body = body(result, style);
    let nonce = (0..=u64::MAX)
        .map(|step| format!("{:016x}", nonce.wrapping_add(step)))
        .find(|nonce| !body.contains(nonce.as_str()))
        .unwrap_or_default();
    format!("clada-report {nonce}\n{body}end {nonce}\n")
}

fn body(result: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let paths = Paths::new(style.root);
    let mut page = Page::default();
    for action in &result.results {
        if style.verbosity > Verbosity::Quiet || !action.success {
            page.line(action_line(action, style, paths));
            line_of_part(&mut page, action);
        }
    }
    for action in &result.results {
        if let Some(text) = output(action, paths) {
            page.gap();
            page.line(format_args!("task {}, {}:", action.task, action.action));
            page.fenced(&text);
        }
    }
    if let Some(dry_run) = &result.dry_run {
        page.gap();
        page.line("What would change:");
        page.fenced(&dry_run.diff);
    }
    for action in result.results.iter().filter(|action| !action.success) {
        let failures = partial_failures(action, paths);
        if action.hint.is_none() && failures.is_empty() {
            continue;
        }
        page.gap();
        page.line(failed_heading(action, style));
        for failure in failures {
            page.line(format_args!("  {failure}"));
        }
        match &action.hint {
            Some(hint) if hint.contains('\n') => page.fenced(hint),
            Some(hint) => page.line(format_args!("  {hint}")),
            None => {}
        }
        parameters(&mut page, action, style);
    }
    closing(&mut page, result, style, paths, Changes::Left);
    page.into_text()
}
