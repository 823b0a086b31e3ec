//! Parts that describe the file: signatures, members in a row, dots in a line, an arrow between two states.

use crate::{Losses, Part, Reason, merge};

fn refusal(extension: &str, file: &str, part: &str) -> Option<Reason> {
    merge(file, &Part::new(part, extension)).err().map(|refused| refused.reason)
}

#[test]
fn regression_a_line_that_dots_shorten_is_not_written() {
    let script = "export const A = () => (\n  <g>\n    <path d={lake} fill=\"b\" />\n    {road && (\n      <>\n        <path d={road} />\n        <path d={ink} />\n      </>\n    )}\n  </g>\n);\n";
    for part in [
        "{road && (\n  <>...</>\n)}\n",
        "{road && (\n  <>…</>\n)}\n\n<path d={lake} fill=\"b\" />\n",
        "<path d={lake} ... />\n",
        "<path ... d={lake} />\n",
        "<g>{/* ... */}</g>\n",
        "{road && (\n  <Road>...</Road>\n)}\n",
    ] {
        assert_eq!(refusal("tsx", script, part), Some(Reason::Elided), "{part}");
    }
    for (extension, file, part) in [
        ("js", "const a = () => {\n  one();\n  two();\n};\n", "const a = () => { /* ... */ };\n"),
        ("html", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n", "<ul class=\"x\">...</ul>\n"),
        ("vue", "<template>\n  <Card a=\"1\" b=\"2\" />\n</template>\n", "<Card a=\"3\" ... />\n"),
    ] {
        assert_eq!(refusal(extension, file, part), Some(Reason::Elided), "{part}");
    }
    // Dots that are text, and arguments that are passed on.
    for (file, part) in [
        ("<p>\n  <span>1</span>\n  <b>2</b>\n</p>\n", "<p>\n  <span>...</span>\n  <b>2</b>\n</p>\n"),
        ("<p>\n  <A {...a} />\n</p>\n", "<p>\n  <A {...a} b={[...c]} />\n</p>\n"),
        ("<p>\n  <A>1</A>\n</p>\n", "<p>\n  <A>Loading...</A>\n</p>\n"),
    ] {
        assert_eq!(refusal("jsx", file, part), None, "{part}");
    }
}

#[test]
fn regression_a_head_alone_takes_no_body() {
    for (extension, file, part) in [
        (
            "cs",
            "class A\n{\n    public void Run(int a)\n    {\n        Go(a);\n    }\n\n    int b;\n}\n",
            "public void Run(int a)\n",
        ),
        ("java", "class A {\n    void run(int a) {\n        go(a);\n    }\n}\n", "void run(int a);\n"),
        ("go", "func Run(a int) error {\n\treturn go(a)\n}\n", "func Run(a int) error\n"),
        ("rs", "fn run(a: u8) -> u8 {\n    go(a)\n}\n", "fn run(a: u8) -> u8;\n"),
        ("py", "def run(a):\n    return go(a)\n", "def run(a: int) -> int\n"),
        (
            "kt",
            "class A {\n    fun run(a: Int): Int {\n        return go(a)\n    }\n}\n",
            "fun run(a: Int): Int\n",
        ),
        (
            "php",
            "class A {\n    public function run($a) {\n        go($a);\n    }\n}\n",
            "public function run($a): int\n",
        ),
    ] {
        assert!(refusal(extension, file, part).is_some(), "{part}");
    }
    let (file, heads) = ("int A(int a)\n{\n    return a;\n}\n", "int A(int a)\n");
    assert_eq!(
        Losses::between(file, heads, "cs").unsaid(&[]).as_deref(),
        Some("`A` is shown without its body")
    );
    let file = "fun run(a: Int): Int {\n    return go(a)\n}\n";
    assert_eq!(refusal("kt", file, "fun run(a: Int): Int = go(a)\n"), None);
}

#[test]
fn regression_members_in_a_row_are_the_files() {
    let file = "enum Kind\n{\n    Early = 0,\n    Late = 1,\n    Day = 2\n}\n";
    for (part, reason) in [
        ("Early = 0, Late = 1, Day = 2\n", Reason::AlreadyThere),
        ("Early = 0, Late = 1\n", Reason::AlreadyThere),
        ("Early = 0, Late = 1, Day = 2, Night = 3\n", Reason::Breaks),
    ] {
        assert_eq!(refusal("cs", file, part), Some(reason), "{part}");
    }
}

#[test]
fn regression_an_arrow_between_two_states_is_not_written() {
    let file = "struct A: B, C {\n    let a = 1\n    let b = 2\n}\n";
    for arrow in ["->", "→", "↓", "==>"] {
        let part = format!("    let a = 1\n\n{arrow}\n\n    let a = 3\n");
        assert_eq!(refusal("swift", file, &part), Some(Reason::Breaks), "{arrow}");
    }
}

#[test]
fn regression_a_comment_between_two_states_is_not_written() {
    let file = "import a from './a';\n\nexport function load() {\n  return a;\n}\n";
    for comment in ["// Changed to:", "// becomes:", "/* Replaced with: */", "// Change it to:"] {
        let part = format!("import a from './a';\n{comment}\nimport a from './b';\n");
        assert_eq!(refusal("ts", file, &part), Some(Reason::Breaks), "{comment}");
    }
    let part = "import a from './a';\n// The letter was changed to: a\nimport b from './b';\n";
    assert_eq!(refusal("ts", file, part), None);
}

