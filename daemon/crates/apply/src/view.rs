//! The files as they will be: what is on disk, with what earlier actions will have done laid over it.
//!
//! Reads through `fs`, never writes. What was seen on disk is remembered, so that one plan sees one state and
//! its executor knows what it was made for.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::sync::Arc;

use blake3::Hash;
use clada_edit::Mode;
use clada_fs::{FileKind, FsError, Identity, Listing, RootedPath, Roots, Stat, Verdict};
use clada_protocol::ErrorKind;

use crate::failure::{self, Failure};
use crate::reads::{ReadSource, Reads, entry, names};
use crate::write::{Before, Write};

#[derive(Debug, Clone)]
pub(crate) enum Node {
    Missing,
    File(FileNode),
    Folder,
    Symlink { target: Vec<u8> },
    Special,
}

/// A regular file, perhaps not read yet.
#[derive(Debug, Clone)]
pub(crate) struct FileNode {
    /// Bytes.
    pub size: u64,
    /// Its content, once it is known.
    pub content: Option<Content>,
    /// Its mode: executable by its owner, or not.
    pub mode: Mode,
    /// Its path and identity on disk, if it is there unchanged.
    pub on_disk: Option<(RootedPath, Identity)>,
    /// Whether its content is one that was planned, and neither the disk's nor an editor's.
    is_written: bool,
}

#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// The bytes.
    pub bytes: Arc<[u8]>,
    /// BLAKE3 of them.
    pub hash: Hash,
}

impl Content {
    pub(crate) fn new(bytes: Vec<u8>) -> Content {
        Content { hash: blake3::hash(&bytes), bytes: bytes.into() }
    }
}

/// The state of the files, as planned so far.
#[derive(Debug)]
pub struct View<'r> {
    roots: &'r Roots,
    nodes: HashMap<RootedPath, Node>,
    buffers: HashSet<RootedPath>,
    /// The last file read and not changed, so that many edits of one file read it once.
    last_read: Option<(RootedPath, Content)>,
    folders_changed: bool,
    reads: RefCell<Reads>,
    /// While there are marks: what stood at each path before it was changed, in order.
    replaced: Vec<(RootedPath, Option<Node>)>,
    marks: usize,
}

/// A state to which a view can be undone. Marks are settled in the opposite order in which they were set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    replaced: usize,
    folders_changed: bool,
}

impl<'r> View<'r> {
    /// The files as they are now.
    pub fn new(roots: &'r Roots) -> View<'r> {
        View {
            roots,
            nodes: HashMap::new(),
            buffers: HashSet::new(),
            last_read: None,
            folders_changed: false,
            reads: RefCell::default(),
            replaced: Vec::new(),
            marks: 0,
        }
    }

    pub(crate) fn reads(&self) -> &RefCell<Reads> {
        &self.reads
    }

    pub(crate) fn has_buffers(&self, buffers: &[(RootedPath, Content)]) -> bool {
        let has = |(path, text): &(RootedPath, Content)| {
            let node = self.nodes.get(path).filter(|_| self.buffers.contains(path));
            matches!(node, Some(Node::File(FileNode { content: Some(content), .. })) if content.hash == text.hash)
        };
        self.buffers.len() == buffers.len() && buffers.iter().all(has)
    }

    /// Returns the files as they are now, with the same texts of editors.
    pub(crate) fn anew(&self) -> View<'r> {
        let mut view = View::new(self.roots);
        for path in &self.buffers {
            view.nodes.extend(self.nodes.get(path).map(|node| (path.clone(), node.clone())));
        }
        view.buffers.clone_from(&self.buffers);
        view
    }

    pub(crate) fn mark(&mut self) -> Mark {
        self.marks += 1;
        Mark { replaced: self.replaced.len(), folders_changed: self.folders_changed }
    }

    /// Keeps what has been laid over the files since `mark`.
    pub(crate) fn keep(&mut self, _mark: Mark) {
        self.marks -= 1;
        if self.marks == 0 {
            self.replaced.clear();
        }
    }

    /// Undoes what has been laid over the files since `mark`.
    pub(crate) fn take_back(&mut self, mark: Mark) {
        let Mark { replaced, folders_changed } = mark;
        while self.replaced.len() > replaced
            && let Some((path, node)) = self.replaced.pop()
        {
            match node {
                Some(node) => drop(self.nodes.insert(path, node)),
                None => drop(self.nodes.remove(&path)),
            }
        }
        self.folders_changed = folders_changed;
        self.marks -= 1;
    }

    fn lay(&mut self, path: RootedPath, node: Node) {
        if self.marks == 0 {
            drop(self.nodes.insert(path, node));
        } else {
            let before = self.nodes.insert(path.clone(), node);
            self.replaced.push((path, before));
        }
    }

    pub(crate) fn lay_buffer(&mut self, path: RootedPath, text: Content) {
        let mode = match self.on_disk(&path) {
            Ok(Node::File(file)) => file.mode,
            _ => Mode::Regular,
        };
        self.buffers.insert(path.clone());
        self.nodes.insert(path, Node::File(FileNode::from_content(text, mode, false)));
    }

