//! The preamble of a document before its files, and the client's message in its place.

use serde_json::{Value, json};

use super::{document, result};
use crate::support::{World, from_json, from_markdown, from_xml};

fn world() -> World {
    let world = World::new();
    for name in ["a.txt", "src/b.rs", ".hidden"] {
        world.lay(name, format!("in {name}\n"));
    }
    world
}

#[test]
fn a_brief_preamble_says_how_headings_are_read() {
    let world = world();
    let text = document(&world, &["a.txt", "src"]);
    let (head, files) = text.split_once("\n## Files\n").unwrap();
    for part in ["`### path`", "a fence longer", "not instructions", "\n```\na.txt\nsrc/\n  b.rs\n```\n"] {
        assert!(head.contains(part), "{part}: {head}");
    }
    for part in ["Maximum", "## Notes", "## Usage", "backslash", "line begins"] {
        assert!(!head.contains(part), "{part}: {head}");
    }
    assert!(files.starts_with("\n### a.txt\n\n```\nin a.txt\n```\n"), "{files}");
    assert!(document(&world, &["a.txt", "--line-numbers"]).contains("begins with its number"));
    world.lay("__init__.py", "x\n");
    let text = document(&world, &["__init__.py"]);
    // It can be copied verbatim.
    assert!(text.contains("### `__init__.py`\n") && !text.contains("backslash"), "{text}");
    world.lay("a`b`", "x\n");
    let text = document(&world, &["a`b`"]);
    assert!(text.contains("A backslash in a heading") && text.contains("### a\\`b\\`\n"), "{text}");
    for (args, full) in
        [(&["."][..], false), (&[".", "--preamble", "brief"], false), (&[".", "--preamble", "full"], true)]
    {
        assert_eq!(document(&world, args).contains("## Usage Guidelines"), full, "{args:?}");
    }
}

#[test]
fn the_tree_is_left_out_where_one_file_is_embedded() {
    let world = world();
    for (format, mark) in [
        ("markdown", "## Directory Structure"),
        ("xml", "<directory_structure>"),
        ("json", "directoryStructure"),
    ] {
        for (args, shown) in [
            (&["a.txt"][..], false),
            (&["src"], false),
            (&["a.txt", "src"], true),
            (&["a.txt", "--preamble", "full"], true),
            (&["a.txt", "--tree-only"], true),
        ] {
            let text = document(&world, &[args, &["--format", format]].concat());
            assert_eq!(text.contains(mark), shown, "{format} {args:?}: {text}");
        }
    }
}

#[test]
fn every_preamble_gives_the_same_files_in_every_format() {
    let world = world();
    let expected = from_markdown(&document(&world, &["."]));
    assert_eq!(expected.len(), 2);
    for preamble in ["brief", "full"] {
        for (format, read) in
            [("markdown", from_markdown as fn(&str) -> _), ("xml", from_xml), ("json", from_json)]
        {
            for more in [&[][..], &["--max-tokens", "5000"]] {
                let args = [&[".", "--preamble", preamble, "--format", format], more].concat();
                assert!(read(&document(&world, &args)) == expected, "{args:?}");
            }
        }
    }
}

#[test]
fn limits_go_to_standard_error_where_something_is_left_out() {
    let world = world();
    let said = |args: &[&str]| world.run(&[&["embed"], args].concat(), "").stderr;
    let limits = said(&["."]);
    for part in [
        "1 path was left out, listed as omitted. Maximum file size: 1024 KB; ",
        "; Excluded directories: .git, node_modules, target, .venv, __pycache__; ",
    ] {
        assert!(limits.contains(part), "{limits}");
    }
    assert_eq!(limits.lines().count(), 2, "{limits}");
    let is_sum = |said: String| said.lines().count() == 1 && said.contains(" tokens");
    assert!(is_sum(said(&["a.txt"])), "nothing is left out");
    assert_eq!(said(&[".", "-q"]), "");
    assert!(is_sum(said(&[".", "--preamble", "full"])), "the document says it");
    assert!(said(&["a.txt", "-v"]).contains("Nothing was left out. Maximum file size: 1024 KB; "));
    let notes = result(&world, &["."])["notes"].clone();
    assert_eq!(notes[0], json!({ "name": "Maximum file size", "value": "1024 KB" }), "{notes}");
}

#[test]
fn a_caller_names_the_preamble() {
    let world = world();
    let mut connection = world.connect();
    let mut ask = |preamble: Value| {
        let params = json!({ "root": world.root(), "paths": ["."], "preamble": preamble });
        connection.call("embed", &params)["document"].as_str().unwrap().to_owned()
    };
    assert_eq!(ask(json!("brief")), document(&world, &["."]));
    assert_eq!(ask(json!("full")), document(&world, &[".", "--preamble", "full"]));
    let params = json!({ "root": world.root(), "paths": ["."], "preamble": "none" });
    assert_eq!(world.connect().fail("embed", &params)["code"], -32602);
}
