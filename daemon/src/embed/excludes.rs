//! The person's own excludes: the file that git's `core.excludesFile` names, or its default place. git is not asked.

use std::path::{Path, PathBuf};

use crate::hooks::{read, values};

/// The content of the person's excludes, if there are any.
pub(super) fn global(home: Option<&Path>) -> Option<Vec<u8>> {
    let home = home?;
    let named = [home.join(".config/git/config"), home.join(".gitconfig")]
        .iter()
        .filter_map(|file| read(file))
        .filter_map(|text| values(&text, "excludesfile").pop())
        .next_back();
    let file = match named.as_deref() {
        Some(named) => named.strip_prefix("~/").map_or_else(|| PathBuf::from(named), |rest| home.join(rest)),
        None => home.join(".config/git/ignore"),
    };
    read(&file).filter(|_| file.is_absolute()).map(String::into_bytes)
}
