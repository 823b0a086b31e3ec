//! The post-images of an operation, to see in the end what others have done meanwhile to the paths that it
//! changed.
//!
//! Compared by the facts of the entries, not by their contents: anyone who does not set times back is seen.

use std::collections::HashMap;

use clada_fs::{FileKind, RootedPath, Roots, Stat};

/// The state of each path right after the operation changed it.
#[derive(Debug, Default)]
pub(crate) struct PostImages(HashMap<RootedPath, Option<Stat>>);

impl PostImages {
    /// Notes the state of `path`, which the operation has changed just now. A path that cannot be looked at
    /// is not watched.
    pub(crate) fn note(&mut self, roots: &Roots, path: &RootedPath) -> Option<Stat> {
        let Ok(stat) = roots.lstat(path) else {
            self.0.remove(path);
            return None;
        };
        self.0.insert(path.clone(), stat);
        stat
    }

    /// Returns the paths at which something else is by now, as they were written, sorted.
    pub(crate) fn changed(&self, roots: &Roots) -> Vec<String> {
        let changed = |(path, post_image): &(&RootedPath, &Option<Stat>)| {
            roots.lstat(path).is_ok_and(|now| !same(post_image.as_ref(), now.as_ref()))
        };
        let mut paths: Vec<String> =
            self.0.iter().filter(changed).map(|(path, _)| path.written().to_owned()).collect();
        paths.sort();
        paths
    }
}

fn same(post_image: Option<&Stat>, now: Option<&Stat>) -> bool {
    match (post_image, now) {
        (None, None) => true,
        // What is in a folder comes and goes.
        (Some(post_image), Some(now)) if post_image.kind == FileKind::Directory => {
            now.kind == post_image.kind
        }
        // Another name of the same file may have come or gone, which shows in its ctime, too.
        (Some(post_image), Some(now)) => {
            post_image.same_file(now) && (post_image.size, post_image.mtime) == (now.size, now.mtime)
        }
        _ => false,
    }
}
