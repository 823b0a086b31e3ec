//! Files that git tracks although ignore rules hide them: they are part of the project all the same.
//!
//! Their folders are not crawled and not watched, so each file is read each time; there are few. The list of
//! them is made again when git's index or a rule has changed.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, Identity, OpenFolder, Roots, Stat, Timestamp};

use super::index::{Doubt, FolderId, SeenFile, WatchIndex};
use super::read::{Failure, fine_device};
use super::reconcile::{is_absence, is_racy};

#[derive(Debug, Default)]
pub(super) struct Tracked {
    /// The path of git's index, and the path from the repository's top to the root.
    place: Option<(PathBuf, PathBuf)>,
    read: Option<Identity>,
    hidden: BTreeSet<PathBuf>,
}

impl Tracked {
    pub(super) fn locate(&mut self, roots: &Roots) {
        self.place = roots.git_index();
        self.read = None;
    }

    pub(super) fn reconcile(
        &mut self,
        index: &mut WatchIndex,
        roots: &Roots,
        looked: Timestamp,
        again: bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<(), Failure> {
        let now = self.place.as_ref().and_then(|(file, _)| Roots::identity_outside(file));
        if again || now != self.read {
            self.choose(index);
            self.read = now;
        }
        let shown = index.hidden().filter(|name| !self.hidden.contains(Path::new(name)));
        let no_longer_shown: Vec<_> = shown.map(OsStr::to_owned).collect();
        for name in no_longer_shown {
            index.unhide(&name);
        }
        // The files of one folder are neighbours, so each folder is opened once.
        let mut at: Option<(&Path, Option<OpenFolder>)> = None;
        for (count, path) in self.hidden.iter().enumerate() {
            if count % 1000 == 999 && stop() {
                return Err(Failure::Stopped);
            }
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { continue };
            if at.as_ref().is_none_or(|(folder, _)| *folder != parent) {
                at = Some((parent, open(roots, parent)?));
            }
            let folder = at.as_ref().and_then(|(_, folder)| folder.as_ref());
            match folder.map(|folder| look(folder, name)).transpose()?.flatten() {
                Some(stat) => {
                    let racy = is_racy(&stat, looked, folder.and_then(fine_device));
                    let seen = SeenFile { stat: &stat, racy, doubt: Doubt::Some };
                    index.record_file(FolderId::HIDDEN, path.as_os_str(), seen);
                }
                None => drop(index.remove(FolderId::HIDDEN, path.as_os_str())),
            }
        }
        Ok(())
    }

    fn choose(&mut self, index: &WatchIndex) {
        self.hidden.clear();
        let Some((file, way)) = &self.place else { return };
        let hidden = &mut self.hidden;
        let read = clada_git::tracked(file, way, &mut |path| {
            if index.hides(path) {
                hidden.insert(path.to_path_buf());
            }
        });
        if let Err(error) = read {
            tracing::warn!(%error, "tracked files that ignore rules hide are not known");
        }
    }
}

fn open(roots: &Roots, folder: &Path) -> Result<Option<OpenFolder>, Failure> {
    match roots.open_folder(folder) {
        Ok(opened) => Ok(Some(opened)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn look(folder: &OpenFolder, name: &OsStr) -> Result<Option<Stat>, Failure> {
    match folder.entry(name) {
        Ok(stat) => Ok(stat.filter(|stat| stat.kind == FileKind::File)),
        Err(error) if is_absence(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
