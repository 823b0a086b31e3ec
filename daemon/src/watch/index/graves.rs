//! Files that are gone, for whoever asks what changed since they were there. Pure data.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are remembered. Whoever asks for what changed before the oldest of them gets everything.
const MAX_GRAVES: usize = 200_000;

/// Those that are remembered.
#[derive(Debug, Default)]
pub(super) struct Graves {
    /// By when they went.
    all: BTreeMap<(u64, Arc<Path>), Grave>,
    /// When which went. A path has one grave, of the last time.
    of: HashMap<Arc<Path>, u64>,
    forgotten: u64,
}

#[derive(Debug, Clone, Copy)]
struct Grave {
    /// Since when the file was there.
    born: u64,
    /// There is a file again. Whoever asks for what changed since a time before it went is told that it changed.
    is_risen: bool,
}

impl Graves {
    /// The file at `path`, there since `born`, went at `tick`.
    pub(super) fn add(&mut self, path: PathBuf, born: u64, tick: u64) {
        let born = self.take(&path).map_or(born, |before| before.min(born));
        let path: Arc<Path> = Arc::from(path);
        self.all.insert((tick, Arc::clone(&path)), Grave { born, is_risen: false });
        self.of.insert(path, tick);
        while self.all.len() > MAX_GRAVES {
            let Some(((tick, path), _)) = self.all.pop_first() else { break };
            self.of.remove(&path);
            self.forgotten = tick;
        }
    }

    /// There is a file at `path` again.
    pub(super) fn rise(&mut self, path: &Path) {
        if let Some((path, tick)) = self.of.get_key_value(path)
            && let Some(grave) = self.all.get_mut(&(*tick, Arc::clone(path)))
        {
            grave.is_risen = true;
        }
    }

    /// Whether there was a file at `path` at `tick` that went later.
    pub(super) fn was_there(&self, path: &Path, tick: u64) -> bool {
        self.of.get_key_value(path).filter(|(_, gone)| **gone > tick).is_some_and(|(path, gone)| {
            self.all.get(&(*gone, Arc::clone(path))).is_some_and(|grave| grave.born <= tick)
        })
    }

    /// Nobody is to be told that it went: since when it was there.
    pub(super) fn take(&mut self, path: &Path) -> Option<u64> {
        let (path, tick) = self.of.remove_entry(path)?;
        self.all.remove(&(tick, path)).map(|grave| grave.born)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// What went up to this tick is not known in full.
    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// What was there at `tick` and has gone for good since, the last one first.
    pub(super) fn since(&self, tick: u64) -> impl Iterator<Item = &Path> {
        let later = self.all.iter().rev().take_while(move |((gone, _), _)| *gone > tick);
        later.filter(move |(_, grave)| grave.born <= tick && !grave.is_risen).map(|((_, path), _)| &**path)
    }
}
