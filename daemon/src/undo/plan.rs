//! From what an operation did and what stands there now, to the steps that take it back.
//!
//! Pure: contents are asked for by hash. Each place is judged by itself first ([`Fate`]); then what goes, what comes
//! and where it comes from is told for each; then the folders around them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use blake3::Hash;
use clada_protocol::ChangeKind;

use super::merge::merge;
use super::now::{Found, Now, Standing};
use super::order::order;
use super::place::{above, child};
use super::refusal::{Conflict, Reason, Refusal};
use crate::fs::Metadata;
use crate::journal::{Net, Place, State};
use crate::pipeline::Before;

/// What is done about changes that were made since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Later {
    /// They keep the operation from being taken back.
    Refuse,
    /// Those of text are kept, if they touch other lines.
    Merge,
    /// They are overwritten.
    Force,
}

/// Where contents come from.
pub trait Contents {
    /// The content with this hash, if it is kept.
    fn kept(&self, hash: &Hash) -> Option<Arc<[u8]>>;

    /// What the file at a place holds now, if that can be read.
    fn current(&self, place: &Place) -> Option<Arc<[u8]>>;
}

/// How an operation is taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reverse {
    /// What has to be done, in order.
    pub steps: Vec<Step>,
    /// What that does to each path.
    pub changes: Vec<Change>,
    /// Folders of the operation that stay, since they hold other files.
    pub stay: Vec<Place>,
    /// With [`Later::Force`]: what cannot be brought back.
    pub lost: Vec<Conflict>,
}

/// What is done to a path, as it is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where.
    pub place: Place,
    /// What.
    pub kind: ChangeKind,
    /// Of a move: where from.
    pub from: Option<Place>,
    /// What was changed since is kept.
    pub merged: bool,
}

/// One step, and the [`Change`] that it is a part of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// Of [`Reverse::changes`], which; `None` for a step on the way.
    pub change: Option<usize>,
}

/// What a step does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepKind {
    /// A folder comes to be.
    MakeFolder {
        /// Where.
        place: Place,
        /// Its permission bits; `None`: those of any new folder.
        mode: Option<u32>,
    },
    /// An empty folder goes.
    RemoveFolder {
        /// Which.
        place: Place,
    },
    /// A file or link goes.
    Remove {
        /// Which.
        place: Place,
        /// What must be there.
        before: Before,
    },
    /// A file or link moves to where nothing is.
    Move {
        /// From here.
        from: Place,
        /// To there.
        to: Place,
        /// What must be there.
        before: Before,
    },
    /// A file's content changes, or it comes to be.
    Write {
        /// Which.
        place: Place,
        /// What must be there.
        before: Before,
        /// What it will hold.
        content: Arc<[u8]>,
        /// What it will have besides; `None`: what it has.
        metadata: Option<Metadata>,
    },
    /// A link comes to be where nothing is.
    Link {
        /// Where.
        place: Place,
        /// Where it points.
        target: Vec<u8>,
    },
}

impl StepKind {
    /// The place at which nothing is left.
    pub(super) fn leaves(&self) -> Option<&Place> {
        match self {
            StepKind::RemoveFolder { place } | StepKind::Remove { place, .. } => Some(place),
            StepKind::Move { from, .. } => Some(from),
            _ => None,
        }
    }

    /// The place at which something comes to be, or changes.
    pub(super) fn arrives(&self) -> Option<&Place> {
        match self {
            StepKind::MakeFolder { place, .. }
            | StepKind::Write { place, .. }
            | StepKind::Link { place, .. } => Some(place),
            StepKind::Move { to, .. } => Some(to),
            StepKind::RemoveFolder { .. } | StepKind::Remove { .. } => None,
        }
    }
}

/// How to take back what led to `nets`, which are the places that are not as they were, given what stands `now`.
/// `spare` begins names that nothing has.
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
    let mut planner = Planner::new(nets, now, later, contents);
    for index in 0..nets.len() {
        planner.judge(index);
    }
    planner.find_sources();
    for index in 0..nets.len() {
        // Nothing goes from where nothing can come back.
        let stands = matches!(planner.fates[index], Fate::Left | Fate::Later);
        if stands && planner.arrive(index) == Arrived::Yes {
            planner.leave(index);
        }
    }
    planner.make_parents();
    planner.keep_folders();
    planner.finish(spare)
}

/// What has become of a place since the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// It is as it was before the operation: nothing is to be done.
    Back,
    /// It is as the operation left it.
    Left,
    /// It is neither, and that is to be merged or overwritten.
    Later,
    /// It is neither.
    Conflict,
}

