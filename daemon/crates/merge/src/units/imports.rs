//! Imports of the part: present, nothing; the same module, names added; else behind the last import.

use std::collections::{BTreeSet, HashSet};

use crate::note::{NoteKind, Position};
use crate::refused::{Reason, excerpt};
use crate::source::Source;

use super::alike::flat;
use super::head::{Key, Kind};
use super::language::Family;
use super::layout::Layout;
use super::matching::Matching;
use super::merger::{Merger, Narrowed, Stop};
use super::unit::{Item, Unit, extent};
use super::words::import_module;

impl Merger<'_, '_> {
    /// Merges the imports that do not stand between two shown neighbours by what they import, and takes them
    /// out of the items.
    pub(super) fn take_imports(
        &mut self,
        items: Vec<Item>,
        matching: Matching,
    ) -> Result<(Vec<Item>, Matching), Stop> {
        let is_settled: Vec<bool> = items
            .iter()
            .zip(&matching.of)
            .map(|(item, unit)| match (item.unit(), unit) {
                (None, _) => true,
                (Some(_), None) => false,
                // An import that is there as it is shown is no change.
                (Some(shown), Some(_)) => {
                    !shown.is(Kind::Import) || self.import_texts.contains(&flat(self.part, shown))
                }
            })
            .collect();
        let mut taken = vec![false; items.len()];
        let mut at = 0;
        while at < items.len() {
            let stop = at + is_settled[at..].iter().take_while(|settled| !**settled).count();
            let neighbours =
                [at.checked_sub(1), Some(stop)].map(|at| at.and_then(|at| items.get(at)?.unit()));
            let is_held = neighbours.iter().all(Option::is_some);
            let is_beside = neighbours.iter().flatten().any(|unit| unit.is(Kind::Import));
            for item in at..stop {
                let Some(unit) = items[item].unit().filter(|unit| unit.is(Kind::Import)) else { continue };
                let is_matched = matching.of[item].is_some();
                let stays = match self.file.family {
                    Family::Go => is_matched,
                    _ => is_held || is_beside && !is_matched,
                };
                taken[item] = (!stays || self.is_present(unit)) && self.merge_import(&unit.clone())?;
            }
            at = stop + 1;
        }
        let mut stays = taken.iter().map(|taken| !taken);
        let items: Vec<Item> = items.into_iter().filter(|_| stays.next().unwrap_or(true)).collect();
        Ok((items, matching.without(&taken)))
    }

    /// Returns true if the file has the import, or one of all names of its module.
    pub(super) fn is_present(&self, unit: &Unit) -> bool {
        let text = flat(self.part, unit);
        let star = star_import(&text, self.file.family);
        self.import_texts.contains(&text) || star.is_some_and(|star| self.import_texts.contains(&star))
    }

    /// Merges an import. Returns false if it is not one that can be.
    pub(super) fn merge_import(&mut self, unit: &Unit) -> Result<bool, Stop> {
        if self.has_marker(unit.start..unit.end) {
            return Ok(false);
        }
        if self.is_present(unit) {
            return Ok(true);
        }
        let family = self.file.family;
        // Where an import stands decides what it does here (order of rules, groups of parentheses, calls).
        let is_computed = family == Family::Ruby && unit.text(self.part).contains('(');
        if family == Family::Css || is_computed {
            return Ok(false);
        }
        if family == Family::Go {
            return self.merge_packages(unit).map(|()| true);
        }
        let text = flat(self.part, unit);
        let names = import_names(&text, family);
        if let Some(module) = import_module(&text, family) {
            let of_module =
                |import: &&Unit| import_module(&flat(self.file, import), family).as_ref() == Some(&module);
            let same: Vec<Unit> = self.imports.iter().filter(of_module).cloned().collect();
            let is_star = |import: &Unit| flat(self.file, import).ends_with('*');
            if let ([import], Some(names)) = (&same[..], &names)
                && !is_star(import)
            {
                return self.add_names(unit, import, names, &module).map(|()| true);
            }
        }
        if let Some(names) = &names
            && self.take_place_of(unit, names)?
        {
            return Ok(true);
        }
        self.insert_import(unit)?;
        Ok(true)
    }

