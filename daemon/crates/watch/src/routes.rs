//! Routes the events of the one source to all projects: the table of the folders that a watch stands for.
//!
//! The same folder can belong to several projects, one within the other, and a folder that was moved can for
//! a moment have two places in one; the system has one watch for all of them. A watch is entered under the
//! same lock under which it is added, so that no event of it comes before its place is known. Must not know
//! the trees of projects.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::dirty_set::DirtySet;
use super::index::FolderId;
use super::owners::WatchOwners;
pub(super) use super::owners::{ProjectId, WatchOwner};
use super::source::{ChangeEvent, Source, SourceError, WatchId, WatchTarget};

#[derive(Debug)]
pub(super) struct Routes {
    source: Arc<dyn Source>,
    /// The most folders that are watched: half of what the user has; the other half is for editors.
    limit: usize,
    table: Mutex<RouteTable>,
    /// Held from reading events until they are in the dirty sets: after a drain, no event is in between.
    draining: Mutex<()>,
}

#[derive(Debug, Default)]
struct RouteTable {
    owners: WatchOwners,
    projects: HashMap<ProjectId, Arc<DirtySet>>,
    last: u32,
}

impl Routes {
    pub(super) fn new(source: Arc<dyn Source>, limit: usize) -> Routes {
        Routes { source, limit, table: Mutex::default(), draining: Mutex::default() }
    }

    pub(super) fn source(&self) -> &Arc<dyn Source> {
        &self.source
    }

    pub(super) fn enter(&self, dirty_set: &Arc<DirtySet>) -> ProjectId {
        let mut table = self.table();
        table.last += 1;
        let id = ProjectId(table.last);
        table.projects.insert(id, Arc::clone(dirty_set));
        id
    }

    pub(super) fn leave(&self, project: ProjectId) {
        self.release_all(project);
        self.table().projects.remove(&project);
    }

    /// `known` is its watch so far: if the folder is another one by now, the caller has to release that
    /// watch.
    pub(super) fn add(
        &self,
        place: &WatchTarget<'_>,
        owner: WatchOwner,
        known: Option<WatchId>,
    ) -> Result<WatchId, SourceError> {
        let mut table = self.table();
        if known.is_none() && table.owners.len() >= self.limit {
            return Err(SourceError::Limit);
        }
        let watch = self.source.add(place)?;
        if table.owners.len() >= self.limit && !table.owners.know(watch) {
            self.source.remove(watch);
            return Err(SourceError::Limit);
        }
        table.owners.add(watch, owner);
        Ok(watch)
    }

    pub(super) fn release(&self, watch: WatchId, owner: WatchOwner) {
        let mut table = self.table();
        if !table.owners.retain(watch, |other| other != owner) {
            self.source.remove(watch);
        }
    }

    pub(super) fn release_all(&self, project: ProjectId) {
        let mut table = self.table();
        for watch in table.owners.watches_of(project) {
            if !table.owners.retain(watch, |owner| owner.project != project) {
                self.source.remove(watch);
            }
        }
        table.owners.shrink();
    }

    pub(super) fn watched(&self) -> usize {
        self.table().owners.len()
    }

    pub(super) fn sync(&self, root: &Path) -> Result<(), SourceError> {
        self.source.sync(root)
    }

    pub(super) fn drain(&self) -> Result<(), SourceError> {
        let _draining = self.draining.lock().unwrap_or_else(PoisonError::into_inner);
        let mut events = Vec::new();
        let drained = self.source.drain(&mut |event| events.push(event));
        let mut table = self.table();
        for event in events {
            table.route(event);
        }
        if drained.is_err() {
            table.route(ChangeEvent::Lost);
        }
        let dirty: Vec<_> =
            table.projects.values().filter(|dirty_set| !dirty_set.is_empty()).cloned().collect();
        drop(table);
        dirty.iter().for_each(|dirty_set| dirty_set.notify_listeners());
        drained
    }

    fn table(&self) -> MutexGuard<'_, RouteTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RouteTable {
    fn route(&mut self, event: ChangeEvent) {
        match event {
            ChangeEvent::Lost => self.projects.values().for_each(|dirty_set| dirty_set.lost()),
            ChangeEvent::Ended(watch) => {
                for (dirty_set, folder) in self.listeners(watch) {
                    dirty_set.ended(folder, watch);
                }
                self.owners.remove(watch);
            }
            ChangeEvent::Entry(watch, name) => {
                for (dirty_set, folder) in self.listeners(watch) {
                    dirty_set.name(folder, name.clone());
                }
            }
            ChangeEvent::LostBeneath(watch) => {
                self.listeners(watch).for_each(|(dirty_set, _)| dirty_set.lost())
            }
            ChangeEvent::Entries(watch) => {
                self.listeners(watch).for_each(|(dirty_set, folder)| dirty_set.entries(folder));
            }
            ChangeEvent::Tree(watch) => {
                self.listeners(watch).for_each(|(dirty_set, folder)| dirty_set.tree(folder));
            }
            ChangeEvent::Folder(watch) => {
                for (dirty_set, folder) in self.listeners(watch) {
                    dirty_set.itself(folder);
                }
            }
        }
    }

    fn listeners(&self, watch: WatchId) -> impl Iterator<Item = (&DirtySet, FolderId)> {
        let owners = self.owners.owners_of(watch);
        owners.filter_map(|owner| Some((&**self.projects.get(&owner.project)?, owner.folder)))
    }
}
