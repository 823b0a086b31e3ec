//! Any text parses as listings, alone and among the other dialects, and only whole listings are sound.
//!
//! `cargo +nightly fuzz run whole_file --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/whole_file.dict`

#![no_main]

mod shared;

use clada_dialects::{Block, Choice, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| shared::check(
    text,
    Dialect::WholeFile,
    Choice::Enabled(Dialect::ALL.to_vec()),
    is_right
));

fn is_right(_: &str, block: &Block<'_>) {
    assert_eq!(block.actions.len(), 1);
    let action = &block.actions[0];
    if block.sound {
        assert!(block.end_line.is_some() && action.field("path").is_some_and(|path| !path.is_empty()));
        let content = action.field("content");
        assert!(content.is_some_and(|text| text.is_empty() || text.ends_with('\n')));
    }
}
