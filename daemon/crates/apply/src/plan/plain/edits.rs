//! Edits of a file that exists, as an answer shows them without an edit block: parts, replacements, diffs, and
//! text for a place.
//!
//! ````text
//! file              answer                          edit
//! def a(): …        `src/a.py`: def b(): new        part: merged by lines or by units
//! def b(): old      Replace `old` with: new         replacement: the ladder, exactly one place
//! ````
//!
//! Pure: the file's text in, the new text or a reason out. Nothing is ever placed by similarity.

use std::collections::{HashMap, HashSet};

use clada_dialects::plain::{Form, is_list, numbered_lines, numbered_place};
use clada_edit::{
    Expect, Match, PatchFailure, Rung, Text, apply_hunks_tolerant, replace_text, replacing_hunk,
};
use clada_merge::Losses;
use clada_protocol::ProposalForm;
use clada_schema::{Hunk, HunkLine};

use super::anchor_line::block_end;
use super::heads::{definitions, is_header, lines_defining};
use super::import_lines;
use super::insertion;
use super::old_form;
use super::plain_edit::{EditOutcome, EditedText, PlainEdit, dedented, indent_of};
use super::replacing::{self, DividedCode};
use super::section_place;
use super::signed;
use super::types;
use super::words;

impl PlainEdit<'_> {
    pub(super) fn apply(&self, file: &str) -> EditOutcome {
        if matches!(self.form, Form::Code | Form::Beside { .. })
            && let Some(done) = section_place::section(self, file)
        {
            return done;
        }
        match self.form {
            Form::Code => self.code(file),
            Form::Replacement { old } if self.is_listing_around(file, old) => self.part(file),
            Form::Replacement { old } if let Some(pieces) = replacing::divided(self, file, old) => {
                self.replacement_with_rest(file, old, &pieces)
            }
            Form::Replacement { old } if replacing::is_too_long(self, file, old) => {
                EditOutcome::Refused(format!("it shows several statements, and `{old}` is a part of a line"))
            }
            Form::Replacement { old } => match self.replacement(file, old) {
                EditOutcome::Refused(reason)
                    if !definitions(&dedented(self.content), self.path).is_empty() =>
                {
                    match self.part(file) {
                        EditOutcome::Refused(_) => EditOutcome::Refused(reason),
                        merged => merged,
                    }
                }
                done => done,
            },
            Form::Lines { first, last } => self.numbered(file, *first, *last),
            Form::Value { name } => self.value(file, name),
            // Context that stands as in the file: the signs are in place of its first blank, or before it.
            Form::Diff
                if signed::has_unshifted_context(file, self.content)
                    && let Some(code) = signed::read(file, self.content, self.path) =>
            {
                self.signed(file, &code)
            }
            Form::Diff => match self.diff(file) {
                // Lines of code may begin with signs, too.
                EditOutcome::Refused(reason) if !self.is_named_diff => match self.part(file) {
                    EditOutcome::Refused(_) => EditOutcome::Refused(reason),
                    done => done,
                },
                done => done,
            },
            Form::Append | Form::Prepend | Form::Beside { .. } | Form::Within { .. } | Form::Edge { .. } => {
                insertion::apply(self, file)
            }
            Form::Delete | Form::Move { .. } | Form::Commands => {
                EditOutcome::Refused("this is not an edit of a text".to_owned())
            }
        }
    }

    fn code(&self, file: &str) -> EditOutcome {
        if let Some(code) = signed::read(file, self.content, self.path) {
            return self.signed(file, &code);
        }
        if let Some(text) = indented_anew(file, self.content) {
            let notes = vec!["Changes nothing but indentation.".to_owned()];
            let form = ProposalForm::Part;
            return EditOutcome::Changed(EditedText { text, form, notes, is_by_structure: true });
        }
        // A line whose number is given is for that line, or none.
        let is_numbered = numbered_lines(self.words).is_some();
        if is_numbered && is_listing_of_lines(self.content) {
            return EditOutcome::Refused("it lists lines of the file with their numbers".to_owned());
        }
        if self.content.trim().lines().count() == 1 && is_numbered {
            let refusal =
                || EditOutcome::Refused("the line with that number is not similar to it".to_owned());
            return self.at_numbers(file).unwrap_or_else(refusal);
        }
        // A head alone is no function without a body.
        if old_form::is_head_alone(self) {
            let refusal = || EditOutcome::Refused("it shows the head of a definition alone".to_owned());
            return old_form::head_alone(self, file).unwrap_or_else(refusal);
        }
        if let Some(done) = old_form::renamed(self, file) {
            return done;
        }
        let refusal = match self.part(file) {
            EditOutcome::Refused(reason) => reason,
            EditOutcome::Changed(changed) if let Some(name) = self.function_missed(file, &changed.text) => {
                format!("the words put it into `{name}`, and it would change other lines alone")
            }
            done => return done,
        };
        let placed = self
            .at_numbers(file)
            .or_else(|| old_form::replaced_line(self, file))
            .or_else(|| old_form::region_of_named(self, file))
            .or_else(|| import_lines::imports(self, file))
            .or_else(|| import_lines::behind_imports(self, file))
            .or_else(|| insertion::fields_of_named(self, file))
            .or_else(|| insertion::at_end(self, file));
        if let Some(done) = placed {
            return done;
        }
        // Two fences below one label: the first is what the file has, the second what it is to have.
        let Some(old) = self.old.filter(|old| is_form_of(old, self.content)) else {
            // A list of patterns has no order: what it lacks goes to its end.
            let leaves_out = clada_dialects::elision(self.marker).is_some();
            let is_list_of_lines = self.path.ends_with("ignore") || self.is_labelled && is_list(self.path);
            return match is_list_of_lines && !leaves_out {
                true => insertion::append_lines(file, self.content),
                false => EditOutcome::Refused(refusal),
            };
        };
        match self.replacement(file, old) {
            EditOutcome::Changed(changed) => {
                let note = "Replaces the lines that the answer shows right above it.".to_owned();
                EditOutcome::Changed(EditedText { notes: vec![note], form: ProposalForm::Part, ..changed })
            }
            EditOutcome::Already => EditOutcome::Already,
            EditOutcome::Refused(_) => EditOutcome::Refused(refusal),
        }
    }

    // Returns the function of `file` into which the words above put the content, if that is no definition itself, and `new`
    // changes nothing of the function.
    fn function_missed(&self, file: &str, new: &str) -> Option<&str> {
        if !definitions(self.content, self.path).is_empty() {
            return None;
        }
        let lines: Vec<&str> = file.lines().collect();
        let names = words::code_spans(self.words).map(|span| span.trim_end_matches("()"));
        let functions = names.filter(|name| types::is_place(self.words, name)).filter_map(|name| {
            let [head] = lines_defining(file, self.path, name)[..] else { return None };
            Some((name, head..block_end(&lines, head)))
        });
        let functions: Vec<_> = functions.filter(|(_, block)| block.len() > 1).collect();
        let (name, _) = functions.first()?;
        let changed = clada_edit::changes(&lines, &new.lines().collect::<Vec<_>>());
        let is_within = |block: &std::ops::Range<usize>| {
            changed.iter().any(|change| change.old.start <= block.end && block.start <= change.old.end)
        };
        (!functions.iter().any(|(_, block)| is_within(block))).then_some(*name)
    }

    // Returns true if the content shows lines of the file around a line that has the new text for `old`, which the words above
    // say: "Replace `a()` with `b()`:".
    fn is_listing_around(&self, file: &str, old: &str) -> bool {
        let has: HashSet<&str> = file.lines().map(str::trim).filter(|line| line.len() > 3).collect();
        let is_said = |new: &str| new != old && new.len() > 3 && self.content.contains(new);
        self.content.trim().contains('\n')
            && words::code_spans(self.words).skip_while(|span| *span != old).skip(1).any(is_said)
            && self.content.lines().any(|line| has.contains(line.trim()))
    }

    /// Puts the content in the place of the lines that the words above it number, if they are an old form of it.
    fn at_numbers(&self, file: &str) -> Option<EditOutcome> {
        let (first, last) = numbered_place(self.words)?;
        let removals: Vec<&str> = self.removals.iter().map(String::as_str).collect();
        match self.numbered(file, first, last) {
            EditOutcome::Changed(changed)
                if Losses::between(file, &changed.text, self.path).unsaid(&removals).is_some() =>
            {
                None
            }
            EditOutcome::Changed(changed) => {
                let notes = vec![format!("Replaces line {first}, as the words above it say.")];
                Some(EditOutcome::Changed(EditedText { notes, is_by_structure: true, ..changed }))
            }
            EditOutcome::Already => Some(EditOutcome::Already),
            EditOutcome::Refused(_) => None,
        }
    }

    // Puts into the place of `old` what takes that place, if anything does, and the rest of the content where it belongs.
    fn replacement_with_rest(&self, file: &str, old: &str, pieces: &DividedCode) -> EditOutcome {
        let (text, note) = match &*pieces.new {
            "" => {
                let stays = format!("`{old}` is still there: the answer does not show what takes its place.");
                (file.to_owned(), stays)
            }
            new => match (PlainEdit { content: new, ..*self }.replacement(file, old)) {
                EditOutcome::Changed(changed) => (changed.text, format!("Replaced `{old}`.")),
                EditOutcome::Already => (file.to_owned(), format!("`{old}` is replaced already.")),
                refused @ EditOutcome::Refused(_) => return refused,
            },
        };
        // Whatever the words replace, a definition is added.
        let rest = PlainEdit { form: &Form::Code, content: &pieces.rest, old: None, words: "Add:", ..*self };
        match rest.code(&text) {
            EditOutcome::Changed(mut changed) => {
                changed.notes.insert(0, note);
                EditOutcome::Changed(changed)
            }
            EditOutcome::Already if text != file => EditOutcome::Changed(replaced(text)),
            EditOutcome::Already => {
                EditOutcome::Refused(format!("it does not show what takes the place of `{old}`"))
            }
            EditOutcome::Refused(reason) => {
                EditOutcome::Refused(format!("it shows more than what takes the place of `{old}`: {reason}"))
            }
        }
    }

    /// Puts the content in the place of `old`, a text that `file` has once.
    fn replacement(&self, file: &str, old: &str) -> EditOutcome {
        let is_inline = !old.contains('\n');
        let new = if is_inline { dedented(self.content) } else { self.content.to_owned() };
        if old.trim().is_empty() || old.trim() == new.trim() {
            return EditOutcome::Refused("the old and the new text are the same".to_owned());
        }
        let (old_lines, new_lines) = without_common_blanks(old, &new);
        let hunk = replacing_hunk(old_lines, new_lines);
        match hunks_applied(file, &[hunk], self.limit) {
            Applied::Text(text) => return EditOutcome::Changed(replaced(text)),
            Applied::Already => return EditOutcome::Already,
            Applied::Ambiguous(count) => {
                return EditOutcome::Refused(format!("the old text is at {count} places of the file"));
            }
            Applied::No => {}
        }
        let (old, new) = (old.trim_end_matches('\n'), new.trim_end_matches('\n'));
        let Ok(text) = Text::decode(file.as_bytes()) else {
            return EditOutcome::Refused(NOT_THERE.to_owned());
        };
        // Not in the middle of a word: `80` is not in `8080`.
        let inline = (is_inline && !is_inside_word(file, old))
            .then(|| replace_text(&text, old, new, Expect::ExactlyOne, self.limit));
        match inline {
            Some(Ok(edited)) => string(edited.bytes).map_or_else(
                || EditOutcome::Refused(NOT_THERE.to_owned()),
                |text| EditOutcome::Changed(replaced(text)),
            ),
            Some(Err(_)) if file.matches(old).count() > 1 => {
                EditOutcome::Refused(format!("`{old}` is at several places of the file"))
            }
            _ if file.matches(new).count() == 1 && !new.trim().is_empty() && new.len() > 8 => {
                EditOutcome::Already
            }
            _ => EditOutcome::Refused(NOT_THERE.to_owned()),
        }
    }

    /// Sets `name`, which `file` sets once, to the content.
    fn value(&self, file: &str, name: &str) -> EditOutcome {
        let lines = file.split_inclusive('\n').scan(0, |at, line| {
            *at += line.len();
            Some((*at - line.len(), line))
        });
        let mut settings = lines.filter_map(|(at, line)| {
            let value = value_of(line, name)?;
            Some(at + value.start..at + value.end)
        });
        let (Some(place), None) = (settings.next(), settings.next()) else {
            let reason = format!("`{name}` is not set in exactly one line of the file");
            return EditOutcome::Refused(reason);
        };
        let (old, new) = (&file[place.clone()], self.content.trim());
        let quote = old.chars().next().filter(|first| matches!(first, '"' | '\'') && old.ends_with(*first));
        let is_bare = new.starts_with(|c: char| c.is_alphabetic())
            && !matches!(new, "true" | "false" | "null" | "None");
        let new = match quote.filter(|_| is_bare && old.len() > 1) {
            Some(quote) => format!("{quote}{new}{quote}"),
            None => new.to_owned(),
        };
        if old == new {
            return EditOutcome::Already;
        }
        EditOutcome::Changed(replaced(format!("{}{new}{}", &file[..place.start], &file[place.end..])))
    }

    /// Puts the content in the place of the lines with these numbers, if they are an old form of it: models count badly.
    fn numbered(&self, file: &str, first: u32, last: u32) -> EditOutcome {
        let lines: Vec<&str> = file.split_inclusive('\n').collect();
        let numbers =
            usize::try_from(first).unwrap_or(usize::MAX)..=usize::try_from(last).unwrap_or(usize::MAX);
        let Some(old) = lines.get(*numbers.start() - 1..*numbers.end()) else {
            return EditOutcome::Refused(format!("the file has {} lines", lines.len()));
        };
        let old_text = old.concat();
        if old_text.trim_end() == self.content.trim_end() {
            return EditOutcome::Already;
        }
        let is_line = old.len() == 1 && self.content.trim().lines().count() == 1;
        if !(has_words_of(&old_text, self.content) || !is_line && is_form_of(&old_text, self.content)) {
            return EditOutcome::Refused(format!(
                "line {first} of the file is not what the suggestion replaces"
            ));
        }
        let indented = self.at_indentation_of(&old_text);
        let (before, after) = (lines[..*numbers.start() - 1].concat(), lines[*numbers.end()..].concat());
        let end = if old_text.ends_with('\n') { "\n" } else { "" };
        let text = format!("{before}{}{end}{after}", indented.trim_end_matches('\n'));
        EditOutcome::Changed(replaced(text))
    }

    /// The content, with the indentation that the file's lines have if it has none.
    fn at_indentation_of(&self, old: &str) -> String {
        fn first(text: &str) -> &str {
            text.lines().find(|line| !line.trim().is_empty()).map(indent_of).unwrap_or_default()
        }
        let (old_indent, own) = (first(old), first(self.content));
        if old_indent == own || !own.is_empty() {
            return self.content.to_owned();
        }
        let line = |line: &str| {
            if line.trim().is_empty() { "\n".to_owned() } else { format!("{old_indent}{line}\n") }
        };
        self.content.lines().map(line).collect()
    }

    pub(super) fn diff(&self, file: &str) -> EditOutcome {
        // The reading comes first whose old lines the file has as they are: the others only differ in indentation.
        let has: HashSet<&str> = file.lines().collect();
        let is_known = |line: &&HunkLine| match line {
            HunkLine::Context(text) | HunkLine::Removed(text) => has.contains(&**text),
            HunkLine::Added(_) => false,
        };
        let known = |hunks: &Vec<Hunk>| hunks.iter().flat_map(|hunk| &hunk.lines).filter(is_known).count();
        let contexts = [ContextStyle::Signed, ContextStyle::Bare, ContextStyle::Spaced];
        let mut readings = contexts.map(|context| hunks(self.content, context));
        readings.sort_by_cached_key(|hunks| std::cmp::Reverse(known(hunks)));
        let mut refusal = NOT_THERE.to_owned();
        for hunks in &readings {
            if hunks.iter().all(|hunk| hunk.lines.iter().all(|line| matches!(line, HunkLine::Context(_)))) {
                continue;
            }
            if hunks.iter().any(|hunk| hunk.lines.iter().all(|line| matches!(line, HunkLine::Added(_)))) {
                refusal = "the diff does not show where the new lines go".to_owned();
                continue;
            }
            match hunks_applied(file, hunks, self.limit) {
                Applied::Text(text) => return EditOutcome::Changed(replaced(text)),
                Applied::Already => return EditOutcome::Already,
                Applied::Ambiguous(count) => {
                    refusal = format!("its lines are at {count} places of the file");
                }
                Applied::No => {}
            }
        }
        // Models leave out what is between two changes without a word.
        for hunks in readings {
            if let Some(hunks) = divided_at_jumps(file, hunks)
                && let Applied::Text(text) = hunks_applied(file, &hunks, self.limit)
            {
                return EditOutcome::Changed(replaced(text));
            }
        }
        EditOutcome::Refused(refusal)
    }
}

