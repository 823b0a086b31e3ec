//! aider: the results that the parser alone can give for recorded answers.

#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]
#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Dialect, Parse, parse};
use clada_schema::HunkLine;

/// The lines of the only hunk of the last block of `parsed`, as a diff writes them.
fn hunk(parsed: &Parse<'_>) -> Vec<String> {
    let hunk = &parsed.blocks.last().unwrap().actions[0].hunks[0];
    let written = hunk.lines.iter().map(|line| match line {
        HunkLine::Context(text) => format!(" {text}"),
        HunkLine::Removed(text) => format!("-{text}"),
        HunkLine::Added(text) => format!("+{text}"),
    });
    written.collect()
}

#[test]
fn what_git_leaves_in_a_file_is_no_edit() {
    let conflict = "a.py\n```\n<<<<<<< HEAD\na\n||||||| base\nb\n=======\nc\n>>>>>>> main\n```\n";
    let parsed = parse(conflict, &Bounds::default(), &Choice::Auto);
    assert!(parsed.blocks.is_empty() && parsed.diagnostics.is_empty(), "{parsed:#?}");
}

#[test]
fn what_is_quoted_is_no_edit() {
    let block = "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
    let quoted: String = block.lines().map(|line| format!("> {line}\n")).collect();
    assert_eq!(parse(&quoted, &Bounds::default(), &Choice::Auto), Parse::default());
    let thinking = format!("<think>\n{block}</think>\n");
    assert!(parse(&thinking, &Bounds::default(), &Choice::Auto).blocks.is_empty());
}

#[test]
fn a_diff_of_files_called_search_is_none_of_ours() {
    let diff = "--- SEARCH\n+++ SEARCH\n@@ -1 +1 @@\n-a\n+b\n";
    let parsed = parse(diff, &Bounds::default(), &Choice::Named(vec![Dialect::Aider]));
    assert!(parsed.blocks.is_empty() && parsed.diagnostics.is_empty(), "{parsed:#?}");
}

#[test]
fn markers_with_a_backslash_are_content() {
    let text = "a.py\n<<<<<<< SEARCH\n\\<<<<<<< HEAD\n1\n\\=======\n2\n\\>>>>>>> main\n=======\n2\n>>>>>>> REPLACE\n";
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert_eq!(hunk(&parsed), ["-<<<<<<< HEAD", "-1", "-=======", "-2", "->>>>>>> main", "+2"]);
}

/// Returns the expected outcome of a recorded answer.
fn expected_outcome(case: &serde_json::Value) -> &str {
    case["recommend"]["outcome"].as_str().or(case["aider"]["outcome"].as_str()).unwrap()
}

/// Recorded answers, as far as the parser decides: blocks of good answers are sound and name the recorded
/// files, broken ones are diagnosed, and text is not an edit. Needs the folder that `CLADA_CONFORMANCE`
/// names.
#[test]
fn conformance() {
    let Some(cases) = fixtures::conformance_cases("aider-editblock.json") else { return };
    // Runs of four characters, which the specification accepts although aider does not.
    let accepted = |name: &str| name == "mk-4chars";
    let mut wrong = Vec::new();
    for case in &cases {
        let (name, text) = (case["name"].as_str().unwrap(), case["response"].as_str().unwrap());
        let parsed = parse(text, &Bounds::default(), &Choice::Auto);
        let sound = parsed.blocks.iter().filter(|block| block.sound);
        let paths: Vec<_> = sound.map(|block| block.actions[0].field("path").unwrap()).collect();
        let kind = case["aider"]["error_kind"].as_str();
        let good = match expected_outcome(case) {
            "ok" => {
                let edited = case["aider"]["edited"].as_array().unwrap();
                let named = edited.iter().all(|file| {
                    paths
                        .iter()
                        .any(|path| file.as_str().unwrap().ends_with(path.rsplit('/').next().unwrap()))
                });
                !paths.is_empty() && named && parsed.blocks.iter().all(|block| block.sound)
            }
            "none" => parsed.blocks.is_empty() && parsed.diagnostics.is_empty(),
            "nochange" if !accepted(name) => {
                parsed.blocks.is_empty() || case["aider"]["edited"] != serde_json::json!([])
            }
            "error" if kind.is_some_and(|kind| kind.starts_with("missing_")) => {
                parsed.blocks.iter().any(|block| !block.sound) && !parsed.diagnostics.is_empty()
            }
            _ => !parsed.blocks.is_empty(),
        };
        if !good {
            wrong.push(format!("{name}: {paths:?} {:?}\n{text}", parsed.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    println!("{} cases agree", cases.len());
}
