//! Ids of operations and lists of paths as users see them: as short as they are clear.

use std::collections::BTreeMap;

use clada_journal::ProjectJournal;

pub(super) const NAMED: usize = 5;

/// An id that cannot be found is left out: it is shown whole.
pub(super) fn short_ids<'a>(
    journal: &ProjectJournal,
    ids: impl IntoIterator<Item = &'a str>,
) -> BTreeMap<String, String> {
    let short = |id: &'a str| {
        let short_id = journal.if_exists(|journal| journal.short_id(id)).ok().flatten()?;
        Some((id.to_owned(), short_id))
    };
    ids.into_iter().filter(|id| !id.is_empty()).filter_map(short).collect()
}

pub(super) fn shown_id(journal: &ProjectJournal, id: &str) -> String {
    short_ids(journal, [id]).remove(id).unwrap_or_else(|| id.to_owned())
}

pub(super) fn some_of(paths: &[String], count: usize) -> String {
    let mut shown: Vec<String> =
        paths.iter().take(NAMED).map(|path| clada_protocol::visible_line(path).into_owned()).collect();
    if count > shown.len() {
        shown.push(format!("{} more", count - shown.len()));
    }
    shown.join(", ")
}
