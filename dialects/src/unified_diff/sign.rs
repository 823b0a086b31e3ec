//! What a line of a hunk says by its first character, and whether it may be prose all the same.
//!
//! Works on single lines, without the indentation of the block.

use clada_schema::HunkLine;

/// `text` as a line of a hunk, if it has a sign.
pub(super) fn signed(text: &str) -> Option<HunkLine> {
    let rest = text.get(1..)?.to_owned();
    match text.as_bytes()[0] {
        b' ' => Some(HunkLine::Context(rest)),
        b'-' => Some(HunkLine::Removed(rest)),
        b'+' => Some(HunkLine::Added(rest)),
        _ => None,
    }
}

/// Whether `text` adds or removes a line and cannot well be an item of a list in prose.
pub(super) fn is_sure_change(text: &str) -> bool {
    text.starts_with(['-', '+']) && !is_item(text) && !is_rule(text)
}

/// Whether `text` can be an item of a list: a sign, one blank, a word.
pub(super) fn is_item(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '\t']))
}

/// Whether `text` can be a line drawn between two parts of prose.
pub(super) fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.trim_end().bytes().all(|byte| byte == b'-')
}

/// Whether `text` ends a patch that was sent as a mail.
pub(super) fn is_signature(text: &str) -> bool {
    text == "--" || text == "-- "
}

/// Whether `text` says that the line before it has no line end.
pub(super) fn says_no_newline(text: &str) -> bool {
    const WORDS: &[u8] = b"no newline";
    let rest = text.strip_prefix('\\').map(|rest| rest.trim_start().as_bytes());
    rest.and_then(|rest| rest.get(..WORDS.len())).is_some_and(|words| words.eq_ignore_ascii_case(WORDS))
}

/// Whether `text` stands before the header of a file in what other programs write.
pub(super) fn is_prelude(text: &str) -> bool {
    let line = text.len() >= 10 && text.bytes().all(|byte| byte == b'=');
    line || ["Index: ", "diff -", "Only in "].into_iter().any(|word| text.starts_with(word))
}
