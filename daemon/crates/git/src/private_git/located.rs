//! Finds the repository that a folder of the project lies in, as git does, and determines
//! whether it is the project's own.
//!
//! A repository in the project is the project's own. One elsewhere is its own if that repository says so
//! itself: the folder of a linked worktree whose `gitdir` names this work tree, or the folder of a submodule
//! whose `core.worktree` does. Nothing in the project could have made it say that.

use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, read_regular};

use super::region::Located;
use super::unfit::Unfit;
use super::{checked, keys};

const MAX_NAME: u64 = 64 << 10;

impl Located {
    /// Finds the repository that `folder`, a folder at or below `root`, lies in. Searches no further up
    /// than `root`. Returns `None` if there is none, or if `folder` is a bare repository itself, which
    /// git is made to pass over.
    ///
    /// # Errors
    /// If git would read files that are not the project's.
    pub fn find(folder: &Path, root: &Path) -> Result<Option<Located>, Unfit> {
        let root = &root.canonicalize().map_err(Unfit::io(root))?;
        let folder = folder.canonicalize().map_err(Unfit::io(folder))?;
        for top in folder.ancestors().take_while(|above| above.starts_with(root)) {
            if let Some(located) = Located::at(top, root)? {
                located.check()?;
                return Ok(Some(located));
            }
            if is_repository(top) {
                return Ok(None);
            }
        }
        Ok(None)
    }

    pub(super) fn without_check(top: &Path) -> Result<Option<Located>, Unfit> {
        let top = top.canonicalize().map_err(Unfit::io(top))?;
        Located::at(&top, &top)
    }

    /// Returns the repository whose work tree begins at `top`; `None` where git searches further up.
    fn at(top: &Path, root: &Path) -> Result<Option<Located>, Unfit> {
        let dot_git = top.join(".git");
        let Ok(named) = dot_git.symlink_metadata() else { return Ok(None) };
        let Ok(kind) = dot_git.metadata() else { return Ok(None) };
        let own = if kind.is_dir() {
            dot_git.clone()
        } else if !kind.is_file() {
            return Err(Unfit::Special(dot_git));
        } else if named.is_symlink() {
            return Err(Unfit::Unknown("a symbolic link as its .git file".to_owned()));
        } else {
            let text = read_regular(&dot_git, Symlinks::Refuse, MAX_NAME).map_err(Unfit::io(&dot_git))?;
            let name = text.strip_prefix(b"gitdir: ").map(name_in);
            top.join(name.ok_or_else(|| Unfit::Unknown("a .git file that names no folder".to_owned()))?)
        };
        // git, too, passes over a folder that is not a repository; a file that names one has to be right.
        if !is_repository(&own) {
            return if kind.is_dir() {
                Ok(None)
            } else {
                Err(Unfit::Unknown("a .git file that names no repository".to_owned()))
            };
        }
        let own = own.canonicalize().map_err(Unfit::io(&own))?;
        let common = common_of(&own)?;
        let mut located = Located {
            top: top.to_path_buf(),
            own: own.clone(),
            common: common.clone(),
            root: root.to_path_buf(),
            outside: None,
        };
        let beyond = [&own, &common].into_iter().find(|folder| !folder.starts_with(root));
        if let Some(beyond) = beyond {
            if !located.points_back()? {
                let what = if *beyond == own { ".git" } else { ".git/commondir" };
                return Err(Unfit::Outside { what: what.to_owned(), to: beyond.clone() });
            }
            located.outside = Some(common);
        }
        Ok(Some(located))
    }

    fn points_back(&self) -> Result<bool, Unfit> {
        if self.own.starts_with(&self.root) {
            return Ok(false);
        }
        if !self.is_linked() {
            // Its configuration may be read to find out, and only then all the rest.
            let believed = Located { outside: Some(self.common.clone()), ..self.clone() };
            let names_this = |name: String| same(&self.own.join(name), &self.top);
            return Ok(keys::work_tree(&believed)?.is_some_and(names_this));
        }
        // Only a folder among that repository's worktrees can be trusted to speak for it.
        if self.own.parent() != Some(&self.common.join("worktrees")) {
            return Ok(false);
        }
        let Ok(text) = read_regular(&self.own.join("gitdir"), Symlinks::Refuse, MAX_NAME) else {
            return Ok(false);
        };
        let named = self.own.join(name_in(&text));
        Ok(named.file_name().is_some_and(|name| name == ".git")
            && named.parent().is_some_and(|top| same(top, &self.top)))
    }

    fn check(&self) -> Result<(), Unfit> {
        if let Some(name) = keys::work_tree(self)? {
            let named = self.own.join(&name);
            if !same(&named, &self.top) {
                return Err(Unfit::Outside { what: "core.worktree".to_owned(), to: named });
            }
        }
        keys::known_extensions(self)?;
        checked::everything(self)
    }
}

fn common_of(own: &Path) -> Result<PathBuf, Unfit> {
    let file = own.join("commondir");
    match file.symlink_metadata() {
        Err(_) => Ok(own.to_path_buf()),
        Ok(_) => {
            let text = read_regular(&file, Symlinks::Refuse, MAX_NAME).map_err(Unfit::io(&file))?;
            let named = own.join(name_in(&text));
            named.canonicalize().map_err(Unfit::io(&named))
        }
    }
}

fn is_repository(folder: &Path) -> bool {
    let head = folder.join("HEAD").symlink_metadata();
    let common = common_of(folder).unwrap_or_else(|_| folder.to_path_buf());
    head.is_ok_and(|head| head.is_file() || head.is_symlink())
        && ["objects", "refs"].iter().all(|name| common.join(name).is_dir())
}

fn same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn name_in(text: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    PathBuf::from(std::ffi::OsStr::from_bytes(&text[..end]))
}
