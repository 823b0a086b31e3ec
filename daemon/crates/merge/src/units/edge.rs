//! New lines for the end or the top of a part of the file that words name.
//!
//! ```text
//! class Store:            At the end of `Store`:      class Store:
//!     a = 1                   b = 2                       a = 1
//! go()                                                    b = 2
//!                                                     go()
//! ```
//!
//! A name that the file does not have, or twice, is a refusal: the end of the file is never meant.

use std::collections::HashSet;

use crate::note::{NoteKind, Position};
use crate::part::{Edge, Level, Merged, Part};
use crate::refused::{Reason, Refused, excerpt};
use crate::source::{Source, letters};

use super::check::check;
use super::head::Kind;
use super::language::Family;
use super::layout::Layout;
use super::list::leaves;
use super::merger::{Merger, Scope, Stop};
use super::text::indent_of;
use super::unit::{Unit, extent, norm, units};

// Letters of a line that is not in two places by chance.
const TELLING: usize = 4;

// Inserts `shown`, the text of `part`, at `edge`; `None` if lines of the file in it say where it goes.
pub(crate) fn insert(
    source: &Source<'_>,
    shown: &Source<'_>,
    part: &Part<'_>,
    edge: Edge<'_>,
) -> Option<Result<Merged, Refused>> {
    let family = Family::of(part.extension);
    let (file, layout) = (Layout::new(source, family), Layout::new(shown, family));
    let mut merger = Merger::new(&file, &layout, vec![false; shown.len()], part);
    let run = units(&layout, 0..layout.len());
    let head = match merger.head_called(edge.name, &run) {
        Ok(head) => head,
        Err(stop) => return Some(Err(stop.refused)),
    };
    let there = norm(&file, head..extent(&file, head, file.len()));
    let new = norm(&layout, 0..layout.len());
    if !new.is_empty() && there.windows(new.len()).any(|lines| lines == new) {
        let detail = "the file is already as the part shows it";
        return Some(Err(Refused::new(Reason::AlreadyThere, detail)));
    }
    if merger.shows_lines_of(head, &run) {
        return None;
    }
    Some(merger.inserted(source, head, &run, edge.is_end))
}

impl Merger<'_, '_> {
    fn inserted(
        &mut self,
        source: &Source<'_>,
        head: usize,
        run: &[Unit],
        is_end: bool,
    ) -> Result<Merged, Refused> {
        self.check_content()?;
        if !self.part.is_balanced || self.is_ragged(0..self.part.len()) {
            return Err(Refused::new(Reason::CutOff, "the part begins or ends inside something"));
        }
        let scope = self.content_of(head);
        self.insert_at_edge(head, run, &scope, is_end).map_err(|stop| stop.refused)?;
        let text = self.finish(source).map_err(|stop| stop.refused)?;
        check(self, source, &text, self.label)?;
        let is_guess = self.notes.iter().any(|note| note.is_guess);
        let level = if is_guess { Level::ByStructure } else { Level::Proven };
        Ok(Merged { text, level, notes: std::mem::take(&mut self.notes) })
    }

    // Returns what the part of the file below `head` holds.
    fn content_of(&mut self, head: usize) -> Scope {
        let (file, outer) = (self.file, self.scope(head));
        // Elements may be as deep as the one around them: its end tag is none of its content.
        let is_outer = |unit: &Unit, at: &usize| {
            file.family == Family::Html && file.indent[*at] < file.indent[unit.head]
        };
        let own = |unit: &Unit| {
            let end = (unit.head..unit.end).find(|at| is_outer(unit, at)).unwrap_or(unit.end);
            Unit { end, ..unit.clone() }
        };
        let is_inside = |unit: &&Unit| !unit.text(file).starts_with("</");
        let mut units: Vec<Unit> = outer.units.iter().take_while(is_inside).map(own).collect();
        // A comment right above what comes behind the part belongs to that.
        units.pop_if(|last| {
            last.is(Kind::Comment) && file.blank.get(last.end) == Some(&false) && !file.continues[last.end]
        });
        Scope { units, name: outer.name.clone(), ..*outer }
    }

