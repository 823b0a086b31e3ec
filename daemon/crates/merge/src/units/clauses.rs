//! Functions of one name: the clauses of Elixir, overloads, accessors.
//!
//! ```text
//! file                    part                    merged
//! warn(:late)             warn(:lost)             warn(:late)
//! warn(_)                                         warn(:lost)      a further clause, in front of the one for all others
//!                                                 warn(_)
//! add(int)  add(String)   add(long)               refused: it may be either
//! ```
//!
//! One function of the part never takes the place of several.

use std::collections::BTreeMap;

use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::alike::overlap;
use super::head::Kind;
use super::language::Family;
use super::list::{Gap, Side};
use super::matching::Matching;
use super::merger::{Merger, Stop};
use super::signature::{Signature, function_name, signature};
use super::unit::{Item, Unit};

/// Letters of a line that is not in two functions by chance.
const TELLING: usize = 4;

/// A function of one side: its index among the items or units, and its signature.
#[derive(Debug, Clone)]
struct Function {
    at: usize,
    signature: Signature,
}

/// The one clause that the file has of a function.
struct OnlyClause<'f> {
    there: &'f Function,
    unit: &'f Unit,
    /// A clause of the part takes as many arguments as one of the file.
    is_common: bool,
}

/// All functions of one name.
#[derive(Debug, Default)]
struct Namesakes {
    shown: Vec<Function>,
    there: Vec<Function>,
}

impl Merger<'_, '_> {
    /// Matches functions by their signatures, where one side has several of a name.
    pub(super) fn match_functions(
        &mut self,
        items: &[Item],
        units: &[Unit],
        matching: &mut Matching,
    ) -> Result<(), Stop> {
        let is_open = |at: usize, unit: &Unit| matching.is_open(at) && unit.is(Kind::Def);
        if !items.iter().enumerate().any(|(at, item)| item.unit().is_some_and(|unit| is_open(at, unit))) {
            return Ok(());
        }
        let mut namesakes: BTreeMap<&str, Namesakes> = BTreeMap::new();
        for (at, item) in items.iter().enumerate() {
            let Some(unit) = item.unit() else { continue };
            let name = unit.key.as_ref().and_then(function_name);
            if let (Some(name), Some(signature)) = (name, signature(self.part, unit.head)) {
                namesakes.entry(name).or_default().shown.push(Function { at, signature });
            }
        }
        for (at, unit) in units.iter().enumerate() {
            let name = unit.key.as_ref().and_then(function_name);
            if let Some(same) = name.and_then(|name| namesakes.get_mut(name))
                && let Some(signature) = signature(self.file, unit.head)
            {
                same.there.push(Function { at, signature });
            }
        }
        // What both sides have in the same form is settled first: what is left over then is new, or another form.
        for same in namesakes.into_values().filter(|same| !same.there.is_empty()) {
            same.match_equal(Signature::is_same, matching);
            if self.file.family == Family::Elixir {
                same.match_equal(Signature::is_form, matching);
                self.match_clauses(&same, items, units, matching)?;
            } else if same.there.len() > 1 {
                self.match_overloads(&same, items, matching)?;
            }
        }
        Ok(())
    }

    fn match_clauses(
        &mut self,
        same: &Namesakes,
        items: &[Item],
        units: &[Unit],
        matching: &mut Matching,
    ) -> Result<(), Stop> {
        let (shown, there) = same.open(matching);
        let Some(first) = shown.first() else { return Ok(()) };
        let name = excerpt(self.name_of(items, first));
        let reach = |of: &[Function]| {
            let arities = of.iter().map(|function| function.signature.arity);
            arities.fold((usize::MAX, 0), |all, one| (all.0.min(one.0), all.1.max(one.1)))
        };
        // A head with defaults makes one function of several numbers of arguments.
        let (all_shown, all_there) = (reach(&same.shown), reach(&same.there));
        let is_common = all_shown.0 <= all_there.1 && all_there.0 <= all_shown.1;
        if !is_common && self.label.label_says_add {
            shown.iter().for_each(|function| matching.set_new(function.at));
            return Ok(());
        }
        if let ([there], true) = (&there[..], same.there.len() == 1) {
            let only = OnlyClause { there, unit: &units[there.at], is_common };
            return self.match_only_clause(&only, &shown, items, matching);
        }
        for function in shown {
            let own = &function.signature;
            let clauses = same.there.iter().filter(|other| own.has_common_arity(&other.signature));
            let count = clauses.clone().count();
            if count == 0 {
                if same.shown.len() == 1 && !self.label.label_says_add {
                    return Err(other_arity(&name));
                }
                matching.set_new(function.at);
                continue;
            }
            let is_last = |other: &Function| other.signature.takes_all() && !own.takes_all();
            let is_near = |other: &&Function| {
                let of = &other.signature;
                !matching.is_taken(other.at) && !is_last(other) && (own.covers(of) || of.covers(own))
            };
            let near: Vec<&Function> = clauses.filter(is_near).collect();
            match near[..] {
                // Patterns that are not the file's are those of a further clause.
                [] => matching.set_new(function.at),
                [only] if count == 1 || !own.covers(&only.signature) => matching.put(function.at, only.at),
                _ => {
                    let detail =
                        format!("the file has {count} clauses of `{name}`, and the part shows another one");
                    return Err(Stop::last(Reason::Ambiguous, detail));
                }
            }
        }
        Ok(())
    }

