//! Collects the files to stage: reads changed files, brings the index up to date, and hands on those with
//! another content than at the baseline.
//!
//! A file is read once, and the content that was read is hashed, recorded and handed on. Must not know where
//! it goes, nor how the change became known.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use clada_fs::Identity;
use clada_store::StoreError;

use super::error::StageError;
use super::file_index::{Before, ContentHash, FileIndex};
use super::ignore::StageIgnore;
use super::names::flat;
use super::reader::{ReadOutcome, ReadText, StageReader, packed, seconds};

const MAX_OMITTED: usize = 1_000;

/// The files that are to be staged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The changes since the baseline.
    Changed,
    /// Everything.
    All,
}

/// The known state of the project.
#[derive(Debug)]
pub enum ObservedFiles {
    /// The changes since the index was brought up to date.
    Since(Touched<PathBuf>),
    /// Every file.
    All(Vec<(PathBuf, Identity)>),
}

/// Files that are not as they were, in the order of their paths.
#[derive(Debug)]
pub struct Touched<P> {
    /// Files that are not part of the project any more. They may still exist, where a rule hides them by now.
    pub removed: Vec<P>,
    /// Files that are to be read.
    pub to_read: Vec<P>,
}

/// The care with which files are checked that seem to be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Care {
    /// They are taken as the same.
    Trust,
    /// The rules have changed by which files are chosen, and are applied again.
    Rules,
    /// Every file is checked.
    EveryFile,
}

/// A file that was handed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// From the root.
    pub path: PathBuf,
    /// Its flat name.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

/// A file that is not staged any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedFile {
    /// From the root.
    pub path: PathBuf,
    /// Its flat name.
    pub name: String,
}

/// A file that has another path by now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// The old one.
    pub from: PathBuf,
    /// The new one.
    pub to: PathBuf,
}

/// The outcome of collecting.
#[derive(Debug, Default)]
pub struct Collected {
    /// The files that were handed on, in the order of their paths, for each round.
    pub copied: Vec<Copied>,
    /// The files of the baseline that the project no longer has.
    pub removed: Vec<RemovedFile>,
    /// The removed files that have come back elsewhere.
    pub renamed: Vec<Renamed>,
    /// The files that are not staged, and why, in the order of their paths: also those that were left out
    /// before.
    pub omitted: Vec<(PathBuf, String)>,
    /// There are more left-out files.
    pub omits_more: bool,
    /// Nothing was handed over for this baseline before.
    pub first_run: bool,
}

pub(super) struct Collector<'a, 'c> {
    file_index: &'a mut FileIndex<'c>,
    reader: &'a StageReader<'a>,
    ignore: &'a StageIgnore,
    stop: &'a dyn Fn() -> bool,
    sink: &'a mut dyn Sink,
    whole: bool,
    before: BTreeMap<Vec<u8>, Before>,
    done: HashSet<Vec<u8>>,
    collected: Collected,
}

pub(super) struct CollectContext<'a> {
    /// Reads files.
    pub reader: &'a StageReader<'a>,
    /// The rules about files that are left out.
    pub ignore: &'a StageIgnore,
    /// Returns true to end early.
    pub stop: &'a dyn Fn() -> bool,
    pub(super) sink: &'a mut dyn Sink,
    pub(super) baseline: &'a str,
    pub(super) scope: Scope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    Whole,
    Parts,
}

pub(super) trait Sink {
    fn put(&mut self, name: &str, text: &ReadText) -> Result<(), StageError>;

    fn version(&self) -> Option<i64>;

    fn reuse(&mut self, name: &str, how: Reuse) -> Option<u64>;
}

