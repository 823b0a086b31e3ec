//! Tells the text of a new file from a piece of one, from a sample, or from words, and says whether the answer wants it.
//!
//! ```text
//! src/a.go    "package a …"            a file        a.json    "\"port\": 1"     a member: a fragment
//! src/a.cs    "return x;"              a fragment    a.ts      "- tabs, files"   a list of words: a fragment
//!
//! Create `a.css`:    a rule            certain: the answer says that there is to be one
//! `src/a.py`:        imports, code     certain: a path, and all of a file
//! `src/a.py`:        one function      asked about: it may be a part of a file that the project lacks
//! your `a.js` file:  one function      an excerpt
//! ```
//!
//! A path, a text and the words of the answer decide; of the project only the kinds of its files count.

use std::collections::HashSet;
use std::path::Path;

use clada_dialects::plain::{Candidate, Group, Place};

use super::answer_paths::AnswerPaths;
use super::files::ProjectNames;
use super::heads::{definitions, is_header};
use super::words;
use crate::plan::guard::extension;

// Names that are words of their own, too: "the remaining README files".
const WORDS: [&str; 7] = ["readme", "changelog", "contributing", "license", "notice", "authors", "copying"];

// Code for a file that the project lacks.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewFile<'a> {
    pub(super) candidate: &'a Candidate,
    pub(super) path: &'a str,
    pub(super) content: &'a str,
    // Where the answer names it: the kind of place, and its line.
    pub(super) place: Option<(Place, u32)>,
    // True if that is further away.
    pub(super) is_held: bool,
    // True if the answer does not write the path: its folder is found, or is one of several.
    pub(super) is_guessed: bool,
}

// What code for a file that the project lacks is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewFileKind {
    // All of a file that the answer wants.
    Certain,
    // It may be that: with what the user should know.
    Doubtful(&'static str),
    // A part of a file that the answer takes for there. With the reason.
    Excerpt(&'static str),
    // A fragment, or a sample that the reader fills in: no file.
    Sample,
}

pub(super) const UNSAID: &str = "The answer does not say that the file is new.";
const NO_FILE: &str = "the project has no such file";

impl NewFile<'_> {
    // Returns what it is, by its text and by what `answer` says. A file is certain if the answer creates it, or if a path
    // stands right above what is all of a file by itself; and if no word takes the file for there.
    pub(super) fn kind(&self, answer: &AnswerPaths<'_>, names: &ProjectNames) -> NewFileKind {
        let NewFile { candidate, path, content, place, .. } = *self;
        let lead = &*candidate.words;
        let is_created = answer.creates(path);
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_fragment = is_fragment(path, content);
        // It names the file, so that it is no sample.
        let is_written = path.contains('/') && matches!(place, Some((Place::Info | Place::Comment, _)));
        let changes = words::says_change(lead) || words::says_update(lead) || words::is_updated(lead);
        if is_fragment
            && !is_created
            && !is_list_of_words(&extension(Path::new(path)), content)
            && (is_written || changes && lead.contains(name))
        {
            return NewFileKind::Excerpt(NO_FILE);
        }
        if words::says_add(lead)
            || words::says_lines(lead)
            || is_fragment
            || is_remark_alone(path, content)
            || is_paths(path, content)
            || has_gaps(content)
            || !is_created && (has_own_values(content) || words::is_illustration(lead))
        {
            return NewFileKind::Sample;
        }
        let updates = words::says_update(lead);
        if only_imports(path, content) || updates && !begins_a_file(path, content) {
            return NewFileKind::Excerpt(NO_FILE);
        }
        if shows_options(content) {
            return NewFileKind::Excerpt("it shows several versions, of which one is meant");
        }
        if let Some(reason) = unproven(candidate, path, place, names) {
            return NewFileKind::Excerpt(reason);
        }
        let is_all = is_all_of_file(path, content);
        let is_there = !is_created && words::is_of_reader(lead, name);
        // "Your `a.json` file has two tasks:", and then one of them.
        let is_held_there = self.is_held
            && !is_created
            && place.is_some_and(|(_, line)| words::is_of_reader(answer.line(line), name));
        if is_held_there {
            return NewFileKind::Excerpt(NO_FILE);
        }
        // "**Sorting** (in `lib/sort.ts`)" says where something is.
        let is_place = |line: u32| !is_created && words::is_place_in_brackets(answer.line(line), name);
        if place.is_some_and(|(_, line)| is_place(line)) {
            return NewFileKind::Excerpt(NO_FILE);
        }
        // "This is in `a.ts`, where it writes:", and a line that needs others.
        if !is_created && !is_all && !is_fragment && is_line_of_code(path, content) {
            return NewFileKind::Excerpt(NO_FILE);
        }
        // "**State:**" below the heading of the file leads to one of several pieces of it.
        let is_apart = place.is_some_and(|(kind, line)| {
            kind == Place::Label && !answer.is_form(line, name) && is_label_of_piece(candidate, line, name)
        });
        // In one of several folders, or in one that the answer does not write.
        let is_piece = || {
            let is_value = |one: &String| one.starts_with("= ");
            let is_code = CODE.contains(&&*extension(Path::new(path)));
            is_code
                && !is_type_of_name(path, content)
                && (!is_all
                    || !begins_a_file(path, content) && definitions(content, path).iter().all(is_value))
        };
        if !is_all && (is_there || is_apart) || self.is_guessed && !is_created && is_piece() {
            return NewFileKind::Excerpt("it may be a part of a file that the project lacks");
        }
        let is_held = self.is_held || is_apart;
        match (is_created, is_all) {
            // The commonest words above a whole file, of which the project may have none yet.
            _ if is_there || updates || words::is_updated(lead) || words::is_example(lead) => {
                NewFileKind::Doubtful(UNSAID)
            }
            (true, _) if is_all || !is_held => NewFileKind::Certain,
            (false, true) if !is_held => NewFileKind::Certain,
            _ => NewFileKind::Doubtful(UNSAID),
        }
    }
}

