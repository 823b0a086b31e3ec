//! A daemon that says what a test has it say, at a socket that is named.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

use rustix::event::{PollFd, PollFlags, poll};
use serde_json::{Value, json};

/// The daemon. Each connection is handed out once it has been greeted.
pub(super) struct Fake {
    connections: Receiver<Spoken>,
}

/// A connection of the proxy.
pub(super) struct Spoken {
    stream: UnixStream,
    /// Makes it read what follows the greeting, if it does not yet.
    ears: Sender<()>,
    lines: Receiver<Value>,
    /// The parameters of its `hello`.
    pub(super) hello: Value,
}

impl Fake {
    /// Listens at `socket`. What it confirms is what it was asked, with these members in place.
    pub(super) fn at(socket: &Path, instead: Value) -> Fake {
        Fake::begin(socket, instead, false)
    }

    /// The same, which reads nothing that follows a greeting before it is told to.
    pub(super) fn deaf_at(socket: &Path) -> Fake {
        Fake::begin(socket, json!({}), true)
    }

    fn begin(socket: &Path, instead: Value, deaf: bool) -> Fake {
        let listener = UnixListener::bind(socket).unwrap();
        let (send, connections) = channel();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, (&instead, deaf), &send);
            }
        });
        Fake { connections }
    }

    /// The next connection that was greeted.
    pub(super) fn next(&self) -> Spoken {
        self.connections.recv().unwrap()
    }
}

fn serve(stream: UnixStream, (instead, deaf): (&Value, bool), send: &Sender<Spoken>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let Ok(mut hello) = serde_json::from_str::<Value>(&line) else { return };
    let params = hello["params"].take();
    let mut result = json!({
        "server": "fake", "version": "9.9.9", "protocol": 1, "features": [], "speaks": "mcp",
        "caller": params["caller"], "roots": params["roots"], "readOnly": params["readOnly"],
    });
    for (name, value) in instead.as_object().into_iter().flatten() {
        result[name] = value.clone();
    }
    let answer = json!({"jsonrpc": "2.0", "id": hello["id"], "result": result});
    (&stream).write_all(format!("{answer}\n").as_bytes()).unwrap();
    let (said, lines) = channel();
    let (ears, told) = channel();
    std::thread::spawn(move || {
        if deaf && told.recv().is_err() {
            return;
        }
        for line in reader.lines().map_while(Result::ok) {
            let _ = said.send(serde_json::from_str(&line).unwrap_or(Value::from(line)));
        }
    });
    let _ = send.send(Spoken { stream, ears, lines, hello: params });
}

impl Spoken {
    /// Waits until there is something to read, and leaves it there.
    pub(super) fn wait_for_message(&self) {
        poll(&mut [PollFd::new(&self.stream, PollFlags::IN)], None).unwrap();
    }

    /// Reads from now on.
    pub(super) fn listen(&self) {
        self.ears.send(()).unwrap();
    }

    /// The next message of the proxy.
    pub(super) fn hear(&self) -> Value {
        self.lines.recv().unwrap()
    }

    /// The messages until the proxy says no more.
    pub(super) fn rest(&self) -> Vec<Value> {
        self.lines.iter().collect()
    }

    pub(super) fn say(&self, message: &Value) {
        (&self.stream).write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// Answers a request with a word.
    pub(super) fn answer(&self, id: &Value, word: &str) {
        self.say(&json!({"jsonrpc": "2.0", "id": id, "result": {"said": word}}));
    }

    /// Goes away.
    pub(super) fn go(self) {
        self.stream.shutdown(Shutdown::Both).unwrap();
    }
}
