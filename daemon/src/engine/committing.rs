//! Chooses the repository that an operation is committed to, if any. It stays open between operations; its
//! state is read again for each.
//!
//! The pipeline decides what is committed; `clada_git` decides how.

use clada_apply::{CommitRequest as CommitsAsked, Commits, JournalWriter, Undoes};
use clada_config::{Author, Settings};
use clada_git::{Commission, GitError, GitMode, GitRepository, Unusable};
use clada_journal::Committed;
use clada_protocol::{ErrorKind, ExecuteParams, ExecutionResult, GitReport, GitWhere, RpcError};

use super::request::ProjectRequest;

const FIRST_TIME: &str = "clada commits what it changes to your branch; `--git refs`, or `git.mode: refs` in the \
                          configuration, keeps its commits alongside it, and `--no-git` makes none";

#[derive(Debug, Clone, Copy)]
pub(super) struct CommitOptions<'a> {
    mode: Option<GitMode>,
    request: CommitsAsked,
    author: Option<&'a str>,
}

impl<'a> CommitOptions<'a> {
    pub(super) fn by(params: &'a ExecuteParams) -> CommitOptions<'a> {
        CommitOptions { author: params.git_author.as_deref(), ..CommitOptions::to(params.git) }
    }

    pub(super) fn to(place: Option<GitWhere>) -> CommitOptions<'static> {
        let mode = place.map(|mode| match mode {
            GitWhere::Branch => GitMode::Branch,
            GitWhere::Refs => GitMode::Refs,
            GitWhere::Off => GitMode::Off,
        });
        let request = if mode.is_some() { CommitsAsked::Yes } else { CommitsAsked::No };
        CommitOptions { mode, request, author: None }
    }

    /// Returns the destination of the undone operation's commits: if it was not committed, its undo is not
    /// either.
    pub(super) fn as_before(
        undone: &clada_journal::Operation,
        settings: &Settings,
    ) -> CommitOptions<'static> {
        let mode = match undone.committed {
            _ if settings.git_mode == GitMode::Off => GitMode::Off,
            Some(Committed::Nowhere) => GitMode::Off,
            Some(Committed::Beside) => GitMode::Refs,
            Some(Committed::Branch) | None => settings.git_mode,
        };
        CommitOptions { mode: Some(mode), ..CommitOptions::to(None) }
    }
}

fn place(settings: &Settings, is_agent: bool) -> GitMode {
    match settings.git_mode {
        GitMode::Branch | GitMode::Refs if is_agent => settings.git_agents,
        mode => mode,
    }
}

#[derive(Debug, Default)]
pub(super) struct Committing {
    commits: Option<Commits>,
    report: Option<GitReport>,
}

impl ProjectRequest {
    pub(super) fn repository(&self) -> Result<Option<GitRepository>, Unusable> {
        let cached = self.project().take_repository();
        let opened = match cached {
            Some(cached) => Some(cached),
            None => GitRepository::open(self.root(), self.environment().home.as_deref())?,
        };
        let Some(mut repository) = opened else { return Ok(None) };
        repository.set_user(self.environment().git_user());
        repository.check()?;
        Ok(Some(repository))
    }

    /// A repository that cannot be used has nothing of clada's.
    pub(super) fn settle_repository(&self) {
        if let Ok(Some(repository)) = self.repository() {
            self.project().keep_repository(repository);
        }
    }

    pub(super) fn committing(
        &self,
        options: CommitOptions<'_>,
        id: &str,
        undoes: Option<Undoes>,
    ) -> Result<Committing, RpcError> {
        let settings = self.settings()?;
        let author = options.author.unwrap_or(&settings.git_author);
        let author = Author::parse(author).ok_or_else(|| {
            let message = format!("gitAuthor: '{author}' is neither a name nor `Name <address>`");
            RpcError::new(ErrorKind::InvalidParams, message)
        })?;
        let mode = options.mode.unwrap_or_else(|| place(settings, self.context().is_agent()));
        if mode == GitMode::Off {
            return Ok(Committing::default());
        }
        let is_asked = options.request == CommitsAsked::Yes;
        let skipped = |why: String| Committing {
            commits: None,
            report: Some(GitReport {
                mode: mode.name().to_owned(),
                skipped: Some(why),
                ..GitReport::default()
            }),
        };
        // A request that asked for commits fails without them; a merely configured commit is skipped, with a
        // reason.
        match self.repository() {
            Ok(Some(mut repository)) => {
                repository.hold_back(self.policy(false)?, self.root());
                let commission = Commission {
                    operation: id.to_owned(),
                    mode,
                    before: settings.git_before,
                    author,
                    message: settings.git_message.clone(),
                    now: (self.environment().now)(),
                };
                let commits = Some(Commits::new(repository, commission, options.request, undoes));
                Ok(Committing { commits, report: None })
            }
            Ok(None) if is_asked => Ok(skipped("there is no git repository".to_owned())),
            Ok(None) => Ok(Committing::default()),
            Err(unusable) if is_asked => {
                let message = format!("Nothing was changed: no commits can be made: {unusable} (GIT)");
                Err(RpcError::new(ErrorKind::GitOperationFailed, message)
                    .hint("finish the git operation in progress, or apply without commits with --no-git"))
            }
            Err(unusable) => Ok(skipped(unusable.to_string())),
        }
    }

    pub(super) fn committed(
        &self,
        journal_writer: JournalWriter,
        report: Option<GitReport>,
    ) -> (Option<GitReport>, Option<GitError>) {
        match journal_writer.into_commits() {
            Some(commits) => self.told_of(commits),
            None => (report, None),
        }
    }

    pub(super) fn told_of(&self, commits: Commits) -> (Option<GitReport>, Option<GitError>) {
        let committed = commits.into_committed();
        self.project().keep_repository(committed.repository);
        let mut report = committed.report;
        if let Some(report) = report.as_mut().filter(|_| committed.is_first) {
            let note = report.note.take().map_or_else(String::new, |note| format!("{note}; "));
            report.note = Some(note + FIRST_TIME);
        }
        (report, committed.failure)
    }
}

impl Committing {
    pub(super) fn into_commits(self) -> Option<Commits> {
        self.commits
    }

    pub(super) fn into_parts(self) -> (Option<Commits>, Option<GitReport>) {
        (self.commits, self.report)
    }

    pub(super) fn with(self, journal_writer: JournalWriter) -> (JournalWriter, Option<GitReport>) {
        (journal_writer.committing(self.commits), self.report)
    }
}

pub(super) fn tell(result: &mut ExecutionResult, report: Option<GitReport>, failure: Option<GitError>) {
    result.git = report.filter(|_| result.dry_run.is_none());
    if let Some(failure) = failure {
        result.success = false;
        result.fatal_error = Some(not_committed(&failure));
    }
}

pub(super) fn not_committed(failure: &GitError) -> String {
    format!("The changes are made, but not committed: {failure}. {}", failure.hint_after())
}
