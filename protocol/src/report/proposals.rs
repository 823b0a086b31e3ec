//! Proposals in words: the list that the user is asked about, and what became of those that were not applied.
//!
//! Must not know how a decision is taken. Every text of an answer goes through [`visible_line`] or a diff.

use super::change::visible_diff;
use super::page::Page;
use super::{ReportStyle, count_of};
use crate::{Attention, NamedBy, NotRead, Proposal, ProposalForm, visible_line};

/// The changed lines up to which the diffs of proposals that take nothing away stand above the list.
const SHOWN_LINES: usize = 40;
const LISTED: usize = 20;

/// Returns what the user is shown before the question about `proposals`: the diffs of those that need attention or take
/// lines away, which the answer does not mention; those of the others if they are short; and a line for each.
#[must_use]
pub fn proposals_text(proposals: &[&Proposal]) -> String {
    let is_first = |proposal: &&Proposal| !proposal.attention.is_empty() || !proposal.notes.is_empty();
    let (first, mut others): (Vec<&Proposal>, Vec<&Proposal>) = proposals.iter().copied().partition(is_first);
    others.sort_by_key(|proposal| proposal.removed == 0);
    let mut text = String::new();
    for proposal in &first {
        text.push_str(&proposal_text(proposal));
    }
    let lines: usize = others.iter().map(|proposal| proposal.added + proposal.removed).sum();
    for proposal in others.iter().filter(|proposal| proposal.removed > 0 || lines <= SHOWN_LINES) {
        text.push_str(&visible_diff(&proposal.diff));
    }
    let is_one = proposals.len() == 1;
    let what = match (has_block(proposals), is_one) {
        (true, true) => "that needs your decision",
        (true, false) => "that need your decision",
        (false, true) => "that has no edit block",
        (false, false) => "that have no edit block",
    };
    text.push_str(&format!("The answer shows {} {what}:\n", count_of(proposals.len(), "change")));
    for proposal in first.iter().chain(&others) {
        text.push_str(&format!("  {}\n", proposal_line(proposal)));
    }
    text
}

/// Returns one proposal with its reasons, its notes and its diff.
#[must_use]
pub fn proposal_text(proposal: &Proposal) -> String {
    let mut text = String::new();
    let reasons: Vec<&str> = proposal.attention.iter().map(|reason| reason.words()).collect();
    let reasons = (!reasons.is_empty()).then(|| reasons.join("; "));
    let warnings = reasons.as_deref().into_iter().chain(proposal.notes.iter().map(String::as_str));
    // The first one says which file they are about.
    let mut of_file = format!("{}: ", visible_line(&proposal.path));
    for warning in warnings {
        text.push_str(&format!("! {}{}\n", std::mem::take(&mut of_file), visible_line(warning)));
    }
    match (proposal.form, &proposal.new_path) {
        (ProposalForm::Move, Some(to)) => {
            text.push_str(&format!("rename {} to {}\n", visible_line(&proposal.path), visible_line(to)));
        }
        _ => text.push_str(&visible_diff(&proposal.diff)),
    }
    text
}

/// Returns all diffs of `proposals`.
#[must_use]
pub fn proposals_diff(proposals: &[&Proposal]) -> String {
    proposals.iter().map(|proposal| proposal_text(proposal)).collect()
}

/// Returns the line of a proposal in a list: `src/a.py  whole file, named above  +2 −1`.
#[must_use]
pub fn proposal_line(proposal: &Proposal) -> String {
    let path = visible_line(&proposal.path);
    let to = proposal.new_path.as_deref().map(|to| format!(" to {}", visible_line(to))).unwrap_or_default();
    let asks = if proposal.needs_approval.is_some() { ", needs approval" } else { "" };
    format!(
        "{path}{to}  {}, {}{asks}  +{} −{}",
        proposal.form.words(),
        proposal.named_by.words(),
        proposal.added,
        proposal.removed
    )
}

/// Returns the line of one of several versions or places, for a choice: the words above it in the answer.
#[must_use]
pub fn choice_line(proposal: &Proposal) -> String {
    let words = match proposal.words.as_str() {
        "" => String::new(),
        words => format!("  \"{}\"", visible_line(words)),
    };
    format!("line {}: {}{words}", proposal.line, proposal_line(proposal))
}

// Returns true if one of `proposals` is an edit block that the words around it hold back.
fn has_block(proposals: &[&Proposal]) -> bool {
    proposals.iter().any(|proposal| proposal.named_by == NamedBy::Block)
}

fn listed(proposals: &[Proposal]) -> Vec<&Proposal> {
    proposals.iter().filter(|proposal| proposal.is_listed()).collect()
}

/// Returns `proposal` as a notice, for a caller that shows no proposals.
#[must_use]
pub fn proposal_notice(proposal: &Proposal) -> NotRead {
    let what = proposal.form.words();
    let next = match (proposal.declined, proposal.sure) {
        (true, _) => "it was declined",
        (false, true) => "apply it with `plain: \"apply\"`, or `clada apply --plain`",
        (false, false) => "decide on it with `clada apply` at a terminal",
    };
    NotRead {
        line: proposal.line,
        end_line: Some(proposal.end_line),
        kind: "proposal".to_owned(),
        path: Some(proposal.path.clone()),
        hint: match proposal.named_by {
            NamedBy::Block => format!("{what} that the words around its edit block hold back: {next}"),
            _ => format!("{what} without an edit block: {next}"),
        },
    }
}

pub(super) fn left_proposals(page: &mut Page, proposals: &[Proposal], style: &ReportStyle<'_>) {
    let proposals = listed(proposals);
    if proposals.is_empty() {
        return;
    }
    let were = if proposals.len() == 1 { "was" } else { "were" };
    let what = if has_block(&proposals) { "" } else { " without an edit block" };
    page.line(format_args!("{}{what} {were} not applied:", count_of(proposals.len(), "change")));
    for proposal in proposals.iter().take(LISTED) {
        let why = match () {
            () if proposal.declined => " (declined)",
            () if proposal.attention.contains(&Attention::Choice) => " (one of several: choose)",
            () => "",
        };
        page.line(format_args!("  {}{why}", proposal_line(proposal)));
        if style.verbosity >= super::Verbosity::Normal && !proposal.declined {
            for reason in &proposal.attention {
                page.line(format_args!("    {}", reason.words()));
            }
        }
    }
    if proposals.len() > LISTED {
        page.line(format_args!("  ... and {} more", proposals.len() - LISTED));
    }
    let undecided = || proposals.iter().filter(|proposal| !proposal.declined);
    // `--plain` applies what is sure. The others need a choice, which only a terminal offers.
    if undecided().any(|proposal| proposal.sure) {
        page.line(
            style
                .how_to_plain
                .unwrap_or("Apply with `clada apply --plain`, or answer the question at a terminal."),
        );
    } else if undecided().next().is_some() {
        page.line("To decide, run `clada apply FILE` at a terminal, where it asks.");
    }
}

pub(super) fn proposals_for_model(page: &mut Page, proposals: &[Proposal]) {
    let proposals = listed(proposals);
    if proposals.is_empty() {
        return;
    }
    page.gap();
    page.line("Not applied, since the user has not accepted it:");
    for proposal in proposals.iter().take(LISTED) {
        let word = if proposal.declined { "declined" } else { "not decided" };
        page.line(format_args!(
            "  {}, lines {}–{} of your answer: {}, {word}",
            visible_line(&proposal.path),
            proposal.line,
            proposal.end_line,
            proposal.form.words()
        ));
    }
    page.line("Do not send it again unless the user asks for it.");
}
