//! The files of a project that code which nobody was asked about may not touch: it does not see the secrets, and does
//! not change what runs by itself, since that runs outside of any sandbox.
//!
//! Looks at names alone. What is there is found right before the code runs: an edit before it may have made one. A
//! sandbox keeps what is there as it is; what comes to be is found afterwards and removed, since no mount can keep a
//! name free in folders that do not exist yet.

use std::path::{Path, PathBuf};

use clada_exec::ExecError;
use clada_fs::{
    Expected, FileKind, FsError, Identity, Ignoring, RootedPath, Roots, Verdict, WalkItem, WalkOptions,
};
use clada_protocol::ErrorKind;

const ENTRIES: usize = 500_000;

/// Secrets that there may be, and files that run by themselves.
const MOUNTS: usize = 400;

/// The files that are kept from code that nobody was asked about.
#[derive(Debug, Default)]
pub(crate) struct GuardedFiles {
    /// Every file below the roots that is held back, also where git ignores it.
    pub(crate) secrets: Vec<PathBuf>,
    /// The files and folders that run by themselves, or are run or obeyed; of a folder not what is in it.
    pub(crate) protected: Vec<PathBuf>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PlantedFiles {
    pub(crate) removed: Vec<String>,
    /// What could not be removed, or looked at.
    pub(crate) not_removed: Vec<String>,
}

/// Returns the files that are kept from code in the folders of `guarded`.
///
/// # Errors
/// If there is more than can be looked at: then none of it is known to be harmless.
pub(crate) fn find_guarded_files(
    guarded: &Roots,
    hook_folders: &[PathBuf],
    sandbox: &'static str,
    stop: &dyn Fn() -> bool,
) -> Result<GuardedFiles, ExecError> {
    let cannot = |why| ExecError::Unenclosed { sandbox, why };
    let mut files = GuardedFiles::default();
    for (index, folder) in inside(guarded) {
        let walk = guarded.root(index).and_then(|root| guarded.walk(&root, options(stop)).ok());
        for item in walk.ok_or_else(|| cannot("the project cannot be searched for secrets"))? {
            match item {
                WalkItem::Withheld { path, .. } => files.secrets.push(folder.join(path.relative())),
                WalkItem::Entry { path, .. } if runs_by_itself(guarded, &path, hook_folders) => {
                    let path = folder.join(path.relative());
                    // A folder comes before its contents, and keeps them.
                    if files.protected.last().is_none_or(|last| !path.starts_with(last)) {
                        files.protected.push(path);
                    }
                }
                WalkItem::Entry { .. } | WalkItem::Ignored { .. } => {}
                // What this user may not open, or is gone, the code does not see either.
                WalkItem::Error(error) if is_nothing_to(&error) => {}
                WalkItem::Error(_) => {
                    return Err(cannot("the project changed while it was searched for secrets"));
                }
                WalkItem::Truncated => {
                    return Err(cannot("the project has more files than are searched for secrets"));
                }
            }
        }
    }
    if files.secrets.len() > MOUNTS {
        return Err(cannot("the project has more secrets than can be hidden"));
    }
    if files.protected.len() > MOUNTS {
        return Err(cannot("the project has more files that run by themselves than can be kept as they are"));
    }
    Ok(files)
}

/// Removes what code has put where something runs by itself and nothing was before: what is not among `before`.
pub(crate) fn remove_planted(
    guarded: &Roots,
    hook_folders: &[PathBuf],
    before: &GuardedFiles,
) -> PlantedFiles {
    let mut planted = PlantedFiles::default();
    for (index, folder) in inside(guarded) {
        let is_old = |path: &RootedPath| {
            let path = folder.join(path.relative());
            before.protected.iter().chain(&before.secrets).any(|old| path.starts_with(old))
        };
        let is_planted = |path: &RootedPath| runs_by_itself(guarded, path, hook_folders) && !is_old(path);
        let mut entries: Vec<(RootedPath, FileKind, Identity)> = Vec::new();
        let walk = guarded.root(index).and_then(|root| guarded.walk(&root, options(&|| false)).ok());
        let Some(walk) = walk else {
            planted.not_removed.push(folder.display().to_string());
            continue;
        };
        for item in walk {
            match item {
                WalkItem::Entry { path, stat } if is_planted(&path) => {
                    entries.push((path, stat.kind, stat.identity()));
                }
                // A name can be one of both lists, such as `.envrc`.
                WalkItem::Withheld { path, is_dir: false, .. } if is_planted(&path) => {
                    match guarded.lstat(&path) {
                        Ok(Some(stat)) => entries.push((path, stat.kind, stat.identity())),
                        _ => planted.not_removed.push(path.relative().to_string_lossy().into_owned()),
                    }
                }
                WalkItem::Truncated => planted.not_removed.push(folder.display().to_string()),
                WalkItem::Entry { .. }
                | WalkItem::Error(_)
                | WalkItem::Withheld { .. }
                | WalkItem::Ignored { .. } => {}
            }
        }
        // What is in a folder goes before the folder.
        for (path, kind, identity) in entries.into_iter().rev() {
            let outcome = match kind {
                FileKind::Directory => guarded.rmdir(&path),
                _ => guarded.unlink(&path, Expected::Identity(identity)),
            };
            let written = path.relative().to_string_lossy().into_owned();
            match outcome {
                Ok(()) if kind == FileKind::Directory => {}
                Ok(()) => planted.removed.push(written),
                // A secret in it stays: that its folder runs by itself was told with what is in it.
                Err(_) => planted.not_removed.push(written),
            }
        }
    }
    planted.removed.sort();
    planted
}

/// Returns whether what lies at `path` runs by itself, or is run or obeyed by what does.
fn runs_by_itself(roots: &Roots, path: &RootedPath, hook_folders: &[PathBuf]) -> bool {
    matches!(roots.verdict_for_write(path), Verdict::Ask(_))
        || path.root() == 0 && hook_folders.iter().any(|folder| path.relative().starts_with(folder))
}

fn inside(roots: &Roots) -> impl Iterator<Item = (usize, &Path)> {
    roots.paths().enumerate().filter(|(_, folder)| *folder != Path::new("/"))
}

fn options(stop: &dyn Fn() -> bool) -> WalkOptions<'_> {
    WalkOptions {
        ignoring: Ignoring::Nothing,
        max_entries: ENTRIES,
        cancelled: stop,
        ..WalkOptions::default()
    }
}

