//! Carries out answers on real files, and undoes them.
#![allow(clippy::disallowed_methods, reason = "tests lay out files as a person does")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use clada_config::{ConfigStore, Inputs};
use clada_protocol::{
    ChangeKind, CheckpointBeginParams, CheckpointEndParams, ErrorKind, ExecuteParams, ExecutionResult,
    HistoryListParams, HistoryShowParams, RpcError, UndoParams, UndoResult,
};
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

mod descriptors;
mod reserve;
mod rights;

use super::Direction;
use crate::engine::{Engine, Environment, ProjectRequest, Unasked};

/// An engine with a project of its own.
struct Place {
    _top: TempDir,
    root: PathBuf,
    engine: Arc<Engine>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    File(String, u32),
    Link(PathBuf),
    Folder(u32),
}

impl Place {
    fn new() -> Place {
        Place::with(&[])
    }

    fn with(variables: &[(&str, &str)]) -> Place {
        let top = tempfile::tempdir().unwrap();
        let folder = top.path().canonicalize().unwrap();
        let root = folder.join("project");
        std::fs::create_dir(&root).unwrap();
        let pair = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
        let variables = [("CLADA_DURABILITY", "fast")].into_iter().chain(variables.iter().copied()).map(pair);
        let config = ConfigStore::new(Inputs::from_environment(variables));
        let environment = Environment {
            state: folder.join("state"),
            home: None,
            configuration: None,
            temporary: Vec::new(),
            programs: Vec::new(),
            scratch: folder.join("scratch"),
            umask: 0o022,
            now: SystemTime::now,
            runner: None,
            private: clada_exec::Private::default(),
            socket_folder: None,
            undetected_agents: None,
            is_replaced: || false,
        };
        Place { _top: top, root, engine: Arc::new(Engine::new(config, environment)) }
    }

    fn request(&self) -> ProjectRequest {
        self.engine.request(&self.root(), Arc::new(Unasked)).unwrap()
    }

    fn root(&self) -> String {
        self.root.to_str().unwrap().to_owned()
    }

    fn lay(&self, path: &str, content: &str) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    fn text(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(path)).ok()
    }

    fn apply(&self, answer: &Answer) -> ExecutionResult {
        let params = ExecuteParams { root: self.root(), again: true, ..ExecuteParams::default() };
        self.request().execute(answer.0.as_str(), &params).unwrap().result
    }

    fn back(&self, way: Direction, params: UndoParams) -> Result<UndoResult, RpcError> {
        self.request().undo(&UndoParams { root: self.root(), ..params }, way)
    }

    fn undo(&self) -> Result<UndoResult, RpcError> {
        self.back(Direction::Back, UndoParams::default())
    }

    fn redo(&self) -> Result<UndoResult, RpcError> {
        self.back(Direction::Forward, UndoParams::default())
    }

    fn named(&self, operation: &str) -> Result<UndoResult, RpcError> {
        self.back(
            Direction::Back,
            UndoParams { operation: Some(operation.to_owned()), ..UndoParams::default() },
        )
    }

    /// Begins a checkpoint, has `change` change the project, and ends it.
    fn record(&self, change: impl FnOnce()) -> ExecutionResult {
        let params = CheckpointBeginParams { root: self.root(), ..CheckpointBeginParams::default() };
        let begun = self.request().begin_checkpoint(&params).unwrap();
        change();
        let params = CheckpointEndParams {
            root: self.root(),
            checkpoint: Some(begun.checkpoint),
            ..CheckpointEndParams::default()
        };
        self.request().end_checkpoint(&params).unwrap()
    }

    fn force(&self) -> Result<UndoResult, RpcError> {
        self.back(Direction::Back, UndoParams { force: true, ..UndoParams::default() })
    }

    /// Returns everything that is in it.
    fn tree(&self) -> BTreeMap<PathBuf, Entry> {
        fn add(root: &Path, folder: &Path, tree: &mut BTreeMap<PathBuf, Entry>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = path.symlink_metadata().unwrap();
                let mode = metadata.permissions().mode() & 0o7777;
                let found = if metadata.is_symlink() {
                    Entry::Link(std::fs::read_link(&path).unwrap())
                } else if metadata.is_dir() {
                    add(root, &path, tree);
                    Entry::Folder(mode)
                } else {
                    Entry::File(String::from_utf8(std::fs::read(&path).unwrap()).unwrap(), mode)
                };
                tree.insert(path.strip_prefix(root).unwrap().to_owned(), found);
            }
        }
        let mut tree = BTreeMap::new();
        add(&self.root, &self.root, &mut tree);
        tree
    }
}

