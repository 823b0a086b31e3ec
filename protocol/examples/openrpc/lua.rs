//! The document as annotations for Lua's language server (LuaCATS).

use std::fmt::Write as _;

use serde_json::Value;

use crate::shape::{Declared, Field, Shape, methods, notifications, types};

/// Returns the annotations. `made` says where they come from.
pub(crate) fn annotations(document: &Value, made: &str) -> String {
    let mut out = format!("---@meta\n-- {made}\n");
    for declared in types(document) {
        declare(&mut out, &declared);
    }
    let calls = methods(document);
    out.push_str("\n---The name of a method.\n---@alias clada.Method\n");
    for call in &calls {
        let _ = writeln!(out, "---| \"{}\" # {}", call.name, call.summary);
    }
    out.push_str("\n---What each method takes and returns: `{ params, result }`.\n---@class clada.Methods\n");
    for call in &calls {
        let (params, result) = (named(&call.params), named(&call.result));
        let _ = writeln!(out, "---@field [\"{}\"] {{ params: {params}, result: {result} }}", call.name);
    }
    out.push_str(
        "\n---The parameters of each notification that the daemon sends.\n---@class clada.Notifications\n",
    );
    for call in notifications(document) {
        let _ =
            writeln!(out, "---@field [\"{}\"] {} {}", call.name, named(&call.params), line(&call.summary));
    }
    out
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
        expect![[r#"
            ---@meta
            -- Made by a test.

            ---Parameters of `do.it`.
            ---@class clada.DoParams
            ---@field root string The root.
            ---@field ["for"]? clada.Word The receiver. In two lines.

            ---What was done.
            ---@class clada.Done
            ---@field pair [integer, integer] Two.
            ---@field list? (string|vim.NIL)[] Some.
            ---@field map? table<string, any> By name.
            ---@field inner? { word?: boolean } Within.

            ---A kind.
            ---@alias clada.ErrorKind
            ---| "io" # It failed.

            ---A word.
            ---@alias clada.Word
            ---| "a" # A | b.
            ---| string[]

            ---The name of a method.
            ---@alias clada.Method
            ---| "do.it" # Does it.

            ---What each method takes and returns: `{ params, result }`.
            ---@class clada.Methods
            ---@field ["do.it"] { params: clada.DoParams, result: clada.Done }

            ---The parameters of each notification that the daemon sends.
            ---@class clada.Notifications
            ---@field ["told"] clada.Done Tells.
        "#]]
        .assert_eq(&annotations(&small(), "Made by a test."));
    }
}
