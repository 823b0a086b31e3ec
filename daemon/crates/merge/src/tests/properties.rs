//! Properties that hold for every file and every part.

use clada_test_extent::cases;
use proptest::prelude::*;

use crate::{Part, merge};

/// Lines that texts of tests are made of: some are alike, some open or close, some are markers.
const LINES: &[&str] = &[
    "",
    "a = 1",
    "a = 2",
    "b = 1",
    "def f():",
    "def g(x):",
    "class C:",
    "    def f(self):",
    "        return 1",
    "    x = 1",
    "    y = 2",
    "}",
    "function f() {",
    "  g(1);",
    "function f() { ... }",
    "f = {...};",
    "g(…é)",
    "import os",
    "from a import b",
    "<div>",
    "</div>",
    "key:",
    "<key>a</key>",
    "<string>b</string>",
    "  - item",
    "# note",
    "\"\"\"",
    "/*",
    "*/",
];
const MARKERS: &[&str] = &["# ... existing code ...", "    # ...", "// ... rest of the code ...", "..."];
const EXTENSIONS: &[&str] =
    &["py", "ts", "rs", "css", "yaml", "json", "html", "md", "plist", "Makefile", "txt", ""];

fn text(lines: impl Strategy<Value = &'static str>, most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(lines, 0..most).prop_map(|lines| lines.join("\n"))
}

/// Checks what holds for every merge.
fn check(file: &str, part: &Part<'_>) {
    let merged = merge(file, part);
    assert_eq!(merged, merge(file, part), "a merge depends on its input alone");
    let Ok(merged) = merged else { return };
    assert_ne!(merged.text, file);
    // Every line that no note is about is there, in order.
    let mut rest = merged.text.lines();
    for (at, line) in file.lines().enumerate() {
        if !merged.notes.iter().any(|note| note.lines.contains(&at)) && !line.trim().is_empty() {
            assert!(rest.any(|other| other.trim() == line.trim()), "{line:?} goes unsaid: {merged:#?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases(400, 20_000)))]

    #[test]
    fn no_line_goes_unsaid(
        file in text(prop::sample::select(LINES), 24),
        part in text(prop_oneof![4 => prop::sample::select(LINES), 1 => prop::sample::select(MARKERS)], 16),
        extension in prop::sample::select(EXTENSIONS),
        label_says_add in any::<bool>(),
    ) {
        check(&file, &Part { label_says_add, ..Part::new(&part, extension) });
    }

    #[test]
    fn any_text_is_merged_or_refused(
        file in "\\PC{0,80}", part in "\\PC{0,80}", extension in prop::sample::select(EXTENSIONS),
    ) {
        check(&file, &Part::new(&part, extension));
    }

    #[test]
    fn a_listing_of_edited_lines_gives_the_edited_file_or_is_refused(
        file in prop::collection::vec("[a-z]{3,6}", 8..40),
        at in any::<prop::sample::Index>(),
        new in "[A-Z]{3,6}",
    ) {
        let at = 2 + at.index(file.len() - 4);
        let mut wanted = file.clone();
        wanted.insert(at, new);
        let listing = [&["// ...".to_owned()], &wanted[at - 2..at + 3], &["// ...".to_owned()]].concat();
        let joined = |lines: &[String]| lines.join("\n") + "\n";
        if let Ok(merged) = merge(&joined(&file), &Part::new(&joined(&listing), "txt")) {
            prop_assert_eq!(merged.text, joined(&wanted));
        }
    }
}

#[test]
fn regression_a_comma_behind_a_line_that_the_part_repeats_is_noted() {
    let part = "</div>\n\na = 1\n# ... existing code ...\n# note\n  g(1);\nkey:";
    check("key:\na = 1\n</div>\na = 1", &Part::new(part, "json"));
}
