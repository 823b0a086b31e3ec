//! What a commit says: a text of the person's, with a place for what the operation did.

/// Stands for what the operation did.
const SUMMARY: &str = "{operation_summary}";
/// Bytes of a format.
const MAX_FORMAT: usize = 2000;

/// Whether a commit can say this: there is something to say, and every placeholder is known.
#[must_use]
pub fn is_message_format(format: &str) -> bool {
    let rest = format.replace(SUMMARY, "");
    let printable = |letter: char| letter == '\n' || letter == '\t' || !letter.is_control();
    !format.trim().is_empty()
        && format.len() <= MAX_FORMAT
        && format.chars().all(printable)
        && !rest.contains(['{', '}'])
}

/// What a commit says of an operation that did this.
#[must_use]
pub fn message_of(format: &str, summary: &str) -> String {
    format.replace(SUMMARY, summary)
}

/// How the messages of this format begin, if all begin alike.
pub(super) fn beginning(format: &str) -> Option<&str> {
    let start = format.split(SUMMARY).next().unwrap_or_default();
    (!start.trim().is_empty()).then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_summary_is_put_in() {
        assert_eq!(message_of("AI: {operation_summary}", "edited a"), "AI: edited a");
        for format in ["x", "AI: {operation_summary}\n\nmore", "{operation_summary}"] {
            assert!(is_message_format(format), "{format}");
        }
        for format in ["", " \n", "{date}", "a } b", "a\u{1b}b"] {
            assert!(!is_message_format(format), "{format}");
        }
        assert!(!is_message_format(&"x".repeat(MAX_FORMAT + 1)));
        assert_eq!(beginning("AI: {operation_summary}"), Some("AI: "));
        assert_eq!(beginning("{operation_summary}"), None);
    }
}
