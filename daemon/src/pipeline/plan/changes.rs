//! Plans of actions that change the content of files.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use clada_protocol::ErrorKind;
use clada_schema::{
    Count, FileReplaceAllText, FileReplaceLines, FileReplaceText, FileReplaceTextRange, FilesReplaceAllText,
    IfExists, paths,
};

use super::Planner;
use crate::edit::{self, EditError, Edited, Expect, Hint, Text};
use crate::fs::RootedPath;
use crate::pipeline::effect::{Before, Effect, Failure, Write};
use crate::pipeline::view::{Content, FileNode, Node};

impl Planner<'_> {
    pub(super) fn file_write(
        &mut self,
        path: &str,
        content: &str,
        if_exists: IfExists,
    ) -> Result<Effect, Failure> {
        let path = self.file_to_change(path)?;
        let content = if self.rules.ensure_final_newline {
            edit::ensure_final_newline(content)
        } else {
            Cow::Borrowed(content)
        };
        self.refuse_large(&path, content.len())?;
        let node = self.view.node(&path)?;
        match (&node, if_exists) {
            (Node::Missing, IfExists::MustExist) => return Err(not_found(&path)),
            (Node::Missing, _) => {}
            (_, IfExists::Fail) => {
                return Err(Failure::at(
                    ErrorKind::FileExists,
                    "File exists already",
                    path.written(),
                    "EEXIST",
                ));
            }
            (Node::File(_), _) => {}
            _ => return Err(not_a_file(&node, &path)),
        }
        let parents = self.view.missing_parents(&path)?;
        let limit = self.rules.max_file_size;
        let (before, old) = match &node {
            Node::File(file) => {
                let old = self.view.content(&path, file, limit)?;
                (Before::Content(old.hash), Some(old.bytes))
            }
            _ => (Before::Missing, None),
        };
        let edited = (content.as_bytes().to_vec(), 0);
        Ok(Effect::Write(write(path, before, old, edited, parents)))
    }

    pub(super) fn file_append(&mut self, path: &str, content: &str) -> Result<Effect, Failure> {
        let at = self.file_to_change(path)?;
        if matches!(self.view.node(&at)?, Node::Missing) {
            return self.file_write(path, content, IfExists::Replace);
        }
        let limit = self.rules.max_file_size;
        let ensure = self.rules.ensure_final_newline;
        self.edit_file(
            at,
            |text| {
                let content =
                    if ensure { edit::ensure_final_newline(content) } else { Cow::Borrowed(content) };
                edit::append(text, &content, limit)
            },
            |_, _| None,
        )
        .map(Effect::Write)
    }

    pub(super) fn replace_text(&mut self, action: &FileReplaceText) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        self.replace(path, &action.old_text, &action.new_text, Expect::ExactlyOne).map(Effect::Write)
    }

    pub(super) fn replace_all_text(&mut self, action: &FileReplaceAllText) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        self.replace(path, &action.old_text, &action.new_text, expect(action.count, Expect::AtLeastOne))
            .map(Effect::Write)
    }

    pub(super) fn replace_in_files(&mut self, action: &FilesReplaceAllText) -> Result<Effect, Failure> {
        self.refuse_many(&action.paths)?;
        let mut files: Vec<Result<Write, (RootedPath, Failure)>> = Vec::new();
        let mut seen = HashSet::new();
        let mut planned_bytes = 0;
        for written in paths(&action.paths) {
            let path = self.file_to_change(written)?;
            if !seen.insert(path.clone()) {
                let issue = "File is listed twice";
                return Err(Failure::at(ErrorKind::InvalidValue, issue, path.written(), "INVALID_VALUE"));
            }
            let replaced = self.replace(path.clone(), &action.old_text, &action.new_text, Expect::AtLeastOne);
            planned_bytes += replaced.as_ref().map_or(0, |write| write.new.len());
            if self.planned_bytes + planned_bytes > self.rules.planned_bytes {
                return Err(self.too_many_bytes());
            }
            files.push(replaced.map_err(|failure| (path, failure)));
        }
        Ok(Effect::Several(files))
    }

    pub(super) fn replace_range(&mut self, action: &FileReplaceTextRange) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let ends = (action.old_text_beginning.as_str(), action.old_text_end.as_str());
        let expected = expect(action.count, Expect::ExactlyOne);
        let limit = self.rules.max_file_size;
        self.edit_file(
            path,
            |text| edit::replace_text_range(text, ends, &action.new_text, expected, limit),
            |text, error| edit::hint_for_range(text, ends, &action.new_text, error),
        )
        .map(Effect::Write)
    }

    pub(super) fn replace_lines(&mut self, action: &FileReplaceLines) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let limit = self.rules.max_file_size;
        self.edit_file(
            path,
            |text| edit::replace_lines(text, &action.lines, &action.new_content, limit),
            |_, _| None,
        )
        .map(Effect::Write)
    }

    fn replace(
        &mut self,
        path: RootedPath,
        old: &str,
        new: &str,
        expected: Expect,
    ) -> Result<Write, Failure> {
        let limit = self.rules.max_file_size;
        self.edit_file(
            path,
            |text| edit::replace_text(text, old, new, expected, limit),
            |text, error| edit::hint_for_replace(text, old, new, error),
        )
    }

    /// Edits the text of an existing file.
    fn edit_file(
        &mut self,
        path: RootedPath,
        edit: impl FnOnce(&Text<'_>) -> Result<Edited, EditError>,
        hint: impl FnOnce(&Text<'_>, &EditError) -> Option<Hint>,
    ) -> Result<Write, Failure> {
        let node = self.view.node(&path)?;
        let Node::File(file) = &node else { return Err(not_a_file(&node, &path)) };
        let content = self.file_content(&path, file)?;
        let text = Text::decode(&content.bytes)
            .map_err(|error| Failure::of_edit(&EditError::NotText(error), &path))?;
        match edit(&text) {
            Ok(edited) => {
                let before = Before::Content(content.hash);
                let edited = (edited.bytes, edited.replacements);
                Ok(write(path, before, Some(content.bytes), edited, Vec::new()))
            }
            Err(error) => {
                let failure = Failure::of_edit(&error, &path);
                let hint =
                    self.hint_allowed(&path, content.bytes.len()).then(|| hint(&text, &error)).flatten();
                Err(match hint {
                    Some(hint) => failure.hint(hint.text),
                    None => failure,
                })
            }
        }
    }

    fn file_content(&mut self, path: &RootedPath, file: &FileNode) -> Result<Content, Failure> {
        let content = self.view.content(path, file, self.rules.max_file_size)?;
        Ok(content)
    }

    /// Whether a hint may quote the file, and the operation has not searched too much already.
    fn hint_allowed(&mut self, path: &RootedPath, bytes: usize) -> bool {
        if self.view.is_secret(path) {
            return false;
        }
        let allowed = self.hint_bytes >= bytes;
        self.hint_bytes = self.hint_bytes.saturating_sub(bytes.max(4096));
        allowed
    }

    /// The path of a file that is to be created or changed.
    pub(super) fn file_to_change(&self, written: &str) -> Result<RootedPath, Failure> {
        let path = self.view.roots().resolve(written)?;
        if path.is_root() || path.written_as_folder() {
            return Err(Failure::at(ErrorKind::IsDirectory, "Path is a directory", path.written(), "EISDIR"));
        }
        Ok(path)
    }

    /// An action that names very many files is refused before any of them is looked at.
    pub(super) fn refuse_many(&self, listed: &str) -> Result<(), Failure> {
        let limit = self.rules.max_results;
        if paths(listed).nth(limit).is_none() {
            return Ok(());
        }
        let message = format!("More than limits.max_results of {limit} paths in one action (LIMIT_EXCEEDED)");
        Err(Failure::said(ErrorKind::LimitExceeded, message).hint("name them in several actions"))
    }

    fn refuse_large(&self, path: &RootedPath, size: usize) -> Result<(), Failure> {
        let limit = self.rules.max_file_size;
        if size <= limit {
            return Ok(());
        }
        let issue = format!("Content of {size} bytes exceeds limits.max_file_size of {limit} bytes for");
        Err(Failure::at(ErrorKind::LimitExceeded, &issue, path.written(), "LIMIT_EXCEEDED"))
    }
}

fn expect(count: Option<Count>, otherwise: Expect) -> Expect {
    match count {
        None => otherwise,
        Some(Count::All) => Expect::AtLeastOne,
        Some(Count::Exactly(count)) => Expect::Exactly(usize::try_from(count).unwrap_or(usize::MAX)),
    }
}

fn write(
    path: RootedPath,
    before: Before,
    old: Option<Arc<[u8]>>,
    (new, replacements): (Vec<u8>, usize),
    parents: Vec<RootedPath>,
) -> Write {
    let new_hash = blake3::hash(&new);
    Write { path, before, old, new: new.into(), new_hash, replacements, parents }
}

/// The failure of an action that needs a regular file where `node` is.
pub(super) fn not_a_file(node: &Node, path: &RootedPath) -> Failure {
    let at = |kind, issue, code| Failure::at(kind, issue, path.written(), code);
    match node {
        Node::Missing | Node::File(_) => not_found(path),
        Node::Folder => at(ErrorKind::IsDirectory, "Path is a directory", "EISDIR"),
        Node::Symlink { .. } => at(ErrorKind::SymlinkNotAllowed, "A symbolic link is not followed", "ELOOP")
            .hint("name the file itself, not a symbolic link to it"),
        Node::Special => at(ErrorKind::NotRegularFile, "Not a regular file", "NOT_REGULAR_FILE"),
    }
}

fn not_found(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileNotFound, "File not found", path.written(), "ENOENT")
        .hint("check the path; `ls` or `glob` show what is there, and file_write creates a file")
}