/// Whether what was at a place can come back.
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
    fates: Vec<Fate>,
    /// Of each place, the one whose file or link is moved back to it.
    sources: HashMap<usize, usize>,
    /// Those whose file or link is moved back.
    moved: BTreeSet<usize>,
    steps: Vec<Step>,
    changes: Vec<Change>,
    conflicts: Vec<Conflict>,
    stay: Vec<Place>,
}

impl<'a> Planner<'a> {
    fn new(nets: &'a [Net], now: &'a Now, later: Later, contents: &'a dyn Contents) -> Planner<'a> {
        Planner {
            nets,
            now,
            later,
            contents,
            fates: Vec::with_capacity(nets.len()),
            sources: HashMap::new(),
            moved: BTreeSet::new(),
            steps: Vec::new(),
            changes: Vec::new(),
            conflicts: Vec::new(),
            stay: Vec::new(),
        }
    }

    fn standing(&self, index: usize) -> &'a Standing {
        self.now.at(&self.nets[index].place)
    }

    fn conflict(&mut self, place: &Place, reason: Reason) {
        self.conflicts.push(Conflict { place: place.clone(), reason });
    }

    /// Says what has become of a place; one that keeps the operation from being taken back is noted.
    fn judge(&mut self, index: usize) {
        let net = &self.nets[index];
        let standing = self.standing(index);
        let fate = if standing.is(&net.before) && has_mode_of(standing, &net.before, net) {
            Fate::Back
        } else if standing.is(&net.after) && has_mode_of(standing, &net.after, net) {
            Fate::Left
        } else {
            let reason = match standing {
                Standing::Missing => Reason::Gone,
                Standing::Special | Standing::Folder => Reason::InTheWay,
                Standing::Unknown(why) => Reason::Unknown(why.clone()),
                Standing::File(_) | Standing::Link(_) => Reason::Changed,
            };
            let goes_on = match self.later {
                Later::Refuse => false,
                Later::Merge => matches!(
                    (standing, &net.after, &net.before),
                    (
                        Standing::File(Found { hash: Some(_), .. }),
                        State::File { .. },
                        State::File { .. } | State::Missing
                    )
                ),
                Later::Force => may_be_overwritten(standing, net),
            };
            if goes_on {
                Fate::Later
            } else {
                let merging = self.later == Later::Merge && matches!(reason, Reason::Changed | Reason::Gone);
                self.conflict(&net.place, if merging { Reason::NotMergeable } else { reason });
                Fate::Conflict
            }
        };
        self.fates.push(fate);
    }

    /// Finds what is moved back, and where to.
    fn find_sources(&mut self) {
        let places: HashMap<&Place, usize> =
            self.nets.iter().enumerate().map(|(index, net)| (&net.place, index)).collect();
        for (source, net) in self.nets.iter().enumerate() {
            let Some(target) = net.came_from.as_ref().and_then(|from| places.get(from)).copied() else {
                continue;
            };
            let standing = self.standing(source);
            let fits = match (&self.nets[target].before, standing) {
                (State::File { .. } | State::Large(_), Standing::File(_)) => true,
                (before @ State::Link(_), Standing::Link(_)) => standing.is(before),
                _ => false,
            };
            let stands = matches!(self.fates[source], Fate::Left | Fate::Later);
            if fits && stands && self.fates[target] != Fate::Back {
                self.sources.insert(target, source);
                self.moved.insert(source);
            }
        }
    }

    /// What stands at a place goes, unless it is changed where it is.
    fn leave(&mut self, index: usize) {
        let net = &self.nets[index];
        let stays = match (self.standing(index), &net.before) {
            _ if self.moved.contains(&index) => true,
            (Standing::Missing | Standing::Special | Standing::Unknown(_), _) => true,
            (Standing::Folder, State::Folder(_)) => true,
            (Standing::File(_), State::File { .. }) => !self.sources.contains_key(&index),
            _ => false,
        };
        if stays {
            return;
        }
        let place = net.place.clone();
        let (kind, change) = match self.standing(index).before() {
            Some(before) => (StepKind::Remove { place, before }, ChangeKind::Deleted),
            None => (StepKind::RemoveFolder { place }, ChangeKind::FolderDeleted),
        };
        // What gives way to something else is told with that.
        let change = (net.before == State::Missing).then(|| self.change(&net.place, change, None));
        self.steps.push(Step { kind, change });
    }

