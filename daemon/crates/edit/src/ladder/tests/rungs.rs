//! One rung after the other: what it matches, and what it must leave alone.

use super::*;

fn becomes(text: &str, search: &str, replace: &str, wanted: &str, rung: Rung) {
    assert_eq!(replaced(text, search, replace), Ok((wanted.to_owned(), rung)), "{search:?} in {text:?}");
}

fn refused(text: &str, search: &str, replace: &str) -> PatchFailure {
    replaced(text, search, replace).unwrap_err()
}

#[test]
fn rung_0_does_nothing() {
    becomes("a\n", "x\n", "x\n", "a\n", Rung::Identical);
    let context = hunk(" x\n y\n");
    assert_eq!(patched("a\n", &[context]), Ok(("a\n".into(), Rung::Identical)));
    let nothing = hunk(" a\n-x\n+x\n");
    assert_eq!(patched("a\nx\n", std::slice::from_ref(&nothing)), Ok(("a\nx\n".into(), Rung::Identical)));
    assert_eq!(patched("a\n  x\n", &[nothing]), Err(PatchFailure::NoMatch));
}

#[test]
fn rung_1_is_exact() {
    becomes("a\nb\nc\n", "b\n", "B\n", "a\nB\nc\n", Rung::Exact);
    becomes("a\nb\nc\n", "b\n", "", "a\nc\n", Rung::Exact);
    becomes("a\nb\nc\n", "b", "b\nx", "a\nb\nx\nc\n", Rung::Exact);
    becomes("a  \nb\n", "a  \n", "a\n", "a\nb\n", Rung::Exact);
    assert_eq!(refused("abc\n", "b\n", "B\n"), PatchFailure::NoMatch);
}

#[test]
fn rung_2_ignores_blank_lines_around() {
    becomes("a\nb\n", "\n\na\n\n", "\n\nA\n\n", "A\nb\n", Rung::EdgeBlankLines);
    becomes("a\nb\n", "a\n\n", "A\n", "A\nb\n", Rung::EdgeBlankLines);
    assert_eq!(refused("a\n\nb\n", "\na\n\n\n", "A\n"), PatchFailure::Unclear { line: 1 });
    assert_eq!(refused("a\nb\n", "\nb\n", "\n\nB\n"), PatchFailure::NoMatch);
}

#[test]
fn rung_3_ignores_blanks_at_line_ends() {
    becomes("a  \nb\nc\t\n", "a\nb \nc\n", "a\nB\nc\n", "a  \nB\nc\t\n", Rung::TrailingBlanks);
    // A line that is there exactly is changed as asked, even if only its blanks change.
    becomes("a\n    \nb\n", "a  \n    \nb\n", "a\n\nb\n", "a\n\nb\n", Rung::TrailingBlanks);
    assert_eq!(refused("a \nb\n", "a\nb\n", "a  \nb\n"), PatchFailure::Unclear { line: 1 });
}

#[test]
fn rung_4_moves_the_new_lines_as_the_old_ones() {
    let file = "    if a:\n        b()\n    c()\n";
    let add = "    if a:\n        b()\n        d()\n\n            e()\n    c()\n";
    becomes(
        file,
        "if a:\n    b()\nc()\n",
        "if a:\n    b()\n    d()\n\n        e()\nc()\n",
        add,
        Rung::Indentation,
    );
    let deep = "        if a:\n            b()\n        c()\n";
    becomes(file, deep, &deep.replace("b()", "x()"), "    if a:\n        x()\n    c()\n", Rung::Indentation);
    becomes(file, "if a:\n        b()\n", "if a:\n        x()\n", &file.replace('b', "x"), Rung::Indentation);
    let tabs = "\tif a {\n\t\tb()\n\t}\n";
    let spaces = "    if a {\n        b()\n    }\n";
    let more = spaces.replace("        b()\n", "        b()\n        c()\n");
    becomes(tabs, spaces, &more, "\tif a {\n\t\tb()\n\t\tc()\n\t}\n", Rung::Indentation);
    becomes(spaces, tabs, &tabs.replace("b()", "c()"), &spaces.replace("b()", "c()"), Rung::Indentation);
}

