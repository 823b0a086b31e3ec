//! Files made to do harm.

use proptest::prelude::*;

use super::super::*;
use super::{only_problem, problems_of, project};

#[test]
fn aliases_are_not_written_out_without_end() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}, ", level - 1).repeat(10);
        text.push_str(&format!("a{level}: &a{level} [{before}]\n"));
    }
    let (settings, problem) = only_problem(&[project(&text)]);
    assert_eq!(settings, Settings::default());
    assert!(problem.contains("with its aliases written out it is too large"), "{problem}");
}

#[test]
fn long_texts_are_not_repeated_without_end() {
    let text = format!("denied: [&a {}{}]\n", "x".repeat(500_000), ", *a".repeat(1_000));
    let (_, problem) = only_problem(&[project(&text)]);
    assert!(problem.contains("with its aliases written out it is too large"), "{problem}");
}

#[test]
fn an_alias_that_holds_itself_ends() {
    let (_, problem) = only_problem(&[project("denied: &a [*a]\n")]);
    assert!(problem.starts_with("project.yaml:1:"), "{problem}");
}

#[test]
fn aliases_may_be_used() {
    let (settings, problems) = resolve(&[project("denied: &both [a]\nask: *both\n")]);
    assert_eq!(problems, []);
    assert_eq!(settings.ask.last().unwrap(), "a");
}

#[test]
fn nesting_ends() {
    for (open, count) in [("[", 1_000_000), ("{", 1_000_000), ("[a: ", 250_000), ("{? ", 300_000)] {
        let (_, problem) = only_problem(&[project(&open.repeat(count))]);
        assert!(
            problem.contains("project.yaml: it cannot be read as YAML: there are more than"),
            "{problem}"
        );
    }
    let many = "[".repeat(900);
    assert_eq!(problems_of(&[project(&many)]).len(), 1);
    for nested in [
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "a: [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]".to_owned(),
    ] {
        let (_, problem) = only_problem(&[project(&nested)]);
        assert!(problem.contains("levels in it") || problem.contains("cannot be read as YAML"), "{problem}");
    }
}

#[test]
fn brackets_in_comments_do_not_count() {
    let text = "  # [one] [two] {three}\n".repeat(2_000);
    assert_eq!(problems_of(&[project(&text)]), [""; 0]);
}

#[test]
fn what_only_looks_like_a_comment_hides_no_brackets() {
    for start in ["#\u{85}", "#\u{2028}", "#\r", "\u{a0}# a: ", "\u{feff}# "] {
        let (_, problem) = only_problem(&[project(&format!("{start}{}", "[".repeat(100_000)))]);
        assert!(problem.contains("there are more than 1000 brackets in it"), "{start:?}");
    }
}

#[test]
fn many_keys_are_not_many_searches() {
    let text: String = (0..9_000).map(|index| format!("\"k{index}\": 1\n")).collect();
    let problems = problems_of(&[project(&text)]);
    assert_eq!(problems.len(), 17);
    let globs: String = (0..1_001).map(|index| format!("  - glob{index}\n")).collect();
    let (_, problem) = only_problem(&[project(&format!("denied:\n{globs}"))]);
    assert!(
        problem.starts_with("project.yaml:2:3: `denied` has 1001 entries. Write at most 1000."),
        "{problem}"
    );
    let (_, problem) = only_problem(&[project(&format!("denied: [{}]", "x".repeat(1_025)))]);
    assert!(problem.contains("has 1025 bytes. Write at most 1024."), "{problem}");
}

#[test]
fn what_is_quoted_hides_nothing() {
    let text = "durability: \"a\\e]0;x\\u202eb\\n- forged\"\n\"\\u200b\\n\": 1\ndenied: [\"[\\u202e\"]\n";
    for problem in problems_of(&[project(text)]) {
        assert!(!clada_protocol::is_suspicious(&problem) && !problem.contains('\n'), "{problem:?}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = resolve(&[project(&text)]);
    }

    #[test]
    fn no_yaml_panics(pieces in proptest::collection::vec(prop::sample::select(vec![
        "limits", "input", "denied", ": ", ":\n  ", "\n", "- ", "[", "]", "{", "}", ", ", "&a ", "*a", "!t ", "\"", "'",
        "|\n", "? ", "# ", "5MB", "~", "---\n", "...\n", "<<", "\t", "  ", "%YAML 1.2\n", "null", "root_aliases",
        "\u{feff}", "\u{85}", "@", "`",
    ]), 0..40)) {
        let text = pieces.concat();
        for layer in [project(&text), super::user(&text)] {
            let (_, problems) = resolve(&[layer]);
            for problem in problems {
                let lines = text.split(['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}']).count() + 1;
                prop_assert!(problem.place.is_none_or(|place| place.line <= lines), "{:?} {}", text, problem);
            }
        }
    }
}
