//! Settings of the user and of the project: the project's may narrow what an answer may do, never widen it.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Terminal, Tree, World, skipped};

fn execute(world: &World, answer: &Answer) -> Result<Value, Value> {
    world.connect().try_call("execute", &json!({ "root": world.root(), "text": answer.text() }))
}

#[test]
fn a_project_may_narrow() {
    let world = World::with_config("durability: fast\n");
    world.lay(
        ".clada/config.yaml",
        "denied: ['vendor/**']\nask: ['Makefile']\nsecrets: {globs: ['*.secret']}\n\
         limits: {max_file_size: 1kB}\nsham: {paths: absolute}\nwrite: {final_newline: as_written}\n",
    );
    world.lay("a.secret", "precious");
    let answer = Answer::new()
        .write(&world.at("vendor/x"), "x")
        .write(&world.at("Makefile"), "x")
        .read(&world.at("a.secret"))
        .write(&world.at("big"), &"x".repeat(1500))
        .heredoc(&world.at("small"), "x")
        .write("relative", "x");
    let result = execute(&world, &answer).unwrap();
    assert_eq!(
        kinds(&result),
        ["path_denied", "approval_required", "secret", "limit_exceeded", "none"],
        "{result:#}"
    );
    assert_eq!(result["parseErrors"][0]["message"], "Invalid absolute path: relative");
    assert_eq!(world.read("small"), "x");
    // Files that are denied and held back anyway still are.
    world.lay(".env", "precious");
    let answer = Answer::new().read(&world.at(".env")).write(&world.at(".envrc"), "x").read("/etc/passwd");
    assert_eq!(kinds(&execute(&world, &answer).unwrap())[..2], ["secret", "approval_required"]);
}

#[test]
fn a_project_may_not_widen() {
    for yaml in [
        "allowed_roots: ['/']\n",
        "root_aliases: {/workspace: /}\n",
        "follow_symlinks: true\n",
        "durability: fast\n",
        "limits: {max_file_size: 1GB}\n",
        "limits: {input: 900MB}\n",
        "dialects: {enabled: [sham, whole_file]}\n",
        "daemon: {idle_exit: never}\n",
    ] {
        let world = World::new();
        world.lay(".clada/config.yaml", yaml);
        let outside = world.path("outside/x").to_str().unwrap().to_owned();
        let mut answer = Answer::new().write(&outside, "x").write("/workspace/x", "x");
        if yaml.contains("max_file_size") {
            answer = answer.write(&world.at("big"), &"x".repeat(11 << 20));
        }
        let before = world.tree();
        match execute(&world, &answer) {
            Ok(result) => assert!(!result.to_string().contains("\"success\":true"), "{yaml}: {result:#}"),
            Err(error) => assert_eq!(error["data"]["kind"], "invalid_config", "{yaml}: {error}"),
        }
        before.assert_at(&world.project());
        Tree::default().assert_at(&world.path("outside"));
    }
}

#[test]
fn an_answer_cannot_change_the_configuration() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at(".clada/config.yaml"), "denied: []\n")
        .write(world.path("config/clada/config.yaml").to_str().unwrap(), "allowed_roots: ['/']\n");
    let result = execute(&world, &answer).unwrap();
    assert_eq!(kinds(&result), ["path_denied", "path_escape"]);
}

#[test]
fn a_broken_configuration_is_told_with_its_place_and_nothing_runs() {
    for (yaml, said) in [
        ("limits: {max_file_sise: 1kB}\n", "max_file_size"),
        ("limits:\n  max_file_size: lots\n", "max_file_size"),
        ("denied: ['a']\ndenied: ['b']\n", "denied"),
        ("denied: [\n", "line"),
        ("- a\n- b\n", "line"),
    ] {
        let world = World::new();
        world.lay(".clada/config.yaml", yaml);
        let answer = Answer::new().write(&world.at("a.txt"), "a");
        let error = execute(&world, &answer).unwrap_err();
        assert_eq!(error["data"]["kind"], "invalid_config", "{yaml}: {error}");
        assert!(error.to_string().contains(said), "{yaml}: {error}");
        assert!(error.to_string().contains(".clada/config.yaml"), "{yaml}: {error}");
        let ran = world.apply(&answer);
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{yaml}: {ran:?}");
        assert!(!world.exists("a.txt"), "{yaml}");
    }
}

