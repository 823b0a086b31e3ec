//! A read-only command while it is carried out: what every one of them works with.

use std::path::Path;

use clada_fs::{FsError, RootedPath, Roots, Timestamp, Verdict};
use clada_protocol::ErrorKind;

use super::action::ReadOnlyRunner;
use super::output::Output;
use crate::failure::Failure;

/// Entries that are looked at before a command gives up.
pub(super) const ENTRIES: usize = 5_000_000;
/// Names that one folder is shown with.
pub(super) const NAMES: usize = 100_000;

/// A command that is being carried out.
pub(super) struct Reading<'r> {
    pub(super) roots: &'r Roots,
    pub(super) runner: &'r ReadOnlyRunner<'r>,
    /// The folder that it runs in, resolved.
    pub(super) folder: &'r Path,
    /// What time it is.
    pub(super) now: Timestamp,
    /// Whether to end.
    pub(super) stopped: &'r dyn Fn() -> bool,
    pub(super) out: Output,
    /// Files below its folders that it has left out as secrets.
    pub(super) secrets: usize,
    /// What to know about what was found.
    pub(super) note: Option<String>,
    /// Why the first of several files could not be shown, while the others were.
    pub(super) failed: Option<Failure>,
}

impl Reading<'_> {
    /// A path that the command names.
    pub(super) fn path_of(&self, written: &str) -> Result<RootedPath, FsError> {
        self.roots.resolve(&self.folder.join(written).to_string_lossy())
    }

    /// Whether the content of the file at `path` is held back.
    pub(super) fn is_secret(&self, path: &RootedPath) -> bool {
        matches!(self.roots.verdict_for_read(path), Verdict::Deny(..))
    }

    /// Says how many secrets were left out.
    pub(super) fn report_secrets(&mut self, program: &str) {
        let what = match self.secrets {
            0 => return,
            1 => "1 file is".to_owned(),
            number => format!("{number} files are"),
        };
        self.out.complain(&format!("{program}: {what} held back as a secret, and left out"));
    }
}

/// A file that has to be there is not.
pub(super) fn missing(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileNotFound, "File not found", path.written(), "ENOENT")
}

/// What the system says, in the words that programs use.
pub(super) fn reason(error: &FsError) -> &str {
    match error.code() {
        "ENOENT" => "No such file or directory",
        "EISDIR" => "Is a directory",
        "ENOTDIR" => "Not a directory",
        _ => error.issue(),
    }
}

/// `name` in a folder that is shown as `folder`.
pub(super) fn below(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let gap: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, gap, name].concat()
}
