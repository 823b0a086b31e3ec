//! The definitions of a file, by the lines that begin them: no grammar, tables of words alone.
//!
//! Pure, linear. A definition is its kind and name: `def load`, `class Store`, `[section]`, `.rule`, `# Title`.

/// Words before the word of a definition.
const MODIFIERS: &[&str] = &[
    "export",
    "default",
    "pub",
    "pub(crate)",
    "pub(super)",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "sealed",
    "unsafe",
    "extern",
    "inline",
    "constexpr",
    "virtual",
    "override",
    "open",
    "data",
    "partial",
    "readonly",
    "declare",
    "local",
    "global",
    "suspend",
    "inner",
    "companion",
    "lateinit",
    "@objc",
    "mutating",
    "template",
    "noinline",
    "record",
    "strictfp",
    "synchronized",
    "native",
    "fileprivate",
    "indirect",
    "required",
    "convenience",
    "operator",
];
/// Words that begin a definition whose name follows.
const KEYWORDS: &[&str] = &[
    "def",
    "class",
    "fn",
    "func",
    "function",
    "function*",
    "fun",
    "sub",
    "struct",
    "enum",
    "trait",
    "impl",
    "interface",
    "type",
    "const",
    "let",
    "var",
    "val",
    "module",
    "mod",
    "namespace",
    "object",
    "protocol",
    "extension",
    "macro_rules!",
    "macro",
    "union",
    "defmodule",
    "defp",
    "defmacro",
    "procedure",
    "package",
    "table",
    "view",
    "trigger",
    "index",
    "message",
    "service",
    "resource",
    "variable",
    "output",
    "provider",
    "typedef",
    "mixin",
    "annotation",
    "record",
];
/// Words that no definition begins with, although a bracket follows.
const STATEMENTS: &[&str] = &[
    "if", "for", "while", "switch", "return", "else", "elif", "match", "catch", "with", "try", "do",
    "assert", "print", "raise", "throw", "await", "yield", "import", "from", "use", "using", "include",
    "require", "case", "when", "until", "unless", "loop", "delete", "new", "in", "not", "and", "or", "del",
    "pass", "break", "continue", "echo", "exit", "set", "source", "end", "foreach", "elseif", "elsif",
];

/// The same, whatever stands before them: `} catch (e) {`.
const BLOCKS: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "catch",
    "foreach",
    "elseif",
    "elsif",
    "function",
    "using",
    "lock",
    "synchronized",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileFamily {
    Code,
    Prose,
    Json,
    Keys,
    Sections,
    Styles,
    Rules,
    Markup,
}

fn family(path: &str) -> FileFamily {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    match name.rsplit('.').next().unwrap_or_default() {
        "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc" => FileFamily::Prose,
        "json" | "jsonc" | "json5" | "webmanifest" => FileFamily::Json,
        "yaml" | "yml" => FileFamily::Keys,
        "toml" | "ini" | "cfg" | "conf" | "properties" | "env" | "editorconfig" => FileFamily::Sections,
        "css" | "scss" | "sass" | "less" => FileFamily::Styles,
        "mk" | "makefile" => FileFamily::Rules,
        "html" | "htm" | "xml" | "svg" | "xaml" | "plist" | "vue" | "svelte" => FileFamily::Markup,
        _ => FileFamily::Code,
    }
}

pub(super) fn is_code(path: &str) -> bool {
    family(path) == FileFamily::Code
}

/// Returns the definitions and variables of `text`, a file at `path`, that no other one holds, in order.
pub(super) fn definitions(text: &str, path: &str) -> Vec<String> {
    let family = family(path);
    if family == FileFamily::Json {
        return json_keys(text);
    }
    let top = |line: &&str| !line.starts_with([' ', '\t', '}', ')', ']']) && !line.is_empty();
    text.lines().filter(top).filter_map(|line| head(line, family)).collect()
}

pub(super) fn all_definitions(text: &str, path: &str) -> Vec<String> {
    let family = family(path);
    text.lines().filter_map(|line| defined(line.trim(), family)).collect()
}

