//! Tests of the crate as a whole, on real trees in temporary folders.
//!
//! All of them pass as root and as a normal user; a test that needs the other one
//! reports that it was not run.

// The trees are made and checked without the code under test.
#![allow(clippy::disallowed_methods)]

mod confinement;
mod folders;
mod injected;
mod locking;
mod mounts;
mod moving;
#[cfg(target_os = "linux")]
mod racing;
mod reading;
mod replacing;
mod resolving;
mod sources;
mod walking;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::*;

/// A project and a place outside it.
pub(super) struct Tree {
    _dir: tempfile::TempDir,
    pub(super) project: PathBuf,
    pub(super) outside: PathBuf,
}

impl Tree {
    pub(super) fn new() -> Tree {
        Tree::in_dir(tempfile::tempdir().unwrap())
    }

    /// Makes a tree in memory where the system offers it, for tests that make very many changes.
    pub(super) fn in_memory() -> Tree {
        Tree::in_dir(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn in_dir(dir: tempfile::TempDir) -> Tree {
        let base = dir.path().canonicalize().unwrap();
        let tree = Tree { _dir: dir, project: base.join("project"), outside: base.join("outside") };
        fs::create_dir(&tree.project).unwrap();
        fs::create_dir(&tree.outside).unwrap();
        tree
    }

    pub(super) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.project.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub(super) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.project.join(name)).unwrap()
    }

    pub(super) fn roots(&self, options: Options) -> Roots {
        Roots::open(&self.project, &[], &[], policy(), options).unwrap()
    }

    /// Opens the roots with durability fast, for tests of other features.
    pub(super) fn fast(&self) -> Roots {
        self.roots(fast())
    }

    pub(super) fn temp_files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let mut folders = vec![self.project.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else if is_temp_name(&entry.file_name()) {
                    found.push(entry.path());
                }
            }
        }
        found
    }
}

/// Returns the globs in force when no configuration sets others.
pub(super) fn default_globs() -> PolicyGlobs {
    use clada_config::{DEFAULT_ASK, DEFAULT_DENIED, DEFAULT_SECRETS, why_asked};
    let owned = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
    PolicyGlobs {
        denied: owned(DEFAULT_DENIED),
        secrets: owned(DEFAULT_SECRETS),
        ask: DEFAULT_ASK.iter().map(|(glob, _)| (*glob).to_owned()).collect(),
        why_asked,
    }
}

/// The policy of the globs by default, which is compiled once for all tests.
pub(super) fn policy() -> PathPolicy {
    static COMPILED: LazyLock<PathPolicy> = LazyLock::new(|| PathPolicy::new(&default_globs()).unwrap());
    COMPILED.clone()
}

pub(super) fn fast() -> Options {
    Options { durability: Durability::Fast, ..Options::default() }
}

pub(super) const BACKENDS: [Backend; 2] = [Backend::Detect, Backend::CapStd];

/// Not every system has a call for it.
pub(super) fn make_fifo(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

pub(super) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

pub(super) fn at(roots: &Roots, path: &str) -> RootedPath {
    roots.resolve(path).unwrap()
}

pub(super) fn mode_of(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

pub(super) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}
