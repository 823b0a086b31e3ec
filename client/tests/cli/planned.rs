//! Answers that are applied by their plans, so that the text is sent once: against a daemon that loses
//! plans.

use std::process::Child;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Ran, Reply, finish, run_with, written};
use crate::terminal::Terminal;

const ANSWER: &[u8] = b"the answer, which is sent\n";

/// Returns a plan with this id of one change, which needs these approvals.
fn plan(id: &str, new: &str, approvals: &[&str]) -> Value {
    let approval =
        |id: &&str| json!({"id": id, "kind": "file", "path": "/p/.envrc", "reason": "it runs by itself"});
    json!({
        "planId": id, "expiresInMs": 1_800_000, "totalBlocks": 1, "parseErrors": [],
        "diff": format!("+{new}\n"),
        "approvals": approvals.iter().map(approval).collect::<Vec<_>>(),
        "actions": [{
            "id": "a1", "seq": 1, "task": "1", "blockId": null, "action": "file_write", "path": "/p/.envrc",
            "preHash": "0", "postHash": new, "needsApproval": approvals.first(),
            "hunks": [{"id": "a1.h1", "diff": format!("@@ -1 +1 @@\n-old\n+{new}\n")}],
        }],
    })
}

fn gone() -> Reply {
    Reply::Error(json!({"code": 3, "message": "There is no such plan", "data": {"kind": "plan_not_found"}}))
}

/// A daemon that makes these plans one after the other, and the last one again and again. It has none but the
/// last when one is to be applied.
fn serve(fixture: &Fixture, plans: Vec<Value>) -> Fake {
    let (done, made) = (written(fixture), AtomicUsize::new(0));
    Fake::serve(fixture, move |method, params| match method {
        "plan" => {
            let at = made.fetch_add(1, Ordering::Relaxed).min(plans.len() - 1);
            Reply::Result(plans[at].clone())
        }
        "execute" => match params.get("planId") {
            Some(id) if Some(id) != plans.last().map(|plan| &plan["planId"]) => gone(),
            _ => Reply::Result(done.clone()),
        },
        _ => Reply::Result(json!({})),
    })
}

/// Starts the program at a terminal; `None`, with a note, where there is no way to make one.
#[allow(clippy::print_stderr, reason = "the user who runs the tests is to know")]
fn start(fixture: &Fixture, args: &[&str]) -> Option<(Terminal, Child)> {
    let Some(terminal) = Terminal::open() else {
        eprintln!("skipped: a program cannot be given a terminal here");
        return None;
    };
    let child = terminal.start(&fixture.client(&[&["apply"], args].concat()), ANSWER);
    Some((terminal, child))
}

/// Returns the end of the run, and the text on the terminal.
fn end(terminal: Terminal, child: Child) -> (Ran, String) {
    let seen = terminal.close();
    (finish(child), seen)
}

/// Returns how often the answer has crossed the wire.
fn sent(fake: &Fake) -> usize {
    fake.received()
        .iter()
        .map(|request| request.to_string().matches("the answer, which is sent").count())
        .sum()
}

/// Returns the methods that were called, without greetings.
fn methods(fake: &Fake) -> Vec<String> {
    fake.methods().into_iter().filter(|method| method != "hello").collect()
}

const QUESTION: &str = "Do it? [y,N,d,q,?] ";

#[test]
fn the_text_is_sent_once() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &["x1"])]);
    let args = ["--match", "tolerant", "--dialect", "sham", "--atomic", "--session", "s", "--again"];
    let Some((mut terminal, child)) = start(&fixture, &args) else { return };
    terminal.answer(QUESTION, "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!(ran.code, 0, "{ran:?} {seen}");
    assert!(ran.stdout.starts_with("[task-1] SUCCESS: file_write"), "{}", ran.stdout);
    assert_eq!((sent(&fake), methods(&fake)), (1, vec!["plan".to_owned(), "execute".to_owned()]));
    let planned = fake.params("plan");
    assert_eq!(
        json!([planned["match"], planned["dialects"], planned["atomic"], planned["again"]]),
        json!(["tolerant", ["sham"], true, true])
    );
    let mut params = fake.params("execute");
    for name in ["umask", "env", "stream"] {
        params.as_object_mut().unwrap().remove(name);
    }
    let executed =
        json!({"planId": "p1", "root": fixture.project(), "session": "s", "approve": ["x1"], "again": true});
    assert_eq!(params, executed);
}

#[test]
fn nothing_to_ask_is_the_plan_and_its_execution() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &[])]);
    let Some((terminal, child)) = start(&fixture, &[]) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, seen.as_str()), (0, ""), "{ran:?}");
    assert_eq!((sent(&fake), methods(&fake)), (1, vec!["plan".to_owned(), "execute".to_owned()]));
    assert_eq!(fake.params("execute")["planId"], "p1");
}

