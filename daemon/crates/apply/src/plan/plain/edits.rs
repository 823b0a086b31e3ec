//! Edits of a file that exists, as an answer shows them without an edit block: parts, replacements, diffs, and
//! text for a place.
//!
//! ````text
//! file              answer                          edit
//! def a(): …        `src/a.py`: def b(): new        part: merged by lines or by units
//! def b(): old      Replace `old` with: new         replacement: the ladder, exactly one place
//! ````
//!
//! Pure: the file's text in, the new text or a reason out. Nothing is ever placed by similarity.

use std::path::Path;

use clada_dialects::plain::{Candidate, Form};
use clada_edit::{
    Expect, Match, PatchFailure, Rung, Text, apply_hunks_tolerant, replace_text, replacing_hunk,
};
use clada_merge::{Level, Note, NoteKind, Part, Reason, merge};
use clada_protocol::ProposalForm;
use clada_schema::{Hunk, HunkLine};

use super::words;
use super::{insertion, remarks};

/// The notes that a proposal has of one edit.
const NOTES: usize = 20;

/// An edit as an answer shows it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edit<'c> {
    pub(super) form: &'c Form,
    /// Without the line that names the file.
    pub(super) content: &'c str,
    /// The text of the fence right above, which the content may replace.
    pub(super) old: Option<&'c str>,
    /// The file, from the project's root.
    pub(super) path: &'c str,
    /// The words above it in the answer.
    pub(super) words: &'c str,
    /// Names that the answer removes in so many words.
    pub(super) removals: &'c [String],
    /// The most bytes of a file.
    pub(super) limit: usize,
}

