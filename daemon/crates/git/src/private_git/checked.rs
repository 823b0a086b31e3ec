//! Checks the targets of a private folder's links: none may lead out of the region, and
//! reading none may wait for ever.
//!
//! Looks at names and kinds. Reads only the lists of alternates, which name further places.

use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::region::{Located, TrustedRegion, file_in, folder_in, shown, text_of};
use super::unfit::Unfit;

/// The most names visited in one repository: more than any repository has after git has packed it once.
const MAX_NAMES: usize = 500_000;
const MAX_ALTERNATES: usize = 100;
const MAX_LIST: u64 = 1 << 20;

pub(super) fn everything(located: &Located) -> Result<(), Unfit> {
    what_is_written(located)?;
    let region = located.region();
    LinkWalk { region: &region, seen: HashSet::new(), remaining_names: MAX_NAMES }.databases(located)
}

/// Checks the places that a commit writes to. A borrowed object database is none of them.
pub(super) fn what_is_written(located: &Located) -> Result<(), Unfit> {
    let region = located.region();
    let mut walk = LinkWalk { region: &region, seen: HashSet::new(), remaining_names: MAX_NAMES };
    for folder in [&located.common, &located.own] {
        for name in ["refs", "logs", "rebase-merge", "rebase-apply", "sequencer"] {
            walk.folder(&folder.join(name))?;
        }
        if !located.is_linked() {
            break;
        }
    }
    for file in ["index", "packed-refs", "shallow"] {
        file_in(&located.own.join(file), &region)?;
        file_in(&located.common.join(file), &region)?;
    }
    let head = located.own.join("HEAD");
    // A link to a ref is an old way to write the same.
    if !head.read_link().is_ok_and(|named| named.starts_with("refs")) {
        file_in(&head, &region)?;
    }
    for folder in ["objects", "objects/pack", "objects/info", "info"] {
        folder_in(&located.common.join(folder), &region)?;
    }
    Ok(())
}

struct LinkWalk<'a> {
    region: &'a TrustedRegion,
    seen: HashSet<(u64, u64)>,
    remaining_names: usize,
}

impl LinkWalk<'_> {
    fn folder(&mut self, folder: &Path) -> Result<(), Unfit> {
        let Some(real) = self.region.resolve(folder)? else { return Ok(()) };
        let mut folders = vec![real];
        while let Some(inner) = folders.pop() {
            let Ok(stat) = inner.metadata() else { continue };
            // A folder that a link makes its own parent is visited once.
            if !stat.is_dir() || !self.seen.insert((stat.dev(), stat.ino())) {
                continue;
            }
            for entry in inner.read_dir().map_err(Unfit::io(&inner))? {
                let entry = entry.map_err(Unfit::io(&inner))?;
                self.remaining_names = self
                    .remaining_names
                    .checked_sub(1)
                    .ok_or_else(|| Unfit::TooMuch(folder.to_path_buf()))?;
                let path = entry.path();
                match entry.file_type().map_err(Unfit::io(&path))? {
                    kind if kind.is_file() => {}
                    kind if kind.is_dir() => folders.push(path),
                    kind if kind.is_symlink() => {
                        let Some(real) = self.region.resolve(&path)? else { continue };
                        if real.is_dir() {
                            folders.push(real);
                        } else if !real.is_file() {
                            return Err(Unfit::Special(path));
                        }
                    }
                    _ => return Err(Unfit::Special(path)),
                }
            }
        }
        Ok(())
    }

    fn databases(&mut self, located: &Located) -> Result<(), Unfit> {
        let mut pending_folders = vec![located.common.join("objects")];
        let mut visited = HashSet::new();
        while let Some(objects) = pending_folders.pop() {
            let Some(real) = self.region.resolve(&objects)? else { continue };
            if !visited.insert(real.clone()) {
                continue;
            }
            if visited.len() > MAX_ALTERNATES {
                return Err(Unfit::TooMuch(real));
            }
            self.folder(&real)?;
            let list = real.join("info/alternates");
            let Some(text) = text_of(located, &list, MAX_LIST)? else { continue };
            for line in text.split(|byte| *byte == b'\n').filter(|line| !matches!(line, [] | [b'#', ..])) {
                if line.starts_with(b"\"") {
                    return Err(Unfit::Unknown("an alternate in quotes".to_owned()));
                }
                let named = real.join(Path::new(std::ffi::OsStr::from_bytes(line)));
                // A missing one is refused too: it could appear while git runs.
                if self.region.resolve_for(&named, &list)?.is_none() {
                    return Err(Unfit::Outside { what: shown(&list), to: named });
                }
                pending_folders.push(named);
            }
        }
        Ok(())
    }
}
