//! A unit of the part for a unit of the file: whole, or its header and members.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use crate::note::NoteKind;
use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::alike::overlap;
use super::gaps::FEW;
use super::head::{Key, Kind, sql_statement};
use super::language::Family;
use super::merger::{Merger, Scope, Stop, shown_units};
use super::signature::{signature, words};
use super::unit::{Item, Unit, body, items, units};

/// Letters of a line that is not in two texts by chance.
const TELLING: usize = 4;

/// The members of a unit on both sides.
pub(super) struct Members {
    pub(super) shown: Vec<Item>,
    pub(super) shown_lines: Range<usize>,
    pub(super) scope: Scope,
    pub(super) lines: Range<usize>,
}

impl Merger<'_, '_> {
    /// Replaces the file's unit `old` by the part's `new`.
    pub(super) fn replace(&mut self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        if new.shape(self.part) == old.shape(self.file) {
            // Only what is above may differ; one line above is a remark.
            let above = new.head - new.start;
            let is_documentation =
                ["///", "/**"].iter().any(|open| self.part.norm[new.start].starts_with(open));
            self.replace_remarks(new, old);
            if above > 1 || above == 1 && (!self.part.is_comment(new.start) || is_documentation) {
                self.replace_above(new, old)?;
            }
            return Ok(());
        }
        if self.file.family == Family::Go && new.is(Kind::Import) && !self.has_marker(new.head..new.end) {
            return self.merge_packages(new);
        }
        let members = self.members(new, old);
        if self.has_marker(new.head..new.end) {
            let Some(members) = members else {
                let name = excerpt(&old.name(self.file));
                return Err(Stop::new(
                    Reason::Elided,
                    format!("the part leaves out lines of `{name}`, which has none"),
                ));
            };
            // Its marker is further inside: it is only the frame of the one member that it shows.
            let has_own = members.shown.iter().any(|item| item.unit().is_none());
            let is_frame = !has_own && shown_units(&members.shown).count() == 1 && !members.scope.is_function;
            return self.merge_members(new, old, members, is_frame);
        }
        let Some(members) = members else { return self.replace_whole(new, old) };
        if self.insert_at_beginning(old, &members) {
            return Ok(());
        }
        if self.only_adds(new, old) {
            if self.label.label_says_add {
                return self.add_members(&members);
            }
            self.check_frame(new, old, &members)?;
        }
        if !self.merge_partly(new, old, members)? {
            self.replace_whole(new, old)?;
        }
        Ok(())
    }

    /// Takes remarks at the ends of lines from the part, where it has others than the file.
    fn replace_remarks(&mut self, new: &Unit, old: &Unit) {
        let (part, file) = (self.part, self.file);
        let shown = (new.head..new.end).filter(|at| !part.blank[*at]);
        let there = (old.head..old.end).filter(|at| !file.blank[*at]);
        for (shown, there) in shown.zip(there) {
            if part.remark[shown] && part.lines[shown].trim() != file.lines[there].trim() {
                let line =
                    format!("{}{}", super::text::indent_of(file.lines[there]), part.lines[shown].trim());
                self.edit(there..there + 1, vec![line]);
                self.note(NoteKind::Changed, file.lines[there], there..there + 1);
            }
        }
    }

    pub(super) fn members(&self, new: &Unit, old: &Unit) -> Option<Members> {
        let shown_lines = body(self.part, new, &self.is_marker)?;
        let lines = body(self.file, old, &[])?;
        let shown = items(self.part, shown_lines.clone(), &self.is_marker);
        let name = Some(old.name(self.file));
        let is_function = self.file.is_function(old.head);
        let is_class = old.is(Kind::Class);
        let scope =
            Scope { units: units(self.file, lines.clone()), name, is_function, is_class, is_outer: false };
        Some(Members { shown, shown_lines, scope, lines })
    }

    fn merge_members(&mut self, new: &Unit, old: &Unit, members: Members, is_open: bool) -> Result<(), Stop> {
        self.replace_header(new, &members.shown_lines, old, &members.lines)?;
        if is_open || shown_units(&members.shown).next().is_some() {
            self.merge_list(members.shown, &members.scope, is_open, false)?;
        }
        self.replace_tail(new, &members.shown_lines, old, &members.lines);
        self.replace_above(new, old)
    }

