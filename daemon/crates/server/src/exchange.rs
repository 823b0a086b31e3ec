//! The requests of one connection: begun in order, answered as they finish.
//!
//! A request is polled once when it arrives: one that is ready at once is answered in order and costs no
//! task. Any other joins the work of the connection; one that may change files gets a task of its own, so
//! that it finishes even if the client goes away. Large frames are read on a blocking thread. Knows no
//! sockets.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll};

use clada_mcp::{Bounds, Message, Reply, Session};
use clada_protocol::message::{Incoming, Invalid, Request, parse_frame, response_json};
use clada_protocol::method::{CANCEL_REQUEST, Hello};
use clada_protocol::{ErrorKind, Id, Method, RpcError};
use futures_util::future::{BoxFuture, FutureExt};
use futures_util::stream::{self, FuturesUnordered, Stream, StreamExt};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::{BegunRequest, INLINE, RpcAnswer};
use super::cancel::{CancelReason, CancelToken};
use super::context::Peer;
use super::conversation::{Conversation, needs_a_connection};
use super::dispatch::Dispatch;
use super::mcp::{self, is_reply};
use super::notifier::Notifications;
use super::outgoing::Outgoing;
use super::raw::{self, RawParams};
use super::standing::HeldBytes;

const BATCH_WIDTH: usize = 8;

pub(super) struct Exchange {
    dispatch: Dispatch,
    peer: Arc<Peer>,
    notifications: Notifications,
    work: FuturesUnordered<BoxFuture<'static, FinishedWork>>,
    in_flight: HashMap<u64, RequestsInFlight>,
    next_key: u64,
    requests: usize,
    bytes: usize,
    /// The ids of cancellations that arrived while the frame that they refer to may still be read.
    early_cancels: Vec<Id>,
    reading: usize,
    /// The key of the frame whose `hello` is not answered yet: later frames wait, since it may narrow them.
    greeting: Option<u64>,
    session: Session,
    listening: HashMap<u64, CancelToken>,
}

struct RequestsInFlight {
    members: Vec<(Option<Id>, CancelToken, bool)>,
    requests: usize,
    bytes: usize,
}

enum FinishedWork {
    Single(u64, RpcAnswer),
    Batch(u64, Vec<RpcAnswer>),
    Read(Arc<HeldBytes>, usize, Owned),
}

enum Owned {
    Single(Result<OwnedRequest, Box<Invalid>>),
    Batch(Vec<Result<OwnedRequest, Box<Invalid>>>),
}

struct OwnedRequest {
    id: Option<Id>,
    method: String,
    params: Option<RawParams>,
    message: Option<Box<Message>>,
}

impl Owned {
    fn read(frame: Vec<u8>, batch: usize, speaks_mcp: bool) -> Owned {
        let (id, method, params) = match parse_frame(&frame, batch) {
            Incoming::Single(Err(invalid)) => return Owned::Single(Err(invalid)),
            Incoming::Single(Ok(request)) if speaks_mcp => return Owned::Single(Ok(of_mcp(request))),
            Incoming::Single(Ok(Request { id, method, params })) => {
                (id, method.into_owned(), params.map(|params| raw::place(&frame, params.get())))
            }
            Incoming::Batch(members) => {
                return Owned::Batch(owned(members, speaks_mcp));
            }
        };
        match (params, String::from_utf8(frame)) {
            (Some(part), Ok(frame)) => {
                let params = Some(RawParams::new(frame, part));
                Owned::Single(Ok(OwnedRequest { id, method, params, message: None }))
            }
            (None, _) => Owned::Single(Ok(OwnedRequest { id, method, params: None, message: None })),
            // The parser has refused a frame that is not UTF-8.
            (Some(_), Err(_)) => {
                let error = RpcError::new(ErrorKind::ParseError, "the message is not UTF-8");
                Owned::Single(Err(Box::new(Invalid { id: Id::NULL, error })))
            }
        }
    }
}

impl OwnedRequest {
    fn greets(&self) -> bool {
        self.message.is_none() && self.method == Hello::NAME
    }
}

