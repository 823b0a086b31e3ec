//! A plan that is applied in part, some of it for an editor, and is killed or gets an error at one of its
//! system calls: what was declined stays out, what comes as an edit is not written, and the rest is told.
//!
//! A few calls are tried in each run of the tests; all of them with `CLADA_ALL=1`.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout, Stdio};

use nix::errno::Errno;
use serde_json::{Value, json};

use crate::faults::{DAEMON, assert_between, at_each, chosen, project};
use crate::support::tracer::{Fault, Traced, trace_talk};
use crate::support::{Answer, Tree, World, skipped};

/// Calls of a run at which something happens, unless all are asked for.
const SAMPLE: usize = 6;

/// The files that the editor holds.
const HELD: [&str; 2] = ["held0.txt", "held1.txt"];

/// Forty lines, the second and the last but one of them as given.
fn lines(second: &str, last: &str) -> String {
    let line = |number| match number {
        2 => format!("{second}\n"),
        39 => format!("{last}\n"),
        number => format!("line {number}\n"),
    };
    (1..=40).map(line).collect()
}

fn world() -> World {
    let world = World::new();
    for number in 0..4 {
        world.lay(&format!("file{number}.txt"), lines("line 2", "line 39"));
    }
    HELD.iter().for_each(|name| world.lay(name, "one\n"));
    world
}

/// Two changes of each of four files, and one of each document of the editor between them.
fn answer(world: &World) -> Answer {
    let mut answer = Answer::new();
    for number in 0..4 {
        answer = answer.write(&world.at(&format!("file{number}.txt")), &lines("second", "last"));
        if let Some(name) = HELD.get(number) {
            answer = answer.replace(&world.at(name), "one", "two");
        }
    }
    answer
}

/// Calls `method`; `None` if the daemon is gone.
fn call(stdin: &mut ChildStdin, stdout: &mut impl BufRead, method: &str, params: &Value) -> Option<Value> {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    stdin.write_all(format!("{request}\n").as_bytes()).ok()?;
    loop {
        let mut line = String::new();
        stdout.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let message: Value = serde_json::from_str(&line).ok()?;
        if message["id"] == 1 {
            return Some(message);
        }
    }
}

