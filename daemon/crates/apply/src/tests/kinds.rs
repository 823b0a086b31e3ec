//! Kinds of answers that once ended wrong with SUCCESS, or cost a try: each with its neighbours, applied whole.

use std::collections::BTreeMap;

use super::*;

type Files<'f> = &'f [(&'f str, &'f str)];

/// Files, an answer, and all files afterwards; `None`: they stay, and the answer fails.
type Case<'c> = (Files<'c>, String, Option<Files<'c>>);

fn check(cases: &[Case<'_>]) {
    for (files, text, expected) in cases {
        let project = Project::with(files);
        let answer = Reading::new(None, &Settings::default()).unwrap().read(text);
        let is_read = answer.errors.is_empty();
        let result = project.carry_out(answer);
        let all = |files: Files<'_>| -> BTreeMap<String, String> {
            files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        assert_eq!(project.all_files(), all(expected.unwrap_or(files)), "{text}\n{result:#?}");
        let is_done = is_read && result.success && !result.results.is_empty();
        assert_eq!(is_done, expected.is_some(), "{text}\n{result:#?}");
    }
}

const THREE: &str = "alpha\nbeta\ngamma\n";
const CHANGED: &str = "alpha\nBETA\ngamma\n";
const DIFF: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n";
const BLOCK: &str = "a.txt\n```\n<<<<<<< SEARCH\nbeta\n=======\nBETA\n>>>>>>> REPLACE\n```\n";

/// An answer after which `a.txt` with three lines has the second one changed.
fn changes(text: impl Into<String>) -> Case<'static> {
    (&[("a.txt", THREE)], text.into(), Some(&[("a.txt", CHANGED)]))
}

#[test]
fn regression_a_removal_by_diff_n_removes() {
    let removal = |time: &str| {
        format!("diff -ruN a/f b/f\n--- a/f\t1982-09-16 15:00:00 +0000\n+++ b/f\t{time}\n@@ -1 +0,0 @@\n-x\n")
    };
    let one: Files<'_> = &[("f", "x\n")];
    check(&[
        (one, removal("1970-01-01 00:00:00.000000000 +0000"), Some(&[])),
        (one, removal("1970-01-01 01:00:00.000000000 +0100"), Some(&[])),
        (one, removal("1969-12-31 19:00:00.000000000 -0500"), Some(&[])),
        (one, removal("Thu Jan  1 00:00:00 1970"), Some(&[])),
        (one, format!("```diff\n{}```\n", removal("1970-01-01 00:00:00 +0000")), Some(&[])),
        (
            one,
            removal("1970-01-01 00:00:00 +0000").replace("a/f\t", "f.orig\t").replace("b/f\t", "f\t"),
            Some(&[]),
        ),
        // An empty file stays, as do lines that the diff does not have.
        (one, removal("1999-01-01 00:00:00 +0000"), Some(&[("f", "")])),
        (one, removal("1970-01-01 00:00:01 +0000"), Some(&[("f", "")])),
        (&[("f", "x\nmore\n")], removal("1970-01-01 00:00:00 +0000"), None),
        (&[("f", "other\n")], removal("1970-01-01 00:00:00 +0000"), None),
    ]);
}

#[test]
fn regression_appended_texts_never_join_on_a_line() {
    let append = |texts: &[&str]| -> String {
        let block = |text: &&str| {
            format!(
                "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_append\"\npath = \"f\"\ncontent = {}\n\
                 #!END_SHAM_k7m\n\n",
                serde_json::Value::from(*text)
            )
        };
        texts.iter().map(block).collect()
    };
    check(&[
        (&[("f", "a\n")], append(&["one", "two"]), Some(&[("f", "a\none\ntwo")])),
        (&[("f", "a\n")], append(&["one", "two", "three"]), Some(&[("f", "a\none\ntwo\nthree")])),
        (&[], append(&["one", "two"]), Some(&[("f", "one\ntwo")])),
        (&[("f", "a")], append(&["one", "two"]), Some(&[("f", "aone\ntwo")])),
        (&[("f", "a\r\n")], append(&["one", "two"]), Some(&[("f", "a\r\none\r\ntwo")])),
        (&[("f", "a\n")], append(&["one\n", "two\n"]), Some(&[("f", "a\none\ntwo\n")])),
        (&[("f", "a\n")], append(&["one", "\ntwo"]), Some(&[("f", "a\none\ntwo")])),
    ]);
}

#[test]
fn regression_line_ends_that_were_translated_twice_are_no_content() {
    let twice = |text: &str| text.replace('\n', "\r\r\n");
    let sham = "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_write\"\npath = \"n.txt\"\ncontent = <<'EOT_SHAM_k7m'\n\
                x\ny\nEOT_SHAM_k7m\n#!END_SHAM_k7m\n";
    check(&[
        changes(twice(BLOCK)),
        changes(twice(DIFF)),
        changes(twice("*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+BETA\n*** End Patch\n")),
        (&[], twice(sham), Some(&[("n.txt", "x\ny\n")])),
        (
            &[],
            twice("n.txt\n```\n<<<<<<< SEARCH\n=======\nx\ny\n>>>>>>> REPLACE\n```\n"),
            Some(&[("n.txt", "x\ny\n")]),
        ),
        (&[("a.txt", "alpha\r\nbeta\r\n")], twice(BLOCK), Some(&[("a.txt", "alpha\r\nBETA\r\n")])),
    ]);
}

