//! Replacer: `<<<FILE>>>`, a path, then `<<<SEARCH>>>` … `<<<REPLACE>>>` … `<<<END>>>` or
//! `<<<OVERWRITE>>>` … `<<<END>>>`.
//!
//! A block is one edit with the explanation before it (spec: dialects, "replacer"). Input is the line that
//! opens it and a cursor. Knows the grammar and the raw action of each edit; the code that has the file
//! decides whether a match is whole lines, whose line end an empty replacement takes along.
//!
//! ```text
//! <<<EXPLANATION>>>
//! why
//! <<<FILE>>>
//! proj/src/main.py
//! <<<SEARCH>>>
//! old
//! <<<REPLACE>>>
//! new
//! <<<END>>>
//! ```
//!
//! A SEARCH right after an edit is of the same file. The path may be on the line of FILE.
//!
//! Markers have three brackets. Two count where nothing else can be meant: at a FILE that a path and a body
//! follow, between that and the body, and in a body that itself begins with two.
//!
//! There is no way to quote a marker, so an edit that holds one out of place is broken. If it begins another
//! edit, either the edit before was not closed and the other counts, or the edit writes about edits. A
//! surplus END shows the second, and then nothing up to that END counts.

mod edit;
mod marker;

use std::ops::ControlFlow;

use edit::OpenEdit;
use marker::{Brackets, Marker, Word, names_file, names_path};

use crate::around::Around;
use crate::cursor::{Cursor, Line};
use crate::findings::{Fault, Findings};
use crate::reader::{BlockReader, DialectRules};
use crate::{Choice, Code, Dialect};

fn opens(line: &str, after: &Cursor<'_>) -> bool {
    match marker::read(line) {
        Some(Marker { word: Word::Explanation | Word::Search | Word::Overwrite, brackets }) => {
            brackets == Brackets::Three
        }
        Some(marker) => names_file(marker, after),
        None => names_path(line, after),
    }
}

fn is_indented_file(line: &str) -> bool {
    let text = line.trim_start();
    text.len() < line.len() && marker::full(line).is_none() && marker::full(text) == Some(Word::File)
}

pub(crate) static RULES: DialectRules = DialectRules {
    opens: |line, after, _| opens(line.text, after),
    would_open: |line, _| is_indented_file(line.text),
    is_marker: marker::is_usual,
    reads_fences: false,
    reader: |_, _| Box::new(Strays::default()),
};

#[derive(Debug, Default)]
struct Strays {
    /// The answer holds an edit, so that they are faults.
    counts: bool,
}

impl<'a> BlockReader<'a> for Strays {
    fn claim(
        &mut self,
        first: Line<'a>,
        cursor: &mut Cursor<'a>,
        _around: &mut Around<'a>,
        findings: &mut Findings<'a>,
    ) -> ControlFlow<()> {
        self.counts = true;
        let block = OpenEdit::new(first).read(cursor, findings);
        findings.block(block);
        ControlFlow::Continue(())
    }

    fn text(&mut self, line: &Line<'a>, findings: &mut Findings<'a>) -> ControlFlow<()> {
        if self.counts
            && findings.dialects.contains(Dialect::Replacer)
            && let Some(word @ (Word::Replace | Word::End)) = marker::full(line.text)
        {
            let message = format!("<<<{}>>> outside an edit", word.name());
            findings.report(line, line.whole(), Fault::error(Code::UnexpectedMarker, message, None));
        }
        ControlFlow::Continue(())
    }

    fn start_again(&mut self, _choice: &Choice) {
        *self = Strays::default();
    }
}
