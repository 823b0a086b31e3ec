//! Tests that the journal returns what was recorded.

use std::path::Path;
use std::sync::Arc;

use clada_store::{Durable, StoreError};

use super::*;

fn operation(id: &str, status: OperationStatus) -> Operation {
    Operation {
        id: id.to_owned(),
        kind: OperationKind::Execute,
        began: 1_700_000_000_000,
        status,
        summary: "edited a.txt".to_owned(),
        undoes: None,
        undone_by: None,
        committed: None,
        outline: Outline::default(),
    }
}

fn open(state: &Path, root: &str) -> Journal {
    let opened = Journal::open(state, Path::new(root)).unwrap();
    assert_eq!(opened.set_aside, None);
    assert_eq!(opened.journal.root().unwrap().as_deref(), Some(Path::new(root)));
    opened.journal
}

fn at(relative: &str) -> JournalPlace {
    JournalPlace { root: "/r".into(), relative: relative.into() }
}

fn changes(images: &mut Images) -> Vec<Change> {
    let old = images.add(&Arc::from(&b"old text\n"[..]));
    let metadata =
        clada_fs::Metadata { mode: 0o755, uid: 1, gid: 2, xattrs: vec![(b"user.a".to_vec(), vec![0, 255])] };
    let new = blake3::hash(b"new");
    let file = State::File { hash: old, metadata: Some(metadata) };
    let change = |seq, place, before, after, moved_from| Change { seq, place, before, after, moved_from };
    vec![
        change(1, at("a.txt"), file.clone(), State::File { hash: new, metadata: None }, None),
        change(2, at("folder"), State::Missing, State::Folder(0o750), None),
        change(3, at("l"), State::Link(b"../x".to_vec()), State::Missing, None),
        change(3, at("folder/l"), State::Missing, State::Link(b"../x".to_vec()), Some(at("l"))),
    ]
}

#[test]
fn an_operation_is_what_was_recorded() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let mut images = Images::default();
    let (first, second) = {
        let mut all = changes(&mut images);
        let rest = all.split_off(1);
        (all, rest)
    };
    let applying = operation("0001", OperationStatus::Applying);
    let details = OperationDetails {
        answer: Some([7; 32]),
        request: Some(Compressed::json(&())),
        ..OperationDetails::default()
    };
    journal.begin(&applying, &first, &images, &details).unwrap();
    journal.begin(&applying, &second, &Images::default(), &details).unwrap();
    assert_eq!(journal.unfinished().unwrap(), [applying]);

    // A second connection sees what the first one recorded.
    let mut again = open(state.path(), "/r");
    let found = again.changes("0001").unwrap();
    assert!(found.iter().all(|(_, done)| done.is_none()));
    assert_eq!(found.into_iter().map(|(change, _)| change).collect::<Vec<_>>(), [first, second].concat());
    let hash = blake3::hash(b"old text\n");
    assert_eq!(again.image(&hash).unwrap().as_deref(), Some(&b"old text\n"[..]));
    assert_eq!(again.image(&blake3::hash(b"new")).unwrap(), None);

    let position = |commit: &str| clada_protocol::HeadPosition { reference: None, commit: commit.to_owned() };
    let changed = ChangedSum { files: 3, first: "a.txt".to_owned(), added: 12, removed: 4 };
    let outline = Outline {
        title: Some("Parse dates".to_owned()),
        changed: Some(changed),
        head: Some(clada_protocol::HeadMove { from: position("1"), to: position("2") }),
    };
    let done = Operation { outline, ..operation("0001", OperationStatus::Done) };
    let late = change(2, "late", State::Missing, State::Folder(0o755));
    let completion = Completion {
        made_changes: &[true, false, true, true],
        added: &[late],
        whole: true,
        ..Completion::default()
    };
    again.finish(&done, &completion, &Images::default(), Some(b"[]")).unwrap();
    assert!(journal.unfinished().unwrap().is_empty());
    let made: Vec<_> = journal.changes("0001").unwrap().into_iter().map(|(_, done)| done).collect();
    assert_eq!(made, [Some(true), Some(false), Some(true), Some(true), Some(true)]);
    assert_eq!(
        journal.details("0001").unwrap(),
        OperationDetails { results: Some(b"[]".to_vec()), ..details }
    );
    assert_eq!(journal.for_answer(&[7; 32]).unwrap(), [done]);
}

