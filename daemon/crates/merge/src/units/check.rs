//! Checks of a merged file: no definition is lost or doubled, brackets balance, the part is in it.

use std::collections::{BTreeSet, HashMap};

use clada_edit::changes;

use crate::note::{Note, NoteKind};
use crate::part::{Merged, Part};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, letters};
use crate::tags::{may_stay_open, tags};

use super::alike::{count_words, flat};
use super::head::{Key, Kind};
use super::imports::{import_names, used_words};
use super::language::Family;
use super::layout::Layout;
use super::merger::Merger;
use super::pairs::{check_branches, check_ends};
use super::shortened::is_shortened;
use super::unit::{Unit, extent};
use super::unused::unused_heads;

/// Lines of code whose place no comment takes.
const REPLACED: usize = 2;
const DECLARE: [&str; 6] = ["let", "const", "var", "val", "auto", "mut"];
/// Letters of a line that is not twice in a file by chance.
const TELLING: usize = 15;

/// Checks what units made of the file. Returns notes of the definitions that go, since nothing uses them any more.
pub(super) fn check(
    merger: &Merger<'_, '_>,
    before: &Source<'_>,
    text: &str,
    part: &Part<'_>,
) -> Result<Vec<Note>, Refused> {
    let source = Source::new(text);
    let lines = |source: &Source<'_>| -> Vec<String> {
        source.lines.iter().map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    // Nothing changed: either the file has it all, or something of the part found no place.
    if lines(&source) == lines(before) {
        let bare = |text: &'_ str| text.trim_end_matches([',', ';']).to_owned();
        let there: BTreeSet<String> = merger.file.norm.iter().map(|text| bare(text)).collect();
        let is_known = |at: usize| {
            merger.part.blank[at] || merger.is_marker[at] || there.contains(&bare(&merger.part.norm[at]))
        };
        if (0..merger.part.len()).all(is_known) {
            return Err(Refused::new(Reason::AlreadyThere, "the file has all that the part shows"));
        }
        return Err(Refused::new(Reason::NoPlace, "the part changes nothing that has a place in the file"));
    }
    let result = Layout::new(&source, merger.file.family);
    check_markers(merger.file, &result)?;
    check_news(merger, &result)?;
    check_comments(merger.file, &result)?;
    check_tags(merger.file.family, before, &source)?;
    let unused = check_definitions(merger.file, &result, part.removals)?;
    check_bodies(merger.file, &result)?;
    check_imports(merger.file, &result)?;
    check_used(merger.file, &result)?;
    check_parameters(merger, &result)?;
    check_stars(merger.file, &result)?;
    check_script(merger.file, &result)?;
    check_branches(merger.file, &result)?;
    check_doubled(merger.file, merger.part, &result)?;
    check_joined(merger, &result)?;
    check_shown(merger, &result)?;
    check_commented_out(merger.file, &result)?;
    check_requirements(merger.file, &result, part.extension)?;
    check_label(merger, &unused, part)?;
    Ok(unused)
}

// No new comment holds an entry that stays: the part shows that it goes.
fn check_commented_out(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    const LETTERS: usize = 6;
    // In code such a comment may be about another place.
    if !file.family.is_data() && file.family != Family::Plain {
        return Ok(());
    }
    let code = |layout: &'_ Layout<'_>| -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for at in (0..layout.len()).filter(|at| !layout.blank[*at] && !layout.is_comment(*at)) {
            *counts.entry(layout.norm[at].clone()).or_default() += 1;
        }
        counts
    };
    let (had, has) = (code(file), code(result));
    let known: BTreeSet<&str> = file.norm.iter().map(String::as_str).collect();
    let stays = |at: usize| {
        let text = crate::markers::comment_text(&result.norm[at])?;
        let is_there = had.get(text) == Some(&1) && has.get(text) == Some(&1);
        (letters(text) >= LETTERS && is_there).then(|| text.to_owned())
    };
    let new = (0..result.len()).filter(|at| result.is_comment(*at) && !known.contains(&*result.norm[*at]));
    match new.filter_map(stays).next() {
        Some(text) => {
            let detail = format!("`{}` is shown as a comment, and would also stay as code", excerpt(&text));
            Err(Refused::new(Reason::Breaks, detail))
        }
        None => Ok(()),
    }
}

// No list of requirements names a package twice, in two versions.
fn check_requirements(file: &Layout<'_>, result: &Layout<'_>, name: &str) -> Result<(), Refused> {
    if !(name.starts_with("requirements") && name.ends_with(".txt")) {
        return Ok(());
    }
    let count = |layout: &'_ Layout<'_>| -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for line in layout.norm.iter().filter(|line| line.starts_with(char::is_alphanumeric)) {
            let end = line.find(['=', '<', '>', '~', '!', '[', ';', ' ', '@']).unwrap_or(line.len());
            *counts.entry(line[..end].to_lowercase().replace('_', "-")).or_default() += 1;
        }
        counts
    };
    let before = count(file);
    let is_doubled = |(name, count): &(String, usize)| *count > 1 && before.get(name) == Some(&1);
    match count(result).into_iter().filter(is_doubled).map(|(name, _)| name).min() {
        Some(name) => Err(Refused::new(Reason::Breaks, format!("`{}` would be there twice", excerpt(&name)))),
        None => Ok(()),
    }
}

