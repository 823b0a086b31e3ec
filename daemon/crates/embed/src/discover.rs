//! The first step: from the request to the files that may be embedded, in their order, and to what was
//! visited on the way. Reads names and the entries of folders; opens no file.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use clada_fs::{
    FileKind, FsError, Ignoring, RootedPath, Roots, Specials, Stat, Verdict, WalkItem, WalkOptions,
};
use clada_protocol::ErrorKind;

use super::changed::Changed;
use super::folders::Folders;
use super::issue::PathIssue;
use super::lines::LineRange;
use super::names::NameRules;
use super::shown::ShownPath;

/// The most links to folders that lead to folders with such links, and so on.
const NESTED_LINKS: usize = 16;

#[derive(Debug, Clone)]
pub(super) struct FileCandidate {
    pub(super) shown: ShownPath,
    pub(super) place: RootedPath,
    pub(super) size: u64,
    pub(super) explicit: bool,
    pub(super) changed: bool,
    pub(super) lines: Option<(LineRange, ShownPath)>,
}

#[derive(Debug, Default)]
pub(super) struct Discovery {
    pub(super) candidates: Vec<FileCandidate>,
    pub(super) omitted: BTreeMap<ShownPath, String>,
    pub(super) errors: Vec<PathIssue>,
    pub(super) warnings: Vec<PathIssue>,
    pub(super) not_included: u64,
    pub(super) named_sink: Option<ShownPath>,
    pub(super) has_folders: bool,
    pub(super) is_part: bool,
}

pub(super) struct SearchRules<'a> {
    pub(super) inside: &'a Roots,
    pub(super) anywhere: Option<&'a Roots>,
    /// The same, without the paths that answers may not name: for a file that a user names.
    pub(super) named: Option<&'a Roots>,
    pub(super) names: &'a NameRules,
    pub(super) overlays: &'a HashMap<RootedPath, String>,
    pub(super) depth: Option<usize>,
    pub(super) follow_folders: bool,
    pub(super) ignoring: Ignoring,
    pub(super) sinks: &'a [(u64, u64)],
    pub(super) cancelled: &'a dyn Fn() -> bool,
}

impl SearchRules<'_> {
    pub(super) fn run(&self, paths: &[String], own: usize, changed: Option<&Changed>) -> Discovery {
        let mut finder = FileFinder::new(self, changed);
        for (index, path) in paths.iter().enumerate() {
            finder.named = self.named.filter(|_| index < own);
            finder.add_requested(path);
        }
        // Folders that are named are where changes are looked for; else that is the whole project.
        if changed.is_some() && finder.requested.is_empty() {
            finder.add_requested(".");
        }
        finder.finish()
    }

    fn widest(&self) -> &Roots {
        self.anywhere.unwrap_or(self.inside)
    }
}

struct FileFinder<'a> {
    search: &'a SearchRules<'a>,
    candidates: BTreeMap<ShownPath, FileCandidate>,
    omitted: BTreeMap<ShownPath, String>,
    errors: BTreeSet<PathIssue>,
    warnings: BTreeSet<PathIssue>,
    not_included: BTreeSet<ShownPath>,
    named_sink: Option<ShownPath>,
    requested: BTreeSet<ShownPath>,
    named: Option<&'a Roots>,
    changed: Option<&'a Changed>,
}

struct WalkStart<'a> {
    folder: &'a RootedPath,
    shown: &'a ShownPath,
    named: &'a RootedPath,
    depth: usize,
    links: &'a [(u64, u64)],
    only: Option<&'a Changed>,
}

