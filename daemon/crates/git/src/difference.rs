//! Shows the changes of the working tree since the last commit as a diff in git's format. Reads only.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use git2::{DiffOptions, ObjectType, Patch, Tree, TreeEntry, TreeWalkMode, TreeWalkResult};

use super::Unusable;
use super::dirty::{EndlessRules, endless_rules};
use super::error::Doing;
use super::repository::GitRepository;

const DOING: &str = "compare the working tree";

impl GitRepository {
    /// Returns the diff between the last commit and the working tree, of tracked files beneath `root`,
    /// a resolved path. Calls `is_shown` for each path, relative to `root`. Returns `None` if the diff
    /// has more than `limit` bytes, or `stop` says to end it.
    ///
    /// # Errors
    /// If libgit2 fails, or reading the working tree might never end.
    pub fn working_tree_diff(
        &mut self,
        root: &Path,
        limit: usize,
        is_shown: &dyn Fn(&Path) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<String>, Unusable> {
        self.take_config()?;
        match endless_rules(&self.folder) {
            None => {}
            Some(EndlessRules::NotAFile(path)) => return Err(Unusable::Special(path)),
            Some(EndlessRules::Costly(path)) => return Err(Unusable::Rules(path)),
        }
        let prefix = root.strip_prefix(&self.folder).unwrap_or(Path::new("")).to_path_buf();
        let head = self.repository.head().ok().and_then(|head| head.peel_to_tree().ok());
        let mut options = DiffOptions::new();
        options.ignore_submodules(true).disable_pathspec_match(true);
        // Only what is tracked is shown. If it is named, libgit2 matches no ignore rules against all other files.
        let tracked = self.tracked_below(head.as_ref(), &prefix)?;
        if tracked.is_empty() {
            return Ok(Some(String::new()));
        }
        for path in &tracked {
            options.pathspec(path.as_slice());
        }
        let diff = self
            .repository
            .diff_tree_to_workdir_with_index(head.as_ref(), Some(&mut options))
            .doing(DOING)?;
        let mut text = Vec::new();
        for index in 0..diff.deltas().len() {
            if stop() {
                return Ok(None);
            }
            let Some(delta) = diff.get_delta(index) else { continue };
            let paths = [delta.old_file().path_bytes(), delta.new_file().path_bytes()];
            // Both names count: a rename must not show a file that is hidden under its other name.
            let shown = paths.into_iter().flatten().all(|path| {
                let path = Path::new(OsStr::from_bytes(path));
                path.strip_prefix(&prefix).is_ok_and(is_shown)
            });
            if !shown {
                continue;
            }
            if let Some(mut patch) = Patch::from_diff(&diff, index).doing(DOING)? {
                text.extend_from_slice(&patch.to_buf().doing(DOING)?);
            }
            if text.len() > limit {
                return Ok(None);
            }
        }
        Ok(Some(String::from_utf8_lossy(&text).into_owned()))
    }

    fn tracked_below(&self, head: Option<&Tree<'_>>, prefix: &Path) -> Result<BTreeSet<Vec<u8>>, Unusable> {
        let is_below = |path: &[u8]| Path::new(OsStr::from_bytes(path)).starts_with(prefix);
        let mut index = self.repository.index().doing(DOING)?;
        index.read(false).doing(DOING)?;
        let mut tracked: BTreeSet<Vec<u8>> =
            index.iter().map(|entry| entry.path).filter(|path| is_below(path)).collect();
        let mut add = |folder: &str, entry: &TreeEntry<'_>| {
            if entry.kind() != Some(ObjectType::Tree) {
                let path = [folder.as_bytes(), entry.name_bytes()].concat();
                tracked.extend(Some(path).filter(|path| is_below(path)));
            }
            TreeWalkResult::Ok
        };
        if let Some(head) = head {
            head.walk(TreeWalkMode::PreOrder, &mut add).doing(DOING)?;
        }
        Ok(tracked)
    }
}
