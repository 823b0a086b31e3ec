//! The one forward pass over an answer, in which dialects claim their blocks.
//!
//! Input is the whole text; the module of each dialect knows the meaning of its blocks. A further dialect is
//! one more module with its `RULES` and a [`BlockReader`], and one more entry in `dialect.rs`.

use std::ops::ControlFlow;

use clada_schema::RawAction;
use memchr::memchr;

use crate::around::Around;
use crate::cursor::{Breaks, Cursor, Line, may_be_indented};
use crate::dialect::{Choice, Dialect, Dialects};
use crate::findings::{BlockScanner, Fault, Findings, opening, opening_at};
use crate::glance::Glance;
use crate::plain::{BlockStanding, Withheld};
use crate::reader::BlockReader;
use crate::region::Openings;
use crate::rules::{opens_block, rules};
use crate::voices::{Passed, PriorBlock};
use crate::{Bounds, Code, Options, Parse, not_read, plain, region, tool_call, voice, voices};

/// Finds the blocks of the chosen dialects in `text`, in document order, with their faults.
///
/// At every line that is not inside a block, each chosen dialect is asked whether a block opens there; the
/// first that accepts claims the lines up to its end (spec: dialects, "Finding blocks"). Thinking, reports
/// and embedded documents are never parsed. An answer without blocks gives an empty result.
///
/// A leading BOM is dropped: lines and columns begin after it. Byte ranges ([`crate::Block::source`]) are
/// those of `text` as passed in, with the BOM.
///
/// Never fails and never panics; takes time linear in the text. Beyond `bounds` the result reports it.
#[must_use]
pub fn parse<'a>(text: &'a str, bounds: &Bounds, choice: &Choice) -> Parse<'a> {
    parse_with(text, &Options { bounds: *bounds, choice: choice.clone(), ..Options::default() })
}

/// Works as [`parse`], with every setting.
#[must_use]
pub fn parse_with<'a>(text: &'a str, options: &Options) -> Parse<'a> {
    if text.len() > options.bounds.input {
        return too_large(text.len(), options);
    }
    let mut findings = Findings::new(text, options, options.choice.dialects(), SCANNER);
    let mut cursor = Cursor::new(text);
    if csl_alone(text, &cursor, &findings) {
        findings.dialects = Dialects::from_slice(&[Dialect::Csl]);
        (cursor.breaks, findings.breaks) = (Breaks::LfOrCr, Breaks::LfOrCr);
    }
    let mut state = State::new(&options.choice, text);
    while let Some(line) = cursor.next_line() {
        let stops = step(line, &mut cursor, &mut state, &mut findings, options).is_break();
        if stops && !looks_on(line, &mut cursor, &mut findings) {
            break;
        }
    }
    state.finish(text, findings)
}

const SCANNER: BlockScanner = BlockScanner { opens: opens_block, parse: parse_with };

struct State<'a> {
    /// A reader for each dialect, in their order.
    readers: Vec<Box<dyn BlockReader<'a> + 'a>>,
    around: Around<'a>,
    not_read: not_read::Pass<'a>,
    last_block: PriorBlock,
}

impl<'a> State<'a> {
    fn new(choice: &Choice, text: &'a str) -> Self {
        let readers = Dialect::ALL.iter().map(|dialect| (rules(*dialect).reader)(text, choice));
        State {
            readers: readers.collect(),
            around: Around::default(),
            not_read: not_read::Pass::new(choice),
            last_block: PriorBlock::default(),
        }
    }

    fn start_again(&mut self, choice: &Choice) {
        self.readers.iter_mut().for_each(|reader| reader.start_again(choice));
        (self.around, self.not_read) = (Around::default(), not_read::Pass::new(choice));
    }

