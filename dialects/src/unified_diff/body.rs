//! The hunks of one file, and their end.
//!
//! Input is a cursor after the file's header. In a fence or a heredoc all lines are the diff's, down to its
//! end. In the open, prose may follow: there the counts of the hunk's header decide, and if they do not, the
//! look of the lines. No prose may become part of a change, and no change may be dropped in silence.

use clada_schema::HunkLine;

use super::content::FenceContent;
use super::header::{self, Start};
use super::sign;
use crate::Code;
use crate::around::{Around, Heredoc};
use crate::cursor::{Cursor, Line, may_begin};
use crate::fence::Fence;
use crate::findings::{Fault, Findings, LineFault, opening};
use crate::hunk::{Due, OpenHunk, says_no_newline, signed};

/// The number of lines that other programs may put between their own line before a header and the header.
const PRELUDE_LINES: usize = 3;

const MAX_SWALLOWED_NAMES: usize = 20;

pub(super) struct Body<'r, 'a> {
    cursor: &'r mut Cursor<'a>,
    findings: &'r Findings<'a>,
    indentation: &'a str,
    fence: Option<Fence>,
    heredoc: Option<Heredoc<'a>>,
    pub(super) hunks: Vec<OpenHunk<'a>>,
    pub(super) last: Line<'a>,
    pub(super) faults: Vec<LineFault<'a>>,
    /// True if the answer ended, and the lines that were to come may be missing.
    pub(super) truncated: bool,
    /// True if the answer ended within the fence, and no line of a hunk is missing.
    pub(super) unclosed: bool,
    /// True if the answer ended in the open, with one line less than the last hunk's counts announce.
    pub(super) miscounted: bool,
    /// Blank lines in the open that may belong to the hunk, if it goes on.
    blanks: usize,
    /// The byte up to which lines are known to belong to a hunk, because a change follows them.
    assured: usize,
    /// The byte up to which a fence that could close the diff's own is a line of a hunk.
    within: usize,
    inner: Option<Fence>,
    /// True if the lines are not the diff's until another header.
    skipping: bool,
    /// Lines that are almost the header of a file, where the hunk waits for none, and the names in them.
    pub(super) swallowed: Vec<(Line<'a>, String)>,
}

#[derive(Debug, PartialEq, Eq)]
enum Step {
    Taken,
    Ended,
}

impl<'r, 'a> Body<'r, 'a> {
    pub(super) fn new(
        cursor: &'r mut Cursor<'a>,
        findings: &'r Findings<'a>,
        around: &Around<'a>,
        indentation: &'a str,
        last: Line<'a>,
    ) -> Body<'r, 'a> {
        Body {
            cursor,
            findings,
            indentation,
            fence: around.fence(),
            heredoc: around.heredoc(),
            hunks: Vec::new(),
            last,
            faults: Vec::new(),
            truncated: false,
            unclosed: false,
            miscounted: false,
            blanks: 0,
            assured: 0,
            within: 0,
            inner: None,
            skipping: false,
            swallowed: Vec::new(),
        }
    }

    pub(super) fn read(&mut self) {
        while let Some(line) = self.cursor.next_line() {
            let text = line.dedented(self.indentation);
            match self.step(&line, text) {
                Step::Taken => {}
                Step::Ended => {
                    self.flush_due_blanks();
                    return self.cursor.return_to(&line);
                }
            }
        }
        self.flush_due_blanks();
        let enclosed = self.is_enclosed();
        // A line that was cut off would not match: one of the file is whole.
        let is_old = self.last.dedented(self.indentation).starts_with([' ', '-']);
        let whole = self.cursor.text().ends_with('\n') || is_old;
        let off_by_one = self.due().is_some_and(|due| due.old <= 1 && due.new <= 1) && !enclosed && whole;
        self.truncated = match self.hunks.last() {
            Some(hunk) if hunk.is_complete() => false,
            Some(hunk) => enclosed || hunk.due().is_some() && !off_by_one,
            None => enclosed,
        };
        self.miscounted = off_by_one && !self.is_complete();
        self.unclosed = enclosed && !self.truncated;
    }

