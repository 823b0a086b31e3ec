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

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use clada_dialects::plain::{Candidate, Form, Group, Place, Plain, fits_language};
use clada_fs::Roots;
use clada_protocol::{Attention, NamedBy, NotRead, ProposalForm};

use super::answer_paths::AnswerPaths;
use super::content::{Home, Homes, Unnamed, alike_lines, files_of_types, homes, is_other_file, shared_lines};
use super::copied;
use super::edits::{EditOutcome, PlainEdit};
use super::files::{EntryKind, ProjectFiles};
use super::heads::definitions;
use super::merging::{PlainEdits, sets_placeholder};
use super::new_file::{NewFile, NewFileKind, begins_a_file};
use super::notation::edit_signs;
use super::operations;
use super::types;
use super::versions::{Draft, numbered, settle_versions};
use super::which::{CandidateMeaning, FileTarget, meaning};
use super::whole::{CodeExtent, extent, new_is_cut_off};
use super::words;
use crate::plan::broken::broken;
use crate::plan::guard::elision;
use crate::read::proposal::Proposal;

// The most files of one name between which the user chooses.
const MOST_TWINS: usize = 9;

#[derive(Debug, Default)]
pub(crate) struct Tied {
    /// Changes that can be applied, in document order.
    pub(crate) proposals: Vec<Proposal>,
    /// Candidates that name a file and cannot be applied.
    pub(crate) notices: Vec<NotRead>,
    pub(crate) already: Vec<String>,
    /// Code that names no file and was not tied to one: its lines in the answer.
    pub(crate) unnamed: Vec<u32>,
    /// Code that the files already have: its lines in the answer.
    pub(crate) quoted: Vec<u32>,
    /// Code for paths outside of the project: its line, and the path as written.
    pub(crate) elsewhere: Vec<(u32, String)>,
    pub(crate) stopped: bool,
    /// Code for files that blocks edit: its place among the candidates, and the path.
    pub(crate) beside_blocks: Vec<(usize, String)>,
    /// The files of which all was shown, with the line of the answer that names each.
    shown_whole: Vec<(String, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockUse {
    Edits,
    Writes,
}

impl Tied {
    pub(super) fn is_already(&mut self, path: &str) {
        if !self.already.iter().any(|known| known == path) {
            self.already.push(path.to_owned());
        }
    }
}

pub(super) struct BoundCandidate<'c> {
    pub(super) number: usize,
    pub(super) candidate: &'c Candidate,
    pub(super) target: FileTarget,
    pub(super) named_by: NamedBy,
    /// Why this file is taken, if the answer does not name it.
    pub(super) why: Option<String>,
    pub(super) others: Vec<FileTarget>,
}

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
    let answer = AnswerPaths::new(plain, text, &mut |folder| files.kind(folder) == EntryKind::Folder);
    let (mut bound, unnamed) = bind(plain, &answer, &types, files, &mut tied, &mut drafts);
    drafts.retain(|one| !blocks.contains_key(&one.proposal.path));
    bound.extend(bind_unnamed(unnamed, to, files, roots, &mut tied));
    bound.sort_by_key(|one| one.number);
    let mut edits = PlainEdits::new(plain, text, &answer);
    for one in &bound {
        draft(one, blocks, files, &mut tied, &mut drafts, &mut edits);
    }
    edits.leave_out_shown(&drafts, &mut tied.notices);
    edits.follow_moves(&mut drafts, files);
    edits.make(files, &mut tied, &mut drafts);
    operations::settle_moves(&mut drafts);
    drafts.sort_by_key(|one| one.candidate);
    settle_versions(&mut drafts);
    tied.proposals = numbered(drafts, plain.candidates.len());
    tied
}

// A type that is named near code, with the one file that defines it.
struct NearType {
    name: String,
    path: String,
}

