//! What a command is given, and what is taken from it.

use std::cell::{Cell, RefCell};
use std::os::fd::AsFd;
use std::path::PathBuf;

use clada_exec::{Access, Ended, ExecError, Follow, Network, Sandbox, Stream};

use crate::place::Place;

#[test]
fn output_and_status_are_reported() {
    let place = Place::new();
    let outcome = place.run(&place.script("echo out; echo err >&2; exit 3"));
    assert_eq!((outcome.ended, outcome.exit_code()), (Ended::Exited(3), Some(3)));
    assert_eq!((outcome.stdout.text.as_str(), outcome.stderr.text.as_str()), ("out\n", "err\n"));
    assert_eq!((outcome.swept, outcome.survivors), (0, 0));
}

#[test]
fn a_signal_is_told_from_a_status() {
    let place = Place::new();
    let outcome = place.run(&place.script("kill -SEGV $$"));
    assert_eq!((outcome.ended, outcome.exit_code()), (Ended::Signalled(11), Some(139)));
}

#[test]
fn a_command_has_its_folder_and_environment_and_umask_and_no_input() {
    let place = Place::new();
    let mut spec = place.script("pwd; env | sort; umask; cat; readlink /proc/self/fd/0");
    spec.umask = 0o027;
    spec.environment.push(("GREETING".into(), "hello world".into()));
    let text = place.run(&spec).stdout.text;
    let lines: Vec<&str> = text.lines().collect();
    let root = place.path("root");
    assert_eq!(lines[0], root.to_str().unwrap());
    assert!(lines.contains(&"GREETING=hello world") && lines.contains(&"0027"));
    assert_eq!(lines.last(), Some(&"/dev/null"));
    // The shell adds these itself.
    let own = ["PWD=", "OLDPWD=", "SHLVL=", "_=", "PATH=", "GREETING="];
    let variables = lines.iter().filter(|line| line.contains('='));
    let foreign: Vec<_> = variables.filter(|line| !own.iter().any(|own| line.starts_with(own))).collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

/// The daemon's sockets, files and pipes are its own.
#[cfg(target_os = "linux")]
#[test]
fn a_command_has_no_descriptors_but_the_three() {
    let place = Place::new();
    // One that whoever started the daemon has left open.
    let left_open = std::fs::File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(left_open.as_fd(), rustix::io::FdFlags::empty()).unwrap();
    for sandbox in [Sandbox::None, Sandbox::Landlock, Sandbox::Bubblewrap] {
        if sandbox != Sandbox::None && place.runner.trial(sandbox).is_err() {
            continue;
        }
        let mut spec = place.script("ls -l /proc/self/fd | sed -n 's/.* \\([0-9]* -> .*\\)/\\1/p'");
        spec.enclosure = Some(place.enclosure(Access::Change, Network::Off));
        let outcome = place.run_in(&spec, sandbox).unwrap();
        // The program that lists them holds the list open.
        let listed = |line: &&str| !line.starts_with("3 -> /proc/");
        let descriptors: Vec<&str> = outcome.stdout.text.lines().filter(listed).collect();
        assert_eq!(descriptors.len(), 3, "{sandbox:?}: {descriptors:?}");
    }
}

#[test]
fn much_output_is_kept_at_both_ends() {
    let place = Place::new();
    let mut spec = place.script("head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo the end");
    spec.bounds.output = 1000;
    let outcome = place.run(&spec);
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(outcome.stdout.bytes, 1_000_000_009);
    assert!(outcome.stdout.truncated && outcome.stdout.text.len() < 1100);
    assert!(outcome.stdout.text.starts_with("xxx") && outcome.stdout.text.ends_with("x\nthe end\n"));
    assert!(outcome.stdout.text.contains("\n[output truncated]\n"));
}

#[test]
fn binary_output_is_no_failure() {
    let place = Place::new();
    let outcome = place.run(&place.script("printf 'a\\377\\000b'"));
    assert_eq!((outcome.stdout.text.as_str(), outcome.stdout.lossy), ("a\u{fffd}\0b", true));
}

#[test]
fn output_comes_while_the_command_runs() {
    let place = Place::new();
    let release = place.path("root/go");
    // It waits for a file that is made only when its first line has arrived.
    let spec = place.script("echo first; until [ -e go ]; do sleep 0.01; done; echo second >&2");
    let seen = RefCell::new(Vec::new());
    let mut sink = |stream: Stream, piece: &[u8]| {
        std::fs::write(&release, "").unwrap();
        seen.borrow_mut().push((stream, String::from_utf8_lossy(piece).into_owned()));
    };
    let mut follow = Follow { stop: &|| false, sink: &mut sink };
    let outcome = place.runner.run(&spec, Sandbox::None, None, &mut follow).unwrap();
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert_eq!(seen.into_inner(), [(Stream::Output, "first\n".into()), (Stream::Error, "second\n".into())]);
}

#[test]
fn a_program_that_is_not_there_is_an_error_with_its_code() {
    let place = Place::new();
    let mut spec = place.script("true");
    spec.program = PathBuf::from("/nonexistent/program");
    let error = place.run_in(&spec, Sandbox::None).unwrap_err();
    assert!(matches!(error, ExecError::NotStarted { code: Some(2), .. }), "{error:?}");
}

#[test]
fn a_command_stops_when_asked_to() {
    let place = Place::new();
    let spec = place.script("echo up; trap '' TERM; while :; do sleep 1; done");
    let up = Cell::new(false);
    let mut sink = |_: Stream, _: &[u8]| up.set(true);
    let mut follow = Follow { stop: &|| up.get(), sink: &mut sink };
    let outcome = place.runner.run(&spec, Sandbox::None, None, &mut follow).unwrap();
    assert_eq!((outcome.ended, outcome.survivors), (Ended::Stopped, 0));
    assert_eq!(outcome.stdout.text, "up\n");
}
