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
mod preview;
mod reading;
mod recording;
mod request;
mod roots;
mod shown;
mod staging;
mod state;
mod stepping;
mod still_shown;
#[cfg(test)]
mod tests;
mod trusting;
mod undoing;
mod unstaging;
mod watching;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use clada_config::ProjectLayer;
use clada_protocol::method::CallSettings;
use clada_protocol::{ErrorKind, InstructionsParams, InstructionsResult, ParseParams, ParseResult, RpcError};

use crate::project::ResolvedRoot;
pub(crate) use answering::Ended;
pub(crate) use answering::OpenedAnswer;
pub(crate) use context::WorkingSetChange;
pub(crate) use embedding::EmbedCall;
pub use environment::Environment;
pub(crate) use preview::{ApprovedPreview, Preview};
pub use request::Unasked;
pub(crate) use request::{Holder, ProjectRequest, RequestContext};
pub(crate) use staging::PreparedStage;
pub use state::Engine;
pub(crate) use still_shown::MAX_PREVIEW;
pub(crate) use undoing::Direction;
pub(crate) use watching::News;

impl Engine {
    /// Returns the request of `context` about the project at `root`, as a caller writes it: its folder is
    /// resolved here, once.
    ///
    /// # Errors
    /// `invalid_params` if `root` is not absolute, `project_not_found` if it is not a folder.
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
