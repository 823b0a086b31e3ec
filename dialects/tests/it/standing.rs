//! Blocks that the words around them report, reject, put off or take back.

use clada_dialects::plain::{Form, NoteKind};
use clada_dialects::{Bounds, Candidate, Choice, NotReadKind, Parse, parse};

const DIFF: &str = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n```\n";
const SEARCH: &str = "b.py\n```python\n<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n```\n";

fn read(answer: &str) -> Parse<'_> {
    parse(answer, &Bounds::default(), &Choice::Auto)
}

// Returns the paths of the blocks that are applied.
fn applied(answer: &str) -> Vec<String> {
    let path = |path: &str| path.trim_start_matches("b/").to_owned();
    let actions = read(answer).blocks.into_iter().flat_map(|block| block.actions);
    actions.filter_map(|action| action.field("path").map(path)).collect()
}

#[test]
fn blocks_below_words_that_report_or_reject_them_are_not_applied() {
    for words in [
        "It came with commit 3fa9c1e, which did this:",
        "From another project (repository `a/b`, not this one):",
        "A wrong fix would be:",
        "Nothing has to change. The diff under discussion was",
        "The other assistant suggested this, which is wrong:",
        "What Dependabot proposes:",
        "In upstream's fix:",
        "Ein falscher Fix wäre:",
        "Ce que propose Dependabot :",
        "Lo que propone Dependabot:",
        "错误的修复是：",
        "Once the migration has run:",
        "Do this only after the deployment:",
        "Erst nach dem Deployment:",
        "部署之后再做：",
    ] {
        for block in [DIFF, SEARCH] {
            assert!(applied(&format!("It is slow.\n\n{words}\n\n{block}")).is_empty(), "{words}\n{block}");
        }
    }
    for words in [
        "I'd reject it.",
        "Do this only after the deployment.",
        "Ich würde das ablehnen.",
        "我会拒绝这个修改。",
    ] {
        assert!(applied(&format!("The patch:\n\n{DIFF}\n{words}\n")).is_empty(), "{words}");
    }
}

#[test]
fn a_heading_holds_for_all_below_it() {
    for heading in [
        "Rejected approach",
        "Alternative considered",
        "What not to do",
        "History",
        "Before",
        "In the frontend repository",
        "Verworfener Ansatz",
        "Approche rejetée",
        "Enfoque descartado",
        "被否决的方案",
    ] {
        let answer =
            format!("## {heading}\n\nWords.\n\n### A\n\nIt is so:\n\n{DIFF}\n## Fix\n\nApply:\n\n{SEARCH}");
        assert_eq!(applied(&answer), ["b.py"], "{heading}");
        // What is certain is named, and what is doubtful a question.
        let found = read(&answer);
        let is_named = |one: &Candidate| one.kind == NotReadKind::Refused && one.hint.contains(heading);
        let is_asked = found.plain.candidates.iter().any(|one| one.is_block() && one.words.contains(heading));
        assert!(is_asked != found.candidates.first().is_some_and(is_named), "{heading}{found:#?}");
        assert_eq!(is_asked, matches!(heading, "Before" | "In the frontend repository"), "{heading}");
    }
    let answer =
        format!("## In this repository\n\nA:\n\n{DIFF}\n## In the frontend repository\n\nB:\n\n{SEARCH}");
    assert_eq!(applied(&answer), ["a.py"]);
    // In the other order, too.
    let answer =
        format!("## In the frontend repository\n\nB:\n\n{SEARCH}\n## In this repository\n\nA:\n\n{DIFF}");
    assert_eq!(applied(&answer), ["a.py"]);
    assert!(read(&answer).plain.candidates.is_empty());
}

#[test]
fn blocks_below_ordinary_words_are_applied() {
    for words in [
        "Here's the fix:",
        "This replaces the wrong check:",
        "The old code was wrong because it raced; apply this:",
        "Upstream fixed it the same way; here is the change:",
        "I rejected the other approach because it races. Use this instead:",
        "Dependabot only bumps versions. The real fix:",
        "Once the file is loaded the size counts, so make it larger:",
        "The previous patch missed this:",
        "To revert the bad commit, apply this:",
        "Before the deployment, apply this:",
        "Not the old one: this one:",
        "原来的代码是错误的，改成这样：",
    ] {
        assert_eq!(applied(&format!("{words}\n\n{DIFF}")), ["a.py"], "{words}");
    }
    for words in [
        "Don't apply it to the 1.x branch.",
        "N'appliquez pas cela à la branche 1.x.",
        "不要应用到 1.x 分支。",
        "It is not needed on staging.",
        "After the deployment, watch the logs.",
        "The old value was wrong.",
    ] {
        assert_eq!(applied(&format!("The right one:\n\n{DIFF}\n{words}\n")), ["a.py"], "{words}");
    }
    for heading in ["Before you start", "History service", "The wrong size", "Rejected requests are retried"]
    {
        assert_eq!(applied(&format!("## {heading}\n\nApply:\n\n{DIFF}")), ["a.py"], "{heading}");
    }
}

#[test]
fn a_line_below_takes_back_the_block_that_it_names() {
    let steps = format!("### Step 1: a\n\n{DIFF}\n### Step 2: b\n\n{SEARCH}");
    for (line, rest) in [
        ("Edit: skip step 1.", "b.py"),
        ("On second thought, leave out the first change.", "b.py"),
        ("Forget the second block.", "a.py"),
        ("Don't apply step 2 after all.", "a.py"),
        ("Scratch `a.py`.", "b.py"),
        ("Vergiss den zweiten Block.", "a.py"),
        ("Lass Schritt 2 weg.", "a.py"),
        ("Finalement, oubliez la première modification.", "b.py"),
        ("Olvida el segundo bloque.", "a.py"),
        ("忽略第二个代码块。", "a.py"),
    ] {
        let answer = format!("{steps}\n{line}\n");
        assert_eq!(applied(&answer), [rest], "{line}");
        let plain = read(&answer).plain;
        let note = plain.notes.iter().find(|note| note.kind == NoteKind::TakenBack);
        assert!(note.is_some_and(|note| note.words == line), "{line}{:#?}", plain.notes);
    }
    // Two blocks may be the first change: both wait.
    let second = SEARCH.replace("b.py", "c.py");
    let answer = format!("### Step 1\n\n{DIFF}{SEARCH}\n### Step 2\n\n{second}\nSkip the first change.\n");
    assert_eq!(applied(&answer), ["c.py"]);
    assert!(read(&answer).candidates.iter().all(|one| one.kind == NotReadKind::Refused));
    for line in ["Forget the warnings.", "In step 2 the port is used.", "Should I skip step 1?"] {
        assert_eq!(applied(&format!("{steps}\n{line}\n")), ["a.py", "b.py"], "{line}");
    }
}

#[test]
fn blocks_under_a_condition_are_questions() {
    let forms = |block: &str| -> Vec<Form> {
        let answer = format!("Only if you use Redis:\n\n{block}");
        let found = read(&answer);
        assert!(found.blocks.is_empty() && found.candidates.is_empty(), "{found:#?}");
        let candidates = found.plain.candidates.into_iter();
        candidates
            .map(|one| {
                assert!(one.is_block() && one.conditional, "{one:#?}");
                assert_eq!(one.words, "Only if you use Redis:");
                one.form
            })
            .collect()
    };
    assert_eq!(forms(SEARCH), [Form::Diff]);
    assert_eq!(forms(DIFF), [Form::Diff]);
    let replacer = "<<<FILE>>>\na.py\n<<<SEARCH>>>\nx\n<<<REPLACE>>>\ny\n<<<END>>>\n";
    assert_eq!(forms(replacer), [Form::Replacement { old: "x".to_owned() }]);
    let new = "```diff\n--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+y\n```\n";
    assert_eq!(forms(new), [Form::Code]);
    let gone = "```diff\n--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n```\n";
    assert_eq!(forms(gone), [Form::Delete]);
    // No plain form says what a mode or the end of a last line is.
    let end = "```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n\\ No newline at end of file\n```\n";
    let answer = format!("Only if you use Redis:\n\n{end}");
    let found = read(&answer);
    assert!(found.plain.candidates.is_empty() && found.blocks.is_empty(), "{found:#?}");
    assert!(found.candidates[0].hint.ends_with("to apply it, copy the block alone"), "{found:#?}");
    assert_eq!(applied(end), ["a.py"]);
}
