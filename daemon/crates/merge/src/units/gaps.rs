//! Gaps between shown units: new units of the part, and units of the file that the part does not show.

use std::collections::HashSet;

use crate::note::{NoteKind, Position};
use crate::refused::{Reason, excerpt};
use crate::source::letters;

use super::alike::{FORM, called, flat, registers_another, similarity, tag_of};
use super::head::Kind;
use super::imports::import_names;
use super::language::Family;
use super::list::{Gap, Side, leaves};
use super::matching::Matching;
use super::merger::{Merger, Scope, Stop};
use super::pairs::branch;
use super::unit::Unit;

/// Lines in a row that may go unsaid.
pub(super) const FEW: usize = 6;
/// Letters of statements that do not stand in a new block by chance.
const WRAPPED: usize = 10;

impl Merger<'_, '_> {
    /// Merges what is between two shown units, or one and the edge of the scope.
    pub(super) fn merge_between(&mut self, gap: &Gap<'_>, matching: &Matching) -> Result<(), Stop> {
        let units = &gap.scope.units;
        let from = if let Side::Unit(left) = gap.left { left + 1 } else { 0 };
        let to = if let Side::Unit(right) = gap.right { right } else { units.len() };
        let hidden: Vec<&Unit> =
            (from..to.max(from)).filter(|at| !matching.is_taken(*at)).map(|at| &units[at]).collect();
        let hidden = self.remove_mentioned(hidden);
        let (imports, hidden): (Vec<&Unit>, Vec<&Unit>) =
            hidden.into_iter().partition(|unit| self.keeps_import(unit, gap));
        if let Some(import) = imports.first() {
            let name = import.name(self.file);
            self.guess(NoteKind::Stays { count: imports.len() }, &name, 0..0);
            if let Some(other) = hidden.iter().find(|_| !gap.run.is_empty()) {
                return Err(self.not_shown(other));
            }
            if !gap.run.is_empty() {
                return self.insert_beside_imports(gap, &imports);
            }
        }
        if self.keeps_hidden(gap, &hidden) && !self.are_registered_beside(gap, &hidden) {
            self.check_whole(&gap.run)?;
            if gap.scope.is_function && !hidden.iter().any(|unit| unit.is_definition()) {
                self.hidden_statements += hidden.len();
            }
            match (gap.left, gap.right, gap.run.is_empty()) {
                (_, _, true) => {}
                (Side::Unit(left), ..) => self.insert_after(&gap.run, left, gap.scope),
                (_, Side::Unit(right), _) => self.insert_before(&gap.run, right, gap.scope),
                _ => self.place_alone(gap)?,
            }
            let name = hidden[0].name(self.file);
            self.guess(NoteKind::Stays { count: hidden.len() }, &name, 0..0);
            return Ok(());
        }
        if let Some(lost) = hidden.iter().find(|unit| unit.is_definition() && !self.may_be_unused(unit)) {
            return Err(self.not_shown(lost));
        }
        // A branch of a template is a tag beside others.
        let is_branch = |unit: &&&Unit| {
            let text = unit.text(self.file).trim_start_matches(['{', '%', '-', ':', ' ']);
            self.file.family == Family::Html && branch(text).is_some()
        };
        if let Some(lost) = hidden.iter().find(is_branch) {
            return Err(self.not_shown(lost));
        }
        if gap.run.is_empty() {
            return self.remove_hidden(gap, hidden);
        }
        self.check_whole(&gap.run)?;
        if let (Some(first), Some(last)) = (hidden.first(), hidden.last()) {
            if self.are_other_entries(gap, &hidden) {
                let at = gap.scope.units.partition_point(|unit| unit.head < last.head);
                self.insert_after(&gap.run, at, gap.scope);
                let name = first.name(self.file);
                self.guess(NoteKind::Stays { count: hidden.len() }, &name, 0..0);
                return Ok(());
            }
            return self.replace_hidden(gap, &hidden, first, last);
        }
        match (gap.left, gap.right) {
            (Side::Unit(left), _) => self.insert_after(&gap.run, left, gap.scope),
            (_, Side::Unit(right)) => self.insert_before(&gap.run, right, gap.scope),
            _ => self.place_alone(gap)?,
        }
        Ok(())
    }

