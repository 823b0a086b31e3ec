//! CML, the XML protocol: `<write path="…">` and its siblings, alone or in `<tasks>`.
//!
//! A block is one task, or `<tasks>` with several that run in order (spec: dialects, "cml"). Input is the
//! line that begins with the element and a cursor. Knows the grammar and the raw action of each task, nothing
//! of files and commands.
//!
//! ```text
//! <tasks version="1.1">
//!   <edit path="src/main.py" count="2">
//!     <search><![CDATA[old]]></search>
//!     <replace><![CDATA[new]]></replace>
//!   </edit>
//! </tasks>
//! ```
//!
//! It is read by hand and not with a library for XML: an answer is not a document. Text that is not well
//! formed has to have an end, text that is not escaped is taken verbatim, and every text needs its exact
//! place.
//!
//! A block that is not well formed is not applied. A task that is well formed and makes no sense is one
//! that fails when its turn comes; alone it is a block that is not applied. The content of an element is
//! never parsed, and `broken` finds how far the text of a broken one may reach.

mod broken;
mod content;
pub(crate) mod entity;
mod issue;
mod layout;
mod opening;
mod place;
mod read;
mod tag;
mod task;

use std::ops::ControlFlow;

use memchr::memchr;

use broken::{Broken, Resume, Surplus, end_of, has_stray_end};
use issue::Issue;
use place::Places;
use read::{Reader, Task};

use crate::around::Around;
use crate::cursor::{Breaks, Cursor, Line};
use crate::fence::Fence;
use crate::findings::Findings;
use crate::{Block, Code, Dialect, Member, Policy, reader};

pub(crate) static RULES: reader::DialectRules = reader::DialectRules {
    opens,
    would_open: |_, _| false,
    is_marker: is_usual_marker,
    reads_fences: false,
    reader: |text, _| Box::new(Memory::new(text)),
};

fn is_usual_marker(line: &str) -> bool {
    const MARKERS: [&str; 12] = [
        "<write path=",
        "</write>",
        "<edit path=",
        "</edit>",
        "<search>",
        "</search>",
        "<replace>",
        "</replace>",
        "<tasks>",
        "</tasks>",
        "<remove path=",
        "<move from=",
    ];
    let line = line.trim_start();
    line.ends_with('>') && MARKERS.iter().any(|marker| line.starts_with(marker))
}

/// Faults that are reported of one line: all of an answer can be on one.
const FAULTS_OF_A_LINE: usize = 8;

fn opens(line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    let indent = line.text.len() - line.text.trim_ascii_start().len();
    line.text[indent..].starts_with('<') && opens_at(after.text(), line.start + indent, findings)
}

/// Returns true if a block opens at byte `at` of `text`, which is the first of its line or follows another
/// block.
fn opens_at(text: &str, at: usize, findings: &Findings<'_>) -> bool {
    // Another dialect also calls this, to learn whether a listing begins with a block.
    let strict = findings.strict && findings.dialects.contains(Dialect::Cml);
    opening::tag_at(text, at, findings.bounds.fields)
        .is_some_and(|tag| strict || opening::counts(text, &tag, &findings.surroundings))
}

#[derive(Debug)]
struct Memory<'a> {
    places: Places<'a>,
    surplus: Surplus,
    /// The last line of which a fault was reported, and the number of its faults.
    faults: (u32, usize),
}

impl<'a> reader::BlockReader<'a> for Memory<'a> {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        claim(first, cursor, self, findings)
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        self.line(line, findings);
        ControlFlow::Continue(())
    }
}

