//! Tests the changes that are found of a command, with and without git, and from a snapshot that was written.
#![allow(clippy::disallowed_methods)] // A test makes what it needs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use clada_fs::{Options, PathPolicy, PolicyGlobs, Roots, Timestamp};
use clada_journal::{SnapshotLog, State};

use super::stamp::{FileStamp, PriorState};
use super::*;

mod cached;
mod surveyed;

/// The most bytes of one file that a command's snapshot keeps.
const FILE: u64 = Room::COMMAND.file;

struct Project {
    folder: tempfile::TempDir,
    cache: SnapshotCache,
    log_reader: LogReader,
}

/// The log.
#[derive(Default)]
struct LogReader {
    name: RefCell<String>,
    records: RefCell<BTreeMap<u64, Vec<u8>>>,
}

impl LogReader {
    fn position(&self) -> Option<SnapshotLog> {
        let last = *self.records.borrow().last_key_value()?.0;
        Some(SnapshotLog { name: self.name.borrow().clone(), last })
    }

    /// Writes it, and returns the bytes of the new records.
    fn put(&self, put: &LogAppend) -> usize {
        assert!(put.after.is_none() || put.after == self.position());
        let mut records = self.records.borrow_mut();
        if put.after.is_none() {
            records.clear();
        }
        self.name.borrow_mut().clone_from(&put.name);
        records.extend(put.records.iter().cloned());
        put.records.iter().map(|(_, record)| record.len()).sum()
    }

    fn read(&self, name: &str, number: u64) -> Option<Vec<u8>> {
        self.records.borrow().get(&number).filter(|_| *self.name.borrow() == name).cloned()
    }
}

/// Returns a time long after every file was written, so that nothing is doubtful.
fn later() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Timestamp { seconds: i64::try_from(since.as_secs()).unwrap() + 60, nanoseconds: 0 }
}

/// Opens `folder` and all folders in it, so that they can be removed.
fn open_folders(folder: &Path) {
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            open_folders(&entry.path());
        }
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        open_folders(self.folder.path());
    }
}

impl Project {
    fn new() -> Project {
        let (cache, log_reader) = (SnapshotCache::default(), LogReader::default());
        Project { folder: tempfile::tempdir().unwrap(), cache, log_reader }
    }

    /// Returns one with a repository, in which all `files` are committed and old.
    fn committed(files: &[(&str, &str)]) -> Project {
        let project = Project::new();
        let repository = git2::Repository::init(project.path()).unwrap();
        let mut index = repository.index().unwrap();
        for (name, content) in files {
            project.lay(name, content);
            index.add_path(Path::new(name)).unwrap();
        }
        index.write().unwrap();
        // The index counts as written long after the files.
        let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
        let file = fs::File::options().append(true).open(project.path().join(".git/index")).unwrap();
        file.set_modified(later).unwrap();
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn lay(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn roots(&self) -> Roots {
        let policy = PathPolicy::new(&PolicyGlobs::default()).unwrap();
        Roots::open(self.path(), &[], &[], policy, Options::default()).unwrap()
    }

    fn git(&self) -> Git {
        Git::for_root(&self.path().canonicalize().unwrap(), None)
    }

    /// Takes a snapshot from nothing but the files.
    fn snapshot(&self) -> TreeSnapshot {
        TreeSnapshot::once(&self.roots(), self.git(), None, later(), &|| false)
    }

    /// Takes a snapshot from the cache, written for the action 7. Returns it with its row, and the bytes that
    /// were written.
    fn snapshot_at(&self, now: Timestamp) -> (TreeSnapshot, Vec<u8>, usize) {
        let position = self.log_reader.position();
        let new = TreeSnapshot::take(
            &self.roots(),
            self.git(),
            &self.cache,
            position.as_ref(),
            (Room::COMMAND, None),
            now,
            &|| false,
        );
        let until = Timestamp { seconds: i64::MAX, nanoseconds: 0 };
        let ready = new.ready(7, until, &format!("log {now:?}"));
        let bytes = self.log_reader.put(ready.append());
        let row = ready.append().snapshot.clone();
        (ready.remember(&self.cache), row, bytes)
    }

    /// Returns the snapshot that is written as `row`.
    fn kept(&self, row: &[u8]) -> Option<SavedSnapshot> {
        SavedSnapshot::read(
            row,
            &|name, number| self.log_reader.read(name, number),
            &self.roots(),
            self.git(),
        )
    }

    fn command_changes(&self, snapshot: &TreeSnapshot) -> CommandChanges {
        snapshot.command_changes(&self.roots(), 7, None, &|name, number| self.log_reader.read(name, number))
    }

    fn risk(&self) -> AtRisk {
        AtRisk::scan(&self.roots(), &self.git(), &self.cache, later(), &|| false)
    }
}

/// Returns how the file `name` is kept.
fn kept<'s>(snapshot: &'s TreeSnapshot, name: &str) -> &'s PriorState {
    &snapshot.stamps.iter().find(|stamp| *stamp.path == *Path::new(name)).unwrap().was
}

