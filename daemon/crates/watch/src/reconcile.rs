//! Reconciles the index with the tree: reads the dirty set, and the new folders that this finds.
//!
//! A dirty name is only a place to read; its current state decides. Folders are found by their path from the
//! root and compared with the device and inode that the index has for them; if they differ, the folder above
//! is read again. The time comes in as a value.

// Example: another program runs `mv src old; mkdir src; touch src/a`, and the index knows `src` as inode 7.
//
//     dirty set         root: {src, old}    (the events said: moved away, moved here, created; that is not used)
//     look at `src`     inode 9, not 7      forget `src` and all below it, add a new folder, read its tree
//     look at `old`     inode 7, unknown    add a folder, read its tree
//     read the trees    `src`, `old`        each is watched first and listed then; files get the current tick
//
// An event below the old `src` that is still queued names a folder that the index no longer has, and is dropped.
// If it comes before the ones of the root, the path of that folder leads to inode 9: `replaced` then schedules
// `src` as a name of the root, which is where the truth is found. A program that swaps folders all the time would
// keep this going, so `MAX_SWAPS` ends it with an error and the next query reads the whole tree.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};

use clada_fs::{
    DirEntry, FileKind, FsError, IgnoreRules, OpenFolder, Stat, Timestamp, is_ignore_file, is_outside,
};

use super::dirty_set::{DirtyBatch, DirtyNames};
use super::index::{Child, Doubt, FolderId, SeenFile, WatchIndex};
use super::read::{Contents, Failure, FolderOutcome, FolderReader, FolderRequest, fine_device};
use super::routes::WatchOwner;

const MANY: usize = 32;

const THREADS: usize = 8;

const PART: usize = 1024;

/// The most reads of one name in one reconciliation because another folder was there than a moment before. A
/// process that swaps folders without end is not waited for.
const MAX_SWAPS: usize = 100;

/// Nanoseconds within which a file may change again and look the same.
const RACY: i128 = 2_000_000_000;

/// The same where the kernel stamps each change with the time of its last tick, 10 ms ago at the most.
const RACY_FINE: i128 = 50_000_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Depth {
    Folder,
    Tree,
}

#[derive(Debug, Clone, Copy)]
struct ReadTask {
    folder: FolderId,
    depth: Depth,
    doubt: Doubt,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum ReconcileOutcome {
    Done,
    Limit,
    Silent,
}

pub(super) struct Reconciliation<'a> {
    pub(super) reader: FolderReader<'a>,
    pub(super) index: &'a mut WatchIndex,
    pub(super) base: &'a IgnoreRules,
    pub(super) looked: Timestamp,
    pub(super) stop: &'a dyn Fn() -> bool,
    /// In the order in which folders became known: a folder comes before those in it. If it was swapped,
    /// those are not read.
    dirty: BTreeMap<FolderId, DirtyNames>,
    tasks: Vec<ReadTask>,
    swaps: HashMap<(FolderId, OsString), usize>,
    restless: bool,
    pub(super) new_rules: bool,
}

