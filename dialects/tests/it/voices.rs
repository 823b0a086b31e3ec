//! Other voices: what an answer quotes, was sent or only thought holds neither blocks nor candidates.

use clada_dialects::plain::NoteKind;
use clada_dialects::{Bounds, Choice, Code, NotReadKind, parse};

const SHAM: &str =
    "#!SHAM [@three-char-SHA-256: k7m]\naction = \"file_delete\"\npath = \"/p/a\"\n#!END_SHAM_k7m\n";
const AIDER: &str = "b.txt\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\n";
const LISTING: &str = "`c.py`:\n\n```python\nx = 1\n```\n";

/// Each voice around a text.
const VOICES: &[(&str, &str)] = &[
    ("<think>\n", "</think>\n"),
    ("<thinking>\n", "</thinking>\n"),
    ("<thought>\n", "</thought>\n"),
    ("<seed:think>\n", "</seed:think>\n"),
    ("[THINK]\n", "[/THINK]\n"),
    ("◁think▷\n", "◁/think▷\n"),
    ("<|channel|>analysis<|message|>\n", "<|end|>\n"),
    ("<|channel|>commentary<|message|>\n", "<|end|>\n"),
    ("<details type=\"reasoning\">\n<summary>Thought for 3 s</summary>\n", "</details>\n"),
    ("<function_results>\n", "</function_results>\n"),
    ("<tool_response>\n", "</tool_response>\n"),
    ("<tool_result>\n", "</tool_result>\n"),
    ("<output>\n", "</output>\n"),
    ("<blockquote>\n", "</blockquote>\n"),
    ("<document>\n", "</document>\n"),
    ("<documents>\n<document index=\"1\">\n", "</document>\n</documents>\n"),
    ("See:\n<!--\n", "-->\n"),
    ("Human: look\n", "Assistant: I will not.\n"),
    ("<scratchpad>\n", "</scratchpad>\n"),
    ("<antThinking>\n", "</antThinking>\n"),
    ("<stdout>\n", "</stdout>\n"),
    ("<system-reminder>\n", "</system-reminder>\n"),
    ("<example>\n", "</example>\n"),
    ("You said:\n", "ChatGPT said:\n"),
    ("**You:**\n", "**Claude:**\n"),
    ("## User\n", "## Assistant\n"),
    ("Thinking...\n", "...done thinking.\n"),
];

#[test]
fn what_another_voice_says_is_not_read() {
    for (open, close) in VOICES {
        for text in [SHAM, AIDER, LISTING] {
            let answer = format!("{open}{text}{close}");
            let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
            assert!(parsed.blocks.is_empty(), "{answer}");
            assert!(parsed.plain.candidates.is_empty(), "{answer} {:?}", parsed.plain);
            assert!(parsed.plain.notes.iter().any(|note| note.kind == NoteKind::OtherVoice), "{answer}");
        }
    }
}

#[test]
fn what_comes_after_it_is_read() {
    for (open, close) in VOICES {
        let answer = format!("{open}x\n{close}\n{SHAM}\n{LISTING}");
        let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert_eq!((parsed.blocks.len(), parsed.plain.candidates.len()), (1, 1), "{answer}");
    }
}

#[test]
fn a_voice_without_an_end_or_in_a_fence_is_text() {
    for open in ["<output>\n", "<blockquote>\n", "<!-- x\n", "[THINK]\n", "<!-- a.py -->\n"] {
        let answer = format!("{open}{SHAM}");
        assert_eq!(parse(&answer, &Bounds::default(), &Choice::Auto).blocks.len(), 1, "{answer}");
    }
    let answer = "`a.html`:\n\n```html\n<!--\nx\n-->\n<output>\n</output>\n```\n";
    assert_eq!(parse(answer, &Bounds::default(), &Choice::Auto).plain.candidates.len(), 1);
}

#[test]
fn a_document_in_a_longer_fence_is_a_file_and_holds_no_blocks() {
    for text in [SHAM, AIDER] {
        let answer = format!("README.md says:\n````markdown\n# How\n```\n{text}```\n````\n");
        let parsed = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(parsed.blocks.is_empty(), "{answer}");
        // A fence around a whole answer is none.
        let answer = format!("````markdown\n# How\n\n```\n{text}```\n````\n");
        assert_eq!(parse(&answer, &Bounds::default(), &Choice::Auto).blocks.len(), 1, "{answer}");
    }
}

