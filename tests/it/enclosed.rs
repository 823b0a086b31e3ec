//! Limits of commands: they cannot run without approval, reach files of others, stay, or take all memory.

use serde_json::{Value, json};

use crate::command_changes::commit_all;
use crate::commands::run;
use crate::refusals::kinds;
use crate::support::{Answer, World, skipped};

/// Commands that only seem to read, and commands that lead out of the project.
#[test]
fn commands_that_only_seem_to_read_are_asked_about_or_refused() {
    let world = World::new();
    world.lay("in", "x\n");
    std::fs::write(world.path("outside/secret"), "precious\n").unwrap();
    std::os::unix::fs::symlink(world.path("outside/secret"), world.project().join("link")).unwrap();
    std::os::unix::fs::symlink(world.path("outside"), world.project().join("way")).unwrap();
    if !commit_all(&world) {
        return;
    }
    let before = world.tree();
    let outside = world.path("outside/secret");
    let outside = outside.to_str().unwrap();
    for command in [
        "xxd in out".to_owned(),
        "git branch made".to_owned(),
        "git stash".to_owned(),
        "git -c core.pager=sh log".to_owned(),
        "git diff --ext-diff".to_owned(),
        "git diff --output=out".to_owned(),
        "git log --textconv".to_owned(),
        "git show --output out".to_owned(),
        "cat link".to_owned(),
        "cat way/secret".to_owned(),
        format!("cat {outside}"),
        "cat ../outside/secret".to_owned(),
        "head link".to_owned(),
        "cp link copy".to_owned(),
        "cp way/secret copy".to_owned(),
        "mv in way/in".to_owned(),
        "rm way/secret".to_owned(),
        "touch ../outside/new".to_owned(),
        "find . -exec sh -c 'echo x > out' +".to_owned(),
        "find . -delete".to_owned(),
        "find . -fprint out".to_owned(),
        format!("diff --to-file={outside} in"),
        format!("diff in {outside}"),
        format!("file {outside}"),
        format!("xxd {outside}"),
        "cat in > out".to_owned(),
        "cat in; sh".to_owned(),
        "cat $(id)".to_owned(),
        "cat `id`".to_owned(),
        "cat in | sh".to_owned(),
        "cat in && sh".to_owned(),
    ] {
        let result = world.execute(&run(&command), json!({ "git": "off" }));
        let kind = kinds(&result)[0].clone();
        // Some of them are refused and others wait for approval; none may run.
        assert_ne!(kind, "none", "{command}: {result:#}");
        assert!(!result.to_string().contains("precious"), "{command}: {result:#}");
    }
    before.assert_at(&world.project());
    assert_eq!(std::fs::read_to_string(world.path("outside/secret")).unwrap(), "precious\n");
    assert_eq!(std::fs::read_dir(world.path("outside")).unwrap().count(), 1);
}

#[test]
fn an_answer_that_edits_the_makefile_has_its_approved_command_asked_about() {
    if !std::path::Path::new("/usr/bin/make").exists() {
        return skipped("make", "it is not installed");
    }
    for (sandbox, asks) in [("'off'", true), ("auto", false)] {
        let world = World::with_config(&format!("exec: {{sandbox: {sandbox}}}\n"));
        world.lay("Makefile", "test:\n\techo tested\n");
        assert_eq!(world.run(&["approve", "make test"], "").code, 0);
        assert_eq!(world.execute(&run("make test"), json!({}))["success"], true);
        let in_none = world.status()["sandbox"].as_str().unwrap().starts_with("none");
        let answer = Answer::new()
            .replace(&world.at("Makefile"), "echo tested", "echo evil")
            .action("run", &[("command", "make test")]);
        let expected = if asks || in_none { "command_not_allowed" } else { "none" };
        assert_eq!(kinds(&world.execute(&answer, json!({}))), ["none", expected], "{sandbox}");
    }
}

