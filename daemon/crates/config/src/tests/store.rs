//! The store: reading again, broken files, files that are not files.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;

use clada_protocol::method::CallSettings;

use super::super::*;

struct Fixture {
    _folder: TempDir,
    user: PathBuf,
    root: PathBuf,
    layer: ProjectLayer,
    store: ConfigStore,
}

impl Fixture {
    fn new() -> Fixture {
        let folder = TempDir::new().unwrap();
        let (home, root) = (folder.path().join("home"), folder.path().join("root"));
        let user = home.join(".config/clada/config.yaml");
        fs::create_dir_all(user.parent().unwrap()).unwrap();
        fs::create_dir_all(root.join(".clada")).unwrap();
        let inputs = Inputs::from_environment([("HOME".into(), home.into_os_string())]);
        assert_eq!(inputs.user_file.as_ref(), Some(&user));
        Fixture {
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
    let fixture = Fixture::new();
    assert_eq!(fixture.size(), 10);
    fs::write(&fixture.user, "limits: {max_file_size: 9MB}").unwrap();
    assert_eq!(fixture.size(), 9);
    fs::write(fixture.project(), "limits: {max_file_size: 8MB}").unwrap();
    assert_eq!(fixture.size(), 8);
    assert_eq!(fixture.store.current(None).unwrap().limits.max_file_size, 9 << 20);
    // The same size, at once, in place.
    fs::write(fixture.project(), "limits: {max_file_size: 7MB}").unwrap();
    assert_eq!(fixture.size(), 7);
    fs::remove_file(fixture.project()).unwrap();
    assert_eq!(fixture.size(), 9);
    fs::remove_file(&fixture.user).unwrap();
    assert_eq!(fixture.size(), 10);
    assert_eq!(fixture.warnings(), [""; 0]);
}

#[test]
fn settings_are_shared_while_nothing_changes() {
    let fixture = Fixture::new();
    fs::write(fixture.project(), "ask: [x]").unwrap();
    let first = fixture.current().unwrap();
    for _ in 0..3 {
        assert!(Arc::ptr_eq(&first, &fixture.current().unwrap()));
    }
}

#[test]
fn a_file_that_breaks_keeps_its_last_good_version() {
    let fixture = Fixture::new();
    for file in [fixture.user.clone(), fixture.project()] {
        fs::write(&file, "limits: {max_file_size: 9MB}").unwrap();
        assert_eq!(fixture.size(), 9);
        for broken in ["limits: {max_file_size: 9MB", "limits: {max_file_size: 8MB}\ndurabilty: full"] {
            fs::write(&file, broken).unwrap();
            assert_eq!(fixture.size(), 9);
            let warnings = fixture.warnings();
            assert_eq!(warnings.len(), 2, "{warnings:#?}");
            assert!(warnings[0].starts_with(&format!("{}:", file.display())), "{warnings:#?}");
            assert!(warnings[1].ends_with("clada keeps using its last valid version."));
        }
        fs::write(&file, "limits: {max_file_size: 7MB}").unwrap();
        assert_eq!(fixture.size(), 7);
        assert_eq!(fixture.warnings(), [""; 0]);
        fs::remove_file(&file).unwrap();
        assert_eq!(fixture.size(), 10);
    }
}

#[test]
fn a_file_that_was_never_good_blocks_until_it_is_mended() {
    let fixture = Fixture::new();
    for file in [fixture.user.clone(), fixture.project()] {
        fs::write(&file, "limits: {max_file_size: 9MB}\ndenid: [x]").unwrap();
        let fresh = ConfigStore::new(Inputs { user_file: Some(fixture.user.clone()), ..Inputs::default() });
        let layer = ProjectLayer::new(&fixture.root);
        let error = fresh.current(Some(&layer)).unwrap_err();
        assert_eq!(error.problems.len(), 1);
        assert!(
            error.to_string().contains(":2:1: `denid` is not a key. Perhaps you mean `denied`."),
            "{error}"
        );
        // Nothing of it counts, not even the readable part.
        assert_eq!(fresh.lenient(Some(&layer)).limits.max_file_size, 10 << 20);
        let shown = fresh.for_call(&CallSettings::new()).show(Some(&layer));
        assert_eq!(shown.warnings.len(), 2);
        assert!(
            shown.warnings[1].contains("until you correct it, clada reads and changes no file of a project")
        );
        fs::write(&file, "limits: {max_file_size: 9MB}").unwrap();
        assert_eq!(fresh.current(Some(&layer)).unwrap().limits.max_file_size, 9 << 20);
        fs::remove_file(&file).unwrap();
    }
}

#[test]
fn absence_is_no_version_to_go_back_to() {
    let fixture = Fixture::new();
    for file in [fixture.user.clone(), fixture.project()] {
        assert_eq!(fixture.size(), 10);
        fs::write(&file, "denied: [x").unwrap();
        assert!(fixture.current().is_err());
        fs::write(&file, "denied: [x]").unwrap();
        assert!(fixture.current().is_ok());
        // Saved by emptying or removing it first; the text written then is broken.
        fs::write(&file, "").unwrap();
        assert!(fixture.current().is_ok());
        fs::write(&file, "denied: [x").unwrap();
        assert!(fixture.current().is_err());
        fs::remove_file(&file).unwrap();
        assert!(fixture.current().is_ok());
    }
}

#[test]
fn a_project_that_sets_what_is_the_daemons_blocks_itself_and_no_other() {
    let fixture = Fixture::new();
    fs::write(fixture.project(), "denied: [x]\ndaemon: {log_level: trace}").unwrap();
    let error = fixture.current().unwrap_err();
    assert!(
        error.to_string().contains("config.yaml:2:21: a project cannot set `daemon.log_level`"),
        "{error}"
    );
    assert!(fixture.store.current(None).is_ok());
    assert!(fixture.store.current(Some(&ProjectLayer::new(Path::new("/nonexistent")))).is_ok());
}

#[test]
fn a_project_that_was_good_may_become_one_that_widens() {
    let fixture = Fixture::new();
    fs::write(&fixture.user, "limits: {max_file_size: 50MB}").unwrap();
    fs::write(fixture.project(), "limits: {max_file_size: 40MB}").unwrap();
    assert_eq!(fixture.size(), 40);
    fs::write(&fixture.user, "limits: {max_file_size: 30MB}").unwrap();
    assert_eq!(fixture.size(), 30);
    let warnings = fixture.warnings();
    assert!(warnings.len() == 1 && warnings[0].contains("40MB is more than 30MB"), "{warnings:?}");
    fs::write(&fixture.user, "limits: {max_file_size: 60MB}").unwrap();
    assert_eq!(fixture.size(), 40);
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
    let fixture = Fixture::new();
    let refused = |why: &str| {
        let store = ConfigStore::new(Inputs::default());
        let error = store.current(Some(&ProjectLayer::new(&fixture.root))).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    };
    let elsewhere = fixture.root.join("elsewhere.yaml");
    fs::write(&elsewhere, "denied: [x]").unwrap();
    std::os::unix::fs::symlink(&elsewhere, fixture.project()).unwrap();
    refused("is a symbolic link");
    fs::remove_file(fixture.project()).unwrap();
    fs::create_dir(fixture.project()).unwrap();
    refused("it is not a regular file");
    fs::remove_dir(fixture.project()).unwrap();
    fs::remove_dir(fixture.root.join(".clada")).unwrap();
    std::os::unix::fs::symlink(&fixture.root, fixture.root.join(".clada")).unwrap();
    refused("is a symbolic link");
    fs::remove_file(fixture.root.join(".clada")).unwrap();
    fs::write(fixture.root.join(".clada"), "").unwrap();
    assert!(fixture.current().is_ok());
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_does_not_hang() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let fixture = Fixture::new();
    mknodat(CWD, fixture.project(), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(fixture.current().unwrap_err().to_string().contains("it is not a regular file"));
    mknodat(CWD, &fixture.user, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    assert!(fixture.current().unwrap_err().to_string().contains("it is not a regular file"));
}

#[test]
fn the_users_file_may_be_a_link() {
    let fixture = Fixture::new();
    let elsewhere = fixture.root.join("dotfile");
    fs::write(&elsewhere, "limits: {max_file_size: 9MB}").unwrap();
    std::os::unix::fs::symlink(&elsewhere, &fixture.user).unwrap();
    assert_eq!(fixture.size(), 9);
    fs::write(&elsewhere, "limits: {max_file_size: 8MB}").unwrap();
    assert_eq!(fixture.size(), 8);
}

#[test]
fn large_files_and_foreign_encodings_are_refused() {
    let fixture = Fixture::new();
    fs::write(fixture.project(), "#".repeat((1 << 20) + 1)).unwrap();
    let error = fixture.current().unwrap_err().to_string();
    assert!(error.contains("it is larger than 1 MB. Shorten it."), "{error}");
    fs::write(fixture.project(), "#".repeat(1 << 20)).unwrap();
    assert!(fixture.current().is_ok());
    fs::remove_file(fixture.project()).unwrap();
    fs::write(&fixture.user, b"ask: [a]\ndenied: [\xff]").unwrap();
    let fresh = ConfigStore::new(Inputs { user_file: Some(fixture.user.clone()), ..Inputs::default() });
    let error = fresh.current(None).unwrap_err().to_string();
    assert!(error.contains("line 2 is not UTF-8. Save it as UTF-8."), "{error}");
    fs::write(&fixture.user, "\u{feff}limits: {max_file_size: 9MB}\r\n").unwrap();
    assert_eq!(fixture.size(), 9);
}

#[test]
fn a_project_that_was_forgotten_is_read_again() {
    let fixture = Fixture::new();
    fs::write(fixture.project(), "limits: {max_file_size: 9MB}").unwrap();
    assert_eq!(fixture.size(), 9);
    for _ in 0..3 {
        let again = ProjectLayer::new(&fixture.root);
        assert_eq!(fixture.store.current(Some(&again)).unwrap().limits.max_file_size, 9 << 20);
    }
    assert_eq!(fixture.size(), 9);
}

#[test]
fn many_may_ask_at_once() {
    let fixture = Fixture::new();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    assert!(matches!(fixture.size(), 8..=10));
                }
            });
        }
        for size in [9, 8, 9, 8] {
            let next = fixture.root.join("next");
            fs::write(&next, format!("limits: {{max_file_size: {size}MB}}")).unwrap();
            fs::rename(&next, fixture.project()).unwrap();
        }
    });
    assert_eq!(fixture.size(), 8);
}

