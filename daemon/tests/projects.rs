//! Checks that many projects leave nothing behind in one process. Alone in its binary, since it counts the
//! descriptors of the process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]
#![allow(clippy::disallowed_methods, reason = "a test lays out projects by hand")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use clada_config::{ConfigStore, Inputs};
use clada_daemon::{Engine, Environment, Unasked};
use clada_protocol::{ExecuteParams, ProjectParams, StageParams};

fn projects() -> usize {
    clada_test_extent::cases(96, 500)
}
/// Descriptors of a project whose journal, store and repository are open, with room to spare.
const OF_ONE: usize = 16;
/// The projects whose files may be open at a time.
const OPEN: usize = 64;
/// Longer than the time after which a watch ends.
const LONG: Duration = Duration::from_secs(10 * 24 * 3600);

fn engine(state: PathBuf) -> Arc<Engine> {
    let environment = Environment {
        programs: Vec::new(),
        scratch: state.join("scratch"),
        state,
        home: None,
        configuration: None,
        temporary: Vec::new(),
        umask: 0o022,
        now: SystemTime::now,
        runner: None,
        private: clada_exec::Private::default(),
        socket_folder: None,
        undetected_agents: None,
        is_replaced: || false,
    };
    let variables = [("CLADA_DURABILITY".into(), "fast".into())];
    Arc::new(Engine::new(ConfigStore::new(Inputs::from_environment(variables)), environment))
}

/// Returns the number of open descriptors of this process.
fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// Returns the number of inotify watches of this process.
fn inotify_watches() -> usize {
    let infos = std::fs::read_dir("/proc/self/fdinfo").unwrap().flatten();
    let watches = |info: std::fs::DirEntry| {
        let text = std::fs::read_to_string(info.path()).unwrap_or_default();
        text.lines().filter(|line| line.starts_with("inotify ")).count()
    };
    infos.map(watches).sum()
}

/// Returns the resident memory of this process, in bytes.
fn memory() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    pages.split_ascii_whitespace().nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

/// Opens a project for everything that keeps something: an answer and a watch, and a stage if it is `staged`.
fn use_project(engine: &Arc<Engine>, folder: &Path, staged: bool) {
    std::fs::create_dir_all(folder.join("src")).unwrap();
    let root = folder.to_str().unwrap().to_owned();
    let request = engine.request(&root, Arc::new(Unasked)).unwrap();
    request.watch(&ProjectParams { root: root.clone() }).unwrap();
    let answer = "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_write\"\npath = \"src/a\"\ncontent = \"1\"\n\
                  #!END_SHAM_k7m\n";
    let params = ExecuteParams { root: root.clone(), ..ExecuteParams::default() };
    assert!(request.execute(answer, &params).unwrap().result.success);
    if staged {
        request.stage(&StageParams { root, ..StageParams::default() }).unwrap();
    }
}

#[test]
fn projects_that_are_not_used_any_more_leave_nothing_open() {
    let top = tempfile::tempdir().unwrap();
    let top = top.path().canonicalize().unwrap();
    std::fs::create_dir_all(top.join("state/scratch")).unwrap();
    let engine = engine(top.join("state"));
    // What all projects share is open after the first one: the source of changes, for one.
    use_project(&engine, &top.join("first"), true);
    engine.evict(Instant::now() + LONG);
    assert_eq!((engine.projects().list().len(), inotify_watches()), (0, 0));
    let before = descriptors();
    let mut sizes = Vec::new();
    // The first half warms the process up: what was freed of it stays with the allocator, for the second.
    for half in ["one", "other"] {
        for number in 0..projects() / 2 {
            use_project(&engine, &top.join(format!("{half}-{number}")), number % 8 == 0);
            let open = descriptors() - before;
            assert!(open <= OPEN * OF_ONE, "{open} descriptors for {} projects", number + 1);
        }
        assert!(inotify_watches() >= projects() / 2, "a watch stays until it was not used for long");
        assert_eq!(engine.projects().list().len(), projects() / 2);
        // One that somebody still holds stays, whatever the time.
        let held = engine.projects().list().swap_remove(0);
        engine.evict(Instant::now() + LONG);
        assert_eq!(engine.projects().roots(), [held.root().to_path_buf()]);
        assert!(held.watched().is_some());
        drop(held);
        engine.evict(Instant::now() + LONG);
        assert_eq!((engine.projects().list().len(), inotify_watches()), (0, 0));
        assert_eq!(engine.watch_status().0, 0);
        assert_eq!(descriptors(), before);
        sizes.push(memory());
    }
    let grown = sizes[1].saturating_sub(sizes[0]);
    assert!(grown < 4 << 20, "{grown} bytes more after the second half of {} projects", projects());
}
