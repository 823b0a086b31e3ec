//! One connection that speaks MCP: from a message to its answer, or to the call of a tool.
//!
//! Remembers of an old client that it has sent `initialize`, and of a modern one nothing.

use clada_protocol::Id;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, INVALID_REQUEST, METHOD_NOT_FOUND, MODERN, OLD};
use crate::message::{Era, Message, MessageBody};
use crate::results::ToolResult;
use crate::tools::{self, Bounds, Call, CallFault};

/// The time for which a client may cache a list, in milliseconds.
const TTL: u64 = 60 * 60 * 1000;
const NAMED: usize = 8;

/// The state of a connection that speaks MCP.
#[derive(Debug, Default)]
pub struct Session {
    old: Option<&'static str>,
}

/// The reply to a message.
#[derive(Debug, PartialEq)]
pub enum Reply {
    /// No answer is sent.
    Nothing,
    /// The request of this id is cancelled.
    Cancel(Id),
    /// A result, as JSON.
    Result(String),
    /// An error.
    Fault(Fault),
    /// A tool is to be called.
    Call {
        /// The call.
        call: Box<Call>,
        /// The form of its result.
        reply: CallReply,
        /// The token under which its progress is reported.
        progress: Option<Id>,
    },
    /// A subscription is open until it is cancelled.
    Listen {
        /// The parameters of the acknowledgement that is sent at once.
        acknowledged: Value,
        /// The result at its end, as JSON.
        closing: String,
    },
}

/// The form of the results of calls.
#[derive(Debug, Clone, PartialEq)]
pub struct CallReply(Dress);

#[derive(Debug, Clone, PartialEq)]
enum Dress {
    Old,
    Modern { version: String },
}

impl CallReply {
    /// Returns the result of a tool, as JSON.
    #[must_use]
    pub fn json(&self, result: ToolResult) -> String {
        self.0.json(result.into_members())
    }
}

impl Dress {
    fn json(&self, mut members: Map<String, Value>) -> String {
        if let Dress::Modern { version } = self {
            members.insert("resultType".to_owned(), "complete".into());
            let meta = members.entry("_meta").or_insert_with(|| json!({}));
            meta["io.modelcontextprotocol/serverInfo"] = server_info(version);
        }
        Value::Object(members).to_string()
    }

    fn cacheable(&self, mut members: Map<String, Value>) -> String {
        if matches!(self, Dress::Modern { .. }) {
            members.insert("ttlMs".to_owned(), TTL.into());
            members.insert("cacheScope".to_owned(), "private".into());
        }
        self.json(members)
    }
}

