//! `hello`, `status` and `shutdown`: the methods that never change between protocols.
//!
//! Programs of different versions learn about each other by them, so that their parameters only ever gain
//! optional members. Here too is the line that a daemon writes, when it is ready, for the client that started
//! it.

use std::sync::Arc;

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with::skip_serializing_none;

use crate::params::is_false;
use crate::wire_type::wire_type;

/// The protocol that this version speaks; it is in the socket's name (`v1.sock`).
pub const PROTOCOL: u32 = 1;

/// The feature of a daemon whose `execute` of a plan does what it does of the plan's text: what was applied
/// before is left out, and what comes after a command is planned over the files as it left them. Without it a
/// client sends the text.
pub const PLAN_AS_TEXT: &str = "plan.as_text";

/// The feature of a daemon whose `execute` takes `decline`, and reports what the user declined.
pub const DECLINE: &str = "decline";

/// The feature of a client that shows proposals, and of a daemon that makes them. A client without it gets each as a
/// notice (`notRead`) too.
pub const PLAIN: &str = "plain";

/// Parameters of `hello`.
#[apply(wire_type)]
pub struct HelloParams {
    /// Name and version of the client, for the log.
    pub client: Option<String>,
    /// The oldest and the newest protocol that the client speaks; absent: any.
    pub protocol: Option<[u32; 2]>,
    /// Features that the client would like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<String>,
    /// `agent` narrows the connection to an agent's, for its life. Absent: it stays what it is.
    pub caller: Option<CallerKind>,
    /// The language that is spoken from then on, if it is not this one: `mcp`.
    pub speaks: Option<String>,
    /// Of an agent: the only folders, absolute, in which or below which its requests have their root. At most
    /// 64.
    pub roots: Option<Vec<String>>,
    /// Of an agent: true if it may only call what changes nothing.
    pub read_only: Option<bool>,
    /// Of MCP: true to list every tool, not the common ones alone. All can be called in any case.
    pub all_tools: Option<bool>,
}

/// Result of `hello`.
#[apply(wire_type)]
pub struct HelloResult {
    /// `clada-daemon`.
    pub server: String,
    /// The daemon's version.
    pub version: String,
    /// The protocol to speak: the newest that both know.
    pub protocol: u32,
    /// The features of this daemon beyond the protocol.
    pub features: Vec<String>,
    /// True if another program, or none, is now where this daemon's was when it started: end it when it is idle.
    #[serde(default, skip_serializing_if = "is_false")]
    pub replaced: bool,
    /// The language that is spoken from then on, if it is not this one: `mcp`.
    pub speaks: Option<String>,
    /// The kind of caller that the connection is.
    pub caller: Option<CallerKind>,
    /// The folders that it is narrowed to, resolved; absent: it is not narrowed.
    pub roots: Option<Vec<String>>,
    /// True if it may only call what changes nothing.
    #[serde(default)]
    pub read_only: bool,
}

/// Parameters of `status`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusParams {}

/// Result of `status`.
#[skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct StatusResult {
    /// The path of the daemon's log, if it has one.
    pub log_file: Option<String>,
    /// The path of the socket that the daemon listens on, if it listens on one; absent for an agent.
    pub socket: Option<String>,
    /// The daemon's version.
    pub version: String,
    /// The newest protocol that it speaks.
    pub protocol: u32,
    /// Its process id; absent for an agent.
    #[serde(skip_serializing_if = "is_zero")]
    pub pid: u32,
    /// Milliseconds since it started.
    pub uptime_ms: u64,
    /// Absolute paths of the projects that it holds open.
    pub projects: Vec<String>,
    /// Folders that it watches.
    pub watches: u64,
    /// Resident memory in bytes, at most a second old; absent where the system does not say.
    pub memory_bytes: Option<u64>,
    /// The sandbox of commands; absent until the first command has run.
    pub sandbox: Option<String>,
    /// Open connections, this one included.
    pub connections: u64,
    /// Requests that are being worked on, this one not counted.
    pub running: u64,
    /// Answers of agents that wait for a user's approval; absent for an agent.
    pub waiting: Option<u64>,
    /// What the connections hold, and how those before have ended; absent for an agent.
    pub traffic: Option<Traffic>,
    /// The limits in force, by name.
    // Shared, since they are the same in every answer.
    pub limits: Arc<Map<String, Value>>,
    /// The warnings for the user.
    pub warnings: Vec<String>,
}

/// What the connections hold now, and how they have ended since the daemon started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct Traffic {
    /// Bytes that all connections hold together: messages that have no end yet or are worked on,
    /// notifications and answers that nobody has read yet. `rpc.totalBytes` bounds them.
    pub held_bytes: u64,
    /// The most of them that one connection holds.
    pub largest_bytes: u64,
    /// Subscriptions.
    pub subscriptions: u64,
    /// Connections that were let in.
    pub accepted: u64,
    /// Connections that were not: of other users, of commands, or since none that was idle could make room.
    pub turned_away: u64,
    /// Connections that ended when everything was answered.
    pub closed: u64,
    /// Connections whose client went away while its requests were in progress.
    pub gone: u64,
    /// Connections that were ended since their client read nothing (`rpc.stalledReaderMs`).
    pub stalled: u64,
    /// Idle connections that made room for others (`rpc.connections`).
    pub evicted: u64,
    /// Connections that were ended since all held too much together (`rpc.totalBytes`).
    pub unloaded: u64,
    /// Connections whose input could not be read any further: no framing, a wrong or slow header block.
    pub refused: u64,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Parameters of `shutdown`: none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ShutdownParams {}

/// Result of `shutdown`.
#[apply(wire_type)]
pub struct ShutdownResult {
    /// Requests that are finished first.
    pub running: u64,
}

/// The line of JSON that a daemon writes to standard output with `--ready-stdout`, then closes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "state")]
pub enum Readiness {
    /// It listens.
    Ready {
        /// Absolute path of the socket.
        socket: String,
        /// Its process id.
        pid: u32,
    },
    /// Another daemon runs already, as the lock file says.
    Running {
        /// Absolute path of that daemon's socket.
        socket: String,
        /// Its process id.
        pid: u32,
    },
    /// It cannot start.
    Failed {
        /// A sentence that says why, and what to do.
        message: String,
    },
}

/// The lock file's description of the daemon that holds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockInfo {
    /// Its process id. Only for the user to read: liveness is a reply, never a pid.
    pub pid: u32,
    /// Its version.
    pub version: String,
    /// The newest protocol that it speaks.
    pub protocol: u32,
    /// Absolute path of its socket.
    pub socket: String,
}

/// The caller of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CallerKind {
    /// A program that speaks for a model.
    Agent,
    /// A process of the same user that holds the socket.
    Person,
}
