//! Whether code below "Replace `X` with" reads as what takes the place of `X`, an expression or a statement.
//!
//! ````text
//! Replace `open(path).read()` with a call to a new helper:       def read_text(path): …    is added, and `X` stays
//! Replace `data = open(path).read()` with:                       from a import read        is added
//!                                                                data = read(path)         takes the place
//! ````
//!
//! Pure.

use super::heads::{all_definitions, is_code, is_header};
use super::import_lines::is_import;
use super::plain_edit::{PlainEdit, dedented};

// The content of a replacement, divided.
pub(super) struct DividedCode {
    // What takes the place; empty if nothing of it does.
    pub(super) new: String,
    // Definitions and imports, which go elsewhere.
    pub(super) rest: String,
}

// A statement of the content with the lines that belong to it, at the content's margin.
struct CodeStatement<'t> {
    text: &'t str,
    kind: StatementKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StatementKind {
    Import,
    Definition,
    Statement,
}

// Divides the content of `edit`, code for the place of `old` in `file`. `None` if all of it takes that place.
pub(super) fn divided(edit: &PlainEdit<'_>, file: &str, old: &str) -> Option<DividedCode> {
    let old = old.trim();
    if !is_code(edit.path) || old.contains('\n') || !is_statement(old, edit.path) {
        return None;
    }
    let content = dedented(edit.content.trim_matches('\n'));
    let pieces = pieces(&content, edit.path);
    let count = |kind: StatementKind| pieces.iter().filter(|piece| piece.kind == kind).count();
    let is_line = file.lines().any(|line| is_all_of(line, old));
    let declares = |piece: &CodeStatement<'_>| {
        piece.kind == StatementKind::Definition && names_definition(old, piece.text, edit.path)
    };
    if count(StatementKind::Statement) == pieces.len() || pieces.iter().any(declares) {
        return None;
    }
    // A function right before the statement that uses it may need what is around that.
    let stays = |piece: &CodeStatement<'_>| match piece.kind {
        StatementKind::Statement => true,
        StatementKind::Definition => is_line && count(StatementKind::Statement) > 0,
        StatementKind::Import => false,
    };
    let joined = |is_new: bool| -> String {
        pieces.iter().filter(|piece| stays(piece) == is_new).map(|piece| piece.text).collect()
    };
    let (new, rest) = (joined(true), joined(false));
    let is_all = rest.trim().is_empty();
    (!is_all).then(|| DividedCode { new: ended(&new), rest: ended(&rest) })
}

// Returns true if the content of `edit` is several statements, and `old` no more than a part of a line of `file`.
pub(super) fn is_too_long(edit: &PlainEdit<'_>, file: &str, old: &str) -> bool {
    let old = old.trim();
    is_code(edit.path)
        && !old.contains('\n')
        && is_statement(old, edit.path)
        && !file.lines().any(|line| is_all_of(line, old))
        && pieces(&dedented(edit.content.trim_matches('\n')), edit.path).len() > 1
}

fn ended(text: &str) -> String {
    let text = text.trim_matches('\n');
    if text.is_empty() { String::new() } else { format!("{text}\n") }
}

// Returns true if `old` is an expression or a statement: no comment, import, decorator, element or head of a definition.
fn is_statement(old: &str, path: &str) -> bool {
    let is_sign = old.starts_with(['#', '@', '/', '*', '<', '{', '}']) || old.starts_with("--");
    let is_value = |definition: &String| {
        ["const ", "let ", "var ", "val "].iter().any(|word| definition.starts_with(word))
    };
    !is_sign
        && !is_header(old)
        && all_definitions(old, path).iter().all(is_value)
        && !old.ends_with(['{', ':'])
}

// Returns true if `line` is `old` but for its end.
fn is_all_of(line: &str, old: &str) -> bool {
    let bare = old.trim_end_matches([';', ',']);
    let rest = line.trim().strip_prefix(bare).map(str::trim_start);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([';', ',', '#']) || rest.starts_with("//"))
}

// Returns true if `old` declares what `text` defines, or hands it on: `export default App;`. A call of it does neither.
fn names_definition(old: &str, text: &str, path: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let names = text.lines().take(1).flat_map(|line| all_definitions(line, path));
    let names: Vec<String> =
        names.filter_map(|one| one.rsplit([' ', ':', '.']).next().map(str::to_owned)).collect();
    names.iter().any(|name| {
        old.match_indices(&**name).any(|(at, _)| {
            let (before, behind) = (&old[..at], &old[at + name.len()..]);
            !before.ends_with(is_word) && !behind.starts_with(is_word) && !behind.starts_with('(')
        })
    })
}

// Divides `content`, for the file at `path`: a piece begins with a line at the margin that closes and continues nothing.
fn pieces<'t>(content: &'t str, path: &str) -> Vec<CodeStatement<'t>> {
    let mut starts: Vec<usize> = Vec::new();
    let (mut at, mut is_attached) = (0, false);
    for line in content.split_inclusive('\n') {
        let text = line.trim_end();
        let begins = !text.is_empty()
            && !text.starts_with([' ', '\t', ')', ']', '}', '.', '?', '&', '|', '+', '<'])
            && !["else", "elif", "except", "finally", "catch", "end"].iter().any(|word| {
                text.strip_prefix(word)
                    .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
            });
        let is_open = |start: &usize| clada_merge::open_brackets(&content[*start..at], path) > 0;
        if starts.is_empty() || begins && !is_attached && !starts.last().is_some_and(is_open) {
            starts.push(at);
        }
        // Comments and decorators belong to what is below them.
        is_attached = begins && text.starts_with(['#', '@', '/']) && !text.starts_with("#include")
            || is_attached && text.is_empty();
        at += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([content.len()]);
    let piece = |(start, end): (usize, usize)| {
        let text = &content[start..end];
        CodeStatement { text, kind: kind_of(text, path) }
    };
    starts.iter().copied().zip(ends).map(piece).collect()
}

fn kind_of(text: &str, path: &str) -> StatementKind {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "def ", "class ", "fn ", "func ", "function ", "function* ", "fun ", "sub ", "defp ", "struct ", "enum ", "trait ", "impl ", "interface ", "type ",
    ];
    let is_comment = |line: &&str| line.starts_with(['#', '@', '/', '*']) && !line.starts_with("#include");
    let mut lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty()).skip_while(|line| is_comment(line));
    let (Some(head), next) = (lines.next(), lines.next()) else { return StatementKind::Statement };
    if is_import(head) {
        return StatementKind::Import;
    }
    let opens = || head.contains('{') || next.is_some_and(|next| next.starts_with('{'));
    let is_function = |definition: &String| {
        // `struct point p;` declares a variable.
        (opens() || next.is_some()) && WORDS.iter().any(|word| definition.starts_with(word))
            || opens()
                && definition
                    .strip_prefix("() ")
                    .is_some_and(|name| !matches!(name, "func" | "fn" | "function"))
    };
    let is_value = || {
        head.split_once('=').is_some_and(|(name, value)| {
            name.starts_with("const ")
                && (value.trim_end().ends_with("=> {") || value.trim_start().starts_with("function"))
        })
    };
    match all_definitions(head, path).iter().any(is_function) || is_value() {
        true => StatementKind::Definition,
        false => StatementKind::Statement,
    }
}
