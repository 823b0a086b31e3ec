//! Identifies callers: an accepted socket is a user's, an agent's, or refused (spec/containment.md, "Who may
//! call the daemon").
//!
//! A process that a daemon's exec-helper started is refused, whatever it did since: the parents of the peer
//! are searched for helpers, also those of other daemons. Processes start and end meanwhile, so the parents
//! are read until two readings agree; after that the peer's descriptor, which the socket holds, has to show
//! that the peer still lives. Nothing here waits, and no file is read that the peer could make slow. Must not
//! know methods, or what an agent may do.

mod process;

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use clada_config::ForeignNamespaces;
use clada_protocol::{CallerKind, ErrorKind, RpcError};
use nix::sys::socket::getsockopt;
use nix::sys::socket::sockopt::PeerPidfd;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use self::process::{Ancestry, Namespaces, ProcessConfinement};

const READINGS: usize = 8;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CallerRefused {
    #[error("it is in a pid namespace that cannot be seen from here")]
    Unseen,
    #[error("it has ended")]
    Exited,
    #[error("a command that a daemon runs has started it (helper {helper})")]
    Helper { helper: i32 },
    #[error("some of its parents cannot be seen, while a command runs that could be one (helper {helper})")]
    HiddenParents { helper: i32 },
    #[error("it is in another {kind} namespace than the daemon")]
    Namespace { kind: &'static str },
    #[error("process {process} cannot be looked at: {error}")]
    Unreadable { process: i32, error: Errno },
    #[error("its parents change faster than they can be read")]
    Restless,
}

impl CallerRefused {
    fn reason(&self) -> &'static str {
        match self {
            CallerRefused::Unseen => "unseen",
            CallerRefused::Exited => "gone",
            CallerRefused::Helper { .. } => "helper",
            CallerRefused::HiddenParents { .. } => "hidden_parents",
            CallerRefused::Namespace { .. } => "namespace",
            CallerRefused::Unreadable { .. } => "unreadable",
            CallerRefused::Restless => "restless",
        }
    }

    pub(super) fn error(&self) -> RpcError {
        let error =
            RpcError::new(ErrorKind::PeerNotAllowed, format!("this process may not call the daemon: {self}"))
                .with("reason", self.reason());
        match self {
            CallerRefused::Namespace { .. } => error.hint(
                "a person can admit programs in other namespaces as agents: `socket.foreign_namespaces: agent`",
            ),
            CallerRefused::Helper { .. } => error.hint("commands of an answer cannot use clada"),
            _ => error,
        }
    }
}

#[derive(Debug, Clone)]
pub(super) struct Callers {
    own: Result<(Namespaces, ProcessConfinement), Errno>,
    foreign: ForeignNamespaces,
}

impl Callers {
    /// Reads the namespaces and the confinement of this process, which do not change any more.
    pub(super) fn new(foreign: ForeignNamespaces) -> Callers {
        let own = process::own();
        let own =
            Namespaces::read(own).and_then(|namespaces| Ok((namespaces, ProcessConfinement::read(own)?)));
        Callers { own, foreign }
    }

    pub(super) fn judge(
        &self,
        socket: BorrowedFd<'_>,
        pid: i32,
    ) -> io::Result<Result<CallerKind, CallerRefused>> {
        match self.inspect(socket, pid) {
            Err(CallerRefused::Unreadable {
                error: error @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::NOBUFS),
                ..
            }) => Err(error.into()),
            judged => Ok(judged),
        }
    }

    fn inspect(&self, socket: BorrowedFd<'_>, pid: i32) -> Result<CallerKind, CallerRefused> {
        if pid <= 0 {
            return Err(CallerRefused::Unseen);
        }
        let held = hold(socket, pid)?;
        let unreadable = |error| match error {
            Errno::NOENT | Errno::SRCH if !held.lives() => CallerRefused::Exited,
            error => CallerRefused::Unreadable { process: pid, error },
        };
        let read = || Ok((Ancestry::read(pid)?, Namespaces::read(pid)?));
        let mut last = read().map_err(unreadable)?;
        let mut readings = 1;
        loop {
            let next = read().map_err(unreadable)?;
            if next == last {
                break;
            }
            readings += 1;
            if readings == READINGS {
                return Err(CallerRefused::Restless);
            }
            last = next;
        }
        let (ancestry, namespaces) = last;
        // A process can be confined further while it is read, and never less.
        let confinement = ProcessConfinement::read(pid).map_err(unreadable)?;
        let helper = ancestry.helper();
        // A helper that is found proves what the peer was when it connected; every other fact holds only if
        // the peer lives.
        if let Some(helper) = helper {
            return Err(CallerRefused::Helper { helper });
        }
        if ancestry.is_hidden()
            && let Some(helper) = process::any_helper()
        {
            return Err(CallerRefused::HiddenParents { helper });
        }
        if !held.lives() {
            return Err(CallerRefused::Exited);
        }
        // Not what the daemon itself has: a unit of systemd's may give it filters of its own. The first process of all
        // counts even where the line to it cannot be read.
        let fewest = ProcessConfinement::fewest_filters(ancestry.numbers().skip(1).chain([1]));
        self.kind(&namespaces, &confinement, fewest)
    }

    fn kind(
        &self,
        namespaces: &Namespaces,
        confinement: &ProcessConfinement,
        fewest: Option<u32>,
    ) -> Result<CallerKind, CallerRefused> {
        let (own, ours) = self
            .own
            .as_ref()
            .map_err(|error| CallerRefused::Unreadable { process: process::own(), error: *error })?;
        match (own.difference(namespaces), self.foreign) {
            (Some(kind), ForeignNamespaces::Refuse) => Err(CallerRefused::Namespace { kind }),
            (Some(_), ForeignNamespaces::Agent) => Ok(CallerKind::Agent),
            (None, _) if confinement.is_an_agents(fewest.unwrap_or(ours.filters())) => Ok(CallerKind::Agent),
            (None, _) => Ok(CallerKind::Person),
        }
    }
}

