//! Sends what the host said on to the daemon, and finds one to send it to.
//!
//! Only this thread connects. A message that was not sent whole was not understood, so it is sent to the next
//! daemon; what was sent whole is never sent twice.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clada_protocol::Id;

use super::in_flight::answer;
use super::link::{Receiver, Sender};
use super::message::{Kind, Request};
use super::queue::Queued;
use super::shared::Shared;

/// The most time to wait for running calls before a connection with other roots is made; the next message tries again.
const QUIET: Duration = Duration::from_millis(500);

const TRIES: usize = 3;

#[derive(Debug, Clone)]
pub(super) enum Unconnected {
    /// A daemon is there, and says nothing or is not ready: it may be so later.
    Silent(String),
    Failed(String),
}

impl Unconnected {
    fn sentence(self) -> String {
        match self {
            Unconnected::Silent(why) | Unconnected::Failed(why) => why,
        }
    }
}

pub(super) trait Connect: Send {
    fn connect(&mut self, initialize: Option<&(Id, Vec<u8>)>) -> Result<(Sender, Receiver), Unconnected>;

    fn set_host_roots(&mut self, uris: &[String]) -> bool;
}

pub(super) struct Forth {
    shared: Arc<Shared>,
    connect: Box<dyn Connect>,
    number: u64,
    failed: Option<(Instant, String)>,
}

impl Forth {
    pub(super) fn new(shared: Arc<Shared>, connect: Box<dyn Connect>) -> Forth {
        Forth { shared, connect, number: 0, failed: None }
    }

    /// Connects, so that what keeps it from that is known before the host hears anything, and sends what
    /// waits until the host has ended. `alarm` is called if it cannot start.
    pub(super) fn run(&mut self, alarm: impl FnOnce()) {
        if let Err(Unconnected::Failed(sentence)) = self.link() {
            self.shared.lock().cannot_start = Some(sentence);
            self.shared.notify();
            return alarm();
        }
        while let Some(next) = self.shared.next() {
            match next {
                Queued::Ask { request, message, came } => self.ask(&request, &message, came),
                Queued::Pass(message) => self.pass(&message),
                Queued::Say(answer) => self.shared.say(&answer),
            }
        }
        let mut state = self.shared.lock();
        if let Some((_, sender)) = &state.link {
            sender.end();
        }
        state.all_sent = true;
        self.shared.notify();
    }

    fn pass(&self, message: &[u8]) {
        // A new daemon has no use for a message without an answer.
        let link = self.shared.lock().link.clone();
        if let Some((_, sender)) = link {
            let _ = sender.send(message);
        }
    }

    fn ask(&mut self, request: &Request, message: &[u8], came: Instant) {
        self.follow_host_roots(request);
        let mut why = "the daemon goes away again and again".to_owned();
        for _ in 0..TRIES {
            if !self.shared.lock().in_flight.waits(&request.id) {
                return;
            }
            let (number, sender) = match self.link_for(came) {
                Ok(link) => link,
                Err(sentence) => {
                    why = sentence;
                    break;
                }
            };
            if sender.send(message).is_ok() {
                return self.note_sent(request, number);
            }
            // Its other thread answers what the daemon had, and says that it is gone.
            sender.close();
            self.wait_for_end(number);
        }
        if self.shared.lock().in_flight.take(&request.id).is_some() {
            let text = format!("clada cannot be reached, and nothing was done: {why}");
            self.shared.say(&answer(request, &text));
        }
    }

    /// Has `request` go to a connection with the folders of the host: waits for the answer that names them, and ends
    /// the connection with others. A call that came before the answer would be refused for want of a project.
    fn follow_host_roots(&mut self, request: &Request) {
        let state = self.shared.lock();
        let deadline = state.host_roots.deadline().filter(|_| matches!(request.kind, Kind::Call { .. }));
        if let Some(deadline) = deadline {
            self.shared.wait_until(state, Some(deadline), |state| {
                state.host_roots.deadline().is_none() || state.host_ended
            });
        } else {
            drop(state);
        }
        if !self.shared.lock().host_roots.has_answer() {
            return;
        }
        // What runs ends with its connection, so it goes on where it is, and so does what is asked meanwhile.
        let until = Instant::now() + QUIET;
        if !self.shared.wait_until(self.shared.lock(), Some(until), |state| !state.in_flight.runs_any()) {
            return;
        }
        let (uris, link) = {
            let mut state = self.shared.lock();
            (state.host_roots.take(), state.link.clone())
        };
        let has_changed = uris.is_some_and(|uris| self.connect.set_host_roots(&uris));
        if let Some((number, sender)) = link.filter(|_| has_changed) {
            sender.close();
            self.wait_for_end(number);
        }
    }

    /// Notes that the daemon of connection `number` has the request. If it went away meanwhile, answers for
    /// it.
    fn note_sent(&self, request: &Request, number: u64) {
        let mut state = self.shared.lock();
        if state.link.as_ref().is_some_and(|(current, _)| *current == number) {
            state.in_flight.sent(&request.id);
        } else if let Some(lost) = state.in_flight.take(&request.id) {
            let answer = state.in_flight.lost_answer(&lost);
            drop(state);
            self.shared.say(&answer);
        }
    }

    fn link_for(&mut self, came: Instant) -> Result<(u64, Sender), String> {
        // What came before the last failed try does not wait for another one.
        if let Some((_, sentence)) = self.failed.as_ref().filter(|(at, _)| came <= *at) {
            return Err(sentence.clone());
        }
        self.link().map_err(Unconnected::sentence)
    }

    fn link(&mut self) -> Result<(u64, Sender), Unconnected> {
        let (link, initialize) = {
            let state = self.shared.lock();
            (state.link.clone(), state.in_flight.replayed())
        };
        if let Some(link) = link {
            return Ok(link);
        }
        let connected = self.connect.connect(initialize.as_ref());
        let why = connected.as_ref().err().cloned().map(Unconnected::sentence);
        self.failed = why.map(|why| (Instant::now(), why));
        let (sender, receiver) = connected?;
        self.number += 1;
        let number = self.number;
        self.shared.lock().link = Some((number, sender.clone()));
        self.shared.begin_back(number, receiver).map_err(|error| {
            self.shared.lock().link = None;
            Unconnected::Failed(format!("no thread can be started: {error}"))
        })?;
        Ok((number, sender))
    }

    fn wait_for_end(&self, number: u64) {
        let ended =
            |link: &Option<(u64, Sender)>| link.as_ref().is_none_or(|(current, _)| *current != number);
        self.shared.wait_until(self.shared.lock(), None, |state| ended(&state.link));
    }
}