impl<'a> FileFinder<'a> {
    fn new(search: &'a SearchRules<'a>, changed: Option<&'a Changed>) -> FileFinder<'a> {
        FileFinder {
            search,
            candidates: BTreeMap::new(),
            omitted: BTreeMap::new(),
            errors: BTreeSet::new(),
            warnings: BTreeSet::new(),
            not_included: BTreeSet::new(),
            named_sink: None,
            requested: BTreeSet::new(),
            named: None,
            changed,
        }
    }

    fn finish(self) -> Discovery {
        let FileFinder {
            candidates, mut omitted, errors, warnings, not_included, named_sink, requested, ..
        } = self;
        omitted.retain(|path, _| !candidates.contains_key(path) && !requested.contains(path));
        let has_folders = !requested.is_empty();
        let is_part = !requested.contains(&ShownPath::written("").folder());
        Discovery {
            candidates: candidates.into_values().collect(),
            omitted,
            errors: errors.into_iter().collect(),
            warnings: warnings.into_iter().collect(),
            not_included: not_included.len() as u64,
            named_sink,
            has_folders,
            is_part,
        }
    }

    fn add_requested(&mut self, written: &str) {
        match self.locate(written) {
            Ok((path, stat)) => self.given_at(path, stat, None),
            Err((shown, error)) if error.kind() == ErrorKind::FileNotFound => {
                if self.overlaid(written, None) {
                    return;
                }
                // A file that is called so comes first.
                let Some((path, lines)) = LineRange::split(written) else {
                    return self.fail(&shown, &error);
                };
                match self.locate(path) {
                    Ok((path, stat)) => self.given_at(path, stat, Some(lines)),
                    Err(_) if self.overlaid(path, Some(lines)) => {}
                    Err(_) => self.fail(&shown, &error),
                }
            }
            Err((shown, error)) => self.fail(&shown, &error),
        }
    }

    fn overlaid(&mut self, written: &str, lines: Option<LineRange>) -> bool {
        let Ok(path) = self.search.inside.resolve(written) else { return false };
        let Some(text) = self.search.overlays.get(&path) else { return false };
        let shown = ShownPath::from_path(&path, self.search.inside);
        let size = text.len() as u64;
        self.allowed(shown, path, |finder, shown, path| finder.add(shown, path, size, true, lines));
        true
    }

    fn given_at(&mut self, path: RootedPath, stat: Stat, lines: Option<LineRange>) {
        let roots = self.roots_of(&path);
        let shown = ShownPath::from_path(&path, roots);
        // Only what answers may not name at all is looked at from wherever it is: a link of the project still ends in it.
        let is_denied = matches!(roots.verdict_for_read(&path), Verdict::Deny(ErrorKind::PathDenied, _));
        let roots = self.named.filter(|_| is_denied).unwrap_or(roots);
        match stat.kind {
            FileKind::File => self.given_file(shown, path, &stat, lines),
            FileKind::Directory if lines.is_some() => {
                let message = format!("'{}' is a folder, which has no lines", shown.text());
                self.errors.insert(PathIssue::error(&shown, ErrorKind::IsDirectory, message));
            }
            FileKind::Directory => self.given_folder(&path),
            FileKind::Special => self.fail(&shown, &special(&shown)),
            FileKind::Symlink => match self.target(roots, &path) {
                // The link's own name may be a secret's, whatever its target is called.
                Ok((_, stat)) if stat.kind == FileKind::File && self.is_secret(&path) => {
                    if !self.is_sink(&stat) {
                        self.secret(shown);
                    }
                }
                Ok((target, stat)) if stat.kind == FileKind::File => {
                    self.given_file(shown, target, &stat, lines)
                }
                Ok((target, stat)) if stat.kind == FileKind::Directory => self.given_folder(&target),
                Ok(_) => self.fail(&shown, &special(&shown)),
                Err(error) if error.kind() == ErrorKind::Secret => self.secret(shown),
                Err(error) => self.fail(&shown, &error),
            },
        }
    }

    fn locate(&self, written: &str) -> Result<(RootedPath, Stat), (ShownPath, FsError)> {
        let path = match (self.search.inside.resolve(written), self.search.anywhere) {
            (Err(error), Some(anywhere)) if error.kind() == ErrorKind::PathEscape => {
                anywhere.resolve(written)
            }
            (outcome, _) => outcome,
        };
        let path = match path {
            Err(error) if error.kind() == ErrorKind::PathDenied => self.named(written).ok_or(error),
            path => path,
        };
        let path = path.map_err(|error| (ShownPath::written(written.trim_end_matches('/')), error))?;
        let roots = self.roots_of(&path);
        let shown = ShownPath::from_path(&path, roots);
        // Written as the document names it, so that the paths below it are, too.
        let plain =
            std::str::from_utf8(shown.bytes()).ok().map(|plain| if plain.is_empty() { "." } else { plain });
        let again = plain.and_then(|plain| roots.resolve(plain).ok()).filter(|again| *again == path);
        locate_file(roots, again.unwrap_or(path)).map_err(|error| (shown, error))
    }

    fn named(&self, written: &str) -> Option<RootedPath> {
        let named = self.named?;
        let path = named.resolve(written).ok()?;
        let stat = named.lstat(&path).ok()??;
        (stat.kind != FileKind::Directory).then_some(path)
    }

    fn roots_of(&self, path: &RootedPath) -> &'a Roots {
        let known = self.search.inside.paths().count();
        if path.root() < known { self.search.inside } else { self.search.widest() }
    }

