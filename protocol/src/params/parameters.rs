//! The parameters of an action, as results show them.
//!
//! What an answer writes to files is most of it: a parameter can be a part of the answer's text, which is not
//! copied.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::SharedText;

/// Parameters by name, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, Parameter)>);

/// The value of a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parameter {
    /// A text.
    Text(SharedText),
    /// Anything else.
    Other(Value),
}

impl Parameters {
    /// Returns the value of the parameter `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Parameter> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Returns the text of the parameter `name`, if it is one.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// Returns names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Parameter)> + Clone {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns the values, to change them.
    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut Parameter> {
        self.0.iter_mut().map(|(_, value)| value)
    }

    /// Keeps the parameters that `is_kept` wants.
    pub fn retain(&mut self, is_kept: impl Fn(&str, &Parameter) -> bool) {
        self.0.retain(|(name, value)| is_kept(name, value));
    }
}

impl Parameter {
    /// Returns the text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Parameter::Text(text) => Some(text),
            Parameter::Other(_) => None,
        }
    }
}

impl std::fmt::Display for Parameter {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Parameter::Text(text) => text.fmt(formatter),
            Parameter::Other(value) => value.fmt(formatter),
        }
    }
}

impl From<Value> for Parameter {
    fn from(value: Value) -> Parameter {
        match value {
            Value::String(text) => Parameter::Text(text.into()),
            other => Parameter::Other(other),
        }
    }
}

impl From<Map<String, Value>> for Parameters {
    fn from(values: Map<String, Value>) -> Parameters {
        values.into_iter().map(|(name, value)| (name, value.into())).collect()
    }
}

impl FromIterator<(String, Parameter)> for Parameters {
    fn from_iter<I: IntoIterator<Item = (String, Parameter)>>(parameters: I) -> Parameters {
        Parameters(parameters.into_iter().collect())
    }
}

impl Serialize for Parameter {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Parameter::Text(text) => text.serialize(serializer),
            Parameter::Other(value) => value.serialize(serializer),
        }
    }
}

impl Serialize for Parameters {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Parameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Parameters, D::Error> {
        Map::deserialize(deserializer).map(Parameters::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let json = r#"{"path":"é","all":true}"#;
        let read: Parameters = serde_json::from_str(json).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), json);
        assert_eq!((read.text("path"), read.text("all"), read.text("none")), (Some("é"), None, None));
        assert_eq!(read.get("all").unwrap().to_string(), "true");
    }
}
