//! A text with its lines numbered: `file_read_numbered`.
//!
//! It must not know what the numbers are for; they are those that `file_replace_lines` takes.

use super::eol::split_lines;
use super::{EditError, LineRange, Text};

/// The lines `given` of `text` (all, if none are), each as `{number}{delimiter}{line}`, numbers not padded.
///
/// Every line keeps its own end, so what stands after the delimiters is the file, byte by byte.
///
/// # Errors
/// Those of [`LineRange::parse`]; [`EditError::TooLarge`] if the result would have more than `max_bytes`.
pub fn numbered(
    text: &Text<'_>,
    given: Option<&str>,
    delimiter: &str,
    max_bytes: usize,
) -> Result<String, EditError> {
    let range = given.map(|given| LineRange::parse(given, text.line_count())).transpose()?;
    let (first, count) = range.map_or((1, usize::MAX), |range| (range.first, range.count()));
    let mut out = String::new();
    for (line, number) in split_lines(text.as_str()).skip(first - 1).take(count).zip(first..) {
        let number = number.to_string();
        let size = out.len() + number.len() + delimiter.len() + line.body.len() + line.end.len();
        if size > max_bytes {
            return Err(EditError::TooLarge { size: size as u64, limit: max_bytes as u64 });
        }
        out.extend([number.as_str(), delimiter, line.body, line.end]);
    }
    Ok(out)
}
