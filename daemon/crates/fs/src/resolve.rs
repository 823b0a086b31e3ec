//! Path resolution: from the path that a caller wrote to a [`RootedPath`], or the reason why there is none. What keeps
//! it inside of the root when it is opened is in `confine.rs`.
//!
//! Works on text only, except [`Roots::follow`], which follows a symbolic link, and [`Roots::made_up`].
//! Checks in this order: is it a path at all, which root is it in, is it denied.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use clada_protocol::ErrorKind;
use rustix::io::Errno;

use super::error::FsError;
use super::names::is_temp_name;
use super::options::Confinement;
use super::path::{RootedPath, WrittenPath, append, is_plain_name};
use super::policy::Verdict;
use super::root::Roots;

const OWN_FOLDER: &str = ".clada";

impl Roots {
    /// Returns the place that `written` names: relative to the project's root, or absolute in any root as
    /// given or as resolved, or beginning with an alias.
    ///
    /// `path_escape` if it lies in no root or is not a path; `path_denied` if its names are denied.
    pub fn resolve(&self, written: &str) -> Result<RootedPath, FsError> {
        let (root, relative) = self.locate(written)?;
        self.checked(root, relative, written.to_owned())
    }

    /// Returns a place that was recorded as a root's resolved path and a relative path, such as in a journal.
    /// Checks it like any other; it need not be UTF-8.
    pub fn resolve_recorded(&self, root: &Path, relative: &Path) -> Result<RootedPath, FsError> {
        let shown = root.join(relative).display().to_string();
        let index = self.0.roots.iter().position(|own| own.resolved == root);
        let index = index.ok_or_else(|| FsError::escape("Path lies outside the allowed roots", &shown))?;
        self.recorded(index, relative, shown)
    }

    /// Returns a place that was recorded as a path from the project's root, such as that of a staged file,
    /// and is reported as such. Checks it like any other; it need not be UTF-8, and each name in it means
    /// itself: `\`, `~` and aliases are for written paths.
    pub fn resolve_relative(&self, relative: &Path) -> Result<RootedPath, FsError> {
        self.recorded(0, relative, relative.display().to_string())
    }

