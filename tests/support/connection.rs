//! A program that calls the daemon itself: JSON-RPC, a message a line, one after the other.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

/// A connection to the daemon.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: BufReader<UnixStream>,
    last_id: u64,
    /// Events that came before the answer to a call.
    events: VecDeque<Value>,
}

impl Connection {
    pub(crate) fn open(socket: &Path) -> std::io::Result<Connection> {
        let stream = UnixStream::connect(socket)?;
        // A daemon that never answers fails the test instead of holding it up.
        stream.set_read_timeout(Some(Duration::from_secs(300)))?;
        Ok(Connection { stream: BufReader::new(stream), last_id: 0, events: VecDeque::new() })
    }

    /// The same connection, on which an answer that takes longer than this fails the test.
    pub(crate) fn within(self, time: Duration) -> Connection {
        self.stream.get_ref().set_read_timeout(Some(time)).unwrap();
        self
    }

    /// Kills the daemon, whatever it is doing.
    pub(crate) fn kill_peer(self) {
        #[cfg(target_os = "linux")]
        if let Ok(peer) = rustix::net::sockopt::socket_peercred(self.stream.get_ref()) {
            let _ = rustix::process::kill_process(peer.pid, rustix::process::Signal::KILL);
        }
    }

    /// Calls a method: its result, or its error object.
    pub(crate) fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        let stream = self.stream.get_mut();
        stream.write_all(format!("{request}\n").as_bytes()).unwrap();
        loop {
            let mut line = String::new();
            assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the daemon hung up on {method}");
            let mut message: Value = serde_json::from_str(&line).unwrap();
            // A frame that cannot be read at all is answered with no id; all others without one are
            // notifications.
            let unread = message["id"].is_null() && message.get("error").is_some();
            if unread || message["id"] == json!(self.last_id) {
                return match message.get_mut("error") {
                    Some(error) => Err(error.take()),
                    None => Ok(message["result"].take()),
                };
            }
            if message["method"] == "event" {
                self.events.push_back(message["params"].take());
            }
        }
    }

    /// The next event, which is waited for.
    pub(crate) fn next_event(&mut self) -> Value {
        if let Some(event) = self.events.pop_front() {
            return event;
        }
        let mut line = String::new();
        assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the daemon hung up");
        let mut message: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(message["method"], "event", "{message:#}");
        message["params"].take()
    }

    /// The notifications that come before the answer to a method.
    pub(crate) fn notifications(&mut self, method: &str, params: &Value) -> Vec<Value> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        self.stream.get_mut().write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut heard = Vec::new();
        loop {
            let mut line = String::new();
            assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the daemon hung up on {method}");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == json!(self.last_id) {
                return heard;
            }
            heard.push(message);
        }
    }

    /// The result of a method that succeeds.
    pub(crate) fn call(&mut self, method: &str, params: &Value) -> Value {
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The error of a method that fails.
    pub(crate) fn fail(&mut self, method: &str, params: &Value) -> Value {
        match self.try_call(method, params) {
            Ok(result) => panic!("{method} succeeds: {result}"),
            Err(error) => error,
        }
    }
}
