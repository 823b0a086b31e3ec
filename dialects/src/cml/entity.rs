//! XML's entities and character references.
//!
//! Text goes in, text comes out; knows nothing of its place. Text that is no reference is kept and flagged,
//! because XML demands that it be escaped.

use std::borrow::Cow;

use memchr::memchr;

const LONGEST_REFERENCE: usize = "&#x10FFFF;".len();

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) lone: bool,
}

pub(crate) fn decode(text: &str) -> Decoded<'_> {
    let mut decoded = String::new();
    let (mut copied, mut at, mut lone) = (0, 0, false);
    while let Some(offset) = memchr(b'&', &text.as_bytes()[at..]) {
        at += offset;
        match reference(&text[at..]) {
            Some((character, length)) => {
                decoded.push_str(&text[copied..at]);
                decoded.push(character);
                at += length;
                copied = at;
            }
            None => {
                lone = true;
                at += 1;
            }
        }
    }
    if copied == 0 {
        return Decoded { text: Cow::Borrowed(text), lone };
    }
    decoded.push_str(&text[copied..]);
    Decoded { text: Cow::Owned(decoded), lone }
}

fn reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST_REFERENCE).position(|byte| byte == b';')?;
    let name = &text[1..end];
    let character = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => numbered(name.strip_prefix('#')?)?,
    };
    Some((character, end + 1))
}

/// The character with the number `digits`, decimal or after an `x` hexadecimal, if XML allows it.
fn numbered(digits: &str) -> Option<char> {
    let (digits, radix) = digits.strip_prefix('x').map_or((digits, 10), |digits| (digits, 16));
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    let allowed =
        matches!(character, '\t' | '\n' | '\r' | '\u{20}'..) && !matches!(character, '\u{fffe}' | '\u{ffff}');
    allowed.then_some(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> (String, bool) {
        let decoded = decode(text);
        (decoded.text.into_owned(), decoded.lone)
    }

    #[test]
    fn references_become_characters() {
        assert_eq!(
            decoded("&lt;a&gt; &amp;amp; &quot;&apos;&#39;&#x1f44d;"),
            ("<a> &amp; \"''👍".into(), false)
        );
        assert!(matches!(decode("plain").text, Cow::Borrowed("plain")));
    }

    #[test]
    fn what_is_no_reference_stays() {
        for text in
            ["&", "a && b", "&nbsp;", "&#0;", "&#xd800;", "&#+3;", "&#x;", "&lt", "&LT;", "&é;", "&#x110000;"]
        {
            assert_eq!(decoded(text), (text.to_owned(), true), "{text}");
        }
    }
}