    /// Merges the members of a container that is shown without a marker and without some of them. Returns
    /// false if it is shown whole.
    fn merge_partly(&mut self, new: &Unit, old: &Unit, members: Members) -> Result<bool, Stop> {
        let is_data = self.file.family.is_data();
        let counts = |kind: Kind| {
            if is_data || old.kind().is_some_and(Kind::is_container) {
                let is_member = self.label.label_says_add && matches!(kind, Kind::Var | Kind::Case);
                kind.is_definition() || kind == Kind::Key || is_member
            } else {
                let is_entry = self.label.label_says_add && kind == Kind::Key;
                matches!(kind, Kind::Def | Kind::Class | Kind::Rule | Kind::Case) || is_entry
            }
        };
        // Few entries of a list have a name that tells a new one from a changed one; else the label does.
        let counts = |key: &Key| {
            let is_entry = key.kind == Kind::Entry && (self.label.label_says_add || key.name.contains('='));
            counts(key.kind) || is_data && is_entry
        };
        let keys = |units: &mut dyn Iterator<Item = &Unit>| -> BTreeSet<Key> {
            units.filter_map(|unit| unit.key.clone()).filter(|key| counts(key)).collect()
        };
        let shown = keys(&mut shown_units(&members.shown));
        let there = keys(&mut members.scope.units.iter());
        let units: HashMap<&Key, &Unit> =
            members.scope.units.iter().filter_map(|unit| Some((unit.key.as_ref()?, unit))).collect();
        let goes = |key: &&Key| {
            self.label.removals.contains(&key.name.as_str())
                || units.get(key).is_some_and(|unit| self.may_be_unused(unit))
        };
        let missing: Vec<&Key> = there.difference(&shown).filter(|key| !goes(key)).collect();
        let first = missing.first().map(|key| excerpt(&key.name)).unwrap_or_default();
        // A list that becomes a mapping, or a mapping that becomes a list, is another form of it if nothing of it is missing.
        if is_data && self.is_other_collection(&members) {
            let text: Vec<&str> = new.norm(self.part);
            let has = |name: &str| text.iter().any(|line| name_of_member(line) == name);
            let mut names = members.scope.units.iter().filter(|unit| !unit.is(Kind::Comment));
            if let Some(lost) = names.find(|unit| !has(name_of_member(unit.text(self.file)))) {
                let (name, lost) = (excerpt(&old.name(self.file)), excerpt(lost.text(self.file)));
                return Err(Stop::last(Reason::Loses, format!("`{name}` is shown without `{lost}`")));
            }
            return Ok(false);
        }
        if is_data && !there.is_empty() && !shown.is_empty() {
            // Two objects without a name and without a member in common are two objects.
            let is_other = old.key.is_none() && shown.is_disjoint(&there) && missing.len() == there.len();
            if is_other && !self.label.label_says_add {
                let detail = format!("`{first}` and the others of its object are not what the part shows");
                return Err(Stop::last(Reason::NoPlace, detail));
            }
            let is_open = missing.iter().any(|key| key.kind != Kind::Entry);
            if is_open {
                self.guess(NoteKind::Stays { count: missing.len() }, &first, 0..0);
            }
            self.merge_members(new, old, members, is_open)?;
            return Ok(true);
        }
        let name = excerpt(&old.name(self.file));
        if !missing.is_empty() && !old.is(Kind::Def) {
            let common = shown.intersection(&there).count();
            let adds = self.label.label_says_add;
            // A branch for another value may be the new form of one that is not shown, or a further one.
            let are_cases = missing.iter().any(|key| key.kind == Kind::Case);
            let is_partial = missing.len() >= common && !are_cases || self.file.family == Family::Css || adds;
            if common > 0 && is_partial {
                let is_open = !adds || missing.iter().any(|key| key.kind.is_definition());
                if is_open {
                    self.guess(NoteKind::Stays { count: missing.len() }, &first, 0..0);
                }
                self.merge_members(new, old, members, is_open)?;
                return Ok(true);
            }
            let detail = format!("`{name}` is shown without `{first}`, and without a marker for it");
            return Err(Stop::last(Reason::Loses, detail));
        }
        if !old.is(Kind::Def) {
            self.check_entries(&members, &name)?;
        }
        Ok(false)
    }

