//! Several clients that stage one project at the same time, and the folder that each of them gets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Value, json};

use super::{MANIFEST, Staged, folders, stage};
use crate::support::World;
use crate::support::feed;

fn folder(result: &Value) -> PathBuf {
    PathBuf::from(result["stagingDir"].as_str().unwrap())
}

#[test]
fn a_folder_that_was_handed_over_meanwhile_stays_until_the_next_stage() {
    let world = World::new();
    world.lay("a", "1");
    let before = stage(&world, &[]);
    let (mut one, mut other) = (world.connect(), world.connect());
    let asked = json!({ "root": world.root(), "confirm": true });
    let confirm = |result: &Value| json!({ "root": world.root(), "stagingDir": result["stagingDir"] });
    world.lay("b", "1");
    let first = one.call("stage", &asked);
    world.lay("c", "1");
    let second = other.call("stage", &asked);
    // Neither knows whether the other one will pick it up.
    assert_eq!((&first["files"], &second["files"]), (&json!(1), &json!(2)));
    // The later one is faster.
    other.call("stage.confirm", &confirm(&second));
    assert!(!before.path.exists() && folder(&first).join("b").exists() && folder(&second).join("c").exists());
    one.call("stage.confirm", &confirm(&first));
    assert!(folder(&first).join("b").exists() && folder(&second).join("c").exists());
    let next = stage(&world, &[]);
    assert_eq!((next.names().len(), folders(&world)), (0, 1));

    world.lay("d", "1");
    let first = one.call("stage", &asked);
    let second = other.call("stage", &asked);
    one.call("stage.confirm", &confirm(&first));
    other.call("stage.confirm", &confirm(&second));
    assert!(folder(&first).join("d").exists() && folder(&second).join("d").exists());
    assert!(!next.path.exists());
    stage(&world, &[]);
    assert_eq!(folders(&world), 1);
}

#[test]
fn many_at_once_have_every_change_and_the_folder_that_they_are_told_of() {
    const CLIENTS: usize = 8;
    const ROUNDS: usize = 12;
    let world = World::new();
    world.lay("first", "1");
    stage(&world, &[]);
    let handed: Mutex<BTreeSet<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (world, handed) = (&world, &handed);
            scope.spawn(move || {
                let mut connection = world.connect();
                for round in 0..ROUNDS {
                    let name = format!("{client}-{round}");
                    world.lay(&name, &name);
                    let asked = json!({ "root": world.root(), "confirm": true });
                    let result = connection.call("stage", &asked);
                    let staged = Staged { path: folder(&result) };
                    // Here a client prints the path, and may take its time.
                    std::thread::yield_now();
                    assert_eq!(staged.names().len() as u64, result["files"].as_u64().unwrap(), "{result:#}");
                    assert!(staged.path.join(MANIFEST).exists());
                    let confirmed = json!({ "root": world.root(), "stagingDir": result["stagingDir"] });
                    connection.call("stage.confirm", &confirmed);
                    handed.lock().unwrap().extend(staged_names(&result));
                }
            });
        }
    });
    let all: BTreeSet<String> =
        (0..CLIENTS * ROUNDS).map(|number| format!("{}-{}", number / ROUNDS, number % ROUNDS)).collect();
    let mut handed = handed.into_inner().unwrap();
    handed.remove("first");
    assert_eq!(handed, all);
    assert_eq!(stage(&world, &[]).names(), [] as [&str; 0]);
    assert_eq!(folders(&world), 1);
}

fn staged_names(result: &Value) -> Vec<String> {
    let copied = result["copied"].as_array().unwrap();
    copied.iter().map(|file| file["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn programs_that_begin_at_once_all_end_well() {
    let world = World::new();
    world.lay("a", "1");
    let ran: Vec<_> = std::thread::scope(|scope| {
        let programs: Vec<_> =
            (0..6).map(|_| scope.spawn(|| feed(&mut world.client(&["stage"]), b""))).collect();
        programs.into_iter().map(|program| program.join().unwrap()).collect()
    });
    let paths: BTreeSet<&Path> = ran
        .iter()
        .map(|ran| {
            assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
            Path::new(ran.stdout.trim_end())
        })
        .collect();
    assert_eq!(paths.len(), ran.len());
    stage(&world, &[]);
    assert_eq!(folders(&world), 1);
}
