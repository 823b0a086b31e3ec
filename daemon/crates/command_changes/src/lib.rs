//! What a command has changed in a project, found by looking at it before and after.
//!
//! What git has of a file that is as it was committed need not be kept: its content comes from git afterwards. Of the
//! others the contents are kept as far as there is room, so that they can be brought back; what there is no room for is
//! told, before and after. What git ignores is left out: nobody keeps what a build makes. What the operation itself has
//! had ignored is not ([`Spared`]).
//!
//! A survey costs what changed since the one before it: of a file that shows no change nothing is read
//! ([`Remembered`]), and only what is new of a survey is put down ([`PutDown`]), so that whoever comes after a process
//! that was ended finds out what its command did.
//!
//! Looks at files and changes nothing. Knows neither commands nor operations, nor where things are put down.

mod after;
mod cursor;
mod form;
mod git;
mod log;
mod memory;
mod repositories;
mod risk;
mod sight;
mod spared;
mod take;

#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use clada_fs::{Ignored, RootedPath, Roots, Specials, Stat, Timestamp, WalkItem, WalkOptions};

pub use after::Aftermath;
pub use git::Git;
pub use log::{Kept, New, PutDown, Ready, Records};
pub use memory::{Memories, Memory, Remembered};
pub use repositories::{NewRepositories, Repositories};
pub use risk::{AtRisk, Linked};
use sight::Sight;
pub use spared::Spared;

/// Entries that are looked at.
const ENTRIES: usize = 200_000;
/// Places that cannot be looked into and are known by name.
const HOLES: usize = 100;

/// What stood in a project before a command ran.
#[derive(Debug)]
pub struct Survey {
    /// By the bytes of their paths, which is the order of a walk.
    sights: Vec<Arc<Sight>>,
    seen: Seen,
    /// When the look began.
    now: Timestamp,
    git: Git,
    /// The repositories among it; `None` where nobody knows any more.
    repositories: Option<Repositories>,
}

/// How much of a project was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Seen {
    /// There was more than is looked at, or the look was stopped.
    cut: bool,
    /// What could not be looked at, as it is written; with what is in it.
    holes: Vec<String>,
}

impl Seen {
    /// Whether it was everything.
    fn is_all(&self) -> bool {
        !self.cut && self.holes.is_empty()
    }

    /// Whether what was not seen at `path` was not there.
    fn knows(&self, path: &RootedPath) -> bool {
        let path = path.written();
        let within = |hole: &String| {
            path.strip_prefix(hole.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        !self.cut && !self.holes.iter().any(within)
    }

    fn add_hole(&mut self, path: &str) {
        if self.holes.len() < HOLES { self.holes.push(path.to_owned()) } else { self.cut = true }
    }
}

/// What a walk comes upon.
struct Met {
    path: RootedPath,
    stat: Stat,
    is_ignored: bool,
}

/// Shows `visit` everything of the project, by the bytes of its paths; how much that was, and the repositories among it.
/// A `spared` path counts as not ignored.
fn walk(
    roots: &Roots,
    spared: Option<&Spared>,
    stopped: &dyn Fn() -> bool,
    visit: &mut dyn FnMut(Met),
) -> (Seen, Repositories) {
    let is_spared = |path: &Path| spared.is_some_and(|spared| spared.has(path));
    let repositories = RefCell::new(Repositories::default());
    let options = WalkOptions {
        max_entries: ENTRIES,
        ignored: Ignored::Reported,
        specials: Specials::Reported,
        cancelled: stopped,
        spared: spared.map(|_| &is_spared as &dyn Fn(&Path) -> bool),
        owned: Some(&|path| repositories.borrow_mut().add_owned(roots, path)),
        ..WalkOptions::default()
    };
    let mut seen = Seen::default();
    let walk = roots.root(0).and_then(|root| roots.walk(&root, options).ok());
    seen.cut = walk.is_none();
    for item in walk.into_iter().flatten() {
        match item {
            WalkItem::Entry { path, stat } => {
                repositories.borrow_mut().add_bare(roots, &path, &stat);
                visit(Met { path, stat, is_ignored: false });
            }
            WalkItem::Ignored { path, stat } => visit(Met { path, stat, is_ignored: true }),
            WalkItem::Withheld { .. } => {}
            WalkItem::Error(error) => seen.add_hole(error.path()),
            WalkItem::Truncated => seen.cut = true,
        }
    }
    seen.cut |= stopped();
    (seen, repositories.into_inner())
}

/// The repositories in the root with this `number`, of which nothing else is surveyed.
#[must_use]
pub fn repositories_in(roots: &Roots, number: usize, stopped: &dyn Fn() -> bool) -> Repositories {
    let found = RefCell::new(Repositories::default());
    let owned = |path: &RootedPath| found.borrow_mut().add_owned(roots, path);
    let options = WalkOptions {
        max_entries: ENTRIES,
        cancelled: stopped,
        owned: Some(&owned),
        ..WalkOptions::default()
    };
    let walk = roots.root(number).and_then(|root| roots.walk(&root, options).ok());
    for item in walk.into_iter().flatten() {
        if let WalkItem::Entry { path, stat } = item {
            found.borrow_mut().add_bare(roots, &path, &stat);
        }
    }
    found.into_inner()
}

/// The path from the root as it is resolved again, if it can be.
fn resolve(roots: &Roots, path: &Path) -> Option<RootedPath> {
    roots.resolve_recorded(roots.paths().next()?, path).ok()
}
