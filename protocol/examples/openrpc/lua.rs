//! The document as annotations for Lua's language server (LuaCATS).

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::shape::{Declared, Field, Shape, types};

/// The beginning of the name of a type of the protocol.
const PREFIX: &str = "clada.";

/// Returns the annotations of the types that are `used`; another one that they name is `any`. `made` says where they
/// come from.
pub(crate) fn annotations(document: &Value, made: &str, used: &BTreeSet<String>) -> String {
    let mut all = String::new();
    for declared in types(document).iter().filter(|declared| used.contains(&declared.name)) {
        declare(&mut all, declared);
    }
    let mut out = format!("---@meta\n-- {made}\n");
    let mut rest = all.as_str();
    while let Some(at) = rest.find(PREFIX) {
        let name = names(&rest[at..]).next().unwrap_or_default();
        let end = at + PREFIX.len() + name.len();
        out.push_str(&rest[..at]);
        let is_type = name.starts_with(|letter: char| letter.is_ascii_uppercase());
        out.push_str(if is_type && !used.contains(name) { "any" } else { &rest[at..end] });
        rest = &rest[end..];
    }
    out + rest
}

/// Returns the names of the protocol's types in a text of Lua.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(PREFIX).skip(1).map(|rest| {
        let is_of_name = |letter: char| letter.is_ascii_alphanumeric();
        &rest[..rest.find(|letter| !is_of_name(letter)).unwrap_or(rest.len())]
    })
}

fn declare(out: &mut String, declared: &Declared) {
    out.push('\n');
    for line in declared.doc.lines() {
        let _ = writeln!(out, "---{line}");
    }
    match &declared.shape {
        Shape::Object(fields) => {
            let _ = writeln!(out, "---@class clada.{}", declared.name);
            for Field { name, doc, required, shape } in fields {
                let optional = if *required { "" } else { "?" };
                let _ = writeln!(out, "---@field {}{optional} {} {}", key(name), named(shape), line(doc));
            }
        }
        Shape::Choice(variants) => {
            let _ = writeln!(out, "---@alias clada.{}", declared.name);
            for variant in variants {
                let doc =
                    if variant.doc.is_empty() { String::new() } else { format!(" # {}", line(&variant.doc)) };
                let _ = writeln!(out, "---| {}{doc}", named(&variant.shape));
            }
        }
        shape => {
            let _ = writeln!(out, "---@alias clada.{} {}", declared.name, named(shape));
        }
    }
}

/// Returns a name as a key of a field: Lua's own words go in brackets.
fn key(name: &str) -> String {
    let words =
        ["for", "end", "function", "local", "nil", "not", "or", "and", "repeat", "return", "then", "until"];
    if words.contains(&name) { format!("[\"{name}\"]") } else { name.to_owned() }
}

fn named(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => format!("clada.{name}"),
        Shape::Text => "string".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        // What Neovim makes of JSON's `null` where it stands for something.
        Shape::Null => "vim.NIL".to_owned(),
        Shape::Any => "any".to_owned(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::List(item) => format!("{}[]", one(item)),
        Shape::Tuple(item, count) => format!("[{}]", vec![named(item); *count].join(", ")),
        Shape::Map(value) => format!("table<string, {}>", named(value)),
        Shape::Object(fields) => {
            let field = |field: &Field| {
                let optional = if field.required { "" } else { "?" };
                format!("{}{optional}: {}", key(&field.name), named(&field.shape))
            };
            format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join(", "))
        }
        Shape::Choice(variants) => {
            variants.iter().map(|variant| named(&variant.shape)).collect::<Vec<_>>().join("|")
        }
    }
}

/// Returns a shape as one item of something.
fn one(shape: &Shape) -> String {
    if matches!(shape, Shape::Choice(_)) { format!("({})", named(shape)) } else { named(shape) }
}

fn line(doc: &str) -> String {
    doc.lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::small;

    #[test]
    fn a_small_document() {
        let used: BTreeSet<String> =
            names("---@param a clada.DoParams\nlocal b ---@type clada.Word[]").map(str::to_owned).collect();
        expect![[r#"
            ---@meta
            -- Made by a test.

            ---Parameters of `do.it`.
            ---@class clada.DoParams
            ---@field root string The root.
            ---@field ["for"]? clada.Word The receiver. In two lines.

            ---A word.
            ---@alias clada.Word
            ---| "a" # A | b.
            ---| string[]
        "#]]
        .assert_eq(&annotations(&small(), "Made by a test.", &used));
    }
}
