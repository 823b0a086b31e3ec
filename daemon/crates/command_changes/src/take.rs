//! Takes a snapshot, starting from the last one.
//!
//! The memory of a path counts if the path shows no change and reading it again would find the same: a test
//! compares both exactly.

use std::path::Path;
use std::sync::Arc;

use clada_fs::{FileKind, Timestamp};
use clada_git::IndexStamp;
use clada_watch::Part;

use super::cache::CachedSnapshot;
use super::coverage::{Basis, Room};
use super::git::Git;
use super::snapshot::TreeSnapshot;
use super::stamp::{FileStamp, PriorState, StampReader};
use super::stamps::{StampCursor, StampPlace, Stamps, StampsBuilder};
use super::visit::{Looked, Visit, VisitExtent, VisitedEntry};

#[derive(Debug)]
pub(super) struct Taken {
    pub(super) snapshot: TreeSnapshot,
    pub(super) new: Vec<usize>,
    pub(super) removed: Vec<Box<Path>>,
    pub(super) stamp: Option<IndexStamp>,
    /// The first error of the system that says nothing of the project: what was taken is not what is there.
    pub(super) failed: Option<String>,
}

/// The most uncertain paths beside which only the changed parts are visited.
const UNCERTAIN: usize = 4_096;

impl Taken {
    pub(super) fn take(
        visit: Visit<'_>,
        git: Git,
        cached: Option<&CachedSnapshot>,
        room: Room,
        now: Timestamp,
    ) -> Taken {
        let stamp = cached.and_then(CachedSnapshot::current_stamp);
        // Another index may have more of the files, or less; without one git has none.
        let asks =
            stamp.is_none() && cached.is_some_and(|cached| cached.stamp.is_some() || git.stamp().is_some());
        let reader = StampReader::new(visit.roots, Some(&git), now, room.file).beside(stamp.as_ref());
        // Looked at after git's index was: what is newer than that is found.
        let looked = visit.look();
        let before = cached.filter(|_| !asks).and_then(|cached| cached.basis.as_ref());
        let before = before.filter(|basis| basis.room == room && basis.coverage.failed.is_none());
        let parts = before.and_then(|basis| looked.since(basis));
        let nothing = Stamps::default();
        let mut update = Update {
            stamps: cached.map_or(&nothing, |cached| &cached.stamps),
            reader,
            asks,
            largest: room.file,
            room: room.bytes,
            takes: 0,
            lost: 0,
            now,
            builder: StampsBuilder::default(),
            new: Vec::new(),
            removed: Vec::new(),
            uncertain: Vec::new(),
        };
        let extent = match (parts, before) {
            (Some(parts), Some(basis)) => {
                (update.takes, update.lost) = (basis.takes, basis.lost);
                update.parts(&looked, &parts);
                let (coverage, repositories) = (basis.coverage.clone(), basis.repositories.clone());
                VisitExtent { coverage, repositories, look: looked.look() }
            }
            _ => update.all(looked),
        };
        let Update { reader, builder, new, removed, uncertain, takes, lost, .. } = update;
        let VisitExtent { coverage, repositories, look } = extent;
        let failed = coverage.failed.clone().or_else(|| reader.failure().map(|error| error.to_string()));
        let basis = look.filter(|_| uncertain.len() <= UNCERTAIN).map(|look| Basis {
            look,
            uncertain,
            room,
            takes,
            lost,
            coverage: coverage.clone(),
            repositories: repositories.clone(),
        });
        let stamp = stamp.or_else(|| git.stamp().cloned());
        Taken {
            snapshot: TreeSnapshot {
                stamps: builder.finish(),
                coverage,
                now,
                git,
                repositories: Some(repositories),
                largest: room.file,
                log: String::new(),
                survey: None,
                basis,
            },
            new,
            removed,
            stamp,
            failed,
        }
    }
}

