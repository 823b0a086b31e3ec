//! The protocol that daemon and clients speak on the socket.
//!
//! Does no I/O and has no runtime. Methods are one table (`method`), kinds of failure another (`kind`): a kind
//! keeps its name and its code for ever, and `hello`, `status` and `shutdown` never change.

pub mod address;
mod discover;
mod error;
mod file_uri;
pub mod framing;
pub mod handshake;
mod kind;
pub mod message;
pub mod method;
pub mod notification;
mod params;
mod report;
pub mod root;
#[cfg(feature = "schema")]
pub mod schema;
pub mod state;
mod visible;
mod wire_type;

pub use discover::{DiscoverParams, DiscoverResult, OPENRPC};
pub use error::RpcError;
pub use file_uri::path_from_file_uri;
pub use handshake::CallerKind;
pub use kind::ErrorKind;
pub use message::{Id, Response};
pub use method::{METHODS, Method, MethodInfo};
pub use params::*;
pub use report::{
    CommandOutput, ErrorDetail, Moment, NO_BLOCKS, ReportStyle, Unapproved, Verbosity, and_more,
    approval_text, approvals_text, change_text, changed_text, checkpoints_text, choice_line, count_of,
    embed_issues_text, embed_question, embed_summary_text, execution_for_model, execution_text,
    execution_xml, history_text, how_to_approve, hunk_text, operation_html, operation_text, parse_text,
    plan_for_model, plan_text, planned_approval_text, problems_text, proposal_line, proposal_notice,
    proposal_text, proposals_diff, proposals_text, recorded_line, shown_id, squash_text, step_text,
    undo_text, visible_diff, waiting_text, without_person_hint, xml_entity,
};
pub use visible::{
    fence_around, is_suspicious, shell_word, visible_block, visible_json, visible_line, visible_path,
    visible_tags,
};
