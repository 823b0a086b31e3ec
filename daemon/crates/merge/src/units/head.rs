//! Head lines: the kind and name of what they define, from tables of words for each family.

use super::language::Family;
use super::layout::Layout;
use super::words::{
    Modifiers, assigned, call_of_text, ident, ident_behind, key_before_colon, method_name, typed_name,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Def,
    Class,
    Type,
    Rule,
    Heading,
    Section,
    Main,
    Var,
    Key,
    Call,
    Case,
    Default,
    /// An element of which a page has one.
    Part,
    Import,
    Element,
    Entry,
    Comment,
}

impl Kind {
    /// Returns true if it is a definition: none goes unsaid.
    pub(super) fn is_definition(self) -> bool {
        matches!(
            self,
            Kind::Def | Kind::Class | Kind::Type | Kind::Rule | Kind::Heading | Kind::Section | Kind::Main
        )
    }

    /// Returns true if it is made of members.
    pub(super) fn is_container(self) -> bool {
        matches!(self, Kind::Class | Kind::Rule | Kind::Heading | Kind::Section)
    }
}

/// A definition by a head line.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) kind: Kind,
    pub(crate) name: String,
}

impl Key {
    // Returns true if it is a rule with all selectors of `there` and more: at least two of them, since a rule for one may be a
    // rule of its own.
    pub(super) fn has_selectors_of(&self, there: &Key) -> bool {
        let shown: Vec<&str> = self.name.split(", ").collect();
        self.kind == Kind::Rule
            && there.kind == Kind::Rule
            && there.name.contains(", ")
            && self.name.len() > there.name.len()
            && there.name.split(", ").all(|selector| shown.contains(&selector))
    }
}

/// A table of words that begin definitions.
type Words = &'static [(&'static str, Kind)];

const PYTHON: Words = &[("def", Kind::Def), ("class", Kind::Class)];
const SCRIPT: Words = &[
    ("function", Kind::Def),
    ("class", Kind::Class),
    ("interface", Kind::Class),
    ("enum", Kind::Class),
    ("namespace", Kind::Class),
    ("module", Kind::Class),
    ("type", Kind::Type),
    ("const", Kind::Var),
    ("let", Kind::Var),
    ("var", Kind::Var),
];
const ELIXIR: Words = &[
    ("defmodule", Kind::Class),
    ("def", Kind::Def),
    ("defp", Kind::Def),
    ("defmacro", Kind::Def),
    ("defmacrop", Kind::Def),
    ("defguard", Kind::Def),
];
const GO: Words = &[("func", Kind::Def), ("type", Kind::Class), ("var", Kind::Var), ("const", Kind::Var)];
const RUST: Words = &[
    ("fn", Kind::Def),
    ("struct", Kind::Class),
    ("enum", Kind::Class),
    ("trait", Kind::Class),
    ("union", Kind::Class),
    ("mod", Kind::Class),
    ("macro_rules!", Kind::Def),
    ("type", Kind::Type),
    ("static", Kind::Var),
    ("const", Kind::Var),
    ("let", Kind::Var),
];
const RUBY: Words = &[("def", Kind::Def), ("class", Kind::Class), ("module", Kind::Class)];
const PHP: Words = &[
    ("function", Kind::Def),
    ("class", Kind::Class),
    ("interface", Kind::Class),
    ("trait", Kind::Class),
    ("enum", Kind::Class),
];
const C: Words = &[
    ("class", Kind::Class),
    ("struct", Kind::Class),
    ("interface", Kind::Class),
    ("@interface", Kind::Class),
    ("enum", Kind::Class),
    ("record", Kind::Class),
    ("namespace", Kind::Class),
    ("protocol", Kind::Class),
    ("extension", Kind::Class),
    ("object", Kind::Class),
    ("union", Kind::Class),
    ("fun", Kind::Def),
    ("func", Kind::Def),
    ("val", Kind::Var),
    ("var", Kind::Var),
    ("let", Kind::Var),
];
const DART: Words = &[
    ("class", Kind::Class),
    ("enum", Kind::Class),
    ("mixin", Kind::Class),
    ("extension", Kind::Class),
    ("typedef", Kind::Class),
];
/// Words that begin a line that imports.
const IMPORTS: &[(Family, &[&str])] = &[
    (Family::Python, &["import", "from"]),
    (Family::Script, &["import"]),
    (Family::Html, &["import"]),
    (Family::Elixir, &["use", "alias", "import", "require"]),
    (Family::Go, &["import"]),
    (Family::Rust, &["use"]),
    (Family::C, &["import", "#include", "using", "package"]),
    (Family::Dart, &["import", "export", "part", "library"]),
    (Family::Ruby, &["require", "require_relative"]),
    (Family::Php, &["use"]),
    (Family::Css, &["@import", "@use", "@forward"]),
];
/// Calls whose first argument is their name.
const CALLS: &[&str] = &[
    "test",
    "describe",
    "context",
    "it",
    "specify",
    "task",
    "namespace",
    "scope",
    "pipeline",
    "plug",
    "get",
    "post",
    "put",
    "patch",
    "delete",
    "live",
    "resources",
    "schema",
    "field",
    "belongs_to",
    "has_many",
    "has_one",
    "attr",
    "slot",
    "pipe_through",
    "config",
];
/// Elements of which a page has one.
const PARTS: &[&str] =
    &["script", "style", "template", "head", "body", "html", "main", "header", "footer", "nav", "title"];

