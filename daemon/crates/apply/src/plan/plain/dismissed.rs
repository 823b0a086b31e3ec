//! Code that the words call an example or an old state, and that looks like a change of a file all the same: the user is told
//! that it is not applied.
//!
//! ````text
//! "For example, in `a.py`:" + lines of a.py, one of them changed     named
//! "Currently `a.py` is:" + lines of a.py                             not named: a quotation
//! "After that it looks like this:" + lines that a proposal makes     not named
//! "Use it:" + lines that no file has                                 not named: a use of the code
//! ````

use std::collections::{BTreeSet, HashSet};

use clada_dialects::plain::{Candidate, Form, Plain};
use clada_fs::Roots;

use super::answer_paths::AnswerPaths;
use super::bind::bind_each_alone;
use super::files::ProjectFiles;
use super::tied::DismissedChange;
use super::versions::Draft;
use super::which::{CandidateMeaning, FileTarget, meaning};

// Returns each such piece of `plain`. `paths` are those of the answer's code, `drafts` what became of it.
pub(super) fn dismissed_changes(
    plain: &Plain,
    answer: &AnswerPaths<'_>,
    paths: &BTreeSet<&str>,
    drafts: &[Draft],
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Vec<DismissedChange> {
    let is_drafted = |one: &&Candidate| drafts.iter().any(|draft| draft.proposal.lines == one.lines);
    let mut pieces: Vec<&Candidate> =
        plain.illustrations.iter().chain(&plain.dismissed).filter(|one| !is_drafted(one)).collect();
    pieces.sort_by_key(|one| one.lines.start);
    let mut changes_found = Vec::new();
    let mut unnamed = Vec::new();
    let change = |piece: &Candidate, path: &str| DismissedChange {
        line: piece.lines.start,
        path: path.to_owned(),
        is_new: false,
    };
    for piece in pieces {
        if let Some(target) = named(piece, answer, files) {
            let is_new = !target.exists && drafts.iter().all(|one| one.proposal.path != target.path);
            if is_new || changes(piece, &target.path, drafts, files) {
                changes_found.push(DismissedChange { is_new, ..change(piece, &target.path) });
            }
            continue;
        }
        match paths.iter().find(|path| changes(piece, path, drafts, files)) {
            Some(path) => changes_found.push(change(piece, path)),
            None => unnamed.push((0, piece)),
        }
    }
    // Of what names no file of the answer the whole project is looked through.
    let homes = if unnamed.is_empty() { Vec::new() } else { bind_each_alone(&unnamed, files, roots) };
    for one in homes.into_iter().flatten() {
        let (path, piece) = (&one.target.path, one.candidate);
        changes_found.extend(changes(piece, path, drafts, files).then(|| change(piece, path)));
    }
    changes_found.sort();
    changes_found
}

// Returns the file that the answer names for this very `piece`.
fn named(
    piece: &Candidate,
    answer: &AnswerPaths<'_>,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<FileTarget> {
    match meaning(piece, answer, files, &mut |_, _| true) {
        CandidateMeaning::One(target) => {
            Some(target).filter(|one| one.named.is_some_and(|named| !named.held))
        }
        _ => None,
    }
}

// Returns true if `piece` has lines of the file at `path`, or of what becomes of it, and one that neither has, or leaves out what
// stands between its lines: a method without the block that goes.
fn changes(piece: &Candidate, path: &str, drafts: &[Draft], files: &mut ProjectFiles<'_, '_>) -> bool {
    const LEAST: usize = 3;
    let old = files.text(path).unwrap_or_default();
    let new = drafts.iter().filter(|one| one.proposal.path == path).map(Draft::text);
    let texts: Vec<Vec<&str>> = std::iter::once(&*old).chain(new).map(codes).collect();
    let had: HashSet<&str> = texts.iter().flatten().copied().collect();
    let is_diff = piece.form == Form::Diff;
    let shown = piece.content.lines().map(|line| match line.strip_prefix(['+', '-', ' ']) {
        Some(text) if is_diff => text,
        _ => line,
    });
    let lines: Vec<&str> = shown.map(code_of).filter(tells).collect();
    let known = lines.iter().filter(|line| had.contains(*line)).count();
    let is_in_a_row = || texts.iter().any(|text| text.windows(lines.len()).any(|part| part == lines));
    let leaves_out = piece.content.lines().any(|line| clada_dialects::elision(line.trim()).is_some());
    known > 0 && known < lines.len() || known >= LEAST && !is_diff && !leaves_out && !is_in_a_row()
}

fn codes(text: &str) -> Vec<&str> {
    text.lines().map(code_of).filter(tells).collect()
}

fn tells(line: &&str) -> bool {
    line.chars().filter(|c| c.is_alphanumeric()).count() > 3 && clada_dialects::elision(line).is_none()
}

// Returns `line` without the comment at its end.
fn code_of(line: &str) -> &str {
    const SIGNS: [&str; 7] = ["//", "# ", "/*", "{/*", "<!--", "-- ", "←"];
    let ends = SIGNS.iter().filter_map(|sign| line.find(sign));
    line[..ends.min().unwrap_or(line.len())].trim()
}
