//! Lines of the part that are no whole units: the region of the file between their first and their last line.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::lines::find_region;
use crate::note::{NoteKind, Position};
use crate::refused::{Reason, excerpt};
use crate::source::{Source, letters};

use super::alike::{first_word, overlap};
use super::gaps::FEW;
use super::merger::{Merger, Stop};
use super::unit::norm;

/// Pairs of a first and a last line that are compared.
const PAIRS: usize = 400;
/// Lines by which one of several pairs has to be better.
const MARGIN: isize = 2;

/// A region of the file that may be the part's.
#[derive(Debug, Clone, Copy)]
struct Place {
    first: usize,
    last: usize,
    /// Lines that both have, twice, less all lines of both.
    score: isize,
    common: usize,
    count: usize,
}

impl Merger<'_, '_> {
    /// Replaces the region that these lines of the part stand for, from line `from` of the file on. Returns the
    /// line behind it.
    pub(super) fn merge_region(&mut self, shown: Range<usize>, from: usize) -> Result<usize, Stop> {
        let part = self.part;
        let text: Vec<usize> = shown.filter(|at| !part.blank[*at]).collect();
        let (Some(first), Some(last)) = (text.first().copied(), text.last().copied()) else {
            return Ok(from);
        };
        let place = self.find_region(first, last, text.len(), from)?;
        let lines: Vec<&str> = text.iter().map(|at| part.norm[*at].as_str()).collect();
        if self.label.label_says_add && self.is_frame_alone(&place, &text) {
            return self.insert_in_frame(&place, &text);
        }
        self.check_region(&place, &lines)?;
        let new = self.shifted(first..last + 1, first, place.first);
        let range = place.first..place.last + 1;
        let is_equal = new
            .iter()
            .map(|line| line.trim())
            .eq(self.file.lines[range.clone()].iter().map(|line| line.trim()));
        let shift =
            |shown: usize, there: usize| part.indent[shown] as isize - self.file.indent[there] as isize;
        if self.file.family.is_indented() && shift(first, place.first) != shift(last, place.last) {
            let detail =
                format!("`{}` is as deep in the part as in no region of the file", excerpt(&part.norm[last]));
            return Err(Stop::new(Reason::Ambiguous, detail));
        }
        // Where indentation is meaning, a region that is only deeper has changed.
        let is_moved = self.file.family.is_indented()
            && !new
                .iter()
                .map(|line| line.trim_end())
                .eq(self.file.lines[range.clone()].iter().map(|line| line.trim_end()));
        if !is_equal || is_moved {
            let name = self.file.norm[place.first].clone();
            let lost = place.count - place.common;
            self.edit(range.clone(), new);
            self.note(NoteKind::Replaced { lost }, &name, range.clone());
        }
        Ok(range.end)
    }

    /// Replaces the region that these lines of the part begin and end: exactly, or else apart from blanks and
    /// remarks.
    pub(super) fn merge_any_region(&mut self, shown: Range<usize>, from: usize) -> Result<usize, Stop> {
        match self.merge_equal_region(shown.clone(), from) {
            // Something would be there twice: that is no better with another indentation.
            Err(stop) if stop.refused.reason != Reason::Breaks => self.merge_region(shown, from),
            region => region,
        }
    }

