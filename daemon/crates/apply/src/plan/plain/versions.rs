//! Drafts of proposals: their attention and notes, and which of them exclude each other.
//!
//! ````text
//! two whole listings of a.py     p1, p2: one choice
//! one part without markers       p1: the part; p2: the same as the whole file (`whole_of`)
//! ````

use std::collections::HashMap;
use std::sync::Arc;

use clada_protocol::{Attention, NamedBy, ProposalForm};

use super::tied::BoundCandidate;
use super::which::FileTarget;
use crate::read::proposal::{Change, Proposal};

/// A proposal that may still be one of several versions.
pub(super) struct Draft {
    pub(super) proposal: Proposal,
    pub(super) candidate: usize,
    pub(super) is_choice: bool,
    /// The same code taken as the whole file, if it is a part without markers.
    pub(super) as_whole: Option<Box<Proposal>>,
}

impl Draft {
    pub(super) fn is_whole(&self) -> bool {
        matches!(self.proposal.form, ProposalForm::New | ProposalForm::Whole)
    }

    pub(super) fn text(&self) -> &str {
        match &self.proposal.change {
            Change::Write(text) => text,
            Change::Delete | Change::Move(_) => "",
        }
    }

    // Returns the text of the file, if this creates the one at `path`.
    pub(super) fn new_text(&self, path: &str) -> Option<&Arc<str>> {
        match &self.proposal.change {
            Change::Write(text) if self.proposal.form == ProposalForm::New && self.proposal.path == path => {
                Some(text)
            }
            _ => None,
        }
    }

    // Returns true if this takes most of a file away that the answer does not name: the code is not for it.
    pub(super) fn shrinks_guessed(&self) -> bool {
        self.proposal.named_by == NamedBy::Content && self.proposal.attention.contains(&Attention::Shrinks)
    }

    /// Says what the user should look at: it is not applied without a question.
    pub(super) fn doubt(&mut self, note: String) {
        self.proposal.notes.push(note);
        self.proposal.is_doubtful = true;
    }

    pub(super) fn commanded_text(&self) -> Option<&str> {
        match &self.proposal.change {
            Change::Write(text) if self.proposal.named_by == NamedBy::Command => Some(text),
            _ => None,
        }
    }

    pub(super) fn new(
        bound: &BoundCandidate<'_>,
        target: &FileTarget,
        form: ProposalForm,
        old: Option<&str>,
        new: String,
    ) -> Draft {
        let shrinks = old.is_some_and(|old| shrinks(old, &new));
        let mut draft = Draft::of_change(bound, target, form, Change::Write(new.into()));
        if shrinks {
            draft.proposal.attention.push(Attention::Shrinks);
        }
        draft
    }

    pub(super) fn of_change(
        bound: &BoundCandidate<'_>,
        target: &FileTarget,
        form: ProposalForm,
        change: Change,
    ) -> Draft {
        let candidate = bound.candidate;
        let path = &target.path;
        let mut attention = Vec::new();
        match form {
            ProposalForm::Delete => attention.push(Attention::Deletion),
            ProposalForm::Move => attention.push(Attention::Move),
            ProposalForm::Part => attention.push(Attention::Part),
            _ => {}
        }
        if bound.named_by == NamedBy::Content {
            attention.push(Attention::Guessed);
        }
        if target.written.is_some() {
            attention.push(Attention::Remapped);
        }
        if candidate.conditional || candidate.optional {
            attention.push(Attention::Conditional);
        }
        // Dot files and files that run by themselves often configure tools: the user should look twice at any
        // change.
        if path.split('/').any(|part| part.starts_with('.')) {
            attention.push(Attention::Dotfile);
        }
        if super::runs::configures(path) {
            attention.push(Attention::Runs);
        }
        let mut notes: Vec<String> = bound.why.iter().cloned().collect();
        if candidate.is_block() && !candidate.words.is_empty() {
            notes.push(format!("The words around this edit hold it back: “{}”.", candidate.words));
        }
        notes.extend(target.written.as_ref().map(|written| about_other_path(written, target, form)));
        let proposal = Proposal {
            number: bound.number,
            path: path.clone(),
            form,
            change,
            named_by: bound.named_by,
            lines: candidate.lines.clone(),
            words: candidate.words.clone(),
            attention,
            notes,
            alternatives: Vec::new(),
            whole_of: None,
            is_doubtful: false,
        };
        Draft { proposal, candidate: bound.number, is_choice: !bound.others.is_empty(), as_whole: None }
    }
}

