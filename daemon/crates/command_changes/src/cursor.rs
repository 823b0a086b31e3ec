//! Compares a snapshot with a walk: both are in the order of the bytes of their paths, so each is read once.

use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::stamp::FileStamp;

/// A position in a list of stamps.
pub(super) struct Cursor<'s> {
    rest: &'s [Arc<FileStamp>],
}

impl<'s> Cursor<'s> {
    pub(super) fn new(stamps: &'s [Arc<FileStamp>]) -> Cursor<'s> {
        Cursor { rest: stamps }
    }

    /// Moves to `path`, which comes after those before. Returns the stamps that are passed, and the one of
    /// `path`.
    pub(super) fn go_to(&mut self, path: &Path) -> (&'s [Arc<FileStamp>], Option<&'s Arc<FileStamp>>) {
        let order = |stamp: &FileStamp| bytes(&stamp.path).cmp(bytes(path));
        let passed = self.rest.iter().take_while(|stamp| order(stamp) == Ordering::Less).count();
        let (passed, rest) = self.rest.split_at(passed);
        let found = rest.first().filter(|stamp| order(stamp) == Ordering::Equal);
        self.rest = &rest[usize::from(found.is_some())..];
        (passed, found)
    }

    /// Returns the remaining stamps.
    pub(super) fn rest(self) -> &'s [Arc<FileStamp>] {
        self.rest
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
