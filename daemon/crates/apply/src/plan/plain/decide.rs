//! Makes steps of an answer's proposals, once they are accepted, and keeps back what waits for the others.
//!
//! ````text
//! answer             accepted: p1          declined: p1
//! ```python a.py     1 write a.py (p1)     (listed)
//! RUN pytest         2 run pytest          skipped: it waits for p1
//! ````
//!
//! A proposal is planned like any step, over the files as they are, before anybody is asked: what cannot be
//! planned is no proposal.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use clada_dialects::plain::{Note, NoteKind, Plain};
use clada_dialects::{Choice, Policy};
use clada_protocol::{
    ActionMetadata, BlockInfo, ErrorKind, NamedBy, NotRead, OperationWarning, Proposal as Shown, ProposalForm,
};
use clada_schema::{Action, FileDelete, FileMove, FileWrite, Terms};

use super::code;
use super::files::ProjectFiles;
use super::hunks;
use super::tie::tie;
use super::tied::{BlockUse, DismissedChange, Tied};
use super::words;
use crate::failure::Failure;
use crate::plan::approve::Approvals;
use crate::plan::part::AcceptedPart;
use crate::plan::planner::Planner;
use crate::plan::review::Counted;
use crate::planned::Planned;
use crate::read::answer::{AcceptedHunks, Answer, Atomicity, ChangeHashes, Group, Step};
use crate::read::proposal::{Change, Offered, Proposal};
use crate::results::diff;
use crate::rules::{PlainRule, PlainRules, Rules};
use crate::view::View;

/// The dialect by whose name the block of an accepted proposal is reported.
const DIALECT: &str = "whole_file";
const LISTED: usize = 5;

