//! Finds changes that would make git run programs from an ordinary folder.
//!
//! Pure: a closure answers which paths exist, so that a planner can answer for its overlay as well as for the
//! disk. Paths are relative to a root.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// Returns the reason for which a user should see a write to `path` that lies in the folder of hooks
/// (`core.hooksPath`) of the repository, both relative to the root.
#[must_use]
pub fn runs_as_hook(path: &Path, hooks_folder: &Path) -> Option<String> {
    if hooks_folder.as_os_str().is_empty() {
        return None;
    }
    let mut components = path.components();
    let inside = hooks_folder.components().filter(|part| *part != Component::CurDir).all(|folder| {
        components.next().is_some_and(|own| own.as_os_str().eq_ignore_ascii_case(folder.as_os_str()))
    });
    inside.then(|| format!("git runs the files in '{}' as hooks", hooks_folder.display()))
}

/// Returns the reason for which a user should see that `path` is created: it makes a
/// folder a bare git repository.
///
/// git takes any folder with `HEAD`, `objects` and `refs` (or `HEAD` and `commondir`) for one, and obeys its
/// `config`, which can name programs (`core.fsmonitor`). `exists` returns whether a path in the same folder
/// exists, planned ones included. Writes into a folder that is such a repository already are reported too.
#[must_use]
pub fn makes_bare_repository(path: &Path, exists: impl Fn(&Path) -> bool) -> Option<String> {
    let mut folder = PathBuf::new();
    for component in path.components() {
        let name = component.as_os_str();
        if let Some(marker) = MARKERS.iter().find(|marker| is(name, marker)) {
            let there = |other: &str| *marker == other || exists(&folder.join(other));
            let is_repository = there("HEAD") && (there("commondir") || (there("objects") && there("refs")));
            if is_repository {
                let shown = if folder.as_os_str().is_empty() { Path::new(".") } else { folder.as_path() };
                return Some(format!("git would take '{}' for a repository and obey it", shown.display()));
            }
        }
        folder.push(component);
    }
    None
}

const MARKERS: [&str; 6] = ["HEAD", "objects", "refs", "commondir", "config", "hooks"];

fn is(name: &OsStr, marker: &str) -> bool {
    super::names::plain(name).as_bytes().eq_ignore_ascii_case(marker.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn makes_repository(path: &str, there: &[&str]) -> bool {
        makes_bare_repository(Path::new(path), |asked| there.iter().any(|one| Path::new(one) == asked))
            .is_some()
    }

    #[test]
    fn the_last_piece_is_noticed_whichever_it_is() {
        assert!(makes_repository("x/HEAD", &["x/objects", "x/refs"]));
        assert!(makes_repository("x/objects/info/a", &["x/HEAD", "x/refs"]));
        assert!(makes_repository("x/refs", &["x/HEAD", "x/objects"]));
        assert!(makes_repository("x/head", &["x/objects", "x/refs"]));
        assert!(makes_repository("HEAD", &["objects", "refs"]));
        assert!(makes_repository("x/commondir", &["x/HEAD"]));
        assert!(makes_repository("a/b/config", &["a/b/HEAD", "a/b/objects", "a/b/refs"]));
        assert!(makes_repository("a/b/hooks/post-checkout", &["a/b/HEAD", "a/b/objects", "a/b/refs"]));
    }

    #[test]
    fn ordinary_folders_are_left_alone() {
        assert!(!makes_repository("x/HEAD", &["x/objects"]));
        assert!(!makes_repository("src/config", &["src/objects", "src/refs"]));
        assert!(!makes_repository("src/objects/a.rs", &["src"]));
        assert!(!makes_repository("HEAD/objects/refs", &[]));
    }

    #[test]
    fn hooks_of_the_tree_are_noticed() {
        let hooks = Path::new("tools/hooks");
        assert!(runs_as_hook(Path::new("tools/hooks/pre-commit"), hooks).is_some());
        assert!(runs_as_hook(Path::new("Tools/HOOKS/x"), hooks).is_some());
        assert!(runs_as_hook(Path::new("tools/hook"), hooks).is_none());
        assert!(runs_as_hook(Path::new("a"), Path::new("")).is_none());
    }
}
