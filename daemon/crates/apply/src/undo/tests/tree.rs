//! A tree of files in memory, that is changed as an operation does it and as a plan says.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use blake3::Hash;
use clada_fs::{Identity, Metadata, Timestamp};
use clada_journal::{Change, JournalPlace, State, net, recovered};

use crate::undo::classify::Later;
use crate::undo::now::{CurrentFile, CurrentState, Now};
use crate::undo::plan::{Contents, plan};
use crate::undo::refusal::Refusal;
use crate::undo::rest::{continued, rest};
use crate::undo::step::{Reverse, StepKind};
use crate::write::Before;

/// The entry at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// A file: its number, its content, its mode. One too large to be kept has no content that is kept.
    File(u64, Vec<u8>, u32),
    Link(Vec<u8>),
    Folder(u32),
}

/// Content from here on is too large to be kept.
const LARGE: usize = 64;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Tree {
    pub(super) nodes: BTreeMap<PathBuf, Node>,
    next: u64,
}

pub(super) fn at(path: &str) -> JournalPlace {
    JournalPlace { root: "/r".into(), relative: path.into() }
}

fn time(seconds: u64) -> Timestamp {
    Timestamp { seconds: i64::try_from(seconds).unwrap(), nanoseconds: 0 }
}

impl Tree {
    pub(super) fn from_nodes(nodes: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, content) in nodes {
            match content.strip_prefix("-> ") {
                Some(target) => drop(tree.nodes.insert(path.into(), Node::Link(target.into()))),
                None if path.ends_with('/') => {
                    tree.nodes.insert(path.trim_end_matches('/').into(), Node::Folder(0o755));
                }
                None => tree.create(path, content.as_bytes(), 0o644),
            }
        }
        tree
    }

    pub(super) fn create(&mut self, path: &str, content: &[u8], mode: u32) {
        self.next += 1;
        self.nodes.insert(path.into(), Node::File(self.next, content.to_vec(), mode));
    }

    pub(super) fn state(&self, path: &str) -> State {
        match self.nodes.get(&PathBuf::from(path)) {
            None => State::Missing,
            Some(Node::Link(target)) => State::Link(target.clone()),
            Some(Node::Folder(mode)) => State::Folder(*mode),
            Some(Node::File(number, content, mode)) => {
                let found = found(*number, content, *mode);
                match found.hash {
                    Some(hash) => State::File { hash, metadata: Some(found.metadata) },
                    None => State::Large(found.identity),
                }
            }
        }
    }

    pub(super) fn parent_is_folder(&self, path: &str) -> bool {
        match PathBuf::from(path).parent() {
            Some(parent) if !parent.as_os_str().is_empty() => {
                matches!(self.nodes.get(parent), Some(Node::Folder(_)))
            }
            _ => true,
        }
    }

    pub(super) fn names(&self, folder: &std::path::Path) -> Vec<OsString> {
        let inside = self.nodes.keys().filter(|path| path.parent() == Some(folder));
        inside.filter_map(|path| path.file_name().map(ToOwned::to_owned)).collect()
    }

    /// Returns what a survey of it finds.
    pub(super) fn now(&self) -> Now {
        let mut now = Now::default();
        for (path, node) in &self.nodes {
            let place = JournalPlace { root: "/r".into(), relative: path.clone() };
            let current = match node {
                Node::Link(target) => CurrentState::Link(target.clone()),
                Node::Folder(mode) => {
                    now.entries.insert(place.clone(), self.names(path));
                    CurrentState::Folder(*mode)
                }
                Node::File(number, content, mode) => CurrentState::File(found(*number, content, *mode)),
            };
            now.states.insert(place, current);
        }
        now
    }

    /// Does what a step says, if all that it needs is there.
    pub(super) fn step(&mut self, step: &StepKind) {
        let text = |place: &JournalPlace| place.relative.to_str().unwrap().to_owned();
        match step {
            StepKind::MakeFolder { place, mode } => {
                self.free(place);
                self.nodes.insert(place.relative.clone(), Node::Folder(mode.unwrap_or(0o755)));
            }
            StepKind::FolderMode { place, before, mode } => {
                let was = self.nodes.insert(place.relative.clone(), Node::Folder(*mode));
                assert_eq!(was, Some(Node::Folder(*before)), "{place:?}");
            }
            StepKind::RemoveFolder { place } => {
                assert_eq!(self.names(&place.relative), Vec::<OsString>::new(), "{place:?} is not empty");
                assert!(matches!(self.nodes.remove(&place.relative), Some(Node::Folder(_))), "{place:?}");
            }
            StepKind::Remove { place, before } => {
                self.is(place, before);
                self.nodes.remove(&place.relative);
            }
            StepKind::Move { from, to, before } => {
                self.is(from, before);
                self.free(to);
                let node = self.nodes.remove(&from.relative).unwrap();
                self.nodes.insert(to.relative.clone(), node);
            }
            StepKind::Write { place, before, content, metadata } => {
                self.is(place, before);
                assert!(self.parent_is_folder(&text(place)), "no folder for {place:?}");
                // The executor gives the new file the mode of the one that it replaces.
                let kept = match self.nodes.get(&place.relative) {
                    Some(Node::File(_, _, mode)) => *mode,
                    _ => 0o644,
                };
                let mode = metadata.as_ref().map_or(kept, |metadata| metadata.mode);
                self.create(&text(place), content, mode);
            }
            StepKind::Link { place, target } => {
                self.free(place);
                self.nodes.insert(place.relative.clone(), Node::Link(target.clone()));
            }
        }
    }

    fn free(&self, place: &JournalPlace) {
        assert!(!self.nodes.contains_key(&place.relative), "something stands at {place:?}");
        assert!(self.parent_is_folder(place.relative.to_str().unwrap()), "no folder for {place:?}");
    }

    fn is(&self, place: &JournalPlace, before: &Before) {
        let found = match self.nodes.get(&place.relative) {
            None => Before::Missing,
            Some(Node::Link(target)) => Before::Symlink(target.clone()),
            Some(Node::Folder(_)) => panic!("{place:?} is a folder"),
            Some(Node::File(number, content, mode)) => {
                let found = found(*number, content, *mode);
                found.hash.map_or(Before::File(found.identity), Before::Content)
            }
        };
        assert_eq!(found, *before, "{place:?}");
    }

    /// As others see it: without the numbers of files.
    pub(super) fn seen(&self) -> BTreeMap<PathBuf, Node> {
        let seen = |node: &Node| match node {
            Node::File(_, content, mode) => Node::File(0, content.clone(), *mode),
            node => node.clone(),
        };
        self.nodes.iter().map(|(path, node)| (path.clone(), seen(node))).collect()
    }

    /// The numbers of its files that are too large to be kept.
    pub(super) fn large(&self) -> BTreeMap<PathBuf, u64> {
        let large = |node: &Node| match node {
            Node::File(number, content, _) if content.len() >= LARGE => Some(*number),
            _ => None,
        };
        self.nodes.iter().filter_map(|(path, node)| Some((path.clone(), large(node)?))).collect()
    }
}

