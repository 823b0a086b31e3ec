//! The edits of an answer's plain forms, file by file: those of one file are made in order, one over the other,
//! and are one proposal.
//!
//! ````text
//! `a.py`: def a(): new      p1: a.py with both merged into it
//! `a.py`: def b(): new
//! ````
//!
//! One that cannot be made is a notice with its reason; the others of its file are made all the same.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use clada_dialects::plain::{Candidate, Form, Place, Plain, is_list};
use clada_merge::{Losses, used_behind};
use clada_protocol::{Attention, NamedBy, NotRead, ProposalForm};

use super::answer_paths::AnswerPaths;
use super::content::shared_lines;
use super::copied;
use super::files::ProjectFiles;
use super::heads::{all_definitions, definitions};
use super::import_lines::{import_of_itself, imported_names, is_import};
use super::new_file::{UNSAID, begins_a_file, is_all_of_file, unproven};
use super::plain_edit::{EditOutcome, EditedText, PlainEdit, dedented};
use super::remarks;
use super::tied::{BoundCandidate, Tied};
use super::undeclared::undeclared;
use super::versions::Draft;
use super::which::FileTarget;
use super::words;
use crate::plan::broken::broken;
use crate::plan::guard::elision;
use crate::read::proposal::Change;

// The most lines of a definition that may go in several steps.
const UNIT: usize = 6;

struct Pending<'b, 'c> {
    bound: &'b BoundCandidate<'c>,
    target: FileTarget,
    content: String,
    /// The line that stands for others in it.
    marker: Option<String>,
    moved: Option<String>,
    // True if the words above say that its lines go.
    removes: bool,
}

pub(super) struct PlainEdits<'b, 'c> {
    pending: Vec<Pending<'b, 'c>>,
    plain: &'b Plain,
    // What `plain` was read from.
    text: &'b str,
    pub(super) answer: &'b AnswerPaths<'b>,
}

struct MergedFile<'p, 'b, 'c> {
    text: Arc<str>,
    done: Vec<(&'p Pending<'b, 'c>, EditedText)>,
}

impl<'b, 'c> PlainEdits<'b, 'c> {
    pub(super) fn new(plain: &'b Plain, text: &'b str, answer: &'b AnswerPaths<'b>) -> PlainEdits<'b, 'c> {
        PlainEdits { pending: Vec::new(), plain, text, answer }
    }

    pub(super) fn add(
        &mut self,
        bound: &'b BoundCandidate<'c>,
        target: &FileTarget,
        content: String,
        marker: Option<String>,
    ) {
        let target = target.clone();
        self.pending.push(Pending { bound, target, content, marker, moved: None, removes: false });
    }

    // Adds the removal of the lines of `content`, which the file has.
    pub(super) fn add_removal(
        &mut self,
        bound: &'b BoundCandidate<'c>,
        target: &FileTarget,
        content: String,
    ) {
        let target = target.clone();
        self.pending.push(Pending { bound, target, content, marker: None, moved: None, removes: true });
    }

    // Returns true if `new` is all of `old`, a file at `path`, but for definitions at its end that the answer removes.
    pub(super) fn lacks_removed(&self, old: &str, new: &str, path: &str) -> bool {
        !self.plain.removed.is_empty() && super::whole::lacks_removed(old, new, path, &self.plain.removed)
    }

    /// Returns what `new` leaves out of `old`, all of a file at `path`, if the answer does not say that it goes.
    pub(super) fn unsaid_loss(&self, old: &str, new: &str, path: &str) -> Option<String> {
        let removals: Vec<&str> = self.plain.removed.iter().map(String::as_str).collect();
        let losses = Losses::between(old, new, path);
        let left_out = || {
            let line = || losses.line_left_out().map(|line| format!("`{line}` goes"));
            let check = || losses.check_left_out().map(|line| format!("the check `{line}` goes"));
            line()
                .or_else(check)
                .or_else(|| losses.entry_left_out())
                .or_else(|| list_line_left_out(old, new, path))
        };
        losses.unsaid(&removals).or_else(|| left_out().filter(|_| !self.plain.says_removal(self.text)))
    }

    // Returns true if the words above `candidate`, or the answer, have something changed or removed.
    pub(super) fn says_change(&self, candidate: &Candidate) -> bool {
        let words = &candidate.words;
        words::says_update(words) || words::is_updated(words) || self.plain.says_removal(self.text)
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }

