//! Any text parses as unified diffs, alone and among the other dialects, and every sound block has an end,
//! paths and changes.
//!
//! `cargo +nightly fuzz run unified_diff --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/unified_diff.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, Dialect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![Dialect::UnifiedDiff])] {
        let parsed = parse(text, &bounds, &choice);

        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        let (mut from, mut line) = (0, 0);
        for block in &parsed.blocks {
            assert!(block.source.start >= from && block.start_line > line);
            from = block.source.end;
            line = block.end_line.unwrap_or(block.start_line);
            if block.dialect != Dialect::UnifiedDiff {
                continue;
            }
            assert!(block.members.is_empty() && block.actions.len() == 1);
            for action in block.actions.iter().filter(|_| block.sound) {
                assert!(block.end_line.is_some());
                let path = action.field("path").or(action.field("old_path"));
                assert!(path.is_some_and(|path| !path.is_empty()));
                let patches = action.name.as_deref() == Some("file_patch");
                assert!(!patches || !action.hunks.is_empty() || action.terms.executable.is_some());
            }
        }
        assert_eq!(parsed, parse(text, &bounds, &choice));
    }
});
