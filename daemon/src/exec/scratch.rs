//! A folder of a command's own: for code that is too long for an argument, and for its temporary files where the
//! sandbox has no `/tmp` of its own. Gone when the command is over.

use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::error::ExecError;

/// A private folder, removed with all that it holds when dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    shown: Vec<PathBuf>,
}

impl Scratch {
    /// Makes one in `temporary`.
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
            let path = temporary.join(format!("clada-exec-{}-{time:x}-{attempt}", std::process::id()));
            // Fails if there is such a thing: nobody else's folder is ever used.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Scratch { path, shown: Vec::new() }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(&path, error)),
            }
        }
        Err(failed(&temporary, io::ErrorKind::AlreadyExists.into()))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes it, and what it holds, another user's.
    ///
    /// # Errors
    ///
    /// [`ExecError::Scratch`] if it cannot be.
    #[cfg(target_os = "linux")]
    pub(super) fn give_to(&self, owner: super::wire::Owner) -> Result<(), ExecError> {
        let failed = |path: &Path, error: io::Error| ExecError::Scratch {
            operation: "give to the user of the project",
            path: path.display().to_string(),
            error,
        };
        let entries = std::fs::read_dir(&self.path).map_err(|error| failed(&self.path, error))?;
        for path in entries.flatten().map(|entry| entry.path()).chain([self.path.clone()]) {
            std::os::unix::fs::lchown(&path, Some(owner.user), Some(owner.group))
                .map_err(|error| failed(&path, error))?;
        }
        Ok(())
    }

    /// Has the command see these folders as well, for reading, wherever they lie.
    pub(crate) fn also_shows(&mut self, folders: Vec<PathBuf>) {
        self.shown.extend(folders);
    }

    /// The folder, and what else the command sees with it.
    pub(super) fn shown(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.path()).chain(self.shown.iter().map(PathBuf::as_path))
    }

    /// Puts a new file into it.
    ///
    /// # Errors
    ///
    /// [`ExecError::Scratch`] if it cannot be written.
    pub fn put(&self, name: &str, content: &[u8]) -> Result<PathBuf, ExecError> {
        let path = self.path.join(name);
        let made = File::options().write(true).create_new(true).mode(0o600).open(&path);
        match made.and_then(|mut file| file.write_all(content)) {
            Ok(()) => Ok(path),
            Err(error) => {
                Err(ExecError::Scratch { operation: "write", path: path.display().to_string(), error })
            }
        }
    }
}

impl Drop for Scratch {
    #[allow(clippy::disallowed_methods)] // The folder is clada's own, made a moment ago under a name that was free.
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "cannot remove a command's own folder");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

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
