//! The rules of ignore files for a walk: per folder, the nearest first.
//!
//! git's rules are those in `.gitignore` of each folder, then in `.git/info/exclude` of a repository, then
//! in the user gitignore; `.ignore` files are additional rules. A file is left out if either kind leaves it
//! out: a `.ignore` file in a project never restores files that git ignores. Reads files only through
//! descriptors that the walk holds.

use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_protocol::ErrorKind;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::error::FsError;
use super::path::RootedPath;
use super::root::Roots;

pub(super) const MAX_RULES: u64 = 1 << 20;

/// The part of git's ignore rules that comes from its configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IgnoreConfig {
    /// The content of the user gitignore, which `core.excludesFile` names.
    pub user_gitignore: Option<Vec<u8>>,
    /// True if letter case does not count (`core.ignoreCase`).
    pub ignores_case: bool,
}

#[derive(Debug, Default)]
pub(super) struct RuleTexts {
    pub(super) excludes: Option<Vec<u8>>,
    pub(super) git: Option<Vec<u8>>,
    pub(super) others: Vec<Vec<u8>>,
    pub(super) ignores_case: bool,
}

impl RuleTexts {
    fn git(&self) -> Option<Gitignore> {
        matcher(self.excludes.iter().chain(&self.git), self.ignores_case)
    }
}

/// Rules of one folder, linked to those of the folders above it. Folders without rules have no link.
#[derive(Debug)]
pub(super) struct RuleLink {
    depth: usize,
    way: PathBuf,
    git: Option<Gitignore>,
    other: Option<Gitignore>,
    above: Option<Arc<RuleLink>>,
}

impl RuleLink {
    pub(super) fn from_user_gitignore(config: &IgnoreConfig, way: &Path) -> Option<Arc<RuleLink>> {
        let git = matcher(config.user_gitignore.iter(), config.ignores_case)?;
        Some(Arc::new(RuleLink { depth: 0, way: way.to_owned(), git: Some(git), other: None, above: None }))
    }

    pub(super) fn around(
        above: Option<Arc<RuleLink>>,
        way: &Path,
        texts: &RuleTexts,
    ) -> Option<Arc<RuleLink>> {
        let Some(git) = texts.git() else { return above };
        Some(Arc::new(RuleLink { depth: 0, way: way.to_owned(), git: Some(git), other: None, above }))
    }

    pub(super) fn below(
        above: Option<Arc<RuleLink>>,
        depth: usize,
        texts: &RuleTexts,
    ) -> Option<Arc<RuleLink>> {
        let git = texts.git();
        let other = matcher(texts.others.iter(), false);
        if git.is_none() && other.is_none() {
            return above;
        }
        Some(Arc::new(RuleLink { depth, way: PathBuf::new(), git, other, above }))
    }

    pub(super) fn ignores(rules: Option<&Arc<RuleLink>>, relative: &Path, is_dir: bool) -> bool {
        let (mut git, mut other) = (None, None);
        let mut level = rules;
        while let Some(rules) = level {
            if git.is_none() || other.is_none() {
                let within: &Path =
                    &rules.way.iter().chain(relative.iter().skip(rules.depth)).collect::<PathBuf>();
                git = git.or_else(|| decision(rules.git.as_ref(), within, is_dir));
                other = other.or_else(|| decision(rules.other.as_ref(), within, is_dir));
            }
            level = rules.above.as_ref();
        }
        git == Some(true) || other == Some(true)
    }
}

fn decision(matcher: Option<&Gitignore>, path: &Path, is_dir: bool) -> Option<bool> {
    match matcher?.matched(path, is_dir) {
        Match::None => None,
        Match::Ignore(_) => Some(true),
        Match::Whitelist(_) => Some(false),
    }
}

fn matcher<'a>(texts: impl Iterator<Item = &'a Vec<u8>>, ignores_case: bool) -> Option<Gitignore> {
    // Skips invalid lines, as git does.
    let mut builder = GitignoreBuilder::new("");
    // It holds for the lines that are added from then on; there is nothing in it that can fail.
    let _ = builder.case_insensitive(ignores_case);
    for text in texts {
        let text = String::from_utf8_lossy(text);
        for line in text.strip_prefix('\u{feff}').unwrap_or(&text).split('\n') {
            if let Some(pattern) = pattern_of(line) {
                let _ = builder.add_line(None, &pattern);
            }
        }
    }
    builder.build().ok().filter(|matcher| !matcher.is_empty())
}

/// Returns a line of an ignore file as the crate `ignore` reads it; `None` if it matches nothing.
fn pattern_of(line: &str) -> Option<String> {
    // To the crate, braces are a choice and an unclosed bracket is a letter. To git, braces are letters, and
    // a pattern with an unclosed bracket matches nothing.
    let mut pattern = String::with_capacity(line.len());
    let mut rest = line.strip_suffix('\r').unwrap_or(line);
    while let Some(letter) = rest.chars().next() {
        let size = match letter {
            '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
            '[' => {
                // A `]` right at the beginning is one of the letters.
                let begin = 1 + usize::from(rest[1..].starts_with(['!', '^']));
                let first = begin + usize::from(rest[begin..].starts_with(']'));
                first + rest[first..].find(']')? + 1
            }
            '{' | '}' => {
                pattern.push('\\');
                1
            }
            _ => letter.len_utf8(),
        };
        pattern.push_str(&rest[..size]);
        rest = &rest[size..];
    }
    Some(pattern)
}

impl Roots {
    pub(super) fn rules_file(
        &self,
        folder: BorrowedFd<'_>,
        name: &str,
        path: &RootedPath,
    ) -> Result<Option<Vec<u8>>, FsError> {
        // A missing file, a link or anything but a regular file means no rules.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(excludes: &str, git: &str) -> RuleTexts {
        RuleTexts { excludes: Some(excludes.into()), git: Some(git.into()), ..RuleTexts::default() }
    }

    fn ignored(rules: &Option<Arc<RuleLink>>, path: &str) -> bool {
        RuleLink::ignores(rules.as_ref(), Path::new(path), false)
    }

    #[test]
    fn the_nearest_rule_wins_and_other_files_never_bring_back() {
        let config = IgnoreConfig { user_gitignore: Some(b"*.bak\n!x.tmp\n".to_vec()), ignores_case: false };
        let user = RuleLink::from_user_gitignore(&config, Path::new(""));
        let others = vec![b"!*.log\nnotes\n".to_vec()];
        let of_top = RuleTexts { others, ..texts("*.tmp\n", "*.log\n/build\n") };
        let top = RuleLink::below(user, 0, &of_top);
        assert!(ignored(&top, "a.tmp") && ignored(&top, "d/a.bak") && ignored(&top, "x.tmp"));
        assert!(ignored(&top, "a.log") && ignored(&top, "build") && !ignored(&top, "d/build"));
        assert!(ignored(&top, "d/notes"));
        let below = RuleLink::below(top, 1, &texts("", "!keep.log\n/only\n"));
        assert!(!ignored(&below, "d/keep.log") && ignored(&below, "d/x.log"));
        assert!(ignored(&below, "d/only") && !ignored(&below, "d/e/only"));
    }

    #[test]
    fn rules_above_the_root_are_read_from_where_they_stand() {
        let around = RuleLink::around(None, Path::new("a/b"), &texts("*.x\n", "/a/b/only\n/only2\n"));
        assert!(ignored(&around, "c.x") && ignored(&around, "only"));
        assert!(!ignored(&around, "d/only") && !ignored(&around, "only2"));
    }
}
