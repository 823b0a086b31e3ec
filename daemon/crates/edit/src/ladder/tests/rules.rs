//! The rules of safety, which hold on every rung.

use super::*;

fn ambiguous(failure: &PatchFailure) -> Vec<(usize, usize)> {
    match failure {
        PatchFailure::Ambiguous { lines, .. } => lines.clone(),
        other => panic!("not ambiguous: {other:?}"),
    }
}

#[test]
fn several_places_stop_the_descent() {
    let file = "a\nx\na\n  b\n";
    assert_eq!(ambiguous(&replaced(file, "a\n", "A\n").unwrap_err()), [(1, 1), (3, 3)]);
    // Exact at two places, and with other indentation at one: no looser rung decides.
    let file = "f\n  a\ng\n  a\nh\n a\n";
    assert_eq!(ambiguous(&replaced(file, "  a\n", "  b\n").unwrap_err()), [(2, 2), (4, 4)]);
    let failure = replaced("  a\n    a\n", "a\n", "b\n").unwrap_err();
    assert_eq!(failure.kind(), clada_protocol::ErrorKind::Ambiguous);
}

#[test]
fn a_line_number_decides_only_where_the_hunk_is_exactly_there() {
    let file = "x\na\ny\na\n";
    let at = |line: u32, old: &str| hunk(&format!("#{line}\n-{old}\n+b\n"));
    assert_eq!(patched(file, &[at(4, "a")]), Ok(("x\na\ny\nb\n".into(), Rung::Exact)));
    assert_eq!(ambiguous(&patched(file, &[at(3, "a")]).unwrap_err()).len(), 2);
    assert_eq!(ambiguous(&patched(file, &[at(4, "a ")]).unwrap_err()).len(), 2);
    assert_eq!(patched("x\na\n", &[at(9, "a")]), Ok(("x\nb\n".into(), Rung::Exact)));
    assert_eq!(patched(file, &[at(u32::MAX, "y")]), Ok(("x\na\nb\na\n".into(), Rung::Exact)));
}

#[test]
fn scopes_narrow() {
    let file =
        "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n";
    let wanted = Ok((
        "class A:\n    def f(self):\n        return 2\n\nclass B:\n    def f(self):\n        return 1\n"
            .into(),
        Rung::Exact,
    ));
    let change = "-        return 1\n+        return 2\n";
    assert_eq!(patched(file, &[hunk(&format!("@class A:\n@def f(self):\n{change}"))]), wanted);
    assert_eq!(ambiguous(&patched(file, &[hunk(&format!("@def f(self):\n{change}"))]).unwrap_err()).len(), 2);
    let outside = hunk("@class B:\n-class A:\n+class C:\n");
    assert_eq!(patched(file, &[outside]), Err(PatchFailure::OutOfPlace { lines: (1, 1) }));
    let unknown = hunk("@class Z:\n-class A:\n+class C:\n");
    assert!(patched(file, &[unknown]).is_ok());
}

#[test]
fn the_end_of_the_file_is_the_end() {
    assert_eq!(patched("a\nb\na\n", &[hunk("$\n-a\n+c\n")]), Ok(("a\nb\nc\n".into(), Rung::Exact)));
    assert_eq!(patched("a\nb\n", &[hunk("$\n-a\n+c\n")]), Err(PatchFailure::OutOfPlace { lines: (1, 1) }));
}

#[test]
fn new_lines_alone() {
    let added = |text: &str, diff: &str| patched(text, &[hunk(diff)]).map(|(text, _)| text);
    assert_eq!(added("a\n", "+b\n+c\n"), Ok("a\nb\nc\n".into()));
    assert_eq!(added("a", "+b\n"), Ok("a\nb".into()));
    assert_eq!(added("", "#1\n+b\n"), Ok("b\n".into()));
    assert_eq!(added("a\nb\n", "+b\n"), Ok("a\nb\n".into()));
    assert_eq!(added("a\nb\n", "@a\n+x\n"), Ok("a\nx\nb\n".into()));
    assert_eq!(added("a\nx\nb\n", "@a\n+x\n"), Ok("a\nx\nb\n".into()));
    assert_eq!(added("a\nb\n", "#1\n+x\n"), Err(PatchFailure::NoPlace));
    assert_eq!(added("a\n", "#1\n+x\n"), Err(PatchFailure::NoPlace));
    assert_eq!(added("a\nb\n", "#2\n+x\n"), Ok("a\nb\nx\n".into()));
    assert_eq!(added("a\n", "@z\n+x\n"), Err(PatchFailure::ScopeNotFound { scope: "z".into() }));
    assert_eq!(ambiguous(&added("a\na\n", "@a\n+x\n").unwrap_err()).len(), 2);
}

