//! Sentences that tell a person what to replace with what, in answers that hold nothing else.

use std::ops::Range;

use crate::cursor::Cursor;
use crate::fence::Fence;
use crate::file_name::{FileName, extension_of};
use crate::not_read::{Candidate, MOST, NotReadKind, Wants};

/// Verbs of such a sentence, lower case, each as an imperative: `replaced` and `changes` are none.
const VERBS: [&str; 5] = ["replace", "change", "rename", "substitute", "swap"];
/// Words before the new text.
const BEFORE_NEW: [&str; 4] = ["with", "to", "by", "for"];
/// Lines after which a file that was named is no longer meant.
const NEAR: u32 = 6;

/// The sentences of `text` outside of fences and quotations: one each for a line.
pub(super) fn find(text: &str) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut cursor = Cursor::new(text);
    let mut open: Option<Fence> = None;
    let mut named: Option<(u32, String)> = None;
    while let Some(line) = cursor.next_line() {
        if let Some(fence) = open {
            open = Some(fence).filter(|fence| !fence.closes_at(line.text));
            continue;
        }
        if !line.text.contains('`') || line.text.trim_start().starts_with('>') {
            continue;
        }
        open = Fence::read(line.text).map(|(fence, _)| fence);
        if open.is_some() {
            continue;
        }
        let codes = codes(line.text);
        let path = |code: &Range<usize>| {
            let code = &line.text[code.clone()];
            FileName::quoted(code, code).filter(|name| extension_of(&name.path).is_some())
        };
        if let Some(name) = codes.iter().find_map(path) {
            named = Some((line.number, name.path.into_owned()));
        }
        let Some((_, path_above)) = named.as_ref().filter(|(at, _)| line.number - at <= NEAR) else {
            continue;
        };
        let texts: Vec<_> = codes.into_iter().filter(|code| path(code).is_none()).collect();
        let Some(old) = replaced(line.text, &texts) else { continue };
        found.push(Candidate {
            kind: NotReadKind::Prose,
            line: line.number,
            path: Some(path_above.clone()),
            wants: Wants::Holding,
            shows: Some(line.start + old.start..line.start + old.end),
            hint: "A sentence is no edit: write the change as a block".to_owned(),
        });
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// The texts of `line` between single backticks, as byte ranges; at most eight.
fn codes(line: &str) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).take(16).collect();
    let pairs = ticks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    pairs.filter(|code| !code.is_empty()).collect()
}

/// The text that `line` asks to be replaced with another one, both of `texts`.
fn replaced(line: &str, texts: &[Range<usize>]) -> Option<Range<usize>> {
    let is_word = |text: &str, words: &[&str]| {
        let text = text.trim_matches(|c: char| !c.is_ascii_alphabetic());
        words.iter().any(|word| word.eq_ignore_ascii_case(text))
    };
    texts.windows(2).find_map(|pair| {
        let (before, between) = (&line[..pair[0].start], &line[pair[0].end..pair[1].start]);
        let asked = before.split_whitespace().chain(between.split_whitespace());
        let asks = asked.into_iter().any(|word| is_word(word, &VERBS));
        let new = between.split_whitespace().any(|word| is_word(word, &BEFORE_NEW));
        (asks && new).then(|| pair[0].clone())
    })
}