#[test]
fn where_no_plan_is_needed_it_is_one_request() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &["x1"])]);
    let ran = run_with(&mut fixture.client(&["apply"]), ANSWER);
    assert_eq!((ran.code, sent(&fake)), (0, 1), "{ran:?}");
    for args in [
        &["--approve-all"][..],
        &["--dry-run"],
        &["--json"],
        &["--format", "json"],
        &["--format", "xml"],
        &["-q"],
    ] {
        let before = methods(&fake).len();
        let Some((terminal, child)) = start(&fixture, args) else { return };
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 0, "{ran:?} {seen}");
        // Code without an edit block is asked about, whatever is approved.
        let planned = args.contains(&"--approve-all");
        let expected: &[&str] = if planned { &["plan", "execute"] } else { &["execute"] };
        assert_eq!(&methods(&fake)[before..], expected, "{args:?}");
    }
    assert_eq!(sent(&fake), 7);
}

#[test]
fn a_plan_that_is_gone_is_made_again_and_nothing_is_asked_if_it_is_the_same() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &["x1"]), plan("p2", "new", &["x1"])]);
    let Some((mut terminal, child)) = start(&fixture, &[]) else { return };
    terminal.answer(QUESTION, "y\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, seen.matches("Do it?").count()), (0, 1), "{ran:?} {seen}");
    assert_eq!(
        (sent(&fake), methods(&fake)),
        (2, ["plan", "execute", "plan", "execute"].map(str::to_owned).into())
    );
    let params = fake.params("execute");
    assert_eq!((&params["planId"], &params["approve"]), (&json!("p2"), &json!(["x1"])));
}

#[test]
fn a_plan_that_is_another_one_when_it_is_made_again_is_asked_about_again() {
    for (second, key, approve) in [
        // Another approval, another change with the same one, and nothing to approve any more.
        (plan("p2", "new", &["x2"]), Some("y\n"), json!(["x2"])),
        (plan("p2", "newer", &["x1"]), Some("n\n"), Value::Null),
        (plan("p2", "new", &[]), None, Value::Null),
    ] {
        let fixture = Fixture::new();
        let fake = serve(&fixture, vec![plan("p1", "new", &["x1"]), second]);
        let Some((mut terminal, child)) = start(&fixture, &[]) else { return };
        terminal.answer(QUESTION, "y\n");
        let changed = "would now do something other than was shown.\n";
        if let Some(key) = key {
            let shown = terminal.answer(QUESTION, key);
            assert!(shown.contains(changed), "{shown}");
        }
        let (ran, seen) = end(terminal, child);
        assert_eq!((ran.code, seen.matches(changed).count()), (0, 1), "{ran:?} {seen}");
        assert_eq!(sent(&fake), 2);
        let params = fake.params("execute");
        assert_eq!((&params["planId"], &params["approve"]), (&json!("p2"), &approve));
    }
}

#[test]
fn what_was_never_asked_about_is_not_asked_about_for_a_lost_plan() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &[]), plan("p2", "newer", &[])]);
    let Some((terminal, child)) = start(&fixture, &[]) else { return };
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, seen.as_str(), sent(&fake)), (0, "", 2), "{ran:?}");
    assert_eq!(fake.params("execute")["planId"], "p2");
}

#[test]
fn a_review_whose_plan_is_gone_is_made_again() {
    for (second, asks_again) in [(plan("p2", "new", &[]), false), (plan("p2", "newer", &[]), true)] {
        let fixture = Fixture::new();
        let fake = serve(&fixture, vec![plan("p1", "new", &[]), second]);
        let Some((mut terminal, child)) = start(&fixture, &["-i"]) else { return };
        terminal.answer("(1/1) Apply this? [y,n,a,e,q,?] ", "y\n");
        if asks_again {
            let shown = terminal.answer("(1/1) Apply this? [y,n,a,e,q,?] ", "y\n");
            assert!(shown.contains("something other than was shown") && shown.contains("+newer"), "{shown}");
        }
        let (ran, seen) = end(terminal, child);
        assert_eq!(ran.code, 0, "{ran:?} {seen}");
        assert_eq!(
            (sent(&fake), methods(&fake)),
            (2, ["plan", "execute", "plan", "execute"].map(str::to_owned).into())
        );
        let params = fake.params("execute");
        assert_eq!((&params["planId"], &params["accept"]), (&json!("p2"), &json!(["a1"])));
    }
}

#[test]
fn a_review_that_is_declined_the_second_time_does_nothing() {
    let fixture = Fixture::new();
    let fake = serve(&fixture, vec![plan("p1", "new", &[]), plan("p2", "newer", &[])]);
    let Some((mut terminal, child)) = start(&fixture, &["-i"]) else { return };
    terminal.answer("(1/1) Apply this? [y,n,a,e,q,?] ", "y\n");
    terminal.answer("(1/1) Apply this? [y,n,a,e,q,?] ", "n\n");
    let (ran, seen) = end(terminal, child);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""), "{seen}");
    assert!(seen.ends_with("You accepted nothing, so nothing was changed.\n"), "{seen}");
    assert_eq!(methods(&fake), ["plan", "execute", "plan"]);
}