#[test]
fn a_repository_approves_none_of_its_own_commands() {
    let world = World::new();
    world.lay(".clada/allowed-commands.json", "{\"commands\": [\"sh -c true\"], \"added\": {}}");
    assert_eq!(kinds(&world.execute(&run("sh -c true"), json!({}))), ["command_not_allowed"]);
    let listed = world.run(&["approve", "--list"], "");
    assert!(listed.stdout.contains("sh -c true: only proposed by the project"), "{listed:?}");
    for config in ["exec: {approval: sandboxed}", "exec: {env: {PATH: /evil}}", "exec: {sandbox: 'off'}"] {
        world.lay(".clada/config.yaml", config);
        let code = Answer::new().action("exec", &[("code", "true"), ("lang", "bash")]);
        let ran = world.run(&["apply", "--json"], code.text());
        assert_ne!(ran.code, 0, "{config}: {ran:?}");
        assert!(!ran.stdout.contains("\"success\":true"), "{config}: {ran:?}");
    }
    std::fs::remove_file(world.project().join(".clada/config.yaml")).unwrap();
    let own =
        Answer::new().write(&world.at(".clada/allowed-commands.json"), "{\"commands\": [\"sh -c id\"]}");
    assert_eq!(kinds(&world.execute(&own, json!({ "approve": "all" }))), ["path_denied"]);
}

#[test]
fn an_approved_command_is_asked_about_again_after_an_edit_without_a_sandbox() {
    let world = World::with_config("exec: {sandbox: 'off'}\n");
    assert_eq!(world.run(&["approve", "sh build"], "").code, 0);
    world.lay("build", "echo built\n");
    assert_eq!(world.execute(&run("sh build"), json!({}))["success"], true);
    let edited =
        Answer::new().write(&world.at("build"), "echo evil\n").action("run", &[("command", "sh build")]);
    let result = world.execute(&edited, json!({}));
    assert_eq!(kinds(&result), ["none", "command_not_allowed"]);
    assert!(result["approvals"][0]["reason"].as_str().unwrap().contains("changes files before it"));
    assert_eq!(result["approvals"][0]["sandbox"], "none");
}

#[test]
fn nothing_of_the_daemon_is_seen_by_a_command() {
    let mut world = World::new();
    world.set("DAEMONS_OWN", "secret");
    let pid = world.status()["pid"].as_u64().unwrap();
    let socket = world.socket();
    let script = format!(
        "sh -c 'ls /proc/self/fd; tr \"\\\\0\" \"\\\\n\" < /proc/{pid}/environ; ls /proc/{pid}/fd; \
         test -S {} && echo socket; true'",
        socket.display()
    );
    let result = world.execute(&run(&script), json!({ "approve": "all" }));
    let data = &result["results"][0]["data"];
    let lines: Vec<&str> = data["stdout"].as_str().unwrap().lines().collect();
    // Standard input, output, error, and the folder that is listed.
    assert_eq!(lines[..4], ["0", "1", "2", "3"], "{result:#}");
    match data["sandbox"].as_str().unwrap() {
        "bubblewrap" => assert_eq!(lines.len(), 4, "{result:#}"),
        // Landlock lets the name of the socket be seen, and some kernels the numbers of descriptors;
        // connecting and opening are refused.
        "landlock" => {
            let number = |line: &&&str| line.bytes().all(|byte| byte.is_ascii_digit());
            let seen: Vec<&&str> = lines[4..].iter().filter(|line| !number(line)).collect();
            assert_eq!(seen, [&"socket"], "{result:#}");
        }
        other => skipped("what a command sees of the daemon", &format!("the sandbox here is {other}")),
    }
}

#[test]
fn a_command_gets_the_terminals_variables_and_none_of_the_daemons() {
    let mut world = World::new();
    world.set("DAEMONS_OWN", "secret");
    world.set("LC_MINE", "handed-on");
    let ran = world.run(&["apply", "--approve-all"], run("env").text());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("LC_MINE=handed-on") && !ran.stdout.contains("DAEMONS_OWN"), "{ran:?}");
}

