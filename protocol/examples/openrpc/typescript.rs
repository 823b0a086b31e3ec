//! The document as declarations in TypeScript.

use std::fmt::Write as _;

use serde_json::Value;

use crate::shape::{Call, Field, Shape, methods, notifications, types};

/// Returns the declarations. `made` says where they come from.
pub(crate) fn declarations(document: &Value, made: &str) -> String {
    let mut out = format!("// {made}\n");
    for declared in types(document) {
        out.push('\n');
        comment(&mut out, "", &declared.doc);
        match &declared.shape {
            Shape::Object(fields) if fields.is_empty() => {
                let _ = writeln!(out, "export type {} = Record<string, never>;", declared.name);
            }
            Shape::Object(fields) => {
                let _ = writeln!(out, "export interface {} {{", declared.name);
                members(&mut out, "  ", fields);
                out.push_str("}\n");
            }
            Shape::Choice(variants) if variants.iter().any(|variant| !variant.doc.is_empty()) => {
                let _ = writeln!(out, "export type {} =", declared.name);
                for (at, variant) in variants.iter().enumerate() {
                    comment(&mut out, "  ", &variant.doc);
                    let end = if at + 1 == variants.len() { ";" } else { "" };
                    let _ = writeln!(out, "  | {}{end}", named(&variant.shape, "  "));
                }
            }
            shape => {
                let _ = writeln!(out, "export type {} = {};", declared.name, named(shape, ""));
            }
        }
    }
    out.push_str("\n/** The code of each kind of failure. */\nexport const ERROR_CODES: Record<ErrorKind, number> = {\n");
    for (kind, code) in
        document["components"]["schemas"]["ErrorKind"]["x-codes"].as_object().into_iter().flatten()
    {
        let _ = writeln!(out, "  {kind}: {code},");
    }
    out.push_str("};\n\n/** Parameters and result of each method. */\nexport interface Methods {\n");
    for Call { name, summary, params, result } in methods(document) {
        comment(&mut out, "  ", &summary);
        let (params, result) = (named(&params, "  "), named(&result, "  "));
        let _ = writeln!(out, "  \"{name}\": {{ params: {params}; result: {result} }};");
    }
    out.push_str("}\n\n/** Parameters of each notification that the daemon sends. */\nexport interface Notifications {\n");
    for Call { name, summary, params, .. } in notifications(document) {
        comment(&mut out, "  ", &summary);
        let _ = writeln!(out, "  \"{name}\": {};", named(&params, "  "));
    }
    out.push_str("}\n");
    out
}

fn members(out: &mut String, indent: &str, fields: &[Field]) {
    for field in fields {
        comment(out, indent, &field.doc);
        let optional = if field.required { "" } else { "?" };
        let _ = writeln!(out, "{indent}{}{optional}: {};", field.name, named(&field.shape, indent));
    }
}

/// Returns a shape where a type is written.
fn named(shape: &Shape, indent: &str) -> String {
    match shape {
        Shape::Named(name) => name.clone(),
        Shape::Text => "string".to_owned(),
        Shape::Integer | Shape::Number => "number".to_owned(),
        Shape::Boolean => "boolean".to_owned(),
        Shape::Null => "null".to_owned(),
        Shape::Any => "unknown".to_owned(),
        Shape::Word(word) => format!("\"{word}\""),
        Shape::List(item) => format!("{}[]", one(item, indent)),
        Shape::Tuple(item, count) => format!("[{}]", vec![named(item, indent); *count].join(", ")),
        Shape::Map(value) => format!("Record<string, {}>", named(value, indent)),
        Shape::Object(fields) => {
            let mut out = "{\n".to_owned();
            members(&mut out, &format!("{indent}  "), fields);
            out + indent + "}"
        }
        Shape::Choice(variants) => {
            let variants: Vec<String> =
                variants.iter().map(|variant| named(&variant.shape, indent)).collect();
            variants.join(" | ")
        }
    }
}

/// Returns a shape as one item of something.
fn one(shape: &Shape, indent: &str) -> String {
    let name = named(shape, indent);
    if matches!(shape, Shape::Choice(_)) { format!("({name})") } else { name }
}

fn comment(out: &mut String, indent: &str, doc: &str) {
    let doc = doc.replace("*/", "*\\/");
    match doc.lines().collect::<Vec<_>>().as_slice() {
        [] => {}
        [line] => {
            let _ = writeln!(out, "{indent}/** {line} */");
        }
        lines => {
            let _ = writeln!(out, "{indent}/**");
            for line in lines {
                let _ = writeln!(out, "{indent} * {line}");
            }
            let _ = writeln!(out, "{indent} */");
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::small;

    #[test]
    fn a_small_document() {
        expect![[r#"
            // Made by a test.

            /** Parameters of `do.it`. */
            export interface DoParams {
              /** The root. */
              root: string;
              /**
               * The receiver.
               * In two lines.
               */
              for?: Word;
            }

            /** What was done. */
            export interface Done {
              /** Two. */
              pair: [number, number];
              /** Some. */
              list?: (string | null)[];
              /** By name. */
              map?: Record<string, unknown>;
              /** Within. */
              inner?: {
                /** One. */
                word?: boolean;
              };
            }

            /** A kind. */
            export type ErrorKind =
              /** It failed. */
              | "io";

            /** A word. */
            export type Word =
              /** A | b. */
              | "a"
              | string[];

            /** The code of each kind of failure. */
            export const ERROR_CODES: Record<ErrorKind, number> = {
              io: 17,
            };

            /** Parameters and result of each method. */
            export interface Methods {
              /** Does it. */
              "do.it": { params: DoParams; result: Done };
            }

            /** Parameters of each notification that the daemon sends. */
            export interface Notifications {
              /** Tells. */
              "told": Done;
            }
        "#]]
        .assert_eq(&declarations(&small(), "Made by a test."));
    }
}
