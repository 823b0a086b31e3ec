//! From what an operation did and the current state of its places, to the steps that undo it.
//!
//! Pure: contents are asked for by hash. Each place is judged by itself first ([`PlaceClass`]); then what
//! goes, what comes and its source are found for each; then the folders around them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use blake3::Hash;
use clada_fs::Metadata;
use clada_journal::{JournalPlace, Net, State};
use clada_protocol::ChangeKind;

use super::attributes::Altered;
use super::classify::{Later, PlaceClass, classify};
use super::folders::{missing_parents, staying};
use super::merge::merge;
use super::now::{CurrentFile, CurrentState, Now};
use super::order::order;
use super::place::{above, parent, top};
use super::refusal::{Conflict, Reason, Refusal};
use super::rights::with_rights;
use super::step::{Change, Reverse, Step, StepKind};
use crate::write::Before;

/// The source of contents.
pub trait Contents {
    /// Returns the content with this hash, if it is kept.
    fn saved_content(&self, hash: &Hash) -> Option<Arc<[u8]>>;

    /// Returns the current content of the file at a place, if that can be read and is not too large.
    fn current(&self, place: &JournalPlace) -> Option<Arc<[u8]>>;
}

/// Plans the undo of what led to `nets`, which are the places that are not as they were, given the current
/// states `now`. `spare` begins names that nothing has.
///
/// # Errors
/// Every place that keeps it from that.
pub fn plan(
    nets: &[Net],
    now: &Now,
    later: Later,
    contents: &dyn Contents,
    spare: &str,
) -> Result<Reverse, Refusal> {
    // Files that are not moved back, since nothing can come to their old places.
    let mut unreachable = BTreeSet::new();
    let mut planner = loop {
        let mut planner = Planner::new(nets, now, later, contents);
        for index in 0..nets.len() {
            planner.judge(index);
        }
        planner.find_sources(&unreachable);
        planner.find_made_again();
        let known = unreachable.len();
        for index in 0..nets.len() {
            // Nothing goes from where nothing can come back.
            if planner.stands(index) {
                match planner.arrive(index) {
                    Arrived::Yes => planner.leave(index),
                    Arrived::Not if planner.sources.contains_key(&index) => drop(unreachable.insert(index)),
                    Arrived::Not => {}
                }
            }
        }
        if unreachable.len() == known {
            break planner;
        }
    };
    planner.folders();
    planner.finish(spare)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arrived {
    Yes,
    Not,
}

struct Planner<'a> {
    nets: &'a [Net],
    now: &'a Now,
    later: Later,
    contents: &'a dyn Contents,
    classes: Vec<PlaceClass>,
    /// Of each place, the one whose file or link is moved back to it.
    sources: HashMap<usize, usize>,
    moved: BTreeSet<usize>,
    // Folders that went and were made again by the operation, with another mode: they go and are made once
    // more.
    made_again: BTreeSet<JournalPlace>,
    steps: Vec<Step>,
    changes: Vec<Change>,
    conflicts: Vec<Conflict>,
    stay: Vec<JournalPlace>,
}

impl<'a> Planner<'a> {
    fn new(nets: &'a [Net], now: &'a Now, later: Later, contents: &'a dyn Contents) -> Planner<'a> {
        Planner {
            nets,
            now,
            later,
            contents,
            classes: Vec::with_capacity(nets.len()),
            sources: HashMap::new(),
            moved: BTreeSet::new(),
            made_again: BTreeSet::new(),
            steps: Vec::new(),
            changes: Vec::new(),
            conflicts: Vec::new(),
            stay: Vec::new(),
        }
    }

    fn current_state(&self, index: usize) -> &'a CurrentState {
        self.now.at(&self.nets[index].place)
    }

    fn conflict(&mut self, place: &JournalPlace, reason: Reason) {
        self.conflicts.push(Conflict { place: place.clone(), reason });
    }

    fn judge(&mut self, index: usize) {
        let net = &self.nets[index];
        let class = classify(net, self.now, self.later).and_then(|class| match class {
            PlaceClass::AsAfter | PlaceClass::ChangedSince if self.is_held_by_mount(net) => {
                Err(Reason::Mounted)
            }
            class => Ok(class),
        });
        let class = class.unwrap_or_else(|reason| {
            self.conflict(&net.place, reason);
            PlaceClass::Conflict
        });
        self.classes.push(class);
    }

    /// Returns true if the entry at a place would have to go or be replaced, and something is mounted on it.
    fn is_held_by_mount(&self, net: &Net) -> bool {
        let stays = matches!(
            (self.now.at(&net.place), &net.before),
            (CurrentState::Folder(_), State::Folder(_)) | (CurrentState::Missing, _)
        );
        !stays && self.now.mounted.contains(&net.place)
    }