    fn step(&mut self, line: &Line<'a>, text: &'a str) -> Step {
        // Most lines of a diff can be nothing but a line of the kind that their sign gives.
        let plain = match text.as_bytes() {
            [b'+', next, ..] => *next != b'+',
            [b' ', ..] => !may_begin(text, b"`~"),
            _ => false,
        };
        if plain && self.fence.is_some() && self.heredoc.is_none() && !self.skipping {
            return self.enclosed(line, text);
        }
        if line.start >= self.within
            && let Some(fence) = self.fence.filter(|fence| fence.is_closed_by(line.text))
        {
            let content = FenceContent { cursor: self.cursor, indentation: self.indentation, fence };
            let Some(until) = content.goes_on(text, self.due(), self.inner) else { return Step::Ended };
            self.within = until;
        }
        if self.heredoc.is_some_and(|heredoc| heredoc.is_ended_by(line.text)) || self.is_header(text) {
            return Step::Ended;
        }
        if text.starts_with("@@") {
            self.open(line, text);
            return Step::Taken;
        }
        if self.skipping {
            return Step::Taken;
        }
        if says_no_newline(text) {
            self.last = *line;
            if let Some(hunk) = self.hunks.last_mut() {
                hunk.no_newline();
            }
            return Step::Taken;
        }
        if self.is_complete() && sign::is_signature(text) || self.is_prelude(text) {
            self.skipping = self.is_enclosed();
            return if self.skipping { Step::Taken } else { Step::Ended };
        }
        if self.is_enclosed() { self.enclosed(line, text) } else { self.open_air(line, text) }
    }

    fn is_enclosed(&self) -> bool {
        self.fence.is_some() || self.heredoc.is_some()
    }

    fn is_complete(&self) -> bool {
        self.hunks.last().is_some_and(OpenHunk::is_complete)
    }

    fn due(&self) -> Option<Due> {
        self.hunks.last().and_then(OpenHunk::due)
    }

    fn is_header(&self, text: &str) -> bool {
        let Some(start) = header::starts(text, self.cursor, self.indentation) else { return false };
        match (start, self.hunks.last().map(|hunk| (hunk.due(), hunk.is_empty()))) {
            (Start::Sure, _) | (_, None) | (Start::Likely, Some((None, _))) => true,
            // A comment of SQL that goes, before the next hunk.
            (Start::Lone, Some((due, _))) => due == Some(Due { old: 0, new: 0 }) && !header::has_words(text),
            (Start::Names, Some((None, empty))) => !empty,
            // `-- i;` becomes `++ i;`.
            (Start::Words, Some((None, _))) => false,
            // Such lines, and then the next hunk, if that makes the counts right.
            (Start::Likely, Some((Some(due), _))) => due != Due { old: 1, new: 1 },
            (Start::Names | Start::Words, Some((Some(due), _))) => due.old == 0 || due.new == 0,
        }
    }

    fn open(&mut self, line: &Line<'a>, text: &str) {
        self.flush_due_blanks();
        self.blanks = 0;
        self.skipping = false;
        self.last = *line;
        if text.starts_with("@@@") {
            let message = "A diff of a merge (@@@) says no one change: give a plain diff";
            self.faults.push((*line, Fault::error(Code::UnsupportedPatch, message, None)));
        }
        self.inner = None;
        self.hunks.push(OpenHunk::new(text));
    }

    /// Reads a line of a fence or heredoc, which is the diff's whatever it looks like.
    fn enclosed(&mut self, line: &Line<'a>, text: &'a str) -> Step {
        if self.hunks.is_empty() && text.is_empty() {
            return Step::Taken;
        }
        self.push(line, text);
        Step::Taken
    }