/// Checks what lines made of the file. Returns notes of the definitions that go, since nothing uses them any more.
pub(crate) fn check_lines(file: &Source<'_>, merged: &Merged, part: &Part<'_>) -> Result<Vec<Note>, Refused> {
    let family = Family::of(part.extension);
    let result = Source::new(&merged.text);
    check_tags(family, file, &result)?;
    let (file, result) = (Layout::new(file, family), Layout::new(&result, family));
    check_shortened(&file, &result)?;
    // A definition in the place of another is its new name, and shown as a change of that line.
    let (before, after) = (names(&file), names(&result));
    let is_new = |kind: Kind| after.keys().any(|key| key.kind == kind && !before.contains_key(*key));
    let renamed = merged.notes.iter().filter(|note| note.kind == NoteKind::Changed).flat_map(|note| {
        let keys = note.lines.clone().filter_map(|at| file.keys[at].as_ref());
        keys.filter(|key| is_new(key.kind)).map(|key| key.name.as_str())
    });
    let explained: Vec<&str> = part.removals.iter().copied().chain(renamed).collect();
    let unused = check_definitions(&file, &result, &explained)?;
    check_bodies(&file, &result)?;
    check_used(&file, &result)?;
    check_comments(&file, &result)?;
    check_stars(&file, &result)?;
    check_script(&file, &result)?;
    check_unknown_imports(&file, &result)?;
    check_requirements(&file, &result, part.extension)?;
    Ok(unused)
}

/// No import of all names of a module goes: nothing says which of them the file uses.
fn check_stars(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if file.family != Family::Python {
        return Ok(());
    }
    let is_star = |at: &usize| file.norm[*at].ends_with(" import *") && is_head(file, *at);
    let goes = |at: &usize| !result.norm.contains(&file.norm[*at]);
    match (0..file.len()).filter(is_star).find(goes) {
        Some(at) => {
            let detail = format!("`{}` would go, and the file may use names of it", excerpt(&file.norm[at]));
            Err(Refused::new(Reason::Loses, detail))
        }
        None => Ok(()),
    }
}

/// No more imports go than come, of those that do not say which names they make known.
fn check_unknown_imports(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    let imports = |layout: &'_ Layout<'_>| -> Vec<String> {
        let heads =
            (0..layout.len()).filter(|at| matches!(&layout.keys[*at], Some(Key { kind: Kind::Import, .. })));
        let heads = heads.filter(|at| import_names(&layout.norm[*at], layout.family).is_none());
        heads.map(|at| layout.norm[at].clone()).collect()
    };
    let (before, after) = (imports(file), imports(result));
    let says_names = matches!(file.family, Family::Python | Family::Script | Family::Html | Family::Rust);
    if says_names || after.len() >= before.len() {
        return Ok(());
    }
    match before.iter().find(|import| !after.contains(import)) {
        Some(import) => {
            let detail = format!("`{}` would go, and the file may use what it imports", excerpt(import));
            Err(Refused::new(Reason::Loses, detail))
        }
        None => Ok(()),
    }
}

/// Statements side by side that are all in the file are a quotation of them, and not a word on those between.
fn check_news(merger: &Merger<'_, '_>, result: &Layout<'_>) -> Result<(), Refused> {
    let part = merger.part;
    let indents: BTreeSet<usize> =
        (0..part.len()).filter(|at| !part.blank[*at]).map(|at| part.indent[at]).collect();
    // Markup has no statements: a piece of it is a few elements.
    let is_deep = indents.len() > 1 && part.family != Family::Html;
    if part.family.is_data() || merger.is_marker.contains(&true) || is_deep {
        return Ok(());
    }
    let count = |layout: &Layout<'_>| layout.blank.iter().filter(|blank| !**blank).count();
    let is_known = |at: usize| result.blank[at] || merger.known.contains(result.norm[at].as_str());
    if count(result) < count(merger.file) && (0..result.len()).all(is_known) {
        let detail = "the part shows lines that the file has, and leaves out others";
        return Err(Refused::new(Reason::AlreadyThere, detail));
    }
    Ok(())
}

/// No comment takes the place of several lines of code: it stands for them, in words that no table has.
fn check_comments(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if matches!(file.family, Family::Markdown | Family::Plain) {
        return Ok(());
    }
    let lines =
        |layout: &Layout<'_>| -> Vec<usize> { (0..layout.len()).filter(|at| !layout.blank[*at]).collect() };
    let (old, new) = (lines(file), lines(result));
    let before: Vec<&str> = old.iter().map(|at| file.norm[*at].as_str()).collect();
    let after: Vec<&str> = new.iter().map(|at| result.norm[*at].as_str()).collect();
    for change in changes(&before, &after) {
        // Code that is commented out stands for itself.
        let is_comment =
            |at: &usize| result.is_comment(*at) && !result.norm[*at].contains(['=', ';', '{', '}', '(']);
        let removed = old[change.old].iter().filter(|at| !file.is_comment(**at)).count();
        let shown = &new[change.new];
        if removed >= REPLACED
            && let Some(first) = shown.first()
            && shown.iter().all(is_comment)
        {
            let text = excerpt(&result.norm[*first]);
            return Err(Refused::new(
                Reason::Elided,
                format!("`{text}` would take the place of {removed} lines"),
            ));
        }
    }
    Ok(())
}

