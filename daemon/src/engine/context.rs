//! The context of a session, checked against the files of its project.
//!
//! Knows what may be in a context; the set itself belongs to the session.

use clada_apply::{WorkingSet, context_exists, context_path, context_size};
use clada_fs::RootedPath;
use clada_protocol::{ContextEntry, ContextResult, ErrorKind, RpcError};

use super::request::ProjectRequest;

// A change of a session's context.
#[derive(Debug, Clone)]
pub(crate) enum WorkingSetChange {
    // No change: the context is only listed.
    Nothing,
    // These paths are added.
    Add(Vec<String>),
    // These paths are removed.
    Remove(Vec<String>),
    // Paths that are gone or were never used are removed.
    Prune,
    // Everything is removed.
    Clear,
}

impl ProjectRequest {
    // Changes the context of a session, `set`; returns its content after that.
    pub(crate) fn change_context(
        &self,
        session: String,
        set: &WorkingSet,
        change: WorkingSetChange,
    ) -> Result<ContextResult, RpcError> {
        let roots = self.roots()?;
        let mut result = ContextResult { session, ..ContextResult::default() };
        let resolved = |paths: &[String]| -> Result<Vec<RootedPath>, RpcError> {
            paths.iter().map(|path| roots.resolve(path).map_err(RpcError::from)).collect()
        };
        match change {
            WorkingSetChange::Nothing => {}
            WorkingSetChange::Add(paths) => {
                let paths = resolved(&paths)?;
                // All paths are checked before the first is added, so that a missing one changes nothing.
                for path in &paths {
                    if roots.lstat(path)?.is_none() {
                        let message = format!("File not found '{}' (ENOENT)", path.written());
                        return Err(RpcError::new(ErrorKind::FileNotFound, message));
                    }
                }
                for path in paths {
                    let path = context_path(roots, &path);
                    let added = set.add(path.clone()).map_err(|full| {
                        RpcError::new(ErrorKind::LimitExceeded, full.to_string())
                            .hint("`clada context prune` removes entries that no longer exist, `context clear` removes all")
                    })?;
                    result.added.extend(added.then_some(path));
                }
            }
            WorkingSetChange::Remove(paths) => {
                let paths = resolved(&paths)?.into_iter().map(|path| context_path(roots, &path));
                result.removed = paths.filter(|path| set.remove(path)).collect();
            }
            WorkingSetChange::Prune => result.removed = set.prune(|path| context_exists(roots, path)),
            WorkingSetChange::Clear => result.removed = set.clear(),
        }
        let entry = |path: String| ContextEntry { size: context_size(roots, &path), path };
        result.context = set.paths().into_iter().map(entry).collect();
        Ok(result)
    }
}
