//! Shows foreign text so that it hides nothing and forges nothing.
//!
//! Control, bidi and invisible characters become `\u{1b}`-like words that can be read. Must not know what is
//! rendered, or for whom: text goes in, text comes out. Its input comes from answers, files, paths, commands
//! and error messages: texts that others wrote (spec: safety, "Text that is not ours").

use std::borrow::Cow;
use std::fmt::Write as _;

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlankStyle {
    Escaped,
    Preserved,
}

/// Returns `text` on one line: line ends and tabs too become `\n`, `\r` and `\t`.
#[must_use]
pub fn visible_line(text: &str) -> Cow<'_, str> {
    show(text, BlankStyle::Escaped)
}

/// Returns `text` with its lines and tabs. A CR right before an LF belongs to the line end and is dropped.
#[must_use]
pub fn visible_block(text: &str) -> Cow<'_, str> {
    show(text, BlankStyle::Preserved)
}

/// Returns `word` as one word of a shell, to be typed as it is shown.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+@%=:,".contains(c);
    let is_option = word.starts_with('-');
    match word.chars().all(is_plain) && !word.is_empty() && !is_option {
        true => word.to_owned(),
        false => {
            let before = if is_option { "./" } else { "" };
            visible_line(&format!("'{before}{}'", word.replace('\'', "'\\''"))).into_owned()
        }
    }
}

/// Returns the fence that can stand around `text`: more backticks than stand together in it, three at least.
#[must_use]
pub fn fence_around(text: &str) -> String {
    let (mut longest, mut run, mut after) = (0, 0, usize::MAX);
    for at in memchr::memchr_iter(b'`', text.as_bytes()) {
        run = if at == after { run + 1 } else { 1 };
        after = at + 1;
        longest = longest.max(run);
    }
    "`".repeat((longest + 1).max(3))
}

/// Returns a path on one line, in double quotes with escapes if it is empty, begins or ends with a blank, or
/// holds quotes, a backslash or a hidden character.
#[must_use]
pub fn visible_path(path: &str) -> Cow<'_, str> {
    let shown = visible_line(path);
    let plain = matches!(shown, Cow::Borrowed(_))
        && !path.is_empty()
        && path.trim().len() == path.len()
        && !path.contains(['"', '\'', '\\', '`']);
    if plain {
        return shown;
    }
    let mut quoted = String::with_capacity(path.len() + 2);
    quoted.push('"');
    let mut before = None;
    for character in path.chars() {
        match character {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(character);
            }
            _ => push(&mut quoted, character, before, BlankStyle::Escaped),
        }
        before = Some(character);
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

/// Returns whether `text` holds a character that would not be seen, or would change how the rest is seen.
/// Line ends and tabs do not count.
#[must_use]
pub fn is_suspicious(text: &str) -> bool {
    // A hidden character becomes a word of several bytes; of a CRLF line end only the CR goes.
    match show(text, BlankStyle::Preserved) {
        Cow::Borrowed(_) => false,
        Cow::Owned(shown) => shown.len() != text.len() - text.matches("\r\n").count(),
    }
}

