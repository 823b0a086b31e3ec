//! A connection to a daemon: the greeting, the `initialize` of an old client to the daemon before, messages.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use clada_protocol::framing::LineDecoder;
use clada_protocol::handshake::{HelloParams, PROTOCOL};
use clada_protocol::message::{ServerMessage, request_json};
use clada_protocol::method::{Hello, Method};
use clada_protocol::{CallerKind, ErrorKind, Id, RpcError};
use serde::Deserialize;

use super::message;

/// The longest message of a daemon: twice the longest answer that one gives.
const LONGEST: usize = 128 << 20;

pub(super) const PIECE: usize = 16 * 1024;

const MCP: &str = "mcp";

/// The id of the greeting: no answer to it reaches the host.
const HELLO: &str = "clada-daemon mcp";

#[derive(Debug, Clone)]
pub(super) struct Bounds {
    pub(super) roots: Vec<String>,
    pub(super) read_only: bool,
    pub(super) all_tools: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("the daemon ended before it answered the greeting: {0}")]
    Closed(io::Error),
    #[error("the daemon does not answer")]
    Silent,
    #[error("the daemon refuses: {}", .0.message)]
    Error(RpcError),
    #[error("the running daemon ({version}) is too old for MCP: stop it with `clada stop`, then try again")]
    Older { version: String },
    #[error(
        "the daemon ({version}) does not confirm the limits of this connection ({what}), so nothing was sent to it: stop it with `clada stop`, then try again"
    )]
    NotConfirmed { version: String, what: &'static str },
}

impl Refused {
    fn from_io(error: io::Error) -> Refused {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Refused::Silent,
            _ => Refused::Closed(error),
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Sender(Arc<UnixStream>);

#[derive(Debug)]
pub(super) struct Receiver {
    stream: Arc<UnixStream>,
    decoder: LineDecoder,
    piece: Vec<u8>,
}

/// Greets a daemon: says that the connection is an agent's within `bounds`, and for an old client what
/// `initialize` it began with. It has `time` for each answer. Nothing is handed to a daemon that does not confirm all of it.
pub(super) fn greet(
    stream: UnixStream,
    time: Duration,
    bounds: &Bounds,
    initialize: Option<&(Id, Vec<u8>)>,
) -> Result<(Sender, Receiver), Refused> {
    let stream = Arc::new(stream);
    let sender = Sender(Arc::clone(&stream));
    let mut receiver = Receiver { stream, decoder: LineDecoder::new(LONGEST), piece: vec![0; PIECE] };
    // The limit holds for the greeting alone: calls may take as long as they need.
    sender.0.set_read_timeout(Some(time)).map_err(Refused::Closed)?;
    sender.0.set_write_timeout(Some(time)).map_err(Refused::Closed)?;
    let params = HelloParams {
        client: Some(concat!("clada-daemon mcp ", env!("CARGO_PKG_VERSION")).to_owned()),
        protocol: Some([PROTOCOL, PROTOCOL]),
        caller: Some(CallerKind::Agent),
        speaks: Some(MCP.to_owned()),
        roots: Some(bounds.roots.clone()),
        read_only: Some(bounds.read_only),
        all_tools: bounds.all_tools.then_some(true),
        ..HelloParams::default()
    };
    let hello = request_json(&Id::from(HELLO), Hello::NAME, &params)
        .map_err(|error| Refused::Closed(error.into()))?;
    sender.send(hello.as_bytes()).map_err(|unsent| Refused::from_io(unsent.0))?;
    let answer = receiver.answer_to(&Id::from(HELLO)).map_err(Refused::from_io)?;
    confirm(&answer, bounds)?;
    if let Some((id, message)) = initialize {
        sender.send(message).map_err(|unsent| Refused::from_io(unsent.0))?;
        receiver.answer_to(id).map_err(Refused::from_io)?;
        let initialized = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        sender.send(initialized).map_err(|unsent| Refused::from_io(unsent.0))?;
    }
    sender.0.set_read_timeout(None).map_err(Refused::Closed)?;
    sender.0.set_write_timeout(None).map_err(Refused::Closed)?;
    Ok((sender, receiver))
}

/// What a daemon says is in force.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Confirmed {
    version: String,
    speaks: Option<String>,
    caller: Option<CallerKind>,
    roots: Option<Vec<String>>,
    #[serde(default)]
    read_only: bool,
}

fn confirm(answer: &[u8], bounds: &Bounds) -> Result<(), Refused> {
    let unreadable = |what| Refused::NotConfirmed { version: "unknown".to_owned(), what };
    let result = match ServerMessage::parse(answer) {
        Ok(ServerMessage::Response(response)) => response.outcome.map_err(|error| match error.kind() {
            // It does not know the parameters.
            Some(ErrorKind::InvalidParams) => Refused::Older { version: "of unknown version".to_owned() },
            _ => Refused::Error(error),
        })?,
        _ => return Err(unreadable("answer")),
    };
    let result: Confirmed = serde_json::from_str(result.get()).map_err(|_| unreadable("answer"))?;
    let sorted = |roots: &[String]| {
        let mut roots = roots.to_vec();
        roots.sort();
        roots
    };
    if result.speaks.is_none() {
        return Err(Refused::Older { version: result.version });
    }
    let what = if result.speaks.as_deref() != Some(MCP) {
        "speaks"
    } else if result.caller != Some(CallerKind::Agent) {
        "caller"
    } else if result.roots.as_deref().map(sorted) != Some(sorted(&bounds.roots)) {
        "roots"
    } else if result.read_only != bounds.read_only {
        "readOnly"
    } else {
        return Ok(());
    };
    Err(Refused::NotConfirmed { version: result.version, what })
}

/// A message of which not all has been sent: the daemon has not understood it.
#[derive(Debug)]
pub(super) struct Unsent(pub(super) io::Error);

impl Sender {
    pub(super) fn send(&self, message: &[u8]) -> Result<(), Unsent> {
        let mut sent = 0;
        while sent <= message.len() {
            let remaining = [IoSlice::new(&message[sent..]), IoSlice::new(b"\n")];
            match (&*self.0).write_vectored(&remaining) {
                Ok(0) => return Err(Unsent(io::ErrorKind::WriteZero.into())),
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // Without its end it may be understood, when it is the last of all.
                Err(_) if sent == message.len() => return Ok(()),
                Err(error) => return Err(Unsent(error)),
            }
        }
        Ok(())
    }