#[test]
fn regression_damage_to_a_whole_answer_is_undone() {
    let coloured = "\x1b[1m--- a/a.txt\x1b[m\n\x1b[1m+++ b/a.txt\x1b[m\n\x1b[36m@@ -1,3 +1,3 @@\x1b[m\n alpha\x1b[m\n\
                    \x1b[31m-beta\x1b[m\n\x1b[32m+\x1b[m\x1b[32mBETA\x1b[m\n gamma\x1b[m\n";
    let mut cases = vec![
        changes(coloured),
        changes(
            BLOCK
                .replace("<<<<<<< SEARCH", "\x1b[33m<<<<<<< SEARCH\x1b[0m")
                .replace("a.txt", "\x1b[1ma.txt\x1b[0m"),
        ),
    ];
    for blank in ['\u{a0}', '\u{2009}', '\u{202f}', '\u{3000}', '\u{2003}'] {
        let blanks = BLOCK.replace("< SEARCH", &format!("<{blank}SEARCH"));
        cases.push(changes(blanks.replace("> REPLACE", &format!(">{blank}REPLACE"))));
    }
    check(&cases);
    // Written whole, such markers are a patch and no file.
    for blank in ['\u{a0}', '\u{202f}', ' '] {
        let markers = format!("<<<<<<<{blank}SEARCH\nx\n=======\ny\n>>>>>>>{blank}REPLACE\n");
        let project = Project::with(&[("f.py", "x\n")]);
        let result = project.execute(&[file_write("f.py", &markers)]);
        assert!(!result.success && project.text("f.py").as_deref() == Some("x\n"), "{result:#?}");
    }
}

#[test]
fn regression_json_of_calls_may_have_slips() {
    let edit = |old: &str, new: &str| {
        format!(
            "{{\"name\":\"Edit\",\"input\":{{\"file_path\":\"a.txt\",\"old_string\":\"{old}\",\"new_string\":\"{new}\""
        )
    };
    check(&[
        changes(edit("beta\ngamma", "BETA\ngamma") + "}}"),
        changes(edit("beta\r\ngamma", "BETA\r\ngamma") + "}}"),
        changes(edit("beta", "BETA") + ",},}"),
        changes(format!("```json\n{}\n}}}}\n```\n", edit("alpha\nbeta", "alpha\nBETA") + ",")),
        (&[("a.txt", "\ta\n")], edit("\ta", "\tb") + "}}", Some(&[("a.txt", "\tb\n")])),
        (&[("a.txt", THREE)], edit("be\"ta\n", "BETA") + "}}", None),
        (&[("a.txt", THREE)], edit("beta", "BE"), None),
    ]);
}

#[test]
fn regression_a_diff_is_read_without_what_models_leave_out() {
    let git = DIFF.replace("--- a/a.txt\n+++ b/a.txt", "diff --git a/a.txt b/a.txt");
    let one_more = DIFF.replace("-1,3 +1,3", "-1,4 +1,4");
    let bare = one_more.trim_end();
    let fenced = format!("```diff\n{one_more}```\n");
    let two: Files<'_> = &[("a.txt", THREE), ("b.txt", THREE)];
    let both: Option<Files<'_>> = Some(&[("a.txt", CHANGED), ("b.txt", CHANGED)]);
    check(&[
        changes(&*git),
        changes(format!("```diff\n{git}```\n")),
        changes(git.replace("@@ -1,3 +1,3 @@", "@@")),
        changes(git.replace("@@ -1,3", "index 12..34 100644\n@@ -1,3")),
        (two, format!("{git}{}", git.replace("a.txt", "b.txt")), both),
        changes(bare),
        changes(&*one_more),
        changes(format!("{fenced}```\n")),
        changes(format!("{fenced}```\n\nDone.\n")),
        (two, format!("{fenced}{}", fenced.replace("a.txt", "b.txt")), both),
        (two, format!("{fenced}{}", fenced.replace("a.txt", "b.txt")).replace("```diff", "```"), both),
        // A new line that was cut off would be written as it is.
        (
            &[("a.txt", "alpha\nbeta\n")],
            "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n alpha\n-beta\n+BE".into(),
            None,
        ),
    ]);
}

