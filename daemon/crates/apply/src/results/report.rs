//! From what was planned and done to results: what each action reports, and an operation as a whole, within the bounds
//! of a result.
//!
//! Pure. How a result is rendered as text is the protocol's business, since the client does it too.

use clada_exec::Keep;
use clada_fs::{RootedPath, Roots};
use clada_protocol::{
    ActionData, ActionResult, ActionStatus, Appended, Approval, AtPath, CommandData, DryRun, EditedLines,
    ErrorKind, ExecutionResult, FailurePlace, FinalNewline, Folder, Moved, OperationWarning, Parameter,
    Parameters, ParseIssue, Patched, ReadFiles, Replaced, ReplacedInFile, ReplacedInFiles, ReplacedLines,
    WithinLine, Written,
};
use clada_schema::Action;
use serde_json::Value;

use crate::effect::{Effect, ReadOnlyAction};
use crate::failure::{Failure, failed_in_part, unread};
use crate::planned::Planned;
use crate::read::answer::{Answer, Step};
use crate::read::not_read::how_to_write;
use crate::results::diff;
use crate::results::place;
use crate::results::weight::{text_weight, weight};
use crate::write::{Before, Write};

/// Bytes of a parameter that stay when a result has to be cut.
const PARAM_EXCERPT: usize = 1 << 10;

/// Bytes of a parameter or error that stay when a result is full.
const SHORT_EXCERPT: usize = 256;

const NAMED: usize = 5;

pub(crate) fn named(paths: &[String]) -> String {
    let named: Vec<&str> = paths.iter().take(NAMED).map(String::as_str).collect();
    let more = clada_protocol::and_more(paths.len().saturating_sub(named.len()));
    format!("'{}'{more}", named.join("', '"))
}

/// `1 line`, `3 lines` or `at least 3 lines`.
pub(crate) fn lines_found(count: usize, is_more: bool) -> String {
    let noun = if count == 1 { "line" } else { "lines" };
    format!("{}{count} {noun}", if is_more { "at least " } else { "" })
}

/// The room that a result still has. What does not fit is cut, and flagged where it was cut.
#[derive(Debug)]
pub(crate) struct Budget {
    remaining: usize,
    cut: bool,
}

impl Budget {
    #[must_use]
    pub(crate) fn new(bytes: usize) -> Budget {
        Budget { remaining: bytes, cut: false }
    }

    #[must_use]
    pub(crate) fn was_cut(&self) -> bool {
        self.cut
    }

    /// Something was left out before it was asked for.
    pub(crate) fn note_cut(&mut self) {
        self.cut = true;
    }

    #[must_use]
    pub(crate) fn remaining(&self) -> usize {
        self.remaining
    }

    pub(crate) fn take(&mut self, bytes: usize) -> bool {
        let fits = bytes <= self.remaining;
        if fits {
            self.remaining -= bytes;
        } else {
            self.cut = true;
        }
        fits
    }
}

#[derive(Debug, Default)]
pub(crate) struct ActionOutput {
    /// Its data.
    pub data: Option<ActionData>,
    /// There would be more data.
    pub truncated: bool,
    /// The files already were as asked.
    pub unchanged: bool,
    /// The rung of the ladder that matched, if it is one that a report names.
    pub matched_by: Option<&'static str>,
    /// The line of which an exact match was only a part, from 1, as it became.
    pub within_line: Option<(usize, String)>,
}

const LINE_SHOWN: usize = 200;

