//! A project on a disk, the ways in which it can be watched, and the files that a walk finds in it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use clada_fs::{FileKind, Identity, Options, PathPolicy, PolicyGlobs, Roots, WalkItem, WalkOptions};

use crate::{Change, Clock, Degraded, Source, Watched, Watches};

/// A project that is watched.
pub(super) struct World {
    _dir: tempfile::TempDir,
    pub(super) project: PathBuf,
    pub(super) outside: PathBuf,
    pub(super) watches: Watches,
    /// The projects that are watched: each is for as long as it is held.
    held: Mutex<Vec<Arc<Watched>>>,
    /// Seconds by which the time that is passed in is ahead, so that a file that was just changed is no
    /// longer young.
    pub(super) ahead: AtomicU64,
}

/// Returns how much is done: 1 unless the environment asks for more.
pub(super) fn scale() -> usize {
    std::env::var("CLADA_WATCH_SCALE").ok().and_then(|scale| scale.parse().ok()).unwrap_or(1)
}

/// Returns every source that can be tried on this system, by its name.
#[cfg(target_os = "linux")]
pub(super) fn sources() -> Vec<(&'static str, Arc<dyn Source>)> {
    let notify = super::fsevents::source();
    vec![("inotify", Arc::new(crate::Inotify::new().unwrap())), ("notify", Arc::new(notify))]
}

/// Returns the source of this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn sources() -> Vec<(&'static str, Arc<dyn Source>)> {
    vec![("notify", Arc::new(crate::Notify::new()))]
}

/// Runs git as a user does, without the machine's configuration.
pub(super) fn git(folder: &Path, arguments: &[&str]) {
    let user = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"];
    let mut git = program("git", folder);
    let status = git.args(user).args(arguments).stdout(std::process::Stdio::null()).status();
    assert!(status.unwrap().success(), "git {arguments:?}");
}

/// The program called `name` in `folder`, without the machine's configuration of git and without what the environment
/// says of another repository.
pub(super) fn program(name: &str, folder: &Path) -> std::process::Command {
    let mut program = std::process::Command::new(name);
    let of_git = std::env::vars_os().map(|(name, _)| name);
    of_git.filter(|name| name.as_encoded_bytes().starts_with(b"GIT_")).for_each(|name| {
        program.env_remove(name);
    });
    program.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    program
}

/// Returns whether a program is installed, and prints a message if not.
pub(super) fn there_is(program: &str) -> bool {
    let asked = std::process::Command::new(program).arg("--version").output();
    let there = asked.is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("not run: there is no {program}");
    }
    there
}

/// Does the same in a world of each kind, also in one that cannot watch.
pub(super) fn everywhere(work: impl Fn(&World)) {
    for (name, source) in sources() {
        eprintln!("watched by {name}");
        work(&World::new(Watches::new(source, SystemTime::now())));
    }
    eprintln!("not watched");
    work(&World::new(Watches::without_source(SystemTime::now(), Degraded::NoSource)));
}

impl World {
    pub(super) fn new(watches: Watches) -> World {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let world = World {
            _dir: dir,
            project: base.join("project"),
            outside: base.join("outside"),
            watches,
            held: Mutex::default(),
            ahead: AtomicU64::new(0),
        };
        fs::create_dir(&world.project).unwrap();
        fs::create_dir(&world.outside).unwrap();
        world
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.project.join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes `folders` folders in two levels with `files` files each, beneath `base`.
    pub(super) fn plant(base: &Path, folders: usize, files: usize, text: &str) {
        for folder in 0..folders {
            let path = base.join(format!("a{}/b{folder}", folder % 17));
            fs::create_dir_all(&path).unwrap();
            for file in 0..files {
                fs::write(path.join(format!("f{file}.txt")), text).unwrap();
            }
        }
    }

    pub(super) fn now(&self) -> SystemTime {
        SystemTime::now() + Duration::from_secs(self.ahead.load(Ordering::Relaxed))
    }

    pub(super) fn roots(&self) -> Roots {
        roots(&self.project)
    }

    pub(super) fn watched(&self) -> Arc<Watched> {
        self.watch(&self.roots())
    }

    /// Watches the project at the first of `roots`, which is held from now on.
    pub(super) fn watch(&self, roots: &Roots) -> Arc<Watched> {
        let watched = self.watches.watch(roots);
        let mut held = self.held.lock().unwrap();
        if held.iter().all(|held| !Arc::ptr_eq(held, &watched)) {
            held.push(Arc::clone(&watched));
        }
        watched
    }

    /// Holds no project any more.
    pub(super) fn drop_all(&self) {
        self.held.lock().unwrap().clear();
    }

    /// Returns the clock after a look, and the changes since the one given; `None`: everything.
    pub(super) fn changes(&self, since: Option<Clock>) -> (Clock, Option<BTreeMap<PathBuf, Change>>) {
        let roots = self.roots();
        let watched = self.watch(&roots);
        let answer = self.watches.look(&watched, &roots, self.now(), &|| false, |known| {
            (known.clock(), since.and_then(|since| known.since(since)))
        });
        let (clock, changes) = answer.unwrap();
        (clock, changes.map(|changes| changes.into_iter().collect()))
    }

    /// Returns every file of the index after a look.
    pub(super) fn known(&self) -> BTreeMap<PathBuf, Identity> {
        let roots = self.roots();
        let watched = self.watch(&roots);
        let files = self.watches.look(&watched, &roots, self.now(), &|| false, |known| known.files());
        let files = files.unwrap();
        let count = files.len();
        let files: BTreeMap<_, _> = files.into_iter().collect();
        assert_eq!(files.len(), count, "a file is in the index twice");
        files
    }

    /// Checks that nothing is missing, superfluous or stale.
    pub(super) fn check(&self, after: &str) {
        compare(after, &self.known(), &walked(&self.roots()));
    }
}

pub(super) fn roots(project: &Path) -> Roots {
    let policy = PathPolicy::new(&PolicyGlobs::default()).unwrap();
    Roots::open(project, &[], &[], policy, Options::default()).unwrap()
}

/// Returns the files that a walk finds, with ignore files.
pub(super) fn walked(roots: &Roots) -> BTreeMap<PathBuf, Identity> {
    let start = roots.resolve(".").unwrap();
    let walk = roots.walk(&start, WalkOptions::default()).unwrap();
    let mut files = BTreeMap::new();
    for item in walk {
        match item {
            WalkItem::Entry { path, stat } if stat.kind == FileKind::File => {
                files.insert(path.relative().to_path_buf(), stat.identity());
            }
            WalkItem::Entry { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    files
}

pub(super) fn compare(after: &str, known: &BTreeMap<PathBuf, Identity>, there: &BTreeMap<PathBuf, Identity>) {
    let missing: BTreeSet<_> = there.keys().filter(|path| !known.contains_key(*path)).collect();
    let extra: BTreeSet<_> = known.keys().filter(|path| !there.contains_key(*path)).collect();
    let stale: Vec<_> = there
        .iter()
        .filter(|(path, identity)| known.get(*path).is_some_and(|known| known != *identity))
        .collect();
    assert!(
        missing.is_empty() && extra.is_empty() && stale.is_empty(),
        "after {after}, of {}: {} missing {:?}, {} extra {:?}, {} stale {:?}",
        there.len(),
        missing.len(),
        missing.iter().take(3).collect::<Vec<_>>(),
        extra.len(),
        extra.iter().take(3).collect::<Vec<_>>(),
        stale.len(),
        stale.iter().take(3).collect::<Vec<_>>(),
    );
}