/// Returns the lines of `text`, a file at `path`, that define `name`, however deep, from 0 on.
pub(super) fn lines_defining(text: &str, path: &str, name: &str) -> Vec<usize> {
    let family = family(path);
    let is_of = |line: &str| {
        let definition = defined(line.trim(), family)?;
        // `impl Trait for Name<T>`, `() Store::load`
        let last = definition.rsplit([' ', ':', '.']).next()?.split(['<', '(']).next()?.to_owned();
        Some(last == name)
    };
    text.lines().enumerate().filter(|(_, line)| is_of(line) == Some(true)).map(|(at, _)| at).collect()
}

/// A definition of a line, however deep: by its word, since a bare name means much inside of others.
fn defined(line: &str, family: FileFamily) -> Option<String> {
    if family != FileFamily::Code {
        return None;
    }
    by_keyword(line).or_else(|| with_parameters(line))
}

fn head(line: &str, family: FileFamily) -> Option<String> {
    match family {
        FileFamily::Prose => line.starts_with('#').then(|| line.trim_end_matches(['#', ' ']).to_owned()),
        FileFamily::Markup | FileFamily::Json => None,
        FileFamily::Keys => {
            let (key, _) = line.split_once(':')?;
            is_name(key.trim_matches(['"', '\'']), "-_. /").then(|| key.to_owned())
        }
        FileFamily::Sections => match line.strip_prefix('[') {
            Some(section) => Some(format!("[{}", section.split(']').next()?)),
            None => {
                let (key, _) = line.split_once('=')?;
                is_name(key.trim(), "-_.").then(|| key.trim().to_owned())
            }
        },
        FileFamily::Styles => {
            let selector = line.split('{').next()?.trim();
            (line.contains('{') && !selector.is_empty()).then(|| selector.to_owned())
        }
        FileFamily::Rules => {
            let end = line.find([':', '='])?;
            let name = line[..end].trim_end_matches(['?', '+', ':']).trim();
            is_name(name, "-_./%$() ").then(|| name.to_owned())
        }
        FileFamily::Code => by_keyword(line).or_else(|| assigned(line)).or_else(|| with_parameters(line)),
    }
}

fn by_keyword(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let mut word = words.next()?;
    while MODIFIERS.contains(&word) || word.starts_with("pub(") {
        match words.clone().next() {
            // `record Point(…)`, `data = 1`: the word is the definition's own, or a name.
            Some(next) if next.starts_with(['=', ':', '(']) => return None,
            Some(next) if KEYWORDS.contains(&word) && !KEYWORDS.contains(&next) => break,
            Some(next) => {
                words.next();
                word = next;
            }
            None => return None,
        }
    }
    // `CREATE TABLE IF NOT EXISTS name`
    let creates = word.eq_ignore_ascii_case("create");
    if creates {
        word = words.next()?;
    }
    let lower = word.to_ascii_lowercase();
    if !KEYWORDS.contains(&word) && !KEYWORDS.contains(&&*lower) {
        return None;
    }
    let rest = line[line.find(word)? + word.len()..].trim_start();
    let condition = rest.get(..13).filter(|start| creates && start.eq_ignore_ascii_case("if not exists"));
    let rest = condition.map_or(rest, |condition| rest[condition.len()..].trim_start());
    let rest = rest.strip_prefix("mut ").filter(|_| word == "let").unwrap_or(rest);
    // Go: `func (s *Store) Load(`.
    let rest = match rest.strip_prefix('(') {
        Some(receiver) if word == "func" => receiver.split_once(')')?.1.trim_start(),
        _ => rest,
    };
    // Rust: `impl<T> Trait for Type`.
    if word == "impl" {
        return Some(format!("impl {}", rest.split(['{', ';']).next()?.trim()));
    }
    let end =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '.' | '"' | '\'')));
    let name = rest[..end.unwrap_or(rest.len())].trim_matches(['"', '\'']);
    (!name.is_empty()).then(|| format!("{word} {name}"))
}

/// `NAME = value`, `name := value`, `name: Type = value`.
fn assigned(line: &str) -> Option<String> {
    let at = line.find('=')?;
    let (before, after) = line.split_at(at);
    if after.starts_with("==") || after.starts_with("=>") {
        return None;
    }
    let name = before.trim_end_matches(':').split(':').next()?.trim();
    is_name(name, "_.$").then(|| format!("= {name}"))
}