/// No new line is shortened by dots.
fn check_shortened(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    let known: BTreeSet<&str> = file.norm.iter().map(String::as_str).collect();
    let is_new = |at: &usize| is_shortened(result, *at) && !known.contains(result.norm[*at].as_str());
    match (0..result.len()).find(is_new) {
        Some(at) => Err(shortened(result.lines[at])),
        None => Ok(()),
    }
}

pub(super) fn shortened(line: &str) -> Refused {
    Refused::new(Reason::Elided, format!("the line `{}` is shortened by dots", excerpt(line)))
}

fn check_markers(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    let has_hashes = result.family != Family::Markdown;
    let is_marker = |line: &&str| crate::markers::is_marker(line, has_hashes);
    let known: BTreeSet<&str> =
        file.lines.iter().filter(|line| is_marker(line)).map(|line| line.trim()).collect();
    let marker = result.lines.iter().find(|line| is_marker(line) && !known.contains(line.trim()));
    match marker {
        Some(line) => Err(Refused::new(
            Reason::Elided,
            format!("the marker `{}` would be left in the file", excerpt(line)),
        )),
        None => Ok(()),
    }
}

/// Elements and tags of templates are closed as before.
fn check_tags(family: Family, before: &Source<'_>, after: &Source<'_>) -> Result<(), Refused> {
    if family != Family::Html {
        return Ok(());
    }
    let (before, after) = (tags(&before.lines.join("\n")), tags(&after.lines.join("\n")));
    let differs = |(name, count): &(&String, &i64)| {
        let had = before.get(*name).copied();
        // An end tag that may be left out is needed where the file leaves none out.
        **count != 0 && if may_stay_open(name) { had == Some(0) } else { had != Some(**count) }
    };
    match after.iter().find(differs) {
        Some((name, _)) => {
            let tag = if name.starts_with('{') { format!("{name}}}") } else { format!("<{name}>") };
            let detail = format!("the tags `{}` of the file would not balance", excerpt(&tag));
            Err(Refused::new(Reason::Breaks, detail))
        }
        None => Ok(()),
    }
}

/// A script has one default export, and its fragments balance if they did.
fn check_script(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if file.family != Family::Script {
        return Ok(());
    }
    if default_exports(result) > default_exports(file).max(1) {
        return Err(Refused::new(Reason::Breaks, "the file would have two default exports"));
    }
    // A component that nothing uses any more is not what the module was for.
    let exported = |layout: &Layout<'_>| {
        let line = layout.norm.iter().find_map(|text| text.strip_prefix("export default "));
        line.map(|rest| rest.trim_end_matches(';').to_owned())
    };
    if let (Some(before), Some(after)) = (exported(file), exported(result))
        && before != after
        && declared_names(result).contains(&before)
        && count_words(result, 0..result.len()).get(before.as_str()) == Some(&1)
    {
        let detail = format!("`{}` would not be exported, and nothing else uses it", excerpt(&before));
        return Err(Refused::new(Reason::Loses, detail));
    }
    let fragments = |layout: &Layout<'_>| {
        let count = |tag: &str| layout.code.iter().map(|line| line.matches(tag).count()).sum::<usize>();
        count("<>") as i64 - count("</>") as i64
    };
    match fragments(file) == fragments(result) {
        true => Ok(()),
        false => Err(Refused::new(Reason::Breaks, "the tags `<>` of the file would not balance")),
    }
}

pub(super) fn default_exports(script: &Layout<'_>) -> usize {
    script.norm.iter().filter(|text| text.starts_with("export default")).count()
}

/// Brackets balance if they did; no definition goes unless the answer removes it or nothing uses it any more; none is
/// there twice.
fn check_definitions(
    file: &Layout<'_>,
    result: &Layout<'_>,
    removals: &[&str],
) -> Result<Vec<Note>, Refused> {
    if file.is_balanced && !result.is_balanced {
        return Err(Refused::new(Reason::Breaks, "the brackets of the file would not balance"));
    }
    check_ends(file, result)?;
    let (before, after) = (names(file), names(result));
    let mut lost: Vec<&Key> = before
        .iter()
        .filter(|(key, count)| after.get(*key).copied().unwrap_or(0) < **count)
        .map(|(key, _)| *key)
        .filter(|key| !removals.contains(&key.name.as_str()))
        .collect();
    // In order, so that the refusal names the same definition every time.
    lost.sort();
    let heads = unused_heads(file, result, &lost).map_err(|key| {
        let detail = format!("`{}` would go, and the answer does not remove it", excerpt(&key.name));
        Refused::new(Reason::Loses, detail)
    })?;
    let note = |head: usize| {
        let name = file.keys[head].as_ref().map(|key| excerpt(&key.name)).unwrap_or_default();
        Note::new(NoteKind::Unused, name, head..extent(file, head, file.len())).guess()
    };
    let (before, after) = (scoped(file), scoped(result));
    let mut doubled: Vec<&str> = after
        .iter()
        .filter(|(key, (count, _))| *count > 1 && before.get(*key).is_none_or(|(before, _)| count > before))
        // A target of Make may have variables of its own.
        .filter(|(_, (_, at))| file.family != Family::Make || !sets_variable(result, *at))
        .map(|(_, (_, at))| result.norm[*at].as_str())
        .collect();
    doubled.sort_unstable();
    let twice = doubled.first().map(|text| (*text).to_owned()).or_else(|| declared_twice(file, result));
    match twice {
        Some(text) => Err(Refused::new(Reason::Breaks, format!("`{}` would be there twice", excerpt(&text)))),
        None => Ok(heads.into_iter().map(note).collect()),
    }
}

