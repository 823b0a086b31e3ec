//! Properties of the parse of any text, and of texts made of the dialects' own pieces.

#![allow(clippy::expect_used, reason = "what is missing fails the test")]

use crate::samples::sample;
use crate::texts::{marker, plain_piece};
use clada_dialects::plain::{Form, Plain};
use clada_dialects::{
    Block, Bounds, Choice, CslDelimiters, Dialect, Parse, Policy, Severity, csl_tree, parse, sham_tree,
};
use proptest::prelude::*;

/// A line without LF or CRLF; a CR alone ends nothing.
fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text))
}

/// Checks the properties of a block by itself.
fn check_block(block: &Block<'_>, source: &str) {
    (sample(block.dialect).check)(block, source);
    let members = if block.policy == Policy::Each { 0 } else { block.actions.len() };
    assert_eq!(block.members.len(), members);
    assert!(
        !block.sound || block.policy == Policy::InOrder || block.members.iter().all(|member| member.valid)
    );
    let inside = |line: u32| line >= block.start_line && block.end_line.is_none_or(|end| line <= end);
    assert!(block.members.iter().all(|member| inside(member.start_line) && inside(member.end_line)));
    for action in &block.actions {
        for (index, field) in action.fields.iter().enumerate() {
            assert!(action.fields[..index].iter().all(|other| other.name != field.name));
            // A path may be before the block that it is for.
            let before = field.name == "path" && field.span.line < block.start_line;
            assert!(inside(field.span.line) || before, "{block:?}");
        }
    }
}

/// Checks the properties of what is shown without a dialect, in a text of so many lines.
fn check_plain(plain: &Plain, line_count: usize) {
    assert!(plain.candidates.len() <= 1_000 && plain.notes.len() <= 1_000);
    assert!(plain.candidates.is_empty() || plain.asked_for.is_empty());
    let inside = |lines: &std::ops::Range<u32>| {
        lines.start >= 1 && lines.start < lines.end && lines.end as usize <= line_count + 1
    };
    for candidate in &plain.candidates {
        assert!(inside(&candidate.lines), "{candidate:?}");
        assert!(candidate.words.len() <= 200 && candidate.groups.len() <= 16, "{candidate:?}");
        let naming = candidate.naming.clone();
        assert!(naming.is_none_or(|naming| candidate.content.get(naming).is_some()), "{candidate:?}");
        let empty = matches!(candidate.form, Form::Delete | Form::Move { .. });
        let may_be_empty = empty || matches!(candidate.form, Form::Replacement { .. });
        assert!(may_be_empty || !candidate.content.is_empty(), "{candidate:?}");
        assert!(!empty || candidate.content.is_empty(), "{candidate:?}");
        assert!(candidate.groups.iter().all(|group| !group.mentions.is_empty()), "{candidate:?}");
    }
    assert!(plain.notes.iter().all(|note| inside(&note.lines)), "{:?}", plain.notes);
}

