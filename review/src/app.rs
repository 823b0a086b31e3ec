//! The state of the review: views above each other, a question above them, what is under way.
//!
//! Knows neither the terminal nor the daemon: replies come in, requests go out (`asks`). Time is passed in.

use std::time::Instant;

use clada_client::review::{Cancel, Carried, Ended, Failure, cancel, needed_by_call};
use clada_protocol::{
    ApprovalDecision, ErrorKind, ExecuteEvent, ExecuteEventKind, ExecutionResult, GitWhere, PlanResult,
    ReportStyle, STALE_APPROVALS, UndoResult, how_to_approve, shown_id, undo_text, visible_line,
};
use serde_json::value::RawValue;

use crate::daemon::{Ask, is};
use crate::document::{ViewDocument, is_empty};
use crate::events::DaemonReply;
use crate::model::{Consent, Model};
use crate::popup::{Popup, PopupQuestion};
use crate::report::{report_text, report_title};
use crate::view::{View, ViewContent, ViewSubject};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    GoOn,
    CarryOut,
}

#[derive(Debug)]
pub(crate) struct Busy {
    pub(crate) what: String,
    pub(crate) since: Instant,
    cancel: Option<Cancel>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppAction {
    Leave,
    Stop,
    Redraw,
}

#[derive(Debug)]
pub(crate) struct App {
    pub(crate) root: String,
    pub(crate) source: String,
    pub(crate) views: Vec<View>,
    pub(crate) popup: Option<Popup>,
    pub(crate) busy: Option<Busy>,
    pub(crate) note: String,
    pub(crate) typed: Option<String>,
    pub(crate) words: String,
    pub(crate) before: Option<char>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) act: Option<AppAction>,
    asking: Option<(Vec<usize>, Then)>,
    place_question: Option<String>,
    place: Option<GitWhere>,
    call: Vec<String>,
    // The plan whose decisions wait for a new one; true: it is applied if nothing else is in it.
    earlier: Option<(Box<Model>, bool)>,
    pub(crate) carried: Vec<Carried>,
    failed: Option<Failure>,
    had_plan: bool,
    pub(crate) moment: fn(i64) -> String,
}

pub(crate) fn style(root: &str) -> ReportStyle<'_> {
    ReportStyle { root, ..ReportStyle::default() }
}

impl App {
    pub(crate) fn new(root: String, source: String, moment: fn(i64) -> String) -> App {
        App {
            root,
            source,
            views: Vec::new(),
            popup: None,
            busy: None,
            note: String::new(),
            typed: None,
            words: String::new(),
            before: None,
            asks: Vec::new(),
            act: None,
            asking: None,
            place_question: None,
            place: None,
            call: Vec::new(),
            earlier: None,
            carried: Vec::new(),
            failed: None,
            had_plan: false,
            moment,
        }
    }

    pub(crate) fn look(&mut self) {
        let is_home = self.views.last().is_some_and(|view| matches!(view.subject, ViewSubject::Home(..)));
        if is_home && self.busy.is_none() && self.popup.is_none() {
            self.asks.push(Ask::Home);
        }
    }

    pub(crate) fn ask(&mut self, ask: Ask, what: &str, now: Instant) {
        self.asks.push(ask);
        self.busy = Some(Busy { what: what.to_owned(), since: now, cancel: None });
    }

    pub(crate) fn ended(self) -> Ended {
        match self.failed {
            _ if !self.carried.is_empty() => Ended::Carried(self.carried),
            Some(failure) => Ended::Failed(failure),
            None => Ended::Quit(self.had_plan),
        }
    }

    pub(crate) fn model(&mut self) -> Option<&mut Model> {
        match &mut self.views.last_mut()?.subject {
            ViewSubject::Plan(model) => Some(model),
            _ => None,
        }
    }

    pub(crate) fn is_carrying(&self) -> bool {
        self.busy.as_ref().is_some_and(|busy| busy.cancel.is_some())
    }

    pub(crate) fn cancel(&mut self) -> bool {
        let Some(cancel) = self.busy.as_ref().and_then(|busy| busy.cancel.as_ref()) else { return false };
        cancel.cancel();
        self.note = "Cancelling; the current step finishes first.".to_owned();
        true
    }

