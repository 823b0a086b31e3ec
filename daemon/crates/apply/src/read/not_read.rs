//! Finds the parts of an answer that look like an edit and were not read (spec: answers, section 1).
//!
//! The dialects find candidates; here they are held against the project's files as they are before anything
//! is done. Looks at files only, and never fails: what cannot be looked at is not there.

use std::collections::HashSet;

use clada_dialects::{Candidate, Choice, Dialect, Doubt, NotReadKind, PathRole, Project, decide};
use clada_edit::Text;
use clada_fs::{IgnoreRules, RootedPath, Roots};
use clada_git::{GitUser, UserGitignore};
use clada_protocol::{BlockInfo, NotRead, OperationWarning};
use clada_schema::{Action, is_absolute_path};

use crate::read::answer::{Answer, Step};
use crate::read::instructions;
use crate::view::{Node, View};

const PATHS: [&str; 3] = ["path", "old_path", "new_path"];

impl Answer {
    /// Holds it against the files of the project at `roots`, if it is for one: settles what words name files,
    /// and what was not read. Of files larger than `max_size` bytes nothing is known; `user` is whose
    /// excludes hold.
    pub fn hold_against(&mut self, roots: Option<&Roots>, user: Option<&GitUser>, max_size: usize) {
        let Some(roots) = roots else {
            self.not_read = not_read_anywhere(&self.shown, &self.candidates);
            return;
        };
        for doubt in std::mem::take(&mut self.doubts) {
            self.settle(&doubt, roots);
        }
        self.not_read = not_read(self, roots, user, max_size);
    }

    /// Lets the step of `doubt` have the file of the block before it, unless there is one called as the word.
    fn settle(&mut self, doubt: &Doubt, roots: &Roots) {
        let of_block = |step: &&mut Step| step.group.block == doubt.block;
        let Some(step) = self.steps.iter_mut().find(of_block) else { return };
        let Ok(Action::FilePatch(patch)) = &mut step.action else { return };
        if is_file(&patch.path, roots) {
            return;
        }
        let instead = doubt.instead.clone();
        let word = std::mem::replace(&mut patch.path, instead);
        let message = format!(
            "There is no file '{word}': the block in line {} is taken to be for '{}', as the one before it",
            step.metadata.start_line, patch.path
        );
        self.notes.push(OperationWarning { task: Some(step.task.clone()), message });
    }
}

/// Returns the parts of `answer`, which is for the project at `roots`, that look like an edit and were not
/// read. Of files larger than `max_size` bytes nothing is known; `user` is whose gitignore holds.
fn not_read(answer: &Answer, roots: &Roots, user: Option<&GitUser>, max_size: usize) -> Vec<NotRead> {
    if answer.candidates.is_empty() {
        return Vec::new();
    }
    let named = answer.steps.iter().flat_map(|step| {
        let parameters = step.parameters();
        PATHS.map(|name| parameters.text(name).map(str::to_owned)).into_iter().flatten()
    });
    let changed = named.filter_map(|path| roots.resolve(&path).ok()).collect();
    let mut files = ProjectPaths { view: View::new(roots), max_size, changed, user, base: None };
    reported(decide(&answer.shown, &answer.candidates, &mut files))
}

fn is_file(path: &str, roots: &Roots) -> bool {
    let mut view = View::new(roots);
    roots.resolve(path).is_ok_and(|path| !matches!(view.node(&path), Ok(Node::Missing) | Err(_)))
}

/// The same of an answer that is for no project: every candidate that names no absolute path.
fn not_read_anywhere(shown: &str, candidates: &[Candidate]) -> Vec<NotRead> {
    reported(decide(shown, candidates, &mut Nowhere))
}

