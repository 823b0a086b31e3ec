//! Text that looks like an edit and is none: a user would take it for one, and no dialect has read it (spec:
//! answers, section 1).
//!
//! Sees every line that no block claimed, outside of thinking, quotations and our own reports, in the order
//! of the scan. Yields [`Candidate`]s, since this crate knows no files: [`decide`] makes [`NotRead`](crate::NotRead)s of
//! them, and asks [`Project`] whether a path is one of the project's, and whether an excerpt is in its file.

mod calls;
mod conflict;
mod decide;
mod diff;
mod element;
mod escaped;
mod operation;
mod shell;

use crate::candidate::{Candidate, NotReadKind, Wants, not_looked_for, others};
use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::findings::{Findings, opens};
use crate::glance::Glance;
use crate::tool_call;
use crate::tool_calls::Unread;
use crate::{Choice, Dialect};
pub(crate) use diff::is_legend;

pub use decide::{PathRole, Project, decide};
pub(crate) use escaped::unescaped;

const MOST: usize = 1_000;

const ATTEMPTS: usize = 50_000;

// The state that the pass keeps about the lines that no block claimed, and the candidates in them.
//
// A line is first judged by its first character that is not a blank; most lines end there.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    candidates: Vec<Candidate>,
    /// The dialects whose first block is still to be reported.
    others: Vec<Dialect>,
    open: Option<Open<'a>>,
    conflict: conflict::Conflict,
    signs: escaped::Signs,
    /// The last two lines, as far as they are in a row outside of fences: one of them may name the file of a
    /// fence.
    above: [Option<Line<'a>>; 2],
    /// True if no element with a file was without its end so far.
    ends: bool,
    attempts: usize,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(choice: &Choice) -> Pass<'a> {
        Pass {
            candidates: Vec::new(),
            others: others(choice),
            open: None,
            conflict: conflict::Conflict::default(),
            signs: escaped::Signs::default(),
            above: [None, None],
            ends: true,
            attempts: ATTEMPTS,
        }
    }

    // Records that the lines up to `after` are not text of the answer: blocks, or regions that are never
    // read. The last of them may close the fence around them; a listing with a block in it is none.
    pub(crate) fn claimed(&mut self, after: &Cursor<'_>) {
        self.above = [None, None];
        self.conflict.forget();
        let (last, _) = Breaks::Lf.last_line(&after.text()[..after.position()]);
        if self.open.as_ref().is_some_and(|open| open.fence.closes_at(last)) {
            self.open = None;
        }
    }

    // Records that the block which begins in `line` is not applied; `hint` says why.
    pub(crate) fn unapplied(&mut self, line: &Line<'_>, path: Option<String>, hint: String) {
        self.candidates.push(Candidate {
            kind: NotReadKind::Refused,
            line: line.number,
            path,
            wants: Wants::Nothing,
            shows: None,
            hint,
        });
    }

    #[inline]
    pub(crate) fn blank(&mut self, line: Line<'a>) {
        if self.open.is_none() {
            self.above = [Some(line), self.above[0]];
        }
    }

    #[inline]
    pub(crate) fn line(
        &mut self,
        line: Line<'a>,
        glance: &Glance<'a>,
        after: &Cursor<'a>,
        choice: &Choice,
        findings: &Findings<'a>,
    ) {
        let is_plain = glance.first.is_ascii_graphic()
            && !matches!(glance.first, b'<' | b'=' | b'>' | b'*' | b'@' | b'`' | b'~')
            && self.others.is_empty()
            && self.candidates.len() < MOST;
        // Nothing begins at most lines, and none of what fences hold is sought in most fences.
        if !is_plain || self.signs.are_in(&line, after.text()) {
            return self.marked_line(line, glance, after, choice, findings);
        }
        match &mut self.open {
            None => self.above = [Some(line), self.above[0]],
            Some(Open { kind: Inside::Other, .. }) => {}
            Some(open) => open.line(&line, after, choice, findings, &mut self.candidates),
        }
    }

    fn marked_line(
        &mut self,
        line: Line<'a>,
        glance: &Glance<'a>,
        after: &Cursor<'a>,
        choice: &Choice,
        findings: &Findings<'a>,
    ) {
        let first = match glance.first {
            first if first.is_ascii_graphic() => Some(first),
            _ => line.text.trim_ascii_start().as_bytes().first().copied(),
        };
        let has_mark = matches!(first, Some(b'<' | b'=' | b'>'));
        if has_mark {
            self.attempts = self.attempts.saturating_sub(1);
        }
        let may_be_sought = self.attempts > 0;
        if has_mark && self.candidates.len() < MOST && may_be_sought {
            let above = self.above.iter().flatten().find(|line| !line.text.trim_ascii().is_empty());
            self.candidates.extend(self.conflict.line(&line, above, after));
        }
        // A quotation is another author's text.
        if first == Some(b'>') || self.candidates.len() >= MOST {
            self.above = [None, None];
            return;
        }
        if self.signs.are_in(&line, after.text()) {
            escaped::line(&line, &mut self.candidates);
        }
        if let Some(index) = self.others.iter().position(|other| opens(*other, &line, after, findings)) {
            self.candidates.push(of_other(self.others.remove(index), &line, choice));
        }
        if first == Some(b'*') {
            let looked_for = findings.dialects.contains(Dialect::ApplyPatch);
            if looked_for || self.others.contains(&Dialect::ApplyPatch) {
                operation::line(&line, looked_for, &mut self.candidates);
            }
        }
        match &mut self.open {
            Some(open)
                if glance.fence.is_some_and(|(fence, info)| info.is_empty() && fence.closes(open.fence)) =>
            {
                self.open = None;
            }
            Some(open) if may_be_sought || !matches!(open.kind, Inside::Elements { .. }) => {
                open.line(&line, after, choice, findings, &mut self.candidates);
            }
            Some(_) => {}
            None => {
                if let Some((fence, info)) = glance.fence {
                    self.open = Some(Open::new(fence, info, after));
                    self.above = [None, None];
                    return;
                }
                match first {
                    Some(b'@') => diff::outside(&line, after, &mut self.candidates),
                    Some(b'*') => diff::context(&line, after, &mut self.candidates),
                    Some(b'<') if may_be_sought => {
                        self.candidates.extend(made_up(&line, after, &mut self.ends, findings))
                    }
                    _ => {}
                }
                self.above = [Some(line), self.above[0]];
            }
        }
    }

    /// Returns the candidates; `calls` are those that are not read.
    pub(crate) fn finish(mut self, calls: Vec<Unread>) -> Vec<Candidate> {
        self.candidates.extend(calls.into_iter().take(MOST).map(|call| Candidate {
            kind: NotReadKind::ToolCall,
            line: call.line,
            wants: if call.path.is_some() && !call.cut_off { Wants::Room } else { Wants::Nothing },
            path: call.path,
            shows: None,
            hint: call.why,
        }));
        self.candidates.sort_by_key(|candidate| candidate.line);
        self.candidates
    }
}

