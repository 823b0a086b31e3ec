//! The extent of what a client says: a connection that goes on, or a request that stands for itself.

use clada_protocol::method::{Hello, Subscribe, Unsubscribe};
use clada_protocol::{ErrorKind, Method as _, RpcError};
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversation {
    Connection,
    Request { streamed: bool },
}

/// Returns the error for a method that only makes sense on a connection that remembers, which an HTTP request
/// is not. `streamed`: its notifications are sent.
pub(super) fn needs_a_connection(method: &str, params: Option<&str>, streamed: bool) -> Option<RpcError> {
    /// The parameters of `hello` that hold for what is said later.
    #[derive(Deserialize)]
    struct Lasting {
        caller: Option<IgnoredAny>,
        speaks: Option<IgnoredAny>,
        roots: Option<IgnoredAny>,
        #[serde(rename = "readOnly")]
        read_only: Option<IgnoredAny>,
    }
    let refuse = |why: &str| {
        let error = RpcError::new(ErrorKind::InvalidParams, format!("{}: {why}", cut(method)));
        error.hint("each request over HTTP is independent; connect to the socket and send lines instead")
    };
    match method {
        Subscribe::NAME if !streamed => {
            Some(refuse("over HTTP it needs `Accept: application/x-ndjson`, for the events to come"))
        }
        Unsubscribe::NAME => Some(refuse("over HTTP a subscription ends with its request")),
        Hello::NAME => {
            let lasting = params.and_then(|params| serde_json::from_str::<Lasting>(params).ok())?;
            let any = lasting.caller.or(lasting.speaks).or(lasting.roots).or(lasting.read_only);
            any.map(|_| refuse("over HTTP nothing can be agreed on for later requests"))
        }
        // Those of MCP, and of the protocol beneath.
        "initialize" | "ping" => Some(refuse("MCP is not spoken over HTTP")),
        _ if method.contains('/') => Some(refuse("over HTTP there is no connection that it could be about")),
        _ => None,
    }
}

fn cut(name: &str) -> String {
    name.chars().take(80).collect::<String>().escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_needs_a_connection_is_not_for_a_request() {
        for (method, params, streamed, refused) in [
            ("status", None, false, false),
            ("hello", None, false, false),
            ("hello", Some(r#"{"client":"x"}"#), false, false),
            ("hello", Some(r#"{"caller":"agent"}"#), false, true),
            ("hello", Some(r#"{"roots":[]}"#), true, true),
            ("hello", Some(r#"{"readOnly":false}"#), true, true),
            ("hello", Some(r#"{"speaks":"mcp"}"#), true, true),
            ("subscribe", Some("{}"), false, true),
            ("subscribe", Some("{}"), true, false),
            ("unsubscribe", Some("{}"), true, true),
            ("$/cancelRequest", Some("{}"), true, true),
            ("initialize", None, false, true),
            ("tools/call", None, true, true),
            ("notifications/initialized", None, true, true),
        ] {
            let error = needs_a_connection(method, params, streamed);
            assert_eq!(error.is_some(), refused, "{method} {params:?} {streamed}");
            assert!(error.is_none_or(|error| error.kind() == Some(ErrorKind::InvalidParams)));
        }
    }
}
