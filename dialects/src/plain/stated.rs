//! Edits in prose: replacements that a sentence states in full, in answers that show no code: "In `p`, change `a` to `b`".
//!
//! ````text
//! 1. In `deploy.yaml`, change `replicas: 2` to `replicas: 3`.
//! | `deploy.yaml` | `replicas: 2` | `replicas: 3` |        below a header with "Before" and "After"
//! - `replicas: 2` → `replicas: 3`
//! Set `replicas` in `deploy.yaml` to `3`.
//! ````

use std::collections::HashSet;

use super::above::Above;
use super::lead::{self, Lead};
use super::phrases::MayHave;
use super::placed::{Span, is_text};
use super::stated_files::{self, StatedFiles, files_of};
use super::tables::{COLUMN_NEW, COLUMN_OLD};
use super::{Candidate, Form, NoteKind, words};
use crate::cursor::Line;

const MOST: usize = 100;
// Lines after which an old text is no longer waiting for its new one.
const NEXT: u32 = 3;
const BETWEEN: usize = 40;

#[derive(Debug, Default)]
pub(super) struct Stated {
    replacements: Vec<(Candidate, Lead)>,
    /// The old text that a line of its own gives, with the number of that line.
    old: Option<(u32, String)>,
    // Lines that name a file and ask for a change that they do not give in full, with the file.
    words: Vec<(u32, String, NoteKind)>,
    table: LastTable,
}

// The table of which the last row was read.
#[derive(Debug, Default)]
struct LastTable {
    last_row: u32,
    columns: Option<OldAndNew>,
}

// The columns of a table with the old texts and with the new ones, by their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OldAndNew {
    old: usize,
    new: usize,
}

impl OldAndNew {
    fn of_header(row: &str) -> Option<OldAndNew> {
        let cells: Vec<String> = row.trim().trim_matches('|').split('|').map(str::to_lowercase).collect();
        let only = |words: &[&str]| {
            let says =
                |cell: &String| cell.split(|c: char| !c.is_alphanumeric()).any(|word| words.contains(&word));
            let mut all =
                cells.iter().enumerate().filter(|(_, cell)| says(cell) || words.contains(&cell.trim()));
            all.next().map(|(at, _)| at).filter(|_| all.next().is_none())
        };
        let (old, new) = (only(COLUMN_OLD)?, only(COLUMN_NEW)?);
        (old != new).then_some(OldAndNew { old, new })
    }

    // The old and the new text of a row, with the place of the old one.
    fn pair<'t>(self, spans: &[Span<'t>]) -> Option<(&'t str, &'t str, usize)> {
        // A bar within code divides no cells.
        let cell_of = |before: &str| -> usize {
            before.split('`').step_by(2).map(|text| text.matches('|').count()).sum()
        };
        let only = |column: usize| {
            let mut all = spans.iter().filter(|span| cell_of(span.before) == column + 1);
            all.next().filter(|_| all.next().is_none())
        };
        let (old, new) = (only(self.old)?, only(self.new)?);
        Some((old.text, new.text, old.before.len()))
    }
}

impl Stated {
    /// Reads a row of a table, which may be its header.
    pub(super) fn row(&mut self, line: &Line<'_>) {
        // Between the header and the first row is a rule.
        if self.table.last_row + 2 < line.number || self.table.last_row == 0 {
            self.table.columns = OldAndNew::of_header(line.text);
        }
        self.table.last_row = line.number;
    }

