//! Finds the files of a work tree that are unchanged since git stored them, without reading them,
//! and git's content of them.
//!
//! Compares a file with what the index recorded of it, as git itself does. In doubt a file counts
//! as changed: if it changed about when the index was written, if something converts its content,
//! or if the object is missing.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, Identity, Roots, Stat, Timestamp};
use git2::{Index, IndexTime, ObjectType, Oid};
use memchr::memmem;

use super::content::{CONVERTING, RULES, is_file_or_nothing, open_file};
use super::error::Doing;
use super::error::Unusable;
use super::repository::GitRepository;

/// The nanoseconds that clocks of file systems and git's own work on a file may differ by.
const MARGIN: i128 = 100_000_000;
const LARGEST_RULES: u64 = 1 << 20;
const FORMAT: u32 = 0o170_000;
const REGULAR: u32 = 0o100_000;

/// The id of a content in git.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobId(Oid);

impl BlobId {
    /// Parses the format that [`fmt::Display`] writes.
    #[must_use]
    pub fn parse(hex: &str) -> Option<BlobId> {
        (hex.len() == 40).then(|| Oid::from_str(hex).ok()).flatten().map(BlobId)
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// The identity of an index that was read. git keeps every object that the index names as long
/// as it is the current one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexStamp {
    path: PathBuf,
    identity: Option<Identity>,
}

impl IndexStamp {
    pub(super) fn read(path: PathBuf) -> IndexStamp {
        let identity = Roots::identity_outside(&path);
        IndexStamp { path, identity }
    }

    /// Returns whether it was written before `ctime`: what has changed then is not as the index says.
    #[must_use]
    pub fn was_written_before(&self, ctime: Timestamp) -> bool {
        self.identity.is_some_and(|identity| identity.mtime < ctime)
    }

    /// Returns whether it is still the current index: git replaces the file at each change.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.identity.is_some() && self.identity == Roots::identity_outside(&self.path)
    }
}

/// The files of a work tree that git has unchanged.
pub struct CleanFiles {
    repository: GitRepository,
    index: Index,
    written: i128,
    stamp: IndexStamp,
    has_rules: Cell<bool>,
    /// Folders already checked: true if git's rules in them are files.
    folders: RefCell<HashMap<PathBuf, bool>>,
}

impl fmt::Debug for CleanFiles {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("CleanFiles").field("repository", &self.repository).finish_non_exhaustive()
    }
}

impl CleanFiles {
    /// Opens the repository that `root`, a resolved path, lies in. Returns `None` if there
    /// is none that can be read.
    #[must_use]
    pub fn open(root: &Path, home: Option<&Path>) -> Option<CleanFiles> {
        let repository = GitRepository::open(root, home).ok().flatten()?;
        repository.clean_files().ok()
    }

    /// Returns the identity of the index that was read.
    #[must_use]
    pub fn stamp(&self) -> &IndexStamp {
        &self.stamp
    }

    /// Returns the id of the content of the file at `path`, which is absolute and resolved, if git has that
    /// content. `stat` is the file's current metadata.
    #[must_use]
    pub fn id_of(&self, path: &Path, stat: &Stat) -> Option<BlobId> {
        let relative = path.strip_prefix(&self.repository.folder).ok()?;
        let unchanged_id = self.unchanged(relative, stat);
        // A file of rules that git does not know may convert the files checked after it.
        if unchanged_id.is_none() && path.file_name().is_some_and(|name| name == RULES[1]) {
            self.has_rules.set(true);
        }
        let id = unchanged_id?;
        if self.has_rules.get() && (!self.rules_are_files(relative) || self.repository.is_converted(relative))
        {
            return None;
        }
        let odb = self.repository.repository.odb().ok()?;
        let (size, kind) = odb.read_header(id).ok()?;
        // A content with converted line ends would have another size.
        (kind == ObjectType::Blob && size as u64 == stat.size).then_some(BlobId(id))
    }

    /// Returns a content that [`CleanFiles::id_of`] named, if git still has it.
    #[must_use]
    pub fn content(&self, id: BlobId) -> Option<Vec<u8>> {
        self.repository.content(id)
    }

