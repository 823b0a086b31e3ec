//! The compiled policies of paths: compiling takes longer than most requests, so the last ones are kept.

use std::sync::{Arc, Mutex, PoisonError};

use clada_apply::policy_globs;
use clada_config::Settings;
use clada_fs::{PathPolicy, PolicyGlobs};
use clada_protocol::{ErrorKind, RpcError};

/// The last settings for which policies were compiled, without and with the secrets held back.
#[derive(Debug, Default)]
pub(super) struct Policies(Mutex<Option<Compiled>>);

#[derive(Debug)]
struct Compiled {
    settings: Arc<Settings>,
    guarded: Arc<PathPolicy>,
    open: Arc<PathPolicy>,
}

impl Policies {
    /// Returns the compiled policy of `settings`; without the secrets among its globs if `include_secrets`.
    pub(super) fn policy(
        &self,
        settings: &Arc<Settings>,
        include_secrets: bool,
    ) -> Result<Arc<PathPolicy>, RpcError> {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = match compiled.take().filter(|compiled| Arc::ptr_eq(&compiled.settings, settings)) {
            Some(compiled) => compiled,
            None => {
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

    /// Returns the policy of files that a user names: without the paths that answers may not name.
    pub(super) fn policy_of_user(
        &self,
        settings: &Settings,
        include_secrets: bool,
    ) -> Result<Arc<PathPolicy>, RpcError> {
        let globs = PolicyGlobs { denied: Vec::new(), ..policy_globs(settings) };
        compile(&if include_secrets { PolicyGlobs { secrets: Vec::new(), ..globs } } else { globs })
    }
}

fn compile(globs: &PolicyGlobs) -> Result<Arc<PathPolicy>, RpcError> {
    PathPolicy::new(globs).map(Arc::new).map_err(|error| {
        RpcError::new(ErrorKind::InvalidConfig, error.to_string())
            .hint("`clada config` shows where the glob is set")
    })
}

/// Returns a policy under which every path beneath the roots can be read and restored.
pub(super) fn open_policy() -> Result<PathPolicy, RpcError> {
    PathPolicy::new(&PolicyGlobs::default())
        .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}
