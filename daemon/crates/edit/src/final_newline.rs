//! The option `write.final_newline: ensure`.
//!
//! It must not know configuration: it is called if the option is set.

use std::borrow::Cow;

use super::LineEnds;

/// `content` with a line end after its last line: CRLF if all its line ends are, else LF.
///
/// Empty content has no last line and stays empty.
#[must_use]
pub fn ensure_final_newline(content: &str) -> Cow<'_, str> {
    if content.is_empty() || content.ends_with('\n') {
        return Cow::Borrowed(content);
    }
    let end = if LineEnds::detect(content) == LineEnds::CrLf { "\r\n" } else { "\n" };
    Cow::Owned([content, end].concat())
}
