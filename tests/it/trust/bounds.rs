//! What agents keep counts against agents, and what clada commits or shows of secrets.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

fn agent(world: &World, name: &str) -> Connection {
    let mut agent = world.connect();
    agent.call("hello", &json!({ "client": name, "caller": "agent", "roots": [world.root()] }));
    agent
}

fn write(world: &World, connection: &mut Connection, path: &str, text: &str) -> Value {
    let answer = Answer::new().write(&world.at(path), text);
    connection.call("execute", &json!({ "root": world.root(), "text": answer.text() }))
}

#[test]
fn regression_operations_of_an_agent_push_no_other_out_of_undo() {
    let world = World::with_config("durability: fast\nhistory: {keep: 20}\n");
    world.lay("precious.txt", "not in git\n");
    let mine = write(&world, &mut world.connect(), "mine.txt", "mine")["operationId"].clone();
    let mut agent = agent(&world, "flood");
    let evil = write(&world, &mut agent, "precious.txt", "evil")["operationId"].clone();
    for number in 0..60 {
        write(&world, &mut agent, "n.txt", &number.to_string());
    }
    for id in [&evil, &mine] {
        let undone = world.connect().call("undo", &json!({ "root": world.root(), "operation": id }));
        assert_eq!(undone["success"], true, "{undone:#}");
    }
    assert_eq!(world.read("precious.txt"), "not in git\n");
    assert!(!world.exists("mine.txt"));
}

#[test]
fn regression_checkpoints_of_agents_leave_room_for_a_user() {
    let world = World::with_config("durability: fast\n");
    world.lay("a.txt", "a");
    let mut begun = 0;
    for number in 0..10 {
        let mut agent = agent(&world, &format!("agent{number}"));
        for session in 0..10 {
            let params = json!({ "root": world.root(), "session": format!("{number} {session}") });
            begun += usize::from(agent.try_call("checkpoint.begin", &params).is_ok());
        }
    }
    assert_eq!(begun, 32);
    let ran = world.run(&["record", "--", "touch", "made"], "");
    assert_eq!((ran.code, world.exists("made")), (0, true), "{ran:?}");
}

#[test]
fn regression_folders_staged_for_agents_are_bounded() {
    let world = World::new();
    world.lay("a.txt", "a");
    let mut agent = agent(&world, "stage");
    let mut folders: Vec<String> = Vec::new();
    for number in 0..20 {
        let staged =
            agent.call("stage", &json!({ "root": world.root(), "all": true, "for": format!("p{number}") }));
        folders.push(staged["stagingDir"].as_str().unwrap().to_owned());
    }
    let there = folders.iter().filter(|folder| std::path::Path::new(folder).exists()).count();
    assert_eq!(there, 8);
    assert!(std::path::Path::new(&folders[19]).exists());
}

#[test]
fn regression_an_agent_s_change_of_instructions_is_asked_about_and_a_user_s_is_named() {
    let world = World::with_config("durability: fast\n");
    for path in ["CLAUDE.md", "sub/AGENTS.md", ".cursorrules", ".github/copilot-instructions.md", "GEMINI.md"]
    {
        let result = write(&world, &mut agent(&world, "a"), path, "x");
        assert_eq!(kinds(&result), ["approval_required"], "{path}: {result:#}");
        let result = write(&world, &mut world.connect(), path, "x");
        assert_eq!(kinds(&result), ["none"], "{path}: {result:#}");
        let warnings = result["warnings"].to_string();
        assert!(warnings.contains("Coding agents read") && warnings.contains(path), "{path}: {result:#}");
    }
    // A list of the user's own is all of it.
    let world = World::with_config("durability: fast\nask: [x]\n");
    assert_eq!(kinds(&write(&world, &mut agent(&world, "a"), "CLAUDE.md", "x")), ["none"]);
}

#[test]
fn regression_a_document_shows_invisible_tags() {
    let world = World::new();
    world.lay("a.txt", "read\u{e0041}\u{e0042} me\n");
    let embed = world.connect().call("embed", &json!({ "root": world.root(), "paths": ["a.txt"] }));
    let text = embed["document"].as_str().unwrap();
    assert!(text.contains(r"read\u{e0041}\u{e0042} me") && !text.contains('\u{e0041}'), "{text}");
}

/// A secret that git does not have is in no commit, by whatever name.
#[test]
fn regression_no_commit_has_a_secret_by_another_name() {
    let world = World::with_config("durability: fast\ngit: {before: all}\n");
    world.lay("a.txt", "a\n");
    let git = |args: &[&str]| crate::git::git(&world, args).unwrap();
    git(&["init", "-q", "-b", "main"]);
    git(&["config", "user.email", "a@b"]);
    git(&["config", "user.name", "a"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "first"]);
    world.lay(".env", "K=SEKRIT\n");
    world.lay("conf/b.pem", "SEKRIT\n");
    world.lay("plain.txt", "plain\n");
    std::fs::hard_link(world.path("project/.env"), world.path("project/link.txt")).unwrap();
    std::fs::hard_link(world.path("project/conf/b.pem"), world.path("project/conf/link.txt")).unwrap();
    std::fs::hard_link(world.path("project/plain.txt"), world.path("project/plain2.txt")).unwrap();
    git(&["add", "-N", ".env", "conf/b.pem", "link.txt"]);
    write(&world, &mut world.connect(), "a.txt", "b\n");
    let all = git(&["log", "-p", "--all", "--name-only"]);
    assert!(!git(&["log", "-p", "--all"]).contains("SEKRIT"), "{all}");
    assert!(all.contains("plain.txt") && all.contains("plain2.txt"), "{all}");
}
