//! The manifest of a staging folder: the file of each flat name. Pure; writes to what it is handed.
//!
//! One entry a line, so that users can read and compare it. A path that is not UTF-8 is shown as far as it
//! is, with its bytes alongside, so that every name leads back to exactly one file.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clada_config::ManifestFormat;
use serde::Deserialize;

use super::names::{MANIFEST, is_name_of};

const VERSION: u32 = 1;

const LABEL_DIGITS: usize = 16;

pub(super) type ManifestEntry = (String, Vec<u8>);

#[must_use]
pub(super) fn file_name(format: ManifestFormat) -> String {
    format!("{MANIFEST}.{}", format.name())
}

pub(super) fn write<E: From<io::Error>>(
    out: &mut dyn Write,
    format: ManifestFormat,
    root: &Path,
    entries: &mut dyn Iterator<Item = Result<ManifestEntry, E>>,
    removed: &[String],
) -> Result<(), E> {
    match format {
        ManifestFormat::Json => write_json(out, root, entries, removed),
        ManifestFormat::Dhall => write_dhall(out, entries),
    }
}

fn write_json<E: From<io::Error>>(
    out: &mut dyn Write,
    root: &Path,
    entries: impl Iterator<Item = Result<ManifestEntry, E>>,
    removed: &[String],
) -> Result<(), E> {
    write!(
        out,
        "{{\n  \"version\": {VERSION},\n  \"root\": {},\n  \"files\": {{",
        json(&root.to_string_lossy())
    )?;
    let mut bytes: Vec<ManifestEntry> = Vec::new();
    let mut first = true;
    for entry in entries {
        let (name, path) = entry?;
        let shown = String::from_utf8_lossy(&path);
        write!(out, "{}\n    {}: {}", comma(&mut first), json(&name), json(&shown))?;
        // JSON holds only Unicode, so the bytes of other paths follow in a map of their own.
        if std::str::from_utf8(&path).is_err() {
            bytes.push((name, path));
        }
    }
    write!(out, "{}}},\n  \"removed\": [", if first { "" } else { "\n  " })?;
    let mut first = true;
    for name in removed {
        write!(out, "{}\n    {}", comma(&mut first), json(name))?;
    }
    write!(out, "{}]", if first { "" } else { "\n  " })?;
    if !bytes.is_empty() {
        let bytes: BTreeMap<&str, String> =
            bytes.iter().map(|(name, path)| (name.as_str(), STANDARD.encode(path))).collect();
        write!(out, ",\n  \"pathBytes\": {}", serde_json::to_string(&bytes).map_err(io::Error::from)?)?;
    }
    out.write_all(b"\n}\n")?;
    Ok(())
}

fn write_dhall<E: From<io::Error>>(
    out: &mut dyn Write,
    entries: impl Iterator<Item = Result<ManifestEntry, E>>,
) -> Result<(), E> {
    let mut first = true;
    for entry in entries {
        let (name, path) = entry?;
        let path = dhall(&String::from_utf8_lossy(&path));
        let start = if std::mem::replace(&mut first, false) { "{" } else { "," };
        match label(&name) {
            label if label == name => writeln!(out, "{start} `{name}` = \"{path}\"")?,
            label => writeln!(out, "{start} `{label}` = \"{path}\" -- for {}", characters(&name))?,
        }
    }
    out.write_all(if first { b"{=}\n" } else { b"}\n" })?;
    Ok(())
}

fn comma(first: &mut bool) -> &'static str {
    if std::mem::replace(first, false) { "" } else { "," }
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns a name as a label between backticks, as Dhall's grammar has it: printable ASCII without backticks.
fn label(name: &str) -> String {
    // A label that differs from the name ends with a hash of the name, since no two labels of a record may be
    // the same.
    let is_allowed = |char: char| matches!(char, ' '..='_' | 'a'..='~');
    if name.chars().all(is_allowed) {
        return name.to_owned();
    }
    let allowed: String = name.chars().map(|char| if is_allowed(char) { char } else { '_' }).collect();
    format!("{allowed}~{}", &blake3::hash(name.as_bytes()).to_hex()[..LABEL_DIGITS])
}

fn characters(text: &str) -> String {
    // Dhall takes Unicode's noncharacters nowhere, not even escaped.
    let is_none = |char: char| u32::from(char) & 0xfffe == 0xfffe;
    text.chars().map(|char| if is_none(char) { char::REPLACEMENT_CHARACTER } else { char }).collect()
}

fn dhall(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in characters(text).chars() {
        match char {
            '"' | '\\' | '$' => escaped.extend(['\\', char]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            '\t' => escaped.push_str("\\t"),
            char if char.is_control() => escaped.push_str(&format!("\\u{{{:x}}}", u32::from(char))),
            char => escaped.push(char),
        }
    }
    escaped
}

/// A manifest as it comes back.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WrittenManifest {
    version: u32,
    root: String,
    files: HashMap<String, String>,
    #[serde(default)]
    path_bytes: HashMap<String, String>,
}

