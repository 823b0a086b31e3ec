//! Finds the scope of the file that the part's outermost units belong to.

use std::collections::{BTreeMap, HashSet};

use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::alike::{ALIKE, OTHER, flat, registers_another, similarity, tag_of, telling_overlaps};
use super::head::{Key, Kind};
use super::language::Family;
use super::merger::{FILE, Merger, Stop, shown_units};
use super::unit::{Item, Unit, extent};

/// Lines by which one of several scopes has to share more with the part than the others.
const MARGIN: usize = 2;
/// Places of one head line that are compared.
const PLACES: usize = 200;

impl Merger<'_, '_> {
    /// Merges items into the scope in which most of them are found. `previous` is that of the items before.
    /// Returns the scope.
    pub(super) fn merge_segment(
        &mut self,
        items: Vec<Item>,
        previous: Option<usize>,
    ) -> Result<Option<usize>, Stop> {
        let items = self.without_old_versions(items);
        let real: Vec<Unit> = shown_units(&items).filter(|unit| !unit.is(Kind::Comment)).cloned().collect();
        let (imports, mut rest): (Vec<Unit>, Vec<Unit>) =
            real.into_iter().partition(|unit| unit.is(Kind::Import));
        if rest.is_empty() {
            let is_present = imports.iter().any(|unit| self.flats.contains(&flat(self.part, unit)));
            if !is_present {
                self.merge_imports(&imports)?;
                return Ok(previous);
            }
            rest.clone_from(&imports);
        }
        // A part rarely says in which class or function it is: the units that it shares with a scope do.
        let scores = self.scores(&rest);
        let Some(best) = scores.values().copied().max() else {
            return self.place_unknown(&items, &rest, &imports, previous).map(Some);
        };
        let mut scopes: Vec<usize> =
            scores.iter().filter(|(_, score)| **score == best).map(|(head, _)| *head).collect();
        if let Some(previous) = previous.filter(|previous| scopes.contains(previous)) {
            scopes = vec![previous];
        }
        let head = if let [head] = scopes[..] { head } else { self.choose_scope(&rest, &scopes)? };
        let away = self.merge_away(&rest, head)?;
        let keep = |item: Item| match &item {
            Item::Unit(unit) if away.contains(&unit.head) => Item::Marker,
            _ => item,
        };
        let items = items.into_iter().map(keep).collect();
        let scope = self.scope(head);
        self.merge_list(items, &scope, true, true)?;
        Ok(Some(head))
    }

    /// Leaves a unit out that is the file's, word for word, if the next one is another form of it: each below a comment
    /// that the file does not have, and that says which is which.
    fn without_old_versions(&mut self, mut items: Vec<Item>) -> Vec<Item> {
        let is_labelled = |merger: &Self, unit: &Unit| {
            let mut above = unit.start..unit.head;
            !above.is_empty()
                && above.all(|at| {
                    merger.part.is_comment(at) && !merger.known.contains(merger.part.norm[at].as_str())
                })
        };
        for at in 0..items.len().saturating_sub(1) {
            let (Some(old), Some(new)) = (items[at].unit(), items[at + 1].unit()) else { continue };
            // Two forms of one unit, and no third: "Current:" and "Should be:" in one fence.
            let is_pair = old.key.is_some()
                && old.key == new.key
                && !matches!(old.kind(), Some(Kind::Import | Kind::Comment | Kind::Element | Kind::Entry))
                && shown_units(&items).filter(|unit| unit.key == old.key).count() == 2;
            if !is_pair || !is_labelled(self, old) || !is_labelled(self, new) {
                continue;
            }
            let (shape, is_other) = (old.shape(self.part), old.shape(self.part) != new.shape(self.part));
            let &[line] = &*self.candidates(old) else { continue };
            let mut new = new.clone();
            let is_only = matches!(&*self.candidates(&new), [only] if *only == line);
            if is_other && is_only && self.unit_at(line).shape(self.file) == shape {
                self.quoted = old.start..old.end;
                self.quoted_head = Some(line);
                new.start = new.head;
                items[at + 1] = Item::Unit(new);
                items.remove(at);
                break;
            }
        }
        items
    }

    pub(super) fn merge_imports(&mut self, imports: &[Unit]) -> Result<(), Stop> {
        for unit in imports {
            if !self.merge_import(unit)? {
                return Err(Stop::new(Reason::NoPlace, "the file does not show where the import goes"));
            }
        }
        Ok(())
    }

