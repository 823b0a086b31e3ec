//! The version and the id of a message.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

pub(super) const VERSION: &str = "2.0";

/// The id of a request: a JSON number, string or null, kept exactly as it was written.
///
/// Two ids are equal when they are written alike, or are strings that spell the same characters.
#[derive(Debug, Clone)]
pub struct Id(Cow<'static, str>);

impl Id {
    /// The id of an answer to what has none, or none that can be read.
    pub const NULL: Id = Id(Cow::Borrowed("null"));

    /// Returns the id that `json` is; `None` unless it is a number, a string or null.
    #[must_use]
    pub fn from_json(json: &str) -> Option<Id> {
        let json = json.trim_ascii();
        let parsed: &RawValue = serde_json::from_str(json).ok()?;
        match parsed.get().as_bytes().first()? {
            b'"' | b'-' | b'0'..=b'9' => Some(Id(Cow::Owned(json.to_owned()))),
            b'n' => Some(Id::NULL),
            _ => None,
        }
    }

    pub(super) fn from_raw(raw: &RawValue) -> Option<Id> {
        match raw.get().as_bytes().first()? {
            b'"' | b'-' | b'0'..=b'9' => Some(Id(Cow::Owned(raw.get().to_owned()))),
            b'n' => Some(Id::NULL),
            _ => None,
        }
    }

    /// Returns the id as JSON writes it.
    #[must_use]
    pub fn as_json(&self) -> &str {
        &self.0
    }

    fn as_string(&self) -> Option<String> {
        if self.0.starts_with('"') { serde_json::from_str(&self.0).ok() } else { None }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Id) -> bool {
        self.0 == other.0 || self.as_string().is_some_and(|text| other.as_string() == Some(text))
    }
}

impl Eq for Id {}

impl From<u64> for Id {
    fn from(number: u64) -> Id {
        Id(Cow::Owned(number.to_string()))
    }
}

impl From<&str> for Id {
    fn from(text: &str) -> Id {
        Id(Cow::Owned(serde_json::Value::from(text).to_string()))
    }
}

impl std::fmt::Display for Id {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw = RawValue::from_string(self.0.as_ref().to_owned()).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Id, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Id::from_raw(&raw).ok_or_else(|| serde::de::Error::custom("an id is a number, a string or null"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_string_or_null_is_kept() {
        for json in
            ["0", "-1", "-0", "1.50", "1e400", "123456789012345678901234567890", r#""a\u00e9""#, "null"]
        {
            let id = Id::from_json(json).unwrap();
            assert_eq!(id.as_json(), json);
            assert_eq!(serde_json::to_string(&id).unwrap(), json);
            assert_eq!(serde_json::from_str::<Id>(json).unwrap(), id);
        }
        for json in ["true", "[]", "{}", "", "01", "1 2", "\"", "nul"] {
            assert!(Id::from_json(json).is_none(), "{json}");
        }
    }

    #[test]
    fn strings_are_compared_by_what_they_spell() {
        assert_eq!(Id::from_json(r#""\u00e9""#), Id::from_json("\"\u{e9}\""));
        assert_ne!(Id::from_json("\"1\""), Id::from_json("1"));
        assert_eq!(Id::from("x\n"), Id::from_json(r#""x\n""#).unwrap());
    }
}
