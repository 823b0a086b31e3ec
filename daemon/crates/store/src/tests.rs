//! Stores in every state that they may be found in.

#![allow(clippy::disallowed_methods, reason = "tests damage files by hand")]

use super::*;
use std::path::Path;

const SCHEMA: Schema =
    Schema { application: 7, steps: &["CREATE TABLE a (b TEXT)", "CREATE TABLE c (d TEXT)"] };

fn add(store: &mut Store, text: &str) {
    add_all(store, [text.to_owned()]);
}

/// Adds the texts in one commit.
fn add_all(store: &mut Store, texts: impl IntoIterator<Item = String>) {
    store
        .write(Durable::Yes, |transaction| {
            for text in texts {
                transaction
                    .execute("INSERT INTO a VALUES (?1)", [text])
                    .map_err(|e| StoreError::from_sqlite(&e, Path::new("")))?;
            }
            Ok(())
        })
        .unwrap();
}

fn all(store: &Store) -> Vec<String> {
    let mut query = store.connection().prepare("SELECT b FROM a ORDER BY rowid").unwrap();
    query.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sub/store.db");
    let first = Schema { steps: &SCHEMA.steps[..1], ..SCHEMA };
    add(&mut Store::open(&path, &first).unwrap().store, "one");
    let mut opened = Store::open(&path, &SCHEMA).unwrap();
    assert_eq!((opened.set_aside, opened.store.access()), (None, Access::Full));
    add(&mut opened.store, "two");
    assert_eq!(all(&opened.store), ["one", "two"]);
    opened.store.check().unwrap();
    let again = Store::open(&path, &SCHEMA).unwrap().store;
    assert_eq!(all(&again), ["one", "two"]);
}

#[test]
fn regression_an_emptied_store_is_set_aside_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    // An empty file is not a store yet.
    std::fs::write(&path, "").unwrap();
    let mut opened = Store::open(&path, &SCHEMA).unwrap();
    assert_eq!(opened.set_aside, None);
    add(&mut opened.store, "one");
    drop(opened);
    for _ in 0..2 {
        std::fs::write(&path, "").unwrap();
        assert!(matches!(Store::open_existing(&path, &SCHEMA), Err(StoreError::Damaged { .. })));
        let opened = Store::open(&path, &SCHEMA).unwrap();
        assert!(opened.set_aside.as_ref().is_some_and(|aside| aside.exists()));
        assert!(all(&opened.store).is_empty());
        drop(opened);
        assert_eq!(Store::open(&path, &SCHEMA).unwrap().set_aside, None);
    }
}

#[test]
fn regression_a_removed_store_is_not_taken_for_a_new_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let opened = Store::open(&path, &SCHEMA).unwrap();
    assert!(!opened.removed);
    drop(opened);
    std::fs::remove_file(&path).unwrap();
    std::fs::write(folder.path().join("store.db-wal"), "what was written last").unwrap();
    let opened = Store::open(&path, &SCHEMA).unwrap();
    assert!(opened.removed && opened.set_aside.is_none());
    drop(opened);
    assert!(!Store::open(&path, &SCHEMA).unwrap().removed);
    let log = std::fs::read_to_string(folder.path().join("store.db.damaged-1-wal")).unwrap();
    assert_eq!(log, "what was written last");
}

/// Covers a store that is emptied between the check of its length and the opening.
#[test]
fn regression_a_store_that_is_emptied_while_it_is_opened_is_not_begun_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut connection = rusqlite::Connection::open(&path).unwrap();
    let applied = SCHEMA.apply(&mut connection, &path, true);
    assert!(matches!(applied, Err(StoreError::Damaged { .. })), "{applied:?}");
    assert_eq!(SCHEMA.apply(&mut connection, &path, false).unwrap(), Access::Full);
    assert_eq!(SCHEMA.apply(&mut connection, &path, true).unwrap(), Access::Full);
}

/// Covers the files next to it, too, in a folder that others may enter.
#[test]
fn its_files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut opened = Store::open(&folder.path().join("a.db"), &SCHEMA).unwrap();
    add(&mut opened.store, "one");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder.path()).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
        names.push(entry.file_name());
    }
    assert!(names.len() > 1, "{names:?}");
}

#[test]
fn a_failed_transaction_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut store = Store::open(&path, &SCHEMA).unwrap().store;
    let outcome = store.write(Durable::Yes, |transaction| {
        transaction.execute("INSERT INTO a VALUES ('x')", []).unwrap();
        Err::<(), _>(StoreError::nonsense(Path::new("p"), "no"))
    });
    assert!(matches!(outcome, Err(StoreError::Damaged { .. })));
    assert!(all(&store).is_empty());
}

#[test]
fn a_newer_store_is_only_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    add(&mut Store::open(&path, &SCHEMA).unwrap().store, "kept");
    let older = Schema { steps: &SCHEMA.steps[..1], ..SCHEMA };
    let mut opened = Store::open(&path, &older).unwrap();
    assert_eq!(opened.store.access(), Access::ReadOnly);
    assert_eq!(all(&opened.store), ["kept"]);
    let refused = opened.store.write(Durable::Yes, |_| Ok(()));
    assert!(matches!(refused, Err(StoreError::ReadOnly { .. })));
    assert!(opened.store.connection().execute("DELETE FROM a", []).is_err());
}

