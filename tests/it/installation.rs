//! `clada self`, and a daemon whose program an upgrade has replaced.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Ran, World, feed};

/// A prefix of the world's own, as an archive fills it.
fn prefix(world: &World) -> PathBuf {
    let prefix = world.path("prefix");
    for folder in ["bin", "share/man/man1", "share/doc/clada"] {
        std::fs::create_dir_all(prefix.join(folder)).unwrap();
    }
    for (program, name) in [
        (env!("CARGO_BIN_EXE_it-client"), "clada"),
        (env!("CARGO_BIN_EXE_it-daemon"), "clada-daemon"),
        (env!("CARGO_BIN_EXE_it-review"), "clada-review"),
    ] {
        install(program, &prefix.join("bin").join(name));
    }
    std::os::unix::fs::symlink("clada", prefix.join("bin/clada-client")).unwrap();
    for file in ["share/man/man1/clada.1", "share/man/man1/clada-apply.1", "share/doc/clada/README.md"] {
        std::fs::write(prefix.join(file), "").unwrap();
    }
    std::fs::write(prefix.join("bin/other"), "").unwrap();
    prefix
}

/// Puts a program in place, without a copy where that is possible: it has all debug information.
fn install(program: &str, place: &Path) {
    if std::fs::hard_link(program, place).is_err() {
        std::fs::copy(program, place).unwrap();
    }
}

/// Puts another file in the place of a program, as a package manager does.
fn upgrade(program: &str, place: &Path) {
    let new = place.with_extension("new");
    std::fs::copy(program, &new).unwrap();
    std::fs::rename(new, place).unwrap();
}

fn installed(world: &World, prefix: &Path, args: &[&str]) -> Ran {
    let mut command = world.program(prefix.join("bin/clada").to_str().unwrap());
    feed(command.env_remove("CLADA_DAEMON").args(args), b"")
}

#[test]
fn an_idle_daemon_is_replaced_once_its_program_is() {
    let world = World::new();
    let prefix = prefix(&world);
    let pid = || {
        let ran = installed(&world, &prefix, &["status", "--json"]);
        let status: Value =
            serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
        status["pid"].as_u64().unwrap()
    };
    let first = pid();
    assert_eq!(pid(), first);
    upgrade(env!("CARGO_BIN_EXE_it-daemon"), &prefix.join("bin/clada-daemon"));
    let shown = installed(&world, &prefix, &["doctor", "--no-spawn"]);
    assert!(shown.stdout.contains("its program was replaced"), "{shown:?}");
    let second = pid();
    assert_ne!(second, first, "the next command starts the new one");
    assert_eq!(pid(), second);
    installed(&world, &prefix, &["stop"]);
}

#[test]
fn an_archive_is_removed_and_what_is_of_the_user_stays() {
    let world = World::new();
    let prefix = prefix(&world);
    let shown = installed(&world, &prefix, &["self"]);
    for expected in ["clada-daemon", "clada-review", "No daemon runs", "an archive", "clada self uninstall"] {
        assert!(shown.code == 0 && shown.stdout.contains(expected), "{expected}: {shown:?}");
    }
    let json = installed(&world, &prefix, &["self", "status", "--json"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(
        json["programs"].as_array().unwrap().iter().all(|program| program["version"].is_string()),
        "{json}"
    );
    installed(&world, &prefix, &["status"]);
    let dry = installed(&world, &prefix, &["self", "uninstall", "--dry-run"]);
    assert!(dry.stdout.contains("bin/clada-daemon") && !dry.stdout.contains("bin/other"), "{dry:?}");
    let unasked = installed(&world, &prefix, &["self", "uninstall"]);
    assert!(unasked.code != 0 && unasked.stderr.contains("--yes"), "{unasked:?}");
    assert!(prefix.join("bin/clada").exists() && prefix.join("share/man/man1/clada.1").exists());
    let removed = installed(&world, &prefix, &["self", "uninstall", "--yes"]);
    assert!(removed.code == 0 && removed.stdout.contains("Removed 7 files"), "{removed:?}");
    assert!(removed.stdout.contains("Kept: the journal"), "{removed:?}");
    let left: Vec<_> = walkdir::WalkDir::new(&prefix).into_iter().flatten().collect();
    let left: Vec<_> =
        left.iter().filter(|entry| entry.file_type().is_file()).map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["other"]);
}
