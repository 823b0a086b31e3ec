//! A walk through a tree that stays inside it, in the order of the paths' bytes.
//!
//! It goes by descriptors: a folder is opened by its name in the folder that is open already, so a folder
//! that is swapped for a link during a walk leads nowhere. Iterative, with a bounded number of descriptors
//! however deep the tree. Links are reported and not followed. FIFOs, sockets and devices, `.git`, `.clada`
//! and clada's temporary files are skipped.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clada_protocol::ErrorKind;
use rustix::io::Errno;

use super::dir::open_names;
use super::entry::stat_in;
use super::error::FsError;
use super::ignores::{IgnoreConfig, RuleLink, RuleTexts};
use super::names;
use super::path::RootedPath;
use super::policy::Verdict;
use super::root::Roots;
use super::stat::{FileKind, Stat};
use super::survey::is_owned;

const KEPT_EVERY: usize = 64;

/// The effect of ignore files on a walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ignoring {
    /// Nothing is ignored.
    Nothing,
    /// Only git's files apply, as to git itself: those of `Rules` without `.ignore`.
    Git {
        /// The part that comes from git's configuration.
        config: IgnoreConfig,
    },
    /// These files apply: `.gitignore`, also above a root in the same repository, `.ignore`,
    /// `.git/info/exclude`, and the user gitignore.
    Rules {
        /// The part that comes from git's configuration.
        config: IgnoreConfig,
        /// The names of further files in folders with rules, like `.ignore`.
        also: &'static [&'static str],
    },
}

/// The treatment of FIFOs, sockets and devices by a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Specials {
    /// They are skipped.
    #[default]
    PassedOver,
    /// They are reported as entries.
    Reported,
}

/// The treatment of ignored entries by a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ignored {
    /// They are skipped.
    #[default]
    PassedOver,
    /// They are reported, a folder as a whole, as [`WalkItem::Ignored`].
    Reported,
}

/// The options of a walk.
pub struct WalkOptions<'a> {
    /// The ignore files that apply.
    pub ignoring: Ignoring,
    /// The treatment of ignored entries.
    pub ignored: Ignored,
    /// The treatment of FIFOs, sockets and devices.
    pub specials: Specials,
    /// The most entries visited before the walk stops with [`WalkItem::Truncated`].
    pub max_entries: usize,
    /// The most levels below the start.
    pub max_depth: usize,
    /// Called before each entry; the walk ends when it returns true.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Returns true for paths that are kept, whatever ignore files say. In an ignored folder that is kept,
    /// all other entries are ignored.
    pub spared: Option<&'a dyn Fn(&Path) -> bool>,
    /// Called with each `.git` and `.clada` that is skipped, unless an ignored folder contains it.
    pub owned: Option<&'a dyn Fn(&RootedPath)>,
}

impl Default for WalkOptions<'_> {
    fn default() -> Self {
        let ignoring = Ignoring::Rules { config: IgnoreConfig::default(), also: &[] };
        let (ignored, specials) = (Ignored::PassedOver, Specials::PassedOver);
        WalkOptions {
            ignoring,
            ignored,
            specials,
            max_entries: 1_000_000,
            max_depth: 10_000,
            cancelled: &|| false,
            spared: None,
            owned: None,
        }
    }
}

/// An item that a walk visits.
#[derive(Debug)]
pub enum WalkItem {
    /// A file, folder or link. A folder comes before its contents.
    Entry {
        /// Its place.
        path: RootedPath,
        /// Its facts; a link's are its own.
        stat: Stat,
    },
    /// An ignored entry. The contents of such a folder are not visited.
    Ignored {
        /// Its place.
        path: RootedPath,
        /// Its facts; a link's are its own.
        stat: Stat,
    },
    /// An entry that may not be read, and the reason. The contents of such a folder are not visited.
    Withheld {
        /// Its place.
        path: RootedPath,
        /// True for a folder, false for a file.
        is_dir: bool,
        /// `secret` or `path_denied`.
        kind: ErrorKind,
        /// The reason in words.
        reason: String,
    },
    /// A folder or entry that cannot be read; the walk goes on.
    Error(FsError),
    /// There is more than `max_entries`; the walk ends.
    Truncated,
}

