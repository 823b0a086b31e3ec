//! The files of a repository that git executes, or by which it is told what to execute or where to look.
//!
//! Lists what is there, within bounds; reads only what names further places: `.git` files, `commondir`, configurations.
//! Opens nothing that is not a regular file. What is included from the home folder is the person's, and left out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::content::open_file;
use super::includes;
use crate::hooks::hooks_paths;

/// Files of a repository, or of a work tree's or submodule's part of one.
const FILES: [&str; 9] = [
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "info/attributes",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/http-alternates",
];
/// Paths that are listed for one repository, its work trees and submodules included.
const PATHS: usize = 20_000;
/// Levels of folders that are gone into: hooks in folders, submodules of submodules, names with slashes.
const DEPTH: usize = 12;
/// Bytes of a file that names places.
const BYTES: u64 = 1 << 20;

/// What git goes by in a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Obeyed {
    /// The paths, with the folders whose entries are among them.
    pub paths: BTreeSet<PathBuf>,
    /// There is more than is listed, or something names a place in a way that is not understood.
    pub cut: bool,
}

/// Folders that `dot_git`, a `.git`, stands for besides itself: the repository that it names if it is a file or a
/// link, and the common folder of its work trees. Where they lie is not asked.
pub fn folders(dot_git: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut folder = dot_git.to_path_buf();
    if !dot_git.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        match repository_of(dot_git) {
            Some(named) => folder = named,
            None => return folders,
        }
        folders.push(folder.clone());
    }
    folders.extend(named(&folder.join("commondir"), ""));
    folders.iter().filter_map(|folder| folder.canonicalize().ok()).filter(|folder| folder.is_dir()).collect()
}

impl Obeyed {
    /// Adds what git goes by in the repository of `dot_git`: a `.git`, or a folder that is a repository itself.
    pub fn add(&mut self, dot_git: &Path) {
        self.put(dot_git);
        let Some(folder) = repository_of(dot_git) else { return };
        let mut seen = BTreeSet::new();
        let is_own = dot_git.file_name() == Some(OsStr::new(".git"));
        let work_tree = if is_own { dot_git.parent().unwrap_or(dot_git) } else { dot_git };
        self.repository(&folder, work_tree, 0, &mut seen);
    }

    /// Adds `folder` and all that is in it, but for the samples of hooks, which nobody runs.
    pub fn add_folder(&mut self, folder: &Path) {
        self.tree(folder, 0);
    }

    fn put(&mut self, path: &Path) -> bool {
        let path = plain(path);
        if self.paths.len() >= PATHS {
            self.cut = true;
            return false;
        }
        path.symlink_metadata().is_ok() && self.paths.insert(path)
    }

    fn repository(&mut self, folder: &Path, work_tree: &Path, depth: usize, seen: &mut BTreeSet<PathBuf>) {
        let folder = plain(folder);
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        if !seen.insert(folder.clone()) {
            return;
        }
        for name in FILES {
            self.put(&folder.join(name));
        }
        self.tree(&folder.join("hooks"), 0);
        for name in ["config", "config.worktree"] {
            self.configuration(&folder.join(name), work_tree, seen, 0);
        }
        if let Some(common) = named(&folder.join("commondir"), "").filter(|common| common.is_dir()) {
            self.repository(&common, work_tree, depth + 1, seen);
        }
        for inner in entries(&folder.join("worktrees")) {
            self.repository(&inner, work_tree, depth + 1, seen);
        }
        self.modules(&folder.join("modules"), depth + 1, seen);
    }

    /// Adds the repositories of submodules, whose names may have slashes.
    fn modules(&mut self, folder: &Path, depth: usize, seen: &mut BTreeSet<PathBuf>) {
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        for inner in entries(folder).filter(|inner| inner.is_dir()) {
            match ["HEAD", "config"].iter().any(|name| inner.join(name).symlink_metadata().is_ok()) {
                true => self.repository(&inner, &inner, depth, seen),
                false => self.modules(&inner, depth + 1, seen),
            }
        }
    }

    /// Adds what a configuration includes, and the hooks that it names.
    fn configuration(&mut self, file: &Path, work_tree: &Path, seen: &mut BTreeSet<PathBuf>, depth: usize) {
        let file = plain(file);
        let Some(text) = text_of(&file).filter(|_| seen.insert(file.clone())) else { return };
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        for folder in hooks_paths(&String::from_utf8_lossy(&text)) {
            if !folder.starts_with('~') {
                self.tree(&work_tree.join(folder), 0);
            }
        }
        let folder = file.parent().unwrap_or(Path::new("/"));
        for name in includes::included(&text) {
            match name {
                Some(name) if name.starts_with(b"~") => {}
                Some(name) => {
                    let named = folder.join(OsStr::from_bytes(name));
                    self.put(&named);
                    self.configuration(&named, work_tree, seen, depth + 1);
                }
                None => self.cut = true,
            }
        }
    }

    fn tree(&mut self, folder: &Path, depth: usize) {
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        if !self.put(folder) || !folder.symlink_metadata().is_ok_and(|found| found.is_dir()) {
            return;
        }
        for inner in entries(folder).filter(|inner| inner.extension() != Some(OsStr::new("sample"))) {
            self.tree(&inner, depth + 1);
        }
    }
}

/// The folder of the repository that `dot_git` is or names.
fn repository_of(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.symlink_metadata().ok()?.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    if dot_git.is_dir() {
        return dot_git.canonicalize().ok();
    }
    named(dot_git, "gitdir:").filter(|folder| folder.is_dir())
}

/// The place that a file names after `word`.
fn named(file: &Path, word: &str) -> Option<PathBuf> {
    let text = text_of(file)?;
    let name = text.strip_prefix(word.as_bytes())?.trim_ascii();
    let folder = file.parent().filter(|_| !name.is_empty())?;
    Some(plain(&folder.join(OsStr::from_bytes(name))))
}

/// What is in a regular file, or in one that a link leads to.
fn text_of(file: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    open_file(&file.canonicalize().ok()?).ok()?.take(BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(PATHS);
    entries.map(|entry| entry.path())
}

/// The path without `.` and `..`, as far as names tell.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}
