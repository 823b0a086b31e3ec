//! The rule for the socket's place, applied to values that the caller has read.
//!
//! Daemon and client both follow it, so that they cannot end in two places. Nothing here reads the file
//! system: the user of a path checks the folder (a real folder, owned by the user, mode 0700).

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::handshake::PROTOCOL;

/// The longest path that every system takes as the address of a socket, in bytes.
pub(crate) const MAX_SOCKET_PATH: usize = 103;

/// The name of the variable that names the socket.
pub const SOCKET_VARIABLE: &str = "CLADA_SOCKET";

/// The place of the socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SocketPlace {
    /// The path that the user named.
    Named(PathBuf),
    /// The place by the rule.
    Default {
        /// `/run/user/UID`: its `clada` folder is used when this folder exists and is the user's.
        runtime: PathBuf,
        /// The socket in there.
        preferred: PathBuf,
        /// The socket to use otherwise, under `/tmp`.
        fallback: PathBuf,
    },
}

impl SocketPlace {
    /// Returns the place for a user, given `CLADA_SOCKET` or a flag, if any.
    #[must_use]
    pub fn new(uid: u32, named: Option<&OsStr>) -> SocketPlace {
        match named.filter(|named| !named.is_empty()) {
            Some(named) => SocketPlace::Named(PathBuf::from(named)),
            None => {
                let runtime = PathBuf::from(format!("/run/user/{uid}"));
                let name = format!("v{PROTOCOL}.sock");
                SocketPlace::Default {
                    preferred: runtime.join("clada").join(&name),
                    fallback: PathBuf::from(format!("/tmp/clada-{uid}")).join(&name),
                    runtime,
                }
            }
        }
    }

    /// Returns the socket's path; `ours` says if a folder exists, is a real folder and belongs to the user.
    #[must_use]
    pub fn path(self, ours: impl FnOnce(&Path) -> bool) -> PathBuf {
        match self {
            SocketPlace::Named(path) => path,
            SocketPlace::Default { runtime, preferred, fallback } => {
                if ours(&runtime) {
                    preferred
                } else {
                    fallback
                }
            }
        }
    }
}

/// Checks that a path can be a socket's address.
///
/// # Errors
///
/// A sentence that says why not and what to do.
pub fn check_socket_path(path: &Path) -> Result<(), String> {
    let bytes = path.as_os_str().as_bytes();
    let shown = path.display();
    if !path.is_absolute() {
        return Err(format!("the socket's path must be absolute: {shown}"));
    }
    if bytes.len() > MAX_SOCKET_PATH {
        let length = bytes.len();
        return Err(format!(
            "the socket's path has {length} bytes and {MAX_SOCKET_PATH} is the most that systems take; set \
             {SOCKET_VARIABLE} to a shorter one: {shown}"
        ));
    }
    if bytes.contains(&0) || path.file_name().is_none() {
        return Err(format!("this cannot be the path of a socket: {shown}"));
    }
    Ok(())
}

/// Returns the path of the lock file next to a socket.
#[must_use]
pub fn lock_path(socket: &Path) -> PathBuf {
    socket.with_file_name(format!("v{PROTOCOL}.lock"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        let place = |named: Option<&str>| SocketPlace::new(7, named.map(OsStr::new));
        assert_eq!(place(Some("/x/y")).path(|_| true), Path::new("/x/y"));
        assert_eq!(place(Some("")).path(|_| false), Path::new("/tmp/clada-7/v1.sock"));
        assert_eq!(
            place(None).path(|folder| folder == Path::new("/run/user/7")),
            Path::new("/run/user/7/clada/v1.sock")
        );
        assert_eq!(lock_path(Path::new("/x/any.sock")), Path::new("/x/v1.lock"));
    }

    #[test]
    fn what_cannot_be_an_address() {
        assert!(check_socket_path(Path::new("/x/v1.sock")).is_ok());
        assert!(check_socket_path(Path::new("v1.sock")).is_err());
        assert!(check_socket_path(Path::new("/")).is_err());
        let long = format!("/{}", "x".repeat(102));
        assert!(check_socket_path(Path::new(&long)).is_ok());
        assert!(check_socket_path(Path::new(&format!("{long}x"))).is_err());
    }
}
