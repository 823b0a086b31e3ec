//! The engine: carries out a request about a project, in plain sync code.
//!
//! Holds what all projects share: configuration, environment, compiled policies, vocabularies, ids, and the
//! one map of projects. It does not know the caller: a request's life comes in as a [`RequestContext`].
//! Everything here may wait for a disk.

mod agent_root;
mod answering;
mod approving;
mod beginning;
mod changed;
mod checkpoints;
mod commanding;
mod committing;
mod configuring;
mod context;
mod doctor;
mod editor_operations;
mod embedding;
mod environment;
mod finding;
mod folder_rules;
mod forgetting;
mod given_root;
mod lock_file;
mod locking;
mod moving;
mod operation_events;
mod overlays;
mod policies;
mod reading;
mod recording;
mod request;
mod roots;
mod staging;
mod stepping;
mod still_shown;
#[cfg(test)]
mod tests;
mod trusting;
mod undoing;
mod unstaging;
mod watching;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clada_config::{ConfigStore, ProjectLayer, Settings};
use clada_embed::Vocabularies;
use clada_exec::DetectedSandbox;
use clada_journal::JournalRegistry;
use clada_protocol::method::CallSettings;
use clada_protocol::{ErrorKind, InstructionsParams, InstructionsResult, ParseParams, ParseResult, RpcError};
use clada_stage::IgnoreCache;

use crate::project::{Projects, ResolvedRoot};
use crate::trust::TrustedFiles;
pub use answering::Ended;
pub(crate) use answering::OpenedAnswer;
pub use context::WorkingSetChange;
pub use embedding::EmbedCall;
pub use environment::Environment;
use folder_rules::FolderLayers;
use policies::Policies;
pub use request::{Holder, ProjectRequest, RequestContext, Unasked};
pub use staging::Prepared;
pub(crate) use still_shown::{ApprovedPreview, MAX_PREVIEW, Preview};
pub use undoing::Way;
pub use watching::News;

/// The state that all projects share.
#[derive(Debug)]
pub struct Engine {
    config: ConfigStore,
    environment: Environment,
    policies: Policies,
    folder_layers: FolderLayers,
    vocabularies: Mutex<Arc<Vocabularies>>,
    /// The number of ids that were made although the system gave no random numbers.
    made_ids: AtomicU64,
    projects: Projects,
    is_evicting: AtomicBool,
    settling: Mutex<()>,
    watching: watching::Watching,
    ignore: IgnoreCache,
}

impl Engine {
    /// Returns an engine that has done nothing yet.
    #[must_use]
    pub fn new(config: ConfigStore, environment: Environment) -> Engine {
        let config = config.trusting(Box::new(TrustedFiles::new(environment.state.clone())));
        let projects = Projects::new(JournalRegistry::new(environment.state.clone()));
        let watching = watching::Watching::new((environment.now)());
        Engine {
            config,
            environment,
            policies: Policies::default(),
            folder_layers: FolderLayers::default(),
            vocabularies: Mutex::default(),
            made_ids: AtomicU64::new(0),
            projects,
            is_evicting: AtomicBool::new(false),
            settling: Mutex::new(()),
            watching,
            ignore: IgnoreCache::default(),
        }
    }

    /// Returns the request of `context` about the project at `root`, as a caller writes it: its folder is
    /// resolved here, once.
    ///
    /// # Errors
    /// `invalid_params` if `root` is not absolute, `project_not_found` if it is no folder.
    pub fn request(
        self: &Arc<Engine>,
        root: &str,
        context: Arc<dyn RequestContext>,
    ) -> Result<ProjectRequest, RpcError> {
        self.request_at(Path::new(root), context)
    }

    fn request_at(
        self: &Arc<Engine>,
        requested_root: &Path,
        context: Arc<dyn RequestContext>,
    ) -> Result<ProjectRequest, RpcError> {
        let (root, now) = (held_root(requested_root, &*context)?, Instant::now());
        if context.is_agent() {
            self.check_agent_root(root.as_path())?;
        }
        let (project, are_too_many) = self.projects.open(&root, now);
        if are_too_many {
            self.evict_soon();
        }
        self.find_record(&project)?;
        Ok(ProjectRequest::new(Arc::clone(self), project, requested_root.to_path_buf(), context))
    }

    /// Returns a request of the daemon's own about the project at `root`: no client waits for it, and it does
    /// not count as a use of the project.
    pub(crate) fn request_unasked(self: &Arc<Engine>, root: &str) -> Result<ProjectRequest, RpcError> {
        let requested_root = Path::new(root);
        let (project, are_too_many) =
            self.projects.open_unasked(&ResolvedRoot::new(requested_root)?, Instant::now());
        if are_too_many {
            self.evict_soon();
        }
        self.find_record(&project)?;
        Ok(ProjectRequest::new(Arc::clone(self), project, requested_root.to_path_buf(), Arc::new(Unasked)))
    }

    /// Returns the projects that are open.
    #[must_use]
    pub fn projects(&self) -> &Projects {
        &self.projects
    }

    /// Lets go of projects that are not used any more, as of `now`.
    pub fn evict(&self, now: Instant) {
        self.projects.evict(now, self.config.lenient(None).watch_reap_after);
    }