/// A running walk.
pub struct Walk<'a> {
    roots: Roots,
    options: WalkOptions<'a>,
    frames: Vec<WalkFrame>,
    start_depth: usize,
    seen: usize,
}

struct WalkFrame {
    path: RootedPath,
    depth: usize,
    /// Closed while the walk is far below. Its contents are then reached from further up, and its inode shows
    /// whether it is still the same entry.
    folder: Option<OwnedFd>,
    rules: Option<Arc<RuleLink>>,
    rest: Vec<WalkStep>,
}

enum WalkStep {
    Report(OsString, Stat),
    Ignored(OsString, Stat),
    /// The flag is true if ignore files leave the folder out and it is kept nevertheless.
    Descend(OsString, Stat, bool),
    Fail(FsError),
    Stop,
}

impl Roots {
    /// Walks everything beneath `start`, which itself is not reported.
    pub fn walk<'a>(&self, start: &RootedPath, options: WalkOptions<'a>) -> Result<Walk<'a>, FsError> {
        let fail = |errno| self.folder_error("walk the directory", errno, start);
        let mut walk = Walk {
            roots: self.clone(),
            options,
            frames: Vec::new(),
            start_depth: start.relative().iter().count(),
            seen: 0,
        };
        let folder = self.folder(start).map_err(fail)?;
        let rules = walk.rules_above(start)?;
        let opened = self.readable(folder.as_fd()).map_err(fail)?;
        let frame = walk.frame(start.clone(), false, walk.start_depth, opened, rules).map_err(fail)?;
        walk.frames.push(frame);
        Ok(walk)
    }

    fn readable(&self, folder: BorrowedFd<'_>) -> Result<OwnedFd, Errno> {
        folder.try_clone_to_owned().map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::MFILE))
    }
}

impl Iterator for Walk<'_> {
    type Item = WalkItem;

    fn next(&mut self) -> Option<WalkItem> {
        loop {
            // Without folders the walk is over, at the next call too.
            if (self.options.cancelled)() {
                self.frames.clear();
            }
            let frame = self.frames.last_mut()?;
            let Some(step) = frame.rest.pop() else {
                self.frames.pop();
                continue;
            };
            match step {
                WalkStep::Stop => return self.stop(),
                WalkStep::Fail(error) => return Some(WalkItem::Error(error)),
                WalkStep::Report(name, stat) => {
                    self.seen += 1;
                    if self.seen > self.options.max_entries {
                        return self.stop();
                    }
                    let path = frame.path.child(&name);
                    if let Some(withheld) = self.withheld(&path, &stat) {
                        return Some(withheld);
                    }
                    return Some(WalkItem::Entry { path, stat });
                }
                WalkStep::Ignored(name, stat) => {
                    self.seen += 1;
                    if self.seen > self.options.max_entries {
                        return self.stop();
                    }
                    return Some(WalkItem::Ignored { path: frame.path.child(&name), stat });
                }
                WalkStep::Descend(name, stat, is_ignored) => {
                    if let Err(error) = self.descend(&name, &stat, is_ignored) {
                        return Some(WalkItem::Error(error));
                    }
                }
            }
        }
    }
}

