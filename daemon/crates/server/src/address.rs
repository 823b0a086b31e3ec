//! The socket's path, and its folder: the user's own, private and real, or an error with a hint on what to
//! do.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use clada_protocol::address::{SocketPlace, check_socket_path};

const START_LOG: &str = "start.log";

/// The reason why a socket cannot be where it should be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AddressError {
    /// The path cannot be an address.
    #[error("{0}")]
    Path(String),
    /// The folder is a symbolic link or no folder.
    #[error("the socket's folder is not a real folder: {}; remove it, or set CLADA_SOCKET", .0.display())]
    NotFolder(PathBuf),
    /// The folder belongs to another user.
    #[error("the socket's folder belongs to user {owner}, not to {user}: {}; set CLADA_SOCKET to a path in a folder of yours", .folder.display())]
    Foreign {
        /// The folder.
        folder: PathBuf,
        /// The owner of the folder.
        owner: u32,
        /// The user of this process.
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
    /// The address of a service manager's socket has no name, or depends on a working directory.
    #[error(
        "the socket's address is not an absolute path: {0:?}; let the service manager bind one in its own folder"
    )]
    Nowhere(PathBuf),
    /// The folder holds other files, which would be hidden from commands with it.
    #[error("the socket's folder holds other things ({entry:?}): {}; set CLADA_SOCKET to a path in its own folder", .folder.display())]
    Shared {
        /// The folder.
        folder: PathBuf,
        /// The name of another file in it.
        entry: OsString,
    },
    /// The folder is the home folder or a root, or holds one.
    #[error("the socket's folder is or holds {}, where work is done: {}; set CLADA_SOCKET to a path in its own folder", .taken.display(), .folder.display())]
    WorkedIn {
        /// The folder.
        folder: PathBuf,
        /// The home folder, or a root.
        taken: PathBuf,
    },
    /// The system refused an operation.
    #[error("{operation} {}: {error}", .path.display())]
    Io {
        /// The operation that failed.
        operation: &'static str,
        /// The path that it failed on.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

impl AddressError {
    pub(super) fn io(operation: &'static str, path: &Path, error: impl Into<io::Error>) -> AddressError {
        AddressError::Io { operation, path: path.to_owned(), error: error.into() }
    }
}

/// Returns the path of the socket of user `uid`: the one `named` by the flag, that of `variable`
/// (`CLADA_SOCKET`), or the default by the rule.
///
/// # Errors
///
/// [`AddressError::Path`].
pub fn socket_path(
    uid: u32,
    named: Option<&Path>,
    variable: Option<&OsStr>,
) -> Result<PathBuf, AddressError> {
    let named = named.map(Path::as_os_str).or(variable);
    let path = SocketPlace::new(uid, named).path(|folder| {
        std::fs::symlink_metadata(folder).is_ok_and(|stat| stat.is_dir() && stat.uid() == uid)
    });
    check_socket_path(&path).map_err(AddressError::Path)?;
    Ok(path)
}

/// Makes the folder if it is missing, and checks that it belongs to `uid` and is private.
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
    check_folder(folder, uid)
}

/// Checks that the folder belongs to `uid` and is private: a process that can write into it could answer in
/// the daemon's place.
///
/// # Errors
///
/// Any [`AddressError`].
pub fn check_folder(folder: &Path, uid: u32) -> Result<(), AddressError> {
    let stat = std::fs::symlink_metadata(folder)
        .map_err(|error| AddressError::io("cannot look at the socket's folder", folder, error))?;
    if !stat.is_dir() {
        return Err(AddressError::NotFolder(folder.to_owned()));
    }
    if stat.uid() != uid {
        return Err(AddressError::Foreign { folder: folder.to_owned(), owner: stat.uid(), user: uid });
    }
    let mode = stat.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(AddressError::Open { folder: folder.to_owned(), mode });
    }
    Ok(())
}

/// Returns the folder of `socket`, resolved. It has to belong to `uid`, be private, and hold only sockets and
/// their files, since it is hidden whole from every command. `taken` are the home folder and the roots.
///
/// # Errors
///
/// Any [`AddressError`].
pub fn own_folder<'a>(
    socket: &Path,
    uid: u32,
    taken: impl IntoIterator<Item = &'a Path>,
) -> Result<PathBuf, AddressError> {
    let folder = socket
        .parent()
        .filter(|folder| folder.is_absolute())
        .ok_or_else(|| AddressError::Nowhere(socket.to_owned()))?;
    prepare_folder(folder, uid)?;
    let look = |error| AddressError::io("cannot look through the socket's folder", folder, error);
    let folder = folder.canonicalize().map_err(look)?;
    for taken in taken {
        let resolved = taken.canonicalize().unwrap_or_else(|_| taken.to_owned());
        if resolved.starts_with(&folder) {
            return Err(AddressError::WorkedIn { folder, taken: resolved });
        }
    }
    for entry in std::fs::read_dir(&folder).map_err(look)? {
        let entry = entry.map_err(look)?;
        // An entry that is gone by now belonged to a daemon that was starting.
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        if socket.file_name() == Some(&name) {
            // A file in the socket's place is reported when the socket is bound.
            continue;
        }
        let lock = Path::new(&name).extension().is_some_and(|extension| extension == "lock");
        if !kind.is_socket() && !(kind.is_file() && (lock || name == OsStr::new(START_LOG))) {
            return Err(AddressError::Shared { folder, entry: name });
        }
    }
    Ok(folder)
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
    fn a_folder_that_is_not_for_sockets_alone_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let uid = rustix::process::geteuid().as_raw();
        let socket = top.join("s/v1.sock");
        let own = |taken: &[&Path]| own_folder(&socket, uid, taken.iter().copied());
        assert_eq!(own(&[&top]).unwrap(), top.join("s"));
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        for name in ["v1.lock", "spawn.lock", START_LOG] {
            std::fs::File::options().write(true).create_new(true).open(top.join("s").join(name)).unwrap();
        }
        assert_eq!(own(&[]).unwrap(), top.join("s"));
        for taken in [top.join("s"), top.join("s/project")] {
            assert!(matches!(own(&[&taken]), Err(AddressError::WorkedIn { .. })), "{}", taken.display());
        }
        symlink(top.join("s"), top.join("home")).unwrap();
        assert!(matches!(own(&[&top.join("home")]), Err(AddressError::WorkedIn { .. })));
        std::fs::create_dir(top.join("s/other")).unwrap();
        assert!(own(&[]).unwrap_err().to_string().contains("\"other\""));
        for socket in ["", "v1.sock", "s/v1.sock"] {
            assert!(matches!(own_folder(Path::new(socket), uid, []), Err(AddressError::Nowhere(_))));
        }
    }

    #[test]
    fn a_flag_comes_before_the_variable() {
        let path = |named: Option<&str>| socket_path(1000, named.map(Path::new), Some(OsStr::new("/v/s")));
        assert_eq!(path(None).unwrap(), Path::new("/v/s"));
        assert_eq!(path(Some("/f/s")).unwrap(), Path::new("/f/s"));
        assert!(matches!(path(Some("s")), Err(AddressError::Path(_))));
    }
}
