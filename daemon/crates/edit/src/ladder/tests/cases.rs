//! The case files: `cases/*.in` say what is asked, `cases/*.out` the result. A case is two files.
//!
//! They are written as those of `edit`. The section `hunks` has a line `@@` before each hunk, then lines with
//! `@`, `#`, `!` or `$` for scope, line number, line number with right counts and end of file, and lines with
//! ` `, `-` and `+`; or there are the sections `search` and `replace`. `level` is `tolerant` if it is not
//! given.

use std::path::Path;

use super::*;
use crate::tests::{escape, sections};

#[test]
fn cases_come_out_as_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ladder/cases");
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for name in names.iter().filter(|name| name.extension().is_some_and(|kind| kind == "in")) {
        seen += 1;
        let actual = outcome(&std::fs::read_to_string(name).unwrap());
        let expected = std::fs::read_to_string(name.with_extension("out")).unwrap_or_default();
        if actual != expected {
            let name = name.file_stem().unwrap_or_default().to_string_lossy();
            wrong.push(format!("##### {name}: expected\n{expected}##### but got\n{actual}##### end"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen >= 12, "only {seen} cases were found");
}

/// Describes the result of a case in words.
fn outcome(input: &str) -> String {
    let case = sections(input);
    let field = |name: &str| case.get(name).map_or("", String::as_str);
    let text = decode(field("file"));
    let hunks: Vec<Hunk> = match case.get("search") {
        Some(search) => vec![replacing_hunk(search, field("replace"))],
        None => format!("\n{}", field("hunks"))
            .split("\n@@")
            .skip(1)
            .map(|diff| hunk(diff.trim_start_matches('\n')))
            .collect(),
    };
    let level = match field("level") {
        "exact" => Match::Exact,
        "strict" => Match::Strict,
        _ => Match::Tolerant,
    };
    match apply_hunks_tolerant(&text, &hunks, level, LIMIT) {
        Ok(patched) => {
            let rungs: Vec<&str> = patched.matched_by.iter().map(|rung| rung.name()).collect();
            let unchanged = if patched.unchanged { " unchanged" } else { "" };
            format!(
                "ok {}{unchanged}\n{}",
                rungs.join(" "),
                escape(&String::from_utf8(patched.bytes).unwrap())
            )
        }
        Err(error) => {
            let hint = hint_for_hunk(&text, &hunks, &error);
            let mut out =
                format!("hunk {}: {} 'P' ({}), {}\n", error.hunk, error.issue(), error.code(), error.kind());
            if let Some(hint) = hint {
                // A hint goes into a report and back to a model, so its size is bounded.
                assert!(hint.text.lines().count() < 40 && hint.text.len() < 8_000, "{}", hint.text);
                out += &format!(
                    "hint {:?} {:?} {:?}\n{}",
                    hint.kind,
                    hint.lines,
                    hint.similarity,
                    escape(&hint.text)
                );
            }
            out
        }
    }
}