/// Returns JSON with the hidden characters of its strings as JSON's own escapes: other bytes, the same value.
#[must_use]
pub fn visible_json(json: &str) -> Cow<'_, str> {
    let Some(first) = first_hidden(json, BlankStyle::Preserved) else { return Cow::Borrowed(json) };
    let mut shown = json[..first].to_owned();
    for character in json[first..].chars() {
        // Line ends and tabs are between values only, and nothing else of ASCII is hidden but DEL.
        if matches!(character, '\n' | '\r' | '\t') || !is_hidden(character, None) {
            shown.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    Cow::Owned(shown)
}

/// The character that the tags of a flag (England, Scotland, Wales) follow, and the one that ends them.
const FLAG: (char, char) = ('\u{1f3f4}', '\u{e007f}');
const FLAG_LETTERS: usize = 6;

/// Returns `text` with its tag characters (U+E0000 to U+E007F) as words such as `\u{e0041}`: a reader sees none of
/// them, and a model reads them as letters. Those of a flag stay. All else stays as it is.
#[must_use]
pub fn visible_tags(text: &str) -> Cow<'_, str> {
    // The bytes that each of them begins with.
    if memchr::memmem::find(text.as_bytes(), b"\xf3\xa0").is_none() {
        return Cow::Borrowed(text);
    }
    let is_tag = |character: char| ('\u{e0000}'..='\u{e007f}').contains(&character);
    let mut shown = String::with_capacity(text.len() + 16);
    let mut rest = text;
    while let Some(at) = rest.find(is_tag) {
        let (before, tags) = rest.split_at(at);
        let end = tags.find(|character| !is_tag(character)).unwrap_or(tags.len());
        let (tags, after) = tags.split_at(end);
        shown.push_str(before);
        let is_letter = |tag: char| matches!(tag, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
        let is_flag = before.ends_with(FLAG.0)
            && tags.strip_suffix(FLAG.1).is_some_and(|letters| {
                (1..=FLAG_LETTERS).contains(&letters.chars().count()) && letters.chars().all(is_letter)
            });
        match is_flag {
            true => shown.push_str(tags),
            false => tags.chars().for_each(|tag| {
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(tag));
            }),
        }
        rest = after;
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

fn show(text: &str, blanks: BlankStyle) -> Cow<'_, str> {
    let Some(first) = first_hidden(text, blanks) else { return Cow::Borrowed(text) };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    let mut before = shown.chars().next_back();
    let mut rest = text[first..].chars().peekable();
    while let Some(character) = rest.next() {
        let line_end = character == '\r' && blanks == BlankStyle::Preserved && rest.peek() == Some(&'\n');
        if !line_end {
            push(&mut shown, character, before, blanks);
        }
        before = Some(character);
    }
    Cow::Owned(shown)
}

fn first_hidden(text: &str, blanks: BlankStyle) -> Option<usize> {
    let stands = |byte: u8| {
        matches!(byte, b' '..=b'~') || (blanks == BlankStyle::Preserved && matches!(byte, b'\n' | b'\t'))
    };
    let start = text.bytes().position(|byte| !stands(byte))?;
    let mut before = text[..start].chars().next_back();
    for (offset, character) in text[start..].char_indices() {
        let is_preserved = blanks == BlankStyle::Preserved && matches!(character, '\n' | '\t');
        if !is_preserved && is_hidden(character, before) {
            return Some(start + offset);
        }
        before = Some(character);
    }
    None
}

fn push(shown: &mut String, character: char, before: Option<char>, blanks: BlankStyle) {
    match character {
        '\n' | '\t' if blanks == BlankStyle::Preserved => shown.push(character),
        '\n' => shown.push_str("\\n"),
        '\t' => shown.push_str("\\t"),
        '\r' => shown.push_str("\\r"),
        _ if is_hidden(character, before) => {
            let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
        }
        _ => shown.push(character),
    }
}

fn is_hidden(character: char, before: Option<char>) -> bool {
    match character {
        '\u{20}'..='\u{7e}' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        // Soft hyphen, grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels, Mongolian
        // separators.
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => true,
        '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}' => true,
        // Zero widths, joiners and marks; line and paragraph separators, embeddings and overrides; invisible
        // operators and isolates; the byte order mark; interlinear annotations and the reserved code points
        // next to them; controls of shorthand and of music.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' => true,
        // A variation selector belongs to an emoji or an ideograph; elsewhere it carries hidden data.
        '\u{fe00}'..='\u{fe0f}' => !before.is_some_and(takes_variation),
        // Tags and the supplementary variation selectors.
        '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

fn takes_variation(before: char) -> bool {
    match before {
        '0'..='9' | '#' | '*' => true,
        '\u{0}'..='\u{a8}' | '\u{fe00}'..='\u{fe0f}' => false,
        _ => !is_hidden(before, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clean_text_is_borrowed() {
        for text in ["", "plain", "näïve 漢字 ❤\u{fe0f} 1\u{fe0f}"] {
            assert!(matches!(visible_line(text), Cow::Borrowed(_)), "{text:?}");
            assert!(!is_suspicious(text), "{text:?}");
        }
        assert!(matches!(visible_block("a\n\tb\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn hidden_characters_become_words() {
        assert_eq!(visible_line("a\u{1b}[31mb"), "a\\u{1b}[31mb");
        assert_eq!(visible_line("a\nb\tc\rd"), "a\\nb\\tc\\rd");
        assert_eq!(visible_line("é\u{202e}x\u{200b}"), "é\\u{202e}x\\u{200b}");
        assert_eq!(visible_line("\u{e0041}"), "\\u{e0041}");
        assert_eq!(visible_line("a\u{fe0f}"), "a\\u{fe0f}");
        assert_eq!(visible_line("❤\u{fe0f}\u{fe00}"), "❤\u{fe0f}\\u{fe00}");
        assert_eq!(visible_line("\u{9b}31m\u{7f}"), "\\u{9b}31m\\u{7f}");
    }

    #[test]
    fn regression_tags_are_words_and_flags_stay() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}";
        for (text, shown) in [
            ("a\u{200b}漢\u{e0100}", "a\u{200b}漢\u{e0100}"),
            ("a\u{e0041}\u{e0042}b", "a\\u{e0041}\\u{e0042}b"),
            (flag, flag),
            ("\u{1f3f4}\u{e0067}", "\u{1f3f4}\\u{e0067}"),
            ("\u{1f3f4}\u{e0020}\u{e007f}", "\u{1f3f4}\\u{e0020}\\u{e007f}"),
        ] {
            assert_eq!(visible_tags(text), shown, "{text:?}");
        }
        let long = format!("\u{1f3f4}{}\u{e007f}", "\u{e0061}".repeat(7));
        assert!(visible_tags(&long).is_ascii() || !visible_tags(&long).contains('\u{e0061}'));
    }

    #[test]
    fn regression_all_that_is_ignorable_by_default_is_hidden() {
        for character in ['\u{34f}', '\u{fff0}', '\u{fff8}', '\u{1bca0}', '\u{1bca3}'] {
            assert!(is_suspicious(&format!("a{character}b")), "{character:?}");
        }
    }

    #[test]
    fn regression_line_ends_are_not_suspicious() {
        assert!(!is_suspicious("a\r\nb\tc\r\n"));
        for text in ["a\rb\r\n", "a\r\r\n", "a\r", "\u{9b}\r\n"] {
            assert!(is_suspicious(text), "{text:?}");
        }
    }

    #[test]
    fn json_keeps_its_value() {
        assert!(matches!(visible_json("{\n\t\"a\": \"é\"\n}"), Cow::Borrowed(_)));
        assert_eq!(visible_json("{\r\n}"), "{\r\n}");
        let hostile = "{\n\"a\u{9b}31m\": \"\u{202e}x\u{e0041}\u{7f}\"}";
        let shown = visible_json(hostile);
        assert_eq!(shown, "{\n\"a\\u009b31m\": \"\\u202ex\\udb40\\udc41\\u007f\"}");
        let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).unwrap();
        assert_eq!(value(&shown), value(hostile));
    }

    #[test]
    fn blocks_keep_lines_and_drop_the_cr_of_a_line_end() {
        assert_eq!(visible_block("a\r\nb\rc\r\n"), "a\nb\\rc\n");
        assert_eq!(visible_block("x\u{2028}y"), "x\\u{2028}y");
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(visible_path("src/a.rs"), "src/a.rs");
        assert_eq!(visible_path("with space"), "with space");
        assert_eq!(visible_path("a\nb"), "\"a\\nb\"");
        assert_eq!(visible_path("say \"hi\"\\"), "\"say \\\"hi\\\"\\\\\"");
        assert_eq!(visible_path(" a"), "\" a\"");
        assert_eq!(visible_path(""), "\"\"");
    }

    proptest! {
        #[test]
        fn nothing_hidden_is_left(text in "\\PC*|[\\x00-\\x{ff}]*|[\\x{200b}-\\x{2070}\\x{fe00}-\\x{fe0f}a\\r\\n]*") {
            let line = visible_line(&text);
            prop_assert!(first_hidden(&line, BlankStyle::Escaped).is_none(), "{:?}", line);
            prop_assert!(first_hidden(&visible_block(&text), BlankStyle::Preserved).is_none());
            let path = visible_path(&text);
            prop_assert!(first_hidden(&path, BlankStyle::Escaped).is_none());
        }
    }
}
