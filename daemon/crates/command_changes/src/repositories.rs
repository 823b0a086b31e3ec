//! The repositories within a project that git does not ignore, found by the walk that a survey makes anyway.
//!
//! Those in ignored folders (a build's downloads) are a build's own, and are not looked for. Looks at names and
//! identities, reads nothing.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, RootedPath, Roots, Stat};

/// Repositories that are known by name.
const KNOWN: usize = 5_000;
/// New ones that are told by name.
const NAMED: usize = 5;

/// Repositories of a project, its own included, and the folders that clada has a project in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repositories {
    /// By their folders from the root: what tells each from one that takes its place.
    found: BTreeMap<PathBuf, Kept>,
    /// More of them than [`KNOWN`].
    more: bool,
}

/// A repository, by device and number of what makes it one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Kept {
    /// Its `.git`, or its `HEAD` if the folder is a repository without a work tree.
    git: Option<(u64, u64)>,
    is_bare: bool,
}

/// Repositories that came to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct NewRepositories {
    /// The first of their folders, from the root.
    pub paths: Vec<String>,
    /// How many there are.
    pub count: usize,
}

impl Repositories {
    /// Folders from the root that hold a `.git` or a `.clada`.
    pub fn with_work_tree(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().filter(|(_, kept)| !kept.is_bare).map(|(folder, _)| folder.as_path())
    }

    /// Folders from the root that are repositories themselves.
    pub fn bare(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().filter(|(_, kept)| kept.is_bare).map(|(folder, _)| folder.as_path())
    }

    /// Whether there are more of them than are known.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.more
    }

    /// Adds the folder that holds `path`, a `.git` or `.clada` of `roots`.
    pub(super) fn add_owned(&mut self, roots: &Roots, path: &RootedPath) {
        let folder = path.relative().parent().unwrap_or(Path::new(""));
        let is_git = path.file_name().is_some_and(|name| name == ".git");
        let git = is_git.then(|| identity(&roots.absolute(path))).flatten();
        if let Some(kept) = self.entry(folder) {
            kept.git = kept.git.or(git);
        }
    }

    /// Adds the folder that `path` lies in if it is a repository itself, which its `HEAD` gives away.
    pub(super) fn add_bare(&mut self, roots: &Roots, path: &RootedPath, stat: &Stat) {
        if path.file_name().is_none_or(|name| name != "HEAD") || stat.kind == FileKind::Directory {
            return;
        }
        let absolute = roots.absolute(path);
        let there = |name: &str| absolute.with_file_name(name).symlink_metadata().is_ok();
        if !(there("objects") && there("refs") || there("commondir")) {
            return;
        }
        let folder = path.relative().parent().unwrap_or(Path::new(""));
        if let Some(kept) = self.entry(folder).filter(|kept| kept.git.is_none()) {
            *kept = Kept { git: Some((stat.dev, stat.ino)), is_bare: true };
        }
    }

    fn entry(&mut self, folder: &Path) -> Option<&mut Kept> {
        if self.found.len() >= KNOWN && !self.found.contains_key(folder) {
            self.more = true;
            return None;
        }
        Some(self.found.entry(folder.to_path_buf()).or_default())
    }

    /// What of this is a repository that `before` has not, or has another one in place of.
    pub(super) fn since(&self, before: &Repositories) -> NewRepositories {
        let is_new = |(folder, kept): &(&PathBuf, &Kept)| {
            let earlier = before.found.get(*folder);
            kept.git.is_some() && earlier.and_then(|earlier| earlier.git) != kept.git
        };
        let mut new = NewRepositories::default();
        for (folder, _) in self.found.iter().filter(is_new) {
            new.count += 1;
            if new.paths.len() < NAMED {
                let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
                new.paths.push(shown.to_string_lossy().into_owned());
            }
        }
        new
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.symlink_metadata().ok().map(|found| (found.dev(), found.ino()))
}