#[test]
fn rung_4_refuses_what_the_lines_do_not_prove() {
    let unproven = PatchFailure::Indentation { lines: (1, 2) };
    // Four spaces became eight: added, or doubled? The second would give twelve, which is in the file.
    let file = "        a\n        b\n                c\n";
    let replace = "    a\n    b\n        d\n";
    assert_eq!(refused(file, "    a\n    b\n", replace), unproven);
    assert_eq!(refused(" a\n   b\n", "  a\n  b\n", "  x\n  b\n"), unproven);
    // A change of nothing but indentation, where indentation is what does not match.
    assert_eq!(refused("      a\n", "  a\n", "    a\n"), PatchFailure::Unclear { line: 1 });
    let tabs = "\ta {\n\t\tb,\n\t}\n";
    let odd = "    a {\n        b,\n                    c,\n    }\n";
    let lines = PatchFailure::Indentation { lines: (1, 3) };
    assert_eq!(refused(tabs, "    a {\n        b,\n    }\n", odd), lines);
    // The removed and the added blank line were the same but for blanks, which went with the indentation.
    let diff = hunk(" def f():\n-    a = 1\n-\n+    b = 1\n+\n     c = 1\n");
    let lines = PatchFailure::Indentation { lines: (1, 4) };
    assert_eq!(patched("    def f():\n        a = 1\n\n        c = 1\n", &[diff]), Err(lines));
}

#[test]
fn rung_4_moves_a_diff_whose_new_lines_are_next_to_blank_ones() {
    let file = "    def f():\n        a = 1\n";
    let diff = hunk(" def f():\n+\n+    b = 2\n     a = 1\n");
    let wanted = "    def f():\n\n        b = 2\n        a = 1\n";
    assert_eq!(patched(file, &[diff]), Ok((wanted.into(), Rung::Indentation)));
    let file = "class A:\n    def f():\n        a()\n\n    def h():\n        c()\n";
    let diff = hunk(" def f():\n     a()\n \n+def g():\n+    b()\n+\n def h():\n     c()\n");
    let wanted =
        "class A:\n    def f():\n        a()\n\n    def g():\n        b()\n\n    def h():\n        c()\n";
    assert_eq!(patched(file, &[diff]), Ok((wanted.into(), Rung::Indentation)));
}

#[test]
fn rung_4_changes_blanks_of_blank_lines_as_they_are_written() {
    let file = "    if a:\n        b()\n        \n        c()\n";
    let emptied = "    if a:\n        b()\n\n        c()\n";
    for search in ["if a:\n    b()\n        \n    c()\n", "if a:\n        b()\n        \n        c()\n"] {
        let replace = search.replace("\n        \n", "\n\n");
        becomes(file, search, &replace, emptied, Rung::Indentation);
    }
    becomes(
        emptied,
        "if a:\n    b()\n\n    c()\n",
        "if a:\n    d()\n        \n    c()\n",
        &file.replace("b()", "d()"),
        Rung::Indentation,
    );
    // Tabs that were counted may have been on the blank line as well.
    let lines = PatchFailure::Indentation { lines: (1, 3) };
    let (search, replace) = ("  if a:\n    b()\n    c()\n", "  if a:\n    b()\n    \n    c()\n");
    assert_eq!(refused("\tif a:\n\t\tb()\n\t\tc()\n", search, replace), lines);
}

#[test]
fn rung_4_counts_tabs_as_the_old_lines_prove_it() {
    let file = "\tif a {\n\t\tb(\n\t\t        1,\n        )\n\t}\n";
    let (search, replace) = ("    if a {\n        b(\n", "    if a {\n        c(\n");
    becomes(file, search, replace, &file.replace("b(", "c("), Rung::Indentation);
}

