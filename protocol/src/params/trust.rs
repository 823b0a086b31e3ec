//! `trust.*`: the trust that lets a project's configuration file widen what it may do.

use crate::wire_type::{wire_params, wire_type};
use macro_rules_attribute::apply;

/// Parameters of `trust.show`.
#[apply(wire_params)]
pub struct TrustShowParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Parameters of `trust.add`.
#[apply(wire_params)]
pub struct TrustAddParams {
    /// Absolute path of the project.
    pub root: String,
    /// The hash of the file that was shown: another one is not trusted.
    pub hash: String,
}

/// Parameters of `trust.remove`.
#[apply(wire_params)]
pub struct TrustRemoveParams {
    /// Absolute path of the project.
    pub root: String,
}

/// Result of `trust.*`: the state after it.
#[apply(wire_type)]
pub struct TrustResult {
    /// The project's configuration file, absolute.
    pub path: String,
    /// Its text; absent if there is no such file, or none that can be read.
    pub text: Option<String>,
    /// The hash that identifies this text.
    pub hash: Option<String>,
    /// True if the file is trusted as it is: all of it is in force.
    pub trusted: bool,
    /// The settings that are in force only if the file is trusted.
    pub widens: Vec<Widening>,
    /// Other faults of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// A setting of a project's configuration file that is in force only if the user trusts the file.
#[apply(wire_type)]
pub struct Widening {
    /// `section.key`.
    pub key: String,
    /// 1-based line in the file, if it is known.
    pub line: Option<usize>,
    /// The reason why it is not in force by itself.
    pub message: String,
    /// The subject of the key.
    pub help: String,
}
