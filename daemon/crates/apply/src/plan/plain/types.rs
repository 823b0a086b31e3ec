//! The types that the words near code name: "in the `Axis` class", `// In Gate, by the session alone`.
//!
//! Pure. Where exactly one file defines such a type, it is a nearer name than a label further up.

use std::path::Path;

use clada_dialects::plain::Candidate;

use super::heads::{all_definitions, definitions};

// The fewest letters of a type's name.
const SHORTEST: usize = 3;
// The most bytes of a comment that names a place.
const LONGEST: usize = 200;
const SIGNS: &[&str] = &["//", "#", "--", "/*", "<!--", ";"];

// Returns the names of types that the line above `candidate`, or its first line, gives, and of functions into which it puts the code.
pub(super) fn named_near(candidate: &Candidate) -> Vec<String> {
    if let Some(names) = place_comment(&candidate.content) {
        return names.into_iter().map(str::to_owned).collect();
    }
    let mut names: Vec<String> = Vec::new();
    for (at, part) in candidate.words.split('`').enumerate() {
        let is_code = at % 2 == 1;
        for word in part
            .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | ':' | '.' | '#' | '*' | '"'))
        {
            let is_place_of = || is_code && is_function(word) && is_place(&candidate.words, word);
            let is_name = is_type(word) && (is_code || has_inner_capital(word)) || is_place_of();
            if is_name && !names.iter().any(|name| name == word) {
                names.push(word.to_owned());
            }
        }
    }
    names
}

// Returns true if `words` put something into what has this name: "a setter in `Order`".
pub(super) fn is_place(words: &str, name: &str) -> bool {
    #[rustfmt::skip]
    const IN: &[&str] = &[
        "in", "into", "inside", "within", "to", "on", "im", "ins", "dans", "en", "em", "no", "na", "nella", "в", "class", "klasse", "classe", "clase", "model", "struct", "the",
    ];
    words.match_indices(name).any(|(at, _)| {
        let before = words[..at].trim_end_matches(|c: char| !c.is_alphanumeric());
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
        IN.contains(&&*word) || before.ends_with(['在', '给', '向', '对', '为'])
    })
}

// Returns the names in the first line of `content`, if it is a comment that gives the place of the code.
pub(super) fn place_comment(content: &str) -> Option<Vec<&str>> {
    const IN: &[&str] = &["in", "within", "inside", "im", "dans", "en", "em", "nella", "trong", "в"];
    let line = content.lines().next()?.trim();
    if line.len() > LONGEST {
        return None;
    }
    let text = SIGNS.iter().find_map(|sign| line.strip_prefix(sign))?.trim_start();
    let (first, rest) = text.split_once(' ')?;
    if !IN.contains(&&*first.to_lowercase()) {
        return None;
    }
    let words = rest.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let names: Vec<&str> = words.filter(|word| is_type(word)).collect();
    (!names.is_empty()).then_some(names)
}

// Returns true if the first line of `content` gives a place in the file at `path`, whose text is `text`.
pub(super) fn begins_with_place(content: &str, path: &str, text: &str) -> bool {
    let Some(names) = place_comment(content) else { return is_put_beside(content, path, text) };
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let defined = all_definitions(text, "x");
    let is_of_file = |name: &&str| {
        **name == *stem || defined.iter().any(|definition| definition.rsplit(' ').next() == Some(*name))
    };
    names.iter().any(is_of_file)
}

// Returns true if the first line of `content` is a comment that has the code below it put beside a definition of `text`, or
// into the one that `content` shows: "Insert below `load`", "Add to the schema".
fn is_put_beside(content: &str, path: &str, text: &str) -> bool {
    let Some(comment) = content.lines().next().and_then(comment_text) else { return false };
    let lower = comment.to_lowercase();
    let mut words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    if !words.next().is_some_and(|first| matches!(first, "add" | "insert" | "put" | "place" | "paste")) {
        return false;
    }
    let names = |text: &str| -> Vec<String> {
        let defined = all_definitions(text, "x").into_iter().chain(definitions(text, path));
        defined.filter_map(|one| Some(one.rsplit(' ').next()?.to_lowercase())).collect()
    };
    let shown = content.lines().skip(1).find(|line| !line.trim().is_empty()).map(names).unwrap_or_default();
    let Some(place) = words.find(|word| !matches!(*word, "this" | "it" | "them" | "these" | "that")) else {
        return false;
    };
    let name =
        words.find(|word| !matches!(*word, "the" | "your" | "existing" | "function" | "class" | "method"));
    let Some(name) = name.map(str::to_owned) else { return false };
    let defined = names(text);
    match place {
        "after" | "below" | "above" | "before" | "under" | "behind" => {
            defined.contains(&name) && !shown.contains(&name)
        }
        "to" | "into" | "in" | "inside" => defined.contains(&name) && shown.contains(&name),
        _ => false,
    }
}

fn comment_text(line: &str) -> Option<&str> {
    let line = line.trim();
    SIGNS.iter().find_map(|sign| line.strip_prefix(sign)).map(str::trim_start)
}

fn is_type(word: &str) -> bool {
    word.len() >= SHORTEST
        && word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn is_function(word: &str) -> bool {
    word.len() > SHORTEST
        && word.starts_with(|first: char| first.is_ascii_lowercase() || first == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn has_inner_capital(word: &str) -> bool {
    word.chars().any(char::is_lowercase) && word.chars().skip(1).any(char::is_uppercase)
}