/// Checks the properties that hold whatever was parsed.
fn check(text: &str, parsed: &Parse<'_>) {
    // A lone CR counts as a line end in CSL alone, so in such texts lines are not compared by their numbers.
    let lone = text.replace("\r\n", "\n").contains('\r');
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = body.split_inclusive('\n').map(without_end).collect();
    let line_count = lines.len();
    let mut from = text.len() - body.len();
    let mut last_line = 0;
    for block in &parsed.blocks {
        assert!(block.source.start >= from && block.source.end <= text.len(), "{block:?}");
        from = block.source.end;
        let source = &text[block.source.clone()];
        check_block(block, source);
        let lines_before = text[..block.source.start].matches('\n').count();
        assert!(lone || lines_before + 1 == block.start_line as usize);
        // Several elements or calls may be on one line.
        let many = matches!(block.dialect, Dialect::Cml | Dialect::ToolCall);
        let beside = many && block.start_line == last_line;
        assert!(block.start_line > last_line || beside);
        last_line = block.start_line;
        if let Some(end) = block.end_line {
            assert!(lone || block.start_line as usize + source.matches('\n').count() == end as usize);
            last_line = end;
        }
        let errors = parsed.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let lines = block.start_line..=block.end_line.unwrap_or(u32::MAX);
        let mine =
            errors.filter(|found| found.block_id.as_deref() == block.id && lines.contains(&found.line));
        assert!(block.sound || mine.count() > 0);
        assert!(!block.sound || block.end_line.is_some());
    }
    let mut reached = 0;
    for found in &parsed.diagnostics {
        assert!(found.line >= reached && (lone || found.line as usize <= line_count + 1), "{found:?}");
        reached = found.line;
        let line = if lone { &found.content } else { *lines.get(found.line as usize - 1).unwrap_or(&"") };
        assert_eq!(found.content, line);
        let units: u32 = line.chars().map(|character| if character.len_utf16() == 2 { 2 } else { 1 }).sum();
        let past_the_end = found.column == units + 1 && found.length <= 1;
        assert!(found.column >= 1 && (found.column - 1 + found.length <= units || past_the_end), "{found:?}");
        assert!(found.context.split('\n').count() <= 5);
    }
    check_plain(&parsed.plain, line_count);
    let tree = sham_tree(parsed);
    let of_sham = parsed.blocks.iter().filter(|block| block.dialect == Dialect::Sham).count();
    assert_eq!(tree.blocks.len(), of_sham);
    let of_csl = parsed.blocks.iter().filter(|block| block.dialect == Dialect::Csl).count();
    let fatal = parsed.diagnostics.iter().filter(|found| found.fatal).count();
    assert!(fatal <= 1);
    let tree = serde_json::to_value(csl_tree(text, parsed, &CslDelimiters::default()));
    let tree = tree.expect("a tree is data");
    assert_eq!(tree["ast"].as_array().map(Vec::len), if fatal == 0 { Some(of_csl) } else { None });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_parses(text in any::<String>()) {
        check(&text, &parse(&text, &Bounds::default(), &Choice::Auto));
    }

    #[test]
    fn marker_rich_text_parses(bom in any::<bool>(), parts in prop::collection::vec(marker(), 0..60)) {
        let text = if bom { "\u{feff}" } else { "" }.to_owned() + &parts.concat();
        check(&text, &parse(&text, &Bounds::default(), &Choice::Auto));
    }

    #[test]
    fn answers_of_random_pieces_are_read_within_their_bounds(
        texts in prop::collection::vec(
            prop::collection::vec(plain_piece(), 0..80),
            clada_test_extent::cases(1, 200),
        ),
    ) {
        for text in texts.into_iter().map(|pieces| pieces.concat()) {
            let parsed = parse(&text, &Bounds::default(), &Choice::Auto);
            check(&text, &parsed);
            prop_assert_eq!(&parsed, &parse(&text, &Bounds::default(), &Choice::Auto));
        }
    }

    #[test]
    fn blocks_with_rich_lines_parse(parts in prop::collection::vec(marker(), 0..60)) {
        let text = format!("#!SHAM [@three-char-SHA-256: abc]\n{}", parts.concat());
        check(&text, &parse(&text, &Bounds::default(), &Choice::Auto));
    }

    #[test]
    fn marker_rich_text_parses_with_listings(parts in prop::collection::vec(marker(), 0..60)) {
        let text = parts.concat();
        for choice in [Choice::Enabled(Dialect::ALL.to_vec()), Choice::Named(Dialect::ALL.to_vec())] {
            check(&text, &parse(&text, &Bounds::default(), &choice));
        }
    }

    #[test]
    fn tight_bounds_hold(
        parts in prop::collection::vec(marker(), 0..60),
        (blocks, fields, diagnostics, excerpt_line) in (0_usize..3, 0_usize..3, 0_usize..3, 0_usize..9),
    ) {
        let text = parts.concat();
        let bounds = Bounds { blocks, fields, diagnostics, excerpt_line, ..Bounds::default() };
        let parsed = parse(&text, &bounds, &Choice::Auto);
        prop_assert!(parsed.blocks.len() <= blocks);
        let mut sham = parsed.blocks.iter().filter(|block| block.dialect == Dialect::Sham);
        prop_assert!(sham.all(|block| block.actions[0].fields.len() <= fields));
        prop_assert!(parsed.blocks.iter().map(|block| block.actions.len().max(1)).sum::<usize>() <= blocks);
        prop_assert!(parsed.diagnostics.len() <= diagnostics + 2);
        prop_assert!(parsed.diagnostics.iter().all(|found| found.content.len() <= excerpt_line + "…".len()));
    }

    #[test]
    fn each_dialect_alone_parses(
        parts in prop::collection::vec(marker(), 0..60),
        dialect in prop::sample::select(Dialect::ALL),
    ) {
        let text = parts.concat();
        let parsed = parse(&text, &Bounds::default(), &Choice::Named(vec![dialect]));
        check(&text, &parsed);
        prop_assert!(parsed.blocks.iter().all(|block| block.dialect == dialect));
    }

}

