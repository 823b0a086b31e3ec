//! Finds everything in the work tree that differs from HEAD, for users who want it
//! committed before an operation.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_fs::Symlinks;
use git2::{Repository, Status, StatusOptions};

use super::content::{RULES, is_file_or_nothing};
use super::error::{Doing, GitError};
use super::repository::GitRepository;

impl GitRepository {
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

fn statuses(repository: &Repository, folder: &Path) -> Result<Vec<(PathBuf, Status)>, GitError> {
    refuse_endless_rules(folder)?;
    let mut options = StatusOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true).exclude_submodules(true).no_refresh(true);
    options.include_ignored(true);
    let statuses = repository.statuses(Some(&mut options)).doing("look for what is dirty")?;
    let changed = statuses.iter().filter(|entry| entry.status() != Status::CURRENT);
    Ok(changed.map(|entry| (OsStr::from_bytes(entry.path_bytes()).into(), entry.status())).collect())
}

fn refuse_endless_rules(folder: &Path) -> Result<(), GitError> {
    let (path, why) = match endless_rules(folder) {
        None => return Ok(()),
        Some(EndlessRules::NotAFile(path)) => (path, "is no file"),
        Some(EndlessRules::Costly(path)) => (path, "has rules with too many wildcards to be matched in time"),
    };
    let message = format!("'{}' {why}, so git cannot tell what is dirty", path.display());
    Err(GitError::refused(message, "change or remove it, or set git.before to touched"))
}

/// libgit2 might not come to an end with it; nothing can stop it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum EndlessRules {
    /// Not a file: it would wait for ever for a named pipe.
    NotAFile(PathBuf),
    /// Its patterns take longer the more wildcards they have, to the power of their number.
    Costly(PathBuf),
}

/// The most `**` in a line of a file of rules, the most wildcards in one, and the most in a file.
const MOST_WILDCARDS: (usize, usize, usize) = (6, 16, 10_000);
const MOST_RULES: u64 = 1 << 20;

fn are_costly(path: &Path) -> bool {
    let Ok(text) = clada_fs::read_regular(path, Symlinks::Follow, MOST_RULES) else {
        return path.metadata().is_ok_and(|metadata| metadata.len() > MOST_RULES);
    };
    let (double, of_line, of_file) = MOST_WILDCARDS;
    let mut all = 0;
    text.split(|byte| *byte == b'\n').any(|line| {
        let wildcards = line.iter().filter(|byte| matches!(byte, b'*' | b'?' | b'[')).count();
        all += wildcards;
        let doubles = line.windows(2).filter(|pair| pair == b"**").count();
        doubles > double || wildcards > of_line + 2 * double || all > of_file
    })
}

pub(super) fn endless_rules(folder: &Path) -> Option<EndlessRules> {
    let modules = folder.join(".gitmodules");
    if !is_file_or_nothing(&modules) {
        return Some(EndlessRules::NotAFile(modules));
    }
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for rules in RULES.map(|name| folder.join(name)) {
            if !is_file_or_nothing(&rules) {
                return Some(EndlessRules::NotAFile(rules));
            }
            if are_costly(&rules) {
                return Some(EndlessRules::Costly(rules));
            }
        }
        let Ok(entries) = folder.read_dir() else { continue };
        let inner = entries
            .flatten()
            .filter(|entry| entry.file_name() != ".git" && entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.extend(inner.map(|entry| entry.path()));
    }
    None
}
