//! Commands of an answer: those that run, those that wait for a user, their remains, and that nothing gets
//! around that.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Terminal, World, skipped};

/// One command.
pub(crate) fn run(command: &str) -> Answer {
    Answer::new().action("run", &[("command", command)])
}

#[test]
fn a_command_sees_what_was_written_before_it_and_what_follows_sees_what_it_did() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("a.txt"), "one\n")
        .action("run", &[("command", "sh -c 'cat a.txt; echo two >> a.txt; echo said >&2'")])
        .replace(&world.at("a.txt"), "two", "three");
    let result = world.execute(&answer, json!({}));
    assert_eq!(kinds(&result), ["none", "command_not_allowed", "no_match"]);
    let approval = &result["approvals"][0];
    assert_eq!(approval["kind"], "command");
    assert_eq!(approval["command"], "sh -c 'cat a.txt; echo two >> a.txt; echo said >&2'");
    assert_eq!(approval["path"], json!(world.project().canonicalize().unwrap()));
    let result = world.execute(&answer, json!({ "approve": [approval["id"]] }));
    assert_eq!(kinds(&result), ["answer_already_applied", "none", "none"], "{result:#}");
    let data = &result["results"][1]["data"];
    let sandbox = world.status()["sandbox"].as_str().unwrap().to_owned();
    assert!(sandbox.starts_with(data["sandbox"].as_str().unwrap()), "{sandbox}");
    assert_eq!((&data["stdout"], &data["stderr"]), (&json!("one\n"), &json!("said\n")));
    assert_eq!(data["exit_code"], 0);
    assert_eq!(world.read("a.txt"), "one\nthree\n");
}

#[test]
fn an_approval_is_for_one_command_in_one_folder() {
    let world = World::new();
    std::fs::create_dir(world.project().join("d")).unwrap();
    let id = world.execute(&run("sh -c true"), json!({}))["approvals"][0]["id"].clone();
    let other = [
        run("sh -c false"),
        Answer::new().action("run", &[("command", "sh -c true"), ("dir", "d")]),
        Answer::new().action("exec", &[("code", "sh -c true"), ("lang", "bash")]),
    ];
    for answer in &other {
        assert_eq!(kinds(&world.execute(answer, json!({ "approve": [id] }))), ["command_not_allowed"]);
    }
    assert_eq!(world.execute(&run("sh -c true"), json!({ "approve": [id] }))["success"], true);
}

#[test]
fn a_command_that_fails_is_an_error_with_its_output() {
    let world = World::new();
    let answer = Answer::new()
        .action("exec", &[("code", "echo so far; exit 3"), ("lang", "bash")])
        .action("run", &[("command", "sh -c 'kill -9 $$'")]);
    let result = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(kinds(&result), ["exec_failed", "exec_failed"]);
    assert_eq!(result["results"][0]["data"]["stdout"], "so far\n");
    assert_eq!(result["results"][0]["data"]["exit_code"], 3);
    assert_eq!(result["results"][1]["data"]["exit_code"], 137);
}