    /// Returns true if the unit is an import that stays, though it stands between shown units: it is the end of a block of
    /// imports that the part does not show, or nothing tells which names it makes known.
    fn keeps_import(&self, unit: &Unit, gap: &Gap<'_>) -> bool {
        let is_import = |side: Side| matches!(side, Side::Unit(at) if gap.scope.units[at].is(Kind::Import));
        let is_in_block = is_import(gap.left) && is_import(gap.right) || !gap.run.is_empty();
        // What Elixir's `import` and `use` make known, nobody knows.
        let is_known = self.file.family != Family::Elixir
            && import_names(&flat(self.file, unit), self.file.family).is_some();
        unit.is(Kind::Import) && !(is_in_block && is_known)
    }

    /// Inserts new units between shown ones that have imports between them in the file: imports behind the last one
    /// with their word, others behind all.
    fn insert_beside_imports(&mut self, gap: &Gap<'_>, imports: &[&Unit]) -> Result<(), Stop> {
        self.check_whole(&gap.run)?;
        let word = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        let first = word(gap.run[0].text(self.part));
        let is_like = |unit: &&&Unit| gap.run[0].is(Kind::Import) && word(unit.text(self.file)) == first;
        let Some(last) = imports.iter().rfind(is_like).or(imports.last()) else { return Ok(()) };
        let at = gap.scope.units.partition_point(|unit| unit.head < last.head);
        self.insert_after(&gap.run, at, gap.scope);
        Ok(())
    }

    /// Returns true if the new units are other entries than the hidden ones, not other forms of them: in data, and where the
    /// answer says to add to a list of members.
    fn are_other_entries(&self, gap: &Gap<'_>, hidden: &[&Unit]) -> bool {
        if self.are_registered_beside(gap, hidden) {
            return true;
        }
        let is_list = self.file.family.is_data()
            || self.label.label_says_add && !gap.scope.is_function && !gap.scope.is_outer;
        let is_named = |unit: &Unit| matches!(unit.kind(), Some(Kind::Key | Kind::Var | Kind::Case));
        let is_form = |new: &Unit, old: &Unit| {
            let (text, old_text) = (new.text(self.part), old.text(self.file));
            let name = |text: &'_ str| text.split_once('=').map(|(name, _)| name.to_owned());
            let is_renamed = matches!((name(text), name(old_text)), (Some(new), Some(old)) if new != old);
            !is_named(new) && !is_renamed && similarity(text, old_text) >= FORM && new.kind() == old.kind()
        };
        is_list && !gap.run.iter().any(|new| hidden.iter().any(|old| is_form(new, old)))
    }

    // Returns true if the new units register other things than the hidden ones, in a list of such calls that goes on beside
    // them.
    fn are_registered_beside(&self, gap: &Gap<'_>, hidden: &[&Unit]) -> bool {
        let is_code = |unit: &&Unit| !unit.is(Kind::Comment);
        let old: Vec<&str> =
            hidden.iter().copied().filter(is_code).map(|unit| unit.text(self.file)).collect();
        let new: Vec<&str> = gap.run.iter().filter(is_code).map(|unit| unit.text(self.part)).collect();
        let shown = [gap.left, gap.right].into_iter().filter_map(|side| match side {
            Side::Unit(at) => called(gap.scope.units[at].text(self.file)),
            _ => None,
        });
        let shown: Vec<&str> = shown.collect();
        let goes_on = |text: &str| called(text).is_some_and(|name| shown.contains(&name));
        !old.is_empty()
            && !new.is_empty()
            && new.iter().all(|text| goes_on(text) && old.iter().all(|old| registers_another(text, old)))
    }