    // Returns the head of the only part of the file that `name` means for the new units.
    fn head_called(&mut self, name: &str, run: &[Unit]) -> Result<usize, Stop> {
        let bare = bare(self.file.family, name);
        let mut heads = self.heads_called(name, &bare);
        // `services.api`, `Store::save`: each outer name is that of something around it.
        let mut segments: Vec<&str> = bare.split(['.', ':', '#']).filter(|one| !one.is_empty()).collect();
        let last = segments.pop().unwrap_or_default();
        if heads.is_empty() && !segments.is_empty() {
            heads = self.heads_called(last, last);
            heads.retain(|head| segments.iter().all(|outer| self.is_inside(*head, &[outer])));
        }
        // A type of Rust and Go has its functions elsewhere.
        let has_functions = run.iter().any(|unit| unit.is(Kind::Def));
        if has_functions && matches!(self.file.family, Family::Rust | Family::Go) {
            let holds = |head: &usize| {
                ["impl", "trait ", "mod ", "pub mod ", "pub trait "]
                    .iter()
                    .any(|word| self.file.norm[*head].starts_with(word))
            };
            heads.retain(|head| holds(head) || self.file.is_function(*head));
        }
        let words: Vec<&str> = self.code_spans().filter(|word| *word != name).collect();
        let is_open = |merger: &mut Self, head: usize| !merger.scope(head).units.is_empty();
        let is_exact = |merger: &mut Self, head: usize| {
            merger.file.keys[head]
                .as_ref()
                .is_some_and(|key| bare_name(merger.file.family, &key.name) == bare)
        };
        let is_named = |merger: &mut Self, head: usize| merger.is_inside(head, &words);
        // A constructor has the name of its class.
        let is_container = |merger: &mut Self, head: usize| {
            merger.file.keys[head].as_ref().is_some_and(|key| key.kind.is_container())
        };
        let is_own = |merger: &mut Self, head: usize| !merger.file.norm[head].contains(" for ");
        // The wider test decides only where the narrower one leaves several.
        self.narrow(&mut heads, is_open);
        self.narrow(&mut heads, is_exact);
        self.narrow(&mut heads, is_named);
        self.narrow(&mut heads, is_container);
        self.narrow(&mut heads, is_own);
        let name = excerpt(name);
        match heads[..] {
            [head] => Ok(head),
            // Of some languages nothing is known.
            [] if self.file.keys.iter().all(Option::is_none) => {
                let detail = format!("nothing in the file says where `{name}` begins and ends");
                Err(Stop::last(Reason::NoPlace, detail))
            }
            [] => Err(Stop::last(Reason::NoPlace, format!("`{name}` is not in the file"))),
            _ => {
                let detail = format!("`{name}` is in {} lines of the file", heads.len());
                Err(Stop::last(Reason::Ambiguous, detail))
            }
        }
    }

    // Keeps those of several heads that fit, if any does.
    fn narrow(&mut self, heads: &mut Vec<usize>, fits: impl Fn(&mut Self, usize) -> bool) {
        let fitting: Vec<usize> = heads.iter().copied().filter(|head| fits(self, *head)).collect();
        if heads.len() > 1 && !fitting.is_empty() {
            *heads = fitting;
        }
    }

