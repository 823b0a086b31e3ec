//! The differences in a project after a command.
//!
//! Nothing is concluded from what a walk did not visit: a path is gone if nothing is at it, and was made if
//! the snapshot would have seen it. So a command that changes what git ignores makes and removes nothing by
//! that.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{FileKind, Identity, Metadata, RootedPath, Roots, Stat, Timestamp};
use clada_journal::{Change, Images, State, is_same_state, journal_place};

use super::coverage::{Coverage, resolve};
use super::git::Git;
use super::log::{LogReader, LogRecords};
use super::repositories::NewRepositories;
use super::snapshot::TreeSnapshot;
use super::stamp::{ContentPlace, FileStamp, PriorState, StampReader};
use super::stamps::StampCursor;
use super::visit::{Spared, Visit, VisitedEntry};

const NAMED: usize = 20;

/// The changes of a command.
#[derive(Debug, Default)]
pub struct CommandChanges {
    /// The changes, in an order in which they could have been made.
    pub changes: Vec<Change>,
    /// The contents that were replaced or deleted.
    pub images: Images,
    /// The paths that cannot be restored.
    pub lost: Vec<String>,
    /// The lost paths that no undo can be asked to restore, since they are not part of the changes or nothing
    /// is done about them.
    pub unrecoverable: Vec<String>,
    /// Folders that git ignores and in which entries came or went.
    pub touched_ignored_dirs: Vec<String>,
    /// Folders that git ignores, which are not walked: the first of them from the root, each with a `/` at
    /// its end.
    pub unseen: Vec<String>,
    /// The number of such folders.
    pub unseen_count: usize,
    /// Repositories that the command created.
    pub repositories: NewRepositories,
    /// The first of the entries that came and are not part of the changes: pipes and sockets, and what git
    /// ignores. A folder has a `/` at its end.
    pub untracked: Vec<String>,
    /// The number of such entries.
    pub untracked_count: usize,
    /// True if everything was visited.
    pub complete: bool,
    /// The first error of the system that says nothing of the project: without it the changes would be others.
    pub failed: Option<String>,
}

/// The contents that are kept of what came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostImages {
    /// None: they can be read from the files until these change again.
    NotStored,
    /// Those of text files, so that later changes can be merged and the diff shown for good.
    Stored,
}

const POST_IMAGES: (usize, usize) = (1 << 20, 32 << 20);

impl TreeSnapshot {
    /// Walks the project again, after the action `seq`. A change later than `until` was made by another
    /// process. `records` reads contents.
    #[must_use]
    pub fn command_changes(
        &self,
        roots: &Roots,
        seq: usize,
        until: Option<Timestamp>,
        records: LogRecords<'_>,
    ) -> CommandChanges {
        self.changes(roots, seq, until, records, (None, PostImages::NotStored))
    }

    /// Does the same; a `spared` path counts as not ignored, and `post_images` says what is kept of what came.
    #[must_use]
    pub fn changes(
        &self,
        roots: &Roots,
        seq: usize,
        until: Option<Timestamp>,
        records: LogRecords<'_>,
        (spared, post_images): (Option<&Spared>, PostImages),
    ) -> CommandChanges {
        let TreeSnapshot { stamps, coverage, now, git, repositories, largest, log, survey, basis } = self;
        let mut difference = Difference {
            reader: StampReader::new(roots, None, *now, *largest),
            coverage,
            until,
            removed: Vec::new(),
            came: Vec::new(),
            result: CommandChanges { complete: true, ..CommandChanges::default() },
            room: if post_images == PostImages::Stored { POST_IMAGES.1 } else { 0 },
        };
        let mut compared = Compared { missing: Vec::new(), opened: HashSet::new() };
        let survey = survey.as_ref().map(|(survey, care)| (&**survey, *care, *now));
        let looked = Visit { survey, spared, ..Visit::walk(roots, &|| false) }.look();
        let parts = basis.as_ref().and_then(|basis| looked.since(basis));
        let (coverage_now, repositories_now) = match (parts, basis) {
            (Some(parts), Some(basis)) => {
                for part in &parts {
                    let (from, to) = stamps.range(part);
                    let mut cursor = StampCursor::new(stamps.between(from, to));
                    looked.visit(part, &mut |entry| difference.compare(&mut cursor, &entry, &mut compared));
                    compared.missing.extend(cursor.rest());
                }
                looked.ignored_folders().iter().for_each(|folder| difference.unseen(folder));
                (Coverage { failed: None, ..basis.coverage.clone() }, None)
            }
            _ => {
                let mut cursor = StampCursor::new(stamps.iter());
                let extent = looked.all(&mut |entry| {
                    if entry.is_ignored && entry.stat.kind == FileKind::Directory {
                        difference.unseen(entry.relative());
                    }
                    difference.compare(&mut cursor, &entry, &mut compared);
                });
                compared.missing.extend(cursor.rest());
                (extent.coverage, Some(extent.repositories))
            }
        };
        for before in compared.missing {
            difference.not_visited(before);
        }
        difference.result.complete &= coverage.is_all() && coverage_now.is_all();
        difference.result.failed = coverage_now.failed.clone();
        // Where changes are reported by parts, there are the same ones.
        if let (Some(before), Some(now)) = (repositories, repositories_now) {
            difference.result.repositories = now.since(before);
        }
        difference.finish(seq, git, &LogReader::new(records, log))
    }
}

