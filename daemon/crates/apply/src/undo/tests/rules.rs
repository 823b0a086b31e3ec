//! Rules of undo: refusing, merging, overwriting, and folders that stay.

use super::tree::{Node, Recorded, Tree, at};
use crate::undo::classify::Later;
use crate::undo::refusal::Reason;
use crate::undo::step::StepKind;

/// Places and reasons for which a plan is refused.
fn refused(recorded: &Recorded, tree: &Tree, later: Later) -> Vec<(String, Reason)> {
    let conflicts = recorded.reverse(tree, later).unwrap_err().conflicts;
    let told = |place: &clada_journal::JournalPlace| place.relative.to_str().unwrap().to_owned();
    conflicts.into_iter().map(|conflict| (told(&conflict.place), conflict.reason)).collect()
}

fn text(tree: &Tree, path: &str) -> String {
    match tree.nodes.get(std::path::Path::new(path)) {
        Some(Node::File(_, content, _)) => String::from_utf8(content.clone()).unwrap(),
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn what_was_changed_since_is_named_and_nothing_is_done() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n"), ("b", "1\n"), ("c", "1\n")]));
    operation.write("a", b"2\n", 0o644);
    operation.write("b", b"2\n", 0o644);
    operation.remove("c");
    let mut tree = operation.tree.clone();
    tree.create("b", b"mine\n", 0o644);
    tree.create("c", b"mine\n", 0o644);
    let expected = [("b".to_owned(), Reason::Changed), ("c".to_owned(), Reason::Changed)];
    assert_eq!(refused(&operation, &tree, Later::Refuse), expected);
    let forced = operation.undone(&tree, Later::Force).unwrap();
    assert_eq!(["a", "b", "c"].map(|path| text(&forced, path)), ["1\n", "1\n", "1\n"]);
}

#[test]
fn what_merges_is_merged() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n2\n3\n4\n"), ("b", "x\n")]));
    operation.write("a", b"one\n2\n3\n4\n", 0o644);
    operation.rename("b", "c");
    let mut tree = operation.tree.clone();
    tree.create("a", b"one\n2\n3\nfour\n", 0o644);
    tree.create("c", b"x\nmore\n", 0o644);
    let reverse = operation.reverse(&tree, Later::Merge).unwrap();
    assert!(reverse.changes.iter().all(|change| change.merged), "{reverse:?}");
    let merged = operation.undone(&tree, Later::Merge).unwrap();
    assert_eq!((text(&merged, "a"), text(&merged, "b")), ("1\n2\n3\nfour\n".into(), "x\nmore\n".into()));

    tree.create("a", b"uno\n2\n3\n4\n", 0o644);
    assert_eq!(refused(&operation, &tree, Later::Merge), [("a".to_owned(), Reason::NotMergeable)]);
}

#[test]
fn what_was_made_and_changed_since_is_not_merged_away() {
    let mut operation = Recorded::new(&Tree::default());
    operation.write("a", b"1\n", 0o644);
    let mut tree = operation.tree.clone();
    tree.create("a", b"mine\n", 0o644);
    assert_eq!(refused(&operation, &tree, Later::Merge), [("a".to_owned(), Reason::NotMergeable)]);
    assert_eq!(operation.undone(&tree, Later::Force).unwrap().nodes.len(), 0);
}

#[test]
fn folders_with_files_of_others_stay() {
    let mut operation = Recorded::new(&Tree::default());
    for folder in ["d", "d/e", "d/f"] {
        operation.folder(folder, 0o755);
    }
    operation.write("d/e/a", b"1\n", 0o644);
    let mut tree = operation.tree.clone();
    tree.create("d/f/mine", b"mine\n", 0o644);
    let reverse = operation.reverse(&tree, Later::Refuse).unwrap();
    assert_eq!(reverse.stay, [at("d/f")]);
    let undone = operation.undone(&tree, Later::Refuse).unwrap();
    let left: Vec<_> = undone.nodes.keys().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(left, ["d", "d/f", "d/f/mine"]);
}

#[test]
fn a_folder_that_took_a_files_place_goes_only_if_it_is_empty() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n")]));
    operation.rename("a", "t");
    operation.folder("a", 0o755);
    operation.rename("t", "a/b");
    let undone = operation.undone(&operation.tree, Later::Refuse).unwrap();
    assert_eq!((undone.nodes.len(), text(&undone, "a").as_str()), (1, "1\n"));
    let mut tree = operation.tree.clone();
    tree.create("a/mine", b"mine\n", 0o644);
    for later in [Later::Refuse, Later::Force] {
        assert_eq!(refused(&operation, &tree, later), [("a".to_owned(), Reason::OtherFiles)]);
    }
}

