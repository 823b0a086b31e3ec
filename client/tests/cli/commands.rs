//! The smaller commands against a daemon.

use expect_test::expect;
use serde_json::json;

use crate::fake::{Fake, Fixture, Reply, run};

#[test]
fn status_in_one_round_trip() {
    let fixture = Fixture::new();
    let fake =
        Fake::serve(&fixture, |_, _| Reply::Result(json!({"version": "9\n", "pid": 5, "uptimeMs": 1000})));
    let ran = run(&mut fixture.client(&["status"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("clada-daemon 9\\n, pid 5, up 1 s\n"), "{}", ran.stdout);
    assert_eq!(fake.methods(), ["hello", "status"]);
    let ran = run(&mut fixture.client(&["--json", "status"]));
    assert_eq!(ran.stdout, "{\"version\":\"9\\n\",\"pid\":5,\"uptimeMs\":1000}\n");
}

#[test]
fn answers_out_of_order_are_kept_apart() {
    let fixture = Fixture::new();
    let hello =
        r#"{"jsonrpc":"2.0","id":1,"result":{"server":"x","version":"0.1.0","protocol":1,"features":[]}}"#;
    let status = r#"{"jsonrpc":"2.0","id":2,"result":{"pid":5}}"#;
    let listener = std::os::unix::net::UnixListener::bind(fixture.socket()).unwrap();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]).unwrap();
        write!(stream, "{status}\n{hello}\n").unwrap();
    });
    let ran = run(&mut fixture.client(&["status", "--json"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "{\"pid\":5}\n"));
}

