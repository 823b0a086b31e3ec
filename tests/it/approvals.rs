//! Actions that need a user's approval, files that are held back, and that an answer gets around neither.

use expect_test::expect;
use serde_json::{Value, json};

use crate::refusals::kinds;
use crate::support::{Answer, Tree, World};

const WORKFLOW: &str = ".github/workflows/x.yml";

#[test]
fn a_workflow_is_written_with_a_persons_word_only() {
    let world = World::new();
    let answer = Answer::new().write(&world.at(WORKFLOW), "on: push\n").write(&world.at("a.txt"), "a");
    let ran = world.apply(&answer);
    assert_eq!(ran.code, 1);
    expect![[r#"
        [task-1] ERROR: file_write - Needs approval: GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**') '.github/workflows/x.yml' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all
        [task-2] SUCCESS: file_write - created a.txt (1 byte)

         a.txt | +1 -0 (new)

        This needs your approval:
          task 1, a change of .github/workflows/x.yml: GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**'). [ID]
        diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml
        new file mode 100644
        --- /dev/null
        +++ b/.github/workflows/x.yml
        @@ -0,0 +1 @@
        +on: push
        To approve all of this, run `clada apply --resume ID --approve-all`; to approve one item, use --approve and its id instead.

        2 actions: 1 succeeded, 1 failed. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
    assert!(!world.exists(".github") && world.exists("a.txt"));
    let result = world.apply_json(&[], answer.text());
    assert_eq!(kinds(&result), ["approval_required", "answer_already_applied"]);
    let approvals = result["approvals"].as_array().unwrap();
    assert_eq!(approvals.len(), 1);
    assert_eq!(approvals[0]["kind"], "file");
    assert_eq!(approvals[0]["task"], "1");
    assert_eq!(approvals[0]["path"], json!(world.at(WORKFLOW)));
    assert!(approvals[0].get("suspicious").is_none());
    let result = world.apply_json(&["--approve-all"], answer.text());
    assert_eq!(result["success"], true);
    assert_eq!(world.read(WORKFLOW), "on: push\n");
}

#[test]
fn an_approval_covers_one_change_of_one_file() {
    let world = World::new();
    let answer = |content: &str| Answer::new().write(&world.at(WORKFLOW), content);
    let asked = world.execute(&answer("on: push\n"), json!({}));
    let id = asked["approvals"][0]["id"].clone();
    let other = world.execute(&answer("on: push\nrun: evil\n"), json!({ "approve": [id] }));
    assert_eq!(kinds(&other), ["approval_required"]);
    assert_ne!(other["approvals"][0]["id"], id);
    let elsewhere = Answer::new().write(&world.at(".github/workflows/y.yml"), "on: push\n");
    assert_eq!(kinds(&world.execute(&elsewhere, json!({ "approve": [id] }))), ["approval_required"]);
    let by_move = Answer::new()
        .write(&world.at("a.yml"), "on: push\n")
        .action("file_move", &[("old_path", &world.at("a.yml")), ("new_path", &world.at(WORKFLOW))]);
    assert_eq!(kinds(&world.execute(&by_move, json!({ "approve": [id] }))), ["none", "approval_required"]);
    assert_eq!(
        kinds(&world.execute(&answer("on: push\n"), json!({ "approve": "listed" }))),
        ["approval_required"]
    );
    assert!(!world.exists(WORKFLOW));
    assert_eq!(world.execute(&answer("on: push\n"), json!({ "approve": [id] }))["success"], true);
    assert_eq!(world.read(WORKFLOW), "on: push\n");
    // The same change in another project is another change.
    std::fs::create_dir(world.path("second")).unwrap();
    let result = world.connect().call(
        "execute",
        &json!({ "root": world.path("second"), "text": Answer::new().write(WORKFLOW, "on: push\n").text(), "approve": [id] }),
    );
    assert_eq!(kinds(&result), ["approval_required"]);
}

#[test]
fn an_approved_move_of_a_large_file_is_of_that_file() {
    let world = World::with_config("limits: {max_file_size: 1kB}\n");
    world.lay("big", "a".repeat(2000));
    let answer = Answer::new()
        .action("file_move", &[("old_path", &world.at("big")), ("new_path", &world.at(WORKFLOW))]);
    let id = world.execute(&answer, json!({}))["approvals"][0]["id"].clone();
    std::fs::remove_file(world.project().join("big")).unwrap();
    world.lay("big", "b".repeat(2000));
    assert_eq!(kinds(&world.execute(&answer, json!({ "approve": [id] }))), ["approval_required"]);
    assert!(!world.exists(WORKFLOW));
}

#[test]
fn everything_that_runs_by_itself_is_asked_for_however_it_is_changed() {
    let world = World::with_config("durability: fast\n");
    world.lay("harmless", "x");
    for path in [
        ".vscode/tasks.json",
        ".envrc",
        ".husky/pre-commit",
        ".husky/_/deep/x",
        WORKFLOW,
        ".github/workflows/deep/x.yml",
        ".cargo/config.toml",
        ".GITHUB/workflows/x.yml",
        ".github/WORKFLOWS/x.yml",
        ".github/workflows./x.yml",
        ".github/workflows /x.yml",
        ".git\u{200c}hub/workflows/x.yml",
        ".github\\workflows\\x.yml",
        "a/../.github/workflows/x.yml",
        ".envrc.",
        ".ENVRC",
        "sub/.vscode/tasks.json",
        "sub/.cargo/config.toml",
    ] {
        let answer = Answer::new()
            .write(path, "evil")
            .action("file_append", &[("path", path), ("content", "evil")])
            .action("file_move", &[("old_path", "harmless"), ("new_path", path)]);
        let result = world.execute(&answer, json!({}));
        assert_eq!(kinds(&result), ["approval_required"; 3], "{path:?}: {result:#}");
    }
    let mut expected = Tree::default();
    expected.insert("harmless", crate::support::Entry::text("x"));
    expected.assert_at(&world.project());
    // And deleting one, or moving it out of the way.
    world.lay(WORKFLOW, "on: push\n");
    let answer = Answer::new()
        .action("file_delete", &[("path", WORKFLOW)])
        .action("file_move", &[("old_path", WORKFLOW), ("new_path", "away.yml")])
        .replace(WORKFLOW, "push", "pull")
        .action("files_replace_all_text", &[("paths", WORKFLOW), ("old_text", "push"), ("new_text", "pull")]);
    assert_eq!(kinds(&world.execute(&answer, json!({}))), ["approval_required"; 4]);
    assert_eq!(world.read(WORKFLOW), "on: push\n");
    // Reading it, and writing its current content, is not a change.
    let answer = Answer::new().read(WORKFLOW).write(WORKFLOW, "on: push\n");
    assert_eq!(world.execute(&answer, json!({}))["success"], true);
}

#[test]
fn a_planted_bare_repository_is_asked_for() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at("lib/HEAD"), "ref: refs/heads/main\n")
        .write(&world.at("lib/config"), "[core]\n\tfsmonitor = evil\n")
        .action("dir_create", &[("path", &world.at("lib/objects"))])
        .action("dir_create", &[("path", &world.at("lib/refs"))]);
    let result = world.execute(&answer, json!({}));
    assert!(kinds(&result).contains(&"approval_required".to_owned()), "{result:#}");
    let whole = ["HEAD", "objects", "refs"].iter().all(|name| world.exists(&format!("lib/{name}")));
    assert!(!whole);
}

