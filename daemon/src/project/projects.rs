//! The one map of projects, by their roots.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clada_journal::JournalRegistry;
use clada_stage::LeaseCount;

use super::ended::EndedOperations;
use super::eviction::{Fate, OPEN, fates};
use super::root::ResolvedRoot;
use super::sessions::Sessions;
use super::state::{Project, Shared, locked};

const MAX_LEFT: usize = 64;

/// The projects that this process keeps.
#[derive(Debug)]
pub struct Projects {
    open: Mutex<OpenProjects>,
    shared: Shared,
    evicting: Mutex<()>,
}

#[derive(Debug, Default)]
struct OpenProjects {
    projects: HashMap<ResolvedRoot, Arc<Project>>,
    /// The last number that named a session of a project that was dropped: its user may still go by that
    /// name, which must not be another session's.
    made_sessions: u64,
    /// The sessions of projects whose path another folder has now: they may be found elsewhere.
    recent_sessions: VecDeque<(ResolvedRoot, Sessions)>,
}

impl OpenProjects {
    /// Takes the projects out of the map that are not at their paths any more, as `root` shows: the one in
    /// whose place it is, and the one that it was. Their sessions stay for the latter.
    fn take_left(&mut self, root: &ResolvedRoot) -> Vec<Arc<Project>> {
        let is_left = |project: &Project| {
            let is_replaced = project.root == *root && !project.root.is_same_folder(root);
            is_replaced || project.root.moved_to(root)
        };
        let moved_projects: Vec<_> = self.projects.extract_if(|_, project| is_left(project)).collect();
        for (at, project) in &moved_projects {
            self.made_sessions = self.made_sessions.max(project.made_sessions());
            self.recent_sessions.push_back((at.clone(), project.take_sessions()));
        }
        let surplus = self.recent_sessions.len().saturating_sub(MAX_LEFT);
        drop(self.recent_sessions.drain(..surplus));
        moved_projects.into_iter().map(|(_, project)| project).collect()
    }

    fn take_sessions(&mut self, root: &ResolvedRoot) -> Option<Sessions> {
        let is_own = |at: &ResolvedRoot| at.moved_to(root) || at == root && at.identity() == root.identity();
        let index = self.recent_sessions.iter().rposition(|(at, _)| is_own(at))?;
        self.recent_sessions.remove(index).map(|(_, sessions)| sessions.moved_to(root.as_path()))
    }
}

impl Projects {
    #[must_use]
    pub(crate) fn new(journals: JournalRegistry) -> Projects {
        let shared = Shared { journals, leases: LeaseCount::default(), ended: EndedOperations::default() };
        Projects { open: Mutex::default(), shared, evicting: Mutex::new(()) }
    }

    #[must_use]
    pub(crate) fn journals(&self) -> &JournalRegistry {
        &self.shared.journals
    }

    /// Returns the project at `root` for a client's request of `now`, and whether there may be too many with
    /// open files by now.
    pub(crate) fn open(&self, root: &ResolvedRoot, now: Instant) -> (Arc<Project>, bool) {
        let (project, are_too_many) = self.open_unasked(root, now);
        project.touch(now);
        (project, are_too_many)
    }

    /// Does the same for work that no client waits for: it does not count as a use of the project.
    pub(crate) fn open_unasked(&self, root: &ResolvedRoot, now: Instant) -> (Arc<Project>, bool) {
        let mut open = locked(&self.open);
        if let Some(project) = open.projects.get(root).filter(|project| project.root.is_same_folder(root)) {
            return (Arc::clone(project), project.reopen() && open.projects.len() > OPEN);
        }
        let moved_projects = open.take_left(root);
        let project = Project::new(root.clone(), &self.shared, open.made_sessions, now);
        let project = Arc::new(project.with_sessions(open.take_sessions(root)));
        open.projects.insert(root.clone(), Arc::clone(&project));
        let are_too_many = open.projects.len() > OPEN;
        drop(open);
        // Nothing of a record may be open when it is moved.
        moved_projects.iter().for_each(|project| project.forget());
        (project, are_too_many)
    }

    #[must_use]
    pub(crate) fn get(&self, root: &Path) -> Option<Arc<Project>> {
        locked(&self.open).projects.get(root).cloned()
    }

