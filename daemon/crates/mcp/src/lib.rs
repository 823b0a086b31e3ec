//! The Model Context Protocol, as far as a connection that speaks it needs it: pure functions.
//!
//! - `message`: a request or notification, read; which of the two eras of MCP it is of
//! - `session`: from a message to its answer, or to the call of a tool
//! - `tools`, `arguments`, `edit`: the tools, their schemas, and what they are called with
//! - `results`, `cut`: the results of tools, as text that has room
//! - `progress`: numbers and words of progress
//!
//! Input comes from any program that speaks for a model. Knows no sockets, no projects, and not how a tool
//! does its work: a [`Call`] holds the parameters of the method that does it.

mod arguments;
mod cut;
mod edit;
mod fault;
mod message;
mod progress;
mod results;
mod session;
mod tools;

pub use cut::cut_report;
pub use fault::{Fault, MODERN, OLD};
pub use message::{Era, Message, MessageBody, read};
pub use progress::{Beats, Step, progress_params};
pub use results::{ToolResult, cut_lines, error_text};
pub use session::{CallReply, Reply, Session, fault_json};
pub use tools::{Bounds, Call, CallFault, Search, Tool, Work};

/// The notification of progress.
pub const PROGRESS: &str = "notifications/progress";
/// The notification that a subscription is open.
pub const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
