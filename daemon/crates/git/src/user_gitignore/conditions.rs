//! Determines whether a file that git's configuration includes under a condition is included.
//!
//! Knows `gitdir`, `gitdir/i` and `onbranch`. Any other condition counts as false.

use std::path::{Path, PathBuf};

use globset::GlobBuilder;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Condition<'a> {
    Folder { pattern: &'a str, any_case: bool },
    Branch(&'a str),
}

impl Condition<'_> {
    pub(super) fn parse(text: &str) -> Option<Condition<'_>> {
        let (kind, pattern) = text.split_once(':')?;
        match kind {
            "gitdir" => Some(Condition::Folder { pattern, any_case: false }),
            "gitdir/i" => Some(Condition::Folder { pattern, any_case: true }),
            "onbranch" => Some(Condition::Branch(pattern)),
            _ => None,
        }
    }
}

pub(super) fn folder_matches(
    git: &Path,
    pattern: &str,
    any_case: bool,
    folder_of_file: &Path,
    home: &Path,
) -> bool {
    let rooted = |folder: &Path, rest: &str| {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        Some(format!("{}/{rest}", literal(folder.to_str()?)))
    };
    let pattern = if let Some(rest) = pattern.strip_prefix("~/") {
        rooted(home, rest)
    } else if let Some(rest) = pattern.strip_prefix("./") {
        rooted(folder_of_file, rest)
    } else if pattern.starts_with('/') {
        Some(pattern.to_owned())
    } else {
        Some(format!("**/{pattern}"))
    };
    let real = git.canonicalize().ok();
    let candidates = std::iter::once(git.to_path_buf()).chain(real);
    pattern.is_some_and(|pattern| candidates.into_iter().any(|git| matches(&pattern, any_case, &git)))
}

pub(super) fn branch_matches(branch: &str, pattern: &str) -> bool {
    matches(pattern, false, Path::new(branch))
}

pub(super) fn branch(head: &str) -> Option<&str> {
    head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")
}

fn matches(pattern: &str, any_case: bool, path: &Path) -> bool {
    // A pattern for a folder matches its contents; git does not treat braces specially.
    let within = if pattern.ends_with('/') { "**" } else { "" };
    let pattern = format!("{pattern}{within}").replace('{', "[{]").replace('}', "[}]");
    let glob = GlobBuilder::new(&pattern).literal_separator(true).case_insensitive(any_case).build();
    glob.is_ok_and(|glob| glob.compile_matcher().is_match(path))
}

fn literal(text: &str) -> String {
    text.chars()
        .flat_map(|letter| {
            matches!(letter, '*' | '?' | '[' | '\\').then_some('\\').into_iter().chain([letter])
        })
        .collect()
}

pub(super) fn file(named: &str, folder_of_file: &Path, home: &Path) -> PathBuf {
    named.strip_prefix("~/").map_or_else(|| folder_of_file.join(named), |rest| home.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_meant_as_git_means_it() {
        let means = |pattern, any_case| {
            folder_matches(
                Path::new("/h/work/one/.git"),
                pattern,
                any_case,
                Path::new("/h/c"),
                Path::new("/h"),
            )
        };
        for pattern in
            ["/h/work/", "~/work/", "work/", "one/.git", "/h/work/**", "/h/*/one/.git", "**/one/**"]
        {
            assert!(means(pattern, false), "{pattern}");
        }
        for pattern in ["/h/work", "~/Work/", "ork/", "/work/", "./work/", "/h/*/.git", "{work}/"] {
            assert!(!means(pattern, false), "{pattern}");
        }
        assert!(means("~/WORK/", true) && means("", false));
    }

    #[test]
    fn branches() {
        assert_eq!(branch("ref: refs/heads/feature/a\n"), Some("feature/a"));
        assert_eq!(branch("0123456789"), None);
        assert!(branch_matches("feature/a", "feature/") && branch_matches("main", "ma*"));
        assert!(!branch_matches("feature/a", "feature*") && !branch_matches("main", "mai"));
    }
}
