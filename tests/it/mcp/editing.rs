//! The tools with which an agent edits, reads and searches without a format of its own.

use serde_json::{Value, json};

use super::Host;
use crate::support::World;

/// A file before, the edits, and the file after: `None`, if nothing may change.
type Case = (&'static str, Value, Option<&'static str>);

#[test]
fn edits_of_a_file_are_found_in_it_as_it_was() {
    let world = World::new();
    let mut host = Host::old(&world);
    let cases: Vec<Case> = vec![
        ("a b\n", json!([["a", "b"], ["b", "c"]]), Some("b c\n")),
        ("a b\n", json!([["b", "a"], ["a", "b"]]), Some("b a\n")),
        ("one two\n", json!([["one two", "1 2"], ["two", "zwei"]]), None),
        ("one\ntwo\n", json!([["one\n", ""], ["two", "2"]]), Some("2\n")),
        ("x\nx\n", json!([["x", "y"]]), None),
        ("x\nx\n", json!([["x", "y", 2]]), Some("y\ny\n")),
        ("x\nx\n", json!([["x", "y", 3]]), None),
        ("x\nx\n", json!([["x", "y", 1]]), None),
        ("a\r\nb\r\n", json!([["a\nb", "c\nd\ne"]]), Some("c\r\nd\r\ne\r\n")),
        ("\u{feff}a", json!([["a", "b"]]), Some("\u{feff}b")),
        ("a\n", json!([["a", "b"], ["none", "c"]]), None),
        ("def f():\n    return 1\n", json!([["def f():\n  return 1", "def g():\n  return 2"]]), None),
    ];
    for (before, edits, after) in cases {
        world.lay("a.txt", before);
        let edits: Vec<Value> = edits
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let mut all = json!({ "path": "a.txt", "old": edit[0], "new": edit[1] });
                if let Some(count) = edit.get(2) {
                    all["count"] = count.clone();
                }
                all
            })
            .collect();
        let (said, works) = host.says("edit", &json!({ "edits": edits }));
        assert_eq!(
            (world.read("a.txt").as_str(), works),
            (after.unwrap_or(before), after.is_some()),
            "{said}"
        );
    }
}

#[test]
fn a_file_is_changed_wholly_or_not_at_all_and_all_of_them_if_it_is_asked_for() {
    for atomic in [false, true] {
        let world = World::new();
        world.lay("a.txt", "a\n");
        world.lay("b.txt", "b\n");
        world.lay("old.txt", "old\n");
        world.lay("from.txt", "moves\n");
        let mut host = Host::old(&world);
        let (said, works) = host.says(
            "edit",
            &json!({
                "edits": [
                    { "path": "a.txt", "old": "a", "new": "A" },
                    { "path": "b.txt", "old": "b", "new": "B" },
                    { "path": "b.txt", "old": "none", "new": "C" },
                ],
                "create": [{ "path": "new/c.txt", "text": "" }],
                "delete": ["old.txt"],
                "move": [{ "from": "from.txt", "to": "new/to.txt" }],
                "atomic": atomic,
            }),
        );
        let after = (world.read("a.txt"), world.exists("new/c.txt"), world.exists("old.txt"));
        let expected = if atomic { ("a\n".into(), false, true) } else { ("A\n".into(), true, false) };
        assert_eq!((after, world.read("b.txt"), works), (expected, "b\n".into(), !atomic), "{said}");
        assert_eq!(world.exists("new/to.txt"), !atomic);
        assert!(said.contains("none") || said.contains("not found"), "{said}");
    }
}

#[test]
fn what_is_there_is_never_overwritten_and_the_same_call_is_not_skipped() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    let mut host = Host::old(&world);
    let create = json!({ "create": [{ "path": "a.txt", "text": "mine\n" }] });
    let onto = json!({ "move": [{ "from": "b.txt", "to": "a.txt" }] });
    world.lay("b.txt", "b\n");
    for arguments in [create, onto] {
        let (said, works) = host.says("edit", &arguments);
        assert!(!works && world.read("a.txt") == "a\n" && world.exists("b.txt"), "{said}");
    }
    for _ in 0..2 {
        world.lay("a.txt", "a\n");
        let edit = json!({ "edits": [{ "path": "a.txt", "old": "a", "new": "aa" }] });
        let (said, works) = host.says("edit", &edit);
        assert_eq!((world.read("a.txt").as_str(), works), ("aa\n", true), "{said}");
    }
}

#[test]
fn the_ladder_is_climbed_down_only_on_request() {
    let world = World::new();
    let mut host = Host::old(&world);
    let edit = json!({
        "edits": [
            { "path": "a.py", "old": "def f():\n  return 1", "new": "def g():\n  return 2" },
            { "path": "a.py", "old": "x = 1", "new": "x = 2" },
        ],
        "match": "tolerant",
    });
    world.lay("a.py", "def f():\n    return 1\nx = 1\n");
    let (said, works) = host.says("edit", &edit);
    assert!(works, "{said}");
    assert_eq!(world.read("a.py"), "def g():\n    return 2\nx = 2\n");
    let (said, works) = host.says("edit", &edit);
    assert!(!works, "nothing is taken for applied already: {said}");
}