    // Returns true if one side is a list of YAML and the other a mapping.
    pub(super) fn is_other_collection(&self, members: &Members) -> bool {
        let is_entry = |text: &str| text.starts_with("- ");
        let (part, file) = (self.part, self.file);
        let shown =
            shown_units(&members.shown).filter(|unit| !unit.is(Kind::Comment)).map(|unit| unit.text(part));
        let there =
            members.scope.units.iter().filter(|unit| !unit.is(Kind::Comment)).map(|unit| unit.text(file));
        let (shown, there): (Vec<&str>, Vec<&str>) = (shown.collect(), there.collect());
        file.family == Family::Yaml
            && !shown.is_empty()
            && !there.is_empty()
            && (shown.iter().all(|text| is_entry(text)) && !there.iter().any(|text| is_entry(text))
                || there.iter().all(|text| is_entry(text)) && !shown.iter().any(|text| is_entry(text)))
    }

    /// Checks that a table is not shown without half of its entries.
    fn check_entries(&self, members: &Members, name: &str) -> Result<(), Stop> {
        let is_entry = |key: &&Key| matches!(key.kind, Kind::Key | Kind::Entry | Kind::Call);
        let there: BTreeSet<&Key> =
            members.scope.units.iter().filter_map(|unit| unit.key.as_ref()).filter(is_entry).collect();
        let shown: BTreeSet<&Key> =
            shown_units(&members.shown).filter_map(|unit| unit.key.as_ref()).filter(is_entry).collect();
        let all = members.scope.units.iter().filter(|unit| !unit.is(Kind::Comment)).count();
        // A statement without a name may be the new form of one with a name.
        let replaced = shown_units(&members.shown).filter(|unit| unit.key.is_none()).count();
        let missing = there.difference(&shown).count().saturating_sub(replaced);
        if 2 * there.len() > all && 2 * missing > there.len() {
            let detail = format!("`{name}` is shown without {missing} of its {} entries", there.len());
            return Err(Stop::last(Reason::Loses, detail));
        }
        Ok(())
    }

    pub(super) fn replace_whole(&mut self, new: &Unit, old: &Unit) -> Result<(), Stop> {
        let name = old.name(self.file);
        let (before, after) = (old.norm(self.file), new.norm(self.part));
        let is_quoted = self.quoted_head == Some(old.head);
        if !is_quoted && before.len() > FEW && 2 * after.len() < before.len() {
            let detail = format!("`{}` would be {} lines for {}", excerpt(&name), after.len(), before.len());
            return Err(Stop::last(Reason::Loses, detail));
        }
        if before.len() > 3 && after.len() < before.len() {
            let is_beginning = after[..] == before[..after.len()];
            let is_subset = overlap(&after, &before) == after.len() && before.len() - after.len() > FEW;
            if is_beginning || is_subset {
                return Err(Stop::last(Reason::Loses, format!("`{}` is shown in part", excerpt(&name))));
            }
        }
        let is_telling = |line: &&&str| letters(line) >= TELLING && !line.starts_with("</");
        let is_multiple = |lines: &[&str]| lines[1..].iter().filter(is_telling).count() > 2;
        if old.is(Kind::Element)
            && is_multiple(&before)
            && is_multiple(&after)
            && !after[1..].iter().filter(is_telling).any(|line| before.contains(line))
        {
            let detail = format!("`{}` has none of the lines that the part shows in it", excerpt(&name));
            return Err(Stop::last(Reason::NoPlace, detail));
        }
        self.check_rows(&before, &after)?;
        self.check_complete(new, old)?;
        let mut lines = self.shifted(new.head..new.end, new.head, old.head);
        // The comma at its end is the file's.
        let takes_comma = matches!(old.kind(), None | Some(Kind::Key | Kind::Entry | Kind::Element));
        let (last_old, last_new) = (old.end - 1, new.end - 1);
        if takes_comma
            && self.file.norm[last_old].ends_with(',')
            && !self.part.norm[last_new].ends_with([',', ';'])
            && !self.part.remark[last_new]
            && let Some(last) = lines.last_mut()
        {
            last.truncate(last.trim_end().len());
            last.push(',');
        }
        let lost = before.len() - overlap(&after, &before);
        self.edit(old.head..old.end, lines);
        self.note(NoteKind::Replaced { lost }, &name, old.head..old.end);
        self.replace_above(new, old)
    }

