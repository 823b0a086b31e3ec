//! The operations that have ended in any project of this process, with the files that they changed: what a person
//! was shown may not hold any more if one of them has changed a file that a command reads.
//!
//! Paths are absolute, since roots may overlap: an operation of the folder above changes the files of a project,
//! too. Bounded; an operation that was forgotten counts as one that has changed everything.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use clada_protocol::{CallerKind, visible_line};

const MAX_ENDED: usize = 256;
const MAX_FILES: usize = 200;
const MAX_NAMED: usize = 10;

// The operations that have ended. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct EndedOperations(Arc<Mutex<OperationLog>>);

#[derive(Debug, Default)]
struct OperationLog {
    count: u64,
    last: VecDeque<EndedOperation>,
}

#[derive(Debug)]
struct EndedOperation {
    number: u64,
    id: String,
    caller: CallerKind,
    plan: Option<String>,
    touched: Touched,
}

// Operations that change nothing of what was shown with them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OwnOperations<'a> {
    /// The one at the end of which it was shown.
    pub operation: Option<&'a str>,
    /// Those that applied parts of this plan.
    pub plan: Option<&'a str>,
}

// The files that an operation has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Touched {
    // These, absolute and resolved.
    Files(Vec<PathBuf>),
    // Any of those below this folder.
    Below(PathBuf),
}

// The part of the system that something to be approved depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReadScope {
    // All of it: a command may read any file.
    Everything,
    // These folders, resolved.
    Folders(Vec<PathBuf>),
}

impl ReadScope {
    fn has(&self, path: &Path) -> bool {
        match self {
            ReadScope::Everything => true,
            ReadScope::Folders(folders) => folders.iter().any(|folder| path.starts_with(folder)),
        }
    }

    fn overlaps(&self, folder: &Path) -> bool {
        let is_above = |own: &PathBuf| own.starts_with(folder);
        self.has(folder) || matches!(self, ReadScope::Folders(folders) if folders.iter().any(is_above))
    }
}

impl EndedOperations {
    #[must_use]
    pub(crate) fn count(&self) -> u64 {
        self.log().count
    }

    // Notes the end of the operation `id`. One that changed nothing leaves everything as it was shown.
    pub(crate) fn end(&self, id: &str, caller: CallerKind, plan: Option<&str>, touched: Touched) {
        let touched = match touched {
            Touched::Files(files) if files.is_empty() => return,
            // Of so many files it is not remembered which: they lie below one folder in any case.
            Touched::Files(files) if files.len() > MAX_FILES => Touched::Below(common_folder(&files)),
            touched => touched,
        };
        let mut ended = self.log();
        ended.count += 1;
        let number = ended.count;
        let (id, plan) = (id.to_owned(), plan.map(str::to_owned));
        ended.last.push_back(EndedOperation { number, id, caller, plan, touched });
        if ended.last.len() > MAX_ENDED {
            ended.last.pop_front();
        }
    }

    // Returns what those after the first `known` changed within `reach`, in words, with paths from `root`. The
    // operations of `own` do not count.
    #[must_use]
    pub(crate) fn since(
        &self,
        known: u64,
        reach: &ReadScope,
        root: &Path,
        own: OwnOperations<'_>,
    ) -> Vec<String> {
        let ended = self.log();
        let first = ended.last.front().map_or(ended.count + 1, |first| first.number);
        let forgotten = first.saturating_sub(known + 1);
        let mut changes = Vec::new();
        if forgotten > 0 {
            changes.push(format!("{forgotten} other operations have ended."));
        }
        let later = ended.last.iter().filter(|operation| operation.number > known);
        let is_own = |operation: &&EndedOperation| {
            own.operation == Some(operation.id.as_str())
                || own.plan.is_some() && own.plan == operation.plan.as_deref()
        };
        let others = later.filter(|operation| !is_own(operation));
        changes.extend(others.filter_map(|operation| operation.within(reach, root)));
        changes
    }

