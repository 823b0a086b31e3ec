//! Text that looks like an edit and is none: a user would take it for one, and no dialect has read it (spec:
//! answers, section 1).
//!
//! Sees every line that no block claimed, outside of thinking, quotations and our own reports, in the order
//! of the scan. Yields [`Candidate`]s, since this crate knows no files: [`decide`] makes [`NotRead`]s of
//! them, and asks [`Project`] whether a path is one of the project's, and whether an excerpt is in its file.

mod calls;
mod conflict;
mod decide;
mod diff;
mod element;
mod escaped;
mod operation;
mod shell;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::findings::{Findings, opens};
use crate::glance::Glance;
use crate::tool_call::{self, Unread};
use crate::{Choice, Dialect};
pub(crate) use diff::is_legend;

pub use decide::{PathRole, Project, decide};
pub(crate) use escaped::unescaped;

const MOST: usize = 1_000;

/// A kind of text that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotReadKind {
    /// A diff that names no file.
    HeadlessDiff,
    /// A call of a tool that is not read.
    ToolCall,
    /// A shell's commands that change files.
    ShellEdit,
    /// Markers of a dialect whose signs are escaped.
    Escaped,
    /// An operation of a patch that is in none.
    UnknownElement,
    /// A block of a dialect that is not read.
    OtherDialect,
    /// A block that the words around it offer to some readers, or as one of several.
    Refused,
}

impl NotReadKind {
    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NotReadKind::HeadlessDiff => "headless_diff",
            NotReadKind::ToolCall => "tool_call",
            NotReadKind::ShellEdit => "shell_edit",
            NotReadKind::Escaped => "escaped",
            NotReadKind::UnknownElement => "unknown_element",
            NotReadKind::OtherDialect => "other_dialect",
            NotReadKind::Refused => "refused",
        }
    }
}

/// A text that may be an edit, with the facts by which that is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its kind.
    pub kind: NotReadKind,
    /// 1-based line at which it begins.
    pub line: u32,
    /// The path that it names, as written.
    pub path: Option<String>,
    /// The condition on the path.
    pub wants: Wants,
    /// The text that it shows of the file: whole lines of the answer, as a byte range.
    pub shows: Option<Range<usize>>,
    /// Advice for the user or model.
    pub hint: String,
}

/// The condition on the path of a [`Candidate`], for it to be an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Nothing.
    Nothing,
    /// A path of the project, of a file or with a folder for one.
    Room,
    /// A path of the project that exists.
    Existing,
}

/// A text that looks like an edit, and was not carried out because no dialect reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRead {
    /// 1-based line at which it begins.
    pub line: u32,
    /// Its kind.
    pub kind: NotReadKind,
    /// The path that it names, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Advice for the user or model.
    pub hint: String,
}

const ATTEMPTS: usize = 50_000;

/// The state that the pass keeps about the lines that no block claimed, and the candidates in them.
///
/// A line is first judged by its first character that is no blank; most lines end there.
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

    /// Records that the lines up to `after` are no text of the answer: blocks, or regions that are never
    /// read. The last of them may close the fence around them; a listing with a block in it is none.
    pub(crate) fn claimed(&mut self, after: &Cursor<'_>) {
        self.above = [None, None];
        self.conflict.forget();
        let (last, _) = Breaks::Lf.last_line(&after.text()[..after.position()]);
        if self.open.as_ref().is_some_and(|open| open.fence.closes_at(last)) {
            self.open = None;
        }
    }

    /// Records that the block which begins in `line` is for some readers alone.
    pub(crate) fn offered(&mut self, line: &Line<'_>, path: Option<String>) {
        self.candidates.push(Candidate {
            kind: NotReadKind::Refused,
            line: line.number,
            path,
            wants: Wants::Nothing,
            shows: None,
            hint: "The words above make this edit a choice, or one for some readers: to apply it, copy the block alone".to_owned(),
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

/// Returns the reason why `what`, which is of `dialect`, was not read, and the remedy.
fn not_looked_for(what: &str, dialect: Dialect, choice: &Choice) -> String {
    let name = dialect.name();
    let why = match choice {
        Choice::Enabled(_) => format!("the configuration does not enable `{name}` (`dialects.enabled`)"),
        Choice::Auto | Choice::Named(_) => format!("leave out `--dialect`, or name `{name}` too"),
    };
    format!("{what} are not looked for in this answer: {why}")
}

pub(crate) fn others(choice: &Choice) -> Vec<Dialect> {
    match choice {
        Choice::Named(_) | Choice::Enabled(_) => {
            Dialect::AUTO.iter().copied().filter(|dialect| !choice.includes(*dialect)).collect()
        }
        Choice::Auto => Vec::new(),
    }
}
