//! The kind of a hunk's line by its first character, and whether it may be prose all the same.
//!
//! Works on single lines, without the indentation of the block.

/// Returns true if `text` adds or removes a line and is unlikely to be an item of a list in prose.
pub(super) fn is_sure_change(text: &str) -> bool {
    text.starts_with(['-', '+']) && !is_item(text) && !is_rule(text)
}

/// Returns true if `text` can be an item of a list: a sign, one blank, a word.
pub(super) fn is_item(text: &str) -> bool {
    let rest = text.strip_prefix(['-', '+']).and_then(|rest| rest.strip_prefix(' '));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with([' ', '\t']))
}

/// Returns true if `text` can be a line drawn between two parts of prose.
pub(super) fn is_rule(text: &str) -> bool {
    text.len() >= 3 && text.trim_end().bytes().all(|byte| byte == b'-')
}

pub(super) fn is_signature(text: &str) -> bool {
    text == "--" || text == "-- "
}

pub(super) fn is_prelude(text: &str) -> bool {
    if !matches!(text.as_bytes().first(), Some(b'=' | b'I' | b'd' | b'O')) {
        return false;
    }
    let line = text.len() >= 10 && text.bytes().all(|byte| byte == b'=');
    line || ["Index: ", "diff -", "Only in "].into_iter().any(|word| text.starts_with(word))
}
