//! Finds the files of a repository that git executes, and those that name programs or places to git.
//!
//! Lists the existing files, within bounds. Reads only the files that name further places: `.git` files,
//! `commondir`, configurations. Opens nothing that is not a regular file. Files included from the home folder
//! are the user's, and left out.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use super::content::open_file;
use super::includes;
use crate::hooks::hooks_paths;

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
/// The most paths listed for one repository, its work trees and submodules included.
const PATHS: usize = 20_000;
/// The most levels of folders entered: hooks in folders, submodules of submodules, names with slashes.
const DEPTH: usize = 12;
const BYTES: u64 = 1 << 20;

/// The files that direct git in a repository.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Obeyed {
    /// The paths, and the folders whose entries are among them.
    pub paths: BTreeSet<PathBuf>,
    /// True if the list is incomplete: it was too long, or a file names a place in a
    /// way that is not understood.
    pub cut: bool,
}

/// Returns the folders that `dot_git`, a `.git`, stands for besides itself: the repository that it names if
/// it is a file or a link, and the common folder of its work trees. They may lie anywhere.
pub fn folders(dot_git: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut folder = dot_git.to_path_buf();
    if !dot_git.symlink_metadata().is_ok_and(|stat| stat.is_dir()) {
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
    /// Adds the files that direct git in the repository of `dot_git`: a `.git`, or a folder
    /// that is a repository itself.
    pub fn add(&mut self, dot_git: &Path) {
        self.put(dot_git);
        let Some(folder) = repository_of(dot_git) else { return };
        let mut seen = BTreeSet::new();
        let is_own = dot_git.file_name() == Some(OsStr::new(".git"));
        let work_tree = if is_own { dot_git.parent().unwrap_or(dot_git) } else { dot_git };
        self.repository(&folder, work_tree, 0, &mut seen);
    }

    /// Adds `folder` and everything in it, except sample hooks, which git does not run.
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
        // A worktree names its common folder, and that one names its worktrees.
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

    fn configuration(&mut self, file: &Path, work_tree: &Path, seen: &mut BTreeSet<PathBuf>, depth: usize) {
        let file = plain(file);
        let Some(text) = text_of(&file).filter(|_| seen.insert(file.clone())) else { return };
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        for folder in hooks_paths(&String::from_utf8_lossy(&text)) {
            // Hooks in the user's home are not the project's to change.
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
                // A condition or a name that cannot be followed here: what else git reads is then not
                // known.
                None => self.cut = true,
            }
        }
    }

    fn tree(&mut self, folder: &Path, depth: usize) {
        if depth > DEPTH {
            self.cut = true;
            return;
        }
        if !self.put(folder) || !folder.symlink_metadata().is_ok_and(|stat| stat.is_dir()) {
            return;
        }
        for inner in entries(folder).filter(|inner| inner.extension() != Some(OsStr::new("sample"))) {
            self.tree(&inner, depth + 1);
        }
    }
}

fn repository_of(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.symlink_metadata().ok()?.is_dir() {
        return Some(dot_git.to_path_buf());
    }
    if dot_git.is_dir() {
        return dot_git.canonicalize().ok();
    }
    named(dot_git, "gitdir:").filter(|folder| folder.is_dir())
}

fn named(file: &Path, word: &str) -> Option<PathBuf> {
    let text = text_of(file)?;
    let name = text.strip_prefix(word.as_bytes())?.trim_ascii();
    let folder = file.parent().filter(|_| !name.is_empty())?;
    Some(plain(&folder.join(OsStr::from_bytes(name))))
}

fn text_of(file: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    open_file(&file.canonicalize().ok()?).ok()?.take(BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten().take(PATHS);
    entries.map(|entry| entry.path())
}

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
