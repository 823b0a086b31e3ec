//! The standing of a change: what its heading, the words that lead to it, and the words below make of it.
//!
//! ````text
//! ## Rejected approach                              Report, for all below it
//! A wrong fix would be:                             Report
//! What Dependabot proposes:                         Report
//! (repository `a/b`, not this one)                  Report
//! Do this only after the deployment:                Condition
//! I'd reject it.                                    Against, from below
//! Don't apply it to the 1.x branch.                 none: the change here stays
//! ````
//!
//! One reading for blocks, diffs, listings and operations. Code without a dialect is held to more: [`super::lead`] doubts
//! what nothing has done.

use super::clause::{Clause, Clauses, begins_with};
use super::history;
use super::lead::{self, Lead};
use super::phrases::{Phrases, has_east};
use super::project::{self, Project};
use super::tables::lead::READER;
use super::tables::standing::{
    ALSO_REJECTED, ASSISTANTS, BEFORE, CONTRARY, COPULAS, DONE, EAST_AFTER, EAST_ASSISTANTS, EAST_EVENTS,
    EAST_PROPOSALS, EAST_REJECTED, EAST_REMEDIES, EVENTS, FAULTY, FIRST_PERSON, HEADING_WORDS, ONCE, ONLY,
    ORDERS, PLACES, PROPOSES, REJECTED, REJECTED_HEADINGS, RELATIVE, REMEDIES, STALE_HEADINGS, THIS,
};

// The most bytes of a line that says something of a change; blocks ask again for the same heading.
const LINE: usize = 1_000;
// The most words between one that waits and what it waits for.
const NEAR: usize = 4;

// Returns what the last sentence of `line`, above a change, makes of it.
pub(super) fn of_lead_in(line: &str) -> Lead {
    if line.len() > LINE {
        return Lead::Open;
    }
    let sentence = lead::last_sentence(line);
    if sentence.len() > lead::LINE || lead::asks(sentence) {
        return Lead::Open;
    }
    let clauses = Clauses::of(sentence);
    let has_order = clauses.iter().next_back().is_some_and(lead::has_done_first);
    if is_of_other_project(sentence) || !has_order && reports(sentence, &clauses) {
        return Lead::Report;
    }
    if waits(sentence, &clauses) { Lead::Condition } else { Lead::Open }
}

// Returns what the heading `line` makes of all that is below it. That of another project is one only as far as a name says
// so, and then doubted.
pub(super) fn of_heading(line: &str) -> Lead {
    if line.len() > LINE {
        return Lead::Open;
    }
    if project::of_heading(line) == Some(Project::Other) || is_rejected_section(line) {
        return Lead::Report;
    }
    let text = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let is_named = project::of_heading(line).is_some();
    if is_named || STALE_HEADINGS.contains(&&*text) { Lead::Condition } else { Lead::Open }
}

// Returns what the line `text`, below a change, makes of it. A line that leads to what follows says nothing of it.
pub(super) fn of_line_below(text: &str) -> Lead {
    let text = text.trim();
    let text = &text[..text.floor_char_boundary(LINE)];
    if lead::ends_in_colon(text) || text.starts_with('#') {
        return Lead::Open;
    }
    let clauses = lead::clauses_below(text);
    let Some(first) = clauses.iter().next() else { return Lead::Open };
    if ALSO_REJECTED.iter().any(|row| begins_with(first.text, row))
        || !text.is_ascii() && EAST_REJECTED.iter().any(|words| text.contains(words))
    {
        return Lead::Against;
    }
    let is_limited = || {
        first.has_one(ONLY) && has_event(first)
            || first.begins_with_one(ORDERS) && first.has_one(ONLY)
            || first.begins_with_one(ONLY) && first.words().any(|word| READER.contains(&word))
            || has_not_before(first)
            || has_east_event(text) && has_east(text, &["再", "请", "てから", "하세요"])
    };
    if is_limited() { Lead::Condition } else { Lead::Open }
}

// Returns true if the heading `line` says in so many words that what is below it is of this project: "In this repository".
pub(super) fn is_of_this_project(line: &str) -> bool {
    #[rustfmt::skip]
    static OWN: Phrases = Phrases::new(&[
        "this repo", "this repository", "this project", "this codebase", "diesem repo", "diesem repository", "diesem projekt", "dieses repository", "ce dépôt", "ce projet", "este repositorio", "este proyecto",
        "este repositório", "este projeto", "questo progetto", "этом репозитории", "этом проекте",
    ]);
    OWN.are_in(line)
        || has_east(
            line,
            &["本仓库", "此仓库", "这个仓库", "当前仓库", "本项目", "このリポジトリ", "이 저장소"],
        )
}

fn is_of_other_project(sentence: &str) -> bool {
    project::of_line(sentence) == Some(Project::Other)
}

fn reports(sentence: &str, clauses: &Clauses) -> bool {
    if !sentence.is_ascii() {
        let ends =
            |words: &&&str| sentence.trim_end_matches(['：', ':', '。', '是', ' ', '*']).ends_with(**words);
        let has_assistant =
            has_east(sentence, EAST_ASSISTANTS) || clauses.words().any(|word| ASSISTANTS.has(word));
        if EAST_REMEDIES.iter().any(|words| ends(&words))
            || has_assistant && has_east(sentence, EAST_PROPOSALS)
        {
            return true;
        }
    }
    let words: Vec<&str> = clauses.words().collect();
    if words.iter().any(|word| FIRST_PERSON.has(word)) {
        return false;
    }
    is_of_assistant(&words)
        || clauses.iter().any(|clause| shows_remedy(clause) || is_place_of_others(clause))
        || is_called_wrong(clauses)
}