    /// Leaves out the parts of files of which the answer has all: they are shown for the reader. One below that says
    /// more is named.
    pub(super) fn leave_out_shown(&mut self, drafts: &[Draft], notices: &mut Vec<NotRead>) {
        self.pending.retain(|edit| {
            let path = &edit.target.path;
            let mut wholes = drafts.iter().filter(|one| one.is_whole() && one.proposal.path == *path);
            let Some(whole) = wholes.next() else { return true };
            let is_later =
                wholes.next().is_none() && edit.bound.number > whole.candidate && edit.is_named_near();
            // What comes behind a new file changes it.
            if is_later && whole.proposal.form == ProposalForm::New {
                return true;
            }
            if is_later
                && let Change::Write(text) = &whole.proposal.change
                && let Some(line) = edit.line_beyond(text)
            {
                let candidate = edit.bound.candidate;
                let at = whole.proposal.lines.start;
                let reason = format!("the whole file that the answer shows in line {at} has no `{line}`");
                notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
            }
            false
        });
    }

    // Makes edits of files that move to their new paths. All of the file that the answer shows under its old name below the
    // move is its new text.
    pub(super) fn follow_moves(&mut self, drafts: &mut [Draft], files: &mut ProjectFiles<'_, '_>) {
        let moves: Vec<(usize, String, String)> = drafts
            .iter()
            .filter_map(|draft| match &draft.proposal.change {
                Change::Move(to) => Some((draft.candidate, draft.proposal.path.clone(), to.clone())),
                _ => None,
            })
            .collect();
        for (number, from, to) in &moves {
            let is_text = |draft: &&mut Draft| {
                draft.proposal.form == ProposalForm::Whole
                    && draft.proposal.path == *from
                    && draft.candidate > *number
            };
            for draft in drafts.iter_mut().filter(is_text) {
                draft.proposal.path.clone_from(to);
                draft.proposal.notes.push(format!("The file is {from} until now."));
            }
        }
        for (_, from, to) in &moves {
            for edit in self.pending.iter_mut().filter(|edit| edit.target.path == *from) {
                edit.moved = Some(from.clone());
                edit.target.path = to.clone();
            }
        }
        // The text of a file that moves is that of its old path.
        self.pending.retain(|edit| edit.moved.as_ref().is_none_or(|from| files.text(from).is_some()));
    }

