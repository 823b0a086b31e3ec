//! Descriptions of operations and of their undos: as data for results, and as diffs.
//!
//! Pure: contents are asked for. What a secret holds is not shown.

use std::collections::{HashMap, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_edit::{Mode, Side, file_diff};
use clada_journal::{ChangedSum, Committed, JournalPlace, Net, Operation, State};
use clada_protocol::{
    ActionResult, CHANGED_FILES, ChangeKind, ChangedFile, ErrorKind, OperationInfo, PathChange, visible_line,
};

use super::now::{CurrentState, Now};
use super::plan::Contents;
use super::refusal::Reason;
use super::step::{Reverse, StepKind};
use crate::results::diff::{COUNTED, counts};

/// Describes the `paths` that commands of an operation changed and that no undo brings back.
pub fn lost(paths: &[String]) -> impl Iterator<Item = PathChange> + '_ {
    paths.iter().map(|path| PathChange {
        change: ChangeKind::Changed,
        path: path.clone(),
        kind: Some(ErrorKind::NotUndoable),
        error: Some("the earlier content is not recorded: it cannot be restored".to_owned()),
        ..PathChange::default()
    })
}

/// Describes an operation, as it is listed.
#[must_use]
pub fn info(operation: &Operation) -> OperationInfo {
    let outline = &operation.outline;
    let changed = outline.changed.as_ref();
    OperationInfo {
        operation_id: operation.id.clone(),
        kind: operation.kind.word().to_owned(),
        status: operation.status.word().to_owned(),
        began_ms: operation.began,
        summary: operation.summary.clone(),
        undoes: operation.undoes.clone(),
        undone_by: operation.undone_by.clone(),
        title: outline.title.clone(),
        files: changed.map(|changed| changed.files),
        first_file: changed.map(|changed| changed.first.clone()),
        added: changed.map(|changed| changed.added),
        removed: changed.map(|changed| changed.removed),
        head: outline.head.clone(),
        beside_branch: operation.committed == Some(Committed::Beside),
    }
}

/// Returns the sum of the changed `files`, of which `more` are not listed; `None` if there are none.
#[must_use]
pub fn changed_sum(files: &[ChangedFile], more: usize) -> Option<ChangedSum> {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let sum = |of: fn(&ChangedFile) -> Option<usize>| number(files.iter().filter_map(of).sum());
    Some(ChangedSum {
        files: number(files.len() + more),
        first: files.first()?.path.clone(),
        added: sum(|file| file.added),
        removed: sum(|file| file.removed),
    })
}

/// Describes what an operation did to each place, and what of it can never be brought back.
#[must_use]
pub fn changes(nets: &[Net]) -> Vec<PathChange> {
    let came_from = |is_reserved: bool| -> HashSet<&JournalPlace> {
        let there = nets.iter().filter(|net| net.place.is_reserved() == is_reserved);
        there.filter_map(|net| net.came_from.as_ref()).collect()
    };
    let (sources, reserved) = (came_from(false), came_from(true));
    // A move is listed once, at its target: its source is left out, and so is the place in the reserve to
    // which an overwritten file went.
    let is_hidden =
        |net: &Net| net.place.is_reserved() || net.after == State::Missing && sources.contains(&net.place);
    let shown_nets = nets.iter().filter(|net| !is_hidden(net));
    shown_nets
        .map(|net| {
            let from = net.came_from.as_ref().filter(|from| !from.is_reserved());
            let change = match (&net.before, &net.after) {
                _ if from.is_some() => ChangeKind::Moved,
                (State::Missing, State::Folder(_)) => ChangeKind::FolderCreated,
                (State::Folder(_), State::Missing) => ChangeKind::FolderDeleted,
                (State::Missing, _) => ChangeKind::Created,
                (_, State::Missing) => ChangeKind::Deleted,
                _ => ChangeKind::Changed,
            };
            let is_lost = matches!(net.before, State::Large(_)) && !reserved.contains(&net.place);
            let lost = is_lost.then(|| Reason::TooLarge.words());
            PathChange {
                change,
                from: from.map(shown),
                from_bytes: from.and_then(odd_bytes),
                kind: lost.is_some().then_some(ErrorKind::NotUndoable),
                error: lost.map(|lost| format!("the earlier content {lost}: it cannot be restored")),
                ..path(&net.place)
            }
        })
        .collect()
}

