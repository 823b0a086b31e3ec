//! The engine: carries out a request about a project, in plain sync code.
//!
//! Holds what all projects share (configuration, compiled policies, operation ids) and gathers, for each
//! request, the roots, rules and approvals that the pipeline works with. It does not know the caller: a
//! request's life comes in as a [`Control`]. Everything here may wait for a disk.

mod approving;
mod beginning;
mod commanding;
mod committing;
mod context;
mod embedding;
mod happenings;
mod lock_file;
mod overlays;
mod recording;
mod staging;
mod stepping;
#[cfg(test)]
mod tests;
mod trusting;
mod undoing;
mod unstaging;
mod watching;

use std::collections::{BTreeSet, HashMap};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use clada_apply::{
    Answer, Approvals, Atomicity, JournalWriter, KnownFiles, Operation, Reading, Resumable, Rules, RunUntil,
    SavedPlan, Stop, WorkingSet, needed, policy_globs, unknown_ids,
};
use clada_command_changes::SnapshotCaches;
use clada_config::{AliasTarget, ConfigStore, Settings};
use clada_embed::Vocabularies;
use clada_exec::{DetectedSandbox, Hold, Private, Runner};
use clada_fs::{
    Confinement, Durability, Links, Options, PathPolicy, PolicyGlobs, RootLock, RootedPath, Roots,
};
use clada_git::{GitUser, hook_folders};
use clada_journal::{JournalRegistry, OperationKind};
use clada_protocol::{
    Approval, ApprovalKind, Approve, ConfigShowParams, ConfigShowResult, Deliver, ErrorKind, ExecuteEvent,
    ExecuteParams, ExecutionResult, OperationWarning, ParseParams, ParseResult, PlanParams, PlanResult,
    RpcError,
};
use clada_stage::Stores;

use crate::trust::TrustedFiles;
use commanding::Terms;
use committing::{Commissioned, OpenRepositories, tell};
pub use context::WorkingSetChange;
pub use embedding::EmbedCall;
pub use happenings::Inbox;
use lock_file::{LockFile, lock_file};
use recording::{Held, finish};
pub use staging::Prepared;
pub use undoing::Way;
pub use watching::News;

/// The first pause, and the longest one, before the lock of a root is tried again.
const LOCK_PAUSE: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(50));

/// The time that a helper without its daemon has to end its command, before this process ends it.
const REMAINS_TIME: Duration = Duration::from_secs(2);

/// The holder of a project while a request waits for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    /// Another operation.
    Operation,
    /// The processes of a command that ran when its daemon was killed.
    Remains,
}

impl Holder {
    /// Returns the holder's name for messages about a wait without success.
    fn shown(self) -> &'static str {
        match self {
            Holder::Operation => "another operation",
            Holder::Remains => "a command of an interrupted operation, which does not end,",
        }
    }
}

/// A request's life, as the engine needs to know it.
pub trait Control {
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

    /// Returns the folder of commands that name none; `None`: the project's root.
    fn folder(&self) -> Option<PathBuf> {
        None
    }

    /// Returns the context of the request's session.
    fn working_set(&self) -> WorkingSet {
        WorkingSet::default()
    }
}

/// The machine and the user, as the engine sees them.
#[derive(Debug)]
pub struct Surroundings {
    /// The folder of clada's durable state.
    pub state: PathBuf,
    /// The user's home folder, if it is known.
    pub home: Option<PathBuf>,
    /// The folder of the configuration of the user's programs, if it is not `.config` in the home folder.
    pub configuration: Option<PathBuf>,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
    /// The one of them for new temporary files.
    pub scratch: PathBuf,
    /// The daemon's own umask.
    pub umask: u32,
    /// The clock.
    pub now: fn() -> SystemTime,
    /// The runner of commands; `None` where none can run.
    pub runner: Option<Arc<Runner>>,
    /// The paths that no command may see or change, besides the state.
    pub private: Private,
    /// The folder of the socket that this daemon serves, resolved; no root may hold it or lie in it.
    pub socket_folder: Option<PathBuf>,
}

