//! Sentences that ask a user to replace one text with another, in answers that hold nothing else.

use std::collections::VecDeque;
use std::ops::Range;

use memchr::{memchr, memrchr};

use crate::cursor::{Line, Next};
use crate::file_name::{FileName, extension_of};
use crate::not_read::{Candidate, MOST, NotReadKind, Wants};

/// Verbs of such a sentence, lower case, each as an imperative: `replaced` and `changes` are none.
const VERBS: [&str; 5] = ["replace", "change", "rename", "substitute", "swap"];
/// Words before the new text.
const BEFORE_NEW: [&str; 4] = ["with", "to", "by", "for"];
/// Lines after which a file that was named is no longer meant.
const NEAR: u32 = 6;

/// The sentences so far that ask for a change, one each for a line.
#[derive(Debug, Default)]
pub(super) struct Sentences<'a> {
    pub(super) found: Vec<Candidate>,
    /// A backtick.
    tick: Next,
    /// The last lines with backticks, the nearest first: one of them may name the file of a sentence.
    above: VecDeque<Line<'a>>,
}

impl<'a> Sentences<'a> {
    /// Reads `line` of `text`, which is outside of fences and quotations.
    pub(super) fn line(&mut self, line: &Line<'a>, text: &str) {
        if !self.tick.is_in(line, text, |rest| memchr(b'`', rest)) || self.found.len() >= MOST {
            return;
        }
        self.above.push_front(*line);
        self.above.truncate(NEAR as usize + 1);
        if asks(line.text) || is_row(line.text) {
            self.found.extend(self.asked(line));
        }
    }

    /// Returns the change that `line`, the last one read, asks for.
    fn asked(&self, line: &Line<'_>) -> Option<Candidate> {
        // A row names its file itself.
        let near = if asks(line.text) { NEAR } else { 0 };
        let mut named = self.above.iter().take_while(|other| line.number - other.number <= near);
        let path = named.find_map(|line| path(line.text))?;
        let mut texts = codes(line.text);
        texts.retain(|code| file(&line.text[code.clone()]).is_none());
        let old = replaced(line.text, &texts).or_else(|| {
            let [.., old, _] = &texts[..] else { return None };
            is_row(line.text).then(|| old.clone())
        })?;
        Some(Candidate {
            kind: NotReadKind::Prose,
            line: line.number,
            path: Some(path),
            wants: Wants::Holding,
            shows: Some(line.start + old.start..line.start + old.end),
            hint: "A sentence is no edit: write the change as a block".to_owned(),
        })
    }
}

/// The first file that the codes of `line` name.
fn path(line: &str) -> Option<String> {
    codes(line).iter().find_map(|code| file(&line[code.clone()]))
}

/// The file that `code` names.
fn file(code: &str) -> Option<String> {
    let name = FileName::quoted(code, code).filter(|_| code.contains('.'))?;
    extension_of(&name.path).is_some().then(|| name.path.into_owned())
}

/// Returns true if `line` has two texts, a word between them and a verb, so that it may ask to replace the
/// one with the other.
fn asks(line: &str) -> bool {
    let bytes = line.as_bytes();
    let (Some(first), Some(last)) = (memchr(b'`', bytes), memrchr(b'`', bytes)) else { return false };
    let has = |text: &str, words: &[&str]| text.split_ascii_whitespace().any(|word| is_word(word, words));
    has(&line[first..last], &BEFORE_NEW) && has(line, &VERBS)
}

/// Returns true if `line` is a row of a table with a file, an old text and a new one.
fn is_row(line: &str) -> bool {
    line.trim_start().starts_with('|') && codes(line).len() >= 3
}

/// Returns true if `text` without the signs around its letters is one of `words`, which are in lower case.
fn is_word(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let Some(start) = bytes.iter().position(u8::is_ascii_alphabetic) else { return false };
    let first = bytes[start].to_ascii_lowercase();
    words.iter().any(|word| {
        word.as_bytes()[0] == first
            && text.trim_matches(|c: char| !c.is_ascii_alphabetic()).eq_ignore_ascii_case(word)
    })
}

/// The texts of `line` between single backticks, as byte ranges; at most eight.
fn codes(line: &str) -> Vec<Range<usize>> {
    let ticks: Vec<usize> = line.match_indices('`').map(|(at, _)| at).take(16).collect();
    let pairs = ticks.chunks_exact(2).map(|pair| pair[0] + 1..pair[1]);
    pairs.filter(|code| !code.is_empty()).collect()
}

/// The text that `line` asks to be replaced with another one, both of `texts`.
fn replaced(line: &str, texts: &[Range<usize>]) -> Option<Range<usize>> {
    texts.windows(2).find_map(|pair| {
        let (before, between) = (&line[..pair[0].start], &line[pair[0].end..pair[1].start]);
        let asked = before.split_whitespace().chain(between.split_whitespace());
        let asks = asked.into_iter().any(|word| is_word(word, &VERBS));
        let new = between.split_whitespace().any(|word| is_word(word, &BEFORE_NEW));
        (asks && new).then(|| pair[0].clone())
    })
}
