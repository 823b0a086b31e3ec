//! Undos of what clada's user may not change, or not see, although it is its own.

use std::cell::RefCell;
use std::fs::{create_dir, create_dir_all, remove_dir_all, remove_file, write};
use std::path::Path;
use std::process::Command;

use clada_apply::survey_with_rights;
use clada_journal::{
    Change, GivenRight, Images, JournalPlace, Net, Operation, OperationDetails, OperationKind,
    OperationStatus, Outline, State,
};
use clada_store::StoreError;

use super::*;

/// The user and the group of the tests that need a user without root's rights.
const USER: &str = "1000";

/// Returns true if this process is a normal user's. If not, runs the test `name` again as one.
fn is_normal_user(name: &str) -> bool {
    if !rustix::process::geteuid().is_root() {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o777);
    let as_user = |program: &Path, arguments: &[&str]| {
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid", USER, "--regid", USER, "--clear-groups"]).arg(program).args(arguments);
        setpriv.env("TMPDIR", folder.path()).output()
    };
    let module = "engine::undoing::tests::rights";
    let test = format!("{module}::{name}");
    match as_user(&own, &["--list", "--exact", &test]) {
        Ok(tried) if tried.status.success() => {}
        Ok(_) => {
            tell_skipped("this program cannot be run by another user");
            return false;
        }
        Err(_) => {
            tell_skipped("there is no setpriv");
            return false;
        }
    }
    let ran = as_user(&own, &["--exact", &test, "--nocapture"]).unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned() + &String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
    false
}

#[allow(clippy::print_stderr, reason = "whoever runs the tests is to know")]
fn tell_skipped(why: &str) {
    eprintln!("skipped: undo as a user who is not root: {why}");
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().unwrap().permissions().mode() & 0o7777
}

/// Returns the mode of everything below `folder`, and the content of each file, whatever its owner may.
fn seen(folder: &Path) -> BTreeMap<PathBuf, (u32, Option<String>)> {
    let mut found = BTreeMap::new();
    let entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    for path in entries {
        let own = mode(&path);
        set_mode(&path, 0o700);
        if path.is_dir() {
            found.insert(path.clone(), (own, None));
            found.append(&mut seen(&path));
        } else {
            found.insert(path.clone(), (own, Some(std::fs::read_to_string(&path).unwrap())));
        }
        set_mode(&path, own);
    }
    found
}

/// Gives everything to its owner, so that it can be deleted.
fn open_all(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        set_mode(&path, 0o700);
        if path.is_dir() {
            open_all(&path);
        }
    }
}

