//! Faults of calls, and the versions of the protocol.

use clada_protocol::visible_line;
use serde_json::Value;

/// The version of the modern era.
pub const MODERN: &str = "2026-07-28";

/// The versions of the old era, the oldest first.
pub const OLD: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The code of a version that is not spoken, as MCP has it.
pub(crate) const UNSUPPORTED_VERSION: i32 = -32022;

pub(crate) const INVALID_REQUEST: i32 = -32600;

pub(crate) const METHOD_NOT_FOUND: i32 = -32601;

pub(crate) const INVALID_PARAMS: i32 = -32602;

/// A failure as JSON-RPC has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Fault {
    /// The code, as JSON-RPC or MCP has it.
    pub code: i32,
    /// A sentence that says what is wrong.
    pub message: String,
    /// Facts about it.
    pub data: Option<Value>,
}

impl Fault {
    /// Returns a fault of this code.
    #[must_use]
    pub fn new(code: i32, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }

    pub(crate) fn params(message: impl Into<String>) -> Fault {
        Fault::new(INVALID_PARAMS, message)
    }
}

pub(crate) fn shown(name: &str) -> String {
    name.chars().take(80).collect::<String>().escape_debug().to_string()
}

pub(crate) fn without_place(error: &serde_json::Error) -> String {
    // The place counts from a text that the reader never saw.
    let text = error.to_string();
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    visible_line(&text.chars().take(300).collect::<String>()).into_owned()
}
