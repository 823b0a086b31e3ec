//! Shows the changes of the working tree since the last commit as a diff in git's format. Reads only.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use git2::{DiffOptions, Patch};

use super::Unusable;
use super::dirty::pipe_among_rules;
use super::discover::GitRepository;
use super::error::Doing;

/// The action that an error names.
const DOING: &str = "compare the working tree";

impl GitRepository {
    /// Returns the diff between the last commit and the working tree, of tracked files beneath `root`,
    /// a resolved path. Calls `is_shown` for each path, relative to `root`. Returns `None` if the diff
    /// has more than `limit` bytes.
    ///
    /// # Errors
    /// If libgit2 fails, or reading the working tree might never end.
    pub fn working_tree_diff(
        &mut self,
        root: &Path,
        limit: usize,
        is_shown: &dyn Fn(&Path) -> bool,
    ) -> Result<Option<String>, Unusable> {
        self.take_config()?;
        if let Some(pipe) = pipe_among_rules(&self.folder) {
            return Err(Unusable::Special(pipe));
        }
        let prefix = root.strip_prefix(&self.folder).unwrap_or(Path::new("")).to_path_buf();
        let head = self.repository.head().ok().and_then(|head| head.peel_to_tree().ok());
        let mut options = DiffOptions::new();
        options.ignore_submodules(true).disable_pathspec_match(true);
        if !prefix.as_os_str().is_empty() {
            options.pathspec(prefix.as_os_str().as_bytes());
        }
        let diff = self
            .repository
            .diff_tree_to_workdir_with_index(head.as_ref(), Some(&mut options))
            .doing(DOING)?;
        let mut text = Vec::new();
        for index in 0..diff.deltas().len() {
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
}
