//! The edge cases of the reference document, one by one.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::{document, errors, omitted, paths, result};
use crate::support::{World, from_markdown, skipped};
use expect_test::expect;

#[test]
fn edge_1_an_empty_folder_is_a_warning() {
    let world = World::new();
    std::fs::create_dir_all(world.project().join("empty/within")).unwrap();
    let ran = world.run(&["embed", "empty", "--errors", "strict"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stderr.starts_with("WARNING: There is nothing to embed in 'empty/'\n0 files, "), "{ran:?}");
    assert!(from_markdown(&ran.stdout).is_empty());
}

#[test]
fn edge_2_what_may_not_be_read_is_an_error() {
    if rustix::process::geteuid().is_root() {
        return skipped("permissions", "root may read everything");
    }
    let world = World::new();
    world.lay("locked.txt", "x");
    world.lay("closed/a.txt", "x");
    world.lay("open.txt", "x\n");
    for (name, mode) in [("locked.txt", 0), ("closed", 0)] {
        std::fs::set_permissions(world.project().join(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    let found = result(&world, &[".", "--errors", "ignore"]);
    std::fs::set_permissions(world.project().join("closed"), PermissionsExt::from_mode(0o700)).unwrap();
    let kind = "permission_denied".to_owned();
    assert_eq!(errors(&found), [("closed".to_owned(), kind.clone()), ("locked.txt".to_owned(), kind)]);
    assert!(omitted(&found, "closed").is_some() && omitted(&found, "locked.txt").is_some());
    assert_eq!(found["files"][0]["path"], "open.txt");
    assert_eq!(found["warnings"], serde_json::json!([]), "it is not known that the folder is empty");
}

#[test]
fn edge_3_links_to_files_in_the_root_are_followed_and_no_others() {
    let world = World::new();
    std::fs::write(world.path("outside/secret.txt"), "outside\n").unwrap();
    world.lay("real/a.txt", "a\n");
    let at = |name: &str| world.project().join(name);
    symlink("real/a.txt", at("link.txt")).unwrap();
    symlink("real", at("folder")).unwrap();
    symlink(world.path("outside/secret.txt"), at("out.txt")).unwrap();
    symlink("nowhere", at("broken")).unwrap();
    symlink("loop", at("loop")).unwrap();
    let found = result(&world, &[".", "--errors", "ignore"]);
    let files = from_markdown(found["document"].as_str().unwrap());
    assert_eq!(paths(&files), ["link.txt", "real/a.txt"]);
    assert_eq!(files[&b"link.txt"[..]], b"a\n");
    assert_eq!(omitted(&found, "folder").as_deref(), Some("symbolic link to a folder"));
    assert_eq!(omitted(&found, "out.txt").as_deref(), Some("symbolic link that leads outside the root"));
    // What was only visited stops nothing.
    assert_eq!(errors(&found), []);
    assert_eq!(omitted(&found, "broken").as_deref(), Some("symbolic link that leads nowhere"));
    assert_eq!(omitted(&found, "loop").as_deref(), Some("symbolic link that leads to itself"));
    // Named, it is no other.
    let named = result(&world, &["out.txt", "--errors", "ignore"]);
    assert_eq!(errors(&named), [("out.txt".to_owned(), "symlink_not_allowed".to_owned())]);
    assert!(!named.to_string().contains("outside\\n"), "{named}");
}

#[test]
fn edge_3_links_to_folders_are_followed_where_that_is_set_and_end() {
    let world = World::with_config("embed: {follow_symlinks: true}\n");
    world.lay("real/a.txt", "a\n");
    let at = |name: &str| world.project().join(name);
    symlink("real", at("folder")).unwrap();
    symlink("..", at("real/up")).unwrap();
    symlink(world.path("outside"), at("out")).unwrap();
    let found = result(&world, &["."]);
    assert_eq!(paths(&from_markdown(found["document"].as_str().unwrap())), ["folder/a.txt", "real/a.txt"]);
    assert!(omitted(&found, "real/up").unwrap().contains("that it is in"), "{found}");
    assert_eq!(omitted(&found, "out").as_deref(), Some("symbolic link that leads outside the root"));
}

#[test]
fn edge_4_binary_files_are_left_out_with_a_warning() {
    let world = World::new();
    world.lay("a.png", b"\x89PNG\r\n\x1a\n\0\0");
    world.lay("late.dat", [vec![b'a'; 20_000], vec![0]].concat());
    world.lay("text.txt", "text\n");
    let ran = world.run(&["embed", ".", "--errors", "strict"], "");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(paths(&from_markdown(&ran.stdout)), ["text.txt"]);
    assert_eq!(ran.stderr.matches("is a binary file").count(), 2, "{ran:?}");
}

#[test]
fn edge_5_folders_may_be_nested_deeply() {
    let world = World::new();
    let deep = "d/".repeat(200);
    world.lay(&format!("{deep}f.txt"), "deep\n");
    let files = from_markdown(&document(&world, &["."]));
    assert_eq!(files[format!("{deep}f.txt").as_bytes()], b"deep\n");
    assert!(from_markdown(&document(&world, &[".", "-d", "199"])).is_empty());
}

#[test]
fn edge_6_names_may_hold_anything() {
    let world = World::new();
    // Names that mean something to Markdown, HTML, a shell or a command line, or that need quoting.
    let names = [
        "with space.txt",
        "a*b_c_d__e__.md",
        "__init__.py",
        "[x](y).txt",
        "{brace}.txt",
        "ünï.txt",
        "-dash",
        "a`b",
        "#hash#",
        "&amp;",
        "<!-- x -->",
        "a~~b~~",
        "$x$",
        "emoji😀",
        "quote\"'",
        "# not a heading\n```",
        "tab\there",
        " blank ",
        "back\\slash",
    ];
    for name in names {
        world.lay(name, format!("{name}\n"));
    }
    let text = document(&world, &["."]);
    let files = from_markdown(&text);
    assert_eq!(files.len(), names.len(), "{text}");
    for name in names {
        assert_eq!(files[name.as_bytes()], format!("{name}\n").as_bytes());
    }
}

#[test]
fn edge_7_very_large_files_are_refused() {
    let world = World::new();
    let file = std::fs::File::create(world.project().join("huge.txt")).unwrap();
    file.set_len(50 << 30).unwrap();
    let ran = world.run(&["embed", "huge.txt"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    expect![[r#"
        ERROR: 'huge.txt' is too large: 53687091200 bytes, the limit is 1024 KB (embed.max_file_size_kb)
        clada: one path cannot be embedded: nothing was embedded
          Skip them with --yes, or with --errors ignore.
    "#]]
    .assert_eq(&world.shown(&ran.stderr));
}

#[test]
fn edge_8_a_locked_file_is_read() {
    let world = World::new();
    world.lay("locked.txt", "text\n");
    let file = std::fs::File::open(world.project().join("locked.txt")).unwrap();
    file.lock().unwrap();
    assert_eq!(from_markdown(&document(&world, &["."]))[&b"locked.txt"[..]], b"text\n");
}

#[test]
fn edge_9_a_missing_path_is_told() {
    let world = World::new();
    for mode in ["strict", "flexible"] {
        let ran = world.run(&["embed", "no/such.txt", "--errors", mode], "");
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
        assert!(ran.stderr.contains("ERROR: File not found 'no/such.txt' (ENOENT)"), "{ran:?}");
    }
}

#[test]
fn edge_10_a_path_in_five_spellings_appears_once() {
    let world = World::new();
    world.lay("src/a.rs", "a\n");
    symlink(world.project(), world.path("alias")).unwrap();
    let spellings = [
        "src/a.rs".to_owned(),
        "./src//a.rs".to_owned(),
        "src/../src/a.rs".to_owned(),
        world.at("src/a.rs"),
        world.path("alias/src/a.rs").to_str().unwrap().to_owned(),
        "src".to_owned(),
    ];
    let args: Vec<&str> = spellings.iter().map(String::as_str).collect();
    let text = document(&world, &args);
    assert_eq!(text.matches("\n### ").count(), 1, "{text}");
    assert_eq!(paths(&from_markdown(&text)), ["src/a.rs"]);
    std::fs::write(world.path("outside/b.txt"), "b\n").unwrap();
    let outside = world.path("outside/b.txt");
    let text = document(&world, &["../outside/b.txt", outside.to_str().unwrap()]);
    assert_eq!(paths(&from_markdown(&text)), [outside.to_str().unwrap()], "headed by its absolute path");
}