    /// No row that a statement of SQL inserts goes.
    fn check_rows(&self, before: &[&str], after: &[&str]) -> Result<(), Stop> {
        let is_insert = before.first().is_some_and(|line| sql_statement(line) == Some("INSERT"));
        if self.file.family != Family::Sql || !is_insert {
            return Ok(());
        }
        let bare = |line: &'_ str| line.trim_end_matches([',', ';']).to_owned();
        let shown: BTreeSet<String> = after.iter().map(|line| bare(line)).collect();
        match before[1..].iter().find(|line| line.starts_with('(') && !shown.contains(&bare(line))) {
            Some(row) => Err(Stop::last(Reason::Loses, format!("the row `{}` is not shown", excerpt(row)))),
            None => Ok(()),
        }
    }

    fn replace_header(
        &mut self,
        new: &Unit,
        shown: &Range<usize>,
        old: &Unit,
        lines: &Range<usize>,
    ) -> Result<(), Stop> {
        let (part, file) = (self.part, self.file);
        let is_equal =
            super::unit::norm(part, new.head..shown.start) == super::unit::norm(file, old.head..lines.start);
        if is_equal {
            return Ok(());
        }
        if self.has_marker(new.head..shown.start) {
            let name = excerpt(&old.name(file));
            return Err(Stop::new(
                Reason::Elided,
                format!("the part leaves out lines of the header of `{name}`"),
            ));
        }
        // Whether the lines that stay use them is known once all is merged (`check_parameters`).
        if let Some(of_file) = signature(file, old.head).filter(|_| old.is(Kind::Def)) {
            let header: Vec<&str> = super::unit::norm(part, new.head..shown.start);
            let words: BTreeSet<&str> = header.iter().flat_map(|line| words(line)).collect();
            let dropped =
                of_file.names.into_iter().filter(|name| !name.is_empty() && !words.contains(name.as_str()));
            self.dropped.push((new.head, dropped.collect()));
        }
        let text_end = |blank: &[bool], head: usize, end: usize| {
            (head + 1..=end).rfind(|end| !blank[*end - 1]).unwrap_or(head + 1)
        };
        let to = text_end(&file.blank, old.head, lines.start);
        let text = self.shifted(new.head..text_end(&part.blank, new.head, shown.start), new.head, old.head);
        self.edit(old.head..to, text);
        self.note(NoteKind::Changed, old.text(file), old.head..to);
        Ok(())
    }

    /// Replaces what closes a unit, if it differs in more than signs.
    fn replace_tail(&mut self, new: &Unit, shown: &Range<usize>, old: &Unit, lines: &Range<usize>) {
        let after = super::unit::norm(self.part, shown.end..new.end);
        let before = super::unit::norm(self.file, lines.end..old.end);
        let words =
            |lines: &[&str]| -> String { lines.concat().chars().filter(|c| c.is_alphanumeric()).collect() };
        if !after.is_empty() && !before.is_empty() && words(&after) != words(&before) {
            let text = self.shifted(shown.end..new.end, new.head, old.head);
            let range = lines.end..old.end;
            self.edit(range.clone(), text);
            self.note(NoteKind::Changed, before[0], range);
        }
    }
}

// Returns the name in `- db`, `db:`, `- DEBUG=1` and `DEBUG: 1`.
fn name_of_member(line: &str) -> &str {
    let line = line.trim_start_matches("- ");
    line[..line.find([':', '=']).unwrap_or(line.len())].trim_matches([' ', '"', '\''])
}