pub(crate) fn result(
    step: Step,
    outcome: Result<ActionOutput, Failure>,
    duration_ms: u64,
    budget: &mut Budget,
) -> ActionResult {
    let mut truncated = false;
    let params = step.parameters();
    let mut result = ActionResult {
        seq: step.seq,
        task: step.task,
        block: step.group.block,
        block_id: step.metadata.block_id,
        action: step.name,
        duration_ms,
        edited: step.edited.len(),
        ..ActionResult::default()
    };
    match outcome {
        Ok(yielded) => {
            (result.status, result.success) = (ActionStatus::Success, true);
            result.unchanged = yielded.unchanged;
            result.matched_by = yielded.matched_by.map(str::to_owned);
            let cut = |text: String| match text.char_indices().nth(LINE_SHOWN) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            };
            result.within_line = yielded.within_line.map(|(line, text)| WithinLine { line, text: cut(text) });
            truncated |= yielded.truncated;
            let data = yielded.data.map(|data| fitted(data, budget, &mut truncated));
            result.data = data.filter(|data| keep(data, budget, &mut truncated));
        }
        Err(failure) => {
            result.declined = failure.declined;
            result.status = match failure.kind {
                _ if failure.declined => ActionStatus::Skip,
                ErrorKind::Skipped | ErrorKind::AnswerAlreadyApplied | ErrorKind::NotDelivered => {
                    ActionStatus::Skip
                }
                // A command that was ended has begun.
                ErrorKind::Cancelled | ErrorKind::Timeout if failure.data.is_none() => ActionStatus::Skip,
                _ => ActionStatus::Error,
            };
            result.kind = Some(failure.kind);
            result.would_match = failure.would_match.map(str::to_owned);
            let mut error = format!("{}: {}", result.action, failure.message);
            if !budget.take(text_weight(&error)) {
                cut(&mut error, SHORT_EXCERPT);
                truncated = true;
            }
            result.error = Some(error);
            result.hint = failure.hint.filter(|hint| budget.take(text_weight(hint)));
            result.person_hint = failure.person_hint.filter(|_| result.hint.is_some());
            let has_room =
                |place: &FailurePlace| budget.take(text_weight(&place.path) + text_weight(&place.uri));
            let has_place = failure.place.is_some();
            result.place = failure.place.map(|place| *place).filter(has_room);
            truncated |= has_place && result.place.is_none();
            let data = failure.data.map(|data| fitted(data, budget, &mut truncated));
            result.data = data.filter(|data| keep(data, budget, &mut truncated));
        }
    }
    // After the data: what was read or found fills the room that there was before.
    result.params = cut_params(params, budget, &mut truncated);
    result.truncated = truncated;
    result
}

fn fitted(data: ActionData, budget: &mut Budget, truncated: &mut bool) -> ActionData {
    // Cut in the middle: how the command ended is to be known.
    let weight = weight(&data);
    let mut data = match data {
        ActionData::Command(data) if weight > budget.remaining() => data,
        other => return other,
    };
    let taken = text_weight(&data.stdout) + text_weight(&data.stderr);
    let mut room = budget.remaining().saturating_sub(weight - taken);
    // Half of the room is for what is written to each; the second has what the first has left of it.
    for (text, share) in [(&mut data.stdout, 2), (&mut data.stderr, 1)] {
        let own = room / share;
        let mut bound = own.min(text.len());
        while text_weight(text) > own && bound > 0 {
            let mut keep = Keep::new(bound);
            keep.take(text.as_bytes());
            *text = keep.finish().text;
            bound /= 2;
        }
        room = room.saturating_sub(text_weight(text));
    }
    data.truncated = true;
    *truncated = true;
    budget.note_cut();
    ActionData::Command(data)
}

fn keep(data: &ActionData, budget: &mut Budget, truncated: &mut bool) -> bool {
    let fits = budget.take(weight(data));
    *truncated |= !fits;
    fits
}

fn cut(text: &mut String, excerpt: usize) {
    if text.len() > excerpt {
        text.truncate(text.floor_char_boundary(excerpt));
        text.push('…');
    }
}

fn cut_params(mut params: Parameters, budget: &mut Budget, truncated: &mut bool) -> Parameters {
    for value in params.values_mut() {
        // The texts of an answer are known to their sender: they get a quarter of what is left, the rest
        // is for what is not known yet.
        let weight = weight(value);
        let excerpt = if weight > budget.remaining() { SHORT_EXCERPT } else { PARAM_EXCERPT };
        if weight > excerpt * 2 && weight > budget.remaining() / 4 {
            *value = match value.as_str() {
                Some(text) => {
                    let mut text = text.to_owned();
                    cut(&mut text, excerpt);
                    Parameter::Text(text.into())
                }
                None => Parameter::Other(Value::Null),
            };
            *truncated = true;
            budget.cut = true;
        }
        budget.remaining = budget.remaining.saturating_sub(self::weight(value));
    }
    params
}

