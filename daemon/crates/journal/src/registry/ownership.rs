//! The folder of the project that a record is about, by its identity: finds the record of a folder that was
//! moved, and keeps a record from being that of another folder at the same path.
//!
//! Example: `/src/p` is moved to `/src/q`, and a new project is made in `/src/p`. A request about `/src/p` finds
//! a record of another folder: it is displaced, and a new one begins. A request about `/src/q` finds no record
//! at its path, but the displaced one has its identity: it becomes the record of `/src/q`.
//!
//! Each record has a file with the identity and the path of its folder. The caller holds the lock of the
//! project's root, which is a lock of the folder itself, wherever it is.

use std::path::{Path, PathBuf};

use clada_fs::FolderIdentity;
use clada_store::StoreError;

use super::forgetting::Record;
use super::journals::JournalRegistry;
use super::owner::{FILE, RecordOwner, note_owner};
use crate::journal::Journal;

const MAX_DISPLACED: usize = 100;

/// The result of looking for the record of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FoundRecord {
    /// The record at its path is its own, or there is none.
    InPlace,
    /// It was moved from this path; its record is at its new path by now.
    Moved(PathBuf),
    /// It may have been moved from this path: the file system does not record when folders were created.
    Unsure(PathBuf),
}

impl JournalRegistry {
    /// Returns whether records have to be moved before the one at the path of `root` is that of the folder
    /// there, which has this identity. Changes nothing.
    #[must_use]
    pub fn has_to_move(&self, root: &Path, identity: &FolderIdentity) -> bool {
        let record = self.folder_of(root);
        match RecordOwner::read(&record) {
            Some(owner) => owner.root != root || !owner.identity.is_still_at(root, identity),
            None if record.symlink_metadata().is_ok() => false,
            None => self.owners().iter().any(|(_, owner)| {
                owner.identity.is_certainly(identity) && (owner.root == root || owner.has_left())
            }),
        }
    }

    /// Makes the record at the path of `root` that of the folder there, which has this identity. The caller
    /// holds the lock of the root if [`JournalRegistry::has_to_move`].
    ///
    /// # Errors
    /// If a record cannot be moved; then each is at its place.
    pub fn find_record(&self, root: &Path, identity: &FolderIdentity) -> Result<FoundRecord, StoreError> {
        let record = self.folder_of(root);
        let note = || RecordOwner { identity: *identity, root: root.to_path_buf() }.write(&record);
        match RecordOwner::read(&record) {
            Some(owner) if owner.identity.is_still_at(root, identity) => {
                if owner.root != root {
                    // The move of the record was cut off.
                    move_root(&record, &owner.root, root)?;
                    note()?;
                } else if owner.identity != *identity
                    && let Err(error) = note()
                {
                    tracing::debug!(%error, "a record has the former number of its project's device");
                }
                return Ok(FoundRecord::InPlace);
            }
            // A version before this one wrote it: it is taken for that of the folder at its path.
            None if record.symlink_metadata().is_ok() => {
                note_owner(&record, root);
                return Ok(FoundRecord::InPlace);
            }
            Some(_) => self.displace(root)?,
            None => {}
        }
        let candidates =
            self.owners().into_iter().filter(|(_, owner)| owner.root == root || owner.has_left());
        let mut unsure = None;
        for (other, owner) in candidates {
            if owner.identity.is_certainly(identity) {
                self.take_over(&other, &owner, root, identity)?;
                return Ok(if owner.root == root {
                    FoundRecord::InPlace
                } else {
                    FoundRecord::Moved(owner.root)
                });
            }
            if owner.root != root && owner.identity.may_be(identity) {
                unsure = Some(owner.root);
            }
        }
        Ok(unsure.map_or(FoundRecord::InPlace, FoundRecord::Unsure))
    }

    /// Makes the record of the folder that was at `from` that of the folder at `root`, at its user's wish.
    /// Returns whether there is such a record, whose folder is not at `from` any more.
    ///
    /// # Errors
    /// If a record cannot be moved.
    pub fn adopt_record(&self, root: &Path, from: &Path) -> Result<bool, StoreError> {
        let Some(identity) = FolderIdentity::read(root) else { return Ok(false) };
        let left_owner = self.owners().into_iter().find(|(_, owner)| owner.root == from && owner.has_left());
        let Some((other, owner)) = left_owner else { return Ok(false) };
        if other == self.folder_of(root) {
            return Ok(false);
        }
        if self.folder_of(root).symlink_metadata().is_ok() {
            self.displace(root)?;
        }
        self.take_over(&other, &owner, root, &identity)?;
        Ok(true)
    }

    /// Returns whether there are records of other folders that were at `root` before.
    #[must_use]
    pub fn has_displaced(&self, root: &Path) -> bool {
        !self.displaced(root).is_empty()
    }

