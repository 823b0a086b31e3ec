//! A forbidden socket: where connecting to it is forbidden, the client has a daemon of its own as its child.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use super::place::{Place, Ran, client_program, daemon_program, feed, install, is_root, run};
use super::wire::writes;
use crate::support::skipped;

/// The user `nobody`: root may do everything everywhere, this one may not.
const NOBODY: u32 = 65_534;

/// A place where the folder that holds the socket's folder cannot be entered. A test that runs as root
/// becomes nobody there.
struct Closed {
    place: Place,
}

impl Closed {
    /// Returns `None`, and prints a word about it, where root cannot become another user, or that user cannot
    /// reach the place.
    fn new() -> Option<Closed> {
        let place = Place::new();
        std::fs::create_dir_all(place.path("closed/run")).unwrap();
        place.set_mode("closed/run", 0o700);
        place.set_mode("closed", 0);
        install(client_program(), &place.path("client"));
        install(daemon_program(), &place.path("daemon"));
        let mut works = true;
        if is_root() {
            for folder in ["home", "home/project", "home/project/.git"] {
                works &= chown(place.path(folder), Some(NOBODY), Some(NOBODY)).is_ok();
            }
            place.set_mode("", 0o755);
        }
        let closed = Closed { place };
        if works && closed.client(&["--version"]).output().is_ok_and(|output| output.status.success()) {
            return Some(closed);
        }
        skipped("a socket that must not be used", "nobody else can run a program in the temporary folder");
        None
    }

    fn client(&self, args: &[&str]) -> Command {
        let mut command = self.place.command(self.place.path("client"));
        command
            .args(args)
            .env("CLADA_SOCKET", self.place.path("closed/run/v1.sock"))
            .env("CLADA_DAEMON", self.place.path("daemon"));
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }
}

impl Drop for Closed {
    fn drop(&mut self) {
        self.place.set_mode("closed", 0o700);
    }
}

#[test]
fn apply_goes_on_with_a_child() {
    let Some(closed) = Closed::new() else { return };
    let mut child = closed.client(&["apply", "-v"]).stdin(Stdio::piped()).spawn().unwrap();
    feed(child.stdin.take().unwrap(), &writes("a.txt", "one"));
    let ran = Ran::of(child);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("[task-1] SUCCESS: file_write"), "{}", ran.stdout);
    assert!(ran.stderr.contains("a private daemon"), "{}", ran.stderr);
    assert_eq!(closed.place.read("a.txt").trim_end(), "one");
    // It has ended with the client.
    assert!(closed.place.daemons(None).is_empty());
}

#[test]
fn without_starting_anything_it_says_that_connecting_is_forbidden() {
    let Some(closed) = Closed::new() else { return };
    let ran = run(&mut closed.client(&["status", "--no-spawn"]));
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{ran:?}");
    assert!(ran.stderr.contains("forbidden here"), "{}", ran.stderr);
}
