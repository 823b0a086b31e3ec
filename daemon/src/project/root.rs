//! The root folder of a project, resolved once, where a request comes in.

use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use clada_fs::FolderIdentity;
use clada_protocol::{ErrorKind, RpcError};

// The root folder of a project: absolute, without links, and a folder when this was made. All spellings of
// one path are equal, whatever folder is there.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedRoot {
    path: PathBuf,
    identity: Option<FolderIdentity>,
}

impl PartialEq for ResolvedRoot {
    fn eq(&self, other: &ResolvedRoot) -> bool {
        self.path == other.path
    }
}

impl Eq for ResolvedRoot {}

// As a path's own, by which roots are looked up.
impl Hash for ResolvedRoot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.path.hash(state);
    }
}

impl ResolvedRoot {
    pub(crate) fn new(root: &Path) -> Result<ResolvedRoot, RpcError> {
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
                let path = std::fs::canonicalize(root).map_err(cannot_be_opened)?;
                Ok(ResolvedRoot { identity: FolderIdentity::read(&path), path })
            }
            Ok(_) => Err(wrong("is not a folder")),
            Err(error) => Err(cannot_be_opened(error)),
        }
    }

    #[must_use]
    pub(crate) fn as_path(&self) -> &Path {
        &self.path
    }

    // Returns the identity of the folder; `None` if it was gone by then.
    #[must_use]
    pub(crate) fn identity(&self) -> Option<&FolderIdentity> {
        self.identity.as_ref()
    }

    #[must_use]
    pub(crate) fn is_same_folder(&self, now: &ResolvedRoot) -> bool {
        match (&self.identity, &now.identity) {
            (Some(before), Some(now)) => before.is_still_at(&self.path, now),
            _ => true,
        }
    }

    pub(super) fn moved_to(&self, other: &ResolvedRoot) -> bool {
        let (Some(before), Some(now)) = (&self.identity, &other.identity) else { return false };
        self.path != other.path
            && before.is_certainly(now)
            && FolderIdentity::read(&self.path).is_none_or(|here| !before.is_still_at(&self.path, &here))
    }
}

impl Borrow<Path> for ResolvedRoot {
    fn borrow(&self) -> &Path {
        &self.path
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
