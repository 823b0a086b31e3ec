//! Starts the helper and follows it to its end: its output, the deadline, the request to stop.
//!
//! Uses one thread per command, which waits for all of these in one place. Must not know what a sandbox
//! consists of: that arrives decided, as a [`Start`].

use std::fs::File;
use std::io::{self, BufReader};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::error::ExecError;
use super::helper;
use super::hold::Hold;
use super::outcome::{Ended, Outcome, Stream, Touched};
use super::output::{Keep, share};
use super::wire::{self, OWN_PROGRAM, Report, StartRequest, Status};

const TICK: Duration = Duration::from_millis(50);

/// The time that the helper has for ending all processes, beyond the grace that it gives them.
const HELPER_PATIENCE: Duration = Duration::from_secs(40);

const PIECE: usize = 64 << 10;

/// The program of the helper, held open from the start: an upgrade of the daemon's file does not change it.
#[derive(Debug)]
pub struct Helper {
    program: File,
}

impl Helper {
    /// Opens the program of this process.
    ///
    /// # Errors
    ///
    /// If the system does not give it.
    pub fn of_this_process() -> io::Result<Helper> {
        File::open(OWN_PROGRAM).map(|program| Helper { program })
    }

    /// Opens this program, which has to be the daemon's. For tests.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn from_program(program: &Path) -> io::Result<Helper> {
        File::open(program).map(|program| Helper { program })
    }

    /// The helper holds `locks` until then, even if this process is gone.
    pub(super) fn run(
        &self,
        start: &StartRequest,
        hold: &Hold,
        locks: &[BorrowedFd<'_>],
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, ExecError> {
        let begun = Instant::now();
        let (control, theirs) = UnixStream::pair().map_err(ExecError::helper("make a socket"))?;
        let mut child = self.spawn(theirs, hold).map_err(ExecError::helper("start"))?;
        let pipes = child.stdout.take().map(OwnedFd::from).zip(child.stderr.take().map(OwnedFd::from));
        let (output, error) =
            pipes.ok_or_else(|| ExecError::helper("start")(io::ErrorKind::BrokenPipe.into()))?;
        let sent = wire::send_with(&control, start, locks).map_err(ExecError::helper("send the command"));
        let mut followed = Followed::new(control, output, error, watch.output)?;
        let ended = sent.and_then(|()| followed.follow(begun, watch));
        if ended.is_err() {
            let _ = child.kill();
        }
        let survivors = match &ended {
            Ok((Some(_), _)) => 0,
            // The number of a process is not given to another one before it is waited for.
            Ok((None, _)) | Err(_) => helper::end_left_of(child.id(), hold),
        };
        let _ = child.wait();
        let (report, cause) = ended?;
        let lost = Report::Ended { status: Status::Lost, requested: false, swept: 0, survivors };
        followed.finish(report.unwrap_or(lost), cause, begun, watch)
    }

    #[allow(clippy::disallowed_methods)] // The exec room is where processes start.
    fn spawn(&self, control: UnixStream, hold: &Hold) -> io::Result<Child> {
        // The new process resolves this path before it loses the descriptor.
        let program = format!("/proc/self/fd/{}", self.program.as_raw_fd());
        Command::new(program)
            .arg(wire::HELPER)
            .env_clear()
            .envs(hold.variable())
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(control)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    }
}

pub(super) struct Watch<'a> {
    pub(super) time: Duration,
    pub(super) output: usize,
    /// Returns whether the command is to be ended now. Called about every 50 ms.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// Receives the output as it comes. Must not block.
    pub(super) sink: &'a mut dyn FnMut(Stream, &[u8]),
}

struct Followed {
    control: UnixStream,
    pipes: [Option<OwnedFd>; 2],
    captures: [Keep; 2],
    bound: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    Deadline,
    Wish,
}

impl Followed {
    fn new(
        control: UnixStream,
        output: OwnedFd,
        error: OwnedFd,
        bound: usize,
    ) -> Result<Followed, ExecError> {
        for pipe in [&output, &error] {
            rustix::io::ioctl_fionbio(pipe, true)
                .map_err(|errno| ExecError::helper("read its output")(errno.into()))?;
        }
        let captures = [Keep::new(bound), Keep::new(bound)];
        Ok(Followed { control, pipes: [Some(output), Some(error)], captures, bound })
    }