fn summary(found: &CommandChanges) -> Vec<(String, &'static str, Option<Vec<u8>>)> {
    let images: BTreeMap<_, _> = found.images.iter().collect();
    let mut summary: Vec<_> = found
        .changes
        .iter()
        .map(|change| {
            let before = match &change.before {
                State::File { hash, .. } => images.get(hash.as_bytes()).map(|content| content.to_vec()),
                _ => None,
            };
            let what = match (&change.before, &change.after) {
                (State::Missing, _) => "made",
                (_, State::Missing) => "gone",
                _ => "changed",
            };
            (change.place.relative.to_string_lossy().into_owned(), what, before)
        })
        .collect();
    summary.sort();
    summary
}

fn changed(name: &str, what: &'static str, before: Option<&str>) -> (String, &'static str, Option<Vec<u8>>) {
    (name.to_owned(), what, before.map(|before| before.as_bytes().to_vec()))
}

/// Checks what every snapshot of `files` has to find, also after it was written.
fn finds_everything(project: &Project) {
    let snapshot = project.snapshot();
    let (append, row, _) = project.snapshot_at(later());
    let inside = project.path();
    fs::write(inside.join("a"), "changed").unwrap();
    fs::remove_file(inside.join("d/b")).unwrap();
    fs::write(inside.join("new"), "new").unwrap();
    let wanted = [
        changed("a", "changed", Some("one\n")),
        changed("d/b", "gone", Some("two\n")),
        changed("new", "made", None),
    ];
    let kept = project.kept(&row).unwrap();
    assert_eq!(kept.seq, 7);
    for snapshot in [snapshot, append, kept.snapshot] {
        let found = project.command_changes(&snapshot);
        assert!(found.complete && found.lost.is_empty(), "{found:?}");
        assert_eq!(summary(&found), wanted);
    }
}

#[test]
fn without_git_contents_are_kept() {
    let project = Project::new();
    project.lay("a", "one\n");
    project.lay("d/b", "two\n");
    finds_everything(&project);
}

#[test]
fn what_git_has_comes_from_git() {
    let project = Project::committed(&[("a", "one\n"), ("d/b", "two\n"), ("c", "three\n")]);
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::Committed(..)));
    finds_everything(&project);
    // A file that was changed since is not as git has it.
    let snapshot = project.snapshot();
    assert!(
        matches!(kept(&snapshot, "a"), PriorState::File(..))
            && matches!(kept(&snapshot, "c"), PriorState::Committed(..))
    );
}

#[test]
fn what_git_may_not_have_is_kept() {
    let project =
        Project::committed(&[("a", "one\n"), ("crlf", "x\n"), (".gitattributes", "crlf filter=x\n")]);
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::Committed(..)));
    // Something converts it.
    assert!(matches!(kept(&project.snapshot(), "crlf"), PriorState::File(..)));
    // The index is as old as the file.
    let index = fs::File::options().append(true).open(project.path().join(".git/index")).unwrap();
    let young = project.path().join("a").metadata().unwrap().modified().unwrap();
    index.set_modified(young).unwrap();
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::File(..)));
    // The object is gone.
    let project = Project::committed(&[("a", "one\n")]);
    fs::remove_dir_all(project.path().join(".git/objects")).unwrap();
    fs::create_dir_all(project.path().join(".git/objects/pack")).unwrap();
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::File(..)));
}

