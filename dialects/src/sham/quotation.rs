//! The text that a faulty heredoc or a faulty header quotes, so that no marker in it is taken for one.
//!
//! A heredoc whose opener is wrong is not a heredoc, and its lines are read like any others; but its writer
//! meant them as content, and a block among them must not run.

use super::assignment::{self, Value};
use super::marker::{self, is_header};
use crate::Code;
use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings, opening};
use crate::region::Openings;

/// The byte after the line that `delimiter`, or a right delimiter of the block `id`, was meant to name.
///
/// `after` is after the opener. `None` if there is no such line, so that the extent of the quotation is
/// unknown; the text's end if more was read ahead in this pass than its bounds allow.
pub(super) fn end(
    delimiter: &str,
    id: &str,
    after: &Cursor<'_>,
    findings: &mut Findings<'_>,
) -> Option<usize> {
    let mut ahead = after.clone();
    while let Some(line) = ahead.next_line() {
        let word = line.text.trim();
        let word = word.strip_suffix('\'').unwrap_or(word);
        if !word.is_empty() && (word == delimiter || marker::is_delimiter(word, id)) {
            return Some(ahead.position());
        }
        if findings.has_read_too_far(&line) {
            return Some(after.text().len());
        }
    }
    None
}

/// Moves `cursor`, which is after the faulty header `header`, past the heredocs of its intended block. All
/// other lines of that are text like any outside blocks.
pub(super) fn pass_over_heredocs<'a>(
    header: &Line<'a>,
    cursor: &mut Cursor<'a>,
    findings: &mut Findings<'a>,
) {
    let mut ahead = cursor.clone();
    while let Some(line) = ahead.next_line() {
        let parts = match assignment::find(line.text) {
            Some(parts) if !is_header(line.text) => parts,
            None if line.text.trim().is_empty() => continue,
            _ => break,
        };
        let (Value::Heredoc(delimiter, _) | Value::Other(Some(delimiter))) = parts.value else { continue };
        let Some(end) = end(delimiter, "", &ahead, findings) else { break };
        let mut seen = Openings::default();
        while ahead.position() < end {
            let Some(quoted) = ahead.next_line() else { break };
            if opening(&quoted, &ahead, findings).is_some() {
                seen.add(quoted.number);
            }
        }
        *cursor = ahead.clone();
        if !seen.is_empty() {
            let what = format!("a heredoc after the faulty header in line {}", header.number);
            let message = seen.message(line.number, cursor.lines_passed(), &what);
            findings.report(&line, line.whole(), Fault::warning(Code::SkippedRegion, message, None));
        }
    }
}
