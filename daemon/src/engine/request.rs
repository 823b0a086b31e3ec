//! One request about a project: the project, its settings and its roots, each found once, and the caller's
//! side.
//!
//! The methods about projects are methods of [`ProjectRequest`], each in the file of its subject.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use clada_apply::{Acting, Stop, WorkingSet};
use clada_config::{CallConfig, McpApprovals, Settings};
use clada_fs::{FileKind, FolderRules, Roots};
use clada_journal::ProjectJournal;
use clada_protocol::method::CallSettings;
use clada_protocol::{CallerKind, ErrorKind, ExecuteEvent, ExecuteParams, RpcError};

use super::environment::Environment;
use super::state::Engine;
use crate::project::{AtWork, Project};

/// The holder of a project while a request waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Another operation.
    Operation,
    /// The processes of a command that ran when its daemon was killed.
    Remains,
    /// A person, who is to decide about it.
    Person,
}

impl Holder {
    pub(crate) fn waits(self) -> &'static str {
        match self {
            Holder::Operation => "waits for another operation",
            Holder::Remains => "waits for a command of an interrupted operation",
            Holder::Person => "waits for a user's approval",
        }
    }

    pub(super) fn shown(self) -> &'static str {
        match self {
            Holder::Operation => "another operation",
            Holder::Remains => "a command of an interrupted operation, which does not end,",
            Holder::Person => "a person",
        }
    }
}

/// A request's life, as the engine needs to know it.
pub trait RequestContext: Send + Sync {
    /// Returns the reason to stop between two actions, if there is one.
    fn stop(&self) -> Option<Stop>;

    /// Called once when another operation holds the project.
    fn waiting(&self);

    /// Called once when a holder other than an operation has the project.
    fn waiting_for(&self, _holder: Holder) {
        self.waiting();
    }

    /// Called with what commands do while they run.
    fn tell(&self, _event: &ExecuteEvent) {}

    /// Called with each action before it is applied.
    fn acting(&self, _acting: &Acting<'_>) {}

    /// Returns the folder of commands that name none; `None`: the project's root.
    fn folder(&self) -> Option<PathBuf> {
        None
    }

    /// Returns the name of the client, by which its checkpoints are told from those of others.
    fn client(&self) -> String {
        String::new()
    }

    /// Returns the connection that it came by, if it came by one.
    fn connection(&self) -> Option<u64> {
        None
    }

    /// Returns whether it is an agent's: what reaches it must not help it to be approved.
    fn is_agent(&self) -> bool {
        false
    }

    /// Returns whether it may be about the project at `root`, absolute and resolved.
    fn holds(&self, _root: &Path) -> bool {
        true
    }

    /// Returns the settings that the request has of its own.
    fn settings(&self) -> &CallSettings {
        static NONE: CallSettings = CallSettings::new();
        &NONE
    }

    /// Returns the context of the request's session.
    fn working_set(&self) -> WorkingSet {
        WorkingSet::default()
    }
}

/// The context of work that no request stops; the size of the tree bounds it.
#[derive(Debug, Clone, Copy)]
pub struct Unasked;

impl RequestContext for Unasked {
    fn stop(&self) -> Option<Stop> {
        None
    }

    fn waiting(&self) {}
}

/// A request about a project. It holds the project, of which nothing is closed meanwhile.
pub struct ProjectRequest {
    pub(super) engine: Arc<Engine>,
    project: Arc<Project>,
    _at_work: AtWork,
    /// The root as the request writes it: an answer may write paths the same way, and messages name it so.
    requested_root: PathBuf,
    context: Arc<dyn RequestContext>,
    settings: OnceLock<Arc<Settings>>,
    roots: OnceLock<Roots>,
    pub(super) folder_rules: OnceLock<Arc<FolderRules>>,
    pub(super) is_decided: bool,
}

impl std::fmt::Debug for ProjectRequest {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("ProjectRequest").field("given", &self.requested_root).finish_non_exhaustive()
    }
}

