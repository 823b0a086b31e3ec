//! Answers of three files in which the section of the second is damaged: each file that the answer names is
//! changed by a sound block, or named by a diagnostic (spec: answers, section 4).

#![allow(clippy::unwrap_used, reason = "what is missing fails the test")]

use clada_dialects::{Bounds, Candidate, Choice, Policy, parse};

const PATHS: [&str; 3] = ["src/first.py", "src/second.py", "src/third.py"];

/// The section of the file at `path`, in a dialect.
type Section = fn(&str) -> String;

fn diff(path: &str) -> String {
    format!(
        "--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n import os\n-old({path:?})\n+new({path:?})\n print(1)\n"
    )
}

fn fenced_diff(path: &str) -> String {
    format!("```diff\n{}```\n\n", diff(path))
}

fn git_diff(path: &str) -> String {
    format!("diff --git a/{path} b/{path}\nindex 1234567..89abcde 100644\n{}", diff(path))
}

fn block(path: &str) -> String {
    format!(
        "{path}\n```python\n<<<<<<< SEARCH\nold({path:?})\n=======\nnew({path:?})\n>>>>>>> REPLACE\n```\n\n"
    )
}

fn bare_block(path: &str) -> String {
    format!("{path}\n<<<<<<< SEARCH\nold({path:?})\n=======\nnew({path:?})\n>>>>>>> REPLACE\n\n")
}

fn update(path: &str) -> String {
    format!("*** Update File: {path}\n@@ def f():\n import os\n-old({path:?})\n+new({path:?})\n print(1)\n")
}

fn patch(path: &str) -> String {
    format!("*** Begin Patch\n{}*** End Patch\n\n", update(path))
}

fn fenced_patch(path: &str) -> String {
    format!("```\n*** Begin Patch\n{}*** End Patch\n```\n\n", update(path))
}

/// The text before the sections, the form of each section, and the text after them.
const ANSWERS: [(&str, Section, &str); 10] = [
    ("Here:\n\n```diff\n", diff, "```\n\nDone.\n"),
    ("Here:\n\n", diff, "\nDone.\n"),
    ("Here:\n\n```diff\n", git_diff, "```\n\nDone.\n"),
    ("Here:\n\n", fenced_diff, "Done.\n"),
    ("Here:\n\n", block, "Done.\n"),
    ("Here:\n\n", bare_block, "Done.\n"),
    ("Here:\n\n*** Begin Patch\n", update, "*** End Patch\n\nDone.\n"),
    ("Here:\n\n```\n*** Begin Patch\n", update, "*** End Patch\n```\n\nDone.\n"),
    ("Here:\n\n", patch, "Done.\n"),
    ("Here:\n\n", fenced_patch, "Done.\n"),
];

/// The ways in which a section with these lines is damaged.
fn damages(lines: &[&str]) -> Vec<Vec<String>> {
    let owned = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let mut all = Vec::new();
    for at in 0..lines.len() {
        let with = |new: &[String]| {
            let mut section = owned(&lines[..at]);
            section.extend_from_slice(new);
            section.extend(owned(&lines[at + 1..]));
            section
        };
        let line = lines[at];
        let half: String = line.chars().take(line.chars().count() / 2).collect();
        all.push(with(&[]));
        all.push(with(&[line.to_owned(), line.to_owned()]));
        all.push(with(std::slice::from_ref(&half)));
        all.push(with(&[format!(" {line}")]));
        all.push(with(&[format!("+{line}")]));
        all.push(with(&[line.get(1..).unwrap_or_default().to_owned()]));
        for strange in ["```", "some prose", "", "@@ -9,9 +9,9 @@", "=======", "*** End Patch", "- an item"] {
            all.push(with(&[strange.to_owned(), line.to_owned()]));
        }
        // Everything from here on, or down to here, is lost.
        all.push(owned(&lines[..at]));
        all.push(owned(&lines[at..]));
    }
    all
}

/// The files of `PATHS` that `answer` names, and that are neither changed nor reported.
fn lost(answer: &str) -> Vec<&'static str> {
    let parsed = parse(answer, &Bounds::default(), &Choice::Auto);
    let is_changed = |path: &str| {
        // Of a broken block that is all or nothing, the results name every member.
        let listed = parsed.blocks.iter().filter(|block| {
            let breaks = block.members.iter().any(|member| !member.valid);
            block.sound || block.policy == Policy::Atomic && block.end_line.is_some() && breaks
        });
        let mut actions = listed.flat_map(|block| &block.actions);
        actions.any(|action| action.field("path").is_some_and(|field| field.contains(path)))
    };
    let is_named = |path: &str| {
        let candidate = |of: &Candidate| of.path.as_deref().is_some_and(|of| of.contains(path));
        let shows = |one: &clada_dialects::plain::Candidate| {
            one.groups.iter().flat_map(|group| &group.mentions).any(|mention| mention.path.contains(path))
        };
        parsed.diagnostics.iter().any(|diagnostic| diagnostic.message.contains(path))
            || parsed.candidates.iter().any(candidate)
            || parsed.plain.candidates.iter().any(shows)
    };
    let is_written = |path: &str| answer.lines().any(|line| line.contains(path) && !line.contains('('));
    let all = PATHS.into_iter().filter(|path| is_written(path));
    all.filter(|path| !is_changed(path) && !is_named(path)).collect()
}

#[test]
fn each_file_is_changed_or_named() {
    let mut failed = Vec::new();
    let mut tried = 0;
    for (before, section, after) in ANSWERS {
        let [first, second, third] = PATHS.map(section);
        assert_eq!(lost(&format!("{before}{first}{second}{third}{after}")), [""; 0]);
        let lines: Vec<&str> = second.lines().collect();
        // A name alone is not a section.
        let is_section =
            |lines: &Vec<String>| lines.iter().any(|line| line.contains(['<', '=', '@', '+', '*']));
        for damaged in damages(&lines).into_iter().filter(is_section) {
            let answer = format!("{before}{first}{}\n{third}{after}", damaged.join("\n"));
            // With the answer cut off there, too.
            let cut = format!("{before}{first}{}", damaged.join("\n"));
            for answer in [answer, cut] {
                tried += 1;
                let lost = lost(&answer);
                if !lost.is_empty() {
                    let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
                    let told: Vec<String> = parsed
                        .diagnostics
                        .iter()
                        .map(|told| format!("{}: {}", told.line, told.message))
                        .collect();
                    failed.push(format!("##### {lost:?} {told:#?} {:#?}\n{answer}", parsed.candidates));
                }
            }
        }
    }
    let shown: Vec<&str> = failed.iter().take(20).map(String::as_str).collect();
    assert!(failed.is_empty(), "{} of {tried}\n{}", failed.len(), shown.join("\n"));
}
