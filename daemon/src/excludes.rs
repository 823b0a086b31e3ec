//! The person's own excludes: the file that git's `core.excludesFile` names, or its default place. git is not asked.

use std::path::{Path, PathBuf};

use crate::hooks::{read, values};

/// The content of the person's excludes, if there are any.
pub(crate) fn global(home: Option<&Path>) -> Option<Vec<u8>> {
    let file = file(home?);
    read(&file).filter(|_| file.is_absolute()).map(String::into_bytes)
}

/// Every file on which the person's excludes depend, there or not.
pub(crate) fn origins(home: Option<&Path>) -> Vec<PathBuf> {
    home.map(|home| configurations(home).into_iter().chain([file(home)]).collect()).unwrap_or_default()
}

fn configurations(home: &Path) -> [PathBuf; 2] {
    [home.join(".config/git/config"), home.join(".gitconfig")]
}

fn file(home: &Path) -> PathBuf {
    let named = configurations(home)
        .iter()
        .filter_map(|file| read(file))
        .filter_map(|text| values(&text, "excludesfile").pop())
        .next_back();
    match named.as_deref() {
        Some(named) => named.strip_prefix("~/").map_or_else(|| PathBuf::from(named), |rest| home.join(rest)),
        None => home.join(".config/git/ignore"),
    }
}
