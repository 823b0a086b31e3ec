//! The violations of an action, in the words that are the same for every action.

use crate::Span;

/// The rule that was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViolationType {
    /// Something is missing, unknown or not allowed.
    Validation,
    /// A text is not of its parameter's type.
    Type,
}

/// One reason why a raw action is no [`crate::Action`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The rule that was broken.
    pub violation_type: ViolationType,
    /// A stable name: `MISSING_ACTION`, `UNKNOWN_ACTION`, `MISSING_PARAMETER`, `INVALID_VALUE`
    /// and `LANG_UNSUPPORTED`.
    pub code: &'static str,
    /// The sentence, whose first two words are the same for every action (spec: dialects, "sham").
    pub message: String,
    /// The advice for the caller.
    pub hint: Option<String>,
    /// The place of the faulty value, if a value is at fault.
    pub span: Option<Span>,
}

impl Violation {
    pub(crate) fn validation(code: &'static str, message: impl Into<String>) -> Violation {
        let message = message.into();
        Violation { violation_type: ViolationType::Validation, code, message, hint: None, span: None }
    }

    pub(crate) fn invalid(message: String, span: Span) -> Violation {
        Violation {
            violation_type: ViolationType::Type,
            code: "INVALID_VALUE",
            message,
            hint: None,
            span: Some(span),
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Violation {
        self.hint = Some(hint.into());
        self
    }
}
