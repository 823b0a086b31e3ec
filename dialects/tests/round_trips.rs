//! What is written in a dialect reads back as it was meant.

mod texts;

use clada_dialects::{Bounds, Choice, parse, sham_tree};
use proptest::prelude::*;
use texts::marker;

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

/// Text that may stand between markers: no line of it is one.
fn content() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![any::<String>(), prop::collection::vec(marker(), 0..12).prop_map(|parts| parts.concat())];
    text.prop_map(|text| {
        let lines = text.split(['\n', '\r']);
        let kept = lines.filter(|line| !line.starts_with("<---") && !line.starts_with("<<"));
        kept.collect::<Vec<_>>().join("\n")
    })
}

/// `value` as an attribute of CSL.
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

/// Text whose line ends are LF and which CDATA does not write in another way than it is.
fn any_text() -> impl Strategy<Value = String> {
    let text =
        prop_oneof![any::<String>(), prop::collection::vec(marker(), 0..12).prop_map(|parts| parts.concat())];
    text.prop_map(|text| text.replace('\r', "").replace("]]&gt;", ""))
}

/// `text` with XML's entities.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `text` as what stands between tags. Where that begins or ends with a line end, it is in CDATA: the tags would be
/// taken to stand on lines of their own.
fn cml_text(text: &str, cdata: bool) -> String {
    let blank = |line: Option<&str>| line.is_some_and(|line| line.trim_ascii().is_empty());
    let (first, last) = (text.split('\n').next(), text.rsplit('\n').next());
    if cdata || (text.contains('\n') && (blank(first) || blank(last))) {
        return format!("<![CDATA[{}]]>", text.replace("]]>", "]]&gt;"));
    }
    escaped(text)
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
        let name = escaped(&path).replace('"', "&quot;");
        let write = format!("<write path=\"{name}\">{}</write>\n", cml_text(&one, one_as));
        let content = one.strip_prefix('\u{feff}').unwrap_or(&one);
        assert_only_action(&write, &["file_write", &path, content]);
        let append = format!("<write append='true'\n path = \"{name}\" >{}</write>\n", cml_text(&one, one_as));
        assert_only_action(&append, &["file_append", &path, content]);
        if one.is_empty() || two.is_empty() || three.is_empty() {
            return Ok(());
        }
        let part = |name, text, cdata| format!("<{name}>{}</{name}>", cml_text(text, cdata));
        let replace = part("replace", &three, three_as);
        let search = part("search", &one, one_as);
        let edit = format!("<edit path=\"{name}\">\n  {search}\n<!-- by -->{replace}</edit>\n");
        assert_only_action(&edit, &["file_replace_all_text", &path, &one, &three]);
        let ends = part("search-start", &one, one_as) + &part("search-end", &two, two_as);
        let range = format!("<edit path=\"{name}\">{replace}{ends}</edit>\n");
        assert_only_action(&range, &["file_replace_text_range", &path, &one, &two, &three]);
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
}
