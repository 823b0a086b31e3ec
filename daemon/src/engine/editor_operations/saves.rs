//! The documents that an editor is going to save for an operation, as they are before it gets its edits.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use clada_apply::HandedText;
use clada_fs::{FileKind, RootedPath, Roots};
use clada_journal::{Change, Images, State, journal_place};
use clada_protocol::{Deliver, DocumentChange, ExecuteParams, ExecutionResult, RpcError};

use crate::engine::overlays;
use crate::engine::request::ProjectRequest;

#[derive(Debug, Default)]
pub(in crate::engine) struct Saves {
    documents: HashMap<RootedPath, State>,
    pub(super) images: Images,
    handed: Vec<(RootedPath, usize, blake3::Hash)>,
}

impl Saves {
    pub(in crate::engine) fn set_handed(&mut self, texts: &[HandedText]) {
        self.handed = texts.iter().map(|text| (text.path.clone(), text.seq, text.hash)).collect();
    }

    pub(super) fn expected(&self, roots: &Roots, edited: &HashSet<RootedPath>) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut known: HashSet<&RootedPath> = HashSet::new();
        // A document may be open by a link to its file.
        let file = |path: &RootedPath| {
            let behind = || self.documents.get_key_value(&roots.follow(path).ok()?);
            self.documents.get_key_value(path).or_else(behind)
        };
        for (path, seq, hash) in self.handed.iter().filter(|(path, ..)| edited.contains(path)) {
            let Some((path, before)) = file(path) else { continue };
            let after = State::File { hash: *hash, metadata: None };
            let before = if known.insert(path) { before.clone() } else { after.clone() };
            changes.push(Change {
                seq: *seq,
                place: journal_place(roots, path),
                before,
                after,
                moved_from: None,
            });
        }
        changes
    }
}

impl ProjectRequest {
    pub(in crate::engine) fn saves(
        &self,
        roots: &Roots,
        params: &ExecuteParams,
        is_done: bool,
    ) -> Result<Option<Saves>, RpcError> {
        let uris = params.saves.as_ref().filter(|_| {
            is_done && params.deliver == Deliver::Mixed && !params.edits.is_empty() && !params.no_undo
        });
        let Some(uris) = uris else { return Ok(None) };
        let limit = self.settings()?.limits.max_file_size;
        let mut saves = Saves::default();
        for path in overlays::documents(roots, "saves", uris)? {
            if let Some(state) = state_now(roots, &path, limit, &mut saves.images) {
                saves.documents.insert(path, state);
            }
        }
        Ok(Some(saves))
    }
}

pub(super) fn edited(roots: &Roots, result: &ExecutionResult) -> Result<HashSet<RootedPath>, RpcError> {
    let changes = result.edits.iter().flat_map(|edits| &edits.document_changes);
    let uris: Vec<String> = changes
        .filter_map(|change| match change {
            DocumentChange::Text { text_document, .. } => Some(text_document.uri.clone()),
            _ => None,
        })
        .collect();
    overlays::documents(roots, "edits", &uris)
}

/// `None` for what is not a file, or is too large.
pub(super) fn state_now(roots: &Roots, path: &RootedPath, limit: u64, images: &mut Images) -> Option<State> {
    let Some(stat) = roots.lstat(path).ok()? else { return Some(State::Missing) };
    if stat.kind != FileKind::File {
        return None;
    }
    let content: Arc<[u8]> = roots.read(path, limit).ok()?.bytes.into();
    Some(State::File { hash: images.add(&content), metadata: roots.metadata(path).ok() })
}
