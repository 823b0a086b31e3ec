//! The name of a path in a document: relative to the project's root, absolute outside of it. Bytes, since a
//! name need not be UTF-8. Knows no file.

use std::borrow::Cow;
use std::os::unix::ffi::OsStrExt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_fs::{RootedPath, Roots};

/// The name of a path in a document. Their order is that of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Shown(Vec<u8>);

impl Shown {
    /// Returns the name of `path`.
    pub(super) fn from_path(path: &RootedPath, roots: &Roots) -> Shown {
        if path.root() == 0 {
            return Shown(path.relative().as_os_str().as_bytes().to_vec());
        }
        Shown(roots.absolute(path).into_os_string().as_bytes().to_vec())
    }

    /// Returns a path that has no place, as it was written.
    pub(super) fn written(text: &str) -> Shown {
        Shown(text.as_bytes().to_vec())
    }

    /// Returns the same, named as a folder: it ends with a slash, and the root is `./`.
    pub(super) fn folder(&self) -> Shown {
        match self.0.as_slice() {
            [] => Shown(b"./".to_vec()),
            [.., b'/'] => self.clone(),
            name => Shown([name, b"/"].concat()),
        }
    }

    /// Appends `rest`.
    pub(super) fn join(&self, rest: &[u8]) -> Shown {
        match self.0.as_slice() {
            [] => Shown(rest.to_vec()),
            [.., b'/'] => Shown([self.0.as_slice(), rest].concat()),
            folder => Shown([folder, b"/", rest].concat()),
        }
    }

    /// Appends `end` to its last name.
    pub(super) fn with_end(&self, end: &str) -> Shown {
        Shown([self.0.as_slice(), end.as_bytes()].concat())
    }

    /// Returns the folder that contains it, without a slash at its end; empty for the root.
    pub(super) fn parent(&self) -> Shown {
        match self.0.iter().rposition(|byte| *byte == b'/') {
            Some(0) => Shown(b"/".to_vec()),
            Some(end) => Shown(self.0[..end].to_vec()),
            None => Shown(Vec::new()),
        }
    }

    /// Returns whether it lies in `folder`, at any depth.
    pub(super) fn is_in(&self, folder: &Shown) -> bool {
        match folder.0.as_slice() {
            [] => !self.0.starts_with(b"/"),
            _ => self.0.starts_with(&folder.folder().0),
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the last name.
    pub(super) fn name(&self) -> &[u8] {
        self.0.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
    }

    /// Returns it as text; bytes that are not UTF-8 are replaced.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Returns the bytes as base64, if they are not UTF-8.
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
        let root = Shown::written("");
        assert_eq!(root.folder().bytes(), b"./");
        assert_eq!(root.join(b"a").folder().folder().bytes(), b"a/");
        assert_eq!(Shown::written("a/b").parent().bytes(), b"a");
        assert_eq!(Shown::written("a").parent(), root);
        assert_eq!(Shown::written("/a").parent().join(b"b").bytes(), b"/b");
        assert_eq!(Shown::written("/a/c").name(), b"c");
        let is_in = |path: &str, folder: &str| Shown::written(path).is_in(&Shown::written(folder));
        assert!(is_in("a/b", "a") && is_in("a/b/c", "a") && is_in("a", "") && is_in("/a/b", "/"));
        assert!(!is_in("ab", "a") && !is_in("a", "a") && !is_in("/a", ""));
    }
}