#[test]
fn regression_what_is_all_there_takes_no_other_entry() {
    let file = "{\n  \"scripts\": {\n    \"dev\": \"vite\",\n    \"lint\": \"eslint\",\n    \"prepare\": \"husky\"\n  },\n  \"a\": 1\n}\n";
    for part in [
        "  \"scripts\": {\n    \"dev\": \"vite\",\n    \"lint\": \"eslint\"\n  },\n",
        "{\n  \"scripts\": {\n    \"lint\": \"eslint\"\n  }\n}\n",
    ] {
        assert_eq!(refusal("json", file, part), Some(Reason::AlreadyThere), "{part}");
    }
}

#[test]
fn regression_a_default_import_is_a_name_too() {
    let file = "import React, { useState, useEffect } from 'react'\nimport { api } from '../api'\n\nexport const a = () => {\n  const b = 1\n  return b\n}\n";
    for (import, expected) in [
        ("import { useState, useEffect } from 'react'", Ok(file.replace("b = 1", "b = 2"))),
        ("import React from 'react'", Ok(file.replace("b = 1", "b = 2"))),
        (
            "import { useMemo } from 'react'",
            Ok(file.replace("useEffect }", "useEffect, useMemo }").replace("b = 1", "b = 2")),
        ),
        ("import React from 'preact'", Err(())),
    ] {
        let part = format!(
            "{import}\n\n// ... existing code ...\n\nexport const a = () => {{\n  const b = 2\n  return b\n}}\n"
        );
        let merged = merge(file, &Part::new(&part, "jsx")).map(|merged| merged.text).map_err(|_| ());
        assert_eq!(merged, expected, "{import}");
    }
}

#[test]
fn regression_a_program_of_its_own_is_no_part() {
    let file = "import os\n\napp = make()\napp.key = 1\n\n\ndef a():\n    return 1\n\n\nif __name__ == '__main__':\n    app.run()\n";
    let part = "#!/usr/bin/env python3\nimport os\n\napp = make()\n\n\ndef a():\n    return 1\n\n\nif __name__ == '__main__':\n    a()\n";
    assert_eq!(refusal("py", file, part), Some(Reason::NoPlace));
}

#[test]
fn regression_a_sample_does_not_take_the_default_export() {
    let file = "import React from 'react';\n\nconst Rota = () => {\n  return <p>rota</p>;\n};\n\nexport default Rota;\n";
    let part = "import React from 'react';\n\nconst App = () => {\n  return <h1>Hello</h1>;\n};\n\nexport default App;\n";
    assert_eq!(refusal("jsx", file, part), Some(Reason::Loses));
    let part = "// ... existing code ...\n\nconst Memo = memo(Rota);\n\nexport default Memo;\n";
    assert_eq!(refusal("jsx", file, part), None);
}

#[test]
fn regression_an_object_without_a_member_in_common_is_another_one() {
    let file = "{\n  \"version\": 2,\n  \"tasks\": [\n    {\n      \"label\": \"a\",\n      \"type\": \"shell\"\n    }\n  ]\n}\n";
    let part = "{\n  \"label\": \"b\",\n  \"type\": \"shell\",\n  \"command\": \"sh\"\n}\n";
    assert!(refusal("json", file, part).is_some());
    let part = Part { label_says_add: true, ..Part::new("{\n  \"options\": {}\n}\n", "json") };
    assert!(merge(file, &part).is_ok());
}

#[test]
fn regression_dots_in_brackets_stand_for_what_is_inside() {
    let json = "{\n  \"server\": {\n    \"port\": 80\n  },\n  \"db\": {\n    \"pool\": 5\n  }\n}\n";
    let script = "const a = () => {\n  one();\n};\n\nconst b = () => {\n  two();\n};\n";
    for (extension, file, part, expected) in [
        (
            "json",
            json,
            "{\n  \"server\": { ... },\n  \"db\": {\n    \"pool\": 6\n  }\n}\n",
            Some(json.replace('5', "6")),
        ),
        (
            "js",
            script,
            "const a = () => {…};\n\nconst b = () => {\n  three();\n};\n",
            Some(script.replace("two", "three")),
        ),
        // The file has no such line: nothing says what is inside.
        ("js", script, "const c = () => { ... };\n\nconst b = () => {\n  three();\n};\n", None),
        ("js", script, "const a = { ...}é;\n", None),
    ] {
        let merged = merge(file, &Part::new(part, extension)).ok().map(|merged| merged.text);
        assert_eq!(merged, expected, "{part}");
    }
}

#[test]
fn regression_an_entry_that_is_commented_out_does_not_stay() {
    let file = "dependencies:\n  image: ^3.3.0\n  google_fonts: 6.1.0\n  intl: ^0.19.0\n";
    let part = "dependencies:\n  image: ^4.1.7\n  intl: ^0.19.0\n\n  # Remove\n  # google_fonts: 6.1.0\n";
    assert_eq!(refusal("yaml", file, part), Some(Reason::Breaks));
}

#[test]
fn regression_a_package_is_required_once() {
    let file = "# Images\npillow==10.1\n\n# Training\neffnet>=0.7\nscikit-learn>=1.3\n";
    for part in ["effnet>=0.7\npillow>=10.0\nscikit-learn>=1.3\n", "# ...\neffnet>=0.7\nPillow\n# ...\n"] {
        assert!(refusal("requirements.txt", file, part).is_some(), "{part}");
    }
    let part = "effnet>=0.7\npillow-avif>=1.0\nscikit-learn>=1.3\n";
    assert_eq!(refusal("requirements.txt", file, part), None);
}