impl From<Request<'_>> for OwnedRequest {
    fn from(request: Request<'_>) -> OwnedRequest {
        OwnedRequest {
            id: request.id,
            method: request.method.into_owned(),
            params: request.params.map(|params| RawParams::copy(params.get())),
            message: None,
        }
    }
}

fn of_mcp(request: Request<'_>) -> OwnedRequest {
    let message = clada_mcp::read(&request.method, request.params.map(RawValue::get));
    OwnedRequest {
        id: request.id,
        method: request.method.into_owned(),
        params: None,
        message: Some(Box::new(message)),
    }
}

fn owned(
    members: Vec<Result<Request<'_>, Box<Invalid>>>,
    speaks_mcp: bool,
) -> Vec<Result<OwnedRequest, Box<Invalid>>> {
    let owned = |request| if speaks_mcp { of_mcp(request) } else { OwnedRequest::from(request) };
    members.into_iter().map(|member| member.map(owned)).collect()
}

impl Exchange {
    pub(super) fn new(dispatch: Dispatch, peer: Arc<Peer>, notifications: Notifications) -> Exchange {
        Exchange {
            dispatch,
            peer,
            notifications,
            work: FuturesUnordered::new(),
            in_flight: HashMap::new(),
            next_key: 0,
            requests: 0,
            bytes: 0,
            early_cancels: Vec::new(),
            reading: 0,
            greeting: None,
            session: Session::default(),
            listening: HashMap::new(),
        }
    }

    pub(super) fn end_listening(&mut self) {
        for token in self.listening.values() {
            token.cancel(CancelReason::Disconnected);
        }
    }

    fn speaks_mcp(&self) -> bool {
        self.peer.speaks_mcp.get().is_some()
    }

    pub(super) fn has_room(&self, out: &Outgoing) -> bool {
        let limits = self.dispatch.limits();
        self.greeting.is_none()
            && self.requests < limits.requests
            && self.bytes < limits.request_bytes
            && out.len() < limits.unread
    }

    pub(super) fn is_idle(&self) -> bool {
        self.requests == 0
    }

    pub(super) fn accept(&mut self, task: &mut Task<'_>, frame: Cow<'_, [u8]>, out: &mut Outgoing) {
        let bytes = frame.len();
        let batch = self.dispatch.limits().batch;
        let held_bytes = Arc::new(self.peer.standing.keep(bytes));
        let speaks_mcp = self.speaks_mcp();
        if bytes > INLINE {
            let (frame, reader) = (frame.into_owned(), self.dispatch.reader().clone());
            let counted = Arc::clone(&held_bytes);
            let work = move || {
                // Reading goes on when the client has gone.
                let _counted = counted;
                Owned::read(frame, batch, speaks_mcp)
            };
            let read = async move { reader.work(bytes, work).await };
            self.requests += 1;
            self.bytes += bytes;
            self.reading += 1;
            self.work.push(read.map(move |owned| FinishedWork::Read(held_bytes, bytes, owned)).boxed());
            return;
        }
        match parse_frame(&frame, batch) {
            // Nothing was asked of the client, so that an answer of it is to nothing.
            Incoming::Single(Err(_)) if speaks_mcp && is_reply(&frame) => {}
            Incoming::Single(Err(invalid)) => refuse(out, &invalid.id, &invalid.error),
            Incoming::Single(Ok(request)) => {
                let request = if speaks_mcp { of_mcp(request) } else { request.into() };
                self.single(task, request, &held_bytes, bytes, out);
            }
            Incoming::Batch(members) => self.batch(task, owned(members, speaks_mcp), &held_bytes, bytes, out),
        }
    }

    pub(super) fn poll(&mut self, task: &mut Task<'_>, out: &mut Outgoing) -> bool {
        let mut progress = self.poll_notifications(task, out);
        while out.len() < self.dispatch.limits().unread && !self.work.is_empty() {
            let Poll::Ready(Some(done)) = Pin::new(&mut self.work).poll_next(task) else { break };
            progress = true;
            // The client reads notifications of a handler before its answer.
            self.poll_notifications(task, out);
            match done {
                FinishedWork::Read(held_bytes, bytes, owned) => {
                    self.requests -= 1;
                    self.bytes -= bytes;
                    self.reading -= 1;
                    match owned {
                        Owned::Single(Err(invalid)) => refuse(out, &invalid.id, &invalid.error),
                        Owned::Single(Ok(request)) => self.single(task, request, &held_bytes, bytes, out),
                        Owned::Batch(members) => self.batch(task, members, &held_bytes, bytes, out),
                    }
                    if self.reading == 0 {
                        self.early_cancels.clear();
                    }
                }
                FinishedWork::Single(key, answer) => {
                    self.untrack(key);
                    self.write(answer, out);
                }
                FinishedWork::Batch(key, answers) => {
                    self.untrack(key);
                    self.peer.standing.answer();
                    write_batch(&answers, out);
                }
            }
        }
        progress
    }