#[test]
fn a_log_by_which_another_operation_has_to_be_recovered_stays() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let records = [(1, b"seen".to_vec())];
    let details = OperationDetails::default();
    let mut put = |id: &str, after: Option<&SnapshotLog>, records: &[(u64, Vec<u8>)]| {
        let records = SnapshotRecords { name: after.map_or(id, |log| &log.name), after, records };
        let put = journal.put_snapshot(&operation(id, OperationStatus::Applying), b"row", records, &details);
        (put.unwrap(), journal.snapshot_log().unwrap())
    };
    let first = SnapshotLog { name: "0001".to_owned(), last: 1 };
    assert_eq!(put("0001", None, &records), (true, Some(first.clone())));
    // It has not been recovered: its log stays when another one begins.
    let other = SnapshotLog { name: "0003".to_owned(), last: 1 };
    assert_eq!(put("0003", None, &records), (true, Some(other)));
    assert_eq!(journal.snapshot_record("0001", 1).unwrap().as_deref(), Some(&b"seen"[..]));
    journal.forget_snapshot("0003").unwrap();
    let mut put = |id: &str, after: Option<&SnapshotLog>, records: &[(u64, Vec<u8>)]| {
        let records = SnapshotRecords { name: after.map_or(id, |log| &log.name), after, records };
        let put = journal.put_snapshot(&operation(id, OperationStatus::Applying), b"row", records, &details);
        (put.unwrap(), journal.snapshot_log().unwrap())
    };
    // Its own next command begins its log again.
    assert_eq!(put("0001", None, &records), (true, Some(first.clone())));
    // Another operation may continue the log, but only from its current position.
    let next = SnapshotLog { last: 2, ..first.clone() };
    assert_eq!(put("0002", Some(&next), &[(3, Vec::new())]), (false, Some(first.clone())));
    assert_eq!(put("0002", Some(&first), &[(2, Vec::new())]), (true, Some(next)));
    journal.forget_snapshot("0001").unwrap();
    journal.forget_snapshot_log().unwrap();
    assert!(journal.snapshot_log().unwrap().is_some(), "another operation needs it");
    journal.forget_snapshot("0002").unwrap();
    journal.forget_snapshot_log().unwrap();
    assert_eq!(journal.snapshot_log().unwrap(), None);
}

/// Records an operation that is over.
fn put(journal: &mut Journal, operation: &Operation, details: &OperationDetails) {
    journal.begin(operation, &[], &Images::default(), details).unwrap();
    let whole = Completion { whole: true, ..Completion::default() };
    journal.finish(operation, &whole, &Images::default(), None).unwrap();
}

#[test]
fn an_undo_marks_the_operation_that_it_undoes_and_restores_the_one_that_this_undid() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let details = OperationDetails { answer: Some([7; 32]), ..OperationDetails::default() };
    put(&mut journal, &operation("0001", OperationStatus::Done), &details);
    for (id, undoes, expected) in [
        ("0002", "0001", [Some("0002"), None, None, None]),
        ("0003", "0002", [None, Some("0003"), None, None]),
        ("0004", "0003", [Some("0002"), None, Some("0004"), None]),
        ("0005", "0004", [None, Some("0003"), None, Some("0005")]),
    ] {
        let undo = Operation {
            kind: OperationKind::Undo,
            undoes: Some(undoes.to_owned()),
            ..operation(id, OperationStatus::Done)
        };
        put(&mut journal, &undo, &OperationDetails::default());
        let by = ["0001", "0002", "0003", "0004"]
            .map(|id| journal.operation(id).unwrap().and_then(|operation| operation.undone_by));
        assert_eq!(by.each_ref().map(Option::as_deref), expected, "{id}");
        assert_eq!(journal.for_answer(&[7; 32]).unwrap().is_empty(), expected[0].is_some());
    }
    assert_eq!(journal.list(1).unwrap()[0].id, "0005");
    assert_eq!(journal.operation("none").unwrap(), None);
    journal.discard("0005").unwrap();
    assert_eq!(journal.operation("0005").unwrap(), None);
}

