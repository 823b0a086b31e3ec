//! The places above and below a place.

use std::ffi::OsStr;
use std::path::PathBuf;

use clada_journal::JournalPlace;

pub(super) fn parent(place: &JournalPlace) -> Option<JournalPlace> {
    let relative = place.relative.parent().filter(|parent| !parent.as_os_str().is_empty())?;
    Some(JournalPlace { root: place.root.clone(), relative: relative.to_path_buf() })
}

pub(super) fn above(place: &JournalPlace) -> impl Iterator<Item = JournalPlace> {
    std::iter::successors(parent(place), parent)
}

pub(super) fn child(folder: &JournalPlace, name: &OsStr) -> JournalPlace {
    JournalPlace { root: folder.root.clone(), relative: folder.relative.join(name) }
}

pub(super) fn top(place: &JournalPlace) -> JournalPlace {
    JournalPlace { root: place.root.clone(), relative: PathBuf::new() }
}
