//! Replacements that a sentence states in full, in answers that show no code: "In `p`, change `a` to `b`".
//!
//! ````text
//! 1. In `deploy.yaml`, change `replicas: 2` to `replicas: 3`.
//! | `deploy.yaml` | `replicas: 2` | `replicas: 3` |        below a header with "Before" and "After"
//! - `replicas: 2` → `replicas: 3`
//! Set `replicas` in `deploy.yaml` to `3`.
//! ````

use std::collections::{HashSet, VecDeque};

use super::lead::{self, Lead};
use super::placed::{Span, is_text};
use super::tables::{COLUMN_NEW, COLUMN_OLD};
use super::{Candidate, Form, Group, Place, naming, words};
use crate::cursor::Line;

const MOST: usize = 100;
/// Lines after which a file that was named is no longer meant.
const NEAR: u32 = 6;
const SENTENCE: usize = 600;
const BETWEEN: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Stated<'a> {
    replacements: Vec<(Candidate, Lead)>,
    /// The last lines with code in them, the nearest last: one may name the file.
    near: VecDeque<Line<'a>>,
    /// The file that was named last, however far above.
    last: Option<Group>,
    // Lines that name a file and ask for a change that they do not give in full, with the file.
    words: Vec<(u32, String)>,
    table: Table,
}

// The table of which the last row was read.
#[derive(Debug, Default)]
struct Table {
    last_row: u32,
    columns: Option<Columns>,
}

// The columns of a table with the old texts and with the new ones, by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Columns {
    old: usize,
    new: usize,
}

impl Columns {
    fn of_header(row: &str) -> Option<Columns> {
        let cells: Vec<String> = row.trim().trim_matches('|').split('|').map(str::to_lowercase).collect();
        let only = |words: &[&str]| {
            let says =
                |cell: &String| cell.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
            let mut all =
                cells.iter().enumerate().filter(|(_, cell)| says(cell) || words.contains(&cell.trim()));
            all.next().map(|(at, _)| at).filter(|_| all.next().is_none())
        };
        let (old, new) = (only(COLUMN_OLD)?, only(COLUMN_NEW)?);
        (old != new).then_some(Columns { old, new })
    }

    // The old and the new text of a row, with the place of the old one.
    fn pair<'t>(self, spans: &[Span<'t>]) -> Option<(&'t str, &'t str, usize)> {
        // A bar within code divides no cells.
        let cell_of = |before: &str| -> usize {
            before.split('`').step_by(2).map(|text| text.matches('|').count()).sum()
        };
        let only = |column: usize| {
            let mut all = spans.iter().filter(|(before, ..)| cell_of(before) == column + 1);
            all.next().filter(|_| all.next().is_none())
        };
        let (old, new) = (only(self.old)?, only(self.new)?);
        Some((old.1, new.1, old.0.len()))
    }
}

impl<'a> Stated<'a> {
    /// Reads a row of a table, which may be its header.
    pub(super) fn row(&mut self, line: &Line<'_>) {
        // Between the header and the first row is a rule.
        if self.table.last_row + 2 < line.number || self.table.last_row == 0 {
            self.table.columns = Columns::of_header(line.text);
        }
        self.table.last_row = line.number;
    }

    /// Reads a line of prose with code in it, with its code spans if it may state something; returns what it asks for in
    /// full, each with its place in the line.
    pub(super) fn line(&mut self, line: Line<'a>, spans: Option<&[Span<'_>]>) -> Vec<(Candidate, usize)> {
        if self.replacements.len() >= MOST || line.text.len() > SENTENCE {
            return Vec::new();
        }
        self.near.push_back(line);
        while self.near.front().is_some_and(|other| other.number + NEAR < line.number) {
            self.near.pop_front();
        }
        if let Some(group) = named(&line) {
            self.last = Some(group);
        }
        let Some(spans) = spans else { return Vec::new() };
        let stated = statements(line.text, spans, self.table.columns);
        if stated.is_empty() {
            self.asks_in_words(line);
            return Vec::new();
        }
        let named = match words::is_same_file(line.text) {
            true => self.last.clone(),
            false => self.near.iter().rev().find_map(named),
        };
        let Some(group) = named else { return Vec::new() };
        // A row of a table may compare.
        let is_row = line.text.trim_start().starts_with('|');
        let candidate = |(form, content, at): Statement| {
            // So may words that only say how it ought to be.
            let conditional = is_row || !words::asks_for_change(line.text) && line.text.is_ascii();
            let candidate = Candidate {
                content,
                words: super::content::cut(line.text.trim()).to_owned(),
                conditional,
                ..Candidate::of(line.number..line.number.saturating_add(1), form, group.clone())
            };
            (candidate, at)
        };
        stated.into_iter().map(candidate).collect()
    }

    pub(super) fn add(&mut self, candidate: Candidate, lead: Lead) {
        self.replacements.push((candidate, lead));
    }

    // A line that removes, adds or replaces something of a file that it names.
    fn asks_in_words(&mut self, line: Line<'a>) {
        let text = words::without_urging(line.text.trim_start());
        // A line that leads to code says what that does.
        if self.words.len() < MOST
            && !text.trim_end().ends_with([':', '：'])
            && !words::is_doubtful(text)
            && words::asks_for_change(text)
            && let Some(group) = named(&line)
            && let Some(path) = group.sure_path()
        {
            self.words.push((line.number, path.to_owned()));
        }
    }

    /// What is stated in full, with what the words say of it, and the lines that ask for a change in words alone, in
    /// document order.
    pub(super) fn finish(self) -> Statements {
        (self.replacements, self.words)
    }
}