#[test]
fn nothing_of_a_command_is_left_when_it_has_ended() {
    let world = World::new();
    let answer = run("sh -c '(sleep 600 & setsid sleep 600 & nohup sleep 600 > /dev/null &) ; echo done'");
    let result = world.execute(&answer, json!({ "approve": "all" }));
    assert_eq!(result["results"][0]["data"]["stdout"], "done\n", "{result:#}");
    assert_eq!(result["results"][0]["data"].get("left"), None::<&Value>);
}

#[test]
fn a_gigabyte_of_output_takes_no_memory_for_it() {
    let world = World::new();
    let before = world.status()["memoryBytes"].as_u64().unwrap_or(0);
    let answer = run("sh -c 'printf first; head -c 1073741824 /dev/zero; printf last'");
    let result = world.execute(&answer, json!({ "approve": "all", "timeoutMs": 600_000, "stream": false }));
    let data = &result["results"][0]["data"];
    assert_eq!(kinds(&result), ["none"], "{}", result["results"][0]["error"]);
    assert_eq!((&data["exit_code"], &data["truncated"]), (&json!(0), &json!(true)), "{}", data["exit_code"]);
    assert_eq!(data["stdoutBytes"], (1_u64 << 30) + 9);
    let text = data["stdout"].as_str().unwrap();
    assert!(text.starts_with("first") && text.contains("[output truncated]") && text.ends_with("last"));
    // A result holds 16 MB, escapes and all.
    assert!(text.len() > 1_000_000 && text.len() <= (10 << 20) + 100, "{}", text.len());
    let memory = world.status()["memoryBytes"].as_u64().unwrap_or(0).saturating_sub(before);
    assert!(memory < 400 << 20, "{memory}");
}

#[test]
fn code_that_runs_in_a_sandbox_needs_no_approval_if_the_person_says_so() {
    let world = World::with_config("exec: {approval: sandboxed}\n");
    let code = Answer::new().action("exec", &[("code", "echo x > made"), ("lang", "bash")]);
    let result = world.execute(&code, json!({}));
    if !keeps_parts(&world) {
        return skipped("code in a sandbox", "no sandbox works here that keeps parts of a project");
    }
    assert_eq!((kinds(&result), world.exists("made")), (vec!["none".to_owned()], true), "{result:#}");
    // Commands are another matter, and so is code without a sandbox.
    assert_eq!(kinds(&world.execute(&run("sh -c true"), json!({}))), ["command_not_allowed"]);
    let world = World::with_config("exec: {approval: sandboxed, sandbox: 'off'}\n");
    let result = world.execute(&code, json!({}));
    assert_eq!((kinds(&result), world.exists("made")), (vec!["command_not_allowed".to_owned()], false));
}

/// Returns true if the sandbox that works here protects parts of a project: others do not count for code that
/// runs without approval.
fn keeps_parts(world: &World) -> bool {
    let sandbox = world.status()["sandbox"].as_str().unwrap().to_owned();
    ["bubblewrap", "sandbox-exec"].iter().any(|name| sandbox.starts_with(name))
}

