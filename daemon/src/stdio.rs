//! `serve --stdio`: the socket's conversation on standard input and output.
//!
//! Where a daemon runs, bytes are copied in both directions, so that all clients share one. Where none can be
//! reached (an agent's sandbox that forbids sockets, say) the same server answers in this process. Either way
//! HTTP, which the socket speaks, is refused: a pipe has one client, which has no use for it.

use std::io;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use clada_protocol::CallerKind;
use clada_protocol::framing::{Detected, Framing, frame_line};
use clada_protocol::handshake::{HelloParams, PROTOCOL};
use clada_protocol::message::{Id, ServerMessage, request_json, response_json};
use clada_protocol::method::{Hello, Method};
use clada_server::{RpcLimits, Server, Transport, lock_info, unknown_framing};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadBuf};
use tokio::net::UnixStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::shutdown::Signals;

const HELLO: Duration = Duration::from_secs(30);

pub(crate) struct ListenAddress {
    pub(crate) socket: PathBuf,
    /// The user has named it: no daemon at another address is meant.
    pub(crate) is_named: bool,
}

pub(crate) struct OtherDaemon(pub(crate) PathBuf);

pub(crate) async fn serve(
    address: Option<ListenAddress>,
    uid: u32,
    server: impl FnOnce() -> Server,
    signals: &mut Signals,
) -> Result<(), OtherDaemon> {
    if let Some((daemon, place)) = match address {
        Some(address) => reach(&address, uid).await?,
        None => None,
    } {
        tracing::debug!("handing on to the running daemon");
        tokio::select! {
            _ = hand_on(daemon, &place, tokio::io::stdin(), tokio::io::stdout()) => {}
            _ = signals.next() => {}
        }
        return Ok(());
    }
    let server = server();
    let stopping = server.clone();
    let conversation = server.serve_one(Stdio::new(), CallerKind::Person);
    tokio::pin!(conversation);
    tokio::select! {
        _ = &mut conversation => return Ok(()),
        _ = signals.next() => stopping.stop(),
    }
    conversation.await;
    Ok(())
}

/// Connects to a daemon that answers: at the address, or, unless it is named, at the place in the lock next to it.
async fn reach(address: &ListenAddress, uid: u32) -> Result<Option<(UnixStream, PathBuf)>, OtherDaemon> {
    let ListenAddress { socket, is_named } = address;
    if let Some(stream) = greet(socket, uid).await {
        return Ok(Some((stream, socket.clone())));
    }
    let other = lock_info(socket).map(|info| PathBuf::from(info.socket));
    let Some(other) = other.filter(|other| other.file_name() != socket.file_name()) else { return Ok(None) };
    match greet(&other, uid).await {
        Some(_) if *is_named => Err(OtherDaemon(other)),
        stream => Ok(stream.map(|stream| (stream, other))),
    }
}

async fn greet(socket: &Path, uid: u32) -> Option<UnixStream> {
    let greeting = timeout(HELLO, async {
        let stream = UnixStream::connect(socket).await.ok()?;
        stream.peer_cred().ok().filter(|peer| peer.uid() == uid)?;
        let params = HelloParams {
            client: Some(concat!("clada-daemon --stdio ", env!("CARGO_PKG_VERSION")).to_owned()),
            protocol: Some([PROTOCOL, PROTOCOL]),
            ..HelloParams::default()
        };
        let mut hello = request_json(&Id::from(0), Hello::NAME, &params).ok()?;
        hello.push('\n');
        // Nothing but the answer can come before more is asked: no byte is lost in this buffer.
        let mut reader = BufReader::new(stream);
        reader.write_all(hello.as_bytes()).await.ok()?;
        let mut answer = Vec::new();
        (&mut reader).take(64 * 1024).read_until(b'\n', &mut answer).await.ok()?;
        match ServerMessage::parse(&answer) {
            Ok(ServerMessage::Response(response)) if response.outcome.is_ok() => Some(reader.into_inner()),
            _ => None,
        }
    });
    greeting.await.ok().flatten()
}

async fn hand_on<I, O>(mut daemon: UnixStream, place: &Path, mut input: I, mut output: O) -> io::Result<()>
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin,
{
    let mut early = [0; 1024];
    let first = tokio::select! {
        first = first_bytes(&mut input) => first?,
        // The daemon ends before it is asked anything.
        count = daemon.read(&mut early) => {
            output.write_all(&early[..count?]).await?;
            return output.flush().await;
        }
    };
    match (Framing::detect(&first), first.trim_ascii_start().first()) {
        (Detected::Speaks(Framing::Lines), _) | (_, None) => {}
        // The greeting was a line, and a connection speaks one framing.
        (Detected::Speaks(Framing::Headers), _) => daemon = UnixStream::connect(place).await?,
        (_, Some(&byte)) => {
            let error = unknown_framing(byte, Framing::SPOKEN_ON_PIPES);
            output.write_all(&frame_line(&response_json(&Id::NULL, Err(&error)))).await?;
            return output.flush().await;
        }
    }
    let (mut from_daemon, mut to_daemon) = daemon.into_split();
    let up = async {
        let _ = to_daemon.write_all(&first).await;
        let _ = tokio::io::copy(&mut input, &mut to_daemon).await;
        let _ = to_daemon.shutdown().await;
        std::future::pending::<()>().await;
    };
    let down = async {
        tokio::io::copy(&mut from_daemon, &mut output).await?;
        output.flush().await
    };
    tokio::select! {
        ended = down => ended,
        () = up => Ok(()),
    }
}

/// The time for that runs from the first byte.
async fn first_bytes(input: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut first = Vec::new();
    let mut ends = None;
    while Framing::detect(&first) == Detected::Undecided {
        let read = input.read_buf(&mut first);
        let count = match ends {
            None => read.await?,
            Some(end) => match timeout_at(end, read).await {
                Ok(count) => count?,
                Err(_) => break,
            },
        };
        if count == 0 {
            break;
        }
        let blanks = first.len() - first.trim_ascii_start().len();
        first.drain(..blanks);
        if !first.is_empty() {
            ends.get_or_insert(Instant::now() + RpcLimits::default().opening);
        }
    }
    Ok(first)
}

struct Stdio {
    input: tokio::io::Stdin,
    output: tokio::io::Stdout,
}

impl Stdio {
    fn new() -> Stdio {
        Stdio { input: tokio::io::stdin(), output: tokio::io::stdout() }
    }
}

impl AsyncRead for Stdio {
    fn poll_read(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().input).poll_read(task, buffer)
    }
}

impl AsyncWrite for Stdio {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().output).poll_write(task, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().output).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<io::Result<()>> {
        let output = &mut self.get_mut().output;
        std::task::ready!(Pin::new(&mut *output).poll_flush(task))?;
        Pin::new(output).poll_shutdown(task)
    }
}

impl Transport for Stdio {
    fn is_gone(&self) -> bool {
        // The end of standard input means only that the client asks no more.
        false
    }

    fn spoken(&self) -> &'static str {
        Framing::SPOKEN_ON_PIPES
    }

    fn speaks_http(&self) -> bool {
        false
    }
}