impl<'a> Memory<'a> {
    fn new(text: &'a str) -> Memory<'a> {
        Memory { places: Places::new(text), surplus: Surplus::default(), faults: (0, 0) }
    }

    fn line(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) {
        if !findings.dialects.contains(Dialect::Cml) {
            return;
        }
        let text = self.places.text();
        let indent = line.text.len() - line.text.trim_ascii_start().len();
        if opening::may_resemble(&line.text[indent..])
            && let Some(tag) = opening::tag_at(text, line.start + indent, findings.bounds.fields)
            && opening::resembles(text, &tag, &findings.surroundings)
            && let Some(unknown) = tag.unknown_attribute()
        {
            let known = tag::attributes_of(tag.name).unwrap_or_default().join(" and ");
            let message = format!(
                "<{}> was not read, because it has the attribute '{}'; it may have {known}",
                tag.name, unknown.name
            );
            let issue = Issue::warning(Code::SkippedElement, unknown.at.clone(), message);
            self.places.go_to(line);
            let mut places = self.places.clone();
            self.report(vec![issue], &mut places, findings);
            self.places = places;
        }
    }

    fn report(&mut self, mut issues: Vec<Issue>, places: &mut Places<'a>, findings: &mut Findings<'a>) {
        issues.sort_by_key(|issue| issue.at.start);
        for issue in issues {
            let span = places.span(issue.at.clone());
            let (line, reported) = self.faults;
            self.faults = if line == span.line { (line, reported + 1) } else { (span.line, 1) };
            if self.faults.1 <= FAULTS_OF_A_LINE {
                findings.report(&places.line(), span, issue.into_fault());
            }
        }
    }
}

/// Also hands in the blocks that follow it on its last line.
fn claim<'a>(
    first: Line<'a>,
    cursor: &mut Cursor<'a>,
    memory: &mut Memory<'a>,
    findings: &mut Findings<'a>,
) -> ControlFlow<()> {
    let text = cursor.text();
    memory.places.go_to(&first);
    let mut start = first.start;
    while let Some(end) = claim_one(text, start, memory, findings)? {
        let next = after_blanks(text, end);
        if !opens_at(text, next, findings) {
            leave(next, cursor, findings);
            return ControlFlow::Continue(());
        }
        if findings.blocks_left() == 0 {
            return too_many(next, memory, findings);
        }
        start = next;
    }
    cursor.finish();
    ControlFlow::Continue(())
}

/// Hands in the block at byte `start`, before which there may be blanks; returns its end, with `None` for the
/// text's end.
fn claim_one<'a>(
    text: &'a str,
    start: usize,
    memory: &mut Memory<'a>,
    findings: &mut Findings<'a>,
) -> ControlFlow<(), Option<usize>> {
    let Some(tag) = opening::tag_at(text, after_blanks(text, start), findings.bounds.fields) else {
        return ControlFlow::Continue(None);
    };
    let (name, tag_end) = (tag.name, tag.at.end);
    let (attributes, limit) = (findings.bounds.fields, findings.blocks_left());
    let mut reader = Reader::new(text, attributes, limit);
    let mut read = reader.block(tag.clone());
    // Blanks before the fence around it belong to Markdown if all its lines have them.
    let indent = findings.surroundings.fence().map_or("", |fence| fence.indent);
    if let Ok(end) = read
        && !indent.is_empty()
        && layout::is_indented(&text[start..end], indent)
    {
        reader = Reader { indent, ..Reader::new(text, attributes, limit) };
        read = reader.block(tag);
    }
    if let Some(at) = reader.full {
        too_many(at, memory, findings)?;
    }
    let Reader { tasks, mut issues, .. } = reader;
    let end = match read.and_then(|end| whole(text, name, end, &tasks, &mut memory.surplus)) {
        Ok(end) => Some(end),
        Err(broken) => {
            issues.push(Issue::syntax(broken.at, &broken.message));
            end_of(text, name, broken.resume, &mut memory.surplus)
        }
    };
    let end = end.map(|end| text[..end].trim_ascii_end().len().max(tag_end));
    if let Some(end) = end
        && name != "tasks"
        && !text[start..end].contains('\n')
        && words_follow(text, end)
        && !opens_at(text, after_blanks(text, end), findings)
    {
        let at = after_blanks(text, end);
        let message = format!("Text follows <{name}> on its line; an element must be on separate lines");
        issues.push(Issue::error(Code::TrailingContent, at..at, message).breaking());
    }
    hand_in(start, end, BlockParts { name, tasks, issues }, memory, findings);
    ControlFlow::Continue(end)
}

