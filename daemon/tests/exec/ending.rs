//! Commands that do not want to end: each ends in time, is reported rightly, and leaves no process.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use clada_daemon::exec::{Access, Ended, Network, Outcome, Sandbox};
use serde_json::json;

use crate::place::Place;

/// Long enough for a command to get going, short beside what it would take.
const SHORT: Duration = Duration::from_millis(300);

/// Runs a script in every sandbox that there is, until the deadline, and looks for what is left of it.
fn everywhere(script: &str, time: Duration, check: impl Fn(Sandbox, &Outcome)) {
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        let place = Place::new();
        if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut order = place.script(script);
        order.bounds.time = time;
        order.bounds.processes = 100;
        order.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let outcome = place.run_in(&order, sandbox).unwrap();
        assert_eq!(outcome.left, 0, "{sandbox:?}");
        assert_eq!(place.left(), Vec::<String>::new(), "{sandbox:?}");
        check(sandbox, &outcome);
    }
}

fn times_out(script: &str) {
    everywhere(script, SHORT, |sandbox, outcome| {
        assert_eq!(outcome.ended, Ended::TimedOut, "{sandbox:?}");
        assert_eq!(outcome.stdout.text, "up\n", "{sandbox:?}");
    });
}

fn exits(script: &str) {
    everywhere(script, crate::place::AMPLE, |sandbox, outcome| {
        assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}");
        assert_eq!(outcome.stdout.text, "up\n", "{sandbox:?}");
    });
}

#[test]
fn one_that_only_sleeps() {
    times_out("echo up; sleep 1000");
}

#[test]
fn one_that_ignores_being_asked_to_end() {
    times_out("trap '' TERM HUP INT; echo up; while :; do sleep 1000; done");
}

#[test]
fn one_that_closes_its_output_and_lives_on() {
    times_out("echo up; exec >/dev/null 2>&1; sleep 1000");
}

#[test]
fn one_that_is_stopped() {
    times_out("echo up; kill -STOP $$; sleep 1000");
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
    everywhere("yes & exit 0", crate::place::AMPLE, |sandbox, outcome| {
        assert_eq!(outcome.ended, Ended::Exited(0), "{sandbox:?}");
    });
}

#[test]
fn one_that_writes_for_ever() {
    everywhere("exec yes", SHORT, |sandbox, outcome| {
        assert_eq!(outcome.ended, Ended::TimedOut, "{sandbox:?}");
        assert!(outcome.stdout.text.starts_with("y\ny\n"), "{sandbox:?}");
    });
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
    everywhere("(trap '' TERM; setsid sleep 1000) & kill -9 $PPID; sleep 1000", SHORT, |sandbox, outcome| {
        let expected = if sandbox == Sandbox::Bubblewrap { Ended::TimedOut } else { Ended::Lost };
        assert_eq!(outcome.ended, expected, "{sandbox:?}");
    });
}

/// Nobody is left to adopt what it started, but it is found by its session. Landlock may keep it from doing so.
#[test]
fn one_that_ends_its_parent_and_the_parent_of_that() {
    let script = "sleep 1000 & kill -9 $(cut -d' ' -f4 /proc/$PPID/stat) $PPID; sleep 1000";
    everywhere(script, SHORT, |sandbox, outcome| match sandbox {
        Sandbox::None => assert_eq!(outcome.ended, Ended::Lost),
        // There it is the group of the command that it ends.
        Sandbox::Bubblewrap => assert_eq!(outcome.ended, Ended::Exited(137)),
        _ => assert!(matches!(outcome.ended, Ended::Lost | Ended::TimedOut), "{outcome:?}"),
    });
}

/// Doubles itself, but only so often: a fault here must not take the machine along.
#[test]
fn one_that_forks_without_bound() {
    let script = "grow() { [ $1 -gt 8 ] && sleep 1000; grow $(($1 + 1)) & grow $(($1 + 1)) & wait; }; grow 0";
    everywhere(script, crate::place::AMPLE, |sandbox, outcome| {
        assert_eq!(outcome.ended, Ended::TooManyProcesses, "{sandbox:?}");
        assert!(outcome.swept > 100, "{sandbox:?}: {}", outcome.swept);
    });
}
