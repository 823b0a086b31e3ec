//! Any text parses as replacer, alone and among the other dialects, and only whole edits are sound.
//!
//! `cargo +nightly fuzz run replacer --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/replacer.dict`

#![no_main]

mod shared;

use clada_dialects::{Block, Choice, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| shared::check(text, Dialect::Replacer, Choice::Auto, is_right));

fn is_right(text: &str, block: &Block<'_>) {
    assert!(text[block.source.clone()].starts_with("<<") && block.actions.len() == 1);
    let action = &block.actions[0];
    if block.sound {
        assert!(block.end_line.is_some() && action.field("path").is_some_and(|path| !path.is_empty()));
        let replaces = action.field("old_text").is_some_and(|old| !old.trim().is_empty());
        assert!(action.field("content").is_some() || replaces && action.field("new_text").is_some());
    }
}
