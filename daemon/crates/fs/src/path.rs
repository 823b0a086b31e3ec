//! A path that cannot leave its root, and the text rules that make one.
//!
//! Pure: reads no file. The kernel handles links and mounts ([`super::confine`]); here `..` and `.` are
//! resolved as text, and nothing else is possible. Made by [`Roots::resolve`](super::Roots::resolve)
//! and, name by name, by walks.

use std::ffi::OsStr;
use std::hash::{Hash, Hasher};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The longest path an answer may write, in bytes.
const MAX_PATH: usize = 4096;
/// The longest name in a path, in bytes.
pub const MAX_NAME: usize = 255;

/// A place beneath one allowed root. Every value has been checked: no `..`, no reserved or denied name.
///
/// Two are equal if they name the same place, even if they were written differently.
#[derive(Debug, Clone)]
pub struct RootedPath {
    root: usize,
    relative: PathBuf,
    written: String,
}

impl RootedPath {
    pub(super) fn new(root: usize, relative: PathBuf, written: String) -> RootedPath {
        RootedPath { root, relative, written }
    }

    /// Returns the root, as an index into [`Roots::paths`](super::Roots::paths).
    pub fn root(&self) -> usize {
        self.root
    }

    /// Returns the path from the root; empty for the root itself. Not necessarily UTF-8.
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// Returns the path as the caller wrote it, for messages. Raw: may contain control characters.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Returns whether it is the root itself.
    pub fn is_root(&self) -> bool {
        self.relative.as_os_str().is_empty()
    }

    /// Returns whether it was written as a folder: `src/`, `src/.`.
    pub fn written_as_folder(&self) -> bool {
        let last = self.written.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(last, "" | "." | "..")
    }

    /// Returns the last name, unless it is the root.
    pub fn file_name(&self) -> Option<&OsStr> {
        self.relative.file_name()
    }

    /// Returns the folder that it lies in, unless it is the root.
    #[must_use]
    pub fn parent(&self) -> Option<RootedPath> {
        let relative = self.relative.parent()?.to_path_buf();
        let trimmed = self.written.trim_end_matches(['/', '\\']);
        let written = match trimmed.rfind(['/', '\\']) {
            Some(0) => trimmed[..1].to_owned(),
            Some(end) => trimmed[..end].to_owned(),
            None if relative.as_os_str().is_empty() => ".".to_owned(),
            None => relative.display().to_string(),
        };
        Some(RootedPath { root: self.root, relative, written })
    }

    /// Returns whether it is `folder` or lies in it.
    pub fn starts_with(&self, folder: &RootedPath) -> bool {
        self.root == folder.root && self.relative.starts_with(&folder.relative)
    }

    pub(super) fn child(&self, name: &OsStr) -> RootedPath {
        let shown = name.to_string_lossy();
        let written = match self.written.as_str() {
            "" | "." => shown.into_owned(),
            folder if folder.ends_with(['/', '\\']) => format!("{folder}{shown}"),
            folder => format!("{folder}/{shown}"),
        };
        RootedPath { root: self.root, relative: self.relative.join(name), written }
    }
}

impl PartialEq for RootedPath {
    fn eq(&self, other: &RootedPath) -> bool {
        self.root == other.root && self.relative.as_os_str() == other.relative.as_os_str()
    }
}

impl Eq for RootedPath {}

impl Hash for RootedPath {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.root.hash(state);
        self.relative.as_os_str().hash(state);
    }
}

