//! Brings steps into an order in which each finds what it needs.
//!
//! Pure. The entry at a place goes before something else comes there; a folder is made before what it holds,
//! and is removed after. Moves that wait for each other (two files that swapped names, a file that became a
//! folder and lies in it) go by way of a spare name.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;

use clada_journal::JournalPlace;

use super::place::{above, child, parent, top};
use super::step::{Step, StepKind};

struct Waiting {
    step: Option<Step>,
    /// Steps that have to take something away before.
    leaves: BTreeSet<usize>,
    /// Steps that have to be over before.
    arrivals: BTreeSet<usize>,
}

/// Orders `steps`. `spare` begins names that nothing has. A folder whose owner may do more in it comes first,
/// and one whose owner may do less last.
pub(super) fn order(steps: Vec<Step>, spare: &str) -> Vec<Step> {
    let (mut modes, steps): (Vec<Step>, Vec<Step>) =
        steps.into_iter().partition(|step| matches!(step.kind, StepKind::FolderMode { .. }));
    modes.sort_by(|one, other| one.kind.arrives().cmp(&other.kind.arrives()));
    let opens = |step: &Step| matches!(step.kind, StepKind::FolderMode { before, mode, .. } if mode & !before & 0o700 != 0);
    let (mut ordered, closing): (Vec<Step>, Vec<Step>) = modes.into_iter().partition(opens);
    ordered.extend(order_others(steps, spare));
    ordered.extend(closing.into_iter().rev());
    ordered
}

fn order_others(steps: Vec<Step>, spare: &str) -> Vec<Step> {
    let mut waiting = dependencies(steps);
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); waiting.len()];
    for (index, one) in waiting.iter().enumerate() {
        for before in one.leaves.iter().chain(&one.arrivals) {
            followers[*before].push(index);
        }
    }
    let is_ready = |one: &Waiting| one.leaves.is_empty() && one.arrivals.is_empty();
    let mut ready: BTreeSet<usize> = (0..waiting.len()).filter(|index| is_ready(&waiting[*index])).collect();
    let removed: BTreeSet<JournalPlace> =
        waiting.iter().filter_map(|one| removed_folder(one.step.as_ref()?)).collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    let (mut next_move, mut spares) = (0, 0);
    loop {
        while let Some(index) = ready.pop_first() {
            ordered.extend(waiting[index].step.take());
            for follower in &followers[index] {
                let one = &mut waiting[*follower];
                one.leaves.remove(&index);
                one.arrivals.remove(&index);
                if is_ready(one) && one.step.is_some() {
                    ready.insert(*follower);
                }
            }
        }
        // What is left waits for itself: the first move goes halfway, to a spare name, and makes room.
        let Some(index) = (next_move..waiting.len()).find(|index| is_move(waiting[*index].step.as_ref()))
        else {
            break;
        };
        next_move = index + 1;
        if let Some(Step { kind: StepKind::Move { from, to, before }, change }) = waiting[index].step.take() {
            spares += 1;
            let spare = spare_place(&from, &removed, &format!("{spare}-{spares}"));
            let halfway = StepKind::Move { from, to: spare.clone(), before: before.clone() };
            ordered.push(Step { kind: halfway, change: None });
            waiting[index].step = Some(Step { kind: StepKind::Move { from: spare, to, before }, change });
        }
        for follower in &followers[index] {
            let one = &mut waiting[*follower];
            one.leaves.remove(&index);
            if is_ready(one) && one.step.is_some() {
                ready.insert(*follower);
            }
        }
    }
    // A step that still waits could not be applied in any order; it fails by itself, and is reported.
    ordered.extend(waiting.into_iter().filter_map(|one| one.step));
    ordered
}

fn dependencies(steps: Vec<Step>) -> Vec<Waiting> {
    let mut leaver: HashMap<JournalPlace, usize> = HashMap::new();
    let mut mover: HashMap<JournalPlace, usize> = HashMap::new();
    let mut maker: HashMap<JournalPlace, usize> = HashMap::new();
    let mut removers: HashMap<JournalPlace, usize> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        if let Some(place) = step.kind.leaves() {
            leaver.insert(place.clone(), index);
        }
        match &step.kind {
            StepKind::Move { to, .. } => drop(mover.insert(to.clone(), index)),
            StepKind::MakeFolder { place, .. } => drop(maker.insert(place.clone(), index)),
            StepKind::RemoveFolder { place } => drop(removers.insert(place.clone(), index)),
            _ => {}
        }
    }
    // Whatever arrives somewhere waits until its place is free and its folder is there.
    let mut waiting: Vec<Waiting> = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate() {
        let (mut leaves, mut arrivals) = (BTreeSet::new(), BTreeSet::new());
        if let Some(place) = step.kind.arrives() {
            leaves.extend(leaver.get(place).filter(|leaver| **leaver != index));
            arrivals.extend(mover.get(place).filter(|mover| **mover != index));
            arrivals.extend(parent(place).and_then(|parent| maker.get(&parent).copied()));
        }
        waiting.push(Waiting { step: None, leaves, arrivals });
    }
    for (index, step) in steps.iter().enumerate() {
        let Some(place) = step.kind.leaves() else { continue };
        for remover in above(place).filter_map(|folder| removers.get(&folder)) {
            waiting[*remover].leaves.insert(index);
        }
    }
    for (one, step) in waiting.iter_mut().zip(steps) {
        one.step = Some(step);
    }
    waiting
}

fn is_move(step: Option<&Step>) -> bool {
    matches!(step, Some(Step { kind: StepKind::Move { .. }, .. }))
}

fn removed_folder(step: &Step) -> Option<JournalPlace> {
    match &step.kind {
        StepKind::RemoveFolder { place } => Some(place.clone()),
        _ => None,
    }
}

/// Returns a place called `name` in the nearest folder around `place` that stays.
fn spare_place(place: &JournalPlace, removed: &BTreeSet<JournalPlace>, name: &str) -> JournalPlace {
    let folder = above(place).find(|folder| !removed.contains(folder)).unwrap_or_else(|| top(place));
    child(&folder, OsStr::new(name))
}
