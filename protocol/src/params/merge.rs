//! `text.merge`: undoes a change of a text and keeps what was changed since.

use crate::wire_type::{wire_params, wire_type};
use macro_rules_attribute::apply;

/// Parameters of `text.merge`.
#[apply(wire_params)]
pub struct TextMergeParams {
    /// The texts, each with its change.
    pub texts: Vec<ChangedText>,
}

/// A text that was changed twice.
#[apply(wire_params)]
pub struct ChangedText {
    /// The text before the change that is undone.
    pub before: String,
    /// The text after it.
    pub after: String,
    /// The text now.
    pub now: String,
}

/// Result of `text.merge`.
#[apply(wire_type)]
pub struct TextMergeResult {
    /// One entry a text: what it is without the change; `null` if what was changed since touches the same lines.
    pub texts: Vec<Option<String>>,
}
