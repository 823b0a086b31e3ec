//! Carries messages to and from one daemon: over its socket, or over the pipes of a child.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdin, ChildStdout};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clada_protocol::framing::LineDecoder;
use clada_protocol::message::ServerMessage;
use clada_protocol::{Id, RpcError};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::Errno;
use serde_json::value::RawValue;

use crate::interrupt::Interrupts;

const LONGEST: usize = 1 << 30;

/// The bytes of the first read, and of each one when there is much: most answers are short, and memory that
/// is touched is a good part of the time of a short call.
const FIRST_PIECE: usize = 4 * 1024;
const PIECE: usize = 64 * 1024;

#[derive(Debug)]
enum Peer {
    Socket(UnixStream),
    Child { process: Child, input: ChildStdin, output: ChildStdout },
}

#[derive(Debug)]
pub(super) enum Arrival {
    Message(ServerMessage),
    Interrupted,
    Closed,
    TimedOut,
    Unreadable(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    TimedOut,
    Interrupted,
    Disconnected,
}

#[derive(Debug)]
pub(super) struct DaemonLink {
    peer: Peer,
    decoder: LineDecoder,
    piece: Vec<u8>,
    early: VecDeque<ServerMessage>,
}

impl DaemonLink {
    pub(super) fn socket(stream: UnixStream) -> DaemonLink {
        DaemonLink::new(Peer::Socket(stream))
    }

    pub(super) fn child(process: Child, input: ChildStdin, output: ChildStdout) -> DaemonLink {
        DaemonLink::new(Peer::Child { process, input, output })
    }

    fn new(peer: Peer) -> DaemonLink {
        let decoder = LineDecoder::new(LONGEST);
        DaemonLink { peer, decoder, piece: vec![0; FIRST_PIECE], early: VecDeque::new() }
    }

    pub(super) fn is_child(&self) -> bool {
        matches!(self.peer, Peer::Child { .. })
    }

    pub(super) fn child_status(&mut self) -> String {
        let Peer::Child { process, .. } = &mut self.peer else { return "no child".to_owned() };
        ending(process)
    }

    pub(super) fn send(&mut self, message: &str) -> io::Result<()> {
        if message.len() < PIECE {
            return self.write(&[message, "\n"].concat());
        }
        self.write(message)?;
        self.write("\n")
    }

    pub(super) fn send_both(&mut self, first: &str, second: &str) -> io::Result<()> {
        if second.len() < PIECE {
            return self.write(&[first, "\n", second, "\n"].concat());
        }
        self.send(first)?;
        self.send(second)
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.peer {
            Peer::Socket(stream) => stream.write_all(text.as_bytes()),
            Peer::Child { input, .. } => input.write_all(text.as_bytes()).and_then(|()| input.flush()),
        }
    }

    pub(super) fn receive(
        &mut self,
        time: Option<Duration>,
        mut interrupts: Option<&mut Interrupts>,
    ) -> Arrival {
        if let Some(message) = self.early.pop_front() {
            return Arrival::Message(message);
        }
        let deadline = time.map(|time| Instant::now() + time);
        loop {
            match self.decoder.next_frame() {
                Ok(Some(frame)) => {
                    return ServerMessage::parse(&frame).map_or_else(Arrival::Unreadable, Arrival::Message);
                }
                Ok(None) => {}
                Err(error) => return Arrival::Unreadable(error.to_string()),
            }
            // Without a deadline or interrupts a blocking read will do, which saves a system call.
            if deadline.is_some() || interrupts.is_some() {
                match self.wait(deadline, interrupts.as_deref_mut()) {
                    None => {}
                    Some(arrival) => return arrival,
                }
            }
            match self.read() {
                Ok(0) => return Arrival::Closed,
                Ok(length) => {
                    self.decoder.extend(&self.piece[..length]);
                    if length == self.piece.len() {
                        self.piece.resize(PIECE, 0);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Arrival::Closed,
            }
        }
    }

    fn wait(&mut self, deadline: Option<Instant>, interrupts: Option<&mut Interrupts>) -> Option<Arrival> {
        loop {
            let remaining = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let remaining = remaining.map(|remaining| Timespec {
                tv_sec: remaining.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: remaining.subsec_nanos().into(),
            });
            let own = self.as_fd();
            let (peer, interrupt, ready) = match &interrupts {
                None => {
                    let mut fds = [PollFd::new(&own, PollFlags::IN)];
                    let ready = poll(&mut fds, remaining.as_ref());
                    (!fds[0].revents().is_empty(), false, ready)
                }
                Some(interrupts) => {
                    let mut fds = [PollFd::new(&own, PollFlags::IN), PollFd::new(*interrupts, PollFlags::IN)];
                    let ready = poll(&mut fds, remaining.as_ref());
                    (!fds[0].revents().is_empty(), !fds[1].revents().is_empty(), ready)
                }
            };
            match ready {
                Err(Errno::INTR) => {}
                Err(_) => return Some(Arrival::Closed),
                Ok(0) => return Some(Arrival::TimedOut),
                // An answer that has come wins over an interrupt that came with it.
                Ok(_) if peer => return None,
                Ok(_) if interrupt => {
                    if let Some(interrupts) = interrupts {
                        interrupts.take();
                    }
                    return Some(Arrival::Interrupted);
                }
                Ok(_) => {}
            }
        }
    }

    fn read(&mut self) -> io::Result<usize> {
        match &mut self.peer {
            Peer::Socket(stream) => stream.read(&mut self.piece),
            Peer::Child { output, .. } => output.read(&mut self.piece),
        }
    }

    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.peer {
            Peer::Socket(stream) => stream.as_fd(),
            Peer::Child { output, .. } => output.as_fd(),
        }
    }

    pub(super) fn answer_to(
        &mut self,
        id: u64,
        time: Duration,
        mut interrupts: Option<&mut Interrupts>,
    ) -> Result<Result<Box<RawValue>, RpcError>, Silence> {
        let deadline = Instant::now() + time;
        let mut early = VecDeque::new();
        let outcome = loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.receive(Some(remaining), interrupts.as_deref_mut()) {
                Arrival::Message(ServerMessage::Response(response))
                    if response.id == Id::from(id) || response.id == Id::NULL =>
                {
                    break Ok(response.outcome);
                }
                Arrival::Message(message) => early.push_back(message),
                Arrival::TimedOut => break Err(Silence::TimedOut),
                Arrival::Interrupted => break Err(Silence::Interrupted),
                Arrival::Closed | Arrival::Unreadable(_) => break Err(Silence::Disconnected),
            }
        };
        self.early = early;
        outcome
    }

    pub(super) fn wait_until_closed(
        &mut self,
        time: Duration,
        mut interrupts: Option<&mut Interrupts>,
    ) -> Result<(), Silence> {
        let deadline = Instant::now() + time;
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.receive(Some(remaining), interrupts.as_deref_mut()) {
                Arrival::Closed => return Ok(()),
                Arrival::TimedOut => return Err(Silence::TimedOut),
                Arrival::Interrupted => return Err(Silence::Interrupted),
                Arrival::Message(_) | Arrival::Unreadable(_) => {}
            }
        }
    }
}

pub(super) fn ending(child: &mut Child) -> String {
    for _ in 0..50 {
        match child.try_wait() {
            Ok(Some(status)) => return status.to_string(),
            Ok(None) => sleep(Duration::from_millis(10)),
            Err(error) => return error.to_string(),
        }
    }
    let _ = child.kill();
    "it was still running and was stopped".to_owned()
}