#[test]
fn regression_unasked_code_sees_no_secret_and_no_home() {
    let world = World::with_config("exec: {approval: sandboxed}\n");
    world.lay(".gitignore", ".env\nkeys/\n");
    for secret in [".env", "sub/.env.local", "keys/deep/server.pem"] {
        world.lay(secret, "precious\n");
    }
    world.lay("sub/file", "plain\n");
    std::os::unix::fs::symlink(".env", world.project().join("other")).unwrap();
    std::fs::write(world.path("home/letter"), "letter\n").unwrap();
    std::fs::write(world.path("home/.codex"), "precious\n").unwrap();
    let code = "cat .env sub/.env.local keys/deep/server.pem other late.key $HOME_FOLDER/.codex 2>/dev/null; cat sub/file; \
                    grep -r precious . ; mv .env moved 2>/dev/null; cat moved 2>/dev/null; cat $HOME_FOLDER/letter 2>/dev/null; true";
    let code = code.replace("$HOME_FOLDER", world.path("home").to_str().unwrap());
    let answer = Answer::new()
        .write(&world.at("late.key"), "precious\n")
        .action("exec", &[("code", &code), ("lang", "bash")]);
    let result = world.execute(&answer, json!({}));
    // The sandbox is known once a command was to run.
    if !keeps_parts(&world) {
        return skipped("code that nobody looks at", "no sandbox works here that keeps parts of a project");
    }
    let said = result["results"][1]["data"]["stdout"].as_str().unwrap_or_default();
    assert_eq!(said, "plain\n", "{result:#}");
    // A user who approves it has seen it.
    let world = World::new();
    world.lay(".env", "shown\n");
    let seen = Answer::new().action("exec", &[("code", "cat .env"), ("lang", "bash")]);
    let result = world.execute(&seen, json!({ "approve": "all" }));
    assert_eq!(result["results"][0]["data"]["stdout"], "shown\n", "{result:#}");
}

/// A command sees the parts of a home folder and its surroundings that `exec.home` and `exec.readable` allow.
#[test]
fn what_is_seen_of_the_home_folder_is_what_the_configuration_says() {
    let plain = ["home/letter"];
    let programs = ["home/.cargo/registry/x", "home/.local/bin/tool"];
    let (keys, beside) = (["home/.ssh/key", "home/.cargo/credentials"], ["outside/deep/x", "outside/y"]);
    let cases: [(&str, Vec<&str>); 6] = [
        ("home: show", [&plain[..], &programs].concat()),
        ("home: auto", [&plain[..], &programs].concat()),
        ("home: hide", programs.to_vec()),
        ("home: hide, readable: [TOP/outside]", [&programs[..], &beside].concat()),
        (
            "home: hide, readable: [TOP/outside/y, TOP/home/letter]",
            vec![plain[0], programs[0], programs[1], beside[1]],
        ),
        ("home: show, readable: [TOP/home/.ssh]", vec![plain[0], programs[0], programs[1], keys[0]]),
    ];
    let all = [&plain[..], &programs, &keys, &beside].concat();
    for (said, expected) in cases {
        let world = World::new();
        let top = world.path("").to_str().unwrap().trim_end_matches('/').to_owned();
        let yaml = format!("exec: {{{}}}\n", said.replace("TOP", &top));
        std::fs::write(world.path("config/clada/config.yaml"), yaml).unwrap();
        for name in &all {
            std::fs::create_dir_all(world.path(name).parent().unwrap()).unwrap();
            std::fs::write(world.path(name), format!("{name}\n")).unwrap();
        }
        let paths: Vec<String> = all.iter().map(|name| format!("{top}/{name}")).collect();
        let script = format!("sh -c 'cat {} 2>/dev/null; true'", paths.join(" "));
        let result = world.execute(&run(&script), json!({ "approve": "all" }));
        let data = &result["results"][0]["data"];
        if data["sandbox"] == "none" {
            return skipped("what is seen of the home folder", "no sandbox works here");
        }
        let seen: Vec<&str> = data["stdout"].as_str().unwrap().lines().collect();
        let expected: Vec<&str> = all.iter().copied().filter(|name| expected.contains(name)).collect();
        assert_eq!(seen, expected, "{said}: {result:#}");
        // A file that is visible is not writable.
        let changes =
            format!("sh -c 'for file in {}; do echo x >> $file; done 2>/dev/null; true'", paths.join(" "));
        let _ = world.execute(&run(&changes), json!({ "approve": "all" }));
        for name in &all {
            assert_eq!(std::fs::read_to_string(world.path(name)).unwrap(), format!("{name}\n"), "{said}");
        }
    }
}
