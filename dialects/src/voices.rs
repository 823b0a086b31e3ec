//! Other voices: parts of an answer that its author quotes, was sent, or only thought.
//!
//! One table, for blocks and for plain answers (spec: plain, section 2). Thinking in the tags of [`crate::region`]
//! and quotations with `>` are read where they always were. A voice begins at a line outside of fences; one whose
//! end is missing is none, except for a turn of the user, which then lasts to the end.

use std::ops::{ControlFlow, Range};

use memchr::memmem;

use crate::Code;
use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::findings::{Fault, Findings, opening};
use crate::plain;
use crate::region::Openings;
use crate::voice::{FIRST, PACK, TURN, VOICES, voice_at};
use crate::work;

/// The fewest marks of a fence around a quoted document that holds fences itself.
const LONG: usize = 4;
// Documents without an end, each of which has the rest of the text read, before none is looked for any more.
const MISSING: usize = 8;

const ABOVE: usize = 24;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Passed {
    Voice,
    /// The content of a fence that a file is named for: no block of the answer, but perhaps that file.
    Content,
}

/// Moves `cursor`, which is after `first`, past the voice that begins at `first`, if there is one. Warns if
/// something in it looks like the start of a block.
pub(crate) fn pass_over<'a>(
    first: &Line<'a>,
    cursor: &mut Cursor<'a>,
    findings: &mut Findings<'a>,
) -> Option<Passed> {
    if findings.fence.is_inside() {
        return None;
    }
    let text = first.text.trim_ascii_start();
    let (end, name, passed) = match text.as_bytes().first()? {
        b'`' | b'~' => (end_of_document(first, cursor, findings)?, "the content of a file", Passed::Content),
        begin if FIRST[usize::from(*begin)] => {
            let index = voice_at(text)?;
            let (name, end) = (VOICES[index].name, end_of(index, first, cursor, findings)?);
            // One line that is a comment names a file, and quotes nothing.
            if name == "a comment" && end <= first.end() {
                return None;
            }
            (end, name, Passed::Voice)
        }
        _ => return None,
    };
    let mut seen = Openings::default();
    while cursor.position() < end {
        let Some(line) = cursor.next_line() else { break };
        if opening(&line, cursor, findings).is_some() {
            seen.add(line.number);
        }
    }
    if !seen.is_empty() {
        let message = seen.message(first.number, cursor.lines_passed(), name);
        findings.report(first, first.whole(), Fault::warning(Code::SkippedRegion, message, None));
    }
    Some(passed)
}

/// The byte at which the voice `index` that begins at `first` ends.
fn end_of(index: usize, first: &Line<'_>, after: &Cursor<'_>, findings: &mut Findings<'_>) -> Option<usize> {
    let voice = &VOICES[index];
    let text = after.text();
    let from = first.end() - first.text.trim_ascii_start().len() + voice.open.len();
    let known = findings.voices.next[index].filter(|end| *end >= from);
    let next = known.unwrap_or_else(|| {
        let rest = &text.as_bytes()[from..];
        let close_at = voice.close.iter().filter_map(|close| memmem::find(rest, close.as_bytes())).min();
        work::count(close_at.unwrap_or(rest.len()));
        close_at.map_or(usize::MAX, |at| from + at)
    });
    findings.voices.next[index] = Some(next);
    match (next, voice.open) {
        (usize::MAX, TURN | PACK) => Some(text.len()),
        (usize::MAX, _) => None,
        // The next turn is not a part of it.
        (at, TURN) => Some(at + 1),
        // A line that only says whose turn it is says nothing.
        (at, _) => {
            let (line, _) = Breaks::Lf.first_line(text.get(at + 1..).unwrap_or_default());
            let is_name = voice.alone && voice.close.iter().any(|close| close.trim_start() == line.trim());
            Some(at + 1 + usize::from(is_name))
        }
    }
}