/// A document that an answer gives whole shows edits as samples: they were applied to the files that they name.
#[test]
fn regression_a_sample_in_a_document_is_no_edit() {
    let diff = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-one\n+two\n";
    let indented: String = diff.lines().map(|line| format!("    {line}\n")).collect();
    let block = "src/app.py\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n";
    let call = "{\"name\": \"Write\", \"input\": {\"file_path\": \"src/app.py\", \"content\": \"x\"}}\n";
    let fenced = format!("```diff\n{diff}```\n");
    for sample in [diff, &indented, block, call, &fenced] {
        for (label, info) in [
            ("Here is the updated `docs/review.md`:", "markdown"),
            ("**`README.md`**", "md"),
            ("### docs/a.mdx", "mdx"),
        ] {
            let answer = format!(
                "{label}\n\n```{info}\n# Review\n\nThis change was refused:\n\n{sample}\nThe end.\n```\n"
            );
            let read = parse(&answer, &Bounds::default(), &Choice::Auto);
            assert!(read.blocks.is_empty(), "{answer}{read:#?}");
            let skipped = read.diagnostics.iter().any(|one| one.code == Code::SkippedRegion);
            assert!(skipped && read.plain.candidates.len() == 1, "{answer}{read:#?}");
        }
        // A fence around the edit itself, one that no document is named for, and one around an answer.
        for answer in [
            format!("`README.md`:\n\n```markdown\n{sample}```\n"),
            format!("`src/app.py`:\n\n```markdown\nThe change:\n\n{sample}```\n"),
            format!("The answer:\n\n```markdown\n# Change\n\nIt is small.\n\n{sample}```\n"),
        ] {
            let read = parse(&answer, &Bounds::default(), &Choice::Auto);
            assert!(!read.blocks.is_empty(), "{answer}{read:#?}");
        }
    }
}

/// A document without an end kept the next one from being known.
#[test]
fn regression_a_document_without_an_end_does_not_open_the_next() {
    let open = "`README.md`:\n\n```markdown\n# A\n\n```sh\nrun\n```\n\n";
    let sample = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1 +1 @@\n-one\n+two\n";
    for count in 1..4 {
        let answer =
            format!("{}`docs/a.md`:\n\n````markdown\n# B\n\nAs in:\n\n{sample}````\n", open.repeat(count));
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(read.blocks.is_empty(), "{answer}{read:#?}");
    }
}

/// Blocks below a sentence that forbids them, or quoted in code or a log, were applied.
#[test]
fn regression_a_block_that_is_forbidden_or_quoted_is_not_applied() {
    let diff = "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-a\n+b\n";
    let two = format!("{diff}{}", diff.replace("b.txt", "c.txt"));
    for answer in [
        format!("The patch that broke it (do not apply it):\n\n```diff\n{diff}```\n"),
        format!("This is what Bob's branch changes. I would not merge it:\n\n```diff\n{two}```\n"),
        format!("What not to do:\n\n{AIDER}"),
        format!("The patch that was rejected in review:\n\n```diff\n{diff}```\n"),
        format!("My first patch was reverted:\n\n```diff\n{diff}```\n"),
        format!("An aider block looks like this:\n\n```\n{AIDER}```\n"),
        format!("Reviewing the diff:\n\n```diff\n{diff}```\n"),
        format!("<details>\n<summary>Previous version</summary>\n\n{AIDER}\n</details>\n"),
        format!("The test has this:\n\n```python\nFIX = '''\n{AIDER}'''\n```\n"),
        format!(
            "It was:\n\n```\ncommit 1234567890abcdef\nAuthor: B <b@e.org>\nDate:   Mon\n\n    open it\n\n{two}```\n"
        ),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(read.blocks.is_empty(), "{answer}{read:#?}");
        assert!(read.diagnostics.iter().any(|one| one.code == Code::SkippedRegion), "{answer}{read:#?}");
    }
    for answer in [
        format!("Don't use the old one. Apply this:\n\n{AIDER}"),
        format!("The new check looks like this:\n\n{AIDER}"),
        // What was rejected is not what is below.
        format!("The last hunk was rejected. Here it is again:\n\n```diff\n{diff}```\n"),
        format!("Since the patch was rejected, a smaller one:\n\n```diff\n{diff}```\n"),
        format!("Never trust the input:\n\n```diff\n{diff}```\n"),
        format!("commit 1234567890abcdef\nAuthor: B <b@e.org>\nDate:   Mon\n\n    open it\n\n{diff}"),
        format!("Do not do this:\n\n{AIDER}\nInstead:\n\n{SHAM}"),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert_eq!(read.blocks.len(), 1, "{answer}{read:#?}");
    }
}

