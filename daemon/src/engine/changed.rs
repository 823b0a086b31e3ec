//! The changes of an operation as its result shows them: the files, their numbers of lines, and the diff.
//!
//! Made of what the operation has in memory, before its record is closed. What a command wrote is read from
//! the files, if they still hold it.

use std::collections::HashMap;
use std::sync::Arc;

use blake3::Hash;
use clada_apply::{Contents, JournalWriter, changed_sum, resolve_place};
use clada_config::{ApplyShow, Settings};
use clada_fs::Roots;
use clada_journal::{JournalPlace, Outline};
use clada_protocol::{ExecutionResult, RpcError, ShowChanges};

use super::request::ProjectRequest;

impl ProjectRequest {
    pub(super) fn add_changed(
        &self,
        journal_writer: &JournalWriter,
        roots: &Roots,
        show: Option<ShowChanges>,
        result: &mut ExecutionResult,
    ) -> Result<(), RpcError> {
        let nets = journal_writer.nets();
        if nets.is_empty() {
            return Ok(());
        }
        let settings = self.settings()?;
        let contents = InMemory::new(journal_writer, roots, settings);
        let with_diff = show.map_or(settings.apply_show == ApplyShow::Diff, |show| show == ShowChanges::Diff);
        let ((changed, more), diff) = self
            .diffs(&contents, |diffs| (diffs.files(&nets), with_diff.then(|| diffs.of_operation(&nets))))?;
        (result.changed, result.changed_more, result.diff) = (changed, more, diff);
        Ok(())
    }

    pub(super) fn set_outline(
        &self,
        journal_writer: &JournalWriter,
        roots: &Roots,
        title: Option<String>,
    ) -> Result<(), RpcError> {
        let contents = InMemory::new(journal_writer, roots, self.settings()?);
        let (files, more) = self.diffs(&contents, |diffs| diffs.files(&journal_writer.nets()))?;
        let changed = changed_sum(&files, more);
        journal_writer.set_outline(Outline { title, changed, head: None });
        Ok(())
    }
}

pub(super) struct InMemory<'a> {
    pub(super) images: HashMap<Hash, Arc<[u8]>>,
    pub(super) roots: &'a Roots,
    pub(super) limit: u64,
}

impl<'a> InMemory<'a> {
    fn new(journal_writer: &JournalWriter, roots: &'a Roots, settings: &Settings) -> InMemory<'a> {
        InMemory { images: journal_writer.contents(), roots, limit: settings.limits.max_file_size }
    }
}

impl Contents for InMemory<'_> {
    fn saved_content(&self, hash: &Hash) -> Option<Arc<[u8]>> {
        self.images.get(hash).map(Arc::clone)
    }

    fn current(&self, place: &JournalPlace) -> Option<Arc<[u8]>> {
        let path = resolve_place(self.roots, place).ok()?;
        self.roots.read(&path, self.limit).ok().map(|content| content.bytes.into())
    }
}
