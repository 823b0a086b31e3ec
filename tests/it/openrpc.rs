//! The document of the protocol against a real daemon: what it calls valid is taken, what it calls invalid is
//! refused, and every result, error and notification is as it says.
//!
//! The same checks go over each of the ways to talk.

use std::collections::BTreeSet;

use clada_protocol::{ErrorKind, METHODS};
use expect_test::expect;
use serde_json::{Map, Value, json};

use crate::commands::run;
use crate::git::repository;
use crate::support::{Answer, Document, Speaker, Way, World};

/// Calls that are held against the document.
struct Checked {
    document: Document,
    way: Way,
    speaker: Speaker,
    last_id: u64,
    /// The methods that succeeded.
    answered: BTreeSet<String>,
    /// The notifications that came.
    told: BTreeSet<String>,
}

impl Checked {
    fn new(world: &World, way: Way) -> Checked {
        world.status();
        let (document, speaker) = (Document::current(), Speaker::new(&world.socket(), way));
        Checked { document, way, speaker, last_id: 0, answered: BTreeSet::new(), told: BTreeSet::new() }
    }

    /// True if a method can have a result this way: over HTTP a subscription is its request, which has no
    /// end.
    fn carries(&self, method: &str) -> bool {
        self.way != Way::Http || !matches!(method, "subscribe" | "unsubscribe")
    }

