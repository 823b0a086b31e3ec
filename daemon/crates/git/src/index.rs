//! Reads git's index when its file has changed, and writes it with some entries replaced
//! and all others as they were.
//!
//! An entry records the time at which its file was last known to hold the entry's content. A written entry
//! gets that time only if the file is read and holds the content: an entry that is wrong about it would hide
//! a user's change from git.
//!
//! Files that git was told to ignore changes in (`update-index --assume-unchanged`,
//! `--skip-worktree`) keep their entries and are not committed. git would not commit them either, and
//! the user's changes in them may be secret.

use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, IndexTime, ObjectType, Oid};
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;

use super::content::{Content, StoredContent, open_file};
use super::entry_flags::{Intent, hiding};
use super::error::{Doing, GitError};
use super::head::HeadState;
use super::index_lock::IndexLock;
use super::repository::{GitRepository, Stamp};

const DOING: &str = "read the index";

pub(super) struct Entering<'a> {
    pub(super) path: &'a Path,
    pub(super) entry: Option<StoredContent>,
    pub(super) content: Option<&'a Content>,
    pub(super) intent: Intent,
}

impl IndexLock {
    /// Returns the current index. Reads it again only if its file has been replaced. libgit2 holds it as the
    /// repository's index, under the name of the draft.
    pub(super) fn load(&self, of: &mut GitRepository) -> Result<Index, GitError> {
        let (file, draft) = (self.index(), self.draft());
        let now = Stamp::read(&file);
        if let Some(read) = of.index_stamp
            && read == now
        {
            return of.repository.index().doing(DOING);
        }
        // Opened under the draft's name, since libgit2 writes an index to the place it was read from.
        match rustix::fs::linkat(CWD, &file, CWD, &draft, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => copy(&file, &draft)?,
            Err(error) => return Err(GitError::io(DOING, &file, error)),
        }
        of.index_stamp = None;
        let stamp = now.and_then(|_| Stamp::read(&draft));
        let read = Index::open(&draft).doing(DOING);
        let removed = super::index_lock::remove(&draft);
        let mut index = read?;
        removed?;
        of.repository.set_index(&mut index).doing(DOING)?;
        of.index_stamp = Some(stamp);
        Ok(index)
    }

