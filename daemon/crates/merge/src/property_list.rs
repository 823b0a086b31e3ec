//! Property lists of Apple's systems: a key and its value, on lines of their own, are one entry.
//!
//! An entry of the part takes the place of the one with its key; a new one goes behind the entry above it, or
//! else to the end of the list. What the part does not show stays.

use std::borrow::Cow;
use std::ops::Range;

use crate::note::{Note, NoteKind, Position};
use crate::part::{Level, Merged};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, SourcePiece, indentation};

/// Merges `shown` into `file`. `None` if the part is not a row of keys and values.
pub(crate) fn merge(file: &Source<'_>, shown: &Source<'_>) -> Option<Result<Merged, Refused>> {
    let shown = &without_frame(shown);
    let first = (0..shown.len()).find(|at| !shown.is_blank(*at) && !is_comment(shown.lines[*at]))?;
    key(shown.lines[first])?;
    let base = indentation(shown.lines[first]);
    let heads: Vec<usize> = (first..shown.len())
        .filter(|at| key(shown.lines[*at]).is_some() && indentation(shown.lines[*at]) == base)
        .collect();
    let is_outer = |at: &usize| !shown.is_blank(*at) && indentation(shown.lines[*at]) < base;
    let is_marker = |line: &str| clada_dialects::elision(line).is_some();
    if (first..shown.len()).any(|at| is_outer(&at)) || shown.lines.iter().any(|line| is_marker(line)) {
        return None;
    }
    Some(merge_entries(file, shown, &heads))
}

/// Returns the entries of the list that `shown` is a frame of, if it shows its tags: the outermost list has no name.
fn without_frame<'a>(shown: &Source<'a>) -> Source<'a> {
    let is_text = |at: &usize| !shown.is_blank(*at) && !is_comment(shown.lines[*at]);
    let text: Vec<usize> = (0..shown.len()).filter(is_text).collect();
    match text[..] {
        [open, .., close]
            if (shown.lines[open].trim(), shown.lines[close].trim()) == ("<dict>", "</dict>")
                && indentation(shown.lines[open]) == indentation(shown.lines[close]) =>
        {
            Source::of_lines(&shown.lines[open + 1..close])
        }
        _ => Source::of_lines(&shown.lines),
    }
}

fn merge_entries(file: &Source<'_>, shown: &Source<'_>, heads: &[usize]) -> Result<Merged, Refused> {
    let mut edits: Vec<(Range<usize>, Vec<String>)> = Vec::new();
    let mut notes = Vec::new();
    let mut above = None;
    for (index, head) in heads.iter().enumerate() {
        let name = key(shown.lines[*head]).unwrap_or_default();
        let end = heads.get(index + 1).copied().unwrap_or(shown.len());
        let lines: Vec<&str> = (*head..end)
            .map(|at| shown.lines[at])
            .filter(|line| !line.trim().is_empty() && !is_comment(line))
            .collect();
        if lines.len() < 2 && !lines[0].trim_end().ends_with("/>") && lines[0].matches("</").count() < 2 {
            return Err(Refused::new(
                Reason::CutOff,
                format!("`{}` has no value in the part", excerpt(name)),
            ));
        }
        let place = find(file, name)?;
        let (range, like) = match (place, &above) {
            (Some(head), _) => (head..entry_end(file, head), head),
            // A key that is new goes behind the one shown above it, else to the end of the list.
            (None, Some((end, like))) => (*end..*end, *like),
            (None, None) => {
                let end = file.lines.iter().rposition(|line| line.trim() == "</dict>");
                let last = end.and_then(|end| (0..end).rfind(|at| key(file.lines[*at]).is_some()));
                let (Some(end), Some(last)) = (end, last.and_then(|last| outermost(file, last))) else {
                    return Err(Refused::new(Reason::NoPlace, "the list is empty"));
                };
                (end..end, last)
            }
        };
        let new = shifted(&lines, file.lines[like]);
        let is_equal =
            new.iter().map(|line| line.trim()).eq(file.lines[range.clone()].iter().map(|line| line.trim()));
        if !is_equal {
            let lost = file.lines[range.clone()]
                .iter()
                .filter(|line| !new.iter().any(|new| new.trim() == line.trim()));
            notes.push(match (place, &above) {
                (Some(_), _) => Note::new(NoteKind::Replaced { lost: lost.count() }, name, range.clone()),
                (None, Some((_, like))) => {
                    let position = Position::After(key(file.lines[*like]).unwrap_or_default().to_owned());
                    Note::new(NoteKind::Inserted(position), name, range.clone())
                }
                _ => Note::new(NoteKind::Inserted(Position::EndOf(None)), name, range.clone()).guess(),
            });
            edits.push((range.clone(), new));
        }
        if place.is_some() {
            above = Some((range.end, like));
        }
    }
    assemble(file, edits, notes)
}

