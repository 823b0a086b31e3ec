//! Operations and their journal, through the engine: checks what is left when the daemon that made them is
//! gone.

#![allow(clippy::disallowed_methods, reason = "projects and stores are set up, and damaged, by hand")]

mod watching;

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use clada_apply::Stop;
use clada_config::{ConfigStore, Inputs, Settings};
use clada_fs::{Identity, PathPolicy, RootLock, Verdict};
use clada_journal::{Journal, OperationKind, OperationStatus};
use clada_protocol::{
    ActionStatus, ErrorKind, ExecuteParams, ExecutionResult, HistoryListParams, UndoParams, UndoResult,
};

use super::*;

/// Seconds since 1970 by the tests' clock.
static CLOCK: AtomicU64 = AtomicU64::new(1_700_000_000);

struct World {
    _dir: tempfile::TempDir,
    root: PathBuf,
    state: PathBuf,
    engine: Arc<Engine>,
}

impl World {
    fn new() -> World {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let (root, state) = (base.join("project"), base.join("state"));
        std::fs::create_dir(&root).unwrap();
        let engine = engine(&state);
        World { _dir: dir, root, state, engine }
    }

    /// Replaces the engine by one as a new daemon would have it.
    fn restart(&mut self) {
        self.engine = engine(&self.state);
    }

    /// Returns a request about the project that nothing stops.
    fn request(&self) -> ProjectRequest {
        self.request_of(Arc::new(Unasked))
    }

    fn request_of(&self, context: Arc<dyn RequestContext>) -> ProjectRequest {
        self.engine.request(&self.params().root, context).unwrap()
    }

    fn params(&self) -> ExecuteParams {
        ExecuteParams { root: self.root.to_string_lossy().into_owned(), ..ExecuteParams::default() }
    }

    fn apply(&self, text: &str) -> ExecutionResult {
        self.apply_with(text, &self.params())
    }

    fn apply_with(&self, text: &str, params: &ExecuteParams) -> ExecutionResult {
        self.request().execute(text, params).unwrap().result
    }

    fn text(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.root.join(name)).ok()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.root.join(name), text).unwrap();
    }

    fn journal(&self) -> clada_journal::ProjectJournal {
        self.request().project().journal().clone()
    }

    fn store(&self) -> PathBuf {
        clada_journal::path(&self.state, &self.root)
    }

    fn operations(&self) -> Vec<clada_journal::Operation> {
        self.journal().if_exists(|journal| journal.list(100)).unwrap().unwrap_or_default()
    }

    fn undo(&self, operation: &str) -> Result<UndoResult, RpcError> {
        let (root, operation) = (self.params().root, Some(operation.to_owned()));
        self.request()
            .undo(&UndoParams { root, operation, force: true, ..UndoParams::default() }, Direction::Back)
    }
}

fn engine(state: &Path) -> Arc<Engine> {
    let config = ConfigStore::new(Inputs::default());
    let clock = || SystemTime::UNIX_EPOCH + Duration::from_secs(CLOCK.load(Ordering::Relaxed));
    let engine = Engine::new(
        config,
        Environment {
            state: state.to_path_buf(),
            home: None,
            configuration: None,
            temporary: Vec::new(),
            programs: Vec::new(),
            scratch: state.join("scratch"),
            umask: 0o022,
            now: clock,
            runner: None,
            private: clada_exec::Private::default(),
            socket_folder: None,
            undetected_agents: None,
            is_replaced: || false,
        },
    );
    Arc::new(engine)
}

/// Returns an answer that writes these files, one block each.
fn writing(files: &[(&str, &str)]) -> String {
    let block = |(path, content): &(&str, &str)| {
        format!(
            "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_write\"\npath = \"{path}\"\n\
             content = {}\n#!END_SHAM_k7m\n\n",
            serde_json::Value::from(*content)
        )
    };
    files.iter().map(block).collect()
}

fn appending(path: &str, content: &str) -> String {
    writing(&[(path, content)]).replace("file_write", "file_append")
}

fn kinds(result: &ExecutionResult) -> Vec<Option<ErrorKind>> {
    result.results.iter().map(|result| result.kind).collect()
}

fn warned(result: &ExecutionResult, of: &str) -> bool {
    result.warnings.iter().any(|warning| warning.message.contains(of))
}

