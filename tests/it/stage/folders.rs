//! Staging folders: those that stay, those that are deleted, and those that are never deleted.

use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use super::{MANIFEST, folders, stage, told};
use crate::support::World;

#[test]
fn the_last_folder_has_to_be_there() {
    let world = World::new();
    world.lay("a", "1");
    let none = world.run(&["stage", "--last"], "");
    assert!(none.code == 1, "{none:?}");
    expect![[r#"
        clada: Nothing was staged in this project yet
          `clada stage` makes a new folder, `clada stage --all` one with every file
    "#]]
    .assert_eq(&world.shown(&none.stderr));
    let first = stage(&world, &[]);
    assert_eq!(stage(&world, &["--last"]).path, first.path);
    std::fs::remove_dir_all(&first.path).unwrap();
    let gone = world.run(&["stage", "--last"], "");
    assert!(gone.code == 1, "{gone:?}");
    expect![[r#"
        clada: The last staging folder, '/TOP/tmp/clada-stage-ID', no longer exists
          `clada stage` makes a new folder, `clada stage --all` one with every file
    "#]]
    .assert_eq(&world.shown(&gone.stderr));
    assert_eq!(stage(&world, &[]).manifest()["files"], json!({ "a": "a" }));
}

#[test]
fn what_nobody_confirmed_is_handed_over_again() {
    let world = World::new();
    world.lay("a", "1");
    let mut connection = world.connect();
    let asked = json!({ "root": world.root(), "confirm": true });
    let first = connection.call("stage", &asked);
    assert_eq!(first["copied"][0]["path"], "a");
    let second = connection.call("stage", &asked);
    assert_eq!((&second["copied"][0]["path"], &second["firstRun"]), (&json!("a"), &json!(true)));
    world.lay("b", "2");
    let third = connection.call("stage", &asked);
    let confirm = |result: &Value| json!({ "root": world.root(), "stagingDir": result["stagingDir"] });
    assert_eq!(third["copied"].as_array().unwrap().len(), 2, "{third:#}");
    connection.call("stage.confirm", &confirm(&second));
    let fourth = connection.call("stage", &asked);
    assert_eq!(fourth["copied"], json!([{ "path": "b", "name": "b", "size": 1 }]), "{fourth:#}");
    connection.call("stage.confirm", &confirm(&fourth));
    // A client may still wait for the first and the third. One that comes late reverts nothing.
    assert_eq!(folders(&world), 3);
    connection.call("stage.confirm", &confirm(&third));
    assert_eq!(connection.call("stage", &json!({ "root": world.root() }))["copied"], json!([]));
    assert_eq!(folders(&world), 2);
    world.stop().unwrap();
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    assert_eq!(folders(&world), 1);
    let mut connection = world.connect();
    let late = connection.fail("stage.confirm", &confirm(&first));
    assert_eq!(late["data"]["kind"], "file_not_found", "{late:#}");
    for wrong in
        [json!({ "last": true, "all": true }), json!({ "for": "" }), json!({ "for": "x".repeat(101) })]
    {
        let mut params = json!({ "root": world.root() });
        params.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert_eq!(connection.fail("stage", &params)["data"]["kind"], "invalid_params");
    }
}

#[test]
fn nothing_that_is_not_ours_is_deleted() {
    let world = World::new();
    world.lay("a", "1");
    world.lay("b", "1");
    let verbose = || {
        let ran = world.run(&["stage", "-v"], "");
        let staged = PathBuf::from(ran.stdout.trim_end());
        (staged, ran.stderr)
    };
    // Changed and added files stay.
    let first = stage(&world, &[]);
    std::fs::write(first.path.join("a"), "edited").unwrap();
    std::fs::write(first.path.join("mine"), "mine").unwrap();
    std::fs::create_dir(first.path.join("folder")).unwrap();
    let (second, said) = verbose();
    assert_eq!(std::fs::read_to_string(first.path.join("a")).unwrap(), "edited");
    assert!(first.path.join("mine").exists() && first.path.join("folder").exists());
    assert!(!first.path.join("b").exists() && !first.path.join(MANIFEST).exists());
    assert!(said.contains("stays: 3 of the things in it"), "{said}");

    // A link to another folder in its place.
    let other = world.path("outside");
    std::fs::write(other.join("precious"), "p").unwrap();
    std::fs::rename(&second, world.path("tmp/moved")).unwrap();
    std::os::unix::fs::symlink(&other, &second).unwrap();
    let (third, said) = verbose();
    assert!(said.contains("left alone: something else is in its place"), "{said}");
    assert!(other.join("precious").exists() && second.symlink_metadata().is_ok());

    // Another folder with a copy of the marker.
    std::fs::rename(&third, world.path("tmp/moved2")).unwrap();
    std::fs::create_dir(&third).unwrap();
    std::fs::copy(world.path("tmp/moved2/.clada-stage"), third.join(".clada-stage")).unwrap();
    std::fs::write(third.join("precious"), "p").unwrap();
    let (fourth, said) = verbose();
    assert!(said.contains("left alone: another folder is in its place"), "{said}");
    assert!(third.join("precious").exists() && third.join(".clada-stage").exists());

    // A forged marker.
    std::fs::write(fourth.join(".clada-stage"), "forged").unwrap();
    let forged: Value = told(&world, &[]);
    expect!["The folder '/TOP/tmp/clada-stage-ID' that was staged before is left alone: its marker is not the one that clada put there"].assert_eq(&world.shown(forged["warnings"][0].as_str().unwrap()));
    assert!(fourth.join(MANIFEST).exists());
}

#[test]
fn what_was_staged_is_damaged() {
    let world = World::new();
    for number in 0..500 {
        world.lay(&format!("folder/file{number}"), "1");
    }
    stage(&world, &[]);
    world.stop().unwrap();
    let projects = world.path("state/clada");
    let found = walk(&projects).into_iter().find(|path| path.ends_with("stage.db")).unwrap();
    let mut bytes = std::fs::read(&found).unwrap();
    let length = bytes.len();
    bytes[4096..length].fill(0x5a);
    std::fs::write(&found, bytes).unwrap();
    world.lay("folder/file1", "2");
    let result = told(&world, &[]);
    assert_eq!((&result["files"], &result["firstRun"]), (&json!(500), &json!(true)), "{result:#}");
    expect!["The record of what was staged was damaged and is now /TOP/state/clada/ID/projects/ID/stage.db.damaged-1; everything is staged again"].assert_eq(&world.shown(result["warnings"][0].as_str().unwrap()));
    assert!(found.with_file_name("stage.db.damaged-1").exists());
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
}

/// Every file beneath `folder`.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Waits until nothing is at `path` any more.
fn until_gone(path: &Path) {
    for _ in 0..6_000 {
        if path.symlink_metadata().is_err() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("{} is still there", path.display());
}

#[test]
fn a_large_folder_is_deleted_while_nobody_waits_and_after_a_restart() {
    let world = World::new();
    for number in 0..2_100 {
        world.lay(&format!("f{number}"), "1");
    }
    let first = stage(&world, &[]);
    let second = stage(&world, &[]);
    assert!(second.path.exists());
    until_gone(&first.path);
    // Cut off in the middle, or before it began.
    let third = stage(&world, &["--all"]);
    std::fs::write(third.path.join("mine"), "mine").unwrap();
    stage(&world, &[]);
    world.stop().unwrap();
    assert_eq!(world.run(&["status"], "").code, 0);
    until_gone(&third.path.join("f2099"));
    until_gone(&third.path.join(MANIFEST));
    assert!(third.path.join("mine").exists());
}
