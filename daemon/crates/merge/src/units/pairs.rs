//! Checks of what belongs together: a branch and its `else`, a statement and its last line.
//!
//! ````text
//! file                part           merged: refused, the `else` would go and `a()` stays
//! if x { a() }        if x {
//! else { b() }            a()
//!                     }
//! ````

use std::collections::HashMap;

use crate::refused::{Reason, Refused, excerpt};

use super::language::Family;
use super::layout::Layout;

/// Words with which a branch goes on.
const BRANCHES: [&str; 9] =
    ["else", "elif", "elsif", "elseif", "catch", "except", "finally", "rescue", "ensure"];
/// Ends of lines that go on.
const OPEN: [&str; 6] = ["=", "&&", "||", "=>", "->", " +"];
const COMPARED: usize = 1_000_000;

/// Checks that no branch goes whose first half stays as it is.
pub(super) fn check_branches(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    let shown: Vec<usize> = (0..result.len()).filter(|at| !result.blank[*at]).collect();
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, at) in shown.iter().enumerate() {
        places.entry(result.norm[*at].as_str()).or_default().push(index);
    }
    let mut budget = COMPARED;
    for at in (0..file.len()).filter(|at| file.is_code(*at)) {
        let Some(word) = branch(&file.norm[at]) else { continue };
        let is_above = |above: &usize| !file.blank[*above] && file.indent[*above] <= file.indent[at];
        let Some(head) = (0..at).rfind(is_above) else { continue };
        let first: Vec<&str> =
            (head..at).filter(|at| !file.blank[*at]).map(|at| file.norm[at].as_str()).collect();
        let Some(starts) = places.get(first[0]) else { continue };
        let (mut stays, mut goes_on) = (false, false);
        for start in starts {
            budget = budget.saturating_sub(first.len());
            let Some(there) = shown.get(*start..start + first.len()) else { continue };
            if there.iter().zip(&first).all(|(at, text)| result.norm[*at] == *text) {
                stays = true;
                // More lines may follow in the first half.
                let depth = result.indent[shown[*start]];
                let mut behind = shown[start + first.len()..].iter();
                let next = behind.find(|at| result.indent[**at] <= depth);
                goes_on |= next.is_some_and(|next| branch(&result.norm[*next]) == Some(word));
            }
        }
        // Somewhere the first half stays and nowhere does its branch follow: the part left it out.
        if stays && !goes_on {
            let detail = format!("`{word}` of `{}` would go", excerpt(first[0]));
            return Err(Refused::new(Reason::Loses, detail));
        }
        if budget == 0 {
            break;
        }
    }
    Ok(())
}

/// Checks that words close the blocks that words open, if they did.
pub(super) fn check_ends(file: &Layout<'_>, result: &Layout<'_>) -> Result<(), Refused> {
    if open_blocks(file) != 0 || open_blocks(result) == 0 {
        return Ok(());
    }
    Err(Refused::new(Reason::Breaks, "the blocks of the file would not be closed by as many `end`s"))
}

/// Returns how many blocks words open, less those that words close.
fn open_blocks(layout: &Layout<'_>) -> isize {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '?' | '!' | ':' | '@');
    let step = |at: usize| -> isize {
        // A method may have the name of a word.
        let code = layout.code[at].replace(".end", ".");
        let code = code.as_str();
        let words = || code.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
        let count = |list: &[&str]| words().filter(|word| list.contains(word)).count() as isize;
        let first = words().next().unwrap_or_default();
        match layout.family {
            Family::Elixir => count(&["do", "fn"]) - count(&["end"]),
            Family::Shell => count(&["if", "case", "do"]) - count(&["fi", "esac", "done"]),
            Family::Ruby => {
                let (before, behind) = code.split_once(" = ").unwrap_or((code, ""));
                let is_endless = first == "def"
                    && (before.ends_with(')') || !before[3..].trim().contains(' '))
                    && !behind.is_empty();
                let value = behind.split_whitespace().next().unwrap_or_default();
                let loops = ["while", "until", "for"].contains(&first);
                let opens = ["def", "class", "module", "if", "unless", "case", "begin"].contains(&first)
                    && !is_endless;
                let assigns = ["if", "unless", "case", "begin"].contains(&value) && first != "def";
                let block = if loops { 0 } else { count(&["do"]) };
                isize::from(opens || loops) + isize::from(assigns) + block - count(&["end"])
            }
            _ => 0,
        }
    };
    (0..layout.len()).filter(|at| layout.is_code(*at) && !layout.is_comment(*at)).map(step).sum()
}

/// Returns the word with which a line goes on with a branch.
pub(super) fn branch(text: &str) -> Option<&'static str> {
    let text = text.trim_start_matches(['}', ' ']);
    BRANCHES.into_iter().find(|word| {
        let rest = text.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '='))
    })
}

/// Returns true if the line `at` of a part goes on in a line that is not shown.
pub(super) fn is_cut_off(part: &Layout<'_>, at: usize) -> bool {
    let is_code = matches!(
        part.family,
        Family::Python
            | Family::Script
            | Family::Dart
            | Family::Elixir
            | Family::Go
            | Family::Rust
            | Family::C
            | Family::Ruby
            | Family::Php
    );
    let text = part.code[at].trim_end();
    let opens = part.family == Family::Python && text.ends_with(':');
    let ends_open = OPEN.iter().any(|end| text.ends_with(end));
    is_code && !part.inside[at] && part.is_code(at) && !part.is_comment(at) && (opens || ends_open)
}
