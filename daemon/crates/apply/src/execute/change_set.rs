//! From a plan to what is recorded of it before it is applied, and which of that was made in the end.
//!
//! Knows effects and states. Looks at files for what a plan does not say of them, and changes nothing; where
//! it is recorded is the journal writer's business.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use blake3::Hash;
use clada_edit::Mode;
use clada_fs::{Metadata, RootedPath, Roots};
use clada_git::{Changed, Content};
use clada_journal::{
    Change, Images, JournalPlace, Net, State, current_state, is_same_state, journal_place, net,
};

use crate::effect::Effect;
use crate::planned::Planned;
use crate::write::{Before, Restore, Saved, Write};

#[derive(Debug)]
pub(crate) struct ChangeSet {
    roots: Roots,
    changes: Vec<Change>,
    applied: Vec<bool>,
    added: Vec<Change>,
    by_path: HashMap<(usize, RootedPath), usize>,
    folders: HashMap<RootedPath, Vec<usize>>,
    images: Images,
    contents: HashMap<usize, (Hash, Arc<[u8]>)>,
    held_back: HashSet<JournalPlace>,
}

impl ChangeSet {
    pub(crate) fn from_plan(planned: &[Planned], roots: &Roots, room: usize) -> ChangeSet {
        let effects =
            planned.iter().filter_map(|planned| Some((planned.step.seq, planned.outcome.as_ref().ok()?)));
        ChangeSet::from_effects(effects, roots, room)
    }

    /// Returns the changes that these effects of actions, with their numbers, will make. Contents that they
    /// do not hold are read, `room` bytes of them at most; a content without room cannot be made again.
    pub(crate) fn from_effects<'e>(
        effects: impl Iterator<Item = (usize, &'e Effect)>,
        roots: &Roots,
        room: usize,
    ) -> ChangeSet {
        let change_set = ChangeSet {
            roots: roots.clone(),
            changes: Vec::new(),
            applied: Vec::new(),
            added: Vec::new(),
            by_path: HashMap::new(),
            folders: HashMap::new(),
            images: Images::default(),
            contents: HashMap::new(),
            held_back: HashSet::new(),
        };
        let mut writer = Writer { change_set, states: HashMap::new(), room, seq: 0 };
        for (seq, effect) in effects {
            writer.seq = seq;
            writer.effect(effect);
        }
        let mut change_set = writer.change_set;
        change_set.applied = vec![false; change_set.changes.len()];
        change_set
    }

    /// Returns the changes that a command has made already; those that are `held_back` are not reported to
    /// git.
    pub(crate) fn from_command(
        roots: &Roots,
        changes: Vec<Change>,
        images: Images,
        held_back: HashSet<JournalPlace>,
    ) -> ChangeSet {
        let applied = vec![true; changes.len()];
        ChangeSet { changes, applied, images, held_back, ..ChangeSet::from_plan(&[], roots, 0) }
    }

    pub(crate) fn absorb(&mut self, later: ChangeSet) {
        let offset = self.changes.len();
        self.changes.extend(later.changes);
        self.applied.extend(later.applied);
        self.added.extend(later.added);
        self.held_back.extend(later.held_back);
        self.by_path.extend(later.by_path.into_iter().map(|(key, at)| (key, at + offset)));
        for (folder, places) in later.folders {
            self.folders.entry(folder).or_default().extend(places.into_iter().map(|at| at + offset));
        }
        for (hash, content) in later.images.iter() {
            self.images.add_hashed(Hash::from_bytes(*hash), content);
        }
        self.contents.extend(later.contents.into_iter().map(|(at, content)| (at + offset, content)));
    }

    pub(crate) fn unmade(&self) -> ChangeSet {
        let changes = self.changes.clone();
        ChangeSet {
            applied: vec![false; changes.len()],
            changes,
            ..ChangeSet::from_plan(&[], &self.roots, 0)
        }
    }