#[test]
fn hunks_follow_each_other_and_fall_back_to_the_whole_file() {
    let file = "a\nb\na\nc\n";
    let (b, a, c) = (hunk("-b\n+B\n"), hunk("-a\n+A\n"), hunk("-c\n+C\n"));
    assert_eq!(patched(file, &[b.clone(), a.clone()]), Ok(("a\nB\nA\nc\n".into(), Rung::Exact)));
    assert_eq!(patched(file, &[c, b.clone()]), Ok(("a\nB\na\nC\n".into(), Rung::Exact)));
    assert_eq!(ambiguous(&patched(file, &[hunk("-c\n+C\n"), a]).unwrap_err()).len(), 2);
    // A line number that is exactly right elsewhere is not overruled by the order.
    assert_eq!(ambiguous(&patched(file, &[b.clone(), hunk("#1\n-a\n+A\n")]).unwrap_err()).len(), 2);
    // Models repeat themselves.
    assert_eq!(patched(file, &[b.clone(), b]), Ok(("a\nB\na\nc\n".into(), Rung::AlreadyApplied)));
}

#[test]
fn new_lines_at_two_places_do_not_say_that_a_hunk_was_applied() {
    let (old, new) =
        ("let old = one();\nlet other = old;\n", "let first = compute();\nlet second = first;\n");
    let once = format!("a\n{new}b\n");
    assert_eq!(replaced(&once, old, new), Ok((once.clone(), Rung::AlreadyApplied)));
    for between in ["", "\n", "c\n"] {
        let twice = format!("a\n{new}{between}{new}b\n");
        let failure = replaced(&twice, old, new).unwrap_err();
        assert!(matches!(failure, PatchFailure::AlreadyInFile { .. }), "{failure:?}");
    }
}

#[test]
fn changes_that_meet_are_a_conflict() {
    let hunks = [hunk("-b\n+x\n"), hunk(" a\n-b\n+y\n")];
    let conflict = PatchFailure::Conflict { with: 0, hunk: 1, line: 2 };
    assert_eq!(patched("a\nb\n", &hunks), Err(conflict));
    let inserts = [hunk(" a\n+x\n"), hunk(" a\n+y\n b\n")];
    assert!(matches!(patched("a\nb\n", &inserts), Err(PatchFailure::Conflict { .. })));
}

#[test]
fn line_ends_are_those_of_the_file() {
    let text = |text: &str, search: &str, replace: &str| replaced(text, search, replace).unwrap().0;
    assert_eq!(text("a\r\nb\r\n", "a\n", "x\ny\n"), "x\r\ny\r\nb\r\n");
    assert_eq!(text("a\nb\r\nc\n", "b\n", "x\ny\n"), "a\nx\r\ny\r\nc\n");
    assert_eq!(text("a\rb\r", "a\n", "x\ny\n"), "x\ry\rb\r");
    assert_eq!(text("a\nb", "b\n", "x\ny\n"), "a\nx\ny");
    assert_eq!(text("a\nb", "a\nb\n", "a\n"), "a");
    assert_eq!(text("a\nb\n", "b", "x"), "a\nx\n");
    assert_eq!(text("\u{feff}a\r\nb", "a\n", "x\n"), "\u{feff}x\r\nb");
    assert_eq!(text("a\u{2028}b\u{b}c\n", "a\u{2028}b\u{b}c\n", "d\n"), "d\n");
}

