//! Files that are gone, for whoever asks what changed since they were there. Pure data.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are remembered. Whoever asks for what changed before the oldest of them gets everything.
const MAX_GRAVES: usize = 200_000;

/// Those that are remembered.
#[derive(Debug, Default)]
pub(super) struct Graves {
    /// When they went, and since when they were there.
    all: BTreeMap<(u64, Arc<Path>), u64>,
    of: HashMap<Arc<Path>, u64>,
    forgotten: u64,
}

impl Graves {
    /// The file at `path`, there since `born`, went at `tick`.
    pub(super) fn add(&mut self, path: PathBuf, born: u64, tick: u64) {
        let path: Arc<Path> = Arc::from(path);
        self.all.insert((tick, Arc::clone(&path)), born);
        self.of.insert(path, tick);
        while self.all.len() > MAX_GRAVES {
            let Some(((tick, path), _)) = self.all.pop_first() else { break };
            self.of.remove(&path);
            self.forgotten = tick;
        }
    }

    /// There is a file again, or nobody is to be told that it went: since when it was there.
    pub(super) fn take(&mut self, path: &Path) -> Option<u64> {
        let (path, tick) = self.of.remove_entry(path)?;
        self.all.remove(&(tick, path))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What went up to this tick is not known in full.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// What was there at `tick` and has gone since, the last one first.
    pub(super) fn since(&self, tick: u64) -> impl Iterator<Item = &Path> {
        let later = self.all.iter().rev().take_while(move |((gone, _), _)| *gone > tick);
        later.filter(move |(_, born)| **born <= tick).map(|((_, path), _)| &**path)
    }
}
