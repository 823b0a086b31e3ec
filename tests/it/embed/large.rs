//! `embed` of what has many files, and of what is left out of every document.

use serde_json::json;

use super::{document, omitted, paths, result};
use crate::support::{World, from_markdown};

/// A project with six folders of 55 files each.
fn large() -> World {
    let world = World::new();
    for file in 0..330 {
        world.lay(&format!("f{}/{:02}.txt", file / 55, file % 55), format!("{file}\n"));
    }
    world
}

#[test]
fn many_issues_of_a_kind_are_counted_and_the_document_is_summed_up() {
    let world = large();
    let ran = world.run(&["embed", "."], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    let counted = "ERROR: 6 folders with more than 50 files (embed.max_files_per_directory): f0/, f1/, f2/ and 3 \
                   more (-v lists all)\n";
    assert!(ran.stderr.starts_with(counted), "{ran:?}");
    let listed = world.run(&["embed", ".", "-v", "--yes"], "");
    assert_eq!(listed.stderr.matches("has 55 files to embed").count(), 6, "{listed:?}");
    let ran = world.run(&["embed", ".", "--yes"], "");
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.starts_with("300 files, ") && last.contains(" kB, ≈ "), "{last}");
    assert!(last.contains("; largest: f"), "{last}");
}

#[test]
fn a_work_tree_of_git_has_no_limit_of_its_own() {
    let world = large();
    std::fs::create_dir(world.project().join(".git")).unwrap();
    let all = result(&world, &["."]);
    assert_eq!(all["files"].as_array().unwrap().len(), 330, "{}", all["errors"]);
    let few = result(&world, &[".", "--max-files-per-directory", "50", "--yes"]);
    assert_eq!(few["files"].as_array().unwrap().len(), 300);
    world.lay(".clada/config.yaml", "embed: {max_files_per_directory: 50}\n");
    let few = result(&world, &[".", "--yes"]);
    assert_eq!(few["files"].as_array().unwrap().len(), 300, "{}", few["errors"]);
    // A folder elsewhere is bounded by nothing that git ignores.
    for file in 0..55 {
        std::fs::write(world.path(&format!("outside/{file:02}.txt")), "x\n").unwrap();
    }
    world.lay(".clada/config.yaml", "embed: {max_files_per_directory: auto}\n");
    let outside = result(&world, &[world.path("outside").to_str().unwrap()]);
    assert_eq!(outside["errors"].as_array().unwrap().len(), 1, "{outside}");
}

#[test]
fn a_secret_or_a_binary_file_alone_is_an_error_that_says_why() {
    let world = World::new();
    world.lay(".env", "TOKEN=1\n");
    world.lay("logo.png", b"\x89PNG\r\n\x1a\n\0");
    world.lay("a.txt", "a\n");
    for (name, kind, why) in
        [(".env", "secret", "--include-secrets embeds it"), ("logo.png", "not_text", "is a binary file")]
    {
        let ran = world.run(&["embed", name], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("nothing is left to embed: ") && ran.stderr.contains(why), "{ran:?}");
        let params = json!({ "root": world.root(), "paths": [name] });
        assert_eq!(world.connect().fail("embed", &params)["data"]["kind"], kind);
        assert_eq!(paths(&from_markdown(&document(&world, &[name, "a.txt"]))), ["a.txt"]);
    }
    assert_eq!(document(&world, &[".env", "--include-secrets"]).matches("TOKEN=1").count(), 1);
}

#[test]
fn what_clada_wrote_is_no_part_of_the_next_document() {
    let world = World::new();
    world.lay("a.txt", "a\n");
    world.lay("about.md", "# Context Files\n\n<!-- clada-context 0 -->\n");
    for (format, name) in [("markdown", "one.md"), ("xml", "one.xml"), ("json", "one.json")] {
        assert_eq!(world.run(&["embed", ".", "--format", format, "-o", name], "").code, 0);
    }
    let ran = world.run(&["embed", ".", "-o", "two.md"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.stderr.matches("is a document that clada wrote").count(), 3, "{ran:?}");
    assert_eq!(paths(&from_markdown(&world.read("two.md"))), ["a.txt", "about.md"]);
    let told = result(&world, &["."]);
    assert_eq!(omitted(&told, "one.json").as_deref(), Some("a document that clada wrote"));
    assert_eq!(paths(&from_markdown(&document(&world, &["one.xml"]))), ["one.xml"], "named, it is taken");
}

#[test]
fn a_user_may_name_a_file_that_answers_may_not() {
    let world = World::with_config("denied: [\"**/kept/**\", \"**/elsewhere/**\"]\n");
    world.lay("kept/a.txt", "a\n");
    std::fs::create_dir(world.path("outside/elsewhere")).unwrap();
    let elsewhere = world.path("outside/elsewhere/hosts");
    std::fs::write(&elsewhere, "127.0.0.1\n").unwrap();
    for name in ["kept/a.txt", elsewhere.to_str().unwrap()] {
        assert_eq!(from_markdown(&document(&world, &[name])).len(), 1, "{name}");
    }
    let folder = world.run(&["embed", "kept"], "");
    assert!(folder.code == 1 && folder.stderr.contains("Path is denied"), "{folder:?}");
    assert!(from_markdown(&document(&world, &["."])).is_empty(), "what is not named stays out");
    let git = world.run(&["embed", ".clada/config.yaml"], "");
    assert_eq!((git.code, git.stdout.as_str()), (1, ""), "{git:?}");
    let mut agent = world.connect();
    agent.call("hello", &json!({ "caller": "agent", "roots": [world.root()] }));
    let refused = agent.call("embed", &json!({ "root": world.root(), "paths": ["kept/a.txt"] }));
    assert_eq!(refused["errors"][0]["kind"], "path_denied", "{refused}");
}