    fn heads_called(&self, name: &str, bare: &str) -> Vec<usize> {
        let file = self.file;
        let is_element = |at: usize| {
            let text = file.norm[at].strip_prefix(name.trim_end_matches('>'));
            text.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '>', '/']))
        };
        let is_it = |at: &usize| {
            let Some(key) = file.keys[*at].as_ref().filter(|_| file.is_code(*at)) else { return false };
            if name.starts_with('<') {
                return is_element(*at);
            }
            let is_part = !matches!(
                key.kind,
                Kind::Import | Kind::Comment | Kind::Entry | Kind::Case | Kind::Element | Kind::Call
            );
            is_part && is_called(file.family, &key.name, bare)
        };
        (0..file.len()).filter(is_it).collect()
    }

    // Returns true if one of `names` is that of something around the line `at`.
    fn is_inside(&self, at: usize, names: &[&str]) -> bool {
        let file = self.file;
        let mut around = self.parent(at);
        while around < file.len() {
            let key = file.keys[around].as_ref();
            if key.is_some_and(|key| names.iter().any(|name| is_called(file.family, &key.name, name))) {
                return true;
            }
            around = self.parent(around);
        }
        false
    }

    // Returns true if the new units begin with lines of the part of the file below `head`, or with that line.
    fn shows_lines_of(&mut self, head: usize, run: &[Unit]) -> bool {
        let (file, scope) = (self.file, self.scope(head));
        let heads = scope.units.iter().map(|unit| unit.head).chain([head]);
        let there: HashSet<&str> = heads.map(|at| file.norm[at].as_str()).collect();
        let is_marker = |at: usize| clada_dialects::elision(self.part.lines[at].trim()).is_some();
        let shown: Vec<&str> = run.iter().map(|unit| unit.text(self.part)).collect();
        let is_known = |text: &&str| letters(text) >= TELLING && there.contains(*text);
        shown.iter().any(is_known)
            || shown.contains(&file.norm[head].as_str())
            || (0..self.part.len()).any(is_marker)
    }

    fn insert_at_edge(&mut self, head: usize, run: &[Unit], scope: &Scope, is_end: bool) -> Result<(), Stop> {
        let file = self.file;
        let Some(last) = scope.units.len().checked_sub(1) else { return self.insert_alone(head, run) };
        if file.family == Family::Markdown {
            self.insert_text(scope, is_end);
            return Ok(());
        }
        if !is_end {
            match self.stays_first(scope) {
                true => self.insert_after(run, 0, scope),
                false => self.insert_before(run, 0, scope),
            }
        } else if scope.is_function && self.ends_with_value(head, &scope.units[last]) {
            let text = excerpt(scope.units[last].text(file));
            if run.last().is_some_and(|unit| leaves(unit.text(self.part))) {
                return Err(Stop::last(Reason::NoPlace, format!("nothing is reached behind `{text}`")));
            }
            self.insert_before(run, last, scope);
            self.notes.iter_mut().for_each(|note| note.is_guess = true);
        } else {
            self.place_at_end(run, scope, false)?;
        }
        if self.has_commas(scope) {
            self.mend_commas(&scope.units[last], is_end);
        }
        Ok(())
    }

    // Returns true if the first unit of the scope stays in front of all others: documentation, or the call of the constructor
    // that it extends.
    fn stays_first(&self, scope: &Scope) -> bool {
        let (file, first) = (self.file, &scope.units[0]);
        let is_text = file.is_text(first.head) && !matches!(file.bracket[first.head], b'(' | b'[');
        let is_super = matches!(file.family, Family::Script | Family::C | Family::Dart)
            && first.text(file).starts_with("super(");
        !file.family.is_data() && (is_text || is_super)
    }

    // Returns true if the function below `head` ends with `last`, what it leaves with or its value.
    fn ends_with_value(&self, head: usize, last: &Unit) -> bool {
        let file = self.file;
        let has_value = (head..last.start).any(|at| file.code[at].contains("->"));
        let is_value = || !file.code[last.end - 1].trim_end().ends_with(';');
        leaves(last.text(file)) || file.family == Family::Rust && has_value && is_value()
    }

    // Puts the new units into a part that holds nothing yet.
    fn insert_alone(&mut self, head: usize, run: &[Unit]) -> Result<(), Stop> {
        let (file, part) = (self.file, self.part);
        let Some(first) = run.first() else { return Ok(()) };
        let end = extent(file, head, file.len());
        let is_closed = end > head + 1 && file.continues[end - 1];
        let is_open = matches!(file.family, Family::Yaml | Family::Toml | Family::Make | Family::Markdown);
        if !is_closed && !is_open {
            let name = excerpt(&file.norm[head]);
            return Err(Stop::last(Reason::NoPlace, format!("nothing says where `{name}` ends")));
        }
        let own = indent_of(file.lines[head]);
        let blanks = |line: &&str| indent_of(line).len();
        let deepest = file.lines.iter().filter(|line| line.starts_with(' ')).map(blanks).min();
        let step = match file.family {
            Family::Toml | Family::Markdown => String::new(),
            Family::Yaml => " ".repeat(deepest.unwrap_or(2)),
            Family::Make => "\t".to_owned(),
            _ if file.lines.iter().any(|line| line.starts_with('\t')) => "\t".to_owned(),
            _ => " ".repeat(deepest.unwrap_or(4)),
        };
        let at = if is_closed { end - 1 } else { head + 1 };
        let text = self.shifter.shift(part, first.start..part.len(), first.head, &format!("{own}{step}"));
        self.edit(at..at, text);
        let position = Position::EndOf(Some(excerpt(&file.norm[head])));
        self.note(NoteKind::Inserted(position), &first.name(part), at..at);
        Ok(())
    }

    // Puts paragraphs into a section: a blank line is between them, and none between entries of a list.
    fn insert_text(&mut self, scope: &Scope, is_end: bool) {
        let (file, part) = (self.file, self.part);
        let (Some(first), Some(last)) = (scope.units.first(), scope.units.last()) else { return };
        let is_entry = |line: &str| {
            let text = line.trim_start();
            text.starts_with(['-', '*', '+', '|'])
                || text.split_once(". ").is_some_and(|(number, _)| number.parse::<u32>().is_ok())
        };
        let lines: Vec<String> = part.lines.iter().map(|line| (*line).to_owned()).collect();
        let (Some(begin), Some(end)) = (lines.first(), lines.last()) else { return };
        let (at, is_joined) = match is_end {
            true => (last.end, is_entry(file.lines[last.end - 1]) && is_entry(begin)),
            false => (first.start, is_entry(file.lines[first.start]) && is_entry(end)),
        };
        let gap = |is_there: bool| vec![String::new(); usize::from(is_there)];
        let above = gap(is_end && !is_joined);
        let below = gap(!is_joined && file.blank.get(at) == Some(&false));
        let name = begin.clone();
        self.edit(at..at, [above, lines, below].concat());
        let position = Position::EndOf(scope.name.as_deref().map(excerpt));
        let position = if is_end { position } else { Position::Before(excerpt(first.text(file))) };
        self.note(NoteKind::Inserted(position), &name, at..at);
    }

    // Returns true if a comma stands between the units of the scope.
    fn has_commas(&self, scope: &Scope) -> bool {
        let file = self.file;
        let [first, rest @ ..] = &scope.units[..] else { return false };
        let is_entry = first.is(Kind::Key) && file.bracket[first.head] == b'{' && !scope.is_class;
        let ends = |unit: &Unit, sign: char| file.norm[unit.end - 1].ends_with(sign);
        match file.family {
            Family::Json | Family::Css => false,
            _ if matches!(file.bracket[first.head], b'[' | b'(') => true,
            _ if rest.is_empty() => ends(first, ',') || is_entry && !ends(first, ';'),
            _ => ends(first, ',') && !ends(first, ';'),
        }
    }

    // Gives the new lines, beside `last`, the commas that its scope has.
    fn mend_commas(&mut self, last: &Unit, is_end: bool) {
        let file = self.file;
        let has_comma = file.norm[last.end - 1].ends_with(',');
        if is_end && !has_comma {
            self.comma = Some(last.end - 1);
        }
        let Some(new) =
            self.edits.last_mut().and_then(|edit| edit.new.iter_mut().rfind(|line| !line.trim().is_empty()))
        else {
            return;
        };
        match (has_comma || !is_end, new.ends_with(',')) {
            (true, false) => new.push(','),
            (false, true) => drop(new.pop()),
            _ => {}
        }
    }
}

