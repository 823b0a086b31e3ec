//! The person's own excludes: the file that git's `core.excludesFile` names, for all repositories or for one, or its
//! default place. git is not asked.

use std::path::{Path, PathBuf};

use crate::hooks::{read, values};

/// The content of the person's excludes, if there are any. `repository`: the configuration of the repository.
pub(crate) fn global(home: Option<&Path>, repository: Option<&Path>) -> Option<Vec<u8>> {
    let file = file(home?, repository);
    read(&file).filter(|_| file.is_absolute()).map(String::into_bytes)
}

/// Every file on which the person's excludes depend, there or not.
pub(crate) fn origins(home: Option<&Path>, repository: Option<&Path>) -> Vec<PathBuf> {
    let Some(home) = home else { return Vec::new() };
    configurations(home, repository).chain([file(home, repository)]).collect()
}

/// The later one wins.
fn configurations(home: &Path, repository: Option<&Path>) -> impl DoubleEndedIterator<Item = PathBuf> {
    let person = [home.join(".config/git/config"), home.join(".gitconfig")];
    person.into_iter().chain(repository.map(Path::to_path_buf))
}

fn file(home: &Path, repository: Option<&Path>) -> PathBuf {
    let named = configurations(home, repository)
        .filter_map(|file| read(&file))
        .filter_map(|text| values(&text, "excludesfile").pop())
        .next_back();
    match named.as_deref() {
        Some(named) => named.strip_prefix("~/").map_or_else(|| PathBuf::from(named), |rest| home.join(rest)),
        None => home.join(".config/git/ignore"),
    }
}
