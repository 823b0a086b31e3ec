//! Takes a snapshot, starting from the last one.
//!
//! The memory of a path counts if the path shows no change and reading it anew would find the same: a test
//! compares both exactly.

use std::path::Path;
use std::sync::Arc;

use clada_fs::{FileKind, Timestamp};
use clada_git::IndexStamp;

use super::cache::CachedSnapshot;
use super::cursor::Cursor;
use super::git::Git;
use super::stamp::{FileStamp, PriorState, StampReader};
use super::visit::{Visit, VisitedEntry};
use super::{Room, TreeSnapshot};

/// A snapshot, and the part of it that is new.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) snapshot: TreeSnapshot,
    /// The stamps that differ from the cached ones.
    pub(super) new: Vec<usize>,
    /// The cached paths that were not visited.
    pub(super) gone: Vec<Box<Path>>,
    /// The stamp of git's index that it goes by.
    pub(super) stamp: Option<IndexStamp>,
}

impl Taken {
    /// Takes a snapshot of what `visit` visits, of which every path may be read; `git` knows the committed
    /// contents, and there is `room` for the others.
    pub(super) fn take(
        visit: Visit<'_>,
        git: Git,
        cached: Option<&CachedSnapshot>,
        room: Room,
        now: Timestamp,
    ) -> Taken {
        let stamp = cached.and_then(CachedSnapshot::current_stamp);
        // Another index may have more of the files, or less.
        let asks = stamp.is_none() && cached.is_some() && git.stamp().is_some();
        let reader = StampReader::new(visit.roots, Some(&git), now, room.file);
        let (mut stamps, mut new, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        let mut cursor = Cursor::new(cached.map_or(&[], |cached| &cached.stamps));
        let (largest, mut room) = (room.file, room.bytes);
        let (coverage, repositories) = visit.run(&mut |entry| {
            let (passed, before) = cursor.go_to(entry.relative());
            gone.extend(passed.iter().map(|stamp| stamp.path.clone()));
            let known =
                before.filter(|stamp| stamp.settled && holds(stamp, &entry, (largest, room), &reader, asks));
            let stamp = match known {
                Some(stamp) => Arc::clone(stamp),
                None => {
                    let before = before.map(AsRef::as_ref);
                    let stamp = match entry.is_ignored {
                        true => FileStamp::ignored(entry.relative(), &entry.stat, now),
                        false => FileStamp::read(&reader, &entry.path(), &entry.stat, before, room),
                    };
                    if !before.is_some_and(|before| before.says_as_much_as(&stamp)) {
                        new.push(stamps.len());
                    }
                    Arc::new(stamp)
                }
            };
            room = room.saturating_sub(stamp.takes());
            stamps.push(stamp);
        });
        gone.extend(cursor.rest().iter().map(|stamp| stamp.path.clone()));
        let stamp = stamp.or_else(|| git.stamp().cloned());
        Taken {
            snapshot: TreeSnapshot {
                stamps,
                coverage,
                now,
                git,
                repositories: Some(repositories),
                largest,
                log: String::new(),
                survey: None,
            },
            new,
            gone,
            stamp,
        }
    }
}

/// Returns whether the cached stamp is what reading would find; `asks` if git has to be asked again.
fn holds(
    stamp: &FileStamp,
    entry: &VisitedEntry<'_>,
    (largest, room): (u64, u64),
    reader: &StampReader<'_>,
    asks: bool,
) -> bool {
    if stamp.is_ignored() != entry.is_ignored || !stamp.is(&entry.stat) {
        return false;
    }
    let blob = || if asks { reader.blob(&entry.path(), &entry.stat) } else { None };
    match &stamp.was {
        PriorState::Ignored | PriorState::Folder | PriorState::Link(_) => true,
        PriorState::Committed(id, _) => !asks || blob() == Some(*id),
        PriorState::File(..) => entry.stat.size <= room && blob().is_none(),
        // A file that could not be read may be readable now.
        PriorState::Lost => {
            entry.stat.kind == FileKind::File && entry.stat.size > largest.min(room) && blob().is_none()
        }
    }
}
