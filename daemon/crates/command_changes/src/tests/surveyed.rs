//! Tests that a survey has exactly what a walk finds, whatever programs do between two looks.

use std::os::unix::fs::symlink;
use std::process::Command;

use clada_fs::FileKind;
use clada_watch::{Care, Survey, Watches};

use super::cached::Dice;
use super::*;
use crate::coverage::Coverage;
use crate::visit::Visit;

/// A project with its survey.
struct Surveyed {
    project: Project,
    survey: Arc<Survey>,
    /// Beside the project.
    outside: tempfile::TempDir,
    _watches: Watches,
}

impl Surveyed {
    /// Returns `project`, surveyed from now on; `None` where the system cannot watch.
    fn new(project: Project) -> Option<Surveyed> {
        let watches = watches()?;
        let survey = watches.survey(&project.roots())?;
        Some(Surveyed { project, survey, outside: tempfile::tempdir().unwrap(), _watches: watches })
    }

    /// Compares what the survey has with what a walk finds.
    fn compare(&self, care: Care, now: Timestamp, done: &str) {
        self.compare_sparing(None, care, now, done);
    }

    fn compare_sparing(&self, spared: Option<&Spared>, care: Care, now: Timestamp, done: &str) {
        let surveyed = self.visit(Some((&self.survey, care, now)), spared);
        let walked = self.visit(None, spared);
        assert!(!self.survey.has_ended(), "{done}");
        assert_eq!(surveyed.0, walked.0, "{done}");
        assert_eq!((surveyed.1, surveyed.2), (walked.1, walked.2), "{done}");
    }

    fn visit(
        &self,
        survey: Option<(&Survey, Care, Timestamp)>,
        spared: Option<&Spared>,
    ) -> (Vec<String>, Coverage, Repositories) {
        let roots = self.project.roots();
        let mut found = Vec::new();
        let visit = Visit { survey, spared, ..Visit::walk(&roots, &|| false) };
        let extent = visit.run(&mut |entry| {
            let stat = entry.stat;
            // Entries come and go in a folder that is entered, and its times with them.
            let identity = match (stat.kind, entry.is_ignored) {
                (FileKind::Directory, false) => format!("{:?}", (stat.dev, stat.ino)),
                _ => format!("{:?} {}", stat.identity(), stat.nlink),
            };
            let path = entry.path();
            assert_eq!(path.relative(), entry.relative());
            let (kind, mode, is_ignored) = (stat.kind, stat.mode, entry.is_ignored);
            found.push(format!("{} {kind:?} {mode:o} {is_ignored} {identity}", path.written()));
        });
        (found, extent.coverage, extent.repositories)
    }
}

