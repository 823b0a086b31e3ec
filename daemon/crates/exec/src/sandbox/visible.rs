//! The parts of the file system that a command sees: the hidden paths, and those below them that are visible
//! all the same.
//!
//! Looks at files to see which exist; changes none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::command_spec::{CommandSpec, Enclosure};
use crate::environment::variable;

pub(crate) const PRIVATE: [&str; 2] = ["/tmp", "/var/tmp"];

const SERVICES: [&str; 2] = ["/run", "/var/run"];

const NEEDED: [&str; 5] = [
    "/run/current-system",
    "/run/booted-system",
    "/run/wrappers",
    "/run/opengl-driver",
    "/run/systemd/resolve",
];

const RESOLVER: &str = "/etc/resolv.conf";

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Visible {
    pub(crate) hidden: Vec<PathBuf>,
    pub(crate) shown: Vec<PathBuf>,
}

impl Visible {
    /// Returns what a spec sees in its enclosure, with `more` hidden as well. Folders that are `replaced`
    /// by empty ones hide their content without this.
    pub(crate) fn new(
        spec: &CommandSpec,
        enclosure: &Enclosure,
        more: &[&str],
        replaced: &[&str],
    ) -> Visible {
        let root = real(&enclosure.root);
        let known = SERVICES.iter().chain(more).map(Path::new);
        let mut hidden: Vec<PathBuf> = known
            .chain(enclosure.hidden.iter().map(PathBuf::as_path))
            .filter_map(|path| path.canonicalize().ok())
            .filter(|path| *path != root && path.parent().is_some())
            .collect();
        hidden.sort();
        hidden.dedup();
        let path = variable(&spec.environment, "PATH").unwrap_or_default();
        let resolver = Path::new(RESOLVER).canonicalize().ok();
        let shown = NEEDED.iter().map(PathBuf::from).chain(resolver);
        let shown = shown.chain(std::env::split_paths(path)).chain([spec.program.clone()]);
        let shown = shown.chain(enclosure.shown.iter().cloned()).filter(|path| path.is_absolute());
        let replaced: Vec<PathBuf> = replaced.iter().map(|path| real(Path::new(path))).collect();
        // A path that leads to it may be hidden by its name or by its location.
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

pub(super) fn closest<'m, T>(map: &'m BTreeMap<PathBuf, T>, path: &Path) -> Option<&'m T> {
    path.ancestors().find_map(|folder| map.get(folder))
}

/// Returns the path itself if it does not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}