impl Answer {
    /// Ties what it shows without a dialect to files of `view`: proposals, notices and notes.
    /// For an editor that counts as `counted` says, each has its hunks.
    pub fn propose(&mut self, view: &View<'_>, rules: &Rules, counted: Option<&Counted>) {
        let plain = std::mem::take(&mut self.plain);
        let text = Arc::clone(&self.shown);
        if self.candidates.is_empty() {
            self.shown = Arc::default();
        }
        self.replace_notices(&plain);
        if plain.candidates.is_empty()
            && plain.notes.is_empty()
            && plain.asked_for.is_empty()
            && !plain.fences_lost
        {
            return;
        }
        if self.leaves_document(&plain, rules) {
            return;
        }
        let roots = view.roots();
        let mut own = view.anew();
        let blocks = self.used_paths(view);
        let mut files = ProjectFiles::new(&mut own, rules);
        let tied = tie(&plain, &text, &blocks, rules.plain.to.as_deref(), &mut files, roots);
        let Tied {
            proposals,
            notices,
            already,
            unnamed,
            described,
            elsewhere,
            quoted,
            stopped,
            beside_blocks,
            dismissed,
            ..
        } = tied;
        self.note_beside_blocks(&plain, &beside_blocks, view, rules);
        let asked_for: Vec<&String> =
            plain.asked_for.iter().filter(|path| files.text(path).is_some()).collect();
        self.not_read.extend(notices);
        self.not_read.extend(in_words(&plain, &blocks, &mut files));
        self.already = already;
        for proposal in proposals {
            match self.offered(proposal, view, rules, counted) {
                Ok(offered) => self.proposals.push(offered),
                Err(notice) => self.not_read.push(notice),
            }
        }
        // Next to blocks, plain code is commentary: only what is a proposal in its own right is mentioned
        // then.
        let is_plain = self.steps.is_empty();
        if !asked_for.is_empty() && is_plain && self.proposals.is_empty() {
            let shown: Vec<_> = asked_for.iter().map(|path| clada_protocol::visible_line(path)).collect();
            let words: Vec<String> = asked_for.iter().map(|path| clada_protocol::shell_word(path)).collect();
            self.note(format!(
                "The answer asks for {}: `clada embed {} --copy`",
                shown.join(", "),
                words.join(" ")
            ));
        }
        if plain.fences_lost {
            self.has_unnamed |= is_plain && self.proposals.is_empty();
            self.note("The answer was copied without its code fences: use the chat's copy button".to_owned());
        }
        if !unnamed.is_empty() && is_plain {
            self.has_unnamed = true;
            self.note(match &rules.plain.to {
                Some(path) => about_unfit(&unnamed, path),
                None => about_unnamed(&unnamed, stopped),
            });
        }
        let has_nothing = self.proposals.is_empty()
            && self.not_read.is_empty()
            && self.already.is_empty()
            && unnamed.is_empty();
        if is_plain && !has_nothing {
            beside_others(&plain).into_iter().for_each(|note| self.note(note));
        } else if is_plain && let Some(note) = about_shown(&plain, &quoted, &described, &dismissed) {
            self.note(note);
        }
        if is_plain {
            self.has_unnamed |= !dismissed.is_empty() && self.proposals.is_empty();
            about_dismissed(&dismissed).into_iter().for_each(|note| self.note(note));
        }
        let others: Vec<u32> = plain
            .notes
            .iter()
            .filter(|note| note.kind == NoteKind::OtherVoice)
            .map(|note| note.lines.start)
            .collect();
        if !others.is_empty() && is_plain {
            let (count, lines) = (clada_protocol::count_of(others.len(), "piece"), words::listed(&others));
            self.note(format!("Not applied: {count} of quoted text, thinking or tool results ({lines})"));
        }
        let of_kind = |kind| plain.notes.iter().filter(move |note| note.kind == kind);
        let is_beside = |line: u32| {
            let mut written = self.proposals.iter().filter(|one| one.shown.named_by == NamedBy::Command);
            written.any(|one| (one.shown.line..=one.shown.end_line).contains(&line))
        };
        let beside: Vec<u32> = of_kind(NoteKind::Commands)
            .map(|note| note.lines.start)
            .filter(|line| is_beside(*line))
            .collect();
        if !beside.is_empty() {
            self.note(format!("Not run: the other commands ({}). Run them yourself", words::listed(&beside)));
        }
        let kinds = [NoteKind::Elsewhere, NoteKind::NotMeant, NoteKind::TakenBack];
        for note in kinds.into_iter().flat_map(of_kind) {
            let line = note.lines.start;
            let path = note.path.as_deref().map(|path| format!(" ({})", clada_protocol::visible_line(path)));
            let path = path.unwrap_or_default();
            let words = if note.words.is_empty() {
                String::new()
            } else {
                format!(" (“{}”)", clada_protocol::visible_line(&note.words))
            };
            self.note(match note.kind {
                NoteKind::Elsewhere => format!("Not applied: line {line} is for another project{path}"),
                NoteKind::TakenBack => {
                    format!("Not applied: line {line}{path}: the answer takes it back{words}")
                }
                _ => format!(
                    "Not applied: line {line}{path}: the answer advises against it, reports it or quotes it{words}"
                ),
            });
        }
        // A fence that is no command and no quotation, and nothing is applied.
        self.has_unnamed |= !elsewhere.is_empty() && is_plain && self.proposals.is_empty();
        for (line, path) in elsewhere {
            let path = clada_protocol::visible_line(&path).into_owned();
            self.note(format!("Not applied: line {line} is for {path}, which is outside the project"));
        }
        // Last, since it turns proposals into notices, which are sorted with the others.
        self.refuse_all(rules);
        self.not_read.sort_by_key(|notice| notice.line);
    }

    /// Leaves the code of a document alone, and says so; false if `plain` is an answer, or the call treats it as
    /// one.
    fn leaves_document(&mut self, plain: &Plain, rules: &Rules) -> bool {
        let is_asked_for =
            rules.plain.rule == PlainRule::Apply || rules.plain.to.is_some() || self.plain_alone;
        if !plain.is_document || is_asked_for || !self.steps.is_empty() {
            return false;
        }
        if !plain.candidates.is_empty() {
            self.has_unnamed = true;
            let pieces = clada_protocol::count_of(plain.candidates.len(), "piece");
            self.note(format!(
                "Not applied: {pieces} of code. The text reads like a document (README, changelog, manual), not like \
                 an answer. If it is an answer, apply it with `clada apply --plain`"
            ));
        }
        true
    }

