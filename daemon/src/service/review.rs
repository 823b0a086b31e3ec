//! `review`: what an editor shows of a plan and of its execution.
//!
//! Pure. It groups what a user decides on and puts the rest into words, once for all editors. It must not know which
//! editor asks: documents that are open there, commands and keys are the editor's own.
//!
//! ```text
//! plan     a1 a.txt (g1), a2 b.txt (g2, needs approval), a3 run make, a4 cat c.txt, p1 d.py
//! units    p1 proposed, g1 accepted, g2 with its approval, a3 titled "run make"
//! always   a4
//! notes    "only reads: cat c.txt"
//! ```

use std::collections::{HashMap, HashSet};

use clada_protocol::{
    ActionResult, ActionStatus, Approval, ErrorKind, ExecutionResult, FileHunk, NotRead, OperationWarning,
    Outcome, ParseIssue, PlanResult, PlannedAction, PlannedFile, PlannedFileKind, Proposal, ProposalForm,
    Review, ReviewNote, ReviewSeverity, ReviewUnit, count_of,
};

const LISTED: usize = 3;
// Answers are taught to name files so: it need not be said of each.
const RELATIVE_PATH: &str = "Relative path: ";

pub(super) fn of_plan(result: &mut PlanResult) -> Review {
    // The files get those of proposals, and what is shown of each.
    let mut units = UnitList::default();
    let mut files = Vec::new();
    let mut proposals: Vec<&mut Proposal> =
        result.proposals.iter_mut().filter(|proposal| proposal.is_listed()).collect();
    proposals.sort_by_key(|proposal| proposal.attention.is_empty());
    for proposal in proposals {
        files.push(proposed_file(proposal, &mut units));
    }
    units.exclude(&result.proposals);
    let actions = &result.actions;
    let owners: HashMap<&str, &PlannedAction> = actions
        .iter()
        .flat_map(|action| {
            let hunks = action.hunks.iter().map(|hunk| hunk.id.as_str());
            hunks.chain([action.id.as_str()]).map(move |id| (id, action))
        })
        .collect();
    let mut covered = HashSet::new();
    for mut file in std::mem::take(&mut result.files) {
        file.title = title(&file);
        units.add_file(&mut file, None, |unit, part| {
            if let Some(action) = owners.get(part) {
                covered.insert(action.id.as_str());
                unit.needs(action.needs_approval.as_ref());
            }
        });
        files.push(file);
    }
    // What no file covers is decided on by itself, or not at all.
    let mut review = Review::default();
    let (mut failures, mut holds, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for action in actions {
        let is_decided_on = match &action.unplannable {
            Some(why) if why.kind == ErrorKind::AnswerAlreadyApplied => false,
            Some(why) => {
                failures.push(ReviewNote {
                    severity: ReviewSeverity::Error,
                    text: format!("[task-{}] {}", action.task, why.error),
                    hint: why.hint.clone(),
                    place: why.place.clone(),
                    action: Some(action.id.clone()),
                    ..ReviewNote::default()
                });
                review.always.push(action.id.clone());
                continue;
            }
            None => !action.unchanged,
        };
        if !is_decided_on {
            holds.push(note(format!("[task-{}] already done: {}", action.task, words(action))));
            review.always.push(action.id.clone());
        } else if action.looks {
            reads.push(words(action));
            review.always.push(action.id.clone());
        } else if !covered.contains(action.id.as_str()) {
            // It may go together with others, or with a file that shows what comes of it.
            let id = action.group.as_ref().unwrap_or(&action.id);
            let is_of_file = units.has_file(id);
            let unit = units.of(id);
            unit.needs(action.needs_approval.as_ref());
            if is_of_file {
                continue;
            }
            unit.add_key(&[&words(action), action.diff.as_deref().unwrap_or_default()]);
            let before = unit.unit.title.take().map(|title| title + ", ").unwrap_or_default();
            unit.unit.title = Some(before + &words(action));
            unit.unit.diff = unit.unit.diff.take().or_else(|| action.diff.clone());
            unit.unit.command = action.command.is_some();
        }
    }
    failures.extend(
        result.parse_errors.iter().map(|issue| ReviewNote { hint: issue.hint.clone(), ..of_issue(issue) }),
    );
    review.failed = failures.len();
    review.units = units.finished(&result.approvals);
    if review.units.is_empty() && failures.is_empty() && reads.is_empty() {
        review.nothing = Some(nothing(result, !holds.is_empty()));
    }
    let unread = result.not_read.iter().map(of_not_read);
    let already = result.already.iter().map(|path| note(format!("already as in the answer: {path}")));
    let reads = (!reads.is_empty()).then(|| note(format!("only reads: {}", listed(&reads))));
    review.notes = failures.into_iter().chain(unread).chain(already).chain(holds).chain(reads).collect();
    review.notes.extend(remarks(&result.warnings));
    for file in &mut files {
        finish_hunks(file, &review.units);
    }
    result.files = files;
    review
}

pub(super) fn of_execution(result: &ExecutionResult) -> Outcome {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut count = |name, more| *counts.entry(name).or_default() += more;
    let mut problems = Vec::new();
    for action in &result.results {
        let name = became(action);
        count(name, 1);
        if matches!(name, "failed" | "not applied") {
            let kind = action.kind.map_or(action.status.word(), ErrorKind::name);
            let severity = match action.status {
                ActionStatus::Skip => ReviewSeverity::Warning,
                _ => ReviewSeverity::Error,
            };
            problems.push(ReviewNote {
                severity,
                text: format!("{kind}: {}", action.error.as_ref().unwrap_or(&action.action)),
                hint: action.hint.clone(),
                place: action.place.clone(),
                line: result.blocks.get(action.block).map(|block| block.start_line),
                ..ReviewNote::default()
            });
        }
        // An action may be done in part.
        count("hunks left out", action.hunks.map_or(0, |hunks| hunks.of.saturating_sub(hunks.done)));
    }
    count("failed", result.parse_errors.len());
    problems.extend(result.parse_errors.iter().map(of_issue));
    let proposals = || result.proposals.iter().filter(|proposal| proposal.is_listed());
    let declined = proposals().filter(|proposal| proposal.declined).count();
    let undecided = proposals().count() - declined;
    problems.extend(proposals().filter(|proposal| !proposal.declined).map(|proposal| ReviewNote {
        severity: ReviewSeverity::Warning,
        text: format!("proposed, not decided: {}: {}", proposal.path, proposal_title(proposal)),
        hint: Some("Apply the answer again to decide.".to_owned()),
        line: Some(proposal.line),
        ..ReviewNote::default()
    }));
    problems.extend(result.not_read.iter().map(of_not_read));
    let mut of = |name: &str| counts.remove(name).unwrap_or_default();
    let mut parts = vec![format!("{} done", of("done"))];
    for name in ["failed", "not applied", "left out", "done before"] {
        let number = of(name);
        parts.extend((number > 0).then(|| format!("{number} {name}")));
    }
    for (number, word, end) in [
        (of("hunks left out"), "hunk", "left out"),
        (undecided, "proposal", "not decided"),
        (declined, "proposal", "declined"),
        (result.not_read.len(), "part", "of the answer not applied"),
    ] {
        parts.extend((number > 0).then(|| format!("{} {end}", count_of(number, word))));
    }
    Outcome {
        line: parts.join(", "),
        complete: problems.is_empty() && result.fatal_error.is_none(),
        problems,
    }
}

fn became(action: &ActionResult) -> &'static str {
    // What was accepted and skipped all the same depends on another action.
    match (action.kind, action.status) {
        (Some(ErrorKind::AnswerAlreadyApplied), _) => "done before",
        (_, ActionStatus::Success) => "done",
        _ if action.declined => "left out",
        (_, ActionStatus::Skip) => "not applied",
        _ => "failed",
    }
}