pub(super) fn collect(
    file_index: &mut FileIndex<'_>,
    context: CollectContext<'_>,
    index: ObservedFiles,
    care: Care,
) -> Result<Collected, StageError> {
    let CollectContext { reader, ignore, stop, sink, baseline, scope } = context;
    let base = file_index.baseline(baseline)?;
    let before = base.map(|version| file_index.since(version)).transpose()?.unwrap_or_default();
    let collected = Collected { first_run: base.is_none(), ..Collected::default() };
    let whole = scope == Scope::All || base.is_none();
    let done = HashSet::new();
    let mut collector = Collector { file_index, reader, ignore, stop, sink, whole, before, done, collected };
    let Touched { removed, to_read } = collector.changed(index, care)?;
    // Deleted files go first: their names may be wanted.
    removed.into_iter().try_for_each(|path| collector.record(path, ReadOutcome::Absent))?;
    to_read.into_iter().try_for_each(|path| collector.read(path))?;
    collector.rest()?;
    collector.compare()?;
    let mut omitted = collector.file_index.omitted(MAX_OMITTED + 1)?;
    collector.collected.omits_more = omitted.len() > MAX_OMITTED;
    omitted.truncate(MAX_OMITTED);
    collector.collected.omitted =
        omitted.into_iter().map(|(path, reason)| (into_path(path), reason)).collect();
    Ok(collector.collected)
}

impl Collector<'_, '_> {
    fn changed(&self, index: ObservedFiles, care: Care) -> Result<Touched<Vec<u8>>, StageError> {
        let files = match index {
            // One file can be in both lists: it went and came back. Reading decides then, so that list has
            // it.
            ObservedFiles::Since(Touched { removed, to_read }) => {
                let mut seen = HashSet::new();
                let mut once = |paths: Vec<PathBuf>| -> Vec<Vec<u8>> {
                    paths.into_iter().map(into_bytes).filter(|path| seen.insert(path.clone())).collect()
                };
                let to_read = once(to_read);
                return Ok(Touched { removed: once(removed), to_read });
            }
            ObservedFiles::All(files) => files,
        };
        self.file_index.forget_omitted()?;
        let mut files: Vec<(Vec<u8>, Identity)> = files
            .into_iter()
            .filter(|(path, _)| !self.ignore.leaves_out(path))
            .map(|(path, identity)| (into_bytes(path), identity))
            .collect();
        files.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let (mut removed, mut to_read) = (Vec::new(), Vec::new());
        let mut files = files.into_iter().peekable();
        // Both lists are in the order of paths, so one pass finds the files that are new, gone or different.
        self.file_index.files(|path, row| {
            while let Some((new, _)) = files.next_if(|(new, _)| *new < path) {
                to_read.push(new);
            }
            let Some((path, identity)) = files.next_if(|(new, _)| *new == path) else {
                removed.push(path);
                return Ok::<_, StageError>(());
            };
            if (self.stop)() {
                return Err(StageError::Stopped);
            }
            let is_other = row.identity != Some(packed(&identity))
                || match care {
                    Care::Trust => false,
                    Care::Rules => self.reader.refusal(as_path(&path), identity.size)?.is_some(),
                    Care::EveryFile => self.reader.identity(as_path(&path))? != Some(identity),
                };
            if is_other {
                to_read.push(path);
            }
            Ok(())
        })?;
        to_read.extend(files.map(|(path, _)| path));
        Ok(Touched { removed, to_read })
    }

    fn read(&mut self, path: Vec<u8>) -> Result<(), StageError> {
        if (self.stop)() {
            return Err(StageError::Stopped);
        }
        let outcome = match self.ignore.leaves_out(as_path(&path)) {
            true => ReadOutcome::Absent,
            false => self.reader.read_file(as_path(&path))?,
        };
        self.record(path, outcome)
    }

    fn record(&mut self, path: Vec<u8>, outcome: ReadOutcome) -> Result<(), StageError> {
        let old = self.file_index.file(&path)?;
        let was = || Before {
            content: old.as_ref().and_then(|row| row.content),
            name: old.as_ref().and_then(|row| row.name.clone()),
        };
        let state = match outcome {
            ReadOutcome::Read(state) => state,
            ReadOutcome::Absent | ReadOutcome::Omitted(_) => {
                if let Some(row) = &old {
                    self.file_index.remove(&path, row)?;
                    self.before.entry(path.clone()).or_insert_with(was);
                }
                let reason = if let ReadOutcome::Omitted(reason) = outcome { Some(reason) } else { None };
                return Ok(self.file_index.omit(&path, reason)?);
            }
        };
        let content: Option<ContentHash> = state.text.as_ref().map(|text| *text.hash.as_bytes());
        let now = seconds(self.reader.now);
        let name = self.file_index.put(&path, old.as_ref(), state.identity, content, now)?;
        // A file that was staged before has no reason on record.
        if content.is_some() && was().content.is_none() {
            self.file_index.omit(&path, None)?;
        }
        if was().content != content {
            // The first state since the baseline counts: what came in between was never handed over.
            self.before.entry(path.clone()).or_insert_with(was);
        }
        match (state.text, name) {
            (Some(text), Some(name)) => {
                let at_baseline = self.before.get(&path).map_or(was().content, |before| before.content);
                if self.whole || at_baseline != content {
                    self.sink.put(&name, &text)?;
                    let size = text.bytes.len() as u64;
                    self.collected.copied.push(Copied { path: into_path(path.clone()), name, size });
                }
            }
            _ => self.file_index.omit(&path, Some("not text"))?,
        }
        self.done.insert(path);
        Ok(())
    }

