//! The file of each candidate: the one that the answer names, or the one that has its lines.
//!
//! ````text
//! `src/a.py`: + code                     src/a.py
//! in the `Gate` class: + code            the only file that defines `Gate`
//! code without a name                    the file that the request names, or that has most of its telling lines
//! ````
//!
//! What the code is of its file is not decided here, but for a name that several files have.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use clada_dialects::plain::{Candidate, Form, Group, Mention, Place, Plain, fits_language};
use clada_fs::Roots;
use clada_protocol::NamedBy;

use super::answer_paths::AnswerPaths;
use super::code::without_naming;
use super::content::{Home, Homes, Unnamed, alike_lines, files_of_types, homes, is_other_file, shared_lines};
use super::file_kind::{file_of_kind, other_of_kind};
use super::files::{EntryKind, ProjectFiles};
use super::import_lines::imported_names;
use super::namespace::path_of_class;
use super::operations;
use super::plain_edit::{EditOutcome, PlainEdit};
use super::tied::{BoundCandidate, Tied};
use super::types;
use super::versions::Draft;
use super::which::{CandidateMeaning, FileTarget, meaning};
use super::whole::{CodeExtent, extent};
use super::words;
use crate::plan::guard::elision;

// The most files of one name between which the user chooses.
const MOST_TWINS: usize = 9;

// A type that is named near code, with the one file that defines it.
pub(super) struct NearType {
    name: String,
    path: String,
}

// Returns the files that bare names in `plain` mean, each the only one of its name.
pub(super) fn files_of_bare_names(
    plain: &Plain,
    files: &mut ProjectFiles<'_, '_>,
) -> HashMap<String, PathBuf> {
    let groups = plain.candidates.iter().flat_map(|candidate| &candidate.groups);
    let mentions = groups.flat_map(|group| &group.mentions).filter(|mention| !mention.path.contains('/'));
    let mut bare = HashMap::new();
    for Mention { path, .. } in mentions {
        if files.kind(path) != EntryKind::File
            && let [only] = files.names().named(std::ffi::OsStr::new(path))
        {
            bare.insert(path.clone(), only.clone());
        }
    }
    bare
}

// Returns the types that are named near candidates for which no path is, by the candidates' places.
pub(super) fn types_near(
    plain: &Plain,
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> HashMap<usize, NearType> {
    let is_near = |group: &Group| {
        !group.held && group.place < Place::Sentence && group.mentions.iter().any(|mention| !mention.aside)
    };
    let candidates = plain.candidates.iter().enumerate().filter(|(_, candidate)| {
        matches!(candidate.form, Form::Code | Form::Beside { .. } | Form::Within { .. } | Form::Edge { .. })
            && !candidate.language.is_empty()
            && !candidate.groups.iter().any(is_near)
    });
    let near_names: Vec<(usize, &Candidate, Vec<String>)> = candidates
        .map(|(at, candidate)| (at, candidate, types::named_near(candidate)))
        .filter(|(_, _, names)| !names.is_empty())
        .collect();
    if near_names.is_empty() {
        return HashMap::new();
    }
    let names: Vec<String> = near_names.iter().flat_map(|(_, _, names)| names.iter().cloned()).collect();
    let languages: Vec<&str> = near_names.iter().map(|(_, candidate, _)| &*candidate.language).collect();
    let defining = files_of_types(&names, &languages, files, roots);
    // A type that two files define says nothing about where the code goes.
    let only = |candidate: &Candidate, names: &[String]| {
        let mut files = defining
            .iter()
            .filter(|(name, path)| {
                names.contains(name) && fits_language(&candidate.language, &path.to_string_lossy())
            })
            .map(|(name, path)| NearType { name: name.clone(), path: path.to_string_lossy().into_owned() });
        let first = files.next()?;
        files.next().is_none().then_some(first)
    };
    near_names.into_iter().filter_map(|(at, candidate, names)| Some((at, only(candidate, &names)?))).collect()
}

impl NearType {
    // Returns the file of the type for `candidate`, if it has more of the code's lines than `other`, the file that
    // is named further away.
    fn bound<'c>(
        &self,
        number: usize,
        candidate: &'c Candidate,
        other: Option<&FileTarget>,
        files: &mut ProjectFiles<'_, '_>,
    ) -> Option<BoundCandidate<'c>> {
        let mut shared =
            |path: &str| files.text(path).map_or(0, |text| shared_lines(&candidate.content, &text));
        let others = other.map_or(0, |other| shared(&other.path));
        let count = shared(&self.path);
        let is_asked_for = !candidate.described && !candidate.optional && !candidate.conditional;
        // "In `Spawner`, add a field:" shows nothing that is there.
        let mut is_told = || {
            let text = files.text(&self.path);
            others == 0
                && (words::has_add(&candidate.words)
                    || is_asked_for && types::is_place(&candidate.words, &self.name))
                && text.is_some_and(|old| merges(&old, candidate, &self.path))
        };
        let is_same = other.is_some_and(|other| other.path == self.path);
        if is_same || count <= others && !is_told() {
            return None;
        }
        let target = FileTarget { path: self.path.clone(), exists: true, written: None, named: None };
        let NearType { name, path } = self;
        let why = format!("No file is named near the code. `{name}` is only in {path}.");
        let one = BoundCandidate::new(number, candidate, target, Vec::new());
        Some(BoundCandidate { named_by: NamedBy::Content, why: Some(why), ..one })
    }
}

