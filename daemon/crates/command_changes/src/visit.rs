//! Visits everything in a project: from its survey if that is sure, or by a walk.
//!
//! Both visit the same entries in the same order, which a test holds against each other.

use std::cell::RefCell;
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_fs::{
    FileKind, FsError, IgnoreRules, Ignored, Ignoring, RootedPath, Roots, Specials, Stat, Timestamp,
    WalkItem, WalkOptions,
};
use clada_git::UserGitignore;
use clada_watch::{Care, Look, Part, Survey, Surveyed, Visited};

use super::coverage::{Basis, Coverage};
use super::repositories::Repositories;
use super::snapshot::TreeSnapshot;
use super::stamp::FileStamp;
use super::stamps::Stamps;

const ENTRIES: usize = 1_000_000;

/// Paths that count as not ignored: those that git did not ignore when the operation began, and those that the
/// operation has changed. An answer that makes them ignored takes nothing from undo by that.
#[derive(Debug, Clone, Default)]
pub struct Spared {
    stamps: Option<Stamps>,
    own: HashSet<PathBuf>,
}

impl Spared {
    /// Notes the paths that git does not ignore now in the project of `roots`, unless that was noted before.
    pub fn note(&mut self, roots: &Roots, stopped: &dyn Fn() -> bool) {
        if self.stamps.is_some() {
            return;
        }
        let mut stamps = Vec::new();
        Visit::walk(roots, stopped).run(&mut |entry| {
            if !entry.is_ignored {
                let never = Timestamp { seconds: 0, nanoseconds: 0 };
                stamps.push(Arc::new(FileStamp::named(entry.relative(), &entry.stat, never)));
            }
        });
        self.stamps = Some(stamps.into_iter().collect());
    }

    /// Notes the same from a snapshot.
    pub fn note_snapshot(&mut self, snapshot: &TreeSnapshot) {
        self.stamps.get_or_insert_with(|| snapshot.stamps.clone());
    }

    /// Adds a path from the root that the operation changes.
    pub fn add(&mut self, path: &Path) {
        let above = path.ancestors().filter(|path| !path.as_os_str().is_empty());
        for path in above {
            if !self.own.insert(path.to_path_buf()) {
                break;
            }
        }
    }

    pub(super) fn has(&self, path: &Path) -> bool {
        self.stamps.as_ref().is_some_and(|stamps| stamps.has(path)) || self.own.contains(path)
    }

    pub(super) fn own(&self) -> impl Iterator<Item = &Path> {
        self.own.iter().map(PathBuf::as_path)
    }
}

#[derive(Clone, Copy)]
pub(super) struct Visit<'a> {
    pub(super) roots: &'a Roots,
    pub(super) survey: Option<(&'a Survey, Care, Timestamp)>,
    pub(super) spared: Option<&'a Spared>,
    pub(super) stopped: &'a dyn Fn() -> bool,
}

pub(super) struct VisitedEntry<'a> {
    place: EntryPlace<'a>,
    pub(super) stat: Stat,
    pub(super) is_ignored: bool,
}

enum EntryPlace<'a> {
    Walked(RootedPath),
    Surveyed(&'a Roots, &'a RootedPath, &'a Path),
}

impl VisitedEntry<'_> {
    pub(super) fn relative(&self) -> &Path {
        match &self.place {
            EntryPlace::Walked(path) => path.relative(),
            EntryPlace::Surveyed(_, _, relative) => relative,
        }
    }

    /// Making it costs something, and most entries need none.
    #[expect(clippy::expect_used, reason = "every name came from a directory")]
    pub(super) fn path(&self) -> RootedPath {
        match &self.place {
            EntryPlace::Walked(path) => path.clone(),
            EntryPlace::Surveyed(roots, root, relative) => {
                roots.beneath(root, relative).expect("it was visited")
            }
        }
    }
}