impl Session {
    /// Answers a message; `id` is absent of a notification.
    pub fn answer(&mut self, id: Option<&Id>, message: Message, bounds: &Bounds<'_>) -> Reply {
        let Some(id) = id else {
            return match message.body {
                MessageBody::Cancelled(Some(id)) => Reply::Cancel(id),
                // A request that nobody waits for is not handled.
                _ => Reply::Nothing,
            };
        };
        if *id == Id::NULL {
            return Reply::Fault(Fault::new(INVALID_REQUEST, "An id is a string or a number"));
        }
        if let MessageBody::Initialize { version, lists_roots } = message.body {
            return Reply::Result(self.initialize(version.as_deref(), lists_roots, bounds));
        }
        let there_is_not = |method: &str| Fault::new(METHOD_NOT_FOUND, format!("Method not found: {method}"));
        let era = match message.era {
            Err(fault) => return Reply::Fault(fault),
            Ok(Era::Modern) => Era::Modern,
            Ok(Era::Unsaid) => match (&message.body, self.old) {
                (MessageBody::Unknown(method), _) => return Reply::Fault(there_is_not(method)),
                (_, Some(_)) => Era::Unsaid,
                (_, None) => {
                    return Reply::Fault(Fault::params(
                        "Send `initialize` first, or `io.modelcontextprotocol/protocolVersion` in `_meta`",
                    ));
                }
            },
        };
        let dress = match era {
            Era::Unsaid => Dress::Old,
            Era::Modern => Dress::Modern { version: bounds.version.to_owned() },
        };
        match (message.body, era) {
            (MessageBody::Discover, Era::Modern) => Reply::Result(dress.cacheable(discovered(bounds))),
            (MessageBody::Ping | MessageBody::SetLevel, Era::Unsaid) => Reply::Result("{}".to_owned()),
            (MessageBody::ListTools { has_cursor: true }, _) => {
                Reply::Fault(Fault::params("tools/list has one page: `cursor` is not supported"))
            }
            (MessageBody::ListTools { .. }, _) => Reply::Result(dress.cacheable(tools::list(bounds))),
            (MessageBody::CallTool(called), _) => match called {
                Ok(call) if call.tool.is_for(bounds.read_only) => {
                    Reply::Call { call, reply: CallReply(dress), progress: message.progress }
                }
                Ok(call) => Reply::Fault(tools::unknown(call.tool.name(), true)),
                Err(CallFault::Request(fault)) => Reply::Fault(fault),
                Err(CallFault::Unknown(name)) => Reply::Fault(tools::unknown(&name, bounds.read_only)),
                Err(CallFault::Arguments { tool, text }) if tool.is_for(bounds.read_only) => {
                    let failed = ToolResult::failed(format!("{}: {text}", tool.name()));
                    Reply::Result(dress.json(failed.into_members()))
                }
                Err(CallFault::Arguments { tool, .. }) => Reply::Fault(tools::unknown(tool.name(), true)),
            },
            (MessageBody::Listen, Era::Modern) => {
                let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
                let acknowledged = json!({ "_meta": meta, "notifications": {} });
                let mut closing = Map::new();
                closing.insert("_meta".to_owned(), meta);
                Reply::Listen { acknowledged, closing: dress.json(closing) }
            }
            (MessageBody::Unknown(method), _) => Reply::Fault(there_is_not(&method)),
            (MessageBody::Discover, _) => Reply::Fault(there_is_not("server/discover")),
            (MessageBody::Ping, _) => Reply::Fault(there_is_not("ping")),
            (MessageBody::SetLevel, _) => Reply::Fault(there_is_not("logging/setLevel")),
            (MessageBody::Listen, _) => Reply::Fault(there_is_not("subscriptions/listen")),
            // A notification that wants an answer, or what was answered above.
            (MessageBody::Cancelled(_) | MessageBody::Notification | MessageBody::Initialize { .. }, _) => {
                Reply::Fault(Fault::new(INVALID_REQUEST, "This is a notification: send it without an id"))
            }
        }
    }

    fn initialize(&mut self, requested: Option<&str>, lists_roots: bool, bounds: &Bounds<'_>) -> String {
        let newest = OLD[OLD.len() - 1];
        let version = OLD.into_iter().find(|known| Some(*known) == requested).unwrap_or(newest);
        self.old = Some(version);
        json!({
            "protocolVersion": version,
            "capabilities": { "tools": {} },
            "serverInfo": server_info(bounds.version),
            "instructions": instructions(bounds, lists_roots),
        })
        .to_string()
    }
}

/// Returns an error as JSON-RPC has it.
#[must_use]
pub fn fault_json(fault: &Fault) -> String {
    let mut error = json!({ "code": fault.code, "message": fault.message });
    if let Some(data) = &fault.data {
        error["data"] = data.clone();
    }
    error.to_string()
}

fn server_info(version: &str) -> Value {
    json!({ "name": "clada", "title": "clada", "version": version })
}

fn discovered(bounds: &Bounds<'_>) -> Map<String, Value> {
    let mut result = Map::new();
    result.insert("supportedVersions".to_owned(), json!([MODERN]));
    result.insert("capabilities".to_owned(), json!({ "tools": {} }));
    result.insert("instructions".to_owned(), instructions(bounds, false).into());
    result
}

/// Returns the instructions about all tools, which a host hands to its model. Without roots the proxy asks a host that
/// lists its folders for them, once it is initialized.
fn instructions(bounds: &Bounds<'_>, lists_roots: bool) -> String {
    let mut text = match bounds.roots {
        [] if lists_roots => {
            "The projects are the folders that the person has opened in this program.".to_owned()
        }
        [] => "No project is configured: the person has to start this server in a project, or with --root."
            .to_owned(),
        [root] => format!("The project is {root}."),
        roots => {
            let named = roots.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            let more = clada_protocol::and_more(roots.len().saturating_sub(NAMED));
            format!("The projects are {named}{more}: each call names one as `root`.")
        }
    };
    text.push_str(if bounds.read_only {
        " Files can be read and edits previewed, but not made."
    } else {
        " Change files with `edit` or `apply`: several in one call, and the person can undo each call. Some changes \
         wait for the user's approval; nothing that you can send gives it."
    });
    text
}
