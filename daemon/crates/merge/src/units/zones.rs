//! Where new definitions go at the end of a scope, and lines beside others of their kind.
//!
//! ```text
//! class Shelf {                    class Shelf {
//!     public int size() {}             public int size() {}
//!     private void log() {}            public int room() {}       new
//! }                                    private void log() {}
//!                                  }
//! ```

use std::collections::HashSet;

use crate::note::{NoteKind, Position};
use crate::refused::excerpt;

use super::alike::{called, is_command, is_of_list, registers_another, similarity, tag_of};
use super::gaps::is_empty;
use super::head::{Key, Kind};
use super::language::Family;
use super::merger::{FILE, Merger, Scope, Stop};
use super::unit::{Unit, extent};

impl Merger<'_, '_> {
    pub(super) fn place_at_end(&mut self, run: &[Unit], scope: &Scope, is_guess: bool) -> Result<(), Stop> {
        let (Some(first), Some(last)) = (run.first(), scope.units.last()) else {
            return Err(is_empty(scope));
        };
        if scope.name.is_none()
            && let Some(at) = self.closing_unit(run, scope)
        {
            self.insert_before(run, at, scope);
            self.set_guess(is_guess);
            return Ok(());
        }
        // Behind the word all members are private, as words may want new ones to be.
        let wants_hidden = self.label.words.to_lowercase();
        let wants_hidden = ["private", "protected"].iter().any(|word| wants_hidden.contains(word));
        let hides = |unit: &Unit| {
            self.file.family == Family::Ruby && matches!(unit.text(self.file), "private" | "protected")
        };
        if !wants_hidden && let Some(at) = scope.units.iter().position(hides) {
            self.insert_before(run, at, scope);
            self.set_guess(is_guess);
            return Ok(());
        }
        if let Some(above) = self.last_open(run, scope) {
            self.insert_after(run, above, scope);
            self.set_guess(is_guess);
            return Ok(());
        }
        let text =
            [vec![String::new(); self.usual_blanks(&scope.units, first)], self.text_of(run, last.head)]
                .concat();
        if self.needs_comma(scope, last) {
            self.comma = Some(last.end - 1);
        }
        self.edit(last.end..last.end, text);
        let kind = NoteKind::Inserted(Position::EndOf(scope.name.as_deref().map(excerpt)));
        let name = first.name(self.part);
        if is_guess {
            self.guess(kind, &name, last.end..last.end);
        } else {
            self.note(kind, &name, last.end..last.end);
        }
        Ok(())
    }

    // Puts new fields behind those of the scope; returns false if it has none.
    pub(super) fn place_fields(&mut self, run: &[Unit], scope: &Scope) -> bool {
        if !run.iter().any(|unit| !unit.is(Kind::Comment)) {
            return false;
        }
        // Of groups of fields with blank lines between them, that with the same modifier or attribute has it.
        let word = |text: &'_ str| text.split(' ').next().unwrap_or_default().to_owned();
        let own = run.iter().find(|unit| !unit.is(Kind::Comment)).map(|unit| word(unit.text(self.part)));
        let is_there = |unit: &&Unit| self.is_field_of_file(unit);
        let fields = || scope.units.iter().filter(is_there);
        let is_alike = |unit: &&Unit| own == Some(word(unit.text(self.file)));
        let is_apart_from = |last: &Unit, unit: &&Unit| {
            (unit.end..last.start).any(|at| self.file.blank[at]) || unit.head == last.head
        };
        let last = fields()
            .next_back()
            .map(|last| fields().filter(is_alike).rfind(|unit| is_apart_from(last, unit)).unwrap_or(last));
        let Some(last) = last else { return false };
        let at = scope.units.partition_point(|unit| unit.head < last.head);
        let is_apart = |pair: &[Unit]| pair.iter().all(|unit| is_there(&unit)) && pair[1].start > pair[0].end;
        let is_group = at > 0 && is_there(&&scope.units[at - 1]) && !is_apart(&scope.units[at - 1..=at]);
        let is_close = is_group || !scope.units.windows(2).any(is_apart);
        self.insert_after(run, at, scope);
        if is_close {
            self.drop_blanks_above();
        }
        self.set_guess(true);
        true
    }

