//! The stream as hyper sees it, and how far the input has come.
//!
//! hyper is handed each head by itself: what follows is kept until it is clear how long the body is. So it is
//! known when a head begins, and what its bytes were. hyper drops `Content-Length` where there is
//! `Transfer-Encoding`, and such a request is to be refused.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context as Task, Poll};

use hyper::rt::ReadBufCursor;
use tokio::io::ReadBuf;
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::HTTP_HEADERS;
use crate::registry::Instruction;
use crate::transport::{HUGE, PAUSE, READ, TURN, Transport};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Head,
    Body,
    Work,
}

#[derive(Debug)]
enum NextPart {
    Head(RequestHead),
    Body(u64),
    /// A body in chunks. The connection ends with its answer.
    Chunks,
}

#[derive(Debug, Default)]
struct RequestHead {
    bytes: Vec<u8>,
    begun: bool,
    in_line: bool,
}

#[derive(Debug)]
pub(super) struct Progress {
    pub(super) phase: Phase,
    next: NextPart,
    two_lengths: bool,
    pub(super) head_begun: Option<Instant>,
    pub(super) heard: bool,
    pub(super) blocked: bool,
    pub(super) wrote: bool,
    pub(super) body: usize,
    pub(super) unread: usize,
    /// True while the request in progress is a subscription that has nothing to tell.
    pub(super) only_subscribed: bool,
    unanswered: bool,
    turn: usize,
    /// False if no more is read: the client asked the daemon to end.
    reads: bool,
    pub(super) finishing: bool,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress {
            phase: Phase::Head,
            next: NextPart::Head(RequestHead::default()),
            two_lengths: false,
            head_begun: None,
            heard: false,
            blocked: false,
            wrote: false,
            body: 0,
            unread: 0,
            only_subscribed: false,
            unanswered: false,
            turn: TURN,
            reads: true,
            finishing: false,
        }
    }

    pub(super) fn begin_turn(&mut self, instruction: Instruction) {
        self.turn = TURN;
        self.reads = instruction != Instruction::Stay;
        self.finishing = instruction >= Instruction::Finish;
    }

    pub(super) fn held(&self) -> usize {
        self.body + self.unread
    }

    pub(super) fn works(&self) -> bool {
        self.phase == Phase::Work
    }

    /// Returns whether the connection cannot close for others: a subscription can, the last of all.
    pub(super) fn is_busy(&self) -> bool {
        (self.works() && !self.only_subscribed) || self.blocked
    }

    /// Returns whether a request has come of which no answer was sent, and nothing of an earlier one is left
    /// to be sent.
    pub(super) fn waits_for_an_answer(&self) -> bool {
        self.phase != Phase::Head && self.unanswered && !self.blocked
    }

    pub(super) fn begin_body(&mut self, length: Option<u64>) -> bool {
        self.head_begun = None;
        self.unanswered = true;
        self.phase = if length == Some(0) { Phase::Work } else { Phase::Body };
        self.next = match length {
            None => NextPart::Chunks,
            Some(0) => NextPart::Head(RequestHead::default()),
            Some(length) => NextPart::Body(length),
        };
        std::mem::take(&mut self.two_lengths)
    }

    pub(super) fn end_request(&mut self) {
        self.phase = Phase::Head;
        self.body = 0;
        self.unread = 0;
        self.only_subscribed = false;
    }

    fn hand_on(&mut self, waiting: &[u8]) -> usize {
        match &mut self.next {
            NextPart::Chunks => waiting.len(),
            NextPart::Body(remaining) => {
                let count = usize::try_from(*remaining)
                    .map_or(waiting.len(), |remaining| remaining.min(waiting.len()));
                *remaining -= count as u64;
                if *remaining == 0 {
                    self.next = NextPart::Head(RequestHead::default());
                }
                count
            }
            NextPart::Head(head) => {
                let (count, ended) = head.take(waiting);
                if head.begun {
                    self.head_begun.get_or_insert_with(Instant::now);
                }
                if ended {
                    self.two_lengths = head.has(b"content-length") && head.has(b"transfer-encoding");
                    self.next = NextPart::Head(RequestHead::default());
                }
                count
            }
        }
    }
}

impl RequestHead {
    fn take(&mut self, bytes: &[u8]) -> (usize, bool) {
        let mut ended = false;
        let mut count = 0;
        while count < bytes.len() && !ended {
            match bytes[count] {
                b'\n' => ended = self.begun && !std::mem::take(&mut self.in_line),
                b'\r' => {}
                _ => (self.begun, self.in_line) = (true, true),
            }
            count += 1;
        }
        // hyper refuses a head that is longer.
        if self.bytes.len() <= HTTP_HEADERS {
            self.bytes.extend_from_slice(&bytes[..count]);
        }
        (count, ended)
    }

    fn has(&self, name: &[u8]) -> bool {
        self.bytes.split(|&byte| byte == b'\n').skip(1).any(|line| {
            memchr::memchr(b':', line)
                .is_some_and(|colon| line[..colon].trim_ascii().eq_ignore_ascii_case(name))
        })
    }
}

pub(super) struct Wire<S> {
    stream: Arc<Mutex<S>>,
    progress: Arc<Mutex<Progress>>,
    /// Bytes that were read, those between `begin` and `end` not handed on yet.
    bytes: Vec<u8>,
    begin: usize,
    end: usize,
    pause: Option<Pin<Box<Sleep>>>,
}

