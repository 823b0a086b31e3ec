//! The record of an operation is what happened, and after a kill recovery finds out how far it came.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use clada_fs::{Call, Faults, is_temp_name};
use clada_journal::{
    Change, JournalRegistry, Net, OperationDetails, OperationKind, OperationStatus, ProjectJournal, State,
    net,
};
use clada_schema::{ActionDefinition, ActionType, Format, ParameterType, definitions};
use proptest::prelude::*;

use super::*;
use crate::{LeftBehind, recover};

/// The entry at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum DiskEntry {
    File(Vec<u8>, u32),
    Link(PathBuf),
    Folder,
}

type Snapshot = BTreeMap<PathBuf, DiskEntry>;

fn snapshot(root: &Path) -> Snapshot {
    let mut found = Snapshot::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, metadata) = (entry.path(), entry.metadata().unwrap());
            let what = if metadata.is_symlink() {
                DiskEntry::Link(std::fs::read_link(&path).unwrap())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                DiskEntry::Folder
            } else {
                DiskEntry::File(std::fs::read(&path).unwrap(), metadata.permissions().mode() & 0o7777)
            };
            found.insert(path.strip_prefix(root).unwrap().to_path_buf(), what);
        }
    }
    found
}

/// Returns true if `state` says that this entry is, or was, there. What is kept of a content has to be at
/// hand.
fn says(state: &State, entry: Option<&DiskEntry>, journal: &ProjectJournal) -> bool {
    match (state, entry) {
        (State::Missing, None) | (State::Folder(_), Some(DiskEntry::Folder)) => true,
        (State::Link(target), Some(DiskEntry::Link(found))) => target == found.as_os_str().as_encoded_bytes(),
        (State::Large(identity), Some(DiskEntry::File(bytes, _))) => identity.size == bytes.len() as u64,
        (State::File { hash, metadata }, Some(DiskEntry::File(bytes, mode))) => {
            let image = journal.with(|journal| journal.image(hash)).unwrap();
            metadata.as_ref().is_none_or(|metadata| metadata.mode == *mode)
                && *hash == blake3::hash(bytes)
                && image.is_none_or(|image| *image == **bytes)
        }
        _ => false,
    }
}

struct Recorded {
    _state: tempfile::TempDir,
    journal: ProjectJournal,
}

impl Recorded {
    fn new(project: &Project) -> Recorded {
        let state = tempfile::tempdir().unwrap();
        let journal = JournalRegistry::new(state.path().to_path_buf()).journal(&project.root);
        Recorded { _state: state, journal }
    }

    fn journal_writer(&self, id: &str) -> JournalWriter {
        let operation = clada_journal::Operation {
            id: id.to_owned(),
            kind: OperationKind::Execute,
            began: 1,
            status: OperationStatus::Applying,
            summary: String::new(),
            undoes: None,
            undone_by: None,
            committed: None,
            outline: clada_journal::Outline::default(),
        };
        JournalWriter::new(self.journal.clone(), operation, OperationDetails::default())
    }

    fn carry_out(&self, project: &Project, id: &str, answer: Answer) -> ExecutionResult {
        let journal_writer = self.journal_writer(id);
        let result =
            project.operate_with(&journal_writer, |operation| operation.execute(answer, RunUntil::Done));
        journal_writer.finish(None, result.success).unwrap();
        result
    }

    fn changes(&self, id: &str) -> Vec<(Change, Option<bool>)> {
        self.journal.if_exists(|journal| journal.changes(id)).unwrap().unwrap_or_default()
    }

    fn net(&self, id: &str) -> Vec<Net> {
        let changes = self.changes(id);
        net(changes.iter().filter(|(_, made)| *made == Some(true)).map(|(change, _)| change))
    }

    /// The record of operation `id` leads from one tree to the other, and says nothing else.
    #[track_caller]
    fn assert_leads(&self, id: &str, before: &Snapshot, after: &Snapshot) {
        let net = self.net(id);
        let mut rest = before.clone();
        for net in &net {
            let path = &net.place.relative;
            assert!(says(&net.before, before.get(path), &self.journal), "{net:?} {:?}", before.get(path));
            assert!(says(&net.after, after.get(path), &self.journal), "{net:?} {:?}", after.get(path));
            let needs_image = matches!(net.before, State::File { .. });
            if let (true, State::File { hash, .. }) = (needs_image, &net.before) {
                assert!(self.journal.with(|journal| journal.image(hash)).unwrap().is_some(), "{net:?}");
            }
            match after.get(path) {
                Some(entry) => drop(rest.insert(path.clone(), entry.clone())),
                None => drop(rest.remove(path)),
            }
        }
        assert_eq!(&rest, after, "changes that are not put down: {net:#?}");
    }
}

const FILES: [&str; 9] = ["a", "b", "d/a", "d/b", "e/f/c", "link", "large", "name", "k/name"];
const FOLDERS: [&str; 5] = ["d", "e", "e/f", "g", "g/h"];

