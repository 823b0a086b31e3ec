//! What happens: keys, signals, replies, in the order in which it came. One thread for each source.

use std::sync::mpsc::Sender;
use std::thread;

use clada_client::review::Failure;
use clada_protocol::{
    ApprovalAnswerResult, ApprovalDecision, ApprovalListResult, ExecuteEvent, HistoryListResult,
    HistoryShowResult, PlanResult, UndoResult,
};
use crossterm::event::{self, Event as Typed};
use serde_json::value::RawValue;
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

#[derive(Debug)]
pub(crate) enum Event {
    Typed(Typed),
    Hangup,
    Signal(i32),
    Reply(DaemonReply),
}

pub(crate) fn listen(events: Sender<Event>) {
    thread::spawn(move || {
        while let Ok(typed) = event::read() {
            if events.send(Event::Typed(typed)).is_err() {
                return;
            }
        }
        let _ = events.send(Event::Hangup);
    });
}

pub(crate) fn catch(events: Sender<Event>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT])?;
    thread::spawn(move || {
        for signal in signals.forever() {
            if events.send(Event::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

#[derive(Debug)]
pub(crate) enum DaemonReply {
    /// The plan, and the question about commits if that has to be asked first.
    Plan(Box<PlanResult>, Option<String>),
    Shown(Box<HistoryShowResult>),
    Carried(Result<Box<RawValue>, Failure>),
    Home(HistoryListResult, ApprovalListResult),
    Undone(Box<UndoResult>),
    UndoConflict(String, Failure),
    Answered(ApprovalDecision, ApprovalAnswerResult),
    Command(ExecuteEvent),
    Note(String),
    Failed(Failure),
}
