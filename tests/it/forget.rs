//! `forget`: a record goes, whole, and only when nothing is under way.

use serde_json::{Value, json};

use crate::commands::run as command;
use crate::support::{Answer, World};

/// Returns the folders of records.
fn records(world: &World) -> Vec<std::path::PathBuf> {
    let machines = std::fs::read_dir(world.path("state/clada")).unwrap().map(|entry| entry.unwrap().path());
    let projects = machines.filter_map(|machine| std::fs::read_dir(machine.join("projects")).ok());
    projects.flatten().map(|entry| entry.unwrap().path()).collect()
}

fn history(world: &World) -> Value {
    world.connect().call("history.list", &json!({ "root": world.root() }))["operations"].clone()
}

#[test]
fn a_forgotten_project_begins_anew_and_its_files_stay() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a"), "1\n");
    assert_eq!(world.apply(&answer).code, 0);
    world.run(&["session", "cd", "--session", "one", "."], "");
    let shown = world.run(&["forget", "--dry-run"], "");
    assert!(shown.code == 0 && shown.stdout.contains(&world.root()), "{shown:?}");
    assert_eq!(records(&world).len(), 1);
    let ran = world.run(&["forget", "--yes"], "");
    assert!(ran.code == 0 && ran.stdout.contains("1 project"), "{ran:?}");
    assert_eq!((records(&world).len(), world.read("a").as_str()), (0, "1\n"));
    assert_eq!(history(&world), json!([]));
    let sessions = world.connect().call("session.list", &json!({ "root": world.root() }));
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1, "{sessions}");
    // Operations are recorded again, and nobody is told of a loss.
    let result = world.apply_json(&[], Answer::new().write(&world.at("a"), "2\n").text());
    assert_eq!((&result["success"], &result["warnings"]), (&json!(true), &json!([])), "{result:#}");
    assert_eq!(history(&world).as_array().unwrap().len(), 1);
    assert!(world.run(&["forget", "--yes", "/nowhere"], "").stdout.contains("There are no records"));
}

#[test]
fn a_project_whose_folder_is_gone_and_all_of_them() {
    let world = World::new();
    let gone = world.path("outside/gone");
    for root in [&world.project(), &gone] {
        std::fs::create_dir_all(root).unwrap();
        let text = Answer::new().write("a", "1\n").text().to_owned();
        world.connect().call("execute", &json!({ "root": root, "text": text }));
    }
    std::fs::remove_dir_all(&gone).unwrap();
    let shown = world.run(&["forget", "--all", "--dry-run"], "").stdout;
    assert!(shown.contains("(its folder no longer exists)") && shown.contains(&world.root()), "{shown}");
    let ran = world.run(&["forget", "--yes", gone.to_str().unwrap()], "");
    assert_eq!((ran.code, records(&world).len()), (0, 1), "{ran:?}");
    // By the next daemon, which has none of them open, and finds what a killed one left.
    let left = records(&world)[0].parent().unwrap().with_file_name("forgotten").join("x-0");
    world.stop().unwrap();
    std::fs::create_dir_all(&left).unwrap();
    assert_eq!(world.run(&["forget", "--all", "--yes"], "").code, 0);
    assert_eq!((records(&world).len(), left.exists()), (0, false));
}

#[test]
fn approvals_and_trust_go_with_it() {
    let world = World::new();
    world.lay("a", "1\n");
    world.lay(".clada/config.yaml", "durability: fast\n");
    assert_eq!(world.run(&["trust", "--yes"], "").code, 0);
    assert_eq!(world.run(&["approve", "sh x"], "").code, 0);
    assert_eq!(world.apply(&Answer::new().write(&world.at("b"), "1\n")).code, 0);
    let about = json!({ "root": world.root() });
    assert_eq!(world.connect().call("trust.show", &about)["trusted"], true);
    assert_eq!(world.run(&["forget", "--yes"], "").code, 0);
    assert_eq!(world.connect().call("trust.show", &about)["trusted"], json!(false));
    let approved = world.connect().call("approve.list", &about);
    // What the project proposes is its own.
    assert_eq!(approved["commands"][0]["approved"], false, "{approved}");
}

#[test]
fn nothing_is_forgotten_while_an_answer_waits_or_an_operation_runs() {
    let world = World::with_config("mcp: {approvals: wait}\n");
    assert_eq!(world.apply(&Answer::new().write(&world.at("a"), "1\n")).code, 0);
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    let params = json!({ "root": world.root(), "text": command("echo hello").text() });
    let executing = std::thread::spawn(move || agent.call("execute", &params));
    let mut person = world.connect();
    let id = loop {
        let listed = person.call("approval.list", &json!({ "root": world.root() }));
        if let Some(waiting) = listed["approvals"].as_array().unwrap().first() {
            break waiting["id"].clone();
        }
    };
    let forget = json!({ "root": world.root(), "confirm": true });
    let error = person.fail("history.forget", &forget);
    assert_eq!(error["data"]["kind"], "busy", "{error}");
    assert!(error["message"].as_str().unwrap().contains("waits for your approval"), "{error}");
    person.call("approval.answer", &json!({ "id": id, "decision": "no" }));
    executing.join().unwrap();
    // What another process does there holds the lock of the root.
    let root = std::fs::File::open(world.project()).unwrap();
    rustix::fs::flock(&root, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let ran = world.run(&["forget", "--all", "--yes"], "");
    assert!(ran.code == 1 && ran.stderr.contains("an operation runs"), "{ran:?}");
    assert_eq!(records(&world).len(), 1);
    drop(root);
    assert_eq!(world.run(&["forget", "--all", "--yes"], "").code, 0);
}