#[derive(Default)]
struct UnitList {
    all: Vec<UnitDraft>,
    by_id: HashMap<String, usize>,
}

#[derive(Default)]
struct UnitDraft {
    unit: ReviewUnit,
    hash: blake3::Hasher,
}

impl UnitDraft {
    fn add_key(&mut self, parts: &[&str]) {
        for part in parts {
            self.hash.update(part.as_bytes());
            self.hash.update(&[0]);
        }
    }

    fn needs(&mut self, approval: Option<&String>) {
        let new = approval.filter(|id| !self.unit.approvals.contains(id)).cloned();
        self.unit.approvals.extend(new);
    }
}

impl UnitList {
    fn of(&mut self, id: &str) -> &mut UnitDraft {
        let next = self.all.len();
        let index = *self.by_id.entry(id.to_owned()).or_insert(next);
        if index == next {
            self.all.push(UnitDraft {
                unit: ReviewUnit { id: id.to_owned(), accepted: true, ..ReviewUnit::default() },
                ..UnitDraft::default()
            });
        }
        &mut self.all[index]
    }

    /// Returns whether a unit with this id has lines of a file.
    fn has_file(&self, id: &str) -> bool {
        self.by_id.get(id).is_some_and(|index| self.all[*index].unit.title.is_none())
    }