/// Returns both texts without the blank lines with which both begin or end: a blank line that one of them has is a change.
fn without_common_blanks<'t>(old: &'t str, new: &'t str) -> (&'t str, &'t str) {
    let edges = |text: &str| {
        let before = text.len() - text.trim_start_matches('\n').len();
        (before, (text.len() - before) - text.trim_matches('\n').len())
    };
    let ((old_before, old_after), (new_before, new_after)) = (edges(old), edges(new));
    let (before, after) = (old_before.min(new_before), old_after.min(new_after).max(1));
    let cut = |text: &'t str, behind: usize| &text[before..text.len() - behind.min(after)];
    (cut(old, old_after), cut(new, new_after))
}

/// Returns `file` with the indentation that `part` gives to lines which stand there once, in a row.
fn indented_anew(file: &str, part: &str) -> Option<String> {
    let depth = |line: &str| indent_of(line).len();
    let shown: Vec<&str> = part.trim_matches('\n').lines().map(str::trim_end).collect();
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let is_here = |at: &usize| lines[*at..].iter().zip(&shown).all(|(one, other)| one.trim() == other.trim());
    let mut places = (0..=lines.len().checked_sub(shown.len())?).filter(is_here);
    let (at, None) = (places.next()?, places.next()) else { return None };
    let (head, first) = (shown.first()?, lines[at]);
    if head.is_empty() || shown.len() < 2 {
        return None;
    }
    // All of it may be less deep than in the file, or the first line alone.
    let (own, indentation) = (&head[..depth(head)], &first[..depth(first)]);
    let second = shown[1..].iter().position(|line| !line.is_empty())? + 1;
    let is_cut = own.is_empty() && depth(shown[second]) == depth(lines[at + second]);
    let line = |(number, line): (usize, &&str)| {
        let end = &lines[at + number][lines[at + number].trim_end().len()..];
        let text = match line.strip_prefix(own) {
            _ if line.is_empty() => String::new(),
            Some(rest) if number == 0 || !is_cut => format!("{indentation}{rest}"),
            _ => (*line).to_owned(),
        };
        format!("{text}{end}")
    };
    let new: String = shown.iter().enumerate().map(line).collect();
    let old = lines[at..at + shown.len()].concat();
    (new != old).then(|| format!("{}{new}{}", lines[..at].concat(), lines[at + shown.len()..].concat()))
}

