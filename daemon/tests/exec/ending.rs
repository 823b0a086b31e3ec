//! Commands that do not want to end: each ends in time, is reported rightly, and leaves no process.
#![cfg(target_os = "linux")]

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use clada_exec::{Access, Ended, Follow, Network, Outcome, Sandbox, Stream};
use serde_json::json;

use crate::place::{AMPLE, Place};

/// When a command is ended.
#[derive(Clone, Copy)]
enum When {
    /// When it has written something: then it is what it is meant to be, however busy the machine is.
    Written,
    /// After so long, whatever it has come to.
    After(Duration),
}

/// What ends by itself does so before.
const NEVER: When = When::After(AMPLE);

/// Runs a script in every sandbox that there is, and looks for what is left of it.
fn everywhere(script: &str, when: impl Fn(Sandbox) -> When, check: impl Fn(Sandbox, &Outcome)) {
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        let place = Place::new();
        if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut spec = place.script(script);
        spec.bounds.processes = 100;
        spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let written = Cell::new(false);
        let when = when(sandbox);
        if let When::After(time) = when {
            spec.bounds.time = time;
        }
        let mut follow = Follow {
            stop: &|| matches!(when, When::Written) && written.get(),
            sink: &mut |_, _| written.set(true),
        };
        let outcome = place.runner.run(&spec, sandbox, None, &mut follow).unwrap();
        assert_eq!(outcome.survivors, 0, "{sandbox:?}");
        assert_eq!(place.left(), Vec::<String>::new(), "{sandbox:?}");
        check(sandbox, &outcome);
    }
}

/// For what goes on until it is ended.
fn stops(script: &str) {
    everywhere(
        script,
        |_| When::Written,
        |sandbox, outcome| {
            assert_eq!(outcome.ended, Ended::Stopped, "{sandbox:?}");
            assert_eq!(outcome.stdout.text, "up\n", "{sandbox:?}");
        },
    );
}

/// For what ends by itself.
fn exits(script: &str) {
    everywhere(
        script,
        |_| NEVER,
        |sandbox, outcome| {
            assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}");
            assert_eq!(outcome.stdout.text, "up\n", "{sandbox:?}");
        },
    );
}

/// Whatever it is at by then: the sandbox is being set up, say.
#[test]
fn one_whose_time_is_over() {
    for time in [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 300].map(Duration::from_millis) {
        everywhere(
            "trap '' TERM; echo up; sleep 1000",
            |_| When::After(time),
            |sandbox, outcome| assert_eq!(outcome.ended, Ended::TimedOut, "{sandbox:?}"),
        );
    }
}

#[test]
fn one_that_only_sleeps() {
    stops("echo up; sleep 1000");
}

#[test]
fn one_that_ignores_being_asked_to_end() {
    stops("trap '' TERM HUP INT; echo up; while :; do sleep 1000; done");
}

#[test]
fn one_that_closes_its_output_and_lives_on() {
    stops("echo up; exec >/dev/null 2>&1; sleep 1000");
}

#[test]
fn one_that_is_stopped() {
    stops("echo up; kill -STOP $$; sleep 1000");
}

/// There is no input: whoever waits for it finds its end.
#[test]
fn one_that_waits_for_input() {
    exits("echo up; read line; cat");
}

#[test]
fn one_that_leaves_something_in_the_background() {
    exits("echo up; nohup sleep 1000 & sleep 1000 & exit 0");
}

#[test]
fn one_that_leaves_its_session() {
    exits("setsid sleep 1000 >/dev/null 2>&1 & setsid sh -c 'sleep 1000 & sleep 1000' & echo up; exit 0");
}

#[test]
fn one_that_forks_twice() {
    exits("(setsid sh -c '(trap \"\" TERM HUP; sleep 1000) & exit' &) & wait; echo up");
}

/// What writes after the end of the command still belongs to it, up to its own end.
#[test]
fn one_whose_background_writes_for_ever() {
    let check = |sandbox, outcome: &Outcome| assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}");
    everywhere("yes & exit 0", |_| NEVER, check);
}

#[test]
fn one_that_writes_for_ever() {
    let check = |sandbox, outcome: &Outcome| {
        assert_eq!(outcome.ended, Ended::Stopped, "{sandbox:?}");
        assert!(outcome.stdout.text.starts_with("y\ny\n"), "{sandbox:?}");
    };
    everywhere("exec yes", |_| When::Written, check);
}

