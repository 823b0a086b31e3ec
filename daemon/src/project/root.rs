//! The root folder of a project, resolved once, where a request comes in.

use std::borrow::Borrow;
use std::path::{Path, PathBuf};

use clada_protocol::{ErrorKind, RpcError};

/// The root folder of a project: absolute, without links, and a folder when this was made. All spellings of
/// one folder are equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResolvedRoot(PathBuf);

impl ResolvedRoot {
    /// Resolves the folder that `root` names.
    ///
    /// # Errors
    /// `invalid_params` if it is not absolute, `project_not_found` if it is no folder.
    pub fn new(root: &Path) -> Result<ResolvedRoot, RpcError> {
        let shown = root.display();
        if !root.is_absolute() || root.as_os_str().as_encoded_bytes().contains(&0) {
            let message = format!("root: '{shown}' is not an absolute path");
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        let wrong = |what: &str| {
            RpcError::new(ErrorKind::ProjectNotFound, format!("The root '{shown}' {what}"))
                .with("root", root.to_string_lossy().as_ref())
                .hint("give an existing folder as root")
        };
        let cannot_be_opened = |error| wrong(&format!("cannot be opened: {error}"));
        match std::fs::metadata(root) {
            Ok(metadata) if metadata.is_dir() => {
                std::fs::canonicalize(root).map(ResolvedRoot).map_err(cannot_be_opened)
            }
            Ok(_) => Err(wrong("is not a folder")),
            Err(error) => Err(cannot_be_opened(error)),
        }
    }

    /// Returns the path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl Borrow<Path> for ResolvedRoot {
    fn borrow(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_of_a_folder_are_one_root() {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().canonicalize().unwrap().join("folder");
        std::fs::create_dir(&folder).unwrap();
        let link = folder.with_file_name("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let root = ResolvedRoot::new(&folder).unwrap();
        assert_eq!(root.as_path(), folder);
        assert_eq!(ResolvedRoot::new(&link).unwrap(), root);
        assert_eq!(ResolvedRoot::new(&folder.join(".")).unwrap(), root);
    }

    #[test]
    fn what_is_no_folder_is_refused_by_its_name_as_given() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        #[allow(clippy::disallowed_methods, reason = "a file that a test makes")]
        std::fs::write(&file, "").unwrap();
        for (path, kind, says) in [
            (Path::new("relative"), ErrorKind::InvalidParams, "is not an absolute path"),
            (&file, ErrorKind::ProjectNotFound, "is not a folder"),
            (&file.with_extension("gone"), ErrorKind::ProjectNotFound, "cannot be opened: No such file"),
        ] {
            let error = ResolvedRoot::new(path).unwrap_err();
            assert_eq!(error.kind(), Some(kind));
            assert!(error.message.contains(&format!("'{}' {says}", path.display())), "{}", error.message);
        }
    }
}
