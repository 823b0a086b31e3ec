//! Numbers of lines that no longer mean what they meant when the answer was written.

use clada_edit::{LineRange, changes};

use super::stripped::Stripped;

/// A range of lines that means something else now than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shifted {
    pub(crate) before: String,
    pub(crate) now: String,
    /// The lines at which those of the first reading are now, if they are there.
    pub(crate) moved_to: Option<LineRange>,
}

const SHOWN: usize = 200;

/// The two readings of `lines` in a file that held `before` when the answer began and holds `now`; `None` if
/// they are one, since nothing above or in them was moved, or since there was no such line before.
pub(crate) fn shifted(lines: &str, before: &str, now: &str) -> Option<Shifted> {
    let old: Vec<&str> = before.lines().collect();
    let new: Vec<&str> = now.lines().collect();
    let range = LineRange::parse(lines, old.len()).ok()?;
    let (first, last) = (range.first - 1, range.last - 1);
    let part = Stripped::new(before, now);
    let (mut start, mut end) = (Some(first), Some(last));
    let mut shift = 0isize;
    for change in changes(&part.old, &part.new) {
        let from = part.above + change.old.start;
        let to = part.above + change.old.end;
        let grows = change.new.len() as isize - change.old.len() as isize;
        // A change above moves the line; one that contains it leaves no line that it could be now.
        for (at, line) in [(&mut start, first), (&mut end, last)] {
            if to <= line && at.is_some() {
                *at = line.checked_add_signed(shift + grows);
            } else if from <= line && grows != 0 {
                *at = None;
            }
        }
        shift += grows;
    }
    if start == Some(first) && end == Some(last) {
        return None;
    }
    let text = |all: &[&str]| {
        let text = all.get(first..=last.min(all.len().saturating_sub(1))).unwrap_or_default().join("\n");
        text.chars().take(SHOWN).collect()
    };
    let moved_to = start.zip(end).map(|(first, last)| LineRange { first: first + 1, last: last + 1 });
    Some(Shifted { before: text(&old), now: text(&new), moved_to })
}