// Returns the types that are named near candidates for which no path is, by the candidates' places.
fn types_near(plain: &Plain, files: &mut ProjectFiles<'_, '_>, roots: &Roots) -> HashMap<usize, NearType> {
    let is_near = |group: &Group| {
        !group.held && group.place < Place::Sentence && group.mentions.iter().any(|mention| !mention.aside)
    };
    let candidates = plain.candidates.iter().enumerate().filter(|(_, candidate)| {
        candidate.form == Form::Code
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
        if shared(&self.path) <= others || other.is_some_and(|other| other.path == self.path) {
            return None;
        }
        let target = FileTarget { path: self.path.clone(), exists: true, written: None, named: None };
        let NearType { name, path } = self;
        let why = format!("No file is named near the code. `{name}` is only in {path}.");
        let one = BoundCandidate::new(number, candidate, target, Vec::new());
        Some(BoundCandidate { named_by: NamedBy::Content, why: Some(why), ..one })
    }
}

/// Returns the candidates that name a file, with it, and those that name none.
fn bind<'c>(
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
                match extent(&old, &candidate.content, path, candidate.closed) {
                    CodeExtent::Same | CodeExtent::Quotation | CodeExtent::Whole => true,
                    CodeExtent::Part(_) => merges(&old, candidate, path),
                    CodeExtent::CutOff(_) => false,
                }
            })
        };
        let meant = meaning(candidate, answer, files, &mut suits);
        let other = match &meant {
            CandidateMeaning::One(target)
                if target.exists && target.named.is_some_and(|named| named.held) =>
            {
                Some(Some(target))
            }
            CandidateMeaning::Nothing => Some(None),
            _ => None,
        };
        let near = types.get(&at).zip(other);
        if let Some(one) = near.and_then(|(near, other)| near.bound(number, candidate, other, files)) {
            bound.push(one);
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
                if matches!(candidate.form, Form::Code | Form::Diff | Form::Replacement { .. }) =>
            {
                unnamed.push((number, candidate));
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

fn merges(old: &str, candidate: &Candidate, path: &str) -> bool {
    let edit = PlainEdit { limit: usize::MAX, ..PlainEdit::new(candidate, &candidate.content, path) };
    !matches!(edit.apply(old), EditOutcome::Refused(_))
}

/// Ties code without a file name: to the file that the request names, or to the one that has its lines.
fn bind_unnamed<'c>(
    unnamed: Vec<(usize, &'c Candidate)>,
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
        let all = unnamed.into_iter().filter(|(_, candidate)| fits(candidate));
        return all
            .map(|(number, candidate)| BoundCandidate {
                named_by: NamedBy::Request,
                ..BoundCandidate::new(number, candidate, target(), Vec::new())
            })
            .collect();
    }
    let offered = unnamed;
    let contents: Vec<Cow<'_, str>> = offered.iter().map(|(_, candidate)| of_file(candidate)).collect();
    let language =
        |candidate: &'c Candidate| if candidate.form == Form::Diff { "" } else { &*candidate.language };
    let pieces: Vec<Unnamed<'_>> = offered
        .iter()
        .zip(&contents)
        .map(|((_, candidate), content)| Unnamed { language: language(candidate), content })
        .collect();
    let Homes { homes, stopped } = homes(&pieces, files, roots);
    tied.stopped = stopped;
    let mut bound = Vec::new();
    let is_certain = |candidate: &Candidate| !candidate.optional && !candidate.described;
    let certain = offered.iter().zip(&homes).filter(|((_, candidate), _)| is_certain(candidate));
    let mut known: Vec<&String> = certain.filter_map(|(_, home)| home.path()).collect();
    known.sort_unstable();
    known.dedup();
    let only = if let [only] = known[..] { Some(only.clone()) } else { None };
    for (((number, candidate), content), home) in offered.iter().copied().zip(&contents).zip(homes) {
        // What stands beside code of one file is for that file, if it has a place there and shows a line of it.
        let beside = only.as_ref().filter(|path| {
            home == Home::None
                && is_certain(candidate)
                && fits_language(&candidate.language, path)
                && files
                    .text(path)
                    .is_some_and(|old| shared_lines(content, &old) > 0 && merges(&old, candidate, path))
        });
        let home = match beside {
            Some(path) => {
                Home::One(path.clone(), format!("No file is named. The code beside it is in {path}."))
            }
            None => home,
        };
        // Nothing is asked for, and nothing of the project is shown.
        if home == Home::None && candidate.described && !leaves_out("", candidate) {
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

fn leaves_out(path: &str, candidate: &Candidate) -> bool {
    elision::elided_in_listing(&candidate.content, Path::new(path)).is_some()
}

fn is_all_of(path: &str, candidate: &Candidate, files: &mut ProjectFiles<'_, '_>) -> bool {
    let shown = |old: &str| extent(old, &candidate.content, path, candidate.closed);
    candidate.form == Form::Code && files.text(path).is_some_and(|old| shown(&old) == CodeExtent::Whole)
}

/// Returns the lines of a candidate that its file may have: of a diff those that stay or go, of a replacement the old ones.
fn of_file(candidate: &Candidate) -> Cow<'_, str> {
    match &candidate.form {
        Form::Diff => {}
        Form::Replacement { old } => return Cow::Borrowed(old),
        _ => return Cow::Borrowed(&candidate.content),
    }
    let is_old = |line: &&str| !line.starts_with(['+', '@', '\\']);
    let line = |line: &str| format!("{}\n", line.strip_prefix(['-', ' ']).unwrap_or(line));
    candidate.content.lines().filter(is_old).map(line).collect::<String>().into()
}

impl<'c> BoundCandidate<'c> {
    fn new(
        number: usize,
        candidate: &'c Candidate,
        target: FileTarget,
        others: Vec<FileTarget>,
    ) -> BoundCandidate<'c> {
        let named_by = match target.named.map(|named| named.place) {
            Some(Place::Info) => NamedBy::Info,
            Some(Place::Label) | None => NamedBy::Label,
            Some(Place::Comment) => NamedBy::Comment,
            Some(Place::Json) => NamedBy::Json,
            Some(Place::Sentence) => NamedBy::Sentence,
            Some(Place::Below) => NamedBy::Below,
        };
        BoundCandidate { number, candidate, target, named_by, why: None, others }
    }
}

fn draft<'b, 'c>(
    bound: &'b BoundCandidate<'c>,
    blocks: &HashMap<String, BlockUse>,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
    edits: &mut PlainEdits<'b, 'c>,
) {
    let BoundCandidate { candidate, target, .. } = bound;
    // The block wins, but for one that needs the file that this creates.
    match blocks.get(&target.path) {
        Some(BlockUse::Edits) if target.exists => {
            if candidate.form == Form::Code && target.named.is_some_and(|named| !named.held) {
                tied.beside_blocks.push((bound.number - 1, target.path.clone()));
            }
            return;
        }
        Some(BlockUse::Writes) => return,
        _ => {}
    }
    match candidate.form {
        Form::Code => {}
        Form::Delete | Form::Move { .. } => return operations::stated(bound, files, tied, drafts),
        // They name their files themselves.
        Form::Commands => return,
        _ => {
            let old = files.text(&target.path);
            let content = candidate.content.clone();
            // Blanks before the lines of a diff are signs.
            let content = match candidate.form {
                Form::Diff => content,
                _ => copied::restored(
                    content,
                    &target.path,
                    &candidate.language,
                    old.as_deref(),
                    &candidate.words,
                ),
            };
            edits.add(bound, target, content, None);
            return;
        }
    }
    let (notices, before) = (tied.notices.len(), drafts.len() + edits.len());
    for target in std::iter::once(target).chain(&bound.others) {
        of_code(bound, target, files, tied, drafts, edits);
    }
    // Of several files that may be meant, one notice is enough, and none if one of them can be chosen.
    if !bound.others.is_empty() {
        tied.notices.truncate(notices + usize::from(drafts.len() + edits.len() == before));
    }
}

/// Adds what code does with `target`: a draft or an edit; what it is instead goes to `tied`.
fn of_code<'b, 'c>(
    bound: &'b BoundCandidate<'c>,
    target: &FileTarget,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
    edits: &mut PlainEdits<'b, 'c>,
) {
    let candidate = bound.candidate;
    let path = &target.path;
    if let Some(reason) = files.denied(path) {
        tied.notices.push(words::denied(candidate, path, &reason));
        return;
    }
    let old = if target.exists { Some(files.text(path)) } else { None };
    let text = old.as_ref().and_then(Option::as_deref);
    let content = without_naming(candidate, path, text);
    let content = copied::restored(content, path, &candidate.language, text, &candidate.words);
    if let Some(reason) = edit_signs(&content, text) {
        tied.notices.push(words::edit(candidate, words::PART, path, reason));
        return;
    }
    // A fence that shows the name of a file has nothing of it.
    if content.trim().contains(['.', '/']) && Path::new(path).ends_with(content.trim()) {
        tied.unnamed.push(candidate.lines.start);
        return;
    }
    if let Some(line) = cut_off_value(path, &content)
        && !text.is_some_and(|old| old.lines().any(|other| other.trim() == line))
    {
        tied.notices.push(words::elided(candidate, path, line));
        return;
    }
    let mut doubt = None;
    let form = match &old {
        Some(None) => {
            tied.notices.push(words::unreadable(candidate, path));
            return;
        }
        // An empty file is a new one, but for its name.
        Some(Some(old)) if old.trim().is_empty() => match incomplete(candidate, path, &content) {
            Some(notice) => {
                tied.notices.push(notice);
                return;
            }
            None => ProposalForm::Whole,
        },
        Some(Some(old)) => match extent(old, &content, path, candidate.closed) {
            CodeExtent::Same => {
                tied.shown_whole.extend(target.named.map(|named| (path.clone(), named.line)));
                tied.is_already(path);
                return;
            }
            CodeExtent::Quotation => {
                match without_lines(old, &content).filter(|_| words::says_remove(&candidate.words)) {
                    Some(text) => {
                        let count = content.lines().count();
                        let mut one = Draft::new(bound, target, ProposalForm::Part, Some(&**old), text);
                        one.proposal.notes.push(format!("Removes the {count} lines that the answer shows."));
                        drafts.push(one);
                    }
                    None => tied.quoted.push(candidate.lines.start),
                }
                return;
            }
            // What is added to a file takes no more away than it brings.
            CodeExtent::Whole
                if words::has_add(&candidate.words)
                    && (removes_most(old, &content) || edits.unsaid_loss(old, &content, path).is_some()) =>
            {
                edits.add(bound, target, content, None);
                return;
            }
            // Units mend the commas that it has too many.
            CodeExtent::Whole if broken(Path::new(path), old, &content).is_some() => {
                edits.add(bound, target, content, None);
                return;
            }
            CodeExtent::Whole if sets_placeholder(old, &content) || is_sample_manifest(old, &content) => {
                tied.unnamed.push(candidate.lines.start);
                return;
            }
            CodeExtent::Whole => ProposalForm::Whole,
            CodeExtent::CutOff(last) => {
                tied.notices.push(words::cut_off(candidate, path, &last));
                return;
            }
            CodeExtent::Part(_) if has_placeholder(&content) && !has_placeholder(old) => {
                tied.unnamed.push(candidate.lines.start);
                return;
            }
            // "Create `a.py`", another program than the file of that name: neither is a part of the other.
            CodeExtent::Part(None) if edits.answer.creates(path) && is_another_file(old, &content, path) => {
                let reason = "the answer creates the file, and the project has another one of that name";
                tied.notices.push(words::edit(candidate, words::PART, path, reason));
                return;
            }
            CodeExtent::Part(marker) => {
                edits.add(bound, target, content, marker);
                return;
            }
        },
        None => {
            // A part of the new file that the answer shows above.
            let mut created = drafts.iter().filter_map(|draft| draft.new_text(path));
            if let (Some(above), None) = (created.next(), created.next()) {
                match extent(above, &content, path, candidate.closed) {
                    CodeExtent::Part(marker) => {
                        edits.add(bound, target, content, marker);
                        return;
                    }
                    CodeExtent::Quotation => {
                        tied.quoted.push(candidate.lines.start);
                        return;
                    }
                    _ => {}
                }
            }
            if let Some(notice) = incomplete(candidate, path, &content) {
                tied.notices.push(notice);
                return;
            }
            let is_held = target.named.is_some_and(|named| named.held);
            let new = NewFile { candidate, path, content: &content, place: target.place(), is_held };
            match new.kind(edits.answer, files.names()) {
                NewFileKind::Certain => {}
                // The user says which file it is.
                _ if bound.named_by == NamedBy::Request => {}
                NewFileKind::Doubtful(note) => doubt = Some(note),
                NewFileKind::Excerpt(reason) => {
                    tied.notices.push(words::edit(candidate, words::PART, path, reason));
                    return;
                }
                NewFileKind::Sample => {
                    tied.unnamed.push(candidate.lines.start);
                    return;
                }
            }
            ProposalForm::New
        }
    };
    // A heading names one whole file; what else stands below it is a sample, unless it is a part.
    if let Some(named) = target.named {
        let whole = (path.clone(), named.line);
        // Several versions below one heading are a choice.
        if named.held && !candidate.optional && tied.shown_whole.contains(&whole) {
            tied.unnamed.push(candidate.lines.start);
            return;
        }
        tied.shown_whole.push(whole);
    }
    let old = old.flatten();
    if let Some(reason) = copied::foreign_sign(old.as_deref().unwrap_or_default(), &content, path) {
        tied.notices.push(words::edit(candidate, words::PART, path, &reason));
        return;
    }
    let content = match &old {
        Some(old) => copied::with_end_of(old, content),
        None => content,
    };
    let loss = old.as_ref().and_then(|old| edits.unsaid_loss(old, &content, path));
    let changes_secret = old.as_ref().is_some_and(|old| files.is_secret(path) && sets_again(old, &content));
    let mut draft = Draft::new(bound, target, form, old.as_deref(), content);
    if draft.shrinks_guessed() || old.as_ref().is_some_and(|old| edits.is_of_another(bound, old)) {
        tied.unnamed.push(candidate.lines.start);
        return;
    }
    if let Some(loss) = loss {
        draft.doubt(format!("The answer does not say it: {loss}."));
    }
    if changes_secret {
        draft.doubt("It changes values that the file has.".to_owned());
    }
    if let Some(note) = doubt {
        draft.doubt(note.to_owned());
    }
    if old.as_ref().is_some_and(|old| !old.trim().is_empty()) && edits.answer.creates(path) {
        draft.doubt("The answer creates the file, but the project has it.".to_owned());
    }
    if form == ProposalForm::New
        && let Some(other) = twin_with_lines(path, &candidate.content, files)
    {
        draft.doubt(format!("The project has {other}, with most of these lines."));
    }
    let is_change = words::says_change(&candidate.words) || words::says_update(&candidate.words);
    if form == ProposalForm::New && is_change {
        draft.proposal.attention.push(Attention::Part);
    }
    drafts.push(draft);
}

// Returns true if `new` is all of a file, and defines nothing that `old`, the text of the file at `path`, defines.
fn is_another_file(old: &str, new: &str, path: &str) -> bool {
    let (had, has) = (definitions(old, path), definitions(new, path));
    let is_own = |one: &&String| !one.starts_with("= ");
    begins_a_file(path, new)
        && had.iter().any(|one| is_own(&one))
        && has.iter().any(|one| is_own(&one))
        && !has.iter().filter(is_own).any(|one| had.contains(one))
}

/// Returns the one other file with the name of the new one at `path` that has most of the lines of its `content`.
fn twin_with_lines(path: &str, content: &str, files: &mut ProjectFiles<'_, '_>) -> Option<String> {
    let name = Path::new(path).file_name()?;
    let [only] = files.names().named(name) else { return None };
    let other = only.to_string_lossy().into_owned();
    let lines =
        content.lines().filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 3).count();
    let shared = files.text(&other).map_or(0, |text| shared_lines(content, &text));
    (shared > 2 && shared * 2 > lines).then_some(other)
}

// Returns the notice that `content`, all of a new file at `path`, ends too early or leaves lines out.
fn incomplete(candidate: &Candidate, path: &str, content: &str) -> Option<NotRead> {
    if let Some(last) = new_is_cut_off(content, path, candidate.closed) {
        return Some(words::cut_off(candidate, path, &last));
    }
    let elided = elision::elided_in_listing(content, Path::new(path))?;
    Some(words::elided(candidate, path, &elided.text))
}

// Returns true if `new` has another value for a name that `old` sets, or leaves it out.
fn sets_again(old: &str, new: &str) -> bool {
    let has: HashSet<&str> = new.lines().map(str::trim).collect();
    old.lines().map(str::trim).any(|line| line.contains('=') && !line.starts_with('#') && !has.contains(line))
}

// Returns a line of `text`, for a file of settings, whose value is cut off by dots, or a comment that ends in them.
fn cut_off_value<'t>(path: &str, text: &'t str) -> Option<&'t str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_settings = name.starts_with(".env") || name.ends_with(".env") || name.ends_with(".properties");
    // "# Existing vars..." stands for them.
    let is_cut = |line: &&str| {
        (line.contains('=') != line.starts_with('#')) && (line.ends_with("...") || line.ends_with('…'))
    };
    text.lines().map(str::trim).filter(|_| is_settings).find(is_cut)
}