/// An answer in SHAM.
#[derive(Debug, Clone, Default)]
struct Answer(String, usize);

impl Answer {
    fn action(mut self, name: &str, parameters: &[(&str, &str)]) -> Answer {
        let id = format!("{:04x}", self.1);
        self.1 += 1;
        self.0.push_str(&format!("#!SHAM [@three-char-SHA-256: {id}]\naction = {}\n", Value::from(name)));
        for (key, value) in parameters {
            self.0.push_str(&format!("{key} = {}\n", Value::from(*value)));
        }
        self.0.push_str(&format!("#!END_SHAM_{id}\n"));
        self
    }

    fn write(self, path: &str, content: &str) -> Answer {
        self.action("file_write", &[("path", path), ("content", content)])
    }

    fn rename(self, from: &str, to: &str) -> Answer {
        self.action("file_move", &[("old_path", from), ("new_path", to)])
    }

    fn one(self, name: &str, path: &str) -> Answer {
        self.action(name, &[("path", path)])
    }
}

const PATHS: [&str; 9] = ["a", "b", "c", "d", "d/e", "d/f", "d/f/g", "a/h", "b/i"];
const TEXTS: [&str; 4] = ["", "one\r\ntwo\nthree\r", "one\ntwo\n", "ünï\ncode"];

#[derive(Debug, Clone)]
enum Laid {
    File(usize, usize, bool),
    Link(usize),
    Folder(usize, bool),
}

fn laid() -> impl Strategy<Value = Laid> {
    let path = 0..PATHS.len();
    prop_oneof![
        4 => (path.clone(), 0..TEXTS.len(), any::<bool>())
            .prop_map(|(path, text, run)| Laid::File(path, text, run)),
        1 => path.clone().prop_map(Laid::Link),
        3 => (path, any::<bool>()).prop_map(|(path, private)| Laid::Folder(path, private)),
    ]
}

fn lay(place: &Place, laid: &Laid) {
    let at = |path: usize| place.root.join(PATHS[path]);
    let set = |path: &Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    // A path that cannot be laid out is left out.
    match *laid {
        Laid::File(path, text, run)
            if at(path).symlink_metadata().is_err() && std::fs::write(at(path), TEXTS[text]).is_ok() =>
        {
            set(&at(path), if run { 0o750 } else { 0o640 });
        }
        Laid::Link(path) => drop(std::os::unix::fs::symlink("nowhere", at(path))),
        Laid::Folder(path, private) if std::fs::create_dir(at(path)).is_ok() => {
            set(&at(path), if private { 0o700 } else { 0o775 });
        }
        _ => {}
    }
}

fn action(answer: Answer, kind: usize, path: usize, other: usize, text: usize) -> Answer {
    let (path, other, text) = (PATHS[path], PATHS[other], TEXTS[text]);
    match kind {
        0 | 1 => answer.write(path, text),
        2 => answer.one("file_delete", path),
        3 | 4 => answer.rename(path, other),
        5 => answer.one("dir_create", path),
        6 => answer.one("dir_delete", path),
        7 => answer.action("file_append", &[("path", path), ("content", "more\r\n")]),
        _ => answer
            .action("file_replace_text", &[("path", path), ("old_text", "one"), ("new_text", "uno\nONE")]),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clada_test_extent::cases(16, 48)))]

    #[test]
    fn apply_then_undo_is_the_identity(
        laid in proptest::collection::vec(laid(), 0..14),
        actions in proptest::collection::vec((0..9_usize, 0..9_usize, 0..9_usize, 0..4_usize), 1..14),
    ) {
        let place = Place::new();
        laid.iter().for_each(|laid| lay(&place, laid));
        let before = place.tree();
        let answer = actions.iter().fold(Answer::default(), |answer, (kind, path, other, text)| {
            action(answer, *kind, *path, *other, *text)
        });
        place.apply(&answer);
        let after = place.tree();
        match place.undo() {
            Ok(undone) => prop_assert!(undone.success, "{undone:#?}"),
            Err(error) => {
                prop_assert_eq!(error.kind(), Some(ErrorKind::OperationNotFound), "{}", error);
                prop_assert_eq!(&before, &after);
                return Ok(());
            }
        }
        prop_assert_eq!(place.tree(), before.clone());
        let redone = place.redo();
        prop_assert!(redone.is_ok(), "{redone:?}");
        let redone = redone.unwrap();
        prop_assert!(redone.success, "{redone:#?}");
        prop_assert_eq!(place.tree(), after);
        prop_assert!(place.undo().unwrap().success);
        prop_assert_eq!(place.tree(), before);
    }
}

