//! Plans of actions that only look: their paths are checked now, what they find is read when it is their
//! turn.

use clada_fs::RootedPath;
use clada_protocol::ErrorKind;
use clada_schema::{FileReadNumbered, Glob, Grep, paths};
use globset::{GlobBuilder, GlobSet};
use grep_regex::RegexMatcherBuilder;

use super::planner::Planner;
use super::refusals::not_a_file;
use crate::context::ContextChange;
use crate::effect::{Effect, PathGlob, ReadOnlyAction};
use crate::failure::Failure;
use crate::readonly::meant_as;
use crate::view::{Node, too_large};

impl Planner<'_> {
    pub(super) fn file_read(&mut self, path: &str) -> Result<Effect, Failure> {
        self.readable(path).map(|path| Effect::ReadOnly(ReadOnlyAction::Read(path)))
    }

    pub(super) fn file_read_numbered(&mut self, action: &FileReadNumbered) -> Result<Effect, Failure> {
        let path = self.readable(&action.path)?;
        let (lines, delimiter) = (action.lines.clone(), action.delimiter.clone());
        Ok(Effect::ReadOnly(ReadOnlyAction::Numbered { path, lines, delimiter }))
    }

    pub(super) fn files_read(&mut self, listed: &str) -> Result<Effect, Failure> {
        self.refuse_many(listed)?;
        let mut files = Vec::new();
        let mut closest = Vec::new();
        for path in paths(listed) {
            let readable = self.readable(path);
            closest.extend(readable.as_ref().err().and_then(|failure| self.closest(failure)));
            files.push(readable.map_err(|failure| (path.to_owned(), failure)));
        }
        // An action that reads some of its files succeeds, and so has no hint.
        self.note = (!closest.is_empty()).then(|| closest.join("; "));
        Ok(Effect::ReadOnly(ReadOnlyAction::ReadMany(files)))
    }

    pub(super) fn ls(&mut self, path: &str) -> Result<Effect, Failure> {
        self.folder(path).map(|path| Effect::ReadOnly(ReadOnlyAction::List(path)))
    }

    pub(super) fn grep(&mut self, action: &Grep) -> Result<Effect, Failure> {
        if action.pattern.is_empty() {
            let message = "pattern is empty, there is nothing to look for (INVALID_VALUE)".to_owned();
            return Err(Failure::with_message(ErrorKind::InvalidValue, message));
        }
        let pattern = RegexMatcherBuilder::new()
            .fixed_strings(true)
            .line_terminator(Some(b'\n'))
            .build(&action.pattern)
            .map_err(|error| {
                let message = format!("pattern cannot be looked for line by line: {error} (INVALID_VALUE)");
                Failure::with_message(ErrorKind::InvalidValue, message)
            })?;
        let path = self.resolve(&action.path)?;
        match self.view.node(&path)? {
            Node::Folder => {}
            Node::File(_) => self.refuse_secret(&path)?,
            Node::Symlink { .. } if self.rules.follow_symlinks => {}
            node => return Err(not_a_file(&node, &path)),
        }
        let include = action.include.as_deref().map(matcher).transpose()?;
        let meant = meant_as(&action.pattern);
        Ok(Effect::ReadOnly(ReadOnlyAction::Grep { pattern, meant, path, include }))
    }

    pub(super) fn glob(&mut self, action: &Glob) -> Result<Effect, Failure> {
        let base = self.folder(&action.base_path)?;
        Ok(Effect::ReadOnly(ReadOnlyAction::Glob { pattern: matcher(&action.pattern)?, base }))
    }

    pub(super) fn context_add(&mut self, path: &str) -> Result<Effect, Failure> {
        let path = self.resolve(path)?;
        match self.view.node(&path)? {
            Node::File(_) => self.refuse_secret(&path)?,
            Node::Folder => {}
            node => return Err(not_a_file(&node, &path)),
        }
        Ok(Effect::ReadOnly(ReadOnlyAction::Context(ContextChange::Add(path))))
    }

    pub(super) fn context_remove(&mut self, path: &str) -> Result<Effect, Failure> {
        let path = self.resolve(path)?;
        Ok(Effect::ReadOnly(ReadOnlyAction::Context(ContextChange::Remove(path))))
    }

    /// A regular file whose content may be handed out.
    pub(super) fn readable(&mut self, path: &str) -> Result<RootedPath, Failure> {
        let path = self.resolve(path)?;
        self.refuse_secret(&path)?;
        match self.view.node(&path)? {
            Node::File(file) => {
                let limit = self.rules.max_file_size;
                if file.size > limit as u64 {
                    return Err(too_large(&path, file.size, limit));
                }
                Ok(path)
            }
            // Where links are followed, reading finds out whether this one may be.
            Node::Symlink { .. } if self.rules.follow_symlinks => Ok(path),
            node => Err(not_a_file(&node, &path)),
        }
    }

    fn folder(&mut self, path: &str) -> Result<RootedPath, Failure> {
        let path = self.resolve(path)?;
        match self.view.node(&path)? {
            Node::Folder => Ok(path),
            Node::Symlink { .. } if self.rules.follow_symlinks => Ok(path),
            node @ Node::Symlink { .. } => Err(not_a_file(&node, &path)),
            Node::Missing => {
                Err(Failure::at(ErrorKind::FileNotFound, "Directory not found", path.written(), "ENOENT"))
            }
            Node::File(_) | Node::Special => {
                Err(Failure::at(ErrorKind::NotDirectory, "Not a directory", path.written(), "ENOTDIR"))
            }
        }
    }

    pub(super) fn refuse_secret(&self, path: &RootedPath) -> Result<(), Failure> {
        if self.view.is_secret(path) {
            return Err(Failure::secret(path));
        }
        self.view.refuse_sealed(path)
    }
}

fn matcher(written: &str) -> Result<PathGlob, Failure> {
    let wrong = |issue: &str| Failure::at(ErrorKind::InvalidValue, issue, written, "INVALID_VALUE");
    let glob = GlobBuilder::new(written)
        .literal_separator(true)
        .build()
        .map_err(|error| wrong(&format!("{} in the glob", error.kind())))?;
    let set = GlobSet::builder().add(glob).build();
    let set = set.map_err(|_| wrong("Glob is too long or too deeply nested"))?;
    Ok(PathGlob { set, has_folders: written.contains('/') })
}
