//! Symlink-safe opening: a folder beneath a descriptor, without ever following a symbolic link out of the root.
//!
//! The kernel does it in one call where it has `openat2`; elsewhere, and where a sandbox forbids that call,
//! cap-std goes name by name. Both begin at a descriptor that is held open, so changes to the names above it
//! do not matter. Input: paths of plain names, checked by [`super::path`].

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, FileType};
use rustix::io::Errno;

/// The way to open folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// `openat2` if a first call shows that it works, else cap-std.
    #[default]
    Detect,
    /// cap-std, name by name.
    CapStd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderOpener {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    Openat2,
    CapStd,
}

impl FolderOpener {
    pub(super) fn choose(backend: Backend, root: BorrowedFd<'_>) -> FolderOpener {
        // Tests the kernel once, at the first root.
        match backend {
            Backend::CapStd => FolderOpener::CapStd,
            #[cfg(any(target_os = "linux", target_os = "android"))]
            Backend::Detect => match kernel::open_beneath(root, Path::new(".")) {
                // ENOSYS before Linux 5.6, EPERM from seccomp filters that do not know the call.
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => FolderOpener::CapStd,
                _ => FolderOpener::Openat2,
            },
            #[cfg(not(any(target_os = "linux", target_os = "android")))]
            Backend::Detect => {
                let _ = root;
                FolderOpener::CapStd
            }
        }
    }

    pub(super) fn open_dir(self, base: BorrowedFd<'_>, relative: &Path) -> Result<OwnedFd, Errno> {
        let mut folder: Option<OwnedFd> = None;
        for piece in pieces(relative) {
            let from = folder.as_ref().map_or(base, AsFd::as_fd);
            let next = match self {
                #[cfg(any(target_os = "linux", target_os = "android"))]
                FolderOpener::Openat2 => kernel::open_beneath(from, &piece)?,
                FolderOpener::CapStd => open_by_names(from, &piece)?,
            };
            folder = Some(next);
        }
        folder.ok_or(Errno::INVAL)
    }
}

fn pieces(relative: &Path) -> Vec<PathBuf> {
    // A system call accepts each. Trees deeper than PATH_MAX exist; nearly always there is one piece.
    const PIECE: usize = 2048;
    if relative.as_os_str().len() < PIECE {
        return vec![relative.to_path_buf()];
    }
    let mut pieces = vec![PathBuf::new()];
    for component in relative.components() {
        match pieces.last_mut() {
            Some(last) if last.as_os_str().len() < PIECE => last.push(component),
            _ => pieces.push(PathBuf::from(component.as_os_str())),
        }
    }
    pieces
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod kernel {
    use super::*;
    use rustix::fs::{Mode, OFlags, ResolveFlags};

    pub(super) fn open_beneath(base: BorrowedFd<'_>, relative: &Path) -> Result<OwnedFd, Errno> {
        // EAGAIN: something was renamed during the call. Without `..` it is rare.
        const TRIES: usize = 128;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut outcome = Err(Errno::AGAIN);
        for _ in 0..TRIES {
            outcome = rustix::fs::openat2(base, relative, flags, Mode::empty(), resolve);
            if !matches!(outcome, Err(Errno::AGAIN | Errno::INTR)) {
                break;
            }
        }
        outcome
    }
}

fn open_by_names(base: BorrowedFd<'_>, relative: &Path) -> Result<OwnedFd, Errno> {
    let mut folder = Dir::from(base.try_clone_to_owned().map_err(|error| errno_of(&error))?);
    for component in relative.components() {
        let name = Path::new(component.as_os_str());
        match folder.open_dir_nofollow(name) {
            Ok(next) => folder = next,
            Err(error) => {
                let stat = rustix::fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
                let link = FileType::from_raw_mode(stat.st_mode) == FileType::Symlink;
                return Err(if link { Errno::LOOP } else { errno_of(&error) });
            }
        }
    }
    Ok(folder.into())
}

fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_paths_are_cut_between_names() {
        let long: PathBuf = std::iter::repeat_n("abcdefgh", 1000).collect();
        let pieces = pieces(&long);
        assert!(pieces.len() > 3 && pieces.iter().all(|piece| piece.as_os_str().len() < 2400));
        assert_eq!(pieces.iter().collect::<PathBuf>(), long);
    }
}