    // Returns true if a place is to come back to what it was.
    fn stands(&self, index: usize) -> bool {
        matches!(self.classes[index], PlaceClass::AsAfter | PlaceClass::ChangedSince)
    }

    fn find_sources(&mut self, unreachable: &BTreeSet<usize>) {
        let places: HashMap<&JournalPlace, usize> =
            self.nets.iter().enumerate().map(|(index, net)| (&net.place, index)).collect();
        for (source, net) in self.nets.iter().enumerate() {
            let Some(target) = net.came_from.as_ref().and_then(|from| places.get(from)).copied() else {
                continue;
            };
            let current = self.current_state(source);
            let fits = match (&self.nets[target].before, current) {
                (State::File { .. } | State::Large(_), CurrentState::File(_)) => true,
                (before @ State::Link(_), CurrentState::Link(_)) => current.is(before),
                _ => false,
            };
            let is_first = !self.sources.contains_key(&target);
            let comes_back = self.stands(target) && !unreachable.contains(&target);
            if fits && self.stands(source) && is_first && comes_back {
                self.sources.insert(target, source);
                self.moved.insert(source);
            }
        }
    }

    fn find_made_again(&mut self) {
        for (index, net) in self.nets.iter().enumerate().filter(|(_, net)| net.is_new) {
            let folders = matches!(
                (&net.before, self.current_state(index)),
                (State::Folder(_), CurrentState::Folder(_))
            );
            if folders && self.classes[index] == PlaceClass::AsAfter {
                self.made_again.insert(net.place.clone());
            }
        }
    }

    // Returns true if a file has to give way to its folder, with which it was made again.
    fn is_in_made_again(&self, index: usize) -> bool {
        self.nets[index].is_new
            && self.classes[index] == PlaceClass::AsAfter
            && above(&self.nets[index].place).any(|folder| self.made_again.contains(&folder))
    }

    /// Plans that the current entry of a place goes, unless it is changed where it is.
    fn leave(&mut self, index: usize) {
        let net = &self.nets[index];
        let stays = match (self.current_state(index), &net.before) {
            _ if self.moved.contains(&index) => true,
            (CurrentState::Missing | CurrentState::Special | CurrentState::Unknown(_), _) => true,
            (CurrentState::Folder(_), State::Folder(_)) => !self.made_again.contains(&net.place),
            (CurrentState::File(_), State::File { .. }) => {
                !self.sources.contains_key(&index) && !self.is_in_made_again(index)
            }
            _ => false,
        };
        if stays {
            return;
        }
        let place = net.place.clone();
        let (kind, change) = match self.current_state(index).before() {
            Some(before) => (StepKind::Remove { place, before }, ChangeKind::Deleted),
            None => (StepKind::RemoveFolder { place }, ChangeKind::FolderDeleted),
        };
        // What gives way to something else is reported with that.
        let change = (net.before == State::Missing).then(|| self.change(&net.place, change, None));
        self.steps.push(Step { kind, change });
    }

    fn arrive(&mut self, index: usize) -> Arrived {
        let net = &self.nets[index];
        let place = &net.place;
        let merging = self.classes[index] == PlaceClass::ChangedSince && self.later == Later::Merge;
        let gives_way = net.before == State::Missing || self.sources.contains_key(&index);
        // Later changes of a text can be kept only where a text comes back to hold them.
        if merging && gives_way && !self.moved.contains(&index) {
            self.conflict(place, Reason::NotMergeable);
            return Arrived::Not;
        }
        match &net.before {
            State::Missing => {}
            State::Folder(mode) => {
                let again = self.made_again.contains(place);
                if again || !matches!(self.current_state(index), CurrentState::Folder(_)) {
                    let change_kind = if again { ChangeKind::Changed } else { ChangeKind::FolderCreated };
                    let change = self.change(place, change_kind, None);
                    let kind = StepKind::MakeFolder { place: place.clone(), mode: Some(*mode) };
                    self.steps.push(Step { kind, change: Some(change) });
                } else if let CurrentState::Folder(before) = self.current_state(index)
                    && before != mode
                {
                    let change = self.change(place, ChangeKind::Changed, None);
                    let kind = StepKind::FolderMode { place: place.clone(), before: *before, mode: *mode };
                    self.steps.push(Step { kind, change: Some(change) });
                }
            }
            State::Link(target) => {
                let change = match self.move_back(index) {
                    Some(_) => return Arrived::Yes,
                    None if matches!(self.current_state(index), CurrentState::Missing) => ChangeKind::Created,
                    None => ChangeKind::Changed,
                };
                let change = self.change(place, change, None);
                let kind = StepKind::Link { place: place.clone(), target: target.clone() };
                self.steps.push(Step { kind, change: Some(change) });
            }
            State::Large(_) => {
                if self.move_back(index).is_none() {
                    self.conflict(place, Reason::TooLarge);
                    return Arrived::Not;
                }
            }
            State::File { hash, metadata } => return self.restore(index, hash, metadata.as_ref()),
        }
        Arrived::Yes
    }

