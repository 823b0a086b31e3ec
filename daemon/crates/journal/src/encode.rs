//! Encodes the values that the journal keeps besides its columns.

use serde::Serialize;

/// Returns `value` as JSON. An empty value is never written in its place.
///
/// # Panics
/// If `value` has keys that are no text, or its serializer fails; nothing that is kept is like that. The
/// request then fails before anything is changed, or with the transaction that it was for.
pub fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("what is kept has text for keys, and bytes for paths that are no text")
}
