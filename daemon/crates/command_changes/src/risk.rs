//! The paths that could not be restored if a command changed them, and the files that it would change
//! outside: reported before a user lets the command run.
//!
//! Reads no file: the room is computed from sizes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, Roots, Stat, Timestamp};
use clada_watch::Care;

use super::cache::SnapshotCache;
use super::coverage::Room;
use super::git::Git;
use super::stamp::{PriorState, StampReader};
use super::stamps::{StampCursor, Stamps};
use super::visit::Visit;

const NAMED: usize = 20;
const LINKED: usize = 5;

/// The files that a command could destroy for good.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtRisk {
    /// The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
    pub paths: Vec<String>,
    /// The number of paths.
    pub count: usize,
    /// Files with further names that were not visited: outside of the project, or where git ignores them.
    pub linked: Linked,
    /// True if everything was visited.
    pub complete: bool,
}

/// Files through which a command would change something elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Linked {
    /// The first of their paths, from the root.
    pub paths: Vec<String>,
    /// The number of them.
    pub count: usize,
}

#[derive(Debug, Default)]
struct LinkedNames(HashMap<(u64, u64), NamedLinks>);

#[derive(Debug)]
struct NamedLinks {
    first: PathBuf,
    visited: u64,
    all: u64,
}

impl LinkedNames {
    fn add(&mut self, path: &Path, stat: &Stat) {
        if stat.kind == FileKind::File && stat.nlink > 1 {
            let first = || NamedLinks { first: path.to_path_buf(), visited: 0, all: stat.nlink };
            self.0.entry((stat.dev, stat.ino)).or_insert_with(first).visited += 1;
        }
    }

    fn linked(self) -> Linked {
        let mut paths: Vec<PathBuf> =
            self.0.into_values().filter(|named| named.visited < named.all).map(|named| named.first).collect();
        paths.sort();
        let named = paths.iter().take(LINKED).map(|path| path.to_string_lossy().into_owned());
        Linked { paths: named.collect(), count: paths.len() }
    }
}

impl AtRisk {
    /// Walks the project of `roots`, which may read every path, as far as `cache` does not know it; `git`
    /// knows the committed contents. `now` is the time.
    #[must_use]
    pub fn scan(
        roots: &Roots,
        git: &Git,
        cache: &SnapshotCache,
        now: Timestamp,
        stopped: &dyn Fn() -> bool,
    ) -> AtRisk {
        let mut at_risk = AtRisk::default();
        let Room { file: largest, bytes: mut room } = Room::COMMAND;
        let cached = cache.get().filter(|cached| cached.current_stamp().is_some());
        let nothing = Stamps::default();
        let mut cursor = StampCursor::new(cached.as_deref().map_or(&nothing, |cached| &cached.stamps).iter());
        let reader = StampReader::new(roots, Some(git), Timestamp { seconds: 0, nanoseconds: 0 }, largest);
        let mut names = LinkedNames::default();
        // Files take up the room in the order of the walk, as they do when the snapshot is taken.
        let survey = cache.survey();
        let look = survey.as_deref().map(|survey| (survey, Care::Events, now));
        let visit = Visit { survey: look, ..Visit::walk(roots, stopped) };
        let extent = visit.run(&mut |entry| {
            names.add(entry.relative(), &entry.stat);
            let before = cursor.go_to(entry.relative(), |_| {});
            let is_folder = entry.stat.kind == FileKind::Directory;
            if !entry.is_ignored {
                let known = before.filter(|before| before.settled && before.is(&entry.stat));
                let is_committed = || match known.map(|known| &known.was) {
                    Some(PriorState::Committed(..)) => true,
                    Some(PriorState::File(..)) => false,
                    _ => reader.blob(&entry.path(), &entry.stat).is_some(),
                };
                if entry.stat.kind != FileKind::File || is_committed() {
                    return;
                }
                if entry.stat.size <= largest.min(room) {
                    room -= entry.stat.size;
                    return;
                }
            }
            at_risk.count += 1;
            if at_risk.paths.len() < NAMED {
                let shown = entry.relative().to_string_lossy().into_owned();
                at_risk.paths.push(if is_folder { shown + "/" } else { shown });
            }
        });
        AtRisk { complete: extent.coverage.is_all(), linked: names.linked(), ..at_risk }
    }
}
