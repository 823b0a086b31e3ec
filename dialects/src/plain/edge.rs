//! The end or the top of a part of a file, which words name: a definition, a key, a table, a target, a section.
//!
//! ```text
//! Add this at the end of `Store`:                End of Store
//! At the top of the Setup section in `a.md`:     Top of Setup
//! In `main`, add at the top:                     Top of main
//! ```

use super::phrases::has_east;
use super::tables::{
    ADDS, ADDS_EAST, AT_END, AT_END_EAST, AT_TOP, AT_TOP_EAST, EDGE_END, EDGE_JOINTS, EDGE_OF, EDGE_TOP,
    FILE_WORDS, PARTS, SAVES_EAST, SECTIONS,
};
use super::words::{adds, ends_with_words, leads_to_code, starts_with_words, tail, updates, without_bold};

// The words for an end (`true`) or a top; "append" alone is a verb, and what follows it is what it appends.
fn rows() -> impl Iterator<Item = (&'static str, bool)> {
    let tables = [(&EDGE_END, true), (&EDGE_TOP, false), (&AT_END, true), (&AT_TOP, false)];
    let rows =
        tables.into_iter().flat_map(|(table, is_end)| table.rows().iter().map(move |row| (*row, is_end)));
    rows.filter(|(row, _)| *row != "append")
}

// Returns true if `line` puts something at an end or a top: by a verb, or as a label that begins with the place.
pub(super) fn puts_at_edge(line: &str) -> bool {
    let line = &*without_bold(line);
    let is_edge = || {
        [&EDGE_END, &EDGE_TOP, &AT_END, &AT_TOP].iter().any(|table| table.are_in(line))
            || [AT_END_EAST, AT_TOP_EAST].iter().any(|table| has_east(line, table))
    };
    let begins = || {
        let lower = line.to_lowercase();
        let text = lower.trim_start_matches(|c: char| !c.is_alphabetic());
        rows().any(|(row, _)| starts_with_words(text, row))
    };
    is_edge() && (adds(line) || leads_to_code(line) && !updates(line) && begins())
}

// Returns whether the words around a name put something at the end (`true`) or the top of what it names: "at the end of
// the `api` service", "am Anfang von `main`", "在 `Store` 类的末尾".
pub(super) fn around(before: &str, after: &str) -> Option<bool> {
    const STEPS: usize = 5;
    let lower = tail(before).to_lowercase();
    let signs = [' ', '`', '"', '\'', '’', '“', '„', '«', '*', '_', '\u{a0}'];
    let mut text = lower.trim_end_matches(signs);
    // True if an unknown word stood between, and if the last one was "of".
    let (mut is_loose, mut is_of) = (false, false);
    for _ in 0..STEPS {
        if let Some((row, is_end)) = rows().find(|(row, _)| ends_with_words(text, row)) {
            return (!is_loose || is_of || row.ends_with(" of")).then_some(is_end);
        }
        let word = text.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        if word.is_empty() || FILE_WORDS.contains(&word) || ADDS.rows().contains(&word) {
            break;
        }
        is_loose |= !EDGE_JOINTS.contains(&word) && !PARTS.rows().contains(&word);
        is_of = EDGE_OF.contains(&word);
        text = text[..text.len() - word.len()].trim_end_matches(signs);
    }
    behind(after)
}

// Returns the same of the words behind a name, in languages that give the place there.
fn behind(after: &str) -> Option<bool> {
    // "`load` 函数添加到文件末尾", "`load` を末尾に": what goes to the end of the file.
    const OTHERS: [&str; 7] = ["文件", "檔案", "ファイル", "파일", "を", "를 ", "을 "];
    const NEAR: usize = 24;
    let at = |table: &[&str]| table.iter().filter_map(|row| after.find(row)).min();
    let (at, is_end) = match (at(AT_END_EAST), at(AT_TOP_EAST)) {
        (Some(end), None) => (end, true),
        (None, Some(top)) => (top, false),
        _ => return None,
    };
    let between = &after[..at];
    let is_apart = between.contains(['，', '、', '。', ',', '：', ':']);
    let mut others = OTHERS.iter().chain(ADDS_EAST).chain(SAVES_EAST);
    (at <= NEAR && !is_apart && !others.any(|word| between.contains(word))).then_some(is_end)
}

// Returns whether `line` puts something at an end (`true`) or a top and does not say of what: "In `main`, add at the top:".
pub(super) fn alone(line: &str) -> Option<bool> {
    let lower = without_bold(line).to_lowercase();
    let is_file = |word: &str| FILE_WORDS.contains(&word);
    if lower.split(|c: char| !c.is_alphanumeric()).any(is_file) {
        return None;
    }
    rows().filter(|(row, _)| !row.ends_with(" of") && !row.ends_with(" to")).find_map(|(row, is_end)| {
        let at = lower.find(row).filter(|at| ends_with_words(&lower[..at + row.len()], row))?;
        let next = lower[at + row.len()..].trim_start();
        let word = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        (!EDGE_JOINTS.contains(&word)).then_some(is_end)
    })
}

// Returns the name of the section at whose end (`true`) or top `line` puts something: "at the end of the Setup section", "am
// Ende des Abschnitts Setup".
pub(super) fn of_section(line: &str) -> Option<(&str, bool)> {
    const MOST: usize = 6;
    const SECTION_ENDS: [&str; 11] =
        ["in", "im", "dans", "en", "em", "nel", "nella", "of", "von", "hinzu", "ein"];
    let is_sign = |c: char| matches!(c, ' ' | '*' | '"' | '\'' | '_' | '#' | '“' | '”' | '„' | '`' | ':');
    let lower = line.to_ascii_lowercase();
    let places = rows().filter_map(|(row, is_end)| Some((lower.find(row)? + row.len(), is_end)));
    let (at, is_end) = places.max_by_key(|(at, _)| *at)?;
    let text = line[at..].split([',', ':']).next().unwrap_or_default();
    let words = text.split(' ').filter(|word| !word.is_empty());
    let start = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let is_section = |word: &&str| SECTIONS.contains(&&*word.trim_matches(is_sign).to_lowercase());
    let section = words.clone().find(is_section)?;
    let is_joint = |word: &&str| EDGE_JOINTS.contains(&&*word.trim_matches(is_sign).to_lowercase());
    let mut before = words.clone().take_while(|word| !is_section(word));
    let name = match before.find(|word| !is_joint(word)) {
        Some(first) => &text[start(first)..start(section)],
        // The name stands behind.
        None => {
            let behind = &text[start(section) + section.len()..];
            let end = behind.split(' ').find(|word| word.starts_with('`') || SECTION_ENDS.contains(word));
            let end = end.map_or(behind.len(), |word| word.as_ptr() as usize - behind.as_ptr() as usize);
            &behind[..end]
        }
    };
    let name = name.trim_matches(is_sign);
    let is_name = name.starts_with(|c: char| c.is_uppercase() || c.is_numeric())
        && !name.contains('`')
        && name.split_whitespace().count() <= MOST
        && !adds(name);
    is_name.then_some((name, is_end))
}

// Returns true if `code` begins with an import, which goes to the top of its file.
pub(super) fn imports(code: &str) -> bool {
    const WORDS: [&str; 5] = ["import ", "from ", "using ", "#include", "require"];
    let first = code.trim_start().lines().next().unwrap_or_default();
    // A trait of PHP goes into its class.
    WORDS.iter().any(|word| first.starts_with(word)) || first.starts_with("use ") && first.contains('\\')
}