#[test]
fn rung_5_is_what_was_done_before() {
    let (search, replace) = ("fn main() {\n    old();\n}\n", "fn main() {\n    new_name();\n}\n");
    becomes(replace, search, replace, replace, Rung::AlreadyApplied);
    becomes(
        "use a;\nuse brand_new;\n",
        "use a;\n",
        "use a;\nuse brand_new;\n",
        "use a;\nuse brand_new;\n",
        Rung::AlreadyApplied,
    );
    // Too little to be sure of.
    assert_eq!(refused("a\n}\nb\n", "a\n}\n", "a\n}\nb\n"), PatchFailure::AlreadyInFile { lines: (1, 2) });
    let one_line = refused("let total = sum();\n", "let total = 0;\n", "let total = sum();\n");
    assert_eq!(one_line, PatchFailure::AlreadyInFile { lines: (1, 1) });
    assert_eq!(refused("b\n", "a\n", ""), PatchFailure::NoMatch);
}

#[test]
fn regression_one_more_of_a_line_that_was_seen_is_added() {
    becomes("a\n}\n}\n", "a\n}\n", "a\n}\n}\n", "a\n}\n}\n}\n", Rung::Exact);
    let (step, more) = ("start();\nstep_north();\n", "start();\nstep_north();\nstep_north();\n");
    becomes(more, step, more, &format!("{more}step_north();\n"), Rung::Exact);
    becomes(
        "start();\nstep_north();  \nstep_north();\n",
        step,
        more,
        "start();\nstep_north();  \nstep_north();\nstep_north();\n",
        Rung::TrailingBlanks,
    );
}

/// An author who has counted the lines, and names the line at which they begin, has seen the text.
#[test]
fn regression_a_diff_made_of_the_text_is_done() {
    let done = |text: &str, diff: &str| patched(text, &[hunk(diff)]).map(|(text, _)| text);
    assert_eq!(done("a\n}\nb\n", "!1\n a\n }\n+b\n"), Ok("a\n}\nb\nb\n".into()));
    // Lines between others that are there already, and what a program writes at the end of a file.
    let between = "a\n}\n\nfn of_it() {\n}\n\nz\n";
    assert_eq!(done(between, "!1\n a\n+}\n+\n+fn of_it() {\n }\n \n"), Ok(between.into()));
    let end = "a\nb\nc\nand_more();\n";
    assert_eq!(done(end, "!1\n a\n b\n c\n+and_more();\n"), Ok(end.into()));
    // An end of many lines that is appended once more.
    assert_eq!(done("x\nb\n", "!2\n+x\n+b\n"), Ok("x\nb\nx\nb\n".into()));
    assert_eq!(done("x\nb\n", "#2\n+x\n+b\n"), Ok("x\nb\n".into()));
    // A placeholder that the commit itself has.
    let dots = ">>> f()\nx\ny\n";
    assert_eq!(done(dots, "!2\n-x\n-y\n+...\n"), Ok(">>> f()\n...\n".into()));
    // At another line, or not counted, it may have been done before.
    for header in ["!2", "#1", "#2"] {
        let failure = patched("a\n}\nb\n", &[hunk(&format!("{header}\n a\n }}\n+b\n"))]).unwrap_err();
        assert_eq!(failure, PatchFailure::AlreadyInFile { lines: (1, 2) }, "{header}");
    }
}

#[test]
fn rung_5_says_held_already_only_if_nothing_is_missing() {
    // One of two edges is there; the other is not.
    let file = "use std::fmt;\nuse std::io;\n";
    let failure = refused(file, "use std::io;\n", "use std::fmt;\nuse std::io;\nuse std::path;\n");
    assert_eq!(failure, PatchFailure::AlreadyInFile { lines: (2, 2) });
    becomes(file, "use std::io;\n", "use std::fmt;\nuse std::io;\n", file, Rung::AlreadyApplied);
    // What should have gone is still next to it.
    let (search, replace) = ("begin_of_it();\nold_call(1);\n", "begin_of_it();\nnew_call(2);\n");
    becomes(replace, search, replace, replace, Rung::AlreadyApplied);
    let both = "begin_of_it();\nnew_call(2);\nold_call(1);\n";
    assert_eq!(refused(both, search, replace), PatchFailure::AlreadyInFile { lines: (1, 2) });
}

