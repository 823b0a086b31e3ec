//! `config.*`: every effective setting and its origin, and the files that users write them in.

use macro_rules_attribute::apply;
use serde_json::Value;

use super::is_false;
use crate::wire_type::{wire_params, wire_type};

/// Parameters of `config.show`.
#[apply(wire_params)]
pub struct ConfigShowParams {
    /// Absolute path of the project whose layer counts too.
    pub root: Option<String>,
    /// True to return also a configuration file with every key, its meaning and its default.
    pub defaults: bool,
    /// The one setting to return, `section.key`; without it, all.
    pub key: Option<String>,
}

/// Result of `config.show`.
#[apply(wire_type)]
pub struct ConfigShowResult {
    /// All settings, sorted by key.
    pub settings: Vec<Setting>,
    /// Faults of files, and the settings that are in force instead.
    pub warnings: Vec<String>,
    /// True if a file, a variable or a flag cannot be used as it is; `warnings` say why.
    #[serde(default, skip_serializing_if = "is_false")]
    pub broken: bool,
    /// Path of the user's file, whether it is there or not; absent if no home folder is known.
    pub user_file: Option<String>,
    /// Path of the project's file, whether it is there or not; absent without a project.
    pub project_file: Option<String>,
    /// With `defaults: true`, a configuration file as YAML; used as it is, it changes nothing.
    pub defaults: Option<String>,
}

/// A setting in force.
#[apply(wire_type)]
pub struct Setting {
    /// `section.key`.
    pub key: String,
    /// Its value.
    pub value: Value,
    /// `default`, the path of a file, the name of a variable, or `settings` for those of the request.
    pub origin: String,
    /// Its default, if the value is another one.
    pub default: Option<Value>,
}

/// Parameters of `config.set`.
#[apply(wire_params)]
pub struct ConfigSetParams {
    /// Absolute path of the project whose file is meant; without it, the user's own file.
    pub root: Option<String>,
    /// `section.key`.
    pub key: String,
    /// The value as text; lists and maps as YAML in brackets, a list of one may be written plainly.
    pub value: String,
    /// The umask for a new file; without it, the daemon's own.
    pub umask: Option<u32>,
}

/// Result of `config.set` and `config.unset`.
#[apply(wire_type)]
pub struct ConfigSetResult {
    /// Path of the file that was meant.
    pub path: String,
    /// True if the file was written; false if it was so already.
    pub changed: bool,
    /// The setting as it is in force: of another origin if something stronger sets it, too.
    pub setting: Setting,
    /// Faults of files, and the settings that are in force instead.
    pub warnings: Vec<String>,
}

/// Parameters of `config.unset`.
#[apply(wire_params)]
pub struct ConfigUnsetParams {
    /// Absolute path of the project whose file is meant; without it, the user's own file.
    pub root: Option<String>,
    /// `section.key`.
    pub key: String,
}

/// Parameters of `config.init`.
#[apply(wire_params)]
pub struct ConfigInitParams {
    /// Absolute path of the project whose file is meant; without it, the user's own file.
    pub root: Option<String>,
    /// The umask for a new file; without it, the daemon's own.
    pub umask: Option<u32>,
}

/// Result of `config.init`.
#[apply(wire_type)]
pub struct ConfigInitResult {
    /// Path of the file.
    pub path: String,
    /// True if it was written; false if it was there, and stays as it is.
    pub created: bool,
}
