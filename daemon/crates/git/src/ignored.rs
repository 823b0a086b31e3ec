//! Determines whether git ignores a path, with the rules by which walks and the watch go.
//!
//! libgit2 has rules of its own: it does not see that a nested `.gitignore` restores a folder that one
//! above leaves out, and finds the user gitignore in other places.

use std::path::{Path, PathBuf};

use clada_fs::{FileKind, Ignoring, Options, PathPolicy, PolicyGlobs, Roots, WalkItem, WalkOptions};

use super::error::GitError;
use super::repository::{GitRepository, WorkTreeRules};
use super::user_gitignore::UserGitignore;

impl GitRepository {
    /// Returns whether git ignores the file at `path`, relative to the work tree, if it does not track it.
    /// Returns true if this cannot be found out.
    pub(super) fn is_ignored(&self, path: &Path) -> bool {
        match self.work_tree_rules() {
            Some(WorkTreeRules { roots, rules, .. }) => rules.hide_path(roots, path, false),
            None => true,
        }
    }

    /// Leaves out folders that are repositories of their own.
    pub(super) fn not_ignored_in(&self, path: &Path) -> Result<Vec<PathBuf>, GitError> {
        let failed = |error: clada_fs::FsError| {
            GitError::refused(error.to_string(), "set git.before to touched, so that git need not look there")
        };
        let Some(WorkTreeRules { roots, rules, ignoring }) = self.work_tree_rules() else {
            return Ok(Vec::new());
        };
        if rules.hide_path(roots, path, true)
            || self.folder.join(path).join(".git").symlink_metadata().is_ok()
        {
            return Ok(Vec::new());
        }
        let start = roots.resolve_relative(path).map_err(failed)?;
        let options = WalkOptions { ignoring: ignoring.clone(), ..WalkOptions::default() };
        let mut walk = roots.walk(&start, options).map_err(failed)?;
        let mut files = Vec::new();
        while let Some(item) = walk.next() {
            match item {
                WalkItem::Entry { path, stat } if stat.kind == FileKind::Directory => {
                    if roots.absolute(&path).join(".git").symlink_metadata().is_ok() {
                        walk.pass_over(&path);
                    }
                }
                WalkItem::Entry { path, .. } => files.push(path.relative().to_path_buf()),
                WalkItem::Error(error) => return Err(failed(error)),
                WalkItem::Withheld { .. } | WalkItem::Ignored { .. } | WalkItem::Truncated => {}
            }
        }
        Ok(files)
    }

    fn work_tree_rules(&self) -> Option<&WorkTreeRules> {
        let read = || {
            let policy = PathPolicy::new(&PolicyGlobs::default()).ok()?;
            let roots = Roots::open(&self.folder, &[], &[], policy, Options::default()).ok()?;
            let config = UserGitignore::find(self.user.as_ref(), &roots).config();
            let rules = roots.base_rules(&config).of_git_alone();
            Some(WorkTreeRules { rules, roots, ignoring: Ignoring::Git { config } })
        };
        self.rules.get_or_init(read).as_ref()
    }
}