    /// Returns all of them, by their roots.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<Project>> {
        let mut list: Vec<_> = locked(&self.open).projects.values().cloned().collect();
        list.sort_by(|one, other| one.root().cmp(other.root()));
        list
    }

    /// Returns their roots, sorted.
    #[must_use]
    pub fn roots(&self) -> Vec<PathBuf> {
        self.list().iter().map(|project| project.root().to_path_buf()).collect()
    }

    /// Lets go of projects, and of what is open for them, by the one rule of eviction. A watch that was not
    /// used for `reap_after` ends; `None`: it stays. May take a disk's time.
    pub(crate) fn evict(&self, now: Instant, reap_after: Option<Duration>) {
        let _evicting = locked(&self.evicting);
        // Files are closed when the map is free again.
        drop(self.take_unused(now, reap_after));
    }

    #[must_use]
    fn take_unused(&self, now: Instant, reap_after: Option<Duration>) -> impl Sized + use<> {
        // Under the lock nobody gets a project from the map: a request that comes later opens again what it
        // needs, and keeps it.
        let mut open = locked(&self.open);
        let mut projects: Vec<&Arc<Project>> = open.projects.values().collect();
        // Each is asked once: a request may change it meanwhile.
        projects.sort_by_cached_key(|project| std::cmp::Reverse(project.used()));
        // One handle is the map's. More are only made under its lock, or of other handles.
        let usage = |project: &&Arc<Project>| project.usage(Arc::strong_count(project) > 1, now);
        let usages: Vec<_> = projects.iter().map(usage).collect();
        let (mut closed, mut forgotten) = (Vec::new(), Vec::new());
        for (project, fate) in projects.into_iter().zip(fates(&usages, reap_after)) {
            match fate {
                Fate::Keep => {}
                Fate::Forget => forgotten.push(project.root.clone()),
                Fate::Trim | Fate::Close | Fate::Unwatch => closed.push(project.take(fate, now)),
            }
        }
        let take = |root: ResolvedRoot| {
            tracing::debug!(root = %root.as_path().display(), "let go of a project");
            let project = open.projects.remove(&root)?;
            open.made_sessions = open.made_sessions.max(project.made_sessions());
            Some(project)
        };
        let forgotten: Vec<_> = forgotten.into_iter().filter_map(take).collect();
        (closed, forgotten)
    }

    /// Releases what is only kept for later requests. Returns the number of repositories that were open.
    pub(crate) fn give_back(&self) -> usize {
        self.list().iter().filter(|project| project.give_back()).count()
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests move folders as their user does")]
mod tests {
    use clada_protocol::CallerKind;
    use clada_stage::StageStore;

    use super::*;

    const LONG: Duration = Duration::from_secs(24 * 3600);

    struct World {
        top: tempfile::TempDir,
        projects: Projects,
        now: Instant,
    }

    impl World {
        fn new() -> World {
            let top = tempfile::tempdir().unwrap();
            let projects = Projects::new(JournalRegistry::new(top.path().join("state")));
            World { top, projects, now: Instant::now() }
        }

        fn root(&self) -> ResolvedRoot {
            ResolvedRoot::new(self.top.path()).unwrap()
        }

        fn open(&self) -> Arc<Project> {
            self.projects.open(&self.root(), self.now).0
        }

        /// Returns the project's store, as it is open now or from now on.
        fn store(&self, project: &Project) -> Arc<StageStore> {
            project.stage_store(self.top.path()).unwrap()
        }
    }

    #[test]
    fn what_is_held_loses_its_files_but_not_in_a_request() {
        let world = World::new();
        let project = world.open();
        let store = world.store(&project);
        let at_work = project.begin_request();
        world.projects.evict(world.now + LONG, None);
        assert!(Arc::ptr_eq(&store, &world.store(&project)), "a request is under way");
        drop(at_work);
        world.projects.evict(world.now + LONG, None);
        assert!(!Arc::ptr_eq(&store, &world.store(&project)));
        assert!(Arc::ptr_eq(&project, &world.open()), "it is held");
    }

    #[test]
    fn what_a_request_opens_while_files_are_closed_stays_open() {
        let world = World::new();
        let project = world.open();
        let old = world.store(&project);
        let gone = world.projects.take_unused(world.now + LONG, None);
        let new = world.store(&project);
        drop(gone);
        assert!(Arc::ptr_eq(&new, &world.store(&project)) && !Arc::ptr_eq(&new, &old));
        assert_eq!(Arc::strong_count(&old), 1);
    }

    #[test]
    fn regression_sessions_go_with_a_folder_and_not_with_its_path() {
        let world = World::new();
        let (p, q) = (world.top.path().join("p"), world.top.path().join("q"));
        let open = |path: &Path| world.projects.open(&ResolvedRoot::new(path).unwrap(), world.now).0;
        let names = |path: &Path| -> Vec<String> {
            open(path)
                .sessions()
                .list(CallerKind::Person)
                .into_iter()
                .map(|session| session.session)
                .collect()
        };
        std::fs::create_dir_all(p.join("sub")).unwrap();
        open(&p).sessions().open(CallerKind::Person, Some("one".to_owned())).unwrap();
        open(&p)
            .sessions()
            .set_cwd(CallerKind::Person, Some("one"), p.canonicalize().unwrap().join("sub"))
            .unwrap();
        std::fs::rename(&p, &q).unwrap();
        std::fs::create_dir(&p).unwrap();
        assert_eq!(names(&p), ["default"]);
        assert_eq!(names(&q), ["default", "one"]);
        let session = open(&q).sessions().get(CallerKind::Person, Some("one")).unwrap();
        assert_eq!(PathBuf::from(session.cwd), q.canonicalize().unwrap().join("sub"));
        // A copy has none; what is moved back has them.
        std::fs::remove_dir(&p).unwrap();
        std::fs::rename(&q, &p).unwrap();
        std::fs::create_dir(&q).unwrap();
        assert_eq!((names(&q).len(), names(&p).len()), (1, 2));
    }

    #[test]
    fn work_that_no_client_waits_for_is_no_use() {
        let world = World::new();
        drop(world.open());
        let later = world.now + LONG;
        drop(world.projects.open_unasked(&world.root(), later));
        world.projects.evict(later, None);
        assert!(world.projects.list().is_empty());
    }

    #[test]
    fn a_session_s_number_never_comes_again() {
        let world = World::new();
        let session = |name| world.open().sessions().open(CallerKind::Person, name).unwrap().session;
        assert_eq!(session(None), "s1");
        world.open().sessions().close(CallerKind::Person, "s1").unwrap();
        world.projects.evict(world.now + LONG, None);
        assert!(world.projects.list().is_empty());
        assert_eq!(session(None), "s2");
    }
}
