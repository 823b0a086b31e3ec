//! New lines that are written relative to a first line whose indentation the text keeps.
//!
//! A text to be replaced may begin behind the blanks of its first line. In
//!
//! ```text
//! if x:                old text      new text
//!     a()              "a()          "c()
//!     b()                  b()"      d()"
//! ```
//!
//! the old text has to repeat the blanks before `b()` to match, while the new one leaves out those before `c()` and
//! before `d()` alike: both stand in the block. Sees lines, and nothing of how they were found.

const CONTINUES: [&str; 14] = [
    "else", "elif", "elsif", "except", "finally", "catch", "rescue", "ensure", "when", "end", "fi", "done",
    "esac", "then",
];
const OPENS: [&str; 6] = [":", "{", "(", "[", "then", "do"];

/// Returns true if the lines of `new` after its first one are written without the blanks `before`, which precede the
/// first line of `old` in the text and stay. `next` is the line of the text that follows the last of `old`.
///
/// Anything that shows that they have the indentation of the file leaves them as they are: a line that `old` has too,
/// a line that closes what they have not opened, old lines outside of the block, or a paragraph of their own where the
/// block ends.
pub(crate) fn is_relative<'l>(
    before: &str,
    old: impl Iterator<Item = &'l str> + Clone,
    new: impl Iterator<Item = &'l str> + Clone,
    next: Option<&str>,
) -> bool {
    if before.is_empty() || !before.trim_matches([' ', '\t']).is_empty() {
        return false;
    }
    let filled = |line: &&str| !line.trim().is_empty();
    let within = |line: &str| line.starts_with(before);
    let later_old = old.skip(1).filter(filled);
    let later_new = new.clone().skip(1).filter(filled);
    let goes_on = next.is_some_and(within);
    let in_block = later_old.clone().all(within) && (goes_on || later_old.clone().next().is_some());
    if !in_block
        || later_new.clone().all(within)
        || later_new.clone().any(|line| later_old.clone().any(|old| old == line))
    {
        return false;
    }
    !continues_before(new.clone()) && (goes_on || !is_apart(before, new))
}

fn is_apart<'l>(before: &str, new: impl Iterator<Item = &'l str>) -> bool {
    let mut blank = false;
    for line in new.skip(1) {
        if line.trim().is_empty() {
            blank = true;
        } else if !line.starts_with(before) {
            return blank;
        } else {
            blank = false;
        }
    }
    false
}

