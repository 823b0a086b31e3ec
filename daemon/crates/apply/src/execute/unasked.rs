//! The secrets of a project, which code that nobody was asked about does not get to see.
//!
//! Looks at names alone. Found right before the code runs: an edit before it may have made one.

use std::path::{Path, PathBuf};

use clada_exec::ExecError;
use clada_fs::{FsError, Ignoring, Roots, WalkItem, WalkOptions};
use clada_protocol::ErrorKind;

/// Entries that are looked at.
const ENTRIES: usize = 500_000;

/// Secrets that there may be.
const SECRETS: usize = 400;

/// Every file below the roots that is held back, also where git ignores it.
///
/// # Errors
/// If there is more than can be looked at: then none of it is known to be no secret.
pub(crate) fn secrets(
    guarded: &Roots,
    sandbox: &'static str,
    stop: &dyn Fn() -> bool,
) -> Result<Vec<PathBuf>, ExecError> {
    let cannot = |why| ExecError::Unenclosed { sandbox, why };
    let mut found = Vec::new();
    for (index, folder) in guarded.paths().enumerate().filter(|(_, folder)| *folder != Path::new("/")) {
        let options = WalkOptions {
            ignoring: Ignoring::Nothing,
            max_entries: ENTRIES,
            cancelled: stop,
            ..WalkOptions::default()
        };
        let walk = guarded.root(index).and_then(|root| guarded.walk(&root, options).ok());
        for item in walk.ok_or_else(|| cannot("the project cannot be searched for secrets"))? {
            match item {
                WalkItem::Withheld { path, .. } => found.push(folder.join(path.relative())),
                WalkItem::Entry { .. } | WalkItem::Ignored { .. } => {}
                // What this user may not open, or is gone, the code does not see either.
                WalkItem::Error(error) if is_nothing_to(&error) => {}
                WalkItem::Error(_) => {
                    return Err(cannot("the project changed while it was searched for secrets"));
                }
                WalkItem::Truncated => {
                    return Err(cannot("the project has more files than are searched for secrets"));
                }
            }
        }
    }
    if found.len() > SECRETS {
        return Err(cannot("the project has more secrets than can be hidden"));
    }
    Ok(found)
}

fn is_nothing_to(error: &FsError) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::FileNotFound)
}