// Returns `name`, as words write it, without its signs.
fn bare(family: Family, name: &str) -> String {
    let name = name.trim().trim_end_matches("()");
    let is_sign = |c: char| matches!(c, '[' | ']' | '"' | '\'' | '<' | '>' | ':' | '#' | '*' | ' ' | '$');
    match family {
        Family::Markdown => name.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase(),
        Family::Css => name.trim_end_matches(['{', ' ']).to_owned(),
        _ => name.trim_matches(is_sign).to_owned(),
    }
}

// Returns the name of a key without signs and types.
fn bare_name(family: Family, name: &str) -> String {
    let mut depth = 0_u32;
    let is_outside = |c: &char| {
        depth += u32::from(*c == '<');
        let is_outside = depth == 0;
        depth = depth.saturating_sub(u32::from(*c == '>'));
        is_outside
    };
    match family {
        Family::Markdown | Family::Css | Family::Html => bare(family, name),
        _ => bare(family, &name.chars().filter(is_outside).collect::<String>()),
    }
}

// Returns true if `name` calls what has the key `key`: all of it, or its last word.
fn is_called(family: Family, key: &str, name: &str) -> bool {
    let (key, name) = (bare_name(family, key), bare(family, name));
    let is_last = || key.rsplit([' ', '.', ':', '#', ')']).next() == Some(&*name);
    let is_target = || family == Family::Make && key.split(' ').any(|target| target == name);
    !name.is_empty()
        && (key == name || !matches!(family, Family::Markdown | Family::Css) && is_last() || is_target())
}
