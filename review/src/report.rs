//! The report of what was applied, as the screen shows it.

use std::collections::BTreeMap;

use clada_protocol::{
    ActionResult, ActionStatus, ErrorKind, ExecutionResult, ReportStyle, execution_text, shown_id,
    visible_line,
};

pub(crate) fn report_text(report: &ExecutionResult, style: &ReportStyle<'_>) -> String {
    let mut report = report.clone();
    let was_done = |action: &ActionResult| action.kind == Some(ErrorKind::AnswerAlreadyApplied);
    report.results.sort_by_key(|action| match action.status {
        ActionStatus::Success => 1,
        ActionStatus::Skip => 2 + usize::from(was_done(action)),
        _ => 0,
    });
    for action in report.results.iter_mut().filter(|action| was_done(action)) {
        (action.hint, action.person_hint) = (None, None);
    }
    let text = execution_text(&report, style);
    match text.trim_end().rsplit_once('\n') {
        Some((rest, summary)) => format!("{summary}\n\n{rest}\n"),
        None => text,
    }
}

pub(crate) fn report_title(short_ids: &BTreeMap<String, String>, operation: &str) -> String {
    format!("report · {}", visible_line(shown_id(short_ids, operation)))
}