    /// Returns, for each scope, how much of the part's units is found there, in thousandths.
    fn scores(&self, units: &[Unit]) -> BTreeMap<usize, u64> {
        let mut scores: BTreeMap<usize, u64> = BTreeMap::new();
        for unit in units {
            let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
            for line in self.candidates(unit).iter() {
                *counts.entry(self.parent(*line)).or_default() += 1;
            }
            let kind = if unit.is_definition() { 4_000 } else { 1_000 };
            let length = (letters(unit.text(self.part)) as u64 * 50).min(3_000);
            for (scope, count) in counts {
                let score = kind * (1_000 + length) / 1_000;
                *scores.entry(scope).or_default() += if count == 1 { score } else { score / 2 };
            }
        }
        scores
    }

    /// Returns the scope whose lines agree best with the part's.
    fn choose_scope(&mut self, units: &[Unit], scopes: &[usize]) -> Result<usize, Stop> {
        let mut shared: BTreeMap<usize, usize> = scopes.iter().map(|scope| (*scope, 0)).collect();
        for unit in units {
            let lines = unit.norm(self.part);
            let candidates: Vec<usize> = self.candidates(unit).iter().copied().take(PLACES).collect();
            let mut of_unit: BTreeMap<usize, Vec<&str>> =
                scopes.iter().map(|scope| (*scope, Vec::new())).collect();
            for line in candidates {
                if let Some(there) = of_unit.get_mut(&self.parent(line)) {
                    there.extend(self.unit_at(line).norm(self.file));
                }
            }
            let places: Vec<Vec<&str>> = of_unit.values().cloned().collect();
            for (scope, common) in of_unit.keys().zip(telling_overlaps(&lines, &places)) {
                let best = shared.entry(*scope).or_default();
                *best = common.max(*best);
            }
        }
        let mut order: Vec<(usize, usize)> =
            shared.into_iter().map(|(scope, common)| (common, scope)).collect();
        order.sort_unstable_by(|left, right| right.cmp(left));
        let text = units[0].text(self.part).to_owned();
        // Two scopes that agree nearly as well: only the depth of the part can decide.
        if order[0].0 < order[1].0 + MARGIN {
            let best = order[0].0;
            let near = order.iter().filter(|(common, _)| common + MARGIN > best).map(|(_, scope)| *scope);
            let near: Vec<usize> = near.collect();
            if let Some(scope) =
                self.named_by_words(&near).or_else(|| self.as_deep_as(units, near.iter().copied()))
            {
                self.guess(NoteKind::Chosen { count: order.len() }, &text, 0..0);
                return Ok(scope);
            }
            let detail = format!("`{}` is in the file at {} places", excerpt(&text), order.len());
            return Err(Stop::new(Reason::Ambiguous, detail));
        }
        self.guess(NoteKind::Chosen { count: order.len() }, &text, 0..0);
        Ok(order[0].1)
    }

    // Returns the only one of `scopes`, those of members of data, that is inside of what the words above name in backticks.
    fn named_by_words(&self, scopes: &[usize]) -> Option<usize> {
        let file = self.file;
        let names: HashSet<&str> = self.code_spans().collect();
        let is_named = |scope: &&usize| {
            let mut at = **scope;
            while at < file.len() {
                if file.keys[at]
                    .as_ref()
                    .is_some_and(|key| key.kind == Kind::Key && names.contains(key.name.as_str()))
                {
                    return true;
                }
                at = self.parent(at);
            }
            false
        };
        let mut named = scopes.iter().filter(is_named);
        named.next().copied().filter(|_| file.family.is_data() && named.next().is_none())
    }

    /// Returns the only one of `scopes` in which the units are as deep as in the part. Code is often shown without its
    /// indentation, data is not: a key at the margin is one of the file's outermost.
    fn as_deep_as(&self, units: &[Unit], scopes: impl Iterator<Item = usize>) -> Option<usize> {
        let (file, part) = (self.file, self.part);
        let is_as_deep = |unit: &Unit, scope: usize| {
            let candidates = self.candidates(unit);
            let mut own = candidates.iter().filter(|line| self.parent(**line) == scope).peekable();
            own.peek().is_none() || own.any(|line| file.indent[*line] == part.indent[unit.head])
        };
        if !file.family.is_data() && units.iter().any(|unit| part.indent[unit.head] == 0) {
            return None;
        }
        let mut fitting = scopes.filter(|scope| units.iter().all(|unit| is_as_deep(unit, *scope)));
        fitting.next().filter(|_| fitting.next().is_none())
    }

