//! Runs a program of the clipboard: short, with a limit in time and output.
//!
//! Knows nothing of clipboards but this: a program that copies goes on in the background, for others to paste
//! from it, and may keep the descriptors that it was given. So nobody waits for their end.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::Process;

const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
const COMPLAINT: usize = 2048;

pub(super) struct ToolRun<'j> {
    pub(super) program: &'j Path,
    pub(super) args: &'j [&'j str],
    pub(super) input: &'j [u8],
    pub(super) limit: Option<usize>,
    pub(super) patience: Duration,
}

#[derive(Debug)]
pub(super) struct Ended {
    /// `None` if it hung and was ended.
    pub(super) status: Option<ExitStatus>,
    pub(super) output: Vec<u8>,
    pub(super) complaint: Vec<u8>,
}

/// Runs `job` to the end of the program itself; what it leaves in the background goes on.
pub(super) fn run(process: &Process, job: &ToolRun<'_>) -> io::Result<Ended> {
    let mut child = start(process, job)?;
    let ended = converse(&mut child, job);
    if !matches!(ended, Ok(Ended { status: Some(_), .. })) {
        end(&mut child);
    }
    ended
}

#[allow(
    clippy::disallowed_methods,
    reason = "the one place of the client that runs the clipboard's programs"
)]
fn start(process: &Process, job: &ToolRun<'_>) -> io::Result<Child> {
    let mut command = Command::new(job.program);
    command.args(job.args).env_clear().envs(process.env.iter().map(|(name, value)| (name, value)));
    command.stdin(if job.input.is_empty() && job.limit.is_some() { Stdio::null() } else { Stdio::piped() });
    command.stdout(if job.limit.is_some() { Stdio::piped() } else { Stdio::null() });
    // A group of its own: Ctrl-C at the terminal is not to take away what was copied.
    command.stderr(Stdio::piped()).current_dir("/").process_group(0).spawn()
}

fn end(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn unwaiting(pipe: impl Into<OwnedFd>) -> io::Result<File> {
    let file = File::from(pipe.into());
    fcntl_setfl(&file, fcntl_getfl(&file)? | OFlags::NONBLOCK)?;
    Ok(file)
}

fn converse(child: &mut Child, job: &ToolRun<'_>) -> io::Result<Ended> {
    let mut input = child.stdin.take().map(unwaiting).transpose()?;
    let mut output =
        OutputReader::new(child.stdout.take().map(unwaiting).transpose()?, job.limit.unwrap_or(0));
    let mut complaint = OutputReader::new(child.stderr.take().map(unwaiting).transpose()?, COMPLAINT);
    let (begun, mut sent) = (Instant::now(), 0);
    let mut status = None;
    loop {
        if let Some(pipe) = &mut input {
            sent += write_some(pipe, &job.input[sent..])?.unwrap_or(job.input.len() - sent);
            if sent == job.input.len() {
                input = None;
            }
        }
        output.read()?;
        complaint.read()?;
        // All that it wrote before its end has been read by now.
        if status.is_some() {
            break;
        }
        if output.is_full || begun.elapsed() > job.patience {
            if output.is_full {
                status = Some(ExitStatus::default());
                end(child);
            }
            break;
        }
        status = child.try_wait()?;
        if status.is_none() {
            let mut awaited = Vec::with_capacity(3);
            awaited.extend(input.iter().map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
            awaited.extend(
                [&output, &complaint]
                    .iter()
                    .filter_map(|reader| reader.pipe.as_ref())
                    .map(|pipe| PollFd::new(pipe, PollFlags::IN)),
            );
            // A signal is as good a reason to look again.
            let _ = poll(&mut awaited, Some(&LOOK));
        }
    }
    Ok(Ended { status, output: output.bytes, complaint: complaint.bytes })
}

/// Writes what the pipe takes; `None` if nobody reads it any more.
fn write_some(pipe: &mut File, bytes: &[u8]) -> io::Result<Option<usize>> {
    match pipe.write(bytes) {
        Ok(length) => Ok(Some(length)),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Ok(Some(0))
        }
        Err(error) => Err(error),
    }
}

struct OutputReader {
    pipe: Option<File>,
    bytes: Vec<u8>,
    limit: usize,
    is_full: bool,
}

impl OutputReader {
    fn new(pipe: Option<File>, limit: usize) -> OutputReader {
        OutputReader { pipe, bytes: Vec::new(), limit, is_full: false }
    }

    fn read(&mut self) -> io::Result<()> {
        let mut piece = [0; 16 << 10];
        while let Some(pipe) = &mut self.pipe {
            match pipe.read(&mut piece) {
                Ok(0) => self.pipe = None,
                Ok(length) => {
                    let fitting = length.min(self.limit - self.bytes.len());
                    self.bytes.extend_from_slice(&piece[..fitting]);
                    if self.bytes.len() == self.limit {
                        self.is_full = true;
                        self.pipe = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