    fn add_file(
        &mut self,
        file: &mut PlannedFile,
        proposal: Option<&Proposal>,
        mut part: impl FnMut(&mut UnitDraft, &str),
    ) {
        let mut ids: Vec<String> = Vec::new();
        // A proposal's file has its group also if its hunks are decided on one by one.
        let whole = file.group.clone().filter(|_| proposal.is_none() || file.hunks.is_empty());
        if let Some(group) = whole {
            let unit = self.of(&group);
            if file.hunks.is_empty() {
                let old = file.old_path.as_deref().unwrap_or_default();
                unit.add_key(&[&title(file), &file.path, old, file.diff.as_deref().unwrap_or_default()]);
            }
            file.parts.iter().for_each(|id| part(unit, id));
            ids.push(group);
        }
        for hunk in &file.hunks {
            let unit = self.of(&hunk.group);
            unit.add_key(&[&file.path, &hunk.removed.concat(), &hunk.added.concat()]);
            hunk.parts.iter().for_each(|id| part(unit, id));
            if !ids.contains(&hunk.group) {
                ids.push(hunk.group.clone());
            }
            unit.unit.accepted &= proposal.is_none() || hunk.edited;
        }
        if let Some(proposal) = proposal {
            for id in &ids {
                let unit = self.of(id);
                unit.unit.accepted &= !file.hunks.is_empty();
                unit.unit.proposal = Some(proposal.id.clone());
                unit.needs(proposal.needs_approval.as_ref());
            }
        }
        file.crlf = file.hunks.iter().all(|hunk| {
            let mut lines = hunk.removed.iter().chain(&hunk.added);
            lines.all(|line| line.ends_with("\r\n"))
        });
        file.crlf &= !file.hunks.is_empty();
        file.units = ids;
    }

    fn exclude(&mut self, proposals: &[Proposal]) {
        let alternatives = |id: &str| proposals.iter().find(|one| one.id == id).map(|one| &one.alternatives);
        let known: Vec<(String, String)> = self
            .all
            .iter()
            .filter_map(|unit| Some((unit.unit.id.clone(), unit.unit.proposal.clone()?)))
            .collect();
        for UnitDraft { unit, .. } in &mut self.all {
            let Some(own) = &unit.proposal else { continue };
            let Some(alternatives) = alternatives(own) else { continue };
            let excluded = known.iter().filter(|(_, other)| other != own && alternatives.contains(other));
            unit.excludes = excluded.map(|(id, _)| id.clone()).collect();
        }
    }

    fn finished(self, approvals: &[Approval]) -> Vec<ReviewUnit> {
        let finished = |UnitDraft { mut unit, hash }: UnitDraft| {
            let needed = || approvals.iter().filter(|approval| unit.approvals.contains(&approval.id));
            let texts: Vec<&str> =
                needed().filter_map(|approval| approval.text.as_deref()).map(str::trim_end).collect();
            let (approval_text, suspicious) =
                (texts.join("\n"), needed().any(|approval| approval.suspicious));
            unit.accepted &= unit.approvals.is_empty();
            ReviewUnit { key: hash.finalize().to_hex().to_string(), approval_text, suspicious, ..unit }
        };
        self.all.into_iter().map(finished).collect()
    }
}

fn proposed_file(proposal: &mut Proposal, units: &mut UnitList) -> PlannedFile {
    let kind = match proposal.form {
        ProposalForm::New => PlannedFileKind::Create,
        ProposalForm::Delete => PlannedFileKind::Delete,
        ProposalForm::Move => PlannedFileKind::Move,
        _ => PlannedFileKind::Change,
    };
    let old_path = proposal.new_path.as_ref().map(|_| proposal.path.clone());
    let path = proposal.new_path.clone().unwrap_or_else(|| proposal.path.clone());
    let mut file = proposal.file.take().unwrap_or_else(|| PlannedFile {
        path,
        kind,
        old_path,
        ..PlannedFile::default()
    });
    file.title = format!("proposed: {}", title(&file));
    let Proposal { added, removed, line, end_line, words, remarks, .. } = &*proposal;
    let what = proposal_title(proposal);
    file.about = vec![format!("{what} · +{added} −{removed} · lines {line}–{end_line} of the answer")];
    file.about.extend((!words.is_empty()).then(|| format!("“{words}”")));
    file.about.extend(remarks.iter().map(|remark| format!("! {remark}")));
    file.proposal = Some(proposal.id.clone());
    if file.hunks.is_empty() {
        file.group = Some(proposal.id.clone());
        file.diff = Some(proposal.diff.clone());
    }
    units.add_file(&mut file, Some(proposal), |_, _| ());
    file
}

