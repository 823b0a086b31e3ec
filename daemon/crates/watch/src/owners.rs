//! The owners of watches: the folders of projects that a watch stands for. Pure data.
//!
//! Nearly every watch has one owner, which costs no separate allocation; the others are kept apart.

use std::collections::HashMap;

use super::index::FolderId;
use super::source::WatchId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WatchOwner {
    pub(super) project: ProjectId,
    pub(super) folder: FolderId,
}

#[derive(Debug, Default)]
pub(super) struct WatchOwners {
    one: HashMap<WatchId, WatchOwner>,
    /// The further owners, of watches that are in `one`. Never an empty list.
    others: HashMap<WatchId, Vec<WatchOwner>>,
}

impl WatchOwners {
    pub(super) fn len(&self) -> usize {
        self.one.len()
    }

    pub(super) fn know(&self, watch: WatchId) -> bool {
        self.one.contains_key(&watch)
    }

    pub(super) fn owners_of(&self, watch: WatchId) -> impl Iterator<Item = WatchOwner> {
        let others = self.others.get(&watch).into_iter().flatten();
        self.one.get(&watch).into_iter().chain(others).copied()
    }

    pub(super) fn add(&mut self, watch: WatchId, owner: WatchOwner) {
        if !self.know(watch) {
            self.one.insert(watch, owner);
        } else if self.owners_of(watch).all(|other| other != owner) {
            self.others.entry(watch).or_default().push(owner);
        }
    }

    pub(super) fn retain(&mut self, watch: WatchId, keep: impl Fn(WatchOwner) -> bool) -> bool {
        if !self.know(watch) {
            return true;
        }
        let mut remaining: Vec<WatchOwner> = self.owners_of(watch).filter(|owner| keep(*owner)).collect();
        self.remove(watch);
        let Some(one) = remaining.pop() else { return false };
        self.one.insert(watch, one);
        if !remaining.is_empty() {
            self.others.insert(watch, remaining);
        }
        true
    }

    pub(super) fn remove(&mut self, watch: WatchId) {
        self.one.remove(&watch);
        self.others.remove(&watch);
    }

    pub(super) fn watches_of(&self, project: ProjectId) -> Vec<WatchId> {
        let owned = |watch: &WatchId| self.owners_of(*watch).any(|owner| owner.project == project);
        self.one.keys().copied().filter(owned).collect()
    }

    pub(super) fn shrink(&mut self) {
        self.one.shrink_to(self.one.len() * 2);
        self.others.shrink_to(self.others.len() * 2);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProjectId(pub(super) u32);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compares with a plain list of pairs.
        #[test]
        fn a_watch_has_those_that_were_added_and_not_taken(
            steps in proptest::collection::vec((0u8..3, 0u64..3, 0u32..3, any::<bool>()), 0..40),
        ) {
            let mut owners = WatchOwners::default();
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
                        let has_owners = !had || pairs.iter().any(|(of, _)| *of == watch);
                        prop_assert_eq!(owners.retain(watch, |owner| owner.project != project), has_owners);
                    }
                    _ => {
                        owners.add(watch, WatchOwner { project, folder });
                        pairs.retain(|pair| *pair != (watch, project));
                        pairs.push((watch, project));
                    }
                }
                // After every step, both directions of the table must agree with the list.
                for watch in (0..3).map(WatchId) {
                    let mut has: Vec<u32> = owners.owners_of(watch).map(|owner| owner.project.0).collect();
                    has.sort_unstable();
                    let with = pairs.iter().filter(|(of, _)| *of == watch);
                    let mut request: Vec<u32> = with.map(|(_, project)| project.0).collect();
                    request.sort_unstable();
                    prop_assert_eq!(owners.know(watch), !request.is_empty());
                    prop_assert_eq!(has, request);
                }
                for project in (0..3).map(ProjectId) {
                    let mut has = owners.watches_of(project);
                    has.sort_unstable();
                    let with = pairs.iter().filter(|(_, of)| *of == project);
                    let mut request: Vec<WatchId> = with.map(|(watch, _)| *watch).collect();
                    request.sort_unstable();
                    prop_assert_eq!(has, request);
                }
            }
        }
    }
}