fn continues_before<'l>(new: impl Iterator<Item = &'l str>) -> bool {
    let mut depth = 0_i64;
    let mut opened = Vec::new();
    for (at, line) in new.enumerate() {
        let text = line.trim();
        let indent = if at == 0 { 0 } else { line.len() - line.trim_start().len() };
        let closers = text.chars().take_while(|char| matches!(char, ')' | ']' | '}')).count();
        let word = text.split(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
        let is_continued = CONTINUES.contains(&word) && !opened.contains(&indent);
        if depth < i64::try_from(closers).unwrap_or(i64::MAX) && closers > 0 || is_continued && closers == 0 {
            return true;
        }
        for char in text.chars() {
            depth += match char {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
        }
        if OPENS.iter().any(|end| text.ends_with(end)) || word == "if" || word == "begin" {
            opened.push(indent);
        }
    }
    false
}

/// Not its first line, and no blank ones.
pub(crate) fn indented(before: &str, new: &str) -> String {
    let mut out = String::with_capacity(new.len());
    for (at, line) in new.split_inclusive('\n').enumerate() {
        if at > 0 && !line.trim().is_empty() {
            out.push_str(before);
        }
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::{Expect, Match, Text, apply_hunks_tolerant, replace_text, replacing_hunk};

    /// Old text, new text and file, and the file afterwards; `=`: as if the texts were bytes.
    const CASES: [(&str, &str, &str, &str); 17] = [
        ("a()\n    b()", "c()\nd()", "if x:\n    a()\n    b()\n", "if x:\n    c()\n    d()\n"),
        ("a()\n\tb()", "c()\nd()", "f {\n\ta()\n\tb()\n}\n", "f {\n\tc()\n\td()\n}\n"),
        (
            "a()\n    b()",
            "if y:\n    c()\nd()",
            "if x:\n    a()\n    b()\n",
            "if x:\n    if y:\n        c()\n    d()\n",
        ),
        ("a()", "c()\nd()", "if x:\n    a()\n    b()\n", "if x:\n    c()\n    d()\n    b()\n"),
        ("a()\n", "c()\n\nd()\n", "if x:\n    a()\n    b()\n", "if x:\n    c()\n\n    d()\n    b()\n"),
        (
            "a();\n  b();",
            "g({\n  z: 1,\n});",
            "f() {\n  a();\n  b();\n}\n",
            "f() {\n  g({\n    z: 1,\n  });\n}\n",
        ),
        ("- a\n  - b", "- c\n- d", "l:\n  - a\n  - b\n", "l:\n  - c\n  - d\n"),
        (
            "a()\n    b()",
            "if y:\n    c()\nelse:\n    d()",
            "if x:\n    a()\n    b()\n",
            "if x:\n    if y:\n        c()\n    else:\n        d()\n",
        ),
        // The new lines have the indentation of the file.
        ("a()\n    b()", "c()\n    d()", "if x:\n    a()\n    b()\n", "="),
        ("a()\n    b()\nz()", "c()\nz()", "if x:\n    a()\n    b()\nz()\n", "="),
        ("a()\n    b()", "c()\n\ndef g():\n    d()", "def f():\n    a()\n    b()\n", "="),
        ("a()\n    b()", "c()\nelse:\n    d()", "if x:\n    a()\n    b()\n", "="),
        ("a();\n  b();", "c();\n} else {\n  d();", "if x {\n  a();\n  b();\n}\n", "="),
        ("return x", "return y\n\ndef g():\n    pass", "def f():\n    return x\n", "="),
        ("a()\n    b()", "a()\n    b()\nz()", "if x:\n    a()\n    b()\n", "="),
        ("x = 1\n  y", "x = 2\n  y", "f:\n  x = 1\n  y\n", "="),
        // What precedes the match is not blank.
        ("a()\n    b()", "c()\nd()", "if x: a()\n    b()\n", "="),
    ];

    #[test]
    fn regression_new_lines_keep_the_depth_of_the_first() {
        for (old, new, file, expected) in CASES {
            let text = Text::decode(file.as_bytes()).unwrap();
            let expected = if expected == "=" { file.replacen(old, new, 1) } else { expected.to_owned() };
            let edited = replace_text(&text, old, new, Expect::ExactlyOne, usize::MAX).unwrap();
            assert_eq!(String::from_utf8(edited.bytes).unwrap(), expected, "{old:?} -> {new:?}");
            let crlf = |text: &str| text.replace('\n', "\r\n");
            let file = crlf(file);
            let text = Text::decode(file.as_bytes()).unwrap();
            let edited = replace_text(&text, old, new, Expect::ExactlyOne, usize::MAX).unwrap();
            assert_eq!(String::from_utf8(edited.bytes).unwrap(), crlf(&expected), "{old:?} -> {new:?}");
        }
    }

    #[test]
    fn regression_blocks_keep_the_depth_of_the_first_line() {
        for (old, new, file, expected) in CASES.iter().filter(|case| case.3 != "=" && case.0.contains("\n "))
        {
            let text = Text::decode(file.as_bytes()).unwrap();
            let hunk = replacing_hunk(old, new);
            let patched = apply_hunks_tolerant(&text, &[hunk], Match::Tolerant, usize::MAX).unwrap();
            assert_eq!(String::from_utf8(patched.bytes).unwrap(), *expected, "{old:?} -> {new:?}");
        }
    }
}
