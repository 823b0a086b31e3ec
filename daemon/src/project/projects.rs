//! The one map of projects, by their roots.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clada_journal::JournalRegistry;
use clada_stage::LeaseCount;

use super::eviction::{Fate, fates};
use super::{Project, ResolvedRoot, Shared, locked};

/// The handles to a project while it is weighed, besides those of its users: the map's and the list's.
const OWN_HANDLES: usize = 2;

/// The projects that this process keeps.
#[derive(Debug)]
pub struct Projects {
    open: Mutex<HashMap<ResolvedRoot, Arc<Project>>>,
    shared: Shared,
}

impl Projects {
    /// Returns no project yet; `journals` has their journals.
    #[must_use]
    pub fn new(journals: JournalRegistry) -> Projects {
        Projects { open: Mutex::default(), shared: Shared { journals, leases: LeaseCount::default() } }
    }

    /// Returns the registry of journals.
    #[must_use]
    pub fn journals(&self) -> &JournalRegistry {
        &self.shared.journals
    }

    /// Returns the project at `root`, which a request of `now` writes as `given`; and whether it is new here.
    pub fn open(&self, root: &ResolvedRoot, given: &Path, now: Instant) -> (Arc<Project>, bool) {
        let mut open = locked(&self.open);
        if let Some(project) = open.get(root) {
            project.touch(now);
            return (Arc::clone(project), false);
        }
        let project = Arc::new(Project::new(root.clone(), given, &self.shared, now));
        open.insert(root.clone(), Arc::clone(&project));
        (project, true)
    }

    /// Returns the project at `root`, as resolved, if it is here.
    #[must_use]
    pub fn get(&self, root: &Path) -> Option<Arc<Project>> {
        locked(&self.open).get(root).cloned()
    }

    /// Returns all of them, by their roots.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<Project>> {
        let mut list: Vec<_> = locked(&self.open).values().cloned().collect();
        list.sort_by(|one, other| one.root().cmp(other.root()));
        list
    }

    /// Returns their roots, sorted.
    #[must_use]
    pub fn roots(&self) -> Vec<PathBuf> {
        self.list().iter().map(|project| project.root().to_path_buf()).collect()
    }

    /// Lets go of projects, and of what is open for them, by the one rule of eviction. A watch that was not
    /// used for `reap_after` ends; `None`: it stays.
    pub fn evict(&self, now: Instant, reap_after: Option<Duration>) {
        let weighed = self.weigh(now, reap_after);
        // Files are closed when the map is free again: that may take a disk's time.
        for (project, fate) in weighed {
            match fate {
                Fate::Keep => {}
                Fate::Close => project.close(),
                Fate::Unwatch => {
                    project.close();
                    project.watched().iter().for_each(|watched| project.unwatch(watched));
                }
                Fate::Forget => tracing::debug!(root = %project.root().display(), "let go of a project"),
            }
        }
    }

    /// Returns the outcome for each project; those that go are out of the map.
    fn weigh(&self, now: Instant, reap_after: Option<Duration>) -> Vec<(Arc<Project>, Fate)> {
        let mut open = locked(&self.open);
        let mut projects: Vec<Arc<Project>> = open.values().cloned().collect();
        projects.sort_by_key(|project| std::cmp::Reverse(project.used()));
        // Handles are only made under the lock of the map, or of other handles.
        let is_held = |project: &Arc<Project>| Arc::strong_count(project) > OWN_HANDLES;
        let usages: Vec<_> = projects.iter().map(|project| project.usage(is_held(project), now)).collect();
        let weighed: Vec<_> = projects.into_iter().zip(fates(&usages, reap_after)).collect();
        for (project, _) in weighed.iter().filter(|(_, fate)| *fate == Fate::Forget) {
            open.remove(project.root());
        }
        weighed
    }

    /// Releases what is only kept for later requests. Returns the number of repositories that were open.
    pub fn give_back(&self) -> usize {
        self.list().iter().filter(|project| project.give_back()).count()
    }
}
