//! A repository that belongs to the project, and the folders that must contain everything that git reads of it.
//!
//! Must not know how it was found: [`super::located`] does that.

use std::path::{Path, PathBuf};

use clada_fs::{Symlinks, read_regular};

use super::unfit::Unfit;

/// A repository that belongs to the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub(super) top: PathBuf,
    pub(super) own: PathBuf,
    pub(super) common: PathBuf,
    pub(super) root: PathBuf,
    pub(super) outside: Option<PathBuf>,
}

impl Located {
    /// Returns the folders that must contain everything that git reads of this repository.
    pub(super) fn region(&self) -> TrustedRegion {
        TrustedRegion(std::iter::once(self.root.clone()).chain(self.outside.clone()).collect())
    }

    pub(super) fn is_linked(&self) -> bool {
        self.own != self.common
    }
}

#[derive(Debug)]
pub(super) struct TrustedRegion(pub(super) Vec<PathBuf>);

impl TrustedRegion {
    fn holds(&self, path: &Path) -> bool {
        self.0.iter().any(|folder| path.starts_with(folder))
    }

    pub(super) fn resolve(&self, path: &Path) -> Result<Option<PathBuf>, Unfit> {
        self.resolve_for(path, path)
    }

    pub(super) fn resolve_for(&self, path: &Path, file: &Path) -> Result<Option<PathBuf>, Unfit> {
        // A link that leads nowhere is absent to git, too.
        let Ok(real) = path.canonicalize() else { return Ok(None) };
        if self.holds(&real) {
            return Ok(Some(real));
        }
        Err(Unfit::Outside { what: shown(file), to: real })
    }
}

pub(super) fn shown(path: &Path) -> String {
    let names: Vec<_> = path.iter().collect();
    let from = names.iter().rposition(|name| *name == ".git").unwrap_or(names.len().saturating_sub(2));
    let shown: PathBuf = names[from..].iter().collect();
    clada_protocol::visible_line(&shown.to_string_lossy()).into_owned()
}

pub(super) fn file_in(path: &Path, region: &TrustedRegion) -> Result<Option<PathBuf>, Unfit> {
    let Some(real) = region.resolve(path)? else { return Ok(None) };
    let stat = real.symlink_metadata().map_err(Unfit::io(path))?;
    match stat {
        stat if stat.is_file() => Ok(Some(real)),
        stat if stat.is_dir() => Ok(None),
        _ => Err(Unfit::Special(path.to_path_buf())),
    }
}

pub(super) fn folder_in(path: &Path, region: &TrustedRegion) -> Result<Option<PathBuf>, Unfit> {
    Ok(region.resolve(path)?.filter(|real| real.is_dir()))
}

pub(super) fn text_of(located: &Located, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Unfit> {
    let Some(real) = file_in(path, &located.region())? else { return Ok(None) };
    read_regular(&real, Symlinks::Refuse, limit).map(Some).map_err(Unfit::io(path))
}