    /// Makes the edits: drafts of those that can be made, notices of the others.
    pub(super) fn make(&self, files: &mut ProjectFiles<'_, '_>, tied: &mut Tied, drafts: &mut Vec<Draft>) {
        let (choices, others): (Vec<&Pending<'_, '_>>, Vec<_>) =
            self.pending.iter().partition(|edit| !edit.bound.others.is_empty());
        for of_choice in choices.chunk_by(|one, other| one.bound.number == other.bound.number) {
            let (notices, before) = (tied.notices.len(), drafts.len());
            of_choice.iter().for_each(|edit| self.make_one_draft(&[*edit], files, tied, drafts));
            // Of several files that may be meant, one notice is enough, and none if one of them can be chosen.
            tied.notices.truncate(notices + usize::from(drafts.len() == before));
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
                _ => match versions_of_units(&of_file, &line_changes(&of_file, files)) {
                    versions if versions.len() > 1 => {
                        versions.iter().for_each(|all| self.make_one_draft(all, files, tied, drafts));
                    }
                    _ => self.make_one_draft(&of_file, files, tied, drafts),
                },
            }
        }
    }

    fn make_one_draft(
        &self,
        edits: &[&Pending<'b, 'c>],
        files: &mut ProjectFiles<'_, '_>,
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
            if let Some(draft) = drafts.iter_mut().find(|draft| draft.new_text(path).is_some()) {
                self.change_new_file(edits, draft, files.limit(), tied);
                return;
            }
            edits.iter().for_each(|edit| create(edit, self.answer, files, tied, drafts));
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
        let notices = tied.notices.len();
        let merged = self.apply(edits, &base, files.limit(), tied, drafts);
        let Some((first, _)) = merged.done.first() else { return };
        let missing: Vec<u32> = tied.notices[notices..].iter().map(|notice| notice.line).collect();
        if *merged.text == *old {
            tied.is_already(path);
            return;
        }
        if let Some(name) = used_behind(&old, &merged.text, path) {
            let reason = format!("`{name}` would go, and the lines behind it use it");
            for (edit, _) in &merged.done {
                let candidate = edit.bound.candidate;
                tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
            }
            return;
        }
        let mut draft = draft(first, &merged, &old);
        // Half of an answer may be worse than none: who accepts it has to know.
        draft.proposal.notes.extend(words::without_pieces(&missing));
        if draft.shrinks_guessed() {
            tied.unnamed.extend(merged.done.iter().map(|(edit, _)| edit.bound.candidate.lines.start));
            return;
        }
        if let Some(at) = commanded {
            let lines = drafts.remove(at).proposal.lines;
            draft.proposal.notes.push(format!("The commands in line {} are done before.", lines.start));
            draft.as_whole = None;
        }
        drafts.push(draft);
    }

    // Changes the new file of `draft`, which an earlier listing of the answer shows, as later pieces say.
    fn change_new_file(&self, edits: &[&Pending<'b, 'c>], draft: &mut Draft, limit: usize, tied: &mut Tied) {
        let Change::Write(text) = &draft.proposal.change else { return };
        let merged = self.apply(edits, text, limit, tied, &[]);
        if merged.done.is_empty() {
            return;
        }
        draft.proposal.change = Change::Write(merged.text.to_string().into());
        for (edit, changed) in &merged.done {
            let line = edit.bound.candidate.lines.start;
            draft.doubt(format!("Changed by the piece of the answer in line {line}."));
            draft.proposal.notes.extend(changed.notes.iter().cloned());
        }
    }

    // Returns true if `bound`, code that names no file, uses names that neither `file` nor the rest of the answer declares: it is
    // another program's.
    pub(super) fn is_of_another(&self, bound: &BoundCandidate<'_>, file: &str) -> bool {
        let candidate = bound.candidate;
        if candidate.form != Form::Code || bound.named_by != NamedBy::Content {
            return false;
        }
        let others = self.plain.candidates.iter().filter(|other| !std::ptr::eq(*other, candidate));
        let others: Vec<&str> = others.map(|other| other.content.as_str()).collect();
        undeclared(&candidate.content, file, &others).is_some()
    }

    // Returns the names that the answer says go, and those that `content` imports from the new files of `drafts`: they moved there.
    fn removals(&self, content: &str, drafts: &[Draft]) -> Vec<String> {
        let imported: HashSet<&str> =
            content.lines().filter(|line| is_import(line)).flat_map(words::of_code).collect();
        let new =
            drafts.iter().filter(|draft| draft.proposal.form == ProposalForm::New && !imported.is_empty());
        let moved = new.flat_map(|draft| definitions(draft.text(), &draft.proposal.path));
        let names = moved.filter_map(|one| Some(one.rsplit(' ').next()?.to_owned()));
        self.plain
            .removed
            .iter()
            .cloned()
            .chain(names.filter(|name| imported.contains(name.as_str())))
            .collect()
    }

    fn apply<'p>(
        &self,
        edits: &[&'p Pending<'b, 'c>],
        old: &Arc<str>,
        limit: usize,
        tied: &mut Tied,
        drafts: &[Draft],
    ) -> MergedFile<'p, 'b, 'c> {
        let mut merged = MergedFile { text: Arc::clone(old), done: Vec::new() };
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
            // A fence above that is a change of its own is no old form of this one.
            let is_made =
                |old: &&str| merged.done.iter().any(|(one, _)| one.bound.candidate.content == **old);
            let edit = PlainEdit {
                old: candidate.old.as_deref().filter(|old| !is_made(old)),
                removals: &self.removals(&pending.content, drafts),
                is_labelled: pending.is_labelled(),
                marker: pending.marker.as_deref().unwrap_or_default(),
                limit,
                ..PlainEdit::new(candidate, &pending.content, path)
            };
            let now = Arc::clone(&merged.text);
            let outcome = if pending.removes { edit.removal(&now) } else { edit.apply(&now) };
            match outcome {
                // Its place is what another piece adds: two effects of one component, say.
                // A diff says itself which lines it replaces.
                EditOutcome::Changed(changed)
                    if candidate.form == Form::Code && takes_added(old, &now, &changed.text) =>
                {
                    let reason = "it would replace lines that the answer adds above";
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, reason));
                }
                // Each piece may lose few lines of what the one before left, and all of them together most.
                EditOutcome::Changed(changed)
                    if !merged.done.is_empty()
                        && !pending.removes
                        && let Some(name) = halved(old, &changed.text) =>
                {
                    let reason =
                        format!("with the pieces above, `{name}` would lose more than half of its lines");
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
                EditOutcome::Changed(changed)
                    if let Some(reason) = copied::foreign_sign(&now, &changed.text, path) =>
                {
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
                EditOutcome::Changed(changed)
                    if let Some((format, _)) = broken(Path::new(path), &now, &changed.text) =>
                {
                    let reason = format!("the file could not be read as {format} any more");
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
                EditOutcome::Changed(changed)
                    if !pending.removes
                        && shows_code(candidate, path)
                        && loses_remarks_alone(&merged.text, &changed.text) =>
                {
                    tied.quoted.push(candidate.lines.start);
                }
                EditOutcome::Changed(changed)
                    if changed.is_by_structure
                        && shows_code(candidate, path)
                        && remarks::comments_alone(&merged.text, &changed.text) =>
                {
                    tied.quoted.push(candidate.lines.start);
                }
                EditOutcome::Changed(changed)
                    if changed.is_by_structure && self.is_of_another(pending.bound, &now) =>
                {
                    tied.unnamed.push(candidate.lines.start);
                }
                EditOutcome::Changed(changed)
                    if let Some(line) = import_of_itself(path, &now, &changed.text) =>
                {
                    let reason = format!("with `{line}` the file would import itself");
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
                EditOutcome::Changed(changed) if let Some(line) = marker_left(&now, &changed.text, path) => {
                    let reason = format!("the marker `{line}` would be left in the file");
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
                // What stands for a value is a sample, and no value in the place of one.
                EditOutcome::Changed(changed)
                    if candidate.form == Form::Code && sets_placeholder(&now, &changed.text) =>
                {
                    tied.unnamed.push(candidate.lines.start);
                }
                EditOutcome::Changed(changed) => {
                    merged.text = changed.text.as_str().into();
                    merged.done.push((pending, changed));
                }
                EditOutcome::Already if pending.bound.named_by != NamedBy::Content => already = Some(path),
                EditOutcome::Already => {}
                // Sentences mention much that is no change.
                EditOutcome::Refused(_) if candidate.is_sentence && !resembles(candidate, &merged.text) => {}
                // Beside other pieces of the file it is one of them, for which there is no place.
                EditOutcome::Refused(_)
                    if !(pending.is_named_near()
                        || edits.len() > 1 && pending.is_held()
                        || pending.is_asked_for_by_lines(&merged.text)) =>
                {
                    tied.unnamed.push(candidate.lines.start)
                }
                EditOutcome::Refused(reason) => {
                    tied.notices.push(words::edit(candidate, words::kind(&candidate.form), path, &reason));
                }
            }
        }
        if let Some(path) = already.filter(|_| merged.done.is_empty()) {
            tied.is_already(path);
        }
        merged
    }
}

// The telling lines that a piece alone takes from its file, and those that it gives.
#[derive(Default)]
struct LineChanges {
    removed: HashSet<String>,
    added: HashSet<String>,
}

// Returns what each of `edits`, all of one file, alone does with the lines of it.
fn line_changes(edits: &[&Pending<'_, '_>], files: &mut ProjectFiles<'_, '_>) -> Vec<LineChanges> {
    let Some(first) = edits.first().filter(|_| edits.len() > 1) else { return Vec::new() };
    let Some(old) = files.text(first.moved.as_ref().unwrap_or(&first.target.path)) else { return Vec::new() };
    let of = |text: &str| -> HashSet<String> {
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| line.chars().filter(|c| c.is_alphanumeric()).count() > 3)
            .map(str::to_owned)
            .collect()
    };
    let had = of(&old);
    let changes = |edit: &&Pending<'_, '_>| {
        let candidate = edit.bound.candidate;
        let alone =
            PlainEdit { limit: files.limit(), ..PlainEdit::new(candidate, &edit.content, &edit.target.path) };
        let is_whole_code = candidate.form == Form::Code && candidate.closed;
        let EditOutcome::Changed(changed) = is_whole_code.then(|| alone.apply(&old))? else { return None };
        let has = of(&changed.text);
        Some(LineChanges {
            removed: had.difference(&has).cloned().collect(),
            added: has.difference(&had).cloned().collect(),
        })
    };
    edits.iter().map(|edit| changes(edit).unwrap_or_default()).collect()
}

