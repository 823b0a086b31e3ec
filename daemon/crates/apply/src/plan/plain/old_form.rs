//! Code that takes the place of an old form of itself, which the words above it name: a definition, a line, some lines.
//!
//! Pure. What has two old forms has none.

use std::collections::HashSet;

use super::anchor_line::{block_end, first_attached, is_within_named};
use super::heads::{all_definitions, definitions, lines_defining};
use super::inserted_text::{doubled, guessed_part};
use super::plain_edit::{EditOutcome, PlainEdit, dedented, indent_of, indented};
use super::words;

// Replaces the definition that the words above say goes for the content, which has another name.
pub(super) fn renamed(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let name = clada_dialects::plain::replaced_name(edit.words)?;
    let [at] = lines_defining(file, edit.path, name)[..] else { return None };
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let content = dedented(edit.content.trim_matches('\n'));
    let is_one = definitions(&content, edit.path).len() == 1;
    if !is_one || doubled(edit, file).is_some() {
        return None;
    }
    let is_comment =
        |line: &str| ["//", "#", "--", "/*", "*"].iter().any(|sign| line.trim_start().starts_with(sign));
    let first = if content.lines().next().is_some_and(is_comment) { first_attached(&lines, at) } else { at };
    let shifted = indented(&content, indent_of(lines[at]));
    let rest = lines[block_end(&lines, at)..].concat();
    let text = format!("{}{shifted}{rest}", lines[..first].concat());
    Some(guessed_part(text, format!("Replaced `{name}`, as the words above it say.")))
}

// Replaces the one line that is an old form of the content, one line itself: in the definition that the words above name, or
// the only one that gives the same name a value.
pub(super) fn replaced_line(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let new = edit.content.trim();
    if new.contains('\n') || words::has_add(edit.words) || words::says_add(edit.words) {
        return None;
    }
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let places: Vec<usize> = match assigned(new) {
        Some(head) => (0..lines.len()).filter(|at| assigned(lines[*at]) == Some(head)).collect(),
        None => {
            let first = first_word(new);
            let begins = |line: &str| !first.is_empty() && first_word(line) == first;
            let is_said = words::code_spans(edit.words).any(|span| span == first);
            let is_named = |at: usize| is_said || is_within_named(file, edit.path, at, "", edit.words);
            (0..lines.len()).filter(|at| begins(lines[*at]) && is_named(*at)).collect()
        }
    };
    let [at] = places[..] else { return None };
    let old = lines[at];
    // A statement that goes on in the next line is more than that.
    let is_whole = |line: &str| {
        line.matches(['(', '[', '{']).count() == line.matches([')', ']', '}']).count()
            && !line.trim_end().ends_with([',', '=', '+', '|', '&', '.', '\\'])
    };
    let goes_on =
        lines.get(at + 1).is_some_and(|next| next.trim_start().starts_with(['.', '?', '&', '|', '+']));
    if !is_line_form_of(old, new) || !is_whole(old) || !is_whole(new) || goes_on || old.trim() == new {
        return None;
    }
    let own = indent_of(old);
    let end = &old[old.trim_end().len()..];
    let text = format!("{}{own}{new}{end}{}", lines[..at].concat(), lines[at + 1..].concat());
    Some(guessed_part(text, format!("Took `{}` as the old form of the line: a guess.", old.trim())))
}

// Returns true if the content is one line, which begins the block of a definition.
pub(super) fn is_head_alone(edit: &PlainEdit<'_>) -> bool {
    let line = edit.content.trim();
    !line.contains('\n') && line.ends_with(['{', ':']) && !all_definitions(line, edit.path).is_empty()
}

// Replaces the head of the definition of which the content shows a new head: "Change the signature to:".
pub(super) fn head_alone(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let new = edit.content.trim();
    let end = new.chars().next_back()?;
    let name = all_definitions(new, edit.path).pop()?;
    let name = name.rsplit([' ', ':', '.']).next()?;
    let [at] = lines_defining(file, edit.path, name)[..] else { return None };
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let old = lines[at].trim_end();
    if !old.ends_with(end) || old.trim() == new || block_end(&lines, at) == at + 1 {
        return None;
    }
    let tail = &lines[at][old.len()..];
    let text = format!("{}{}{new}{tail}{}", lines[..at].concat(), indent_of(old), lines[at + 1..].concat());
    Some(guessed_part(text, format!("Replaced the head of `{name}`, which the answer shows alone.")))
}

