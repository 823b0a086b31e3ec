//! Merging by units: a head line with what belongs to it, found by indentation, brackets and tables of words.
//!
//! Knows no grammar. These ways are tried in this order: new lines beside one of the file; whole units; each stretch
//! between markers for itself; the region between the part's first and last line.

mod above;
mod additions;
mod alike;
mod anchor;
mod chain;
mod check;
mod clauses;
mod edge;
mod finish;
mod gaps;
mod head;
mod imports;
mod language;
mod layout;
mod list;
mod loss;
mod matching;
mod members;
mod merger;
mod omitted;
mod pairs;
mod region;
mod replace;
mod scanner;
mod scopes;
mod shortened;
mod signature;
mod signs;
mod text;
mod unit;
mod unused;
mod words;
mod zones;

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;

pub(crate) use check::check_lines;
pub(crate) use edge::insert;
pub(crate) use language::Family;
pub(crate) use layout::Layout;
pub use loss::{Losses, used_behind};

use merger::{Merger, Stop};
use shortened::is_shortened;
use unit::{Item, items, norm, shape};

use crate::markers::Markers;
use crate::part::{Level, Merged, Part};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::Source;

/// The most lines of a file or a part.
const LINES: usize = 400_000;

/// Merges `shown`, the text of `part`, into `file` by units.
pub(crate) fn merge(
    source: &Source<'_>,
    shown: &Source<'_>,
    markers: &Markers,
    part: &Part<'_>,
) -> Result<Merged, Refused> {
    if source.len() > LINES || shown.len() > LINES {
        return Err(Refused::new(Reason::TooLarge, "the file is too large to merge by structure"));
    }
    let family = Family::of(part.extension);
    let (file, mut layout) = (Layout::new(source, family), Layout::new(shown, family));
    // The tag that begins every file of PHP is no unit of a part.
    if family == Family::Php && layout.norm.first().is_some_and(|first| first == "<?php") {
        layout.blank[0] = true;
    }
    let is_marker: Vec<bool> = (0..shown.len())
        .map(|at| markers.contains(at) && !(family == Family::Markdown && layout.inside[at]))
        .collect();
    let mut merger = Merger::new(&file, &layout, is_marker, part);
    merger.check_part()?;
    let text = merger.run(source, part)?;
    merger.note_removals(&text);
    Ok(Merged { text, level: Level::ByStructure, notes: merger.notes })
}

/// Returns how many brackets `text`, a file with this extension or name, opens beyond those that it closes: outside of
/// strings and comments, and 0 where brackets mean nothing.
#[must_use]
pub fn open_brackets(text: &str, extension: &str) -> i64 {
    // What no table knows is read like most languages.
    let family = match Family::of(extension) {
        Family::Plain => Family::C,
        family => family,
    };
    if family.ignores_brackets() && !family.is_data() {
        return 0;
    }
    let mut scanner = scanner::Scanner::new(family);
    let step = |byte: u8| match byte {
        b'(' | b'[' | b'{' => 1,
        b')' | b']' | b'}' => -1,
        _ => 0,
    };
    text.lines().map(|line| scanner.line(line).code.bytes().map(step).sum::<i64>()).sum()
}

/// Returns true if `text`, a file with this extension or name, ends inside a string or comment of several lines, or a heredoc.
#[must_use]
pub fn ends_in_string(text: &str, extension: &str) -> bool {
    let family = Family::of(extension);
    if family == Family::Shell {
        return ends_in_heredoc(text);
    }
    // Quotes and fences of prose mean nothing.
    if matches!(family, Family::Plain | Family::Markdown | Family::Html | Family::Yaml) {
        return false;
    }
    let mut scanner = scanner::Scanner::new(family);
    text.lines().for_each(|line| drop(scanner.line(line)));
    scanner.line("").inside
}

fn ends_in_heredoc(text: &str) -> bool {
    let mut end: Option<String> = None;
    for line in text.lines() {
        match &end {
            Some(word) if line.trim() == word => end = None,
            Some(_) => {}
            None if line.trim_start().starts_with('#') => {}
            None => {
                let behind =
                    line.split_once("<<").map(|(_, behind)| behind.trim_start_matches('-').trim_start());
                let word = behind.map(|behind| behind.trim_start_matches(['\'', '"', '\\']));
                let word: String = word
                    .map(|word| word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect())
                    .unwrap_or_default();
                end = Some(word).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'));
            }
        }
    }
    end.is_some()
}

