//! Git's knowledge of a project's files, opened when it is first needed.
//!
//! Reading an index takes as long as looking at many files; where nothing changed, it is not read.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use clada_fs::Stat;
use clada_git::{BlobId, CleanFiles, GitRepository, IndexStamp};

/// Git's knowledge of a project's files.
#[derive(Debug)]
pub struct Git {
    root: PathBuf,
    home: Option<PathBuf>,
    files: OnceCell<Option<CleanFiles>>,
    repository: OnceCell<Option<GitRepository>>,
}

impl Git {
    /// Returns that of the repository that contains `root`, a resolved path, if there is one.
    #[must_use]
    pub fn for_root(root: &Path, home: Option<&Path>) -> Git {
        let (files, repository) = (OnceCell::new(), OnceCell::new());
        Git { root: root.to_path_buf(), home: home.map(Path::to_path_buf), files, repository }
    }

    fn files(&self) -> Option<&CleanFiles> {
        self.files.get_or_init(|| CleanFiles::open(&self.root, self.home.as_deref())).as_ref()
    }

    pub(super) fn stamp(&self) -> Option<&IndexStamp> {
        self.files().map(CleanFiles::stamp)
    }

    /// `path` is absolute and resolved. `None` if git does not have all of the content.
    pub(super) fn id_of(&self, path: &Path, stat: &Stat) -> Option<BlobId> {
        self.files()?.id_of(path, stat)
    }

    /// A command may have left an index that cannot be read.
    pub(super) fn content(&self, id: BlobId) -> Option<Vec<u8>> {
        if let Some(files) = self.files.get().and_then(Option::as_ref) {
            return files.content(id);
        }
        let open = || GitRepository::open(&self.root, self.home.as_deref()).ok().flatten();
        self.repository.get_or_init(open).as_ref()?.content(id)
    }
}