    /// Returns the unit that stays last in a file, in front of new definitions: what runs or exports all others.
    fn closing_unit(&self, run: &[Unit], scope: &Scope) -> Option<usize> {
        const RUNS: [&str; 7] = ["main", "run", "listen", "serve", "start", "render", "mount"];
        let file = self.file;
        let closes = |unit: &Unit| {
            let text = unit.text(file);
            let exports = text.starts_with("export default ") && unit.size(file) == 1
                || text.starts_with("module.exports")
                || text.starts_with("export {");
            let is_tests = file.family == Family::Rust && text.starts_with("mod tests ");
            let runs = called(text)
                .and_then(|name| name.rsplit('.').next())
                .is_some_and(|name| RUNS.contains(&name));
            let has_calls = matches!(file.family, Family::Python | Family::Script | Family::Ruby);
            unit.is(Kind::Main) || exports || is_tests || has_calls && !unit.is_definition() && runs
        };
        let are_definitions = run.iter().all(|unit| unit.is_definition() || unit.is(Kind::Comment));
        let last = scope.units.iter().rposition(|unit| !unit.is(Kind::Comment))?;
        if !are_definitions {
            return None;
        }
        if closes(&scope.units[last]) { Some(last) } else { self.first_call(scope, last) }
    }

    // Returns the first of the statements at the end of the file, if one of them calls a function of the file: in a shell it has to
    // be known by then.
    fn first_call(&self, scope: &Scope, last: usize) -> Option<usize> {
        let file = self.file;
        if file.family != Family::Shell {
            return None;
        }
        let first = scope.units.iter().rposition(|unit| unit.is(Kind::Def))? + 1;
        let name = |unit: &'_ Unit| unit.name(file).trim_end_matches("()").to_owned();
        let names: HashSet<String> = scope.units.iter().filter(|unit| unit.is(Kind::Def)).map(name).collect();
        let calls = |unit: &Unit| {
            let lines = unit.norm(file);
            lines.iter().any(|line| line.split(' ').next().is_some_and(|word| names.contains(word)))
        };
        (first <= last && scope.units[first..=last].iter().any(calls)).then_some(first)
    }

    // Returns the last member of a class that is not private, if all methods behind it are, and none of the new ones.
    fn last_open(&self, run: &[Unit], scope: &Scope) -> Option<usize> {
        const HIDDEN: [&str; 5] = ["private", "protected", "fileprivate", "internal", "#"];
        let is_hidden = |text: &str| HIDDEN.iter().any(|word| text.starts_with(word));
        let is_method = |unit: &Unit| unit.is(Kind::Def);
        let is_open = |unit: &Unit| is_method(unit) && !is_hidden(unit.text(self.file));
        let new = run.iter().any(|unit| is_method(unit) && !is_hidden(unit.text(self.part)));
        let last = scope.units.iter().rposition(is_open)?;
        let behind = &scope.units[last + 1..];
        let are_private = behind
            .iter()
            .all(|unit| unit.is(Kind::Comment) || is_method(unit) && is_hidden(unit.text(self.file)));
        (new && are_private && behind.iter().any(is_method)).then_some(last)
    }

