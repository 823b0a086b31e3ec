//! From an HTTP request to its answer.
//!
//! A request has an exchange of its own, as a connection of the other framings has: so notifications are
//! those of this request, and when the client goes, what only reads is cancelled and what changes files is
//! finished.

use std::borrow::Cow;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll};

use clada_protocol::framing::Framing;
use clada_protocol::message::response_json;
use clada_protocol::{CallerKind, ErrorKind, Id, OPENRPC, RpcError};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Request, Response, StatusCode};

use super::check::{HttpRefusal, NDJSON, Route, content_length, route};
use super::wire::{Phase, Progress, lock};
use crate::blocking::drop_in_background;
use crate::context::{Client, Peer};
use crate::conversation::Conversation;
use crate::dispatch::Dispatch;
use crate::exchange::Exchange;
use crate::notifier::notifications;
use crate::outgoing::Outgoing;
use crate::scope::Scopes;
use crate::standing::{HeldBytes, Standing};

const CLIENT: HeaderName = HeaderName::from_static("x-clada-client");

/// The most bytes that are read and dropped of the body of a request that no program of the user sends.
const FORBIDDEN: usize = 1 << 20;

pub(super) struct HttpService {
    pub(super) dispatch: Dispatch,
    pub(super) connection: u64,
    pub(super) caller: CallerKind,
    pub(super) standing: Arc<Standing>,
    pub(super) progress: Arc<Mutex<Progress>>,
}

pub(super) struct HttpBegun {
    /// The length of its body; `None`: it comes in chunks.
    length: Option<u64>,
    two_lengths: bool,
    over: Underway,
}

struct Underway(Arc<Mutex<Progress>>);

pub(super) struct AnswerBody {
    out: Outgoing,
    /// Text of the program itself, which comes first and is never copied.
    fixed: &'static str,
    exchange: Option<Exchange>,
    standing: Arc<Standing>,
    over: Underway,
}

struct Counted {
    bytes: Vec<u8>,
    _kept: HeldBytes,
}

impl HttpService {
    pub(super) fn begin(&self, request: &Request<Incoming>) -> HttpBegun {
        let chunks = request.headers().contains_key(header::TRANSFER_ENCODING);
        let length = if chunks { None } else { Some(content_length(request.headers()).unwrap_or(0)) };
        let two_lengths = lock(&self.progress).begin_body(length);
        HttpBegun { length, two_lengths, over: Underway(Arc::clone(&self.progress)) }
    }