    pub(crate) fn hold(&mut self) -> bool {
        let Some((_, carries @ true)) = &mut self.earlier else { return false };
        *carries = false;
        self.note = "Stopped: nothing is applied.".to_owned();
        true
    }

    pub(crate) fn open(&mut self, subject: ViewSubject, title: String, content: ViewContent) {
        self.views.push(View::new(subject, title, content));
    }

    fn close(&mut self, is_one: impl Fn(&ViewSubject) -> bool) {
        self.views.retain(|view| !is_one(&view.subject));
    }

    pub(crate) fn tell(&mut self, text: String, now: Instant) {
        self.popup = Some(Popup::new(PopupQuestion::Nothing, text, now));
    }

    pub(crate) fn handle_reply(&mut self, reply: DaemonReply, now: Instant) {
        match reply {
            DaemonReply::Note(text) => return self.note = text,
            DaemonReply::Command(event) => return self.command(event, now),
            _ => self.busy = None,
        }
        match reply {
            DaemonReply::Plan(plan, question) => self.planned(*plan, question, now),
            DaemonReply::Shown(shown) => self.shown(*shown),
            DaemonReply::Carried(result) => self.carried(result, now),
            DaemonReply::Home(history, approvals) => self.home(history, approvals),
            DaemonReply::Undone(undone) => {
                let text = undo_text(&undone, &style(&self.root));
                self.taken_back(&undone);
                if self.views.iter().any(|view| matches!(view.subject, ViewSubject::Home(..))) {
                    self.asks.push(Ask::Home);
                }
                self.close(|subject| matches!(subject, ViewSubject::Operation(_)));
                self.open(ViewSubject::Text, "undo".to_owned(), ViewContent::Text(text));
            }
            DaemonReply::UndoConflict(operation, failure) => {
                let text = format!("{}\n\nUndo it, and merge with later changes?", failure.text(false));
                self.popup = Some(Popup::new(PopupQuestion::Undo(operation, true), text, now));
            }
            DaemonReply::Answered(decision, answered) => {
                self.note = match (answered.message, answered.asked_again, decision) {
                    (Some(why), ..) => format!("Not done as it was shown: {}", visible_line(&why)),
                    (None, Some(_), _) => {
                        "Nothing was applied: it would now do something other than was shown. Look again."
                            .to_owned()
                    }
                    (None, None, ApprovalDecision::Once) => {
                        "Approved. It is running, and listed below once it is done.".to_owned()
                    }
                    (None, None, ApprovalDecision::No) => {
                        "Not approved. The rest is running, and listed below once it is done.".to_owned()
                    }
                };
                self.asks.push(Ask::Home);
            }
            DaemonReply::Failed(failure) => self.fail(failure, now),
            DaemonReply::Note(_) | DaemonReply::Command(_) => {}
        }
    }

    fn fail(&mut self, failure: Failure, now: Instant) {
        // What is shown stays, with its decisions.
        self.earlier = None;
        if self.views.is_empty() {
            self.failed = Some(failure);
            self.act = Some(AppAction::Leave);
        } else {
            self.tell(failure.text(false), now);
        }
    }

    fn show_plan(&mut self, model: Model) {
        self.close(|subject| matches!(subject, ViewSubject::Plan(_)));
        let document = ViewDocument::of_plan(&model, &style(&self.root));
        let title = self.source.clone();
        self.open(ViewSubject::Plan(Box::new(model)), title, ViewContent::Document(document));
    }

