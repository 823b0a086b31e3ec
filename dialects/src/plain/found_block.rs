//! The blocks that the reader of plain answers passed, and what becomes of those that are not applied.
//!
//! One that words only doubt is a question, as code under a condition is: its edits become candidates.
//!
//! ````text
//! Only if you use Redis:  + SEARCH/REPLACE block      a replacement, under a condition
//! ## Rejected             + SEARCH/REPLACE block      named, and not applied
//! ````

use std::borrow::Cow;
use std::ops::Range;

use clada_schema::{HunkLine, IfExists, RawAction, RawHunk};

use super::content::cut;
use super::lead::Lead;
use super::{Candidate, Form, Group, Place, words};

// What becomes of a block that is not applied.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Withheld {
    // It is no edit, but this.
    Passed(&'static str),
    // It is named, with this reason.
    Named(&'static str),
    // The user decides on it.
    Question,
    // The plain answer names it: a note, or a candidate.
    Noted,
}

const CONDITIONAL: &str = "The words around this edit make it optional or conditional";

/// Returns the hint about an edit block that the line `words` makes conditional, and that cannot be decided on.
#[must_use]
pub fn conditional_block(words: &str) -> String {
    not_applied(CONDITIONAL, words)
}

// Returns the hint about a block that is not applied for the reason `why`, which the line `words` gives.
pub(crate) fn not_applied(why: &str, words: &str) -> String {
    let quoted = if words.is_empty() { String::new() } else { format!(" (“{words}”)") };
    format!("{why}{quoted}: to apply it, copy the block alone")
}

// A block that is not applied because of the words around it.
#[derive(Debug)]
pub(crate) struct BlockStanding {
    pub(crate) number: usize,
    // The line that says so.
    pub(crate) words: String,
    pub(crate) verdict: Withheld,
}

#[derive(Debug)]
pub(super) struct FoundBlock {
    pub(super) number: usize,
    pub(super) lead: Lead,
    // The line that says so.
    pub(super) words: String,
    pub(super) is_taken_back: bool,
    // The level of the heading above that names a project, which may be this one.
    pub(super) project_level: Option<usize>,
}

impl FoundBlock {
    pub(super) fn take_back(&mut self, is_certain: bool, words: &str) {
        self.is_taken_back |= is_certain;
        if !is_certain {
            self.lead = self.lead.max(Lead::Condition);
        }
        cut(words).clone_into(&mut self.words);
    }
}

// Returns the `actions` of a block in `lines` as candidates that the line `words` makes conditional; `None` if one of them has
// no plain form.
pub(crate) fn conditional_edits(
    actions: &[RawAction<'_>],
    lines: &Range<u32>,
    words: &str,
) -> Option<Vec<Candidate>> {
    let candidate = |path: &str, form: Form, content: String| {
        let language = if form == Form::Diff { "diff" } else { "" };
        Candidate {
            content,
            language: language.to_owned(),
            words: words.to_owned(),
            conditional: true,
            optional: words::is_option(words),
            ..Candidate::of(lines.clone(), form, Group::of(Place::Block, lines.start, path.to_owned(), true))
        }
    };
    let replacement = |path: &str, old: &str, new: &str| {
        candidate(path, Form::Replacement { old: old.to_owned() }, new.to_owned())
    };
    let mut candidates = Vec::new();
    // Half of a block is worse than none: all of its actions have a form, or the block is named.
    for action in actions {
        let path = action.field("path").or_else(|| action.field("old_path"))?;
        match action.name.as_deref()? {
            "file_write" => {
                candidates.push(candidate(path, Form::Code, action.field("content")?.to_owned()));
            }
            "file_replace_text" => {
                candidates.push(replacement(path, action.field("old_text")?, action.field("new_text")?));
            }
            "file_replace_texts" if action.edits.iter().all(|edit| edit.count == 1) => {
                let edits = action.edits.iter();
                candidates.extend(edits.map(|edit| replacement(path, &edit.old_text, &edit.new_text)));
            }
            "file_patch" => {
                let (form, content) = patch(action)?;
                candidates.push(candidate(path, form, content));
            }
            "file_delete" => candidates.push(candidate(path, Form::Delete, String::new())),
            "file_move" => {
                let to = action.field("new_path")?.to_owned();
                candidates.push(candidate(path, Form::Move { to }, String::new()));
            }
            _ => return None,
        }
    }
    (!candidates.is_empty()).then_some(candidates)
}

// Returns the hunks of `action` as a diff, or as the text of the file that they make.
fn patch(action: &RawAction<'_>) -> Option<(Form, String)> {
    let is_plain = |hunk: &RawHunk<'_>| {
        hunk.after_line.is_none() && hunk.final_newline.is_none() && !hunk.at_end_of_file
    };
    if action.terms.executable.is_some() || !action.hunks.iter().all(is_plain) {
        return None;
    }
    if action.terms.if_exists == IfExists::Fail {
        let lines = action.hunks.iter().flat_map(|hunk| &hunk.lines);
        return Some((Form::Code, lines.map(|line| format!("{}\n", line.text())).collect()));
    }
    let hunk = |hunk: &RawHunk<'_>| format!("@@\n{}", hunk.lines.iter().map(signed).collect::<String>());
    Some((Form::Diff, action.hunks.iter().map(hunk).collect()))
}

fn signed(line: &HunkLine<Cow<'_, str>>) -> String {
    let sign = match line {
        HunkLine::Context(_) => ' ',
        HunkLine::Removed(_) => '-',
        HunkLine::Added(_) => '+',
    };
    format!("{sign}{}\n", line.text())
}
