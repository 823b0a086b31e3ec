//! The edits of an answer's plain forms, file by file: those of one file are made in order, one over the other,
//! and are one proposal.
//!
//! ````text
//! `a.py`: def a(): new      p1: a.py with both merged into it
//! `a.py`: def b(): new
//! ````
//!
//! One that cannot be made is a notice with its reason; the others of its file are made all the same.

use std::sync::Arc;

use clada_dialects::plain::{Candidate, Form, Place};
use clada_protocol::{Attention, NamedBy, ProposalForm};

use super::edits::{Edit, EditOutcome, EditedText};
use super::files::Files;
use super::tie::{Bound, Tied};
use super::versions::Draft;
use super::which::Target;
use super::words;
use crate::read::proposal::Change;

/// An edit of a file, with where it stands in the answer.
struct Pending<'b, 'c> {
    bound: &'b Bound<'c>,
    target: Target,
    content: String,
    /// The line that stands for others in it.
    marker: Option<String>,
    /// The old path of the file, if the answer moves it.
    moved: Option<String>,
}

/// The edits of an answer, in document order.
pub(super) struct Edits<'b, 'c> {
    pending: Vec<Pending<'b, 'c>>,
    /// Names that the answer removes in so many words.
    removals: &'b [String],
}

struct Made<'p, 'b, 'c> {
    text: Arc<str>,
    done: Vec<(&'p Pending<'b, 'c>, EditedText)>,
}

impl<'b, 'c> Edits<'b, 'c> {
    pub(super) fn new(removals: &'b [String]) -> Edits<'b, 'c> {
        Edits { pending: Vec::new(), removals }
    }

    /// Adds an edit of `target`; `marker` is the line in `content` that stands for others.
    pub(super) fn add(
        &mut self,
        bound: &'b Bound<'c>,
        target: &Target,
        content: String,
        marker: Option<String>,
    ) {
        self.pending.push(Pending { bound, target: target.clone(), content, marker, moved: None });
    }

    /// Returns the number of edits that were added and not left out.
    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Leaves out the parts of files of which `has_all`: they are shown for the reader.
    pub(super) fn leave_out(&mut self, has_all: impl Fn(&str) -> bool) {
        self.pending.retain(|edit| !has_all(&edit.target.path));
    }

    /// Makes edits of files that move to their new paths: those of the old path, and those of the new one.
    pub(super) fn follow_moves(&mut self, drafts: &mut [Draft], files: &mut Files<'_, '_>) {
        for draft in drafts {
            let from = draft.proposal.path.clone();
            let Change::Move(to) = &draft.proposal.change else { continue };
            let is_of_it = |edit: &&mut Pending<'_, '_>| {
                edit.target.path == from || edit.target.path == *to && !edit.target.exists
            };
            for edit in self.pending.iter_mut().filter(is_of_it) {
                edit.moved = Some(from.clone());
                edit.target.path = to.clone();
            }
        }
        // The text of a file that moves is that of its old path.
        self.pending.retain(|edit| edit.moved.as_ref().is_none_or(|from| files.text(from).is_some()));
    }

    /// Makes the edits: drafts of those that can be made, notices of the others.
    pub(super) fn make(&self, files: &mut Files<'_, '_>, tied: &mut Tied, drafts: &mut Vec<Draft>) {
        let (choices, others): (Vec<&Pending<'_, '_>>, Vec<_>) =
            self.pending.iter().partition(|edit| !edit.bound.others.is_empty());
        for edit in choices {
            self.make_one_draft(&[edit], files, tied, drafts);
        }
        let mut seen: Vec<&str> = Vec::new();
        for edit in &others {
            let path = edit.target.path.as_str();
            if seen.contains(&path) {
                continue;
            }
            seen.push(path);
            let of_file: Vec<&Pending<'_, '_>> =
                others.iter().copied().filter(|other| other.target.path == path).collect();
            let (optional, certain): (Vec<&Pending<'_, '_>>, Vec<_>) =
                of_file.iter().partition(|edit| edit.bound.candidate.optional);
            match (certain.len(), optional.len()) {
                // "Alternatively, …"
                (1.., 1) => {
                    self.make_one_draft(&certain, files, tied, drafts);
                    self.make_one_draft(&optional, files, tied, drafts);
                }
                // "Option 1: …", "Option 2: …", with what goes with each.
                (_, 2..) => optional.iter().for_each(|one| {
                    let all: Vec<&Pending<'_, '_>> = of_file
                        .iter()
                        .copied()
                        .filter(|edit| !edit.bound.candidate.optional || std::ptr::eq(*edit, *one))
                        .collect();
                    self.make_one_draft(&all, files, tied, drafts);
                }),
                _ => self.make_one_draft(&of_file, files, tied, drafts),
            }
        }
    }

