//! Any text parses as SEARCH/REPLACE blocks, alone and among the other dialects, and only whole blocks are
//! sound.
//!
//! `cargo +nightly fuzz run aider --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/aider.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, Dialect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![Dialect::Aider])] {
        let parsed = parse(text, &bounds, &choice);

        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        let (mut from, mut line) = (0, 0);
        for block in &parsed.blocks {
            assert!(block.source.start >= from && block.start_line > line);
            from = block.source.end;
            line = block.end_line.unwrap_or(block.start_line);
            if block.dialect != Dialect::Aider {
                continue;
            }
            assert_eq!(block.actions.len(), 1);
            let action = &block.actions[0];
            if block.sound {
                assert!(
                    block.end_line.is_some() && action.field("path").is_some_and(|path| !path.is_empty())
                );
                assert_eq!(action.hunks.len(), 1);
            }
        }
        assert_eq!(parsed, parse(text, &bounds, &choice));
    }
});