#[test]
fn a_broken_configuration_of_the_person_runs_nothing_either() {
    let world = World::with_config("limits: {no_such: 3}\n");
    let answer = Answer::new().write(&world.at("a.txt"), "a");
    let ran = world.apply(&answer);
    assert_eq!(ran.code, 1, "{ran:?}");
    expect![[r#"
        clada: the configuration has an error: /TOP/config/clada/config.yaml:1:10: `limits.no_such` is not a key.
          Perhaps you mean `limits.actions`.
    "#]].assert_eq(&world.shown(&ran.stderr));
    assert!(!world.exists("a.txt"));
}

#[test]
fn a_changed_configuration_is_read_again() {
    let world = World::new();
    let answer = Answer::new().write(&world.at("a.txt"), "a");
    assert_eq!(execute(&world, &answer).unwrap()["success"], true);
    world.lay(".clada/config.yaml", "denied: ['*.txt']\n");
    assert_eq!(kinds(&execute(&world, &answer).unwrap()), ["path_denied"]);
    std::fs::remove_file(world.project().join(".clada/config.yaml")).unwrap();
    assert_eq!(execute(&world, &answer).unwrap()["success"], true);
}

#[test]
fn a_person_may_widen() {
    let world = World::new();
    let outside = world.path("outside").to_str().unwrap().to_owned();
    std::fs::write(
        world.path("config/clada/config.yaml"),
        format!(
            "allowed_roots: ['{outside}']\nroot_aliases: {{/workspace: .}}\nlimits: {{max_file_size: 12MB}}\n"
        ),
    )
    .unwrap();
    let answer = Answer::new()
        .write(&format!("{outside}/x"), "x")
        .write("/workspace/src/a.txt", "a")
        .write(&world.at("big"), &"x".repeat(11 << 20))
        .write("/elsewhere/x", "x")
        .write(&format!("{outside}/.git/x"), "x")
        .action(
            "file_move",
            &[("old_path", "/workspace/src/a.txt"), ("new_path", &format!("{outside}/d/b.txt"))],
        );
    let result = execute(&world, &answer).unwrap();
    assert_eq!(
        kinds(&result),
        ["none", "none", "none", "path_escape", "path_denied", "none"],
        "{}",
        result["approvals"]
    );
    assert_eq!(std::fs::read_to_string(world.path("outside/d/b.txt")).unwrap(), "a");
    assert!(!world.exists("src/a.txt"));
}

#[test]
fn config_says_where_a_value_comes_from() {
    let world = World::with_config("limits: {blocks: 7}\n");
    world.lay(".clada/config.yaml", "limits: {actions: 5}\n");
    let ran = world.run(&["config"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = |key: &str| ran.stdout.lines().find(|line| line.contains(key)).unwrap_or_default().to_owned();
    assert!(
        line("limits.blocks").contains('7') && line("limits.blocks").contains("config.yaml"),
        "{}",
        ran.stdout
    );
    assert!(
        line("limits.actions").contains('5') && line("limits.actions").contains(".clada"),
        "{}",
        ran.stdout
    );
}

/// The key that the project may have only if trusted, and an answer that shows whether it has.
const WIDER: &str = "limits: {max_file_size: 12MB}\ndenied: ['vendor/**']\n";

fn eleven_megabytes(world: &World) -> Answer {
    Answer::new().write(&world.at("big"), &"x".repeat(11 << 20)).write(&world.at("vendor/x"), "x")
}

#[test]
fn a_trusted_file_takes_effect_as_long_as_it_is_the_same() {
    let world = World::new();
    world.lay(".clada/config.yaml", WIDER);
    let result = execute(&world, &eleven_megabytes(&world)).unwrap();
    assert_eq!(kinds(&result), ["limit_exceeded", "path_denied"]);
    assert!(result["warnings"].to_string().contains("clada trust"), "{result:#}");
    // There is no terminal at which to ask.
    let ran = world.run(&["trust"], "");
    assert_eq!(ran.code, 1, "{ran:?}");
    expect![[r#"
        /TOP/project/.clada/config.yaml:
          | limits: {max_file_size: 12MB}
          | denied: ['vendor/**']
        Not in force until you trust the file:
          line 1, limits.max_file_size: The largest file to edit, read or write, in bytes.
    "#]]
    .assert_eq(&world.shown(&ran.stdout));
    expect![[r#"
        clada: there is no terminal to ask at, so nothing was trusted
          After you have read the file: clada trust --yes
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
    assert_eq!(kinds(&execute(&world, &eleven_megabytes(&world)).unwrap())[0], "limit_exceeded");
    assert_eq!(world.run(&["trust", "--show"], "").code, 0);

    assert_eq!(world.run(&["trust", "--yes"], "").code, 0);
    let result = execute(&world, &eleven_megabytes(&world)).unwrap();
    assert_eq!(kinds(&result), ["none", "path_denied"]);
    assert!(!result.to_string().contains("clada trust"), "{}", result["warnings"]);
    let again = world.run(&["trust"], "");
    assert!(again.code == 0, "{again:?}");
    expect![[r#"
        /TOP/project/.clada/config.yaml:
          | limits: {max_file_size: 12MB}
          | denied: ['vendor/**']
        You trust its current content. In force because of that:
          line 1, limits.max_file_size: The largest file to edit, read or write, in bytes.
    "#]]
    .assert_eq(&world.shown(&again.stdout));
    // The same file elsewhere is another project's.
    std::fs::create_dir_all(world.path("second/.clada")).unwrap();
    std::fs::write(world.path("second/.clada/config.yaml"), WIDER).unwrap();
    let shown = world.connect().call("trust.show", &json!({ "root": world.path("second") }));
    assert_eq!(
        (&shown["trusted"], &shown["widens"][0]["key"]),
        (&json!(false), &json!("limits.max_file_size"))
    );

    world.lay(".clada/config.yaml", WIDER.replace("12MB", "13MB"));
    assert_eq!(
        kinds(&world.execute(&eleven_megabytes(&world), json!({ "again": true })))[0],
        "limit_exceeded"
    );
    // The text shown is the text that is trusted, and nothing else.
    let stale =
        world.connect().try_call("trust.add", &json!({ "root": world.root(), "hash": shown["hash"] }));
    assert_eq!(stale.unwrap_err()["data"]["kind"], "conflict");
    world.lay(".clada/config.yaml", WIDER);
    assert!(world.run(&["trust", "--show"], "").stdout.contains("You trust its current content"));
    assert_eq!(world.run(&["trust", "--remove"], "").code, 0);
    assert!(world.run(&["trust", "--show"], "").stdout.contains("Not in force until you trust the file"));
}

#[test]
fn the_person_at_the_terminal_sees_what_is_trusted() {
    let world = World::new();
    world.lay(".clada/config.yaml", format!("{WIDER}# \u{202e}hidden\n"));
    for (said, code, trusted) in [("n\n", 1, false), ("y\n", 0, true)] {
        let Some(mut terminal) = Terminal::open() else {
            return skipped("a test at a terminal", "a program cannot be given one here");
        };
        let child = terminal.start(&world.client(&["trust"]), b"");
        let shown = terminal.answer("Trust this file as it is? [y]es, [n]o: ", said);
        assert!(shown.contains("max_file_size: 12MB") && shown.contains("Not in force until"), "{shown}");
        assert!(shown.contains("\\u{202e}hidden") && shown.contains("invisible characters"), "{shown}");
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        let found = world.connect().call("trust.show", &json!({ "root": world.root() }));
        assert_eq!(found["trusted"], trusted);
    }
    let none = World::new();
    assert!(none.run(&["trust"], "").stdout.contains("no configuration file"));
    none.lay(".clada/config.yaml", "denied: [x]\n");
    assert!(none.run(&["trust"], "").stdout.contains("only restricts"));
}

#[test]
fn one_key_is_set_read_and_edited_in_its_place() {
    let mut world = World::with_config("# mine\ngit:\n  mode: off  # as yet\n");
    world.set("EDITOR", "sed -i s/refs/reffs/");
    let mut text = String::new();
    let mut ran = |world: &World, args: &[&str]| {
        let ran = world.run(&[&["config"], args].concat(), "");
        text.push_str(&format!("$ config {}\n{}{}[{}]\n", args.join(" "), ran.stdout, ran.stderr, ran.code));
    };
    ran(&world, &["set", "git.mode", "refs"]);
    ran(&world, &["get", "git.mode"]);
    ran(&world, &["get", "git"]);
    ran(&world, &["set", "git.mode", "sideways"]);
    ran(&world, &["get", "git.mod"]);
    ran(&world, &["set", "--project", "write.final_newline", "as_written"]);
    ran(&world, &["set", "--project", "daemon.idle_exit", "1h"]);
    ran(&world, &["get", "write.final_newline"]);
    ran(&world, &["edit"]);
    ran(&world, &["set", "git.mode", "branch"]);
    ran(&world, &["get", "git.mode"]);
    ran(&world, &["unset", "git.mode"]);
    ran(&world, &["unset", "git.mode"]);
    ran(&world, &["set", "git.mode", "branch"]);
    ran(&world, &["unset", "--project", "write.final_newline"]);
    expect![[r#"
        $ config set git.mode refs
        git.mode: refs  # /TOP/config/clada/config.yaml
        [0]
        $ config get git.mode
        refs
        [0]
        $ config get git
        git.agents: refs
        git.author: clada
        git.before: touched
        git.commit_message_format: AI: {operation_summary}
        git.mode: refs
        [0]
        $ config set git.mode sideways
        clada: `git.mode` cannot be `sideways`.
          Write `branch`, `refs` or `off`.
        [1]
        $ config get git.mod
        clada: `git.mod` is not a key.
          Perhaps you mean `git.mode`.
        [1]
        $ config set --project write.final_newline as_written
        write.final_newline: as_written  # /TOP/project/.clada/config.yaml
        [0]
        $ config set --project daemon.idle_exit 1h
        clada: a project cannot set `daemon.idle_exit`.
          It belongs in your own file: leave out --project.
        [1]
        $ config get write.final_newline
        as_written
        [0]
        $ config edit
        warning: /TOP/config/clada/config.yaml:3:9: `git.mode` cannot be `reffs`. Write `branch`, `refs` or `off`.
        warning: /TOP/config/clada/config.yaml is broken: clada keeps using its last valid version.
        [1]
        $ config set git.mode branch
        git.mode: branch  # /TOP/config/clada/config.yaml
        [0]
        $ config get git.mode
        branch
        [0]
        $ config unset git.mode
        git.mode: branch  # default; /TOP/config/clada/config.yaml no longer sets it
        [0]
        $ config unset git.mode
        git.mode: branch  # default; /TOP/config/clada/config.yaml did not set it
        [0]
        $ config set git.mode branch
        git.mode: branch  # /TOP/config/clada/config.yaml
        [0]
        $ config unset --project write.final_newline
        write.final_newline: ensure  # default; /TOP/project/.clada/config.yaml no longer sets it
        [0]
    "#]].assert_eq(&world.shown(&text));
    let user = std::fs::read_to_string(world.path("config/clada/config.yaml")).unwrap();
    assert_eq!(user, "# mine\n\ngit:\n  mode: branch\n");
    assert_eq!(world.read(".clada/config.yaml"), "");
}

#[test]
fn the_user_s_file_is_begun_once_and_changes_nothing() {
    let world = World::new();
    let file = world.path("config/clada/config.yaml");
    let _ = std::fs::remove_file(&file);
    let all = |world: &World| {
        let ran = world.run(&["config", "--json"], "");
        serde_json::from_str::<Value>(&ran.stdout).unwrap()["settings"].clone()
    };
    let before = all(&world);
    let ran = world.run(&["init", "--global"], "");
    assert_eq!((ran.code, ran.stdout), (0, format!("{}\n", file.display())));
    assert_eq!(all(&world), before);
    std::fs::write(&file, "durability: fast\n").unwrap();
    assert_eq!(world.run(&["init", "--global"], "").stdout, "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "durability: fast\n");
}