    pub(crate) fn places(&self) -> HashSet<JournalPlace> {
        self.changes.iter().map(|change| change.place.clone()).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// The changes in the order in which they are to be made.
    pub(crate) fn changes(&self) -> &[Change] {
        &self.changes
    }

    pub(crate) fn images(&self) -> &Images {
        &self.images
    }

    pub(crate) fn mark_applied(&mut self, seq: usize, path: &RootedPath) {
        if let Some(at) = self.by_path.get(&(seq, path.clone())) {
            self.applied[*at] = true;
        }
    }

    /// The action `seq` has failed at `path`: whether its change was made all the same is seen from what is
    /// there.
    pub(crate) fn look(&mut self, seq: usize, path: &RootedPath) {
        let Some(at) = self.by_path.get(&(seq, path.clone())).copied() else { return };
        let change = &self.changes[at];
        let now = current_state(&self.roots, path, &change.after);
        self.applied[at] =
            now.is_some_and(|now| is_same_state(&now, &change.after) && !is_same_state(&now, &change.before));
    }

    pub(crate) fn created(&mut self, seq: usize, folder: &RootedPath) {
        let planned = self.folders.get(folder).map(Vec::as_slice).unwrap_or_default();
        let mut open = planned.iter().copied().filter(|at| !self.applied[*at]);
        // One that an earlier action was to make, and could not, is made by the next that needs it.
        let first = open.clone().next();
        if let Some(at) = open.find(|at| self.changes[*at].seq == seq).or(first) {
            self.applied[at] = true;
            return;
        }
        let mode = self.roots.lstat(folder).ok().flatten().map_or(0o755, |stat| stat.mode);
        let place = journal_place(&self.roots, folder);
        let (before, after) = (State::Missing, State::Folder(mode));
        self.added.push(Change { seq, place, before, after, moved_from: None });
    }

    pub(crate) fn removed_again(&mut self, folder: &RootedPath) {
        let planned = self.folders.get(folder).map(Vec::as_slice).unwrap_or_default();
        if let Some(at) = planned.iter().copied().rfind(|at| self.applied[*at]) {
            self.applied[at] = false;
            return;
        }
        let place = journal_place(&self.roots, folder);
        self.added.retain(|change| change.place != place);
    }

    pub(crate) fn all_made(&self) -> &[bool] {
        &self.applied
    }

    /// Folders that were made although nobody had planned that.
    pub(crate) fn added(&self) -> &[Change] {
        &self.added
    }

    pub(crate) fn done(&self) -> impl Iterator<Item = &Change> + Clone {
        let planned = self.changes.iter().zip(&self.applied).filter(|(_, applied)| **applied);
        planned.map(|(change, _)| change).chain(&self.added)
    }

    pub(crate) fn planned_contents(&self) -> Vec<Changed> {
        self.contents_of(&self.changes.iter().collect::<Vec<_>>())
    }

    pub(crate) fn made_contents(&self) -> Vec<Changed> {
        self.contents_of(&self.done().collect::<Vec<_>>())
    }

    fn contents_of(&self, changes: &[&Change]) -> Vec<Changed> {
        let mut bytes: HashMap<&[u8; 32], &Arc<[u8]>> = self.images.iter().collect();
        bytes.extend(self.contents.values().map(|(hash, content)| (hash.as_bytes(), content)));
        let content = |path: &Path, state: &State| -> Option<Content> {
            let is_executable = |mode: u32| mode & 0o100 != 0;
            // What a new file may do is the file system's to say.
            let mode = || path.symlink_metadata().map_or(0, |metadata| metadata.mode());
            match state {
                State::Missing | State::Folder(_) => None,
                State::Link(target) => Some(Content::Link(target.clone())),
                State::Large(_) => Some(Content::OnDisk { executable: is_executable(mode()) }),
                State::File { hash, metadata } => {
                    let mode = metadata.as_ref().map_or_else(mode, |metadata| metadata.mode);
                    let executable = is_executable(mode);
                    Some(match bytes.get(hash.as_bytes()) {
                        Some(bytes) => Content::File { bytes: Arc::clone(bytes), executable },
                        None => Content::OnDisk { executable },
                    })
                }
            }
        };
        let is_for_git =
            |change: &&Change| !self.held_back.contains(&change.place) && !change.place.is_reserved();
        net(changes.iter().copied().filter(is_for_git))
            .into_iter()
            .map(|Net { place, before, after, .. }| {
                let path = place.root.join(&place.relative);
                let (before, after) = (content(&path, &before), content(&path, &after));
                Changed { path, before, after }
            })
            .filter(|changed| changed.before.is_some() || changed.after.is_some())
            .collect()
    }

    pub(crate) fn by_hash(&self) -> HashMap<Hash, Arc<[u8]>> {
        let before = self.images.iter().map(|(hash, content)| (Hash::from_bytes(*hash), Arc::clone(content)));
        let after = self.contents.values().map(|(hash, content)| (*hash, Arc::clone(content)));
        before.chain(after).collect()
    }

    /// The contents that came to be and were not replaced again.
    pub(crate) fn left_behind(&self) -> Images {
        let mut last: HashMap<&JournalPlace, usize> = HashMap::new();
        for (at, change) in self.changes.iter().enumerate().filter(|(at, _)| self.applied[*at]) {
            last.insert(&change.place, at);
        }
        let mut images = Images::default();
        for (hash, content) in last.values().filter_map(|at| self.contents.get(at)) {
            images.add_hashed(*hash, content);
        }
        images
    }
}

/// Writes a change set, action by action; each sees what those before it will have made.
struct Writer {
    change_set: ChangeSet,
    states: HashMap<RootedPath, State>,
    room: usize,
    seq: usize,
}

impl Writer {
    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Write(write) => self.write(write),
            Effect::Several(files) => files.iter().flatten().for_each(|write| self.write(write)),
            Effect::WriteMoved { from, before, write } => {
                self.folders(&write.parents);
                let old_state = self.before(from, before, write.old_content().as_ref());
                self.change(from, old_state, State::Missing, None);
                // What is there already stays as it is.
                if write.before == Before::Missing {
                    let after = State::File { hash: write.new_hash, metadata: None };
                    let at = self.change(&write.path, State::Missing, after, Some(from));
                    self.change_set.contents.insert(at, (write.new_hash, write.content()));
                }
            }
            Effect::Delete { path, before, old } => {
                let old_state = self.before(path, before, old.as_ref());
                self.change(path, old_state, State::Missing, None);
            }
            Effect::Move { from, to, .. } if from == to => {}
            Effect::Move { from, before, to, replaced, content, overwritten, parents } => {
                self.folders(parents);
                let moved = self.before(from, before, content.as_ref());
                let replaced = self.before(to, replaced, overwritten.as_ref());
                self.change(from, moved.clone(), State::Missing, None);
                self.change(to, replaced, moved, Some(from));
            }
            Effect::CreateFolder { missing, .. } => self.folders(missing),
            Effect::RemoveFolder(path) => {
                let old_state = self.states.get(path).cloned().unwrap_or_else(|| {
                    let stat = self.change_set.roots.lstat(path).ok().flatten();
                    State::Folder(stat.map_or(0o755, |stat| stat.mode))
                });
                self.change(path, old_state, State::Missing, None);
            }
            Effect::Restore(restore) => self.restore(restore),
            Effect::ReadOnly(_) | Effect::Command(_) => {}
            Effect::Steps(steps) => steps.iter().for_each(|effect| self.effect(effect)),
        }
    }

    fn write(&mut self, write: &Write) {
        if write.is_unchanged() {
            return;
        }
        self.folders(&write.parents);
        write.paths().for_each(|path| self.write_at(path, write));
    }

    fn write_at(&mut self, path: &RootedPath, write: &Write) {
        let before = self.before(path, &write.before, write.old_content().as_ref());
        // Only a change of the mode has to be known by its mode.
        let metadata = match (&before, write.executable()) {
            (State::File { metadata: Some(metadata), .. }, Some(_)) => {
                Some(Metadata { mode: changed_mode(metadata.mode, write.mode), ..metadata.clone() })
            }
            // No new content runs as another user.
            (State::File { metadata: Some(metadata), .. }, None) if metadata.mode & 0o6000 != 0 => {
                Some(Metadata { mode: metadata.mode & 0o1777, ..metadata.clone() })
            }
            _ => None,
        };
        let after = State::File { hash: write.new_hash, metadata };
        let at = self.change(path, before, after, None);
        self.change_set.contents.insert(at, (write.new_hash, write.content()));
    }

    fn restore(&mut self, restore: &Restore) {
        self.folders(&restore.parents);
        let before = self.before(&restore.path, &restore.before, restore.old.as_ref());
        match &restore.saved {
            Saved::File { content, metadata } => {
                let hash = blake3::hash(content);
                let after = State::File { hash, metadata: metadata.clone() };
                let at = self.change(&restore.path, before, after, None);
                self.change_set.contents.insert(at, (hash, Arc::clone(content)));
            }
            Saved::Link(target) => {
                self.change(&restore.path, before, State::Link(target.clone()), None);
            }
            Saved::FolderMode { before, mode } => {
                self.change(&restore.path, State::Folder(*before), State::Folder(*mode), None);
            }
            Saved::Folder(mode) => {
                let at = self.change(&restore.path, before, State::Folder(*mode), None);
                self.change_set.folders.entry(restore.path.clone()).or_default().push(at);
            }
        }
    }

    fn folders(&mut self, folders: &[RootedPath]) {
        let mode = 0o777 & !self.change_set.roots.options().umask;
        for folder in folders {
            let at = self.change(folder, State::Missing, State::Folder(mode), None);
            self.change_set.folders.entry(folder.clone()).or_default().push(at);
        }
    }

    fn change(
        &mut self,
        path: &RootedPath,
        before: State,
        after: State,
        moved_from: Option<&RootedPath>,
    ) -> usize {
        let change_set = &mut self.change_set;
        let at = change_set.changes.len();
        self.states.insert(path.clone(), after.clone());
        change_set.by_path.insert((self.seq, path.clone()), at);
        let moved_from = moved_from.map(|from| journal_place(&change_set.roots, from));
        let place = journal_place(&change_set.roots, path);
        change_set.changes.push(Change { seq: self.seq, place, before, after, moved_from });
        at
    }

    /// Returns the state of `path` when it is changed, which the plan knows as `before`, with its `content`
    /// if the plan has it.
    fn before(&mut self, path: &RootedPath, before: &Before, content: Option<&Arc<[u8]>>) -> State {
        if let Some(state) = self.states.get(path) {
            return state.clone();
        }
        match before {
            Before::Missing => State::Missing,
            Before::Content(hash) => {
                self.keep(path, *hash, content);
                State::File { hash: *hash, metadata: self.change_set.roots.metadata(path).ok() }
            }
            Before::File(identity) => State::Large(*identity),
            Before::Symlink(target) => State::Link(target.clone()),
        }
    }

    fn keep(&mut self, path: &RootedPath, hash: Hash, content: Option<&Arc<[u8]>>) {
        if let Some(content) = content {
            return self.change_set.images.add_hashed(hash, content);
        }
        // One that is another by now will be a conflict.
        let Ok(read) = self.change_set.roots.read(path, self.room as u64) else { return };
        let content: Arc<[u8]> = read.bytes.into();
        if blake3::hash(&content) == hash {
            self.room -= content.len();
            self.change_set.images.add_hashed(hash, &content);
        }
    }
}

/// The bits of a file that is made executable, or not, as [`Roots::prepare_as`] makes it.
fn changed_mode(mode: u32, to: Mode) -> u32 {
    let rights = mode & 0o1777;
    if to == Mode::Executable { rights | (rights & 0o444) >> 2 } else { rights & !0o111 }
}
