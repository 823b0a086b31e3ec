//! Code that words above it have taken out of its file: "Remove the check:", and the lines of the check.
//!
//! Pure. Lines go that the file has once, and that are whole: no block loses its head, and no branch what it belongs to.

use std::collections::HashSet;
use std::ops::Range;
use std::path::Path;

use clada_dialects::plain::{Candidate, removes_shown};
use clada_protocol::ProposalForm;

use super::copied;
use super::heads::{all_definitions, definitions};
use super::import_lines::is_import;
use super::plain_edit::{EditOutcome, EditedText, PlainEdit, dedented, indent_of};
use super::words;

const NOT_ONCE: &str = "the file does not have these lines exactly once";
pub(super) const NOT_THERE: &str = "the answer removes it, but the file does not have these lines";

// Returns true if the words above `content`, lines of the file at `path` in a row, have just them taken out.
pub(super) fn removes_quoted(candidate: &Candidate, content: &str, path: &str) -> bool {
    let is_line = content.trim().lines().count() == 1;
    words::says_remove(&candidate.words, is_line) || removes(candidate, content, path)
}

// Returns true if the words above `content`, a part of `old`, the file at `path`, have just that taken out: it is no form of the
// file that lacks something.
//
// ````text
// file                        "Remove the flag:"        "Remove the check:"
// run(debug=True)             run()                     if not isinstance(x, str):
// ````
pub(super) fn removes_part(candidate: &Candidate, content: &str, path: &str, old: &str) -> bool {
    if !removes(candidate, content, path) {
        return false;
    }
    let (file, lines): (Vec<&str>, Vec<&str>) =
        (old.lines().collect(), content.trim_matches('\n').trim_end().lines().collect());
    let is_left = |line: &&str| file.iter().any(|old| is_shortened(old.trim(), line.trim()));
    place(&file, &lines).is_some()
        || lines.iter().filter(|line| !line.trim().is_empty()).all(|line| is_import(line.trim()))
        || !lines.iter().all(is_left)
}

// Returns true if `new` is `old` without some of its signs.
fn is_shortened(old: &str, new: &str) -> bool {
    let mut rest = old.chars();
    new.chars().all(|c| rest.any(|other| other == c))
}

fn removes(candidate: &Candidate, content: &str, path: &str) -> bool {
    let defined = defined_block(&dedented(content.trim_matches('\n')), path);
    removes_shown(&candidate.words, defined.as_deref())
}

// Returns the name of the definition of several lines that `content` begins with.
fn defined_block(content: &str, path: &str) -> Option<String> {
    content.lines().nth(1)?;
    let is_deeper = |line: &str| line.starts_with([' ', '\t']);
    let head =
        content.lines().find(|line| !line.starts_with(['#', '@', '/', '*']) && !line.trim().is_empty())?;
    let head = if content.lines().any(is_deeper) { head } else { return None };
    let definition =
        all_definitions(head, path).pop().or_else(|| definitions(content, path).into_iter().next())?;
    definition.rsplit([' ', ':']).next().map(str::to_owned)
}

impl PlainEdit<'_> {
    // Takes the lines of the content, which `file` has once, out of it.
    pub(super) fn removal(&self, file: &str) -> EditOutcome {
        let old: Vec<&str> = file.lines().collect();
        let lines: Vec<&str> = self.content.trim_matches('\n').trim_end().lines().collect();
        let Some(ranges) =
            place(&old, &lines).map(|range| vec![range]).or_else(|| places_of_imports(&old, &lines))
        else {
            let has: HashSet<&str> = old.iter().map(|line| line.trim()).collect();
            let is_there = lines.iter().all(|line| has.contains(line.trim()));
            return EditOutcome::Refused(if is_there { NOT_ONCE } else { NOT_THERE }.to_owned());
        };
        if let Some(reason) = ranges.iter().find_map(|range| rest_of(&old, range.clone(), self.path)) {
            return EditOutcome::Refused(reason);
        }
        let goes = |at: usize| ranges.iter().any(|range| with_blanks(&old, range.clone()).contains(&at));
        let text = (0..old.len()).filter(|at| !goes(*at)).map(|at| format!("{}\n", old[at])).collect();
        let text = copied::with_end_of(file, text);
        let notes = vec![match lines.len() {
            1 => "Removes the line that the answer shows.".to_owned(),
            count => format!("Removes the {count} lines that the answer shows."),
        }];
        let form = ProposalForm::Part;
        EditOutcome::Changed(EditedText { text, form, notes, is_by_structure: false })
    }
}

