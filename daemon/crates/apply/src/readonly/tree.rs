//! `tree`: folders with all below, drawn.

use std::os::unix::ffi::OsStrExt;
use std::vec;

use clada_exec::words::Tree;
use clada_fs::{DirEntry, FileKind, RootedPath};
use globset::GlobMatcher;

use super::globs::glob;
use super::reading::{CommandReading, NAMES, below, reason};
use crate::failure::Failure;

struct EntryFilter {
    without: Vec<GlobMatcher>,
    only: Vec<GlobMatcher>,
}

struct Level {
    path: RootedPath,
    shown: Vec<u8>,
    indent: String,
    rest: vec::IntoIter<DirEntry>,
}

pub(super) fn check(tree: &Tree) -> Result<(), Failure> {
    entry_filter(tree).map(|_| ())
}

fn entry_filter(tree: &Tree) -> Result<EntryFilter, Failure> {
    let globs = |written: &[String]| -> Result<Vec<GlobMatcher>, Failure> {
        written.iter().map(|written| glob(written, false)).collect()
    };
    Ok(EntryFilter { without: globs(&tree.without)?, only: globs(&tree.only)? })
}

impl CommandReading<'_> {
    pub(super) fn tree(&mut self, tree: &Tree, paths: &[(String, RootedPath)]) -> Result<(), Failure> {
        let filter = entry_filter(tree)?;
        let (mut folders, mut files) = (0_usize, 0_usize);
        for (written, path) in paths {
            let is_folder = self.roots.lstat(path)?.is_some_and(|stat| stat.kind == FileKind::Directory);
            if !is_folder {
                self.out.say(format!("{written}  [error opening dir]\n").as_bytes());
                self.out.status(2);
                continue;
            }
            self.out.say(format!("{written}\n").as_bytes());
            self.draw(tree, &filter, (written, path), &mut |kind| {
                *(if kind == FileKind::Directory { &mut folders } else { &mut files }) += 1;
            });
        }
        let counted = |number: usize, one: &str, more: &str| {
            format!("{number} {}", if number == 1 { one } else { more })
        };
        let folders = counted(folders, "directory", "directories");
        let files = counted(files, "file", "files");
        let total = if tree.folders_only { folders } else { format!("{folders}, {files}") };
        self.out.say(format!("\n{total}\n").as_bytes());
        self.report_secrets("tree");
        Ok(())
    }

    fn draw(
        &mut self,
        tree: &Tree,
        filter: &EntryFilter,
        (written, path): (&str, &RootedPath),
        count: &mut dyn FnMut(FileKind),
    ) {
        let rest = self.drawn(tree, filter, path, written.as_bytes());
        let top =
            Level { path: path.clone(), shown: written.as_bytes().to_vec(), indent: String::new(), rest };
        // A stack in place of recursion: a project may be deeper than a thread's stack.
        let mut levels = vec![top];
        while let Some(level) = levels.last_mut() {
            let Some(entry) = level.rest.next() else {
                levels.pop();
                continue;
            };
            if (self.stopped)() || self.out.is_full() {
                return;
            }
            let (branch, deeper) =
                if level.rest.len() == 0 { ("└── ", "    ") } else { ("├── ", "│   ") };
            let shown = below(&level.shown, entry.name.as_bytes());
            let Ok(path) = self.roots.join(&level.path, &entry.name) else { continue };
            let name = if tree.whole_paths { visible(&shown) } else { visible(entry.name.as_bytes()) };
            let target =
                (entry.stat.kind == FileKind::Symlink).then(|| self.roots.readlink(&path).ok()).flatten();
            let target = target.map_or(String::new(), |to| format!(" -> {}", visible(to.as_bytes())));
            self.out.say(format!("{}{branch}{name}{target}\n", level.indent).as_bytes());
            count(entry.stat.kind);
            let indent = format!("{}{deeper}", level.indent);
            let depth = levels.len();
            if entry.stat.kind == FileKind::Directory && tree.depth.is_none_or(|most| depth < most) {
                let rest = self.drawn(tree, filter, &path, &shown);
                levels.push(Level { path, shown, indent, rest });
            }
        }
    }

    fn drawn(
        &mut self,
        tree: &Tree,
        filter: &EntryFilter,
        path: &RootedPath,
        shown: &[u8],
    ) -> vec::IntoIter<DirEntry> {
        let mut entries = match self.roots.list(path, NAMES) {
            Ok(listing) => {
                if listing.truncated {
                    self.out.cut();
                }
                listing.entries
            }
            Err(error) => {
                self.out.complain(&format!("tree: {}: {}", String::from_utf8_lossy(shown), reason(&error)));
                self.out.status(2);
                Vec::new()
            }
        };
        let any =
            |globs: &[GlobMatcher], entry: &DirEntry| globs.iter().any(|glob| glob.is_match(&entry.name));
        entries.retain(|entry| {
            let is_folder = entry.stat.kind == FileKind::Directory;
            (tree.hidden || !entry.name.as_bytes().starts_with(b"."))
                && (is_folder || !tree.folders_only)
                && !any(&filter.without, entry)
                && (is_folder || filter.only.is_empty() || any(&filter.only, entry))
        });
        // Only what would have been drawn counts as a secret that is held back.
        entries.retain(|entry| match self.roots.join(path, &entry.name) {
            Ok(path) if entry.stat.kind != FileKind::Directory && self.is_secret(&path) => {
                self.secrets += 1;
                false
            }
            outcome => outcome.is_ok(),
        });
        if tree.folders_first {
            entries.sort_by_key(|entry| entry.stat.kind != FileKind::Directory);
        }
        entries.into_iter()
    }
}

/// With what would break the drawing written as `tree` does.
fn visible(name: &[u8]) -> String {
    let mut shown = String::new();
    for character in String::from_utf8_lossy(name).chars() {
        if character.is_control() {
            let mut bytes = [0; 4];
            character
                .encode_utf8(&mut bytes)
                .bytes()
                .for_each(|byte| shown.push_str(&format!("\\{byte:03o}")));
        } else {
            shown.push(character);
        }
    }
    shown
}
