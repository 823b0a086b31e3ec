//! Which operations stand: one that is taken back does not, until what took it back is taken back itself.

use rusqlite::{OptionalExtension, Transaction, params};

/// Notes that `by` has taken back `undone`. What `undone` had taken back stands again, and so on: of a chain of
/// undos every second one stands.
pub(super) fn by(transaction: &Transaction<'_>, undone: &str, by: &str) -> rusqlite::Result<()> {
    let mut set = transaction.prepare_cached("UPDATE operations SET undone_by = ?2 WHERE id = ?1")?;
    let mut get = transaction.prepare_cached("SELECT undoes FROM operations WHERE id = ?1")?;
    let mut next = Some((undone.to_owned(), Some(by.to_owned())));
    while let Some((id, by)) = next {
        set.execute(params![id, by])?;
        let undoes: Option<Option<String>> = get.query_row([&id], |row| row.get(0)).optional()?;
        // An operation is taken back by a later one only; anything else would not come to an end.
        let earlier = undoes.flatten().filter(|undoes| *undoes < id);
        next = earlier.map(|undoes| (undoes, if by.is_some() { None } else { Some(id) }));
    }
    Ok(())
}