#[test]
fn an_undo_of_a_part_leaves_the_operation_to_be_undone() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let details = OperationDetails::default();
    put(&mut journal, &operation("0001", OperationStatus::Done), &details);
    for (id, whole) in [("0002", false), ("0003", false), ("0004", true)] {
        let undo = Operation {
            kind: OperationKind::Undo,
            undoes: Some("0001".to_owned()),
            ..operation(id, OperationStatus::Done)
        };
        journal.begin(&undo, &[], &Images::default(), &details).unwrap();
        let completion = Completion { whole, ..Completion::default() };
        journal.finish(&undo, &completion, &Images::default(), None).unwrap();
        let undone_by = journal.operation("0001").unwrap().unwrap().undone_by;
        assert_eq!(undone_by.as_deref(), whole.then_some(id), "{id}");
    }
}

#[test]
fn an_unfinished_operation_is_not_forgotten() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let details = OperationDetails::default();
    put(&mut journal, &operation("0001", OperationStatus::Done), &details);
    let unfinished = operation("0002", OperationStatus::Applying);
    journal.begin(&unfinished, &[], &Images::default(), &details).unwrap();
    put(&mut journal, &operation("0003", OperationStatus::Done), &details);
    for id in ["0002", "0003"] {
        journal.forget_operations([id].into_iter()).unwrap();
        assert_eq!(journal.unfinished().unwrap(), std::slice::from_ref(&unfinished), "{id}");
    }
    assert_eq!(journal.list(9).unwrap(), [unfinished, operation("0001", OperationStatus::Done)]);
}

#[test]
fn projects_have_journals_of_their_own() {
    let state = tempfile::tempdir().unwrap();
    let mut one = open(state.path(), "/one");
    let two = open(state.path(), "/two");
    let done = operation("0001", OperationStatus::Done);
    put(&mut one, &done, &OperationDetails::default());
    assert_eq!((one.list(9).unwrap().len(), two.list(9).unwrap().len()), (1, 0));
}

fn text(content: &str) -> State {
    State::File { hash: blake3::hash(content.as_bytes()), metadata: None }
}

fn change(seq: usize, place: &str, before: State, after: State) -> Change {
    Change { seq, place: at(place), before, after, moved_from: None }
}

fn moved(seq: usize, from: &str, to: &str, what: &State) -> [Change; 2] {
    let gone = change(seq, from, what.clone(), State::Missing);
    let come = change(seq, to, State::Missing, what.clone());
    [gone, Change { moved_from: Some(at(from)), ..come }]
}

#[test]
fn recovery_derives_what_was_done_from_the_current_state() {
    let changes = [
        change(1, "a", text("1"), text("2")),
        change(2, "b", State::Missing, text("b")),
        change(3, "a", text("2"), text("3")),
        change(4, "f", State::Missing, State::Folder(0o755)),
    ];
    let outcomes = |a: &str, b: State, f: State| {
        let now = |place: &JournalPlace| match place.relative.to_str() {
            Some("a") => Some(text(a)),
            Some("b") => Some(b.clone()),
            _ => Some(f.clone()),
        };
        recovered(&changes, now)
    };
    use ChangeOutcome::{Applied, NotApplied, Unknown};
    assert_eq!(
        outcomes("1", State::Missing, State::Missing),
        [NotApplied, NotApplied, NotApplied, NotApplied]
    );
    assert_eq!(outcomes("2", text("b"), State::Missing), [Applied, Applied, NotApplied, NotApplied]);
    assert_eq!(outcomes("3", text("b"), State::Folder(0o700)), [Applied, Applied, Applied, Applied]);
    assert_eq!(recovered(&changes[..1], |_| None), [Unknown]);
    assert_eq!(outcomes("x", text("y"), State::Missing), [Unknown, Unknown, Unknown, NotApplied]);

    // The journal keeps what was found, also that nothing is known.
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let (applying, details) = (operation("0001", OperationStatus::Applying), OperationDetails::default());
    journal.begin(&applying, &changes, &Images::default(), &details).unwrap();
    journal.recovered("0001", &[Applied, Unknown, NotApplied, Applied], &[], "cut off").unwrap();
    let made: Vec<_> = journal.changes("0001").unwrap().into_iter().map(|(_, done)| done).collect();
    assert_eq!(made, [Some(true), None, Some(false), Some(true)]);
    let status = journal.operation("0001").unwrap().unwrap().status;
    assert_eq!(status, OperationStatus::Interrupted);
}

