//! `trust.*`: whether a project's configuration file may have what a project may not have by itself.

use serde::{Deserialize, Serialize};

/// Parameters of `trust.show`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustShowParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Parameters of `trust.add`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustAddParams {
    /// Absolute path of the project.
    pub root: String,
    /// The hash of the file that was shown: another one is not trusted.
    pub hash: String,
}

/// Parameters of `trust.remove`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustRemoveParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `trust.*`: how it stands after it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrustResult {
    /// The project's configuration file, absolute.
    pub path: String,
    /// What is in it; absent if there is no such file, or none that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tells this text from any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The file is trusted as it is: all of it is in force.
    pub trusted: bool,
    /// What is in force only if the file is trusted.
    pub widens: Vec<Widening>,
    /// What else is wrong with the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// Something that a project's configuration file has only if a person trusts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Widening {
    /// `section.key`.
    pub key: String,
    /// 1-based line in the file, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Why it is not in force by itself.
    pub message: String,
    /// What the key is about.
    pub help: String,
}
