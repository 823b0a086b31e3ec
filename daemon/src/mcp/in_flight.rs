//! The requests that the host still waits for, and the answers for the daemon when it goes away.
//!
//! A pure state machine: it is given what passes in both directions, and returns what to say. Must not know
//! how messages travel.

use clada_protocol::Id;
use serde_json::json;

use super::message::{Era, Kind, Request};

/// The most requests that wait at a time: far more than the daemon takes of one connection.
const MOST: usize = 1024;

const MOST_KEPT: usize = 64 * 1024;

/// The tools that change nothing: asking again is safe.
const READS: [&str; 7] = ["read", "search", "list", "preview", "embed", "changes", "instructions"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestStage {
    /// It may not have reached the daemon whole: its sender sees to it.
    Sending,
    Sent,
}

#[derive(Debug, Default)]
pub(super) struct InFlight {
    waiting: Vec<(Request, RequestStage)>,
    initialize: Option<(Id, Vec<u8>)>,
    read_only: bool,
}

impl InFlight {
    pub(super) fn new(read_only: bool) -> InFlight {
        InFlight { read_only, ..InFlight::default() }
    }

    pub(super) fn begin(&mut self, request: &Request, message: &[u8]) -> bool {
        if self.waiting.len() >= MOST {
            return false;
        }
        if matches!(request.kind, Kind::Initialize { .. }) {
            self.initialize = (message.len() <= MOST_KEPT).then(|| (request.id.clone(), message.to_vec()));
        }
        self.waiting.push((request.clone(), RequestStage::Sending));
        true
    }

    pub(super) fn sent(&mut self, id: &Id) {
        if let Some((_, stage)) = self.waiting.iter_mut().find(|(request, _)| request.id == *id) {
            *stage = RequestStage::Sent;
        }
    }

    pub(super) fn waits(&self, id: &Id) -> bool {
        self.waiting.iter().any(|(request, _)| request.id == *id)
    }

    pub(super) fn take(&mut self, id: &Id) -> Option<Request> {
        let place = self.waiting.iter().position(|(request, _)| request.id == *id)?;
        Some(self.waiting.remove(place).0)
    }

    pub(super) fn lost(&mut self) -> Vec<String> {
        let (lost, waiting) = std::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(_, stage)| *stage == RequestStage::Sent);
        self.waiting = waiting;
        let lost: Vec<(Request, RequestStage)> = lost;
        lost.into_iter().map(|(request, _)| self.lost_answer(&request)).collect()
    }

    pub(super) fn lost_answer(&self, request: &Request) -> String {
        let text = match &request.kind {
            Kind::Call { tool } if self.read_only || READS.contains(&tool.as_str()) => {
                "The daemon ended before it answered. Nothing was changed by this call: ask again."
            }
            Kind::Call { .. } => {
                "The daemon ended before it answered: it may have been done, in part too. Look with `changes` \
                 or `preview` before you repeat it."
            }
            _ => "the daemon ended before it answered: ask again",
        };
        answer(request, text)
    }

    pub(super) fn runs_any(&self) -> bool {
        let runs = |(request, stage): &(Request, RequestStage)| {
            *stage == RequestStage::Sent && request.kind != Kind::Listen
        };
        self.waiting.iter().any(runs)
    }

    pub(super) fn listening(&self) -> Vec<Id> {
        let listening = self.waiting.iter().filter(|(request, _)| request.kind == Kind::Listen);
        listening.map(|(request, _)| request.id.clone()).collect()
    }

    /// `None` while it is being sent.
    pub(super) fn replayed(&self) -> Option<(Id, Vec<u8>)> {
        let (id, message) = self.initialize.as_ref()?;
        let now = self
            .waiting
            .iter()
            .any(|(request, _)| matches!(request.kind, Kind::Initialize { .. }) && request.id == *id);
        (!now).then(|| (id.clone(), message.clone()))
    }
}

pub(super) fn answer(request: &Request, text: &str) -> String {
    let mut result = match request.kind {
        Kind::Call { .. } => json!({ "content": [{ "type": "text", "text": text }], "isError": true }),
        Kind::Listen => json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": request.id } }),
        Kind::Initialize { .. } | Kind::Other(_) => return error(&request.id, -32603, text),
    };
    if request.era == Era::Modern || request.kind == Kind::Listen {
        let server = json!({ "name": SERVER, "title": SERVER, "version": env!("CARGO_PKG_VERSION") });
        result["resultType"] = json!("complete");
        result["_meta"]["io.modelcontextprotocol/serverInfo"] = server;
    }
    // The id apart from the rest, since a value would not keep it as it was written.
    format!(r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#, request.id)
}

pub(super) fn error(id: &Id, code: i32, text: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, json!({ "code": code, "message": text }))
}