    fn given_file(&mut self, shown: ShownPath, place: RootedPath, stat: &Stat, lines: Option<LineRange>) {
        if self.is_sink(stat) {
            self.named_sink = Some(shown);
            return;
        }
        let size = stat.size;
        self.allowed(shown, place, |finder, shown, place| finder.add(shown, place, size, true, lines));
    }

    fn allowed(
        &mut self,
        shown: ShownPath,
        place: RootedPath,
        add: impl FnOnce(&mut Self, ShownPath, RootedPath),
    ) {
        match self.named.unwrap_or_else(|| self.search.widest()).verdict_for_read(&place) {
            Verdict::Deny(ErrorKind::Secret, _) => self.secret(shown),
            Verdict::Deny(kind, reason) => {
                self.errors.insert(PathIssue::error(&shown, kind, format!("{reason} '{}'", shown.text())));
                self.omitted.insert(shown, "denied".to_owned());
            }
            _ => add(self, shown, place),
        }
    }

    fn is_secret(&self, path: &RootedPath) -> bool {
        let roots = self.named.unwrap_or_else(|| self.search.widest());
        matches!(roots.verdict_for_read(path), Verdict::Deny(ErrorKind::Secret, _))
    }

    fn secret(&mut self, shown: ShownPath) {
        // The user must see that it is missing.
        // Only a user has roots of their own here, and only a user may ask for secrets.
        let advice = if self.named.is_some() { "; --include-secrets embeds it" } else { "" };
        let message = format!("'{}' is held back as a secret{advice}", shown.text());
        self.warnings.insert(PathIssue::warning(&shown, message).among("files held back as secrets"));
        self.omitted.insert(shown, "secret".to_owned());
    }

    fn given_folder(&mut self, path: &RootedPath) {
        let shown = ShownPath::from_path(path, self.roots_of(path));
        self.requested.insert(shown.folder());
        // Nothing is known of changes outside of the project.
        let only = self.changed.filter(|changed| !changed.everything && path.root() == 0);
        self.walk(&WalkStart { folder: path, shown: &shown, named: path, depth: 0, links: &[], only });
        let Some(changed) = only else { return };
        self.omitted.extend(changed.deleted_in(&shown).map(|path| (path.clone(), "deleted".to_owned())));
        if !changed.is_nothing() && !changed.touches(&shown) {
            let message = format!("Nothing has changed in '{}' since the last time", shown.folder().text());
            self.warnings.insert(PathIssue::warning(&shown.folder(), message));
        }
        for (path, candidate) in &mut self.candidates {
            candidate.changed |= changed.has(path);
        }
    }