/// When the daemon goes away in the middle of a command, so does the command.
#[test]
fn one_whose_daemon_goes_away() {
    let place = Place::new();
    let (ours, theirs) = UnixStream::pair().unwrap();
    let mut helper = Command::new(env!("CARGO_BIN_EXE_clada-daemon"))
        .arg("exec-helper")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let text = |text: &str| json!({"Unix": text.as_bytes()});
    let script = "trap '' TERM; setsid sleep 1000 & echo up; sleep 1000";
    let start = json!({
        "program": text("/bin/sh"),
        "arguments": [text("-c"), text(script), text(&place.mark())],
        "folder": text(place.path("root").to_str().unwrap()),
        "environment": [[text("PATH"), text("/usr/bin:/bin")]],
        "umask": 0,
        "processes": 100,
        "confinement": "None",
    });
    writeln!(&ours, "{start}").unwrap();
    let mut line = String::new();
    BufReader::new(helper.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "up\n");
    assert_ne!(place.left(), Vec::<String>::new());
    drop(ours);
    helper.wait().unwrap();
    assert_eq!(place.left(), Vec::<String>::new());
}

/// The parent is not the process that keeps everything together, or cannot be ended.
#[test]
fn one_that_ends_its_parent() {
    let within = |sandbox| sandbox == Sandbox::Bubblewrap;
    let when = |sandbox| if within(sandbox) { When::After(Duration::from_millis(300)) } else { NEVER };
    everywhere("(trap '' TERM; setsid sleep 1000) & kill -9 $PPID; sleep 1000", when, |sandbox, outcome| {
        let expected = if within(sandbox) { Ended::TimedOut } else { Ended::Lost };
        assert_eq!(outcome.ended, expected, "{sandbox:?}");
    });
}

/// Nobody is left to adopt what it started, but it is found by its session.
#[test]
fn one_that_ends_its_parent_and_the_parent_of_that() {
    let script = "sleep 1000 & kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) $PPID; sleep 1000";
    everywhere(
        script,
        |_| NEVER,
        |sandbox, outcome| {
            // In bubblewrap it is the group of the command itself that it ends.
            let expected = if sandbox == Sandbox::Bubblewrap { Ended::Exited(137) } else { Ended::Lost };
            assert_eq!(outcome.ended, expected, "{sandbox:?}");
        },
    );
}

/// Doubles itself, but only so often: a fault here must not take the machine along.
const GROWS: &str =
    "grow() { [ $1 -gt 8 ] && sleep 1000; grow $(($1 + 1)) & grow $(($1 + 1)) & wait; }; grow 0";

/// What becomes of a script in a sandbox that may have 100 processes. When it says that it cannot have more it is ended.
fn crowd(place: &Place, sandbox: Sandbox, script: &str) -> Outcome {
    let mut spec = place.script(script);
    spec.bounds.processes = 100;
    spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
    let refused = Cell::new(false);
    let mut follow = Follow {
        stop: &|| refused.get(),
        sink: &mut |stream, _| refused.set(refused.get() || stream == Stream::Error),
    };
    let outcome = place.runner.run(&spec, sandbox, None, &mut follow).unwrap();
    assert_eq!(outcome.survivors, 0, "{sandbox:?}");
    assert_eq!(place.left(), Vec::<String>::new(), "{sandbox:?}");
    outcome
}

#[test]
fn one_that_forks_without_bound() {
    for place in [Place::new(), Place::without_cgroups()] {
        for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
            if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
                continue;
            }
            let outcome = crowd(&place, sandbox, GROWS);
            // A user's limit keeps it from ever having too many.
            let ended =
                matches!(outcome.ended, Ended::TooManyProcesses | Ended::Stopped | Ended::Exited(1..));
            assert!(ended, "{sandbox:?}: {outcome:?}");
        }
    }
}

/// By a cgroup as any user, and by a limit of the user where there is none.
#[test]
#[allow(clippy::print_stderr, reason = "whoever runs the tests is to know")]
fn regression_the_bound_of_processes_is_never_passed() {
    let user = !rustix::process::geteuid().is_root();
    // One after the other, and nothing goes when there is no more room.
    let script = "(i=0; while [ $i -lt 400 ]; do sleep 1000 & i=$((i + 1)); echo $i; done); exit 3";
    for (place, is_limit) in [(Place::new(), false), (Place::without_cgroups(), true)] {
        if is_limit && !user {
            eprintln!("skipped: the bound of a user's limit: root has none");
            continue;
        }
        if !is_limit && place.runner.only_counts() {
            eprintln!("skipped: the bound of a cgroup: none can be made here");
            continue;
        }
        for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
            if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
                continue;
            }
            let outcome = crowd(&place, sandbox, script);
            let started = outcome.stdout.text.lines().count();
            // Outside of a namespace the limit counts whatever else the user runs, and what of that has ended since.
            let exact = sandbox == Sandbox::Bubblewrap || !user;
            let most = if exact { 100 } else { 399 };
            assert!(started <= most && (!exact || started > 80), "{sandbox:?}: {started}: {outcome:?}");
        }
    }
}
