//! Refuses a repository in which libgit2 would read a named pipe or a device, and so wait for ever. git never
//! makes such a repository, but an archive may contain one.
//!
//! Looks at names and kinds, and reads only the files that name further places: `.git` files and alternates.
//! Files included by the configuration are found in [`super::includes`].

use std::collections::HashSet;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::content::open_file;
use super::error::Unusable;
use super::includes::{self, refuse_one};

/// The most names visited in one repository: more than any repository has after git has packed it once.
const MAX_NAMES: usize = 2_000_000;
const MAX_BYTES: u64 = 1 << 20;
/// Folders of a repository that libgit2 does not read: work trees and repositories of their own,
/// and data of other programs.
const OTHERS: [&str; 5] = ["worktrees", "modules", "lfs", "annex", "hooks"];
const OTHERS_AND_OBJECTS: [&str; 6] = ["worktrees", "modules", "lfs", "annex", "hooks", "objects"];

/// Must be called before libgit2 reads it. Fails for the first that is neither file nor folder.
pub(super) fn refuse(dot_git: &Path, home: Option<&Path>) -> Result<(), Unusable> {
    refuse_without(dot_git, home, &OTHERS)
}

pub(super) fn refuse_again(dot_git: &Path, home: Option<&Path>) -> Result<(), Unusable> {
    // The repository was checked in full when it was opened. Its objects are by far the largest part.
    refuse_without(dot_git, home, &OTHERS_AND_OBJECTS)
}

fn refuse_without(dot_git: &Path, home: Option<&Path>, without: &[&str]) -> Result<(), Unusable> {
    let Ok(metadata) = dot_git.metadata() else { return Ok(()) };
    refuse_one(dot_git, &metadata)?;
    let mut walk = ObjectWalk { seen: HashSet::new(), remaining_names: MAX_NAMES };
    let folder = if metadata.is_dir() { Some(dot_git.to_path_buf()) } else { named(dot_git, "gitdir:") };
    let Some(folder) = folder else { return Ok(()) };
    walk.repository(&folder, without)?;
    let common = named(&folder.join("commondir"), "").unwrap_or_else(|| folder.clone());
    walk.repository(&common, without)?;
    includes::refuse(&common.join("config"), home)?;
    includes::refuse(&folder.join("config.worktree"), home)
}

struct ObjectWalk {
    seen: HashSet<(u64, u64)>,
    remaining_names: usize,
}

impl ObjectWalk {
    fn repository(&mut self, folder: &Path, without: &[&str]) -> Result<(), Unusable> {
        self.folder(folder, without)?;
        if without.contains(&"objects") { Ok(()) } else { self.alternates(&folder.join("objects")) }
    }

    fn folder(&mut self, folder: &Path, without: &[&str]) -> Result<(), Unusable> {
        let mut folders = vec![folder.to_path_buf()];
        while let Some(inner) = folders.pop() {
            let Ok(metadata) = inner.metadata() else { continue };
            if !self.seen.insert((metadata.dev(), metadata.ino())) {
                continue;
            }
            let Ok(entries) = inner.read_dir() else { continue };
            for entry in entries.flatten() {
                self.remaining_names = self.remaining_names.checked_sub(1).ok_or_else(|| {
                    Unusable::Other(format!("it holds more than {MAX_NAMES} files; `git gc` packs them"))
                })?;
                let is_plain = entry.file_type().is_ok_and(|kind| kind.is_file());
                let is_other =
                    || inner == folder && without.iter().any(|name| entry.file_name().as_os_str() == *name);
                if is_plain || is_other() {
                    continue;
                }
                let path = entry.path();
                let Ok(metadata) = path.metadata() else { continue };
                refuse_one(&path, &metadata)?;
                if metadata.is_dir() {
                    folders.push(path);
                }
            }
        }
        Ok(())
    }

    fn alternates(&mut self, objects: &Path) -> Result<(), Unusable> {
        let mut pending_folders = vec![objects.to_path_buf()];
        let mut read = HashSet::new();
        while let Some(objects) = pending_folders.pop() {
            // Resolved, since the names in a loop grow for ever.
            let Ok(objects) = objects.canonicalize() else { continue };
            if !read.insert(objects.clone()) {
                continue;
            }
            self.folder(&objects, &[])?;
            let Some(text) = text_of(&objects.join("info/alternates")) else { continue };
            let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
            pending_folders.extend(lines.map(|line| objects.join(line)));
        }
        Ok(())
    }
}

fn named(file: &Path, word: &str) -> Option<PathBuf> {
    let text = text_of(file)?;
    let name = text.strip_prefix(word)?.trim();
    Some(file.parent()?.join(name))
}

fn text_of(file: &Path) -> Option<String> {
    let mut text = Vec::new();
    open_file(&file.canonicalize().ok()?).ok()?.take(MAX_BYTES).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}