    fn walk(&mut self, start: &WalkStart<'_>) {
        let search = self.search;
        let roots = self.roots_of(start.folder);
        let options = WalkOptions {
            ignoring: search.ignoring.clone(),
            specials: Specials::Reported,
            cancelled: search.cancelled,
            ..WalkOptions::default()
        };
        let mut walk = match roots.walk(start.folder, options) {
            Ok(walk) => walk,
            Err(error) => return self.fail(&start.shown.folder(), &error),
        };
        let above = start.folder.relative().iter().count();
        let mut folders = Folders::new(start.shown);
        while let Some(item) = walk.next() {
            if let (Some(only), WalkItem::Entry { path, .. } | WalkItem::Withheld { path, .. }) =
                (start.only, &item)
                && !only.concerns(&self.name(start, path))
            {
                walk.pass_over(path);
                continue;
            }
            match item {
                WalkItem::Entry { path, stat } if stat.kind == FileKind::Directory => {
                    let shown = self.name(start, &path);
                    let depth = start.depth + path.relative().iter().count() - above;
                    let reason = search.names.against_folder(&shown).or_else(|| {
                        let limit = search.depth.filter(|limit| depth > *limit)?;
                        Some(format!("below the recursion depth of {limit}"))
                    });
                    match reason {
                        None => folders.enter(shown),
                        Some(reason) => {
                            walk.pass_over(&path);
                            folders.holds(&shown);
                            self.omitted.insert(shown.folder(), reason);
                        }
                    }
                }
                WalkItem::Entry { path, stat } => {
                    let shown = self.name(start, &path);
                    folders.holds(&shown);
                    self.entry(start, shown, path, &stat);
                }
                WalkItem::Withheld { path, is_dir, kind, .. } => {
                    let shown = self.name(start, &path);
                    folders.holds(&shown);
                    let shown = if is_dir { shown.folder() } else { shown };
                    let reason = if kind == ErrorKind::Secret { "secret" } else { "denied" };
                    self.omitted.insert(shown, reason.to_owned());
                }
                WalkItem::Ignored { .. } => {}
                WalkItem::Error(error) => {
                    let shown = ShownPath::written(error.path());
                    folders.holds(&shown);
                    // A folder that cannot be read is not known to be empty.
                    folders.holds(&shown.join(b"."));
                    self.fail(&shown, &error);
                }
                WalkItem::Truncated => {
                    let issue = "The folder has more entries than are looked at";
                    let error =
                        FsError::new(ErrorKind::LimitExceeded, "LIMIT_EXCEEDED", issue, start.shown.text());
                    self.fail(&start.shown.folder(), &error);
                }
            }
        }
        if !(search.cancelled)() && start.only.is_none() {
            self.warnings.extend(folders.empty().map(|folder| {
                let folder = folder.folder();
                let message = format!("There is nothing to embed in '{}'", folder.text());
                PathIssue::warning(&folder, message).among("folders with nothing to embed")
            }));
        }
    }

    fn name(&self, start: &WalkStart<'_>, path: &RootedPath) -> ShownPath {
        let roots = self.roots_of(path);
        match path.relative().strip_prefix(start.folder.relative()) {
            Ok(rest) => start.shown.join(rest.as_os_str().as_encoded_bytes()),
            Err(_) => ShownPath::from_path(path, roots),
        }
    }

    fn entry(&mut self, start: &WalkStart<'_>, shown: ShownPath, path: RootedPath, stat: &Stat) {
        let names = &self.search.names;
        if self.is_sink(stat) {
            return;
        }
        if let Some(reason) = names.against_file(&shown) {
            self.omitted.insert(shown, reason);
            return;
        }
        match stat.kind {
            FileKind::Special => {
                self.omitted.insert(shown, "special file".to_owned());
            }
            FileKind::Symlink => self.link(start, shown, &path),
            _ => self.included(shown, path, stat),
        }
    }

    fn included(&mut self, shown: ShownPath, place: RootedPath, stat: &Stat) {
        if self.search.names.is_included(&shown) {
            self.add(shown, place, stat.size, false, None);
        } else {
            self.not_included.insert(shown);
        }
    }