impl<'a> Visit<'a> {
    pub(super) fn walk(roots: &'a Roots, stopped: &'a dyn Fn() -> bool) -> Visit<'a> {
        Visit { roots, survey: None, spared: None, stopped }
    }

    /// In the order of the bytes of the paths.
    pub(super) fn run(self, visit: &mut dyn FnMut(VisitedEntry<'_>)) -> VisitExtent {
        self.look().all(visit)
    }

    pub(super) fn look(self) -> Looked<'a> {
        let survey_view = self.survey.and_then(|(survey, care, now)| {
            let survey_view = survey.look(self.roots, care, now, self.stopped)?;
            Some((survey_view, self.roots.root(0)?)).filter(|(survey_view, _)| survey_view.len() <= ENTRIES)
        });
        Looked { visit: self, survey_view }
    }

    fn by_walk(self, visit: &mut dyn FnMut(VisitedEntry<'_>)) -> VisitExtent {
        let roots = self.roots;
        let top = roots.root(0).map(|root| roots.absolute(&root)).unwrap_or_default();
        let is_spared = |path: &Path| self.spared.is_some_and(|spared| spared.has(path));
        let repositories = RefCell::new(Repositories::default());
        let options = WalkOptions {
            ignoring: ignoring(roots),
            max_entries: ENTRIES,
            ignored: Ignored::Reported,
            specials: Specials::Reported,
            cancelled: self.stopped,
            spared: self.spared.map(|_| &is_spared as &dyn Fn(&Path) -> bool),
            owned: Some(&|path| repositories.borrow_mut().add_owned(&top, path.relative())),
            ..WalkOptions::default()
        };
        let mut coverage = Coverage::default();
        // Without a walk nothing is known, so the result says that it was cut short.
        let walk = roots
            .root(0)
            .and_then(|root| roots.walk(&root, options).inspect_err(|error| coverage.add_error(error)).ok());
        coverage.cut = walk.is_none();
        for item in walk.into_iter().flatten() {
            match item {
                WalkItem::Entry { path, stat } => {
                    repositories.borrow_mut().add_bare(roots, &path, &stat);
                    visit(VisitedEntry { place: EntryPlace::Walked(path), stat, is_ignored: false });
                }
                WalkItem::Ignored { path, stat } => {
                    visit(VisitedEntry { place: EntryPlace::Walked(path), stat, is_ignored: true });
                }
                WalkItem::Withheld { .. } => {}
                WalkItem::Error(error) => coverage.add_error(&error),
                WalkItem::Truncated => coverage.cut = true,
            }
        }
        coverage.cut |= (self.stopped)();
        VisitExtent { coverage, repositories: repositories.into_inner(), look: None }
    }
}

pub(super) struct VisitExtent {
    pub(super) coverage: Coverage,
    pub(super) repositories: Repositories,
    pub(super) look: Option<Look>,
}

pub(super) struct Looked<'a> {
    visit: Visit<'a>,
    survey_view: Option<(Surveyed<'a>, RootedPath)>,
}

impl Looked<'_> {
    pub(super) fn look(&self) -> Option<Look> {
        self.survey_view.as_ref().map(|(survey_view, _)| survey_view.look())
    }

    /// Returns the parts of the project that are to be visited for all that changed after the look of `basis`, or
    /// is uncertain, in order; `None` if everything has to be.
    pub(super) fn since(&self, basis: &Basis) -> Option<Vec<Part>> {
        let (survey_view, _) = self.survey_view.as_ref()?;
        let mut parts = survey_view.since(basis.look)?;
        parts.extend(basis.uncertain.iter().map(|path| Part::At(path.to_path_buf())));
        let spared = self.visit.spared;
        let is_lifted = |path: &Path| survey_view.is_ignored(path);
        let concerns_all = |part: &Part| match part {
            Part::All => true,
            // The names that tell a repository without a work tree stand beside each other.
            Part::At(path) => {
                Repositories::is_told_by(path)
                    || spared.is_some_and(|spared| spared.has(path)) && is_lifted(path)
            }
            Part::Beneath(folder) => basis.repositories.bare().any(|bare| bare.starts_with(folder)),
        };
        if parts.iter().any(concerns_all) || spared.is_some_and(|spared| spared.own().any(is_lifted)) {
            return None;
        }
        Some(Part::distinct(parts))
    }

    pub(super) fn visit(&self, part: &Part, visit: &mut dyn FnMut(VisitedEntry<'_>)) {
        let Some((survey_view, root)) = &self.survey_view else { return };
        survey_view.visit(part, &mut |item| {
            if let Visited::Entry { path, stat, is_ignored } = item {
                let place = EntryPlace::Surveyed(self.visit.roots, root, path);
                visit(VisitedEntry { place, stat: *stat, is_ignored });
            }
        });
    }

    pub(super) fn ignored_folders(&self) -> Vec<PathBuf> {
        self.survey_view.as_ref().map_or_else(Vec::new, |(survey_view, _)| survey_view.ignored_folders())
    }

    pub(super) fn all(self, visit: &mut dyn FnMut(VisitedEntry<'_>)) -> VisitExtent {
        let Some((survey_view, root)) = self.survey_view else { return self.visit.by_walk(visit) };
        let (coverage, repositories) = (Coverage::default(), Repositories::default());
        let top = self.visit.roots.absolute(&root);
        let mut listing = EntryListing {
            visit: self.visit,
            root,
            top,
            lifted: Vec::new(),
            has_lifted: false,
            coverage,
            repositories,
        };
        survey_view.visit(&Part::All, &mut |item| listing.take(item, visit));
        listing.enter_lifted(None, visit);
        // In what is lifted, changes raise no events.
        let look = Some(survey_view.look()).filter(|_| !listing.has_lifted);
        VisitExtent { coverage: listing.coverage, repositories: listing.repositories, look }
    }
}

struct EntryListing<'a> {
    visit: Visit<'a>,
    root: RootedPath,
    top: PathBuf,
    /// Folders that were visited, and are ignored and spared: their entries are still to come.
    lifted: Vec<(PathBuf, Stat)>,
    has_lifted: bool,
    coverage: Coverage,
    repositories: Repositories,
}

