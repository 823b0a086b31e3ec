//! Lines of the file that the part shows as comments alone: they are commented out.
//!
//! ```text
//! file              part                merged
//! a.open();         // b.trace();       a.open();
//! b.trace();                            // b.trace();
//! ```

use crate::markers::comment_text;
use crate::note::{Note, NoteKind};
use crate::part::{Level, Merged};
use crate::refused::excerpt;
use crate::source::{Source, SourcePiece, letters};

// Letters of code that is not in a file and in a remark by chance.
const TELLING: usize = 6;

// Returns `file` with the lines that `part` has as comments commented out, if the part has no others, and they stand in the
// file once, in a row.
pub(crate) fn merge(file: &str, part: &str) -> Option<Merged> {
    let part = Source::new(part);
    let shown: Vec<&str> = part.lines.iter().copied().filter(|line| !line.trim().is_empty()).collect();
    let code: Vec<String> =
        shown.iter().map(|line| comment_text(line).map(without_signs)).collect::<Option<_>>()?;
    let looks_like_code =
        |text: &&String| letters(text) >= TELLING && text.contains(['(', '=', '.', '{', ':']);
    if code.is_empty() || !code.iter().any(|text| looks_like_code(&text)) {
        return None;
    }
    // Only now: the file is large, and few parts are comments alone.
    let file = Source::new(file);
    let lines: Vec<usize> = (0..file.len()).filter(|at| !file.is_blank(*at)).collect();
    let of_file: Vec<String> = lines.iter().map(|at| without_signs(file.lines[*at])).collect();
    let mut places =
        of_file.windows(code.len()).enumerate().filter(|(_, there)| *there == &code[..]).map(|(at, _)| at);
    let (Some(first), None) = (places.next(), places.next()) else { return None };
    let places = &lines[first..first + code.len()];
    let (start, end) = (*places.first()?, places.last()? + 1);
    let mut pieces = vec![SourcePiece::Old(0..start)];
    let mut comments = shown.iter();
    // Blank lines between them stay; the sign of a comment stands where the code began.
    for at in start..end {
        let line = file.lines[at];
        match comments.as_slice().first().filter(|_| !file.is_blank(at)) {
            Some(comment) => {
                let indent = &line[..line.len() - line.trim_start().len()];
                pieces.push(SourcePiece::New(format!("{indent}{}", comment.trim()).into()));
                comments.next();
            }
            None => pieces.push(SourcePiece::Old(at..at + 1)),
        }
    }
    pieces.push(SourcePiece::Old(end..file.len()));
    let note = Note::new(NoteKind::Changed, excerpt(file.lines[start]), start..end);
    Some(Merged { text: file.assemble(&pieces), level: Level::ByStructure, notes: vec![note] })
}

// Returns a line without the signs at its ends that the text of a comment lacks.
fn without_signs(line: &str) -> String {
    line.trim_matches([' ', '\t', '-', '*', '/', '#', '!', ';', '(', ')', '[', ']']).to_owned()
}