    fn make_one_draft(
        &self,
        edits: &[&Pending<'b, 'c>],
        files: &mut Files<'_, '_>,
        tied: &mut Tied,
        drafts: &mut Vec<Draft>,
    ) {
        let Some(first) = edits.first() else { return };
        let path = &first.target.path;
        if let Some(reason) = files.denied(path) {
            tied.notices.push(words::denied(first.bound.candidate, path, &reason));
            return;
        }
        if !first.target.exists && first.moved.is_none() {
            edits.iter().for_each(|edit| create(edit, tied, drafts));
            return;
        }
        let Some(old) = files.text(first.moved.as_ref().unwrap_or(path)) else {
            tied.notices.push(words::unreadable(first.bound.candidate, path));
            return;
        };
        // What commands append to the file is there before.
        let commanded =
            drafts.iter().position(|draft| draft.proposal.path == *path && draft.commanded_text().is_some());
        let base =
            commanded.and_then(|at| drafts[at].commanded_text()).map_or_else(|| Arc::clone(&old), Arc::from);
        let made = self.apply(edits, base, files.limit(), tied);
        let Some((first, _)) = made.done.first() else { return };
        let mut draft = draft(first, &made, &old);
        if let Some(at) = commanded {
            let lines = drafts.remove(at).proposal.lines;
            draft.proposal.notes.push(format!("The commands in line {} are done before.", lines.start));
            draft.as_whole = None;
        }
        drafts.push(draft);
    }

    /// Makes `edits` one over the other in `old`.
    fn apply<'p>(
        &self,
        edits: &[&'p Pending<'b, 'c>],
        old: Arc<str>,
        limit: usize,
        tied: &mut Tied,
    ) -> Made<'p, 'b, 'c> {
        let mut made = Made { text: old, done: Vec::new() };
        let mut already = None;
        for pending in edits {
            let candidate = pending.bound.candidate;
            let path = &pending.target.path;
            if !candidate.closed {
                tied.notices.push(words::cut_off(
                    candidate,
                    path,
                    &super::whole::last_line(&pending.content),
                ));
                continue;
            }
            let edit =
                Edit { removals: self.removals, limit, ..Edit::new(candidate, &pending.content, path) };
            match edit.apply(&made.text) {
                EditOutcome::Changed(changed) => {
                    made.text = changed.text.as_str().into();
                    made.done.push((pending, changed));
                }
                EditOutcome::Already if pending.bound.named_by != NamedBy::Content => already = Some(path),
                EditOutcome::Already => {}
                // Sentences mention much that is no change.
                EditOutcome::Refused(_) if is_sentence(candidate) && !resembles(candidate, &made.text) => {}
                EditOutcome::Refused(_) if !pending.is_named_near() => {
                    tied.unnamed.push(candidate.lines.start)
                }
                EditOutcome::Refused(reason) => {
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
            }
        }
        if let Some(path) = already.filter(|_| made.done.is_empty()) {
            tied.is_already(path);
        }
        made
    }
}