#[test]
fn a_damaged_store_is_set_aside_and_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    for (number, content) in [
        (
            1,
            "not a database at all, but long enough to be read as a header, one hundred bytes and more than that",
        ),
        (2, "short"),
    ] {
        std::fs::write(&path, content).unwrap();
        let opened = Store::open(&path, &SCHEMA).unwrap();
        let aside = opened.set_aside.unwrap();
        assert_eq!(aside, folder.path().join(format!("store.db.damaged-{number}")));
        assert_eq!(std::fs::read_to_string(aside).unwrap(), content);
        assert!(all(&opened.store).is_empty());
        drop(opened.store);
    }
    std::fs::remove_file(&path).unwrap();
    let other = Schema { application: 8, ..SCHEMA };
    drop(Store::open(&path, &other).unwrap());
    assert!(Store::open(&path, &SCHEMA).unwrap().set_aside.is_some());
}

/// Covers reads that fail once, or always, and files that are not a store at all.
#[test]
fn regression_a_store_is_damaged_only_at_a_second_look() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    add(&mut Store::open(&path, &SCHEMA).unwrap().store, "kept");
    let damaged = || StoreError::nonsense(&path, "disk image is malformed");
    let io = || StoreError::Io { path: path.clone(), reason: "disk I/O error".to_owned() };
    let number = std::cell::Cell::new(0);
    let look = |errors: &[Option<StoreError>], at: &Path| {
        number.set(0);
        let mut errors = errors.iter();
        let errors = std::cell::RefCell::new(&mut errors);
        look_twice(at, || {
            number.set(number.get() + 1);
            match errors.borrow_mut().next().unwrap() {
                None => Ok(()),
                Some(StoreError::Io { path, reason }) => {
                    Err(StoreError::Io { path: path.clone(), reason: reason.clone() })
                }
                Some(_) => Err(damaged()),
            }
        })
    };
    assert!(look(&[None], &path).is_ok());
    assert!(look(&[Some(damaged()), None], &path).is_ok());
    assert!(matches!(look(&[Some(io())], &path), Err(StoreError::Io { .. })));
    assert_eq!(number.get(), 1);
    assert!(matches!(look(&[Some(damaged()), Some(io())], &path), Err(StoreError::Io { .. })));
    assert!(matches!(look(&[Some(damaged()), Some(damaged())], &path), Err(StoreError::Damaged { .. })));
    assert_eq!(number.get(), 2);
    // What cannot be read, such as a folder, is not known to be damaged.
    let unreadable = look(&[Some(damaged()), Some(damaged())], folder.path());
    assert!(matches!(unreadable, Err(StoreError::Io { .. })), "{unreadable:?}");
    assert!(matches!(require_readable(folder.path()), Err(StoreError::Io { .. })));
    assert!(require_readable(&folder.path().join("missing")).is_ok());
    assert_eq!(all(&Store::open(&path, &SCHEMA).unwrap().store), ["kept"]);
}

#[test]
fn damage_within_shows_in_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let mut store = Store::open(&path, &SCHEMA).unwrap().store;
    store.connection().pragma_update(None, "wal_autocheckpoint", 1).unwrap();
    // A commit each waits for the medium: 20 of a hundred lines fill as many pages as 2,000 of one.
    for commit in 0..20 {
        let lines = (0..100).map(|line| format!("{:0100}", commit * 100 + line));
        add_all(&mut store, lines);
    }
    drop(store);
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0x5a);
    std::fs::write(&path, bytes).unwrap();
    let store = Store::open(&path, &SCHEMA).unwrap().store;
    assert!(matches!(store.check(), Err(StoreError::Damaged { .. })));
}

#[test]
fn several_open_it_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut store = Store::open(path, &SCHEMA).unwrap().store;
                (0..20).for_each(|number| add(&mut store, &format!("{thread}-{number}")));
            });
        }
    });
    assert_eq!(all(&Store::open(&path, &SCHEMA).unwrap().store).len(), 80);
}

#[test]
fn the_reserve_takes_space_and_gives_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let reserve = Reserve::in_folder(folder.path());
    assert!(!reserve.release());
    reserve.fill().unwrap();
    reserve.fill().unwrap();
    assert_eq!(std::fs::metadata(folder.path().join("reserve")).unwrap().len(), 16 << 20);
    assert!(reserve.release());
    assert!(!folder.path().join("reserve").exists());
}

#[test]
fn regression_its_folder_may_be_reached_through_a_link_but_the_file_is_none() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("real")).unwrap();
    std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
    let path = folder.path().join("link/sub/store.db");
    add(&mut Store::open(&path, &SCHEMA).unwrap().store, "one");
    assert!(folder.path().join("real/sub/store.db").exists());
    let linked = folder.path().join("real/other.db");
    std::os::unix::fs::symlink("sub/store.db", &linked).unwrap();
    assert!(Store::open(&linked, &SCHEMA).is_err());
}
