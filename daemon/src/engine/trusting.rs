//! `trust.*`: puts in force the settings of a project's configuration that widen what it may do.

use clada_config::{Key, Problem, ProjectFile};
use clada_protocol::{
    ErrorKind, RpcError, TrustAddParams, TrustRemoveParams, TrustResult, TrustShowParams, Widening,
};

use super::approving::of_store;
use super::request::ProjectRequest;
use crate::trust::TrustStore;

impl ProjectRequest {
    pub(crate) fn trust_show(&self, _params: &TrustShowParams) -> Result<TrustResult, RpcError> {
        let (config, layer) = (&self.engine.config, self.project().layer());
        let path = self.root().join(".clada").join("config.yaml").to_string_lossy().into_owned();
        let Some(file) = config.project_file(layer) else {
            return Ok(TrustResult {
                path,
                problems: self.config().warnings(Some(layer)),
                ..TrustResult::default()
            });
        };
        let ProjectFile { text, hash, widens, problems, trusted } = file;
        Ok(TrustResult {
            path,
            text: Some(text),
            hash: Some(hash.to_hex().to_string()),
            trusted,
            widens: widens.into_iter().map(widening).collect(),
            problems: problems.iter().map(Problem::to_string).collect(),
        })
    }

    pub(crate) fn trust_add(&self, params: &TrustAddParams) -> Result<TrustResult, RpcError> {
        let file = self.engine.config.project_file(self.project().layer());
        let Some(file) = file.filter(|file| file.hash.to_hex().as_str() == params.hash) else {
            let message =
                "The project's .clada/config.yaml is not the one that was shown; nothing is trusted";
            return Err(RpcError::new(ErrorKind::Conflict, message).hint("look at it again: clada trust"));
        };
        let (root, added) = (self.root(), self.seconds());
        let trusted = self.trust_store()?.trust(root, &file.hash, added);
        trusted.map_err(|error| of_store(&error))?;
        self.trust_show(&TrustShowParams { root: params.root.clone() })
    }

    pub(crate) fn trust_remove(&self, params: &TrustRemoveParams) -> Result<TrustResult, RpcError> {
        if TrustStore::is_there(&self.environment().state) {
            self.trust_store()?.distrust(self.root()).map_err(|error| of_store(&error))?;
        }
        self.trust_show(&TrustShowParams { root: params.root.clone() })
    }
}

fn widening(problem: Problem) -> Widening {
    let key = problem.key.as_deref().and_then(Key::from_name);
    Widening {
        help: key.map_or_else(String::new, |key| key.help().to_owned()),
        key: problem.key.unwrap_or_default(),
        line: problem.place.map(|place| place.line),
        message: problem.message,
    }
}
