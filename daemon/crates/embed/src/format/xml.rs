//! The document as XML 1.0. Content is in CDATA; a text with characters that XML cannot hold is in base64. A
//! parser makes every line end an LF, so the original ones are described in attributes, as in Markdown.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_protocol::{EmbedPreamble, visible_path, xml_entity};

use super::frame::{DocumentFrame, FileView, attributes};
use crate::shown::ShownPath;

const BRIEF: &str = "Each file element holds a whole file; its path is relative to the root of the project. \
    Other attributes describe its bytes.";
const FULL: &str = "Each file element holds a whole file; its path is relative to the root of the project. \
    The attributes crlf and cr name lines that end otherwise than with LF, bom and encoding say how the file \
    is encoded; content \"base64\" stands for text that XML cannot hold.";

pub(super) fn head(frame: &DocumentFrame<'_>) -> String {
    let about = match frame.preamble {
        EmbedPreamble::Brief if frame.tree_only => String::new(),
        EmbedPreamble::Brief => {
            format!("<format>{}</format>\n", frame.reading(BRIEF))
        }
        EmbedPreamble::Full => {
            let note = |(name, value): &(&str, String)| {
                format!("<note name=\"{}\">{}</note>\n", escaped(name), escaped(value))
            };
            let notes: String = frame.notes.lines().iter().map(note).collect();
            format!("<format>{FULL}</format>\n<notes>\n{notes}</notes>\n")
        }
    };
    let tree =
        frame.tree().map(|tree| format!("<directory_structure>\n{}</directory_structure>\n", escaped(&tree)));
    let files = if frame.tree_only { "" } else { "<files>\n" };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<context_files>
# Context Files
<!-- clada-context {} -->
<purpose>{}</purpose>
{about}{}{files}",
        frame.nonce,
        frame.purpose(),
        tree.unwrap_or_default()
    )
}

pub(super) fn section(file: &FileView<'_>, content: &str, line_numbers: bool) -> String {
    let mut section = format!("<file {}", path(file.shown));
    let mut add = |name: &str, value: &str| {
        for part in [" ", name, "=\"", value, "\""] {
            section.push_str(part);
        }
    };
    let held = content.chars().all(is_held);
    for (name, value) in attributes(file, line_numbers) {
        // Base64 keeps line ends by itself.
        if held || !matches!(name, "crlf" | "cr") {
            add(name, value.as_deref().unwrap_or("true"));
        }
    }
    if let Some(tokens) = file.tokens {
        add("tokens", &tokens.to_string());
    }
    add("size", &file.size.to_string());
    if held {
        section.push_str("><![CDATA[");
        section.push_str(&content.replace("]]>", "]]]]><![CDATA[>"));
        section.push_str("]]></file>\n");
    } else {
        add("content", "base64");
        section.push('>');
        section.push_str(&STANDARD.encode(content));
        section.push_str("</file>\n");
    }
    section
}

pub(super) fn tail(frame: &DocumentFrame<'_>) -> String {
    let mut text = if frame.tree_only { String::new() } else { "</files>\n".to_owned() };
    if !frame.omitted.is_empty() {
        text.push_str("<omitted>\n");
        for (omitted, reason) in frame.omitted {
            text.push_str(&format!("<path {} reason=\"{}\"/>\n", path(omitted), escaped(reason)));
        }
        text.push_str("</omitted>\n");
    }
    if let Some(diff) = frame.diff {
        let diff: String =
            diff.chars().map(|character| if is_held(character) { character } else { '\u{fffd}' }).collect();
        text.push_str(&format!("<diff><![CDATA[{}]]></diff>\n", diff.replace("]]>", "]]]]><![CDATA[>")));
    }
    text.push_str(&format!("<!-- end {} -->\n</context_files>\n", frame.nonce));
    text
}

fn path(shown: &ShownPath) -> String {
    let text = shown.text();
    match visible_path(&text) {
        Cow::Borrowed(plain) if shown.odd_bytes().is_none() => format!("path=\"{}\"", escaped(plain)),
        visible => format!("path=\"{}\" path-base64=\"{}\"", escaped(&visible), shown.base64()),
    }
}

fn is_held(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match xml_entity(character) {
            Some(entity) => escaped.push_str(entity),
            None if is_held(character) => escaped.push(character),
            None => escaped.push('\u{fffd}'),
        }
    }
    escaped
}
