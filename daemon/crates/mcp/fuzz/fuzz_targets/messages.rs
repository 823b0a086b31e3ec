//! Messages of MCP: whatever lines come, each request has one answer that is JSON, and notifications have none.
//!
//! `cargo +nightly fuzz run messages --fuzz-dir daemon/crates/mcp/fuzz -- -dict=daemon/crates/mcp/fuzz/messages.dict`

#![no_main]

use clada_mcp::{Bounds, Reply, Session, ToolResult, cut_report, fault_json, read};
use clada_protocol::message::{Incoming, parse_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let roots = ["/project".to_owned()];
    let bounds = Bounds { version: "1", roots: &roots, read_only: bytes.first() == Some(&b' '), all_tools: true };
    let mut session = Session::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        let members = match parse_frame(line, 16) {
            Incoming::Single(one) => vec![one],
            Incoming::Batch(members) => members,
        };
        for request in members.into_iter().flatten() {
            let message = read(&request.method, request.params.map(|params| params.get()));
            let reply = session.answer(request.id.as_ref(), message, &bounds);
            let json = match reply {
                Reply::Nothing | Reply::Cancel(_) => {
                    assert!(request.id.is_none());
                    continue;
                }
                Reply::Result(json) => json,
                Reply::Fault(fault) => fault_json(&fault),
                Reply::Call { call, reply, .. } => {
                    assert!(call.tool.is_for(bounds.read_only));
                    reply.json(ToolResult::failed(cut_report(&String::from_utf8_lossy(bytes), 400)))
                }
                Reply::Listen { closing, .. } => closing,
            };
            assert!(request.id.is_some());
            assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok_and(|value| value.is_object()));
        }
    }
});
