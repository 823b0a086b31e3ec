//! What agents cannot learn of a secret that is there: whatever it holds, each request about it ends the
//! same.

use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::command_changes::commit_all;
use crate::commands::run;
use crate::mcp::Host;
use crate::refusals::kinds;
use crate::support::{Answer, Connection, World};

const SECRET: &str = "TOKEN=hunter2\nPORT=1\n";

/// Contents that an agent might tell apart: as asked for, almost, of another size, no text, nothing.
const CONTENTS: [&[u8]; 5] = [SECRET.as_bytes(), b"TOKEN=hunter3\nPORT=1\n", b"x\n", b"\xff\xfe\n", b""];

fn agent(world: &World) -> Connection {
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    agent
}

/// A project with this secret.
fn world(secret: &[u8]) -> World {
    let world = World::new();
    world.lay(".env", secret);
    world.lay("a.txt", SECRET);
    let file = std::fs::File::options().write(true).open(world.path("project/.env")).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).unwrap();
    world
}

/// Answers about the secret, each by itself.
fn answers() -> Vec<(&'static str, String)> {
    let env = |name: &'static str, parameters: &[(&str, &str)]| {
        let all = [&[("path", ".env")], parameters].concat();
        (name, Answer::new().action(name, &all).text().to_owned())
    };
    let one = |name: &'static str, answer: Answer| (name, answer.text().to_owned());
    let diff = |lines: &str| format!("```diff\n--- a/.env\n+++ b/.env\n{lines}```\n");
    let moved =
        |old: &str, new: &str| Answer::new().action("file_move", &[("old_path", old), ("new_path", new)]);
    // Ways to find out or to change what is in the file, with right guesses of its content and with wrong
    // ones.
    let mut all = vec![
        env("file_replace_text", &[("old_text", "hunter2"), ("new_text", "x")]),
        env("file_replace_text", &[("old_text", "TOKEN=hunter1"), ("new_text", "x")]),
        env("file_replace_all_text", &[("old_text", "1"), ("new_text", "2"), ("count", "1")]),
        env("file_replace_all_text", &[("old_text", "T"), ("new_text", "t")]),
        env("file_replace_text_range", &[
            ("old_text_beginning", "TOKEN"),
            ("old_text_end", "1"),
            ("new_text", "x"),
        ]),
        env("file_replace_lines", &[("lines", "2"), ("new_content", "x")]),
        env("file_append", &[("content", "MORE=1\n")]),
        env("file_write", &[("content", SECRET)]),
        env("file_write", &[("content", "x\n")]),
        env("file_write", &[("content", "")]),
        env("file_delete", &[]),
        env("file_read", &[]),
        env("file_read_numbered", &[("lines", "1-2")]),
        env("grep", &[("pattern", "hunter")]),
        one("moved away", moved(".env", "plain.txt")),
        one("moved", moved(".env", ".env.old")),
        one("moved onto", moved("a.txt", ".env")),
        one("written anew", Answer::new().action("file_delete", &[("path", ".env")]).write(".env", SECRET)),
        ("a hunk", diff("@@ -1,2 +1,2 @@\n-TOKEN=hunter2\n+x\n PORT=1\n")),
        ("another hunk", diff("@@ -1,2 +1,2 @@\n-TOKEN=none\n+x\n PORT=1\n")),
        ("a new file", "```diff\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1,2 @@\n+TOKEN=hunter2\n+PORT=1\n```\n".to_owned()),
        (
            "a deleted file",
            "```diff\n--- a/.env\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-TOKEN=hunter2\n-PORT=1\n```\n".to_owned(),
        ),
        (
            "a renamed file",
            "```diff\ndiff --git a/a.txt b/.env\nrename from a.txt\nrename to .env\n--- a/a.txt\n+++ b/.env\n@@ -1 +1 @@\n-TOKEN=hunter2\n+TOKEN=hunter2\n```\n"
                .to_owned(),
        ),
    ];
    all.extend(
        [
            "cat .env",
            "head -n 1 .env",
            "tail -c 1 .env",
            "wc .env",
            "grep -c hunter .env",
            "grep -r hunter .",
            "grep -q hunter2 .env",
            "diff .env a.txt",
            "diff -r . .",
            "cmp .env a.txt",
            "comm .env a.txt",
            "sort .env",
            "uniq .env",
            "cut -c 1 .env",
            "sha256sum .env",
            "md5sum .env",
            "file .env",
            "xxd .env",
            "od .env",
            "stat -c %s:%b:%F:%y .env",
            "ls -la",
            "ls -l .env",
            "du -b .env",
            "find . -size +0",
            "find . -empty",
            "find . -name .env -size -2c",
            "tree -a -s",
            "cp .env copy",
            "cp .env .env.copy",
            "cp a.txt .env",
            "mv .env .env.old",
            "mv a.txt .env",
            "rm .env",
            "rm -f .env",
            "touch .env",
            "jq . .env",
            "rg hunter .env",
        ]
        .map(|command| (command, run(command).text().to_owned())),
    );
    let files = [("paths", ".env\na.txt"), ("old_text", "hunter2"), ("new_text", "x")];
    all.push(one("files_replace_all_text", Answer::new().action("files_replace_all_text", &files)));
    all.push(one("files_read", Answer::new().action("files_read", &[("paths", ".env\na.txt")])));
    all
}

