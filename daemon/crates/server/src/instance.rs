//! One daemon: the lock next to the socket, held for life, and the socket itself.
//!
//! The process that holds the lock may bind. A socket that does not answer is replaced, a live one never. The
//! socket is bound under another name and renamed, so that its path never leads to one that is not ready.

use std::fs::File;
use std::io::{self, Seek};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clada_fs::{Symlinks, read_regular};
use clada_protocol::address::lock_path;
use clada_protocol::handshake::{LockInfo, PROTOCOL};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use super::address::{AddressError, prepare_folder};

/// The reason why this daemon does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimError {
    /// Another daemon runs.
    #[error("a daemon runs already{}", .0.as_ref().map(|info| format!(": process {} at {}", info.pid, info.socket)).unwrap_or_default())]
    Running(Option<LockInfo>),
    /// Another process answers at the socket's path, though no process holds the lock.
    #[error("something else answers at {}; end it, or set CLADA_SOCKET", .0.display())]
    Alive(PathBuf),
    /// A file that is not a socket is at the path.
    #[error("there is a file that is not a socket at {}; move it away, or set CLADA_SOCKET", .0.display())]
    NoSocket(PathBuf),
    /// The folder or the path cannot be used.
    #[error(transparent)]
    Address(#[from] AddressError),
}

/// The daemon's claim to its socket.
#[derive(Debug)]
pub struct Instance {
    socket: PathBuf,
    uid: u32,
    lock: File,
    bound: SocketIdentity,
}

#[derive(Debug)]
pub(super) enum SocketCheck {
    Ours,
    Rebound(UnixListener),
    Lost,
}

type SocketIdentity = (u64, u64);

impl Instance {
    /// Takes the lock and binds the socket.
    ///
    /// # Errors
    ///
    /// Any [`ClaimError`].
    pub fn claim(socket: &Path, uid: u32) -> Result<(Instance, UnixListener), ClaimError> {
        let folder = socket.parent().unwrap_or(Path::new("/"));
        prepare_folder(folder, uid)?;
        let lock = lock(socket)?;
        let (listener, bound) = bind(socket)?;
        Ok((Instance { socket: socket.to_owned(), uid, lock, bound }, listener))
    }

    #[must_use]
    pub(crate) fn socket(&self) -> &Path {
        &self.socket
    }

    pub(super) fn check_socket(&mut self) -> Result<SocketCheck, ClaimError> {
        if identity(&self.socket).is_some_and(|stat| stat == self.bound) {
            return Ok(SocketCheck::Ours);
        }
        if let Some(folder) = self.socket.parent() {
            prepare_folder(folder, self.uid)?;
        }
        if !is_at(&self.lock, &lock_path(&self.socket)) {
            // The whole folder was removed: the process that locks the new file first goes on.
            match lock(&self.socket) {
                Ok(lock) => self.lock = lock,
                Err(ClaimError::Running(_)) => return Ok(SocketCheck::Lost),
                Err(error) => return Err(error),
            }
        }
        let (listener, bound) = bind(&self.socket)?;
        self.bound = bound;
        Ok(SocketCheck::Rebound(listener))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The lock file stays: without it two daemons could lock different files.
        if identity(&self.socket).is_some_and(|stat| stat == self.bound) {
            let _ = rustix::fs::unlink(&self.socket);
        }
    }
}

/// Reads the lock file next to `socket`.
pub fn lock_info(socket: &Path) -> Option<LockInfo> {
    let text = read_regular(&lock_path(socket), Symlinks::Follow, 64 * 1024).ok()?;
    serde_json::from_slice(&text).ok()
}

/// Reads the lock file next to `socket` while another process holds the lock. If that process has only just
/// acquired it, waits until the file is written.
fn info_of_holder(socket: &Path) -> Option<LockInfo> {
    (0..100).find_map(|tries| {
        if tries > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        lock_info(socket)
    })
}

pub(super) fn is_alive(socket: &Path) -> Result<bool, AddressError> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket as new_socket};

    let failed = |error: Errno| AddressError::io("cannot try the socket", socket, error);
    let probe = new_socket(AddressFamily::UNIX, SocketType::STREAM, None).map_err(failed)?;
    rustix::io::ioctl_fionbio(&probe, true).map_err(failed)?;
    match connect(&probe, &SocketAddrUnix::new(socket).map_err(failed)?) {
        // A full queue of connections is a live daemon's.
        Ok(()) | Err(Errno::AGAIN | Errno::INPROGRESS) => Ok(true),
        Err(Errno::CONNREFUSED | Errno::NOENT) => Ok(false),
        Err(error) => Err(failed(error)),
    }
}

fn lock(socket: &Path) -> Result<File, ClaimError> {
    let path = lock_path(socket);
    let failed = |operation, error: io::Error| AddressError::io(operation, &path, error);
    loop {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        let lock = rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR)
            .map_err(|error| failed("cannot open the lock file", error.into()))?;
        match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::AGAIN) => return Err(ClaimError::Running(info_of_holder(socket))),
            Err(error) => return Err(failed("cannot lock", error.into()).into()),
        }
        let mut lock = File::from(lock);
        if !lock.metadata().is_ok_and(|stat| stat.is_file()) {
            return Err(failed("cannot use", io::ErrorKind::InvalidInput.into()).into());
        }
        // The file may have been removed between opening and locking.
        if !is_at(&lock, &path) {
            continue;
        }
        write_info(&mut lock, socket).map_err(|error| failed("cannot write", error))?;
        return Ok(lock);
    }
}

