//! Parts of an answer that are another author's words and are never parsed.
//!
//! Thinking, clada's own reports and instructions, and embedded documents may quote blocks: pasting a whole
//! chat back must not run the blocks quoted in it (spec: safety, "Text that is not ours"; dialects, "aider,
//! …"). Knows nothing of any grammar: it asks the scanner whether a line would open a block. Regions are
//! recognised only at lines that no block has claimed as content. Thinking may have begun in the prompt: then
//! its closing tag is the first visible part of it, and all before it was thinking.

use crate::Code;
use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings, opening};

const THINKING_TAGS: [&str; 3] = ["think", "thinking", "reasoning"];
const EMBED_FIRST_LINE: &str = "# Context Files";
const EMBED_JSON_START: &str = "{\"title\":\"Context Files\",\"nonce\":\"";
/// The number of lines after that one that may give the end of the document.
const CONTEXT_HEAD: usize = 3;
const MAX_NAMED_LINES: usize = 5;

#[derive(Debug, Clone, Copy)]
enum Region<'a> {
    /// From the tag to the line that holds its closing tag.
    Thinking(&'static str),
    /// To the line `end NONCE`.
    Report(&'a str),
    /// To the line `end NONCE`.
    Instructions(&'a str),
    /// To the line `<!-- end NONCE -->`, or to the end of the input.
    Context(Option<&'a str>),
    /// The same in JSON, whose last line ends the list of omitted files, or is the diff.
    ContextJson,
}

/// Moves `cursor`, which is after `first`, past the region that begins at `first`, if there is one.
///
/// Warns if something in the region looks like the start of a block.
pub(crate) fn pass_over<'a>(first: &Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> bool {
    let Some(region) = Region::at(first, cursor) else { return false };
    let mut seen = Openings::default();
    let mut closed = region.ends_on_first(first.text);
    while !closed {
        let Some(line) = cursor.next_line() else { break };
        if opening(&line, cursor, findings).is_some() {
            seen.add(line.number);
        }
        closed = region.ends_at(line.text);
    }
    if !seen.is_empty() {
        let message = seen.message(first.number, cursor.lines_passed(), region.name());
        findings.report(first, first.whole(), Fault::warning(Code::SkippedRegion, message, None));
    }
    true
}

/// Returns true if `line`, which is in no block and no region, ends thinking whose opening tag was in the
/// prompt.
///
/// It does if it is the closing tag, or if the tag is right behind the last word of a line that opens none.
/// Prose about tags quotes them, or puts a blank before them.
pub(crate) fn ends_thinking(line: &str) -> bool {
    if line.as_bytes().last().is_none_or(|last| last.is_ascii_graphic() && *last != b'>') {
        return false;
    }
    let line = line.trim();
    // Most tags at an end are none that close.
    let last = memchr::memrchr(b'<', line.as_bytes()).map_or(0, |at| at + 1);
    line.ends_with('>')
        && line.as_bytes()[last] == b'/'
        && THINKING_TAGS.into_iter().any(|tag| closes(line, tag))
}

/// Returns true if `line` ends with the closing tag called `tag`, by the rule of [`ends_thinking`].
fn closes(line: &str, tag: &str) -> bool {
    let Some(at) = line.len().checked_sub(tag.len() + "</>".len()) else { return false };
    let Some(before) = line.get(..at).filter(|_| is_tag(&line[at..], "</", tag)) else { return false };
    let word =
        |last: char| !last.is_whitespace() && !matches!(last, '`' | '"' | '\'' | '“' | '‘' | '«' | '(' | '[');
    before.chars().next_back().is_none_or(word)
        && !before.starts_with('>')
        && !memchr::memchr_iter(b'<', before.as_bytes()).any(|at| is_tag(&before[at..], "<", tag))
}

/// Discards the findings before `line`, which [`ends_thinking`].
pub(crate) fn take_back(line: &Line<'_>, findings: &mut Findings<'_>) {
    let mut seen = Openings::default();
    findings.take_back().into_iter().for_each(|line| seen.add(line));
    if !seen.is_empty() {
        let message = seen.message(1, line.number, Region::Thinking("").name());
        findings.report(line, line.whole(), Fault::warning(Code::SkippedRegion, message, None));
    }
}

pub(crate) fn begins(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    Region::at(line, after).is_some()
}

impl<'a> Region<'a> {
    fn at(line: &Line<'a>, after: &Cursor<'a>) -> Option<Region<'a>> {
        let text = line.text.trim_ascii_start();
        match text.as_bytes().first()? {
            b'<' if text.as_bytes().get(1).is_some_and(|second| matches!(second | 0x20, b't' | b'r')) => {
                THINKING_TAGS.into_iter().find(|tag| is_tag(text, "<", tag)).map(Region::Thinking)
            }
            b'c' => {
                let words = text.strip_prefix("clada-")?.trim_ascii_end();
                let report = words.strip_prefix("report ").and_then(nonce).map(Region::Report);
                report
                    .or_else(|| words.strip_prefix("instructions ").and_then(nonce).map(Region::Instructions))
            }
            b'{' if text.starts_with(EMBED_JSON_START) => Some(Region::ContextJson),
            b'#' if line.text.trim_ascii_end() == EMBED_FIRST_LINE => {
                Some(Region::Context(context_nonce(after)))
            }
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Region::Thinking(_) => "thinking",
            Region::Report(_) => "a report",
            Region::Instructions(_) => "instructions",
            Region::Context(_) | Region::ContextJson => "an embedded document",
        }
    }

    fn ends_on_first(self, line: &str) -> bool {
        matches!(self, Region::Thinking(_)) && self.ends_at(line)
    }

    fn ends_at(self, line: &str) -> bool {
        match self {
            Region::Thinking(tag) => {
                memchr::memmem::find_iter(line.as_bytes(), "</").any(|at| is_tag(&line[at..], "</", tag))
            }
            Region::Report(nonce) | Region::Instructions(nonce) => {
                line.trim_ascii().strip_prefix("end ").is_some_and(|word| word.trim_ascii_start() == nonce)
            }
            Region::Context(Some(nonce)) => {
                comment(line).and_then(|text| text.strip_prefix("end ")) == Some(nonce)
            }
            Region::Context(None) => false,
            Region::ContextJson => line.trim_ascii_end().ends_with("]}") || line.starts_with("\"diff\":"),
        }
    }
}

fn is_tag(text: &str, mark: &str, name: &str) -> bool {
    let Some(rest) = text.as_bytes().strip_prefix(mark.as_bytes()) else { return false };
    rest.len() > name.len()
        && rest[name.len()] == b'>'
        && rest[..name.len()].eq_ignore_ascii_case(name.as_bytes())
}

/// Returns `word`, if it is a nonce: 8 to 64 ASCII letters and digits.
fn nonce(word: &str) -> Option<&str> {
    let word = word.trim_ascii_start();
    let good = (8..=64).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphanumeric());
    good.then_some(word)
}