// Returns true if `text`, for a new file of code at `path`, is one line that the rest of a file would have to explain.
fn is_line_of_code(path: &str, text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(line), None) = (lines.next(), lines.next()) else { return false };
    let is_value = |one: &String| ["= ", "const ", "let ", "var "].iter().any(|kind| one.starts_with(kind));
    let defines_nothing = || definitions(text, path).iter().all(is_value);
    CODE.contains(&&*extension(Path::new(path)))
        && line.contains('(')
        && !line.contains("export")
        && !is_header(line)
        && defines_nothing()
}

// Returns true if `text` is one type, which has the name of the new file at `path`: `class FindPage` in `FindPage.js`.
fn is_type_of_name(path: &str, text: &str) -> bool {
    let stem = Path::new(path).file_stem().unwrap_or_default().to_string_lossy();
    let types = all_types_at_margin(text);
    matches!(&types[..], [only] if *only == stem)
        && text.lines().rfind(|line| !line.trim().is_empty()).is_some_and(|line| line.starts_with('}'))
}

// Returns the names of the types that `text` defines at the margin, and those of its functions there.
fn all_types_at_margin(text: &str) -> Vec<&str> {
    const KINDS: [&str; 5] = ["class", "interface", "struct", "enum", "function"];
    let name = |line: &'_ str| -> Option<usize> {
        let mut at = 0;
        for word in line.split(' ') {
            at += word.len() + 1;
            if KINDS.contains(&word) {
                return Some(at);
            }
        }
        None
    };
    let lines = text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_alphabetic()));
    lines
        .filter_map(|line| line.get(name(line)?..))
        .map(|rest| rest.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default())
        .collect()
}

// Returns true if the line right above `candidate`, named at `line` by the name of its file, is a label of its own.
fn is_label_of_piece(candidate: &Candidate, line: u32, name: &str) -> bool {
    let lead = candidate.words.trim();
    let is_own = !lead.contains(name) && line < candidate.lines.start.saturating_sub(1);
    let is_bold = lead.starts_with("**") && lead.trim_end_matches([':', '：']).ends_with("**");
    let is_item = lead.starts_with(|c: char| c.is_ascii_digit()) && lead.ends_with([':', '：']);
    is_own && (is_bold || is_item || lead.starts_with('#'))
}