impl<'a> Reconciliation<'a> {
    pub(super) fn new(
        reader: FolderReader<'a>,
        index: &'a mut WatchIndex,
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

    pub(super) fn everything(&mut self, doubt: Doubt) {
        self.tasks.push(ReadTask { folder: FolderId::ROOT, depth: Depth::Tree, doubt });
    }

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

    pub(super) fn run(&mut self) -> Result<ReconcileOutcome, Failure> {
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
                    ReconcileOutcome::Done => {}
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
                return Ok(ReconcileOutcome::Done);
            }
            for (folder, name) in others {
                self.dirty.entry(folder).or_default().add(name);
            }
        }
    }

    fn above(&mut self, folder: FolderId) {
        let Some(known) = self.index.folder(folder) else { return };
        let Some(parent) = known.parent else {
            return self.tasks.push(ReadTask { folder, depth: Depth::Folder, doubt: Doubt::None });
        };
        self.dirty.entry(parent).or_default().add(self.index.name(known).to_owned());
    }

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
            self.tasks.push(ReadTask { folder, depth: Depth::Tree, doubt: Doubt::Some });
        } else if names.entries {
            self.tasks.push(ReadTask { folder, depth: Depth::Folder, doubt: Doubt::Some });
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
            Some(stat) => {
                let task = ReadTask { folder, depth: Depth::Folder, doubt: Doubt::Some };
                self.update_entry(task, name, &stat, fine_device(opened));
            }
            None => self.forget(folder, name),
        }
        Ok(())
    }

    fn update_entry(&mut self, task: ReadTask, name: &OsStr, stat: &Stat, fine: Option<u64>) {
        let ReadTask { folder, depth, doubt } = task;
        let child = self.index.child(folder, name);
        match (stat.kind, child) {
            (FileKind::File, child) => {
                if matches!(child, Some(Child::Folder(_))) {
                    self.forget(folder, name);
                }
                let racy = is_racy(stat, self.looked, fine);
                self.index.record_file(folder, name, SeenFile { stat, racy, doubt });
            }
            (FileKind::Directory, Some(Child::Folder(id))) if self.is_at(id, stat) => {
                // A folder that lost its watch may have lost events of its contents, too.
                let unreported = self.index.folder(id).is_some_and(|known| known.watch.is_none());
                let (depth, doubt) = if unreported { (Depth::Tree, Doubt::Some) } else { (depth, doubt) };
                self.tasks.push(ReadTask { folder: id, depth, doubt });
            }
            (FileKind::Directory, _) => {
                self.forget(folder, name);
                if let Some(folder) = self.index.add_folder(folder, name, stat) {
                    self.tasks.push(ReadTask { folder, depth: Depth::Tree, doubt: Doubt::None });
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
            self.reader.routes.release(watch, WatchOwner { project: self.reader.project, folder });
        }
    }

    fn read_level(&mut self) -> Result<ReconcileOutcome, Failure> {
        let tasks = std::mem::take(&mut self.tasks);
        // In parts: each part is in the index before the next is read, and a caller that wants to stop need
        // not wait for a tree.
        for part in tasks.chunks(PART) {
            if (self.stop)() {
                return Err(Failure::Stopped);
            }
            let mut ended = ReconcileOutcome::Done;
            let part: Vec<(ReadTask, FolderRequest)> =
                part.iter().filter_map(|task| Some((*task, self.request(task.folder)?))).collect();
            for ((task, request), reading) in part.iter().zip(self.read_part(&part)) {
                match self.take_in(*task, request, reading)? {
                    ReconcileOutcome::Done => {}
                    other => ended = other,
                }
            }
            if ended != ReconcileOutcome::Done {
                return Ok(ended);
            }
        }
        Ok(ReconcileOutcome::Done)
    }

    fn take_in(
        &mut self,
        task: ReadTask,
        request: &FolderRequest,
        reading: FolderOutcome,
    ) -> Result<ReconcileOutcome, Failure> {
        match reading {
            FolderOutcome::Folder { watch, rules, contents } => {
                if let Some(old) = request.watch.filter(|old| Some(*old) != watch) {
                    let owner = WatchOwner { project: self.reader.project, folder: task.folder };
                    self.reader.routes.release(old, owner);
                }
                self.merge(task, watch, rules, &contents);
            }
            FolderOutcome::Replaced => self.replaced(task.folder),
            FolderOutcome::Closed => self.empty(task.folder),
            FolderOutcome::Limit => return Ok(ReconcileOutcome::Limit),
            FolderOutcome::Silent => return Ok(ReconcileOutcome::Silent),
            FolderOutcome::Failed(failure) => return Err(failure),
        }
        Ok(ReconcileOutcome::Done)
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

    fn read_part(&self, part: &[(ReadTask, FolderRequest)]) -> Vec<FolderOutcome> {
        let reader = self.reader;
        let work = |part: &[(ReadTask, FolderRequest)]| -> Vec<FolderOutcome> {
            part.iter().map(|(_, request)| reader.read(request)).collect()
        };
        if part.len() < MANY {
            return work(part);
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let share = part.len().div_ceil(threads).max(1);
        std::thread::scope(|scope| {
            let threads: Vec<_> = part.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, Vec<FolderOutcome>>| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            threads.into_iter().flat_map(join).collect()
        })
    }

    fn empty(&mut self, folder: FolderId) {
        let Some(known) = self.index.folder_mut(folder) else { return };
        let watch = known.watch.take();
        if let Some(watch) = watch {
            self.reader.routes.release(watch, WatchOwner { project: self.reader.project, folder });
        }
        let names: Vec<_> = self.index.names_in(folder).map(OsStr::to_owned).collect();
        for name in names {
            self.forget(folder, &name);
        }
    }

    fn merge(
        &mut self,
        task: ReadTask,
        watch: Option<super::source::WatchId>,
        rules: IgnoreRules,
        contents: &Contents,
    ) {
        let Contents { entries, fine } = contents;
        let Some(known) = self.index.folder_mut(task.folder) else {
            // It went with another one of its part.
            if let Some(watch) = watch {
                let owner = WatchOwner { project: self.reader.project, folder: task.folder };
                self.reader.routes.release(watch, owner);
            }
            return;
        };
        known.watch = watch;
        self.new_rules |= !known.rules.is(&rules);
        known.rules = rules;
        let there: HashSet<&OsStr> = entries.iter().map(|entry| entry.name.as_os_str()).collect();
        let names = self.index.names_in(task.folder).filter(|name| !there.contains(name));
        let missing: Vec<_> = names.map(OsStr::to_owned).collect();
        for name in missing {
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
            self.update_entry(task, name, stat, *fine);
        }
    }
}

/// Returns whether a file is so young that it could change once more and look the same. `fine`: the device of its
/// folder, if its times are fine.
pub(super) fn is_racy(stat: &Stat, looked: Timestamp, fine: Option<u64>) -> bool {
    let nanoseconds =
        |time: Timestamp| i128::from(time.seconds) * 1_000_000_000 + i128::from(time.nanoseconds);
    // Old formats of ext4 and XFS on the same device count in whole seconds.
    let is_fine = fine == Some(stat.dev) && stat.ctime.nanoseconds != 0;
    let window = if is_fine { RACY_FINE } else { RACY };
    nanoseconds(stat.ctime) + window >= nanoseconds(looked)
}

pub(super) fn is_absence(error: &FsError) -> bool {
    matches!(error.code(), "ENOENT" | "ENOTDIR" | "ELOOP" | "EACCES" | "EPERM")
}
