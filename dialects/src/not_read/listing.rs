//! Listings that name a file, where `whole_file` is not looked for.

use crate::cursor::{Cursor, Line};
use crate::elision::{Elision, elision};
use crate::file_name::{extension_of, is_listed, is_program_output};
use crate::not_read::shell;
use crate::not_read::{Candidate, NotReadKind, Wants};
use crate::whole_file::Opening;

/// Takes in `line`, which stands in no fence and which `after` stands behind; the next block begins at byte `limit`.
pub(super) fn line(
    line: &Line<'_>,
    after: &Cursor<'_>,
    limit: usize,
    text: &str,
    found: &mut Vec<Candidate>,
) {
    if !is_near_fence(line, after) {
        return;
    }
    let Some(opening) = Opening::read(line, after) else { return };
    let path = opening.path.value.as_ref();
    let (start, number) = opening.content;
    // A name above the fence was told of when its line came.
    if opening.line.start == line.start && found.last().is_some_and(|last| is_told(last, line.number)) {
        return;
    }
    let mut ahead = Cursor::at(text, start, number, after.breaks);
    let mut elided = false;
    let end = loop {
        let Some(next) = ahead.next_line() else { break text.len() };
        if opening.fence.closes_at(next.text) {
            break next.start;
        }
        if next.start >= limit {
            return;
        }
        elided |= matches!(elision(next.text), Some(Elision::Marked | Elision::CommentedDots));
    };
    let shell = shell::is_label(&opening.language.to_ascii_lowercase()) && !crate::file_name::is_script(path);
    if shell || start >= end || extension_of(path).is_none() || text[start..end].trim().is_empty() {
        return;
    }
    let kind = if elided { NotReadKind::ElidedListing } else { NotReadKind::Listing };
    let hint = if elided {
        "A listing with lines left out is no edit: give the lines that change as a block".to_owned()
    } else {
        "A listing is no edit: if the whole file is meant, apply it with `--dialect whole_file`, else give a block".to_owned()
    };
    // What a program writes is shown under a name as well, and a sentence may end like a name.
    let wants = if is_listed(path) && !is_program_output(path) { Wants::Room } else { Wants::Existing };
    found.push(Candidate {
        kind,
        line: line.number,
        path: Some(path.to_owned()),
        wants,
        shows: Some(start..end),
        hint,
    });
}

/// Whether `last` is a listing whose fence stands in line `number`.
fn is_told(last: &Candidate, number: u32) -> bool {
    last.shows.is_some() && last.line < number && number - last.line <= 2
}

/// Whether `line` is a fence, or has one below it or below a blank line: what is cheap to know.
fn is_near_fence(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    let is_fence = |text: &str| text.trim_start().starts_with(['`', '~']);
    if is_fence(line.text) {
        return true;
    }
    let mut ahead = after.clone();
    match ahead.next_line() {
        Some(next) if next.text.trim_ascii().is_empty() => {
            ahead.next_line().is_some_and(|next| is_fence(next.text))
        }
        next => next.is_some_and(|next| is_fence(next.text)),
    }
}
