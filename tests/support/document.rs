//! Documents made by `embed`, read back: by parsers of Markdown, XML and JSON, with the attributes in the
//! headings.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use serde_json::Value;

/// Files by path, as bytes.
pub(crate) type Files = BTreeMap<Vec<u8>, Vec<u8>>;

/// The attributes that a document gives for a file alongside its text.
type Attributes = BTreeMap<String, String>;

/// The files of a Markdown document.
pub(crate) fn from_markdown(document: &str) -> Files {
    let mut files = Files::new();
    let (mut heading, mut text, mut inside) = (None, String::new(), false);
    let mut attributes = Attributes::new();
    for event in Parser::new_ext(document, Options::ENABLE_HEADING_ATTRIBUTES) {
        match event {
            Event::Start(Tag::Heading { level, attrs, .. }) => {
                text.clear();
                inside &= level != HeadingLevel::H2;
                let value = |value: Option<pulldown_cmark::CowStr<'_>>| value.map(|value| value.to_string());
                attributes = attrs
                    .into_iter()
                    .map(|(name, given)| (name.to_string(), value(given).unwrap_or_default()))
                    .collect();
            }
            Event::End(TagEnd::Heading(HeadingLevel::H2)) => inside = text == "Files",
            Event::End(TagEnd::Heading(HeadingLevel::H3)) if inside => heading = Some(text.clone()),
            Event::Start(Tag::CodeBlock(_)) => text.clear(),
            Event::End(TagEnd::CodeBlock) => {
                if let Some(path) = heading.take() {
                    let path = attributes
                        .get("path-base64")
                        .map_or(path.into_bytes(), |bytes| STANDARD.decode(bytes).unwrap());
                    let bytes = restore(&text, &attributes);
                    assert!(files.insert(path.clone(), bytes).is_none(), "{path:?} is there twice");
                }
            }
            // This parser leaves a CR alone as it is; piece by piece, it cannot be taken for a part of a
            // CRLF.
            Event::Text(piece) => text.push_str(&piece.replace("\r\n", "\n").replace('\r', "\n")),
            Event::Code(piece) => text.push_str(&piece),
            _ => {}
        }
    }
    files
}

/// The files of an XML document.
pub(crate) fn from_xml(document: &str) -> Files {
    use quick_xml::events::Event;
    let mut reader = quick_xml::Reader::from_str(document);
    let mut files = Files::new();
    let mut open: Option<(Attributes, String)> = None;
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) if start.name().as_ref() == "file" => {
                let attributes = start.attributes().map(|attribute| {
                    let attribute = attribute.unwrap();
                    let name = attribute.key.as_ref().to_owned();
                    (name, quick_xml::escape::unescape(&attribute.value).unwrap().into_owned())
                });
                open = Some((attributes.collect(), String::new()));
            }
            Event::CData(data) => {
                if let Some((_, text)) = &mut open {
                    text.push_str(&data);
                }
            }
            Event::Text(data) => {
                if let Some((_, text)) = &mut open {
                    text.push_str(&data);
                }
            }
            Event::End(end) if end.name().as_ref() == "file" => {
                let (attributes, text) = open.take().unwrap();
                // A path or a content that XML cannot hold is in Base64.
                let path = match attributes.get("path-base64") {
                    Some(bytes) => STANDARD.decode(bytes).unwrap(),
                    None => attributes["path"].clone().into_bytes(),
                };
                let bytes = if attributes.contains_key("content") {
                    encode(&String::from_utf8(STANDARD.decode(text).unwrap()).unwrap(), &attributes)
                } else {
                    restore(&text, &attributes)
                };
                assert!(files.insert(path, bytes).is_none());
            }
            Event::Eof => return files,
            _ => {}
        }
    }
}

/// The files of a JSON document.
pub(crate) fn from_json(document: &str) -> Files {
    let document: Value = serde_json::from_str(document).unwrap();
    let file = |file: &Value| {
        let path = match file["pathBytes"].as_str() {
            Some(bytes) => STANDARD.decode(bytes).unwrap(),
            None => file["path"].as_str().unwrap().as_bytes().to_vec(),
        };
        let mut attributes = Attributes::new();
        if let Some(encoding) = file["encoding"].as_str() {
            attributes.insert("encoding".to_owned(), encoding.to_owned());
        }
        if file["bom"] == true {
            attributes.insert("bom".to_owned(), String::new());
        }
        (path, encode(file["content"].as_str().unwrap(), &attributes))
    };
    document["files"].as_array().unwrap().iter().map(file).collect()
}

/// Returns a file's bytes from the text that a parser gives, with any line ends, and the attributes.
fn restore(text: &str, attributes: &Attributes) -> Vec<u8> {
    let plain = text.replace("\r\n", "\n").replace('\r', "\n");
    let plain = match attributes.contains_key("no-final-newline") {
        true => plain.strip_suffix('\n').unwrap(),
        false => &plain,
    };
    let (crlf, cr) = (lines(attributes.get("crlf")), lines(attributes.get("cr")));
    let mut restored = String::new();
    for (index, line) in plain.split_inclusive('\n').enumerate() {
        let Some(body) = line.strip_suffix('\n') else {
            restored.push_str(line);
            continue;
        };
        restored.push_str(body);
        restored.push_str(match index + 1 {
            number if crlf(number) => "\r\n",
            number if cr(number) => "\r",
            _ => "\n",
        });
    }
    encode(&restored, attributes)
}

/// Reads a list of lines such as `1-3,7`; an empty value means every line, and no value means none.
fn lines(value: Option<&String>) -> impl Fn(usize) -> bool {
    let ranges: Option<Vec<(usize, usize)>> =
        value.filter(|value| !matches!(value.as_str(), "" | "true")).map(|value| {
            let range = |range: &str| match range.split_once('-') {
                Some((first, last)) => (first.parse().unwrap(), last.parse().unwrap()),
                None => (range.parse().unwrap(), range.parse().unwrap()),
            };
            value.split(',').map(range).collect()
        });
    let all = value.is_some() && ranges.is_none();
    move |line| {
        all || ranges
            .as_ref()
            .is_some_and(|ranges| ranges.iter().any(|(first, last)| (*first..=*last).contains(&line)))
    }
}

fn encode(text: &str, attributes: &Attributes) -> Vec<u8> {
    let marked = if attributes.contains_key("bom") { format!("\u{feff}{text}") } else { text.to_owned() };
    match attributes.get("encoding").map(String::as_str) {
        None => marked.into_bytes(),
        Some("utf-16le") => marked.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Some("utf-16be") => marked.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        Some(name) => {
            let (bytes, _, lost) = encoding_rs::Encoding::for_label(name.as_bytes()).unwrap().encode(&marked);
            assert!(!lost);
            bytes.into_owned()
        }
    }
}