    fn poll_notifications(&mut self, task: &mut Task<'_>, out: &mut Outgoing) -> bool {
        let mut progress = false;
        while out.len() < self.dispatch.limits().unread {
            let Poll::Ready(Some(queued)) = self.notifications.queue.poll_recv(task) else { break };
            progress = true;
            let is_wanted = match &queued.of {
                Some(of) => of.reason() != Some(CancelReason::Requested),
                // What is not of MCP is nothing for who speaks it.
                None => !self.speaks_mcp(),
            };
            if !is_wanted || self.peer.conversation == (Conversation::Request { streamed: false }) {
                continue;
            }
            out.message(|bytes| {
                bytes.extend_from_slice(queued.json.as_bytes());
                true
            });
        }
        progress
    }

    fn single(
        &mut self,
        task: &mut Task<'_>,
        request: OwnedRequest,
        held_bytes: &Arc<HeldBytes>,
        bytes: usize,
        out: &mut Outgoing,
    ) {
        let greets = request.greets();
        let id = request.id.clone();
        if greets && bytes > INLINE {
            // It would be read while later frames begin.
            return self.write(RpcAnswer::error(id, too_long_hello()), out);
        }
        let begun = match self.begin(request, held_bytes, false) {
            StartedRequest::Nothing => return,
            StartedRequest::Answered(answer) => return self.write(answer, out),
            StartedRequest::Begun(begun) => begun,
        };
        let BegunRequest { mut answer, cancel, changes_files } = begun;
        match answer.as_mut().poll(task) {
            Poll::Ready(answer) => {
                self.poll_notifications(task, out);
                self.write(answer, out);
            }
            Poll::Pending => {
                let key = self.track(vec![(id.clone(), cancel, changes_files)], bytes, 1);
                if greets {
                    self.greeting = Some(key);
                }
                let answer = if changes_files { in_own_task(id, answer) } else { answer };
                self.work.push(answer.map(move |answer| FinishedWork::Single(key, answer)).boxed());
            }
        }
    }

    fn batch(
        &mut self,
        task: &mut Task<'_>,
        members: Vec<Result<OwnedRequest, Box<Invalid>>>,
        held_bytes: &Arc<HeldBytes>,
        bytes: usize,
        out: &mut Outgoing,
    ) {
        let mut begun = Vec::new();
        let mut answers: Vec<BoxFuture<'static, RpcAnswer>> = Vec::new();
        let greets = members.iter().any(|member| member.as_ref().is_ok_and(OwnedRequest::greets));
        for member in members {
            let request = match member {
                Ok(request) if greets && bytes > INLINE => {
                    answers.push(std::future::ready(RpcAnswer::error(request.id, too_long_hello())).boxed());
                    continue;
                }
                Ok(request) => request,
                Err(invalid) => {
                    let Invalid { id, error } = *invalid;
                    answers.push(std::future::ready(RpcAnswer::error(Some(id), error)).boxed());
                    continue;
                }
            };
            let id = request.id.clone();
            match self.begin(request, held_bytes, true) {
                StartedRequest::Nothing => {}
                StartedRequest::Answered(answer) => answers.push(std::future::ready(answer).boxed()),
                StartedRequest::Begun(BegunRequest { answer, cancel, changes_files }) => {
                    begun.push((id.clone(), cancel, changes_files));
                    answers.push(if changes_files { in_own_task(id, answer) } else { answer });
                }
            }
        }
        // `buffered` keeps the order of the members, however they finish.
        // With a `hello` among them, one begins when the one before it is answered.
        let width = if greets { 1 } else { answers.len().clamp(1, BATCH_WIDTH) };
        let mut all = stream::iter(answers).buffered(width).collect::<Vec<RpcAnswer>>().boxed();
        match all.as_mut().poll(task) {
            Poll::Ready(answers) => {
                self.poll_notifications(task, out);
                self.peer.standing.answer();
                write_batch(&answers, out);
            }
            Poll::Pending => {
                let key = self.track(begun, bytes, width);
                if greets {
                    self.greeting = Some(key);
                }
                self.work.push(all.map(move |answers| FinishedWork::Batch(key, answers)).boxed());
            }
        }
    }

