//! The time to learn the changes in 100,000 files in 10,000 folders, next to 50,000 that are ignored: the
//! first look against a parallel walk over as many files, and a look after nothing, or one file, has changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use clada_fs::{Options, PathPolicy, PolicyGlobs, Roots};
use clada_watch::{Clock, Inotify, Known, Watched, Watches};

use crate::measure::{Series, print, ratio, verdict};
use crate::place::Place;

const FOLDERS: usize = 10_000;
const FILES_A_FOLDER: usize = 10;
const IGNORED: usize = 50_000;
const CRAWLS: usize = 7;
const LOOKS: usize = 2_000;

pub(crate) fn run() {
    let files = FOLDERS * FILES_A_FOLDER;
    println!("what changed in {files} files in {FOLDERS} folders, beside {IGNORED} that are ignored:");
    let place = Place::new();
    let project = place.project();
    let project = project.canonicalize().expect("a folder");
    lay_out(&project);

    let policy = Arc::new(PathPolicy::new(&PolicyGlobs::default()).expect("globs"));

    // Before anything else has used memory that could be used again.
    let before = resident();
    let watched = WatchedProject::new(&project, &policy);
    let mut clock = watched.look().1;
    let bytes = resident().saturating_sub(before) / files;

    let mut of_walk = Series::new("parallel walk that looks at every file");
    let mut of_crawl = Series::new("first look, with watches");
    for round in 0..CRAWLS {
        assert!(of_walk.time(|| walk(&project)) >= files);
        let another = WatchedProject::new(&project, &policy);
        let found = of_crawl.time(|| another.look().0);
        assert!(found >= files);
        if round == 0 {
            of_walk.forget();
            of_crawl.forget();
        }
    }

    let mut of_nothing = Series::new("look after nothing has changed");
    let mut of_one = Series::new("look after one file was written");
    for round in 0..LOOKS {
        let found = of_nothing.time(|| watched.since(clock));
        assert_eq!(found.0, 0);
        let path = name(&project, (round * 7919) % files);
        std::fs::write(path, format!("round {round}\n")).expect("a file");
        let found = of_one.time(|| watched.since(found.1));
        assert_eq!(found.0, 1);
        clock = found.1;
    }
    print(&[&of_walk, &of_crawl, &of_nothing, &of_one]);
    verdict("first look, in walks", ratio(&of_crawl, &of_walk), "", 1.5);
    verdict("look after nothing", of_nothing.median().as_secs_f64() * 1000.0, " ms", 0.1);
    verdict("memory a file", bytes as f64, " bytes", 200.0);
}

/// A project with a source of change events of its own.
struct WatchedProject<'p> {
    project: &'p Path,
    policy: &'p Arc<PathPolicy>,
    watches: Watches,
    /// Held, because a project is watched only for as long as it is.
    watched: Arc<Watched>,
}

impl<'p> WatchedProject<'p> {
    fn new(project: &'p Path, policy: &'p Arc<PathPolicy>) -> WatchedProject<'p> {
        let watches = Watches::new(Arc::new(Inotify::new().expect("inotify")), SystemTime::now());
        let watched = watches.watch(&open(project, policy));
        WatchedProject { project, policy, watches, watched }
    }

    /// Returns the number of files, and the clock.
    fn look(&self) -> (usize, Clock) {
        self.ask(|known| (known.len(), known.clock()))
    }

    /// Returns the number of files that have changed, and the clock.
    fn since(&self, clock: Clock) -> (usize, Clock) {
        self.ask(|known| (known.since(clock).map_or(usize::MAX, |changes| changes.len()), known.clock()))
    }

    /// Asks as a request does: the root is opened for it.
    fn ask<T>(&self, answer: impl FnOnce(&Known) -> T) -> T {
        let roots = open(self.project, self.policy);
        self.watches.look(&self.watched, &roots, SystemTime::now(), &|| false, answer).expect("an answer")
    }
}

fn open(project: &Path, policy: &Arc<PathPolicy>) -> Roots {
    Roots::open(project, &[], &[], Arc::clone(policy), Options::default()).expect("a root")
}

fn walk(project: &Path) -> usize {
    let files = AtomicUsize::new(0);
    ignore::WalkBuilder::new(project).hidden(false).require_git(false).build_parallel().run(|| {
        Box::new(|entry| {
            if entry.is_ok_and(|entry| entry.metadata().is_ok_and(|metadata| metadata.is_file())) {
                files.fetch_add(1, Ordering::Relaxed);
            }
            ignore::WalkState::Continue
        })
    });
    files.into_inner()
}

fn name(project: &Path, number: usize) -> PathBuf {
    let folder = number / FILES_A_FOLDER;
    project.join(format!("top{:02}/folder{folder:05}/file{number:06}.txt", folder % 100))
}

fn lay_out(project: &Path) {
    for number in 0..FOLDERS * FILES_A_FOLDER {
        let path = name(project, number);
        if number % FILES_A_FOLDER == 0 {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        }
        std::fs::write(path, "text\n").expect("a file");
    }
    std::fs::write(project.join(".gitignore"), "node_modules\n").expect("a file");
    for number in 0..IGNORED {
        let folder = project.join(format!("node_modules/package{}", number / 50));
        if number % 50 == 0 {
            std::fs::create_dir_all(&folder).expect("a folder");
        }
        std::fs::write(folder.join(format!("{number}.js")), "").expect("a file");
    }
}

/// Bytes of this process in memory.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize =
        statm.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * 4096
}
