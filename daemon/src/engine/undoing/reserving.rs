//! The files that an undo takes away and for which the journal has no room: they move to a reserve on their own
//! file system, from which redo brings them back.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use clada_apply::{Conflict, Reason, Refusal, Reverse, UnkeptFile};
use clada_fs::Roots;
use clada_journal::JournalPlace;
use clada_protocol::RpcError;

use super::request::Undoing;
use crate::engine::recording::HeldProject;
use crate::engine::shown::shown_id;

const NAMED: usize = 5;

pub(super) type ReservedFiles = Vec<(UnkeptFile, JournalPlace)>;

impl Undoing<'_> {
    /// Fails with `conflict` if a file has no room, without `--force`. A dry run makes no folder, and finds
    /// the same room.
    pub(super) fn reserved(
        &self,
        operation: &str,
        undo: &str,
        held: Option<&HeldProject>,
        unkept: Vec<UnkeptFile>,
    ) -> Result<(ReservedFiles, Vec<String>), RpcError> {
        if unkept.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut room = self.settings.limits.history_bytes.saturating_sub(self.journal.reserved_bytes());
        let mut folders: HashMap<u64, Option<PathBuf>> = HashMap::new();
        // A dry run has no lock, and must not make the folder; that there could be one is all it needs to
        // know.
        let folder_on = |device: u64| match held {
            Some(_) => self.journal.undo_reserve(device),
            None => self.journal.has_undo_reserve(device).then(PathBuf::new),
        };
        let (mut reserved, mut lost_places) = (Vec::new(), Vec::new());
        for file in unkept {
            let (size, device) = (file.file.identity.size, file.file.identity.dev);
            let folder = folders.entry(device).or_insert_with(|| folder_on(device)).clone();
            let Some(root) = folder.filter(|_| size <= room) else {
                lost_places.push(file.place);
                continue;
            };
            room -= size;
            let relative = PathBuf::from(format!("{undo}-{}", reserved.len() + 1));
            reserved.push((file, JournalPlace { root, relative }));
        }
        if !lost_places.is_empty() && !self.params.force {
            let conflicts = lost_places.into_iter().map(|place| Conflict { place, reason: Reason::NoRoom });
            let refusal = Refusal { conflicts: conflicts.collect() };
            return Err(refusal.into_error(operation, &shown_id(self.journal, operation)));
        }
        let named = lost_places.iter().take(NAMED).map(|place| {
            let shown = place.root.join(&place.relative).display().to_string();
            format!(
                "'{shown}' is deleted permanently, so redo cannot restore it: there is no room to keep it"
            )
        });
        let more = lost_places.len().saturating_sub(NAMED);
        let more = (more > 0)
            .then(|| format!("{more} more files are deleted permanently: there is no room to keep them"));
        Ok((reserved, named.chain(more).collect()))
    }

    pub(super) fn roots_with_reserve(&self, reverse: &Reverse) -> Result<Option<Roots>, RpcError> {
        let reserves: BTreeSet<PathBuf> = reverse
            .reserved_places()
            .filter(|place| !self.others.contains(&place.root))
            .map(|place| place.root.clone())
            .collect();
        if reserves.is_empty() {
            return Ok(None);
        }
        let others: Vec<PathBuf> = self.others.iter().cloned().chain(reserves).collect();
        self.request.undo_roots(&others).map(Some)
    }
}
