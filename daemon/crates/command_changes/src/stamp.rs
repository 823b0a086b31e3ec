//! The stamp of one path: its state, and the part of it that could be restored.
//!
//! Kept small, since there is one for each path of a project. Knows no other path.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{FileKind, FsError, Identity, Metadata, RootedPath, Roots, Stat, Timestamp};
use clada_git::{BlobId, IndexStamp};
use clada_journal::{State, journal_place};
use serde::{Deserialize, Serialize};

use super::git::Git;

/// Seconds: a file that changed so shortly before it was read may change once more without a trace.
const RACY: i64 = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileStamp {
    pub(super) path: Box<Path>,
    pub(super) kind: FileKind,
    pub(super) mode: u32,
    pub(super) identity: Identity,
    pub(super) was: PriorState,
    pub(super) settled: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PriorState {
    /// Nothing: git ignores it. Of a folder only its existence is known.
    Ignored,
    Folder,
    Link(Box<[u8]>),
    File(Hash, Option<Arc<Metadata>>, ContentPlace),
    Committed(BlobId, Arc<Metadata>),
    Lost,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContentPlace {
    InMemory(Arc<[u8]>),
    InLog(ContentRange),
}

impl FileStamp {
    /// `before` is the last known state; only the parts of it that are found again are used.
    pub(super) fn read(
        reader: &StampReader<'_>,
        path: &RootedPath,
        stat: &Stat,
        before: Option<&FileStamp>,
        room: u64,
    ) -> FileStamp {
        let was = match stat.kind {
            FileKind::Directory => PriorState::Folder,
            FileKind::Symlink => match reader.noted(reader.roots.readlink(path)) {
                Some(target) => PriorState::Link(OsStr::as_bytes(&target).into()),
                None => PriorState::Lost,
            },
            FileKind::File => {
                let committed = reader.committed(path, stat);
                committed.or_else(|| reader.content(path, stat, before, room)).unwrap_or(PriorState::Lost)
            }
            FileKind::Special => PriorState::Lost,
        };
        FileStamp::new(path.relative(), stat, was, reader.now)
    }

    pub(super) fn named(path: &Path, stat: &Stat, now: Timestamp) -> FileStamp {
        FileStamp::new(path, stat, PriorState::Lost, now)
    }

    pub(super) fn ignored(path: &Path, stat: &Stat, now: Timestamp) -> FileStamp {
        FileStamp::new(path, stat, PriorState::Ignored, now)
    }

    fn new(path: &Path, stat: &Stat, was: PriorState, now: Timestamp) -> FileStamp {
        let settled = is_settled(&stat.identity(), now);
        let (kind, mode, identity) = (stat.kind, stat.mode, stat.identity());
        FileStamp { path: path.into(), kind, mode, identity, was, settled }
    }

    pub(super) fn is(&self, now: &Stat) -> bool {
        // The entries of a folder come and go, and so does the data in a pipe.
        if self.kind == FileKind::Directory
            && now.kind == FileKind::Directory
            && self.was != PriorState::Ignored
        {
            return self.mode == now.mode;
        }
        if self.kind == FileKind::Special && now.kind == FileKind::Special {
            return (self.identity.dev, self.identity.ino) == (now.dev, now.ino);
        }
        self.kind == now.kind && self.identity == now.identity() && self.mode == now.mode
    }

    pub(super) fn says_as_much_as(&self, other: &FileStamp) -> bool {
        let same_identity = self.was == PriorState::Folder || self.identity == other.identity;
        same_identity && self.kind == other.kind && self.mode == other.mode && self.was == other.was
    }

    pub(super) fn is_ignored(&self) -> bool {
        self.was == PriorState::Ignored
    }

    pub(super) fn is_lost(&self) -> bool {
        self.was == PriorState::Lost && self.kind != FileKind::Special
    }

    /// Returns whether a path that shows no change may have changed all the same: it had changed just before.
    pub(super) fn may_hide(&self) -> bool {
        let is_read =
            matches!(self.was, PriorState::File(..) | PriorState::Committed(..) | PriorState::Link(_));
        !self.settled && is_read
    }

    pub(super) fn takes(&self) -> u64 {
        if matches!(self.was, PriorState::File(..)) { self.identity.size } else { 0 }
    }

    pub(super) fn state(&self) -> State {
        let owned = |metadata: &Arc<Metadata>| Metadata::clone(metadata);
        match &self.was {
            PriorState::Folder => State::Folder(self.mode),
            PriorState::Link(target) => State::Link(target.to_vec()),
            PriorState::File(hash, metadata, _) => {
                State::File { hash: *hash, metadata: metadata.as_ref().map(owned) }
            }
            PriorState::Committed(..) | PriorState::Lost | PriorState::Ignored => State::Large(self.identity),
        }
    }
}

pub(super) fn is_settled(identity: &Identity, now: Timestamp) -> bool {
    identity.ctime.seconds.saturating_add(RACY) < now.seconds
}

pub(super) struct StampReader<'a> {
    pub(super) roots: &'a Roots,
    git: Option<&'a Git>,
    /// Git's index, if it is known to be the current one: what changed after it was written is not in it.
    index: Option<&'a IndexStamp>,
    largest: u64,
    now: Timestamp,
    /// The last attributes, shared: most files have the same.
    metadata: RefCell<Option<Arc<Metadata>>>,
    failed: RefCell<Option<FsError>>,
}

impl<'a> StampReader<'a> {
    pub(super) fn new(
        roots: &'a Roots,
        git: Option<&'a Git>,
        now: Timestamp,
        largest: u64,
    ) -> StampReader<'a> {
        let (metadata, failed) = (RefCell::default(), RefCell::default());
        StampReader { roots, git, index: None, now, largest, metadata, failed }
    }

    pub(super) fn beside(self, index: Option<&'a IndexStamp>) -> StampReader<'a> {
        StampReader { index, ..self }
    }

    pub(super) fn noted<T>(&self, read: Result<T, FsError>) -> Option<T> {
        // What was read is then not what is there.
        let note = |error: &FsError| {
            if error.is_of_system() {
                self.failed.borrow_mut().get_or_insert_with(|| error.clone());
            }
        };
        read.inspect_err(note).ok()
    }

    pub(super) fn failure(&self) -> Option<FsError> {
        self.failed.borrow().clone()
    }

    fn metadata(&self, path: &RootedPath) -> Option<Arc<Metadata>> {
        let metadata = self.noted(self.roots.metadata(path))?;
        let mut last = self.metadata.borrow_mut();
        match &*last {
            Some(last) if **last == metadata => Some(Arc::clone(last)),
            _ => Some(Arc::clone(last.insert(Arc::new(metadata)))),
        }
    }

    fn committed(&self, path: &RootedPath, stat: &Stat) -> Option<PriorState> {
        let id = self.blob(path, stat)?;
        Some(PriorState::Committed(id, self.metadata(path)?))
    }

    pub(super) fn blob(&self, path: &RootedPath, stat: &Stat) -> Option<BlobId> {
        if self.index.is_some_and(|index| index.was_written_before(stat.ctime)) {
            return None;
        }
        let place = journal_place(self.roots, path);
        self.git?.id_of(&place.root.join(place.relative), stat)
    }

    fn content(
        &self,
        path: &RootedPath,
        stat: &Stat,
        before: Option<&FileStamp>,
        room: u64,
    ) -> Option<PriorState> {
        if stat.size > self.largest.min(room) {
            return None;
        }
        let read = self.noted(self.roots.read(path, self.largest))?;
        let hash = blake3::hash(&read.bytes);
        let metadata = self.metadata(path);
        let content = match before.map(|before| &before.was) {
            // It was only touched.
            Some(PriorState::File(image_hash, _, content)) if *image_hash == hash => content.clone(),
            _ => ContentPlace::InMemory(read.bytes.into()),
        };
        Some(PriorState::File(hash, metadata, content))
    }
}

/// The place of a content in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ContentRange {
    pub(super) record: u64,
    pub(super) start: u64,
    pub(super) length: u64,
}

impl ContentRange {
    pub(super) fn slice(self, contents: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.start).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        contents.get(start..end)
    }
}
