//! What the threads of a relay share: its state, and the host's output. One of them for each connection carries back
//! what the daemon says, and answers for it when it goes away.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clada_protocol::Id;

use super::host_roots::HostRoots;
use super::in_flight::InFlight;
use super::link::{PIECE, Receiver, Sender};
use super::message;
use super::queue::{Queue, Queued};

const STACK: usize = 256 * 1024;

pub(super) struct Shared {
    pub(super) state: Mutex<RelayState>,
    pub(super) changed: Condvar,
    pub(super) output: Mutex<File>,
}

pub(super) struct RelayState {
    pub(super) in_flight: InFlight,
    pub(super) queue: Queue,
    pub(super) host_roots: HostRoots,
    pub(super) link: Option<(u64, Sender)>,
    pub(super) answered_for: usize,
    pub(super) host_ended: bool,
    pub(super) all_sent: bool,
    pub(super) cannot_start: Option<String>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, RelayState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn notify(&self) {
        self.changed.notify_all();
    }

    pub(super) fn wait_until(
        &self,
        mut state: MutexGuard<'_, RelayState>,
        deadline: Option<Instant>,
        holds: impl Fn(&RelayState) -> bool,
    ) -> bool {
        while !holds(&state) {
            state = match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return false,
                Some(remaining) => {
                    self.changed.wait_timeout(state, remaining).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
        true
    }

    pub(super) fn next(&self) -> Option<Queued> {
        let mut state = self.lock();
        loop {
            if let Some(next) = state.queue.next() {
                return Some(next);
            }
            if state.host_ended {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(super) fn say(&self, message: &str) {
        // A host that no longer listens has gone, which the end of its input shows.
        self.write(message.as_bytes());
    }

    fn write(&self, message: &[u8]) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = match message.len() {
            // One write for what fits a pipe: two would wake the host twice.
            0..PIECE => output.write_all(&[message, b"\n"].concat()),
            _ => output.write_all(message).and_then(|()| output.write_all(b"\n")),
        };
    }

    pub(super) fn begin_back(self: &Arc<Shared>, number: u64, receiver: Receiver) -> io::Result<()> {
        let shared = Arc::clone(self);
        let thread = std::thread::Builder::new().name("clada-back".to_owned()).stack_size(STACK);
        thread.spawn(move || shared.carry_back(number, receiver)).map(drop)
    }

    fn carry_back(&self, number: u64, mut receiver: Receiver) {
        let mut each = |message: &[u8]| {
            let passes = match message::answered(message) {
                // Answers to what nobody can tell apart are the host's to judge, and nothing is said to what
                // was cancelled.
                Some(id) => id == Id::NULL || self.lock().in_flight.take(&id).is_some(),
                None => true,
            };
            if passes {
                self.write(message);
            }
        };
        let mut goes_on = receiver.early(&mut each);
        while goes_on {
            goes_on = receiver.receive(&mut each);
        }
        let lost = {
            let mut state = self.lock();
            state.link.take_if(|(current, _)| *current == number);
            state.answered_for += 1;
            state.in_flight.lost()
        };
        lost.iter().for_each(|answer| self.say(answer));
        self.lock().answered_for -= 1;
        self.notify();
    }
}