// Divides `edits` into versions of the file: pieces that take the same lines away and put other ones there are a
// choice, and the other pieces go with each.
//
// ````text
// "In short:"    register() { a }    one version
// "Shorter:"     register() { b }    another one
// "Then:"        register() { b c }  goes on with the second: it has all that the second adds
// ````
fn versions_of_units<'p, 'b, 'c>(
    edits: &[&'p Pending<'b, 'c>],
    changes: &[LineChanges],
) -> Vec<Vec<&'p Pending<'b, 'c>>> {
    let shares = |one: &HashSet<String>, other: &HashSet<String>| {
        let least = one.len().min(other.len());
        least > 0 && one.intersection(other).count() * 2 >= least
    };
    let shown: Vec<Vec<String>> = match edits {
        [_] => Vec::new(),
        _ => edits.iter().map(|edit| definitions(&dedented(&edit.content), &edit.target.path)).collect(),
    };
    // What shows the same definitions again gives up what it does not have of the first: "The refined approach:".
    let goes_on = |before: usize, at: usize| {
        let (one, other) = (&changes[before].added, &changes[at].added);
        let is_revised = !shown[at].is_empty() && shown[before] == shown[at];
        one.is_empty() || if is_revised { one.is_subset(other) } else { shares(one, other) }
    };
    let excludes = |before: usize, at: usize| {
        shares(&changes[before].removed, &changes[at].removed)
            && !goes_on(before, at)
            && !changes[at].added.is_empty()
    };
    // A later edit that removes the same lines and adds others is another version; what it excludes belongs
    // to one version, what excludes nothing to all of them.
    let mut version: Vec<Option<usize>> = vec![None; edits.len()];
    for at in 0..changes.len() {
        let mut last = None;
        for before in (0..at).filter(|before| excludes(*before, at)) {
            version[before].get_or_insert(0);
            last = last.max(version[before].map(|number| number + 1));
        }
        version[at] = last;
    }
    let count = version.iter().flatten().max().map_or(0, |last| last + 1);
    let of_version = |number: usize| {
        let all = edits.iter().zip(&version).filter(|(_, of)| of.is_none_or(|of| of == number));
        all.map(|(edit, _)| *edit).collect()
    };
    (0..count).map(of_version).collect()
}