// Returns the words about `target`, which the answer writes as `written`.
fn about_other_path(written: &str, target: &FileTarget, form: ProposalForm) -> String {
    fn name(path: &str) -> &str {
        path.rsplit(['/', '\\']).next().unwrap_or(path)
    }
    let path = &target.path;
    if form == ProposalForm::New {
        format!("The answer writes `{written}`; the new file is {path}.")
    } else if name(written) == name(path) {
        format!("The answer writes `{written}`; the project has a file of that name at {path}.")
    } else {
        format!("The answer writes `{written}`, which the project does not have; {path} is the closest.")
    }
}

/// Returns true if more than half of the lines of `old` go.
fn shrinks(old: &str, new: &str) -> bool {
    let lines = old.lines().filter(|line| !line.trim().is_empty()).count();
    clada_edit::line_counts(old.as_bytes(), new.as_bytes()).is_some_and(|(_, removed)| removed * 2 > lines)
}

/// Makes versions of one file a choice; equal ones are one.
pub(super) fn settle_versions(drafts: &mut Vec<Draft>) {
    let mut settled: Vec<Draft> = Vec::new();
    for draft in drafts.drain(..) {
        let same = |other: &Draft| {
            other.proposal.path == draft.proposal.path && other.proposal.change == draft.proposal.change
        };
        if !settled.iter().any(same) {
            settled.push(draft);
        }
    }
    *drafts = settled;
}

pub(super) fn numbered(drafts: Vec<Draft>, candidates: usize) -> Vec<Proposal> {
    let mut next = candidates + 1;
    let mut seen: Vec<usize> = Vec::new();
    let mut numbers: Vec<usize> = Vec::new();
    for draft in &drafts {
        let number = match seen.contains(&draft.candidate) {
            true => {
                next += 1;
                next - 1
            }
            false => draft.candidate,
        };
        seen.push(draft.candidate);
        numbers.push(number);
    }
    // Drafts that share a file or a candidate, directly or by others, are one choice.
    let mut choice: Vec<usize> = (0..drafts.len()).collect();
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    let mut first_choice: HashMap<usize, usize> = HashMap::new();
    for (at, draft) in drafts.iter().enumerate() {
        let by_path = *first_of.entry(&draft.proposal.path).or_insert(at);
        let by_candidate =
            if draft.is_choice { *first_choice.entry(draft.candidate).or_insert(at) } else { at };
        let root = choice[by_path].min(choice[by_candidate]);
        let (one, other) = (choice[by_path], choice[by_candidate]);
        choice[at] = root;
        choice.iter_mut().filter(|of| **of == one || **of == other).for_each(|of| *of = root);
    }
    let mut wholes: Vec<(usize, Proposal)> = Vec::new();
    let mut proposals: Vec<Proposal> = Vec::new();
    for (at, (draft, number)) in drafts.into_iter().zip(&numbers).enumerate() {
        wholes.extend(draft.as_whole.map(|whole| (at, *whole)));
        proposals.push(Proposal { number: *number, ..draft.proposal });
    }
    for (at, proposal) in proposals.iter_mut().enumerate() {
        let members = numbers.iter().zip(&choice).filter(|(_, of)| **of == choice[at]);
        let members: Vec<usize> = members.map(|(number, _)| *number).collect();
        if members.len() > 1 {
            proposal.alternatives = members;
            proposal.attention.push(Attention::Choice);
        }
    }
    // A part that is one of several versions is no whole file besides.
    for (at, whole) in wholes {
        let part = &mut proposals[at];
        if part.alternatives.is_empty() {
            part.alternatives = vec![part.number, next];
            let whole_of = Some(part.number);
            let alternatives = part.alternatives.clone();
            proposals.push(Proposal { number: next, whole_of, alternatives, ..whole });
            next += 1;
        }
    }
    proposals
}