    fn link(&mut self, start: &WalkStart<'_>, shown: ShownPath, path: &RootedPath) {
        let search = self.search;
        let roots = self.roots_of(path);
        // Outside of the project, a link may not leave the folder that was named.
        let outside = path.root() >= search.inside.paths().count();
        let reason = match self.target(roots, path) {
            Ok((target, _)) if outside && !target.starts_with(start.named) => {
                "symbolic link that leads outside the folder that was named".to_owned()
            }
            Ok((target, stat)) if stat.kind == FileKind::File => {
                if self.is_sink(&stat) {
                    return;
                }
                return self.included(shown, target, &stat);
            }
            Ok((target, stat)) if stat.kind == FileKind::Directory && search.follow_folders => {
                let own = roots.lstat(start.folder).ok().flatten();
                let mut links = start.links.to_vec();
                links.extend(own.map(|own| (own.dev, own.ino)));
                let again = links.contains(&(stat.dev, stat.ino)) || start.folder.starts_with(&target);
                let levels = |path: &RootedPath| path.relative().iter().count();
                let depth = start.depth + levels(path) - levels(start.folder);
                if again || links.len() > NESTED_LINKS {
                    "symbolic link to a folder that it is in".to_owned()
                } else if let Some(limit) = search.depth.filter(|limit| depth > *limit) {
                    format!("below the recursion depth of {limit}")
                } else {
                    let (named, only) = (start.named, start.only);
                    let start =
                        WalkStart { folder: &target, shown: &shown, named, depth, links: &links, only };
                    return self.walk(&start);
                }
            }
            Ok((_, stat)) if stat.kind == FileKind::Directory => "symbolic link to a folder".to_owned(),
            Ok(_) => "special file".to_owned(),
            Err(error) => match error.kind() {
                ErrorKind::Secret => "secret".to_owned(),
                ErrorKind::PathDenied => "denied".to_owned(),
                ErrorKind::SymlinkNotAllowed if error.issue().contains("outside") => {
                    "symbolic link that leads outside the root".to_owned()
                }
                // A link that was only visited is not what was asked for.
                _ if error.code() == "ENOENT" => "symbolic link that leads nowhere".to_owned(),
                _ if error.code() == "ELOOP" => "symbolic link that leads to itself".to_owned(),
                _ => return self.fail(&shown, &error),
            },
        };
        self.omitted.insert(shown, reason);
    }

    fn target(&self, roots: &Roots, path: &RootedPath) -> Result<(RootedPath, Stat), FsError> {
        let target = roots.follow(path).map_err(|error| match error.code() {
            "ENOENT" => error.with_issue("Broken symbolic link"),
            "ELOOP" if !error.issue().contains("outside") => {
                error.with_issue("Symbolic link that leads to itself")
            }
            _ => error,
        })?;
        let missing = || FsError::os("follow the link", rustix::io::Errno::NOENT, path.written());
        let stat = roots.lstat(&target)?.ok_or_else(missing)?;
        Ok((target, stat))
    }

    fn add(
        &mut self,
        shown: ShownPath,
        place: RootedPath,
        size: u64,
        explicit: bool,
        lines: Option<LineRange>,
    ) {
        let size = self.search.overlays.get(&place).map_or(size, |text| text.len() as u64);
        let lines = lines.map(|lines| (lines, shown.clone()));
        let shown = match &lines {
            Some((lines, file)) => file.with_end(&lines.suffix()),
            None => shown,
        };
        let known = self.candidates.entry(shown.clone());
        let known = known.or_insert(FileCandidate { shown, place, size, explicit, changed: false, lines });
        known.explicit |= explicit;
    }

    fn is_sink(&self, stat: &Stat) -> bool {
        self.search.sinks.contains(&(stat.dev, stat.ino))
    }

    fn fail(&mut self, shown: &ShownPath, error: &FsError) {
        self.errors.insert(PathIssue::error(shown, error.kind(), error.to_string()));
        let reason = format!("cannot be read: {} ({})", error.issue(), error.code());
        self.omitted.entry(shown.clone()).or_insert(reason);
    }
}

fn locate_file(roots: &Roots, path: RootedPath) -> Result<(RootedPath, Stat), FsError> {
    let missing = || FsError::os("find the file", rustix::io::Errno::NOENT, path.written());
    match (roots.lstat(&path), path.parent(), path.file_name()) {
        (Err(error), Some(parent), Some(name)) if error.kind() == ErrorKind::SymlinkNotAllowed => {
            let path = roots.join(&roots.follow(&parent)?, name)?;
            let stat = roots.lstat(&path)?.ok_or_else(missing)?;
            Ok((path, stat))
        }
        (stat, ..) => {
            let stat = stat?.ok_or_else(missing)?;
            Ok((path, stat))
        }
    }
}

fn special(shown: &ShownPath) -> FsError {
    FsError::new(ErrorKind::NotRegularFile, "NOT_REGULAR_FILE", "Not a regular file", shown.text())
}
