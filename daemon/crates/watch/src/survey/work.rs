//! Brings the tree of a survey up to date: reads what events were about, and what raises none.
//!
//! Nothing is concluded from an event: the current state of the place decides. Folders are found by their path
//! from the root and compared with the device and inode that the tree has; if they differ, the folder is read
//! again as an entry of the one above it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};

use clada_fs::{FsError, IgnoreRules, OpenFolder, Roots, is_ignore_file, is_outside, is_owned};
use rustix::io::Errno;

use super::tree::{FolderReading, SurveyTree};
use super::{Survey, Unsure};
use crate::dirty_set::DirtyBatch;
use crate::index::FolderId;
use crate::reconcile::is_absence;
use crate::routes::WatchOwner;
use crate::source::{SourceError, WatchId, WatchTarget};

const MANY: usize = 256;
/// The most folders that are found to be another one than a moment before. A process that swaps folders
/// without end is not waited for.
const MAX_SWAPS: usize = 1000;

#[derive(Debug, Default)]
struct Dirty {
    names: BTreeSet<OsString>,
    all: bool,
    anew: bool,
}

pub(super) struct SurveyUpdate<'a> {
    survey: &'a Survey,
    roots: &'a Roots,
    stop: &'a dyn Fn() -> bool,
    /// In the order in which folders became known: a folder comes before those in it.
    dirty: BTreeMap<FolderId, Dirty>,
    swaps: usize,
}

