//! Changes as an editor makes them: file operations in their order, then one entry for each document that
//! changes.
//!
//! Pure. Works on effects; what of a plan goes to an editor `handing` says.

use std::collections::HashMap;
use std::sync::Arc;

use clada_fs::{RootedPath, Roots};
use clada_protocol::{
    DocumentChange, LineEnds, Position, Range, ResourceKind, ResourceOptions, TextDocument, TextEdit, Units,
    WorkspaceEdit,
};

use crate::effect::Effect;
use crate::results::diff::uri;
use crate::write::{Before, Write};

/// The form in which an editor wants its edits.
#[derive(Debug, Clone, Copy, Default)]
pub struct EditForm {
    /// The line ends that its positions count.
    pub lines: LineEnds,
    /// The unit of its positions.
    pub units: Units,
}

#[derive(Debug)]
struct EditedDocument {
    origin: RootedPath,
    /// The text that it has after the file operations, if that is known; `None` for one that only moved so
    /// far.
    base: Option<Arc<[u8]>>,
    text: Option<Arc<[u8]>>,
    is_created: bool,
    rank: usize,
}

/// Returns what `effects` change, as an editor makes it. `versions` has those of the documents that were
/// planned over. Empty folders are not an editor's concern.
#[must_use]
pub(crate) fn workspace_edit<'e>(
    effects: impl Iterator<Item = &'e Effect>,
    roots: &Roots,
    versions: &HashMap<RootedPath, i32>,
    form: EditForm,
) -> WorkspaceEdit {
    let mut making = Making { roots, operations: Vec::new(), documents: HashMap::new(), rank: 0 };
    effects.flat_map(Effect::each).for_each(|effect| making.effect(effect));
    let Making { mut operations, documents, .. } = making;
    let mut documents: Vec<_> = documents.into_iter().collect();
    documents.sort_by_key(|(_, document)| document.rank);
    let texts = documents.iter().filter_map(|(path, document)| {
        let edits = document.edits(form)?;
        // A version counts the changes of the document under its own name.
        let is_same = !document.is_created && document.origin == *path;
        let version = versions.get(path).copied().filter(|_| is_same);
        let text_document = TextDocument { uri: uri(roots, path), version };
        Some(DocumentChange::Text { text_document, edits })
    });
    operations.extend(texts);
    WorkspaceEdit { document_changes: operations }
}

struct Making<'r> {
    roots: &'r Roots,
    operations: Vec<DocumentChange>,
    /// The documents by their paths as planned so far.
    documents: HashMap<RootedPath, EditedDocument>,
    rank: usize,
}

impl Making<'_> {
    fn effect(&mut self, effect: &Effect) {
        match effect {
            Effect::Write(write) => self.write(write),
            Effect::Several(files) => files.iter().flatten().for_each(|write| self.write(write)),
            Effect::Delete { path, .. } | Effect::RemoveFolder(path) => {
                self.documents.remove(path);
                self.resource(ResourceKind::Delete, path);
            }
            Effect::Move { from, to, replaced, content, .. } if from != to => {
                let moved = self.rename(from, to, replaced, content.as_ref());
                self.documents.insert(to.clone(), moved);
            }
            Effect::WriteMoved { from, write, .. } => {
                let moved = self.rename(from, &write.path, &write.before, write.old.as_ref());
                let base = moved.base.clone().or_else(|| write.old.clone());
                let document = EditedDocument { base, text: Some(Arc::clone(&write.new)), ..moved };
                self.documents.insert(write.path.clone(), document);
            }
            _ => {}
        }
    }

    fn write(&mut self, write: &Write) {
        if write.is_unchanged() && !self.documents.contains_key(&write.path) {
            return;
        }
        let is_created = write.before == Before::Missing && !self.documents.contains_key(&write.path);
        if is_created {
            self.resource(ResourceKind::Create, &write.path);
        }
        let new = self.document(&write.path, write.old.as_ref().filter(|_| !is_created));
        let document =
            self.documents.entry(write.path.clone()).or_insert(EditedDocument { is_created, ..new });
        document.base = document.base.take().or_else(|| write.old.clone());
        document.text = Some(Arc::clone(&write.new));
    }

    fn rename(
        &mut self,
        from: &RootedPath,
        to: &RootedPath,
        replaced: &Before,
        content: Option<&Arc<[u8]>>,
    ) -> EditedDocument {
        self.operations.push(DocumentChange::Rename {
            kind: ResourceKind::Rename,
            old_uri: uri(self.roots, from),
            new_uri: uri(self.roots, to),
            options: (*replaced != Before::Missing).then_some(ResourceOptions { overwrite: true }),
        });
        let new = self.document(from, content);
        self.documents.remove(from).unwrap_or(new)
    }

    fn document(&mut self, path: &RootedPath, base: Option<&Arc<[u8]>>) -> EditedDocument {
        self.rank += 1;
        let (origin, base, rank) = (path.clone(), base.cloned(), self.rank);
        EditedDocument { origin, base, text: None, is_created: false, rank }
    }

    fn resource(&mut self, kind: ResourceKind, path: &RootedPath) {
        let uri = uri(self.roots, path);
        self.operations.push(DocumentChange::Resource { kind, uri, options: None });
    }
}

impl EditedDocument {
    fn edits(&self, form: EditForm) -> Option<Vec<TextEdit>> {
        let new = String::from_utf8_lossy(self.text.as_deref()?);
        if self.is_created {
            let whole = TextEdit { range: Range::default(), new_text: new.clone().into_owned() };
            return (!new.is_empty()).then(|| vec![whole]);
        }
        let old = String::from_utf8_lossy(self.base.as_deref().unwrap_or_default());
        // An editor keeps the byte order mark apart from the text.
        let text = |text| str::strip_prefix(text, '\u{feff}').unwrap_or(text);
        let edits = clada_edit::text_edits(text(&old), text(&new), form.lines, form.units);
        let edits = edits.into_iter().map(|edit| TextEdit {
            range: Range { start: position(edit.start), end: position(edit.end) },
            new_text: edit.new_text,
        });
        let edits: Vec<TextEdit> = edits.collect();
        (!edits.is_empty()).then_some(edits)
    }
}

fn position(position: clada_edit::Position) -> Position {
    let narrow = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Position { line: narrow(position.line), character: narrow(position.character) }
}
