//! `config.show`: every effective setting and its origin.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::is_false;

/// Parameters of `config.show`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConfigShowParams {
    /// Absolute path of the project whose layer counts too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// True to return also a configuration file with every key, its meaning and its default.
    #[serde(default, skip_serializing_if = "is_false")]
    pub defaults: bool,
}

/// Result of `config.show`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfigShowResult {
    /// All settings, sorted by key.
    pub settings: Vec<Setting>,
    /// Faults of files, and the settings that are in force instead.
    pub warnings: Vec<String>,
    /// With `defaults: true`, a configuration file as YAML; used as it is, it changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub defaults: Option<String>,
}

/// A setting in force.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Setting {
    /// `section.key`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// `default`, the path of a file, or the name of an environment variable.
    pub origin: String,
}
