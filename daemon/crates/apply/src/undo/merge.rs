//! Undoes a change of a text and keeps what was changed since.
//!
//! Pure. A three-way merge line by line; what is not text is not merged.

use clada_edit::Text;

// Returns `now` without what led from `before` to `after`; `None` if the two touch the same lines, or one of
// the three is not text.
#[must_use]
pub(super) fn merge(before: &[u8], after: &[u8], now: &[u8]) -> Option<Vec<u8>> {
    let is_text = |bytes: &[u8]| Text::decode(bytes).is_ok();
    if ![before, after, now].into_iter().all(is_text) {
        return None;
    }
    diffy::merge_bytes(after, now, before).ok()
}

/// Returns the text `now` without what led from `before` to `after`; `None` if the two touch the same lines.
#[must_use]
pub fn merge_texts(before: &str, after: &str, now: &str) -> Option<String> {
    merge(before.as_bytes(), after.as_bytes(), now.as_bytes()).and_then(|text| String::from_utf8(text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_other_lines_are_kept() {
        let before = b"one\r\ntwo\nthree\nfour\nfive";
        let after = b"one\r\nTWO\nthree\nfour\nfive";
        let now = b"zero\none\r\nTWO\nthree\nfour\nFIVE";
        assert_eq!(merge(before, after, now).unwrap(), b"zero\none\r\ntwo\nthree\nfour\nFIVE");
    }

    #[test]
    fn changes_of_the_same_lines_are_not_merged() {
        assert_eq!(merge(b"a\n", b"b\n", b"c\n"), None);
        assert_eq!(merge(b"a\n", b"b\n", b"b\nc"), None);
        assert_eq!(merge(b"a\0", b"b\n", b"b\n"), None);
    }

    #[test]
    fn what_was_taken_back_by_hand_stays() {
        assert_eq!(merge(b"a\n", b"b\n", b"a\n").unwrap(), b"a\n");
        assert_eq!(merge(b"a\n", b"b\n", b"b\n").unwrap(), b"a\n");
    }
}
