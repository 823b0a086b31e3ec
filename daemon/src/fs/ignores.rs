//! The rules of ignore files, as a walk needs them: per folder, the nearest first.
//!
//! `.gitignore` of each folder, then `.git/info/exclude` of the root, then the person's global excludes
//! are git's rules; `.ignore` files are rules beside them. A file is left out if either says so: a
//! `.ignore` file in a project never brings back what git ignores. Reads files only through descriptors
//! that the walk holds.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::Arc;

use clada_protocol::ErrorKind;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;

/// More of an ignore file is not read.
const MAX_RULES: u64 = 1 << 20;

/// Rules of one folder, linked to those of the folders above it. Folders without rules have no link.
#[derive(Debug)]
pub(super) struct Rules {
    /// Depth of the folder: how many names of a path belong to it.
    depth: usize,
    git: Option<Gitignore>,
    other: Option<Gitignore>,
    above: Option<Arc<Rules>>,
}

impl Rules {
    /// The rules that hold everywhere beneath a root: its excludes, and the person's own before them.
    pub(super) fn of_root(excludes: Option<&[u8]>, global: Option<&[u8]>) -> Option<Arc<Rules>> {
        // Later lines win within one matcher, and the root's excludes win over the global ones.
        let texts = [global, excludes].into_iter().flatten();
        let git = matcher(texts)?;
        Some(Arc::new(Rules { depth: 0, git: Some(git), other: None, above: None }))
    }

    /// The rules in a folder whose `.gitignore`, if any, and `.ignore` and its like are these.
    pub(super) fn below(
        above: Option<Arc<Rules>>,
        depth: usize,
        git: Option<&[u8]>,
        others: &[Vec<u8>],
    ) -> Option<Arc<Rules>> {
        let (git, other) = (matcher(git.into_iter()), matcher(others.iter().map(Vec::as_slice)));
        if git.is_none() && other.is_none() {
            return above;
        }
        Some(Arc::new(Rules { depth, git, other, above }))
    }

    /// Whether the entry at `relative` (to the root) is left out.
    pub(super) fn ignores(rules: Option<&Arc<Rules>>, relative: &Path, is_dir: bool) -> bool {
        let (mut git, mut other) = (None, None);
        let mut level = rules;
        while let Some(rules) = level {
            if git.is_none() || other.is_none() {
                let within: &Path = &relative.iter().skip(rules.depth).collect::<std::path::PathBuf>();
                git = git.or_else(|| decision(rules.git.as_ref(), within, is_dir));
                other = other.or_else(|| decision(rules.other.as_ref(), within, is_dir));
            }
            level = rules.above.as_ref();
        }
        git == Some(true) || other == Some(true)
    }
}

/// The last line that matches: leave out, or keep.
fn decision(matcher: Option<&Gitignore>, path: &Path, is_dir: bool) -> Option<bool> {
    match matcher?.matched(path, is_dir) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

/// A matcher of all lines that are rules; a line that is none is passed over, as git does.
fn matcher<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    builder.allow_unclosed_class(true);
    for text in texts {
        let text = String::from_utf8_lossy(text);
        for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}

impl Roots {
    /// An ignore file in an open folder. Missing, a link or no regular file: no rules.
    pub(super) fn rules_file(
        &self,
        folder: BorrowedFd<'_>,
        name: &str,
        path: &RootedPath,
    ) -> Result<Option<Vec<u8>>, FsError> {
        let path = path.child(OsStr::new(name));
        let mut reader = match self.reader_in(folder, OsStr::new(name), &path) {
            Ok(reader) => reader.take(MAX_RULES),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(error),
            Err(_) => return Ok(None),
        };
        let mut text = Vec::new();
        match reader.read_to_end(&mut text) {
            Ok(_) => Ok(Some(text)),
            Err(error) => {
                let errno = rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO);
                Err(FsError::os("read the ignore file", errno, path.written()))
            }
        }
    }

    /// The root's own excludes, which git keeps beside the repository.
    pub(super) fn excludes_file(&self, root: &RootedPath) -> Option<Vec<u8>> {
        let folder = self.open_beneath(self.root_folder(root.root()), Path::new(".git/info")).ok()?;
        self.rules_file(std::os::fd::AsFd::as_fd(&folder), "exclude", root).ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(rules: &Option<Arc<Rules>>, path: &str) -> bool {
        Rules::ignores(rules.as_ref(), Path::new(path), false)
    }

    #[test]
    fn the_nearest_rule_wins_and_other_files_never_bring_back() {
        let root = Rules::of_root(Some(b"*.tmp\n"), Some(b"*.bak\n!x.tmp\n"));
        let top = Rules::below(root, 0, Some(b"*.log\n/build\n"), &[b"!*.log\nnotes\n".to_vec()]);
        assert!(ignored(&top, "a.tmp") && ignored(&top, "d/a.bak") && ignored(&top, "x.tmp"));
        assert!(ignored(&top, "a.log") && ignored(&top, "build") && !ignored(&top, "d/build"));
        assert!(ignored(&top, "d/notes"));
        let below = Rules::below(top, 1, Some(b"!keep.log\n/only\n"), &[]);
        assert!(!ignored(&below, "d/keep.log") && ignored(&below, "d/x.log"));
        assert!(ignored(&below, "d/only") && !ignored(&below, "d/e/only"));
    }
}
