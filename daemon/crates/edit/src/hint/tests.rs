use proptest::prelude::*;

use super::nearest::{Query, no_match};
use super::*;
use crate::{Expect, replace_text, replace_text_range};

const MB: usize = 1 << 20;

/// A hint for a text that is not there, and what it cost.
fn costed(file: &str, old: &str, new: &str) -> (Hint, WorkBudget) {
    let text = Text::decode(file.as_bytes()).unwrap();
    let mut work = WorkBudget::default();
    let query = Query { field: Field::OldText, old, new, before: 0 };
    let hint = no_match(&text, file, &query, &mut work);
    (hint, work)
}

/// Fails if it took more than a few walks over the file and the old text, and the budget.
fn assert_bounded(file: &str, old: &str, work: &WorkBudget) {
    let walks = 16 * (file.len() + old.len()) as u64;
    assert!(work.walked <= walks, "{} > {walks}", work.walked);
    assert!(work.compared <= WorkBudget::BUDGET);
}

fn program(bytes: usize) -> String {
    let mut text = String::new();
    for number in 0.. {
        text += &format!("fn name_{number}(value: u32) -> u32 {{\n    value + {number}\n}}\n\n");
        if text.len() >= bytes {
            return text;
        }
    }
    text
}

#[test]
fn megabytes_are_searched_within_bounds() {
    let file = program(clada_test_extent::cases(3, 10) * MB);
    let number = clada_test_extent::cases(33_333, 77_777);
    let old = format!("fn name_{number}(value: u64) -> u32 {{\n    value + {number}\n}}\n");
    let (hint, work) = costed(&file, &old, "");
    assert_eq!(hint.lines, Some((4 * number + 1, 4 * number + 3)), "{}", hint.text);
    assert!(hint.text.contains(&format!("answer: fn name_{number}(value: u64)")), "{}", hint.text);
    assert_bounded(&file, &old, &work);
}

#[test]
fn nasty_texts_stay_within_bounds() {
    let size = MB / clada_test_extent::cases(20, 5);
    let same = "the same line again\n".repeat(size / 20);
    let long = "word ".repeat(size / 5);
    let blank = "\n".repeat(size);
    let program = program(size);
    let long_old = "the same line again\n".repeat(clada_test_extent::cases(8_000, 30_000)) + "x\n";
    let olds = [
        "the same line once\n",
        &long_old,
        &long[..size / 2],
        "\n\n \n",
        "no such thing",
        "a\rb\rc",
        &program[7..],
    ];
    for file in [&same, &long, &blank, &program] {
        for old in olds {
            let (hint, work) = costed(file, old, "something new that is not there");
            assert_bounded(file, old, &work);
            assert!(hint.text.len() < 8_000 && hint.text.lines().count() < 40);
        }
    }
}

#[test]
fn a_long_old_text_is_looked_at_where_it_first_differs() {
    let file = program(MB);
    let end = file.match_indices('\n').nth(3_000).unwrap().0;
    let old = file[..end].replace("value + 500\n", "value - 500\n");
    let (hint, _) = costed(&file, &old, "");
    assert!(hint.text.contains("First difference at line 2002 (line 2002 of old_text)"), "{}", hint.text);
    assert!(hint.similarity > Some(90));
}

#[test]
fn many_matches_are_listed_in_part() {
    let file = "go();\nstop();\n".repeat(50);
    let text = Text::decode(file.as_bytes()).unwrap();
    let error = replace_text(&text, "go();", "", Expect::ExactlyOne, MB).unwrap_err();
    let EditError::MatchCount { found: 50, lines, .. } = &error else { panic!("{error:?}") };
    assert_eq!((lines.len(), lines[19]), (20, 39));
    let hint = hint_for_replace(&text, "go();", "", &error).unwrap();
    assert!(hint.text.ends_with("  line 19: go();\n  … and 40 more"), "{}", hint.text);
}

#[test]
fn what_makes_a_match_unique_does() {
    let file = "a {\n  x\n  go\n}\nb {\n  x\n  go\n}\n";
    let text = Text::decode(file.as_bytes()).unwrap();
    let error = replace_text(&text, "  go\n", "", Expect::ExactlyOne, MB).unwrap_err();
    let hint = hint_for_replace(&text, "  go\n", "", &error).unwrap();
    assert!(hint.text.contains("line 3:   go\n    unique if it includes line 5: b {"), "{}", hint.text);
    assert!(replace_text(&text, "  go\n}\nb {", "", Expect::ExactlyOne, MB).is_ok());
}

