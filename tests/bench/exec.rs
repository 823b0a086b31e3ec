//! The cost of running a command, compared with starting the same program directly; and the same in a process
//! that holds 1 GB, as a daemon may; and after pauses, as commands come: the kernel does some things faster
//! at once again.
//!
//!     target/dist/examples/exec [clada-daemon] [runs] [bombs]

#![allow(clippy::expect_used, reason = "a bench that cannot go on ends")]
// A benchmark starts programs, and prints.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

#[path = "measure.rs"]
#[allow(dead_code)] // Shared with the other benchmarks, each of which uses a part.
mod measure;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clada_exec::{Access, Bounds, CommandSpec, Enclosure, Follow, Helper, Network, Runner, Sandbox};

use measure::{Series, print, verdict};

const GOALS: [(&str, f64); 3] = [("plain", 3.0), ("landlock", 8.0), ("bubblewrap", 20.0)];

/// The number of processes that a bomb may have.
const BOUND: usize = 200;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let beside = || std::env::current_exe().unwrap().parent().unwrap().join("../clada-daemon");
    let helper = arguments.next().map_or_else(beside, PathBuf::from);
    let runs = arguments.next().map_or(100, |runs| runs.parse().unwrap());
    let tries = arguments.next().map_or(5, |tries| tries.parse().unwrap());
    let root = tempfile::tempdir().unwrap();
    let runner = Runner::new(Helper::from_program(&helper).unwrap(), std::env::temp_dir());
    println!("running `true` ({runs} times each, in turns):");
    // The first figures alone are held against goals: the others show what they depend on.
    for (name, overhead) in figures(&runner, root.path(), runs, Duration::ZERO) {
        if let Some((_, goal)) = GOALS.iter().find(|(of, _)| *of == name) {
            verdict(&format!("a command, {name}, beyond posix_spawn"), overhead, " ms", *goal);
        }
    }
    println!("the same with 50 ms of nothing before each:");
    let _ = figures(&runner, root.path(), runs, Duration::from_millis(50));
    let held = vec![1u8; 1 << 30];
    println!("the same while this process holds 1 GB:");
    let _ = figures(&runner, root.path(), runs, Duration::ZERO);
    assert_eq!(held[runs], 1);
    drop(held);
    let runner = runner.without_cgroups();
    println!("the same without cgroups:");
    let _ = figures(&runner, root.path(), runs, Duration::ZERO);
    let bounded = Runner::new(Helper::from_program(&helper).unwrap(), std::env::temp_dir());
    println!("the end of 1,000 processes that fork all the time, after their time of 1 s is over:");
    bombs(&bounded, root.path(), "with cgroups", tries, End::Time);
    bombs(&runner, root.path(), "without cgroups", tries, End::Time);
    println!("the same, {BOUND} of which are allowed, from the start to the end:");
    bombs(&bounded, root.path(), "with cgroups", tries, End::Bound);
    bombs(&runner, root.path(), "without cgroups", tries, End::Bound);
    println!("  goal: at most 1 s\n");
}

fn figures(runner: &Runner, root: &Path, runs: usize, pause: Duration) -> Vec<(&'static str, f64)> {
    let mut floor = Series::new("posix_spawn");
    let sandboxes = [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap];
    let works = |sandbox: &Sandbox| *sandbox == Sandbox::None || runner.trial(*sandbox).is_ok();
    let mut series: Vec<(Sandbox, Series)> = sandboxes
        .into_iter()
        .filter(works)
        .map(|sandbox| {
            (sandbox, Series::new(if sandbox == Sandbox::None { "plain" } else { sandbox.name() }))
        })
        .collect();
    for _ in 0..runs {
        // The floor pauses too, so that it starts with caches as cold as those of the others.
        std::thread::sleep(pause);
        floor.time(|| {
            let mut child = Command::new("/bin/true").stdin(Stdio::null()).spawn().unwrap();
            child.wait().unwrap();
        });
        for (sandbox, series) in &mut series {
            let spec = spec(root);
            let mut follow = Follow { stop: &|| false, sink: &mut |_, _| {} };
            std::thread::sleep(pause);
            let outcome = series.time(|| runner.run(&spec, *sandbox, None, &mut follow).unwrap());
            assert_eq!(outcome.exit_code(), Some(0), "{outcome:?}");
        }
    }
    print(&[&floor]);
    let mut overheads = Vec::new();
    for (_, series) in &series {
        print(&[series]);
        let overhead = series.median().saturating_sub(floor.median());
        let overhead = overhead.as_secs_f64() * 1e3;
        println!("  {:<44} {overhead:9.3} ms", "  overhead");
        overheads.push((series.name, overhead));
    }
    overheads
}

/// Grows to about a thousand processes, each of which starts another one all the time, and ends by itself
/// soon after it was to be ended.
const BOMB: &str = "churn() { i=0; while [ $i -lt 400 ]; do sleep 0.01; i=$((i + 1)); done; }; \
                    grow() { [ $1 -gt 8 ] && { churn; exit; }; grow $(($1 + 1)) & grow $(($1 + 1)) & wait; }; grow 0";

/// The reason why a bomb is ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Time,
    Bound,
}

fn bombs(runner: &Runner, root: &Path, how: &str, tries: usize, end: End) {
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        if tries == 0 || sandbox != Sandbox::None && runner.trial(sandbox).is_err() {
            continue;
        }
        let mut spec = spec(root);
        spec.program = PathBuf::from("/bin/sh");
        spec.arguments = vec!["-c".into(), BOMB.into()];
        match end {
            End::Time => spec.bounds.time = Duration::from_secs(1),
            End::Bound => spec.bounds.processes = BOUND,
        }
        let since = if end == End::Time { spec.bounds.time } else { Duration::ZERO };
        let mut late: Vec<Duration> = Vec::new();
        for _ in 0..tries {
            let mut follow = Follow { stop: &|| false, sink: &mut |_, _| {} };
            let outcome = runner.run(&spec, sandbox, None, &mut follow).unwrap();
            assert_eq!(outcome.survivors, 0, "{outcome:?}");
            late.push(outcome.took.saturating_sub(since));
        }
        late.sort();
        let (median, most) = (late[late.len() / 2].as_secs_f64(), late[late.len() - 1].as_secs_f64());
        println!(
            "  {:<44} {:9.0} ms, at most {:.0} ms",
            format!("{} {how}", sandbox.name()),
            median * 1e3,
            most * 1e3
        );
    }
}

fn spec(root: &Path) -> CommandSpec {
    let home = std::env::home_dir().unwrap_or_default();
    CommandSpec {
        program: PathBuf::from("/bin/true"),
        arguments: Vec::new(),
        folder: root.to_owned(),
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        umask: 0o022,
        bounds: Bounds::default(),
        enclosure: Some(Enclosure {
            root: root.to_owned(),
            access: Access::Change,
            writable: Vec::new(),
            hidden: clada_exec::secrets(&home),
            shown: Vec::new(),
            home: None,
            protected: vec![root.join(".git"), root.join(".clada")],
            watched: Vec::new(),
            network: Network::Off,
        }),
    }
}
