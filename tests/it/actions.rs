//! Every action through the daemon, case by case: `tests/data/actions/<action>.yaml`.
//!
//! A file is a list of cases: `name`; `before`, the project's files; `actions`, made into an answer with a
//! block each, or `answer`, written out; `results`, the expected reports; `after`, the differences from
//! `before`. `$R` is the project's root. A file is its text, `null` a folder, `{link}`, `{fifo}`, `{hex}`,
//! `{repeat: [text, times]}` are of that kind, with `mode` where it matters, and in `after` `gone` a file
//! that is no longer there.
//!
//! Of a result, `status`, `kind`, `error`, `data`, `unchanged` and `truncated` are compared exactly, those
//! that a case leaves out being absent; `hint` and `hint_has` where they are given. `<time>` matches any RFC
//! 3339 time, `<size>` any number, `<2048 x>` so many.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::support::{Answer, Connection, Entry, Tree, World};

const COMPARED: [&str; 6] = ["action", "kind", "error", "data", "unchanged", "truncated"];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/data/actions"))
}

macro_rules! of_actions {
    ($($action:ident: $parameters:ident),*) => {
        const TESTED: &[&str] = &[$(stringify!($action)),*];
        $(#[test] fn $action() { assert_cases(stringify!($action)); })*
    };
}

// A test for each action, with the case file of its name.
clada_schema::each_action!(of_actions);

#[test]
fn every_action_has_a_case_file() {
    let mut defined: Vec<_> = clada_schema::definitions().iter().map(|found| found.name.clone()).collect();
    let files = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    defined.sort();
    files.sort();
    assert_eq!(defined, files, "the actions, and tests/data/actions");
}

/// Returns the cases of an action.
fn cases_of(action: &str) -> Vec<Value> {
    let path = folder().join(action).with_extension("yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn assert_cases(action: &str) {
    let world = World::with_config("durability: fast\n");
    let mut daemon = world.connect();
    let mut failures = Vec::new();
    let cases = cases_of(action);
    let mut names = std::collections::HashSet::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        assert!(names.insert(name), "{action}: there are two cases '{name}'");
        let root = world.path(&format!("cases/{}", names.len()));
        if let Err(failure) = hold(case, action, &root, &mut daemon) {
            failures.push(format!("{action}: {name}\n{failure}"));
        }
    }
    assert!(!names.is_empty(), "{action}: no case");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// `operation: what is wrong 'path' (CODE)`, the path where there is one.
#[test]
fn every_failure_has_a_message_of_the_same_form() {
    let mut messages = 0;
    for action in TESTED {
        for case in cases_of(action) {
            for result in case["results"].as_array().into_iter().flatten() {
                let (Some(message), done) =
                    (result["error"].as_str(), result["action"].as_str().unwrap_or(action))
                else {
                    continue;
                };
                messages += 1;
                let rest = message.strip_prefix(&format!("{done}: "));
                let rest =
                    rest.and_then(|rest| rest.strip_suffix(')')).and_then(|rest| rest.rsplit_once(" ("));
                let (issue, code) = rest.unwrap_or_else(|| panic!("{action}: {message}"));
                let is_code = code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
                assert!(!issue.is_empty() && !code.is_empty() && is_code, "{action}: {message}");
                assert_eq!(issue.matches("$R").count(), issue.matches("'$R").count(), "{action}: {message}");
            }
        }
    }
    assert!(messages > 100, "{messages}");
}

/// Lays out a case, carries it out and compares.
fn hold(case: &Value, action: &str, root: &Path, daemon: &mut Connection) -> Result<(), String> {
    const KEYS: [&str; 9] =
        ["name", "before", "actions", "answer", "results", "parse_errors", "warnings", "after", "why"];
    // A misspelt key would be a check that never runs.
    let unknown: Vec<_> =
        case.as_object().unwrap().keys().filter(|key| !KEYS.contains(&key.as_str())).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
    std::fs::create_dir_all(root).unwrap();
    let case = &placed(case, root.to_str().unwrap());
    let mut tree = Tree::default();
    for (path, entry) in case["before"].as_object().unwrap_or(&Map::new()) {
        tree.insert(path, file(entry).unwrap());
    }
    tree.lay_out(root);
    let answer = answer(case);
    let result = daemon.call("execute", &json!({ "root": root, "text": answer }));
    for (path, entry) in case["after"].as_object().unwrap_or(&Map::new()) {
        match file(entry) {
            Some(entry) => tree.insert(path, entry),
            None => tree.remove(path),
        }
    }
    let mut said = tree.difference(&Tree::of(root));
    let none = Vec::new();
    let expected = case["results"].as_array().unwrap_or(&none);
    let found = result["results"].as_array().unwrap();
    if expected.len() != found.len() {
        said.push_str(&format!("{} results instead of {}\n", found.len(), expected.len()));
    }
    for (expected, found) in expected.iter().zip(found) {
        compare(expected, found, action, &mut said);
    }
    let parse_errors = case["parse_errors"].as_array().unwrap_or(&none);
    let found = result["parseErrors"].as_array().unwrap();
    let same = parse_errors.len() == found.len()
        && parse_errors.iter().zip(found).all(|(expected, found)| {
            expected.as_object().unwrap().iter().all(|(key, value)| found[key] == *value)
        });
    if !same {
        said.push_str(&format!("parse errors: {}\n", result["parseErrors"]));
    }
    let warnings: Vec<Value> =
        result["warnings"].as_array().unwrap().iter().map(|warning| warning["message"].clone()).collect();
    if &warnings != case["warnings"].as_array().unwrap_or(&none) {
        said.push_str(&format!("warnings: {warnings:?}\n"));
    }
    let success = parse_errors.is_empty() && expected.iter().all(|result| result["kind"].is_null());
    if result["success"] != json!(success) {
        said.push_str("`success` is wrong\n");
    }
    if said.is_empty() { Ok(()) } else { Err(format!("{said}got {:#}\n", result["results"])) }
}

fn compare(expected: &Value, found: &Value, action: &str, said: &mut String) {
    for key in expected.as_object().unwrap().keys() {
        assert!(COMPARED.contains(&key.as_str()) || matches!(key.as_str(), "hint" | "hint_has"), "{key}");
    }
    for key in COMPARED {
        let absent = if key == "action" { json!(action) } else { Value::Null };
        let wanted = expected.get(key).unwrap_or(&absent);
        if !matches(wanted, &found[key]) {
            said.push_str(&format!("{key}: {wanted} was expected, found {}\n", found[key]));
        }
    }
    let status = if expected["kind"].is_null() { "SUCCESS" } else { "ERROR" };
    if found["status"] != status || found["success"] != json!(status == "SUCCESS") {
        said.push_str(&format!("status {} instead of {status}\n", found["status"]));
    }
    if expected.get("hint").is_some_and(|hint| *hint != found["hint"]) {
        said.push_str(&format!("hint: {} was expected, found {}\n", expected["hint"], found["hint"]));
    }
    let hint = found["hint"].as_str().unwrap_or_default();
    for part in expected["hint_has"].as_array().into_iter().flatten() {
        if !hint.contains(part.as_str().unwrap()) {
            said.push_str(&format!("the hint has no {part}: {hint}\n"));
        }
    }
}

fn matches(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::String(wanted), Value::String(found)) if wanted == "<time>" => is_time(found),
        (Value::String(wanted), Value::String(found)) if wanted == "<2048 x>" => *found == "x".repeat(2048),
        (Value::String(wanted), Value::Number(_)) => wanted == "<size>",
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted.iter().zip(found).all(|(wanted, found)| matches(wanted, found))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.len() == found.len()
                && wanted
                    .iter()
                    .all(|(key, wanted)| found.get(key).is_some_and(|found| matches(wanted, found)))
        }
        _ => wanted == found,
    }
}

