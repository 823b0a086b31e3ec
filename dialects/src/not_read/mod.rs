//! What looks like an edit and is none: what a person would take for one, and no dialect has read (spec: answers, section 1).
//!
//! One pass over the lines that no block claimed, outside of thinking, quotations and our own reports. It yields
//! [`Candidate`]s, since this crate knows no files: whether a path is one of the project's, and whether an excerpt stands in
//! its file, is asked of [`Project`] when [`decide`] makes [`NotRead`]s of them.

mod decide;
mod diff;
mod escaped;
mod listing;
mod shell;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::cursor::{Breaks, Cursor, Line, origin};
use crate::fence::Fence;
use crate::findings::Findings;
use crate::scan::opens;
use crate::tool_call::Calls;
use crate::{Block, Choice, Dialect};

pub use decide::{Place, Project, decide};
pub use escaped::unescaped;

/// How many candidates one answer may have.
const MOST: usize = 1_000;

/// A kind of what is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotReadKind {
    /// A fence with the name of a file, whose text is not what the file holds.
    Listing,
    /// The same with lines left out.
    ElidedListing,
    /// A diff that names no file.
    HeadlessDiff,
    /// A call of a tool that is not read.
    ToolCall,
    /// A shell's commands that change files.
    ShellEdit,
    /// Markers of a dialect whose signs are escaped.
    Escaped,
    /// A block of a dialect that is not looked for.
    OtherDialect,
}

impl NotReadKind {
    /// The name used in results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            NotReadKind::Listing => "listing",
            NotReadKind::ElidedListing => "elided_listing",
            NotReadKind::HeadlessDiff => "headless_diff",
            NotReadKind::ToolCall => "tool_call",
            NotReadKind::ShellEdit => "shell_edit",
            NotReadKind::Escaped => "escaped",
            NotReadKind::OtherDialect => "other_dialect",
        }
    }
}

/// What may be an edit, with the facts by which that is decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub kind: NotReadKind,
    /// 1-based line at which it begins.
    pub line: u32,
    /// The path that it names, as written.
    pub path: Option<String>,
    /// What has to hold of the path.
    pub wants: Wants,
    /// The text that it shows of the file: whole lines of the answer, as a byte range.
    pub shows: Option<Range<usize>>,
    /// What to do about it.
    pub hint: String,
}

/// What has to hold of the path of a [`Candidate`], for it to be an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// Nothing.
    Nothing,
    /// It lies in the project, where there is a file, or a folder for one.
    Room,
    /// It lies in the project and is there.
    Existing,
}

/// What looks like an edit, and was not carried out because no dialect reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRead {
    /// 1-based line at which it begins.
    pub line: u32,
    /// What it is.
    pub kind: NotReadKind,
    /// The path that it names, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What to do about it.
    pub hint: String,
}

/// What the pass is given.
pub(crate) struct Given<'a, 'b> {
    pub(crate) text: &'a str,
    pub(crate) blocks: &'b [Block<'a>],
    /// Parts that are not looked into, in document order.
    pub(crate) skipped: &'b [Range<usize>],
    /// The calls of tools, if a line looked like one.
    pub(crate) calls: Option<&'b Calls<'a>>,
    pub(crate) choice: &'b Choice,
    /// What the pass knows in which blocks were found.
    pub(crate) findings: &'b Findings<'a>,
}

/// What may be an edit in the parts of the text that no block claimed, in document order.
pub(crate) fn candidates(given: &Given<'_, '_>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut cursor = Cursor::new(given.text);
    let mut gaps = Gaps { given, block: 0, skip: 0 };
    let mut open: Option<Open<'_>> = None;
    let mut others = others(given.choice);
    while found.len() < MOST {
        if let Some(end) = gaps.claimed_at(cursor.position()) {
            cursor.skip_to(end);
            // What a block or region ends with may have been the end of the fence around it.
            let (last, _) = Breaks::Lf.last_line(&given.text[..end]);
            if open.as_ref().is_some_and(|open| open.fence.closes_at(last)) {
                open = None;
            }
            continue;
        }
        let Some(line) = cursor.next_line() else { break };
        if line.text.trim_start().starts_with('>') {
            continue;
        }
        escaped::line(&line, &mut found);
        if let Some(index) = others.iter().position(|other| opens(*other, &line, &cursor, given.findings)) {
            found.push(of_other(others.remove(index), &line));
        }
        match &mut open {
            Some(fence) if fence.fence.closes_at(line.text) => open = None,
            Some(fence) => fence.line(&line, given, &mut found),
            None => {
                let limit = gaps.next_claim();
                listing::line(&line, &cursor, limit, given.text, &mut found);
                open = Open::read(&line, &cursor);
                if open.is_none() {
                    diff::outside(&line, &cursor, &mut found);
                }
            }
        }
    }
    let calls = given.calls.into_iter().flat_map(Calls::unread).filter(|call| !gaps_hold(given, call.at));
    found.extend(calls.take(MOST).map(|call| Candidate {
        kind: NotReadKind::ToolCall,
        line: call.line,
        wants: if call.path.is_some() { Wants::Room } else { Wants::Nothing },
        path: call.path.clone(),
        shows: None,
        hint: call.why.clone(),
    }));
    found.sort_by_key(|candidate| candidate.line);
    found
}