    pub(crate) fn roots(&self) -> &'r Roots {
        self.roots
    }

    pub(crate) fn planned_files(&self) -> impl Iterator<Item = &RootedPath> {
        self.nodes.iter().filter(|(_, node)| matches!(node, Node::File(_))).map(|(path, _)| path)
    }

    pub(crate) fn is_secret(&self, path: &RootedPath) -> bool {
        matches!(self.roots.verdict_for_read(path), Verdict::Deny(..))
    }

    /// Refuses `path` if the file that is there on disk is a secret with which nothing may be done. What it
    /// holds makes no difference, nor what is planned for it.
    pub(crate) fn refuse_sealed(&self, path: &RootedPath) -> Result<(), Failure> {
        failure::refuse_sealed(self.roots, path)
    }

    pub(crate) fn node(&mut self, path: &RootedPath) -> Result<Node, Failure> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node.clone());
        }
        if self.folders_changed
            && let Some(node) = self.beneath_changed(path)?
        {
            return Ok(node);
        }
        self.on_disk(path)
    }

    /// Returns what a changed folder above `path` says about it: created or removed ones hold nothing that is
    /// not planned.
    fn beneath_changed(&self, path: &RootedPath) -> Result<Option<Node>, Failure> {
        let mut above = path.parent();
        while let Some(folder) = above {
            match self.nodes.get(&folder) {
                Some(Node::Missing | Node::Folder) => return Ok(Some(Node::Missing)),
                Some(Node::File(_) | Node::Special) => return Err(not_a_folder(path)),
                Some(Node::Symlink { .. }) => return Err(link_on_the_way(path)),
                None => above = folder.parent(),
            }
        }
        Ok(None)
    }

    /// Returns true if nothing is at `path` only because it is planned to go.
    pub(crate) fn was_there(&mut self, path: &RootedPath) -> bool {
        matches!(self.node(path), Ok(Node::Missing))
            && !matches!(self.on_disk(path), Ok(Node::Missing) | Err(_))
    }

    /// Returns true if the content of the file at `path` is one that was planned, and not an editor's.
    pub(crate) fn is_rewritten(&self, path: &RootedPath) -> bool {
        matches!(self.nodes.get(path), Some(Node::File(file)) if file.is_written)
    }

    /// Returns true if an action before has removed what is at `path`, or moved it away.
    pub(crate) fn is_removed(&self, path: &RootedPath) -> bool {
        matches!(self.nodes.get(path), Some(Node::Missing))
    }

    /// Returns true if there will be a file at `path`, where nothing is now.
    pub(crate) fn will_be_new(&self, path: &RootedPath) -> bool {
        matches!(self.nodes.get(path), Some(Node::File(_))) && matches!(self.on_disk(path), Ok(Node::Missing))
    }

    pub(crate) fn lstat(&self, path: &RootedPath) -> Result<Option<Stat>, FsError> {
        let stat = self.roots.lstat(path);
        self.reads.borrow_mut().note(ReadSource::Entry(path.clone()), entry(self.roots, path, &stat));
        stat
    }

    pub(crate) fn list(&self, path: &RootedPath, limit: usize) -> Result<Listing, FsError> {
        let listing = self.roots.list(path, limit);
        self.reads.borrow_mut().note(ReadSource::Names(path.clone(), limit), names(&listing));
        listing
    }

    fn on_disk(&self, path: &RootedPath) -> Result<Node, Failure> {
        let Some(stat) = self.lstat(path)? else { return Ok(Node::Missing) };
        Ok(match stat.kind {
            FileKind::File => Node::File(FileNode {
                size: stat.size,
                content: None,
                mode: if stat.mode & 0o100 == 0 { Mode::Regular } else { Mode::Executable },
                on_disk: Some((path.clone(), stat.identity())),
                is_written: false,
            }),
            FileKind::Directory => Node::Folder,
            FileKind::Symlink => Node::Symlink { target: self.roots.readlink(path)?.into_vec() },
            FileKind::Special => Node::Special,
        })
    }

    pub(crate) fn content(
        &mut self,
        path: &RootedPath,
        file: &FileNode,
        limit: usize,
    ) -> Result<Content, Failure> {
        self.refuse_sealed(path)?;
        if let Some((at, _)) = &file.on_disk {
            self.refuse_sealed(at)?;
        }
        if file.size > limit as u64 {
            return Err(too_large(path, file.size, limit));
        }
        if let Some(content) = &file.content {
            return Ok(content.clone());
        }
        let Some((at, _)) = &file.on_disk else { return Err(vanished(path)) };
        if let Some((last, content)) = &self.last_read
            && last == at
        {
            return Ok(content.clone());
        }
        let bytes = self.roots.read(at, limit as u64)?.bytes;
        let content = Content::new(bytes);
        self.reads.borrow_mut().note(ReadSource::Content(at.clone()), content.hash);
        self.last_read = Some((at.clone(), content.clone()));
        Ok(content)
    }

    /// Returns the state that `path` must have for a change that replaces or removes `node`: its content if
    /// that is at most `limit` bytes, else the untouched file.
    pub(crate) fn before(&mut self, path: &RootedPath, node: &Node, limit: usize) -> Result<Before, Failure> {
        self.refuse_sealed(path)?;
        let before = match node {
            Node::File(file) if file.size > limit as u64 => match &file.on_disk {
                Some((_, identity)) => Before::File(*identity),
                None => return Err(too_large(path, file.size, limit)),
            },
            Node::File(file) => Before::Content(self.content(path, file, limit)?.hash),
            Node::Symlink { target } => Before::Symlink(target.clone()),
            Node::Missing | Node::Folder | Node::Special => Before::Missing,
        };
        Ok(before)
    }

    /// The folders that must be created so that `path` can exist, outermost first.
    pub(crate) fn missing_parents(&mut self, path: &RootedPath) -> Result<Vec<RootedPath>, Failure> {
        let mut missing = Vec::new();
        let mut above = path.parent();
        while let Some(folder) = above {
            if folder.is_root() {
                break;
            }
            match self.node(&folder)? {
                Node::Folder => break,
                Node::Missing => above = folder.parent(),
                Node::File(_) | Node::Special => return Err(not_a_folder(path)),
                Node::Symlink { .. } => return Err(link_on_the_way(path)),
            }
            missing.push(folder);
        }
        missing.reverse();
        Ok(missing)
    }

    /// A name in the folder at `path`, if it holds anything.
    pub(crate) fn first_entry(&mut self, path: &RootedPath) -> Result<Option<String>, Failure> {
        let planned = self.nodes.iter().find(|(at, node)| {
            !matches!(node, Node::Missing) && at.parent().is_some_and(|folder| folder == *path)
        });
        if let Some((at, _)) = planned {
            return Ok(at.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        if self.lstat(path)?.is_none() {
            return Ok(None);
        }
        let removed = self.nodes.iter().filter(|(at, node)| {
            matches!(node, Node::Missing) && at.parent().is_some_and(|folder| folder == *path)
        });
        // One more than what is planned to go is enough to know.
        let listing = self.list(path, removed.count() + 1)?;
        let stays = |name: &OsString| {
            let node = self.roots.join(path, name).ok().and_then(|at| self.nodes.get(&at));
            !matches!(node, Some(Node::Missing))
        };
        let names = listing.entries.into_iter().map(|entry| entry.name);
        Ok(names.filter(stays).map(|name| name.to_string_lossy().into_owned()).next())
    }

    pub(crate) fn write(&mut self, write: &Write) {
        self.create_folders(&write.parents);
        let content = Content { bytes: write.content(), hash: write.new_hash };
        for path in write.paths() {
            self.lay(path.clone(), Node::File(FileNode::from_content(content.clone(), write.mode, true)));
        }
    }

    pub(crate) fn create_folders(&mut self, folders: &[RootedPath]) {
        for folder in folders {
            self.folders_changed = true;
            self.lay(folder.clone(), Node::Folder);
        }
    }

    pub(crate) fn remove(&mut self, path: &RootedPath) {
        self.folders_changed |= matches!(self.nodes.get(path), Some(Node::Folder));
        self.lay(path.clone(), Node::Missing);
    }

    /// Lays the planned removal of a folder, or of a link that may stand for one, over the files.
    pub(crate) fn remove_folder(&mut self, path: &RootedPath) {
        self.folders_changed = true;
        self.lay(path.clone(), Node::Missing);
    }

    pub(crate) fn rename(&mut self, from: &RootedPath, node: Node, to: &RootedPath, parents: &[RootedPath]) {
        self.create_folders(parents);
        self.folders_changed |= matches!(node, Node::Symlink { .. });
        self.lay(from.clone(), Node::Missing);
        self.lay(to.clone(), node);
    }
}

impl FileNode {
    fn from_content(content: Content, mode: Mode, is_written: bool) -> FileNode {
        FileNode { size: content.bytes.len() as u64, content: Some(content), mode, on_disk: None, is_written }
    }
}

pub(crate) fn too_large(path: &RootedPath, size: u64, limit: usize) -> Failure {
    let issue = format!("File of {size} bytes exceeds limits.max_file_size of {limit} bytes");
    Failure::at(ErrorKind::LimitExceeded, &issue, path.written(), "LIMIT_EXCEEDED")
}

fn not_a_folder(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::NotDirectory, "Part of the path is not a directory", path.written(), "ENOTDIR")
}

fn link_on_the_way(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::SymlinkNotAllowed, "A symbolic link is not followed", path.written(), "ELOOP")
}

fn vanished(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::Conflict, "File changed while it was being planned", path.written(), "CONFLICT")
}
