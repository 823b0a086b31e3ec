//! Any text parses, within bounds, and its diagnostics point into it.
//!
//! `cargo +nightly fuzz run sham --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/sham.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, Dialect, Severity, parse, sham_tree};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    let choice = Choice::Named(vec![Dialect::Sham]);
    let parsed = parse(text, &bounds, &choice);

    assert!(parsed.blocks.len() <= bounds.blocks);
    let (mut from, mut line) = (0, 0);
    for block in &parsed.blocks {
        assert!(block.source.start >= from && block.start_line > line);
        assert!(text[block.source.clone()].starts_with("#!"));
        assert!(block.end_line.is_none_or(|end| end > block.start_line));
        assert!(!block.sound || block.end_line.is_some());
        assert_eq!(block.actions.len(), 1);
        assert!(block.actions[0].fields.len() <= bounds.fields);
        from = block.source.end;
        line = block.end_line.unwrap_or(block.start_line);
    }

    assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n').collect();
    let mut reached = 0;
    for found in &parsed.diagnostics {
        assert!(found.line >= reached);
        reached = found.line;
        let units = match lines.get(found.line as usize - 1) {
            Some(line) => line.encode_utf16().count(),
            None => 0,
        };
        let end = (found.column - 1) as usize + found.length as usize;
        assert!(found.column >= 1 && end <= units + 1);
        assert!(found.content.len() <= bounds.excerpt_line + "…".len());
    }

    let broken = parsed.diagnostics.iter().any(|found| found.severity == Severity::Error);
    let unsound = parsed.blocks.iter().any(|block| !block.sound);
    assert!(broken || !unsound || parsed.diagnostics.len() >= bounds.diagnostics);

    let tree = sham_tree(&parsed);
    assert_eq!(tree.blocks.len(), parsed.blocks.len());

    let again = parse(text, &bounds, &choice);
    assert_eq!(parsed, again);
});
