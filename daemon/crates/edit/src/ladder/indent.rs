//! Indents new lines where old ones match but for their indentation.
//!
//! It must not know more of the text than its lines. What the matched lines do not prove is not done.

use std::borrow::Cow;
use std::collections::HashMap;

use super::index::Index;
use super::key::{indent, is_blank};
use super::sides::HunkSides;
use crate::changes::Change;
use crate::relative::is_relative;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IndentShift {
    Keep,
    /// It stays, but the first line has lost its own, which is this.
    First(String),
    /// `by` is put before it; `seen` are the indentations for which that is proven.
    Add {
        by: String,
        seen: Vec<String>,
    },
    Remove {
        by: String,
        seen: Vec<String>,
    },
    ToTabs(usize),
    ToSpaces(usize),
    Each(HashMap<String, String>),
}

/// The indentation of a line as asked and as it is, and whether the line is context in a diff.
struct Pair<'p> {
    hunk: &'p str,
    there: &'p str,
    context: bool,
}

impl IndentShift {
    pub(super) fn learn(
        index: &Index<'_>,
        sides: &HunkSides<'_>,
        changes: &[Change],
        at: usize,
    ) -> Option<IndentShift> {
        let lines = sides.old.iter().enumerate().filter(|(_, line)| !is_blank(line));
        let stays = |line: usize| !changes.iter().any(|change| change.old.contains(&line));
        let pair = |(line, text): (usize, &'_ Cow<'_, str>)| (line, indent(text).to_owned());
        let asked_indents: Vec<(usize, String)> = lines.map(pair).collect();
        let pairs: Vec<Pair<'_>> = asked_indents
            .iter()
            .map(|(line, asked_indent)| Pair {
                hunk: asked_indent,
                there: indent(index.body(at + line)),
                context: sides.has_context && stays(*line),
            })
            .collect();
        let shift = blank_lines_are_clear(index, sides, changes, at)
            .then(|| IndentShift::from_pairs(&pairs))
            .flatten()?;
        let IndentShift::First(there) = &shift else { return Some(shift) };
        let next =
            (at + sides.old.len()..index.len()).map(|line| index.body(line)).find(|line| !is_blank(line));
        let (old, new) = (sides.old.iter().map(AsRef::as_ref), sides.new.iter().map(AsRef::as_ref));
        // Later lines that are as deep as the first is written have lost what it has lost.
        let is_relative = is_relative(there, old, new, next);
        Some(if is_relative { IndentShift::Add { by: there.clone(), seen: Vec::new() } } else { shift })
    }

    fn from_pairs(pairs: &[Pair<'_>]) -> Option<IndentShift> {
        let (first, rest) = pairs.split_first()?;
        let same = |pair: &Pair<'_>| pair.hunk == pair.there;
        if !rest.is_empty() && rest.iter().all(same) && first.hunk.is_empty() {
            return Some(IndentShift::First(first.there.to_owned()));
        }
        // A context line of a diff without the blank that marks it.
        let unmarked = |pair: &Pair<'_>| {
            pair.context && pair.there.strip_prefix(' ').is_some_and(|rest| rest == pair.hunk)
        };
        if pairs.iter().any(same) && pairs.iter().all(|pair| same(pair) || unmarked(pair)) {
            return Some(IndentShift::Keep);
        }
        IndentShift::moved(pairs).or_else(|| IndentShift::tabs(pairs)).or_else(|| IndentShift::each(pairs))
    }

