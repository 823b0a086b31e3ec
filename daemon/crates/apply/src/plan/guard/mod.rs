//! Guards against changes that say less than they replace, or other than was meant (spec: answers, section
//! 2).
//!
//! Each looks at texts, and one at the lines that an answer moved: pure, and nothing here knows a planner, an
//! approval or a file system. What comes of a finding is decided where changes are planned.

pub(crate) mod elision;
pub(crate) mod odd;
pub(crate) mod patch_content;
pub(crate) mod shifted;
pub(crate) mod shrink;
mod stripped;

#[cfg(test)]
mod tests;

use std::path::Path;

/// Extensions of prose, in which the signs of code may mean anything.
const PROSE: [&str; 7] = ["md", "mdx", "markdown", "rst", "txt", "adoc", "org"];

/// The extension of `path` in lower case; empty if it has none.
pub(crate) fn extension(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}

pub(crate) fn is_makefile(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    path.extension().is_some_and(|ending| ending == "mk")
        || ["Makefile", "makefile", "GNUmakefile"].iter().any(|makefile| name == *makefile)
}