impl PartialOrd for RootedPath {
    fn partial_cmp(&self, other: &RootedPath) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RootedPath {
    fn cmp(&self, other: &RootedPath) -> std::cmp::Ordering {
        let key = |path: &RootedPath| (path.root, path.relative.as_os_str().as_bytes().to_vec());
        key(self).cmp(&key(other))
    }
}

pub(super) fn is_plain_name(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    !matches!(bytes, b"" | b"." | b"..")
        && bytes.len() <= MAX_NAME
        && !bytes.iter().any(|byte| matches!(byte, b'/' | 0))
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct WrittenPath {
    pub(super) absolute: bool,
    /// The parts, `.` and empty ones dropped, `..` kept.
    pub(super) parts: Vec<String>,
}

impl WrittenPath {
    pub(super) fn parse(text: &str) -> Result<WrittenPath, &'static str> {
        if text.is_empty() {
            return Err("Path is empty");
        }
        if text.contains('\0') {
            return Err("Path holds a NUL character");
        }
        if text.len() > MAX_PATH {
            return Err("Path is longer than 4096 bytes");
        }
        let text = text.replace('\\', "/");
        let mut parts: Vec<String> =
            text.split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        if parts.iter().any(|part| part.len() > MAX_NAME) {
            return Err("A name in the path is longer than 255 bytes");
        }
        let drive = !text.starts_with('/') && parts.first().is_some_and(|first| is_drive(first));
        if drive && let Some(first) = parts.first_mut() {
            first.make_ascii_uppercase();
        }
        Ok(WrittenPath { absolute: drive || text.starts_with('/'), parts })
    }

    pub(super) fn on_drive(&self) -> bool {
        self.absolute && self.parts.first().is_some_and(|first| is_drive(first))
    }

    pub(super) fn at_home(&self) -> bool {
        !self.absolute && self.parts.first().is_some_and(|first| first == "~")
    }

    pub(super) fn after<'a>(&'a self, prefix: &WrittenPath) -> Option<&'a [String]> {
        if self.absolute != prefix.absolute {
            return None;
        }
        self.parts.strip_prefix(prefix.parts.as_slice())
    }
}

fn is_drive(part: &str) -> bool {
    matches!(part.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic())
}

/// Appends `parts` to `base`. Each `..` removes the name before it: at `/` it has no effect, as for the
/// kernel, and above an empty base the result is `None`.
pub(super) fn append(base: &Path, parts: &[String]) -> Option<PathBuf> {
    let mut path = base.to_path_buf();
    for part in parts {
        if part != ".." {
            path.push(part);
        } else if !path.pop() && !base.is_absolute() {
            return None;
        }
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (bool, Vec<String>) {
        let written = WrittenPath::parse(text).unwrap();
        (written.absolute, written.parts)
    }

    #[test]
    fn takes_paths_apart() {
        assert_eq!(parts("a/./b//c/"), (false, vec!["a".into(), "b".into(), "c".into()]));
        assert_eq!(parts("a\\b"), (false, vec!["a".into(), "b".into()]));
        assert_eq!(parts("\\\\server\\share"), (true, vec!["server".into(), "share".into()]));
        assert_eq!(parts("c:\\x"), (true, vec!["C:".into(), "x".into()]));
        assert_eq!(parts("a:b"), (false, vec!["a:b".into()]));
        assert!(WrittenPath::parse("").is_err() && WrittenPath::parse("a\0").is_err());
        assert!(
            WrittenPath::parse(&"a".repeat(256)).is_err() && WrittenPath::parse(&"a".repeat(255)).is_ok()
        );
        assert!(
            WrittenPath::parse(&"a/".repeat(2049)).is_err() && WrittenPath::parse(&"a/".repeat(2048)).is_ok()
        );
    }

    #[test]
    fn dots_never_go_above_the_base() {
        let of = |text: &str| append(Path::new(""), &WrittenPath::parse(text).unwrap().parts);
        assert_eq!(of("a/../b"), Some(PathBuf::from("b")));
        assert_eq!(of("a/.."), Some(PathBuf::new()));
        assert_eq!(of("a/../.."), None);
        assert_eq!(of("../a"), None);
        assert_eq!(append(Path::new("/"), &["..".into(), "x".into()]), Some(PathBuf::from("/x")));
    }

    #[test]
    fn equality_is_of_places() {
        let one = RootedPath::new(0, PathBuf::from("a/b"), "a/b".into());
        let two = RootedPath::new(0, PathBuf::from("a/b"), "./a//b".into());
        assert_eq!(one, two);
        assert_eq!(one.parent().unwrap().written(), "a");
        assert!(two.starts_with(&one.parent().unwrap()));
        assert_eq!(one.child(OsStr::new("c")).written(), "a/b/c");
        assert!(!is_plain_name(OsStr::new("..")) && !is_plain_name(OsStr::new("a/b")));
    }
}
