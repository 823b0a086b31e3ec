//! Reads of a message what the proxy has to know: `id`, `method`, `requestId`, the era, and the name of a
//! tool.
//!
//! Everything else passes as it is. Messages are not copied. Must not know what is in flight, or any I/O.

use std::borrow::Cow;

use clada_protocol::Id;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

const MOST_MESSAGES: usize = 1000;

/// The most bytes of an id, and of the name of a method: those that are in flight are kept.
const MOST_ID: usize = 512;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// Up to 2025-11-25: a client says `initialize`, and results are bare.
    Initialized,
    /// Since 2026-07-28: each request names its version, and each result its type.
    Modern,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Initialize { lists_roots: bool },
    Call { tool: String },
    Listen,
    Other(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) id: Id,
    pub(super) kind: Kind,
    pub(super) era: Era,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message {
    Request(Request),
    Cancelled(Id),
    Initialized,
    RootsChanged,
    Answer(Id),
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) code: i32,
    pub(super) id: Id,
    pub(super) text: String,
}

impl Unreadable {
    fn new(code: i32, text: impl Into<String>) -> Unreadable {
        Unreadable { code, id: Id::NULL, text: text.into() }
    }

    fn invalid(text: impl Into<String>) -> Unreadable {
        Unreadable::new(-32600, text)
    }
}

/// The members that are read. Those of the same name twice are an error: two readers could differ about them.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Parameters<'a> {
    #[serde(rename = "_meta", borrow, default)]
    meta: Option<&'a RawValue>,
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(rename = "requestId", borrow, default)]
    request_id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    capabilities: Option<&'a RawValue>,
}

/// The capabilities of a client of the old era, as far as they are used.
#[derive(Deserialize)]
struct Capabilities<'a> {
    #[serde(borrow, default)]
    roots: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RequestMeta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<IgnoredAny>,
}

pub(super) fn split(frame: &[u8]) -> Result<Vec<&[u8]>, Unreadable> {
    if !frame.trim_ascii_start().starts_with(b"[") {
        return Ok(vec![frame]);
    }
    let members: Vec<&RawValue> = serde_json::from_slice(frame).map_err(|error| not_json(&error))?;
    match members.len() {
        0 => Err(Unreadable::invalid("a batch has at least one message")),
        1..=MOST_MESSAGES => Ok(members.into_iter().map(|member| member.get().as_bytes()).collect()),
        count => Err(Unreadable::invalid(format!(
            "a batch has at most {MOST_MESSAGES} messages, and this one {count}"
        ))),
    }
}

pub(super) fn read(message: &[u8]) -> Result<Message, Unreadable> {
    // A list of three would be read as the three members.
    if message.trim_ascii_start().starts_with(b"[") {
        return Err(Unreadable::invalid("a message in a batch is an object"));
    }
    let envelope: Envelope<'_> = serde_json::from_slice(message).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => {
            Unreadable::invalid(format!("this is not a JSON-RPC message: {error}"))
        }
        _ => not_json(&error),
    })?;
    let Some(method) = envelope.method else {
        let id = envelope.id.and_then(|raw| Id::from_json(raw.get()));
        return Ok(id.map_or(Message::Other, Message::Answer));
    };
    // What is not as it should be is refused by the daemon.
    let params = envelope.params.filter(|raw| raw.get().starts_with('{'));
    let params = params.and_then(|raw| serde_json::from_str::<Parameters<'_>>(raw.get()).ok());
    if method == "notifications/cancelled" {
        let id = params.and_then(|params| Id::from_json(params.request_id?.get()));
        return Ok(id.map_or(Message::Other, Message::Cancelled));
    }
    let Some(id) = envelope.id.and_then(|raw| Id::from_json(raw.get())) else {
        return Ok(match &*method {
            "notifications/initialized" => Message::Initialized,
            "notifications/roots/list_changed" => Message::RootsChanged,
            _ => Message::Other,
        });
    };
    if id.as_json().len() > MOST_ID || method.len() > MOST_ID {
        return Err(Unreadable::invalid(format!("an id and a method have at most {MOST_ID} bytes")));
    }
    let modern = params.as_ref().and_then(|params| params.meta).is_some_and(|meta| {
        serde_json::from_str::<RequestMeta>(meta.get()).is_ok_and(|meta| meta.version.is_some())
    });
    let kind = match &*method {
        "initialize" => Kind::Initialize { lists_roots: params.is_some_and(|params| lists_roots(&params)) },
        "subscriptions/listen" => Kind::Listen,
        "tools/call" => {
            let tool = params.and_then(|params| params.name).unwrap_or_default();
            // A name that long is not a tool's.
            Kind::Call { tool: if tool.len() > MOST_ID { String::new() } else { tool.into_owned() } }
        }
        _ => Kind::Other(method.into_owned()),
    };
    let era = if modern { Era::Modern } else { Era::Initialized };
    Ok(Message::Request(Request { id, kind, era }))
}