/// Describes what `reverse` does to each path, or has done, given the results of its steps. A path of which a
/// step failed says so.
#[must_use]
pub fn reversed(reverse: &Reverse, results: &[ActionResult]) -> Vec<PathChange> {
    let mut changes: Vec<PathChange> = reverse
        .changes
        .iter()
        .map(|change| PathChange {
            change: change.kind,
            from: change.from.as_ref().map(shown),
            from_bytes: change.from.as_ref().and_then(odd_bytes),
            merged: change.merged,
            ..path(&change.place)
        })
        .collect();
    let mut stray = Vec::new();
    for (step, result) in reverse.steps.iter().zip(results).filter(|(_, result)| !result.success) {
        let error = Some(result.error.clone().unwrap_or_else(|| "not done".to_owned()));
        match step.change.and_then(|change| changes.get_mut(change)) {
            Some(change) if change.error.is_none() => (change.error, change.kind) = (error, result.kind),
            Some(_) => {}
            None => {
                let place = step.kind.leaves().or(step.kind.arrives());
                stray.extend(place.map(|place| PathChange { error, kind: result.kind, ..path(place) }));
            }
        }
    }
    changes.extend(stray);
    changes
}

fn path(place: &JournalPlace) -> PathChange {
    PathChange { path: shown(place), path_bytes: odd_bytes(place), ..PathChange::default() }
}

// Returns the bytes of a path that is not UTF-8, as base64.
fn odd_bytes(place: &JournalPlace) -> Option<String> {
    let absolute = place.root.join(&place.relative);
    absolute.to_str().is_none().then(|| STANDARD.encode(absolute.as_os_str().as_bytes()))
}

fn shown(place: &JournalPlace) -> String {
    place.root.join(&place.relative).to_string_lossy().into_owned()
}

/// The inputs of diffs.
pub struct Diffs<'a> {
    /// The project's root, resolved: paths in it are shown relative to it.
    pub root: &'a Path,
    /// The source of contents.
    pub contents: &'a dyn Contents,
    /// Returns true if the content of a place is not shown.
    pub is_secret: &'a dyn Fn(&JournalPlace) -> bool,
    /// Bytes of all of it, about.
    pub limit: usize,
}

struct KnownContent {
    place: JournalPlace,
    /// `None`: it is not known, or too large.
    content: Option<Arc<[u8]>>,
    /// `None`: that of the other side.
    mode: Option<Mode>,
}

impl KnownContent {
    fn side<'a>(&'a self, path: &'a str, other: Option<&KnownContent>) -> Option<Side<'a>> {
        let mode = self.mode.or(other.and_then(|other| other.mode)).unwrap_or_default();
        Some(Side { path, content: self.content.as_deref()?, mode })
    }
}

