//! The messages between the daemon and the helper over a socket: lines of JSON.
//!
//! Both are the same program from the same file, so there are no versions.

use std::ffi::OsString;
use std::io::{self, BufRead, IoSlice, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The program of this very process, even if its file was replaced or deleted.
#[cfg(target_os = "linux")]
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";

/// The program of this very process. This system has no name for it, so the helper is found by its path.
#[cfg(not(target_os = "linux"))]
pub(super) const OWN_PROGRAM: &str = "clada-daemon";

/// The subcommand of the daemon's program that runs the helper. Only the daemon uses it.
pub const HELPER: &str = "exec-helper";

/// The name that the helper's process gives itself. No descendant of a process with this name may call a
/// daemon.
#[cfg(target_os = "linux")]
pub const HELPER_NAME: &std::ffi::CStr = c"clada-helper";

/// The argument that makes the helper start a command, inside another helper that watches it.
pub(crate) const STARTER: &str = "starter";

/// The argument that makes the helper give up its last rights inside bubblewrap, and become the command.
pub(crate) const INNER: &str = "inner";

/// The command that the helper is to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StartRequest {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub folder: OsString,
    pub environment: Vec<(OsString, OsString)>,
    pub umask: u32,
    pub processes: usize,
    /// True if its processes may be bounded by a cgroup.
    #[serde(default)]
    pub cgroup: bool,
    /// The mark of the command's processes, which names its cgroup.
    #[serde(default)]
    pub mark: String,
    /// The most tasks that the user may have at a time, if that is what bounds the command. The helper
    /// decides it.
    #[serde(default)]
    pub limit: Option<u64>,
    /// The user that the command runs as, if not the daemon's own.
    pub owner: Option<Owner>,
    pub confinement: Confinement,
}

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub user: u32,
    pub group: u32,
}

/// The confinement in which the helper runs a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Confinement {
    None,
    /// Inside bubblewrap. `program` and `arguments` are bubblewrap's own, without descriptors, which the
    /// helper adds.
    Bubblewrap {
        /// Folders that bubblewrap makes in order to mount something there. They are removed afterwards, if
        /// empty.
        mount_points: Vec<OsString>,
        /// The command and its arguments.
        command: Vec<OsString>,
        inner: Inner,
    },
    Landlock(Rules),
}

/// The placeholder for the descriptor of an empty file among the arguments of bubblewrap.
pub(crate) const BLANK: &str = "blank";

/// The rights that are still to be given up inside bubblewrap, before the command begins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Inner {
    /// Folders in which files may be opened for writing: whatever is mounted, no pipe outside of them may.
    pub writable: Vec<OsString>,
    pub network: bool,
    /// True if sockets that have a name can be used.
    pub sockets: bool,
    /// The most processes that the user of the namespace may have at a time.
    pub processes: Option<u64>,
}

/// The message of the inner step that everything is given up, and the command begins.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Begun;

/// The rights that Landlock and seccomp are to leave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub hidden: Vec<OsString>,
    /// Paths below hidden ones that are visible all the same.
    pub shown: Vec<OsString>,
    pub writable: Vec<OsString>,
    pub network: bool,
    /// True if anything may be changed at all, apart from the temporary folder.
    pub changes: bool,
}

/// The outcome of a command, as the helper reports it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Nothing was started.
    Failed { operation: String, message: String, code: Option<i32> },
    /// The command was started, and everything of it has ended. `requested` is true if the daemon requested the
    /// end.
    Ended { status: Status, requested: bool, swept: usize, survivors: usize },
}

/// The status with which the command itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    Exited(i32),
    Signalled(i32),
    TooManyProcesses,
    Lost,
}

pub(crate) fn send(mut to: impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// The most descriptors that come with one line: an operation holds one lock per root, and one file that
/// scripts lock.
const DESCRIPTORS: usize = 64;

/// Writes one line with these descriptors: once the other process has read the line it has them, even if this
/// one ends.
pub(crate) fn send_with(
    to: &UnixStream,
    message: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    if descriptors.is_empty() {
        return send(to, message);
    }
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut along = SendAncillaryBuffer::new(&mut space);
    if !along.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::Error::other("too many roots for one command"));
    }
    let sent = loop {
        match sendmsg(to, &[IoSlice::new(&line)], &mut along, SendFlags::empty()) {
            Err(rustix::io::Errno::INTR) => {}
            sent => break sent?,
        }
    };
    // The descriptors travel with the first byte.
    let mut rest = to;
    rest.write_all(&line[sent..])
}

pub(crate) fn receive_with<T: DeserializeOwned>(from: &UnixStream) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut line = Vec::new();
    let mut descriptors = Vec::new();
    let mut piece = [0; 64 << 10];
    while line.last() != Some(&b'\n') {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut along = RecvAncillaryBuffer::new(&mut space);
        let read = recvmsg(from, &mut [IoSliceMut::new(&mut piece)], &mut along, RecvFlags::empty());
        let count = match read {
            Err(rustix::io::Errno::INTR) => continue,
            read => read?.bytes,
        };
        for message in along.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = message {
                descriptors.extend(received);
            }
        }
        if count == 0 {
            break;
        }
        line.extend_from_slice(&piece[..count]);
    }
    for descriptor in &descriptors {
        rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)?;
    }
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&line)?, descriptors)))
}

pub(crate) fn receive<T: DeserializeOwned>(mut from: impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
