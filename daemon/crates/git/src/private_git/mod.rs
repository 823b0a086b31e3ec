//! Makes a private git folder for a read-only command, so that git reads the contents of the project's own
//! repository and runs nothing of it.
//!
//! A repository's configuration can name programs to run and folders to read, and a `.git` can be a file
//! that leads anywhere. So git is not given the repository but a folder (`GIT_DIR`). In it, `HEAD` and
//! similar files are copies; refs, logs and objects are links to the real ones; the configuration is
//! rewritten from a list of harmless keys (`keys`). Everything linked has been checked (`checked`):
//! nothing of it leads out of the project, or out of the repository of which the project is a linked
//! worktree or a submodule (`located`).
//!
//! Knows neither actions nor approval, starts nothing, and writes only into the folder that it is given.

mod checked;
mod keys;
mod located;
mod mirror;
mod region;
mod unfit;

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

pub use self::region::Located;
pub use self::unfit::Unfit;
use crate::user_gitignore::GitUser;

/// A finished private folder, and the variables that point git at it.
#[derive(Debug)]
pub struct PrivateGit {
    /// Variables that replace all others of git's.
    pub environment: Vec<(OsString, OsString)>,
    /// Folders outside the project that git reads through the links.
    pub outside: Vec<PathBuf>,
}

/// Returns the place outside the work tree that begins at `top` to which git would write through a link, or
/// through a file that names a folder; `None` if there is no such place.
pub(crate) fn leads_elsewhere(top: &Path) -> Option<PathBuf> {
    let leads_out = Located::without_check(top).and_then(|located| match located {
        Some(located) => checked::what_is_written(&located),
        None => Ok(()),
    });
    match leads_out {
        Err(Unfit::Outside { to, .. }) => Some(to),
        _ => None,
    }
}

/// Makes the private folder of `located` in `scratch`, an empty folder of clada's own.
///
/// # Errors
/// If the repository must not be read without asking, or the folder cannot be made.
pub fn make(located: &Located, user: Option<&GitUser>, scratch: &Path) -> Result<PrivateGit, Unfit> {
    let kept_config = keys::KeptConfig::read(located, user)?;
    let folder = mirror::make(located, &kept_config, scratch)?;
    let mut environment = vec![(OsString::from("GIT_DIR"), folder.into_os_string())];
    if !kept_config.is_bare {
        environment.push(("GIT_WORK_TREE".into(), located.top.clone().into_os_string()));
    }
    environment.extend(alone(scratch));
    let outside = located.outside.iter().cloned().collect();
    Ok(PrivateGit { environment, outside })
}

/// Returns the variables that keep git from every configuration except that of the folder which it is given.
pub fn alone(scratch: &Path) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_ATTR_NOSYSTEM", "1"),
    ]
    .map(|(name, value)| (OsString::from(name), OsString::from(value)))
    .into();
    for name in ["HOME", "XDG_CONFIG_HOME"] {
        environment.push((name.into(), scratch.as_os_str().to_owned()));
    }
    environment
}

#[cfg(test)]
mod tests;

const MAX_PIPE_NAMES: usize = 1_000_000;

const READ_FILES: [&[u8]; 5] = [b".git", b".gitattributes", b".gitignore", b".gitmodules", b".mailmap"];

/// Returns the first pipe below `root` that git opens, and would wait for for ever; also in repositories there, of which
/// git opens some files to recognise them.
///
/// To visit every folder before each command would cost as much as the command. So the search starts only when a command
/// takes longer than such a command usually does.
pub fn waited_for(root: &Path) -> Option<PathBuf> {
    let mut folders = vec![root.to_path_buf()];
    let mut remaining_names = MAX_PIPE_NAMES;
    while let Some(folder) = folders.pop() {
        let of_git = folder.file_name().is_some_and(|name| name == ".git");
        let Ok(entries) = folder.read_dir() else { continue };
        for entry in entries.flatten() {
            remaining_names = remaining_names.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_fifo() && (of_git || READ_FILES.contains(&entry.file_name().as_bytes())) {
                return Some(entry.path());
            }
            // git opens only files at the top of such a repository, to recognise it.
            if kind.is_dir() && !of_git {
                folders.push(entry.path());
            }
        }
    }
    None
}