// Returns the candidates that name a file, with it, and those that name none.
pub(super) fn bind<'c>(
    plain: &'c Plain,
    answer: &AnswerPaths<'_>,
    types: &HashMap<usize, NearType>,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
) -> (Vec<BoundCandidate<'c>>, Vec<(usize, &'c Candidate)>) {
    let (mut bound, mut unnamed) = (Vec::new(), Vec::new());
    for (at, candidate) in plain.candidates.iter().enumerate() {
        let number = at + 1;
        let mut suits = |files: &mut ProjectFiles<'_, '_>, path: &str| {
            files.text(path).is_some_and(|old| {
                if candidate.form != Form::Code {
                    return merges(&old, candidate, path);
                }
                match extent(&old, &candidate.content, path, candidate.closed) {
                    CodeExtent::Same | CodeExtent::Quotation | CodeExtent::Whole => true,
                    CodeExtent::Part(_) => merges(&old, candidate, path),
                    CodeExtent::CutOff(_) => false,
                }
            })
        };
        let meant = meaning(candidate, answer, files, &mut suits);
        let other = match &meant {
            // A new file further up has no lines yet.
            CandidateMeaning::One(target) if target.named.is_some_and(|named| named.held) => {
                Some(Some(target).filter(|target| target.exists))
            }
            CandidateMeaning::Nothing => Some(None),
            _ => None,
        };
        let near = types.get(&at).zip(other);
        if let Some(one) = near.and_then(|(near, other)| near.bound(number, candidate, other, files)) {
            bound.push(one);
            continue;
        }
        // "And declare it in the header:" below code for another file.
        if let CandidateMeaning::One(target) = &meant
            && target.named.is_some_and(|named| named.held)
            && candidate.form == Form::Code
            && let Some(path) = other_of_kind(&candidate.words, &candidate.language, &target.path, files)
            && files.text(&path).is_some_and(|old| merges(&old, candidate, &path))
        {
            let why = format!("No file is named near the code. The words name {path} by its kind.");
            let target = FileTarget { path, exists: true, written: None, named: None };
            let one = BoundCandidate::new(number, candidate, target, Vec::new());
            bound.push(BoundCandidate { named_by: NamedBy::Content, why: Some(why), ..one });
            continue;
        }
        match meant {
            CandidateMeaning::One(target) => {
                let others = twins_that_suit(&target, candidate, files);
                bound.push(BoundCandidate::new(number, candidate, target, others));
            }
            // Files of one name, of which none has the code.
            CandidateMeaning::Choice(targets) if fits_none(candidate, &targets, files) => {
                tied.unnamed.push(candidate.lines.start);
            }
            CandidateMeaning::Choice(mut targets) => {
                let first = targets.remove(0);
                bound.push(BoundCandidate::new(number, candidate, first, targets));
            }
            // A sentence that names such a path says something of it.
            _ if candidate.is_sentence => {}
            CandidateMeaning::Elsewhere(path) => tied.elsewhere.push((candidate.lines.start, path)),
            // A part is merged into the file that there is; a whole file of that name would be a second one.
            CandidateMeaning::Twin(path, other) => match files.text(&other) {
                Some(old) if !is_whole_of(&old, candidate, &other) && merges(&old, candidate, &other) => {
                    let target = FileTarget { path: other, exists: true, written: Some(path), named: None };
                    let others = twins_that_suit(&target, candidate, files);
                    bound.push(BoundCandidate::new(number, candidate, target, others));
                }
                _ => tied.notices.push(words::twin(candidate, &path, &other)),
            },
            CandidateMeaning::Denied(path, reason) => {
                tied.notices.push(words::denied(candidate, &path, &reason))
            }
            CandidateMeaning::Nothing
                if matches!(
                    candidate.form,
                    Form::Code
                        | Form::Diff
                        | Form::Replacement { .. }
                        | Form::Append
                        | Form::Prepend
                        | Form::Lines { .. }
                ) || anchor(candidate).is_some() =>
            {
                match new_class(number, candidate, files) {
                    Some(one) => bound.push(one),
                    None => unnamed.push((number, candidate)),
                }
            }
            CandidateMeaning::Nothing if candidate.form == Form::Commands => {
                operations::commands(number, candidate, files, tied, drafts);
            }
            CandidateMeaning::Nothing => match operations::folder(candidate, files) {
                Some(Ok(targets)) => bound.extend(
                    targets
                        .into_iter()
                        .map(|target| BoundCandidate::new(number, candidate, target, Vec::new())),
                ),
                Some(Err(notice)) => tied.notices.push(notice),
                None => tied.notices.extend(words::without_file(candidate)),
            },
        }
    }
    (bound, unnamed)
}

