//! Finds the place in a file that is most like a text that is not there, and says in what it differs.
//!
//! It must not know what edit failed, only which field, so that it can be named.

use std::collections::HashMap;

use super::align::{AlignmentStep, HintAlignment, LineFacts, OldTextEdge, align, rebroken};
use super::alike::code_points;
use super::excerpt::{ExcerptContext, excerpt, whole};
use super::finding::{Hint, HintKind};
use super::lines::HintLines;
use super::sameness::{IGNORABLE, LINE_ENDS, ignorable};
use super::show::{HintText, ShownBlanks, around, common_start, cut, lines_name, visible};
use super::votes::{self, Sayings};
use super::work::WorkBudget;
use crate::eol::lines_at;
use crate::exact::occurrences;
use crate::splice::Comparable;
use crate::{Field, LineEnds, Text, TextLine, split_lines};

const OLD_LINES: usize = 20_000;
/// Lines of the old text that are aligned; of a longer one, those around its first difference.
const ALIGNED: usize = 200;
const PLACES: usize = 6;
/// Percent below which a place is not worth mentioning.
const SIMILAR: usize = 50;
/// The same for a place that has a line of the old text which the file has only once.
const ANCHORED: usize = 35;
const SURE: u8 = 70;
/// The share of the nearest place's rank from which another place may be meant as well, in percent.
const CLOSE: usize = 70;
/// Percent by which a text in other lines than its own is more similar.
const REBROKEN: u8 = 5;
/// The share of a line that an equal line adds to a place, in percent, if the file has it only once.
const ANCHOR: usize = 50;
/// Letters and digits of a line that says something when it is equal.
const LETTERS: usize = 3;
/// Percent from which the nearest place is more likely meant than one that has the new text already.
const MEANT: u8 = 60;
/// Characters, blanks not counted, that a new text must have for its presence to mean something.
const DISTINCTIVE: usize = 8;
/// Bytes of a line within which a similar text is looked for.
const LONG_LINE: usize = 200;
/// Bytes of a part of a text by which its place in a long line is found.
const PART: usize = 4;
const TRIED: usize = 50;
const DIFF: usize = 14;

pub(super) struct Query<'a> {
    pub(super) field: Field,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
    pub(super) before: usize,
}

pub(super) fn no_match(text: &Text<'_>, part: &str, query: &Query<'_>, work: &mut WorkBudget) -> Hint {
    let place = NearestSearch {
        file: HintLines::new(part, text.as_str(), work),
        old: split_lines(query.old).take(OLD_LINES).collect(),
        crlf: text.line_ends() == LineEnds::CrLf,
        query,
    };
    if let Some(hint) = place.unescaped() {
        return hint;
    }
    let near = place.nearest(work);
    let standing = lines_with_new_text(text, query, work);
    let overlap = |(first, last): (usize, usize), near: &HintAlignment| {
        place.lines(near).is_some_and(|near| first <= near.1 && near.0 <= last)
    };
    match (standing, near) {
        (Some(lines), Some((near, _))) if near.similarity >= MEANT && !overlap(lines, &near) => {
            place.nearest_hint(&near, None, Some(lines))
        }
        (Some(lines), _) => place.already_there_hint(lines),
        (None, Some((near, other))) => place.nearest_hint(&near, other.as_ref(), None),
        (None, None) => match place.normalized(work) {
            Some(near) => place.nearest_hint(&near, None, None),
            None => place.within_line(work),
        },
    }
}

/// Returns the lines that hold the new text, if it occurs once, is not just a part of the old one and is not
/// too short to mean something.
fn lines_with_new_text(text: &Text<'_>, query: &Query<'_>, work: &mut WorkBudget) -> Option<(usize, usize)> {
    let there = Comparable::new(text);
    let (old, new) = (there.field(query.old), there.field(query.new));
    let new = new.trim_matches(['\n', '\r']);
    if new.chars().filter(|char| !char.is_whitespace()).take(DISTINCTIVE).count() < DISTINCTIVE
        || old.contains(new)
    {
        return None;
    }
    work.walk(2 * there.body.len());
    let mut places = occurrences(&there.body, new);
    let span = places.next().filter(|_| places.next().is_none())?;
    let lines = lines_at(&there.body, &[span.start, span.end]);
    Some((*lines.first()?, *lines.last()?))
}