fn named(line: &Line<'_>) -> Option<Group> {
    naming::group(line, Place::Label, "", false).filter(|group| group.sure_path().is_some())
}

/// Changes with what the words say of each, and lines that ask for one of a file in words alone.
type Statements = (Vec<(Candidate, Lead)>, Vec<(u32, String)>);

/// A change that a sentence asks for, with its new text and its place in the line.
type Statement = (Form, String, usize);

fn statements(line: &str, spans: &[Span<'_>], columns: Option<Columns>) -> Vec<Statement> {
    let replaced = replacements(line, spans, columns).into_iter().filter(|(old, new, _)| old != new);
    let statements: Vec<Statement> = replaced
        .map(|(old, new, at)| {
            // Not the name itself goes.
            let form = match is_name(old) && is_literal(new) {
                true => Form::Value { name: old.to_owned() },
                false => Form::Replacement { old: old.to_owned() },
            };
            (form, new.to_owned(), at)
        })
        .collect();
    if !statements.is_empty() {
        return statements;
    }
    if let Some((name, value, at)) = setting(spans) {
        return vec![(Form::Value { name: name.to_owned() }, value.to_owned(), at)];
    }
    if let Some((old, at)) = removal(spans) {
        return vec![(Form::Replacement { old: format!("{old}\n") }, String::new(), at)];
    }
    let inserted = insertion(spans).map(|(text, anchor, after, at)| {
        (Form::Beside { anchor: anchor.to_owned(), after }, format!("{text}\n"), at)
    });
    inserted.into_iter().collect()
}

/// The name that a line sets, its value, and the place in the line: "Set `x` to `1`", "Set `x = 1`".
fn setting<'t>(spans: &[Span<'t>]) -> Option<(&'t str, &'t str, usize)> {
    let (before, first, _) = *spans.first()?;
    // "`MAX_ITEMS` should be `100`"
    if let [_, (up_to, value, _)] = *spans
        && let Some(between) = up_to.get(before.len() + first.len() + 2..)
        && words::ought_to_be(between)
        && is_name(first)
        && is_literal(value)
        && !words::is_doubtful(lead::sentence(before, before.len()))
    {
        return Some((first, value, before.len()));
    }
    if !words::sets(before) || words::is_doubtful(lead::sentence(before, before.len())) {
        return None;
    }
    let (name, value) = match *spans {
        [_] => first.split_once('=').or_else(|| first.split_once(": "))?,
        [_, (up_to, value, _)] => {
            let between = up_to.get(before.len() + first.len() + 2..)?;
            let joint = between.rsplit([' ', '`']).find(|word| !word.is_empty())?;
            (words::is_to_or_with(joint) && between.len() <= BETWEEN).then_some((first, value))?
        }
        _ => return None,
    };
    let (name, value) = (name.trim(), value.trim());
    (is_name(name) && !value.is_empty()).then_some((name, value, before.len()))
}

/// Returns true if `span` is a name, perhaps of a member or with a flag's dashes.
fn is_name(span: &str) -> bool {
    span.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '-' | '$' | '@'))
        && span.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@'))
}

/// Returns true if `span` is a value: a number, a string, a list.
fn is_literal(span: &str) -> bool {
    span.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '[' | '{' | '-'))
        || ["true", "false", "null", "none", "nil"].contains(&&*span.to_ascii_lowercase())
}

