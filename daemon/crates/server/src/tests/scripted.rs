//! One connection over a scripted stream: bytes that come in pieces, and those that leave.

use std::io;
use std::pin::Pin;
use std::task::{Context as Task, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, DuplexStream, ReadBuf};
use tokio_test::io::{Builder, Mock};
use tokio_test::task::spawn;
use tokio_test::{assert_pending, assert_ready_eq};

use super::super::connection::serve;
use super::super::transport::ConnectionEnd;
use super::*;
use crate::cancel::CancelToken;

/// A script of reads and writes, for a client that has not gone away.
struct Script(Mock);

impl Transport for Script {
    fn is_gone(&self) -> bool {
        false
    }
}

impl AsyncRead for Script {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Task<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(task, into)
    }
}

impl AsyncWrite for Script {
    fn poll_write(mut self: Pin<&mut Self>, task: &mut Task<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(task)
    }
}

/// Serves one client by `script`; the script panics if another byte is written, or one is missing.
async fn served(script: Mock) -> ConnectionEnd {
    let (hooks, ..) = hooks();
    let server = builder(RpcLimits::default(), &hooks).build();
    let admitted = server.registry().admit(1).unwrap();
    serve(Script(script), server.dispatch(), admitted, CallerKind::Agent).await
}

const ASKED: &[u8] =
    b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"test.length\",\"params\":{\"name\":\"abc\"}}\n";
const ANSWERED: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":3}\n";

#[tokio::test]
async fn a_request_may_come_in_pieces_and_its_answer_leave_in_pieces() {
    for at in [1, 2, 17, ASKED.len() - 1] {
        let (first, second) = ASKED.split_at(at);
        let (begin, rest) = ANSWERED.split_at(at % 20 + 1);
        let script = Builder::new().read(first).read(second).write(begin).write(rest).build();
        assert_eq!(served(script).await, ConnectionEnd::Closed, "{at}");
    }
}

#[tokio::test]
async fn what_was_asked_before_the_end_is_answered_in_order() {
    let both = [ASKED, ASKED].concat();
    let answers = [ANSWERED, ANSWERED].concat();
    let script = Builder::new().read(&both).write(&answers).build();
    assert_eq!(served(script).await, ConnectionEnd::Closed);
}

#[tokio::test]
async fn a_stream_that_breaks_ends_its_connection() {
    let broken = io::Error::from(io::ErrorKind::ConnectionReset);
    let script = Builder::new().read(&ASKED[..9]).read_error(broken).build();
    assert_eq!(served(script).await, ConnectionEnd::Disconnected);
}

/// A stream that passes on nothing but by a flush, and is never through with that at once.
struct Buffering {
    stream: DuplexStream,
    held: Vec<u8>,
    asked: bool,
}

impl Transport for Buffering {
    fn is_gone(&self) -> bool {
        false
    }
}

impl AsyncRead for Buffering {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Task<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(task, into)
    }
}

impl AsyncWrite for Buffering {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Task<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.held.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        self.asked = !self.asked;
        if self.asked {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        let Buffering { stream, held, .. } = &mut *self;
        let count = std::task::ready!(Pin::new(stream).poll_write(task, held))?;
        held.drain(..count);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_leaves_a_stream_that_buffers() {
    let (stream, mut client) = tokio::io::duplex(1024);
    let stream = Buffering { stream, held: Vec::new(), asked: false };
    let (hooks, ..) = hooks();
    let server = builder(RpcLimits::default(), &hooks).build();
    let admitted = server.registry().admit(1).unwrap();
    let served = serve(stream, server.dispatch(), admitted, CallerKind::Agent);
    let mut answer = vec![0; ANSWERED.len()];
    let asked = async {
        client.write_all(ASKED).await.unwrap();
        client.read_exact(&mut answer).await.unwrap();
    };
    tokio::select! {
        _ = served => panic!("the connection has ended"),
        done = tokio::time::timeout(std::time::Duration::from_secs(60), asked) => done.unwrap(),
    }
    assert_eq!(answer, ANSWERED);
}

#[test]
fn who_waits_for_the_end_is_woken_by_it_and_not_before() {
    let token = CancelToken::default();
    let mut waiting = spawn(token.cancelled());
    assert_pending!(waiting.poll());
    assert!(!waiting.is_woken());
    token.cancel(CancelReason::Stopping);
    assert!(waiting.is_woken());
    assert_ready_eq!(waiting.poll(), CancelReason::Stopping);
}
