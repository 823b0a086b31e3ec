//! Unified diffs by cases: pairs of files under `data/unified_diff`.
//!
//! `UPDATE_EXPECT=1 cargo test -p clada-dialects --test it unified_diff` writes the expected results, to be
//! read before they are committed. Further cases are read from the folder that `CLADA_CONFORMANCE` names, if
//! it is there.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Code, parse};
use serde_json::Value;

#[test]
fn cases() {
    fixtures::check("unified_diff", 20, |text| {
        fixtures::describe(text, &parse(text, &Bounds::default(), &Choice::Auto))
    });
}

#[test]
fn every_code_has_a_case() {
    let codes = [
        Code::MissingPath,
        Code::TruncatedPatch,
        Code::EmptyPatch,
        Code::UnexpectedLine,
        Code::UnsupportedPatch,
    ];
    fixtures::has_case_for("unified_diff", &codes);
}

/// The number of sound blocks, blocks in all and diagnostics of the cases that are not one sound block.
const OTHERS: [(&str, [usize; 3]); 6] = [
    ("two-files-two-fences", [2, 2, 0]),
    // Nothing is taken from a last block that has no end.
    ("unclosed-fence", [0, 1, 1]),
    // A fence in the middle of a diff is its end.
    ("fence-unprefixed-in-content", [1, 1, 0]),
    // Two names without a move.
    ("rename-header", [0, 1, 1]),
    ("empty-diff", [0, 0, 0]),
    ("prose", [0, 0, 0]),
];

#[test]
fn aider_reads_the_same_files() {
    let Some(cases) = fixtures::conformance_cases("aider-udiff.json") else { return };
    for case in &cases {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (name, response) = (text(&case["name"]), text(&case["response"]));
        let parsed = parse(&response, &Bounds::default(), &Choice::Auto);
        let sound = parsed.blocks.iter().filter(|block| block.sound).count();
        let expected =
            OTHERS.iter().find(|(other, _)| *other == name).map_or([1, 1, 0], |(_, counts)| *counts);
        assert_eq!([sound, parsed.blocks.len(), parsed.diagnostics.len()], expected, "{name}: {parsed:#?}");
        let edited: Vec<_> = case["aider"]["edited"].as_array().unwrap().iter().map(text).collect();
        let sound = parsed.blocks.iter().filter(|block| block.sound);
        let paths: Vec<_> = sound.map(|block| block.actions[0].field("path").unwrap_or_default()).collect();
        let read = case["aider"]["outcome"] == "ok" && !paths.is_empty();
        assert!(!read || paths == edited, "{name}: {paths:?}");
    }
}