#[test]
fn nothing_is_looked_for_that_is_not_chosen() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\n";
    assert!(parse(text, &Bounds::default(), &Choice::Named(vec![])).blocks.is_empty());
    assert_eq!(parse(text, &Bounds::default(), &Choice::Named(vec![Dialect::Sham])).blocks.len(), 1);
}

#[test]
fn bounds_are_said() {
    let block = "#!SHAM [@three-char-SHA-256: abc]\na = \"1\"\nb = \"2\"\nbad\nbad\n#!END_SHAM_abc\n";
    let codes = |bounds: Bounds| {
        let parsed = parse(&block.repeat(2)[..], &bounds, &Choice::Auto).diagnostics;
        let names =
            parsed.iter().map(|found| serde_json::to_value(found.code).unwrap().as_str().unwrap().to_owned());
        (names.collect::<Vec<_>>().join(" "), parsed.iter().any(|found| found.fatal))
    };
    let malformed = "MALFORMED_ASSIGNMENT MALFORMED_ASSIGNMENT";
    assert_eq!(codes(Bounds { input: 10, ..Bounds::default() }), ("INPUT_TOO_LARGE".into(), true));
    assert_eq!(
        codes(Bounds { blocks: 1, ..Bounds::default() }),
        (format!("{malformed} TOO_MANY_BLOCKS"), true)
    );
    assert_eq!(
        codes(Bounds { diagnostics: 2, ..Bounds::default() }),
        (format!("{malformed} TOO_MANY_DIAGNOSTICS"), false)
    );
    let full = format!("TOO_MANY_FIELDS {malformed}");
    assert_eq!(codes(Bounds { fields: 1, ..Bounds::default() }), (format!("{full} {full}"), false));
    let capped = Bounds { diagnostics: 0, ..Bounds::default() };
    assert!(parse(block, &capped, &Choice::Auto).blocks.iter().all(|block| !block.sound));
}

#[test]
fn heredocs_are_borrowed_where_no_cr_has_to_go() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\na = <<'EOT_abc'\none\ntwo\nEOT_abc\n#!END_SHAM_abc\n";
    for (text, borrowed) in [(text.to_owned(), true), (text.replace('\n', "\r\n"), false)] {
        let parsed = parse(&text, &Bounds::default(), &Choice::Auto);
        let value = &parsed.blocks[0].actions[0].fields[0].value;
        assert_eq!(value, "one\ntwo");
        assert_eq!(matches!(value, std::borrow::Cow::Borrowed(_)), borrowed);
    }
}

#[test]
fn the_action_is_a_name_and_not_a_field() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\npath = \"/p\"\naction = \"file_read\"\n#!END_SHAM_abc\n";
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    let block = &parsed.blocks[0];
    assert_eq!(block.actions[0].name.as_deref(), Some("file_read"));
    assert_eq!((block.actions[0].field("action"), block.actions[0].field("path")), (None, Some("/p")));
    let at = block.named_at.unwrap();
    assert_eq!((at.index, at.span.line, at.span.column, at.span.length), (1, 3, 10, 11));
}
