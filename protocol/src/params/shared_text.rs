//! Texts of results that share their memory with others: a file's content with the answer that wrote it, a
//! hunk with the diff that it is a part of.

use std::ops::{Deref, Range};
use std::sync::Arc;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text, or a part of one that others hold, too.
#[derive(Clone)]
pub struct SharedText {
    whole: Whole,
    part: Range<usize>,
}

#[derive(Clone)]
enum Whole {
    Text(Arc<str>),
    Grown(Arc<String>),
}

impl SharedText {
    /// Returns `part` of `whole`; an empty text if it is none.
    #[must_use]
    pub fn new(whole: Arc<str>, part: Range<usize>) -> SharedText {
        let part = if whole.get(part.clone()).is_some() { part } else { 0..0 };
        SharedText { whole: Whole::Text(whole), part }
    }

    /// Returns `part` of this text; an empty one if it is none.
    #[must_use]
    pub fn part(&self, part: Range<usize>) -> SharedText {
        let begin = self.part.start;
        let part = if self.get(part.clone()).is_some() { begin + part.start..begin + part.end } else { 0..0 };
        SharedText { whole: self.whole.clone(), part }
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        let whole: &str = match &self.whole {
            Whole::Text(text) => text,
            Whole::Grown(text) => text,
        };
        &whole[self.part.clone()]
    }
}

impl Default for SharedText {
    fn default() -> SharedText {
        SharedText::from(String::new())
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> SharedText {
        SharedText { part: 0..text.len(), whole: Whole::Grown(Arc::new(text)) }
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> SharedText {
        SharedText { part: 0..text.len(), whole: Whole::Text(text.into()) }
    }
}

impl std::fmt::Debug for SharedText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(formatter)
    }
}

impl std::fmt::Display for SharedText {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(formatter)
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        **self == **other
    }
}

impl Eq for SharedText {}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedText, D::Error> {
        String::deserialize(deserializer).map(SharedText::from)
    }
}

/// Reads a large text with one copy of it: by way of a `String` there are two more.
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<str>, D::Error> {
    struct Text;

    impl Visitor<'_> for Text {
        type Value = Arc<str>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a string")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Arc<str>, E> {
            Ok(text.into())
        }
    }

    deserializer.deserialize_str(Text)
}

pub(super) fn read_some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Arc<str>>, D::Error> {
    struct Perhaps;

    impl<'de> Visitor<'de> for Perhaps {
        type Value = Option<Arc<str>>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("option")
        }

        fn visit_none<E: Error>(self) -> Result<Option<Arc<str>>, E> {
            Ok(None)
        }

        fn visit_unit<E: Error>(self) -> Result<Option<Arc<str>>, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Arc<str>>, D::Error> {
            read(deserializer).map(Some)
        }
    }

    deserializer.deserialize_option(Perhaps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ExecuteParams, PlanParams};

    #[test]
    fn a_part_of_a_text_is_the_same_as_the_text() {
        let whole: Arc<str> = "one é".into();
        let part = SharedText::new(Arc::clone(&whole), 4..6);
        assert_eq!((part.clone(), format!("{part} {part:?}")), (SharedText::from("é"), "é \"é\"".to_owned()));
        assert_eq!(serde_json::from_str::<SharedText>(&serde_json::to_string(&part).unwrap()).unwrap(), part);
        assert_eq!(SharedText::new(whole, 4..5), SharedText::default());
        let grown = SharedText::from("one é two".to_owned()).part(4..10);
        assert_eq!(
            (&*grown, &*grown.part(0..2), &*grown.part(1..2), &*grown.part(3..9)),
            ("é two", "é", "", "")
        );
    }

    #[test]
    fn a_text_of_a_request_is_a_string() {
        let read = |json: &str| serde_json::from_str::<ExecuteParams>(json).map(|params| params.text);
        assert_eq!(read(r#"{"root":"/p","text":"a\n"}"#).unwrap().as_deref(), Some("a\n"));
        assert_eq!(read(r#"{"root":"/p","text":null}"#).unwrap(), None);
        assert_eq!(read(r#"{"root":"/p"}"#).unwrap(), None);
        let wrong = read(r#"{"root":"/p","text":1}"#).unwrap_err().to_string();
        assert!(wrong.starts_with("invalid type: integer `1`, expected a string"), "{wrong}");
        let plan = serde_json::from_str::<PlanParams>(r#"{"root":"","text":"é"}"#).unwrap();
        assert_eq!(plan.text, Some("é".into()));
    }
}