const DONE: Option<ErrorKind> = None;
const ALREADY: Option<ErrorKind> = Some(ErrorKind::AnswerAlreadyApplied);

#[test]
fn what_stands_of_an_answer_is_not_applied_twice() {
    let mut world = World::new();
    world.write("log", "");
    let text = writing(&[("a", "1"), ("b", "1")]) + &appending("log", "line");
    assert_eq!(kinds(&world.apply(&text)), [DONE; 3]);
    world.restart();
    let again = world.apply(&text);
    assert_eq!(kinds(&again), [ALREADY; 3]);
    assert!(again.success && again.results.iter().all(|result| result.status == ActionStatus::Skip));
    let error = again.results[2].error.as_deref().unwrap();
    assert!(error.starts_with("file_append: Already applied at 2023-11-14T22:"), "{error}");
    assert_eq!(world.operations().len(), 1, "an operation that changes nothing is not put down");
    // A file whose content no longer holds is applied again, and then all of it holds.
    world.write("b", "mine");
    assert_eq!(kinds(&world.apply(&text)), [ALREADY, DONE, ALREADY]);
    assert_eq!(kinds(&world.apply(&text)), [ALREADY; 3]);
    assert_eq!((world.text("b").as_deref(), world.text("log").as_deref()), (Some("1"), Some("line")));
    // Another answer is another answer, and a dry run says the same and changes nothing.
    assert_eq!(kinds(&world.apply(&(text.clone() + "\nSo far.\n"))), [DONE; 3]);
    let dry = ExecuteParams { dry_run: true, ..world.params() };
    assert_eq!(kinds(&world.apply_with(&text, &dry)), [ALREADY, ALREADY, DONE]);
    let everything = ExecuteParams { again: true, ..world.params() };
    assert_eq!(kinds(&world.apply_with(&text, &everything)), [DONE; 3]);
    assert_eq!(world.text("log").as_deref(), Some("linelineline"));
}

#[test]
fn an_answer_that_only_looks_runs_again() {
    let world = World::new();
    world.write("a", "1");
    let text = "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_read\"\npath = \"a\"\n#!END_SHAM_k7m\n";
    for _ in 0..2 {
        assert_eq!(kinds(&world.apply(text)), [DONE]);
    }
    assert!(!world.state.exists(), "nothing was changed, so nothing is put down");
}

#[test]
fn an_undo_makes_clada_forget_that_an_answer_was_applied() {
    let world = World::new();
    world.write("a", "0");
    let text = writing(&[("a", "1")]);
    let first = world.apply(&text);
    let undone = world.undo(&first.operation_id).unwrap();
    assert!(undone.success, "{undone:?}");
    assert_eq!(world.text("a").as_deref(), Some("0"));
    let operations = world.operations();
    assert_eq!(operations[0].id, undone.operation_id);
    assert_eq!(operations[0].undoes.as_deref(), Some(first.operation_id.as_str()));
    assert_eq!(operations[1].undone_by.as_ref(), Some(&undone.operation_id));
    assert_eq!(kinds(&world.apply(&text)), [DONE]);
}

#[test]
fn what_was_left_undone_is_found_after_a_restart() {
    let mut world = World::new();
    world.write("b", "0");
    let replace = "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_replace_text\"\npath = \"b\"\n\
                   old_text = \"one\"\nnew_text = \"two\"\n#!END_SHAM_k7m\n";
    let text = writing(&[("a", "1")]) + replace;
    let first = world.apply(&text);
    assert_eq!(kinds(&first), [DONE, Some(ErrorKind::NoMatch)]);
    world.restart();
    world.write("b", "one");
    let params = world.params();
    for id in [first.operation_id.as_str(), "last"] {
        let left = world.request().left_by(id).unwrap();
        let dry = ExecuteParams { dry_run: true, ..params.clone() };
        let rest = world.request().resume(&left, &dry).unwrap().result;
        assert_eq!(rest.results.iter().map(|result| result.task.as_str()).collect::<Vec<_>>(), ["2"]);
    }
    let left = world.request().left_by("last").unwrap();
    assert_eq!(kinds(&world.request().resume(&left, &params).unwrap().result), [DONE]);
    assert_eq!(world.text("b").as_deref(), Some("two"));
    let none = world.request().left_by("0000").unwrap_err();
    assert_eq!(none.kind(), Some(ErrorKind::OperationNotFound));
    // The resumed operation was of the same answer: all of it still holds.
    assert_eq!(kinds(&world.apply(&text)), [ALREADY; 2]);
}

