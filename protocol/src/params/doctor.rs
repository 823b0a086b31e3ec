//! `doctor`: what works here, and what to do about the rest.

use crate::wire_type::{wire_params, wire_type};
use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

/// Parameters of `doctor`.
#[apply(wire_params)]
pub struct DoctorParams {
    /// Absolute path of the project to look at, too.
    pub root: Option<String>,
}

/// Result of `doctor`: what the daemon knows. `clada doctor` adds what the client sees.
#[apply(wire_type)]
pub struct DoctorResult {
    /// The findings, in the order in which they are shown.
    pub checks: Vec<Check>,
}

/// One finding.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// What was looked at, in a word. Several findings may be about one thing.
    pub name: String,
    /// Its weight.
    pub level: CheckLevel,
    /// What was found.
    pub text: String,
    /// The one thing to do about it.
    pub advice: Option<String>,
}

/// The weight of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum CheckLevel {
    /// All well.
    Ok,
    /// Something that is good to know; clada works.
    Note,
    /// Something does not work.
    Fault,
    /// A level that this version does not know.
    #[serde(other)]
    #[cfg_attr(feature = "schema", schemars(skip))]
    Unknown,
}

impl CheckLevel {
    /// Returns its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            CheckLevel::Ok => "ok",
            CheckLevel::Note => "note",
            CheckLevel::Fault => "fault",
            CheckLevel::Unknown => "unknown",
        }
    }
}

impl Check {
    /// Returns the finding that all is well.
    #[must_use]
    pub fn ok(name: &str, text: impl Into<String>) -> Check {
        Check { name: name.to_owned(), level: CheckLevel::Ok, text: text.into(), advice: None }
    }

    /// Returns something to know, and what to do about it.
    #[must_use]
    pub fn note(name: &str, text: impl Into<String>, advice: impl Into<String>) -> Check {
        let advice = Some(advice.into()).filter(|advice| !advice.is_empty());
        Check { level: CheckLevel::Note, advice, ..Check::ok(name, text) }
    }

    /// Returns a fault, and what to do about it.
    #[must_use]
    pub fn fault(name: &str, text: impl Into<String>, advice: impl Into<String>) -> Check {
        Check { level: CheckLevel::Fault, ..Check::note(name, text, advice) }
    }
}

/// Returns a size for people: `512 bytes`, `1.5 kB`, `20.0 MB`.
#[must_use]
pub fn size_text(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    if bytes < 1 << 10 {
        return format!("{bytes} bytes");
    }
    let (mut unit, mut tenths) = (0, bytes.saturating_mul(10) >> 10);
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        (unit, tenths) = (unit + 1, tenths >> 10);
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_at_a_glance() {
        let shown = [0, 1023, 1024, 1536, 20 << 20, (1 << 30) - 1, 3 << 40].map(size_text);
        assert_eq!(shown, ["0 bytes", "1023 bytes", "1.0 kB", "1.5 kB", "20.0 MB", "1023.9 MB", "3.0 TB"]);
    }
}