    fn planned(&mut self, plan: PlanResult, question: Option<String>, now: Instant) {
        let mut model = Model::new(plan);
        let (cursor, is_new) =
            match self.views.iter().find(|view| matches!(view.subject, ViewSubject::Plan(_))) {
                Some(view) => ((view.cursor, view.top), false),
                None => ((0, 0), true),
            };
        let (mut goes_on, mut is_rest) = (false, false);
        if let Some((earlier, carries)) = self.earlier.take() {
            let is_same = model.carry(&earlier);
            (goes_on, is_rest) = (carries && is_same, !carries && self.has_carried());
            if goes_on && !earlier.consents.is_empty() {
                // The plan that was shown knows when: a command may read files that have changed since.
                model = *earlier;
            }
            // What is left after it was applied is another plan, as it should be.
            if !is_same && !is_new && !is_rest {
                self.note =
                    "Planned again: it differs from what was shown. Your decisions are kept; check it."
                        .to_owned();
            }
        }
        let empty = is_empty(&model);
        (self.had_plan, self.place_question) = (true, question.filter(|_| self.place.is_none()));
        self.show_plan(model);
        // Of what is left, the first comes first.
        if let Some(view) = self.views.last_mut().filter(|_| !is_rest) {
            (view.cursor, view.top) = cursor;
        }
        if goes_on {
            self.execute(now);
        } else if empty {
            self.tell("The answer contains no edits: there is nothing to apply.".to_owned(), now);
        }
    }

    pub(crate) fn carry_out(&mut self, now: Instant) {
        let Some(model) = self.model() else { return };
        let is_empty = model.count().0 == 0 && model.unanswered(&all(model)).is_none();
        // What only reads or cannot be done has a report, too; but it is not what a user decides about.
        let is_told = model.units.is_empty() && model.failures().next().is_some();
        if is_empty && !is_told && !model.plan.actions.iter().any(|action| action.looks) {
            return self.note = "Nothing is accepted. y accepts, q quits.".to_owned();
        }
        let all = all(model);
        self.asking = Some((all, Then::CarryOut));
        self.ask_next(now);
    }

    pub(crate) fn ask_for(&mut self, units: Vec<usize>, now: Instant) {
        self.asking = Some((units, Then::GoOn));
        self.ask_next(now);
    }

    pub(crate) fn ask_next(&mut self, now: Instant) {
        let Some((units, then)) = self.asking.take() else { return };
        let place = self.place_question.clone().filter(|_| then == Then::CarryOut);
        let root = self.root.clone();
        let Some(model) = self.model() else { return };
        if let Some((_, approval)) = model.unanswered(&units) {
            self.popup = Some(Popup::of_approval(approval, &root, now));
            self.asking = Some((units, then));
            return;
        }
        if then == Then::GoOn {
            return self.go_on();
        }
        if let (Some(text), true) = (place, model.count().0 > 0) {
            self.popup = Some(Popup::new(PopupQuestion::Place, text.trim().to_owned(), now));
            self.asking = Some((units, then));
            return;
        }
        // What is applied is what was shown, or it is shown again: a file may be another one by now.
        self.plan_again(true, "Checking that it is what was shown", now);
    }

    fn execute(&mut self, now: Instant) {
        let Some(model) = self.model() else { return };
        let (mut selection, always) = (model.selection(), model.always());
        selection.git = self.place;
        selection.approve.extend(self.call.iter().cloned());
        let (cancel, cancelled) = cancel().unzip();
        self.asks.push(Ask::CarryOut(selection, always, cancelled));
        self.busy = Some(Busy { what: "Applying".to_owned(), since: now, cancel });
    }

    pub(crate) fn stop_asking(&mut self) {
        self.asking = None;
    }

    pub(crate) fn decline_rest(&mut self) {
        let Some((units, _)) = self.asking.clone() else { return };
        let Some(model) = self.model() else { return };
        while let Some((_, approval)) = model.unanswered(&units) {
            let id = approval.id.clone();
            model.consent(&id, Consent::No);
        }
    }

    pub(crate) fn set_place(&mut self, place: GitWhere) {
        (self.place, self.place_question) = (Some(place), None);
        self.asks.push(Ask::KeepPlace(place));
    }

    pub(crate) fn approve_call(&mut self, ids: &[String], now: Instant) {
        self.call.extend_from_slice(ids);
        self.carry_out(now);
    }

    pub(crate) fn go_on(&mut self) {
        // A hunk that goes together with this one has to be seen, too.
        self.views.last_mut().map(|view| view.go(true, |row| row.is_head));
    }

    pub(crate) fn has_carried(&self) -> bool {
        !self.carried.is_empty()
    }

