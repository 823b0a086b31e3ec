//! Tombstones: deleted files, for callers that ask for the changes since they existed, and the absences of
//! files that came back. Pure data.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The most tombstones. A caller that asks for changes before the oldest of them gets everything.
const MAX_TOMBSTONES: usize = 200_000;

const MAX_ABSENCES: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Tombstones {
    /// Keyed by the tick of the deletion; the value is the tick since which the file existed.
    all: BTreeMap<(u64, Arc<Path>), u64>,
    of: HashMap<Arc<Path>, u64>,
    /// The absences of files that came back, whether they exist now or are deleted again: the ticks of
    /// deletion and return.
    away: HashMap<Arc<Path>, VecDeque<(u64, u64)>>,
    returns: VecDeque<Arc<Path>>,
    forgotten: u64,
}

impl Tombstones {
    pub(super) fn add(&mut self, path: PathBuf, born: u64, tick: u64) {
        let path: Arc<Path> = Arc::from(path);
        self.all.insert((tick, Arc::clone(&path)), born);
        if let Some(before) = self.of.insert(Arc::clone(&path), tick).filter(|before| *before != tick) {
            // It was known twice, in a folder and as a hidden one.
            self.all.remove(&(before, path));
        }
        while self.all.len() > MAX_TOMBSTONES {
            let Some(((tick, path), _)) = self.all.pop_first() else { break };
            self.of.remove(&path);
            self.forgotten = self.forgotten.max(tick);
        }
    }

    pub(super) fn resurrect(&mut self, path: &Path, tick: u64) -> Option<u64> {
        let (path, removed_at) = self.of.remove_entry(path)?;
        let born = self.all.remove(&(removed_at, Arc::clone(&path)))?;
        // No caller can ask from within a tick.
        if removed_at < tick {
            self.away.entry(Arc::clone(&path)).or_default().push_back((removed_at, tick));
            self.returns.push_back(path);
            while self.returns.len() > MAX_ABSENCES {
                self.forget_absence();
            }
        }
        Some(born)
    }

    fn forget_absence(&mut self) {
        let Some(path) = self.returns.pop_front() else { return };
        let Some(absences) = self.away.get_mut(&path) else { return };
        if let Some((_, back)) = absences.pop_front() {
            self.forgotten = self.forgotten.max(back);
        }
        if absences.is_empty() {
            self.away.remove(&path);
        }
    }

    pub(super) fn was_away(&self, path: &Path, tick: u64) -> bool {
        let absences = self.away.get(path);
        absences.is_some_and(|all| all.iter().any(|(removed_at, back)| (*removed_at..*back).contains(&tick)))
    }

    pub(super) fn take(&mut self, path: &Path) -> Option<u64> {
        let (path, tick) = self.of.remove_entry(path)?;
        self.all.remove(&(tick, path))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    pub(super) fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// The last one first.
    pub(super) fn since(&self, tick: u64) -> impl Iterator<Item = &Path> {
        let later = self.all.iter().rev().take_while(move |((removed_at, _), _)| *removed_at > tick);
        let was_there =
            move |((_, path), born): &(&(u64, Arc<Path>), &u64)| **born <= tick && !self.was_away(path, tick);
        later.filter(was_there).map(|((_, path), _)| &**path)
    }
}