// Returns true if `text`, for a file of code at `path`, is a remark or two that stand for what it should hold.
fn is_remark_alone(path: &str, text: &str) -> bool {
    const MOST: usize = 3;
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_comment = |line: &str| is_remark(line) || line.starts_with("--") || line.starts_with("<!--");
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_prose = matches!(&*extension(Path::new(path)), "md" | "mdx" | "txt" | "rst" | "");
    !is_prose
        && !name.starts_with("__init__")
        && !name.starts_with('.')
        && (1..=MOST).contains(&lines().count())
        && lines().all(is_comment)
}

// Returns true if `text`, for a new file at `path` of code or prose, is nothing but paths from a root, or the path itself:
// they say where files are.
fn is_paths(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let extension = extension(Path::new(path));
    let is_text =
        matches!(&*extension, "md" | "mdx" | "rst" | "html" | "css" | "json") || CODE.contains(&&*extension);
    let is_own = |line: &str| line.rsplit(['/', '\\']).next() == Some(name);
    let is_rooted = |line: &str| {
        line.starts_with(['/', '~']) || line.get(1..3).is_some_and(|root| root == ":\\" || root == ":/")
    };
    let is_path = |line: &str| {
        !line.contains([' ', ';', '(', '"', '\'', '<', '*'])
            && !line.starts_with("//")
            && (is_own(line) || is_rooted(line) && line[1..].contains(['/', '\\']))
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    is_text && lines.peek().is_some() && lines.all(is_path)
}

// Returns true if comments of `text` at the margin number versions of what is below each: "# Option 1: UTC".
fn shows_options(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 14] = [
        "option", "variant", "version", "alternative", "approach", "variante", "opción", "opção", "opzione", "solution", "lösung", "вариант", "方案", "选项",
    ];
    let mark = |line: &str| -> Option<String> {
        let text =
            ["//", "#", "--", ";"].iter().find_map(|sign| line.strip_prefix(sign))?.trim().to_lowercase();
        let rest = WORDS.iter().find_map(|word| text.strip_prefix(word))?;
        let mark = rest.trim_start().split([':', '.', ')', ' ', '(', '：']).next().unwrap_or_default();
        (mark.chars().count() == 1 && mark.chars().all(char::is_alphanumeric)).then(|| mark.to_owned())
    };
    let marks: HashSet<String> = text.lines().filter_map(mark).collect();
    marks.len() > 1
}

// Returns true if `text` has a gap that the reader fills with text of his own: `[paste the answer]`.
fn has_gaps(text: &str) -> bool {
    const ORDERS: [&str; 14] = [
        "paste",
        "insert",
        "your",
        "add your",
        "fill in",
        "copy from",
        "hier einfügen",
        "dein",
        "ihr",
        "coller",
        "pega",
        "cole",
        "inserisci",
        "вставьте",
    ];
    let lower = text.to_lowercase();
    let begins = |(at, open): (usize, &str)| {
        let inner = &lower[at + open.len()..];
        ORDERS.iter().any(|order| {
            inner.strip_prefix(order).is_some_and(|rest| {
                rest.starts_with(' ') && rest.find([']', ')', '>']).is_some_and(|end| end < 60)
            })
        })
    };
    lower.match_indices('[').any(begins)
        || ["（在此", "[在此", "【粘贴", "[粘贴", "[您的", "[你的"].iter().any(|gap| lower.contains(gap))
}

// Returns true if `text` has a name of the reader's in the place of a value: `#your-color`, `your-api.com`, `<your key>`.
fn has_own_values(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["your-", "your_", "<your", "deine-", "dein-", "ihre-", "votre-", "tu-", "seu-", "你的", "您的"]
        .iter()
        .any(|own| {
            lower.match_indices(own).any(|(at, _)| {
                // "Send your-self" is a word of a text; a value has a sign or nothing before it.
                lower[..at].ends_with(['"', '\'', '=', '#', '/', '<', '@', '.', ':'])
                    || lower[..at].trim_end_matches(' ').ends_with(['=', ':'])
            })
        })
}