// Ties `candidate`, a class that the words create by its name alone, to the file that its package says.
fn new_class<'c>(
    number: usize,
    candidate: &'c Candidate,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<BoundCandidate<'c>> {
    if candidate.form != Form::Code || candidate.optional || !words::says_create(&candidate.words) {
        return None;
    }
    let path = path_of_class(&candidate.words, &candidate.language, &candidate.content, files)?;
    let why = format!("No file is named. The class and its package give {path}.");
    let target = FileTarget { path, exists: false, written: None, named: None };
    let one = BoundCandidate::new(number, candidate, target, Vec::new());
    Some(BoundCandidate { named_by: NamedBy::Content, why: Some(why), ..one })
}

// Returns the files with the name of `target`, a bare one in the words of the answer that the project's root has
// too, of which `candidate` has more lines than of `target`.
fn twins_that_suit(
    target: &FileTarget,
    candidate: &Candidate,
    files: &mut ProjectFiles<'_, '_>,
) -> Vec<FileTarget> {
    let is_said = target.named.is_none_or(|named| !matches!(named.place, Place::Info | Place::Comment));
    let is_bare = target.written.as_ref().is_none_or(|written| written.eq_ignore_ascii_case(&target.path));
    if !is_said || !is_bare || !target.exists || target.path.contains('/') {
        return Vec::new();
    }
    let twins = files.names().named(std::ffi::OsStr::new(&target.path)).to_vec();
    let mut shared = |path: &str| files.text(path).map_or(0, |text| alike_lines(&candidate.content, &text));
    let of_target = shared(&target.path);
    let mut others = Vec::new();
    for path in twins.iter().take(MOST_TWINS).map(|path| path.to_string_lossy().into_owned()) {
        if path != target.path && shared(&path) > of_target {
            others.push(FileTarget { path, written: Some(target.path.clone()), ..target.clone() });
        }
    }
    others
}

