//! A change of a file as git prints it.
//!
//! It must not know the file system: paths here are words for headers, relative to the project's root.

use super::hunks;

/// What kind of file it is, as git's modes have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// `100644`
    #[default]
    Regular,
    /// `100755`
    Executable,
    /// `120000`; the content is the target.
    Symlink,
}

impl Mode {
    /// As in headers.
    #[must_use]
    pub fn octal(self) -> &'static str {
        match self {
            Mode::Regular => "100644",
            Mode::Executable => "100755",
            Mode::Symlink => "120000",
        }
    }
}

/// A file before or after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// All of its bytes.
    pub content: &'a [u8],
    /// Its mode.
    pub mode: Mode,
}

/// The change from `old` to `new`; `None` where there is no file. Empty if nothing changes.
#[must_use]
pub fn file_diff(old: Option<Side<'_>>, new: Option<Side<'_>>) -> String {
    let _ = (old, new, hunks("", ""));
    String::new()
}
