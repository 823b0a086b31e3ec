//! A merge under way: the two texts, where the file's units are, and the edits so far.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::note::{Note, NoteKind};
use crate::part::Part;
use crate::refused::{Reason, Refused, excerpt};

use super::alike::{WordCounts, flat, flat_text};
use super::head::{Key, Kind};
use super::layout::Layout;
use super::pairs::branch;
use super::signs::{MatchStep, remark_above};
use super::text::{Shifter, indent_of};
use super::unit::{Item, Unit, body, extent, units};

/// The parent of the lines that no other line is the head of.
pub(super) const FILE: usize = usize::MAX;
/// The parent of lines that are no heads.
const NONE: usize = usize::MAX - 1;

/// Why a way to merge ends.
#[derive(Debug)]
pub(super) struct Stop {
    pub(super) refused: Refused,
    /// True if the place is known, and what the part shows is not enough: no other way is tried.
    pub(super) is_final: bool,
}

impl Stop {
    pub(super) fn new(reason: Reason, detail: impl Into<String>) -> Stop {
        Stop { refused: Refused::new(reason, detail), is_final: false }
    }

    pub(super) fn last(reason: Reason, detail: impl Into<String>) -> Stop {
        Stop { refused: Refused::new(reason, detail), is_final: true }
    }
}

/// Lines of the file, and what takes their place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Edit {
    pub(super) lines: Range<usize>,
    pub(super) new: Vec<String>,
    /// The new lines belong to the unit below: other new lines go above them.
    pub(super) is_above_unit: bool,
}

/// An import of the file of which the part shows fewer names.
#[derive(Debug, Clone)]
pub(super) struct Narrowed {
    pub(super) old: Unit,
    pub(super) new: Unit,
    /// The names that the part does not show.
    pub(super) names: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Scope {
    pub(super) units: Vec<Unit>,
    /// The name of its head; `None` is the file.
    pub(super) name: Option<String>,
    pub(super) is_function: bool,
    pub(super) is_class: bool,
    /// It begins with the file.
    pub(super) is_outer: bool,
}

impl Scope {
    pub(super) fn title(&self) -> String {
        self.name.as_ref().map_or_else(|| "the file".to_owned(), |name| format!("`{}`", excerpt(name)))
    }
}

pub(super) struct Merger<'m, 'a> {
    pub(super) file: &'m Layout<'a>,
    pub(super) part: &'m Layout<'a>,
    pub(super) is_marker: Vec<bool>,
    /// What the answer says of the part.
    pub(super) label: &'m Part<'m>,
    pub(super) shifter: Shifter,
    pub(super) edits: Vec<Edit>,
    pub(super) notes: Vec<Note>,
    /// The edits of which notes say each line.
    pub(super) covered: Vec<Range<usize>>,
    /// Imports of which the part shows fewer names.
    pub(super) narrowed: Vec<Narrowed>,
    /// The heads of the part that lack parameters of the file's, with their names.
    pub(super) dropped: Vec<(usize, Vec<String>)>,
    /// Lines of the part that quote the file's form of what follows them.
    pub(super) quoted: Range<usize>,
    /// The head of that form in the file: all of it may go.
    pub(super) quoted_head: Option<usize>,
    /// The number of statements between shown ones that stay.
    pub(super) hidden_statements: usize,
    /// The line of the file that gets a comma, since an entry follows it now.
    pub(super) comma: Option<usize>,
    /// The head of each line's scope.
    parents: Vec<usize>,
    scopes: HashMap<usize, Rc<Scope>>,
    /// How often each word is in the file, and in the part.
    pub(super) words: OnceCell<[WordCounts<'m>; 2]>,
    pub(super) known: HashSet<&'m str>,
    /// The same without semicolons.
    pub(super) flats: HashSet<String>,
    heads: HashMap<&'m str, Vec<usize>>,
    keys: HashMap<&'m Key, Vec<usize>>,
    /// The heads of statements with a comment above.
    remarks: HashMap<MatchStep, Vec<usize>>,
    pub(super) imports: Vec<Unit>,
    /// Each of them as one line.
    pub(super) import_texts: HashSet<String>,
}

impl<'m, 'a> Merger<'m, 'a> {
    pub(super) fn new(
        file: &'m Layout<'a>,
        part: &'m Layout<'a>,
        is_marker: Vec<bool>,
        label: &'m Part<'m>,
    ) -> Merger<'m, 'a> {
        // Each line of the file is looked up by its text many times, so it is indexed once.
        let text = (0..file.len()).filter(|at| !file.blank[*at]);
        let mut merger = Merger {
            shifter: Shifter::new(file, part),
            known: text.clone().map(|at| file.norm[at].as_str()).collect(),
            flats: text.map(|at| flat_text(&file.norm[at])).collect(),
            parents: parents(file),
            file,
            part,
            is_marker,
            label,
            edits: Vec::new(),
            notes: Vec::new(),
            covered: Vec::new(),
            narrowed: Vec::new(),
            dropped: Vec::new(),
            quoted: 0..0,
            quoted_head: None,
            hidden_statements: 0,
            comma: None,
            words: OnceCell::new(),
            scopes: HashMap::new(),
            heads: HashMap::new(),
            keys: HashMap::new(),
            remarks: HashMap::new(),
            imports: Vec::new(),
            import_texts: HashSet::new(),
        };
        merger.index();
        merger
    }

