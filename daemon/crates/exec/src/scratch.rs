//! A private folder of a command: for code that is too long for an argument, and for its temporary files if
//! the sandbox has no `/tmp` of its own. It is removed when the command has ended, or by the next daemon if
//! this one is killed.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{FlockOperation, Mode, OFlags};

use super::error::ExecError;

/// A private folder, removed with its content when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    shown: Vec<PathBuf>,
    /// Held as long as the folder is used; `None` on systems where folders cannot be locked.
    lock: Option<File>,
}

impl Scratch {
    /// Makes a private folder in `temporary`.
    ///
    /// # Errors
    ///
    /// [`ExecError::Scratch`] if it cannot be made.
    pub fn new(temporary: &Path) -> Result<Scratch, ExecError> {
        let failed = |path: &Path, error| ExecError::Scratch {
            operation: "make the folder",
            path: path.display().to_string(),
            error,
        };
        let temporary = temporary.canonicalize().map_err(|error| failed(temporary, error))?;
        for attempt in 0..64 {
            let time = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.subsec_nanos());
            let path = temporary.join(format!("{PREFIX}{}-{time:x}-{attempt}", std::process::id()));
            // Fails if the path exists: the folder of another process is never used.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { shown: Vec::new(), lock: locked(&path), path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&path, error)),
            }
        }
        Err(failed(&temporary, io::ErrorKind::AlreadyExists.into()))
    }

    pub(super) fn lock(&self) -> Option<BorrowedFd<'_>> {
        self.lock.as_ref().map(AsFd::as_fd)
    }

    /// Returns the path of the folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    #[cfg(target_os = "linux")]
    pub(super) fn give_to(&self, owner: super::wire::Owner) -> Result<(), ExecError> {
        let failed = |path: &Path, error: io::Error| ExecError::Scratch {
            operation: "give to the user of the project",
            path: path.display().to_string(),
            error,
        };
        // The folder itself is given away last, so that no other user gets in meanwhile. Links are not
        // followed.
        let (mut open, mut paths) = (vec![self.path.clone()], Vec::new());
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder).map_err(|error| failed(&folder, error))? {
                let entry = entry.map_err(|error| failed(&folder, error))?;
                let kind = entry.file_type().map_err(|error| failed(&entry.path(), error))?;
                if kind.is_dir() { open.push(entry.path()) } else { paths.push(entry.path()) }
            }
            paths.push(folder);
        }
        paths.sort();
        for path in paths.iter().rev() {
            std::os::unix::fs::lchown(path, Some(owner.user), Some(owner.group))
                .map_err(|error| failed(path, error))?;
        }
        Ok(())
    }

    /// Lets the command read these folders as well, wherever they are.
    pub fn also_shows(&mut self, folders: Vec<PathBuf>) {
        self.shown.extend(folders);
    }

    pub(super) fn shown(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path()).chain(self.shown.iter().map(PathBuf::as_path))
    }

    /// Writes a new file into the folder.
    ///
    /// # Errors
    ///
    /// [`ExecError::Scratch`] if it cannot be written.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<PathBuf, ExecError> {
        let path = self.path.join(name);
        let file = File::options().write(true).create_new(true).mode(0o600).open(&path);
        match file.and_then(|mut file| file.write_all(content)) {
            Ok(()) => Ok(path),
            Err(error) => {
                Err(ExecError::Scratch { operation: "write", path: path.display().to_string(), error })
            }
        }
    }
}

impl Drop for Scratch {
    #[allow(clippy::disallowed_methods)] // The folder is clada's own, made under a name that was free.
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove a command's own folder");
        }
    }
}

/// The prefix of these folders' names; the number of their process follows.
const PREFIX: &str = "clada-exec-";

fn locked(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    rustix::fs::flock(&folder, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(File::from(folder))
}

/// Removes the folders in `temporary` that killed processes have left behind: those that are private to the
/// daemon's user, are not locked, and are named after a process that does not exist.
pub(super) fn sweep(temporary: &Path) {
    let Ok(entries) = std::fs::read_dir(temporary) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(_lock) = lock_abandoned(&path) else { continue };
        #[allow(clippy::disallowed_methods)] // Every property shows that it is clada's own.
        if let Err(error) = std::fs::remove_dir_all(&path) {
            tracing::warn!(%error, path = %path.display(), "cannot remove the folder of a command that was killed");
        }
    }
}

fn lock_abandoned(path: &Path) -> Option<File> {
    let number = path.file_name()?.to_str()?.strip_prefix(PREFIX)?.split_once('-')?.0;
    let process = rustix::process::Pid::from_raw(number.parse().ok()?)?;
    if rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH) {
        return None;
    }
    let folder = locked(path)?;
    let metadata = folder.metadata().ok()?;
    let own = metadata.uid() == rustix::process::geteuid().as_raw() && metadata.mode() & 0o777 == 0o700;
    own.then_some(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    /// Returns the number of a process that does not exist.
    #[allow(clippy::disallowed_methods)] // A test of the exec room.
    fn gone() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    #[test]
    fn regression_what_a_killed_daemon_left_is_removed_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |name: String, mode: u32| {
            let path = temporary.path().join(name);
            DirBuilder::new().mode(mode).create(&path).unwrap();
            path
        };
        let dead = gone();
        let left = at(format!("clada-exec-{dead}-1-0"), 0o700);
        File::options().write(true).create_new(true).open(left.join("code")).unwrap();
        let stays = [
            at(format!("clada-exec-{}-1-0", std::process::id()), 0o700),
            at(format!("clada-exec-{dead}"), 0o700),
            at(format!("clada-exec-{dead}-1-1"), 0o755),
            at(format!("clada-other-{dead}-1-0"), 0o700),
            at(format!("clada-exec-{dead}-1-2"), 0o700),
        ];
        std::os::unix::fs::symlink(&stays[0], temporary.path().join(format!("clada-exec-{dead}-1-3")))
            .unwrap();
        // Its command still runs.
        let lock = locked(&stays[4]);
        let own = Scratch::new(temporary.path()).unwrap();
        sweep(temporary.path());
        assert!(!left.exists() && own.path().is_dir());
        for path in stays {
            assert!(path.is_dir(), "{}", path.display());
        }
        drop(lock);
    }

    #[test]
    fn a_scratch_folder_is_private_and_goes_away() {
        let temporary = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(temporary.path()).unwrap();
        let second = Scratch::new(temporary.path()).unwrap();
        assert_ne!(scratch.path(), second.path());
        let file = scratch.put("code.py", b"1").unwrap();
        assert!(scratch.put("code.py", b"2").is_err());
        assert_eq!(std::fs::read(&file).unwrap(), b"1");
        assert_eq!(std::fs::metadata(scratch.path()).unwrap().permissions().mode() & 0o777, 0o700);
        let path = scratch.path().to_owned();
        drop(scratch);
        assert!(!path.exists() && second.path().exists());
        assert!(Scratch::new(Path::new("/nonexistent")).is_err());
    }
}