impl<'a> SurveyUpdate<'a> {
    pub(super) fn new(survey: &'a Survey, roots: &'a Roots, stop: &'a dyn Fn() -> bool) -> SurveyUpdate<'a> {
        SurveyUpdate { survey, roots, stop, dirty: BTreeMap::new(), swaps: 0 }
    }

    pub(super) fn schedule_all(&mut self, tree: &SurveyTree) {
        tree.ids().into_iter().for_each(|id| self.dirty.entry(id).or_default().all = true);
    }

    pub(super) fn schedule(&mut self, tree: &mut SurveyTree, batch: DirtyBatch) {
        for (id, watch) in batch.ended {
            if let Some(folder) = tree.folder_mut(id).filter(|folder| folder.watch == Some(watch)) {
                folder.watch = None;
                self.above(tree, id);
            }
        }
        for (id, names) in batch.folders {
            if names.itself {
                self.above(tree, id);
            }
            let dirty = self.dirty.entry(id).or_default();
            dirty.anew |= names.all || names.some.iter().any(|name| is_ignore_file(name));
            let has_owned = names.some.iter().any(|name| is_owned(name));
            // There may be another repository in place of one. Of a `.clada` only matters whether it is there.
            if names.some.contains(OsStr::new(".git")) || names.all || names.entries {
                tree.log.forget();
            }
            dirty.all |= names.entries || names.some.len() > MANY || has_owned;
            dirty.names.extend(names.some);
        }
        for (id, name) in &tree.unreported {
            self.dirty.entry(*id).or_default().names.insert((**name).to_owned());
        }
        for id in &tree.tops {
            let Some(folder) = tree.folder(*id) else { continue };
            let excludes = match self.roots.open_folder(&tree.path(*id)) {
                Ok(opened) => opened.excludes(self.roots),
                Err(_) => None,
            };
            self.dirty.entry(*id).or_default().anew |= excludes != folder.excludes;
        }
    }

    fn above(&mut self, tree: &SurveyTree, id: FolderId) {
        let Some((folder, parent)) = tree.folder(id).and_then(|folder| Some((folder, folder.parent?))) else {
            return;
        };
        self.dirty.entry(parent).or_default().names.insert(folder.name().to_owned());
    }

    fn replaced(&mut self, tree: &SurveyTree, id: FolderId) -> Result<(), Unsure> {
        self.swaps += 1;
        if self.swaps > MAX_SWAPS || id == FolderId::ROOT {
            return Err(Unsure::Restless);
        }
        self.above(tree, id);
        Ok(())
    }

    pub(super) fn run(&mut self, tree: &mut SurveyTree, base: &IgnoreRules) -> Result<(), Unsure> {
        loop {
            if (self.stop)() {
                return Err(Unsure::Stopped);
            }
            if let Some(id) = tree.unread.pop() {
                self.read(tree, id, base, false)?;
            } else if let Some((id, dirty)) = self.dirty.pop_first() {
                match dirty {
                    Dirty { all: false, anew: false, names } => self.read_names(tree, id, &names)?,
                    Dirty { anew, .. } => self.read(tree, id, base, anew)?,
                }
            } else {
                // Only now are all names known.
                let others = tree.other_names();
                if others.is_empty() {
                    return Ok(());
                }
                for (id, name) in others {
                    self.dirty.entry(id).or_default().names.insert(name.into());
                }
            }
        }
    }

    fn open(&mut self, tree: &SurveyTree, id: FolderId) -> Result<Option<OpenFolder>, Unsure> {
        let Some(folder) = tree.folder(id) else { return Ok(None) };
        match self.roots.open_folder(&tree.path(id)) {
            Ok(opened) if (opened.stat().dev, opened.stat().ino) == folder.place => Ok(Some(opened)),
            Ok(_) => self.replaced(tree, id).map(|()| None),
            Err(error) if is_swap(&error) => self.replaced(tree, id).map(|()| None),
            Err(error) => Err(error.into()),
        }
    }

    fn read_names(
        &mut self,
        tree: &mut SurveyTree,
        id: FolderId,
        names: &BTreeSet<OsString>,
    ) -> Result<(), Unsure> {
        if names.is_empty() {
            return Ok(());
        }
        let Some(opened) = self.open(tree, id)? else { return Ok(()) };
        let Some(rules) = tree.folder(id).map(|folder| folder.rules.clone()) else { return Ok(()) };
        for name in names.iter().filter(|name| !is_outside(name)) {
            let current = match opened.entry(name) {
                Err(error) if is_closed(&error) => {
                    tree.close(id);
                    return Ok(());
                }
                current => current?,
            };
            let current = current.map(|stat| (stat, !opened.keeps(name, &stat, &rules)));
            tree.put(id, name, current);
        }
        Ok(())
    }

    fn read(
        &mut self,
        tree: &mut SurveyTree,
        id: FolderId,
        base: &IgnoreRules,
        anew: bool,
    ) -> Result<(), Unsure> {
        let opened = match self.open(tree, id) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(()),
            Err(Unsure::Fs(error)) if is_closed(&error) => {
                tree.close(id);
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let (above, excludes_before) = match tree.folder(id) {
            Some(folder) => (folder.parent.map(|above| tree.folder(above)), folder.excludes.clone()),
            None => return Ok(()),
        };
        let above =
            above.map_or(Some(base), |above| above.map(|above| &above.rules)).cloned().unwrap_or_default();
        // Watched before it is listed: an entry that is made in between is then seen twice, and never
        // missed.
        let watch = match self.watch(tree, id, &opened) {
            Ok(watch) => watch,
            Err(Unsure::Source(SourceError::Folder(Errno::ACCESS))) => {
                tree.close(id);
                return Ok(());
            }
            Err(Unsure::Source(SourceError::Folder(Errno::NOENT | Errno::NOTDIR))) => {
                return self.replaced(tree, id);
            }
            Err(error) => return Err(error),
        };
        match self.list(&opened, id, watch, &above) {
            Ok(None) => {
                if tree.folder(id).is_some_and(|folder| folder.watch != Some(watch)) {
                    tree.released.push((id, watch));
                }
                tree.close(id);
                Ok(())
            }
            Ok(Some(reading)) => {
                let anew = anew || reading.excludes != excludes_before;
                tree.take_in(id, reading, anew);
                Ok(())
            }
            Err(error) => {
                if tree.folder(id).is_some_and(|folder| folder.watch != Some(watch)) {
                    tree.released.push((id, watch));
                }
                if is_swap(&error) { self.replaced(tree, id) } else { Err(error.into()) }
            }
        }
    }

    fn watch(&self, tree: &SurveyTree, id: FolderId, opened: &OpenFolder) -> Result<WatchId, Unsure> {
        let parent = tree.folder(id).and_then(|folder| tree.folder(folder.parent?));
        let same_device = parent.is_some_and(|parent| parent.place.0 == opened.stat().dev);
        if !same_device && !opened.raises_events() {
            return Err(Unsure::Silent);
        }
        let known = tree.folder(id).and_then(|folder| folder.watch);
        let root = self.survey.root.as_path();
        let target = WatchTarget { descriptor: opened.descriptor(), path: &root.join(tree.path(id)), root };
        let owner = WatchOwner { project: self.survey.id, folder: id };
        self.survey.routes.add(&target, owner, known).map_err(|error| match error {
            SourceError::Limit => Unsure::Limit,
            SourceError::Late => Unsure::Silent,
            other => Unsure::Source(other),
        })
    }

    fn list(
        &self,
        opened: &OpenFolder,
        id: FolderId,
        watch: WatchId,
        above: &IgnoreRules,
    ) -> Result<Option<FolderReading>, FsError> {
        // Without the right to search, not even that there are none can be known.
        let is_shut = || opened.entry(OsStr::new(".")).is_err_and(|error| is_closed(&error));
        let rules = match opened.rules(self.roots, above) {
            Err(error) if is_closed(&error) && is_shut() => return Ok(None),
            rules => rules?,
        };
        let contents = match opened.contents(&rules) {
            Err(error) if is_closed(&error) => return Ok(None),
            contents => contents?,
        };
        let excludes = (id != FolderId::ROOT && !contents.owned.is_empty())
            .then(|| opened.excludes(self.roots))
            .flatten();
        let (entries, owned) = (contents.entries, contents.owned);
        Ok(Some(FolderReading { watch, rules, entries, owned, excludes }))
    }
}

fn is_swap(error: &FsError) -> bool {
    is_absence(error) && !is_closed(error) || matches!(error.code(), "EXDEV" | "EAGAIN")
}

fn is_closed(error: &FsError) -> bool {
    matches!(error.code(), "EACCES" | "EPERM")
}
