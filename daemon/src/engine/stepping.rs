//! `git.squash`, `git.step_back`, `git.step_forward`: the user's work on commits, under the lock of the
//! project. Each is an operation of the journal, which is recorded before anything is changed, and undone by
//! moving HEAD back.

use std::path::PathBuf;
use std::time::Duration;

use clada_config::Settings;
use clada_fs::{Confinement, Options, Secrets};
use clada_git::{
    FailedMove, GitError, GitMode, GitRepository, MoveOptions, MoveOutcome, PlannedMove, PlannedStep, Squash,
    SquashWhich,
};
use clada_journal::{
    Completion, Compressed, Images, Operation, OperationDetails, OperationKind, OperationStatus, Outline,
    ProjectJournal,
};
use clada_protocol::{
    DryRun, ErrorKind, GitReport, GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, GitWhere,
    HeadMove, RpcError, SquashMode, UndoParams, UndoResult, count_of,
};
use clada_store::StoreError;

use super::recording::HeldProject;
use super::request::ProjectRequest;
use super::shown::shown_id;
use super::undoing::Direction;
use crate::project::Touched;

const HOUR: Duration = Duration::from_secs(3600);
const SHORT: usize = 10;
const NAMED: usize = 5;

struct GitOperation<'a> {
    kind: OperationKind,
    summary: String,
    plan: &'a PlannedMove,
    undoes: Option<&'a str>,
}

struct MoveMade {
    id: String,
    warnings: Vec<String>,
}

impl ProjectRequest {
    pub(crate) fn squash(&self, params: &GitSquashParams) -> Result<GitSquashResult, RpcError> {
        let settings = self.settings()?;
        let squash = Squash {
            which: which(params, settings)?,
            message: params.message.clone(),
            force: params.force,
            tip: params.tip.clone(),
            now: (self.environment().now)(),
        };
        let (held, warnings) = self.hold(self.roots()?)?;
        if params.dry_run {
            let commits = self.in_repository(|repository| repository.squashable(&squash))?;
            let squashed = commits.len();
            return Ok(GitSquashResult { squashed, commits, warnings, ..GitSquashResult::default() });
        }
        // The plan writes objects that nothing refers to; only `make_move` changes the branch.
        let planned = self.in_repository(|repository| repository.plan_squash(&squash))?;
        let commit = planned.plan.moved.to.commit.clone();
        let summary =
            format!("squashed {} into {}", count_of(planned.commits.len(), "commit"), short(&commit));
        let operation = GitOperation { kind: OperationKind::Git, summary, plan: &planned.plan, undoes: None };
        let move_made = self.make_move(held.as_ref(), &operation)?;
        Ok(GitSquashResult {
            squashed: planned.commits.len(),
            commit,
            kept: planned.backup_ref,
            commits: planned.commits,
            warnings: warnings.into_iter().chain(move_made.warnings).collect(),
            short_id: shown_id(self.journal(), &move_made.id),
            operation_id: move_made.id,
        })
    }

    pub(crate) fn step(&self, _params: &GitStepParams, way: Direction) -> Result<GitStepResult, RpcError> {
        let (held, warnings) = self.hold(self.roots()?)?;
        let options = self.move_options()?;
        let plan = self.in_repository(|repository| match way {
            Direction::Back => repository.plan_step_back(&options),
            Direction::Forward => repository.plan_step_forward(&options),
        })?;
        let to = if way == Direction::Back { "back" } else { "forward" };
        let summary = format!("stepped {to} to {}", short(&plan.moved.to.commit));
        let operation = GitOperation { kind: OperationKind::Git, summary, plan: &plan, undoes: None };
        let move_made = self.make_move(held.as_ref(), &operation)?;
        // Every planned step has one; only other moves of HEAD have none.
        let (restored, stashed_files, conflicts) = match plan.step {
            Some(step) => (step.restores(), step.stashed, step.conflicts),
            None => (false, Vec::new(), Vec::new()),
        };
        let branch = plan.moved.to.reference;
        let line = match branch {
            Some(_) => None,
            None => self.in_repository(|repository| repository.line_branch())?,
        };
        Ok(GitStepResult {
            commit: plan.moved.to.commit,
            branch,
            stashed_files,
            restored,
            conflicts,
            line,
            warnings: warnings.into_iter().chain(move_made.warnings).collect(),
            short_id: shown_id(self.journal(), &move_made.id),
            operation_id: move_made.id,
        })
    }

