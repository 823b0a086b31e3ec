//! Which folders of which projects a watch stands for. Pure data.
//!
//! Nearly every watch has one owner, so one costs no memory of its own; the others of a watch are kept apart.

use std::collections::HashMap;

use super::index::FolderId;
use super::routes::ProjectId;
use super::source::WatchId;

/// Where notices of a watch go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) project: ProjectId,
    pub(super) folder: FolderId,
}

/// The owners of all watches. A watch that has none is not known.
#[derive(Debug, Default)]
pub(super) struct Owners {
    one: HashMap<WatchId, Owner>,
    /// The others, of watches that are in `one`. Never none.
    others: HashMap<WatchId, Vec<Owner>>,
}

impl Owners {
    /// How many watches have owners.
    pub(super) fn len(&self) -> usize {
        self.one.len()
    }

    /// Whether a watch has any.
    pub(super) fn know(&self, watch: WatchId) -> bool {
        self.one.contains_key(&watch)
    }

    /// All that a watch has.
    pub(super) fn of(&self, watch: WatchId) -> impl Iterator<Item = Owner> {
        let others = self.others.get(&watch).into_iter().flatten();
        self.one.get(&watch).into_iter().chain(others).copied()
    }

    /// A watch gets one more, unless it is one already.
    pub(super) fn add(&mut self, watch: WatchId, owner: Owner) {
        if !self.know(watch) {
            self.one.insert(watch, owner);
        } else if self.of(watch).all(|other| other != owner) {
            self.others.entry(watch).or_default().push(owner);
        }
    }

    /// A watch keeps those owners that `keep` says; whether any are left. One that had none before has some left.
    pub(super) fn retain(&mut self, watch: WatchId, keep: impl Fn(Owner) -> bool) -> bool {
        if !self.know(watch) {
            return true;
        }
        let mut left: Vec<Owner> = self.of(watch).filter(|owner| keep(*owner)).collect();
        self.remove(watch);
        let Some(one) = left.pop() else { return false };
        self.one.insert(watch, one);
        if !left.is_empty() {
            self.others.insert(watch, left);
        }
        true
    }

    /// A watch has no owners any more.
    pub(super) fn remove(&mut self, watch: WatchId) {
        self.one.remove(&watch);
        self.others.remove(&watch);
    }

    /// The watches that a project has.
    pub(super) fn watches_of(&self, project: ProjectId) -> Vec<WatchId> {
        let owned = |watch: &WatchId| self.of(*watch).any(|owner| owner.project == project);
        self.one.keys().copied().filter(owned).collect()
    }

    /// Gives memory back that as few as there are now do not need.
    pub(super) fn shrink(&mut self) {
        self.one.shrink_to(self.one.len() * 2);
        self.others.shrink_to(self.others.len() * 2);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// As a plain list of pairs says.
        #[test]
        fn a_watch_has_those_that_were_added_and_not_taken(
            steps in proptest::collection::vec((0u8..3, 0u64..3, 0u32..3, any::<bool>()), 0..40),
        ) {
            let mut owners = Owners::default();
            let mut pairs: Vec<(WatchId, ProjectId)> = Vec::new();
            let folder = FolderId::ROOT;
            for (what, watch, project, all) in steps {
                let (watch, project) = (WatchId(watch), ProjectId(project));
                match what {
                    0 if all => {
                        owners.remove(watch);
                        pairs.retain(|(of, _)| *of != watch);
                    }
                    1 => {
                        let had = pairs.iter().any(|(of, _)| *of == watch);
                        pairs.retain(|pair| *pair != (watch, project));
                        let left = !had || pairs.iter().any(|(of, _)| *of == watch);
                        prop_assert_eq!(owners.retain(watch, |owner| owner.project != project), left);
                    }
                    _ => {
                        owners.add(watch, Owner { project, folder });
                        pairs.retain(|pair| *pair != (watch, project));
                        pairs.push((watch, project));
                    }
                }
                for watch in (0..3).map(WatchId) {
                    let mut has: Vec<u32> = owners.of(watch).map(|owner| owner.project.0).collect();
                    has.sort_unstable();
                    let with = pairs.iter().filter(|(of, _)| *of == watch);
                    let mut wanted: Vec<u32> = with.map(|(_, project)| project.0).collect();
                    wanted.sort_unstable();
                    prop_assert_eq!(owners.know(watch), !wanted.is_empty());
                    prop_assert_eq!(has, wanted);
                }
                for project in (0..3).map(ProjectId) {
                    let mut has = owners.watches_of(project);
                    has.sort_unstable();
                    let with = pairs.iter().filter(|(_, of)| *of == project);
                    let mut wanted: Vec<WatchId> = with.map(|(watch, _)| *watch).collect();
                    wanted.sort_unstable();
                    prop_assert_eq!(has, wanted);
                }
            }
        }
    }
}