#[test]
fn swapped_files_are_swapped_back_and_stay_the_same_files() {
    let before = Tree::from_nodes(&[("a", "1\n"), ("b", "2\n")]);
    let mut operation = Recorded::new(&before);
    operation.rename("a", "t");
    operation.rename("b", "a");
    operation.rename("t", "b");
    let undone = operation.undone(&operation.tree, Later::Refuse).unwrap();
    assert_eq!(undone.nodes, before.nodes);
}

#[test]
fn what_is_not_kept_is_told_and_the_rest_can_be_forced() {
    let large = "x".repeat(99);
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n"), ("big", &large), ("big2", &large)]));
    operation.write("a", b"2\n", 0o644);
    operation.remove("big");
    operation.rename("big2", "c");
    let tree = operation.tree.clone();
    assert_eq!(refused(&operation, &tree, Later::Refuse), [("big".to_owned(), Reason::TooLarge)]);
    let reverse = operation.reverse(&tree, Later::Force).unwrap();
    assert_eq!(reverse.lost.len(), 1);
    let forced = operation.undone(&tree, Later::Force).unwrap();
    assert_eq!((text(&forced, "a").as_str(), text(&forced, "big2").len()), ("1\n", 99));
}

#[test]
fn what_cannot_be_undone_is_left_alone_and_the_rest_is_forced() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n")]));
    operation.write("a", b"2\n", 0o644);
    operation.write("b", b"2\n", 0o644);
    let mut tree = operation.tree.clone();
    tree.create("a", &[b'x'; 99], 0o644);
    tree.nodes.insert("b".into(), Node::Link("mine".into()));
    let expected = [("a".to_owned(), Reason::Changed), ("b".to_owned(), Reason::Changed)];
    assert_eq!(refused(&operation, &tree, Later::Refuse), expected);
    let lost = operation.reverse(&tree, Later::Force).unwrap().lost;
    assert_eq!(lost.iter().map(|lost| &lost.place).collect::<Vec<_>>(), [&at("b")]);
    let forced = operation.undone(&tree, Later::Force).unwrap();
    assert_eq!((text(&forced, "a").as_str(), forced.nodes.len()), ("1\n", 2));
}

/// Covers folders in the way, files in the place of folders, moves between them, and what is mounted.
#[test]
fn regression_a_forced_undo_does_all_that_is_not_blocked() {
    let before = Tree::from_nodes(&[("a", "1\n"), ("d/", ""), ("d/in", "1\n"), ("m", "1\n"), ("t", "1\n")]);
    let mut operation = Recorded::new(&before);
    operation.write("a", b"2\n", 0o644);
    operation.remove("d/in");
    operation.rename("m", "moved");
    operation.folder("m", 0o755);
    operation.write("t", b"2\n", 0o644);
    let mut tree = operation.tree.clone();
    // A folder that holds another's file keeps `m` from coming back; a file in the place of `d` keeps `d/in`.
    tree.create("m/mine", b"mine\n", 0o644);
    tree.nodes.remove(std::path::Path::new("d"));
    tree.create("d", b"mine\n", 0o644);
    tree.nodes.insert("t".into(), Node::Folder(0o755));
    let reasons: Vec<Reason> =
        refused(&operation, &tree, Later::Refuse).into_iter().map(|(_, reason)| reason).collect();
    assert_eq!(reasons, [Reason::InTheWay, Reason::NotFolder, Reason::OtherFiles]);
    let forced = operation.undone(&tree, Later::Force).unwrap();
    let kept = ["a", "d", "m/mine", "moved"].map(|path| text(&forced, path));
    assert_eq!(kept, ["1\n", "mine\n", "mine\n", "1\n"]);
    let lost = operation.reverse(&tree, Later::Force).unwrap().lost;
    assert_eq!(lost.len(), 3, "{lost:?}");

    let mut now = operation.tree.now();
    now.mounted.insert(at("a"));
    let refusal = operation.reverse_of(&now, &operation.tree, Later::Refuse).unwrap_err();
    assert_eq!(refusal.conflicts.len(), 1);
    assert_eq!(refusal.conflicts[0].reason, Reason::Mounted);
    let forced = operation.reverse_of(&now, &operation.tree, Later::Force).unwrap();
    assert_eq!((forced.lost.len(), forced.steps.is_empty()), (1, false));
    assert!(forced.steps.iter().all(|step| step.kind.arrives() != Some(&at("a"))), "{forced:?}");
}

