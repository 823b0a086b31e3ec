//! Actions about the session's context. They touch no file: the working set is changed when it is their turn.

use clada_fs::{RootedPath, Roots};
use clada_protocol::{ActionData, ContextChanged, ContextEntry, ContextRemoved, ErrorKind};

use crate::failure::Failure;
use crate::working_set::WorkingSet;

/// A change of a working set.
#[derive(Debug, Clone)]
pub enum ContextChange {
    /// A path is added.
    Add(RootedPath),
    /// A path is removed.
    Remove(RootedPath),
    /// The paths are listed.
    List,
    /// Paths that are gone or were never used are removed.
    Prune,
    /// Everything is removed.
    Clear,
}

pub(crate) fn change(
    roots: &Roots,
    set: &WorkingSet,
    context_change: &ContextChange,
) -> Result<ActionData, Failure> {
    let changed = |path: &RootedPath| {
        ActionData::ContextChanged(ContextChanged { path: path.written().to_owned(), size: set.size() })
    };
    let removed = |removed| ActionData::ContextRemoved(ContextRemoved { removed });
    Ok(match context_change {
        ContextChange::Add(path) => {
            let added = set.add(context_path(roots, path));
            added.map_err(|full| {
                // The message holds its code already, so nothing is appended to it.
                let message = format!("{full} (LIMIT_EXCEEDED)");
                Failure::with_message(ErrorKind::LimitExceeded, message)
                    .hint("context_prune or context_clear makes room")
            })?;
            changed(path)
        }
        ContextChange::Remove(path) => {
            set.remove(&context_path(roots, path));
            changed(path)
        }
        ContextChange::List => {
            let entry = |path: String| ContextEntry { size: context_size(roots, &path), path };
            ActionData::Context(set.paths().into_iter().map(entry).collect())
        }
        ContextChange::Prune => removed(set.prune(|path| context_exists(roots, path))),
        ContextChange::Clear => removed(set.clear()),
    })
}

/// Returns a path as a working set keeps it: absolute, however it was written.
#[must_use]
pub fn context_path(roots: &Roots, path: &RootedPath) -> String {
    let root = roots.paths().nth(path.root()).unwrap_or(std::path::Path::new("/"));
    let absolute = if path.is_root() { root.to_path_buf() } else { root.join(path.relative()) };
    absolute.to_string_lossy().into_owned()
}

/// The bytes of a file that is kept in a working set; `None` of a folder, and of what is not there.
#[must_use]
pub fn context_size(roots: &Roots, path: &str) -> Option<u64> {
    let path = roots.resolve(path).ok()?;
    let stat = roots.to_show(&path, roots.lstat(&path).ok()??);
    (stat.kind == clada_fs::FileKind::File).then_some(stat.size)
}

/// Returns true if there is something at a path that is kept in a working set.
#[must_use]
pub fn context_exists(roots: &Roots, path: &str) -> bool {
    roots.resolve(path).and_then(|path| roots.lstat(&path)).is_ok_and(|stat| stat.is_some())
}
