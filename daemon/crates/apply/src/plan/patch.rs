//! Plans of `file_patch`: hunks located by the ladder, in a file that is there, is found, or comes to be.
//!
//! Knows which dialects are read how tolerantly, and nothing of their syntax.

use std::sync::Arc;

use clada_dialects::Dialect;
use clada_edit::{Match, PatchError, PatchFailure, Text};
use clada_fs::RootedPath;
use clada_protocol::ErrorKind;
use clada_schema::{Action, FilePatch, Hunk, HunkLine, IfExists, Terms};

use super::planner::Planner;
use super::refusals::{not_a_file, not_found, would_match};
use super::rewrite::{Rewrite, decoded};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::view::{FileNode, Node};
use crate::write::Before;

impl Planner<'_> {
    pub(super) fn level(&self, step: &Step) -> Match {
        let tolerant = match Dialect::from_name(&step.metadata.dialect) {
            Some(Dialect::Aider | Dialect::ApplyPatch | Dialect::UnifiedDiff) => true,
            // A call's texts are exact; a patch that it hands on is one.
            Some(Dialect::ToolCall) => matches!(step.action, Ok(Action::FilePatch(_))),
            _ => false,
        };
        self.matching.unwrap_or(if tolerant { Match::Tolerant } else { Match::Exact })
    }

    pub(super) fn file_patch(&mut self, patch: &FilePatch, step: &Step) -> Result<Effect, Failure> {
        let written = self.file_to_change(&patch.path)?;
        let (path, file) = match self.view.node(&written)? {
            Node::File(file) => (written, file),
            Node::Missing if step.terms.if_exists == IfExists::MustExist => return Err(not_found(&written)),
            Node::Missing if patch.new_path.is_none() && creates(&patch.hunks) => {
                let terms = Terms { if_exists: IfExists::Fail, ..step.terms };
                return self.file_write(&patch.path, &new_text(&patch.hunks), terms);
            }
            // What moves, or changes in nothing but its mode, is not looked for elsewhere.
            Node::Missing if patch.new_path.is_some() || patch.hunks.is_empty() => {
                return Err(not_found(&written));
            }
            Node::Missing => self.found_elsewhere(&written)?,
            node => return Err(not_a_file(&node, &written)),
        };
        if let Some(new_path) = patch.new_path.as_ref().filter(|_| patch.hunks.is_empty())
            && step.terms.executable.is_none()
        {
            return self.file_move(&patch.path, new_path, IfExists::Fail);
        }
        let target = match &patch.new_path {
            Some(new_path) => Some(self.file_to_change(new_path)?).filter(|target| *target != path),
            None => None,
        };
        let rewrite = self.patched(&path, &file, patch, step)?;
        match target {
            None => rewrite.over(path, Vec::new()).map(Effect::Write),
            Some(target) => self.moved(path, rewrite, target),
        }
    }

    fn patched(
        &mut self,
        path: &RootedPath,
        file: &FileNode,
        patch: &FilePatch,
        step: &Step,
    ) -> Result<Rewrite, Failure> {
        let rewrite = self.rewrite(path, file)?.into_text().executable(step.terms.executable);
        let bytes = Arc::clone(&rewrite.old);
        let (text, level) = (decoded(&bytes, path)?, self.level(step));
        // Its other hunks were applied before.
        let missing = step.left_out.then(|| not_in(&text, patch, level, self.rules.max_file_size));
        let patch = missing.as_ref().unwrap_or(patch);
        let hunks = &patch.hunks[..];
        if hunks.is_empty() {
            return Ok(rewrite);
        }
        if says_it_is_new(hunks, step.terms) && !text.as_str().is_empty() {
            return if same_lines(text.as_str(), &new_text(hunks)) {
                Ok(rewrite)
            } else {
                Err(has_content(path))
            };
        }
        // New lines without a number fit everywhere in the file: in a diff, any place for them is a guess.
        let dialect = Dialect::from_name(&step.metadata.dialect);
        let placeless = hunks.iter().position(adds_without_place);
        if let Some(hunk) =
            placeless.filter(|_| dialect == Some(Dialect::UnifiedDiff) && !text.as_str().is_empty())
        {
            let error = PatchError { hunk, failure: PatchFailure::NoPlace };
            return Err(self.not_patched(path, &text, hunks, &error, level));
        }
        let turns = self.turns_of(patch, step, rewrite.hash);
        match clada_edit::apply_in_turn(&text, hunks, &turns, level, self.rules.max_file_size) {
            Ok(patched) => {
                self.took_turns(patch, step, &patched, path);
                if !patched.unchanged {
                    self.note = self.note.take().or_else(|| note_of_scope(hunks, path));
                }
                Ok(rewrite.patched(patched, hunks.len()))
            }
            Err(error) => Err(self.not_patched(path, &text, hunks, &error, level)),
        }
    }

    /// The file goes to `target`, and changes on the way.
    fn moved(&mut self, from: RootedPath, rewrite: Rewrite, target: RootedPath) -> Result<Effect, Failure> {
        let before = Before::Content(rewrite.hash);
        let replaced = match self.view.node(&target)? {
            Node::Missing => Before::Missing,
            Node::File(file) => {
                let there = self.view.content(&target, &file, self.rules.max_file_size)?;
                if there.bytes != rewrite.result() {
                    let issue = "Target already exists with other content";
                    let failure = Failure::at(ErrorKind::FileExists, issue, target.written(), "EEXIST");
                    return Err(failure.hint(if self.view.will_be_new(&target) {
                        "an action before this one in the answer writes it; make one of them"
                    } else {
                        "move it out of the way or delete it first, if it is not needed"
                    }));
                }
                Before::Content(there.hash)
            }
            node => return Err(not_a_file(&node, &target)),
        };
        let parents = self.view.missing_parents(&target)?;
        let mut write = rewrite.over(target, parents)?;
        write.before = replaced;
        Ok(Effect::WriteMoved { from, before, write })
    }

    pub(super) fn not_patched(
        &mut self,
        path: &RootedPath,
        text: &Text<'_>,
        hunks: &[Hunk],
        error: &PatchError,
        level: Match,
    ) -> Failure {
        let mut failure = Failure::at(error.kind(), &error.issue(), path.written(), error.code());
        failure.place = error.failure.line().map(|line| Box::new(self.place(path, text, line)));
        let mut hints: Vec<String> = Vec::new();
        if hunks.len() > 1 {
            hints.push(format!("hunk {} of {}:", error.hunk + 1, hunks.len()));
        }
        hints.extend(error.failure.advice().map(str::to_owned));
        let is_shown = self.hint_allowed(path, text.as_str().len());
        if is_shown {
            let old = hunks.get(error.hunk).map_or_else(String::new, |hunk| hunk.old_lines().join("\n"));
            let hint = clada_edit::hint_for_hunk(text, hunks, error);
            if let Some(hint) = hint {
                failure = self.advised(failure, path, text, &old, hint);
            }
        }
        hints.extend(failure.hint.take());
        failure.hint = (!hints.is_empty()).then(|| hints.join("\n"));
        if is_shown { would_match(text, hunks, level, failure) } else { failure }
    }
}