#[test]
fn regression_a_whole_block_is_done_before_a_broken_one() {
    // In a file that may hold fences, the second REPLACE may be that of the first block.
    let [block, diff] = [BLOCK, DIFF].map(|text| text.replace("a.txt", "a.py"));
    let broken = "a.py\n```\nalpha\n=======\nALPHA\n>>>>>>> REPLACE\n```\n";
    for text in [
        format!("{block}\n{broken}"),
        format!("{block}\na.py\n```\n<<<<<<< SEARCH\nalpha\n>>>>>>> REPLACE\n```\n"),
        format!("{block}\na.py\n```\n<<<<<<< SEARCH\nalpha\n=======\nAL"),
        format!("{diff}\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n alpha\n-be"),
        format!(
            "{block}\n#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_write\"\npath = \n#!END_SHAM_k7m\n"
        ),
    ] {
        let project = Project::with(&[("a.py", THREE)]);
        let answer = Reading::new(None, &Settings::default()).unwrap().read(&text);
        assert!(!answer.errors.is_empty(), "{text}");
        let result = project.carry_out(answer);
        assert_eq!(project.text("a.py").as_deref(), Some(CHANGED), "{text}\n{result:#?}");
    }
}

#[test]
fn regression_whole_lines_match_whatever_their_ends_are() {
    for (file, old, new, expected) in [
        ("a\r\nb\nc\r\n", "a\nb", "A\nb", "A\r\nb\nc\r\n"),
        ("a\r\nb\nc\r\n", "b\nc\n", "B\nC\n", "a\r\nB\nC\r\n"),
        ("a\nb\nc\n", "a\r\nb\r\n", "A\r\nb\r\n", "A\nb\nc\n"),
        ("a\nb\r\nc\n", "a\nb\nc", "a\nx\nb\nc", "a\nx\nb\r\nc\n"),
        ("a\r\nb\nc", "a\nb\nc", "a\nb\nC", "a\r\nb\nC"),
    ] {
        let project = Project::with(&[("f", file)]);
        let result = project.execute(&[replace("f", old, new)]);
        assert!(result.success, "{file:?}: {result:#?}");
        assert_eq!(project.text("f").as_deref(), Some(expected), "{file:?}");
    }
    // Parts of lines are exact, and two places are ambiguous.
    for (file, old) in [("a\r\nbc\n", "a\nb"), ("a\r\nb\na\r\nb\n", "a\nb\n")] {
        let project = Project::with(&[("f", file)]);
        assert!(!project.execute(&[replace("f", old, "x")]).success, "{file:?}");
        assert_eq!(project.text("f").as_deref(), Some(file));
    }
}

#[test]
fn regression_a_link_names_its_target() {
    let block = |line: &str| BLOCK.replacen("a.txt", line, 1);
    let routes: Files<'_> = &[("app/[id]/p.tsx", THREE)];
    check(&[
        changes(block("[a.txt](a.txt)")),
        changes(block("**[the file](./a.txt):**")),
        changes(block("### [a.txt](a.txt)")),
        changes(block("- [a.txt](a.txt)")),
        (routes, block("[app/[id]/p.tsx](app/[id]/p.tsx)"), Some(&[("app/[id]/p.tsx", CHANGED)])),
        (&[("a.txt", THREE)], block("[a.txt](https://example.org/a.txt)"), None),
    ]);
}

#[test]
fn regression_a_write_without_its_end_takes_in_nothing_that_follows() {
    let (open, none): (_, Files<'_>) = ("<---WRITE file=\"a.txt\"--->\none\n", &[]);
    let next = "<---WRITE file=\"b.txt\"--->\ntwo\n<---END--->\n";
    let search = "<---SEARCH file=\"b.txt\"--->\nx\n<---REPLACE--->\ny\n<---END--->\n";
    check(&[
        (none, format!("{open}{next}"), None),
        (none, format!("{open}\nAnd the second:\n\n{next}"), None),
        (none, format!("{open}{search}"), None),
        (&[("a.txt", "old\n"), ("b.txt", "x\n")], format!("{open}{search}"), None),
        (none, format!("{next}{open}{next}"), None),
        (none, format!("{open}<---REPLACE--->\n<---END--->\n"), None),
    ]);
}

#[test]
fn regression_an_edit_that_changes_nothing_is_unchanged() {
    for text in [
        BLOCK.replace("BETA", "beta"),
        DIFF.replace("BETA", "beta"),
        r#"{"name":"Edit","input":{"file_path":"a.txt","old_string":"beta","new_string":"beta"}}"#.to_owned(),
        r#"{"name":"Write","input":{"file_path":"a.txt","content":"alpha\nbeta\ngamma\n"}}"#.to_owned(),
        "*** Begin Patch\n*** Update File: a.txt\n@@\n alpha\n-beta\n+beta\n*** End Patch\n".to_owned(),
        "<<<FILE>>>\na.txt\n<<<SEARCH>>>\nbeta\n<<<REPLACE>>>\nbeta\n<<<END>>>\n".to_owned(),
        "<---SEARCH file=\"a.txt\"--->\nbeta\n<---REPLACE--->\nbeta\n<---END--->\n".to_owned(),
    ] {
        let project = Project::with(&[("a.txt", THREE)]);
        let answer = Reading::new(None, &Settings::default()).unwrap().read(&text);
        let result = project.carry_out(answer);
        assert_eq!(results_of(&result), ["unchanged"], "{text}");
        assert_eq!(project.text("a.txt").as_deref(), Some(THREE));
        if let Some(count) = data(&result.results[0]).get("replacements") {
            assert_eq!(count, 0, "{text}");
        }
    }
}
