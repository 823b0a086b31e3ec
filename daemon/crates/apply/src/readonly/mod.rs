//! Carries out what only reads: actions (`look`), and commands without their programs, whose output is made
//! of files that may be read.
//!
//! The commands write what the programs of GNU do, with `LC_ALL=C`, in UTC and with the entries of folders in
//! the order of their bytes. What is denied, `.git` and `.clada` are passed over; files that are held back as
//! secrets are named by `ls` and `stat`, and left out by what goes below folders, which is said. Symbolic
//! links are reported and not followed. What git ignores is shown as anything else.
//!
//! Bounded in what they write, hold and take; they change nothing and start nothing.

pub(crate) mod action;
mod find;
mod globs;
mod grep;
mod item;
mod lines;
mod listing;
mod long;
mod matching;
mod output;
mod owners;
mod part_of_line;
mod posix;
mod reading;
mod realpath;
mod stat;
mod texts;
pub(crate) mod tools;
mod tree;

pub(crate) use matching::meant_as;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::time::{Duration, Instant};

use clada_exec::words::ReadOnlyBuiltIn;
use clada_fs::{RootedPath, Timestamp};
use clada_protocol::ErrorKind;

use crate::command::READING_TIME;
use crate::failure::Failure;
use crate::readonly::action::{ReadOnlyOutput, ReadOnlyRunner};
use output::Output;
use reading::CommandReading;

pub(crate) fn check(command: &ReadOnlyBuiltIn) -> Result<(), Failure> {
    match command {
        ReadOnlyBuiltIn::Find(find) => find::check(find),
        ReadOnlyBuiltIn::Grep(grep) => grep::check(grep),
        ReadOnlyBuiltIn::Tree(tree) => tree::check(tree),
        _ => Ok(()),
    }
}

#[derive(Debug, Clone, Copy)]
struct Terms {
    time: Duration,
    room: usize,
    now: Timestamp,
}

impl Terms {
    fn for_runner(runner: &ReadOnlyRunner<'_>) -> Terms {
        let commands = runner.rules.commands.as_deref();
        let now = commands.and_then(|commands| jiff::Timestamp::try_from((commands.now)()).ok());
        let now = now.unwrap_or_default();
        Terms {
            time: commands.map_or(READING_TIME, |commands| commands.time.min(READING_TIME)),
            room: commands.map_or(runner.room, |commands| commands.output.min(runner.room)),
            now: Timestamp {
                seconds: now.as_second(),
                nanoseconds: now.subsec_nanosecond().try_into().unwrap_or(0),
            },
        }
    }
}

impl ReadOnlyRunner<'_> {
    pub(crate) fn command(
        &self,
        command: &ReadOnlyBuiltIn,
        folder: &Path,
        paths: &[(String, RootedPath)],
    ) -> Result<ReadOnlyOutput, Failure> {
        self.command_on(Terms::for_runner(self), command, folder, paths)
    }

    fn command_on(
        &self,
        terms: Terms,
        command: &ReadOnlyBuiltIn,
        folder: &Path,
        paths: &[(String, RootedPath)],
    ) -> Result<ReadOnlyOutput, Failure> {
        let begun = Instant::now();
        let is_late = || begun.elapsed() > terms.time;
        let stopped = || is_late() || (self.stopped)();
        let mut reading = CommandReading {
            roots: self.roots,
            runner: self,
            folder,
            now: terms.now,
            stopped: &stopped,
            out: Output::new(terms.room),
            secrets: 0,
            note: None,
            failed: None,
        };
        reading.carry_out(command, paths)?;
        // Asked before the output is taken: what ended the command decides how it is reported.
        let (late, ended) = (is_late(), (self.stopped)());
        let failed = reading.failed.take();
        let seen = ReadOnlyOutput { note: reading.note.take(), ..reading.out.seen() };
        match (late, ended) {
            (false, false) => match failed {
                None => Ok(seen),
                Some(failure) => Err(Failure { data: Some(seen.data), ..failure }),
            },
            (true, _) => Err(timed_out(terms.time, seen)),
            (false, true) => {
                let message = "Command was cancelled (CANCELLED)".to_owned();
                let failure = Failure::with_message(ErrorKind::Cancelled, message);
                Err(Failure { data: Some(seen.data), ..failure })
            }
        }
    }
}

impl CommandReading<'_> {
    fn carry_out(
        &mut self,
        command: &ReadOnlyBuiltIn,
        paths: &[(String, RootedPath)],
    ) -> Result<(), Failure> {
        match command {
            ReadOnlyBuiltIn::Pwd => self.pwd(),
            ReadOnlyBuiltIn::Cat { .. }
            | ReadOnlyBuiltIn::Head { .. }
            | ReadOnlyBuiltIn::Tail { .. }
            | ReadOnlyBuiltIn::Wc { .. } => {
                self.texts(command, paths)?;
            }
            ReadOnlyBuiltIn::Ls(ls) => self.ls(ls, paths),
            ReadOnlyBuiltIn::Tree(tree) => self.tree(tree, paths)?,
            ReadOnlyBuiltIn::Find(find) => self.find(find, paths)?,
            ReadOnlyBuiltIn::Grep(grep) => self.grep(grep, paths)?,
            ReadOnlyBuiltIn::Stat { format, .. } => self.stat(format.as_deref(), paths),
            ReadOnlyBuiltIn::Realpath { existing, links, relative_to, .. } => {
                self.realpath(*existing, *links, relative_to.as_deref(), paths)?;
            }
        }
        Ok(())
    }
}

fn timed_out(time: Duration, seen: ReadOnlyOutput) -> Failure {
    let message = format!("Process timeout after {}s (TIMEOUT)", time.as_secs_f64());
    let hint = "look at fewer files: name a folder, go less deep, or leave folders out";
    Failure { data: Some(seen.data), ..Failure::with_message(ErrorKind::Timeout, message).hint(hint) }
}
