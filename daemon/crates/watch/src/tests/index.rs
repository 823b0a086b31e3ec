//! Tests the index as data: whatever comes and goes, `since` returns the differences.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;

use clada_fs::{FileKind, Stat, Timestamp};
use proptest::prelude::*;

use crate::Change;
use crate::index::{Child, Doubt, FolderId, SeenFile, WatchIndex};

fn stat(ino: u64, nlink: u64) -> Stat {
    let time = Timestamp { seconds: 1000, nanoseconds: 0 };
    Stat {
        kind: FileKind::File,
        size: 1,
        mode: 0o644,
        uid: 0,
        gid: 0,
        mtime: time,
        ctime: time,
        nlink,
        dev: 1,
        ino,
    }
}

fn see(index: &mut WatchIndex, folder: FolderId, name: &str, ino: u64) {
    index.record_file(
        folder,
        OsStr::new(name),
        SeenFile { stat: &stat(ino, 1), racy: false, doubt: Doubt::None },
    );
}

#[derive(Debug, Clone)]
enum Step {
    See(u8, u8, u64),
    Gone(u8, u8),
    FolderGone(u8),
    Tick,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0u8..3, 0u8..4, 1u64..4).prop_map(|(folder, name, ino)| Step::See(folder, name, ino)),
        3 => (0u8..3, 0u8..4).prop_map(|(folder, name)| Step::Gone(folder, name)),
        1 => (0u8..3).prop_map(Step::FolderGone),
        2 => Just(Step::Tick),
    ];
    proptest::collection::vec(step, 0..60)
}

proptest! {
    /// From any tick to now, the reported changes turn the files of then into those of now, with the right
    /// kinds, and no report is needless but for files that were changed and changed back.
    #[test]
    fn since_says_what_differs(steps in steps()) {
        let mut index = WatchIndex::new((1, 1));
        let mut now: BTreeMap<PathBuf, u64> = BTreeMap::new();
        let mut past: Vec<(u64, BTreeMap<PathBuf, u64>)> = vec![(index.tick(), now.clone())];
        for step in steps {
            match step {
                Step::See(folder, name, ino) => {
                    let folder = format!("d{folder}");
                    let id = match index.child(FolderId::ROOT, OsStr::new(&folder)) {
                        Some(Child::Folder(id)) => id,
                        _ => index.add_folder(FolderId::ROOT, OsStr::new(&folder), &stat(9, 2)).unwrap(),
                    };
                    see(&mut index, id, &name.to_string(), ino);
                    now.insert(PathBuf::from(folder).join(name.to_string()), ino);
                }
                Step::Gone(folder, name) => {
                    let folder = format!("d{folder}");
                    if let Some(Child::Folder(id)) = index.child(FolderId::ROOT, OsStr::new(&folder)) {
                        index.remove(id, OsStr::new(&name.to_string()));
                    }
                    now.remove(&PathBuf::from(folder).join(name.to_string()));
                }
                Step::FolderGone(folder) => {
                    let folder = format!("d{folder}");
                    index.remove(FolderId::ROOT, OsStr::new(&folder));
                    now.retain(|path, _| !path.starts_with(&folder));
                }
                Step::Tick => past.push((index.tick(), now.clone())),
            }
        }
        index.tick();
        prop_assert_eq!(index.len(), now.len());
        let files: BTreeMap<PathBuf, u64> =
            index.files().into_iter().map(|(path, identity)| (path, identity.ino)).collect();
        prop_assert_eq!(&files, &now);
        // A file that was changed and changed back may be reported, but need not be.
        for (tick, then) in past {
            let said: BTreeMap<PathBuf, Change> = index.since(tick).unwrap().into_iter().collect();
            for (path, ino) in &now {
                match then.get(path) {
                    None => prop_assert_eq!(said.get(path), Some(&Change::Created)),
                    Some(was) if was != ino => prop_assert_eq!(said.get(path), Some(&Change::Changed)),
                    Some(_) => prop_assert!(matches!(said.get(path), None | Some(Change::Changed))),
                }
            }
            for path in then.keys().filter(|path| !now.contains_key(*path)) {
                prop_assert_eq!(said.get(path), Some(&Change::Deleted));
            }
            for (path, change) in &said {
                prop_assert!(now.contains_key(path) != (*change == Change::Deleted));
            }
        }
    }
}

#[test]
fn what_is_gone_is_not_remembered_for_ever() {
    let mut index = WatchIndex::new((1, 1));
    see(&mut index, FolderId::ROOT, "stays", 1);
    let first = index.tick();
    let many = 200_000 + 10;
    for number in 0..many {
        see(&mut index, FolderId::ROOT, &number.to_string(), 2);
        index.tick();
        index.remove(FolderId::ROOT, OsStr::new(&number.to_string()));
        index.tick();
    }
    assert!(index.since(first).is_none());
    assert_eq!(
        {
            let now = index.tick();
            index.since(now - 2)
        },
        Some(vec![])
    );
    assert_eq!(index.len(), 1);
}

