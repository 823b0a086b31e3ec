//! What is known of a project's tree: its folders, its regular files, and in which order they changed.
//!
//! Pure data. Told by others what was seen; does no I/O, knows no watches but their numbers, and concludes nothing but
//! whether a file is another one than before. Files hang on a list, the last changed first, so that a question for what
//! changed since a tick costs what changed and not what exists.

mod hidden;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::source::WatchId;
use crate::fs::{Identity, IgnoreRules, Stat};

/// Removed files that are remembered. Whoever asks for what changed before the oldest of them gets everything.
const MAX_GRAVES: usize = 200_000;

/// No file: the end of the list.
const NONE: u32 = u32::MAX;

/// A folder of the index. A number is used once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FolderId(u32);

impl FolderId {
    /// The project's root.
    pub(super) const ROOT: FolderId = FolderId(0);

    /// No folder: its children are files in folders that are not known, by their ways from the root.
    pub(super) const HIDDEN: FolderId = FolderId(u32::MAX);
}

/// What is in a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Child {
    Folder(FolderId),
    File(FileId),
}

/// A file of the index; a number is used again when its file is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FileId(u32);

/// A folder that is known.
#[derive(Debug)]
pub(super) struct Folder {
    pub(super) parent: Option<FolderId>,
    pub(super) name: Arc<OsStr>,
    /// Device and inode.
    pub(super) place: (u64, u64),
    pub(super) watch: Option<WatchId>,
    /// Those in force in it.
    pub(super) rules: IgnoreRules,
    pub(super) children: BTreeMap<Arc<OsStr>, Child>,
}

#[derive(Debug)]
struct File {
    folder: FolderId,
    name: Arc<OsStr>,
    identity: Identity,
    /// So young when it was looked at that it could change once more and look the same.
    racy: bool,
    tick: u64,
    born: u64,
    older: u32,
    newer: u32,
}

/// How a file has changed since a tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It came to be.
    Created,
    /// It is another one, or has other content.
    Changed,
    /// It is gone.
    Deleted,
}

/// What an answer about changes is made of: paths from the root, the last changed first.
pub type Changes = Vec<(PathBuf, Change)>;

/// Whether a file that looks the same as before may be another one all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doubt {
    /// Word of any change would have come.
    None,
    /// Something was said of it, or nothing would have been said.
    Some,
}

/// What was seen of a file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sight<'a> {
    pub(super) stat: &'a Stat,
    /// See [`File::racy`].
    pub(super) racy: bool,
    pub(super) doubt: Doubt,
}

/// The index of one project.
#[derive(Debug)]
pub(super) struct Index {
    folders: HashMap<FolderId, Folder>,
    files: Vec<File>,
    free: Vec<u32>,
    newest: u32,
    last_folder: u32,
    tick: u64,
    /// Whether a change has been noted at `tick` that nobody was told of yet.
    open: bool,
    /// Files that are gone: when, and since when they were there.
    graves: BTreeMap<(u64, PathBuf), u64>,
    grave_of: HashMap<PathBuf, u64>,
    /// What was removed up to here is not known in full.
    forgotten: u64,
    /// Files that have other names, through which they change without a word in this folder.
    linked: BTreeSet<FileId>,
}

impl Index {
    /// An index of a root that nothing is known of but which folder it is.
    pub(super) fn new(place: (u64, u64)) -> Index {
        let top = |place| Folder {
            parent: None,
            name: Arc::from(OsStr::new("")),
            place,
            watch: None,
            rules: IgnoreRules::default(),
            children: BTreeMap::new(),
        };
        Index {
            folders: HashMap::from([(FolderId::ROOT, top(place)), (FolderId::HIDDEN, top((0, 0)))]),
            files: Vec::new(),
            free: Vec::new(),
            newest: NONE,
            last_folder: 0,
            tick: 0,
            open: false,
            graves: BTreeMap::new(),
            grave_of: HashMap::new(),
            forgotten: 0,
            linked: BTreeSet::new(),
        }
    }

