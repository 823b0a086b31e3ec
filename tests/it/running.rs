//! Commands while they run, and what is said of those that cannot: the line at the terminal, a network for one of
//! them, events, hidden interpreters, variables that they do not get.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::json;

use crate::commands::run;
use crate::support::{Answer, Ran, Terminal, World, feed, skipped};

/// The command that the user allows a network has one, and no other does.
#[test]
fn a_network_is_allowed_once_for_one_command() {
    let world = World::new();
    // Which sandbox there is turns out with the first command.
    world.execute(&run("true"), json!({ "approve": "all" }));
    if !world.status()["sandbox"].as_str().unwrap().starts_with("bubblewrap") {
        return skipped("a network of a command", "there is no bubblewrap");
    }
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let network = |file: &str| format!("sh -c 'readlink /proc/self/ns/net > {file}'");
    let answer = ["with", "without", "again"]
        .iter()
        .fold(Answer::new(), |answer, file| answer.action("run", &[("command", &network(file))]));
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    let question = "Run it? [y,a,w,N,d,q,?] ";
    terminal.answer(question, "?\n");
    let explained = terminal.answer(question, "w\n");
    assert!(explained.contains("w - allow this once, with network access for this command\n"), "{explained}");
    terminal.answer(question, "y\n");
    terminal.answer(question, "n\n");
    let seen = terminal.close();
    let ran: Ran = child.wait_with_output().unwrap().into();
    assert!(ran.stdout.contains("[task-3] SKIP: run - declined by you"), "{ran:?} {seen}");
    let own = std::fs::read_link("/proc/self/ns/net").unwrap();
    assert_eq!(world.read("with").trim(), own.to_str().unwrap(), "{ran:?}");
    assert_ne!(world.read("without").trim(), own.to_str().unwrap(), "{ran:?}");
    assert!(!world.exists("again"));
    // Nothing of it stays: the same command is asked about again, without a network.
    let again = world.execute(&Answer::new().action("run", &[("command", &network("with"))]), json!({}));
    let approval = &again["approvals"][0];
    assert_eq!(approval["network"], false, "{again}");
    let ids = [approval["id"].clone(), approval["withNetwork"].clone()];
    assert!(ids[0] != ids[1] && ids[1].is_string(), "{again}");
    std::fs::remove_file(world.project().join("with")).unwrap();
    for (id, has_network) in ids.iter().zip([false, true]) {
        let answer = Answer::new().action("run", &[("command", &network("with"))]);
        // The one before has changed a file since the question: it is asked again.
        world.execute(&answer, json!({ "again": true }));
        let done = world.execute(&answer, json!({ "approve": [id], "again": true }));
        assert_eq!(done["success"], true, "{done}");
        assert_eq!(world.read("with").trim() == own.to_str().unwrap(), has_network, "{done}");
    }
}

#[test]
fn a_line_says_what_runs_until_it_ends() {
    let world = World::new();
    world.status();
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let waits = "sh -c 'echo begun; until [ -e go ]; do sleep 0.05; done; echo ended'";
    let child =
        terminal.start_whole(&world.client(&["apply", "--approve-all"]), run(waits).text().as_bytes());
    terminal.expect("[task-1:exec] begun\n");
    terminal.expect("Running sh -c 'echo begun; until [ -e go ]; do sleep 0.");
    terminal.expect("s, Ctrl-C stops it");
    world.lay("go", "");
    // The line is gone before anything else is written.
    let after = terminal.expect("[task-1:exec] ended\n");
    assert!(after.ends_with("\r\u{1b}[K[task-1:exec] ended\n"), "{after:?}");
    let rest = terminal.close();
    assert!(child.wait_with_output().unwrap().status.success(), "{rest}");
    let (_, rest) = rest.rsplit_once("[task-1:exec] ended\n").unwrap();
    assert!(rest.contains("SUCCESS") && !rest.contains("Running"), "{rest:?}");
}

#[test]
fn commands_that_are_built_in_begin_and_end_as_others_do() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let answer = Answer::new()
        .action("run", &[("command", "cat a.txt")])
        .action("run", &[("command", "mkdir made")])
        .action("run", &[("command", "touch b.txt")])
        .action("run", &[("command", "rm none")]);
    let params = json!({ "root": world.root(), "text": answer.text(), "stream": true });
    let events = world.connect().notifications("execute", &params);
    let told: Vec<String> = events
        .iter()
        .map(|event| {
            format!("{} {} {}", event["params"]["seq"], event["params"]["kind"], event["params"]["command"])
        })
        .collect();
    expect![[r#"
        1 "started" "cat a.txt"
        1 "output" null
        1 "finished" null
        2 "started" "mkdir made"
        2 "finished" null
        3 "started" "touch b.txt"
        3 "finished" null"#]]
    .assert_eq(&told.join("\n"));
}

#[test]
fn an_interpreter_that_the_sandbox_hides_is_named() {
    let world = World::new();
    // Which sandbox there is turns out with the first command.
    world.execute(&run("true"), json!({ "approve": "all" }));
    if !world.status()["sandbox"].as_str().unwrap().starts_with("bubblewrap") {
        return skipped("a hidden interpreter", "there is no bubblewrap");
    }
    let hidden = tempfile::Builder::new().prefix("clada-shell").tempdir_in("/tmp").unwrap();
    let shell = hidden.path().join("sh");
    std::fs::copy("/bin/sh", &shell).unwrap();
    world.lay("script", format!("#!{}\necho x\n", shell.display()));
    let script = world.project().join("script");
    std::fs::set_permissions(&script, Permissions::from_mode(0o755)).unwrap();
    let done = world.execute(&run("./script"), json!({ "approve": "all" }));
    let result = &done["results"][0];
    assert_eq!(result["kind"], "file_not_found", "{done}");
    let error = result["error"].as_str().unwrap();
    assert!(error.contains("which is hidden in the sandbox") && !error.contains("bwrap"), "{error}");
    assert!(result["hint"].as_str().unwrap().contains("exec.readable"), "{done}");
}

#[test]
fn a_chain_of_commands_may_be_code_for_bash() {
    let world = World::new();
    let refused = world.execute(&run("make && make test"), json!({}));
    let hint = refused["results"][0]["hint"].as_str().unwrap();
    assert!(hint.contains("code for bash in an exec action"), "{refused}");
}

#[test]
fn a_variable_that_a_command_names_and_does_not_get_is_told() {
    let code =
        Answer::new().action("exec", &[("code", "echo ${DATABASE_URL:?is not set}"), ("lang", "bash")]);
    let apply = |config: &str| {
        let world = World::with_config(config);
        let mut command = world.client(&["apply", "--approve-all"]);
        feed(command.env("DATABASE_URL", "of the terminal"), code.text().as_bytes())
    };
    let ran = apply("exec: {sandbox: off}\n");
    assert_eq!(ran.code, 1, "{ran:?}");
    for said in [
        "DATABASE_URL is set at the terminal, but not handed on to commands",
        "`exec.env` in your configuration sets variables of commands",
    ] {
        assert!(ran.stdout.contains(said), "{said}: {ran:?}");
    }
    assert!(!ran.stdout.contains("of the terminal"), "{ran:?}");
    let ran = apply("exec: {sandbox: off, env: {DATABASE_URL: own}}\n");
    assert_eq!(ran.code, 0, "{ran:?}");
}