    /// Returns true if the units that the part does not show stay: definitions in a scope that is shown with
    /// markers, data, and whatever is between two definitions that stand side by side in the part alone.
    fn keeps_hidden(&self, gap: &Gap<'_>, hidden: &[&Unit]) -> bool {
        let units = &gap.scope.units;
        if hidden.is_empty() || gap.left == Side::Edge && gap.right == Side::Edge {
            return false;
        }
        if gap.has_markers && hidden.iter().any(|unit| unit.is_definition()) {
            return true;
        }
        // Properties and entries have no order: the marker stands for all others.
        let has_order = !self.file.family.is_data() && self.file.family != Family::Css;
        if gap.has_markers
            && !has_order
            && hidden.iter().all(|unit| unit.is(Kind::Key) || unit.is(Kind::Comment))
        {
            return true;
        }
        // Neither have arguments with a name.
        let is_argument =
            |unit: &&Unit| self.file.bracket[unit.head] == b'(' && unit.text(self.file).contains('=');
        if gap.has_markers && hidden.iter().all(is_argument) {
            return true;
        }
        let (Side::Unit(left), Side::Unit(right)) = (gap.left, gap.right) else { return false };
        let is_named = |unit: &Unit| {
            unit.is_definition()
                || matches!(
                    unit.kind(),
                    Some(Kind::Var | Kind::Call | Kind::Default | Kind::Part | Kind::Import)
                )
        };
        let data = self.file.family.is_data()
            && hidden.iter().any(|unit| unit.is(Kind::Key) || unit.is(Kind::Section));
        let named = gap.is_top
            && hidden.iter().any(|unit| is_named(unit) && !unit.is(Kind::Import))
            && (is_named(&units[left]) || is_named(&units[right]));
        data || named
    }