    /// Replaces definitions that the file has once, in another scope, where they are. Returns their heads.
    fn merge_away(&mut self, units: &[Unit], scope: usize) -> Result<HashSet<usize>, Stop> {
        let mut away = HashSet::new();
        for unit in units {
            let candidates = self.candidates(unit);
            if candidates.is_empty() || candidates.iter().any(|line| self.parent(*line) == scope) {
                continue;
            }
            let &[line] = &*candidates else { return Err(self.in_other_scope(unit)) };
            if !unit.is_definition() {
                return Err(self.in_other_scope(unit));
            }
            let there = self.unit_at(line);
            self.replace(unit, &there)?;
            away.insert(unit.head);
        }
        Ok(away)
    }

    fn in_other_scope(&self, unit: &Unit) -> Stop {
        let detail = format!("`{}` is in another scope of the file", excerpt(unit.text(self.part)));
        Stop::new(Reason::Ambiguous, detail)
    }

    /// Places units of which the file has nothing: definitions, at the end of a scope.
    fn place_unknown(
        &mut self,
        items: &[Item],
        rest: &[Unit],
        imports: &[Unit],
        previous: Option<usize>,
    ) -> Result<usize, Stop> {
        let adds = self.label.label_says_add || self.label.is_labelled;
        if adds && let Some(head) = self.container_of(rest) {
            let scope = self.scope(head);
            let run: Vec<Unit> = shown_units(items).cloned().collect();
            self.check_whole(&run)?;
            self.place_at_end(&run, &scope, true)?;
            return Ok(head);
        }
        let outermost = self.scope(FILE);
        let run: Vec<Unit> = shown_units(items).cloned().collect();
        if previous.is_none()
            && let Some(at) = self.last_alike(&run, &outermost)
        {
            self.check_whole(&run)?;
            self.insert_after(&run, at, &outermost);
            self.take_blanks_below_marker(&run[0]);
            self.set_guess(true);
            return Ok(FILE);
        }
        // A prototype stands behind those of the header.
        if self.label.label_says_add
            && run.iter().all(|unit| self.part.family == Family::C && is_prototype(unit.text(self.part)))
            && let head = self.namespace().unwrap_or(FILE)
            && let holder = self.scope(head)
            && let Some(at) = holder.units.iter().rposition(|unit| is_prototype(unit.text(self.file)))
        {
            self.insert_after(&run, at, &holder);
            self.drop_blanks_above();
            self.set_guess(true);
            return Ok(head);
        }
        // A field or property of the only class of a file.
        let is_field = |unit: &&Unit| adds && self.is_field(unit);
        let is_setting = |unit: &Unit| {
            adds && self.part.family == Family::Yaml && unit.is(Kind::Key) && self.part.indent[unit.head] == 0
        };
        let is_call = |unit: &Unit| {
            unit.is(Kind::Call) && (self.label.label_says_add || self.is_marker.contains(&true))
        };
        let is_placed =
            |unit: &&Unit| unit.is_definition() || is_call(unit) || is_field(unit) || is_setting(unit);
        if let [only] = rest
            && !is_placed(&only)
            && items.len() == 1
            && let Some(line) = self.old_form_of(only)
        {
            let old = self.unit_at(line);
            let from = excerpt(old.text(self.file));
            self.replace(only, &old)?;
            self.guess(NoteKind::Renamed { from }, only.text(self.part), 0..0);
            return Ok(self.parent(line));
        }
        // Definitions in front of a line that has another form: `function add() {…} return { get, add };`.
        if let [above @ .., last] = rest
            && !above.is_empty()
            && items.len() == rest.len()
            && above.iter().all(Unit::is_definition)
            && !is_placed(&last)
            && let Some(line) = self.old_form_of(last)
        {
            let (old, head) = (self.unit_at(line), self.parent(line));
            let scope = self.scope(head);
            let at = scope.units.partition_point(|unit| unit.head < line);
            self.check_whole(&run)?;
            self.insert_before(above, at, &scope);
            self.replace(last, &old)?;
            let from = excerpt(old.text(self.file));
            self.guess(NoteKind::Renamed { from }, last.text(self.part), 0..0);
            return Ok(head);
        }
        if items.len() == rest.len()
            && let [above @ .., last] = rest
            && !above.iter().any(Unit::is_definition)
            && let Some(at) = self.old_call_of(last, &outermost)
        {
            self.check_whole(&run)?;
            if !above.is_empty() {
                self.insert_before(above, at, &outermost);
            }
            let from = excerpt(outermost.units[at].text(self.file));
            self.replace(last, &outermost.units[at])?;
            self.guess(NoteKind::Renamed { from }, last.text(self.part), 0..0);
            return Ok(FILE);
        }
        // A label that names the file in a comment of the code says nothing of it.
        let is_led = self.label.label_says_add || self.label.words.contains(self.label.extension);
        if adds
            && is_led
            && previous.is_none()
            && let Some(at) = self.last_variable(rest, &outermost)
        {
            self.insert_after(&run, at, &outermost);
            self.drop_blanks_above();
            self.set_guess(true);
            return Ok(FILE);
        }
        if adds
            && !self.gives_place()
            && let Some(line) = self.last_registered(rest)
        {
            let head = self.parent(line);
            let scope = self.scope(head);
            let at = scope.units.partition_point(|unit| unit.head < line);
            self.insert_after(&run, at, &scope);
            let are_lines = run.iter().all(|unit| unit.size(self.part) == 1);
            if are_lines {
                self.drop_blanks_above();
            }
            self.set_guess(true);
            return Ok(head);
        }
        if let Some(unit) = rest.iter().find(|unit| !is_placed(unit)) {
            let text = excerpt(unit.text(self.part));
            let detail = format!("`{text}` is not in the file, and the code does not show where it goes");
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        let first = &rest[0];
        let name = excerpt(&first.name(self.part));
        let is_import = |at: usize| imports.iter().any(|unit| (unit.start..unit.end).contains(&at));
        let outermost = (0..self.part.len())
            .filter(|at| self.part.is_code(*at) && !self.is_marker[*at] && !is_import(*at));
        let margin = outermost.map(|at| self.part.indent[at]).min().unwrap_or(0);
        if previous.is_none() && self.part.indent[first.head] > margin {
            let detail = format!("`{name}` is not in the file, and belongs to what the part shows above it");
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        // Without a marker or words that say so, a definition that the file lacks may belong to another file.
        let is_said = self.is_marker.contains(&true) || self.label.label_says_add || self.label.is_labelled;
        if !is_said && !self.is_like_all(rest) && !self.is_test(first) && !self.has_receiver(first) {
            let detail = format!("`{name}` is not in the file, and the code does not show where it goes");
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        self.merge_imports(imports)?;
        let head = match previous {
            Some(head) => head,
            None if self.is_test(first) => match self.test_module() {
                Some(module) => module,
                None => FILE,
            },
            None if self.is_method(first) => self.class_of(first)?,
            None => self.namespace().unwrap_or(FILE),
        };
        let scope = self.scope(head);
        let run: Vec<Unit> = shown_units(items).filter(|unit| !unit.is(Kind::Import)).cloned().collect();
        self.check_whole(&run)?;
        // Fields stand with fields, also those above methods.
        let ahead = run.iter().take_while(|unit| unit.is(Kind::Comment) || self.is_field(unit)).count();
        let last = run[..ahead].iter().rposition(|unit| !unit.is(Kind::Comment));
        let (fields, others) = run.split_at(last.map_or(0, |last| last + 1));
        let is_placed = self.place_fields(fields, &scope);
        match if is_placed { others } else { &run[..] } {
            [] => {}
            run => self.place_at_end(run, &scope, true)?,
        }
        Ok(head)
    }

    // Returns the head of the class that a new method is for: the only one, or the one that the words above name.
    fn class_of(&mut self, method: &Unit) -> Result<usize, Stop> {
        let name = excerpt(&method.name(self.part));
        let mut scope = self.scope(FILE);
        let namespace =
            |unit: &&Unit| unit.text(self.file).starts_with("namespace ") && unit.size(self.file) > 1;
        if let Some(head) = scope.units.iter().find(namespace).map(|unit| unit.head) {
            scope = self.scope(head);
        }
        let classes: Vec<&Unit> = scope.units.iter().filter(|unit| self.has_bodies(unit)).collect();
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: HashSet<&str> = self.label.words.split(|c: char| !is_word(c)).collect();
        let is_named = |unit: &&&Unit| words.contains(unit.name(self.file).as_str());
        let named: Vec<&Unit> = classes.iter().filter(is_named).copied().collect();
        // Words may name one of several; a file with one needs none.
        let (class, is_named) = match (&classes[..], &named[..]) {
            (_, [class]) => (class.head, true),
            ([class], _) => (class.head, false),
            _ => {
                let detail = match classes.len() {
                    0 => format!("`{name}` is new, and the file has no class for it"),
                    count => format!("`{name}` is new, and {count} definitions may hold it"),
                };
                return Err(Stop::new(Reason::Ambiguous, detail));
            }
        };
        let holds = |at: usize| matches!(&self.file.keys[at], Some(key) if key.kind == Kind::Class);
        let is_module = (class + 1..extent(self.file, class, self.file.len())).any(holds);
        if !is_named && is_module && !self.is_marker.contains(&true) {
            let detail = format!("`{name}` is new, and several definitions may hold it");
            return Err(Stop::new(Reason::Ambiguous, detail));
        }
        Ok(class)
    }

    // Returns true if the unit is a test of Rust, which stands with the others in a module.
    fn is_test(&self, unit: &Unit) -> bool {
        let is_attribute = |at: usize| {
            let text = self.part.norm[at].as_str();
            text.starts_with("#[") && text.trim_end_matches([')', ']']).ends_with("test")
        };
        self.part.family == Family::Rust && unit.is(Kind::Def) && (unit.start..unit.head).any(is_attribute)
    }

    // Returns true if the unit is a method of Go, and the file has the type that it is one of.
    fn has_receiver(&self, unit: &Unit) -> bool {
        let receiver = unit.key.as_ref().and_then(|key| Some(key.name.strip_prefix('(')?.split_once(')')?.0));
        let is_it = |key: &Key| key.kind == Kind::Class && Some(key.name.as_str()) == receiver;
        self.part.family == Family::Go && self.file.keys.iter().flatten().any(is_it)
    }

    // Returns the head of the only module of the file that is compiled for tests alone.
    fn test_module(&mut self) -> Option<usize> {
        let scope = self.scope(FILE);
        let is_of_tests = |unit: &&Unit| {
            unit.is(Kind::Class) && (unit.start..unit.head).any(|at| self.file.norm[at] == "#[cfg(test)]")
        };
        let mut modules = scope.units.iter().filter(is_of_tests);
        modules.next().filter(|_| modules.next().is_none()).map(|unit| unit.head)
    }

    /// Returns true if the units are blocks of declarations with the same word as all that the file has.
    fn is_like_all(&mut self, new: &[Unit]) -> bool {
        let word = |text: &'_ str| text.split(' ').next().unwrap_or_default().to_owned();
        let scope = self.scope(FILE);
        let mut blocks = scope.units.iter().filter(|unit| unit.is(Kind::Section)).peekable();
        let Some(first) = blocks.peek().map(|unit| word(unit.text(self.file))) else { return false };
        self.file.family == Family::Schema
            && blocks.all(|unit| word(unit.text(self.file)) == first)
            && new.iter().all(|unit| unit.is(Kind::Section) && word(unit.text(self.part)) == first)
    }

    pub(super) fn is_field(&self, unit: &Unit) -> bool {
        self.part.family == Family::C && is_field(unit.text(self.part)) && unit.size(self.part) == 1
    }

    pub(super) fn is_field_of_file(&self, unit: &Unit) -> bool {
        is_field(unit.text(self.file)) && unit.size(self.file) == 1
    }

    // Returns the head of the only element of the file that `unit` can be another form of: with its class or id, or of a tag that
    // is not one of many. Models break the attributes of an element over lines, and join them.
    fn old_element(&self, unit: &Unit) -> Option<usize> {
        const COMMON: [&str; 12] =
            ["div", "p", "span", "a", "li", "button", "td", "tr", "label", "input", "h1", "h2"];
        if !unit.is(Kind::Element) || self.label.label_says_add || self.label.label_says_beginning {
            return None;
        }
        let (file, part) = (self.file, self.part);
        let name_of = |lines: &[String]| -> Option<String> {
            let head = lines.join(" ");
            let head = head.split('>').next().unwrap_or_default();
            ["id=", "class=", "className="].iter().find_map(|attribute| {
                let (_, value) = head.split_once(&format!(" {attribute}"))?;
                let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                Some(format!("{attribute}{}", value[1..].split(quote).next()?))
            })
        };
        let own = tag_of(unit.text(part))?;
        let name = name_of(&part.norm[unit.head..unit.end]);
        let is_head = |at: &usize| file.is_code(*at) && tag_of(&file.norm[*at]) == Some(own);
        let heads: Vec<usize> = (0..file.len()).filter(is_head).take(PLACES).collect();
        let name_at = |at: usize| name_of(&file.norm[at..extent(file, at, file.len())]);
        // A class says more than a tag.
        let named: Vec<usize> =
            heads.iter().copied().filter(|at| name.is_some() && name_at(*at) == name).collect();
        match (&named[..], &heads[..]) {
            ([only], _) => Some(*only),
            ([], [only]) if !COMMON.contains(&own) => {
                let there = name_at(*only);
                (name.is_none() || there.is_none()).then_some(*only)
            }
            // A line with more words: `<h1>Tasks</h1>`, `<h1>Tasks ({open})</h1>`.
            ([], [only]) if unit.size(part) == 1 && extent(file, *only, file.len()) == only + 1 => {
                let words = |text: &'_ str| -> HashSet<String> {
                    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                    words.map(str::to_owned).collect()
                };
                let (old, new) = (words(&file.norm[*only]), words(unit.text(part)));
                (old.len() > 1 && old.is_subset(&new)).then_some(*only)
            }
            _ => None,
        }
    }

    /// Returns the only line of the file that begins with the word of `unit`, a line alone, and resembles it.
    fn old_form_of(&self, unit: &Unit) -> Option<usize> {
        let (file, text) = (self.file, unit.text(self.part));
        if let Some(line) = self.old_element(unit) {
            return Some(line);
        }
        if unit.size(self.part) > 1 || self.label.label_says_beginning {
            return None;
        }
        let word = |text: &'_ str| {
            let text = text.trim_start_matches(['"', '\'']);
            text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
        };
        let first = word(text);
        let is_like =
            |at: &usize| !file.is_comment(*at) && file.is_code(*at) && word(&file.norm[*at]) == first;
        let like: Vec<usize> = (0..file.len()).filter(is_like).take(PLACES + 1).collect();
        if first.is_empty() || like.len() > PLACES {
            return None;
        }
        // A line with further words, or without some of its own.
        let like: Vec<usize> = like
            .into_iter()
            .filter(|at| {
                let there = file.norm[*at].as_str();
                !registers_another(text, there) && !declares_another(text, there)
            })
            .collect();
        let adds = self.label.label_says_add;
        let is_extended = |at: &usize| {
            let there = file.norm[*at].as_str();
            goes_on(text, there) && !(adds && there.len() > text.len())
        };
        let extended: Vec<usize> = like.iter().copied().filter(is_extended).collect();
        if let [only] = extended[..]
            && !file.continues[only]
            && extent(file, only, file.len()) == only + 1
        {
            return Some(only);
        }
        if adds {
            return None;
        }
        let mut matches: Vec<(f64, usize)> =
            like.into_iter().map(|at| (similarity(text, &file.norm[at]), at)).collect();
        matches.sort_by(|left, right| right.0.total_cmp(&left.0));
        let is_only = matches.get(1).is_none_or(|(next, _)| *next < OTHER);
        let best = matches.first().filter(|(best, at)| *best >= ALIKE && is_only && !file.continues[*at]);
        best.map(|(_, at)| *at).filter(|at| extent(file, *at, file.len()) == at + 1)
    }

    /// Returns true if the unit is a class whose methods have bodies.
    fn has_bodies(&self, unit: &Unit) -> bool {
        const WITHOUT: [&str; 4] = ["interface", "enum", "protocol", "type"];
        let text = unit.text(self.file);
        if self.file.family == Family::Rust {
            return text.starts_with("impl") && !text.contains(" for ");
        }
        unit.is(Kind::Class) && !text.split([' ', '<', '{']).take(4).any(|word| WITHOUT.contains(&word))
    }

    /// Returns true if a new definition belongs to a class, not to the file.
    fn is_method(&self, unit: &Unit) -> bool {
        let text = unit.text(self.part);
        let takes = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if self.is_field(unit) {
            return true;
        }
        if !unit.is(Kind::Def) {
            return unit.is(Kind::Call) && matches!(self.file.family, Family::Elixir | Family::Ruby);
        }
        if self.part.indent[unit.head] > 0 {
            return true;
        }
        match self.file.family {
            Family::Python => takes(&["(self", "(cls"]),
            Family::Elixir | Family::Ruby => true,
            // Beside functions at the margin words say that it goes into a class.
            Family::C => {
                let is_function = |at: usize| self.file.indent[at] == 0 && self.file.is_function(at);
                self.names_class() || !(0..self.file.len()).any(is_function)
            }
            // A function of a file that is a class alone is one of the class.
            Family::Php => {
                let is_function = |at: &usize| self.file.indent[*at] == 0 && self.file.is_function(*at);
                !text.starts_with("function ") || !(0..self.file.len()).any(|at| is_function(&at))
            }
            Family::Script => {
                let text = text.strip_prefix("async ").unwrap_or(text);
                !text.starts_with("export") && !text.starts_with("function")
            }
            Family::Rust => takes(&["(self", "(&self", "(&mut self", "(mut self"]),
            _ => false,
        }
    }
}

/// Returns true if a line declares a field or property of a class: `private int size;`, `public string Name { get; set; }`.
fn is_field(text: &str) -> bool {
    const MODIFIERS: [&str; 8] =
        ["public", "private", "protected", "internal", "static", "final", "readonly", "required"];
    // Attributes may stand in front: `[SerializeField] private int lives;`.
    let text = match text.split_once("] ") {
        Some((attributes, rest)) if attributes.starts_with('[') && !attributes.contains(';') => rest,
        _ => text,
    };
    // Attributes of Swift: `@State private var isOpen = false`.
    let text = match text.split_once(' ') {
        Some((attribute, rest)) if attribute.starts_with('@') && !attribute.contains('(') => rest,
        _ => text,
    };
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_property =
        ["var ", "let ", "val "].iter().any(|word| rest.starts_with(word)) && !text.contains('{');
    let before = rest.split(['=', ';', '{']).next().unwrap_or_default();
    let is_accessor = rest.contains("{ get") || rest.contains("{get");
    MODIFIERS.contains(&first)
        && !before.contains('(')
        && before.trim().contains(' ')
        && (is_accessor || is_property || text.ends_with(';') && !rest.contains('{'))
}

// Returns true if both lines declare a field or a function of C, and each another one.
fn declares_another(text: &str, other: &str) -> bool {
    let name = |text: &'_ str| -> Option<String> {
        let before = text.split(['=', ';', '{']).next().unwrap_or_default();
        is_field(text).then(|| before.trim_end().rsplit(' ').next().unwrap_or_default().to_owned())
    };
    let prototype = |text: &'_ str| {
        let before = is_prototype(text).then(|| text.split('(').next().unwrap_or_default())?;
        Some(before.rsplit([' ', '*', '&']).next().unwrap_or_default().to_owned())
    };
    let differ = |one: Option<String>, two: Option<String>| one.is_some() && two.is_some() && one != two;
    differ(name(text), name(other)) || differ(prototype(text), prototype(other))
}

/// Returns true if all words of one of two lines, three at least, are words of the other, in that order.
fn goes_on(text: &str, other: &str) -> bool {
    let words = |text: &'_ str| -> Vec<String> {
        let is_blank = |c: char| c.is_whitespace() || matches!(c, ',' | ';');
        text.split(is_blank).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let (own, of) = (words(text), words(other));
    let (short, long) = if own.len() < of.len() { (own, of) } else { (of, own) };
    let mut rest = long.iter();
    short.len() > 2 && short.len() < long.len() && short.iter().all(|word| rest.any(|one| one == word))
}

// Returns true if a line with this text declares a function of C: a type, a name, parameters.
fn is_prototype(text: &str) -> bool {
    let Some((before, behind)) = text.split_once('(') else { return false };
    let is_type = |c: char| c.is_alphanumeric() || matches!(c, '_' | '*' | ' ' | ':' | '<' | '>');
    behind.ends_with(");")
        && before.trim_end().contains([' ', '*'])
        && before.chars().all(is_type)
        && !["return ", "delete ", "throw ", "new ", "else "].iter().any(|word| before.starts_with(word))
}
