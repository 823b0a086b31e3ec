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
