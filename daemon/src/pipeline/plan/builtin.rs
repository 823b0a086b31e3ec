//! Plans of the commands that need no program: changes of the same kind as those of any action.

use clada_protocol::ErrorKind;

use super::Planner;
use crate::exec::words::BuiltIn;
use crate::fs::RootedPath;
use crate::pipeline::effect::{Effect, Failure};

impl Planner<'_> {
    /// What a command without a program does, run in `folder`.
    pub(super) fn built_in(&mut self, _command: &BuiltIn, _folder: &RootedPath) -> Result<Effect, Failure> {
        Err(Failure::said(
            ErrorKind::NotAvailable,
            "Not available in this version (NOT_AVAILABLE)".to_owned(),
        ))
    }
}
