//! Any text parses as SEARCH/REPLACE blocks, alone and among the other dialects, and only whole blocks are
//! sound.
//!
//! `cargo +nightly fuzz run aider --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/aider.dict`

#![no_main]

mod shared;

use clada_dialects::{Block, Choice, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| shared::check(text, Dialect::Aider, Choice::Auto, is_right));

fn is_right(_: &str, block: &Block<'_>) {
    assert_eq!(block.actions.len(), 1);
    let action = &block.actions[0];
    if block.sound {
        assert!(block.end_line.is_some() && action.field("path").is_some_and(|path| !path.is_empty()));
        assert_eq!(action.hunks.len(), 1);
    }
}
