//! Messages of a client, read. Whatever is wrong with one is data: reading never fails.

use clada_protocol::{Id, visible_line};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::fault::{Fault, MODERN, UNSUPPORTED_VERSION, shown, without_place};
use crate::tools::{Call, CallFault};

/// The era that a message is of, as far as the message says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// It names no version: of the old era, after `initialize`.
    Unsaid,
    /// It names the version of the modern era, and the client's capabilities.
    Modern,
}

/// A message of a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The era, or why it cannot be answered in any.
    pub era: Result<Era, Fault>,
    /// The token under which progress is reported.
    pub progress: Option<Id>,
    /// The name of the client's program, with its version, if the message gives it.
    pub client: Option<String>,
    /// The content.
    pub body: MessageBody,
}

/// The content of a message.
#[derive(Debug, Clone, PartialEq)]
pub enum MessageBody {
    /// `initialize`.
    Initialize {
        /// The client's version.
        version: Option<String>,
        /// True if the client can be asked for the folders that it has open.
        lists_roots: bool,
    },
    /// `server/discover`.
    Discover,
    /// `ping`.
    Ping,
    /// `logging/setLevel`.
    SetLevel,
    /// `tools/list`.
    ListTools {
        /// True if it asks for a page that there is not.
        has_cursor: bool,
    },
    /// `tools/call`.
    CallTool(Result<Box<Call>, CallFault>),
    /// `subscriptions/listen`.
    Listen,
    /// `notifications/cancelled`, with the id if that can be read.
    Cancelled(Option<Id>),
    /// Any other notification.
    Notification,
    /// A method that there is not.
    Unknown(String),
}

/// The members of parameters that any method looks at, unread.
#[derive(Deserialize, Default)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow)]
    cursor: Option<&'a RawValue>,
    #[serde(borrow, rename = "requestId")]
    request_id: Option<&'a RawValue>,
    #[serde(borrow, rename = "protocolVersion")]
    protocol_version: Option<&'a RawValue>,
    #[serde(borrow, rename = "clientInfo")]
    client_info: Option<&'a RawValue>,
    #[serde(borrow)]
    capabilities: Option<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct MetaFields<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    version: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: Option<&'a RawValue>,
    #[serde(borrow, rename = "progressToken")]
    progress: Option<&'a RawValue>,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client_info: Option<&'a RawValue>,
}

/// The name that a client gives of its program.
#[derive(Deserialize)]
struct ClientInfo {
    name: String,
    #[serde(default)]
    version: String,
}

const NAME: usize = 40;

fn client(info: &RawValue) -> Option<String> {
    let ClientInfo { name, version } = serde_json::from_str(info.get()).ok()?;
    let part = |text: &str| -> String { visible_line(text.trim()).chars().take(NAME).collect() };
    let words = [part(&name), part(&version)];
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
    (!words.is_empty()).then(|| format!("{} (mcp)", words.join(" ")))
}

