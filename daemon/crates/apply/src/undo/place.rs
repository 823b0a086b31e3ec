//! What a place is above and below of.

use std::ffi::OsStr;
use std::path::PathBuf;

use clada_journal::JournalPlace;

/// The folder that holds `place`, unless that is the root itself.
pub(super) fn parent(place: &JournalPlace) -> Option<JournalPlace> {
    let relative = place.relative.parent().filter(|parent| !parent.as_os_str().is_empty())?;
    Some(JournalPlace { root: place.root.clone(), relative: relative.to_path_buf() })
}

/// The folders above `place`, from the nearest to the one in the root.
pub(super) fn above(place: &JournalPlace) -> impl Iterator<Item = JournalPlace> {
    std::iter::successors(parent(place), parent)
}

/// The place of `name` in the folder `folder`.
pub(super) fn child(folder: &JournalPlace, name: &OsStr) -> JournalPlace {
    JournalPlace { root: folder.root.clone(), relative: folder.relative.join(name) }
}

/// The root itself, as a folder to put something in.
pub(super) fn top(place: &JournalPlace) -> JournalPlace {
    JournalPlace { root: place.root.clone(), relative: PathBuf::new() }
}