    /// Merges an import of Go, which makes packages known one by one or in parentheses: those that the file does not import
    /// are added, and what the part does not show goes if nothing uses it any more.
    pub(super) fn merge_packages(&mut self, unit: &Unit) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let shown = packages(part, unit);
        let imports = self.imports.clone();
        let there: Vec<(usize, String)> = imports.iter().flat_map(|import| packages(file, import)).collect();
        let new: Vec<String> = shown
            .iter()
            .filter(|(_, package)| !there.iter().any(|(_, other)| other == package))
            .map(|(_, package)| package.clone())
            .collect();
        let is_hidden = |package: &String| !shown.iter().any(|(_, other)| other == package);
        let hidden: Vec<&String> =
            there.iter().map(|(_, package)| package).filter(|one| is_hidden(one)).collect();
        let Some(last) = imports.last() else { return self.insert_first_import(unit) };
        if let [import] = &imports[..] {
            if hidden.is_empty() && !new.is_empty() {
                return self.replace_whole(unit, import);
            }
            let known = |package: &&String| {
                import_names(&format!("import {package}"), Family::Go).unwrap_or_default()
            };
            if !hidden.is_empty() && shown.len() > 1 {
                let names = hidden.iter().flat_map(known).collect();
                self.narrowed.push(Narrowed { old: import.clone(), new: unit.clone(), names });
            }
        }
        let in_block = last.text(file).ends_with('(');
        if imports.len() == 1 && !in_block && unit.size(part) > 1 && !new.is_empty() {
            let mut all: Vec<String> = there.iter().map(|(_, package)| package.clone()).chain(new).collect();
            all.sort();
            let lines = all.iter().map(|package| format!("\t{package}"));
            let block = ["import (".to_owned()].into_iter().chain(lines).chain([")".to_owned()]).collect();
            self.edit(last.head..last.end, block);
            self.guess(NoteKind::Changed, last.text(file), last.head..last.end);
            return Ok(());
        }
        for package in &new {
            // Those of the standard library have no dot in front of the first slash.
            let is_own = |text: &str| text.split(['"', '/']).nth(1).is_some_and(|first| first.contains('.'));
            let of_block: Vec<(usize, String)> = packages(file, last);
            let beside =
                of_block.iter().rfind(|(_, other)| is_own(other) == is_own(package)).or(of_block.last());
            let (at, line) = match beside {
                Some((at, _)) if in_block => (at + 1, format!("\t{package}")),
                _ if in_block => (last.head + 1, format!("\t{package}")),
                _ => (last.end, format!("import {package}")),
            };
            self.edit(at..at, vec![line]);
            let position = Position::After(excerpt(last.text(file)));
            self.note(NoteKind::Inserted(position), package, at..at);
        }
        Ok(())
    }

    /// Adds names to the import of the same module.
    fn add_names(
        &mut self,
        unit: &Unit,
        import: &Unit,
        names: &BTreeSet<String>,
        module: &str,
    ) -> Result<(), Stop> {
        let differ = || Stop::new(Reason::Ambiguous, format!("the imports of `{}` differ", excerpt(module)));
        let there = import_names(&flat(self.file, import), self.file.family).ok_or_else(differ)?;
        let hidden: Vec<String> = there.difference(names).cloned().collect();
        if !hidden.is_empty() {
            self.narrowed.push(Narrowed { old: import.clone(), new: unit.clone(), names: hidden });
        }
        if names.is_subset(&there) {
            return Ok(());
        }
        if there.is_subset(names) {
            return self.replace(unit, import);
        }
        if import.size(self.file) > 1 {
            return Err(differ());
        }
        let shown = import_list(&flat(self.part, unit));
        let old = import_list(&flat(self.file, import));
        let new: Vec<String> = shown.into_iter().filter(|name| !old.contains(name)).collect();
        let line = with_names(self.file.lines[import.head], &new, self.file.family).ok_or_else(differ)?;
        self.edit(import.head..import.head + 1, vec![line]);
        self.guess(NoteKind::Changed, import.text(self.file), import.head..import.head + 1);
        Ok(())
    }

    /// Takes the part's form of imports of which it shows fewer names, if the merged `text` no longer uses the
    /// others. Returns true if that changes an edit.
    pub(super) fn narrow_imports(&mut self, text: &str) -> bool {
        let source = Source::new(text);
        let result = Layout::new(&source, self.file.family);
        let narrowed = std::mem::take(&mut self.narrowed);
        if narrowed.is_empty() {
            return false;
        }
        let (before, after) = (used_words(self.file), used_words(&result));
        let mut is_changed = false;
        for Narrowed { old, new, names } in narrowed {
            let is_unused = |name: &String| {
                let name = name.rsplit(' ').next().unwrap_or(name);
                before.contains(name) && !after.contains(name)
            };
            if names.iter().all(is_unused) {
                let lines = old.head..old.end;
                self.edits.retain(|edit| edit.lines.start >= lines.end || edit.lines.end <= lines.start);
                let new = self.shifted(new.head..new.end, new.head, old.head);
                self.edit(lines.clone(), new);
                self.guess(NoteKind::Changed, self.file.lines[old.head], lines);
                is_changed = true;
            }
        }
        is_changed
    }

    /// Replaces an import of the same names from elsewhere.
    fn take_place_of(&mut self, unit: &Unit, names: &BTreeSet<String>) -> Result<bool, Stop> {
        for import in self.imports.clone() {
            let there = import_names(&flat(self.file, &import), self.file.family).unwrap_or_default();
            // All names of a module are not those of another.
            let Some(name) = names.intersection(&there).find(|name| *name != "*") else { continue };
            let module = |text: &'_ str| text.rsplit_once(" from ").map(|(_, module)| module.to_owned());
            let is_same = module(&flat(self.part, unit)) == module(&flat(self.file, &import));
            if self.file.family == Family::Script && is_same && names.is_subset(&there) {
                return Ok(true);
            }
            if self.edits.iter().any(|edit| edit.lines.contains(&import.head)) {
                continue;
            }
            if there.is_subset(names) {
                return self.replace(unit, &import).map(|()| true);
            }
            let detail = format!("`{}` is imported from elsewhere", excerpt(name));
            return Err(Stop::new(Reason::Ambiguous, detail));
        }
        Ok(false)
    }

    fn insert_import(&mut self, unit: &Unit) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let name = unit.text(part);
        let Some(base) = self.imports.iter().map(|import| file.indent[import.head]).min() else {
            return self.insert_first_import(unit);
        };
        let word = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        let outer: Vec<&Unit> =
            self.imports.iter().filter(|import| file.indent[import.head] == base).collect();
        let is_alike = |import: &&&Unit| word(import.text(file)) == word(name);
        let is_of_group = |import: &&&Unit| {
            file.family == Family::Rust
                && is_alike(import)
                && crate_kind(import.text(file)) == crate_kind(name)
        };
        let last = outer.iter().rfind(is_of_group).or(outer.iter().rfind(is_alike)).or(outer.last());
        let Some(last) = last.copied().cloned() else { return Ok(()) };
        let lines = self.shifted(unit.start..unit.end, unit.head, last.head);
        self.edit(last.end..last.end, lines);
        let position = Position::After(excerpt(last.text(file)));
        self.note(NoteKind::Inserted(position), name, last.end..last.end);
        Ok(())
    }

    /// Inserts an import into a file without any: below a header comment, a docstring or `use strict`.
    fn insert_first_import(&mut self, unit: &Unit) -> Result<(), Stop> {
        let file = self.file;
        if matches!(file.family, Family::Html | Family::Elixir) {
            return Err(Stop::new(Reason::NoPlace, "no import in the file says where one goes"));
        }
        let is_header = |at: &usize| {
            let text = file.lines[*at].trim();
            file.blank[*at]
                || file.inside[*at]
                || file.is_comment(*at)
                || ["\"\"\"", "'''", "'use ", "\"use ", "<?php", "package ", "namespace ", "declare("]
                    .iter()
                    .any(|open| text.starts_with(open))
        };
        let mut at = (0..file.len()).find(|at| !is_header(at)).unwrap_or(file.len());
        while at > 0 && file.is_comment(at - 1) {
            at -= 1;
        }
        let mut lines = self.shifter.shift(self.part, unit.start..unit.end, unit.head, "");
        lines.push(String::new());
        self.edit(at..at, lines);
        let name = unit.text(self.part);
        self.note(NoteKind::Inserted(Position::Top), name, at..at);
        Ok(())
    }
}