    /// Replaces the region that exactly these lines of the part begin and end, from line `from` of the file on.
    /// Returns the line behind it.
    fn merge_equal_region(&mut self, shown: Range<usize>, from: usize) -> Result<usize, Stop> {
        let mut text = shown.clone().filter(|at| !self.part.blank[*at]);
        let ends = [text.next(), text.next_back()];
        if let Some(line) =
            ends.iter().flatten().find(|at| !self.known.contains(self.part.norm[**at].as_str()))
        {
            let detail = format!("the file does not have the line `{}`", excerpt(self.part.lines[*line]));
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        let rest = Source::of_lines(&self.file.lines[from..]);
        let lines = Source::of_lines(&self.part.lines[shown]);
        let region = find_region(&rest, &lines).map_err(|refused| Stop { refused, is_final: false })?;
        let range = region.lines.start + from..region.lines.end + from;
        if !region.notes.is_empty() {
            self.edit(range.clone(), region.new);
            self.notes.extend(region.notes.into_iter().map(|note| note.below(from)));
            self.covered.push(range.clone());
        }
        Ok(range.end)
    }

    fn find_region(&self, first: usize, last: usize, count: usize, from: usize) -> Result<Place, Stop> {
        let (file, part) = (self.file, self.part);
        let places = |line: usize| -> Result<Vec<usize>, Stop> {
            let text = &part.norm[line];
            let matches: Vec<usize> =
                (from..file.len()).filter(|at| !file.blank[*at] && file.norm[*at] == *text).collect();
            if matches.is_empty() {
                let detail = format!("the file does not have the line `{}`", excerpt(text));
                return Err(Stop::new(Reason::NoPlace, detail));
            }
            Ok(matches)
        };
        let (starts, ends) = (places(first)?, places(last)?);
        let lines: Vec<&str> = norm(part, first..last + 1);
        let mut places: Vec<Place> = Vec::new();
        let title = || format!("`{}` to `{}`", excerpt(&part.norm[first]), excerpt(&part.norm[last]));
        for start in &starts {
            let from = ends.partition_point(|end| end < start);
            // A region much longer than what the part shows would hold lines that nobody has seen.
            for end in ends[from..].iter().take_while(|end| **end - start <= 3 * count + 20) {
                if count > 1 && start == end {
                    continue;
                }
                let region = norm(file, *start..*end + 1);
                let common = overlap(&lines, &region);
                let score = 2 * common as isize - (lines.len() + region.len()) as isize;
                places.push(Place { first: *start, last: *end, score, common, count: region.len() });
                if places.len() > PAIRS {
                    return Err(Stop::new(Reason::Ambiguous, format!("{} fits at too many places", title())));
                }
            }
        }
        places.sort_by_key(|place| (std::cmp::Reverse(place.score), place.last - place.first, place.first));
        match places[..] {
            [] => Err(Stop::new(Reason::NoPlace, format!("{} is not a region of the file", title()))),
            [best, next, ..] if next.score > best.score - MARGIN => {
                Err(Stop::new(Reason::Ambiguous, format!("{} is in the file more than once", title())))
            }
            [best, ..] => {
                let is_repeated = starts.len().min(ends.len()) > 1;
                let words = letters(&part.norm[first]) + letters(&part.norm[last]);
                if is_repeated && best.common < 3 && words < 20 {
                    let detail = format!("{} is too little to know the place", title());
                    return Err(Stop::new(Reason::Ambiguous, detail));
                }
                Ok(best)
            }
        }
    }

    // Returns true if the first and the last of these lines of the part are all that it shows of the region.
    fn is_frame_alone(&self, place: &Place, text: &[usize]) -> bool {
        let (file, part) = (self.file, self.part);
        let [first, inner @ .., last] = text else { return false };
        let is_inside = |at: &usize| {
            part.indent[*at] > part.indent[*first].max(part.indent[*last])
                && !file.norm[place.first..place.last].contains(&part.norm[*at])
        };
        place.common == 2 && place.count > 3 && !inner.is_empty() && inner.iter().all(is_inside)
    }

    // Inserts the lines that the part shows in the frame of a region at its end, if they begin as lines there do.
    fn insert_in_frame(&mut self, place: &Place, text: &[usize]) -> Result<usize, Stop> {
        let (file, part) = (self.file, self.part);
        let first = text[0];
        let above = (place.first + 1..place.last).rfind(|at| !file.blank[*at]).unwrap_or(place.first);
        let is_like = |at: usize| {
            (place.first + 1..place.last)
                .any(|there| first_word(&file.norm[there]) == first_word(&part.norm[at]))
        };
        let lacks_comma = !file.norm[above].ends_with(',')
            && file.norm[place.first + 1..above].iter().any(|line| line.ends_with(','));
        if lacks_comma || !is_like(text[1]) {
            let (frame, line) = (excerpt(&file.norm[place.first]), excerpt(&file.norm[place.first + 1]));
            return Err(Stop::last(Reason::Loses, format!("`{frame}` is shown without `{line}`")));
        }
        let lines = self.shifted(text[1]..text[text.len() - 2] + 1, first, place.first);
        let name = part.norm[text[1]].clone();
        self.edit(above + 1..above + 1, lines);
        let position = Position::EndOf(Some(excerpt(&file.norm[place.first])));
        self.guess(NoteKind::Inserted(position), &name, above + 1..above + 1);
        Ok(place.last + 1)
    }

    /// Checks that half of the region stays, and that what goes has lines in its place.
    fn check_region(&mut self, place: &Place, lines: &[&str]) -> Result<(), Stop> {
        let loses = |detail: String| Err(Stop::new(Reason::Loses, detail));
        if place.count > FEW && 2 * place.common < place.count {
            let lost = place.count - place.common;
            return loses(format!("{lost} of {} lines would go", place.count));
        }
        if lines.len() > FEW && 4 * place.common < lines.len() {
            return Err(Stop::new(Reason::NoPlace, "the file has too few of the part's lines"));
        }
        let file = self.file;
        let region: Vec<usize> = (place.first..place.last + 1).filter(|at| !file.blank[*at]).collect();
        // The diff compares numbers instead of lines, which may be long.
        let mut numbers: HashMap<&str, usize> = HashMap::new();
        let mut number = |text| {
            let next = numbers.len();
            *numbers.entry(text).or_insert(next)
        };
        let old: Vec<usize> = region.iter().map(|at| number(file.norm[*at].as_str())).collect();
        let new: Vec<usize> = lines.iter().map(|line| number(line)).collect();
        for op in capture_diff_slices(Algorithm::Myers, &old, &new) {
            let (at, removed, new) = match op {
                DiffOp::Delete { old_index, old_len, .. } => (old_index, old_len, 0),
                DiffOp::Replace { old_index, old_len, new_len, .. } => (old_index, old_len, new_len),
                _ => continue,
            };
            if removed > FEW && removed > 2 * new {
                return loses(format!("{removed} lines in a row would go"));
            }
            if new == 0 {
                let text = file.norm[region[at]].clone();
                let range = region[at]..region[at + removed - 1] + 1;
                self.guess(NoteKind::Removed { count: removed, is_mentioned: false }, &text, range);
            }
        }
        Ok(())
    }
}
