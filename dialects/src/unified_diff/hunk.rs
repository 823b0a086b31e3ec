//! One hunk while its lines are read: what its header says, and what of that is still to come.
//!
//! Knows nothing of files and of where a diff ends.

use clada_schema::{Hunk, HunkLine};

/// Lines that a hunk's header announces and that have not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Due {
    pub(super) old: u32,
    pub(super) new: u32,
}

/// A hunk and what is known of it besides its lines.
#[derive(Debug, Default)]
pub(super) struct OpenHunk {
    hunk: Hunk,
    /// What is due, if the header gives counts.
    due: Option<Due>,
    /// The header says that the old file has nothing.
    from_nothing: bool,
    numbered: bool,
    /// The last old and the last new line have no line end.
    old_is_bare: bool,
    new_is_bare: bool,
    /// Blank context lines since the last other one.
    trailing_blanks: usize,
}

/// What the numbers of a header say.
struct Numbers {
    start: u32,
    due: Due,
}

impl OpenHunk {
    /// The hunk that a line `@@ …` opens.
    pub(super) fn new(header: &str) -> OpenHunk {
        let rest = header.trim_start_matches('@').trim();
        let (place, section) = rest.split_once("@@").unwrap_or((rest, ""));
        let mut hunk = OpenHunk::default();
        let scope = match numbers(place.trim()) {
            Some(Numbers { start, due }) => {
                hunk.numbered = true;
                hunk.from_nothing = start == 0 && due.old == 0;
                hunk.hunk.line_hint = Some(start.max(1));
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

    /// Takes in a line by its sign.
    pub(super) fn push(&mut self, line: HunkLine) {
        let (old, new) = match &line {
            HunkLine::Context(_) => (1, 1),
            HunkLine::Removed(_) => (1, 0),
            HunkLine::Added(_) => (0, 1),
        };
        if let Some(due) = &mut self.due {
            due.old = due.old.saturating_sub(old);
            due.new = due.new.saturating_sub(new);
        }
        let blank = matches!(&line, HunkLine::Context(text) if text.is_empty());
        self.trailing_blanks = if blank { self.trailing_blanks + 1 } else { 0 };
        (self.old_is_bare, self.new_is_bare) = (self.old_is_bare && old == 0, self.new_is_bare && new == 0);
        self.hunk.lines.push(line);
    }

    /// Takes in `\ No newline at end of file`.
    pub(super) fn no_newline(&mut self) {
        match self.hunk.lines.last() {
            Some(HunkLine::Context(_)) => (self.old_is_bare, self.new_is_bare) = (true, true),
            Some(HunkLine::Removed(_)) => self.old_is_bare = true,
            Some(HunkLine::Added(_)) => self.new_is_bare = true,
            None => {}
        }
    }

    /// What is still due; `None` if the header does not say.
    pub(super) fn due(&self) -> Option<Due> {
        self.due
    }

    /// All that was announced has come.
    pub(super) fn is_complete(&self) -> bool {
        self.due == Some(Due { old: 0, new: 0 })
    }

    /// It has no line yet.
    pub(super) fn is_empty(&self) -> bool {
        self.hunk.lines.is_empty()
    }

    /// It adds or removes something.
    pub(super) fn changes(&self) -> bool {
        self.hunk.lines.iter().any(|line| !matches!(line, HunkLine::Context(_)))
    }

    /// It says that there is nothing in the old file, and adds lines.
    pub(super) fn creates(&self) -> bool {
        self.from_nothing && self.changes() && self.lines().iter().all(adds_or_is_blank)
    }

    /// Its lines without blank ones at its end that stand for nothing.
    pub(super) fn lines(&self) -> &[HunkLine] {
        &self.hunk.lines[..self.hunk.lines.len() - self.trailing_blanks]
    }

    /// The last line of the new file has no line end.
    pub(super) fn new_is_bare(&self) -> bool {
        self.new_is_bare
    }

    /// As it is to be looked for in the file.
    pub(super) fn finish(self) -> Hunk {
        let final_newline = match (self.old_is_bare, self.new_is_bare) {
            (_, true) => Some(false),
            (true, false) => Some(true),
            (false, false) => None,
        };
        let mut hunk = Hunk { final_newline, ..self.hunk };
        // With a number, the section names what the new lines are somewhere behind, not what they follow.
        if self.numbered && hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_))) {
            hunk.scopes.clear();
        }
        hunk
    }
}

/// An added line, or a blank one that lacks its sign.
pub(super) fn adds_or_is_blank(line: &HunkLine) -> bool {
    match line {
        HunkLine::Added(_) => true,
        HunkLine::Context(text) => text.is_empty(),
        HunkLine::Removed(_) => false,
    }
}

/// Whether `place` stands for numbers that are left out.
fn is_placeholder(place: &str) -> bool {
    place.chars().all(|character| matches!(character, '0'..='9' | '.' | '…' | ' ' | '-' | '+' | ','))
}

/// `-START,COUNT +START,COUNT`.
fn numbers(place: &str) -> Option<Numbers> {
    let (old, new) = place.strip_prefix('-')?.split_once(' ')?;
    let ((start, old), (_, new)) = (range(old)?, range(new.trim_start().strip_prefix('+')?)?);
    Some(Numbers { start, due: Due { old, new } })
}

/// `START,COUNT`, where the count may be left out for 1.
fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_say_where_and_how_much() {
        let read = |text: &str| {
            let hunk = OpenHunk::new(text);
            let due = hunk.due.map(|due| (due.old, due.new));
            (hunk.hunk.line_hint, due, hunk.hunk.scopes.join("|"))
        };
        assert_eq!(read("@@ -3,2 +4 @@ fn a() {"), (Some(3), Some((2, 1)), "fn a() {".into()));
        assert_eq!(read("@@ -0,0 +1,2 @@"), (Some(1), Some((0, 2)), String::new()));
        assert_eq!(read("@@ ... @@ x"), (None, None, "x".into()));
        for text in ["@@", "@@ ... @@", "@@ @@", "@@ -,+ @@", "@@ …", "@@ -1,2 @@"] {
            assert_eq!(read(text), (None, None, String::new()), "{text}");
        }
        assert_eq!(read("@@ def f(): @@"), (None, None, "def f():".into()));
        assert_eq!(read("@@ class A"), (None, None, "class A".into()));
        assert_eq!(read("@@ -99999999999,2 +1 @@").1, None);
    }
}
