//! Narrows an undo to some of the places of its operation.
//!
//! Compares paths as they are written; looks at no file.

use std::path::{Component, Path, PathBuf};

use clada_journal::{JournalPlace, OperationKind, ProjectJournal};
use clada_protocol::{ErrorKind, RpcError, UndoParams};

use super::Chosen;
use crate::engine::checkpoints::RecordNote;
use crate::engine::request::ProjectRequest;

impl ProjectRequest {
    pub(super) fn narrowed(&self, chosen: Chosen, params: &UndoParams) -> Result<Chosen, RpcError> {
        if params.only.is_empty() && params.except.is_empty() {
            return Ok(chosen);
        }
        let absolute =
            |paths: &[String]| -> Vec<PathBuf> { paths.iter().map(|path| self.named(path)).collect() };
        let (only, except) = (absolute(&params.only), absolute(&params.except));
        let is_meant = |place: &JournalPlace| {
            let place = place.root.join(&place.relative);
            let is_within = |paths: &[PathBuf]| paths.iter().any(|path| place.starts_with(path));
            (only.is_empty() || is_within(&only)) && !is_within(&except)
        };
        let Chosen { mut nets, mut continued, mut unknown, .. } = chosen;
        nets.retain(|net| is_meant(&net.place));
        continued.retain(|net| is_meant(&net.place));
        unknown.retain(|place| is_meant(place));
        if nets.is_empty() {
            let id = chosen.operation.id;
            let message = format!("Operation {id} changed nothing at these paths");
            return Err(RpcError::new(ErrorKind::InvalidParams, message)
                .with("operationId", id.as_str())
                .hint("`clada history show` lists the paths that it changed"));
        }
        // What undo cannot restore is told when all of it is undone.
        Ok(Chosen { nets, continued, unknown, lost: Vec::new(), is_part: true, ..chosen })
    }

    fn named(&self, path: &str) -> PathBuf {
        let path = Path::new(path);
        let path = match path.strip_prefix(self.requested_root()) {
            Ok(rest) => self.root().join(rest),
            Err(_) => self.root().join(path),
        };
        let mut plain = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(plain.pop()),
                Component::CurDir => {}
                part => plain.push(part),
            }
        }
        plain
    }

    pub(super) fn remarks_of_record(
        &self,
        journal: &ProjectJournal,
        operation: &clada_journal::Operation,
    ) -> Vec<String> {
        if operation.kind != OperationKind::Record {
            return Vec::new();
        }
        let details = journal.if_exists(|journal| {
            let request = journal.details(&operation.id)?.request;
            request.map(|request| request.plain(journal.path())).transpose()
        });
        let note = details.ok().flatten().flatten();
        let note: RecordNote = note.and_then(|note| serde_json::from_slice(&note).ok()).unwrap_or_default();
        let mut remarks = Vec::new();
        if !note.moved.is_empty() {
            let moved = note.moved.join("; ");
            remarks.push(format!("Undo does not revert changes in the repository: {moved}"));
        }
        if !note.others.is_empty() {
            remarks.push(format!("{} recorded these changes, too", note.others.join(", ")));
        }
        remarks
    }
}
