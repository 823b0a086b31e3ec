//! Answers the configuration's question: is a project's file trusted as it is?
//!
//! The store is opened for each question. Only a file that wants more than a project may have leads to one,
//! and entries of another process count at once. Where the store cannot be read nothing is trusted.

use std::path::{Path, PathBuf};

use clada_config::Trusting;

use super::TrustStore;

/// The trusted files, from the list in a folder of state.
#[derive(Debug)]
pub struct TrustedFiles {
    state: PathBuf,
}

impl TrustedFiles {
    #[must_use]
    pub(crate) fn new(state: PathBuf) -> TrustedFiles {
        TrustedFiles { state }
    }

    fn look(&self, root: &Path, hash: &blake3::Hash) -> Option<bool> {
        let root = root.canonicalize().ok()?;
        TrustStore::open(&self.state).ok()?.trusts(&root, hash).ok()
    }
}

impl Trusting for TrustedFiles {
    fn trusts(&self, root: &Path, hash: &blake3::Hash) -> bool {
        TrustStore::is_there(&self.state) && self.look(root, hash).unwrap_or(false)
    }
}