/// A result without what is another in each run.
fn shown(world: &World, told: &Result<Value, Value>) -> String {
    fn without(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                for field in ["planId", "operationId", "durationMs", "elapsedMs", "shortIds", "clock", "time"]
                {
                    fields.remove(field);
                }
                fields.values_mut().for_each(without);
            }
            Value::Array(values) => values.iter_mut().for_each(without),
            _ => {}
        }
    }
    let mut value = match told {
        Ok(value) | Err(value) => value.clone(),
    };
    without(&mut value);
    world.shown(&value.to_string())
}

/// What an agent is told in a project with this secret, by what it asked.
fn told(secret: &[u8]) -> Vec<(String, String)> {
    let world = world(secret);
    let mut agent = agent(&world);
    let root = world.root();
    let mut all = Vec::new();
    let mut asks = |world: &World, name: &str, method: &str, params: Value| {
        let told = agent.try_call(method, &params);
        let said = shown(world, &told);
        assert!(!said.contains("hunter3"), "{name}: {said}");
        all.push((format!("{method}: {name}"), said));
        assert_eq!(std::fs::read(world.path("project/.env")).unwrap(), secret, "{name} changed it");
    };
    for (name, text) in answers() {
        world.lay("a.txt", SECRET);
        let plan = json!({ "root": root, "text": text, "reports": ["llm"] });
        asks(&world, name, "plan", plan);
        asks(&world, name, "execute", json!({ "root": root, "text": text }));
        // A copy under another name would be open to read.
        for made in [".env.copy", ".env.old", "copy", "plain.txt"] {
            assert!(!world.exists(made), "{name} made {made}");
        }
    }
    for path in [".env", ".env:1", ".env:1-2", "./.env:2", ".", "a.txt"] {
        asks(&world, path, "embed", json!({ "root": root, "paths": [path], "lineNumbers": true }));
    }
    asks(&world, "tree", "embed", json!({ "root": root, "paths": ["."], "treeOnly": true }));
    let overlays = json!([{ "path": ".env", "text": SECRET }]);
    for text in ["hunter2", "hunter9"] {
        let answer = Answer::new().replace(".env", text, "x");
        let params = json!({ "root": root, "text": answer.text(), "overlays": overlays });
        asks(&world, &format!("overlay {text}"), "plan", params);
    }
    asks(&world, "overlay", "embed", json!({ "root": root, "paths": [".env"], "overlays": overlays }));
    asks(&world, "context", "context.add", json!({ "root": root, "paths": [".env"] }));
    asks(
        &world,
        "in a text",
        "parse",
        json!({ "root": root, "text": "Change `.env`:\n```\nTOKEN=hunter2\nPORT=1\n```\n" }),
    );
    all
}

#[test]
fn regression_no_answer_of_an_agent_tells_what_a_secret_holds() {
    let first = told(CONTENTS[0]);
    let mut apart = String::new();
    for content in &CONTENTS[1..] {
        for ((name, expected), (_, said)) in first.iter().zip(told(content)) {
            if *expected != said {
                apart.push_str(&format!("{name} tells {content:?} apart:\n{expected}\n{said}\n\n"));
            }
        }
    }
    assert_eq!(apart, "");
}

#[test]
fn regression_by_mcp_a_secret_is_neither_matched_nor_counted() {
    let world = world(SECRET.as_bytes());
    let mut host = Host::old(&world);
    for (name, text) in answers().into_iter().filter(|(name, _)| name.starts_with("file_")) {
        for tool in ["preview", "apply"] {
            let (said, works) = host.says(tool, &json!({ "text": text }));
            let refused = !works && said.contains("SECRET") && !said.contains("hunter");
            assert!(refused || name == "file_read_numbered", "{tool} {name}: {said}");
        }
    }
    assert_eq!(world.read(".env"), SECRET);
}

/// A secret that is not there may be written, and then it is sealed as any other.
#[test]
fn a_secret_that_is_not_there_is_written_once() {
    let world = World::new();
    let mut agent = agent(&world);
    let mut does =
        |answer: &Answer| agent.call("execute", &json!({ "root": world.root(), "text": answer.text() }));
    let written = Answer::new().write(".env", "A=1\n").replace(".env", "A=1", "A=2");
    assert_eq!(kinds(&does(&written)), ["none", "none"]);
    assert_eq!(world.read(".env"), "A=2\n");
    assert_eq!(kinds(&does(&Answer::new().replace(".env", "A=2", "A=3"))), ["secret"]);
    // A person's answer changes it as before.
    assert_eq!(kinds(&world.execute(&Answer::new().replace(".env", "A=2", "A=3"), json!({}))), ["none"]);
    assert_eq!(world.read(".env"), "A=3\n");
}

