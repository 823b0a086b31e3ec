//! The log of snapshots: each adds the few records that are new, and a snapshot is all records up to one.
//!
//! The log may have been written by anybody, where the state is in a project: a snapshot that makes no sense
//! is rejected. `encoding` encodes a record.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path};
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{Roots, Timestamp};
use clada_journal::{SnapshotLog, json};
use clada_watch::Care;
use serde::{Deserialize, Serialize};

use super::cache::{CachedSnapshot, Log, SnapshotCache};
use super::coverage::{Coverage, Room, resolve};
use super::encoding::{RecordHead, StampRecord, StoredPath, split};
use super::git::Git;
use super::repositories::Repositories;
use super::snapshot::TreeSnapshot;
use super::stamp::{ContentPlace, ContentRange, FileStamp, PriorState};
use super::take::Taken;
use super::visit::{Spared, Visit};

const STAMPS: usize = 4_096;
const BYTES: u64 = 1 << 20;
/// The most stamps and bytes that follow those that a log began with; then another log is begun.
const MORE: (usize, u64) = (2_000, 16 << 20);

/// Reads a record of a log, by the name of the log and the number of the record.
pub type LogRecords<'a> = &'a dyn Fn(&str, u64) -> Option<Vec<u8>>;

/// The data to write before a command runs.
#[derive(Debug)]
pub struct LogAppend {
    /// The snapshot: the last record that it consists of, and the action.
    pub snapshot: Vec<u8>,
    /// The required position of the log for the new records to follow; `None` begins another log.
    pub after: Option<SnapshotLog>,
    /// The new records, with their numbers.
    pub records: Vec<(u64, Vec<u8>)>,
    /// The name of the log.
    pub name: String,
}

/// A snapshot that was written before the action `seq`.
#[derive(Debug)]
pub struct SavedSnapshot {
    /// The snapshot.
    pub snapshot: TreeSnapshot,
    /// The action.
    pub seq: usize,
    /// The time by which its command had to be over.
    pub until: Timestamp,
}

/// The row of a snapshot.
#[derive(Debug, Serialize, Deserialize)]
struct LogRow {
    seq: usize,
    until: Timestamp,
    now: Timestamp,
    #[serde(rename = "seen")]
    coverage: Coverage,
    base: String,
    last: u64,
    /// The most bytes of one file that are kept.
    #[serde(default = "largest_of_command")]
    largest: u64,
}

fn largest_of_command() -> u64 {
    Room::COMMAND.file
}

impl TreeSnapshot {
    /// Takes a snapshot of the project of `roots`, which may read every path, as far as `cache` does not
    /// know it; `git` knows the committed contents, and there is `room` for the others. `position` is the
    /// position of the log that is kept: its name, and its last number. A `spared` path counts as not
    /// ignored.
    #[must_use]
    pub fn take(
        roots: &Roots,
        git: Git,
        cache: &SnapshotCache,
        position: Option<&SnapshotLog>,
        (room, spared): (Room, Option<&Spared>),
        now: Timestamp,
        stopped: &dyn Fn() -> bool,
    ) -> NewSnapshot {
        let before = cache.get().filter(|cached| {
            let Log { base, last, stamps: (first, more), bytes } = &cached.log;
            // A log that is mostly replaced stamps costs more to read back than a walk that begins another
            // one.
            let is_short = *more <= *first + MORE.0 && *bytes <= MORE.1;
            is_short && position.is_some_and(|position| (&position.name, &position.last) == (base, last))
        });
        let survey = cache.survey();
        let look = survey.as_deref().map(|survey| (survey, Care::Events, now));
        let visit = Visit { survey: look, spared, ..Visit::walk(roots, stopped) };
        let mut taken = Taken::take(visit, git, before.as_deref(), room, now);
        taken.snapshot = taken.snapshot.surveyed(cache, Care::Events);
        NewSnapshot { taken, before }
    }

    /// Returns the repositories of the project, if they were looked for.
    #[must_use]
    pub fn repositories(&self) -> Option<&Repositories> {
        self.repositories.as_ref()
    }

    /// Takes a snapshot of everything, for a caller that keeps no log.
    #[must_use]
    pub fn once(
        roots: &Roots,
        git: Git,
        spared: Option<&Spared>,
        now: Timestamp,
        stopped: &dyn Fn() -> bool,
    ) -> TreeSnapshot {
        let visit = Visit { spared, ..Visit::walk(roots, stopped) };
        Taken::take(visit, git, None, Room::COMMAND, now).snapshot
    }
}

