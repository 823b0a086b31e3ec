//! The units of a scope, as the part shows them, against those of the file.
//!
//! ```text
//! file        part            merged
//! load        load            load       matched: replaced if it differs
//! check       new             new        beside its shown neighbour
//! save        // ...          check      behind the marker: kept
//!             save            save
//! ```

use std::collections::HashSet;

use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};

use super::alike::longest_ascending;
use super::head::Kind;
use super::language::Family;
use super::matching::Matching;
use super::merger::{Merger, Scope, Stop, shown_units};
use super::unit::{Item, Unit};

/// Statements that may stay between shown ones, without a marker for them.
const SCATTERED: usize = 2;

/// An entry of a scope, as the part shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    /// Units that the part does not show.
    Marker,
    /// A unit of the file, by its index in the scope.
    Matched(usize),
    /// A unit that is new, by its index in the part.
    New(usize),
}

/// A neighbour of new units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Edge,
    Marker,
    Unit(usize),
}

/// New units in a row, and what they are between.
pub(super) struct Gap<'g> {
    pub(super) run: Vec<Unit>,
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) scope: &'g Scope,
    /// The part shows the scope with a marker.
    pub(super) has_markers: bool,
    /// The scope is that of the part's outermost units.
    pub(super) is_top: bool,
}

