//! What could not be brought back if a command changed it: told before a person lets the command run.
//!
//! Reads no file: what there would be room for is known from sizes.

use super::cursor::Cursor;
use super::git::Git;
use super::memory::{Memory, Remembered};
use super::sight::{BYTES, FILE, Look, Was};
use super::walk;
use crate::fs::{FileKind, Roots, Timestamp};

/// Paths that are named; the others are counted.
const NAMED: usize = 20;

/// What a command could take away for good.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AtRisk {
    /// The first of the paths, from the root; a folder, with all that is in it, ends in `/`.
    pub paths: Vec<String>,
    /// How many there are.
    pub count: usize,
    /// Whether everything was looked at.
    pub complete: bool,
}

impl AtRisk {
    /// Looks at the project of `roots`, which may look at every path, as far as `memory` does not know it; `git` knows
    /// what git has of it.
    #[must_use]
    pub fn of(roots: &Roots, git: &Git, memory: &Memory, stopped: &dyn Fn() -> bool) -> AtRisk {
        let mut found = AtRisk::default();
        let mut room = BYTES;
        let remembered = memory.get().filter(|remembered| remembered.standing().is_some());
        let mut cursor = Cursor::new(remembered.as_deref().map_or(&[], Remembered::sights));
        let look = Look::new(roots, Some(git), Timestamp { seconds: 0, nanoseconds: 0 });
        let seen = walk(roots, stopped, &mut |met| {
            let (_, before) = cursor.go_to(met.path.relative());
            let is_folder = met.stat.kind == FileKind::Directory;
            if !met.is_ignored {
                let known = before.filter(|before| before.settled && before.is(&met.stat));
                let is_committed = || match known.map(|known| &known.was) {
                    Some(Was::Committed(..)) => true,
                    Some(Was::File(..)) => false,
                    _ => look.blob(&met.path, &met.stat).is_some(),
                };
                if met.stat.kind != FileKind::File || is_committed() {
                    return;
                }
                if met.stat.size <= FILE.min(room) {
                    room -= met.stat.size;
                    return;
                }
            }
            found.count += 1;
            if found.paths.len() < NAMED {
                let shown = met.path.relative().to_string_lossy().into_owned();
                found.paths.push(if is_folder { shown + "/" } else { shown });
            }
        });
        AtRisk { complete: seen.is_all(), ..found }
    }
}
