//! The shape of `actions.yaml`: the name of an action, the callers that may ask for it and its parameters.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use crate::count::Count;

/// An action as `actions.yaml` defines it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActionDefinition {
    /// Canonical name. Not in the entry itself: it is the entry's key.
    #[serde(skip)]
    pub name: String,
    /// Other names that answers use for it.
    #[serde(default)]
    pub aliases: Vec<String>,
    /// The kind of thing that it does.
    #[serde(rename = "type")]
    pub action_type: ActionType,
    /// True if this version can carry it out.
    #[serde(default = "yes")]
    pub available: bool,
    /// One or two sentences for a model.
    pub description: String,
    /// The callers that may ask for it.
    pub callers: Vec<Caller>,
    /// The parameter that a report names.
    #[serde(default)]
    pub(crate) primary: Option<String>,
    /// True if the model sees its output.
    #[serde(default)]
    pub output: bool,
    /// Its parameters in the order of the file.
    #[serde(deserialize_with = "crate::load::parameters")]
    pub parameters: Vec<Parameter>,
    /// The shape of its data on success, for documentation and tests.
    pub returns: Returns,
}

impl ActionDefinition {
    /// Returns the parameter called `name`.
    #[must_use]
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// Returns whether `caller` may ask for it.
    #[must_use]
    pub fn allows(&self, caller: Caller) -> bool {
        self.callers.contains(&caller)
    }

    /// Returns the JSON Schema of its parameters, as an object schema (draft 2020-12).
    #[must_use]
    pub fn json_schema(&self) -> Value {
        let properties: serde_json::Map<String, Value> = self
            .parameters
            .iter()
            .map(|parameter| (parameter.name.clone(), parameter.json_schema()))
            .collect();
        let required: Vec<&str> = self
            .parameters
            .iter()
            .filter(|parameter| parameter.required)
            .map(|parameter| parameter.name.as_str())
            .collect();
        let mut schema = serde_json::json!({
            "type": "object",
            "description": self.description,
            "properties": properties,
            "additionalProperties": false,
        });
        if !required.is_empty() {
            schema["required"] = required.into();
        }
        schema
    }
}

fn yes() -> bool {
    true
}

/// The kind of thing that an action does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ActionType {
    /// It reads files.
    Read,
    /// It changes files.
    Write,
    /// It changes the session, no file.
    Meta,
    /// It changes history.
    Git,
    /// It runs something whose effects are not known beforehand.
    Dynamic,
}

/// A caller that asks for an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A model, through its answer.
    Llm,
    /// A user, through a command or an editor.
    User,
}

/// A parameter of an action.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parameter {
    /// Its name. Not in the entry itself: it is the entry's key.
    #[serde(skip)]
    pub name: String,
    /// The type that its text is converted to.
    #[serde(rename = "type")]
    pub parameter_type: ParameterType,
    /// True if it must be given.
    pub required: bool,
    /// The form of the text beyond its type.
    #[serde(default)]
    pub format: Option<Format>,
    /// Of an enum: the values.
    #[serde(default)]
    pub values: Vec<String>,
    /// Of an integer or a count: the smallest value.
    #[serde(default)]
    pub minimum: Option<i64>,
    /// The text that is used when it is absent.
    #[serde(default)]
    pub default: Option<String>,
}

impl Parameter {
    fn json_schema(&self) -> Value {
        let json_type = match self.parameter_type {
            ParameterType::String | ParameterType::Enum => "string",
            ParameterType::Integer => "integer",
            ParameterType::Boolean => "boolean",
            ParameterType::Count => {
                let number = serde_json::json!({ "type": "integer", "minimum": self.minimum });
                return serde_json::json!({ "anyOf": [number, { "const": Count::ALL }] });
            }
        };
        let mut schema = serde_json::json!({ "type": json_type });
        if let Some(format) = self.format {
            schema["format"] = format.name().into();
        }
        if !self.values.is_empty() {
            schema["enum"] = self.values.clone().into();
        }
        if let Some(minimum) = self.minimum {
            schema["minimum"] = minimum.into();
        }
        if let Some(default) = &self.default {
            schema["default"] = default.clone().into();
        }
        schema
    }
}

/// The type of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterType {
    /// Any text.
    String,
    /// A whole number, in decimal.
    Integer,
    /// A whole number, or the word `all`.
    Count,
    /// `true` or `false`.
    Boolean,
    /// One of `values`.
    Enum,
}

/// The form of a string parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// An absolute path, POSIX or Windows form.
    AbsolutePath,
    /// Absolute paths, one a line; blank lines are ignored.
    MultilineAbsolutePaths,
}

impl Format {
    /// Returns the name used in `actions.yaml` and in JSON Schemas.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::AbsolutePath => "absolute_path",
            Format::MultilineAbsolutePaths => "multiline_absolute_paths",
        }
    }
}

/// The shape of an action's data on success.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Returns {
    /// An object: field names (a trailing `?` marks one that may be absent) and their JSON types.
    Object(BTreeMap<String, String>),
    /// Something else, by the name of its JSON type.
    Bare(String),
}
