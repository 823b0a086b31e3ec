//! Finds the user gitignore: the file that git's `core.excludesFile` names, for all repositories or for one,
//! or its default place; and whether letter case counts in rules (`core.ignoreCase`). git is not run, and no part of the configuration is executed.

mod conditions;
mod config_entries;

use std::path::{Path, PathBuf};

use self::conditions::Condition;
pub(crate) use self::config_entries::{ConfigEntry, entries};
use clada_fs::{IgnoreConfig, Roots};

use crate::hooks::read;

const MAX_FILES: usize = 100;

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
    file: Option<PathBuf>,
    /// Every file that the place depends on, and the file itself.
    pub origins: Vec<PathBuf>,
    ignores_case: bool,
}

impl UserGitignore {
    /// Finds the user gitignore of `user` in the project of `roots`. Without a user, only the repository's
    /// own configuration is read, and there is no such file.
    pub fn find(user: Option<&GitUser>, roots: &Roots) -> UserGitignore {
        // No file is beneath it, so that `~/x` in the configuration is none.
        let nobody = GitUser { home: "/dev/null".into(), configuration: "/dev/null".into() };
        let (user, is_known) = (user.unwrap_or(&nobody), user.is_some());
        let git = roots.git_index().and_then(|(index, _)| Some(index.parent()?.to_path_buf()));
        let mut search = GitignoreSearch::new(user, git);
        let folder = user.configuration.join("git");
        if is_known {
            search.take_in_user();
        }
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
            _ if !is_known => None,
            _ if named.as_os_str().is_empty() || named.to_string_lossy().starts_with('~') => None,
            Some(top) => Some(top.join(named)),
            None => Some(named).filter(|file| file.is_absolute()),
        };
        let mut origins = search.origins;
        origins.extend(file.clone());
        UserGitignore { file, origins, ignores_case: search.ignores_case }
    }

    /// Reads the file, if it exists. Returns it with what else the configuration says about rules.
    #[must_use]
    pub fn config(&self) -> IgnoreConfig {
        let user_gitignore = self.file.as_ref().and_then(|file| read(file)).map(String::into_bytes);
        IgnoreConfig { user_gitignore, ignores_case: self.ignores_case }
    }
}

/// Returns every entry of the configuration of the system and of `user` that applies to the repository of
/// the folder `git`, in order: the later ones win. The repository's own entries are not among them.
pub(crate) fn entries_of(user: &GitUser, git: &Path) -> Vec<ConfigEntry> {
    let mut search = GitignoreSearch::new(user, Some(git.to_path_buf()));
    search.collected_entries = Some(Vec::new());
    search.take_in(Path::new("/etc/gitconfig"), 0);
    search.take_in_user();
    search.collected_entries.unwrap_or_default()
}

pub(crate) fn file_of(user: &GitUser, value: &str, top: &Path) -> PathBuf {
    conditions::file(value, top, &user.home)
}

/// Returns whether git takes the value of a key for true. A key alone, without a value, is true.
fn is_true(value: Option<&str>) -> bool {
    let value = value.map(str::to_ascii_lowercase);
    matches!(value.as_deref(), None | Some("true" | "yes" | "on" | "1"))
}

struct GitignoreSearch<'a> {
    user: &'a GitUser,
    git: Option<PathBuf>,
    named: Option<PathBuf>,
    in_worktree: bool,
    ignores_case: bool,
    origins: Vec<PathBuf>,
    collected_entries: Option<Vec<ConfigEntry>>,
}

impl<'a> GitignoreSearch<'a> {
    fn new(user: &'a GitUser, git: Option<PathBuf>) -> GitignoreSearch<'a> {
        let (in_worktree, ignores_case) = (false, false);
        GitignoreSearch {
            user,
            git,
            named: None,
            in_worktree,
            ignores_case,
            origins: Vec::new(),
            collected_entries: None,
        }
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
            if let Some(collected_entries) = &mut self.collected_entries {
                collected_entries.push(entry.clone());
            }
            let ConfigEntry { section, subsection, key, value } = entry;
            match (section.as_str(), subsection, key.as_str(), value) {
                ("core", None, "excludesfile", Some(named)) => {
                    // The start of a relative path is known only when everything has been read.
                    self.named = Some(conditions::file(&named, Path::new(""), &self.user.home));
                }
                ("core", None, "ignorecase", value) => self.ignores_case = is_true(value.as_deref()),
                ("extensions", None, "worktreeconfig", value) => {
                    self.in_worktree = is_true(value.as_deref());
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