/// Returns the packages that an import of Go names, each with its line.
fn packages(layout: &Layout<'_>, import: &Unit) -> Vec<(usize, String)> {
    let lines = (import.head..import.end).filter(|at| !layout.is_comment(*at));
    let package = |at: usize| {
        let text = layout.norm[at].strip_prefix("import ").unwrap_or(&layout.norm[at]);
        let text = text.trim_matches(['(', ')', ' ']);
        text.contains('"').then(|| (at, text.to_owned()))
    };
    lines.filter_map(package).collect()
}

/// Returns the names that the code uses, apart from its imports.
pub(super) fn used_words<'l>(layout: &'l Layout<'_>) -> HashSet<&'l str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut words = HashSet::new();
    let mut end = 0;
    for at in 0..layout.len() {
        if matches!(&layout.keys[at], Some(Key { kind: Kind::Import, .. })) {
            end = extent(layout, at, layout.len());
        }
        if at >= end && !layout.is_comment(at) {
            // Of `a.b` the name is `a`.
            let chains = layout.code[at].split(|c: char| !is_part(c));
            words.extend(chains.filter_map(|chain| chain.split('.').next()).filter(|word| !word.is_empty()));
        }
    }
    words
}

/// Returns the import of all names of the module of which an import makes single names known.
fn star_import(text: &str, family: Family) -> Option<String> {
    if text.contains(" as ") {
        return None;
    }
    match family {
        Family::Python => {
            let (module, _) = text.split_once(" import ")?;
            // Such a name is private: it does not come with the others.
            let is_private = |name: &String| name.starts_with('_');
            (!import_list(text).iter().any(is_private)).then(|| format!("{module} import *"))
        }
        Family::Rust => Some(format!("{}::*", text.split_once("::{").or_else(|| text.rsplit_once("::"))?.0)),
        Family::C => Some(format!("{}.*", text.strip_prefix("import ").and(text.rsplit_once('.'))?.0)),
        _ => None,
    }
}

