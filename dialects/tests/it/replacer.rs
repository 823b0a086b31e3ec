//! Replacer by cases: pairs of files under `data/replacer`.
//!
//! `UPDATE_EXPECT=1 cargo test -p clada-dialects --test it replacer` writes the expected results, to be read
//! before they are committed.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Code, parse};

#[test]
fn cases() {
    fixtures::check("replacer", 20, |text| {
        fixtures::describe(text, &parse(text, &Bounds::default(), &Choice::Auto))
    });
}

#[test]
fn every_code_has_a_case() {
    let codes = [
        Code::MissingFile,
        Code::MissingReplace,
        Code::UnclosedEdit,
        Code::EmptySearch,
        Code::UnexpectedMarker,
    ];
    fixtures::has_case_for("replacer", &codes);
}

#[test]
fn a_stray_end_is_text_where_there_is_no_edit() {
    let parsed = parse("<<<END>>>\n<<<REPLACE>>>\n<<FILE>>\n", &Bounds::default(), &Choice::Auto);
    assert_eq!(parsed, clada_dialects::Parse::default());
}
