//! The merged text from the edits.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use crate::note::{Note, NoteKind};
use crate::refused::{Reason, excerpt};
use crate::source::{Source, SourcePiece};

use super::language::Family;
use super::merger::{Edit, Merger, Stop};

impl Merger<'_, '_> {
    /// Returns the text with all edits, and adds notes for changed lines that no note is about yet.
    pub(super) fn finish(&mut self, source: &Source<'_>) -> Result<String, Stop> {
        if let Some(line) = self.comma.take()
            && !self.edits.iter().any(|edit| edit.lines.contains(&line))
            && !self.file.remark[line]
        {
            let text = format!("{},", self.file.lines[line].trim_end());
            self.edit(line..line + 1, vec![text]);
        }
        let mut edits = self.ordered_edits()?;
        edits.iter_mut().for_each(|edit| self.keep_comma(edit));
        let mut pieces: Vec<SourcePiece<'_>> = Vec::new();
        let mut at = 0;
        for edit in &edits {
            pieces.push(SourcePiece::Old(at..edit.lines.start));
            pieces.extend(edit.new.iter().map(|line| SourcePiece::New(Cow::Borrowed(line.as_str()))));
            at = edit.lines.end;
            if edit.new.is_empty() && edit.lines.start > 0 && self.file.blank[edit.lines.start - 1] {
                while at < self.file.len() && self.file.blank[at] {
                    at += 1;
                }
            }
        }
        pieces.push(SourcePiece::Old(at..self.file.len()));
        self.complete_notes(&edits);
        if self.file.family == Family::Json {
            pieces = self.with_commas(pieces, &edits);
        }
        Ok(source.assemble(&pieces))
    }

    /// Keeps the comma behind an entry that others follow, where the part shows the entry alone.
    fn keep_comma(&self, edit: &mut Edit) {
        let file = self.file;
        let (Some(last), Some(new)) = (edit.lines.clone().rfind(|at| !file.blank[*at]), edit.new.last_mut())
        else {
            return;
        };
        let follows = (edit.lines.end..file.len()).find(|at| !file.blank[*at]);
        let is_closed = follows.is_none_or(|at| file.norm[at].starts_with([')', ']', '}']));
        let has_comma = file.code[last].trim_end().ends_with(',') && !file.family.ignores_brackets();
        let may_have = new.trim_end().ends_with(|c: char| {
            c.is_alphanumeric() || matches!(c, ')' | ']' | '}' | '"' | '\'' | '`' | '_')
        });
        if has_comma && may_have && !is_closed && !new.contains("//") && !new.contains('#') {
            *new = format!("{},", new.trim_end());
        }
    }

    /// Returns the edits in the order of the file, if each line has one at most.
    fn ordered_edits(&mut self) -> Result<Vec<Edit>, Stop> {
        let mut seen = HashSet::new();
        let mut edits = self.edits.clone();
        edits.retain(|edit| edit.lines.is_empty() || seen.insert(edit.clone()));
        edits.sort_by_key(|edit| (edit.lines.start, edit.lines.end, edit.is_above_unit));
        let overlaps = |pair: &&[Edit]| pair[1].lines.start < pair[0].lines.end;
        if let Some(pair) = edits.windows(2).find(overlaps) {
            let line = excerpt(self.file.lines[pair[1].lines.start]);
            return Err(Stop::new(Reason::Ambiguous, format!("two pieces of the part change `{line}`")));
        }
        Ok(edits)
    }

    fn complete_notes(&mut self, edits: &[Edit]) {
        let noted: HashSet<Range<usize>> = self.notes.iter().map(|note| note.lines.clone()).collect();
        for edit in edits.iter().filter(|edit| !noted.contains(&edit.lines)) {
            let is_in =
                |note: &Note| note.lines.start <= edit.lines.start && edit.lines.end <= note.lines.end;
            let is_said = edit.lines.is_empty() || self.covered.contains(&edit.lines);
            if !is_said && !self.notes.iter().any(is_in) {
                let text = self.file.lines[edit.lines.start].to_owned();
                self.note(NoteKind::Changed, &text, edit.lines.clone());
            }
        }
        self.notes.sort_by_key(|note| note.lines.start);
    }

    /// Mends the commas of JSON: one between entries, none before a closing bracket.
    fn with_commas<'t>(&mut self, pieces: Vec<SourcePiece<'t>>, edits: &[Edit]) -> Vec<SourcePiece<'t>> {
        let file = self.file;
        let single = |piece: SourcePiece<'t>| match piece {
            SourcePiece::Old(range) => range.map(|at| SourcePiece::Old(at..at + 1)).collect(),
            line => vec![line],
        };
        let mut lines: Vec<SourcePiece<'t>> = pieces.into_iter().flat_map(single).collect();
        let text = |piece: &SourcePiece<'_>| match piece {
            SourcePiece::Old(range) => file.lines[range.start].trim_end().to_owned(),
            SourcePiece::New(line) => line.trim_end().to_owned(),
        };
        let texts: Vec<String> = lines.iter().map(text).collect();
        // Commas depend on the next line of data, whatever comments and blank lines stand between.
        let is_entry = |at: &usize| !texts[*at].is_empty() && !texts[*at].trim_start().starts_with("//");
        let entries: Vec<usize> = (0..lines.len()).filter(is_entry).collect();
        for pair in entries.windows(2) {
            let (line, next) = (texts[pair[0]].as_str(), texts[pair[1]].trim_start());
            let mended = if next.starts_with(['}', ']']) {
                line.strip_suffix(',').map(str::to_owned)
            } else if !next.starts_with([',', ':']) && !line.ends_with([',', '{', '[', ':']) {
                Some(format!("{line},"))
            } else {
                None
            };
            let Some(mended) = mended else { continue };
            // Also a line that the part repeats, among those that take the place of the file's.
            let is_noted = |at: &usize| self.notes.iter().any(|note| note.lines.contains(at));
            let place = match &lines[pair[0]] {
                SourcePiece::Old(range) => Some(range.start).filter(|at| !is_noted(at)),
                SourcePiece::New(new) => {
                    let mut replaced = edits.iter().flat_map(|edit| edit.lines.clone());
                    replaced.find(|at| file.lines[*at].trim_end() == new.trim_end() && !is_noted(at))
                }
            };
            if let Some(at) = place {
                self.note(NoteKind::Changed, line, at..at + 1);
            }
            lines[pair[0]] = SourcePiece::New(Cow::Owned(mended));
        }
        lines
    }
}