/// The most lines of the file, times stretches of the part, that are aligned.
const ALIGNED: usize = 10_000_000;

/// The ways to merge, in the order in which they are tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Anchor,
    Units,
    Segments,
    Region,
}

impl Merger<'_, '_> {
    /// Checks that the part can be merged at all.
    fn check_part(&self) -> Result<(), Refused> {
        self.check_content()?;
        if self.is_quoted() || self.is_enumeration() {
            return Err(Refused::new(Reason::AlreadyThere, "the file is already as the part shows it"));
        }
        Ok(())
    }

    // Checks that the part shows something, and all of it.
    fn check_content(&self) -> Result<(), Refused> {
        let part = self.part;
        let is_shown = |at: &usize| !part.blank[*at] && !self.is_marker[*at];
        let shown: Vec<usize> = (0..part.len()).filter(is_shown).collect();
        if shown.is_empty() {
            return Err(Refused::new(Reason::Elided, "the part shows nothing"));
        }
        let last = shown.last().copied().unwrap_or_default();
        let has_rest = self.is_marker[last..].contains(&true);
        if !has_rest && pairs::is_cut_off(part, last) && !self.known.contains(part.norm[last].as_str()) {
            let detail = format!("the part ends in the middle of `{}`", excerpt(part.lines[last]));
            return Err(Refused::new(Reason::CutOff, detail));
        }
        for at in shown {
            let line = part.lines[at];
            if line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ") {
                return Err(Refused::new(Reason::Breaks, "the part holds marks of a conflict"));
            }
            if is_shortened(part, at) && !self.known.contains(part.norm[at].as_str()) {
                return Err(check::shortened(line));
            }
        }
        Ok(())
    }

    /// Returns true if each stretch between markers stands in the file in a row, remarks and blank lines apart.
    fn is_quoted(&self) -> bool {
        let file = norm(self.file, 0..self.file.len());
        let places: Vec<usize> = (0..self.file.len()).filter(|at| !self.file.blank[*at]).collect();
        // Of a file of equal lines, each may begin the part.
        let compared = Cell::new(0);
        self.segments().into_iter().all(|segment| {
            let lines = norm(self.part, segment.clone());
            let expected = shape(self.part, segment);
            let is_at = |at: usize| {
                let there = &file[at..at + lines.len()];
                let equal = there.iter().zip(&lines).take_while(|(there, line)| there == line).count();
                compared.update(|all| all + equal);
                equal == lines.len()
                    && shape(self.file, places[at]..places[at + lines.len() - 1] + 1) == expected
            };
            (0..(file.len() + 1).saturating_sub(lines.len()))
                .any(|at| compared.get() <= ALIGNED && file[at] == lines[0] && is_at(at))
        })
    }

    /// Returns true if the part is one line, of members that the file has in lines of their own.
    fn is_enumeration(&self) -> bool {
        let mut shown = (0..self.part.len()).filter(|at| !self.part.blank[*at]);
        let (Some(only), None) = (shown.next(), shown.next()) else { return false };
        let lines: HashSet<&str> =
            self.file.norm.iter().map(|text| text.trim_end_matches([',', ';'])).collect();
        let members = check::members_of_line(&self.part.norm[only]);
        members.len() > 1 && members.iter().all(|member| lines.contains(member))
    }

    /// Returns the stretches between markers that are not blank.
    fn segments(&self) -> Vec<Range<usize>> {
        let mut out = Vec::new();
        let mut start = 0;
        for at in 0..=self.part.len() {
            if at == self.part.len() || self.is_marker[at] {
                if (start..at).any(|at| !self.part.blank[at]) {
                    out.push(start..at);
                }
                start = at + 1;
            }
        }
        out
    }

    /// Tries the ways; returns the text of the first that works.
    fn run(&mut self, source: &Source<'_>, part: &Part<'_>) -> Result<String, Refused> {
        let mut refusals: Vec<Refused> = Vec::new();
        let is_marked = self.is_marker.contains(&true);
        let ways = if is_marked { [Way::Units, Way::Segments] } else { [Way::Units, Way::Region] };
        for way in [Way::Anchor].into_iter().filter(|_| !is_marked).chain(ways) {
            self.clear();
            let merged = self.merge_by(way).and_then(|()| self.finish(source));
            let checked = merged.and_then(|text| {
                let text = if self.narrow_imports(&text) { self.finish(source)? } else { text };
                let unused = check::check(self, source, &text, part)
                    .map_err(|refused| Stop { refused, is_final: false })?;
                self.notes.extend(unused);
                Ok(text)
            });
            match checked {
                Ok(text) => return Ok(text),
                // Whole units know their place: what they would lose, a region would lose, too.
                Err(stop)
                    if stop.is_final
                        || way == Way::Units
                            && matches!(stop.refused.reason, Reason::Loses | Reason::AlreadyThere) =>
                {
                    return Err(stop.refused);
                }
                // Few parts have an anchor.
                Err(_) if way == Way::Anchor => {}
                Err(stop) => refusals.push(stop.refused),
            }
        }
        // What fails about whole units says most, unless there are none.
        let is_ragged = refusals.first().is_some_and(|refused| refused.reason == Reason::CutOff);
        let refused = if is_ragged { refusals.pop() } else { refusals.into_iter().next() };
        Err(refused.unwrap_or_else(|| Refused::new(Reason::NoPlace, "the code does not show where it goes")))
    }

    fn merge_by(&mut self, way: Way) -> Result<(), Stop> {
        let part = self.part;
        match way {
            Way::Anchor => self.merge_beside_anchor(),
            Way::Units => {
                if !part.is_balanced {
                    return Err(Stop::new(Reason::CutOff, "the brackets of the part do not balance"));
                }
                if self.is_ragged(0..part.len()) {
                    return Err(Stop::new(Reason::CutOff, "the part begins inside something"));
                }
                let items = items(part, 0..part.len(), &self.is_marker);
                self.merge_segment(items, None).map(|_| ())
            }
            Way::Segments => self.merge_segments(),
            Way::Region => self.merge_any_region(0..part.len(), 0).map(|_| ()),
        }
    }

    /// Returns true if the first of the lines is deeper than others, or continues something.
    fn is_ragged(&self, lines: Range<usize>) -> bool {
        let part = self.part;
        let mut code = lines.filter(|at| part.is_code(*at) && !self.is_marker[*at]);
        let Some(first) = code.next() else { return false };
        let base = code.map(|at| part.indent[at]).min().unwrap_or(usize::MAX);
        part.indent[first] > base && !part.is_comment(first) || part.continues[first]
    }

    /// Merges each stretch between markers for itself: the region between its first and last line, else its
    /// units.
    fn merge_segments(&mut self) -> Result<(), Stop> {
        let (mut from, mut scope) = (0, None);
        let segments = self.segments();
        let is_small = segments.len().saturating_mul(self.file.len()) <= ALIGNED;
        for segment in segments {
            let (edits, notes) = (self.edits.len(), self.notes.len());
            let region = if is_small {
                self.merge_any_region(segment.clone(), from)
            } else {
                self.merge_region(segment.clone(), from)
            };
            let stop = match region {
                Ok(end) => {
                    from = end;
                    continue;
                }
                Err(stop) => stop,
            };
            self.edits.truncate(edits);
            self.notes.truncate(notes);
            scope = self.merge_segment_units(segment, scope, stop)?;
        }
        Ok(())
    }

    fn merge_segment_units(
        &mut self,
        segment: Range<usize>,
        scope: Option<usize>,
        stop: Stop,
    ) -> Result<Option<usize>, Stop> {
        let part = self.part;
        let code = segment.clone().filter(|at| !part.blank[*at] && !part.continues[*at]);
        let Some(base) = code.map(|at| part.indent[at]).min() else { return Err(stop) };
        let lines = Layout::of_lines(part.lines[segment.clone()].to_vec(), part.family);
        let is_cut = segment.end < part.len() && part.indent[segment.end] > base;
        if !lines.is_balanced || self.is_ragged(segment.clone()) || is_cut {
            return Err(stop);
        }
        let moved = |item: Item| match item {
            Item::Unit(mut unit) => {
                unit.start += segment.start;
                unit.head += segment.start;
                unit.end += segment.start;
                Item::Unit(unit)
            }
            Item::Marker => Item::Marker,
        };
        let items = items(&lines, 0..lines.len(), &[]).into_iter().map(moved).collect();
        self.merge_segment(items, scope)
    }
}