// Returns `old` without `lines`, if it has them in a row exactly once.
fn without_lines(whole: &str, lines: &str) -> Option<String> {
    let (old, lines): (Vec<&str>, Vec<&str>) = (whole.lines().collect(), lines.trim_end().lines().collect());
    let is_here = |at: &usize| old[*at..].iter().zip(&lines).all(|(one, other)| one.trim() == other.trim());
    let mut places = (0..=old.len().checked_sub(lines.len())?).filter(is_here);
    let (first, other) = (places.next()?, places.next());
    let rest = old[..first].iter().chain(&old[first + lines.len()..]);
    other
        .is_none()
        .then(|| rest.map(|line| format!("{line}\n")).collect())
        .map(|text| copied::with_end_of(whole, text))
}

/// Returns the notice about `candidate`, of which the file at `path` has the text `after` once the answer's blocks are
/// done, if it shows all of that file and says more.
pub(super) fn beside_blocks(candidate: &Candidate, path: &str, after: &str) -> Option<NotRead> {
    let content = without_naming(candidate, path, Some(after));
    if extent(after, &content, path, candidate.closed) != CodeExtent::Whole {
        return None;
    }
    let has: HashSet<&str> = after.lines().map(str::trim).collect();
    let line = content.lines().map(str::trim).find(|line| !has.contains(line))?;
    let line: String = line.chars().take(60).collect();
    let reason = format!("the edit blocks of the answer change the file otherwise: they have no `{line}`");
    Some(words::edit(candidate, words::PART, path, &reason))
}