/// A snapshot that is not written yet.
#[derive(Debug)]
pub struct NewSnapshot {
    taken: Taken,
    before: Option<Arc<CachedSnapshot>>,
}

/// A snapshot that is to be written, and the memory of it for afterwards.
#[derive(Debug)]
pub struct ReadySnapshot {
    snapshot: TreeSnapshot,
    append: LogAppend,
    cached: CachedSnapshot,
}

impl ReadySnapshot {
    /// Returns the snapshot.
    #[must_use]
    pub fn snapshot(&self) -> &TreeSnapshot {
        &self.snapshot
    }

    /// Returns the data to write.
    #[must_use]
    pub fn append(&self) -> &LogAppend {
        &self.append
    }

    /// Remembers in `cache` that the data is written, and returns the snapshot.
    #[must_use]
    pub fn remember(self, cache: &SnapshotCache) -> TreeSnapshot {
        cache.set(Some(self.cached));
        self.snapshot
    }
}

impl NewSnapshot {
    /// Returns the snapshot.
    #[must_use]
    pub fn snapshot(&self) -> &TreeSnapshot {
        &self.taken.snapshot
    }

    /// Returns the first error of the system that says nothing of the project, such as that no more files can be
    /// opened: the snapshot is not what is there.
    #[must_use]
    pub fn failed(&self) -> Option<&str> {
        self.taken.failed.as_deref()
    }

    /// Returns whether paths may be missing that the last snapshot has: they are gone, or ignored now.
    #[must_use]
    pub fn misses_any(&self) -> bool {
        let Taken { snapshot, new, removed, .. } = &self.taken;
        self.before.is_none()
            || !removed.is_empty()
            || snapshot.stamps.at(new).any(|stamp| stamp.is_ignored())
    }

    /// Returns the data to write for the action `seq`, whose command has to be over at `until`. A log that is
    /// begun is called `name`.
    #[must_use]
    pub fn ready(self, seq: usize, until: Timestamp, name: &str) -> ReadySnapshot {
        let NewSnapshot { taken: Taken { mut snapshot, new, removed, stamp, .. }, before } = self;
        let after = before.as_ref().map(|before| {
            let Log { base, last, .. } = &before.log;
            SnapshotLog { name: base.clone(), last: *last }
        });
        let (base, last) = after.clone().map_or_else(|| (name.to_owned(), 0), |log| (log.name, log.last));
        let mut writer = LogWriter { last, ..LogWriter::default() };
        writer.head.removed = removed.iter().map(|path| StoredPath::from_path(path)).collect();
        snapshot.stamps.change_each(&new, |stamp| writer.add(stamp));
        let (records, last, bytes) = writer.finish();
        let log = match &before {
            Some(before) => {
                let Log { stamps: (first, more), bytes: earlier, .. } = before.log;
                let more = more + new.len() + removed.len();
                Log { base: base.clone(), last, stamps: (first, more), bytes: earlier + bytes }
            }
            None => Log { base: base.clone(), last, stamps: (new.len(), 0), bytes: 0 },
        };
        let (now, coverage) = (snapshot.now, snapshot.coverage.clone());
        snapshot.log.clone_from(&base);
        let largest = snapshot.largest;
        let row = LogRow { seq, until, now, coverage, base: base.clone(), last, largest };
        let append = LogAppend { snapshot: json(&row), after, records, name: base };
        let (stamps, basis) = (snapshot.stamps.clone(), snapshot.basis.clone());
        let cached = CachedSnapshot { stamps, basis, stamp, log };
        ReadySnapshot { snapshot, append, cached }
    }
}

#[derive(Debug, Default)]
struct LogWriter {
    last: u64,
    head: RecordHead,
    contents: Vec<u8>,
    records: Vec<(u64, Vec<u8>)>,
    bytes: u64,
}

impl LogWriter {
    fn add(&mut self, stamp: &mut FileStamp) {
        if let PriorState::File(_, _, content) = &mut stamp.was
            && let ContentPlace::InMemory(bytes) = content
        {
            let (start, length) = (self.contents.len() as u64, bytes.len() as u64);
            self.contents.extend_from_slice(bytes);
            self.bytes += length;
            *content = ContentPlace::InLog(ContentRange { record: self.last + 1, start, length });
        }
        if let Some(entry) = StampRecord::from_stamp(stamp) {
            self.head.seen.push((StoredPath::from_path(&stamp.path), entry));
        }
        if self.head.seen.len() >= STAMPS || self.contents.len() as u64 >= BYTES {
            self.end_record();
        }
    }

