//! The folders of a user's own programs, for commands of clients that hand no `PATH` on, as agents do.
//!
//! Those of the system come first: a program of the user stands in for none of them. Looks at folders, and
//! changes none.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, open_regular};

use crate::environment::PATH;

const FOLDERS: [&str; 12] = [
    ".local/bin",
    ".cargo/bin",
    "go/bin",
    ".pyenv/shims",
    ".rbenv/shims",
    ".asdf/shims",
    ".local/share/mise/shims",
    ".volta/bin",
    ".bun/bin",
    ".deno/bin",
    ".npm-global/bin",
    "bin",
];

const VERSIONS: usize = 1000;
const ALIAS: u64 = 256;

/// Returns the search path of a user whose client names none: the system's folders, then those of the user's
/// tools that are there.
#[must_use]
pub fn usual_path(home: Option<&Path>) -> OsString {
    let Some(home) = home.filter(|home| home.is_absolute() && home.parent().is_some()) else {
        return PATH.into();
    };
    let own =
        FOLDERS.iter().map(|folder| home.join(folder)).chain(node(home)).filter(|folder| folder.is_dir());
    let folders = std::env::split_paths(PATH).chain(own);
    // A home folder with a colon in its name cannot be in a search path.
    std::env::join_paths(folders).unwrap_or_else(|_| PATH.into())
}

/// Returns the programs of the version of Node that nvm uses by default: the newest of those that its alias
/// names by a number, else the newest of all.
fn node(home: &Path) -> Option<PathBuf> {
    let versions = home.join(".nvm/versions/node");
    let mut there: Vec<(Vec<u64>, PathBuf)> = Vec::new();
    for entry in std::fs::read_dir(&versions).ok()?.flatten().take(VERSIONS) {
        let number = entry.file_name().to_str().and_then(version);
        there.extend(number.map(|number| (number, entry.path().join("bin"))));
    }
    there.sort();
    let alias = alias(&home.join(".nvm/alias/default")).and_then(|alias| version(alias.trim()));
    let named = alias.and_then(|alias| there.iter().rev().find(|(number, _)| number.starts_with(&alias)));
    named.or(there.last()).map(|(_, folder)| folder.clone())
}

fn alias(file: &Path) -> Option<String> {
    let mut text = String::new();
    let file = open_regular(file, Symlinks::Refuse).ok()?;
    std::io::Read::read_to_string(&mut std::io::Read::take(file, ALIAS), &mut text).ok()?;
    Some(text)
}

fn version(text: &str) -> Option<Vec<u64>> {
    text.strip_prefix('v').unwrap_or(text).split('.').map(|part| part.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "tests lay out files as a user does")]

    use super::*;

    #[test]
    fn the_folders_of_a_users_tools_come_after_the_systems_if_they_are_there() {
        assert_eq!(usual_path(None), PATH);
        assert_eq!(usual_path(Some(Path::new("/"))), PATH);
        let home = tempfile::tempdir().unwrap();
        assert_eq!(usual_path(Some(home.path())), PATH);
        for folder in [".cargo/bin", ".local/bin", ".pyenv/versions"] {
            std::fs::create_dir_all(home.path().join(folder)).unwrap();
        }
        std::fs::write(home.path().join("bin"), "a file").unwrap();
        let at = |name: &str| format!(":{}", home.path().join(name).display());
        let expected = format!("{PATH}{}{}", at(".local/bin"), at(".cargo/bin"));
        assert_eq!(usual_path(Some(home.path())), OsString::from(expected));
    }

    #[test]
    fn nvm_s_default_is_found_by_its_alias_or_is_the_newest() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(node(home.path()), None);
        let versions = home.path().join(".nvm/versions/node");
        for name in ["v9.11.2", "v20.9.0", "v20.11.1", "v22.1.0", "system"] {
            std::fs::create_dir_all(versions.join(name).join("bin")).unwrap();
        }
        std::fs::create_dir_all(home.path().join(".nvm/alias")).unwrap();
        for (alias, name) in [
            ("20\n", "v20.11.1"),
            ("v20.9.0", "v20.9.0"),
            ("9", "v9.11.2"),
            ("lts/*", "v22.1.0"),
            ("18", "v22.1.0"),
        ] {
            std::fs::write(home.path().join(".nvm/alias/default"), alias).unwrap();
            assert_eq!(node(home.path()), Some(versions.join(name).join("bin")), "{alias}");
        }
    }
}