/// Returns true if `text` has the form `2026-01-02T03:04:05Z`.
fn is_time(text: &str) -> bool {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    shape == "0000-00-00T00:00:00Z"
}

/// The case with the root in place of `$R`.
fn placed(value: &Value, root: &str) -> Value {
    match value {
        Value::String(text) => text.replace("$R", root).into(),
        Value::Array(items) => items.iter().map(|item| placed(item, root)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, value)| (key.clone(), placed(value, root))).collect()
        }
        other => other.clone(),
    }
}

fn answer(case: &Value) -> String {
    if let Some(text) = case["answer"].as_str() {
        return text.to_owned();
    }
    let mut answer = Answer::new();
    for action in case["actions"].as_array().unwrap() {
        let mut parameters: Vec<(&str, String)> = Vec::new();
        for (name, value) in action.as_object().unwrap().iter().filter(|(name, _)| *name != "action") {
            let text = match value {
                Value::String(text) => text.clone(),
                // A long text: ["piece", times].
                Value::Array(repeat) => repeated(repeat),
                other => other.to_string(),
            };
            parameters.push((name, text));
        }
        let parameters: Vec<_> = parameters.iter().map(|(name, value)| (*name, value.as_str())).collect();
        answer = answer.action(action["action"].as_str().unwrap(), &parameters);
    }
    answer.text().to_owned()
}

fn repeated(repeat: &[Value]) -> String {
    repeat[0].as_str().unwrap().repeat(usize::try_from(repeat[1].as_u64().unwrap()).unwrap())
}

/// A file of a case; `None` for one that is gone.
fn file(value: &Value) -> Option<Entry> {
    let fields = match value {
        Value::Null => return Some(Entry::Folder),
        Value::String(text) => return Some(Entry::text(text)),
        Value::Object(fields) => fields,
        other => panic!("not a file: {other}"),
    };
    if fields.contains_key("gone") {
        return None;
    }
    if let Some(target) = fields.get("link") {
        return Some(Entry::Link(target.as_str().unwrap().into()));
    }
    if fields.contains_key("fifo") {
        return Some(Entry::Fifo);
    }
    let mode = fields.get("mode").map(|mode| u32::from_str_radix(mode.as_str().unwrap(), 8).unwrap());
    let bytes = match (fields.get("hex"), fields.get("repeat"), fields.get("text")) {
        (Some(hex), None, None) => hex
            .as_str()
            .unwrap()
            .split_ascii_whitespace()
            .map(|byte| u8::from_str_radix(byte, 16).unwrap())
            .collect(),
        (None, Some(repeat), None) => repeated(repeat.as_array().unwrap()).into_bytes(),
        (None, None, text) => text.map_or("", |text| text.as_str().unwrap()).as_bytes().to_vec(),
        _ => panic!("not a file: {value}"),
    };
    Some(Entry::File { bytes, mode })
}
