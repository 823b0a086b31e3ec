//! `apply` and `parse` against a daemon.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use expect_test::expect;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use crate::fake::{Fake, Fixture, Reply, failed, finish, run, run_with, start_with, written};

const ANSWER: &[u8] = b"\xef\xbb\xbfhere is the change\n";

#[test]
fn an_answer_is_sent_as_it_is_and_its_report_printed() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    let fake = Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    let args = ["apply", "--dialect", "sham", "--total-timeout", "2s", "--session", "s1", "--allow-escape"];
    let ran = run_with(&mut fixture.client(&args), ANSWER);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let expected =
        "[task-1] SUCCESS: file_write - created a.txt (3 bytes)\n\n1 action: 1 succeeded. Operation op1.\n";
    assert_eq!(ran.stdout, expected);
    assert_eq!(fake.methods(), ["hello", "execute"]);
    let mut params = fake.params("execute");
    let umask = params.as_object_mut().unwrap().remove("umask").unwrap();
    assert!(umask.is_u64(), "{umask}");
    let env = params.as_object_mut().unwrap().remove("env").unwrap();
    assert!(env["HOME"].is_string(), "{env}");
    let expected = json!({
        "text": "\u{feff}here is the change\n", "root": fixture.project(), "session": "s1",
        "dialects": ["sham"], "totalTimeoutMs": 2000, "allowEscape": true,
        "stream": true,
    });
    assert_eq!(params, expected);
}

#[test]
fn a_file_is_as_good_as_standard_input() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    let fake = Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    std::fs::write(fixture.project().join("response.md"), "from a file").unwrap();
    let ran = run(&mut fixture.client(&["apply", "response.md", "--root", ".", "--quiet"]));
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert_eq!(fake.params("execute")["text"], "from a file");
}

#[test]
fn a_failure_is_status_1_and_nothing_foreign_reaches_the_terminal() {
    let fixture = Fixture::new();
    Fake::serve(&fixture, |_, _| {
        Reply::Result(failed("file_delete: not found '\u{1b}[2Jx\n[task-2] SUCCESS: y'"))
    });
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    assert_eq!(ran.code, 1);
    let expected = "[task-1] ERROR: file_delete - not found '\\u{1b}[2Jx\\n[task-2] SUCCESS: y'\n  look\\u{1b}[31m again\n\n1 action: 0 succeeded, 1 failed. Operation op1.\n";
    assert_eq!(ran.stdout, expected);
}