    pub(super) fn displaced(&self, root: &Path) -> Vec<PathBuf> {
        (1..=MAX_DISPLACED)
            .map(|number| self.displaced_name(root, number))
            .filter(|path| path.symlink_metadata().is_ok())
            .collect()
    }

    fn displaced_name(&self, root: &Path, number: usize) -> PathBuf {
        let record = self.folder_of(root);
        let name = record.file_name().unwrap_or_default().to_string_lossy().into_owned();
        record.with_file_name(format!("{name}-{number}"))
    }

    fn displace(&self, root: &Path) -> Result<(), StoreError> {
        let record = self.folder_of(root);
        let mut names = (1..=MAX_DISPLACED).map(|number| self.displaced_name(root, number));
        let aside = match names.find(|path| path.symlink_metadata().is_err()) {
            Some(free) => free,
            None => self.forget_oldest_displaced(root)?,
        };
        rename(&record, &aside)?;
        tracing::info!(root = %root.display(), aside = %aside.display(), "a record is another folder's");
        Ok(())
    }

    /// Forgets the displaced record that was written first, so that a scratch folder made again and again at one
    /// path works on; returns its folder.
    fn forget_oldest_displaced(&self, root: &Path) -> Result<PathBuf, StoreError> {
        let written =
            |path: &PathBuf| path.join(FILE).symlink_metadata().and_then(|stat| stat.modified()).ok();
        let Some(folder) = self.displaced(root).into_iter().min_by_key(written) else {
            return Err(StoreError::nonsense(root, "no record of a folder that was at this path before"));
        };
        // Without a root: the reserve is that of the folder there now.
        self.forget(&Record { folder: folder.clone(), root: None, bytes: 0 })?;
        tracing::info!(record = %folder.display(), "the oldest record of a folder at this path is forgotten");
        Ok(folder)
    }

    fn take_over(
        &self,
        other: &Path,
        owner: &RecordOwner,
        root: &Path,
        identity: &FolderIdentity,
    ) -> Result<(), StoreError> {
        let record = self.folder_of(root);
        rename(other, &record)?;
        // What is cut off here goes on when the record is next looked for: its note has the old path still.
        move_root(&record, &owner.root, root)?;
        RecordOwner { identity: *identity, root: root.to_path_buf() }.write(&record)?;
        tracing::info!(from = %owner.root.display(), to = %root.display(), "a project was moved");
        Ok(())
    }

    fn owners(&self) -> Vec<(PathBuf, RecordOwner)> {
        let Ok(entries) = std::fs::read_dir(crate::folder(&self.0.state)) else { return Vec::new() };
        let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut owners: Vec<_> =
            folders.filter_map(|folder| Some((folder.clone(), RecordOwner::read(&folder)?))).collect();
        owners.sort_by(|(one, _), (other, _)| one.cmp(other));
        owners
    }

    fn folder_of(&self, root: &Path) -> PathBuf {
        let mut file = crate::path(&self.0.state, root);
        file.pop();
        file
    }
}

fn rename(from: &Path, to: &Path) -> Result<(), StoreError> {
    std::fs::rename(from, to).map_err(|error| StoreError::io(&error, from))
}

