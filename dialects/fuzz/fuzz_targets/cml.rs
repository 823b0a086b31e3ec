//! Any text parses as CML, alone and among the other dialects.
//!
//! `cargo +nightly fuzz run cml --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/cml.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, Dialect, Options, Policy, Severity, parse_with};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![Dialect::Cml])] {
        let options = Options { bounds, choice, ..Options::default() };
        let parsed = parse_with(text, &options);

        assert!(parsed.blocks.iter().map(|block| block.actions.len().max(1)).sum::<usize>() <= bounds.blocks);
        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        let mut from = 0;
        for block in &parsed.blocks {
            assert!(block.source.start >= from && block.source.end >= block.source.start);
            from = block.source.end;
            if block.dialect == Dialect::Cml {
                assert!(text[block.source.clone()].trim_start().starts_with('<'));
                let members = if block.policy == Policy::InOrder { block.actions.len() } else { 0 };
                assert_eq!(block.members.len(), members);
                let said = parsed.diagnostics.iter().any(|found| found.severity == Severity::Error);
                assert!(block.sound || said || parsed.diagnostics.len() >= bounds.diagnostics);
            }
        }
        assert_eq!(parsed, parse_with(text, &options));
    }
});
