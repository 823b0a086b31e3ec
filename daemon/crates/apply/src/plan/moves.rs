//! Plans of actions that delete, move and make files and folders.

use std::sync::Arc;

use clada_edit::{Match, split_lines};
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;
use clada_schema::{HunkLine, IfExists};

use super::planner::Planner;
use super::refusals::not_a_file;
use super::rewrite::decoded;
use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::view::Node;
use crate::write::Before;

impl Planner<'_> {
    pub(super) fn file_delete(&mut self, path: &str, step: &Step) -> Result<Effect, Failure> {
        let path = self.file_to_change(path)?;
        let node = self.view.node(&path)?;
        if matches!(node, Node::Missing | Node::Folder | Node::Special) {
            return Err(match node {
                Node::Folder => not_a_file(&node, &path).hint("dir_delete deletes an empty folder"),
                _ => not_a_file(&node, &path),
            });
        }
        let limit = self.rules.max_file_size;
        let before = self.view.before(&path, &node, limit)?;
        let old = self.text_of(&path, &node, &before)?;
        self.refuse_other_lines(&path, old.as_deref(), step)?;
        Ok(Effect::Delete { path, before, old })
    }

    /// Refuses to delete a file that does not consist of the lines that the dialect says it does.
    fn refuse_other_lines(
        &self,
        path: &RootedPath,
        content: Option<&[u8]>,
        step: &Step,
    ) -> Result<(), Failure> {
        let lines = step.deleted.iter().flat_map(|hunk| &hunk.lines);
        let mut expected = lines.filter_map(|line| match line {
            HunkLine::Context(line) | HunkLine::Removed(line) => Some(line.as_str()),
            HunkLine::Added(_) => None,
        });
        if step.deleted.iter().all(|hunk| hunk.lines.is_empty()) {
            return Ok(());
        }
        let text = decoded(content.unwrap_or_default(), path)?;
        let level = self.level(step);
        let same = |one: &str, other: &str| match level {
            Match::Exact => one == other,
            Match::Strict | Match::Tolerant => one.trim_end() == other.trim_end(),
        };
        // A deletion with lines has to name all of the file: one that names a part was made for another file.
        let mut there = split_lines(text.as_str()).zip(1..);
        let differs = loop {
            match (there.next(), expected.next()) {
                (None, None) => return Ok(()),
                (Some((line, _)), Some(expected)) if same(line.body, expected) => {}
                (Some((_, number)), Some(_)) => break format!("line {number} is another one"),
                (Some((_, number)), None) => break format!("it goes on at line {number}"),
                (None, Some(_)) => break "it has fewer lines".to_owned(),
            }
        };
        let issue = "Lines to delete are not all that is in";
        Err(Failure::at(ErrorKind::NoMatch, issue, path.written(), "NO_MATCH").hint(format!(
            "{differs}; look at the file, and delete it with all of its lines, or without naming them"
        )))
    }

    pub(super) fn file_move(
        &mut self,
        old_path: &str,
        new_path: &str,
        if_exists: IfExists,
    ) -> Result<Effect, Failure> {
        let from = self.file_to_change(old_path)?;
        let to = self.file_to_change(new_path)?;
        let node = self.view.node(&from)?;
        match node {
            Node::File(_) | Node::Symlink { .. } => {}
            Node::Missing => {
                let issue = "Source file not found";
                return Err(Failure::at(ErrorKind::FileNotFound, issue, from.written(), "ENOENT"));
            }
            Node::Folder | Node::Special => {
                return Err(not_a_file(&node, &from).hint("only files and symbolic links are moved"));
            }
        }
        let target = self.view.node(&to)?;
        match (&target, if_exists) {
            (Node::Missing, IfExists::MustExist) => return Err(not_a_file(&target, &to)),
            (Node::Folder | Node::Special, _) => return Err(not_a_file(&target, &to)),
            (Node::File(_) | Node::Symlink { .. }, IfExists::Fail) if from != to => {
                let issue = "Target already exists";
                return Err(Failure::at(ErrorKind::FileExists, issue, to.written(), "EEXIST"));
            }
            _ => {}
        }
        let limit = self.rules.max_file_size;
        let before = self.view.before(&from, &node, limit)?;
        // A file that is moved onto itself replaces nothing, and is reported as unchanged.
        let replaced = if from == to { Before::Missing } else { self.view.before(&to, &target, limit)? };
        let parents = self.view.missing_parents(&to)?;
        let content = self.text_of(&from, &node, &before)?;
        let overwritten = self.text_of(&to, &target, &replaced)?;
        Ok(Effect::Move { from, before, to, replaced, content, overwritten, parents })
    }

    fn text_of(
        &mut self,
        path: &RootedPath,
        node: &Node,
        before: &Before,
    ) -> Result<Option<Arc<[u8]>>, Failure> {
        match (node, before) {
            (Node::File(file), Before::Content(_)) => {
                Ok(Some(self.view.content(path, file, self.rules.max_file_size)?.bytes))
            }
            _ => Ok(None),
        }
    }

    pub(super) fn dir_create(&mut self, path: &str) -> Result<Effect, Failure> {
        let path = self.resolve(path)?;
        if path.is_root() {
            return Ok(Effect::CreateFolder { path, missing: Vec::new() });
        }
        match self.view.node(&path)? {
            Node::Folder => Ok(Effect::CreateFolder { path, missing: Vec::new() }),
            Node::Missing => {
                let mut missing = self.view.missing_parents(&path)?;
                missing.push(path.clone());
                Ok(Effect::CreateFolder { path, missing })
            }
            node @ Node::Symlink { .. } => Err(not_a_file(&node, &path)),
            Node::File(_) | Node::Special => Err(Failure::at(
                ErrorKind::FileExists,
                "A file already exists there",
                path.written(),
                "EEXIST",
            )),
        }
    }

    pub(super) fn dir_delete(&mut self, path: &str) -> Result<Effect, Failure> {
        let path = self.resolve(path)?;
        if path.is_root() {
            let issue = "The project's root is never deleted";
            return Err(Failure::at(ErrorKind::PathDenied, issue, path.written(), "PATH_DENIED"));
        }
        let at = |kind, issue: &str, code| Failure::at(kind, issue, path.written(), code);
        match self.view.node(&path)? {
            Node::Folder => {}
            Node::Missing => return Err(at(ErrorKind::FileNotFound, "Directory not found", "ENOENT")),
            _ => {
                return Err(at(ErrorKind::NotDirectory, "Not a directory", "ENOTDIR")
                    .hint("file_delete deletes files and symbolic links"));
            }
        }
        match self.view.first_entry(&path)? {
            None => Ok(Effect::RemoveFolder(path)),
            Some(name) => Err(at(ErrorKind::DirectoryNotEmpty, "Directory is not empty", "ENOTEMPTY")
                .hint(format!("it holds '{name}', for one; only empty folders are deleted"))),
        }
    }
}