fn found(number: u64, content: &[u8], mode: u32) -> CurrentFile {
    let identity =
        Identity { dev: 1, ino: number, size: content.len() as u64, mtime: time(number), ctime: time(0) };
    let hash = (content.len() < LARGE).then(|| blake3::hash(content));
    let metadata = Metadata { mode, uid: 0, gid: 0, xattrs: Vec::new() };
    CurrentFile { hash, identity, metadata, is_readable: true }
}

/// An operation that is applied to a tree and recorded.
#[derive(Debug)]
pub(super) struct Recorded {
    pub(super) tree: Tree,
    pub(super) changes: Vec<Change>,
    kept: Vec<Vec<u8>>,
}

impl Recorded {
    pub(super) fn new(tree: &Tree) -> Recorded {
        let mut recorded = Recorded { tree: tree.clone(), changes: Vec::new(), kept: Vec::new() };
        recorded.keep();
        recorded
    }

    fn keep(&mut self) {
        for node in self.tree.nodes.values() {
            if let Node::File(_, content, _) = node
                && content.len() < LARGE
            {
                self.kept.push(content.clone());
            }
        }
    }

    fn record(&mut self, path: &str, moved_from: Option<&str>, work: impl FnOnce(&mut Tree)) {
        let before = self.tree.state(path);
        work(&mut self.tree);
        let after = self.tree.state(path);
        let moved_from = moved_from.map(at);
        self.changes.push(Change { seq: self.changes.len(), place: at(path), before, after, moved_from });
        self.keep();
    }