    fn recorded(&self, root: usize, relative: &Path, shown: String) -> Result<RootedPath, FsError> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(name) if is_plain_name(name));
        if !relative.components().all(plain) {
            return Err(FsError::escape("Path leaves its root", shown));
        }
        self.checked(root, relative.components().collect(), shown)
    }

    /// Returns a file of clada's own beneath `.clada` in the project's root; never for a path from an answer.
    pub fn resolve_own(&self, name: &str) -> Result<RootedPath, FsError> {
        if !is_plain_name(OsStr::new(name)) {
            return Err(FsError::escape("Not a file name", name));
        }
        let relative = Path::new(OWN_FOLDER).join(name);
        let written = relative.display().to_string();
        Ok(RootedPath::new(0, relative, written))
    }

    /// Returns a root itself, by its index.
    pub fn root(&self, index: usize) -> Option<RootedPath> {
        let root = self.0.roots.get(index)?;
        Some(RootedPath::new(index, PathBuf::new(), root.configured.display().to_string()))
    }

    /// Returns the place of `name` in `folder`; the name comes from a directory and may not be UTF-8.
    pub fn join(&self, folder: &RootedPath, name: &OsStr) -> Result<RootedPath, FsError> {
        let path = folder.child(name);
        if !is_plain_name(name) {
            return Err(FsError::escape("Not a file name", path.written()));
        }
        self.checked(path.root(), path.relative().to_path_buf(), path.written().to_owned())
    }

    /// Returns the place at `relative` beneath `folder`, as a walk makes it: the names come from directories
    /// and may not be UTF-8, and no policy is asked. `None` if one of them is not a name.
    #[must_use]
    pub fn beneath(&self, folder: &RootedPath, relative: &Path) -> Option<RootedPath> {
        relative.iter().all(is_plain_name).then(|| folder.child(relative.as_os_str()))
    }

    /// Returns the place that a path leads to if symbolic links are followed: a place
    /// in a root that may be read.
    ///
    /// The result is only text again: opening it later follows nothing, so a link that is
    /// swapped meanwhile leads nowhere.
    pub fn follow(&self, path: &RootedPath) -> Result<RootedPath, FsError> {
        let shown = path.written();
        let real =
            self.0.roots[path.root()].resolved.join(path.relative()).canonicalize().map_err(|error| {
                FsError::os("follow the link", Errno::from_io_error(&error).unwrap_or(Errno::IO), shown)
            })?;
        let (root, relative) = self.place_of(&real).ok_or_else(|| {
            FsError::new(
                ErrorKind::SymlinkNotAllowed,
                "ELOOP",
                "A symbolic link leads outside the allowed roots",
                shown,
            )
        })?;
        let target = self.checked(root, relative, shown.to_owned())?;
        match self.verdict_for_read(&target) {
            Verdict::Deny(kind, reason) => Err(FsError::new(kind, code_of(kind), reason, shown)),
            _ => Ok(target),
        }
    }

    /// Returns the names of an absolute path that lies in no root and does not exist on this machine: its
    /// root may be made up. Returns `None` for one with `..`, with an alias or from a home folder, and where
    /// its absence is not certain.
    ///
    /// This is the only function here that looks outside the roots.
    pub fn made_up(&self, written: &str) -> Option<Vec<String>> {
        let mut path = WrittenPath::parse(written).ok()?;
        if !path.absolute || path.parts.iter().any(|part| part == "..") || self.through_alias(&path).is_some()
        {
            return None;
        }
        if path.on_drive() {
            path.parts.remove(0);
            return Some(path.parts);
        }
        let absolute = append(Path::new("/"), &path.parts)?;
        if self.place_of(&absolute).is_some() {
            return None;
        }
        let missing = |error: std::io::Error| {
            matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
        };
        absolute.symlink_metadata().is_err_and(missing).then_some(path.parts)
    }

    fn locate(&self, written: &str) -> Result<(usize, PathBuf), FsError> {
        let escape = |issue: &'static str| FsError::escape(issue, written);
        let path = WrittenPath::parse(written).map_err(escape)?;
        let outside = || escape("Path lies outside the allowed roots");
        if let Some(absolute) = self.through_alias(&path) {
            return self.place_of(&absolute).ok_or_else(outside);
        }
        if path.on_drive() || path.at_home() {
            return Err(outside());
        }
        if path.absolute {
            let absolute = append(Path::new("/"), &path.parts).ok_or_else(outside)?;
            return self.place_of(&absolute).ok_or_else(outside);
        }
        match append(Path::new(""), &path.parts) {
            Some(relative) => Ok((0, relative)),
            None if self.0.options.confinement == Confinement::WholeSystem => {
                let absolute = append(&self.0.roots[0].resolved, &path.parts).ok_or_else(outside)?;
                self.place_of(&absolute).ok_or_else(outside)
            }
            None => Err(escape("Path leaves the root")),
        }
    }

    fn through_alias(&self, path: &WrittenPath) -> Option<PathBuf> {
        self.0.aliases.iter().find_map(|(prefix, real)| {
            let prefix = WrittenPath::parse(prefix).ok().filter(|prefix| !prefix.parts.is_empty())?;
            append(real, path.after(&prefix)?)
        })
    }

    /// Returns the root in which an absolute path lies. The path is read with the longest spelling of a root
    /// that it starts with, then given to the first root that contains it, so that one file has one place.
    fn place_of(&self, absolute: &Path) -> Option<(usize, PathBuf)> {
        let roots = &self.0.roots;
        let spelt = roots.iter().flat_map(|root| [(root, &root.resolved), (root, &root.configured)]);
        let real = spelt
            .filter_map(|(root, spelling)| Some((root, absolute.strip_prefix(spelling).ok()?)))
            .min_by_key(|(_, rest)| rest.components().count())
            .map(|(root, rest)| root.resolved.join(rest))?;
        roots.iter().enumerate().find_map(|(index, root)| {
            let rest = real.strip_prefix(&root.resolved).ok()?;
            Some((index, rest.to_path_buf()))
        })
    }

    fn checked(&self, root: usize, relative: PathBuf, written: String) -> Result<RootedPath, FsError> {
        if relative.file_name().is_some_and(is_temp_name) {
            // Such a file would be taken for a leftover and removed.
            let issue = "Path is denied: the name is one of clada's temporary files";
            return Err(FsError::new(ErrorKind::PathDenied, "PATH_DENIED", issue, written));
        }
        let (configured, resolved) = self.absolutes(root, &relative);
        match self.0.policy.denied(&relative, &[&configured, &resolved]) {
            Some(reason) => Err(FsError::new(ErrorKind::PathDenied, "PATH_DENIED", reason, written)),
            None => Ok(RootedPath::new(root, relative, written)),
        }
    }
}

fn code_of(kind: ErrorKind) -> &'static str {
    if kind == ErrorKind::Secret { "SECRET" } else { "PATH_DENIED" }
}