#[test]
fn levels_stop_where_they_say() {
    let at = |level, search: &str| {
        let hunks = [replacing_hunk(search, "x\n")];
        apply_hunks_tolerant(&decode("a\n  b\n"), &hunks, level, LIMIT).map(|patched| patched.matched_by[0])
    };
    assert_eq!(at(Match::Exact, "a\n"), Ok(Rung::Exact));
    assert_eq!(at(Match::Exact, "a \n").unwrap_err().failure, PatchFailure::NoMatch);
    assert_eq!(at(Match::Strict, "a \n"), Ok(Rung::TrailingBlanks));
    assert_eq!(at(Match::Strict, "b\n").unwrap_err().failure, PatchFailure::NoMatch);
    assert_eq!(at(Match::Tolerant, "b\n"), Ok(Rung::Indentation));
    let hunks = [replacing_hunk("old\n", "a longer line\nb\n")];
    let already =
        apply_hunks_tolerant(&decode("a longer line\nb\n"), &hunks, Match::Strict, LIMIT).unwrap_err();
    assert_eq!(already.kind(), clada_protocol::ErrorKind::AlreadyInFile);
    let change = [hunk_of_text("a\n", "b\n").unwrap()];
    assert_eq!(would_match(&decode("  a\n"), &change), Some(Rung::Indentation));
    assert_eq!(would_match(&decode("  a\n  a\n"), &change), None);
}

#[test]
fn a_text_that_ends_in_a_line_leaves_that_line() {
    let file = "x\n  a\n  b\ny\n";
    let replaced = |old: &str, new: &str| patched(file, &[hunk_of_text(old, new).unwrap()]).unwrap().0;
    assert_eq!(replaced("a\nb", "c"), "x\n  c\ny\n");
    assert_eq!(replaced("a\nb\n", ""), "x\ny\n");
    assert_eq!(replaced(" x ", ""), "\n  a\n  b\ny\n");
    assert_eq!(replaced("x \n", "X\n"), "X\n  a\n  b\ny\n");
    assert_eq!(replaced("x ", "X\n"), "X\n\n  a\n  b\ny\n");
    assert_eq!(hunk_of_text("a\n", "b"), None);
    assert_eq!(hunk_of_text("", "b"), None);
}

#[test]
fn the_last_line_ends_as_a_hunk_that_changes_it_says() {
    let ends = |file: &str, diff: &str, final_newline: bool| {
        let hunk = Hunk { final_newline: Some(final_newline), ..hunk(diff) };
        patched(file, &[hunk]).map(|(text, _)| text)
    };
    assert_eq!(ends("a\nb", " a\n-b\n+c\n", true), Ok("a\nc\n".into()));
    assert_eq!(ends("a\nb\n", " a\n-b\n+c\n", false), Ok("a\nc".into()));
    assert_eq!(ends("a\r\nb", " a\n-b\n+c\n", true), Ok("a\r\nc\r\n".into()));
    assert_eq!(ends("a\nb", " a\n-b\n", true), Ok("a\n".into()));
    assert_eq!(ends("a\n", " a\n+b\n", false), Ok("a\nb".into()));
    assert_eq!(ends("", "+b\n", false), Ok("b".into()));
    // Nothing but the end of the last line changes.
    assert_eq!(ends("a\nb", "-b\n+b\n", true), Ok("a\nb\n".into()));
    assert_eq!(ends("a\nb\n", "-b\n+b\n", false), Ok("a\nb".into()));
    assert_eq!(ends("b\na\n", "-b\n+b\n", false), Err(PatchFailure::NoMatch));
    // It is not reached, or it is context.
    assert_eq!(ends("a\nb\n", "-a\n+c\n", false), Ok("c\nb\n".into()));
    assert_eq!(ends("a\nb\n", "-a\n+c\n b\n", false), Ok("c\nb\n".into()));
}

#[test]
fn a_result_that_is_too_large_is_refused() {
    let error = apply_hunks_tolerant(&decode("a\n"), &[hunk("-a\n+abc\n")], Match::Exact, 3).unwrap_err();
    assert_eq!(error.failure, PatchFailure::TooLarge { size: 4, limit: 3 });
}