impl Diffs<'_> {
    /// Returns the diff of what an operation did.
    #[must_use]
    pub fn of_operation(&self, nets: &[Net]) -> String {
        self.joined(self.pairs(nets))
    }

    /// Returns the files that an operation changed, each once, and the number of those beyond a bound.
    #[must_use]
    pub fn files(&self, nets: &[Net]) -> (Vec<ChangedFile>, usize) {
        let (mut room, mut files, mut more) = (COUNTED, Vec::new(), 0);
        for (old, new) in self.pairs(nets) {
            if files.len() == CHANGED_FILES {
                more += 1;
                continue;
            }
            files.extend(self.file(old.as_ref(), new.as_ref(), &mut room));
        }
        (files, more)
    }

    fn pairs(&self, nets: &[Net]) -> impl Iterator<Item = (Option<KnownContent>, Option<KnownContent>)> {
        let by_place: HashMap<&JournalPlace, &Net> = nets.iter().map(|net| (&net.place, net)).collect();
        let of_project = nets.iter().filter(|net| !net.place.is_reserved());
        let went: HashSet<&JournalPlace> =
            of_project.clone().filter_map(|net| net.came_from.as_ref()).collect();
        of_project.filter_map(move |net| {
            let from = net.came_from.as_ref().filter(|from| !from.is_reserved());
            let old = match from.and_then(|from| by_place.get(from)) {
                Some(origin) => self.known(&origin.place, &origin.before),
                None if went.contains(&net.place) => None,
                None => self.known(&net.place, &net.before),
            };
            let new = self.known(&net.place, &net.after);
            (old.is_some() || new.is_some()).then_some((old, new))
        })
    }

    fn file(
        &self,
        old: Option<&KnownContent>,
        new: Option<&KnownContent>,
        room: &mut usize,
    ) -> Option<ChangedFile> {
        let place = &new.or(old)?.place;
        let old_path = old.map(|old| &old.place).filter(|old| *old != place).map(|old| self.name(old));
        let kind = match (old, new) {
            (None, _) => ChangeKind::Created,
            (_, None) => ChangeKind::Deleted,
            _ if old_path.is_some() => ChangeKind::Moved,
            _ => ChangeKind::Changed,
        };
        let content = |known: Option<&KnownContent>| match known {
            None => Some(Arc::from([])),
            Some(known) => known.content.clone().filter(|_| !(self.is_secret)(&known.place)),
        };
        let counted = content(old).zip(content(new)).and_then(|(old, new)| counts(&old, &new, room));
        let (added, removed) = counted.unzip();
        Some(ChangedFile { path: self.name(place), old_path, kind, added, removed })
    }

    /// Returns the diff of what undoing an operation does to the files as they are `now`.
    #[must_use]
    pub fn of_reverse(&self, reverse: &Reverse, now: &Now) -> String {
        let mut brought: HashMap<usize, (Arc<[u8]>, Option<u32>)> = HashMap::new();
        let mut links: HashMap<usize, Arc<[u8]>> = HashMap::new();
        for step in &reverse.steps {
            match (&step.kind, step.change) {
                (StepKind::Write { content, metadata, .. }, Some(change)) => {
                    let mode = metadata.as_ref().map(|metadata| metadata.mode);
                    brought.insert(change, (Arc::clone(content), mode));
                }
                (StepKind::Link { target, .. }, Some(change)) => {
                    links.insert(change, target.as_slice().into());
                }
                _ => {}
            }
        }
        self.joined(reverse.changes.iter().enumerate().filter_map(|(index, change)| {
            let is_new = match change.kind {
                ChangeKind::FolderCreated | ChangeKind::FolderDeleted => return None,
                kind => kind == ChangeKind::Created,
            };
            let from = change.from.as_ref().unwrap_or(&change.place);
            let old = (!is_new).then(|| self.current(from, now)).flatten();
            let new = (change.kind != ChangeKind::Deleted).then(|| {
                let (content, mode) = match (brought.get(&index), links.get(&index)) {
                    (Some((content, mode)), _) => (Some(Arc::clone(content)), mode.map(mode_of)),
                    (_, Some(target)) => (Some(Arc::clone(target)), Some(Mode::Symlink)),
                    // A step that only moves brings no content: it keeps that of the old side.
                    _ => (old.as_ref().and_then(|old| old.content.clone()), None),
                };
                KnownContent { place: change.place.clone(), content, mode }
            });
            Some((old, new))
        }))
    }

    fn known(&self, place: &JournalPlace, state: &State) -> Option<KnownContent> {
        let (content, mode) = match state {
            State::Missing | State::Folder(_) => return None,
            State::File { hash, metadata } => {
                let current = || self.contents.current(place).filter(|now| blake3::hash(now) == *hash);
                let mode = metadata.as_ref().map(|metadata| mode_of(metadata.mode));
                (self.contents.saved_content(hash).or_else(current), mode)
            }
            State::Large(_) => (None, None),
            State::Link(target) => (Some(target.as_slice().into()), Some(Mode::Symlink)),
        };
        Some(KnownContent { place: place.clone(), content, mode })
    }

    fn current(&self, place: &JournalPlace, now: &Now) -> Option<KnownContent> {
        let (content, mode) = match now.at(place) {
            CurrentState::File(file) => (self.contents.current(place), Some(mode_of(file.metadata.mode))),
            CurrentState::Link(target) => (Some(target.as_slice().into()), Some(Mode::Symlink)),
            _ => return None,
        };
        Some(KnownContent { place: place.clone(), content, mode })
    }

    fn joined(&self, pairs: impl Iterator<Item = (Option<KnownContent>, Option<KnownContent>)>) -> String {
        let mut out = String::new();
        for (old, new) in pairs {
            let piece = self.piece(old.as_ref(), new.as_ref());
            if out.len() + piece.len() > self.limit {
                out.push_str("(the diff is cut here: it is larger than limits.result_bytes)\n");
                break;
            }
            out.push_str(&piece);
        }
        out
    }

    fn piece(&self, old: Option<&KnownContent>, new: Option<&KnownContent>) -> String {
        let both = || [old, new].into_iter().flatten();
        let why = if both().any(|known| (self.is_secret)(&known.place)) {
            Some("a secret is not shown")
        } else {
            both().any(|known| known.content.is_none()).then_some("its content is not shown")
        };
        if let Some(why) = why {
            let name = |known: Option<&KnownContent>| {
                known.or(new).or(old).map(|known| self.name(&known.place)).unwrap_or_default()
            };
            let (old, new) = (name(old), name(new));
            return format!("diff --git a/{} b/{}\n({why})\n", visible_line(&old), visible_line(&new));
        }
        let named =
            |known: Option<&KnownContent>| known.map(|known| self.name(&known.place)).unwrap_or_default();
        let (old_name, new_name) = (named(old), named(new));
        file_diff(
            old.and_then(|known| known.side(&old_name, new)),
            new.and_then(|known| known.side(&new_name, old)),
        )
    }

    fn name(&self, place: &JournalPlace) -> String {
        let shown =
            if place.root == self.root { place.relative.clone() } else { place.root.join(&place.relative) };
        shown.to_string_lossy().into_owned()
    }
}

fn mode_of(mode: u32) -> Mode {
    if mode & 0o100 == 0 { Mode::Regular } else { Mode::Executable }
}