    /// Matches the only clause of a function with the one of several that is most like it.
    fn match_only_clause(
        &self,
        only: &OnlyClause<'_>,
        shown: &[&Function],
        items: &[Item],
        matching: &mut Matching,
    ) -> Result<(), Stop> {
        let is_telling = |line: &&str| letters(line) >= TELLING;
        let lines_of = |unit: &Unit, of_part: bool| -> Vec<&str> {
            let lines = unit.norm(if of_part { self.part } else { self.file });
            lines.into_iter().skip(1).filter(is_telling).collect()
        };
        let own = lines_of(only.unit, false);
        let unit_of = |function: &Function| items[function.at].unit();
        let common =
            |function: &Function| unit_of(function).map_or(0, |unit| overlap(&lines_of(unit, true), &own));
        let size = |function: &Function| unit_of(function).map_or(0, |unit| unit.size(self.part));
        let of = &only.there.signature;
        let is_further = |function: &&Function| {
            let own = &function.signature;
            let is_other = !own.covers(of) && !of.covers(own)
                || own.has_other_guard(of) && !own.takes_all() && !of.takes_all();
            own.arity == of.arity
                && (own.ignores_all() && !of.ignores_all() || is_other)
                && common(function) == 0
        };
        // Clauses that take what this one does not are further ones; else one of them is its new form.
        let is_new = shown.iter().all(is_further);
        let best = shown.iter().copied().max_by_key(|function| (common(function), size(function)));
        let best = best.filter(|best| {
            !is_new
                && (only.is_common || shown.len() == 1 && common(best) > 0 && 2 * common(best) >= own.len())
        });
        if best.is_none() && !is_new {
            return Err(other_arity(&excerpt(&only.unit.name(self.file))));
        }
        shown.iter().for_each(|function| matching.set_new(function.at));
        if let Some(best) = best {
            matching.put(best.at, only.there.at);
        }
        Ok(())
    }

    fn match_overloads(&self, same: &Namesakes, items: &[Item], matching: &mut Matching) -> Result<(), Stop> {
        // By what can be only one: the one of its kind, then the one with as many arguments; then by what is left over.
        let (shown, there) = same.open(matching);
        for function in &shown {
            let own = &function.signature;
            let fits = |other: &&&Function| !own.is_other_kind(&other.signature);
            let is_single = |is_near: &dyn Fn(&&&Function) -> bool| {
                let mut near = there.iter().filter(|other| fits(other) && is_near(other));
                let only = near.next().filter(|_| near.next().is_none());
                only.filter(|_| shown.iter().filter(|other| fits(other) && is_near(other)).count() == 1)
            };
            let has_arity = |other: &&&Function| own.arity == other.signature.arity;
            let of_kind = same.there.iter().filter(|other| fits(&other)).count();
            let of_kind = if of_kind == 1 { is_single(&|_| true) } else { None };
            if let Some(only) = of_kind.or_else(|| is_single(&has_arity)) {
                matching.put(function.at, only.at);
            }
        }
        let (shown, there) = same.open(matching);
        let is_other = |function: &&&Function| {
            there.iter().all(|other| function.signature.is_other_kind(&other.signature))
        };
        shown.iter().filter(is_other).for_each(|function| matching.set_new(function.at));
        let (shown, there) = same.open(matching);
        let Some(first) = shown.first().filter(|_| !there.is_empty()) else { return Ok(()) };
        if same.shown.len() == same.there.len() {
            shown.iter().zip(&there).for_each(|(shown, there)| matching.put(shown.at, there.at));
            return Ok(());
        }
        if let ([only], [other]) = (&shown[..], &there[..]) {
            matching.put(only.at, other.at);
            return Ok(());
        }
        let name = excerpt(self.name_of(items, first));
        let detail =
            format!("the file has {} functions `{name}`, and the part shows another one", same.there.len());
        Err(Stop::last(Reason::Ambiguous, detail))
    }

