//! `project.root`: the project that a file or folder belongs to, by the rule that the client follows.

use std::path::{Component, Path, PathBuf};

use clada_protocol::root::{Broad, FoundRoot};
use clada_protocol::{ErrorKind, ProjectRootResult, RpcError};

use super::Engine;

impl Engine {
    /// Returns the root of the project that the file or folder at `path` belongs to.
    ///
    /// # Errors
    /// `invalid_params` if it is not absolute; `project_not_found` if only a folder holds it that is never
    /// taken for a project by itself.
    pub fn project_root(&self, path: &str) -> Result<ProjectRootResult, RpcError> {
        let path_given = Path::new(path);
        if !path_given.is_absolute()
            || path.contains('\0')
            || path_given.components().any(|c| c == Component::ParentDir)
        {
            let message = format!("path: '{}' is not an absolute path", clada_protocol::visible_line(path));
            return Err(RpcError::new(ErrorKind::InvalidParams, message).with("parameter", "path"));
        }
        // What is not there yet will be in the nearest folder that is.
        let there = path_given.ancestors().find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
        let start = std::fs::canonicalize(there).unwrap_or_else(|_| there.to_owned());
        let Some(detected) = self.broad().find_root(&start, |path| path.symlink_metadata().is_ok()) else {
            let message = format!("'{}' is not used as a project unless you name it", start.display());
            return Err(RpcError::new(ErrorKind::ProjectNotFound, message)
                .with("path", path)
                .hint("make a folder `.clada` in the project's own folder, or name that as the root"));
        };
        let root = as_called(there, detected.folder);
        let root = root.into_os_string().into_string().map_err(|root| {
            let message = format!("The project's path is not UTF-8: {}", root.to_string_lossy());
            RpcError::new(ErrorKind::ProjectNotFound, message).hint("rename the folder")
        })?;
        Ok(ProjectRootResult { root, why: why(&detected), marked: detected.mark.is_some() })
    }

    pub(super) fn broad(&self) -> Broad {
        let (home, temporary) = (self.environment.home.clone(), self.environment.temporary.iter().cloned());
        Broad::new(home, temporary, |path| path.canonicalize().ok())
    }
}

fn as_called(there: &Path, folder: &Path) -> PathBuf {
    let is_it = |named: &&Path| named.canonicalize().is_ok_and(|resolved| resolved == folder);
    there.ancestors().find(is_it).unwrap_or(folder).to_owned()
}

fn why(detected: &FoundRoot<'_>) -> String {
    match detected.mark {
        Some(mark) if detected.folder.join(mark).is_dir() => format!("there is a {mark} folder"),
        Some(mark) => format!("there is a {mark} file"),
        None => "no folder above it is marked by .git or .clada".to_owned(),
    }
}
