//! One connection: reads frames, has them answered, writes the answers. One task, whatever it carries.
//!
//! Generic over the stream, so that a socket and stdin/stdout are served alike. Its input is bytes from any
//! process: each way to hurt other clients ends here, in an error or the end of this one connection. It stops
//! reading while too much is in progress or unread, and disconnects a client that reads nothing.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context as Task, Poll};
use std::time::Duration;

use clada_protocol::framing::{
    BlockError, Decoder, Detected, FrameError, Framing, HeaderDecoder, LineDecoder,
};
use clada_protocol::{CallerKind, ErrorKind, Id, RpcError};
use tokio::io::ReadBuf;
use tokio::time::{Sleep, sleep};

use super::blocking::drop_in_background;
use super::context::{Client, Peer};
use super::conversation::Conversation;
use super::dispatch::Dispatch;
use super::exchange::{Exchange, refuse};
use super::http;
use super::notifier::notifications;
use super::outgoing::Outgoing;
use super::registry::{Admitted, Instruction, dismissal};
use super::scope::Scopes;
use super::transport::{ConnectionEnd, GoneCheck, HUGE, PAUSE, READ, Stall, TURN, Transport};

/// Frames, steps and bytes that are taken before other tasks get a turn: less than 1 ms of work.
const FRAMES: usize = 64;
const STEPS: usize = 32;

