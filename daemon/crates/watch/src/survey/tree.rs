//! Everything in a project's tree, as it was last read: its folders, with their entries in the order of the
//! names' bytes. Pure data.
//!
//! Unlike the index it has links, what is no file, and the names that ignore rules leave out, and it keeps no
//! order of changes: it is what a walk would find.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, FolderEntry, IgnoreRules, Stat};

use super::change_log::{ChangeLog, Part};
use crate::index::FolderId;
use crate::source::WatchId;

#[derive(Debug)]
pub(super) struct SurveyFolder {
    pub(super) parent: Option<FolderId>,
    name: Box<OsStr>,
    pub(super) place: (u64, u64),
    pub(super) watch: Option<WatchId>,
    pub(super) rules: IgnoreRules,
    entries: Vec<SurveyEntry>,
    pub(super) owned: Vec<OsString>,
    pub(super) excludes: Option<Vec<u8>>,
    is_closed: bool,
}

#[derive(Debug)]
struct SurveyEntry {
    name: Box<OsStr>,
    stat: Stat,
    is_ignored: bool,
    folder: Option<FolderId>,
}

#[derive(Debug)]
pub(super) struct FolderReading {
    pub(super) watch: WatchId,
    pub(super) rules: IgnoreRules,
    pub(super) entries: Vec<FolderEntry>,
    pub(super) owned: Vec<OsString>,
    pub(super) excludes: Option<Vec<u8>>,
}

#[derive(Debug, Default)]
pub(super) struct SurveyTree {
    folders: HashMap<FolderId, SurveyFolder>,
    last: u32,
    len: usize,
    /// Files with further names, through which they change without an event, and folders that are left out,
    /// in which entries come and go without one.
    pub(super) unreported: BTreeSet<(FolderId, Box<OsStr>)>,
    pub(super) tops: BTreeSet<FolderId>,
    newly_linked: HashSet<(u64, u64)>,
    pub(super) unread: Vec<FolderId>,
    pub(super) released: Vec<(FolderId, WatchId)>,
    pub(super) log: ChangeLog,
}

impl SurveyTree {
    pub(super) fn new(place: (u64, u64), mut log: ChangeLog) -> SurveyTree {
        log.forget();
        let mut tree = SurveyTree { unread: vec![FolderId::ROOT], log, ..SurveyTree::default() };
        tree.folders.insert(FolderId::ROOT, SurveyFolder::new(None, OsStr::new(""), place));
        tree
    }

    pub(super) fn folder(&self, id: FolderId) -> Option<&SurveyFolder> {
        self.folders.get(&id)
    }

    pub(super) fn folder_mut(&mut self, id: FolderId) -> Option<&mut SurveyFolder> {
        self.folders.get_mut(&id)
    }

