//! Reconciles the index with the tree: reads the dirty set, and the new folders that this finds.
//!
//! A dirty name is only a place to read; its current state decides. Folders are found by their path from the
//! root and compared with the device and inode that the index has for them; if they differ, the folder above
//! is read again. The time comes in as a value.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};

use clada_fs::{
    DirEntry, FileKind, FsError, IgnoreRules, OpenFolder, Stat, Timestamp, is_ignore_file, is_outside,
};

use super::dirty_set::{DirtyBatch, DirtyNames};
use super::index::{Child, Doubt, FolderId, Index, SeenFile};
use super::read::{Failure, FolderRequest, Reader, Reading};
use super::routes::Owner;

/// The fewest folders of one level that are worth reading on several threads.
const MANY: usize = 32;

/// The most threads that read at once.
const THREADS: usize = 8;

/// The folders that are read before any of them becomes part of the index.
const PART: usize = 1024;

/// The most reads of one name in one reconciliation because another folder was there than a moment before. A
/// process that swaps folders without end is not waited for.
const MAX_SWAPS: usize = 100;

/// Seconds within which a file may change again and look the same.
const RACY: i64 = 2;

/// The depth below a folder to which everything is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    /// The folder, and new folders in it.
    Folder,
    /// The whole tree.
    Tree,
}

#[derive(Debug, Clone, Copy)]
struct Task {
    folder: FolderId,
    depth: Depth,
    doubt: Doubt,
}

/// The outcome of a reconciliation.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The index matches the tree.
    Done,
    /// No more folders can be watched.
    Limit,
    /// Part of the tree is on a file system that raises no events.
    Silent,
}

/// One reconciliation.
pub(super) struct Reconciliation<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) index: &'a mut Index,
    /// The rules that hold everywhere.
    pub(super) base: &'a IgnoreRules,
    /// The time when it began, by the wall clock.
    pub(super) looked: Timestamp,
    /// Returns true to end it early.
    pub(super) stop: &'a dyn Fn() -> bool,
    /// In the order in which folders became known: a folder comes before those in it. If it was swapped,
    /// those are not read.
    dirty: BTreeMap<FolderId, DirtyNames>,
    tasks: Vec<Task>,
    swaps: HashMap<(FolderId, OsString), usize>,
    restless: bool,
    /// Rules were read that may differ from before.
    pub(super) new_rules: bool,
}

