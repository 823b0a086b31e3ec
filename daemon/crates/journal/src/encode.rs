//! Values as the record keeps them besides its columns.

use serde::Serialize;

/// `value` as JSON. An empty record is never written in its place.
///
/// # Panics
/// If it has keys that are no text, or says itself that it cannot be written; nothing that is kept is like that. The
/// request fails then, before anything is changed or with the transaction that it was for.
pub fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("what is kept has text for keys, and bytes for paths that are no text")
}
