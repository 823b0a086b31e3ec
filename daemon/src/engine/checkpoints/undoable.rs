//! What an undo of a record cannot do, said when the record is made: files that something is mounted on, and new
//! files for which neither the journal nor the reserve has room.

use std::collections::HashMap;

use clada_apply::resolve_place;
use clada_fs::{FileKind, Roots};
use clada_journal::{Net, State};

use crate::engine::request::ProjectRequest;
use crate::engine::shown::some_of;

impl ProjectRequest {
    pub(super) fn beyond_undo(&self, roots: &Roots, nets: &[Net]) -> Vec<String> {
        let Ok(settings) = self.settings() else { return Vec::new() };
        let journal = self.journal();
        let (mut mounted, mut large) = (Vec::new(), Vec::new());
        let mut remaining_bytes = settings.limits.planned_bytes;
        let mut reserve = settings.limits.history_bytes.saturating_sub(journal.reserved_bytes());
        let mut reserves: HashMap<u64, bool> = HashMap::new();
        for net in nets {
            let Ok(path) = resolve_place(roots, &net.place) else { continue };
            let name = || net.place.relative.to_string_lossy().into_owned();
            if roots.is_mount_point(&path) {
                mounted.push(name());
                continue;
            }
            let stat = roots.lstat(&path).ok().flatten().filter(|stat| stat.kind == FileKind::File);
            // Only a new file is at stake: of all others the journal has the content before, or the file
            // that it came from.
            let Some(stat) = stat.filter(|_| net.before == State::Missing && net.came_from.is_none()) else {
                continue;
            };
            if matches!(net.after, State::File { .. }) && stat.size <= remaining_bytes {
                remaining_bytes -= stat.size;
                continue;
            }
            let has_reserve = *reserves.entry(stat.dev).or_insert_with(|| journal.has_undo_reserve(stat.dev));
            if has_reserve && stat.size <= reserve {
                reserve -= stat.size;
            } else {
                large.push(name());
            }
        }
        let mut warnings = Vec::new();
        if !mounted.is_empty() {
            let named = some_of(&mounted, mounted.len());
            warnings.push(format!(
                "Something is mounted on these files, so undo cannot restore them: {named}; \
                 `clada undo --force` undoes all the rest"
            ));
        }
        if !large.is_empty() {
            let named = some_of(&large, large.len());
            warnings.push(format!(
                "There is no room to keep these new files, so only `clada undo --force` removes them, and redo \
                 cannot restore them: {named}"
            ));
        }
        warnings
    }
}
