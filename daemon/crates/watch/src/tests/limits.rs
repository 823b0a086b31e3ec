//! Tests the behaviour where not everything can be watched, or change events were lost.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use super::world::{World, compare, roots, sources, walked};
use crate::{
    Care, Change, ChangeEvent, Degraded, Failure, Known, Source, SourceError, WatchId, WatchTarget, Watches,
};

#[test]
fn beyond_the_limit_the_one_used_longest_ago_gives_way() {
    for (_, source) in sources() {
        let world = World::new(Watches::with_limit(source, SystemTime::now(), 40));
        World::plant(&world.path("one"), 10, 2, "one");
        World::plant(&world.path("two"), 10, 2, "two");
        let (one, two) = (roots(&world.path("one")), roots(&world.path("two")));
        let check = |roots: &clada_fs::Roots, after: &str| {
            let watched = world.watch(roots);
            let known =
                world.watches.look(&watched, roots, SystemTime::now(), &|| false, |known| known.files());
            compare(after, &known.unwrap().into_iter().collect(), &walked(roots));
            assert!(world.watches.watched_folders() <= 40, "{}", world.watches.watched_folders());
            watched.condition().unwrap().0
        };
        assert_eq!(check(&one, "one"), None);
        assert_eq!(check(&two, "two"), None);
        assert_eq!(check(&one, "one again"), Some(Degraded::Limit));
        World::plant(&world.path("one/more"), 40, 2, "more");
        World::plant(&world.path("two/more"), 5, 2, "more");
        assert_eq!(check(&one, "more in one"), Some(Degraded::Limit));
        assert_eq!(check(&two, "more in two"), None);
        World::plant(&world.path("two/most"), 40, 2, "more");
        assert_eq!(check(&two, "too many in two"), Some(Degraded::Limit));
        assert_eq!(world.watches.watched_folders(), 0);
        fs::remove_dir_all(world.path("two/more")).unwrap();
        fs::write(world.path("two/a0/b0/f0.txt"), "changed").unwrap();
        assert_eq!(check(&two, "changes that nothing tells of"), Some(Degraded::Limit));
    }
}

/// A source with a queue that is too short: it loses what a test wants it to lose.
#[derive(Debug)]
struct Forgetful {
    inner: Arc<dyn Source>,
    lose: AtomicUsize,
    /// True if a loss is not reported.
    silent: bool,
    broken: Mutex<bool>,
    /// The watch of each folder.
    added: Mutex<HashMap<PathBuf, WatchId>>,
    /// A watch that the system ends.
    ended: Mutex<Option<WatchId>>,
}

impl Forgetful {
    fn around(inner: Arc<dyn Source>) -> Forgetful {
        Forgetful {
            inner,
            lose: AtomicUsize::new(0),
            silent: false,
            broken: Mutex::new(false),
            added: Mutex::default(),
            ended: Mutex::default(),
        }
    }
}

impl Source for Forgetful {
    fn add(&self, place: &WatchTarget<'_>) -> Result<WatchId, SourceError> {
        let watch = self.inner.add(place)?;
        self.added.lock().unwrap().insert(place.path.to_owned(), watch);
        Ok(watch)
    }

    fn remove(&self, watch: WatchId) {
        self.inner.remove(watch);
    }

    fn drain(&self, emit: &mut dyn FnMut(ChangeEvent)) -> Result<(), SourceError> {
        if *self.broken.lock().unwrap() {
            return Err(SourceError::Broken(rustix::io::Errno::BADF));
        }
        let mut lost = false;
        let lose = &self.lose;
        self.inner.drain(&mut |event| {
            if lose.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
                lost = true;
            } else {
                emit(event);
            }
        })?;
        if lost && !self.silent {
            emit(ChangeEvent::Lost);
        }
        if let Some(watch) = self.ended.lock().unwrap().take() {
            emit(ChangeEvent::Ended(watch));
        }
        Ok(())
    }

    fn sync(&self, root: &std::path::Path) -> Result<(), SourceError> {
        self.inner.sync(root)
    }

    fn wait(&self) -> Result<(), SourceError> {
        self.inner.wait()
    }

    fn wake(&self) {
        self.inner.wake();
    }

    fn capacity(&self) -> usize {
        self.inner.capacity()
    }
}

#[test]
fn what_was_lost_is_made_up_for() {
    for (_, inner) in sources() {
        let source = Arc::new(Forgetful::around(inner));
        let world = World::new(Watches::new(Arc::clone(&source) as Arc<dyn Source>, SystemTime::now()));
        World::plant(&world.path("t"), 50, 4, "one");
        world.check("planting");
        for round in 0..4 {
            source.lose.store(1 << 20, Ordering::SeqCst);
            fs::remove_dir_all(world.path("t/a1")).unwrap();
            World::plant(&world.path(&format!("t/n{round}")), 30, 2, "new");
            World::plant(&world.path("t"), 50, 4, &format!("round {round}"));
            // Read while it is still losing; the event of the loss is not lost.
            world.check("a queue that ran over");
            source.lose.store(0, Ordering::SeqCst);
            fs::write(world.path("t/a1/b1/f1.txt"), format!("after {round}")).unwrap();
            fs::write(world.path(&format!("t/n{round}/a1/b1/f1.txt")), format!("after {round}")).unwrap();
            world.check("a write after that");
        }
        assert!(world.watched().lost() >= 4, "{}", world.watched().lost());
    }
}

