//! The report of what was carried out, as the screen shows it, and what becomes of it.

use std::collections::BTreeMap;

use clada_protocol::{
    ActionResult, ActionStatus, ErrorKind, ExecutionResult, ReportStyle, UndoResult, execution_text,
    shown_id, visible_line,
};

use crate::app::App;
use crate::view::ViewSubject;

impl App {
    pub(crate) fn taken_back(&mut self, undo: &UndoResult) {
        if !undo.success {
            return;
        }
        let by = shown_id(&undo.short_ids, &undo.operation_id).to_owned();
        let back = undo.undone.undoes.as_ref().filter(|_| undo.undone.kind == "undo");
        let (operation, by) = match back {
            Some(again) => (again, None),
            None => (&undo.undone.operation_id, Some(by)),
        };
        let is_it = |id: &Option<String>| id.as_ref() == Some(operation);
        for view in &mut self.views {
            if matches!(&view.subject, ViewSubject::Report(id) if is_it(id)) {
                let title = report_title(&undo.short_ids, operation);
                view.title = by.as_ref().map_or(title.clone(), |by| format!("{title} undone by {by}"));
            }
        }
        let carried = self.carried.iter_mut().filter(|carried| is_it(&carried.operation));
        carried.for_each(|carried| carried.undone_by.clone_from(&by));
    }
}

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
