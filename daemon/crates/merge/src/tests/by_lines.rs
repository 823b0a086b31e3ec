//! Listings with markers, by lines.

use clada_test_extent::cases;

use crate::{Level, Part, Reason, merge};

/// A listing: its name, the file, the part, and the merged file or the reason for the refusal.
type Case = (&'static str, &'static str, &'static str, Result<&'static str, Reason>);

const CASES: &[Case] = &[
    (
        "a line between markers",
        "a1\nb1\nc1\nd1\n",
        "# ...\nb1\nnew\nc1\n# ...\n",
        Ok("a1\nb1\nnew\nc1\nd1\n"),
    ),
    ("a line goes", "a1\nb1\nc1\nd1\ne1\n", "# ...\nb1\nd1\n# ...\n", Ok("a1\nb1\nd1\ne1\n")),
    ("no end of line at the end", "a1\nb1\nc1", "# ...\nb1\nc2\nc1", Ok("a1\nb1\nc2\nc1")),
    ("line ends of the file", "a1\r\nb1\r\nc1\r\n", "// ...\nb1\nnew\nc1\n", Ok("a1\r\nb1\r\nnew\r\nc1\r\n")),
    ("blanks at line ends", "a1\nb1  \nc1\n", "// ...\nb1\nnew\nc1\n", Ok("a1\nb1  \nnew\nc1\n")),
    ("no marker above", "a1\nb1\nc1\nd1\n", "b1\nnew\nc1\n// ...\n", Ok("a1\nb1\nnew\nc1\nd1\n")),
    ("no marker below", "a1\nb1\nc1\nd1\n", "// ...\nb1\nnew\nc1\n", Ok("a1\nb1\nnew\nc1\nd1\n")),
    ("new beside a marker", "a1\nb1\nc1\n", "a1\n// ...\nnew\n// ...\nc1\n", Err(Reason::NoPlace)),
    ("two places", "a1\nx1\nb1\nx1\nc1\n", "# ...\nx1\nnew\n# ...\n", Err(Reason::NoPlace)),
    ("two places of a pair", "x1\ny1\nb1\nx1\ny1\n", "# ...\nx1\nnew\ny1\n# ...\n", Err(Reason::NoPlace)),
    ("already there", "a1\nb1\nc1\n", "# ...\nb1\n# ...\n", Err(Reason::AlreadyThere)),
];

#[test]
fn listings_merge_by_lines() {
    for (name, file, part, wanted) in CASES {
        let merged = merge(file, &Part::new(part, "txt"));
        match (merged, wanted) {
            (Ok(merged), Ok(wanted)) => {
                assert_eq!(&merged.text, wanted, "{name}");
                assert_eq!(merged.level, Level::Proven, "{name}");
            }
            (Err(refused), Err(reason)) => assert_eq!(refused.reason, *reason, "{name}: {refused}"),
            (merged, wanted) => panic!("{name}: {merged:?}, not {wanted:?}"),
        }
    }
}

#[test]
fn notes_say_what_happens() {
    let file = "a1\nb1\nc1\nd1\ne1\nf1\ng1\n";
    let merged = merge(file, &Part::new("a1\nnew\nb1\nd1\ne2\nf1\n# ...\n", "py")).unwrap();
    let notes: Vec<String> = merged.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "inserted `new` after `a1`",
            "removes 1 line the answer does not mention, from `c1`",
            "changed line 5 from `e1`",
        ]
    );
}

#[test]
fn a_long_run_of_lines_does_not_go() {
    let line = |at: usize| format!("line {at}\n");
    let file: String = (0..40).map(line).collect();
    for gone in [5, 7, 15] {
        let part: String = (0..10).chain(10 + gone..35).map(line).chain(["# ...".to_owned()]).collect();
        let merged = merge(&file, &Part::new(&part, "txt"));
        assert_eq!(merged.is_ok(), gone <= 6, "{gone}: {merged:?}");
    }
}

#[test]
fn large_texts_are_merged_or_refused_within_bounds() {
    let count = cases(10_000, 100_000);
    let file: String = (0..count).map(|at| format!("line {at}\n}}\n")).collect();
    let part = "// ...\nline 5000\n}\nnew\nline 5001\n// ...\n";
    assert!(merge(&file, &Part::new(part, "txt")).is_ok());
    // Every line of the one is a line of the other.
    let part: String = "// ...\n}\n".repeat(count / 50);
    assert!(merge(&file, &Part::new(&part, "txt")).is_err());
}

#[test]
fn a_line_that_moved_is_not_there_twice() {
    let file = "first()\nsecond()\ncheck_the_statement()\nthird()\nfourth()\n";
    let part = "first()\ncheck_the_statement()\nsecond()\n# ...\nfourth()\n";
    assert!(merge(file, &Part::new(part, "py")).is_err());
}

#[test]
fn what_a_marker_keeps_is_not_set_again() {
    let file = ".box {\n  color: red;\n  margin: 0;\n  border: 0;\n}\n";
    let part = ".box {\n  /* ... */\n  margin: 0;\n  color: blue;\n  border: 0;\n}\n";
    for extension in ["css", "txt"] {
        let merged = merge(file, &Part::new(part, extension));
        let count = merged.as_ref().map_or(1, |merged| merged.text.matches("color").count());
        assert_eq!(count, 1, "{extension}: {merged:?}");
    }
}

#[test]
fn regression_a_module_that_is_used_stays_imported() {
    let body = "\n\nclass Quiz:\n    def load(self):\n        self.word = random.choice(words)\n        with open(path) as file:\n            return file.read()\n";
    let file = format!(
        "import os\nimport random\nimport tkinter as tk\n\nimport requests\n{body}\n\nroot = tk.Tk()\n"
    );
    let part = "import os\nimport requests\n\nclass Quiz:\n    # ...\n\n    def load(self):\n        with open(path, 'r') as file:\n            return file.read()\n";
    if let Ok(merged) = merge(&file, &Part::new(part, "py")) {
        assert!(merged.text.contains("import random\nimport tkinter as tk\n"), "{}", merged.text);
    }
}

#[test]
fn regression_a_script_keeps_one_default_export_and_its_fragments_closed() {
    let file = "const Rota = () => (\n  <div>\n    <Main />\n  </div>\n);\n\nexport default Rota;\n";
    for part in [
        "export default function Home() {\n  return <Main />;\n}\n\n// ... existing code ...\n",
        "const Rota = () => (\n  <>\n    <Header />\n  <div>\n    // ... existing code ...\n",
    ] {
        if let Ok(merged) = merge(file, &Part::new(part, "tsx")) {
            assert_eq!(merged.text.matches("export default").count(), 1, "{}", merged.text);
            assert_eq!(
                merged.text.matches("<>").count(),
                merged.text.matches("</>").count(),
                "{}",
                merged.text
            );
        }
    }
}

#[test]
fn regression_lines_of_a_string_stay_where_the_file_has_them() {
    let file = "def ask(total):\n    if total:\n        prompt = f\"\"\"\nThese are the numbers:\n- all: {total}\n\nAnswer in words.\n\"\"\"\n        return send(prompt)\n    return None\n";
    let part = "prompt = f\"\"\"\nThese are the numbers:\n- all: {total}\n\nAnswer in few words.\n\"\"\"\n";
    let merged = merge(file, &Part::new(part, "py")).unwrap();
    assert_eq!(merged.text, file.replace("in words", "in few words"));
}
