//! The socket's path, and the folder that it is in: ours, private and real, or an error that says what to do.

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use clada_protocol::address::{SOCKET_VARIABLE, SocketPlace, check_socket_path};

use crate::process::Process;

/// Why a socket cannot be where it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The path cannot be an address.
    #[error("{0}")]
    Path(String),
    /// The folder is a symbolic link or no folder.
    #[error("the socket's folder is not a real folder: {}; remove it, or set CLADA_SOCKET", .0.display())]
    NotFolder(PathBuf),
    /// The folder belongs to somebody else.
    #[error("the socket's folder belongs to user {owner}, not to {user}: {}; set CLADA_SOCKET to a path in a folder of yours", .folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// Whose it is.
        owner: u32,
        /// Who asks.
        user: u32,
    },
    /// Others may enter the folder.
    #[error("others may enter the socket's folder (mode {mode:04o}): {}; run: chmod 700 {0}", .folder.display())]
    Open {
        /// The folder.
        folder: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The system refused.
    #[error("{operation} {}: {error}", .path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
}

impl AddressError {
    pub(super) fn io(operation: &'static str, path: &Path, error: impl Into<io::Error>) -> AddressError {
        AddressError::Io { operation, path: path.to_owned(), error: error.into() }
    }
}

/// The path of the socket: the one named by the flag, by `CLADA_SOCKET`, or by the rule.
///
/// # Errors
///
/// [`AddressError::Path`].
pub fn socket_path(process: &Process, named: Option<&Path>) -> Result<PathBuf, AddressError> {
    let named = named.map(Path::as_os_str).or_else(|| process.variable(SOCKET_VARIABLE));
    let path = SocketPlace::new(process.uid, named).path(|folder| {
        std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir() && found.uid() == process.uid)
    });
    check_socket_path(&path).map_err(AddressError::Path)?;
    Ok(path)
}

/// Makes the folder if it is missing and checks that it is ours and private.
///
/// # Errors
///
/// Any [`AddressError`].
pub fn prepare_folder(folder: &Path, uid: u32) -> Result<(), AddressError> {
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(AddressError::io("cannot make the socket's folder", folder, error)),
    }
    let found = std::fs::symlink_metadata(folder)
        .map_err(|error| AddressError::io("cannot look at the socket's folder", folder, error))?;
    if !found.is_dir() {
        return Err(AddressError::NotFolder(folder.to_owned()));
    }
    if found.uid() != uid {
        return Err(AddressError::Foreign { folder: folder.to_owned(), owner: found.uid(), user: uid });
    }
    let mode = found.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(AddressError::Open { folder: folder.to_owned(), mode });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_that_is_not_ours_alone_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let uid = rustix::process::geteuid().as_raw();
        let folder = temp.path().join("clada");
        prepare_folder(&folder, uid).unwrap();
        prepare_folder(&folder, uid).unwrap();
        assert!(matches!(prepare_folder(&folder, uid + 1), Err(AddressError::Foreign { .. })));
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o750)).unwrap();
        let error = prepare_folder(&folder, uid).unwrap_err();
        assert!(error.to_string().contains("mode 0750"), "{error}");
        let link = temp.path().join("link");
        symlink(temp.path(), &link).unwrap();
        assert!(matches!(prepare_folder(&link, uid), Err(AddressError::NotFolder(_))));
        let missing = temp.path().join("a/b");
        assert!(matches!(prepare_folder(&missing, uid), Err(AddressError::Io { .. })));
    }

    #[test]
    fn a_flag_comes_before_the_variable() {
        let process = Process::fake(Path::new("/home/x")).with_variable("CLADA_SOCKET", "/v/s");
        assert_eq!(socket_path(&process, None).unwrap(), Path::new("/v/s"));
        assert_eq!(socket_path(&process, Some(Path::new("/f/s"))).unwrap(), Path::new("/f/s"));
        assert!(matches!(socket_path(&process, Some(Path::new("s"))), Err(AddressError::Path(_))));
    }
}
