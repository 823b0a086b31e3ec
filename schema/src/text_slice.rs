//! A part of an answer's text, shared with it.

use std::ops::{Deref, Range};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A part of a text, which it keeps in memory as a whole.
///
/// What an answer writes to files is most of the answer: as slices of it, it is held once.
#[derive(Clone)]
pub struct TextSlice {
    whole: Arc<str>,
    part: Range<usize>,
}

impl TextSlice {
    /// Returns `part` as a slice of `whole`, if it lies there; a text of its own if not.
    #[must_use]
    pub fn new(whole: &Arc<str>, part: &str) -> TextSlice {
        let addresses = whole.as_bytes().as_ptr_range();
        let begin = (part.as_ptr() as usize).wrapping_sub(addresses.start as usize);
        let part = match begin.checked_add(part.len()) {
            Some(end) if end <= whole.len() => begin..end,
            _ => return TextSlice::from(part),
        };
        TextSlice { whole: Arc::clone(whole), part }
    }

    /// Returns the whole text and the place of the slice in it.
    #[must_use]
    pub fn place(&self) -> (Arc<str>, Range<usize>) {
        (Arc::clone(&self.whole), self.part.clone())
    }
}

impl Deref for TextSlice {
    type Target = str;

    fn deref(&self) -> &str {
        &self.whole[self.part.clone()]
    }
}

impl From<&str> for TextSlice {
    fn from(text: &str) -> TextSlice {
        TextSlice { part: 0..text.len(), whole: Arc::from(text) }
    }
}

impl std::fmt::Debug for TextSlice {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(formatter)
    }
}

impl PartialEq for TextSlice {
    fn eq(&self, other: &TextSlice) -> bool {
        **self == **other
    }
}

impl Eq for TextSlice {}

impl Serialize for TextSlice {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for TextSlice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TextSlice, D::Error> {
        let whole = Arc::<str>::deserialize(deserializer)?;
        Ok(TextSlice { part: 0..whole.len(), whole })
    }
}

impl JsonSchema for TextSlice {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_is_shared_and_another_text_is_copied() {
        let whole: Arc<str> = Arc::from("one é two");
        let slice = TextSlice::new(&whole, &whole[4..6]);
        assert_eq!((&*slice, Arc::ptr_eq(&slice.whole, &whole)), ("é", true));
        let empty = TextSlice::new(&whole, &whole[whole.len()..]);
        assert_eq!((&*empty, Arc::ptr_eq(&empty.whole, &whole)), ("", true));
        for other in ["two", ""] {
            let copied = TextSlice::new(&whole, other);
            assert_eq!((&*copied, Arc::ptr_eq(&copied.whole, &whole)), (other, false));
        }
        assert_eq!(serde_json::to_string(&slice).unwrap(), "\"é\"");
        assert_eq!(serde_json::from_str::<TextSlice>("\"é\"").unwrap(), slice);
    }
}
