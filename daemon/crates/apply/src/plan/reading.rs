//! Plans of programs that only read: what they are kept to, and what they are told not to show.
//!
//! The sandbox keeps such a program from changing anything, but it can read whatever is there. So each of its
//! paths has to be one that an answer may read, without a link on the way, and what lies below them and is
//! held back is left out.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use clada_exec::words::{ReadOnly, Withheld};
use clada_exec::{Access, Network, Sandbox, find_beyond};
use clada_fs::{Ignoring, RootedPath, WalkItem, WalkOptions};
use clada_git::Located;
use clada_protocol::ErrorKind;

use super::commands::not_found;
use super::pathspecs::leaving_out;
use super::planner::Planner;
use super::refusals::not_a_file;
use crate::command::{Commands, GitRead, PlannedCommand, READING_TIME};
use crate::failure::Failure;
use crate::view::Node;

const ENTRIES: usize = 200_000;
const NAMES: usize = 1_000;

impl Planner<'_> {
    /// Returns what `reading` is given of git's, if it is git; fails with the reason if the user has to be
    /// asked about it after all.
    pub(super) fn kept_to_reading(
        &self,
        reading: &ReadOnly,
        folder: &RootedPath,
        sandbox: Sandbox,
    ) -> Result<Option<GitRead>, String> {
        if sandbox == Sandbox::None {
            return Err("it only reads, but there is no sandbox to keep it to that".to_owned());
        }
        let root = self.view.roots().paths().nth(folder.root()).filter(|_| reading.program == "git");
        let Some(root) = root else { return Ok(None) };
        let repository = Located::find(&self.on_disk(folder), root)
            .map_err(|unfit| format!("it only reads, but {unfit}"))?;
        let is_repository = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
        if repository.is_none() && root.ancestors().skip(1).any(is_repository) {
            return Err("it reads a repository that holds more than the project".to_owned());
        }
        Ok(Some(GitRead { root: root.to_path_buf(), repository }))
    }

    /// A program that only reads, in a sandbox that keeps it to that.
    pub(super) fn reading(
        &mut self,
        text: &str,
        reading: &ReadOnly,
        folder: &RootedPath,
        sandbox: Sandbox,
        commands: &Commands,
    ) -> Result<PlannedCommand, Failure> {
        let mut below = Vec::new();
        for written in &reading.paths {
            let path = self.path_in(folder, written)?;
            self.refuse_secret(&path)?;
            // In a revision it is a path from the top.
            if let Some(top) = self.view.roots().resolve(written).ok().filter(|_| reading.program == "git") {
                self.refuse_secret(&top)?;
            }
            let node = self.read_without_links(reading, folder, written)?;
            if matches!(node, Some(Node::Special)) && matches!(reading.program, "diff" | "xxd") {
                let issue = "Not a regular file";
                let kind = ErrorKind::NotRegularFile;
                return Err(Failure::at(kind, issue, path.written(), "NOT_REGULAR_FILE"));
            }
            below.push((path, matches!(node, Some(Node::Folder))));
        }
        let own: Vec<PathBuf> = self.view.roots().paths().map(Path::to_path_buf).collect();
        let program = find_beyond(reading.program, commands.path(), &own)
            .ok_or_else(|| not_found(reading.program, commands.path()))?;
        let mut command = PlannedCommand::new(commands, sandbox, program, self.on_disk(folder));
        command.text = text.to_owned();
        let arguments = reading.arguments.iter().map(OsString::from);
        command.spec.arguments = match reading.withheld {
            Withheld::Nothing => arguments.collect(),
            Withheld::BelowFolders => self.names_left_out(&below)?.into_iter().chain(arguments).collect(),
            Withheld::OfRepository => {
                self.find_rules_of_folders(folder);
                let root = self.view.roots().paths().nth(folder.root()).unwrap_or(Path::new("/"));
                let left_out = leaving_out(self.view.roots().policy(), root)?;
                arguments.chain(left_out.into_iter().map(OsString::from)).collect()
            }
        };
        let environment = &mut command.spec.environment;
        // What the user has set for git may name programs, and another repository.
        environment.retain(|(name, _)| !name.as_bytes().starts_with(b"GIT_"));
        for (name, value) in &reading.environment {
            environment.retain(|(known, _)| known != name);
            environment.push((name.into(), value.into()));
        }
        command.spec.bounds.time = READING_TIME;
        if let Some(enclosure) = &mut command.spec.enclosure {
            enclosure.access = Access::Read;
            enclosure.network = Network::Off;
        }
        Ok(command)
    }

    /// Has the policy find the rules of all folders in the root of `folder`: a walk asks for those of each file.
    fn find_rules_of_folders(&self, folder: &RootedPath) {
        let root = self.view.roots().root(folder.root());
        let walk = root.and_then(|root| self.view.roots().walk(&root, WalkOptions::default()).ok());
        walk.into_iter().flatten().for_each(drop);
    }

    /// Returns the entry at a path that a program is handed as it is written, with every link on the way
    /// refused, since the program would follow it.
    fn read_without_links(
        &mut self,
        reading: &ReadOnly,
        folder: &RootedPath,
        written: &str,
    ) -> Result<Option<Node>, Failure> {
        let mut before = PathBuf::new();
        let mut parts = Path::new(written).components().peekable();
        // A slash at the end, or a dot, asks for what a link leads to.
        let mut as_folder = written.ends_with('/') || written.ends_with("/.");
        let mut last = None;
        while let Some(part) = parts.next() {
            before.push(part);
            // What is before `..` has to be no link: names alone would say something else than the system.
            let looked = parts.peek().is_none_or(|next| *next == Component::ParentDir);
            if !looked || part == Component::ParentDir && parts.peek().is_some() {
                continue;
            }
            as_folder |= parts.peek().is_some();
            let path = self.path_in(folder, &before.to_string_lossy())?;
            last = match self.view.node(&path) {
                Ok(node @ Node::Symlink { .. }) if as_folder || !reads_links_as_such(reading) => {
                    return Err(not_a_file(&node, &path));
                }
                Ok(node) => Some(node),
                Err(failure) if failure.kind == ErrorKind::SymlinkNotAllowed => return Err(failure),
                // A revision need not make sense as a path; of a path the program says what is wrong.
                Err(_) => None,
            };
        }
        Ok(last)
    }

    /// Flags that keep a `diff` of `paths`, which are folders or not, from what is held back below them.
    fn names_left_out(&mut self, paths: &[(RootedPath, bool)]) -> Result<Vec<OsString>, Failure> {
        let mut names: Vec<OsString> = Vec::new();
        for (path, _) in paths.iter().filter(|(_, is_folder)| *is_folder) {
            // A file is compared with that of the same name in a folder.
            for (file, _) in paths.iter().filter(|(_, is_folder)| !is_folder) {
                let beside = self.view.roots().join(path, file.file_name().unwrap_or_default())?;
                self.refuse_secret(&beside)?;
                if let node @ Node::Symlink { .. } = self.view.node(&beside)? {
                    return Err(not_a_file(&node, &beside));
                }
            }
            let options =
                WalkOptions { ignoring: Ignoring::Nothing, max_entries: ENTRIES, ..WalkOptions::default() };
            for item in self.view.roots().walk(path, options)? {
                match item {
                    WalkItem::Withheld { path, .. } => names.extend(path.file_name().map(OsStr::to_owned)),
                    WalkItem::Entry { path, stat } if self.view.roots().seals_file(&stat) => {
                        names.extend(path.file_name().map(OsStr::to_owned));
                    }
                    WalkItem::Truncated => return Err(too_much(path)),
                    _ => {}
                }
            }
            names.extend([".git", ".clada"].map(OsString::from));
        }
        names.sort();
        names.dedup();
        if let Some((path, _)) = paths.first().filter(|_| names.len() > NAMES) {
            return Err(too_much(path));
        }
        Ok(names.iter().flat_map(|name| [OsString::from("-x"), literally(name)]).collect())
    }
}

/// Returns true if a program takes a link for what it is, and does not follow it.
fn reads_links_as_such(reading: &ReadOnly) -> bool {
    matches!(reading.program, "git" | "file")
}

/// A name as a glob that means just it.
fn literally(name: &OsStr) -> OsString {
    let special = |byte: &u8| matches!(byte, b'*' | b'?' | b'[' | b']' | b'\\');
    let escaped = name.as_bytes().iter().flat_map(|byte| {
        let escape = special(byte).then_some(b'\\');
        escape.into_iter().chain(std::iter::once(*byte))
    });
    OsString::from_vec(escaped.collect())
}

fn too_much(path: &RootedPath) -> Failure {
    let issue = "Too much lies below the folder to know what of it may be shown:";
    Failure::at(ErrorKind::LimitExceeded, issue, path.written(), "LIMIT_EXCEEDED")
        .hint("compare two files, or smaller folders")
}