impl<'a> Reconciliation<'a> {
    pub(super) fn new(
        reader: Reader<'a>,
        index: &'a mut Index,
        base: &'a IgnoreRules,
        looked: Timestamp,
        stop: &'a dyn Fn() -> bool,
    ) -> Reconciliation<'a> {
        Reconciliation {
            reader,
            index,
            base,
            looked,
            stop,
            dirty: BTreeMap::new(),
            tasks: Vec::new(),
            swaps: HashMap::new(),
            restless: false,
            new_rules: false,
        }
    }

    /// Schedules everything for reading; `doubt` if changes may have gone unreported.
    pub(super) fn everything(&mut self, doubt: Doubt) {
        self.tasks.push(Task { folder: FolderId::ROOT, depth: Depth::Tree, doubt });
    }

    /// Schedules the dirty names, and the files that raise no events.
    pub(super) fn schedule(&mut self, batch: DirtyBatch) {
        for (folder, watch) in batch.ended {
            if let Some(known) = self.index.folder_mut(folder).filter(|known| known.watch == Some(watch)) {
                known.watch = None;
                self.above(folder);
            }
        }
        for (folder, names) in batch.folders {
            let all = self.dirty.entry(folder).or_default();
            names.some.into_iter().for_each(|name| all.add(name));
            if names.all {
                all.add_all();
            }
            all.entries |= names.entries;
            all.itself |= names.itself;
        }
        let linked: Vec<(FolderId, OsString)> =
            self.index.linked().map(|(folder, name)| (folder, name.to_owned())).collect();
        for (folder, name) in linked {
            self.dirty.entry(folder).or_default().add(name);
        }
    }

    /// Reads until nothing is scheduled.
    pub(super) fn run(&mut self) -> Result<Outcome, Failure> {
        loop {
            if (self.stop)() {
                return Err(Failure::Stopped);
            }
            if self.index.is_full() {
                return Err(Failure::Full);
            }
            if self.restless {
                return Err(Failure::Restless);
            }
            if !self.tasks.is_empty() {
                match self.read_level()? {
                    Outcome::Done => {}
                    ended => return Ok(ended),
                }
                continue;
            }
            if let Some((folder, names)) = self.dirty.pop_first() {
                self.look(folder, &names)?;
                continue;
            }
            // Only now are all names known: a file may have got another name in a folder that was read last.
            let others = self.index.other_names();
            if others.is_empty() {
                return Ok(Outcome::Done);
            }
            for (folder, name) in others {
                self.dirty.entry(folder).or_default().add(name);
            }
        }
    }

    /// Schedules the folder for reading, as an entry of the one above it.
    fn above(&mut self, folder: FolderId) {
        let Some(known) = self.index.folder(folder) else { return };
        let Some(parent) = known.parent else {
            return self.tasks.push(Task { folder, depth: Depth::Folder, doubt: Doubt::None });
        };
        self.dirty.entry(parent).or_default().add(self.index.name(known).to_owned());
    }

    /// Schedules a folder for which another one, or none, was found.
    fn replaced(&mut self, folder: FolderId) {
        let Some(known) = self.index.folder(folder) else { return };
        let name = self.index.name(known);
        let above = known.parent.and_then(|parent| self.dirty.get(&parent));
        if above.is_some_and(|names| names.all || names.some.contains(name)) {
            // It is scheduled already: many folders beneath it report the same swap.
            return;
        }
        let swaps = self.swaps.entry((known.parent.unwrap_or(folder), name.to_owned())).or_default();
        *swaps += 1;
        self.restless |= *swaps > MAX_SWAPS;
        self.above(folder);
    }

    /// Reads the dirty names of one folder.
    fn look(&mut self, folder: FolderId, names: &DirtyNames) -> Result<(), Failure> {
        let Some(known) = self.index.folder(folder) else { return Ok(()) };
        let (place, rules) = (known.place, known.rules.clone());
        if names.itself {
            self.above(folder);
        }
        if names.some.is_empty() && !names.all && !names.entries {
            return Ok(());
        }
        let opened = match self.reader.roots.open_folder(&self.index.path(folder)) {
            Ok(opened) if (opened.stat().dev, opened.stat().ino) == place => opened,
            Ok(_) => {
                self.replaced(folder);
                return Ok(());
            }
            // The latter: a folder on the way was moved while the kernel resolved the path.
            Err(error) if is_absence(&error) || matches!(error.code(), "EXDEV" | "EAGAIN") => {
                self.replaced(folder);
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        if names.all || names.some.iter().any(|name| is_ignore_file(name)) {
            // If it is all names, one of them may be that of an ignore file.
            self.tasks.push(Task { folder, depth: Depth::Tree, doubt: Doubt::Some });
        } else if names.entries {
            self.tasks.push(Task { folder, depth: Depth::Folder, doubt: Doubt::Some });
        } else {
            for name in &names.some {
                self.look_at(folder, &opened, name, &rules)?;
            }
        }
        Ok(())
    }

    fn look_at(
        &mut self,
        folder: FolderId,
        opened: &OpenFolder,
        name: &OsStr,
        rules: &IgnoreRules,
    ) -> Result<(), Failure> {
        if is_outside(name) {
            return Ok(());
        }
        let stat = match opened.entry(name) {
            Ok(stat) => stat,
            Err(error) if is_absence(&error) => None,
            Err(error) => return Err(error.into()),
        };
        match stat.filter(|stat| opened.keeps(name, stat, rules)) {
            Some(stat) => self.found(folder, name, &stat, Depth::Folder, Doubt::Some),
            None => self.forget(folder, name),
        }
        Ok(())
    }

    /// Handles an entry that was found at `name`.
    fn found(&mut self, folder: FolderId, name: &OsStr, stat: &Stat, depth: Depth, doubt: Doubt) {
        let child = self.index.child(folder, name);
        match (stat.kind, child) {
            (FileKind::File, child) => {
                if matches!(child, Some(Child::Folder(_))) {
                    self.forget(folder, name);
                }
                let racy = is_racy(stat, self.looked);
                self.index.record_file(folder, name, SeenFile { stat, racy, doubt });
            }
            (FileKind::Directory, Some(Child::Folder(id))) if self.is_at(id, stat) => {
                // A folder that lost its watch may have lost events of its contents, too.
                let unreported = self.index.folder(id).is_some_and(|known| known.watch.is_none());
                let (depth, doubt) = if unreported { (Depth::Tree, Doubt::Some) } else { (depth, doubt) };
                self.tasks.push(Task { folder: id, depth, doubt });
            }
            (FileKind::Directory, _) => {
                self.forget(folder, name);
                if let Some(folder) = self.index.add_folder(folder, name, stat) {
                    self.tasks.push(Task { folder, depth: Depth::Tree, doubt: Doubt::None });
                }
            }
            (FileKind::Symlink | FileKind::Special, _) => self.forget(folder, name),
        }
    }

    fn is_at(&self, id: FolderId, stat: &Stat) -> bool {
        self.index.folder(id).is_some_and(|known| known.place == (stat.dev, stat.ino))
    }

    fn forget(&mut self, folder: FolderId, name: &OsStr) {
        for (folder, watch) in self.index.remove(folder, name) {
            self.reader.routes.release(watch, Owner { project: self.reader.project, folder });
        }
    }

    /// Reads all folders that are scheduled. New folders in them are the next level.
    fn read_level(&mut self) -> Result<Outcome, Failure> {
        let tasks = std::mem::take(&mut self.tasks);
        // In parts: each part is in the index before the next is read, and a caller that wants to stop need
        // not wait for a tree.
        for part in tasks.chunks(PART) {
            if (self.stop)() {
                return Err(Failure::Stopped);
            }
            let mut ended = Outcome::Done;
            let part: Vec<(Task, FolderRequest)> =
                part.iter().filter_map(|task| Some((*task, self.request(task.folder)?))).collect();
            for ((task, request), reading) in part.iter().zip(self.read_part(&part)) {
                match self.take_in(*task, request, reading)? {
                    Outcome::Done => {}
                    other => ended = other,
                }
            }
            if ended != Outcome::Done {
                return Ok(ended);
            }
        }
        Ok(Outcome::Done)
    }

    /// Takes the reading of a folder into the index.
    fn take_in(&mut self, task: Task, request: &FolderRequest, reading: Reading) -> Result<Outcome, Failure> {
        match reading {
            Reading::Folder { watch, rules, entries } => {
                if let Some(old) = request.watch.filter(|old| Some(*old) != watch) {
                    let owner = Owner { project: self.reader.project, folder: task.folder };
                    self.reader.routes.release(old, owner);
                }
                self.merge(task, watch, rules, &entries);
            }
            Reading::Replaced => self.replaced(task.folder),
            Reading::Closed => self.empty(task.folder),
            Reading::Limit => return Ok(Outcome::Limit),
            Reading::Silent => return Ok(Outcome::Silent),
            Reading::Failed(failure) => return Err(failure),
        }
        Ok(Outcome::Done)
    }

    fn request(&self, folder: FolderId) -> Option<FolderRequest> {
        let known = self.index.folder(folder)?;
        let above = match known.parent {
            Some(parent) => self.index.folder(parent)?.rules.clone(),
            None => self.base.clone(),
        };
        let path = self.index.path(folder);
        Some(FolderRequest { folder, path, place: known.place, watch: known.watch, above })
    }

    fn read_part(&self, part: &[(Task, FolderRequest)]) -> Vec<Reading> {
        let reader = self.reader;
        let work = |part: &[(Task, FolderRequest)]| -> Vec<Reading> {
            part.iter().map(|(_, request)| reader.read(request)).collect()
        };
        if part.len() < MANY {
            return work(part);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let share = part.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = part.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<Reading>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        })
    }

    /// Empties a folder that may not be read: its contents cannot be known.
    fn empty(&mut self, folder: FolderId) {
        let Some(known) = self.index.folder_mut(folder) else { return };
        let watch = known.watch.take();
        if let Some(watch) = watch {
            self.reader.routes.release(watch, Owner { project: self.reader.project, folder });
        }
        let names: Vec<_> = self.index.names_in(folder).map(OsStr::to_owned).collect();
        for name in names {
            self.forget(folder, &name);
        }
    }

    fn merge(
        &mut self,
        task: Task,
        watch: Option<super::source::WatchId>,
        rules: IgnoreRules,
        entries: &[DirEntry],
    ) {
        let Some(known) = self.index.folder_mut(task.folder) else {
            // It went with another one of its part.
            if let Some(watch) = watch {
                let owner = Owner { project: self.reader.project, folder: task.folder };
                self.reader.routes.release(watch, owner);
            }
            return;
        };
        known.watch = watch;
        self.new_rules |= !known.rules.is(&rules);
        known.rules = rules;
        let there: HashSet<&OsStr> = entries.iter().map(|entry| entry.name.as_os_str()).collect();
        let names = self.index.names_in(task.folder).filter(|name| !there.contains(name));
        let gone: Vec<_> = names.map(OsStr::to_owned).collect();
        for name in gone {
            self.forget(task.folder, &name);
        }
        self.index.expect(task.folder, entries.len());
        for DirEntry { name, stat } in entries {
            let child = self.index.child(task.folder, name);
            let is_known = matches!(child, Some(Child::Folder(id))
                if self.is_at(id, stat) && self.index.folder(id).is_some_and(|known| known.watch.is_some()));
            if is_known && stat.kind == FileKind::Directory && task.depth == Depth::Folder {
                continue;
            }
            self.found(task.folder, name, stat, task.depth, task.doubt);
        }
    }
}

/// Returns whether a file is so young that it could change once more and look the same.
pub(super) fn is_racy(stat: &Stat, looked: Timestamp) -> bool {
    stat.ctime.seconds.saturating_add(RACY) >= looked.seconds
}

/// Returns whether the error means that nothing can be seen there.
pub(super) fn is_absence(error: &FsError) -> bool {
    matches!(error.code(), "ENOENT" | "ENOTDIR" | "ELOOP" | "EACCES" | "EPERM")
}
