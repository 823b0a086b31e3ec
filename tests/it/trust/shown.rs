//! An approval holds as long as nothing has changed that a command could read.

use serde_json::{Value, json};

use crate::commands::run;
use crate::refusals::kinds;
use crate::support::{Answer, Connection, Terminal, World, all, skipped};

/// A command that runs a script, which reads a file of another repository.
const BUILD: &str = "./build.sh";

/// A repository in a folder above, with another one inside.
fn overlapping() -> World {
    let world = World::with_config("mcp: {approvals: wait}\ndurability: fast\n");
    world.lay("build.sh", "#!/bin/sh\ncat in/d.txt\necho ran > ran\n");
    world.lay("in/d.txt", "good\n");
    world.lay("other.txt", "other\n");
    for folder in ["up/.clada", "up/w/.clada", "up/w/in/.clada"] {
        std::fs::create_dir_all(world.path(&format!("project/{folder}"))).unwrap();
    }
    for (from, to) in [("build.sh", "up/w/build.sh"), ("in/d.txt", "up/w/in/d.txt")] {
        std::fs::rename(world.path(&format!("project/{from}")), world.path(&format!("project/{to}")))
            .unwrap();
    }
    let script = world.path("project/up/w/build.sh");
    std::fs::set_permissions(script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    world
}

fn folder(world: &World, name: &str) -> String {
    world.path(&format!("project/{name}")).to_str().unwrap().to_owned()
}

fn agent(world: &World, root: &str) -> Connection {
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [root] }));
    agent
}

fn write(connection: &mut Connection, root: &str, path: &str, text: &str) -> Value {
    let answer = Answer::new().write(path, text);
    connection.call("execute", &json!({ "root": root, "text": answer.text() }))
}

type Change = fn(&World);

/// What happens while a user looks at the command, and whether they are asked again.
const CHANGES: [(&str, bool, Change); 8] = [
    ("nothing", false, |_| {}),
    ("an operation of the folder above", true, |world| {
        let up = folder(world, "up");
        write(&mut agent(world, &up), &up, "w/build.sh", "#!/bin/sh\necho evil > evil\n");
    }),
    ("an operation of a repository inside", true, |world| {
        let inside = folder(world, "up/w/in");
        write(&mut agent(world, &inside), &inside, "d.txt", "evil\n");
    }),
    ("an operation of a user", true, |world| {
        let root = folder(world, "up/w");
        write(&mut world.connect(), &root, "in/d.txt", "evil\n");
    }),
    ("a checkpoint", true, |world| {
        let root = folder(world, "up/w");
        let mut agent = agent(world, &root);
        agent.call("checkpoint.begin", &json!({ "root": root }));
        std::fs::write(world.path("project/up/w/in/d.txt"), "evil\n").unwrap();
        let ended = agent.call("checkpoint.end", &json!({ "root": root }));
        assert!(ended["operationId"].is_string(), "{ended:#}");
    }),
    ("an undo", true, |world| {
        let inside = folder(world, "up/w/in");
        let id = write(&mut world.connect(), &inside, "d.txt", "evil\n")["operationId"].clone();
        world.connect().call("undo", &json!({ "root": inside, "operation": id }));
    }),
    ("an operation that changes nothing", false, |world| {
        let root = folder(world, "up/w");
        write(&mut agent(world, &root), &root, "in/d.txt", "good\n");
    }),
    ("another program changes the script", true, |world| {
        std::fs::write(world.path("project/up/w/build.sh"), "#!/bin/sh\necho evil > evil\n").unwrap();
    }),
];

#[test]
fn regression_a_waiting_approval_sees_operations_of_overlapping_roots() {
    for (what, asks_again, change) in CHANGES {
        let world = overlapping();
        let root = folder(&world, "up/w");
        let mut person = world.connect();
        person.call("subscribe", &json!({ "root": root, "kinds": ["approvalAsked"] }));
        let mut first = agent(&world, &root);
        let params = json!({ "root": root, "text": run(BUILD).text() });
        let call = std::thread::spawn(move || first.try_call("execute", &params));
        let id = person.next_event()["approvalId"].clone();
        change(&world);
        let decide = |id: &Value, decision: &str| {
            world.connect().call("approval.answer", &json!({ "id": id, "decision": decision }))
        };
        let taken = decide(&id, "once");
        assert_eq!(taken["askedAgain"].is_string(), asks_again, "{what}: {taken:#}");
        if asks_again {
            assert!(!world.exists("up/w/ran") && !world.exists("up/w/evil"), "{what}");
            decide(&taken["askedAgain"], "no");
        }
        call.join().unwrap().unwrap();
        assert_eq!(world.exists("up/w/ran"), !asks_again, "{what}");
    }
}

