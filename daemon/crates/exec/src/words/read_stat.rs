//! Parses words into a `stat`: its flags, and the language of its formats.

use super::builtin::{Filling, Piece, ReadOnlyBuiltIn};
use super::options::{Flag, Takes, paths};
use super::refusal::Refusal;

const STAT: &[Flag] = &[Flag(&["-c", "--format"], Takes::Value), Flag(&["--printf"], Takes::Value)];

const LETTERS: &str = "aAbBdDfFghGinNosuUwWxXyYzZ%";

const WIDTH: usize = 200;

pub(super) fn stat(words: &[String]) -> Result<ReadOnlyBuiltIn, Refusal> {
    let (paths, parsed) = paths("stat", STAT, words)?;
    let format = match parsed.flags.last() {
        None => None,
        Some((flag, value)) => {
            let value = value.clone().unwrap_or_default();
            let escapes = *flag == "--printf";
            let read = if escapes { pieces(&unescaped(&value)) } else { pieces(&format!("{value}\n")) };
            Some(read.ok_or_else(|| Refusal::Value { program: "stat", flag: (*flag).to_owned(), value })?)
        }
    };
    Ok(ReadOnlyBuiltIn::Stat { paths, format })
}

fn pieces(format: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some((text, after)) = rest.split_once('%') {
        if !text.is_empty() {
            pieces.push(Piece::Text(text.to_owned()));
        }
        let flags = after.len() - after.trim_start_matches(['-', '0']).len();
        let filling = match (after[..flags].contains('-'), flags) {
            (true, _) => Filling::Behind,
            (false, 0) => Filling::Before,
            (false, _) => Filling::Zeros,
        };
        let after = &after[flags..];
        let digits = after.len() - after.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
        let width =
            if digits == 0 { 0 } else { after[..digits].parse().ok().filter(|width| *width <= WIDTH)? };
        let letter = after[digits..].chars().next().filter(|letter| LETTERS.contains(*letter))?;
        pieces.push(Piece::Fact { letter, width, filling });
        rest = &after[digits + 1..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Some(pieces)
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some(other @ ('\\' | '"')) => plain.push(other),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    plain
}
