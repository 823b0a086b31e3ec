//! Any text parses as OpenAI's patches, alone and among the other dialects, and every sound block has an end,
//! paths and changes.
//!
//! `cargo +nightly fuzz run apply_patch --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/apply_patch.dict`

#![no_main]

mod shared;

use clada_dialects::{Block, Choice, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| shared::check(text, Dialect::ApplyPatch, Choice::Auto, is_right));

fn is_right(_: &str, block: &Block<'_>) {
    assert_eq!(block.members.len(), block.actions.len());
    assert!(!block.sound || !block.actions.is_empty());
    for action in block.actions.iter().filter(|_| block.sound) {
        assert!(block.end_line.is_some());
        let path = action.field("path").or(action.field("old_path"));
        assert!(path.is_some_and(|path| !path.is_empty()));
        let patches = action.name.as_deref() == Some("file_patch");
        assert!(!patches || !action.hunks.is_empty() || action.terms.executable.is_some());
    }
}