// Returns true if `candidate` would be the whole of each of `targets`, files of one name, and none has half of its telling
// lines.
fn fits_none(candidate: &Candidate, targets: &[FileTarget], files: &mut ProjectFiles<'_, '_>) -> bool {
    let all = shared_lines(&candidate.content, &candidate.content);
    let mut shared = |target: &FileTarget| {
        files.text(&target.path).map_or(0, |text| shared_lines(&candidate.content, &text))
    };
    candidate.form == Form::Code
        && targets.iter().all(|target| target.exists && target.written.is_some() && shared(target) * 2 < all)
        && targets.iter().all(|target| {
            files.text(&target.path).is_some_and(|old| is_whole_of(&old, candidate, &target.path))
        })
}

fn is_whole_of(old: &str, candidate: &Candidate, path: &str) -> bool {
    let shows = || extent(old, &candidate.content, path, candidate.closed);
    candidate.form == Form::Code && !matches!(shows(), CodeExtent::Part(_))
}

pub(super) fn merges(old: &str, candidate: &Candidate, path: &str) -> bool {
    let edit = PlainEdit { limit: usize::MAX, ..PlainEdit::new(candidate, &candidate.content, path) };
    !matches!(edit.apply(old), EditOutcome::Refused(_))
}

// Ties code without a file name: to the file that the request names, or to the one that has its lines.
pub(super) fn bind_unnamed<'c>(
    unnamed: Vec<(usize, &'c Candidate)>,
    named: &[BoundCandidate<'c>],
    to: Option<&str>,
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
    tied: &mut Tied,
) -> Vec<BoundCandidate<'c>> {
    if let Some(path) = to {
        let exists = files.kind(path) == EntryKind::File;
        let target = || FileTarget { path: path.to_owned(), exists, written: None, named: None };
        let fits =
            |candidate: &Candidate| candidate.form == Form::Diff || fits_language(&candidate.language, path);
        let (all, others): (Vec<_>, Vec<_>) = unnamed.into_iter().partition(|(_, candidate)| fits(candidate));
        tied.unnamed.extend(others.iter().map(|(_, candidate)| candidate.lines.start));
        return all
            .into_iter()
            .map(|(number, candidate)| BoundCandidate {
                named_by: NamedBy::Request,
                ..BoundCandidate::new(number, candidate, target(), Vec::new())
            })
            .collect();
    }
    let contents = contents_of(&unnamed);
    let Homes { homes, stopped } = homes_of(&unnamed, &contents, files, roots);
    tied.stopped = stopped;
    bind_to_homes(&unnamed, &contents, homes, named, files, tied)
}

// Ties each of `candidates` by itself, without a look at the others, to the file that has its lines.
pub(super) fn bind_each_alone<'c>(
    candidates: &[(usize, &'c Candidate)],
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Vec<Option<BoundCandidate<'c>>> {
    let contents = contents_of(candidates);
    // All are looked for at once: that reads the files of the project.
    let homes = homes_of(candidates, &contents, files, roots).homes;
    let alone = candidates.chunks(1).zip(contents.chunks(1)).zip(homes);
    let bound = alone.map(|((one, content), home)| {
        bind_to_homes(one, content, vec![home], &[], files, &mut Tied::default()).pop()
    });
    bound.collect()
}

fn contents_of<'c>(offered: &[(usize, &'c Candidate)]) -> Vec<Cow<'c, str>> {
    offered.iter().map(|(_, candidate)| of_file(candidate)).collect()
}

