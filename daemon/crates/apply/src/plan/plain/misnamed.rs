//! Code that the nearest name of a file does not mean: what the answer shows as an example and is all of a file, and
//! what stands below the label of an earlier piece and is for another file.
//!
//! ````text
//! "Now it looks like this:" + all of src/a.py, changed      src/a.py
//! `src/new.js`: + code; "use it:" + all of src/a.js         src/a.js, by its content
//! `a.xml`: + diff; "the class:" + diff that b.cs has        b.cs, by its content
//! ````
//!
//! Each is a question: the words name another file, or none.

use clada_dialects::plain::{Candidate, Form, Plain};
use clada_fs::Roots;

use super::answer_paths::AnswerPaths;
use super::bind::{bind_each_alone, bind_unnamed, is_all_of, merges};
use super::files::ProjectFiles;
use super::tied::{BoundCandidate, Tied};
use super::which::{CandidateMeaning, meaning};

// Ties the illustrations of `plain` that are all of a file, changed, of which the answer shows nothing else. `bound` are
// its candidates.
pub(super) fn illustrations<'c>(
    plain: &'c Plain,
    answer: &AnswerPaths<'_>,
    bound: &[BoundCandidate<'_>],
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Vec<BoundCandidate<'c>> {
    let (mut tied, mut unnamed) = (Vec::new(), Vec::new());
    for (at, candidate) in plain.illustrations.iter().enumerate() {
        let number = plain.candidates.len() + 1 + at;
        match meaning(candidate, answer, files, &mut |files, path| is_all_of(path, candidate, files)) {
            CandidateMeaning::One(target) if target.named.is_some_and(|named| !named.held) => {
                tied.push(BoundCandidate::new(number, candidate, target, Vec::new()));
            }
            CandidateMeaning::Nothing | CandidateMeaning::One(_) => unnamed.push((number, candidate)),
            _ => {}
        }
    }
    if !unnamed.is_empty() {
        tied.extend(bind_unnamed(unnamed, &[], None, files, roots, &mut Tied::default()));
    }
    tied.retain(|one| {
        let path = &one.target.path;
        one.target.exists
            && !bound.iter().any(|other| other.target.path == *path)
            && is_all_of(path, one.candidate, files)
    });
    tied
}

// Ties those of `bound` that stand below the label of an earlier piece, and are nothing of its file, to the file whose
// text they change. Returns the lines of code that no file has, below a label of edits of a file that the project lacks.
pub(super) fn below_other_labels(
    bound: &mut Vec<BoundCandidate<'_>>,
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Vec<u32> {
    let (mut places, mut astray) = (Vec::new(), Vec::new());
    for at in 0..bound.len() {
        let BoundCandidate { number, candidate, target, .. } = &bound[at];
        let is_held = target.named.is_some_and(|named| named.held);
        let may_change = matches!(candidate.form, Form::Code | Form::Diff | Form::Replacement { .. });
        if !is_held || !may_change || candidate.is_sentence {
            continue;
        }
        let is_taken = || bound[..at].iter().any(|other| other.target.path == target.path);
        let is_nothing_of = match files.text(&target.path) {
            Some(old) => !merges(&old, candidate, &target.path) && !is_all_of(&target.path, candidate, files),
            None => candidate.form != Form::Code || is_taken(),
        };
        if is_nothing_of {
            places.push(at);
            astray.push((*number, *candidate));
        }
    }
    let mut numbers = Vec::new();
    let others = bind_each_alone(&astray, files, roots);
    for ((at, (number, candidate)), other) in places.into_iter().zip(astray).zip(others) {
        match other.filter(|other| is_of(&other.target.path, candidate, files)) {
            Some(other) => bound[at] = other,
            // The answer takes the file for there, and this is none of its parts.
            None if candidate.form == Form::Code && !bound[at].target.exists => {
                let path = &bound[at].target.path;
                let mut above = bound[..at].iter().filter(|other| other.target.path == *path);
                if above.all(|other| other.candidate.form != Form::Code) {
                    numbers.push(number);
                }
            }
            None => {}
        }
    }
    let (homeless, others): (Vec<_>, Vec<_>) = bound.drain(..).partition(|one| numbers.contains(&one.number));
    *bound = others;
    homeless.iter().map(|one| one.candidate.lines.start).collect()
}

// Returns true if `candidate` is a change of the file at `path`.
fn is_of(path: &str, candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> bool {
    match candidate.form {
        Form::Code => is_all_of(path, candidate, files),
        _ => files.text(path).is_some_and(|old| merges(&old, candidate, path)),
    }
}
