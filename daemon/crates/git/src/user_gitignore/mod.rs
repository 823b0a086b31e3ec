//! Finds the user gitignore: the file that git's `core.excludesFile` names, for all repositories or for one,
//! or its default place. git is not run, and no part of the configuration is executed.

mod conditions;
mod config_entries;

use std::path::{Path, PathBuf};

use self::conditions::Condition;
pub(crate) use self::config_entries::{ConfigEntry, entries};
use clada_fs::Roots;

use crate::hooks::read;

/// The most files that a configuration includes, directly and through others.
const MAX_FILES: usize = 100;

/// The depth to which files include each other, as in git.
const MAX_DEPTH: usize = 10;

/// A user, and the places where git keeps that user's configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitUser {
    /// The home folder.
    pub home: PathBuf,
    /// `$XDG_CONFIG_HOME` or its default.
    pub configuration: PathBuf,
}

/// The place of the user gitignore.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UserGitignore {
    /// The file, which may not exist.
    file: Option<PathBuf>,
    /// Every file that the place depends on, and the file itself.
    pub origins: Vec<PathBuf>,
}

impl UserGitignore {
    /// Finds the user gitignore of `user` in the project of `roots`.
    pub fn find(user: Option<&GitUser>, roots: &Roots) -> UserGitignore {
        let Some(user) = user else { return UserGitignore::default() };
        let git = roots.git_index().and_then(|(index, _)| Some(index.parent()?.to_path_buf()));
        let mut search = Search::new(user, git);
        let folder = user.configuration.join("git");
        search.take_in_user();
        if let Some(repository) = roots.git_configuration() {
            search.take_in(&repository, 0);
        }
        if let Some(git) = search.git.clone().filter(|_| search.in_worktree) {
            search.take_in(&git.join("config.worktree"), 0);
        }
        let named = search.named.unwrap_or_else(|| folder.join("ignore"));
        // git resolves a relative path from the top of the work tree. Homes of other users
        // (`~name`) are not known here.
        let top = roots.git_top().filter(|_| search.git.is_some());
        let file = match top {
            _ if named.as_os_str().is_empty() || named.to_string_lossy().starts_with('~') => None,
            Some(top) => Some(top.join(named)),
            None => Some(named).filter(|file| file.is_absolute()),
        };
        let mut origins = search.origins;
        origins.extend(file.clone());
        UserGitignore { file, origins }
    }

    /// Reads the file, if it exists.
    pub fn content(&self) -> Option<Vec<u8>> {
        read(self.file.as_ref()?).map(String::into_bytes)
    }
}

/// Returns every entry of the configuration of the system and of `user` that applies to the repository of
/// the folder `git`, in order: the later ones win. The repository's own entries are not among them.
pub(crate) fn entries_of(user: &GitUser, git: &Path) -> Vec<ConfigEntry> {
    let mut search = Search::new(user, Some(git.to_path_buf()));
    search.kept = Some(Vec::new());
    search.take_in(Path::new("/etc/gitconfig"), 0);
    search.take_in_user();
    search.kept.unwrap_or_default()
}

/// Returns the file that a value of the user's configuration names, in a work tree that begins at `top`.
pub(crate) fn file_of(user: &GitUser, value: &str, top: &Path) -> PathBuf {
    conditions::file(value, top, &user.home)
}

/// A walk through the files of a configuration; the later ones win.
struct Search<'a> {
    user: &'a GitUser,
    /// The repository's own folder.
    git: Option<PathBuf>,
    /// The value of `core.excludesFile`. An empty one means that there is no such file.
    named: Option<PathBuf>,
    /// True if a work tree has a configuration of its own.
    in_worktree: bool,
    origins: Vec<PathBuf>,
    /// The entries themselves, if they are collected.
    kept: Option<Vec<ConfigEntry>>,
}

impl<'a> Search<'a> {
    fn new(user: &'a GitUser, git: Option<PathBuf>) -> Search<'a> {
        Search { user, git, named: None, in_worktree: false, origins: Vec::new(), kept: None }
    }

    fn take_in_user(&mut self) {
        self.take_in(&self.user.configuration.join("git/config"), 0);
        self.take_in(&self.user.home.join(".gitconfig"), 0);
    }

    fn take_in(&mut self, file: &Path, depth: usize) {
        if depth > MAX_DEPTH || self.origins.len() >= MAX_FILES {
            return;
        }
        self.origins.push(file.to_path_buf());
        let Some(text) = read(file) else { return };
        let folder_of_file = file.parent().unwrap_or(Path::new("/"));
        for entry in entries(&text) {
            if let Some(kept) = &mut self.kept {
                kept.push(entry.clone());
            }
            let ConfigEntry { section, subsection, key, value } = entry;
            match (section.as_str(), subsection, key.as_str(), value) {
                ("core", None, "excludesfile", Some(named)) => {
                    // The start of a relative path is known only when everything has been read.
                    self.named = Some(conditions::file(&named, Path::new(""), &self.user.home));
                }
                ("extensions", None, "worktreeconfig", value) => {
                    let value = value.map(|value| value.to_ascii_lowercase());
                    self.in_worktree = matches!(value.as_deref(), None | Some("true" | "yes" | "on" | "1"));
                }
                ("include", None, "path", Some(named)) => {
                    self.take_in(&conditions::file(&named, folder_of_file, &self.user.home), depth + 1);
                }
                ("includeif", Some(condition), "path", Some(named))
                    if self.holds(&condition, folder_of_file) =>
                {
                    self.take_in(&conditions::file(&named, folder_of_file, &self.user.home), depth + 1);
                }
                _ => {}
            }
        }
    }

    fn holds(&mut self, condition: &str, folder_of_file: &Path) -> bool {
        let Some(git) = &self.git else { return false };
        match Condition::parse(condition) {
            Some(Condition::Folder { pattern, any_case }) => {
                conditions::folder_matches(git, pattern, any_case, folder_of_file, &self.user.home)
            }
            Some(Condition::Branch(pattern)) => {
                let head = git.join("HEAD");
                let text = read(&head).unwrap_or_default();
                if !self.origins.contains(&head) {
                    self.origins.push(head);
                }
                conditions::branch(&text).is_some_and(|branch| conditions::branch_matches(branch, pattern))
            }
            None => false,
        }
    }
}