#[test]
fn call_prints_the_result_and_its_errors() {
    let fixture = Fixture::new();
    let fake = Fake::serve(&fixture, |method, _| match method {
        "session.get" => Reply::Result(json!({"session": "default"})),
        _ => Reply::Error(
            json!({"code": -32601, "message": "no such\u{7} method", "data": {"kind": "method_not_found", "hint": "look"}}),
        ),
    });
    let ran = run(&mut fixture.client(&["call", "session.get", r#"{"root": "/p"}"#]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "{\"session\":\"default\"}\n"));
    assert_eq!(fake.params("session.get"), json!({"root": "/p"}));
    let ran = run(&mut fixture.client(&["call", "nothing"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (1, "clada: no such\\u{7} method\n  look\n"));
    let ran = run(&mut fixture.client(&["call", "nothing", "--json"]));
    assert!(ran.stderr.starts_with(r#"{"error":{"code":-32601"#), "{}", ran.stderr);
    assert_eq!(run(&mut fixture.client(&["call", "session.get", "[1]"])).code, 2);
}

#[test]
fn regression_call_hands_on_what_was_written() {
    let fixture = Fixture::new();
    let listener = std::os::unix::net::UnixListener::bind(fixture.socket()).unwrap();
    let heard = std::thread::spawn(move || {
        use std::io::{BufRead, BufReader, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
        let hello = lines.next().unwrap();
        assert!(hello.contains("hello"), "{hello}");
        let hello = r#"{"jsonrpc":"2.0","id":1,"result":{"server":"x","version":"0.1.0","protocol":1,"features":[]}}"#;
        writeln!(stream, "{hello}").unwrap();
        let request = lines.next().unwrap();
        writeln!(stream, r#"{{"jsonrpc":"2.0","id":2,"result":12345678901234567890123.10}}"#).unwrap();
        request
    });
    let params = "{\"a\": 1,\n \"a\": 123456789012345678901234567890.0100,\r\n \"é\": \"\\n\\u001b\"}";
    let ran = run(&mut fixture.client(&["call", "anything", params]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "12345678901234567890123.10\n"));
    let request = heard.join().unwrap();
    let line = params.replace(['\n', '\r'], " ");
    assert!(request.ends_with(&format!(r#""params":{line}}}"#)), "{request}");
    for bad in ["[1]", "1", "", "{", "{\"a\": \"\n\"}", "{} {}"] {
        assert_eq!(run(&mut fixture.client(&["call", "anything", bad])).code, 2, "{bad}");
    }
}

#[test]
fn regression_json_on_a_terminal_cannot_speak_to_it() {
    let fixture = Fixture::new();
    Fake::serve(&fixture, |_, _| Reply::Result(json!({"pid": 5, "x": "\u{9b}2J\u{202e}é"})));
    for args in [&["call", "any"][..], &["status", "--json"]] {
        let raw = run(&mut fixture.client(args));
        assert!(raw.stdout.contains("\u{9b}2J\u{202e}é"), "{raw:?}");
        let Some(terminal) = crate::terminal::Terminal::open() else { return };
        let child = terminal.start_whole(&fixture.client(args), b"");
        assert_eq!(terminal.close(), raw.stdout.replace('\u{9b}', "\\u009b").replace('\u{202e}', "\\u202e"));
        assert_eq!(crate::fake::finish(child).code, 0);
    }
}

#[test]
fn instructions_and_config() {
    let fixture = Fixture::new();
    let fake = Fake::serve(&fixture, |method, _| match method {
        "instructions" => Reply::Result(json!({"dialect": "sham", "text": "say\nthis"})),
        _ => Reply::Result(json!({
            "settings": [{"key": "durability", "value": "full", "origin": "default"},
                {"key": "denied", "value": ["a"], "origin": "/x\n", "default": []}],
            "warnings": ["odd"],
            "broken": true,
        })),
    });
    let ran =
        run(&mut fixture.client(&["instructions", "--for", "system", "--dialect", "sham", "--all-actions"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "say\nthis\n"));
    assert_eq!(
        fake.params("instructions"),
        json!({"dialect": "sham", "root": fixture.project(), "for": "system", "allActions": true})
    );
    let ran = run(&mut fixture.client(&["config", "--all"]));
    assert_eq!(ran.stdout, "durability: full  # default\ndenied: [\"a\"]     # \"/x\\n\"\n");
    assert_eq!((ran.code, ran.stderr.as_str()), (1, "warning: odd\n"));
    let ran = run(&mut fixture.client(&["config"]));
    assert_eq!(ran.stdout, "denied: [\"a\"]  # \"/x\\n\"\n");
    let other = "the other 1 settings have their default; `config --all` lists them\nwarning: odd\n";
    assert_eq!((ran.code, ran.stderr.as_str()), (1, other));
    assert_eq!(fake.params("config.show"), json!({"root": fixture.project()}));
}

#[test]
fn the_end_of_the_log_is_shown_with_nothing_hidden() {
    let fixture = Fixture::new();
    let log = fixture.path("some.log");
    std::fs::write(&log, "one\ntwo\u{1b}[2J\nthree\n").unwrap();
    Fake::serve(&fixture, move |_, _| Reply::Result(json!({"logFile": log})));
    let ran = run(&mut fixture.client(&["log", "-n", "2"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "two\\u{1b}[2J\nthree\n"));
}

#[test]
fn a_log_that_is_not_there_is_named() {
    let fixture = Fixture::new();
    let mut client = fixture.client(&["log"]);
    let ran = run(client.env("XDG_STATE_HOME", fixture.path("state")));
    assert_eq!(ran.code, 1);
    expect![[r#"
        clada: the log /TOP/state/clada/ID/daemon.log cannot be read: No such file or directory (os error 2)
          The daemon creates it: `clada status` starts the daemon.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn stop_waits_until_the_daemon_has_gone() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&["stop"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "No daemon is running.\n"));
    let fake = Fake::serve(&fixture, |_, _| Reply::Leave);
    let ran = run(&mut fixture.client(&["stop"]));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, "The daemon has ended.\n"));
    assert_eq!(fake.methods(), ["shutdown"]);
    assert!(!fixture.socket().exists());
}

#[test]
fn undo_hands_on_its_flags_and_fails_with_what_failed() {
    let fixture = Fixture::new();
    let fake = Fake::serve(&fixture, |method, _| {
        let failed = json!([{"path": "/p/a", "change": "changed", "error": "no"}]);
        let undone =
            json!({"operationId": "1", "kind": "execute", "status": "done", "beganMs": 0, "summary": "s"});
        Reply::Result(json!({
            "success": method == "redo", "operationId": "2", "undone": undone,
            "changes": if method == "redo" { json!([]) } else { failed },
        }))
    });
    let ran = run(&mut fixture.client(&["undo", "abcd", "--force", "--no-git", "-n"]));
    assert_eq!((ran.code, ran.stdout.lines().next()), (1, Some("ERROR: changed /p/a: no")), "{ran:?}");
    let expected =
        json!({"root": fixture.project(), "operation": "abcd", "force": true, "dryRun": true, "git": "off"});
    assert_eq!(fake.params("undo"), expected);
    assert_eq!(run(&mut fixture.client(&["redo"])).code, 0);
    assert_eq!(fake.params("redo"), json!({"root": fixture.project()}));
}

#[test]
fn a_stage_is_confirmed_when_its_path_was_printed() {
    let fixture = Fixture::new();
    let staged = json!({
        "stagingDir": "/tmp/clada-stage-1", "manifestPath": "/tmp/clada-stage-1/_path_manifest.json",
        "copied": [{"path": "src/a", "name": "src-a", "size": 3}], "removed": [], "renamed": [],
        "files": 1, "eligible": 2, "firstRun": false, "warnings": ["odd\n"],
    });
    let fake = Fake::serve(&fixture, move |method, _| match method {
        "stage" => Reply::Result(staged.clone()),
        _ => Reply::Result(json!({"warnings": ["kept"]})),
    });
    let ran = run(&mut fixture.client(&[
        "stage",
        "--all",
        "--for",
        "x",
        "--manifest",
        "dhall",
        "--flush",
        "--verify",
    ]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "/tmp/clada-stage-1\n", ""));
    let asked = fake.params("stage");
    for (name, value) in
        [("all", json!(true)), ("for", json!("x")), ("manifest", json!("dhall")), ("confirm", json!(true))]
    {
        assert_eq!(asked[name], value, "{asked:#}");
    }
    assert_eq!(fake.params("stage.confirm")["stagingDir"], "/tmp/clada-stage-1");
    let ran = run(&mut fixture.client(&["stage", "-v"]));
    assert_eq!(ran.stdout, "/tmp/clada-stage-1\n");
    let said = "warning: odd\\n\nwarning: kept\ncopied src/a (3 bytes) as src-a\n1 of 2 files\n";
    assert_eq!(ran.stderr, said);
    // The reader has gone: the path has not arrived.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let before = fake.methods().len();
    let mut child = fixture.client(&["stage"]).stdout(writer).spawn().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(fake.methods()[before..], ["hello", "stage"]);
}

#[test]
fn completion_asks_the_daemon_that_is_there_and_starts_none() {
    let fixture = Fixture::new();
    let none = run(&mut fixture.client(&["complete", "operations"]));
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (0, "", ""));
    let fake = Fake::serve(&fixture, |method, _| match method {
        "history.list" => Reply::Result(json!({"operations": [
            {"operationId": "1a2b", "kind": "execute", "status": "done", "beganMs": 0, "summary": "edited\ta"},
        ]})),
        _ => Reply::Error(json!({"code": 1, "message": "no", "data": {"kind": "io"}})),
    });
    let ran = run(&mut fixture.client(&["complete", "operations"]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "1a2b\tedited\\ta\n", ""));
    let refused = run(&mut fixture.client(&["complete", "settings"]));
    assert_eq!((refused.code, refused.stdout.as_str(), refused.stderr.as_str()), (0, "", ""));
    assert_eq!(fake.methods(), ["hello", "history.list", "hello", "config.show"]);
}

#[test]
fn without_a_command_a_script_gets_the_usage_and_no_daemon_is_started() {
    let fixture = Fixture::new();
    let ran = run(&mut fixture.client(&[]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    assert!(ran.stderr.contains("Usage: clada-client [OPTIONS] <COMMAND>"), "{}", ran.stderr);
    assert!(!fixture.socket().exists());
}
