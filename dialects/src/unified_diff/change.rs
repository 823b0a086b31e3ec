//! From a header and hunks to their raw action, or to their faults.
//!
//! Knows the meaning of a diff's words; nothing of lines of an answer, but to give the place of a fault.

use clada_schema::{HunkLine, IfExists, RawAction, RawField, RawHunk};

use super::header::Header;
use super::name::{Name, bare};
use crate::Code;
use crate::cursor::Line;
use crate::findings::{Fault, LineFault};
use crate::hunk::{OpenHunk, adds_or_is_blank, text_of};

pub(super) struct Change<'a> {
    pub(super) first: Line<'a>,
    pub(super) header: Header<'a>,
    pub(super) hunks: Vec<OpenHunk<'a>>,
}

/// The effect on the file, by its names.
enum Target<'a> {
    Created(Name<'a>),
    Deleted(Name<'a>),
    Moved(Name<'a>, Name<'a>),
    Stays(Name<'a>),
    /// Two names without a move: it is unclear which file is meant.
    Unclear(Name<'a>, Name<'a>),
}

impl<'a> Change<'a> {
    pub(super) fn action(mut self, faults: &mut Vec<LineFault<'a>>) -> RawAction<'a> {
        if let Some((line, what)) = self.header.unsupported {
            let message = format!("Diffs that carry {what} are not applied: say it with another action");
            faults.push((line, Fault::error(Code::UnsupportedPatch, message, None)));
        }
        if let Some(line) = self.header.unreadable {
            let message = "The file's name cannot be read: its quotes or escapes are wrong";
            faults.push((line, Fault::error(Code::MissingPath, message, None)));
        }
        let first = self.first;
        let Some(target) = self.target() else {
            // A fault reported above already explains the missing name.
            if faults.is_empty() {
                let message =
                    "The diff names no file: write `--- a/PATH` and `+++ b/PATH` before its first @@";
                faults.push((first, Fault::error(Code::MissingPath, message, None)));
            }
            return RawAction { name: Some("file_patch".into()), ..RawAction::default() };
        };
        let executable = self.header.executable;
        let mut action = match target {
            Target::Created(path) => self.create(path, faults),
            Target::Deleted(path) => self.delete(path, faults),
            Target::Moved(from, to) => self.patch(from, Some(to), faults),
            Target::Stays(path) => self.patch(path, None, faults),
            Target::Unclear(old, new) => {
                if faults.is_empty() {
                    let message = format!(
                        "The diff names two files, '{}' and '{}': name one twice, or put `rename from` and `rename \
                         to` before them for a move",
                        old.text, new.text
                    );
                    faults.push((first, Fault::error(Code::MissingPath, message, None)));
                }
                self.patch(new, None, faults)
            }
        };
        action.terms.executable = executable;
        action
    }

    fn target(&mut self) -> Option<Target<'a>> {
        let header = &mut self.header;
        if let (Some(from), Some(to)) = (header.rename_from.take(), header.rename_to.take()) {
            return Some(if from.text == to.text { Target::Stays(to) } else { Target::Moved(from, to) });
        }
        let (git_old, git_new) = header.git.take().unzip();
        let old = header.old.take().or(git_old);
        let new = header.new.take().or(git_new);
        let (old, new) = match (old, new) {
            (Some(old), Some(new)) => bare(old, new),
            (Some(only), None) => (only.clone().without("a/"), only.without("a/")),
            (None, Some(only)) => (only.clone().without("b/"), only.without("b/")),
            (None, None) => return None,
        };
        let created = header.created || old.is_nowhere();
        // `diff -N` names a file that is gone as any other, and only its time says so.
        let mut lines = self.hunks.iter().flat_map(OpenHunk::lines).peekable();
        let removes_all = lines.peek().is_some() && lines.all(|line| matches!(line, HunkLine::Removed(_)));
        if header.new_at_epoch && removes_all && old.may_be(&new) {
            return Some(Target::Deleted(new));
        }
        let deleted = header.deleted || new.is_nowhere();
        match (created, deleted) {
            (true, true) => None,
            (true, false) => Some(Target::Created(new)),
            (false, true) => Some(Target::Deleted(old)),
            (false, false) if old.may_be(&new) => Some(Target::Stays(new)),
            (false, false) => Some(Target::Unclear(old, new)),
        }
    }

    fn create(self, path: Name<'a>, faults: &mut Vec<LineFault<'a>>) -> RawAction<'a> {
        if self.hunks.is_empty() && self.header.plain {
            report_no_changes(self.first, faults);
        }
        if !self.hunks.iter().flat_map(OpenHunk::lines).all(adds_or_is_blank) {
            let message = "The diff of a new file has lines without `+`: put `+` before each of its lines";
            faults.push((self.first, Fault::error(Code::UnexpectedLine, message, None)));
        }
        let content = text_of(&self.hunks).into();
        let content = RawField { name: "content".into(), value: content, span: self.first.place() };
        let mut action = named("file_write", vec![path.field("path"), content]);
        action.terms.if_exists = IfExists::Fail;
        action
    }

    fn delete(self, path: Name<'a>, faults: &mut Vec<LineFault<'a>>) -> RawAction<'a> {
        let mut action = named("file_delete", vec![path.field("path")]);
        action.hunks = self.hunks.into_iter().map(OpenHunk::finish).collect();
        let mut lines = action.hunks.iter().flat_map(|hunk| &hunk.lines);
        if lines.any(|line| matches!(line, HunkLine::Added(_))) {
            let message = "The diff of a deleted file has lines with `+`";
            faults.push((self.first, Fault::error(Code::UnexpectedLine, message, None)));
        }
        action.hunks.iter_mut().for_each(clear_end);
        action
    }

    fn patch(self, path: Name<'a>, to: Option<Name<'a>>, faults: &mut Vec<LineFault<'a>>) -> RawAction<'a> {
        let had_hunks = !self.hunks.is_empty();
        let hunks: Vec<_> = self.hunks.into_iter().filter(OpenHunk::changes).map(OpenHunk::finish).collect();
        if hunks.is_empty()
            && (had_hunks || self.header.plain || to.is_none() && self.header.executable.is_none())
        {
            report_no_changes(self.first, faults);
        }
        let Some(to) = to else {
            return RawAction { hunks, ..named("file_patch", vec![path.field("path")]) };
        };
        if hunks.is_empty() && self.header.executable.is_none() {
            let mut action = named("file_move", vec![path.field("old_path"), to.field("new_path")]);
            action.terms.if_exists = IfExists::Fail;
            return action;
        }
        RawAction { hunks, ..named("file_patch", vec![path.field("path"), to.field("newPath")]) }
    }
}

fn named<'a>(name: &'static str, fields: Vec<RawField<'a>>) -> RawAction<'a> {
    RawAction { name: Some(name.into()), fields, ..RawAction::default() }
}

fn report_no_changes<'a>(first: Line<'a>, faults: &mut Vec<LineFault<'a>>) {
    if faults.is_empty() {
        let message = "The diff changes nothing: it has no line with `+` or `-` below its header";
        faults.push((first, Fault::error(Code::EmptyPatch, message, None)));
    }
}

fn clear_end(hunk: &mut RawHunk<'_>) {
    hunk.final_newline = None;
}
