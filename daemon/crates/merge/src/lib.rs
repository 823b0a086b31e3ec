//! Merges a part of a file (an elided listing) into the file: pure, text in, text and notes out.
//!
//! A model often shows a part of a file: a function, or a listing with `// ... existing code ...` for what it
//! leaves out. [`merge`] proposes the file that the part means, says how sure that is ([`Level`]) and what
//! happens to each unit ([`Note`]), or refuses with a reason ([`Refused`]). Knows no path, project or answer.
//!
//! ```
//! use clada_merge::{Level, Part, merge};
//!
//! let file = "import os\n\ndef load():\n    return 1\n\ndef save():\n    return 2\n";
//! let part = "# ... existing code ...\n\ndef save():\n    check()\n    return 2\n";
//! let merged = merge(file, &Part::new(part, "py")).expect("the listing has one place");
//! assert_eq!(merged.text, file.replace("def save():\n", "def save():\n    check()\n"));
//! assert_eq!(merged.level, Level::Proven);
//! ```

mod braces;
mod commented;
mod documents;
mod lines;
mod markers;
mod note;
mod part;
mod property_list;
mod refused;
mod sections;
mod source;
mod tags;
mod units;

#[cfg(test)]
mod tests;

pub use braces::line_with_dots_in_brackets;
pub use documents::is_of_document;
pub use note::{Note, NoteKind, Position};
pub use part::{Edge, Level, Merged, Part};
pub use refused::{Reason, Refused};
pub use tags::open_tags;
pub use units::{Losses, ends_in_string, open_brackets, used_behind};

/// Merges `part` into `file`.
///
/// Takes time and memory in proportion to the lines of the file times those of the part that the file has too,
/// up to a bound.
///
/// # Errors
/// [`Refused`] if the part is in the file already, has no single place, would lose or break something that the
/// answer does not mention, or is too large.
pub fn merge(file: &str, part: &Part<'_>) -> Result<Merged, Refused> {
    if let Some(merged) = commented::merge(file, part.text) {
        return Ok(merged);
    }
    if units::Family::of(part.extension) == units::Family::Html
        && let Some(merged) = sections::merge(file, part)
    {
        return merged;
    }
    let source = source::Source::new(file);
    let family = units::Family::of(part.extension);
    let text = braces::opened(&source, part.text.trim_matches(['\n', '\r']), family);
    let text = markers::indented(&source, &text, part.extension, part.marker);
    let part = &Part { text: &text, ..*part };
    let shown = source::Source::new(&text);
    if part.extension.to_lowercase().ends_with("plist")
        && let Some(merged) = property_list::merge(&source, &shown)
    {
        return merged;
    }
    let markers = markers::Markers::find(&source, &shown, part.extension, part.marker);
    if let Some(line) = foreign_line(&source, &shown, part.extension) {
        let detail = format!("`{}` is not a line of code", refused::excerpt(line));
        return Err(Refused::new(Reason::Breaks, detail));
    }
    if is_other_program(&source, &shown) {
        let detail = "the part is a separate program: it begins with `#!`, and the file does not";
        return Err(Refused::new(Reason::NoPlace, detail));
    }
    let by_lines = lines::merge(&source, &shown, &markers).and_then(|mut merged| {
        merged.notes.extend(units::check_lines(&source, &merged, part)?);
        Ok(merged)
    });
    match by_lines {
        Err(refused) if refused.reason != Reason::AlreadyThere => {
            if let Some(merged) = documents::merge(file, part, merge) {
                return merged;
            }
            let by_units = units::merge(&source, &shown, &markers, part);
            // What is too large for units was compared by lines.
            by_units.map_err(|error| if error.reason == Reason::TooLarge { refused } else { error })
        }
        by_lines => by_lines,
    }
}

/// Merges `part` into `file`, at `edge` unless lines of the file in the part say where it goes.
///
/// # Errors
/// As for [`merge`], and if the file does not have the part that `edge` names, or has several.
pub fn insert(file: &str, part: &Part<'_>, edge: Edge<'_>) -> Result<Merged, Refused> {
    let shown = source::Source::new(part.text.trim_matches(['\n', '\r']));
    let inserted = units::insert(&source::Source::new(file), &shown, part, edge);
    inserted.unwrap_or_else(|| merge(file, part))
}

/// Returns true if the part is a script with its interpreter, which `file` does not name, and not only its first lines.
fn is_other_program(file: &source::Source<'_>, shown: &source::Source<'_>) -> bool {
    const FEW: usize = 6;
    let begins = |text: &source::Source<'_>| {
        text.lines.iter().find(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with("#!"))
    };
    begins(shown) && !begins(file) && shown.lines.iter().filter(|line| !line.trim().is_empty()).count() > FEW
}

// Returns a line of a part in a programming language that is a sign for readers: one that begins with a plus, as new lines
// of a diff do (code that goes on with a plus is indented), an arrow alone between old and new code, or words that say the
// same.
fn foreign_line<'a>(
    file: &source::Source<'a>,
    shown: &source::Source<'a>,
    extension: &str,
) -> Option<&'a str> {
    let is_signed = |line: &str| line.strip_prefix('+').is_some_and(|rest| rest.starts_with([' ', '\t']));
    let is_arrow =
        |line: &str| matches!(line.trim(), "->" | "→" | "↓" | "⬇" | "➜" | "⟶" | "⇒" | "-->" | "==>");
    let is_turn = |line: &str| {
        markers::comment_text(line).is_some_and(|text| {
            let words = [
                "change to",
                "changed to",
                "change it to",
                "changes to",
                "becomes",
                "replaced by",
                "replaced with",
                "replace with",
            ];
            text.strip_suffix(':').is_some_and(|text| words.contains(&&*text.trim().to_lowercase()))
        })
    };
    let signs: [&dyn Fn(&str) -> bool; 3] = [&is_signed, &is_arrow, &is_turn];
    if matches!(units::Family::of(extension), units::Family::Markdown | units::Family::Plain) {
        return None;
    }
    let is_in = |text: &source::Source<'a>, sign: &dyn Fn(&str) -> bool| {
        text.lines.iter().copied().find(|line| sign(line))
    };
    signs.into_iter().filter(|sign| is_in(file, sign).is_none()).find_map(|sign| is_in(shown, sign))
}
