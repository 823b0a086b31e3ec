//! A survey as bytes: what was seen as JSON, and behind it the contents, one after the other.
//!
//! What is read back may have been written by anybody, where the state lies in a project: it is held against itself,
//! and what makes no sense is no survey.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Seen, Survey, Was};
use crate::fs::{FileKind, Identity, Metadata, RootedPath, Roots, Timestamp};
use crate::git::{BlobId, CleanFiles};
use crate::journal::State;

/// A survey that was put down before the action `seq`.
#[derive(Debug)]
pub struct Kept {
    /// What was seen.
    pub survey: Survey,
    /// The action.
    pub seq: usize,
    /// When its command had to be over.
    pub until: Timestamp,
}

/// All of it but the contents.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    seq: usize,
    until: Timestamp,
    complete: bool,
    seen: Vec<(Name, Entry)>,
    ignored: Vec<(Name, Option<Identity>)>,
}

/// A path from the root.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Name {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    mode: u32,
    identity: Identity,
    was: Form,
}

#[derive(Debug, Serialize, Deserialize)]
enum Form {
    /// A file, and how many bytes of content stand behind the head for it.
    File(usize, Option<Metadata>),
    Committed(String, Metadata),
    Large(Sort),
    Link(Vec<u8>),
    Folder,
}

/// What there was no room for.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
enum Sort {
    File,
    Link,
    Special,
}

impl Survey {
    /// The survey as bytes, for the action `seq` whose command has to be over at `until`.
    #[must_use]
    pub fn to_bytes(&self, seq: usize, until: Timestamp) -> Vec<u8> {
        let seen = self.seen.iter().map(|(path, seen)| (Name::of(path), Entry::of(seen))).collect();
        let ignored = self.ignored.iter().map(|(path, identity)| (Name::of(path), *identity)).collect();
        let head = Head { seq, until, complete: self.complete, seen, ignored };
        let head = serde_json::to_vec(&head).unwrap_or_default();
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(&head);
        for seen in self.seen.values() {
            if let Was::Here(State::File { .. }, Some((_, content))) = &seen.was {
                bytes.extend_from_slice(content);
            }
        }
        bytes
    }

    /// Reads one back for the project of `roots`, of which it was; `None` if it makes no sense.
    #[must_use]
    pub fn from_bytes(bytes: &[u8], roots: &Roots, clean: Option<CleanFiles>) -> Option<Kept> {
        let (length, rest) = bytes.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (head, mut contents) = rest.split_at_checked(length)?;
        let head: Head = serde_json::from_slice(head).ok()?;
        let root = roots.paths().next()?;
        let path = |name: &Name| roots.resolve_recorded(root, Path::new(&name.as_os())).ok();
        let mut survey =
            Survey { seen: Default::default(), ignored: Default::default(), complete: head.complete, clean };
        for (name, entry) in head.seen {
            let seen = entry.seen(&mut contents)?;
            match path(&name) {
                Some(path) => drop(survey.seen.insert(path, seen)),
                None => survey.complete = false,
            }
        }
        for (name, identity) in head.ignored {
            if let Some(path) = path(&name) {
                survey.ignored.insert(path, identity);
            }
        }
        Some(Kept { survey, seq: head.seq, until: head.until })
    }
}

impl Name {
    fn of(path: &RootedPath) -> Name {
        match path.relative().to_str() {
            Some(text) => Name::Text(text.to_owned()),
            None => Name::Bytes(path.relative().as_os_str().as_bytes().to_vec()),
        }
    }

    fn as_os(&self) -> OsString {
        match self {
            Name::Text(text) => text.into(),
            Name::Bytes(bytes) => OsString::from_vec(bytes.clone()),
        }
    }
}

impl Entry {
    fn of(seen: &Seen) -> Entry {
        let was = match &seen.was {
            Was::Committed(id, metadata) => Form::Committed(id.to_string(), metadata.clone()),
            Was::Here(State::File { metadata, .. }, Some((_, content))) => {
                Form::File(content.len(), metadata.clone())
            }
            Was::Here(State::Link(target), _) => Form::Link(target.clone()),
            Was::Here(State::Folder(_), _) => Form::Folder,
            Was::Here(..) => Form::Large(match seen.kind {
                FileKind::Symlink => Sort::Link,
                FileKind::Special => Sort::Special,
                FileKind::File | FileKind::Directory => Sort::File,
            }),
        };
        Entry { mode: seen.mode, identity: seen.identity, was }
    }

    /// What was seen; its content is taken from the front of `contents`.
    fn seen(self, contents: &mut &[u8]) -> Option<Seen> {
        let Entry { mode, identity, was } = self;
        let (kind, was) = match was {
            Form::Committed(id, metadata) => (FileKind::File, Was::Committed(BlobId::parse(&id)?, metadata)),
            Form::File(length, metadata) => {
                let (content, rest) = contents.split_at_checked(length)?;
                *contents = rest;
                let hash = blake3::hash(content);
                let content: Arc<[u8]> = content.into();
                (FileKind::File, Was::Here(State::File { hash, metadata }, Some((hash, content))))
            }
            Form::Large(sort) => {
                let kind = match sort {
                    Sort::File => FileKind::File,
                    Sort::Link => FileKind::Symlink,
                    Sort::Special => FileKind::Special,
                };
                (kind, Was::Here(State::Large(identity), None))
            }
            Form::Link(target) => (FileKind::Symlink, Was::Here(State::Link(target), None)),
            Form::Folder => (FileKind::Directory, Was::Here(State::Folder(mode), None)),
        };
        Some(Seen { kind, mode, identity, was })
    }
}
