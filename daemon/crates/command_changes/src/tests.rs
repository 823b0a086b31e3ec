//! Tests the changes that are found of a command, with and without git, and from a snapshot that was written.
#![allow(clippy::disallowed_methods)] // A test makes what it needs.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::SystemTime;

use clada_fs::{Options, PathPolicy, PolicyGlobs};
use clada_journal::{SnapshotLog, State};

use super::sight::{FILE, Was};
use super::*;

mod remembered;

struct Project {
    folder: tempfile::TempDir,
    memory: Memory,
    shelf: Shelf,
}

/// The log.
#[derive(Default)]
struct Shelf {
    name: RefCell<String>,
    records: RefCell<BTreeMap<u64, Vec<u8>>>,
}

impl Shelf {
    fn stands(&self) -> Option<SnapshotLog> {
        let last = *self.records.borrow().last_key_value()?.0;
        Some(SnapshotLog { name: self.name.borrow().clone(), last })
    }

    /// Writes it, and returns the bytes of the new records.
    fn put(&self, put: &PutDown) -> usize {
        assert!(put.after.is_none() || put.after == self.stands());
        let mut records = self.records.borrow_mut();
        if put.after.is_none() {
            records.clear();
        }
        self.name.borrow_mut().clone_from(&put.name);
        records.extend(put.records.iter().cloned());
        put.records.iter().map(|(_, record)| record.len()).sum()
    }

    fn read(&self, number: u64) -> Option<Vec<u8>> {
        self.records.borrow().get(&number).cloned()
    }
}

/// Returns a time long after every file was written, so that nothing is doubtful.
fn later() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    Timestamp { seconds: i64::try_from(since.as_secs()).unwrap() + 60, nanoseconds: 0 }
}

impl Project {
    fn new() -> Project {
        let (memory, shelf) = (Memory::default(), Shelf::default());
        Project { folder: tempfile::tempdir().unwrap(), memory, shelf }
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
        Git::of(&self.path().canonicalize().unwrap(), None)
    }

    /// Takes a snapshot from nothing but the files.
    fn survey(&self) -> Survey {
        Survey::once(&self.roots(), self.git(), None, later(), &|| false)
    }

    /// Takes a snapshot from memory, written for the action 7. Returns it with its row, and the bytes that
    /// were written.
    fn survey_at(&self, now: Timestamp) -> (Survey, Vec<u8>, usize) {
        let stands = self.shelf.stands();
        let new =
            Survey::take(&self.roots(), self.git(), &self.memory, stands.as_ref(), None, now, &|| false);
        let until = Timestamp { seconds: i64::MAX, nanoseconds: 0 };
        let ready = new.ready(7, until, &format!("log {now:?}"));
        let bytes = self.shelf.put(ready.put_down());
        let row = ready.put_down().survey.clone();
        (ready.remember(&self.memory), row, bytes)
    }

    /// Returns the snapshot that is written as `row`.
    fn kept(&self, row: &[u8]) -> Option<Kept> {
        let name = self.shelf.name.borrow().clone();
        Kept::read(row, &|number| self.shelf.read(number), &name, &self.roots(), self.git())
    }

    fn aftermath(&self, survey: Survey) -> Aftermath {
        survey.aftermath(&self.roots(), 7, None, &|number| self.shelf.read(number))
    }

    fn risk(&self) -> AtRisk {
        AtRisk::of(&self.roots(), &self.git(), &self.memory, &|| false)
    }
}

/// Returns how the file `name` is kept.
fn kept<'s>(survey: &'s Survey, name: &str) -> &'s Was {
    &survey.sights.iter().find(|sight| *sight.path == *Path::new(name)).unwrap().was
}

fn told(aftermath: &Aftermath) -> Vec<(String, &'static str, Option<Vec<u8>>)> {
    let images: BTreeMap<_, _> = aftermath.images.iter().collect();
    let mut told: Vec<_> = aftermath
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
    told.sort();
    told
}

fn changed(name: &str, what: &'static str, before: Option<&str>) -> (String, &'static str, Option<Vec<u8>>) {
    (name.to_owned(), what, before.map(|before| before.as_bytes().to_vec()))
}

