//! New members of a block of which the part shows only those and the frame: what it does not show stays.
//!
//! ```text
//! file                part                merged
//! dependencies {      dependencies {      dependencies {
//!     core                mail                core
//! }                   }                       mail
//!                                         }
//! ```

use std::collections::HashSet;

use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};

use super::alike::{called, first_word, similarity};
use super::head::Kind;
use super::merger::{Merger, Scope, Stop, shown_units};
use super::replace::Members;
use super::unit::{Unit, norm};

// The similarity from which on a new member is another form of the only one that begins with its word.
const SAME: f64 = 0.9;

// The most members that are compared with those of the file, one by one.
const MOST: usize = 100;

impl Merger<'_, '_> {
    // Returns true if all that `new` shows of `old` is its frame, neighbours, and members that are new.
    pub(super) fn only_adds(&self, new: &Unit, old: &Unit) -> bool {
        let Some(members) = self.members(new, old) else { return false };
        let (part, file) = (self.part, self.file);
        let is_frame = norm(part, new.head..members.shown_lines.start)
            == norm(file, old.head..members.lines.start)
            && norm(part, members.shown_lines.end..new.end) == norm(file, members.lines.end..old.end);
        if !is_frame
            || self.is_other_collection(&members)
            || self.has_marker(new.head..new.end)
            || members.shown.len() > MOST
        {
            return false;
        }
        let pairs = self.pairs(&members);
        let is_inside = |(unit, at): &(Unit, Option<usize>)| {
            at.is_some_and(|at| self.only_adds(unit, &members.scope.units[at]))
        };
        let is_equal = |(unit, at): &(Unit, Option<usize>)| {
            at.is_some_and(|at| unit.shape(self.part) == members.scope.units[at].shape(self.file))
        };
        let (fresh, known): (Vec<_>, Vec<_>) = pairs.iter().partition(|(_, at)| at.is_none());
        let inside = known.iter().filter(|pair| is_inside(pair)).count();
        if !known.iter().all(|pair| is_equal(pair) || is_inside(pair)) {
            return false;
        }
        let hidden: Vec<&Unit> = (0..members.scope.units.len())
            .filter(|at| !known.iter().any(|(_, shown)| *shown == Some(*at)))
            .map(|at| &members.scope.units[at])
            .filter(|unit| !unit.is(Kind::Comment))
            .collect();
        if fresh.is_empty() {
            return inside > 0;
        }
        let is_further =
            |(unit, _): &&(Unit, Option<usize>)| self.is_further_member(unit, &hidden, &members.scope);
        // Statements in a row are told from others by those that are shown; members have no order.
        let is_named = |unit: &Unit| has_name(unit) || unit.is(Kind::Entry) && self.file.family.is_data();
        let are_members = self.label.label_says_add
            && !has_body(&members.scope)
            && !fresh.iter().any(|(unit, _)| is_named(unit));
        let stays = hidden.len() > known.len() || are_members && !hidden.is_empty();
        stays && !hidden.iter().any(|unit| self.is_removed(unit)) && fresh.iter().all(is_further)
    }

    // Checks that a block of members, of which the part shows the frame and others, is not shown without two of them or more:
    // no word says whether those are to go. A function may have another body.
    pub(super) fn check_frame(&self, new: &Unit, old: &Unit, members: &Members) -> Result<(), Stop> {
        let shown: HashSet<&str> = new.norm(self.part).into_iter().collect();
        let hidden: Vec<&Unit> = (members.scope.units.iter())
            .filter(|unit| !unit.is(Kind::Comment) && !shown.contains(unit.text(self.file)))
            .collect();
        // Fewer lines than those that would go are no other form of them.
        let lines = |units: &[&Unit]| units.iter().map(|unit| unit.size(self.file)).sum::<usize>();
        match hidden[..] {
            [first, _, ..] if !has_body(&members.scope) && lines(&hidden) > members.shown_lines.len() => {
                let (block, member) = (excerpt(&old.name(self.file)), excerpt(&first.name(self.file)));
                Err(Stop::last(
                    Reason::Loses,
                    format!("`{block}` is shown without `{member}`, and without a marker for it"),
                ))
            }
            _ => Ok(()),
        }
    }