/// Reads the files of the manifest in `text`, by their names; `None` if it is not a manifest of the project
/// at `root`.
///
/// A name that its path could not have is left out: a manifest cannot make a harmless name stand for another
/// file.
#[must_use]
pub(super) fn read(text: &[u8], root: &Path) -> Option<HashMap<String, PathBuf>> {
    let written: WrittenManifest = serde_json::from_slice(text).ok()?;
    if written.version != VERSION || written.root != root.to_string_lossy() {
        return None;
    }
    let WrittenManifest { files, path_bytes, .. } = written;
    let path = |name: &String, shown: String| match path_bytes.get(name) {
        Some(bytes) => STANDARD.decode(bytes).ok(),
        None => Some(shown.into_bytes()),
    };
    let files = files.into_iter().filter_map(|(name, shown)| {
        let path = path(&name, shown).filter(|path| is_name_of(&name, path))?;
        Some((name, PathBuf::from(OsStr::from_bytes(&path))))
    });
    Some(files.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::flat;

    fn written(format: ManifestFormat, paths: &[&[u8]], removed: &[&str]) -> String {
        let mut entries = paths.iter().map(|path| Ok::<_, io::Error>((flat(path), path.to_vec())));
        let removed: Vec<String> = removed.iter().map(|name| (*name).to_owned()).collect();
        let mut out = Vec::new();
        write(&mut out, format, Path::new("/p \"q\""), &mut entries, &removed).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_entry_a_line_in_json() {
        assert_eq!(
            written(ManifestFormat::Json, &[b"a/\"b", b".c"], &["gone"]),
            "{\n  \"version\": 1,\n  \"root\": \"/p \\\"q\\\"\",\n  \"files\": {\n    \
             \"a-_b\": \"a/\\\"b\",\n    \
             \"dot--c\": \".c\"\n  },\n  \"removed\": [\n    \"gone\"\n  ]\n}\n"
        );
        let empty: serde_json::Value =
            serde_json::from_str(&written(ManifestFormat::Json, &[], &[])).unwrap();
        assert_eq!(empty, serde_json::json!({"version": 1, "root": "/p \"q\"", "files": {}, "removed": []}));
    }

    #[test]
    fn what_is_written_is_read_back_byte_by_byte() {
        let paths: [&[u8]; 4] = [b"a\xff/b", b"x\ny", "ä/.ö.svg".as_bytes(), b"plain"];
        let text = written(ManifestFormat::Json, &paths, &[]);
        let files = read(text.as_bytes(), Path::new("/p \"q\"")).unwrap();
        assert_eq!(files.len(), paths.len());
        for path in paths {
            assert_eq!(files[&flat(path)].as_os_str().as_bytes(), path);
        }
        assert!(read(text.as_bytes(), Path::new("/other")).is_none());
        assert!(read(b"not json", Path::new("/p")).is_none());
    }

    #[test]
    fn a_name_never_stands_for_a_file_that_is_called_otherwise() {
        let forged = r#"{"version": 1, "root": "/p", "removed": [],
            "files": {"README.md": ".github/workflows/ci.yml", "a-b": "a/b", "..-x": "../x"}}"#;
        let files = read(forged.as_bytes(), Path::new("/p")).unwrap();
        assert_eq!(files, HashMap::from([("a-b".to_owned(), PathBuf::from("a/b"))]));
    }

    #[test]
    fn a_record_in_dhall() {
        assert_eq!(written(ManifestFormat::Dhall, &[], &[]), "{=}\n");
        assert_eq!(
            written(ManifestFormat::Dhall, &[b"a/b$\"c", b"if/${x}"], &["gone"]),
            "{ `a-b$_c` = \"a/b\\$\\\"c\"\n, `if-${x}` = \"if/\\${x}\"\n}\n"
        );
    }

    /// As the standard has it: `quoted-label-char`, `double-quote-char`, `valid-non-ascii`,
    /// `not-end-of-line`.
    #[test]
    fn labels_and_texts_keep_to_the_grammar() {
        let paths: [&[u8]; 8] = [
            b"x`y",
            "\u{e4}.txt".as_bytes(),
            "\u{f6}.txt".as_bytes(),
            "\u{fffe}\u{1ffff}".as_bytes(),
            b"new\nline`${",
            b"\xff\xfe",
            b"tab\t\x7f\"\\",
            "\u{85}\u{2028}".as_bytes(),
        ];
        let text = written(ManifestFormat::Dhall, &paths, &[]);
        let lines: Vec<&str> = text.strip_suffix("}\n").unwrap().split_terminator('\n').collect();
        assert_eq!(lines.len(), paths.len(), "{text}");
        let mut labels = std::collections::HashSet::new();
        for (line, path) in lines.iter().zip(paths) {
            let (label, rest) = line[3..].split_once("` = \"").unwrap();
            assert!(label.chars().all(|char| matches!(char, ' '..='~') && char != '`'), "{line}");
            assert!(labels.insert(label), "{line}");
            let is_valid = |char: char| !char.is_control() && u32::from(char) & 0xfffe != 0xfffe;
            assert!(rest.chars().all(is_valid), "{line}");
            let text = rest.split("\" -- for ").next().unwrap();
            assert!(!text.replace("\\$", "").contains("${"), "{line}");
            let name = flat(path);
            let comment = rest.split_once("\" -- for ").map(|(_, name)| name.to_owned());
            assert_eq!(comment.unwrap_or_else(|| label.to_owned()), characters(&name), "{line}");
        }
    }
}
