//! The case files: `cases/*.in` say what is asked, `cases/*.out` the result. A case is two files.
//!
//! An `.in` file has sections, each a line `=== name` and the lines up to the next one, without the last LF:
//! `file`, and the fields of the action that the section `do` names. `\r`, `\t`, `\\` and `\u{…}` are
//! escapes of characters. An `.out` file is what [`outcome`] makes of the result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::*;

mod properties;

const LIMIT: usize = 10 << 20;

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cases")
}

#[test]
fn cases_come_out_as_their_files_say() {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(cases()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for name in names.iter().filter(|name| name.extension().is_some_and(|kind| kind == "in")) {
        seen += 1;
        let actual = outcome(&sections(&std::fs::read_to_string(name).unwrap()));
        let expected = std::fs::read_to_string(name.with_extension("out")).unwrap_or_default();
        if actual != expected {
            let name = name.file_stem().unwrap_or_default().to_string_lossy();
            wrong.push(format!("##### {name}: expected\n{expected}##### but got\n{actual}##### end"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 30, "only {seen} cases were found");
}

pub(super) fn sections(input: &str) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut name = String::new();
    for line in input.lines() {
        match line.strip_prefix("=== ") {
            Some(section) => {
                name = section.to_owned();
                sections.entry(name.clone()).or_default();
            }
            None => sections.entry(name.clone()).or_default().push(line),
        }
    }
    sections.into_iter().map(|(name, lines)| (name, unescape(&lines.join("\n")))).collect()
}

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('u') => {
                let (code, after) = after[2..].split_once('}').unwrap();
                out.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
                chars = after.chars();
            }
            other => out.extend(other),
        }
        rest = chars.as_str();
    }
    out + rest
}

pub(super) fn escape(text: &str) -> String {
    let text =
        text.replace('\\', "\\\\").replace('\r', "\\r").replace('\t', "\\t").replace('\u{feff}', "\\u{feff}");
    text + "\n"
}

fn expect(given: Option<&String>, default: Expect) -> Expect {
    given.map_or(default, |count| Expect::Exactly(count.parse().unwrap()))
}

fn field<'a>(case: &'a BTreeMap<String, String>, name: &str) -> &'a str {
    case.get(name).map_or("", String::as_str)
}

/// Describes the result of a case in words.
fn outcome(case: &BTreeMap<String, String>) -> String {
    let text = match Text::decode(field(case, "file").as_bytes()) {
        Ok(text) => text,
        Err(error) => return failure(&error.into(), None),
    };
    match edit(case, &text) {
        Ok(edited) => {
            let unchanged = if edited.unchanged { " unchanged" } else { "" };
            let body = String::from_utf8(edited.bytes).unwrap();
            format!("ok {}{unchanged}\n{}", edited.replacements, escape(&body))
        }
        Err(error) => failure(&error, hint(case, &text, &error)),
    }
}

fn edit(case: &BTreeMap<String, String>, text: &Text<'_>) -> Result<Edited, EditError> {
    let (old, new, count) = (field(case, "old_text"), field(case, "new_text"), case.get("count"));
    match field(case, "do") {
        "replace_text" => replace_text(text, old, new, expect(count, Expect::ExactlyOne), LIMIT),
        "replace_all_text" => replace_text(text, old, new, expect(count, Expect::AtLeastOne), LIMIT),
        "replace_text_range" => {
            replace_text_range(text, ends(case), new, expect(count, Expect::ExactlyOne), LIMIT)
        }
        "replace_lines" => replace_lines(text, field(case, "lines"), field(case, "new_content"), LIMIT),
        "append" => append(text, field(case, "content"), LIMIT),
        other => panic!("no such operation: {other}"),
    }
}

fn hint(case: &BTreeMap<String, String>, text: &Text<'_>, error: &EditError) -> Option<Hint> {
    let (old, new) = (field(case, "old_text"), field(case, "new_text"));
    match field(case, "do") {
        "replace_text_range" => hint_for_range(text, ends(case), new, error),
        _ => hint_for_replace(text, old, new, error),
    }
}

fn ends(case: &BTreeMap<String, String>) -> (&str, &str) {
    (field(case, "old_text_beginning"), field(case, "old_text_end"))
}

fn failure(error: &EditError, hint: Option<Hint>) -> String {
    let mut out = format!("{} 'P' ({}), {}\n", error.issue(), error.code(), error.kind());
    if let Some(hint) = hint {
        assert!(hint.text.lines().count() < 40 && hint.text.len() < 8_000, "{}", hint.text);
        out +=
            &format!("hint {:?} {:?} {:?}\n{}", hint.kind, hint.lines, hint.similarity, escape(&hint.text));
    }
    out
}

#[test]
fn several_texts_are_found_in_the_text_as_it_was() {
    use crate::{Replacement, replace_texts};
    let once = |old, new| Replacement { old, new, expected: Expect::Exactly(1) };
    let done = |text: &str, edits: &[Replacement<'_>]| {
        let text = Text::decode(text.as_bytes()).unwrap();
        replace_texts(&text, edits, 100).map(|edited| String::from_utf8(edited.bytes).unwrap())
    };
    let cases: [(&str, &[Replacement<'_>], &str); 6] = [
        ("a b", &[once("a", "b"), once("b", "a")], "b a"),
        ("a b", &[once("b", "a"), once("a", "b")], "b a"),
        ("ab", &[once("a", ""), once("b", "")], ""),
        ("a\r\nb\r\n", &[once("a\nb", "c\nd\ne")], "c\r\nd\r\ne\r\n"),
        ("a", &[], "a"),
        ("\u{feff}a\r\nb", &[once("b", "c\nd")], "\u{feff}a\r\nc\r\nd"),
    ];
    for (text, edits, expected) in cases {
        assert_eq!(done(text, edits).as_deref(), Ok(expected), "{text:?}");
    }
    let twice = Replacement { old: "a", new: "b", expected: Expect::Exactly(2) };
    assert_eq!(done("a a", &[twice]).as_deref(), Ok("b b"));
    for (text, edits, index) in [
        ("ab", vec![once("ab", "x"), once("b", "y")], 1),
        ("ab", vec![once("b", "x"), once("ab", "y")], 1),
        ("a", vec![once("a", "x"), once("none", "y")], 1),
        ("a", vec![once("a", "x"), once("", "y")], 1),
        ("a a", vec![once("a", "x")], 0),
        ("a", vec![twice], 0),
    ] {
        assert_eq!(done(text, &edits).unwrap_err().0, index, "{text:?} {edits:?}");
    }
    let long = "x".repeat(101);
    assert!(matches!(done("a", &[once("a", &long)]), Err((0, EditError::TooLarge { .. }))));
}