    /// Removes the units that the answer removes by name; returns the others.
    fn remove_mentioned<'u>(&mut self, hidden: Vec<&'u Unit>) -> Vec<&'u Unit> {
        let (removed, rest): (Vec<&Unit>, Vec<&Unit>) =
            hidden.into_iter().partition(|unit| self.is_removed(unit));
        for unit in removed {
            let count = unit.size(self.file);
            let name = unit.name(self.file);
            self.edit(unit.start..unit.end, Vec::new());
            self.note(NoteKind::Removed { count, is_mentioned: true }, &name, unit.start..unit.end);
        }
        rest
    }

    fn not_shown(&self, unit: &Unit) -> Stop {
        let name = excerpt(&unit.name(self.file));
        Stop::new(Reason::Loses, format!("the part does not show `{name}`, and has no marker for it"))
    }

    /// Removes a few statements that the part does not show between two that it shows.
    fn remove_hidden(&mut self, gap: &Gap<'_>, hidden: Vec<&Unit>) -> Result<(), Stop> {
        let is_text = |unit: &Unit| {
            let text = unit.text(self.file);
            unit.is(Kind::Comment) || text.starts_with("\"\"\"") || text.starts_with("'''")
        };
        let hidden: Vec<&Unit> = hidden.into_iter().filter(|unit| !is_text(unit)).collect();
        let Some(first) = hidden.first() else { return Ok(()) };
        if self.label.label_says_add {
            let name = first.name(self.file);
            self.guess(NoteKind::Stays { count: hidden.len() }, &name, 0..0);
            return Ok(());
        }
        if gap.left == Side::Edge || gap.right == Side::Edge {
            return Err(self.not_shown(first));
        }
        let count: usize = hidden.iter().map(|unit| unit.size(self.file)).sum();
        if count > FEW {
            let detail = format!("the part does not show {count} lines, and has no marker for them");
            return Err(Stop::new(Reason::Loses, detail));
        }
        for unit in hidden {
            let text = unit.text(self.file).to_owned();
            let count = unit.size(self.file);
            self.edit(unit.start..unit.end, Vec::new());
            self.guess(NoteKind::Removed { count, is_mentioned: false }, &text, unit.start..unit.end);
        }
        Ok(())
    }

    /// New statements take the place of those between the same shown ones.
    fn replace_hidden(
        &mut self,
        gap: &Gap<'_>,
        hidden: &[&Unit],
        first: &Unit,
        last: &Unit,
    ) -> Result<(), Stop> {
        let old: usize = hidden.iter().map(|unit| unit.size(self.file)).sum();
        let new: usize = gap.run.iter().map(|unit| unit.size(self.part)).sum();
        if old > FEW && 2 * new < old {
            return Err(Stop::new(Reason::Loses, format!("{old} lines would go for {new}")));
        }
        let lines = first.start..last.end;
        let text = self.text_of(&gap.run, first.head);
        let lost = old.saturating_sub(self.common(&gap.run, hidden));
        self.edit(lines.clone(), text);
        let name = first.name(self.file);
        self.note(NoteKind::Replaced { lost }, &name, lines);
        Ok(())
    }

    fn common(&self, run: &[Unit], hidden: &[&Unit]) -> usize {
        let new: Vec<&str> = run.iter().flat_map(|unit| unit.norm(self.part)).collect();
        let old: Vec<&str> = hidden.iter().flat_map(|unit| unit.norm(self.file)).collect();
        super::alike::overlap(&new, &old)
    }

    /// Checks that no new unit is one of the file, hidden by a marker, under another name or at another place.
    fn check_renamed(&self, run: &[Unit], scope: &Scope) -> Result<(), Stop> {
        for unit in run {
            let new = unit.norm(self.part);
            if new.len() < 3 {
                continue;
            }
            let name = excerpt(&unit.name(self.part));
            let is_named = unit.is(Kind::Def) || unit.is(Kind::Class);
            let is_same = |old: &&Unit| {
                let old = if old.kind() == unit.kind() { old.norm(self.file) } else { Vec::new() };
                let common = if old.is_empty() { 0 } else { super::alike::overlap(&new[1..], &old[1..]) };
                5 * common >= 4 * (new.len().max(old.len()) - 1)
            };
            if is_named
                && new.len() > 3
                && let Some(old) = scope.units.iter().find(is_same)
            {
                let old = excerpt(&old.name(self.file));
                let detail = format!("`{name}` is new, and its lines are those of `{old}`, which stays");
                return Err(Stop::new(Reason::Ambiguous, detail));
            }
            let telling: Vec<&str> = new.into_iter().filter(|line| letters(line) > 8).collect();
            let known = telling.iter().filter(|line| self.known.contains(**line)).count();
            if !is_named && telling.len() > 2 && 5 * known >= 4 * telling.len() {
                let detail = format!("`{name}` is new, and its lines are in the file at another place");
                return Err(Stop::new(Reason::Ambiguous, detail));
            }
        }
        Ok(())
    }

    /// Returns the text of new units, at the indentation of a line of the file.
    pub(super) fn text_of(&self, run: &[Unit], like: usize) -> Vec<String> {
        match (run.first(), run.last()) {
            (Some(first), Some(last)) => self.shifted(first.start..last.end, first.head, like),
            _ => Vec::new(),
        }
    }

    pub(super) fn insert_after(&mut self, run: &[Unit], unit: usize, scope: &Scope) {
        let (Some(first), old) = (run.first(), &scope.units[unit]) else { return };
        let above = (0..first.start).rfind(|at| !self.part.blank[*at]);
        let blanks = match above {
            Some(above) if !self.is_marker[above] => first.start - above - 1,
            _ => self.usual_blanks(&scope.units, first),
        };
        let mut text = [vec![String::new(); blanks], self.text_of(run, old.head)].concat();
        let is_last = unit + 1 == scope.units.len();
        if self.needs_comma(scope, old) {
            if is_last {
                self.comma = Some(old.end - 1);
            } else if let Some(last) =
                text.last_mut().filter(|last| !last.ends_with([',', ';', '{', '(', '[']))
            {
                last.push(',');
            }
        }
        self.edit(old.end..old.end, text);
        let position = Position::After(excerpt(&old.name(self.file)));
        self.note(NoteKind::Inserted(position), &first.name(self.part), old.end..old.end);
    }

    pub(super) fn insert_before(&mut self, run: &[Unit], unit: usize, scope: &Scope) {
        let (Some(first), Some(last), old) = (run.first(), run.last(), &scope.units[unit]) else { return };
        let below = (last.end..self.part.len()).find(|at| !self.part.blank[*at]);
        let blanks = match below {
            Some(below) if !self.is_marker[below] => below - last.end,
            _ => self.usual_blanks(&scope.units, last),
        };
        let text = [self.text_of(run, old.head), vec![String::new(); blanks]].concat();
        self.edit(old.start..old.start, text);
        let position = Position::Before(excerpt(&old.name(self.file)));
        self.note(NoteKind::Inserted(position), &first.name(self.part), old.start..old.start);
    }

    /// Returns the statements of the file beside the shown neighbour whose lines all stand deeper in the new units:
    /// the marker does not keep them, they have moved into a branch or a block.
    fn wrapped<'g>(&self, gap: &Gap<'g>, matching: &Matching) -> Vec<&'g Unit> {
        let units = &gap.scope.units;
        let Some(head) = gap.run.first().map(|unit| unit.head) else { return Vec::new() };
        let deeper: HashSet<&str> = gap
            .run
            .iter()
            .flat_map(|unit| unit.head..unit.end)
            .filter(|at| self.part.indent[*at] > self.part.indent[head])
            .map(|at| self.part.norm[at].as_str())
            .collect();
        let is_wrapped = |unit: &&Unit| {
            let lines = unit.norm(self.file);
            // A lone `}` or `return` stands deeper somewhere by chance.
            let telling: usize = lines.iter().map(|line| letters(line)).sum();
            let is_deeper =
                |line: &&str| deeper.contains(line) || deeper.iter().any(|new| extends_element(line, new));
            !unit.is_definition() && telling >= WRAPPED && lines.iter().all(is_deeper)
        };
        let is_free = |at: &usize| !matching.is_taken(*at);
        match (gap.left, gap.right) {
            (Side::Unit(left), Side::Marker) => (left + 1..units.len())
                .take_while(is_free)
                .map(|at| &units[at])
                .take_while(is_wrapped)
                .collect(),
            (Side::Marker, Side::Unit(_) | Side::Edge) => {
                let right = if let Side::Unit(right) = gap.right { right } else { units.len() };
                let above = (0..right).rev().take_while(is_free).map(|at| &units[at]);
                let mut wrapped: Vec<&Unit> = above.take_while(is_wrapped).collect();
                wrapped.reverse();
                wrapped
            }
            _ => Vec::new(),
        }
    }

    // Returns the last field of a class in front of unit `to`, if the new units are fields: fields stand with fields, and the
    // marker may stand for methods, too.
    fn last_field(&self, gap: &Gap<'_>, to: usize) -> Option<usize> {
        let are_fields = gap.run.iter().all(|unit| unit.is(Kind::Comment) || self.is_field(unit));
        let is_field = |unit: &Unit| self.is_field_of_file(unit);
        gap.scope.units[..to].iter().rposition(is_field).filter(|_| are_fields && gap.scope.is_class)
    }

    /// Returns the number of blank lines that stand between units of that kind: the median, at most 2.
    pub(super) fn usual_blanks(&self, units: &[Unit], unit: &Unit) -> usize {
        let distance = |pair: &[Unit]| pair[1].start - pair[0].end;
        let is_same = |pair: &&[Unit]| unit.key.is_some() && pair[1].kind() == unit.kind();
        let mut distances: Vec<usize> = units.windows(2).filter(is_same).map(distance).collect();
        if distances.is_empty() {
            distances = units.windows(2).map(distance).collect();
        }
        distances.sort_unstable();
        let median = distances.get(distances.len() / 2).copied();
        median.unwrap_or(usize::from(unit.is_definition())).min(2)
    }

    // Returns the last unit that the marker above new statements stands for: the one in front of the next shown one.
    // What the part begins with goes right above the next shown one.
    fn last_hidden(&self, gap: &Gap<'_>, right: usize, matching: &Matching) -> Option<usize> {
        let first = gap.run.first()?.start;
        let above = (0..first).rfind(|at| !self.part.blank[*at])?;
        if !self.is_marker[above] {
            return None;
        }
        let last = right.checked_sub(1).filter(|at| !matching.is_taken(*at))?;
        let is_statement =
            |unit: &Unit| !unit.is_definition() && !unit.is(Kind::Comment) && !unit.is(Kind::Import);
        (gap.run.iter().all(is_statement) && is_statement(&gap.scope.units[last])).then_some(last)
    }

    // Returns the last unit of the file's outermost scope that begins with the same word as new lines right below a marker,
    // if it is a line as they are: a list of gems, routes or rows has no order.
    pub(super) fn last_alike(&self, run: &[Unit], scope: &Scope) -> Option<usize> {
        let first = run.first().filter(|unit| !unit.is_definition() && !unit.is(Kind::Import))?;
        let above = (0..first.start).rfind(|at| !self.part.blank[*at])?;
        let word =
            |text: &'_ str| text.split([' ', ':', '(', '.', '=']).next().unwrap_or_default().to_owned();
        let own = word(first.text(self.part));
        let is_alike = |unit: &Unit| word(unit.text(self.file)) == own && unit.size(self.file) == 1;
        // A block has a place of its own; lines of a list have none.
        let is_new = |unit: &Unit| !self.known.contains(unit.text(self.part)) && unit.size(self.part) == 1;
        let is_list = self.is_marker[above]
            && run.iter().all(is_new)
            && scope.name.is_none()
            && first.key.as_ref().is_none_or(|key| key.kind == Kind::Call);
        (is_list && letters(&own) > 1).then(|| scope.units.iter().rposition(is_alike)).flatten()
    }

    // Gives the last inserted lines as many blank ones in front as the part has between them and the marker.
    pub(super) fn take_blanks_below_marker(&mut self, first: &Unit) {
        let blanks = (0..first.start).rev().take_while(|at| self.part.blank[*at]).count();
        if let Some(edit) = self.edits.last_mut() {
            let own = edit.new.iter().take_while(|line| line.is_empty()).count();
            edit.new.splice(..own, std::iter::repeat_n(String::new(), blanks));
        }
    }

    /// Places new units that have a marker on at least one side.
    pub(super) fn place_beside_marker(&mut self, gap: &Gap<'_>, matching: &Matching) -> Result<(), Stop> {
        self.check_whole(&gap.run)?;
        if let [links] = &gap.run[..]
            && self.place_links(links, gap.scope)?
        {
            return Ok(());
        }
        let wrapped = self.wrapped(gap, matching);
        if let (Some(first), Some(last)) = (wrapped.first(), wrapped.last()) {
            return self.replace_hidden(gap, &wrapped, first, last);
        }
        self.check_renamed(&gap.run, gap.scope)?;
        match (gap.left, gap.right) {
            (Side::Unit(left), _) => self.insert_after(&gap.run, left, gap.scope),
            (Side::Marker, Side::Unit(right)) if let Some(last) = self.last_hidden(gap, right, matching) => {
                self.insert_after(&gap.run, last, gap.scope);
                self.take_blanks_below_marker(&gap.run[0]);
            }
            (Side::Marker, Side::Unit(right)) if let Some(last) = self.last_field(gap, right) => {
                self.insert_after(&gap.run, last, gap.scope);
                self.take_blanks_below_marker(&gap.run[0]);
            }
            (Side::Marker, Side::Marker | Side::Edge)
                if let Some(last) = self.last_field(gap, gap.scope.units.len()) =>
            {
                self.insert_after(&gap.run, last, gap.scope);
                self.take_blanks_below_marker(&gap.run[0]);
            }
            // Rules that are added come behind those of the file, whatever query they are shown above.
            (Side::Marker, Side::Unit(right))
                if self.file.family == Family::Css
                    && self.label.label_says_add
                    && gap.scope.units[right].text(self.file).starts_with("@media") =>
            {
                self.place_at_end(&gap.run, gap.scope, true)?;
            }
            (_, Side::Unit(right)) => self.insert_before(&gap.run, right, gap.scope),
            (Side::Edge, _) if gap.scope.units.is_empty() => return Err(is_empty(gap.scope)),
            // Documentation stays first: a text that is no entry of a list.
            (Side::Edge, _)
                if gap.scope.name.is_some()
                    && self.file.is_text(gap.scope.units[0].head)
                    && !matches!(self.file.bracket[gap.scope.units[0].head], b'(' | b'[') =>
            {
                self.insert_after(&gap.run, 0, gap.scope);
            }
            (Side::Edge, _) => self.insert_before(&gap.run, 0, gap.scope),
            (Side::Marker, Side::Marker | Side::Edge)
                if let Some(at) = self.last_alike(&gap.run, gap.scope) =>
            {
                self.insert_after(&gap.run, at, gap.scope);
                self.take_blanks_below_marker(&gap.run[0]);
                self.set_guess(true);
            }
            (_, Side::Edge) => {
                let last = gap.scope.units.last().map_or("", |unit| unit.text(self.file));
                let first = &gap.run[0];
                if leaves(last) && !first.is_definition() {
                    let text = excerpt(first.text(self.part));
                    let detail = format!("`{text}` would come after `{}`", excerpt(last));
                    return Err(Stop::new(Reason::NoPlace, detail));
                }
                self.place_at_end(&gap.run, gap.scope, false)?;
            }
            _ => self.place_alone(gap)?,
        }
        Ok(())
    }

    /// Places units beside which nothing is shown: definitions and entries, at the end of the scope.
    fn place_alone(&mut self, gap: &Gap<'_>) -> Result<(), Stop> {
        let alike =
            self.last_call_like(gap).or_else(|| self.last_namesake(gap)).or_else(|| self.last_of_tag(gap));
        if let Some(at) = alike {
            self.check_whole(&gap.run)?;
            self.insert_after(&gap.run, at, gap.scope);
            self.set_guess(true);
            return Ok(());
        }
        let family = self.file.family;
        let has_keys = family.is_data()
            || matches!(
                family,
                Family::Css
                    | Family::Script
                    | Family::Dart
                    | Family::Elixir
                    | Family::Python
                    | Family::Ruby
                    | Family::Go
            );
        let is_placed = |unit: &Unit| match unit.kind() {
            Some(kind) if kind.is_definition() => true,
            Some(Kind::Call | Kind::Case) => true,
            Some(Kind::Var) => gap.scope.name.is_none(),
            Some(Kind::Key) => has_keys,
            _ => false,
        };
        // A comment goes with what it stands beside.
        let are_remarks = gap.run.iter().all(|unit| unit.is(Kind::Comment));
        let is_remark = |unit: &&Unit| unit.is(Kind::Comment) && !are_remarks;
        if let Some(unit) = gap.run.iter().filter(|unit| !is_remark(unit)).find(|unit| !is_placed(unit)) {
            let text = excerpt(unit.text(self.part));
            let detail = format!("`{text}` is new, and the code does not show where it goes");
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        self.check_whole(&gap.run)?;
        let last = gap.scope.units.last().map_or("", |unit| unit.text(self.file));
        if gap.scope.is_function
            && leaves(last)
            && let Some(unit) = gap.run.iter().find(|unit| !unit.is_definition())
        {
            let text = excerpt(unit.text(self.part));
            let detail = format!("`{text}` would come after `{}`", excerpt(last));
            return Err(Stop::new(Reason::NoPlace, detail));
        }
        self.place_at_end(&gap.run, gap.scope, true)
    }

    /// Returns the last unit of the scope that is a call of the same name as the first of the new statements.
    fn last_call_like(&self, gap: &Gap<'_>) -> Option<usize> {
        let is_statement = |unit: &&Unit| !unit.is_definition() && !unit.is(Kind::Comment);
        // A function within one is made for the call below it.
        let is_passed =
            |unit: &&Unit| unit.is(Kind::Comment) || gap.scope.is_function && unit.is_definition();
        let first = gap.run.iter().find(|unit| !is_passed(unit)).filter(is_statement)?;
        let name = called(first.text(self.part))?;
        let units = &gap.scope.units;
        units.iter().rposition(|unit| is_statement(&unit) && called(unit.text(self.file)) == Some(name))
    }

    // Returns the last element of the scope with the tag of all new ones, which the words above only add.
    fn last_of_tag(&self, gap: &Gap<'_>) -> Option<usize> {
        let tag = tag_of(gap.run.first()?.text(self.part))?;
        let is_of_it = |text: &str| tag_of(text) == Some(tag);
        let adds = self.label.label_says_add && !self.gives_place();
        let is_there = |unit: &Unit| is_of_it(unit.text(self.file));
        let are_several = gap.scope.units.iter().filter(|unit| is_there(unit)).count() > 1;
        (adds && are_several && gap.run.iter().all(|unit| is_of_it(unit.text(self.part))))
            .then(|| gap.scope.units.iter().rposition(is_there))?
    }

    // Returns true if the words above the part may say beside what it goes.
    pub(super) fn gives_place(&self) -> bool {
        clada_dialects::plain::may_place(self.label.words)
    }

    /// Returns the last function of the scope with the name of the first new one, an overload.
    fn last_namesake(&self, gap: &Gap<'_>) -> Option<usize> {
        let key = gap.run.first()?.key.as_ref().filter(|key| key.kind == Kind::Def)?;
        gap.scope.units.iter().rposition(|unit| unit.key.as_ref() == Some(key))
    }

    /// Returns true if entries of the scope are divided by commas, and `unit` has none behind it or is the last.
    pub(super) fn needs_comma(&self, scope: &Scope, unit: &Unit) -> bool {
        let end_of = |unit: &Unit| self.file.norm[unit.end - 1].trim_end();
        let Some((last, others)) = scope.units.split_last() else { return false };
        let with_comma = others.iter().filter(|unit| end_of(unit).ends_with(',')).count();
        let lacks_comma = !end_of(last).ends_with([',', ';', '{', '(', '[']);
        let is_list = self.file.family == Family::Json || !others.is_empty() && 2 * with_comma > others.len();
        lacks_comma && is_list && (last == unit || end_of(unit).ends_with(','))
    }
}

// Returns true if `new` is the element of one line that `line` is, with more attributes.
fn extends_element(line: &str, new: &str) -> bool {
    // The tag with its attributes, and what it holds.
    let parts = |text: &'_ str| -> Option<(String, String)> {
        let text = text.strip_prefix('<')?;
        let end = text.find([' ', '>'])?;
        let (attributes, content) = match text.find("}>").filter(|at| *at > end) {
            Some(at) => (&text[..=at], &text[at + 2..]),
            None => text.split_once('>')?,
        };
        content
            .ends_with(&format!("</{}>", &text[..end]))
            .then(|| (attributes.to_owned(), content.to_owned()))
    };
    let (Some((attributes, content)), Some((new_attributes, new_content))) = (parts(line), parts(new)) else {
        return false;
    };
    letters(&content) >= WRAPPED
        && content == new_content
        && attributes.split(' ').all(|word| new_attributes.split(' ').any(|one| one == word))
}

pub(super) fn is_empty(scope: &Scope) -> Stop {
    Stop::new(Reason::NoPlace, format!("{} is empty", scope.title()))
}
