//! Lines by their numbers: replacing them (`file_replace_lines`), and showing a text with them (`file_read_numbered`).
//!
//! It must not know where the numbers come from; they are text that a model wrote.

use super::eol::split_lines;
use super::splice::check_size;
use super::{EditError, Edited, Text, TextLine};

/// A range of lines, 1-based and inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineRange {
    /// The first line, at least 1.
    pub first: usize,
    /// The last line, at least `first`.
    pub last: usize,
}

impl LineRange {
    /// Reads `"4"` or `"23-43"`, blanks around the numbers allowed, for a file of `count` lines.
    ///
    /// # Errors
    /// [`EditError::BadLines`] for anything else, for zero and for a last line before the first;
    /// [`EditError::PastEnd`] for a line that is not there.
    pub fn parse(argument: &str, count: usize) -> Result<LineRange, EditError> {
        let bad = |reason: String| EditError::BadLines { reason, count };
        let (first, last) = argument.split_once('-').unwrap_or((argument, argument));
        let (first, last) = (first.trim(), last.trim());
        let number = |written: &str| -> Result<usize, EditError> {
            if written.is_empty() || !written.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(bad(format!("'{}' is not a line or range of lines", excerpt(argument))));
            }
            written.parse().map_err(|_| bad(format!("'{}' is too large", excerpt(argument))))
        };
        let (first, last) = (number(first)?, number(last)?);
        if first == 0 || last == 0 {
            return Err(bad("there is no line 0".to_owned()));
        }
        if last < first {
            return Err(bad(format!("range {first}-{last} ends before it starts")));
        }
        if last > count {
            return Err(EditError::PastEnd { line: if first > count { first } else { last }, count });
        }
        Ok(LineRange { first, last })
    }

    #[must_use]
    pub(crate) fn count(self) -> usize {
        self.last.saturating_sub(self.first) + 1
    }
}

fn excerpt(argument: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown: String = argument.chars().take(SHOWN).collect();
    if shown.len() < argument.len() {
        shown.push('…');
    }
    shown
}

/// Replaces the lines `argument` by the lines of `new_content`; [`Edited::replacements`] is the number of lines
/// replaced.
///
/// A final newline in `new_content` ends its last line and starts no further one; `"\n"` is one empty line,
/// and an empty `new_content` has no lines: it deletes. Each new line ends as the line that it replaces,
/// further ones as the last replaced line that has an end, else as the line above, else as it does in
/// `new_content`. The file ends with a newline if it did before, or if its last line is empty and would not
/// be there without one.
///
/// # Errors
/// Those of [`LineRange::parse`], and [`EditError::TooLarge`] if the result would have more than `max_bytes`.
pub fn replace_lines(
    text: &Text<'_>,
    argument: &str,
    new_content: &str,
    max_bytes: usize,
) -> Result<Edited, EditError> {
    let range = LineRange::parse(argument, text.line_count())?;
    let all = text.as_str();
    let mut lines = split_lines(all).skip(range.first.saturating_sub(2));
    let above = if range.first > 1 { lines.next() } else { None };
    let replaced: Vec<TextLine<'_>> = lines.take(range.count()).collect();
    let start = replaced.first().map_or(all.len(), |line| line.start);
    let stop = replaced.last().map_or(all.len(), TextLine::stop);

    let middle = ended(above.as_ref(), &replaced, new_content);
    let mut head = &all[..start];
    if let Some(line) = above.filter(|line| !line.body.is_empty())
        && stop == all.len()
        && !text.has_final_newline()
        && middle.is_empty()
    {
        head = &all[..line.start + line.body.len()];
    }
    let tail = &all[stop..];
    check_size((text.bom_len() + head.len() + middle.len() + tail.len()) as u64, max_bytes)?;
    Ok(Edited::new(text, [head, &middle, tail].concat(), range.count()))
}

fn ended(above: Option<&TextLine<'_>>, replaced: &[TextLine<'_>], new_content: &str) -> String {
    let fallback = replaced.iter().rev().chain(above).map(|line| line.end).find(|end| !end.is_empty());
    let terminated = replaced.last().is_some_and(|line| !line.end.is_empty());
    let mut out = String::with_capacity(new_content.len() + 2);
    let mut replaced = replaced.iter().map(|line| line.end).filter(|end| !end.is_empty());
    let mut own = split_lines(new_content).peekable();
    while let Some(line) = own.next() {
        out.push_str(line.body);
        if own.peek().is_some() || terminated || line.body.is_empty() {
            let written = if line.end.is_empty() { "\n" } else { line.end };
            out.push_str(replaced.next().or(fallback).unwrap_or(written));
        }
    }
    out
}

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
