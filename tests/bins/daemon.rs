//! The daemon under test: `env!("CARGO_BIN_EXE_it-daemon")` in the tests.
//!
//! It has a password database and a usual socket of its own, so that what a user has without naming anything
//! can be tried beside the daemon of whoever runs the tests. No other build of the program asks for them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clada_daemon::{Account, Process, Waits};

fn main() -> ExitCode {
    clada_daemon::run_with(|mut process| {
        process.landlock = process.variable("IT_WITHOUT_LANDLOCK").is_none();
        if process.variable("IT_QUIET").is_some() {
            process.waits.quiet = Duration::from_millis(1500);
        }
        if let Some(short) =
            process.variable("IT_WAITS").and_then(|milliseconds| milliseconds.to_str()?.parse().ok())
        {
            let short = Duration::from_millis(short);
            process.waits = Waits { beat: short, greeting: short, leaving: short, ..process.waits };
        }
        of_test_user(process)
    })
}

/// Returns the surroundings with the test's user in place of the real one.
fn of_test_user(process: Process) -> Process {
    match home(&process) {
        Some(home) => {
            let socket = home.join("run/v1.sock");
            process.of_user(Account { name: "tester".to_owned(), home, shell: "/bin/sh".into() }, socket)
        }
        None => process,
    }
}

/// Returns the home folder of the test's user: the one that the test names, or, where nothing of its
/// environment is left, one that says so itself.
fn home(process: &Process) -> Option<PathBuf> {
    let named = process.variable("IT_PERSON").map(|home| Path::new(home).to_owned());
    named.or_else(|| process.home.clone().filter(|home| home.join(".it-person").exists()))
}