// Returns true if `text`, for a new file at `path`, shows by itself that it is all of one: its head, its root, its sections.
pub(super) fn is_all_of_file(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let first =
        text.lines().map(str::trim).find(|line| !line.is_empty() && !is_remark(line)).unwrap_or_default();
    let margin = |begin: &str| text.lines().any(|line| line.starts_with(begin));
    if text.starts_with("#!") {
        return true;
    }
    match &*extension(Path::new(path)) {
        "html" | "htm" => begins_a_file(path, text),
        extension if CODE.contains(&extension) => {
            // Words alone are no code.
            let does = || text.contains('(') || !definitions(text, path).is_empty();
            (begins_a_file(path, text) || does() && needs_nothing(text)) && !has_signatures(extension, text)
        }
        "json" | "jsonc" | "json5" => first.starts_with(['{', '[']) && text.trim_end().ends_with(['}', ']']),
        "vue" | "svelte" | "xml" | "xaml" | "axaml" | "csproj" | "props" | "svg" => true,
        "toml" => margin("["),
        "yml" | "yaml" => ["version:", "services:", "apiVersion:", "openapi:", "name:", "on:", "jobs:"]
            .iter()
            .any(|key| margin(key)),
        "md" | "mdx" | "rst" | "adoc" => {
            first.starts_with("# ")
                || text.starts_with("# ")
                || first.starts_with("= ")
                || text.starts_with("---\n")
        }
        // One or two rules are more often a part of a style sheet than all of one.
        "css" | "scss" | "sass" | "less" => {
            const RULES: usize = 3;
            text.lines()
                .filter(|line| !line.starts_with([' ', '\t']) && line.trim_end().ends_with('{'))
                .count()
                >= RULES
        }
        "sql" => text.trim_end().ends_with(';'),
        "txt" | "csv" | "log" | "ini" | "conf" | "cfg" | "properties" | "env" => false,
        _ if name.starts_with("Dockerfile") || name.ends_with("Dockerfile") => margin("FROM "),
        _ if name.starts_with('.') || !name.contains('.') => false,
        _ => is_header(first) && !first.starts_with(['{', '[']),
    }
}

// Returns true if `text` of code begins at the margin, and declares all that it calls, but for what every file has: nothing
// else has to stand above it.
fn needs_nothing(text: &str) -> bool {
    #[rustfmt::skip]
    const EVERYWHERE: &[&str] = &[
        "if", "for", "while", "switch", "catch", "return", "await", "function", "typeof", "in", "not", "and", "or", "elif", "else", "with", "assert", "match", "new",
        "yield", "throw", "raise", "self", "this", "super", "cls", "print", "len", "range", "int", "str", "float", "bool", "list", "dict", "set", "tuple", "sum", "min",
        "max", "abs", "sorted", "enumerate", "zip", "map", "filter", "open", "isinstance", "type", "any", "all", "input", "round", "repr", "hasattr", "getattr", "iter",
        "next", "object", "console", "Math", "JSON", "Object", "Array", "Promise", "String", "Number", "Boolean", "Date", "Map", "Set", "fetch", "document", "window",
        "process", "module", "exports", "require", "Symbol", "localStorage", "setTimeout", "setInterval", "parseInt", "parseFloat", "Error", "Some", "Ok", "Err", "Box", "Vec",
        "println", "format", "vec", "make", "append", "panic", "System", "Console", "puts",
    ];
    if text.lines().find(|line| !line.trim().is_empty()).is_none_or(|line| line.starts_with([' ', '\t'])) {
        return false;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut used, mut declared) = (HashSet::new(), HashSet::new());
    let mut is_string = false;
    for line in text.lines() {
        is_string ^= line.matches("\"\"\"").count() % 2 == 1 || line.matches("'''").count() % 2 == 1;
        if is_string || is_remark(line) {
            continue;
        }
        // What stands between quotes is no name.
        let code: String = line.split(['"', '\'', '`']).step_by(2).collect::<Vec<_>>().join("\"");
        let mut before = "";
        let mut rest = &*code;
        while let Some(at) = rest.find(is_word) {
            let sign = &rest[..at];
            rest = &rest[at..];
            let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let is_member = sign.ends_with('.') && !sign.ends_with("..");
            let makes = [
                "def",
                "class",
                "function",
                "fn",
                "func",
                "fun",
                "struct",
                "enum",
                "interface",
                "const",
                "let",
                "var",
            ];
            if makes.contains(&before) && sign.trim().is_empty() {
                declared.insert(word.to_owned());
            } else if !is_member
                && behind.starts_with(['(', '.', '!', '<'])
                && !word.starts_with(|c: char| c.is_ascii_digit())
            {
                used.insert(word.to_owned());
            } else if !is_member {
                declared.insert(word.to_owned());
            }
            (before, rest) = (word, behind);
        }
    }
    used.iter().all(|word| {
        declared.contains(word)
            || EVERYWHERE.contains(&&**word)
            || word.ends_with("Error")
            || word.ends_with("Exception")
    })
}

