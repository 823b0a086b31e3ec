//! `git.squash`, `git.step_back`, `git.step_forward`: the user's work on commits, under the lock of the
//! project. Each is an operation of the journal, and undone by moving HEAD back.

use std::time::Duration;

use clada_config::Settings;
use clada_git::{GitError, GitMode, GitRepository, Squash, SquashWhich, Stepped};
use clada_journal::{Images, Made, OperationKind, OperationStatus, Outline};
use clada_protocol::{
    DryRun, ErrorKind, GitReport, GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, GitWhere,
    HeadMove, RpcError, SquashMode, UndoParams, UndoResult, count_of,
};

use super::recording::Held;
use super::request::ProjectRequest;
use super::undoing::{Way, shown_id};

const HOUR: Duration = Duration::from_secs(3600);
/// The digits of a commit's id in summaries.
const SHORT: usize = 10;
/// The files named of those that were stashed.
const NAMED: usize = 5;

/// A git command as the journal keeps it.
pub(super) struct GitOperation<'a> {
    pub(super) kind: OperationKind,
    pub(super) summary: String,
    pub(super) moved: HeadMove,
    /// The operation that it undoes.
    pub(super) undoes: Option<&'a str>,
}

impl ProjectRequest {
    /// `git.squash`.
    ///
    /// # Errors
    /// `git_operation_failed`, `invalid_params` for a mode without what it needs, `busy`,
    /// `project_not_found`.
    pub fn squash(&self, params: &GitSquashParams) -> Result<GitSquashResult, RpcError> {
        let settings = self.settings()?;
        let asked = Squash {
            which: which(params, settings)?,
            message: params.message.clone(),
            force: params.force,
            tip: params.tip.clone(),
            now: (self.environment().now)(),
        };
        let (held, warnings) = self.hold(self.roots()?)?;
        if params.dry_run {
            let commits = self.in_repository(|repository| repository.squashable(&asked))?;
            let squashed = commits.len();
            return Ok(GitSquashResult { squashed, commits, warnings, ..GitSquashResult::default() });
        }
        let squashed = self.in_repository(|repository| repository.squash(&asked))?;
        let mut result = GitSquashResult {
            squashed: squashed.commits.len(),
            commit: squashed.commit,
            kept: squashed.kept,
            commits: squashed.commits,
            warnings,
            ..GitSquashResult::default()
        };
        let summary =
            format!("squashed {} into {}", count_of(result.squashed, "commit"), short(&result.commit));
        let operation =
            GitOperation { kind: OperationKind::Git, summary, moved: squashed.moved, undoes: None };
        let recorded = self.record_git(held.as_ref(), operation, &mut result.warnings);
        (result.operation_id, result.short_id) = recorded.unwrap_or_default();
        Ok(result)
    }

    /// `git.step_back` and `git.step_forward`.
    ///
    /// # Errors
    /// `git_operation_failed`, `busy`, `project_not_found`.
    pub fn step(&self, _params: &GitStepParams, way: Way) -> Result<GitStepResult, RpcError> {
        let now = (self.environment().now)();
        let (held, warnings) = self.hold(self.roots()?)?;
        let Stepped { commit, branch, stashed, restored, conflicts, line, moved } =
            self.in_repository(|repository| match way {
                Way::Back => repository.step_back(now),
                Way::Forward => repository.step_forward(now),
            })?;
        let (stashed_files, operation_id, short_id) = (stashed, String::new(), String::new());
        let mut result = GitStepResult {
            commit,
            branch,
            stashed_files,
            restored,
            conflicts,
            line,
            operation_id,
            short_id,
            warnings,
        };
        let to = if way == Way::Back { "back" } else { "forward" };
        let summary = format!("stepped {to} to {}", short(&result.commit));
        let operation = GitOperation { kind: OperationKind::Git, summary, moved, undoes: None };
        let recorded = self.record_git(held.as_ref(), operation, &mut result.warnings);
        (result.operation_id, result.short_id) = recorded.unwrap_or_default();
        Ok(result)
    }

    /// Undoes the git command `undone`, which has `moved` HEAD. `held` is `None` for a dry run.
    pub(super) fn undo_git(
        &self,
        undone: &clada_journal::Operation,
        moved: &HeadMove,
        held: Option<&Held>,
        params: &UndoParams,
        mut result: UndoResult,
    ) -> Result<UndoResult, RpcError> {
        let refused = |error: RpcError| {
            let shown = shown_id(self.journal(), &undone.id);
            let message = format!("Operation {shown} is not taken back: {}", error.message);
            RpcError { message, ..error }.with("operationId", undone.id.as_str())
        };
        if params.git == Some(GitWhere::Off) {
            let message = "it moved HEAD, and commits are to be left alone".to_owned();
            let error = RpcError::new(ErrorKind::InvalidParams, message).hint("leave --no-git out");
            return Err(refused(error));
        }
        let Some(held) = held else {
            self.in_repository(|repository| repository.check_move_back(moved, params.force))
                .map_err(refused)?;
            result.dry_run = Some(DryRun::default());
            return Ok(result);
        };
        let kind = super::undoing::kind(undone);
        let why = format!("{} {}", kind.word(), undone.id);
        let now = (self.environment().now)();
        let stepped = self
            .in_repository(|repository| repository.move_back(moved, params.force, &why, now))
            .map_err(refused)?;
        result.success = stepped.conflicts.is_empty();
        result.warnings.extend(conflict_warning(&stepped));
        result.git = note(&stepped).map(|note| GitReport {
            mode: GitMode::Branch.name().to_owned(),
            note: Some(note),
            ..GitReport::default()
        });
        let summary = format!("moved HEAD back to {}", short(&stepped.commit));
        let operation = GitOperation { kind, summary, moved: stepped.moved, undoes: Some(&undone.id) };
        if let Some((id, short)) = self.record_git(Some(held), operation, &mut result.warnings) {
            result.short_ids.insert(id.clone(), short);
            result.operation_id = id;
        }
        Ok(result)
    }

