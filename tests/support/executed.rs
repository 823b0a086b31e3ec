//! Every program that a process and its descendants start, traced from outside by ptrace: in any sandbox, and
//! whether it prints or changes anything or not.

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread::JoinHandle;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

use super::tracer::seize_threads;

/// A program that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Execution {
    /// Its file.
    pub(crate) file: PathBuf,
    /// Its arguments, separated by blanks.
    pub(crate) arguments: String,
}

/// The thread that notes them until the process has ended.
pub(crate) struct Executed(JoinHandle<Vec<Execution>>);

impl Executed {
    /// Begins to note the programs that the process `pid` starts from now on.
    ///
    /// # Errors
    /// If it cannot be traced here.
    pub(crate) fn by(pid: i32) -> Result<Executed, Errno> {
        let pid = Pid::from_raw(pid);
        let (begun, has_begun) = mpsc::channel();
        // A tracer is a thread.
        let tracer = std::thread::spawn(move || {
            let options = Options::PTRACE_O_TRACECLONE
                | Options::PTRACE_O_TRACEFORK
                | Options::PTRACE_O_TRACEVFORK
                | Options::PTRACE_O_TRACEEXEC;
            let seized = ptrace::seize(pid, options);
            if seized.is_ok() {
                seize_threads(pid, options);
            }
            let failed = seized.is_err();
            begun.send(seized).unwrap();
            if failed { Vec::new() } else { note(pid) }
        });
        has_begun.recv().unwrap().map(|()| Executed(tracer))
    }

    /// Returns all programs that were started, when the process has ended.
    pub(crate) fn all(self) -> Vec<Execution> {
        self.0.join().unwrap()
    }
}

fn note(process: Pid) -> Vec<Execution> {
    let mut found = Vec::new();
    loop {
        // Only threads that this tracer holds: others wait for theirs.
        let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
        let (thread, signal) = match waitpid(None, Some(flags)) {
            Ok(WaitStatus::Exited(pid, _) | WaitStatus::Signaled(pid, ..)) if pid == process => return found,
            Ok(WaitStatus::PtraceEvent(thread, _, event)) => {
                if event == libc::PTRACE_EVENT_EXEC {
                    found.push(execution(thread));
                }
                (thread, None)
            }
            Ok(WaitStatus::Stopped(thread, signal)) => (thread, Some(signal)),
            Ok(_) | Err(Errno::EINTR) => continue,
            Err(_) => return found,
        };
        let _ = ptrace::cont(thread, signal);
    }
}

/// The program that a process has become.
fn execution(process: Pid) -> Execution {
    let file = std::fs::read_link(format!("/proc/{process}/exe")).unwrap_or_default();
    let arguments = std::fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    let arguments = String::from_utf8_lossy(&arguments).trim_end_matches('\0').replace('\0', " ");
    Execution { file, arguments }
}