    /// Ends the pass: of an answer of which nothing may run, only the findings are given.
    fn finish(mut self, text: &'a str, mut findings: Findings<'a>) -> Parse<'a> {
        self.readers.iter_mut().for_each(|reader| reader.finish(&mut findings));
        if findings.runs_nothing() {
            return findings.finish();
        }
        // Lines that end at CR alone are CSL's.
        let has_lone_cr = || {
            memchr::memchr_iter(b'\r', text.as_bytes()).any(|at| text.as_bytes().get(at + 1) != Some(&b'\n'))
        };
        let blocks = claimed_blocks(&findings);
        let (mut plain, mut standings) = match findings.breaks {
            Breaks::LfOrCr if has_lone_cr() => Default::default(),
            _ => plain::read(text, &findings.claims, &blocks),
        };
        // From the last one on, so that the numbers of the others hold.
        for standing in standings.iter_mut().rev() {
            let (block, place) = (&findings.all_blocks()[standing.number], &blocks[standing.number]);
            if matches!(standing.verdict, Withheld::Question)
                && findings.breaks == Breaks::Lf
                && plain.candidates.len() < plain::MOST
                && block.sound
                && let Some(edits) = plain::conditional_edits(&block.actions, &place.lines, &standing.words)
            {
                plain.candidates.extend(edits);
                standing.verdict = Withheld::Noted;
            }
            withdraw(standing, place, text, &mut self.not_read, &mut findings);
        }
        if !standings.is_empty() {
            findings.sort_reports();
            plain.candidates.sort_by_key(|candidate| candidate.lines.start);
        }
        let candidates = self.not_read.finish(std::mem::take(&mut findings.unread));
        let plain = if findings.breaks == Breaks::Lf { plain } else { plain::Plain::default() };
        Parse { candidates, plain, ..findings.finish() }
    }
}

fn claimed_blocks(findings: &Findings<'_>) -> Vec<plain::ClaimedBlock> {
    // Actions by which a file goes, or is renamed.
    const DEEDS: &[&str] = &["file_delete", "file_move"];
    let is_deed = |action: &RawAction<'_>| action.name.as_deref().is_some_and(|name| DEEDS.contains(&name));
    let paths = |action: &RawAction<'_>| {
        ["path", "old_path"]
            .iter()
            .filter_map(|name| action.field(name).map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let claimed = findings.all_blocks().iter().map(|block| plain::ClaimedBlock {
        start: block.source.start,
        lines: block.start_line..block.end_line.unwrap_or(block.start_line).saturating_add(1),
        paths: block.actions.iter().flat_map(paths).collect(),
        is_deed: block.actions.iter().all(is_deed),
    });
    claimed.collect()
}

// Drops a block that the words around it do not have applied, and names it unless the plain answer does.
fn withdraw<'a>(
    standing: &BlockStanding,
    block: &plain::ClaimedBlock,
    text: &'a str,
    not_read: &mut not_read::Pass<'a>,
    findings: &mut Findings<'a>,
) {
    let (first, _) = Breaks::Lf.first_line(text.get(block.start..).unwrap_or_default());
    let line = Line { number: block.lines.start, start: block.start, text: first };
    findings.drop_blocks(standing.number..standing.number + 1, block.lines.clone());
    let mut name = |hint: String| not_read.unapplied(&line, block.paths.first().cloned(), hint);
    match standing.verdict {
        Withheld::Question => name(plain::conditional_block(&standing.words)),
        Withheld::Named(why) => name(plain::not_applied(why, &standing.words)),
        Withheld::Passed(what) => report_passed(&line, block.lines.end - 1, what, findings),
        Withheld::Noted => {}
    }
}

// Warns that the block from `line` to the line `last` is `what`.
fn report_passed<'a>(line: &Line<'a>, last: u32, what: &str, findings: &mut Findings<'a>) {
    let mut seen = Openings::default();
    seen.add(line.number);
    let message = seen.message(line.number, last, what);
    findings.report(line, line.whole(), Fault::warning(Code::SkippedRegion, message, None));
}

