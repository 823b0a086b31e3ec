//! Texts that look alike, distinguished by code points.
//!
//! Sees two texts, and not what they are.

/// Characters of a difference beyond which it is seen without code points.
const LONGEST: usize = 6;

/// Returns the characters in which `one` and `other` differ as code points (`U+0065 U+0301`), if a reader may not see
/// the difference: it is short, in one place, and not of ASCII alone.
#[must_use]
pub fn code_points(one: &str, other: &str) -> Option<[String; 2]> {
    let start = super::show::common_start(one, other);
    let (one, other) = (&one[start..], &other[start..]);
    let ends = one.chars().rev().zip(other.chars().rev()).take_while(|(one, other)| one == other);
    let end: usize = ends.map(|(character, _)| character.len_utf8()).sum();
    let parts = [&one[..one.len() - end], &other[..other.len() - end]];
    let is_short = parts.iter().all(|part| part.chars().count() <= LONGEST);
    let is_seen = parts.iter().all(|part| part.is_ascii()) || parts.iter().any(|part| part.is_empty());
    (is_short && !is_seen).then(|| {
        parts.map(|part| {
            let codes: Vec<String> = part.chars().map(|sign| format!("U+{:04X}", u32::from(sign))).collect();
            codes.join(" ")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::code_points;

    #[test]
    fn regression_texts_that_look_alike_are_told_apart_by_code_points() {
        for (one, other, codes) in [
            ("task\u{e9}list", "taske\u{301}list", Some(["U+00E9", "U+0065 U+0301"])),
            ("let \u{430} = 1", "let a = 1", Some(["U+0430", "U+0061"])),
            ("a\u{a0}b", "a b", Some(["U+00A0", "U+0020"])),
            ("x = \u{201c}a", "x = \"a", Some(["U+201C", "U+0022"])),
            ("5\u{b5}m", "5\u{3bc}m", Some(["U+00B5", "U+03BC"])),
            ("\u{fb01}le", "file", Some(["U+FB01", "U+0066 U+0069"])),
            ("abc", "abd", None),
            ("same", "same", None),
            ("\u{e9}t\u{e9} froid et long", "hiver chaud", None),
        ] {
            assert_eq!(code_points(one, other), codes.map(|codes| codes.map(str::to_owned)), "{one} {other}");
        }
    }
}
