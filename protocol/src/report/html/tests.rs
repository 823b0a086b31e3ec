//! The page is well formed whatever is in an operation, and shows what it holds.

use proptest::prelude::*;
use quick_xml::events::Event;

use super::*;
use crate::{ChangeKind, OperationInfo, Parameters, PathChange};

/// Every element that a page may hold.
const ELEMENTS: [&str; 24] = [
    "html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "dl", "dt", "dd", "p", "section",
    "article", "span", "code", "pre", "ul", "li", "details", "summary", "b", "i",
];

/// Every attribute that it may hold.
const ATTRIBUTES: [&str; 7] = ["lang", "charset", "http-equiv", "content", "name", "class", "open"];

/// Reads the page as XML and returns the texts of its body. Panics at markup that is none of ours.
fn texts(page: &str) -> Vec<String> {
    let mut reader = quick_xml::Reader::from_str(page);
    let mut texts = vec![String::new()];
    let mut open = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            // The guard never holds: it only checks the tag.
            Event::Start(tag) | Event::Empty(tag)
                if {
                    check(&tag);
                    false
                } => {}
            Event::Start(tag) => {
                open.push(tag.name().as_ref().to_owned());
                texts.push(String::new());
            }
            Event::End(_) => {
                open.pop();
                texts.push(String::new());
            }
            Event::Text(text) => texts.last_mut().unwrap().push_str(&text),
            Event::GeneralRef(name) => {
                texts.last_mut().unwrap().push_str(match &*name {
                    "amp" => "&",
                    "lt" => "<",
                    "gt" => ">",
                    "quot" => "\"",
                    "#39" => "'",
                    other => panic!("&{other};"),
                });
            }
            Event::Empty(_) | Event::DocType(_) => {}
            Event::Eof => break,
            other => panic!("{other:?}"),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    texts
}

fn check(tag: &quick_xml::events::BytesStart<'_>) {
    let name = tag.name();
    let name: &str = name.as_ref();
    assert!(ELEMENTS.contains(&name), "<{name}>");
    for attribute in tag.attributes() {
        let key = attribute.unwrap().key;
        let key: &str = key.as_ref();
        assert!(ATTRIBUTES.contains(&key), "{key}");
    }
}

/// An operation that has `text` wherever it can have one.
fn operation(text: &str) -> HistoryShowResult {
    let params: Parameters =
        serde_json::from_value(serde_json::json!({ "path": text, "content": text, "count": [text] }))
            .unwrap();
    let failed = ActionResult {
        action: text.to_owned(),
        task: text.to_owned(),
        status: ActionStatus::Error,
        error: Some(text.to_owned()),
        hint: Some(text.to_owned()),
        person_hint: Some(text.to_owned()),
        params: params.clone(),
        ..ActionResult::default()
    };
    let done =
        ActionResult { status: ActionStatus::Success, success: true, params, ..ActionResult::default() };
    let change = PathChange {
        path: text.to_owned(),
        change: ChangeKind::Moved,
        from: Some(text.to_owned()),
        error: Some(text.to_owned()),
        ..PathChange::default()
    };
    // Every field that a page can show holds the text, so that one page tests how all of them are escaped.
    HistoryShowResult {
        operation: OperationInfo {
            operation_id: text.to_owned(),
            kind: text.to_owned(),
            summary: text.to_owned(),
            ..OperationInfo::default()
        },
        actions: vec![failed, done],
        changes: vec![change],
        diff: Some(format!(
            "diff --git a/{text} b/{text}\n--- a/{text}\n+++ b/{text}\n@@ -1 +1 @@\n-{text}\n+{text}\n"
        )),
        warnings: vec![text.to_owned()],
        ..HistoryShowResult::default()
    }
}

#[test]
fn what_an_answer_holds_is_text_and_never_markup() {
    for text in [
        "</pre><script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\"><svg/onload=alert(1)>",
        "' onmouseover='x",
        "]]><!--",
        "&lt;b&gt;",
        "</style></title><b>",
        "\u{202e}hidden\u{200b}\u{0}\u{1b}[31m",
    ] {
        let texts = texts(&operation_html(&operation(text), "", &|_| text.to_owned()));
        let shown = crate::visible_block(text);
        assert!(texts.iter().filter(|found| found.contains(&*shown)).count() >= 10, "{text}: {texts:#?}");
    }
}

#[test]
fn a_page_names_what_was_refused_before_what_was_done() {
    let page = operation_html(&operation("x"), "", &|_| "today".to_owned());
    assert!(page.find("Not done: 1").unwrap() < page.find("Done: 1").unwrap());
    assert!(
        page.contains("<span class=\"added\">+x</span>")
            && page.contains("<span class=\"removed\">-x</span>")
    );
    assert!(!page.contains("<script") && !page.contains("http:") && !page.contains("https:"), "{page}");
    let texts = texts(&operation_html(&HistoryShowResult::default(), "/p", &|_| String::new()));
    assert!(texts.iter().any(|text| text == "It changed nothing."), "{texts:?}");
}

#[test]
fn a_page_says_what_was_left_out_and_how_much_was_changed() {
    let mut result = operation("x");
    result.actions[1].hunks = Some(crate::HunkCount { done: 2, of: 3 });
    result.diff = Some("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+\ta\n+b\n".to_owned());
    let page = operation_html(&result, "", &|_| String::new());
    assert!(page.contains(": 2 of 3 hunks; the user left out the rest</p>"), "{page}");
    assert!(page.contains("<summary>a/x b/x | +2 -1</summary>"), "{page}");
    assert!(page.contains("<span class=\"added\">+\ta</span>"), "{page}");
}

proptest! {
    #[test]
    fn a_page_is_well_formed_whatever_is_in_it(text in "\\PC*|[<>&\"'/a-z=! \n\r\t\u{0}-]*", root in "/[a-z]*") {
        texts(&operation_html(&operation(&text), &root, &|_| text.clone()));
    }
}