// Returns the name of the innermost definition with more than [`UNIT`] lines in `old` that has fewer than half of them in `new`.
fn halved(old: &str, new: &str) -> Option<String> {
    let after: HashMap<String, usize> = units(new).into_iter().collect();
    units(old).into_iter().rev().find_map(|(name, lines)| {
        let length = *after.get(&name)?;
        (lines > UNIT && length * 2 < lines).then(|| name.rsplit(' ').next().unwrap_or_default().to_owned())
    })
}

// Returns the definitions of `text` that stand there once, in order, each with its number of lines.
fn units(text: &str) -> Vec<(String, usize)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut units: Vec<(String, usize)> = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = all_definitions(line, "x").pop() else { continue };
        let ends =
            |other: &&&str| indent(other) <= indent(line) && !other.trim_start().starts_with([')', '{']);
        let length = 1 + lines[at + 1..].iter().take_while(|other| !ends(other)).count();
        *counts.entry(name.clone()).or_default() += 1;
        units.push((name, length));
    }
    units.retain(|(name, _)| counts[name] == 1);
    units
}

// Returns the line of a list of patterns or packages that goes, if its first word is in no line of `new`.
fn list_line_left_out(old: &str, new: &str, path: &str) -> Option<String> {
    if !is_list(path) && !path.ends_with("CODEOWNERS") {
        return None;
    }
    let head = |line: &str| -> String {
        let text = line.trim();
        text.split(|c: char| c.is_whitespace() || matches!(c, '=' | '<' | '>' | '~' | '[' | ';'))
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let has: HashSet<String> = new.lines().map(head).collect();
    let mut lines = old.lines().filter(|line| !line.trim().is_empty() && !line.trim_start().starts_with('#'));
    lines.find(|line| !has.contains(&head(line))).map(|line| format!("`{}` goes", line.trim()))
}

// Returns the name to which `new` gives a placeholder, if `old` gives it a value.
pub(super) fn name_of_placeholder(old: &str, new: &str) -> Option<String> {
    let has: HashSet<&str> = new.lines().collect();
    let set: Vec<String> = new.lines().filter_map(named_value).filter(|one| one.1).map(|one| one.0).collect();
    let mut lost = old.lines().filter(|line| !has.contains(line)).filter_map(named_value);
    lost.find(|(name, stands_for)| !stands_for && set.contains(name)).map(|one| one.0)
}

// Returns the name that `line` gives a value, and whether that is a placeholder.
fn named_value(line: &str) -> Option<(String, bool)> {
    const PLACEHOLDERS: [&str; 8] =
        ["path/to/", "path\\to\\", "your-", "your_", "YOUR_", "<your", "yourdomain", "user:password@"];
    let (name, value) = line.trim().split_once(['=', ':'])?;
    Some((name.trim_end().to_owned(), PLACEHOLDERS.iter().any(|placeholder| value.contains(placeholder))))
}

// Returns the note about the first line of `new` that gives a name a placeholder, if `old` does not have it.
pub(super) fn about_placeholder(old: &str, new: &str) -> Option<String> {
    let had: HashSet<&str> = old.lines().map(str::trim).collect();
    let mut lines = new.lines().map(str::trim).filter(|line| !had.contains(line));
    let line = lines.find(|line| named_value(line).is_some_and(|one| one.1))?;
    Some(format!("A placeholder stands for a value: `{line}`."))
}

/// Returns true if a line of `old` that gives a name a value goes, and one of `new` gives it a placeholder.
pub(super) fn sets_placeholder(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> HashSet<String> { text.lines().map(str::to_owned).collect() };
    let (had, has) = (lines(old), lines(new));
    let set: Vec<String> = has
        .difference(&had)
        .filter_map(|line| named_value(line))
        .filter(|one| one.1)
        .map(|one| one.0)
        .collect();
    let goes = |line: &String| {
        named_value(line).is_some_and(|(name, stands_for)| !stands_for && set.contains(&name))
    };
    // Beside other changes the placeholder is for the user to fill in.
    2 * set.len() >= has.difference(&had).filter(|line| named_value(line).is_some()).count()
        && had.difference(&has).any(goes)
}

// Returns true if `candidate` is code in whose file `#` begins a comment, and no words speak of comments.
fn shows_code(candidate: &Candidate, path: &str) -> bool {
    let is_prose =
        [".md", ".mdx", ".markdown", ".txt", ".rst", ".adoc"].iter().any(|end| path.ends_with(end));
    candidate.form == Form::Code && !is_prose && !words::says_remarks(&candidate.words)
}

// Returns the first line of `new`, a file at `path`, that `old` has not and that stands for lines left out: dots alone. A stub
// of Python has them for its body.
fn marker_left(old: &str, new: &str, path: &str) -> Option<String> {
    if [".md", ".mdx", ".txt", ".rst", ".py", ".pyi"].iter().any(|end| path.ends_with(end)) {
        return None;
    }
    let is_dots = |line: &&str| matches!(line.trim(), "..." | "…");
    let line = new.lines().find(is_dots)?.trim();
    (!old.lines().any(|other| other.trim() == line)).then(|| line.to_owned())
}

// Returns true if `new` is `old` without some of its comments: a fence shows the code, and changes nothing.
fn loses_remarks_alone(old: &str, new: &str) -> bool {
    let ((had, old_code), (has, new_code)) = (remarks_and_code(old), remarks_and_code(new));
    has.len() < had.len()
        && has.iter().all(|one| had.contains(one))
        && (old_code == new_code || remarks::differ_alone(&old_code, &new_code))
}

// Returns the comments and documentation of `text`, and its other lines.
fn remarks_and_code(text: &str) -> (Vec<&str>, String) {
    let (mut remarks, mut code) = (Vec::new(), String::new());
    // The quote of a text that stands alone: it is documentation, however many lines it has.
    let mut open: Option<&str> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim();
        let quote = open.or_else(|| ["\"\"\"", "'''"].into_iter().find(|quote| text.starts_with(quote)));
        if let Some(quote) = quote {
            let ends = text.ends_with(quote) && (open.is_some() || text.len() >= 2 * quote.len());
            open = (!ends).then_some(quote);
        }
        let is_comment = text.starts_with("//") && !text.starts_with("///") || text.starts_with("# ");
        if quote.is_some() || is_comment {
            remarks.push(text);
        } else {
            code.push_str(line.trim_end());
            code.push('\n');
        }
    }
    (remarks, code)
}

