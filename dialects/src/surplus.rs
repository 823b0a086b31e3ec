//! A surplus end of a block, which shows that a block in which another one begins writes about blocks.
//!
//! Knows that blocks open and end, and that reading ahead is bounded; their dialect knows the marks.

use crate::cursor::{Cursor, Line};
use crate::findings::Findings;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edge {
    Opens,
    Ends,
}

/// Returns the line of a surplus end after `cursor`, where a block is `open` or not, and moves `cursor` past
/// it. Returns the text's last line if more was read ahead in this pass than its bounds allow.
pub(crate) fn surplus_end<'a>(
    mut open: bool,
    cursor: &mut Cursor<'a>,
    findings: &mut Findings<'a>,
    edge: impl Fn(&Line<'a>) -> Option<Edge>,
) -> Option<Line<'a>> {
    // If none of the ends was surplus from an earlier place on, none is from here on, where a block is open.
    let start = cursor.position();
    if open && findings.no_surplus.is_some_and(|(of, from)| Some(of) == findings.dialect() && from <= start) {
        return None;
    }
    let mut ahead = cursor.clone();
    while let Some(line) = ahead.next_line() {
        match edge(&line) {
            Some(Edge::Opens) => open = true,
            Some(Edge::Ends) if open => open = false,
            Some(Edge::Ends) => {
                *cursor = ahead;
                return Some(line);
            }
            None => {}
        }
        if findings.has_read_too_far(&line) {
            return Some(cursor.finish().end_of_previous(cursor.text()));
        }
    }
    findings.no_surplus = findings.dialect().map(|dialect| (dialect, start));
    None
}
