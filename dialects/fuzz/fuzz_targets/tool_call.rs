//! Any text parses as calls of tools, alone and among the other dialects, and only whole calls are blocks.
//!
//! `cargo +nightly fuzz run tool_call --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/tool_call.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, Dialect, parse};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![Dialect::ToolCall])] {
        let parsed = parse(text, &bounds, &choice);

        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        let mut from = 0;
        for block in &parsed.blocks {
            assert!(block.source.start >= from);
            from = block.source.end;
            if block.dialect != Dialect::ToolCall {
                continue;
            }
            let source = &text[block.source.clone()];
            assert!(source.starts_with(['{', '<']) && source.ends_with(['}', '>']));
            assert!(block.sound && block.end_line.is_some() && !block.actions.is_empty());
            for action in &block.actions {
                let name = action.name.as_deref().unwrap_or_default();
                assert!(name.starts_with("file_") || name == "dir_create", "{name}");
                assert!(["path", "old_path"].iter().any(|name| action.field(name).is_some()));
            }
        }
        assert_eq!(parsed, parse(text, &bounds, &choice));
    }
});
