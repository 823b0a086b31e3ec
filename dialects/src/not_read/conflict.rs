//! Changes between the markers that git leaves of a conflict: `<<<<<<< HEAD`, `=======`, `>>>>>>> branch`.
//!
//! They are never an edit (spec: foreign-dialects, "Aider"). Where a file is named above them, in their first line or behind the
//! first marker, they were meant as one.

use std::ops::Range;

use crate::candidate::{Candidate, NotReadKind, Wants};
use crate::cursor::{Cursor, Line};
use crate::file_name::{FileName, extension_of};

#[derive(Debug, Default)]
pub(super) struct Conflict(Option<Half>);

#[derive(Debug)]
struct Half {
    line: u32,
    start: usize,
    path: String,
    divided: bool,
}

impl Conflict {
    pub(super) fn line(
        &mut self,
        line: &Line<'_>,
        above: Option<&Line<'_>>,
        after: &Cursor<'_>,
    ) -> Option<Candidate> {
        let text = line.text.trim_ascii();
        if is_marker(text, "<<<<<<<") {
            let next = after.clone().next_line();
            let lines = next.iter().chain(above).map(|line| line.text);
            let path = lines.chain([&text[7..]]).find_map(named);
            self.0 = path.map(|path| Half { line: line.number, start: line.start, path, divided: false });
        } else if let Some(half) = &mut self.0 {
            if text == "=======" {
                half.divided = true;
            } else if is_marker(text, ">>>>>>>") {
                return self.0.take().filter(|half| half.divided).map(|half| half.end(line.end()));
            }
        }
        None
    }

    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}

impl Half {
    fn end(self, end: usize) -> Candidate {
        let shows: Range<usize> = self.start..end;
        Candidate {
            kind: NotReadKind::UnknownElement,
            line: self.line,
            path: Some(self.path),
            wants: Wants::Existing,
            shows: Some(shows),
            hint: "Conflict markers are not an edit: put the path above `<<<<<<< SEARCH`, and end with `>>>>>>> REPLACE`"
                .to_owned(),
        }
    }
}

fn is_marker(text: &str, run: &str) -> bool {
    text.strip_prefix(run).is_some_and(|rest| rest.starts_with(' '))
}

/// The file that `line` names and nothing else.
fn named(line: &str) -> Option<String> {
    let name = FileName::read(line).filter(FileName::is_sure)?;
    extension_of(&name.path)?;
    Some(name.path.into_owned())
}
