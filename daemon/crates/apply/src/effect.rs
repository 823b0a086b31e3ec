//! What planning yields: effects and failures, as data.
//!
//! Knows paths and bytes, not how they come to disk.

use std::path::PathBuf;
use std::sync::Arc;

use blake3::Hash;
use clada_edit::{EditError, Mode};
use clada_exec::words;
use clada_fs::{FsError, Identity, Metadata, RootedPath};
use clada_journal::Applied;
use clada_protocol::{Approval, ErrorKind};
use serde_json::Value;

use crate::command::Errand;
use crate::context::ContextChange;
use crate::results::report;

const ABOUT_SECRETS: (&str, &str) = ("secrets are not handed out", "a person can say --include-secrets");

/// Why an action is not carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Machine-readable.
    pub kind: ErrorKind,
    /// `{issue} '{path}' ({CODE})`: the message without the operation in front.
    pub message: String,
    /// What to do next, or what the file holds instead.
    pub hint: Option<String>,
    /// The end of `hint` that only a person can follow.
    pub person_hint: Option<String>,
    /// What a person would have to approve.
    pub approval: Option<Box<Approval>>,
    /// The rung of the ladder at which the edit would match exactly one place, if it failed at a stricter one.
    pub would_match: Option<&'static str>,
    /// The path that it is about, if it is about one.
    pub path: Option<String>,
    /// What came of those files of a many-file action that did succeed.
    pub data: Option<Value>,
}

impl Failure {
    /// A failure with one of our own codes: `{issue} '{path}' ({CODE})`.
    pub fn at(kind: ErrorKind, issue: &str, path: &str, code: &str) -> Failure {
        Failure { path: Some(path.to_owned()), ..Failure::said(kind, format!("{issue} '{path}' ({code})")) }
    }

    /// A failure that says `message`, code included.
    pub fn said(kind: ErrorKind, message: String) -> Failure {
        Failure {
            kind,
            message,
            hint: None,
            person_hint: None,
            approval: None,
            would_match: None,
            path: None,
            data: None,
        }
    }

    /// A failed edit of the file at `path`.
    pub fn of_edit(error: &EditError, path: &RootedPath) -> Failure {
        Failure::at(error.kind(), &error.issue(), path.written(), error.code())
    }

    /// The file's content is held back.
    pub fn secret(path: &RootedPath) -> Failure {
        Failure::at(ErrorKind::Secret, "File is held back as a secret", path.written(), "SECRET")
            .hint(ABOUT_SECRETS.0)
            .person(ABOUT_SECRETS.1)
    }

    /// The action was applied before, and what it changed stands.
    pub fn already_applied(applied: &Applied) -> Failure {
        let Applied { operation, began } = applied;
        let when = jiff::Timestamp::from_millisecond(*began).unwrap_or_default();
        let message = format!(
            "Applied already at {when:.0}, and it stands (operation {operation}) (ANSWER_ALREADY_APPLIED)"
        );
        let data = serde_json::json!({ "operationId": operation, "appliedAt": format!("{when:.3}") });
        Failure { data: Some(data), ..Failure::said(ErrorKind::AnswerAlreadyApplied, message) }
            .hint("leave it out")
            .person("--again applies it once more; an undo of that operation makes clada forget it")
    }

    /// Adds what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Failure {
        self.hint = Some(hint.into());
        self
    }

    /// Adds to the hint what only a person can do.
    #[must_use]
    pub fn person(mut self, hint: impl Into<String>) -> Failure {
        let hint = hint.into();
        let break_off = if self.hint.as_ref().is_some_and(|own| own.contains('\n')) { "\n" } else { "; " };
        let after = |own: Option<String>| match own {
            None => hint.clone(),
            Some(own) => format!("{own}{break_off}{hint}"),
        };
        self.hint = Some(after(self.hint.take()));
        self.person_hint = Some(after(self.person_hint.take()));
        self
    }
}

impl From<FsError> for Failure {
    fn from(error: FsError) -> Failure {
        let hint = match error.kind() {
            ErrorKind::PathEscape => Some("paths must lie in the project; relative ones start at its root"),
            ErrorKind::PathDenied => Some("this path is never read or changed for an answer"),
            ErrorKind::Secret => Some(ABOUT_SECRETS.0),
            ErrorKind::SymlinkNotAllowed => Some("name the file itself, not a symbolic link to it"),
            ErrorKind::NotText => Some("only UTF-8 text can be read and edited"),
            _ => None,
        };
        let path = Some(error.path().to_owned());
        let failure = Failure::said(error.kind(), error.to_string());
        let failure = Failure { hint: hint.map(str::to_owned), path, ..failure };
        if error.kind() == ErrorKind::Secret { failure.person(ABOUT_SECRETS.1) } else { failure }
    }
}

/// What must stand at a path right before it is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Missing,
    /// A regular file with exactly this content.
    Content(Hash),
    /// A regular file that has not been touched, too large to be compared by content.
    File(Identity),
    /// A symbolic link to this.
    Symlink(Vec<u8>),
}

