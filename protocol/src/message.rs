//! Messages: requests, responses and notifications of JSON-RPC 2.0.
//!
//! The envelope only: `params` and `result` stay raw JSON until code that knows their type reads them. Input
//! is one frame, from any process. Ids are kept as they were written, so that an answer echoes `-0`, `1.50`
//! or a number beyond 64 bits exactly. Parsing does not recurse into values: depth cannot overflow the stack
//! here.

mod id;
mod incoming;
mod response;

pub use id::Id;
use id::VERSION;
pub use incoming::{Incoming, Invalid, Request, parse_frame};
pub use response::{
    NotificationParams, Response, ServerMessage, notification_json, request_json, request_json_with,
    response_json,
};