    /// Reads a line of prose that may state something, with its code spans, below what `above` holds; returns what it
    /// asks for in full, each with its place in the line.
    pub(super) fn line(
        &mut self,
        line: &Line<'_>,
        spans: &[Span<'_>],
        phrases: MayHave,
        above: &Above<'_>,
    ) -> Vec<(Candidate, usize)> {
        if self.replacements.len() >= MOST {
            return Vec::new();
        }
        let (mut stated, mut first, mut asks) =
            (statements(line.text, spans, phrases, self.table.columns), line.number, true);
        if stated.is_empty()
            && let Some((number, statement)) = self.half(line, spans)
        {
            (stated, first, asks) = (vec![statement], number, false);
        }
        if stated.is_empty() {
            if phrases.of(words::CHANGING) {
                self.asks_in_words(line);
            }
            return Vec::new();
        }
        // A row of a table may compare, and words may only say how it ought to be.
        let is_row = line.text.trim_start().starts_with('|');
        asks &= !is_row && (words::asks_for_change(line.text) || !line.text.is_ascii());
        let places: Vec<usize> = stated.iter().map(|(_, _, at)| *at).collect();
        let files = match files_of(line, &places, above) {
            StatedFiles::Clear(files) => files,
            StatedFiles::Unclear(paths) => {
                for path in paths.into_iter().filter(|_| asks) {
                    self.note(line.number, path, NoteKind::Words);
                }
                return Vec::new();
            }
        };
        // A file on another machine is none of the project.
        if words::is_elsewhere(line.text) {
            let path = files.first().and_then(|groups| groups.first()?.sure_path());
            self.note(line.number, path.unwrap_or_default().to_owned(), NoteKind::Elsewhere);
            return Vec::new();
        }
        // It may hold for some readers alone.
        asks &= !spans.first().is_some_and(|span| lead::is_addressed(span.before));
        let mut candidates = Vec::new();
        for ((form, content, at), groups) in stated.into_iter().zip(files) {
            for group in groups {
                let candidate = Candidate {
                    content: content.clone(),
                    words: super::content::cut(line.text.trim()).to_owned(),
                    conditional: !asks,
                    is_sentence: true,
                    ..Candidate::of(first..line.number.saturating_add(1), form.clone(), group)
                };
                candidates.push((candidate, at));
            }
        }
        candidates
    }

    pub(super) fn add(&mut self, candidate: Candidate, lead: Lead) {
        self.replacements.push((candidate, lead));
    }

    // Keeps the old text that `line` gives by itself; of one with the new text, returns the replacement and the line
    // where it begins.
    //
    // ````text
    // - Old: `port = 8080`
    // - New: `port = 9090`
    // ````
    fn half(&mut self, line: &Line<'_>, spans: &[Span<'_>]) -> Option<(u32, Statement)> {
        let old = self.old.take().filter(|(number, _)| number + NEXT >= line.number);
        let [span] = *spans else { return None };
        if span.after.contains(char::is_alphanumeric) {
            return None;
        }
        if let Some((number, old)) = old
            && words::is_new_half(span.before)
            && old != span.text
        {
            let statement = (Form::Replacement { old }, span.text.to_owned(), span.before.len());
            return Some((number, statement));
        }
        self.old = words::is_old_half(span.before).then(|| (line.number, span.text.to_owned()));
        None
    }

    // A line that removes, adds or replaces something of a file that it names.
    fn asks_in_words(&mut self, line: &Line<'_>) {
        let text = words::without_urging(line.text.trim_start());
        // What follows in the sentence is the reason: "…, delete lines 1–3; they are not used."
        let request = text.split([';', '(', '–', '—', '；', '（']).next().unwrap_or_default();
        // A line that leads to code says what that does, and a patch has lines of its own: "*** Update File: a.py".
        if !text.trim_end().ends_with([':', '：'])
            && !line.text.trim_start().starts_with("*** ")
            && words::asks_for_change(request)
            && !words::is_doubtful(request)
            && let Some(group) = stated_files::named(line)
            && let Some(path) = group.sure_path()
        {
            self.note(line.number, path.to_owned(), NoteKind::Words);
        }
    }

    /// Notes that the line `number` has the file at `path` changed, and does not say how.
    pub(super) fn note(&mut self, number: u32, path: String, kind: NoteKind) {
        if self.words.len() < MOST {
            self.words.push((number, path, kind));
        }
    }

    /// What is stated in full, with what the words say of it, and the lines that ask for a change in words alone, in
    /// document order.
    pub(super) fn finish(self) -> Statements {
        (self.replacements, self.words)
    }
}

/// Changes with what the words say of each, and lines that ask for one of a file in words alone.
type Statements = (Vec<(Candidate, Lead)>, Vec<(u32, String, NoteKind)>);

/// A change that a sentence asks for, with its new text and its place in the line.
type Statement = (Form, String, usize);

