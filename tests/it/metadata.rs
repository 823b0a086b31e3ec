//! The metadata that a file keeps when its content is replaced, and the metadata of new ones.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, SystemTime};

use rustix::fs::{XattrFlags, getxattr, setxattr};
use serde_json::json;

use crate::support::{Answer, World, feed, skipped};

fn edits(world: &World) -> [(&'static str, Answer); 4] {
    let path = world.at("a.sh");
    [
        ("file_write", Answer::new().write(&path, "new\n")),
        ("file_replace_text", Answer::new().replace(&path, "old", "new")),
        ("file_append", Answer::new().action("file_append", &[("path", &path), ("content", "new\n")])),
        (
            "file_replace_lines",
            Answer::new()
                .action("file_replace_lines", &[("path", &path), ("lines", "1"), ("new_content", "new")]),
        ),
    ]
}

#[test]
fn the_mode_of_a_replaced_file_stays() {
    let world = World::with_config("durability: fast\n");
    for mode in [0o755, 0o600, 0o640, 0o777, 0o200 | 0o444] {
        for (name, answer) in edits(&world) {
            let _ = std::fs::remove_file(world.project().join("a.sh"));
            world.lay("a.sh", "old\n");
            let path = world.project().join("a.sh");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            assert_eq!(world.execute(&answer, json!({ "umask": 0o077 }))["success"], true, "{name} {mode:o}");
            assert_eq!(path.metadata().unwrap().mode() & 0o7777, mode, "{name}");
            assert!(world.read("a.sh").contains("new"));
        }
    }
}

#[test]
fn a_hard_link_is_not_written_through() {
    let world = World::with_config("durability: fast\n");
    for (name, answer) in edits(&world) {
        let (path, other) = (world.project().join("a.sh"), world.path(&format!("outside/{name}")));
        let _ = std::fs::remove_file(&path);
        std::fs::write(&other, "old\n").unwrap();
        std::fs::hard_link(&other, &path).unwrap();
        assert_eq!(world.execute(&answer, json!({}))["success"], true, "{name}");
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "old\n", "{name}");
        assert!(world.read("a.sh").contains("new"));
        assert_eq!(path.metadata().unwrap().nlink(), 1);
    }
}

#[test]
fn extended_attributes_stay() {
    let world = World::with_config("durability: fast\n");
    world.lay("a.sh", "old\n");
    let path = world.project().join("a.sh");
    if let Err(error) = setxattr(&path, "user.clada.test", b"kept", XattrFlags::empty()) {
        return skipped("extended attributes", &error.to_string());
    }
    for (name, answer) in edits(&world) {
        std::fs::write(&path, "old\n").unwrap();
        assert_eq!(world.execute(&answer, json!({}))["success"], true, "{name}");
        let mut value = [0; 16];
        let size = getxattr(&path, "user.clada.test", &mut value).unwrap();
        assert_eq!(&value[..size], b"kept", "{name}");
    }
}

#[test]
fn the_owner_of_a_replaced_file_stays() {
    let world = World::new();
    world.lay("a.sh", "old\n");
    let path = world.project().join("a.sh");
    if std::os::unix::fs::chown(&path, Some(12345), Some(23456)).is_err() {
        return skipped("another owner", "only root may give files away");
    }
    let answer = Answer::new().write(&world.at("a.sh"), "new\n");
    assert_eq!(world.execute(&answer, json!({}))["success"], true);
    let found = path.metadata().unwrap();
    assert_eq!((found.uid(), found.gid()), (12345, 23456));
}

#[test]
fn new_files_and_folders_get_the_umask_of_the_client() {
    let world = World::new();
    // The daemon is started by a client with one umask and asked by one with another.
    for (umask, file, folder) in
        [("077", 0o600, 0o700), ("022", 0o644, 0o755), ("002", 0o664, 0o775), ("000", 0o666, 0o777)]
    {
        let answer = Answer::new()
            .write(&world.at(&format!("{umask}/a.txt")), "x")
            .action("file_append", &[("path", &world.at(&format!("{umask}/b.txt"))), ("content", "x")])
            .action("dir_create", &[("path", &world.at(&format!("{umask}/d")))]);
        let mut command = world.program("sh");
        command.args(["-c", "umask \"$1\"; exec \"$2\" apply", "sh", umask, env!("CARGO_BIN_EXE_it-client")]);
        let ran = feed(&mut command, answer.text().as_bytes());
        assert_eq!(ran.code, 0, "{ran:?}");
        let mode = |name: &str| {
            world.project().join(umask).join(name).metadata().unwrap().permissions().mode() & 0o7777
        };
        assert_eq!(
            (mode("a.txt"), mode("b.txt"), mode("d"), mode("")),
            (file, file, folder, folder),
            "{umask}"
        );
    }
}

#[test]
fn a_file_that_holds_this_already_is_not_touched() {
    let world = World::new();
    world.lay("a.sh", "same\n");
    let path = world.project().join("a.sh");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(&path).unwrap().set_modified(long_ago).unwrap();
    let before = path.metadata().unwrap();
    let answer = Answer::new()
        .write(&world.at("a.sh"), "same\n")
        .replace(&world.at("a.sh"), "same", "same")
        .action("file_append", &[("path", &world.at("a.sh")), ("content", "")])
        .action("file_move", &[("old_path", &world.at("a.sh")), ("new_path", &world.at("a.sh"))])
        .action(
            "files_replace_all_text",
            &[("paths", &world.at("a.sh")), ("old_text", "s"), ("new_text", "s")],
        );
    let result = world.execute(&answer, json!({}));
    for found in result["results"].as_array().unwrap() {
        assert_eq!((&found["success"], &found["unchanged"]), (&json!(true), &json!(true)), "{found}");
    }
    let after = path.metadata().unwrap();
    assert_eq!(after.modified().unwrap(), long_ago);
    assert_eq!(
        (after.ino(), after.ctime(), after.ctime_nsec()),
        (before.ino(), before.ctime(), before.ctime_nsec())
    );
}

#[test]
fn nothing_is_left_beside_the_files() {
    let world = World::new();
    world.lay("dir/a.txt", "a");
    let answer = Answer::new()
        .write(&world.at("dir/a.txt"), "b")
        .write(&world.at("dir/b.txt"), "b")
        .write(&world.at("new/../dir/c.txt"), "c")
        .replace(&world.at("dir/a.txt"), "nothing", "x")
        .write(&world.at("dir"), "x")
        .write(&world.at("dir/a.txt/x"), "x");
    world.execute(&answer, json!({}));
    let mut names: Vec<_> = std::fs::read_dir(world.project().join("dir"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a.txt", "b.txt", "c.txt"]);
    assert!(!world.exists("new"));
}

#[test]
fn names_that_are_not_utf_8_are_listed_with_their_bytes() {
    let world = World::new();
    let name = crate::support::odd_name();
    if std::fs::write(world.project().join(&name), "hit\n").is_err() {
        return skipped("a name that is not UTF-8", "the file system takes none");
    }
    let answer = Answer::new()
        .action("ls", &[("path", &world.root())])
        .action("grep", &[("pattern", "hit"), ("path", &world.root())])
        .action("glob", &[("pattern", "**"), ("base_path", &world.root())]);
    let result = world.execute(&answer, json!({}));
    assert_eq!(result["success"], true, "{result:#}");
    let results = result["results"].as_array().unwrap();
    assert_eq!(results[0]["data"][0]["nameBytes"], "YmFk/25hbWUudHh0");
    assert!(results[1]["data"][0]["pathBytes"].is_string(), "{result:#}");
    assert_eq!(results[2]["data"].as_array().unwrap().len(), 1);
}
