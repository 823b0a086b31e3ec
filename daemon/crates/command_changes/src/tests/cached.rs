//! Tests that a snapshot from the cache finds exactly what one finds that reads everything.

use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Command;

use super::*;

/// A small generator of numbers, so that a failure can be reproduced.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }
}

/// Returns what each stamp says, with the content of the file.
fn said(project: &Project, snapshot: &TreeSnapshot) -> Vec<String> {
    let records = |name: &str, number| project.log_reader.read(name, number);
    let log_reader = log::LogReader::new(&records, &snapshot.log);
    let one = |stamp: &Arc<FileStamp>| {
        let was = match &stamp.was {
            PriorState::File(hash, metadata, content) => {
                // It is held against its hash there.
                log_reader.content(hash, content).expect("a content is not there");
                format!("{metadata:?} {hash}")
            }
            was => format!("{was:?}"),
        };
        // Of a folder in which things come and go.
        let identity = if stamp.was == PriorState::Folder { None } else { Some(stamp.identity) };
        format!("{:?} {:?} {:o} {identity:?} {was}", stamp.path, stamp.kind, stamp.mode)
    };
    snapshot.stamps.iter().map(one).collect()
}

/// Waits until the clock of the file system moves on: two changes within a tick of it reader like one.
pub(super) fn next_tick() {
    let probe = tempfile::NamedTempFile::new().unwrap();
    let ctime = || {
        fs::write(probe.path(), "x").unwrap();
        let metadata = fs::metadata(probe.path()).unwrap();
        (metadata.ctime(), metadata.ctime_nsec())
    };
    let begun = ctime();
    while ctime() == begun {}
}

/// Compares a snapshot from the cache, and what is read back of it, with one from the start. Returns the
/// bytes that were written for it.
pub(super) fn compare(project: &Project, now: Timestamp, doing: &str) -> usize {
    let (snapshot, row, bytes) = project.snapshot_at(now);
    let whole = project.snapshot();
    let (incremental, from_start) = (said(project, &snapshot), said(project, &whole));
    assert_eq!(incremental, from_start, "{doing}");
    assert_eq!(snapshot.coverage, whole.coverage);
    let kept = project.kept(&row).unwrap().snapshot;
    assert_eq!(said(project, &kept), from_start, "{doing}");
    assert!(snapshot.stamps.iter().is_sorted_by_key(|stamp| stamp.path.as_os_str().to_owned()));
    bytes
}

/// Changes the tree as programs do; in a repository, that too.
fn disturb(project: &Project, dice: &mut Dice, with_git: bool) -> String {
    const NAMES: [&str; 12] =
        ["a", "a-b", "a.txt", "a/x", "a/y", "b/c/d", "b/c", "ignored", "built/z", "b/built/q", "link", "é"];
    let name = NAMES[dice.roll(NAMES.len())];
    let path = project.path().join(name);
    let other = project.path().join(NAMES[dice.roll(NAMES.len())]);
    let what = dice.roll(15);
    let text = ["", "x", "yy", "zz"][dice.roll(4)];
    let _ = match what {
        0 | 1 => path.parent().map(fs::create_dir_all).unwrap().and_then(|()| fs::write(&path, text)),
        2 => fs::remove_file(&path),
        3 => fs::remove_dir_all(&path),
        4 => fs::rename(&path, &other),
        5 => symlink(text, &path),
        6 => fs::hard_link(&path, &other),
        7 => fs::set_permissions(&path, fs::Permissions::from_mode([0o600, 0o644, 0o755][dice.roll(3)])),
        8 => {
            fs::write(project.path().join(".gitignore"), ["built/\n", "ignored\n", "b/\n", ""][dice.roll(4)])
        }
        // The same size and the same time: `cp -p`, and a change that is hidden with `touch -r`.
        9 => fs::metadata(&path).and_then(|before| {
            fs::write(&path, vec![b'q'; usize::try_from(before.len()).unwrap()])?;
            fs::File::options().append(true).open(&path)?.set_modified(before.modified()?)
        }),
        10 => fs::copy(&path, &other).and_then(|_| {
            let modified = fs::metadata(&path)?.modified()?;
            fs::File::options().append(true).open(&other)?.set_modified(modified)
        }),
        11 => fs::create_dir(&path),
        12 => fs::File::create(&path).and_then(|file| file.set_len(FILE + 1)),
        13 => rustix::fs::setxattr(&path, "user.clada", text.as_bytes(), rustix::fs::XattrFlags::empty())
            .map_err(Into::into),
        _ if with_git => {
            let git = |args: &[&str]| {
                let mut git = Command::new("git");
                git.current_dir(project.path()).env("GIT_CONFIG_GLOBAL", "/dev/null");
                git.env("GIT_CONFIG_NOSYSTEM", "1").args(["-c", "user.name=x", "-c", "user.email=x@x"]);
                git.args(args).output().map(drop)
            };
            git(&["add", "-A"]).and_then(|()| git(&["commit", "-q", "-m", "x"]))
        }
        _ => Ok(()),
    };
    format!("{what} {name} {other:?}")
}

#[test]
fn it_finds_what_a_look_at_everything_finds() {
    let watches = surveyed::watches();
    for (seed, with_git) in [(1, false), (2, true), (3, false), (4, true)] {
        let project =
            if with_git { Project::committed(&[("a", "one"), ("b/c/d", "two")]) } else { Project::new() };
        // From a survey, too.
        if seed > 2 {
            project.cache.survey_by(|| watches.as_ref()?.survey(&project.roots()));
        }
        let mut dice = Dice(seed);
        let mut done = format!("seed {seed}:");
        for round in 0..120 {
            for _ in 0..dice.roll(3) {
                done += &format!(" {}", disturb(&project, &mut dice, with_git));
            }
            // Most of what is remembered is settled, and some is not.
            let now = if round % 3 == 0 { now() } else { later() };
            compare(&project, now, &done);
            next_tick();
        }
    }
}

