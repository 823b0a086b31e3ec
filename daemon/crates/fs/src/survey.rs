//! Reads one folder as a whole through one descriptor, for an index of a tree.
//!
//! A walk goes through a tree once and ends. An index returns to single folders, must know whether a folder
//! is still the same one, and keeps the ignore rules that were in force there. This module must not know what
//! its results are used for, nor which paths a policy denies: that is checked when something is given out.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::dir::{DirEntry, open_names};
use super::entry::stat_in;
use super::error::FsError;
use super::ignores::{IgnoreConfig, RuleLink, RuleTexts};
use super::names;
use super::path::RootedPath;
use super::root::Roots;
use super::stat::{FileKind, Stat};

/// The ignore rules in force in a folder, with those of the folders above it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct IgnoreRules {
    rules: Option<Arc<RuleLink>>,
    ignores_case: bool,
    is_git_alone: bool,
}

impl IgnoreRules {
    /// Returns whether both are the same rules, read once.
    #[must_use]
    pub fn is(&self, other: &IgnoreRules) -> bool {
        let same = match (&self.rules, &other.rules) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        same && (self.ignores_case, self.is_git_alone) == (other.ignores_case, other.is_git_alone)
    }

    /// Returns whether they leave out the entry at this path from the root, provided that
    /// its folder is not left out.
    #[must_use]
    pub fn hides(&self, way: &Path, is_folder: bool) -> bool {
        self.rules.is_some() && RuleLink::ignores(self.rules.as_ref(), way, is_folder)
    }

    /// Returns the same rules, to which `.ignore` files below add none.
    #[must_use]
    pub fn of_git_alone(self) -> IgnoreRules {
        IgnoreRules { is_git_alone: true, ..self }
    }

    /// Returns whether these, the rules of the root of `roots`, and those of the folders on the way leave out
    /// the entry at `relative` or a folder that it is in.
    #[must_use]
    pub fn hide_path(&self, roots: &Roots, relative: &Path, is_folder: bool) -> bool {
        let mut rules = self.clone();
        let mut way = PathBuf::new();
        let mut names = relative.iter().peekable();
        while let Some(name) = names.next() {
            // Where there is no folder, the rules above hold.
            let below = roots.open_folder(&way).and_then(|folder| folder.rules(roots, &rules));
            rules = below.unwrap_or(rules);
            way.push(name);
            if rules.hides(&way, is_folder || names.peek().is_some()) {
                return true;
            }
        }
        false
    }
}

/// A folder of the project that is held open.
#[derive(Debug)]
pub struct OpenFolder {
    path: RootedPath,
    folder: OwnedFd,
    stat: Stat,
}

/// Returns whether a name is that of a file with ignore rules.
#[must_use]
pub fn is_ignore_file(name: &OsStr) -> bool {
    matches!(name.as_bytes(), b".gitignore" | b".ignore")
}

/// Returns whether a name is git's, clada's or that of a temporary file of clada's, and
/// so never part of a project.
#[must_use]
pub fn is_outside(name: &OsStr) -> bool {
    matches!(name.as_bytes(), b"." | b"..") || names::is_reserved(name) || names::is_temp_name(name)
}

/// Returns whether a name is that of git's or clada's own folder, whose being there is told of a walk
/// ([`WalkOptions::owned`](super::WalkOptions::owned)).
#[must_use]
pub fn is_owned(name: &OsStr) -> bool {
    matches!(name.as_bytes(), b".git" | b".clada")
}

/// An entry of a folder that is read for all that is in it.
#[derive(Debug, Clone)]
pub struct FolderEntry {
    /// Its name.
    pub name: Box<OsStr>,
    /// Its facts; a link's are its own.
    pub stat: Stat,
    /// True if the rules leave it out.
    pub is_ignored: bool,
}

