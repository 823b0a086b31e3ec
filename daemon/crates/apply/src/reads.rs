//! The identities of everything that planning has read of a project: equal if planning again reads the same.
//!
//! Knows what was read, not what it was read for.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use blake3::Hash;
use clada_fs::{FileKind, FsError, Listing, RootedPath, Roots, Stat};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum ReadSource {
    Entry(RootedPath),
    Content(RootedPath),
    /// The first names in a folder, at most so many.
    Names(RootedPath, usize),
    LineEnds(RootedPath),
    NotCheckedOut,
}

impl ReadSource {
    fn path(&self) -> Option<&RootedPath> {
        match self {
            ReadSource::Entry(path)
            | ReadSource::Content(path)
            | ReadSource::Names(path, _)
            | ReadSource::LineEnds(path) => Some(path),
            ReadSource::NotCheckedOut => None,
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Reads {
    identities: HashMap<ReadSource, Hash>,
    /// Something was read that has no identity, or that changed meanwhile.
    is_partial: bool,
}

impl Reads {
    pub(crate) fn note(&mut self, source: ReadSource, identity: Hash) {
        let before = self.identities.insert(source, identity);
        self.is_partial |= before.is_some_and(|before| before != identity);
    }

    /// Notes that something was read that has no identity, such as the names of all files.
    pub(crate) fn note_other(&mut self) {
        self.is_partial = true;
    }

    pub(crate) fn are_current(&self, mut identity: impl FnMut(&ReadSource) -> Hash) -> bool {
        !self.is_partial && self.identities.iter().all(|(source, then)| identity(source) == *then)
    }

    /// Returns the paths of which something else is read by now.
    pub(crate) fn changed(&self, mut identity: impl FnMut(&ReadSource) -> Hash) -> HashSet<RootedPath> {
        let changed = self.identities.iter().filter(|(source, then)| identity(source) != **then);
        changed.filter_map(|(source, _)| source.path().cloned()).collect()
    }

    pub(crate) fn bytes(&self) -> usize {
        let path = |source: &ReadSource| source.path().map_or(0, |path| 2 * path.written().len());
        self.identities.keys().map(|source| size_of::<(ReadSource, Hash)>() + path(source)).sum()
    }
}

/// Returns the identity of the entry at `path`: its facts, and what the rules of its folders say about it. That
/// of a folder does not depend on what is in it.
pub(crate) fn entry(roots: &Roots, path: &RootedPath, stat: &Result<Option<Stat>, FsError>) -> Hash {
    let text = match stat {
        Ok(Some(Stat { kind: FileKind::Directory, mode, uid, gid, dev, ino, .. })) => {
            format!("folder {:?}", (mode, uid, gid, dev, ino))
        }
        Ok(stat) => format!("{stat:?}"),
        Err(error) => format!("{:?}", error.kind()),
    };
    let rules = (roots.verdict_for_read(path), roots.verdict_for_write(path));
    blake3::hash(format!("{text} {rules:?}").as_bytes())
}

pub(crate) fn names(listing: &Result<Listing, FsError>) -> Hash {
    let text = match listing {
        Ok(Listing { entries, truncated }) => {
            let names = entries.iter().map(|entry| (&entry.name, entry.stat.kind));
            format!("{:?}", (names.collect::<Vec<_>>(), truncated))
        }
        Err(error) => format!("{:?}", error.kind()),
    };
    blake3::hash(text.as_bytes())
}

pub(crate) fn line_ends(crlf: Option<bool>) -> Hash {
    blake3::hash(format!("{crlf:?}").as_bytes())
}

pub(crate) fn paths(paths: &HashSet<PathBuf>) -> Hash {
    let mut sorted: Vec<&PathBuf> = paths.iter().collect();
    sorted.sort_unstable();
    blake3::hash(format!("{sorted:?}").as_bytes())
}