    fn follow(
        &mut self,
        begun: Instant,
        watch: &mut Watch<'_>,
    ) -> Result<(Option<Report>, Option<Cause>), ExecError> {
        let mut cause: Option<(Cause, Instant)> = None;
        loop {
            let now = Instant::now();
            match cause {
                Some((_, since)) if now.duration_since(since) > HELPER_PATIENCE => {
                    return Err(ExecError::helper("end the command")(io::ErrorKind::TimedOut.into()));
                }
                Some(_) => {}
                None if now.duration_since(begun) >= watch.time => cause = Some((Cause::Deadline, now)),
                None if (watch.stop)() => cause = Some((Cause::Wish, now)),
                None => {}
            }
            if cause.is_some_and(|(_, since)| since == now) {
                // The helper takes the end of this direction as the request to stop.
                let _ = self.control.shutdown(std::net::Shutdown::Write);
            }
            let remaining = cause.is_none().then(|| watch.time.saturating_sub(begun.elapsed()));
            let is_readable = self.wait(remaining.map_or(TICK, |remaining| remaining.min(TICK)));
            self.read(watch.sink);
            if is_readable {
                // A helper that was killed sends nothing, or half of a line.
                let report = wire::receive(BufReader::new(&self.control)).unwrap_or_default();
                return Ok((report, cause.map(|(cause, _)| cause)));
            }
        }
    }

    fn wait(&self, time: Duration) -> bool {
        let time = Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        let mut watched = vec![PollFd::new(&self.control, PollFlags::IN)];
        watched.extend(self.pipes.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let ready = rustix::event::poll(&mut watched, Some(&time));
        ready.is_ok() && !watched[0].revents().is_empty()
    }

    fn read(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) {
        let mut piece = vec![0; PIECE];
        for (index, stream) in [Stream::Output, Stream::Error].into_iter().enumerate() {
            // Bounded: a command that writes without end must not delay the check of its deadline.
            for _ in 0..64 {
                let Some(pipe) = &self.pipes[index] else { break };
                match rustix::io::read(pipe, &mut piece) {
                    Ok(0) => self.pipes[index] = None,
                    Ok(count) => {
                        self.captures[index].take(&piece[..count]);
                        sink(stream, &piece[..count]);
                    }
                    Err(rustix::io::Errno::INTR) => {}
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(_) => self.pipes[index] = None,
                }
            }
        }
    }

    fn finish(
        mut self,
        report: Report,
        cause: Option<Cause>,
        begun: Instant,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, ExecError> {
        // Every process that could write has ended: the bytes that the pipes hold now are the last.
        self.read(watch.sink);
        let (status, end_requested, swept, survivors) = match report {
            Report::Failed { operation, mut message, code } => {
                // The message of bubblewrap itself.
                let stderr = self.captures[1].clone().finish().text;
                if !stderr.trim().is_empty() {
                    message = format!("{message}: {}", stderr.trim());
                }
                return Err(ExecError::NotStarted { operation, message, code });
            }
            Report::Ended { status, requested: end_requested, swept, survivors } => {
                (status, end_requested, swept, survivors)
            }
        };
        // A deadline that passed while the remaining processes were being ended did not end the command.
        let ended = match (cause.filter(|_| end_requested), status) {
            (_, Status::TooManyProcesses) => Ended::TooManyProcesses,
            (Some(Cause::Deadline), _) => Ended::TimedOut,
            (Some(Cause::Wish), _) => Ended::Stopped,
            (None, Status::Exited(code)) => Ended::Exited(code),
            (None, Status::Signalled(signal)) => Ended::Signalled(signal),
            (None, Status::Lost) => Ended::Lost,
        };
        let [stdout, stderr] = share(self.captures, self.bound);
        Ok(Outcome {
            ended,
            stdout,
            stderr,
            took: begun.elapsed(),
            swept,
            survivors,
            touched: Touched::default(),
            no_sockets: None,
        })
    }
}
