//! The rules that folders have for the files below them, whichever root names those files.
//!
//! A folder's rules hold for its own files: they are compared with paths from that folder on. So a root above a
//! project, or a repository inside of one, drops none of them. What a folder's rules are comes from a
//! [`RulesSource`], once for each folder: what a command changes of them later counts for the next request.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::globs::GlobError;
use super::rule_lists::{PolicyGlobs, RuleLists};

/// Knows the rules of single folders.
pub trait RulesSource: std::fmt::Debug + Send + Sync {
    /// Returns the rules that `folder` itself has, absolute and resolved; `None`: it has none.
    fn rules_of(&self, folder: &Path) -> Option<PolicyGlobs>;
}

/// The rules of folders, as they were when each was first needed.
#[derive(Debug)]
pub struct FolderRules {
    source: Arc<dyn RulesSource>,
    own: PathBuf,
    known: RwLock<HashMap<PathBuf, Chain>>,
}

type Chain = Arc<[FolderLists]>;

#[derive(Debug, Clone)]
pub(super) struct FolderLists {
    pub(super) folder: PathBuf,
    pub(super) lists: RuleLists,
}

impl FolderRules {
    /// Returns the rules of folders that `source` knows, but for those of the folder `own`, resolved.
    #[must_use]
    pub fn new(source: Arc<dyn RulesSource>, own: &Path) -> FolderRules {
        FolderRules { source, own: own.to_path_buf(), known: RwLock::default() }
    }

    /// Finds the rules that hold in `folder` now, so that they stay the same from now on.
    pub fn fix(&self, folder: &Path) {
        self.in_folder(folder);
    }

    /// The same of a folder that is known to have none of its own.
    pub fn fix_without_own(&self, folder: &Path) {
        self.find(folder, |_| None);
    }

    pub(super) fn for_file(&self, path: &Path) -> Option<Chain> {
        path.parent().filter(|_| path.is_absolute()).map(|folder| self.in_folder(folder))
    }

    pub(super) fn all(&self) -> Vec<FolderLists> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let mut all: Vec<FolderLists> = Vec::new();
        for lists in known.values().flat_map(|chain| chain.iter()) {
            if all.iter().all(|other| other.folder != lists.folder) {
                all.push(lists.clone());
            }
        }
        all.sort_by(|one, other| one.folder.cmp(&other.folder));
        all
    }

    fn in_folder(&self, folder: &Path) -> Chain {
        self.find(folder, |folder| self.own_lists(folder))
    }

    fn find(&self, folder: &Path, own: impl FnOnce(&Path) -> Option<FolderLists>) -> Chain {
        if let Some(chain) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(folder) {
            return Arc::clone(chain);
        }
        let above = folder.parent().map(|parent| self.in_folder(parent)).unwrap_or_default();
        let chain = match own(folder) {
            None => above,
            Some(lists) => above.iter().cloned().chain([lists]).collect(),
        };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        // Another thread may have found them first: what it found stays.
        Arc::clone(known.entry(folder.to_path_buf()).or_insert(chain))
    }

    fn own_lists(&self, folder: &Path) -> Option<FolderLists> {
        let globs = self.source.rules_of(folder).filter(|_| folder != self.own)?;
        // What cannot be understood might deny anything.
        let all =
            |_: GlobError| RuleLists::new(&PolicyGlobs { denied: vec!["**".to_owned()], ..globs.clone() });
        let lists = RuleLists::new(&globs).or_else(all).ok()?;
        Some(FolderLists { folder: folder.to_path_buf(), lists })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use clada_protocol::ErrorKind;

    use super::super::policy::{PathPolicy, RuleKinds, Verdict};
    use super::*;

    /// Rules by folder, which a test may change.
    #[derive(Debug, Default)]
    struct Table(Mutex<HashMap<PathBuf, PolicyGlobs>>);

    impl RulesSource for Table {
        fn rules_of(&self, folder: &Path) -> Option<PolicyGlobs> {
            self.0.lock().unwrap().get(folder).cloned()
        }
    }

    fn globs(denied: &[&str], secrets: &[&str], ask: &[&str]) -> PolicyGlobs {
        let list = |globs: &[&str]| globs.iter().map(|glob| (*glob).to_owned()).collect();
        PolicyGlobs { denied: list(denied), secrets: list(secrets), ask: list(ask), ..PolicyGlobs::default() }
    }

    #[test]
    fn regression_rules_hold_from_the_folder_that_has_them() {
        let table = Arc::new(Table::default());
        let mut rules = table.0.lock().unwrap();
        rules.insert("/up".into(), globs(&["p/out/**"], &[], &[]));
        rules.insert("/up/p".into(), globs(&["private/**", "q"], &["conf/s.txt", "name"], &["deploy/**"]));
        rules.insert("/up/p/broken".into(), globs(&["[z-a]"], &[], &[]));
        rules.insert("/root".into(), globs(&["**"], &[], &[]));
        drop(rules);
        let source: Arc<dyn RulesSource> = Arc::<Table>::clone(&table);
        let policy = |root: &str, kinds| {
            let folders = Arc::new(FolderRules::new(Arc::clone(&source), Path::new(root)));
            PathPolicy::new(&globs(&[], &[], &[])).unwrap().with_folders(folders, kinds)
        };
        let denied = Some(ErrorKind::PathDenied);
        let read = |policy: &PathPolicy, root: &str, path: &str| {
            let verdict = policy.verdict_for_read(Path::new(path), &[&Path::new(root).join(path)]);
            if let Verdict::Deny(kind, _) = verdict { Some(kind) } else { None }
        };
        for (root, path, expected) in [
            ("/up", "p/conf/s.txt", Some(ErrorKind::Secret)),
            ("/up", "p/x/NAME", Some(ErrorKind::Secret)),
            ("/up", "p/private/a", denied),
            ("/up", "p/x/q/a", denied),
            ("/up", "p/broken/a", denied),
            ("/up", "conf/s.txt", None),
            ("/up", "name", None),
            // The root's own rules are known otherwise.
            ("/up", "p/out/a", None),
            ("/up/p/lib", "name", Some(ErrorKind::Secret)),
            ("/up/p/lib", "conf/s.txt", None),
            ("/up/p/out", "a", denied),
            ("/up/p", "private/a", None),
            ("/up/p", "out/a", denied),
        ] {
            assert_eq!(read(&policy(root, RuleKinds::ALL), root, path), expected, "{root} {path}");
        }
        let lifted = policy("/up", RuleKinds { secrets: false, ..RuleKinds::ALL });
        assert_eq!(read(&lifted, "/up", "p/conf/s.txt"), None);
        let verdict = |policy: &PathPolicy| {
            policy.verdict_for_write(Path::new("p/deploy/x"), &[Path::new("/up/p/deploy/x")])
        };
        assert!(
            matches!(verdict(&policy("/up", RuleKinds::ALL)), Verdict::Ask(why) if why.contains("'/up/p'"))
        );
        // They stay as they were when they were first needed.
        let first = policy("/up", RuleKinds::ALL);
        assert!(matches!(verdict(&first), Verdict::Ask(_)));
        table.0.lock().unwrap().remove(Path::new("/up/p"));
        assert!(matches!(verdict(&first), Verdict::Ask(_)));
        assert_eq!(verdict(&policy("/up", RuleKinds::ALL)), Verdict::Allow);
        assert!(first.unread().1.contains(&"conf/s.txt".to_owned()));
    }
}