    pub(super) fn write(&self, of: &mut GitRepository, entering: &[Entering<'_>]) -> Result<(), GitError> {
        let doing = "write the index";
        let mut index = self.load(of)?;
        // From here on the index in memory differs from the one in the file.
        let stamp = of.index_stamp.take();
        smudge(&mut index, stamp.flatten())?;
        for Entering { path, entry, content, intent } in entering {
            match entry {
                None => index.remove_path(path).doing(doing)?,
                Some(entry) => {
                    let stat_data =
                        content.and_then(|content| verified_stat(&of.folder.join(path), content, *entry));
                    let entry = index_entry(path, *entry, stat_data.as_ref());
                    let hiding = index.get_path(path, 0).map_or((0, 0), |old| hiding(&old));
                    let intended = match intent {
                        Intent::None => 0,
                        Intent::ToAdd => IndexEntryExtendedFlag::INTENT_TO_ADD.bits(),
                    };
                    let flags_extended = hiding.1 | intended;
                    // libgit2 sets this flag itself, but not in an index of version 4.
                    let is_extended = if flags_extended == 0 { 0 } else { IndexEntryFlag::EXTENDED.bits() };
                    let flags = hiding.0 | is_extended;
                    index.add(&IndexEntry { flags, flags_extended, ..entry }).doing(doing)?;
                }
            }
        }
        index.write().doing(doing)
    }

    pub(super) fn finish(&self, of: &mut GitRepository) -> Result<(), GitError> {
        self.publish()?;
        of.index_stamp = Some(Stamp::read(&self.index()));
        Ok(())
    }
}

/// Clears the recorded size of entries whose files may have changed in the second in which the index was last
/// written.
fn smudge(index: &mut Index, stamp: Option<Stamp>) -> Result<(), GitError> {
    // git compares the content of such files only as long as the index is as old as they are.
    let Some(written) = stamp else { return Ok(()) };
    let young = |entry: &IndexEntry| i64::from(entry.mtime.seconds()) >= written.modified.0;
    let young: Vec<IndexEntry> = index.iter().filter(|entry| entry.file_size != 0 && young(entry)).collect();
    for entry in young {
        index.add(&IndexEntry { file_size: 0, ..entry }).doing("write the index")?;
    }
    Ok(())
}

struct StatData {
    metadata: std::fs::Metadata,
}

fn verified_stat(path: &Path, content: &Content, entry: StoredContent) -> Option<StatData> {
    let before = path.symlink_metadata().ok()?;
    let holds = match content {
        Content::File { bytes, .. } => {
            before.is_file() && before.len() == bytes.len() as u64 && {
                let mut now = Vec::with_capacity(bytes.len());
                let mut file = open_file(path).ok()?;
                file.read_to_end(&mut now).ok()?;
                now == **bytes
            }
        }
        Content::Link(target) => {
            std::fs::read_link(path).is_ok_and(|now| now.as_os_str().as_encoded_bytes() == target.as_slice())
        }
        Content::OnDisk { .. } => {
            before.is_file() && Oid::hash_file(ObjectType::Blob, path).is_ok_and(|now| now == entry.id)
        }
    };
    let after = path.symlink_metadata().ok()?;
    let same = |one: &std::fs::Metadata, other: &std::fs::Metadata| {
        let times = |of: &std::fs::Metadata| (of.mtime(), of.mtime_nsec(), of.ctime(), of.ctime_nsec());
        one.ino() == other.ino() && times(one) == times(other)
    };
    (holds && same(&before, &after)).then_some(StatData { metadata: after })
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // git's index keeps the lower 32 bits of each.
fn index_entry(path: &Path, entry: StoredContent, stat_data: Option<&StatData>) -> IndexEntry {
    let low = |value: u64| value as u32;
    let time = |seconds: i64, nanoseconds: i64| IndexTime::new(seconds as i32, nanoseconds as u32);
    let metadata = stat_data.map(|stat_data| &stat_data.metadata);
    let number = |of: fn(&std::fs::Metadata) -> u64| metadata.map_or(0, |metadata| low(of(metadata)));
    IndexEntry {
        ctime: metadata.map_or(time(0, 0), |metadata| time(metadata.ctime(), metadata.ctime_nsec())),
        mtime: metadata.map_or(time(0, 0), |metadata| time(metadata.mtime(), metadata.mtime_nsec())),
        dev: number(MetadataExt::dev),
        ino: number(MetadataExt::ino),
        mode: entry.mode,
        uid: metadata.map_or(0, MetadataExt::uid),
        gid: metadata.map_or(0, MetadataExt::gid),
        file_size: number(MetadataExt::size),
        id: entry.id,
        flags: 0,
        flags_extended: 0,
        path: path.as_os_str().as_encoded_bytes().to_vec(),
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), GitError> {
    let failed = |error: std::io::Error| GitError::io(DOING, from, error);
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
    let mut source = open_file(from).map_err(failed)?;
    let target = rustix::fs::open(to, flags, Mode::from_raw_mode(0o666));
    let mut target = std::fs::File::from(target.map_err(|error| failed(error.into()))?);
    std::io::copy(&mut source, &mut target).map_err(failed).map(drop)
}

/// The state of the repository before a command. The command may commit and stage files itself.
#[derive(Debug)]
pub struct HeadAndIndex {
    head: HeadState,
    /// git's index. git replaces the file and never writes into it, so this handle keeps the old content.
    index: Option<File>,
}

impl HeadAndIndex {
    pub(super) fn tip(&self) -> Option<Oid> {
        self.head.tip
    }

    pub(super) fn index<'i>(&self, now: &'i Index, path: &Path) -> Result<IndexBefore<'i>, GitError> {
        let Some(file) = &self.index else {
            return Index::new().doing("read the index").map(IndexBefore::Earlier);
        };
        let stat = file.metadata().map_err(|error| GitError::io("read the index", path, error))?;
        if Stamp::read(path) == Some(Stamp::new(&stat)) {
            return Ok(IndexBefore::Now(now));
        }
        let folder = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
        let opened = Index::open(&Path::new(folder).join(file.as_raw_fd().to_string()));
        opened.doing("read the index").map(IndexBefore::Earlier)
    }
}

impl GitRepository {
    /// Returns the state of the repository for a command that is about to run.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn head_and_index(&self) -> Result<HeadAndIndex, GitError> {
        let path = self.repository.path().join("index");
        let index = match open_file(&path) {
            Ok(file) => Some(file),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(GitError::io("read the index", path, error)),
        };
        Ok(HeadAndIndex { head: self.head()?, index })
    }
}

pub(super) enum IndexBefore<'i> {
    Now(&'i Index),
    Earlier(Index),
}

impl std::ops::Deref for IndexBefore<'_> {
    type Target = Index;

    fn deref(&self) -> &Index {
        match self {
            IndexBefore::Now(index) => index,
            IndexBefore::Earlier(index) => index,
        }
    }
}