/// The words are the same in any sandbox.
#[test]
fn a_file_that_cannot_be_started_is_told_with_what_to_do() {
    let world = World::new();
    world.lay("plain", "#!/bin/sh\n");
    world.lay("crlf", "#!/bin/sh\r\n");
    std::fs::set_permissions(world.project().join("crlf"), Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(world.project().join("folder")).unwrap();
    for (command, kind, message) in [
        ("./nothing", "file_not_found", "Program not found '"),
        ("folder/nothing", "file_not_found", "Program not found '"),
        ("./folder", "exec_failed", "Program is not a file '"),
        ("./plain", "permission_denied", "Program may not be executed '"),
        ("./crlf", "file_not_found", "Its first line names '/bin/sh"),
    ] {
        let result = world.execute(&run(command), json!({ "approve": "all" }));
        assert_eq!(kinds(&result), [kind], "{command}: {result:#}");
        let told = result["results"][0]["error"].as_str().unwrap();
        assert!(told.contains(message), "{told}");
    }
}

#[test]
fn a_command_ends_at_its_deadline_with_the_output_so_far() {
    let world = World::new();
    // A machine that is slow or busy needs longer until there is any output.
    let mut milliseconds = 200;
    loop {
        let time = milliseconds.to_string();
        let code = Answer::new()
            .action("exec", &[("code", "echo so far; sleep 600"), ("lang", "bash"), ("timeout", &time)]);
        let result = world.execute(&code, json!({ "approve": "all" }));
        let result = &result["results"][0];
        let error = format!("exec: Process timeout after {}s (TIMEOUT)", f64::from(milliseconds) / 1000.0);
        assert_eq!((&result["status"], &result["error"]), (&json!("ERROR"), &json!(error)));
        if result["data"]["stdout"] == "so far\n" {
            break;
        }
        assert!(result["data"]["stdout"].as_str().unwrap_or_default().is_empty(), "{result:#}");
        assert!(milliseconds < 60_000, "no output in {milliseconds} ms: {result:#}");
        milliseconds *= 2;
    }
    let ran = world.run(&["apply", "--approve-all", "--timeout", "200ms"], run("sleep 600").text());
    assert_eq!(ran.code, 1);
    // The hint names the sandbox of the machine.
    assert!(ran.stdout.contains("run - Process timeout after 0.2s (TIMEOUT)"), "{ran:?}");
}

#[test]
fn the_time_and_the_output_of_commands_are_the_persons_to_set() {
    let world = World::with_config("limits: {command_time: 200ms, command_output: 1kB}\n");
    let waits = run("sleep 600");
    let asked = world.execute(&waits, json!({}));
    assert_eq!(asked["approvals"][0]["timeoutMs"], 200);
    let result = world.execute(&waits, json!({ "approve": "all" }));
    assert_eq!(kinds(&result), ["timeout"], "{result:#}");
    assert!(result["results"][0]["hint"].as_str().unwrap().contains("limits.command_time"), "{result:#}");
    let longer = world.execute(&waits, json!({ "approve": "all", "timeoutMs": 300 }));
    assert_eq!(longer["results"][0]["error"], "run: Process timeout after 0.3s (TIMEOUT)");
    // A command that ends by itself is given all the time that it may need.
    let says = run("sh -c 'seq 1 10000'");
    let result = world.execute(&says, json!({ "approve": "all", "timeoutMs": 600_000 }));
    assert_eq!(kinds(&result), ["none"], "{result:#}");
    let data = &result["results"][0]["data"];
    assert!(data["truncated"] == true && data["stdout"].as_str().unwrap().len() < 1100, "{data:#}");
    let more = json!({ "approve": "all", "timeoutMs": 600_000, "maxOutput": 100_000 });
    assert!(world.execute(&says, more)["results"][0]["data"].get("truncated").is_none());
}

#[test]
fn output_is_kept_within_its_bound_and_shown_as_it_comes() {
    let world = World::new();
    let answer = run("sh -c 'echo first; seq 1 100000; printf last'");
    let result = world.execute(&answer, json!({ "approve": "all", "maxOutput": 1000 }));
    let data = &result["results"][0]["data"];
    let text = data["stdout"].as_str().unwrap();
    assert!(text.starts_with("first\n") && text.ends_with("last"), "{text}");
    assert!(text.contains("[output truncated]") && text.len() < 1100, "{text}");
    assert_eq!(data["truncated"], true);
    let ran = world.run(&["apply", "--approve-all"], run("sh -c 'echo a; echo b >&2; printf c'").text());
    for line in ["[task-1:exec] a\n", "[task-1:exec] b\n", "[task-1:exec] c\n"] {
        assert_eq!(ran.stdout.matches(line).count(), 1, "{ran:?}");
    }
    let args = ["apply", "--approve-all", "--output-mode", "silent"];
    assert!(!world.run(&args, run("echo a").text()).stdout.contains(":exec]"));
    let args = ["apply", "--approve-all", "--output-mode", "buffer"];
    assert!(world.run(&args, run("echo a").text()).stdout.contains("[task-1:exec] a\n"));
}

#[test]
fn regression_the_time_for_all_ends_a_command_as_a_time_out() {
    let world = World::new();
    // A machine that is slow or busy needs longer until the command runs.
    let mut milliseconds = 500;
    let ran = loop {
        let time = format!("{milliseconds}ms");
        let ran = world.run(&["apply", "--approve-all", "--total-timeout", &time], run("sleep 600").text());
        if !ran.stdout.contains("before it began") && !ran.stdout.is_empty() {
            break ran;
        }
        assert!(milliseconds < 60_000, "{ran:?}");
        milliseconds *= 2;
    };
    assert_eq!(ran.code, 1, "{ran:?}");
    expect![[r#"
        [task-1] ERROR: run - Command was stopped: the time limit of the whole answer was reached (TIMEOUT)
          allow more time with --total-timeout

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    expect![[r#"
        clada: the time limit of the whole answer was reached
          allow more time with --total-timeout; `clada apply --resume` does the rest
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
    assert!(!format!("{ran:?}").contains("CANCELLED"), "{ran:?}");
}

#[test]
fn regression_what_is_shown_as_it_comes_keeps_to_the_bound() {
    let world = World::new();
    let answer = run("sh -c 'echo first; seq 1 100000; echo last'");
    let result = world.execute(&answer, json!({ "approve": "all", "maxOutput": 1000 }));
    let kept = result["results"][0]["data"]["stdout"].as_str().unwrap().to_owned();
    let ran = world.run(&["apply", "--approve-all", "--max-output", "1000"], answer.text());
    let lines = ran.stdout.lines().filter_map(|line| line.strip_prefix("[task-1:exec] "));
    assert_eq!(lines.collect::<Vec<_>>(), kept.lines().collect::<Vec<_>>(), "{ran:?}");
    assert!(kept.contains("\n[output truncated]\n") && kept.ends_with("\nlast\n"), "{kept}");
}

#[test]
fn what_is_approved_for_good_runs_unasked_where_it_was_approved() {
    let world = World::new();
    std::fs::create_dir(world.project().join("d")).unwrap();
    let ran = world.run(&["approve", "sh -c true"], "");
    assert_eq!((ran.code, ran.stdout.contains("sh -c true")), (0, true), "{ran:?}");
    assert!(world.read(".clada/allowed-commands.json").contains("\"sh -c true\""));
    assert_eq!(world.execute(&run("sh -c true"), json!({}))["success"], true);
    assert_eq!(kinds(&world.execute(&run("sh  -c true"), json!({}))), ["command_not_allowed"]);
    let elsewhere = Answer::new().action("run", &[("command", "sh -c true"), ("dir", "d")]);
    assert_eq!(kinds(&world.execute(&elsewhere, json!({}))), ["command_not_allowed"]);
    // A user who removes it from the file revokes it.
    world.lay(".clada/allowed-commands.json", "{\"commands\": []}");
    assert_eq!(kinds(&world.execute(&run("sh -c true"), json!({}))), ["command_not_allowed"]);
    world.lay(".clada/allowed-commands.json", "no JSON");
    assert_eq!(kinds(&world.execute(&run("sh -c true"), json!({}))), ["command_not_allowed"]);
    std::fs::remove_file(world.project().join(".clada/allowed-commands.json")).unwrap();
    assert_eq!(world.run(&["approve", "sh -c true"], "").code, 0);
    assert_eq!(world.execute(&run("sh -c true"), json!({}))["success"], true);
    assert_eq!(world.run(&["approve", "sh -c true", "--remove"], "").code, 0);
    assert_eq!(kinds(&world.execute(&run("sh -c true"), json!({}))), ["command_not_allowed"]);
}

#[test]
fn a_block_that_is_all_or_nothing_waits_for_its_commands() {
    let world = World::new();
    let answer = "<---TASKS--->\n<---WRITE file=\"a\"--->\nx\n<---END--->\n<---RUN--->\nsh -c 'cp a b'\n<---END--->\n\
                  <---WRITE file=\"c\"--->\nx\n<---END--->\n<---END--->\n";
    let result = world.apply_json(&[], answer);
    assert_eq!(kinds(&result), ["skipped", "command_not_allowed", "skipped"]);
    assert!(!world.exists("a") && !world.exists("c"));
    let result = world.apply_json(&["--approve-all"], answer);
    assert_eq!(result["success"], true, "{result:#}");
    assert!(world.exists("a") && world.exists("b") && world.exists("c"));
    let failing = answer.replace("cp a b", "exit 1").replace("\"c\"", "\"d\"");
    assert_eq!(kinds(&world.apply_json(&["--approve-all"], failing)), ["none", "exec_failed", "skipped"]);
    assert!(!world.exists("d"));
}

#[test]
fn what_looks_needs_no_approval_and_sees_what_was_done_before_it() {
    let world = World::new();
    world.lay("src/old.rs", "fn old() {}\n");
    world.lay(".env", "fn secret() {}\n");
    let looks = |command| {
        Answer::new().write(&world.at("src/new.rs"), "fn new() {}\n").action("run", &[("command", command)])
    };
    for (command, stdout, exit_code) in [
        ("grep -rhn 'fn [a-z]*()' .", "1:fn new() {}\n1:fn old() {}\n", 0),
        ("grep -r nothing .", "", 1),
        ("find . -type f -name '*.rs'", "./src/new.rs\n./src/old.rs\n", 0),
        ("ls -R", ".:\nsrc\n\n./src:\nnew.rs\nold.rs\n", 0),
        ("tree src", "src\n├── new.rs\n└── old.rs\n\n0 directories, 2 files\n", 0),
        ("stat -c '%s %F' src/new.rs", "12 regular file\n", 0),
        ("realpath --relative-to=. src/new.rs", "src/new.rs\n", 0),
    ] {
        std::fs::remove_file(world.project().join("src/new.rs")).ok();
        let result = world.execute(&looks(command), json!({ "again": true }));
        assert_eq!(result["approvals"], Value::Null, "{result:#}");
        let data = &result["results"][1]["data"];
        assert_eq!((&data["stdout"], &data["exit_code"]), (&json!(stdout), &json!(exit_code)), "{result:#}");
        assert_eq!(data.get("sandbox"), None, "{result:#}");
    }
}

#[test]
fn a_report_says_what_looks_have_found() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\n");
    let answer = run("grep -n two a.txt").action("run", &[("command", "grep three a.txt")]);
    for format in ["llm", "text"] {
        let ran = world.run(&["apply", "--again", "--format", format], answer.text());
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains("2:two") && ran.stdout.contains("exit status 1"), "{ran:?}");
    }
}

#[test]
fn a_dry_run_lists_what_it_needs_and_runs_nothing() {
    let world = World::new();
    let answer = Answer::new()
        .action("run", &[("command", "touch here")])
        .action("run", &[("command", "sh -c 'echo x > there'")]);
    let result = world.execute(&answer, json!({ "dryRun": true, "approve": "all" }));
    assert_eq!(result["success"], true, "{result:#}");
    assert!(!world.exists("here") && !world.exists("there"));
    let result = world.execute(&answer, json!({ "dryRun": true }));
    assert_eq!(result["approvals"].as_array().unwrap().len(), 1);
}

#[test]
fn parse_with_a_project_lists_what_would_have_to_be_approved() {
    let world = World::new();
    let answer = Answer::new()
        .action("run", &[("command", "  sh -c true ")])
        .action("exec", &[("code", "exit 0"), ("lang", "bash")])
        .write(&world.at(".github/workflows/x.yml"), "on: push\n")
        .action("run", &[("command", "mkdir d")])
        .action("run", &[("command", "sh -c 'x | y' > z")]);
    let found = world.connect().call(
        "parse",
        &json!({ "text": answer.text(), "root": world.root(), "env": { "PATH": "/usr/bin:/bin" } }),
    );
    let approvals = found["approvals"].as_array().unwrap();
    let kinds: Vec<_> = approvals.iter().map(|approval| approval["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["command", "command", "file"], "{found:#}");
    let folder = json!(world.project().canonicalize().unwrap());
    for (approval, command, code) in
        [(&approvals[0], "sh -c true", Value::Null), (&approvals[1], "bash", json!("exit 0"))]
    {
        assert_eq!((&approval["command"], &approval["code"]), (&json!(command), &code), "{approval:#}");
        assert_eq!((&approval["dir"], &approval["network"]), (&folder, &json!(false)));
        let sandbox = world.status()["sandbox"].as_str().unwrap().to_owned();
        assert!(sandbox.starts_with(approval["sandbox"].as_str().unwrap()), "{sandbox}");
    }
    assert!(!world.exists("d"));
    // Without a project no approvals are listed.
    let bare = world.connect().call("parse", &json!({ "text": answer.text() }));
    assert!(bare.get("approvals").is_none());
    // It names the commands that `execute` takes, in the same environment.
    let ids: Vec<&Value> = approvals.iter().map(|approval| &approval["id"]).collect();
    let result = world.execute(&answer, json!({ "approve": ids, "env": { "PATH": "/usr/bin:/bin" } }));
    assert_eq!(self::kinds(&result), ["none", "none", "none", "none", "command_not_allowed"], "{result:#}");
    let shown = world.run(&["parse"], answer.text());
    assert!(
        shown.stdout.contains("This needs your approval:") && shown.stdout.contains("| sh -c true\n"),
        "{shown:?}"
    );
}

#[test]
fn the_person_at_the_terminal_is_asked_before_anything_is_done() {
    let world = World::new();
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let answer = Answer::new()
        .action("run", &[("command", "sh -c 'echo once > once'")])
        .action("run", &[("command", "sh -c 'echo always > always'")])
        .action("run", &[("command", "sh -c 'echo never > never'")])
        .action("exec", &[("code", "echo \u{1b}[2Jcode > code"), ("lang", "bash")]);
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    let question = "Run it? [y,a,w,N,d,q,?] ";
    let shown = terminal.answer(question, "y\n");
    assert!(
        shown.contains("| sh -c 'echo once > once'") && shown.contains("/sh; at most 30 s; no network"),
        "{shown}"
    );
    assert!(!world.exists("once"));
    terminal.answer(question, "a\n");
    terminal.answer(question, "n\n");
    let shown = terminal.answer("Run it? [y,w,N,d,v,q,?] ", "y\n");
    // Characters that would hide a part of the code are made visible.
    assert!(
        shown.contains("echo \\u{1b}[2Jcode > code") && shown.contains("invisible characters"),
        "{shown}"
    );
    let seen = terminal.close();
    let ran: crate::support::Ran = child.wait_with_output().unwrap().into();
    assert_eq!(ran.code, 1, "{ran:?} {seen}");
    assert!(world.exists("once") && world.exists("always") && world.exists("code") && !world.exists("never"));
    assert!(!ran.stdout.contains("This needs your approval:"), "{ran:?}");
    let listed = world.run(&["approve", "--list"], "");
    assert!(listed.stdout.contains("echo always") && !listed.stdout.contains("echo once"), "{listed:?}");
}

/// The same answer in each dialect that has commands.
#[test]
fn the_commands_of_csl_and_cml_run_in_their_folders() {
    let csl =
        "<---RUN dir=\"sub\"--->\nsh -c \\\n  'echo x > made'\n<---END--->\n<---RUN--->\nls\n<---END--->\n";
    let cml = "```xml\n<tasks>\n<run dir=\"sub\">sh -c 'echo x > made'</run>\n<run><![CDATA[ls]]></run>\n</tasks>\n```\n";
    for answer in [csl, cml] {
        let world = World::new();
        world.lay("sub/kept", "x");
        let asked = world.apply_json(&[], answer);
        assert_eq!(asked["approvals"][0]["dir"], json!(world.project().canonicalize().unwrap().join("sub")));
        let result = world.apply_json(&["--approve-all"], answer);
        assert_eq!(kinds(&result), ["none", "none"], "{result:#}");
        assert!(world.exists("sub/made"), "{answer}");
        // The folder is that of one command alone.
        assert_eq!(result["results"][1]["data"]["stdout"], "sub\n");
        let outside = answer.replace("\"sub\"", "\"../outside\"");
        assert_eq!(kinds(&world.apply_json(&["--approve-all"], outside))[0], "path_escape");
    }
    let world = World::new();
    let two = world.run(&["apply", "--approve-all"], "<---RUN--->\nls\npwd\n<---END--->\n");
    assert!(two.code == 1, "{two:?}");
    expect![[r#"
        [task-1] ERROR: run - A command is one line (COMMAND_NOT_ALLOWED)
          write one RUN for each command, or end a line with a backslash to go on in the next one

        1 action: 0 succeeded, 1 failed. Operation ID.
    "#]]
    .assert_eq(&world.shown(&two.stdout));
}

#[test]
fn the_deprecated_elements_of_cml_are_moves_and_removals() {
    let world = World::new();
    world.lay("a", "one\n");
    world.lay("b", "two\n");
    let before = world.tree();
    let answer =
        "<tasks>\n<move from=\"a\" to=\"d/c\"/>\n<remove path=\"b\"/>\n</tasks>\n<remove path=\"gone\"/>\n";
    let result = world.apply_json(&[], answer);
    assert_eq!(kinds(&result), ["none", "none", "file_not_found"], "{result:#}");
    assert!(result["warnings"].to_string().contains("deprecated"), "{result:#}");
    assert!(!world.exists("a") && !world.exists("b"));
    assert_eq!(world.read("d/c"), "one\n");
    assert_eq!(world.run(&["undo"], "").code, 0);
    assert_eq!(before.difference(&world.tree()), "");
}

#[test]
fn regression_a_command_in_a_folder_that_the_answer_makes_is_approved_for_good() {
    let world = World::new();
    let Some(mut terminal) = Terminal::open() else {
        return skipped("a test at a terminal", "a program cannot be given one here");
    };
    let answer = Answer::new()
        .write(&world.at("made/a.txt"), "x")
        .action("run", &[("command", "sh -c 'echo x > ran'"), ("dir", "made")]);
    let child = terminal.start(&world.client(&["apply"]), answer.text().as_bytes());
    terminal.answer("Run it? [y,a,w,N,d,q,?] ", "a\n");
    let ran: crate::support::Ran = child.wait_with_output().unwrap().into();
    assert_eq!((ran.code, world.exists("made/ran")), (0, true), "{ran:?}");
    let again = Answer::new().action("run", &[("command", "sh -c 'echo x > ran'"), ("dir", "made")]);
    assert_eq!(world.execute(&again, json!({}))["success"], true);
}

/// An answer of these commands.
fn running(commands: &[&str]) -> Answer {
    commands.iter().fold(Answer::new(), |answer, command| answer.action("run", &[("command", command)]))
}

#[test]
fn commands_without_a_program_take_paths_below_made_up_roots_as_edits_do() {
    let commands = [
        "cat /no-such-root/demo/src/app.py",
        "cp /no-such-root/demo/src/app.py copy.py",
        "touch /no-such-root/demo/src/app.py",
        "mv /no-such-root/demo/src/app.py moved.py",
    ];
    let world = World::new();
    world.lay("src/app.py", "one\n");
    let refused = world.execute(&running(&commands), json!({}));
    assert_eq!(kinds(&refused), ["path_escape"; 4]);
    for result in refused["results"].as_array().unwrap() {
        assert!(result["hint"].as_str().unwrap().contains("'src/app.py'"), "{result:#}");
    }
    let world = World::with_config("paths: {made_up_roots: accept}\n");
    world.lay("src/app.py", "one\n");
    world.lay("top.txt", "top\n");
    let taken = world.execute(&running(&commands), json!({}));
    assert_eq!(kinds(&taken), ["none"; 4]);
    assert!(!taken["warnings"].as_array().unwrap().is_empty(), "{taken:#}");
    assert_eq!((world.read("copy.py"), world.read("moved.py")), ("one\n".to_owned(), "one\n".to_owned()));
    let removed = running(&["rm /no-such-root/../top.txt", "rm /no-such-root/demo/top.txt"]);
    assert_eq!(kinds(&world.execute(&removed, json!({}))), ["path_escape"; 2]);
    assert_eq!(world.read("top.txt"), "top\n");
}

#[test]
fn a_folder_that_can_be_meant_is_named_and_never_taken() {
    let world = World::with_config("paths: {made_up_roots: accept}\n");
    world.lay("src/app.py", "one\n");
    let result = world.execute(
        &running(&[
            "ls /no-such-root/demo/src",
            "mkdir /no-such-root/demo/src/new",
            "mv src/app.py /no-such-root/src/b.py",
            "ls /no-such-root/demo/nowhere",
        ]),
        json!({}),
    );
    assert_eq!(kinds(&result), ["path_escape"; 4]);
    let hint = |at: usize| result["results"][at]["hint"].as_str().unwrap();
    assert!(hint(0).contains("a folder 'src': write that if it is meant"), "{}", hint(0));
    assert!(hint(1).contains("a folder 'src': write 'src/new' if that is meant"), "{}", hint(1));
    assert!(hint(2).contains("write 'src/b.py' if"), "{}", hint(2));
    assert!(!hint(3).contains("folder"), "{}", hint(3));
}