/// Returns a variable that a block of `result` declares twice, and none of `file` does.
fn declared_twice(file: &Layout<'_>, result: &Layout<'_>) -> Option<String> {
    if file.family != Family::Script {
        return None;
    }
    let doubled = |layout: &Layout<'_>| -> BTreeSet<String> {
        let (mut open, mut counts): (Vec<(usize, usize)>, _) = (Vec::new(), HashMap::new());
        for at in (0..layout.len()).filter(|at| layout.is_code(*at) && !layout.is_comment(*at)) {
            while open.last().is_some_and(|(indent, _)| *indent >= layout.indent[at]) {
                open.pop();
            }
            let block = open.last().map(|(_, at)| *at);
            open.push((layout.indent[at], at));
            for name in declared_in_line(layout, at) {
                *counts.entry((block, name)).or_insert(0) += 1;
            }
        }
        counts.into_iter().filter(|(_, count)| *count > 1).map(|((_, name), _)| name).collect()
    };
    let before = doubled(file);
    doubled(result).into_iter().find(|name| !before.contains(name))
}

/// Returns the names that the statement in line `at` declares: `const { a, b: c = 1, ...d } = x`.
fn declared_in_line(layout: &Layout<'_>, at: usize) -> Vec<String> {
    // The most lines of a pattern.
    const LINES: usize = 40;
    let code = layout.code[at].trim();
    let code = code.strip_prefix("export ").unwrap_or(code);
    let Some(rest) = ["const ", "let "].iter().find_map(|word| code.strip_prefix(word)) else {
        return Vec::new();
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    if !rest.starts_with(['{', '[']) {
        let name: String = rest.chars().take_while(|c| is_word(*c)).collect();
        return if name.is_empty() { Vec::new() } else { vec![name] };
    }
    let close = if rest.starts_with('{') { '}' } else { ']' };
    let mut pattern = rest.to_owned();
    for code in layout.code.iter().skip(at + 1).take(LINES) {
        if pattern.contains(close) {
            break;
        }
        pattern.push_str(code);
    }
    let inner = pattern[1..].split(close).next().unwrap_or_default();
    // What nests has names of its own, which are not looked for.
    if inner.contains(['{', '[', '(']) {
        return Vec::new();
    }
    let name = |one: &str| {
        let one = one.split('=').next().unwrap_or_default();
        let one = one.rsplit(':').next().unwrap_or_default();
        one.trim_matches(|c: char| !is_word(c)).to_owned()
    };
    inner.split(',').map(name).filter(|name| !name.is_empty()).collect()
}

/// Counts the definitions by kind and name.
pub(super) fn names<'l>(layout: &'l Layout<'_>) -> HashMap<&'l Key, usize> {
    let mut counts = HashMap::new();
    let is_named = |key: &Key| {
        key.kind.is_definition() && !matches!(key.kind, Kind::Rule | Kind::Heading | Kind::Section)
    };
    for (at, key) in layout.keys.iter().enumerate() {
        if let Some(key) = key.as_ref().filter(|key| is_named(key) && is_head(layout, at)) {
            *counts.entry(key).or_default() += 1;
        }
    }
    counts
}

fn is_head(layout: &Layout<'_>, at: usize) -> bool {
    layout.is_code(at) && !layout.continues[at] && !layout.is_comment(at)
}

/// Counts what a scope may have once, by the chain of heads above it: with the last line of each.
fn scoped<'l>(layout: &'l Layout<'_>) -> HashMap<(u64, Kind, &'l str), (usize, usize)> {
    use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
    let hash =
        |above: u64, name: &str| BuildHasherDefault::<DefaultHasher>::default().hash_one((above, name));
    let mut counts = HashMap::new();
    // The indentation of each open head, and the hash of the chain down to it.
    let mut open: Vec<(usize, u64)> = Vec::new();
    for at in (0..layout.len()).filter(|at| layout.is_code(*at) && !layout.is_comment(*at)) {
        while open.last().is_some_and(|(indent, _)| *indent >= layout.indent[at]) {
            open.pop();
        }
        let above = open.last().map_or(0, |(_, chain)| *chain);
        let text = layout.norm[at].as_str();
        // What continues a unit, as `else` does, is a scope of its own.
        let key = layout.keys[at].as_ref().filter(|_| !layout.continues[at]);
        let chain = hash(above, key.map_or(text, |key| &key.name));
        open.push((layout.indent[at], chain));
        let Some(key) = key else { continue };
        let family = layout.family;
        let counted = match key.kind {
            Kind::Var => open.len() == 1 && !matches!(family, Family::Shell | Family::Make | Family::Ruby),
            Kind::Key => family.is_data() || family == Family::Css,
            Kind::Call => family == Family::Elixir,
            Kind::Import | Kind::Part => true,
            kind => kind.is_definition(),
        };
        // Overloads and clauses are told by all of their head.
        let is_overloaded = key.kind == Kind::Def
            && matches!(family, Family::C | Family::Dart | Family::Elixir | Family::Ruby | Family::Script);
        if counted {
            let name = if is_overloaded { text } else { key.name.as_str() };
            let entry = counts.entry((above, key.kind, name)).or_insert((0, at));
            *entry = (entry.0 + 1, at);
        }
    }
    counts
}