fn is_nothing_to(error: &FsError) -> bool {
    matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::FileNotFound)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests lay files out")]
mod tests {
    use clada_fs::{Options, PathPolicy, PolicyGlobs};

    use super::*;

    fn roots(top: &Path) -> Roots {
        let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        let ask = list(&[".envrc", ".husky/**", "**/.claude/**", "sub/run"]);
        let globs = PolicyGlobs { ask, secrets: list(&["*.key", ".env*"]), ..PolicyGlobs::default() };
        Roots::open(top, &[], &[], PathPolicy::new(&globs).unwrap(), Options::default()).unwrap()
    }

    fn lay(top: &Path, name: &str) {
        let path = top.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    #[test]
    fn regression_what_code_plants_is_removed_and_what_was_there_stays() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path().canonicalize().unwrap();
        for name in [".envrc", "c/.envrc", ".husky/pre-push", "a.key", "src/a.rs", ".gitignore"] {
            lay(&top, name);
        }
        std::fs::write(top.join(".gitignore"), "*").unwrap();
        let roots = roots(&top);
        let hooks = [PathBuf::from("hooks")];
        let kept = find_guarded_files(&roots, &hooks, "x", &|| false).unwrap();
        assert_eq!(kept.secrets, [".envrc", "a.key", "c/.envrc"].map(|name| top.join(name)));
        assert_eq!(kept.protected, [top.join(".husky")]);
        assert_eq!(remove_planted(&roots, &hooks, &kept), PlantedFiles::default());
        let planted = ["hooks/pre-commit", "sub/.claude/settings.json", "sub/.envrc", "sub/run"];
        planted.iter().chain(&["src/b.rs", "sub/c"]).for_each(|name| lay(&top, name));
        let found = remove_planted(&roots, &hooks, &kept);
        assert_eq!((found.removed, found.not_removed), (planted.map(str::to_owned).to_vec(), vec![]));
        for name in planted.iter().chain(&["hooks", "sub/.claude"]) {
            assert!(!top.join(name).exists(), "{name}");
        }
        for name in [".envrc", "c/.envrc", ".husky/pre-push", "src/a.rs", "src/b.rs", "sub/c"] {
            assert!(top.join(name).exists(), "{name}");
        }
    }
}
