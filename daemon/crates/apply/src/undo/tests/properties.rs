//! Whatever an operation did, taking it back is the identity, and taking that back is the operation.

use clada_journal::Change;
use proptest::prelude::*;

use super::tree::{Node, Recorded, Tree};
use crate::undo::classify::Later;
use crate::undo::step::{Reverse, StepKind};
use crate::write::Before;

/// Places that collide, nest and swap.
const PATHS: [&str; 9] = ["a", "b", "c", "d", "d/e", "d/f", "d/f/g", "a/h", "b/i"];

#[derive(Debug, Clone)]
enum Doing {
    Write(usize, u8, bool),
    Large(usize, u8),
    Link(usize, u8),
    Folder(usize, bool),
    Remove(usize),
    Rename(usize, usize),
}

fn doing() -> impl Strategy<Value = Doing> {
    let path = 0..PATHS.len();
    prop_oneof![
        3 => (path.clone(), 0..4_u8, any::<bool>()).prop_map(|(path, text, run)| Doing::Write(path, text, run)),
        1 => (path.clone(), 0..2_u8).prop_map(|(path, text)| Doing::Large(path, text)),
        1 => (path.clone(), 0..2_u8).prop_map(|(path, target)| Doing::Link(path, target)),
        3 => (path.clone(), any::<bool>()).prop_map(|(path, private)| Doing::Folder(path, private)),
        3 => path.clone().prop_map(Doing::Remove),
        5 => (path.clone(), path).prop_map(|(from, to)| Doing::Rename(from, to)),
    ]
}