/// Covers folders that go, stay, come back, are nested, and of which the operation changed the mode.
#[test]
fn regression_closed_folders_are_open_for_the_time_of_the_undo() {
    let closed = |operation: &Recorded, places: &[&str]| {
        let mut now = operation.tree.now();
        now.closed.extend(places.iter().map(|path| at(path)));
        let mut tree = operation.tree.clone();
        let reverse = operation.reverse_of(&now, &tree, Later::Refuse).unwrap();
        for step in &reverse.steps {
            for inside in step.kind.leaves().into_iter().chain(step.kind.arrives()) {
                let is_mode = matches!(step.kind, StepKind::FolderMode { .. });
                if let Some(Node::Folder(mode)) =
                    inside.relative.parent().and_then(|path| tree.nodes.get(path))
                    && !is_mode
                {
                    assert_eq!(mode & 0o700, 0o700, "{step:?}");
                }
            }
            tree.step(&step.kind);
        }
        tree
    };
    // A module cache: all of it is new.
    let mut made = Recorded::new(&Tree::default());
    made.folder("mod", 0o555);
    made.folder("mod/pkg", 0o555);
    made.write("mod/pkg/a.go", b"a", 0o444);
    assert_eq!(closed(&made, &["mod", "mod/pkg"]).nodes.len(), 0);
    // Closed before and after, with a file less, one more and one that is another.
    let mut before = Tree::from_nodes(&[("d/", ""), ("d/gone", "1"), ("d/changed", "1")]);
    before.nodes.insert("d".into(), Node::Folder(0o500));
    let mut changed = Recorded::new(&before);
    changed.remove("d/gone");
    changed.write("d/new", b"2", 0o644);
    changed.write("d/changed", b"2", 0o644);
    assert_eq!(closed(&changed, &["d"]).seen(), before.seen());
    // The operation closed it further.
    changed.folder("d", 0o100);
    assert_eq!(closed(&changed, &["d"]).seen(), before.seen());
    // It was closed, and is gone: it comes back with what was in it.
    let mut gone = Recorded::new(&before);
    for path in ["d/gone", "d/changed", "d"] {
        gone.remove(path);
    }
    assert_eq!(closed(&gone, &[]).seen(), before.seen());
    // Only the folder on the way is closed, to its owner, too.
    let mut nodes = Tree::from_nodes(&[("o/", ""), ("o/i/", ""), ("o/i/a", "1")]);
    nodes.nodes.insert("o".into(), Node::Folder(0o000));
    let mut inner = Recorded::new(&nodes);
    inner.remove("o/i/a");
    let steps = {
        let mut now = inner.tree.now();
        now.closed.insert(at("o"));
        inner.reverse_of(&now, &inner.tree, Later::Refuse).unwrap().steps
    };
    assert!(matches!(&steps[0].kind, StepKind::FolderMode { mode: 0o700, .. }), "{steps:?}");
    assert!(matches!(&steps[2].kind, StepKind::FolderMode { mode: 0, .. }), "{steps:?}");
}

#[test]
fn modes_come_back_where_the_operation_changed_them() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n"), ("b", "1\n")]));
    operation.write("a", b"1\n", 0o755);
    operation.write("b", b"2\n", 0o644);
    let mut tree = operation.tree.clone();
    if let Some(Node::File(_, _, mode)) = tree.nodes.get_mut(std::path::Path::new("b")) {
        *mode = 0o600;
    }
    let undone = operation.undone(&tree, Later::Refuse).unwrap();
    let mode = |path: &str| match undone.nodes.get(std::path::Path::new(path)) {
        Some(Node::File(_, _, mode)) => *mode,
        other => panic!("{other:?}"),
    };
    assert_eq!((mode("a"), mode("b")), (0o644, 0o600));
}

#[test]
fn folders_that_are_gone_are_made_again() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("d/", ""), ("d/e/", ""), ("d/e/a", "1\n")]));
    operation.remove("d/e/a");
    let mut tree = operation.tree.clone();
    tree.nodes.clear();
    let undone = operation.undone(&tree, Later::Refuse).unwrap();
    assert_eq!((undone.nodes.len(), text(&undone, "d/e/a").as_str()), (3, "1\n"));
    tree.create("d", b"mine\n", 0o644);
    assert_eq!(refused(&operation, &tree, Later::Force), [("d".to_owned(), Reason::NotFolder)]);
}

#[test]
fn what_is_back_already_is_left_alone() {
    let mut operation = Recorded::new(&Tree::from_nodes(&[("a", "1\n"), ("b", "1\n")]));
    operation.write("a", b"2\n", 0o644);
    operation.write("b", b"2\n", 0o644);
    let mut tree = operation.tree.clone();
    tree.create("a", b"1\n", 0o644);
    let steps = operation.reverse(&tree, Later::Refuse).unwrap().steps;
    assert!(
        matches!(steps.as_slice(), [one] if matches!(&one.kind, StepKind::Write { place, .. } if *place == at("b")))
    );
}
