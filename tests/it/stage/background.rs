//! Files made ready in the background.

use std::path::PathBuf;

use serde_json::json;

use super::{Staged, folders, stage, told};
use crate::support::{Connection, World};

/// Waits until so many files are ready. Changes made at once may be reported in steps.
fn until(subscriber: &mut Connection, files: u64) {
    while subscriber.next_event()["staged"] != files {}
}

#[test]
fn what_changes_is_made_ready_in_the_background() {
    let world = World::with_config("stage:\n  auto: true\n  auto_debounce: 20ms\n");
    world.lay("a", "1");
    world.lay("b", "1");
    let first = stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a", "2");
    until(&mut subscriber, 1);
    assert!(first.path.exists() && folders(&world) == 2, "the one that was handed over stays");
    assert_eq!(first.names(), ["a", "b"]);
    world.lay("c", "1");
    until(&mut subscriber, 2);
    let ready: Vec<PathBuf> =
        std::fs::read_dir(world.path("tmp")).unwrap().map(|entry| entry.unwrap().path()).collect();
    let result = told(&world, &[]);
    let copied = json!([{ "path": "a", "name": "a", "size": 1 }, { "path": "c", "name": "c", "size": 1 }]);
    assert_eq!(result["copied"], copied, "{result:#}");
    let folder = PathBuf::from(result["stagingDir"].as_str().unwrap());
    assert!(ready.contains(&folder) && folders(&world) == 1, "it was ready");
    let staged = Staged { path: folder };
    assert_eq!(staged.files()["a"], b"2");
    assert_eq!(staged.manifest()["files"], json!({ "a": "a", "b": "b", "c": "c" }));
    // A change after it was made ready is not missed, and a file restored to its earlier content is not
    // staged.
    world.lay("b", "2");
    until(&mut subscriber, 1);
    world.lay("b", "1");
    world.lay("d", "1");
    assert_eq!(stage(&world, &[]).names(), ["d"]);
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
}

#[test]
fn regression_what_was_made_ready_is_not_taken_for_a_file_that_has_its_name_now() {
    let world = World::with_config("stage:\n  auto: true\n  auto_debounce: 500ms\n");
    world.lay("keep", "1");
    stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a-b.txt", "in the root");
    world.lay("a/b.txt", "in a folder");
    until(&mut subscriber, 2);
    std::fs::remove_file(world.path("project/a-b.txt")).unwrap();
    std::fs::remove_file(world.path("project/a/b.txt")).unwrap();
    stage(&world, &["--for", "other"]);
    // The other one comes first now, and gets the name.
    world.lay("a/b.txt", "in a folder");
    stage(&world, &["--for", "other"]);
    world.lay("a-b.txt", "in the root");
    let staged = stage(&world, &[]);
    let (files, names) = (staged.files(), staged.manifest());
    assert_eq!(names["files"]["a-b.txt"], "a/b.txt");
    assert_eq!((files.len(), files["a-b.txt"].as_slice()), (2, b"in a folder".as_slice()), "{files:?}");
}

#[test]
fn regression_what_was_made_ready_elsewhere_is_not_handed_over() {
    let world = World::with_config("stage:\n  auto: true\n  auto_debounce: 20ms\n");
    world.lay("a", "1");
    stage(&world, &[]);
    let mut subscriber = world.connect();
    subscriber.call("subscribe", &json!({ "root": world.root(), "kinds": ["staged"] }));
    world.lay("a", "2");
    until(&mut subscriber, 1);
    let config = format!("stage:\n  auto: true\n  dir: {}\n", world.path("else").display());
    std::fs::write(world.path("config/clada/config.yaml"), config).unwrap();
    let staged = stage(&world, &[]);
    assert!(staged.path.starts_with(world.path("else")), "{}", staged.path.display());
    assert_eq!((staged.files()["a"].as_slice(), folders(&world)), (b"2".as_slice(), 0));
}
