//! Makes explicit what an action means besides its parameters: paths of replacer that begin with the
//! project's own folder (spec: dialects, "replacer"), and texts replaced by nothing, which take whole lines
//! (spec: answers, section 5).
//!
//! Looks at files only to find out what is meant. Changes the action, never how an action is done.

use std::borrow::Cow;

use clada_dialects::Dialect;
use clada_edit::Text;
use clada_schema::{Action, Deletes, is_absolute_path};

use super::planner::Planner;
use crate::read::answer::Step;
use crate::view::Node;

impl Planner<'_> {
    pub(super) fn meant<'s>(&mut self, step: &Step, action: &'s Action) -> Cow<'s, Action> {
        let mut action = Cow::Borrowed(action);
        if step.metadata.dialect == Dialect::Replacer.name() {
            let written = match action.as_ref() {
                Action::FileWrite(write) => Some(&write.path),
                Action::FileReplaceText(replace) => Some(&replace.path),
                _ => None,
            };
            if let Some(path) = written.and_then(|path| self.without_root_name(path)) {
                match action.to_mut() {
                    Action::FileWrite(write) => write.path = path,
                    Action::FileReplaceText(replace) => replace.path = path,
                    _ => {}
                }
            }
        }
        if let Action::FileReplaceText(replace) = action.as_ref()
            && replace.new_text.is_empty()
            // A text that ends with its line takes all of it; replacer takes an empty line after it as well.
            && (step.terms.deletes == Deletes::Lines || !replace.old_text.ends_with(['\n', '\r']))
            && let Some(old_text) = self.with_line_end(&replace.path, &replace.old_text)
            && let Action::FileReplaceText(replace) = action.to_mut()
        {
            replace.old_text = old_text;
        }
        // CSL cannot write the end of the last line.
        if let Action::FileReplaceAllText(replace) = action.as_ref()
            && step.metadata.dialect == Dialect::Csl.name()
            && replace.new_text.is_empty()
            && let Some(old_text) = self.with_line_end(&replace.path, &replace.old_text)
            && let Action::FileReplaceAllText(replace) = action.to_mut()
        {
            replace.old_text = old_text;
        }
        if let Action::FileReplaceTextRange(replace) = action.as_ref()
            && step.metadata.dialect == Dialect::Csl.name()
            && replace.new_text.is_empty()
            && let (beginning, end) = (&replace.old_text_beginning, &replace.old_text_end)
            && let Some(end) =
                self.in_text(&replace.path, |text| clada_edit::range_with_line_end(text, beginning, end))
            && let Action::FileReplaceTextRange(replace) = action.to_mut()
        {
            replace.old_text_end = end;
        }
        action
    }

    /// `path` without its first name, if that is the name of the project's folder and nothing of that name is
    /// in it.
    fn without_root_name(&mut self, path: &str) -> Option<String> {
        if is_absolute_path(path) {
            return None;
        }
        let roots = self.view.roots();
        let (first, rest) = path.trim_start_matches("./").split_once(['/', '\\'])?;
        let root = roots.root(0)?;
        let spelt = [roots.paths().next(), Some(std::path::Path::new(root.written()))];
        let is_root =
            spelt.into_iter().flatten().any(|root| root.file_name().is_some_and(|name| name == first));
        if !is_root || rest.is_empty() {
            return None;
        }
        let parent = roots.resolve(path).ok()?.parent()?;
        matches!(self.view.node(&parent), Ok(Node::Missing)).then(|| rest.to_owned())
    }

    /// `old` with the line end after it, if it is whole lines wherever it occurs in the file at `path`.
    fn with_line_end(&mut self, path: &str, old: &str) -> Option<String> {
        self.in_text(path, |text| clada_edit::with_line_end(text, old))
    }

    pub(super) fn in_text<T>(&mut self, path: &str, find: impl FnOnce(&Text<'_>) -> Option<T>) -> Option<T> {
        let path = self.resolve(path).ok()?;
        let Ok(Node::File(file)) = self.view.node(&path) else { return None };
        let content = self.view.content(&path, &file, self.rules.max_file_size).ok()?;
        find(&Text::decode(&content.bytes).ok()?)
    }
}