// Returns true if a class of `text` has methods without bodies, which is how an overview writes them.
fn has_signatures(extension: &str, text: &str) -> bool {
    if !matches!(extension, "ts" | "tsx" | "js" | "jsx" | "dart" | "java" | "kt" | "cs") {
        return false;
    }
    let is_type = |line: &str| {
        ["interface ", "abstract ", "declare ", "type ", "external "].iter().any(|word| line.contains(word))
    };
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty()).peekable();
    let mut is_in_class = false;
    while let Some(line) = lines.next() {
        if !line.starts_with([' ', '\t']) {
            is_in_class = line.contains("class ") && !is_type(line);
            continue;
        }
        let head = line.trim();
        // A head may go on in the next line; a comment, the next method or the end of the class shows that it does not.
        let next = lines.peek().map_or("", |next| next.trim());
        let is_head = head.contains('(')
            && !head.contains(['=', ';', '{'])
            && head.starts_with(|c: char| c.is_alphabetic());
        let ends = head.ends_with(')') || head.rsplit_once("):").is_some_and(|(_, kind)| !kind.is_empty());
        let is_over = next.starts_with("//")
            || next.starts_with("/*")
            || next.starts_with('}')
            || next.contains('(') && !next.starts_with(['.', '{', '?', ':', '&', '|']);
        let is_method = line.len() - head.len() <= 4 && !is_type(line) && !head.starts_with('@');
        if is_in_class && is_method && is_head && ends && is_over {
            return true;
        }
    }
    false
}

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
    let is_word = WORDS.contains(&&*name.to_lowercase())
        && !matches!(place, Place::Block | Place::Info | Place::Comment);
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
        Place::Block | Place::Info | Place::Json | Place::Below => false,
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
pub(super) fn is_foreign(path: &str, names: &ProjectNames) -> bool {
    const FEW: usize = 2;
    let own = extension(Path::new(path));
    let code: Vec<String> =
        names.files().map(|file| extension(file)).filter(|other| CODE.contains(&&**other)).collect();
    CODE.contains(&&*own) && code.len() >= FEW && !code.contains(&own)
}

/// The ends of paths of files that hold one of some words, whatever else they hold.
const HEADS: [(&[&str], &[&str]); 8] = [
    (&["pom.xml"], &["<project"]),
    (&[".csproj", ".fsproj", ".vbproj", ".props", ".targets"], &["<Project"]),
    (
        &["docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml"],
        &["services:", "include:"],
    ),
    (&["openapi.yml", "openapi.yaml", "swagger.yml", "swagger.yaml"], &["openapi:", "swagger:"]),
    (&["AndroidManifest.xml"], &["<manifest"]),
    (&["Cargo.toml"], &["[package]", "[workspace]"]),
    (&["pyproject.toml"], &["[project", "[tool.", "[build-system]", "[dependency-groups]"]),
    (&[".vue"], &["<template", "<script"]),
];

