//! The hidden files of the index: files in folders that are not part of it, because rules hide them. Pure
//! data.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clada_fs::{Identity, is_outside};

use super::{Child, FileId, FolderId, WatchIndex};

impl WatchIndex {
    pub(crate) fn hides(&self, path: &Path) -> bool {
        let mut here = Some(FolderId::ROOT);
        let mut rules = self.folder(FolderId::ROOT).map(|root| &root.rules);
        let mut way = PathBuf::new();
        let mut names = path.iter().peekable();
        while let Some(name) = names.next() {
            if is_outside(name) {
                return false;
            }
            way.push(name);
            let is_folder = names.peek().is_some();
            let child = here.and_then(|here| self.child(here, name));
            // There may now be a folder where git has a file, or the other way round; that can turn without a
            // change of a rule or of git's index.
            here = match child {
                Some(Child::File(_)) if !is_folder => return false,
                Some(Child::Folder(id)) if is_folder => Some(id),
                _ => None,
            };
            match here.and_then(|here| self.folder(here)) {
                Some(folder) => rules = Some(&folder.rules),
                None if rules.is_some_and(|rules| rules.hides(&way, is_folder)) => return true,
                None => {}
            }
        }
        false
    }

    pub(crate) fn hidden(&self) -> impl Iterator<Item = &OsStr> {
        self.names_in(FolderId::HIDDEN)
    }

    pub(crate) fn unhide(&mut self, way: &OsStr) {
        let (Some(Child::File(old)), Some(new)) =
            (self.child(FolderId::HIDDEN, way), self.at(Path::new(way)))
        else {
            self.remove(FolderId::HIDDEN, way);
            return;
        };
        let born = self.files.get(old).map(|file| file.born);
        let is_same = match (self.files.get(old), self.files.get(new)) {
            (Some(old), Some(new)) => !old.racy && old.identity == new.identity,
            _ => false,
        };
        if let Some(changed) = self.changed(old).filter(|_| is_same) {
            self.unmoved.insert(new, changed);
        }
        self.remove(FolderId::HIDDEN, way);
        self.tombstones.take(Path::new(way));
        if let (Some(file), Some(born)) = (self.files.get_mut(new), born) {
            file.born = born;
        }
    }

    pub(crate) fn identity(&self, path: &Path) -> Option<Identity> {
        let hidden = || match self.child(FolderId::HIDDEN, path.as_os_str()) {
            Some(Child::File(file)) => Some(file),
            _ => None,
        };
        let file = self.at(path).or_else(hidden)?;
        Some(self.devices.identity(&self.files.get(file)?.identity))
    }

    fn at(&self, path: &Path) -> Option<FileId> {
        let mut here = Child::Folder(FolderId::ROOT);
        for name in path.iter() {
            let Child::Folder(folder) = here else { return None };
            here = self.child(folder, name)?;
        }
        if let Child::File(file) = here { Some(file) } else { None }
    }
}