/// The end that a write gives the last line, if it gives one (spec: answers, section 5).
fn final_newline(write: &Write) -> Option<FinalNewline> {
    (write.newline_added && !write.is_unchanged()).then_some(FinalNewline::Added)
}

/// Returns the data of an effect on success (spec: actions, "data on success").
#[must_use]
pub(crate) fn data(effect: &Effect, step: &Step) -> Option<ActionData> {
    let action = step.action.as_ref().ok()?;
    let written = |path: &RootedPath| path.written().to_owned();
    Some(match (effect, action) {
        (Effect::Write(write), action) => write_data(write, action, step),
        (Effect::WriteMoved { from, write, .. }, _) => ActionData::Patched(Patched {
            path: written(from),
            new_path: Some(written(&write.path)),
            hunks: write.replacements,
            created: false,
        }),
        (Effect::Several(files), _) => {
            ActionData::ReplacedInFiles(several(files.iter().map(|file| match file {
                Ok(write) => (write.path.written(), Ok(write)),
                Err((path, failure)) => (path.written(), Err(failure)),
            })))
        }
        (Effect::Delete { path, .. } | Effect::RemoveFolder(path), _) => {
            ActionData::AtPath(AtPath { path: written(path) })
        }
        (Effect::Move { from, to, .. }, Action::FilePatch(_)) => ActionData::Patched(Patched {
            path: written(from),
            new_path: Some(written(to)),
            hunks: 0,
            created: false,
        }),
        (Effect::Move { from, to, replaced, .. }, _) => ActionData::Moved(Moved {
            old_path: written(from),
            new_path: written(to),
            overwrote: *replaced != Before::Missing,
        }),
        (Effect::CreateFolder { path, missing }, _) => {
            ActionData::Folder(Folder { path: written(path), created: !missing.is_empty() })
        }
        (Effect::Restore(restore), _) => ActionData::AtPath(AtPath { path: written(&restore.path) }),
        // A built-in command is reported as the program that it stands for, which has succeeded.
        (Effect::Steps(steps), _) => {
            let paths = steps.iter().flat_map(Effect::paths).map(written).collect();
            let exit_code = Some(0);
            ActionData::Command(Box::new(CommandData {
                exit_code,
                paths: Some(paths),
                ..CommandData::default()
            }))
        }
        (Effect::ReadOnly(_) | Effect::Command(_), _) => return None,
    })
}

fn write_data(write: &Write, action: &Action, step: &Step) -> ActionData {
    let path = write.path.written().to_owned();
    match action {
        Action::FileWrite(_) => ActionData::Written(Written {
            path,
            bytes_written: write.content().len(),
            created: write.before == Before::Missing,
            final_newline: final_newline(write),
            lines: edited_lines(write, step),
        }),
        Action::FileAppend(append) => {
            let bytes_written = match &write.old {
                Some(old) => write.new.len() - old.len(),
                None => append.content.len().max(write.new.len()),
            };
            ActionData::Appended(Appended { path, bytes_written, final_newline: final_newline(write) })
        }
        Action::FilePatch(patch) => ActionData::Patched(Patched {
            path,
            new_path: None,
            // A file that comes to be is written; of one that changes, some hunks may have been left out.
            hunks: if write.replacements == 0 { patch.hunks.len() } else { write.replacements },
            created: write.before == Before::Missing,
        }),
        Action::FileReplaceLines(_) => {
            ActionData::ReplacedLines(ReplacedLines { path, lines_replaced: write.replacements })
        }
        action => {
            let lines = write.lines.filter(|_| matches!(action, Action::FileReplaceTextRange(_)));
            ActionData::Replaced(Replaced {
                path,
                replacements: write.replacements,
                first_line: lines.map(|(first, _)| first),
                last_line: lines.map(|(_, last)| last),
            })
        }
    }
}