fn move_root(record: &Path, from: &Path, to: &Path) -> Result<(), StoreError> {
    let file = record.join(crate::FILE);
    // A project that was only staged has none.
    if file.symlink_metadata().is_err() {
        return Ok(());
    }
    match Journal::open_file(&file)?.move_root(from, to) {
        // A newer version's, which is only read: its changes are shown at their old paths.
        Err(StoreError::ReadOnly { .. }) => Ok(()),
        moved => moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World {
        top: tempfile::TempDir,
        registry: JournalRegistry,
    }

    impl World {
        fn new() -> World {
            let top = tempfile::tempdir().unwrap();
            let registry = JournalRegistry::new(top.path().join("state"));
            World { top, registry }
        }

        fn folder(&self, name: &str) -> PathBuf {
            let path = self.top.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            path
        }

        /// Begins the record of the folder at `root`.
        fn begin(&self, root: &Path) {
            self.registry.journal(root).with(|_| Ok(())).unwrap();
        }

        fn find(&self, root: &Path) -> FoundRecord {
            self.registry.find_record(root, &FolderIdentity::read(root).unwrap()).unwrap()
        }

        fn roots(&self) -> Vec<PathBuf> {
            self.registry.records().into_iter().filter_map(|record| record.root).collect()
        }
    }

    #[test]
    fn regression_a_folder_made_anew_at_one_path_again_and_again_has_a_record() {
        let world = World::new();
        let p = world.folder("p");
        for round in 0..MAX_DISPLACED + 3 {
            world.begin(&p);
            assert_eq!(world.find(&p), FoundRecord::InPlace, "{round}");
            // Another folder, whose inode is another one.
            let old = world.top.path().join(format!("old{round}"));
            std::fs::rename(&p, &old).unwrap();
            world.folder("p");
            assert_eq!(world.find(&p), FoundRecord::InPlace, "{round}");
        }
        assert_eq!(world.registry.displaced(&p).len(), MAX_DISPLACED);
        let last = world.top.path().join(format!("old{}", MAX_DISPLACED + 2));
        assert_eq!(world.find(&last), FoundRecord::Moved(p), "the newest is still found");
    }

    #[test]
    fn a_record_follows_its_folder_and_no_other_gets_it() {
        let world = World::new();
        let (p, q) = (world.folder("p"), world.top.path().join("q"));
        world.begin(&p);
        assert_eq!(world.find(&p), FoundRecord::InPlace);
        assert!(!world.registry.has_to_move(&p, &FolderIdentity::read(&p).unwrap()));
        std::fs::rename(&p, &q).unwrap();
        world.folder("p");
        assert!(world.registry.has_to_move(&p, &FolderIdentity::read(&p).unwrap()));
        assert!(world.registry.has_to_move(&q, &FolderIdentity::read(&q).unwrap()));
        // The new folder has no record; the moved one finds its own, displaced or not.
        assert_eq!(world.find(&p), FoundRecord::InPlace);
        assert!(world.registry.record(&p).is_none() && world.registry.has_displaced(&p));
        assert_eq!(world.find(&q), FoundRecord::Moved(p.clone()));
        assert!(world.registry.record(&q).is_some() && !world.registry.has_displaced(&p));
        assert_eq!(world.roots(), std::slice::from_ref(&q));
        // And back.
        std::fs::remove_dir(&p).unwrap();
        std::fs::rename(&q, &p).unwrap();
        assert_eq!(world.find(&p), FoundRecord::Moved(q));
        assert_eq!(world.roots(), [p]);
    }

    #[test]
    fn a_record_without_a_note_is_the_folder_s_at_its_path() {
        let world = World::new();
        let p = world.folder("p");
        world.begin(&p);
        let note = world.registry.folder_of(&p).join(FILE);
        std::fs::remove_file(&note).unwrap();
        assert_eq!(world.find(&p), FoundRecord::InPlace);
        assert!(note.exists() && world.registry.record(&p).is_some());
        // From now on it is known.
        std::fs::rename(&p, world.top.path().join("q")).unwrap();
        assert_eq!(world.find(&world.top.path().join("q")), FoundRecord::Moved(p));
    }

    #[test]
    fn a_move_of_a_record_that_was_cut_off_is_finished() {
        let world = World::new();
        let (p, q) = (world.folder("p"), world.top.path().join("q"));
        world.begin(&p);
        let record = world.registry.folder_of(&p);
        std::fs::rename(&p, &q).unwrap();
        std::fs::rename(&record, world.registry.folder_of(&q)).unwrap();
        assert!(world.registry.has_to_move(&q, &FolderIdentity::read(&q).unwrap()));
        assert_eq!(world.find(&q), FoundRecord::InPlace);
        assert_eq!(world.roots(), std::slice::from_ref(&q));
        assert!(!world.registry.has_to_move(&q, &FolderIdentity::read(&q).unwrap()));
    }

    #[test]
    fn without_a_birth_time_nothing_is_taken_over_unasked() {
        let world = World::new();
        let (p, q) = (world.folder("p"), world.top.path().join("q"));
        world.begin(&p);
        let owner = RecordOwner::read(&world.registry.folder_of(&p)).unwrap();
        let unsure = FolderIdentity { born: None, ..owner.identity };
        RecordOwner { identity: unsure, ..owner }.write(&world.registry.folder_of(&p)).unwrap();
        std::fs::rename(&p, &q).unwrap();
        assert_eq!(world.registry.find_record(&q, &unsure).unwrap(), FoundRecord::Unsure(p.clone()));
        assert!(world.registry.record(&q).is_none());
        assert!(!world.registry.adopt_record(&q, &q).unwrap());
        assert!(world.registry.adopt_record(&q, &p).unwrap());
        assert_eq!(world.roots(), [q]);
    }

    #[test]
    fn a_folder_that_is_at_its_path_still_keeps_its_record() {
        let world = World::new();
        let (p, q) = (world.folder("p"), world.folder("q"));
        world.begin(&p);
        // As a second path of the same folder would be, which a bind mount makes.
        let identity = FolderIdentity::read(&p).unwrap();
        assert_eq!(world.registry.find_record(&q, &identity).unwrap(), FoundRecord::InPlace);
        assert!(!world.registry.adopt_record(&q, &p).unwrap());
        assert_eq!(world.roots(), [p]);
    }
}