/// Everything in a folder that may be part of a project.
#[derive(Debug, Default)]
pub struct FolderContents {
    /// The entries, in the order of the names' bytes.
    pub entries: Vec<FolderEntry>,
    /// Those of the names `.git` and `.clada` that are there, too.
    pub owned: Vec<OsString>,
}

impl Roots {
    /// Opens the folder at `relative` beneath the project's root, without following a link.
    /// An empty path is the root.
    ///
    /// # Errors
    /// `file_not_found`, `not_directory` or `symlink_not_allowed` if it is not a folder.
    pub fn open_folder(&self, relative: &Path) -> Result<OpenFolder, FsError> {
        let written = relative.display().to_string();
        if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
            return Err(FsError::escape("Path is not beneath the root", written));
        }
        let path = RootedPath::new(0, relative.to_path_buf(), written);
        let fail = |errno| self.folder_error("open the directory", errno, &path);
        let folder = match self.folder(&path).map_err(fail)? {
            super::root::FolderHandle::Opened(folder) => folder,
            super::root::FolderHandle::Root(folder) => folder
                .try_clone_to_owned()
                .map_err(|error| fail(Errno::from_io_error(&error).unwrap_or(Errno::MFILE)))?,
        };
        let stat = rustix::fs::fstat(&folder).map(|raw| Stat::from_raw(&raw)).map_err(fail)?;
        Ok(OpenFolder { path, folder, stat })
    }

    /// Returns the rules that apply everywhere beneath the project's root: the user gitignore in `config`;
    /// the rules of a repository that the root lies in; and `.git/info/exclude`.
    #[must_use]
    pub fn base_rules(&self, config: &IgnoreConfig) -> IgnoreRules {
        let root = RootedPath::new(0, PathBuf::new(), String::new());
        let excludes = self.excludes_in(self.root_folder(0), &root);
        let ignores_case = config.ignores_case;
        let texts = RuleTexts { excludes, ignores_case, ..RuleTexts::default() };
        let rules = RuleLink::below(self.rules_around(0, config), 0, &texts);
        IgnoreRules { rules, ignores_case, is_git_alone: false }
    }
}

impl OpenFolder {
    /// Returns the facts about the folder itself.
    #[must_use]
    pub fn stat(&self) -> &Stat {
        &self.stat
    }