    /// Undoes the git command `undone`, which has `moved` HEAD. `held` is `None` for a dry run.
    pub(super) fn undo_git(
        &self,
        undone: &Operation,
        moved: &HeadMove,
        held: Option<&HeldProject>,
        params: &UndoParams,
        mut result: UndoResult,
    ) -> Result<UndoResult, RpcError> {
        // `undo` reports errors by operation, and an error of git names none.
        let refused = |error: RpcError| {
            let shown = shown_id(self.journal(), &undone.id);
            let message = format!("Cannot undo {shown}: {}", error.message);
            RpcError { message, ..error }.with("operationId", undone.id.as_str())
        };
        if params.git == Some(GitWhere::Off) {
            let message = "it moved HEAD, and --no-git leaves commits alone".to_owned();
            let error = RpcError::new(ErrorKind::InvalidParams, message).hint("omit --no-git");
            return Err(refused(error));
        }
        let kind = super::undoing::kind(undone);
        let why = format!("{} {}", kind.word(), undone.id);
        let options = self.move_options()?;
        let plan = self
            .in_repository(|repository| repository.plan_move_back(moved, params.force, &why, &options))
            .map_err(refused)?;
        if held.is_none() {
            result.dry_run = Some(DryRun::default());
            return Ok(result);
        }
        let summary = format!("moved HEAD back to {}", short(&plan.moved.to.commit));
        let operation = GitOperation { kind, summary, plan: &plan, undoes: Some(&undone.id) };
        let move_made = self.make_move(held, &operation).map_err(refused)?;
        result.success = plan.step.as_ref().is_none_or(|step| step.conflicts.is_empty());
        result.warnings.extend(move_made.warnings);
        result.git = plan.step.as_ref().and_then(note).map(|note| GitReport {
            mode: GitMode::Branch.name().to_owned(),
            note: Some(note),
            ..GitReport::default()
        });
        result.short_ids.insert(move_made.id.clone(), shown_id(self.journal(), &move_made.id));
        result.operation_id = move_made.id;
        Ok(result)
    }

    fn make_move(
        &self,
        held: Option<&HeldProject>,
        operation: &GitOperation<'_>,
    ) -> Result<MoveMade, RpcError> {
        let Some(held) = held else {
            return Err(RpcError::new(ErrorKind::Internal, "HEAD is moved without the lock of the project"));
        };
        if let Some(error) = &held.unsettled {
            return Err(not_recorded(error));
        }
        let GitOperation { kind, summary, plan, undoes } = operation;
        let begun = Operation {
            id: self.engine.next_id(),
            kind: *kind,
            began: i64::try_from(self.environment().since_epoch().as_millis()).unwrap_or(i64::MAX),
            status: OperationStatus::Applying,
            summary: summary.clone(),
            undoes: undoes.map(str::to_owned),
            undone_by: None,
            committed: None,
            outline: Outline { head: Some(plan.moved.clone()), ..Outline::default() },
        };
        let (journal, id) = (&held.journal, begun.id.clone());
        // Recorded with its plan before HEAD moves: after a kill, `settle_moves` finishes or reverts it
        // from there.
        begin_move(journal, &begun, plan).map_err(|error| not_recorded(&error))?;
        let options = self.move_options()?;
        let mut unsettled = false;
        let move_made = self.in_repository(|repository| {
            repository.make_move(plan, &options).map_err(|FailedMove { error, is_reverted }| {
                unsettled = !is_reverted;
                error
            })
        });
        let skipped_paths = match move_made {
            Ok(skipped_paths) => skipped_paths,
            Err(error) if unsettled => {
                let shown = shown_id(journal, &id);
                let message = format!("{}; operation {shown} is incomplete", error.message);
                let hint = "`clada history` finishes or reverts it; nothing is lost";
                return Err(RpcError { message, ..error }.hint(hint).with("operationId", id));
            }
            Err(error) => {
                if let Err(error) = journal.with(|journal| journal.discard(&id)) {
                    tracing::warn!(%error, "a move of HEAD that was reverted stays in the record");
                }
                return Err(error);
            }
        };
        if plan.step.is_some() {
            let touched = Touched::Below(self.root().to_path_buf());
            self.project().ended().end(&id, self.whose(), None, touched);
        }
        let mut warnings: Vec<String> = plan.step.as_ref().and_then(conflict_warning).into_iter().collect();
        warnings.extend(left_warning(&skipped_paths));
        if let Err(error) = finish_move(journal, begun) {
            warnings.push(format!(
                "The journal does not record yet how this operation ended: {error}. The next operation in this \
                 project completes it"
            ));
        }
        Ok(MoveMade { id, warnings })
    }