    fn index(&mut self) {
        let file = self.file;
        let mut imports = Vec::new();
        for at in 0..file.len() {
            if self.parents[at] == NONE || file.is_comment(at) {
                continue;
            }
            self.heads.entry(file.norm[at].as_str()).or_default().push(at);
            if at > 0 && file.is_comment(at - 1) {
                let start = (0..at).rfind(|above| !file.is_comment(*above)).map_or(0, |above| above + 1);
                let unit = Unit { start, head: at, end: at + 1, key: file.keys[at].clone() };
                if let Some(remark) = remark_above(file, &unit, true) {
                    self.remarks.entry(remark).or_default().push(at);
                }
            }
            let Some(key) = &file.keys[at] else { continue };
            if key.kind == Kind::Import {
                imports.push(at);
            }
            let is_found = key.kind.is_definition()
                || matches!(key.kind, Kind::Call | Kind::Default | Kind::Var | Kind::Part | Kind::Key);
            let is_argument = key.kind == Kind::Var && matches!(file.bracket[at], b'(' | b'[');
            if is_found && !is_argument {
                self.keys.entry(key).or_default().push(at);
            }
        }
        self.imports = imports.into_iter().map(|at| self.unit_at(at)).collect();
        self.import_texts = self.imports.iter().map(|import| flat(file, import)).collect();
    }

    pub(super) fn parent(&self, line: usize) -> usize {
        self.parents[line]
    }

    /// Returns the lines of the file that may be the unit's head: those with its text, else those with its key, which all
    /// clauses of a function have.
    pub(super) fn candidates(&self, unit: &Unit) -> Cow<'_, [usize]> {
        let text = unit.text(self.part);
        let is_telling = crate::source::letters(text) >= 4 || matches!(text, "{" | "[");
        if is_telling && let Some(lines) = self.heads.get(text) {
            return lines.into();
        }
        match &unit.key {
            Some(key) if key.kind == Kind::Def => {
                let lines = self.keys.get(key).map_or(&[][..], Vec::as_slice).iter().copied();
                lines.filter(|line| !self.is_other_function(unit.head, *line)).collect()
            }
            Some(key) if key.kind == Kind::Rule && !self.keys.contains_key(key) => {
                let is_shorter = |(there, _): &(&&Key, &Vec<usize>)| key.has_selectors_of(there);
                self.keys.iter().filter(is_shorter).flat_map(|(_, lines)| lines).copied().collect()
            }
            Some(key) if !matches!(key.kind, Kind::Comment | Kind::Import | Kind::Element | Kind::Entry) => {
                self.keys.get(key).map_or(&[][..], Vec::as_slice).into()
            }
            _ => {
                let remark = remark_above(self.part, unit, true);
                remark.and_then(|remark| self.remarks.get(&remark)).map_or(&[][..], Vec::as_slice).into()
            }
        }
    }

    pub(super) fn scope(&mut self, head: usize) -> Rc<Scope> {
        if let Some(scope) = self.scopes.get(&head) {
            return Rc::clone(scope);
        }
        let file = self.file;
        let scope = if head == FILE {
            Scope {
                units: units(file, 0..file.len()),
                name: None,
                is_function: false,
                is_class: false,
                is_outer: true,
            }
        } else {
            let is_behind =
                |at: &usize| !file.blank[*at] && !file.inside[*at] && file.indent[*at] <= file.indent[head];
            // A head of several lines ends where its body does, not at its first indentation.
            let end = if file.continues[head] {
                (head + 1..file.len()).find(is_behind).unwrap_or(file.len())
            } else {
                extent(file, head, file.len())
            };
            // The lines behind `} catch (error) {` are those of another scope.
            let is_branch = |at: &usize| {
                file.continues[*at]
                    && file.indent[*at] == file.indent[head]
                    && branch(&file.norm[*at]).is_some()
            };
            let end = (head + 1..end).find(is_branch).unwrap_or(end);
            let unit = Unit { start: head, head, end, key: file.keys[head].clone() };
            let lines = body(file, &unit, &[]);
            let units = lines.map_or_else(Vec::new, |lines| units(file, lines));
            let is_function = file.is_function(head);
            let is_class = unit.is(Kind::Class);
            Scope { units, name: Some(unit.name(file)), is_function, is_class, is_outer: false }
        };
        let scope = Rc::new(scope);
        self.scopes.insert(head, Rc::clone(&scope));
        scope
    }

