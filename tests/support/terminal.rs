//! A terminal for a program: its output for a user, and the user's input.
//!
//! Knows pseudo-terminals and how a program comes to have one as its own, not the texts on it. Standard input
//! and output of the program stay unchanged, unless the caller asks for the output too.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

/// The program that gives another one a session of its own; without it, a terminal cannot become its own.
const SETSID: &str = "/usr/bin/setsid";

/// The time that a program may print nothing while output is awaited: unlimited, as far as tests go.
const PATIENCE: Timespec = Timespec { tv_sec: 120, tv_nsec: 0 };

/// The user's side of a terminal.
pub(crate) struct Terminal {
    own: File,
    name: String,
    seen: String,
    read: usize,
}

impl Terminal {
    /// A terminal, where programs can be given one.
    pub(crate) fn open() -> Option<Terminal> {
        if !Path::new(SETSID).exists() {
            return None;
        }
        let own: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&own).unwrap();
        unlockpt(&own).unwrap();
        let name = ptsname(&own, Vec::new()).unwrap().into_string().unwrap();
        Some(Terminal { own: own.into(), name, seen: String::new(), read: 0 })
    }

    /// Starts `command` with this as its terminal and standard error, and `stdin` on its standard input.
    pub(crate) fn start(&self, command: &Command, stdin: &[u8]) -> Child {
        self.run(command, stdin, "exec \"$@\" 2<>\"$0\"")
    }

    /// The same, with standard output on the terminal too.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn start_whole(&self, command: &Command, stdin: &[u8]) -> Child {
        self.run(command, stdin, "exec \"$@\" 2<>\"$0\" >&2")
    }

    /// Starts `command` with this as its terminal, standard input and standard error.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn start_typed(&self, command: &Command) -> Child {
        self.run(command, &[], "exec \"$@\" <\"$0\" 2<>\"$0\"")
    }

    /// Starts `script` of a shell with this as its terminal and with job control: `"$@"` in it is `command`.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn start_jobs(&self, command: &Command, script: &str) -> Child {
        let script = format!("exec <\"$0\" 2<>\"$0\" >&2\nset -m\n{script}");
        self.run(command, &[], &script)
    }

    fn run(&self, command: &Command, stdin: &[u8], script: &str) -> Child {
        let mut wrapped = Command::new(SETSID);
        // The first terminal that the leader of a session opens is its own.
        wrapped
            .args(["/bin/sh", "-c", script, &self.name])
            .arg(command.get_program())
            .args(command.get_args());
        wrapped.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        wrapped.current_dir(command.get_current_dir().unwrap());
        wrapped.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = wrapped.spawn().unwrap();
        let (mut pipe, stdin) = (child.stdin.take().unwrap(), stdin.to_owned());
        // A program that stops reading early is not a failure of the test.
        std::thread::spawn(move || drop(pipe.write_all(&stdin)));
        child
    }

    /// Types this.
    pub(crate) fn send(&mut self, text: &str) {
        self.own.write_all(text.as_bytes()).unwrap();
    }

    /// Types this while the program is listened to.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn send_long(&self, bytes: Vec<u8>) {
        let mut own = self.own.try_clone().unwrap();
        // A program that stops reading early is not a failure of the test.
        std::thread::spawn(move || drop(own.write_all(&bytes)));
    }

    /// Makes the terminal this wide.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn resize(&self, columns: u16) {
        self.resize_to(columns, 24);
    }

    /// Makes the terminal this wide and this high.
    pub(crate) fn resize_to(&self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.own, size).unwrap();
    }

    /// Returns the settings of the terminal.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    pub(crate) fn mode(&self) -> String {
        let mode = tcgetattr(&self.own).unwrap();
        format!("{:?} {:?} {:?}", mode.input_modes, mode.output_modes, mode.local_modes)
    }

    /// Waits until the program has written `words`, after everything that was awaited before. Returns its
    /// output up to there since then.
    #[track_caller]
    pub(crate) fn expect(&mut self, words: &str) -> String {
        loop {
            if let Some(at) = self.seen[self.read..].find(words) {
                let end = self.read + at + words.len();
                let since = self.seen[self.read..end].to_owned();
                self.read = end;
                return since;
            }
            assert!(self.take(), "{words:?} was not written, but:\n{}", self.seen);
        }
    }

    /// Waits until `is_there` is true of the whole output.
    #[allow(dead_code, reason = "not every test binary asks for it")]
    #[track_caller]
    pub(crate) fn until(&mut self, is_there: impl Fn(&str) -> bool, what: &str) {
        while !is_there(&self.seen) {
            assert!(self.take(), "{what} was not there, but:\n{}", self.seen);
        }
    }

    /// Waits for `question`, and answers it.
    #[track_caller]
    pub(crate) fn answer(&mut self, question: &str, answer: &str) -> String {
        let since = self.expect(question);
        self.send(answer);
        since
    }

    /// Waits until no process has the terminal any more; returns the whole output.
    pub(crate) fn close(mut self) -> String {
        while self.take() {}
        self.seen
    }

    /// Reads a piece; false if there will be no more.
    fn take(&mut self) -> bool {
        let ready = poll(&mut [PollFd::new(&self.own, PollFlags::IN)], Some(&PATIENCE)).unwrap();
        assert_ne!(ready, 0, "nothing more comes after:\n{}", self.seen);
        let mut piece = [0; 4096];
        // Linux answers EIO when the last program has closed its side.
        let length = self.own.read(&mut piece).unwrap_or(0);
        // A character may be cut between two pieces; tests look for plain ones.
        self.seen.push_str(&String::from_utf8_lossy(&piece[..length]).replace("\r\n", "\n"));
        length > 0
    }
}