    fn log(&self) -> MutexGuard<'_, OperationLog> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndedOperation {
    fn within(&self, reach: &ReadScope, root: &Path) -> Option<String> {
        let from_root = |path: &Path| {
            let path =
                path.strip_prefix(root).ok().filter(|path| !path.as_os_str().is_empty()).unwrap_or(path);
            visible_line(&path.to_string_lossy()).into_owned()
        };
        let changes = match &self.touched {
            Touched::Below(folder) if reach.overlaps(folder) => format!("files below {}", from_root(folder)),
            Touched::Below(_) => return None,
            Touched::Files(files) => {
                let mut within = files.iter().filter(|path| reach.has(path));
                let named: Vec<_> = within.by_ref().take(MAX_NAMED).map(|path| from_root(path)).collect();
                match (named.is_empty(), within.count()) {
                    (true, _) => return None,
                    (false, 0) => named.join(", "),
                    (false, more) => format!("{} and {more} more", named.join(", ")),
                }
            }
        };
        let operation = match self.caller {
            CallerKind::Agent => "An agent's operation",
            CallerKind::Person => "Operation",
        };
        Some(format!("{operation} {} changed {changes}.", self.id))
    }
}

fn common_folder(files: &[PathBuf]) -> PathBuf {
    let mut folder = files.first().and_then(|first| first.parent()).unwrap_or(Path::new("/"));
    for file in files {
        while !file.starts_with(folder) {
            folder = folder.parent().unwrap_or(Path::new("/"));
        }
    }
    folder.to_path_buf()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(names: &[&str]) -> Touched {
        Touched::Files(names.iter().map(PathBuf::from).collect())
    }

    #[test]
    fn what_ended_since_is_reported_and_what_is_kept_is_bounded() {
        let (ended, root) = (EndedOperations::default(), Path::new("/p"));
        let since = |known| ended.since(known, &ReadScope::Everything, root, OwnOperations::default());
        assert!(since(0).is_empty());
        let twelve: Vec<PathBuf> = (0..12).map(|number| format!("/p/f{number}").into()).collect();
        ended.end("a", CallerKind::Agent, None, Touched::Files(twelve));
        ended.end("b", CallerKind::Person, None, files(&["/q/x\n"]));
        ended.end("c", CallerKind::Agent, None, files(&[]));
        assert_eq!(
            since(0),
            [
                "An agent's operation a changed f0, f1, f2, f3, f4, f5, f6, f7, f8, f9 and 2 more.",
                "Operation b changed /q/x\\n.",
            ]
        );
        assert_eq!(since(1), ["Operation b changed /q/x\\n."]);
        for _ in 0..MAX_ENDED + 10 {
            ended.end("d", CallerKind::Agent, None, files(&["/p/x"]));
        }
        let changes = since(2);
        assert_eq!((changes.len(), changes[0].as_str()), (MAX_ENDED + 1, "10 other operations have ended."));
        assert!(since(ended.count()).is_empty());
    }

    #[test]
    fn regression_roots_that_overlap_count_and_others_do_not() {
        let (ended, root) = (EndedOperations::default(), Path::new("/up/w"));
        let reach = ReadScope::Folders(vec![root.into(), "/shared".into()]);
        let cases = [
            (files(&["/up/w/build.sh"]), Some("build.sh")),
            (files(&["/up/w/in/d.txt", "/up/x"]), Some("in/d.txt")),
            (files(&["/shared/y"]), Some("/shared/y")),
            (files(&["/up/wide", "/up/v/a"]), None),
            (files(&[]), None),
            (Touched::Below("/up".into()), Some("files below /up")),
            (Touched::Below("/up/w/in".into()), Some("files below in")),
            (Touched::Below("/up/v".into()), None),
        ];
        for (touched, expected) in cases {
            let known = ended.count();
            ended.end("a", CallerKind::Person, Some("p"), touched.clone());
            let expected: Vec<String> =
                expected.map(|names| format!("Operation a changed {names}.")).into_iter().collect();
            let since = |operation, plan| ended.since(known, &reach, root, OwnOperations { operation, plan });
            assert_eq!(since(None, None), expected, "{touched:?}");
            assert_eq!(since(Some("b"), Some("q")), expected, "{touched:?}");
            assert!(since(Some("a"), None).is_empty() && since(None, Some("p")).is_empty(), "{touched:?}");
        }
    }

    #[test]
    fn so_many_files_are_one_folder() {
        let ended = EndedOperations::default();
        let many = (0..=MAX_FILES).map(|number| format!("/p/{}/f{number}", number % 2).into()).collect();
        ended.end("a", CallerKind::Person, None, Touched::Files(many));
        let changes = ended.since(
            0,
            &ReadScope::Folders(vec!["/p/1".into()]),
            Path::new("/p"),
            OwnOperations::default(),
        );
        assert_eq!(changes, ["Operation a changed files below /p."]);
    }
}
