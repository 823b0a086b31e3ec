//! Finds the socket, and checks if its folder may be trusted (spec: rpc, "Where, who, and how it lives").

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use clada_protocol::address::{SocketPlace, check_socket_path};

use crate::exit::Failure;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SocketAddress {
    pub(super) socket: PathBuf,
    pub(super) is_named: bool,
}

pub(super) fn address(uid: u32, named: Option<&OsStr>) -> Result<SocketAddress, Failure> {
    let place = SocketPlace::new(uid, named);
    let is_named = matches!(place, SocketPlace::Named(_));
    let path = place.path(|folder| {
        fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == uid)
    });
    check_socket_path(&path)
        .map_err(|why| Failure::no_daemon(why).hint("Name the socket with --socket PATH or CLADA_SOCKET."))?;
    Ok(SocketAddress { socket: path, is_named })
}

/// Checks the folder of the socket; `false` if there is none yet.
///
/// A process that can write into it could answer in the daemon's place.
pub(super) fn folder_is_safe(socket: &Path, uid: u32) -> Result<bool, Failure> {
    let folder = folder_of(socket);
    match fs::symlink_metadata(folder) {
        Ok(metadata) => match fault(&metadata, uid) {
            None => Ok(true),
            Some(fault) => Err(Failure::no_daemon(format!(
                "the folder of the socket, {}, {fault}",
                folder.display()
            ))
            .hint("Make it a folder of your own with mode 0700, or name another socket with CLADA_SOCKET.")),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        // A folder that cannot be read cannot be used either: connecting reports that.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(true),
        Err(error) => Err(Failure::no_daemon(format!(
            "the folder of the socket, {}, cannot be checked: {error}",
            folder.display()
        ))
        .hint("Name another socket with --socket PATH or CLADA_SOCKET.")),
    }
}

pub(super) fn make_folder(socket: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(folder_of(socket)) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

pub(super) fn folder_of(socket: &Path) -> &Path {
    socket.parent().unwrap_or(Path::new("/"))
}

fn fault(metadata: &Metadata, uid: u32) -> Option<String> {
    if metadata.file_type().is_symlink() {
        return Some("is a symbolic link".to_owned());
    }
    if !metadata.is_dir() {
        return Some("is not a folder".to_owned());
    }
    if metadata.uid() != uid {
        return Some(format!("belongs to the user {} and not to you ({uid})", metadata.uid()));
    }
    let mode = metadata.mode() & 0o777;
    (mode & 0o077 != 0).then(|| format!("has mode {mode:04o}, which gives others access"))
}

pub(super) fn elsewhere(socket: &Path, other: &Path) -> Failure {
    let (socket, other) = (socket.display(), other.display());
    Failure::no_daemon(format!("no daemon answers at {socket}: the daemon at {other} uses that folder"))
        .hint(format!("Use it with --socket {other}, or stop it with `clada stop --socket {other}`."))
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_a_folder_of_our_own_is_trusted() {
        let top = tempfile::tempdir().unwrap();
        let uid = rustix::process::getuid().as_raw();
        let folder = top.path().join("run");
        let socket = folder.join("v1.sock");
        assert!(!folder_is_safe(&socket, uid).unwrap());
        make_folder(&socket).unwrap();
        make_folder(&socket).unwrap();
        assert!(folder_is_safe(&socket, uid).unwrap());
        let complaint = |socket: &Path, uid: u32| folder_is_safe(socket, uid).unwrap_err().message;
        assert!(complaint(&socket, uid + 1).contains("belongs to the user"));
        fs::set_permissions(&folder, Permissions::from_mode(0o750)).unwrap();
        assert!(complaint(&socket, uid).contains("mode 0750"));
        symlink(&folder, top.path().join("link")).unwrap();
        assert!(complaint(&top.path().join("link/v1.sock"), uid).contains("symbolic link"));
    }

    #[test]
    fn a_socket_that_cannot_be_one_is_refused() {
        assert!(address(7, Some(OsStr::new("/run/x/v1.sock"))).unwrap().is_named);
        assert!(!address(7, Some(OsStr::new(""))).unwrap().is_named);
        let long = format!("/{}", "x".repeat(200));
        assert!(address(7, Some(OsStr::new(&long))).unwrap_err().message.contains("bytes"));
    }
}
