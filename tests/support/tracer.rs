//! A program under ptrace: its system calls that change files, and the effect if one of them fails, or is its
//! last.
//!
//! Knows system calls of Linux on x86-64, and files beneath one folder; not the purpose of the program. Sees
//! calls of all threads, from any code: the standard library, SQLite, libgit2.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use nix::errno::Errno;
use nix::libc;
use nix::sys::ptrace::{self, Options};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;

/// The time after which a traced program is taken to hang, and is killed.
const PATIENCE: Duration = Duration::from_secs(600);

/// The fault at one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The program is killed before it.
    Kill,
    /// It is not made, and fails with this.
    Error(Errno),
}

/// The record of a program's run.
#[derive(Debug)]
pub(crate) struct Traced {
    /// Its calls that change files, in their order, each with its file.
    pub(crate) calls: Vec<String>,
    /// True if it was killed, by the fault or by the tracer's patience.
    pub(crate) killed: bool,
    /// True if the tracer lost its patience.
    pub(crate) hung: bool,
}

/// Runs `command` with `input` on its standard input, and lets its call number `at` that changes a file
/// beneath `folder` (counted from 0) have its fault. Files whose names end in `.log` do not count.
///
/// # Errors
/// If programs cannot be traced here.
pub(crate) fn trace(
    command: &mut Command,
    input: &[u8],
    folder: &Path,
    fault: Option<(usize, Fault)>,
) -> Result<Traced, Errno> {
    // A program that is killed before it has read all of it has closed its input.
    let talk = |mut stdin: ChildStdin, _| drop(stdin.write_all(input));
    trace_talk(command, talk, folder, fault).map(|(traced, ())| traced)
}

/// The same of a program that `talk` talks with, on its standard input and its standard output if that is a
/// pipe.
///
/// # Errors
/// If programs cannot be traced here.
#[allow(clippy::zombie_processes, reason = "the tracer waits for it")]
pub(crate) fn trace_talk<T: Send>(
    command: &mut Command,
    talk: impl FnOnce(ChildStdin, Option<ChildStdout>) -> T + Send,
    folder: &Path,
    fault: Option<(usize, Fault)>,
) -> Result<(Traced, T), Errno> {
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let options = Options::PTRACE_O_TRACESYSGOOD
        | Options::PTRACE_O_TRACECLONE
        | Options::PTRACE_O_TRACEFORK
        | Options::PTRACE_O_TRACEVFORK
        | Options::PTRACE_O_EXITKILL;
    if let Err(error) = ptrace::seize(pid, options) {
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    seize_threads(pid, options);
    let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take());

    // A tracer that waits in the kernel cannot time out by itself.
    let (alive, watched) = mpsc::channel::<()>();
    let watch = std::thread::spawn(move || {
        let hung = watched.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout);
        if hung {
            let _ = kill(pid, Signal::SIGKILL);
        }
        hung
    });
    let mut tracer = Tracer { pid, folder, fault, calls: Vec::new(), failing: HashMap::new() };
    // Only this thread may trace.
    let (killed, said) = std::thread::scope(|scope| {
        let talking = scope.spawn(|| talk(stdin, stdout));
        (tracer.run(), talking.join().unwrap())
    });
    drop(alive);
    let hung = watch.join().unwrap();
    Ok((Traced { calls: tracer.calls, killed, hung }, said))
}

/// Takes hold of all threads of `pid` that are there already, and stops each.
pub(super) fn seize_threads(pid: Pid, options: Options) {
    let mut seized = vec![pid];
    loop {
        let before = seized.len();
        for entry in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let thread = entry.file_name().to_str().and_then(|name| name.parse().ok()).map(Pid::from_raw);
            let Some(thread) = thread.filter(|thread| !seized.contains(thread)) else { continue };
            let _ = ptrace::seize(thread, options);
            seized.push(thread);
        }
        if seized.len() == before {
            break;
        }
    }
    for thread in seized {
        let _ = ptrace::interrupt(thread);
    }
}