#[test]
fn rung_6_undoes_damage_that_is_everywhere() {
    let file = "let a = \"<x>\";\nlet b = 2;\n";
    let wanted = "let a = \"<y>\";\nlet b = 2;\n";
    becomes(
        file,
        "7 | let a = \"<x>\";\n8 | let b = 2;\n",
        "7 | let a = \"<y>\";\n8 | let b = 2;\n",
        wanted,
        Rung::Damage,
    );
    becomes(file, "let a = \"&lt;x&gt;\";\n", "let a = \"&lt;y&gt;\";\n", wanted, Rung::Damage);
    becomes(file, "let a = \\\"<x>\\\";\n", "let a = \\\"<y>\\\";\n", wanted, Rung::Damage);
    becomes(
        file,
        "let a = “<x>”;\nlet b = 2;\n",
        "let a = “<x>”;\nlet b = 3;\n",
        &file.replace('2', "3"),
        Rung::Damage,
    );
    // Damage in some places only cannot be distinguished from what is meant.
    assert_eq!(refused(file, "let a = \"&lt;x>\";\n", "let a = \"&lt;y>\";\n"), PatchFailure::NoMatch);
    assert_eq!(refused(file, "let a = “<x>”;\n", "let a = “<y>”;\n"), PatchFailure::Unclear { line: 1 });
    assert_eq!(refused(file, "7 | let a = \"<x>\";\n9 | let b = 2;\n", "x\n"), PatchFailure::NoMatch);
}

#[test]
fn rung_7_ignores_blank_lines() {
    becomes("a\n\nb\nc\n", "a\nb\nc\n", "a\nB\nc\n", "a\n\nB\nc\n", Rung::BlankLines);
    becomes("a\nb\nc\n", "a\n\nb\nc\n", "a\n\nb\nC\n", "a\nb\nC\n", Rung::BlankLines);
    // On which side of the blank line would the new one belong?
    assert_eq!(refused("a\n\nb\n", "a\nb\n", "a\nx\nb\n"), PatchFailure::Unclear { line: 1 });
    assert_eq!(refused("a\n\nb\n\nc\n", "a\nb\nc\n", "a\nc\n"), PatchFailure::Unclear { line: 1 });
}

#[test]
fn regression_blank_lines_that_an_answer_drops_stay() {
    for (file, old, new, wanted) in [
        ("f:\n  a\n\n  b\nend\n", "f:\n  a\n  b\nend\n", "f:\n  c\n  d\nend\n", "f:\n  c\n\n  d\nend\n"),
        ("a\n\n\nb\n\nc\n", "a\nb\nc\n", "x\ny\nz\n", "x\n\n\ny\n\nz\n"),
        ("a\n\nb\nc\n", "a\nb\nc\n", "x\ny\nc\n", "x\n\ny\nc\n"),
        ("a\n  \nb\nc\n", "a\nb\nc\n", "x\ny\nz\n", "x\n  \ny\nz\n"),
        ("a\r\n\r\nb\r\nc\r\n", "a\nb\nc\n", "x\ny\nc\n", "x\r\n\r\ny\r\nc\r\n"),
        ("a\n\nb\nc\n", "a\nb\nc\n", "a\nb\nc\nd\n", "a\n\nb\nc\nd\n"),
    ] {
        becomes(file, old, new, wanted, Rung::BlankLines);
    }
    // Fewer lines, others than there were, or a blank line of the answer's own leave it open where they belong.
    for (file, old, new) in [
        ("a\n\nb\n", "a\nb\n", "x\ny\n"),
        ("a\n\nb\nc\n", "a\nb\nc\n", "x\nc\n"),
        ("a\n\nb\n\nc\n", "a\nb\n\nc\n", "x\ny\n\nz\n"),
    ] {
        assert_eq!(refused(file, old, new), PatchFailure::Unclear { line: 1 }, "{file:?}");
    }
}

