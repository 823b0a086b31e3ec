//! What waits for the user and what was done: the list, one operation, and the way back.

use std::time::Instant;

use clada_client::review::ago;
use clada_protocol::{
    ApprovalListResult, ErrorKind, HistoryListResult, HistoryShowResult, count_of, history_text,
    how_to_approve, operation_text, shown_id, visible_block, visible_line, visible_path, waiting_text,
};

use crate::app::{App, style};
use crate::daemon::Ask;
use crate::document::ViewDocument;
use crate::popup::{Popup, PopupQuestion};
use crate::view::{ViewContent, ViewSubject};

/// What a `no` leaves: the protocol has no answer that refuses the whole.
const NO_REFUSAL: &str = "
n skips only what needs approval: the rest of the answer is applied, as it is when nobody answers in time.
You cannot refuse the whole here; undo its operation to revert it.
";

impl App {
    pub(crate) fn shown(&mut self, shown: HistoryShowResult) {
        let mut notes: Vec<String> = Vec::new();
        let bare = HistoryShowResult { diff: None, ..shown.clone() };
        let moment = self.moment;
        let text = operation_text(&bare, &style(&self.root), &|at| moment(at));
        notes.extend(text.lines().map(str::to_owned));
        let id = shown_id(&shown.short_ids, &shown.operation.operation_id);
        let waits = [ErrorKind::ApprovalRequired, ErrorKind::CommandNotAllowed];
        if shown.actions.iter().any(|action| action.kind.is_some_and(|kind| waits.contains(&kind))) {
            notes.push(how_to_approve(Some(id)));
        }
        let document = ViewDocument::of_diff(shown.diff.as_deref().unwrap_or_default(), notes);
        let title = format!("operation {}", visible_line(id));
        self.open(ViewSubject::Operation(Box::new(shown)), title, ViewContent::Document(document));
    }

    pub(crate) fn home(&mut self, history: HistoryListResult, approvals: ApprovalListResult) {
        let mut items: Vec<(Option<usize>, String)> = Vec::new();
        let waiting = approvals.approvals.len();
        if waiting > 0 {
            items.push((None, format!("Waiting for your approval: {}", count_of(waiting, "answer"))));
        }
        for (at, one) in approvals.approvals.iter().enumerate() {
            let client = one.client.as_deref().unwrap_or("an agent");
            let wants: Vec<String> = one
                .approvals
                .iter()
                .map(|approval| approval.command.as_ref().map_or(&approval.path, |command| &command.command))
                .map(|subject| visible_line(subject).into_owned())
                .collect();
            items.push((Some(at), format!("  {}: {}", visible_line(client), wants.join(", "))));
        }
        if !approvals.left_out.is_empty() {
            let answers = count_of(approvals.left_out.len(), "answer");
            let line =
                format!("{answers} of agents left out what needs approval: clada approvals lists them");
            items.extend([(None, line)]);
        }
        let text = history_text(&history, &style(&self.root), &ago);
        for (at, line) in visible_block(&text).lines().enumerate() {
            let item = (at < history.operations.len()).then_some(waiting + at);
            items.push((item, line.to_owned()));
        }
        let title = format!("history of {}", visible_path(&self.root));
        let before = self.views.iter().position(|view| matches!(view.subject, ViewSubject::Home(..)));
        let subject = ViewSubject::Home(history, approvals);
        match before {
            Some(at) => {
                let view = &mut self.views[at];
                (view.subject, view.content) = (subject, ViewContent::List(items));
                view.lay_out();
            }
            None => self.open(subject, title, ViewContent::List(items)),
        }
    }

    pub(crate) fn choose(&mut self, now: Instant) {
        let Some(view) = self.views.last() else { return };
        let (ViewSubject::Home(history, approvals), Some(item)) =
            (&view.subject, view.row().and_then(|row| row.unit))
        else {
            return;
        };
        match approvals.approvals.get(item) {
            Some(waiting) => {
                let mut text = waiting_text(waiting);
                text.push_str(NO_REFUSAL);
                self.popup = Some(Popup::new(PopupQuestion::Waiting(waiting.id.clone()), text, now));
            }
            None => {
                let id = history.operations[item - approvals.approvals.len()].operation_id.clone();
                self.ask(Ask::Show(id), "Looking it up", now);
            }
        }
    }

    pub(crate) fn undo(&mut self, now: Instant) {
        let Some(view) = self.views.last() else { return };
        let operation = match &view.subject {
            ViewSubject::Operation(shown) => Some((&shown.operation, &shown.short_ids)),
            ViewSubject::Home(history, approvals) => {
                let item = view.row().and_then(|row| row.unit);
                let at = item.and_then(|item| item.checked_sub(approvals.approvals.len()));
                at.map(|at| (&history.operations[at], &history.short_ids))
            }
            ViewSubject::Report(Some(id)) => {
                let question = PopupQuestion::Undo(id.clone(), false);
                let text = "Undo everything in this report?".to_owned();
                return self.popup = Some(Popup::new(question, text, now));
            }
            ViewSubject::Report(None) | ViewSubject::Plan(_) | ViewSubject::Text => None,
        };
        let Some((operation, short_ids)) = operation else {
            return self.note = "There is no operation to undo here: h shows the history.".to_owned();
        };
        let id = visible_line(shown_id(short_ids, &operation.operation_id));
        let what = match &operation.undoes {
            Some(again) if operation.kind == "undo" => {
                let again = visible_line(shown_id(short_ids, again));
                format!("Redo {again}? It was undone by {id}.")
            }
            _ => format!("Undo {id}?"),
        };
        let text = format!("{what}\n\n{}", visible_line(&operation.summary));
        self.popup = Some(Popup::new(PopupQuestion::Undo(operation.operation_id.clone(), false), text, now));
    }
}