impl Walk<'_> {
    /// Skips the contents of the folder that was reported last, at `path`.
    pub fn pass_over(&mut self, path: &RootedPath) {
        let Some(frame) = self.frames.last_mut() else { return };
        let own = |step: &WalkStep| matches!(step, WalkStep::Descend(name, ..) if Some(name.as_os_str()) == path.file_name());
        // It is among the next steps: only names that begin like its own come before its contents.
        if let Some(index) = frame.rest.iter().rposition(own) {
            frame.rest.remove(index);
        }
    }

    fn stop(&mut self) -> Option<WalkItem> {
        self.frames.clear();
        Some(WalkItem::Truncated)
    }

    fn withheld(&mut self, path: &RootedPath, stat: &Stat) -> Option<WalkItem> {
        let is_dir = stat.kind == FileKind::Directory;
        let Verdict::Deny(kind, reason) = self.roots.verdict_for_read(path) else { return None };
        // The name of a secret folder protects only the folder; its contents have names of their own.
        let whole = kind == ErrorKind::PathDenied;
        if is_dir && !whole {
            return None;
        }
        if is_dir {
            self.pass_over(path);
        }
        Some(WalkItem::Withheld { path: path.clone(), is_dir, kind, reason })
    }

    fn descend(&mut self, name: &OsStr, stat: &Stat, is_ignored: bool) -> Result<(), FsError> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let path = frame.path.child(name);
        let (rules, depth) = (frame.rules.clone(), frame.depth + 1);
        if depth - self.start_depth > self.options.max_depth {
            let issue = "Directory is too deep to be walked";
            return Err(FsError::new(ErrorKind::LimitExceeded, "LIMIT_EXCEEDED", issue, path.written()));
        }
        let fail = |errno| self.roots.folder_error("walk the directory", errno, &path);
        let (above, relative) = self.nearest_open(name);
        let opened = self.roots.open_beneath(above, &relative).map_err(fail)?;
        let now = rustix::fs::fstat(&opened).map(|raw| Stat::from_raw(&raw)).map_err(fail)?;
        if !now.same_file(stat) {
            return Err(FsError::conflict("Directory was replaced while it was walked", path.written()));
        }
        let frame = self.frame(path.clone(), is_ignored, depth, opened, rules).map_err(fail)?;
        if self.frames.last().is_some_and(|frame| frame.rest.is_empty()) {
            self.frames.pop();
        }
        self.frames.push(frame);
        self.close_some();
        Ok(())
    }

    /// Returns the deepest folder above `name` that is open, and the path from there.
    fn nearest_open(&self, name: &OsStr) -> (BorrowedFd<'_>, PathBuf) {
        // The folder on top is opened again this way when its own descriptor was closed to save room.
        let path = self.frames.last().map(|frame| frame.path.relative().join(name)).unwrap_or_default();
        let open = self.frames.iter().rev().find_map(|frame| Some((frame, frame.folder.as_ref()?)));
        match open {
            Some((frame, folder)) => {
                let way = path.strip_prefix(frame.path.relative()).unwrap_or(Path::new("")).to_path_buf();
                (folder.as_fd(), way)
            }
            None => {
                let root = self.frames.last().map_or(0, |frame| frame.path.root());
                (self.roots.root_folder(root), path)
            }
        }
    }

    fn close_some(&mut self) {
        if let Some(index) = self.frames.len().checked_sub(KEPT_EVERY + 1)
            && index % KEPT_EVERY != 0
        {
            self.frames[index].folder = None;
        }
    }

    fn frame(
        &self,
        path: RootedPath,
        is_ignored: bool,
        depth: usize,
        folder: OwnedFd,
        above: Option<Arc<RuleLink>>,
    ) -> Result<WalkFrame, Errno> {
        let mut rest = Vec::new();
        let rules = match self.rules_in(&path, depth, folder.as_fd(), above.clone()) {
            Ok(rules) => rules,
            Err(error) => {
                rest.push((Vec::new(), WalkStep::Fail(error)));
                above
            }
        };
        let room = self.options.max_entries.saturating_sub(self.seen);
        let mut names = 0;
        for entry in open_names(folder.as_fd())? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if matches!(name.as_bytes(), b"." | b"..")
                || names::is_reserved(name)
                || names::is_temp_name(name)
            {
                if let Some(tell) = self.options.owned.filter(|_| is_owned(name)) {
                    tell(&path.child(name));
                }
                continue;
            }
            names += 1;
            if names > room.saturating_add(1) {
                // The key sorts after every name, since names have at most 255 bytes.
                rest.push((vec![0xff; 256], WalkStep::Stop));
                break;
            }
            self.lay_out((&path, is_ignored), folder.as_fd(), name, rules.as_ref(), &mut rest);
        }
        rest.sort_by(|one, other| other.0.cmp(&one.0));
        let rest = rest.into_iter().map(|(_, step)| step).collect();
        Ok(WalkFrame { path, depth, folder: Some(folder), rules, rest })
    }

    fn lay_out(
        &self,
        (folder_path, is_ignored): (&RootedPath, bool),
        folder: BorrowedFd<'_>,
        name: &OsStr,
        rules: Option<&Arc<RuleLink>>,
        rest: &mut Vec<(Vec<u8>, WalkStep)>,
    ) {
        // A folder sorts as itself and its contents as `name/`, so that the paths come in the order of their
        // bytes: `a`, `a-b`, `a/x`.
        let key = name.as_bytes().to_vec();
        let stat = match stat_in(folder, name) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return,
            Err(errno) => {
                let path = folder_path.child(name);
                return rest
                    .push((key, WalkStep::Fail(FsError::os("look at the file", errno, path.written()))));
            }
        };
        let is_dir = stat.kind == FileKind::Directory;
        if stat.kind == FileKind::Special && self.options.specials == Specials::PassedOver {
            return;
        }
        let is_ignored = is_ignored
            || rules.is_some() && RuleLink::ignores(rules, &folder_path.relative().join(name), is_dir);
        let is_spared =
            || self.options.spared.is_some_and(|spared| spared(&folder_path.relative().join(name)));
        if is_ignored && !is_spared() {
            if self.options.ignored == Ignored::Reported {
                rest.push((key, WalkStep::Ignored(name.to_owned(), stat)));
            }
            return;
        }
        // Reporting and entering are two steps: names such as `a-b` come between them.
        if is_dir {
            let within = [name.as_bytes(), b"/"].concat();
            rest.push((within, WalkStep::Descend(name.to_owned(), stat, is_ignored)));
        }
        rest.push((key.clone(), WalkStep::Report(OsString::from_vec(key), stat)));
    }

    fn rules_in(
        &self,
        path: &RootedPath,
        depth: usize,
        folder: BorrowedFd<'_>,
        above: Option<Arc<RuleLink>>,
    ) -> Result<Option<Arc<RuleLink>>, FsError> {
        let (config, also): (_, &[&str]) = match &self.options.ignoring {
            Ignoring::Nothing => return Ok(None),
            Ignoring::Git { config } => (config, &[]),
            Ignoring::Rules { config, also } => (config, also),
        };
        let is_git_alone = matches!(self.options.ignoring, Ignoring::Git { .. });
        let excludes = self.roots.excludes_in(folder, path);
        let git = self.roots.rules_file(folder, ".gitignore", path)?;
        let mut others = Vec::new();
        for name in [".ignore"].iter().filter(|_| !is_git_alone).chain(also) {
            others.extend(self.roots.rules_file(folder, name, path)?);
        }
        let texts = RuleTexts { excludes, git, others, ignores_case: config.ignores_case };
        Ok(RuleLink::below(above, depth, &texts))
    }

    fn rules_above(&self, start: &RootedPath) -> Result<Option<Arc<RuleLink>>, FsError> {
        let (Ignoring::Rules { config, .. } | Ignoring::Git { config }) = &self.options.ignoring else {
            return Ok(None);
        };
        let mut here = RootedPath::new(start.root(), PathBuf::new(), String::new());
        let mut rules = self.roots.rules_around(start.root(), config);
        let first = self.roots.first_rules(start);
        let mut opened: Option<OwnedFd> = None;
        for (depth, name) in start.relative().iter().enumerate() {
            let folder = opened.as_ref().map_or_else(|| self.roots.root_folder(start.root()), AsFd::as_fd);
            if depth >= first {
                rules = self.rules_in(&here, depth, folder, rules)?;
            }
            let next = self.roots.open_beneath(folder, name.as_ref());
            opened = Some(next.map_err(|errno| self.roots.folder_error("walk the directory", errno, start))?);
            here = here.child(name);
        }
        Ok(rules)
    }
}