#[test]
fn undo_walks_back_and_redo_forward() {
    let place = Place::new();
    for text in ["1\n", "2\n", "3\n"] {
        assert!(place.apply(&Answer::default().write("a", text)).success);
    }
    let mut seen = Vec::new();
    for way in [Direction::Back, Direction::Back, Direction::Forward, Direction::Back, Direction::Back] {
        place.back(way, UndoParams::default()).unwrap();
        seen.push(place.text("a"));
    }
    let expected = [Some("2\n"), Some("1\n"), Some("2\n"), Some("1\n"), None];
    assert_eq!(seen, expected.map(|text| text.map(str::to_owned)));
    assert_eq!(place.undo().unwrap_err().kind(), Some(ErrorKind::OperationNotFound));
    place.redo().unwrap();
    assert!(place.apply(&Answer::default().write("b", "new\n")).success);
    let error = place.redo().unwrap_err();
    assert!(error.message.contains("was applied after the last undo"), "{error}");
}

#[test]
fn what_was_changed_since_is_named_with_who_changed_it() {
    let place = Place::new();
    place.lay("a", "1\n");
    let first = place.apply(&Answer::default().write("a", "2\n").write("b", "2\n")).operation_id;
    let second = place.apply(&Answer::default().write("a", "3\n")).operation_id;
    std::fs::write(place.root.join("b"), "mine\n").unwrap();
    let before = place.tree();
    let error = place.named(&first).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Conflict));
    let conflicts = error.data["conflicts"].as_array().unwrap();
    assert_eq!(conflicts.len(), 2, "{error}");
    let first_letters =
        error.to_string().split("undo operation ").nth(1).unwrap().split(' ').next().unwrap().to_owned();
    assert!(second.starts_with(&first_letters) && first_letters.len() >= 3, "{error}");
    assert!(error.message.contains("Nothing was modified"), "{error}");
    assert_eq!(place.tree(), before);
}

#[test]
fn regression_a_redo_is_not_blamed_for_what_was_changed_after_it() {
    let place = Place::new();
    place.lay("a", "1\n");
    place.apply(&Answer::default().write("a", "2\n"));
    for _ in 0..2 {
        place.undo().unwrap();
        place.redo().unwrap();
    }
    std::fs::write(place.root.join("a"), "mine\n").unwrap();
    let error = place.undo().unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Conflict));
    assert!(error.message.ends_with("/a' has changed since. Nothing was modified."), "{error}");
    assert!(error.to_string().contains("--merge keeps later changes of text"), "{error}");
}

#[test]
fn a_merge_keeps_both_and_force_overwrites_what_can_be_brought_back() {
    let place = Place::new();
    place.lay("a", "1\n2\n3\n4\n5\n");
    let id = place.apply(&Answer::default().write("a", "one\n2\n3\n4\n5\n")).operation_id;
    place.lay("a", "one\n2\n3\n4\nfive\n");
    assert_eq!(place.undo().unwrap_err().kind(), Some(ErrorKind::Conflict));
    let merge = UndoParams { merge: true, ..UndoParams::default() };
    let dry = place.back(Direction::Back, UndoParams { dry_run: true, ..merge.clone() }).unwrap();
    assert!(dry.dry_run.unwrap().diff.contains("-one\n+1\n"));
    assert_eq!(place.text("a").unwrap(), "one\n2\n3\n4\nfive\n");
    let merged = place.back(Direction::Back, merge.clone()).unwrap();
    assert!(merged.changes[0].merged);
    assert_eq!(place.text("a").unwrap(), "1\n2\n3\n4\nfive\n");
    place.redo().unwrap();

    place.lay("a", "ONE\n2\n3\n4\n5\n");
    let error = place.back(Direction::Back, merge).unwrap_err();
    assert!(error.to_string().contains("cannot be merged"), "{error}");
    let force = UndoParams { force: true, operation: Some(id), ..UndoParams::default() };
    let forced = place.back(Direction::Back, force).unwrap();
    assert_eq!(place.text("a").unwrap(), "1\n2\n3\n4\n5\n");
    place.named(&forced.operation_id).unwrap();
    assert_eq!(place.text("a").unwrap(), "ONE\n2\n3\n4\n5\n");
}

