//! Pairs lines of an old text with lines of a file, near a place.
//!
//! It must not know how the place was found. Similarity of lines is by pairs of letters; the alignment keeps
//! near the diagonal, so it costs lines times the width of that band.

use std::collections::HashMap;
use std::ops::Range;

use super::WorkBudget;
use super::lines::HintLines;
use super::votes::Sayings;
use crate::TextLine;

/// The number of lines that the file may have more or less, before or within.
const BAND: usize = 8;
const COMPARED: usize = 256;
/// Letters of a text that is looked for in other lines than its own.
const REBROKEN: usize = 600;
const GAP: i64 = 6_000;
/// The worth of an equal line beyond being equal, in thousandths of its weight, if the file has it only once:
/// such a line is more likely meant than several lines that are a little similar.
const ANCHOR: i64 = 500;

/// The worth of a line whose words are all there, in thousandths of its weight.
const SAID: i64 = 500;

/// A step of an alignment: an index into the old text's lines and one into the file's.
pub(super) type AlignmentStep = (Option<usize>, Option<usize>);

pub(super) struct LineFacts<'a> {
    pub(super) counts: HashMap<&'a str, usize>,
    pub(super) sayings: Sayings,
}

#[derive(Debug, Clone)]
pub(super) struct HintAlignment {
    pub(super) steps: Vec<AlignmentStep>,
    /// In percent; 100 only if nothing differs.
    pub(super) similarity: u8,
}

impl HintAlignment {
    pub(super) fn query(&self) -> usize {
        self.steps.iter().filter(|step| step.0.is_some()).count()
    }

    pub(super) fn lines(&self) -> Option<(usize, usize)> {
        let mut lines = self.steps.iter().filter_map(|step| step.1);
        let first = lines.next()?;
        Some((first, lines.next_back().unwrap_or(first)))
    }
}

struct LineShape<'a> {
    body: &'a str,
    trimmed: &'a str,
    pairs: Vec<u16>,
    weight: i64,
    /// The worth of the line beyond being equal, if it is equal.
    anchor: i64,
    words: Vec<u64>,
    edge: OldTextEdge,
}

impl<'a> LineShape<'a> {
    fn new(line: TextLine<'a>, edge: OldTextEdge, known: &LineFacts<'_>) -> LineShape<'a> {
        let trimmed = line.body.trim();
        let pairs = pairs(trimmed.bytes(), COMPARED);
        let weight = if trimmed.is_empty() { 2 } else { 8 + trimmed.len().min(60) as i64 };
        let words = known.sayings.words(line.body);
        LineShape { body: line.body, trimmed, pairs, weight, anchor: 0, words, edge }
    }

    fn anchored(self, counts: &HashMap<&str, usize>) -> LineShape<'a> {
        let count = counts.get(self.body).copied().unwrap_or(0).max(1) as i64;
        let anchor = if counts.contains_key(self.body) { ANCHOR * self.weight / count } else { 0 };
        LineShape { anchor, ..self }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct OldTextEdge {
    pub(super) first: bool,
    pub(super) last: bool,
}

impl OldTextEdge {
    const WHOLE: OldTextEdge = OldTextEdge { first: false, last: false };

