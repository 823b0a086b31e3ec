//! What of the file system is there for a command: what is hidden, and what lies below that and is there all the same.
//!
//! Looks at files to see what is there; changes none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::environment::variable;
use crate::order::{Enclosure, Order};

/// Folders of running services: their sockets, pipes and secrets.
const SERVICES: [&str; 2] = ["/run", "/var/run"];

/// What programs of the system need of these.
const NEEDED: [&str; 5] = [
    "/run/current-system",
    "/run/booted-system",
    "/run/wrappers",
    "/run/opengl-driver",
    "/run/systemd/resolve",
];

/// Says where names of machines are looked up; often a link to a file of a service.
const RESOLVER: &str = "/etc/resolv.conf";

/// What is hidden from a command, and what is shown below that.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Visible {
    /// Files and folders that are there now, without links.
    pub(crate) hidden: Vec<PathBuf>,
    /// As they are named, which may be by links.
    pub(crate) shown: Vec<PathBuf>,
}

impl Visible {
    /// What an order sees in its enclosure; `more` is hidden besides. Folders that are `replaced` by empty ones hide what
    /// was in them by themselves.
    pub(crate) fn of(order: &Order, enclosure: &Enclosure, more: &[&str], replaced: &[&str]) -> Visible {
        let root = real(&enclosure.root);
        let known = SERVICES.iter().chain(more).map(Path::new);
        let mut hidden: Vec<PathBuf> = known
            .chain(enclosure.hidden.iter().map(PathBuf::as_path))
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| *path != root && path.parent().is_some())
            .collect();
        hidden.sort();
        hidden.dedup();
        let path = variable(&order.environment, "PATH").unwrap_or_default();
        let resolver = Path::new(RESOLVER).canonicalize().ok();
        let shown = NEEDED.iter().map(PathBuf::from).chain(resolver);
        let shown = shown.chain(std::env::split_paths(path)).chain([order.program.clone()]);
        let shown = shown.chain(enclosure.shown.iter().cloned()).filter(|path| path.is_absolute());
        let replaced: Vec<PathBuf> = replaced.iter().map(|path| real(Path::new(path))).collect();
        // What leads to it may be hidden by its name or by its place.
        let below = |path: &Path| {
            hidden.iter().chain(&replaced).any(|hidden| path != hidden && path.starts_with(hidden))
        };
        let mut shown: Vec<PathBuf> = shown
            .flat_map(|path| [real(&path), path])
            .filter(|path| below(path) && path.exists() && !path.starts_with(&root))
            .collect();
        shown.sort();
        shown.dedup();
        Visible { hidden, shown }
    }
}

/// The value of the closest folder above `path` in a map by paths, or of itself.
pub(super) fn closest<'m, T>(map: &'m BTreeMap<PathBuf, T>, path: &Path) -> Option<&'m T> {
    path.ancestors().find_map(|folder| map.get(folder))
}

/// The path without links, or as it is if it is not there.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