/// What git does not have of the secrets, no commit of clada's has either, whoever asks for it.
#[test]
fn regression_no_commit_has_a_secret_that_git_does_not_have() {
    let world = World::with_config("git: {before: all}\n");
    world.lay("a.txt", "a\n");
    world.lay("known.key", "k1\n");
    if !commit_all(&world) {
        return;
    }
    world.lay(".env", SECRET);
    world.lay("sub/id_rsa", SECRET);
    world.lay("known.key", "k2\n");
    world.lay("dirty.txt", "d\n");
    let everything = |world: &World| {
        let git = |args: &[&str]| {
            let out = world.program("git").args(args).output().unwrap();
            String::from_utf8(out.stdout).unwrap()
        };
        git(&["log", "--all", "--name-only", "--format=%s"])
    };
    let done = world.execute(&Answer::new().replace("a.txt", "a", "b"), json!({}));
    assert_eq!(done["success"], true, "{done:#}");
    let note = done["git"]["note"].as_str().unwrap_or_default();
    assert!(note.contains(".env") && note.contains("sub/id_rsa") && note.contains("secrets"), "{done:#}");
    let log = everything(&world);
    assert!(log.contains("dirty.txt") && log.contains("known.key"), "{log}");
    assert!(!log.contains(".env") && !log.contains("id_rsa"), "{log}");
    // Nor one that the answer itself changes or makes.
    let answer = Answer::new().replace(".env", "hunter2", "hunter3").write("new.pem", "p\n");
    let done = world.execute(&answer, json!({}));
    assert_eq!(done["success"], true, "{done:#}");
    assert!(done["git"]["note"].as_str().unwrap_or_default().contains("new.pem"), "{done:#}");
    let log = everything(&world);
    assert!(!log.contains(".env") && !log.contains("new.pem"), "{log}");
    assert!(world.read(".env").contains("hunter3"));
    let undone = world.connect().call("undo", &json!({ "root": world.root() }));
    assert_eq!(undone["success"], true, "{undone:#}");
    assert!(world.read(".env").contains("hunter2") && !world.exists("new.pem"));
}

/// Another name of a secret in the project is sealed to an agent as the secret is; other links are as ever.
#[test]
fn regression_another_name_of_a_secret_is_no_way_to_it() {
    let secret = format!("TOKEN=hunter9\n{}", "#".repeat(4307));
    let world = world(secret.as_bytes());
    world.lay("store/one.txt", "plain\n");
    std::fs::hard_link(world.path("project/.env"), world.path("project/hard.txt")).unwrap();
    std::fs::hard_link(world.path("project/store/one.txt"), world.path("project/plain.txt")).unwrap();
    std::os::unix::fs::symlink(".env", world.path("project/soft.txt")).unwrap();
    let mut agent = agent(&world);
    for command in [
        "cat hard.txt",
        "head hard.txt",
        "grep -r hunter .",
        "grep hunter hard.txt",
        "wc -c hard.txt",
        "sort hard.txt",
        "cmp hard.txt a.txt",
        "diff hard.txt a.txt",
        "diff -r . store",
        "cp hard.txt copy.txt",
        "mv hard.txt moved.txt",
        "ls -l hard.txt",
        "stat -c %s hard.txt",
        "cat soft.txt",
        "cp -r . store/all",
    ] {
        let params = json!({ "root": world.root(), "text": run(command).text() });
        let told = agent.call("execute", &params);
        assert!(!told.to_string().contains("hunter9"), "{command}: {told:#}");
        let data = told["results"][0]["data"]["stdout"].as_str().unwrap_or_default();
        assert!(!data.contains("4321"), "{command}: {data}");
    }
    for answer in [
        Answer::new().read("hard.txt"),
        Answer::new().replace("hard.txt", "hunter9", "x"),
        Answer::new().replace("hard.txt", "none", "x"),
        Answer::new().write("hard.txt", "x\n"),
        Answer::new().action("file_delete", &[("path", "hard.txt")]),
    ] {
        let params = json!({ "root": world.root(), "text": answer.text() });
        assert_eq!(kinds(&agent.call("execute", &params)), ["secret"], "{}", answer.text());
    }
    let document =
        agent.call("embed", &json!({ "root": world.root(), "paths": ["."], "errorMode": "ignore" }));
    assert!(!document.to_string().contains("hunter9"), "{document:#}");
    assert!(document["document"].as_str().unwrap().contains("plain"), "{document:#}");
    let plain = Answer::new().read("plain.txt").replace("plain.txt", "plain", "changed");
    let params = json!({ "root": world.root(), "text": plain.text() });
    assert_eq!(kinds(&agent.call("execute", &params)), ["none", "none"]);
    // To a person it is a file as any other.
    assert_eq!(kinds(&world.execute(&Answer::new().read("hard.txt"), json!({}))), ["none"]);
}
