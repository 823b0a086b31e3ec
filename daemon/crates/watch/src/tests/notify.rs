//! Tests the source of macOS through the library on this system: cookies, losses, and the end of a stream.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, SystemTime};

use notify::event::Flag;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::world::{World, there_is};
use crate::notify::{Handler, NotifyRunning};
use crate::{Change, Degraded, Notify, Source, Watches};

/// Long enough for a cookie to come on a busy machine.
const LONG: Duration = Duration::from_secs(20);

/// The library's own stream.
fn stream(handler: Handler, root: &Path) -> notify::Result<NotifyRunning> {
    let mut watcher = RecommendedWatcher::new(handler, Config::default())?;
    watcher.watch(root, RecursiveMode::Recursive)?;
    Ok(Box::new(watcher))
}

/// Something between the library and the source that can keep events back.
#[derive(Clone, Default)]
struct Line {
    /// True while no event of the library comes through.
    cut: Arc<AtomicBool>,
    /// The event that comes through in place of a cookie's, once, while the line is cut.
    instead: Arc<Mutex<Option<notify::Result<Event>>>>,
}

impl Line {
    /// A source on the library's streams through this line.
    fn source(&self, patience: Duration) -> Notify {
        let line = self.clone();
        let begin = move |mut handler: Handler, root: &Path| {
            let line = line.clone();
            let pass = move |event: notify::Result<Event>| {
                if !line.cut.load(Ordering::SeqCst) {
                    handler(event);
                } else if event.is_ok_and(|event| event.paths.iter().any(|path| is_cookie(path))) {
                    line.instead.lock().unwrap().take().into_iter().for_each(&mut handler);
                }
            };
            stream(Box::new(pass), root)
        };
        Notify::with(begin, patience)
    }

    fn cut(&self, cut: bool) {
        self.cut.store(cut, Ordering::SeqCst);
    }
}

fn is_cookie(path: &Path) -> bool {
    path.file_name().is_some_and(clada_fs::is_temp_name)
}

fn world_of(source: Notify) -> World {
    World::new(Watches::new(Arc::new(source) as Arc<dyn Source>, SystemTime::now()))
}

fn condition(world: &World) -> Option<Degraded> {
    world.watched().condition().unwrap().0
}

/// Lays out folders that stay as they are: in those, the library misses nothing here either.
fn plant(world: &World) {
    for number in 0..60 {
        world.write(&format!("a{}/b{}/f{number}", number % 3, number % 5), "planted");
    }
}

#[test]
fn every_change_of_a_file_is_seen_at_once() {
    let world = world_of(Notify::new());
    plant(&world);
    world.ahead.store(10, Ordering::SeqCst);
    let (mut clock, _) = world.changes(None);
    for round in 0..200_usize {
        let name = format!("a{}/b{}/f{}", round % 3, round % 5, round % 60);
        let expected = match round % 7 {
            0 => {
                let _ = fs::remove_file(world.path(&name));
                Change::Deleted
            }
            _ => {
                fs::write(world.path(&name), format!("round {round}")).unwrap();
                Change::Changed
            }
        };
        let (now, changes) = world.changes(Some(clock));
        let changes = changes.expect("the clock is of this epoch");
        let said = changes.get(Path::new(&name)).copied();
        let came_back = expected == Change::Changed && said == Some(Change::Created);
        assert!(said == Some(expected) || came_back, "round {round}, {name}: {changes:?}");
        assert_eq!(changes.len(), 1, "round {round}: {changes:?}");
        clock = now;
    }
    world.check("changes of files");
    assert_eq!((condition(&world), world.watched().lost()), (None, 0));
}

#[test]
fn cookies_are_never_seen_and_leave_nothing() {
    if !there_is("git") {
        return;
    }
    // A link, a file and a folder that may not be written to are not a place for a cookie.
    for git in ["none", "folder", "link", "file", "closed"] {
        let world = world_of(Notify::new());
        world.write("a", "a");
        match git {
            "none" => {}
            "link" => std::os::unix::fs::symlink(&world.outside, world.path(".git")).unwrap(),
            "file" => world.write(".git", "gitdir: elsewhere\n"),
            _ => super::world::git(&world.project, &["init", "-q", "-b", "main"]),
        }
        let set_mode =
            |mode| fs::set_permissions(world.path(".git"), fs::Permissions::from_mode(mode)).unwrap();
        if git == "closed" {
            set_mode(0o555);
        }
        world.ahead.store(10, Ordering::SeqCst);
        let (mut clock, _) = world.changes(None);
        for round in 0..20 {
            let (now, changes) = world.changes(Some(clock));
            assert_eq!(changes, Some([].into()), "{git}, round {round}");
            clock = now;
        }
        assert_eq!((condition(&world), world.watched().lost()), (None, 0), "{git}");
        for folder in [&world.project, &world.path(".git"), &world.outside] {
            let left: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().collect();
            let left = left.iter().any(|entry| clada_fs::is_temp_name(&entry.file_name()));
            assert!(!left, "{git}: {}", folder.display());
        }
        if git == "closed" {
            set_mode(0o755);
        }
    }
}

