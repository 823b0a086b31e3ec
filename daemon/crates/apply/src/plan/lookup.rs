//! Finds the target that a missing path may have meant: by the names of the project's files, and by the last
//! commits.
//!
//! Knows names alone, never contents. The project is walked once an operation at most, and not at all if it
//! is watched; what is denied or a secret is not among the names. Letter case is ignored where one file alone looks
//! like the path, in its own folder.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clada_fs::{FileKind, RootedPath, Roots, Verdict, WalkItem, WalkOptions};
use clada_git::{GitRepository, Renamed};
use clada_protocol::ErrorKind;

use super::planner::{KnownNames, Planner};
use super::refusals::not_found;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::reads::{ReadSource, paths};
use crate::view::{FileNode, Node};

const ENTRIES: usize = 200_000;
/// Names that are compared in one operation. Beyond, failures have no suggestions.
const COMPARED: usize = 2_000_000;
const LISTED: usize = 5;
/// Paths that are looked for in commits in one operation.
const IN_COMMITS: usize = 20;
const ALIKE: f64 = 0.85;

enum SameNamed {
    One(PathBuf),
    Several(Vec<PathBuf>),
    None,
}

impl Planner<'_> {
    /// The one file that `missing` can mean, with a note that it was taken instead.
    pub(super) fn found_elsewhere(
        &mut self,
        missing: &RootedPath,
    ) -> Result<(RootedPath, FileNode), Failure> {
        let mut same_named = if missing.root() == 0 { self.named_like(missing) } else { SameNamed::None };
        if matches!(same_named, SameNamed::None)
            && let Some(twin) =
                self.twin(missing).filter(|twin| self.is_file(twin) && !self.is_held_back(twin))
        {
            same_named = SameNamed::One(twin);
        }
        match same_named {
            SameNamed::One(relative) => {
                let path = self.view.roots().resolve_relative(&relative)?;
                let Node::File(file) = self.view.node(&path)? else { return Err(not_found(missing)) };
                let [requested, taken] =
                    [missing, &path].map(|path| clada_protocol::visible_line(path.written()));
                self.note = Some(format!(
                    "There is no '{requested}': the change applies to '{taken}', the only file that it can mean"
                ));
                Ok((path, file))
            }
            SameNamed::Several(paths) => {
                let issue = "File not found, and several files may be meant by";
                Err(Failure::at(ErrorKind::Ambiguous, issue, missing.written(), "AMBIGUOUS_PATH")
                    .hint(format!("name one of them: {}", listed(&paths))))
            }
            SameNamed::None => Err(not_found(missing)),
        }
    }

    /// The files that `missing` can mean: those whose path ends with it; else one whose whole path it ends
    /// with, if no other file has that name or what comes before is the project's own folder.
    fn named_like(&mut self, missing: &RootedPath) -> SameNamed {
        let Some(name) = missing.file_name() else { return SameNamed::None };
        let missing_path = missing.relative();
        let same_name = self.files_named(name);
        let cut = self.names().cut;
        let within: Vec<PathBuf> =
            same_name.iter().filter(|path| path.ends_with(missing_path)).cloned().collect();
        if within.is_empty() {
            let own = self.view.roots().paths().next().and_then(Path::file_name).unwrap_or_default();
            if let Some(inside) = missing_path
                .strip_prefix(own)
                .ok()
                .filter(|inside| same_name.iter().any(|path| path == inside))
            {
                return SameNamed::One(inside.to_path_buf());
            }
        }
        if cut {
            return SameNamed::None;
        }
        match (&within[..], &same_name[..]) {
            ([only], _) => SameNamed::One(only.clone()),
            ([], [only]) if missing_path.ends_with(only) => SameNamed::One(only.clone()),
            ([], several) if several.iter().any(|path| missing_path.ends_with(path)) => {
                SameNamed::Several(same_name)
            }
            ([], _) => SameNamed::None,
            _ => SameNamed::Several(within),
        }
    }

    /// The files called `name` as they will be after what was planned so far, sorted.
    fn files_named(&mut self, name: &OsStr) -> Vec<PathBuf> {
        self.named_files(Path::new(name), |_| true)
    }

    pub(super) fn named_files(&mut self, path: &Path, suit: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
        let Some(name) = path.file_name() else { return Vec::new() };
        let named = self.names().files.get(name).into_iter().flatten().filter(|path| suit(path));
        let mut paths: Vec<PathBuf> = named.cloned().collect();
        paths.retain(|path| self.is_file(path));
        let planned = self.view.planned_files().filter(|path| path.root() == 0);
        let planned = planned.filter(|path| path.file_name() == Some(name) && suit(path.relative()));
        paths.extend(planned.map(|path| path.relative().to_path_buf()));
        paths.sort();
        paths.dedup();
        paths
    }

    pub(super) fn is_named_file(&mut self, relative: &Path) -> bool {
        self.named_files(relative, |path| path == relative).len() == 1
    }

    /// Returns true if the project has more files than names were taken of.
    pub(super) fn knows_not_all(&mut self) -> bool {
        self.names().cut
    }

    fn is_held_back(&mut self, relative: &Path) -> bool {
        self.view.roots().resolve_relative(relative).map_or(true, |path| self.view.is_secret(&path))
    }

    fn is_file(&mut self, relative: &Path) -> bool {
        let Ok(path) = self.view.roots().resolve_relative(relative) else { return false };
        matches!(self.view.node(&path), Ok(Node::File(_)))
    }

    pub(super) fn with_suggestions(&mut self, step: &Step, failure: Failure) -> Failure {
        if !matches!(failure.kind, ErrorKind::FileNotFound | ErrorKind::PathEscape) {
            return failure;
        }
        let path = failure.path.as_deref().and_then(|path| self.view.roots().resolve(path).ok());
        if path.as_ref().is_some_and(|path| self.view.was_there(path)) {
            return failure.hint("an action before this one in the answer deletes or moves it");
        }
        if path.as_ref().is_some_and(|path| self.is_not_checked_out(path)) {
            return failure;
        }
        // A file that holds what was asked for is the better guess than one that is called almost the same.
        if let (Some(path), Ok(action), ErrorKind::FileNotFound) = (&path, &step.action, failure.kind)
            && let Some(elsewhere) = self.text_of_missing(path, action)
        {
            return elsewhere.into_hint_of(failure);
        }
        if let Some(path) = path.filter(|_| failure.kind == ErrorKind::FileNotFound)
            && let Some(renamed) = self.renamed(&path)
        {
            return failure.hint(renamed);
        }
        match (self.closest(&failure), &failure.hint) {
            (None, _) => failure,
            (Some(closest), Some(hint)) => {
                let hint = format!("{closest}\n{hint}");
                failure.hint(hint)
            }
            (Some(closest), None) => failure.hint(closest),
        }
    }

    /// Returns, in words, what has almost the name that `failure` did not find, or what its path below a
    /// made-up root can mean.
    pub(super) fn closest(&mut self, failure: &Failure) -> Option<String> {
        let path = failure.path.as_deref()?;
        if failure.kind == ErrorKind::PathEscape {
            return self.words_of_meant(path);
        }
        let path = Some(path).filter(|_| failure.kind == ErrorKind::FileNotFound)?;
        let path = self.view.roots().resolve(path).ok().filter(|path| path.root() == 0)?;
        Some(format!("closest in the project: {}", self.suggestions(&path)?))
    }

    /// Returns whether git has the file at `path`, and a sparse checkout leaves it out.
    pub(super) fn is_not_checked_out(&mut self, path: &RootedPath) -> bool {
        let is_among = path.root() == 0 && self.not_checked_out().contains(path.relative());
        is_among && matches!(self.view.node(path), Ok(Node::Missing))
    }

    pub(super) fn not_checked_out(&mut self) -> &HashSet<PathBuf> {
        let view = &self.view;
        self.not_checked_out.get_or_insert_with(|| {
            let read = view.roots().git_index().map(|(index, way)| clada_git::not_checked_out(&index, &way));
            // An index that cannot be read shows when the operation is to be committed.
            let files = read.and_then(Result::ok).unwrap_or_default();
            view.reads().borrow_mut().note(ReadSource::NotCheckedOut, paths(&files));
            files
        })
    }

    /// Returns, in words, where one of the last commits has moved the file that was at `missing`.
    fn renamed(&mut self, missing: &RootedPath) -> Option<String> {
        let home = self.rules.user.as_ref().map(|user| user.home.clone());
        let root = self.view.roots().paths().next().filter(|_| missing.root() == 0)?.to_path_buf();
        let known = &mut self.names().renamed;
        if let Some(known) = known.get(missing.relative()) {
            return known.clone();
        }
        if known.len() == IN_COMMITS {
            return None;
        }
        let repository = GitRepository::open(&root, home.as_deref()).ok().flatten();
        let renamed =
            repository.and_then(|repository| repository.renamed(&root, missing.relative()).ok().flatten());
        let shown = |path: &Path| {
            self.view.roots().resolve_relative(path).is_ok_and(|path| !self.view.is_secret(&path))
        };
        let renamed = renamed.filter(|renamed| shown(&renamed.to));
        let words = renamed
            .filter(|renamed| self.is_file(&renamed.to))
            .map(|Renamed { to, commit }| format!("it was renamed to {} in commit {commit}", listed(&[to])));
        self.names().renamed.insert(missing.relative().to_path_buf(), words.clone());
        words
    }

    fn suggestions(&mut self, missing: &RootedPath) -> Option<String> {
        let names = self.names();
        if let Some(known) = names.suggested.get(missing.relative()) {
            return known.clone();
        }
        let sought = missing.file_name()?.to_string_lossy().to_lowercase();
        names.compared += names.files.len() + names.folders.len();
        if names.compared > COMPARED || sought.len() > 255 {
            return None;
        }
        let likeness =
            |name: &OsString| strsim::jaro_winkler(&sought, &name.to_string_lossy().to_lowercase());
        let all = names.files.iter().chain(&names.folders);
        let mut alike: Vec<(f64, &PathBuf)> = all
            .map(|(name, paths)| (likeness(name), paths))
            .filter(|(score, _)| *score >= ALIKE)
            .flat_map(|(score, paths)| paths.iter().take(LISTED).map(move |path| (score, path)))
            .collect();
        alike.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(other.1)));
        let closest: Vec<PathBuf> = alike.into_iter().take(LISTED).map(|(_, path)| path.clone()).collect();
        let closest = (!closest.is_empty()).then(|| listed(&closest));
        names.suggested.insert(missing.relative().to_path_buf(), closest.clone());
        closest
    }

    pub(super) fn names(&mut self) -> &mut KnownNames {
        let (roots, rules) = (self.view.roots(), self.rules);
        self.view.reads().borrow_mut().note_other();
        self.names.get_or_insert_with(|| {
            if let Some(files) = rules.known_files.as_ref().and_then(|known| known.list(roots)) {
                return KnownNames::of_files(&files, roots);
            }
            let mut names = KnownNames::default();
            let options = WalkOptions { max_entries: ENTRIES, ..WalkOptions::default() };
            let walk = roots.root(0).and_then(|root| roots.walk(&root, options).ok());
            for item in walk.into_iter().flatten() {
                match item {
                    WalkItem::Entry { path, stat } => names.add(&path, stat.kind),
                    WalkItem::Truncated => names.cut = true,
                    WalkItem::Withheld { .. } | WalkItem::Ignored { .. } | WalkItem::Error(_) => {}
                }
            }
            names
        })
    }
}

