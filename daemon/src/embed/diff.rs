//! What the working tree has changed since the last commit, as git shows it. git itself is not run: a repository can
//! make it run programs.

use clada_protocol::{ErrorKind, RpcError};

use crate::fs::Roots;

/// The difference between the last commit and the working tree.
pub(super) fn working_tree(_roots: &Roots) -> Result<String, RpcError> {
    Err(RpcError::new(ErrorKind::NotAvailable, "embed: `diff` is not available in this version"))
}
