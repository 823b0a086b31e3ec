//! Ties the candidates of an answer to files of the project: what each would do, or why it does nothing.
//!
//! ````text
//! answer                         project        becomes
//! `src/a.py`: + whole file       src/a.py       a proposal
//! `a.py`: + whole file           src/a.py       a proposal, remapped
//! `src/a.py`: + one function     src/a.py       a proposal, merged, or a notice
//! the lines that src/a.py has    src/a.py       nothing
//! ````
//!
//! Changes nothing. Words of the answer name files; files alone decide what a candidate is.

use std::collections::HashMap;

use clada_dialects::plain::{Candidate, Form, Plain};
use clada_fs::Roots;
use clada_protocol::NotRead;

use super::answer_paths::AnswerPaths;
use super::bind::{bind, bind_unnamed, files_of_bare_names, types_near};
use super::code::draft;
use super::dismissed::dismissed_changes;
use super::files::{EntryKind, ProjectFiles};
use super::merging::PlainEdits;
use super::misnamed;
use super::operations;
use super::tied::{BlockUse, BoundCandidate, Tied};
use super::versions::{Draft, numbered, settle_versions};
use super::which::root_of_answer;
use super::words;

/// Ties what `plain`, read from `text`, shows. `blocks` is what the answer's blocks do with paths, by their path from the root;
/// `to` names the file of code without a name.
pub(crate) fn tie(
    plain: &Plain,
    text: &str,
    blocks: &HashMap<String, BlockUse>,
    to: Option<&str>,
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Tied {
    let mut tied = Tied::default();
    let mut drafts: Vec<Draft> = Vec::new();
    let types = types_near(plain, files, roots);
    let bare = files_of_bare_names(plain, files);
    let root = root_of_answer(plain, files);
    let answer =
        AnswerPaths::new(plain, text, root, &bare, &mut |folder| files.kind(folder) == EntryKind::Folder);
    let (mut bound, unnamed) = bind(plain, &answer, &types, files, &mut tied, &mut drafts);
    drafts.retain(|one| !blocks.contains_key(&one.proposal.path));
    let by_content = bind_unnamed(unnamed, &bound, to, files, roots, &mut tied);
    bound.extend(by_content);
    bound.sort_by_key(|one| one.number);
    tied.unnamed.extend(misnamed::below_other_labels(&mut bound, files, roots));
    // What the answer shows of a file as a change comes before what it may only show as an example.
    let illustrations = misnamed::illustrations(plain, &answer, &bound, files, roots);
    bound.extend(illustrations);
    let mut edits = PlainEdits::new(plain, text, &answer);
    let (stated, mut shown): (Vec<BoundCandidate<'_>>, Vec<_>) =
        bound.into_iter().partition(|one| matches!(one.candidate.form, Form::Delete | Form::Move { .. }));
    stated.iter().for_each(|one| operations::stated(one, blocks, files, &mut tied, &mut drafts));
    operations::bind_to_moved(&mut shown, &drafts, files);
    for one in &shown {
        draft(one, blocks, files, &mut tied, &mut drafts, &mut edits);
    }
    edits.leave_out_shown(&drafts, &mut tied.notices);
    edits.follow_moves(&mut drafts, files);
    edits.make(files, &mut tied, &mut drafts);
    operations::settle_moves(&mut drafts);
    drafts.sort_by_key(|one| one.candidate);
    settle_versions(&mut drafts);
    let paths = stated.iter().chain(&shown).map(|one| &*one.target.path).collect();
    let lost = lost_blocks(plain, &stated.iter().chain(&shown), &drafts, &tied);
    tied.notices.extend(lost);
    tied.dismissed = dismissed_changes(plain, &answer, &paths, &drafts, files, roots);
    tied.proposals = numbered(drafts, plain.candidates.len() + plain.illustrations.len());
    tied
}

// Returns the notices about edit blocks under a condition of which nothing became a draft or a notice: those of files that other
// blocks edit, say.
fn lost_blocks<'b>(
    plain: &Plain,
    bound: &(impl Iterator<Item = &'b BoundCandidate<'b>> + Clone),
    drafts: &[Draft],
    tied: &Tied,
) -> Vec<NotRead> {
    let is_known = |path: &String| {
        tied.already.contains(path) || drafts.iter().any(|draft| draft.proposal.path == *path)
    };
    let is_drafted = |candidate: &Candidate| {
        let mut own = bound.clone().filter(|one| std::ptr::eq(one.candidate, candidate));
        own.any(|one| is_known(&one.target.path))
    };
    let is_named = |candidate: &Candidate| {
        let line = candidate.lines.start;
        let elsewhere = tied.elsewhere.iter().map(|(line, _)| *line);
        tied.notices.iter().map(|notice| notice.line).chain(elsewhere).any(|one| one == line)
    };
    let blocks = plain.candidates.iter().filter(|one| one.is_block());
    blocks.filter(|one| !is_drafted(one) && !is_named(one)).map(words::conditional_block).collect()
}
