//! `checkpoint.begin` and `checkpoint.end` in projects of many files, beside `git stash create` and `git status`
//! in turns: watched, and where nothing can be watched. The disk that 100 checkpoints take, and the memory of a
//! survey a file.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::command::lay_out;
use crate::measure::{Series, print, ratio, verdict};
use crate::place::{Connection, Place, run as run_command};

const SIZES: [usize; 2] = [1_600, 50_000];
const ROUNDS: usize = 20;
const CHECKPOINTS: usize = 100;
/// The time in seconds after which a file counts as one that no process is changing.
const SETTLED: u64 = 4;

/// Set in the run in which nothing can be watched.
const UNWATCHED: &str = "CLADA_BENCH_UNWATCHED";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Watching {
    On,
    /// All of the run is in a user namespace in which no folder may be watched.
    Off,
}

pub(crate) fn run() {
    let sizes: Vec<usize> = match std::env::var("CLADA_BENCH_FILES") {
        Ok(sizes) => sizes.split(',').filter_map(|size| size.parse().ok()).collect(),
        Err(_) => SIZES.to_vec(),
    };
    let watching = if std::env::var_os(UNWATCHED).is_some() { Watching::Off } else { Watching::On };
    for files in sizes {
        measure(&committed(files), files, watching);
    }
    if watching == Watching::On {
        let limit = "echo 0 > /proc/sys/user/max_inotify_watches; exec \"$0\" checkpoint";
        let mut again = Command::new("unshare");
        again.args(["--user", "--map-root-user", "/bin/sh", "-c", limit]).env(UNWATCHED, "1");
        again.arg(std::env::current_exe().expect("a program"));
        assert!(again.status().expect("unshare").success());
    }
}

/// Returns a place whose project has so many files, which are committed.
fn committed(files: usize) -> Place {
    let place = Place::new();
    let project = place.project();
    lay_out(&project, files);
    std::fs::remove_dir(project.join(".git")).expect("an empty folder");
    for args in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", "c"]] {
        run_command(git(&place, args));
    }
    std::thread::sleep(std::time::Duration::from_secs(SETTLED));
    place
}

fn git(place: &Place, args: &[&str]) -> Command {
    let mut git = place.command(Path::new("/usr/bin/git"));
    git.args(["-c", "user.name=n", "-c", "user.email=e"]).args(args);
    git
}

fn measure(place: &Place, files: usize, watching: Watching) {
    println!("checkpoints in {files} committed files, watching {watching:?}:");
    let project = place.project().canonicalize().expect("a folder");
    let daemon = place.daemon();
    let mut connection = Connection::open(&place.socket());
    let params = json!({ "root": project });
    let mut call = |method: &str| {
        let result = connection.call(method, &params);
        assert!(result.is_object(), "{method}");
        result
    };
    let before = daemon.resident();
    let mut first = Series::new("the first begin");
    first.time(|| call("checkpoint.begin"));
    let memory = daemon.resident().saturating_sub(before) / files.max(1);
    call("checkpoint.end");
    // The first begin of a round comes after git has written its index.
    let mut indexed = Series::new("begin, git's index rewritten");
    let (mut begin, mut end) = (Series::new("begin, one file changed"), Series::new("end, one file changed"));
    let mut empty = Series::new("end, nothing changed");
    let (mut stash, mut status) = (Series::new("git stash create"), Series::new("git status"));
    let changed = project.join("top00/folder00000/file3.rs");
    for round in 0..ROUNDS {
        indexed.time(|| call("checkpoint.begin"));
        empty.time(|| call("checkpoint.end"));
        std::fs::write(&changed, format!("round {round}\n")).expect("a file");
        begin.time(|| call("checkpoint.begin"));
        std::fs::write(&changed, format!("changed in round {round}\n")).expect("a file");
        let ended = end.time(|| call("checkpoint.end"));
        assert_ne!(ended["operationId"], Value::Null, "{ended}");
        stash.time(|| run_command(git(place, &["stash", "create"])));
        status.time(|| run_command(git(place, &["status", "--porcelain"])));
    }
    print(&[&first, &indexed, &begin, &empty, &end, &stash, &status]);
    println!(
        "  begin to git stash create: {:.2}; to git status: {:.2}",
        ratio(&begin, &stash),
        ratio(&begin, &status)
    );
    println!("  memory of the daemon a file after the first begin: {memory} bytes, snapshot and survey");
    if watching == Watching::On {
        verdict("begin", begin.median().as_secs_f64() * 1e3, " ms", 15.0);
        let state = place.path("home/.local/state");
        let disk = bytes_in(&state);
        for round in 0..CHECKPOINTS {
            std::fs::write(&changed, format!("checkpoint {round}\n")).expect("a file");
            call("checkpoint.begin");
        }
        let more = bytes_in(&state).saturating_sub(disk) / 1024;
        println!("  disk of {CHECKPOINTS} checkpoints, each after a change of one file: {more} kB\n");
        call("checkpoint.end");
    }
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => bytes_in(&entry.path()),
        metadata => metadata.map_or(0, |metadata| metadata.len()),
    };
    entries.map(size).sum()
}
