//! What the working tree has changed since the last commit. Paths that may not be read are left out of it.

use std::path::Path;

use clada_protocol::{ErrorKind, RpcError};

use crate::fs::{Roots, Verdict};
use crate::git::GitRepository;

/// Bytes of a difference.
const MOST: usize = 16 << 20;

/// The difference between the last commit and the working tree of the project.
pub(super) fn working_tree(roots: &Roots, home: Option<&Path>) -> Result<String, RpcError> {
    let failed = |message: String, hint: String| {
        RpcError::new(ErrorKind::GitOperationFailed, format!("--diff: {message}")).hint(hint)
    };
    let Some(root) = roots.paths().next() else { return Ok(String::new()) };
    let opened = GitRepository::open(root, home);
    let repository = opened.map_err(|error| failed(error.to_string(), "leave out --diff".to_owned()))?;
    let Some(mut repository) = repository else {
        return Err(failed(
            "the project lies in no git repository".to_owned(),
            "leave out --diff".to_owned(),
        ));
    };
    let is_shown = |relative: &Path| {
        let path = roots.resolve_recorded(root, relative);
        path.is_ok_and(|path| !matches!(roots.verdict_for_read(&path), Verdict::Deny(..)))
    };
    let text = repository.working_tree_diff(root, MOST, &is_shown);
    match text.map_err(|error| failed(error.to_string(), "leave out --diff".to_owned()))? {
        Some(text) => Ok(text),
        None => Err(failed(
            format!("the working tree differs in more than {MOST} bytes"),
            "commit some of it, or leave out --diff".to_owned(),
        )),
    }
}
