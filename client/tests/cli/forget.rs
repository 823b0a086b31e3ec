//! `forget`: what is shown and asked before anything is deleted.

use expect_test::expect;
use serde_json::{Value, json};

use crate::fake::{Fake, Fixture, Reply, finish, run};
use crate::terminal::Terminal;

fn serve(fixture: &Fixture) -> Fake {
    let root = fixture.project();
    Fake::serve(fixture, move |_, params| {
        let records = json!([
            {"root": root, "folder": "/s/1", "bytes": 3 << 20},
            {"root": "/gone\u{1b}", "folder": "/s/2", "bytes": 512, "gone": true},
            {"folder": "/s/3", "bytes": 1024},
        ]);
        let all = params["all"] == true;
        let records = if all { records } else { json!([records[0]]) };
        Reply::Result(json!({
            "projects": records,
            "bytes": (3 << 20) + 1536,
            "approvals": if all { 2 } else { 0 },
            "forgotten": params["confirm"] == true,
            "left": ["refs/clada/…"],
        }))
    })
}

#[test]
fn it_is_shown_and_asked_about_before_it_is_deleted() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let Some(mut terminal) = Terminal::open() else { return };
    let child = terminal.start(&fixture.client(&["forget", "--all"]), b"");
    let shown = terminal.expect("[y/N] ");
    expect![[r#"
            3.0 MB  /TOP/home/project
         512 bytes  "/gone\u{1b}"  (its folder no longer exists)
            1.0 kB  /s/3  (unknown project)
                 2  approvals and trusted configurations
            3.0 MB  in total
        Delete it? You cannot undo its earlier operations afterwards. [y/N] "#]]
    .assert_eq(&fixture.shown(&shown));
    terminal.send("\n");
    assert_eq!(finish(child).code, 1);
    assert!(fake.params("history.forget")["confirm"].is_null());
    let mut terminal = Terminal::open().unwrap();
    let child = terminal.start(&fixture.client(&["forget", "--all"]), b"");
    terminal.answer("[y/N] ", "y\n");
    let ran = finish(child);
    assert_eq!((ran.code, &fake.params("history.forget")["confirm"]), (0, &json!(true)));
}

#[test]
fn without_a_terminal_it_takes_a_word() {
    let fixture = Fixture::new();
    let fake = serve(&fixture);
    let ran = run(&mut fixture.client(&["forget"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
    expect![[r#"
        clada: there is no terminal to ask at: nothing was deleted
          --yes deletes without asking; --dry-run shows what it would delete.
    "#]]
    .assert_eq(&ran.stderr);
    let ran = run(&mut fixture.client(&["forget", "--dry-run"]));
    assert_eq!((ran.code, fixture.shown(&ran.stdout).as_str()), (0, "    3.0 MB  /TOP/home/project\n"));
    assert!(fake.params("history.forget")["confirm"].is_null());
    let ran = run(&mut fixture.client(&["forget", "--yes", "gone/../away"]));
    expect![[r#"
        Deleted the records of 1 project: freed 3.0 MB.
        Left: refs/clada/…
    "#]]
    .assert_eq(&ran.stdout);
    let params = fake.params("history.forget");
    assert_eq!((&params["confirm"], params["all"].is_null()), (&Value::Bool(true), true));
    let root = fixture.shown(params["root"].as_str().unwrap());
    assert_eq!(root, "/TOP/home/project/gone/../away");
}
