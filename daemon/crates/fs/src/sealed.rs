//! Secrets with which nothing is done: those that are there, by every name that they have in the roots.
//!
//! A secret is known by its name. A file with more than one name may be one by another, which only a walk of
//! the roots tells; it is made when the first such file is read, at most once for each [`Roots`].

use std::collections::HashSet;

use clada_protocol::ErrorKind;

use super::error::FsError;
use super::options::Secrets;
use super::path::RootedPath;
use super::policy::Verdict;
use super::root::Roots;
use super::stat::{FileKind, Stat};
use super::walk::{Ignoring, WalkItem, WalkOptions};

const ENTRIES: usize = 1_000_000;

impl Roots {
    /// Returns whether nothing may be done with the file at `path` if there is one, since its name is a
    /// secret's.
    pub fn seals(&self, path: &RootedPath) -> bool {
        self.is_sealing() && matches!(self.verdict_for_read(path), Verdict::Deny(ErrorKind::Secret, _))
    }

    /// Returns whether a file with these facts is sealed since one of its names is a secret's. Where that
    /// cannot be known, it is.
    pub fn seals_file(&self, stat: &Stat) -> bool {
        self.is_sealing()
            && stat.kind == FileKind::File
            && stat.nlink > 1
            && self.secret_files().is_none_or(|secrets| secrets.contains(&(stat.dev, stat.ino)))
    }

    /// Returns `stat` as it may be shown: of a sealed secret without its size.
    pub fn to_show(&self, path: &RootedPath, stat: Stat) -> Stat {
        let is_sealed = stat.kind == FileKind::File && (self.seals(path) || self.seals_file(&stat));
        if is_sealed { Stat { size: 0, ..stat } } else { stat }
    }

    pub(super) fn refuse_sealed_file(&self, path: &RootedPath, stat: &Stat) -> Result<(), FsError> {
        if !self.seals_file(stat) {
            return Ok(());
        }
        let issue = "File is held back: one of its names is a secret's";
        Err(FsError::new(ErrorKind::Secret, "SECRET", issue, path.written()))
    }

    /// Returns whether secrets are sealed at all.
    pub fn is_sealing(&self) -> bool {
        self.0.options.secrets == Secrets::Sealed
    }

    fn secret_files(&self) -> Option<&HashSet<(u64, u64)>> {
        let find = || {
            let mut identities = HashSet::new();
            for root in (0..self.paths().count()).filter_map(|index| self.root(index)) {
                let options = WalkOptions {
                    ignoring: Ignoring::Nothing,
                    max_entries: ENTRIES,
                    ..WalkOptions::default()
                };
                for item in self.walk(&root, options).ok()? {
                    match item {
                        WalkItem::Withheld { path, is_dir: false, kind: ErrorKind::Secret, .. } => {
                            identities
                                .extend(self.lstat(&path).ok().flatten().map(|stat| (stat.dev, stat.ino)));
                        }
                        WalkItem::Truncated => return None,
                        _ => {}
                    }
                }
            }
            Some(identities)
        };
        self.0.secret_files.get_or_init(find).as_ref()
    }
}