fn after_blanks(text: &str, at: usize) -> usize {
    at + text.as_bytes()[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count()
}

/// Returns true if the text after byte `end` on its line may be the rest of a sentence that an element
/// begins.
fn words_follow(text: &str, end: usize) -> bool {
    let rest = &text[after_blanks(text, end)..];
    !rest.is_empty() && !["\n", "<!--", "```", "~~~"].iter().any(|other| rest.starts_with(other))
}

fn leave<'a>(rest: usize, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) {
    let text = cursor.text();
    let length = memchr(b'\n', &text.as_bytes()[rest..]);
    let end = length.map_or(text.len(), |length| rest + length);
    // A fence that was glued to the block.
    let line = Line { number: 0, start: rest, text: text[rest..end].trim_ascii_end() };
    let fence = Fence::read(line.text);
    if fence.is_some() {
        findings.surroundings.line(&line, fence, text);
    }
    let next = end + usize::from(length.is_some());
    if next > cursor.position() {
        cursor.skip_to(next);
    }
}

/// Returns `end`, the end of the block `name`, unless the text after it shows that a text in the block was
/// meant to be longer.
fn whole(
    text: &str,
    name: &str,
    end: usize,
    tasks: &[Task<'_>],
    surplus: &mut Surplus,
) -> Result<usize, Broken> {
    let quoting =
        tasks.iter().find(|task| task.content.quotes || task.parts.iter().any(|part| part.content.quotes));
    if let Some(task) = quoting
        && surplus.after(text, end).is_some()
    {
        let message = format!(
            "<{}> quotes CDATA, and its own CDATA ends with that; within CDATA, ]]> must be written as ]]&gt;",
            task.tag.name
        );
        let at = task.tag.at.start..task.tag.at.start + 1 + task.tag.name.len();
        return Err(Broken { message, at, resume: Resume::AfterSurplus(end) });
    }
    if !matches!(name, "move" | "remove") && has_stray_end(text, name, end) {
        let message = format!(
            "<{name}> ends here, but there is another </{name}> below; its text must be in \
                               CDATA, and ]]> in it has to be written as ]]&gt;"
        );
        return Err(Broken { message, at: end - 1..end, resume: Resume::EndTag(end) });
    }
    Ok(end)
}

struct BlockParts<'a> {
    name: &'a str,
    tasks: Vec<Task<'a>>,
    issues: Vec<Issue>,
}

fn hand_in<'a>(
    start: usize,
    end: Option<usize>,
    parts: BlockParts<'a>,
    memory: &mut Memory<'a>,
    findings: &mut Findings<'a>,
) {
    let BlockParts { name, tasks, mut issues } = parts;
    let text = memory.places.text();
    let start_line = memory.places.line_number(start);
    let mut places = memory.places.clone();
    let mut members = Vec::with_capacity(tasks.len());
    let mut actions = Vec::with_capacity(tasks.len());
    for task in tasks {
        let faults = task.issues();
        let valid = task.is_valid(&faults);
        issues.extend(faults);
        let last = task.at.end;
        let start_line = places.line_number(task.at.start);
        actions.push(task.into_raw(&mut places));
        members.push(Member { start_line, end_line: places.line_number(last), valid });
    }
    // A task alone is the block, so that a fault of the task makes the block unsound. In `<tasks>` it only
    // makes the task fail when its turn comes.
    let alone = name != "tasks";
    let stops = if alone { Issue::stops_task } else { Issue::breaks_block };
    let sound = !issues.iter().any(stops);
    let mut places = memory.places.clone();
    memory.report(issues, &mut places, findings);
    findings.block(Block {
        dialect: Dialect::Cml,
        id: None,
        start_line,
        end_line: end.map(|end| memory.places.line_number(end)),
        source: start..end.unwrap_or(Breaks::Lf.without_end(text).len()),
        policy: if alone { Policy::Each } else { Policy::InOrder },
        actions,
        members: if alone { Vec::new() } else { members },
        named_at: None,
        sound,
    });
}

fn too_many(at: usize, memory: &mut Memory<'_>, findings: &mut Findings<'_>) -> ControlFlow<()> {
    let limit = findings.bounds.blocks;
    let message = format!("More than {limit} blocks: nothing of this answer is applied");
    let span = memory.places.span(at..at);
    findings.report_fatal(&memory.places.line(), span, Code::TooManyBlocks, message);
    ControlFlow::Break(())
}
