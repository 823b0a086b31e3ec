use std::path::Path;

use super::elision::{elided, elided_in_new};
use super::patch_content::patch_as_content;
use super::shifted::shifted;
use super::shrink::{Shrunk, shrunk};

fn refused(old: &str, new: &str, path: &str) -> bool {
    elided(old, new, Path::new(path)).is_some_and(|found| found.is_certain)
}

fn named(old: &str, new: &str, path: &str) -> bool {
    elided(old, new, Path::new(path)).is_some()
}

const CODE: &str =
    "import os\n\ndef a():\n    x = 1\n    y = 2\n    return x + y\n\ndef b():\n    return 2\n";

#[test]
fn placeholders_for_lines_that_go_are_refused() {
    for (new, path) in [
        ("import os\n\n# ... existing code ...\n\ndef b():\n    return 3\n", "a.py"),
        ("import os\n\n# rest of the code\n\ndef b():\n    return 3\n", "a.py"),
        ("import os\n\n# ...\n\ndef b():\n    return 3\n", "a.py"),
        ("import os\n\ndef a():\n    ...\n\ndef b():\n    return 3\n", "a.py"),
        ("import os\n\ndef a():\n    # implementation unchanged\n\ndef b():\n    return 3\n", "a.py"),
    ] {
        assert!(refused(CODE, new, path), "{new}");
    }
    let found = elided(CODE, "import os\n\n# ... existing code ...\n", Path::new("a.py")).unwrap();
    assert_eq!((found.line, found.text.as_str()), (3, "# ... existing code ..."));
    assert!(refused("a\nb\nc\n", "a\n...\nd\n", "a.rs"), "dots are no code there");
}

#[test]
fn a_marked_placeholder_is_refused_though_nothing_goes() {
    assert!(refused("a\nb\n", "a\n// ... rest of the code ...\nb\n", "a.rs"));
    assert!(!refused("a\nb\n", "a\n// ... rest of the code ...\nb\n", "a.md"), "prose may show one");
    let has = "a\n// ... existing code ...\nb\n";
    assert!(!named(has, "a\n// ... existing code ...\nc\n", "a.rs"), "the file has it");
}

#[test]
fn what_is_code_or_says_something_is_left_alone() {
    for (old, new, path) in [
        ("", "class P(Protocol):\n    def a(self) -> int:\n        ...\n", "a.py"),
        ("x = 1\n", "x = 1\n\n\nclass P(Protocol):\n    def a(self) -> int:\n        ...\n", "a.py"),
        (
            "def f(x):\n    return x\n",
            "@overload\ndef f(x: int) -> int:\n    ...\ndef f(x):\n    return x\n",
            "a.py",
        ),
        ("def a(): pass\n", "def a() -> None: ...\ndef b() -> int:\n    ...\n", "a.pyi"),
        ("a: 1\n", "a: 1\n...\n---\nb: 2\n", "a.yaml"),
        ("sub a { 1 }\n", "sub a { 1 }\nsub b {\n    ...\n}\n", "a.pl"),
        ("template <class T>\nvoid f(T);\n", "template <class T>\nvoid f(T,\n  ...\n);\n", "a.cpp"),
        ("import os\n", "# Other imports\nimport os\nimport re\n", "a.py"),
        ("switch (a) {\n}\n", "switch (a) {\ncase 1:\n// same as above\nbreak;\n}\n", "a.js"),
        ("def test():\n    pass\n", "def test():\n    # No changes\n    pass\n", "a.py"),
        ("a\n", "# The Original Code is mozilla.org code\na\n", "a.py"),
        (">>> for x in y:\n", ">>> for x in y:\n... \n", "a.txt"),
        ("def a(self):\n    raise NotImplementedError\n", "def a(self):\n    ...\n", "a.py"),
        ("# remaining items\nx\n", "# the other items\nx\n", "a.py"),
    ] {
        assert!(!named(old, new, path), "{new}");
    }
    assert!(elided_in_new("fn a() {}\n// ... rest of the code ...\n", Path::new("a.rs")).is_some());
    assert!(elided_in_new("class P:\n    ...\n", Path::new("a.py")).is_none());
}

#[test]
fn lines_that_are_elisions_and_lines_that_are_not() {
    let read = |text: &'static str| text.lines().filter(|line| !line.trim().is_empty());
    let (yes, no) = (read(include_str!("elisions.txt")), read(include_str!("no_elisions.txt")));
    let yes: Vec<&str> = yes.collect();
    let no: Vec<&str> = no.collect();
    assert!(yes.len() >= 200 && no.len() >= 200, "{} {}", yes.len(), no.len());
    let old = "first line\nlost one\nlost two\nlast line\n";
    let with = |line: &str| format!("first line\n{line}\nlast line\n");
    let missed: Vec<&&str> = yes.iter().filter(|line| !refused(old, &with(line), "a.rs")).collect();
    assert!(missed.is_empty(), "not seen as elisions: {missed:#?}");
    let wrong: Vec<&&str> = no.iter().filter(|line| named(old, &with(line), "a.py")).collect();
    assert!(wrong.is_empty(), "taken for elisions: {wrong:#?}");
}

