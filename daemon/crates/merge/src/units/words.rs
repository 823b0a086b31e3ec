//! Names within a line: behind words, before brackets, before an equals sign.

use super::language::Family;

/// Words that may precede a definition.
const MODIFIERS: &[&str] = &[
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "override",
    "virtual",
    "async",
    "late",
    "open",
    "suspend",
    "inline",
    "synchronized",
    "native",
    "sealed",
    "data",
    "external",
    "factory",
    "required",
    "mutating",
    "unsafe",
    "explicit",
    "constexpr",
    "extern",
    "fileprivate",
    "lateinit",
    "readonly",
    "export",
    "default",
    "declare",
    "pub",
    "base",
    "volatile",
    "transient",
    "get",
    "set",
    "companion",
    "operator",
    "inner",
    "annotation",
];
/// Words that begin statements, and no definitions.
const STATEMENTS: &[&str] = &[
    "return", "if", "for", "while", "switch", "catch", "else", "throw", "await", "new", "yield", "assert",
    "case", "do", "using", "lock", "delete", "goto", "try", "function", "with", "super", "in", "match",
    "loop", "raise", "elif", "print", "import", "typeof", "not", "and", "or", "lambda", "break", "continue",
    "this",
];

/// A line without the words that precede its definition.
pub(super) struct Modifiers<'a> {
    pub(super) rest: &'a str,
    pub(super) count: usize,
}

impl<'a> Modifiers<'a> {
    pub(super) fn strip(family: Family, line: &'a str) -> Modifiers<'a> {
        let (mut rest, mut count) = (line, 0);
        loop {
            let word = rest.split([' ', '(', '<']).next().unwrap_or_default();
            let behind = &rest[word.len()..];
            let next = if word == "pub" && behind.starts_with('(') {
                behind.split_once(") ").map(|(_, next)| next)
            } else if word == "extern" && behind.starts_with(" \"") {
                behind[2..].split_once("\" ").map(|(_, next)| next)
            } else if word.starts_with('@')
                && word != "@interface"
                && matches!(family, Family::C | Family::Dart)
            {
                // An annotation on the line of what it annotates.
                let next = if behind.starts_with('(') {
                    behind.split_once(") ").map(|(_, next)| next)
                } else {
                    None
                };
                next.or_else(|| behind.strip_prefix(' '))
            } else {
                let is_const = word == "const"
                    && (matches!(family, Family::C | Family::Dart)
                        || behind.starts_with(" fn ")
                        || behind.starts_with(" unsafe fn ")
                        || behind.starts_with(" enum "));
                let is_getter = matches!(word, "get" | "set")
                    && !behind[1.min(behind.len())..].starts_with(|c: char| c.is_alphabetic() || c == '#');
                let is_modifier = MODIFIERS.contains(&word) && !is_getter || is_const;
                if is_modifier { behind.strip_prefix(' ') } else { None }
            };
            // A word alone in front of a sign is a name: `static = 1`, `data: x`.
            let Some(next) = next.filter(|next| !next.starts_with(['=', ':', '.', '(']) && !next.is_empty())
            else {
                return Modifiers { rest, count };
            };
            (rest, count) = (next, count + 1);
        }
    }
}

pub(super) fn ident(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
    (end > 0).then(|| &text[..end])
}

/// Returns the identifier at the start of `text`, or what is in brackets there.
pub(super) fn ident_behind(text: &str) -> Option<&str> {
    match text.chars().next()? {
        '(' => text.find(')').map(|end| &text[..=end]),
        _ => ident(text.trim_start_matches(['&', '#'])),
    }
}

/// Returns true if `name` is not a word that begins statements.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !STATEMENTS.contains(&name)
}

/// The method of a class or an object in a script: `async save(data) {`, `private x<T>(…`.
pub(super) fn method_name(modifiers: &Modifiers<'_>, line: &str, code: &str) -> Option<String> {
    let rest = modifiers.rest.trim_start_matches(['*', '#']);
    let name = ident(rest)?;
    let behind = &rest[name.len()..];
    let behind = if behind.starts_with('<') { &behind[behind.find('>')? + 1..] } else { behind };
    // `save (data) {`, as some write it.
    let behind = behind.strip_prefix(' ').unwrap_or(behind);
    if !behind.starts_with('(') || !is_name(name) {
        return None;
    }
    let is_closed = code.matches('(').count() == code.matches(')').count();
    // A call with a function as its last argument opens a brace, too, and does not close its bracket.
    // On one line, its parameters are followed by its body: `one() { return 1 },`.
    let has_body = line.ends_with('{') || behind.contains(") {") && line.ends_with(['}', ',']);
    let opens = has_body && is_closed && !behind.starts_with("(\"") && !behind.starts_with("('");
    let is_declared = modifiers.count > 0 && !line.starts_with("export");
    (opens || is_declared).then(|| name.to_owned())
}

