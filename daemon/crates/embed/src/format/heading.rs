//! A path as the text of a CommonMark heading, which a parser reads as that path. Most paths stay as they
//! are. A path that the parser would read as markup becomes code, where it needs no escape: a user who copies
//! it copies the path. Only a path with backticks of its own is escaped. Pure; must not know what follows the
//! path.

use clada_protocol::{visible_line, visible_path};

use crate::shown::ShownPath;

pub(super) fn heading(path: &ShownPath) -> (String, Option<String>) {
    let text = path.text();
    let is_plain = path.odd_bytes().is_none()
        && matches!(visible_line(&text), std::borrow::Cow::Borrowed(_))
        && !text.is_empty()
        && text.trim().len() == text.len()
        // A path that is quoted begins with a quote.
        && !text.starts_with('"')
        // A brace at the end would be taken for the end of attributes.
        && !text.ends_with('}');
    if is_plain {
        return (literal(&text), None);
    }
    (literal(&visible_path(&text)), Some(path.base64()))
}

fn literal(text: &str) -> String {
    let escaped = escaped(text);
    // A code span loses one blank at either end if it has both.
    let fits_code = !text.contains('`') && text.trim().len() == text.len();
    if escaped != text && fits_code { format!("`{text}`") } else { escaped }
}

fn escaped(text: &str) -> String {
    let emphasis = emphasis(text);
    let mut emphasis = emphasis.iter().copied().peekable();
    let code = holds_code(text);
    let closing = closing_sequence(text);
    let mut escaped = String::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        let (before, after) = (&text[..at], &text[at + character.len_utf8()..]);
        let markup = match character {
            '\\' => after.starts_with(|next: char| next.is_ascii_punctuation()),
            '`' => code,
            '*' | '_' => emphasis.next_if_eq(&at).is_some(),
            '<' => is_tag(after),
            '&' => is_entity(after),
            ']' => after.starts_with('(') && before.contains('[') && after.contains(')'),
            '#' => closing == Some(at),
            _ => false,
        };
        if markup {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

fn holds_code(text: &str) -> bool {
    let mut lengths: Vec<usize> =
        text.split(|character| character != '`').map(str::len).filter(|length| *length > 0).collect();
    lengths.sort_unstable();
    lengths.windows(2).any(|pair| pair[0] == pair[1])
}

fn closing_sequence(text: &str) -> Option<usize> {
    let before = text.trim_end_matches('#');
    let closes = before.len() < text.len() && (before.is_empty() || before.ends_with([' ', '\t']));
    closes.then_some(before.len())
}

fn is_tag(after: &str) -> bool {
    after.starts_with(|next: char| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
        && after.contains('>')
}

fn is_entity(after: &str) -> bool {
    let Some((name, _)) = after.split_once(';') else { return false };
    let name = name.strip_prefix('#').unwrap_or(name);
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Neighbour {
    Blank,
    Punctuation,
    Letter,
}

#[derive(Debug)]
struct Run {
    start: usize,
    length: usize,
    opens: bool,
    closes: bool,
    does_both: bool,
}

/// Returns the positions of the `*` and `_` that would be emphasis, in order.
fn emphasis(text: &str) -> Vec<usize> {
    // A run that finds a partner is escaped whole, and so is the partner; then neither can be the partner of
    // another one.
    let mut escaped = Vec::new();
    let (mut stars, mut underscores): (Vec<Run>, Vec<Run>) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(start) = text[at..].find(['*', '_']).map(|offset| at + offset) {
        let mark = char::from(text.as_bytes()[start]);
        let length = text[start..].len() - text[start..].trim_start_matches(mark).len();
        at = start + length;
        let before = readings(text[..start].chars().next_back());
        let run = Run::new(start, length, mark, before, readings(text[at..].chars().next()));
        let openers = if mark == '*' { &mut stars } else { &mut underscores };
        match openers.iter().rposition(|opener| run.closes && run.may_close(opener)) {
            Some(partner) => {
                let partner = openers.remove(partner);
                escaped.extend(partner.start..partner.start + partner.length);
                escaped.extend(start..at);
            }
            None if run.opens => openers.push(run),
            None => {}
        }
    }
    escaped.sort_unstable();
    escaped
}

impl Run {
    fn new(start: usize, length: usize, mark: char, before: &[Neighbour], after: &[Neighbour]) -> Run {
        let mut run = Run { start, length, opens: false, closes: false, does_both: true };
        for before in before {
            for after in after {
                let (opens, closes) = flanks(mark, *before, *after);
                run.opens |= opens;
                run.closes |= closes;
                run.does_both &= opens && closes;
            }
        }
        run
    }

    fn may_close(&self, opener: &Run) -> bool {
        let multiple = |length: usize| length.is_multiple_of(3);
        !((self.does_both || opener.does_both)
            && multiple(self.length + opener.length)
            && !(multiple(self.length) && multiple(opener.length)))
    }
}

fn flanks(mark: char, before: Neighbour, after: Neighbour) -> (bool, bool) {
    use Neighbour::{Letter, Punctuation};
    let left = after == Letter || (after == Punctuation && before != Letter);
    let right = before == Letter || (before == Punctuation && after != Letter);
    match mark {
        '_' => (left && (!right || before == Punctuation), right && (!left || after == Punctuation)),
        _ => (left, right),
    }
}

/// Returns how parsers may read the neighbour of a run; the ends of a heading are blanks.
fn readings(character: Option<char>) -> &'static [Neighbour] {
    use Neighbour::{Blank, Letter, Punctuation};
    let circled = |character| matches!(character, '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f189}');
    match character {
        None => &[Blank],
        Some(character) if character.is_whitespace() => &[Blank],
        Some(character) if character.is_ascii_punctuation() => &[Punctuation],
        Some(character) if character.is_alphanumeric() && !circled(character) => &[Letter],
        // Versions of CommonMark do not agree on symbols.
        Some(_) => &[Punctuation, Letter],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    /// Returns the text of the heading that `line` is, if it is one and has no markup in it but code at its
    /// start.
    fn parsed(line: &str) -> Option<String> {
        let mut text = String::new();
        for event in Parser::new_ext(line, Options::empty()) {
            match event {
                Event::Start(Tag::Heading { .. }) | Event::End(TagEnd::Heading(_)) => {}
                Event::Text(piece) => text.push_str(&piece),
                // Only a path alone is code, and then all of it.
                Event::Code(piece) if text.is_empty() => text.push_str(&piece),
                _ => return None,
            }
        }
        Some(text)
    }

    #[test]
    fn only_what_would_be_markup_is_code_or_escaped() {
        // Each case is also parsed, so that the table cannot disagree with CommonMark.
        for (path, expected) in [
            ("src/my_file.rs", "src/my_file.rs"),
            ("scss/_index.scss", "scss/_index.scss"),
            ("scss/_a/_b_c.scss", "scss/_a/_b_c.scss"),
            ("a/__init__.py", "`a/__init__.py`"),
            ("_x/__init__.py", "`_x/__init__.py`"),
            ("pages/[id].tsx", "pages/[id].tsx"),
            ("app/(group)/[...all]/page.tsx", "app/(group)/[...all]/page.tsx"),
            ("[a](b)", "`[a](b)`"),
            ("![a](b)", "`![a](b)`"),
            ("a-b/c.d", "a-b/c.d"),
            ("notes (1).md", "notes (1).md"),
            ("*.rs", "*.rs"),
            ("*/*.rs", "`*/*.rs`"),
            ("a*b*c", "`a*b*c`"),
            ("a*b**c", "a*b**c"),
            ("c#/x", "c#/x"),
            ("c#", "c#"),
            ("a #", "`a #`"),
            ("##", "`##`"),
            ("# a", "# a"),
            ("~x~", "~x~"),
            ("$a$", "$a$"),
            ("a < b > c", "a < b > c"),
            ("a<b", "a<b"),
            ("a<b>", "`a<b>`"),
            ("<a@b.c>", "`<a@b.c>`"),
            ("R&D", "R&D"),
            ("&amp;", "`&amp;`"),
            ("&#35;", "`&#35;`"),
            ("it's.md", "it's.md"),
            ("a`b", "a`b"),
            ("a`b`", "a\\`b\\`"),
            ("a`b``c``", "a\\`b\\`\\`c\\`\\`"),
            ("a\\b", "a\\b"),
            ("a\\_b", "`a\\_b`"),
            ("a\\", "a\\"),
            ("{{name}}/x.py", "{{name}}/x.py"),
        ] {
            assert_eq!(heading(&ShownPath::written(path)), (expected.to_owned(), None), "{path}");
            assert_eq!(parsed(&format!("### {expected}")).as_deref(), Some(path), "{path}");
        }
    }

    #[test]
    fn paths_that_a_line_cannot_hold_are_quoted_and_have_their_bytes() {
        for (path, expected) in [
            ("# not a heading\n```", "\"# not a heading\\n```\""),
            (" a", "\" a\""),
            ("\"a\"", "`\"\\\"a\\\"\"`"),
            ("{x}", "{x}"),
        ] {
            let shown = ShownPath::written(path);
            assert_eq!(heading(&shown), (expected.to_owned(), Some(shown.base64())), "{path}");
        }
    }

    fn paths() -> impl Strategy<Value = String> {
        let pieces = [
            "a", "b", "é", "漢", "€", "ⓐ", "\u{301}", "/", ".", "-", " ", "_", "__", "*", "**", "***", "`",
            "``", "\\", "#", "##", "<", ">", "<b>", "<!--", "-->", "&", "amp;", "&lt;", "&#35;", "[", "]",
            "](", "(", ")", "!", "~~", "$", "{", "}", "|", ":", "\"", "'", "\n", "\t", "\u{a0}",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 1..14).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(clada_test_extent::cases(512, 4096)))]

        #[test]
        fn a_parser_reads_every_path(path in paths()) {
            let (text, base64) = heading(&ShownPath::written(&path));
            let expected = if base64.is_some() { visible_path(&path).into_owned() } else { path };
            for more in ["", " {no-final-newline crlf=1-3,7}"] {
                prop_assert_eq!(parsed(&format!("### {text}{more}")), Some(format!("{expected}{more}")));
            }
        }

        #[test]
        fn what_a_parser_reads_unescaped_is_not_escaped(path in paths()) {
            // The first are only guessed to be markup, and the last neighbours are read in two ways.
            let guessed = path.contains(['<', '&', ']']) || path.contains(['€', 'ⓐ', '\u{301}']);
            let (text, base64) = heading(&ShownPath::written(&path));
            if !guessed && base64.is_none() && parsed(&format!("### {path}")).as_ref() == Some(&path) {
                prop_assert_eq!(text, path);
            }
        }
    }
}
