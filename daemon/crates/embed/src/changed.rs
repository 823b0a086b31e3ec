//! The changes in a project since a clock, by the names that a document uses. Pure.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_protocol::{ChangeKind, FileChange, ProjectChangesResult};

use super::shown::ShownPath;

#[derive(Debug, Default)]
pub(super) struct Changed {
    pub(super) clock: String,
    pub(super) everything: bool,
    files: BTreeSet<ShownPath>,
    pub(super) deleted: BTreeSet<ShownPath>,
}

impl Changed {
    pub(super) fn from_result(result: ProjectChangesResult) -> Changed {
        let (deleted, files): (Vec<_>, Vec<_>) =
            result.files.into_iter().partition(|file| file.kind == ChangeKind::Deleted);
        Changed {
            clock: result.clock,
            everything: result.fresh,
            files: files.iter().map(name).collect(),
            deleted: deleted.iter().map(name).collect(),
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        !self.everything && self.files.is_empty() && self.deleted.is_empty()
    }

    pub(super) fn deleted_in<'a>(&'a self, folder: &'a ShownPath) -> impl Iterator<Item = &'a ShownPath> {
        self.deleted.iter().filter(|path| path.is_in(folder))
    }

    pub(super) fn touches(&self, folder: &ShownPath) -> bool {
        self.everything
            || self.files.iter().any(|path| path.is_in(folder))
            || self.deleted_in(folder).next().is_some()
    }

    pub(super) fn concerns(&self, path: &ShownPath) -> bool {
        let inside = path.folder();
        self.has(path)
            || self.files.range(&inside..).next().is_some_and(|next| next.bytes().starts_with(inside.bytes()))
    }

    pub(super) fn has(&self, path: &ShownPath) -> bool {
        self.files.contains(path)
    }
}

fn name(file: &FileChange) -> ShownPath {
    match file.path_bytes.as_ref().and_then(|bytes| STANDARD.decode(bytes).ok()) {
        Some(bytes) => ShownPath::written("").join(&bytes),
        None => ShownPath::written(&file.path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[(&str, ChangeKind)]) -> Changed {
        let file = |(path, kind): &(&str, ChangeKind)| FileChange {
            path: (*path).to_owned(),
            path_bytes: None,
            kind: *kind,
            own: false,
            old_path: None,
        };
        Changed::from_result(ProjectChangesResult {
            clock: "c:1:1:1".to_owned(),
            fresh: false,
            files: files.iter().map(file).collect(),
            warnings: Vec::new(),
        })
    }

    #[test]
    fn a_folder_is_concerned_by_what_is_in_it() {
        let changed = changed(&[("a/b/c", ChangeKind::Changed), ("d", ChangeKind::Deleted)]);
        for path in ["a", "a/b", "a/b/c"] {
            assert!(changed.concerns(&ShownPath::written(path)), "{path}");
        }
        for path in ["", "a/", "a-", "a/b/c/d", "b", "d", "a/b/cc"] {
            let concerned = changed.concerns(&ShownPath::written(path));
            assert_eq!(concerned, path == "a/", "{path}");
        }
        assert_eq!(changed.deleted, BTreeSet::from([ShownPath::written("d")]));
    }

    #[test]
    fn a_name_that_is_no_text_is_its_bytes() {
        let file = FileChange {
            path: "\u{fffd}".to_owned(),
            path_bytes: Some(STANDARD.encode(b"\xff")),
            kind: ChangeKind::Created,
            own: false,
            old_path: None,
        };
        assert_eq!(name(&file).bytes(), b"\xff");
    }
}