struct Tracer<'a> {
    pid: Pid,
    folder: &'a Path,
    fault: Option<(usize, Fault)>,
    calls: Vec<String>,
    /// Threads within a call that is not made, and the error with which it fails.
    failing: HashMap<Pid, Errno>,
}

impl Tracer<'_> {
    /// Runs the program to its end; returns true if it was killed.
    fn run(&mut self) -> bool {
        loop {
            // Only threads that this tracer started or holds: others wait for theirs.
            let flags = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
            let (thread, signal) = match waitpid(None, Some(flags)) {
                Ok(WaitStatus::Exited(pid, _)) if pid == self.pid => return false,
                Ok(WaitStatus::Signaled(pid, ..)) if pid == self.pid => return true,
                Ok(WaitStatus::PtraceSyscall(thread)) => {
                    self.stopped_at_call(thread);
                    (thread, None)
                }
                Ok(WaitStatus::Stopped(thread, signal)) => (thread, Some(signal)),
                Ok(WaitStatus::PtraceEvent(thread, ..)) => (thread, None),
                Ok(_) | Err(Errno::EINTR) => continue,
                Err(_) => return true,
            };
            let _ = ptrace::syscall(thread, signal);
        }
    }

    fn stopped_at_call(&mut self, thread: Pid) {
        let Ok(mut registers) = ptrace::getregs(thread) else { return };
        if let Some(error) = self.failing.remove(&thread) {
            registers.rax = 0_u64.wrapping_sub(error as u64);
            let _ = ptrace::setregs(thread, registers);
            return;
        }
        // Before a call its result is "no such call".
        if registers.rax != 0_u64.wrapping_sub(Errno::ENOSYS as u64) {
            return;
        }
        let arguments = [registers.rdi, registers.rsi, registers.rdx, registers.r10];
        let Some(call) = Looked { thread, arguments }.changing(registers.orig_rax) else { return };
        if !call.file.starts_with(self.folder) || call.file.extension().is_some_and(|end| end == "log") {
            return;
        }
        let number = self.calls.len();
        let relative = call.file.strip_prefix(self.folder).unwrap_or(&call.file);
        self.calls.push(format!("{} {}", call.name, relative.display()));
        match self.fault {
            Some((at, Fault::Kill)) if at == number => {
                let _ = kill(self.pid, Signal::SIGKILL);
            }
            Some((at, Fault::Error(error))) if at == number => {
                registers.orig_rax = u64::MAX;
                if ptrace::setregs(thread, registers).is_ok() {
                    self.failing.insert(thread, error);
                }
            }
            _ => {}
        }
    }
}

/// A call that changes a file.
struct Changing {
    name: &'static str,
    file: PathBuf,
}

/// A thread before a call, and its arguments.
struct Looked {
    thread: Pid,
    arguments: [u64; 4],
}