/// Returns what the line defines, if the tables know.
pub(super) fn key_of(layout: &Layout<'_>, at: usize) -> Option<Key> {
    let (family, line) = (layout.family, layout.norm[at].as_str());
    if line.is_empty() || line.len() > 2_000 {
        return None;
    }
    let (kind, name) = match family {
        Family::Plain => None,
        Family::Markdown => heading(line),
        Family::Json => key_before_colon(line).map(|name| (Kind::Key, name)),
        Family::Yaml => yaml(line),
        Family::Toml => toml(line),
        Family::Schema => schema(line, layout.depth[at]),
        Family::Css => css(line),
        Family::Make => make(line),
        Family::Docker => docker(line),
        Family::Sql => sql(layout, at),
        Family::Html => element_part(line).or_else(|| code(family, layout, at)),
        _ => code(family, layout, at),
    }?;
    let name = name.trim().trim_end_matches([';', '{', ' ']).to_owned();
    (!name.is_empty()).then_some(Key { kind, name })
}

type KindAndName = Option<(Kind, String)>;

fn heading(line: &str) -> KindAndName {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' '))
        .then(|| (Kind::Heading, text.trim_matches(['#', ' ']).to_owned()))
}

fn yaml(line: &str) -> KindAndName {
    if let Some(entry) = line.strip_prefix("- ") {
        return Some((Kind::Entry, entry.to_owned()));
    }
    let end = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
    let name = line[..end].trim_matches(['"', '\'', ' ']);
    (!name.contains(['#', '"', '{']) && !name.is_empty()).then(|| (Kind::Key, name.to_owned()))
}

/// A block or a member of one: `model User {`, `id Int @id`, `string name = 1;`, `name: String!`, `ami = "x"`.
fn schema(line: &str, depth: usize) -> KindAndName {
    if let Some(head) = line.strip_suffix('{').filter(|head| !head.contains(['(', '='])) {
        let name =
            head.split(" implements ").next().unwrap_or(head).split(" @").next().unwrap_or(head).trim();
        // Blocks without a name may stand there several times.
        let is_named = name.contains(' ');
        return Some((if is_named || depth == 0 { Kind::Section } else { Kind::Entry }, name.to_owned()));
    }
    if line.starts_with("@@") || depth == 0 && !line.contains('=') {
        return Some((Kind::Key, line.trim_end_matches(';').to_owned()));
    }
    let line = line.strip_prefix("rpc ").unwrap_or(line);
    let before = &line[..line.find(['(', '"', '@', ':', '=', ';', ',']).unwrap_or(line.len())];
    let mut words = before.split_whitespace();
    // What is set stands last: its type is in front of it.
    let name = if line[before.len()..].starts_with('=') { words.next_back() } else { words.next() };
    name.filter(|name| name.starts_with(|c: char| c.is_alphabetic() || c == '_'))
        .map(|name| (Kind::Key, name.to_owned()))
}

fn toml(line: &str) -> KindAndName {
    if line.starts_with('[') && line.ends_with(']') && !line.contains('=') {
        return Some((Kind::Section, line.to_owned()));
    }
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, _) = line.split_once('=')?;
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '"' | '-' | ' ' | '\'');
    name.chars().all(is_name).then(|| (Kind::Key, name.to_owned()))
}

