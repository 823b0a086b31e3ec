//! Encodes the values that the journal keeps besides its columns.

use std::io::{BufWriter, Read};
use std::path::Path;

use clada_store::StoreError;
use serde::Serialize;

/// The compression level of contents: fast, since a caller waits for it.
pub(super) const LEVEL: i32 = 1;
/// The largest content that a store may name. Another program can have made the store, where it lies in a
/// project.
const LARGEST: usize = 1 << 30;

/// A value as compressed JSON. It is made without the plain text in between, which can be as long as an
/// answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compressed(pub(crate) Vec<u8>);

impl Compressed {
    /// Compresses `value`.
    ///
    /// # Panics
    /// As [`json`].
    #[must_use]
    #[expect(clippy::expect_used, reason = "an empty value must never be written in its place")]
    pub fn json<T: Serialize>(value: &T) -> Compressed {
        let write = || {
            let mut packed = BufWriter::new(zstd::Encoder::new(Vec::new(), LEVEL)?);
            serde_json::to_writer(&mut packed, value)?;
            packed.into_inner().map_err(std::io::IntoInnerError::into_error)?.finish()
        };
        // Memory is the only medium that this writes to.
        Compressed(write().expect("what is kept has text for keys, and bytes for paths that are no text"))
    }

    /// Returns the JSON.
    ///
    /// # Errors
    /// If the store at `path`, which it comes from, holds something else.
    pub fn plain(&self, path: &Path) -> Result<Vec<u8>, StoreError> {
        let mut plain = Vec::new();
        let read = zstd::Decoder::new(&*self.0)
            .and_then(|decoder| decoder.take(LARGEST as u64).read_to_end(&mut plain));
        read.map_err(|error| StoreError::nonsense(path, error.to_string()))?;
        Ok(plain)
    }
}

/// Returns `value` as JSON. An empty value is never written in its place.
///
/// # Panics
/// If `value` has keys that are not text, or its serializer fails; nothing that is kept is like that. The
/// request then fails before anything is changed, or with the transaction that it was for.
#[expect(clippy::expect_used, reason = "an empty value must never be written in its place")]
pub fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("what is kept has text for keys, and bytes for paths that are no text")
}

pub(super) fn pack(bytes: &[u8], path: &Path) -> Result<Vec<u8>, StoreError> {
    zstd::bulk::compress(bytes, LEVEL).map_err(|error| StoreError::io(&error, path))
}

pub(super) fn unpack(packed: &[u8], size: usize, path: &Path) -> Result<Vec<u8>, StoreError> {
    if size > LARGEST {
        return Err(StoreError::nonsense(path, "a content in it is larger than any that is kept"));
    }
    zstd::bulk::decompress(packed, size).map_err(|error| StoreError::nonsense(path, error.to_string()))
}