    /// Names the code of `beside` that shows more of its file than the answer's blocks, which win, make of it.
    fn note_beside_blocks(
        &mut self,
        plain: &Plain,
        beside: &[(usize, String)],
        view: &View<'_>,
        rules: &Rules,
    ) {
        if beside.is_empty() {
            return;
        }
        let approvals = Approvals::assumed();
        let mut planner = Planner::new(view.anew(), rules, &approvals);
        for step in self.steps.iter().filter(|step| !step.is_command()) {
            drop(planner.plan(step.clone(), Ok));
        }
        let mut after = planner.into_view();
        let mut files = ProjectFiles::new(&mut after, rules);
        let notices = beside.iter().filter_map(|(at, path)| {
            code::beside_blocks(plain.candidates.get(*at)?, path, &files.text(path)?)
        });
        self.not_read.extend(notices);
    }

    fn note(&mut self, message: String) {
        self.notes.push(OperationWarning { task: None, message });
    }

    fn replace_notices(&mut self, plain: &Plain) {
        const REPLACED: [&str; 2] = ["headless_diff", "shell_edit"];
        let of_blocks =
            self.blocks.iter().map(|block| block.start_line..block.end_line.map_or(u32::MAX, |end| end + 1));
        let candidates = plain.candidates.iter().map(|one| one.lines.clone());
        let read: Vec<_> = candidates.chain(of_blocks).collect();
        let seen: Vec<_> = plain.notes.iter().map(|note| note.lines.clone()).collect();
        // The older ones begin at the line that names the file.
        let is_in = |notice: &NotRead, lines: &Range<u32>| {
            (lines.start.saturating_sub(3)..lines.end).contains(&notice.line)
        };
        self.not_read.retain(|notice| {
            // An element of a file that was read as one.
            if notice.kind == "tool_call" && plain.candidates.iter().any(|one| one.lines.start == notice.line)
            {
                return false;
            }
            // The code of a document is for its readers.
            if plain.is_document && REPLACED.contains(&notice.kind.as_str()) {
                return false;
            }
            // Commands that change files are named, whoever has seen them.
            let also = if notice.kind == "shell_edit" { &[][..] } else { &seen[..] };
            let is_read = read.iter().chain(also).any(|lines| is_in(notice, lines));
            !(REPLACED.contains(&notice.kind.as_str()) && is_read)
        });
    }

    fn refuse_all(&mut self, rules: &Rules) {
        let why = match (&rules.plain.rule, &self.choice) {
            (PlainRule::Refuse(file), _) => {
                format!(
                    "`apply.plain` is `refuse` in {}: code without a dialect is not applied",
                    clada_protocol::visible_line(file)
                )
            }
            (_, Choice::Named(_)) if !self.plain_alone => {
                "`--dialect` names other dialects: leave it out to be asked".to_owned()
            }
            _ => return,
        };
        for offered in self.proposals.drain(..).filter(|offered| offered.shown.is_listed()) {
            let Shown { line, end_line, path, named_by, words, .. } = offered.shown;
            self.not_read.push(NotRead {
                line,
                end_line: Some(end_line),
                kind: "refused".to_owned(),
                path: Some(path),
                hint: match named_by {
                    NamedBy::Block => clada_dialects::plain::conditional_block(&words),
                    _ => why.clone(),
                },
            });
        }
    }

    fn used_paths(&self, view: &View<'_>) -> HashMap<String, BlockUse> {
        let mut used = HashMap::new();
        for step in &self.steps {
            let is_write = matches!(step.action, Ok(Action::FileWrite(_) | Action::FileAppend(_)));
            for (path, is_target) in paths_of(step, view) {
                let usage = if is_write || is_target { BlockUse::Writes } else { BlockUse::Edits };
                let entry = used.entry(path).or_insert(usage);
                if usage == BlockUse::Writes {
                    *entry = usage;
                }
            }
        }
        used
    }

