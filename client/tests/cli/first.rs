//! The question before the first answer of a user in a git repository.

use std::process::Command;

use expect_test::expect;
use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Reply, finish, run_with};
use crate::interactive::{change, plan};
use crate::terminal::Terminal;

const ASKED: &str = "Where do commits go? [B,r,o] ";

/// Returns a daemon that reads `git.mode` from the user's file, as far as tests write it.
fn serve(fixture: &Fixture) -> Fake {
    std::fs::write(fixture.project().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let plan = plan(json!([change(fixture, 1, "1", 1)]));
    let file = fixture.path("home/.config/clada/config.yaml");
    Fake::serve(fixture, move |method, params| match method {
        "plan" => Reply::Result(plan.clone()),
        "config.show" => {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            let word = text.lines().find_map(|line| line.trim().strip_prefix("mode: "));
            let origin = word.map_or("default", |_| "/the/file");
            let setting = json!({"key": "git.mode", "value": word.unwrap_or("branch"), "origin": origin});
            Reply::Result(json!({"settings": [setting], "warnings": []}))
        }
        "config.set" => {
            let before = std::fs::read_to_string(&file).unwrap_or_default();
            let word = params["value"].as_str().unwrap();
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(&file, format!("{before}git:\n  mode: {word}\n")).unwrap();
            let setting = json!({"key": "git.mode", "value": word, "origin": file});
            Reply::Result(json!({"path": file, "changed": true, "setting": setting, "warnings": []}))
        }
        _ => Reply::Result(json!({
            "success": true, "totalBlocks": 1, "executedActions": 0, "results": [], "warnings": [],
            "parseErrors": [], "operationId": "op1",
        })),
    })
}

fn client(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = fixture.client(args);
    command.env_remove("CI");
    command
}

#[test]
fn the_choice_is_asked_for_once_and_kept() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let file = fixture.path("home/.config/clada/config.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, "# mine\n").unwrap();
    let Some(mut terminal) = Terminal::open() else { return };
    let child = terminal.start(&client(&fixture, &["apply"]), b"answer");
    let shown = terminal.expect(ASKED);
    expect![[r#"
        /TOP/home/project is in a git repository, and this is the first answer that clada applies for you.
        clada commits exactly what each answer changes, and never pushes. Choose once where:
          b  on this branch (main). Uncommitted changes of the same files are committed first. `undo` removes the commits
          r  alongside it, on refs/clada/main: the branch stays as it is
          o  no commits; `undo` still works
        Where do commits go? [B,r,o] "#]]
    .assert_eq(&fixture.shown(&shown));
    assert!(!fake.methods().contains(&"execute".to_owned()));
    terminal.send("x\n");
    terminal.answer(ASKED, "r\n");
    terminal.expect("Saved git.mode: refs in ");
    assert_eq!(finish(child).code, 0);
    assert_eq!(fake.params("execute")["git"], "refs");
    let set = fake.params("config.set");
    assert_eq!(
        (&set["root"], &set["key"], &set["value"]),
        (&Value::Null, &json!("git.mode"), &json!("refs"))
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "# mine\ngit:\n  mode: refs\n");
    // Not again.
    let terminal = Terminal::open().unwrap();
    let child = terminal.start(&client(&fixture, &["apply"]), b"answer");
    let seen = terminal.close();
    assert_eq!(finish(child).code, 0);
    assert!(!seen.contains(ASKED), "{seen}");
}

#[test]
fn enter_is_the_branch_and_ctrl_d_carries_nothing_out() {
    for (typed, git, code) in
        [("\n", json!("branch"), 0), ("n\n", json!("off"), 0), ("\u{4}", Value::Null, 1)]
    {
        let fixture = Fixture::new();
        let fake = serve(&fixture);
        let Some(mut terminal) = Terminal::open() else { return };
        let child = terminal.start(&client(&fixture, &["apply"]), b"answer");
        terminal.answer(ASKED, typed);
        let seen = terminal.close();
        assert_eq!(finish(child).code, code, "{seen}");
        assert_eq!(fake.methods().contains(&"execute".to_owned()), code == 0, "{seen}");
        if code == 0 {
            assert_eq!(fake.params("execute")["git"], git);
        }
    }
}

#[test]
fn nobody_is_asked_without_a_reason() {
    let fixture = Fixture::new();
    let _fake = serve(&fixture);
    let is_asked = |command: &Command| {
        let mut terminal = Terminal::open()?;
        let child = terminal.start(command, b"answer");
        // Whoever is asked declines; whoever is not has ended.
        terminal.send("\u{4}");
        let seen = terminal.close();
        finish(child);
        Some(seen.contains(ASKED))
    };
    let Some(asked) = is_asked(&client(&fixture, &["apply"])) else { return };
    assert!(asked);
    for args in
        [&["apply", "--git", "refs"][..], &["apply", "--no-git"], &["apply", "-n"], &["apply", "--json"]]
    {
        assert_eq!(is_asked(&client(&fixture, args)), Some(false), "{args:?}");
    }
    assert_eq!(is_asked(&fixture.client(&["apply"])), Some(false), "CI");
    // Without a terminal.
    assert_eq!(run_with(&mut client(&fixture, &["apply"]), b"answer").code, 0);
    // With one of its own, and standard error elsewhere: nobody may look at it.
    let terminal = Terminal::open().unwrap();
    let child = terminal.start_jobs(&client(&fixture, &["apply"]), "echo answer | \"$@\" 2>/dev/null");
    let seen = terminal.close();
    assert!(finish(child).code == 0 && !seen.contains(ASKED), "{seen}");
    // With an operation on record, of whichever project.
    let state = fixture.path("state");
    let with_state = || {
        let mut command = client(&fixture, &["apply"]);
        command.env("XDG_STATE_HOME", &state);
        command
    };
    assert_eq!(is_asked(&with_state()), Some(true));
    let id = ["/etc/machine-id", "/var/lib/dbus/machine-id"]
        .iter()
        .find_map(|path| std::fs::read_to_string(path).ok());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let folder =
        clada_protocol::state::state_folder(Some(state.as_os_str()), None, id.as_deref(), &host).unwrap();
    std::fs::create_dir_all(folder.join("projects/p")).unwrap();
    std::fs::write(folder.join("projects/p/operations.db"), "x").unwrap();
    assert_eq!(is_asked(&with_state()), Some(false));
    // Outside of a repository.
    std::fs::remove_dir_all(fixture.project().join(".git")).unwrap();
    assert_eq!(is_asked(&client(&fixture, &["apply", "--root", "."])), Some(false));
}
