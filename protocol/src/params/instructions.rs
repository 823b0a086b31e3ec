//! `instructions`: the text that teaches a model a dialect.

use macro_rules_attribute::apply;
use serde::{Deserialize, Serialize};

use crate::wire_type::{wire_params, wire_type};

/// The reader of the instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Audience {
    /// A chat window: the user pastes them in.
    #[default]
    Chat,
    /// A system prompt.
    System,
    /// A model that hands its edits to a tool, as `text`.
    Tool,
}

/// Parameters of `instructions`.
#[apply(wire_params)]
pub struct InstructionsParams {
    /// The dialect; absent: `sham`.
    pub dialect: Option<String>,
    /// Absolute path of the project, which the text then names.
    pub root: Option<String>,
    /// The reader of the text.
    #[serde(default, rename = "for")]
    pub audience: Audience,
    /// True to name all actions, not only the usual ones, in a dialect that names actions (`sham`).
    pub all_actions: bool,
}

/// Result of `instructions`.
#[apply(wire_type)]
pub struct InstructionsResult {
    /// The dialect's name.
    pub dialect: String,
    /// The text, fenced so that applying it by mistake does nothing.
    pub text: String,
}
