//! Paths beneath the root as the request wrote it, in what the journal says of an operation: it knows the root
//! without links, and reports strip the one that was given.

use clada_protocol::{HistoryShowResult, PathChange, RpcError, UndoResult};
use serde_json::Value;

use super::request::ProjectRequest;

impl ProjectRequest {
    pub(super) fn shown_as_given(&self, result: HistoryShowResult) -> HistoryShowResult {
        let Some(given_root) = GivenRoot::new(self) else { return result };
        let HistoryShowResult { changes, warnings, .. } = result;
        let (changes, warnings) = (given_root.changes(changes), given_root.messages(&warnings));
        HistoryShowResult { changes, warnings, ..result }
    }

    pub(super) fn undone_as_given(
        &self,
        undone: Result<UndoResult, RpcError>,
    ) -> Result<UndoResult, RpcError> {
        let Some(given_root) = GivenRoot::new(self) else { return undone };
        match undone {
            Ok(result) => {
                let UndoResult { changes, warnings, fatal_error, .. } = result;
                let fatal_error = fatal_error.map(|message| given_root.message(&message));
                let (changes, warnings) = (given_root.changes(changes), given_root.messages(&warnings));
                Ok(UndoResult { changes, warnings, fatal_error, ..result })
            }
            Err(mut error) => {
                error.message = given_root.message(&error.message);
                error.data.values_mut().for_each(|value| given_root.paths_in(value));
                Err(error)
            }
        }
    }
}

struct GivenRoot {
    resolved: String,
    displayed: String,
}

impl GivenRoot {
    fn new(request: &ProjectRequest) -> Option<GivenRoot> {
        let name = |path: &std::path::Path| path.to_str().map(|path| path.trim_end_matches('/').to_owned());
        let (resolved, displayed) = (name(request.root())?, name(request.requested_root())?);
        (resolved != displayed && !resolved.is_empty()).then_some(GivenRoot { resolved, displayed })
    }

    fn path(&self, path: &str) -> Option<String> {
        let inside = path.strip_prefix(&self.resolved)?;
        (inside.is_empty() || inside.starts_with('/')).then(|| format!("{}{inside}", self.displayed))
    }

    fn message(&self, message: &str) -> String {
        let quoted = |root: &str, end: char| format!("'{root}{end}");
        message
            .replace(&quoted(&self.resolved, '/'), &quoted(&self.displayed, '/'))
            .replace(&quoted(&self.resolved, '\''), &quoted(&self.displayed, '\''))
    }

    fn messages(&self, messages: &[String]) -> Vec<String> {
        messages.iter().map(|message| self.message(message)).collect()
    }

    fn changes(&self, changes: Vec<PathChange>) -> Vec<PathChange> {
        let change = |change: PathChange| PathChange {
            path: self.path(&change.path).unwrap_or(change.path),
            from: change.from.map(|from| self.path(&from).unwrap_or(from)),
            error: change.error.map(|error| self.message(&error)),
            ..change
        };
        changes.into_iter().map(change).collect()
    }

    fn paths_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(path) = self.path(text) {
                    *text = path;
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.paths_in(value)),
            Value::Object(members) => members.values_mut().for_each(|value| self.paths_in(value)),
            _ => {}
        }
    }
}
