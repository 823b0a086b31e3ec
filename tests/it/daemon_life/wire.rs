//! Messages to a daemon as they are on the socket, and answers of a model to be applied.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

use serde_json::{Value, json};

use super::place::PATIENCE;

/// One conversation by lines of JSON.
pub(super) struct Wire<R, W> {
    pub(super) reader: BufReader<R>,
    pub(super) writer: W,
    last: u64,
}

pub(super) type SocketWire = Wire<UnixStream, UnixStream>;

impl SocketWire {
    pub(super) fn open(socket: &Path) -> SocketWire {
        SocketWire::over(UnixStream::connect(socket).unwrap())
    }

    pub(super) fn over(stream: UnixStream) -> SocketWire {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Wire::new(stream.try_clone().unwrap(), stream)
    }
}

impl<R: Read, W: Write> Wire<R, W> {
    pub(super) fn new(reader: R, writer: W) -> Wire<R, W> {
        Wire { reader: BufReader::new(reader), writer, last: 0 }
    }

    pub(super) fn say(&mut self, message: &Value) {
        let mut line = message.to_string();
        line.push('\n');
        self.writer.write_all(line.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Sends a request; the id that it was given.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        self.say(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// The next message.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.reader.read_line(&mut line).unwrap(), 0, "the daemon closed the connection");
        serde_json::from_str(&line).unwrap()
    }

    /// The answer to a request; notifications before it are passed over.
    pub(super) fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.hear();
            if message.get("method").is_none() {
                assert_eq!(message["id"], id, "{message}");
                return message;
            }
        }
    }

    /// Asks and returns the whole answer.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Sends a request that has to succeed.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Value {
        let answer = self.ask(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Begins an operation and waits until it waits for the project.
    pub(super) fn begin_and_wait(&mut self, params: &Value) -> u64 {
        let id = self.request("execute", params);
        let told = json!({"operation": "execute", "request": id});
        assert_eq!(self.hear(), json!({"jsonrpc": "2.0", "method": "waiting", "params": told}));
        id
    }

    pub(super) fn cancel(&mut self, id: u64) {
        self.say(&json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": id}}));
    }
}

/// A block that writes a file.
pub(super) fn writes(path: &str, content: &str) -> String {
    format!(
        "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_write\"\npath = \"{path}\"\n\
         content = {}\n#!END_SHAM_abc\n\n",
        serde_json::Value::from(content)
    )
}

/// A block that reads a file.
pub(super) fn reads(path: &str) -> String {
    format!(
        "#!SHAM [@three-char-SHA-256: abc]\naction = \"file_read\"\npath = \"{path}\"\n#!END_SHAM_abc\n\n"
    )
}

/// Many files, each full of one line, so that a piece of one differs from the whole.
pub(super) struct Many {
    pub(super) count: usize,
}

impl Many {
    pub(super) fn name(number: usize) -> String {
        format!("many/{number:05}.txt")
    }

    pub(super) fn content(word: &str, number: usize) -> String {
        let line = format!("{word} {number:05} of a file that is written whole or not at all\n");
        let mut content = line.repeat(60);
        content.pop();
        content
    }

    /// Returns the model's answer that writes them all.
    pub(super) fn answer(&self, word: &str) -> String {
        (0..self.count).map(|number| writes(&Many::name(number), &Many::content(word, number))).collect()
    }
}