    pub(super) fn unit_at(&mut self, head: usize) -> Unit {
        let scope = self.scope(self.parents[head]);
        let at = scope.units.partition_point(|unit| unit.head < head);
        match scope.units.get(at) {
            Some(unit) if unit.head == head => unit.clone(),
            _ => {
                let file = self.file;
                Unit { start: head, head, end: extent(file, head, file.len()), key: file.keys[head].clone() }
            }
        }
    }

    pub(super) fn has_marker(&self, lines: Range<usize>) -> bool {
        self.is_marker[lines].contains(&true)
    }

    /// Returns lines of the part such that the line `head` stands as the file's line `like`.
    pub(super) fn shifted(&self, lines: Range<usize>, head: usize, like: usize) -> Vec<String> {
        self.shifter.shift(self.part, lines, head, indent_of(self.file.lines[like]))
    }

    pub(super) fn edit(&mut self, lines: Range<usize>, new: Vec<String>) {
        self.edits.push(Edit { lines, new, is_above_unit: false });
    }

    pub(super) fn note(&mut self, kind: NoteKind, unit: &str, lines: Range<usize>) {
        self.notes.push(Note::new(kind, excerpt(unit), lines));
    }

    pub(super) fn guess(&mut self, kind: NoteKind, unit: &str, lines: Range<usize>) {
        self.notes.push(Note::new(kind, excerpt(unit), lines).guess());
    }

    // Says of the last note whether it is a guess.
    pub(super) fn set_guess(&mut self, is_guess: bool) {
        if let Some(note) = self.notes.last_mut() {
            note.is_guess = is_guess;
        }
    }

    // Drops the blank lines above what was inserted last.
    pub(super) fn drop_blanks_above(&mut self) {
        if let Some(edit) = self.edits.last_mut() {
            let blanks = edit.new.iter().take_while(|line| line.is_empty()).count();
            edit.new.drain(..blanks);
        }
    }

    // The code in the words above the part.
    pub(super) fn code_spans(&self) -> impl Iterator<Item = &'m str> + use<'m> {
        self.label.words.split('`').skip(1).step_by(2)
    }

    pub(super) fn clear(&mut self) {
        self.edits.clear();
        self.notes.clear();
        self.covered.clear();
        self.narrowed.clear();
        self.dropped.clear();
        self.quoted = 0..0;
        self.quoted_head = None;
        self.comma = None;
        self.hidden_statements = 0;
    }

    /// Returns true if the answer removes the unit by name.
    pub(super) fn is_removed(&self, unit: &Unit) -> bool {
        unit.key.as_ref().is_some_and(|key| self.label.removals.contains(&key.name.as_str()))
    }

    /// Checks that new units leave nothing out.
    pub(super) fn check_whole(&self, run: &[Unit]) -> Result<(), Stop> {
        for unit in run {
            if self.has_marker(unit.start..unit.end) {
                let name = excerpt(&unit.name(self.part));
                return Err(Stop::new(
                    Reason::Elided,
                    format!("`{name}` is new, and the part leaves out lines of it"),
                ));
            }
        }
        Ok(())
    }
}

/// Returns the head of each line's scope.
pub(super) fn parents(file: &Layout<'_>) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    let mut parents = vec![NONE; file.len()];
    for (at, parent) in parents.iter_mut().enumerate() {
        if file.blank[at] || file.inside[at] {
            continue;
        }
        let is_branch = file.continues[at] && branch(&file.norm[at]).is_some();
        if file.continues[at] && !is_branch {
            continue;
        }
        while open.last().is_some_and(|head| file.indent[*head] >= file.indent[at]) {
            open.pop();
        }
        if is_branch {
            open.push(at);
            continue;
        }
        *parent = open.last().copied().unwrap_or(FILE);
        open.push(at);
    }
    parents
}

pub(super) fn shown_units(items: &[Item]) -> impl Iterator<Item = &Unit> {
    items.iter().filter_map(Item::unit)
}