#[test]
fn arguments_are_taken_as_models_send_them() {
    let world = World::new();
    let mut host = Host::old(&world);
    let edit = json!({ "path": "./a.txt", "old_string": "a", "new_string": "b", "count": 1.0 });
    for arguments in [
        json!({ "edits": [edit], "root": "", "atomic": "true", "create": [], "delete": null, "move": "" }),
        json!({ "edits": edit, "match": "" }),
        json!({ "edits": json!([edit]).to_string(), "why": "because" }),
    ] {
        world.lay("a.txt", "a\n");
        let (said, works) = host.says("edit", &arguments);
        assert_eq!((world.read("a.txt").as_str(), works), ("b\n", true), "{said}");
        let named = "NOTE: there is no argument `why`, it was ignored.";
        assert_eq!(said.contains(named), arguments.get("why").is_some(), "{said}");
    }
    for (tool, arguments) in [
        ("read", json!({ "paths": "a.txt" })),
        ("read", json!({ "paths": "[\"a.txt\"]", "ranges": "1-1" })),
        ("search", json!({ "pattern": "b", "globs": "*.txt", "context": "2", "ignore_case": "false" })),
        ("list", json!({ "glob": null })),
        ("read", json!({ "file_path": "a.txt" })),
        ("search", json!({ "query": "b", "path": "a.txt" })),
        ("list", json!({ "pattern": "*.txt" })),
        ("embed", json!({ "paths": "a.txt", "max_tokens": 2000.0 })),
    ] {
        let (said, works) = host.says(tool, &arguments);
        assert!(works && said.contains("a.txt"), "{tool}: {said}");
    }
    // What asks for care, or could mean more than one edit, is never ignored.
    for arguments in [
        json!({ "edits": [edit], "dry_run": true }),
        json!({ "edits": [edit], "approve": "all" }),
        json!({ "edits": [{ "path": "a.txt", "old": "", "new": "b" }] }),
        json!({ "edits": [{ "path": "a.txt", "old": "b", "new": "c", "count": 0 }] }),
        json!({ "edits": [{ "path": "a.txt", "old": "b" }] }),
        json!({}),
    ] {
        let (said, works) = host.says("edit", &arguments);
        assert!(!works && world.read("a.txt") == "b\n", "{said}");
    }
}

#[test]
fn files_are_read_as_they_are_with_what_an_exact_edit_needs() {
    let world = World::new();
    world.lay("a.md", "# a\n```\ncode\n```\n");
    world.lay("crlf.txt", "one\r\ntwo");
    world.lay("empty.txt", "");
    world.lay("long.txt", (1..=40).map(|number| format!("line {number}\n")).collect::<String>());
    world.lay("latin.txt", b"caf\xe9 tr\xe8s bien\n");
    world.lay(".env", "KEY=s3cret-value\n");
    let mut host = Host::old(&world);
    for (paths, expected) in [
        (json!(["a.md"]), "a.md\n````\n# a\n```\ncode\n```\n````\n"),
        (json!(["crlf.txt"]), "crlf.txt (CRLF; no line end at the end)\n```\none\ntwo\n```\n"),
        (json!(["empty.txt"]), "empty.txt (empty)\n```\n```\n"),
        (json!(["latin.txt"]), "latin.txt (encoding windows-1252)\n```\ncafé très bien\n```\n"),
        (json!(["long.txt:3-4"]), "long.txt (lines 3-4 of 40)\n```\nline 3\nline 4\n```\n"),
        (json!(["long.txt:40-90"]), "long.txt (lines 40-40 of 40)\n```\nline 40\n```\n"),
    ] {
        let (said, works) = host.says("read", &json!({ "paths": paths }));
        assert_eq!((said.as_str(), works), (expected, true));
    }
    for (path, part) in [
        (".env", "held back as a secret"),
        ("none", "File not found"),
        ("long.txt:41-50", "there are 40 lines"),
    ] {
        let (said, works) = host.says("read", &json!({ "paths": [path] }));
        assert!(!works && said.contains(part) && !said.contains("s3cret"), "{said}");
    }
    let (said, works) = host.says("read", &json!({ "paths": ["none", "a.md"] }));
    assert!(works && said.contains("# a") && said.contains("ERROR"), "{said}");
}

