//! What the targets of most dialects check of any text.

use clada_dialects::{Block, Bounds, Choice, Dialect, parse};

/// Parses `text` with `dialect` among others, as `among` says, and with it alone: within the bounds, in order, the
/// same each time, and every block of `dialect` `is_right`.
pub fn check(text: &str, dialect: Dialect, among: Choice, is_right: impl Fn(&str, &Block<'_>)) {
    let bounds = Bounds { blocks: 8, fields: 8, diagnostics: 8, excerpt_line: 40, ..Bounds::default() };
    for choice in [among, Choice::Named(vec![dialect])] {
        let parsed = parse(text, &bounds, &choice);

        assert!(parsed.diagnostics.len() <= bounds.diagnostics + 2);
        assert!(parsed.diagnostics.is_sorted_by_key(|found| found.line));
        let (mut from, mut line) = (0, 0);
        for block in &parsed.blocks {
            assert!(block.source.start >= from && block.start_line > line);
            from = block.source.end;
            line = block.end_line.unwrap_or(block.start_line);
            if block.dialect == dialect {
                is_right(text, block);
            }
        }
        assert_eq!(parsed, parse(text, &bounds, &choice));
    }
}