fn assemble(
    file: &Source<'_>,
    mut edits: Vec<(Range<usize>, Vec<String>)>,
    notes: Vec<Note>,
) -> Result<Merged, Refused> {
    if edits.is_empty() {
        return Err(Refused::new(Reason::AlreadyThere, "the file is already as the part shows it"));
    }
    // Stable: what goes to one place keeps the order of the part.
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    if edits.windows(2).any(|pair| pair[1].0.start < pair[0].0.end) {
        return Err(Refused::new(Reason::Ambiguous, "two entries of the part have one place"));
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    for (range, new) in &edits {
        pieces.push(SourcePiece::Old(at..range.start));
        pieces.extend(new.iter().map(|line| SourcePiece::New(Cow::Borrowed(line.as_str()))));
        at = range.end;
    }
    pieces.push(SourcePiece::Old(at..file.len()));
    Ok(Merged { text: file.assemble(&pieces), level: Level::ByStructure, notes })
}

/// Returns the name in `<key>NAME</key>` at the start of a line.
fn key(line: &str) -> Option<&str> {
    line.trim_start().strip_prefix("<key>")?.split_once("</key>").map(|(name, _)| name)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("<!--")
}

/// Returns the line of the key `name`, if the list has it; of several, the outermost.
fn find(file: &Source<'_>, name: &str) -> Result<Option<usize>, Refused> {
    let mut places: Vec<usize> = (0..file.len()).filter(|at| key(file.lines[*at]) == Some(name)).collect();
    places.sort_by_key(|at| indentation(file.lines[*at]));
    match places[..] {
        [one, other, ..] if indentation(file.lines[one]) == indentation(file.lines[other]) => {
            Err(Refused::new(Reason::Ambiguous, format!("`{}` is in the file more than once", excerpt(name))))
        }
        _ => Ok(places.first().copied()),
    }
}

/// Returns the last key above `line`, or at it, that is as deep as the outermost keys.
fn outermost(file: &Source<'_>, line: usize) -> Option<usize> {
    let keys = || (0..=line).filter(|at| key(file.lines[*at]).is_some());
    let base = keys().map(|at| indentation(file.lines[at])).min()?;
    keys().rfind(|at| indentation(file.lines[*at]) == base)
}

/// Returns the line behind the value of the key on line `head`.
fn entry_end(file: &Source<'_>, head: usize) -> usize {
    let base = indentation(file.lines[head]);
    let is_next = |at: &usize| {
        let line = file.lines[*at];
        let is_sibling = key(line).is_some() || is_comment(line);
        indentation(line) < base && !file.is_blank(*at) || indentation(line) == base && is_sibling
    };
    let end = (head + 1..file.len()).find(is_next).unwrap_or(file.len());
    (head + 1..=end).rfind(|end| !file.is_blank(end - 1)).unwrap_or(head + 1)
}

/// Returns the lines of an entry with the indentation of the file's line `like`.
fn shifted(lines: &[&str], like: &str) -> Vec<String> {
    let indent = &like[..like.len() - like.trim_start().len()];
    let base = indentation(lines[0]);
    let deeper = |line: &&str| indentation(line).saturating_sub(base);
    let step = lines.iter().map(deeper).filter(|width| *width > 0).min().unwrap_or(1);
    let unit = if indent.contains('\t') { "\t" } else { "  " };
    let line = |line: &&str| format!("{indent}{}{}", unit.repeat(deeper(line) / step), line.trim());
    lines.iter().map(line).collect()
}
