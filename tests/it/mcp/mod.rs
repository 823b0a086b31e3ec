//! Agents that speak MCP with the daemon: every message, both eras, the tools, and what none of them may.

mod approvals;
mod bounds;
mod editing;
mod hosts;
mod lists;
mod messages;
mod tools;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::World;

/// A client of one connection that speaks MCP.
pub(super) struct Host {
    stream: BufReader<UnixStream>,
    last_id: u64,
}

impl Host {
    /// A connection about the project, after its `hello`.
    pub(super) fn of(world: &World) -> Host {
        Host::with(world, &json!([world.root()]), false)
    }

    /// The same, which is told of every tool.
    pub(super) fn all(world: &World) -> Host {
        Host::greeted(world, json!({ "roots": [world.root()], "allTools": true }))
    }

    /// A connection about `roots`, after its `hello`.
    pub(super) fn with(world: &World, roots: &Value, read_only: bool) -> Host {
        Host::greeted(world, json!({ "roots": roots, "readOnly": read_only }))
    }

    fn greeted(world: &World, mut hello: Value) -> Host {
        world.status();
        let stream = UnixStream::connect(world.socket()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        let mut host = Host { stream: BufReader::new(stream), last_id: 0 };
        for (member, value) in [("client", "host"), ("speaks", "mcp"), ("caller", "agent")] {
            hello[member] = value.into();
        }
        host.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "hello", "params": hello }));
        let hello = host.hear();
        assert_eq!(
            (&hello["result"]["speaks"], &hello["result"]["caller"]),
            (&json!("mcp"), &json!("agent"))
        );
        host
    }

    /// The same after the `initialize` of an old client.
    pub(super) fn old(world: &World) -> Host {
        let mut host = Host::of(world);
        host.initialize();
        host
    }

    pub(super) fn initialize(&mut self) {
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
        });
        self.ask("initialize", &params);
    }

    pub(super) fn send(&mut self, message: &Value) {
        self.stream.get_mut().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    /// The next message.
    pub(super) fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert_ne!(self.stream.read_line(&mut line).unwrap(), 0, "the daemon hung up");
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request, and returns its id.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request, without its id, and what came before it.
    pub(super) fn answer(&mut self, id: u64) -> (Value, Vec<Value>) {
        let mut before = Vec::new();
        loop {
            let mut message = self.hear();
            if message["id"] == json!(id) {
                let members = message.as_object_mut().unwrap();
                members.remove("jsonrpc");
                members.remove("id");
                return (message, before);
            }
            before.push(message);
        }
    }

    /// The answer to a request, without its id.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id).0
    }

    /// The result of a tool.
    pub(super) fn tool(&mut self, name: &str, arguments: &Value) -> Value {
        let mut answer = self.ask("tools/call", &json!({ "name": name, "arguments": arguments }));
        assert!(answer["result"]["content"][0]["text"].is_string(), "{answer:#}");
        answer["result"].take()
    }

    /// What a tool says, and whether it worked.
    pub(super) fn says(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let result = self.tool(name, arguments);
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        (text, result["isError"] == json!(false))
    }
}

/// What a modern request has in `_meta`.
pub(super) fn modern() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A report without its nonce.
pub(super) fn without_nonce(text: &str) -> String {
    let nonce = text.lines().next().and_then(|line| line.strip_prefix("clada-report "));
    text.replace(nonce.unwrap_or("no nonce"), "NONCE")
}