fn css(line: &str) -> KindAndName {
    if let Some(word) = line.split_whitespace().next().filter(|word| word.starts_with('@')) {
        let is_import = matches!(word, "@import" | "@use" | "@forward");
        let rule = line.split('{').next().unwrap_or(line);
        return if is_import {
            Some((Kind::Import, line.to_owned()))
        } else {
            line.contains('{').then(|| (Kind::Rule, rule.to_owned()))
        };
    }
    if let Some((selectors, _)) = line.split_once('{') {
        return Some((Kind::Rule, selectors.split(',').map(str::trim).collect::<Vec<_>>().join(", ")));
    }
    // A value may have several lines: `0 4px 6px rgba(0, 0, 0, 0.1),`.
    let is_value = line.trim_start_matches(['-', '.']).starts_with(|c: char| c.is_ascii_digit());
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '@');
    let declared = line.split_once(':').filter(|(name, _)| name.chars().all(is_name));
    // `a:hover,` is a selector, `transition: color 1s,` a value that goes on.
    let is_declared = declared.is_some_and(|(_, value)| value.starts_with(' ') || value.is_empty());
    if line.ends_with(',') && !is_value && !is_declared {
        return Some((Kind::Rule, line.trim_end_matches(',').to_owned()));
    }
    declared.map(|(name, _)| (Kind::Key, name.to_owned()))
}

fn make(line: &str) -> KindAndName {
    if let Some((name, _)) = line.split_once('=')
        && let name = name.trim_end_matches([':', '?', '+', ' '])
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        return Some((Kind::Var, name.to_owned()));
    }
    let (targets, _) = line.split_once(':')?;
    let is_target = |c: char| c.is_alphanumeric() || " _./%$()-".contains(c);
    targets.chars().all(is_target).then(|| (Kind::Rule, targets.to_owned()))
}

fn docker(line: &str) -> KindAndName {
    let mut words = line.split_whitespace();
    let word = words.next()?;
    match word {
        "FROM" | "WORKDIR" | "ENTRYPOINT" | "CMD" | "EXPOSE" | "USER" => Some((Kind::Key, word.to_owned())),
        "ENV" | "ARG" => {
            let name = words.next()?.split('=').next()?;
            Some((Kind::Key, format!("{word} {name}")))
        }
        _ => None,
    }
}

/// Returns the word of SQL with which a line begins a statement, in capitals.
pub(super) fn sql_statement(line: &str) -> Option<&'static str> {
    const WORDS: [&str; 16] = [
        "CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "SELECT", "WITH", "GRANT", "REVOKE",
        "BEGIN", "COMMIT", "SET", "GO", "COMMENT", "TRUNCATE",
    ];
    let first = line.split([' ', ';', '(']).next()?;
    WORDS.into_iter().find(|word| word.eq_ignore_ascii_case(first))
}

