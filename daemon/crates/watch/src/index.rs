//! The index of a project's tree: its folders, its regular files, and the order in which they changed.
//!
//! Pure data. Callers report what was seen; the index does no I/O, knows only the numbers of watches, and
//! decides nothing but whether a file differs from before. Files are on a list, the last changed first, so
//! that a query for the changes since a tick costs what changed and not what exists. There is one of
//! everything here for every file of every project, so it is kept small: names are in one piece of memory,
//! and the children of a folder are numbers.

mod children;
mod compact;
mod files;
mod hidden;
mod names;
mod numbers;
mod tombstones;

use std::collections::hash_map::RandomState;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::hash::BuildHasher;
use std::path::{Path, PathBuf};

use self::children::Children;
use self::compact::{Compact, Devices};
pub(super) use self::numbers::{Child, FileId, FolderId};
use clada_fs::{Identity, IgnoreRules, Stat};

use self::files::{FileTable, IndexedFile};
use self::names::{NameId, NameTable};
use self::numbers::MAX_NUMBER;
use self::tombstones::Tombstones;
use super::source::WatchId;

const MAX_JUST_DELETED: usize = 50_000;

#[derive(Debug)]
pub(super) struct IndexedFolder {
    pub(super) parent: Option<FolderId>,
    name: NameId,
    pub(super) place: (u64, u64),
    pub(super) watch: Option<WatchId>,
    pub(super) rules: IgnoreRules,
    children: Children,
}

/// The change of a file since a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It came to be.
    Created,
    /// It is another one, or has other content.
    Changed,
    /// It is gone.
    Deleted,
}

/// The changes of an answer: paths from the root, the last changed first.
pub type Changes = Vec<(PathBuf, Change)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    None,
    Some,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct SeenFile<'a> {
    pub(super) stat: &'a Stat,
    pub(super) racy: bool,
    pub(super) doubt: Doubt,
}

#[derive(Debug)]
pub(super) struct WatchIndex {
    folders: HashMap<FolderId, IndexedFolder>,
    files: FileTable,
    devices: Devices,
    names: NameTable,
    hasher: RandomState,
    last_folder: u32,
    tick: u64,
    open: bool,
    tombstones: Tombstones,
    /// The states of files deleted at `tick`, and when they had changed, by their paths: a file that rules
    /// hide from now on is known as a hidden one in the same look. At most [`MAX_JUST_DELETED`].
    just_deleted: HashMap<PathBuf, (Compact, u64)>,
    /// The ticks of the last change of files that moved, unchanged, to another folder of the index.
    unmoved: HashMap<FileId, u64>,
    /// Files that have other names, through which they change without an event in this folder.
    linked: BTreeSet<FileId>,
    newly_linked: HashSet<(u32, u64)>,
    full: bool,
}