    /// Records a git command that is done. Returns its id, whole and as people are shown it; `None` if it
    /// could not be recorded, which is a warning: what git did stands.
    fn record_git(
        &self,
        held: Option<&Held>,
        operation: GitOperation<'_>,
        warnings: &mut Vec<String>,
    ) -> Option<(String, String)> {
        let held = held?;
        let id = self.engine.next_id();
        let GitOperation { kind, summary, moved, undoes } = operation;
        let reference = moved.from.commit.clone();
        let done = clada_journal::Operation {
            id: id.clone(),
            kind,
            began: i64::try_from(self.environment().since_epoch().as_millis()).unwrap_or(i64::MAX),
            status: OperationStatus::Done,
            summary,
            undoes: undoes.map(str::to_owned),
            undone_by: None,
            committed: None,
            outline: Outline { head: Some(moved), ..Outline::default() },
        };
        let made = Made { whole: true, ..Made::default() };
        let recorded = held.journal.with(|journal| journal.finish(&done, &made, &Images::default(), None));
        match recorded {
            Ok(()) => {
                let short = shown_id(&held.journal, &id);
                Some((id, short))
            }
            Err(error) => {
                warnings.push(format!(
                    "This is not in the record, so that `undo` does not know of it: {error}. HEAD was at {reference}"
                ));
                None
            }
        }
    }

    fn in_repository<T>(
        &self,
        work: impl FnOnce(&mut GitRepository) -> Result<T, GitError>,
    ) -> Result<T, RpcError> {
        let failed = |message: String| RpcError::new(ErrorKind::GitOperationFailed, message);
        let found = self.repository().map_err(|unusable| {
            failed(format!("Nothing is done: {unusable} (GIT)"))
                .hint("finish what is going on in the repository, then try again")
        })?;
        let mut repository = found.ok_or_else(|| {
            failed("There is no git repository here (GIT)".to_owned()).hint("give a folder of one as --root")
        })?;
        let outcome = work(&mut repository);
        self.project().keep_repository(repository);
        outcome.map_err(|error| failed(format!("{error} (GIT)")).hint(error.hint()))
    }
}

fn short(commit: &str) -> &str {
    commit.get(..SHORT).unwrap_or(commit)
}

/// Returns what happened to changes that were not committed.
fn note(stepped: &Stepped) -> Option<String> {
    let named: Vec<&str> = stepped.stashed.iter().take(NAMED).map(String::as_str).collect();
    let more = stepped.stashed.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let stashed = (!named.is_empty()).then(|| {
        format!("what was not committed is put aside until HEAD is there again: {}{more}", named.join(", "))
    });
    let restored = stepped.restored.then(|| "what was put aside here is given back".to_owned());
    let notes: Vec<String> = stashed.into_iter().chain(restored).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn conflict_warning(stepped: &Stepped) -> Option<String> {
    (!stepped.conflicts.is_empty()).then(|| {
        let conflicts = stepped.conflicts.join(", ");
        format!("What was put aside here stays in `git stash list`, since it conflicts with {conflicts}")
    })
}

fn which(params: &GitSquashParams, settings: &Settings) -> Result<SquashWhich, RpcError> {
    let needs = |name: &str| {
        RpcError::new(ErrorKind::InvalidParams, format!("git.squash: this mode needs `{name}`, from 1 on"))
    };
    let times = |count: Option<u32>, unit: Duration, name: &str| match count {
        Some(count) if count > 0 && params.mine_too => Ok(SquashWhich::AllWithin(unit.saturating_mul(count))),
        Some(count) if count > 0 => Ok(SquashWhich::Within(unit.saturating_mul(count))),
        _ => Err(needs(name)),
    };
    match params.mode {
        SquashMode::AutoAi => Ok(SquashWhich::Ours),
        SquashMode::AiMessages => Ok(SquashWhich::Format(settings.git_message.clone())),
        SquashMode::Hours => times(params.hours, HOUR, "hours"),
        SquashMode::Days => times(params.days, 24 * HOUR, "days"),
        SquashMode::MsgContains => match params.msg_target.as_deref() {
            Some(text) if !text.is_empty() => Ok(SquashWhich::Holds(text.to_owned())),
            _ => Err(RpcError::new(ErrorKind::InvalidParams, "git.squash: this mode needs `msgTarget`")),
        },
    }
}
