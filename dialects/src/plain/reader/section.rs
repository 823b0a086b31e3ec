//! Files between rules, without fences: `==== src/a.py ====`.

use super::{ATTEMPTED, Reader};
use crate::cursor::Line;
use crate::fence::Fence;
use crate::plain::content::cut;
use crate::plain::path::{self, Shape};
use crate::plain::{Candidate, Form, Group, NoteKind, Place, output};

impl<'a> Reader<'a> {
    /// Reads the file below `line`, `==== src/a.py ====`, up to the next such line or a fence; false if there is
    /// none.
    pub(super) fn section(&mut self, line: &Line<'a>) -> bool {
        let Some(path) = ruled(line.text) else { return false };
        let text = self.cursor.text();
        let (start, limit) = (
            self.cursor.position(),
            self.claims.first().map_or(text.len(), |claim| claim.bytes.start.min(text.len())),
        );
        let mut ahead = self.cursor.clone();
        let (mut end, mut last) = (start, line.number);
        while ahead.position() < limit
            && let Some(next) = ahead.next_line()
        {
            // A fence or a blank first line shows that the rule is a heading, whose text is read as any
            // other.
            if end == start && next.text.trim().is_empty() || Fence::read(next.text).is_some() {
                break;
            }
            if ruled(next.text).is_some() {
                break;
            }
            (end, last) = (ahead.position(), next.number);
        }
        let content = crate::plain::content::content(&text[start..end], "").into_owned();
        let content = format!("{}\n", content.trim_end());
        if content.trim().is_empty() {
            return false;
        }
        self.cursor.skip_to(end);
        self.above.pass();
        self.last = None;
        let lines = line.number..last.saturating_add(1);
        if output::is_printed(&content, "", false) {
            self.note(lines, NoteKind::Output, Some(path));
            return true;
        }
        let words = cut(line.text.trim()).to_owned();
        let group = Group::of(Place::Label, line.number, path, true);
        self.plain.candidates.push(Candidate { content, words, ..Candidate::of(lines, Form::Code, group) });
        true
    }
}

fn ruled(line: &str) -> Option<String> {
    let text = line.trim();
    if text.len() > ATTEMPTED {
        return None;
    }
    let inner = text.strip_prefix("===")?.strip_suffix("===")?.trim_matches(['=', ' ']);
    let word = path::word(inner.trim_matches('`'), true)?;
    (word.shape == Shape::Path && path::is_given(&word.path)).then(|| word.path.into_owned())
}
