//! The document as one JSON object, with a file a line.

use clada_protocol::EmbedPreamble;
use serde_json::{Map, Value, json};

use super::frame::{DocumentFrame, FileView, attributes};
use crate::shown::ShownPath;

const BRIEF: &str = "`content` is a whole file. Paths are relative to the project's root.";

pub(super) fn head(frame: &DocumentFrame<'_>) -> String {
    let mut head = format!(
        "{{\"title\":\"Context Files\",\"nonce\":{},\"purpose\":{}",
        Value::from(frame.nonce),
        Value::from(frame.purpose()),
    );
    match frame.preamble {
        EmbedPreamble::Brief if frame.tree_only => {}
        EmbedPreamble::Brief => {
            head.push_str(&format!(",\"format\":{}", Value::from(frame.reading(BRIEF))));
        }
        EmbedPreamble::Full => {
            let notes = frame.notes.lines().into_iter();
            let notes: Map<String, Value> =
                notes.map(|(name, value)| (name.to_owned(), Value::from(value))).collect();
            head.push_str(&format!(",\"notes\":{}", Value::from(notes)));
        }
    }
    if let Some(tree) = frame.tree() {
        head.push_str(&format!(",\n\"directoryStructure\":{}", Value::from(tree)));
    }
    head.push_str(",\n\"files\":[\n");
    head
}

pub(super) fn section(file: &FileView<'_>, content: &str, line_numbers: bool) -> String {
    let mut object = path(file.shown);
    object.insert("size".to_owned(), json!(file.size));
    object.extend(file.tokens.map(|tokens| ("tokens".to_owned(), json!(tokens))));
    for (name, value) in attributes(file, line_numbers) {
        let name = match name {
            // The content has its line ends.
            "crlf" | "cr" => continue,
            "line-numbers" => "lineNumbers",
            name => name,
        };
        object.insert(name.to_owned(), value.map_or(Value::Bool(true), Value::from));
    }
    object.insert("content".to_owned(), json!(content));
    Value::from(object).to_string()
}

pub(super) fn tail(frame: &DocumentFrame<'_>) -> String {
    let omitted = frame.omitted.iter().map(|(omitted, reason)| {
        let mut object = path(omitted);
        object.insert("reason".to_owned(), json!(reason));
        format!("\n{}", Value::from(object))
    });
    let omitted: Vec<String> = omitted.collect();
    let diff = frame.diff.map(|diff| format!(",\n\"diff\":{}", Value::from(diff))).unwrap_or_default();
    format!("\n],\n\"omitted\":[{}]{diff}}}\n", omitted.join(","))
}

fn path(shown: &ShownPath) -> Map<String, Value> {
    let mut object = Map::from_iter([("path".to_owned(), json!(shown.text()))]);
    object.extend(shown.odd_bytes().map(|bytes| ("pathBytes".to_owned(), json!(bytes))));
    object
}