#[test]
fn operations_are_in_the_order_of_the_record_when_the_clock_goes_back() {
    let mut world = World::new();
    let first = world.apply(&writing(&[("a", "1")])).operation_id;
    // An id begins with the milliseconds of its time: this one is of a far future.
    let future = format!("{:014x}{:04x}", 0x000f_ffff_ffff_ffff_u64, 1);
    let operation = clada_journal::Operation {
        id: future.clone(),
        kind: OperationKind::Execute,
        began: 0,
        status: OperationStatus::Done,
        summary: String::new(),
        undoes: None,
        undone_by: None,
        committed: None,
        outline: clada_journal::Outline::default(),
    };
    let begin = |journal: &mut Journal| {
        journal.begin(
            &operation,
            &[],
            &clada_journal::Images::default(),
            &clada_journal::OperationDetails::default(),
        )
    };
    world.journal().with(begin).unwrap();
    world.restart();
    let mut ids: Vec<String> =
        (0..3).map(|at| world.apply(&writing(&[("a", &at.to_string())])).operation_id).collect();
    let is_id = |id: &String| id.len() == 12 && id.bytes().all(|letter| (b'k'..=b'z').contains(&letter));
    assert!(ids.iter().chain([&first]).all(is_id), "{ids:?}");
    ids.splice(..0, [first, future]);
    ids.reverse();
    let listed: Vec<String> = world.operations().into_iter().map(|operation| operation.id).collect();
    assert_eq!(listed, ids, "the order is that of the record, whatever an id or the clock says");
}

/// Records an operation as a killed process leaves it: `made` files are written, the others are not.
fn cut_off(world: &World, id: &str, files: &[(&str, bool)]) {
    cut_off_in(world, &world.root, id, files);
}

/// Records an interrupted operation in another root, as [`cut_off`] does.
fn cut_off_in(world: &World, root: &Path, id: &str, files: &[(&str, bool)]) {
    let change = |(at, (name, _)): (usize, &(&str, bool))| clada_journal::Change {
        seq: at + 1,
        place: clada_journal::JournalPlace { root: root.to_path_buf(), relative: name.into() },
        before: clada_journal::State::Missing,
        after: clada_journal::State::File { hash: blake3::hash(b"new"), metadata: None },
        moved_from: None,
    };
    let changes: Vec<_> = files.iter().enumerate().map(change).collect();
    let operation = clada_journal::Operation {
        id: id.to_owned(),
        kind: OperationKind::Execute,
        began: 0,
        status: OperationStatus::Applying,
        summary: String::new(),
        undoes: None,
        undone_by: None,
        committed: None,
        outline: clada_journal::Outline::default(),
    };
    let begin = |journal: &mut Journal| {
        journal.begin(
            &operation,
            &changes,
            &clada_journal::Images::default(),
            &clada_journal::OperationDetails::default(),
        )
    };
    // The journal has all changes first; the files then have only some: the state in the middle of an
    // operation.
    world.journal().with(begin).unwrap();
    for (name, _) in files.iter().filter(|(_, made)| *made) {
        std::fs::write(root.join(name), "new").unwrap();
    }
    world.write(".clada-tmp-0123456789abcdef", "half a fi");
}

#[test]
fn an_operation_that_was_cut_off_is_seen_to_by_the_next() {
    let mut world = World::new();
    cut_off(&world, "00001", &[("a", true), ("b", false), ("c", false)]);
    world.write("c", "somebody else's");
    world.restart();
    let next = world.apply(&writing(&[("d", "1")]));
    assert!(next.success);
    assert!(warned(&next, "Operation 00001 was interrupted; it had done: created a;"), "{next:?}");
    assert!(warned(&next, "1 of its paths have changed since and are left alone, 'c' for example"));
    assert!(!world.root.join(".clada-tmp-0123456789abcdef").exists());
    assert_eq!(world.text("c").as_deref(), Some("somebody else's"));
    let found = world.operations();
    assert_eq!((found[1].status, found[1].summary.as_str()), (OperationStatus::Interrupted, "created a"));
    let made = world.journal().with(|journal| journal.changes("00001")).unwrap();
    assert_eq!(made.iter().map(|(_, made)| *made).collect::<Vec<_>>(), [Some(true), Some(false), None]);
    assert!(!warned(&world.apply(&writing(&[("d", "2")])), "interrupted"));
}