    pub(super) fn ids(&self) -> Vec<FolderId> {
        self.folders.keys().copied().collect()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn path(&self, id: FolderId) -> PathBuf {
        let mut names = Vec::new();
        let mut here = self.folders.get(&id);
        while let Some((folder, parent)) = here.and_then(|folder| Some((folder, folder.parent?))) {
            names.push(&*folder.name);
            here = self.folders.get(&parent);
        }
        names.iter().rev().collect()
    }

    /// Takes in the reading of a folder. What it has of folders that are still the same ones is kept, unless
    /// the rules are to be applied `anew`.
    pub(super) fn take_in(&mut self, id: FolderId, reading: FolderReading, anew: bool) {
        let FolderReading { watch, rules, entries, owned, excludes } = reading;
        let Some(folder) = self.folders.get_mut(&id) else {
            // The folder was dropped while it was read, so that its new watch has no owner.
            return self.released.push((id, watch));
        };
        let old_watch = folder.watch.replace(watch).filter(|old| *old != watch);
        // Repositories and holes are not reported by parts.
        if folder.is_closed || folder.owned != owned {
            self.log.forget();
        }
        (folder.rules, folder.owned, folder.excludes, folder.is_closed) = (rules, owned, excludes, false);
        let is_top = folder.parent.is_some() && folder.owned.iter().any(|name| name == ".git");
        let mut before = std::mem::take(&mut folder.entries).into_iter().peekable();
        self.released.extend(old_watch.map(|old| (id, old)));
        if is_top {
            self.tops.insert(id)
        } else {
            self.tops.remove(&id)
        };
        let mut now = Vec::with_capacity(entries.len());
        for listed in entries {
            // Both are sorted by name, so one pass finds what went, what stayed and what came.
            while let Some(old_entry) = before.next_if(|old| old.name < listed.name) {
                self.remove_entry(id, &old_entry);
            }
            let old = before.next_if(|old| old.name == listed.name);
            now.push(self.entry(id, old, listed, anew));
        }
        before.for_each(|old_entry| self.remove_entry(id, &old_entry));
        if let Some(folder) = self.folders.get_mut(&id) {
            folder.entries = now;
        }
    }

    pub(super) fn close(&mut self, id: FolderId) {
        let Some(folder) = self.folders.get_mut(&id) else { return };
        folder.is_closed = true;
        self.log.forget();
        let (entries, watch) = (std::mem::take(&mut folder.entries), folder.watch.take());
        folder.owned.clear();
        self.released.extend(watch.map(|watch| (id, watch)));
        entries.iter().for_each(|old_entry| self.drop_entry(old_entry));
    }

    pub(super) fn put(&mut self, id: FolderId, name: &OsStr, current: Option<(Stat, bool)>) {
        let Some(folder) = self.folders.get_mut(&id) else { return };
        let place = folder.entries.binary_search_by(|entry| (*entry.name).cmp(name));
        let old = place.is_ok().then(|| folder.entries.remove(place.unwrap_or_else(|at| at)));
        match current {
            None => old.iter().for_each(|old_entry| self.remove_entry(id, old_entry)),
            Some((stat, is_ignored)) => {
                let entry = self.entry(id, old, FolderEntry { name: name.into(), stat, is_ignored }, false);
                if let Some(folder) = self.folders.get_mut(&id) {
                    folder.entries.insert(place.unwrap_or_else(|at| at), entry);
                }
            }
        }
    }

    fn entry(
        &mut self,
        parent: FolderId,
        old: Option<SurveyEntry>,
        listed: FolderEntry,
        anew: bool,
    ) -> SurveyEntry {
        let FolderEntry { name, stat, is_ignored } = listed;
        let is_folder = stat.kind == FileKind::Directory && !is_ignored;
        let mut same_folder = None;
        let before = old.as_ref().map(|old| (old.stat, old.is_ignored, old.folder));
        if let Some(old) = old {
            let same = |known: &SurveyFolder| known.watch.is_some() && known.place == (stat.dev, stat.ino);
            let known = old.folder.filter(|id| self.folders.get(id).is_some_and(same));
            same_folder = known.filter(|_| is_folder && !anew);
            match same_folder {
                Some(_) => self.len -= 1,
                None => self.drop_entry(&old),
            }
            // It may not be readable any more.
            self.unread.extend(same_folder.filter(|_| has_other_rights(&old.stat, &stat)));
        }
        self.len += 1;
        // A write through another name raises an event there only, if that name is watched at all.
        let has_names = stat.kind != FileKind::Directory && stat.nlink > 1;
        let raises_none = has_names || is_ignored && stat.kind == FileKind::Directory;
        let is_new = raises_none && self.unreported.insert((parent, name.clone()));
        if is_new && has_names {
            self.newly_linked.insert((stat.dev, stat.ino));
        }
        let folder = if is_folder && same_folder.is_none() {
            self.last += 1;
            let id = FolderId::numbered(self.last);
            self.folders.insert(id, SurveyFolder::new(Some(parent), &name, (stat.dev, stat.ino)));
            self.unread.push(id);
            Some(id)
        } else {
            same_folder
        };
        if before != Some((stat, is_ignored, folder)) {
            let old_folder = before.and_then(|(.., old)| old);
            self.changed(parent, &name, old_folder.is_some() && old_folder != folder);
        }
        SurveyEntry { name, stat, is_ignored, folder }
    }

    fn changed(&mut self, parent: FolderId, name: &OsStr, beneath: bool) {
        if !self.log.is_full() {
            let path = self.path(parent).join(name);
            self.log.add(path, beneath);
        }
    }

    fn remove_entry(&mut self, parent: FolderId, entry: &SurveyEntry) {
        self.changed(parent, &entry.name, entry.folder.is_some());
        self.drop_entry(entry);
    }

    fn drop_entry(&mut self, entry: &SurveyEntry) {
        self.len -= 1;
        let mut rest = Vec::from_iter(entry.folder);
        while let Some(id) = rest.pop() {
            let Some(folder) = self.folders.remove(&id) else { continue };
            if folder.is_closed || !folder.owned.is_empty() {
                self.log.forget();
            }
            self.tops.remove(&id);
            self.released.extend(folder.watch.map(|watch| (id, watch)));
            self.len -= folder.entries.len();
            rest.extend(folder.entries.iter().filter_map(|entry| entry.folder));
        }
    }

    pub(super) fn tidy_unreported(&mut self) {
        let folders = &self.folders;
        self.unreported.retain(|(id, name)| {
            let listed = folders.get(id).and_then(|folder| folder.entry(name));
            listed.is_some_and(|entry| match entry.stat.kind {
                FileKind::Directory => entry.is_ignored,
                _ => entry.stat.nlink > 1,
            })
        });
    }

    /// Returns other names of files that got more than one since the last call: no event came for those. Costs
    /// a pass over everything, and nothing if there are no such files.
    pub(super) fn other_names(&mut self) -> Vec<(FolderId, Box<OsStr>)> {
        let nodes = std::mem::take(&mut self.newly_linked);
        let mut others = Vec::new();
        if nodes.is_empty() {
            return others;
        }
        for (id, folder) in &self.folders {
            let named =
                folder.entries.iter().filter(|entry| nodes.contains(&(entry.stat.dev, entry.stat.ino)));
            let keys = named.map(|entry| (*id, entry.name.clone()));
            others.extend(keys.filter(|key| !self.unreported.contains(key)));
        }
        others
    }

    pub(super) fn visit(&self, part: &Part, visit: &mut dyn FnMut(Visited<'_>)) {
        match part {
            Part::All => self.visit_folder(FolderId::ROOT, &mut PathBuf::new(), visit),
            Part::At(path) => {
                if let Some(SurveyEntry { stat, is_ignored, .. }) = self.on_the_way(path).last().flatten() {
                    visit(Visited::Entry { path, stat, is_ignored: *is_ignored });
                }
            }
            Part::Beneath(path) => {
                if let Some(SurveyEntry { folder: Some(folder), .. }) = self.on_the_way(path).last().flatten()
                {
                    self.visit_folder(*folder, &mut path.clone(), visit);
                }
            }
        }
    }

    pub(super) fn is_ignored(&self, path: &Path) -> bool {
        self.on_the_way(path).flatten().any(|entry| entry.is_ignored)
    }

    fn on_the_way(&self, path: &Path) -> impl Iterator<Item = Option<&SurveyEntry>> {
        let mut folder = self.folders.get(&FolderId::ROOT);
        path.iter().map(move |name| {
            let entry = folder.take()?.entry(name)?;
            folder = entry.folder.and_then(|id| self.folders.get(&id));
            Some(entry)
        })
    }

    pub(super) fn ignored_folders(&self) -> Vec<PathBuf> {
        let is_one = |(id, name): &&(FolderId, Box<OsStr>)| {
            let ignored = self.folders.get(id).and_then(|folder| folder.entry(name));
            ignored.is_some_and(|entry| entry.is_ignored && entry.stat.kind == FileKind::Directory)
        };
        let ignored = self.unreported.iter().filter(is_one);
        let mut folders: Vec<PathBuf> = ignored.map(|(id, name)| self.path(*id).join(&**name)).collect();
        folders.sort_by(|one, other| one.as_os_str().cmp(other.as_os_str()));
        folders
    }

    fn visit_folder(&self, id: FolderId, path: &mut PathBuf, visit: &mut dyn FnMut(Visited<'_>)) {
        let Some(folder) = self.folders.get(&id) else { return };
        if folder.is_closed {
            visit(Visited::Closed(path));
        }
        for name in &folder.owned {
            path.push(name);
            visit(Visited::Owned(path));
            path.pop();
        }
        // Folders that were visited and whose entries were not: names like `a-b` come between `a` and `a/x`.
        let mut pending: Vec<(&OsStr, FolderId)> = Vec::new();
        for SurveyEntry { name, stat, is_ignored, folder } in &folder.entries {
            while let Some(last) = pending.pop_if(|(last, _)| !comes_between(last, name)) {
                self.visit_child(last, path, visit);
            }
            path.push(&**name);
            visit(Visited::Entry { path, stat, is_ignored: *is_ignored });
            path.pop();
            pending.extend(folder.map(|folder| (&**name, folder)));
        }
        while let Some(last) = pending.pop() {
            self.visit_child(last, path, visit);
        }
    }

    fn visit_child(
        &self,
        (name, id): (&OsStr, FolderId),
        path: &mut PathBuf,
        visit: &mut dyn FnMut(Visited<'_>),
    ) {
        path.push(name);
        self.visit_folder(id, path, visit);
        path.pop();
    }
}

/// An item of a visit.
#[derive(Debug, Clone, Copy)]
pub enum Visited<'a> {
    /// An entry.
    Entry {
        /// Its path from the root.
        path: &'a Path,
        /// Its facts. Of a folder only kind, mode, device and inode are as of now.
        stat: &'a Stat,
        /// True if ignore rules leave it out; what is in it is not visited then.
        is_ignored: bool,
    },
    /// A `.git` or `.clada`, by its path from the root.
    Owned(&'a Path),
    /// A folder that may not be read, by its path from the root. It was visited as an entry before.
    Closed(&'a Path),
}

impl SurveyFolder {
    fn new(parent: Option<FolderId>, name: &OsStr, place: (u64, u64)) -> SurveyFolder {
        SurveyFolder {
            parent,
            name: name.into(),
            place,
            watch: None,
            rules: IgnoreRules::default(),
            entries: Vec::new(),
            owned: Vec::new(),
            excludes: None,
            is_closed: false,
        }
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    fn entry(&self, name: &OsStr) -> Option<&SurveyEntry> {
        let place = self.entries.binary_search_by(|entry| (*entry.name).cmp(name)).ok()?;
        self.entries.get(place)
    }
}

fn has_other_rights(before: &Stat, now: &Stat) -> bool {
    // The times of a folder change with its entries; any other change of its metadata may be one of rights.
    let rights = |stat: &Stat| (stat.mode, stat.uid, stat.gid);
    rights(before) != rights(now) || before.mtime == now.mtime && before.ctime != now.ctime
}

fn comes_between(folder: &OsStr, name: &OsStr) -> bool {
    let rest = name.as_bytes().strip_prefix(folder.as_bytes());
    rest.is_some_and(|rest| rest.first().is_some_and(|byte| *byte < b'/'))
}