/// `int main(`, `void Store::load(`, `load() {`: a name before parameters, of a line that is no call.
fn with_parameters(line: &str) -> Option<String> {
    let open = line.find('(')?;
    let (before, after) = (line[..open].trim_end(), line[open..].trim_end());
    let name =
        before.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ':' | '~' | '$'))).next()?;
    let has_type = before.split_whitespace().count() > 1;
    // A call with a function for an argument is open behind its line: `beforeAll(async () => {`.
    let is_closed = after.matches('(').count() == after.matches(')').count();
    let opens = after.ends_with('{') && is_closed;
    let first = before.split_whitespace().next()?;
    let is_statement = STATEMENTS.contains(&first) || BLOCKS.contains(&name);
    let is_head = !is_statement && !name.is_empty() && !before.contains(['=', '.', '"', '\'']);
    (is_head && (opens || has_type && !after.ends_with(';'))).then(|| format!("() {name}"))
}

fn is_name(name: &str, also: &str) -> bool {
    !name.is_empty() && name.len() <= 80 && name.chars().all(|c| c.is_alphanumeric() || also.contains(c))
}

fn json_keys(text: &str) -> Vec<String> {
    let (mut depth, mut keys) = (0usize, Vec::new());
    let mut chars = text.char_indices();
    while let Some((start, c)) = chars.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            '"' => {
                let mut escaped = false;
                let end = chars.find(|(_, c)| {
                    let ends = *c == '"' && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                let Some((end, _)) = end else { break };
                if depth == 1 && text[end + 1..].trim_start().starts_with(':') {
                    keys.push(text[start + 1..end].to_owned());
                }
            }
            _ => {}
        }
    }
    keys
}

pub(super) fn is_header(line: &str) -> bool {
    let line = line.trim_start();
    const BEGINNINGS: &[&str] = &[
        "import ",
        "import{",
        "from ",
        "use ",
        "using ",
        "package ",
        "#include",
        "#pragma",
        "#ifndef",
        "#define",
        "#!",
        "require",
        "const { ",
        "<?php",
        "<?xml",
        "<!doctype",
        "<html",
        "---",
        "\"use ",
        "'use ",
        "module ",
        "namespace ",
        "@charset",
        "@import",
        "@use",
        "{",
        "[",
        "//",
        "/*",
        "#",
        "\"\"\"",
        "extern crate",
        "mod ",
        "FROM ",
        "library ",
        "declare(",
    ];
    let lower = line.to_ascii_lowercase();
    BEGINNINGS.iter().any(|beginning| lower.starts_with(&beginning.to_ascii_lowercase()))
        || (line.starts_with("const ") || line.starts_with("var ")) && line.contains("require(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_by_their_heads() {
        for (path, text, expected) in [
            (
                "a.py",
                "import os\nX = 1\ndef load(a):\n    y = 2\nclass Store:\n    def save(self):\n        pass\nasync def go():\n",
                "= X,def load,class Store,def go",
            ),
            (
                "a.rs",
                "use a;\npub fn f() {}\npub(crate) struct S;\nimpl S {\n}\nconst N: u8 = 1;\n",
                "fn f,struct S,impl S,const N",
            ),
            (
                "a.ts",
                "export default function App() {\nexport const x = 1\ninterface P {\n}\nfoo(1);\n",
                "function App,const x,interface P",
            ),
            (
                "a.go",
                "package a\nfunc (s *S) Load(x int) error {\nfunc New() *S {\ntype S struct {\nvar x = 1\n",
                "package a,func Load,func New,type S,var x",
            ),
            (
                "a.c",
                "#include <a.h>\nint main(void) {\nstatic void go(int a)\n{\n}\nprintf(\"x\");\n",
                "() main,() go",
            ),
            ("a.json", "{\n  \"a\": 1,\n  \"b\": {\"c\": \"x\\\"y\"}\n}\n", "a,b"),
            ("a.yml", "name: x\non:\n  push:\n", "name,on"),
            ("a.toml", "x = 1\n[package]\nname = \"a\"\n", "x,[package,name"),
            ("a.css", ".a {\n  x: y;\n}\n#b, .c { d: e }\n", ".a,#b, .c"),
            ("Makefile", "CC ?= gcc\nall: a b\n\tcc\n", "CC,all"),
            ("a.md", "# A\ntext\n## B\n", "# A,## B"),
            ("a.sql", "CREATE TABLE users (\n", "TABLE users"),
        ] {
            assert_eq!(definitions(text, path).join(","), expected, "{path}");
        }
    }
}
