//! Answers with the mistakes that models make: each is done as meant, refused with the reason, or named. The
//! project's own cases are in `tests/data/mistakes`; more are read from the folder that `CLADA_CONFORMANCE`
//! names.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{Connection, World, skipped};

/// Files of a project by their paths, each without its final newline: one more or less is no difference here.
type Files = BTreeMap<String, String>;

/// The outcome of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The files are as they were meant to be.
    Done,
    /// There is an error, a warning or an entry of `notRead`; no more was changed than that allows.
    Refused,
    /// No edit was meant, and nothing was changed or reported.
    Quiet,
    /// Nothing was changed and nothing was reported.
    Silent,
    /// Changed otherwise, or reported something where nothing was meant.
    Wrong,
}

#[test]
fn answers_with_mistakes_are_done_refused_or_named() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/mistakes");
    hold(&["cases.json", "modules.json", "website.json"].map(|name| own.join(name)));
}

#[test]
fn further_answers_with_mistakes_are_done_refused_or_named() {
    let Some(folder) = std::env::var_os("CLADA_CONFORMANCE") else {
        return skipped("model-mistakes", "CLADA_CONFORMANCE is not set");
    };
    let cases = Path::new(&folder).join("model-mistakes.json");
    if !cases.exists() {
        return skipped("model-mistakes", "the file is not there");
    }
    hold(&[cases]);
}

