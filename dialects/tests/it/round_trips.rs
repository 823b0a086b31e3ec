//! Round trips: a text written in a dialect reads back as it was meant.

use crate::texts::marker;
use clada_dialects::{Block, Bounds, Choice, parse, sham_tree};
use clada_schema::{HunkLine, RawHunk};
use proptest::prelude::*;

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

/// Returns `value` as a quoted string of one line.
fn quoted(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// Returns true if `value` surely fits a heredoc: no line of it can end with the delimiter, and it has no CR.
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

/// Text for between markers: no line of it is one.
fn content() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![any::<String>(), prop::collection::vec(marker(), 0..12).prop_map(|parts| parts.concat())];
    text.prop_map(|text| {
        let lines = text.split(['\n', '\r']);
        let kept = lines.filter(|line| !line.starts_with("<---") && !line.starts_with("<<"));
        kept.collect::<Vec<_>>().join("\n")
    })
}

/// Returns `value` as an attribute of CSL.
fn attribute(value: &str, quote: char) -> String {
    let escaped = value.replace('\\', "\\\\").replace(quote, &format!("\\{quote}"));
    format!("{quote}{escaped}{quote}")
}

/// The only action of `text`, which is read without fault: its name and its fields but `count`.
fn only_action(text: &str) -> Vec<String> {
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty() && parsed.blocks.len() == 1, "{text:?} {parsed:?}");
    let action = &parsed.blocks[0].actions[0];
    let fields = action.fields.iter().filter(|field| field.name != "count");
    let name = action.name.iter().map(|name| name.to_string());
    name.chain(fields.map(|field| field.value.to_string())).collect()
}

fn assert_only_action(text: &str, expected: &[&str]) {
    assert_eq!(only_action(text), expected);
    assert_eq!(only_action(&text.replace('\n', "\r\n")), expected);
    assert_eq!(only_action(&format!("\u{feff}Prose.\n```\n{text}```")), expected);
}

/// Text whose line ends are LF and which CDATA does not change.
fn any_text() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![any::<String>(), prop::collection::vec(marker(), 0..12).prop_map(|parts| parts.concat())];
    text.prop_map(|text| text.replace('\r', "").replace("]]&gt;", ""))
}

/// Returns `text` with XML's entities.
fn in_xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns `text` as the content between two tags. If it begins or ends with a line end, it is in CDATA:
/// otherwise the tags would seem to be on lines of their own. If it is `laid_out`, a line end after the
/// opening of CDATA is not a part of it.
fn cml_text(text: &str, cdata: bool, laid_out: bool) -> String {
    let blank = |line: Option<&str>| line.is_some_and(|line| line.trim_ascii().is_empty());
    let (first, last) = (text.split('\n').next(), text.rsplit('\n').next());
    if cdata || (text.contains('\n') && (blank(first) || blank(last))) {
        let end = if laid_out { "\n" } else { "" };
        return format!("<![CDATA[{end}{}]]>", text.replace("]]>", "]]&gt;"));
    }
    in_xml(text)
}

/// Hunks, each of which changes something and begins with a line that has text.
fn hunks() -> impl Strategy<Value = Vec<Vec<HunkLine>>> {
    let line = (0..3, "[^\r\n]{0,12}").prop_map(|(kind, text)| match kind {
        0 => HunkLine::Context(text),
        1 => HunkLine::Removed(text),
        _ => HunkLine::Added(text),
    });
    let lines = prop::collection::vec(line, 0..8).prop_map(|mut lines| {
        lines.insert(0, HunkLine::Removed("old".to_owned()));
        lines
    });
    prop::collection::vec(lines, 1..4)
}

/// The lines of a hunk with their signs, below a header with counts.
fn numbered(lines: &[HunkLine], line: usize) -> String {
    let old = lines.iter().filter(|line| !matches!(line, HunkLine::Added(_))).count();
    let new = lines.iter().filter(|line| !matches!(line, HunkLine::Removed(_))).count();
    format!("@@ -{line},{old} +{line},{new} @@\n{}", signed(lines))
}

fn signed(lines: &[HunkLine]) -> String {
    let line = |line: &HunkLine| match line {
        HunkLine::Context(text) => format!(" {text}\n"),
        HunkLine::Removed(text) => format!("-{text}\n"),
        HunkLine::Added(text) => format!("+{text}\n"),
    };
    lines.iter().map(line).collect()
}