/// What models write where a body goes on, in forms beyond the table of phrases.
#[test]
fn regression_lines_that_leave_code_out_in_any_words_are_refused() {
    let old = "def f(x):\n    first = 1\n    a = load(x)\n    b = check(a)\n    return b\n";
    for line in [
        "# ... same ...",
        "# ...same code...",
        "# --- snip ---",
        "# [snip]",
        "# …",
        "# ... keep existing implementation ...",
        "# Rest of function unchanged",
        "# Same as original",
        "# all other code stays the same",
        "# no changes below",
        "# truncated for brevity",
        "# Code omitted",
        "# function body hidden",
        "# (implementation omitted)",
        "# logic stays as is",
        "# the rest is unchanged",
        "# keep the rest as is",
        "# other methods unchanged",
        "# ... 4 more lines ...",
        "# ... (lines 5-9 unchanged)",
        "...",
        "# ... function body ...",
        "# . . .",
        "# ... skipping ...",
        "# ... etc ...",
        "# ... and so on ...",
        "# ~~~ existing code ~~~",
        "# same",
        "# -- unchanged --",
        "# ... (rest) ...",
        "# === existing code ===",
        "# restlicher Code wie bisher",
        "# … Rest unverändert …",
        "# 其余代码保持不变",
        "# 既存のコード",
        "# остальной код без изменений",
        "[cut: 40 lines of 60; ask for lines 21-60]",
        "[... 40 lines omitted ...]",
        "[Showing lines 1-20 of 60. Use :21 to continue]",
        "... +40 lines",
        "… 40 more lines …",
        "<40 lines omitted>",
        "... rest of the code ...",
    ] {
        let new = format!("def f(x):\n    first = 2\n    {line}\n");
        assert!(refused(old, &new, "a.py"), "{line}");
    }
}

#[test]
fn regression_a_remark_that_names_what_stays_leaves_it_out() {
    let old =
        "def routes(app):\n    app.get(\"/teas\", teas)\n    app.get(\"/cups\", cups)\n    return app\n";
    for (line, is_one) in [
        ("# existing routes go here", true),
        ("# existing routes", true),
        ("# teas() and cups() remain unchanged", true),
        ("# Existing users", false),
        ("# the order stays the same", false),
    ] {
        let new = format!("def routes(app):\n    {line}\n    app.get(\"/health\", health)\n    return app\n");
        let elided = super::elision::elided(old, &new, std::path::Path::new("a.py"));
        assert_eq!(elided.is_some_and(|elided| elided.is_certain), is_one, "{line}");
    }
}

#[test]
fn regression_stubs_and_samples_are_no_elisions() {
    let body = "class A:\n    def add(self, x):\n        y = x\n        z = y\n        return z\n";
    for (old, new, path) in [
        (
            "@overload\ndef f(\n    a: int,\n    b: int,\n) -> int:\n    ...\n",
            "@overload\ndef f(a: int) -> int:\n    ...\n",
            "a.py",
        ),
        (
            body,
            "class A:\n    @t.overload\n    def add(self, x: int) -> int:\n        ...\n\n    @t.overload\n    def add(self, x: str) -> \
             str:\n        ...\n\n    def add(self, x):\n        return x\n",
            "a.py",
        ),
        (body, "class A:\n    @abstractmethod\n    def add(self, x):\n        ...\n", "a.py"),
        ("def f(\n    a,\n    b,\n):\n    pass\n", "def f(a): ...\n", "a.py"),
        ("f(a, b)\nf(c)\n", "f(...args)\n", "a.ts"),
        (
            "# Use\n\n```py\na()\nb()\n```\n",
            "# Use\n\n```py\na()\n# ... rest of the code ...\n```\n",
            "README.md",
        ),
        ("x = [\n    1,\n    2,\n]\n", "x = [\n    1, 2\n]\n", "a.py"),
    ] {
        assert!(!refused(old, new, path), "{new}");
    }
}