/// Plans the answer in a process of its own, and carries out what `execute` says of the plan, up to a fault;
/// returns the answer to that.
fn carried_out(
    world: &World,
    execute: fn(&World, &Value) -> Value,
    fault: Option<(usize, Fault)>,
) -> Result<(Traced, Option<Value>), Errno> {
    let mut command = world.program(DAEMON);
    command.args(["serve", "--stdio"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let talk = |mut stdin: ChildStdin, stdout: Option<ChildStdout>| {
        let mut stdout = BufReader::new(stdout.unwrap());
        let params = json!({ "root": world.root(), "text": answer(world).text() });
        let planned = call(&mut stdin, &mut stdout, "plan", &params)?;
        let plan = planned.get("result")?;
        call(&mut stdin, &mut stdout, "execute", &execute(world, plan))
    };
    trace_talk(&mut command, talk, &world.path(""), fault)
}

/// The second hunk of each file that is written, and nothing for the editor.
fn in_part(world: &World, plan: &Value) -> Value {
    let actions = plan["actions"].as_array().unwrap().iter();
    let hunks: Vec<&Value> =
        actions.filter_map(|action| action["hunks"].get(1)).map(|hunk| &hunk["id"]).collect();
    assert_eq!(hunks.len(), 4, "{plan:#}");
    json!({ "root": world.root(), "planId": plan["planId"], "accept": hunks })
}

/// All of it, with two documents for the editor.
fn mixed(world: &World, plan: &Value) -> Value {
    let edits: Vec<String> = HELD.iter().map(|name| format!("file://{}", world.at(name))).collect();
    json!({ "root": world.root(), "planId": plan["planId"], "deliver": "mixed", "edits": edits })
}

/// The files before and after, and the calls; `None` where nothing can be traced.
fn undisturbed(execute: fn(&World, &Value) -> Value) -> Option<(Tree, Tree, Traced)> {
    let world = world();
    let before = world.tree();
    let (traced, reply) = match carried_out(&world, execute, None) {
        Ok(done) => done,
        Err(error) => {
            skipped("faults of system calls", &format!("programs cannot be traced here ({error})"));
            return None;
        }
    };
    let reply = reply.unwrap();
    let operation = reply["result"]["operationId"].as_str();
    assert!(operation.is_some_and(|id| !id.is_empty()), "{reply:#}");
    assert!(traced.calls.len() > 30, "{:#?}", traced.calls);
    Some((before, world.tree(), traced))
}

#[test]
fn a_declined_hunk_stays_out_of_what_is_resumed_after_a_kill() {
    let Some((before, after, whole)) = undisturbed(in_part) else { return };
    let resumed = Cell::new(0);
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        let world = world();
        let (traced, _) = carried_out(&world, in_part, Some((number, Fault::Kill))).unwrap();
        let told = format!("killed before call {number}, {:?}", traced.calls.get(number));
        assert!(!traced.hung, "{told}");
        assert_between(&before, &after, &project(&world), &told);
        let mut daemon = world.connect();
        match daemon.try_call("execute", &json!({ "root": world.root(), "resume": "last" })) {
            Ok(done) => {
                assert_eq!(done["success"], true, "{told} {done:#}");
                assert_eq!(after.difference(&project(&world)), "", "{told} {done:#}");
                resumed.update(|count| count + 1);
            }
            // It had not begun.
            Err(error) => {
                assert_eq!(before.difference(&project(&world)), "", "{told} {error}");
                assert_eq!(error["data"]["kind"], "operation_not_found", "{told} {error}");
            }
        }
    });
    assert!(resumed.get() > 0);
}

#[test]
fn a_full_disk_hands_out_nothing_that_is_not_told_and_writes_nothing_that_is_handed_out() {
    let Some((before, after, whole)) = undisturbed(mixed) else { return };
    let failed = Cell::new(0);
    at_each(chosen(whole.calls.len(), SAMPLE), |number| {
        let world = world();
        let (traced, reply) =
            carried_out(&world, mixed, Some((number, Fault::Error(Errno::ENOSPC)))).unwrap();
        let told = format!("full at call {number}, {:?}", traced.calls.get(number));
        assert!(!traced.hung && !traced.killed, "{told}");
        // The plan itself may not have been made.
        let result = reply.map(|reply| reply["result"].clone()).unwrap_or_default();
        let told = format!("{told} {result:#}");
        failed.update(|count| count + usize::from(result["success"] != true));
        let history = world.run(&["--json", "history"], "");
        assert_eq!(history.code, 0, "{told}: {history:?}");
        let found = project(&world);
        assert_between(&before, &after, &found, &told);
        let edits = result["edits"]["documentChanges"].as_array().cloned().unwrap_or_default();
        for action in result["results"].as_array().into_iter().flatten() {
            let path = action["params"]["path"].as_str().unwrap();
            let name = path.rsplit('/').next().unwrap();
            let is_edited = edits.iter().any(|edit| edit["textDocument"]["uri"] == format!("file://{path}"));
            let is_held = HELD.contains(&name);
            assert_eq!(is_edited, is_held && action["success"] == true, "{name} {told}");
            if is_held {
                assert_eq!(world.read(name), "one\n", "{told}");
            } else if action["success"] == true {
                assert_eq!(world.read(name), lines("second", "last"), "{told}");
            }
        }
        if !before.difference(&found).is_empty() {
            assert_eq!(world.run(&["undo"], "").code, 0, "{told}");
            assert_eq!(before.difference(&project(&world)), "", "{told}");
        }
    });
    assert!(failed.get() > 0);
}
