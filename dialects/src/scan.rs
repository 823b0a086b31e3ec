//! The one forward pass over an answer, in which dialects claim their blocks.
//!
//! Input is the whole text; the module of each dialect knows the meaning of its blocks. A further dialect is
//! one more module with `opens` and `claim`, one more variant of [`Dialect`], the first characters of its
//! markers in `glance`, and one more arm in each of the two functions at the end of this file.

use std::ops::ControlFlow;

use memchr::memchr;

use crate::around::Around;
use crate::cursor::{Breaks, Cursor, Line, may_be_indented};
use crate::findings::{Fault, Findings};
use crate::glance::{Dialects, Glance};
use crate::voice::Passed;
use crate::{
    Bounds, Choice, Code, Dialect, Options, Parse, aider, apply_patch, cml, csl, not_read, region, replacer,
    sham, tool_call, unified_diff, voice,
};

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
    let mut findings = Findings::new(text, options, options.choice.dialects());
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
    findings.finish_with_candidates(state.not_read)
}

/// The state that dialects keep between their blocks.
struct State<'a> {
    csl: csl::Strays<'a>,
    cml: cml::Memory<'a>,
    replacer: replacer::Strays,
    aider: aider::Memory<'a>,
    around: Around<'a>,
    blocks: aider::Strays,
    patches: apply_patch::Strays,
    not_read: not_read::Pass<'a>,
}

impl<'a> State<'a> {
    fn new(choice: &Choice, text: &'a str) -> Self {
        State {
            csl: csl::Strays::new(choice),
            cml: cml::Memory::new(text),
            replacer: replacer::Strays::default(),
            aider: aider::Memory::default(),
            around: Around::default(),
            blocks: aider::Strays::default(),
            patches: apply_patch::Strays::default(),
            not_read: not_read::Pass::new(choice),
        }
    }

    /// Resets the state about blocks. CML's state is about the text and stays.
    fn start_again(&mut self, choice: &Choice) {
        let fresh = State::new(choice, "");
        (self.csl, self.replacer, self.aider) = (fresh.csl, fresh.replacer, fresh.aider);
        self.around = fresh.around;
        (self.blocks, self.patches, self.not_read) = (fresh.blocks, fresh.patches, fresh.not_read);
    }
}

/// Reads `line`, and the block or region that begins at it. Breaks if nothing of the answer may run.
fn step<'a>(
    line: Line<'a>,
    cursor: &mut Cursor<'a>,
    state: &mut State<'a>,
    findings: &mut Findings<'a>,
    options: &Options,
) -> ControlFlow<()> {
    let glance = Glance::at(&line, &findings.csl);
    if let Some(dialect) = opening_at(&line, &glance, cursor, findings) {
        if findings.blocks_left() == 0 {
            let limit = findings.bounds.blocks;
            let message = format!("More than {limit} blocks: nothing of this answer is applied");
            findings.report_fatal(&line, line.whole(), Code::TooManyBlocks, message);
            return ControlFlow::Break(());
        }
        findings.reading = Some(dialect);
        let (blocks, mut behind) = (findings.blocks(), cursor.clone());
        let flow = claim(dialect, line, cursor, state, findings);
        findings.reading = None;
        if findings.blocks() > blocks {
            findings.claims.block(line.start..cursor.position());
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
        state.around.line(&line, glance.fence, cursor.text());
        return ControlFlow::Continue(());
    }
    let passed = if region::pass_over(&line, cursor, findings) {
        Some(Passed::Voice)
    } else {
        voice::pass_over(&line, cursor, findings)
    };
    if passed == Some(Passed::Voice) {
        findings.claims.voice(line.start..cursor.position());
    }
    let calls = passed.is_none() && findings.dialects.contains(Dialect::ToolCall);
    if calls && tool_call::pass_over(&line, cursor, findings) {
        findings.claims.block(line.start..cursor.position());
    } else if passed.is_none() {
        return text(line, &glance, cursor, state, findings, options);
    }
    state.not_read.claimed(cursor);
    ControlFlow::Continue(())
}

/// Reads `line`, which is no part of a block or region: it may be out of place.
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
    warn_of_indentation(&line, findings);
    state.not_read.line(line, glance, cursor, &options.choice, findings);
    findings.fence.take(glance.fence);
    state.around.line(&line, glance.fence, cursor.text());
    // No marker begins as a fence does, except those of CSL, which can be chosen.
    if glance.fence.is_none() {
        findings.reading = Some(Dialect::Cml);
        state.cml.line(&line, cursor.text(), findings);
    }
    findings.surroundings.line(&line, glance.fence, cursor.text());
    if glance.fence.is_none() {
        findings.reading = Some(Dialect::Replacer);
        state.replacer.line(&line, findings);
        findings.reading = Some(Dialect::Sham);
        sham::warn_of_end(&line, findings);
        findings.reading = Some(Dialect::ApplyPatch);
        state.patches.line(&line, findings);
        findings.reading = Some(Dialect::Aider);
        state.blocks.line(&line, findings);
    }
    findings.reading = Some(Dialect::Csl);
    let flow = state.csl.line(&line, findings);
    findings.reading = None;
    flow
}