/// What an edit makes of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EditOutcome {
    Changed(EditedText),
    /// Nothing: the file is as the answer shows it.
    Already,
    /// Nothing, for this reason: words without a full stop.
    Refused(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditedText {
    pub(super) text: String,
    pub(super) form: ProposalForm,
    /// Sentences for the user: what happens to each unit.
    pub(super) notes: Vec<String>,
    /// True if names and indentation gave the place, and not lines.
    pub(super) is_by_structure: bool,
}

impl<'c> Edit<'c> {
    pub(super) fn new(candidate: &'c Candidate, content: &'c str, path: &'c str) -> Edit<'c> {
        let Candidate { form, old, words, .. } = candidate;
        Edit { form, content, old: old.as_deref(), path, words, removals: &[], limit: usize::MAX }
    }
}

impl Edit<'_> {
    pub(super) fn apply(&self, file: &str) -> EditOutcome {
        match self.form {
            Form::Code => self.code(file),
            Form::Replacement { old } => self.replacement(file, old),
            Form::Diff => self.diff(file),
            Form::Append | Form::Prepend | Form::Beside { .. } => insertion::apply(self, file),
            Form::Delete | Form::Move { .. } | Form::Commands => {
                EditOutcome::Refused("this is not an edit of a text".to_owned())
            }
        }
    }

    fn code(&self, file: &str) -> EditOutcome {
        let refusal = match self.part(file) {
            EditOutcome::Refused(reason) => reason,
            done => return done,
        };
        // Two fences below one label: the first is what the file has, the second what it is to have.
        let Some(old) = self.old.filter(|old| is_form_of(old, self.content)) else {
            return EditOutcome::Refused(refusal);
        };
        match self.replacement(file, old) {
            EditOutcome::Changed(changed) => {
                let note = "Replaces the lines that the answer shows right above it.".to_owned();
                EditOutcome::Changed(EditedText { notes: vec![note], form: ProposalForm::Part, ..changed })
            }
            EditOutcome::Already => EditOutcome::Already,
            EditOutcome::Refused(_) => EditOutcome::Refused(refusal),
        }
    }

    pub(super) fn part(&self, file: &str) -> EditOutcome {
        let name = Path::new(self.path).file_name().and_then(|name| name.to_str()).unwrap_or(self.path);
        let removals: Vec<&str> = self.removals.iter().map(String::as_str).collect();
        let part = Part {
            text: self.content,
            extension: name,
            removals: &removals,
            label_says_add: words::says_add(self.words),
        };
        match merge(file, &part) {
            Ok(merged) if remarks::differ_alone(file, &merged.text) => EditOutcome::Already,
            Ok(merged) => EditOutcome::Changed(EditedText {
                text: merged.text,
                form: ProposalForm::Part,
                notes: sentences(&merged.notes),
                is_by_structure: merged.level == Level::ByStructure,
            }),
            Err(refused) if refused.reason == Reason::AlreadyThere => EditOutcome::Already,
            Err(refused) => EditOutcome::Refused(refused.detail),
        }
    }

    /// Puts the content in the place of `old`, a text that `file` has once.
    fn replacement(&self, file: &str, old: &str) -> EditOutcome {
        let is_inline = !old.contains('\n');
        let new = if is_inline { dedented(self.content) } else { self.content.to_owned() };
        if old.trim().is_empty() || old.trim() == new.trim() {
            return EditOutcome::Refused("the old and the new text are the same".to_owned());
        }
        let hunk = replacing_hunk(old.trim_matches('\n'), new.trim_matches('\n'));
        match hunks_applied(file, &[hunk], self.limit) {
            Applied::Text(text) => return EditOutcome::Changed(replaced(text)),
            Applied::Already => return EditOutcome::Already,
            Applied::Ambiguous(count) => {
                return EditOutcome::Refused(format!("the old text is at {count} places of the file"));
            }
            Applied::No => {}
        }
        let (old, new) = (old.trim_end_matches('\n'), new.trim_end_matches('\n'));
        let Ok(text) = Text::decode(file.as_bytes()) else {
            return EditOutcome::Refused(NOT_THERE.to_owned());
        };
        let inline = is_inline.then(|| replace_text(&text, old, new, Expect::ExactlyOne, self.limit));
        match inline {
            Some(Ok(edited)) => string(edited.bytes).map_or_else(
                || EditOutcome::Refused(NOT_THERE.to_owned()),
                |text| EditOutcome::Changed(replaced(text)),
            ),
            Some(Err(_)) if file.matches(old).count() > 1 => {
                EditOutcome::Refused(format!("`{old}` is at several places of the file"))
            }
            _ if file.matches(new).count() == 1 && !new.trim().is_empty() && new.len() > 8 => {
                EditOutcome::Already
            }
            _ => EditOutcome::Refused(NOT_THERE.to_owned()),
        }
    }

    fn diff(&self, file: &str) -> EditOutcome {
        let readings = [Context::Signed, Context::Bare, Context::Spaced];
        let mut refusal = NOT_THERE.to_owned();
        for context in readings {
            let hunks = hunks(self.content, context);
            if hunks.iter().all(|hunk| hunk.lines.iter().all(|line| matches!(line, HunkLine::Context(_)))) {
                continue;
            }
            if hunks.iter().any(|hunk| hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)))) {
                refusal = "nothing says where the new lines go".to_owned();
                continue;
            }
            match hunks_applied(file, &hunks, self.limit) {
                Applied::Text(text) => return EditOutcome::Changed(replaced(text)),
                Applied::Already => return EditOutcome::Already,
                Applied::Ambiguous(count) => {
                    refusal = format!("its lines are at {count} places of the file");
                }
                Applied::No => {}
            }
        }
        EditOutcome::Refused(refusal)
    }
}

/// The reason for refusing a text that cannot be found.
const NOT_THERE: &str = "the file does not have the old lines";

fn replaced(text: String) -> EditedText {
    EditedText { text, form: ProposalForm::Replacement, notes: Vec::new(), is_by_structure: false }
}

enum Applied {
    Text(String),
    Already,
    Ambiguous(usize),
    No,
}