impl KnownNames {
    /// The names of `files`, a known list, without what is held back.
    fn of_files(files: &[PathBuf], roots: &Roots) -> KnownNames {
        let mut names = KnownNames { cut: files.len() > ENTRIES, ..KnownNames::default() };
        let mut folders = HashSet::new();
        for file in files.iter().take(ENTRIES) {
            let Ok(path) = roots.resolve_relative(file) else { continue };
            if matches!(roots.verdict_for_read(&path), Verdict::Deny(..)) || path.root() != 0 {
                continue;
            }
            names.add(&path, FileKind::File);
            let mut folder = path.parent().filter(|folder| !folder.is_root());
            while let Some(above) = folder.take_if(|folder| folders.insert(folder.relative().to_path_buf())) {
                names.add(&above, FileKind::Directory);
                folder = above.parent().filter(|folder| !folder.is_root());
            }
        }
        names
    }

    pub(super) fn all_files(&self) -> impl Iterator<Item = &PathBuf> {
        self.files.values().flatten()
    }

    fn add(&mut self, path: &RootedPath, kind: FileKind) {
        let among = match kind {
            FileKind::File => &mut self.files,
            FileKind::Directory => &mut self.folders,
            FileKind::Symlink | FileKind::Special => return,
        };
        if let Some(name) = path.file_name() {
            among.entry(name.to_owned()).or_default().push(path.relative().to_path_buf());
        }
    }
}

/// The first few of `paths`, each on the line that it is listed on whatever it holds, and how many more there
/// are.
pub(super) fn listed(paths: &[PathBuf]) -> String {
    let shown = |path: &PathBuf| format!("'{}'", clada_protocol::visible_line(&path.to_string_lossy()));
    let mut all: Vec<String> = paths.iter().take(LISTED).map(shown).collect();
    if paths.len() > LISTED {
        all.push(format!("and {} more", paths.len() - LISTED));
    }
    all.join(", ")
}