fn write_info(lock: &mut File, socket: &Path) -> io::Result<()> {
    use std::io::Write as _;

    let info = LockInfo {
        pid: std::process::id(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        protocol: PROTOCOL,
        socket: socket.to_string_lossy().into_owned(),
    };
    let mut text = serde_json::to_vec(&info)?;
    text.push(b'\n');
    lock.rewind()?;
    lock.write_all(&text)?;
    lock.set_len(text.len() as u64)
}

fn bind(socket: &Path) -> Result<(UnixListener, SocketIdentity), ClaimError> {
    match std::fs::symlink_metadata(socket) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(AddressError::io("cannot look at", socket, error).into()),
        Ok(stat) if !stat.file_type().is_socket() => return Err(ClaimError::NoSocket(socket.to_owned())),
        Ok(_) if is_alive(socket)? => return Err(ClaimError::Alive(socket.to_owned())),
        Ok(_) => {}
    }
    // A short name, so that its path is a valid address wherever the socket's own is one.
    let temporary = socket.with_file_name(format!(".{:x}", std::process::id()));
    let _ = rustix::fs::unlink(&temporary);
    let failed = |operation, error| AddressError::io(operation, &temporary, error);
    let listener = UnixListener::bind(&temporary).map_err(|error| failed("cannot bind", error))?;
    std::fs::set_permissions(&temporary, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| failed("cannot make private", error))?;
    let bound =
        identity(&temporary).ok_or_else(|| failed("cannot find again", io::ErrorKind::NotFound.into()))?;
    rustix::fs::rename(&temporary, socket)
        .map_err(|error| AddressError::io("cannot put the socket at", socket, error))?;
    listener.set_nonblocking(true).map_err(|error| AddressError::io("cannot set up", socket, error))?;
    Ok((listener, bound))
}

fn identity(path: &Path) -> Option<SocketIdentity> {
    std::fs::symlink_metadata(path).ok().map(|stat| (stat.dev(), stat.ino()))
}

fn is_at(file: &File, path: &Path) -> bool {
    let Ok(held) = file.metadata() else { return false };
    identity(path) == Some((held.dev(), held.ino()))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // Tests put files in the way.
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    fn uid() -> u32 {
        rustix::process::geteuid().as_raw()
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let temp = tempfile::tempdir().unwrap();
        let socket = temp.path().join("s").join("v1.sock");
        (temp, socket)
    }

    #[test]
    fn a_second_one_is_refused_and_the_first_named() {
        let (_temp, socket) = place();
        let (first, _listener) = Instance::claim(&socket, uid()).unwrap();
        assert_eq!(std::fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
        let other = socket.with_file_name("other.sock");
        for path in [&socket, &other] {
            let error = Instance::claim(path, uid()).unwrap_err();
            let ClaimError::Running(Some(info)) = error else { panic!("{error}") };
            assert_eq!((info.pid, Path::new(&info.socket)), (std::process::id(), socket.as_path()));
        }
        drop(first);
        assert!(!socket.exists());
        Instance::claim(&other, uid()).unwrap();
    }

    #[test]
    fn a_stale_socket_is_replaced_and_a_live_one_is_not() {
        let (_temp, socket) = place();
        prepare_folder(socket.parent().unwrap(), uid()).unwrap();
        let live = UnixListener::bind(&socket).unwrap();
        assert!(matches!(Instance::claim(&socket, uid()), Err(ClaimError::Alive(_))));
        drop(live);
        let (instance, listener) = Instance::claim(&socket, uid()).unwrap();
        let _client = UnixStream::connect(&socket).unwrap();
        listener.set_nonblocking(false).unwrap();
        listener.accept().unwrap();
        drop(instance);
        std::fs::write(&socket, "precious").unwrap();
        assert!(matches!(Instance::claim(&socket, uid()), Err(ClaimError::NoSocket(_))));
        assert_eq!(std::fs::read_to_string(&socket).unwrap(), "precious");
    }

    #[test]
    fn a_socket_that_vanishes_is_bound_again() {
        let (_temp, socket) = place();
        let (mut instance, _listener) = Instance::claim(&socket, uid()).unwrap();
        assert!(matches!(instance.check_socket(), Ok(SocketCheck::Ours)));
        std::fs::remove_file(&socket).unwrap();
        let Ok(SocketCheck::Rebound(_second)) = instance.check_socket() else { panic!("not bound") };
        assert!(UnixStream::connect(&socket).is_ok());
        std::fs::remove_dir_all(socket.parent().unwrap()).unwrap();
        let Ok(SocketCheck::Rebound(_third)) = instance.check_socket() else { panic!("not bound") };
        assert!(matches!(Instance::claim(&socket, uid()), Err(ClaimError::Running(_))));
        std::fs::remove_dir_all(socket.parent().unwrap()).unwrap();
        let _other = Instance::claim(&socket, uid()).unwrap();
        assert!(matches!(instance.check_socket(), Ok(SocketCheck::Lost)));
        drop(instance);
        assert!(UnixStream::connect(&socket).is_ok(), "the other's socket stays");
    }
}
