//! The reasons why `clada-daemon mcp` cannot start.

use std::io;
use std::path::PathBuf;

use clada_server::AddressError;

#[derive(Debug, thiserror::Error)]
pub(crate) enum CannotStart {
    #[error("--root {}: this folder holds more than one project, and agents cannot use it; name the project's own folder", .0.display())]
    TooBroad(PathBuf),
    #[error("--root {}: {why}", .root.display())]
    Root { root: PathBuf, why: String },
    #[error(
        "a command that a daemon of clada runs has started this (helper {0}): commands of an answer cannot use clada"
    )]
    BelowHelper(i32),
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error("standard input and output cannot be used: {0}")]
    Streams(io::Error),
    #[error("{0}")]
    NoDaemon(String),
}
