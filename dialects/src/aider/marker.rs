//! The markers of SEARCH/REPLACE blocks: a run of one character and a word, alone on a line.
//!
//! Works on single lines and knows nothing of the places that allow a marker. Blanks may surround it.

use crate::cursor::may_begin;
use crate::file_name::FileName;

const RUN_LENGTH: std::ops::RangeInclusive<usize> = 3..=12;
/// Characters of a run of dashes or plus signs from which its word may be in any case; shorter ones are often
/// text.
const LONG: usize = 5;
const CONFLICT: usize = 7;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head<'a> {
    pub(super) length: usize,
    pub(super) rest: Rest<'a>,
}

/// The text that follows the word of a head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rest<'a> {
    /// A path, a line's number, both or none.
    Stated { path: Option<FileName<'a>>, line: Option<u32> },
    /// Something else, so that the meaning of the head is unclear.
    Unknown,
}

fn run(text: &str, mark: u8) -> Option<(usize, &str)> {
    let length = text.bytes().take_while(|byte| *byte == mark).count();
    RUN_LENGTH.contains(&length).then(|| (length, &text[length..]))
}

/// Returns the text after one of `words` and the blank before it; `exact` asks for upper case.
fn after_word<'a>(text: &'a str, words: &[&str], exact: bool) -> Option<&'a str> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    words.iter().find_map(|word| {
        let (start, rest) = text.split_at_checked(word.len())?;
        let same = if exact { start == *word } else { start.eq_ignore_ascii_case(word) };
        same.then_some(rest)
    })
}

pub(super) fn head(line: &str) -> Option<Head<'_>> {
    if !may_begin(line, b"<-") {
        return None;
    }
    let text = line.trim();
    let mark = *text.as_bytes().first().filter(|byte| matches!(byte, b'<' | b'-'))?;
    let (length, rest) = run(text, mark)?;
    let exact = mark == b'-' && length < LONG;
    let words: &[&str] = if mark == b'-' { &["SEARCH"] } else { &["SEARCH", "ORIGINAL"] };
    let rest = after_word(rest, words, exact)?;
    let rest = rest.strip_prefix('>').unwrap_or(rest);
    if rest.is_empty() {
        return Some(Head { length, rest: Rest::Stated { path: None, line: None } });
    }
    let rest = if rest.starts_with([' ', '\t']) { stated(line, rest.trim()) } else { return None };
    let sure = length >= LONG && mark == b'<' && line.contains("SEARCH");
    (rest != Rest::Unknown || sure).then_some(Head { length, rest })
}

fn stated<'a>(line: &'a str, text: &'a str) -> Rest<'a> {
    let (before, number) = match text.rsplit_once("line=") {
        Some((before, number)) if before.is_empty() || before.ends_with([' ', '\t']) => {
            (before.trim(), Some(number))
        }
        _ => (text, None),
    };
    let number = number.map(|number| number.trim_matches('"').parse::<u32>());
    let Ok(number) = number.transpose() else { return Rest::Unknown };
    if before.is_empty() {
        return Rest::Stated { path: None, line: number };
    }
    match FileName::part(line, before) {
        Some(path) => Rest::Stated { path: Some(path), line: number },
        None => Rest::Unknown,
    }
}

pub(super) fn tail(line: &str) -> Option<usize> {
    if !may_begin(line, b">+") {
        return None;
    }
    let text = line.trim();
    let mark = *text.as_bytes().first().filter(|byte| matches!(byte, b'>' | b'+'))?;
    let (length, rest) = run(text, mark)?;
    let words: &[&str] = if mark == b'+' { &["REPLACE"] } else { &["REPLACE", "UPDATED"] };
    let rest = after_word(rest, words, mark == b'+' && length < LONG)?;
    matches!(rest, "" | ">").then_some(length)
}

pub(super) fn divider(line: &str) -> Option<usize> {
    if !may_begin(line, b"=") {
        return None;
    }
    run(line.trim(), b'=').filter(|(_, rest)| rest.is_empty()).map(|(length, _)| length)
}

/// Returns true if a divider of one length may take the place of one of the other length.
pub(super) fn are_alike(one: usize, other: usize) -> bool {
    let family = |length| match length {
        0..=4 => 0,
        5..=9 => 1,
        _ => 2,
    };
    one == other || family(one) == family(other)
}

