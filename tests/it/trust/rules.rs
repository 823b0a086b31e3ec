//! A project's rules hold for its files, whichever root names them.

use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

const RULES: &str = "\
secrets: {globs: [passwords.txt, conf/token.txt, lib/n.txt]}
denied: ['private/**']
ask: ['deploy/**']
";

/// `up` with the project `up/p`, which has rules, and the repository `up/p/lib` inside.
fn nested() -> World {
    let world = World::with_config("durability: fast\n");
    for folder in ["up/.clada", "up/p/.clada", "up/p/lib/.clada"] {
        std::fs::create_dir_all(world.path(&format!("project/{folder}"))).unwrap();
    }
    world.lay("up/p/.clada/config.yaml", RULES);
    for (path, text) in [
        ("passwords.txt", "SEKRIT"),
        ("conf/token.txt", "SEKRIT"),
        ("private/p.txt", "SEKRIT"),
        ("a.txt", "a"),
    ] {
        world.lay(&format!("up/p/{path}"), text);
    }
    world.lay("up/p/lib/n.txt", "SEKRIT");
    world.lay("up/passwords.txt", "not the project's");
    world
}

fn root(world: &World, name: &str) -> String {
    world.path(&format!("project/{name}")).to_str().unwrap().to_owned()
}

fn callers(world: &World, root: &str) -> [Connection; 2] {
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [root] }));
    [world.connect(), agent]
}

fn run(command: &str) -> Answer {
    Answer::new().action("run", &[("command", command)])
}

fn moved(from: &str, to: &str) -> Answer {
    Answer::new().action("file_move", &[("old_path", from), ("new_path", to)])
}

#[test]
fn regression_a_project_s_rules_hold_under_the_root_above_and_below() {
    let world = nested();
    let append = |path: &str| Answer::new().action("file_append", &[("path", path), ("content", "x\n")]);
    let cases: Vec<(&str, Answer, &str)> = vec![
        ("up", run("cat p/passwords.txt"), "secret"),
        ("up", run("cat p/conf/token.txt"), "secret"),
        ("up", run("cat p/private/p.txt"), "path_denied"),
        ("up", run("cat p/lib/n.txt"), "secret"),
        ("up", Answer::new().read("p/passwords.txt"), "secret"),
        ("up", Answer::new().read("p/lib/../passwords.txt"), "secret"),
        ("up", Answer::new().read("P/passwords.txt"), "file_not_found"),
        ("up", append("p/deploy/x.sh"), "approval_required"),
        ("up", Answer::new().write("p/private/new.txt", "x"), "path_denied"),
        // Both ends of a move, and a folder as a whole.
        ("up", moved("p/passwords.txt", "x.txt"), "secret"),
        ("up", moved("passwords.txt", "p/deploy/x"), "approval_required"),
        ("up", moved("p/private/p.txt", "x.txt"), "path_denied"),
        ("up", run("mv p/conf conf2"), "secret"),
        ("up", run("cp -r p/conf conf2"), "secret"),
        // Beside the project they are not rules.
        ("up", Answer::new().read("passwords.txt"), "none"),
        ("up", append("deploy/x.sh"), "none"),
        ("up/p", Answer::new().read("passwords.txt"), "secret"),
        ("up/p/lib", run("cat n.txt"), "secret"),
        ("up/p/lib", Answer::new().read("n.txt"), "secret"),
        ("up/p/lib", append("new.txt"), "none"),
    ];
    for (name, answer, expected) in cases {
        let root = root(&world, name);
        for mut caller in callers(&world, &root) {
            let result =
                caller.call("execute", &json!({ "root": root, "text": answer.text(), "dryRun": true }));
            assert_eq!(kinds(&result), [expected], "{name}: {}\n{result:#}", answer.text());
            assert!(!result.to_string().contains("SEKRIT"), "{name}: {result:#}");
        }
    }
}

#[test]
fn regression_nothing_that_reads_shows_what_a_project_inside_holds_back() {
    let world = nested();
    let root = root(&world, "up");
    for mut caller in callers(&world, &root) {
        let embed = caller.call("embed", &json!({ "root": root, "paths": ["."] }));
        assert!(!embed.to_string().contains("SEKRIT"), "{embed:#}");
        let staged = caller.call("stage", &json!({ "root": root, "all": true }));
        let omitted = staged["omitted"].as_array().unwrap().iter();
        let omitted: Vec<&str> = omitted.filter_map(|one| one["path"].as_str()).collect();
        assert!(omitted.contains(&"p/passwords.txt") && omitted.contains(&"p/lib/n.txt"), "{staged:#}");
        let found = run("grep -r SEKRIT .");
        let result = caller.call("execute", &json!({ "root": root, "text": found.text() }));
        assert!(!result.to_string().contains("passwords.txt"), "{result:#}");
    }
    // Rules that come later hold for what was staged before.
    world.lay("up/.clada-rules", "");
    world.lay("up/p/lib/.clada/config.yaml", "secrets: {globs: [late.txt]}\n");
    world.lay("up/p/lib/late.txt", "SEKRIT");
    let staged = world.connect().call("stage", &json!({ "root": root, "all": true }));
    assert!(staged["omitted"].to_string().contains("p/lib/late.txt"), "{staged:#}");
}

/// A file that cannot be understood might deny anything, and one of another user's counts for nothing.
#[test]
fn regression_a_broken_file_of_rules_denies_its_folder() {
    let world = nested();
    let root = root(&world, "up");
    let read = |path: &str| -> Vec<String> {
        let text = Answer::new().read(path).text().to_owned();
        kinds(&world.connect().call("execute", &json!({ "root": root, "text": text })))
    };
    assert_eq!(read("p/a.txt"), ["none"]);
    world.lay("up/p/lib/.clada/config.yaml", "denied: [a\n");
    world.lay("up/p/lib/b.txt", "b\n");
    assert_eq!(
        (read("p/a.txt"), read("p/lib/b.txt")),
        (vec!["none".to_owned()], vec!["path_denied".to_owned()])
    );
    // What was sound once stays in force.
    world.lay("up/p/.clada/config.yaml", "denied: [a\n");
    assert_eq!(
        (read("p/a.txt"), read("p/passwords.txt")),
        (vec!["none".to_owned()], vec!["secret".to_owned()])
    );
    std::fs::remove_file(world.path("project/up/p/.clada/config.yaml")).unwrap();
    assert_eq!(read("p/passwords.txt"), ["none"]);
}

/// What a command changes of the rules counts for the next operation.
#[test]
fn regression_the_rules_of_an_operation_are_those_of_its_beginning() {
    let world = nested();
    let root = root(&world, "up");
    let answer = run("sh -c 'rm -rf p/.clada || true'").read("p/passwords.txt");
    let params: Value = json!({ "root": root, "text": answer.text(), "approve": "all" });
    let result = world.connect().call("execute", &params);
    assert_eq!(kinds(&result)[1], "secret", "{result:#}");
}