    /// What was at a place comes back, if it can.
    fn arrive(&mut self, index: usize) -> Arrived {
        let net = &self.nets[index];
        let place = &net.place;
        let merging = self.fates[index] == Fate::Later && self.later == Later::Merge;
        let gives_way = net.before == State::Missing || self.sources.contains_key(&index);
        if merging && gives_way && !self.moved.contains(&index) {
            self.conflict(place, Reason::NotMergeable);
            return Arrived::Not;
        }
        match &net.before {
            State::Missing => {}
            State::Folder(mode) => {
                if !matches!(self.standing(index), Standing::Folder) {
                    let change = self.change(place, ChangeKind::FolderCreated, None);
                    let kind = StepKind::MakeFolder { place: place.clone(), mode: Some(*mode) };
                    self.steps.push(Step { kind, change: Some(change) });
                }
            }
            State::Link(target) => {
                let change = match self.move_back(index) {
                    Some(_) => return Arrived::Yes,
                    None if matches!(self.standing(index), Standing::Missing) => ChangeKind::Created,
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

    /// Moves what came from a place back to it; the change, if there is something to move.
    fn move_back(&mut self, index: usize) -> Option<usize> {
        let source = *self.sources.get(&index)?;
        let from = &self.nets[source].place;
        let before = self.standing(source).before()?;
        let to = &self.nets[index].place;
        let change = self.change(to, ChangeKind::Moved, Some(from));
        let kind = StepKind::Move { from: from.clone(), to: to.clone(), before };
        self.steps.push(Step { kind, change: Some(change) });
        Some(change)
    }

    /// A file's content comes back: with the file that was moved away, or where it is, or anew.
    fn restore(&mut self, index: usize, wanted: &Hash, metadata: Option<&Metadata>) -> Arrived {
        let place = &self.nets[index].place;
        let source = self.sources.get(&index).copied();
        // Which file it is that is brought back, if it is still there.
        let holder = source.or_else(|| (!self.moved.contains(&index)).then_some(index));
        let found = holder.and_then(|holder| match self.standing(holder) {
            Standing::File(found) => Some((holder, found)),
            _ => None,
        });
        let merging =
            found.is_some_and(|(holder, _)| self.fates[holder] == Fate::Later) && self.later == Later::Merge;
        let merged = match found {
            Some((holder, _)) if merging => match self.merged(holder, wanted) {
                Some(content) => Some(content),
                None => {
                    let holder = self.nets[holder].place.clone();
                    self.conflict(&holder, Reason::NotMergeable);
                    return Arrived::Not;
                }
            },
            _ => None,
        };
        let hash = merged.as_ref().map_or(*wanted, |merged| blake3::hash(merged));
        let changed_mode = found.is_some_and(|(holder, found)| {
            let after = &self.nets[holder].after;
            metadata
                .is_some_and(|metadata| changes_mode(metadata, after) && found.metadata.mode != metadata.mode)
        });
        let same = found.is_some_and(|(_, found)| found.hash == Some(hash)) && !changed_mode;
        let write = if same {
            None
        } else {
            let Some(content) = merged.or_else(|| self.content(&hash, found)) else {
                self.conflict(place, Reason::NotKept);
                return Arrived::Not;
            };
            let (before, metadata) = match found {
                Some((holder, _)) => {
                    let before = self.standing(holder).before().unwrap_or(Before::Missing);
                    (before, metadata.filter(|_| changed_mode).cloned())
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
        let is_new = matches!(self.standing(index), Standing::Missing) || self.moved.contains(&index);
        let told = if is_new { ChangeKind::Created } else { ChangeKind::Changed };
        let change = change.unwrap_or_else(|| self.change(place, told, None));
        self.changes[change].merged = merging;
        self.steps.push(Step { kind, change: Some(change) });
        Arrived::Yes
    }

    /// The content with this hash: kept, or that of the file that was found.
    fn content(&self, hash: &Hash, found: Option<(usize, &Found)>) -> Option<Arc<[u8]>> {
        self.contents.kept(hash).or_else(|| {
            let (holder, _) = found.filter(|(_, found)| found.hash == Some(*hash))?;
            let current = self.contents.current(&self.nets[holder].place)?;
            (blake3::hash(&current) == *hash).then_some(current)
        })
    }

    /// What the file at a place holds, without what the operation changed in it.
    fn merged(&self, holder: usize, before: &Hash) -> Option<Arc<[u8]>> {
        let State::File { hash: after, .. } = &self.nets[holder].after else { return None };
        let current = self.contents.current(&self.nets[holder].place)?;
        if before == after {
            return Some(current);
        }
        let (before, after) = (self.contents.kept(before)?, self.contents.kept(after)?);
        Some(merge(&before, &after, &current)?.into())
    }

    fn change(&mut self, place: &Place, kind: ChangeKind, from: Option<&Place>) -> usize {
        self.changes.push(Change { place: place.clone(), kind, from: from.cloned(), merged: false });
        self.changes.len() - 1
    }

    /// Folders that are gone by now are made for what comes back into them.
    fn make_parents(&mut self) {
        let made = |step: &Step| match &step.kind {
            StepKind::MakeFolder { place, .. } => Some(place.clone()),
            _ => None,
        };
        let mut made: BTreeSet<Place> = self.steps.iter().filter_map(made).collect();
        let arrivals: Vec<Place> =
            self.steps.iter().filter_map(|step| step.kind.arrives().cloned()).collect();
        let mut missing: BTreeSet<Place> = BTreeSet::new();
        for place in arrivals {
            for folder in above(&place) {
                if made.contains(&folder) {
                    break;
                }
                match self.now.at(&folder) {
                    Standing::Folder => break,
                    Standing::Missing => {
                        made.insert(folder.clone());
                        missing.insert(folder);
                    }
                    Standing::Unknown(why) => {
                        self.conflict(&folder, Reason::Unknown(why.clone()));
                        break;
                    }
                    _ => {
                        self.conflict(&folder, Reason::NotFolder);
                        break;
                    }
                }
            }
        }
        for place in missing {
            let change = self.change(&place, ChangeKind::FolderCreated, None);
            self.steps.push(Step { kind: StepKind::MakeFolder { place, mode: None }, change: Some(change) });
        }
    }

    /// Folders that hold what does not go stay, those that hold them too.
    fn keep_folders(&mut self) {
        let mut leaving: BTreeMap<Place, usize> = BTreeMap::new();
        let mut holds: BTreeSet<Place> = BTreeSet::new();
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(place) = step.kind.leaves() {
                leaving.insert(place.clone(), index);
            }
            if let Some(place) = step.kind.arrives() {
                holds.extend(above(place));
            }
        }
        let mut folders: Vec<Place> = self
            .steps
            .iter()
            .filter_map(|step| match &step.kind {
                StepKind::RemoveFolder { place } => Some(place.clone()),
                _ => None,
            })
            .collect();
        // The innermost first.
        folders.sort_by_key(|place| std::cmp::Reverse(place.relative.components().count()));
        let arrives: BTreeSet<Place> =
            self.steps.iter().filter_map(|step| step.kind.arrives().cloned()).collect();
        let mut kept: BTreeSet<Place> = BTreeSet::new();
        for folder in folders {
            let inside = self.now.names(&folder).iter().map(|name| child(&folder, name));
            let (mut foreign, mut stays) = (false, holds.contains(&folder));
            for place in inside.filter(|place| !leaving.contains_key(place)) {
                stays = true;
                foreign |= !kept.contains(&place);
            }
            if !stays {
                continue;
            }
            if arrives.contains(&folder) {
                self.conflict(&folder, Reason::OtherFiles);
            } else if foreign {
                self.stay.push(folder.clone());
            }
            leaving.remove(&folder);
            kept.insert(folder);
        }
        let dropped =
            |step: &Step| matches!(&step.kind, StepKind::RemoveFolder { place } if kept.contains(place));
        self.steps.retain(|step| !dropped(step));
    }

    fn finish(self, spare: &str) -> Result<Reverse, Refusal> {
        let (lost, conflicts): (Vec<_>, Vec<_>) = match self.later {
            Later::Force => self.conflicts.into_iter().partition(|conflict| conflict.reason.is_lost()),
            _ => (Vec::new(), self.conflicts),
        };
        if !conflicts.is_empty() {
            return Err(Refusal { conflicts });
        }
        // Only what is still done is told.
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
        Ok(Reverse { steps: order(steps, spare), changes, stay: self.stay, lost })
    }
}

/// Whether the operation made the mode another one than `before`.
fn changes_mode(before: &Metadata, after: &State) -> bool {
    matches!(after, State::File { metadata: Some(after), .. } if after.mode != before.mode)
}

/// Whether a file has the mode of `state`, where the operation has changed modes; what it left alone may be changed
/// by others.
fn has_mode_of(standing: &Standing, state: &State, net: &Net) -> bool {
    match (standing, state, &net.before) {
        (
            Standing::File(found),
            State::File { metadata: Some(metadata), .. },
            State::File { metadata: Some(before), .. },
        ) if changes_mode(before, &net.after) => found.metadata.mode == metadata.mode,
        _ => true,
    }
}

/// Whether what stands at a place of an operation may be lost to what was there before: only what the undo itself
/// keeps, and nothing is removed that is not of the kind that the operation made.
fn may_be_overwritten(standing: &Standing, net: &Net) -> bool {
    match standing {
        Standing::Missing => true,
        Standing::File(Found { hash: Some(_), .. }) => match &net.before {
            State::Missing => matches!(net.after, State::File { .. } | State::Large(_)),
            State::Folder(_) => false,
            _ => true,
        },
        Standing::Link(_) => match &net.before {
            State::Missing => matches!(net.after, State::Link(_)),
            State::Folder(_) => false,
            _ => true,
        },
        _ => false,
    }
}
