//! What it costs to run a command, beside starting the same program directly; and the same in a process that holds
//! 1 GB, as a daemon may.
//!
//!     target/release/examples/exec [clada-daemon] [runs]

// A benchmark starts programs, and prints.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout)]

#[path = "measure.rs"]
#[allow(dead_code)] // Shared with the other benchmarks, each of which uses a part.
mod measure;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clada_daemon::exec::{Access, Bounds, Enclosure, Follow, Helper, Network, Order, Runner, Sandbox};

use measure::{Series, print};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let beside = || std::env::current_exe().unwrap().parent().unwrap().join("../clada-daemon");
    let helper = arguments.next().map_or_else(beside, PathBuf::from);
    let runs = arguments.next().map_or(100, |runs| runs.parse().unwrap());
    let root = tempfile::tempdir().unwrap();
    let runner = Runner::new(Helper::of(&helper).unwrap(), std::env::temp_dir());
    println!("running `true` ({runs} times each, in turns):");
    figures(&runner, root.path(), runs);
    let held = vec![1u8; 1 << 30];
    println!("the same while this process holds 1 GB:");
    figures(&runner, root.path(), runs);
    assert_eq!(held[runs], 1);
    println!("  goal: overhead of at most 3 ms plain, 8 ms with Landlock, 20 ms with bubblewrap\n");
}

fn figures(runner: &Runner, root: &Path, runs: usize) {
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
        floor.time(|| {
            let mut child = Command::new("/bin/true").stdin(Stdio::null()).spawn().unwrap();
            child.wait().unwrap();
        });
        for (sandbox, series) in &mut series {
            let order = order(root);
            let mut follow = Follow { stop: &|| false, sink: &mut |_, _| {} };
            let outcome = series.time(|| runner.run(&order, *sandbox, None, &mut follow).unwrap());
            assert_eq!(outcome.exit_code(), Some(0), "{outcome:?}");
        }
    }
    print(&[&floor]);
    for (_, series) in &series {
        print(&[series]);
        let overhead = series.median().saturating_sub(floor.median());
        println!("  {:<44} {:9.3} ms", "  overhead", overhead.as_secs_f64() * 1e3);
    }
}

fn order(root: &Path) -> Order {
    let home = std::env::home_dir().unwrap_or_default();
    Order {
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
            hidden: clada_daemon::exec::sandbox::hidden::secrets(&home),
            shown: Vec::new(),
            home: None,
            protected: vec![root.join(".git"), root.join(".clada")],
            network: Network::Off,
        }),
    }
}