/// The state that all projects share.
#[derive(Debug)]
pub struct Engine {
    config: ConfigStore,
    surroundings: Surroundings,
    /// The last settings for which policies were compiled, without and with the secrets held back.
    compiled: Mutex<Option<Compiled>>,
    vocabularies: Mutex<Arc<Vocabularies>>,
    last_id: AtomicU64,
    journals: JournalRegistry,
    /// Held while one request recovers interrupted operations.
    settling: Mutex<()>,
    repositories: OpenRepositories,
    watching: watching::Watching,
    happenings: happenings::Happenings,
    staged: Stores,
    /// The findings of commands in the projects.
    snapshot_caches: SnapshotCaches,
}

#[derive(Debug)]
struct Compiled {
    settings: Arc<Settings>,
    guarded: Arc<PathPolicy>,
    open: Arc<PathPolicy>,
}

/// A request's choices for the treatment of paths.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Leave {
    pub(crate) allow_escape: bool,
    pub(crate) include_secrets: bool,
    pub(crate) umask: Option<u32>,
}

/// The end of an operation.
#[derive(Debug)]
pub struct Ended {
    /// The result for the caller.
    pub result: ExecutionResult,
    /// The part of it that can be resumed; `None` if it changed nothing, or there was nothing in it.
    pub left: Option<Resumable>,
}

impl Ended {
    fn new(result: ExecutionResult, until: RunUntil, source: Option<Resumable>) -> Ended {
        let source = source.filter(|_| until == RunUntil::Done && result.total_blocks > 0);
        let left = source.map(|source| source.after(&result));
        Ended { result, left }
    }
}

/// The demands on an operation.
struct Asked<'a> {
    params: &'a ExecuteParams,
    until: RunUntil,
    /// The part of the answer to carry out.
    source: Option<&'a Resumable>,
    /// True if the answer was sent just now, so that it may have been carried out before.
    is_new: bool,
    /// True if there are commands in it.
    has_commands: bool,
}

impl Engine {
    /// Returns an engine that has done nothing yet.
    #[must_use]
    pub fn new(config: ConfigStore, surroundings: Surroundings) -> Engine {
        let config = config.trusting(Box::new(TrustedFiles::new(surroundings.state.clone())));
        let journals = JournalRegistry::new(surroundings.state.clone());
        let watching = watching::Watching::new((surroundings.now)());
        Engine {
            config,
            surroundings,
            compiled: Mutex::new(None),
            vocabularies: Mutex::default(),
            last_id: AtomicU64::new(0),
            journals,
            settling: Mutex::new(()),
            repositories: OpenRepositories::default(),
            watching,
            happenings: happenings::Happenings::default(),
            staged: Stores::default(),
            snapshot_caches: SnapshotCaches::default(),
        }
    }

    /// Returns the sandbox of commands, in a line for users; `None` as long as no command was planned.
    #[must_use]
    pub fn sandbox_shown(&self) -> Option<String> {
        self.surroundings.runner.as_ref()?.known().map(DetectedSandbox::describe)
    }

    /// Returns the configuration.
    #[must_use]
    pub fn config(&self) -> &ConfigStore {
        &self.config
    }

