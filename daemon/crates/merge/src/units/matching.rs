//! Matching of units of the part with those of the file: by equal text, equal head, equal key, each if both sides
//! have it once; then the same between matched neighbours.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::note::NoteKind;
use crate::source::letters;

use super::alike::{
    ALIKE, FORM, OTHER, called, first_word, flat, owner_of, registers_another, similarity, telling_overlaps,
};
use super::head::Kind;
use super::language::Family;
use super::layout::Layout;
use super::merger::{Merger, Scope, Stop, shown_units};
use super::signs::{MatchStep, hashed, remark_above};
use super::unit::{Item, Unit};
use super::words::import_module;

/// Lines by which one of several places has to resemble the part more than the others.
const MARGIN: usize = 2;
/// Units of the file between two matched ones that are compared by similarity.
const WINDOW: usize = 100;
// The distance in similarity from which on the nearest line is the old form, and not one of several siblings.
const APART: f64 = 0.2;
/// Letters of a line that is not in two units by chance.
const TELLING: usize = 4;
/// A sign that equal units share.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Sign<'l> {
    Text(Vec<(isize, &'l str)>),
    Head(&'l str),
    Key(Kind, String),
}

/// The signs by which units are matched, in this order.
const STEPS: [SignOf; 3] = [whole_text, head_line, key];
/// The sign of a unit, if it has one; with true, one that is telling enough for the whole scope.
type SignOf = fn(&Layout<'_>, &Unit, bool) -> Option<MatchStep>;

/// The unit of the file for each item of the part, by index.
#[derive(Debug, Clone)]
pub(super) struct Matching {
    pub(super) of: Vec<Option<usize>>,
    is_taken: Vec<bool>,
    /// The items that are new, whatever the file has of their name.
    is_new: Vec<bool>,
}

impl Matching {
    pub(super) fn is_empty(&self) -> bool {
        self.of.iter().all(Option::is_none)
    }

    /// Returns the matching of the items that are not `taken` out.
    pub(super) fn without(mut self, taken: &[bool]) -> Matching {
        for (at, _) in taken.iter().enumerate().filter(|(_, taken)| **taken) {
            if let Some(unit) = self.of[at] {
                self.is_taken[unit] = false;
            }
        }
        let mut stays = taken.iter().map(|taken| !taken);
        self.of.retain(|_| stays.next().unwrap_or(true));
        let mut stays = taken.iter().map(|taken| !taken);
        self.is_new.retain(|_| stays.next().unwrap_or(true));
        self
    }

    pub(super) fn is_taken(&self, unit: usize) -> bool {
        self.is_taken[unit]
    }

    /// Returns true if an item has no unit yet, and may have one.
    pub(super) fn is_open(&self, item: usize) -> bool {
        self.of[item].is_none() && !self.is_new[item]
    }

    pub(super) fn set_new(&mut self, item: usize) {
        self.is_new[item] = true;
    }

    pub(super) fn put(&mut self, item: usize, unit: usize) {
        self.of[item] = Some(unit);
        self.is_taken[unit] = true;
    }

    /// Returns the file's units between the nearest matched neighbours of an item.
    fn window(&self, bounds: &[(usize, usize)], item: usize) -> std::ops::Range<usize> {
        let (low, high) = bounds[item];
        low..high.max(low).min(self.is_taken.len())
    }

    /// Returns, for each item, the unit behind the last matched one before it and the first matched behind it.
    fn bounds(&self) -> Vec<(usize, usize)> {
        let count = self.of.len();
        let mut out = vec![(0, self.is_taken.len()); count];
        let mut low = 0;
        for (at, unit) in self.of.iter().enumerate() {
            out[at].0 = low;
            low = unit.map_or(low, |unit| low.max(unit + 1));
        }
        let mut high = self.is_taken.len();
        for (at, unit) in self.of.iter().enumerate().rev() {
            out[at].1 = high;
            high = unit.map_or(high, |unit| high.min(unit));
        }
        out
    }
}

fn whole_text(layout: &Layout<'_>, unit: &Unit, strict: bool) -> Option<MatchStep> {
    let shape = unit.shape(layout);
    let is_telling = !strict || shape.len() > 1 || letters(unit.text(layout)) >= 4;
    if is_telling { hashed(0, Sign::Text(shape)) } else { None }
}

fn head_line(layout: &Layout<'_>, unit: &Unit, strict: bool) -> Option<MatchStep> {
    let text = unit.text(layout);
    let is_telling = !strict || letters(text) >= 2 || matches!(text, "{" | "[");
    if is_telling { hashed(1, Sign::Head(text)) } else { None }
}

fn key(layout: &Layout<'_>, unit: &Unit, strict: bool) -> Option<MatchStep> {
    let key = unit.key.as_ref()?;
    match key.kind {
        Kind::Comment => None,
        Kind::Element if strict => None,
        Kind::Import if !strict => None,
        Kind::Import => {
            let module = import_module(&flat(layout, unit), layout.family)?;
            hashed(2, Sign::Key(Kind::Import, module))
        }
        kind => hashed(2, Sign::Key(kind, key.name.clone())),
    }
}

// Matches the only import of the part with the only one of the file, whatever both import.
fn match_only_import(items: &[Item], units: &[Unit], matching: &mut Matching) {
    let is_import = |unit: &Unit| unit.is(Kind::Import);
    let mut shown = (0..items.len()).filter(|at| items[*at].unit().is_some_and(is_import));
    let mut there = (0..units.len()).filter(|at| is_import(&units[*at]));
    if let (Some(item), None, Some(unit), None) = (shown.next(), shown.next(), there.next(), there.next())
        && matching.is_open(item)
    {
        matching.put(item, unit);
    }
}

// Matches rules of style sheets with the one of the file that has some of their selectors and no others.
fn match_longer_lists(items: &[Item], units: &[Unit], matching: &mut Matching) {
    for (at, item) in items.iter().enumerate() {
        let key = item.unit().filter(|_| matching.is_open(at)).and_then(|unit| unit.key.as_ref());
        let Some(shown) = key.filter(|key| key.name.contains(", ")) else { continue };
        let is_shorter = |unit: &usize| {
            let there = units[*unit].key.as_ref();
            !matching.is_taken(*unit) && there.is_some_and(|there| shown.has_selectors_of(there))
        };
        let mut shorter = (0..units.len()).filter(is_shorter);
        let only = shorter.next().filter(|_| shorter.next().is_none());
        if let Some(unit) = only {
            matching.put(at, unit);
        }
    }
}

// The member of an object that tells it from others of its list.
fn name_in<'l>(layout: &'l Layout<'_>, object: &Unit) -> Option<&'l str> {
    let mut lines = (object.head + 1..object.end).filter(|at| !layout.blank[*at]);
    let depth = layout.indent[lines.clone().next()?];
    let is_name = |line: &str| {
        let line = line.trim_start_matches(['"', '\'']);
        let behind = ["name", "id"].iter().find_map(|key| line.strip_prefix(key));
        behind.is_some_and(|behind| behind.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
    };
    let name = lines.find(|at| layout.indent[*at] == depth && is_name(&layout.norm[*at]))?;
    Some(layout.norm[name].trim_end_matches(','))
}

// Returns true if two elements have an attribute that tells one from its siblings, with different values.
fn has_other_name(element: &str, other: &str) -> bool {
    const NAMES: [&str; 9] = ["key", "name", "id", "path", "to", "href", "src", "for", "value"];
    let value = |text: &str, name: &str| -> Option<String> {
        let behind = text.split_once(&format!(" {name}="))?.1;
        Some(behind.split([' ', '>']).next().unwrap_or_default().to_owned())
    };
    NAMES.iter().any(
        |name| matches!((value(element, name), value(other, name)), (Some(one), Some(two)) if one != two),
    )
}

/// Returns what the first argument of a call calls, which stands in the line below its head.
fn call_in<'l>(layout: &'l Layout<'_>, call: &Unit) -> Option<&'l str> {
    let first = (call.head + 1..call.end).find(|at| !layout.blank[*at])?;
    called(&layout.norm[first])
}

impl Merger<'_, '_> {
    pub(super) fn match_units(&mut self, items: &[Item], scope: &Scope) -> Result<Matching, Stop> {
        let units = &scope.units;
        let mut matching = Matching {
            of: vec![None; items.len()],
            is_taken: vec![false; units.len()],
            is_new: vec![false; items.len()],
        };
        let [whole, head, key] = STEPS;
        self.match_single(items, units, whole, &mut matching);
        self.match_single(items, units, head, &mut matching);
        self.match_functions(items, units, &mut matching)?;
        self.match_single(items, units, key, &mut matching);
        if self.file.family == Family::Css {
            match_longer_lists(items, units, &mut matching);
        }
        self.match_single(items, units, remark_above, &mut matching);
        self.match_between(items, units, &mut matching);
        self.match_similar(items, scope, &mut matching);
        if self.file.family == Family::Go {
            match_only_import(items, units, &mut matching);
        }
        Ok(matching)
    }

    /// Matches units whose sign both sides have once.
    fn match_single(&self, items: &[Item], units: &[Unit], step: SignOf, matching: &mut Matching) {
        let mut places: HashMap<MatchStep, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            if let (Some(unit), true) = (item.unit(), matching.is_open(at))
                && let Some(sign) = step(self.part, unit, true)
            {
                places.entry(sign).or_default().0.push(at);
            }
        }
        for (at, unit) in units.iter().enumerate() {
            if !matching.is_taken(at)
                && let Some(sign) = step(self.file, unit, true)
                && let Some(place) = places.get_mut(&sign)
            {
                place.1.push(at);
            }
        }
        for (shown, there) in places.into_values() {
            if let ([item], [unit]) = (&shown[..], &there[..])
                && !self.is_another(items, *item, &units[*unit])
            {
                matching.put(*item, *unit);
            }
        }
    }

    /// Matches units with the same sign between matched neighbours: as many on both sides, or one that is
    /// beside a neighbour in both, or the one that resembles the part's clearly most.
    fn match_between(&mut self, items: &[Item], units: &[Unit], matching: &mut Matching) {
        for _ in 0..2 {
            for step in STEPS {
                let mut there: HashMap<MatchStep, Vec<usize>> = HashMap::new();
                for (at, unit) in units.iter().enumerate().filter(|(at, _)| !matching.is_taken(*at)) {
                    if let Some(sign) = step(self.file, unit, false) {
                        there.entry(sign).or_default().push(at);
                    }
                }
                let signs: Vec<Option<MatchStep>> = items
                    .iter()
                    .enumerate()
                    .map(|(at, item)| {
                        let unit = item.unit().filter(|_| matching.is_open(at))?;
                        step(self.part, unit, false).filter(|sign| there.contains_key(sign))
                    })
                    .collect();
                if signs.iter().any(Option::is_some) {
                    self.match_signs(items, units, &signs, &there, matching);
                }
            }
        }
    }

    fn match_signs(
        &mut self,
        items: &[Item],
        units: &[Unit],
        signs: &[Option<MatchStep>],
        there: &HashMap<MatchStep, Vec<usize>>,
        matching: &mut Matching,
    ) {
        let mut bounds = matching.bounds();
        // Items that are alike are matched together, and only between the neighbours that are matched already.
        let mut groups: HashMap<(MatchStep, (usize, usize)), Vec<usize>> = HashMap::new();
        for (at, sign) in signs.iter().enumerate() {
            if let Some(sign) = sign {
                groups.entry((*sign, bounds[at])).or_default().push(at);
            }
        }
        let mut order: Vec<_> = groups.into_iter().collect();
        order.sort_by_key(|(_, same)| same[0]);
        for ((sign, _), same) in order {
            if same.iter().any(|at| matching.of[*at].is_some()) {
                continue;
            }
            let window = matching.window(&bounds, same[0]);
            let all = there.get(&sign).map_or(&[][..], Vec::as_slice);
            let from = all.partition_point(|at| *at < window.start);
            let to = all.partition_point(|at| *at < window.end);
            let open: Vec<usize> =
                all[from..to.max(from)].iter().copied().filter(|at| !matching.is_taken(*at)).collect();
            let count = matching.of.iter().flatten().count();
            if open.len() == same.len() {
                for (item, unit) in same.iter().zip(&open) {
                    if !self.is_another(items, *item, &units[*unit]) {
                        matching.put(*item, *unit);
                    }
                }
            } else if let ([item], true) = (&same[..], open.len() > 1) {
                self.match_one_of(*item, &open, items, units, matching);
            } else if let ([unit], true) = (&open[..], same.len() > 1) {
                self.match_one_to(*unit, &same, items, units, matching);
            }
            if matching.of.iter().flatten().count() > count {
                bounds = matching.bounds();
            }
        }
    }

    /// Returns true if the item is another unit than `old`, though they have a sign in common: an object of a list with
    /// another name, a call of the same name with another one in it, a getter and a setter.
    fn is_another(&self, items: &[Item], item: usize, old: &Unit) -> bool {
        let Some(new) = items[item].unit() else { return false };
        let (text, old_text) = (new.text(self.part), old.text(self.file));
        let names = if text == "{" {
            (name_in(self.part, new), name_in(self.file, old))
        } else if text == old_text && text.ends_with('(') && new.key.is_none() {
            (call_in(self.part, new), call_in(self.file, old))
        } else {
            let adds = self.label.label_says_add;
            return self.is_other_function(new.head, old.head)
                || adds && self.is_overload(new, old)
                || adds
                    && !self.has_marker(new.head..new.end)
                    && self.is_further_block(new, old)
                    && !self.is_frame_of(new, old)
                || self.is_behind_marker(items, item)
                    && match new.kind() {
                        Some(Kind::Element) => has_other_name(text, old_text),
                        _ => self.is_further_block(new, old),
                    };
        };
        matches!(names, (Some(new), Some(old)) if new != old)
    }

    fn is_behind_marker(&self, items: &[Item], item: usize) -> bool {
        item.checked_sub(1).is_some_and(|above| items[above].unit().is_none())
    }

    // Returns true if several of `units` are as like the part's as they are like each other: calls that register, say.
    fn has_siblings(&self, unit: &Unit, units: &[Unit]) -> bool {
        let text = unit.text(self.part);
        let same_kind =
            || units.iter().filter(|old| old.kind() == unit.kind()).map(|old| old.text(self.file));
        let are_called_alike = |there: &&str| called(text).is_some() && called(text) == called(there);
        if same_kind().filter(are_called_alike).nth(1).is_some() {
            return true;
        }
        let mut similar: Vec<f64> = same_kind().map(|there| similarity(text, there)).collect();
        similar.sort_by(|left, right| right.total_cmp(left));
        matches!(similar[..], [best, next, ..] if next >= FORM && best - next < APART)
    }

    /// Returns true if both are statements that begin alike and have no more in common: two effects of a component, say.
    fn is_further_block(&self, new: &Unit, old: &Unit) -> bool {
        let (new_lines, old_lines) = (new.norm(self.part), old.norm(self.file));
        let has_name = !matches!(old.kind(), None | Some(Kind::Element));
        let tells = |line: &&&str| letters(line) >= TELLING && !line.starts_with("</");
        let inside = || old_lines[1..].iter().filter(tells);
        !has_name
            && !self.file.family.is_data()
            && new_lines[1..].iter().filter(tells).count() > 0
            && inside().count() > 0
            && !inside().any(|line| new_lines.contains(line))
    }

    /// Matches an item with one of several units of its sign.
    fn match_one_of(
        &mut self,
        item: usize,
        open: &[usize],
        items: &[Item],
        units: &[Unit],
        matching: &mut Matching,
    ) {
        let Some(unit) = items[item].unit() else { return };
        // An object with another name is no place for it, however many lines they share.
        let open: Vec<usize> =
            open.iter().copied().filter(|at| !self.is_another(items, item, &units[*at])).collect();
        let beside = |at: Option<usize>, step: isize| {
            let unit = matching.of.get(at?).copied().flatten()?.checked_add_signed(step)?;
            open.contains(&unit).then_some(unit)
        };
        if let Some(unit) = beside(item.checked_sub(1), 1).or_else(|| beside(Some(item + 1), -1)) {
            matching.put(item, unit);
            return;
        }
        let lines = unit.norm(self.part);
        let places: Vec<Vec<&str>> = open.iter().take(WINDOW).map(|at| units[*at].norm(self.file)).collect();
        let mut common: Vec<(usize, usize)> =
            telling_overlaps(&lines, &places).into_iter().zip(open.iter().copied()).collect();
        common.sort_unstable_by(|left, right| right.cmp(left));
        let is_clear = match &common[..] {
            [first, second, ..] => first.0 >= second.0 + MARGIN,
            [only] => only.0 >= MARGIN,
            [] => false,
        };
        if open.len() <= WINDOW && is_clear {
            matching.put(item, common[0].1);
            self.guess(NoteKind::Chosen { count: open.len() }, unit.text(self.part), 0..0);
        }
    }

    /// Matches a unit with the one of several items of its sign that resembles it clearly most.
    fn match_one_to(
        &self,
        unit: usize,
        same: &[usize],
        items: &[Item],
        units: &[Unit],
        matching: &mut Matching,
    ) {
        let lines = units[unit].norm(self.file);
        let shown: Vec<Vec<&str>> = same
            .iter()
            .map(|at| items[*at].unit().map_or_else(Vec::new, |unit| unit.norm(self.part)))
            .collect();
        let mut common: Vec<(usize, usize)> =
            telling_overlaps(&lines, &shown).into_iter().zip(same.iter().copied()).collect();
        common.sort_unstable_by(|left, right| right.cmp(left));
        if let [first, second, ..] = common[..]
            && first.0 >= second.0 + MARGIN
            && !self.is_another(items, first.1, &units[unit])
        {
            matching.put(first.1, unit);
        }
    }

    /// Matches a statement with the one beside its matched neighbour, if they are alike; or, between markers,
    /// with the only one that is very much so.
    fn match_similar(&mut self, items: &[Item], scope: &Scope, matching: &mut Matching) {
        let mut heads: HashMap<&str, usize> = HashMap::new();
        for unit in shown_units(items) {
            *heads.entry(unit.text(self.part)).or_default() += 1;
        }
        let mut bounds = matching.bounds();
        for at in 0..items.len() {
            let Some(unit) = items[at].unit().filter(|_| matching.is_open(at)) else { continue };
            // A call or a key of another name is another one, however alike they are.
            let is_other = matches!(unit.kind(), Some(Kind::Call | Kind::Key | Kind::Case));
            if matches!(unit.kind(), Some(Kind::Import | Kind::Comment)) {
                continue;
            }
            let window = matching.window(&bounds, at);
            let beside = [(at.checked_sub(1), 1), (Some(at + 1), -1)].into_iter().find_map(|(item, step)| {
                let other = matching.of.get(item?).copied().flatten()?.checked_add_signed(step)?;
                let fits = window.contains(&other)
                    && !matching.is_taken(other)
                    && !self.is_another(items, at, &scope.units[other]);
                (fits && self.is_old_form(unit, &scope.units[other], scope.is_outer)).then_some(other)
            });
            let is_alone = (at == 0 || items[at - 1].unit().is_none())
                && items.get(at + 1).is_none_or(|item| item.unit().is_none());
            // Of several like it in the part, another may be as near to the file's.
            let is_single = heads.get(unit.text(self.part)) == Some(&1);
            // The texts of a list are names, as short as any.
            let is_text = unit.text(self.part).starts_with(['"', '\'']);
            let is_statement = is_single
                && !(is_text && unit.key.is_none())
                && (unit.key.is_none() || is_alone && !unit.is_definition() && !is_other);
            // Behind a marker comes what is new: one more of several that are alike.
            let is_further = self.is_behind_marker(items, at)
                && window.len() <= WINDOW
                && self.has_siblings(unit, &scope.units[window.clone()]);
            let pair = beside.map(|other| (other, false)).or_else(|| {
                if !is_statement || window.len() > WINDOW {
                    return None;
                }
                let other = self.most_similar(unit, &scope.units, window.clone(), matching)?;
                (!self.is_another(items, at, &scope.units[other])).then_some((other, true))
            });
            let pair = pair.or_else(|| {
                let other = self.with_same_body(unit, &scope.units, window, matching)?;
                is_single.then_some((other, true))
            });
            let is_of_new = |(other, _): &(usize, bool)| {
                self.is_of_new_object(unit, &scope.units[*other], items, matching)
            };
            if let Some((other, is_guess)) = pair.filter(|pair| !is_further && !is_of_new(pair)) {
                matching.put(at, other);
                bounds = matching.bounds();
                let old = &scope.units[other];
                let kind = NoteKind::Renamed { from: crate::refused::excerpt(old.text(self.file)) };
                let text = unit.text(self.part).to_owned();
                if is_guess { self.guess(kind, &text, 0..0) } else { self.note(kind, &text, 0..0) }
            }
        }
    }

    // Returns true if `unit` of the part is a call of an object that a new line of it makes, and `old` one of another object:
    // `hint = Label()`, `hint.pack()` beside `title.pack()`.
    fn is_of_new_object(&self, unit: &Unit, old: &Unit, items: &[Item], matching: &Matching) -> bool {
        let Some(new) = owner_of(unit.text(self.part)) else { return false };
        let is_other = owner_of(old.text(self.file)).is_some_and(|old| old != new);
        let makes = |text: &str| {
            let rest = text.strip_prefix("const ").or_else(|| text.strip_prefix("let ")).unwrap_or(text);
            rest.strip_prefix(new).is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        let mut shown_here = items.iter().enumerate().filter_map(|(at, item)| Some((at, item.unit()?)));
        is_other && shown_here.any(|(at, one)| matching.of[at].is_none() && makes(one.text(self.part)))
    }

    /// Returns true if the part's unit may be the file's, changed.
    fn is_old_form(&self, unit: &Unit, old: &Unit, is_outer: bool) -> bool {
        if unit.kind() != old.kind() || unit.is_definition() && !unit.is(Kind::Rule) {
            return false;
        }
        let (new_text, old_text) = (unit.text(self.part), old.text(self.file));
        if registers_another(new_text, old_text) {
            return false;
        }
        // A rule with another selector and no declaration in common is another rule.
        let (new_lines, old_lines) = (unit.norm(self.part), old.norm(self.file));
        let tells = |line: &&&str| letters(line) >= TELLING;
        let shares = || new_lines[1..].iter().filter(tells).any(|line| old_lines[1..].contains(line));
        if unit.is(Kind::Rule) && unit.key != old.key && !shares() {
            return false;
        }
        if unit.key.is_some() && !unit.is(Kind::Rule) && unit.key != old.key {
            let value =
                |text: &'_ str| text.split_once('=').map_or(text.to_owned(), |(_, value)| value.to_owned());
            let is_renamed = unit.is(Kind::Var)
                && !is_outer
                && !self.label.label_says_add
                && similarity(&value(new_text), &value(old_text)) >= 0.8;
            if !is_renamed {
                return false;
            }
        }
        // What is added leaves nothing of the old form out.
        let words = |text: &'_ str| -> HashSet<String> {
            let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        };
        let covers = || words(old_text).is_subset(&words(new_text));
        similarity(new_text, old_text) >= FORM && (!self.label.label_says_add || covers())
    }

    // Returns the only unit of the window that differs from `unit`, a loop or a condition, by its head alone.
    fn with_same_body(
        &self,
        unit: &Unit,
        units: &[Unit],
        window: std::ops::Range<usize>,
        matching: &Matching,
    ) -> Option<usize> {
        let lines = unit.norm(self.part);
        let tells = lines.iter().skip(1).any(|line| letters(line) >= TELLING);
        if unit.key.is_some() || !tells || self.label.label_says_add || window.len() > WINDOW {
            return None;
        }
        let is_form = |at: &usize| {
            let old = units[*at].norm(self.file);
            !matching.is_taken(*at)
                && units[*at].key.is_none()
                && old.len() == lines.len()
                && old[1..] == lines[1..]
                && first_word(old[0]) == first_word(lines[0])
        };
        let mut forms = window.filter(is_form);
        forms.next().filter(|_| forms.next().is_none())
    }

    fn most_similar(
        &self,
        unit: &Unit,
        units: &[Unit],
        window: std::ops::Range<usize>,
        matching: &Matching,
    ) -> Option<usize> {
        let text = unit.text(self.part);
        let mut similar: Vec<(f64, usize)> = window
            .filter(|at| !matching.is_taken(*at) && units[*at].kind() == unit.kind())
            .filter(|at| !registers_another(text, units[*at].text(self.file)))
            .map(|at| (similarity(text, units[at].text(self.file)), at))
            .collect();
        similar.sort_by(|left, right| right.0.total_cmp(&left.0));
        let is_only = similar.get(1).is_none_or(|(next, _)| *next < OTHER);
        similar.first().filter(|(best, _)| *best >= ALIKE && is_only).map(|(_, at)| *at)
    }
}