/// The byte behind the fence that opens at `first`, if it is one of Markdown below a line that names a file: its
/// content is shown, and what looks like an edit in it is a sample.
fn end_of_document(first: &Line<'_>, after: &Cursor<'_>, findings: &mut Findings<'_>) -> Option<usize> {
    let (fence, info) = Fence::read(first.text)?;
    if !matches!(info, "markdown" | "md" | "mdx") || findings.voices.missing == MISSING {
        return None;
    }
    let is_long = fence.length() >= LONG;
    let names = if is_long { plain::names_file } else { plain::names_document };
    let is_named = is_named(after.text(), first.start, names);
    if !(is_long || is_named && !begins_with_block(after, findings)) {
        return None;
    }
    let mut ahead = after.clone();
    // In a short one, fences with an info string nest.
    let mut depth = 0_usize;
    let closed = std::iter::from_fn(|| ahead.next_line()).try_for_each(|line| {
        let Some((_, info)) = Fence::read(line.text).filter(|(other, _)| other.closes(fence)) else {
            return ControlFlow::Continue(());
        };
        match (info.is_empty(), depth) {
            (true, 0) => return ControlFlow::Break(line.end()),
            (true, _) => depth -= 1,
            (false, _) => depth += usize::from(!is_long),
        }
        ControlFlow::Continue(())
    });
    let ControlFlow::Break(end) = closed else {
        findings.voices.missing += 1;
        return None;
    };
    (is_named || !is_around_answer(first.start..end, after.text(), findings)).then_some(end)
}

/// Returns true if the fence at `place` of `text` is around a whole answer: hardly anything stands outside of it.
fn is_around_answer(place: Range<usize>, text: &str, findings: &mut Findings<'_>) -> bool {
    // More never becomes less, so that what stands above is read a few times at most.
    let above = if findings.voices.much_above { None } else { plain::sentences(&text[..place.start]) };
    findings.voices.much_above = above.is_none();
    above
        .zip(plain::sentences(&text[place.end..]))
        .is_some_and(|(above, below)| above + below <= plain::OUTSIDE)
}

/// Returns true if one of the first two lines that are not blank begins a block: the fence is around that.
fn begins_with_block(after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    let mut ahead = after.clone();
    let mut lines = 0;
    while let Some(line) = ahead.next_line() {
        if opening(&line, &ahead, findings).is_some() {
            return true;
        }
        lines += usize::from(!line.text.trim().is_empty());
        if lines == 2 {
            break;
        }
    }
    false
}

/// What was claimed last.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PriorBlock {
    pub(crate) end: usize,
    pub(crate) passed: Option<&'static str>,
}

/// Returns what the lines of `text` behind `before` make of the block at `place`, if it is no block.
///
/// ````text
/// FIX = '''                                       in a string of code
/// commit 1234567890abcdef                        in a fence with what git prints of a commit
/// ````
pub(crate) fn around_block(text: &str, before: PriorBlock, place: &Range<usize>) -> Option<&'static str> {
    let mut above = Vec::new();
    let mut at = place.start;
    while at > before.end && above.len() < ABOVE {
        let (line, length) = Breaks::Lf.last_line(text.get(before.end..at)?);
        work::count(line.len());
        at = before.end + length;
        above.extend(Some(line).filter(|line| !line.trim().is_empty()));
    }
    let is_fence = |line: &&str| Fence::read(line).is_some();
    let is_name = |line: &&str| !line.trim().contains(' ') && plain::names_file(line);
    let nearest = above.iter().find(|line| !is_fence(line) && !is_name(line));
    if nearest.is_none() && before.passed.is_some() {
        return before.passed;
    }
    if nearest.is_some_and(|line| ends_in_open_string(line.trim())) {
        return Some("the value of a string");
    }
    let in_fence = above.iter().position(is_fence);
    let commit = above.iter().position(|line| is_first_line_of_commit(line));
    let is_log = commit.is_some_and(|commit| in_fence == Some(commit + 1))
        && above.iter().any(|line| line.starts_with("Author: "));
    is_log.then_some("a log of git")
}

fn ends_in_open_string(line: &str) -> bool {
    let triple = |mark: &str| line.ends_with(mark) && line.matches(mark).count() % 2 == 1;
    triple("'''") || triple("\"\"\"") || line.ends_with("= `") || line.ends_with("(`")
}

fn is_first_line_of_commit(line: &str) -> bool {
    let hash = line.strip_prefix("commit ").and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    hash.len() >= 7 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true if the line above byte `start` of `text`, blank ones left out, names a file.
fn is_named(text: &str, start: usize, names: fn(&str) -> bool) -> bool {
    let mut start = start;
    for _ in 0..3 {
        let (line, before) = Breaks::Lf.last_line(&text[..start]);
        if !line.trim().is_empty() {
            return names(line);
        }
        start = before;
    }
    false
}
