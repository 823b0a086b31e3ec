//! The tools of agents that only read: their roots and bounds.

use clada_apply::{Failure, ReadTools, Stop, ToolText};
use clada_protocol::{ErrorKind, RpcError};

use super::request::{PathOverrides, ProjectRequest};

impl ProjectRequest {
    /// Lets `read` read within the project, as an agent may, in a text of `room` characters.
    pub(crate) fn read_tools(
        &self,
        room: usize,
        read: impl FnOnce(&ReadTools<'_>) -> Result<ToolText, Failure>,
    ) -> Result<ToolText, RpcError> {
        let settings = self.settings()?;
        let roots = self.roots_with(PathOverrides::default())?;
        let stopped = || self.context().stop().is_some();
        let max_file_size = usize::try_from(settings.limits.max_file_size).unwrap_or(usize::MAX);
        let output = read(&ReadTools { roots: &roots, room, max_file_size, stopped: &stopped });
        // What was found by then is not what was asked for.
        match self.context().stop() {
            Some(Stop::Cancelled) => return Err(RpcError::new(ErrorKind::Cancelled, "Cancelled")),
            Some(Stop::Deadline) => return Err(RpcError::new(ErrorKind::Timeout, "The time is up")),
            None => {}
        }
        output.map_err(|failure| {
            let error = RpcError::new(failure.kind, failure.message);
            match failure.hint {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    }
}
