//! What the framings of a connection have in common: the stream, the pace at which it is read, and how it ends.

use std::pin::Pin;
use std::task::Context as Task;
use std::time::Duration;

use clada_protocol::framing::Framing;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, Sleep, sleep};

pub(super) const READ: usize = 16 * 1024;

pub(super) const TURN: usize = 512 * 1024;

/// The size of an unfinished line above which its connection pauses after each turn, for the time below.
/// However many clients send such lines, the processors are left to the others.
pub(super) const HUGE: usize = 1 << 20;

pub(super) const PAUSE: Duration = Duration::from_millis(1);

const GONE_CHECK: Duration = Duration::from_millis(500);

/// A stream to a client.
pub trait Transport: AsyncRead + AsyncWrite + Unpin {
    /// Returns whether the client is known to have gone, rather than only to have sent everything it wants to
    /// send.
    fn is_gone(&self) -> bool;

    /// Returns the framings that are spoken here, for messages to peers that speak another.
    fn spoken(&self) -> &'static str {
        Framing::SPOKEN
    }

    /// Returns whether clients may speak HTTP here.
    fn speaks_http(&self) -> bool {
        true
    }
}

/// The reason why a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConnectionEnd {
    /// The client closed it, or the daemon after everything was answered.
    Closed,
    /// The client went away while its requests were in progress.
    Disconnected,
    /// The client did not read.
    Stalled,
    /// The connection was idle, and another client needed its place.
    Evicted,
    /// The connection held most of the unfinished bytes when all together held too many.
    Unloaded,
    /// The input of the client could not be read any further.
    Refused,
}

impl ConnectionEnd {
    pub(super) const COUNT: usize = ConnectionEnd::Refused as usize + 1;
}

#[derive(Debug)]
pub(super) struct Stall {
    limit: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Stall {
    pub(super) fn new(limit: Duration) -> Stall {
        Stall { limit, timer: None }
    }

    pub(super) fn is_over(&mut self, task: &mut Task<'_>, took: bool) -> bool {
        let limit = self.limit;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(limit)));
        if took {
            timer.as_mut().reset(Instant::now() + limit);
        }
        timer.as_mut().poll(task).is_ready()
    }

    pub(super) fn end(&mut self) {
        self.timer = None;
    }
}

#[derive(Debug, Default)]
pub(super) struct GoneCheck(Option<Pin<Box<Sleep>>>);

impl GoneCheck {
    /// Returns whether the client of `stream` has gone; else `task` is woken for the next check. One that has
    /// only ended its side still gets its answers.
    pub(super) fn has_gone(&mut self, task: &mut Task<'_>, stream: &impl Transport) -> bool {
        loop {
            if self.0.as_mut().is_some_and(|check| check.as_mut().poll(task).is_pending()) {
                return false;
            }
            if stream.is_gone() {
                return true;
            }
            self.0 = Some(Box::pin(sleep(GONE_CHECK)));
        }
    }
}
