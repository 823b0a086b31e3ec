//! One hunk while its lines are read: its header, and the lines that are still due.
//!
//! For the dialects that write hunks, and names of the sides of a diff. Knows nothing of files and of the end of a diff.

use std::borrow::Cow;

use clada_schema::{HunkLine, RawHunk};

/// A line of a hunk, whose text is a part of the answer.
pub(crate) type Signed<'a> = HunkLine<Cow<'a, str>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    pub(crate) old: u32,
    pub(crate) new: u32,
}

#[derive(Debug, Default)]
pub(crate) struct OpenHunk<'a> {
    hunk: RawHunk<'a>,
    /// The lines that are due, if the header gives counts.
    due: Option<Due>,
    numbered: bool,
    /// True if more lines came than were announced.
    is_long: bool,
    /// True if the last old and the last new line have no line end.
    old_is_bare: bool,
    new_is_bare: bool,
    unsigned: Vec<usize>,
}

struct Numbers {
    start: u32,
    due: Due,
}

impl<'a> OpenHunk<'a> {
    pub(crate) fn new(header: &str) -> OpenHunk<'a> {
        let rest = header.trim_start_matches('@').trim();
        let (place, section) = rest.split_once("@@").unwrap_or((rest, ""));
        let mut hunk = OpenHunk::default();
        let scope = match numbers(place.trim()) {
            Some(Numbers { start, due }) => {
                hunk.numbered = true;
                hunk.hunk.line_hint = Some(start);
                hunk.due = Some(due);
                section.trim()
            }
            None if is_placeholder(place) => section.trim(),
            None => place.trim(),
        };
        if !scope.is_empty() {
            hunk.hunk.scopes.push(scope.to_owned());
        }
        hunk
    }

    #[inline]
    pub(crate) fn push(&mut self, line: Signed<'a>) {
        let (old, new) = match &line {
            HunkLine::Context(_) => (1, 1),
            HunkLine::Removed(_) => (1, 0),
            HunkLine::Added(_) => (0, 1),
        };
        if let Some(due) = &mut self.due {
            self.is_long |= due.old < old || due.new < new;
            due.old = due.old.saturating_sub(old);
            due.new = due.new.saturating_sub(new);
        }
        (self.old_is_bare, self.new_is_bare) = (self.old_is_bare && old == 0, self.new_is_bare && new == 0);
        self.hunk.lines.push(line);
    }

    pub(crate) fn push_blank(&mut self) {
        self.unsigned.push(self.hunk.lines.len());
        self.push(HunkLine::Context(Cow::Borrowed("")));
    }

    pub(crate) fn no_newline(&mut self) {
        match self.hunk.lines.last() {
            Some(HunkLine::Context(_)) => (self.old_is_bare, self.new_is_bare) = (true, true),
            Some(HunkLine::Removed(_)) => self.old_is_bare = true,
            Some(HunkLine::Added(_)) => self.new_is_bare = true,
            None => {}
        }
    }

    /// Returns the lines that are still due; `None` if the header has no counts.
    pub(crate) fn due(&self) -> Option<Due> {
        self.due
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.due == Some(Due { old: 0, new: 0 })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hunk.lines.is_empty()
    }

    pub(crate) fn changes(&self) -> bool {
        self.hunk.lines.iter().any(|line| !matches!(line, HunkLine::Context(_)))
    }

    /// Returns its lines without blank ones at its end that have no meaning.
    pub(crate) fn lines(&self) -> &[Signed<'a>] {
        let lines = &self.hunk.lines;
        let unsigned = self.unsigned.iter().rev().zip((0..lines.len()).rev());
        &lines[..lines.len() - unsigned.take_while(|(blank, at)| *blank == at).count()]
    }

    pub(crate) fn end_of_file(&mut self) {
        self.hunk.at_end_of_file = true;
    }

    pub(crate) fn narrow(&mut self, header: &str) {
        let mut inner = OpenHunk::new(header);
        let mut scopes = std::mem::take(&mut self.hunk.scopes);
        scopes.append(&mut inner.hunk.scopes);
        inner.hunk.scopes = scopes;
        inner.hunk.line_hint = inner.hunk.line_hint.or(self.hunk.line_hint);
        inner.numbered |= self.numbered;
        *self = inner;
    }

    /// Blank lines without a sign are no context where there is no other: between new lines they are new,
    /// around them nothing.
    fn settle_blanks(&mut self) {
        let length = self.lines().len();
        let lines = &mut self.hunk.lines;
        let mut unsigned = self.unsigned.iter().peekable();
        let adds = lines.iter().enumerate().all(|(at, line)| {
            matches!(line, HunkLine::Added(_)) || unsigned.next_if(|blank| **blank == at).is_some()
        });
        if !adds {
            return;
        }
        lines.truncate(length);
        for blank in self.unsigned.iter().filter(|blank| **blank < length) {
            lines[*blank] = HunkLine::Added(Cow::Borrowed(""));
        }
        let first = (0..length).take_while(|at| self.unsigned.get(*at) == Some(at)).count();
        lines.drain(..first);
    }

    pub(crate) fn finish(mut self) -> RawHunk<'a> {
        self.settle_blanks();
        let final_newline = match (self.old_is_bare, self.new_is_bare) {
            (_, true) => Some(false),
            (true, false) => Some(true),
            (false, false) => None,
        };
        let is_counted = self.numbered && self.due == Some(Due { old: 0, new: 0 }) && !self.is_long;
        let mut hunk = RawHunk { final_newline, is_counted, ..self.hunk };
        // With a number, the section names the scope of lines far above, not the line that the new ones
        // follow.
        if self.numbered && hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_))) {
            hunk.scopes.clear();
        }
        hunk
    }
}

