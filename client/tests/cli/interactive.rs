//! `apply --interactive` at a terminal, against a daemon that answers with a plan.

use std::process::Child;

use expect_test::expect;
use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Ran, Reply, finish, run_with};
use crate::terminal::Terminal;

const ANSWER: &[u8] = b"the answer\ny\ny\n";

/// Returns a change of a file, with the given number of hunks.
pub(crate) fn change(fixture: &Fixture, seq: usize, task: &str, hunks: usize) -> Value {
    let hunk = |number: usize| json!({"id": format!("a{seq}.h{number}"), "diff": format!("@@ -{number} +{number} @@\n-old {seq}.{number}\n+new {seq}.{number}\n")});
    json!({
        "id": format!("a{seq}"), "seq": seq, "task": task, "blockId": null, "action": "file_replace_text",
        "path": fixture.project().join(format!("{seq}.txt")), "preHash": "0", "postHash": "1",
        "hunks": (1..=hunks).map(hunk).collect::<Vec<_>>(),
    })
}

pub(crate) fn plan(actions: impl Into<Value>) -> Value {
    let actions: Value = actions.into();
    json!({
        "planId": "p1", "expiresInMs": 1_800_000, "totalBlocks": 1, "actions": actions, "parseErrors": [],
        "approvals": [], "diff": "",
    })
}

/// Returns a daemon with this plan. It carries out the accepted changes.
fn serve(fixture: &Fixture, plan: Value) -> Fake {
    Fake::serve(fixture, move |method, params| match method {
        "plan" => Reply::Result(plan.clone()),
        _ => Reply::Result(executed(&plan, params)),
    })
}

pub(crate) fn executed(plan: &Value, params: &Value) -> Value {
    let accepted = |id: &str| {
        let ids = params["accept"].as_array().unwrap();
        ids.iter().any(|own| own.as_str().unwrap().split('.').next() == Some(id))
    };
    let results: Vec<Value> = plan["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|action| {
            let (done, failed) = (accepted(action["id"].as_str().unwrap()), action.get("unplannable"));
            let status = match (failed, done) {
                (Some(_), _) => "ERROR",
                (None, true) => "SUCCESS",
                _ => "SKIP",
            };
            json!({
                "seq": action["seq"], "task": action["task"], "blockId": null, "action": action["action"],
                "params": {}, "status": status, "success": status == "SUCCESS", "durationMs": 1,
                "declined": status == "SKIP",
                "data": {"path": action["path"], "replacements": 1},
            })
        })
        .collect();
    json!({
        "success": results.iter().all(|result| result["success"] == true), "totalBlocks": 1,
        "executedActions": 1, "results": results, "warnings": [], "parseErrors": [], "operationId": "op1",
    })
}

/// Starts the program at a terminal; `None`, with a note, where there is no way to make one.
#[allow(clippy::print_stderr, reason = "the user who runs the tests has to know")]
fn start(fixture: &Fixture, args: &[&str]) -> Option<(Terminal, Child)> {
    let Some(terminal) = Terminal::open() else {
        eprintln!("skipped: a program cannot be given a terminal here");
        return None;
    };
    let args = [&["apply", "--interactive"], args].concat();
    let child = terminal.start(&fixture.client(&args), ANSWER);
    Some((terminal, child))
}

/// Returns the end of the run, and the text on the terminal.
fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (finish(child), seen)
}