/// Returns the place of the value that `line` gives to `name`: `name = 1`, `const name: u8 = 1;`, `"name": 1,`. `None`
/// if it does not, or the value goes on in further lines.
fn value_of(line: &str, name: &str) -> Option<std::ops::Range<usize>> {
    const BEFORE: &[&str] = &[
        "const",
        "let",
        "var",
        "export",
        "pub",
        "static",
        "final",
        "public",
        "private",
        "protected",
        "readonly",
        "mut",
        "val",
        "set",
        "ENV",
        "ARG",
        "-",
        "int",
        "auto",
    ];
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '@');
    let at = line.find(name)?;
    let (before, behind) = (&line[..at], &line[at + name.len()..]);
    let is_declared =
        before.split_whitespace().all(|word| BEFORE.contains(&word) || matches!(word, "\"" | "'"));
    if before.ends_with(is_word) || behind.starts_with(is_word) || !is_declared {
        return None;
    }
    let text = behind.trim_start_matches(['"', '\'']).trim_start();
    let sign = match (text.find('='), text.find(':')) {
        // A type stands between the name and its value.
        (Some(equals), Some(0)) if text[1..equals].chars().all(|c| is_word(c) || " <>[]|&:".contains(c)) => {
            equals + 1
        }
        (Some(0), _) | (_, Some(0)) => 1,
        _ => return None,
    };
    let value = text[sign..].trim_start();
    if value.starts_with('=') || text[..sign].is_empty() {
        return None;
    }
    let quoted =
        value.chars().next().filter(|c| matches!(c, '"' | '\'')).and_then(|quote| value[1..].find(quote));
    let length = match quoted {
        Some(end) => end + 2,
        None => [" #", " //", " --", "\t#"]
            .iter()
            .filter_map(|sign| value.find(sign))
            .min()
            .unwrap_or(value.len()),
    };
    let value_text = value[..length].trim_end().trim_end_matches([',', ';']).trim_end();
    let opens = |c: char| matches!(c, '(' | '[' | '{');
    let closes = |c: char| matches!(c, ')' | ']' | '}');
    let start = line.len() - value.len();
    (!value_text.is_empty() && value_text.matches(opens).count() == value_text.matches(closes).count())
        .then_some(start..start + value_text.len())
}