    fn evict_soon(self: &Arc<Engine>) {
        if self.is_evicting.swap(true, Ordering::AcqRel) {
            return;
        }
        let engine = Arc::clone(self);
        let begun = std::thread::Builder::new().name("evict".to_owned()).spawn(move || {
            // What comes from now on is another thread's.
            engine.is_evicting.store(false, Ordering::Release);
            engine.evict(Instant::now());
        });
        if let Err(error) = begun {
            tracing::warn!(%error, "projects are let go after the next operation only");
            self.is_evicting.store(false, Ordering::Release);
        }
    }

    /// Returns the sandbox of commands, in a line for users; `None` as long as no command was planned.
    #[must_use]
    pub(crate) fn sandbox_shown(&self) -> Option<String> {
        self.environment.runner.as_ref()?.known().map(DetectedSandbox::describe)
    }

    fn vocabularies(&self) -> Arc<Vocabularies> {
        Arc::clone(&self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Releases caches that are only kept for later requests: open repositories with their caches,
    /// vocabularies, pages of databases, projects that are not used any more. What is in use stays.
    pub(crate) fn give_back(&self) {
        let repositories = self.projects.give_back();
        *self.vocabularies.lock().unwrap_or_else(PoisonError::into_inner) = Arc::default();
        self.evict(Instant::now());
        tracing::debug!(repositories, "let go of what was only kept");
    }

    /// `parse` outside of any project.
    pub(crate) fn parse(
        &self,
        params: &ParseParams,
        settings: &CallSettings,
    ) -> Result<ParseResult, RpcError> {
        let settings = self.settings(None, settings)?;
        let mut answer = answering::read(params, &settings)?;
        answering::hold_against(&mut answer, None, &self.environment, &settings);
        Ok(answer.into_parse_result())
    }

    /// `instructions`. The root need not exist.
    pub(crate) fn instructions(
        self: &Arc<Engine>,
        params: &InstructionsParams,
        context: Arc<dyn RequestContext>,
    ) -> Result<InstructionsResult, RpcError> {
        let config = self.config.for_call(context.settings());
        let dialect = clada_apply::dialect(params.dialect.as_deref().unwrap_or("sham"))?;
        let nonce = blake3::hash(self.next_id().as_bytes()).to_hex()[..16].to_owned();
        let layer = match params.root.as_deref().map(|root| (root, self.request(root, context))) {
            None => None,
            Some((_, Ok(request))) => Some(request.project().layer().clone()),
            Some((_, Err(error))) if error.kind() == Some(ErrorKind::PathEscape) => return Err(error),
            Some((root, Err(_))) => Some(ProjectLayer::new(Path::new(root))),
        };
        let settings = config.current(layer.as_ref()).map_err(|error| RpcError::from(&error))?;
        let text = clada_apply::instructions(dialect, params, &settings, &nonce);
        Ok(InstructionsResult { dialect: dialect.name().to_owned(), text })
    }

    /// Returns an id that nobody can guess: 32 hexadecimal digits.
    pub(crate) fn secret_id(&self) -> Result<String, RpcError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| {
            RpcError::new(ErrorKind::Internal, format!("The system gives no random numbers: {error}"))
        })?;
        Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
    }

    /// Returns the id of a new operation: 48 random bits as 12 letters from k to z, so that none can be taken
    /// for a number or a hexadecimal hash (spec: daily, "The report and the questions").
    pub(crate) fn next_id(&self) -> String {
        let mut bytes = [0; 6];
        if getrandom::fill(&mut bytes).is_err() {
            // It has to be another one, and no secret.
            let created_ids = self.made_ids.fetch_add(1, Ordering::Relaxed);
            let source = format!("{:?} {} {created_ids}", self.environment.since_epoch(), std::process::id());
            bytes.copy_from_slice(&blake3::hash(source.as_bytes()).as_bytes()[..6]);
        }
        let letter = |half: u8| char::from(b'k' + half);
        bytes.iter().flat_map(|byte| [letter(byte >> 4), letter(byte & 15)]).collect()
    }

    fn settings(
        &self,
        layer: Option<&ProjectLayer>,
        settings: &CallSettings,
    ) -> Result<Arc<Settings>, RpcError> {
        self.config.for_call(settings).current(layer).map_err(|error| RpcError::from(&error))
    }
}

/// Resolves the root of a request. One that its caller may not name is refused before anything is told of it.
fn held_root(requested_root: &Path, context: &dyn RequestContext) -> Result<ResolvedRoot, RpcError> {
    let outside = || {
        let message =
            format!("root: '{}' is outside of the roots of this connection", requested_root.display());
        let error = RpcError::new(ErrorKind::PathEscape, message).with("parameter", "root");
        error.hint("an agent names its projects first: `hello {caller: \"agent\", roots: [...]}`")
    };
    match ResolvedRoot::new(requested_root) {
        Ok(root) if context.holds(root.as_path()) => Ok(root),
        Ok(_) => Err(outside()),
        Err(error) => {
            let climbs = requested_root.components().any(|part| part == std::path::Component::ParentDir);
            Err(if !climbs && context.holds(requested_root) { error } else { outside() })
        }
    }
}
