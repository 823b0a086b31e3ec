//! Blocks in quotations, each line behind a `>`.
//!
//! A quotation is another author's text and is never read. An answer with nothing else was meant, though.

use crate::cursor::Line;
use crate::not_read::{Candidate, NotReadKind, Wants};

/// The first and the last line of a block by their beginnings.
const BLOCKS: [(&str, &str); 7] = [
    ("<<<<<<< SEARCH", ">>>>>>> REPLACE"),
    ("*** Begin Patch", "*** End Patch"),
    ("#!SHAM ", "#!END_SHAM_"),
    ("#!nesl ", "#!end_"),
    ("<---WRITE", "<---END--->"),
    ("<---SEARCH", "<---END--->"),
    ("<<<FILE>>>", "<<<END>>>"),
];

/// The blocks in quotations.
#[derive(Debug, Default)]
pub(super) struct Quotation {
    /// The line of the block that is open, and its end.
    open: Option<(u32, &'static str)>,
    pub(super) found: Vec<Candidate>,
}

impl Quotation {
    /// Reads `line`, which is quoted.
    pub(super) fn line(&mut self, line: &Line<'_>) {
        let text = line.text.trim_ascii_start().trim_start_matches("> ");
        if let Some((number, _)) = self.open.filter(|(_, end)| text.starts_with(end)) {
            self.open = None;
            self.found.push(Candidate {
                kind: NotReadKind::Escaped,
                line: number,
                path: None,
                wants: Wants::Nothing,
                shows: None,
                hint: "A block in a quotation is not read: write it without `> ` before its lines".to_owned(),
            });
        } else if let Some((_, end)) = BLOCKS.iter().find(|(start, _)| text.starts_with(start)) {
            self.open = Some((line.number, end));
        }
    }
}
