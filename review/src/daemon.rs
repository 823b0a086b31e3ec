//! The daemon's side, in a thread of its own: one request after the other, each with its reply.
//!
//! Knows no screen. The screen never waits for it.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender};

use clada_client::review::{Calls, Cancelled, Failure, PlanSelection, Status, Subject};
use clada_protocol::method::{ApprovalAnswer, ApprovalList, HistoryList, HistoryShow, Undo};
use clada_protocol::{
    Approval, ApprovalAnswerParams, ApprovalDecision, ApprovalListParams, ErrorKind, GitWhere,
    HistoryListParams, HistoryShowParams, UndoParams, visible_line,
};

use crate::events::{DaemonReply, Event};

const LISTED: usize = 100;

#[derive(Debug)]
pub(crate) enum Ask {
    Subject,
    CarryOut(PlanSelection, Vec<Approval>, Option<Cancelled>),
    KeepPlace(GitWhere),
    Home,
    Show(String),
    Undo(String, bool),
    Answer(String, ApprovalDecision),
}

pub(crate) fn serve(
    mut calls: Calls,
    mut subject: Subject,
    root: &str,
    requests: &Receiver<Ask>,
    events: &Sender<Event>,
) {
    let tell = |reply| drop(events.send(Event::Reply(reply)));
    while let Ok(request) = requests.recv() {
        let reply = match request {
            Ask::Subject => opened(&mut calls, &mut subject, root),
            Ask::CarryOut(selection, always, cancelled) => {
                let mut command = |event| tell(DaemonReply::Command(event));
                let carried = calls.carry_out(&selection, cancelled, &mut command);
                if carried.is_ok() {
                    calls.remember(&always);
                }
                Ok(DaemonReply::Carried(carried))
            }
            Ask::KeepPlace(place) => Ok(DaemonReply::Note(calls.keep_place(place))),
            Ask::Home => home(&mut calls, root),
            Ask::Show(operation) => shown(&mut calls, root, operation),
            Ask::Undo(operation, merge) => undone(&mut calls, root, operation, merge),
            Ask::Answer(id, decision) => {
                let params = ApprovalAnswerParams { id, decision };
                calls
                    .call::<ApprovalAnswer>(&params)
                    .map(|answered| DaemonReply::Answered(decision, answered))
            }
        };
        tell(reply.unwrap_or_else(DaemonReply::Failed));
    }
}

fn opened(calls: &mut Calls, subject: &mut Subject, root: &str) -> Result<DaemonReply, Failure> {
    if let Subject::Named(id) = &*subject {
        match shown(calls, root, id.clone()) {
            Err(failure) if is(&failure, ErrorKind::OperationNotFound) => {}
            shown => return shown,
        }
    }
    match calls.plan(subject) {
        Ok(plan) => {
            // Its own id names what is left of it.
            if let Subject::Named(id) = subject {
                id.clone_from(&plan.plan_id);
            }
            let question = calls.first_question();
            Ok(DaemonReply::Plan(Box::new(plan), question))
        }
        Err(failure) if is(&failure, ErrorKind::PlanNotFound) => {
            let Subject::Named(id) = subject else { return Err(failure) };
            let message = format!("there is no file, no operation and no plan '{id}'");
            let hint = "A plan expires after 30 minutes or when the daemon stops: name the file with the \
                        answer. `clada history` lists operations.";
            Err(Failure { hint: Some(hint.to_owned()), message, status: Status::Failed, ..failure })
        }
        Err(failure) => Err(failure),
    }
}

pub(crate) fn is(failure: &Failure, kind: ErrorKind) -> bool {
    failure.error.as_ref().and_then(|error| error.kind()) == Some(kind)
}

fn home(calls: &mut Calls, root: &str) -> Result<DaemonReply, Failure> {
    let history = HistoryListParams { root: root.to_owned(), limit: Some(LISTED) };
    let history = calls.call::<HistoryList>(&history)?;
    let approvals = calls.call::<ApprovalList>(&ApprovalListParams { root: Some(root.to_owned()) })?;
    Ok(DaemonReply::Home(history, approvals))
}

fn shown(calls: &mut Calls, root: &str, operation: String) -> Result<DaemonReply, Failure> {
    let params = HistoryShowParams { root: root.to_owned(), operation, diff: true, parameters: false };
    calls.call::<HistoryShow>(&params).map(|shown| DaemonReply::Shown(Box::new(shown)))
}

fn undone(calls: &mut Calls, root: &str, operation: String, merge: bool) -> Result<DaemonReply, Failure> {
    let named = Some(operation.clone());
    let params = UndoParams { root: root.to_owned(), operation: named, merge, ..UndoParams::default() };
    match calls.call::<Undo>(&params) {
        Ok(undone) => Ok(DaemonReply::Undone(Box::new(undone))),
        Err(failure) if !merge && is(&failure, ErrorKind::Conflict) => {
            Ok(DaemonReply::UndoConflict(operation, failure))
        }
        Err(failure) => Err(failure),
    }
}

#[derive(Debug)]
pub(crate) struct Notes(pub(crate) Sender<Event>);

impl Write for Notes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let text = visible_line(text.trim()).into_owned();
        if !text.is_empty() {
            let _ = self.0.send(Event::Reply(DaemonReply::Note(text)));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
