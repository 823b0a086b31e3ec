//! Any text parses as blocks of a dialect, alone and among the others: within the bounds, in order, the same each time,
//! and every block is as its dialect has it. The length of the text says which dialect is read alone.
//!
//! `cargo +nightly fuzz run dialects --fuzz-dir dialects/fuzz -- -dict=target/dialects.dict`; `examples/dictionary.rs` writes
//! the dictionary.

#![no_main]

#[path = "../../tests/it/samples.rs"]
mod samples;

use clada_dialects::{
    Bounds, Choice, CslTree, Dialect, Options, Policy, Severity, csl_tree, parse_with, sham_tree,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let alone = Dialect::ALL[text.len() % Dialect::ALL.len()];
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [Choice::Auto, Choice::Named(vec![alone])] {
        let options = Options { bounds, choice, ..Options::default() };
        let parsed = parse_with(text, &options);

        let (mut from, mut line) = (0, 0);
        for block in &parsed.blocks {
            // Several elements or calls may be on one line.
            let many = matches!(block.dialect, Dialect::Cml | Dialect::ToolCall);
            assert!(block.source.start >= from && (many || block.start_line > line), "{block:?}");
            from = block.source.end;
            line = block.end_line.unwrap_or(block.start_line);
            let members = if block.policy == Policy::Each { 0 } else { block.actions.len() };
            assert!(block.members.len() == members && (!block.sound || block.end_line.is_some()), "{block:?}");
            (samples::sample(block.dialect).check)(block, &text[block.source.clone()]);
        }
        assert!(parsed.blocks.iter().map(|block| block.actions.len().max(1)).sum::<usize>() <= bounds.blocks);

        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        for found in &parsed.diagnostics {
            assert!(found.column >= 1 && found.content.len() <= bounds.excerpt_line + "…".len());
        }
        let broken = parsed.diagnostics.iter().any(|found| found.severity == Severity::Error);
        let unsound = parsed.blocks.iter().any(|block| !block.sound);
        assert!(broken || !unsound || parsed.diagnostics.len() >= bounds.diagnostics);

        let of = |dialect| parsed.blocks.iter().filter(|block| block.dialect == dialect).count();
        assert_eq!(sham_tree(&parsed).blocks.len(), of(Dialect::Sham));
        let fatal = parsed.diagnostics.iter().any(|found| found.fatal);
        match csl_tree(text, &parsed, &options.csl) {
            CslTree::Operations { ast, .. } => assert!(!fatal && ast.len() == of(Dialect::Csl)),
            CslTree::Error { error } => assert!(fatal && !error.is_empty()),
        }
        assert_eq!(parsed, parse_with(text, &options));
    }
});