#[test]
fn regression_a_mode_shows_which_of_two_changes_was_made() {
    let file = |mode: u32| {
        let metadata = clada_fs::Metadata { mode, uid: 1, gid: 1, xattrs: Vec::new() };
        State::File { hash: blake3::hash(b"1"), metadata: Some(metadata) }
    };
    use ChangeOutcome::{Applied, NotApplied};
    // A file that is made executable.
    let one = [change(1, "a", file(0o644), file(0o755))];
    assert_eq!(recovered(&one, |_| Some(file(0o644))), [NotApplied]);
    assert_eq!(recovered(&one, |_| Some(file(0o755))), [Applied]);
    // Another process has changed it since: what was done counts.
    assert_eq!(recovered(&one, |_| Some(file(0o600))), [Applied]);
    // One that is moved here first.
    let moved = [change(1, "a", State::Missing, file(0o755)), change(2, "a", file(0o755), file(0o644))];
    assert_eq!(recovered(&moved, |_| Some(file(0o755))), [Applied, NotApplied]);
    assert_eq!(recovered(&moved, |_| Some(file(0o644))), [Applied, Applied]);
    // A folder that goes and is made again.
    let folder = |mode: u32| State::Folder(mode);
    let again =
        [change(1, "a", folder(0o755), State::Missing), change(2, "a", State::Missing, folder(0o700))];
    assert_eq!(recovered(&again, |_| Some(folder(0o755))), [NotApplied, NotApplied]);
    assert_eq!(recovered(&again, |_| Some(State::Missing)), [Applied, NotApplied]);
    assert_eq!(recovered(&again, |_| Some(folder(0o700))), [Applied, Applied]);
}

#[test]
fn a_text_that_came_back_was_never_changed() {
    let changes = [change(1, "a", text("1"), text("2")), change(2, "a", text("2"), text("1"))];
    assert_eq!(recovered(&changes, |_| Some(text("1"))), [ChangeOutcome::Applied, ChangeOutcome::Applied]);
    assert_eq!(net(&changes), []);
}