/// Trusts the files that it is given.
#[derive(Debug, Clone, Default)]
struct TrustedTexts(Arc<std::sync::Mutex<Vec<blake3::Hash>>>);

impl Trusting for TrustedTexts {
    fn trusts(&self, _root: &Path, hash: &blake3::Hash) -> bool {
        self.0.lock().unwrap().contains(hash)
    }
}

#[test]
fn what_widens_is_in_force_while_exactly_this_file_is_trusted() {
    let (mut fixture, trusted_texts) = (Fixture::new(), TrustedTexts::default());
    fixture.store = fixture.store.trusting(Box::new(trusted_texts.clone()));
    assert!(fixture.store.project_file(&fixture.layer).is_none());
    let text = "limits: {max_file_size: 20MB, grep_line: 1kB}\nexec: {writable: [~/cache]}\n";
    fs::write(fixture.project(), text).unwrap();
    // The narrowing settings are in force meanwhile.
    let before = fixture.current().unwrap();
    assert_eq!((before.limits.max_file_size, before.limits.grep_line), (10 << 20, 1 << 10));
    assert!(before.exec_writable.is_empty());
    assert_eq!(fixture.warnings().len(), 2);
    let file = fixture.store.project_file(&fixture.layer).unwrap();
    assert_eq!((file.text.as_str(), file.trusted, file.problems.len()), (text, false, 0));
    let keys: Vec<&str> = file.widens.iter().filter_map(|problem| problem.key.as_deref()).collect();
    assert_eq!(keys, ["limits.max_file_size", "exec.writable"]);

    trusted_texts.0.lock().unwrap().push(file.hash);
    let trusted = fixture.current().unwrap();
    assert_eq!((trusted.limits.max_file_size, trusted.limits.grep_line), (20 << 20, 1 << 10));
    assert_eq!(trusted.exec_writable, [fixture.user.ancestors().nth(3).unwrap().join("cache")]);
    assert_eq!(fixture.warnings(), [""; 0]);
    assert!(Arc::ptr_eq(&trusted, &fixture.current().unwrap()));
    assert!(fixture.store.project_file(&fixture.layer).unwrap().trusted);

    // A changed byte makes another file; the trusted text is trusted again when it comes back.
    fs::write(fixture.project(), format!("{text}#")).unwrap();
    assert_eq!(fixture.size(), 10);
    assert!(!fixture.store.project_file(&fixture.layer).unwrap().trusted);
    fs::write(fixture.project(), text).unwrap();
    assert_eq!(fixture.size(), 20);
    // Revoked trust ends at once.
    trusted_texts.0.lock().unwrap().clear();
    assert_eq!(fixture.size(), 10);
    // A broken file is not in force, trusted or not.
    fs::write(fixture.project(), format!("{text}nonsense: 1\n")).unwrap();
    let file = fixture.store.project_file(&fixture.layer).unwrap();
    trusted_texts.0.lock().unwrap().push(file.hash);
    assert_eq!((fixture.size(), file.problems.len()), (10, 1));
}
