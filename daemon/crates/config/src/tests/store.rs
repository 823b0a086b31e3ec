//! The store: reading again, broken files, files that are not files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use super::super::*;

struct Place {
    _folder: TempDir,
    user: PathBuf,
    root: PathBuf,
    layer: ProjectLayer,
    store: ConfigStore,
}

impl Place {
    fn new() -> Place {
        let folder = TempDir::new().unwrap();
        let (home, root) = (folder.path().join("home"), folder.path().join("root"));
        let user = home.join(".config/clada/config.yaml");
        fs::create_dir_all(user.parent().unwrap()).unwrap();
        fs::create_dir_all(root.join(".clada")).unwrap();
        let inputs = Inputs::from_environment([("HOME".into(), home.into_os_string())]);
        assert_eq!(inputs.user_file.as_ref(), Some(&user));
        Place {
            _folder: folder,
            user,
            layer: ProjectLayer::new(&root),
            root,
            store: ConfigStore::new(inputs),
        }
    }

    fn project(&self) -> PathBuf {
        self.root.join(".clada/config.yaml")
    }

    fn current(&self) -> Result<Arc<Settings>, ConfigError> {
        self.store.current(Some(&self.layer))
    }

    fn size(&self) -> u64 {
        self.current().unwrap().limits.max_file_size >> 20
    }

    fn warnings(&self) -> Vec<String> {
        self.store.warnings(Some(&self.layer))
    }
}

#[test]
fn files_are_read_again_when_they_change() {
    let place = Place::new();
    assert_eq!(place.size(), 10);
    fs::write(&place.user, "limits: {max_file_size: 9MB}").unwrap();
    assert_eq!(place.size(), 9);
    fs::write(place.project(), "limits: {max_file_size: 8MB}").unwrap();
    assert_eq!(place.size(), 8);
    assert_eq!(place.store.current(None).unwrap().limits.max_file_size, 9 << 20);
    // The same size, at once, in place.
    fs::write(place.project(), "limits: {max_file_size: 7MB}").unwrap();
    assert_eq!(place.size(), 7);
    fs::remove_file(place.project()).unwrap();
    assert_eq!(place.size(), 9);
    fs::remove_file(&place.user).unwrap();
    assert_eq!(place.size(), 10);
    assert_eq!(place.warnings(), [""; 0]);
}

#[test]
fn settings_are_shared_while_nothing_changes() {
    let place = Place::new();
    fs::write(place.project(), "ask: [x]").unwrap();
    let first = place.current().unwrap();
    for _ in 0..3 {
        assert!(Arc::ptr_eq(&first, &place.current().unwrap()));
    }
}

#[test]
fn a_file_that_breaks_keeps_its_last_good_version() {
    let place = Place::new();
    for file in [place.user.clone(), place.project()] {
        fs::write(&file, "limits: {max_file_size: 9MB}").unwrap();
        assert_eq!(place.size(), 9);
        for broken in ["limits: {max_file_size: 9MB", "limits: {max_file_size: 8MB}\ndurabilty: full"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(place.size(), 9);
            let warnings = place.warnings();
            assert_eq!(warnings.len(), 2, "{warnings:#?}");
            assert!(warnings[0].starts_with(&format!("{}:", file.display())), "{warnings:#?}");
            assert!(warnings[1].ends_with("the last version of it that was sound stays in force."));
        }
        fs::write(&file, "limits: {max_file_size: 7MB}").unwrap();
        assert_eq!(place.size(), 7);
        assert_eq!(place.warnings(), [""; 0]);
        fs::remove_file(&file).unwrap();
        assert_eq!(place.size(), 10);
    }
}

