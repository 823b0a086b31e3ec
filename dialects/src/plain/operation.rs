//! Deletions and moves that a heading, a label or a sentence of its own states: "### Deleted file: `p`",
//! "Rename `a` to `b`.", "`a` → `b`".

use super::mention::{self, LocatedMention, Mark};
use super::path::Shape;
use super::words::{self, Operation};
use super::{Candidate, Form, Group, Place};
use crate::cursor::Line;
use crate::file_name::base;

/// Signs between an old path and a new one.
const ARROWS: &[&str] = &["→", "->", "=>", "➜", "⟶", "➡️"];

/// Returns the operation that `line`, outside of fences, states and nothing else.
pub(super) fn read(line: &Line<'_>) -> Option<Candidate> {
    let text = line.text.trim();
    let said = without_marks(text);
    let may_point = memchr::memchr2(b'>', 0xe2, said.as_bytes()).is_some();
    let arrow = may_point && ARROWS.iter().any(|arrow| said.contains(arrow));
    let stated = words::operation(said);
    if stated.is_none() && !arrow {
        return None;
    }
    let found: Vec<LocatedMention> =
        mention::in_line(line.text, true).into_iter().filter(|found| found.shape >= Shape::Folders).collect();
    let offset = said.as_ptr() as usize - line.text.as_ptr() as usize;
    match (stated, &found[..]) {
        (Some((Operation::Delete, length)), [only]) => {
            let between = &line.text.get((offset + length).min(only.at.start)..only.at.start)?;
            let after = &line.text[only.at.end..];
            (is_sure(only) && words::is_filler(between) && ends(after) && !is_report(said, after))
                .then(|| candidate(line, only, Form::Delete))
        }
        (Some((Operation::Move, length)), [from, rest @ ..]) => {
            let between = &line.text.get((offset + length).min(from.at.start)..from.at.start)?;
            let behind = &line.text[from.at.end..];
            if !is_sure(from) || !words::is_filler(between) {
                return None;
            }
            let to = match rest {
                [to] if words::is_to(&line.text[from.at.end..to.at.start])
                    && ends(&line.text[to.at.end..]) =>
                {
                    to.mention.path.clone()
                }
                [] => into_folder(behind, &from.mention.path)?,
                _ => return None,
            };
            moved(line, from, to)
        }
        (None, [from, to]) => {
            let between = line.text[from.at.end..to.at.start].trim();
            let only =
                line.text[offset..from.at.start.max(offset)].trim_matches(['`', '*', ' ', ':']).is_empty()
                    && ARROWS.contains(&between)
                    && line.text[to.at.end..].trim_matches(['`', '*', ' ', ':', '.']).is_empty();
            (only && from.mark == Mark::Code && is_sure(from))
                .then(|| moved(line, from, to.mention.path.clone()))
                .flatten()
        }
        _ => None,
    }
}

/// Returns true if `found` is a file, and not a word with a dot.
fn is_sure(found: &LocatedMention) -> bool {
    found.shape == Shape::Path && super::path::is_given(&found.mention.path)
}

/// Returns true if `said`, with the words `after` its path, reports a change of the past, as changelogs do.
fn is_report(said: &str, after: &str) -> bool {
    let past = ["Removed", "Deleted", "Renamed", "Moved", "removed", "deleted", "renamed", "moved"];
    let rest = after.trim_matches(|c: char| !c.is_alphanumeric() && c != '(');
    past.iter().any(|word| said.starts_with(word)) && !rest.is_empty() && !rest.starts_with('(')
}

/// Returns true if the words `after` a path say no more than why: an end, a dash, a bracket, a new sentence.
fn ends(after: &str) -> bool {
    let text = after.trim_start_matches(['`', '*', '_', '"', ')']).trim_start();
    let text = text.strip_prefix("file").unwrap_or(text).trim_start();
    text.is_empty()
        || text.starts_with(['.', '–', '—', '-', '(', '（', ':', '：', ';', '。', '，', ',', '!'])
        || [
            "entirely",
            "completely",
            "since",
            "as it",
            "because",
            "if ",
            "it ",
            "altogether",
            "which is no longer",
            "vollständig",
            "ganz",
            "da ",
            "weil",
        ]
        .iter()
        .any(|word| text.starts_with(word))
}

/// The new path of the file at `path` in the folder that `behind` names: "to the `src/api/` folder".
fn into_folder(behind: &str, path: &str) -> Option<String> {
    let (before, rest) = behind.split_once('`')?;
    let (folder, after) = rest.split_once('`')?;
    let plain = folder.bytes().all(|byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'[' | b']' | b'@')
    });
    let says = folder.ends_with('/')
        || ["folder", "directory", "dir", "ordner", "dossier", "carpeta"]
            .iter()
            .any(|word| after.trim_start().to_lowercase().starts_with(word));
    (plain && says && words::is_to(before))
        .then(|| format!("{}/{}", folder.trim_end_matches('/'), base(path)))
}

/// `text` without the signs of a heading, a list item, bold, a number, an emoji before it.
fn without_marks(text: &str) -> &str {
    let mut text = text;
    loop {
        let before = text.len();
        text = text.trim_start_matches(|c: char| {
            matches!(
                c,
                '#' | '*' | '_' | '-' | '+' | '>' | '•' | '✅' | '🗑' | '❌' | '➡' | '\u{fe0f}' | '[' | ']'
            ) || c.is_whitespace()
                || !c.is_ascii() && !c.is_alphanumeric()
        });
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && digits < 4 {
            text = text[digits..].strip_prefix(['.', ')']).unwrap_or(text);
        }
        for step in ["Step ", "Schritt ", "Étape ", "Paso "] {
            if let Some(rest) = text.strip_prefix(step)
                && let Some((number, rest)) = rest.split_once([':', '-', '–', '.'])
                && number.len() <= 3
            {
                text = rest;
            }
        }
        if text.len() == before {
            return text;
        }
    }
}

fn moved(line: &Line<'_>, from: &LocatedMention, to: String) -> Option<Candidate> {
    // A bare new name stays in the folder.
    let to = match (to.contains('/'), from.mention.path.rsplit_once('/')) {
        (false, Some((folder, _))) => format!("{folder}/{to}"),
        _ => to,
    };
    let moves = to != from.mention.path && super::path::is_given(&to);
    moves.then(|| candidate(line, from, Form::Move { to }))
}

fn candidate(line: &Line<'_>, found: &LocatedMention, form: Form) -> Candidate {
    let lines = line.number..line.number.saturating_add(1);
    let group = Group::of(Place::Label, line.number, found.mention.path.clone(), true);
    let words = super::reader::cut(line.text.trim()).to_owned();
    Candidate { words, ..Candidate::of(lines, form, group) }
}
