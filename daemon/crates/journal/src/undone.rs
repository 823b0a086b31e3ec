//! Tracks which operations hold: one that is undone does not, until its undo is undone itself.

use rusqlite::{OptionalExtension, Transaction, params};

/// Records that `by` has undone `undone`. The operation that `undone` had undone holds again, and so on: of a
/// chain of undos every second one holds.
pub(super) fn by(transaction: &Transaction<'_>, undone: &str, by: &str) -> rusqlite::Result<()> {
    let mut set = transaction.prepare_cached("UPDATE operations SET undone_by = ?2 WHERE id = ?1")?;
    let mut get = transaction.prepare_cached("SELECT undoes FROM operations WHERE id = ?1")?;
    let mut next = Some((undone.to_owned(), Some(by.to_owned())));
    while let Some((id, by)) = next {
        set.execute(params![id, by])?;
        let undoes: Option<Option<String>> = get.query_row([&id], |row| row.get(0)).optional()?;
        // An operation is undone by a later one only; anything else would not come to an end.
        let earlier = undoes.flatten().filter(|undoes| *undoes < id);
        next = earlier.map(|undoes| (undoes, if by.is_some() { None } else { Some(id) }));
    }
    Ok(())
}
