//! What the daemon and the helper say to each other over a socket: lines of JSON.
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

/// The subcommand of the daemon's program that runs the helper. For the daemon alone.
pub const HELPER: &str = "exec-helper";

/// The name that the helper's process gives itself: of a process that has it, no descendant may call a daemon.
#[cfg(target_os = "linux")]
pub const HELPER_NAME: &std::ffi::CStr = c"clada-helper";

/// The argument that makes the helper start a command inside of another helper that watches it.
pub(crate) const STARTER: &str = "starter";

/// The argument that makes the helper give up the last rights inside of bubblewrap, and become the command.
pub(crate) const INNER: &str = "inner";

/// What the helper is to run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Start {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub folder: OsString,
    pub environment: Vec<(OsString, OsString)>,
    pub umask: u32,
    pub processes: usize,
    /// Whether they may be bounded by a cgroup.
    #[serde(default)]
    pub cgroup: bool,
    /// The mark of the command's processes, which names its cgroup.
    #[serde(default)]
    pub mark: String,
    /// Tasks that the user may have at a time, if that is what bounds the command. The helper decides it.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Who the command runs as, if not as the daemon's own user.
    pub owner: Option<Owner>,
    pub confinement: Confinement,
}

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub user: u32,
    pub group: u32,
}

/// How the helper confines what it runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Confinement {
    None,
    /// `program` and `arguments` are bubblewrap's own, without descriptors, which the helper adds.
    Bubblewrap {
        /// Folders that bubblewrap makes in order to mount something there: removed afterwards, if empty.
        made: Vec<OsString>,
        /// The command and its arguments.
        command: Vec<OsString>,
        inner: Inner,
    },
    Landlock(Rules),
}

/// The place of a descriptor of an empty file among the arguments of bubblewrap.
pub(crate) const BLANK: &str = "blank";

/// What is left to be given up inside of bubblewrap, before the command begins.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Inner {
    /// Folders in which files are opened for writing: whatever is mounted, no pipe outside of them is.
    pub writable: Vec<OsString>,
    pub network: bool,
    /// Whether sockets that have a name can be used.
    pub sockets: bool,
    /// Processes that the user of the namespace may have at a time.
    pub processes: Option<u64>,
}

/// The word of the inner step that everything is given up, and the command begins.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Begun;

/// What Landlock and seccomp are to leave.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Rules {
    pub hidden: Vec<OsString>,
    /// Below what is hidden, and there all the same.
    pub shown: Vec<OsString>,
    pub writable: Vec<OsString>,
    pub network: bool,
    /// Whether anything may be changed at all, apart from the temporary folder.
    pub changes: bool,
}

/// How it went, from the helper.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Nothing was started.
    Failed { operation: String, message: String, code: Option<i32> },
    /// The command was started, and everything of it has ended; `asked`: because the helper was told to end it.
    Ended { status: Status, asked: bool, swept: usize, left: usize },
}

/// How the command itself ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Status {
    Exited(i32),
    Signalled(i32),
    TooManyProcesses,
    Lost,
}

/// Writes one line.
pub(crate) fn send(mut to: impl Write, said: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(said)?;
    line.push(b'\n');
    to.write_all(&line)
}

/// Descriptors that one line may bring along: an operation holds a lock a root, and one file that scripts lock.
const DESCRIPTORS: usize = 64;

/// Writes one line, and these descriptors with it: whoever has read the line has them, whatever becomes of this process.
pub(crate) fn send_with(
    to: &UnixStream,
    said: &impl Serialize,
    descriptors: &[BorrowedFd<'_>],
) -> io::Result<()> {
    if descriptors.is_empty() {
        return send(to, said);
    }
    let mut line = serde_json::to_vec(said)?;
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
    // The descriptors are with the first byte.
    let mut rest = to;
    rest.write_all(&line[sent..])
}

/// Reads one line with the descriptors that come along; `None` at the end.
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

/// Reads one line; `None` at the end.
pub(crate) fn receive<T: DeserializeOwned>(mut from: impl BufRead) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.read_until(b'\n', &mut line)?;
    if line.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::from_slice(&line)?))
}
