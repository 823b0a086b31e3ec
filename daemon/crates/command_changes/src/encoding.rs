//! The encoding of a record of a log: stamps as JSON, and behind them the contents, one after the other.
//!
//! A record that is read back may have been written by anybody, where the state is in a project: it is
//! checked for consistency. Knows one record at a time.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{FileKind, Identity, Metadata, Timestamp};
use clada_git::BlobId;
use serde::{Deserialize, Serialize};

use super::stamp::{ContentPlace, ContentRange, FileStamp, PriorState, is_settled};

/// The head of a record: all but the contents.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RecordHead {
    #[serde(rename = "gone")]
    pub(super) removed: Vec<StoredPath>,
    pub(super) seen: Vec<(StoredPath, StampRecord)>,
}

/// A path from the root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum StoredPath {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StampRecord {
    mode: u32,
    identity: Identity,
    pub(super) was: StoredState,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum StoredState {
    Ignored(StoredKind),
    Folder,
    Link(Vec<u8>),
    File(String, Option<Metadata>, ContentRange),
    Committed(String, Metadata),
    Lost(StoredKind),
}

/// The kind of an entry, where nothing else says so.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum StoredKind {
    File,
    Folder,
    Link,
    Special,
}

pub(super) fn split(record: &[u8]) -> Option<(RecordHead, &[u8])> {
    let (length, rest) = record.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (head, contents) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(head).ok()?, contents))
}

impl StoredPath {
    pub(super) fn from_path(path: &Path) -> StoredPath {
        match path.to_str() {
            Some(text) => StoredPath::Text(text.to_owned()),
            None => StoredPath::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }

    pub(super) fn as_os(&self) -> OsString {
        match self {
            StoredPath::Text(text) => text.into(),
            StoredPath::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

impl StoredState {
    pub(super) fn range(&self) -> Option<ContentRange> {
        if let StoredState::File(_, _, range) = self { Some(*range) } else { None }
    }
}

impl StampRecord {
    /// `None` for a content that is not written yet.
    pub(super) fn from_stamp(stamp: &FileStamp) -> Option<StampRecord> {
        let owned = |metadata: &Arc<Metadata>| Metadata::clone(metadata);
        let was = match &stamp.was {
            PriorState::Ignored => StoredState::Ignored(StoredKind::from_kind(stamp.kind)),
            PriorState::Folder => StoredState::Folder,
            PriorState::Link(target) => StoredState::Link(target.to_vec()),
            PriorState::File(hash, metadata, ContentPlace::InLog(range)) => {
                StoredState::File(hash.to_hex().to_string(), metadata.as_ref().map(owned), *range)
            }
            PriorState::File(_, _, ContentPlace::InMemory(_)) => return None,
            PriorState::Committed(id, metadata) => StoredState::Committed(id.to_string(), owned(metadata)),
            PriorState::Lost => StoredState::Lost(StoredKind::from_kind(stamp.kind)),
        };
        Some(StampRecord { mode: stamp.mode, identity: stamp.identity, was })
    }

    pub(super) fn stamp(self, path: &Path, now: Timestamp) -> Option<FileStamp> {
        let (kind, was) = match self.was {
            StoredState::Ignored(kind) => (kind.kind(), PriorState::Ignored),
            StoredState::Folder => (FileKind::Directory, PriorState::Folder),
            StoredState::Link(target) => (FileKind::Symlink, PriorState::Link(target.into())),
            StoredState::File(hash, metadata, range) => {
                let hash = Hash::from_hex(hash).ok()?;
                (FileKind::File, PriorState::File(hash, metadata.map(Arc::new), ContentPlace::InLog(range)))
            }
            StoredState::Committed(id, metadata) => {
                (FileKind::File, PriorState::Committed(BlobId::parse(&id)?, Arc::new(metadata)))
            }
            StoredState::Lost(kind) => (kind.kind(), PriorState::Lost),
        };
        let path: PathBuf = path.components().collect();
        let StampRecord { mode, identity, .. } = self;
        let settled = is_settled(&identity, now);
        Some(FileStamp { path: path.into(), kind, mode, identity, was, settled })
    }
}

impl StoredKind {
    fn from_kind(kind: FileKind) -> StoredKind {
        match kind {
            FileKind::File => StoredKind::File,
            FileKind::Directory => StoredKind::Folder,
            FileKind::Symlink => StoredKind::Link,
            FileKind::Special => StoredKind::Special,
        }
    }

    fn kind(self) -> FileKind {
        match self {
            StoredKind::File => FileKind::File,
            StoredKind::Folder => FileKind::Directory,
            StoredKind::Link => FileKind::Symlink,
            StoredKind::Special => FileKind::Special,
        }
    }
}
