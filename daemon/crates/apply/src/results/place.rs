//! The place of a failure, as an editor goes there.
//!
//! Pure. The line is the one that the words of the failure are made of; nothing is read from them.

use clada_edit::Text;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{FailurePlace, LineEnds};

use crate::failure::Failure;
use crate::results::diff::{shown_path, uri};

pub(crate) fn file(roots: &Roots, path: &RootedPath) -> FailurePlace {
    FailurePlace { path: shown_path(roots, path), uri: uri(roots, path), line: None }
}

/// Returns the place of `line`, 1-based, in `text`, which the file at `path` holds. `ends` count it.
pub(crate) fn line(
    (roots, path): (&Roots, &RootedPath),
    text: &Text<'_>,
    line: usize,
    ends: LineEnds,
) -> FailurePlace {
    let line = clada_edit::line_counted(text.as_str(), line, ends);
    FailurePlace { line: Some(line), ..file(roots, path) }
}

pub(crate) fn placed(failure: Failure, roots: &Roots) -> Failure {
    if failure.place.is_some() {
        return failure;
    }
    let path = failure.path.as_deref().and_then(|path| roots.resolve(path).ok());
    Failure { place: path.map(|path| Box::new(file(roots, &path))), ..failure }
}