    // Returns the last line of the file that registers something else in the way that each of these units does, or is an
    // element with their tag, if all such lines are in one scope.
    pub(super) fn last_registered(&self, units: &[Unit]) -> Option<usize> {
        let file = self.file;
        let texts: Vec<&str> = units.iter().map(|unit| unit.text(self.part)).collect();
        let adds = self.label.label_says_add;
        // `has_secure_password` stands with `has_many :posts`.
        let is_bare = |new: &str| {
            file.family == Family::Ruby
                && new.starts_with(|c: char| c.is_ascii_lowercase())
                && new.contains('_')
                && new.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        let is_beside = |text: &str, new: &str| {
            is_of_list(text, new)
                || adds && tag_of(new).is_some() && tag_of(text) == tag_of(new)
                || is_bare(new) && is_command(text)
                || member_set(new).is_some_and(|name| member_set(text).is_some_and(|other| other != name))
        };
        let is_alike = |at: &usize| {
            let is_head = file.is_code(*at) && !file.continues[*at];
            is_head && texts.iter().all(|new| is_beside(&file.norm[*at], new))
        };
        let mut lines: Vec<usize> = (0..file.len()).filter(is_alike).collect();
        // Without brackets, those of an inner block are of another kind: the gems of a group.
        if texts.iter().all(|new| is_command(new) || is_bare(new)) {
            let outermost = lines.iter().map(|at| file.indent[*at]).min().unwrap_or_default();
            lines.retain(|at| file.indent[*at] == outermost);
        }
        // What an object is given is given in the function that the words name.
        if texts.iter().any(|new| member_set(new).is_some()) {
            let is_named = |at: &usize| {
                let name =
                    file.keys[*at].as_ref().filter(|key| key.kind == Kind::Def).map(|key| key.name.as_str());
                name.is_some_and(|name| {
                    let is_word = |c: char| c.is_alphanumeric() || c == '_';
                    let mut spans = self.code_spans();
                    spans.any(|span| span.split(|c: char| !is_word(c)).any(|word| word == name))
                })
            };
            let named: Vec<usize> = (0..file.len()).filter(is_named).collect();
            let [head] = named[..] else { return None };
            let end = extent(file, head, file.len());
            lines.retain(|at| (head..end).contains(at));
        }
        let name = texts.first().and_then(|first| called(first));
        let is_same = |at: &&usize| called(&file.norm[**at]) == name;
        // One element may be the frame of what is new.
        let is_frame = lines.len() == 1 && texts.iter().any(|new| tag_of(new).is_some());
        let last = *lines.iter().rfind(is_same).or(lines.last())?;
        let scope = self.parent(last);
        let is_scope = scope == FILE || scope < file.len();
        (is_scope && !is_frame && lines.iter().all(|at| self.parent(*at) == scope)).then_some(last)
    }

    // Returns the only statement of the file that calls what `unit` does and resembles it: `app.listen(3000, …)`.
    pub(super) fn old_call_of(&self, unit: &Unit, scope: &Scope) -> Option<usize> {
        const LIKE: f64 = 0.6;
        let text = unit.text(self.part);
        let name = called(text).filter(|_| !self.label.label_says_add && self.part.indent[unit.head] == 0)?;
        let is_call = |at: &usize| called(scope.units[*at].text(self.file)) == Some(name);
        let mut all = (0..scope.units.len()).filter(is_call);
        let (only, None) = (all.next()?, all.next()) else { return None };
        let old = scope.units[only].text(self.file);
        (similarity(text, old) >= LIKE && !registers_another(text, old)).then_some(only)
    }

    // Returns the last variable in front of the definitions of the file, if `units` are further ones, each in a line.
    pub(super) fn last_variable(&self, units: &[Unit], scope: &Scope) -> Option<usize> {
        let has_variables =
            matches!(self.file.family, Family::Python | Family::Script | Family::Shell | Family::Go);
        let is_variable = |unit: &Unit| unit.is(Kind::Var);
        let are_new = units
            .iter()
            .all(|unit| is_variable(unit) && unit.size(self.part) == 1 && self.part.indent[unit.head] == 0);
        if !has_variables || units.is_empty() || !are_new {
            return None;
        }
        let ahead = scope.units.iter().take_while(|unit| !unit.is_definition()).count();
        scope.units[..ahead].iter().rposition(is_variable)
    }

    // Returns the head of the namespace around all functions of the file.
    pub(super) fn namespace(&mut self) -> Option<usize> {
        if self.file.family != Family::C {
            return None;
        }
        let scope = self.scope(FILE);
        let is_namespace = |unit: &&Unit| {
            unit.text(self.file).starts_with("namespace ")
                && unit.size(self.file) > 1
                && unit.text(self.file).ends_with('{')
        };
        let mut all = scope.units.iter().filter(is_namespace);
        let (only, None) = (all.next()?, all.next()) else { return None };
        let is_function = |unit: &Unit| unit.is(Kind::Def);
        (!scope.units.iter().any(is_function)).then_some(only.head)
    }

    // Returns true if the words above the part name a class of the file in code.
    pub(super) fn names_class(&self) -> bool {
        let mut classes = self.file.keys.iter().flatten().filter(|key| key.kind == Kind::Class);
        let is_named = |key: &Key| self.code_spans().any(|span| span == key.name);
        classes.any(is_named)
    }
}

// Returns the name of the member that `text`, a line alone, gives a value: `self.count = 0`.
fn member_set(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("self.").or_else(|| text.strip_prefix("this."))?;
    let (name, value) = rest.split_once(" = ")?;
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_name && !value.trim_end().ends_with(['{', '(', '['])).then_some(name)
}