/// Applies `hunks` where nothing but blanks at line ends, blank lines around them and indentation differs.
fn hunks_applied(file: &str, hunks: &[Hunk], limit: usize) -> Applied {
    let Ok(text) = Text::decode(file.as_bytes()) else { return Applied::No };
    match apply_hunks_tolerant(&text, hunks, Match::Tolerant, limit) {
        Ok(patched) if patched.unchanged => Applied::Already,
        Ok(patched)
            if patched.chosen.is_empty()
                && patched.matched_by.iter().all(|rung| *rung <= Rung::AlreadyApplied) =>
        {
            string(patched.bytes).map_or(Applied::No, Applied::Text)
        }
        Ok(_) => Applied::No,
        Err(error) => match error.failure {
            PatchFailure::Ambiguous { found, .. } => Applied::Ambiguous(found),
            PatchFailure::AlreadyInFile { .. } => Applied::Already,
            _ => Applied::No,
        },
    }
}

fn string(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

/// The way in which the lines of a diff that stay are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// With a blank for a sign, as in a diff.
    Signed,
    /// As the file has them.
    Bare,
    /// All signs are followed by a blank.
    Spaced,
}

fn hunks(content: &str, context: Context) -> Vec<Hunk> {
    let mut hunks = vec![Hunk::default()];
    let without_blank = |text: &str| match context {
        Context::Spaced => text.strip_prefix(' ').unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    for line in content.lines() {
        let is_header =
            line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("diff --git ");
        if line.starts_with("@@") || is_header || is_gap(line) {
            hunks.push(Hunk::default());
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        hunk.lines.push(match line.bytes().next() {
            Some(b'+') => HunkLine::Added(without_blank(&line[1..])),
            Some(b'-') => HunkLine::Removed(without_blank(&line[1..])),
            Some(b' ') if context != Context::Bare => HunkLine::Context(without_blank(&line[1..])),
            Some(b'\\') => continue,
            _ => HunkLine::Context(line.to_owned()),
        });
    }
    for hunk in &mut hunks {
        let is_blank = |line: &HunkLine| matches!(line, HunkLine::Context(text) if text.trim().is_empty());
        while hunk.lines.last().is_some_and(is_blank) {
            hunk.lines.pop();
        }
        let blank = hunk.lines.iter().take_while(|line| is_blank(line)).count();
        hunk.lines.drain(..blank);
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    hunks
}

/// Returns true if a line of a diff, one that stays, says that lines are left out.
fn is_gap(line: &str) -> bool {
    !line.starts_with(['+', '-']) && clada_dialects::elision(line.trim()).is_some()
}

/// Returns true if `new` may be another form of `old`: they begin or end alike, or have a third of the lines in
/// common, or are one line each.
fn is_form_of(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let (Some(_), Some(_)) = (old.first(), new.first()) else { return false };
    let common = new.iter().filter(|line| old.contains(line)).count();
    let is_short = old.len() == 1 && new.len() == 1;
    // Half a text that goes for a few lines is no other form of it.
    let is_like = 3 * common >= old.len() || old.first() == new.first() || old.last() == new.last();
    is_short || is_like && 2 * new.len() >= old.len()
}

/// Returns `text` without the indentation that all of its lines have.
pub(super) fn dedented(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let width = text.lines().filter(|line| !line.trim().is_empty()).map(blanks).min().unwrap_or(0);
    let mut out: String = text
        .lines()
        .map(|line| format!("{}\n", line.get(width.min(blanks(line))..).unwrap_or_default()))
        .collect();
    if !text.ends_with('\n') {
        out.pop();
    }
    out
}

/// Returns the notes as sentences: what goes and what is guessed first.
fn sentences(notes: &[Note]) -> Vec<String> {
    let weight = |note: &&Note| match note.kind {
        NoteKind::Removed { is_mentioned: false, .. } | NoteKind::NotRemoved => 0,
        _ if note.is_guess => 1,
        NoteKind::Removed { .. } => 2,
        _ => 3,
    };
    let mut sorted: Vec<&Note> = notes.iter().collect();
    sorted.sort_by_key(weight);
    let mut out: Vec<String> = sorted.iter().take(NOTES).map(|note| sentence(&note.to_string())).collect();
    if sorted.len() > NOTES {
        out.push(format!("{} more changes are in the diff.", sorted.len() - NOTES));
    }
    out
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}.", chars.as_str())
}