    fn end_record(&mut self) {
        let head = json(&std::mem::take(&mut self.head));
        let mut record = (head.len() as u64).to_le_bytes().to_vec();
        record.extend_from_slice(&head);
        record.append(&mut self.contents);
        self.last += 1;
        self.records.push((self.last, record));
    }

    fn finish(mut self) -> (Vec<(u64, Vec<u8>)>, u64, u64) {
        // A log that begins has a record, also if the project is empty: the log has its name from that.
        if self.last == 0 || !self.head.seen.is_empty() || !self.head.removed.is_empty() {
            self.end_record();
        }
        (self.records, self.last, self.bytes)
    }
}

impl SavedSnapshot {
    /// Returns a snapshot from `cache` if that still is the one of this `row`: nothing is read.
    #[must_use]
    pub fn cached(row: &[u8], cache: &SnapshotCache, git: Git) -> Option<SavedSnapshot> {
        let LogRow { seq, until, now, coverage, base, last, largest } = serde_json::from_slice(row).ok()?;
        let cached = cache.get().filter(|cached| cached.log.base == base && cached.log.last == last)?;
        let (stamps, basis) = (cached.stamps.clone(), cached.basis.clone());
        let (repositories, survey, log) = (None, None, base);
        let snapshot = TreeSnapshot { stamps, coverage, now, git, repositories, largest, log, survey, basis };
        Some(SavedSnapshot { snapshot, seq, until })
    }

    /// Reads a snapshot back for the project of `roots`, which it was taken of, from the log; `None` if it
    /// makes no sense.
    #[must_use]
    pub fn read(row: &[u8], records: LogRecords<'_>, roots: &Roots, git: Git) -> Option<SavedSnapshot> {
        let LogRow { seq, until, now, mut coverage, base, last, largest } =
            serde_json::from_slice(row).ok()?;
        // Each record replaces or removes stamps of the earlier ones.
        let mut stamps: BTreeMap<Vec<u8>, Arc<FileStamp>> = BTreeMap::new();
        for number in 1..=last {
            let record = records(&base, number)?;
            let (head, contents) = split(&record)?;
            for name in &head.removed {
                stamps.remove(name.as_os().as_bytes());
            }
            for (name, entry) in head.seen {
                let name = name.as_os();
                let range = entry.was.range().filter(|range| range.record == number);
                // A range that its record does not have: the file was cut or changed, and none of it can be
                // trusted.
                if range.is_some_and(|range| range.slice(contents).is_none()) {
                    return None;
                }
                let stamp = entry.stamp(Path::new(&name), now)?;
                match is_plain(Path::new(&name)) && resolve(roots, Path::new(&name)).is_some() {
                    true => drop(stamps.insert(name.into_vec(), Arc::new(stamp))),
                    false => coverage.cut = true,
                }
            }
        }
        let stamps = stamps.into_values().collect();
        let (repositories, survey, basis, log) = (None, None, None, base);
        let snapshot = TreeSnapshot { stamps, coverage, now, git, repositories, largest, log, survey, basis };
        Some(SavedSnapshot { snapshot, seq, until })
    }
}

fn is_plain(path: &Path) -> bool {
    path.components().all(|part| matches!(part, Component::Normal(_)))
}

/// The last record stays in memory: the next request is mostly near the one before.
pub(super) struct LogReader<'a> {
    records: LogRecords<'a>,
    log: &'a str,
    last: RefCell<Option<(u64, Vec<u8>)>>,
}

impl<'a> LogReader<'a> {
    pub(super) fn new(records: LogRecords<'a>, log: &'a str) -> LogReader<'a> {
        LogReader { records, log, last: RefCell::new(None) }
    }

    pub(super) fn content(&self, hash: &Hash, content: &ContentPlace) -> Option<Arc<[u8]>> {
        let range = match content {
            ContentPlace::InMemory(bytes) => return Some(Arc::clone(bytes)),
            ContentPlace::InLog(range) => range,
        };
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(number, _)| *number != range.record) {
            *last = Some((range.record, (self.records)(self.log, range.record)?));
        }
        let (_, record) = last.as_ref()?;
        let length = record.first_chunk::<8>().map(|length| u64::from_le_bytes(*length))?;
        let contents = record.get(8_usize.checked_add(usize::try_from(length).ok()?)?..)?;
        let bytes = range.slice(contents).filter(|bytes| blake3::hash(bytes) == *hash)?;
        Some(bytes.into())
    }
}