pub(super) async fn serve<S: Transport>(
    stream: S,
    dispatch: &Dispatch,
    admitted: Admitted,
    caller: CallerKind,
) -> ConnectionEnd {
    let limits = dispatch.limits();
    let standing = Arc::clone(&admitted.slot.standing);
    let (notifier, received) = notifications(limits.notifications, Arc::clone(&standing));
    let peer = Arc::new(Peer {
        connection: admitted.slot.id,
        scopes: Scopes::new(caller),
        client: Client::default(),
        notifier,
        standing,
        conversation: Conversation::Connection,
        speaks_mcp: OnceLock::new(),
    });
    let mut connection = Connection {
        stream,
        first: Vec::new(),
        decoder: None,
        frame_limit: limits.frame,
        exchange: Exchange::new(dispatch.clone(), peer, received),
        out: Outgoing::new(Framing::Lines),
        scratch: vec![0; READ].into_boxed_slice(),
        input: Input::Open,
        opening_limit: limits.opening,
        opening: None,
        stall: Stall::new(limits.stalled_reader),
        unflushed: false,
        gone_check: GoneCheck::default(),
        turn: TURN,
        pause: None,
        admitted,
    };
    let end = std::future::poll_fn(|task| connection.poll(task)).await;
    let held = connection.pending() + connection.out.len();
    let Connection { stream, first, input, decoder, out, admitted, .. } = connection;
    if input == Input::Http {
        return http::serve(stream, first, dispatch, admitted, caller).await;
    }
    // Giving large buffers back takes time, which would hold up other clients.
    drop_in_background(held, (decoder, out, admitted));
    end
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Open,
    Ended,
    Refused,
    Http,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectionOpening {
    /// The first bytes, as long as they may still become one framing or another.
    First,
    Block(u64),
}

struct Connection<S> {
    stream: S,
    first: Vec<u8>,
    decoder: Option<Decoder>,
    frame_limit: usize,
    exchange: Exchange,
    out: Outgoing,
    scratch: Box<[u8]>,
    input: Input,
    opening_limit: Duration,
    opening: Option<(ConnectionOpening, Pin<Box<Sleep>>)>,
    stall: Stall,
    unflushed: bool,
    gone_check: GoneCheck,
    turn: usize,
    pause: Option<Pin<Box<Sleep>>>,
    admitted: Admitted,
}

type Progress = bool;

impl<S: Transport> Connection<S> {
    fn poll(&mut self, task: &mut Task<'_>) -> Poll<ConnectionEnd> {
        self.turn = TURN;
        let end = self.poll_steps(task);
        self.admitted.hold(self.pending() + self.out.len());
        self.admitted.slot.set_busy(!self.exchange.is_idle() || !self.out.is_empty());
        end
    }

    fn poll_steps(&mut self, task: &mut Task<'_>) -> Poll<ConnectionEnd> {
        for _ in 0..STEPS {
            let instruction = self.admitted.slot.instruction(task);
            if instruction >= Instruction::Leave {
                return self.poll_leave(task, instruction);
            }
            let mut progress = self.exchange.poll(task, &mut self.out);
            if instruction == Instruction::Serve {
                progress |= self.take_frames(task);
                progress |= self.poll_opening(task);
            }
            match self.poll_write(task) {
                Ok(wrote) => progress |= wrote,
                Err(end) => return Poll::Ready(end),
            }
            if instruction == Instruction::Serve && self.input == Input::Open {
                match self.poll_read(task) {
                    Ok(read) => progress |= read,
                    Err(end) => return Poll::Ready(end),
                }
            }
            if self.input == Input::Http {
                return Poll::Ready(ConnectionEnd::Closed);
            }
            if self.input == Input::Ended {
                self.exchange.end_listening();
            }
            if self.is_finished(instruction) {
                return self.poll_close(task);
            }
            if self.input == Input::Ended && self.gone_check.has_gone(task, &self.stream) {
                return Poll::Ready(ConnectionEnd::Disconnected);
            }
            if !progress {
                return Poll::Pending;
            }
            if self.turn == 0 {
                break;
            }
        }
        // There is more to do, but other tasks get their turn first.
        task.waker().wake_by_ref();
        Poll::Pending
    }

    fn take_frames(&mut self, task: &mut Task<'_>) -> Progress {
        let mut progress = false;
        for _ in 0..FRAMES {
            if self.input == Input::Refused || self.turn == 0 || !self.exchange.has_room(&self.out) {
                break;
            }
            let Some(decoder) = &mut self.decoder else { break };
            match decoder.next_frame() {
                Ok(None) => break,
                Ok(Some(frame)) => {
                    self.turn = self.turn.saturating_sub(frame.len());
                    self.exchange.accept(task, frame, &mut self.out);
                }
                Err(FrameError::TooLong { limit }) => {
                    let message = format!("a message is limited to {limit} bytes");
                    let error = RpcError::new(ErrorKind::LimitExceeded, message)
                        .with("limit", "frame")
                        .with("bytes", limit as u64);
                    refuse(&mut self.out, &Id::NULL, &error);
                }
                Err(FrameError::Block(error)) => self.refuse_input(&block_error(error)),
            }
            progress = true;
        }
        progress
    }

    fn poll_read(&mut self, task: &mut Task<'_>) -> Result<Progress, ConnectionEnd> {
        if self.turn == 0 || !self.exchange.has_room(&self.out) || self.pending() > self.frame_limit + 2 {
            return Ok(false);
        }
        if self.pause.as_mut().is_some_and(|pause| pause.as_mut().poll(task).is_pending()) {
            return Ok(false);
        }
        self.pause = None;
        let mut buffer = ReadBuf::new(&mut self.scratch);
        match Pin::new(&mut self.stream).poll_read(task, &mut buffer) {
            Poll::Pending => Ok(false),
            Poll::Ready(Err(_)) => Err(ConnectionEnd::Disconnected),
            Poll::Ready(Ok(())) => {
                let count = buffer.filled().len();
                self.take_bytes(count);
                self.turn = self.turn.saturating_sub(count);
                if self.turn == 0 && self.pending() > HUGE {
                    self.pause = Some(Box::pin(sleep(PAUSE)));
                }
                Ok(true)
            }
        }
    }

    fn take_bytes(&mut self, count: usize) {
        if count == 0 {
            self.input = Input::Ended;
            match (&mut self.decoder, self.first.first()) {
                (Some(decoder), _) => decoder.end(),
                (None, Some(&byte)) => self.refuse_beginning(byte),
                (None, None) => {}
            }
            return;
        }
        self.admitted.slot.touch();
        match &mut self.decoder {
            Some(decoder) => decoder.extend(&self.scratch[..count]),
            None => self.take_first(count),
        }
        if self.decoder.as_ref().is_some_and(|it| it.dropped() > self.frame_limit.saturating_mul(2)) {
            // The error was sent when the message grew too long; it still does not end.
            self.input = Input::Refused;
        }
    }

    fn take_first(&mut self, count: usize) {
        self.first.extend_from_slice(&self.scratch[..count]);
        let blanks = self.first.len() - self.first.trim_ascii_start().len();
        self.first.drain(..blanks);
        let mut decoder = match Framing::detect(&self.first) {
            Detected::Undecided => return,
            Detected::Speaks(Framing::Lines) => Decoder::Lines(LineDecoder::new(self.frame_limit)),
            Detected::Speaks(Framing::Headers) => {
                self.out.speak(Framing::Headers);
                Decoder::Headers(HeaderDecoder::new(self.frame_limit))
            }
            Detected::Speaks(Framing::Http) if self.stream.speaks_http() => {
                self.input = Input::Http;
                return;
            }
            Detected::Speaks(Framing::Http) => return self.refuse_beginning(self.first[0]),
            Detected::Unknown(byte) => return self.refuse_beginning(byte),
        };
        decoder.extend(&std::mem::take(&mut self.first));
        self.decoder = Some(decoder);
    }

    fn refuse_beginning(&mut self, byte: u8) {
        let error = unknown_framing(byte, self.stream.spoken());
        self.refuse_input(&error);
    }

    fn refuse_input(&mut self, error: &RpcError) {
        refuse(&mut self.out, &Id::NULL, error);
        self.input = Input::Refused;
        self.first = Vec::new();
        self.opening = None;
    }

    fn poll_opening(&mut self, task: &mut Task<'_>) -> Progress {
        if self.input != Input::Open || !self.exchange.has_room(&self.out) {
            return false;
        }
        let opening = match &self.decoder {
            None => (!self.first.is_empty()).then_some(ConnectionOpening::First),
            Some(decoder) => decoder.open_block().map(ConnectionOpening::Block),
        };
        if self.opening.as_ref().map(|(opening, _)| *opening) != opening {
            self.opening = opening.map(|opening| (opening, Box::pin(sleep(self.opening_limit))));
        }
        let Some((opening, timer)) = &mut self.opening else { return false };
        if timer.as_mut().poll(task).is_pending() {
            return false;
        }
        let limit = self.opening_limit.as_secs_f32();
        let what = match opening {
            ConnectionOpening::First => "the first bytes show no framing",
            ConnectionOpening::Block(_) => "a header block has no end",
        };
        let error = RpcError::new(ErrorKind::ParseError, format!("{what} within {limit} seconds"));
        self.refuse_input(&error.with("limit", "opening"));
        true
    }

    fn pending(&self) -> usize {
        self.first.len() + self.decoder.as_ref().map_or(0, Decoder::pending)
    }

    fn poll_write(&mut self, task: &mut Task<'_>) -> Result<Progress, ConnectionEnd> {
        let mut progress = false;
        while !self.out.is_empty() {
            match Pin::new(&mut self.stream).poll_write(task, self.out.waiting()) {
                Poll::Ready(Ok(0) | Err(_)) => return Err(ConnectionEnd::Disconnected),
                Poll::Ready(Ok(count)) => {
                    self.out.advance(count);
                    progress = true;
                }
                Poll::Pending => {
                    return match self.stall.is_over(task, progress) {
                        true => Err(ConnectionEnd::Stalled),
                        false => Ok(progress),
                    };
                }
            }
        }
        self.stall.end();
        self.unflushed |= progress;
        if self.unflushed {
            match Pin::new(&mut self.stream).poll_flush(task) {
                Poll::Ready(Err(_)) => return Err(ConnectionEnd::Disconnected),
                Poll::Ready(Ok(())) => self.unflushed = false,
                // Standard output keeps what follows its last line end until a flush has come through.
                Poll::Pending => {}
            }
        }
        Ok(progress)
    }

    fn hears_more(&self) -> bool {
        // A line has its end by then; the rest of a message after headers never comes.
        matches!(&self.decoder, Some(Decoder::Lines(decoder)) if decoder.pending() > 0)
    }

    fn is_finished(&self, instruction: Instruction) -> bool {
        if instruction == Instruction::Stay {
            return false;
        }
        let hears = instruction == Instruction::Serve
            && match self.input {
                Input::Open => true,
                Input::Ended => self.hears_more(),
                Input::Refused | Input::Http => false,
            };
        !hears && self.exchange.is_idle() && self.out.is_empty()
    }

    fn poll_leave(&mut self, task: &mut Task<'_>, instruction: Instruction) -> Poll<ConnectionEnd> {
        let (error, end) = dismissal(instruction, self.admitted.total_limit());
        refuse(&mut self.out, &Id::NULL, &error);
        // The reason is sent once only: a client that does not take it now goes without.
        let _ = self.poll_write(task);
        let _ = Pin::new(&mut self.stream).poll_shutdown(task);
        Poll::Ready(end)
    }

    fn poll_close(&mut self, task: &mut Task<'_>) -> Poll<ConnectionEnd> {
        // On a pipe this also waits until the last bytes are taken.
        if Pin::new(&mut self.stream).poll_shutdown(task).is_pending() {
            return Poll::Pending;
        }
        Poll::Ready(if self.input == Input::Refused { ConnectionEnd::Refused } else { ConnectionEnd::Closed })
    }
}

/// Returns the error for a client whose first byte begins none of the framings that are `spoken`.
#[must_use]
pub fn unknown_framing(byte: u8, spoken: &str) -> RpcError {
    let shown = std::ascii::escape_default(byte);
    let message = format!("this begins with `{shown}`, which no framing does that is spoken here");
    RpcError::new(ErrorKind::ParseError, message).hint(format!("spoken here: {spoken}"))
}

fn block_error(fault: BlockError) -> RpcError {
    let error = RpcError::new(ErrorKind::ParseError, fault.to_string());
    match fault {
        BlockError::TooLong => error.with("limit", "header_block"),
        BlockError::TooManyLines => error.with("limit", "header_lines"),
        _ => error,
    }
}
