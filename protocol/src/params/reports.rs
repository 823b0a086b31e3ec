//! `reports`: what the client prints of a result, asked for with the result.

use crate::wire_type::wire_type;
use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

/// The form of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReportFormat {
    /// The words for a terminal.
    Text,
    /// The words to paste back to a model.
    Llm,
    /// XML, as the dialect CML has it.
    Xml,
}

impl ReportFormat {
    /// Returns its name on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ReportFormat::Text => "text",
            ReportFormat::Llm => "llm",
            ReportFormat::Xml => "xml",
        }
    }
}

/// Reports of a result by their form: those that were asked for and have at most 4 MB.
#[apply(wire_type)]
pub struct Reports {
    /// The words for a terminal, without colour; paths inside the project are relative.
    pub text: Option<String>,
    /// The words to paste back to a model, between fences that no dialect looks into.
    pub llm: Option<String>,
    /// XML, as the dialect CML has it.
    pub xml: Option<String>,
}
