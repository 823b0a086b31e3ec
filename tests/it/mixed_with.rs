//! `deliver: "mixed"` and groups of hunks together with what else a plan has: commands, moves, modes,
//! secrets, all or nothing, disks that fail, and documents that are named in other words.

use std::os::unix::fs::{PermissionsExt, symlink};

use expect_test::expect;
use serde_json::{Value, json};

use crate::mixed::Desk;
use crate::refusals::kinds;
use crate::support::{Answer, skipped};

impl Desk {
    /// The outcome and the edits, and what these files are then on disk.
    fn outcome(&self, done: &Value, names: &[&str]) -> String {
        // Some failures have no hint.
        let mut told = self.told(done).replace("\n  \n", "\n");
        for name in names {
            told += &match self.world.exists(name) {
                true => format!("{name}: {:?}\n", self.world.read(name)),
                false => format!("{name}: none\n"),
            };
        }
        told
    }
}

/// The group of the hunk at this place of a file.
fn group(planned: &Value, path: &str, hunk: usize) -> Value {
    let file = planned["files"].as_array().unwrap().iter().find(|file| file["path"] == path).unwrap();
    file["hunks"][hunk]["group"].clone()
}

const TEXT: &str = "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";

#[test]
fn a_command_amid_groups_sees_those_that_are_accepted() {
    let mut told = String::new();
    for loaded in [&[][..], &["a.txt"]] {
        let mut desk = Desk::new(&[("a.txt", TEXT), ("b.txt", TEXT)]);
        let (a, b) = (desk.world.at("a.txt"), desk.world.at("b.txt"));
        let answer = Answer::new()
            .replace(&a, "one", "1")
            .replace(&a, "ten", "10")
            .action("run", &[("command", "sh -c 'head -n 1 a.txt b.txt; tail -n 1 a.txt b.txt'")])
            .action("run", &[("command", "head -n 1 b.txt")])
            .action("run", &[("command", "cat a.txt")])
            .replace(&b, "one", "1")
            .replace(&b, "ten", "10");
        let planned = desk.plan(&answer, &[]);
        let accept =
            [group(&planned, "a.txt", 1), group(&planned, "b.txt", 0), json!("a3"), json!("a4"), json!("a5")];
        let done = desk.execute(&planned, loaded, &json!({ "approve": "all", "accept": accept }));
        told += &format!("loaded: {loaded:?}\n{}", desk.outcome(&done, &["a.txt", "b.txt"]));
        for result in done["results"].as_array().unwrap().iter().filter(|one| one["success"] == true) {
            told += &result["data"]["stdout"].as_str().map(|out| format!("{out:?}\n")).unwrap_or_default();
        }
    }
    expect![[r#"
        loaded: []
        file_replace_text SKIP skipped
          file_replace_text: Declined by the user (SKIPPED)
        file_replace_text SUCCESS
        run SUCCESS
        run SUCCESS
        run SUCCESS
        file_replace_text SUCCESS
        file_replace_text SKIP skipped
          file_replace_text: Declined by the user (SKIPPED)
        a.txt: "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
        b.txt: "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
        "==> a.txt <==\none\n\n==> b.txt <==\none\n==> a.txt <==\n10\n\n==> b.txt <==\nten\n"
        "one\n"
        "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
        loaded: ["a.txt"]
        file_replace_text SKIP skipped
          file_replace_text: Declined by the user (SKIPPED)
        file_replace_text SUCCESS
        run SKIP not_delivered
          run: Not done: a command would see files without the edits (NOT_DELIVERED)
          apply the edits, save 1 document ('/TOP/project/a.txt'), then apply the answer again
        run SUCCESS
        run SKIP not_delivered
          run: Not done: it would see files without the edits (NOT_DELIVERED)
          apply the edits, save 1 document ('/TOP/project/a.txt'), then apply the answer again
        file_replace_text SUCCESS
        file_replace_text SKIP skipped
          file_replace_text: Declined by the user (SKIPPED)
        edit a.txt null [{"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":3}},"newText":"10"}]
        a.txt: "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
        b.txt: "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
        "one\n"
    "#]].assert_eq(&told);
}

