//! Appending to a text: `file_append`.
//!
//! It must not know whether the file is there: for a new file, the content is the file.

use super::eol::{lf_to_crlf, to_lf};
use super::splice::check_size;
use super::{EditError, Edited, LineEnds, Text};

/// Returns `text` with `content` after it. No newline is added; in a file whose line ends are all CRLF, the
/// content's LFs become CRLFs.
///
/// # Errors
/// [`EditError::TooLarge`] if the result would have more than `max_bytes`.
pub fn append(text: &Text<'_>, content: &str, max_bytes: usize) -> Result<Edited, EditError> {
    let crlf = (text.line_ends() == LineEnds::CrLf).then(|| lf_to_crlf(&to_lf(content)));
    let content = crlf.as_deref().unwrap_or(content);
    check_size((text.bom_len() + text.as_str().len() + content.len()) as u64, max_bytes)?;
    Ok(Edited::new(text, [text.as_str(), content].concat(), usize::from(!content.is_empty())))
}