/// Shows the command to a user, and returns its approval with what `execute` takes to do what was shown.
fn shown(person: &mut Connection, root: &str, by: &str) -> (Value, Value) {
    // An operation that does nothing cannot be resumed after a restart.
    let text = run(BUILD).write("f", "f\n").text().to_owned();
    let method = match by {
        "resume" => "execute",
        "planId" => "plan",
        text => text,
    };
    let shown = person.call(method, &json!({ "root": root, "text": text }));
    let params = match by {
        "resume" => json!({ "root": root, "resume": shown["operationId"] }),
        "planId" => json!({ "root": root, "planId": shown["planId"] }),
        _ => json!({ "root": root, "text": text }),
    };
    (shown["approvals"][0]["id"].clone(), params)
}

/// The same for the question of `apply`, which a plan shows, that of `--resume`, and for the id of a text.
#[test]
fn regression_an_approval_by_its_id_holds_for_what_was_shown() {
    for (number, (what, asks_again, change)) in CHANGES.into_iter().enumerate() {
        // Two of the ways for each change, the others for the next one; all of them with `CLADA_ALL`.
        let ways = ["planId", "resume", "plan", "parse"].into_iter().enumerate();
        for (_, by) in ways.filter(|(at, _)| all() || (at + number).is_multiple_of(2)) {
            let world = overlapping();
            let root = folder(&world, "up/w");
            let mut person = world.connect();
            let (id, mut params) = shown(&mut person, &root, by);
            // Between what the user saw and the approval.
            change(&world);
            params["approve"] = json!([id]);
            let outcome = person.try_call("execute", &params);
            let is_done = outcome.as_ref().is_ok_and(|done| done["success"] == true);
            let seen = (is_done, world.exists("up/w/ran"));
            assert_eq!(seen, (!asks_again, !asks_again), "{what} {by}: {outcome:?}");
            assert!(!world.exists("up/w/evil"), "{what} {by}");
            if let Err(error) = &outcome {
                assert_eq!(error["data"]["staleApprovals"], true, "{what} {by}: {error:#}");
            }
        }
    }
}

#[test]
fn regression_a_daemon_runs_nothing_that_another_one_has_shown() {
    for by in ["resume", "plan", "parse"] {
        let world = overlapping();
        let root = folder(&world, "up/w");
        let (id, mut params) = shown(&mut world.connect(), &root, by);
        params["approve"] = json!([id]);
        world.stop().unwrap();
        write(&mut world.connect(), &root, "in/d.txt", "evil\n");
        let asked = world.connect().call("execute", &params);
        assert_eq!((&*kinds(&asked)[0], world.exists("up/w/ran")), ("command_not_allowed", false));
        let error = asked["results"][0]["error"].as_str().unwrap();
        assert!(error.contains("needs approval again"), "{error}");
        // The user is shown it again by that, and can approve it.
        assert_eq!(asked["approvals"][0]["id"], id, "{by}: {asked:#}");
        let again = json!({ "root": root, "resume": asked["operationId"], "approve": [id] });
        let done = world.connect().call("execute", &again);
        assert_eq!((kinds(&done), world.exists("up/w/ran")), (vec!["none".into()], true), "{by}: {done:#}");
    }
}

#[test]
fn regression_apply_asks_again_after_an_agent_s_operation() {
    let world = overlapping();
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    world.status();
    let root = folder(&world, "up/w");
    let child =
        terminal.start(&world.client(&["--root", &root, "apply", "--no-git"]), run(BUILD).text().as_bytes());
    terminal.expect("Run it? ");
    write(&mut agent(&world, &root), &root, "in/d.txt", "evil\n");
    terminal.send("y\n");
    let shown = terminal.expect("Run it? ");
    assert!(shown.contains("files have changed since you were asked"), "{shown}");
    assert!(shown.contains("changed in/d.txt."), "{shown}");
    assert!(!world.exists("up/w/ran"));
    terminal.send("y\n");
    let seen = terminal.close();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(0), "{seen}");
    assert!(world.exists("up/w/ran"));
}
