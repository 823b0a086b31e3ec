//! `git.squash`, `git.step_back`, `git.step_forward`: the user's work on commits, under the lock of the
//! project.

use std::time::Duration;

use clada_config::Settings;
use clada_git::{GitError, GitRepository, Squash, SquashWhich};
use clada_protocol::{
    ErrorKind, GitSquashParams, GitSquashResult, GitStepParams, GitStepResult, RpcError, SquashMode,
};

use super::request::ProjectRequest;
use super::undoing::Way;

const HOUR: Duration = Duration::from_secs(3600);

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
            now: (self.environment().now)(),
        };
        let squashed = self.in_repository(|repository| repository.squash(&asked))?;
        Ok(GitSquashResult { commit: squashed.commit, squashed: squashed.squashed, kept: squashed.kept })
    }

    /// `git.step_back` and `git.step_forward`.
    ///
    /// # Errors
    /// `git_operation_failed`, `busy`, `project_not_found`.
    pub fn step(&self, _params: &GitStepParams, way: Way) -> Result<GitStepResult, RpcError> {
        let now = (self.environment().now)();
        let stepped = self.in_repository(|repository| match way {
            Way::Back => repository.step_back(now),
            Way::Forward => repository.step_forward(now),
        })?;
        Ok(GitStepResult {
            commit: stepped.commit,
            branch: stepped.branch,
            stashed_files: stepped.stashed,
            restored: stepped.restored,
            conflicts: stepped.conflicts,
        })
    }

    fn in_repository<T>(
        &self,
        work: impl FnOnce(&mut GitRepository) -> Result<T, GitError>,
    ) -> Result<T, RpcError> {
        let _held = self.hold(self.roots()?)?;
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

fn which(params: &GitSquashParams, settings: &Settings) -> Result<SquashWhich, RpcError> {
    let needs = |name: &str| {
        RpcError::new(ErrorKind::InvalidParams, format!("git.squash: this mode needs `{name}`, from 1 on"))
    };
    let times = |count: Option<u32>, unit: Duration, name: &str| match count {
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