/// Returns the helper above this process, if a command of a daemon started it; it must serve no caller then.
pub fn helper_above_us() -> Option<i32> {
    // Each reading is true by itself: a helper stays above the processes that it started while it lives.
    (0..READINGS).find_map(|_| Ancestry::read(process::own()).ok()?.helper())
}

/// Returns why this process cannot tell agents in sandboxes from users, if it cannot: it has filters of its own, and
/// the processes above its callers cannot be read.
pub fn why_agents_are_undetected() -> Option<String> {
    let filters = ProcessConfinement::read(process::own()).unwrap_or_default().filters();
    let is_blind = filters > 0 && ProcessConfinement::read(1).is_err();
    is_blind.then(|| {
        format!(
            "Agents in sandboxes with {filters} system call filters or fewer are taken for you: the daemon has as many, \
             and cannot read the state of process 1. Start it without further filters (of a unit: without \
             SystemCallFilter, RestrictAddressFamilies and the like)"
        )
    })
}

/// Returns the sandbox that this process is in, as far as it shows: a daemon that it started would serve
/// everybody from inside of it.
///
/// A container is none: everything that its user runs is in it.
pub fn confinement_of_us() -> Option<&'static str> {
    let own = process::own();
    let confinement = ProcessConfinement::read(own).unwrap_or_default();
    if confinement.is_an_agents(0) {
        return Some("it has given up rights, and a filter bounds its system calls");
    }
    if process::is_alone_in_its_users() {
        return Some("it is in a user namespace of a single user");
    }
    // What bubblewrap starts as its first process there has given up rights as well.
    if confinement.has_no_new_privileges()
        && ProcessConfinement::read(1).is_ok_and(|it| it.has_no_new_privileges())
    {
        return Some("it is in a sandbox with its own processes");
    }
    // Those that cannot be read decide nothing: they are another user's.
    let namespaces = Namespaces::read(own).ok()?;
    let parents = Ancestry::read(own).ok()?;
    let mut read = parents.numbers().filter_map(|parent| Namespaces::read(parent).ok());
    read.find_map(|parent| namespaces.difference(&parent))
        .map(|_| "it is in other namespaces than the processes that started it")
}

/// The peer, held so that another process cannot get its number unnoticed.
enum HeldProcess {
    Descriptor(OwnedFd),
    /// Kernels without such descriptors: the process with this number is taken for the peer.
    Number(i32),
}

impl HeldProcess {
    fn lives(&self) -> bool {
        match self {
            HeldProcess::Descriptor(descriptor) => {
                let mut polled = [PollFd::new(descriptor, PollFlags::IN)];
                let now = Timespec { tv_sec: 0, tv_nsec: 0 };
                poll(&mut polled, Some(&now)) == Ok(0)
            }
            HeldProcess::Number(pid) => Ancestry::read(*pid).is_ok(),
        }
    }
}

/// Opens a descriptor of the peer: through the socket since Linux 6.5, else by its number.
fn hold(socket: BorrowedFd<'_>, pid: i32) -> Result<HeldProcess, CallerRefused> {
    let unreadable = |error| CallerRefused::Unreadable { process: pid, error };
    match peer_descriptor(socket) {
        Ok(descriptor) => return Ok(HeldProcess::Descriptor(descriptor)),
        Err(Errno::NOPROTOOPT) => {}
        // The kernel's answers for a peer that has ended and was waited for.
        Err(Errno::INVAL | Errno::SRCH | Errno::NODATA) => return Err(CallerRefused::Exited),
        Err(error) => return Err(unreadable(error)),
    }
    let process = Pid::from_raw(pid).ok_or(CallerRefused::Unseen)?;
    match pidfd_open(process, PidfdFlags::empty()) {
        Ok(descriptor) => Ok(HeldProcess::Descriptor(descriptor)),
        Err(Errno::SRCH) => Err(CallerRefused::Exited),
        Err(Errno::NOSYS) => Ok(HeldProcess::Number(pid)),
        Err(error) => Err(unreadable(error)),
    }
}

fn peer_descriptor(socket: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
    getsockopt(&socket, PeerPidfd).map_err(|error| Errno::from_raw_os_error(error as i32))
}

#[cfg(test)]
mod tests;
