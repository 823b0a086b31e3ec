//! Files with several names (hard links): what a write to one of them does to the others.
//!
//! ```text
//! before     a.txt and lib/b.txt are one file: "one"
//! answer     a.txt: "one" -> "two"
//! plan       a.txt gets a new file, lib/b.txt becomes a name of it
//! elsewhere  with a third name outside the project, a.txt alone changes, and a warning says so
//! ```
//!
//! Nothing is ever written through a name. Looks at entries only, never at contents.

use std::collections::HashMap;
use std::path::PathBuf;

use clada_fs::{FileKind, Ignoring, RootedPath, Roots, Stat, Verdict, WalkItem, WalkOptions};
use clada_protocol::visible_line;

use super::lookup::listed;
use super::planner::Planner;
use crate::effect::Effect;
use crate::view::{FileNode, Node};
use crate::write::{Before, Write};

const ENTRIES: usize = 200_000;

impl Planner<'_> {
    /// Gives the writes of `effect` the further names of their files; a warning says what becomes of them.
    pub(super) fn link_names(&mut self, effect: &mut Effect) {
        if let Effect::WriteMoved { from, write, .. } = &*effect {
            self.warn_of_moved(from, &write.path);
        }
        for write in effect.writes_in_place().filter(|write| !write.is_unchanged()) {
            let Before::Content(_) = write.before else { continue };
            match self.view.node(&write.path) {
                // What an action before this one writes keeps the names that it got then.
                Ok(Node::File(FileNode { on_disk: None, .. })) => {
                    write.other_names = self.planned_names(write);
                }
                Ok(Node::File(FileNode { on_disk: Some((at, _)), .. })) => self.link_on_disk(write, &at),
                _ => {}
            }
        }
    }

    /// Says that a file which changes on its way from `from` to `to` leaves its further names behind.
    fn warn_of_moved(&mut self, from: &RootedPath, to: &RootedPath) {
        let Ok(Node::File(FileNode { on_disk: Some((at, _)), .. })) = self.view.node(from) else { return };
        let Ok(Some(Stat { nlink: names @ 2.., .. })) = self.view.lstat(&at) else { return };
        let [from, to] = [from, to].map(|path| visible_line(path.written()).into_owned());
        self.warn(format!(
            "'{from}' has {names} names (hard links): '{to}' gets its own file, the others keep their content"
        ));
    }

    fn link_on_disk(&mut self, write: &mut Write, at: &RootedPath) {
        let Ok(Some(stat)) = self.view.lstat(at) else { return };
        if stat.nlink < 2 {
            return;
        }
        let (path, names) = (visible_line(write.path.written()).into_owned(), stat.nlink);
        let Some(others) = self.names_on_disk(at, &stat).filter(|_| *at == write.path) else {
            return self.warn(format!(
                "'{path}' has {names} names (hard links): this one gets its own file, the others keep their content"
            ));
        };
        let relative: Vec<PathBuf> = others.iter().map(|other| other.relative().to_path_buf()).collect();
        self.warn(format!(
            "'{path}' has {names} names (hard links) and changes under all: {}",
            listed(&relative)
        ));
        for name in others.iter().chain([&write.path]) {
            let group = others.iter().chain([&write.path]).filter(|other| *other != name);
            self.hard_links.planned.insert(name.clone(), group.cloned().collect());
        }
        write.other_names = others;
    }

    /// Returns the further names of the file at `at`, if all of them are in the project, unchanged so far, and may be
    /// written.
    fn names_on_disk(&mut self, at: &RootedPath, stat: &Stat) -> Option<Vec<RootedPath>> {
        let roots = self.view.roots();
        let by_file = self.hard_links.on_disk.get_or_insert_with(|| all_names(roots));
        let names = by_file.get(&(stat.dev, stat.ino))?.clone();
        if names.len() as u64 != stat.nlink {
            return None;
        }
        let others = names.iter().filter(|relative| *relative != at.relative());
        others
            .map(|relative| {
                let path = self.view.roots().resolve_relative(relative).ok()?;
                let is_same = matches!(
                    self.view.node(&path),
                    Ok(Node::File(FileNode { on_disk: Some((other, _)), .. })) if other == path
                );
                let may = !matches!(self.view.roots().verdict_for_write(&path), Verdict::Deny(..));
                (is_same && may).then_some(path)
            })
            .collect()
    }

    fn planned_names(&mut self, write: &Write) -> Vec<RootedPath> {
        let mut names = self.hard_links.planned.get(&write.path).cloned().unwrap_or_default();
        // One that was moved or replaced since holds something else.
        names.retain(|name| match self.view.node(name) {
            Ok(Node::File(FileNode { on_disk: None, content: Some(content), .. })) => {
                write.before == Before::Content(content.hash)
            }
            _ => false,
        });
        names
    }

    /// Forgets that `path` is a name of a file with others: the entry there goes.
    pub(super) fn forget_name(&mut self, path: &RootedPath) {
        for name in self.hard_links.planned.remove(path).unwrap_or_default() {
            if let Some(names) = self.hard_links.planned.get_mut(&name) {
                names.retain(|other| other != path);
            }
        }
    }
}

/// Returns the names of all files that have several, ignored ones included; of a project that is too large, only those
/// that were found, so that some file lacks a name.
fn all_names(roots: &Roots) -> HashMap<(u64, u64), Vec<PathBuf>> {
    let mut names: HashMap<(u64, u64), Vec<PathBuf>> = HashMap::new();
    let ignoring = Ignoring::Nothing;
    let options = WalkOptions { max_entries: ENTRIES, ignoring, ..WalkOptions::default() };
    let walk = roots.root(0).and_then(|root| roots.walk(&root, options).ok());
    for item in walk.into_iter().flatten() {
        if let WalkItem::Entry { path, stat } = item
            && (stat.kind, stat.nlink > 1) == (FileKind::File, true)
        {
            names.entry((stat.dev, stat.ino)).or_default().push(path.relative().to_path_buf());
        }
    }
    names
}