#[test]
fn regression_what_was_done_outside_of_the_project_is_found_out() {
    let mut world = World::new();
    let outside = world.root.parent().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let outside = outside.strip_prefix("/").unwrap().to_str().unwrap().to_owned();
    cut_off_in(
        &world,
        Path::new("/"),
        "00001",
        &[(&format!("{outside}/a"), true), (&format!("{outside}/b"), false)],
    );
    world.restart();
    assert!(world.apply(&writing(&[("d", "1")])).success);
    let made = world.journal().with(|journal| journal.changes("00001")).unwrap();
    assert_eq!(made.iter().map(|(_, made)| *made).collect::<Vec<_>>(), [Some(true), Some(false)]);
}

#[test]
fn a_daemon_that_starts_sees_to_what_was_cut_off() {
    let mut world = World::new();
    cut_off(&world, "00001", &[("a", true)]);
    world.restart();
    let roots = world.request().roots().unwrap().clone();
    let lock = RootLock::try_acquire(&roots, 0, &world.state).unwrap();
    world.engine.recover_all();
    assert_eq!(world.operations()[0].status, OperationStatus::Applying, "its process may be at work");
    drop(lock);
    world.engine.recover_all();
    assert_eq!(world.operations()[0].status, OperationStatus::Interrupted);
    assert!(!world.root.join(".clada-tmp-0123456789abcdef").exists());
    assert!(world.engine.record_warnings()[0].contains("00001 was interrupted"));
    assert!(warned(&world.apply(&writing(&[("d", "1")])), "00001 was interrupted"));
}

#[test]
fn a_command_of_which_nothing_can_be_found_out_is_told() {
    let mut world = World::new();
    cut_off(&world, "00001", &[("a", true)]);
    let operation = world.operations().remove(0);
    let records = clada_journal::SnapshotRecords { name: "log", after: None, records: &[] };
    let details = clada_journal::OperationDetails::default();
    let put = |journal: &mut Journal| journal.put_snapshot(&operation, b"no survey", records, &details);
    assert!(world.journal().with(put).unwrap());
    world.restart();
    let next = world.apply(&writing(&[("d", "1")]));
    assert!(next.success && warned(&next, "undo does not know what the command changed"));
    assert_eq!(world.operations().iter().filter(|found| found.id == "00001").count(), 1);
}

#[test]
fn a_damaged_record_is_set_aside_and_told() {
    let mut world = World::new();
    world.apply(&writing(&[("a", "1")]));
    world.restart();
    std::fs::write(
        world.store(),
        "this is no database, and long enough to be taken for the header of one, or not",
    )
    .unwrap();
    // A daemon that starts, and one that tidies up, reads all journals; no caller would see the warning.
    world.engine.recover_all();
    assert!(!world.store().with_file_name("operations.db.damaged-1").exists());
    let next = world.apply(&writing(&[("a", "2")]));
    assert!(next.success && warned(&next, "damaged"), "{next:?}");
    assert_eq!((world.text("a").as_deref(), world.operations().len()), (Some("2"), 1));
    assert!(world.engine.record_warnings()[0].contains("operations.db.damaged-1"));
    world.restart();
    std::fs::write(world.store(), "this is no database either, and as long as the one before it was")
        .unwrap();
    let listed =
        world.request().list_history(&HistoryListParams { root: world.params().root, limit: None }).unwrap();
    assert!(
        listed.operations.is_empty() && listed.warnings[0].contains("operations.db.damaged-2"),
        "{listed:?}"
    );
    let aside = world.store().with_file_name("operations.db.damaged-1");
    assert!(std::fs::read_to_string(aside).unwrap().starts_with("this is no database"));
}

