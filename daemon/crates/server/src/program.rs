//! The file of the program that runs: an upgrade replaces it while the daemon goes on as it was.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

#[derive(Debug)]
struct ProgramFile {
    path: PathBuf,
    identity: (u64, u64),
}

impl ProgramFile {
    fn new(path: PathBuf) -> Option<ProgramFile> {
        let identity = identity(&path)?;
        Some(ProgramFile { path, identity })
    }

    fn is_replaced(&self) -> bool {
        identity(&self.path) != Some(self.identity)
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|facts| (facts.dev(), facts.ino()))
}

/// Returns whether another file, or none, is now where this program's was at the first call.
pub fn program_is_replaced() -> bool {
    static FILE: OnceLock<Option<ProgramFile>> = OnceLock::new();
    let file = FILE.get_or_init(|| std::env::current_exe().ok().and_then(ProgramFile::new));
    file.as_ref().is_some_and(ProgramFile::is_replaced)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "files of the test's own")]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_replaced_by_another_file_and_by_none_but_not_by_a_touch() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, "old").unwrap();
        let file = ProgramFile::new(path.clone()).unwrap();
        std::fs::File::open(&path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(!file.is_replaced());
        let new = folder.path().join("new");
        std::fs::write(&new, "new").unwrap();
        std::fs::rename(&new, &path).unwrap();
        assert!(file.is_replaced());
        std::fs::remove_file(&path).unwrap();
        assert!(file.is_replaced() && ProgramFile::new(path).is_none());
        assert!(!program_is_replaced(), "the tests' own program");
    }
}
