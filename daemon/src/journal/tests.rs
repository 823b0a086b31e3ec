//! What is put down is what is read.

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
    }
}

fn at(relative: &str) -> Place {
    Place { root: "/r".into(), relative: relative.into() }
}

fn changes(images: &mut Images) -> Vec<Change> {
    let old = images.add(&Arc::from(&b"old text\n"[..]));
    let metadata =
        crate::fs::Metadata { mode: 0o755, uid: 1, gid: 2, xattrs: vec![(b"user.a".to_vec(), vec![0, 255])] };
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
fn an_operation_is_what_was_put_down() {
    let state = tempfile::tempdir().unwrap();
    let (mut journal, aside) = Journal::open(state.path(), Path::new("/r")).unwrap();
    assert_eq!(aside, None);
    let mut images = Images::default();
    let (first, second) = {
        let mut all = changes(&mut images);
        let rest = all.split_off(1);
        (all, rest)
    };
    let applying = operation("0001", OperationStatus::Applying);
    journal.begin(&applying, &first, &images).unwrap();
    journal.begin(&applying, &second, &Images::default()).unwrap();
    assert_eq!(journal.unfinished().unwrap(), [applying]);

    let (mut again, _) = Journal::open(state.path(), Path::new("/r")).unwrap();
    let found = again.changes("0001").unwrap();
    assert!(found.iter().all(|(_, done)| done.is_none()));
    assert_eq!(found.into_iter().map(|(change, _)| change).collect::<Vec<_>>(), [first, second].concat());
    let hash = blake3::hash(b"old text\n");
    assert_eq!(again.image(&hash).unwrap().as_deref(), Some(&b"old text\n"[..]));
    assert_eq!(again.image(&blake3::hash(b"new")).unwrap(), None);

    let done = operation("0001", OperationStatus::Done);
    let papers = Papers { answer: Some([7; 32]), request: Some(b"{}".to_vec()), results: None };
    again.finish(&done, &|seq| seq != 2, &Images::default(), &papers).unwrap();
    assert!(journal.unfinished().unwrap().is_empty());
    let made: Vec<_> = journal.changes("0001").unwrap().into_iter().map(|(_, done)| done).collect();
    assert_eq!(made, [Some(true), Some(false), Some(true), Some(true)]);
    assert_eq!(journal.of_answer(&[7; 32]).unwrap(), [done]);
}

#[test]
fn an_undo_marks_what_it_takes_back() {
    let state = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(state.path(), Path::new("/r")).unwrap();
    let nothing = Images::default();
    let papers = Papers { answer: Some([7; 32]), ..Papers::default() };
    let done = operation("0001", OperationStatus::Done);
    journal.finish(&done, &|_| true, &nothing, &papers).unwrap();
    let undo = Operation {
        kind: OperationKind::Undo,
        undoes: Some("0001".to_owned()),
        ..operation("0002", OperationStatus::Done)
    };
    journal.finish(&undo, &|_| true, &nothing, &Papers::default()).unwrap();
    assert_eq!(journal.operation("0001").unwrap().unwrap().undone_by.as_deref(), Some("0002"));
    assert!(journal.of_answer(&[7; 32]).unwrap().is_empty());
    assert_eq!(journal.list(1).unwrap()[0].id, "0002");
    assert_eq!(journal.operation("none").unwrap(), None);
}

#[test]
fn projects_have_records_of_their_own() {
    let state = tempfile::tempdir().unwrap();
    let (mut one, _) = Journal::open(state.path(), Path::new("/one")).unwrap();
    let (two, _) = Journal::open(state.path(), Path::new("/two")).unwrap();
    let done = operation("0001", OperationStatus::Done);
    one.finish(&done, &|_| true, &Images::default(), &Papers::default()).unwrap();
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
fn recovery_tells_what_was_done_from_what_is_there() {
    let changes = [
        change(1, "a", text("1"), text("2")),
        change(2, "b", State::Missing, text("b")),
        change(3, "a", text("2"), text("3")),
        change(4, "f", State::Missing, State::Folder(0o755)),
    ];
    let told = |a: &str, b: State, f: State| {
        let now = |place: &Place| match place.relative.to_str() {
            Some("a") => text(a),
            Some("b") => b.clone(),
            _ => f.clone(),
        };
        recovered(&changes, now)
    };
    use Made::{No, Unknown, Yes};
    assert_eq!(told("1", State::Missing, State::Missing), [No, No, No, No]);
    assert_eq!(told("2", text("b"), State::Missing), [Yes, Yes, No, No]);
    assert_eq!(told("3", text("b"), State::Folder(0o700)), [Yes, Yes, Yes, Yes]);
    assert_eq!(told("x", text("y"), State::Missing), [Unknown, Unknown, Unknown, No]);

    let state = tempfile::tempdir().unwrap();
    let (mut journal, _) = Journal::open(state.path(), Path::new("/r")).unwrap();
    journal.begin(&operation("0001", OperationStatus::Applying), &changes, &Images::default()).unwrap();
    journal.recovered("0001", &[Yes, Unknown, No, Yes]).unwrap();
    let made: Vec<_> = journal.changes("0001").unwrap().into_iter().map(|(_, done)| done).collect();
    assert_eq!(made, [Some(true), None, Some(false), Some(true)]);
    let status = journal.operation("0001").unwrap().unwrap().status;
    assert_eq!(status, OperationStatus::Interrupted);
}

#[test]
fn a_text_that_came_back_was_never_changed() {
    let changes = [change(1, "a", text("1"), text("2")), change(2, "a", text("2"), text("1"))];
    assert_eq!(recovered(&changes, |_| text("1")), [Made::Yes, Made::Yes]);
    assert_eq!(net(&changes), []);
}

#[test]
fn the_net_of_changes_follows_moves() {
    let mut changes = vec![change(1, "a", text("1"), text("2"))];
    changes.extend(moved(2, "a", "b", &text("2")));
    changes.extend(moved(3, "b", "c", &text("2")));
    changes.push(change(4, "c", text("2"), text("3")));
    changes.push(change(5, "d", State::Missing, text("d")));
    let told: Vec<_> =
        net(&changes).into_iter().map(|net| (net.place, net.before, net.after, net.came_from)).collect();
    let expected = [
        (at("a"), text("1"), State::Missing, None),
        (at("c"), State::Missing, text("3"), Some(at("a"))),
        (at("d"), State::Missing, text("d"), None),
    ];
    assert_eq!(told, expected);
}

#[test]
fn what_is_swapped_came_from_each_other() {
    let mut changes: Vec<Change> = moved(1, "a", "t", &text("1")).into();
    changes.extend(moved(2, "b", "a", &text("2")));
    changes.extend(moved(3, "t", "b", &text("1")));
    let came: Vec<_> = net(&changes).into_iter().map(|net| (net.place, net.came_from)).collect();
    assert_eq!(came, [(at("a"), Some(at("b"))), (at("b"), Some(at("a")))]);
}