/// Reads a message.
#[must_use]
pub fn read(method: &str, params: Option<&str>) -> Message {
    let unread =
        |fault: Fault| Message { era: Err(fault), progress: None, client: None, body: body(method, None) };
    let params = match params.map(serde_json::from_str::<Params<'_>>) {
        None => Params::default(),
        Some(Ok(_)) if params.is_some_and(|params| !params.starts_with('{')) => {
            return unread(Fault::params("`params` is an object"));
        }
        Some(Ok(params)) => params,
        Some(Err(error)) => return unread(Fault::params(format!("`params`: {}", without_place(&error)))),
    };
    let meta = match params.meta.map(|meta| (meta.get(), serde_json::from_str::<MetaFields<'_>>(meta.get())))
    {
        None => MetaFields::default(),
        Some((text, Ok(meta))) if text.starts_with('{') => meta,
        Some((_, Ok(_))) => return unread(Fault::params("`_meta` is an object")),
        Some((_, Err(error))) => {
            return unread(Fault::params(format!("`_meta`: {}", without_place(&error))));
        }
    };
    let progress = meta.progress.and_then(id);
    let info = params.client_info.filter(|_| method == "initialize");
    let client = info.or(meta.client_info).and_then(client);
    Message { era: era(&meta), progress, client, body: body(method, Some(&params)) }
}

fn era(meta: &MetaFields<'_>) -> Result<Era, Fault> {
    let missing = |name: &str| {
        Err(Fault::params(format!(
            "`_meta` has no `io.modelcontextprotocol/{name}`, which each request needs"
        )))
    };
    let Some(version) = meta.version else {
        return if meta.capabilities.is_some() { missing("protocolVersion") } else { Ok(Era::Unsaid) };
    };
    match string(version) {
        None => Err(Fault::params("`io.modelcontextprotocol/protocolVersion` is a string")),
        Some(version) if version == MODERN => match meta.capabilities.map(RawValue::get) {
            None => missing("clientCapabilities"),
            Some(text) if text.starts_with('{') => Ok(Era::Modern),
            Some(_) => Err(Fault::params("`io.modelcontextprotocol/clientCapabilities` is an object")),
        },
        Some(version) => {
            let message = "Unsupported protocol version";
            let data = json!({ "supported": [MODERN], "requested": shown(&version) });
            Err(Fault { data: Some(data), ..Fault::new(UNSUPPORTED_VERSION, message) })
        }
    }
}

fn body(method: &str, params: Option<&Params<'_>>) -> MessageBody {
    match method {
        "initialize" => MessageBody::Initialize {
            version: params.and_then(|params| string(params.protocol_version?)),
            lists_roots: params.is_some_and(|params| params.capabilities.is_some_and(lists_roots)),
        },
        "server/discover" => MessageBody::Discover,
        "ping" => MessageBody::Ping,
        "logging/setLevel" => MessageBody::SetLevel,
        "tools/list" => {
            MessageBody::ListTools { has_cursor: params.is_some_and(|params| params.cursor.is_some()) }
        }
        "tools/call" => MessageBody::CallTool(match params {
            Some(params) => call(params).map(Box::new),
            None => Err(CallFault::Request(Fault::params("`params` cannot be read"))),
        }),
        "subscriptions/listen" => MessageBody::Listen,
        "notifications/cancelled" => MessageBody::Cancelled(params.and_then(|params| id(params.request_id?))),
        _ if method.starts_with("notifications/") => MessageBody::Notification,
        _ => MessageBody::Unknown(shown(method)),
    }
}

fn lists_roots(capabilities: &RawValue) -> bool {
    serde_json::from_str::<Value>(capabilities.get())
        .is_ok_and(|capabilities| capabilities["roots"].is_object())
}

fn call(params: &Params<'_>) -> Result<Call, CallFault> {
    let refuse = |message: &str| CallFault::Request(Fault::params(message));
    let name = params.name.ok_or_else(|| refuse("tools/call: `name` is missing"))?;
    let name = string(name).ok_or_else(|| refuse("tools/call: `name` is a string"))?;
    let arguments = params.arguments.map_or("{}", RawValue::get);
    if !arguments.starts_with('{') {
        return Err(refuse("tools/call: `arguments` must be an object"));
    }
    Call::read(&name, arguments)
}

fn string(raw: &RawValue) -> Option<String> {
    serde_json::from_str(raw.get()).ok()
}

fn id(raw: &RawValue) -> Option<Id> {
    Id::from_json(raw.get()).filter(|id| *id != Id::NULL)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fault::INVALID_PARAMS;

    fn era_of(meta: &str) -> Result<Era, (i32, String)> {
        let params = format!(r#"{{"_meta":{meta}}}"#);
        read("tools/list", Some(&params)).era.map_err(|fault| (fault.code, fault.message))
    }

    #[test]
    fn the_era_is_told_by_the_request_alone() {
        const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion""#;
        const CAPABILITIES: &str = r#""io.modelcontextprotocol/clientCapabilities""#;
        assert_eq!(era_of("{}"), Ok(Era::Unsaid));
        assert_eq!(era_of("null"), Ok(Era::Unsaid));
        assert_eq!(era_of(r#"{"progressToken":1}"#), Ok(Era::Unsaid));
        assert_eq!(era_of(&format!(r#"{{{VERSION}:"2026-07-28",{CAPABILITIES}:{{}}}}"#)), Ok(Era::Modern));
        for (meta, code) in [
            (format!(r#"{{{VERSION}:"2026-07-28"}}"#), INVALID_PARAMS),
            (format!(r#"{{{VERSION}:"2026-07-28",{CAPABILITIES}:[]}}"#), INVALID_PARAMS),
            (format!(r#"{{{CAPABILITIES}:{{}}}}"#), INVALID_PARAMS),
            (format!(r#"{{{VERSION}:7,{CAPABILITIES}:{{}}}}"#), INVALID_PARAMS),
            (format!(r#"{{{VERSION}:"2025-11-25",{CAPABILITIES}:{{}}}}"#), UNSUPPORTED_VERSION),
            (format!(r#"{{{VERSION}:"2031-01-01"}}"#), UNSUPPORTED_VERSION),
            ("[]".to_owned(), INVALID_PARAMS),
            ("7".to_owned(), INVALID_PARAMS),
        ] {
            assert_eq!(era_of(&meta).map_err(|(code, _)| code), Err(code), "{meta}");
        }
    }

    #[test]
    fn a_call_without_a_name_or_with_other_arguments_is_no_request() {
        for params in [
            "{}",
            r#"{"name":null}"#,
            r#"{"name":7}"#,
            r#"{"name":"apply","arguments":[]}"#,
            r#"{"name":"apply","arguments":"{}"}"#,
            r#"{"name":"undo"}"#,
            r#"{"name":"apply","name":"apply"}"#,
            "[]",
            "[1,2,3,4,5,6]",
        ] {
            let message = read("tools/call", Some(params));
            let refused = message.era.is_err()
                || matches!(
                    message.body,
                    MessageBody::CallTool(Err(CallFault::Request(_) | CallFault::Unknown(_)))
                );
            assert!(refused, "{params}");
        }
    }

    proptest! {
        #[test]
        fn reading_never_fails(method in ".{0,30}", params in "(.{0,60}|[{\\[][\\[\\]{}\":,a-z_0-9]{0,80})") {
            let _ = read(&method, Some(&params));
            let _ = read("tools/call", Some(&params));
        }
    }
}