struct Update<'a> {
    stamps: &'a Stamps,
    reader: StampReader<'a>,
    asks: bool,
    largest: u64,
    room: u64,
    takes: u64,
    lost: usize,
    now: Timestamp,
    builder: StampsBuilder,
    new: Vec<usize>,
    removed: Vec<Box<Path>>,
    uncertain: Vec<Box<Path>>,
}

impl<'a> Update<'a> {
    fn all(&mut self, looked: Looked<'_>) -> VisitExtent {
        let mut cursor = StampCursor::new(self.stamps.iter());
        let extent = looked.all(&mut |entry| self.entry(&mut cursor, &entry));
        self.mark_removed(cursor.rest());
        extent
    }

    fn parts(&mut self, looked: &Looked<'_>, parts: &[Part]) {
        let stamps = self.stamps;
        let ranges: Vec<(StampPlace, StampPlace)> = parts.iter().map(|part| stamps.range(part)).collect();
        for stamp in ranges.iter().flat_map(|(from, to)| stamps.between(*from, *to)) {
            self.takes = self.takes.saturating_sub(stamp.takes());
            self.lost = self.lost.saturating_sub(usize::from(stamp.is_lost()));
        }
        self.room = self.room.saturating_sub(self.takes);
        let mut done = (0, 0);
        for (part, (from, to)) in parts.iter().zip(ranges) {
            self.builder.share(stamps, done, from);
            let mut cursor = StampCursor::new(stamps.between(from, to));
            looked.visit(part, &mut |entry| self.entry(&mut cursor, &entry));
            self.mark_removed(cursor.rest());
            done = to;
        }
        self.builder.share(stamps, done, stamps.range(&Part::All).1);
    }

    fn mark_removed<'s>(&mut self, stamps: impl Iterator<Item = &'s Arc<FileStamp>>) {
        self.removed.extend(stamps.map(|stamp| stamp.path.clone()));
    }

    fn entry<'s, I: Iterator<Item = &'s Arc<FileStamp>>>(
        &mut self,
        cursor: &mut StampCursor<'s, I>,
        entry: &VisitedEntry<'_>,
    ) {
        let removed = &mut self.removed;
        let before = cursor.go_to(entry.relative(), |passed| removed.push(passed.path.clone()));
        let known = before.filter(|stamp| stamp.settled && self.holds(stamp, entry));
        let stamp = match known {
            Some(stamp) => Arc::clone(stamp),
            None => {
                let before = before.map(AsRef::as_ref);
                let stamp = match entry.is_ignored {
                    true => FileStamp::ignored(entry.relative(), &entry.stat, self.now),
                    false => FileStamp::read(&self.reader, &entry.path(), &entry.stat, before, self.room),
                };
                if !before.is_some_and(|before| before.says_as_much_as(&stamp)) {
                    self.new.push(self.builder.len());
                }
                Arc::new(stamp)
            }
        };
        // What has no room has none until everything is visited.
        let is_large = stamp.kind == FileKind::File && entry.stat.size > self.largest.min(self.room);
        if stamp.may_hide() || stamp.is_lost() && !is_large {
            self.uncertain.push(stamp.path.clone());
        }
        self.room = self.room.saturating_sub(stamp.takes());
        self.takes += stamp.takes();
        self.lost += usize::from(stamp.is_lost());
        self.builder.push(stamp);
    }

    fn holds(&self, stamp: &FileStamp, entry: &VisitedEntry<'_>) -> bool {
        if stamp.is_ignored() != entry.is_ignored || !stamp.is(&entry.stat) {
            return false;
        }
        let blob = || if self.asks { self.reader.blob(&entry.path(), &entry.stat) } else { None };
        match &stamp.was {
            PriorState::Ignored | PriorState::Folder | PriorState::Link(_) => true,
            PriorState::Committed(id, _) => !self.asks || blob() == Some(*id),
            PriorState::File(..) => entry.stat.size <= self.room && blob().is_none(),
            // A file that could not be read may be readable now.
            PriorState::Lost => {
                let is_file = entry.stat.kind == FileKind::File;
                is_file && entry.stat.size > self.largest.min(self.room) && blob().is_none()
            }
        }
    }
}
