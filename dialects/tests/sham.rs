//! SHAM by cases: pairs of files under `data/sham`, `NAME.txt` and what must come of it, `NAME.json`.
//!
//! A case is added by adding two files. `UPDATE_EXPECT=1 cargo test -p clada-dialects --test sham` writes the
//! second of them from what the parser says, to be read before it is committed.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use std::fs;
use std::path::{Path, PathBuf};

use clada_dialects::{Bounds, Choice, Parse, Severity, parse, sham_tree};
use serde_json::{Value, json};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sham")
}

/// Its text, so that the order of properties counts in a comparison.
fn written(value: &Value) -> String {
    value.to_string()
}

/// What a case pins down: the syntax tree, what is only said, and which blocks may run.
fn outcome(text: &str, parse: &Parse<'_>) -> Value {
    let tree = sham_tree(parse);
    let warnings: Vec<_> =
        parse.diagnostics.iter().filter(|found| found.severity == Severity::Warning).collect();
    let sources: Vec<_> = parse.blocks.iter().map(|block| &text[block.source.clone()]).collect();
    let sound: Vec<_> = parse.blocks.iter().map(|block| block.sound).collect();
    json!({
        "blocks": tree.blocks,
        "errors": tree.errors,
        "warnings": warnings,
        "sources": sources,
        "sound": sound,
    })
}

#[test]
fn cases() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut names: Vec<_> = fs::read_dir(data()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    names.sort();
    assert!(names.len() > 40, "only {} cases", names.len());
    let mut wrong = Vec::new();
    for input in names {
        let text = fs::read_to_string(&input).unwrap();
        let actual = outcome(&text, &parse(&text, &Bounds::default(), &Choice::Auto));
        let expected_file = input.with_extension("json");
        if update {
            fs::write(&expected_file, serde_json::to_string_pretty(&actual).unwrap() + "\n").unwrap();
            continue;
        }
        let expected =
            fs::read_to_string(&expected_file).unwrap_or_else(|error| panic!("{expected_file:?}: {error}"));
        let expected: Value = serde_json::from_str(&expected).unwrap();
        if written(&actual) != written(&expected) {
            wrong.push(format!("{}:\nexpected {expected:#}\nactual {actual:#}", input.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_code_has_a_case() {
    let mut seen = String::new();
    for entry in fs::read_dir(data()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            seen += &fs::read_to_string(path).unwrap();
        }
    }
    for code in [
        "MALFORMED_HEADER",
        "INVALID_BLOCK_ID",
        "UNCLOSED_BLOCK",
        "MISMATCHED_END",
        "MALFORMED_ASSIGNMENT",
        "EMPTY_KEY",
        "INVALID_KEY",
        "DUPLICATE_KEY",
        "INVALID_ASSIGNMENT_OPERATOR",
        "INVALID_VALUE",
        "UNCLOSED_QUOTE",
        "TRAILING_CONTENT",
        "INVALID_HEREDOC_DELIMITER",
        "UNCLOSED_HEREDOC",
        "UNUSUAL_LABEL",
        "SKIPPED_REGION",
    ] {
        assert!(seen.contains(&format!("\"{code}\"")), "no case for {code}");
    }
}

/// The reference parser's own cases, every field, if `CLADA_CONFORMANCE` names the folder that holds them.
#[test]
fn conformance() {
    let Some(folder) = std::env::var_os("CLADA_CONFORMANCE") else {
        println!("CLADA_CONFORMANCE is not set: sham.json is absent and was not compared");
        return;
    };
    let file = Path::new(&folder).join("sham.json");
    let Ok(cases) = fs::read_to_string(&file) else {
        println!("{} is absent and was not compared", file.display());
        return;
    };
    let cases: Vec<Value> = serde_json::from_str(&cases).unwrap();
    let mut wrong = Vec::new();
    for case in &cases {
        let parse = parse(case["text"].as_str().unwrap(), &Bounds::default(), &Choice::Auto);
        let actual = serde_json::to_value(sham_tree(&parse)).unwrap();
        if written(&actual) != written(&case["expected"]) {
            wrong.push(format!("{}:\nexpected {:#}\nactual {actual:#}", case["name"], case["expected"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {} differ\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    println!("{} cases agree", cases.len());
}
