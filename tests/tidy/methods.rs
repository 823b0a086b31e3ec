//! The OpenRPC document as a page of the book: `docs/reference/methods.md`.

use std::fmt::Write as _;

use serde_json::Value;

use crate::shape::{Field, Shape, list, notifications, params, text, types};

/// The page of all methods, notifications and types.
pub(crate) fn page(document: &Value) -> String {
    let mut out = "# Methods\n\n".to_owned();
    out += "The same as data is `protocol/openrpc.json`, which `rpc.discover` returns.\n";
    let any: Vec<&str> = any_request(document);
    let any: Vec<String> = any.iter().map(|kind| format!("`{kind}`")).collect();
    let _ = writeln!(
        out,
        "Any request may also fail with {}: see [kinds of failure](errors.md).\n",
        any.join(", ")
    );
    out += "| method | caller | access | only a user gives | does |\n|---|---|---|---|---|\n";
    for method in list(document, "methods") {
        let caller = if method["x-caller"] == "agent" { "anybody" } else { "a user" };
        let access = method["x-access"].as_str().unwrap_or_default();
        let name = text(method, "name");
        let given = codes(list(method, "x-person-params").iter().filter_map(Value::as_str));
        let _ = writeln!(
            out,
            "| [`{name}`](#{}) | {caller} | {access} | {given} | {} |",
            anchor(name),
            cell(text(method, "summary"))
        );
    }
    for method in list(document, "methods") {
        of_method(&mut out, document, method);
    }
    out += "\n## Notifications\n";
    for (told, call) in list(document, "x-notifications").iter().zip(notifications(document)) {
        let by = codes(list(told, "x-methods").iter().filter_map(Value::as_str));
        let _ = writeln!(
            out,
            "\n`{}`: {} Its parameters are {}; it comes with {by}.",
            call.name,
            call.summary,
            linked(&call.params)
        );
    }
    out += "\n## Types\n";
    let of_params: Vec<&str> =
        list(document, "methods").iter().map(|method| text(method, "x-params-type")).collect();
    for declared in types(document).iter().filter(|declared| !of_params.contains(&declared.name.as_str())) {
        let _ = write!(out, "\n### {}\n\n{}\n", declared.name, declared.doc);
        match &declared.shape {
            Shape::Object(fields) => table(&mut out, "member", "always", fields),
            // They have a page of their own.
            Shape::Choice(_) if declared.name == "ErrorKind" => out += "\n[Kinds of failure](errors.md).\n",
            Shape::Choice(variants) => {
                out.push('\n');
                for variant in variants {
                    let doc = if variant.doc.is_empty() {
                        String::new()
                    } else {
                        format!(": {}", cell(&variant.doc))
                    };
                    let _ = writeln!(out, "- {}{doc}", linked(&variant.shape));
                }
            }
            shape => {
                let _ = writeln!(out, "\n{}", linked(shape));
            }
        }
    }
    out
}

fn of_method(out: &mut String, document: &Value, method: &Value) {
    let _ = write!(out, "\n## {}\n\n{}", text(method, "name"), text(method, "summary"));
    let result = crate::shape::of(&method["result"]["schema"]);
    let _ = writeln!(out, " Result: {}.", linked(&result));
    let any = any_request(document);
    let fails = list(method, "errors").iter().filter_map(kind).filter(|kind| !any.contains(kind));
    let fails: Vec<&str> = fails.collect();
    if !fails.is_empty() {
        let _ = writeln!(out, "\nFails with {}.", codes(fails.into_iter()));
    }
    table(out, "parameter", "required", &params(method));
}

/// Returns the kinds of failure that every method has.
fn any_request(document: &Value) -> Vec<&str> {
    let methods = list(document, "methods");
    let [first, others @ ..] = methods else { return Vec::new() };
    let has = |method: &Value, wanted: &str| {
        list(method, "errors").iter().filter_map(kind).any(|kind| kind == wanted)
    };
    let kinds = list(first, "errors").iter().filter_map(kind);
    kinds.filter(|kind| others.iter().all(|method| has(method, kind))).collect()
}

fn kind(error: &Value) -> Option<&str> {
    error["$ref"].as_str()?.rsplit('/').next()
}

fn table(out: &mut String, what: &str, always: &str, fields: &[Field]) {
    if fields.is_empty() {
        return;
    }
    let _ = write!(out, "\n| {what} | type | {always} | is |\n|---|---|---|---|\n");
    for field in fields {
        let required = if field.required { "yes" } else { "no" };
        let (name, shape, doc) = (&field.name, linked(&field.shape), cell(&field.doc));
        let _ = writeln!(out, "| `{name}` | {shape} | {required} | {doc} |");
    }
}

/// Returns a shape in words, with links to the types of this page.
fn linked(shape: &Shape) -> String {
    match shape {
        Shape::Named(name) => format!("[{name}](#{})", anchor(name)),
        Shape::Text => "text".to_owned(),
        Shape::Integer => "integer".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Any => "anything".to_owned(),
        Shape::Word(word) => format!("`\"{word}\"`"),
        Shape::List(item) => format!("list of {}", linked(item)),
        Shape::Tuple(item, count) => format!("{count} of {}", linked(item)),
        Shape::Map(value) => format!("object of {}", linked(value)),
        Shape::Object(fields) => {
            let names = codes(fields.iter().map(|field| field.name.as_str()));
            format!("object with {names}")
        }
        Shape::Choice(variants) => {
            variants.iter().map(|variant| linked(&variant.shape)).collect::<Vec<_>>().join(" or ")
        }
    }
}

fn codes<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "–".to_owned() } else { names.join(", ") }
}

/// Returns a text as the cell of a table shows it.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Returns the anchor that the book gives a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-'));
    kept.collect::<String>().to_lowercase()
}