    /// Plans `proposal` alone; the error is the notice about one that cannot be planned.
    fn offered(
        &self,
        proposal: Proposal,
        view: &View<'_>,
        rules: &Rules,
        counted: Option<&Counted>,
    ) -> Result<Offered, NotRead> {
        let approvals = Approvals::assumed();
        let mut planner = Planner::new(view.anew(), rules, &approvals);
        let Planned { step, outcome, approval } = planner.plan(self.step_of(&proposal), Ok);
        let effect = outcome.map_err(|failure| unplanned(&proposal, failure))?;
        let step = Step {
            accepted: Some(AcceptedHunks { change: ChangeHashes::exactly(&effect), hunks: None }),
            ..step
        };
        let planned = Planned { step, outcome: Ok(effect), approval };
        let (changed, _) = diff::plan_files(std::slice::from_ref(&planned), planner.view());
        let (added, removed) =
            changed.first().map_or((0, 0), |file| (file.added.unwrap_or(0), file.removed.unwrap_or(0)));
        let is_secret =
            planner.view().roots().resolve(&proposal.path).is_ok_and(|path| planner.view().is_secret(&path));
        let diff = match (&planned.outcome, &proposal.change) {
            (Ok(_), Change::Write(new)) if is_secret && is_all_of_file(proposal.form) => {
                of_secret(&proposal.path, new.lines())
            }
            (Ok(_), Change::Write(new)) if is_secret => {
                let mut own = view.anew();
                let old = ProjectFiles::new(&mut own, rules).text(&proposal.path);
                let known: HashSet<&str> = old.iter().flat_map(|old| old.lines()).collect();
                of_secret(&proposal.path, new.lines().filter(|line| !known.contains(line)))
            }
            (Ok(effect), _) => diff::effect_diff(effect, planner.view()),
            (Err(_), _) => String::new(),
        };
        let (file, parts) = counted
            .map(|counted| hunks::reviewed(&proposal.id(), &planned, self, (planner.view(), rules), counted))
            .unwrap_or_default();
        let ids =
            |numbers: &[usize]| numbers.iter().map(|number| crate::read::proposal::id(*number)).collect();
        // They name what the file has.
        let notes = if is_secret { Vec::new() } else { proposal.notes.clone() };
        let shown = Shown {
            id: proposal.id(),
            path: proposal.path.clone(),
            new_path: match &proposal.change {
                Change::Move(to) => Some(to.clone()),
                _ => None,
            },
            form: proposal.form,
            named_by: proposal.named_by,
            title: format!("{}, {}", proposal.form.words(), proposal.named_by.words()),
            remarks: proposal
                .attention
                .iter()
                .map(|reason| reason.words().to_owned())
                .chain(notes.iter().map(|note| clada_protocol::visible_line(note).into_owned()))
                .collect(),
            line: proposal.lines.start,
            end_line: proposal.last_line(),
            words: clada_protocol::visible_line(&proposal.words).into_owned(),
            attention: proposal.attention.clone(),
            notes,
            added,
            removed,
            diff: diff.into(),
            file,
            alternatives: ids(&proposal.alternatives),
            whole_of: proposal.whole_of.map(crate::read::proposal::id),
            needs_approval: planned.approval.as_ref().map(|approval| approval.id.clone()),
            sure: proposal.is_sure(),
            declined: rules.plain.declined.contains(&proposal.id()),
        };
        Ok(Offered { step: planned.step, approval: planned.approval, proposal, shown, parts })
    }

