//! The name of a path in a document: relative to the project's root, absolute outside of it. Bytes, since a
//! name need not be UTF-8. Knows no file.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_fs::{RootedPath, Roots};

/// The name of a path in a document. Their order is that of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ShownPath(Vec<u8>);

impl ShownPath {
    pub(super) fn from_path(path: &RootedPath, roots: &Roots) -> ShownPath {
        if path.root() == 0 {
            return ShownPath(path.relative().as_os_str().as_bytes().to_vec());
        }
        ShownPath(roots.absolute(path).into_os_string().as_bytes().to_vec())
    }

    pub(super) fn written(text: &str) -> ShownPath {
        ShownPath(text.as_bytes().to_vec())
    }

    pub(super) fn folder(&self) -> ShownPath {
        match self.0.as_slice() {
            [] => ShownPath(b"./".to_vec()),
            [.., b'/'] => self.clone(),
            name => ShownPath([name, b"/"].concat()),
        }
    }

    pub(super) fn join(&self, rest: &[u8]) -> ShownPath {
        match self.0.as_slice() {
            [] => ShownPath(rest.to_vec()),
            [.., b'/'] => ShownPath([self.0.as_slice(), rest].concat()),
            folder => ShownPath([folder, b"/", rest].concat()),
        }
    }

    pub(super) fn with_end(&self, end: &str) -> ShownPath {
        ShownPath([self.0.as_slice(), end.as_bytes()].concat())
    }

    pub(super) fn parent(&self) -> ShownPath {
        match self.0.iter().rposition(|byte| *byte == b'/') {
            Some(0) => ShownPath(b"/".to_vec()),
            Some(end) => ShownPath(self.0[..end].to_vec()),
            None => ShownPath(Vec::new()),
        }
    }

    pub(super) fn is_in(&self, folder: &ShownPath) -> bool {
        match folder.0.as_slice() {
            [] => !self.0.starts_with(b"/"),
            _ => self.0.starts_with(&folder.folder().0),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    pub(super) fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    pub(super) fn odd_bytes(&self) -> Option<String> {
        std::str::from_utf8(&self.0).is_err().then(|| self.base64())
    }

    pub(super) fn base64(&self) -> String {
        STANDARD.encode(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_and_what_is_in_them() {
        let root = ShownPath::written("");
        assert_eq!(root.folder().bytes(), b"./");
        assert_eq!(root.join(b"a").folder().folder().bytes(), b"a/");
        assert_eq!(ShownPath::written("a/b").parent().bytes(), b"a");
        assert_eq!(ShownPath::written("a").parent(), root);
        assert_eq!(ShownPath::written("/a").parent().join(b"b").bytes(), b"/b");
        assert_eq!(ShownPath::written("/a/c").name(), b"c");
        let is_in = |path: &str, folder: &str| ShownPath::written(path).is_in(&ShownPath::written(folder));
        assert!(is_in("a/b", "a") && is_in("a/b/c", "a") && is_in("a", "") && is_in("/a/b", "/"));
        assert!(!is_in("ab", "a") && !is_in("a", "a") && !is_in("/a", ""));
    }
}
