//! What a copy brings along that is not a part of a text: the numbers of its lines, as readers show them.
//!
//! It must not know files. Numbers count one after the other, before a bar, an arrow or a tab; what only looks like
//! them, as a table's first column may, is for the code that has the file to tell.

/// The text of a line behind its number, and the number: `12 | x`, `12\tx`, `12→x`.
fn behind_number(line: &str) -> Option<(u64, &str)> {
    let trimmed = line.trim_start_matches(' ');
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let number = trimmed.get(..digits)?.parse().ok()?;
    let rest = &trimmed[digits..];
    let bar = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix(['|', '│']);
    let text = match bar {
        Some(text) => text.strip_prefix(' ').unwrap_or(text),
        None => rest.strip_prefix(['\t', '→'])?,
    };
    Some((number, text))
}

/// How many lines of a text begin with their own numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineNumbers {
    /// None, or too few to tell.
    None,
    /// Most, but not all.
    Most,
    /// All: this is the text without them.
    All(String),
}

/// Finds the numbers before the lines of `text`, which count up by one. One line alone is not told.
#[must_use]
pub fn line_numbers(text: &str) -> LineNumbers {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = lines.iter().find_map(|line| behind_number(line));
    let (Some((first, _)), true) = (first, lines.len() > 1) else { return LineNumbers::None };
    let (mut bare, mut next, mut numbered) = (String::with_capacity(text.len()), first, 0);
    for line in &lines {
        match behind_number(line) {
            Some((number, text)) if number == next => {
                (next, numbered) = (next + 1, numbered + 1);
                bare.push_str(text);
            }
            _ => {}
        }
    }
    match numbered {
        numbered if numbered == lines.len() => LineNumbers::All(bare),
        numbered if numbered > 2 && numbered * 4 >= lines.len() * 3 => LineNumbers::Most,
        _ => LineNumbers::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_numbers_of_lines_are_told_from_a_text() {
        for (text, bare) in [
            ("     1\tclass A {\n     2\t  int x;\n     3\t}\n", "class A {\n  int x;\n}\n"),
            ("4 |     walk();\n5 |     stop();\n6 |   }", "    walk();\n    stop();\n  }"),
            (" 9│a\n10│b\n", "a\nb\n"),
            ("1→a\n2→\n3→b\n", "a\n\nb\n"),
            ("1 | a\n2 |\n", "a\n\n"),
        ] {
            assert_eq!(line_numbers(text), LineNumbers::All(bare.to_owned()), "{text}");
        }
        assert_eq!(line_numbers("1 | a\n2 | b\n3 | c\nd\n"), LineNumbers::Most);
        for text in [
            "1 | a\n",
            "1 a\n2 b\n",
            "7\ta\n3\tb\n",
            "a | b\nc | d\n",
            "",
            "1. a\n2. b\n",
            "| 1 | a |\n| 2 | b |\n",
        ] {
            assert_eq!(line_numbers(text), LineNumbers::None, "{text}");
        }
    }
}
