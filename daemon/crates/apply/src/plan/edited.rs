//! Places of an action that the user edited before it is applied.
//!
//! Pure. An edit is known by the lines that the plan showed, not by a number, so that it fits again when the file
//! has moved on, and fails when the change is another one:
//!   file     a, b, c          plan      line 2 becomes "B"         edit      "B" becomes "BB"
//!   now      x, a, b, c       planned   line 3 becomes "B"         result    x, a, BB, c

use clada_edit::Change;
use clada_protocol::ErrorKind;

use crate::effect::Effect;
use crate::failure::Failure;
use crate::read::answer::{EditedLines, Step};

/// Returns the text with the lines of `edit`, of a change from `old` to `new`; `None` if that is another change.
fn applied(edit: &EditedLines, old: &str, new: &str) -> Option<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let changes = clada_edit::changes(&old, &new);
    let fits = |at: &usize| {
        let (from, to) = place_in_new(&changes, *at, *at + edit.removed.len())?;
        let is_it = new.get(from..to)? == edit.added && old[*at..*at + edit.removed.len()] == edit.removed;
        is_it.then_some((from, to))
    };
    let last = old.len().checked_sub(edit.removed.len())?;
    let at = (0..=last).filter(|at| fits(at).is_some()).min_by_key(|at| at.abs_diff(edit.start))?;
    let (from, to) = fits(&at)?;
    let before = new[..from].iter().copied();
    let lines = edit.lines.iter().map(String::as_str);
    Some(before.chain(lines).chain(new[to..].iter().copied()).collect())
}

pub(super) fn with_edited(step: &Step, effect: Effect) -> Result<Effect, Failure> {
    if step.edited.is_empty() {
        return Ok(effect);
    }
    let Effect::Write(mut write) = effect else { return Err(no_longer(&effect)) };
    for edit in &step.edited {
        let texts = std::str::from_utf8(write.old.as_deref().unwrap_or_default())
            .ok()
            .zip(std::str::from_utf8(&write.new).ok());
        match texts.and_then(|(old, new)| applied(edit, old, new)) {
            Some(text) => write = write.with_new(text.into_bytes().into()),
            None => return Err(no_longer(&Effect::Write(write))),
        }
    }
    Ok(Effect::Write(write))
}

/// Returns where the lines of the old side from `start` to `end` are in the new one; `None` if a change crosses
/// one of these borders.
fn place_in_new(changes: &[Change], start: usize, end: usize) -> Option<(usize, usize)> {
    let crosses =
        |border: usize| changes.iter().any(|change| change.old.start < border && border < change.old.end);
    if crosses(start) || crosses(end) {
        return None;
    }
    // What is inserted at `start` belongs to it, and so does what is inserted at `end`.
    let before = changes.iter().rfind(|change| change.old.end <= start && change.old.start < start);
    let until = changes.iter().rfind(|change| change.old.end <= end);
    let at = |change: Option<&Change>, border: usize| {
        change.map_or(border, |change| border - change.old.end + change.new.end)
    };
    Some((at(before, start), at(until, end)))
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn no_longer(effect: &Effect) -> Failure {
    let issue = "This is no longer the change that you edited";
    Failure::at(ErrorKind::Conflict, issue, effect.first_path(), "CONFLICT")
        .hint("show the answer again, and edit it as it is now")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_takes_the_place_of_the_lines_that_were_shown() {
        let edit = |start, removed: &[&str], added: &[&str], lines: &[&str]| {
            let owned = |lines: &[&str]| lines.iter().map(|line| format!("{line}\n")).collect();
            EditedLines { start, removed: owned(removed), added: owned(added), lines: owned(lines) }
        };
        let text = |lines: &str| lines.split_whitespace().map(|line| format!("{line}\n")).collect::<String>();
        let cases = [
            ("a b c", "a B c", edit(1, &["b"], &["B"], &["BB", "BBB"]), Some("a BB BBB c")),
            // The file has moved on.
            ("x a b c", "x a B c", edit(1, &["b"], &["B"], &["BB"]), Some("x a BB c")),
            // Of two equal places the nearer one.
            ("b x y z b", "B x y z B", edit(4, &["b"], &["B"], &["BB"]), Some("B x y z BB")),
            ("b x y z b", "B x y z B", edit(0, &["b"], &["B"], &["BB"]), Some("BB x y z B")),
            // What is inserted, and what is deleted.
            ("a c", "a b c", edit(1, &[], &["b"], &["B"]), Some("a B c")),
            ("a b c", "a c", edit(1, &["b"], &[], &["B"]), Some("a B c")),
            ("a b c", "a B c", edit(1, &["b"], &["B"], &[]), Some("a c")),
            ("", "a b", edit(0, &[], &["a", "b"], &["a"]), Some("a")),
            // As it was: nothing is left of the change.
            ("a b c", "a B c", edit(1, &["b"], &["B"], &["b"]), Some("a b c")),
            // Several changes of one shown place.
            ("a b c d", "a B c D", edit(1, &["b", "c", "d"], &["B", "c", "D"], &["e"]), Some("a e")),
            // Another change.
            ("a b c", "a X c", edit(1, &["b"], &["B"], &["BB"]), None),
            ("a z c", "a B c", edit(1, &["b"], &["B"], &["BB"]), None),
            ("a b c", "a b c", edit(1, &["b"], &["B"], &["BB"]), None),
        ];
        for (old, new, edit, expected) in cases {
            let found = applied(&edit, &text(old), &text(new));
            assert_eq!(found, expected.map(text), "{old} → {new}, {edit:?}");
        }
    }
}