    /// Plans the move of what came from a place back to it; returns the change, if there is something to
    /// move.
    fn move_back(&mut self, index: usize) -> Option<usize> {
        let source = *self.sources.get(&index)?;
        let from = &self.nets[source].place;
        let before = self.current_state(source).before()?;
        let to = &self.nets[index].place;
        // The reserve is not a place that a user knows.
        let change = match from.is_reserved() {
            true => self.change(to, ChangeKind::Created, None),
            false => self.change(to, ChangeKind::Moved, Some(from)),
        };
        let kind = StepKind::Move { from: from.clone(), to: to.clone(), before };
        self.steps.push(Step { kind, change: Some(change) });
        Some(change)
    }

    // Plans that a file's content comes back: with the file that was moved away, or where it is, or again.
    fn restore(&mut self, index: usize, expected: &Hash, metadata: Option<&Metadata>) -> Arrived {
        let place = &self.nets[index].place;
        let source = self.sources.get(&index).copied();
        // The file that is brought back, if it is still there.
        let stays = !self.moved.contains(&index) && !self.is_in_made_again(index);
        let holder = source.or_else(|| stays.then_some(index));
        let current = holder.and_then(|holder| match self.current_state(holder) {
            CurrentState::File(file) => Some((holder, file)),
            _ => None,
        });
        let merging = current.is_some_and(|(holder, _)| self.classes[holder] == PlaceClass::ChangedSince)
            && self.later == Later::Merge;
        let merged = match current {
            Some((holder, _)) if merging => match self.merged(holder, expected) {
                Some(content) => Some(content),
                None => {
                    let holder = self.nets[holder].place.clone();
                    self.conflict(&holder, Reason::NotMergeable);
                    return Arrived::Not;
                }
            },
            _ => None,
        };
        let hash = merged.as_ref().map_or(*expected, |merged| blake3::hash(merged));
        let returning = current.zip(metadata).and_then(|((holder, file), before)| {
            if !file.is_readable {
                // Nobody knows what else the operation changed of it.
                return Some(before.clone());
            }
            let altered = Altered::by(&self.nets[holder], place, before);
            let is_back = altered.is_back(&file.metadata, before);
            (!is_back).then(|| altered.back(&file.metadata, before))
        });
        let same = current.is_some_and(|(_, file)| file.hash == Some(hash)) && returning.is_none();
        let write = if same {
            None
        } else {
            let Some(content) = merged.or_else(|| self.content(&hash, current)) else {
                self.conflict(place, Reason::NotKept);
                return Arrived::Not;
            };
            let (before, metadata) = match current {
                Some((holder, _)) => {
                    let before = self.current_state(holder).before().unwrap_or(Before::Missing);
                    (before, returning)
                }
                None => (Before::Missing, metadata.cloned()),
            };
            Some(StepKind::Write { place: place.clone(), before, content, metadata })
        };
        let change = self.move_back(index);
        let Some(kind) = write else {
            if let Some(change) = change {
                self.changes[change].merged = merging;
            }
            return Arrived::Yes;
        };
        let is_new =
            matches!(self.current_state(index), CurrentState::Missing) || self.moved.contains(&index);
        let change_kind = if is_new { ChangeKind::Created } else { ChangeKind::Changed };
        let change = change.unwrap_or_else(|| self.change(place, change_kind, None));
        self.changes[change].merged = merging;
        self.steps.push(Step { kind, change: Some(change) });
        Arrived::Yes
    }

    fn content(&self, hash: &Hash, current: Option<(usize, &CurrentFile)>) -> Option<Arc<[u8]>> {
        self.contents.saved_content(hash).or_else(|| {
            let (holder, _) = current.filter(|(_, file)| file.hash == Some(*hash))?;
            let current = self.contents.current(&self.nets[holder].place)?;
            (blake3::hash(&current) == *hash).then_some(current)
        })
    }

    /// Returns the content of the file at a place without what the operation changed in it.
    fn merged(&self, holder: usize, before: &Hash) -> Option<Arc<[u8]>> {
        let State::File { hash: after, .. } = &self.nets[holder].after else { return None };
        let current = self.contents.current(&self.nets[holder].place)?;
        if before == after {
            return Some(current);
        }
        let (before, after) = (self.contents.saved_content(before)?, self.contents.saved_content(after)?);
        Some(merge(&before, &after, &current)?.into())
    }