    fn step_of(&self, proposal: &Proposal) -> Step {
        let path = proposal.path.clone();
        let (name, action) = match &proposal.change {
            Change::Write(content) => {
                ("file_write", Action::FileWrite(FileWrite { path, content: (&**content).into() }))
            }
            Change::Delete => ("file_delete", Action::FileDelete(FileDelete { path })),
            Change::Move(to) => {
                ("file_move", Action::FileMove(FileMove { old_path: path, new_path: to.clone() }))
            }
        };
        let shown = match &action {
            Action::FileWrite(_) => vec!["path", "content"],
            Action::FileMove(_) => vec!["old_path", "new_path"],
            _ => vec!["path"],
        };
        Step {
            seq: self.counted.steps + proposal.number,
            task: (self.counted.tasks + proposal.number).to_string(),
            // No block of the answer has this number, and each proposal succeeds or fails alone.
            group: Group { block: usize::MAX, policy: Policy::Each },
            metadata: ActionMetadata {
                block_id: None,
                start_line: proposal.lines.start,
                end_line: Some(proposal.last_line()),
                dialect: DIALECT.to_owned(),
            },
            name: name.to_owned(),
            action: Ok(action),
            terms: Terms { open_end: is_all_of_file(proposal.form), ..Terms::default() },
            deleted: Vec::new(),
            shown: crate::read::answer::Shown::OfAction(shown),
            accepted: None,
            edited: self.edited_proposals.get(&proposal.number).cloned().unwrap_or_default(),
            left_out: false,
            is_proposal: true,
        }
    }

    /// Returns the steps to carry out: those of blocks, which are `steps`, and those of proposals that are
    /// accepted, each before what needs it. What waits for the other proposals is skipped.
    pub(crate) fn decided(
        &mut self,
        steps: Vec<Step>,
        accept: Option<&[String]>,
        rules: &Rules,
        view: &View<'_>,
    ) -> Vec<Step> {
        let (mut accepted, mut remaining) = (Vec::new(), Vec::new());
        for offered in std::mem::take(&mut self.proposals) {
            let part = match accept {
                Some(ids) => offered.part(ids),
                None if is_applied_by(&offered, &rules.plain) => AcceptedPart::All,
                None => AcceptedPart::Nothing,
            };
            match part {
                AcceptedPart::All => accepted.push(offered),
                AcceptedPart::Hunks(hunks) => accepted.push(offered.with_hunks(hunks)),
                AcceptedPart::Nothing => remaining.push(offered),
            }
        }
        // One of several was chosen: the others are decided.
        remaining
            .retain(|other| !accepted.iter().any(|one| one.shown.alternatives.contains(&other.shown.id)));
        // A part that was not taken was not taken as the whole file either.
        remaining.retain(|other| other.shown.is_listed());
        remaining
            .iter_mut()
            .for_each(|other| other.shown.declined = rules.plain.declined.contains(&other.shown.id));
        let mut steps = steps;
        if self.atomicity == Atomicity::AllOrNothing && !remaining.is_empty() {
            let ids = listed_ids(&remaining);
            let skipped = format!(
                "Not done: {ids} was not accepted, and the answer is applied whole or not at all (SKIPPED)"
            );
            steps.iter_mut().for_each(|step| skip(step, &skipped));
            self.proposals = remaining;
            self.proposals.extend(accepted);
            self.proposals.sort_by_key(|offered| offered.proposal.number);
            return steps;
        }
        for step in &mut steps {
            let waits_for = remaining.iter().find(|other| {
                let is_behind = step.is_command() && step.metadata.start_line > other.shown.line;
                is_behind || needs(step, other, view)
            });
            if let Some(other) = waits_for {
                let (id, path) = (&other.shown.id, clada_protocol::visible_line(&other.shown.path));
                let word = if other.shown.declined { "was declined" } else { "is not decided" };
                skip(step, &format!("Not done: it comes after {id} ({path}), which {word} (SKIPPED)"));
            }
        }
        for offered in accepted {
            let block = self.blocks.len();
            self.blocks.push(BlockInfo {
                dialect: DIALECT.to_owned(),
                id: None,
                start_line: offered.shown.line,
                end_line: Some(offered.shown.end_line),
                policy: Policy::Each.name().to_owned(),
                actions: 1,
                valid: true,
            });
            let at = steps.iter().position(|step| {
                needs(step, &offered, view)
                    || step.is_command() && step.metadata.start_line > offered.shown.line
            });
            let at = at.map(|at| first_of_group(&steps, at)).unwrap_or(steps.len());
            let group = Group { block, policy: Policy::Each };
            steps.insert(at, Step { group, ..offered.step });
        }
        self.proposals = remaining;
        steps
    }