    /// Returns its descriptor; only to act relative to.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Returns the facts about the entry `name` in it; `None` if there is none.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn entry(&self, name: &OsStr) -> Result<Option<Stat>, FsError> {
        match stat_in(self.folder.as_fd(), name) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(errno) => Err(FsError::os("look at the file", errno, self.path.child(name).written())),
        }
    }

    /// Returns the rules in force in it; `above` are those of its parent folder.
    ///
    /// # Errors
    /// If an ignore file cannot be read: unknown rules must not count as no rules.
    pub fn rules(&self, roots: &Roots, above: &IgnoreRules) -> Result<IgnoreRules, FsError> {
        let git = roots.rules_file(self.folder.as_fd(), ".gitignore", &self.path)?;
        let other = match above.is_git_alone {
            true => None,
            false => roots.rules_file(self.folder.as_fd(), ".ignore", &self.path)?,
        };
        let depth = self.path.relative().iter().count();
        // The root's are among its base rules.
        let excludes = (depth > 0).then(|| roots.excludes_in(self.folder.as_fd(), &self.path)).flatten();
        let others = Vec::from_iter(other);
        let texts = RuleTexts { excludes, git, others, ignores_case: above.ignores_case };
        Ok(IgnoreRules { rules: RuleLink::below(above.rules.clone(), depth, &texts), ..*above })
    }

    /// Returns whether `rules`, those in force in this folder, leave the entry in the project.
    #[must_use]
    pub fn keeps(&self, name: &OsStr, stat: &Stat, rules: &IgnoreRules) -> bool {
        rules.rules.is_none()
            || !rules.hides(&self.path.relative().join(name), stat.kind == FileKind::Directory)
    }

    /// Returns its regular files and folders that `rules` leave in the project, in the file system's order.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn entries(&self, rules: &IgnoreRules) -> Result<Vec<DirEntry>, FsError> {
        let fail = |errno| FsError::os("list the directory", errno, self.path.written());
        let mut entries = Vec::new();
        for entry in open_names(self.folder.as_fd()).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if is_outside(name) {
                continue;
            }
            let Some(stat) = self.entry(name)? else { continue };
            if matches!(stat.kind, FileKind::File | FileKind::Directory) && self.keeps(name, &stat, rules) {
                entries.push(DirEntry { name: name.to_owned(), stat });
            }
        }
        Ok(entries)
    }

    /// Returns everything in it, in the order of the names' bytes: also what `rules` leave out, links and
    /// what is not a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn contents(&self, rules: &IgnoreRules) -> Result<FolderContents, FsError> {
        let fail = |errno| FsError::os("list the directory", errno, self.path.written());
        let mut contents = FolderContents::default();
        for entry in open_names(self.folder.as_fd()).map_err(fail)? {
            let entry = entry.map_err(fail)?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if is_owned(name) {
                contents.owned.push(name.to_owned());
            }
            if is_outside(name) {
                continue;
            }
            let Some(stat) = self.entry(name)? else { continue };
            let is_ignored = !self.keeps(name, &stat, rules);
            contents.entries.push(FolderEntry { name: name.into(), stat, is_ignored });
        }
        contents.entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        contents.owned.sort_unstable();
        Ok(contents)
    }

    /// Returns the excludes of the repository whose top it is; `None` if it is no such top.
    #[must_use]
    pub fn excludes(&self, roots: &Roots) -> Option<Vec<u8>> {
        roots.excludes_in(self.folder.as_fd(), &self.path)
    }

    /// Returns whether this machine's clock stamps each change in the folder, to a fraction of a second. On another
    /// machine the clock may differ, and FAT counts in steps of two seconds.
    #[must_use]
    pub fn has_fine_times(&self) -> bool {
        has_fine_times(self.folder.as_fd())
    }

    /// Returns whether the file system raises events for all changes in the folder. On another machine, or in
    /// another process, files can change without this kernel's doing.
    #[must_use]
    pub fn raises_events(&self) -> bool {
        raises_events(self.folder.as_fd())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn raises_events(folder: BorrowedFd<'_>) -> bool {
    /// NFS, SMB, SMB2, CIFS, FUSE, 9p, Ceph, AFS, Coda, Lustre, OCFS2, GFS2, with the numbers of `statfs`.
    const ELSEWHERE: [u32; 12] = [
        0x6969,
        0x517b,
        0xfe53_4d42,
        0xff53_4d42,
        0x6573_5546,
        0x0102_1997,
        0x00c3_6400,
        0x5346_414f,
        0x7375_7245,
        0x0bd0_0bd0,
        0x7461_636f,
        0x0116_1970,
    ];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    rustix::fs::fstatfs(folder).is_ok_and(|system| !ELSEWHERE.contains(&(system.f_type as u32)))
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn has_fine_times(folder: BorrowedFd<'_>) -> bool {
    /// ext2 to ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs, with the numbers of `statfs`.
    const FINE: [u32; 7] =
        [0xef53, 0x5846_5342, 0x9123_683e, 0xf2f5_2010, 0x2fc1_2fc1, 0xca45_1a4e, 0x0102_1994];
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    rustix::fs::fstatfs(folder).is_ok_and(|system| FINE.contains(&(system.f_type as u32)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn has_fine_times(_folder: BorrowedFd<'_>) -> bool {
    false
}

#[cfg(target_os = "macos")]
fn raises_events(folder: BorrowedFd<'_>) -> bool {
    const LOCAL: u32 = 0x1000;
    rustix::fs::fstatfs(folder).is_ok_and(|system| system.f_flags & LOCAL != 0)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "macos")))]
fn raises_events(_folder: BorrowedFd<'_>) -> bool {
    true
}