// The lines that come and go, if the answer shows an edit of the file and not its text.
fn edited_lines(write: &Write, step: &Step) -> Option<EditedLines> {
    let old = write.old.as_ref().filter(|_| step.is_proposal && !step.terms.open_end)?;
    let (added, removed) = diff::counts(old, &write.new, &mut diff::COUNTED.clone())?;
    Some(EditedLines { added, removed })
}

/// Why `effect` fails although a part of it can be done, as far as that is known beforehand.
pub(crate) fn failure_in_part(effect: &Effect) -> Option<Failure> {
    match effect {
        Effect::Several(files) => {
            let failed: Vec<&Failure> =
                files.iter().filter_map(|file| file.as_ref().err()).map(|(_, failure)| failure).collect();
            failed_in_part("failed", files.len(), &failed, || {
                ActionData::ReplacedInFiles(several(files.iter().map(|file| match file {
                    Ok(write) => (write.path.written(), Ok(write)),
                    Err((path, failure)) => (path.written(), Err(failure)),
                })))
            })
        }
        Effect::ReadOnly(ReadOnlyAction::ReadMany(files)) => {
            let failed = files.iter().filter_map(|file| file.as_ref().err());
            let failed = failed.map(|(path, failure)| (path.as_str(), failure));
            unread(files.len(), failed, ReadFiles::default)
        }
        _ => None,
    }
}

/// Returns the data of `files_replace_all_text`: an entry a file.
pub(crate) fn several<'f>(
    files: impl Iterator<Item = (&'f str, Result<&'f Write, &'f Failure>)>,
) -> ReplacedInFiles {
    let file = |(path, outcome): (&str, Result<&Write, &Failure>)| ReplacedInFile {
        path: path.to_owned(),
        replacements: outcome.map_or(0, |write| write.replacements),
        error: outcome.err().map(|failure| failure.message.clone()),
    };
    ReplacedInFiles { results: files.map(file).collect() }
}

const PLACES: usize = 16 << 10;

/// What came of the actions of an operation.
#[derive(Debug, Default)]
pub struct Executed {
    /// One entry an action.
    pub results: Vec<ActionResult>,
    /// Paths that another process changed between plan and execution.
    pub external_changes: Vec<String>,
    /// Warnings for the user although everything is done.
    pub warnings: Vec<String>,
    /// Something of a result was cut.
    pub truncated: bool,
}

impl Executed {
    pub(crate) fn from_plan(planned: Vec<Planned>, room: usize) -> Executed {
        let mut budget = Budget::new(room);
        let results = planned
            .into_iter()
            .map(|Planned { step, outcome, .. }| {
                let outcome = outcome.and_then(|effect| match failure_in_part(&effect) {
                    Some(failure) => Err(failure),
                    None => Ok(ActionOutput {
                        data: data(&effect, &step),
                        unchanged: effect.is_unchanged(),
                        truncated: false,
                        matched_by: effect.matched_by(),
                        within_line: effect.within_line(),
                    }),
                });
                result(step, outcome, 0, &mut budget)
            })
            .collect();
        Executed { results, truncated: budget.was_cut(), ..Executed::default() }
    }

    /// Gives what was not done its file as its place, if it has no other and there is room.
    pub(crate) fn placed(mut self, roots: &Roots) -> Executed {
        let mut budget = Budget::new(PLACES);
        for result in self.results.iter_mut().filter(|one| one.kind.is_some() && one.place.is_none()) {
            let path = ["path", "old_path"].iter().find_map(|name| result.params.get(name)?.as_str());
            let path = path.and_then(|path| roots.resolve(path).ok());
            let place = path.map(|path| place::file(roots, &path));
            result.place =
                place.filter(|place| budget.take(text_weight(&place.path) + text_weight(&place.uri)));
        }
        self
    }