    /// Returns the proposals that blocks of the answer need, to be planned before them.
    pub(crate) fn needed_first(&self, view: &View<'_>) -> Vec<Step> {
        let is_needed = |offered: &&Offered| self.steps.iter().any(|step| needs(step, offered, view));
        let needed =
            self.proposals.iter().filter(is_needed).filter(|offered| offered.shown.alternatives.is_empty());
        needed.map(|offered| offered.step.clone()).collect()
    }
}

pub(crate) fn is_applied_by(offered: &Offered, rules: &PlainRules) -> bool {
    rules.rule == PlainRule::Apply && offered.shown.sure && !rules.declined.contains(&offered.shown.id)
}

fn first_of_group(steps: &[Step], mut at: usize) -> usize {
    while at > 0 && steps[at].group.binds(steps[at - 1].group) {
        at -= 1;
    }
    at
}

/// Returns true if `step` edits the file that `offered` creates or moves.
fn needs(step: &Step, offered: &Offered, view: &View<'_>) -> bool {
    let created = match offered.shown.form {
        ProposalForm::New => Some(&offered.shown.path),
        ProposalForm::Move => offered.shown.new_path.as_ref(),
        _ => None,
    };
    created.is_some_and(|new_path| paths_of(step, view).iter().any(|(path, _)| path == new_path))
}

/// Returns the paths of `step` from the root, each with whether the step makes it.
fn paths_of(step: &Step, view: &View<'_>) -> Vec<(String, bool)> {
    let parameters = step.parameters();
    let from_root = |name: &str| {
        let path = view.roots().resolve(parameters.text(name)?).ok().filter(|path| path.root() == 0)?;
        Some(path.relative().to_str()?.to_owned())
    };
    [("path", false), ("old_path", false), ("new_path", true)]
        .into_iter()
        .filter_map(|(name, is_target)| Some((from_root(name)?, is_target)))
        .collect()
}

fn skip(step: &mut Step, message: &str) {
    if step.action.is_ok() {
        step.action = Err(Box::new(Failure::with_message(ErrorKind::Skipped, message.to_owned())));
    }
}

fn unplanned(proposal: &Proposal, failure: Failure) -> NotRead {
    let hint = failure.hint.map(|hint| format!(". {hint}")).unwrap_or_default();
    proposal.refused(format!("{}{hint}", failure.message))
}

fn is_all_of_file(form: ProposalForm) -> bool {
    matches!(form, ProposalForm::New | ProposalForm::Whole)
}

/// Returns the diff of a secret file: the answer's own lines.
fn of_secret<'l>(path: &str, new: impl Iterator<Item = &'l str>) -> String {
    let path = clada_protocol::visible_line(path);
    let lines: String = new.map(|line| format!("+{line}\n")).collect();
    format!("diff --git a/{path} b/{path}\n(the lines that the file has now are not shown)\n{lines}")
}

/// Returns the notices about changes of files of the project that sentences ask for and do not give, but for those of
/// files that blocks change.
fn in_words(
    plain: &Plain,
    blocks: &HashMap<String, BlockUse>,
    files: &mut ProjectFiles<'_, '_>,
) -> Vec<NotRead> {
    let notice = |note: &Note| {
        let hint = match note.kind {
            NoteKind::Words => {
                "The answer states this change in words alone: make it yourself, or ask for the code (`--copy`)"
            }
            NoteKind::Bare => {
                "The code of this file is not in a fence: use the chat's copy button, or ask for a SEARCH/REPLACE \
                 block (`--copy`)"
            }
            NoteKind::Record => {
                "This is the record of an edit by another tool: ask for the edit itself (`--copy`)"
            }
            _ => return None,
        };
        let path = note.path.clone().filter(|path| !blocks.contains_key(path))?;
        files.text(&path)?;
        let (line, kind, hint) = (note.lines.start, "refused".to_owned(), hint.to_owned());
        Some(NotRead { line, end_line: None, kind, path: Some(path), hint })
    };
    plain.notes.iter().filter_map(notice).collect()
}

