//! Finds everything in the work tree that differs from HEAD, for users who want it
//! committed before an operation.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::{Repository, Status, StatusOptions};

use super::content::{RULES, is_file_or_nothing};
use super::discover::GitRepository;
use super::error::{Doing, GitError};

impl GitRepository {
    /// Returns the paths, relative to the work tree, of all files that are dirty and not ignored,
    /// without those of submodules.
    pub(super) fn dirty(&self) -> Result<Vec<PathBuf>, GitError> {
        let mut files = Vec::new();
        // libgit2 takes files for ignored that are not; only what it ignores is looked at again.
        for (path, status) in statuses(&self.repository, &self.folder)? {
            let is_folder = path.as_os_str().as_bytes().ends_with(b"/");
            match status.contains(Status::IGNORED) {
                true if is_folder => {
                    files.extend(self.not_ignored_in(&path.components().collect::<PathBuf>())?)
                }
                true if !self.is_ignored(&path) => files.push(path),
                true => {}
                // Such a folder is a repository of its own.
                false if is_folder => {}
                false if status.contains(Status::WT_NEW) && self.is_ignored(&path) => {}
                false => files.push(path),
            }
        }
        Ok(files)
    }
}

/// Returns what differs from HEAD, with what libgit2 takes for ignored.
fn statuses(repository: &Repository, folder: &Path) -> Result<Vec<(PathBuf, Status)>, GitError> {
    refuse_pipes(folder)?;
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).exclude_submodules(true).no_refresh(true);
    options.include_ignored(true);
    let statuses = repository.statuses(Some(&mut options)).doing("look for what is dirty")?;
    let found = statuses.iter().filter(|entry| entry.status() != Status::CURRENT);
    Ok(found.map(|entry| (OsStr::from_bytes(entry.path_bytes()).into(), entry.status())).collect())
}

fn refuse_pipes(folder: &Path) -> Result<(), GitError> {
    match pipe_among_rules(folder) {
        None => Ok(()),
        Some(pipe) => Err(GitError::refused(
            format!("'{}' is no file, so git cannot tell what is dirty", pipe.display()),
            "remove it, or set git.before to touched",
        )),
    }
}

/// Returns the first file of rules in the work tree in `folder` that is not a file: libgit2 reads those of
/// each folder, and would wait for ever for a named pipe.
pub(super) fn pipe_among_rules(folder: &Path) -> Option<PathBuf> {
    let modules = folder.join(".gitmodules");
    if !is_file_or_nothing(&modules) {
        return Some(modules);
    }
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut rules = RULES.map(|name| folder.join(name)).into_iter();
        if let Some(pipe) = rules.find(|rules| !is_file_or_nothing(rules)) {
            return Some(pipe);
        }
        let Ok(entries) = folder.read_dir() else { continue };
        let inner = entries
            .flatten()
            .filter(|entry| entry.file_name() != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| entry.path()));
    }
    None
}