// The patch without the hunks whose new lines `text` has already.
fn not_in(text: &Text<'_>, patch: &FilePatch, level: Match, limit: usize) -> FilePatch {
    let is_there = |hunk: &Hunk| {
        let hunk = std::slice::from_ref(hunk);
        let alone = clada_edit::apply_in_turn(text, hunk, &clada_edit::turns(hunk), level, limit);
        match alone {
            Ok(patched) => patched.unchanged,
            Err(error) => matches!(error.failure, PatchFailure::AlreadyInFile { .. }),
        }
    };
    let hunks = patch.hunks.iter().filter(|hunk| !is_there(hunk)).cloned().collect();
    FilePatch { hunks, ..patch.clone() }
}

/// Returns true if hunks make up a new file: new lines, and nothing that says where in a file they belong.
fn creates(hunks: &[Hunk]) -> bool {
    let new = |hunk: &Hunk| {
        let added = hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)));
        let free = hunk.scopes.is_empty() && !hunk.at_end_of_file && hunk.after_line.is_none();
        added && free && hunk.line_hint.is_none_or(|line| line <= 1)
    };
    !hunks.is_empty() && hunks.iter().all(new)
}

/// Returns true if hunks that only add are said to be for a file that is missing or empty.
fn says_it_is_new(hunks: &[Hunk], terms: Terms) -> bool {
    creates(hunks)
        && (terms.if_exists == IfExists::Fail || hunks.iter().any(|hunk| hunk.line_hint == Some(0)))
}

/// Returns true if a hunk only adds lines, and no number says where. In a diff, what names a section does
/// not: the lines belong somewhere in it. In a patch of `apply_patch` they follow it.
fn adds_without_place(hunk: &Hunk) -> bool {
    only_adds(hunk) && hunk.line_hint.is_none() && !hunk.at_end_of_file
}

fn only_adds(hunk: &Hunk) -> bool {
    !hunk.lines.is_empty() && hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)))
}

/// Returns the note about new lines that were put where only a section's name said they belong: another
/// reader of such patches puts them at the end of the file.
fn note_of_scope(hunks: &[Hunk], path: &RootedPath) -> Option<String> {
    let scope = hunks.iter().filter(|hunk| only_adds(hunk)).find_map(|hunk| hunk.scopes.last())?;
    let [scope, path] = [scope.as_str(), path.written()].map(clada_protocol::visible_line);
    Some(format!("New lines without context were put directly after the line '{scope}' of '{path}'"))
}

fn new_text(hunks: &[Hunk]) -> String {
    let mut text = String::new();
    for line in hunks.iter().flat_map(|hunk| &hunk.lines) {
        if let HunkLine::Added(line) = line {
            text.extend([line.as_str(), "\n"]);
        }
    }
    if hunks.last().and_then(|hunk| hunk.final_newline) == Some(false) {
        text.pop();
    }
    text
}

fn same_lines(one: &str, other: &str) -> bool {
    let lines = |text| clada_edit::split_lines(text).map(|line| line.body);
    lines(one).eq(lines(other))
}

fn has_content(path: &RootedPath) -> Failure {
    Failure::at(ErrorKind::FileExists, "File already exists and is not empty", path.written(), "EEXIST").hint(
        "to change it, give the lines to change as they are in it; without them, only a new file is made",
    )
}
