//! whole_file by cases: pairs of files under `data/whole_file`, and the results that the parser alone can
//! give for recorded answers.
//!
//! `UPDATE_EXPECT=1 cargo test -p clada-dialects --test it whole_file` writes the expected results, to be
//! read before they are committed.

#![allow(clippy::disallowed_methods, reason = "tests read their switches from the environment")]

use crate::fixtures;
use clada_dialects::{Bounds, Choice, Code, Dialect, Parse, parse};

/// Reads `text` as listings and as SEARCH/REPLACE blocks.
fn read(text: &str) -> Parse<'_> {
    parse(text, &Bounds::default(), &Choice::Named(vec![Dialect::Aider, Dialect::WholeFile]))
}

#[test]
fn cases() {
    fixtures::check("whole_file", 25, |text| fixtures::describe(text, &read(text)));
}

#[test]
fn every_code_has_a_case() {
    let codes = [Code::MissingFile, Code::AmbiguousBlock, Code::UnclosedListing, Code::SkippedRegion];
    fixtures::has_case_for("whole_file", &codes);
}

#[test]
fn listings_are_samples_unless_the_dialect_is_named() {
    let text = "a.py\n```\nx\n```\n";
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert!(parsed.blocks.is_empty() && parsed.diagnostics.is_empty(), "{parsed:#?}");
    assert_eq!(read(text).blocks.len(), 1);
}

#[test]
fn a_listing_without_a_name_is_said_only_where_listings_are_meant() {
    let text = "```\nx\n```\n";
    let all = Choice::Enabled(Dialect::ALL.to_vec());
    let parsed = parse(text, &Bounds::default(), &all);
    assert!(parsed.blocks.is_empty() && parsed.diagnostics.is_empty(), "{parsed:#?}");
    assert_eq!(read(text).diagnostics.len(), 1);
}

/// Recorded answers, as far as the parser decides. Needs the folder that `CLADA_CONFORMANCE` names.
#[test]
fn conformance() {
    let Some(cases) = fixtures::conformance_cases("aider-wholefile.json") else { return };
    // A path never comes from prose, although aider takes it from there.
    let refused = |name: &str| name == "mention-then-block" || name == "long-name";
    // The code that has the file decides on the effect of these on it.
    let planned = |name: &str| name == "elided";
    let mut wrong = Vec::new();
    for case in &cases {
        let (name, text) = (case["name"].as_str().unwrap(), case["response"].as_str().unwrap());
        let parsed = read(text);
        let written: Vec<_> = parsed.blocks.iter().filter(|block| block.sound).collect();
        let good = if refused(name) || !case["recommend"].is_null() && !planned(name) {
            written.is_empty()
        } else {
            written.iter().all(|block| {
                let action = &block.actions[0];
                let after = case["aider"]["after"][action.field("path").unwrap()].as_str();
                // aider ends a listing at the first fence, of any kind.
                name == "quad-needed" || planned(name) || after == action.field("content")
            }) && written.len() == 1
        };
        if !good {
            wrong.push(format!("{name}: {written:?} {:?}\n{text}", parsed.diagnostics));
        }
    }
    assert!(wrong.is_empty(), "{} of {} cases differ\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
    println!("{} cases agree", cases.len());
}