// Returns the note about code in `lines` that is nothing of the file at `path`, which the call names for it.
fn about_unfit(lines: &[u32], path: &str) -> String {
    let count = clada_protocol::count_of(lines.len(), "code block");
    let (path, lines) = (clada_protocol::visible_line(path), words::listed(lines));
    format!(
        "Not applied: {count} ({lines}): no change of {path}, which `--to` names. Ask for a SEARCH/REPLACE block"
    )
}

fn about_unnamed(lines: &[u32], stopped: bool) -> String {
    let (count, verb) = match lines.len() {
        1 => ("1 code block".to_owned(), "names"),
        several => (format!("{several} code blocks"), "name"),
    };
    let stopped = if stopped { " Not all files of the project were compared with them." } else { "" };
    format!(
        "{count} {verb} no file ({}): `clada apply --to FILE`, or ask for the file names (`--copy`).{stopped}",
        words::listed(lines)
    )
}

/// Returns the words about code that is none of the answer's changes: what it is, by kind.
fn about_shown(
    plain: &Plain,
    quoted: &[u32],
    described: &[u32],
    dismissed: &[DismissedChange],
) -> Option<String> {
    let kinds = [
        (NoteKind::LeadIn, "an example, or code as it is now"),
        (NoteKind::Output, "output"),
        (NoteKind::Commands, "commands to run"),
        (NoteKind::Placeholder, "a placeholder"),
        (NoteKind::Plan, "a plan about which it asks you"),
        (NoteKind::Words, "a change in words alone"),
    ];
    let with_lines =
        |name: &str, lines: &[u32]| (!lines.is_empty()).then(|| format!("{name} ({})", words::listed(lines)));
    let of_kind = |(kind, name): (NoteKind, &str)| {
        let lines = plain.notes.iter().filter(|note| note.kind == kind).map(|note| note.lines.start);
        // Each of these has a note of its own.
        let lines: Vec<u32> = lines.filter(|line| dismissed.iter().all(|one| one.line != *line)).collect();
        with_lines(name, &lines)
    };
    let quoted = with_lines("lines that the files already have", quoted);
    let described = with_lines("code that it describes, and does not ask for", described);
    let parts: Vec<String> =
        quoted.into_iter().chain(described).chain(kinds.into_iter().filter_map(of_kind)).collect();
    (!parts.is_empty()).then(|| format!("Nothing to apply: the answer shows {}", parts.join(", ")))
}

// Returns the notes about what stands beside the changes of an answer in the place of another one: a placeholder for code, or
// options of which none is chosen.
fn beside_others(plain: &Plain) -> Vec<String> {
    let note = |note: &Note| {
        let path = clada_protocol::visible_line(note.path.as_deref()?);
        let reason = match note.kind {
            NoteKind::Placeholder => "a placeholder stands for the code: ask for it",
            NoteKind::Plan => "the answer asks whether you want it, or which version: answer it first",
            _ => return None,
        };
        Some(format!("Not applied: line {} ({path}): {reason}", note.lines.start))
    };
    plain.notes.iter().filter_map(note).collect()
}

// Returns the notes about code that looks like a change, and that the words call none.
fn about_dismissed(dismissed: &[DismissedChange]) -> Vec<String> {
    let note = |one: &DismissedChange| {
        let (line, path) = (one.line, clada_protocol::visible_line(&one.path));
        let what = if one.is_new { "a file that the project does not have" } else { "a change of the file" };
        format!(
            "Not applied: line {line} ({path}): it may be {what}, but the words call it an example or another state of \
             the code. If it is a change, ask for it as a SEARCH/REPLACE block"
        )
    };
    let mut notes: Vec<String> = dismissed.iter().take(LISTED).map(note).collect();
    if dismissed.len() > LISTED {
        let lines: Vec<u32> = dismissed[LISTED..].iter().map(|one| one.line).collect();
        notes.push(format!("Not applied for the same reason: {}", words::listed(&lines)));
    }
    notes
}

fn listed_ids(offered: &[Offered]) -> String {
    let ids: Vec<&str> = offered.iter().take(LISTED).map(|one| one.shown.id.as_str()).collect();
    ids.join(", ")
}