/// Returns the source of changes of this system.
#[cfg(target_os = "linux")]
pub(super) fn watches() -> Option<Watches> {
    Some(Watches::new(Arc::new(clada_watch::Inotify::new().unwrap()), SystemTime::now()))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn watches() -> Option<Watches> {
    None
}

fn git(folder: &Path, arguments: &[&str]) -> std::io::Result<()> {
    let mut git = Command::new("git");
    git.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    git.args(["-c", "user.name=x", "-c", "user.email=x@x", "-c", "protocol.file.allow=always"]);
    git.args(arguments).output().map(drop)
}

const NAMES: [&str; 22] = [
    "a",
    "a-b",
    "a.txt",
    "a/x",
    "a/y",
    "a/x/z",
    "b",
    "b/c",
    "b/c/d",
    "b/c/d/e",
    "b/built/q",
    "built",
    "built/z",
    "built/deep/z",
    "ignored",
    "link",
    "HEAD",
    "sub",
    "sub/f",
    "sub/built/g",
    "é",
    "c\nd",
];
const RULES: [&str; 7] =
    ["built/\n", "ignored\n", "b/\n", "", "*\n!a\n!.gitignore\n", "/a\n", "c/\n!built\n"];

/// The number of making a hard link: made in an ignored folder, it is seen only if every file is looked at.
const LINK: usize = 10;

/// Changes the tree as programs do. Returns the number of what it did, and that in words.
fn disturb(surveyed: &Surveyed, dice: &mut Dice) -> (usize, String) {
    let root = surveyed.project.path();
    let name = NAMES[dice.roll(NAMES.len())];
    let path = root.join(name);
    let other = root.join(NAMES[dice.roll(NAMES.len())]);
    let outside = surveyed.outside.path().join(["o", "p"][dice.roll(2)]);
    let rules = RULES[dice.roll(RULES.len())];
    let what = match dice.roll(28) {
        11 => LINK,
        what => what,
    };
    let text = ["", "x", "yy", "zz"][dice.roll(4)];
    let made = |path: &Path| path.parent().map_or(Ok(()), fs::create_dir_all);
    let _ = match what {
        0..=3 => made(&path).and_then(|()| fs::write(&path, text)),
        4 => fs::remove_file(&path),
        5 => fs::remove_dir_all(&path),
        6 | 7 => made(&other).and_then(|()| fs::rename(&path, &other)),
        8 => symlink(text, &path),
        9 => symlink(root.join("b"), &path),
        LINK => made(&other).and_then(|()| fs::hard_link(&path, &other)),
        12 => {
            fs::set_permissions(&path, fs::Permissions::from_mode([0o600, 0o644, 0o755, 0o700][dice.roll(4)]))
        }
        13 => fs::write(root.join(".gitignore"), rules),
        14 => fs::write(root.join(["b", "a", "sub"][dice.roll(3)]).join(".gitignore"), rules),
        15 => fs::write(root.join("b/.ignore"), rules),
        // In one move and without a pause.
        16 => fs::create_dir(&path)
            .and_then(|()| fs::remove_dir(&path))
            .and_then(|()| fs::create_dir(&path))
            .and_then(|()| fs::write(path.join("new"), text)),
        17 => fs::rename(&path, &outside),
        18 => made(&path).and_then(|()| fs::rename(&outside, &path)),
        19 => fs::create_dir_all(path.join("deep/er/and"))
            .and_then(|()| fs::write(path.join("deep/er/and/f"), text)),
        20 => fs::File::options()
            .append(true)
            .open(&path)
            .and_then(|file| file.set_modified(SystemTime::UNIX_EPOCH)),
        21 => rustix::fs::setxattr(&path, "user.clada", text.as_bytes(), rustix::fs::XattrFlags::empty())
            .map_err(Into::into),
        22 => git(root, &["init", "-q"]),
        23 => git(root, &["add", "-A"]).and_then(|()| git(root, &["commit", "-q", "-m", "x"])),
        24 => git(root, &["checkout", "-q", "-f", ["HEAD~1", "-", "HEAD~2"][dice.roll(3)]]),
        25 => fs::create_dir_all(root.join("sub")).and_then(|()| git(&root.join("sub"), &["init", "-q"])),
        26 => fs::write(root.join(["", "sub"][dice.roll(2)]).join(".git/info/exclude"), rules),
        _ => fs::remove_dir_all(root.join(["", "sub"][dice.roll(2)]).join(".git")),
    };
    (what, format!("{what} {name:?} {other:?}"))
}

#[test]
fn a_survey_has_what_a_walk_finds() {
    let seeds = clada_test_extent::cases(3, 400);
    for seed in 0..seeds {
        let Some(surveyed) = Surveyed::new(Project::new()) else { return };
        let mut dice = Dice(seed);
        let mut done = format!("seed {seed}:");
        for round in 0..60 {
            let mut care = if round % 10 == 9 { Care::EveryFile } else { Care::Events };
            for _ in 0..dice.roll(4) {
                let (what, said) = disturb(&surveyed, &mut dice);
                done += &format!(" {said}");
                care = if what == LINK { Care::EveryFile } else { care };
            }
            let now = if round % 2 == 0 { cached::now() } else { later() };
            surveyed.compare(care, now, &done);
            let mut spared = Spared::default();
            (0..dice.roll(4)).for_each(|_| spared.add(Path::new(NAMES[dice.roll(NAMES.len())])));
            surveyed.compare_sparing(Some(&spared), Care::Events, now, &done);
            // Rules in files of git's are known by their times.
            cached::next_tick();
        }
    }
}

/// Returns everything that was found, in words.
fn told(found: &CommandChanges) -> String {
    let mut changes: Vec<String> = found.changes.iter().map(|change| format!("{change:?}")).collect();
    changes.sort();
    let CommandChanges { lost, unrecoverable, touched_ignored_dirs, unseen, unseen_count, .. } = found;
    let CommandChanges { repositories, untracked, untracked_count, complete, .. } = found;
    let sorted = |paths: &[String]| {
        let mut paths = paths.to_vec();
        paths.sort();
        paths
    };
    let lists = [lost, unrecoverable, touched_ignored_dirs, unseen, untracked].map(|paths| sorted(paths));
    format!("{changes:#?} {lists:?} {unseen_count} {repositories:?} {untracked_count} {complete}")
}

#[test]
fn what_is_told_by_parts_is_what_a_visit_of_everything_finds() {
    let seeds = clada_test_extent::cases(4, 400);
    let (mut by_parts, mut rounds) = (0, 0);
    for seed in 0..seeds {
        let project = if seed % 2 == 0 {
            Project::new()
        } else {
            Project::committed(&[("a", "one"), ("b/c/d", "two")])
        };
        let Some(surveyed) = Surveyed::new(project) else { return };
        let project = &surveyed.project;
        project.cache.survey_by(|| Some(Arc::clone(&surveyed.survey)));
        let mut dice = Dice(seed + 1000);
        let mut done = format!("seed {seed}:");
        for round in 0..60 {
            let now = if round % 3 == 0 { cached::now() } else { later() };
            cached::compare(project, now, &done);
            let (snapshot, ..) = project.snapshot_at(now);
            cached::next_tick();
            for _ in 0..dice.roll(4) {
                let (what, said) = disturb(&surveyed, &mut dice);
                done += &format!(" {said}");
                if what == LINK {
                    surveyed.visit(Some((&surveyed.survey, Care::EveryFile, now)), None);
                }
            }
            let roots = project.roots();
            let survey = Some((&*surveyed.survey, Care::Events, now));
            let looked = Visit { survey, ..Visit::walk(&roots, &|| false) }.look();
            by_parts += usize::from(snapshot.basis.as_ref().and_then(|basis| looked.since(basis)).is_some());
            rounds += 1;
            drop(looked);
            let parts = project.command_changes(&snapshot);
            let everything = project.command_changes(&TreeSnapshot { basis: None, survey: None, ..snapshot });
            assert_eq!(told(&parts), told(&everything), "{done}");
            cached::next_tick();
        }
    }
    // Without this, a survey that always asks for everything would pass.
    assert!(by_parts * 4 > rounds, "{by_parts} of {rounds}");
}

#[test]
fn a_write_through_a_second_name_is_seen() {
    let Some(surveyed) = Surveyed::new(Project::new()) else { return };
    let root = surveyed.project.path();
    surveyed.project.lay("d/a", "x");
    surveyed.project.lay(".gitignore", "built/\n");
    surveyed.project.lay("built/x", "x");
    surveyed.compare(Care::Events, later(), "one name");
    // The new name is found, and with it the old one.
    fs::create_dir(root.join("e")).unwrap();
    fs::hard_link(root.join("d/a"), root.join("e/b")).unwrap();
    surveyed.compare(Care::Events, later(), "two names");
    for text in ["longer", "longer still"] {
        fs::write(root.join("e/b"), text).unwrap();
        surveyed.compare(Care::Events, later(), text);
    }
    // A third name, where nothing is watched: the two that are known are looked at each time.
    fs::hard_link(root.join("d/a"), root.join("built/c")).unwrap();
    fs::remove_file(root.join("e/b")).unwrap();
    surveyed.compare(Care::Events, later(), "another name");
    fs::write(root.join("built/c"), "by the ignored name").unwrap();
    surveyed.compare(Care::Events, later(), "a write by an ignored name");
    fs::remove_file(root.join("built/c")).unwrap();
    surveyed.compare(Care::Events, later(), "one name again");
    // The first further name is made where nothing is watched: only a look at every file sees it.
    surveyed.project.lay("d/z", "x");
    surveyed.compare(Care::Events, later(), "another file");
    fs::hard_link(root.join("d/z"), surveyed.outside.path().join("z")).unwrap();
    fs::write(surveyed.outside.path().join("z"), "from outside").unwrap();
    surveyed.compare(Care::EveryFile, later(), "a write from outside");
    surveyed.compare(Care::Events, later(), "known from now on");
    fs::write(surveyed.outside.path().join("z"), "from outside once more").unwrap();
    surveyed.compare(Care::Events, later(), "a second write from outside");
}

#[test]
fn a_folder_that_may_not_be_read_is_a_hole() {
    if rustix::process::geteuid().is_root() {
        return;
    }
    let Some(surveyed) = Surveyed::new(Project::new()) else { return };
    surveyed.project.lay("closed/a", "x");
    surveyed.project.lay("z", "x");
    let closed = surveyed.project.path().join("closed");
    surveyed.compare(Care::Events, later(), "open");
    for (mode, done) in [(0, "closed"), (0o755, "opened"), (0, "closed again")] {
        fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).unwrap();
        surveyed.compare(Care::Events, later(), done);
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn it_goes_on_after_a_flood_of_changes() {
    let Some(surveyed) = Surveyed::new(Project::new()) else { return };
    let root = surveyed.project.path();
    surveyed.compare(Care::Events, later(), "empty");
    for number in 0..3_000 {
        surveyed.project.lay(&format!("d{}/e{}/f{number}", number % 40, number % 7), "x");
    }
    surveyed.compare(Care::Events, later(), "many");
    for number in 0..40 {
        fs::rename(root.join(format!("d{number}")), root.join(format!("n{number}"))).unwrap();
    }
    surveyed.compare(Care::Events, later(), "moved");
    for number in 0..40 {
        fs::remove_dir_all(root.join(format!("n{number}"))).unwrap();
    }
    surveyed.compare(Care::Events, later(), "gone");
}