fn any_action() -> impl Strategy<Value = Fields> {
    let path = || proptest::sample::select(FILES.to_vec());
    let folder = || proptest::sample::select(FOLDERS.to_vec());
    let text = || proptest::sample::select(vec!["", "one\n", "two\n", "three\nlines\nhere\n"]);
    prop_oneof![
        3 => (path(), text()).prop_map(|(path, text)| file_write(path, text)),
        2 => path().prop_map(|path| replace(path, "one", "two")),
        1 => path().prop_map(|path| action("file_append", &[("path", path), ("content", "more\n")])),
        2 => path().prop_map(file_delete),
        3 => (path(), path()).prop_map(|(from, to)| file_move(from, to)),
        1 => folder().prop_map(|path| action("dir_create", &[("path", path)])),
        1 => folder().prop_map(|path| action("dir_delete", &[("path", path)])),
        1 => path().prop_map(|path| action("file_read", &[("path", path)])),
        1 => Just(action(
            "files_replace_all_text",
            &[("paths", "a\nb\nd/a"), ("old_text", "one"), ("new_text", "1")]
        )),
        3 => action_of_schema(),
    ]
}

/// Any action of the schema that changes files, with the parameters that it must have.
fn action_of_schema() -> impl Strategy<Value = Fields> {
    let changing = |action: &&ActionDefinition| action.action_type == ActionType::Write && action.available;
    let actions: Vec<&ActionDefinition> = definitions().iter().filter(changing).collect();
    let picks = proptest::collection::vec(any::<proptest::sample::Index>(), 8);
    (proptest::sample::select(actions), picks).prop_map(|(action, picks)| {
        let required = action.parameters.iter().filter(|parameter| parameter.required);
        let values = required.zip(&picks).map(|(parameter, pick)| {
            let value = match (parameter.parameter_type, parameter.format) {
                (_, Some(Format::AbsolutePath)) => *pick.get(&[&FILES[..], &FOLDERS].concat()),
                (_, Some(Format::MultilineAbsolutePaths)) => "a\nb\nd/a",
                (ParameterType::String, None) => pick.get(&["", "one", "two\n"]),
                (ParameterType::Integer | ParameterType::Count, None) => "1",
                (ParameterType::Boolean, None) => "true",
                (ParameterType::Enum, None) => pick.get(&parameter.values),
            };
            (parameter.name.as_str(), value.to_owned())
        });
        std::iter::once(("action", action.name.clone())).chain(values).collect()
    })
}

fn any_project() -> impl Strategy<Value = Vec<(usize, &'static str)>> {
    let text = proptest::sample::select(vec!["one\n", "two\n", "one\r\ntwo", ""]);
    proptest::collection::vec((0..5_usize, text), 0..5)
}

fn project_of(files: &[(usize, &str)]) -> Project {
    let mut project = Project::new();
    project.rules.max_file_size = 100;
    project.approvals = Approvals::all();
    for (index, text) in files {
        project.write(FILES[*index], text);
    }
    project.write("large", &"x".repeat(200));
    std::os::unix::fs::symlink("nowhere", project.root.join("link")).unwrap();
    std::fs::create_dir_all(project.root.join("g")).unwrap();
    // Two names of one file: a change of either is a rename for each.
    project.write("name", "one\n");
    std::fs::create_dir(project.root.join("k")).unwrap();
    std::fs::hard_link(project.root.join("name"), project.root.join("k/name")).unwrap();
    project
}

/// Lets everything that changes anything fail from the call number `after` on; the first of them as if the
/// process ended there.
fn killed(after: usize) -> Faults {
    let calls = Arc::new(AtomicUsize::new(0));
    Faults::injected(move |call| {
        if matches!(call, Call::Lock) {
            return None;
        }
        let number = calls.fetch_add(1, Ordering::Relaxed);
        if number == after {
            // No message and no backtrace, which would take longer than the operation.
            std::panic::resume_unwind(Box::new("killed"));
        }
        (number > after).then_some(rustix::io::Errno::IO)
    })
}

/// Does `work` without what it says when it is killed.
fn quietly<T>(work: impl FnOnce() -> T) -> std::thread::Result<T> {
    std::panic::catch_unwind(AssertUnwindSafe(work))
}

fn temporary_files(root: &Path) -> Vec<PathBuf> {
    let of_clada = |path: &PathBuf| path.file_name().is_some_and(is_temp_name);
    snapshot(root).into_keys().filter(of_clada).collect()
}

