//! What git has of a project's files, opened when it is first asked.
//!
//! To read an index takes as long as to look at many files; where nothing changed, nobody asks.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use clada_fs::Stat;
use clada_git::{BlobId, CleanFiles, GitRepository, IndexStamp};

/// What git has of a project's files.
#[derive(Debug)]
pub struct Git {
    root: PathBuf,
    home: Option<PathBuf>,
    files: OnceCell<Option<CleanFiles>>,
    /// Opened for its contents alone.
    repository: OnceCell<Option<GitRepository>>,
}

impl Git {
    /// That of the repository that `root`, a resolved path, lies in, if there is one.
    #[must_use]
    pub fn of(root: &Path, home: Option<&Path>) -> Git {
        let (files, repository) = (OnceCell::new(), OnceCell::new());
        Git { root: root.to_path_buf(), home: home.map(Path::to_path_buf), files, repository }
    }

    fn files(&self) -> Option<&CleanFiles> {
        self.files.get_or_init(|| CleanFiles::of(&self.root, self.home.as_deref())).as_ref()
    }

    /// Which index it goes by; `None` without a repository that can be read.
    pub(super) fn stamp(&self) -> Option<&IndexStamp> {
        self.files().map(CleanFiles::stamp)
    }

    /// The content of the file at `path`, which is absolute and resolved, if git has all that stands there.
    pub(super) fn id_of(&self, path: &Path, stat: &Stat) -> Option<BlobId> {
        self.files()?.id_of(path, stat)
    }

    /// A content that was named before, if it is still there. A command may have left an index that cannot be read.
    pub(super) fn content(&self, id: BlobId) -> Option<Vec<u8>> {
        if let Some(files) = self.files.get().and_then(Option::as_ref) {
            return files.content(id);
        }
        let open = || GitRepository::open(&self.root, self.home.as_deref()).ok().flatten();
        self.repository.get_or_init(open).as_ref()?.content(id)
    }
}