    fn open_air(&mut self, line: &Line<'a>, text: &'a str) -> Step {
        if text.is_empty() {
            self.blanks += 1;
            return Step::Taken;
        }
        let due = self.due().is_some_and(|due| due.old > 0 || due.new > 0);
        let belongs = line.start < self.assured
            || match text.as_bytes()[0] {
                b'+' | b'-' if self.hunks.is_empty() => sign::is_sure_change(text),
                b'+' | b'-' if due => true,
                b'+' | b'-' if self.blanks == 0 => !sign::is_rule(text),
                b'+' | b'-' => sign::is_sure_change(text) || self.change_follows(),
                b' ' if self.is_complete() && self.blanks > 0 => self.change_follows(),
                b' ' => true,
                _ => opening(line, self.cursor, self.findings).is_none() && self.change_follows(),
            };
        if belongs {
            self.push(line, text);
            return Step::Taken;
        }
        // Few lists have items with a plus sign, and a line that is lost is worse than a diff that is.
        let doubtful = text.starts_with('+') && !self.hunks.is_empty() || self.has_items();
        if sign::is_item(text) && self.due().is_none() && doubtful {
            let message = "This line may or may not belong to the diff: put the diff in a ```diff fence";
            self.last = *line;
            self.faults.push((*line, Fault::error(Code::UnexpectedLine, message, None)));
        }
        Step::Ended
    }

    /// Returns true if the hunk holds lines that would look like items of a list if they were changed.
    fn has_items(&self) -> bool {
        let lines = self.hunks.last().map_or(&[][..], OpenHunk::lines);
        lines.iter().any(|line| {
            line.text()
                .strip_prefix(' ')
                .is_some_and(|rest| !rest.starts_with([' ', '\t']) && !rest.is_empty())
        })
    }

    /// Adds `text` with the blank lines before it; without a sign it is context.
    fn push(&mut self, line: &Line<'a>, text: &'a str) {
        self.last = *line;
        if may_begin(text, b"+-d") && self.due().is_none_or(|due| due == Due { old: 0, new: 0 }) {
            let name = header::almost(text).filter(|_| self.swallowed.len() < MAX_SWALLOWED_NAMES);
            self.swallowed.extend(name.map(|name| (*line, name.to_owned())));
        }
        if self.hunks.is_empty() {
            self.hunks.push(OpenHunk::default());
        }
        let Some(hunk) = self.hunks.last_mut() else { return };
        for _ in 0..std::mem::take(&mut self.blanks) {
            hunk.push_blank();
        }
        let shown = text.strip_prefix([' ', '+']).unwrap_or(text);
        self.inner = match self.inner {
            Some(fence) if fence.is_closed_by(shown) => None,
            Some(fence) => Some(fence),
            None => Fence::opened_by(shown).filter(|(_, info)| !info.is_empty()).map(|(fence, _)| fence),
        };
        match signed(text) {
            Some(line) => hunk.push(line),
            None if text.is_empty() => hunk.push_blank(),
            None => hunk.push(HunkLine::Context(text.into())),
        }
    }

    /// Gives the hunk as many of the blank lines after it as it announced lines of context.
    fn flush_due_blanks(&mut self) {
        let Some(hunk) = self.hunks.last_mut() else { return };
        let due = hunk.due().map_or(0, |due| due.old.min(due.new) as usize);
        for _ in 0..self.blanks.min(due) {
            hunk.push_blank();
        }
    }

    /// Returns true if one of the lines that follow up to a blank one is surely a change of this hunk.
    fn change_follows(&mut self) -> bool {
        let mut ahead = self.cursor.clone();
        while let Some(line) = ahead.next_line() {
            let text = line.dedented(self.indentation);
            let ends = text.trim().is_empty()
                || text.starts_with("@@")
                || Fence::opened_by(line.text).is_some()
                || header::starts(text, &ahead, self.indentation).is_some();
            if ends {
                return false;
            }
            if sign::is_sure_change(text) {
                self.assured = line.start + 1;
                return true;
            }
        }
        false
    }

    /// Returns true if `text` belongs to the header of another file, which follows.
    fn is_prelude(&self, text: &str) -> bool {
        if !sign::is_prelude(text) {
            return false;
        }
        let mut ahead = self.cursor.clone();
        (0..PRELUDE_LINES).any(|_| {
            let line = ahead.next_line().map(|line| line.dedented(self.indentation));
            line.is_some_and(|text| header::starts(text, &ahead, self.indentation).is_some())
        })
    }
}
