//! `embed`: gathers the input of a document here; [`clada_embed`] makes the document.

use clada_apply::Stop;
use clada_embed::{Embedded, Progress, Request, Sources, embed};
use clada_fs::{Confinement, Options, Roots};
use clada_protocol::{CallerKind, EmbedParams, ErrorKind, ProjectChangesParams, RpcError};

use super::overlays;
use super::request::{PathOverrides, ProjectRequest};

// The parts of an `embed` call alongside its parameters.
pub(crate) struct EmbedCall<'a> {
    /// The caller's kind.
    pub caller: CallerKind,
    /// The context of the session, absolute.
    pub context: &'a [String],
    /// The clock up to which the session has received changes.
    pub since: Option<&'a str>,
    /// Takes the next piece of a document that is streamed.
    pub text: &'a dyn Fn(&str) -> Result<(), RpcError>,
    /// Receives the number of files read, and of all files.
    pub progress: Progress<'a>,
}

impl std::fmt::Debug for EmbedCall<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("EmbedCall").field("caller", &self.caller).finish_non_exhaustive()
    }
}

impl ProjectRequest {
    pub(crate) fn embed(&self, params: &EmbedParams, call: &EmbedCall<'_>) -> Result<Embedded, RpcError> {
        let settings = self.settings()?;
        let overrides = PathOverrides {
            include_secrets: params.include_secrets,
            umask: params.umask,
            ..PathOverrides::default()
        };
        let inside = self.roots_with(overrides)?;
        let overlays = overlays::texts(&inside, &params.overlays, settings)?;
        // A user may name paths anywhere; an agent only those in the allowed roots.
        let anywhere = match call.caller {
            CallerKind::Person => Some(whole_system(&inside)?),
            CallerKind::Agent => None,
        };
        // The paths that answers may not name are no matter of a user who names one.
        let named = match &anywhere {
            Some(anywhere) => {
                let policy = self.engine.policies.policy_of_user(
                    settings,
                    params.include_secrets,
                    self.folder_rules(),
                )?;
                Some(anywhere.with(policy, anywhere.options().clone())?)
            }
            None => None,
        };
        let (vocabularies, user) = (self.engine.vocabularies(), self.environment().git_user());
        let sources = Sources {
            settings,
            vocabularies: &vocabularies,
            is_in_work_tree: inside.git_index().is_some(),
            inside,
            overlays,
            anywhere,
            named,
            user: user.as_ref(),
            home: self.environment().home.as_deref(),
            spool_folders: self.environment().spool_folders(),
        };
        let request = Request {
            context: call.context,
            since: call.since,
            changes: &|since| {
                let params = ProjectChangesParams { root: params.root.clone(), since, verify: false };
                self.changes(&params)
            },
            stopped: &|| match self.context().stop()? {
                Stop::Cancelled => Some(ErrorKind::Cancelled),
                Stop::Deadline => Some(ErrorKind::Timeout),
            },
            text: call.text,
            progress: call.progress,
        };
        embed(params, &request, &sources)
    }
}

fn whole_system(inside: &Roots) -> Result<Roots, RpcError> {
    let options = Options { confinement: Confinement::WholeSystem, ..inside.options().clone() };
    Ok(inside.with(inside.shared_policy(), options)?)
}