#[test]
fn regression_a_file_that_comes_back_was_created_for_a_caller_that_saw_it_deleted() {
    let mut index = WatchIndex::new((1, 1));
    let name = OsStr::new("a");
    let mut ticks = vec![index.tick()];
    for ino in 1..4 {
        see(&mut index, FolderId::ROOT, "a", ino);
        ticks.push(index.tick());
        if ino < 3 {
            index.remove(FolderId::ROOT, name);
            ticks.push(index.tick());
        }
    }
    let said: Vec<_> = ticks.iter().map(|tick| index.since(*tick).unwrap().pop()).collect();
    let of_a = |change| Some((PathBuf::from("a"), change));
    let (created, changed) = (of_a(Change::Created), of_a(Change::Changed));
    assert_eq!(said, [created.clone(), changed.clone(), created.clone(), changed, created, None]);
}

#[test]
fn absences_are_not_remembered_for_ever() {
    let mut index = WatchIndex::new((1, 1));
    let first = index.tick();
    for ino in 0..100_000 + 10 {
        see(&mut index, FolderId::ROOT, "a", ino);
        index.tick();
        index.remove(FolderId::ROOT, OsStr::new("a"));
        index.tick();
    }
    assert!(index.since(first).is_none());
    let now = index.tick();
    assert_eq!(index.since(now - 1), Some(vec![(PathBuf::from("a"), Change::Deleted)]));
    assert_eq!(index.since(now - 2), Some(vec![]));
}

#[test]
fn a_file_that_may_have_changed_unseen_counts_as_changed() {
    let mut index = WatchIndex::new((1, 1));
    let name = OsStr::new("a");
    let seen = |racy, doubt| (racy, doubt);
    let mut see = |(racy, doubt)| {
        let before = index.tick();
        index.record_file(FolderId::ROOT, name, SeenFile { stat: &stat(1, 1), racy, doubt });
        index.tick() != before
    };
    assert!(see(seen(true, Doubt::None)));
    assert!(!see(seen(true, Doubt::None)));
    assert!(see(seen(true, Doubt::Some)));
    assert!(see(seen(false, Doubt::Some)));
    assert!(!see(seen(false, Doubt::Some)));
}

#[test]
fn names_out_of_use_take_no_memory_for_ever() {
    let mut index = WatchIndex::new((1, 1));
    let kept = index.add_folder(FolderId::ROOT, OsStr::new("kept"), &stat(2, 2)).unwrap();
    for number in 0..100 {
        see(&mut index, kept, &format!("kept {number}"), number + 10);
    }
    for round in 0..50 {
        let folder = index.add_folder(FolderId::ROOT, OsStr::new("comes and goes"), &stat(3, 2)).unwrap();
        for number in 0..1000 {
            see(&mut index, folder, &format!("a file of round {round}, {number}"), 1000 + number);
        }
        index.remove(FolderId::ROOT, OsStr::new("comes and goes"));
        assert!(index.size_of_names() < 200_000, "{}", index.size_of_names());
    }
    assert_eq!(index.len(), 100);
    let names: Vec<_> = index.names_in(FolderId::ROOT).collect();
    assert_eq!(names, ["kept"]);
    for number in 0..100 {
        let path = PathBuf::from(format!("kept/kept {number}"));
        assert_eq!(index.identity(&path).map(|identity| identity.ino), Some(number + 10));
    }
    assert_eq!(index.names_in(kept).count(), 100);
}

#[test]
fn regression_a_file_that_was_reported_as_deleted_and_comes_again_is_a_new_one() {
    let mut index = WatchIndex::new((1, 1));
    let (name, path) = (OsStr::new("a"), PathBuf::from("a"));
    let before = index.tick();
    see(&mut index, FolderId::ROOT, "a", 1);
    let there = index.tick();
    index.remove(FolderId::ROOT, name);
    let gone = index.tick();
    see(&mut index, FolderId::ROOT, "a", 1);
    let again = index.tick();
    assert_eq!(index.since(before), Some(vec![(path.clone(), Change::Created)]));
    assert_eq!(index.since(there), Some(vec![(path.clone(), Change::Changed)]));
    assert_eq!(index.since(gone), Some(vec![(path.clone(), Change::Created)]));
    assert_eq!(index.since(again), Some(vec![]));
    index.remove(FolderId::ROOT, name);
    let last = index.tick();
    assert_eq!(index.since(before), Some(vec![]));
    for tick in [there, again] {
        assert_eq!(index.since(tick), Some(vec![(path.clone(), Change::Deleted)]));
    }
    assert_eq!(index.since(last), Some(vec![]));
}
