//! `place`: where an editor goes for a failure.

use crate::wire_type::wire_type;
use macro_rules_attribute::apply;

/// The place that a failure or its hint names.
#[apply(wire_type)]
pub struct FailurePlace {
    /// The file, from the root: that of the action, or another one that the hint names.
    pub path: String,
    /// The same as a `file` URI.
    pub uri: String,
    /// The 0-based line that the hint, or else the error, names: in the file as the actions before would have
    /// left it, counted by `lines`. Absent: the place is the file.
    pub line: Option<usize>,
}