impl Pending<'_, '_> {
    /// Returns the first line of code that this adds and `text` has not.
    fn line_beyond(&self, text: &str) -> Option<String> {
        const SHOWN: usize = 60;
        let has: HashSet<&str> = text.lines().map(str::trim).collect();
        let is_diff = self.bound.candidate.form == Form::Diff;
        let added =
            self.content.lines().filter_map(|line| if is_diff { line.strip_prefix('+') } else { Some(line) });
        let is_telling = |line: &&str| {
            line.chars().filter(|c| c.is_alphanumeric()).count() > 3
                && !["//", "#", "--", "/*", "*", "<!--", "..."].iter().any(|sign| line.starts_with(sign))
                && !has.contains(line)
        };
        added.map(str::trim).find(is_telling).map(|line| line.chars().take(SHOWN).collect())
    }

    // Returns true if this, a part of the file with the text `old`, may be meant as all of it: it begins as a file does, and
    // is not far shorter.
    fn may_be_whole(&self, old: &str) -> bool {
        const SHARE: usize = 4;
        let count = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
        self.marker.is_none()
            && !self.removes
            && self.bound.candidate.form == Form::Code
            && SHARE * count(&self.content) >= count(old)
            && imported_names(&self.content).is_none()
            && (begins_a_file(&self.target.path, &self.content) || !begins_a_file(&self.target.path, old))
    }