struct Ranked {
    rank: usize,
    /// The likelihood that this place is meant, in percent: how similar it is, and how much of what the text
    /// says is there.
    sure: usize,
    is_anchored: bool,
    near: HintAlignment,
}

fn part_like(line: &str, old: &str, work: &mut WorkBudget) -> Option<(usize, usize)> {
    let old = old.trim();
    work.walk(5 * line.len());
    // Halves, then thirds: one of them is whole if the difference is in one place.
    let pieces = [2, 3].into_iter().flat_map(|parts| {
        let length = old.len() / parts;
        (0..parts).filter(move |_| length >= PART).map(move |part| {
            let from = old.floor_char_boundary(part * length);
            from..old.floor_char_boundary(from + length)
        })
    });
    let common =
        |one: &mut dyn Iterator<Item = (u8, u8)>| one.take_while(|(one, other)| one == other).count();
    let places = pieces.flat_map(|piece| {
        occurrences(line, &old[piece.clone()])
            .take(TRIED)
            .map(move |at| (piece.clone(), at))
            .collect::<Vec<_>>()
    });
    let measured = places.map(|(piece, at)| {
        let before = common(&mut line[..at.start].bytes().rev().zip(old[..piece.start].bytes().rev()));
        let behind = common(&mut line[at.end..].bytes().zip(old[piece.end..].bytes()));
        (line.floor_char_boundary(at.start.saturating_sub(piece.start)), piece.len() + before + behind)
    });
    measured.filter(|(_, shared)| 2 * shared >= old.len()).max_by_key(|(_, shared)| *shared)
}

fn alone(line: &str) -> String {
    if line.is_empty() { "(an empty line)".to_owned() } else { visible(line, 0, ShownBlanks::AsWritten) }
}

struct NearestSearch<'a> {
    file: HintLines<'a>,
    old: Vec<TextLine<'a>>,
    crlf: bool,
    query: &'a Query<'a>,
}