    fn change(&mut self, place: &JournalPlace, kind: ChangeKind, from: Option<&JournalPlace>) -> usize {
        self.changes.push(Change { place: place.clone(), kind, from: from.cloned(), merged: false });
        self.changes.len() - 1
    }

    /// Plans the folders: those that are gone by now are made for what comes back into them; those that hold
    /// more than what goes stay. What cannot be done for a folder is a conflict; with [`Later::Force`], the
    /// steps that it blocks are left out, and the others are planned again without them.
    fn folders(&mut self) {
        // With `Later::Force`, steps that a folder blocks are left out. That can make other folders stay, so
        // all are planned again.
        loop {
            let mut conflicts = Vec::new();
            let missing = missing_parents(&self.steps, self.now, &mut conflicts);
            let staying = staying(&self.steps, self.now);
            let in_the_way = staying.in_the_way.iter();
            conflicts.extend(
                in_the_way.map(|place| Conflict { place: place.clone(), reason: Reason::OtherFiles }),
            );
            conflicts.extend(in_denied_folders(&self.steps, self.now));
            let blocked: BTreeSet<JournalPlace> =
                conflicts.iter().map(|conflict| conflict.place.clone()).collect();
            self.conflicts.extend(conflicts);
            if self.later == Later::Force && !blocked.is_empty() {
                leave_out(&mut self.steps, &blocked);
                continue;
            }
            for place in missing {
                let change = self.change(&place, ChangeKind::FolderCreated, None);
                let kind = StepKind::MakeFolder { place, mode: None };
                self.steps.push(Step { kind, change: Some(change) });
            }
            let made_again = &self.made_again;
            let is_dropped = |step: &Step| match &step.kind {
                StepKind::RemoveFolder { place } => staying.all.contains(place),
                StepKind::MakeFolder { place, .. } => {
                    staying.all.contains(place) && made_again.contains(place)
                }
                _ => false,
            };
            self.steps.retain(|step| !is_dropped(step));
            self.stay = staying.with_others;
            return;
        }
    }

    fn finish(self, spare: &str) -> Result<Reverse, Refusal> {
        let (lost, conflicts) = match self.later {
            Later::Force => (self.conflicts, Vec::new()),
            _ => (Vec::new(), self.conflicts),
        };
        // Where nothing can be done, something else may be done about the reasons.
        let is_idle = self.steps.is_empty() && lost.iter().any(|conflict| !conflict.reason.is_lost());
        if !conflicts.is_empty() || is_idle {
            return Err(Refusal { conflicts: if is_idle { lost } else { conflicts } });
        }
        // Only what is still done is reported.
        let mut changes = Vec::new();
        let mut steps = self.steps;
        let mut numbers: HashMap<usize, usize> = HashMap::new();
        for step in &mut steps {
            let Some(old) = step.change else { continue };
            step.change = Some(*numbers.entry(old).or_insert_with(|| {
                changes.push(self.changes[old].clone());
                changes.len() - 1
            }));
        }
        let steps = with_rights(&order(steps, spare), self.now);
        Ok(Reverse { steps, changes, stay: self.stay, lost })
    }
}

fn in_denied_folders(steps: &[Step], now: &Now) -> Vec<Conflict> {
    let places = steps.iter().flat_map(|step| step.kind.leaves().into_iter().chain(step.kind.arrives()));
    let denied = places.filter_map(|place| {
        let why = now.denied.get(&parent(place).unwrap_or_else(|| top(place)))?;
        Some(Conflict { place: place.clone(), reason: Reason::FolderDenied(why.clone()) })
    });
    let mut seen = BTreeSet::new();
    denied.filter(|conflict| seen.insert(conflict.place.clone())).collect()
}

/// Leaves out the steps by which something comes to `blocked` places, or beneath them, and those by which
/// something goes from there. What such a step would have moved stays where it is and does not come elsewhere, so
/// both of its places are blocked as well.
fn leave_out(steps: &mut Vec<Step>, blocked: &BTreeSet<JournalPlace>) {
    let mut blocked = blocked.clone();
    loop {
        let known = blocked.len();
        let is_blocked = |place: &JournalPlace| {
            blocked.contains(place) || above(place).any(|folder| blocked.contains(&folder))
        };
        let mut dropped = BTreeSet::new();
        steps.retain(|step| {
            let (leaves, arrives) = (step.kind.leaves(), step.kind.arrives());
            let is_dropped =
                arrives.is_some_and(is_blocked) || leaves.is_some_and(|place| blocked.contains(place));
            if is_dropped {
                dropped.extend(leaves.into_iter().chain(arrives).cloned());
            }
            !is_dropped
        });
        blocked.extend(dropped);
        if blocked.len() == known {
            return;
        }
    }
}
