//! The answer to a request, from its handler's end to its bytes on a connection.

use clada_mcp::{Fault, fault_json};
use clada_protocol::message::response_json;
use clada_protocol::{ErrorKind, Id, RpcError};
use futures_util::future::BoxFuture;
use jsonrpsee::core::server::MethodResponse;

use super::cancel::{CancelReason, CancelToken};
use super::outgoing::Outgoing;
use super::standing::HeldBytes;

pub(super) const INLINE: usize = 64 * 1024;

/// The beginning of every answer of jsonrpsee, with `null` in place of the id of the request.
const ANSWER_HEAD: &str = r#"{"jsonrpc":"2.0","id":null,"#;

#[derive(Debug)]
pub(super) struct RpcAnswer {
    pub(super) id: Option<Id>,
    pub(super) body: AnswerContent,
    /// On a connection that speaks MCP: its request, for which nothing is sent once it is cancelled.
    pub(super) of: Option<CancelToken>,
    pub(super) _kept: Option<HeldBytes>,
}

#[derive(Debug)]
pub(super) enum AnswerContent {
    Module(MethodResponse),
    Error(RpcError),
    Mcp(Result<String, String>),
}

pub(super) struct BegunRequest {
    pub(super) answer: BoxFuture<'static, RpcAnswer>,
    pub(super) cancel: CancelToken,
    pub(super) changes_files: bool,
}

impl RpcAnswer {
    pub(super) fn error(id: Option<Id>, error: RpcError) -> RpcAnswer {
        RpcAnswer { id, body: AnswerContent::Error(error), of: None, _kept: None }
    }

    pub(super) fn of_mcp(
        id: Option<Id>,
        outcome: Result<String, String>,
        of: Option<CancelToken>,
    ) -> RpcAnswer {
        RpcAnswer { id, body: AnswerContent::Mcp(outcome), of, _kept: None }
    }

    pub(super) fn fault(id: Option<Id>, fault: &Fault) -> RpcAnswer {
        RpcAnswer::of_mcp(id, Err(fault_json(fault)), None)
    }

    fn is_unwanted(&self) -> bool {
        self.of.as_ref().is_some_and(|of| of.reason() == Some(CancelReason::Requested))
    }

    pub(super) fn send(self, out: &mut Outgoing) {
        match (&self.id, self.body) {
            (Some(id), AnswerContent::Module(response))
                if response.as_ref().len() > INLINE && response.as_ref().starts_with(ANSWER_HEAD) =>
            {
                let head = format!(r#"{{"jsonrpc":"2.0","id":{},"#, id.as_json());
                let body = Box::<str>::from(response.into_json()).into_string().into_bytes();
                out.large_message(head.as_bytes(), body, ANSWER_HEAD.len());
            }
            (_, body) => {
                let answer = RpcAnswer { id: self.id, body, of: self.of, _kept: None };
                out.message(|bytes| answer.append_to(bytes));
            }
        }
    }

    pub(super) fn append_to(&self, out: &mut Vec<u8>) -> bool {
        let Some(id) = self.id.as_ref().filter(|_| !self.is_unwanted()) else { return false };
        match &self.body {
            AnswerContent::Mcp(outcome) => {
                let (member, json) = match outcome {
                    Ok(json) => ("result", json),
                    Err(json) => ("error", json),
                };
                let id = id.as_json();
                out.extend_from_slice(
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":{json}}}"#).as_bytes(),
                );
            }
            AnswerContent::Error(error) => out.extend_from_slice(response_json(id, Err(error)).as_bytes()),
            AnswerContent::Module(response) => match response.as_ref().strip_prefix(ANSWER_HEAD) {
                Some(rest) => {
                    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
                    out.extend_from_slice(id.as_json().as_bytes());
                    out.push(b',');
                    out.extend_from_slice(rest.as_bytes());
                }
                None => {
                    let error = RpcError::new(ErrorKind::Internal, "the answer has an unexpected form");
                    out.extend_from_slice(response_json(id, Err(&error)).as_bytes());
                }
            },
        }
        true
    }
}