fn finish_hunks(file: &mut PlannedFile, units: &[ReviewUnit]) {
    let (mut added, mut removed) = (0, 0);
    let approved: HashSet<&str> =
        units.iter().filter(|unit| !unit.approvals.is_empty()).map(|unit| unit.id.as_str()).collect();
    for hunk in &mut file.hunks {
        let FileHunk { start, before, after, .. } = &*hunk;
        let (first, around) = (start + 1 - before.len(), before.len() + after.len());
        let side = |at: usize, count: usize| format!("{},{count}", if count == 0 { at - 1 } else { at });
        let old = side(first, around + hunk.removed.len());
        let new = side(first + added - removed, around + hunk.added.len());
        hunk.header = format!("@@ -{old} +{new} @@");
        (added, removed) = (added + hunk.added.len(), removed + hunk.removed.len());
        hunk.not_editable = match (approved.contains(hunk.group.as_str()), hunk.parts.len()) {
            (true, _) => Some("it is approved as it is shown, or not at all".to_owned()),
            (false, 1) => None,
            _ => Some("several actions change these lines: edit them in the file, after it".to_owned()),
        };
    }
}

fn title(file: &PlannedFile) -> String {
    let kind = match file.kind {
        PlannedFileKind::Create => "create",
        PlannedFileKind::Change | PlannedFileKind::Unknown => "change",
        PlannedFileKind::Move => "move",
        PlannedFileKind::Delete => "delete",
    };
    let old = file.old_path.as_ref().filter(|old| **old != file.path);
    let old = old.map(|old| format!("{old} → ")).unwrap_or_default();
    let cut = if file.truncated { " · it does more than is shown" } else { "" };
    format!("{kind} {old}{}{cut}", file.path).replace('\n', "\\n")
}

fn proposal_title(proposal: &Proposal) -> &str {
    if proposal.title.is_empty() { proposal.form.words() } else { &proposal.title }
}

fn words(action: &PlannedAction) -> String {
    let path = action.path.as_deref().unwrap_or_default();
    match (&action.command, &action.new_path) {
        (Some(command), _) => format!("run {command}"),
        (None, Some(new)) => format!("{} {path} → {new}", action.action),
        (None, None) => format!("{} {path}", action.action).trim_end().to_owned(),
    }
}

fn note(text: String) -> ReviewNote {
    ReviewNote { text, ..ReviewNote::default() }
}

fn of_issue(issue: &ParseIssue) -> ReviewNote {
    let line = issue.line.or(issue.block_start_line);
    let at = line.map(|line| format!(" (line {line} of the answer)")).unwrap_or_default();
    ReviewNote {
        severity: ReviewSeverity::Error,
        text: format!("{}: {}{at}", issue.code.as_ref().unwrap_or(&issue.error_type), issue.message),
        line,
        ..ReviewNote::default()
    }
}

fn of_not_read(other: &NotRead) -> ReviewNote {
    let path = other.path.as_ref().map(|path| format!("{path}: ")).unwrap_or_default();
    ReviewNote {
        severity: ReviewSeverity::Warning,
        text: format!("not applied, line {} of the answer: {path}{}", other.line, other.hint),
        line: Some(other.line),
        ..ReviewNote::default()
    }
}

fn remarks(warnings: &[OperationWarning]) -> Vec<ReviewNote> {
    let messages: Vec<&String> = warnings
        .iter()
        .map(|warning| &warning.message)
        .filter(|message| !message.starts_with(RELATIVE_PATH))
        .collect();
    let more = messages.len().saturating_sub(LISTED);
    let more = (more > 0).then(|| note(format!("and {}, in the report", count_of(more, "more remark"))));
    messages.into_iter().take(LISTED).cloned().map(note).chain(more).collect()
}

fn listed(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names[..names.len().min(LISTED)].join(", "))
}

fn nothing(result: &PlanResult, holds: bool) -> String {
    let notices: Vec<String> = result.not_read.iter().map(|other| of_not_read(other).text).collect();
    match (notices.as_slice(), result.already.as_slice(), result.warnings.as_slice()) {
        _ if holds => "all of its changes hold already; there is nothing left to do".to_owned(),
        (_, [_, ..], _) => format!("already as in the answer: {}", result.already.join(", ")),
        ([only], ..) => only.clone(),
        ([first, others @ ..], ..) => format!("{first} (and {} more)", others.len()),
        ([], [], []) => "it holds no change of a file".to_owned(),
        ([], [], warnings) => {
            warnings.iter().map(|warning| warning.message.as_str()).collect::<Vec<_>>().join("\n")
        }
    }
}