    pub(super) fn write(&mut self, path: &str, content: &[u8], mode: u32) {
        self.record(path, None, |tree| tree.create(path, content, mode));
    }

    pub(super) fn link(&mut self, path: &str, target: &str) {
        let node = Node::Link(target.into());
        self.record(path, None, |tree| drop(tree.nodes.insert(path.into(), node)));
    }

    pub(super) fn folder(&mut self, path: &str, mode: u32) {
        self.record(path, None, |tree| drop(tree.nodes.insert(path.into(), Node::Folder(mode))));
    }

    pub(super) fn remove(&mut self, path: &str) {
        self.record(path, None, |tree| drop(tree.nodes.remove(&PathBuf::from(path))));
    }

    /// Also over what stands at `to`.
    pub(super) fn rename(&mut self, from: &str, to: &str) {
        let node = self.tree.nodes.get(&PathBuf::from(from)).cloned().unwrap();
        self.remove(from);
        self.record(to, Some(from), |tree| drop(tree.nodes.insert(to.into(), node)));
    }

    /// Plans its undo, given the current `tree`.
    pub(super) fn reverse(&self, tree: &Tree, later: Later) -> Result<Reverse, Refusal> {
        self.reverse_of(&tree.now(), tree, later)
    }

    /// The same, given what a survey of the tree finds.
    pub(super) fn reverse_of(&self, now: &Now, tree: &Tree, later: Later) -> Result<Reverse, Refusal> {
        let contents = Memory { kept: &self.kept, tree };
        plan(&net(&self.changes), now, later, &contents, ".spare")
    }

    /// Plans how the rest of it is undone after the undos `attempts`, each of which was cut off when its
    /// tree was `now`.
    pub(super) fn rest(&self, attempts: &[(Vec<Change>, Tree)], now: &Tree) -> Result<Reverse, Refusal> {
        let contents = Memory { kept: &self.kept, tree: now };
        let made = attempts.iter().flat_map(|(changes, left)| {
            let found = recovered(changes, |place| Some(left.state(place.relative.to_str().unwrap())));
            let made = changes
                .iter()
                .zip(found)
                .filter(|(_, found)| *found == clada_journal::ChangeOutcome::Applied);
            made.map(|(change, _)| change.clone()).collect::<Vec<_>>()
        });
        let continued = continued(&self.changes, &made.collect::<Vec<_>>());
        let spare = format!(".spare-again{}", attempts.len());
        plan(&rest(&net(&self.changes), &continued, &now.now()), &now.now(), Later::Refuse, &contents, &spare)
    }

    /// The same, applied.
    pub(super) fn undone(&self, tree: &Tree, later: Later) -> Result<Tree, Refusal> {
        let mut tree = tree.clone();
        for step in self.reverse(&tree, later)?.steps {
            tree.step(&step.kind);
        }
        Ok(tree)
    }
}

struct Memory<'a> {
    kept: &'a [Vec<u8>],
    tree: &'a Tree,
}

impl Contents for Memory<'_> {
    fn saved_content(&self, hash: &Hash) -> Option<Arc<[u8]>> {
        let kept = self.kept.iter().find(|content| blake3::hash(content) == *hash)?;
        Some(kept.as_slice().into())
    }

    fn current(&self, place: &JournalPlace) -> Option<Arc<[u8]>> {
        match self.tree.nodes.get(&place.relative)? {
            Node::File(_, content, _) => Some(content.as_slice().into()),
            _ => None,
        }
    }
}
