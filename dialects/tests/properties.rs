//! What holds of the parse of any text, and of texts made of SHAM's own pieces.

use clada_dialects::{Bounds, Choice, Dialect, Parse, Severity, parse, sham_tree};
use proptest::prelude::*;

/// A line without LF or CRLF; a CR alone ends nothing.
fn without_end(line: &str) -> &str {
    line.strip_suffix('\n').map_or(line, |text| text.strip_suffix('\r').unwrap_or(text))
}

/// What must hold whatever was parsed.
fn check(text: &str, parsed: &Parse<'_>) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = body.split_inclusive('\n').map(without_end).collect();
    let line_count = lines.len();
    let mut from = text.len() - body.len();
    let mut last_line = 0;
    for block in &parsed.blocks {
        assert_eq!((block.dialect, block.actions.len()), (Dialect::Sham, 1));
        assert!(block.source.start >= from && block.source.end <= text.len(), "{block:?}");
        from = block.source.end;
        let source = &text[block.source.clone()];
        assert!(source.starts_with("#!"), "{source:?}");
        let lines_before = text[..block.source.start].matches('\n').count();
        assert_eq!(lines_before + 1, block.start_line as usize);
        assert!(block.start_line > last_line);
        last_line = block.start_line;
        if let Some(end) = block.end_line {
            assert_eq!(block.start_line as usize + source.matches('\n').count(), end as usize);
            last_line = end;
        }
        let errors = parsed.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let lines = block.start_line..=block.end_line.unwrap_or(u32::MAX);
        let mine =
            errors.filter(|found| found.block_id.as_deref() == block.id && lines.contains(&found.line));
        assert!(block.sound || mine.count() > 0);
        assert!(!block.sound || block.end_line.is_some());
        for (index, field) in block.actions[0].fields.iter().enumerate() {
            assert!(block.actions[0].fields[..index].iter().all(|other| other.name != field.name));
        }
    }
    let mut reached = 0;
    for found in &parsed.diagnostics {
        assert!(found.line >= reached && found.line as usize <= line_count + 1, "{found:?}");
        reached = found.line;
        let line = if found.line as usize > line_count { "" } else { lines[found.line as usize - 1] };
        assert_eq!(found.content, line);
        let units: u32 = line.chars().map(|character| if character.len_utf16() == 2 { 2 } else { 1 }).sum();
        let past_the_end = found.column == units + 1 && found.length <= 1;
        assert!(found.column >= 1 && (found.column - 1 + found.length <= units || past_the_end), "{found:?}");
        assert!(found.context.split('\n').count() <= 5);
    }
    let tree = sham_tree(parsed);
    assert_eq!(tree.blocks.len(), parsed.blocks.len());
}

fn marker() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "\n",
        "\r\n",
        "\r",
        " ",
        "\t",
        "'",
        "\"",
        "=",
        " = ",
        ":=",
        "=>",
        "<<",
        "<<'",
        "\\",
        "\\u",
        "\\ud83d",
        "\\n",
        "EOT_",
        "EOT_SHAM_",
        "EOT_NESL_",
        "#!SHAM ",
        "#!nesl ",
        "#!NESL ",
        "#!end_",
        "#!END_SHAM_",
        "#!END_NESL_",
        "[@three-char-SHA-256: ",
        "[@x: ",
        "]",
        "ab",
        "abc",
        "k7m",
        "action",
        "path",
        "content",
        "é",
        "👍",
        "𝐀",
        "\u{200b}",
        "\u{feff}",
        "<think>",
        "</think>",
        "<thinking>",
        "# Context Files",
        "<!-- clada-context ",
        "<!-- end ",
        " -->",
        "clada-report ",
        "clada-instructions ",
        "end ",
        "12345678",
        "> ",
    ]);
    let whole = prop::sample::select(vec![
        "\n#!SHAM [@three-char-SHA-256: abc]\n",
        "\n#!nesl [@label: k7m]\r\n",
        "\n#!END_SHAM_abc\n",
        "\n#!end_k7m\n",
        "\ncontent = <<'EOT_SHAM_abc'\n",
        "\ntext = <<'EOT_k7m'\r\n",
        "\nEOT_SHAM_abc\n",
        "\nEOT_k7m'\n",
        "\nx = <<'EOF'\n",
        "\nEOF\n",
        "\naction = \"file_write\"\n",
        "\npath = \"/p\" tail\n",
        "\n<think>\n",
        "\n</think>\n",
        "\n# Context Files\n",
        "\nclada-report 12345678\n",
        "\nend 12345678\n",
    ]);
    prop_oneof![3 => fixed.prop_map(str::to_owned), 4 => whole.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)]
}

/// An action: keys and values to write as SHAM, each as a quoted string or as a heredoc.
fn fields() -> impl Strategy<Value = Vec<(String, String, bool)>> {
    let key = "[a-zα_][a-z0-9_名]{0,12}";
    let value =
        prop_oneof![any::<String>(), prop::collection::vec(marker(), 0..12).prop_map(|parts| parts.concat())];
    prop::collection::vec((key, value, any::<bool>()), 0..8).prop_map(|mut fields| {
        let mut seen = std::collections::HashSet::new();
        fields.retain(|(key, _, _)| seen.insert(key.clone()));
        fields
    })
}

/// `value` as a quoted string of one line.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// A heredoc cannot hold a line that ends with its delimiter, nor CRLF.
fn fits_heredoc(value: &str) -> bool {
    !value.contains('\r') && !value.contains("zZ9")
}

fn render(fields: &[(String, String, bool)]) -> String {
    let mut text = String::from("#!SHAM [@three-char-SHA-256: zZ9]\n");
    for (key, value, heredoc) in fields {
        if *heredoc && fits_heredoc(value) {
            text += &format!("{key} = <<'EOT_SHAM_zZ9'\n{value}\nEOT_SHAM_zZ9\n");
        } else {
            text += &format!("{key} = {}\n", quoted(value));
        }
    }
    text + "#!END_SHAM_zZ9\n"
}

fn assert_same(text: &str, fields: &[(String, String, bool)]) {
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty(), "{text:?} {:?}", parsed.diagnostics);
    let tree = sham_tree(&parsed);
    let found: Vec<_> = tree.blocks[0].properties.0.clone();
    let expected: Vec<_> = fields.iter().map(|(key, value, _)| (key.as_str(), value.as_str())).collect();
    assert_eq!(found, expected);
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
    fn blocks_with_rich_lines_parse(parts in prop::collection::vec(marker(), 0..60)) {
        let text = format!("#!SHAM [@three-char-SHA-256: abc]\n{}", parts.concat());
        check(&text, &parse(&text, &Bounds::default(), &Choice::Auto));
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
        prop_assert!(parsed.blocks.iter().all(|block| block.actions[0].fields.len() <= fields));
        prop_assert!(parsed.diagnostics.len() <= diagnostics + 2);
        prop_assert!(parsed.diagnostics.iter().all(|found| found.content.len() <= excerpt_line + "…".len()));
    }

    #[test]
    fn what_is_rendered_reads_back(fields in fields()) {
        let text = render(&fields);
        assert_same(&text, &fields);
        assert_same(&text.replace('\n', "\r\n"), &fields);
        assert_same(&format!("\u{feff}Prose.\n```\n{text}```"), &fields);
    }
}

#[test]
fn nothing_is_looked_for_that_is_not_chosen() {
    let text = "#!SHAM [@three-char-SHA-256: abc]\n";
    assert_eq!(parse(text, &Bounds::default(), &Choice::Named(vec![])), Parse::default());
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
