//! The number of places that a replacement expects.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The number of matches that there must be: a number, or `all`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// Exactly so many.
    Exactly(u64),
    /// All that there are, and at least one.
    All,
}

impl Count {
    /// The word for [`Count::All`].
    pub const ALL: &'static str = "all";
}

impl Serialize for Count {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Count::Exactly(number) => serializer.serialize_u64(*number),
            Count::All => serializer.serialize_str(Count::ALL),
        }
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Count, D::Error> {
        let value = Value::deserialize(deserializer)?;
        match value.as_u64() {
            Some(number) => Ok(Count::Exactly(number)),
            None if value == Count::ALL => Ok(Count::All),
            None => Err(serde::de::Error::custom("a count is a number or \"all\"")),
        }
    }
}

impl JsonSchema for Count {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Count".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "anyOf": [{ "type": "integer", "minimum": 1 }, { "const": Count::ALL }] })
    }
}