    fn write(&self, answer: RpcAnswer, out: &mut Outgoing) {
        self.peer.standing.answer();
        answer.send(out);
    }

    fn begin(
        &mut self,
        request: OwnedRequest,
        held_bytes: &Arc<HeldBytes>,
        in_batch: bool,
    ) -> StartedRequest {
        let OwnedRequest { id, method, params, message } = request;
        let id = id.as_ref();
        if let Some(message) = message {
            return self.begin_of_mcp(id, *message, held_bytes, in_batch);
        }
        let method = method.as_str();
        match self.peer.conversation {
            Conversation::Request { streamed } => {
                if let Some(error) =
                    needs_a_connection(method, params.as_ref().map(RawParams::text), streamed)
                {
                    return StartedRequest::Answered(RpcAnswer::error(id.cloned(), error));
                }
            }
            Conversation::Connection if method == CANCEL_REQUEST => return self.cancel(id, params.as_ref()),
            Conversation::Connection => {}
        }
        // The cancellation may have come while this frame was still being read.
        if self.is_cancelled_early(id) {
            return StartedRequest::Answered(RpcAnswer::error(id.cloned(), CancelReason::Requested.error()));
        }
        match self.dispatch.begin(&self.peer, id.cloned(), method, params, held_bytes) {
            Ok(begun) => StartedRequest::Begun(begun),
            Err(answer) => StartedRequest::Answered(*answer),
        }
    }

    fn begin_of_mcp(
        &mut self,
        id: Option<&Id>,
        message: Message,
        held_bytes: &Arc<HeldBytes>,
        in_batch: bool,
    ) -> StartedRequest {
        let scope = self.peer.scopes.current();
        let shown = |root: &PathBuf| root.to_string_lossy().into_owned();
        let roots: Vec<String> = scope.roots.iter().flatten().map(shown).collect();
        let version = env!("CARGO_PKG_VERSION");
        let bounds =
            Bounds { version, roots: &roots, read_only: scope.read_only, all_tools: scope.all_tools };
        if let Some(client) = &message.client {
            self.peer.client.set(client);
        }
        let reply = self.session.answer(id, message, &bounds);
        if self.is_cancelled_early(id) {
            return StartedRequest::Nothing;
        }
        let answered = |outcome| StartedRequest::Answered(RpcAnswer::of_mcp(id.cloned(), outcome, None));
        match (reply, id) {
            (Reply::Nothing, _) => StartedRequest::Nothing,
            (Reply::Cancel(id), _) => {
                self.cancel_request(id);
                StartedRequest::Nothing
            }
            (Reply::Result(json), _) => answered(Ok(json)),
            (Reply::Fault(fault), _) => StartedRequest::Answered(RpcAnswer::fault(id.cloned(), &fault)),
            (Reply::Call { call, reply, progress }, Some(id)) => StartedRequest::Begun(
                self.dispatch.begin_call(&self.peer, id.clone(), *call, (reply, progress), held_bytes),
            ),
            (Reply::Listen { acknowledged, closing }, Some(id)) => {
                if in_batch || self.listening.len() >= mcp::MAX_LISTENING {
                    return StartedRequest::Answered(RpcAnswer::fault(
                        Some(id.clone()),
                        &mcp::no_room(in_batch),
                    ));
                }
                let begun =
                    mcp::listen(&self.peer, id.clone(), &acknowledged, closing, self.dispatch.stopping());
                self.listening.insert(self.next_key, begun.cancel.clone());
                StartedRequest::Begun(begun)
            }
            // What has no id is not begun.
            (Reply::Call { .. } | Reply::Listen { .. }, None) => StartedRequest::Nothing,
        }
    }