/// A change of a project by an agent: its name, the project before it, and what it does.
type Case = (&'static str, fn(&Path), fn(&Path));

const CASES: [Case; 9] = [
    (
        "a module cache",
        |_| {},
        |root| {
            create_dir_all(root.join("mod/pkg")).unwrap();
            write(root.join("mod/pkg/a.go"), "package a\n").unwrap();
            set_mode(&root.join("mod/pkg/a.go"), 0o444);
            set_mode(&root.join("mod/pkg"), 0o555);
            set_mode(&root.join("mod"), 0o555);
        },
    ),
    (
        "a file less in a closed folder",
        |root| {
            create_dir(root.join("d")).unwrap();
            write(root.join("d/a"), "a\n").unwrap();
            set_mode(&root.join("d"), 0o500);
        },
        |root| {
            set_mode(&root.join("d"), 0o700);
            remove_file(root.join("d/a")).unwrap();
            write(root.join("d/b"), "b\n").unwrap();
            set_mode(&root.join("d"), 0o500);
        },
    ),
    (
        "a file that nobody may read any more",
        |root| write(root.join("a"), "a\n").unwrap(),
        |root| {
            set_mode(&root.join("a"), 0);
        },
    ),
    (
        "a new file that nobody may read",
        |_| {},
        |root| {
            write(root.join("new"), "new\n").unwrap();
            set_mode(&root.join("new"), 0);
        },
    ),
    (
        "a changed file that is read-only",
        |root| {
            write(root.join("a"), "a\n").unwrap();
            set_mode(&root.join("a"), 0o444);
        },
        |root| {
            set_mode(&root.join("a"), 0o644);
            write(root.join("a"), "other\n").unwrap();
            set_mode(&root.join("a"), 0o444);
        },
    ),
    (
        "a folder that nobody may enter any more",
        |root| {
            create_dir(root.join("d")).unwrap();
            write(root.join("d/a"), "a\n").unwrap();
        },
        |root| set_mode(&root.join("d"), 0),
    ),
    (
        "a closed folder that is gone",
        |root| {
            create_dir_all(root.join("d/e")).unwrap();
            write(root.join("d/e/a"), "a\n").unwrap();
            set_mode(&root.join("d/e"), 0o555);
            set_mode(&root.join("d"), 0o555);
        },
        |root| {
            open_all(root);
            remove_dir_all(root.join("d")).unwrap();
        },
    ),
    (
        "a new folder that nobody may enter",
        |_| {},
        |root| {
            create_dir(root.join("d")).unwrap();
            set_mode(&root.join("d"), 0);
        },
    ),
    (
        "a closed folder in a closed folder that stays",
        |root| {
            create_dir(root.join("d")).unwrap();
            set_mode(&root.join("d"), 0o555);
        },
        |root| {
            set_mode(&root.join("d"), 0o755);
            create_dir(root.join("d/e")).unwrap();
            write(root.join("d/e/a"), "a\n").unwrap();
            set_mode(&root.join("d/e"), 0o500);
            set_mode(&root.join("d"), 0o555);
        },
    ),
];

#[test]
fn regression_what_its_owner_may_not_change_is_undone_and_redone() {
    if !is_normal_user("regression_what_its_owner_may_not_change_is_undone_and_redone") {
        return;
    }
    for (name, lay, change) in CASES {
        let place = Place::new();
        lay(&place.root);
        let before = seen(&place.root);
        place.record(|| {
            change(&place.root);
            write(place.root.join("f"), "agent\n").unwrap();
        });
        let after = seen(&place.root);
        let undone = place.undo();
        assert!(undone.as_ref().is_ok_and(|undone| undone.success), "{name}: {undone:#?}");
        assert_eq!(seen(&place.root), before, "{name}");
        let redone = place.redo();
        assert!(redone.as_ref().is_ok_and(|redone| redone.success), "{name}: {redone:#?}");
        assert_eq!(seen(&place.root), after, "{name}");
        open_all(&place.root);
    }
}

/// Covers a file and a folder of which the record knows what they hold, closed after it ended.
#[test]
fn regression_what_was_closed_since_is_looked_at_and_closed_again() {
    if !is_normal_user("regression_what_was_closed_since_is_looked_at_and_closed_again") {
        return;
    }
    let place = Place::new();
    place.record(|| {
        ["new", "d/e/new", "mine"].iter().for_each(|path| place.lay(path, "new\n"));
    });
    place.lay("mine", "mine\n");
    for path in ["new", "d/e/new", "d/e", "d", "mine"] {
        set_mode(&place.root.join(path), 0);
    }
    let changed = seen(&place.root);
    let refused = place.undo().unwrap_err();
    assert!(refused.message.contains("/mine' has changed since"), "{refused:?}");
    assert!(!refused.message.contains("/d") && !refused.message.contains("/new"), "{refused:?}");
    assert_eq!(seen(&place.root), changed);
    assert_eq!(place.request().journal().noted_rights(), Vec::new());
    let forced = place.force().unwrap();
    assert!(forced.success, "{forced:#?}");
    assert_eq!(seen(&place.root), BTreeMap::new());
    open_all(&place.root);
}

/// A process that is killed while it looks, or while it undoes, leaves no mode behind, and no temporary file, also
/// in a folder that was moved since.
#[test]
fn regression_modes_are_given_back_after_a_crash() {
    let place = Place::new();
    for path in ["d/a", "made/a", "goes/a", "secret"] {
        place.lay(path, "1\n");
    }
    assert!(place.apply(&Answer::default().write("b", "1\n")).success);
    let request = place.request();
    let journal = request.journal();
    let at = |path: &str| JournalPlace { root: place.root.clone(), relative: path.into() };
    // It was killed while it looked.
    set_mode(&place.root.join("secret"), 0o400);
    let gone = GivenRight { place: at("gone"), mode: 0, temporary_mode: 0o400 };
    let right = GivenRight { place: at("secret"), mode: 0, temporary_mode: 0o400 };
    journal.note_rights(&[gone, right]).unwrap();
    // It was killed in the middle of its steps.
    let folder = |path: &str, before: Option<u32>, after: Option<u32>| {
        let state = |mode: Option<u32>| mode.map_or(State::Missing, State::Folder);
        Change { seq: 1, place: at(path), before: state(before), after: state(after), moved_from: None }
    };
    let removed = Change {
        before: State::File { hash: blake3::hash(b"1\n"), metadata: None },
        ..folder("d/a", None, None)
    };
    let changes = [
        folder("d", Some(0o500), Some(0o700)),
        folder("goes", Some(0o555), Some(0o755)),
        folder("made", None, Some(0o755)),
        removed,
        Change { after: State::Link(b"x".to_vec()), ..folder("went/into/l", None, None) },
        folder("goes", Some(0o755), None),
        folder("made", Some(0o755), Some(0o555)),
        folder("d", Some(0o700), Some(0o500)),
    ];
    for (path, mode) in [("d", 0o700), ("goes", 0o755), ("made", 0o755)] {
        set_mode(&place.root.join(path), mode);
    }
    place.lay("moved/into/.clada-tmp-0123456789abcdef", "half");
    let undo = Operation {
        id: "cutoff".to_owned(),
        kind: OperationKind::Undo,
        began: 1,
        status: OperationStatus::Applying,
        summary: String::new(),
        undoes: Some("nothing".to_owned()),
        undone_by: None,
        committed: None,
        outline: Outline::default(),
    };
    let details = OperationDetails::default();
    journal.with(|journal| journal.begin(&undo, &changes, &Images::default(), &details)).unwrap();
    assert!(place.apply(&Answer::default().write("c", "1\n")).success);
    let modes = ["d", "goes", "made", "secret"].map(|path| mode(&place.root.join(path)));
    assert_eq!(modes, [0o500, 0o555, 0o555, 0], "{modes:?}");
    assert_eq!(journal.noted_rights(), Vec::new());
    assert!(!place.root.join("moved/into/.clada-tmp-0123456789abcdef").exists());
    open_all(&place.root);
}

/// A folder is opened to see that another one in it is closed, and so on: the record names all that are open, so that
/// a crash between any two of them leaves none. If the record cannot be written, those before are closed again.
#[test]
fn regression_each_right_of_a_chain_is_noted_with_those_before_it() {
    if !is_normal_user("regression_each_right_of_a_chain_is_noted_with_those_before_it") {
        return;
    }
    let place = Place::new();
    place.lay("d/e/f", "1\n");
    let chain = ["d", "d/e", "d/e/f"];
    chain.iter().rev().for_each(|path| set_mode(&place.root.join(path), 0));
    let closed = seen(&place.root);
    let net = Net {
        place: JournalPlace { root: place.root.clone(), relative: "d/e/f".into() },
        before: State::Missing,
        after: State::File { hash: blake3::hash(b"1\n"), metadata: None },
        came_from: None,
        is_new: true,
    };
    let roots = place.request().undo_roots(&[]).unwrap();
    // The last note says that nothing is open any more.
    let whole = [&chain[..1], &chain[..2], &chain, &[]];
    for most in 0..=whole.len() {
        let noted: RefCell<Vec<Vec<PathBuf>>> = RefCell::default();
        let note = |rights: &[GivenRight]| {
            if noted.borrow().len() == most {
                return Err(StoreError::Full { path: place.root.clone() });
            }
            assert!(rights.iter().all(|right| right.mode == 0), "{rights:?}");
            noted.borrow_mut().push(rights.iter().map(|right| right.place.relative.clone()).collect());
            Ok(())
        };
        let surveyed = survey_with_rights(&roots, std::slice::from_ref(&net), u64::MAX, &note);
        assert_eq!(surveyed.is_ok(), most == whole.len(), "{most}: {surveyed:?}");
        let noted = noted.take();
        assert_eq!(noted.len(), most);
        for (noted, expected) in noted.iter().zip(whole) {
            assert!(
                noted.iter().map(PathBuf::as_path).eq(expected.iter().map(Path::new)),
                "{most}: {noted:?}"
            );
        }
        assert_eq!(seen(&place.root), closed, "{most}");
    }
    open_all(&place.root);
}