#[test]
fn rung_8_leaves_out_what_an_elision_stands_for() {
    let file = "fn f() {\n    one();\n    two();\n    three();\n}\n";
    for dots in
        ["...", "    // ... existing code ...", "// …", "    /* ... */", "# rest of the code unchanged"]
    {
        let search = format!("fn f() {{\n{dots}\n    three();\n");
        let replace = format!("fn f() {{\n{dots}\n    four();\n");
        becomes(file, &search, &replace, &file.replace("three", "four"), Rung::Elision);
    }
    assert_eq!(
        refused(file, "    three();\n...\nfn f() {\n", "    four();\n...\nfn f() {\n"),
        PatchFailure::NoMatch
    );
    let twice = format!("{file}{file}");
    let failure = refused(&twice, "fn f() {\n...\n    two();\n", "fn f() {\n...\n    2();\n");
    assert!(matches!(failure, PatchFailure::Ambiguous { count: 2, .. }), "{failure:?}");
    becomes("def f():\n    pass\n", "    pass\n", "    ...\n", "def f():\n    ...\n", Rung::Exact);
}

#[test]
fn rung_9_lets_far_context_differ() {
    let file = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
    let search = "one\ntow\nthree\nfour\nfive\nsix\n";
    becomes(file, search, &search.replace("four", "4"), &file.replace("four", "4"), Rung::Context);
    let missing = "one\nthree\nfour\nfive\nsix\n";
    becomes(file, missing, &missing.replace("four", "4"), &file.replace("four", "4"), Rung::Context);
    // What touches the change differs; too much differs; what changes differs.
    assert_eq!(
        refused(file, "one\ntwo\ntree\nfour\nfive\nsix\n", "one\ntwo\ntree\n4\nfive\nsix\n"),
        PatchFailure::NoMatch
    );
    assert_eq!(
        refused(file, "1\n2\nthree\nfour\nfive\nsix\n", "1\n2\nthree\n4\nfive\nsix\n"),
        PatchFailure::NoMatch
    );
    assert_eq!(
        refused(file, "one\ntwo\nthree\nfoür\nfive\nsix\n", "one\ntwo\nthree\n4\nfive\nsix\n"),
        PatchFailure::NoMatch
    );
    let twice = format!("{file}{}", file.replace("one", "ONE"));
    let failure = refused(&twice, search, &search.replace("four", "4"));
    assert!(matches!(failure, PatchFailure::Ambiguous { rung: Rung::Context, count: 2, .. }), "{failure:?}");
}

/// Code that occurs twice, nearly: the one that is meant has changed, and the other one must not be taken.
#[test]
fn regression_rung_9_takes_no_relative() {
    let file = "a()\nb()\nc()\n} q\n\nmy_x\n\nz\na()\nb()\nc()\n}\n\nsub y\n";
    let search = "a()\nb()\nc()\n}\n\nmy_x\n";
    assert_eq!(refused(file, search, &search.replace('}', "]")), PatchFailure::Unclear { line: 9 });
    let file = "one\ntwo\nthree\nfour\nfive\n\t\t  six\n";
    let search = "one\ntwo\nthree\nfour\nfive\n     six\n";
    let replace = search.replace("three\n", "three\n    3\n");
    assert!(refused(file, search, &replace).kind() == clada_protocol::ErrorKind::NoMatch);
}

#[test]
fn regression_rung_4_keeps_what_is_deeper_deeper() {
    let lines = PatchFailure::Indentation { lines: (1, 3) };
    assert_eq!(refused("}\n\nx();\n", "    }\n\nx();\n", "    }\n\n    y();\nx();\n"), lines);
}

#[test]
fn no_rung_is_similarity() {
    let file = "fn main() {\n    let total = compute(items);\n    print(total);\n}\n";
    let search = "    let total = compute(item);\n    print(total);\n";
    assert_eq!(refused(file, search, "    print(0);\n"), PatchFailure::NoMatch);
}

#[test]
fn rungs_have_numbers_and_names() {
    assert_eq!((Rung::Identical.number(), Rung::Context.number()), (0, 9));
    assert_eq!(Rung::Indentation.to_string(), "indentation");
    assert!(Rung::Indentation.is_named() && !Rung::TrailingBlanks.is_named());
}
