//! Texts of editors that stand in for files, and documents that editors hold: finds the files that they mean.
//!
//! Knows paths and `file` URIs (RFC 8089). A name that is neither is an error: an overlay that counts for
//! another file would let an edit be made against a text that the user does not see.

use std::collections::{HashMap, HashSet};

use clada_config::Settings;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{ErrorKind, Overlay, RpcError};

use super::planning::check_size;

/// Returns the file that `overlay`, the one with this `index`, stands in for.
///
/// # Errors
/// `invalid_params` for a name of no file of this machine; `path_escape` and the like for its path.
pub(super) fn place(roots: &Roots, overlay: &Overlay, index: usize) -> Result<RootedPath, RpcError> {
    let wrong = |why: &str| {
        let message = format!("overlays[{index}]: {why}");
        RpcError::new(ErrorKind::InvalidParams, message)
            .hint("an overlay has `path`, or `uri` with a `file:///` URI, and `text`")
    };
    let path = match (&overlay.path, &overlay.uri) {
        (Some(path), None) if scheme(path).is_some() => of_uri(path).map_err(|why| wrong(&why))?,
        (Some(path), None) => path.clone(),
        (None, Some(uri)) => of_uri(uri).map_err(|why| wrong(&why))?,
        (Some(_), Some(_)) => return Err(wrong("give `path` or `uri`, not both")),
        (None, None) => return Err(wrong("give `path` or `uri`")),
    };
    roots.resolve(&path).map_err(RpcError::from)
}

/// Returns the files that `uris` name. Those that no plan can touch are left out.
///
/// # Errors
/// `invalid_params` for what is no `file` URI of this machine; `path_escape` for a file outside the allowed
/// roots: under another name it may be one of the project.
pub(super) fn documents(roots: &Roots, uris: &[String]) -> Result<HashSet<RootedPath>, RpcError> {
    let mut documents = HashSet::new();
    for (index, uri) in uris.iter().enumerate() {
        let path = of_uri(uri).map_err(|why| {
            RpcError::new(ErrorKind::InvalidParams, format!("edits[{index}]: {why}"))
                .hint("`edits` names files of the project that the editor holds, by `file:///` URIs")
        })?;
        match roots.resolve(&path).map_err(RpcError::from) {
            Ok(path) => drop(documents.insert(path)),
            Err(error) if error.kind() == Some(ErrorKind::PathDenied) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(documents)
}

/// Returns the texts of `overlays` by the files that they stand in for.
///
/// # Errors
/// As [`place`]; `input_too_large` for a text, `invalid_params` for two of one file.
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

/// Returns the error for the overlay with the index `second`, which is of the same file as that with the
/// index `first`.
pub(super) fn twice(first: usize, second: usize) -> RpcError {
    let message = format!("overlays[{first}] and overlays[{second}] are of the same file");
    RpcError::new(ErrorKind::InvalidParams, message).hint("send one overlay a file, with its newest text")
}

/// Returns the scheme of a text that is a URI and no path: one followed by `://`.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let mut letters = scheme.chars();
    let first = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic());
    (first && letters.all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter)))
        .then_some(scheme)
}

/// Returns the path that a `file` URI names.
fn of_uri(uri: &str) -> Result<String, String> {
    let shown = || clada_protocol::visible_line(uri).into_owned();
    let Some((name, rest)) = uri.split_once(':') else { return Err(format!("'{}' is no URI", shown())) };
    if !name.eq_ignore_ascii_case("file") {
        return Err(format!("'{}' is no `file` URI; what has no file cannot be changed", shown()));
    }
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let (host, _) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(format!("'{}' names a file of another machine", shown()));
            }
            &rest[host.len()..]
        }
        None => rest,
    };
    if !path.starts_with('/') || path.contains(['?', '#']) {
        return Err(format!("'{}' names no absolute path", shown()));
    }
    let decoded =
        decoded(path).ok_or_else(|| format!("'{}' is not percent-encoded as it has to be", shown()))?;
    String::from_utf8(decoded).map_err(|_| format!("the path of '{}' is no UTF-8", shown()))
}

/// Returns the bytes of a percent-encoded text; `None` if it is not one, or holds NUL.
fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let byte = match byte {
            b'%' => {
                let (digits, after) = rest.split_at_checked(2)?;
                rest = after;
                let digits = digits.iter().map(|digit| char::from(*digit).to_digit(16));
                u8::try_from(
                    digits.collect::<Option<Vec<u32>>>()?.iter().fold(0, |sum, digit| sum * 16 + digit),
                )
                .ok()?
            }
            byte => byte,
        };
        bytes.push(byte);
    }
    (!bytes.contains(&0)).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_file_uri_is_the_path_that_it_names() {
        for (uri, path) in [
            ("file:///p/a.txt", "/p/a.txt"),
            ("FILE://LocalHost/p/a%20b%C3%A9%2f", "/p/a bé/"),
            ("file:/p", "/p"),
            ("file:///p/100%25", "/p/100%"),
        ] {
            assert_eq!(of_uri(uri).as_deref(), Ok(path), "{uri}");
        }
        for uri in [
            "untitled:Untitled-1",
            "vscode-remote://x/p",
            "file://host/p",
            "file://p",
            "file:p",
            "/p",
            "file:///a?b",
            "file:///a#b",
            "file:///a%2",
            "file:///a%zz",
            "file:///a%00",
            "file:///a%ff",
        ] {
            assert!(of_uri(uri).is_err(), "{uri}");
        }
        assert_eq!(scheme("file:///a"), Some("file"));
        assert_eq!((scheme("a/b://c"), scheme("src/a.rs"), scheme("://")), (None, None, None));
    }
}