#[test]
fn other_line_ends_are_not_what_git_has() {
    let project = Project::new();
    let repository = git2::Repository::init(project.path()).unwrap();
    repository.config().unwrap().set_str("core.autocrlf", "true").unwrap();
    project.lay("a", "one\r\n");
    let mut index = repository.index().unwrap();
    index.add_path(Path::new("a")).unwrap();
    index.write().unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(5);
    let file = fs::File::options().append(true).open(project.path().join(".git/index")).unwrap();
    file.set_modified(later).unwrap();
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::File(..)));
}

#[test]
fn the_mode_of_a_file_that_git_has_is_brought_back_too() {
    let project = Project::committed(&[("a", "one\n")]);
    fs::set_permissions(project.path().join("a"), fs::Permissions::from_mode(0o640)).unwrap();
    // Its ctime is another one since.
    assert!(matches!(kept(&project.snapshot(), "a"), PriorState::File(..)));
    let snapshot = project.snapshot();
    fs::set_permissions(project.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let found = project.command_changes(&snapshot);
    let State::File { metadata: Some(metadata), .. } = &found.changes[0].before else { panic!("{found:?}") };
    assert_eq!(metadata.mode, 0o640);
}

#[test]
fn what_no_undo_brings_back_is_known_before_and_reported_after() {
    let project = Project::committed(&[("clean", "x"), (".gitignore", "built/\nlocal\n")]);
    project.lay("built/x", "x");
    project.lay("local", "mine");
    project.lay("large", vec![b'x'; usize::try_from(FILE).unwrap() + 1]);
    let risk = project.risk();
    assert_eq!(
        (risk.paths, risk.count, risk.complete),
        (vec!["built/".to_owned(), "large".to_owned(), "local".to_owned()], 3, true)
    );
    let snapshot = project.snapshot();
    project.lay("built/y", "y");
    project.lay("local", "theirs");
    project.lay("large", "small now");
    let found = project.command_changes(&snapshot);
    let lost: Vec<_> = found.lost.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(lost, ["local", "large"]);
    assert!(
        matches!(found.unrecoverable.as_slice(), [path] if path.ends_with("/local")),
        "{:?}",
        found.unrecoverable
    );
    // Ignored folders are not read: only that an entry came or went is reported.
    assert_eq!((found.unseen, found.unseen_count), (vec!["built/".to_owned()], 1));
    assert!(
        matches!(found.touched_ignored_dirs.as_slice(), [path] if path.ends_with("/built/")),
        "{:?}",
        found.touched_ignored_dirs
    );
    let snapshot = project.snapshot();
    project.lay("built/y", "changed");
    assert!(project.command_changes(&snapshot).touched_ignored_dirs.is_empty());
    let snapshot = project.snapshot();
    fs::remove_dir_all(project.path().join("built")).unwrap();
    let found = project.command_changes(&snapshot);
    assert_eq!((found.lost.len(), found.unrecoverable.len(), found.unseen_count), (1, 1, 0));
    assert_eq!(Project::committed(&[("clean", "x")]).risk(), AtRisk { complete: true, ..AtRisk::default() });
}

#[test]
fn regression_a_large_file_that_hides_its_change_is_beyond_undo() {
    let project = Project::new();
    project.lay("large", vec![b'x'; usize::try_from(FILE).unwrap() + 1]);
    let snapshot = project.snapshot();
    let path = project.path().join("large");
    let modified = path.metadata().unwrap().modified().unwrap();
    project.lay("large", vec![b'y'; usize::try_from(FILE).unwrap() + 1]);
    fs::File::options().append(true).open(path).unwrap().set_modified(modified).unwrap();
    let found = project.command_changes(&snapshot);
    assert!(found.changes.is_empty(), "{found:?}");
    assert!(matches!(found.unrecoverable.as_slice(), [path] if path.ends_with("/large")), "{found:?}");
    assert_eq!(found.unrecoverable, found.lost);
}

#[test]
fn only_what_git_has_not_takes_room() {
    let large = "x".repeat(usize::try_from(FILE).unwrap() + 1);
    let project = Project::committed(&[("committed", &large)]);
    assert_eq!(project.risk().count, 0);
    let snapshot = project.snapshot();
    fs::remove_file(project.path().join("committed")).unwrap();
    let found = project.command_changes(&snapshot);
    assert_eq!(summary(&found), [changed("committed", "gone", Some(&large))]);
}

#[test]
fn what_git_has_comes_back_although_the_command_left_an_index_that_cannot_be_read() {
    let project = Project::committed(&[("a", "one\n")]);
    project.snapshot_at(later());
    // From the cache, so that git is not asked.
    let (snapshot, ..) = project.snapshot_at(later());
    assert!(matches!(kept(&snapshot, "a"), PriorState::Committed(..)));
    fs::write(project.path().join(".git/index"), "another format").unwrap();
    fs::remove_file(project.path().join("a")).unwrap();
    let found = project.command_changes(&snapshot);
    assert_eq!(summary(&found), [changed("a", "gone", Some("one\n"))]);
    assert!(found.lost.is_empty(), "{found:?}");
}

#[test]
fn pipes_and_sockets_that_go_are_reported_and_what_takes_their_place_was_made() {
    let project = Project::new();
    let pipe = |name: &str| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let (at, kind) = (rustix::fs::CWD, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(at, project.path().join(name), kind, mode, 0).unwrap();
    };
    ["gone", "replaced", "stays"].into_iter().for_each(pipe);
    let snapshot = project.snapshot();
    fs::remove_file(project.path().join("gone")).unwrap();
    fs::remove_file(project.path().join("replaced")).unwrap();
    project.lay("replaced", "x");
    pipe("new");
    // Data that goes through it changes its times.
    fs::File::options().read(true).write(true).open(project.path().join("stays")).unwrap();
    let stays = project.path().join("stays");
    fs::set_permissions(stays, fs::Permissions::from_mode(0o644)).unwrap();
    let found = project.command_changes(&snapshot);
    assert_eq!(summary(&found), [changed("replaced", "made", None)]);
    let summary: Vec<_> = found.unrecoverable.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!((summary, found.lost.len()), (vec!["replaced", "gone"], 2));
}

#[test]
fn what_was_changed_later_was_changed_by_another_process() {
    let project = Project::new();
    project.lay("a", "one");
    project.lay("b", "two");
    let snapshot = project.snapshot();
    let before = Timestamp { seconds: 1, nanoseconds: 0 };
    project.lay("a", "changed");
    fs::remove_file(project.path().join("b")).unwrap();
    // A missing file can only be restored, and that harms nothing.
    let found = snapshot.command_changes(&project.roots(), 1, Some(before), &|_, _| None);
    assert_eq!(summary(&found), [changed("b", "gone", Some("two"))]);
}

#[test]
fn a_snapshot_that_makes_no_sense_is_none() {
    let project = Project::new();
    project.lay("aa", "one");
    let (_, row, _) = project.snapshot_at(later());
    for length in 0..row.len() {
        assert!(project.kept(&row[..length]).is_none(), "{length}");
    }
    let record = project.log_reader.records.borrow().get(&1).cloned().unwrap();
    for length in 0..record.len() {
        project.log_reader.records.borrow_mut().insert(1, record[..length].to_vec());
        assert!(project.kept(&row).is_none(), "{length}");
    }
    let evil = String::from_utf8(record).unwrap().replace("\"aa\"", "\"..\"").into_bytes();
    project.log_reader.records.borrow_mut().insert(1, evil);
    let snapshot = project.kept(&row).unwrap().snapshot;
    assert!(snapshot.coverage.cut && snapshot.stamps.len() == 0);
    project.log_reader.records.borrow_mut().clear();
    assert!(project.kept(&row).is_none());
    // Another log.
    let (_, old, _) = project.snapshot_at(later());
    "another".clone_into(&mut project.log_reader.name.borrow_mut());
    assert!(project.kept(&old).is_none());
}

#[test]
fn the_mode_of_a_folder_is_a_change() {
    let project = Project::new();
    project.lay("d/a", "x");
    let snapshot = project.snapshot();
    fs::set_permissions(project.path().join("d"), fs::Permissions::from_mode(0o700)).unwrap();
    let found = project.command_changes(&snapshot);
    let changed: Vec<_> = found.changes.iter().map(|change| change.place.relative.clone()).collect();
    assert_eq!((changed, found.lost.as_slice()), (vec!["d".into()], &[][..]));
}
