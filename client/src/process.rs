//! The process around us as a value: arguments, environment, streams.
//!
//! The only module that reads them, so that tests can pass others. Must not know the meaning of any of it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fd::AsFd;
use rustix::termios::tcgetwinsize;

use crate::progress::{ProgressLine, ProgressWork};

/// The standard streams that are terminals.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Terminals {
    /// True if standard input is one.
    pub stdin: bool,
    /// True if standard output is one.
    pub stdout: bool,
    /// True if standard error is one.
    pub stderr: bool,
}

/// The inputs and outputs of the program.
pub struct Process {
    /// The arguments, the program's name first.
    pub args: Vec<OsString>,
    /// The environment.
    pub env: Vec<(OsString, OsString)>,
    /// The working directory; `None` if it is unknown (it was deleted, say).
    pub cwd: Option<PathBuf>,
    /// The program's own file; the daemon is searched next to it.
    pub executable: Option<PathBuf>,
    /// Standard input.
    pub stdin: Box<dyn Read + Send>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// The streams that are terminals.
    pub terminals: Terminals,
    /// The user.
    pub uid: u32,
    /// The line about work that takes long.
    pub progress: ProgressLine,
}

impl std::fmt::Debug for Process {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Process")
            .field("args", &self.args)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl Process {
    /// Returns the real process.
    #[must_use]
    pub fn real() -> Process {
        Process {
            args: std::env::args_os().collect(),
            env: std::env::vars_os().collect(),
            cwd: std::env::current_dir().ok(),
            executable: std::env::current_exe().ok(),
            terminals: Terminals {
                stdin: io::stdin().is_terminal(),
                stdout: io::stdout().is_terminal(),
                stderr: io::stderr().is_terminal(),
            },
            stdin: Box::new(io::stdin()),
            stdout: Box::new(io::stdout()),
            stderr: Box::new(io::stderr()),
            uid: rustix::process::getuid().as_raw(),
            progress: ProgressLine::default(),
        }
    }

    /// Returns a process with no streams and no user that exists.
    #[cfg(test)]
    pub(crate) fn empty(env: Vec<(OsString, OsString)>, cwd: Option<PathBuf>) -> Process {
        Process {
            args: Vec::new(),
            env,
            cwd,
            executable: None,
            stdin: Box::new(io::empty()),
            stdout: Box::new(io::sink()),
            stderr: Box::new(io::sink()),
            terminals: Terminals::default(),
            uid: u32::MAX - 1,
            progress: ProgressLine::default(),
        }
    }

    /// Returns a process with the same surroundings and no streams, for another thread: what it is told goes to
    /// `notes`.
    #[must_use]
    pub(crate) fn without_streams(&self, notes: Box<dyn Write + Send>) -> Process {
        Process {
            args: self.args.clone(),
            env: self.env.clone(),
            cwd: self.cwd.clone(),
            executable: self.executable.clone(),
            stdin: Box::new(io::empty()),
            stdout: Box::new(io::sink()),
            stderr: notes,
            terminals: Terminals::default(),
            uid: self.uid,
            progress: ProgressLine::default(),
        }
    }

    #[must_use]
    pub(crate) fn var(&self, name: &str) -> Option<&OsStr> {
        let (_, value) = self.env.iter().find(|(own, _)| own == name)?;
        (!value.is_empty()).then_some(value)
    }

    #[must_use]
    pub(crate) fn variables(&self) -> std::collections::BTreeMap<String, String> {
        let text = |part: &OsString| part.to_str().map(str::to_owned);
        self.env.iter().filter_map(|(name, value)| Some((text(name)?, text(value)?))).collect()
    }

    #[must_use]
    #[allow(clippy::useless_conversion, reason = "a mode has 16 bits on macOS")]
    pub(crate) fn umask(&self) -> u32 {
        // Reading it takes setting it: no other thread creates files in this process meanwhile.
        let mask = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        rustix::process::umask(mask);
        mask.as_raw_mode().into()
    }

    #[must_use]
    pub(crate) fn passwd_home(&self) -> Option<PathBuf> {
        // Most users are in the file; what the system has to ask others for takes as long as a short call.
        self.local_home().or_else(|| {
            let user = nix::unistd::User::from_uid(nix::unistd::Uid::from_raw(self.uid));
            Some(user.ok()??.dir)
        })
    }

    fn local_home(&self) -> Option<PathBuf> {
        let users = File::open("/etc/passwd").ok()?;
        let uid = self.uid.to_string();
        BufReader::new(users).lines().map_while(Result::ok).find_map(|line| {
            let mut fields = line.split(':');
            (fields.nth(2)? == uid).then(|| fields.nth(2).map(PathBuf::from))?
        })
    }

    /// Returns the user's time zone, from `TZ` or the system's settings; UTC if neither has one.
    #[must_use]
    pub(crate) fn time_zone(&self) -> jiff::tz::TimeZone {
        jiff::tz::TimeZone::system()
    }

    /// Returns device and inode of the regular file that standard output is sent to, if it is one.
    #[must_use]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_lossless,
        reason = "the widths differ from platform to platform"
    )]
    pub(crate) fn stdout_file(&self) -> Option<[u64; 2]> {
        let stat = rustix::fs::fstat(io::stdout()).ok()?;
        let regular = rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::RegularFile;
        regular.then_some([stat.st_dev as u64, stat.st_ino as u64])
    }

    /// Returns 64 bits that no other process can foretell.
    #[must_use]
    pub(crate) fn random(&self) -> u64 {
        RandomState::new().build_hasher().finish()
    }

    /// Returns the terminal of the user who runs the program, independent of standard input. `None` if there
    /// is not a user to ask.
    #[must_use]
    pub fn terminal(&self) -> Option<File> {
        if !self.terminals.stderr {
            return None;
        }
        File::options().read(true).write(true).open(Path::new("/dev/tty")).ok()
    }

    /// Returns standard input as a file, to set the mode of the terminal that it is.
    pub(crate) fn keyboard(&self) -> io::Result<File> {
        io::stdin().as_fd().try_clone_to_owned().map(File::from)
    }

    /// Returns the width of the user's terminal; `None` if there is none, or it does not say.
    #[must_use]
    pub(crate) fn columns(&self) -> Option<usize> {
        let size = tcgetwinsize(self.screen()?).ok()?;
        (size.ws_col > 0).then_some(usize::from(size.ws_col))
    }

    /// Returns whether `text` has more lines than the user's terminal shows at a time.
    #[must_use]
    pub(crate) fn is_beyond_screen(&self, text: &str) -> bool {
        let size = self.screen().and_then(|screen| tcgetwinsize(screen).ok());
        size.is_some_and(|size| size.ws_row > 0 && text.lines().count() >= usize::from(size.ws_row))
    }

    #[must_use]
    pub(crate) fn rows(&self) -> Option<usize> {
        let size = tcgetwinsize(self.screen()?).ok()?;
        (size.ws_row > 0).then_some(usize::from(size.ws_row))
    }

    #[must_use]
    pub(crate) fn screen(&self) -> Option<File> {
        if self.terminals.stderr {
            return io::stderr().as_fd().try_clone_to_owned().ok().map(File::from);
        }
        File::options().write(true).open(Path::new("/dev/tty")).ok()
    }

    /// Writes to standard error. A failure is ignored: there is no other place to report it.
    pub(crate) fn complain(&mut self, text: &str) {
        self.clear_progress();
        self.write_error(text);
    }

    pub(crate) fn write_error(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }

    pub(crate) fn begin(&mut self, work: ProgressWork) {
        self.clear_progress();
        if self.wants_progress() {
            self.progress.begin(work);
        }
    }

    pub(crate) fn files_read(&mut self, done: u64, total: u64) {
        if !self.progress.note_files(done, total) {
            self.begin(ProgressWork::Files { done, total });
        }
    }

    pub(crate) fn end(&mut self) {
        self.clear_progress();
        self.progress.end();
    }

    pub(crate) fn progress_is_off(&self) -> bool {
        // A screen reader would read each change of the line out.
        self.var("CLADA_PROGRESS").is_some_and(|setting| setting == "never")
    }

    pub(crate) fn wants_progress(&self) -> bool {
        let is_able = self.var("TERM").is_some_and(|term| term != "dumb");
        self.terminals.stderr && is_able && !self.progress_is_off()
    }

    pub(crate) fn due_in(&self) -> Option<Duration> {
        self.progress.due_in()
    }

    pub(crate) fn draw_progress(&mut self) {
        let columns = self.columns();
        if let Some(drawn) = self.progress.drawing(columns) {
            self.write_error(&drawn);
        }
    }

    pub(crate) fn clear_progress(&mut self) {
        if let Some(cleared) = self.progress.clearing() {
            self.write_error(cleared);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_where_it_is_not_wanted() {
        let process = |env: &[(&str, &str)], stderr: bool| {
            let env = env.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            let mut process = Process::empty(env, None);
            process.terminals.stderr = stderr;
            process.begin(ProgressWork::Request("Staging"));
            process.due_in().is_some()
        };
        let term = ("TERM", "xterm");
        assert!(process(&[term], true));
        assert!(!process(&[term], false));
        assert!(!process(&[term, ("CLADA_PROGRESS", "never")], true));
        assert!(!process(&[("TERM", "dumb")], true));
        assert!(!process(&[], true));
    }
}
