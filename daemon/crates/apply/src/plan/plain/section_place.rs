//! A section for the place in a file of prose that words give by a heading: "after **Usage**", "between "Install" and "Use"".
//!
//! Pure. The headings are the file's: words that name none, or two, give no place.

use clada_dialects::plain::{beside, fits_language};

use super::inserted_text::{ended, guessed};
use super::plain_edit::{EditOutcome, PlainEdit};

struct Heading<'f> {
    line: usize,
    level: usize,
    text: &'f str,
}

pub(super) fn section(edit: &PlainEdit<'_>, file: &str) -> Option<EditOutcome> {
    let content = edit.content.trim_matches('\n');
    if !content.starts_with('#') || !fits_language("markdown", edit.path) {
        return None;
    }
    let there = headings(file);
    let is_known = |new: &Heading<'_>| there.iter().any(|old| old.text == new.text);
    if headings(content).iter().any(is_known) {
        return None;
    }
    let mut places = there.iter().filter_map(|heading| Some((place(edit.words, heading.text)?, heading)));
    let (after, heading) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let lines: Vec<&str> = file.split_inclusive('\n').collect();
    let next = there.iter().find(|next| next.line > heading.line && next.level <= heading.level);
    let at = match after {
        true => next.map_or(lines.len(), |next| next.line),
        false => heading.line,
    };
    let head = ended(lines[..at].concat().trim_end_matches('\n'));
    let above = if head.trim().is_empty() { "" } else { "\n" };
    let below = if at == lines.len() { "" } else { "\n" };
    let text = format!("{head}{above}{content}\n{below}{}", lines[at..].concat());
    let word = if after { "after" } else { "before" };
    Some(guessed(text, format!("Added {word} the section `{}`.", heading.text)))
}

// Returns whether `words` put something after (`true`) or before the heading `text`; `None` if they do neither.
fn place(words: &str, text: &str) -> Option<bool> {
    const MARKS: [char; 9] = ['"', '\'', '`', '*', '_', '#', '“', '„', '«'];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (lower, name) = (words.to_lowercase(), text.to_lowercase());
    lower.match_indices(&name).find_map(|(at, _)| {
        let (before, behind) = (&lower[..at], &lower[at + name.len()..]);
        let is_whole = !before.ends_with(is_word) && !behind.starts_with(is_word);
        let before = before.trim_end_matches(' ').trim_end_matches(MARKS);
        is_whole.then(|| beside(before, behind.trim_start_matches(MARKS)))?
    })
}

fn headings(text: &str) -> Vec<Heading<'_>> {
    let mut is_inside = false;
    let mut headings = Vec::new();
    for (line, shown) in text.lines().enumerate() {
        if shown.trim_start().starts_with("```") || shown.trim_start().starts_with("~~~") {
            is_inside = !is_inside;
        }
        let level = shown.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = !is_inside && (1..=6).contains(&level) && shown[level..].starts_with(' ');
        // A sign in front of the words, as an emoji is, is not said.
        let is_sign = |c: char| !c.is_alphanumeric();
        let name = shown[level..].trim_start_matches(is_sign).trim_end_matches(['#', ' ', ':']);
        if is_heading && name.len() > 2 {
            headings.push(Heading { line, level, text: name });
        }
    }
    headings
}

#[cfg(test)]
mod tests {
    use clada_dialects::plain::Form;

    use super::*;

    #[test]
    fn regression_words_place_a_section_beside_a_heading_of_the_file() {
        let file = "# Kettle\n\nBoils.\n\n## Setup\n\nBuy one.\n\n### Cable\n\nLong.\n\n## Use\n\nPour.\n";
        let section = "## Care\n\nRinse it.\n";
        let behind_setup = file.replace("Long.\n", "Long.\n\n## Care\n\nRinse it.\n");
        for (words, expected) in [
            ("Put this between \"Setup\" and \"Use\":", Some(behind_setup.clone())),
            ("Add a section after **Setup**:", Some(behind_setup.clone())),
            ("Füge unter der Setup-Sektion einen Abschnitt ein:", Some(behind_setup.clone())),
            ("Add this below the Setup section:", Some(behind_setup.clone())),
            ("Above `## Use`, add:", Some(behind_setup)),
            ("After the Use section:", Some(format!("{file}\n## Care\n\nRinse it.\n"))),
            ("Add a section for the use of it:", None),
        ] {
            let edit = PlainEdit {
                form: &Form::Code,
                content: section,
                old: None,
                path: "README.md",
                is_named_diff: false,
                is_labelled: true,
                words,
                removals: &[],
                marker: "",
                limit: usize::MAX,
            };
            let done = super::section(&edit, file).map(|done| match done {
                EditOutcome::Changed(changed) => changed.text,
                other => format!("{other:?}"),
            });
            assert_eq!(done, expected, "{words}");
        }
    }
}
