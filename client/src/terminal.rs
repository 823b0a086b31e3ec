//! A conversation with the user at the terminal: shows text, asks for lines.
//!
//! Must not know the meaning of the questions. It does not read standard input: the model's answer may come
//! from there.

use std::fs::File;
use std::io::{self, Read, Write};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{QueueSelector, tcflush};

use crate::Process;
use crate::exit::{Failure, Status};
use crate::interrupt::Interrupts;
use crate::settings::Settings;

const LONGEST: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reply {
    Line(String),
    Ended,
    Interrupted,
}

pub(crate) trait Prompter {
    fn show(&mut self, text: &str) -> io::Result<()>;

    fn ask(&mut self, question: &str) -> io::Result<Reply>;
}

/// While this lives, Ctrl-C is a reply.
#[derive(Debug)]
pub(crate) struct Terminal {
    file: File,
    /// `None` where a terminal cannot be waited for: Ctrl-C then ends the program.
    interrupts: Option<Interrupts>,
    /// True if the pasted answer came through this terminal too.
    shared: bool,
}

impl Terminal {
    pub(crate) fn open(process: &Process, settings: &Settings) -> Option<Terminal> {
        if !settings.can_ask(process) {
            return None;
        }
        let file = process.terminal()?;
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut awaited = [PollFd::new(&file, PollFlags::IN)];
        let can_wait = poll(&mut awaited, Some(&now)).is_ok()
            && !awaited[0].revents().intersects(PollFlags::NVAL | PollFlags::ERR);
        let interrupts = if can_wait { Interrupts::catch() } else { None };
        Some(Terminal { file, interrupts, shared: process.terminals.stdin })
    }

    pub(crate) fn needed(process: &Process, settings: &Settings) -> io::Result<Terminal> {
        Terminal::open(process, settings).ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// `false` after Ctrl-C.
    fn wait(&mut self) -> io::Result<bool> {
        let Some(interrupts) = &mut self.interrupts else { return Ok(true) };
        loop {
            let own: &Interrupts = interrupts;
            let mut awaited = [PollFd::new(&self.file, PollFlags::IN), PollFd::new(own, PollFlags::IN)];
            match poll(&mut awaited, None) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                // Ctrl-C discards the text typed before it.
                Ok(_) if !awaited[1].revents().is_empty() => {
                    interrupts.take();
                    return Ok(false);
                }
                Ok(_) => return Ok(true),
            }
        }
    }
}

pub(crate) fn lost(error: &io::Error) -> Failure {
    Failure::new(Status::Failed, format!("the terminal cannot be used any more: {error}"))
        .hint("Nothing was applied.")
}

impl Prompter for Terminal {
    fn show(&mut self, text: &str) -> io::Result<()> {
        self.file.write_all(text.as_bytes())
    }

    fn ask(&mut self, question: &str) -> io::Result<Reply> {
        if self.shared {
            // The rest of a paste is not an answer to this.
            tcflush(&self.file, QueueSelector::IFlush)?;
        }
        self.show(question)?;
        let mut line = Vec::new();
        let mut piece = [0; LONGEST];
        loop {
            if !self.wait()? {
                return Ok(Reply::Interrupted);
            }
            // A terminal returns a line at a time.
            match self.file.read(&mut piece) {
                Ok(0) => return Ok(Reply::Ended),
                Ok(length) => line.extend_from_slice(&piece[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if line.ends_with(b"\n") {
                line.truncate(LONGEST);
                return Ok(Reply::Line(String::from_utf8_lossy(&line).trim().to_owned()));
            }
            line.truncate(LONGEST);
        }
    }
}
