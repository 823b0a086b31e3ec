//! Tracks which operations hold: one that is undone does not, until its undo is undone itself.

use rusqlite::{OptionalExtension, Transaction, params};

/// Records that `by` has undone `undone`. The operation that `undone` had undone holds again, and so on: of a
/// chain of undos every second one holds.
pub(super) fn by(transaction: &Transaction<'_>, undone: &str, by: &str) -> rusqlite::Result<()> {
    let mut set = transaction.prepare_cached("UPDATE operations SET undone_by = ?2 WHERE id = ?1")?;
    // An operation is undone by a later one only; anything else would not come to an end.
    let mut get = transaction.prepare_cached(
        "SELECT undone.id FROM operations AS this JOIN operations AS undone ON undone.id = this.undoes \
         WHERE this.id = ?1 AND undone.seq < this.seq",
    )?;
    let mut next = Some((undone.to_owned(), Some(by.to_owned())));
    while let Some((id, by)) = next {
        set.execute(params![id, by])?;
        let earlier: Option<String> = get.query_row([&id], |row| row.get(0)).optional()?;
        next = earlier.map(|undoes| (undoes, if by.is_some() { None } else { Some(id) }));
    }
    Ok(())
}
