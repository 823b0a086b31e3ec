//! Carries messages between the host and the daemon, and outlives the daemon.
//!
//! This thread reads what the host says, and waits for nothing else: cancels and the host's end are seen while a
//! daemon takes nothing. Another one (`forth`) connects and sends; others (`shared`) carry back what the daemon says.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use clada_protocol::Id;
use clada_protocol::framing::LineDecoder;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::forth::{Connect, Forth};
use super::host_roots::HostRoots;
use super::in_flight::{InFlight, answer, error};
use super::link::PIECE;
use super::message::{self, Kind, Message, Request, Unreadable};
use super::queue::{Queue, Queued};
use super::shared::{RelayState, Shared};

/// The longest message of a host: the longest that a daemon takes.
const LONGEST: usize = 128 << 20;

const STACK: usize = 256 * 1024;

pub(super) struct Relay {
    shared: Arc<Shared>,
}

impl Relay {
    /// Begins to connect. `alarm` is called if that comes to nothing, before the host has heard anything.
    pub(super) fn begin(
        output: File,
        read_only: bool,
        host_roots: HostRoots,
        connect: Box<dyn Connect>,
        alarm: impl FnOnce() + Send + 'static,
    ) -> io::Result<Relay> {
        let state = RelayState {
            in_flight: InFlight::new(read_only),
            queue: Queue::default(),
            host_roots,
            link: None,
            answered_for: 0,
            host_ended: false,
            all_sent: false,
            cannot_start: None,
        };
        let shared = Shared { state: Mutex::new(state), changed: Condvar::new(), output: Mutex::new(output) };
        let shared = Arc::new(shared);
        let mut forth = Forth::new(Arc::clone(&shared), connect);
        let thread = std::thread::Builder::new().name("clada-forth".to_owned()).stack_size(STACK);
        thread.spawn(move || forth.run(alarm))?;
        Ok(Relay { shared })
    }

    /// Then what runs has the time `leaving` to finish. The error says why there never was a daemon.
    pub(super) fn run(
        &self,
        mut input: impl Read + AsFd,
        wake: impl AsFd,
        leaving: Duration,
    ) -> Result<(), String> {
        let mut decoder = LineDecoder::new(LONGEST);
        let mut piece = vec![0; PIECE];
        while wait(&input, &wake) {
            match input.read(&mut piece) {
                Ok(0) => break,
                Ok(length) => decoder.extend(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
            self.drain(&mut decoder);
        }
        // A last line may have no end.
        decoder.extend(b"\n");
        self.drain(&mut decoder);
        self.finish(leaving);
        self.shared.lock().cannot_start.take().map_or(Ok(()), Err)
    }

    fn drain(&self, decoder: &mut LineDecoder) {
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => match message::split(&frame) {
                    Ok(messages) => messages.into_iter().for_each(|message| self.take(message)),
                    Err(unreadable) => self.refuse(&unreadable),
                },
                Ok(None) => return,
                Err(too_long) => self.say(error(&Id::NULL, -32600, &too_long.to_string())),
            }
        }
    }

    fn take(&self, message: &[u8]) {
        match message::read(message) {
            Ok(Message::Request(request)) => self.take_request(request, message),
            Ok(Message::Cancelled(id)) => self.cancel(&id, message),
            Ok(Message::Answer(id)) if self.shared.lock().host_roots.answer(&id, message) => {
                self.shared.notify()
            }
            Ok(Message::Initialized | Message::RootsChanged) => {
                self.pass(message);
                let request = self.shared.lock().host_roots.request(Instant::now());
                if let Some(request) = request {
                    self.say(request);
                }
            }
            Ok(Message::Answer(_) | Message::Other) => self.pass(message),
            Err(unreadable) => self.refuse(&unreadable),
        }
    }

    fn pass(&self, message: &[u8]) {
        self.shared.lock().queue.push(Queued::Pass(message.to_vec()));
        self.shared.notify();
    }

    fn take_request(&self, request: Request, message: &[u8]) {
        let too_many = answer(&request, "Too many requests wait already. Nothing was done.");
        let id = request.id.clone();
        let mut state = self.shared.lock();
        if let Kind::Initialize { lists_roots } = request.kind {
            state.host_roots.set_listed(lists_roots);
        }
        let is_taken = state.in_flight.begin(&request, message) && {
            let queued = Queued::Ask { request, message: message.to_vec(), came: Instant::now() };
            let has_room = state.queue.push(queued);
            if !has_room {
                state.in_flight.take(&id);
            }
            has_room
        };
        drop(state);
        if is_taken { self.shared.notify() } else { self.say(too_many) }
    }

    fn cancel(&self, id: &Id, message: &[u8]) {
        // The daemon reads it before all that waits, and never if it has not read the request.
        let mut state = self.shared.lock();
        // What was answered, or never asked, has nothing to be cancelled.
        let is_waited_for = state.in_flight.take(id).is_some();
        if is_waited_for && !state.queue.drop_request(id) {
            state.queue.push_first(Queued::Pass(message.to_vec()));
        }
        drop(state);
        self.shared.notify();
    }

    fn refuse(&self, unreadable: &Unreadable) {
        self.say(error(&unreadable.id, unreadable.code, &unreadable.text));
    }

    fn say(&self, answer: String) {
        // The other thread writes: a host that does not read must not hold this one up.
        self.shared.lock().queue.push(Queued::Say(answer));
        self.shared.notify();
    }

    fn finish(&self, time: Duration) {
        let deadline = Instant::now() + time;
        let mut state = self.shared.lock();
        // What is open until it is cancelled would never end.
        for id in state.in_flight.listening() {
            let cancel = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            state.queue.push(Queued::Pass(cancel.into_bytes()));
        }
        state.host_ended = true;
        self.shared.notify();
        let has_ended = self.shared.wait_until(state, Some(deadline), |state| {
            let is_quiet = state.link.is_none() && state.answered_for == 0;
            state.cannot_start.is_some() || state.all_sent && is_quiet
        });
        let link = self.shared.lock().link.take();
        if let Some((_, sender)) = link.filter(|_| !has_ended) {
            sender.close();
        }
    }
}

/// `false` if `wake` was written to.
fn wait(input: &impl AsFd, wake: &impl AsFd) -> bool {
    loop {
        let mut polled = [PollFd::new(input, PollFlags::IN), PollFd::new(wake, PollFlags::IN)];
        match poll(&mut polled, None) {
            Ok(_) if !polled[1].revents().is_empty() => return false,
            Ok(_) if !polled[0].revents().is_empty() => return true,
            Ok(_) | Err(Errno::INTR) => {}
            // What cannot be polled can be read.
            Err(_) => return true,
        }
    }
}
