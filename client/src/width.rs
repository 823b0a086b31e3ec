//! The width of texts on a terminal, in its columns.

use textwrap::core::display_width;

/// Returns `text`, with its end cut off if it is wider than `room`.
#[must_use]
pub fn cut(text: &str, room: usize) -> String {
    if display_width(text) <= room {
        return text.to_owned();
    }
    let mut fitting = String::new();
    for character in text.chars() {
        fitting.push(character);
        if display_width(&fitting) >= room {
            fitting.pop();
            break;
        }
    }
    if room > 0 { fitting + "\u{2026}" } else { fitting }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_wide_is_cut_to_the_column() {
        assert_eq!(cut("abc", 3), "abc");
        assert_eq!(cut("abcd", 3), "ab\u{2026}");
        // Each of these takes two columns.
        assert_eq!(cut("\u{6f22}\u{5b57}\u{6f22}", 5), "\u{6f22}\u{5b57}\u{2026}");
        assert_eq!(cut("\u{6f22}\u{5b57}\u{6f22}", 4), "\u{6f22}\u{2026}");
        assert_eq!(cut("abc", 0), "");
    }
}
