//! Starts the helper and follows it to its end: output as it comes, the deadline, the wish to stop.
//!
//! One thread a command, which waits in one place for all of these. Must not know what a sandbox is made of: that
//! comes settled, as a [`Start`].

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
use super::wire::{self, Report, Start, Status};

/// The program of this very process, whatever has become of its file.
#[cfg(target_os = "linux")]
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// The program of this very process; there is no name for it, so the helper is asked for by its path.
#[cfg(not(target_os = "linux"))]
pub(super) const OWN_PROGRAM: &str = "clada-daemon";

/// How often whoever waits is asked whether to stop.
const TICK: Duration = Duration::from_millis(50);

/// How long the helper has for ending everything, beyond the grace that it gives.
const HELPER_PATIENCE: Duration = Duration::from_secs(40);

/// How much is read at a time.
const PIECE: usize = 64 << 10;

/// The program of the helper, held open from the start: an upgrade of the daemon's file does not change it.
#[derive(Debug)]
pub struct Helper {
    program: File,
}

impl Helper {
    /// Takes the program of this process.
    ///
    /// # Errors
    ///
    /// Where the system does not give it.
    pub fn of_this_process() -> io::Result<Helper> {
        File::open(OWN_PROGRAM).map(|program| Helper { program })
    }

    /// Takes this program, which has to be the daemon's. For tests.
    ///
    /// # Errors
    ///
    /// If it cannot be opened.
    pub fn of(program: &Path) -> io::Result<Helper> {
        File::open(program).map(|program| Helper { program })
    }

    /// Starts what is asked for and follows it to its end. The helper holds `locks` until then, also if this process
    /// is gone.
    pub(super) fn run(
        &self,
        start: &Start,
        (hold, locks): (&Hold, &[BorrowedFd<'_>]),
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
        let left = match &ended {
            Ok((Some(_), _)) => 0,
            // Its number is not given to another process before it is waited for.
            Ok((None, _)) | Err(_) => helper::end_left_of(child.id(), hold),
        };
        let _ = child.wait();
        let (report, cause) = ended?;
        let lost = Report::Ended { status: Status::Lost, asked: false, swept: 0, left };
        followed.finish((report.unwrap_or(lost), cause), begun, watch)
    }

    #[allow(clippy::disallowed_methods)] // The exec room is where processes start.
    fn spawn(&self, control: UnixStream, hold: &Hold) -> io::Result<Child> {
        // Resolved by the new process before it loses the descriptor.
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

/// Who follows a command: its bounds, whether to stop, and who is told of its output.
pub(super) struct Watch<'a> {
    /// How long it may take.
    pub(super) time: Duration,
    /// How much of its output is kept.
    pub(super) output: usize,
    /// Whether it is to be ended now. Asked about every 50 ms.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// Is handed the output as it comes. Must not wait.
    pub(super) sink: &'a mut dyn FnMut(Stream, &[u8]),
}

/// The helper's three ends that are ours.
struct Followed {
    control: UnixStream,
    /// Standard output and error; `None` after their end.
    pipes: [Option<OwnedFd>; 2],
    kept: [Keep; 2],
    bound: usize,
}

/// What ended a command from outside.
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
        let kept = [Keep::new(bound), Keep::new(bound)];
        Ok(Followed { control, pipes: [Some(output), Some(error)], kept, bound })
    }

    /// Reads until the helper says that all is over, or is gone, and tells it when it is to be.
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
                // The end of what the daemon says is the wish to stop.
                let _ = self.control.shutdown(std::net::Shutdown::Write);
            }
            let left = cause.is_none().then(|| watch.time.saturating_sub(begun.elapsed()));
            let said = self.wait(left.map_or(TICK, |left| left.min(TICK)));
            self.read(watch.sink);
            if said {
                // A helper that was killed says nothing, or half of something.
                let report = wire::receive(BufReader::new(&self.control)).unwrap_or_default();
                return Ok((report, cause.map(|(cause, _)| cause)));
            }
        }
    }

    /// Waits for output, for the helper's word or for the time to pass. Whether the helper has said something.
    fn wait(&self, time: Duration) -> bool {
        let time = Timespec::try_from(time).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
        let mut watched = vec![PollFd::new(&self.control, PollFlags::IN)];
        watched.extend(self.pipes.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let ready = rustix::event::poll(&mut watched, Some(&time));
        ready.is_ok() && !watched[0].revents().is_empty()
    }

    /// Reads what the pipes hold now.
    fn read(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) {
        let mut piece = vec![0; PIECE];
        for (index, stream) in [Stream::Output, Stream::Error].into_iter().enumerate() {
            // Bounded: a command that writes without end must not keep its deadline from being looked at.
            for _ in 0..64 {
                let Some(pipe) = &self.pipes[index] else { break };
                match rustix::io::read(pipe, &mut piece) {
                    Ok(0) => self.pipes[index] = None,
                    Ok(count) => {
                        self.kept[index].take(&piece[..count]);
                        sink(stream, &piece[..count]);
                    }
                    Err(rustix::io::Errno::INTR) => {}
                    Err(rustix::io::Errno::AGAIN) => break,
                    Err(_) => self.pipes[index] = None,
                }
            }
        }
    }

    /// Everything that could write has ended: what the pipes hold now is all there is.
    fn finish(
        mut self,
        (report, cause): (Report, Option<Cause>),
        begun: Instant,
        watch: &mut Watch<'_>,
    ) -> Result<Outcome, ExecError> {
        self.read(watch.sink);
        let (status, asked, swept, left) = match report {
            Report::Failed { operation, mut message, code } => {
                // What bubblewrap says for itself.
                let said = self.kept[1].clone().finish().text;
                if !said.trim().is_empty() {
                    message = format!("{message}: {}", said.trim());
                }
                return Err(ExecError::NotStarted { operation, message, code });
            }
            Report::Ended { status, asked, swept, left } => (status, asked, swept, left),
        };
        // A deadline that passed while the rest of a command was ended did not end the command.
        let ended = match (cause.filter(|_| asked), status) {
            (_, Status::TooManyProcesses) => Ended::TooManyProcesses,
            (Some(Cause::Deadline), _) => Ended::TimedOut,
            (Some(Cause::Wish), _) => Ended::Stopped,
            (None, Status::Exited(code)) => Ended::Exited(code),
            (None, Status::Signalled(signal)) => Ended::Signalled(signal),
            (None, Status::Lost) => Ended::Lost,
        };
        let [stdout, stderr] = share(self.kept, self.bound);
        Ok(Outcome {
            ended,
            stdout,
            stderr,
            took: begun.elapsed(),
            swept,
            left,
            touched: Touched::default(),
            no_sockets: None,
        })
    }
}
