//! The commands that only look, without their programs: what those would write, made of files that may be read.
//!
//! They write what the programs of GNU do, with `LC_ALL=C`, in UTC and with the entries of folders in the order of their
//! bytes. What is denied, `.git` and `.clada` are passed over; files that are held back as secrets are named by `ls` and
//! `stat`, and left out by what goes below folders, which is said. Symbolic links are told of and not followed. What git
//! ignores is shown as anything else.
//!
//! Bounded in what they write, hold and take; they change nothing and start nothing.

mod find;
mod globs;
mod grep;
mod lines;
mod listing;
mod long;
pub(crate) mod look;
mod matching;
mod output;
mod owners;
mod posix;
mod realpath;
mod stat;
mod texts;
mod tree;

pub(crate) use matching::meant_as;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use clada_exec::words::Look;
use clada_fs::{FsError, RootedPath, Roots, Timestamp, Verdict};
use clada_protocol::ErrorKind;

use crate::command::READING_TIME;
use crate::failure::Failure;
use crate::readonly::look::{Looker, Seen};
use output::Output;

/// Entries that are looked at before a command gives up.
const ENTRIES: usize = 5_000_000;
/// Names that one folder is shown with.
const NAMES: usize = 100_000;

/// A command that is being carried out.
struct Reading<'r> {
    roots: &'r Roots,
    looker: &'r Looker<'r>,
    /// The folder that it runs in, resolved.
    folder: &'r Path,
    /// What time it is.
    now: Timestamp,
    /// Whether to end.
    stopped: &'r dyn Fn() -> bool,
    out: Output,
    /// Files below its folders that it has left out as secrets.
    secrets: usize,
    /// What to know about what was found.
    note: Option<String>,
    /// Why the first of several files could not be shown, while the others were.
    failed: Option<Failure>,
}

/// Whether `command` can be carried out at all: its expressions and globs are some.
///
/// # Errors
/// What is wrong with one.
pub(crate) fn check(command: &Look) -> Result<(), Failure> {
    match command {
        Look::Find(find) => find::check(find),
        Look::Grep(grep) => grep::check(grep),
        Look::Tree(tree) => tree::check(tree),
        _ => Ok(()),
    }
}

/// What a command is carried out with.
#[derive(Debug, Clone, Copy)]
struct Terms {
    /// How long it may take.
    time: Duration,
    /// Bytes that it may write.
    room: usize,
    /// What time it is.
    now: Timestamp,
}

impl Terms {
    fn of(looker: &Looker<'_>) -> Terms {
        let commands = looker.rules.commands.as_deref();
        let now = commands.and_then(|commands| jiff::Timestamp::try_from((commands.now)()).ok());
        let now = now.unwrap_or_default();
        Terms {
            time: commands.map_or(READING_TIME, |commands| commands.time.min(READING_TIME)),
            room: commands.map_or(looker.room, |commands| commands.output.min(looker.room)),
            now: Timestamp {
                seconds: now.as_second(),
                nanoseconds: now.subsec_nanosecond().try_into().unwrap_or(0),
            },
        }
    }
}

impl Looker<'_> {
    /// What `command` writes: its paths as they are written, and resolved.
    pub(crate) fn command(
        &self,
        command: &Look,
        folder: &Path,
        paths: &[(String, RootedPath)],
    ) -> Result<Seen, Failure> {
        self.command_on(Terms::of(self), command, folder, paths)
    }

    fn command_on(
        &self,
        terms: Terms,
        command: &Look,
        folder: &Path,
        paths: &[(String, RootedPath)],
    ) -> Result<Seen, Failure> {
        let begun = Instant::now();
        let is_late = || begun.elapsed() > terms.time;
        let stopped = || is_late() || (self.stopped)();
        let mut reading = Reading {
            roots: self.roots,
            looker: self,
            folder,
            now: terms.now,
            stopped: &stopped,
            out: Output::new(terms.room),
            secrets: 0,
            note: None,
            failed: None,
        };
        reading.carry_out(command, paths)?;
        let (late, ended) = (is_late(), (self.stopped)());
        let failed = reading.failed.take();
        let seen = Seen { note: reading.note.take(), ..reading.out.seen() };
        match (late, ended) {
            (false, false) => match failed {
                None => Ok(seen),
                Some(failure) => Err(Failure { data: Some(seen.data), ..failure }),
            },
            (true, _) => Err(timed_out(terms.time, seen)),
            (false, true) => {
                let message = "Command was ended, as it was asked for (CANCELLED)".to_owned();
                let failure = Failure::said(ErrorKind::Cancelled, message);
                Err(Failure { data: Some(seen.data), ..failure })
            }
        }
    }
}

impl Reading<'_> {
    fn carry_out(&mut self, command: &Look, paths: &[(String, RootedPath)]) -> Result<(), Failure> {
        match command {
            Look::Pwd => self.pwd(),
            Look::Cat { .. } | Look::Head { .. } | Look::Tail { .. } | Look::Wc { .. } => {
                self.texts(command, paths)?;
            }
            Look::Ls(ls) => self.ls(ls, paths),
            Look::Tree(tree) => self.tree(tree, paths)?,
            Look::Find(find) => self.find(find, paths)?,
            Look::Grep(grep) => self.grep(grep, paths)?,
            Look::Stat { format, .. } => self.stat(format.as_deref(), paths),
            Look::Realpath { existing, links, relative_to, .. } => {
                self.realpath(*existing, *links, relative_to.as_deref(), paths)?;
            }
        }
        Ok(())
    }

    /// A path that the command names.
    fn path_of(&self, written: &str) -> Result<RootedPath, FsError> {
        self.roots.resolve(&self.folder.join(written).to_string_lossy())
    }

    /// Whether the content of the file at `path` is held back.
    fn is_secret(&self, path: &RootedPath) -> bool {
        matches!(self.roots.verdict_for_read(path), Verdict::Deny(..))
    }

    /// Says how many secrets were left out.
    fn tell_secrets(&mut self, program: &str) {
        let what = match self.secrets {
            0 => return,
            1 => "1 file is".to_owned(),
            number => format!("{number} files are"),
        };
        self.out.complain(&format!("{program}: {what} held back as a secret, and left out"));
    }
}

/// A file that has to be there is not.
fn missing(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileNotFound, "File not found", path.written(), "ENOENT")
}

fn timed_out(time: Duration, seen: Seen) -> Failure {
    let message = format!("Process timeout after {}s (TIMEOUT)", time.as_secs_f64());
    let hint = "look at fewer files: name a folder, go less deep, or leave folders out";
    Failure { data: Some(seen.data), ..Failure::said(ErrorKind::Timeout, message).hint(hint) }
}

/// What the system says, in the words that programs use.
fn reason(error: &FsError) -> &str {
    match error.code() {
        "ENOENT" => "No such file or directory",
        "EISDIR" => "Is a directory",
        "ENOTDIR" => "Not a directory",
        _ => error.issue(),
    }
}

/// `name` in a folder that is shown as `folder`.
fn below(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let gap: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, gap, name].concat()
}
