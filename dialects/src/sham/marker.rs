//! SHAM's markers: headers, ends and heredoc delimiters, in three generations.
//!
//! Works on single lines and words and knows nothing of the text between markers (spec: dialects, "sham").

use std::ops::Range;

pub(super) const CANONICAL_LABEL: &str = "three-char-SHA-256";
pub(super) const ACTION: &str = "action";
const ID_LENGTH: std::ops::RangeInclusive<usize> = 2..=8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generation {
    /// `#!SHAM`, `#!END_SHAM_id`, `EOT_SHAM_id`; the word in any case.
    Sham,
    /// `#!NESL`, `#!END_NESL_id`, `EOT_NESL_id`.
    UpperNesl,
    /// `#!nesl`, `#!end_id`, `EOT_id`; any spelling that is not all upper case.
    LowerNesl,
}

impl Generation {
    /// Returns the start of the delimiters of this generation. Every one of them starts with [`DELIMITER`].
    pub(super) fn delimiter_prefix(self) -> &'static str {
        match self {
            Generation::Sham => "EOT_SHAM_",
            Generation::UpperNesl => "EOT_NESL_",
            Generation::LowerNesl => "EOT_",
        }
    }

    fn read(line: &str) -> Option<Generation> {
        let word = line.as_bytes().strip_prefix(b"#!")?.get(..5)?;
        match word {
            b"NESL " => Some(Generation::UpperNesl),
            _ if word.eq_ignore_ascii_case(b"nesl ") => Some(Generation::LowerNesl),
            _ if word.eq_ignore_ascii_case(b"sham ") => Some(Generation::Sham),
            _ => None,
        }
    }
}

/// The result of parsing a line that starts as a header does. Ranges are bytes of the line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Header<'a> {
    Opens { generation: Generation, id: &'a str, label: Range<usize> },
    BadId { id: Range<usize>, message: &'static str },
    Malformed,
}

pub(super) fn is_header(line: &str) -> bool {
    Generation::read(line).is_some()
}

pub(super) fn header(line: &str) -> Header<'_> {
    let Some(generation) = Generation::read(line) else { return Header::Malformed };
    let bracket = line[7..].trim();
    let Some(inner) = bracket.strip_prefix("[@").and_then(|rest| rest.strip_suffix(']')) else {
        return Header::Malformed;
    };
    let Some((label, id)) = inner.split_once(':') else { return Header::Malformed };
    if label.is_empty() || !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Header::Malformed;
    }
    let label_start = line.len() - line[7..].trim_start().len() + "[@".len();
    let label = label_start..label_start + label.len();
    let blanks = id.len() - id.trim_start().len();
    let id_start = label.end + ":".len() + blanks;
    let id = id.trim();
    match id_error(id) {
        None => Header::Opens { generation, id, label },
        Some(message) => Header::BadId { id: id_start..id_start + id.len(), message },
    }
}

/// Returns the fault of an id. Three characters are canonical, and the message names that length.
fn id_error(id: &str) -> Option<&'static str> {
    let plain = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if plain && ID_LENGTH.contains(&id.len()) {
        None
    } else if crate::cursor::utf16(id) == 3 {
        Some("Block ID must contain only alphanumeric characters")
    } else {
        Some("Block ID must be exactly 3 characters")
    }
}

pub(super) fn is_id(id: &str) -> bool {
    id_error(id).is_none()
}

/// The id that an end marker names, if `line` is one: of any generation, in any case, with one stray `'`
/// after it.
pub(super) fn end_id(line: &str) -> Option<&str> {
    let rest = strip_prefix_any_case(line.trim(), "#!end_")?;
    let id =
        strip_prefix_any_case(rest, "sham_").or_else(|| strip_prefix_any_case(rest, "nesl_")).unwrap_or(rest);
    Some(id.strip_suffix('\'').unwrap_or(id))
}

pub(super) const DELIMITER: &str = "EOT_";

/// Returns the text after the delimiter for `id`, of any generation, that `text` starts with.
pub(super) fn after_delimiter<'a>(text: &'a str, id: &str) -> Option<&'a str> {
    let rest = text.strip_prefix(DELIMITER)?;
    let old = || rest.strip_prefix("SHAM_").or_else(|| rest.strip_prefix("NESL_"))?.strip_prefix(id);
    rest.strip_prefix(id).or_else(old)
}

pub(super) fn is_delimiter(word: &str, id: &str) -> bool {
    after_delimiter(word, id) == Some("")
}

fn strip_prefix_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    if head.eq_ignore_ascii_case(prefix) { Some(&text[prefix.len()..]) } else { None }
}

pub(super) fn is_usual(line: &str) -> bool {
    line.starts_with("#!SHAM [@")
        || line.starts_with("#!END_SHAM_")
        || line.starts_with("EOT_SHAM_") && !line.contains(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_each_generation() {
        for (line, expected) in [
            ("#!SHAM [@three-char-SHA-256: k7m]", Generation::Sham),
            ("#!sham [@three-char-SHA-256: k7m]", Generation::Sham),
            ("#!NESL [@three-char-SHA-256: k7m]", Generation::UpperNesl),
            ("#!nesl [@three-char-SHA-256: k7m]", Generation::LowerNesl),
            ("#!Nesl \t[@three-char-SHA-256:k7m ] ", Generation::LowerNesl),
        ] {
            let Header::Opens { generation, id, label } = header(line) else { panic!("{line}") };
            assert_eq!((generation, id, &line[label]), (expected, "k7m", CANONICAL_LABEL), "{line}");
        }
    }

    #[test]
    fn what_is_no_header() {
        for line in
            ["#!SHAM", "#!SHAM\t[@a: abc]", " #!SHAM [@a: abc]", "> #!SHAM [@a: abc]", "#!shame ", "#!é"]
        {
            assert!(!is_header(line), "{line}");
        }
        for line in [
            "#!SHAM ",
            "#!SHAM abc",
            "#!SHAM [a: abc]",
            "#!SHAM [@a abc]",
            "#!SHAM [@: abc]",
            "#!SHAM [@a: abc] x",
        ] {
            assert!(is_header(line), "{line}");
            assert_eq!(header(line), Header::Malformed, "{line}");
        }
    }

    #[test]
    fn ends_of_each_generation() {
        for line in ["#!END_SHAM_abc", "#!END_NESL_abc", "#!end_abc", "  #!end_abc' ", "#!End_Sham_abc"] {
            assert_eq!(end_id(line), Some("abc"), "{line}");
        }
        assert_eq!(end_id("#!end_abc''"), Some("abc'"));
        assert_eq!(end_id("#!enabc"), None);
    }

    #[test]
    fn delimiters_of_each_generation() {
        assert!(["EOT_abc", "EOT_SHAM_abc", "EOT_NESL_abc"].iter().all(|word| is_delimiter(word, "abc")));
        assert!(
            ["EOT_ab", "EOT_abcd", "eot_abc", "EOT_SHAM_NESL_abc"]
                .iter()
                .all(|word| !is_delimiter(word, "abc"))
        );
        assert!(is_delimiter("EOT_SHAM", "SHAM"));
    }
}