    // A last line that has a line end is not a part of a longer one.
    pub(super) fn new(old: &[TextLine<'_>], index: usize) -> OldTextEdge {
        let last = index + 1 == old.len() && old[index].end.is_empty();
        OldTextEdge { first: index == 0, last }
    }

    pub(super) fn fits(self, query: &str, there: &str) -> bool {
        match (self.first, self.last) {
            (true, true) => there.contains(query),
            (true, false) => there.ends_with(query),
            (false, true) => there.starts_with(query),
            (false, false) => there == query,
        }
    }
}

pub(super) fn align(
    file: &HintLines<'_>,
    old: &[TextLine<'_>],
    part: Range<usize>,
    place: isize,
    known: &LineFacts<'_>,
    work: &mut WorkBudget,
) -> HintAlignment {
    let low = place.saturating_sub(BAND as isize).max(0) as usize;
    let high = place.saturating_add((part.len() + BAND) as isize).max(0) as usize;
    let high = high.min(file.len()).max(low.min(file.len()));
    let low = low.min(high);
    let query: Vec<LineShape<'_>> = part
        .clone()
        .map(|index| LineShape::new(old[index], OldTextEdge::new(old, index), known).anchored(&known.counts))
        .collect();
    let there: Vec<LineShape<'_>> =
        (low..high).map(|index| LineShape::new(file.get(index), OldTextEdge::WHOLE, known)).collect();
    query.iter().chain(&there).for_each(|shape| work.walk(shape.body.len()));
    let table = Table::fill(&query, &there, place - low as isize, &known.sayings, work);
    table.alignment(&query, part.start, low)
}

/// Scores of aligning the first `row` lines of the old text so that the last one meets the line before column
/// `column`; cells off the band are unreachable.
struct Table {
    width: usize,
    scores: Vec<i64>,
    moves: Vec<CellMove>,
    gains: Vec<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CellMove {
    Start,
    Pair,
    SkipOld,
    SkipFile,
}

impl Table {
    fn fill(
        query: &[LineShape<'_>],
        there: &[LineShape<'_>],
        diagonal: isize,
        sayings: &Sayings,
        work: &mut WorkBudget,
    ) -> Table {
        let width = there.len() + 1;
        let cells = width * (query.len() + 1);
        let (scores, moves, gains) =
            (vec![i64::MIN / 2; cells], vec![CellMove::Start; cells], vec![0; cells]);
        let mut table = Table { width, scores, moves, gains };
        table.scores[..width].fill(0);
        for (row, shape) in query.iter().enumerate() {
            // Only cells near the diagonal: a place that the old text is far off from is another place.
            let from = (row as isize + diagonal - BAND as isize).max(0) as usize;
            let to = (row as isize + diagonal + BAND as isize + 1).clamp(0, there.len() as isize) as usize;
            for column in from..=to {
                let (gain, anchor) = match column.checked_sub(1).and_then(|index| there.get(index)) {
                    Some(other) => {
                        let anchor = if shape.body == other.body { shape.anchor } else { 0 };
                        let shared_words =
                            sayings.common(&shape.words, &other.words) * shape.weight * SAID / 1_000;
                        (similarity(shape, other, work) * shape.weight, anchor + shared_words)
                    }
                    None => (0, 0),
                };
                table.cell(row + 1, column, gain, anchor);
            }
        }
        table
    }

    fn cell(&mut self, row: usize, column: usize, gain: i64, anchor: i64) {
        let at = row * self.width + column;
        let mut best = (self.scores[at - self.width], CellMove::SkipOld);
        if column > 0 {
            let skipped = self.scores[at - 1] - GAP;
            best = if skipped > best.0 { (skipped, CellMove::SkipFile) } else { best };
            let paired = self.scores[at - self.width - 1] + gain + anchor;
            best = if paired >= best.0 { (paired, CellMove::Pair) } else { best };
        }
        (self.scores[at], self.moves[at]) = best;
        self.gains[at] = gain;
    }

    fn alignment(&self, query: &[LineShape<'_>], first: usize, low: usize) -> HintAlignment {
        let mut row = query.len();
        let last = row * self.width;
        let best = (0..self.width).max_by_key(|&column| (self.scores[last + column], self.width - column));
        let mut column = best.unwrap_or(0);
        let (mut steps, mut reached, mut gaps) = (Vec::new(), 0, 0);
        while row > 0 {
            let at = row * self.width + column;
            match self.moves[at] {
                CellMove::Pair if column > 0 => {
                    reached += self.gains[at];
                    (row, column) = (row - 1, column - 1);
                    steps.push((Some(first + row), Some(low + column)));
                }
                CellMove::SkipFile if column > 0 => {
                    column -= 1;
                    gaps += 1;
                    steps.push((None, Some(low + column)));
                }
                _ => {
                    row -= 1;
                    steps.push((Some(first + row), None));
                }
            }
        }
        steps.reverse();
        let whole = query.iter().map(|shape| shape.weight).sum::<i64>() + gaps * GAP / 1_000;
        let similarity = (reached / 10 / whole.max(1)).clamp(0, 100);
        HintAlignment { steps, similarity: similarity as u8 }
    }
}

fn similarity(query: &LineShape<'_>, there: &LineShape<'_>, work: &mut WorkBudget) -> i64 {
    if query.body == there.body {
        return 1_000;
    }
    if query.trimmed == there.trimmed {
        return 970;
    }
    if query.trimmed.is_empty() || there.trimmed.is_empty() {
        return 0;
    }
    let all = query.pairs.len() + there.pairs.len();
    if !work.compare(2 * all + 2) {
        return 0;
    }
    if query.trimmed.len() <= COMPARED
        && there.trimmed.len() <= 16 * COMPARED
        && work.compare(there.trimmed.len())
        && query.edge.fits(query.trimmed, there.trimmed)
    {
        return 960;
    }
    alike(&query.pairs, &there.pairs)
}

fn pairs(text: impl Iterator<Item = u8>, letters: usize) -> Vec<u16> {
    let letters = text.filter(|byte| !byte.is_ascii_whitespace()).take(letters);
    let letters: Vec<u8> = letters.map(|byte| byte.to_ascii_lowercase()).collect();
    let mut pairs: Vec<u16> = letters.windows(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    pairs.sort_unstable();
    pairs
}

fn alike(query: &[u16], there: &[u16]) -> i64 {
    let all = query.len() + there.len();
    if all == 0 {
        return 0;
    }
    let mut common = 0i64;
    let mut others = there.iter().peekable();
    for pair in query {
        while others.next_if(|other| *other < pair).is_some() {}
        common += i64::from(others.next_if(|other| *other == pair).is_some());
    }
    2 * common * 950 / all as i64
}

/// Returns the lines of `file` near `place` that have the same letters as `old`, broken into other lines;
/// `None` if the text is too long for that.
pub(super) fn rebroken(
    file: &HintLines<'_>,
    old: &[TextLine<'_>],
    place: isize,
    work: &mut WorkBudget,
) -> Option<HintAlignment> {
    let letters = |line: &str| line.bytes().filter(|byte| !byte.is_ascii_whitespace()).count();
    let length: usize = old.iter().map(|line| letters(line.body)).sum();
    if old.len() > BAND || length > REBROKEN || length == 0 {
        return None;
    }
    let query = pairs(old.iter().flat_map(|line| line.body.bytes()), REBROKEN);
    let mut best: Option<(i64, Range<usize>)> = None;
    let from = place.saturating_sub(BAND as isize).max(0) as usize;
    for start in from..(from + 2 * BAND).min(file.len()) {
        if !file.get(start).body.contains(char::is_alphanumeric) {
            continue;
        }
        let mut there = Vec::new();
        for end in start..(start + BAND).min(file.len()) {
            let before = there.len();
            there
                .extend(file.get(end).body.bytes().take(REBROKEN).filter(|byte| !byte.is_ascii_whitespace()));
            // A line of blanks alone adds no letters. Text twice as long as the old one is not that text.
            if there.len() == before || there.len() > 2 * length || !work.compare(4 * (length + there.len()))
            {
                break;
            }
            let alike = alike(&query, &pairs(there.iter().copied(), 2 * REBROKEN));
            let is_better =
                |best: &(i64, Range<usize>)| alike > best.0 || alike == best.0 && start == best.1.start;
            if best.as_ref().is_none_or(is_better) {
                best = Some((alike, start..end + 1));
            }
        }
    }
    let (alike, lines) = best.filter(|(_, lines)| lines.len() != old.len())?;
    let count = lines.len().max(old.len());
    let step = |at: usize| ((at < old.len()).then_some(at), (at < lines.len()).then_some(lines.start + at));
    Some(HintAlignment { steps: (0..count).map(step).collect(), similarity: (alike / 10).clamp(0, 99) as u8 })
}