/// Whether byte `at`, at which a call begins, stands in a block, or in what is not looked into; not if that is the call.
fn gaps_hold(given: &Given<'_, '_>, at: usize) -> bool {
    let line = given.text[..at].rfind('\n').map_or(origin(given.text), |end| end + 1);
    let index = given.skipped.partition_point(|range| range.end <= at);
    let skipped = given.skipped.get(index).is_some_and(|range| range.start < line);
    let index = given.blocks.partition_point(|block| block.source.end <= at);
    skipped || given.blocks.get(index).is_some_and(|block| block.source.start <= at)
}

/// A fence that is open.
struct Open<'a> {
    fence: Fence,
    kind: Inside<'a>,
}

/// What the lines of a fence are looked at for.
enum Inside<'a> {
    Shell(shell::Memory<'a>),
    /// Found once for each fence.
    Diff {
        told: bool,
    },
    Other,
}

impl<'a> Open<'a> {
    fn read(line: &Line<'_>, after: &Cursor<'a>) -> Option<Open<'a>> {
        let (fence, info) = Fence::read(line.text)?;
        let label = info.split([' ', '\t', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
        let kind = if shell::is_label(&label) {
            Inside::Shell(shell::Memory::new(after, fence))
        } else if diff::is_label(&label) {
            Inside::Diff { told: false }
        } else {
            Inside::Other
        };
        Some(Open { fence, kind })
    }

    fn line(&mut self, line: &Line<'_>, given: &Given<'_, '_>, found: &mut Vec<Candidate>) {
        match &mut self.kind {
            Inside::Shell(memory) => memory.line(line, found),
            Inside::Diff { told } => {
                let other = found.last().is_some_and(|last| last.kind == NotReadKind::OtherDialect);
                if !*told && !other && diff::is_change(line.text) {
                    *told = true;
                    found.push(diff::headless(line, given.choice));
                }
            }
            Inside::Other => {}
        }
    }
}

/// Blocks and what is not looked into, as the pass comes to them.
struct Gaps<'a, 'b, 'g> {
    given: &'g Given<'a, 'b>,
    block: usize,
    skip: usize,
}

impl Gaps<'_, '_, '_> {
    /// If the line at byte `at` is claimed, the byte behind the last line of that.
    fn claimed_at(&mut self, at: usize) -> Option<usize> {
        let text = self.given.text;
        let line_end =
            |end: usize| memchr::memchr(b'\n', &text.as_bytes()[end..]).map_or(text.len(), |to| end + to + 1);
        while let Some(range) = self.given.skipped.get(self.skip) {
            if range.end <= at {
                self.skip += 1;
                continue;
            }
            if range.start <= at {
                return Some(range.end);
            }
            break;
        }
        while let Some(block) = self.given.blocks.get(self.block) {
            if block.source.end <= at {
                self.block += 1;
                continue;
            }
            let line = text[..block.source.start].rfind('\n').map_or(0, |end| end + 1);
            if line <= at {
                return Some(line_end(block.source.end).max(at + 1));
            }
            break;
        }
        None
    }

    /// Where the next block begins.
    fn next_claim(&self) -> usize {
        self.given.blocks.get(self.block).map_or(usize::MAX, |block| block.source.start)
    }
}

/// The first block of `dialect`, which is not looked for, opens at `line`.
fn of_other(dialect: Dialect, line: &Line<'_>) -> Candidate {
    let name = dialect.name();
    Candidate {
        kind: NotReadKind::OtherDialect,
        line: line.number,
        path: None,
        wants: Wants::Nothing,
        shows: None,
        hint: format!(
            "Blocks of `{name}` are not looked for in this answer: leave out `--dialect`, or name `{name}` too"
        ),
    }
}

/// The dialects that are looked for only when they are named, or not at all by `choice`.
pub(crate) fn others(choice: &Choice) -> Vec<Dialect> {
    match choice {
        Choice::Named(_) => {
            Dialect::AUTO.iter().copied().filter(|dialect| !choice.includes(*dialect)).collect()
        }
        Choice::Auto | Choice::Enabled(_) => Vec::new(),
    }
}
