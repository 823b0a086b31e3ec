//! OpenAI's patches by cases: pairs of files under `data/apply_patch`.
//!
//! `UPDATE_EXPECT=1 cargo test -p clada-dialects --test it apply_patch` writes the expected results, to be
//! read before they are committed.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Code, Parse, parse};

#[test]
fn cases() {
    fixtures::check("apply_patch", 20, |text| {
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
    fixtures::has_case_for("apply_patch", &codes);
}

#[test]
fn more_operations_than_are_allowed_stop_the_answer() {
    let text = "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch\n";
    let told =
        |blocks: usize| -> Parse<'_> { parse(text, &Bounds { blocks, ..Bounds::default() }, &Choice::Auto) };
    assert!(told(2).diagnostics.is_empty() && told(2).blocks[0].sound);
    let parsed = told(1);
    assert!(parsed.diagnostics.iter().any(|found| found.fatal && found.code == Code::TooManyBlocks));
    assert!(parsed.blocks.iter().all(|block| !block.sound && block.actions.len() <= 1));
}