#[test]
fn groups_of_all_or_nothing_are_one_that_goes_one_way() {
    let mut told = String::new();
    for loaded in [&[][..], &["a.txt"], &["a.txt", "b.txt"]] {
        let mut desk = Desk::new(&[("a.txt", TEXT), ("b.txt", TEXT)]);
        let answer = Answer::new()
            .replace(&desk.world.at("a.txt"), "one", "1")
            .replace(&desk.world.at("a.txt"), "ten", "10")
            .replace(&desk.world.at("b.txt"), "one", "1");
        let whole = json!({ "root": desk.world.root(), "text": answer.text(), "atomic": true });
        let planned = desk.daemon.call("plan", &whole);
        let all = group(&planned, "a.txt", 0);
        assert_eq!([&group(&planned, "a.txt", 1), &group(&planned, "b.txt", 0)], [&all, &all]);
        let part = desk.params(&planned, loaded, &json!({ "accept": ["a1.h1"] }));
        let refused = desk.daemon.fail("execute", &part);
        told += &format!("loaded: {loaded:?}\na1.h1: {}\n", refused["message"].as_str().unwrap());
        let params = desk.params(&planned, loaded, &json!({ "accept": [all] }));
        told += &match desk.daemon.try_call("execute", &params) {
            Ok(done) => desk.outcome(&done, &["a.txt", "b.txt"]),
            Err(refused) => format!("{}\n", refused["message"].as_str().unwrap()),
        };
        let none = desk.params(&planned, loaded, &json!({ "accept": [] }));
        if let Ok(done) = desk.daemon.try_call("execute", &none) {
            assert_eq!(done["edits"]["documentChanges"], json!([]), "{done:#}");
        }
    }
    expect![[r#"
        loaded: []
        a1.h1: accept: the plan is all or nothing; accept every action of it, or none
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        a.txt: "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
        b.txt: "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
        loaded: ["a.txt"]
        a1.h1: accept: the plan is all or nothing; accept every action of it, or none
        execute: the plan is all or nothing, and would be divided: name all of its documents in `edits`, or none
        loaded: ["a.txt", "b.txt"]
        a1.h1: accept: the plan is all or nothing; accept every action of it, or none
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        file_replace_text SUCCESS
        edit a.txt null [{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"1"},{"range":{"start":{"line":9,"character":0},"end":{"line":9,"character":3}},"newText":"10"}]
        edit b.txt null [{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"1"}]
        a.txt: "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
        b.txt: "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"
    "#]].assert_eq(&told);
}

#[test]
fn what_moves_or_goes_by_a_command_goes_where_its_document_is() {
    let mut told = String::new();
    for command in ["mv a.txt c.txt", "rm a.txt", "mv a.txt b.txt", "rm -r d", "mkdir -p e/f"] {
        for loaded in [&[][..], &["a.txt", "d/a.txt", "e/f"], &["b.txt", "d/b.txt"]] {
            let mut desk =
                Desk::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("d/a.txt", "a\n"), ("d/b.txt", "b\n")]);
            let planned = desk.plan(&Answer::new().action("run", &[("command", command)]), &[]);
            let done = desk.execute(&planned, loaded, &json!({ "approve": "all" }));
            let names = ["a.txt", "b.txt", "c.txt", "d/a.txt", "d/b.txt", "e/f"];
            let there: Vec<&str> = names.into_iter().filter(|name| desk.world.exists(name)).collect();
            let end = format!("on disk: {}\n\n", there.join(" "));
            told += &format!("{command}, loaded: {loaded:?}\n{}{end}", desk.told(&done));
        }
    }
    expect![[r#"
        mv a.txt c.txt, loaded: []
        run SUCCESS
        on disk: b.txt c.txt d/a.txt d/b.txt

        mv a.txt c.txt, loaded: ["a.txt", "d/a.txt", "e/f"]
        run SUCCESS
        rename a.txt c.txt
        on disk: a.txt b.txt d/a.txt d/b.txt

        mv a.txt c.txt, loaded: ["b.txt", "d/b.txt"]
        run SUCCESS
        on disk: b.txt c.txt d/a.txt d/b.txt

        rm a.txt, loaded: []
        run SUCCESS
        on disk: b.txt d/a.txt d/b.txt

        rm a.txt, loaded: ["a.txt", "d/a.txt", "e/f"]
        run SUCCESS
        delete a.txt
        on disk: a.txt b.txt d/a.txt d/b.txt

        rm a.txt, loaded: ["b.txt", "d/b.txt"]
        run SUCCESS
        on disk: b.txt d/a.txt d/b.txt

        mv a.txt b.txt, loaded: []
        run SUCCESS
        on disk: b.txt d/a.txt d/b.txt

        mv a.txt b.txt, loaded: ["a.txt", "d/a.txt", "e/f"]
        run SUCCESS
        rename a.txt b.txt
        on disk: a.txt b.txt d/a.txt d/b.txt

        mv a.txt b.txt, loaded: ["b.txt", "d/b.txt"]
        run SUCCESS
        rename a.txt b.txt
        on disk: a.txt b.txt d/a.txt d/b.txt

        rm -r d, loaded: []
        run SUCCESS
        on disk: a.txt b.txt

        rm -r d, loaded: ["a.txt", "d/a.txt", "e/f"]
        run SUCCESS
        delete a.txt
        delete b.txt
        delete d
        on disk: a.txt b.txt d/a.txt d/b.txt

        rm -r d, loaded: ["b.txt", "d/b.txt"]
        run SUCCESS
        delete a.txt
        delete b.txt
        delete d
        on disk: a.txt b.txt d/a.txt d/b.txt

        mkdir -p e/f, loaded: []
        run SUCCESS
        on disk: a.txt b.txt d/a.txt d/b.txt e/f

        mkdir -p e/f, loaded: ["a.txt", "d/a.txt", "e/f"]
        run SKIP not_delivered
          run: Not done: edits for an editor cannot create a folder without a file in it (NOT_DELIVERED)
          apply the edits, save 1 document ('/TOP/project/e/f'), then apply the answer again
        on disk: a.txt b.txt d/a.txt d/b.txt

        mkdir -p e/f, loaded: ["b.txt", "d/b.txt"]
        run SUCCESS
        on disk: a.txt b.txt d/a.txt d/b.txt e/f

    "#]]
    .assert_eq(&told);
}

#[test]
fn a_document_that_is_renamed_has_no_version() {
    let mut desk = Desk::new(&[("a.txt", "a\n"), ("b.txt", "b\n"), ("c.txt", "c\n")]);
    let at = |name: &str| desk.world.at(name);
    let answer = Answer::new()
        .replace(&at("a.txt"), "a", "1")
        .action("file_move", &[("old_path", &at("a.txt")), ("new_path", &at("moved.txt"))])
        .replace(&at("b.txt"), "b", "2")
        // Another document than the one of this version.
        .action("file_delete", &[("path", &at("c.txt"))])
        .write(&at("c.txt"), "3\n");
    let planned = desk.plan(&answer, &[("a.txt", "a\n", 5), ("b.txt", "b\n", 6), ("c.txt", "c\n", 7)]);
    let done =
        desk.execute(&planned, &["a.txt", "b.txt", "c.txt"], &json!({ "approve": "all", "units": "line" }));
    expect![[r#"
        file_replace_text SUCCESS
        file_move SUCCESS
        file_replace_text SUCCESS
        file_delete SUCCESS
        file_write SUCCESS
        rename a.txt moved.txt
        delete c.txt
        create c.txt
        edit moved.txt null [{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"newText":"1\n"}]
        edit b.txt 6 [{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"newText":"2\n"}]
        edit c.txt null [{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"3\n"}]
    "#]].assert_eq(&desk.told(&done));
}

#[test]
fn modes_and_secrets_are_no_matter_for_edits() {
    let patch = "```diff\ndiff --git a/a.sh b/a.sh\nold mode 100644\nnew mode 100755\n--- a/a.sh\n+++ b/a.sh\n@@ -1 +1 @@\n-one\n+two\n```\n";
    let env = "```diff\n--- a/.env\n+++ b/.env\n@@ -2 +2 @@\n-A=1\n+A=2\n```\n";
    let other = "```diff\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+two\n```\n";
    let text = [patch, env, other].concat();
    let mut told = String::new();
    for loaded in [&[][..], &["a.sh", ".env"], &["b.txt"]] {
        let mut desk = Desk::new(&[("a.sh", "one\n"), (".env", "TOKEN=hunter2\nA=1\n"), ("b.txt", "one\n")]);
        let planned = desk.daemon.call("plan", &json!({ "root": desk.world.root(), "text": text }));
        let done = desk.execute(&planned, loaded, &json!({ "approve": "all" }));
        assert!(!done.to_string().contains("hunter2"), "{done:#}");
        assert!(!planned["files"].to_string().contains("hunter2"), "{planned:#}");
        let mode =
            |desk: &Desk| desk.world.project().join("a.sh").metadata().unwrap().permissions().mode() & 0o111;
        told += &format!(
            "loaded: {loaded:?}\n{}executable: {}\n",
            desk.outcome(&done, &["a.sh", ".env", "b.txt"]),
            mode(&desk) != 0
        );
        // Text and mode come back together.
        assert_eq!(desk.world.run(&["undo"], "").code, 0);
        assert_eq!((mode(&desk), desk.world.read("a.sh")), (0, "one\n".to_owned()));
    }
    expect![[r#"
        loaded: []
        file_patch SUCCESS
        file_patch SUCCESS
        file_patch SUCCESS
        a.sh: "two\n"
        .env: "TOKEN=hunter2\nA=2\n"
        b.txt: "two\n"
        executable: true
        loaded: ["a.sh", ".env"]
        file_patch SKIP not_delivered
          file_patch: Not done: edits for an editor cannot change the executable bit (NOT_DELIVERED)
          apply the edits, save 2 documents ('a.sh', '.env'), then apply the answer again
        file_patch ERROR secret
          file_patch: File is held back as a secret '.env' (SECRET)
          secrets are not shown; a user can allow it with --include-secrets
        file_patch SUCCESS
        a.sh: "one\n"
        .env: "TOKEN=hunter2\nA=1\n"
        b.txt: "two\n"
        executable: false
        loaded: ["b.txt"]
        file_patch SUCCESS
        file_patch SUCCESS
        file_patch SUCCESS
        edit b.txt null [{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":3}},"newText":"two"}]
        a.sh: "two\n"
        .env: "TOKEN=hunter2\nA=2\n"
        b.txt: "one\n"
        executable: true
    "#]].assert_eq(&told);
}

#[test]
fn a_file_that_cannot_be_written_keeps_no_other_document_back() {
    let mut desk = Desk::new(&[("a.txt", "one\n"), ("shut/b.txt", "one\n"), ("c.txt", "one\n")]);
    let shut = desk.world.project().join("shut");
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o555)).unwrap();
    if std::fs::write(shut.join("made"), "").is_ok() {
        return skipped("a folder that cannot be written", "this user can write into any");
    }
    let at = |name: &str| desk.world.at(name);
    let answer = Answer::new()
        .replace(&at("a.txt"), "one", "two")
        .replace(&at("shut/b.txt"), "one", "two")
        .replace(&at("c.txt"), "one", "two");
    let planned = desk.plan(&answer, &[]);
    let done = desk.execute(&planned, &["a.txt"], &json!({}));
    std::fs::set_permissions(&shut, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(done["edits"]["documentChanges"].as_array().unwrap().len(), 1, "{done:#}");
    assert_eq!(kinds(&done), ["none", "permission_denied", "none"], "{done:#}");
    let texts = ["a.txt", "shut/b.txt", "c.txt"].map(|name| desk.world.read(name));
    assert_eq!(texts, ["one\n", "one\n", "two\n"]);
}

#[test]
fn a_document_is_the_same_by_every_name_that_it_has() {
    let desk = Desk::new(&[("d/a b.txt", "one\n"), ("c.txt", "one\n")]);
    symlink("d", desk.world.project().join("link")).unwrap();
    let root = format!("file://{}", desk.world.root());
    let names = [
        format!("{root}/d/a%20b.txt"),
        format!("{root}/d/%61%20b%2etxt"),
        format!("{root}/./d/../d/./a%20b.txt"),
        format!("{root}//d/a%20b.txt"),
        root.replacen("file://", "file://localhost", 1) + "/d/a%20b.txt",
    ];
    let linked = format!("{root}/link/a%20b.txt");
    let Desk { world, mut daemon } = desk;
    let answer = Answer::new().replace(&world.at("d/a b.txt"), "unsaved", "two").replace(
        &world.at("c.txt"),
        "one",
        "two",
    );
    let plan = |overlay: Value| json!({ "root": world.root(), "text": answer.text(), "overlays": overlay });
    let mixed = |planned: &Value, loaded: &str| {
        json!({ "root": world.root(), "planId": planned["planId"], "deliver": "mixed", "edits": [loaded],
            "units": "line" })
    };
    for overlay in &names {
        for loaded in names.iter().chain([&linked]) {
            world.lay("c.txt", "one\n");
            let params = plan(json!([{ "uri": overlay, "text": "unsaved\n", "version": 3 }]));
            let planned = daemon.call("plan", &params);
            let done = daemon.call("execute", &mixed(&planned, loaded));
            let told = format!("{overlay} {loaded} {done:#}");
            assert_eq!(kinds(&done), ["none", "none"], "{told}");
            let document = &done["edits"]["documentChanges"][0];
            assert_eq!(document["textDocument"], json!({ "uri": names[0], "version": 3 }), "{told}");
            assert_eq!(document["edits"][0]["newText"], "two\n", "{told}");
        }
    }
    assert_eq!((world.read("d/a b.txt"), world.read("c.txt")), ("one\n".to_owned(), "two\n".to_owned()));
    // What is held by a link is not written, and a text that nobody has under the file's name is no overlay.
    let plain = Answer::new().replace(&world.at("d/a b.txt"), "one", "two");
    let planned = daemon.call("plan", &json!({ "root": world.root(), "text": plain.text() }));
    let done = daemon.call("execute", &mixed(&planned, &linked));
    assert_eq!(done["edits"]["documentChanges"][0]["textDocument"]["uri"], names[0], "{done:#}");
    assert_eq!(world.read("d/a b.txt"), "one\n");
    for overlay in [linked.clone(), linked.replace("a%20b", "new")] {
        let params = plan(json!([{ "uri": overlay, "text": "unsaved\n" }]));
        let refused = daemon.fail("plan", &params);
        assert_eq!(refused["data"]["kind"], "invalid_params", "{refused:#}");
        assert!(refused["message"].as_str().unwrap().contains("by a symbolic link"), "{refused:#}");
    }
}