    fn is_cancelled_early(&mut self, id: Option<&Id>) -> bool {
        let early = id.and_then(|id| self.early_cancels.iter().position(|early| early == id));
        early.map(|place| self.early_cancels.swap_remove(place)).is_some()
    }

    /// Carries out `$/cancelRequest`. It is no error if the request is answered already, or never arrived.
    fn cancel(&mut self, id: Option<&Id>, params: Option<&RawParams>) -> StartedRequest {
        #[derive(Deserialize)]
        struct CancelParams {
            id: Id,
        }
        let Some(Ok(params)) = params.map(|raw| serde_json::from_str::<CancelParams>(raw.text())) else {
            let error = RpcError::new(ErrorKind::InvalidParams, "$/cancelRequest: `id` is missing");
            return StartedRequest::Answered(RpcAnswer::error(id.cloned(), error));
        };
        self.cancel_request(params.id);
        match id {
            None => StartedRequest::Nothing,
            Some(id) => {
                let error = RpcError::new(ErrorKind::InvalidRequest, "$/cancelRequest is a notification");
                StartedRequest::Answered(RpcAnswer::error(
                    Some(id.clone()),
                    error.hint("send it without an id"),
                ))
            }
        }
    }

    fn cancel_request(&mut self, id: Id) {
        let mut is_running = false;
        for (member, token, _) in self.in_flight.values().flat_map(|frame| &frame.members) {
            if member.as_ref() == Some(&id) {
                token.cancel(CancelReason::Requested);
                is_running = true;
            }
        }
        if !is_running && self.reading > 0 && self.early_cancels.len() < self.dispatch.limits().requests {
            self.early_cancels.push(id);
        }
    }

    fn track(&mut self, members: Vec<(Option<Id>, CancelToken, bool)>, bytes: usize, requests: usize) -> u64 {
        let key = self.next_key;
        self.next_key += 1;
        self.requests += requests;
        self.bytes += bytes;
        self.in_flight.insert(key, RequestsInFlight { members, requests, bytes });
        key
    }

    fn untrack(&mut self, key: u64) {
        self.greeting.take_if(|greeting| *greeting == key);
        self.listening.remove(&key);
        if let Some(frame) = self.in_flight.remove(&key) {
            self.requests -= frame.requests;
            self.bytes -= frame.bytes;
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // No other client reads the answers of requests that only read.
        for (_, token, changes_files) in self.in_flight.values().flat_map(|frame| &frame.members) {
            if !changes_files {
                token.cancel(CancelReason::Disconnected);
            }
        }
    }
}

enum StartedRequest {
    Nothing,
    Answered(RpcAnswer),
    Begun(BegunRequest),
}

fn in_own_task(id: Option<Id>, mut answer: BoxFuture<'static, RpcAnswer>) -> BoxFuture<'static, RpcAnswer> {
    // The end of the connection must not end the task.
    async move {
        let first = std::future::poll_fn(|task| Poll::Ready(answer.as_mut().poll(task))).await;
        if let Poll::Ready(answer) = first {
            return answer;
        }
        match tokio::spawn(answer).await {
            Ok(answer) => answer,
            Err(_) => RpcAnswer::error(id, CancelReason::Stopping.error()),
        }
    }
    .boxed()
}

fn too_long_hello() -> RpcError {
    let message = format!("a `hello`, and a batch with one, has at most {INLINE} bytes");
    RpcError::new(ErrorKind::LimitExceeded, message).with("limit", "hello").with("bytes", INLINE as u64)
}

pub(super) fn refuse(out: &mut Outgoing, id: &Id, error: &RpcError) {
    out.message(|bytes| {
        bytes.extend_from_slice(response_json(id, Err(error)).as_bytes());
        true
    });
}

fn write_batch(answers: &[RpcAnswer], out: &mut Outgoing) {
    out.message(|bytes| {
        let begin = bytes.len();
        for answer in answers {
            let before = bytes.len();
            bytes.push(if before == begin { b'[' } else { b',' });
            if !answer.append_to(bytes) {
                bytes.truncate(before);
            }
        }
        let any = bytes.len() > begin;
        if any {
            bytes.push(b']');
        }
        any
    });
}
