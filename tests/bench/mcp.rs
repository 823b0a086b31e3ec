//! `tools/call preview` of an agent beside `plan` on the socket, of the same answer.

use serde_json::{Value, json};

use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Connection, Place};

const ROUNDS: usize = 60;
const ASKED: usize = 20;
const FILES: usize = 20;

pub(crate) fn run() {
    println!("a preview of an answer with {FILES} edits, {ASKED} times a run:");
    let place = Place::new();
    let mut answer = String::from("*** Begin Patch\n");
    for number in 0..FILES {
        let lines: String = (0..200).map(|line| format!("line {line} of file {number}\n")).collect();
        std::fs::write(place.project().join(format!("f{number}.txt")), lines).expect("a file");
        answer.push_str(&format!(
            "*** Update File: f{number}.txt\n line 99 of file {number}\n-line 100 of file {number}\n+changed\n"
        ));
    }
    answer.push_str("*** End Patch\n");
    let _daemon = place.daemon();
    let roots = json!([place.project()]);
    let line = |method: &str, params: Value| {
        format!("{}\n", json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })).into_bytes()
    };
    let mut agent = Connection::open(&place.socket());
    agent.ask(&line("hello", json!({ "caller": "agent", "roots": roots })));
    let mut host = Connection::open(&place.socket());
    host.ask(&line("hello", json!({ "caller": "agent", "roots": roots, "speaks": "mcp" })));
    host.ask(&line("initialize", json!({ "protocolVersion": "2025-11-25" })));
    let plan = line("plan", json!({ "root": place.project(), "text": answer }));
    let with_report = line("plan", json!({ "root": place.project(), "text": answer, "reports": ["llm"] }));
    let preview = line("tools/call", json!({ "name": "preview", "arguments": { "text": answer } }));
    let said = String::from_utf8(host.ask(&preview)).expect("text");
    assert!(said.contains(r#""isError":false"#) && said.contains("+changed"), "{said}");

    let mut of_plan = Series::new("plan");
    let mut of_report = Series::new("plan, with its report");
    let mut of_preview = Series::new("tools/call preview");
    for round in 0..ROUNDS {
        of_plan.time(|| (0..ASKED).for_each(|_| drop(agent.ask(&plan))));
        of_report.time(|| (0..ASKED).for_each(|_| drop(agent.ask(&with_report))));
        of_preview.time(|| (0..ASKED).for_each(|_| drop(host.ask(&preview))));
        // The first round fills caches.
        if round == 0 {
            [&mut of_plan, &mut of_report, &mut of_preview].into_iter().for_each(Series::forget);
        }
    }
    print(&[&of_plan, &of_report, &of_preview]);
    verdict("tools/call preview against plan", ratio(&of_preview, &of_plan), "", 1.2);
}
