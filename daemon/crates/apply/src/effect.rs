//! The effect of an action, as data.
//!
//! Knows paths and bytes, not how they come to disk.

use std::path::PathBuf;
use std::sync::Arc;

use clada_exec::words;
use clada_fs::RootedPath;

use crate::command::PlannedCommand;
use crate::context::ContextChange;
use crate::failure::Failure;
use crate::write::{Before, Restore, Write};

/// The effect of an action.
#[derive(Debug, Clone)]
pub enum Effect {
    /// A file's content changes, or it is created.
    Write(Write),
    /// Several files change, each on its own: what each reports.
    Several(Vec<Result<Write, (RootedPath, Failure)>>),
    /// A file goes elsewhere, and its content changes on the way. Never less than one of the two is there.
    WriteMoved {
        /// From here.
        from: RootedPath,
        /// The state that must be there.
        before: Before,
        /// The write where it goes; its old text is the one that the file had.
        write: Write,
    },
    /// A file or link goes.
    Delete {
        /// Its path.
        path: RootedPath,
        /// The state that must be there.
        before: Before,
        /// Its text, if it is at hand: for diffs.
        old: Option<Arc<[u8]>>,
    },
    /// A file or link moves.
    Move {
        /// From here.
        from: RootedPath,
        /// The state that must be there.
        before: Before,
        /// To there.
        to: RootedPath,
        /// The state that must be at the target.
        replaced: Before,
        /// The text that moves, if it is at hand: for diffs.
        content: Option<Arc<[u8]>>,
        /// The text that it replaces, if it is at hand: for diffs.
        overwritten: Option<Arc<[u8]>>,
        /// Folders that have to be created first, outermost first.
        parents: Vec<RootedPath>,
    },
    /// A folder comes to be, unless it is there.
    CreateFolder {
        /// Its path.
        path: RootedPath,
        /// The folders to create for that, outermost first, itself included.
        missing: Vec<RootedPath>,
    },
    /// An empty folder goes.
    RemoveFolder(RootedPath),
    /// Something is made again as it was. No action means this, but undoing one does.
    Restore(Restore),
    /// A read-only action.
    ReadOnly(ReadOnlyAction),
    /// A program is run.
    Command(Box<PlannedCommand>),
    /// Changes that one action makes one after the other; the first that fails keeps the others from being
    /// made.
    Steps(Vec<Effect>),
}