#[test]
fn regression_what_a_file_runs_as_comes_back() {
    let place = Place::new();
    for (name, mode) in [("edited", 0o4755), ("deleted", 0o6750)] {
        place.lay(name, "1\n");
        std::fs::set_permissions(place.root.join(name), PermissionsExt::from_mode(mode)).unwrap();
    }
    let before = place.tree();
    assert!(place.apply(&Answer::default().write("edited", "2\n").one("file_delete", "deleted")).success);
    let after = place.tree();
    assert_eq!(
        after[Path::new("edited")],
        Entry::File("2\n".into(), 0o755),
        "nothing of a model's runs as somebody"
    );
    for _ in 0..2 {
        assert!(place.undo().unwrap().success);
        assert_eq!(place.tree(), before);
        assert!(place.redo().unwrap().success);
        assert_eq!(place.tree(), after);
    }
}

#[test]
fn what_is_moved_back_stays_the_same_file() {
    let place = Place::with(&[("CLADA_LIMITS_MAX_FILE_SIZE", "1KB")]);
    place.lay("big", &"x".repeat(5_000));
    place.lay("a", "a\n");
    let number = |path: &str| std::fs::metadata(place.root.join(path)).unwrap().ino();
    let before = (number("big"), number("a"));
    let swap = Answer::default().rename("a", "t").rename("big", "x/y/a").rename("t", "big");
    assert!(place.apply(&swap).success);
    let undone = place.undo().unwrap();
    assert!(undone.success, "{undone:#?}");
    assert_eq!((number("big"), number("a")), before);
    assert_eq!(place.tree().len(), 2);
}

#[test]
fn regression_names_of_one_file_stay_names_of_one_file() {
    let place = Place::new();
    place.lay("a", "1\n");
    place.lay("d/e", "2\n");
    std::fs::hard_link(place.root.join("a"), place.root.join("d/b")).unwrap();
    let number = |path: &str| std::fs::metadata(place.root.join(path)).unwrap().ino();
    let is_one = || number("a") == number("d/b") && number("a") != number("d/e");
    let before = place.tree();
    let answer = Answer::default().write("d/e", "x\n").write("a", "x\n");
    assert!(place.apply(&answer).success && is_one());
    let after = place.tree();
    assert!(before != after && place.text("d/b") == place.text("a"));
    for (way, tree) in [(Direction::Back, &before), (Direction::Forward, &after), (Direction::Back, &before)]
    {
        let result = place.back(way, UndoParams::default()).unwrap();
        assert!(result.success && is_one() && place.tree() == *tree, "{result:#?}");
    }
}

#[test]
fn files_of_others_in_a_folder_stay_and_are_told() {
    let place = Place::new();
    assert!(place.apply(&Answer::default().write("d/e/a", "1\n")).success);
    place.lay("d/mine", "mine\n");
    let undone = place.undo().unwrap();
    assert!(undone.success && undone.warnings[0].contains("/d' stays"), "{undone:#?}");
    assert_eq!(place.tree().keys().map(|path| path.to_str().unwrap()).collect::<Vec<_>>(), ["d", "d/mine"]);
}

#[test]
fn no_link_on_the_way_is_followed() {
    let place = Place::new();
    place.lay("d/a", "1\n");
    assert!(place.apply(&Answer::default().write("d/a", "2\n").write("d/b", "2\n")).success);
    let outside = place.root.parent().unwrap().join("outside");
    std::fs::rename(place.root.join("d"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, place.root.join("d")).unwrap();
    for force in [false, true] {
        let params = UndoParams { force, ..UndoParams::default() };
        let error = place.back(Direction::Back, params).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::Conflict), "{error}");
    }
    assert_eq!(std::fs::read_to_string(outside.join("a")).unwrap(), "2\n");
}

#[test]
fn secrets_are_restored_and_not_shown() {
    let place = Place::new();
    place.lay(".env", "KEY=old\n");
    assert!(place.apply(&Answer::default().write(".env", "KEY=new\n").write("a", "1\n")).success);
    let params =
        HistoryShowParams { root: place.root(), operation: "last".into(), diff: true, parameters: false };
    let shown = place.request().show_history(&params).unwrap();
    let diff = shown.diff.unwrap();
    assert!(diff.contains("a secret is not shown") && diff.contains("+1") && !diff.contains("KEY"), "{diff}");
    place.undo().unwrap();
    assert_eq!(place.text(".env").unwrap(), "KEY=old\n");
}

#[test]
fn what_was_undone_by_hand_is_noted() {
    let place = Place::new();
    assert!(place.apply(&Answer::default().write("a", "1\n")).success);
    assert!(place.apply(&Answer::default().write("b", "1\n")).success);
    std::fs::remove_file(place.root.join("b")).unwrap();
    let undone = place.undo().unwrap();
    assert!(undone.success && undone.changes.is_empty(), "{undone:#?}");
    place.undo().unwrap();
    assert_eq!(place.tree(), BTreeMap::new());
}

