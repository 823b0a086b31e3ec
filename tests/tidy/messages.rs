//! The texts that snapshots hold, on one page: `tests/data/messages.md`. A reviewer of texts reads it in one sitting.
//!
//! Must not know what a text is about: it takes each `expect!` of the tests, and the files of `expect_file!`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use super::{checkout, read};

const PAGE: &str = "tests/data/messages.md";

/// Folders whose snapshots are texts that a user or a model reads.
const SOURCES: [&str; 7] = [
    "client/src",
    "client/tests/cli",
    "daemon/crates/apply/src/tests",
    "protocol/src/report",
    "review/src",
    "tests/it",
    "tests/data/reports",
];

/// Snapshots that are values, lists or messages of a protocol.
const NOT_PROSE: [&str; 5] = [
    "daemon/crates/apply/src/tests/by_file.rs",
    "tests/it/mcp/messages.rs",
    "tests/it/mixed_with.rs",
    "tests/it/openrpc.rs",
    "tests/it/running.rs",
];

/// A snapshot: the test that has it, and its text.
struct Snapshot {
    test: String,
    text: String,
}

/// The text of a literal as `expect!` compares it: without the first line end, and without the indentation of all lines.
fn without_indentation(literal: &str) -> String {
    let Some(body) = literal.strip_prefix('\n') else { return literal.to_owned() };
    let indents =
        body.lines().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or(0);
    body.split_inclusive('\n')
        .map(|line| line.get(indent..).unwrap_or(line.trim_start_matches(' ')))
        .collect()
}

/// The literal that `rest` begins with: of `r#"…"#` or of `"…"`.
fn literal(rest: &str) -> Option<String> {
    if let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let body = raw[hashes..].strip_prefix('"')?;
        let (text, _) = body.split_once(&format!("\"{}", &raw[..hashes]))?;
        return Some(without_indentation(text));
    }
    let body = rest.strip_prefix('"')?;
    let mut escaped = false;
    let end = body.find(|letter| {
        let ends = letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped;
        ends
    })?;
    Some(body[..end].replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\"))
}

/// The snapshots of a source, in its order.
fn snapshots(source: &str) -> Vec<Snapshot> {
    let mut found = Vec::new();
    let mut test = "";
    for (at, _) in
        source.match_indices("fn ").chain(source.match_indices("expect![")).collect::<BTreeSet<_>>()
    {
        let rest = &source[at..];
        if let Some(name) = rest.strip_prefix("fn ") {
            test = name.split(['(', '<']).next().unwrap();
        } else if let Some(text) = literal(rest["expect![".len()..].trim_start_matches(['[', '\n', ' '])) {
            found.push(Snapshot { test: test.to_owned(), text });
        }
    }
    found
}

/// Returns true if a person could read this: it has words, and is not a value as Rust or JSON prints it.
fn is_prose(text: &str) -> bool {
    let is_value = ["{", "[\n", "Ok(", "Err(", "Some("].iter().any(|start| text.starts_with(start));
    !is_value && text.split_whitespace().filter(|word| word.chars().all(char::is_alphabetic)).count() >= 3
}

/// Adds a text to the page, in a fence that it does not contain.
fn add(page: &mut String, text: &str) {
    let mut fence = "```".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    let _ = write!(page, "{fence}text\n{}\n{fence}\n", text.trim_end());
}

#[test]
fn the_page_of_messages_is_current() {
    let top = checkout();
    let mut page = format!(
        "# Messages\n\nEvery report, hint and question that a snapshot holds, once, to be read in one sitting. {}\n",
        "`CLADA_BLESS=1 cargo test -p clada-tests --test tidy` writes this page after a change of the snapshots."
    );
    // A text that several snapshots hold is read once.
    let mut shown = BTreeSet::new();
    let mut section = |page: &mut String, path: &Path, texts: Vec<Snapshot>| {
        let texts: Vec<_> =
            texts.into_iter().filter(|one| is_prose(&one.text) && shown.insert(one.text.clone())).collect();
        if !texts.is_empty() {
            let _ = write!(page, "\n## {}\n", path.display());
        }
        let mut test = String::new();
        for Snapshot { test: of, text } in texts {
            if of != test {
                let _ = write!(page, "\n{}\n\n", of.replace('_', " "));
                test = of;
            }
            add(page, &text);
        }
    };
    for source in SOURCES {
        let walk = walkdir::WalkDir::new(top.join(source)).sort_by_file_name();
        for path in walk.into_iter().map(|entry| entry.unwrap().into_path()) {
            let relative = path.strip_prefix(&top).unwrap();
            if NOT_PROSE.iter().any(|left_out| relative == Path::new(left_out)) {
                continue;
            }
            match path.extension().and_then(|end| end.to_str()) {
                Some("rs") => section(&mut page, relative, snapshots(&read(&path))),
                Some("txt") => {
                    let whole = Snapshot { test: "the whole report".to_owned(), text: read(&path) };
                    section(&mut page, relative, vec![whole]);
                }
                _ => {}
            }
        }
    }
    let path = top.join(PAGE);
    if std::env::var_os("CLADA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(current == page, "{PAGE} is not current: CLADA_BLESS=1 cargo test -p clada-tests --test tidy");
}