#[test]
fn what_is_accepted_is_carried_out_and_nothing_else() {
    let fixture = Fixture::new();
    let changes: Vec<Value> = (1..=3).map(|seq| change(&fixture, seq, &seq.to_string(), 1)).collect();
    let fake = serve(&fixture, plan(json!(changes)));
    let args = ["--match", "tolerant", "--dialect", "sham", "--allow-escape", "--session", "s"];
    let Some((mut terminal, child)) = start(&fixture, &args) else { return };
    let shown = terminal.answer("(1/3) Apply this? [y,n,a,e,q,?] ", "y\n");
    expect![[r#"
        [task-1] ␛[32mPLANNED␛[0m: file_replace_text - change 1.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-old 1.1␛[0m
        ␛[32m+new 1.1␛[0m
        (1/3) Apply this? [y,n,a,e,q,?] "#]]
    .assert_eq(&fixture.shown(&shown));
    terminal.answer("(2/3) Apply this? [y,n,a,e,q,?] ", "no\n");
    terminal.answer("(3/3) Apply this? [y,n,a,e,q,?] ", "YES\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert!(ran.stdout.starts_with("[task-1] SUCCESS: file_replace_text"), "{}", ran.stdout);
    expect![[r#"
        [task-1] SUCCESS: file_replace_text - 1 replacement in 1.txt
        [task-2] SKIP: file_replace_text - declined by you
        [task-3] SUCCESS: file_replace_text - 1 replacement in 3.txt

        3 actions: 2 succeeded, 1 declined. Operation op1.
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
    assert!(!ran.stdout.contains("old 1.1"), "{}", ran.stdout);
    assert_eq!(fake.methods(), ["hello", "plan", "hello", "execute"]);
    let planned = json!({
        "text": String::from_utf8_lossy(ANSWER), "root": fixture.project(), "session": "s",
        "dialects": ["sham"], "match": "tolerant", "allowEscape": true,
    });
    let mut params = fake.params("plan");
    // The environment differs from machine to machine, and is not under test.
    params.as_object_mut().unwrap().remove("env");
    assert_eq!(params, planned);
    let mut params = fake.params("execute");
    for name in ["umask", "env", "stream"] {
        params.as_object_mut().unwrap().remove(name);
    }
    let executed = json!({
        "planId": "p1", "root": fixture.project(), "session": "s", "accept": ["a1", "a3"],
        "allowEscape": true,
    });
    assert_eq!(params, executed);
}

#[test]
fn what_is_no_answer_is_helped_and_asked_again() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, plan(json!([change(&fixture, 1, "1", 1)])));
    let Some((mut terminal, child)) = start(&fixture, &[]) else { return };
    let question = "(1/1) Apply this? [y,n,a,e,q,?] ";
    for key in ["?\n", "\n", "s\n", "what\n", &"y".repeat(3000)] {
        terminal.answer(question, key);
        if !key.ends_with('\n') {
            terminal.send("\n");
        }
        let help = terminal.expect("? - show this help\n");
        // The first line is what was typed.
        let help = help.split_once('\n').unwrap().1;
        expect![[r#"
            y - apply this
            n - skip this
            a - apply this and all the rest without showing it; clada still asks for approvals
            e - edit the new lines in $EDITOR, then apply them
            q - skip this and all the rest; apply what you accepted before
            ? - show this help
        "#]]
        .assert_eq(help);
        assert!(!help.contains("s - decide"), "{help}");
    }
    terminal.answer(question, "q\n");
    assert_eq!(end(terminal, child).0.code, 0);
    assert_eq!(fake.methods(), ["hello", "plan"]);
}

#[test]
fn what_only_looks_or_cannot_be_done_is_not_asked_about() {
    let fixture = Fixture::new();
    let mut look = change(&fixture, 1, "1", 0);
    (look["action"], look["looks"]) = (json!("ls"), json!(true));
    let mut unchanged = change(&fixture, 2, "2", 0);
    unchanged["unchanged"] = json!(true);
    let mut broken = change(&fixture, 3, "3", 0);
    broken["unplannable"] =
        json!({"kind": "no_match", "error": "file_replace_text: not there\u{1b}", "hint": "look again"});
    let fake = serve(&fixture, plan(json!([look, unchanged, broken, change(&fixture, 4, "4", 1)])));
    let Some((mut terminal, child)) = start(&fixture, &["--color", "never"]) else { return };
    let shown = terminal.answer("(1/1) Apply this? ", "y\n");
    assert!(shown.starts_with("[task-3] ERROR: file_replace_text - not there\\u{1b}\n"), "{shown}");
    expect![[r#"
        [task-3] ERROR: file_replace_text - not there\u{1b}
        task 3, file_replace_text:
          look again
        [task-4] PLANNED: file_replace_text - change 4.txt
        @@ -1 +1 @@
        -old 4.1
        +new 4.1
        (1/1) Apply this? "#]]
    .assert_eq(&fixture.shown(&shown));
    assert!(!shown.contains('\u{1b}'), "{shown}");
    let (ran, _) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?}");
    expect![[r#"
        [task-1] SUCCESS: ls - results (not shown) in 1.txt
        [task-2] SUCCESS: file_replace_text - 1 replacement in 2.txt
        [task-3] ERROR: file_replace_text - no reason was given
        [task-4] SUCCESS: file_replace_text - 1 replacement in 4.txt

        4 actions: 3 succeeded, 1 failed. Operation op1.
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
    assert_eq!(fake.params("execute")["accept"], json!(["a1", "a2", "a4"]));
}

#[test]
fn what_was_approved_beforehand_is_a_change_as_any_other() {
    let fixture = Fixture::new();
    let mut one = change(&fixture, 1, "1", 1);
    one["needsApproval"] = json!("x1");
    let mut planned = plan(json!([one]));
    planned["approvals"] = json!([{"id": "x1", "kind": "file", "path": "/p", "reason": "r"}]);
    let fake = serve(&fixture, planned);
    for (args, approve) in [(&["--approve", "x1"][..], json!(["x1"])), (&["--approve-all"], json!("all"))] {
        let Some((mut terminal, child)) = start(&fixture, args) else { return };
        terminal.answer("(1/1) Apply this? ", "y\n");
        assert_eq!(end(terminal, child).0.code, 0);
        assert_eq!(fake.params("execute")["approve"], approve);
    }
}

#[test]
fn what_belongs_together_is_one_question() {
    let fixture = Fixture::new();
    let changes = json!([
        change(&fixture, 1, "1.1", 2),
        change(&fixture, 2, "1.2", 1),
        change(&fixture, 3, "2.1", 1),
        change(&fixture, 4, "2.2", 1),
    ]);
    let fake = serve(&fixture, plan(changes));
    let Some((mut terminal, child)) = start(&fixture, &[]) else { return };
    let question = "Apply these 2 actions, which belong together? [y,n,a,q,?] ";
    let shown = terminal.answer(&format!("(1/2) {question}"), "n\n");
    expect![[r#"
        [task-1.1] ␛[32mPLANNED␛[0m: file_replace_text - change 1.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-old 1.1␛[0m
        ␛[32m+new 1.1␛[0m
        ␛[36m@@ -2 +2 @@␛[0m
        ␛[31m-old 1.2␛[0m
        ␛[32m+new 1.2␛[0m
        [task-1.2] ␛[32mPLANNED␛[0m: file_replace_text - change 2.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-old 2.1␛[0m
        ␛[32m+new 2.1␛[0m
        (1/2) Apply these 2 actions, which belong together? [y,n,a,q,?] "#]]
    .assert_eq(&fixture.shown(&shown));
    terminal.answer(&format!("(2/2) {question}"), "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(fake.params("execute")["accept"], json!(["a3", "a4"]));
}

#[test]
fn atomic_with_a_fault_asks_nothing_and_does_nothing() {
    let fixture = Fixture::new();
    let mut broken = change(&fixture, 2, "2", 0);
    broken["unplannable"] = json!({"kind": "no_match", "error": "file_replace_text: not there"});
    let planned = plan(json!([change(&fixture, 1, "1", 1), broken]));
    let report = executed(&planned, &json!({"accept": []}));
    let fake = Fake::serve(&fixture, move |method, _| match method {
        "plan" => Reply::Result(planned.clone()),
        _ => Reply::Result(report.clone()),
    });
    let Some((terminal, child)) = start(&fixture, &["--atomic"]) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    expect![[r#"
        [task-1] SKIP: file_replace_text - declined by you
        [task-2] ERROR: file_replace_text - no reason was given

        2 actions: 0 succeeded, 1 failed, 1 declined. Operation op1.
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
    assert!(!seen.contains('?'), "{ran:?} {seen}");
    let params = fake.params("execute");
    assert_eq!((&params["dryRun"], &params["atomic"]), (&json!(true), &json!(true)));
    assert!(params.get("planId").is_none());
}

#[test]
fn nothing_foreign_reaches_the_terminal() {
    let fixture = Fixture::new();
    let mut hostile = change(&fixture, 1, "1", 0);
    hostile["path"] = json!("/x\n[task-9] SUCCESS: \u{9b}2J");
    hostile["hunks"] = json!([
        {"id": "a1.h1", "diff": "@@ -1 +1 @@\n-a\n+b\u{1b}[2K\u{202e}\n(1/1) forged\n"},
        {"id": "a1.h2", "diff": "@@ -9 +9 @@\n-a\r\n+a\n"},
    ]);
    serve(&fixture, plan(json!([hostile])));
    let Some((mut terminal, child)) = start(&fixture, &["--color", "never"]) else { return };
    terminal.answer("Apply this? ", "s\n");
    let hunk = terminal.answer("Apply this hunk? ", "n\n");
    expect![[r#"
        [y,n,a,q,s,?] s
        WARNING: It contains invisible characters, shown as escapes such as \u{200b}.
        @@ -1 +1 @@
        -a
        +b\u{1b}[2K\u{202e}
         (1/1) forged
        (hunk 1/2) Apply this hunk? "#]]
    .assert_eq(&fixture.shown(&hunk));
    let hunk = terminal.answer("Apply this hunk? ", "n\n");
    expect![[r#"
        [y,n,a,e,q,?] n
        @@ -9 +9 @@
        -a\r
        +a
        (hunk 2/2) Apply this hunk? "#]]
    .assert_eq(&fixture.shown(&hunk));
    let (_, seen) = end(terminal, child);
    assert!(!seen.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{seen:?}");
    assert!(!seen.contains("\n[task-9]"), "{seen}");
}

#[test]
fn a_plan_that_is_gone_says_that_nothing_was_done() {
    let fixture = Fixture::new();
    let planned = plan(json!([change(&fixture, 1, "1", 1)]));
    Fake::serve(&fixture, move |method, _| match method {
        "plan" => Reply::Result(planned.clone()),
        _ => Reply::Error(json!({"code": 3, "message": "no such plan", "data": {"kind": "plan_not_found"}})),
    });
    let Some((mut terminal, child)) = start(&fixture, &[]) else { return };
    terminal.answer("Apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""));
    expect![[r#"
        [task-1] ␛[32mPLANNED␛[0m: file_replace_text - change 1.txt
        ␛[36m@@ -1 +1 @@␛[0m
        ␛[31m-old 1.1␛[0m
        ␛[32m+new 1.1␛[0m
        (1/1) Apply this? [y,n,a,e,q,?] y
        clada: no such plan
          Nothing was applied. A plan expires after 30 minutes or when the daemon stops: run the command again.
    "#]].assert_eq(&fixture.shown(&seen));
}

#[test]
fn a_daemon_of_our_own_keeps_the_plan() {
    let fixture = Fixture::new();
    let planned = plan(json!([change(&fixture, 1, "1", 1)]));
    let done = executed(&planned, &json!({"accept": ["a1"]}));
    // The script counts its starts: a second daemon would know nothing of the plan.
    fixture.script(&format!(
        r#"echo started >> starts
while read -r line; do
  case "$line" in
    *'"method":"hello"'*) echo '{{"jsonrpc":"2.0","id":1,"result":{{"server":"x","version":"0.1.0","protocol":1,"features":[]}}}}' ;;
    *'"method":"plan"'*) printf '%s\n' '{{"jsonrpc":"2.0","id":2,"result":{planned}}}' ;;
    *'"method":"execute"'*) printf '%s\n' '{{"jsonrpc":"2.0","id":2,"result":{done}}}' ;;
  esac
done"#
    ));
    // No process may make folders there.
    let Some((mut terminal, child)) = start(&fixture, &["--socket", "/sys/clada/v1.sock"]) else { return };
    terminal.answer("Apply this? ", "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert_eq!(std::fs::read_to_string(fixture.path("starts")).unwrap(), "started\n");
}

#[test]
fn without_a_terminal_it_is_wrong_usage() {
    let fixture = Fixture::new();
    let ran = run_with(&mut fixture.client(&["apply", "-i"]), ANSWER);
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    expect![[r#"
        clada: --interactive needs a terminal
          --dry-run shows what would change, without asking.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
    let ran = run_with(&mut fixture.client(&["apply", "-i", "--dry-run"]), ANSWER);
    assert_eq!(ran.code, 2);
    expect![[r#"
        error: the argument '--interactive' cannot be used with '--dry-run'

        Usage: clada-client apply --interactive [FILE]

        For more information, try '--help'.
    "#]]
    .assert_eq(&fixture.shown(&ran.stderr));
}