/// Reads `line`, and the block or region that begins at it. Breaks if nothing of the answer may run.
fn step<'a>(
    line: Line<'a>,
    cursor: &mut Cursor<'a>,
    state: &mut State<'a>,
    findings: &mut Findings<'a>,
    options: &Options,
) -> ControlFlow<()> {
    // Two lines of five are empty.
    if line.text.is_empty() && !findings.dialects.contains(Dialect::WholeFile) {
        state.not_read.blank(line);
        return ControlFlow::Continue(());
    }
    let glance = Glance::at(&line, &findings.csl);
    if let Some(dialect) = opening_at(&line, &glance, cursor, findings) {
        if findings.blocks_left() == 0 {
            let limit = findings.bounds.blocks;
            let message = format!("More than {limit} blocks: nothing of this answer is applied");
            findings.report_fatal(&line, line.whole(), Code::TooManyBlocks, message);
            return ControlFlow::Break(());
        }
        let (blocks, mut behind) = (findings.blocks(), cursor.clone());
        let (reader, around) = (&mut state.readers[dialect as usize], &mut state.around);
        let flow =
            findings.as_dialect(Some(dialect), |findings| reader.claim(line, cursor, around, findings));
        if findings.blocks() > blocks {
            let place = line.start..cursor.position();
            let what = voices::around_block(cursor.text(), state.last_block, &place);
            state.last_block = PriorBlock { end: cursor.position(), passed: what };
            match what {
                Some(what) => {
                    findings.drop_blocks(blocks..findings.blocks(), line.number..u32::MAX);
                    report_passed(&line, cursor.lines_passed(), what, findings);
                    findings.claims.voice(place);
                }
                None => findings.claims.blocks(place, blocks..findings.blocks()),
            }
            state.not_read.claimed(cursor);
        } else {
            // Nothing was claimed, so the lines that the dialect passed over may still hold edits that are
            // not read.
            let mut next = Some(line);
            while let Some(line) = next {
                let glance = Glance::at(&line, &findings.csl);
                state.not_read.line(line, &glance, &behind, &options.choice, findings);
                next = if behind.position() < cursor.position() { behind.next_line() } else { None };
            }
        }
        state.around.claimed(cursor);
        findings.surroundings.claimed(cursor);
        return flow;
    }
    if is_quiet(&line, &glance, findings) && !region::ends_thinking(line.text) {
        state.not_read.line(line, &glance, cursor, &options.choice, findings);
        state.around.line(&line, &glance, cursor.text());
        return ControlFlow::Continue(());
    }
    let passed = if region::pass_over(&line, cursor, findings) {
        Some(Passed::Voice)
    } else {
        voices::pass_over(&line, cursor, findings)
    };
    if passed == Some(Passed::Voice) {
        findings.claims.voice(line.start..cursor.position());
    }
    let calls = passed.is_none() && findings.dialects.contains(Dialect::ToolCall);
    if calls && tool_call::pass_over(&line, cursor, findings) {
        findings.claims.other(line.start..cursor.position());
    } else if passed.is_none() {
        return text(line, &glance, cursor, state, findings, options);
    }
    state.not_read.claimed(cursor);
    ControlFlow::Continue(())
}