    fn rest(&mut self) -> Result<(), StageError> {
        let mut rest = Vec::new();
        if self.whole {
            let done = &self.done;
            self.file_index.files(|path, row| {
                if row.content.is_some() && !done.contains(&path) {
                    rest.push(path);
                }
                Ok::<_, rusqlite::Error>(())
            })?;
        } else {
            for (path, before) in self.before.iter().filter(|(path, _)| !self.done.contains(*path)) {
                let now = self.file_index.file(path)?.and_then(|row| row.content);
                if now.is_some() && now != before.content {
                    rest.push(path.clone());
                }
            }
        }
        let rest = self.reuse(rest)?;
        rest.into_iter().try_for_each(|path| self.read(path))
    }

    fn reuse(&mut self, rest: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, StageError> {
        let Some(version) = self.sink.version().filter(|_| !self.whole) else { return Ok(rest) };
        if self.file_index.head.version == version && self.collected.copied.is_empty() {
            let mut copied = Vec::new();
            for path in &rest {
                let name = self.file_index.file(path)?.and_then(|row| row.name).unwrap_or_default();
                let Some(size) = self.sink.reuse(&name, Reuse::Whole) else { break };
                copied.push(Copied { path: into_path(path.clone()), name, size });
            }
            if copied.len() == rest.len() {
                self.collected.copied = copied;
                return Ok(Vec::new());
            }
        }
        let mut others = Vec::new();
        for path in rest {
            let Some(row) = self.file_index.file(&path)? else { continue };
            // Another file may have had the name then.
            let is_same = self.file_index.is_as_at(&path, version, &row)?;
            let name = row.name.unwrap_or_default();
            match is_same.then(|| self.sink.reuse(&name, Reuse::Parts)).flatten() {
                Some(size) => self.collected.copied.push(Copied { path: into_path(path), name, size }),
                None => others.push(path),
            }
        }
        Ok(others)
    }

    fn compare(&mut self) -> Result<(), StageError> {
        if self.collected.first_run {
            return Ok(());
        }
        let mut removed_by_content: HashMap<ContentHash, VecDeque<PathBuf>> = HashMap::new();
        let mut new = Vec::new();
        for (path, before) in &self.before {
            let now = self.file_index.file(path)?.and_then(|row| row.content);
            match (before.content, now) {
                (Some(content), None) => {
                    let name = before.name.clone().unwrap_or_else(|| flat(path));
                    removed_by_content.entry(content).or_default().push_back(into_path(path.clone()));
                    self.collected.removed.push(RemovedFile { path: into_path(path.clone()), name });
                }
                (None, Some(content)) => new.push((content, path)),
                _ => {}
            }
        }
        for (content, to) in new {
            if let Some(from) = removed_by_content.get_mut(&content).and_then(VecDeque::pop_front) {
                self.collected.renamed.push(Renamed { from, to: into_path(to.clone()) });
            }
        }
        Ok(())
    }
}

impl From<rusqlite::Error> for StageError {
    fn from(error: rusqlite::Error) -> StageError {
        StageError::Store(StoreError::from_sqlite(&error, Path::new(super::tables::FILE)))
    }
}

fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

fn into_path(path: Vec<u8>) -> PathBuf {
    PathBuf::from(std::ffi::OsString::from_vec(path))
}

fn into_bytes(path: PathBuf) -> Vec<u8> {
    path.into_os_string().into_vec()
}
