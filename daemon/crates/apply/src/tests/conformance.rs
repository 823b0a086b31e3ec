//! Answers as models give them, applied to the files that they are for, if `CLADA_CONFORMANCE` names the
//! folder that holds them.
//!
//! What comes of a case is what its own peer made of it, unless [`OTHERWISE`] says what clada has to do. An
//! error changes nothing; where one block of several fails, the others stay.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::*;

/// The cases in which clada differs from the peer: what may come of a case, as the texts that are replaced in
/// its files.
const OTHERWISE: &[(&str, &[Outcome])] = &[
    // Paths: one blank line is nothing, a slip or a file out of the root is an error.
    ("fn-typo", UNCHANGED),
    ("fn-blank-between", &[&[RE]]),
    ("fn-missing-single-chat-file", UNCHANGED),
    ("fn-ambiguous-basename", UNCHANGED),
    ("fn-dotgit", UNCHANGED),
    ("fn-wrong-file-right-content", UNCHANGED),
    // Markers of other tools, of other lengths, in lists.
    ("mk-4chars", &[&[RE]]),
    ("mk-dashes", &[&[RE]]),
    ("mk-list-indented", &[&[RE]]),
    ("mk-git-head", UNCHANGED),
    ("mk-divider-in-content", UNCHANGED),
    ("mk-first-good-second-truncated", &[&[RE]]),
    ("think-tags", &[&[RE]]),
    // Content that almost matches.
    ("ct-html-escaped-content", &[&[("a.html", "Hi", "Yo")]]),
    ("ct-ambiguous-many", UNCHANGED),
    // Three blank lines are to go where there are two: which, and why not one more, is not clear.
    ("ct-trailing-blank-search", UNCHANGED),
    ("ct-trailing-ws-file", &[&[("a.txt", "bar", "baz")]]),
    ("ct-missing-blank-lines", &[&[("a.py", "def hello(name)", "def hi(name)")], &[]]),
    ("ct-nbsp-file", &[&[("a.txt", "a\u{a0}b", "c d")]]),
    ("ct-line-numbers", &[&[RE]]),
    ("ct-smart-quotes-search", &[&[("a.py", "print(\"Hello\", name)", "print(\"Hi\", name)")], &[]]),
    ("ct-dotdotdot-comment", &[&[("a.py", "class Greeter:", "class Greeter2:")], &[]]),
    ("nf-append-existing", UNCHANGED),
    ("nf-missing-file-with-search", UNCHANGED),
    // Line ends stay as they are.
    ("nl-no-trailing-newline-first", &[&[("a.txt", "a\nb", "c\nb")]]),
    ("nl-crlf-both", &[&[("a.txt", "b", "B")]]),
    ("nl-cr-only", &[&[("a.txt", "b", "B")], &[]]),
    ("nl-u2028-search", &[&[("a.txt", "a\u{2028}b", "Z")]]),
    // Diffs: with or without a fence, whole files or nothing, one place or none.
    ("diff-git-header", &[&[JSON]]),
    ("no-fence", &[&[JSON]]),
    ("plain-fence", &[&[JSON]]),
    ("unclosed-fence", &[&[JSON], &[]]),
    ("rename-header", UNCHANGED),
    ("ambiguous-small", UNCHANGED),
    ("missing-blank-line", &[&[JSON], &[]]),
    ("stale-context", UNCHANGED),
    ("ok-and-fail", UNCHANGED),
    ("no-final-newline-marker", &[&[("a.txt", "b", "c")]]),
    ("crlf-diff", &[&[("a.txt", "b", "B")]]),
    ("missing-file", UNCHANGED),
    ("fence-unprefixed-in-content", &[&[("a.md", "1", "2")], &[]]),
    ("crlf-file", &[&[("a.txt", "b", "c")]]),
    // Listings: never without a path of their own, never a part of a file.
    ("no-name-one-chat", UNCHANGED),
    ("mention-then-block", UNCHANGED),
    ("unclosed", UNCHANGED),
    ("sentence-before", UNCHANGED),
    ("code-sample-not-file", UNCHANGED),
    ("long-name", UNCHANGED),
    ("elided", UNCHANGED),
];

/// Replacements in files: the file, what goes and what comes.
type Outcome = &'static [(&'static str, &'static str, &'static str)];

const UNCHANGED: &[Outcome] = &[&[]];
const RE: (&str, &str, &str) = ("a.py", "import os", "import re");
const JSON: (&str, &str, &str) = ("a.py", "import sys", "import json");

#[test]
fn answers_of_search_and_replace_blocks() {
    hold("aider-editblock", None);
}

#[test]
fn answers_of_diffs() {
    hold("aider-udiff", None);
}

#[test]
fn answers_of_listings() {
    hold("aider-wholefile", Some("whole_file"));
}

/// Carries out the cases in `file`.
fn hold(file: &str, dialect: Option<&str>) {
    let Some(folder) = std::env::var_os("CLADA_CONFORMANCE") else {
        println!("CLADA_CONFORMANCE is not set: {file} is absent and was not compared");
        return;
    };
    let path = Path::new(&folder).join(format!("{file}.json"));
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("{} is absent and was not compared", path.display());
        return;
    };
    let named = dialect.map(|dialect| vec![dialect.to_owned()]);
    let reading = Reading::new(named.as_deref(), &Settings::default()).unwrap();
    let data: Value = serde_json::from_str(&text).unwrap();
    let wrong: Vec<String> = data["cases"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|case| {
            let before = files(&case["files"]);
            let mut project = Project::new();
            if dialect.is_some() {
                project.rules.plain.rule = PlainRule::Apply;
            }
            before.iter().for_each(|(name, text)| project.write(name, text));
            let result = project.carry_out(reading.read(case["response"].as_str().unwrap()));
            let after = project.all_files();
            let mut allowed = allowed(case, &before);
            // What removes more than half of a file waits for a question.
            if dialect.is_some() {
                allowed.push(before.clone());
            }
            let reported = (results_of(&result), &result.parse_errors);
            (!allowed.contains(&after))
                .then(|| format!("{}: {after:#?}\nis none of {allowed:#?}\n{reported:#?}", case["name"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{} cases of {file}:\n{}", wrong.len(), wrong.join("\n"));
}

pub(super) type Files = BTreeMap<String, String>;

fn files(value: &Value) -> Files {
    let entries = value.as_object().into_iter().flatten();
    entries.map(|(name, text)| (name.clone(), text.as_str().unwrap().to_owned())).collect()
}

/// The files that may come of a case.
fn allowed(case: &Value, before: &Files) -> Vec<Files> {
    let otherwise = OTHERWISE.iter().find(|(name, _)| case["name"] == *name);
    let Some((_, outcomes)) = otherwise else {
        let peer = &case["aider"];
        let changes = peer["outcome"] == "ok";
        return vec![if changes { files(&peer["after"]) } else { before.clone() }];
    };
    let outcome = |replaced: &Outcome| {
        let mut after = before.clone();
        for (name, old, new) in *replaced {
            let text = after.get_mut(*name).unwrap();
            assert!(text.contains(old), "{name} has no {old}");
            *text = text.replacen(old, new, 1);
        }
        after
    };
    outcomes.iter().map(outcome).collect()
}