// "What Dependabot proposes", "The other assistant suggested this"
fn is_of_assistant(words: &[&str]) -> bool {
    words.iter().any(|word| ASSISTANTS.has(word)) && words.iter().any(|word| PROPOSES.has(word))
}

// "A wrong fix would be", "The tempting but wrong approach"
fn shows_remedy(clause: Clause<'_>) -> bool {
    let words: Vec<&str> = clause.words().collect();
    let Some(at) = words.iter().position(|word| REMEDIES.has(word)) else { return false };
    let (before, behind) = (&words[..at], &words[at + 1..]);
    // Adjectives stand behind the noun in Romance languages.
    let adjectives = behind.iter().take_while(|word| FAULTY.has(word)).count();
    let behind = &behind[adjectives..];
    let is_faulty = adjectives > 0 || before.iter().rev().take(2).any(|word| FAULTY.has(word));
    let is_led =
        before.len() <= NEAR && before.iter().all(|word| FAULTY.has(word) || HEADING_WORDS.has(word));
    let is_shown = match behind {
        [] => true,
        ["would" | "could" | "might", "be", ..] | ["wäre" | "serait" | "sería" | "seria" | "sarebbe", ..] => {
            true
        }
        [copula] => COPULAS.has(copula),
        [copula, this] => COPULAS.has(copula) && THIS.has(this),
        _ => false,
    };
    is_faulty && is_led && is_shown
}

// "In my colleague's version", "In upstream's fix"
fn is_place_of_others(clause: Clause<'_>) -> bool {
    PLACES.has(clause.first())
        && clause.words().any(history::is_others)
        && clause
            .words()
            .any(|word| REMEDIES.has(word) || matches!(word, "upstream" | "upstream's" | "d'upstream"))
}

// "…, which is wrong"
fn is_called_wrong(clauses: &Clauses) -> bool {
    let Some(last) = clauses.iter().next_back() else { return false };
    let mut words = last.words();
    let is_relative = RELATIVE.iter().any(|row| begins_with(last.text, row));
    is_relative
        && last.words().nth(6).is_none()
        && words.any(|word| FAULTY.has(word))
        && clauses.words().any(|word| THIS.has(word) || PROPOSES.has(word))
}

// Returns true if `sentence` has the change wait: "Once the migration has run", "Apply this only after the deployment".
fn waits(sentence: &str, clauses: &Clauses) -> bool {
    if !sentence.is_ascii() && has_east_event(sentence) {
        return true;
    }
    let mut all = clauses.iter().peekable();
    while let Some(clause) = all.next() {
        if clause.has_one(ONLY) && (has_event(clause) || clause.begins_with_one(ORDERS)) {
            return true;
        }
        let is_followed = all.peek().is_none_or(|next| lead::has_done_first(*next));
        if is_followed && clause.begins_with_one(ONCE) && has_event(clause) && ends_with_event(clause) {
            return true;
        }
    }
    false
}

fn has_event(clause: Clause<'_>) -> bool {
    let is_wait = |rest: &&str| ONCE.iter().any(|row| begins_with(rest, row));
    clause.rests().filter(is_wait).any(|rest| rest.split(' ').take(NEAR + 1).any(|word| EVENTS.has(word)))
}

// Returns true if nothing is said behind what `clause` waits for, but that it is done.
fn ends_with_event(clause: Clause<'_>) -> bool {
    let mut behind = clause.words().skip_while(|word| !EVENTS.has(word)).skip(1);
    behind.all(|word| DONE.has(word))
}

// "Do not apply this before the migration has run"
fn has_not_before(clause: Clause<'_>) -> bool {
    let is_not = |word: &str| word == "not" || word.ends_with("n't") || CONTRARY.has(word);
    let mut rests = clause.rests();
    let is_before = |rest: &str| BEFORE.iter().any(|row| begins_with(rest, row));
    clause.words().take(NEAR).any(is_not)
        && rests.any(|rest| is_before(rest) && rest.split(' ').take(NEAR + 1).any(|word| EVENTS.has(word)))
}

fn has_east_event(text: &str) -> bool {
    let behind = EAST_EVENTS.iter().filter_map(|word| text.split_once(word)).map(|(_, behind)| behind);
    behind.into_iter().any(|behind| {
        let near = &behind[..behind.floor_char_boundary(12)];
        EAST_AFTER.iter().any(|word| near.contains(word))
    })
}

// "Rejected approach", "What not to do", "History": all words of the heading are such.
fn is_rejected_section(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| !c.is_alphabetic());
    if !text.is_ascii() && EAST_REJECTED.iter().any(|words| text.contains(words)) {
        return true;
    }
    if REJECTED_HEADINGS.contains(&&*text.trim_end_matches(['*', ' ', ':', '：']).to_lowercase()) {
        return true;
    }
    let clauses = Clauses::of(text);
    let Some(first) = clauses.iter().next() else { return false };
    let is_strong = |word: &str| REJECTED.has(word);
    let is_neutral = |word: &str| is_strong(word) || HEADING_WORDS.has(word) || REMEDIES.has(word);
    first.words().any(is_strong) && first.words().all(is_neutral)
}