#[test]
fn an_answer_without_blocks_is_no_failure() {
    let fixture = Fixture::new();
    let nothing = json!({
        "success": true, "totalBlocks": 0, "executedActions": 0, "results": [], "warnings": [],
        "parseErrors": [], "operationId": "",
    });
    let mut odd = nothing.clone();
    odd["warnings"] = json!([{"message": "a report was passed over"}]);
    Fake::serve(&fixture, move |_, params| {
        Reply::Result(if params["text"] == "odd" { odd.clone() } else { nothing.clone() })
    });
    let ran = run_with(&mut fixture.client(&["apply"]), b"odd");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    expect![[r#"
        WARNING: a report was passed over
        The answer contains no edits: there is nothing to apply.
        To teach the model to write edits, give it what `clada instructions` prints.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    expect![[r#"
        The answer contains no edits: there is nothing to apply.
        To teach the model to write edits, give it what `clada instructions` prints.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn json_is_printed_as_it_came() {
    let fixture = Fixture::new();
    let raw = r#"{"operationId":"op1","totalBlocks":1,  "success":false,"x":"\u001b"}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":2,"result":{raw}}}"#);
    Fake::serve(&fixture, move |_, _| Reply::Lines(vec![line.clone()]));
    for args in [&["apply", "--json"][..], &["apply", "--format", "json"]] {
        let ran = run_with(&mut fixture.client(args), ANSWER);
        assert_eq!((ran.code, ran.stdout), (1, format!("{raw}\n")));
    }
}

#[test]
fn a_report_for_a_model_is_fenced() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    let nonces: Vec<String> = (0..2)
        .map(|_| {
            let ran = run_with(&mut fixture.client(&["apply", "--format", "llm"]), ANSWER);
            assert_eq!(ran.code, 0);
            let nonce = ran.stdout.lines().next().unwrap().strip_prefix("clada-report ").unwrap().to_owned();
            assert_eq!(nonce.len(), 16);
            assert!(ran.stdout.ends_with(&format!("\nend {nonce}\n")), "{}", ran.stdout);
            nonce
        })
        .collect();
    assert_ne!(nonces[0], nonces[1]);
}

#[test]
fn colours_only_where_they_are_wanted() {
    let fixture = Fixture::new();
    let mut result = written(&fixture);
    result["dryRun"] = json!({"diff": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"});
    Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    let ran = run_with(&mut fixture.client(&["apply", "-n"]), ANSWER);
    expect![[r#"
        [task-1] SUCCESS: file_write - created a.txt (3 bytes)

        --- a/x
        +++ b/x
        @@ -1 +1 @@
        -a
        +b

        1 action: 1 succeeded. Dry run: nothing was changed.
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
    assert!(!ran.stdout.contains('\u{1b}'), "{}", ran.stdout);
    let mut always = fixture.client(&["apply", "-n", "--color", "always"]);
    let ran = run_with(always.env("NO_COLOR", "1"), ANSWER);
    expect![[r#"
        [task-1] ␛[32mSUCCESS␛[0m: file_write - created a.txt (3 bytes)

        ␛[1m--- a/x␛[0m
        ␛[1m+++ b/x␛[0m
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-a␛[0m
        ␛[32m+b␛[0m

        1 action: 1 succeeded. Dry run: nothing was changed.
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let fixture = Fixture::new();
    let mut result = written(&fixture);
    result["dryRun"] = json!({"diff": "+x\n".repeat(1 << 20)});
    Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    let mut child = start_with(fixture.client(&["apply", "-n"]).stdout(Stdio::piped()), ANSWER);
    drop(child.stdout.take());
    let ran = finish(child);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}

#[test]
fn an_interrupt_cancels_and_the_report_is_printed() {
    let fixture = Fixture::new();
    let (asked, waits) = std::sync::mpsc::channel();
    let result = written(&fixture);
    let fake = Fake::serve(&fixture, move |method, params| match method {
        "execute" => {
            asked.send(()).unwrap();
            Reply::Silence
        }
        _ => {
            assert_eq!((method, &params["id"]), ("$/cancelRequest", &json!(2)));
            let error = json!({"code": -32800, "message": "cancelled",
                "data": {"kind": "cancelled", "result": result}});
            Reply::Lines(vec![json!({"jsonrpc": "2.0", "id": 2, "error": error}).to_string()])
        }
    });
    let child = start_with(&mut fixture.client(&["apply"]), ANSWER);
    waits.recv().unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = finish(child);
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.starts_with("[task-1] SUCCESS: file_write"), "{}", ran.stdout);
    expect![[r#"
        Cancelling. Press Ctrl-C again to stop waiting for the report.
        clada: cancelled
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    assert_eq!(fake.methods(), ["hello", "execute", "$/cancelRequest"]);
}

#[test]
fn regression_ctrl_c_ends_the_program_when_the_call_is_over() {
    let fixture = Fixture::new();
    // More than a pipe holds: the program waits for its reader.
    Fake::serve(&fixture, |_, _| Reply::Result(json!("x".repeat(4 << 20))));
    let mut child = fixture.client(&["call", "any"]).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 1]).unwrap();
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::INT.as_raw()));
}

#[test]
fn waiting_for_another_operation_is_said_when_asked_for() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    Fake::serve(&fixture, move |_, _| {
        Reply::Lines(vec![
            json!({"jsonrpc": "2.0", "method": "waiting", "params": {"operation": "op0"}}).to_string(),
            json!({"jsonrpc": "2.0", "id": 2, "result": result}).to_string(),
        ])
    });
    let ran = run_with(&mut fixture.client(&["apply", "-v"]), ANSWER);
    assert_eq!(ran.code, 0);
    expect![[r#"
        Waiting for another operation on this project…
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    assert_eq!(run_with(&mut fixture.client(&["apply"]), ANSWER).stderr, "");
}

#[test]
fn without_a_terminal_an_approval_is_reported_with_how_to_give() {
    let fixture = Fixture::new();
    let fake = Fake::serve(&fixture, |_, params| match params["approve"].as_str() {
        Some("all") => Reply::Result(failed("file_delete: gone")),
        _ => Reply::Error(json!({"code": 12, "message": "/home/me is never a project by itself",
            "data": {"kind": "approval_required"}})),
    });
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    expect![[r#"
        clada: /home/me is never a project by itself
          To approve it, run the command again with --approve-all.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    run_with(&mut fixture.client(&["apply", "--approve-all"]), ANSWER);
    assert_eq!(fake.params("execute")["approve"], "all");
}

#[test]
fn a_daemon_that_dies_in_the_middle_is_status_3() {
    let fixture = Fixture::new();
    Fake::serve(&fixture, |_, _| Reply::HangUp);
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    expect![[r#"
        clada: the daemon at /TOP/run/v1.sock closed the connection before it answered execute
          `clada history` shows what was applied. Run the command again for the rest: it skips edits already in place.
    "#]].assert_eq(&fixture.shown(&ran.stderr));
}

#[test]
fn parse_fails_when_something_is_wrong_with_the_answer() {
    let fixture = Fixture::new();
    Fake::serve(&fixture, |_, params| {
        let bad = params["text"].as_str().unwrap().contains("bad");
        let errors = if bad {
            json!([{"blockId": "b", "errorType": "syntax", "message": "bad\r", "line": 1}])
        } else {
            json!([])
        };
        Reply::Result(json!({"actions": [], "errors": errors, "blocks": [],
            "summary": {"totalBlocks": 1, "successCount": 0, "errorCount": 1}}))
    });
    let ran = run_with(&mut fixture.client(&["parse"]), b"bad");
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.starts_with("ERROR: line 1, block b: bad\\r\n"), "{}", ran.stdout);
    assert_eq!(run_with(&mut fixture.client(&["parse", "--json"]), b"good").code, 0);
}

#[test]
fn flags_reach_the_daemon() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    let fake = Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    for (args, expected) in [
        (&["--match", "exact"][..], json!({"match": "exact"})),
        (&["--match", "strict", "--atomic"], json!({"match": "strict", "atomic": true})),
        (&["--match=tolerant"], json!({"match": "tolerant"})),
        (&["--approve", "x1", "--approve", "x2"], json!({"approve": ["x1", "x2"]})),
        (&["--approve-all"], json!({"approve": "all"})),
        (&["--timeout", "5m", "--max-output", "64kB"], json!({"timeoutMs": 300_000, "maxOutput": 65536})),
    ] {
        assert_eq!(run_with(&mut fixture.client(&[&["apply"], args].concat()), ANSWER).code, 0, "{args:?}");
        let mut params = fake.params("execute");
        for name in ["umask", "env", "stream", "root", "text"] {
            params.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(params, expected, "{args:?}");
    }
}

#[test]
fn resuming_reads_no_answer() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    let fake = Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    for (args, expected) in [
        (&["--resume"][..], json!({"resume": "last"})),
        (&["--resume", "op7"], json!({"resume": "op7"})),
        (&["--resume", "--match", "tolerant"], json!({"resume": "last", "match": "tolerant"})),
        (&["--resume=op7", "--approve", "x"], json!({"resume": "op7", "approve": ["x"]})),
        (&["--resume", "--dry-run"], json!({"resume": "last", "dryRun": true})),
    ] {
        // Standard input stays open, and has no content.
        let mut child = fixture.client(&[&["apply"], args].concat()).stdin(Stdio::piped()).spawn().unwrap();
        let held = child.stdin.take();
        assert_eq!(finish(child).code, 0, "{args:?}");
        drop(held);
        let mut params = fake.params("execute");
        for name in ["umask", "env", "stream", "root"] {
            params.as_object_mut().unwrap().remove(name);
        }
        assert_eq!(params, expected, "{args:?}");
    }
}

#[test]
fn a_missing_approval_is_reported_with_how_to_give() {
    let fixture = Fixture::new();
    let mut result = failed("file_delete: needs approval");
    result["approvals"] = json!([{"id": "x1", "kind": "file", "path": "/p", "reason": "it runs"}]);
    Fake::serve(&fixture, move |_, _| Reply::Result(result.clone()));
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    expect![[r#"
        [task-1] ERROR: file_delete - needs approval
          look\u{1b}[31m again

        This needs your approval:
          a change of /p: it runs. [x1]
        To approve all of this, run `clada apply --resume op1 --approve-all`; to approve one item, use --approve and its id instead.

        1 action: 0 succeeded, 1 failed. Operation op1.
    "#]].assert_eq(&fixture.shown(&ran.stdout));
    // A dry run is nothing that can be resumed.
    let ran = run_with(&mut fixture.client(&["apply", "-n"]), ANSWER);
    assert!(!ran.stdout.contains("--resume") && ran.stdout.contains("--approve-all"), "{}", ran.stdout);
}

#[test]
fn an_approval_of_the_call_can_be_given_by_its_id() {
    let fixture = Fixture::new();
    let result = written(&fixture);
    Fake::serve(&fixture, move |_, params| match params["approve"].as_array() {
        Some(ids) if ids.contains(&json!("r1")) => Reply::Result(result.clone()),
        _ => Reply::Error(json!({"code": 12, "message": "never a project",
            "data": {"kind": "approval_required", "approvals": [{"id": "r1"}]}})),
    });
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    expect![[r#"
        clada: never a project
          To approve it, run the command again with --approve-all, or with --approve r1.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    assert_eq!(run_with(&mut fixture.client(&["apply", "--approve", "r1"]), ANSWER).code, 0);
}
