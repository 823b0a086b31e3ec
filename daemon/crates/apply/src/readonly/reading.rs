//! A read-only command while it runs: what every one of them works with.

use std::path::Path;

use clada_fs::{FsError, RootedPath, Roots, Timestamp, Verdict};
use clada_protocol::ErrorKind;

use super::action::ReadOnlyRunner;
use super::output::Output;
use crate::failure::Failure;

pub(super) const ENTRIES: usize = 5_000_000;
pub(super) const NAMES: usize = 100_000;

pub(super) struct CommandReading<'r> {
    pub(super) roots: &'r Roots,
    pub(super) runner: &'r ReadOnlyRunner<'r>,
    pub(super) folder: &'r Path,
    pub(super) now: Timestamp,
    pub(super) stopped: &'r dyn Fn() -> bool,
    pub(super) out: Output,
    pub(super) secrets: usize,
    pub(super) note: Option<String>,
    /// Why the first of several files could not be shown, while the others were.
    pub(super) failed: Option<Failure>,
}

impl CommandReading<'_> {
    pub(super) fn path_of(&self, written: &str) -> Result<RootedPath, FsError> {
        self.roots.resolve(&self.folder.join(written).to_string_lossy())
    }

    pub(super) fn is_secret(&self, path: &RootedPath) -> bool {
        matches!(self.roots.verdict_for_read(path), Verdict::Deny(..))
    }

    pub(super) fn report_secrets(&mut self, program: &str) {
        let what = match self.secrets {
            0 => return,
            1 => "1 file is".to_owned(),
            number => format!("{number} files are"),
        };
        self.out.complain(&format!("{program}: {what} held back as a secret, and left out"));
    }
}

pub(super) fn missing(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileNotFound, "File not found", path.written(), "ENOENT")
}

pub(super) fn reason(error: &FsError) -> &str {
    match error.code() {
        "ENOENT" => "No such file or directory",
        "EISDIR" => "Is a directory",
        "ENOTDIR" => "Not a directory",
        _ => error.issue(),
    }
}

pub(super) fn below(folder: &[u8], name: &[u8]) -> Vec<u8> {
    let gap: &[u8] = if folder.is_empty() || folder.ends_with(b"/") { b"" } else { b"/" };
    [folder, gap, name].concat()
}
