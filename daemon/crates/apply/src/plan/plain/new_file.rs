//! Tells the text of a new file from a piece of one, or from words.
//!
//! ```text
//! src/a.go    "package a …"            a file        a.json    "\"port\": 1"     a member: a fragment
//! src/a.cs    "return x;"              a fragment    a.ts      "- tabs, files"   a list of words: a fragment
//! ```
//!
//! A path, a text and the words above it decide; of the project only the kinds of its files count.

use std::path::Path;

use clada_dialects::plain::{Candidate, Group, Place};

use super::files::ProjectNames;
use super::heads::{definitions, is_header};
use crate::plan::guard::extension;

// Names that are words of their own, too: "the remaining README files".
const WORDS: [&str; 7] = ["readme", "changelog", "contributing", "license", "notice", "authors", "copying"];

// Returns the reason why code that `named` names is no new file at `path`, which the project lacks: the path is none, or the
// words neither call the file new nor are its label.
pub(super) fn unproven(
    candidate: &Candidate,
    path: &str,
    named: Option<(Place, u32)>,
    names: &ProjectNames,
) -> Option<&'static str> {
    let (place, line) = named?;
    let is_naming = |group: &Group| group.place == place && group.line == line;
    let is_new = candidate.groups.iter().any(|group| group.new && is_naming(group));
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_script = candidate.content.starts_with("#!") || name.contains("file") || name.starts_with('.');
    let is_word = WORDS.contains(&&*name.to_lowercase()) && !matches!(place, Place::Info | Place::Comment);
    if is_word || !name.contains('.') && !is_script && !name.starts_with(char::is_uppercase) {
        return Some("it may be no path");
    }
    if folders.split('/').any(|folder| CODE.contains(&&*extension(Path::new(folder)))) {
        return Some("the words may name several files");
    }
    let is_weak = match place {
        Place::Sentence => true,
        Place::Label => is_mentioned_before(&candidate.words, name),
        // In a project of other languages it is code of somebody else's side.
        Place::Comment => folders.is_empty() && is_foreign(path, names),
        Place::Info | Place::Json | Place::Below => false,
    };
    (is_weak && !is_new).then_some("the answer does not say that it is a new file")
}

// Returns true if a sentence of `words` speaks of `name`, and another sentence follows it.
fn is_mentioned_before(words: &str, name: &str) -> bool {
    let Some(at) = words.rfind(name) else { return false };
    let (before, behind) = (&words[..at], &words[at + name.len()..]);
    let of_words =
        |text: &str| text.split_whitespace().filter(|word| word.contains(char::is_alphabetic)).count();
    let sentence = before.rsplit_once(". ").map_or(before, |(_, last)| last);
    let next = behind.split_once(". ").map_or("", |(_, next)| next);
    of_words(sentence) > 1 && of_words(next) > 1
}

// Returns true if the project has code, and none of the language of `path`.
fn is_foreign(path: &str, names: &ProjectNames) -> bool {
    const FEW: usize = 2;
    let own = extension(Path::new(path));
    let code: Vec<String> =
        names.files().map(|file| extension(file)).filter(|other| CODE.contains(&&**other)).collect();
    CODE.contains(&&*own) && code.len() >= FEW && !code.contains(&own)
}

