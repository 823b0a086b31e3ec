//! A text with its lines numbered: `file_read_numbered`.
//!
//! It must not know what the numbers are for; they are those that `file_replace_lines` takes.

use super::eol::split_lines;
use super::{EditError, LineRange, Text};

/// Returns the lines `written` of `text` (all, if none are), each as `{number}{delimiter}{line}`, numbers
/// padded to the widest; of a range that ends behind the last line, those that are there.
///
/// Every line but the last keeps its own end, so the text after the delimiters is the file, byte by byte.
///
/// # Errors
/// Those of [`LineRange::parse`], but for lines that are not there; [`EditError::TooLarge`] if the result
/// would have more than `max_bytes`.
pub fn numbered(
    text: &Text<'_>,
    written: Option<&str>,
    delimiter: &str,
    max_bytes: usize,
) -> Result<String, EditError> {
    let there = text.line_count();
    // The numbers of a range that is not there say what they are all the same.
    let parse = |written| LineRange::parse(written, usize::MAX).or_else(|_| LineRange::parse(written, there));
    let range = written.map(parse).transpose()?;
    let (first, last) = range.map_or((1, there), |range| (range.first, range.last.min(there)));
    let width = last.to_string().len();
    let mut out = String::new();
    for (line, number) in split_lines(text.as_str()).skip(first - 1).zip(first..=last) {
        let end = if number == last { "" } else { line.end };
        let number = format!("{number:>width$}");
        let size = out.len() + number.len() + delimiter.len() + line.body.len() + end.len();
        if size > max_bytes {
            return Err(EditError::TooLarge { size: size as u64, limit: max_bytes as u64 });
        }
        out.extend([number.as_str(), delimiter, line.body, end]);
    }
    Ok(out)
}