proptest! {
    #[test]
    fn any_hint_is_short_and_within_the_file(
        file in "([ab \t{}é“]{0,9}(\r\n|\n|\r)?){0,25}",
        old in "([ab \t{}é“]{0,9}(\r\n|\n|\r)?){1,12}",
        end in "[ab{}\n]{1,4}",
        new in "[ab\n]{0,12}",
    ) {
        let text = Text::decode(file.as_bytes()).unwrap();
        let one = replace_text(&text, &old, &new, Expect::ExactlyOne, MB).err();
        let range = replace_text_range(&text, (&old, &end), &new, Expect::ExactlyOne, MB).err();
        let hints = [
            one.and_then(|error| hint_for_replace(&text, &old, &new, &error)),
            range.and_then(|error| hint_for_range(&text, (&old, &end), &new, &error)),
        ];
        for hint in hints.into_iter().flatten() {
            prop_assert!(hint.text.len() < 8_000 && hint.text.lines().count() < 40);
            if let Some((first, last)) = hint.lines {
                prop_assert!(1 <= first && first <= last && last <= text.line_count(), "{:?}", hint);
            }
        }
    }

    #[test]
    fn a_failure_of_other_arguments_does_no_harm(
        file in "\\PC{0,30}",
        old in "\\PC{0,9}",
        line in 0usize..9,
    ) {
        let text = Text::decode(file.as_bytes()).unwrap();
        let errors = [
            EditError::NoMatch { field: Field::Beginning },
            EditError::EndNotFound { after_line: line },
            EditError::MatchCount {
                field: Field::Range,
                expected: Expect::ExactlyOne,
                found: 2,
                lines: Vec::new(),
            },
        ];
        for error in errors {
            let _ = hint_for_replace(&text, &old, &old, &error);
            let _ = hint_for_range(&text, (&old, &old), &old, &error);
        }
    }

    #[test]
    fn a_damaged_line_is_found(number in 0usize..400, damage in 0usize..3) {
        let file = program(20_000);
        let line = 4 * number + 1;
        prop_assume!(line + 2 < file.lines().count());
        let wanted: Vec<&str> = file.lines().skip(line - 1).take(3).collect();
        let old = match damage {
            0 => wanted.join("\n").replace("    value", "  value"),
            1 => wanted.join("\n").replace("value: u32", "value: u64"),
            _ => wanted.join("\n\n"),
        };
        let (hint, _) = costed(&file, &old, "");
        prop_assert_eq!(hint.lines, Some((line, line + 2)), "{}", hint.text);
    }
}

/// The cases of a hint: file, old text, new text, and words of the hint.
#[test]
fn regression_short_and_damaged_texts_get_a_hint() {
    let long = format!("var a=1;{};var zz=9;{}", "function f(){return 1}".repeat(3000), "g();".repeat(200));
    for (file, old, new, said) in [
        ("class A {\n  }\n}\n", "6 | }\n", "6 | }\n0 | x\n", "the numbers before the lines were ignored"),
        (
            "x = \"a\"\ny = 1\n",
            "x = “a”\n",
            "x = “a”\nz\n",
            "typographic quotes, dashes and spaces were ignored",
        ),
        ("a = 1\nB = 2\n", "b = 2\n", "c\n", "letter case"),
        ("x = \"a\"\ny\n", "x = \\\"a\\\"\\ny", "z", "with one level of escapes less"),
        ("p('x')\n\tq\n", "p(\\'x\\')\\n\\tq", "z", "lines 1-2 with one level of escapes less"),
        ("taske\u{301}\nother\n", "task\u{e9}\nother\n", "x\n", "U+00E9 asked, U+0065 U+0301 there"),
        (&*long, "var zz=8;", "x", "…"),
        (&*long, "var zzz=9;", "x", "within line 1"),
        (&*long, ";var yy=9;g();g();", "x", "}};var zz=9;g();g();".trim_start_matches('}')),
    ] {
        let (hint, _) = costed(file, old, new);
        assert!(hint.text.contains(said), "{old}: {}", hint.text);
        assert!(hint.text.len() < 4000, "{}", hint.text.len());
    }
    // Nothing is made up.
    for (file, old) in [("a\nb\n", "quite another text\n"), (&*long, "nothing of the kind here")] {
        assert_eq!(costed(file, old, "x").0.kind, HintKind::Nothing, "{old}");
    }
}

#[test]
fn regression_places_in_long_lines_show_what_is_around_them() {
    let file =
        format!("{}needle(1);{}needle(2);{}", "a();".repeat(500), "b();".repeat(500), "c();".repeat(500));
    let text = Text::decode(file.as_bytes()).unwrap();
    let error = replace_text(&text, "needle", "x", Expect::ExactlyOne, usize::MAX).unwrap_err();
    let hint = hint_for_replace(&text, "needle", "x", &error).unwrap();
    assert!(hint.text.contains("…") && hint.text.contains("needle"), "{}", hint.text);
}
