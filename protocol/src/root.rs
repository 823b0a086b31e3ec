//! The rule by which a folder's project is found (spec: safety, "Paths"), applied to what the caller looks up.
//!
//! Daemon and client both follow it. Nothing here reads the file system or the environment. Folders that hold
//! more than a project (`/`, the home folder and those above it, temporary folders themselves) are never
//! inferred.

use std::path::{Path, PathBuf};

/// The names that mark the root of a project.
pub const MARKS: [&str; 2] = [".clada", ".git"];

/// The folders that are never inferred.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Broad {
    /// Home folders; the folders above them count too.
    homes: Vec<PathBuf>,
    temporary: Vec<PathBuf>,
}

/// A root that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundRoot<'a> {
    /// The folder.
    pub folder: &'a Path,
    /// The mark that stands in it; `None`: there is none at or above the start, which is the root itself.
    pub mark: Option<&'static str>,
}

impl Broad {
    /// Takes absolute paths of home folders and temporary folders, each by its own name and by the one that
    /// `resolved` gives it.
    pub fn new(
        homes: impl IntoIterator<Item = PathBuf>,
        temporary: impl IntoIterator<Item = PathBuf>,
        resolved: impl Fn(&Path) -> Option<PathBuf>,
    ) -> Broad {
        let mut names = Vec::new();
        let mut both = |paths: &mut dyn Iterator<Item = PathBuf>| {
            for path in paths.filter(|path| path.is_absolute()) {
                names.extend(resolved(&path).filter(|resolved| *resolved != path));
                names.push(path);
            }
            std::mem::take(&mut names)
        };
        Broad { homes: both(&mut homes.into_iter()), temporary: both(&mut temporary.into_iter()) }
    }

    /// Returns true if `folder` is one of them.
    #[must_use]
    pub fn holds(&self, folder: &Path) -> bool {
        folder.parent().is_none()
            || self.homes.iter().any(|home| home.starts_with(folder))
            || self.temporary.iter().any(|temporary| temporary == folder)
    }

    /// Returns the root of the project of the folder `start`: the nearest folder at or above it in which
    /// `exists` finds a mark, else the folder itself. `None`: it is not used as a project unless you name it.
    pub fn find_root<'a>(&self, start: &'a Path, exists: impl Fn(&Path) -> bool) -> Option<FoundRoot<'a>> {
        let marked = |folder: &'a Path| {
            let mark = MARKS.into_iter().find(|mark| exists(&folder.join(mark)))?;
            Some(FoundRoot { folder, mark: Some(mark) })
        };
        let nearest = start.ancestors().filter(|folder| !self.holds(folder)).find_map(marked);
        nearest.or_else(|| (!self.holds(start)).then_some(FoundRoot { folder: start, mark: None }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule() {
        let resolved = |path: &Path| (path == Path::new("/h/me")).then(|| PathBuf::from("/disk/me"));
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        let broad = Broad::new(paths(&["/h/me", "relative"]), paths(&["/tmp"]), resolved);
        let marks = paths(&["/h/me/.git", "/h/me/a/.git", "/h/me/a/b/.clada", "/h/me/a/b/.git", "/tmp/.git"]);
        for (start, found) in [
            ("/h/me/a/c", Some(("/h/me/a", Some(".git")))),
            ("/h/me/a/b", Some(("/h/me/a/b", Some(".clada")))),
            ("/h/me/x", Some(("/h/me/x", None))),
            ("/tmp/x/y", Some(("/tmp/x/y", None))),
            ("/h/me", None),
            ("/disk/me", None),
            ("/disk", None),
            ("/tmp", None),
            ("/", None),
        ] {
            let exists = |path: &Path| marks.iter().any(|mark| mark == path);
            let root = broad.find_root(Path::new(start), exists);
            assert_eq!(
                root.map(|found| (found.folder, found.mark)),
                found.map(|(folder, mark)| (Path::new(folder), mark)),
                "{start}"
            );
        }
    }
}
