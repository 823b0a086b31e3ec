//! The policies of paths that the configuration asks for.

use clada_apply::policy_globs;
use clada_config::Settings;
use clada_fs::{PathPolicy, PolicyCompiler, PolicyGlobs};
use clada_protocol::{ErrorKind, RpcError};

/// Makes policies of settings; shared by all projects, so that what they have in common is compiled once.
#[derive(Debug, Default)]
pub(super) struct Policies(PolicyCompiler);

impl Policies {
    /// Returns the compiled policy of `settings`; without the secrets among its globs if `include_secrets`.
    pub(super) fn policy(&self, settings: &Settings, include_secrets: bool) -> Result<PathPolicy, RpcError> {
        self.compile(policy_globs(settings), include_secrets)
    }

    /// Returns the policy of files that a user names: without the paths that answers may not name.
    pub(super) fn policy_of_user(
        &self,
        settings: &Settings,
        include_secrets: bool,
    ) -> Result<PathPolicy, RpcError> {
        self.compile(PolicyGlobs { denied: Vec::new(), ..policy_globs(settings) }, include_secrets)
    }

    /// Returns the policy of code that runs unasked: without questions, and with the secrets held back, even if the call lets
    /// an answer see them.
    pub(super) fn policy_of_unasked(&self, settings: &Settings) -> Result<PathPolicy, RpcError> {
        self.compile(PolicyGlobs { ask: Vec::new(), ..policy_globs(settings) }, false)
    }

    fn compile(&self, mut globs: PolicyGlobs, include_secrets: bool) -> Result<PathPolicy, RpcError> {
        if include_secrets {
            globs.secrets.clear();
        }
        self.0.policy(&globs).map_err(|error| {
            RpcError::new(ErrorKind::InvalidConfig, error.to_string())
                .hint("`clada config` shows where the glob is set")
        })
    }
}

/// Returns a policy under which every path beneath the roots can be read and restored.
pub(super) fn open_policy() -> Result<PathPolicy, RpcError> {
    PathPolicy::new(&PolicyGlobs::default())
        .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}
