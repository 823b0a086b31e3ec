//! Compares a snapshot with a walk: both are in the order of the bytes of their paths, so each is read once.

use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::sight::Sight;

/// A position in a list of sights.
pub(super) struct Cursor<'s> {
    rest: &'s [Arc<Sight>],
}

impl<'s> Cursor<'s> {
    pub(super) fn new(sights: &'s [Arc<Sight>]) -> Cursor<'s> {
        Cursor { rest: sights }
    }

    /// Moves to `path`, which comes after those before. Returns the sights that are passed, and the one of
    /// `path`.
    pub(super) fn go_to(&mut self, path: &Path) -> (&'s [Arc<Sight>], Option<&'s Arc<Sight>>) {
        let order = |sight: &Sight| bytes(&sight.path).cmp(bytes(path));
        let passed = self.rest.iter().take_while(|sight| order(sight) == Ordering::Less).count();
        let (passed, rest) = self.rest.split_at(passed);
        let found = rest.first().filter(|sight| order(sight) == Ordering::Equal);
        self.rest = &rest[usize::from(found.is_some())..];
        (passed, found)
    }

    /// Returns the remaining sights.
    pub(super) fn rest(self) -> &'s [Arc<Sight>] {
        self.rest
    }
}

fn bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
