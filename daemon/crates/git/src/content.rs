//! The contents that an operation changes: as the caller passes them in, and as git stores them.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{Symlinks, open_regular};
use git2::{AttrCheckFlags, AttrValue, IndexEntryExtendedFlag, Oid, Tree};

use super::entry_flags::is_hidden;
use super::error::{Doing, GitError};
use super::repository::GitRepository;

const EXECUTABLE: u32 = 0o100_755;
const PLAIN: u32 = 0o100_644;
const LINK: u32 = 0o120_000;
const SUBMODULE: u32 = 0o160_000;

/// The attributes of files that git converts in a way that libgit2 does not.
pub(super) const CONVERTING: [&str; 2] = ["filter", "working-tree-encoding"];

/// The names of the files in each folder from which git reads rules for that folder's files.
pub(super) const RULES: [&str; 2] = [".gitignore", ".gitattributes"];

/// The content at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A regular file.
    File {
        /// The whole content.
        bytes: Arc<[u8]>,
        /// True if its owner may execute it.
        executable: bool,
    },
    /// A symbolic link with this target.
    Link(Vec<u8>),
    /// A regular file that is too large to be held in memory. It is read when it is committed.
    OnDisk {
        /// True if its owner may execute it.
        executable: bool,
    },
}

/// A path that an operation changes. Anything but a file or a link counts as absent,
/// since git does not store it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Absolute and resolved.
    pub path: PathBuf,
    /// The content before the operation.
    pub before: Option<Content>,
    /// The content after the operation.
    pub after: Option<Content>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StoredContent {
    pub(super) id: Oid,
    pub(super) mode: u32,
}

impl StoredContent {
    pub(super) fn is_submodule(self) -> bool {
        self.mode == SUBMODULE
    }

    pub(super) fn is_link(self) -> bool {
        self.mode == LINK
    }

