//! The repositories in a project that git does not ignore, found by the walk that a snapshot makes anyway.
//!
//! Those in ignored folders (a build's downloads) belong to the build, and are not looked for. Reads names
//! and identities, and no content.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, RootedPath, Roots, Stat};

const KNOWN: usize = 5_000;
const NAMED: usize = 5;

const BARE: [&str; 4] = ["HEAD", "objects", "refs", "commondir"];

/// The repositories of a project, its own included, and the folders in which clada has a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repositories {
    by_folder: BTreeMap<PathBuf, KnownRepository>,
    more: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct KnownRepository {
    /// Its `.git`, or its `HEAD` if the folder is a repository without a work tree.
    git: Option<(u64, u64)>,
    is_bare: bool,
}

/// The repositories that a command created.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRepositories {
    /// The first of their folders, from the root.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
}

impl Repositories {
    /// Returns the folders from the root that hold a `.git` or a `.clada`.
    pub fn with_work_tree(&self) -> impl Iterator<Item = &Path> {
        self.by_folder.iter().filter(|(_, known)| !known.is_bare).map(|(folder, _)| folder.as_path())
    }

    /// Returns the folders from the root that are bare repositories.
    pub fn bare(&self) -> impl Iterator<Item = &Path> {
        self.by_folder.iter().filter(|(_, known)| known.is_bare).map(|(folder, _)| folder.as_path())
    }

    /// Returns whether there are more than are known.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.more
    }

    /// `path` is a `.git` or `.clada`.
    pub(super) fn add_owned(&mut self, top: &Path, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new(""));
        let is_git = path.file_name().is_some_and(|name| name == ".git");
        let git = is_git.then(|| identity(&top.join(path))).flatten();
        if let Some(known) = self.entry(folder) {
            known.git = known.git.or(git);
        }
    }

    pub(super) fn may_be_bare(path: &Path, stat: &Stat) -> bool {
        path.file_name().is_some_and(|name| name == BARE[0]) && stat.kind != FileKind::Directory
    }

    pub(super) fn is_told_by(path: &Path) -> bool {
        path.file_name().is_some_and(|name| BARE.iter().any(|bare| name == *bare))
    }

    /// Adds the folder that contains `path` if it is a bare repository, which its `HEAD` gives away.
    pub(super) fn add_bare(&mut self, roots: &Roots, path: &RootedPath, stat: &Stat) {
        if !Repositories::may_be_bare(path.relative(), stat) {
            return;
        }
        let absolute = roots.absolute(path);
        let there = |name: &str| absolute.with_file_name(name).symlink_metadata().is_ok();
        let [_, objects, refs, common] = BARE;
        if !(there(objects) && there(refs) || there(common)) {
            return;
        }
        let folder = path.relative().parent().unwrap_or(Path::new(""));
        if let Some(known) = self.entry(folder).filter(|known| known.git.is_none()) {
            *known = KnownRepository { git: Some((stat.dev, stat.ino)), is_bare: true };
        }
    }

    fn entry(&mut self, folder: &Path) -> Option<&mut KnownRepository> {
        if self.by_folder.len() >= KNOWN && !self.by_folder.contains_key(folder) {
            self.more = true;
            return None;
        }
        Some(self.by_folder.entry(folder.to_path_buf()).or_default())
    }

    pub(super) fn since(&self, before: &Repositories) -> NewRepositories {
        let is_new = |(folder, known): &(&PathBuf, &KnownRepository)| {
            let earlier = before.by_folder.get(*folder);
            known.git.is_some() && earlier.and_then(|earlier| earlier.git) != known.git
        };
        let mut new = NewRepositories::default();
        for (folder, _) in self.by_folder.iter().filter(is_new) {
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
    path.symlink_metadata().ok().map(|by_folder| (by_folder.dev(), by_folder.ino()))
}