/// Warns if `line` is not read only because of the blanks before it: in a list, a model may indent all of a
/// block.
fn warn_of_indentation<'a>(line: &Line<'a>, findings: &mut Findings<'a>) {
    if !may_be_indented(line.text) {
        return;
    }
    let is = |dialect, would_open: bool| would_open && findings.dialects.contains(dialect);
    let dialect = if is(Dialect::Sham, sham::is_indented_header(line.text)) {
        Dialect::Sham
    } else if is(Dialect::Csl, csl::is_indented_opening(line.text, &findings.csl)) {
        Dialect::Csl
    } else if is(Dialect::Replacer, replacer::is_indented_file(line.text)) {
        Dialect::Replacer
    } else {
        return;
    };
    findings.reading = Some(dialect);
    let message = format!(
        "Line {} looks like the start of a block and is not read: the lines of a block must not be indented",
        line.number
    );
    findings.report(line, line.whole(), Fault::warning(Code::IndentedBlock, message, None));
    findings.reading = None;
}

/// Decides whether to read on after the text that began at `line` stopped the answer: only to find out
/// whether all of it was thinking. If so, moves `cursor` behind `line`.
fn looks_on<'a>(line: Line<'a>, cursor: &mut Cursor<'a>, findings: &mut Findings<'a>) -> bool {
    let mut ahead = cursor.clone();
    ahead.return_to(&line);
    ahead.next_line();
    let until = if findings.is_stopped() { cursor.position() } else { cursor.text().len() };
    let Some(left) = findings.lookahead.checked_sub(until - line.start) else { return false };
    findings.lookahead = left;
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
    let mut findings = Findings::new("", options, Dialects::from_slice(&[]));
    let nowhere = Line { number: 1, start: 0, text: "" };
    findings.report(&nowhere, nowhere.place(), Fault::fatal(Code::InputTooLarge, message));
    findings.finish()
}

/// Returns the first of the dialects of the pass that has a block open at `line`, which `after` follows.
pub(crate) fn opening(line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> Option<Dialect> {
    opening_at(line, &Glance::at(line, &findings.csl), after, findings)
}

/// The same for a line with the result `glance`.
#[inline]
fn opening_at(
    line: &Line<'_>,
    glance: &Glance<'_>,
    after: &Cursor<'_>,
    findings: &Findings<'_>,
) -> Option<Dialect> {
    glance.opens.among(findings.dialects).find(|dialect| opens(dialect, line, after, findings))
}

/// Returns true if `line`, at which no block opens, is nothing but text to all searches for regions and
/// strays. Most lines are.
#[inline]
fn is_quiet(line: &Line<'_>, glance: &Glance<'_>, findings: &Findings<'_>) -> bool {
    let quiet = glance.quiet || glance.first == b'[' && !tool_call::begins(line, findings);
    quiet && !voice::may_begin(line.text)
}

pub(crate) fn opens(dialect: Dialect, line: &Line<'_>, after: &Cursor<'_>, findings: &Findings<'_>) -> bool {
    match dialect {
        Dialect::Sham => sham::opens_block(line, after),
        Dialect::Csl => csl::opens(line.text, &findings.csl),
        Dialect::Cml => cml::opens(line, after, findings),
        Dialect::Replacer => replacer::opens(line.text, after),
        Dialect::ApplyPatch => apply_patch::opens(line),
        Dialect::Aider => aider::opens(line, after),
        Dialect::UnifiedDiff => unified_diff::opens(line, after, findings),
        Dialect::ToolCall => tool_call::opens(line, findings),
        // The reader of plain answers reads it.
        Dialect::WholeFile => false,
    }
}

/// Hands in the block of `dialect` that opens at `line` and moves `cursor`, which is after it, past the
/// block. Breaks if nothing of the answer may run.
fn claim<'a>(
    dialect: Dialect,
    line: Line<'a>,
    cursor: &mut Cursor<'a>,
    state: &mut State<'a>,
    findings: &mut Findings<'a>,
) -> ControlFlow<()> {
    match dialect {
        Dialect::Sham => sham::claim(line, cursor, findings),
        Dialect::Csl => return csl::claim(&line, cursor, &mut state.csl, findings),
        Dialect::Cml => return cml::claim(line, cursor, &mut state.cml, findings),
        Dialect::Replacer => replacer::claim(line, cursor, &mut state.replacer, findings),
        Dialect::ApplyPatch => return apply_patch::claim(line, cursor, &state.around, findings),
        Dialect::Aider => aider::claim(line, cursor, &mut state.aider, findings),
        Dialect::UnifiedDiff => unified_diff::claim(line, cursor, &mut state.around, findings),
        Dialect::ToolCall => return tool_call::claim(&line, cursor, findings),
        // Never opens.
        Dialect::WholeFile => {}
    }
    ControlFlow::Continue(())
}