    /// What was asked is still answered.
    pub(super) fn end(&self) {
        let _ = self.0.shutdown(Shutdown::Write);
    }

    pub(super) fn close(&self) {
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

impl Receiver {
    /// Hands the next messages that have come to `each`, after waiting for at least one byte. `false` at the
    /// end.
    pub(super) fn receive(&mut self, mut each: impl FnMut(&[u8])) -> bool {
        match (&*self.stream).read(&mut self.piece) {
            Ok(0) => return false,
            Ok(length) => self.decoder.extend(&self.piece[..length]),
            Err(error) => return error.kind() == io::ErrorKind::Interrupted,
        }
        self.drain(&mut each)
    }

    pub(super) fn early(&mut self, mut each: impl FnMut(&[u8])) -> bool {
        self.drain(&mut each)
    }

    fn drain(&mut self, each: &mut impl FnMut(&[u8])) -> bool {
        loop {
            match self.decoder.next_frame() {
                Ok(Some(frame)) => each(&frame),
                Ok(None) => return true,
                // No daemon answers at such length.
                Err(_) => return false,
            }
        }
    }

    fn answer_to(&mut self, id: &Id) -> io::Result<Vec<u8>> {
        loop {
            while let Some(frame) = self.decoder.next_frame().map_err(io::Error::other)? {
                let answered = message::answered(&frame);
                if answered.as_ref() == Some(id) || answered == Some(Id::NULL) {
                    return Ok(frame.into_owned());
                }
            }
            match (&*self.stream).read(&mut self.piece) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(length) => self.decoder.extend(&self.piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_daemon_has_to_confirm() {
        let bounds = Bounds { roots: vec!["/a".into(), "/b".into()], read_only: true, all_tools: false };
        let said = |answer: &str| match confirm(answer.as_bytes(), &bounds) {
            Ok(()) => "confirmed".to_owned(),
            Err(error) => error.to_string(),
        };
        let result = |more: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"server":"s","version":"9","protocol":1,"features":[],"speaks":"mcp"{more}}}}}"#
            )
        };
        let said: Vec<String> = [
            result(r#","caller":"agent","roots":["/b","/a"],"readOnly":true"#),
            result(""),
            result(r#","caller":"person","roots":["/b","/a"],"readOnly":true"#),
            result(r#","caller":"agent","readOnly":true"#),
            result(r#","caller":"agent","roots":["/a"],"readOnly":true"#),
            result(r#","caller":"agent","roots":["/b","/a"],"readOnly":false"#),
            r#"{"jsonrpc":"2.0","id":1,"result":{"version":"9","caller":"agent","roots":["/a","/b"]}}"#.into(),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no MCP","data":{"kind":"not_available"}}}"#.into(),
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"`speaks`?","data":{"kind":"invalid_params"}}}"#.into(),
            "{}".into(),
        ]
        .iter()
        .map(|answer| said(answer) + "\n")
        .collect();
        expect_test::expect![[r#"
            confirmed
            the daemon (9) does not confirm the limits of this connection (caller), so nothing was sent to it: stop it with `clada stop`, then try again
            the daemon (9) does not confirm the limits of this connection (caller), so nothing was sent to it: stop it with `clada stop`, then try again
            the daemon (9) does not confirm the limits of this connection (roots), so nothing was sent to it: stop it with `clada stop`, then try again
            the daemon (9) does not confirm the limits of this connection (roots), so nothing was sent to it: stop it with `clada stop`, then try again
            the daemon (9) does not confirm the limits of this connection (readOnly), so nothing was sent to it: stop it with `clada stop`, then try again
            the running daemon (9) is too old for MCP: stop it with `clada stop`, then try again
            the daemon refuses: no MCP
            the running daemon (of unknown version) is too old for MCP: stop it with `clada stop`, then try again
            the daemon (unknown) does not confirm the limits of this connection (answer), so nothing was sent to it: stop it with `clada stop`, then try again
        "#]].assert_eq(&said.concat());
    }
}