#[test]
fn damage_deep_within_is_found_afterwards() {
    let mut world = World::new();
    let noise = |seed: usize| -> String {
        let hash = |at: usize| blake3::hash(&(seed * 1_000_000 + at).to_le_bytes()).to_hex().to_string();
        (0..200).map(hash).collect()
    };
    for at in 0..20 {
        world.apply(&writing(&[(&format!("f{at}"), &noise(at))]));
    }
    world.restart();
    let mut bytes = std::fs::read(world.store()).unwrap();
    let half = bytes.len() / 4096 / 2 * 4096;
    bytes[half..].fill(0x5a);
    std::fs::write(world.store(), bytes).unwrap();
    // As a killed process leaves it.
    let log = world.store().with_file_name("operations.db-wal");
    std::fs::write(&log, "x").unwrap();
    world.request().tidy();
    // The operation that sets it aside says so itself.
    assert!(!world.store().with_file_name("operations.db.damaged-1").exists());
    assert!(warned(&world.apply(&writing(&[("a", "1")])), "damaged"));
    assert!(world.store().with_file_name("operations.db.damaged-1").exists());
}

#[test]
fn regression_the_rest_of_an_undo_that_was_cut_off_is_done_the_same_way() {
    for (merge, way) in [(true, "--merge"), (false, "--force")] {
        let mut world = World::new();
        for name in ["a", "b"] {
            world.write(name, "1\n2\n3\n4\n5\n");
        }
        let text = "one\n2\n3\n4\n5\n";
        let id = world.apply(&writing(&[("a", text), ("b", text)])).operation_id;
        let mine = "one\n2\n3\n4\nmine\n";
        world.write("b", mine);
        let (root, operation) = (world.params().root, Some(id.clone()));
        let params = UndoParams { root, operation, merge, force: !merge, ..UndoParams::default() };
        world.request().undo(&params, Direction::Back).unwrap();
        let expected = (world.text("a"), world.text("b"));
        // As if it had been killed before the second file.
        let store = rusqlite::Connection::open(world.store()).unwrap();
        let cut = "UPDATE operations SET undone_by = NULL; \
                   UPDATE operations SET status = 'applying' WHERE undoes IS NOT NULL; \
                   UPDATE changes SET done = NULL WHERE operation IN \
                       (SELECT id FROM operations WHERE undoes IS NOT NULL)";
        store.execute_batch(cut).unwrap();
        drop(store);
        world.write("b", mine);
        world.restart();
        let history =
            world.request().list_history(&HistoryListParams { root: params.root.clone(), limit: None });
        let told = history.unwrap().warnings.join("\n");
        assert!(told.contains(&format!("`clada undo {id} {way}` does the rest")), "{told}");
        world.request().undo(&params, Direction::Back).unwrap();
        assert_eq!((world.text("a"), world.text("b")), expected);
    }
}

/// Makes the journal unreadable as damage does that SQLite does not see: interrupted operations cannot be
/// read, new ones could be written.
fn make_unreadable(world: &World) {
    let store = rusqlite::Connection::open(world.store()).unwrap();
    store.execute_batch("ALTER TABLE operations RENAME COLUMN undone_by TO undone").unwrap();
}

#[test]
fn regression_nothing_is_changed_on_top_of_a_record_that_cannot_be_read() {
    let mut world = World::new();
    world.apply(&writing(&[("a", "1")]));
    world.restart();
    make_unreadable(&world);
    let refused = world.apply(&writing(&[("a", "2")]));
    assert_eq!(kinds(&refused), [Some(ErrorKind::Io)]);
    let result = &refused.results[0];
    let (error, hint) = (result.error.as_deref().unwrap(), result.hint.as_deref().unwrap());
    assert!(error.contains("does not say what operations before have left") && hint.contains("--no-undo"));
    assert!(warned(&refused, "are not known"), "{:?}", refused.warnings);
    assert_eq!(world.text("a").as_deref(), Some("1"));
    let without = ExecuteParams { no_undo: true, ..world.params() };
    assert_eq!(kinds(&world.apply_with(&writing(&[("a", "2")]), &without)), [DONE]);
}