/// Samples of a notation, blocks that the words below take back, and those for some readers alone were applied.
#[test]
fn regression_a_block_that_is_a_sample_or_a_choice_is_not_applied() {
    let call =
        "```json\n{\"name\": \"Write\", \"input\": {\"file_path\": \"a.py\", \"content\": \"x\\n\"}}\n```\n";
    let csl = "<---WRITE file=\"a.py\"--->\nX = 2\n<---END--->\n";
    for answer in [
        format!("CSL writes files so:\n\n```\n{csl}```\n"),
        format!("The format, for reference:\n\n```\n{AIDER}```\n"),
        format!("The tool is called like this:\n\n{call}"),
        format!("In Anthropic's format a call looks like\n\n{call}"),
        format!("I called `write_file` with\n\n{call}\nand it failed with EACCES.\n"),
        format!("Ein Block sieht so aus:\n\n{AIDER}"),
        format!("Die Syntax, zur Referenz:\n\n{AIDER}"),
        format!("块的格式如下：\n\n{AIDER}"),
        format!("So:\n\n{AIDER}\n(an example)\n"),
        format!("{AIDER}\nWait, that's wrong: keep 8080.\n"),
        format!("{AIDER}\nDon't use it here.\n"),
        format!("{AIDER}\nHmm, that would break the check. Leave it as it is.\n"),
        format!("{AIDER}\n等等，上面的修改是错误的。\n"),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(read.blocks.is_empty(), "{answer}{read:#?}");
        assert!(read.diagnostics.iter().any(|one| one.code == Code::SkippedRegion), "{answer}{read:#?}");
    }
    for answer in [
        format!("Only if you use Postgres, apply this too:\n\n{AIDER}"),
        format!("If you run it in Docker:\n\n{AIDER}"),
        format!("Update it, if needed:\n\n{AIDER}"),
        format!("Optional:\n\n{AIDER}"),
        format!("Falls Sie Postgres verwenden:\n\n{AIDER}"),
        format!("如果您使用 Postgres：\n\n{AIDER}"),
        format!("Option B:\n\n{AIDER}"),
        format!("Alternative (pick one):\n\n{AIDER}\nor\n\n{}", AIDER.replace("\nx\n", "\ny\n")),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(read.blocks.is_empty(), "{answer}{read:#?}");
        let mut asked = read.plain.candidates.iter().filter(|one| one.is_block() && one.conditional);
        assert!(asked.next().is_some() && read.candidates.is_empty(), "{answer}{read:#?}");
    }
    for answer in [
        // The same words, which want the edit or are about something else.
        format!("The test block should look like this:\n\n{AIDER}"),
        format!("Change the call like this:\n\n{AIDER}"),
        format!("Here is the *SEARCH/REPLACE* block:\n\n{AIDER}"),
        format!("If you click twice it is sent twice, so disable it:\n\n{AIDER}"),
        format!("If the file is missing, return early:\n\n{AIDER}"),
        format!("如果文件不存在，则返回：\n\n{AIDER}"),
        format!("{AIDER}\nPlease confirm if you would like to proceed with this change.\n"),
        format!("{AIDER}\nWait, I also need to change the imports.\n"),
        format!("{AIDER}\nActually, one more:\n"),
        format!("{AIDER}\nEdit `c.txt` the same way.\n"),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert_eq!(read.blocks.len(), 1, "{answer}{read:#?}");
    }
}

/// A longer fence of Markdown with much around it was read as the answer itself.
#[test]
fn regression_a_longer_fence_with_much_around_it_is_a_quotation() {
    for (open, close) in [("````markdown", "````"), ("~~~~md", "~~~~")] {
        for text in [SHAM, AIDER] {
            let fenced = format!("{open}\n{text}{close}\n");
            let quoted =
                format!("Here's the prompt.\n\n{fenced}\nIt should do well. Then paste what it says.\n");
            let read = parse(&quoted, &Bounds::default(), &Choice::Auto);
            assert!(read.blocks.is_empty(), "{quoted}{read:#?}");
            let around = format!("Here's the answer:\n\n{fenced}\nThat is all.\n");
            let read = parse(&around, &Bounds::default(), &Choice::Auto);
            assert_eq!(read.blocks.len(), 1, "{around}{read:#?}");
        }
    }
}

/// Diffs below a sentence about what somebody did were applied.
#[test]
fn regression_a_diff_that_shows_what_was_changed_before_is_named() {
    let diff = "```diff\n--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-x\n+y\n```\n";
    for answer in [
        format!("That is how it got in. The bad commit made this change:\n\n{diff}"),
        format!("Her branch contains:\n\n{diff}"),
        format!("Diese Änderung verursachte den Absturz:\n\n{diff}"),
        format!("The difference between `v1` and `v2` of the library:\n\n{diff}\nYou have `v1`.\n"),
        format!("It was tried before:\n\n{diff}\nThat was reverted a week later.\n"),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert!(read.blocks.is_empty(), "{answer}{read:#?}");
        assert_eq!(read.candidates[0].kind, NotReadKind::Refused, "{answer}{read:#?}");
        assert!(read.plain.candidates.is_empty(), "{answer}{read:#?}");
    }
    for answer in [
        format!("The bad commit made the port fixed. Change it back:\n\n{diff}"),
        format!("This commit removes the flag:\n\n{diff}"),
        format!("Your branch is missing this:\n\n{diff}"),
        format!("Diff:\n\n{diff}\nThe test of that was reverted, so it passes.\n"),
    ] {
        let read = parse(&answer, &Bounds::default(), &Choice::Auto);
        assert_eq!(read.blocks.len(), 1, "{answer}{read:#?}");
    }
}