/// The text that a line asks to remove, all of a line of the file, and its place in the line.
fn removal<'t>(spans: &[Span<'t>]) -> Option<(&'t str, usize)> {
    let [(before, old, _)] = *spans else { return None };
    let asks = is_text(old) && words::removes_text(before) && !words::is_doubtful(before);
    asks.then_some((old, before.len()))
}

/// The text that a line asks to add, the text that it goes beside, whether it goes after that, and its place in
/// the line.
fn insertion<'t>(spans: &[Span<'t>]) -> Option<(&'t str, &'t str, bool, usize)> {
    let [(before, text, _), (up_to, anchor, behind)] = *spans else { return None };
    let asks = words::adds(before) && !words::is_doubtful(before) && is_text(text) && is_text(anchor);
    let between =
        up_to.get(before.len() + text.len() + 2..).filter(|between| asks && between.len() <= BETWEEN)?;
    Some((text, anchor, words::beside(between, behind)?, before.len()))
}

/// The old and the new texts, if `line` asks to replace the one with the other, with their places in it.
fn replacements<'t>(
    line: &str,
    spans: &[Span<'t>],
    columns: Option<Columns>,
) -> Vec<(&'t str, &'t str, usize)> {
    // What two cells of a table have to do with each other its header says.
    if line.trim_start().starts_with('|') {
        return columns.and_then(|columns| columns.pair(spans)).into_iter().collect();
    }
    let mut pairs = Vec::new();
    let mut end = None;
    for pair in spans.windows(2) {
        let [(before, old, _), (up_to, new, after)] = pair else { continue };
        let between = up_to.get(before.len() + old.len() + 2..).filter(|between| between.len() <= BETWEEN);
        let Some(between) = between else { continue };
        // "Replace `a` with `b` and `c` with `d`": the verb is said once.
        let joins = end.and_then(|end| before.get(end..)).is_some_and(|joint| {
            matches!(joint.trim_matches(['`', ' ', ',', ';']), "" | "and" | "und" | "et" | "y" | "e" | "и")
                && joint.len() > 1
        });
        let asks = words::replaces(before, between)
            || words::replaces_it(between)
            || words::replaces_east(before, between, after)
            || joins && words::is_to_or_with(between)
            // Two forms of one text: what calls what is drawn with arrows, too.
            || spans.len() == 2 && words::ought_to_be(between) && is_form_of(old, new);
        if asks && !words::is_doubtful(lead::sentence(before, before.len())) {
            end = Some(up_to.len() + new.len() + 1);
            pairs.push((*old, *new, before.len()));
        }
    }
    pairs
}

/// Returns true if `new` may be another form of `old`, a text of a file: half of the words of one are words of the
/// other.
fn is_form_of(old: &str, new: &str) -> bool {
    fn words(text: &str) -> HashSet<&str> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
    }
    let (had, has) = (words(old), words(new));
    let common = had.intersection(&has).count();
    is_text(old) && is_text(new) && common > 0 && 2 * common >= had.len().min(has.len())
}

#[cfg(test)]
mod tests {
    use super::{Columns, insertion, removal, replacements, setting};
    use crate::plain::placed::spans;