/// The function of a language in which a type precedes the name: `static int read(struct buf *b)`.
pub(super) fn typed_name(family: Family, modifiers: &Modifiers<'_>, line: &str) -> Option<String> {
    let rest = modifiers.rest;
    let rest = if rest.starts_with('<') { rest.split_once("> ")?.1 } else { rest };
    if STATEMENTS.contains(&ident(rest).unwrap_or_default()) {
        return None;
    }
    let open = rest.find('(')?;
    let before = rest[..open].trim_end();
    let start = before
        .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '~' | '$')))
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let (types, name) = before.split_at(start);
    if !is_name(name) || !types.chars().all(|c| c.is_alphanumeric() || "_<>[],.?&*: $".contains(c)) {
        return None;
    }
    let behind = &rest[open..];
    let opens = line.ends_with('{') || family == Family::Dart && has_arrow_behind_parameters(behind);
    let is_statement = behind.contains(';') && !behind.contains('{') && !behind.contains("=>");
    let has_type = types.trim().len() > 1 && !types.trim_end().ends_with(['.', '>']) || types.ends_with("> ");
    let is_called = types.trim_end().ends_with('.');
    let is_function = if has_type && !is_called {
        !is_statement || modifiers.count > 0
    } else {
        types.trim().is_empty() && (opens || modifiers.count > 0 && !is_statement)
    };
    is_function.then(|| name.to_owned())
}

/// Returns true if `text` begins with parameters in brackets, and an arrow follows them.
fn has_arrow_behind_parameters(text: &str) -> bool {
    let mut depth = 0_usize;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(at + 1)
    });
    end.is_some_and(|end| text[end..].trim_start().trim_start_matches("async").trim_start().starts_with("=>"))
}

/// The name that a line assigns to or declares.
pub(super) fn assigned(family: Family, rest: &str, modifiers: &Modifiers<'_>) -> Option<String> {
    let (target, has_sign) = match sign(rest) {
        Some(at) => (&rest[..at], true),
        None if matches!(family, Family::C | Family::Dart) => (rest.strip_suffix(';')?, false),
        None if family == Family::Python => {
            let (name, kind) = rest.split_once(": ")?;
            let is_field = ident(name) == Some(name) && is_name(name) && !kind.is_empty();
            return is_field.then(|| name.to_owned());
        }
        None => return None,
    };
    let target = target.trim_end();
    let target = if family == Family::Go { target.trim_end_matches([':', ' ']) } else { target };
    if target.contains(['(', '"', '\'', '{'])
        || target.ends_with(['+', '-', '*', '/', '|', '&', '%', '?', '^', '.'])
    {
        return None;
    }
    // Without its type: `name: T`, `T name`.
    let bare = target.split(": ").next().unwrap_or(target).trim_end_matches(['?', '!', ' ']);
    let name = match family {
        Family::C | Family::Dart => bare.rsplit([' ', '*', '&']).next().unwrap_or(bare),
        _ => bare,
    };
    let words = bare.split(' ').count();
    let first = ident(bare.trim_start_matches(['@', '$', '#'])).unwrap_or_default();
    if name.is_empty() || STATEMENTS.contains(&first) && first != "this" || !has_sign && words < 2 {
        return None;
    }
    let is_plain = |c: char| c.is_alphanumeric() || "_.$[]@->#,: <>?*&".contains(c);
    let is_single = matches!(family, Family::C | Family::Dart) || words == 1 || bare.contains(',');
    let is_shown = !matches!(family, Family::Rust) || modifiers.count > 0;
    (name.chars().all(is_plain) && is_single && is_shown).then(|| name.to_owned())
}

/// Returns where the first equals sign is that assigns.
fn sign(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' | b'`' if depth == 0 => return None,
            b'=' if depth == 0 => {
                let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
                let behind = bytes.get(at + 1).copied().unwrap_or(b' ');
                let compares = matches!(before, b'=' | b'!' | b'<' | b'>' | b'~')
                    || matches!(behind, b'=' | b'>' | b'~');
                return (!compares).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// The name before a colon: `name: value`, `"name": value`.
pub(super) fn key_before_colon(line: &str) -> Option<String> {
    let (name, behind) = if let Some(rest) = line.strip_prefix('"') {
        let end = rest.find('"')?;
        (&rest[..end], rest[end + 1..].trim_start())
    } else if let Some(rest) = line.strip_prefix('\'') {
        let end = rest.find('\'')?;
        (&rest[..end], rest[end + 1..].trim_start())
    } else {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let end = line.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-')))?;
        (&line[..end], line[end..].trim_start_matches(['?', '!']))
    };
    (behind.starts_with(':') && !behind.starts_with("::") && !name.is_empty()).then(|| name.to_owned())
}

/// A call whose first argument is a text: `app.get("/users"`.
pub(super) fn call_of_text(line: &str) -> Option<String> {
    let open = line.find('(')?;
    let name = &line[..open];
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '$'));
    let argument = line[open + 1..].trim_start();
    let quote = argument.chars().next().filter(|c| matches!(c, '"' | '\'' | '`'))?;
    let end = argument[1..].find(quote)?;
    (is_name && end > 0).then(|| format!("{name}({}", &argument[..end + 2]))
}

pub(super) fn import_module(text: &str, family: Family) -> Option<String> {
    match family {
        Family::Python => {
            let (module, _) = text.strip_prefix("from ")?.split_once(" import")?;
            Some(module.to_owned())
        }
        Family::Script => {
            let rest = text.strip_prefix("import ")?;
            let rest = rest.strip_prefix("type ").unwrap_or(rest);
            let (names, module) = rest.split_once(" from ")?;
            // `{ a }`, or `A, { a }`
            let is_list = names.starts_with('{')
                || names.split_once(", {").is_some_and(|(name, _)| ident(name) == Some(name));
            is_list.then(|| module.trim_matches(['"', '\'', ' ']).to_owned())
        }
        Family::Rust => {
            let rest = text.strip_prefix("pub ").unwrap_or(text).strip_prefix("use ")?;
            Some(rest.split_once("::{")?.0.to_owned())
        }
        _ => None,
    }
}