#[test]
fn patches_in_place_of_a_file_are_seen() {
    let code = "fn main() {\n    one();\n}\n";
    let diff =
        "--- a/src/main.rs\n+++ b/src/main.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }\n";
    let bare = "@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }\n";
    let blocks = "<<<<<<< SEARCH\n    one();\n=======\n    two();\n>>>>>>> REPLACE\n";
    let patch =
        "*** Begin Patch\n*** Update File: src/main.rs\n@@\n-    one();\n+    two();\n*** End Patch\n";
    for new in [diff, bare, patch] {
        assert!(patch_as_content(code, new, Path::new("src/main.rs")).is_some(), "{new}");
    }
    let named = format!("src/main.rs\n{blocks}");
    assert!(patch_as_content(code, &named, Path::new("src/main.rs")).is_some());
    for path in [
        "a.patch",
        "a.diff",
        "docs/a.md",
        "tests/fixtures/a.rs",
        "a.txt",
        "a.out",
        "a.snap",
        "testdata/x.golden",
        "a.rst",
        "debian/patches/fix",
        "a.mbox",
        "a.eml",
        "CHANGES",
        "tests/data/dialects/a.case",
        "prompts/a.j2",
    ] {
        assert!(patch_as_content(code, diff, Path::new(path)).is_none(), "{path}");
    }
    assert!(patch_as_content("", diff, Path::new("a.rs")).is_none(), "nothing is lost");
    assert!(patch_as_content(diff, bare, Path::new("a.x")).is_none(), "it was one before");
    assert!(patch_as_content(code, "- a\n- b\n+ c\n", Path::new("a.yaml")).is_none());
    assert!(patch_as_content(code, code, Path::new("a.rs")).is_none());
}

#[test]
fn files_that_keep_little_are_told() {
    let lines = |count: usize| (0..count).map(|at| format!("line {at}\n")).collect::<String>();
    let nowhere = |_: &str| false;
    assert_eq!(shrunk(&lines(33), &lines(7), nowhere), Some(Shrunk { remaining: 7, of: 33, asks: false }));
    assert_eq!(shrunk(&lines(100), &lines(19), nowhere), Some(Shrunk { remaining: 19, of: 100, asks: true }));
    assert_eq!(
        shrunk(&lines(100), &lines(20), nowhere),
        Some(Shrunk { remaining: 20, of: 100, asks: false })
    );
    assert_eq!(shrunk(&lines(33), &lines(7), nowhere).unwrap().to_string(), "keeps 7 of 33 lines");
    assert_eq!(shrunk(&lines(19), "", nowhere), None);
    assert_eq!(shrunk(&lines(40), &lines(20), nowhere), None);
    // A module that is split: its lines go elsewhere.
    assert_eq!(shrunk(&lines(200), "pub mod a;\n", |_| true), None);
}

#[test]
fn numbers_that_were_moved_have_two_readings() {
    let before = "a\nb\nc\nd\ne\nf\n";
    assert_eq!(shifted("5", before, "a\nx\ny\nb\nc\nd\ne\nf\n").unwrap().moved_to.unwrap().first, 7);
    let found = shifted("2-3", before, "x\na\nb\nc\nd\ne\nf\n").unwrap();
    assert_eq!((found.before.as_str(), found.now.as_str()), ("b\nc", "a\nb"));
    assert!(shifted("3", before, "a\nb\nd\ne\nf\n").unwrap().moved_to.is_none());
    // Directly below what was added, and directly below what was removed.
    assert_eq!(shifted("2", before, "a\nx\nb\nc\nd\ne\nf\n").unwrap().moved_to.unwrap().first, 3);
    assert_eq!(shifted("3", before, "a\nc\nd\ne\nf\n").unwrap().moved_to.unwrap().first, 2);
    for (lines, now) in [
        ("2", "a\nb\nc\nd\nx\ny\ne\nf\n"),
        ("5", "a\nB\nc\nd\ne\nf\n"),
        ("5", "x\na\nc\nd\ne\nf\n"),
        ("9", "x\na\nb\nc\nd\ne\nf\ng\nh\n"),
        ("2", before),
    ] {
        assert!(shifted(lines, before, now).is_none(), "{lines} {now}");
    }
}

/// Sentences that no table has, where code goes and none comes below them.
#[test]
fn regression_any_comment_that_may_stand_for_code_is_asked_about() {
    let old = "def f(x):\n    first = 1\n    a = load(x)\n    b = check(a)\n    return b\n";
    let with = |lines: &str| format!("def f(x):\n    first = 2\n{lines}");
    for line in [
        "# -- cut --",
        "# keep as is",
        "# no changes needed here",
        "# Previous code remains",
        "# Output truncated",
        "# more of the same",
        "# lines 12-40 omitted",
        "# for brevity, the rest is omitted",
        "# a and b as before",
        "# same body as the original",
        "# The rest of the calls",
        "# 中略",
        "# كما هو",
    ] {
        let found = elided(old, &with(&format!("    {line}\n")), Path::new("a.py"));
        assert!(found.is_some_and(|found| found.is_certain && found.is_words), "{line}");
    }
    for lines in [
        // It explains what comes below it.
        "    # keeps the same order as before\n    return load(x)\n",
        "    # entries are omitted if empty\n    return filled(load(x))\n",
        // No word of it says so.
        "    # nothing to load\n",
        "    return load(x)  # as before\n",
    ] {
        assert!(!named(old, &with(lines), "a.py"), "{lines}");
    }
    assert!(!named("a = 1\n", "a = 1\n# the same as before\n", "a.py"), "nothing goes");
}