    // Returns true if words of the answer name the file, and those above this piece ask for it.
    fn is_held(&self) -> bool {
        let candidate = self.bound.candidate;
        let is_asked_for = !candidate.optional && !candidate.described;
        candidate.form == Form::Code && is_asked_for && self.target.named.is_some()
    }

    // Returns true if words have code without a file changed that has several lines of `file`.
    fn is_asked_for_by_lines(&self, file: &str) -> bool {
        const LINES: usize = 3;
        let candidate = self.bound.candidate;
        let is_asked_for = !candidate.optional && !candidate.described && !candidate.conditional;
        candidate.form == Form::Code && is_asked_for && shared_lines(&candidate.content, file) >= LINES
    }

    // Returns true if the answer names the file right above the code, as one that it changes.
    fn is_labelled(&self) -> bool {
        let candidate = self.bound.candidate;
        // "Create a store like the one in `a.py`:"
        let path = self.target.written.as_ref().unwrap_or(&self.target.path);
        let mut mentions = candidate.groups.iter().flat_map(|group| &group.mentions);
        let is_doubtful = candidate.optional
            || candidate.conditional && !words::place_in(&candidate.words, &self.target.path)
            || mentions.any(|mention| mention.aside && mention.path == *path);
        candidate.form == Form::Code && !is_doubtful && self.is_named_near()
    }

    /// Returns true if the answer names the file for this very piece. What resembles a file is a part of it;
    /// that it is meant as a change nobody said.
    fn is_named_near(&self) -> bool {
        match self.bound.candidate.form {
            Form::Code => {}
            Form::Replacement { .. } => return self.bound.named_by != NamedBy::Content,
            _ => return true,
        }
        let is_near = |named: super::which::PathNaming| {
            !named.held && !matches!(named.place, Place::Sentence | Place::Below)
        };
        self.bound.named_by != NamedBy::Content && self.target.named.is_none_or(is_near)
    }
}

// True if a telling line that `now` has more often than `old` goes on the way to `next`.
fn takes_added(old: &str, now: &str, next: &str) -> bool {
    fn counted(text: &str) -> HashMap<&str, usize> {
        let mut counts = HashMap::new();
        for line in text.lines().map(str::trim).filter(|line| line.chars().any(char::is_alphanumeric)) {
            *counts.entry(line).or_default() += 1;
        }
        counts
    }
    let (old, next) = (counted(old), counted(next));
    let of = |counts: &HashMap<&str, usize>, line: &str| counts.get(line).copied().unwrap_or(0);
    counted(now).iter().any(|(line, count)| *count > of(&old, line) && *count > of(&next, line))
}

// Returns true if the old text of `candidate` is in `text`, in several places or with other blanks.
fn resembles(candidate: &Candidate, text: &str) -> bool {
    let old = match &candidate.form {
        Form::Replacement { old } => old,
        Form::Value { name } => name,
        _ => return false,
    };
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let old = bare(old);
    old.len() > 3 && text.lines().any(|line| bare(line).contains(&old))
}