    #[allow(clippy::cast_possible_truncation)] // git's index keeps the lower 32 bits of each.
    fn unchanged(&self, path: &Path, stat: &Stat) -> Option<Oid> {
        if stat.kind != FileKind::File {
            return None;
        }
        let entry = self.index.get_path(path, 0)?;
        let is_old =
            nanoseconds(i64::from(entry.mtime.seconds()), entry.mtime.nanoseconds()) + MARGIN < self.written;
        let same = entry.mode & FORMAT == REGULAR
            && is(&entry.mtime, stat.mtime)
            && is(&entry.ctime, stat.ctime)
            && entry.ino == stat.ino as u32
            && entry.file_size == stat.size as u32;
        (same && is_old).then_some(entry.id)
    }

    fn rules_are_files(&self, path: &Path) -> bool {
        let mut folders = self.folders.borrow_mut();
        path.ancestors().skip(1).all(|folder| {
            *folders.entry(folder.to_path_buf()).or_insert_with_key(|folder| {
                let folder = self.repository.folder.join(folder);
                RULES.iter().all(|name| is_file_or_nothing(&folder.join(name)))
            })
        })
    }
}

impl GitRepository {
    /// Returns a content that [`CleanFiles::id_of`] named, if git still has it, even
    /// if the index has changed.
    #[must_use]
    pub fn content(&self, id: BlobId) -> Option<Vec<u8>> {
        self.repository.find_blob(id.0).ok().map(|blob| blob.content().to_vec())
    }

    pub(super) fn stamped_index(&self) -> Result<(IndexStamp, Index), git2::Error> {
        // Its stamp is taken first, so that the index is never older than that says.
        let stamp = IndexStamp::read(self.repository.path().join("index"));
        let mut index = self.repository.index()?;
        // Opened, it was read. Where it is open already, it is read again if it has changed.
        index.read(false)?;
        Ok((stamp, index))
    }

    fn clean_files(self) -> Result<CleanFiles, Unusable> {
        self.belongs()?;
        self.take_config()?;
        let doing = "read the index";
        let (stamp, index) = self.stamped_index().doing(doing)?;
        let written = stamp
            .identity
            .map_or(0, |identity| nanoseconds(identity.mtime.seconds, identity.mtime.nanoseconds));
        let info = self.repository.commondir().join("info").join("attributes");
        let global = |name| self.repository.config().is_ok_and(|config| config.get_entry(name).is_ok());
        let is_rule = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next() == Some(RULES[1].as_bytes());
        let has_rules = info.symlink_metadata().is_ok()
            || self
                .home
                .as_ref()
                .is_some_and(|home| home.join(".config/git/attributes").symlink_metadata().is_ok())
            || global("core.attributesfile")
            || index
                .iter()
                .filter(|entry| is_rule(&entry.path))
                .any(|entry| may_convert(&self.folder.join(OsStr::from_bytes(&entry.path))));
        if !is_file_or_nothing(&info) {
            return Err(Unusable::Special(info));
        }
        let has_rules = Cell::new(has_rules);
        Ok(CleanFiles { repository: self, index, written, stamp, has_rules, folders: RefCell::default() })
    }
}

/// Returns whether the file of rules at `path` has an attribute that converts files, or cannot be read.
fn may_convert(path: &Path) -> bool {
    // To ask git about each file costs far more than to read a file or two.
    let mut text = Vec::new();
    let read = open_file(path).and_then(|file| file.take(LARGEST_RULES + 1).read_to_end(&mut text));
    let names = || CONVERTING.iter().any(|name| memmem::find(&text, name.as_bytes()).is_some());
    read.map_or(true, |size| size as u64 > LARGEST_RULES) || names()
}

fn nanoseconds(seconds: i64, nanoseconds: u32) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
}

#[allow(clippy::cast_possible_truncation)] // The index keeps the lower 32 bits.
fn is(index_time: &IndexTime, time: Timestamp) -> bool {
    index_time.seconds() == time.seconds as i32 && index_time.nanoseconds() == time.nanoseconds
}
