//! The files that stage leaves out besides those that git's ignore rules hide.
//!
//! `.cladaignore` and `.clodignore` in the root, with git's syntax; the default list where there is neither.
//! They only ever leave out: a file that git ignores cannot be added by them, because it is not in the index
//! that stage works from.

use std::path::Path;

use clada_fs::{FsError, Roots};
use clada_protocol::ErrorKind;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// The names of the files with stage's own rules, in the project's root. The later one wins where they
/// disagree.
pub const FILES: [&str; 2] = [".clodignore", ".cladaignore"];

const LIMIT: u64 = 1 << 20;

/// The default rules, for a project without any; `init` writes them out.
pub const DEFAULT: &str = include_str!("default.cladaignore");

/// A file with rules, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRules {
    /// The rules.
    pub text: Vec<u8>,
    /// True if letter case does not count: stage's predecessor, whose file it is, took `*.PNG` for `*.png`.
    pub ignores_case: bool,
}

/// The rules in force.
#[derive(Debug)]
pub struct StageIgnore {
    matcher: Gitignore,
    files: Vec<WrittenRules>,
}

/// Reads the rules of the project at the first of `roots`, as they are written.
///
/// # Errors
/// If a file with rules is there and cannot be read: unknown rules must not be taken for none.
pub fn written(roots: &Roots) -> Result<Vec<WrittenRules>, FsError> {
    let mut files = Vec::new();
    for name in FILES {
        let path = roots.resolve(name)?;
        match roots.read(&path, LIMIT) {
            Ok(content) => files.push(WrittenRules { text: content.bytes, ignores_case: name == FILES[0] }),
            Err(error) if is_none(error.kind()) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(files)
}

impl StageIgnore {
    /// Compiles the rules in `files`, of which the later wins.
    #[must_use]
    pub(crate) fn new(files: Vec<WrittenRules>) -> StageIgnore {
        let mut builder = GitignoreBuilder::new("");
        builder.allow_unclosed_class(true);
        let default = [WrittenRules { text: DEFAULT.as_bytes().to_vec(), ignores_case: false }];
        for WrittenRules { text, ignores_case } in if files.is_empty() { &default[..] } else { &files } {
            // It holds for the lines that are added from then on; there is nothing in it that can fail.
            let _ = builder.case_insensitive(*ignores_case);
            let text = String::from_utf8_lossy(text);
            for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
                // An invalid line is skipped, as git does.
                let _ = builder.add_line(None, line);
            }
        }
        StageIgnore { matcher: builder.build().unwrap_or_else(|_| Gitignore::empty()), files }
    }

    /// Returns whether the file at `path`, from the root, is left out.
    #[must_use]
    pub(crate) fn leaves_out(&self, path: &Path) -> bool {
        self.matcher.matched_path_or_any_parents(path, false).is_ignore()
    }

    /// Returns the rules as they are written, for comparison with others; empty for the default list.
    #[must_use]
    pub fn files(&self) -> &[WrittenRules] {
        &self.files
    }
}

fn is_none(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::FileNotFound
            | ErrorKind::IsDirectory
            | ErrorKind::NotRegularFile
            | ErrorKind::SymlinkNotAllowed
            | ErrorKind::NotDirectory
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(rules: &[&str], path: &str) -> bool {
        let written = |text: &&str| WrittenRules { text: text.as_bytes().to_vec(), ignores_case: false };
        StageIgnore::new(rules.iter().map(written).collect()).leaves_out(Path::new(path))
    }

    #[test]
    fn letter_case_does_not_count_in_the_file_of_the_predecessor_alone() {
        let rules = |text: &str, ignores_case| WrittenRules { text: text.into(), ignores_case };
        let both = StageIgnore::new(vec![rules("*.PNG\n", true), rules("*.Md\n", false)]);
        let left_out = |path: &str| both.leaves_out(Path::new(path));
        assert!(left_out("a.png") && left_out("a.PNG") && left_out("b/c.Png"));
        assert!(left_out("a.Md") && !left_out("a.md"));
    }

    #[test]
    fn the_default_list_holds_where_there_is_no_other() {
        for path in [
            "logo.svg",
            "a/b.png",
            "x/node_modules/y.js",
            "target/debug/a",
            "Cargo.lock",
            ".gitignore",
            "a/.cladaignore",
            "film.mp4",
            "a.tar.gz",
            "package-lock.json",
        ] {
            assert!(left_out(&[], path), "{path}");
        }
        for path in ["src/main.rs", "README.md", "a/build.rs", "Makefile", ".tool-versions", "docs/target.md"]
        {
            assert!(!left_out(&[], path), "{path}");
        }
        assert!(!left_out(&[""], "logo.svg"));
        assert!(left_out(&["*.rs\n"], "src/main.rs") && !left_out(&["*.rs\n"], "logo.svg"));
    }

    #[test]
    fn the_later_file_wins() {
        assert!(!left_out(&["*.rs\n", "!main.rs\n"], "src/main.rs"));
        assert!(left_out(&["*.rs\n", "!main.rs\n"], "src/lib.rs"));
        assert!(left_out(&["/docs/\n"], "docs/a/b") && !left_out(&["/docs/\n"], "a/docs/b"));
    }
}
