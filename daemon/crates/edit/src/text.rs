//! Decodes a file's bytes as text: byte order mark, UTF-8, line ends, final newline.
//!
//! It must not know where the bytes come from. Bytes that are not text are refused here, once, so that no
//! later code gets NUL or invalid UTF-8.

use memchr::{memchr, memchr_iter};

use super::LineEnds;

const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

/// The text of a file. A UTF-8 byte order mark is stripped, and is in every result again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text<'a> {
    bom: bool,
    body: &'a str,
    ends: LineEnds,
}

/// The reason why bytes are not text. The message continues with the file's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// It starts with the byte order mark of an encoding other than UTF-8.
    #[error("not UTF-8 text: byte order mark of {encoding} in")]
    Encoding {
        /// `UTF-16LE`, `UTF-16BE`, `UTF-32LE` or `UTF-32BE`.
        encoding: &'static str,
    },
    /// It holds a NUL.
    #[error("not text: NUL at byte {offset}, line {line}, in")]
    Nul {
        /// The offset of the first NUL, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
    },
    /// It is not valid UTF-8.
    #[error("not UTF-8 text: invalid byte {byte:#04x} at byte {offset}, line {line}, in")]
    Invalid {
        /// The offset of the first byte that is wrong, from 0.
        offset: usize,
        /// Its line, from 1.
        line: usize,
        /// The byte.
        byte: u8,
    },
}

impl<'a> Text<'a> {
    /// Reads `bytes` as text.
    ///
    /// # Errors
    /// [`NotText`] for a byte order mark of UTF-16 or UTF-32, a NUL or invalid UTF-8, whichever comes first.
    pub fn decode(bytes: &'a [u8]) -> Result<Text<'a>, NotText> {
        if let Some(encoding) = foreign_bom(bytes) {
            return Err(NotText::Encoding { encoding });
        }
        let (bom, rest) = match bytes.strip_prefix(UTF8_BOM) {
            Some(rest) => (true, rest),
            None => (false, bytes),
        };
        let skipped = bytes.len() - rest.len();
        let nul = memchr(0, rest);
        let valid = std::str::from_utf8(rest).map_err(|error| error.valid_up_to());
        match (valid, nul) {
            (Ok(body), None) => Ok(Text { bom, body, ends: LineEnds::detect(body) }),
            (Err(wrong), nul) if nul.is_none_or(|nul| wrong < nul) => {
                let byte = rest.get(wrong).copied().unwrap_or_default();
                Err(NotText::Invalid { offset: skipped + wrong, line: line_of(rest, wrong), byte })
            }
            (_, nul) => {
                let at = nul.unwrap_or_default();
                Err(NotText::Nul { offset: skipped + at, line: line_of(rest, at) })
            }
        }
    }

    /// The text, without byte order mark.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.body
    }

    /// True if the file starts with a byte order mark.
    #[must_use]
    #[cfg(test)]
    pub(crate) fn has_bom(&self) -> bool {
        self.bom
    }

    /// Returns the line ends that the file uses.
    #[must_use]
    pub fn line_ends(&self) -> LineEnds {
        self.ends
    }

    #[must_use]
    pub(crate) fn has_final_newline(&self) -> bool {
        // An empty file has no last line.
        match self.ends {
            LineEnds::Cr => self.body.ends_with('\r'),
            _ => self.body.ends_with('\n'),
        }
    }

    /// Returns the number of lines, a last one without a line end included.
    #[must_use]
    pub fn line_count(&self) -> usize {
        let end = if self.ends == LineEnds::Cr { b'\r' } else { b'\n' };
        let open = !self.body.is_empty() && !self.has_final_newline();
        memchr_iter(end, self.body.as_bytes()).count() + usize::from(open)
    }

    pub(super) fn bom_len(&self) -> usize {
        if self.bom { UTF8_BOM.len() } else { 0 }
    }

    pub(super) fn encode(&self, body: String) -> Vec<u8> {
        if self.bom { [UTF8_BOM, body.as_bytes()].concat() } else { body.into_bytes() }
    }
}

fn foreign_bom(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] => Some("UTF-32LE"),
        [0, 0, 0xFE, 0xFF, ..] => Some("UTF-32BE"),
        [0xFF, 0xFE, ..] => Some("UTF-16LE"),
        [0xFE, 0xFF, ..] => Some("UTF-16BE"),
        _ => None,
    }
}

fn line_of(bytes: &[u8], offset: usize) -> usize {
    1 + memchr_iter(b'\n', &bytes[..offset]).count()
}
