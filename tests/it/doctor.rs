//! `doctor` against a real daemon: what is well, and what is not.

use serde_json::Value;

use crate::git::{git, repository};
use crate::support::World;

/// Returns the exit status, and level and text of each finding, by its name.
fn findings(world: &World, args: &[&str]) -> (i32, Vec<(String, String, String)>) {
    let ran = world.run(&[&["doctor", "--json"], args].concat(), "");
    let found: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    let word = |check: &Value, name: &str| check[name].as_str().unwrap_or_default().to_owned();
    let checks = found["checks"].as_array().unwrap();
    let line = |check: &Value| {
        let text = format!("{} {}", word(check, "text"), word(check, "advice"));
        (word(check, "name"), word(check, "level"), text)
    };
    (ran.code, checks.iter().map(line).collect())
}

fn named<'a>(found: &'a [(String, String, String)], name: &str) -> (&'a str, &'a str) {
    let (_, level, text) =
        found.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("no {name} in {found:?}"));
    (level, text)
}

#[test]
fn a_sound_project_has_no_fault() {
    let Some(world) = repository("") else { return };
    let before = git(&world, &["status", "--porcelain"]).unwrap();
    let (code, found) = findings(&world, &[]);
    assert_eq!(code, 0, "{found:?}");
    let mut names: Vec<&str> = found.iter().map(|(name, ..)| name.as_str()).collect();
    names.dedup();
    let expected = [
        "client",
        "socket",
        "daemon",
        "state",
        "config",
        "sandbox",
        "agents",
        "project",
        "git",
        "watches",
        "agents",
        "clipboard",
        "review",
        "editors",
        "terminal",
    ];
    assert_eq!(names, expected);
    assert!(named(&found, "daemon").1.contains("protocol 1"));
    assert!(named(&found, "state").1.contains(world.path("state").to_str().unwrap()));
    assert!(named(&found, "config").1.starts_with("no fault; 1 setting "), "{found:?}");
    assert_eq!(named(&found, "git").0, "ok");
    assert!(found.iter().any(|(_, _, text)| text.contains("is you")), "{found:?}");
    assert_eq!(git(&world, &["status", "--porcelain"]).unwrap(), before);
}

#[test]
fn what_stops_commits_is_told_with_a_way_out() {
    let Some(world) = repository("") else { return };
    git(&world, &["update-index", "--split-index"]).unwrap();
    let (code, found) = findings(&world, &[]);
    assert_eq!((code, named(&found, "git").0), (0, "note"));
    assert!(named(&found, "git").1.contains("git update-index --no-split-index"), "{found:?}");
    git(&world, &["update-index", "--no-split-index"]).unwrap();
    std::fs::write(world.project().join(".git/MERGE_HEAD"), "0".repeat(40)).unwrap();
    let (_, found) = findings(&world, &[]);
    assert!(named(&found, "git").1.contains("a merge is in progress"), "{found:?}");
}

#[test]
fn every_fault_of_the_configuration_is_told() {
    let world = World::with_config("stgae: {dir: /x}\nlimits: {input: lots}\n");
    let (code, found) = findings(&world, &[]);
    assert_eq!(code, 1);
    let faults: Vec<&str> = found
        .iter()
        .filter(|(name, level, _)| name == "config" && level == "fault")
        .map(|(_, _, text)| text.as_str())
        .collect();
    assert!(faults.iter().any(|text| text.contains("Perhaps you mean `stage`")), "{faults:?}");
    assert!(faults.iter().any(|text| text.contains("`limits.input` cannot be `lots`")), "{faults:?}");
}

#[test]
fn a_project_that_is_not_there_and_a_sandbox_that_is_off() {
    let world = World::with_config("exec: {sandbox: off}\n");
    let (code, found) = findings(&world, &["--root", "/nowhere/at/all"]);
    assert_eq!((code, named(&found, "project").0), (1, "fault"));
    assert_eq!(named(&found, "sandbox").0, "note");
    assert!(named(&found, "sandbox").1.contains("config unset exec.sandbox"), "{found:?}");
}