/// No name is imported twice.
fn check_imports(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if !matches!(file.family, Family::Python | Family::Script | Family::Rust | Family::C | Family::Go) {
        return Ok(());
    }
    let before = imported(file);
    let after = imported(result);
    let mut doubled: Vec<&String> = after
        .iter()
        .filter(|(name, count)| **count > 1 && **count > before.get(*name).copied().unwrap_or(0))
        .map(|(name, _)| name)
        .collect();
    doubled.sort();
    if let Some(name) = doubled.first() {
        return Err(Refused::new(Reason::Breaks, format!("`{}` would be imported twice", excerpt(name))));
    }
    let both = |layout: &Layout<'_>, imports: &HashMap<String, usize>| -> BTreeSet<String> {
        let names: BTreeSet<String> = imports.keys().map(|name| last_word(name)).collect();
        names.intersection(&declared_names(layout)).cloned().collect()
    };
    match both(result, &after).difference(&both(file, &before)).next() {
        Some(name) => {
            let detail = format!("`{}` would be imported, and the file declares it", excerpt(name));
            Err(Refused::new(Reason::Breaks, detail))
        }
        None => Ok(()),
    }
}

/// No import, variable or definition of the outermost scope goes while its name is in use.
pub(super) fn check_used(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if file.family.is_data() || file.family.ignores_brackets() || file.family == Family::Css {
        return Ok(());
    }
    let inner: Vec<String> = declared(file).difference(&declared(result)).cloned().collect();
    if let Some(name) = inner.iter().find(|name| uses_plainly(result, name)) {
        let detail = format!("`{}` would go, and the file still uses it", excerpt(name));
        return Err(Refused::new(Reason::Breaks, detail));
    }
    if let Some(name) = lost_attribute(file, result) {
        let detail = format!("`{}` would go, and the file still uses it", excerpt(&name));
        return Err(Refused::new(Reason::Breaks, detail));
    }
    let (before, after) = (outer_names(file), outer_names(result));
    let missing: Vec<&String> = before.difference(&after).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let used = used_words(result);
    match missing.iter().find(|name| used.contains(name.as_str())) {
        Some(name) => {
            let detail = format!("`{}` would go, and the file still uses it", excerpt(name));
            Err(Refused::new(Reason::Breaks, detail))
        }
        None => Ok(()),
    }
}

// Returns an attribute that only lines which go set, and that `result` still uses: `self.size`.
fn lost_attribute(file: &Layout<'_>, result: &Layout<'_>) -> Option<String> {
    let owner = match file.family {
        Family::Python => "self.",
        Family::Script => "this.",
        _ => return None,
    };
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '#');
    let name = |rest: &str| rest.split(|c| !is_word(c)).next().unwrap_or_default().to_owned();
    let set = |layout: &'_ Layout<'_>| -> BTreeSet<String> {
        let lines = (0..layout.len()).filter(|at| !layout.is_comment(*at));
        let sets = |code: &str| {
            let rest = code.trim_start().strip_prefix(owner)?;
            let name = name(rest);
            let behind = rest[name.len()..].trim_start();
            let is_set = behind.starts_with('=') && !behind.starts_with("==") || behind.starts_with(": ");
            is_set.then_some(name)
        };
        lines.filter_map(|at| sets(&layout.code[at])).collect()
    };
    let lost: BTreeSet<String> = set(file).difference(&set(result)).cloned().collect();
    if lost.is_empty() {
        return None;
    }
    let declared: BTreeSet<&str> = result.keys.iter().flatten().map(|key| key.name.as_str()).collect();
    // Where a line sets several at once, or anything but a plain name, nobody knows.
    let is_used = |one: &&String| {
        let code = (0..result.len()).filter(|at| !result.is_comment(*at)).map(|at| &result.code[at]);
        let mut uses = code.flat_map(|code| code.match_indices(owner).map(move |(at, _)| &code[at..]));
        uses.any(|text| name(&text[owner.len()..]) == **one)
    };
    lost.iter()
        .find(|one| !declared.contains(one.as_str()) && is_used(one))
        .map(|one| format!("{owner}{one}"))
}

