//! `ls`: names in folders, or long lines about them.

use std::cmp::Reverse;
use std::os::unix::ffi::OsStrExt;

use clada_exec::words::{Hidden, Ls, LsOrder};
use clada_fs::{FileKind, RootedPath};

use super::item::ListedItem;
use super::long::{human, mark};
use super::owners::Owners;
use super::reading::{CommandReading, NAMES, below, reason};

impl CommandReading<'_> {
    pub(super) fn ls(&mut self, ls: &Ls, paths: &[(String, RootedPath)]) {
        let owners = if ls.long { Owners::read() } else { Owners::default() };
        let (mut files, mut folders) = (Vec::new(), Vec::new());
        for (written, path) in paths {
            match self.roots.lstat(path) {
                Ok(Some(stat)) => {
                    let stat = self.roots.to_show(path, stat);
                    let item = ListedItem { name: written.clone().into_bytes(), path: path.clone(), stat };
                    let is_folder = stat.kind == FileKind::Directory && !ls.itself;
                    if is_folder { folders.push(item) } else { files.push(item) }
                }
                Ok(None) => self.cannot_access(written, "No such file or directory"),
                Err(error) => self.cannot_access(written, reason(&error)),
            }
        }
        order(ls, &mut files);
        order(ls, &mut folders);
        self.show(ls, &files, &folders, &owners);
        let headed = paths.len() > 1 || ls.recursive;
        let mut begun = !files.is_empty();
        // What is still to be listed, the next last.
        folders.reverse();
        while let Some(folder) = folders.pop() {
            if (self.stopped)() || self.out.is_full() {
                break;
            }
            let below = self.folder(ls, &folder, headed.then_some(begun), &owners);
            begun = true;
            folders.extend(below.into_iter().rev());
        }
    }

    fn cannot_access(&mut self, written: &str, reason: &str) {
        self.out.complain(&format!("ls: cannot access '{written}': {reason}"));
        self.out.status(2);
    }

    /// Lists one folder, under its name if `headed` says whether something stands before it; the folders in
    /// it, if those are to be listed too.
    fn folder(
        &mut self,
        ls: &Ls,
        folder: &ListedItem,
        headed: Option<bool>,
        owners: &Owners,
    ) -> Vec<ListedItem> {
        let items = match self.roots.list(&folder.path, NAMES) {
            Ok(listing) => {
                if listing.truncated {
                    self.out.cut();
                }
                listing.entries
            }
            Err(error) => {
                let name = String::from_utf8_lossy(&folder.name);
                self.out.complain(&format!("ls: cannot open directory '{name}': {}", reason(&error)));
                self.out.status(if headed == Some(true) { 1 } else { 2 });
                return Vec::new();
            }
        };
        if let Some(begun) = headed {
            let gap: &[u8] = if begun { b"\n" } else { b"" };
            self.out.say(&[gap, &folder.name, b":\n"].concat());
        }
        let mut items: Vec<ListedItem> = items
            .into_iter()
            .filter(|entry| ls.hidden != Hidden::Omitted || !entry.name.as_bytes().starts_with(b"."))
            .filter_map(|entry| {
                let path = self.roots.join(&folder.path, &entry.name).ok()?;
                let stat = self.roots.to_show(&path, entry.stat);
                Some(ListedItem { name: entry.name.as_bytes().to_vec(), path, stat })
            })
            .collect();
        if ls.hidden == Hidden::All {
            items.push(ListedItem { name: b".".to_vec(), path: folder.path.clone(), stat: folder.stat });
            // What is above a root is nobody's business.
            let above = folder.path.parent().unwrap_or_else(|| folder.path.clone());
            let stat = self.roots.lstat(&above).ok().flatten().unwrap_or(folder.stat);
            items.push(ListedItem { name: b"..".to_vec(), path: above, stat });
        }
        order(ls, &mut items);
        if ls.long {
            let blocks = items.iter().filter_map(|item| item.facts(self.roots)).map(|facts| facts.blocks);
            let bytes = blocks.sum::<u64>().saturating_mul(512);
            let total = if ls.human { human(bytes) } else { bytes.div_ceil(1024).to_string() };
            self.out.say(format!("total {total}\n").as_bytes());
        }
        self.show(ls, &items, &[], owners);
        if !ls.recursive {
            return Vec::new();
        }
        items.retain(|item| {
            item.stat.kind == FileKind::Directory && !matches!(item.name.as_slice(), b"." | b"..")
        });
        items.iter_mut().for_each(|item| item.name = below(&folder.name, &item.name));
        items
    }

    /// Writes `items`, in columns that are wide enough for `others` too.
    fn show(&mut self, ls: &Ls, items: &[ListedItem], others: &[ListedItem], owners: &Owners) {
        if ls.long {
            return self.long(ls, items, others, owners);
        }
        for item in items {
            let facts = if ls.classify { item.facts(self.roots) } else { None };
            let mark = facts.map_or("", |facts| mark(ls, &facts));
            if !self.out.say(&[&item.name, mark.as_bytes(), b"\n"].concat()) {
                break;
            }
        }
    }
}

fn order(ls: &Ls, items: &mut [ListedItem]) {
    items.sort_by(|one, other| one.name.cmp(&other.name));
    match ls.order {
        LsOrder::Name => {}
        LsOrder::Size => items.sort_by_key(|item| Reverse(item.stat.size)),
        LsOrder::Time => items.sort_by_key(|item| Reverse(item.stat.mtime)),
    }
    if ls.reverse {
        items.reverse();
    }
}