pub(super) fn is_conflict(line: &str) -> bool {
    if !may_begin(line, b"<>|") {
        return false;
    }
    let text = line.trim();
    [b'<', b'>', b'|'].into_iter().any(|mark| {
        run(text, mark)
            .is_some_and(|(length, rest)| length == CONFLICT && (rest.is_empty() || rest.starts_with(' ')))
    })
}

/// Removes from `line` the backslash that marks a marker as content, in a block whose head has `length`
/// characters.
pub(super) fn unescaped(line: &str, length: usize) -> Option<String> {
    let first = line.bytes().find(|byte| !matches!(byte, b' ' | b'\t'));
    if first.is_some_and(|first| first.is_ascii_graphic() && first != b'\\') {
        return None;
    }
    let text = line.trim_start();
    let bare = text.trim_start_matches('\\');
    if bare.len() == text.len() {
        return None;
    }
    let marker =
        divider(bare) == Some(length) || head(bare).is_some() || tail(bare).is_some() || is_conflict(bare);
    marker.then(|| format!("{}{}", &line[..line.len() - text.len()], &text[1..]))
}

/// A line between a head and its content that gives the block's place (`:start_line:12`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceLine {
    Start(u32),
    End,
    Dashes,
}

pub(super) fn place(line: &str) -> Option<PlaceLine> {
    let text = line.trim();
    let number = |name: &str| text.strip_prefix(name)?.trim().parse::<u32>().ok();
    if let Some(start) = number(":start_line:") {
        return Some(PlaceLine::Start(start));
    }
    if number(":end_line:").is_some() {
        return Some(PlaceLine::End);
    }
    run(text, b'-').is_some_and(|(_, rest)| rest.is_empty()).then_some(PlaceLine::Dashes)
}

pub(super) fn is_usual(line: &str) -> bool {
    ["<<<<<<< SEARCH", ">>>>>>> REPLACE", "<<<<<<< ORIGINAL", ">>>>>>> UPDATED"].contains(&line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_every_kind() {
        for line in [
            "<<<<<<< SEARCH",
            "<<<<< SEARCH",
            "<<< search",
            "  <<<<<<<SEARCH> ",
            "<<<<<<<<<<<< ORIGINAL",
            "------- SEARCH",
            "--- SEARCH",
            "----- search>",
            "<<<<<<< SEARCH a.py",
            "<<<<<<< SEARCH line=42",
            "<<<<<<< SEARCH a.py line=4",
        ] {
            assert!(head(line).is_some_and(|head| head.rest != Rest::Unknown), "{line}");
        }
        // Lines that resemble a head: markers of git, of other dialects, quotations and runs of another
        // length.
        for line in [
            "<<<<<<< HEAD",
            "<< SEARCH",
            "<<<<<<<<<<<<< SEARCH",
            "--- search",
            "<<<SEARCH>>>",
            "> <<<<<<< SEARCH",
            "-- SEARCH",
            "<<<<<<< SEARCHES",
            "<<< SEARCH for it",
            "<<<<<<< Updated upstream",
            "<---SEARCH file=\"a\"--->",
        ] {
            assert_eq!(head(line), None, "{line}");
        }
        assert_eq!(head("<<<<<<< SEARCH for it").unwrap().rest, Rest::Unknown);
    }

    #[test]
    fn tails_and_dividers() {
        for line in [">>>>>>> REPLACE", ">>> replace ", "+++++++ REPLACE", ">>>>>REPLACE>", ">>>>>>> UPDATED"]
        {
            assert!(tail(line).is_some(), "{line}");
        }
        for line in [">>>>>>>", ">>>>>>> main", "+++ replace", ">> REPLACE", ">>>>>>> REPLACE it"] {
            assert_eq!(tail(line), None, "{line}");
        }
        assert_eq!((divider(" ======= "), divider("= ="), divider("==")), (Some(7), None, None));
        assert!(are_alike(6, 8) && !are_alike(7, 3) && are_alike(3, 4));
    }

    #[test]
    fn one_backslash_makes_a_marker_content() {
        assert_eq!(unescaped("  \\=======", 7).as_deref(), Some("  ======="));
        assert_eq!(unescaped("\\\\<<<<<<< HEAD", 7).as_deref(), Some("\\<<<<<<< HEAD"));
        for line in ["\\=====", "=======", "\\x", "\\", ""] {
            assert_eq!(unescaped(line, 7), None, "{line}");
        }
    }
}