/// No parameter goes that the rest of the function, of which the part shows only the head, uses.
fn check_parameters(merger: &Merger<'_, '_>, result: &Layout<'_>) -> Result<(), Refused> {
    for (head, names) in &merger.dropped {
        let text = merger.part.norm[*head].as_str();
        let mut heads = (0..result.len()).filter(|at| result.norm[*at] == text);
        let (Some(at), None) = (heads.next(), heads.next()) else { continue };
        let lines = at + 1..extent(result, at, result.len());
        let declares = |name: &str| {
            let begins = |line: usize| {
                let rest = result.norm[line].split_whitespace().find(|word| !DECLARE.contains(word));
                rest.is_some_and(|word| word.trim_end_matches([':', ',']) == name)
            };
            lines.clone().any(|line| begins(line) && result.code[line].contains('='))
        };
        let used = count_words(result, lines.clone());
        if let Some(name) = names.iter().find(|name| used.contains_key(name.as_str()) && !declares(name)) {
            let detail =
                format!("the parameter `{}` would go, and the lines that stay use it", excerpt(name));
            return Err(Refused::new(Reason::Breaks, detail));
        }
    }
    Ok(())
}

/// Returns the variables that lines of any scope declare by a word.
fn declared(layout: &Layout<'_>) -> BTreeSet<String> {
    const WORDS: [&str; 5] = ["let ", "const ", "var ", "val ", "auto "];
    let keys = layout.keys.iter().enumerate().filter_map(|(at, key)| Some((at, key.as_ref()?)));
    let declares =
        |at: usize| WORDS.iter().any(|word| layout.norm[at].starts_with(word)) && is_head(layout, at);
    keys.filter(|(at, key)| key.kind == Kind::Var && declares(*at)).map(|(_, key)| key.name.clone()).collect()
}

/// Returns true if a line uses `name` that can be no list of parameters.
fn uses_plainly(layout: &Layout<'_>, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    (0..layout.len()).filter(|at| layout.is_code(*at) && !layout.is_comment(*at)).any(|at| {
        let code = layout.code[at].trim_end();
        let may_declare = code.ends_with('{') || code.contains("=>") || code.contains("function");
        !may_declare
            && code
                .split(|c: char| !is_name(c))
                .any(|word| word.split('.').next() == Some(name) && !word.is_empty())
            && !is_parameter(layout, at, name)
    })
}

// Returns true if `name` is a parameter of the closure, loop or function that line `at` is in.
//
// ```text
// .filter(|one| one.is_new())     items.forEach(one => {     for (Item one : items) {
//                                   send(one.id)                 send(one.id);
// ```
fn is_parameter(layout: &Layout<'_>, at: usize, name: &str) -> bool {
    let has_name = |text: &str| {
        text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).any(|word| word == name)
    };
    // Between the bars of a closure.
    let takes = |line: usize| layout.code[line].split('|').skip(1).step_by(2).any(has_name);
    let is_head = |line: usize| {
        let code = layout.code[line].trim();
        let tests = ["if ", "if(", "while ", "while(", "switch ", "switch(", "match ", "else", "} else"];
        let declares = code.ends_with(['{', ':', '(']) || code.contains("=>") || code.contains("->");
        declares && !tests.iter().any(|word| code.starts_with(word)) && has_name(code)
    };
    let mut depth = layout.indent[at];
    let above = (0..at).rev().filter(|line| layout.is_code(*line) && !layout.is_comment(*line));
    let mut heads = above.filter(|line| {
        let is_outside = layout.indent[*line] < depth;
        depth = depth.min(layout.indent[*line]);
        is_outside
    });
    takes(at) || heads.any(|line| takes(line) || is_head(line))
}

/// Returns the names that the outermost scope defines or imports.
fn outer_names(layout: &Layout<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = imported(layout).keys().map(|name| last_word(name)).collect();
    names.extend(declared_names(layout));
    names.extend(modules(layout, |at| layout.indent[at] == 0 && is_head(layout, at)));
    names
}

/// Returns the names that lines of Python make known by importing modules: `a` by `import a.b`, `c` by `import a.b as c`.
pub(super) fn modules(layout: &Layout<'_>, counts: impl Fn(usize) -> bool) -> BTreeSet<String> {
    let lines = (0..layout.len()).filter(|at| layout.family == Family::Python && counts(*at));
    let modules = lines.filter_map(|at| layout.norm[at].strip_prefix("import "));
    let known = |module: &str| match module.split_once(" as ") {
        Some((_, name)) => name.trim().to_owned(),
        None => module.split('.').next().unwrap_or(module).trim().to_owned(),
    };
    modules.flat_map(|modules| modules.split(',').map(known)).collect()
}

/// Returns the name under which an import makes something known: `b` of `a as b`.
fn last_word(name: &str) -> String {
    name.rsplit(' ').next().unwrap_or(name).to_owned()
}

