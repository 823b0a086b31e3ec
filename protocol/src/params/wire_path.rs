//! Paths as results carry them: text, and their bytes where they are not UTF-8.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

/// A path, or a name. Its bytes are kept if they are not UTF-8, so that a program can still use it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WirePath {
    text: String,
    bytes: Option<Vec<u8>>,
}

impl WirePath {
    /// Returns the path as it was sent: its text, and its bytes in base64. Bytes that are not base64 are left
    /// out.
    #[must_use]
    pub fn sent(text: String, bytes: Option<String>) -> WirePath {
        WirePath { text, bytes: bytes.and_then(|bytes| BASE64.decode(bytes).ok()) }
    }

    /// Returns its text, with U+FFFD for what is not UTF-8.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_deref().unwrap_or(self.text.as_bytes())
    }

    /// Returns its bytes in base64 if they are not UTF-8.
    #[must_use]
    pub fn encoded(&self) -> Option<String> {
        self.bytes.as_ref().map(|bytes| BASE64.encode(bytes))
    }
}

impl From<&OsStr> for WirePath {
    fn from(path: &OsStr) -> WirePath {
        let bytes = path.to_str().is_none().then(|| path.as_bytes().to_vec());
        WirePath { text: path.to_string_lossy().into_owned(), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_are_sent_and_read() {
        for (bytes, text, encoded) in
            [(&b"a\xffb"[..], "a\u{fffd}b", Some("Yf9i")), ("é".as_bytes(), "é", None)]
        {
            let path = WirePath::from(OsStr::from_bytes(bytes));
            assert_eq!((path.text(), path.encoded().as_deref()), (text, encoded));
            let sent = WirePath::sent(path.text().to_owned(), path.encoded());
            assert_eq!((sent.bytes(), &sent), (bytes, &path));
        }
        assert_eq!(WirePath::sent("a".to_owned(), Some("?".to_owned())).bytes(), b"a");
    }
}