#[test]
fn searches_and_lists_are_in_the_order_of_paths_and_name_what_is_left_out() {
    let world = World::new();
    world.lay("b.txt", "needle 1\nother\nneedle 2\n");
    world.lay("a/x.rs", "fn needle() {}\n");
    world.lay("a/bin.dat", "needle\0\n");
    world.lay(".env", "needle=s3cret-value\n");
    world.lay(".gitignore", "ignored.txt\n");
    world.lay("ignored.txt", "needle\n");
    let mut host = Host::old(&world);
    for (arguments, expected) in [
        (
            json!({ "pattern": "needle" }),
            "a/x.rs\n1: fn needle() {}\nb.txt\n1: needle 1\n3: needle 2\n3 lines in 2 files.\n\
             Held back as secrets: .env.\n",
        ),
        (
            json!({ "pattern": "needle \\d", "globs": ["!b.txt"] }),
            "No line matches.\nHeld back as secrets: .env.\n",
        ),
        (
            json!({ "pattern": "NEEDLE", "globs": ["a"], "ignore_case": true }),
            "a/x.rs\n1: fn needle() {}\n1 line in 1 file.\n",
        ),
        (
            json!({ "pattern": "other", "context": 1 }),
            "b.txt\n1- needle 1\n2: other\n3- needle 2\n1 line in 1 file.\nHeld back as secrets: .env.\n",
        ),
    ] {
        assert_eq!(host.says("search", &arguments), (expected.to_owned(), true));
    }
    for (glob, expected) in [
        (json!({}), ".gitignore\na/bin.dat\na/x.rs\nb.txt\n4 files.\nHeld back as secrets: .env.\n"),
        (json!({ "glob": "*.rs" }), "a/x.rs\n1 file.\n"),
        (json!({ "glob": "a/" }), "a/bin.dat\na/x.rs\n2 files.\n"),
        (json!({ "glob": "none/**" }), "No file fits.\n"),
    ] {
        assert_eq!(host.says("list", &glob), (expected.to_owned(), true));
    }
    for (tool, arguments) in
        [("search", json!({ "pattern": "(" })), ("search", json!({})), ("list", json!({ "glob": "[" }))]
    {
        let (said, works) = host.says(tool, &arguments);
        assert!(!works, "{tool}: {said}");
    }
    // 500 lines more than the three above, of which 200 are shown.
    world.lay("many.txt", "needle\n".repeat(500));
    let (said, _) = host.says("search", &json!({ "pattern": "needle" }));
    assert!(said.contains("[cut: 200 of 503 lines in 3 files; narrow it with `globs`]"), "{said}");
}

#[test]
fn commits_of_agents_go_where_the_person_says() {
    for (config, head_moves, beside) in [
        ("", false, true),
        ("git: {agents: branch}\n", true, false),
        ("git: {agents: off}\n", false, false),
        ("git: {mode: off, agents: branch}\n", false, false),
        ("git: {mode: refs, agents: branch}\n", true, false),
    ] {
        let Some(world) = crate::git::repository(config) else { return };
        let git = |arguments: &[&str]| crate::git::git(&world, arguments).unwrap();
        let before = git(&["rev-parse", "HEAD"]);
        let edit = json!({ "edits": [{ "path": "a", "old": "one", "new": "two" }] });
        let (said, works) = Host::old(&world).says("edit", &edit);
        assert!(works && world.read("a") == "two\n", "{said}");
        assert_eq!(git(&["rev-parse", "HEAD"]) != before, head_moves, "{config}");
        let refs = git(&["for-each-ref", "refs/clada/main"]);
        assert_eq!(!refs.trim().is_empty(), beside, "{config}: {refs}");
        let history = world.run(&["history"], "").stdout;
        assert_eq!(history.contains("commits on refs/clada"), beside, "{config}: {history}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert_eq!(
            doctor.contains("those of agents go to refs/clada/…, alongside the branch (git.agents)"),
            beside,
            "{doctor}"
        );
        world.run(&["undo"], "");
        assert_eq!(world.read("a"), "one\n", "{config}");
    }
}

/// The model knows the tool's arguments, and not the dialect that they become.
#[test]
fn a_failure_of_an_edit_names_the_arguments_of_the_tool() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\ntwo\n");
    let mut host = Host::old(&world);
    for (arguments, named) in [
        (json!({ "edits": [{ "path": "a.txt", "old": "three", "new": "3" }] }), "`old`"),
        (json!({ "edits": [{ "path": "a.txt", "old": "two", "new": "2" }] }), "`old`"),
        (json!({ "edits": [{ "path": "none.txt", "old": "a", "new": "b" }] }), "`create` makes a file"),
        (json!({ "create": [{ "path": "a.txt", "text": "" }] }), "task 1, create"),
        (json!({ "delete": ["none.txt"] }), "delete"),
        (json!({ "move": [{ "from": "none.txt", "to": "b.txt" }] }), "move"),
    ] {
        let (said, works) = host.says("edit", &arguments);
        assert!(!works && said.contains(named), "{said}");
        for other in ["old_string", "old_text", "file_write", "file_replace", "Write", "clada_edit"] {
            assert!(!said.contains(other), "{other}: {said}");
        }
    }
}