    /// Finishes or reverts the moves of HEAD whose process is gone. Adds what the user should know to `messages`.
    pub(super) fn settle_moves(
        &self,
        journal: &ProjectJournal,
        messages: &mut Vec<String>,
    ) -> Result<(), StoreError> {
        let unfinished =
            journal.if_exists(
                |journal| if journal.is_read_only() { Ok(Vec::new()) } else { journal.unfinished() },
            )?;
        let unfinished = unfinished.unwrap_or_default();
        for operation in unfinished.into_iter().filter(|operation| operation.outline.head.is_some()) {
            let details = journal.with(|journal| journal.details(&operation.id))?;
            let plan = details.request.map(|request| request.plain(journal.root())).transpose()?;
            let plan: Option<PlannedMove> = plan.and_then(|plan| serde_json::from_slice(&plan).ok());
            // Without a plan that can be read nothing is known of the files, so that nothing is touched.
            let outcome = match &plan {
                Some(plan) => self.settle_move(plan),
                None => Ok(MoveOutcome::Elsewhere),
            };
            let id = shown_id(journal, &operation.id);
            let begin = format!("Operation {id} ({}) was interrupted", operation.summary);
            match outcome {
                Ok(MoveOutcome::Complete(skipped_paths)) => {
                    finish_move(journal, operation)?;
                    messages.push(format!("{begin} and is finished now"));
                    messages.extend(left_warning(&skipped_paths));
                }
                Ok(MoveOutcome::Reverted(skipped_paths)) => {
                    journal.with(|journal| journal.discard(&operation.id))?;
                    messages.push(format!("{begin} and is reverted: HEAD and files are as before"));
                    messages.extend(left_warning(&skipped_paths));
                }
                Ok(MoveOutcome::Elsewhere) => {
                    journal.with(|journal| journal.discard(&operation.id))?;
                    messages.push(format!(
                        "{begin}, and HEAD has moved since: nothing was changed. `git stash list` shows the \
                         stashed changes"
                    ));
                }
                Err(error) => {
                    let path = self.root().to_path_buf();
                    let reason =
                        format!("{begin} and can be neither finished nor reverted yet: {}", error.message);
                    return Err(StoreError::Io { path, reason });
                }
            }
        }
        Ok(())
    }

    fn settle_move(&self, plan: &PlannedMove) -> Result<MoveOutcome, RpcError> {
        if matches!(self.repository(), Ok(None)) {
            return Ok(MoveOutcome::Elsewhere);
        }
        let options = self.move_options()?;
        self.in_repository(|repository| repository.settle_move(plan, &options))
    }

    fn move_options(&self) -> Result<MoveOptions, RpcError> {
        let files = Options {
            confinement: Confinement::Roots,
            secrets: Secrets::Changeable,
            ..self.roots()?.options().clone()
        };
        Ok(MoveOptions { now: (self.environment().now)(), files })
    }

    fn in_repository<T>(
        &self,
        work: impl FnOnce(&mut GitRepository) -> Result<T, GitError>,
    ) -> Result<T, RpcError> {
        let failed = |message: String| RpcError::new(ErrorKind::GitOperationFailed, message);
        let repository = self.repository().map_err(|unusable| {
            failed(format!("Nothing was done: {unusable} (GIT)"))
                .hint("finish the git operation in progress, then try again")
        })?;
        let mut repository = repository.ok_or_else(|| {
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

fn begin_move(journal: &ProjectJournal, begun: &Operation, plan: &PlannedMove) -> Result<(), StoreError> {
    let details = OperationDetails { request: Some(Compressed::json(plan)), ..OperationDetails::default() };
    let begin = || {
        journal.look_twice(|| journal.with(|journal| journal.begin(begun, &[], &Images::default(), &details)))
    };
    match begin() {
        // What is kept back is kept back for this.
        Err(StoreError::Full { .. }) => {
            journal.release_reserve();
            begin()
        }
        begun => begun,
    }
}

fn finish_move(journal: &ProjectJournal, begun: Operation) -> Result<(), StoreError> {
    let done = Operation { status: OperationStatus::Done, ..begun };
    let completion = Completion { whole: true, ..Completion::default() };
    journal.with(|journal| journal.finish(&done, &completion, &Images::default(), None))
}

fn not_recorded(error: &StoreError) -> RpcError {
    let message = format!("Nothing was changed: the journal that undo needs cannot be written: {error}");
    RpcError::new(ErrorKind::Io, message).hint(error.hint())
}

fn note(step: &PlannedStep) -> Option<String> {
    let named: Vec<&str> = step.stashed.iter().take(NAMED).map(String::as_str).collect();
    let more = clada_protocol::and_more(step.stashed.len().saturating_sub(NAMED));
    let stashed = (!named.is_empty()).then(|| {
        format!("uncommitted changes are stashed until HEAD is there again: {}{more}", named.join(", "))
    });
    let restored = step.restores().then(|| "the changes stashed here are restored".to_owned());
    let notes: Vec<String> = stashed.into_iter().chain(restored).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn conflict_warning(step: &PlannedStep) -> Option<String> {
    (!step.conflicts.is_empty()).then(|| {
        let conflicts = step.conflicts.join(", ");
        format!("The changes stashed here stay in `git stash list`, because they conflict with {conflicts}")
    })
}

fn left_warning(skipped_paths: &[PathBuf]) -> Option<String> {
    let named: Vec<String> =
        skipped_paths.iter().take(NAMED).map(|path| path.display().to_string()).collect();
    let more = clada_protocol::and_more(skipped_paths.len().saturating_sub(NAMED));
    (!skipped_paths.is_empty()).then(|| {
        let named = named.join(", ");
        format!(
            "Another program changed these files meanwhile, so they are left alone: {named}{more}. `git stash \
             list` shows the stashed changes"
        )
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
