//! One edit of a plain answer and its outcome, and the merge of a part, which every form falls back on.

use std::path::Path;

use clada_dialects::plain::{Candidate, Form};
use clada_merge::{Edge, Level, Merged, Note, NoteKind, Part, Reason, Refused, insert, merge};
use clada_protocol::ProposalForm;

use super::remarks;
use super::words;

const NOTES: usize = 20;

#[derive(Debug, Clone, Copy)]
pub(super) struct PlainEdit<'c> {
    pub(super) form: &'c Form,
    /// Without the line that names the file.
    pub(super) content: &'c str,
    /// The text of the fence right above, which the content may replace.
    pub(super) old: Option<&'c str>,
    pub(super) path: &'c str,
    pub(super) is_named_diff: bool,
    /// True if the answer names the file right above the code, as one that it changes.
    pub(super) is_labelled: bool,
    pub(super) words: &'c str,
    /// Names that the answer removes in so many words.
    pub(super) removals: &'c [String],
    /// The line that stands for others in the content, if one was found; else empty.
    pub(super) marker: &'c str,
    pub(super) limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EditOutcome {
    Changed(EditedText),
    Already,
    /// Nothing, for this reason: words without a full stop.
    Refused(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EditedText {
    pub(super) text: String,
    pub(super) form: ProposalForm,
    pub(super) notes: Vec<String>,
    /// True if names and indentation gave the place, and not lines.
    pub(super) is_by_structure: bool,
}

impl<'c> PlainEdit<'c> {
    pub(super) fn new(candidate: &'c Candidate, content: &'c str, path: &'c str) -> PlainEdit<'c> {
        let Candidate { form, old, words, language, .. } = candidate;
        let is_named_diff = matches!(&**language, "diff" | "patch" | "udiff");
        PlainEdit {
            form,
            content,
            old: old.as_deref(),
            path,
            is_named_diff,
            is_labelled: false,
            words,
            removals: &[],
            marker: "",
            limit: usize::MAX,
        }
    }
}

impl PlainEdit<'_> {
    pub(super) fn part(&self, file: &str) -> EditOutcome {
        self.merged(file, merge)
    }

    // Puts the content at the end or the top of a part of `file`.
    pub(super) fn at_edge(&self, file: &str, edge: Edge<'_>) -> EditOutcome {
        match self.merged(file, |file, part| insert(file, part, edge)) {
            EditOutcome::Changed(changed) => {
                EditOutcome::Changed(EditedText { form: ProposalForm::Insertion, ..changed })
            }
            done => done,
        }
    }

    fn merged(&self, file: &str, merge: impl Fn(&str, &Part<'_>) -> Result<Merged, Refused>) -> EditOutcome {
        let name = Path::new(self.path).file_name().and_then(|name| name.to_str()).unwrap_or(self.path);
        let removals: Vec<&str> = self.removals.iter().map(String::as_str).collect();
        let part = Part {
            text: self.content,
            extension: name,
            removals: &removals,
            label_says_add: words::says_add(self.words)
                || *self.form == Form::Append
                || *self.form == Form::Code && words::has_add(self.words),
            is_labelled: self.is_labelled,
            label_says_beginning: words::says_beginning(self.words),
            words: self.words,
            marker: self.marker,
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
}

// Returns the blanks and tabs that `line` begins with.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

// Returns the lines of `content` behind `indent`, each ended; empty ones stay empty.
pub(super) fn indented(content: &str, indent: &str) -> String {
    let line = |line: &str| if line.is_empty() { "\n".to_owned() } else { format!("{indent}{line}\n") };
    content.lines().map(line).collect()
}

pub(super) fn dedented(text: &str) -> String {
    let blanks = |line: &str| indent_of(line).len();
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

// Returns the notes as sentences: what goes and what is guessed first.

fn sentences(notes: &[Note]) -> Vec<String> {
    let weight = |note: &&Note| match note.kind {
        NoteKind::Removed { is_mentioned: false, .. } | NoteKind::Unused | NoteKind::NotRemoved => 0,
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