#[test]
fn a_file_that_was_never_good_blocks_until_it_is_mended() {
    let place = Place::new();
    for file in [place.user.clone(), place.project()] {
        fs::write(&file, "limits: {max_file_size: 9MB}\ndenid: [x]").unwrap();
        let fresh = ConfigStore::new(Inputs { user_file: Some(place.user.clone()), ..Inputs::default() });
        let layer = ProjectLayer::new(&place.root);
        let error = fresh.current(Some(&layer)).unwrap_err();
        assert_eq!(error.problems.len(), 1);
        assert!(
            error.to_string().contains(":2:1: `denid` is not a key. Write `denied` if that is meant."),
            "{error}"
        );
        // Nothing of it counts, not even the readable part.
        assert_eq!(fresh.lenient(Some(&layer)).limits.max_file_size, 10 << 20);
        let shown = fresh.show(Some(&layer));
        assert_eq!(shown.warnings.len(), 2);
        assert!(shown.warnings[1].contains("until it is mended no file of a project is read or changed"));
        fs::write(&file, "limits: {max_file_size: 9MB}").unwrap();
        assert_eq!(fresh.current(Some(&layer)).unwrap().limits.max_file_size, 9 << 20);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn absence_is_no_version_to_go_back_to() {
    let place = Place::new();
    for file in [place.user.clone(), place.project()] {
        assert_eq!(place.size(), 10);
        fs::write(&file, "denied: [x").unwrap();
        assert!(place.current().is_err());
        fs::write(&file, "denied: [x]").unwrap();
        assert!(place.current().is_ok());
        // Saved by emptying or removing it first; the text written then is broken.
        fs::write(&file, "").unwrap();
        assert!(place.current().is_ok());
        fs::write(&file, "denied: [x").unwrap();
        assert!(place.current().is_err());
        fs::remove_file(&file).unwrap();
        assert!(place.current().is_ok());
    }
}

#[test]
fn a_project_that_sets_what_is_the_daemons_blocks_itself_and_no_other() {
    let place = Place::new();
    fs::write(place.project(), "denied: [x]\ndaemon: {log_level: trace}").unwrap();
    let error = place.current().unwrap_err();
    assert!(
        error.to_string().contains("config.yaml:2:21: a project cannot set `daemon.log_level`"),
        "{error}"
    );
    assert!(place.store.current(None).is_ok());
    assert!(place.store.current(Some(&ProjectLayer::new(Path::new("/nonexistent")))).is_ok());
}

#[test]
fn a_project_that_was_good_may_become_one_that_widens() {
    let place = Place::new();
    fs::write(&place.user, "limits: {max_file_size: 50MB}").unwrap();
    fs::write(place.project(), "limits: {max_file_size: 40MB}").unwrap();
    assert_eq!(place.size(), 40);
    fs::write(&place.user, "limits: {max_file_size: 30MB}").unwrap();
    assert_eq!(place.size(), 30);
    let warnings = place.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("40MB is more than 30MB"), "{warnings:?}");
    fs::write(&place.user, "limits: {max_file_size: 60MB}").unwrap();
    assert_eq!(place.size(), 40);
}

#[test]
fn bad_values_of_the_environment_and_of_flags_block() {
    let variable = ("CLADA_LIMITS_INPUT".to_owned(), Some("x".to_owned()));
    let inputs = Inputs { environment: vec![variable], ..Inputs::default() };
    let error = ConfigStore::new(inputs.clone()).current(None).unwrap_err();
    assert_eq!(error.problems[0].origin, Origin::Environment("CLADA_LIMITS_INPUT".to_owned()));
    let flag = Override { flag: "--durability".into(), key: "durability".into(), value: "slow".into() };
    let store = ConfigStore::new(inputs.with_flags(vec![flag]));
    assert_eq!(store.current(None).unwrap_err().problems.len(), 2);
    assert_eq!(*store.lenient(None), Settings::default());
}

#[test]
fn what_is_no_regular_file_is_refused() {
    let place = Place::new();
    let refused = |why: &str| {
        let store = ConfigStore::new(Inputs::default());
        let error = store.current(Some(&ProjectLayer::new(&place.root))).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    let elsewhere = place.root.join("elsewhere.yaml");
    fs::write(&elsewhere, "denied: [x]").unwrap();
    std::os::unix::fs::symlink(&elsewhere, place.project()).unwrap();
    refused("is a symbolic link");
    fs::remove_file(place.project()).unwrap();
    fs::create_dir(place.project()).unwrap();
    refused("it is not a regular file");
    fs::remove_dir(place.project()).unwrap();
    fs::remove_dir(place.root.join(".clada")).unwrap();
    std::os::unix::fs::symlink(&place.root, place.root.join(".clada")).unwrap();
    refused("is a symbolic link");
    fs::remove_file(place.root.join(".clada")).unwrap();
    fs::write(place.root.join(".clada"), "").unwrap();
    assert!(place.current().is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_does_not_hang() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let place = Place::new();
    mknodat(CWD, place.project(), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(place.current().unwrap_err().to_string().contains("it is not a regular file"));
    mknodat(CWD, &place.user, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(place.current().unwrap_err().to_string().contains("it is not a regular file"));
}

#[test]
fn the_users_file_may_be_a_link() {
    let place = Place::new();
    let elsewhere = place.root.join("dotfile");
    fs::write(&elsewhere, "limits: {max_file_size: 9MB}").unwrap();
    std::os::unix::fs::symlink(&elsewhere, &place.user).unwrap();
    assert_eq!(place.size(), 9);
    fs::write(&elsewhere, "limits: {max_file_size: 8MB}").unwrap();
    assert_eq!(place.size(), 8);
}

#[test]
fn large_files_and_foreign_encodings_are_refused() {
    let place = Place::new();
    fs::write(place.project(), "#".repeat((1 << 20) + 1)).unwrap();
    let error = place.current().unwrap_err().to_string();
    assert!(error.contains("it is larger than 1 MB. Shorten it."), "{error}");
    fs::write(place.project(), "#".repeat(1 << 20)).unwrap();
    assert!(place.current().is_ok());
    fs::remove_file(place.project()).unwrap();
    fs::write(&place.user, b"ask: [a]\ndenied: [\xff]").unwrap();
    let fresh = ConfigStore::new(Inputs { user_file: Some(place.user.clone()), ..Inputs::default() });
    let error = fresh.current(None).unwrap_err().to_string();
    assert!(error.contains("line 2 is not UTF-8. Save it as UTF-8."), "{error}");
    fs::write(&place.user, "\u{feff}limits: {max_file_size: 9MB}\r\n").unwrap();
    assert_eq!(place.size(), 9);
}

#[test]
fn a_project_that_was_forgotten_is_read_again() {
    let place = Place::new();
    fs::write(place.project(), "limits: {max_file_size: 9MB}").unwrap();
    assert_eq!(place.size(), 9);
    for _ in 0..3 {
        let again = ProjectLayer::new(&place.root);
        assert_eq!(place.store.current(Some(&again)).unwrap().limits.max_file_size, 9 << 20);
    }
    assert_eq!(place.size(), 9);
}

#[test]
fn many_may_ask_at_once() {
    let place = Place::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert!(matches!(place.size(), 8..=10));
                }
            });
        }
        for size in [9, 8, 9, 8] {
            let next = place.root.join("next");
            fs::write(&next, format!("limits: {{max_file_size: {size}MB}}")).unwrap();
            fs::rename(&next, place.project()).unwrap();
        }
    });
    assert_eq!(place.size(), 8);
}