/// The change of one file's content.
#[derive(Debug, Clone)]
pub struct Write {
    /// The file.
    pub path: RootedPath,
    /// What must be there.
    pub before: Before,
    /// The text before, if there was a file and it is at hand: for diffs.
    pub old: Option<Arc<[u8]>>,
    /// What it will hold.
    pub new: Arc<[u8]>,
    /// Its hash.
    pub new_hash: Hash,
    /// How many places (or lines) of the old text are replaced; 0 for a file written whole.
    pub replacements: usize,
    /// Whether it was executable; of a new file, as it would be by itself.
    pub old_mode: Mode,
    /// Whether it will be.
    pub mode: Mode,
    /// The rung of the ladder that matched, if it is one that a report names.
    pub matched_by: Option<&'static str>,
    /// Its hunks are those of a diff with right counts, and each stands exactly at its line.
    pub as_diffed: bool,
    /// The line of the new text in which an exact match began or ended beside other text, from 1.
    pub within_line: Option<usize>,
    /// The first and the last line, from 1, that an exact match took from the text before, if there was one match.
    pub lines: Option<(usize, usize)>,
    /// The last line of what is written got an end that the answer does not have.
    pub newline_added: bool,
    /// Folders that have to be created first, outermost first.
    pub parents: Vec<RootedPath>,
}

impl Write {
    /// The line, from 1, that an exact match is only a part of, as it becomes.
    pub fn line_of_part(&self) -> Option<(usize, String)> {
        let line = self.within_line?;
        let text = String::from_utf8_lossy(&self.new).lines().nth(line - 1)?.to_owned();
        Some((line, text))
    }

    /// The file holds this already.
    pub fn is_unchanged(&self) -> bool {
        self.before == Before::Content(self.new_hash) && self.old_mode == self.mode
    }

    /// Whether the file is to be executable, where that has to be seen to.
    pub fn executable(&self) -> Option<bool> {
        (self.old_mode != self.mode).then_some(self.mode == Mode::Executable)
    }
}

/// Something that is made again as it was.
#[derive(Debug, Clone)]
pub struct Restore {
    /// Where.
    pub path: RootedPath,
    /// What must be there.
    pub before: Before,
    /// The text that is there, if it is at hand.
    pub old: Option<Arc<[u8]>>,
    /// What is to be there.
    pub saved: Saved,
    /// Folders that have to be created first, outermost first.
    pub parents: Vec<RootedPath>,
}

/// What stood at a path, whole.
#[derive(Debug, Clone)]
pub enum Saved {
    /// A regular file, where nothing or another regular file is: a link has to go first.
    File {
        /// What it held.
        content: Arc<[u8]>,
        /// Mode, owner and attributes; `None`: those of the file that is replaced, or of any new file.
        metadata: Option<Metadata>,
    },
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// An empty folder with these permission bits, where nothing is.
    Folder(u32),
}

/// What carrying out an action means.
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
        /// What must be there.
        before: Before,
        /// What is written where it goes; its old text is the one that it had.
        write: Write,
    },
    /// A file or link goes.
    Delete {
        /// Which.
        path: RootedPath,
        /// What must be there.
        before: Before,
        /// Its text, if it is at hand: for diffs.
        old: Option<Arc<[u8]>>,
    },
    /// A file or link moves.
    Move {
        /// From here.
        from: RootedPath,
        /// What must be there.
        before: Before,
        /// To there.
        to: RootedPath,
        /// What must be at the target.
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
        /// Which.
        path: RootedPath,
        /// What has to be created for that, outermost first, itself included.
        missing: Vec<RootedPath>,
    },
    /// An empty folder goes.
    RemoveFolder(RootedPath),
    /// Something is made again as it was. No action means this, but taking one back does.
    Restore(Restore),
    /// Something is looked at.
    Look(Look),
    /// A program is run.
    Command(Box<Errand>),
    /// Changes that one action makes one after the other; the first that fails keeps the others from being made.
    Steps(Vec<Effect>),
}

