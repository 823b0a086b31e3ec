//! `embed`: the required content of the document, for any tree.

mod around;
mod changed;
mod context;
mod criteria;
mod edges;
mod flags;
mod large;
mod nasty;
mod preamble;
mod recovery;

use serde_json::Value;

use crate::support::{Files, Ran, World};

/// The document that `args` print, which succeed.
#[track_caller]
fn document(world: &World, args: &[&str]) -> String {
    let ran = world.run(&[&["embed"], args].concat(), "");
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

/// Returns the result of `embed --json`, with any exit status.
#[track_caller]
fn result(world: &World, args: &[&str]) -> Value {
    let ran: Ran = world.run(&[&["--json", "embed"], args].concat(), "");
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"))
}

/// Returns the reason why `path` is left out, if it is.
fn omitted(result: &Value, path: &str) -> Option<String> {
    let omitted = result["omitted"].as_array().unwrap();
    Some(omitted.iter().find(|found| found["path"] == path)?["reason"].as_str().unwrap().to_owned())
}

/// The paths of files, as text.
fn paths(files: &Files) -> Vec<String> {
    files.keys().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
}

/// The kinds of errors, by path.
fn errors(result: &Value) -> Vec<(String, String)> {
    let errors = result["errors"].as_array().unwrap();
    let pair = |error: &Value| {
        (error["path"].as_str().unwrap().to_owned(), error["kind"].as_str().unwrap().to_owned())
    };
    errors.iter().map(pair).collect()
}