impl EntryListing<'_> {
    fn take(&mut self, item: Visited<'_>, visit: &mut dyn FnMut(VisitedEntry<'_>)) {
        match item {
            Visited::Entry { path, stat, is_ignored } => {
                self.enter_lifted(Some(path), visit);
                self.entry(path, stat, is_ignored, visit);
            }
            Visited::Owned(path) => self.repositories.add_owned(&self.top, path),
            Visited::Closed(path) => self.hole(path),
        }
    }

    fn entry(&mut self, path: &Path, stat: &Stat, is_ignored: bool, visit: &mut dyn FnMut(VisitedEntry<'_>)) {
        let is_lifted = is_ignored && self.visit.spared.is_some_and(|spared| spared.has(path));
        self.has_lifted |= is_lifted;
        if is_lifted && stat.kind == FileKind::Directory {
            self.lifted.push((path.to_path_buf(), *stat));
        }
        let is_ignored = is_ignored && !is_lifted;
        let place = EntryPlace::Surveyed(self.visit.roots, &self.root, path);
        let entry = VisitedEntry { place, stat: *stat, is_ignored };
        if !is_ignored && Repositories::may_be_bare(path, stat) {
            self.repositories.add_bare(self.visit.roots, &entry.path(), stat);
        }
        visit(entry);
    }

    fn enter_lifted(&mut self, next: Option<&Path>, visit: &mut dyn FnMut(VisitedEntry<'_>)) {
        let is_due = |folder: &Path| next.is_none_or(|next| !comes_between(folder, next));
        while let Some((folder, stat)) = self.lifted.pop_if(|(folder, _)| is_due(folder)) {
            let opened = self.visit.roots.open_folder(&folder).ok();
            let opened = opened.filter(|opened| opened.stat().same_file(&stat));
            let contents = opened.and_then(|opened| opened.contents(&IgnoreRules::default()).ok());
            let Some(contents) = contents else {
                self.hole(&folder);
                continue;
            };
            for name in contents.owned {
                self.repositories.add_owned(&self.top, &folder.join(name));
            }
            let outer = std::mem::take(&mut self.lifted);
            for entry in contents.entries {
                let path = folder.join(&*entry.name);
                self.enter_lifted(Some(&path), visit);
                self.entry(&path, &entry.stat, true, visit);
            }
            self.enter_lifted(None, visit);
            self.lifted = outer;
        }
    }

    fn hole(&mut self, path: &Path) {
        let opened = self.visit.roots.open_folder(path);
        if let Some(error) = opened.err().filter(FsError::is_of_system) {
            self.coverage.failed.get_or_insert_with(|| error.to_string());
        }
        match self.visit.roots.beneath(&self.root, path) {
            Some(path) => self.coverage.add_hole(path.written()),
            None => self.coverage.cut = true,
        }
    }
}

/// Returns whether `path`, which comes after `folder`, comes before what is in that: `a-b` before `a/x`.
fn comes_between(folder: &Path, path: &Path) -> bool {
    let rest = path.as_os_str().as_bytes().strip_prefix(folder.as_os_str().as_bytes());
    rest.is_some_and(|rest| rest.first().is_some_and(|byte| *byte < b'/'))
}

fn ignoring(roots: &Roots) -> Ignoring {
    // Without the user gitignore, since a command may change what the user does not want to see in git.
    Ignoring::Rules { config: UserGitignore::find(None, roots).config(), also: &[] }
}

/// Returns the repositories in the root with this `number`, of which nothing else is in a snapshot.
#[must_use]
pub fn repositories_in(roots: &Roots, number: usize, stopped: &dyn Fn() -> bool) -> Repositories {
    let survey_view = RefCell::new(Repositories::default());
    let top = roots.root(number).map(|root| roots.absolute(&root)).unwrap_or_default();
    let owned = |path: &RootedPath| survey_view.borrow_mut().add_owned(&top, path.relative());
    let options = WalkOptions {
        max_entries: ENTRIES,
        cancelled: stopped,
        owned: Some(&owned),
        ..WalkOptions::default()
    };
    let walk = roots.root(number).and_then(|root| roots.walk(&root, options).ok());
    for item in walk.into_iter().flatten() {
        if let WalkItem::Entry { path, stat } = item {
            survey_view.borrow_mut().add_bare(roots, &path, &stat);
        }
    }
    survey_view.into_inner()
}