/// A large text takes a number of walks over its lines, however alike they are.
#[test]
fn work_is_linear() {
    let distinct: String = (0..100_000).map(|line| format!("line number {line:07} here\n")).collect();
    let alike = "    }\n".repeat(20_000);
    let mixed: String = (0..20_000).map(|line| if line % 3 == 0 { "}\n" } else { "\n" }).collect();
    let many = "    }\n".repeat(2_000);
    let near = "line number 0050000 here\nline number 0050002 here\nline number 0050003 here\n";
    let alike_searches = [
        format!("{many}x\n{many}"),
        format!("{many}\n\n}}\n{many}"),
        "}\n\n}\n}\nz\n".repeat(900),
        "}\n...\n}\n".repeat(50),
    ];
    spends_little(&distinct, near);
    // Thousands of places that nearly match: by their context, and by the blank lines around them.
    let near_matches: String = (0..4_000)
        .map(|at| format!("\nfn same() {{\n    first(1);\n    second({at});\n    third(3);\n}}\n"))
        .collect();
    for search in [
        "fn same() {\n    first(1);\n    second(x);\n    third(3);\n}\n",
        "\n\nfn same() {\n    first(1);\n    second(77);\n    third(3);\n}\n\n\n",
        "\n\n    second(77);\n\n\n",
        "fn same() {\n...\n    third(3);\n}\n",
    ] {
        spends_little(&near_matches, search);
    }
    for search in &alike_searches {
        spends_little(&alike, search);
        spends_little(&mixed, search);
    }
}

fn spends_little(file: &str, search: &str) {
    let text = decode(file);
    let replace = search.replacen('}', "} //", 3).replacen("0050002", "x", 1);
    let hunks = [replacing_hunk(search, &replace)];
    let index = Index::new(&text);
    let _ = apply_to(&index, &text, (&hunks, &turns(&hunks)), Match::Tolerant, LIMIT * 4);
    let lines = (index.len() + search.lines().count()) as u64;
    assert!(index.spent() <= 120 * lines, "{} steps for {lines} lines", index.spent());
}

#[test]
fn failures_have_hints() {
    let file = "fn main() {\n    let total = compute(items);\n    print(total);\n}\n";
    let text = decode(file);
    let hunks = [replacing_hunk("    let total = compute(item);\n    print(total);\n", "    print(0);\n")];
    let error = apply_hunks_tolerant(&text, &hunks, Match::Tolerant, LIMIT).unwrap_err();
    assert_eq!((error.code(), error.issue().as_str()), ("NO_MATCH", "lines to change not found in"));
    let hint = hint_for_hunk(&text, &hunks, &error).unwrap();
    assert_eq!(hint.lines, Some((2, 3)));
    let twice = decode("a\nb\nb\n");
    let hunks = [replacing_hunk("b\n", "c\n")];
    let error = apply_hunks_tolerant(&twice, &hunks, Match::Tolerant, LIMIT).unwrap_err();
    let hint = hint_for_hunk(&twice, &hunks, &error).unwrap();
    assert!(hint.text.starts_with("the lines to change occur at 2 places:"), "{}", hint.text);
}

/// The lines are at one place without their blank lines, and changed, but with them, at another.
#[test]
fn regression_a_near_duplicate_does_not_take_the_place_of_a_stale_target() {
    let file = "fn a() {\n    start(1);\n    stop();\n}\n\n    start(2);\n    stop();\n\nfn b() {}\n";
    let failure = |search: &str, replace: &str| replaced(file, search, replace).unwrap_err();
    let unclear = PatchFailure::Unclear { line: 2 };
    assert_eq!(failure("\n    start(1);\n    stop();\n\n", "\n    go();\n    stop();\n\n"), unclear);
    let one = "x\n    value = compute(1)\ny\n\n    value = compute(2)\n\nz\n";
    let failure = replaced(one, "\n    value = compute(1)\n\n", "\n    value = 0\n\n").unwrap_err();
    assert_eq!(failure, unclear);
    // Nothing like it is framed by blank lines: they are the model's own.
    let wanted = "x\n    value = 0\ny\n\nother\n\nz\n";
    let file = "x\n    value = compute(1)\ny\n\nother\n\nz\n";
    let result = replaced(file, "\n    value = compute(1)\n\n", "\n    value = 0\n\n");
    assert_eq!(result, Ok((wanted.into(), Rung::EdgeBlankLines)));
}
