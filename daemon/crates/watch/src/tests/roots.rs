//! Tests what can happen to a root, and the value of a clock after it.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

use super::world::{everywhere, roots};
use crate::{Change, Clock};

#[test]
fn deleted_and_made_again() {
    everywhere(|world| {
        for round in 0..20 {
            world.write("a.txt", "a");
            world.write("d/b.txt", "b");
            world.check("a root");
            fs::remove_dir_all(&world.project).unwrap();
            fs::create_dir(&world.project).unwrap();
            world.check("an empty root");
            world.write("d/c.txt", "c");
            world.check(&format!("a new root, round {round}"));
            fs::remove_dir_all(&world.project).unwrap();
            fs::create_dir(&world.project).unwrap();
        }
    });
}

#[test]
fn regression_a_deep_tree_with_many_dirty_names_that_is_moved_is_not_taken_for_restless() {
    everywhere(|world| {
        let write_all = |text: &str| {
            for number in 0..400 {
                world.write(&format!("up/a/b/c/d/{number}/file"), text);
            }
        };
        write_all("1");
        world.check("a deep tree");
        for round in 0..clada_test_extent::cases(1, 3) {
            write_all(&format!("{round}"));
            fs::rename(world.project.join("up"), world.project.join("aside")).unwrap();
            world.check("it is called otherwise");
            write_all("again");
            fs::remove_dir_all(world.project.join("aside")).unwrap();
            world.check("there is another in its place");
        }
    });
}

#[test]
fn another_root_is_another_epoch() {
    everywhere(|world| {
        world.ahead.store(10, Ordering::Relaxed);
        world.write("a.txt", "a");
        let (clock, _) = world.changes(None);
        assert_eq!(world.changes(Some(clock)), (clock, Some([].into())));
        fs::rename(&world.project, world.outside.join("old")).unwrap();
        fs::create_dir(&world.project).unwrap();
        world.write("b.txt", "b");
        let (later, changes) = world.changes(Some(clock));
        assert!(changes.is_none() && later.epoch != clock.epoch, "{later}");
        world.check("another root");
        fs::write(world.outside.join("old/c.txt"), "c").unwrap();
        world.check("a write in the old root");
        fs::rename(&world.project, world.outside.join("new")).unwrap();
        fs::rename(world.outside.join("old"), &world.project).unwrap();
        assert_eq!(world.changes(Some(later)).1, None);
        world.check("the old root");
        // Clocks that were never handed out.
        let (now, _) = world.changes(None);
        for clock in [
            Clock { tick: now.tick + 1, ..now },
            Clock { epoch: now.epoch + 1, ..now },
            Clock { start: now.start + 1, ..now },
        ] {
            assert_eq!(world.changes(Some(clock)).1, None, "{clock}");
        }
    });
}

#[test]
fn a_project_in_a_project() {
    everywhere(|world| {
        world.write("inner/a.txt", "a");
        world.write("b.txt", "b");
        world.check("the outer one");
        let inner = roots(&world.path("inner"));
        let both = || {
            let watched = world.watch(&inner);
            let now = SystemTime::now();
            let files = world.watches.look(&watched, &inner, now, &|| false, |known| known.files());
            let files: Vec<PathBuf> = files.unwrap().into_iter().map(|(path, _)| path).collect();
            world.check("the outer one");
            files.len()
        };
        assert_eq!(both(), 1);
        world.write("inner/deep/c.txt", "c");
        assert_eq!(both(), 2);
        // The watches of the outer project must survive the end of the inner one.
        assert!(world.watches.unwatch(&world.path("inner")));
        world.write("inner/deep/d.txt", "d");
        world.check("the inner one let go");
        assert_eq!(both(), 3);
        assert!(world.watches.unwatch(&world.project));
        world.write("inner/deep/e.txt", "e");
        assert_eq!(both(), 4);
        assert!(!world.watches.unwatch(&world.outside));
        assert_eq!(world.watches.list().len(), 2);
        world.drop_all();
        assert_eq!((world.watches.list().len(), world.watches.watched_folders()), (0, 0));
        world.check("watched again");
    });
}

#[test]
fn what_changed_is_said_and_nothing_else() {
    everywhere(|world| {
        world.ahead.store(10, Ordering::Relaxed);
        for name in ["a", "b", "c", "d/e", "d/f"] {
            world.write(name, "old");
        }
        let (first, everything) = world.changes(None);
        assert!(everything.is_none());
        world.write("a", "new text");
        fs::remove_file(world.path("b")).unwrap();
        world.write("g", "new");
        fs::remove_dir_all(world.path("d")).unwrap();
        world.write("gone again", "x");
        fs::remove_file(world.path("gone again")).unwrap();
        let (second, changes) = world.changes(Some(first));
        let said = |pairs: &[(&str, Change)]| {
            Some(pairs.iter().map(|(path, change)| (PathBuf::from(path), *change)).collect())
        };
        let [created, changed, deleted] = [Change::Created, Change::Changed, Change::Deleted];
        assert_eq!(
            changes,
            said(&[("a", changed), ("b", deleted), ("g", created), ("d/e", deleted), ("d/f", deleted)])
        );
        world.write("b", "back");
        fs::remove_file(world.path("g")).unwrap();
        let (third, changes) = world.changes(Some(second));
        assert_eq!(changes, said(&[("b", created), ("g", deleted)]));
        // Seen from further back: `b` has another content, `g` came and went.
        let (_, changes) = world.changes(Some(first));
        assert_eq!(changes, said(&[("a", changed), ("b", changed), ("d/e", deleted), ("d/f", deleted)]));
        assert_eq!(world.changes(Some(third)), (third, Some([].into())));
    });
}
