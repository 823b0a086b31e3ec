//! Carries messages between the host and the daemon, and outlives the daemon.
//!
//! This thread reads what the host says and sends it on; a thread for each connection carries back what the daemon
//! says, and answers for it when it goes away. Only this thread connects. A message that was not sent whole was not
//! understood, so it is sent to the next daemon; what was sent whole is never sent twice.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use clada_protocol::Id;
use clada_protocol::framing::LineDecoder;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::in_flight::{InFlight, answer, error};
use super::link::{PIECE, Receiver, Sender};
use super::message::{self, Message, Request, Unreadable};

/// The longest message of a host: the longest that a daemon takes.
const LONGEST: usize = 128 << 20;

/// The most daemons that one message is tried with.
const TRIES: usize = 3;

/// The most time from the end of the host's messages to ours.
const LEAVING: Duration = Duration::from_secs(8);

/// The stack of a thread that carries messages back.
const STACK: usize = 256 * 1024;

/// Finds or starts a daemon and greets it, given the `initialize` that it has to hear. The error is a sentence.
pub(super) type Connect<'a> = dyn FnMut(Option<&(Id, Vec<u8>)>) -> Result<(Sender, Receiver), String> + 'a;

/// The state that both directions share.
struct Shared {
    state: Mutex<State>,
    /// Wakes up who waits for the end of a connection.
    ended: Condvar,
    output: Mutex<File>,
}

struct State {
    in_flight: InFlight,
    link: Option<(u64, Sender)>,
}

/// The conversation with one host.
pub(super) struct Relay<'a> {
    shared: Arc<Shared>,
    connect: Box<Connect<'a>>,
    /// The number of the last connection.
    number: u64,
}

impl<'a> Relay<'a> {
    pub(super) fn new(output: File, read_only: bool, connect: Box<Connect<'a>>) -> Relay<'a> {
        let state = State { in_flight: InFlight::new(read_only), link: None };
        let shared = Shared { state: Mutex::new(state), ended: Condvar::new(), output: Mutex::new(output) };
        Relay { shared: Arc::new(shared), connect, number: 0 }
    }

    /// Connects, so that what keeps it from that is known before the host says anything.
    pub(super) fn begin(&mut self) -> Result<(), String> {
        self.link().map(drop)
    }

    /// Carries messages until the host's end, or until `wake` is written to. Then what runs is finished.
    pub(super) fn run(&mut self, mut input: impl Read + AsFd, wake: impl AsFd) {
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
        self.finish();
    }

    fn drain(&mut self, decoder: &mut LineDecoder) {
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => match message::split(&frame) {
                    Ok(messages) => messages.into_iter().for_each(|message| self.carry(message)),
                    Err(unreadable) => self.refuse(&unreadable),
                },
                Ok(None) => return,
                Err(too_long) => self.shared.say(&error(&Id::NULL, -32600, &too_long.to_string())),
            }
        }
    }

    /// Carries one message to the daemon.
    fn carry(&mut self, message: &[u8]) {
        match message::read(message) {
            Ok(Message::Request(request)) => self.ask(&request, message),
            Ok(Message::Cancelled(id)) => {
                self.shared.lock().in_flight.take(&id);
                self.pass(message);
            }
            Ok(Message::Other) => self.pass(message),
            Err(unreadable) => self.refuse(&unreadable),
        }
    }

    fn refuse(&self, unreadable: &Unreadable) {
        self.shared.say(&error(&unreadable.id, unreadable.code, &unreadable.text));
    }

    /// Passes a message on that has no answer, if there is a daemon: a new one has no use for it.
    fn pass(&self, message: &[u8]) {
        let link = self.shared.lock().link.clone();
        if let Some((_, sender)) = link {
            let _ = sender.send(message);
        }
    }

    /// Sends a request, or answers for the daemon that cannot be reached.
    fn ask(&mut self, request: &Request, message: &[u8]) {
        let mut known = false;
        let mut why = "the daemon goes away again and again".to_owned();
        for _ in 0..TRIES {
            let (number, sender) = match self.link() {
                Ok(link) => link,
                Err(sentence) => {
                    why = sentence;
                    break;
                }
            };
            if !known && !self.shared.lock().in_flight.begin(request, message) {
                return self
                    .shared
                    .say(&answer(request, "Too many requests wait already. Nothing was done."));
            }
            known = true;
            if sender.send(message).is_ok() {
                return self.note_sent(request, number);
            }
            // Its other thread answers what the daemon had, and says that it is gone.
            sender.close();
            self.wait_for_end(number, None);
        }
        if known {
            self.shared.lock().in_flight.take(&request.id);
        }
        self.shared.say(&answer(request, &format!("clada cannot be reached, and nothing was done: {why}")));
    }

    /// Notes that the daemon of connection `number` has the request. If it went away meanwhile, answers for it.
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

    /// Returns the connection, which is made if there is none.
    fn link(&mut self) -> Result<(u64, Sender), String> {
        let (link, initialize) = {
            let state = self.shared.lock();
            (state.link.clone(), state.in_flight.replayed())
        };
        if let Some(link) = link {
            return Ok(link);
        }
        let (sender, receiver) = (self.connect)(initialize.as_ref())?;
        self.number += 1;
        let number = self.number;
        self.shared.lock().link = Some((number, sender.clone()));
        let shared = Arc::clone(&self.shared);
        let thread = std::thread::Builder::new().name("clada-back".to_owned()).stack_size(STACK);
        match thread.spawn(move || shared.carry_back(number, receiver)) {
            Ok(_) => Ok((number, sender)),
            Err(error) => {
                self.shared.lock().link = None;
                Err(format!("no thread can be started: {error}"))
            }
        }
    }

    /// Waits until the connection `number` has ended, at most until `deadline`. `false` if it has not.
    fn wait_for_end(&self, number: u64, deadline: Option<Instant>) -> bool {
        let mut state = self.shared.lock();
        while state.link.as_ref().is_some_and(|(current, _)| *current == number) {
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            match left {
                Some(Duration::ZERO) => return false,
                Some(left) => {
                    let waited = self.shared.ended.wait_timeout(state, left);
                    state = waited.unwrap_or_else(PoisonError::into_inner).0;
                }
                None => state = self.shared.ended.wait(state).unwrap_or_else(PoisonError::into_inner),
            }
        }
        true
    }

    /// Has the daemon finish what runs.
    fn finish(&self) {
        let (link, listening) = {
            let state = self.shared.lock();
            (state.link.clone(), state.in_flight.listening())
        };
        let Some((number, sender)) = link else { return };
        // What is open until it is cancelled would never end.
        for id in listening {
            let cancel = format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
            );
            let _ = sender.send(cancel.as_bytes());
        }
        sender.end();
        self.wait_for_end(number, Some(Instant::now() + LEAVING));
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says a message to the host. One that listens no more has gone, which its end of our input shows.
    fn say(&self, message: &str) {
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

    /// Carries back what a daemon says until it goes away, then answers for it.
    fn carry_back(&self, number: u64, mut receiver: Receiver) {
        let mut each = |message: &[u8]| {
            let passes = match message::answered(message) {
                // Answers to what nobody can tell apart are the host's to judge, and nothing is said to what was
                // cancelled.
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
            state.in_flight.lost()
        };
        lost.iter().for_each(|answer| self.say(answer));
        self.ended.notify_all();
    }
}

/// Waits until there is something to read; `false` if `wake` was written to.
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
