//! Suggestions in the form of GitHub's reviews: new text for lines that the words above number.
//!
//! ````text
//! `src/a.py`, lines 12-14:
//!
//! ```suggestion
//! x = 1
//! ```
//! ````

use super::piece::{Piece, PlainForm, Reading};
use super::{Form, lead};

const ABOVE: usize = 2;

pub(super) struct Suggestion;

impl PlainForm for Suggestion {
    fn read(&self, piece: &Piece<'_, '_>) -> Option<Reading> {
        if piece.language != "suggestion" {
            return None;
        }
        let near = piece.above.near().take(ABOVE).map(|prose| prose.line.text);
        let heading = piece.above.headings().next().map(|prose| prose.line.text);
        let numbered = near.chain(heading).find_map(numbered_lines);
        let form = numbered.map_or(Form::Code, |(first, last)| Form::Lines { first, last });
        let mut candidate = piece.candidate(form, piece.content.to_owned());
        candidate.language = String::new();
        Some(Reading::Candidates(vec![candidate]))
    }
}

/// Returns the first and the last line of a file that `text` numbers: "lines 12–14", `a.py:12`, `L12-L14`, `#L12`.
#[must_use]
pub fn numbered_lines(text: &str) -> Option<(u32, u32)> {
    if text.len() > 600 {
        return None;
    }
    let lower = text.to_lowercase();
    let marks = [
        "lines ", "line ", "zeilen ", "zeile ", "lignes ", "ligne ", "líneas ", "línea ", "linhas ",
        "linha ", "第", "l", ":",
    ];
    marks.iter().find_map(|mark| {
        lower.match_indices(mark).find_map(|(at, _)| {
            let is_word = mark.starts_with(char::is_alphabetic) && mark.is_ascii();
            let before = lower[..at].chars().next_back();
            if is_word && before.is_some_and(char::is_alphanumeric) {
                return None;
            }
            // Scripts without blanks between words often have one before a number.
            let behind = &lower[at + mark.len()..];
            let (first, rest) = number(if mark.is_ascii() { behind } else { behind.trim_start() })?;
            let between = rest.trim_start_matches([' ', 'l', '-', '–', '—', '~']);
            let joined =
                rest.len() - between.len() > 0 && rest.trim_start().starts_with(['-', '–', '—', '~']);
            let words = ["to ", "through ", "bis ", "à ", "a "]
                .iter()
                .find_map(|word| rest.trim_start().strip_prefix(word));
            let last = match (joined, words) {
                (true, _) => number(between).map_or(first, |(last, _)| last),
                (false, Some(rest)) => number(rest).map_or(first, |(last, _)| last),
                (false, None) => first,
            };
            (first > 0 && last >= first).then_some((first, last))
        })
    })
}

/// Returns the lines of a file that `text` numbers as the place of a change: one place, and no remark in brackets on where
/// something is, as in a review.
#[must_use]
pub fn numbered_place(text: &str) -> Option<(u32, u32)> {
    let lines = numbered_lines(text)?;
    let lower = text.to_lowercase();
    let is_number = |part: &str| part.trim().starts_with(|c: char| c.is_ascii_digit());
    let many = ["lines ", "zeilen ", "lignes ", "líneas ", "linhas "].iter().any(|mark| {
        let rest = lower.split_once(mark).map(|(_, rest)| rest).filter(|rest| is_number(rest));
        let behind = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start());
        behind.is_some_and(|behind| {
            let next = [",", "and ", "und ", "et ", "y ", "e ", "&"]
                .iter()
                .find_map(|sign| behind.strip_prefix(sign));
            next.is_some_and(is_number)
        })
    });
    let mut brackets = lower.split(['(', '（']).skip(1).filter_map(|inner| inner.split_once([')', '）']));
    let is_remark = brackets.any(|(inner, _)| numbered_lines(inner).is_some());
    let is_place = !many && (!is_remark || lead::is_asked_for(text));
    is_place.then_some(lines)
}

fn number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().ok().map(|number| (number, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::numbered_lines;

    #[test]
    fn words_number_lines() {
        for (text, expected) in [
            ("`src/a.py`, lines 12-14:", Some((12, 14))),
            ("**src/a.py:12**", Some((12, 12))),
            ("`src/a.py:12-14`", Some((12, 14))),
            ("`src/a.py` (L12–L14)", Some((12, 14))),
            ("[a.py](src/a.py#L7)", Some((7, 7))),
            ("On line 3 of `a.py`:", Some((3, 3))),
            ("Zeilen 3 bis 5", Some((3, 5))),
            ("In `a.py`:", None),
            ("1. `a.py`: first", None),
            ("all 12 of them", None),
        ] {
            assert_eq!(numbered_lines(text), expected, "{text}");
        }
    }
}
