//! `realpath`: paths without links and dots, as far as they lie in a root.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_exec::words::{Existing, Links};
use clada_fs::{FsError, RootedPath};

use super::reading::{CommandReading, missing, reason};
use crate::failure::Failure;

impl CommandReading<'_> {
    pub(super) fn realpath(
        &mut self,
        existing: Existing,
        links: Links,
        relative_to: Option<&str>,
        paths: &[(String, RootedPath)],
    ) -> Result<(), Failure> {
        let base = match relative_to {
            None => None,
            Some(written) => {
                let path = self.path_of(written)?;
                Some(self.real(&path, existing, links)?.ok_or_else(|| missing(&path))?)
            }
        };
        let (mut printed, mut failure) = (false, None);
        for (written, path) in paths {
            let real = match self.real(path, existing, links) {
                Ok(Some(real)) => real,
                Ok(None) => {
                    failure.get_or_insert_with(|| missing(path));
                    self.no_real_path(written, "No such file or directory");
                    continue;
                }
                Err(error) => {
                    self.no_real_path(written, reason(&error));
                    failure.get_or_insert_with(|| error.into());
                    continue;
                }
            };
            let real = base.as_deref().map_or_else(|| real.clone(), |base| way(base, &real));
            printed = true;
            self.out.say(&[real.as_os_str().as_bytes(), b"\n"].concat());
        }
        // The action fails only if nothing was resolved at all; else the output and its status say what is
        // missing.
        match (printed, failure) {
            (false, Some(failure)) => Err(failure),
            _ => Ok(()),
        }
    }

    fn no_real_path(&mut self, written: &str, reason: &str) {
        self.out.complain(&format!("realpath: {written}: {reason}"));
        self.out.status(1);
    }

    /// Returns `path` resolved; `None` if something of it is not there that has to be.
    fn real(&self, path: &RootedPath, existing: Existing, links: Links) -> Result<Option<PathBuf>, FsError> {
        let is_there = |path: &RootedPath| -> Result<bool, FsError> {
            match links {
                Links::Names => Ok(self.roots.lstat(path)?.is_some()),
                Links::Followed => match self.roots.follow(path) {
                    Ok(_) => Ok(true),
                    Err(error) if matches!(error.code(), "ENOENT" | "ENOTDIR") => Ok(false),
                    Err(error) => Err(error),
                },
            }
        };
        // The deepest part of it that is there, and the names after it.
        let mut here = path.clone();
        let mut after = Vec::new();
        while !is_there(&here)? {
            let least = match existing {
                Existing::All => 0,
                Existing::Parent => 1,
                Existing::Nothing => usize::MAX,
            };
            // Where a link leads that leads to nothing is not told.
            let dangles = links == Links::Followed && self.roots.lstat(&here)?.is_some();
            let (Some(above), Some(name)) = (here.parent(), here.file_name()) else { return Ok(None) };
            if after.len() >= least || dangles {
                return Ok(None);
            }
            after.push(name.to_owned());
            here = above;
        }
        let here = if links == Links::Followed { self.roots.follow(&here)? } else { here };
        let root = self.roots.paths().nth(here.root()).map(Path::to_path_buf).unwrap_or_default();
        let mut real: PathBuf = root.components().chain(here.relative().components()).collect();
        real.extend(after.into_iter().rev());
        Ok(Some(real))
    }
}

fn way(base: &Path, path: &Path) -> PathBuf {
    let shared = base.components().zip(path.components()).take_while(|(one, other)| one == other).count();
    let up = base.components().skip(shared).map(|_| std::path::Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    if way.as_os_str().is_empty() { PathBuf::from(".") } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_go_up_and_down() {
        for (base, path, shown) in
            [("/a", "/a/b", "b"), ("/a/b", "/a/c/d", "../c/d"), ("/a", "/a", "."), ("/", "/x", "x")]
        {
            assert_eq!(way(Path::new(base), Path::new(path)), Path::new(shown));
        }
    }
}