const NOT_THERE: &str = "the file does not have the old lines";

fn replaced(text: String) -> EditedText {
    EditedText { text, form: ProposalForm::Replacement, notes: Vec::new(), is_by_structure: false }
}

enum Applied {
    Text(String),
    Already,
    Ambiguous(usize),
    No,
}

/// Applies `hunks` where nothing but blanks at line ends, blank lines around them and indentation differs.
fn hunks_applied(file: &str, hunks: &[Hunk], limit: usize) -> Applied {
    let Ok(text) = Text::decode(file.as_bytes()) else { return Applied::No };
    match apply_hunks_tolerant(&text, hunks, Match::Tolerant, limit) {
        Ok(patched) if patched.unchanged => Applied::Already,
        Ok(patched)
            if patched.chosen.is_empty()
                && patched.matched_by.iter().all(|rung| *rung <= Rung::AlreadyApplied) =>
        {
            string(patched.bytes).map_or(Applied::No, Applied::Text)
        }
        Ok(_) => Applied::No,
        Err(error) => match error.failure {
            PatchFailure::Ambiguous { count, .. } => Applied::Ambiguous(count),
            PatchFailure::AlreadyInFile { .. } => Applied::Already,
            _ => Applied::No,
        },
    }
}

fn string(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContextStyle {
    /// With a blank for a sign, as in a diff.
    Signed,
    Bare,
    /// All signs are followed by a blank.
    Spaced,
}

fn hunks(content: &str, context: ContextStyle) -> Vec<Hunk> {
    let mut hunks = vec![Hunk::default()];
    let without_blank = |text: &str| match context {
        ContextStyle::Spaced => text.strip_prefix(' ').unwrap_or(text).to_owned(),
        _ => text.to_owned(),
    };
    let lines: Vec<&str> = content.lines().collect();
    // `--- x` alone is the removal of `-- x`, and a line of a hunk is no header.
    let first = lines.iter().position(|line| line.starts_with([' ', '+', '-']));
    let is_pair = |at: usize| {
        let begins = |at: usize, sign: &str| lines.get(at).is_some_and(|line| line.starts_with(sign));
        begins(at, "--- ") && begins(at + 1, "+++ ") && (first == Some(at) || begins(at + 2, "@@"))
    };
    for (at, line) in lines.iter().copied().enumerate() {
        let is_header =
            is_pair(at) || at.checked_sub(1).is_some_and(is_pair) || line.starts_with("diff --git ");
        if line.starts_with("@@") || is_header || is_gap(line) {
            hunks.push(Hunk::default());
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        hunk.lines.push(match line.bytes().next() {
            Some(b'+') => HunkLine::Added(without_blank(&line[1..])),
            Some(b'-') => HunkLine::Removed(without_blank(&line[1..])),
            Some(b' ') if context != ContextStyle::Bare => HunkLine::Context(without_blank(&line[1..])),
            Some(b'\\') => continue,
            _ => HunkLine::Context(line.to_owned()),
        });
    }
    // Models put blank lines between hunks, which no diff program writes: as context they would have to
    // match.
    for hunk in &mut hunks {
        let is_blank = |line: &HunkLine| matches!(line, HunkLine::Context(text) if text.trim().is_empty());
        while hunk.lines.last().is_some_and(is_blank) {
            hunk.lines.pop();
        }
        let blank = hunk.lines.iter().take_while(|line| is_blank(line)).count();
        hunk.lines.drain(..blank);
    }
    hunks.retain(|hunk| !hunk.lines.is_empty());
    hunks
}

/// Returns `hunks`, divided where their next old line is not the next one of `file`; `None` if there is no such place, or
/// if a new line stands at one, which may belong to either side.
fn divided_at_jumps(file: &str, hunks: Vec<Hunk>) -> Option<Vec<Hunk>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in file.lines().enumerate() {
        places.entry(line.trim_end()).or_default().push(at);
    }
    let count = hunks.len();
    let mut divided = Vec::new();
    for hunk in hunks {
        let (mut part, mut next, mut is_open) = (Hunk::default(), None::<Vec<usize>>, false);
        for line in hunk.lines {
            let (HunkLine::Context(text) | HunkLine::Removed(text)) = &line else {
                is_open = true;
                part.lines.push(line);
                continue;
            };
            let all = places.get(text.trim_end())?;
            // A line can occur several times: every place that continues the run so far stays in question.
            let on = next.as_ref().map(|next| all.iter().copied().filter(|at| next.contains(at)).collect());
            let here: Vec<usize> = match on {
                Some(on) if !Vec::is_empty(&on) => on,
                Some(_) if is_open => return None,
                Some(_) => {
                    divided.push(std::mem::take(&mut part));
                    all.clone()
                }
                None => all.clone(),
            };
            next = Some(here.into_iter().map(|at| at + 1).collect());
            is_open = false;
            part.lines.push(line);
        }
        divided.push(part);
    }
    let is_change = |hunk: &Hunk| !hunk.lines.iter().all(|line| matches!(line, HunkLine::Context(_)));
    let is_divided = divided.len() > count;
    divided.retain(is_change);
    is_divided.then_some(divided)
}

/// Returns true if a line of a diff, one that stays, says that lines are left out.
fn is_gap(line: &str) -> bool {
    !line.starts_with(['+', '-']) && clada_dialects::elision(line.trim()).is_some()
}

/// Returns true if `new` may be another form of `old`: they begin or end alike, or have a third of the lines in
/// common, or are one line each.
fn is_form_of(old: &str, new: &str) -> bool {
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (lines(old), lines(new));
    let (Some(_), Some(_)) = (old.first(), new.first()) else { return false };
    let common = new.iter().filter(|line| old.contains(line)).count();
    let is_short = old.len() == 1 && new.len() == 1;
    // Half a text that goes for a few lines is no other form of it.
    let is_like = 3 * common >= old.len() || old.first() == new.first() || old.last() == new.last();
    is_short || is_like && 2 * new.len() >= old.len()
}

// Returns true if lines of `text` begin with the number that they have in a file: `Line 3: x = 1`.
fn is_listing_of_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let rest = ["Line ", "line ", "L", "Zeile ", "第"]
            .iter()
            .find_map(|word| line.trim_start().strip_prefix(word));
        let number = rest.map_or(0, |rest| rest.bytes().take_while(u8::is_ascii_digit).count());
        number > 0 && rest.is_some_and(|rest| rest[number..].starts_with([':', '行']))
    })
}

/// Returns true if `text` is in `file` as a part of a longer word or number.
fn is_inside_word(file: &str, text: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (starts, ends) = (text.starts_with(is_word), text.ends_with(is_word));
    file.match_indices(text).any(|(at, _)| {
        let before = file[..at].chars().next_back().is_some_and(is_word);
        let behind = file[at + text.len()..].chars().next().is_some_and(is_word);
        starts && before || ends && behind
    })
}

/// Returns true if at least half of the words of one of the two texts are words of the other. An import in the place of
/// another has all of its words: beside it stand others of the same form.
fn has_words_of(old: &str, new: &str) -> bool {
    let is_import = is_header(old);
    let (old, new) = (words::of_code(old), words::of_code(new));
    let common = old.intersection(&new).count();
    common > 0 && (!is_import || old.is_subset(&new)) && 2 * common >= old.len().min(new.len())
}