#[test]
fn regression_who_waits_for_a_project_is_told_of_a_record_that_cannot_be_read() {
    let mut world = World::new();
    world.apply(&writing(&[("a", "1")]));
    world.restart();
    let request = world.request();
    let held = request.lock(request.roots().unwrap()).unwrap();
    make_unreadable(&world);
    // It would wait for ever otherwise: no process finds the command of a dead daemon that may have the lock.
    let refused = world.request().execute(writing(&[("a", "2")]), &world.params()).unwrap_err();
    assert!(refused.message.contains("The record of operations"), "{refused:?}");
    assert!(refused.data.contains_key("hint"), "{refused:?}");
    drop(held);
}

#[test]
fn a_newer_record_is_not_written_to() {
    let mut world = World::new();
    world.apply(&writing(&[("a", "1")]));
    world.restart();
    rusqlite::Connection::open(world.store()).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let refused = world.apply(&writing(&[("a", "2")]));
    assert_eq!(kinds(&refused), [Some(ErrorKind::Io)]);
    let (error, hint) =
        (refused.results[0].error.as_deref().unwrap(), refused.results[0].hint.as_deref().unwrap());
    assert!(error.contains("newer version of clada") && hint.contains("--no-undo"), "{error} {hint}");
    assert_eq!(world.text("a").as_deref(), Some("1"));
    let without = ExecuteParams { no_undo: true, ..world.params() };
    assert_eq!(kinds(&world.apply_with(&writing(&[("a", "2")]), &without)), [DONE]);
    assert_eq!((world.text("a").as_deref(), world.operations().len()), (Some("2"), 1));
}

#[test]
fn a_full_medium_changes_nothing_and_what_undoes_gets_the_reserve() {
    let world = World::new();
    world.write("a", "0");
    let first = world.apply(&writing(&[("a", "1")]));
    world.request().tidy();
    let reserve = world.state.join("reserve");
    assert!(reserve.exists());
    world.journal().with(|journal| journal.fill_up()).unwrap();
    let noise: String =
        (0..2_000_u32).map(|at| blake3::hash(&at.to_le_bytes()).to_hex().to_string()).collect();
    let refused = world.apply(&writing(&[("a", &noise)]));
    assert_eq!(kinds(&refused), [Some(ErrorKind::NoSpace)], "{:?}", refused.results[0].error);
    assert_eq!((world.text("a").as_deref(), reserve.exists()), (Some("1"), true));
    world.write("a", &noise);
    let _ = world.undo(&first.operation_id);
    assert!(!reserve.exists());
}

