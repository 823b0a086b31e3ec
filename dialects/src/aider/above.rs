//! The lines above a head: the file's name, and the indentation of the block as a whole.
//!
//! Looks at a few lines, never into the text that a block has claimed. A name is alone on its line or in the
//! info string of a fence; between it and the head there may be fences and one blank line (spec:
//! foreign-dialects, sections 0.2 and 1).

use crate::cursor::{Breaks, Line, origin};
use crate::fence::{self, Fence};
use crate::file_name::{FileName, in_info, list_item};
use crate::work;

/// The number of lines above a head that may hold its name, blank ones not counted.
const LINES: usize = 3;

#[derive(Debug, Default)]
pub(super) struct Above<'a> {
    pub(super) name: Option<(FileName<'a>, Line<'a>)>,
    /// The nearest line that is not blank; a previous block's last one, too.
    nearest: &'a str,
}

impl<'a> Above<'a> {
    pub(super) fn read(text: &'a str, claimed: Option<usize>, head: &Line<'_>) -> Above<'a> {
        let mut above = Above::default();
        let floor = claimed.map_or(origin(text), |end| end + 1);
        let mut lines = Lines { text, next: head.start, number: head.number, floor };
        let (mut blank, mut fences, mut closed, mut seen) = (false, 0, false, 0);
        while seen < LINES {
            let Some(line) = lines.previous() else { break };
            if line.text.trim().is_empty() {
                if blank {
                    break;
                }
                blank = true;
                continue;
            }
            if seen == 0 {
                above.nearest = line.text;
            }
            seen += 1;
            let Some((_, info)) = Fence::read(line.text) else {
                if fence::is_element(line.text) {
                    fences += 1;
                    continue;
                }
                if is_wrapper(line.text) {
                    continue;
                }
                above.name = match in_element(line.text) {
                    Some(name) => Some((name, line)),
                    None => name(line, closed, &mut lines),
                };
                break;
            };
            if let Some(name) = in_info(line.text, info) {
                above.name = Some((name, line));
                break;
            }
            // A bare fence above another fence closes a listing; it opens none.
            closed = fences > 0 && info.is_empty();
            fences += 1;
        }
        if above.nearest.is_empty() {
            above.nearest = last_of(&text[..claimed.unwrap_or_default()]);
        }
        above
    }

    /// Returns the part of `indent`, the blanks before a head, that indents the block as a whole: as many
    /// blanks as the line above it has, or as its list item asks for.
    pub(super) fn indent_of_block<'i>(&self, indent: &'i str) -> &'i str {
        let text = self.nearest.trim_start();
        let before = &self.nearest[..self.nearest.len() - text.len()];
        if !before.is_empty() && indent.starts_with(before) {
            return &indent[..before.len()];
        }
        let item = list_item(text).is_some_and(|width| indent.len() == width && before.is_empty());
        if item { indent } else { "" }
    }
}

/// Returns true if `line` only opens the element in which Cline and Roo put blocks, below their `<path>`.
fn is_wrapper(line: &str) -> bool {
    let inner = line.trim().strip_suffix("<![CDATA[").unwrap_or(line.trim());
    matches!(inner, "<diff>" | "<content>") || inner.is_empty() && !line.trim().is_empty()
}

fn in_element(line: &str) -> Option<FileName<'_>> {
    let name = line.trim().strip_prefix("<path>")?.strip_suffix("</path>")?;
    FileName::quoted(line, name.trim())
}

/// The name in `line`; if a fence was `closed` below it, only where that fence holds nothing else.
fn name<'a>(line: Line<'a>, closed: bool, lines: &mut Lines<'a>) -> Option<(FileName<'a>, Line<'a>)> {
    let name = FileName::read(line.text)?;
    let before = lines.previous();
    let before = before.map_or("", |line| line.text);
    if closed && Fence::read(before).is_none() {
        return None;
    }
    // In a list of files, the last one is not the file of the block.
    let listed = name.item && FileName::read(before).is_some_and(|other| other.item);
    (!listed).then_some((name, line))
}

fn last_of(text: &str) -> &str {
    let (line, start) = Breaks::Lf.last_line(text);
    work::count(text.len() - start);
    line
}

struct Lines<'a> {
    text: &'a str,
    next: usize,
    number: u32,
    floor: usize,
}

impl<'a> Lines<'a> {
    fn previous(&mut self) -> Option<Line<'a>> {
        let head = self.text.get(self.floor..self.next).filter(|head| !head.is_empty())?;
        let (text, start) = Breaks::Lf.last_line(head);
        work::count(head.len() - start);
        (self.next, self.number) = (self.floor + start, self.number.saturating_sub(1));
        Some(Line { number: self.number, start: self.next, text })
    }
}
