//! Unified diffs: the cases in the folder that `CLADA_CONFORMANCE` names, if it is there.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, parse};
use serde_json::Value;

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

/// `-- i;` becomes `++ i;`: with a sign before each, the two look like the header of a file.
#[test]
fn regression_lines_of_a_hunk_that_look_like_a_header_belong_to_it() {
    for header in ["@@ -1,3 +1,3 @@", "@@"] {
        for (removed, added) in [("-- i;", "++ i;"), ("-- old words", "-- new words"), ("---", "***")] {
            let diff =
                format!("```diff\n--- a/f.c\n+++ b/f.c\n{header}\n a\n-{removed}\n+{added}\n b\n```\n");
            let parsed = parse(&diff, &Bounds::default(), &Choice::Auto);
            let [block] = &parsed.blocks[..] else { panic!("{diff}{parsed:#?}") };
            let hunks = serde_json::to_value(&block.actions[0].hunks).unwrap();
            let lines = &hunks[0]["lines"];
            assert_eq!(
                (lines[1]["removed"].as_str(), lines[2]["added"].as_str()),
                (Some(removed), Some(added)),
                "{diff}"
            );
        }
    }
    // A comment of SQL that goes, as the last line of a hunk whose counts are too small.
    let diff =
        "```diff\n--- a/f.sql\n+++ b/f.sql\n@@ -1 +1 @@\n a\n--- old words\n@@ -7,2 +6,1 @@\n b\n-c\n```\n";
    let parsed = parse(diff, &Bounds::default(), &Choice::Auto);
    assert_eq!((parsed.blocks.len(), parsed.blocks[0].actions[0].hunks.len()), (1, 2), "{parsed:#?}");
    // Without a header of its own, a diff has no such lines as a header either.
    for rest in ["--- i;\n+++ i;\n b\n", "--- old words\n@@\n b\n-c\n"] {
        let answer = format!("In `f.c`:\n\n```diff\n a\n{rest}```\n");
        let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(parsed.blocks.is_empty() && parsed.plain.candidates.len() == 1, "{rest}{parsed:#?}");
    }
}

/// A file of Markdown has fences of its own: with a sign they are lines of it, however many there are, and whether or
/// not the hunk has counts. The second half of the hunk was lost without a word.
#[test]
fn regression_fences_with_a_sign_do_not_close_the_diff() {
    let body = |fences: usize, sign: char| {
        let sample = |at: usize| format!("{sign}```\n{sign}run {at}\n{sign}```\n");
        format!("-old\n+new\n{} \n-last\n+end\n", (0..fences).map(sample).collect::<String>())
    };
    for fences in 1..4 {
        for sign in [' ', '+', '-'] {
            for header in ["@@", "@@ ... @@", "@@ -9,3 +9,3 @@", "@@ -1 +1 @@"] {
                for (indentation, after) in
                    [("", ""), ("", "\nDone.\n"), ("   ", "\n   - an item\n"), ("  ", "")]
                {
                    let diff =
                        format!("```diff\n--- a/f.md\n+++ b/f.md\n{header}\n{}```\n", body(fences, sign));
                    let lines = diff.lines().map(|line| format!("{indentation}{line}\n"));
                    let answer = lines.collect::<String>() + after;
                    let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
                    let hunks = serde_json::to_value(&parsed.blocks[0].actions[0].hunks).unwrap();
                    let lines: Vec<_> =
                        hunks.as_array().unwrap().iter().flat_map(|hunk| hunk["lines"].as_array()).collect();
                    let ends = lines.iter().copied().flatten().filter(|line| line["added"] == "end");
                    assert_eq!((lines.len(), ends.count()), (1, 1), "{answer}{parsed:#?}");
                }
            }
        }
    }
}