/// Returns how to write what `notices` report of an answer with `blocks`, for the model that wrote it: in the
/// dialect that the answer tried, if that is looked for by `choice`, else in one that is; `None` if nothing
/// was found, and no code is without the name of its file (`has_unnamed`).
pub(crate) fn how_to_write(
    notices: &[NotRead],
    has_unnamed: bool,
    blocks: &[BlockInfo],
    choice: &Choice,
) -> Option<String> {
    const USUAL: [Dialect; 4] = [Dialect::Aider, Dialect::ApplyPatch, Dialect::UnifiedDiff, Dialect::Sham];
    if notices.is_empty() && !has_unnamed {
        return None;
    }
    let is = |kind: NotReadKind| notices.first().is_some_and(|first| first.kind == kind.name());
    let tried = match () {
        () if is(NotReadKind::HeadlessDiff) => Some(Dialect::UnifiedDiff),
        () if is(NotReadKind::ToolCall) => Some(Dialect::ToolCall),
        () => None,
    };
    let written = blocks.first().and_then(|block| Dialect::from_name(&block.dialect));
    let mut candidates = tried.into_iter().chain(written).chain(USUAL).chain(Dialect::ALL.iter().copied());
    let dialect = candidates.find(|dialect| choice.includes(*dialect))?;
    let tried = match tried {
        Some(tried) if tried == dialect => format!("The answer tried the dialect `{}`. ", tried.name()),
        Some(tried) => format!("The answer tried the dialect `{}`, which is not read here. ", tried.name()),
        None => String::new(),
    };
    Some(tried + &instructions::how_to_write(dialect))
}

fn reported(notices: Vec<clada_dialects::NotRead>) -> Vec<NotRead> {
    let reported = notices.into_iter().map(|notice| NotRead {
        line: notice.line,
        end_line: None,
        kind: notice.kind.name().to_owned(),
        path: notice.path,
        hint: notice.hint,
    });
    reported.collect()
}

struct ProjectPaths<'r> {
    view: View<'r>,
    max_size: usize,
    changed: HashSet<RootedPath>,
    user: Option<&'r GitUser>,
    base: Option<IgnoreRules>,
}

impl ProjectPaths<'_> {
    fn node(&mut self, path: &str) -> Option<(RootedPath, Node)> {
        let path = self.view.roots().resolve(path).ok()?;
        let node = self.view.node(&path).ok()?;
        Some((path, node))
    }
}

impl Project for ProjectPaths<'_> {
    fn place(&mut self, path: &str) -> PathRole {
        let Some((path, node)) = self.node(path) else { return PathRole::Outside };
        match node {
            Node::File(_) | Node::Symlink { .. } | Node::Special => PathRole::File,
            Node::Folder => PathRole::Folder,
            Node::Missing => {
                let folder =
                    path.parent().is_none_or(|parent| matches!(self.view.node(&parent), Ok(Node::Folder)));
                if folder { PathRole::Room } else { PathRole::Nowhere }
            }
        }
    }

    fn ignores(&mut self, path: &str) -> bool {
        let Some((path, node)) = self.node(path).filter(|(path, _)| path.root() == 0) else { return false };
        let roots = self.view.roots();
        let base = || roots.base_rules(&UserGitignore::find(self.user, roots).config());
        let rules = self.base.get_or_insert_with(base);
        rules.hide_path(roots, path.relative(), matches!(node, Node::Folder))
    }

    fn text(&mut self, path: &str) -> Option<String> {
        let (path, Node::File(file)) = self.node(path)? else { return None };
        let content = self.view.content(&path, &file, self.max_size).ok()?;
        Text::decode(&content.bytes).ok().map(|text| text.as_str().to_owned())
    }

    fn is_changed(&mut self, path: &str) -> bool {
        self.view.roots().resolve(path).is_ok_and(|path| self.changed.contains(&path))
    }
}

/// No project: any relative path may be one of its.
struct Nowhere;

impl Project for Nowhere {
    fn place(&mut self, path: &str) -> PathRole {
        if is_absolute_path(path) { PathRole::Outside } else { PathRole::File }
    }

    fn ignores(&mut self, _path: &str) -> bool {
        false
    }

    fn text(&mut self, _path: &str) -> Option<String> {
        None
    }

    fn is_changed(&mut self, _path: &str) -> bool {
        false
    }
}