#[test]
fn history_tells_what_was_done() {
    let place = Place::new();
    let list = |limit| {
        let params = HistoryListParams { root: place.root(), limit };
        place.request().list_history(&params).unwrap()
    };
    assert_eq!(list(None).operations, Vec::new());
    place.lay("a", "1\n");
    place.apply(&Answer::default().rename("a", "b").write("c/d", "1\n"));
    let id = place.undo().unwrap().operation_id;
    let listed = list(None);
    let kinds: Vec<_> = listed.operations.iter().map(|operation| operation.kind.as_str()).collect();
    assert_eq!(kinds, ["undo", "execute"]);
    assert_eq!(listed.operations[1].undone_by.as_ref(), Some(&id));
    // An undo is an operation, too: there are two.
    assert!(list(Some(1)).more && !listed.more);
    let operation = listed.operations[1].operation_id.clone();
    let params = HistoryShowParams { root: place.root(), operation, diff: true, parameters: false };
    let shown = place.request().show_history(&params).unwrap();
    let told: Vec<_> = shown.changes.iter().map(|change| change.change).collect();
    assert_eq!(told, [ChangeKind::Moved, ChangeKind::FolderCreated, ChangeKind::Created]);
    assert!(shown.diff.unwrap().contains("rename from a\nrename to b"));
    let actions: Vec<_> = shown.actions.iter().map(|action| action.action.as_str()).collect();
    assert_eq!(actions, ["file_move", "file_write"]);
    assert_eq!(
        shown.actions[1].params.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        ["path"],
        "contents may be secrets"
    );
    let undo =
        HistoryShowParams { root: place.root(), operation: id.clone(), diff: false, parameters: false };
    assert_eq!(place.request().show_history(&undo).unwrap().actions, Vec::new());
    let error = place.named("nonsense").unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::OperationNotFound));
}

#[test]
fn an_operation_outside_of_the_project_is_taken_back_there() {
    let place = Place::new();
    let outside = place.root.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let answer = Answer::default().write(outside.join("a").to_str().unwrap(), "1\n");
    let params = ExecuteParams { root: place.root(), allow_escape: true, ..ExecuteParams::default() };
    assert!(place.request().execute(answer.0.as_str(), &params).unwrap().result.success);
    assert!(outside.join("a").exists());
    let undone = place.undo().unwrap();
    assert!(undone.success && !outside.join("a").exists(), "{undone:#?}");
}

#[test]
fn regression_a_folder_that_is_made_twice_is_taken_back() {
    let place = Place::new();
    let again = Answer::default().one("dir_create", "d").one("dir_delete", "d").one("dir_create", "d");
    assert!(place.apply(&again).success);
    assert!(place.undo().unwrap().success);
    assert_eq!(place.tree(), BTreeMap::new());
}

#[test]
fn regression_a_folder_that_took_the_place_of_a_link_is_made_again() {
    let place = Place::new();
    std::os::unix::fs::symlink("nowhere", place.root.join("d")).unwrap();
    assert!(place.apply(&Answer::default().one("file_delete", "d").write("d/a", "1\n")).success);
    let after = place.tree();
    place.undo().unwrap();
    assert_eq!(place.tree(), BTreeMap::from([("d".into(), Entry::Link("nowhere".into()))]));
    place.redo().unwrap();
    assert_eq!(place.tree(), after);
}

/// Covers the old path of a move, in its description, its undo and its redo, as the bytes that it has.
#[test]
fn regression_a_move_from_a_name_that_is_no_text_has_its_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let odd = place.root.join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    if std::fs::write(&odd, "1\n").is_err() {
        return println!("not run: the file system takes only UTF-8 names");
    }
    let recorded = place.record(|| std::fs::rename(&odd, place.root.join("plain")).unwrap());
    let params = HistoryShowParams {
        root: place.root(),
        operation: recorded.operation_id,
        diff: false,
        parameters: false,
    };
    let moved = place.request().show_history(&params).unwrap().changes.remove(0);
    assert!(moved.change == ChangeKind::Moved && moved.from_bytes.is_some(), "{moved:?}");
    let undone = place.undo().unwrap().changes.remove(0);
    assert!(undone.path_bytes == moved.from_bytes && undone.from_bytes.is_none(), "{undone:?}");
    assert_eq!(place.redo().unwrap().changes.remove(0).from_bytes, moved.from_bytes);
}