#[test]
fn what_is_not_read_is_named_with_the_reason_and_a_next_step() {
    let world = World::new();
    world.lay("a.txt", "one\ntwo\n");
    let answers = [
        "<PlandexBlock lang=\"txt\" path=\"a.txt\">\none\nTWO\n</PlandexBlock>\n",
        "a.txt\n<<<<<<< HEAD\ntwo\n=======\nTWO\n>>>>>>> new\n",
        "<<<<<<< a.txt\ntwo\n=======\nTWO\n>>>>>>> new\n",
        "```\n***************\n*** 1,2 ****\n  one\n! two\n--- 1,2 ----\n  one\n! TWO\n```\n",
        "```python\nwrite_file(path=\"a.txt\", content=\"TWO\")\n```\n",
        "a.txt\n```\n\\<<<<<<< SEARCH\ntwo\n=======\nTWO\n\\>>>>>>> REPLACE\n```\n",
        "`a.txt`:\n```\n2c2\n< two\n---\n> TWO\n```\n",
        "```diff\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n```\n",
        "{\"name\": \"Edit\", \"arguments\": {\"file_path\": \"a.txt\", \"old_string\": \"two\"}}\n",
        "<invoke name=\"bash\"><parameter name=\"command\">rm a.txt</parameter></invoke>\n",
        "│ a.txt            │\n│ ```              │\n│ <<<<<<< SEARCH   │\n│ two              │\n│ =======          │\n\
         │ TWO              │\n│ >>>>>>> REPLACE  │\n│ ```              │\n",
        "*** Update File: a.txt\n@@\n-two\n+TWO\n",
        "```sh\nsed -i 's/two/TWO/' a.txt\n```\n",
        "What Dependabot proposes:\n\na.txt\n```\n<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE\n```\n",
    ];
    let mut shown = String::new();
    for answer in answers {
        let ran = world.run(&["apply"], answer);
        assert_ne!(ran.code, 0, "{answer}\n{ran:?}");
        shown.extend(
            ran.stdout.lines().filter(|line| line.starts_with("NOT ")).map(|line| format!("{line}\n")),
        );
        assert_eq!(world.read("a.txt"), "one\ntwo\n", "{answer}");
    }
    expect![[r#"
        NOT READ: a.txt, line 1: clada does not read files from this element: write the change as an edit block (tool_call)
        NOT READ: a.txt, line 2: Conflict markers are not an edit: put the path above `<<<<<<< SEARCH`, and end with `>>>>>>> REPLACE` (unknown_element)
        NOT READ: a.txt, line 1: Conflict markers are not an edit: put the path above `<<<<<<< SEARCH`, and end with `>>>>>>> REPLACE` (unknown_element)
        NOT READ: a.txt, line 2: This call of `write_file` is written as code: write it as JSON (tool_call)
        NOT APPLIED: a.txt, lines 2–8: part of the file: the code holds the marks of an edit block or of a conflict. Ask for the whole file or a SEARCH/REPLACE block; `--copy` puts that request on the clipboard
        NOT APPLIED: a.txt, lines 2–7: part of the file: the code is a diff without `-` and `+`, which clada does not read. Ask for the whole file or a SEARCH/REPLACE block; `--copy` puts that request on the clipboard
        NOT APPLIED: lines 1–6: a diff that names no file. Ask for the whole file or a SEARCH/REPLACE block; `--copy` puts that request on the clipboard
        NOT READ: a.txt, line 1: This call of `Edit` is not read: `new_string` is missing (tool_call)
        NOT READ: line 1: This call of `bash` is not read: what runs commands is not run from calls (tool_call)
        NOT READ: line 3: The lines have a frame around them (`│`): copy the answer without it (escaped)
        NOT READ: a.txt, line 1: clada reads this operation only in a patch: put `*** Begin Patch` before it and `*** End Patch` after its lines (unknown_element)
        NOT READ: a.txt, line 2: clada does not run commands in a listing: write the change as an edit of the file (shell_edit)
        NOT READ: a.txt, line 5: The words around this edit say that it is history, rejected, or somebody else's (“What Dependabot proposes:”): to apply it, copy the block alone (refused)
    "#]].assert_eq(&shown);
}

#[test]
fn prose_asks_for_no_edit() {
    let text = include_str!("../data/mistakes/prose.md");
    let mut before = Files::new();
    let mut answers = Vec::new();
    for part in text.split("%%%% ").skip(1) {
        let (name, body) = part.split_once('\n').unwrap();
        match name.split_once(' ').unwrap() {
            ("file", path) => drop(before.insert(path.to_owned(), body.to_owned())),
            ("answer", name) => answers.push((name, body)),
            (other, _) => panic!("{other}"),
        }
    }
    assert!(answers.len() >= 50, "{}", answers.len());
    hold_quiet("prose", &before, answers);
}

/// The project's own documents, as a user might paste them into a chat.
#[test]
fn our_documents_ask_for_no_edit() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut before = Files::new();
    for folder in ["docs", "examples", "tests/bench", "schema"] {
        before.extend(on_disk(&top.join(folder), top));
    }
    let files = std::fs::read_dir(top).unwrap().map(|entry| entry.unwrap().path());
    for path in files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md" || extension == "toml"))
    {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        before.insert(name, std::fs::read_to_string(&path).unwrap());
    }
    let world = World::with_config("durability: fast\n");
    let mut daemon = world.connect();
    let root = world.path("own");
    let documents: Vec<&String> =
        before.keys().filter(|name| name.ends_with(".md") && !name.starts_with("examples/")).collect();
    assert!(documents.len() >= 7, "{documents:?}");
    for name in documents {
        let case = json!({ "answer": before[name] });
        let (_, result) = carry_out(&mut daemon, &case, before.clone(), &root);
        let named =
            result["notRead"].as_array().into_iter().flatten().filter(|found| found["kind"] != "proposal");
        assert_eq!(named.count(), 0, "{name}: {}", result["notRead"]);
        assert_eq!(on_disk(&root, &root), before, "{name}");
    }
}

/// Asserts that no edit is meant by any of `answers`, each by its name, over a project of the files `before`.
fn hold_quiet<'t>(name: &str, before: &Files, answers: impl IntoIterator<Item = (&'t str, &'t str)>) {
    let world = World::with_config("durability: fast\n");
    let mut daemon = world.connect();
    let root = world.path(name);
    let mut bad = String::new();
    for (name, answer) in answers {
        let case = json!({ "answer": answer, "quiet": true });
        let (outcome, result) = carry_out(&mut daemon, &case, before.clone(), &root);
        if outcome != Outcome::Quiet {
            writeln!(bad, "{name}: {}\n{}\n", result["notRead"], result["results"]).unwrap();
        }
    }
    assert!(bad.is_empty(), "{bad}");
}

/// Carries out the cases in the files and fails if one is silent or wrong.
fn hold(paths: &[PathBuf]) {
    let world = World::with_config("durability: fast\n");
    let mut daemon = world.connect();
    let bad: String = paths.iter().map(|path| bad_of(path, &world, &mut daemon)).collect();
    assert!(bad.is_empty(), "{bad}");
}