    pub(crate) fn into_result(
        self,
        answer: Answer,
        approvals: Vec<Approval>,
        dry_run: Option<DryRun>,
        operation: &str,
    ) -> ExecutionResult {
        let done = self.results.iter().any(|result| result.success);
        let nothing_of_it = !done && answer.has_unnamed && answer.already.is_empty();
        let success = answer.not_read.is_empty()
            && answer.proposals.is_empty()
            && !nothing_of_it
            && answer.errors.is_empty()
            && self.results.iter().all(|result| {
                // What is applied already did not fail.
                result.status == ActionStatus::Success || result.kind == Some(ErrorKind::AnswerAlreadyApplied)
            });
        let attempted = self.results.iter().filter(|result| result.status != ActionStatus::Skip).count();
        let unplaced = |message| OperationWarning { task: None, message };
        let proposals = answer.shown_proposals();
        let mut warnings = answer.notes;
        warnings.extend(answer.warnings.into_iter().map(|issue: ParseIssue| unplaced(issue.message)));
        warnings.extend(self.warnings.into_iter().map(unplaced));
        let how_to_write = how_to_write(&answer.not_read, nothing_of_it, &answer.blocks, &answer.choice);
        ExecutionResult {
            success,
            proposals,
            already: answer.already,
            how_to_write,
            total_blocks: answer.blocks.len(),
            blocks: answer.blocks,
            executed_actions: attempted,
            results: self.results,
            warnings,
            approvals,
            parse_errors: answer.errors,
            not_read: answer.not_read,
            // What was only planned is not an operation: nobody can undo or resume it.
            operation_id: if dry_run.is_some() { String::new() } else { operation.to_owned() },
            external_changes: self.external_changes,
            dry_run,
            truncated: self.truncated,
            ..ExecutionResult::default()
        }
    }
}

pub(crate) fn refused(answer: Answer, operation: &str, room: usize) -> ExecutionResult {
    let fatal_error = answer.fatal().map(str::to_owned);
    // Nothing is asked of the project then, so that a plan says no more than a text.
    let how_to_write = how_to_write(&[], false, &answer.blocks, &answer.choice);
    let mut budget = Budget::new(room);
    let results = answer.steps.into_iter().map(|step| ActionResult {
        status: ActionStatus::Fatal,
        success: false,
        ..result(step, Err(not_run()), 0, &mut budget)
    });
    ExecutionResult {
        total_blocks: answer.blocks.len(),
        blocks: answer.blocks,
        results: results.collect(),
        warnings: answer.notes,
        parse_errors: answer.errors,
        how_to_write,
        fatal_error,
        operation_id: operation.to_owned(),
        ..ExecutionResult::default()
    }
}

fn not_run() -> Failure {
    let message = "Not done: an error in the answer stops all of it (SKIPPED)";
    Failure::with_message(ErrorKind::Skipped, message.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_that_does_not_fit_is_cut_and_its_end_is_known() {
        for (out, err) in [("\0".repeat(50_000), String::new()), ("a\n".repeat(9_000), "\0é".repeat(9_000))]
        {
            let mut budget = Budget::new(10_000);
            let mut truncated = false;
            let exit_code = Some(3);
            let data = CommandData { stdout: out, stderr: err, exit_code, ..CommandData::default() };
            let data = fitted(ActionData::Command(Box::new(data)), &mut budget, &mut truncated);
            assert!(keep(&data, &mut budget, &mut truncated) && truncated && budget.was_cut(), "{data:?}");
            let data = data.command().unwrap();
            assert_eq!((data.exit_code, data.truncated), (Some(3), true));
            assert!(data.stdout.contains("[output truncated]"));
        }
        let data = CommandData { stdout: "x".to_owned(), exit_code: Some(0), ..CommandData::default() };
        let data = ActionData::Command(Box::new(data));
        assert_eq!(fitted(data.clone(), &mut Budget::new(1_000), &mut false), data);
    }
}