/// The ends of paths of files that hold one of some words, whatever else they hold.
const HEADS: [(&[&str], &[&str]); 7] = [
    (&["pom.xml"], &["<project"]),
    (&[".csproj", ".fsproj", ".vbproj", ".props", ".targets"], &["<Project"]),
    (
        &["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
        &["services:", "include:"],
    ),
    (&["openapi.yml", "openapi.yaml", "swagger.yml", "swagger.yaml"], &["openapi:", "swagger:"]),
    (&["AndroidManifest.xml"], &["<manifest"]),
    (&["Cargo.toml"], &["[package]", "[workspace]"]),
    (&[".vue"], &["<template", "<script"]),
];

/// Returns true if `text`, for a new file at `path`, stands inside of something: every line is indented, or it is
/// a member of an object or of a class, an element of code, or a manifest without its head.
pub(super) fn is_fragment(path: &str, text: &str) -> bool {
    let lacks_head = |(ends, heads): &(&[&str], &[&str])| {
        ends.iter().any(|end| path.ends_with(end)) && !heads.iter().any(|head| text.contains(head))
    };
    if HEADS.iter().any(lacks_head) {
        return true;
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let Some(first) = lines.peek().copied() else { return false };
    let extension = extension(Path::new(path));
    if is_list_of_words(&extension, text) || defines_nothing(path, &extension, text) {
        return true;
    }
    // An argument or a member among others, or what goes on with something.
    let last = text.trim_end().lines().next_back().unwrap_or_default();
    if CODE.contains(&&*extension)
        && (last.ends_with(',') || first.trim_start().starts_with(['.', ')', ']', '}']))
    {
        return true;
    }
    let is_member = match &*extension {
        "xml" | "xaml" | "axaml" | "fxml" | "svg" | "plist" | "resx" => {
            !is_one_element(text) || extension.ends_with("aml") && !text.contains("xmlns")
        }
        "json" => !first.trim_start().starts_with(['{', '[', '/']),
        "html" | "htm" => {
            let is_script =
                !first.trim_start().starts_with(['<', '{', '@']) && !definitions(first, "a.js").is_empty();
            !text.contains(['<', '{']) || first.trim_start().starts_with('"') || is_script
        }
        // A method, or an element among others.
        "py" => text.lines().any(|line| {
            let head = line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ");
            head.is_some_and(|head| head.contains("(self)") || head.contains("(self,"))
        }),
        "js" | "jsx" | "ts" | "tsx" if first.starts_with(['{', '<']) => true,
        "js" | "mjs" | "jsx" | "ts" | "mts" | "tsx" | "dart" | "java" | "go" | "rs" => {
            let key = first.split(':').next().unwrap_or_default();
            first.len() > key.len()
                && !first[key.len()..].starts_with("::")
                && !key.is_empty()
                && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        }
        "yml" | "yaml" => {
            path.contains(".github/workflows/") && !text.lines().any(|line| line.starts_with("jobs:"))
        }
        _ => false,
    };
    is_member || lines.all(|line| line.starts_with([' ', '\t']))
}

// Returns true if `text` is a document of XML: one element at the margin, in which the others are, with its namespaces.
fn is_one_element(text: &str) -> bool {
    let tag = |line: &str| line.split(['>', '/', ' ', '\t']).next().unwrap_or_default().to_owned();
    let mut opened = text.lines().filter_map(|line| {
        line.strip_prefix('<').filter(|rest| rest.starts_with(char::is_alphabetic)).map(tag)
    });
    let Some(root) = opened.next() else { return false };
    let end = format!("</{root}>");
    text.trim_end().ends_with("/>") && opened.next().is_none()
        || text.trim_end().ends_with(&end) && text.lines().filter(|line| line.starts_with(&end)).count() <= 1
}

const CODE: [&str; 17] = [
    "py", "js", "mjs", "jsx", "ts", "tsx", "dart", "java", "kt", "go", "cs", "rs", "rb", "php", "ex",
    "swift", "c",
];

// Returns true if `text`, for a new file at `path` of a language whose files define something, does not: it is statements,
// or a method, as in the middle of a file.
fn defines_nothing(path: &str, extension: &str, text: &str) -> bool {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let types = ["class ", "interface ", "enum ", "struct ", "record ", "namespace ", "delegate ", "module "];
    let defines = |line: &str| match extension {
        "go" => line.starts_with("package "),
        "java" | "cs" => {
            is_header(line)
                || line.starts_with("global using ")
                || line.starts_with("[assembly")
                || types.iter().any(|word| line.contains(word))
        }
        "kt" | "swift" | "dart" | "rs" => {
            is_header(line)
                || line.contains("mod ")
                || definitions(line, path).iter().any(|one| !one.starts_with("= "))
        }
        _ => true,
    };
    !matches!(&*stem, "program" | "main" | "package")
        && !text.lines().any(|line| !is_remark(line) && defines(line))
}

// Returns true if `text`, for a new file at `path`, begins as a file does, and not in the middle of one.
pub(super) fn begins_a_file(path: &str, text: &str) -> bool {
    let extension = extension(Path::new(path));
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_remark(line));
    let Some(first) = lines.next() else { return false };
    match &*extension {
        "html" | "htm" => ["<!", "<html", "<template", "{%", "{{", "---"]
            .iter()
            .any(|begin| first.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin))),
        extension if CODE.contains(&extension) => {
            let exports =
                |line: &str| line.starts_with("export default ") || line.starts_with("module.exports");
            let is_condition =
                first.starts_with("#if ") || first.starts_with("#ifdef") || first.starts_with("#el");
            let is_member = first.starts_with(['{', '[']) || is_condition;
            first.starts_with("export ") || is_header(first) && !is_member || text.lines().any(exports)
        }
        _ => true,
    }
}

// Returns true if `text`, for a file of code, is a list in words: every line is an entry or a comment.
fn is_list_of_words(extension: &str, text: &str) -> bool {
    let is_entry = |line: &str| {
        let words = ["- ", "* ", "• "].iter().find_map(|sign| line.strip_prefix(sign));
        words.is_some_and(|words| words.starts_with(char::is_alphabetic) && !words.ends_with([';', '{', ',']))
    };
    let mut lines = without_comments(text).peekable();
    CODE.contains(&extension) && lines.peek().is_some() && lines.all(is_entry)
}

fn is_remark(line: &str) -> bool {
    let text = line.trim_start();
    text == "#" || ["//", "/*", "*", "# "].iter().any(|sign| text.starts_with(sign))
}

fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with('#');
    text.lines().map(str::trim).filter(move |line| !line.is_empty() && !is_comment(line))
}

// Returns true if `text`, for a new file of code at `path`, imports and does nothing: a part of a file.
pub(super) fn only_imports(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    if !["py", "js", "mjs", "jsx", "ts", "tsx", "dart", "java", "kt", "go", "cs", "scala"]
        .contains(&extension)
        || ["__init__", "index", "main", "conftest", "setup"].contains(&stem)
    {
        return false;
    }
    let is_import = |line: &str| {
        let imports = line.starts_with("import ") && line.contains([' ', '"', '\'']) && line.len() > 7;
        imports || line.starts_with("from ") && line.contains(" import ") || line.starts_with("using ")
    };
    let mut lines = without_comments(text).peekable();
    // `import './polyfills';` runs what it imports.
    lines.peek().is_some()
        && lines
            .all(|line| is_import(line) && !line.starts_with("import '") && !line.starts_with("import \""))
}
