//! What an operation has left at the paths that it changed, to see in the end what others have done there meanwhile.
//!
//! Told by the facts of the entries, not by their contents: whoever does not set times back is seen.

use std::collections::HashMap;

use clada_fs::{FileKind, RootedPath, Roots, Stat};

/// The last changes of an operation.
#[derive(Debug, Default)]
pub(crate) struct PostImages(HashMap<RootedPath, Option<Stat>>);

impl PostImages {
    /// The operation has changed the entry at `path` just now: what is there. One that cannot be looked at is not
    /// watched.
    pub(crate) fn note(&mut self, roots: &Roots, path: &RootedPath) -> Option<Stat> {
        let Ok(stat) = roots.lstat(path) else {
            self.0.remove(path);
            return None;
        };
        self.0.insert(path.clone(), stat);
        stat
    }

    /// The paths at which something else is by now, as they were written, sorted.
    pub(crate) fn changed(&self, roots: &Roots) -> Vec<String> {
        let changed = |(path, left): &(&RootedPath, &Option<Stat>)| {
            roots.lstat(path).is_ok_and(|now| !same(left.as_ref(), now.as_ref()))
        };
        let mut paths: Vec<String> =
            self.0.iter().filter(changed).map(|(path, _)| path.written().to_owned()).collect();
        paths.sort();
        paths
    }
}

fn same(left: Option<&Stat>, now: Option<&Stat>) -> bool {
    match (left, now) {
        (None, None) => true,
        // What is in a folder comes and goes.
        (Some(left), Some(now)) if left.kind == FileKind::Directory => now.kind == left.kind,
        // Another name of the same file may have come or gone, which its ctime tells, too.
        (Some(left), Some(now)) => left.same_file(now) && (left.size, left.mtime) == (now.size, now.mtime),
        _ => false,
    }
}