    // Returns true if `new`, a block without a name that has nothing of `old` but its head, is its frame around more members
    // of the same kind, and not a further block: each begins with a word that members have, and no element is named.
    pub(super) fn is_frame_of(&self, new: &Unit, old: &Unit) -> bool {
        if !self.only_adds(new, old) {
            return false;
        }
        let Some(members) = self.members(new, old) else { return false };
        let had: HashSet<&str> =
            members.scope.units.iter().map(|unit| first_word(unit.text(self.file))).collect();
        let are_like = shown_units(&members.shown).all(|unit| had.contains(first_word(unit.text(self.part))));
        let name = first_word(new.text(self.part));
        let is_named = old.is(Kind::Element)
            && self
                .label
                .words
                .split(|c: char| !c.is_alphanumeric())
                .any(|one| name.trim_start_matches('<') == one);
        are_like && !is_named
    }

    // Returns the units that the part shows, comments apart, each with its place among those of the file.
    fn pairs(&self, members: &Members) -> Vec<(Unit, Option<usize>)> {
        let units = &members.scope.units;
        let place = |shown: &Unit| {
            let text = bare(shown.text(self.part));
            let same =
                |unit: &Unit| bare(unit.text(self.file)) == text || has_name(shown) && unit.key == shown.key;
            units.iter().position(same)
        };
        let shown = shown_units(&members.shown).filter(|unit| !unit.is(Kind::Comment));
        shown.map(|unit| (unit.clone(), place(unit))).collect()
    }

    // Returns true if `unit` is another member than those that the part does not show: in a function, one more of its calls
    // or branches; elsewhere no other form of the only one that begins with its word.
    fn is_further_member(&self, unit: &Unit, hidden: &[&Unit], scope: &Scope) -> bool {
        let text = unit.text(self.part);
        if has_body(scope) {
            let is_like = |old: &&&Unit| match unit.kind() {
                Some(Kind::Case | Kind::Def) => old.kind() == unit.kind(),
                _ => called(text).is_some() && called(text) == called(old.text(self.file)),
            };
            return hidden.iter().any(|old| is_like(&old));
        }
        let word = |text: &'_ str| text.split([' ', '(', '=', ':']).next().unwrap_or_default().to_owned();
        let namesakes: Vec<&&Unit> =
            hidden.iter().filter(|old| word(old.text(self.file)) == word(text)).collect();
        !matches!(namesakes[..], [only] if similarity(only.text(self.file), text) >= SAME)
    }

    // Puts the new members beside their shown neighbours in the block, else at its end.
    pub(super) fn add_members(&mut self, members: &Members) -> Result<(), Stop> {
        let scope = &members.scope;
        let pairs = self.pairs(members);
        let mut at = 0;
        while at < pairs.len() {
            if let Some(there) = pairs[at].1 {
                self.replace(&pairs[at].0, &scope.units[there])?;
                at += 1;
                continue;
            }
            let end = at + pairs[at..].iter().take_while(|(_, place)| place.is_none()).count();
            let run: Vec<Unit> = pairs[at..end].iter().map(|(unit, _)| unit.clone()).collect();
            let above = at.checked_sub(1).and_then(|at| pairs[at].1);
            let below = pairs.get(end).and_then(|pair| pair.1);
            let alike = || {
                let name = called(run[0].text(self.part)).filter(|_| scope.is_function)?;
                scope.units.iter().rposition(|unit| called(unit.text(self.file)) == Some(name))
            };
            match (above.or_else(alike), below) {
                (Some(above), _) => self.insert_after(&run, above, scope),
                (None, Some(below)) => self.insert_before(&run, below, scope),
                (None, None) => self.place_at_end(&run, scope, true)?,
            }
            at = end;
        }
        // What stays unsaid is a guess.
        let hidden = scope.units.iter().enumerate().filter(|(at, unit)| {
            !unit.is(Kind::Comment) && !pairs.iter().any(|(_, place)| *place == Some(*at))
        });
        let count = hidden.clone().count();
        if let Some((_, first)) = hidden.clone().next() {
            let name = first.name(self.file);
            self.guess(NoteKind::Stays { count }, &name, 0..0);
        }
        Ok(())
    }
}

// Returns true if the lines of the scope are statements.
fn has_body(scope: &Scope) -> bool {
    const SIGNS: [&str; 5] = ["=>", "function", "func(", "lambda", " do |"];
    let has = |name: &String| SIGNS.iter().any(|sign| name.contains(sign));
    scope.is_function || scope.name.as_ref().is_some_and(has)
}

// Returns true if its key tells a unit from its siblings: elements and calls share theirs.
fn has_name(unit: &Unit) -> bool {
    unit.is_definition() || matches!(unit.kind(), Some(Kind::Key | Kind::Var | Kind::Case))
}

fn bare(text: &str) -> &str {
    text.trim_end_matches([',', ';'])
}
