//! Files that are gone, for whoever asks what changed since they were there, and when those were gone that are back. Pure
//! data.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Files that are remembered. Whoever asks for what changed before the oldest of them gets everything.
const MAX_GRAVES: usize = 200_000;

/// Absences of files that are remembered; beyond, the same.
const MAX_ABSENCES: usize = 100_000;

/// Those that are remembered.
#[derive(Debug, Default)]
pub(super) struct Graves {
    /// When they went, and since when they were there.
    all: BTreeMap<(u64, Arc<Path>), u64>,
    of: HashMap<Arc<Path>, u64>,
    /// When files went that came back, whether they are there now or have gone again, and when they came back.
    away: HashMap<Arc<Path>, VecDeque<(u64, u64)>>,
    /// The same in the order in which they came back.
    returns: VecDeque<Arc<Path>>,
    forgotten: u64,
}

impl Graves {
    /// The file at `path`, there since `born`, went at `tick`.
    pub(super) fn add(&mut self, path: PathBuf, born: u64, tick: u64) {
        let path: Arc<Path> = Arc::from(path);
        self.all.insert((tick, Arc::clone(&path)), born);
        if let Some(before) = self.of.insert(Arc::clone(&path), tick).filter(|before| *before != tick) {
            // It was known twice, in a folder and as a hidden one.
            self.all.remove(&(before, path));
        }
        while self.all.len() > MAX_GRAVES {
            let Some(((tick, path), _)) = self.all.pop_first() else { break };
            self.of.remove(&path);
            self.forgotten = self.forgotten.max(tick);
        }
    }

    /// There is a file again at `tick`: since when it was there, apart from when it was not.
    pub(super) fn dig(&mut self, path: &Path, tick: u64) -> Option<u64> {
        let (path, gone) = self.of.remove_entry(path)?;
        let born = self.all.remove(&(gone, Arc::clone(&path)))?;
        // Nobody can ask from within a tick.
        if gone < tick {
            self.away.entry(Arc::clone(&path)).or_default().push_back((gone, tick));
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

    /// Whether what was there before `tick` and later was gone at it.
    pub(super) fn was_away(&self, path: &Path, tick: u64) -> bool {
        let absences = self.away.get(path);
        absences.is_some_and(|all| all.iter().any(|(gone, back)| (*gone..*back).contains(&tick)))
    }

    /// Nobody is to be told that it went: since when it was there.
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
        let was_there =
            move |((_, path), born): &(&(u64, Arc<Path>), &u64)| **born <= tick && !self.was_away(path, tick);
        later.filter(was_there).map(|((_, path), _)| &**path)
    }
}