    fn moved(pairs: &[Pair<'_>]) -> Option<IndentShift> {
        let first = pairs.first()?;
        let mut seen: Vec<String> = pairs.iter().map(|pair| pair.hunk.to_owned()).collect();
        seen.sort_unstable();
        seen.dedup();
        if let Some(by) = first.there.strip_suffix(first.hunk) {
            let all = pairs.iter().all(|pair| pair.there.strip_suffix(pair.hunk) == Some(by));
            return all.then(|| IndentShift::Add { by: by.to_owned(), seen });
        }
        let by = first.hunk.strip_suffix(first.there)?;
        let all = pairs.iter().all(|pair| pair.hunk.strip_suffix(pair.there) == Some(by));
        all.then(|| IndentShift::Remove { by: by.to_owned(), seen })
    }

    /// Learns a number of spaces for each tab, or the other way round, if there is just one that fits.
    fn tabs(pairs: &[Pair<'_>]) -> Option<IndentShift> {
        let widths = |pick: fn(&Pair<'_>) -> (String, String)| {
            let fits = |width: &usize| {
                pairs
                    .iter()
                    .map(pick)
                    .all(|(spaces, tabs)| !spaces.contains('\t') && to_tabs(&spaces, *width) == tabs)
            };
            let mut fitting = (2..=8).filter(fits);
            fitting.next().filter(|_| fitting.next().is_none())
        };
        let tabs_there = widths(|pair| (pair.hunk.to_owned(), pair.there.to_owned()));
        let tabs_asked = widths(|pair| (pair.there.to_owned(), pair.hunk.to_owned()));
        tabs_there.map(IndentShift::ToTabs).or(tabs_asked.map(IndentShift::ToSpaces))
    }

    fn each(pairs: &[Pair<'_>]) -> Option<IndentShift> {
        let mut map = HashMap::new();
        for pair in pairs {
            let there = map.entry(pair.hunk.to_owned()).or_insert_with(|| pair.there.to_owned());
            if there != pair.there {
                return None;
            }
        }
        // What was deeper has to be deeper.
        let mut all: Vec<(usize, usize)> =
            map.iter().map(|(sides, there)| (sides.len(), there.len())).collect();
        all.sort_unstable();
        let ascending = all.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1);
        ascending.then_some(IndentShift::Each(map))
    }

    /// True if the new lines can have been damaged as the old ones were.
    pub(super) fn is_plausible(&self, index: &Index<'_>, sides: &HunkSides<'_>, changes: &[Change]) -> bool {
        // A diff that removes and adds a blank line at the same end of its changes was about the blanks on
        // it, which went with the indentation. If tabs were counted, no new line is more than a level deeper
        // than the one above it, and none is indented by spaces as other lines of the text are, unless the
        // old lines say what becomes of them.
        let new = changes.iter().flat_map(|change| change.new.clone());
        match *self {
            IndentShift::Keep | IndentShift::First(_) => true,
            _ if sides.is_diff_of_blanks() => false,
            IndentShift::ToTabs(width) | IndentShift::ToSpaces(width) => {
                let mut new = new.filter(|at| !is_blank(&sides.new[*at]));
                new.all(|at| {
                    let own = indent(&sides.new[at]);
                    let above = sides.new[..at].iter().rev().find(|line| !is_blank(line));
                    let level =
                        above.is_none_or(|above| wide(own, width) <= wide(indent(above), width) + width);
                    let proven = || sides.old.iter().any(|old| !is_blank(old) && indent(old) == own);
                    level && (own.len() < width || proven() || !index.has_indent(own))
                })
            }
            _ => true,
        }
    }

    pub(super) fn apply<'h>(
        &self,
        line: &Cow<'h, str>,
        number: usize,
        index: &Index<'_>,
    ) -> Option<Cow<'h, str>> {
        if line.is_empty() || *self == IndentShift::Keep {
            return Some(line.clone());
        }
        // An author who moves lines leaves the blanks on blank ones; counted as tabs they may be anything.
        match self {
            IndentShift::Add { .. } | IndentShift::Remove { .. } if is_blank(line) => {
                return Some(line.clone());
            }
            IndentShift::First(_) => {}
            _ if is_blank(line) => return None,
            _ => {}
        }
        let own = indent(line);
        let rest = &line[own.len()..];
        let indented = match self {
            IndentShift::Keep => own.to_owned(),
            IndentShift::First(there) if number == 0 && (own.is_empty() || own == there) => there.clone(),
            IndentShift::First(_) if number > 0 => own.to_owned(),
            IndentShift::First(_) => return None,
            IndentShift::Add { by, seen } => {
                let there = [by.as_str(), own].concat();
                mixes(by, own, seen).then_some(())?;
                is_proven(own, &there, by, seen, index).then_some(there)?
            }
            IndentShift::Remove { by, seen } => {
                let there = own.strip_prefix(by.as_str())?;
                is_proven(own, there, by, seen, index).then(|| there.to_owned())?
            }
            IndentShift::ToTabs(width) if !own.contains('\t') => to_tabs(own, *width),
            IndentShift::ToSpaces(width) => own.replace('\t', &" ".repeat(*width)),
            IndentShift::ToTabs(_) => return None,
            IndentShift::Each(map) => map.get(own)?.clone(),
        };
        Some(Cow::Owned(indented + rest))
    }
}

/// True if blank lines of the text with blanks on them say nothing about blank lines that are new.
fn blank_lines_are_clear(index: &Index<'_>, sides: &HunkSides<'_>, changes: &[Change], at: usize) -> bool {
    let lost = |(line, text): (usize, &Cow<'_, str>)| text.is_empty() && !index.body(at + line).is_empty();
    let mut new = changes.iter().flat_map(|change| &sides.new[change.new.clone()]);
    !(sides.old.iter().enumerate().any(lost) && new.any(|line| line.is_empty()))
}

fn wide(indent: &str, width: usize) -> usize {
    indent.chars().map(|char| if char == '\t' { width } else { 1 }).sum()
}

fn to_tabs(spaces: &str, width: usize) -> String {
    "\t".repeat(spaces.len() / width) + &" ".repeat(spaces.len() % width)
}

/// True if `own` can follow `by`: they do not mix tabs and spaces that were not mixed before.
fn mixes(by: &str, own: &str, seen: &[String]) -> bool {
    let foreign = by.contains('\t') && own.contains("  ") || by.contains(' ') && own.contains('\t');
    !foreign || seen.iter().any(|seen| seen == own)
}

/// True if `own` becoming `there` follows from what was seen.
fn is_proven(own: &str, there: &str, by: &str, seen: &[String], index: &Index<'_>) -> bool {
    // If all lines have one indentation, half or twice of what it should be, the model may have counted in
    // other units: that is excluded only if the text has no line indented as that would give.
    let [only] = seen else { return true };
    if only.is_empty() || only == own {
        return true;
    }
    let plus = there.len() > own.len();
    let (from, to) = (only.len(), if plus { only.len() + by.len() } else { only.len() - by.len() });
    if to == 0 || !(to.is_multiple_of(from) || from.is_multiple_of(to)) {
        return true;
    }
    if !(own.len() * to).is_multiple_of(from) {
        return true;
    }
    let scaled = own.len() * to / from;
    !index.has_indent(&" ".repeat(scaled))
}