    /// Returns the vocabularies for counting tokens.
    pub(crate) fn vocabularies(&self) -> Arc<Vocabularies> {
        Arc::clone(&self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Releases caches that are only kept for later requests: open repositories with their caches,
    /// vocabularies, pages of databases. What is in use stays.
    pub fn give_back(&self) {
        let repositories = self.repositories.close_all();
        *self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
        self.journals.give_back();
        self.staged.give_back();
        tracing::debug!(repositories, "let go of what was only kept");
    }

    /// Returns the user whose gitignore applies, if known.
    pub(crate) fn git_user(&self) -> Option<GitUser> {
        let home = self.surroundings.home.clone()?;
        let configuration = self.surroundings.configuration.clone();
        let configuration = configuration.unwrap_or_else(|| home.join(".config"));
        Some(GitUser { home, configuration })
    }

    /// Returns the user's home folder, if it is known.
    pub(crate) fn home(&self) -> Option<&Path> {
        self.surroundings.home.as_deref()
    }

    /// Returns the folders for temporary data that is too large for memory, the best one first.
    pub(crate) fn spool_folders(&self) -> Vec<PathBuf> {
        std::iter::once(&self.surroundings.state).chain(&self.surroundings.temporary).cloned().collect()
    }

    /// `config.show`.
    ///
    /// # Errors
    /// `project_not_found`.
    pub fn show_config(&self, params: &ConfigShowParams) -> Result<ConfigShowResult, RpcError> {
        let root = params.root.as_deref().map(project_root).transpose()?;
        let defaults = params.defaults.then(clada_config::defaults_yaml);
        Ok(ConfigShowResult { defaults, ..self.config.show(root.as_deref()) })
    }

    /// `parse`.
    ///
    /// # Errors
    /// `input_too_large`, `project_not_found`, `invalid_config`, or `invalid_params` for an unknown dialect.
    pub fn parse(&self, params: &ParseParams, control: &dyn Control) -> Result<ParseResult, RpcError> {
        let root = params.root.as_deref().map(project_root).transpose()?;
        let settings = self.settings(root.as_deref())?;
        check_size(&params.text, &settings)?;
        let reading = Reading::new(params.dialects.as_deref(), &settings)?;
        let mut answer =
            if params.tree { reading.read_with_trees(&params.text) } else { reading.read(&params.text) };
        let roots = root.as_deref().map(|root| self.roots(root, &settings, Leave::default())).transpose()?;
        let limit = usize::try_from(settings.limits.max_file_size).unwrap_or(usize::MAX);
        answer.hold_against(roots.as_ref(), self.git_user().as_ref(), limit);
        let approvals = match &root {
            Some(root) => self.needed(root, &settings, &answer, params, control)?,
            None => Vec::new(),
        };
        Ok(ParseResult { approvals, ..answer.into_parse_result() })
    }

    /// Returns the approvals that the user would have to give for `answer` in the project at `root`.
    fn needed(
        &self,
        root: &Path,
        settings: &Arc<Settings>,
        answer: &Answer,
        params: &ParseParams,
        control: &dyn Control,
    ) -> Result<Vec<Approval>, RpcError> {
        let roots = self.roots(root, settings, Leave::default())?;
        let terms = Terms { env: Some(&params.env), timeout_ms: params.timeout_ms, ..Terms::default() };
        let commands = match answer.has_commands() {
            true => self.commands(settings, &roots, &terms, control.folder()),
            false => None,
        };
        let rules = self.rules(settings, &roots).with_commands(commands);
        Ok(needed(answer, &roots, &rules, &|| control.stop()))
    }

    /// `plan`: returns the plan to keep, and the result without id and lifetime.
    ///
    /// # Errors
    /// As for [`Engine::parse`]; `path_escape` and the like for an overlay's path; `invalid_params` for two
    /// overlays of one file.
    pub fn plan(
        &self,
        params: &PlanParams,
        control: &dyn Control,
    ) -> Result<(SavedPlan, PlanResult), RpcError> {
        let root = project_root(&params.root)?;
        let settings = self.settings(Some(&root))?;
        check_size(&params.text, &settings)?;
        let leave =
            Leave { allow_escape: params.allow_escape, include_secrets: params.include_secrets, umask: None };
        let roots = self.roots(&root, &settings, leave)?;
        let mut buffers: Vec<(RootedPath, String)> = Vec::new();
        for (index, overlay) in params.overlays.iter().enumerate() {
            let path = overlays::place(&roots, overlay, index)?;
            check_size(&overlay.text, &settings)?;
            if let Some(first) = buffers.iter().position(|(other, _)| *other == path) {
                return Err(overlays::twice(first, index));
            }
            buffers.push((path, overlay.text.clone()));
        }
        let reading = Reading::new(params.dialects.as_deref(), &settings)?;
        let atomicity = atomicity(params.atomic);
        let answer = Answer { atomicity, ..reading.read_shared(&params.text) };
        // Only for commands: this chooses a sandbox and reads the user's approvals.
        let commands = match answer.has_commands() {
            true => {
                let terms =
                    Terms { env: Some(&params.env), timeout_ms: params.timeout_ms, ..Terms::default() };
                self.commands(&settings, &roots, &terms, control.folder())
            }
            false => None,
        };
        let rules = self.rules(&settings, &roots).matching(params.match_level).literal(params.literal);
        let rules = rules.with_commands(commands);
        let source = Resumable::new(Arc::clone(&params.text), reading, atomicity, params.match_level);
        let mut warnings = Vec::new();
        // What stands on disk says nothing of what stands in an editor.
        let looks_back = !params.again && buffers.is_empty();
        let applied = match looks_back {
            true => self.applied_of(&roots, &source, &mut warnings),
            false => HashMap::new(),
        };
        let (plan, mut result) =
            SavedPlan::make(answer, (buffers, &applied), &roots, &rules, &|| control.stop());
        result.warnings.extend(warnings.into_iter().map(|message| OperationWarning { task: None, message }));
        Ok((plan.with_source(source), result))
    }

    /// `execute` of a text.
    ///
    /// # Errors
    /// As for [`Engine::parse`]; `approval_required` for a root that is never a project by itself; `busy` or
    /// `cancelled` if it ended while another operation held the project. Failures of single actions are in
    /// the result.
    pub fn execute(
        &self,
        text: impl Into<Arc<str>>,
        params: &ExecuteParams,
        control: &dyn Control,
    ) -> Result<Ended, RpcError> {
        let root = project_root(&params.root)?;
        let settings = self.settings(Some(&root))?;
        let text = text.into();
        check_size(&text, &settings)?;
        let reading = Reading::new(params.dialects.as_deref(), &settings)?;
        let atomicity = atomicity(params.atomic);
        let answer = Answer { atomicity, ..reading.read_shared(&text) };
        let source = Resumable::new(text, reading, atomicity, params.match_level);
        let has_commands = answer.has_commands();
        let asked = Asked { params, until: until(params), source: Some(&source), is_new: true, has_commands };
        let result = self
            .operate(&root, &settings, &asked, control, |operation| operation.execute(answer, asked.until))?;
        Ok(Ended::new(result, asked.until, Some(source)))
    }

    /// `execute` of the rest of an earlier operation.
    ///
    /// # Errors
    /// As for [`Engine::execute`].
    pub fn resume(
        &self,
        left: &Resumable,
        params: &ExecuteParams,
        control: &dyn Control,
    ) -> Result<Ended, RpcError> {
        let root = project_root(&params.root)?;
        let settings = self.settings(Some(&root))?;
        let atomicity = if params.atomic { Atomicity::AllOrNothing } else { left.atomicity };
        let match_level = params.match_level.or(left.match_level);
        let params = ExecuteParams { match_level, ..params.clone() };
        let answer = left.rest(atomicity);
        let source = left.with_options(atomicity, match_level);
        let has_commands = answer.has_commands();
        let asked = Asked {
            params: &params,
            until: until(&params),
            source: Some(&source),
            is_new: false,
            has_commands,
        };
        let result = self
            .operate(&root, &settings, &asked, control, |operation| operation.execute(answer, asked.until))?;
        Ok(Ended::new(result, asked.until, Some(source)))
    }

    /// `execute` of a kept plan.
    ///
    /// # Errors
    /// As for [`Engine::execute`]; `invalid_params` if `accept` names what the plan does not have.
    pub fn execute_saved(
        &self,
        kept: &SavedPlan,
        params: &ExecuteParams,
        control: &dyn Control,
    ) -> Result<Ended, RpcError> {
        let accept = params.accept.as_deref();
        if let Some(unknown) = accept.map(|accept| unknown_ids(kept, accept)).filter(|ids| !ids.is_empty()) {
            let message = format!("accept: the plan has no {}", unknown.join(", "));
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        // A plan is carried out as it was made: a request that wants it otherwise is refused, not half
        // obeyed.
        if params.atomic && kept.answer().atomicity != Atomicity::AllOrNothing {
            let message = "execute: `atomic` is decided when a plan is made; this one was made without it";
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        if let Some(message) = accept.and_then(|accept| kept.torn(accept)) {
            return Err(RpcError::new(ErrorKind::InvalidParams, message));
        }
        if params.match_level.is_some() {
            let message = "match: a plan is carried out as it was made";
            return Err(RpcError::new(ErrorKind::InvalidParams, message).hint("give it to `plan` instead"));
        }
        let root = project_root(&params.root)?;
        let settings = self.settings(Some(&root))?;
        let until = if params.deliver == Deliver::Edits { RunUntil::Planned } else { RunUntil::Done };
        let source = kept.wanted(accept);
        let has_commands = kept.has_commands();
        let asked = Asked { params, until, source: source.as_ref(), is_new: false, has_commands };
        let work = |operation: &Operation<'_>| operation.execute_saved(kept, accept, params.deliver);
        let result = self.operate(&root, &settings, &asked, control, work)?;
        Ok(Ended::new(result, until, source))
    }

    /// Does `work` with everything that it needs, and under the lock of the root if it changes files.
    fn operate(
        &self,
        root: &Path,
        settings: &Arc<Settings>,
        asked: &Asked<'_>,
        control: &dyn Control,
        work: impl FnOnce(&Operation<'_>) -> ExecutionResult,
    ) -> Result<ExecutionResult, RpcError> {
        let Asked { params, until, .. } = *asked;
        let leave = Leave {
            allow_escape: params.allow_escape,
            include_secrets: params.include_secrets,
            umask: params.umask,
        };
        let roots = self.roots(root, settings, leave)?;
        self.require_project(&roots, params.approve.as_ref())?;
        let lock_file = match until {
            RunUntil::Done => lock_file(params, control)?,
            RunUntil::Planned => None,
        };
        let (held, mut warnings) = match until {
            RunUntil::Done => self.hold(&roots, control)?,
            RunUntil::Planned => (None, Vec::new()),
        };
        let approvals = Approvals::given(params.approve.as_ref());
        let commands = match asked.has_commands {
            true => self.commands(settings, &roots, &Terms::of(params), control.folder()),
            false => None,
        };
        let rules = self.rules(settings, &roots).matching(params.match_level).literal(params.literal);
        let rules = rules.with_commands(commands);
        let rules = Rules { working_set: control.working_set(), ..rules };
        let stop = || control.stop();
        let id = self.next_id();
        let applied = self.applied(&roots, asked, &mut warnings);
        let hold = hold(&id, held.as_ref(), lock_file.as_ref())?;
        let journal_writer = match (&held, params.no_undo) {
            (Some(held), false) => self
                .journal_writer(held, &id, OperationKind::Execute, None, Self::details(asked.source))
                .unless(held.unsettled.as_ref()),
            _ => JournalWriter::nowhere(),
        };
        let committing = match until {
            RunUntil::Done => self.committing(&roots, settings, Commissioned::by(params), &id, None)?,
            RunUntil::Planned => committing::Committing::default(),
        };
        let (journal_writer, no_commits) = committing.with(journal_writer);
        let journal_writer = journal_writer.observed_by(self.change_observer(&roots)).holding(hold);
        tracing::info!(operation = %id, root = %root.display(), "operation begins");
        let operation = Operation {
            id,
            roots: &roots,
            rules: &rules,
            approvals: &approvals,
            journal_writer: &journal_writer,
            applied: &applied,
            stop: &stop,
            notify: &|event| control.tell(event),
        };
        let before = match until {
            // The operation itself detects the changes of commands.
            RunUntil::Done if !asked.has_commands => self.stands_before(&roots, control),
            _ => None,
        };
        let mut result = work(&operation);
        self.add_changes_of_others(&roots, before, &mut result);
        happenings::name_once(&roots, &mut result.external_changes);
        let has_changed = journal_writer.has_changed();
        let outcome =
            self.outcome(&roots, &journal_writer, OperationKind::Execute, &result.operation_id, None);
        warnings.extend(finish(&journal_writer, Some(&result.results), result.success));
        let (report, failure) = self.committed(&roots, journal_writer, no_commits.filter(|_| has_changed));
        tell(&mut result, report, failure);
        warnings.extend(self.config.warnings(Some(root)));
        let unplaced = |message| OperationWarning { task: None, message };
        result.warnings.extend(warnings.into_iter().map(unplaced));
        tracing::info!(operation = %result.operation_id, success = result.success, "operation ends");
        self.operated(outcome);
        if until == RunUntil::Done {
            self.asked(&roots, &result);
        }
        Ok(result)
    }

    /// Returns a session's folder: `cwd`, absolute or relative to `root`, if it exists and lies in the
    /// project.
    ///
    /// # Errors
    /// `path_escape`, `file_not_found`, `not_directory` and the like.
    pub fn folder(&self, root: &str, cwd: &str) -> Result<PathBuf, RpcError> {
        let root = project_root(root)?;
        let settings = self.settings(Some(&root))?;
        let roots = self.roots(&root, &settings, Leave::default())?;
        let path = roots.resolve(cwd)?;
        match roots.lstat(&path)? {
            Some(stat) if stat.kind == clada_fs::FileKind::Directory => Ok(roots.absolute(&path)),
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

    /// Returns an id that is greater than any before, whatever the clock does. 18 hexadecimal digits:
    /// microseconds since 1970, then the process, so that two engines never make the same one.
    pub fn next_id(&self) -> String {
        let since = (self.surroundings.now)().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(since.as_micros()).unwrap_or(u64::MAX);
        let last = self.last_id.fetch_max(now, Ordering::Relaxed);
        let id = if now > last { now } else { self.last_id.fetch_add(1, Ordering::Relaxed) + 1 };
        format!("{id:014x}{:04x}", std::process::id() & 0xffff)
    }

    pub(crate) fn settings(&self, root: Option<&Path>) -> Result<Arc<Settings>, RpcError> {
        self.config.current(root).map_err(|error| RpcError::from(&error))
    }

    fn rules(&self, settings: &Settings, roots: &Roots) -> Rules {
        let hook_folders = hook_folders(roots, self.surroundings.home.as_deref());
        let watched = self.watching.get().and_then(|watches| watches.get(roots.paths().next()?));
        let known_files = watched.map(|watched| KnownFiles { watched, now: self.surroundings.now });
        Rules { hook_folders, user: self.git_user(), known_files, ..Rules::from_settings(settings) }
    }

    pub(crate) fn roots(
        &self,
        root: &Path,
        settings: &Arc<Settings>,
        leave: Leave,
    ) -> Result<Roots, RpcError> {
        let policy = self.policy(settings, leave.include_secrets)?;
        let aliases: Vec<(String, PathBuf)> = settings
            .root_aliases
            .iter()
            .map(|(alias, target)| match target {
                AliasTarget::ProjectRoot => (alias.clone(), root.to_path_buf()),
                AliasTarget::Folder(folder) => (alias.clone(), folder.clone()),
            })
            .collect();
        let options = Options {
            links: if settings.follow_symlinks { Links::FollowInReads } else { Links::Refuse },
            confinement: if leave.allow_escape { Confinement::WholeSystem } else { Confinement::Roots },
            durability: match settings.durability {
                clada_config::Durability::Full => Durability::Full,
                clada_config::Durability::Fast => Durability::Fast,
            },
            umask: leave.umask.unwrap_or(self.surroundings.umask) & 0o777,
            ..Options::default()
        };
        let roots = Roots::open(root, &settings.allowed_roots, &aliases, policy, options)?;
        self.keep_socket_out(&roots)?;
        Ok(roots)
    }

    /// Refuses a project that holds the folder of the daemon's socket, or lies in it: a process that reaches
    /// that folder could act as the user.
    fn keep_socket_out(&self, roots: &Roots) -> Result<(), RpcError> {
        let folder = self.surroundings.socket_folder.as_deref();
        let Some((folder, root)) = folder.zip(roots.paths().next()) else { return Ok(()) };
        if !folder.starts_with(root) && !root.starts_with(folder) {
            return Ok(());
        }
        let (root, folder) = (root.to_string_lossy(), folder.to_string_lossy());
        let message = format!("The root '{root}' and the folder of the daemon's socket, '{folder}', overlap");
        Err(RpcError::new(ErrorKind::PathDenied, message)
            .with("root", root.as_ref())
            .with("socketFolder", folder.as_ref())
            .hint("set CLADA_SOCKET to a path in a folder of its own outside of the project"))
    }

    /// Returns the compiled policy of `settings`; compiling takes longer than most requests, so it is kept.
    fn policy(&self, settings: &Arc<Settings>, include_secrets: bool) -> Result<Arc<PathPolicy>, RpcError> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = match compiled.take().filter(|compiled| Arc::ptr_eq(&compiled.settings, settings)) {
            Some(compiled) => compiled,
            None => {
                let compile = |globs: &PolicyGlobs| {
                    PathPolicy::new(globs).map(Arc::new).map_err(|error| {
                        RpcError::new(ErrorKind::InvalidConfig, error.to_string())
                            .hint("`clada-client config` shows where the glob is set")
                    })
                };
                let globs = policy_globs(settings);
                let guarded = compile(&globs)?;
                let open = compile(&PolicyGlobs { secrets: Vec::new(), ..globs })?;
                Compiled { settings: Arc::clone(settings), guarded, open }
            }
        };
        let policy = if include_secrets { &fresh.open } else { &fresh.guarded };
        let policy = Arc::clone(policy);
        *compiled = Some(fresh);
        Ok(policy)
    }

    /// Refuses to work in a folder that is never a project by itself, unless the user approves it.
    fn require_project(&self, roots: &Roots, approve: Option<&Approve>) -> Result<(), RpcError> {
        let Some(root) = roots.paths().next() else { return Ok(()) };
        let Some(reason) = self.unusual_root(root) else { return Ok(()) };
        let id = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned();
        let approved = match approve {
            Some(Approve::All) => true,
            Some(Approve::Ids(ids)) => ids.contains(&id),
            _ => false,
        };
        if approved {
            return Ok(());
        }
        let path = root.to_string_lossy().into_owned();
        let approval = Approval {
            id: id.clone(),
            kind: ApprovalKind::Root,
            task: None,
            path: path.clone(),
            reason: reason.to_owned(),
            suspicious: clada_protocol::is_suspicious(&path),
            ..Approval::default()
        };
        Err(RpcError::new(ErrorKind::ApprovalRequired, format!("The root '{path}' is {reason}"))
            .with("approvals", serde_json::json!([approval]))
            .hint("give the project's own folder as root; a person can approve this one with --approve-all"))
    }

    /// Returns the reason why `root` is never taken for a project by itself.
    fn unusual_root(&self, root: &Path) -> Option<&'static str> {
        let same = |other: &Path| std::fs::canonicalize(other).is_ok_and(|other| other == root);
        if root == Path::new("/") {
            return Some("the whole file system");
        }
        let home = self.surroundings.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok());
        if let Some(home) = home {
            if home == root {
                return Some("a home folder");
            }
            if home.starts_with(root) {
                return Some("a folder that holds the home folder");
            }
        }
        self.surroundings
            .temporary
            .iter()
            .any(|folder| same(folder))
            .then_some("a folder for temporary files")
    }

    /// Takes the locks of all roots, in one order everywhere, so that two operations never wait for each
    /// other.
    fn lock(&self, roots: &Roots, control: &dyn Control) -> Result<Vec<RootLock>, RpcError> {
        let mut told = None;
        let order = lock_order(roots).into_iter();
        order.map(|index| self.lock_one(roots, index, control, &mut told)).collect()
    }

    /// Takes the same locks if no other process has one of them; else returns `None`.
    fn try_lock(&self, roots: &Roots) -> Result<Option<Vec<RootLock>>, RpcError> {
        let state = &self.surroundings.state;
        let locks = lock_order(roots).into_iter().map(|index| RootLock::try_acquire(roots, index, state));
        locks.collect::<Result<_, _>>().map_err(RpcError::from)
    }

    /// Reports what a request without a lock waits for.
    ///
    /// # Errors
    /// If the journal cannot be read: the remains of a dead daemon's command could then hold the lock for
    /// ever.
    fn tell_holder(&self, roots: &Roots, control: &dyn Control) -> Result<Holder, RpcError> {
        let unfinished = recording::unfinished(&self.journal(roots))?;
        if !unfinished.is_empty() && clada_exec::has_orphans(&unfinished) {
            control.waiting_for(Holder::Remains);
            return Ok(Holder::Remains);
        }
        control.waiting();
        Ok(Holder::Operation)
    }

    fn lock_one(
        &self,
        roots: &Roots,
        index: usize,
        control: &dyn Control,
        told: &mut Option<Holder>,
    ) -> Result<RootLock, RpcError> {
        let (mut looked, mut pause) = (Instant::now(), LOCK_PAUSE.0);
        loop {
            let acquired = RootLock::try_acquire(roots, index, &self.surroundings.state);
            if let Some(lock) = acquired? {
                return Ok(lock);
            }
            let holder = match *told {
                Some(holder) => holder,
                None => *told.insert(self.tell_holder(roots, control)?),
            };
            if let Some(stop) = control.stop() {
                return Err(not_locked(stop, holder));
            }
            // A helper whose daemon is gone may have been stopped by its command.
            if looked.elapsed() > REMAINS_TIME {
                let _ = clada_exec::end_orphans(&recording::unfinished(&self.journal(roots))?);
                looked = Instant::now();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOCK_PAUSE.1);
        }
    }
}

/// Returns the error of a request that has waited for a project in vain.
fn not_locked(stop: Stop, holder: Holder) -> RpcError {
    let held = holder.shown();
    match stop {
        Stop::Cancelled => {
            RpcError::new(ErrorKind::Cancelled, format!("Cancelled while {held} held the project"))
        }
        Stop::Deadline => {
            let message = format!(
                "{}{} held the project until the time was over",
                held[..1].to_uppercase(),
                &held[1..]
            );
            RpcError::new(ErrorKind::Busy, message).hint("try again, or allow more time with --total-timeout")
        }
    }
}

/// Returns the folder that `root` names, as given.
///
/// # Errors
/// `invalid_params` if it is not absolute, `project_not_found` if it is no folder.
pub fn project_root(root: &str) -> Result<PathBuf, RpcError> {
    let path = PathBuf::from(root);
    if !path.is_absolute() || root.contains('\0') {
        let message = format!("root: '{root}' is not an absolute path");
        return Err(RpcError::new(ErrorKind::InvalidParams, message));
    }
    let wrong = |what: &str| {
        RpcError::new(ErrorKind::ProjectNotFound, format!("The root '{root}' {what}"))
            .with("root", root)
            .hint("give an existing folder as root")
    };
    match std::fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(path),
        Ok(_) => Err(wrong("is not a folder")),
        Err(error) => Err(wrong(&format!("cannot be opened: {error}"))),
    }
}

/// Returns the indexes of the roots in the order of locking; a folder is locked once.
fn lock_order(roots: &Roots) -> Vec<usize> {
    let mut order: BTreeSet<(u64, u64, usize)> = BTreeSet::new();
    for (index, path) in roots.paths().enumerate().filter(|(_, path)| *path != Path::new("/")) {
        let metadata = std::fs::metadata(path);
        let identity = metadata.map(|metadata| (metadata.dev(), metadata.ino())).unwrap_or_default();
        if order.iter().all(|(dev, ino, _)| (*dev, *ino) != identity) {
            order.insert((identity.0, identity.1, index));
        }
    }
    order.into_iter().map(|(.., index)| index).collect()
}

/// Returns a policy under which every path beneath the roots can be read and restored.
fn open_policy() -> Result<PathPolicy, RpcError> {
    PathPolicy::new(&PolicyGlobs::default())
        .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}

/// Returns the locks that the commands of an operation hold until they have ended, besides this process.
fn hold(id: &str, held: Option<&Held>, lock_file: Option<&LockFile>) -> Result<Hold, RpcError> {
    let locks = held.into_iter().flat_map(|held| &held.locks).map(RootLock::share);
    let locks = locks.chain(lock_file.map(LockFile::share)).collect::<std::io::Result<Vec<_>>>();
    let failed =
        |error| RpcError::new(ErrorKind::Io, format!("The lock of the project cannot be shared: {error}"));
    locks.map(|locks| Hold::new(id, locks)).map_err(failed)
}

/// Returns how far an `execute` goes.
fn until(params: &ExecuteParams) -> RunUntil {
    if params.dry_run { RunUntil::Planned } else { RunUntil::Done }
}

/// Returns the atomicity of an answer.
fn atomicity(atomic: bool) -> Atomicity {
    if atomic { Atomicity::AllOrNothing } else { Atomicity::Blocks }
}

fn check_size(text: &str, settings: &Settings) -> Result<(), RpcError> {
    let limit = settings.limits.input;
    if text.len() as u64 <= limit {
        return Ok(());
    }
    let message = format!("The text has {} bytes, limits.input allows {limit}", text.len());
    Err(RpcError::new(ErrorKind::InputTooLarge, message)
        .with("limit", "limits.input")
        .hint("apply it in parts, or raise the limit in your configuration"))
}
