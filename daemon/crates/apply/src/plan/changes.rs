//! Plans of actions that change a part of a file's content.
//!
//! Matching is exact, but for the replacement of one text: where the user or the configuration allows it,
//! that goes down the ladder when it does not match exactly. Ranges, and texts that may stand in many places,
//! never do.

use std::collections::HashSet;
use std::sync::Arc;

use clada_edit::{EditError, Edited, Expect, Hint, Match, Replacement, Text};
use clada_fs::RootedPath;
use clada_protocol::{ErrorKind, FailurePlace};
use clada_schema::{
    Count, FileReplaceAllText, FileReplaceLines, FileReplaceText, FileReplaceTextRange, FileReplaceTexts,
    FilesReplaceAllText, Hunk, TextEdit, paths,
};

use super::planner::Planner;
use super::refusals::{not_a_file, not_checked_out, would_match};
use super::rewrite::{Rewrite, decoded};
use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::Step;
use crate::results::place;
use crate::view::Node;
use crate::write::Write;

impl Planner<'_> {
    pub(super) fn replace_text(&mut self, action: &FileReplaceText, level: Match) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let texts = (action.old_text.as_str(), action.new_text.as_str());
        self.replace(path, texts, Expect::ExactlyOne, level).map(Effect::Write)
    }

    pub(super) fn replace_all_text(
        &mut self,
        action: &FileReplaceAllText,
        level: Match,
    ) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let texts = (action.old_text.as_str(), action.new_text.as_str());
        self.replace(path, texts, expect(action.count, Expect::AtLeastOne), level).map(Effect::Write)
    }

    /// All of `action` or nothing; each text is looked for in the file as it is before.
    pub(super) fn replace_texts(
        &mut self,
        action: &FileReplaceTexts,
        level: Match,
    ) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let rewrite = self.rewrite_of(&path)?;
        let bytes = Arc::clone(&rewrite.old);
        let text = decoded(&bytes, &path)?;
        let limit = self.rules.max_file_size;
        let edits: Vec<Replacement<'_>> = action.edits.iter().map(replacement).collect();
        let (index, error) = match clada_edit::replace_texts(&text, &edits, limit) {
            Ok(edited) => return rewrite.edited(edited).over(path, Vec::new()).map(Effect::Write),
            Err(failed) => failed,
        };
        // An edit of several texts climbs the ladder as hunks. One that is in the file already would count as
        // done, which a replacement never is.
        let looser = level > Match::Exact && matches!(error, EditError::NoMatch { .. });
        let hunks: Option<Vec<Hunk>> = looser.then(|| edits.iter().map(hunk).collect()).flatten();
        if let Some(hunks) = &hunks
            && let Ok(patched) = clada_edit::apply_hunks_tolerant(&text, hunks, level, limit)
            && patched.already_applied.is_empty()
        {
            return rewrite.patched(patched, edits.len()).over(path, Vec::new()).map(Effect::Write);
        }
        let Replacement { old, new, .. } = edits[index];
        let mut failure = self.edit_failed(&error, &path, &text);
        if edits.len() > 1 {
            failure.message = format!("Edit {}: {}", index + 1, failure.message);
        }
        if self.hint_allowed(&path, bytes.len()) {
            if let Some(hint) = clada_edit::hint_for_replace(&text, old, new, &error) {
                failure = self.advised(failure, &path, &text, old, hint);
            }
            if let Some(hunk) = hunk(&edits[index]).filter(|_| matches!(error, EditError::NoMatch { .. })) {
                failure = would_match(&text, &[hunk], level, failure);
            }
        }
        Err(failure)
    }

    pub(super) fn replace_in_files(
        &mut self,
        action: &FilesReplaceAllText,
        step: &Step,
    ) -> Result<Effect, Failure> {
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
            let texts = (action.old_text.as_str(), action.new_text.as_str());
            let replaced = self.replace(path.clone(), texts, Expect::AtLeastOne, Match::Exact);
            planned_bytes += replaced.as_ref().map_or(0, |write| write.new.len());
            if self.planned_bytes + planned_bytes > self.rules.planned_bytes {
                return Err(self.too_many_bytes());
            }
            files.push(replaced.map_err(|failure| (path, self.with_suggestions(step, failure))));
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
            |text| clada_edit::replace_text_range(text, ends, &action.new_text, expected, limit),
            |text, error| clada_edit::hint_for_range(text, ends, &action.new_text, error),
            ends.0,
        )
        .map(Effect::Write)
    }

    pub(super) fn replace_lines(&mut self, action: &FileReplaceLines) -> Result<Effect, Failure> {
        let path = self.file_to_change(&action.path)?;
        let limit = self.rules.max_file_size;
        self.edit_file(
            path,
            |text| clada_edit::replace_lines(text, &action.lines, &action.new_content, limit),
            |_, _| None,
            "",
        )
        .map(Effect::Write)
    }

    fn replace(
        &mut self,
        path: RootedPath,
        (old, new): (&str, &str),
        expected: Expect,
        level: Match,
    ) -> Result<Write, Failure> {
        let rewrite = self.rewrite_of(&path)?;
        let bytes = Arc::clone(&rewrite.old);
        let text = decoded(&bytes, &path)?;
        let limit = self.rules.max_file_size;
        let error = match clada_edit::replace_text(&text, old, new, expected, limit) {
            Ok(edited) => return rewrite.edited(edited).over(path, Vec::new()),
            Err(error) => error,
        };
        let once = matches!(expected, Expect::ExactlyOne | Expect::Exactly(1));
        // The last line of a file may have no end, which a model that gives whole lines cannot know.
        let ended = |text: &str| text.strip_suffix('\n').map(str::to_owned);
        if let (true, EditError::NoMatch { .. }, Some(bare)) = (once, &error, ended(old))
            && !bare.trim().is_empty()
            && text.as_str().ends_with(bare.as_str())
            && let Ok(edited) = clada_edit::replace_text(
                &text,
                &bare,
                &ended(new).unwrap_or_else(|| new.to_owned()),
                expected,
                limit,
            )
        {
            return rewrite.edited(edited).over(path, Vec::new());
        }
        let lines =
            matches!(error, EditError::NoMatch { .. }).then(|| clada_edit::hunk_of_text(old, new)).flatten();
        let hunks = lines.filter(|_| once).map(|hunk| [hunk]);
        // Whole lines that differ in nothing but their ends: a heredoc cannot say CR, and a file may have both kinds.
        if let Some(hunks) = &hunks
            && let Ok(patched) = clada_edit::apply_hunks_tolerant(&text, hunks, Match::Exact, limit)
            && patched.named_rung().is_none()
            && !patched.unchanged
        {
            return rewrite.patched(patched, 1).over(path, Vec::new());
        }
        if let Some(hunks) = hunks.as_ref().filter(|_| level > Match::Exact) {
            match clada_edit::apply_hunks_tolerant(&text, hunks, level, limit) {
                Ok(patched) => return rewrite.patched(patched, 1).over(path, Vec::new()),
                // That nothing matches is said of the text that was asked for.
                Err(failure) if failure.kind() != ErrorKind::NoMatch => {
                    return Err(self.not_patched(&path, &text, hunks, &failure, level));
                }
                Err(_) => {}
            }
        }
        let mut failure = self.edit_failed(&error, &path, &text);
        if self.hint_allowed(&path, bytes.len()) {
            if let Some(hint) = clada_edit::hint_for_replace(&text, old, new, &error) {
                failure = self.advised(failure, &path, &text, old, hint);
            }
            if let Some(hunks) = hunks {
                failure = would_match(&text, &hunks, level, failure);
            }
        }
        Err(failure)
    }

    /// Edits the text of an existing file, in which `old` is looked for first.
    pub(super) fn edit_file(
        &mut self,
        path: RootedPath,
        edit: impl FnOnce(&Text<'_>) -> Result<Edited, EditError>,
        hint: impl FnOnce(&Text<'_>, &EditError) -> Option<Hint>,
        old: &str,
    ) -> Result<Write, Failure> {
        let rewrite = self.rewrite_of(&path)?;
        let bytes = Arc::clone(&rewrite.old);
        let text = decoded(&bytes, &path)?;
        match edit(&text) {
            Ok(edited) => rewrite.edited(edited).over(path, Vec::new()),
            Err(error) => {
                let failure = self.edit_failed(&error, &path, &text);
                let hint = self.hint_allowed(&path, bytes.len()).then(|| hint(&text, &error)).flatten();
                Err(match hint {
                    Some(hint) if matches!(error, EditError::NoMatch { .. }) => {
                        self.advised(failure, &path, &text, old, hint)
                    }
                    Some(hint) => self.hinted(failure, &path, &text, hint),
                    None => failure,
                })
            }
        }
    }

    fn edit_failed(&self, error: &EditError, path: &RootedPath, text: &Text<'_>) -> Failure {
        let place = error.line().map(|line| Box::new(self.place(path, text, line)));
        Failure { place, ..Failure::from_edit(error, path) }
    }

    pub(super) fn place(&self, path: &RootedPath, text: &Text<'_>, line: usize) -> FailurePlace {
        place::line(self.view.roots(), path, text, line, self.rules.lines)
    }

    fn rewrite_of(&mut self, path: &RootedPath) -> Result<Rewrite, Failure> {
        let node = self.view.node(path)?;
        let Node::File(file) = &node else { return Err(not_a_file(&node, path)) };
        self.rewrite(path, file).map(Rewrite::into_text)
    }

    /// Returns true if a hint may quote the file, and the operation has not searched too much already.
    pub(super) fn hint_allowed(&mut self, path: &RootedPath, bytes: usize) -> bool {
        if self.view.is_secret(path) {
            return false;
        }
        let allowed = self.hint_bytes >= bytes;
        self.hint_bytes = self.hint_bytes.saturating_sub(bytes.max(4096));
        allowed
    }

    pub(super) fn file_to_change(&mut self, written: &str) -> Result<RootedPath, Failure> {
        let path = self.resolve(written)?;
        if path.is_root() || path.written_as_folder() {
            return Err(Failure::at(ErrorKind::IsDirectory, "Path is a directory", path.written(), "EISDIR"));
        }
        self.view.refuse_sealed(&path)?;
        match self.is_not_checked_out(&path) {
            true => Err(not_checked_out(&path)),
            false => Ok(path),
        }
    }

    /// An action that names very many files is refused before any of them is looked at.
    pub(super) fn refuse_many(&self, listed: &str) -> Result<(), Failure> {
        let limit = self.rules.max_results;
        if paths(listed).nth(limit).is_none() {
            return Ok(());
        }
        let message = format!("More than limits.max_results of {limit} paths in one action (LIMIT_EXCEEDED)");
        Err(Failure::with_message(ErrorKind::LimitExceeded, message).hint("name them in several actions"))
    }

    pub(super) fn refuse_large(&self, path: &RootedPath, size: usize) -> Result<(), Failure> {
        let limit = self.rules.max_file_size;
        if size <= limit {
            return Ok(());
        }
        let issue = format!("Content of {size} bytes exceeds limits.max_file_size of {limit} bytes for");
        Err(Failure::at(ErrorKind::LimitExceeded, &issue, path.written(), "LIMIT_EXCEEDED"))
    }
}

fn replacement(edit: &TextEdit) -> Replacement<'_> {
    let expected = Expect::Exactly(usize::try_from(edit.count).unwrap_or(usize::MAX));
    Replacement { old: &edit.old_text, new: &edit.new_text, expected }
}

/// What `edit` does to lines; `None` if lines cannot say it, or it is for several places.
fn hunk(edit: &Replacement<'_>) -> Option<Hunk> {
    let hunk = || clada_edit::hunk_of_text(edit.old, edit.new);
    (edit.expected == Expect::Exactly(1)).then(hunk).flatten()
}

fn expect(count: Option<Count>, otherwise: Expect) -> Expect {
    match count {
        None => otherwise,
        Some(Count::All) => Expect::AtLeastOne,
        Some(Count::Exactly(count)) => Expect::Exactly(usize::try_from(count).unwrap_or(usize::MAX)),
    }
}