/// What a statement of SQL creates, or a column of it.
fn sql(layout: &Layout<'_>, at: usize) -> KindAndName {
    const TABLES: [&str; 2] = ["TABLE", "TYPE"];
    const OTHERS: [&str; 9] =
        ["VIEW", "FUNCTION", "PROCEDURE", "TRIGGER", "INDEX", "POLICY", "SCHEMA", "SEQUENCE", "DOMAIN"];
    const NO_COLUMN: [&str; 8] =
        ["CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "KEY", "INDEX", "SELECT"];
    let is = |word: &str, list: &[&str]| list.iter().any(|other| other.eq_ignore_ascii_case(word));
    let words: Vec<&str> =
        layout.norm[at].split([' ', '(', ',', ';']).filter(|word| !word.is_empty()).collect();
    let bare = |word: &str| word.trim_matches(['"', '`', '[', ']']).to_owned();
    let first = words.first()?;
    if layout.depth[at] == 0 {
        let kind = words.iter().take(4).position(|word| is(word, &TABLES) || is(word, &OTHERS))?;
        if layout.continues[at] || !first.eq_ignore_ascii_case("CREATE") {
            return None;
        }
        let name =
            words[kind + 1..].iter().find(|word| !is(word, &["IF", "NOT", "EXISTS", "CONCURRENTLY"]))?;
        let is_table = is(words[kind], &TABLES);
        return Some((if is_table { Kind::Class } else { Kind::Def }, bare(name)));
    }
    let is_word = |word: &&str| bare(word).starts_with(|c: char| c.is_alphabetic() || c == '_');
    let is_column = layout.depth[at] == 1
        && words.len() > 1
        && !is(first, &NO_COLUMN)
        && words.iter().take(2).all(is_word);
    is_column.then(|| (Kind::Key, bare(first)))
}

/// Returns the name of an element that is the only one of its kind, or has an id.
fn element_part(line: &str) -> KindAndName {
    let tag = line.strip_prefix('<')?;
    let name: String = tag.chars().take_while(|c| c.is_alphanumeric() || "-.:".contains(*c)).collect();
    let tag = tag.split('>').next().unwrap_or(tag);
    if let Some((_, rest)) = tag.split_once(" id=\"") {
        let id = rest.split('"').next().unwrap_or_default();
        return Some((Kind::Part, format!("{name}#{id}")));
    }
    PARTS.contains(&name.as_str()).then_some((Kind::Part, name))
}

/// The definitions of a programming language.
fn code(family: Family, layout: &Layout<'_>, at: usize) -> KindAndName {
    let line = layout.norm[at].as_str();
    let first = line.split([' ', '(', '<', '"', '\'', '{']).next().unwrap_or_default();
    let imports = IMPORTS.iter().find(|(of, _)| *of == family).map_or(&[][..], |(_, words)| words);
    if imports.contains(&first) && !line.starts_with("import(") {
        return Some((Kind::Import, line.to_owned()));
    }
    let modifiers = Modifiers::strip(family, line);
    let rest = modifiers.rest;
    let table = match family {
        Family::Python => PYTHON,
        Family::Script | Family::Html => SCRIPT,
        Family::Elixir => ELIXIR,
        Family::Go => GO,
        Family::Rust => RUST,
        Family::Ruby => RUBY,
        Family::Php => PHP,
        Family::C => C,
        Family::Dart => DART,
        _ => &[],
    };
    if let Some(from_words) = from_table(family, table, rest) {
        return Some(from_words);
    }
    special(family, line, rest)
        .or_else(|| function(family, layout, at, &modifiers))
        .or_else(|| variable(family, rest, &modifiers))
        .or_else(|| entry(family, line))
}

/// A definition that begins with a word of the table.
fn from_table(family: Family, table: Words, rest: &str) -> KindAndName {
    let (kind, behind) = table.iter().find_map(|(word, kind)| {
        let behind = rest.strip_prefix(word)?;
        behind.starts_with([' ', '*', '(']).then_some((*kind, behind.trim_start_matches(['*', ' '])))
    })?;
    let name = match (family, kind) {
        // `func (r *T) Name`
        (Family::Go, Kind::Def) if behind.starts_with('(') => {
            let end = behind.find(')')?;
            let name = ident(behind[end + 1..].trim_start())?;
            let receiver = behind[1..end].rsplit([' ', '*']).next().unwrap_or_default();
            format!("({receiver}) {name}")
        }
        (Family::Go, Kind::Var) if behind.starts_with('(') => "(".to_owned(),
        (Family::Script, Kind::Var) if behind.starts_with(['[', '{']) => {
            behind.split(" =").next().unwrap_or(behind).to_owned()
        }
        (Family::C, Kind::Class) if behind.starts_with("class ") => ident(&behind[6..])?.to_owned(),
        // A type in front of a variable or function: `struct point p = …`, `struct buf *make(void)`.
        (Family::C, Kind::Class) if !behind.contains(['{', ':']) && behind.contains([';', '=', '(', '*']) => {
            return None;
        }
        (Family::Rust, Kind::Var) if behind.starts_with("mut ") => ident_behind(&behind[4..])?.to_owned(),
        (Family::Elixir, Kind::Def) => {
            behind.split(['(', ' ', ',']).next().filter(|name| !name.is_empty())?.to_owned()
        }
        (Family::Elixir | Family::Ruby, Kind::Class) => {
            behind.split([' ', '<', ',', ';']).next().unwrap_or(behind).to_owned()
        }
        (Family::Ruby, Kind::Def) => behind.split([' ', '(', ';']).next().unwrap_or(behind).to_owned(),
        (Family::C, Kind::Def) => {
            let behind = if behind.starts_with('<') { behind.split_once("> ")?.1 } else { behind };
            behind.split(['(', ' ', '{', '=']).next().unwrap_or(behind).to_owned()
        }
        _ => ident_behind(behind)?.to_owned(),
    };
    Some((kind, name))
}

/// Definitions that no table of words holds.
fn special(family: Family, line: &str, rest: &str) -> KindAndName {
    match family {
        Family::Python if line.starts_with("if __name__") => Some((Kind::Main, "__main__".to_owned())),
        Family::Script if line.starts_with("export default") => Some((Kind::Default, "default".to_owned())),
        Family::Rust if rest.starts_with("impl") && rest[4..].starts_with([' ', '<']) => {
            let head = rest.split('{').next().unwrap_or(rest);
            Some((Kind::Class, head.split(" where ").next().unwrap_or(head).to_owned()))
        }
        Family::Elixir if line.starts_with('@') => {
            let name = line.split(' ').next().unwrap_or(line);
            let attached = matches!(name, "@doc" | "@spec" | "@impl" | "@moduledoc" | "@deprecated");
            (!attached && name.len() < line.len()).then(|| (Kind::Var, name.to_owned()))
        }
        Family::Shell => {
            let line = line.strip_prefix("function ").unwrap_or(line);
            let name = line.split_once("()")?.0;
            let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            is_name.then(|| (Kind::Def, name.to_owned()))
        }
        _ => None,
    }
}

/// A function whose head is its name and arguments: a method, or a type and a name.
fn function(family: Family, layout: &Layout<'_>, at: usize, modifiers: &Modifiers<'_>) -> KindAndName {
    let (line, code) = (layout.norm[at].as_str(), layout.code[at].as_str());
    match family {
        Family::Script | Family::Html => method_name(modifiers, line, code).map(|name| (Kind::Def, name)),
        Family::C | Family::Dart => typed_name(family, modifiers, line).map(|name| (Kind::Def, name)),
        _ => None,
    }
}

fn variable(family: Family, rest: &str, modifiers: &Modifiers<'_>) -> KindAndName {
    if family == Family::Php && modifiers.count > 0 {
        let name = rest.split([' ', ';', '=']).find(|word| word.starts_with('$'))?;
        return Some((Kind::Var, name.to_owned()));
    }
    assigned(family, rest, modifiers).map(|name| (Kind::Var, name))
}

/// An entry of a table or a call that a text names.
fn entry(family: Family, line: &str) -> KindAndName {
    if let Some(case) = line.strip_prefix("case ")
        && matches!(
            family,
            Family::Script | Family::Go | Family::C | Family::Dart | Family::Php | Family::Python
        )
    {
        return Some((Kind::Case, case.rsplit_once(':').map_or(case, |(case, _)| case).to_owned()));
    }
    if matches!(family, Family::Ruby | Family::Elixir)
        && let Some((word, argument)) = line.split_once([' ', '('])
        && CALLS.contains(&word)
        && argument.starts_with(['"', '\'', ':'])
    {
        let argument = argument.trim_end_matches(" do").split([',', ')']).next().unwrap_or(argument);
        return Some((Kind::Call, format!("{word} {argument}")));
    }
    if family == Family::Php
        && let Some((name, _)) = line.split_once("=>")
        && line.starts_with(['"', '\''])
    {
        return Some((Kind::Key, name.trim().to_owned()));
    }
    if line.starts_with('<') && matches!(family, Family::Script | Family::Elixir | Family::Html) {
        let name: String =
            line[1..].chars().take_while(|c| c.is_alphanumeric() || "-.:".contains(*c)).collect();
        return (!name.is_empty()).then_some((Kind::Element, name));
    }
    if family == Family::Script
        && let Some(name) = call_of_text(line)
    {
        return Some((Kind::Call, name));
    }
    // In the other languages `name:` is a label, a type or a statement.
    let has_keys = !matches!(family, Family::C | Family::Shell | Family::Html | Family::Python | Family::Php);
    let name = if has_keys { key_before_colon(line) } else { None };
    name.filter(|name| !matches!(name.as_str(), "default" | "http" | "https")).map(|name| (Kind::Key, name))
}