/// The text of all lines of `hunks`, each with an LF but for the last one of the new file if that has none.
pub(crate) fn text_of(hunks: &[OpenHunk<'_>]) -> String {
    let lines = || hunks.iter().flat_map(OpenHunk::lines).map(|line| line.text());
    let mut text = String::with_capacity(lines().map(|line| line.len() + 1).sum());
    for line in lines() {
        text.push_str(line);
        text.push('\n');
    }
    if hunks.last().is_some_and(|hunk| hunk.new_is_bare) {
        text.pop();
    }
    text
}

#[inline]
pub(crate) fn signed(text: &str) -> Option<Signed<'_>> {
    let rest = Cow::Borrowed(text.get(1..)?);
    match text.as_bytes()[0] {
        b' ' => Some(HunkLine::Context(rest)),
        b'-' => Some(HunkLine::Removed(rest)),
        b'+' => Some(HunkLine::Added(rest)),
        _ => None,
    }
}

pub(crate) fn says_no_newline(text: &str) -> bool {
    const WORDS: &[u8] = b"no newline";
    if text.as_bytes().first() != Some(&b'\\') {
        return false;
    }
    let rest = text.strip_prefix('\\').map(|rest| rest.trim_start().as_bytes());
    rest.and_then(|rest| rest.get(..WORDS.len())).is_some_and(|words| words.eq_ignore_ascii_case(WORDS))
}

pub(crate) fn adds_or_is_blank(line: &Signed<'_>) -> bool {
    match line {
        HunkLine::Added(_) => true,
        HunkLine::Context(text) => text.is_empty(),
        HunkLine::Removed(_) => false,
    }
}

/// Returns true if `place` takes the place of numbers that are left out.
fn is_placeholder(place: &str) -> bool {
    let only =
        |signs: &str| place.chars().all(|character| character.is_ascii_digit() || signs.contains(character));
    only(".… ")
        || place.trim().starts_with('-') && only("-+, ") && place.contains(|sign: char| sign.is_ascii_digit())
}

fn numbers(place: &str) -> Option<Numbers> {
    let (old, new) = place.strip_prefix('-')?.split_once(' ')?;
    let ((start, old), (_, new)) = (range(old)?, range(new.trim_start().strip_prefix('+')?)?);
    Some(Numbers { start, due: Due { old, new } })
}

/// Reads `START,COUNT`, where the count may be left out for 1.
fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

const NEW_SIDE: &[&str] = &["new", "modified", "updated", "after", "changed", "fixed", "b"];

// Returns true if `old` and `new` only call the two sides of a diff: "original" and "modified".
pub(crate) fn are_sides(old: &str, new: &str) -> bool {
    const OLD: &[&str] = &["old", "original", "orig", "before", "current", "previous", "a"];
    OLD.contains(&&*old.trim().to_ascii_lowercase()) && is_side(new)
}

// Returns true if `new` only calls the new side of a diff.
pub(crate) fn is_side(new: &str) -> bool {
    NEW_SIDE.contains(&&*new.trim().to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_right_if_they_are_those_of_all_lines() {
        let read = |header: &str, lines: &str| {
            let mut hunk = OpenHunk::new(header);
            lines.lines().for_each(|line| hunk.push(signed(line).unwrap()));
            hunk.finish().is_counted
        };
        assert!(read("@@ -3,2 +3,2 @@", " a\n-b\n+c\n") && read("@@ -0,0 +1 @@", "+a\n"));
        for header in
            ["@@ -3,1 +3,2 @@", "@@ -3,3 +3,2 @@", "@@ -3,2 +3,1 @@", "@@ -3 +3 @@", "@@ ... @@", "@@"]
        {
            assert!(!read(header, " a\n-b\n+c\n"), "{header}");
        }
    }

    #[test]
    fn headers_say_where_and_how_much() {
        let read = |text: &str| {
            let hunk = OpenHunk::new(text);
            let due = hunk.due.map(|due| (due.old, due.new));
            (hunk.hunk.line_hint, due, hunk.hunk.scopes.join("|"))
        };
        assert_eq!(read("@@ -3,2 +4 @@ fn a() {"), (Some(3), Some((2, 1)), "fn a() {".into()));
        assert_eq!(read("@@ -0,0 +1,2 @@"), (Some(0), Some((0, 2)), String::new()));
        assert_eq!(read("@@ ... @@ x"), (None, None, "x".into()));
        for text in ["@@", "@@ ... @@", "@@ @@", "@@ …", "@@ -1,2 @@"] {
            assert_eq!(read(text), (None, None, String::new()), "{text}");
        }
        assert_eq!(read("@@ def f(): @@"), (None, None, "def f():".into()));
        assert_eq!(read("@@ class A"), (None, None, "class A".into()));
        assert_eq!(read("@@ -99999999999,2 +1 @@").1, None);
    }
}