/// Does it if an operation could: no folder is replaced, moved, or removed with what it holds, nothing that
/// is too large to be kept is lost.
fn apply(recorded: &mut Recorded, doing: &Doing, setting_up: bool) {
    let node = |recorded: &Recorded, path: &str| recorded.tree.nodes.get(std::path::Path::new(path)).cloned();
    // The journal does not hold the content of large files, so only the setting up may make or replace them.
    let is_large =
        |node: &Option<Node>| matches!(node, Some(Node::File(_, content, _)) if content.len() >= 64);
    let may_replace = |recorded: &Recorded, path: &str| {
        let there = node(recorded, path);
        recorded.tree.parent_is_folder(path)
            && !matches!(there, Some(Node::Folder(_)))
            && (setting_up || !is_large(&there))
    };
    match doing {
        Doing::Write(path, text, run) if may_replace(recorded, PATHS[*path]) => {
            let mode = if *run { 0o755 } else { 0o644 };
            recorded.write(PATHS[*path], format!("line\r\n{text}\n").as_bytes(), mode);
        }
        Doing::Large(path, text) if setting_up && may_replace(recorded, PATHS[*path]) => {
            recorded.write(PATHS[*path], &[*text; 99], 0o600);
        }
        Doing::Link(path, target) if may_replace(recorded, PATHS[*path]) => {
            recorded.link(PATHS[*path], &target.to_string());
        }
        Doing::Folder(path, private) => {
            let path = PATHS[*path];
            if node(recorded, path).is_none() && recorded.tree.parent_is_folder(path) {
                recorded.folder(path, if *private { 0o700 } else { 0o755 });
            }
        }
        Doing::Remove(path) => {
            let there = node(recorded, PATHS[*path]);
            let full = !recorded.tree.names(std::path::Path::new(PATHS[*path])).is_empty();
            if there.is_some() && !full && (setting_up || !is_large(&there)) {
                recorded.remove(PATHS[*path]);
            }
        }
        Doing::Rename(from, to) => {
            let (from, to) = (PATHS[*from], PATHS[*to]);
            let moves = matches!(node(recorded, from), Some(Node::File(..) | Node::Link(_)));
            if moves && from != to && may_replace(recorded, to) {
                recorded.rename(from, to);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(clada_test_extent::cases(200, 2_000)))]

    #[test]
    fn undo_is_the_identity(
        setting in proptest::collection::vec(doing(), 0..16),
        doing in proptest::collection::vec(doing(), 0..16),
    ) {
        let mut begun = Recorded::new(&Tree::default());
        setting.iter().for_each(|doing| apply(&mut begun, doing, true));
        let before = begun.tree;
        let mut operation = Recorded::new(&before);
        doing.iter().for_each(|doing| apply(&mut operation, doing, false));
        let after = operation.tree.clone();

        let reverse = operation.reverse(&after, Later::Refuse).unwrap();
        let mut undo = Recorded::new(&after);
        for step in &reverse.steps {
            // The same on a tree that checks what each step needs, and on one that records what it does.
            let mut checked = undo.tree.clone();
            checked.step(&step.kind);
            record(&mut undo, &step.kind);
            prop_assert_eq!(undo.tree.seen(), checked.seen());
        }
        prop_assert_eq!(undo.tree.seen(), before.seen());
        prop_assert_eq!(undo.tree.large(), before.large());
        prop_assert!(reverse.stay.is_empty() && reverse.lost.is_empty());

        let redone = undo.undone(&undo.tree, Later::Refuse).unwrap();
        prop_assert_eq!(redone.seen(), after.seen());
        prop_assert_eq!(redone.large(), after.large());

        // Once more finds nothing to do.
        prop_assert_eq!(operation.reverse(&undo.tree, Later::Refuse).unwrap().steps, Vec::new());
    }

    #[test]
    fn regression_an_undo_that_was_cut_off_is_finished_by_the_next(
        setting in proptest::collection::vec(doing(), 0..16),
        doing in proptest::collection::vec(doing(), 0..16),
        cut_again in 0..8_usize,
    ) {
        let mut begun = Recorded::new(&Tree::default());
        setting.iter().for_each(|doing| apply(&mut begun, doing, true));
        let before = begun.tree;
        let mut operation = Recorded::new(&before);
        doing.iter().for_each(|doing| apply(&mut operation, doing, false));
        let after = operation.tree.clone();

        let reverse = operation.reverse(&after, Later::Refuse).unwrap();
        for cut in 0..=reverse.steps.len() {
            let first = cut_off(&after, &reverse, cut);
            let mut attempts = vec![first];
            for cut in [cut_again, usize::MAX] {
                let now = attempts.last().unwrap().1.clone();
                let rest = operation.rest(&attempts, &now).unwrap();
                attempts.push(cut_off(&now, &rest, cut));
            }
            let undone = &attempts.last().unwrap().1;
            prop_assert_eq!(undone.seen(), before.seen(), "cut off after {} steps", cut);
            prop_assert_eq!(undone.large(), before.large(), "cut off after {} steps", cut);
        }
    }

    #[test]
    fn nothing_of_others_is_lost(
        setting in proptest::collection::vec(doing(), 0..12),
        doing in proptest::collection::vec(doing(), 1..12),
        since in proptest::collection::vec(doing(), 1..4),
    ) {
        let mut begun = Recorded::new(&Tree::default());
        setting.iter().for_each(|doing| apply(&mut begun, doing, true));
        let mut operation = Recorded::new(&begun.tree);
        doing.iter().for_each(|doing| apply(&mut operation, doing, false));
        let mut others = Recorded::new(&operation.tree);
        since.iter().for_each(|doing| apply(&mut others, doing, true));
        let touched: std::collections::HashSet<_> =
            operation.changes.iter().map(|change| change.place.relative.clone()).collect();
        for later in [Later::Refuse, Later::Merge, Later::Force] {
            let Ok(undone) = operation.undone(&others.tree, later) else { continue };
            let reverse = operation.reverse(&others.tree, later).unwrap();
            // These move to the reserve when the undo is applied.
            let to_reserve = reverse.steps.iter().filter_map(|step| match &step.kind {
                StepKind::Remove { before: Before::File(file), .. }
                | StepKind::Write { before: Before::File(file), .. } => Some(file.ino),
                _ => None,
            });
            let to_reserve: Vec<u64> = to_reserve.collect();
            for (path, node) in others.tree.nodes.iter().filter(|(path, _)| !touched.contains(*path)) {
                prop_assert_eq!(undone.nodes.get(path), Some(node), "{:?}", later);
            }
            // What is too large to be kept is still somewhere.
            let large = others.tree.large().into_values();
            let mut large: Vec<u64> = large.filter(|number| !to_reserve.contains(number)).collect();
            let mut left: Vec<u64> = undone.large().into_values().collect();
            large.sort_unstable();
            left.sort_unstable();
            prop_assert_eq!(large, left, "{:?}", later);
        }
    }
}

#[test]
fn regression_a_forced_undo_changes_a_file_where_it_is_if_its_old_place_is_taken() {
    let mut begun = Recorded::new(&Tree::default());
    begun.write("d", b"one", 0o644);
    begun.write("a", b"two", 0o755);
    let mut operation = Recorded::new(&begun.tree);
    operation.rename("a", "d");
    let mut others = Recorded::new(&operation.tree);
    others.folder("a", 0o755);
    let undone = operation.undone(&others.tree, Later::Force).unwrap();
    let Some(Node::File(_, content, _)) = undone.nodes.get(std::path::Path::new("d")) else {
        panic!("{undone:?}")
    };
    assert_eq!(&content[..], b"one");
    assert!(matches!(undone.nodes.get(std::path::Path::new("a")), Some(Node::Folder(_))));
}

/// The changes that taking something back would make on `tree`, and the tree after the first `cut` of its
/// steps.
fn cut_off(tree: &Tree, reverse: &Reverse, cut: usize) -> (Vec<Change>, Tree) {
    let (mut whole, mut left) = (Recorded::new(tree), tree.clone());
    for (index, step) in reverse.steps.iter().enumerate() {
        if index < cut {
            left.step(&step.kind);
        }
        record(&mut whole, &step.kind);
    }
    (whole.changes, left)
}

fn record(recorded: &mut Recorded, step: &StepKind) {
    let text = |place: &clada_journal::JournalPlace| place.relative.to_str().unwrap().to_owned();
    match step {
        StepKind::MakeFolder { place, mode } => {
            recorded.folder(&text(place), mode.unwrap_or(0o755));
        }
        StepKind::FolderMode { place, mode, .. } => recorded.folder(&text(place), *mode),
        StepKind::RemoveFolder { place } | StepKind::Remove { place, .. } => recorded.remove(&text(place)),
        StepKind::Move { from, to, .. } => recorded.rename(&text(from), &text(to)),
        StepKind::Write { place, content, metadata, .. } => {
            let kept = match recorded.tree.nodes.get(&place.relative) {
                Some(Node::File(_, _, mode)) => *mode,
                _ => 0o644,
            };
            recorded.write(&text(place), content, metadata.as_ref().map_or(kept, |metadata| metadata.mode));
        }
        StepKind::Link { place, target } => {
            recorded.link(&text(place), std::str::from_utf8(target).unwrap());
        }
    }
}