/// Returns true if `text`, for a new file at `path`, stands inside of something: every line is indented, or it is
/// a member of an object or of a class, an element of code, or a manifest without its head.
fn is_fragment(path: &str, text: &str) -> bool {
    let lacks_head = |(ends, heads): &(&[&str], &[&str])| {
        ends.iter().any(|end| path.ends_with(end)) && !heads.iter().any(|head| text.contains(head))
    };
    if HEADS.iter().any(lacks_head) {
        return true;
    }
    let mut lines = text.lines().filter(|line| !line.trim().is_empty()).peekable();
    let Some(top) = lines.peek().copied() else { return false };
    // A comment says nothing of what it stands above.
    let first = lines.clone().find(|line| !is_remark(line)).unwrap_or(top);
    let extension = extension(Path::new(path));
    // Settings of an environment are values of names.
    let name = path.rsplit('/').next().unwrap_or(path);
    if name.starts_with(".env") && !without_comments(text).all(|line| line.contains('=')) {
        return true;
    }
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
    // "# Inside the class:" begins at the margin, and what it speaks of does not.
    let is_indented = |line: &str| line.starts_with([' ', '\t']);
    is_member
        || is_indented(first)
            && lines.all(|line| is_indented(line) || CODE.contains(&&*extension) && is_remark(line))
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

pub(super) const CODE: [&str; 17] = [
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
        "ex" => ["defmodule ", "defprotocol ", "defimpl "].iter().any(|word| line.starts_with(word)),
        "php" => line.contains("<?") || line.starts_with(['<', '@']),
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
fn only_imports(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    if !["py", "js", "mjs", "jsx", "ts", "tsx", "dart", "java", "kt", "go", "cs", "scala"]
        .contains(&extension)
        || ["__init__", "index", "main", "conftest", "setup"].contains(&stem)
    {
        return false;
    }
    let is_import = |line: &str| {
        let imports = line.starts_with("import ") && line.len() > 7;
        imports || line.starts_with("from ") && line.contains(" import ") || line.starts_with("using ")
    };
    // `import {`, the names, `} from './a';`
    let mut is_open = false;
    let mut lines = without_comments(text)
        .filter(|line| {
            let is_inside = is_open;
            is_open =
                (is_open || line.starts_with("import ") && line.ends_with('{')) && !line.starts_with('}');
            !is_inside
        })
        .peekable();
    // `import './polyfills';` runs what it imports.
    lines.peek().is_some()
        && lines
            .all(|line| is_import(line) && !line.starts_with("import '") && !line.starts_with("import \""))
}

#[cfg(test)]
mod tests {
    use super::{is_fragment, is_paths};

    #[test]
    fn a_method_below_a_remark_at_the_margin_is_a_fragment() {
        for (path, text, is_part) in [
            ("a.py", "# Inside the class:\n\n    def b(self, c):\n        return c\n", true),
            ("a.js", "// In class A\n  b() {\n    return 1;\n  }\n// and\n  c() {}\n", true),
            ("a.py", "# A class.\nclass A:\n    def b(self, c):\n        return c\n", false),
            ("a.md", "# Title\n\n    code\n", false),
        ] {
            assert_eq!(is_fragment(path, text), is_part, "{text}");
        }
    }

    #[test]
    fn paths_alone_are_the_text_of_no_code_and_no_prose() {
        for (path, text, is_list) in [
            ("docs/A.md", "/Users/ada/dev/docs/A.md\n", true),
            ("docs/A.md", "docs/A.md\n", true),
            ("docs/A.md", "/home/ada/A.md\n/home/ada/B.md\n", true),
            ("src/a.py", "C:\\work\\src\\a.py\n", true),
            ("src/a.js", "// src/a.js\n", false),
            ("docs/A.md", "See docs/A.md.\n", false),
            (".gitignore", "/target\n/dist/out\n", false),
            ("paths.txt", "/home/ada/A.md\n", false),
        ] {
            assert_eq!(is_paths(path, text), is_list, "{text}");
        }
    }
}