/// Returns the names that the outermost scope defines.
fn declared_names(layout: &Layout<'_>) -> BTreeSet<String> {
    let is_name = |key: &&Key| matches!(key.kind, Kind::Var | Kind::Def | Kind::Class | Kind::Type);
    let outer = (0..layout.len()).filter(|at| layout.indent[*at] == 0);
    let keys =
        outer.filter_map(|at| layout.keys[at].as_ref().filter(is_name).filter(|_| is_head(layout, at)));
    keys.map(|key| key.name.clone()).collect()
}

fn imported(layout: &Layout<'_>) -> HashMap<String, usize> {
    let mut counts = HashMap::new();
    // Elixir's stand in a module.
    let is_outer = |at: &usize| layout.indent[*at] == 0 || layout.family == Family::Elixir;
    for at in (0..layout.len()).filter(is_outer) {
        if layout.keys[at].as_ref().is_none_or(|key| key.kind != Kind::Import) || !is_head(layout, at) {
            continue;
        }
        let unit = Unit { start: at, head: at, end: extent(layout, at, layout.len()), key: None };
        for name in import_names(&flat(layout, &unit), layout.family).unwrap_or_default() {
            if name != "*" {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    counts
}

/// No function loses its body to its head alone, as a list of signatures has it.
pub(super) fn check_bodies(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    // Of each function: how often it is a head alone, and how often it has a body.
    fn counts<'l>(layout: &'l Layout<'_>) -> HashMap<&'l str, [usize; 2]> {
        let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
        for at in (0..layout.len()).filter(|at| is_head(layout, *at)) {
            if let Some(Key { kind: Kind::Def, name }) = &layout.keys[at] {
                counts.entry(name).or_default()[usize::from(has_body(layout, at))] += 1;
            }
        }
        counts
    }
    let before = counts(file);
    let lost = counts(result).into_iter().filter(|(name, [heads, bodies])| {
        let [had_heads, had_bodies] = before.get(name).copied().unwrap_or_default();
        *heads > had_heads && *bodies < had_bodies
    });
    match lost.map(|(name, _)| name).min() {
        Some(name) => {
            Err(Refused::new(Reason::Loses, format!("`{}` is shown without its body", excerpt(name))))
        }
        None => Ok(()),
    }
}

/// Returns true if more than the head of a function is there.
fn has_body(layout: &Layout<'_>, head: usize) -> bool {
    let lines = head..extent(layout, head, layout.len());
    // Outside of the parameters, which may have types and defaults.
    let has_outside = |sign: u8| {
        let mut depth = 0_i64;
        lines.clone().flat_map(|at| layout.code[at].bytes()).any(|byte| {
            match byte {
                b'(' | b'[' => depth += 1,
                b')' | b']' => depth -= 1,
                _ => {}
            }
            depth == 0 && byte == sign
        })
    };
    match layout.family {
        Family::Python => has_outside(b':'),
        Family::Ruby | Family::Elixir | Family::Shell | Family::Sql => true,
        _ => lines.clone().any(|at| layout.code[at].contains('{')) || has_outside(b'='),
    }
}

/// No telling line that a definition had once is there twice.
fn check_doubled(file: &Layout<'_>, part: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    let count = |layout: &Layout<'_>| -> HashMap<String, usize> {
        let mut counts = HashMap::new();
        for at in (0..layout.len()).filter(|at| !layout.blank[*at]) {
            *counts.entry(layout.norm[at].clone()).or_default() += 1;
        }
        counts
    };
    let (before, shown, after) = (count(file), count(part), count(result));
    let is_doubled = |text: &str| {
        before.get(text) == Some(&1)
            && after.get(text) == Some(&2)
            && shown.get(text).copied().unwrap_or(0) < 2
            && letters(text) >= TELLING
    };
    let comments = (0..result.len()).filter(|at| result.is_comment(*at) && is_doubled(&result.norm[*at]));
    let comments: Vec<usize> = comments.collect();
    if comments.len() >= 4 {
        let text = excerpt(&result.norm[comments[0]]);
        return Err(Refused::new(Reason::Breaks, format!("`{text}` would be there twice")));
    }
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut seen: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in (0..result.len()).filter(|at| is_code_line(result, *at)) {
        while open.last().is_some_and(|(indent, _)| *indent >= result.indent[at]) {
            open.pop();
        }
        let text = result.norm[at].as_str();
        let chain: Vec<usize> = open.iter().map(|(_, head)| *head).collect();
        if is_doubled(text) && !result.is_comment(at) && seen.insert(text, chain.clone()) == Some(chain) {
            return Err(Refused::new(Reason::Breaks, format!("`{}` would be there twice", excerpt(text))));
        }
        // Two rules, calls or entries may have a line in common.
        let is_holder = |key: &Key| {
            matches!(key.kind, Kind::Def | Kind::Class | Kind::Rule | Kind::Call | Kind::Key | Kind::Case)
        };
        if result.keys[at].as_ref().is_some_and(is_holder) {
            open.push((result.indent[at], at));
        }
    }
    Ok(())
}

/// No new line holds several members that also stand in lines of their own beside it.
fn check_joined(merger: &Merger<'_, '_>, result: &Layout<'_>) -> Result<(), Refused> {
    let is_new = |at: &usize| {
        is_code_line(result, *at)
            && !result.is_comment(*at)
            && !merger.known.contains(result.norm[*at].as_str())
    };
    let joined: Vec<(usize, Vec<&str>)> = (0..result.len())
        .filter(is_new)
        .map(|at| (at, members_of_line(&result.norm[at])))
        .filter(|(_, members)| members.len() > 1)
        .collect();
    if joined.is_empty() {
        return Ok(());
    }
    let parents = super::merger::parents(result);
    let own: BTreeSet<(usize, &str)> =
        result.norm.iter().zip(&parents).map(|(text, of)| (*of, text.trim_end_matches([',', ';']))).collect();
    let is_beside = |at: usize, member: &str| own.contains(&(parents[at], member));
    let twice = joined.iter().find_map(|(at, members)| members.iter().find(|one| is_beside(*at, one)));
    match twice {
        Some(one) => Err(Refused::new(Reason::Breaks, format!("`{}` would be there twice", excerpt(one)))),
        None => Ok(()),
    }
}

/// Returns the members or statements of a line that has several, and nothing else: `A = 0, B = 1`.
pub(super) fn members_of_line(text: &str) -> Vec<&str> {
    if text.contains(['(', '[', '{', '"', '\'', '<']) {
        return Vec::new();
    }
    let members: Vec<&str> = text.split([',', ';']).map(str::trim).filter(|one| !one.is_empty()).collect();
    if members.iter().all(|one| letters(one) > 1) { members } else { Vec::new() }
}

/// Every line of code that the part shows is in the file: a piece that found no place would be lost.
fn check_shown(merger: &Merger<'_, '_>, result: &Layout<'_>) -> Result<(), Refused> {
    let part = merger.part;
    let bare = |text: &str| text.trim_end_matches([',', ';']).to_owned();
    let there: BTreeSet<String> = result.norm.iter().map(|text| bare(text)).collect();
    let imported = imported(result);
    let mut at = 0;
    while at < part.len() {
        let is_import = matches!(&part.keys[at], Some(Key { kind: Kind::Import, .. }));
        let end = if is_import { extent(part, at, part.len()) } else { at + 1 };
        let is_text =
            part.blank[at] || merger.is_marker[at] || part.is_comment(at) || merger.quoted.contains(&at);
        if !is_text && !there.contains(&bare(&part.norm[at])) {
            let unit = Unit { start: at, head: at, end, key: None };
            let names = if is_import { import_names(&flat(part, &unit), part.family) } else { None };
            let is_there = names.is_some_and(|names| names.iter().all(|name| imported.contains_key(name)))
                || is_import && merger.is_present(&unit);
            // Text inside a comment may be a remark.
            let is_remark = part.inside[at] && !there.is_empty() && in_comment(part, at);
            if !is_there && !is_remark {
                let line = excerpt(part.lines[at]);
                return Err(Refused::new(Reason::NoPlace, format!("`{line}` has no place in the file")));
            }
        }
        at = end;
    }
    Ok(())
}

/// Returns true if the line, which begins inside something, is in a comment of several lines.
fn in_comment(layout: &Layout<'_>, at: usize) -> bool {
    (0..at).rfind(|above| !layout.inside[*above]).is_some_and(|above| layout.is_comment(above))
}

fn is_code_line(layout: &Layout<'_>, at: usize) -> bool {
    layout.is_code(at) && !layout.continues[at]
}

/// A part that the answer says to add removes nothing.
fn check_label(merger: &Merger<'_, '_>, unused: &[Note], part: &Part<'_>) -> Result<(), Refused> {
    if !part.label_says_add {
        return Ok(());
    }
    let goes =
        |note: &&Note| matches!(note.kind, NoteKind::Removed { is_mentioned: false, .. } | NoteKind::Unused);
    let removed = merger.notes.iter().chain(unused).find(goes);
    match removed {
        Some(note) => {
            let detail = format!("the answer says to add, and `{}` would go", note.unit);
            Err(Refused::new(Reason::Loses, detail))
        }
        None => Ok(()),
    }
}

impl Merger<'_, '_> {
    /// Adds a note for each definition that the answer removes and the merged file still has.
    pub(super) fn note_removals(&mut self, text: &str) {
        let source = Source::new(text);
        let result = Layout::new(&source, self.file.family);
        let names: BTreeSet<&str> = result
            .keys
            .iter()
            .flatten()
            .filter(|key| key.kind.is_definition())
            .map(|key| key.name.as_str())
            .collect();
        for name in self.label.removals.iter().filter(|name| names.contains(**name)) {
            self.note(NoteKind::NotRemoved, name, 0..0);
        }
    }
}

// Returns true if one of the lines beside a target of Make, with its name, sets a variable of it.
fn sets_variable(make: &Layout<'_>, target: usize) -> bool {
    let name = |at: usize| make.norm[at].split_once(':').map(|(name, rest)| (name.trim(), rest));
    let Some((own, _)) = name(target) else { return false };
    (0..make.len()).filter_map(name).any(|(other, rest)| other == own && rest.contains('='))
}