#[derive(Debug)]
struct Open<'a> {
    fence: Fence,
    kind: Inside<'a>,
}

#[derive(Debug)]
enum Inside<'a> {
    Shell(shell::Memory<'a>),
    /// Found once for each fence.
    Diff {
        reported: bool,
    },
    Calls,
    /// Text that may be elements with files; whether none was without its end so far.
    Elements {
        ends: bool,
    },
    Other,
}

impl<'a> Open<'a> {
    fn new(fence: Fence, info: &str, after: &Cursor<'a>) -> Open<'a> {
        let end = info.bytes().position(|byte| matches!(byte, b' ' | b'\t' | b'{' | b':'));
        let label = &info[..end.unwrap_or(info.len())];
        let kind = if label.is_empty() {
            Inside::Elements { ends: true }
        } else if shell::is_label(label) {
            Inside::Shell(shell::Memory::new(after, fence))
        } else if diff::is_label(label) {
            Inside::Diff { reported: false }
        } else if calls::is_label(label) {
            Inside::Calls
        } else if element::is_label(label) {
            Inside::Elements { ends: true }
        } else {
            Inside::Other
        };
        Open { fence, kind }
    }

    fn line(
        &mut self,
        line: &Line<'a>,
        after: &Cursor<'a>,
        choice: &Choice,
        findings: &Findings<'a>,
        candidates: &mut Vec<Candidate>,
    ) {
        match &mut self.kind {
            Inside::Shell(memory) => memory.line(line, candidates),
            Inside::Diff { reported } => {
                if !*reported
                    && !candidates.last().is_some_and(|last| diff::belongs(line, last))
                    && diff::is_change(line.text)
                {
                    *reported = true;
                    if !diff::is_legend(line, after) {
                        candidates.push(diff::headless(line, choice));
                    }
                }
            }
            Inside::Calls => candidates.extend(calls::call(line, after)),
            Inside::Elements { ends } => candidates.extend(made_up(line, after, ends, findings)),
            Inside::Other => {}
        }
    }
}

/// Returns the edit or the file in the element which begins in `line`, if it is none of a dialect; `after`
/// and `ends` as in [`element::file`].
fn made_up<'a>(
    line: &Line<'a>,
    after: &Cursor<'a>,
    ends: &mut bool,
    findings: &Findings<'a>,
) -> Option<Candidate> {
    let candidate = element::edit(line, after).or_else(|| element::file(line, after, ends))?;
    (!tool_call::begins(line, findings)).then_some(candidate)
}

fn of_other(dialect: Dialect, line: &Line<'_>, choice: &Choice) -> Candidate {
    Candidate {
        kind: NotReadKind::OtherDialect,
        line: line.number,
        path: None,
        wants: Wants::Nothing,
        shows: None,
        hint: not_looked_for(&format!("Blocks of `{}`", dialect.name()), dialect, choice),
    }
}
