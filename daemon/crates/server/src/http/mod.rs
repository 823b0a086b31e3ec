//! HTTP/1.1 on a connection of the socket: each request is a conversation of its own, one after the other.
//!
//! hyper reads heads and writes answers. Everything that protects other clients is here, as it is in
//! `connection` for the other framings: what is counted, how long a head may take, when a client that reads
//! nothing or has gone is left, what an instruction of the registry means. Its input is bytes from any
//! process that may connect, and of any page of a browser behind a proxy.
//!
//! - `wire`: the stream as hyper sees it, and how far its input has come
//! - `check`: whether a request may be handled at all
//! - `answer`: from a request that may to its answer

mod answer;
mod check;
mod wire;

use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll};
use std::time::Duration;

use clada_protocol::message::response_json;
use clada_protocol::{CallerKind, Id};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use tokio::time::{Instant, Sleep, sleep_until};

use self::answer::HttpService;
use self::wire::{Progress, Wire, lock};
use super::dispatch::Dispatch;
use super::limits::{HTTP_HEADER_LINES, HTTP_HEADERS};
use super::registry::{Admitted, Instruction, dismissal};
use super::transport::{ConnectionEnd, GoneCheck, Stall, Transport};

pub(super) async fn serve<S: Transport>(
    stream: S,
    first: Vec<u8>,
    dispatch: &Dispatch,
    admitted: Admitted,
    caller: CallerKind,
) -> ConnectionEnd {
    let progress = Arc::new(Mutex::new(Progress::new()));
    let service = Arc::new(HttpService {
        dispatch: dispatch.clone(),
        connection: admitted.slot.id,
        caller,
        standing: Arc::clone(&admitted.slot.standing),
        progress: Arc::clone(&progress),
    });
    let stream = Arc::new(Mutex::new(stream));
    let wire = Wire::new(Arc::clone(&stream), first, Arc::clone(&progress));
    let limits = dispatch.limits();
    let mut driver = Driver {
        stream,
        progress,
        opening_limit: limits.opening,
        opening: None,
        stall: Stall::new(limits.stalled_reader),
        gone_check: GoneCheck::default(),
        admitted,
    };
    let answering = service_fn(move |request| {
        // Noted before hyper reads on.
        let begun = service.begin(&request);
        Arc::clone(&service).answer(request, begun)
    });
    let mut connection = pin!(
        http1::Builder::new()
            .half_close(true)
            .max_header_size(HTTP_HEADERS)
            .max_headers(HTTP_HEADER_LINES)
            .max_buf_size(HTTP_HEADERS)
            .serve_connection(wire, answering)
    );
    std::future::poll_fn(|task| {
        match driver.instruction(task) {
            Instruction::Serve | Instruction::Stay => {}
            Instruction::Finish => connection.as_mut().graceful_shutdown(),
            leave @ (Instruction::Leave | Instruction::Unload) => {
                return Poll::Ready(driver.leave(task, leave));
            }
        }
        let polled = connection.as_mut().poll(task);
        driver.look_after(task, polled)
    })
    .await
}

struct Driver<S> {
    stream: Arc<Mutex<S>>,
    progress: Arc<Mutex<Progress>>,
    opening_limit: Duration,
    opening: Option<(Instant, Pin<Box<Sleep>>)>,
    stall: Stall,
    gone_check: GoneCheck,
    admitted: Admitted,
}

impl<S: Transport> Driver<S> {
    fn instruction(&mut self, task: &mut Task<'_>) -> Instruction {
        let instruction = self.admitted.slot.instruction(task);
        lock(&self.progress).begin_turn(instruction);
        instruction
    }

    fn look_after(&mut self, task: &mut Task<'_>, polled: Poll<hyper::Result<()>>) -> Poll<ConnectionEnd> {
        let (busy, works, blocked, wrote, head_begun) = {
            let mut progress = lock(&self.progress);
            self.admitted.hold(progress.held());
            if std::mem::take(&mut progress.heard) {
                self.admitted.slot.touch();
            }
            let wrote = std::mem::take(&mut progress.wrote);
            (progress.is_busy(), progress.works(), progress.blocked, wrote, progress.head_begun)
        };
        self.admitted.slot.set_busy(busy);
        match polled {
            Poll::Ready(Ok(())) => return Poll::Ready(ConnectionEnd::Closed),
            Poll::Ready(Err(error)) => {
                return Poll::Ready(if error.is_parse() {
                    ConnectionEnd::Refused
                } else {
                    ConnectionEnd::Disconnected
                });
            }
            Poll::Pending => {}
        }
        if self.is_late(task, head_begun) {
            return Poll::Ready(ConnectionEnd::Refused);
        }
        if !blocked {
            self.stall.end();
        } else if self.stall.is_over(task, wrote) {
            return Poll::Ready(ConnectionEnd::Stalled);
        }
        // Nothing is read meanwhile.
        if works && self.gone_check.has_gone(task, &*lock(&self.stream)) {
            return Poll::Ready(ConnectionEnd::Disconnected);
        }
        Poll::Pending
    }

    fn is_late(&mut self, task: &mut Task<'_>, begun: Option<Instant>) -> bool {
        if self.opening.as_ref().map(|(begun, _)| *begun) != begun {
            self.opening = begun.map(|begun| (begun, Box::pin(sleep_until(begun + self.opening_limit))));
        }
        self.opening.as_mut().is_some_and(|(_, timer)| timer.as_mut().poll(task).is_ready())
    }

    /// Ends the connection for another one. A client that waits for an answer is told why, if that cannot end
    /// up within the answer before.
    fn leave(&mut self, task: &mut Task<'_>, instruction: Instruction) -> ConnectionEnd {
        let (error, end) = dismissal(instruction, self.admitted.total_limit());
        let mut stream = lock(&self.stream);
        if lock(&self.progress).waits_for_an_answer() {
            let body = response_json(&Id::NULL, Err(&error));
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncache-control: no-store\r\n\
                 connection: close\r\ncontent-length: {length}\r\n\r\n{body}"
            );
            // A client that does not take it now goes without.
            let _ = Pin::new(&mut *stream).poll_write(task, answer.as_bytes());
        }
        let _ = Pin::new(&mut *stream).poll_shutdown(task);
        end
    }
}
