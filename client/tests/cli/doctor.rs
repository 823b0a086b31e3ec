//! `doctor`: the daemon's findings and the client's, and without a daemon.

use expect_test::expect;
use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Reply, run};

fn serve(fixture: &Fixture) -> Fake {
    std::fs::write(fixture.path("daemon"), "").unwrap();
    Fake::serve(fixture, |_, params| {
        let project = json!({"name": "project", "level": "ok", "text": params["root"]});
        let git = json!({"name": "git", "level": "note", "text": "a merge", "advice": "finish it"});
        Reply::Result(json!({ "checks": [project, git] }))
    })
}

#[test]
fn every_finding_has_a_line_and_one_thing_to_do() {
    let fixture = Fixture::new();
    serve(&fixture);
    let ran =
        run(fixture.client(&["doctor"]).env("PATH", "/nowhere").env("CLADA_REVIEW", "/nowhere/clada-review"));
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    expect![[r#"
        ok     client     clada-client 0.1.0
        ok     socket     /TOP/run/v1.sock; its folder is yours, mode 0700
        ok     project    /TOP/home/project
        note   git        a merge
                          -> finish it
        ok     agents     `/TOP/daemon mcp` serves them. An agent that can run unsandboxed programs as you is you: it can answer its own approvals
        note   clipboard  there is no tool for --paste and --copy
                          -> There is neither WAYLAND_DISPLAY nor DISPLAY here. To give clada an answer, run `clada apply` and paste it at the terminal.
        note   review     clada-review, the full screen of `clada review`, was not found
                          -> install it next to clada; `clada apply -i` works without it
        ok     editors    none of Neovim, VS Code and Emacs is in PATH
        ok     terminal   none: clada cannot ask, and skips what needs approval
        0 faults, 3 notes
    "#]]
    .assert_eq(&fixture.shown(&ran.stdout));
}

/// The shape is a promise: a field may be added, none is changed.
#[test]
fn the_shape_of_its_json() {
    let fixture = Fixture::new();
    serve(&fixture);
    let ran = run(fixture
        .client(&["doctor", "--json"])
        .env("PATH", "/nowhere")
        .env("CLADA_REVIEW", "/nowhere/clada-review"));
    let found: Value = serde_json::from_str(&fixture.shown(ran.stdout.trim_end())).unwrap();
    expect![[r#"
        {
          "checks": [
            {
              "name": "client",
              "level": "ok",
              "text": "clada-client 0.1.0"
            },
            {
              "name": "socket",
              "level": "ok",
              "text": "/TOP/run/v1.sock; its folder is yours, mode 0700"
            },
            {
              "name": "project",
              "level": "ok",
              "text": "/TOP/home/project"
            },
            {
              "name": "git",
              "level": "note",
              "text": "a merge",
              "advice": "finish it"
            },
            {
              "name": "agents",
              "level": "ok",
              "text": "`/TOP/daemon mcp` serves them. An agent that can run unsandboxed programs as you is you: it can answer its own approvals"
            },
            {
              "name": "clipboard",
              "level": "note",
              "text": "there is no tool for --paste and --copy",
              "advice": "There is neither WAYLAND_DISPLAY nor DISPLAY here. To give clada an answer, run `clada apply` and paste it at the terminal."
            },
            {
              "name": "review",
              "level": "note",
              "text": "clada-review, the full screen of `clada review`, was not found",
              "advice": "install it next to clada; `clada apply -i` works without it"
            },
            {
              "name": "editors",
              "level": "ok",
              "text": "none of Neovim, VS Code and Emacs is in PATH"
            },
            {
              "name": "terminal",
              "level": "ok",
              "text": "none: clada cannot ask, and skips what needs approval"
            }
          ],
          "notes": 3,
          "faults": 0
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&found).unwrap());
}

#[test]
fn without_a_daemon_it_says_what_is_not_looked_at() {
    let fixture = Fixture::new();
    let ran = run(fixture
        .client(&["doctor", "--no-spawn"])
        .env("PATH", "/nowhere")
        .env("CLADA_REVIEW", "/nowhere/clada-review"));
    assert_eq!(ran.code, 1);
    let shown = fixture.shown(&ran.stdout);
    let line = |word: &str| shown.lines().find(|line| line.contains(word)).unwrap_or_default().to_owned();
    expect![[r#"
        note   daemon     no daemon answers at /TOP/run/v1.sock: state, sandbox, configuration, project and git are not checked
        fault  agents     CLADA_DAEMON names /TOP/daemon, which is not a file"#]]
    .assert_eq(&format!("{}\n{}", line("  daemon "), line("  agents ")));
    // One that cannot be started is a fault, with the reason.
    fixture.script("echo '{\"state\":\"failed\",\"message\":\"no room\"}'");
    let ran = run(&mut fixture.client(&["doctor"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("fault  daemon     the daemon did not start: no room"), "{}", ran.stdout);
}

#[test]
fn a_folder_that_others_can_write_to_and_a_place_without_a_project_are_told() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let ran = run(fixture.client(&["doctor"]).current_dir("/"));
    assert_eq!(fake.params("doctor"), json!({}));
    assert!(ran.stdout.contains("note   project    / is not used as a project"), "{}", ran.stdout);
    std::fs::set_permissions(fixture.path("run"), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    let ran = run(&mut fixture.client(&["doctor"]));
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("fault  socket     the folder of the socket"), "{}", ran.stdout);
}