pub(super) fn now() -> Timestamp {
    let later = later();
    Timestamp { seconds: later.seconds - 60, ..later }
}

#[test]
fn it_costs_what_changed() {
    let project = Project::new();
    for number in 0..500 {
        project.lay(&format!("d{}/f{number}", number % 7), format!("{number}\n").repeat(50));
    }
    let all = compare(&project, later(), "first");
    assert_eq!(compare(&project, later(), "nothing"), 0);
    project.lay("d3/f3", "changed");
    fs::remove_file(project.path().join("d0/f0")).unwrap();
    let some = compare(&project, later(), "two");
    assert!(some > 0 && some * 50 < all, "{some} of {all}");
    assert_eq!(compare(&project, later(), "nothing again"), 0);
    // Touched, which is written, and the content is not written again.
    fs::File::options()
        .append(true)
        .open(project.path().join("d1/f1"))
        .unwrap()
        .set_modified(SystemTime::now())
        .unwrap();
    let touched = compare(&project, later(), "touched");
    assert!(touched > 0 && touched < 600, "{touched}");
}

#[test]
fn what_changed_just_now_is_read_again() {
    let project = Project::new();
    project.lay("a", "one");
    let kept = |snapshot: &TreeSnapshot| snapshot.stamps.iter().next().unwrap().settled;
    assert!(!kept(&project.snapshot_at(now()).0));
    assert!(!kept(&project.snapshot_at(now()).0));
    assert!(kept(&project.snapshot_at(later()).0));
    assert!(kept(&project.snapshot_at(later()).0));
    // A change that a clock hides is found as long as the stamp is not settled: here the stamp is forged.
    let (mut snapshot, ..) = project.snapshot_at(later());
    project.lay("a", "two");
    let stat = project.roots().lstat(&project.roots().resolve("a").unwrap()).unwrap().unwrap();
    for settled in [true, false] {
        snapshot.stamps.change_each(&[0], |stamp| {
            (stamp.identity, stamp.settled) = (stat.identity(), settled);
        });
        let stamps = snapshot.stamps.clone();
        let again = TreeSnapshot {
            stamps,
            coverage: snapshot.coverage.clone(),
            now: snapshot.now,
            git: project.git(),
            repositories: None,
            largest: snapshot.largest,
            log: snapshot.log.clone(),
            survey: None,
            basis: None,
        };
        let found = summary(&project.command_changes(&again));
        let wanted = if settled { Vec::new() } else { vec![changed("a", "changed", Some("one"))] };
        assert_eq!(found, wanted);
    }
}

#[test]
fn another_log_is_begun_when_this_one_has_grown_or_gone() {
    let project = Project::new();
    for number in 0..10 {
        project.lay(&format!("f{number}"), "x");
    }
    compare(&project, later(), "first");
    let begun = project.log_reader.position().unwrap();
    // Each is a record, and there are not as many records.
    for round in 0..230 {
        for number in 0..10 {
            project.lay(&format!("f{number}"), format!("{round}"));
        }
        project.snapshot_at(later());
        next_tick();
    }
    let grown = project.log_reader.position().unwrap();
    assert!(grown.last < 230 && grown != begun, "{grown:?}");
    compare(&project, later(), "grown");
    project.log_reader.records.borrow_mut().clear();
    assert!(compare(&project, later(), "gone") > 0);
    project.cache.forget();
    assert!(compare(&project, later(), "forgotten") > 0);
}

#[test]
fn rules_that_a_command_changes_make_and_remove_nothing() {
    for with_git in [false, true] {
        let project = if with_git { Project::committed(&[("kept/a", "x")]) } else { Project::new() };
        project.lay("kept/a", "x");
        project.lay("kept/b", "x");
        project.lay("was/a", "x");
        project.lay("was-b/a", "x");
        project.lay("local", "x");
        project.lay(".gitignore", "was/\nwas-b/\nlocal\n");
        let snapshot = project.snapshot();
        project.lay(".gitignore", "kept/\n");
        fs::remove_file(project.path().join("kept/b")).unwrap();
        let found = project.command_changes(&snapshot);
        let wanted = [
            changed(".gitignore", "changed", Some("was/\nwas-b/\nlocal\n")),
            changed("kept/b", "gone", Some("x")),
        ];
        assert_eq!(summary(&found), wanted);
        assert!(found.lost.is_empty() && found.complete, "{found:?}");
    }
}

#[test]
fn what_was_not_looked_at_was_not_made() {
    let project = Project::new();
    project.lay("a", "x");
    project.lay("hidden/a", "x");
    let mut snapshot = project.snapshot();
    let is_seen = |stamp: &&Arc<FileStamp>| !stamp.path.starts_with("hidden/a");
    snapshot.stamps = snapshot.stamps.iter().filter(is_seen).cloned().collect();
    snapshot.coverage.add_hole(
        &project.roots().resolve("hidden").map(|_| project.path().join("hidden")).unwrap().to_string_lossy(),
    );
    project.lay("new", "x");
    let found = project.command_changes(&snapshot);
    assert_eq!(summary(&found), [changed("new", "made", None)]);
    assert!(!found.complete);
}
