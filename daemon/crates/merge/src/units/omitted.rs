//! What a unit of the part leaves out without a marker: its end, its beginning, a branch, a child element.
//!
//! ```text
//! file                  part                 merged
//! def load(self):       def load(self):      refused: `self.sort()` would go, and the part shows nothing
//!     read()                read(twice)      in its place; it ends where the method goes on
//!     check()               check()
//!     self.sort()
//!     return self
//! ```

use std::collections::{BTreeMap, BTreeSet};

use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::head::{Key, Kind};
use super::list::leaves;
use super::merger::{Merger, Stop, shown_units};
use super::pairs::branch;
use super::replace::Members;
use super::unit::Unit;

/// Lines that may go unsaid at the end of a unit, and at its beginning.
const END: usize = 1;
const BEGINNING: usize = 2;

impl Merger<'_, '_> {
    /// Checks that `new`, which takes the place of `old`, shows all of it.
    pub(super) fn check_complete(&self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        self.check_branches_of(new, old)?;
        let Some(members) = self.members(new, old) else { return Ok(()) };
        self.check_children(old, &members)?;
        self.check_attributes(&members)?;
        if old.is(Kind::Element) { Ok(()) } else { self.check_edges(new, old, &members) }
    }

    /// The part's last statement is the file's, and so is its first: there is nothing beyond them in the file.
    fn check_edges(&self, new: &Unit, old: &Unit, members: &Members) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let text: BTreeSet<&str> = new.norm(part).into_iter().collect();
        let is_text = |unit: &&Unit| {
            unit.is(Kind::Comment) || ["\"", "'"].iter().any(|quote| unit.text(file).starts_with(quote))
        };
        let units: Vec<&Unit> = members.scope.units.iter().filter(|unit| !is_text(unit)).collect();
        let place = |shown: Option<&Unit>| {
            let text = shown?.text(part);
            let mut equal = units.iter().enumerate().filter(|(_, unit)| unit.text(file) == text);
            equal.next().map(|(at, _)| at).filter(|_| equal.next().is_none())
        };
        let lost = |units: &[&Unit]| -> usize {
            let is_gone = |line: &&str| !text.contains(line);
            units.iter().map(|unit| unit.norm(file).into_iter().filter(is_gone).count()).sum()
        };
        let shown: Vec<&Unit> = shown_units(&members.shown).filter(|unit| !unit.is(Kind::Comment)).collect();
        let (first, last) = (place(shown.first().copied()), place(shown.last().copied()));
        let name = excerpt(&old.name(file));
        let refuse = |unit: &Unit, edge: &str| {
            let text = excerpt(unit.text(file));
            Err(Stop::last(Reason::Loses, format!("`{name}` is shown without its {edge}, `{text}`")))
        };
        // New lines may follow the last one that the file has: another form of what is there has words of it.
        let known = shown.iter().rposition(|unit| place(Some(*unit)).is_some());
        if let (None, Some(known)) = (last, known)
            && let Some(at) = place(Some(shown[known]))
            && lost(&units[at + 1..]) > END.max(shown[known + 1..].iter().map(|unit| unit.size(part)).sum())
        {
            let old: BTreeSet<&str> =
                units[at + 1..].iter().flat_map(|unit| words(&unit.norm(file))).collect();
            let new: BTreeSet<&str> =
                shown[known + 1..].iter().flat_map(|unit| words(&unit.norm(part))).collect();
            let ends = shown.last().is_some_and(|unit| leaves(&part.norm[unit.end - 1]));
            if !ends && 4 * old.intersection(&new).count() < old.len() {
                return refuse(units[at + 1], "end");
            }
        }
        match (first, last) {
            (_, Some(last)) if lost(&units[last + 1..]) > END => refuse(units[last + 1], "end"),
            (Some(first), _) if lost(&units[..first]) > BEGINNING => refuse(units[0], "beginning"),
            _ => Ok(()),
        }
    }

    // An element behind a marker, with another head than the file's, shows what the children say: the marker may stand for the
    // file's, and the part's may be a further one.
    pub(super) fn check_texts_of_children(&self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        if !old.is(Kind::Element) || new.text(part) == old.text(file) || self.has_marker(new.head..new.end) {
            return Ok(());
        }
        let Some(members) = self.members(new, old) else { return Ok(()) };
        let shown: BTreeSet<&str> = words(&new.norm(part)).into_iter().collect();
        let is_lost = |child: &&Unit| {
            let lines = child.norm(file);
            let tag = words(&lines).first().copied().unwrap_or_default();
            let mut named =
                words(&lines).into_iter().filter(|word| *word != tag && word.len() > 3).peekable();
            child.is(Kind::Element) && named.peek().is_some() && !named.any(|word| shown.contains(word))
        };
        match members.scope.units.iter().find(is_lost) {
            Some(child) => {
                let (text, name) = (excerpt(child.text(file)), excerpt(&old.name(file)));
                Err(Stop::last(Reason::Loses, format!("`{text}` of `{name}` is not shown")))
            }
            None => Ok(()),
        }
    }

    /// No branch of `old`, or of a statement in it that the part shows, goes with its lines.
    fn check_branches_of(&self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        self.check_branch(new, old)?;
        let Some(members) = self.members(new, old) else { return Ok(()) };
        let mut heads: BTreeMap<&str, Option<&Unit>> = BTreeMap::new();
        for unit in shown_units(&members.shown) {
            heads.entry(unit.text(self.part)).and_modify(|one| *one = None).or_insert(Some(unit));
        }
        for there in &members.scope.units {
            if let Some(Some(shown)) = heads.get(there.text(self.file)) {
                self.check_branches_of(shown, there)?;
            }
        }
        Ok(())
    }

    /// No attribute of a member that the part shows goes.
    fn check_attributes(&self, members: &Members) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let shown: BTreeMap<&Key, &Unit> =
            shown_units(&members.shown).filter_map(|unit| Some((unit.key.as_ref()?, unit))).collect();
        for there in &members.scope.units {
            let Some(shown) = there.key.as_ref().and_then(|key| shown.get(key)) else { continue };
            let is_lost = |at: &usize| {
                file.is_code(*at)
                    && !file.is_comment(*at)
                    && !part.norm[shown.start..shown.end].contains(&file.norm[*at])
            };
            if let Some(at) = (there.start..there.head).find(is_lost) {
                let (line, name) = (excerpt(&file.norm[at]), excerpt(&there.name(file)));
                return Err(Stop::last(Reason::Loses, format!("`{line}` of `{name}` is not shown")));
            }
        }
        Ok(())
    }

    /// No branch of `old` goes with its lines.
    fn check_branch(&self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let shown: BTreeSet<&str> = new.norm(part).into_iter().collect();
        let at_head = |layout: &super::layout::Layout<'_>, unit: &Unit, at: usize| {
            layout.continues[at] && layout.indent[at] == layout.indent[unit.head]
        };
        let mut branches: Vec<&str> = (new.head + 1..new.end)
            .filter(|at| at_head(part, new, *at) && branch(&part.norm[*at]).is_some())
            .map(|at| part.norm[at].as_str())
            .collect();
        let mut takes = |is_it: &dyn Fn(&str) -> bool| {
            let position = branches.iter().position(|text| is_it(text));
            position.map(|at| branches.remove(at)).is_some()
        };
        let there = (old.head + 1..old.end).filter(|at| at_head(file, old, *at));
        let there: Vec<usize> = there.filter(|at| !takes(&|text| text == file.norm[*at])).collect();
        for at in there {
            let Some(word) =
                branch(&file.norm[at]).filter(|word| !takes(&|text| branch(text) == Some(*word)))
            else {
                continue;
            };
            // A branch whose lines all stay was only unfolded, as `else` behind a `return` may be.
            let body = (at + 1..old.end).take_while(|line| !at_head(file, old, *line));
            let mut lines = body.map(|line| file.norm[line].as_str()).filter(|line| letters(line) > 0);
            if lines.any(|line| !shown.contains(line)) {
                let text = excerpt(old.text(file));
                return Err(Stop::last(Reason::Loses, format!("`{word}` of `{text}` is not shown")));
            }
        }
        Ok(())
    }

    /// No child of an element goes while nothing takes its place.
    fn check_children(&self, old: &Unit, members: &Members) -> Result<(), Stop> {
        let by_name = |units: &mut dyn Iterator<Item = &Unit>| {
            let mut names: BTreeMap<String, Vec<Unit>> = BTreeMap::new();
            for unit in units.filter(|unit| unit.is(Kind::Element)) {
                names
                    .entry(unit.key.as_ref().map(|key| key.name.clone()).unwrap_or_default())
                    .or_default()
                    .push(unit.clone());
            }
            names
        };
        let there = by_name(&mut members.scope.units.iter());
        let shown = by_name(&mut shown_units(&members.shown));
        let count = |names: &BTreeMap<String, Vec<Unit>>| names.values().map(Vec::len).sum::<usize>();
        let missing = there.iter().find(|(name, units)| shown.get(*name).map_or(0, Vec::len) < units.len());
        if let Some((name, _)) = missing
            && count(&shown) < count(&there)
        {
            let detail = format!("an element `<{name}>` of `{}` is not shown", excerpt(&old.name(self.file)));
            return Err(Stop::last(Reason::Loses, detail));
        }
        // What JSX computes is a child, too.
        let is_computed =
            |text: &str| text.starts_with('{') && ["&&", "?", ".map("].iter().any(|sign| text.contains(sign));
        let computed = members.scope.units.iter().filter(|unit| is_computed(unit.text(self.file)));
        let shown_count =
            shown_units(&members.shown).filter(|unit| is_computed(unit.text(self.part))).count();
        if let Some(unit) = computed.clone().next().filter(|_| shown_count < computed.count()) {
            let (text, name) = (excerpt(unit.text(self.file)), excerpt(&old.name(self.file)));
            return Err(Stop::last(Reason::Loses, format!("`{text}` of `{name}` is not shown")));
        }
        for (name, units) in &there {
            if let ([old], Some([new])) = (&units[..], shown.get(name).map(|units| &units[..]))
                && let Some(members) = self.members(new, old)
            {
                self.check_children(old, &members)?;
            }
        }
        Ok(())
    }
}

fn words<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let split = |line: &'l str| line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    lines.iter().flat_map(|line| split(line)).collect()
}
