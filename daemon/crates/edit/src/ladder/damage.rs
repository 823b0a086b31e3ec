//! Damage to the whole text of a hunk that can be undone: line numbers, entities, backslashes.
//!
//! It must not know the text that the hunk is for. Each way to undo it is tried by the strict rungs; damage
//! counts only if it is everywhere, so that undoing and doing it again would give the same text.

use super::sides::HunkSides;

const MARKS: [&str; 6] = [" | ", "| ", "|", ": ", ":", "\t"];

pub(super) fn undone<'h>(sides: &HunkSides<'h>) -> Vec<HunkSides<'h>> {
    let numbers = MARKS.iter().filter_map(|mark| without_numbers(sides, mark));
    let quotes = [&['"'][..], &['\''], &['"', '\'']]
        .into_iter()
        .filter_map(|quotes| without_backslashes(sides, quotes));
    numbers.chain(without_entities(sides)).chain(quotes).collect()
}

fn without_numbers<'h>(sides: &HunkSides<'h>, mark: &str) -> Option<HunkSides<'h>> {
    let mut next = None;
    for line in &sides.old {
        let (number, _) = numbered(line, mark)?;
        if next.is_some_and(|next| next != number) {
            return None;
        }
        next = Some(number + 1);
    }
    let old = |line: &str| numbered(line, mark).map(|(_, rest)| rest.to_owned());
    let all = sides.new.iter().all(|line| numbered(line, mark).is_some());
    let none = sides.new.iter().all(|line| numbered(line, mark).is_none());
    match (sides.old.len(), all, none) {
        (0 | 1, ..) | (_, false, false) => None,
        (_, true, _) => sides.map(old, old),
        _ => sides.map(old, |line| Some(line.to_owned())),
    }
}

/// Returns the number that `line` starts with and the text after `mark`, whose blank a blank line may have
/// lost.
fn numbered<'l>(line: &'l str, mark: &str) -> Option<(u64, &'l str)> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|char: char| char.is_ascii_digit()).len();
    let number = line[..digits].parse().ok()?;
    let rest = &line[digits..];
    let rest = rest.strip_prefix(mark).or_else(|| (rest == mark.trim_end()).then_some(""))?;
    Some((number, rest))
}

fn without_entities<'h>(sides: &HunkSides<'h>) -> Option<HunkSides<'h>> {
    let has = |entity: &str| sides.old.iter().any(|line| line.contains(entity));
    if !["&lt;", "&gt;", "&amp;", "&quot;", "&#39;", "&#x27;"].into_iter().any(has) {
        return None;
    }
    let quotes = has("&quot;");
    let undo = |line: &str| {
        let bare = line.contains(['<', '>']) || quotes && line.contains('"');
        let ends = line.split('&').skip(1);
        let known = ["lt;", "gt;", "amp;", "quot;", "#39;", "#x27;"];
        let entities = ends.clone().all(|end| known.iter().any(|known| end.starts_with(known)));
        (!bare && entities).then(|| decoded(line))
    };
    sides.map(undo, undo)
}

pub(crate) fn decoded(line: &str) -> String {
    let line = line.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    line.replace("&#39;", "'").replace("&#x27;", "'").replace("&amp;", "&")
}

pub(crate) fn without_number(line: &str) -> &str {
    MARKS.iter().find_map(|mark| numbered(line, mark)).map_or(line, |(_, rest)| rest)
}

fn without_backslashes<'h>(sides: &HunkSides<'h>, quotes: &[char]) -> Option<HunkSides<'h>> {
    let has = |quote: &char| sides.old.iter().any(|line| line.contains(*quote));
    if !quotes.iter().all(has) {
        return None;
    }
    let undo = |line: &str| {
        let mut out = String::with_capacity(line.len());
        for char in line.chars() {
            if quotes.contains(&char) && out.pop() != Some('\\') {
                return None;
            }
            out.push(char);
        }
        Some(out)
    };
    sides.map(undo, undo)
}