    /// Calls a method: its result, or its error object.
    fn try_call(&mut self, method: &str, params: &Value) -> Result<Value, Value> {
        self.last_id += 1;
        let request = json!({ "jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params });
        let mut messages = self.speaker.exchange(&request);
        let mut response = messages.pop().unwrap();
        assert_eq!(response["id"], self.last_id, "{response}");
        for message in &messages {
            let name = message["method"].as_str().unwrap();
            let told = self.document.notification(name);
            self.fits(&told["params"], &message["params"], name);
            // A subscription outlives its request.
            if name != "event" {
                let of = told["x-methods"].as_array().unwrap();
                assert!(of.contains(&json!(method)), "{name} comes with {method}");
                assert_eq!(message["params"]["request"], self.last_id, "{message}");
            }
            self.told.insert(name.to_owned());
        }
        let described = self.document.method(method);
        if let Some(error) = response.get_mut("error") {
            self.fits(self.document.of_type("RpcError"), &without_facts(error), method);
            let kind = error["data"]["kind"].as_str().unwrap();
            assert_eq!(error["code"], self.document.of_type("ErrorKind")["x-codes"][kind], "{error}");
            let path = json!({ "$ref": format!("#/components/errors/{kind}") });
            let errors = described["errors"].as_array().unwrap();
            assert!(
                errors.contains(&path),
                "{method} fails with {kind}, which the document does not tell: {error}"
            );
            return Err(error.take());
        }
        self.fits(&described["result"]["schema"], &response["result"], method);
        self.answered.insert(method.to_owned());
        Ok(response["result"].take())
    }

    fn fits(&self, schema: &Value, value: &Value, what: &str) {
        let faults = self.document.faults(schema, value);
        assert!(faults.is_empty(), "{what} is not as the document says: {faults:#?}\n{value:#}");
    }

    /// The result of a method that succeeds. Its parameters have to be valid.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        for (name, value) in params.as_object().unwrap() {
            let params = self.document.method(method)["params"].as_array().unwrap();
            let param = params.iter().find(|param| param["name"] == *name).unwrap();
            self.fits(&param["schema"], value, &format!("{method}'s {name}"));
        }
        if !self.carries(method) {
            return Value::Null;
        }
        self.try_call(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }
}

/// An error without the facts that only its kind knows.
fn without_facts(error: &Value) -> Value {
    let data = error["data"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| matches!(name.as_str(), "kind" | "hint"));
    let data: Map<_, _> = data.map(|(name, fact)| (name.clone(), fact.clone())).collect();
    json!({ "code": error["code"], "message": error["message"], "data": data })
}

/// The least that a method takes, about a project that is not there: nothing is done.
fn least(document: &Document, method: &Value) -> Map<String, Value> {
    let params = method["params"].as_array().unwrap().iter().filter(|param| param["required"] == true);
    let value = |param: &Value| match param["name"].as_str().unwrap() {
        "root" => "/nowhere/at/all".into(),
        _ => document.samples(&param["schema"])[0].clone(),
    };
    params.map(|param| (param["name"].as_str().unwrap().to_owned(), value(param))).collect()
}

/// Every method with each value that the document calls valid, and with what it calls invalid.
fn assert_params(way: Way) {
    let world = World::new();
    let mut checked = Checked::new(&world, way);
    let methods = checked.document.methods().to_vec();
    let (mut taken, mut refused) = (0, 0);
    let odd = [
        Value::Null,
        json!(true),
        json!(1),
        json!(-1),
        json!(1.5),
        json!(1_u64 << 33),
        json!("no such word"),
        json!([]),
        json!([1]),
        json!({}),
        json!({ "no such member": 1 }),
    ];
    for method in &methods {
        let name = method["name"].as_str().unwrap();
        if name == "shutdown" || !checked.carries(name) {
            continue;
        }
        let least = least(&checked.document, method);
        let mut refuses = |checked: &mut Checked, params: Value| {
            let Err(error) = checked.try_call(name, &params) else { panic!("{name} takes {params}") };
            assert_eq!(error["data"]["kind"], ErrorKind::InvalidParams.name(), "{name}, {params}: {error}");
            refused += 1;
        };
        let mut unknown = least.clone();
        unknown.insert("no such parameter".to_owned(), json!(1));
        refuses(&mut checked, unknown.into());
        for required in least.keys() {
            let mut without = least.clone();
            without.remove(required);
            refuses(&mut checked, without.into());
        }
        for param in method["params"].as_array().unwrap() {
            let given = param["name"].as_str().unwrap();
            let with = |value: &Value| {
                let mut params = least.clone();
                params.insert(given.to_owned(), value.clone());
                Value::from(params)
            };
            for value in &odd {
                if !checked.document.faults(&param["schema"], value).is_empty() {
                    refuses(&mut checked, with(value));
                }
            }
            for value in checked.document.samples(&param["schema"]) {
                let faults = checked.document.faults(&param["schema"], &value);
                assert!(faults.is_empty(), "{name}, {given}: {faults:?}");
                // What is not meant so is an error of its own; what is not read as it stands begins so.
                if given != "root"
                    && let Err(error) = checked.try_call(name, &with(&value))
                {
                    let message = error["message"].as_str().unwrap();
                    assert!(!message.starts_with(&format!("{name}: `{given}`: ")), "{value}: {message}");
                }
                taken += 1;
            }
        }
        if name == "hello" {
            // It has narrowed the connection.
            checked.speaker = Speaker::new(&world.socket(), way);
        }
    }
    assert!(taken > 300 && refused > 800, "{taken} values were valid and {refused} invalid");
}

/// Every method, once at least so that it succeeds.
fn assert_results(way: Way) {
    let Some(world) = repository("mcp: {approvals: wait}\n") else { return };
    let world = &world;
    let mut checked = Checked::new(world, way);
    let root = world.root();
    let of = |more: Value| {
        let mut params = json!({ "root": root });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let about = of(json!({}));
    checked.call("hello", &json!({ "client": "test 1", "protocol": [1, 1], "features": ["batch"] }));
    checked.call("status", &json!({}));
    let document = checked.call("rpc.discover", &json!({}));
    assert_eq!(document["methods"].as_array().unwrap(), checked.document.methods());
    for name in ["config.show", "instructions"] {
        checked.call(name, &json!({}));
        checked.call(name, &about);
    }
    checked.call("config.show", &json!({ "defaults": true }));
    checked.call("config.show", &json!({ "key": "git.mode" }));
    checked.call("config.set", &of(json!({ "key": "match", "value": "exact", "umask": 0o22 })));
    checked.call("doctor", &of(json!({ "settings": { "exec.sandbox": "off" } })));
    checked.call("config.unset", &of(json!({ "key": "match" })));
    checked.call("config.init", &json!({}));
    sessions(&mut checked, &of, world);
    approvals(&mut checked, &of, world);
    operations(&mut checked, &of, world);
    checked.call("git.squash", &of(json!({ "mode": "auto_ai", "message": "one" })));
    checked.call("git.step_back", &about);
    checked.call("git.step_forward", &about);
    checked.call("approve.add", &of(json!({ "command": "cargo test", "program": "/usr/bin/true" })));
    checked.call("approve.list", &about);
    checked.call("approve.remove", &of(json!({ "command": "cargo test" })));
    checked.call("project.init", &of(json!({ "umask": 0o22 })));
    world.lay(".clada/config.yaml", "limits: {max_file_size: 12MB}\n");
    let shown = checked.call("trust.show", &about);
    checked.call("trust.add", &of(json!({ "hash": shown["hash"] })));
    checked.call("trust.remove", &about);
    projects(&mut checked, &of, world);
    let shutdown = || {
        checked.call("shutdown", &json!({}));
        Ok(())
    };
    World::end(&world.status(), shutdown).unwrap();
    let all: BTreeSet<_> = METHODS.iter().map(|method| method.name.to_owned()).collect();
    let carried = all.into_iter().filter(|name| checked.carries(name)).collect();
    assert_eq!(checked.answered, carried);
    // That a request waits takes a second one: `daemon_life` tests it.
    let told: Vec<_> = checked.told.iter().map(String::as_str).collect();
    let event = checked.carries("subscribe").then_some("event");
    assert_eq!(told, ["embed.event"].into_iter().chain(event).chain(["execute.event"]).collect::<Vec<_>>());
}

fn sessions(checked: &mut Checked, of: &dyn Fn(Value) -> Value, world: &World) {
    world.lay("context/a.txt", "a\n");
    checked.call("session.open", &of(json!({ "session": "one" })));
    checked.call("session.set_cwd", &of(json!({ "session": "one", "cwd": "context" })));
    checked.call("session.get", &of(json!({ "session": "one" })));
    for method in ["context.add", "context.remove", "context.add"] {
        checked.call(method, &of(json!({ "session": "one", "paths": ["context", "context/a.txt"] })));
    }
    checked.call("context.list", &of(json!({ "session": "one" })));
    let params =
        json!({ "session": "one", "sessionContext": true, "paths": ["."], "stream": true, "tokens": true });
    checked.call("embed", &of(params));
    checked.call(
        "embed",
        &of(json!({ "paths": ["context", "nothing"], "errorMode": "ignore", "format": "json" })),
    );
    checked.call("embed", &of(json!({ "changed": true, "treeOnly": true })));
    checked.call("context.prune", &of(json!({ "session": "one" })));
    checked.call("context.clear", &of(json!({ "session": "one" })));
    checked.call("session.list", &of(json!({})));
    checked.call("session.close", &of(json!({ "session": "one" })));
}

fn approvals(checked: &mut Checked, of: &dyn Fn(Value) -> Value, world: &World) {
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    let params = of(json!({ "text": run("echo hello").text() }));
    let executing = std::thread::spawn(move || agent.call("execute", &params));
    let id = loop {
        let listed = checked.call("approval.list", &of(json!({})));
        if let Some(waiting) = listed["approvals"].as_array().unwrap().first() {
            break waiting["id"].clone();
        }
    };
    checked.call("approval.answer", &json!({ "id": id, "decision": "no" }));
    executing.join().unwrap();
}

fn operations(checked: &mut Checked, of: &dyn Fn(Value) -> Value, world: &World) {
    world.lay("text.txt", "one\ntwo\nthree\n");
    let answer = Answer::new()
        .replace(&world.at("text.txt"), "two", "2")
        .write(&world.at("new/file.txt"), "new\n")
        .write(&world.at("Makefile"), "all:\n")
        .read(&world.at("text.txt"))
        .replace(&world.at("text.txt"), "nowhere", "x");
    let prose = "```diff\n@@ -1 +1 @@\n-one\n+1\n```\n\nChange `a` in text.txt to `b`.\n";
    let text = format!("{}\n{prose}\n#!SHAM [@three-char-SHA-256: xyz]\naction = \"zzz\"\n", answer.text());
    let reports = json!(["text", "llm", "xml"]);
    checked.call("parse", &json!({ "text": text, "tree": true }));
    checked.call("parse", &of(json!({ "text": text, "reports": ["text"] })));
    let overlays = json!([{ "path": "text.txt", "text": "one\ntwo\nfour\n" }]);
    let planned = checked.call("plan", &of(json!({ "text": text, "overlays": overlays })));
    assert_eq!(planned["kept"], 1);
    let edits = checked.call("execute", &of(json!({ "planId": planned["planId"], "deliver": "edits" })));
    assert!(!edits["edits"]["documentChanges"].as_array().unwrap().is_empty(), "{edits:#}");
    let (place, by_user) = (json!({ "start": 1, "removed": ["two\n"], "added": ["2\n"] }), json!(["zwei\n"]));
    let mut edited = json!({ "part": "a1", "lines": by_user });
    edited.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
    let planned_by_user =
        checked.call("plan", &of(json!({ "planId": planned["planId"], "edited": [edited] })));
    assert!(planned_by_user["actions"][0]["unplannable"].is_null(), "{planned_by_user:#}");
    let uri = format!("file://{}", world.at("text.txt"));
    let own = Answer::new().replace(&world.at("text.txt"), "three", "3");
    let of_editor = checked.call("plan", &of(json!({ "text": own.text() })));
    let handed = checked.call(
        "execute",
        &of(json!({ "planId": of_editor["planId"], "deliver": "mixed", "edits": [uri], "saves": [uri], "owner": std::process::id() })),
    );
    assert_eq!(handed["open"], true, "{handed:#}");
    checked.call("execute.saved", &of(json!({ "operation": handed["operationId"], "unsaved": [uri] })));
    let texts = json!([
        { "before": "a\nb\nc\nd\n", "after": "A\nb\nc\nd\n", "now": "A\nb\nc\nd\ne\n" },
        { "before": "a\n", "after": "A\n", "now": "B\n" },
    ]);
    let merged = checked.call("text.merge", &json!({ "texts": texts }));
    assert_eq!(merged, json!({ "texts": ["a\nb\nc\nd\ne\n", null] }));
    let dropped = checked.call("plan.drop", &of(json!({ "planId": planned["planId"] })));
    assert_eq!(dropped, json!({ "dropped": true }));
    checked.call("execute", &of(json!({ "text": text, "dryRun": true, "reports": reports })));
    let command = run("echo hello").text().to_owned();
    let params = json!({ "text": command, "approve": "all", "stream": true, "reports": reports });
    checked.call("execute", &of(params));
    let done =
        checked.call("execute", &of(json!({ "text": answer.text(), "approve": [], "reports": reports })));
    let id = &done["operationId"];
    checked.call("execute", &of(json!({ "resume": id })));
    checked.call("history.list", &of(json!({ "limit": 5 })));
    checked.call("history.show", &of(json!({ "operation": id, "diff": true })));
    checked.call("undo", &of(json!({ "operation": id, "dryRun": true, "reports": ["text"] })));
    let undone = checked.call("undo", &of(json!({ "operation": id, "merge": true, "reports": ["text"] })));
    checked.call("redo", &of(json!({ "operation": undone["operationId"], "reports": ["text"] })));
    let begun = checked.call("checkpoint.begin", &of(json!({ "name": "n", "session": "s", "ttlMs": 60000 })));
    world.lay("recorded.txt", "recorded\n");
    checked.call("checkpoint.list", &of(json!({})));
    checked.call("checkpoint.end", &of(json!({ "checkpoint": begun["checkpoint"], "keep": true })));
    checked.call("checkpoint.drop", &of(json!({ "checkpoint": begun["checkpoint"] })));
    // Adopting a history needs a folder that was moved and another one in its place.
    let moved = world.path("moved");
    std::fs::rename(world.project(), &moved).unwrap();
    std::fs::create_dir(world.project()).unwrap();
    checked.call("history.adopt", &of(json!({ "from": world.root() })));
    std::fs::remove_dir(world.project()).unwrap();
    std::fs::rename(&moved, world.project()).unwrap();
    checked.call("history.forget", &of(json!({ "confirm": true })));
    checked.call("history.forget", &json!({ "all": true }));
    let again = Answer::new().write(&world.at("another.txt"), "another\n");
    checked.call("execute", &of(json!({ "text": again.text() })));
}

fn projects(checked: &mut Checked, of: &dyn Fn(Value) -> Value, world: &World) {
    let watched = checked.call("project.watch", &of(json!({})));
    let subscribed = checked.call("subscribe", &of(json!({ "kinds": ["changed", "executed"] })));
    let answer = Answer::new().write(&world.at("told.txt"), "told\n");
    checked.call("execute", &of(json!({ "text": answer.text() })));
    checked.call("project.changes", &of(json!({ "since": watched["clock"] })));
    checked.call("project.list", &json!({}));
    checked.call("project.root", &json!({ "path": world.root() }));
    // Until the subscriber was told.
    while checked.carries("subscribe") && !checked.told.contains("event") {
        checked.call("status", &json!({}));
    }
    if checked.carries("unsubscribe") {
        checked.call("unsubscribe", &json!({ "subscription": subscribed["subscription"] }));
    }
    checked.call("stage", &of(json!({ "dryRun": true })));
    let staged = checked.call("stage", &of(json!({ "confirm": true, "manifest": "json" })));
    checked.call("stage.confirm", &of(json!({ "stagingDir": staged["stagingDir"] })));
    let copy = staged["copied"].as_array().unwrap().iter().find(|copy| copy["path"] == "told.txt").unwrap();
    let copy = format!("{}/{}", staged["stagingDir"].as_str().unwrap(), copy["name"].as_str().unwrap());
    std::fs::write(&copy, "edited\n").unwrap();
    checked.call("stage.write_back", &of(json!({ "paths": [copy], "dryRun": true })));
    checked.call("stage.write_back", &of(json!({ "paths": [copy] })));
    checked.call("project.unwatch", &of(json!({})));
}

#[test]
fn params_over_lines_are_as_the_document_says() {
    assert_params(Way::Lines);
}

#[test]
fn results_over_lines_are_as_the_document_says() {
    assert_results(Way::Lines);
}

#[test]
fn params_over_headers_are_as_the_document_says() {
    assert_params(Way::Headers);
}

#[test]
fn results_over_headers_are_as_the_document_says() {
    assert_results(Way::Headers);
}

#[test]
fn params_over_http_are_as_the_document_says() {
    assert_params(Way::Http);
}

#[test]
fn results_over_http_are_as_the_document_says() {
    assert_results(Way::Http);
}

#[test]
fn http_refuses_subscriptions_that_no_answer_can_carry() {
    let world = World::new();
    world.status();
    let mut speaker = Speaker::new(&world.socket(), Way::Http);
    for (method, params) in
        [("subscribe", json!({ "root": world.root() })), ("unsubscribe", json!({ "subscription": "1" }))]
    {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let answer: Value = serde_json::from_str(&speaker.ask(&request.to_string(), usize::MAX)).unwrap();
        assert_eq!(answer["error"]["data"]["kind"], "invalid_params", "{answer}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("over HTTP"), "{answer}");
    }
}

#[test]
fn what_is_not_as_the_document_says_is_seen() {
    let document = Document::current();
    let mut seen = String::new();
    for (name, value) in [
        ("Position", json!({ "line": 1, "character": 0 })),
        ("Position", json!({ "line": -1, "character": 1_u64 << 32 })),
        ("Position", json!({ "line": "1", "column": 0 })),
        ("LineEnds", json!("cr")),
        ("ErrorKind", json!("no_such_kind")),
        ("Approve", json!(["a", 1])),
        (
            "WorkspaceEdit",
            json!({ "documentChanges": [{ "kind": "create", "uri": "file:///a", "text": "" }] }),
        ),
        ("TextDocument", json!({ "uri": "file:///a" })),
        ("TextDocument", json!({ "uri": "file:///a", "version": null })),
        ("PlannedFile", json!({ "path": "a", "uri": "", "kind": "move", "oldPath": null, "hunks": [] })),
    ] {
        seen += &format!("{name} {value}\n");
        for fault in document.faults(document.of_type(name), &value) {
            seen += &format!("  {fault}\n");
        }
    }
    expect![[r#"
        Position {"line":1,"character":0}
        Position {"line":-1,"character":4294967296}
          /line: it is below 0: -1
          /character: it is above 4294967295: 4294967296
        Position {"line":"1","column":0}
          /line: it is no "integer": "1"
          : `column` is not in the document
          : `character` is missing
        LineEnds "cr"
          : it is none of these: [[": it is not \"lsp\": \"cr\""], [": it is not \"lf\": \"cr\""]]: "cr"
        ErrorKind "no_such_kind"
          : it is no such word: "no_such_kind"
        Approve ["a",1]
          : it is none of these: [[": it is no \"string\": [\"a\",1]", ": it is not \"listed\": [\"a\",1]"], [": it is no \"string\": [\"a\",1]", ": it is not \"all\": [\"a\",1]"], ["/1: it is no \"string\": 1"]]: ["a",1]
        WorkspaceEdit {"documentChanges":[{"kind":"create","uri":"file:///a","text":""}]}
          /documentChanges/0: it is none of these: [[": `kind` is not in the document", ": `uri` is not in the document", ": `text` is not in the document", ": `textDocument` is missing", ": `edits` is missing"], [": `uri` is not in the document", ": `text` is not in the document", ": `oldUri` is missing", ": `newUri` is missing"], [": `text` is not in the document"]]: {"kind":"create","uri":"file:///a","text":""}
        TextDocument {"uri":"file:///a"}
          : `version` is missing
        TextDocument {"uri":"file:///a","version":null}
        PlannedFile {"path":"a","uri":"","kind":"move","oldPath":null,"hunks":[]}
          /oldPath: it is no "string": null
    "#]].assert_eq(&seen);
}
