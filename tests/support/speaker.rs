//! A program that calls the daemon in one of the ways to talk: messages as they are, one after the other.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// The ways to talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Lines,
    Headers,
    Http,
}

impl Way {
    pub(crate) const ALL: [Way; 3] = [Way::Lines, Way::Headers, Way::Http];

    /// A message as it is sent this way.
    pub(crate) fn framed(self, message: &str) -> Vec<u8> {
        match self {
            Way::Lines => format!("{message}\n").into_bytes(),
            Way::Headers => format!("Content-Length: {}\r\n\r\n{message}", message.len()).into_bytes(),
            Way::Http => post("", message),
        }
    }
}

/// A request of HTTP with further header lines, each with its end.
fn post(headers: &str, message: &str) -> Vec<u8> {
    let length = message.len();
    format!(
        "POST /rpc HTTP/1.1\r\nHost: clada\r\nContent-Type: application/json\r\n{headers}\
         Content-Length: {length}\r\n\r\n{message}"
    )
    .into_bytes()
}

/// The header line that asks HTTP for every message, each a line.
const STREAMED: &str = "Accept: application/x-ndjson\r\n";

/// A client that talks in one way.
#[derive(Debug)]
pub(crate) struct Speaker {
    way: Way,
    stream: BufReader<UnixStream>,
}

impl Speaker {
    pub(crate) fn new(socket: &Path, way: Way) -> Speaker {
        let stream = UnixStream::connect(socket).unwrap();
        // A daemon that never answers fails the test instead of holding it up.
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        Speaker { way, stream: BufReader::new(stream) }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.get_mut().write_all(bytes).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "{:?}: the daemon hung up", self.way);
        line
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).unwrap();
        body
    }

    /// Hears one message, or all those of a streamed answer; nothing where HTTP has none to give.
    pub(crate) fn hear(&mut self) -> String {
        if self.way == Way::Lines {
            return self.line().trim_end().to_owned();
        }
        let (mut length, mut chunked) = (0, false);
        loop {
            let line = self.line().trim_end().to_ascii_lowercase();
            match line.split_once(": ") {
                _ if line.is_empty() => break,
                Some(("content-length", value)) => length = value.parse().unwrap(),
                Some(("transfer-encoding", value)) => chunked = value == "chunked",
                _ => {}
            }
        }
        let mut body = Vec::new();
        if !chunked {
            body = self.bytes(length);
        }
        while chunked {
            let size = usize::from_str_radix(self.line().trim_end(), 16).unwrap();
            body.extend(self.bytes(size));
            assert_eq!(self.line(), "\r\n");
            chunked = size > 0;
        }
        String::from_utf8(body).unwrap()
    }

    /// Sends a message in pieces of so many bytes, and hears the answer.
    pub(crate) fn ask(&mut self, message: &str, piece: usize) -> String {
        for piece in self.way.framed(message).chunks(piece) {
            self.send(piece);
        }
        self.hear()
    }

    /// Sends a request and returns every message that comes, up to its response, which is the last.
    pub(crate) fn exchange(&mut self, request: &Value) -> Vec<Value> {
        let request = request.to_string();
        let bytes = if self.way == Way::Http { post(STREAMED, &request) } else { self.way.framed(&request) };
        self.send(&bytes);
        let mut messages: Vec<Value> = Vec::new();
        while messages.last().is_none_or(|message| message.get("method").is_some()) {
            let heard = self.hear();
            messages.extend(heard.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()));
        }
        messages
    }
}
