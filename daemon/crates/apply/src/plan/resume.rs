//! The part of an operation that was left undone, to be taken up again: its answer, how that was read, and
//! what is settled of it.
//!
//! The answer is read again as it was read then, whatever the configuration says now, so that its tasks keep
//! their numbers. Knows neither files nor where operations are kept.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use clada_config::Settings;
use clada_exec::words::{self, Command};
use clada_journal::{Compressed, json};
use clada_protocol::{
    ActionResult, BlockInfo, CallerKind, EditedPlace, ErrorKind, ExecuteParams, GitWhere, MatchLevel,
    OperationWarning, PlanParams,
};
use clada_schema::Action;
use serde::{Deserialize, Serialize};

use crate::read::answer::{
    AcceptedHunks, Answer, Atomicity, ChangeHashes, EditedLines, EditedPart, HunkLines, Step,
};
use crate::read::interpret::{Reading, SavedReading};

const TITLE: usize = 100;
const TITLE_LINES: usize = 50;

const LISTED: usize = 5;

/// An answer, and which of its tasks need not be done any more.
#[derive(Debug, Clone)]
pub struct Resumable {
    text: Arc<str>,
    reading: Reading,
    /// The atomicity with which the answer was to be done.
    pub atomicity: Atomicity,
    /// The level at which its edits were matched.
    pub match_level: Option<MatchLevel>,
    settled: HashSet<String>,
    /// The settled tasks that were not accepted.
    left_out: BTreeSet<String>,
    // The tasks that were not accepted and are offered again. They are not settled.
    offered: BTreeSet<String>,
    // The operation of which this is planned as the rest.
    resumes: Option<String>,
    partly: Vec<usize>,
    /// The hunks that are accepted of actions of which others were declined, by their numbers.
    only: BTreeMap<usize, AcceptedHunks>,
    /// What the user edited, by the numbers of the actions, in the order of the edits.
    edited: BTreeMap<usize, Vec<EditedLines>>,
    /// The same of proposals. Those that were applied are not planned again, so no journal keeps it.
    edited_proposals: BTreeMap<usize, Vec<EditedLines>>,
    options: CallOptions,
}

/// The options of a call that hold when its rest is taken up, unless they are given again.
///
/// What a user allows for one call, such as paths outside the project, is none of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct CallOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    git: Option<GitWhere>,
    #[serde(skip_serializing_if = "Option::is_none")]
    git_author: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    total_timeout_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output: Option<u64>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    literal: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_timeout_ms: Option<u64>,
}

impl CallOptions {
    fn of(params: &ExecuteParams) -> CallOptions {
        CallOptions {
            git: params.git,
            git_author: params.git_author.clone(),
            timeout_ms: params.timeout_ms,
            total_timeout_ms: params.total_timeout_ms,
            max_output: params.max_output,
            literal: params.literal,
            lock_file: params.lock_file.clone(),
            lock_timeout_ms: params.lock_timeout_ms,
        }
    }

    fn is_default(&self) -> bool {
        *self == CallOptions::default()
    }
}

/// A [`Resumable`] as the journal keeps it with its operation.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct SavedOperation {
    text: Arc<str>,
    reading: SavedReading,
    whole: bool,
    match_level: Option<MatchLevel>,
    settled: Vec<String>,
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    left_out: BTreeSet<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    partly: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    only: Vec<SavedHunks>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    edited: BTreeMap<usize, Vec<EditedLines>>,
    #[serde(default, skip_serializing_if = "CallOptions::is_default")]
    options: CallOptions,
}

/// The [`AcceptedHunks`] of an action.
#[derive(Serialize, Deserialize)]
struct SavedHunks {
    seq: usize,
    exact: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<String>,
    /// The lines of each hunk, in hex, one after the other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    each: String,
    hunks: Vec<usize>,
}

impl SavedHunks {
    fn new((seq, accepted): (&usize, &AcceptedHunks)) -> SavedHunks {
        let AcceptedHunks { change, hunks } = accepted;
        let mut hunks: Vec<usize> = hunks.iter().flatten().copied().collect();
        hunks.sort_unstable();
        let (exact, lines) = (change.exact.to_string(), change.lines.map(|lines| lines.to_string()));
        let each = change.each.iter().flatten().map(|byte| format!("{byte:02x}")).collect();
        SavedHunks { seq: *seq, exact, lines, each, hunks }
    }