// Returns the name, perhaps with its type, to which `line` gives a value.
pub(super) fn assigned(line: &str) -> Option<&str> {
    Some(line.split_once(" = ")?.0.trim()).filter(|head| !head.is_empty())
}

pub(super) fn first_word(line: &str) -> &str {
    let text = line.trim();
    &text[..text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

// Returns true if more than half of the words of one of two lines are words of the other.
pub(super) fn is_line_form_of(old: &str, new: &str) -> bool {
    let (one, other) = (words::of_code(old), words::of_code(new));
    2 * one.intersection(&other).count() > one.len().min(other.len())
}

// Replaces the lines between the old forms of the content's first and last line, in the definition that the words above name.
//
// ````text
// def load(path):            "In `load`:"        def load(path):
//     data = read(path)      data = read(path, x)    data = read(path, x)
//     log(data)              log(data)               log(data)
//     return data            return data or []       return data or []
// ````
pub(super) fn region_of_named(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let content = dedented(edit.content.trim_matches('\n'));
    let shown: Vec<&str> = content.lines().filter(|line| !line.trim().is_empty()).collect();
    let ([first, .., last], None) = (&shown[..], clada_dialects::elision(edit.marker)) else { return None };
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let is_old = |line: &str, new: &str| {
        let is_same = line.trim() == new.trim();
        let heads = (assigned(line), assigned(new));
        let begins = match heads {
            (Some(one), Some(other)) => one == other.trim(),
            (None, None) => first_word(line) == first_word(new) && is_line_form_of(line, new),
            _ => false,
        };
        is_same || begins
    };
    let names = words::code_spans(edit.words).map(|span| span.trim_end_matches("()"));
    // The first and the last line give the region: between them most lines stay.
    names.filter(|name| !name.is_empty()).find_map(|name| {
        let [head] = lines_defining(file, edit.path, name)[..] else { return None };
        let body = head + 1..block_end(&lines, head);
        let only = |new: &str| {
            let mut all = body.clone().filter(|at| is_old(lines[*at], new));
            let (at, None) = (all.next()?, all.next()) else { return None };
            Some(at)
        };
        let (begin, end) = (only(first)?, only(last)?);
        let region = lines.get(begin..=end)?;
        let has: HashSet<&str> = shown.iter().map(|line| line.trim()).collect();
        let old: Vec<&&str> = region.iter().filter(|line| !line.trim().is_empty()).collect();
        let stays = old.iter().filter(|line| has.contains(line.trim())).count();
        if 2 * stays < old.len() || indent_of(lines[begin]).len() != indent_of(lines[end]).len() {
            return None;
        }
        let new = indented(&content, indent_of(lines[begin]));
        let text = format!("{}{new}{}", lines[..begin].concat(), lines[end + 1..].concat());
        let count = clada_protocol::count_of(old.len(), "line");
        Some(guessed_part(text, format!("Replaced {count} of `{name}`: a guess.")))
    })
}

#[cfg(test)]
mod tests {
    use clada_dialects::plain::Form;

    use super::*;

    #[test]
    fn regression_some_lines_of_a_function_that_words_name_take_the_place_of_their_old_form() {
        let file = "def bill(room):\n    total = price(room)\n    log(total)\n    save(total)\n    return total\n\n\ndef price(room):\n    return room.price\n";
        let content = "total = price(room, 2)\nlog(total)\nsave(total)\nmail(total)\nreturn round(total)\n";
        let edit = PlainEdit {
            form: &Form::Code,
            content,
            old: None,
            path: "bill.py",
            is_named_diff: false,
            is_labelled: false,
            words: "Update the end of `bill`:",
            removals: &[],
            marker: "",
            limit: usize::MAX,
        };
        let Some(EditOutcome::Changed(changed)) = region_of_named(&edit, file) else { panic!("no place") };
        let new = "def bill(room):\n    total = price(room, 2)\n    log(total)\n    save(total)\n    mail(total)\n    return round(total)\n\n\ndef price(room):\n    return room.price\n";
        assert_eq!(changed.text, new);
        // Words that name no function, and lines of which most would go.
        assert!(region_of_named(&PlainEdit { words: "Update it:", ..edit }, file).is_none());
        let other = "total = 1\na()\nb()\nreturn total\n";
        assert!(region_of_named(&PlainEdit { content: other, ..edit }, file).is_none());
    }
}