// Returns where `old` has `lines` in a row, if that is exactly once.
fn place(old: &[&str], lines: &[&str]) -> Option<Range<usize>> {
    let is_here = |at: &usize| old[*at..].iter().zip(lines).all(|(one, other)| one.trim() == other.trim());
    let mut places = (0..=old.len().checked_sub(lines.len())?).filter(is_here);
    let (first, None) = (places.next()?, places.next()) else { return None };
    Some(first..first + lines.len())
}

// Returns the places of `lines`, if they are imports that `old` has once each.
fn places_of_imports(old: &[&str], lines: &[&str]) -> Option<Vec<Range<usize>>> {
    let mut shown = lines.iter().filter(|line| !line.trim().is_empty());
    shown.clone().all(|line| is_import(line.trim())).then_some(())?;
    shown.try_fold(Vec::new(), |mut places, line| {
        places.push(place(old, &[line])?);
        Some(places)
    })
}

// Returns `range` with the blank lines beside it that go as well: those of one side, and all at the end of the file.
fn with_blanks(old: &[&str], range: Range<usize>) -> Range<usize> {
    let is_blank = |line: &&&str| line.trim().is_empty();
    let before = old[..range.start].iter().rev().take_while(is_blank).count();
    let after = old[range.end..].iter().take_while(is_blank).count();
    match range.len() {
        1 => range,
        _ if range.end + after == old.len() => range.start - before..old.len(),
        _ => range.start..range.end + before.min(after),
    }
}

// Returns why the lines in `range` of `old`, a file at `path`, cannot go alone: what else belongs to them.
fn rest_of(old: &[&str], range: Range<usize>, path: &str) -> Option<String> {
    const BRANCHES: [&str; 7] = ["else", "elif", "elsif", "catch", "except", "finally", "rescue"];
    let is_shown = |line: &&&str| !line.trim().is_empty();
    let depth = |line: &str| indent_of(line).len();
    // Lines around them are compared by their depth: deeper ones behind them belong to them.
    let removed = &old[range.clone()];
    let first = removed.iter().find(is_shown)?;
    let least = removed.iter().filter(is_shown).map(|line| depth(line)).min()?;
    let (above, below) = (old[..range.start].iter().rfind(is_shown), old[range.end..].iter().find(is_shown));
    let name = Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path);
    if clada_merge::open_brackets(&removed.join("\n"), name) != 0 {
        return Some(format!("these lines are not all of what `{}` begins", first.trim()));
    }
    if let Some(below) = below.filter(|below| depth(below) > least && depth(below) > depth(first)) {
        return Some(format!(
            "`{}` belongs to the lines that the answer removes, and is not shown",
            below.trim()
        ));
    }
    let begins_branch = |line: &str| {
        let text = line.trim_start_matches(['}', ' ', '\t']);
        let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        BRANCHES.contains(&word)
    };
    if let Some(below) =
        below.filter(|below| depth(below) == depth(first) && begins_branch(below) && !begins_branch(first))
    {
        return Some(format!("`{}` would stay without what it belongs to", below.trim()));
    }
    let head = above.filter(|above| depth(above) < least)?.trim();
    let is_last = below.is_none_or(|below| depth(below) < least);
    let is_closed = head.ends_with('{') && below.is_some_and(|below| below.trim_start().starts_with('}'));
    let is_block = path.ends_with(".py") && head.ends_with(':') || is_closed;
    (is_last && is_block).then(|| format!("nothing would be left in `{head}`"))
}