    #[test]
    fn sentences_that_state_a_replacement() {
        for (line, expected) in [
            ("In `a.yaml`, change `port: 80` to `port: 81`.", Some(("port: 80", "port: 81"))),
            ("- Replace `a()` with `b()` in `x.js`", Some(("a()", "b()"))),
            ("将 `a.yaml` 中的 `x: 1` 改为 `x: 2`", Some(("x: 1", "x: 2"))),
            ("把 `x: 1` 改成 `x: 2` 即可。", Some(("x: 1", "x: 2"))),
            ("2. 将注释 `x: 1` 替换为 `x: 2`", Some(("x: 1", "x: 2"))),
            ("`a.yaml` の `x: 1` を `x: 2` に変更します。", Some(("x: 1", "x: 2"))),
            ("`a.yaml`의 `x: 1`를 `x: 2`로 변경하세요.", Some(("x: 1", "x: 2"))),
            ("不要把 `x: 1` 改成 `x: 2`。", None),
            ("`x: 1` 和 `x: 2` 不一样。", None),
            ("I changed `x: 1` to `x: 2` in `a.yaml`", None),
            ("Don't change `x: 1` to `x: 2` in `a.yaml`", None),
            ("If you want, change `x: 1` to `x: 2` in `a.yaml`", None),
            ("You could change `x: 1` to `x: 2` in `a.yaml`", None),
            ("Change `x` to `y`", Some(("x", "y"))),
            ("`a` goes to `b`", None),
            ("Find `a b` and replace it with `c d`.", Some(("a b", "c d"))),
            ("In `a.yaml`, `x: 1` should be `x: 2`.", Some(("x: 1", "x: 2"))),
            ("- `x = 1` → `x = 2`", Some(("x = 1", "x = 2"))),
            ("`x = 1` -> `x = 2`", Some(("x = 1", "x = 2"))),
            ("`load(path)` → `parse(text)`", None),
            ("`load(a)` → `parse(a)` → `dump(a)`", None),
            ("`load(a: str)` -> `dict`", None),
            ("`x = 1` should not be `x = 2`.", None),
            ("If it fails, `x = 1` should be `x = 2`.", None),
        ] {
            let found: Vec<_> =
                replacements(line, &spans(line), None).into_iter().map(|(old, new, _)| (old, new)).collect();
            assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "{line}");
        }
    }

    #[test]
    fn regression_the_header_says_which_cells_are_old_and_new() {
        for (header, row, expected) in [
            ("| File | Before | After |", "| `a.yaml` | `x: 1` | `x: 2` |", Some(("x: 1", "x: 2"))),
            (
                "| File | Current value | New value |",
                "| `a.yaml` | `x: 1` | `x: 2` |",
                Some(("x: 1", "x: 2")),
            ),
            ("| New | Old | Why |", "| `f(a)` | `f(b || c)` | `d` |", Some(("f(b || c)", "f(a)"))),
            ("| 文件 | 修改前 | 修改后 |", "| `a.yaml` | `x: 1` | `x: 2` |", Some(("x: 1", "x: 2"))),
            ("| Method | Lines | Key logic |", "| `Apply` | 2–3 | Valid → `Mark`, else clear |", None),
            ("| Before | After |", "| `x: 1` or `x: 3` | `x: 2` |", None),
            ("| Name | Meaning |", "| `load(a)` | `parse(a)` |", None),
        ] {
            let columns = Columns::of_header(header);
            let found = replacements(row, &spans(row), columns).pop().map(|(old, new, _)| (old, new));
            assert_eq!(found, expected, "{header}");
        }
    }

    #[test]
    fn sentences_that_set_a_value() {
        for (line, expected) in [
            ("Set `TIMEOUT` in `a.py` to `60`.", Some(("TIMEOUT", "60"))),
            ("In `a.yaml`, set `replicas` to `3`.", Some(("replicas", "3"))),
            ("Set `debug = false` in `a.toml`.", Some(("debug", "false"))),
            ("Increase `limit` from 10 to `20`", Some(("limit", "20"))),
            ("Set `x` to `1` and `y` to `2`", None),
            ("You could set `x` to `1`", None),
            ("It sets `x` to `1`", None),
            ("Set up `x` to `1`", None),
        ] {
            let found = setting(&spans(line)).map(|(name, value, _)| (name, value));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn sentences_that_remove_or_add_a_line() {
        for (line, expected) in [
            ("Remove the line `x = load()` from `a.py`.", Some("x = load()")),
            ("Delete `x = load()` in `a.py`", Some("x = load()")),
            ("Lösche die Zeile `x = load()`.", Some("x = load()")),
            ("I removed `x = load()` from `a.py`", None),
            ("Don't remove `x = load()`", None),
            ("If it fails, remove `x = load()`", None),
            ("Remove `load` from `a.py`", None),
            ("Remove `x = load()` and `y = load()`", None),
        ] {
            assert_eq!(removal(&spans(line)).map(|(old, _)| old), expected, "{line}");
        }
        for (line, expected) in [
            ("In `a.py`, add `x = 1` right after `y = 2`.", Some(("x = 1", "y = 2", true))),
            ("Insert `x = 1` above `y = 2`", Some(("x = 1", "y = 2", false))),
            ("Add `x = 1` to `a.py`", None),
            ("You could add `x = 1` after `y = 2`", None),
            ("`x = 1` comes after `y = 2`", None),
        ] {
            let found = insertion(&spans(line)).map(|(text, anchor, after, _)| (text, anchor, after));
            assert_eq!(found, expected, "{line}");
        }
    }
}