/// Checks what every snapshot of `files` has to find, also after it was written.
fn finds_everything(project: &Project) {
    let survey = project.survey();
    let (put_down, row, _) = project.survey_at(later());
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
    for survey in [survey, put_down, kept.survey] {
        let found = project.aftermath(survey);
        assert!(found.complete && found.lost.is_empty(), "{found:?}");
        assert_eq!(told(&found), wanted);
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
    assert!(matches!(kept(&project.survey(), "a"), Was::Committed(..)));
    finds_everything(&project);
    // A file that was changed since is not as git has it.
    let survey = project.survey();
    assert!(matches!(kept(&survey, "a"), Was::File(..)) && matches!(kept(&survey, "c"), Was::Committed(..)));
}

#[test]
fn what_git_may_not_have_is_kept() {
    let project =
        Project::committed(&[("a", "one\n"), ("crlf", "x\n"), (".gitattributes", "crlf filter=x\n")]);
    assert!(matches!(kept(&project.survey(), "a"), Was::Committed(..)));
    // Something converts it.
    assert!(matches!(kept(&project.survey(), "crlf"), Was::File(..)));
    // The index is as old as the file.
    let index = fs::File::options().append(true).open(project.path().join(".git/index")).unwrap();
    let young = project.path().join("a").metadata().unwrap().modified().unwrap();
    index.set_modified(young).unwrap();
    assert!(matches!(kept(&project.survey(), "a"), Was::File(..)));
    // The object is gone.
    let project = Project::committed(&[("a", "one\n")]);
    fs::remove_dir_all(project.path().join(".git/objects")).unwrap();
    fs::create_dir_all(project.path().join(".git/objects/pack")).unwrap();
    assert!(matches!(kept(&project.survey(), "a"), Was::File(..)));
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
    assert!(matches!(kept(&project.survey(), "a"), Was::File(..)));
}

#[test]
fn the_mode_of_a_file_that_git_has_is_brought_back_too() {
    let project = Project::committed(&[("a", "one\n")]);
    fs::set_permissions(project.path().join("a"), fs::Permissions::from_mode(0o640)).unwrap();
    // Its ctime is another one since.
    assert!(matches!(kept(&project.survey(), "a"), Was::File(..)));
    let survey = project.survey();
    fs::set_permissions(project.path().join("a"), fs::Permissions::from_mode(0o755)).unwrap();
    let found = project.aftermath(survey);
    let State::File { metadata: Some(metadata), .. } = &found.changes[0].before else { panic!("{found:?}") };
    assert_eq!(metadata.mode, 0o640);
}

#[test]
fn what_no_undo_brings_back_is_known_before_and_told_after() {
    let project = Project::committed(&[("clean", "x"), (".gitignore", "built/\nlocal\n")]);
    project.lay("built/x", "x");
    project.lay("local", "mine");
    project.lay("large", vec![b'x'; usize::try_from(FILE).unwrap() + 1]);
    let risk = project.risk();
    assert_eq!(
        (risk.paths, risk.count, risk.complete),
        (vec!["built/".to_owned(), "large".to_owned(), "local".to_owned()], 3, true)
    );
    let survey = project.survey();
    project.lay("built/y", "y");
    project.lay("local", "theirs");
    project.lay("large", "small now");
    let found = project.aftermath(survey);
    let lost: Vec<_> = found.lost.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!(lost, ["local", "large"]);
    assert!(matches!(found.beyond.as_slice(), [path] if path.ends_with("/local")), "{:?}", found.beyond);
    // Ignored folders are not read: only that an entry came or went is reported.
    assert_eq!((found.unseen, found.unseen_count), (vec!["built/".to_owned()], 1));
    assert!(matches!(found.stirred.as_slice(), [path] if path.ends_with("/built/")), "{:?}", found.stirred);
    let survey = project.survey();
    project.lay("built/y", "changed");
    assert!(project.aftermath(survey).stirred.is_empty());
    let survey = project.survey();
    fs::remove_dir_all(project.path().join("built")).unwrap();
    let found = project.aftermath(survey);
    assert_eq!((found.lost.len(), found.beyond.len(), found.unseen_count), (1, 1, 0));
    assert_eq!(Project::committed(&[("clean", "x")]).risk(), AtRisk { complete: true, ..AtRisk::default() });
}

#[test]
fn regression_a_large_file_that_hides_its_change_is_beyond_undo() {
    let project = Project::new();
    project.lay("large", vec![b'x'; usize::try_from(FILE).unwrap() + 1]);
    let survey = project.survey();
    let path = project.path().join("large");
    let modified = path.metadata().unwrap().modified().unwrap();
    project.lay("large", vec![b'y'; usize::try_from(FILE).unwrap() + 1]);
    fs::File::options().append(true).open(path).unwrap().set_modified(modified).unwrap();
    let found = project.aftermath(survey);
    assert!(found.changes.is_empty(), "{found:?}");
    assert!(matches!(found.beyond.as_slice(), [path] if path.ends_with("/large")), "{found:?}");
    assert_eq!(found.beyond, found.lost);
}

#[test]
fn only_what_git_has_not_takes_room() {
    let large = "x".repeat(usize::try_from(FILE).unwrap() + 1);
    let project = Project::committed(&[("committed", &large)]);
    assert_eq!(project.risk().count, 0);
    let survey = project.survey();
    fs::remove_file(project.path().join("committed")).unwrap();
    let found = project.aftermath(survey);
    assert_eq!(told(&found), [changed("committed", "gone", Some(&large))]);
}

#[test]
fn what_git_has_comes_back_although_the_command_left_an_index_that_cannot_be_read() {
    let project = Project::committed(&[("a", "one\n")]);
    project.survey_at(later());
    // From memory, so that git is not asked.
    let (survey, ..) = project.survey_at(later());
    assert!(matches!(kept(&survey, "a"), Was::Committed(..)));
    fs::write(project.path().join(".git/index"), "another format").unwrap();
    fs::remove_file(project.path().join("a")).unwrap();
    let found = project.aftermath(survey);
    assert_eq!(told(&found), [changed("a", "gone", Some("one\n"))]);
    assert!(found.lost.is_empty(), "{found:?}");
}

#[test]
fn pipes_and_sockets_that_go_are_told_and_what_takes_their_place_was_made() {
    let project = Project::new();
    let pipe = |name: &str| {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let (at, kind) = (rustix::fs::CWD, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(at, project.path().join(name), kind, mode, 0).unwrap();
    };
    ["gone", "replaced", "stays"].into_iter().for_each(pipe);
    let survey = project.survey();
    fs::remove_file(project.path().join("gone")).unwrap();
    fs::remove_file(project.path().join("replaced")).unwrap();
    project.lay("replaced", "x");
    pipe("new");
    // Data that goes through it changes its times.
    fs::File::options().read(true).write(true).open(project.path().join("stays")).unwrap();
    let stays = project.path().join("stays");
    fs::set_permissions(stays, fs::Permissions::from_mode(0o644)).unwrap();
    let found = project.aftermath(survey);
    assert_eq!(told(&found), [changed("replaced", "made", None)]);
    let told: Vec<_> = found.beyond.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
    assert_eq!((told, found.lost.len()), (vec!["replaced", "gone"], 2));
}

#[test]
fn what_was_changed_later_was_changed_by_somebody_else() {
    let project = Project::new();
    project.lay("a", "one");
    project.lay("b", "two");
    let survey = project.survey();
    let before = Timestamp { seconds: 1, nanoseconds: 0 };
    project.lay("a", "changed");
    fs::remove_file(project.path().join("b")).unwrap();
    // A missing file can only be restored, and that harms nothing.
    let found = survey.aftermath(&project.roots(), 1, Some(before), &|_| None);
    assert_eq!(told(&found), [changed("b", "gone", Some("two"))]);
}

#[test]
fn a_survey_that_makes_no_sense_is_none() {
    let project = Project::new();
    project.lay("aa", "one");
    let (_, row, _) = project.survey_at(later());
    for length in 0..row.len() {
        assert!(project.kept(&row[..length]).is_none(), "{length}");
    }
    let record = project.shelf.read(1).unwrap();
    for length in 0..record.len() {
        project.shelf.records.borrow_mut().insert(1, record[..length].to_vec());
        assert!(project.kept(&row).is_none(), "{length}");
    }
    let evil = String::from_utf8(record).unwrap().replace("\"aa\"", "\"..\"").into_bytes();
    project.shelf.records.borrow_mut().insert(1, evil);
    let survey = project.kept(&row).unwrap().survey;
    assert!(survey.seen.cut && survey.sights.is_empty());
    project.shelf.records.borrow_mut().clear();
    assert!(project.kept(&row).is_none());
    // Another log.
    let (_, old, _) = project.survey_at(later());
    "another".clone_into(&mut project.shelf.name.borrow_mut());
    assert!(project.kept(&old).is_none());
}

#[test]
fn the_mode_of_a_folder_is_told_as_lost() {
    let project = Project::new();
    project.lay("d/a", "x");
    let survey = project.survey();
    fs::set_permissions(project.path().join("d"), fs::Permissions::from_mode(0o700)).unwrap();
    let aftermath = project.aftermath(survey);
    assert!(matches!(aftermath.lost.as_slice(), [path] if path.ends_with("/d")), "{:?}", aftermath.lost);
}