    fn carried(&mut self, result: Result<Box<RawValue>, Failure>, now: Instant) {
        let place = self.views.iter().position(|view| matches!(view.subject, ViewSubject::Plan(_)));
        let Some(view) = place.map(|at| &mut self.views[at]) else { return };
        let ViewSubject::Plan(model) = &mut view.subject else { return };
        self.note.clear();
        let failure = result.as_ref().err();
        let flag = failure.and_then(|failure| failure.error.as_ref()?.data.get(STALE_APPROVALS));
        if flag.is_some() || failure.is_some_and(|failure| is(failure, ErrorKind::PlanNotFound)) {
            // What was approved was approved as it was shown then.
            let asks_again = !model.consents.is_empty();
            model.consents.clear();
            if let Some(failure) = failure.filter(|_| asks_again) {
                let text = failure.text(false);
                self.tell(text, now);
            }
            return self.plan_again(!asks_again, "Planning again", now);
        }
        if let Some(ids) = failure.and_then(needed_by_call) {
            let message = failure.map(|failure| failure.message.clone()).unwrap_or_default();
            let text = format!("{}.\n\nGo on?", visible_line(&message));
            return self.popup = Some(Popup::new(PopupQuestion::Call(ids), text, now));
        }
        let report = match &result {
            Ok(result) => Some(result.get().to_owned()),
            Err(failure) => {
                let error = failure.error.as_ref();
                error.and_then(|error| error.data.get("result")).map(ToString::to_string)
            }
        };
        let report = report.and_then(|report| serde_json::from_str::<ExecutionResult>(&report).ok());
        match (report, result) {
            (Some(report), result) => {
                let hint = how_to_approve(Some(shown_id(&report.short_ids, &report.operation_id)));
                let style = ReportStyle { how_to_approve: &hint, seen_problems: true, ..style(&self.root) };
                let mut text = report_text(&report, &style);
                if let Err(failure) = &result {
                    text = format!("{}\n{text}", failure.text(false));
                }
                model.was_carried_out(&report);
                self.call.clear();
                let title = report_title(&report.short_ids, &report.operation_id);
                let operation = Some(report.operation_id).filter(|id| !id.is_empty());
                self.carried.push(Carried { result, operation: operation.clone(), undone_by: None });
                self.open(ViewSubject::Report(operation), title, ViewContent::Text(text));
            }
            (None, Err(failure)) if failure.is_lost => {
                self.tell(format!("{}\nIt is planned again.", failure.text(false)), now);
                self.plan_again(false, "Planning again", now);
            }
            (None, Err(failure)) => self.tell(failure.text(false), now),
            (None, Ok(result)) => {
                self.carried.push(Carried { result: Ok(result), operation: None, undone_by: None });
                self.act = Some(AppAction::Leave);
            }
        }
    }

    pub(crate) fn plan_again(&mut self, carries: bool, why: &str, now: Instant) {
        let place = self.views.iter().position(|view| matches!(view.subject, ViewSubject::Plan(_)));
        let Some(view) = place.map(|at| &self.views[at]) else { return };
        let ViewSubject::Plan(model) = &view.subject else { return };
        self.earlier = Some((model.clone(), carries));
        self.ask(Ask::Subject, why, now);
    }

    fn command(&mut self, event: ExecuteEvent, now: Instant) {
        let Some(busy) = &mut self.busy else { return };
        match event.kind {
            ExecuteEventKind::Started => {
                let command = event.command.unwrap_or_default();
                let first = visible_line(command.lines().next().unwrap_or_default()).into_owned();
                (busy.what, busy.since) = (format!("Running {first}"), now);
            }
            ExecuteEventKind::Output => {
                let text = event.text.unwrap_or_default();
                if let Some(line) = text.lines().rfind(|line| !line.trim().is_empty()) {
                    self.note = visible_line(line).into_owned();
                }
            }
            ExecuteEventKind::Finished => {
                (busy.what, busy.since) = ("Applying".to_owned(), now);
            }
            ExecuteEventKind::Unknown => {}
        }
    }

    fn taken_back(&mut self, undo: &UndoResult) {
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

fn all(model: &Model) -> Vec<usize> {
    (0..model.units.len()).collect()
}