fn homes_of(
    offered: &[(usize, &Candidate)],
    contents: &[Cow<'_, str>],
    files: &mut ProjectFiles<'_, '_>,
    roots: &Roots,
) -> Homes {
    let pieces: Vec<Unnamed<'_>> = offered
        .iter()
        .zip(contents)
        .map(|((_, candidate), content)| Unnamed {
            language: if candidate.form == Form::Diff { "" } else { &candidate.language },
            content,
            anchor: anchor(candidate),
        })
        .collect();
    homes(&pieces, files, roots)
}

fn bind_to_homes<'c>(
    offered: &[(usize, &'c Candidate)],
    contents: &[Cow<'_, str>],
    mut homes: Vec<Home>,
    named: &[BoundCandidate<'c>],
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
) -> Vec<BoundCandidate<'c>> {
    for at in 0..homes.len() {
        let candidate = offered[at].1;
        if homes[at] == Home::None
            && let Some(home) = home_of_import(at, offered, &homes)
                .or_else(|| home_of_kind(candidate, files))
                .or_else(|| home_beside(candidate, named, files))
                .or_else(|| home_of_code_above(offered[at].0, candidate, named))
                .or_else(|| only_home(candidate, files))
            && let Some(path) = home.path()
            && fits_language(&candidate.language, path)
            && files.text(path).is_some_and(|old| merges(&old, candidate, path))
        {
            homes[at] = home;
        }
    }
    let mut bound = Vec::new();
    let is_certain = |candidate: &Candidate| !candidate.optional && !candidate.described;
    let certain = offered.iter().zip(&homes).filter(|((_, candidate), _)| is_certain(candidate));
    let mut known: Vec<&String> = certain.filter_map(|(_, home)| home.path()).collect();
    known.sort_unstable();
    known.dedup();
    let only = if let [only] = known[..] { Some(only.clone()) } else { None };
    for (((number, candidate), content), home) in offered.iter().copied().zip(contents).zip(homes) {
        // What stands beside code of one file is for that file, if it has a place there and shows a line of it, or imports.
        let is_import = imported_names(&candidate.content).is_some();
        let beside = only.as_ref().filter(|path| {
            home == Home::None
                && is_certain(candidate)
                && fits_language(&candidate.language, path)
                && files.text(path).is_some_and(|old| {
                    (is_import || shared_lines(content, &old) > 0) && merges(&old, candidate, path)
                })
        });
        let home = match beside {
            Some(path) => {
                Home::One(path.clone(), format!("No file is named. The code beside it is in {path}."))
            }
            None => home,
        };
        // Nothing is asked for, and nothing of the project is shown.
        if home == Home::None && candidate.described && !leaves_out("", candidate) {
            tied.described.push(candidate.lines.start);
            continue;
        }
        // What is created is no file that there is, unless the file has most of it.
        let is_known = |path: &String, files: &mut ProjectFiles<'_, '_>| {
            let shared = files.text(path).map_or(0, |old| shared_lines(content, &old));
            3 * shared >= 2 * shared_lines(content, content)
        };
        let home = match home {
            Home::One(path, _)
                if words::says_create(&candidate.words)
                    && (!is_known(&path, files) || is_all_of(&path, candidate, files)) =>
            {
                Home::None
            }
            home => home,
        };
        let home = match home {
            Home::One(path, _)
                if candidate.form == Form::Code
                    && !words::has_add(&candidate.words)
                    && !leaves_out(&path, candidate)
                    && files.text(&path).is_some_and(|old| is_other_file(content, &old)) =>
            {
                Home::None
            }
            home => home,
        };
        // Below "Option 2" and the like the user would have to choose between what is not even named, and code that words only
        // describe is the file's own in other words: of whole files alone, and of what says itself where lines are left out.
        let home = match home {
            Home::One(path, _)
                if (candidate.optional || candidate.described && !leaves_out(&path, candidate))
                    && !is_all_of(&path, candidate, files) =>
            {
                Home::None
            }
            home => home,
        };
        let Home::One(path, why) = home else {
            match words::without_file(candidate) {
                Some(notice) => tied.notices.push(notice),
                None => tied.unnamed.push(candidate.lines.start),
            }
            continue;
        };
        let target = FileTarget { path, exists: true, written: None, named: None };
        let one = BoundCandidate::new(number, candidate, target, Vec::new());
        bound.push(BoundCandidate { named_by: NamedBy::Content, why: Some(why), ..one });
    }
    tied.unnamed.sort_unstable();
    tied.unnamed.dedup();
    bound
}

// Returns the one text or name of its file that `candidate` gives besides its code: what it goes beside or into, or one
// line that it replaces.
fn anchor(candidate: &Candidate) -> Option<&str> {
    match &candidate.form {
        Form::Beside { anchor, .. } => Some(anchor.trim_end_matches("()")),
        Form::Within { name } | Form::Edge { name, .. } => Some(name.trim_end_matches("()")),
        Form::Replacement { old } => Some(old.trim()).filter(|old| !old.contains('\n')),
        _ => old_form(candidate).map(str::trim).filter(|old| !old.contains('\n')),
    }
}

// Returns the code above `candidate` that is an old form of it: they have most words in common.
fn old_form(candidate: &Candidate) -> Option<&str> {
    let is_asked_for = !candidate.conditional && !candidate.optional && !candidate.described;
    let old = candidate.old.as_deref().filter(|_| candidate.form == Form::Code && is_asked_for)?;
    let (one, other) = (words::of_code(old), words::of_code(&candidate.content));
    (2 * one.intersection(&other).count() > one.len().max(other.len())).then_some(old)
}

// Returns the file of the code that uses what the code `at`, imports alone, brings.
fn home_of_import(at: usize, offered: &[(usize, &Candidate)], homes: &[Home]) -> Option<Home> {
    let names = imported_names(&offered[at].1.content)?;
    let uses = |content: &str| words::of_code(content).iter().any(|word| names.contains(*word));
    let others = offered.iter().zip(homes).enumerate().filter(|(other, _)| *other != at);
    let using = others.filter(|(_, ((_, candidate), _))| uses(&candidate.content));
    let mut paths: Vec<&String> = using.filter_map(|(_, (_, home))| home.path()).collect();
    paths.sort_unstable();
    paths.dedup();
    let [only] = paths[..] else { return None };
    let why = format!("No file is named. What it imports is used by the code for {only}.");
    Some(Home::One(only.clone(), why))
}

// Returns the one file that the answer names for other code, and that has an old form of a line of `candidate`, which is a step of
// the same answer: "### 3. Include it in the filter".
fn home_beside(
    candidate: &Candidate,
    named: &[BoundCandidate<'_>],
    files: &mut ProjectFiles<'_, '_>,
) -> Option<Home> {
    let is_step = candidate
        .words
        .trim_start_matches(['#', '*', ' '])
        .trim_start_matches("Step ")
        .starts_with(|c: char| c.is_ascii_digit());
    if !is_step || candidate.form != Form::Code {
        return None;
    }
    let mut paths: Vec<&String> = named
        .iter()
        .map(|one| &one.target)
        .filter(|target| target.exists && fits_language(&candidate.language, &target.path))
        .map(|target| &target.path)
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths.retain(|path| files.text(path).is_some_and(|old| alike_lines(&candidate.content, &old) > 0));
    let [only] = paths[..] else { return None };
    let why = format!("No file is named near the code. The code beside it is for {only}.");
    Some(Home::One(only.clone(), why))
}

// Returns the only file in the language of `candidate`, which words have done, that has its keys, what its decorators call, or a
// line that is all but the same.
fn only_home(candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> Option<Home> {
    // The most files of a language that are looked at.
    const FILES: usize = 40;
    let is_asked_for = !candidate.described && !candidate.optional && !candidate.conditional;
    if candidate.form != Form::Code || candidate.language.is_empty() || !is_asked_for {
        return None;
    }
    let fits = |path: &&PathBuf| fits_language(&candidate.language, &path.to_string_lossy());
    let paths: Vec<String> = files
        .names()
        .files()
        .filter(fits)
        .take(FILES + 1)
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    if paths.len() > FILES {
        return None;
    }
    let is_alone = paths.len() == 1;
    let mut all = paths.into_iter().filter(|path| {
        files.text(path).is_some_and(|text| {
            has_keys(&candidate.content, &text, &candidate.language)
                || has_decorator(&candidate.content, &text)
                || is_alone && alike_lines(&candidate.content, &text) > 0
        })
    });
    let (only, None) = (all.next()?, all.next()) else { return None };
    let why = format!("No file is named. The code fits {only} alone.");
    Some(Home::One(only, why))
}

// Returns true if `content`, data, has keys alone that `text` has, too.
fn has_keys(content: &str, text: &str, language: &str) -> bool {
    let sign = match language {
        "yaml" | "yml" | "json" | "jsonc" => ':',
        "toml" | "ini" | "properties" => '=',
        _ => return false,
    };
    let key = |line: &'_ str| -> Option<String> {
        let (key, _) = line.trim().trim_start_matches("- ").split_once(sign)?;
        Some(key.trim().trim_matches('"').to_owned()).filter(|key| !key.is_empty() && !key.contains(' '))
    };
    let has: std::collections::HashSet<String> = text.lines().filter_map(key).collect();
    let is_frame = |line: &str| line.trim().chars().all(|c| matches!(c, '{' | '}' | '[' | ']' | ','));
    let mut lines = content.lines().filter(|line| !is_frame(line)).peekable();
    lines.peek().is_some() && lines.all(|line| key(line).is_some_and(|key| has.contains(&key)))
}

// Returns true if `content` begins with a decorator that calls what one of `text` does: `@app.route(`.
fn has_decorator(content: &str, text: &str) -> bool {
    const SHORTEST: usize = 6;
    let first = content.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let Some((name, _)) = first.strip_prefix('@').and_then(|rest| rest.split_once('(')) else { return false };
    let call = &first[..name.len() + 2];
    call.len() >= SHORTEST && text.lines().any(|line| line.trim().starts_with(call))
}

// Returns the file of the last code above imports, which the answer names by other words.
fn home_of_code_above(number: usize, candidate: &Candidate, named: &[BoundCandidate<'_>]) -> Option<Home> {
    imported_names(&candidate.content)?;
    let is_code = |one: &&BoundCandidate<'_>| {
        one.number < number
            && one.candidate.form == Form::Code
            && one.target.exists
            && fits_language(&candidate.language, &one.target.path)
    };
    let path = &named.iter().rfind(is_code)?.target.path;
    Some(Home::One(path.clone(), format!("No file is named. The code above it is for {path}.")))
}

// Returns the one file of the kind that the words above `candidate` name: "your workflow", "the `create_users` migration".
fn home_of_kind(candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> Option<Home> {
    let is_said =
        matches!(candidate.form, Form::Code | Form::Beside { .. }) && !candidate.language.is_empty();
    let (kind, path) = is_said.then(|| file_of_kind(&candidate.words, &candidate.language, files))??;
    let why = format!("No file is named. The only {kind} is {path}.");
    Some(Home::One(path, why))
}

fn leaves_out(path: &str, candidate: &Candidate) -> bool {
    elision::elided_in_listing(&candidate.content, Path::new(path)).is_some()
}

pub(super) fn is_all_of(path: &str, candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> bool {
    let shown = |old: &str| extent(old, &without_naming(candidate, path, Some(old)), path, candidate.closed);
    candidate.form == Form::Code && files.text(path).is_some_and(|old| shown(&old) == CodeExtent::Whole)
}

// Returns the lines of a candidate that its file may have: of a diff those that stay or go, of a replacement the old ones, of code
// also those of its old form.
fn of_file(candidate: &Candidate) -> Cow<'_, str> {
    match &candidate.form {
        Form::Diff => {}
        Form::Replacement { old } => return Cow::Borrowed(old),
        _ => {
            return match old_form(candidate) {
                Some(old) => Cow::Owned(format!("{}\n{}", old.trim_end(), candidate.content)),
                None => Cow::Borrowed(&candidate.content),
            };
        }
    }
    let is_old = |line: &&str| !line.starts_with(['+', '@', '\\']);
    let line = |line: &str| format!("{}\n", line.strip_prefix(['-', ' ']).unwrap_or(line));
    candidate.content.lines().filter(is_old).map(line).collect::<String>().into()
}