type Hashed = (Hash, Arc<[u8]>);

pub(super) struct Different<'s> {
    pub(super) path: RootedPath,
    pub(super) before: Option<&'s FileStamp>,
    after: State,
    identity: Option<Identity>,
}

struct Compared<'s> {
    missing: Vec<&'s Arc<FileStamp>>,
    /// Folders that were ignored and are not any more: they were not walked before.
    opened: HashSet<&'s Path>,
}

struct Difference<'s> {
    reader: StampReader<'s>,
    coverage: &'s Coverage,
    until: Option<Timestamp>,
    removed: Vec<Different<'s>>,
    came: Vec<Different<'s>>,
    result: CommandChanges,
    room: usize,
}

impl<'s> Difference<'s> {
    fn unseen(&mut self, path: &Path) {
        self.result.unseen_count += 1;
        if self.result.unseen.len() < NAMED {
            self.result.unseen.push(format!("{}/", path.to_string_lossy()));
        }
    }

    fn compare<I: Iterator<Item = &'s Arc<FileStamp>>>(
        &mut self,
        cursor: &mut StampCursor<'s, I>,
        entry: &VisitedEntry<'_>,
        Compared { missing, opened }: &mut Compared<'s>,
    ) {
        let path = entry.relative();
        match cursor.go_to(path, |passed| missing.push(passed)) {
            Some(before) => {
                if before.is_ignored() && !entry.is_ignored {
                    opened.insert(&before.path);
                }
                self.visited_again(entry, before);
            }
            None if entry.is_ignored => self.add_untracked(&entry.path(), &entry.stat),
            None if path.ancestors().any(|above| opened.contains(above)) => {}
            None => self.only_now(&entry.path(), &entry.stat),
        }
    }

    fn visited_again(&mut self, entry: &VisitedEntry<'_>, before: &'s FileStamp) {
        // Most entries are untouched, and need no place.
        if !before.is(&entry.stat) || before.may_hide() {
            self.still_there(&entry.path(), &entry.stat, before);
        }
    }

    fn still_there(&mut self, path: &RootedPath, stat: &Stat, before: &'s FileStamp) {
        if self.is_later(stat) {
            return;
        }
        let may_hide = before.may_hide();
        match before.is(stat) {
            true if !may_hide => {}
            false if before.is_ignored() => {
                let is_folder = [before.kind, stat.kind] == [FileKind::Directory; 2];
                let same_folder = is_folder && before.identity.ino == stat.ino;
                let list = if same_folder {
                    &mut self.result.touched_ignored_dirs
                } else {
                    &mut self.result.unrecoverable
                };
                list.push(shown(path, before.kind));
            }
            // A pipe or a socket, which cannot be restored.
            false if before.kind == FileKind::Special => {
                self.result.unrecoverable.push(shown(path, before.kind));
                self.add_new(path, stat);
            }
            _ => self.add(path, stat, Some(before)),
        }
    }

    fn only_now(&mut self, path: &RootedPath, stat: &Stat) {
        if !self.is_later(stat) && self.coverage.knows(path) {
            self.add_new(path, stat);
        }
    }

    fn add_new(&mut self, path: &RootedPath, stat: &Stat) {
        // A pipe or a socket that a command leaves behind is not a loss, and stays.
        match stat.kind {
            FileKind::Special => self.add_untracked(path, stat),
            _ => self.add(path, stat, None),
        }
    }

    fn add_untracked(&mut self, path: &RootedPath, stat: &Stat) {
        if !self.is_later(stat) && self.coverage.knows(path) {
            self.result.untracked_count += 1;
            if self.result.untracked.len() < NAMED {
                self.result.untracked.push(shown(path, stat.kind));
            }
        }
    }

    fn not_visited(&mut self, before: &'s FileStamp) {
        let roots = self.reader.roots;
        let Some(path) = resolve(roots, &before.path) else { return self.result.complete = false };
        match roots.lstat(&path) {
            Ok(Some(stat)) => self.still_there(&path, &stat, before),
            Err(error) if error.code() != "ELOOP" => {
                self.result.complete = false;
                let _: Option<()> = self.reader.noted(Err(error));
            }
            _ if before.is_ignored() || before.kind == FileKind::Special => {
                self.result.unrecoverable.push(shown(&path, before.kind))
            }
            _ => {
                let identity = None;
                self.removed.push(Different { path, before: Some(before), after: State::Missing, identity });
            }
        }
    }

    fn add(&mut self, path: &RootedPath, stat: &Stat, before: Option<&'s FileStamp>) {
        // The file is read to compare it, not to keep its content.
        let stamp = FileStamp::read(&self.reader, path, stat, None, u64::MAX);
        if let PriorState::File(hash, _, ContentPlace::InMemory(content)) = &stamp.was
            && content.len() <= POST_IMAGES.0.min(self.room)
            && !content.contains(&0)
        {
            self.room -= content.len();
            self.result.images.add_hashed(*hash, content);
        }
        let identity = (stat.kind == FileKind::File).then(|| stat.identity());
        self.came.push(Different { path: path.clone(), before, after: stamp.state(), identity });
    }

    fn is_later(&self, stat: &Stat) -> bool {
        self.until.is_some_and(|until| stat.ctime > until)
    }

    fn finish(mut self, seq: usize, git: &Git, log_reader: &LogReader<'_>) -> CommandChanges {
        let mut result = self.result;
        result.lost.clone_from(&result.unrecoverable);
        // The entries of a folder go before it, and come after it.
        self.removed.sort_by(|one, other| other.path.cmp(&one.path));
        self.came.sort_by(|one, other| one.path.cmp(&other.path));
        let mut moves = Moves::default();
        // What went without its content, and is lost unless it is found elsewhere.
        let mut doubtful = Vec::new();
        for Different { path, before: stamp, after, identity } in self.removed.iter().chain(&self.came) {
            let (before, content) = stamp.map_or((State::Missing, None), |stamp| was(stamp, git, log_reader));
            if before == *after {
                continue;
            }
            // The old content is not kept, and only the ctime shows a difference: `touch -r`, or a mode.
            if matches!(after, State::Large(_)) && is_same_state(after, &before) {
                result.unrecoverable.push(path.written().to_owned());
                result.lost.push(path.written().to_owned());
                continue;
            }
            if let Some(stamp) =
                stamp.filter(|stamp| stamp.kind == FileKind::File && *after == State::Missing)
            {
                moves.went(path, stamp.identity, &before);
            }
            let from = identity.and_then(|identity| moves.source(&identity, after, before == State::Missing));
            if matches!(before, State::Large(_)) {
                doubtful.push(path);
            }
            if let Some((hash, content)) = content {
                result.images.add_hashed(hash, &content);
            }
            let place = journal_place(self.reader.roots, path);
            let moved_from = from.map(|from| journal_place(self.reader.roots, from));
            result.changes.push(Change { seq, place, before, after: after.clone(), moved_from });
        }
        // A content that git has and that is not read for want of a descriptor looks like one that is gone.
        if !doubtful.is_empty() {
            let _ = self.reader.noted(self.reader.roots.open_folder(Path::new("")));
        }
        result.failed = result.failed.or_else(|| self.reader.failure().map(|error| error.to_string()));
        let lost = doubtful.into_iter().filter(|path| !moves.is_found(path));
        result.lost.extend(lost.map(|path| path.written().to_owned()));
        result
    }
}

