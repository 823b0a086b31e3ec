//! Reports steps that are rolled back as a whole: each failure of its own, as it concerns the files on disk.
//!
//! Knows what the steps asked for and what planning them gave; changes nothing of what is carried out.

use std::collections::HashSet;

use clada_protocol::ErrorKind;
use clada_schema::{Action, HunkLine};

use super::groups::{breaks, undivided};
use super::planner::Planner;
use crate::failure::Failure;
use crate::planned::Planned;
use crate::read::answer::Step;
use crate::results::place::placed;

/// The beginning of a hint that shows a file as it is not on disk.
const NOT_ON_DISK: &str = "In the file as the tasks before would have made it, which are not done:";

impl Planner<'_> {
    /// Words the failures of `planned`, whose effects have been discarded, and skips what only comes of
    /// another failure or would have fitted. `because` says why something is not done, given the task that
    /// failed first.
    pub(super) fn report_rolled_back(
        &mut self,
        planned: &mut [Planned],
        because: impl Fn(Option<&str>) -> String,
    ) {
        let first = planned.iter().position(breaks);
        let because = because(first.map(|first| planned[first].step.task.as_str()));
        let skip = |would: &str| {
            Failure::with_message(ErrorKind::Skipped, format!("Not done: {would}{because} (SKIPPED)"))
        };
        let is_edited = planned.iter().any(|planned| planned.outcome.is_ok());
        // The steps whose effects those after them were planned without.
        let mut missing: Vec<&Step> = Vec::new();
        for (at, Planned { step, outcome, approval }) in planned.iter_mut().enumerate() {
            match outcome {
                // Nobody has found out whether a command would succeed.
                Ok(_) if first.is_none() || step.is_command() || approval.is_some() => {
                    *outcome = Err(skip(""))
                }
                Ok(_) => *outcome = Err(skip("it fits, but ")),
                Err(failure) => {
                    match failure.kind {
                        ErrorKind::AnswerAlreadyApplied => continue,
                        ErrorKind::Skipped => {}
                        _ if Some(at) != first
                            && missing.iter().any(|missing| comes_of(missing, step, failure)) =>
                        {
                            *failure = skip("");
                        }
                        kind if is_edited && is_of_the_text(kind) => {
                            *failure = self.failure_on_disk(step, failure.clone())
                        }
                        _ => {}
                    }
                    missing.push(step);
                }
            }
        }
    }

    /// `failure` of `step` as it is on the files without what the steps before it would have made.
    fn failure_on_disk(&mut self, step: &Step, failure: Failure) -> Failure {
        let again =
            self.effect(step).and_then(undivided).map_err(|failure| self.with_suggestions(step, failure));
        self.note = None;
        self.guard_notes.clear();
        self.pass_turns(None);
        match (again, failure.hint.clone()) {
            (Err(again), _) if is_of_the_text(again.kind) => placed(again, self.view.roots()),
            (Ok(_), _) => placed(
                Failure { would_match: None, person_hint: None, place: None, ..failure },
                self.view.roots(),
            )
            .hint("It fits the file as it is on disk, but not after what the tasks before it would change."),
            (Err(_), Some(hint)) => failure.hint(format!("{NOT_ON_DISK}\n{hint}")),
            (Err(_), None) => failure,
        }
    }
}

fn is_of_the_text(kind: ErrorKind) -> bool {
    use ErrorKind::{AlreadyInFile, Ambiguous, MatchCount, NoMatch};
    matches!(kind, NoMatch | MatchCount | Ambiguous | AlreadyInFile)
}

/// Returns true if `failure` of `step` may be a mere consequence of `missing`, which was not done before it.
fn comes_of(missing: &Step, step: &Step, failure: &Failure) -> bool {
    let Ok(action) = &missing.action else { return true };
    if missing.is_command() {
        return true;
    }
    if !failure.path.as_deref().is_some_and(|path| names(missing, path)) {
        return false;
    }
    match old_lines(action).filter(|_| is_of_the_text(failure.kind)) {
        Some(old) => looks_for_one_of(step, &new_lines(action).difference(&old).copied().collect()),
        None => true,
    }
}

fn names(step: &Step, path: &str) -> bool {
    let parameters = step.parameters();
    let paths = parameters.iter().filter(|(key, _)| key.contains("path"));
    paths.filter_map(|(_, value)| value.as_str()).any(|value| value.lines().any(|line| line.trim() == path))
}

fn looks_for_one_of(step: &Step, lines: &HashSet<&str>) -> bool {
    let old = step.action.as_ref().ok().and_then(old_lines);
    old.is_some_and(|old| !old.is_disjoint(lines))
}

/// The lines that an edit looks for, without outer blanks; `None`: it is none.
fn old_lines(action: &Action) -> Option<HashSet<&str>> {
    Some(trimmed(action.old_texts()?.lines()))
}

fn new_lines(action: &Action) -> HashSet<&str> {
    match action {
        Action::FileReplaceText(edit) => trimmed(edit.new_text.lines()),
        Action::FileReplaceAllText(edit) => trimmed(edit.new_text.lines()),
        Action::FilesReplaceAllText(edit) => trimmed(edit.new_text.lines()),
        Action::FileReplaceTextRange(edit) => trimmed(edit.new_text.lines()),
        Action::FileReplaceTexts(edit) => trimmed(edit.edits.iter().flat_map(|edit| edit.new_text.lines())),
        Action::FilePatch(patch) => {
            let lines = patch.hunks.iter().flat_map(|hunk| &hunk.lines);
            trimmed(lines.filter_map(|line| match line {
                HunkLine::Added(line) => Some(line.as_str()),
                HunkLine::Context(_) | HunkLine::Removed(_) => None,
            }))
        }
        _ => HashSet::new(),
    }
}

fn trimmed<'t>(lines: impl IntoIterator<Item = &'t str>) -> HashSet<&'t str> {
    lines.into_iter().map(str::trim).filter(|line| !line.is_empty()).collect()
}