impl Effect {
    pub(crate) fn paths(&self) -> Box<dyn Iterator<Item = &RootedPath> + '_> {
        match self {
            Effect::Write(write) => Box::new(write.paths()),
            Effect::Restore(restore) => Box::new(std::iter::once(&restore.path)),
            Effect::Several(files) => Box::new(files.iter().flat_map(|file| {
                let (write, failed) = (file.as_ref().ok(), file.as_ref().err().map(|(path, _)| path));
                write.into_iter().flat_map(Write::paths).chain(failed)
            })),
            Effect::Delete { path, .. } | Effect::RemoveFolder(path) | Effect::CreateFolder { path, .. } => {
                Box::new(std::iter::once(path))
            }
            Effect::Move { from, to, .. } => Box::new([from, to].into_iter()),
            Effect::WriteMoved { from, write, .. } => Box::new([from, &write.path].into_iter()),
            Effect::ReadOnly(_) | Effect::Command(_) => Box::new(std::iter::empty()),
            Effect::Steps(steps) => Box::new(steps.iter().flat_map(Effect::paths)),
        }
    }

    /// Returns its first path as the answer writes it; empty if it is about none.
    pub(crate) fn first_path(&self) -> &str {
        self.paths().next().map_or("", RootedPath::written)
    }

    pub(crate) fn each(&self) -> Vec<&Effect> {
        match self {
            Effect::Steps(steps) => steps.iter().flat_map(Effect::each).collect(),
            effect => vec![effect],
        }
    }

    /// The contents that it writes, itself.
    pub(crate) fn writes(&self) -> Vec<&Write> {
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => vec![write],
            Effect::Several(files) => files.iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    /// The same but for files that move, to be changed.
    pub(crate) fn writes_in_place(&mut self) -> Box<dyn Iterator<Item = &mut Write> + '_> {
        match self {
            Effect::Write(write) => Box::new(std::iter::once(write)),
            Effect::Several(files) => Box::new(files.iter_mut().flatten()),
            _ => Box::new(std::iter::empty()),
        }
    }

    #[must_use]
    pub(crate) fn is_read_only(&self) -> bool {
        match self {
            Effect::ReadOnly(_) => true,
            Effect::Command(command) => !command.may_change(),
            _ => self.is_unchanged(),
        }
    }

    /// The files already are as asked.
    #[must_use]
    pub(crate) fn is_unchanged(&self) -> bool {
        match self {
            Effect::Write(write) => write.is_unchanged(),
            Effect::Move { from, to, .. } => from == to,
            Effect::CreateFolder { missing, .. } => missing.is_empty(),
            Effect::Several(files) => files.iter().all(|file| file.as_ref().is_ok_and(Write::is_unchanged)),
            Effect::WriteMoved { .. }
            | Effect::Delete { .. }
            | Effect::RemoveFolder(_)
            | Effect::Restore(_)
            | Effect::ReadOnly(_)
            | Effect::Command(_) => false,
            Effect::Steps(steps) => steps.iter().all(Effect::is_unchanged),
        }
    }

    #[must_use]
    pub(crate) fn bytes_that_come(&self) -> usize {
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => write.new.len(),
            Effect::Several(files) => files.iter().flatten().map(|write| write.new.len()).sum(),
            Effect::Steps(steps) => steps.iter().map(Effect::bytes_that_come).sum(),
            _ => 0,
        }
    }

    /// Bytes of the content at hand that goes, or goes elsewhere.
    #[must_use]
    pub(crate) fn bytes_that_go(&self) -> usize {
        let size = |content: &Option<Arc<[u8]>>| content.as_ref().map_or(0, |content| content.len());
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => size(&write.old),
            Effect::Several(files) => files.iter().flatten().map(|write| size(&write.old)).sum(),
            Effect::Delete { old, .. } => size(old),
            Effect::Move { content, overwritten, .. } => size(content) + size(overwritten),
            Effect::Restore(restore) => size(&restore.old),
            Effect::CreateFolder { .. }
            | Effect::RemoveFolder(_)
            | Effect::ReadOnly(_)
            | Effect::Command(_) => 0,
            Effect::Steps(steps) => steps.iter().map(Effect::bytes_that_go).sum(),
        }
    }

    /// The line, from 1, that an exact match is only a part of, as it becomes.
    #[must_use]
    pub(crate) fn within_line(&self) -> Option<(usize, String)> {
        let (Effect::Write(write) | Effect::WriteMoved { write, .. }) = self else { return None };
        write.line_of_part()
    }

    /// The rung of the ladder that matched, if it is one that a report names.
    #[must_use]
    pub(crate) fn matched_by(&self) -> Option<&'static str> {
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => write.matched_by,
            _ => None,
        }
    }
}

/// A compiled glob.
#[derive(Debug, Clone)]
pub struct PathGlob {
    /// The glob. A set of one, since compiling a set says when it cannot be done and a lone glob panics.
    pub set: globset::GlobSet,
    /// It was written with a `/`: it is about paths, not names.
    pub has_folders: bool,
}

/// A read-only action.
#[derive(Debug, Clone)]
pub enum ReadOnlyAction {
    /// The text of a file.
    Read(RootedPath),
    /// The text of a file with line numbers.
    Numbered {
        /// The file.
        path: RootedPath,
        /// The lines; `None`: all.
        lines: Option<String>,
        /// The text between number and line.
        delimiter: String,
    },
    /// The text of several files; what cannot be read is reported for each.
    ReadMany(Vec<Result<RootedPath, (String, Failure)>>),
    /// The entries of a folder.
    List(RootedPath),
    /// The lines that contain a text.
    Grep {
        /// The text, as a matcher.
        pattern: grep_regex::RegexMatcher,
        /// The same as an expression, if it may have been meant as one.
        meant: Option<(clada_exec::words::Syntax, grep_regex::RegexMatcher)>,
        /// The file or folder.
        path: RootedPath,
        /// A glob for file names.
        include: Option<PathGlob>,
    },
    /// The output of a command that needs no program.
    Command {
        /// The command.
        command: words::ReadOnlyBuiltIn,
        /// The folder that it runs in.
        folder: PathBuf,
        /// Its paths, as they are written and resolved.
        paths: Vec<(String, RootedPath)>,
    },
    /// The context of the session, which is not a file.
    Context(ContextChange),
    /// The files that match a glob.
    Glob {
        /// The glob.
        pattern: PathGlob,
        /// The folder that it is relative to.
        base: RootedPath,
    },
}