    pub(super) fn folder(&self, id: FolderId) -> Option<&Folder> {
        self.folders.get(&id)
    }

    pub(super) fn folder_mut(&mut self, id: FolderId) -> Option<&mut Folder> {
        self.folders.get_mut(&id)
    }

    pub(super) fn child(&self, folder: FolderId, name: &OsStr) -> Option<Child> {
        self.folders.get(&folder)?.children.get(name).copied()
    }

    /// How many files there are.
    pub(super) fn len(&self) -> usize {
        self.files.len() - self.free.len()
    }

    /// The way from the root.
    pub(super) fn path(&self, folder: FolderId) -> PathBuf {
        let mut names: Vec<&OsStr> = Vec::new();
        let mut here = self.folders.get(&folder);
        while let Some((folder, parent)) = here.and_then(|folder| Some((folder, folder.parent?))) {
            names.push(&folder.name);
            here = self.folders.get(&parent);
        }
        names.iter().rev().collect()
    }

    /// A folder that was not known, in one that is.
    pub(super) fn add_folder(&mut self, parent: FolderId, name: &OsStr, stat: &Stat) -> FolderId {
        self.last_folder += 1;
        let id = FolderId(self.last_folder);
        let name: Arc<OsStr> = Arc::from(name);
        let mut rules = IgnoreRules::default();
        if let Some(parent) = self.folders.get_mut(&parent) {
            parent.children.insert(Arc::clone(&name), Child::Folder(id));
            rules = parent.rules.clone();
        }
        let folder = Folder {
            parent: Some(parent),
            name,
            place: (stat.dev, stat.ino),
            watch: None,
            rules,
            children: BTreeMap::new(),
        };
        self.folders.insert(id, folder);
        id
    }

    /// A regular file was seen. What stood there before under this name and is no file must be gone already.
    pub(super) fn seen(&mut self, folder: FolderId, name: &OsStr, sight: Sight<'_>) {
        let identity = sight.stat.identity();
        let id = match self.child(folder, name) {
            Some(Child::File(id)) => {
                let file = &mut self.files[id.0 as usize];
                let same = file.identity == identity && !(file.racy && sight.doubt == Doubt::Some);
                file.racy = sight.racy;
                if !same {
                    file.identity = identity;
                    self.unlink(id);
                    self.put_first(id);
                }
                id
            }
            Some(Child::Folder(_)) => return,
            None => self.add_file(folder, name, identity, sight.racy),
        };
        if sight.stat.nlink > 1 {
            self.linked.insert(id);
        } else {
            self.linked.remove(&id);
        }
    }

    fn add_file(&mut self, folder: FolderId, name: &OsStr, identity: Identity, racy: bool) -> FileId {
        let tick = self.change();
        let born = if self.grave_of.is_empty() { None } else { self.unbury(&self.path(folder).join(name)) };
        let name: Arc<OsStr> = Arc::from(name);
        let born = born.unwrap_or(tick);
        let file =
            File { folder, name: Arc::clone(&name), identity, racy, tick, born, older: NONE, newer: NONE };
        let id = match self.free.pop() {
            Some(slot) => {
                self.files[slot as usize] = file;
                FileId(slot)
            }
            None => {
                if self.files.len() == self.files.capacity() {
                    // An eighth more, not as much again: there are many files, and most trees do not double.
                    self.files.reserve_exact(self.files.len() / 8 + 64);
                }
                self.files.push(file);
                FileId(u32::try_from(self.files.len() - 1).unwrap_or(NONE))
            }
        };
        if let Some(folder) = self.folders.get_mut(&folder) {
            folder.children.insert(name, Child::File(id));
        }
        self.put_first(id);
        id
    }