const SERVER: &str = "clada";

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::mcp::message::{Message, read};

    fn request(text: &str) -> Request {
        match read(text.as_bytes()).unwrap() {
            Message::Request(request) => request,
            other => panic!("{other:?}"),
        }
    }

    fn sent(in_flight: &mut InFlight, text: &str) {
        let request = request(text);
        assert!(in_flight.begin(&request, text.as_bytes()));
        in_flight.sent(&request.id);
    }

    const MODERN: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;

    #[test]
    fn each_kind_of_request_has_its_answer_when_the_daemon_goes_away() {
        let mut in_flight = InFlight::default();
        for text in [
            r#"{"id":1,"method":"tools/call","params":{"name":"apply"}}"#.to_owned(),
            r#"{"id":"é","method":"tools/call","params":{"name":"preview"}}"#.to_owned(),
            format!(r#"{{"id":-1.50,"method":"tools/call","params":{{"name":"stage",{MODERN}}}}}"#),
            format!(r#"{{"id":4,"method":"tools/call","params":{{"name":"changes",{MODERN}}}}}"#),
            format!(r#"{{"id":5,"method":"subscriptions/listen","params":{{{MODERN}}}}}"#),
            r#"{"id":6,"method":"initialize"}"#.to_owned(),
            format!(r#"{{"id":7,"method":"tools/list","params":{{{MODERN}}}}}"#),
        ] {
            sent(&mut in_flight, &text);
        }
        expect![[r#"
            {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"The daemon ended before it answered: it may have been done, in part too. Look with `changes` or `preview` before you repeat it."}],"isError":true}}
            {"jsonrpc":"2.0","id":"é","result":{"content":[{"type":"text","text":"The daemon ended before it answered. Nothing was changed by this call: ask again."}],"isError":true}}
            {"jsonrpc":"2.0","id":-1.50,"result":{"content":[{"type":"text","text":"The daemon ended before it answered: it may have been done, in part too. Look with `changes` or `preview` before you repeat it."}],"isError":true,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"0.1.0"}}}}
            {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"The daemon ended before it answered. Nothing was changed by this call: ask again."}],"isError":true,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"0.1.0"}}}}
            {"jsonrpc":"2.0","id":5,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":5,"io.modelcontextprotocol/serverInfo":{"name":"clada","title":"clada","version":"0.1.0"}},"resultType":"complete"}}
            {"jsonrpc":"2.0","id":6,"error":{"code":-32603,"message":"the daemon ended before it answered: ask again"}}
            {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the daemon ended before it answered: ask again"}}"#]].assert_eq(&in_flight.lost().join("\n"));
        assert_eq!(in_flight.lost(), [""; 0], "each is answered once");
    }

    #[test]
    fn with_read_only_asking_again_is_always_safe() {
        let mut in_flight = InFlight::new(true);
        sent(&mut in_flight, r#"{"id":1,"method":"tools/call","params":{"name":"apply"}}"#);
        assert!(in_flight.lost()[0].contains("ask again"));
    }

    #[test]
    fn what_was_answered_or_cancelled_is_not_answered_again() {
        let mut in_flight = InFlight::default();
        for id in [1, 2, 3] {
            sent(&mut in_flight, &format!(r#"{{"id":{id},"method":"tools/call","params":{{}}}}"#));
        }
        assert!(in_flight.take(&Id::from(1)).is_some(), "answered");
        assert!(in_flight.take(&Id::from(1)).is_none(), "an answer to what nobody waits for");
        assert!(in_flight.take(&Id::from(3)).is_some(), "cancelled");
        let lost = in_flight.lost();
        assert!(lost.len() == 1 && lost[0].contains(r#""id":2"#), "{lost:?}");
    }

    #[test]
    fn a_request_that_is_still_being_sent_is_its_senders() {
        let mut in_flight = InFlight::default();
        let text = r#"{"id":1,"method":"ping"}"#;
        assert!(in_flight.begin(&request(text), text.as_bytes()));
        assert_eq!(in_flight.lost(), [""; 0]);
        in_flight.sent(&Id::from(1));
        assert_eq!(in_flight.lost().len(), 1);
    }

    #[test]
    fn initialize_is_kept_for_the_next_daemon_once_it_was_sent() {
        let mut in_flight = InFlight::default();
        let text = r#"{"id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#;
        assert!(in_flight.begin(&request(text), text.as_bytes()));
        assert_eq!(in_flight.replayed(), None, "it is said now");
        in_flight.take(&Id::from("first"));
        assert_eq!(in_flight.replayed(), Some((Id::from("first"), text.as_bytes().to_vec())));
        let long = format!(r#"{{"id":2,"method":"initialize","params":"{}"}}"#, "x".repeat(MOST_KEPT));
        sent(&mut in_flight, &long);
        in_flight.take(&Id::from(2));
        assert_eq!(in_flight.replayed(), None);
    }

    #[test]
    fn the_number_of_requests_is_bounded() {
        let mut in_flight = InFlight::default();
        let ping = |id: usize| request(&format!(r#"{{"id":{id},"method":"ping"}}"#));
        assert!((0..MOST).all(|id| in_flight.begin(&ping(id), b"")));
        assert!(!in_flight.begin(&ping(MOST), b""));
    }
}
