//! Takes a snapshot, starting from the last one.
//!
//! The memory of a path counts if the path shows no change and reading it anew would find the same: a test
//! compares both exactly.

use std::path::Path;
use std::sync::Arc;

use clada_fs::{FileKind, Roots, Timestamp};
use clada_git::IndexStamp;

use super::cursor::Cursor;
use super::git::Git;
use super::memory::Remembered;
use super::sight::{BYTES, FILE, Look, Sight, Was};
use super::{Met, Spared, Survey, walk};

/// A snapshot, and the part of it that is new.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) survey: Survey,
    /// The sights that differ from the remembered ones.
    pub(super) new: Vec<usize>,
    /// The remembered paths that were not visited.
    pub(super) gone: Vec<Box<Path>>,
    /// The stamp of git's index that it goes by.
    pub(super) stamp: Option<IndexStamp>,
}

impl Taken {
    /// Takes a snapshot of the project of `roots`, which may read every path; `git` knows the committed
    /// contents. A `spared` path counts as not ignored.
    pub(super) fn take(
        roots: &Roots,
        git: Git,
        remembered: Option<&Remembered>,
        spared: Option<&Spared>,
        now: Timestamp,
        stopped: &dyn Fn() -> bool,
    ) -> Taken {
        let stamp = remembered.and_then(Remembered::standing);
        // Another index may have more of the files, or less.
        let asks = stamp.is_none() && remembered.is_some() && git.stamp().is_some();
        let look = Look::new(roots, Some(&git), now);
        let (mut sights, mut new, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        let mut cursor = Cursor::new(remembered.map_or(&[], |remembered| &remembered.sights));
        let mut room = BYTES;
        let (seen, repositories) = walk(roots, spared, stopped, &mut |met| {
            let (passed, before) = cursor.go_to(met.path.relative());
            gone.extend(passed.iter().map(|sight| sight.path.clone()));
            let known = before.filter(|sight| sight.settled && holds(sight, &met, room, &look, asks));
            let sight = match known {
                Some(sight) => Arc::clone(sight),
                None => {
                    let before = before.map(AsRef::as_ref);
                    let sight = match met.is_ignored {
                        true => Sight::ignored(&met.path, &met.stat, now),
                        false => Sight::look(&look, &met.path, &met.stat, before, room),
                    };
                    if !before.is_some_and(|before| before.says_as_much_as(&sight)) {
                        new.push(sights.len());
                    }
                    Arc::new(sight)
                }
            };
            room = room.saturating_sub(sight.takes());
            sights.push(sight);
        });
        gone.extend(cursor.rest().iter().map(|sight| sight.path.clone()));
        let stamp = stamp.or_else(|| git.stamp().cloned());
        Taken {
            survey: Survey { sights, seen, now, git, repositories: Some(repositories) },
            new,
            gone,
            stamp,
        }
    }
}

/// Returns whether the remembered sight is what reading would find; `asks` if git has to be asked again.
fn holds(sight: &Sight, met: &Met, room: u64, look: &Look<'_>, asks: bool) -> bool {
    if sight.is_ignored() != met.is_ignored || !sight.is(&met.stat) {
        return false;
    }
    let blob = || if asks { look.blob(&met.path, &met.stat) } else { None };
    match &sight.was {
        Was::Ignored | Was::Folder | Was::Link(_) => true,
        Was::Committed(id, _) => !asks || blob() == Some(*id),
        Was::File(..) => met.stat.size <= room && blob().is_none(),
        // A file that could not be read may be readable now.
        Was::Lost => met.stat.kind == FileKind::File && met.stat.size > FILE.min(room) && blob().is_none(),
    }
}