impl ProjectRequest {
    pub(super) fn new(
        engine: Arc<Engine>,
        project: Arc<Project>,
        requested_root: PathBuf,
        context: Arc<dyn RequestContext>,
    ) -> ProjectRequest {
        let (settings, roots, folder_rules) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let _at_work = project.begin_request();
        ProjectRequest {
            engine,
            _at_work,
            project,
            requested_root,
            context,
            settings,
            roots,
            folder_rules,
            is_decided: false,
        }
    }

    #[must_use]
    pub(crate) fn with_context(self, context: Arc<dyn RequestContext>) -> ProjectRequest {
        ProjectRequest { context, ..self }
    }

    #[must_use]
    pub(crate) fn decided(self) -> ProjectRequest {
        ProjectRequest { is_decided: true, ..self }
    }

    #[must_use]
    pub(crate) fn project(&self) -> &Arc<Project> {
        &self.project
    }

    #[must_use]
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    pub(super) fn requested_root(&self) -> &Path {
        &self.requested_root
    }

    pub(super) fn root(&self) -> &Path {
        self.project.root()
    }

    /// Returns the kind of its caller, whose sessions it means.
    pub(crate) fn whose(&self) -> CallerKind {
        if self.context.is_agent() { CallerKind::Agent } else { CallerKind::Person }
    }

    pub(super) fn environment(&self) -> &Environment {
        &self.engine.environment
    }

    pub(super) fn context(&self) -> &dyn RequestContext {
        &*self.context
    }

    pub(super) fn journal(&self) -> &ProjectJournal {
        self.project.journal()
    }

    pub(super) fn config(&self) -> CallConfig<'_> {
        self.engine.config.for_call(self.context.settings())
    }

    pub(super) fn settings(&self) -> Result<&Arc<Settings>, RpcError> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let settings = self.engine.settings(Some(self.project.layer()), self.context.settings())?;
        Ok(self.settings.get_or_init(|| settings))
    }

    pub(super) fn roots(&self) -> Result<&Roots, RpcError> {
        if let Some(roots) = self.roots.get() {
            return Ok(roots);
        }
        let roots = self.roots_with(PathOverrides::default())?;
        Ok(self.roots.get_or_init(|| roots))
    }

    /// Returns for how long an agent's answer waits for a person's approval; `None`: it does not.
    pub(crate) fn approval_wait(&self) -> Result<Option<Duration>, RpcError> {
        let settings = self.settings()?;
        let wait = Duration::from_millis(settings.limits.approval_wait);
        Ok((settings.mcp_approvals == McpApprovals::Wait).then_some(wait))
    }

    /// Returns the room for the result of a tool, in characters.
    pub(crate) fn tool_output(&self) -> Result<usize, RpcError> {
        Ok(usize::try_from(self.settings()?.limits.mcp_output).unwrap_or(usize::MAX))
    }

    /// Returns a session's folder: `cwd`, absolute or relative to the root, if it exists and lies in the
    /// project.
    pub(crate) fn folder(&self, cwd: &str) -> Result<PathBuf, RpcError> {
        let roots = self.roots()?;
        let path = roots.resolve(cwd)?;
        match roots.lstat(&path)? {
            Some(stat) if stat.kind == FileKind::Directory => Ok(roots.absolute(&path)),
            Some(_) => {
                let message = format!("Not a directory '{cwd}' (ENOTDIR)");
                Err(RpcError::new(ErrorKind::NotDirectory, message))
            }
            None => {
                let message = format!("Directory not found '{cwd}' (ENOENT)");
                Err(RpcError::new(ErrorKind::FileNotFound, message))
            }
        }
    }
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PathOverrides {
    pub(super) allow_escape: bool,
    pub(super) include_secrets: bool,
    pub(super) umask: Option<u32>,
}

impl PathOverrides {
    pub(super) fn of_execute(params: &ExecuteParams) -> PathOverrides {
        let ExecuteParams { allow_escape, include_secrets, umask, .. } = *params;
        PathOverrides { allow_escape, include_secrets, umask }
    }
}