impl<S> Wire<S> {
    pub(super) fn new(stream: Arc<Mutex<S>>, first: Vec<u8>, progress: Arc<Mutex<Progress>>) -> Wire<S> {
        let end = first.len();
        let mut bytes = first;
        bytes.resize(READ.max(end), 0);
        Wire { stream, progress, bytes, begin: 0, end, pause: None }
    }
}

impl<S: Transport> hyper::rt::Read for Wire<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let wire = self.get_mut();
        let mut progress = lock(&wire.progress);
        if !progress.reads {
            // The driver is woken by the next instruction.
            return Poll::Pending;
        }
        if wire.begin == wire.end {
            if wire.pause.as_mut().is_some_and(|pause| pause.as_mut().poll(task).is_pending()) {
                return Poll::Pending;
            }
            wire.pause = None;
            if progress.turn == 0 {
                // There is more to do, but other tasks get their turn first.
                if progress.body > HUGE {
                    let pause = wire.pause.insert(Box::pin(sleep(PAUSE)));
                    let _ = pause.as_mut().poll(task);
                } else {
                    task.waker().wake_by_ref();
                }
                return Poll::Pending;
            }
            let mut buffer = ReadBuf::new(&mut wire.bytes);
            std::task::ready!(Pin::new(&mut *lock(&wire.stream)).poll_read(task, &mut buffer))?;
            (wire.begin, wire.end) = (0, buffer.filled().len());
            if wire.end == 0 {
                return Poll::Ready(Ok(()));
            }
            progress.heard = true;
            progress.turn = progress.turn.saturating_sub(wire.end);
        }
        let waiting = &wire.bytes[wire.begin..wire.end];
        let waiting = &waiting[..waiting.len().min(into.remaining())];
        let count = progress.hand_on(waiting);
        into.put_slice(&waiting[..count]);
        wire.begin += count;
        Poll::Ready(Ok(()))
    }
}

impl<S: Transport> Wire<S> {
    fn poll_stream(
        &mut self,
        write: impl FnOnce(Pin<&mut S>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = write(Pin::new(&mut *lock(&self.stream)));
        let mut progress = lock(&self.progress);
        progress.blocked = written.is_pending();
        if let Poll::Ready(Ok(_)) = written {
            progress.wrote = true;
            progress.unanswered = false;
        }
        written
    }
}

impl<S: Transport> hyper::rt::Write for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, task: &mut Task<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_stream(|stream| stream.poll_write(task, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_stream(|stream| stream.poll_write_vectored(task, bytes))
    }

    fn is_write_vectored(&self) -> bool {
        // Large answers are handed to the system where they lie.
        true
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *lock(&self.stream)).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *lock(&self.stream)).poll_shutdown(task)
    }
}

pub(super) fn lock<T>(shared: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes that are handed on at a time, when so many come at a time.
    fn handed_on(bytes: &[u8], at_a_time: usize, length: Option<u64>) -> (Vec<String>, bool) {
        let mut progress = Progress::new();
        let (mut handed, mut part, mut two) = (Vec::new(), String::new(), false);
        let mut remaining = bytes;
        while !remaining.is_empty() {
            let count = progress.hand_on(&remaining[..remaining.len().min(at_a_time)]);
            part += std::str::from_utf8(&remaining[..count]).unwrap();
            remaining = &remaining[count..];
            if part.ends_with("\n\n") || part.ends_with("\n\r\n") {
                handed.push(std::mem::take(&mut part));
                two |= progress.begin_body(length);
            }
        }
        handed.push(part);
        (handed, two)
    }

    #[test]
    fn heads_are_handed_on_alone_however_they_come() {
        let bytes = b"\r\nPOST / HTTP/1.1\r\nContent-length: 3\r\n\r\n{}\nGET / HTTP/1.1\nTransfer-Encoding : x\n\n123";
        let expected = [
            "\r\nPOST / HTTP/1.1\r\nContent-length: 3\r\n\r\n",
            "{}\nGET / HTTP/1.1\nTransfer-Encoding : x\n\n",
            "123",
        ];
        for at_a_time in [1, 2, 7, 1000] {
            let (handed, two) = handed_on(bytes, at_a_time, Some(3));
            assert!(handed == expected && !two, "{at_a_time}: {handed:?}");
        }
        for both in [
            &b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\ncontent-length: 3\r\n\r\n"[..],
            b"POST / HTTP/1.1\nContent-Length: 3\nA: b\nTRANSFER-ENCODING: chunked\n\n",
        ] {
            for at_a_time in [1, 1000] {
                assert!(handed_on(both, at_a_time, None).1);
            }
        }
    }

    #[test]
    fn blank_lines_before_a_head_are_no_head_that_has_begun() {
        let mut progress = Progress::new();
        assert_eq!(progress.hand_on(b"\r\n\n\r"), 4);
        assert_eq!(progress.head_begun, None);
        assert_eq!(progress.hand_on(b"\nGET"), 4);
        assert!(progress.head_begun.is_some());
    }

    #[test]
    fn a_client_that_has_not_taken_all_of_an_answer_is_told_nothing_in_between() {
        let mut progress = Progress::new();
        assert!(!progress.waits_for_an_answer());
        progress.begin_body(Some(2));
        assert!(progress.waits_for_an_answer());
        progress.blocked = true;
        assert!(!progress.waits_for_an_answer());
    }

    #[test]
    fn an_endless_head_takes_no_more_memory_than_it_may() {
        let mut progress = Progress::new();
        for _ in 0..1000 {
            assert_eq!(progress.hand_on(&[b'x'; 1000]), 1000);
        }
        let NextPart::Head(head) = &progress.next else { panic!("ended") };
        assert!(head.bytes.len() <= HTTP_HEADERS + 1000 && progress.head_begun.is_some());
    }
}