#[test]
fn a_query_that_reads_every_file_needs_no_events() {
    for (_, inner) in sources() {
        let source = Arc::new(Forgetful { silent: true, ..Forgetful::around(inner) });
        let world = World::new(Watches::new(Arc::clone(&source) as Arc<dyn Source>, SystemTime::now()));
        world.ahead.store(10, Ordering::SeqCst);
        World::plant(&world.path("t"), 5, 2, "one");
        let (clock, _) = world.changes(None);
        source.lose.store(1 << 20, Ordering::SeqCst);
        fs::write(world.path("t/a1/b1/f1.txt"), "stored without a word").unwrap();
        let (watched, roots) = (world.watched(), world.roots());
        let look = |care| {
            let answer = |known: &Known| known.since(clock).unwrap();
            world.watches.look_with(care, &watched, &roots, world.now(), &|| false, answer).unwrap()
        };
        assert_eq!(look(Care::Events), []);
        assert_eq!(look(Care::EveryFile), [("t/a1/b1/f1.txt".into(), Change::Changed)]);
        assert_eq!(look(Care::EveryFile).len(), 1);
    }
}

/// A change is lost beneath `d`; then the watch of `d` ends, or that of a folder above the change, or of the root.
#[test]
fn a_folder_that_lost_its_watch_is_read_with_everything_beneath() {
    for (_, inner) in sources() {
        let source = Arc::new(Forgetful { silent: true, ..Forgetful::around(inner) });
        let world = World::new(Watches::new(Arc::clone(&source) as Arc<dyn Source>, SystemTime::now()));
        world.ahead.store(10, Ordering::SeqCst);
        for file in ["d/e/g/f", "d/e/g/other", "d/e/f", "d/f", "beside/f"] {
            world.write(file, "one");
        }
        world.check("planting");
        for (round, folder) in ["d", "d/e", "d/e/g"].into_iter().enumerate() {
            let (clock, _) = world.changes(None);
            source.lose.store(1 << 20, Ordering::SeqCst);
            world.write("d/e/g/f", &format!("lost in round {round}"));
            world.write("beside/f", &format!("lost in round {round}"));
            let (_, changes) = world.changes(Some(clock));
            assert_eq!(changes.unwrap().len(), 0, "{folder}");
            source.lose.store(0, Ordering::SeqCst);
            let watch = source.added.lock().unwrap()[&world.path(folder)];
            *source.ended.lock().unwrap() = Some(watch);
            let (_, changes) = world.changes(Some(clock));
            assert_eq!(
                changes.unwrap().into_iter().collect::<Vec<_>>(),
                [("d/e/g/f".into(), Change::Changed)]
            );
            // It is watched again.
            world.write("d/e/g/other", &format!("after {round}"));
            world.write("beside/f", &format!("after {round}"));
            world.check("a write after that");
        }
    }
}

#[test]
fn a_source_that_fails_is_an_error_and_never_an_old_answer() {
    for (_, inner) in sources() {
        let source = Arc::new(Forgetful::around(inner));
        let world = World::new(Watches::new(Arc::clone(&source) as Arc<dyn Source>, SystemTime::now()));
        world.write("a", "a");
        world.check("a file");
        *source.broken.lock().unwrap() = true;
        world.write("b", "b");
        let (watched, roots) = (world.watched(), world.roots());
        let answer = world.watches.look(&watched, &roots, SystemTime::now(), &|| false, |known| known.len());
        assert!(matches!(answer, Err(Failure::Source(SourceError::Broken(_)))), "{answer:?}");
        *source.broken.lock().unwrap() = false;
        world.check("a source that works again");
    }
}

#[test]
fn a_look_that_was_stopped_is_taken_up_again() {
    for (_, source) in sources() {
        let world = World::new(Watches::new(source, SystemTime::now()));
        World::plant(&world.path("t"), 50, 4, "one");
        let (watched, roots) = (world.watched(), world.roots());
        for after in 0..12 {
            let asked = AtomicUsize::new(0);
            let stop = || asked.fetch_add(1, Ordering::SeqCst) >= after;
            let answer = world.watches.look(&watched, &roots, SystemTime::now(), &stop, |known| known.len());
            assert!(matches!(answer, Err(Failure::Stopped) | Ok(_)), "{answer:?}");
            World::plant(&world.path(&format!("t/{after}/deep")), 3, 1, "one");
        }
        world.check("looks that were stopped");
    }
}

/// The kernel's own queue runs over when it is not read.
#[cfg(target_os = "linux")]
#[test]
fn the_systems_queue_runs_over() {
    let allowed = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
    let allowed: usize = allowed.trim().parse().unwrap();
    if allowed > 100_000 {
        eprintln!("the queue is too long to be filled: not run");
        return;
    }
    let source = crate::Inotify::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let roots = roots(folder.path());
    let opened = roots.open_folder("".as_ref()).unwrap();
    source
        .add(&WatchTarget { descriptor: opened.descriptor(), path: folder.path(), root: folder.path() })
        .unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    fs::write(&one, "").unwrap();
    for _ in 0..allowed / 2 {
        // Four events each, and none that equals the one before.
        fs::rename(&one, &other).unwrap();
        fs::rename(&other, &one).unwrap();
    }
    let mut heard = Vec::new();
    source.drain(&mut |event| heard.push(event)).unwrap();
    assert_eq!(heard.iter().filter(|event| **event == ChangeEvent::Lost).count(), 1, "of {}", heard.len());
}
