//! Plans of the commands that need no program: changes of the same kind as those of any action, and looks.
//!
//! What a command means comes settled from `exec::words`. A command that changes several things is a row of
//! changes, each planned over what those before it will have done; one that cannot be planned whole is not
//! done at all.

use std::collections::HashSet;
use std::ffi::OsStr;

use clada_edit::Mode;
use clada_exec::words::{BuiltIn, Transfer};
use clada_fs::{FileKind, RootedPath};
use clada_protocol::ErrorKind;
use clada_schema::{IfExists, Terms};

use super::planner::Planner;
use super::refusals::not_a_file;
use super::rewrite::new_file;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::view::Node;

const CHANGES: usize = 10_000;

impl Planner<'_> {
    pub(super) fn built_in(
        &mut self,
        command: &BuiltIn,
        folder: &RootedPath,
        step: &Step,
    ) -> Result<Effect, Failure> {
        if let BuiltIn::ReadOnly(look) = command {
            return self.read_only_command(look, folder);
        }
        let mark = self.view.mark();
        let mut row = BuiltinChanges { effects: Vec::new(), changed: HashSet::new(), folder, step };
        let planned = self.row(command, &mut row);
        // The whole row is laid over the files once it is accepted.
        self.view.take_back(mark);
        planned.map(|()| Effect::Steps(row.effects))
    }

    fn row(&mut self, command: &BuiltIn, row: &mut BuiltinChanges<'_>) -> Result<(), Failure> {
        match command {
            BuiltIn::Mv(transfer) => {
                self.transfer(transfer, row, |planner, row, from, to| planner.move_one(row, from, to))
            }
            BuiltIn::Cp { transfer, recursive } => self.transfer(transfer, row, |planner, row, from, to| {
                planner.copy_one(row, from, to, *recursive)
            }),
            BuiltIn::Rm { paths, recursive, force } => paths.iter().try_for_each(|path| {
                let path = self.path_in(row.folder, path)?;
                self.remove_one(row, &path, *recursive, *force)
            }),
            BuiltIn::Mkdir { paths, parents } => paths.iter().try_for_each(|path| {
                let path = self.path_in(row.folder, path)?;
                self.make_folder(row, &path, *parents)
            }),
            BuiltIn::Touch { paths, only_existing } => paths.iter().try_for_each(|path| {
                let path = self.path_in(row.folder, path)?;
                match self.view.node(&path)? {
                    Node::Missing if *only_existing => Ok(()),
                    Node::Missing => {
                        self.require_parent(&path)?;
                        let effect = self.file_write(path.written(), "", Terms::default())?;
                        self.add(row, effect)
                    }
                    // The time of a file is no content: there is nothing to do, and nothing to undo.
                    Node::File(_) | Node::Folder => Ok(()),
                    node => Err(not_a_file(&node, &path)),
                }
            }),
            BuiltIn::ReadOnly(_) => Ok(()),
        }
    }

    /// Adds a change to the row; what comes after it sees it.
    fn add(&mut self, row: &mut BuiltinChanges<'_>, effect: Effect) -> Result<(), Failure> {
        if row.effects.len() >= CHANGES {
            let message = format!("The command means more than {CHANGES} changes (LIMIT_EXCEEDED)");
            return Err(Failure::with_message(ErrorKind::LimitExceeded, message)
                .hint("work on fewer files at a time"));
        }
        // Each path is changed once: what stood there before it is what undo brings back.
        for path in effect.paths() {
            if !row.changed.insert(path.clone()) {
                let issue = "The command would change the same path twice:";
                return Err(Failure::at(ErrorKind::InvalidValue, issue, path.written(), "INVALID_VALUE")
                    .hint("name each file once, and files of the same name in separate commands"));
            }
        }
        self.lay(&effect);
        row.effects.push(effect);
        Ok(())
    }

    /// Does `one` for each source and where it goes: into the target if that is a folder.
    fn transfer(
        &mut self,
        transfer: &Transfer,
        row: &mut BuiltinChanges<'_>,
        mut one: impl FnMut(&mut Self, &mut BuiltinChanges<'_>, &RootedPath, &RootedPath) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let paths = transfer.sources.iter().map(|source| self.path_in(row.folder, source));
        let sources = paths.collect::<Result<Vec<_>, _>>()?;
        let target = self.path_in(row.folder, &transfer.target)?;
        let node = self.view.node(&target)?;
        let into = matches!(node, Node::Folder);
        // Everybody else's mv and cp would go into the folder behind the link, not replace the link.
        if matches!(node, Node::Symlink { .. }) && self.on_disk(&target).is_dir() {
            return Err(not_a_file(&node, &target));
        }
        if !into && (transfer.sources.len() > 1 || transfer.target.ends_with('/')) {
            return Err(Failure::at(ErrorKind::NotDirectory, "Not a directory", target.written(), "ENOTDIR"));
        }
        for from in sources {
            if from.is_root() {
                return Err(root_stays(&from));
            }
            let to = if into { self.within(&target, from.file_name())? } else { target.clone() };
            if !transfer.replace && !matches!(self.view.node(&to)?, Node::Missing) {
                // As asked for: what is there stays.
                continue;
            }
            self.require_parent(&to)?;
            if from == to || to.starts_with(&from) {
                let issue = "A file or folder cannot go into itself:";
                return Err(Failure::at(ErrorKind::InvalidValue, issue, from.written(), "INVALID_VALUE"));
            }
            one(self, row, &from, &to)?;
        }
        Ok(())
    }

    fn move_one(
        &mut self,
        row: &mut BuiltinChanges<'_>,
        from: &RootedPath,
        to: &RootedPath,
    ) -> Result<(), Failure> {
        if !matches!(self.view.node(from)?, Node::Folder) {
            let effect = self.file_move(from.written(), to.written(), IfExists::Replace)?;
            return self.add(row, effect);
        }
        if !matches!(self.view.node(to)?, Node::Missing) {
            return Err(Failure::at(ErrorKind::FileExists, "Target already exists", to.written(), "EEXIST")
                .hint("move what is in the folder, or remove the target first"));
        }
        let effect = self.dir_create(to.written())?;
        self.add(row, effect)?;
        for name in self.names_in(from)? {
            let (from, to) = (self.within(from, Some(&name))?, self.within(to, Some(&name))?);
            self.move_one(row, &from, &to)?;
        }
        self.add(row, Effect::RemoveFolder(from.clone()))
    }

    fn copy_one(
        &mut self,
        row: &mut BuiltinChanges<'_>,
        from: &RootedPath,
        to: &RootedPath,
        recursive: bool,
    ) -> Result<(), Failure> {
        self.refuse_secret(from)?;
        match self.view.node(from)? {
            Node::File(file) => {
                let content = self.view.content(from, &file, self.rules.max_file_size)?;
                let executable = Some(file.mode == Mode::Executable);
                let parents = self.view.missing_parents(to)?;
                let write = match self.view.node(to)? {
                    Node::Missing => new_file(to.clone(), content.bytes, executable, parents),
                    Node::File(there) => {
                        let rewrite = self.rewrite(to, &there)?;
                        rewrite.replaced(content.bytes).over(to.clone(), parents)?
                    }
                    node => return Err(not_a_file(&node, to)),
                };
                self.add(row, Effect::Write(write))
            }
            Node::Folder if recursive => {
                // A folder that is there already is copied into, as cp does.
                if !matches!(self.view.node(to)?, Node::Folder) {
                    let effect = self.dir_create(to.written())?;
                    self.add(row, effect)?;
                }
                for name in self.names_in(from)? {
                    let (from, to) = (self.within(from, Some(&name))?, self.within(to, Some(&name))?);
                    self.copy_one(row, &from, &to, recursive)?;
                }
                Ok(())
            }
            node @ Node::Folder => Err(not_a_file(&node, from).hint("cp -r copies a folder with all in it")),
            node => Err(not_a_file(&node, from)),
        }
    }

    fn remove_one(
        &mut self,
        row: &mut BuiltinChanges<'_>,
        path: &RootedPath,
        recursive: bool,
        force: bool,
    ) -> Result<(), Failure> {
        if path.is_root() {
            return Err(root_stays(path));
        }
        match self.view.node(path)? {
            Node::Missing if force => Ok(()),
            Node::Folder if recursive => {
                for name in self.names_in(path)? {
                    let path = self.within(path, Some(&name))?;
                    self.remove_one(row, &path, recursive, force)?;
                }
                self.add(row, Effect::RemoveFolder(path.clone()))
            }
            node @ Node::Folder => Err(not_a_file(&node, path).hint("rm -r removes a folder with all in it")),
            _ => {
                let effect = self.file_delete(path.written(), row.step)?;
                self.add(row, effect)
            }
        }
    }

    fn make_folder(
        &mut self,
        row: &mut BuiltinChanges<'_>,
        path: &RootedPath,
        parents: bool,
    ) -> Result<(), Failure> {
        if !parents {
            self.require_parent(path)?;
            if !matches!(self.view.node(path)?, Node::Missing) {
                let issue = "Something already exists there";
                return Err(Failure::at(ErrorKind::FileExists, issue, path.written(), "EEXIST"));
            }
        }
        let effect = self.dir_create(path.written())?;
        if effect.is_unchanged() { Ok(()) } else { self.add(row, effect) }
    }

    fn require_parent(&mut self, path: &RootedPath) -> Result<(), Failure> {
        match self.view.missing_parents(path)?.first() {
            None => Ok(()),
            Some(missing) => {
                let issue = "Directory not found";
                Err(Failure::at(ErrorKind::FileNotFound, issue, missing.written(), "ENOENT")
                    .hint("mkdir -p makes it"))
            }
        }
    }

    fn within(&self, folder: &RootedPath, name: Option<&OsStr>) -> Result<RootedPath, Failure> {
        Ok(self.view.roots().join(folder, name.unwrap_or_default())?)
    }

    // What actions before write beneath it has to be done first.
    fn names_in(&self, folder: &RootedPath) -> Result<Vec<std::ffi::OsString>, Failure> {
        if self.view.planned_files().any(|path| path.starts_with(folder) && path != folder) {
            let issue = "An action before this one changes something in";
            return Err(Failure::at(ErrorKind::NotAvailable, issue, folder.written(), "NOT_PLANNABLE")
                .hint("this can be applied, but not planned: the content of the folder is not known yet"));
        }
        let listing = self.view.list(folder, CHANGES)?;
        if listing.truncated {
            let issue = format!("More than {CHANGES} entries in");
            return Err(Failure::at(ErrorKind::LimitExceeded, &issue, folder.written(), "LIMIT_EXCEEDED"));
        }
        let special = listing.entries.iter().find(|entry| entry.stat.kind == FileKind::Special);
        if let Some(entry) = special {
            let name = entry.name.to_string_lossy().into_owned();
            let issue = format!("'{name}' is not a file, folder or link in");
            return Err(Failure::at(ErrorKind::NotRegularFile, &issue, folder.written(), "EINVAL"));
        }
        let mut names = Vec::with_capacity(listing.entries.len());
        for entry in listing.entries {
            if !self.view.is_removed(&self.within(folder, Some(&entry.name))?) {
                names.push(entry.name);
            }
        }
        Ok(names)
    }
}

struct BuiltinChanges<'r> {
    effects: Vec<Effect>,
    changed: HashSet<RootedPath>,
    folder: &'r RootedPath,
    step: &'r Step,
}

fn root_stays(path: &RootedPath) -> Failure {
    let issue = "The project's root is never moved, copied or removed";
    Failure::at(ErrorKind::PathDenied, issue, path.written(), "PATH_DENIED")
}
