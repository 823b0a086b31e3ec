//! Texts of editors that stand in for files, and documents that editors hold: finds the files that they mean.
//!
//! Knows paths and `file` URIs (RFC 8089). A name that is neither is an error: an overlay that counts for
//! another file would let an edit be made against a text that the user does not see.

use std::collections::{HashMap, HashSet};

use clada_config::Settings;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{ErrorKind, Overlay, RpcError, path_from_file_uri};

use super::answering::check_size;

pub(super) fn place(roots: &Roots, overlay: &Overlay, index: usize) -> Result<RootedPath, RpcError> {
    let wrong = |why: &str| {
        let message = format!("overlays[{index}]: {why}");
        RpcError::new(ErrorKind::InvalidParams, message)
            .hint("an overlay has `path`, or `uri` with a `file:///` URI, and `text`")
    };
    let path = match (&overlay.path, &overlay.uri) {
        (Some(path), None) if scheme(path).is_some() => {
            path_from_file_uri(path).map_err(|why| wrong(&why))?
        }
        (Some(path), None) => path.clone(),
        (None, Some(uri)) => path_from_file_uri(uri).map_err(|why| wrong(&why))?,
        (Some(_), Some(_)) => return Err(wrong("give `path` or `uri`, not both")),
        (None, None) => return Err(wrong("give `path` or `uri`")),
    };
    let path = roots.resolve(&path).map_err(RpcError::from)?;
    match behind_links(roots, &path) {
        // Its edits would be of the file's own name, which the editor has no such text of.
        Some(real) => {
            let why = format!("'{}' is '{}' by a symbolic link", path.written(), real.relative().display());
            Err(RpcError::new(ErrorKind::InvalidParams, format!("overlays[{index}]: {why}"))
                .hint("save the document, or open the file by its own path"))
        }
        None => Ok(path),
    }
}

fn behind_links(roots: &Roots, path: &RootedPath) -> Option<RootedPath> {
    let real = roots.follow(path).ok().or_else(|| {
        // There need not be a file yet.
        let folder = roots.follow(&path.parent()?).ok()?;
        roots.join(&folder, path.file_name()?).ok()
    })?;
    (real != *path).then_some(real)
}

/// Returns the files that `uris` of this `parameter` name, each also by the place to which links lead. Those that no
/// plan can touch are left out.
///
/// # Errors
/// `invalid_params` for what is no `file` URI of this machine; `path_escape` for a file outside the allowed
/// roots: under another name it may be one of the project.
pub(super) fn documents(
    roots: &Roots,
    parameter: &str,
    uris: &[String],
) -> Result<HashSet<RootedPath>, RpcError> {
    let mut documents = HashSet::new();
    for (index, uri) in uris.iter().enumerate() {
        let path = path_from_file_uri(uri).map_err(|why| {
            RpcError::new(ErrorKind::InvalidParams, format!("{parameter}[{index}]: {why}"))
                .hint("documents are files of the project that the editor holds, by `file:///` URIs")
        })?;
        match roots.resolve(&path).map_err(RpcError::from) {
            Ok(path) => {
                documents.extend(behind_links(roots, &path));
                documents.insert(path);
            }
            Err(error) if error.kind() == Some(ErrorKind::PathDenied) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(documents)
}

pub(super) fn texts(
    roots: &Roots,
    overlays: &[Overlay],
    settings: &Settings,
) -> Result<HashMap<RootedPath, String>, RpcError> {
    let mut texts = HashMap::new();
    let mut places: Vec<RootedPath> = Vec::new();
    for (index, overlay) in overlays.iter().enumerate() {
        let path = place(roots, overlay, index)?;
        check_size(&overlay.text, settings)?;
        if let Some(first) = places.iter().position(|other| *other == path) {
            return Err(twice(first, index));
        }
        places.push(path.clone());
        texts.insert(path, overlay.text.clone());
    }
    Ok(texts)
}

pub(super) fn twice(first: usize, second: usize) -> RpcError {
    let message = format!("overlays[{first}] and overlays[{second}] are of the same file");
    RpcError::new(ErrorKind::InvalidParams, message).hint("send one overlay a file, with its newest text")
}

fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    (first && letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter)))
        .then_some(scheme)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_is_what_comes_before_the_slashes_of_a_uri() {
        assert_eq!(scheme("file:///a"), Some("file"));
        assert_eq!((scheme("a/b://c"), scheme("src/a.rs"), scheme("://")), (None, None, None));
    }
}