fn import_list(text: &str) -> Vec<String> {
    let inner = match (text.find('{'), text.rfind('}')) {
        (Some(open), Some(close)) if open < close => &text[open + 1..close],
        _ => text.split_once("import ").map_or("", |(_, names)| names).trim_matches(['(', ')', ' ']),
    };
    inner.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Returns the names that an import makes known, if its form says them.
pub(super) fn import_names(text: &str, family: Family) -> Option<BTreeSet<String>> {
    let single = |name: &str| Some(BTreeSet::from([name.to_owned()]));
    match family {
        Family::Python => text.starts_with("from ").then(|| import_list(text).into_iter().collect()),
        Family::Script if import_module(text, family).is_some() => {
            let default = text.split_once(", {").and_then(|(name, _)| name.rsplit(' ').next());
            let default =
                default.filter(|_| !text.split(',').next().is_some_and(|first| first.contains('{')));
            Some(import_list(text).into_iter().chain(default.map(str::to_owned)).collect())
        }
        Family::Script => {
            let (name, _) = text.strip_prefix("import ")?.split_once(" from ")?;
            let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'));
            if is_name { single(name) } else { None }
        }
        Family::Rust if text.contains('{') => {
            let (module, _) = text.split_once("::{")?;
            let of_module = module.rsplit([' ', ':']).next().unwrap_or_default();
            let last = |name: &str| name.rsplit([' ', ':']).next().unwrap_or_default().to_owned();
            let name = |name: String| if name == "self" { of_module.to_owned() } else { last(&name) };
            (text.matches('{').count() == 1).then(|| import_list(text).into_iter().map(name).collect())
        }
        Family::Rust => {
            single(text.strip_prefix("pub ").unwrap_or(text).strip_prefix("use ")?.rsplit_once("::")?.1)
        }
        Family::C => single(text.strip_prefix("import ")?.rsplit_once('.')?.1),
        Family::Go => {
            // `path/v2` is known as `path`, `name "path"` as `name`.
            let is_name =
                |part: &&str| part.strip_prefix('v').is_none_or(|number| number.parse::<u32>().is_err());
            let texts: Vec<&str> = text.split('"').collect();
            let name = |pair: &[&str]| {
                let alias = pair[0].rsplit([' ', '(']).find(|word| !word.is_empty());
                let alias = alias.filter(|word| !matches!(*word, "import" | "_" | "."));
                alias.or_else(|| pair.get(1)?.rsplit('/').find(is_name)).map(str::to_owned)
            };
            Some(texts.chunks_exact(2).filter_map(name).collect())
        }
        Family::Elixir => {
            let name = text.strip_prefix("alias ")?;
            let is_single = !name.contains(['{', ',', ' ']);
            if is_single { single(name.rsplit('.').next()?) } else { None }
        }
        Family::Php => {
            let name = text.strip_prefix("use ")?;
            if name.contains(['{', ',']) { None } else { single(name.rsplit(['\\', ' ']).next()?) }
        }
        _ => None,
    }
}

/// Returns an import of one line with more names.
fn with_names(line: &str, names: &[String], family: Family) -> Option<String> {
    let names = names.join(", ");
    match family {
        Family::Python if !line.contains(['(', '#', '\\']) => Some(format!("{}, {names}", line.trim_end())),
        Family::Script | Family::Rust => {
            let close = line.rfind('}')?;
            let (before, behind) = line.split_at(close);
            let blank = if before.ends_with(' ') { " " } else { "" };
            let before = before.trim_end().trim_end_matches(',');
            Some(format!("{before}, {names}{blank}{behind}"))
        }
        _ => None,
    }
}

// Returns the kind of the crate that a `use` of Rust is from, by which imports are grouped: the standard library, others, its
// own.
fn crate_kind(text: &str) -> u8 {
    let path = text.rsplit_once("use ").map_or(text, |(_, path)| path);
    match path.split([':', ';', ' ']).next().unwrap_or_default() {
        "std" | "core" | "alloc" => 0,
        "crate" | "super" | "self" => 2,
        _ => 1,
    }
}
