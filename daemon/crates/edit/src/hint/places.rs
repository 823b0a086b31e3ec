//! Lists several matches, and says how to mean one of them.
//!
//! It must not know how they were found, only that they are ascending spans of a text.

use std::ops::Range;

use memchr::memmem;

use super::finding::{Hint, HintKind};
use super::show::{HintText, around, cut, lines_name};
use super::work::WorkBudget;
use crate::eol::{end_byte, lines_at};
use crate::{Expect, Field};

const LISTED: usize = 10;
const MADE_UNIQUE: usize = 3;
const RIVALS: usize = 200;
const LONG_LINE: usize = 300;
/// Lines of context that may be asked for.
const CONTEXT: usize = 8;

struct PlacesBody<'a> {
    text: &'a str,
    end: u8,
}

/// `spans` are the first of `total` places, of which more or fewer were expected.
pub(super) fn places(
    lead: Option<&str>,
    body: &str,
    (spans, total): (impl Iterator<Item = Range<usize>>, usize),
    field: Field,
    expected: Expect,
    work: &mut WorkBudget,
) -> Hint {
    work.walk(3 * body.len());
    let spans: Vec<Range<usize>> = spans.take(RIVALS + 1).collect();
    let listed = &spans[..spans.len().min(LISTED)];
    let body = PlacesBody { text: body, end: end_byte(body) };
    let advise = matches!(expected, Expect::ExactlyOne | Expect::Exactly(1))
        && matches!(field, Field::OldText | Field::Lines)
        && total <= RIVALS;
    let mut words = HintText::default();
    lead.iter().for_each(|lead| words.line(lead));
    let occurs = if field == Field::Lines { "occur" } else { "occurs" };
    words.line(&format!("{field} {occurs} at {total} place{}:", if total == 1 { "" } else { "s" }));
    let lines = body.lines_of(listed);
    let mut index = 0;
    // Several matches on the same lines are listed once: one row with a count says as much.
    for group in lines.chunk_by(|one, next| one == next) {
        let times = if group.len() > 1 { format!(" ({} times)", group.len()) } else { String::new() };
        words.line(&format!("  {}{times}: {}", lines_name(group[0]), body.shown(&listed[index])));
        if advise && group.len() == 1 && index < MADE_UNIQUE {
            let advice = body.unique(&spans, index, group[0].0, work);
            advice.iter().for_each(|advice| words.line(&format!("    {advice}")));
        }
        index += group.len();
    }
    if total > listed.len() {
        words.line(&format!("  … and {} more", total - listed.len()));
    }
    let around = lines.first().zip(lines.last()).map(|(first, last)| (first.0, last.1));
    Hint { kind: HintKind::Places, text: words.finish(), lines: around, similarity: None }
}

impl PlacesBody<'_> {
    fn lines_of(&self, spans: &[Range<usize>]) -> Vec<(usize, usize)> {
        let end = |span: &Range<usize>| {
            let ended = self.text.as_bytes()[span.clone()].last() == Some(&self.end);
            span.end - usize::from(ended)
        };
        let offsets: Vec<usize> = spans.iter().flat_map(|span| [span.start, end(span)]).collect();
        lines_at(self.text, &offsets).chunks(2).map(|pair| (pair[0], pair[pair.len() - 1])).collect()
    }

    fn shown(&self, span: &Range<usize>) -> String {
        let (start, line) = (self.start(span.start), self.line(span.start));
        match line.len() <= LONG_LINE {
            true => line.to_owned(),
            false => around(line, span.start - start..(span.end - start).min(line.len())),
        }
    }

    fn line(&self, at: usize) -> &str {
        &self.text[self.start(at)..self.stop(at)]
    }

    fn start(&self, at: usize) -> usize {
        memchr::memrchr(self.end, &self.text.as_bytes()[..at]).map_or(0, |total| total + 1)
    }

    fn stop(&self, at: usize) -> usize {
        memchr::memchr(self.end, &self.text.as_bytes()[at..]).map_or(self.text.len(), |total| at + total)
    }

    fn unique(
        &self,
        spans: &[Range<usize>],
        index: usize,
        first: usize,
        work: &mut WorkBudget,
    ) -> Option<String> {
        let (span, text) = (&spans[index], self.text);
        let others = || spans.iter().filter(|other| *other != span);
        let (mut from, mut to) = (span.start, span.end);
        for more in 0..=CONTEXT {
            from = self.start(if more == 0 { from } else { from.saturating_sub(1) });
            to = self.stop(if more == 0 { to } else { (to + 1).min(text.len()) });
            if !work.compare(spans.len() * (to - from)) {
                return None;
            }
            let above = &text[from..span.start];
            if others().all(|other| !text[..other.start].ends_with(above)) && self.only(from..span.end, work)
            {
                let line = first - self.ends_in(from..span.start);
                return Some(format!("unique if it includes line {line}: {}", cut(self.line(from))));
            }
            let below = &text[span.end..to];
            if others().all(|other| !text[other.end..].starts_with(below)) && self.only(span.start..to, work)
            {
                // At the end of a text that ends with a line end, the line is the one before.
                let on = to - usize::from(to == text.len() && text.as_bytes().last() == Some(&self.end));
                let line = first + self.ends_in(span.start..on);
                return Some(format!("unique if it includes line {line}: {}", cut(self.line(on))));
            }
        }
        None
    }

    fn ends_in(&self, span: Range<usize>) -> usize {
        memchr::memchr_iter(self.end, &self.text.as_bytes()[span]).count()
    }

    fn only(&self, span: Range<usize>, work: &mut WorkBudget) -> bool {
        work.walk(self.text.len());
        let bytes = self.text.as_bytes();
        let finder = memmem::Finder::new(&bytes[span.clone()]);
        finder.find(bytes) == Some(span.start) && finder.find(&bytes[span.start + 1..]).is_none()
    }
}