impl Merger<'_, '_> {
    /// Merges the items of the part into a scope. With `is_open`, there is a marker before and behind them.
    pub(super) fn merge_list(
        &mut self,
        items: Vec<Item>,
        scope: &Scope,
        is_open: bool,
        is_top: bool,
    ) -> Result<(), Stop> {
        let mut items = self.without_remarks(items, is_open);
        let mut matching = self.match_units(&items, scope)?;
        if is_top {
            (items, matching) = self.take_imports(items, matching)?;
        }
        self.check_related(&items, &matching, scope, is_open, is_top)?;
        let matched: Vec<(usize, usize)> =
            matching.of.iter().enumerate().filter_map(|(item, unit)| Some((item, (*unit)?))).collect();
        let positions: Vec<usize> = matched.iter().map(|(_, unit)| *unit).collect();
        let in_order: HashSet<usize> =
            longest_ascending(&positions).into_iter().map(|at| matched[at].0).collect();
        // What a model shows in another order stays where it is in the file; for statements the order is meaning.
        for (item, _) in matched.iter().filter(|(item, _)| !in_order.contains(item)) {
            let Some(unit) = items[*item].unit() else { continue };
            let may_move = unit.is_definition()
                || matches!(unit.kind(), Some(Kind::Key | Kind::Import | Kind::Var | Kind::Call));
            if !may_move {
                let detail = format!("`{}` is not in the order of the file", excerpt(unit.text(self.part)));
                return Err(Stop::new(Reason::Ambiguous, detail));
            }
        }
        let entries = entries(&items, &matching, &in_order, is_open);
        let has_local = matches!(
            self.file.family,
            Family::Python | Family::Script | Family::Html | Family::Dart | Family::Rust | Family::Plain
        );
        let new = || {
            entries.iter().filter_map(|entry| match entry {
                Entry::New(item) => items[*item].unit(),
                _ => None,
            })
        };
        if scope.is_class
            && matches!(self.file.family, Family::C | Family::Php | Family::Dart)
            && let Some(unit) = new().find(|unit| is_statement(unit.text(self.part)))
        {
            let text = excerpt(unit.text(self.part));
            let detail = format!("`{text}` is a statement, and would be a member of {}", scope.title());
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        if scope.is_function
            && !has_local
            && let Some(unit) = new().find(|unit| unit.is_definition())
        {
            let detail = format!("`{}` would be inside of {}", excerpt(&unit.name(self.part)), scope.title());
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        for (item, unit) in &matched {
            let Some(shown) = items[*item].unit() else { continue };
            if item.checked_sub(1).is_some_and(|above| items[above].unit().is_none()) {
                self.check_texts_of_children(shown, &scope.units[*unit])?;
            }
            let is_marked = items.get(item + 1).is_some_and(|next| next.unit().is_none());
            if !(is_marked && self.replace_chain(shown, &scope.units[*unit])?) {
                self.replace(shown, &scope.units[*unit])?;
            }
        }
        self.merge_gaps(&items, &entries, &matching, scope, is_top)?;
        self.take_columns(&items, &matching, scope);
        Ok(())
    }

    // Takes the blanks inside of equal lines from the part, where they stand in one block with new or changed ones: a longer
    // name moves the column of all.
    //
    // ```text
    // file            part
    // ami  = var.ami  ami     = var.ami
    // size = 1        size    = 1
    //                 subnets = 2
    // ```
    fn take_columns(&mut self, items: &[Item], matching: &Matching, scope: &Scope) {
        let (part, file) = (self.part, self.file);
        let in_line = |item: &Item| {
            item.unit().is_some_and(|unit| {
                unit.end == unit.head + 1 && !unit.is(Kind::Comment) && !part.remark[unit.head]
            })
        };
        let old = |at: usize| matching.of[at].map(|unit| scope.units[unit].head);
        let is_equal = |at: usize, line: usize| {
            items[at].unit().is_some_and(|unit| part.norm[unit.head] == file.norm[line]) && !file.remark[line]
        };
        let is_beside = |pair: &[Item]| match (pair[0].unit(), pair[1].unit()) {
            (Some(above), Some(below)) => above.end == below.start,
            _ => false,
        };
        let mut start = 0;
        while start < items.len() {
            let mut end = start + 1;
            while end < items.len() && is_beside(&items[end - 1..=end]) {
                end += 1;
            }
            let block = start..end;
            start = end;
            // A column moves only for a line that the part changes or adds.
            let is_changed =
                |at: usize| in_line(&items[at]) && old(at).is_none_or(|line| !is_equal(at, line));
            if !block.clone().any(is_changed) {
                continue;
            }
            for at in block {
                let (Some(unit), Some(line)) = (items[at].unit(), old(at)) else { continue };
                let (new, there) = (part.lines[unit.head].trim(), file.lines[line].trim());
                let is_inside = file.inside[line] || part.inside[unit.head];
                if in_line(&items[at]) && is_equal(at, line) && new.len() > there.len() && !is_inside {
                    let text = format!("{}{new}", super::text::indent_of(file.lines[line]));
                    self.edit(line..line + 1, vec![text]);
                    self.note(NoteKind::Changed, there, line..line + 1);
                }
            }
        }
    }

    fn merge_gaps(
        &mut self,
        items: &[Item],
        entries: &[Entry],
        matching: &Matching,
        scope: &Scope,
        is_top: bool,
    ) -> Result<(), Stop> {
        let has_markers = items.iter().any(|item| item.unit().is_none());
        let side = |at: Option<usize>| match at.and_then(|at| entries.get(at)) {
            None | Some(Entry::New(_)) => Side::Edge,
            Some(Entry::Marker) => Side::Marker,
            Some(Entry::Matched(unit)) => Side::Unit(*unit),
        };
        let mut at = 0;
        while at <= entries.len() {
            let is_new = |entry: &&Entry| matches!(entry, Entry::New(_));
            let stop = at + entries[at..].iter().take_while(is_new).count();
            let run = entries[at..stop].iter().filter_map(|entry| match entry {
                Entry::New(item) => items[*item].unit().cloned(),
                _ => None,
            });
            let (left, right) = (side(at.checked_sub(1)), side(Some(stop)));
            let gap = Gap { run: run.collect(), left, right, scope, has_markers, is_top };
            if self.place_clauses(&gap)? {
                at = stop + 1;
                continue;
            }
            if left == Side::Marker || right == Side::Marker {
                if !gap.run.is_empty() {
                    self.place_beside_marker(&gap, matching)?;
                }
            } else {
                self.merge_between(&gap, matching)?;
            }
            at = stop + 1;
        }
        // The part is of another state of the file: half of each would be neither.
        let shown = entries.iter().filter(|entry| matches!(entry, Entry::Matched(_))).count();
        if self.hidden_statements > SCATTERED && 2 * self.hidden_statements >= shown {
            let detail = format!("the part leaves {} statements out between others", self.hidden_statements);
            return Err(Stop::last(Reason::Loses, detail));
        }
        Ok(())
    }

    /// Drops comments alone that are remarks: beside a marker if the file has them, and between two.
    fn without_remarks(&self, items: Vec<Item>, is_open: bool) -> Vec<Item> {
        let is_marker = |at: Option<usize>| match at {
            Some(at) if at < items.len() => items[at].unit().is_none(),
            _ => is_open,
        };
        let is_remark = |at: usize| {
            let Some(unit) = items[at].unit().filter(|unit| unit.is(Kind::Comment)) else { return false };
            let is_known = unit.norm(self.part).iter().all(|line| self.known.contains(line));
            let (above, below) = (is_marker(at.checked_sub(1)), is_marker(Some(at + 1)));
            is_known && (above || below) || above && below
        };
        let remarks: Vec<bool> = (0..items.len()).map(is_remark).collect();
        items.into_iter().zip(remarks).filter(|(_, is_remark)| !is_remark).map(|(item, _)| item).collect()
    }

    /// Checks that the part's units have to do with the scope.
    fn check_related(
        &mut self,
        items: &[Item],
        matching: &Matching,
        scope: &Scope,
        is_open: bool,
        is_top: bool,
    ) -> Result<(), Stop> {
        if !matching.is_empty() || scope.units.is_empty() || is_top {
            return Ok(());
        }
        let has_name = |unit: &Unit| {
            unit.is_definition()
                || matches!(unit.kind(), Some(Kind::Key | Kind::Var | Kind::Call | Kind::Case))
        };
        let are_remarks = shown_units(items).all(|unit| unit.is(Kind::Comment));
        let has_markers_alone = shown_units(items).next().is_none();
        if has_markers_alone
            || !are_remarks && shown_units(items).all(|unit| unit.is(Kind::Comment) || has_name(unit))
        {
            return Ok(());
        }
        // One marker, and what is new is first or last.
        let markers = items.iter().filter(|item| item.unit().is_none()).count();
        let is_outer = [items.first(), items.last()].iter().flatten().any(|item| item.unit().is_none());
        let last = scope.units.last().map_or("", |unit| unit.text(self.file));
        if markers == 1 && is_outer && !leaves(last) && !is_open {
            return Ok(());
        }
        Err(Stop::new(Reason::NoPlace, format!("nothing that the part shows in {} is there", scope.title())))
    }
}

fn entries(items: &[Item], matching: &Matching, in_order: &HashSet<usize>, is_open: bool) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    let mut push = |entry: Entry| {
        if entry != Entry::Marker || out.last() != Some(&Entry::Marker) {
            out.push(entry);
        }
    };
    if is_open {
        push(Entry::Marker);
    }
    for (at, item) in items.iter().enumerate() {
        match (item.unit(), matching.of[at]) {
            (None, _) => push(Entry::Marker),
            (Some(_), None) => push(Entry::New(at)),
            (Some(_), Some(unit)) if in_order.contains(&at) => push(Entry::Matched(unit)),
            // It is replaced where the file has it.
            (Some(_), Some(_)) => {}
        }
    }
    if is_open {
        push(Entry::Marker);
    }
    out
}

/// Returns true if nothing is reached behind a line with this text.
pub(super) fn leaves(text: &str) -> bool {
    let word = text.split([' ', ';', '(']).next().unwrap_or_default();
    matches!(word, "return" | "raise" | "throw" | "break" | "continue")
}

/// Returns true if no class can have a line with this text among its members: it sets a variable, or calls a function.
fn is_statement(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '>' | '-'))
    };
    let sets = || text.split_once(" = ").is_some_and(|(name, _)| is_name(name.trim_start_matches("this.")));
    let calls = || text.split_once('(').is_some_and(|(name, _)| is_name(name) && name.contains('.'));
    text.ends_with(';') && (sets() || calls())
}
