//! Writes the document of the protocol and what is made of it:
//!
//! - `protocol/openrpc.json`, which `rpc.discover` returns,
//! - `editors/vscode/src/protocol.ts`,
//! - `editors/nvim/lua/clada/types.lua`.
//!
//! `cargo run -p clada-protocol --features schema --example openrpc` writes them; with `-- --check` it writes
//! nothing and fails with the names of those that differ.

mod document;
mod lua;
mod shape;
mod typescript;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The origin of what is made, for people who open it.
const MADE: &str = "Made by `cargo run -p clada-protocol --features schema --example openrpc` from the types in \
                    protocol/; not to be edited.";

/// A file that is made.
struct Made {
    path: PathBuf,
    text: String,
}

#[expect(clippy::disallowed_methods, reason = "a program of its own")]
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => made().and_then(|files| files.iter().try_for_each(write)),
        ["--check"] => made().and_then(|files| check(&files)),
        _ => Err("give nothing, or --check".to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            complain(&message);
            ExitCode::FAILURE
        }
    }
}

fn made() -> Result<Vec<Made>, String> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let document = document::document()?;
    let file = |path: &str, text: String| Made { path: checkout.join(path), text };
    let used = used_by_plugin(&checkout.join("editors/nvim/lua/clada"))?;
    Ok(vec![
        file("protocol/openrpc.json", format!("{document:#}\n")),
        file("editors/vscode/src/protocol.ts", typescript::declarations(&document, MADE)),
        file("editors/nvim/lua/clada/types.lua", lua::annotations(&document, MADE, &used)),
    ])
}

/// Returns the names of the types that the plugin for Neovim names in its annotations.
fn used_by_plugin(folder: &Path) -> Result<BTreeSet<String>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut used = BTreeSet::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "lua") && !path.ends_with("types.lua") {
            used.extend(lua::names(&std::fs::read_to_string(&path).map_err(failed)?).map(str::to_owned));
        }
    }
    Ok(used)
}

#[expect(clippy::disallowed_methods, reason = "files of the checkout, written anew as a whole")]
fn write(file: &Made) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", file.path.display());
    let folder = file.path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    std::fs::write(&file.path, &file.text).map_err(failed)
}

fn check(files: &[Made]) -> Result<(), String> {
    let is_current = |file: &&Made| std::fs::read_to_string(&file.path).is_ok_and(|text| text == file.text);
    let differ: Vec<String> =
        files.iter().filter(|file| !is_current(file)).map(|file| file.path.display().to_string()).collect();
    match differ.is_empty() {
        true => Ok(()),
        false => Err(format!("not current: {}", differ.join(", "))),
    }
}

#[expect(clippy::print_stderr, reason = "for whoever runs it")]
fn complain(message: &str) {
    eprintln!("openrpc: {message}");
}

/// A document with one of everything.
#[cfg(test)]
fn small() -> serde_json::Value {
    // One of each shape that a page has to show.
    serde_json::json!({
        "methods": [{
            "name": "do.it",
            "summary": "Does it.",
            "params": [
                { "name": "root", "description": "The root.", "required": true, "schema": { "type": "string" } },
                {
                    "name": "for",
                    "description": "The receiver.\nIn two lines.",
                    "required": false,
                    "schema": { "anyOf": [{ "$ref": "#/components/schemas/Word" }, { "type": "null" }] },
                },
            ],
            "result": { "name": "Done", "schema": { "$ref": "#/components/schemas/Done" } },
            "errors": [{ "$ref": "#/components/errors/io" }],
            "x-params-type": "DoParams",
            "x-caller": "person",
            "x-person-params": ["for"],
            "x-access": "changes",
        }],
        "x-notifications": [{
            "name": "told",
            "summary": "Tells.",
            "params": { "$ref": "#/components/schemas/Done" },
            "x-methods": ["do.it"],
        }],
        "components": { "schemas": {
            "Done": {
                "description": "What was done.",
                "type": "object",
                "properties": {
                    "pair": {
                        "description": "Two.",
                        "type": "array",
                        "items": { "type": "integer" },
                        "minItems": 2,
                        "maxItems": 2,
                    },
                    "list": {
                        "description": "Some.",
                        "type": "array",
                        "items": { "type": ["string", "null"] },
                    },
                    "map": { "description": "By name.", "type": "object", "additionalProperties": true },
                    "inner": {
                        "description": "Within.",
                        "type": "object",
                        "properties": { "word": { "description": "One.", "type": "boolean" } },
                    },
                },
                "required": ["pair"],
            },
            "ErrorKind": {
                "description": "A kind.",
                "type": "string",
                "enum": ["io"],
                "x-codes": { "io": 17 },
                "x-descriptions": ["It failed."],
            },
            "Word": {
                "description": "A word.",
                "oneOf": [{ "description": "A | b.", "const": "a" }, { "type": "array", "items": { "type": "string" } }],
            },
        } },
    })
}
