//! The file that words name by what it is: "your workflow", "the stylesheet", "the `create_users` migration".
//!
//! Looks at names alone. Of two files of a kind none is meant.

use std::path::{Path, PathBuf};

use clada_dialects::plain::fits_language;

use super::files::ProjectFiles;
use super::words::code_spans;

// What a file is, the words for it, and parts of its path, of which a `.` begins one that is its end.
#[rustfmt::skip]
const KINDS: &[(&str, &[&str], &[&str])] = &[
    ("workflow", &["workflow", "github actions", "pipeline"], &[".github/workflows/"]),
    ("README", &["readme"], &["readme."]),
    ("changelog", &["changelog"], &["changelog."]),
    ("header", &["the header", "header file", "dem header", "headerdatei", "头文件"], &[".h", ".hpp"]),
    ("compose file", &["compose file", "docker compose", "docker-compose"], &["compose.y"]),
    ("nginx configuration", &["nginx"], &["nginx"]),
    ("style sheet", &[
        "stylesheet", "style sheet", "css file", "样式表", "样式文件", "スタイルシート", "feuille de style", "hoja de estilos", "folha de estilo", "foglio di stile",
    ], &[".css", ".scss"]),
];
// Words for files that are in the names of these.
const ROLES: &[&str] = &[
    "controller",
    "router",
    "routes",
    "middleware",
    "migration",
    "schema",
    "layout",
    "store",
    "reducer",
    "serializer",
    "service",
    "repository",
    "model",
    "spec",
    "template",
    "view",
    "component",
    "hook",
    "page",
    "partial",
    "module",
    "script",
    "test",
    "config",
    "handler",
];
const SHORTEST: usize = 5;

// Returns the path of the one file in `language` that `words` name by its kind, beside one that is named further up.
pub(super) fn other_of_kind(
    words: &str,
    language: &str,
    path: &str,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<String> {
    let lower = words.to_lowercase();
    let says =
        |(_, phrases, _): &&(&str, &[&str], &[&str])| phrases.iter().any(|phrase| lower.contains(phrase));
    KINDS.iter().find(says)?;
    file_of_kind(words, language, files).map(|(_, other)| other).filter(|other| other != path)
}

// Returns the kind and the path of the one file in `language` that `words` name by its kind.
pub(super) fn file_of_kind(
    words: &str,
    language: &str,
    files: &mut ProjectFiles<'_, '_>,
) -> Option<(String, String)> {
    let lower = words.to_lowercase();
    let own: Vec<String> = files
        .names()
        .files()
        .map(|path: &PathBuf| path.to_string_lossy().into_owned())
        .filter(|path| fits_language(language, path))
        .collect();
    let only = |kind: String, is_of: &dyn Fn(&str) -> bool| {
        let all: Vec<&String> = own.iter().filter(|path| is_of(&path.to_lowercase())).collect();
        // That of the whole project stands at its root.
        let at_root: Vec<&String> = all.iter().copied().filter(|path| !path.contains('/')).collect();
        match (&all[..], &at_root[..]) {
            ([only], _) | (_, [only]) => Some((kind, (*only).clone())),
            _ => None,
        }
    };
    // "your `create_users` migration"
    let spans = code_spans(words);
    let mut spans = spans.zip(words.split('`').skip(2).step_by(2));
    let spanned = spans.find_map(|(span, behind)| {
        let is_name =
            span.len() >= SHORTEST && span.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        let role = first_word(behind);
        let is_role = ROLES.contains(&role.as_str());
        let span = span.to_lowercase();
        (is_name && is_role)
            .then(|| only(format!("`{span}` {role}"), &|path| stem(path).contains(&span)))
            .flatten()
    });
    let of_place = || {
        let says = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
        KINDS.iter().filter(|(_, phrases, _)| says(phrases)).find_map(|(kind, _, parts)| {
            let is_of = |path: &str| {
                parts.iter().any(|part| match part.strip_prefix('.') {
                    Some(_) if !part.contains('/') => path.ends_with(part),
                    _ => path.contains(part),
                })
            };
            only((*kind).to_owned(), &is_of)
        })
    };
    let of_role = || {
        let owners = ["your ", "the ", "in ", "dein ", "deinem ", "den ", "dem "];
        ROLES.iter().find_map(|role| {
            let is_said = owners.iter().any(|owner| {
                let phrase = format!("{owner}{role}");
                lower.match_indices(&phrase).any(|(at, _)| {
                    !lower[at + phrase.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
                })
            });
            is_said.then(|| only((*role).to_owned(), &|path| stem(path).contains(role))).flatten()
        })
    };
    spanned.or_else(of_place).or_else(of_role)
}

fn stem(path: &str) -> String {
    Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn first_word(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}