impl WatchIndex {
    pub(super) fn new(place: (u64, u64)) -> WatchIndex {
        let top = |place| IndexedFolder {
            parent: None,
            name: NameId::EMPTY,
            place,
            watch: None,
            rules: IgnoreRules::default(),
            children: Children::default(),
        };
        WatchIndex {
            folders: HashMap::from([(FolderId::ROOT, top(place)), (FolderId::HIDDEN, top((0, 0)))]),
            files: FileTable::new(),
            devices: Devices::default(),
            names: NameTable::new(),
            hasher: RandomState::new(),
            last_folder: 0,
            tick: 0,
            open: false,
            tombstones: Tombstones::default(),
            just_deleted: HashMap::new(),
            unmoved: HashMap::new(),
            linked: BTreeSet::new(),
            newly_linked: HashSet::new(),
            full: false,
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.full || self.files.is_full() || self.names.is_full()
    }

    pub(super) fn folder(&self, id: FolderId) -> Option<&IndexedFolder> {
        self.folders.get(&id)
    }

    pub(super) fn folder_mut(&mut self, id: FolderId) -> Option<&mut IndexedFolder> {
        self.folders.get_mut(&id)
    }

    pub(super) fn name(&self, folder: &IndexedFolder) -> &OsStr {
        self.names.get(folder.name)
    }

    pub(super) fn child(&self, folder: FolderId, name: &OsStr) -> Option<Child> {
        let children = &self.folders.get(&folder)?.children;
        children.find(self.hash(name), |child| self.name_of(child) == name)
    }

    pub(super) fn names_in(&self, folder: FolderId) -> impl Iterator<Item = &OsStr> {
        let children = self.folders.get(&folder).map(|folder| folder.children.iter());
        children.into_iter().flatten().map(|child| self.name_of(child))
    }

    pub(super) fn len(&self) -> usize {
        self.files.len()
    }

    pub(super) fn path(&self, folder: FolderId) -> PathBuf {
        let mut names: Vec<&OsStr> = Vec::new();
        let mut here = self.folders.get(&folder);
        while let Some((folder, parent)) = here.and_then(|folder| Some((folder, folder.parent?))) {
            names.push(self.names.get(folder.name));
            here = self.folders.get(&parent);
        }
        names.iter().rev().collect()
    }

    fn path_of(&self, file: &IndexedFile) -> PathBuf {
        self.path(file.folder).join(self.names.get(file.name))
    }

    /// Reserves room for `count` children of a folder, so that its table need not grow step by step.
    pub(super) fn expect(&mut self, folder: FolderId, count: usize) {
        self.change_children(folder, |children, index| {
            children.reserve(count, |child| index.hash(index.name_of(child)));
        });
    }

    pub(super) fn add_folder(&mut self, parent: FolderId, name: &OsStr, stat: &Stat) -> Option<FolderId> {
        if self.last_folder == MAX_NUMBER {
            self.full = true;
            return None;
        }
        self.last_folder += 1;
        let id = FolderId(self.last_folder);
        let folder = IndexedFolder {
            parent: Some(parent),
            name: self.names.add(name),
            place: (stat.dev, stat.ino),
            watch: None,
            rules: self.folders.get(&parent)?.rules.clone(),
            children: Children::default(),
        };
        self.folders.insert(id, folder);
        self.add_child(parent, name, Child::Folder(id));
        Some(id)
    }

    // Records a regular file that was seen. An earlier entry of this name that is not a file must be removed
    // before.
    pub(super) fn record_file(&mut self, folder: FolderId, name: &OsStr, seen: SeenFile<'_>) {
        let identity = self.devices.compact(&seen.stat.identity());
        let id = match self.child(folder, name) {
            Some(Child::File(id)) => {
                let Some(file) = self.files.get_mut(id) else { return };
                let same = file.identity == identity && !(file.racy && seen.doubt == Doubt::Some);
                file.racy = seen.racy;
                if !same {
                    file.identity = identity;
                    let tick = self.change();
                    self.files.touch(id, tick);
                    self.unmoved.remove(&id);
                }
                id
            }
            Some(Child::Folder(_)) => return,
            None => match self.add_file(folder, name, identity, seen.racy) {
                Some(id) => id,
                None => return,
            },
        };
        if seen.stat.nlink > 1 {
            if self.linked.insert(id) {
                self.newly_linked.insert(identity.node());
            }
        } else {
            self.linked.remove(&id);
        }
    }

    fn add_file(&mut self, folder: FolderId, name: &OsStr, identity: Compact, racy: bool) -> Option<FileId> {
        let tick = self.change();
        let born = if self.tombstones.is_empty() {
            None
        } else {
            self.tombstones.resurrect(&self.path(folder).join(name), tick)
        };
        let file = IndexedFile::new(folder, self.names.add(name), identity, racy, born.unwrap_or(tick));
        let id = self.files.add(file, tick)?;
        self.add_child(folder, name, Child::File(id));
        if folder == FolderId::HIDDEN
            && let Some((before, changed)) = self.just_deleted.remove(Path::new(name))
            && before == identity
        {
            self.unmoved.insert(id, changed);
        }
        Some(id)
    }

    fn changed(&self, id: FileId) -> Option<u64> {
        let listed = self.files.get(id)?.tick;
        Some(self.unmoved.get(&id).copied().unwrap_or(listed))
    }

    fn add_child(&mut self, folder: FolderId, name: &OsStr, child: Child) {
        self.change_children(folder, |children, index| {
            children.insert(index.hash(name), child, |child| index.hash(index.name_of(child)));
        });
    }

    fn change_children(&mut self, folder: FolderId, change: impl FnOnce(&mut Children, &WatchIndex)) {
        let Some(known) = self.folders.get_mut(&folder) else { return };
        let mut children = std::mem::take(&mut known.children);
        change(&mut children, self);
        if let Some(known) = self.folders.get_mut(&folder) {
            known.children = children;
        }
    }

    pub(super) fn remove(&mut self, folder: FolderId, name: &OsStr) -> Vec<(FolderId, WatchId)> {
        let mut watches = Vec::new();
        let Some(child) = self.child(folder, name) else { return watches };
        let hash = self.hash(name);
        if let Some(folder) = self.folders.get_mut(&folder) {
            folder.children.remove(hash, child);
        }
        let mut rest = vec![(child, self.path(folder).join(name))];
        while let Some((child, path)) = rest.pop() {
            match child {
                Child::File(id) => self.remove_file(id, path),
                Child::Folder(id) => {
                    let Some(folder) = self.folders.remove(&id) else { continue };
                    watches.extend(folder.watch.map(|watch| (id, watch)));
                    let children = folder.children.iter();
                    rest.extend(children.map(|child| (child, path.join(self.name_of(child)))));
                    self.names.remove(folder.name);
                }
            }
        }
        if self.names.wants_tidying() {
            self.tidy();
        }
        watches
    }

    fn remove_file(&mut self, id: FileId, path: PathBuf) {
        self.linked.remove(&id);
        let tick = self.change();
        // A file that may have changed unseen is not taken as the same.
        let sure = self.files.get(id).filter(|file| !file.racy).map(|file| file.identity);
        if let (Some(identity), Some(changed)) = (sure, self.changed(id))
            && self.just_deleted.len() < MAX_JUST_DELETED
        {
            self.just_deleted.insert(path.clone(), (identity, changed));
        }
        self.unmoved.remove(&id);
        let Some((born, name)) = self.files.remove(id) else { return };
        self.names.remove(name);
        self.tombstones.add(path, born, tick);
    }

    fn tidy(&mut self) {
        let before = std::mem::replace(&mut self.names, NameTable::new());
        let folders = self.folders.values_mut().map(|folder| &mut folder.name);
        for name in folders.chain(self.files.names_mut()) {
            *name = self.names.add(before.get(*name));
        }
    }

    pub(super) fn linked(&self) -> impl Iterator<Item = (FolderId, &OsStr)> {
        let files = self.linked.iter().filter_map(|id| self.files.get(*id));
        let known = files.filter(|file| file.folder != FolderId::HIDDEN);
        known.map(|file| (file.folder, self.names.get(file.name)))
    }

    /// Returns other names of files that got more than one since the last call, by folder: no event comes for
    /// the earlier names. Costs a pass over all files, and nothing if there are no such files.
    pub(super) fn other_names(&mut self) -> Vec<(FolderId, OsString)> {
        let nodes = std::mem::take(&mut self.newly_linked);
        if nodes.is_empty() {
            return Vec::new();
        }
        let others = self.files.all().filter(|(_, file)| nodes.contains(&file.identity.node()));
        let unknown: Vec<FileId> = others.map(|(id, _)| id).filter(|id| !self.linked.contains(id)).collect();
        self.linked.extend(&unknown);
        let files = unknown.iter().filter_map(|id| self.files.get(*id));
        let known = files.filter(|file| file.folder != FolderId::HIDDEN);
        known.map(|file| (file.folder, self.names.get(file.name).to_owned())).collect()
    }

    pub(super) fn tick(&mut self) -> u64 {
        self.open = false;
        self.just_deleted = HashMap::new();
        self.tick
    }

    pub(super) fn since(&self, tick: u64) -> Option<Changes> {
        if tick < self.tombstones.forgotten() || tick > self.tick {
            return None;
        }
        let listed = self.files.numbered_newest_first().take_while(|(_, file)| file.tick > tick);
        let changed = listed.filter(|(id, _)| self.unmoved.get(id).is_none_or(|changed| *changed > tick));
        let mut changes: Changes = changed
            .map(|(_, file)| {
                let path = self.path_of(file);
                let is_new = file.born > tick || self.tombstones.was_away(&path, tick);
                (path, if is_new { Change::Created } else { Change::Changed })
            })
            .collect();
        changes.extend(self.tombstones.since(tick).map(|path| (path.to_path_buf(), Change::Deleted)));
        Some(changes)
    }

    pub(super) fn files(&self) -> Vec<(PathBuf, Identity)> {
        let identity = |file: &IndexedFile| self.devices.identity(&file.identity);
        self.files.newest_first().map(|file| (self.path_of(file), identity(file))).collect()
    }

    pub(super) fn forget_watches(&mut self) {
        for folder in self.folders.values_mut() {
            folder.watch = None;
        }
    }

    fn change(&mut self) -> u64 {
        if !self.open {
            self.tick += 1;
            self.open = true;
        }
        self.tick
    }

    fn hash(&self, name: &OsStr) -> u64 {
        self.hasher.hash_one(name)
    }

    fn name_of(&self, child: Child) -> &OsStr {
        let name = match child {
            Child::Folder(id) => self.folders.get(&id).map(|folder| folder.name),
            Child::File(id) => self.files.get(id).map(|file| file.name),
        };
        self.names.get(name.unwrap_or(NameId::EMPTY))
    }

    /// Returns the bytes of all names.
    #[cfg(test)]
    pub(super) fn size_of_names(&self) -> usize {
        self.names.size()
    }
}