#[test]
fn the_net_of_changes_follows_moves() {
    let mut changes = vec![change(1, "a", text("1"), text("2"))];
    changes.extend(moved(2, "a", "b", &text("2")));
    changes.extend(moved(3, "b", "c", &text("2")));
    changes.push(change(4, "c", text("2"), text("3")));
    changes.push(change(5, "d", State::Missing, text("d")));
    let outcomes: Vec<_> =
        net(&changes).into_iter().map(|net| (net.place, net.before, net.after, net.came_from)).collect();
    let expected = [
        (at("a"), text("1"), State::Missing, None),
        (at("c"), State::Missing, text("3"), Some(at("a"))),
        (at("d"), State::Missing, text("d"), None),
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn what_is_swapped_came_from_each_other() {
    let mut changes: Vec<Change> = moved(1, "a", "t", &text("1")).into();
    changes.extend(moved(2, "b", "a", &text("2")));
    changes.extend(moved(3, "t", "b", &text("1")));
    let came: Vec<_> = net(&changes).into_iter().map(|net| (net.place, net.came_from)).collect();
    assert_eq!(came, [(at("a"), Some(at("b"))), (at("b"), Some(at("a")))]);
}

#[test]
fn a_summary_names_the_first_places_and_counts_the_others() {
    let mut changes = vec![change(1, "f", State::Missing, State::Folder(0o755))];
    assert_eq!(summary(&changes, None), "created f");
    changes.push(change(1, "a", text("1"), text("2")));
    assert_eq!(summary(&changes, None), "edited a");
    changes.extend(moved(2, "b", "c\n", &text("b")));
    assert_eq!(summary(&changes, None), "edited a and moved b to c\\n");
    changes.push(change(3, "d", text("d"), State::Missing));
    changes.push(change(4, "e", State::Missing, text("e")));
    changes.push(change(4, "g", State::Missing, text("g")));
    assert_eq!(summary(&changes, None), "edited a, moved b to c\\n, deleted d and 2 more");
    assert_eq!(summary(&[], None), "changed nothing");
    // What is in another root is named in full.
    let outside = JournalPlace { root: "/".into(), relative: "tmp/x".into() };
    let outside = Change { place: outside, ..changes[1].clone() };
    assert_eq!(summary(&[outside, changes[1].clone()], Some(Path::new("/r"))), "edited /tmp/x and edited a");
}

#[test]
fn regression_a_row_that_makes_no_sense_is_damage_and_not_nothing() {
    let state = tempfile::tempdir().unwrap();
    let with_row = |sql: &str| {
        let folder = tempfile::tempdir_in(state.path()).unwrap().keep();
        let mut journal = open(&folder, "/r");
        let mut images = Images::default();
        let changes = changes(&mut images);
        let done = operation("0001", OperationStatus::Done);
        journal.begin(&done, &changes, &images, &OperationDetails::default()).unwrap();
        let lost = ["gone".to_owned()];
        let completion =
            Completion { made_changes: &[true; 4], lost: &lost, whole: true, ..Completion::default() };
        journal.finish(&done, &completion, &images, None).unwrap();
        let records = SnapshotRecords { name: "log", after: None, records: &[(1, b"seen".to_vec())] };
        let next = operation("0002", OperationStatus::Applying);
        assert!(journal.put_snapshot(&next, b"{}", records, &OperationDetails::default()).unwrap());
        assert_eq!(journal.lost("0001").unwrap(), lost);
        assert_eq!(journal.snapshot_log().unwrap().unwrap().last, 1);
        let put = journal
            .store
            .write(Durable::Soon, |transaction| Ok::<_, StoreError>(transaction.execute(sql, []).unwrap()));
        assert_ne!(put.unwrap(), 0, "{sql}");
        journal
    };
    fn damaged<T: std::fmt::Debug>(read: &Result<T, StoreError>) {
        assert!(matches!(read, Err(StoreError::Damaged { .. })), "{read:?}");
    }
    let old = blake3::hash(b"old text\n");
    damaged(&with_row("UPDATE operations SET lost = x'5b' WHERE id = '0001'").lost("0001"));
    damaged(&with_row("UPDATE snapshot_records SET number = -1").snapshot_log());
    damaged(&with_row("UPDATE images SET size = -1").image(&old));
    damaged(&with_row("UPDATE operations SET committed = 'somewhere'").list(9));
    damaged(&with_row("UPDATE changes SET from_relative = NULL WHERE from_root IS NOT NULL").changes("0001"));
    damaged(&with_row("UPDATE changes SET before_hash = x'00' WHERE before_kind = 'file'").changes("0001"));
    damaged(&with_row("UPDATE operations SET began = 'then'").list(9));
}

#[test]
fn operations_are_in_the_order_in_which_they_began_whatever_their_ids() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let begin = |journal: &mut Journal, id: &str| {
        let begun = operation(id, OperationStatus::Done);
        journal.begin(&begun, &[], &Images::default(), &OperationDetails::default()).unwrap();
    };
    for id in ["zzzkkkkkkkkk", "kmmmmmmmmmmm", "zzzlkkkkkkkk", "xkkkkkkkkkkk"] {
        begin(&mut journal, id);
    }
    let ids = |journal: &Journal| -> Vec<String> {
        journal.list(9).unwrap().into_iter().map(|operation| operation.id).collect()
    };
    assert_eq!(ids(&journal), ["xkkkkkkkkkkk", "zzzlkkkkkkkk", "kmmmmmmmmmmm", "zzzkkkkkkkkk"]);
    let short = |id: &str| journal.short_id(id).unwrap();
    assert_eq!(short("zzzkkkkkkkkk"), "zzzk");
    assert_eq!(short("zzzlkkkkkkkk"), "zzzl");
    assert_eq!((short("kmmmmmmmmmmm"), short("xkkkkkkkkkkk")), ("kmm".into(), "xkk".into()));
    let before: Vec<String> = journal.surplus(1).unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(before, ["zzzkkkkkkkkk", "kmmmmmmmmmmm", "zzzlkkkkkkkk"]);
    journal.forget_operations(["zzzkkkkkkkkk", "kmmmmmmmmmmm"].into_iter()).unwrap();
    assert_eq!(ids(&journal), ["xkkkkkkkkkkk", "zzzlkkkkkkkk"]);
    begin(&mut journal, "kkkkkkkkkkkk");
    assert_eq!(ids(&journal)[0], "kkkkkkkkkkkk");
}

#[test]
fn a_journal_of_an_older_version_keeps_the_order_of_its_ids() {
    let state = tempfile::tempdir().unwrap();
    let file = path(state.path(), Path::new("/r"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = rusqlite::Connection::open(&file).unwrap();
    for step in &tables::PROJECT.steps[..4] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "application_id", tables::PROJECT.application).unwrap();
    old.pragma_update(None, "user_version", 4).unwrap();
    for id in ["0003", "0001", "0002"] {
        let sql =
            "INSERT INTO operations (id, kind, began, status, summary) VALUES (?1, 'execute', 0, 'done', '')";
        old.execute(sql, [id]).unwrap();
    }
    drop(old);
    let mut journal = open(state.path(), "/r");
    let next = operation("kkkkkkkkkkkk", OperationStatus::Done);
    journal.begin(&next, &[], &Images::default(), &OperationDetails::default()).unwrap();
    let ids: Vec<String> = journal.list(9).unwrap().into_iter().map(|operation| operation.id).collect();
    assert_eq!(ids, ["kkkkkkkkkkkk", "0003", "0002", "0001"]);
    assert_eq!(journal.operation("0001").unwrap().unwrap().outline, Outline::default());
}

#[test]
fn a_checkpoint_keeps_its_log_until_it_ends_as_an_operation() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let details = OperationDetails::default();
    journal.begin(&operation("0001", OperationStatus::Done), &[], &Images::default(), &details).unwrap();
    let records = [(1, b"seen".to_vec())];
    let put = |journal: &mut Journal, id: &str, name: &str, after: Option<&SnapshotLog>| {
        let records = SnapshotRecords { name, after, records: if after.is_none() { &records } else { &[] } };
        journal.put_checkpoint(id, b"{}", b"row", records).unwrap()
    };
    assert!(put(&mut journal, "one", "first", None));
    let first = SnapshotLog { name: "first".to_owned(), last: 1 };
    assert!(!put(&mut journal, "two", "first", Some(&SnapshotLog { last: 2, ..first.clone() })));
    assert!(put(&mut journal, "two", "first", Some(&first)));
    assert!(put(&mut journal, "three", "second", None));
    let open_ids = |journal: &Journal| -> Vec<String> {
        journal.checkpoints().unwrap().into_iter().map(|open| open.id).collect()
    };
    assert_eq!(open_ids(&journal), ["one", "two", "three"]);
    assert_eq!(journal.checkpoints().unwrap()[0].after, 1);
    assert_eq!(journal.checkpoint_snapshot("one").unwrap().as_deref(), Some(&b"row"[..]));
    assert!(journal.drop_checkpoint("one").unwrap() && !journal.drop_checkpoint("one").unwrap());
    // The log of another one stays.
    assert!(journal.snapshot_record("first", 1).unwrap().is_some());
    let mut images = Images::default();
    let changes = changes(&mut images);
    let recorded = Recorded {
        operation: &operation("0002", OperationStatus::Done),
        changes: &changes,
        images: &images,
        details: &details,
        lost: &[],
    };
    journal.end_checkpoint("two", &recorded).unwrap();
    assert_eq!(open_ids(&journal), ["three"]);
    assert!(journal.changes("0002").unwrap().iter().all(|(_, made)| *made == Some(true)));
    assert_eq!(journal.since(1).unwrap().len(), 1);
    assert!(journal.snapshot_record("first", 1).unwrap().is_none());
    assert!(journal.snapshot_record("second", 1).unwrap().is_some());
}

#[test]
fn a_log_of_an_older_version_is_kept_for_recovery() {
    let state = tempfile::tempdir().unwrap();
    let file = path(state.path(), Path::new("/r"));
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    let old = rusqlite::Connection::open(&file).unwrap();
    for step in &tables::PROJECT.steps[..5] {
        old.execute_batch(step).unwrap();
    }
    old.pragma_update(None, "application_id", tables::PROJECT.application).unwrap();
    old.pragma_update(None, "user_version", 5).unwrap();
    old.execute_batch(
        "INSERT INTO operations (id, kind, began, status, summary, seq) VALUES ('a', 'execute', 0, 'applying', '', 1);
         INSERT INTO surveys VALUES ('a', x'00');
         INSERT INTO sights VALUES (1, 'log', x'00'), (2, 'log', x'00');",
    )
    .unwrap();
    drop(old);
    let mut journal = open(state.path(), "/r");
    assert_eq!(journal.snapshot_log().unwrap(), Some(SnapshotLog { name: "log".to_owned(), last: 2 }));
    journal.forget_snapshot_log().unwrap();
    assert!(journal.snapshot_log().unwrap().is_some(), "an operation is recovered by it");
    journal.forget_snapshot("a").unwrap();
    journal.forget_snapshot_log().unwrap();
    assert_eq!(journal.snapshot_log().unwrap(), None);
}

/// An agent that writes a file 200 times pushes neither what a user did out, nor what it did to a user's file.
#[test]
fn regression_operations_of_agents_push_only_each_other_out() {
    let state = tempfile::tempdir().unwrap();
    let mut journal = open(state.path(), "/r");
    let hash = |number: u8| State::File { hash: blake3::Hash::from([number; 32]), metadata: None };
    let mut record = |id: &str, by_agent: bool, path: &str, before: State, after: State| {
        let details = OperationDetails { by_agent, ..OperationDetails::default() };
        let place = JournalPlace { root: "/r".into(), relative: path.into() };
        let change = Change { seq: 1, place, before, after, moved_from: None };
        let begun = operation(id, OperationStatus::Applying);
        journal.begin(&begun, std::slice::from_ref(&change), &Images::default(), &details).unwrap();
        let completion = Completion { made_changes: &[true], whole: true, ..Completion::default() };
        journal.finish(&operation(id, OperationStatus::Done), &completion, &Images::default(), None).unwrap();
    };
    record("user", false, "mine", State::Missing, hash(1));
    record("evil", true, "mine", hash(1), hash(2));
    for number in 3..9 {
        let before = if number == 3 { State::Missing } else { hash(number - 1) };
        record(&format!("flood{number}"), true, "n", before, hash(number));
    }
    let surplus = journal.surplus(2).unwrap();
    let ids: Vec<&str> = surplus.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["flood3", "flood4", "flood5", "flood6"]);
    assert!(surplus.iter().all(|one| one.is_agents));
    journal.forget_operations(ids.into_iter()).unwrap();
    // What is left of the flood is still no user's.
    assert_eq!(journal.surplus(1).unwrap().len(), 1);
    let left: Vec<String> = journal.list(9).unwrap().into_iter().map(|one| one.id).collect();
    assert_eq!(left, ["flood8", "flood7", "evil", "user"]);
}