/// Trusts the files that it is given.
#[derive(Debug, Clone, Default)]
struct Told(Arc<std::sync::Mutex<Vec<blake3::Hash>>>);

impl Trusting for Told {
    fn trusts(&self, _root: &Path, hash: &blake3::Hash) -> bool {
        self.0.lock().unwrap().contains(hash)
    }
}

#[test]
fn what_widens_is_in_force_while_exactly_this_file_is_trusted() {
    let (mut place, told) = (Place::new(), Told::default());
    place.store = place.store.trusting(Box::new(told.clone()));
    assert!(place.store.project_file(&place.layer).is_none());
    let text = "limits: {max_file_size: 20MB, grep_line: 1kB}\nexec: {writable: [~/cache]}\n";
    fs::write(place.project(), text).unwrap();
    // The narrowing settings are in force meanwhile.
    let before = place.current().unwrap();
    assert_eq!((before.limits.max_file_size, before.limits.grep_line), (10 << 20, 1 << 10));
    assert!(before.exec_writable.is_empty());
    assert_eq!(place.warnings().len(), 2);
    let file = place.store.project_file(&place.layer).unwrap();
    assert_eq!((file.text.as_str(), file.trusted, file.problems.len()), (text, false, 0));
    let keys: Vec<&str> = file.widens.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(keys, ["limits.max_file_size", "exec.writable"]);

    told.0.lock().unwrap().push(file.hash);
    let trusted = place.current().unwrap();
    assert_eq!((trusted.limits.max_file_size, trusted.limits.grep_line), (20 << 20, 1 << 10));
    assert_eq!(trusted.exec_writable, [place.user.ancestors().nth(3).unwrap().join("cache")]);
    assert_eq!(place.warnings(), [""; 0]);
    assert!(Arc::ptr_eq(&trusted, &place.current().unwrap()));
    assert!(place.store.project_file(&place.layer).unwrap().trusted);

    // A changed byte makes another file; the trusted text is trusted again when it comes back.
    fs::write(place.project(), format!("{text}#")).unwrap();
    assert_eq!(place.size(), 10);
    assert!(!place.store.project_file(&place.layer).unwrap().trusted);
    fs::write(place.project(), text).unwrap();
    assert_eq!(place.size(), 20);
    // Revoked trust ends at once.
    told.0.lock().unwrap().clear();
    assert_eq!(place.size(), 10);
    // A broken file is not in force, trusted or not.
    fs::write(place.project(), format!("{text}nonsense: 1\n")).unwrap();
    let file = place.store.project_file(&place.layer).unwrap();
    told.0.lock().unwrap().push(file.hash);
    assert_eq!((place.size(), file.problems.len()), (10, 1));
}