fn statements(
    line: &str,
    spans: &[Span<'_>],
    phrases: MayHave,
    columns: Option<OldAndNew>,
) -> Vec<Statement> {
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
    if spans.len() == 2 || phrases.of(words::SETTING) {
        let values = settings(spans).into_iter();
        let of = |(name, value, at): (&str, &str, usize)| {
            (Form::Value { name: name.to_owned() }, value.to_owned(), at)
        };
        let values: Vec<Statement> = values.map(of).collect();
        if !values.is_empty() {
            return values;
        }
    }
    if phrases.of(words::DELETING)
        && let Some((old, at)) = removal(spans)
    {
        return vec![(Form::Replacement { old: format!("{old}\n") }, String::new(), at)];
    }
    let inserted = insertion(spans).map(|(text, anchor, after, at)| {
        (Form::Beside { anchor: anchor.to_owned(), after }, format!("{text}\n"), at)
    });
    inserted.into_iter().collect()
}

// The names that a line sets, their values and places: "Set `x` to `1` and `y` to `2`".
fn settings<'t>(spans: &[Span<'t>]) -> Vec<(&'t str, &'t str, usize)> {
    // "Bump `a` from `1` to `2`"
    if let [name, old, new] = spans
        && words::sets(name.before)
        && matches!(name.up_to(old).trim(), "from" | "von" | "de" | "desde")
        && words::is_to_or_with(old.up_to(new))
        && is_name(name.text)
        && !words::is_doubtful(lead::sentence(name.before, name.before.len()))
    {
        return vec![(name.text, new.text, name.before.len())];
    }
    let pairs: Vec<&[Span<'t>]> = spans.chunks(2).collect();
    let goes_on = |two: &[&[Span<'t>]]| {
        let ([name, value], [_, last]) = (two[1], two[0]) else { return false };
        let between = name.up_to(value);
        words::goes_on_with(last.up_to(name))
            && words::is_to_or_with(between)
            && is_name(name.text)
            && is_literal(value.text)
    };
    if pairs.len() > 1 && !pairs.windows(2).all(goes_on) {
        return Vec::new();
    }
    let Some(first) = pairs.first().and_then(|pair| setting(pair)) else { return Vec::new() };
    let rest = pairs[1..].iter().map(|pair| (pair[0].text, pair[1].text, pair[0].before.len()));
    std::iter::once(first).chain(rest).collect()
}

// The name that a line sets, its value, and the place in the line: "Set `x` to `1`", "Set `x = 1`".
fn setting<'t>(spans: &[Span<'t>]) -> Option<(&'t str, &'t str, usize)> {
    let first = spans.first()?;
    let at = first.before.len();
    let is_doubtful = || words::is_doubtful(lead::sentence(first.before, at));
    // "`MAX_ITEMS` should be `100`"
    if let [_, value] = spans
        && words::ought_to_be(first.up_to(value))
        && is_name(first.text)
        && is_literal(value.text)
        && !is_doubtful()
    {
        return Some((first.text, value.text, at));
    }
    if !words::sets(first.before) || is_doubtful() {
        return None;
    }
    let (name, value) = match spans {
        [_] => first.text.split_once('=').or_else(|| first.text.split_once(": "))?,
        [_, value] => {
            let between = first.up_to(value);
            let joint = between.rsplit([' ', '`']).find(|word| !word.is_empty())?;
            (words::is_to_or_with(joint) && between.len() <= BETWEEN).then_some((first.text, value.text))?
        }
        _ => return None,
    };
    let (name, value) = (name.trim(), value.trim());
    (is_name(name) && !value.is_empty()).then_some((name, value, at))
}

// Returns true if `span` is a name, perhaps of a member or with a flag's dashes.
fn is_name(span: &str) -> bool {
    span.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '-' | '$' | '@'))
        && span.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@'))
}

// Returns true if `span` is a value: a number, a string, a list.
fn is_literal(span: &str) -> bool {
    span.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '\'' | '[' | '{' | '-'))
        || ["true", "false", "null", "none", "nil"].contains(&&*span.to_ascii_lowercase())
}

// The text that a line asks to remove, all of a line of the file, and its place in the line.
fn removal<'t>(spans: &[Span<'t>]) -> Option<(&'t str, usize)> {
    let [Span { before, text, .. }] = *spans else { return None };
    let asks = is_text(text) && words::removes_text(before) && !words::is_doubtful(before);
    asks.then_some((text, before.len()))
}

// The text that a line asks to add, the text that it goes beside, whether it goes after that, and its place in
// the line.
fn insertion<'t>(spans: &[Span<'t>]) -> Option<(&'t str, &'t str, bool, usize)> {
    let [added, anchor] = spans else { return None };
    let asks = words::adds(added.before)
        && !words::is_doubtful(added.before)
        && is_text(added.text)
        && is_text(anchor.text);
    let between = Some(added.up_to(anchor)).filter(|between| asks && between.len() <= BETWEEN)?;
    Some((added.text, anchor.text, words::beside(between, anchor.after)?, added.before.len()))
}