fn lists_roots(params: &Parameters<'_>) -> bool {
    let capabilities = params.capabilities.filter(|raw| raw.get().starts_with('{'));
    let read = capabilities.and_then(|raw| serde_json::from_str::<Capabilities<'_>>(raw.get()).ok());
    read.and_then(|capabilities| capabilities.roots).is_some_and(|roots| roots.get().starts_with('{'))
}

pub(super) fn answered(message: &[u8]) -> Option<Id> {
    let envelope: Envelope<'_> = serde_json::from_slice(message).ok()?;
    match (envelope.method, envelope.id) {
        (None, Some(id)) => Id::from_json(id.get()),
        (None, None) => Some(Id::NULL),
        (Some(_), _) => None,
    }
}

fn not_json(error: &serde_json::Error) -> Unreadable {
    Unreadable::new(-32700, format!("this is not JSON: {error}"))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn what_is_read_of_each_message() {
        let modern = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        let messages = [
            r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x"}}"#.to_owned(),
            r#"{"id":"a","method":"tools/call","params":{"name":"apply","arguments":{"name":"x"}}}"#
                .to_owned(),
            format!(r#"{{"id":-1.50,"method":"tools/call","params":{{"name":"embed",{modern}}}}}"#),
            format!(r#"{{"method":"subscriptions/listen","params":{{{modern}}},"id":4}}"#),
            r#"{"id":5,"method":"ping"}"#.to_owned(),
            r#"{"id":5,"method":"tools/call","params":[1]}"#.to_owned(),
            r#"{"id":5,"method":"tools/list","params":{"_meta":{"progressToken":1}}}"#.to_owned(),
            r#"{"method":"notifications/cancelled","params":{"requestId":"a"}}"#.to_owned(),
            r#"{"method":"notifications/cancelled","params":{}}"#.to_owned(),
            r#"{"method":"notifications/initialized"}"#.to_owned(),
            r#"{"method":"notifications/roots/list_changed"}"#.to_owned(),
            r#"{"id":2,"method":"initialize","params":{"capabilities":{"roots":{"listChanged":true}}}}"#
                .to_owned(),
            r#"{"id":2,"method":"initialize","params":{"capabilities":{"roots":null}}}"#.to_owned(),
            r#"{"id":null,"method":"ping"}"#.to_owned(),
            r#"{"id":{},"method":"ping"}"#.to_owned(),
            r#"{"id":1,"result":{}}"#.to_owned(),
            r#"{"id":1,"id":2,"method":"ping"}"#.to_owned(),
            "{".to_owned(),
            "7".to_owned(),
            r#"[1,"ping",{}]"#.to_owned(),
            "Content-Length: 3".to_owned(),
            format!(r#"{{"id":"{}","method":"ping"}}"#, "x".repeat(600)),
        ];
        let read: Vec<String> =
            messages.iter().map(|text| format!("{:?}\n", read(text.as_bytes()))).collect();
        expect![[r#"
            Ok(Request(Request { id: Id("1"), kind: Initialize { lists_roots: false }, era: Initialized }))
            Ok(Request(Request { id: Id("\"a\""), kind: Call { tool: "apply" }, era: Initialized }))
            Ok(Request(Request { id: Id("-1.50"), kind: Call { tool: "embed" }, era: Modern }))
            Ok(Request(Request { id: Id("4"), kind: Listen, era: Modern }))
            Ok(Request(Request { id: Id("5"), kind: Other("ping"), era: Initialized }))
            Ok(Request(Request { id: Id("5"), kind: Call { tool: "" }, era: Initialized }))
            Ok(Request(Request { id: Id("5"), kind: Other("tools/list"), era: Initialized }))
            Ok(Cancelled(Id("\"a\"")))
            Ok(Other)
            Ok(Initialized)
            Ok(RootsChanged)
            Ok(Request(Request { id: Id("2"), kind: Initialize { lists_roots: true }, era: Initialized }))
            Ok(Request(Request { id: Id("2"), kind: Initialize { lists_roots: false }, era: Initialized }))
            Ok(Other)
            Ok(Other)
            Ok(Answer(Id("1")))
            Err(Unreadable { code: -32600, id: Id("null"), text: "this is not a JSON-RPC message: duplicate field `id` at line 1 column 12" })
            Err(Unreadable { code: -32700, id: Id("null"), text: "this is not JSON: EOF while parsing an object at line 1 column 1" })
            Err(Unreadable { code: -32600, id: Id("null"), text: "this is not a JSON-RPC message: invalid type: integer `7`, expected struct Envelope at line 1 column 1" })
            Err(Unreadable { code: -32600, id: Id("null"), text: "a message in a batch is an object" })
            Err(Unreadable { code: -32700, id: Id("null"), text: "this is not JSON: expected value at line 1 column 1" })
            Err(Unreadable { code: -32600, id: Id("null"), text: "an id and a method have at most 512 bytes" })
        "#]].assert_eq(&read.concat());
    }

    #[test]
    fn a_batch_is_its_messages() {
        let messages = |text: &'static str| {
            split(text.as_bytes())
                .map(|all| all.into_iter().map(|one| std::str::from_utf8(one).unwrap()).collect())
        };
        assert_eq!(messages(r#" [{"id":1}, 2]"#), Ok(vec![r#"{"id":1}"#, "2"]));
        assert_eq!(messages("{}"), Ok(vec!["{}"]));
        assert_eq!(messages("[]").unwrap_err().code, -32600);
        assert_eq!(messages("[1").unwrap_err().code, -32700);
        let many = format!("[{}1]", "1,".repeat(MOST_MESSAGES));
        assert_eq!(split(many.as_bytes()).unwrap_err().code, -32600);
    }

    #[test]
    fn answers_of_the_daemon_are_known_by_their_ids() {
        let id = |text: &str| answered(text.as_bytes()).map(|id| id.as_json().to_owned());
        assert_eq!(id(r#"{"id":"a","result":{"method":1}}"#).as_deref(), Some("\"a\""));
        assert_eq!(id(r#"{"id":null,"error":{}}"#).as_deref(), Some("null"));
        assert_eq!(id(r#"{"method":"notifications/progress","params":{"id":1}}"#), None);
        assert_eq!(id("nonsense"), None);
    }
}