fn text<'a>(
    line: Line<'a>,
    glance: &Glance<'a>,
    cursor: &mut Cursor<'a>,
    state: &mut State<'a>,
    findings: &mut Findings<'a>,
    options: &Options,
) -> ControlFlow<()> {
    if region::ends_thinking(line.text) {
        region::take_back(&line, findings);
        findings.unread.clear();
        findings.claims.all_before(cursor.position());
        state.start_again(&options.choice);
        findings.surroundings.start_again();
        findings.fence.leave();
        return ControlFlow::Continue(());
    }
    warn_of_indentation(&line, glance, findings);
    state.not_read.line(line, glance, cursor, &options.choice, findings);
    // What is out of place begins as what opens a block, or as the middle or the end of one of Aider.
    let also = if matches!(glance.first, b'=' | b'>' | b'+') { &[Dialect::Aider][..] } else { &[] };
    let looking = glance.opens.with(Dialects::from_slice(also)).among(findings.dialects);
    for (dialect, reader) in Dialect::ALL.iter().zip(&mut state.readers) {
        if looking.contains(*dialect) && (glance.fence.is_none() || rules(*dialect).reads_fences) {
            findings.as_dialect(Some(*dialect), |findings| reader.text(&line, findings))?;
        }
    }
    findings.fence.take(glance.fence);
    state.around.line(&line, glance, cursor.text());
    findings.surroundings.line(&line, glance.fence, cursor.text());
    ControlFlow::Continue(())
}

/// Warns if `line` is not read only because of the blanks before it: in a list, a model may indent all of a
/// block.
fn warn_of_indentation<'a>(line: &Line<'a>, glance: &Glance<'a>, findings: &mut Findings<'a>) {
    if !may_be_indented(line.text) {
        return;
    }
    let would_open = |dialect: Dialect| (rules(dialect).would_open)(line, findings);
    let Some(dialect) = glance.opens.among(findings.dialects).find(would_open) else { return };
    let message = format!(
        "Line {} looks like the start of a block and is not read: the lines of a block must not be indented",
        line.number
    );
    let fault = Fault::warning(Code::IndentedBlock, message, None);
    findings.as_dialect(Some(dialect), |findings| findings.report(line, line.whole(), fault));
}

/// Decides whether to read on after the text that began at `line` stopped the answer: only to find out
/// whether all of it was thinking. If so, moves `cursor` behind `line`.
fn looks_on<'a>(line: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> bool {
    let mut ahead = cursor.clone();
    ahead.return_to(&line);
    ahead.next_line();
    let until = if findings.is_stopped() { cursor.position() } else { cursor.text().len() };
    let Some(budget) = findings.lookahead.checked_sub(until - line.start) else { return false };
    findings.lookahead = budget;
    *cursor = ahead.clone();
    let mut lines = std::iter::from_fn(|| ahead.next_line());
    let thought = findings.is_stopped() || lines.any(|line| region::ends_thinking(line.text));
    if thought {
        findings.stop();
    }
    thought
}

/// Returns true if CSL is the only dialect that can read the lines of `text`: it alone is chosen, or all line
/// ends are CRs, which end no line elsewhere, and nothing else opens at the start.
fn csl_alone(text: &str, cursor: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    if findings.dialects == Dialects::from_slice(&[Dialect::Csl]) {
        return true;
    }
    let lone = memchr(b'\n', text.as_bytes()).is_none() && memchr(b'\r', text.as_bytes()).is_some();
    let mut ahead = cursor.clone();
    lone && findings.dialects.contains(Dialect::Csl)
        && ahead
            .next_line()
            .is_some_and(|first| matches!(opening(&first, &ahead, findings), None | Some(Dialect::Csl)))
}

fn too_large<'a>(length: usize, options: &Options) -> Parse<'a> {
    let message = format!("The input is {length} bytes long; at most {} are read", options.bounds.input);
    let mut findings = Findings::new("", options, Dialects::from_slice(&[]), SCANNER);
    let nowhere = Line { number: 1, start: 0, text: "" };
    findings.report(&nowhere, nowhere.place(), Fault::fatal(Code::InputTooLarge, message));
    findings.finish()
}

/// Returns true if `line`, at which no block opens, is nothing but text to all searches for regions and
/// strays. Most lines are.
#[inline]
fn is_quiet(line: &Line<'_>, glance: &Glance<'_>, findings: &Findings<'_>) -> bool {
    let quiet = glance.quiet || glance.first == b'[' && !tool_call::begins(line, findings);
    quiet && !findings.dialects.contains(Dialect::WholeFile) && !voice::may_begin(line.text)
}