/// Carries out the cases in the file, each in a project of its own, and prints the number of each outcome.
/// Yields those that are silent or wrong.
#[allow(clippy::print_stdout, reason = "whoever runs the tests is to see the table")]
fn bad_of(path: &Path, world: &World, daemon: &mut Connection) -> String {
    let data: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let set = path.file_stem().unwrap().to_str().unwrap();
    let mut bad = String::new();
    let mut counts = BTreeMap::new();
    for (number, case) in data["cases"].as_array().unwrap().iter().enumerate() {
        let root = world.path(&format!("{set}/{number}/orders"));
        let (outcome, result) =
            carry_out(daemon, case, files(&case["files"], &files(&data["files"], &Files::new())), &root);
        *counts.entry(outcome).or_insert(0) += 1;
        if matches!(outcome, Outcome::Silent | Outcome::Wrong) {
            let said =
                json!([result["results"], result["parseErrors"], result["warnings"], result["notRead"]]);
            writeln!(bad, "{}: {outcome:?}\n{}\n{said}\n", case["name"], case["answer"]).unwrap();
        }
    }
    println!("{}: {counts:?}", path.display());
    bad
}

fn carry_out(daemon: &mut Connection, case: &Value, before: Files, root: &PathBuf) -> (Outcome, Value) {
    for (name, text) in &before {
        let path = root.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(root).unwrap();
    let text = case["answer"].as_str().unwrap().replace("@ROOT@", root.to_str().unwrap());
    let mut params = json!({ "root": root, "text": text });
    let flags: Vec<&str> = case["flags"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let dialects: Vec<&str> =
        flags.windows(2).filter(|pair| pair[0] == "--dialect").map(|pair| pair[1]).collect();
    assert_eq!(flags.len(), 2 * dialects.len(), "{flags:?}: only --dialect is known here");
    if !dialects.is_empty() {
        params["dialects"] = json!(dialects);
    }
    let result = daemon.call("execute", &params);
    let before = without_final_newlines(before);
    let after = without_final_newlines(on_disk(root, root));
    (judge(case, &before, &after, &result), result)
}

/// Returns the outcome of a case that left the files `after`.
fn judge(case: &Value, before: &Files, after: &Files, result: &Value) -> Outcome {
    let list = |key: &str| result[key].as_array().map_or(0, Vec::len);
    let failed = list("parseErrors")
        + result["results"].as_array().unwrap().iter().filter(|result| result["success"] != true).count();
    let in_part = |result: &Value| !result["withinLine"].is_null() || result["unchanged"] == true;
    let noted = list("warnings") > 0 || result["results"].as_array().unwrap().iter().any(in_part);
    let said = failed > 0 || noted || list("notRead") > 0;
    let meant = ["after", "means"].iter().filter(|key| !case[**key].is_null());
    let meant: Vec<Files> = meant.map(|key| without_final_newlines(files(&case[*key], before))).collect();
    if case["quiet"] == true {
        // A proposal is a question, and no edit.
        let named =
            result["notRead"].as_array().into_iter().flatten().filter(|found| found["kind"] != "proposal");
        let quiet = after == before && failed == 0 && named.count() == 0;
        return if quiet { Outcome::Quiet } else { Outcome::Wrong };
    }
    if meant.contains(after) && meant != [before.clone()] {
        Outcome::Done
    } else if after == before {
        if said { Outcome::Refused } else { Outcome::Silent }
    } else if failed > 0 || list("notRead") > 0 || meant.is_empty() && noted {
        // If the intention is unknowable, a report of the changes is enough.
        Outcome::Refused
    } else {
        Outcome::Wrong
    }
}

/// Returns `before` with the files of `changes`; null removes one.
fn files(changes: &Value, before: &Files) -> Files {
    let mut files = before.clone();
    for (name, text) in changes.as_object().into_iter().flatten() {
        match text.as_str() {
            Some(text) => files.insert(name.clone(), text.to_owned()),
            None => files.remove(name),
        };
    }
    files
}

fn without_final_newlines(files: Files) -> Files {
    let trimmed = |text: String| text.strip_suffix('\n').map_or_else(|| text.clone(), str::to_owned);
    files.into_iter().map(|(name, text)| (name, trimmed(text))).collect()
}

/// All files below the folder, by their paths from the root.
fn on_disk(folder: &Path, root: &Path) -> Files {
    let mut found = Files::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(on_disk(&path, root));
        } else if path.extension().is_none_or(|extension| extension != "png") {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            found.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    found
}