// The old and the new texts, if `line` asks to replace the one with the other, with their places in it.
fn replacements<'t>(
    line: &str,
    spans: &[Span<'t>],
    columns: Option<OldAndNew>,
) -> Vec<(&'t str, &'t str, usize)> {
    // What two cells of a table have to do with each other its header says.
    if line.trim_start().starts_with('|') {
        return columns.and_then(|columns| columns.pair(spans)).into_iter().collect();
    }
    let mut pairs = Vec::new();
    let mut last: Option<&Span<'_>> = None;
    for pair in spans.windows(2) {
        let [first, second] = pair else { continue };
        let between = first.up_to(second);
        if between.len() > BETWEEN {
            continue;
        }
        // "Replace `a` with `b` and `c` with `d`": the verb is said once.
        let joins = last.map(|last| last.up_to(first)).is_some_and(words::goes_on_with);
        let (mut old, mut new) = (first, second);
        let asks = words::replaces(first.before, between)
            || words::replaces_it(between)
            || words::replaces_east(first.before, between, second.after)
            || joins && words::is_to_or_with(between)
            || words::strikes_out(first.before, between)
            // Two forms of one text: what calls what is drawn with arrows, too.
            || (spans.len() == 2 && words::ought_to_be(between)
                || words::modifies(first.before) && words::is_to_or_with(between))
                && is_form_of(first.text, second.text);
        // "Use `b` instead of `a`": the new text comes first.
        let is_turned = !asks
            && spans.len() == 2
            && words::is_instead_of(first.before, between)
            && is_form_of(second.text, first.text);
        if is_turned {
            (old, new) = (second, first);
        }
        let doubted = || words::is_doubtful(lead::sentence(first.before, first.before.len()));
        if (asks || is_turned) && !doubted() {
            last = Some(second);
            pairs.push((old.text, new.text, first.before.len()));
        }
    }
    pairs
}

// Returns true if `new` may be another form of `old`, a text of a file: half of the words of one are words of the
// other.
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
    use super::{OldAndNew, insertion, removal, replacements, setting, settings};
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
            ("In a.ini, change \"x = 1\" to \"x = 2\".", Some(("x = 1", "x = 2"))),
            ("In `a.ini`, change “x = 1” to “x = 2”.", Some(("x = 1", "x = 2"))),
            ("In `a.ini`, ersetze „x = 1“ durch „x = 2“.", Some(("x = 1", "x = 2"))),
            ("Use `x = 2` instead of `x = 1` in `a.ini`.", Some(("x = 1", "x = 2"))),
            ("The fix is to write `f(a, b)` rather than `f(a)`.", Some(("f(a)", "f(a, b)"))),
            ("Verwende `x = 2` statt `x = 1`.", Some(("x = 1", "x = 2"))),
            ("You could use `x = 2` instead of `x = 1`.", None),
            ("It uses `x = 2` instead of `x = 1`.", None),
            ("Use `fetch` instead of `axios`.", None),
            ("In `a.ini`: ~~`x = 1`~~ **`x = 2`**", Some(("x = 1", "x = 2"))),
            ("~~`x = 1`~~ → `x = 2`", Some(("x = 1", "x = 2"))),
            ("In `a.txt`, bump `flask==3.0.0` to `flask==3.0.3`.", Some(("flask==3.0.0", "flask==3.0.3"))),
            ("Update `f(a)` to `f(a, b)` in `x.js`", Some(("f(a)", "f(a, b)"))),
            ("Update `a()` to use `b()`", None),
            ("The update of `f(a)` goes to `f(a, b)`.", None),
            ("~~`x = 1`~~ was removed, `x = 2` is new", None),
            ("If it fails, `x = 1` should be `x = 2`.", None),
            ("Replace `a b c d` with `b`. `c` to `d` stays.", Some(("a b c d", "b"))),
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
            let columns = OldAndNew::of_header(header);
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
        let several = "Set `x` to `1` in `a.py` and `y` to `2` in `b.py`";
        let found: Vec<_> =
            settings(&spans(several)).into_iter().map(|(name, value, _)| (name, value)).collect();
        assert_eq!(found, [("x", "1"), ("y", "2")]);
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