    fn name_of<'i>(&self, items: &'i [Item], function: &Function) -> &'i str {
        let key = items[function.at].unit().and_then(|unit| unit.key.as_ref());
        key.and_then(function_name).unwrap_or_default()
    }

    /// Returns true if the function of the part cannot be the file's, though it has its name.
    pub(super) fn is_other_function(&self, new: usize, old: usize) -> bool {
        let (new, old) = (signature(self.part, new), signature(self.file, old));
        matches!((new, old), (Some(new), Some(old)) if new.is_other_kind(&old))
    }

    /// Returns true if both are functions of one name that a language tells by their parameters, and the new one is no
    /// longer form of the old: it does something else, or calls it.
    pub(super) fn is_overload(&self, new: &Unit, old: &Unit) -> bool {
        let has_overloads = matches!(self.file.family, Family::C | Family::Dart);
        let signatures = (signature(self.part, new.head), signature(self.file, old.head));
        let (Some(own), Some(of)) = signatures else { return false };
        if !has_overloads || own.is_same(&of) {
            return false;
        }
        let (new_lines, old_lines) = (new.norm(self.part), old.norm(self.file));
        let tells = |line: &&&str| letters(line) >= TELLING;
        let inside = old_lines[1..].iter().filter(tells).count();
        let common = old_lines[1..].iter().filter(tells).filter(|line| new_lines.contains(line)).count();
        let name = new.key.as_ref().and_then(function_name).unwrap_or_default();
        let call = format!("{}(", name.rsplit(' ').next().unwrap_or_default());
        let calls_itself = new_lines[1..].iter().any(|line| line.contains(&call))
            && !old_lines[1..].iter().any(|line| line.contains(&call));
        // Another type of what it returns is that of another method.
        let returned = |text: &str| text.split_once(&call).map(|(before, _)| before.to_owned());
        let returns_other = returned(new.text(self.part)) != returned(old.text(self.file));
        2 * common < inside.max(1) && (calls_itself || returns_other || !own.extends(&of))
    }

    /// Places further clauses of a function of the file beside those, if no neighbour in the part is one of them: in
    /// front of the last if that takes everything. Returns false if there are none.
    pub(super) fn place_clauses(&mut self, gap: &Gap<'_>) -> Result<bool, Stop> {
        if self.file.family != Family::Elixir {
            return Ok(false);
        }
        // The order of clauses is their meaning: one behind the clause for everything is never reached.
        let units = &gap.scope.units;
        let function = |unit: &Unit, of_part: bool| {
            let layout = if of_part { self.part } else { self.file };
            let name = unit.key.as_ref().and_then(function_name)?.to_owned();
            Some((name, signature(layout, unit.head)?))
        };
        let is_same = |one: &(String, Signature), other: &(String, Signature)| {
            one.0 == other.0 && one.1.has_common_arity(&other.1)
        };
        let of_run: Vec<(String, Signature)> =
            gap.run.iter().filter_map(|unit| function(unit, true)).collect();
        let names: Vec<&str> = of_run.iter().map(|(name, _)| name.as_str()).collect();
        let there: Vec<(usize, (String, Signature))> = (0..units.len())
            .filter(|at| {
                units[*at].key.as_ref().and_then(function_name).is_some_and(|name| names.contains(&name))
            })
            .filter_map(|at| Some((at, function(&units[at], false)?)))
            .collect();
        let clauses_of = |new: &(String, Signature)| -> Vec<usize> {
            there.iter().filter(|(_, old)| is_same(new, old)).map(|(at, _)| *at).collect()
        };
        let Some(clause) = of_run.iter().find(|new| !clauses_of(new).is_empty()) else { return Ok(false) };
        let clauses = clauses_of(clause);
        let is_beside = |side: Side| matches!(side, Side::Unit(at) if clauses.contains(&at));
        if is_beside(gap.left) || is_beside(gap.right) {
            return Ok(false);
        }
        let are_all = gap.run.iter().filter(|unit| !unit.is(Kind::Comment)).count() == of_run.len()
            && of_run.iter().all(|other| is_same(other, clause));
        let last = clauses.last().copied().unwrap_or_default();
        let takes_all = there.iter().any(|(at, (_, old))| *at == last && old.takes_all());
        if !are_all || takes_all && of_run.iter().any(|(_, new)| new.takes_all()) {
            let detail = format!("the code does not show where the clause of `{}` goes", excerpt(&clause.0));
            return Err(Stop::last(Reason::NoPlace, detail));
        }
        self.check_whole(&gap.run)?;
        if takes_all {
            self.insert_before(&gap.run, last, gap.scope);
        } else {
            self.insert_after(&gap.run, last, gap.scope);
        }
        Ok(true)
    }
}

fn other_arity(name: &str) -> Stop {
    Stop::last(Reason::Ambiguous, format!("`{name}` has another number of parameters in the file"))
}

impl Namesakes {
    /// Matches functions whose signature both sides have once.
    fn match_equal(&self, are_equal: fn(&Signature, &Signature) -> bool, matching: &mut Matching) {
        let (shown, there) = self.open(matching);
        for function in &shown {
            let is_same = |other: &&&Function| are_equal(&function.signature, &other.signature);
            let is_single = shown.iter().filter(is_same).count() == 1;
            let mut equal = there.iter().filter(is_same);
            if let (Some(only), None, true) = (equal.next(), equal.next(), is_single) {
                matching.put(function.at, only.at);
            }
        }
    }

    fn open(&self, matching: &Matching) -> (Vec<&Function>, Vec<&Function>) {
        let shown = self.shown.iter().filter(|function| matching.is_open(function.at)).collect();
        let there = self.there.iter().filter(|function| !matching.is_taken(function.at)).collect();
        (shown, there)
    }
}