#[test]
fn without_a_folder_of_state_the_record_is_in_the_project() {
    let mut world = World::new();
    // A file where the folder is to be: not even the superuser can make one in it.
    std::fs::write(&world.state, "").unwrap();
    assert_eq!(kinds(&world.apply(&writing(&[("a", "1")]))), [DONE]);
    let own = world.root.join(".clada/state");
    assert_eq!(std::fs::read_to_string(own.join(".gitignore")).unwrap(), "*\n");
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(clada_journal::path(&own, &world.root).exists());
    world.restart();
    assert_eq!(world.operations().len(), 1);
    // Nothing is followed out of the project.
    let outside = world.root.with_file_name("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::remove_dir_all(&own).unwrap();
    std::os::unix::fs::symlink(&outside, &own).unwrap();
    world.restart();
    let refused = world.apply(&writing(&[("a", "2")]));
    assert_eq!(kinds(&refused), [Some(ErrorKind::Io)]);
    assert!(std::fs::read_dir(&outside).unwrap().next().is_none());
    assert_eq!(world.text("a").as_deref(), Some("1"));
}

#[test]
fn a_record_that_is_removed_while_it_is_open_is_begun_anew() {
    let world = World::new();
    world.apply(&writing(&[("a", "1")]));
    std::fs::remove_dir_all(&world.state).unwrap();
    assert_eq!(kinds(&world.apply(&writing(&[("a", "2")]))), [DONE]);
    assert!(world.store().exists());
    assert_eq!(world.operations().len(), 1);
}

#[test]
fn old_operations_are_forgotten_and_the_last_ones_never() {
    let world = World::new();
    for at in 0..30 {
        world.apply(&writing(&[("a", &format!("{at}"))]));
    }
    let keep = |operations, bytes| clada_journal::Retention { operations, bytes };
    world.journal().retain(keep(25, u64::MAX)).unwrap();
    let left = world.operations();
    assert_eq!(left.len(), 25);
    let image = |text: &str| {
        let hash = blake3::hash(text.as_bytes());
        world.journal().with(|journal| journal.image(&hash)).unwrap().is_some()
    };
    assert!(!image("3") && image("4") && image("29"));
    world.journal().retain(keep(1, 0)).unwrap();
    assert_eq!(world.operations(), left[..20]);
    assert!(!image("8") && image("9"));
}

#[test]
fn what_takes_too_much_goes_from_the_oldest_of_all_projects() {
    let mut world = World::new();
    let noise = |seed: usize| -> String {
        (0..4_000)
            .map(|at: usize| blake3::hash(&(seed * 10_000 + at).to_le_bytes()).to_hex().to_string())
            .collect()
    };
    for at in 0..25 {
        CLOCK.fetch_add(1, Ordering::Relaxed);
        world.apply(&writing(&[("a", &noise(at))]));
    }
    let first = world.operations().len();
    let other = world.root.with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    let old = std::mem::replace(&mut world.root, other);
    for at in 0..25 {
        CLOCK.fetch_add(1, Ordering::Relaxed);
        world.apply(&writing(&[("a", &noise(100 + at))]));
    }
    let used = |world: &World| -> u64 {
        let files = world.engine.projects.journals().files().into_iter();
        files.map(|file| Journal::open_file(&file).unwrap().used_bytes().unwrap()).sum()
    };
    let room = used(&world) - 300_000;
    world.journal().retain(clada_journal::Retention { operations: 200, bytes: room }).unwrap();
    assert!(used(&world) <= room);
    assert_eq!(world.operations().len(), 25, "the other project's are older");
    world.root = old;
    assert!((20..first).contains(&world.operations().len()));
}

#[test]
fn two_engines_work_in_one_project() {
    let world = World::new();
    let other = engine(&world.state);
    for at in 0..4 {
        let text = writing(&[("a", &at.to_string())]);
        let engine = if at % 2 == 0 { &world.engine } else { &other };
        let request = engine.request(&world.params().root, Arc::new(Unasked)).unwrap();
        assert!(request.execute(text.as_str(), &world.params()).unwrap().result.success);
    }
    assert_eq!(world.operations().len(), 4);
    let request = other.request(&world.params().root, Arc::new(Unasked)).unwrap();
    let already = request.execute(writing(&[("a", "3")]), &world.params()).unwrap().result;
    assert_eq!(kinds(&already), [ALREADY]);
}

#[test]
fn a_file_too_large_to_be_kept_is_told_by_its_identity() {
    let identity = |size| {
        let time = clada_fs::Timestamp { seconds: 1, nanoseconds: 0 };
        Identity { dev: 1, ino: 1, size, mtime: time, ctime: time }
    };
    let moved = Identity { ctime: clada_fs::Timestamp { seconds: 2, nanoseconds: 0 }, ..identity(1) };
    let large = clada_journal::State::Large;
    assert!(
        clada_journal::is_same_state(&large(moved), &large(identity(1)))
            && !clada_journal::is_same_state(&large(identity(2)), &large(identity(1)))
    );
}

#[test]
fn what_is_only_kept_in_case_goes_when_it_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let engine = engine(dir.path());
    let kept = engine.vocabularies();
    let vocabularies = std::sync::Arc::downgrade(&kept);
    engine.give_back();
    assert!(vocabularies.upgrade().is_some(), "what is in use stays");
    drop(kept);
    assert!(vocabularies.upgrade().is_none());
    let root = dir.path().join("project");
    git2::Repository::init(&root).unwrap();
    let repository = clada_git::GitRepository::open(&root, None).unwrap().unwrap();
    let request = engine.request(root.to_str().unwrap(), Arc::new(Unasked)).unwrap();
    request.project().keep_repository(repository);
    assert_eq!(engine.projects.give_back(), 1);
    assert_eq!(engine.projects.give_back(), 0);
}

/// A process that writes to a file as soon as the operation has.
struct Meddling(PathBuf);

impl RequestContext for Meddling {
    fn stop(&self) -> Option<Stop> {
        if std::fs::read_to_string(&self.0).is_ok_and(|text| text.trim_end() == "1") {
            std::fs::write(&self.0, "theirs\n").unwrap();
        }
        None
    }

    fn waiting(&self) {}
}