    pub(super) fn is_executable(self) -> bool {
        self.mode == EXECUTABLE
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LeftOut {
    Outside,
    Submodule,
    Filter,
    Ignored,
    NoRules,
    Hidden,
    /// It is held back as a secret, and git does not have it.
    Secret,
}

impl GitRepository {
    pub(super) fn place<'p>(&self, path: &'p Path, head: Option<&Tree<'_>>) -> Result<&'p Path, LeftOut> {
        let relative = path.strip_prefix(&self.folder).map_err(|_| LeftOut::Outside)?;
        let tracked = |path: &Path| self.tracked(path, head);
        if !self.rules_are_files(relative) {
            return Err(LeftOut::NoRules);
        }
        for parent in relative.ancestors().skip(1).filter(|parent| !parent.as_os_str().is_empty()) {
            let is_submodule = tracked(parent).is_some_and(StoredContent::is_submodule);
            if is_submodule || self.folder.join(parent).join(".git").symlink_metadata().is_ok() {
                return Err(LeftOut::Submodule);
            }
        }
        let tracked_content = tracked(relative);
        if tracked_content.is_some_and(StoredContent::is_submodule) {
            return Err(LeftOut::Submodule);
        }
        if self.is_converted(relative) {
            return Err(LeftOut::Filter);
        }
        if self.repository.index().is_ok_and(|index| is_hidden(&index, relative)) {
            return Err(LeftOut::Hidden);
        }
        // git does the same: a tracked file is never ignored, whatever the rules are.
        let ignored = tracked_content.is_none() && self.is_ignored(relative);
        if ignored {
            Err(LeftOut::Ignored)
        } else if !self.has_content(relative, head) && (self.is_secret(path) || self.is_name_of_secret(path))
        {
            Err(LeftOut::Secret)
        } else {
            Ok(relative)
        }
    }

    fn rules_are_files(&self, path: &Path) -> bool {
        let info = self.repository.commondir().join("info");
        let folders = path.ancestors().skip(1).map(|folder| self.folder.join(folder));
        folders
            .flat_map(|folder| RULES.map(|name| folder.join(name)))
            .chain(["exclude", "attributes"].map(|name| info.join(name)))
            .all(|rules| is_file_or_nothing(&rules))
    }

    fn tracked(&self, path: &Path, head: Option<&Tree<'_>>) -> Option<StoredContent> {
        let in_head = head.and_then(|tree| entry_of(tree, path));
        in_head.or_else(|| {
            let index = self.repository.index().ok()?;
            index.get_path(path, 0).map(|entry| StoredContent { id: entry.id, mode: entry.mode })
        })
    }

    fn has_content(&self, path: &Path, head: Option<&Tree<'_>>) -> bool {
        let is_staged = || {
            let entry = self.repository.index().ok().and_then(|index| index.get_path(path, 0));
            entry.is_some_and(|entry| {
                !IndexEntryExtendedFlag::from_bits_truncate(entry.flags_extended)
                    .contains(IndexEntryExtendedFlag::INTENT_TO_ADD)
            })
        };
        head.is_some_and(|tree| entry_of(tree, path).is_some()) || is_staged()
    }

    /// Returns whether git would run a program to convert the file, or convert it in a way that libgit2 does
    /// not know. Returns true if this cannot be found out.
    pub(super) fn is_converted(&self, path: &Path) -> bool {
        CONVERTING.iter().any(|name| {
            match self.repository.get_attr_bytes(path, name, AttrCheckFlags::FILE_THEN_INDEX) {
                Ok(value) => {
                    matches!(AttrValue::always_bytes(value), AttrValue::Bytes(_) | AttrValue::String(_))
                }
                Err(_) => true,
            }
        })
    }

    pub(super) fn enter(
        &self,
        path: &Path,
        content: &Content,
        known: Option<StoredContent>,
    ) -> Result<StoredContent, GitError> {
        let doing = "keep a file's content";
        let mode = |executable: bool| self.mode_of(executable, known);
        match content {
            Content::Link(target) => {
                Ok(StoredContent { id: self.repository.blob(target).doing(doing)?, mode: LINK })
            }
            Content::File { bytes, executable } if !may_be_normalised(bytes) => {
                Ok(StoredContent { id: self.repository.blob(bytes).doing(doing)?, mode: mode(*executable) })
            }
            Content::File { bytes, executable } => {
                let id = self.stream(path, |writer| writer.write_all(bytes))?;
                Ok(StoredContent { id, mode: mode(*executable) })
            }
            Content::OnDisk { executable } => {
                let id = self.stream(path, |writer| {
                    let mut file = open_file(&self.folder.join(path))?;
                    std::io::copy(&mut file, writer).map(drop)
                })?;
                Ok(StoredContent { id, mode: mode(*executable) })
            }
        }
    }

    pub(super) fn mode_of(&self, executable: bool, known: Option<StoredContent>) -> u32 {
        match known {
            // The file system does not record the mode, so the committed one is kept.
            Some(known) if !self.config_bool("core.filemode", true) && known.mode != LINK => known.mode,
            None if !self.config_bool("core.filemode", true) => PLAIN,
            _ if executable => EXECUTABLE,
            _ => PLAIN,
        }
    }

    /// Returns whether the attributes of the file at `path`, relative to the folder `root` of the work tree, give it CRLF
    /// in the work tree; `None`: they say nothing of it.
    #[must_use]
    pub fn has_crlf(&self, root: &Path, path: &Path) -> Option<bool> {
        let path = root.strip_prefix(&self.folder).ok()?.join(path);
        if !self.rules_are_files(&path) {
            return None;
        }
        match self.repository.get_attr(&path, "eol", AttrCheckFlags::FILE_THEN_INDEX).ok()?? {
            "crlf" => Some(true),
            "lf" => Some(false),
            _ => None,
        }
    }

    fn stream(
        &self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<Oid, GitError> {
        let doing = "keep a file's content";
        let mut writer = self.repository.blob_writer(Some(path)).doing(doing)?;
        fill(&mut writer).map_err(|error| GitError::io(doing, self.folder.join(path), error))?;
        writer.commit().doing(doing)
    }

    pub(super) fn on_disk(&self, path: &Path) -> Result<Option<Content>, GitError> {
        let path = self.folder.join(path);
        let failed = |error: std::io::Error| GitError::io("read a file", &path, error);
        match path.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() => {
                let target = std::fs::read_link(&path).map_err(failed)?;
                Ok(Some(Content::Link(target.into_os_string().into_encoded_bytes())))
            }
            Ok(metadata) if metadata.is_file() => {
                Ok(Some(Content::OnDisk { executable: metadata.mode() & 0o100 != 0 }))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

pub(super) fn entry_of(tree: &Tree<'_>, path: &Path) -> Option<StoredContent> {
    let entry = tree.get_path(path).ok()?;
    let mode = u32::try_from(entry.filemode()).ok()?;
    (entry.kind() != Some(git2::ObjectType::Tree)).then(|| StoredContent { id: entry.id(), mode })
}

/// Returns whether git may store other bytes than these: libgit2 converts only line ends and `$Id$`.
fn may_be_normalised(bytes: &[u8]) -> bool {
    memchr::memchr(b'\r', bytes).is_some() || memchr::memmem::find(bytes, b"$Id").is_some()
}

pub(super) fn is_file_or_nothing(path: &Path) -> bool {
    // Reading anything else may never end.
    path.metadata().map_or(true, |metadata| metadata.is_file() || metadata.is_dir())
}

/// Opens a regular file. Neither follows a link nor waits for a pipe.
pub(super) fn open_file(path: &Path) -> std::io::Result<File> {
    open_regular(path, Symlinks::Refuse)
}