#[test]
fn nothing_is_missed_while_no_cookie_comes() {
    let line = Line::default();
    let world = world_of(line.source(Duration::from_secs(3)));
    plant(&world);
    world.check("planting");
    line.cut(true);
    for round in 0..4 {
        World::plant(&world.path(&format!("new{round}")), 4, 2, "new");
        fs::remove_file(world.path(&format!("a0/b0/f{}", round * 15))).unwrap();
        world.check("changes that nothing told of");
        assert!(world.watched().lost() > round, "round {round}");
    }
    line.cut(false);
    world.check("a stream that speaks again");
    fs::write(world.path("a1/b1/f1"), "told").unwrap();
    world.check("a change that was told of");
    assert_eq!(condition(&world), None);
}

#[test]
fn a_loss_is_made_up_for() {
    let line = Line::default();
    let world = world_of(line.source(LONG));
    plant(&world);
    world.check("planting");
    let rescan = || Event::new(EventKind::Other).set_flag(Flag::Rescan);
    let losses = [
        ("without a path", Ok(rescan())),
        ("with the root", Ok(rescan().add_path(world.project.clone()))),
        ("above the root", Ok(Event::new(EventKind::Any).add_path("/".into()))),
        ("of no path", Ok(Event::new(EventKind::Any))),
        ("an error", Err(notify::Error::generic("gone"))),
    ];
    for (round, (name, loss)) in (1..).zip(losses) {
        *line.instead.lock().unwrap() = Some(loss);
        line.cut(true);
        World::plant(&world.path(&format!("new{round}")), 4, 2, "new");
        fs::write(world.path("a0/b0/f0"), name).unwrap();
        // The cookie is among what was lost: the look must not wait for it.
        world.check(name);
        assert_eq!(world.watched().lost(), round, "{name}");
        line.cut(false);
    }
}

#[test]
fn another_root_at_the_path_is_another_stream() {
    let line = Line::default();
    let world = world_of(line.source(LONG));
    plant(&world);
    let (clock, _) = world.changes(None);
    fs::rename(&world.project, world.outside.join("old")).unwrap();
    fs::create_dir(&world.project).unwrap();
    world.write("b", "b");
    assert_eq!(world.changes(Some(clock)).1, None);
    world.check("another root");
    fs::write(world.path("b"), "b changed").unwrap();
    world.check("a change in it");
    fs::remove_dir_all(&world.project).unwrap();
    fs::create_dir(&world.project).unwrap();
    world.check("the same path again");
    assert_eq!((condition(&world), world.watched().lost()), (None, 0));
}

#[test]
fn a_stream_that_reports_nothing_is_not_believed() {
    /// A watcher that cannot be ended, as one whose thread has panicked.
    struct Stuck(mpsc::Receiver<()>);
    impl Drop for Stuck {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }
    let held = Mutex::new(Vec::new());
    let begin = move |_: Handler, _: &Path| -> notify::Result<NotifyRunning> {
        let (sender, receiver) = mpsc::channel();
        held.lock().unwrap().push(sender);
        Ok(Box::new(Stuck(receiver)))
    };
    let silent = Notify::with(begin, Duration::from_millis(50));
    let world = world_of(silent);
    plant(&world);
    world.check("planting");
    assert_eq!(condition(&world), Some(Degraded::Silent));
    fs::write(world.path("a0/b0/f0"), "changed").unwrap();
    world.check("a change");
    let none = Notify::with(|_, _| Err(notify::Error::generic("no more streams")), LONG);
    let world = world_of(none);
    plant(&world);
    world.check("planting");
    assert_eq!(condition(&world), Some(Degraded::Limit));
}

#[test]
fn nothing_is_left_of_a_stream_that_ended() {
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let source = Notify::with(
        move |mut handler, root| {
            let held = Arc::clone(&held);
            let hold = move |event| {
                let _held = &held;
                handler(event);
            };
            stream(Box::new(hold), root)
        },
        LONG,
    );
    let world = world_of(source);
    plant(&world);
    let begun = || Arc::strong_count(&alive) - 2;
    // The library's thread owns the handler; on this system no thread waits for its end.
    let ends = || {
        for _ in 0..1000 {
            if begun() == 0 {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    };
    world.check("planting");
    assert_eq!((begun(), world.watches.watched_folders()), (1, 19));
    assert!(world.watches.unwatch(&world.project));
    assert!(ends(), "a thread is left after the watch");
    world.check("watched again");
    assert_eq!(begun(), 1);
    world.drop_all();
    let World { watches, .. } = world;
    drop(watches);
    let mut left = 0;
    while Arc::strong_count(&alive) > 1 && left < 1000 {
        std::thread::sleep(Duration::from_millis(10));
        left += 1;
    }
    assert_eq!(Arc::strong_count(&alive), 1, "a thread is left after the daemon's watches");
}