#[test]
fn regression_a_path_that_somebody_else_changed_is_named_once() {
    let world = World::new();
    let answer = writing(&[("a", "1")]) + &appending("./a", "2");
    let request = world.request_of(Arc::new(Meddling(world.root.join("a"))));
    let result = request.execute(answer.as_str(), &world.params()).unwrap().result;
    assert_eq!(kinds(&result), [DONE, Some(ErrorKind::Conflict)], "{result:#?}");
    assert_eq!(result.external_changes.len(), 1, "{result:#?}");
    assert_eq!(world.text("a").as_deref(), Some("theirs\n"));
}

/// Leads `link` to `target`, wherever it led before.
fn lead(link: &Path, target: &Path) {
    let _ = std::fs::remove_file(link);
    std::os::unix::fs::symlink(target, link).unwrap();
}

#[test]
fn regression_a_root_that_is_led_elsewhere_while_a_request_waits_is_a_conflict() {
    let world = World::new();
    let (link, other) = (world.root.with_file_name("link"), world.root.with_file_name("other"));
    std::fs::create_dir(&other).unwrap();
    lead(&link, &world.root);
    let request = || world.engine.request(link.to_str().unwrap(), Arc::new(Unasked)).unwrap();
    assert!(request().execute(writing(&[("a", "1")]), &world.params()).unwrap().result.success);
    let id = world.operations()[0].id.clone();
    let (executing, undoing) = (request(), request());
    lead(&link, &other);
    // Neither is the other folder changed under the journal of this one, nor this one under another's name.
    let error = executing.execute(writing(&[("b", "1")]), &world.params()).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Conflict), "{error:?}");
    let params = UndoParams { root: world.params().root, operation: Some(id), ..UndoParams::default() };
    let error = undoing.undo(&params, Direction::Back).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::Conflict), "{error:?}");
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 0);
    assert_eq!((world.text("a").as_deref(), world.text("b")), (Some("1"), None));
}

#[test]
fn regression_a_projects_settings_are_its_own_by_whatever_name_it_was_opened() {
    let world = World::new();
    let (link, other) = (world.root.with_file_name("link"), world.root.with_file_name("other"));
    std::fs::create_dir_all(world.root.join(".clada")).unwrap();
    std::fs::create_dir(&other).unwrap();
    world.write(".clada/config.yaml", "denied: [\"private/**\"]\n");
    lead(&link, &world.root);
    let denied = |request: ProjectRequest| {
        let done = request.execute(writing(&[("private/a", "1")]), &world.params()).unwrap().result;
        assert_eq!(kinds(&done), [Some(ErrorKind::PathDenied)], "{done:#?}");
    };
    denied(world.engine.request(link.to_str().unwrap(), Arc::new(Unasked)).unwrap());
    lead(&link, &other);
    denied(world.request());
    std::fs::remove_file(&link).unwrap();
    denied(world.request());
}

/// A home folder may be a project: what sandboxes hide of it is a secret in one, too. The folders of three tools are
/// edited in projects every day; of these only what holds their keys is.
#[test]
fn regression_what_sandboxes_hide_at_home_is_a_secret_of_a_project() {
    let settings = Settings::default();
    let policy = PathPolicy::new(&clada_apply::policy_globs(&settings)).unwrap();
    let home = Path::new("/home/x");
    let is_kept = |path: &Path| {
        let relative = path.strip_prefix(home).unwrap();
        matches!(policy.verdict_for_read(relative, &[path]), Verdict::Deny(..))
    };
    let edited = [".docker", ".codex", ".gemini"].map(|name| home.join(name));
    for path in clada_exec::secrets(home).into_iter().filter(|path| !edited.contains(path)) {
        assert!(is_kept(&path) || is_kept(&path.join("x")), "{}", path.display());
    }
    for name in
        [".docker/config.json", ".codex/auth.json", "sub/.gemini/oauth_creds.json", "prod.env", "a/x.tfvars"]
    {
        assert!(is_kept(&home.join(name)), "{name}");
    }
    for name in
        [".docker/Dockerfile", ".codex/config.toml", "environment.ts", "secrets.ts", "docs/credentials.md"]
    {
        assert!(!is_kept(&home.join(name)), "{name}");
    }
}
