//! Connects to a socket and reports the outcome.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use clada_protocol::address::lock_path;
use clada_protocol::handshake::LockInfo;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::place::SocketAddress;

const MAX_LOCK: u64 = 64 << 10;

#[derive(Debug)]
pub(super) enum Dialled {
    Answers(UnixStream),
    Nobody,
    /// The same about the address that the user named, and the daemon that its folder belongs to answers at this
    /// one.
    Elsewhere(PathBuf),
    Forbidden(io::Error),
    Failed(io::Error),
}

pub(super) fn dial(socket: &Path) -> Dialled {
    match UnixStream::connect(socket) {
        Ok(stream) => Dialled::Answers(stream),
        Err(error) => judge(error),
    }
}

/// Connects to the daemon at `address`. Only if the user named none, to the one at the address that a daemon
/// of the same folder left in its lock file.
pub(super) fn answering(address: &SocketAddress) -> Dialled {
    let here = dial(&address.socket);
    if !matches!(here, Dialled::Nobody) {
        return here;
    }
    let Ok(lock) = lock_text(&lock_path(&address.socket)) else { return here };
    let Ok(info) = serde_json::from_slice::<LockInfo>(&lock) else { return here };
    let other = PathBuf::from(info.socket);
    match dial(&other) {
        Dialled::Answers(_) if address.is_named && !is_same(&other, &address.socket) => {
            Dialled::Elsewhere(other)
        }
        Dialled::Answers(stream) => Dialled::Answers(stream),
        _ => here,
    }
}

pub(super) fn is_same(one: &Path, other: &Path) -> bool {
    one.file_name() == other.file_name()
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

pub(super) fn forbids(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::ACCESS | Errno::AFNOSUPPORT | Errno::NOSYS | Errno::ROFS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_by_rule_follows_the_lock_file() {
        let folder = tempfile::tempdir().unwrap();
        let (socket, other) = (folder.path().join("v1.sock"), folder.path().join("other"));
        let info = serde_json::json!({"pid": 1, "version": "0.1.0", "protocol": 1, "socket": &other});
        #[allow(clippy::disallowed_methods, reason = "a lock file, as a daemon leaves it")]
        std::fs::write(lock_path(&socket), info.to_string()).unwrap();
        let address = |socket: &Path, is_named| SocketAddress { socket: socket.to_owned(), is_named };
        // The daemon that wrote it is gone.
        for is_named in [true, false] {
            assert!(matches!(answering(&address(&socket, is_named)), Dialled::Nobody));
        }
        let _listener = std::os::unix::net::UnixListener::bind(&other).unwrap();
        assert!(matches!(answering(&address(&socket, false)), Dialled::Answers(_)));
        let Dialled::Elsewhere(named) = answering(&address(&socket, true)) else { panic!("not told") };
        assert_eq!(named, other);
        assert!(matches!(answering(&address(&other, true)), Dialled::Answers(_)));
        // The same, written in another way.
        let around = folder.path().join(".").join("other");
        assert!(matches!(answering(&address(&around, true)), Dialled::Answers(_)));
    }

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