#[test]
fn an_approval_of_what_hides_something_says_so() {
    let world = World::new();
    let answer = Answer::new()
        .write(&world.at(WORKFLOW), "run: ok\u{202e}x\n")
        .write(&world.at(".github/workflows/y\u{200b}.yml"), "x")
        .write(&world.at(".husky/x"), "echo \u{1b}[2K\n");
    let result = world.execute(&answer, json!({}));
    let approvals = result["approvals"].as_array().unwrap();
    assert!(
        approvals.len() == 3 && approvals.iter().all(|approval| approval["suspicious"] == true),
        "{result:#}"
    );
    let ran = world.apply(&answer);
    expect![[r#"
        [task-1] ERROR: file_write - Needs approval: GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**') '.github/workflows/x.yml' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all
        [task-2] ERROR: file_write - Needs approval: GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**') '.github/workflows/y\u{200b}.yml' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all
        [task-3] ERROR: file_write - Needs approval: git runs what is in it at commits, checkouts and pushes ('.husky/**') '.husky/x' (APPROVAL_REQUIRED)
          approve it with --approve ID, or everything with --approve-all

        This needs your approval:
          task 1, a change of .github/workflows/x.yml: GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**'). It contains invisible characters; look closely. [ID]
        diff --git a/.github/workflows/x.yml b/.github/workflows/x.yml
        new file mode 100644
        --- /dev/null
        +++ b/.github/workflows/x.yml
        @@ -0,0 +1 @@
        +run: ok\u{202e}x
          task 2, a change of ".github/workflows/y\u{200b}.yml": GitHub runs it, with the repository's secrets, as soon as it is pushed ('.github/workflows/**'). It contains invisible characters; look closely. [ID]
        diff --git a/.github/workflows/y\u{200b}.yml b/.github/workflows/y\u{200b}.yml
        new file mode 100644
        --- /dev/null
        +++ b/.github/workflows/y\u{200b}.yml
        @@ -0,0 +1 @@
        +x
        \ No newline at end of file
          task 3, a change of .husky/x: git runs what is in it at commits, checkouts and pushes ('.husky/**'). It contains invisible characters; look closely. [ID]
        diff --git a/.husky/x b/.husky/x
        new file mode 100644
        --- /dev/null
        +++ b/.husky/x
        @@ -0,0 +1 @@
        +echo \u{1b}[2K
        To approve all of this, run `clada apply --resume ID --approve-all`; to approve one item, use --approve and its id instead.

        3 actions: 0 succeeded, 3 failed. Operation ID.
    "#]].assert_eq(&world.shown(&ran.stdout));
    assert!(!ran.stdout.contains(['\u{200b}', '\u{202e}', '\u{1b}']));
}

#[test]
fn a_root_that_is_no_project_needs_a_persons_word() {
    let mut world = World::new();
    let top = world.path("home").to_str().unwrap().to_owned();
    let home = format!("{top}/me");
    std::fs::create_dir(&home).unwrap();
    world.set("HOME", home.clone());
    let answer = Answer::new().write("note.txt", "x");
    for root in [home.as_str(), top.as_str()] {
        let ran = world.run(&["--root", root, "apply"], answer.text());
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{root}: {ran:?}");
        assert!(ran.stderr.contains("--approve-all"), "{root}: {ran:?}");
        let params = json!({ "root": root, "text": answer.text() });
        let error = world.connect().fail("execute", &params);
        assert_eq!(error["data"]["kind"], "approval_required", "{root}: {error}");
        assert_eq!(error["data"]["approvals"][0]["kind"], "root");
    }
    assert!(!world.path("home/me/note.txt").exists() && !world.path("home/note.txt").exists());
    // The folder of the daemon's socket is not a root with any approval.
    for root in ["/", world.path("").to_str().unwrap()] {
        let ran = world.run(&["--root", root, "apply", "--approve-all"], answer.text());
        assert!(ran.code == 1 && ran.stderr.contains("overlap"), "{root}: {ran:?}");
    }
    assert_eq!(world.run(&["--root", &home, "apply", "--approve-all"], answer.text()).code, 0);
    assert!(world.path("home/me/note.txt").exists());
    let id =
        world.connect().fail("execute", &json!({ "root": top, "text": answer.text() }))["data"]["approvals"]
            [0]["id"]
            .clone();
    let params = json!({ "root": top, "text": answer.text(), "approve": [id] });
    assert_eq!(world.connect().call("execute", &params)["success"], true);
    assert!(world.path("home/note.txt").exists());
    // Nor is one inferred: in the home folder, above it, in `/` and in a folder for temporary files.
    std::fs::create_dir(world.path("home/.git")).unwrap();
    world.set("TMPDIR", world.path("outside"));
    for folder in ["home", "", "outside"] {
        let ran = crate::support::feed(
            world.client(&["apply"]).current_dir(world.path(folder)),
            answer.text().as_bytes(),
        );
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{folder}: {ran:?}");
        assert!(ran.stderr.contains("--root"), "{folder}: {ran:?}");
    }
    let ran = crate::support::feed(world.client(&["apply"]).current_dir("/"), answer.text().as_bytes());
    assert_eq!(ran.code, 2, "{ran:?}");
}

const SECRET: &str = "TOKEN=precious-data\nSECOND=precious-data-2\n";

fn with_secrets() -> World {
    let world = World::with_config("durability: fast\n");
    for name in [".env", ".env.local", "keys/server.pem", "id_rsa", ".npmrc", "x.tfstate", "sub/.ENV"] {
        world.lay(name, SECRET);
    }
    world.lay("a.txt", "TOKEN is read from the environment\n");
    world
}

fn assert_hidden(text: &impl ToString) {
    let text = text.to_string();
    assert!(!text.contains("precious"), "{text}");
}

#[test]
fn secrets_are_not_read_out() {
    let world = with_secrets();
    for name in [
        ".env",
        "./.env",
        ".ENV",
        ".env.local",
        "keys/server.pem",
        "id_rsa",
        ".npmrc",
        "x.tfstate",
        "sub/.ENV",
        ".env.",
    ] {
        let path = world.at(name);
        let answer = Answer::new()
            .read(&path)
            .action("file_read_numbered", &[("path", &path)])
            .action("files_read", &[("paths", &path)])
            .action("grep", &[("pattern", "TOKEN"), ("path", &path)]);
        let result = world.execute(&answer, json!({}));
        assert_hidden(&result);
        // A spelling may name a secret on one file system and nothing on another.
        let missing = !world.exists(name);
        let kinds = kinds(&result);
        assert!(
            kinds[..2].iter().all(|kind| kind == "secret" || (missing && kind == "file_not_found")),
            "{name}: {result:#}"
        );
        if !missing {
            assert_eq!(
                result["results"][0]["error"],
                json!(format!("file_read: File is held back as a secret '{path}' (SECRET)"))
            );
            assert_eq!(kinds[3], "secret");
        }
    }
    let answer = Answer::new().action("grep", &[("pattern", "TOKEN"), ("path", &world.root())]);
    let result = world.execute(&answer, json!({}));
    assert_eq!(
        result["results"][0]["data"],
        json!([{
            "file": world.at("a.txt"), "line_number": 1, "line": "TOKEN is read from the environment"
        }])
    );
}

#[test]
fn secrets_are_not_got_at_by_other_ways() {
    let world = with_secrets();
    let env = world.at(".env");
    // Moved to a name that may be read; hints, diffs and plans of failing and succeeding edits.
    for answer in [
        Answer::new()
            .action("file_move", &[("old_path", &env), ("new_path", &world.at("notes.txt"))])
            .read(&world.at("notes.txt")),
        Answer::new()
            .action("file_move", &[("old_path", &env), ("new_path", &world.at(".env.bak"))])
            .action("file_move", &[("old_path", &world.at(".env.bak")), ("new_path", &world.at("notes.txt"))])
            .action("file_move", &[("old_path", &world.at(".env.bak")), ("new_path", &env)])
            .read(&world.at("notes.txt")),
        Answer::new().replace(&env, "TOKEN=prezious-data\nSECOND=x", "x"),
        Answer::new().replace(&env, "TOKEN", "TOKEN2"),
        Answer::new().replace(&env, "=", ":"),
        Answer::new().action("file_append", &[("path", &env), ("content", "A=1\n")]),
        Answer::new()
            .action("file_replace_lines", &[("path", &env), ("lines", "1"), ("new_content", "A=1\n")]),
        Answer::new().action(
            "file_replace_text_range",
            &[("path", &env), ("old_text_beginning", "TOKEN"), ("old_text_end", "nothing"), ("new_text", "")],
        ),
        Answer::new().action(
            "files_replace_all_text",
            &[("paths", &env), ("old_text", "TOKEN=wrong\nSECOND"), ("new_text", "x")],
        ),
        Answer::new().write(&env, "A=1\n"),
        Answer::new().action("file_delete", &[("path", &env)]),
    ] {
        world.lay(".env", SECRET);
        for args in [&["--dry-run"][..], &[], &["--format", "llm"]] {
            world.lay(".env", SECRET);
            let ran = world.run(&[&["apply", "-v", "--error-detail", "debug"], args].concat(), answer.text());
            assert_hidden(&ran.stdout);
        }
        world.lay(".env", SECRET);
        let plan = world.connect().call("plan", &json!({ "root": world.root(), "text": answer.text() }));
        assert_hidden(&plan);
        let result = world.execute(&answer, json!({ "dryRun": true }));
        assert_hidden(&result);
        assert!(!world.exists("notes.txt"));
    }
}

#[test]
fn secrets_are_read_with_a_persons_word() {
    let world = with_secrets();
    let answer = Answer::new().read(&world.at(".env"));
    let result = world.apply_json(&["--include-secrets"], answer.text());
    assert_eq!(result["results"][0]["data"]["content"], json!(SECRET));
    let result = world.apply_json(&[], answer.text());
    assert_eq!(result["results"][0]["kind"], Value::from("secret"));
}