    pub(super) async fn answer(
        self: Arc<HttpService>,
        request: Request<Incoming>,
        begun: HttpBegun,
    ) -> Result<Response<AnswerBody>, Infallible> {
        let (head, mut body) = request.into_parts();
        let HttpBegun { length, two_lengths, over } = begun;
        let client = Client::default();
        if let Some(name) = head.headers.get(CLIENT) {
            client.set(&String::from_utf8_lossy(name.as_bytes()));
            let (client, path) = (client.name(), head.uri.path());
            tracing::debug!(connection = self.connection, ?client, path, "an HTTP request");
        }
        let frame = self.dispatch.limits().frame;
        let outcome = match route(&head, two_lengths, frame) {
            Ok(Route::Document) => Ok(self.document(over)),
            Ok(route) => match self.gather(&mut body).await {
                Ok(message) => Ok(self.carry_out(message, client, route == Route::Stream, over).await),
                Err(refusal) => Err((refusal, over)),
            },
            Err(refusal) => Err((refusal, over)),
        };
        let mut answer = match outcome {
            Ok(answer) => answer,
            Err((refusal, over)) => {
                let waits = head.headers.contains_key(header::EXPECT);
                let most = match refusal.status {
                    StatusCode::FORBIDDEN => FORBIDDEN.min(frame),
                    _ => frame.saturating_mul(2),
                };
                if !waits && length.is_none_or(|length| length <= most as u64) {
                    // A client that sends all before it reads learns the reason, too.
                    self.drain(&mut body, most).await;
                }
                self.refuse(refusal, over)
            }
        };
        let headers = answer.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if length.is_none() {
            // Where such a body ends only hyper knows, and the next request has to be seen from its
            // beginning.
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        Ok(answer)
    }

    async fn gather(&self, body: &mut Incoming) -> Result<Vec<u8>, HttpRefusal> {
        let limit = self.dispatch.limits().frame;
        let mut message = Vec::new();
        while let Some(data) = next_data(body).await {
            let Ok(data) = data else {
                let error = "the body has no end, or its chunks are wrong";
                return Err(HttpRefusal::new(StatusCode::BAD_REQUEST, ErrorKind::ParseError, error));
            };
            if message.len() + data.len() > limit {
                lock(&self.progress).body = 0;
                return Err(HttpRefusal::too_long(limit));
            }
            message.extend_from_slice(&data);
            lock(&self.progress).body = message.len();
        }
        let mut progress = lock(&self.progress);
        // The exchange counts it from here on.
        progress.body = 0;
        progress.phase = Phase::Work;
        Ok(message)
    }

    async fn drain(&self, body: &mut Incoming, limit: usize) {
        let mut dropped = 0;
        while dropped <= limit
            && let Some(Ok(data)) = next_data(body).await
        {
            dropped += data.len();
        }
    }

    async fn carry_out(
        &self,
        message: Vec<u8>,
        client: Client,
        streamed: bool,
        over: Underway,
    ) -> Response<AnswerBody> {
        let standing = Arc::clone(&self.standing);
        let (notifier, received) = notifications(self.dispatch.limits().notifications, Arc::clone(&standing));
        let peer = Arc::new(Peer {
            connection: self.connection,
            scopes: Scopes::new(self.caller),
            client,
            notifier,
            standing: Arc::clone(&standing),
            conversation: Conversation::Request { streamed },
            speaks_mcp: std::sync::OnceLock::new(),
        });
        let framing = if streamed { Framing::Lines } else { Framing::Http };
        let mut out = Outgoing::new(framing);
        let mut exchange = Exchange::new(self.dispatch.clone(), peer, received);
        // The closure runs once for each wake-up, and the message is accepted in the first.
        let mut message = Some(message);
        std::future::poll_fn(|task| {
            if let Some(message) = message.take() {
                exchange.accept(task, Cow::Owned(message), &mut out);
            }
            while exchange.poll(task, &mut out) {}
            lock(&self.progress).unread = out.len();
            if exchange.is_idle() || (streamed && !out.is_empty()) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        if out.is_empty() {
            let mut answer = Response::new(AnswerBody { out, fixed: "", exchange: None, standing, over });
            *answer.status_mut() = StatusCode::NO_CONTENT;
            return answer;
        }
        let exchange = streamed.then_some(exchange);
        let mut answer = Response::new(AnswerBody { out, fixed: "", exchange, standing, over });
        let media = if streamed { NDJSON } else { "application/json" };
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
        answer
    }

    fn document(&self, over: Underway) -> Response<AnswerBody> {
        let mut answer = self.json(StatusCode::OK, Vec::new(), over);
        answer.body_mut().fixed = OPENRPC;
        answer
    }

    fn refuse(&self, refusal: HttpRefusal, over: Underway) -> Response<AnswerBody> {
        let HttpRefusal { status, error, allow } = refusal;
        let error: &RpcError = &error;
        tracing::debug!(connection = self.connection, %status, message = error.message, "refused an HTTP request");
        let mut answer = self.json(status, response_json(&Id::NULL, Err(error)).into_bytes(), over);
        if let Some(allow) = allow {
            answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        answer
    }

    fn json(&self, status: StatusCode, json: Vec<u8>, over: Underway) -> Response<AnswerBody> {
        let mut out = Outgoing::new(Framing::Http);
        out.large_message(b"", json, 0);
        let standing = Arc::clone(&self.standing);
        let mut answer = Response::new(AnswerBody { out, fixed: "", exchange: None, standing, over });
        *answer.status_mut() = status;
        answer.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        answer
    }
}

async fn next_data(body: &mut Incoming) -> Option<hyper::Result<Bytes>> {
    loop {
        let frame = std::future::poll_fn(|task| Pin::new(&mut *body).poll_frame(task)).await?;
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => return Some(Ok(data)),
            // Trailers say nothing here.
            Ok(Err(_)) => {}
            Err(error) => return Some(Err(error)),
        }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let body = self.get_mut();
        let fixed = std::mem::take(&mut body.fixed);
        if !fixed.is_empty() {
            return Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(fixed.as_bytes())))));
        }
        loop {
            let worked = body.exchange.as_mut().is_some_and(|exchange| exchange.poll(task, &mut body.out));
            let next = body.out.take();
            {
                let mut progress = lock(&body.over.0);
                progress.unread = body.out.len();
                progress.only_subscribed = false;
            }
            if let Some((bytes, written)) = next {
                let held_bytes = body.standing.keep(bytes.len());
                let bytes = Bytes::from_owner(Counted { bytes, _kept: held_bytes }).slice(written..);
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            let Some(exchange) = &body.exchange else { return Poll::Ready(None) };
            // A subscription goes on until its client leaves, or the daemon.
            if exchange.is_idle() && (!body.standing.is_subscribed() || lock(&body.over.0).finishing) {
                return Poll::Ready(None);
            }
            if !worked {
                lock(&body.over.0).only_subscribed = exchange.is_idle();
                return Poll::Pending;
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.exchange.is_none() && self.out.is_empty() && self.fixed.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match self.exchange {
            Some(_) => SizeHint::default(),
            None => SizeHint::with_exact((self.fixed.len() + self.out.len()) as u64),
        }
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        drop_in_background(self.bytes.len(), std::mem::take(&mut self.bytes));
    }
}

impl Drop for Underway {
    fn drop(&mut self) {
        lock(&self.0).end_request();
    }
}