    /// As it was saved; `None` if it is not what this version saves.
    fn read(self) -> Option<(usize, AcceptedHunks)> {
        let exact = self.exact.parse().ok()?;
        let lines = self.lines.map(|lines| lines.parse()).transpose().ok()?;
        let digits = self.each.as_bytes().chunks(2 * size_of::<HunkLines>());
        let each = digits.map(hunk_lines).collect::<Option<_>>()?;
        let change = ChangeHashes { exact, lines, each };
        Some((self.seq, AcceptedHunks { change, hunks: Some(self.hunks.into_iter().collect()) }))
    }
}

fn hunk_lines(digits: &[u8]) -> Option<HunkLines> {
    let digits = std::str::from_utf8(digits).ok()?;
    Some(u128::from_str_radix(digits, 16).ok()?.to_be_bytes())
}

/// The numbers of the actions of which a part was left out, of what an operation keeps; `None` if this
/// version does not understand it.
#[must_use]
pub fn partly(saved: &[u8]) -> Option<Vec<usize>> {
    #[derive(Deserialize)]
    struct Partly {
        #[serde(default)]
        partly: Vec<usize>,
    }
    serde_json::from_slice::<Partly>(saved).ok().map(|saved| saved.partly)
}

fn listed(tasks: &BTreeSet<String>) -> String {
    let shown: Vec<String> = tasks.iter().take(LISTED).map(|task| format!("task {task}")).collect();
    match tasks.len().saturating_sub(LISTED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Returns true if the step is code, or a command that the daemon does not carry out itself.
fn runs_a_program(step: &Step) -> bool {
    match &step.action {
        Ok(Action::Exec(_)) => true,
        Ok(Action::Run(run)) => !matches!(words::command(&run.command), Ok(Command::BuiltIn(_))),
        _ => false,
    }
}

impl Resumable {
    /// An answer of which nothing is done yet.
    #[must_use]
    pub fn new(
        text: Arc<str>,
        reading: Reading,
        atomicity: Atomicity,
        match_level: Option<MatchLevel>,
    ) -> Resumable {
        let (settled, partly, only) = (HashSet::new(), Vec::new(), BTreeMap::new());
        let (edited, edited_proposals) = (BTreeMap::new(), BTreeMap::new());
        let options = CallOptions::default();
        Resumable {
            text,
            reading,
            atomicity,
            match_level,
            settled,
            left_out: BTreeSet::new(),
            offered: BTreeSet::new(),
            resumes: None,
            partly,
            only,
            edited,
            edited_proposals,
            options,
        }
    }

    /// The same, applied by a call with `params`.
    #[must_use]
    pub fn called_with(self, params: &ExecuteParams) -> Resumable {
        Resumable { options: CallOptions::of(params), ..self }
    }

    /// Returns `params` of a call that takes this up, with the options of the operation that they do not give
    /// again; for an agent, without those that only a user may give.
    #[must_use]
    pub fn as_before(&self, params: ExecuteParams, caller: CallerKind) -> ExecuteParams {
        let was = &self.options;
        let by_user = caller == CallerKind::Person;
        ExecuteParams {
            git: params.git.or(was.git),
            git_author: params.git_author.or_else(|| was.git_author.clone()),
            timeout_ms: params.timeout_ms.or(was.timeout_ms),
            total_timeout_ms: params.total_timeout_ms.or(was.total_timeout_ms),
            max_output: params.max_output.or(was.max_output),
            literal: params.literal || was.literal && by_user,
            lock_file: params.lock_file.or_else(|| was.lock_file.clone().filter(|_| by_user)),
            lock_timeout_ms: params.lock_timeout_ms.or(was.lock_timeout_ms.filter(|_| by_user)),
            ..params
        }
    }

    /// The same for a plan.
    #[must_use]
    pub fn planned_as_before(&self, params: &PlanParams, caller: CallerKind) -> PlanParams {
        let was = &self.options;
        PlanParams {
            timeout_ms: params.timeout_ms.or(was.timeout_ms),
            literal: params.literal || was.literal && caller == CallerKind::Person,
            ..params.clone()
        }
    }

    /// Returns the operation of which it was planned as the rest.
    #[must_use]
    pub fn resumes(&self) -> Option<&str> {
        self.resumes.as_deref()
    }

    /// Returns the first words of the answer, before its `blocks`; `None` if it begins with none.
    #[must_use]
    pub fn title(&self, blocks: &[BlockInfo]) -> Option<String> {
        let first = blocks.iter().map(|block| block.start_line as usize).min().unwrap_or(usize::MAX);
        let before = self.text.lines().take(first.saturating_sub(1).min(TITLE_LINES));
        let words = before.map(|line| line.trim().trim_start_matches(['#', '*', '>', '-', '_', ' ']));
        // A fence, a file's name, a tag: no words.
        let mut words = words.filter(|line| line.contains(' ') && line.starts_with(char::is_alphanumeric));
        let title = words.next()?.replace(['*', '`'], "");
        Some(title.trim_end_matches([':', '_', ' ']).chars().take(TITLE).collect())
    }

    /// The same, taken up again in this way.
    #[must_use]
    pub fn with_options(&self, atomicity: Atomicity, match_level: Option<MatchLevel>) -> Resumable {
        Resumable { atomicity, match_level, ..self.clone() }
    }

    /// The same after an operation that ended with `results`.
    #[must_use]
    pub fn after(mut self, results: &[ActionResult]) -> Resumable {
        // What an operation before it has done stands as well.
        let stands =
            |result: &&ActionResult| result.success || result.kind == Some(ErrorKind::AnswerAlreadyApplied);
        self.settled.extend(results.iter().filter(stands).map(|result| result.task.clone()));
        self
    }

    #[must_use]
    pub(crate) fn without(mut self, tasks: Vec<String>) -> Resumable {
        self.settled.extend(tasks);
        self
    }

    #[must_use]
    pub(crate) fn leaving_out(mut self, tasks: impl IntoIterator<Item = String>) -> Resumable {
        self.left_out.extend(tasks);
        self
    }

    /// The rest of `operation`; what was not accepted of it is offered again. An action of which a hunk was not
    /// accepted is offered once the rest of it is done: until then the accepted hunks are what is left of it.
    #[must_use]
    pub fn offering_left_out(mut self, operation: String) -> Resumable {
        self.resumes = Some(operation);
        let steps = self.reading.read_shared(&self.text).steps;
        let done_in_part =
            |step: &&Step| self.partly.contains(&step.seq) && self.settled.contains(&step.task);
        let in_part: Vec<&Step> = steps.iter().filter(done_in_part).collect();
        for step in &in_part {
            self.only.remove(&step.seq);
            self.partly.retain(|seq| *seq != step.seq);
        }
        self.offered = std::mem::take(&mut self.left_out);
        self.offered.extend(in_part.into_iter().map(|step| step.task.clone()));
        self.settled.retain(|task| !self.offered.contains(task));
        self
    }

    /// The same, of which parts of the actions with these numbers are left out as well.
    #[must_use]
    pub(crate) fn in_part(mut self, partly: Vec<usize>) -> Resumable {
        self.partly.extend(partly);
        self
    }

    #[must_use]
    pub(crate) fn with_only(mut self, accepted: Vec<(usize, AcceptedHunks)>) -> Resumable {
        self.partly.extend(accepted.iter().map(|(seq, _)| *seq));
        self.only.extend(accepted);
        self
    }

    /// The same with places of its actions edited by the user.
    ///
    /// # Errors
    /// The name of a part that is not an action or hunk.
    pub fn with_edited(mut self, places: &[EditedPlace]) -> Result<Resumable, String> {
        for place in places {
            let (part, edit) = EditedLines::from_place(place).ok_or_else(|| place.part.clone())?;
            let edits = match part {
                EditedPart::Action(number) => self.edited.entry(number),
                EditedPart::Proposal(number) => self.edited_proposals.entry(number),
            };
            edits.or_default().push(edit);
        }
        Ok(self)
    }

    /// The answer without what is settled or declined.
    #[must_use]
    pub fn remaining(&self, atomicity: Atomicity) -> Answer {
        let mut answer = Answer { atomicity, ..self.reading.read_shared(&self.text) };
        answer.notes.retain(|note| note.task.as_ref().is_none_or(|task| !self.settled.contains(task)));
        answer.steps.retain(|step| !self.settled.contains(&step.task));
        answer.edited_proposals = self.edited_proposals.clone();
        for step in &mut answer.steps {
            step.accepted = self.only.get(&step.seq).cloned();
            step.left_out = self.offered.contains(&step.task);
            step.edited = self.edited.get(&step.seq).cloned().unwrap_or_default();
        }
        answer
    }

    /// The same, to be applied.
    ///
    /// What did not parse then does not parse now: unless the answer is to be done whole, that is only noted,
    /// since it was reported as an error before and nothing that is taken up here depends on it.
    #[must_use]
    pub fn rest(&self, atomicity: Atomicity) -> Answer {
        let mut answer = self.remaining(atomicity);
        answer.warnings.clear();
        let mut note = |message: String| answer.notes.push(OperationWarning { task: None, message });
        if atomicity == Atomicity::Blocks && !answer.errors.iter().any(|error| error.fatal) {
            match std::mem::take(&mut answer.errors).len() {
                0 => {}
                count => note(format!(
                    "{count} parse error(s) of that operation remain: send again what did not parse"
                )),
            }
        }
        if !self.left_out.is_empty() {
            note(format!(
                "Not applied, since it was not accepted before: {}. `clada apply --resume` at a terminal asks about it \
                 again",
                listed(&self.left_out)
            ));
        } else if answer.steps.is_empty() {
            note(
                "There is nothing to resume: everything in that operation that could be done is done"
                    .to_owned(),
            );
        }
        answer
    }

    /// The hash of the answer: of its text and of how it is read, on which the numbers of its actions depend.
    /// Line ends and blanks at its end, which a clipboard changes, do not count.
    #[must_use]
    pub fn answer(&self) -> [u8; 32] {
        let reading = json(&self.reading.keep());
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(reading.len() as u64).to_le_bytes()).update(&reading);
        let text = self.text.trim_end();
        text.split("\r\n").enumerate().for_each(|(at, part)| {
            let end: &[u8] = if at > 0 { b"\n" } else { b"" };
            hasher.update(end).update(part.as_bytes());
        });
        *hasher.finalize().as_bytes()
    }

    /// As an operation keeps it.
    #[must_use]
    pub fn keep(&self) -> Compressed {
        let mut settled: Vec<String> = self.settled.iter().cloned().collect();
        settled.sort();
        let saved = SavedOperation {
            text: Arc::clone(&self.text),
            reading: self.reading.keep(),
            whole: self.atomicity == Atomicity::AllOrNothing,
            match_level: self.match_level,
            settled,
            left_out: self.left_out.clone(),
            partly: self.partly.clone(),
            only: self.only.iter().map(SavedHunks::new).collect(),
            edited: self.edited.clone(),
            options: self.options.clone(),
        };
        Compressed::json(&saved)
    }

    /// As it was kept, with what `results` say was done, and the actions with the numbers `applied`.
    ///
    /// `None` if this version does not understand it.
    #[must_use]
    pub fn from_saved(
        saved: &[u8],
        results: Option<&[u8]>,
        applied: &HashSet<usize>,
        settings: &Settings,
    ) -> Option<Resumable> {
        let saved: SavedOperation = serde_json::from_slice(saved).ok()?;
        let mut settled: HashSet<String> = saved.settled.into_iter().collect();
        let reading = Reading::from_saved(&saved.reading, settings)?;
        let results: Option<Vec<ActionResult>> = results.map(serde_json::from_slice).transpose().ok()?;
        match &results {
            // [`Resumable::after`] settles what they say.
            Some(_) => {}
            // It was cut off: what it changed is all that is known.
            None => {
                let steps = reading.read_shared(&saved.text).steps;
                let mut done: Vec<_> = steps.iter().filter(|step| applied.contains(&step.seq)).collect();
                // What came before the last action that changed something had ended; a command that was the
                // last may not have, and belongs to the rest.
                done.pop_if(|last| runs_a_program(last));
                settled.extend(done.into_iter().map(|step| step.task.clone()));
            }
        }
        let resumable = Resumable {
            text: saved.text,
            reading,
            atomicity: if saved.whole { Atomicity::AllOrNothing } else { Atomicity::Blocks },
            match_level: saved.match_level,
            settled,
            left_out: saved.left_out,
            offered: BTreeSet::new(),
            resumes: None,
            partly: saved.partly,
            only: saved.only.into_iter().map(SavedHunks::read).collect::<Option<_>>()?,
            edited: saved.edited,
            edited_proposals: BTreeMap::new(),
            options: saved.options,
        };
        Some(resumable.after(&results.unwrap_or_default()))
    }

    /// About how much memory it takes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let hunks = self.only.values().map(AcceptedHunks::bytes);
        self.text.len()
            + hunks.sum::<usize>()
            + [&self.edited, &self.edited_proposals]
                .into_iter()
                .flat_map(BTreeMap::values)
                .flatten()
                .map(EditedLines::bytes)
                .sum::<usize>()
            + self.settled.iter().map(|task| task.len() + 64).sum::<usize>()
    }
}