impl Looked {
    /// The call `number`, if it is one that changes files.
    fn changing(&self, number: u64) -> Option<Changing> {
        const CREATES: u64 = (libc::O_CREAT | libc::O_TRUNC) as u64;
        const FICLONE: u64 = 0x4004_9409;
        let [first, second, third, fourth] = self.arguments;
        let number = i64::try_from(number).ok()?;
        let (name, file) = match number {
            libc::SYS_write => ("write", self.open(first)),
            libc::SYS_pwrite64 => ("pwrite", self.open(first)),
            libc::SYS_writev => ("writev", self.open(first)),
            libc::SYS_pwritev | libc::SYS_pwritev2 => ("pwritev", self.open(first)),
            libc::SYS_fsync => ("fsync", self.open(first)),
            libc::SYS_fdatasync => ("fdatasync", self.open(first)),
            libc::SYS_syncfs => ("syncfs", self.open(first)),
            libc::SYS_ftruncate => ("ftruncate", self.open(first)),
            libc::SYS_fallocate => ("fallocate", self.open(first)),
            libc::SYS_fchmod => ("fchmod", self.open(first)),
            libc::SYS_fchown => ("fchown", self.open(first)),
            libc::SYS_fsetxattr => ("fsetxattr", self.open(first)),
            libc::SYS_fremovexattr => ("fremovexattr", self.open(first)),
            // Such a call reads from one file and changes another; only the latter counts.
            libc::SYS_copy_file_range => ("copy_file_range", self.open(third)),
            libc::SYS_sendfile => ("sendfile", self.open(first)),
            libc::SYS_ioctl if second == FICLONE => ("clone", self.open(first)),
            libc::SYS_open if second & CREATES != 0 => ("open", self.path(first)),
            libc::SYS_openat if third & CREATES != 0 => ("open", self.beneath(first, second)),
            libc::SYS_openat2 if self.word(third) & CREATES != 0 => ("open", self.beneath(first, second)),
            libc::SYS_rename => ("rename", self.path(first)),
            libc::SYS_renameat | libc::SYS_renameat2 => ("rename", self.beneath(third, fourth)),
            libc::SYS_link => ("link", self.path(second)),
            libc::SYS_linkat => ("link", self.beneath(third, fourth)),
            libc::SYS_symlink => ("symlink", self.path(second)),
            libc::SYS_symlinkat => ("symlink", self.beneath(second, third)),
            libc::SYS_unlink => ("unlink", self.path(first)),
            libc::SYS_unlinkat => ("unlink", self.beneath(first, second)),
            libc::SYS_mkdir => ("mkdir", self.path(first)),
            libc::SYS_mkdirat => ("mkdir", self.beneath(first, second)),
            libc::SYS_rmdir => ("rmdir", self.path(first)),
            libc::SYS_mknodat => ("mknod", self.beneath(first, second)),
            libc::SYS_chmod => ("chmod", self.path(first)),
            libc::SYS_fchmodat => ("chmod", self.beneath(first, second)),
            libc::SYS_chown | libc::SYS_lchown => ("chown", self.path(first)),
            libc::SYS_fchownat => ("chown", self.beneath(first, second)),
            libc::SYS_setxattr | libc::SYS_lsetxattr => ("setxattr", self.path(first)),
            libc::SYS_removexattr | libc::SYS_lremovexattr => ("removexattr", self.path(first)),
            libc::SYS_utimensat => ("utimens", self.beneath(first, second)),
            libc::SYS_truncate => ("truncate", self.path(first)),
            _ => return None,
        };
        Some(Changing { name, file })
    }

    /// The file that is open as `descriptor`.
    fn open(&self, descriptor: u64) -> PathBuf {
        std::fs::read_link(format!("/proc/{}/fd/{descriptor}", self.thread)).unwrap_or_default()
    }

    /// The path at `address`, from the folder that is open as `descriptor`.
    fn beneath(&self, descriptor: u64, address: u64) -> PathBuf {
        let path = self.path(address);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_possible_wrap,
            reason = "descriptors are `int`s"
        )]
        if descriptor as i32 == libc::AT_FDCWD { path } else { self.open(descriptor).join(path) }
    }

    fn path(&self, address: u64) -> PathBuf {
        let mut bytes = vec![0; libc::PATH_MAX as usize];
        let read = self.memory(address, &mut bytes);
        let end = bytes[..read].iter().position(|byte| *byte == 0).unwrap_or(read);
        bytes.truncate(end);
        PathBuf::from(std::ffi::OsString::from_vec(bytes))
    }

    fn word(&self, address: u64) -> u64 {
        let mut bytes = [0; 8];
        self.memory(address, &mut bytes);
        u64::from_ne_bytes(bytes)
    }

    fn memory(&self, address: u64, into: &mut [u8]) -> usize {
        let Ok(memory) = File::open(format!("/proc/{}/mem", self.thread)) else { return 0 };
        // The next page may not be there.
        let here = usize::try_from(4096 - address % 4096).unwrap().min(into.len());
        let first = memory.read_at(&mut into[..here], address).unwrap_or(0);
        if first < here {
            return first;
        }
        first + memory.read_at(&mut into[here..], address + here as u64).unwrap_or(0)
    }
}
