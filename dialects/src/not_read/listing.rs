//! Listings that name a file, in answers where `whole_file` is not read.

use memchr::memchr_iter;

use crate::cursor::{Cursor, Line, may_begin};
use crate::elision::{Elision, elision};
use crate::fence::Fence;
use crate::file_name::{
    extension_of, fits, is_listed, is_output, is_product, is_program_output, is_script, language,
};
use crate::not_read::{Candidate, NotReadKind, Wants};
use crate::not_read::{sentence, shell};
use crate::whole_file::Opening;

/// The first bytes of comments.
const COMMENTS: &[u8] = b"/<-;%#";

/// The end of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its fence is closed.
    Fence,
    /// The answer ends.
    CutOff,
}

/// A listing whose fence is open.
#[derive(Debug)]
pub(super) struct Listing {
    path: String,
    /// The line that it begins in.
    line: u32,
    /// Byte at which its content begins.
    start: usize,
    elided: bool,
    /// True if only its first line names it, as a comment does, and without a folder.
    faint: bool,
}

impl Listing {
    /// Reads the listing that begins at `line`, which is a fence or is above one; `after` follows it.
    pub(super) fn read(line: &Line<'_>, after: &Cursor<'_>) -> Option<Listing> {
        if !may_name(line, after) {
            return None;
        }
        let opening = Opening::read(line, after)?;
        let commented = opening.path.span.line > opening.line.number;
        let path = opening.path.value;
        let faint = commented && !path.contains('/');
        let shell = shell::is_label(opening.language) && !is_script(&path);
        (!shell && extension_of(&path).is_some() && !is_output(&path)).then(|| Listing {
            path: path.into_owned(),
            line: line.number,
            start: opening.content.0,
            elided: false,
            faint,
        })
    }

    /// Returns the listing that the sentence in `above` announces, in the fence that opens at `line`; `after`
    /// follows it.
    pub(super) fn announced(above: &Line<'_>, line: &Line<'_>, after: &Cursor<'_>) -> Option<Listing> {
        let path = Some(above.text).filter(|text| has_extension(text)).and_then(sentence::announced)?;
        let (_, info) = Fence::read(line.text)?;
        let language = language(info);
        (language.is_empty() || fits(&path, language)).then(|| Listing {
            path,
            line: above.number,
            start: after.position(),
            elided: false,
            faint: false,
        })
    }

    /// Reads a line of it.
    pub(super) fn line(&mut self, text: &str) {
        self.elided = self.elided || matches!(elision(text), Some(Elision::Marked | Elision::CommentedDots));
    }

    /// Ends it: its content ends at byte `end` of `text`.
    pub(super) fn end(self, end: usize, text: &str, ending: Ending) -> Option<Candidate> {
        let Listing { path, line, start, elided, faint } = self;
        if text.get(start..end)?.trim().is_empty() {
            return None;
        }
        let kind = if elided { NotReadKind::ElidedListing } else { NotReadKind::Listing };
        let hint = if ending == Ending::CutOff {
            "The listing is cut off, for its fence is not closed: the model has to send it again, whole"
        } else if elided {
            "A listing with lines left out is no edit: give the lines that change as a block"
        } else {
            "A listing is no edit: if the whole file is meant, apply it with `--dialect whole_file`, else give a block"
        };
        // The output of a program is shown under a name as well, a sentence may end like a name, and samples
        // begin with names that are made up.
        let wants = if is_listed(&path) && !is_program_output(&path) && !is_product(&path) && !faint {
            Wants::Room
        } else {
            Wants::Existing
        };
        Some(Candidate {
            kind,
            line,
            path: Some(path),
            wants,
            shows: Some(start..end),
            hint: hint.to_owned(),
        })
    }
}

/// Returns true if a path with an extension can be in `line`, or below it in a first comment: a cheap check.
fn may_name(line: &Line<'_>, after: &Cursor<'_>) -> bool {
    if has_extension(line.text) {
        return true;
    }
    let first = || after.clone().next_line();
    may_begin(line.text, b"`~")
        && first().is_some_and(|line| may_begin(line.text, COMMENTS) && has_extension(line.text))
}

/// Returns true if a dot in `text` has a letter behind it.
fn has_extension(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr_iter(b'.', bytes).any(|dot| bytes.get(dot + 1).is_some_and(u8::is_ascii_alphabetic))
}
