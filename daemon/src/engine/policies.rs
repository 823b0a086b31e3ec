//! The policies of paths that the configuration asks for.

use std::sync::Arc;

use clada_apply::policy_globs;
use clada_config::{INSTRUCTIONS, Settings};
use clada_fs::{FolderRules, PathPolicy, PolicyCompiler, PolicyGlobs, Roots, RuleKinds};
use clada_protocol::{ErrorKind, RpcError};

/// Makes policies of settings; shared by all projects, so that what they have in common is compiled once.
#[derive(Debug, Default)]
pub(super) struct Policies(PolicyCompiler);

impl Policies {
    pub(super) fn policy(
        &self,
        settings: &Settings,
        more_asked: &[&str],
        include_secrets: bool,
        folders: Arc<FolderRules>,
    ) -> Result<PathPolicy, RpcError> {
        let kinds = RuleKinds { secrets: !include_secrets, ..RuleKinds::ALL };
        let mut globs = policy_globs(settings);
        globs.ask.extend(more_asked.iter().map(|glob| (*glob).to_owned()));
        Ok(self.compile(globs, include_secrets)?.with_folders(folders, kinds))
    }

    pub(super) fn instructions(&self) -> Result<PathPolicy, RpcError> {
        let ask = INSTRUCTIONS.iter().map(|glob| (*glob).to_owned()).collect();
        self.compile(PolicyGlobs { ask, ..PolicyGlobs::default() }, false)
    }

    pub(super) fn policy_of_user(
        &self,
        settings: &Settings,
        include_secrets: bool,
        folders: Arc<FolderRules>,
    ) -> Result<PathPolicy, RpcError> {
        let globs = PolicyGlobs { denied: Vec::new(), ..policy_globs(settings) };
        let kinds = RuleKinds { denied: false, secrets: !include_secrets, ask: true };
        Ok(self.compile(globs, include_secrets)?.with_folders(folders, kinds))
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

pub(super) fn open_policy() -> Result<PathPolicy, RpcError> {
    PathPolicy::new(&PolicyGlobs::default())
        .map_err(|error| RpcError::new(ErrorKind::Internal, error.to_string()))
}

pub(super) fn open_roots(roots: &Roots) -> Option<Roots> {
    roots.with(open_policy().ok()?, roots.options().clone()).ok()
}