fn comment(line: &str) -> Option<&str> {
    Some(line.trim_ascii().strip_prefix("<!--")?.strip_suffix("-->")?.trim_ascii())
}

fn context_nonce<'a>(after: &Cursor<'a>) -> Option<&'a str> {
    let mut ahead = after.clone();
    let mut head = std::iter::from_fn(|| ahead.next_line()).take(CONTEXT_HEAD);
    head.find_map(|line| comment(line.text)?.strip_prefix("clada-context ").and_then(nonce))
}

/// Lines of a skipped text that look like the start of a block: the first few by number.
#[derive(Debug, Default)]
pub(crate) struct Openings {
    named: Vec<u32>,
    count: usize,
}

impl Openings {
    pub(crate) fn add(&mut self, line: u32) {
        self.count += 1;
        if self.named.len() < MAX_NAMED_LINES {
            self.named.push(line);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the message about them, where the lines `first` to `last` are `what`.
    pub(crate) fn message(&self, first: u32, last: u32, what: &str) -> String {
        let named: Vec<_> = self.named.iter().map(u32::to_string).collect();
        let more = self.count - named.len();
        let named = named.join(", ");
        let seen = match (self.count, more) {
            (1, _) => format!("line {named} looks"),
            (_, 0) => format!("lines {named} look"),
            _ => format!("lines {named} and {more} more look"),
        };
        format!(
            "Lines {first} to {last} are {what} and were passed over, although {seen} like the start of a block"
        )
    }
}