impl NearestSearch<'_> {
    fn nearest(&self, work: &mut WorkBudget) -> Option<(HintAlignment, Option<HintAlignment>)> {
        let sayings = Sayings::new(&self.file, &self.old, work);
        let known = LineFacts { counts: self.counts(work), sayings };
        let mut ranked: Vec<Ranked> = Vec::new();
        for place in votes::places(&self.file, &self.old, PLACES, work) {
            let near = self.aligned(place, &known, work);
            let near = self.rebroken(place, near, work);
            let Some((first, last)) = near.lines() else { continue };
            let share = known.sayings.share(&self.file, first..=last, work);
            let (anchors, is_anchored) = self.anchors(&near, &known.counts);
            let sure = (3 * usize::from(near.similarity) + usize::from(share)) / 4;
            // Of a long text, more is compared where more of its start is equal: that counts too.
            ranked.push(Ranked { rank: near.query() * sure + anchors, sure, is_anchored, near });
        }
        ranked.sort_by_key(|place| std::cmp::Reverse(place.rank));
        let mut ranked = ranked.into_iter();
        let best = ranked.next()?;
        let least = if best.is_anchored { ANCHORED } else { SIMILAR };
        let is_other = |place: &Ranked| {
            place
                .near
                .lines()
                .zip(best.near.lines())
                .is_some_and(|(one, best)| one.1 < best.0 || best.1 < one.0)
        };
        let other = ranked.find(is_other).filter(|other| 100 * other.rank >= CLOSE * best.rank);
        (best.sure >= least).then_some((best.near, other.map(|other| other.near)))
    }

    fn rebroken(&self, place: isize, near: HintAlignment, work: &mut WorkBudget) -> HintAlignment {
        let is_equal = |step: &AlignmentStep| {
            step.0.zip(step.1).is_some_and(|(old, file)| self.old[old].body == self.file.get(file).body)
        };
        if near.steps.iter().any(is_equal) {
            return near;
        }
        let other = rebroken(&self.file, &self.old, place, work);
        other.filter(|other| other.similarity > near.similarity + REBROKEN).unwrap_or(near)
    }

    fn counts(&self, work: &mut WorkBudget) -> HashMap<&str, usize> {
        let distinctive =
            |line: &&str| line.chars().filter(|char| char.is_alphanumeric()).nth(LETTERS - 1).is_some();
        let lines = self.old.iter().map(|line| line.body).filter(distinctive);
        let mut counts: HashMap<&str, usize> = lines.map(|line| (line, 0)).collect();
        for line in self.file.iter() {
            work.walk(line.body.len());
            counts.entry(line.body).and_modify(|count| *count += 1);
        }
        counts
    }

    fn anchors(&self, near: &HintAlignment, counts: &HashMap<&str, usize>) -> (usize, bool) {
        let equal = near.steps.iter().filter_map(|step| {
            let (query, there) = (self.old[step.0?].body, self.file.get(step.1?).body);
            counts.get(query).copied().filter(|count| query == there && *count > 0)
        });
        equal.fold((0, false), |(sum, only), count| (sum + ANCHOR / count, only || count == 1))
    }

    fn aligned(&self, place: isize, known: &LineFacts<'_>, work: &mut WorkBudget) -> HintAlignment {
        let all = self.old.len();
        if all <= ALIGNED {
            return align(&self.file, &self.old, 0..all, place, known, work);
        }
        let there = |index: usize| usize::try_from(place + index as isize).ok();
        let same =
            |index: &usize| there(*index).is_some_and(|at| self.file.get(at).body == self.old[*index].body);
        let equal = (0..all).take_while(same).count();
        let from = equal.saturating_sub(ALIGNED / 10).min(all - ALIGNED);
        let start = place.saturating_add(from as isize);
        let mut aligned = align(&self.file, &self.old, from..from + ALIGNED, start, known, work);
        let before = (0..from).map(|index| (Some(index), there(index)));
        aligned.steps.splice(0..0, before);
        let similarity = (from * 100 + usize::from(aligned.similarity) * ALIGNED) / (from + ALIGNED);
        HintAlignment { similarity: similarity.min(100) as u8, ..aligned }
    }

    fn lines(&self, near: &HintAlignment) -> Option<(usize, usize)> {
        let (first, last) = near.lines()?;
        Some((self.number(first), self.number(last)))
    }

    fn number(&self, index: usize) -> usize {
        self.query.before + index + 1
    }

    /// Returns the one place whose lines are those of the old text if one thing is ignored: lines that are too short
    /// to be found by what they have in common.
    fn normalized(&self, work: &mut WorkBudget) -> Option<HintAlignment> {
        let count = self.old.len();
        if count == 0 || !work.compare(IGNORABLE.len() * self.file.text().len()) {
            return None;
        }
        IGNORABLE.iter().find_map(|(_, normal)| {
            let old: Vec<_> = self.old.iter().map(|line| normal(line.body)).collect();
            if old.iter().all(|line| line.trim().is_empty()) {
                return None;
            }
            let there: Vec<_> = self.file.iter().map(|line| normal(line.body)).collect();
            let mut places = there.windows(count).enumerate().filter(|(_, window)| *window == old);
            let (first, _) = places.next().filter(|_| places.next().is_none())?;
            let steps = (0..count).map(|at| (Some(at), Some(first + at))).collect();
            Some(HintAlignment { steps, similarity: 99 })
        })
    }

    fn unescaped(&self) -> Option<Hint> {
        let old = self.query.old;
        let plain = old.replace("\\n", "\n").replace("\\t", "\t").replace("\\\"", "\"").replace("\\'", "'");
        let plain = plain.replace("\\\\", "\\");
        let file = self.file.text();
        let mut places = occurrences(file, plain.trim_end());
        let span = places.next().filter(|_| plain != old && !plain.trim().is_empty())?;
        let lines = lines_at(file, &[span.start, span.end]);
        let lines = (self.query.before + lines.first()?, self.query.before + lines.last()?);
        let mut words = HintText::default();
        let (name, field) = (lines_name(lines), self.query.field);
        words.line(&format!(
            "{field} is at {name} with one level of escapes less (`\"` for `\\\"`, a line end for `\\n`)."
        ));
        words.line("It would match if it were escaped once.");
        Some(Hint { kind: HintKind::AlmostEqual, text: words.finish(), lines: Some(lines), similarity: None })
    }

    fn within_line(&self, work: &mut WorkBudget) -> Hint {
        let [old] = &self.old[..] else { return self.nothing() };
        let near = self.file.iter().enumerate().filter(|(_, line)| line.body.len() > LONG_LINE);
        let best = near.filter_map(|(at, line)| part_like(line.body, old.body, work).map(|part| (at, part)));
        let Some((at, (start, shared))) = best.max_by_key(|(_, (_, shared))| *shared) else {
            return self.nothing();
        };
        let (number, line) = (self.number(at), self.file.get(at).body);
        let similarity = u8::try_from(100 * shared / old.body.len().max(1)).unwrap_or(99).min(99);
        let mut words = HintText::default();
        words.line(&format!("The nearest text is within line {number}, {similarity} % similar:"));
        words.line(&format!("  answer: {}", cut(old.body)));
        words.line(&format!("  file:   {}", around(line, start..start + old.body.len())));
        let lines = Some((number, number));
        Hint { kind: HintKind::Nearest, text: words.finish(), lines, similarity: Some(similarity) }
    }

    fn nothing(&self) -> Hint {
        let Query { field, before, .. } = self.query;
        let mut words = HintText::default();
        words.line(&match (self.file.len(), before) {
            (0, 0) => "The file is empty.".to_owned(),
            (1, 0) => format!("Nothing in the file is similar to {field}; it has 1 line."),
            (count, 0) => format!("Nothing in the file is similar to {field}; it has {count} lines."),
            _ => format!("Nothing after line {before} is similar to {field}."),
        });
        if *before == 0 {
            whole(&mut words, &self.file);
        }
        Hint { kind: HintKind::Nothing, text: words.finish(), lines: None, similarity: None }
    }

    fn already_there_hint(&self, lines: (usize, usize)) -> Hint {
        let mut words = HintText::default();
        let (field, name) = (self.query.field, lines_name(lines));
        let verb = field.verb();
        words.line(&format!("The new text is already at {name}, and {field} {verb} not in the file:"));
        words.line("the edit may have been made before. If so, leave it out.");
        let before = self.query.before;
        excerpt(
            &mut words,
            (&self.file, before),
            (lines.0 - 1, lines.1 - 1),
            lines.0 - 1,
            ExcerptContext::Little,
        );
        let kind = HintKind::AlreadyInFile;
        Hint { kind, text: words.finish(), lines: Some(lines), similarity: None }
    }

    fn nearest_hint(
        &self,
        near: &HintAlignment,
        other: Option<&HintAlignment>,
        standing: Option<(usize, usize)>,
    ) -> Hint {
        let similarity = near.similarity.min(99);
        let lines = self.lines(near);
        let ignorable = ignorable(&self.file, &self.old, near).filter(|_| near.query() == self.old.len());
        let mut words = HintText::default();
        let name = lines.map(lines_name).unwrap_or_default();
        if similarity >= SURE || ignorable.is_some() {
            // The model takes these words as a fact, so any place that is less sure is called a guess.
            words.line(&format!("The nearest text is at {name}, {similarity} % similar."));
        } else {
            let verb = if lines.is_some_and(|(first, last)| first < last) { "are" } else { "is" };
            words.line(&format!("Perhaps {name} {verb} meant, {similarity} % similar."));
            if let Some((lines, near)) = other.and_then(|other| self.lines(other).zip(other.lines())) {
                words.line(&format!("  or {}: {}", lines_name(lines), cut(self.file.get(near.0).body)));
            }
        }
        if let Some(what) = ignorable {
            words.line(&format!("It would match if {what} were ignored."));
        }
        if let Some(standing) = standing {
            words.line(&format!("The new text is already at {}.", lines_name(standing)));
        }
        let first = near.steps.iter().position(|step| !self.equal(*step));
        if let Some(first) = first {
            self.difference(&mut words, near.steps[first]);
            if ignorable != Some(LINE_ENDS) {
                self.small_diff(&mut words, &near.steps, first);
            }
        }
        if let Some(window) = near.lines() {
            let middle =
                near.steps[..first.map_or(0, |first| first + 1)].iter().rev().find_map(|step| step.1);
            let before = self.query.before;
            excerpt(
                &mut words,
                (&self.file, before),
                window,
                middle.unwrap_or(window.0),
                ExcerptContext::More,
            );
        }
        let kind = if ignorable.is_some() { HintKind::AlmostEqual } else { HintKind::Nearest };
        Hint { kind, text: words.finish(), lines, similarity: Some(similarity) }
    }

    fn equal(&self, step: AlignmentStep) -> bool {
        let (Some(query), Some(there)) = step else { return false };
        let edge = OldTextEdge::new(&self.old, query);
        let (query, there) = (self.old[query], self.file.get(there));
        if edge.last {
            return edge.fits(query.body, there.body);
        }
        edge.fits(query.body, there.body) && self.end(&query) == self.end(&there)
    }

    fn end<'l>(&self, line: &TextLine<'l>) -> &'l str {
        if self.crlf && line.end == "\r\n" { "\n" } else { line.end }
    }

    fn difference(&self, words: &mut HintText, step: AlignmentStep) {
        let field = self.query.field;
        match step {
            (Some(query), Some(there)) => {
                let (number, line) = (self.number(there), query + 1);
                let codes = code_points(self.old[query].body, self.file.get(there).body);
                let (query, there, marks) = self.made_visible(&self.old[query], &self.file.get(there));
                // The legend has only the signs that these two lines have.
                let marks: Vec<&str> = [('→', "→ is a tab"), ('·', "· is a space")]
                    .into_iter()
                    .filter(|(mark, _)| marks && (query.contains(*mark) || there.contains(*mark)))
                    .map(|(_, wording)| wording)
                    .collect();
                let marks = if marks.is_empty() { String::new() } else { format!("; {}", marks.join(", ")) };
                words.line(&format!("First difference at line {number} (line {line} of {field}{marks}):"));
                words.line(&format!("  answer: {query}"));
                words.line(&format!("  file:   {there}"));
                if let Some([query, there]) = codes {
                    words.line(&format!("  They look alike: {query} asked, {there} there."));
                }
            }
            (Some(query), None) => {
                words.line(&format!("First difference: line {} of {field} is not in the file:", query + 1));
                words.line(&format!("  answer: {}", alone(self.old[query].body)));
            }
            (None, there) => {
                let there = there.unwrap_or_default();
                words.line(&format!("First difference: line {} is only in the file:", self.number(there)));
                words.line(&format!("  file:   {}", alone(self.file.get(there).body)));
            }
        }
    }

    fn made_visible(&self, query: &TextLine<'_>, there: &TextLine<'_>) -> (String, String, bool) {
        // Equal lines can differ only in their line ends, which are invisible otherwise.
        if query.body == there.body {
            let whole = |line: &TextLine<'_>| {
                let shown = visible(line.body, line.body.len(), ShownBlanks::AsWritten);
                let end = if line.end.is_empty() {
                    " (no line end)".to_owned()
                } else {
                    visible(line.end, 0, ShownBlanks::All)
                };
                shown + &end
            };
            return (whole(query), whole(there), false);
        }
        let letters = |line: &str| line.chars().filter(|char| !char.is_whitespace()).collect::<String>();
        let outer = |line: &str| {
            let start = line.len() - line.trim_start().len();
            (line[..start].to_owned(), line[line.trim_end().len().max(start)..].to_owned())
        };
        let blanks = if letters(query.body) == letters(there.body) {
            ShownBlanks::All
        } else if outer(query.body) == outer(there.body) {
            ShownBlanks::AsWritten
        } else {
            ShownBlanks::Outer
        };
        let at = common_start(query.body, there.body);
        let marked = |line: &str| {
            let mark = if line.ends_with(char::is_whitespace) { "  (blanks at the end)" } else { "" };
            visible(line, at, blanks) + mark
        };
        (marked(query.body), marked(there.body), blanks != ShownBlanks::AsWritten)
    }

    fn small_diff(&self, words: &mut HintText, steps: &[AlignmentStep], first: usize) {
        let differences = steps[first..].iter().filter(|step| !self.equal(**step)).take(2).count();
        if differences < 2 {
            return;
        }
        words.line("Asked (-), in the file (+):");
        let mut shown = Vec::new();
        let from = first.saturating_sub(1);
        for group in steps[from..].chunk_by(|one, next| self.equal(*one) == self.equal(*next)) {
            if self.equal(group[0]) {
                let same = group.iter().filter_map(|step| step.1).take(DIFF);
                shown.extend(same.map(|at| format!("  {}", cut(self.file.get(at).body))));
            } else {
                let query = group.iter().filter_map(|step| step.0).take(DIFF);
                shown.extend(query.map(|at| format!("- {}", cut(self.old[at].body))));
                let there = group.iter().filter_map(|step| step.1).take(DIFF);
                shown.extend(there.map(|at| format!("+ {}", cut(self.file.get(at).body))));
            }
            if shown.len() > DIFF {
                break;
            }
        }
        shown.iter().take(DIFF).for_each(|line| words.line(line));
        if shown.len() > DIFF {
            words.line("  …");
        }
    }
}
