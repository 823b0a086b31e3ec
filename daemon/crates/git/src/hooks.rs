//! Finds the folders of the project from which git takes hooks: a file written there runs by itself.
//!
//! Reads git's configuration files as text and looks for `hooksPath` alone. In doubt the user is asked:
//! the key counts in any section, and under any condition. git itself is not run, since a repository
//! can make it run programs.

use std::path::{Component, Path, PathBuf};

use clada_fs::{Roots, Symlinks, read_regular};

const MAX_CONFIG: u64 = 1 << 20;

/// Returns the folders that `core.hooksPath` names in the repository's or the user's configuration, relative
/// to the project's root. Folders outside the project are left out: an answer does not write there.
pub fn folders(roots: &Roots, home: Option<&Path>) -> Vec<PathBuf> {
    let Some(root) = roots.paths().next() else { return Vec::new() };
    let home_files =
        home.into_iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    let mut folders: Vec<PathBuf> = std::iter::once(root.join(".git/config"))
        .chain(home_files)
        .filter_map(|file| read(&file))
        .flat_map(|text| hooks_paths(&text))
        .filter_map(|named| beneath(root, &named))
        .collect();
    folders.sort();
    folders.dedup();
    folders
}

pub(crate) fn read(file: &Path) -> Option<String> {
    let text = read_regular(file, Symlinks::Follow, MAX_CONFIG).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

pub(crate) fn hooks_paths(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| {
            // `[core] hooksPath = x` may stand on one line.
            let line = line.trim_start();
            let line = if line.starts_with('[') { line.split_once(']')?.1 } else { line };
            let (key, value) = line.split_once('=')?;
            key.trim().eq_ignore_ascii_case("hookspath").then_some(value)
        })
        .map(|value| value.split(['#', ';']).next().unwrap_or_default().replace('"', "").trim().to_owned())
        .filter(|value| !value.is_empty())
        .collect()
}

fn beneath(root: &Path, named: &str) -> Option<PathBuf> {
    let absolute = root.join(named);
    let mut plain = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    let relative = plain.strip_prefix(root).ok()?;
    (!relative.as_os_str().is_empty()).then(|| relative.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_the_key_is_seen() {
        let text = "[core]\n\tbare = false\n  hooksPath = .githooks # mine\n[core] HOOKSPATH=\"tools/hooks\"\n[x]\nhooks = a\n";
        assert_eq!(hooks_paths(text), [".githooks", "tools/hooks"]);
        assert!(hooks_paths("hooksPath\n[core\nhooksPath =\n").is_empty());
    }

    #[test]
    fn only_folders_of_the_project_count() {
        let root = Path::new("/p");
        assert_eq!(beneath(root, "./a/../.husky"), Some(PathBuf::from(".husky")));
        assert_eq!(beneath(root, "/p/hooks"), Some(PathBuf::from("hooks")));
        for elsewhere in ["/etc/hooks", "../x", ".", "/p", "~/hooks/../../.."] {
            assert!(beneath(root, elsewhere).is_none_or(|path| path.starts_with("~")), "{elsewhere}");
        }
    }
}
