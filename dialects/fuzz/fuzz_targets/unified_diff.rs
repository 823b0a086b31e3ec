//! Any text parses as unified diffs, alone and among the other dialects, and every sound block has an end,
//! paths and changes.
//!
//! `cargo +nightly fuzz run unified_diff --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/unified_diff.dict`

#![no_main]

mod shared;

use clada_dialects::{Block, Choice, Dialect};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| shared::check(text, Dialect::UnifiedDiff, Choice::Auto, is_right));

fn is_right(_: &str, block: &Block<'_>) {
    assert!(block.members.is_empty() && block.actions.len() == 1);
    for action in block.actions.iter().filter(|_| block.sound) {
        assert!(block.end_line.is_some());
        let path = action.field("path").or(action.field("old_path"));
        assert!(path.is_some_and(|path| !path.is_empty()));
        let patches = action.name.as_deref() == Some("file_patch");
        assert!(!patches || !action.hunks.is_empty() || action.terms.executable.is_some());
    }
}