/// The sound blocks of `text`, which is read without fault, by path and lines.
fn patches(text: &str) -> Vec<(String, Vec<Vec<HunkLine>>)> {
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty(), "{text:?} {parsed:?}");
    let lines = |hunks: &[RawHunk<'_>]| hunks.iter().map(|hunk| hunk.clone().into_owned().lines).collect();
    let actions = |block: &Block<'_>| -> Vec<_> {
        let actions = block.actions.iter();
        actions
            .map(|action| (action.field("path").unwrap_or_default().to_owned(), lines(&action.hunks)))
            .collect()
    };
    parsed.blocks.iter().flat_map(actions).collect()
}

/// Returns `text` as content of a SEARCH/REPLACE block: a line that reads as a marker gets a backslash.
fn escaped(text: &str) -> String {
    let marker = |line: &str| {
        let bare = line.trim().trim_start_matches('\\').to_ascii_uppercase();
        bare == "======="
            || ["SEARCH", "REPLACE"].iter().any(|word| bare.contains(word))
            || ["<<<<<<<", ">>>>>>>"].iter().any(|run| bare.starts_with(run))
    };
    let lines = text.split('\n').map(|line| {
        let blanks = line.len() - line.trim_start().len();
        if marker(line) { format!("{}\\{}", &line[..blanks], &line[blanks..]) } else { line.to_owned() }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Text of whole lines without the lines that a block loses: fences, and lines that name its place.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "  x",
        "\ty",
        "é👍",
        "=======",
        "  =======",
        "\\=======",
        "<<<<<<< SEARCH",
        "<<<<<<< HEAD",
        ">>>>>>> REPLACE",
        ">>>>>>> main",
        "#!SHAM [@three-char-SHA-256: abc]",
        "<<<FILE>>>",
        "<---RUN--->",
        "<think>",
        "a.py",
        "*** Begin Patch",
        "-------",
    ]);
    prop::collection::vec(line, 1..8).prop_map(|lines| lines.join("\n"))
}

