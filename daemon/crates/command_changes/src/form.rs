//! The encoding of a record of a log: sights as JSON, and behind them the contents, one after the other.
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

use super::sight::{Content, Sight, Was, is_settled};

/// The place of a content in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) record: u64,
    pub(super) start: u64,
    pub(super) length: u64,
}

/// The head of a record: all but the contents.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Head {
    pub(super) gone: Vec<Name>,
    pub(super) seen: Vec<(Name, Entry)>,
}

/// A path from the root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    mode: u32,
    identity: Identity,
    pub(super) was: Form,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Form {
    Ignored(Sort),
    Folder,
    Link(Vec<u8>),
    File(String, Option<Metadata>, Place),
    Committed(String, Metadata),
    Lost(Sort),
}

/// The kind of an entry, where nothing else says so.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Sort {
    File,
    Folder,
    Link,
    Special,
}

/// Splits a record into its head and its contents.
pub(super) fn split(record: &[u8]) -> Option<(Head, &[u8])> {
    let (length, rest) = record.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (head, contents) = rest.split_at_checked(length)?;
    Some((serde_json::from_slice(head).ok()?, contents))
}

impl Place {
    pub(super) fn of(self, contents: &[u8]) -> Option<&[u8]> {
        let start = usize::try_from(self.start).ok()?;
        let end = start.checked_add(usize::try_from(self.length).ok()?)?;
        contents.get(start..end)
    }
}

impl Name {
    pub(super) fn of(path: &Path) -> Name {
        match path.to_str() {
            Some(text) => Name::Text(text.to_owned()),
            None => Name::Bytes(path.as_os_str().as_bytes().to_vec()),
        }
    }

    pub(super) fn as_os(&self) -> OsString {
        match self {
            Name::Text(text) => text.into(),
            Name::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

impl Form {
    /// Returns the place of its content.
    pub(super) fn place(&self) -> Option<Place> {
        if let Form::File(_, _, place) = self { Some(*place) } else { None }
    }
}

impl Entry {
    /// Returns the entry of a sight; `None` for a content that is not written yet.
    pub(super) fn of(sight: &Sight) -> Option<Entry> {
        let owned = |metadata: &Arc<Metadata>| Metadata::clone(metadata);
        let was = match &sight.was {
            Was::Ignored => Form::Ignored(Sort::of(sight.kind)),
            Was::Folder => Form::Folder,
            Was::Link(target) => Form::Link(target.to_vec()),
            Was::File(hash, metadata, Content::Down(place)) => {
                Form::File(hash.to_hex().to_string(), metadata.as_ref().map(owned), *place)
            }
            Was::File(_, _, Content::Here(_)) => return None,
            Was::Committed(id, metadata) => Form::Committed(id.to_string(), owned(metadata)),
            Was::Lost => Form::Lost(Sort::of(sight.kind)),
        };
        Some(Entry { mode: sight.mode, identity: sight.identity, was })
    }

    /// Returns the sight of `path`, as it was last seen at `now`.
    pub(super) fn sight(self, path: &Path, now: Timestamp) -> Option<Sight> {
        let (kind, was) = match self.was {
            Form::Ignored(sort) => (sort.kind(), Was::Ignored),
            Form::Folder => (FileKind::Directory, Was::Folder),
            Form::Link(target) => (FileKind::Symlink, Was::Link(target.into())),
            Form::File(hash, metadata, place) => {
                let hash = Hash::from_hex(hash).ok()?;
                (FileKind::File, Was::File(hash, metadata.map(Arc::new), Content::Down(place)))
            }
            Form::Committed(id, metadata) => {
                (FileKind::File, Was::Committed(BlobId::parse(&id)?, Arc::new(metadata)))
            }
            Form::Lost(sort) => (sort.kind(), Was::Lost),
        };
        let path: PathBuf = path.components().collect();
        let Entry { mode, identity, .. } = self;
        let settled = is_settled(&identity, now);
        Some(Sight { path: path.into(), kind, mode, identity, was, settled })
    }
}

impl Sort {
    fn of(kind: FileKind) -> Sort {
        match kind {
            FileKind::File => Sort::File,
            FileKind::Directory => Sort::Folder,
            FileKind::Symlink => Sort::Link,
            FileKind::Special => Sort::Special,
        }
    }

    fn kind(self) -> FileKind {
        match self {
            Sort::File => FileKind::File,
            Sort::Folder => FileKind::Directory,
            Sort::Link => FileKind::Symlink,
            Sort::Special => FileKind::Special,
        }
    }
}