impl Pending<'_, '_> {
    /// Returns true if the answer names the file for this very piece. What resembles a file is a part of it;
    /// that it is meant as a change nobody said.
    fn is_named_near(&self) -> bool {
        if self.bound.candidate.form != Form::Code {
            return true;
        }
        let is_near = |named: super::which::Naming| {
            !named.held && !matches!(named.place, Place::Sentence | Place::Below)
        };
        self.bound.named_by != NamedBy::Content && self.target.named.is_none_or(is_near)
    }
}

/// Returns true if the old text of `candidate` is in `text`, in several places or with other blanks.
fn resembles(candidate: &Candidate, text: &str) -> bool {
    let Form::Replacement { old } = &candidate.form else { return false };
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let old = bare(old);
    old.len() > 3 && text.lines().any(|line| bare(line).contains(&old))
}

/// Returns true if `candidate` is a sentence that states an edit, and no code.
pub(super) fn is_sentence(candidate: &Candidate) -> bool {
    matches!(candidate.form, Form::Replacement { .. } | Form::Beside { .. }) && candidate.lines.len() == 1
}

/// Drafts the file that an insertion makes where there is none; other edits of it are notices.
fn create(edit: &Pending<'_, '_>, tied: &mut Tied, drafts: &mut Vec<Draft>) {
    let candidate = edit.bound.candidate;
    if is_sentence(candidate) {
        return;
    }
    match candidate.form {
        Form::Append | Form::Prepend if candidate.closed && !edit.content.trim().is_empty() => {
            let content = format!("{}\n", edit.content.trim_matches('\n'));
            drafts.push(Draft::new(edit.bound, &edit.target, ProposalForm::New, None, content));
        }
        _ => {
            let reason = "the project has no such file";
            tied.notices.push(words::edit(
                candidate,
                words::kind(&candidate.form),
                &edit.target.path,
                reason,
            ));
        }
    }
}

fn draft(first: &Pending<'_, '_>, made: &Made<'_, '_, '_>, old: &str) -> Draft {
    let forms: Vec<ProposalForm> = made.done.iter().map(|(_, changed)| changed.form).collect();
    let form = if forms.iter().all(|form| *form == forms[0]) { forms[0] } else { ProposalForm::Part };
    let text = made.text.to_string();
    let mut draft = Draft::new(first.bound, &first.target, form, Some(old), text);
    let proposal = &mut draft.proposal;
    if made.done.iter().any(|(_, changed)| changed.is_by_structure) {
        proposal.attention.push(Attention::Inferred);
    }
    let is_guessed = |(edit, _): &(&Pending<'_, '_>, EditedText)| edit.bound.named_by == NamedBy::Content;
    if made.done.iter().any(is_guessed) && !proposal.attention.contains(&Attention::Guessed) {
        proposal.attention.push(Attention::Guessed);
    }
    let is_conditional = |(edit, _): &(&Pending<'_, '_>, EditedText)| edit.bound.candidate.conditional;
    if made.done.iter().any(is_conditional) && !proposal.attention.contains(&Attention::Conditional) {
        proposal.attention.push(Attention::Conditional);
    }
    if made.done.len() > 1 {
        let lines = |(edit, _): &(&Pending<'_, '_>, EditedText)| {
            let lines = &edit.bound.candidate.lines;
            format!("{}–{}", lines.start, lines.end.saturating_sub(1).max(lines.start))
        };
        let all: Vec<String> = made.done.iter().map(lines).collect();
        let (count, all) = (all.len(), all.join(", "));
        proposal.notes.push(format!("{count} pieces of the answer: lines {all}."));
    }
    for (_, changed) in &made.done {
        proposal.notes.extend(changed.notes.iter().cloned());
    }
    if let Some(from) = &first.moved {
        proposal.notes.push(format!("The file is {from} until now."));
    } else if let [(edit, EditedText { form: ProposalForm::Part, .. })] = &made.done[..]
        && edit.marker.is_none()
        && edit.bound.candidate.form == Form::Code
    {
        let whole =
            Draft::new(edit.bound, &edit.target, ProposalForm::Whole, Some(old), edit.content.clone());
        draft.as_whole = Some(Box::new(whole.proposal));
    }
    draft
}