fn was(stamp: &FileStamp, git: &Git, log_reader: &LogReader<'_>) -> (State, Option<Hashed>) {
    let lost = (State::Large(stamp.identity), None);
    match &stamp.was {
        PriorState::File(hash, _, content) => match log_reader.content(hash, content) {
            Some(content) => (stamp.state(), Some((*hash, content))),
            None => lost,
        },
        PriorState::Committed(id, metadata) => match git.content(*id) {
            Some(content) => {
                let hash = blake3::hash(&content);
                let metadata = Some(Metadata::clone(metadata));
                (State::File { hash, metadata }, Some((hash, content.into())))
            }
            None => lost,
        },
        _ => (stamp.state(), None),
    }
}

fn shown(path: &RootedPath, kind: FileKind) -> String {
    let slash = if kind == FileKind::Directory { "/" } else { "" };
    format!("{}{slash}", path.written())
}

// The files that came and are files that went, under another name. A file that kept inode, size and time of its last change was
// moved; so was one with the content of a file that went, since that is what undo brings back. Each is found once.
#[derive(Default)]
struct Moves<'a> {
    by_inode: HashMap<(u64, u64), (&'a RootedPath, Identity)>,
    by_content: HashMap<Hash, Vec<&'a RootedPath>>,
    used: HashSet<&'a RootedPath>,
}

impl<'a> Moves<'a> {
    fn went(&mut self, path: &'a RootedPath, identity: Identity, state: &State) {
        self.by_inode.insert((identity.dev, identity.ino), (path, identity));
        if let (State::File { hash, .. }, true) = (state, identity.size > 0) {
            self.by_content.entry(*hash).or_default().push(path);
        }
    }

    fn source(&mut self, identity: &Identity, state: &State, is_new: bool) -> Option<&'a RootedPath> {
        let unchanged =
            |(_, was): &&(&RootedPath, Identity)| (was.size, was.mtime) == (identity.size, identity.mtime);
        let same = self.by_inode.get(&(identity.dev, identity.ino)).filter(unchanged).map(|(path, _)| *path);
        let alike = || match state {
            State::File { hash, .. } if is_new => {
                self.by_content.get(hash)?.iter().find(|path| !self.used.contains(*path)).copied()
            }
            _ => None,
        };
        let source = same.filter(|path| !self.used.contains(path)).or_else(alike)?;
        self.used.insert(source);
        Some(source)
    }

    fn is_found(&self, path: &RootedPath) -> bool {
        self.used.contains(path)
    }
}