/// The only block of `text`, read without fault: its path, and its lines as a diff writes them.
fn only_hunk(text: &str) -> (String, Vec<String>) {
    let parsed = parse(text, &Bounds::default(), &Choice::Auto);
    assert!(parsed.diagnostics.is_empty() && parsed.blocks.len() == 1, "{text:?} {parsed:?}");
    let action = &parsed.blocks[0].actions[0];
    let lines = action.hunks[0].lines.iter().map(|line| match line {
        HunkLine::Context(text) => format!(" {text}"),
        HunkLine::Removed(text) => format!("-{text}"),
        HunkLine::Added(text) => format!("+{text}"),
    });
    (action.field("path").unwrap_or_default().to_owned(), lines.collect())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sham_reads_back(fields in fields()) {
        let text = render(&fields);
        assert_same(&text, &fields);
        assert_same(&text.replace('\n', "\r\n"), &fields);
        assert_same(&format!("\u{feff}Prose.\n```\n{text}```"), &fields);
    }

    #[test]
    fn csl_reads_back(
        file in "[^\r\n]{1,20}",
        quote in prop::sample::select(vec!['"', '\'']),
        (one, two, three) in (content(), content(), content()),
    ) {
        let path = attribute(&file, quote);
        let write = format!("<---WRITE file={path}--->\n{one}\n<---END--->\n");
        assert_only_action(&write, &["file_write", &file, &one]);
        let append = format!("<---WRITE append='true' file = {path} --->\n{one}\n<---END--->\n");
        assert_only_action(&append, &["file_append", &file, &one]);
        if one.is_empty() || two.is_empty() {
            return Ok(());
        }
        let search = format!("<---SEARCH file={path}--->\n{one}\n<---REPLACE--->\n{two}\n<---END--->\n");
        assert_only_action(&search, &["file_replace_all_text", &file, &one, &two]);
        let range = format!(
            "<---SEARCH file={path}--->\n{one}\n<---TO--->\n{two}\n<---REPLACE--->\n{three}\n<---END--->\n"
        );
        assert_only_action(&range, &["file_replace_text_range", &file, &one, &two, &three]);
    }

    #[test]
    fn cml_reads_back(
        path in "[^ \r\n][^\r\n]{0,20}",
        (one, two, three) in (any_text(), any_text(), any_text()),
        forms in prop::array::uniform3(any::<bool>()),
    ) {
        let [one_as, two_as, three_as] = forms;
        let name = in_xml(&path).replace('"', "&quot;");
        let write = format!("<write path=\"{name}\">{}</write>\n", cml_text(&one, one_as, true));
        let content = one.strip_prefix('\u{feff}').unwrap_or(&one);
        assert_only_action(&write, &["file_write", &path, content]);
        let append = format!("<write append='true'\n path = \"{name}\" >{}</write>\n", cml_text(&one, one_as, true));
        assert_only_action(&append, &["file_append", &path, content]);
        if one.is_empty() || two.is_empty() || three.is_empty() {
            return Ok(());
        }
        let part = |name, text, cdata, laid| format!("<{name}>{}</{name}>", cml_text(text, cdata, laid));
        let laid_out = one.starts_with('\n') && three.starts_with('\n');
        let replace = part("replace", &three, three_as, laid_out);
        let search = part("search", &one, one_as, laid_out);
        let edit = format!("<edit path=\"{name}\">\n  {search}\n<!-- by -->{replace}</edit>\n");
        assert_only_action(&edit, &["file_replace_all_text", &path, &one, &three]);
        let laid_out = laid_out && two.starts_with('\n');
        let replace = part("replace", &three, three_as, laid_out);
        let ends = part("search-start", &one, one_as, laid_out) + &part("search-end", &two, two_as, laid_out);
        let range = format!("<edit path=\"{name}\">{replace}{ends}</edit>\n");
        assert_only_action(&range, &["file_replace_text_range", &path, &one, &two, &three]);
    }

    #[test]
    fn unified_diffs_read_back(one in hunks(), two in hunks()) {
        let file = |name: &str, hunks: &[Vec<HunkLine>]| {
            let hunks: String = hunks.iter().enumerate().map(|(at, lines)| numbered(lines, 9 * at + 1)).collect();
            format!("--- a/{name}\n+++ b/{name}\n{hunks}")
        };
        let text = file("one", &one) + &file("two", &two);
        let expected = vec![("one".to_owned(), one), ("two".to_owned(), two)];
        assert_eq!(patches(&text), expected);
        assert_eq!(patches(&format!("{text}\nProse.\n\n- an item\n")), expected);
        assert_eq!(patches(&format!("Prose.\n~~~~diff\n{text}~~~~\nProse.\n")), expected);
        assert_eq!(patches(&text.replace('\n', "\r\n")), expected);
    }

    #[test]
    fn patches_read_back(one in hunks(), two in hunks()) {
        let file = |name: &str, hunks: &[Vec<HunkLine>]| {
            let hunks: String = hunks.iter().map(|lines| format!("@@\n{}", signed(lines))).collect();
            format!("*** Update File: {name}\n{hunks}")
        };
        let text = format!("*** Begin Patch\n{}{}*** End Patch\n", file("one", &one), file("two", &two));
        let expected = vec![("one".to_owned(), one), ("two".to_owned(), two)];
        assert_eq!(patches(&text), expected);
        assert_eq!(patches(&text.replace('\n', "\r\n")), expected);
        let indented: String = text.lines().map(|line| format!("   {line}\n")).collect();
        assert_eq!(patches(&format!("1. Item\n{indented}\nProse.\n")), expected);
    }

    #[test]
    fn replacer_reads_back(file in "[a-z_/.é👍]([a-z_/. é👍]{0,20}[a-z_/.é👍])?", one in content(), two in content()) {
        let new = if two.trim().is_empty() { "" } else { &two };
        for (left, right) in [("<<<", ">>>"), ("<<", ">>")] {
            let file_is = format!("{left}FILE{right}\n\n{file}\n");
            let overwrite = format!("{file_is}{left}OVERWRITE{right}\n{one}\n{left}END{right}\n");
            assert_only_action(&overwrite, &["file_write", &file, &one]);
            if !one.trim().is_empty() {
                let replace = format!("{left}REPLACE{right}\n{two}\n{left}END{right}\n");
                let search = format!("{file_is}{left}SEARCH{right}\n{one}\n{replace}");
                assert_only_action(&search, &["file_replace_text", &file, &one, new]);
            }
        }
    }

    #[test]
    fn aider_reads_back(file in "[a-zé]{1,8}(/[a-z]{1,8}){0,2}\\.py", one in lines(), two in lines()) {
        let block = format!("<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n", escaped(&one), escaped(&two));
        let removed = one.split('\n').map(|line| format!("-{line}")).filter(|_| !one.trim().is_empty());
        let expected: Vec<_> = removed.chain(two.split('\n').map(|line| format!("+{line}"))).collect();
        for text in [
            format!("{file}\n{block}"),
            format!("Prose.\n\n**`{file}`**:\n\n```python\n{block}```\nMore.\n"),
            format!("```python\n{file}\n{block}```\n"),
            format!("```python {file}\n{block}```\n"),
            block.replacen("SEARCH", &format!("SEARCH {file}"), 1),
        ] {
            let expected = (file.clone(), expected.clone());
            assert_eq!(only_hunk(&text), expected, "{text:?}");
            assert_eq!(only_hunk(&text.replace('\n', "\r\n")), expected, "{text:?}");
        }
    }
}