/// Kills an operation at call `at[0]` and its recovery at call `at[1]`; what the next recovery says is what
/// happened. Returns true if the operation was over before.
fn check_kill(files: &[(usize, &str)], actions: &[Fields], at: [usize; 2]) -> bool {
    let mut project = project_of(files);
    let recorded = Recorded::new(&project);
    let before = snapshot(&project.root);
    project.options.faults = killed(at[0]);
    let journal_writer = recorded.journal_writer("1");
    // If there are fewer calls, the process ended when all was done and nothing of that recorded yet.
    let is_over = quietly(|| {
        project.operate_with(&journal_writer, |operation| operation.execute(answer(actions), RunUntil::Done))
    })
    .is_ok();
    // Recovery may be cut off as well.
    project.options.faults = killed(at[1]);
    let _ =
        quietly(|| recover(&recorded.journal, &project.roots(), &project.roots(), None, LeftBehind::Nothing));
    project.options.faults = Faults::default();
    recover(&recorded.journal, &project.roots(), &project.roots(), None, LeftBehind::Nothing).unwrap();
    assert!(
        recover(&recorded.journal, &project.roots(), &project.roots(), None, LeftBehind::Nothing)
            .unwrap()
            .is_empty()
    );
    assert_eq!(temporary_files(&project.root), Vec::<PathBuf>::new());
    let now = snapshot(&project.root);
    recorded.assert_leads("1", &before, &now);
    for (change, made) in recorded.changes("1") {
        assert!(made.is_some(), "{:?} is not known", change);
    }
    let status = recorded.journal.if_exists(|journal| journal.operation("1")).unwrap().flatten();
    assert!(status.is_none_or(|operation| operation.status == OperationStatus::Interrupted));
    is_over
}

/// Has call `which` of an operation fail. Returns true if there are fewer calls.
fn check_error(files: &[(usize, &str)], actions: &[Fields], which: usize) -> bool {
    let mut project = project_of(files);
    let recorded = Recorded::new(&project);
    let before = snapshot(&project.root);
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let fails = move |_| (counted.fetch_add(1, Ordering::Relaxed) == which).then_some(rustix::io::Errno::IO);
    project.options.faults = Faults::injected(fails);
    recorded.carry_out(&project, "1", answer(actions));
    recorded.assert_leads("1", &before, &snapshot(&project.root));
    calls.load(Ordering::Relaxed) <= which
}

/// Every kind of change, and every call of each: the kill and the error.
#[test]
fn a_fault_at_any_call_leaves_what_is_recorded() {
    let files = [(0, "one\n"), (1, "two\n"), (2, "one\r\ntwo"), (4, "one\n")];
    let actions = [
        replace("a", "one", "two"),
        file_write("new/deep/file", "three\nlines\n"),
        file_move("b", "d/b"),
        file_move("e/f/c", "d/a"),
        file_delete("link"),
        action("dir_create", &[("path", "x/y")]),
        action("dir_delete", &[("path", "g")]),
        file_write("large", "small\n"),
        action("file_append", &[("path", "d/b"), ("content", "more\n")]),
        replace("name", "one", "two"),
    ];
    let mut killed_at = 0;
    while !check_kill(&files, &actions, [killed_at, killed_at % 4]) {
        killed_at += 1;
    }
    let mut failed_at = 0;
    while !check_error(&files, &actions, failed_at) {
        failed_at += 1;
    }
    assert!(killed_at > 15 && failed_at > 15, "{killed_at} kills, {failed_at} errors");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: clada_test_extent::cases(16, 64), ..ProptestConfig::default() })]

    #[test]
    fn what_is_put_down_is_what_happened(
        files in any_project(),
        actions in proptest::collection::vec(any_action(), 1..10),
    ) {
        let project = project_of(&files);
        let recorded = Recorded::new(&project);
        let before = snapshot(&project.root);
        recorded.carry_out(&project, "1", answer(&actions));
        let after = snapshot(&project.root);
        recorded.assert_leads("1", &before, &after);
        let listed = recorded.journal.if_exists(|journal| journal.list(9)).unwrap().unwrap_or_default();
        prop_assert_eq!(listed.is_empty(), recorded.changes("1").is_empty());
    }

    #[test]
    fn what_fails_in_the_middle_is_not_put_down_as_done(
        files in any_project(),
        actions in proptest::collection::vec(any_action(), 1..8),
        which in 0..40_usize,
    ) {
        check_error(&files, &actions, which);
    }

    #[test]
    fn after_a_kill_it_is_known_what_was_done(
        files in any_project(),
        actions in proptest::collection::vec(any_action(), 1..8),
        after in 0..24_usize,
        again in 0..4_usize,
    ) {
        check_kill(&files, &actions, [after, again]);
    }
}

/// The second move would have brought back what had never gone.
#[test]
fn regression_a_move_that_fails_has_not_made_what_stood_there() {
    let mut project = project_of(&[(4, "one\n")]);
    let recorded = Recorded::new(&project);
    let before = snapshot(&project.root);
    let calls = AtomicUsize::new(0);
    let fails = move |_| (calls.fetch_add(1, Ordering::Relaxed) == 0).then_some(rustix::io::Errno::IO);
    project.options.faults = Faults::injected(fails);
    let actions = [file_move("e/f/c", "d/b"), file_move("d/b", "e/f/c")];
    recorded.carry_out(&project, "1", answer(&actions));
    assert_eq!(snapshot(&project.root), before);
    recorded.assert_leads("1", &before, &before);
    assert_eq!(recorded.net("1").len(), 0);
}