    /// Nothing stands at `name` any more. The watches of folders that are gone with it, for whoever holds them.
    pub(super) fn gone(&mut self, folder: FolderId, name: &OsStr) -> Vec<(FolderId, WatchId)> {
        let mut watches = Vec::new();
        let Some(child) = self.child(folder, name) else { return watches };
        let path = self.path(folder).join(name);
        if let Some(folder) = self.folders.get_mut(&folder) {
            folder.children.remove(name);
        }
        let mut rest = vec![(child, path)];
        while let Some((child, path)) = rest.pop() {
            match child {
                Child::File(id) => self.bury(id, path),
                Child::Folder(id) => {
                    let Some(folder) = self.folders.remove(&id) else { continue };
                    watches.extend(folder.watch.map(|watch| (id, watch)));
                    rest.extend(folder.children.into_iter().map(|(name, child)| (child, path.join(&*name))));
                }
            }
        }
        watches
    }

    fn bury(&mut self, id: FileId, path: PathBuf) {
        self.unlink(id);
        self.linked.remove(&id);
        let tick = self.change();
        let born = self.files[id.0 as usize].born;
        self.files[id.0 as usize].name = Arc::from(OsStr::new(""));
        self.free.push(id.0);
        self.graves.insert((tick, path.clone()), born);
        self.grave_of.insert(path, tick);
        while self.graves.len() > MAX_GRAVES {
            let Some(((tick, path), _)) = self.graves.pop_first() else { break };
            self.grave_of.remove(&path);
            self.forgotten = tick;
        }
    }

    /// Takes a file from those that are gone: since when it was there. For whoever knew it before, it has changed.
    fn unbury(&mut self, path: &Path) -> Option<u64> {
        let (path, tick) = self.grave_of.remove_entry(path)?;
        self.graves.remove(&(tick, path))
    }

    /// Files with more than one name, by folder.
    pub(super) fn linked(&self) -> impl Iterator<Item = (FolderId, &Arc<OsStr>)> {
        let files = self.linked.iter().map(|id| &self.files[id.0 as usize]);
        files.filter(|file| file.folder != FolderId::HIDDEN).map(|file| (file.folder, &file.name))
    }

    /// All changes so far are behind this tick; later ones get a later one.
    pub(super) fn tick(&mut self) -> u64 {
        self.open = false;
        self.tick
    }

    /// What changed since `tick`; `None` if that is not known any more.
    pub(super) fn since(&self, tick: u64) -> Option<Changes> {
        if tick < self.forgotten || tick > self.tick {
            return None;
        }
        let mut changes = Vec::new();
        let mut here = self.newest;
        while let Some(file) = self.files.get(here as usize).filter(|file| file.tick > tick) {
            let change = if file.born > tick { Change::Created } else { Change::Changed };
            changes.push((self.path(file.folder).join(&*file.name), change));
            here = file.older;
        }
        let graves = self.graves.range((tick + 1, PathBuf::new())..).rev();
        let known = graves.filter(|(_, born)| **born <= tick);
        changes.extend(known.map(|((_, path), _)| (path.clone(), Change::Deleted)));
        Some(changes)
    }

    /// Every file, with what it was when it was looked at.
    pub(super) fn files(&self) -> Vec<(PathBuf, Identity)> {
        let mut files = Vec::with_capacity(self.len());
        let mut here = self.newest;
        while let Some(file) = self.files.get(here as usize) {
            files.push((self.path(file.folder).join(&*file.name), file.identity));
            here = file.older;
        }
        files
    }

    /// Every folder's watch, which none has any more afterwards.
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

    fn put_first(&mut self, id: FileId) {
        let tick = self.change();
        let before = std::mem::replace(&mut self.newest, id.0);
        let file = &mut self.files[id.0 as usize];
        (file.tick, file.older, file.newer) = (tick, before, NONE);
        if let Some(before) = self.files.get_mut(before as usize) {
            before.newer = id.0;
        }
    }

    fn unlink(&mut self, id: FileId) {
        let file = &self.files[id.0 as usize];
        let (older, newer) = (file.older, file.newer);
        match self.files.get_mut(newer as usize) {
            Some(newer) => newer.older = older,
            None => self.newest = older,
        }
        if let Some(older) = self.files.get_mut(older as usize) {
            older.newer = newer;
        }
    }
}