impl Effect {
    /// The paths that it is about; none if it only looks.
    pub fn paths(&self) -> Box<dyn Iterator<Item = &RootedPath> + '_> {
        match self {
            Effect::Write(write) => Box::new(std::iter::once(&write.path)),
            Effect::Restore(restore) => Box::new(std::iter::once(&restore.path)),
            Effect::Several(files) => Box::new(files.iter().map(|file| match file {
                Ok(write) => &write.path,
                Err((path, _)) => path,
            })),
            Effect::Delete { path, .. } | Effect::RemoveFolder(path) | Effect::CreateFolder { path, .. } => {
                Box::new(std::iter::once(path))
            }
            Effect::Move { from, to, .. } => Box::new([from, to].into_iter()),
            Effect::WriteMoved { from, write, .. } => Box::new([from, &write.path].into_iter()),
            Effect::Look(_) | Effect::Command(_) => Box::new(std::iter::empty()),
            Effect::Steps(steps) => Box::new(steps.iter().flat_map(Effect::paths)),
        }
    }

    /// The changes that it is made of, one after the other.
    pub(crate) fn each(&self) -> Vec<&Effect> {
        match self {
            Effect::Steps(steps) => steps.iter().flat_map(Effect::each).collect(),
            effect => vec![effect],
        }
    }

    /// Why it fails although a part of it can be done, as far as that is known beforehand.
    pub(crate) fn failure_in_part(&self) -> Option<Failure> {
        match self {
            Effect::Several(files) => {
                let failed: Vec<&Failure> =
                    files.iter().filter_map(|file| file.as_ref().err()).map(|(_, failure)| failure).collect();
                report::failed_in_part("failed", files.len(), &failed, || {
                    report::several(files.iter().map(|file| match file {
                        Ok(write) => (write.path.written(), Ok(write)),
                        Err((path, failure)) => (path.written(), Err(failure)),
                    }))
                })
            }
            Effect::Look(Look::ReadMany(files)) => {
                let failed = files.iter().filter_map(|file| file.as_ref().err());
                let failed = failed.map(|(path, failure)| (path.as_str(), failure));
                report::unread(files.len(), failed, || serde_json::json!({}))
            }
            _ => None,
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

    /// Whether it changes nothing whatever becomes of it.
    #[must_use]
    pub fn only_looks(&self) -> bool {
        match self {
            Effect::Look(_) => true,
            Effect::Command(errand) => !errand.may_change(),
            _ => self.is_unchanged(),
        }
    }

    /// The files already are as asked.
    #[must_use]
    pub fn is_unchanged(&self) -> bool {
        match self {
            Effect::Write(write) => write.is_unchanged(),
            Effect::Move { from, to, .. } => from == to,
            Effect::CreateFolder { missing, .. } => missing.is_empty(),
            Effect::Several(files) => files.iter().all(|file| file.as_ref().is_ok_and(Write::is_unchanged)),
            Effect::WriteMoved { .. }
            | Effect::Delete { .. }
            | Effect::RemoveFolder(_)
            | Effect::Restore(_)
            | Effect::Look(_)
            | Effect::Command(_) => false,
            Effect::Steps(steps) => steps.iter().all(Effect::is_unchanged),
        }
    }

    /// Bytes of the content that is written.
    #[must_use]
    pub fn bytes_that_come(&self) -> usize {
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => write.new.len(),
            Effect::Several(files) => files.iter().flatten().map(|write| write.new.len()).sum(),
            Effect::Steps(steps) => steps.iter().map(Effect::bytes_that_come).sum(),
            _ => 0,
        }
    }

    /// Bytes of the content at hand that goes, or goes elsewhere.
    #[must_use]
    pub fn bytes_that_go(&self) -> usize {
        let size = |content: &Option<Arc<[u8]>>| content.as_ref().map_or(0, |content| content.len());
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => size(&write.old),
            Effect::Several(files) => files.iter().flatten().map(|write| size(&write.old)).sum(),
            Effect::Delete { old, .. } => size(old),
            Effect::Move { content, overwritten, .. } => size(content) + size(overwritten),
            Effect::Restore(restore) => size(&restore.old),
            Effect::CreateFolder { .. } | Effect::RemoveFolder(_) | Effect::Look(_) | Effect::Command(_) => 0,
            Effect::Steps(steps) => steps.iter().map(Effect::bytes_that_go).sum(),
        }
    }

    /// The line, from 1, that an exact match is only a part of, as it becomes.
    #[must_use]
    pub fn within_line(&self) -> Option<(usize, String)> {
        let (Effect::Write(write) | Effect::WriteMoved { write, .. }) = self else { return None };
        write.line_of_part()
    }

    /// The rung of the ladder that matched, if it is one that a report names.
    #[must_use]
    pub fn matched_by(&self) -> Option<&'static str> {
        match self {
            Effect::Write(write) | Effect::WriteMoved { write, .. } => write.matched_by,
            _ => None,
        }
    }
}

/// A compiled glob.
#[derive(Debug, Clone)]
pub struct PathGlob {
    /// What matches. A set of one, since compiling a set says when it cannot be done and a lone glob panics.
    pub set: globset::GlobSet,
    /// It was written with a `/`: it is about paths, not names.
    pub has_folders: bool,
}

/// An action that only looks.
#[derive(Debug, Clone)]
pub enum Look {
    /// The text of a file.
    Read(RootedPath),
    /// The text of a file with line numbers.
    Numbered {
        /// Which file.
        path: RootedPath,
        /// Which lines; `None`: all.
        lines: Option<String>,
        /// What stands between number and line.
        delimiter: String,
    },
    /// The text of several files; what cannot be read is told for each.
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
    /// What a command that needs no program writes.
    Command {
        /// Which.
        command: words::Look,
        /// The folder that it runs in.
        folder: PathBuf,
        /// Its paths, as they are written and resolved.
        paths: Vec<(String, RootedPath)>,
    },
    /// The context of the session, which is no file.
    Context(ContextChange),
    /// The files that match a glob.
    Glob {
        /// The glob.
        pattern: PathGlob,
        /// The folder that it is relative to.
        base: RootedPath,
    },
}