// Returns true if `new` gives a name to a project that `old` does not have, and that is none.
fn is_sample_manifest(old: &str, new: &str) -> bool {
    const NAMES: [&str; 5] = ["your-", "my-project", "my-app", "project-name", "your_"];
    let names = |line: &str| {
        let value = line
            .trim()
            .trim_start_matches('"')
            .strip_prefix("name")?
            .split('"')
            .rfind(|word| word.len() > 1)?;
        NAMES.iter().any(|name| value.starts_with(name)).then_some(())
    };
    let is_sample = |text: &str| text.lines().any(|line| names(line).is_some());
    is_sample(new) && !is_sample(old)
}

// Returns true if `text` has a name that stands for one that the reader has to choose.
fn has_placeholder(text: &str) -> bool {
    ["some_other_", "someOther", "some_condition", "someCondition", "your_condition", "yourCondition"]
        .iter()
        .any(|name| text.contains(name))
}

// Returns true if more lines of `old` go than `new` has new ones.
fn removes_most(old: &str, new: &str) -> bool {
    clada_edit::line_counts(old.as_bytes(), new.as_bytes()).is_some_and(|(added, removed)| removed > added)
}
/// Returns the text of a candidate, which is for the file at `path`, without the lines that only name that file,
/// unless the file has them. A comment that names another file is content.
fn without_naming(candidate: &Candidate, path: &str, old: Option<&str>) -> String {
    // "// In Store" says where the code goes, as a path does.
    if let Some(text) = old.filter(|old| types::begins_with_place(&candidate.content, path, old))
        && let Some((first, rest)) = candidate.content.split_once('\n')
        && !text.lines().any(|line| line.trim() == first.trim())
    {
        return rest.strip_prefix('\n').unwrap_or(rest).to_owned();
    }
    let mut named = candidate.groups.iter().filter(|group| group.place == Place::Comment);
    let is_own = named.next().and_then(|group| group.mentions.first()).is_none_or(|mention| {
        let (own, named) = (Path::new(path), Path::new(&mention.path));
        own.file_name() == named.file_name()
    });
    if !is_own {
        return candidate.content.clone();
    }
    let Some(naming) = candidate.naming.clone() else { return candidate.content.clone() };
    let Some(name) = candidate.content.get(naming.clone()) else { return candidate.content.clone() };
    let has = old.is_some_and(|old| {
        let mut first = old.lines().take(5).map(str::trim);
        name.lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .all(|line| first.any(|other| other == line))
    });
    if has {
        return candidate.content.clone();
    }
    let rest = &candidate.content[naming.end..];
    // An empty line below the name goes with it, unless the file begins with one.
    let rest = match old {
        Some(old) if old.starts_with('\n') => rest,
        _ => rest.strip_prefix('\n').unwrap_or(rest),
    };
    format!("{}{rest}", &candidate.content[..naming.start])
}
