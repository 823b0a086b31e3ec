//! Any text parses as CSL, alone and among the other dialects, and its tree agrees with its blocks.
//!
//! `cargo +nightly fuzz run csl --fuzz-dir dialects/fuzz -- -dict=dialects/fuzz/csl.dict`

#![no_main]

use clada_dialects::{Bounds, Choice, CslTree, Dialect, Options, Policy, csl_tree, parse_with};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![Dialect::Csl])] {
        let options = Options { bounds, choice, ..Options::default() };
        let parsed = parse_with(text, &options);

        assert!(parsed.blocks.iter().map(|block| block.actions.len().max(1)).sum::<usize>() <= bounds.blocks);
        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        let (mut from, mut line, mut operations) = (0, 0, 0);
        for block in &parsed.blocks {
            assert!(block.source.start >= from && block.start_line > line);
            from = block.source.end;
            line = block.end_line.unwrap_or(block.start_line);
            if block.dialect == Dialect::Csl {
                operations += 1;
                assert!(text[block.source.clone()].starts_with("<---") && block.end_line.is_some());
                assert_eq!(
                    block.members.is_empty(),
                    block.policy == Policy::Each || block.actions.is_empty()
                );
            }
        }

        let fatal = parsed.diagnostics.iter().any(|found| found.fatal);
        match csl_tree(text, &parsed, &options.csl) {
            CslTree::Operations { ast, .. } => assert!(!fatal && ast.len() == operations),
            CslTree::Error { error } => assert!(fatal && !error.is_empty()),
        }
        assert_eq!(parsed, parse_with(text, &options));
    }
});
