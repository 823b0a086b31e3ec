//! Connects to a socket and reports the outcome.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;

use clada_protocol::address::lock_path;
use clada_protocol::handshake::LockInfo;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// The most bytes of a lock file that are read.
const MAX_LOCK: u64 = 64 << 10;

/// The outcome of connecting.
#[derive(Debug)]
pub(super) enum Dialled {
    /// A daemon listens.
    Answers(UnixStream),
    /// There is no socket, or no process behind it.
    Nobody,
    /// The system does not let this process use such sockets, as many sandboxes do.
    Forbidden(io::Error),
    /// Anything else.
    Failed(io::Error),
}

pub(super) fn dial(socket: &Path) -> Dialled {
    match UnixStream::connect(socket) {
        Ok(stream) => Dialled::Answers(stream),
        Err(error) => judge(error),
    }
}

/// Connects to the daemon at `socket`, or at the address that a daemon of the same folder left in its lock
/// file.
pub(super) fn answering(socket: &Path) -> Dialled {
    let here = dial(socket);
    if !matches!(here, Dialled::Nobody) {
        return here;
    }
    let Ok(lock) = lock_text(&lock_path(socket)) else { return here };
    let Ok(info) = serde_json::from_slice::<LockInfo>(&lock) else { return here };
    match dial(Path::new(&info.socket)) {
        Dialled::Answers(stream) => Dialled::Answers(stream),
        _ => here,
    }
}

/// Returns the text of a lock file, if it is a file: a pipe in its place would block.
fn lock_text(path: &Path) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let lock = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    if !lock.metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut text = Vec::new();
    lock.take(MAX_LOCK).read_to_end(&mut text)?;
    Ok(text)
}

fn judge(error: io::Error) -> Dialled {
    match Errno::from_io_error(&error) {
        Some(Errno::NOENT | Errno::CONNREFUSED | Errno::NOTSOCK | Errno::NOTDIR) => Dialled::Nobody,
        Some(errno) if forbids(errno) => Dialled::Forbidden(error),
        _ => Dialled::Failed(error),
    }
}

/// Returns whether the system refuses such sockets in general, not just this one.
pub(super) fn forbids(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::ACCESS | Errno::AFNOSUPPORT | Errno::NOSYS | Errno::ROFS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_connecting_says() {
        let judged = |errno: Errno| judge(io::Error::from_raw_os_error(errno.raw_os_error()));
        assert!(matches!(judged(Errno::NOENT), Dialled::Nobody));
        assert!(matches!(judged(Errno::CONNREFUSED), Dialled::Nobody));
        assert!(matches!(judged(Errno::PERM), Dialled::Forbidden(_)));
        assert!(matches!(judged(Errno::ACCESS), Dialled::Forbidden(_)));
        assert!(matches!(judged(Errno::MFILE), Dialled::Failed(_)));
    }
}
