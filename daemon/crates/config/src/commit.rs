//! The settings of commits: their author and their message. Knows no repository.

use super::defaults::GIT_AUTHOR;

const SUMMARY: &str = "{operation_summary}";

const MAX_FORMAT: usize = 2000;

/// The author of a commit. The committer is always clada.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    name: String,
    email: String,
}

impl Default for Author {
    fn default() -> Author {
        Author { name: GIT_AUTHOR.to_owned(), email: Author::EMAIL.to_owned() }
    }
}

impl Author {
    /// The address of an author who is given without one, and of clada itself.
    pub const EMAIL: &str = "clada@localhost";

    /// Reads `Name <address>`, or a name alone. Returns `None` if it is neither.
    #[must_use]
    pub fn parse(written: &str) -> Option<Author> {
        let (name, email) = match written.split_once('<') {
            Some((name, rest)) => (name.trim(), rest.trim_end().strip_suffix('>')?.trim()),
            None => (written.trim(), Author::EMAIL),
        };
        let plain = |text: &str| {
            !text.is_empty() && !text.chars().any(|letter| letter.is_control() || "<>".contains(letter))
        };
        (plain(name) && plain(email)).then(|| Author { name: name.to_owned(), email: email.to_owned() })
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The address.
    #[must_use]
    pub fn email(&self) -> &str {
        &self.email
    }
}

/// Returns whether this can be the format of a message: it is not empty, and every placeholder is known.
#[must_use]
pub(crate) fn is_message_format(format: &str) -> bool {
    let rest = format.replace(SUMMARY, "");
    let printable = |letter: char| letter == '\n' || letter == '\t' || !letter.is_control();
    !format.trim().is_empty()
        && format.len() <= MAX_FORMAT
        && format.chars().all(printable)
        && !rest.contains(['{', '}'])
}

/// Returns the message of a commit for an operation with this `summary`.
#[must_use]
pub fn message_of(format: &str, summary: &str) -> String {
    format.replace(SUMMARY, summary)
}

/// Returns the text with which all messages of this format begin, if there is one.
#[must_use]
pub fn message_beginning(format: &str) -> Option<&str> {
    let start = format.split_once(SUMMARY).map_or(format, |(start, _)| start);
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
        assert_eq!(message_beginning("AI: {operation_summary}"), Some("AI: "));
        assert_eq!(message_beginning("{operation_summary}"), None);
    }

    #[test]
    fn an_author_is_a_name_and_perhaps_an_address() {
        assert_eq!(Author::parse("clada"), Some(Author::default()));
        assert_eq!(Author::parse("Ada <ada@x>"), Author::parse("  Ada  < ada@x > "));
        for wrong in ["", "<x>", "a <b", "a\nb", "a <b> c", "a <>"] {
            assert_eq!(Author::parse(wrong), None, "{wrong}");
        }
    }
}