fn create(
    edit: &Pending<'_, '_>,
    answer: &AnswerPaths<'_>,
    files: &mut ProjectFiles<'_, '_>,
    tied: &mut Tied,
    drafts: &mut Vec<Draft>,
) {
    let candidate = edit.bound.candidate;
    if candidate.is_sentence {
        return;
    }
    let target = &edit.target;
    if let Some(reason) = unproven(candidate, &target.path, target.place(), files.names()) {
        tied.notices.push(words::edit(candidate, words::kind(&candidate.form), &target.path, reason));
        return;
    }
    // A diff that only adds is all of the new file.
    let added = |line: &str| {
        let text = line.strip_prefix('+').or_else(|| line.trim().is_empty().then_some(line))?;
        Some(format!("{}\n", text.strip_prefix(' ').filter(|_| is_apart(&edit.content)).unwrap_or(text)))
    };
    let is_change = |line: &&str| !line.starts_with("@@") && line.trim() != "-";
    let lines = edit.content.lines().filter(is_change).map(added).collect::<Option<Vec<String>>>();
    match candidate.form {
        Form::Diff
            if candidate.closed
                && let Some(lines) = lines.filter(|lines| !lines.is_empty()) =>
        {
            let content = lines.concat();
            let mut draft = Draft::new(edit.bound, target, ProposalForm::New, None, content);
            if !answer.creates(&target.path) && !is_all_of_file(&target.path, draft.text()) {
                draft.doubt(UNSAID.to_owned());
            }
            drafts.push(draft);
        }
        // Of a list nobody can tell a part from all of it.
        Form::Append | Form::Prepend
            if candidate.closed
                && !edit.content.trim().is_empty()
                && (is_list(&target.path) || answer.creates(&target.path)) =>
        {
            let content = format!("{}\n", edit.content.trim_matches('\n'));
            if let Some(elided) = elision::elided_in_listing(&content, Path::new(&target.path)) {
                tied.notices.push(words::elided(candidate, &target.path, &elided.text));
                return;
            }
            drafts.push(Draft::new(edit.bound, target, ProposalForm::New, None, content));
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

// Returns true if a blank follows every sign of the diff.
fn is_apart(diff: &str) -> bool {
    let mut signed = diff.lines().filter_map(|line| line.strip_prefix('+'));
    signed.all(|text| text.is_empty() || text.starts_with(' '))
}

fn draft(first: &Pending<'_, '_>, merged: &MergedFile<'_, '_, '_>, old: &str) -> Draft {
    let forms: Vec<ProposalForm> = merged.done.iter().map(|(_, changed)| changed.form).collect();
    let form = if forms.iter().all(|form| *form == forms[0]) { forms[0] } else { ProposalForm::Part };
    let text = merged.text.to_string();
    let mut draft = Draft::new(first.bound, &first.target, form, Some(old), text);
    if let Some(note) = about_placeholder(old, draft.text()) {
        draft.doubt(note);
    }
    let proposal = &mut draft.proposal;
    if merged.done.iter().any(|(_, changed)| changed.is_by_structure) {
        proposal.attention.push(Attention::Inferred);
    }
    let is_guessed = |(edit, _): &(&Pending<'_, '_>, EditedText)| edit.bound.named_by == NamedBy::Content;
    if merged.done.iter().any(is_guessed) && !proposal.attention.contains(&Attention::Guessed) {
        proposal.attention.push(Attention::Guessed);
    }
    let is_conditional = |(edit, _): &(&Pending<'_, '_>, EditedText)| {
        let candidate = edit.bound.candidate;
        candidate.conditional || candidate.optional
    };
    if merged.done.iter().any(is_conditional) && !proposal.attention.contains(&Attention::Conditional) {
        proposal.attention.push(Attention::Conditional);
    }
    if merged.done.len() > 1 {
        let lines = |(edit, _): &(&Pending<'_, '_>, EditedText)| {
            let lines = &edit.bound.candidate.lines;
            format!("{}–{}", lines.start, lines.end.saturating_sub(1).max(lines.start))
        };
        let all: Vec<String> = merged.done.iter().map(lines).collect();
        let (count, all) = (all.len(), all.join(", "));
        proposal.notes.push(format!("{count} pieces of the answer: lines {all}."));
    }
    for (_, changed) in &merged.done {
        proposal.notes.extend(changed.notes.iter().cloned());
    }
    if proposal.attention.contains(&Attention::Part)
        && let Some(check) = Losses::between(old, &merged.text, &first.target.path).check_left_out()
    {
        proposal.notes.push(format!("Removes the check `{check}`."));
    }
    if let Some(from) = &first.moved {
        proposal.notes.push(format!("The file is {from} until now."));
    // A part without a marker may be meant as the whole file: the user can take it as that instead.
    } else if let [(edit, EditedText { form: ProposalForm::Part, .. })] = &merged.done[..]
        && edit.may_be_whole(old)
    {
        let whole =
            Draft::new(edit.bound, &edit.target, ProposalForm::Whole, Some(old), edit.content.clone());
        draft.as_whole = Some(Box::new(whole.proposal));
    }
    draft
}
